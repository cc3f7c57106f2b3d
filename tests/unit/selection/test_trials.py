"""Trials: what fits of candidates score on held-out judgements and on subsamples."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.cluster import DBSCAN, KMeans
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fuzzypairs import FDC, PairSet
from fuzzypairs.criteria import fuzzy_silhouette, pair_agreement
from fuzzypairs.pairs.folds import hold_out
from fuzzypairs.selection.candidates import list_candidates
from fuzzypairs.selection.trials import (
    Runner,
    count_clusters,
    hold_out_trials,
    noise_to_singletons,
    silhouette,
    stability_trials,
    take_rows,
)
from fuzzypairs.threads import Threads

QUICK = FDC(n_init=1)


@pytest.fixture(scope="module")
def data():
    X, y = make_blobs(
        [30, 30, 20], centers=4.0 * np.eye(3), cluster_std=1.5, random_state=0
    )
    return X, PairSet.from_labels(y, n_pairs=40, random_state=0)


def runner_of(X, progress=None):
    return Runner(X, None, Threads(1), progress)


def only(estimator, grid=None):
    (candidate,) = list_candidates(estimator, grid or {}, seed=0)
    return candidate


def folds_of(pairs):
    return hold_out(pairs, 4, 2, np.random.default_rng(0))


@pytest.mark.parametrize("estimator", [QUICK, KMeans(n_init=1)])
def test_splits_score_the_balanced_agreement_with_what_they_held_out(data, estimator):
    X, pairs = data
    folds, candidate = folds_of(pairs), only(estimator, {"n_clusters": [3]})

    (trial,) = hold_out_trials([candidate], folds, runner_of(X))

    none = PairSet.empty(len(X))
    start = candidate.fit(X, none, None).labels_ if candidate.accepts_start else None
    expected = []
    for split in folds.splits:
        model = candidate.fit(X, split.train, None, start)
        asked = folds.pairs.select(split.test)
        expected.append(pair_agreement(asked, model.labels_, method="balanced"))
    np.testing.assert_allclose(trial.scores, expected)
    assert trial.score == pytest.approx(np.mean(expected))
    assert trial.seconds.shape == (8,)
    assert trial.n_clusters == 3
    assert 0 < trial.error < 0.5


def test_one_large_cluster_scores_a_half_whatever_the_judgements(data):
    X, pairs = data
    candidate = only(KMeans(1, n_init=1))
    (trial,) = hold_out_trials([candidate], folds_of(pairs), runner_of(X))

    assert trial.scores.tolist() == [0.5] * 8
    assert np.isnan(trial.tie_break)


def test_automatic_values_come_from_the_start(data):
    X, pairs = data
    candidates = list_candidates(QUICK, {"n_clusters": [3], "beta": [1.0, 0.0]}, 0)
    with_start, without = hold_out_trials(candidates, folds_of(pairs), runner_of(X))

    assert with_start.automatic["beta"] == pytest.approx(X.var(axis=0).sum())
    assert without.automatic == with_start.automatic  # they share the key
    assert (
        hold_out_trials([only(KMeans())], folds_of(pairs), runner_of(X))[0].automatic
        == {}
    )


def test_stability_by_hand(data):
    X, pairs = data
    candidate = only(KMeans(3, n_init=1))
    rng = np.random.default_rng(0)
    subsamples = [np.sort(rng.choice(80, 64, replace=False)) for _ in range(2)]

    (trial,) = stability_trials(
        [candidate], pairs, 2, np.random.default_rng(0), runner_of(X)
    )

    whole = candidate.fit(X, pairs, None).labels_
    expected = [
        adjusted_rand_score(whole[rows], candidate.fit(X[rows], None, None).labels_)
        for rows in subsamples
    ]
    np.testing.assert_allclose(trial.scores, expected)
    compactness = fuzzy_silhouette(X, np.eye(3)[whole])
    assert trial.score == pytest.approx((np.mean(expected) + compactness) / 2)
    assert trial.added.sum() == pytest.approx(np.mean(expected) / 2)
    assert trial.error == pytest.approx(np.std(expected, ddof=1) / np.sqrt(2) / 2)


def test_failures_are_kept_and_the_others_go_on(data):
    X, pairs = data
    candidates = list_candidates(QUICK, {"fuzzifier": [0.5, 2.0]}, 0)
    for trials in (
        hold_out_trials(candidates, folds_of(pairs), runner_of(X)),
        stability_trials(candidates, pairs, 2, np.random.default_rng(0), runner_of(X)),
    ):
        assert isinstance(trials[0].failure, ValueError)
        assert np.isnan(trials[0].score)
        assert trials[0].added.shape == trials[1].added.shape
        assert trials[1].failure is None


def test_a_runner_reports_each_job_and_returns_errors():
    told = []
    runner = runner_of(None, lambda *step: told.append(step))
    runner.total = 3

    found = runner.run(lambda number: 6 // number, [(1,), (0,), (3,)])

    assert found[::2] == [6, 2]
    assert isinstance(found[1], ZeroDivisionError)
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_samples_in_no_cluster_are_alike_to_none_and_no_cluster():
    labels = np.array([0, -1, -1, 2])

    assert len(set(noise_to_singletons(labels))) == 4
    assert noise_to_singletons(labels)[[0, 3]].tolist() == [0, 2]
    assert noise_to_singletons(np.full(3, -1)).tolist() == [0, 1, 2]
    assert count_clusters(labels) == 2


def test_silhouettes_are_of_what_the_clusterer_sees(data):
    X, _ = data
    pipe = make_pipeline(StandardScaler(), KMeans(3, n_init=1, random_state=0)).fit(X)
    scaled = StandardScaler().fit_transform(X)

    expected = fuzzy_silhouette(scaled, np.eye(3)[pipe[-1].labels_])
    assert silhouette(X, pipe) == pytest.approx(expected)
    model = clone(QUICK).set_params(n_clusters=2).fit(X)
    assert silhouette(X, model) == fuzzy_silhouette(X, model.memberships_)


def test_where_there_is_no_silhouette(data):
    X, _ = data
    model = KMeans(3, n_init=1, random_state=0).fit(X)

    assert np.isnan(silhouette(sparse.csr_array(X), model))
    assert np.isnan(silhouette(pd.DataFrame(X), model))
    assert np.isnan(silhouette(X, KMeans(1, n_init=1).fit(X)))
    distances = np.abs(X[:, None] - X).sum(axis=2)
    assert np.isnan(silhouette(distances, DBSCAN(metric="precomputed").fit(distances)))


@pytest.mark.parametrize("form", [np.asarray, sparse.coo_array, pd.DataFrame])
def test_rows_of_any_table(form):
    X = np.arange(16.0).reshape(4, 4)
    rows = np.array([0, 2])

    def dense(part):
        return part.toarray() if sparse.issparse(part) else np.asarray(part)

    some = dense(take_rows(form(X), rows, only(KMeans())))
    np.testing.assert_array_equal(some, X[rows])
    both = dense(take_rows(form(X), rows, only(FDC(metric="precomputed"))))
    np.testing.assert_array_equal(both, X[np.ix_(rows, rows)])
