"""FDC with propagate= on many samples: the best start alone goes on under all."""

import warnings

import numpy as np
import pytest

from fuzzypairs import FDC, PairSet
from fuzzypairs.cluster import fdc
from fuzzypairs.exceptions import ClustersVanishedWarning


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(0)
    classes = rng.integers(3, size=120)
    X = rng.normal(size=(120, 2)) + 2 * np.eye(3, 2)[classes]
    return X, PairSet.from_labels(classes, n_pairs=20, random_state=1)


@pytest.fixture
def many(monkeypatch):
    """Make 120 samples many."""
    monkeypatch.setattr(fdc, "PROPAGATE_ALL_STARTS_UP_TO", 100)


def fit(problem, **params):
    X, pairs = problem
    usual = {"n_clusters": 3, "metric": "euclidean", "n_init": 3, "random_state": 0}
    return FDC(**(usual | {"propagate": 0.8} | params)).fit(X, pairs=pairs)


def assert_same(model, other):
    assert model.n_iter_ == other.n_iter_
    np.testing.assert_array_equal(model.memberships_, other.memberships_)
    np.testing.assert_array_equal(model.cluster_centers_, other.cluster_centers_)
    assert model.propagation_.pairs == other.propagation_.pairs


@pytest.mark.usefixtures("many")
def test_many_samples_go_on_from_where_the_asked_judgements_lead(problem):
    model, asked = fit(problem), fit(problem, propagate=False)
    assert_same(model, fit(problem, init=asked.memberships_))
    assert model.get_params()["init"] == "k-means++"
    # The derived judgements have acted.
    assert np.abs(model.memberships_ - asked.memberships_).max() > 0.01


@pytest.mark.parametrize("params", [{"n_init": 1}, {"init": "pair-graph"}])
def test_one_start_is_followed_at_once(problem, params, monkeypatch):
    few = fit(problem, **params)
    monkeypatch.setattr(fdc, "PROPAGATE_ALL_STARTS_UP_TO", 100)
    assert_same(few, fit(problem, **params))


@pytest.mark.usefixtures("many")
def test_reliabilities_are_those_of_the_last_run(problem):
    model = fit(problem, robust=True)
    assert model.pair_reliability_.shape == (len(problem[1]),)


@pytest.mark.usefixtures("many")
def test_clusters_that_vanish_on_the_way_are_told_once(problem):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = fit(problem, n_clusters=6, alpha=0.1)
    told = [w for w in caught if w.category is ClustersVanishedWarning]
    assert len(told) == 1
    assert model.n_clusters_ < model.n_clusters == 6


@pytest.mark.usefixtures("many")
@pytest.mark.parametrize("X", [3.0, np.array(3.0), "abc", [[1.0], [2.0, 3.0]]])
def test_what_is_no_data_is_refused_as_ever(X):
    with pytest.raises((ValueError, TypeError)) as ours:
        FDC(propagate=0.8, metric="euclidean").fit(X, pairs=[(0, 1, 1.0)])
    with pytest.raises(ours.type) as usual:
        FDC(metric="euclidean").fit(X, pairs=[(0, 1, 1.0)])
    assert str(ours.value) == str(usual.value)


@pytest.mark.usefixtures("many")
@pytest.mark.parametrize("wrong", [{"propagate": "far"}, {"robust": -1.0}])
def test_mistakes_are_told_before_anything_is_fitted(problem, wrong, monkeypatch):
    monkeypatch.setattr(FDC, "_variant", None)
    with pytest.raises(ValueError, match=next(iter(wrong))):
        fit(problem, **wrong)
