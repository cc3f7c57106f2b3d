"""Candidates: how a grid becomes estimators, and which of them is simpler."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fuzzypairs import DSC, FDC, PCCA, FuzzyCMeans, GuidedFDC
from fuzzypairs.selection.candidates import complexity, list_candidates


def only(estimator, grid=None):
    (candidate,) = list_candidates(estimator, grid or {}, seed=7)
    return candidate


@pytest.mark.parametrize(
    ("estimator", "uses", "takes"),
    [
        (FDC(), True, True),
        (GuidedFDC(), True, False),
        (FDC(beta=0.0), False, False),
        (FDC(init="pair-graph"), True, False),
        (FDC(2, init=np.array([0, 1, 1])), True, False),
        (PCCA(), True, False),
        (DSC(), True, False),
        (FuzzyCMeans(), False, False),
        (KMeans(), False, False),
        (make_pipeline(StandardScaler(), FDC()), True, True),
        (make_pipeline(StandardScaler(), KMeans()), False, False),
    ],
)
def test_who_uses_judgements_and_who_takes_a_start(estimator, uses, takes):
    candidate = only(estimator)
    assert candidate.uses_pairs is uses
    assert candidate.accepts_start is takes


def test_seeds_fill_gaps_only():
    assert only(FDC()).estimator.random_state == 7
    assert only(FDC(random_state=1)).estimator.random_state == 1
    pipe = make_pipeline(StandardScaler(), FDC())
    assert only(pipe).method.random_state == 7
    assert pipe[-1].random_state is None


def test_starts_are_shared_but_for_alpha_and_beta():
    params = {"gamma": 1.0}  # cannot be hashed
    grid = {
        "n_clusters": [2, 3],
        "beta": [0.5, "auto"],
        "alpha": [0.0, 0.1],
        "metric_params": [params],
    }
    starts = {one.start_key for one in list_candidates(FDC(metric="rbf"), grid, 0)}
    assert len(starts) == 2


def test_automatic_values():
    one = only(FDC(), {"alpha": [0.1], "beta": [3.0]}).automatic
    assert (one.method.alpha, one.method.beta) == ("auto", "auto")


def test_fits_run_on_one_thread_unless_asked():
    X = np.random.default_rng(0).normal(size=(30, 2))
    one = only(FDC(2, n_jobs=2, n_init=1))
    assert one.fit(X, None, None).n_jobs == 1
    assert one.fit(X, None, None, n_jobs=None).n_jobs is None


def test_complexity_by_hand():
    grid = [
        {"alpha": ["auto", 0.02], "beta": [4.0]},
        {"metric": ["euclidean", "cosine"], "fuzzifier": [1.5]},
        {"estimator": [FuzzyCMeans()]},
        {"beta": [0.0]},
    ]
    known = {"alpha": 0.01, "beta": 2.0}
    complexities = [
        complexity(one, 5.0, known) for one in list_candidates(FDC(), grid, 0)
    ]
    log2 = np.log(2)
    expected = [(5, 0, log2), (5, 0, log2 + 0.25), (5, 1, 0), (5, 2, 0), (5, 1, 0)]
    # The last number is that of the clusters asked for, 8 by default.
    np.testing.assert_allclose(complexities[:5], [(*one, 8) for one in expected])
    assert (
        complexities[5][2] > 100
    )  # judgements ignored: as far from automatic as can be


def test_unknown_automatic_values_count_one_each():
    one = only(PCCA(), {"beta": [4.0]})
    assert complexity(one, 3.0, {}) == (3.0, 0, 1.0, 8.0)


def test_a_default_metric_is_no_option():
    grid = {"metric": ["euclidean", "manhattan"]}
    options = [complexity(one, 3.0, {})[1] for one in list_candidates(FDC(), grid, 0)]
    assert options == [0, 1]


def test_steps_of_pipelines_have_defaults_too():
    pipe = make_pipeline(StandardScaler(), FDC())
    grid = {"standardscaler__with_mean": [True, False], "fdc__n_clusters": [2]}
    complexities = [complexity(one, 2.0, {}) for one in list_candidates(pipe, grid, 0)]
    assert complexities == [(2.0, 0, 0.0, 2.0), (2.0, 1, 0.0, 2.0)]
