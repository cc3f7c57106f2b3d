"""FuzzyCMeans: the worked numbers, and that it is FDC without judgements."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris, load_wine, make_blobs
from sklearn.preprocessing import StandardScaler

from fuzzypairs import FDC, FuzzyCMeans
from fuzzypairs.criteria import nmi, normalized_ari, partition_coefficient
from fuzzypairs.exceptions import (
    ClustersVanishedWarning,
    PrototypesCoincideWarning,
)

LINE = np.array([[0.0], [1.0], [9.0], [10.0]])
START = np.array([[0.9, 0.1], [0.8, 0.2], [0.2, 0.8], [0.1, 0.9]])


@pytest.mark.parametrize(
    ("fuzzifier", "centers", "first", "second", "objective"),
    [
        (1.5, (0.499999, 9.500001), 0.999992, 0.999988, 0.999995),
        (2.0, (0.499740, 9.500260), 0.997241, 0.996548, 0.996894),
        (3.0, (0.496629, 9.503371), 0.950337, 0.944112, 0.897205),
    ],
)
def test_four_points_by_hand(fuzzifier, centers, first, second, objective):
    model = FuzzyCMeans(2, fuzzifier=fuzzifier, init=START, tol=1e-10).fit(LINE)
    np.testing.assert_allclose(model.cluster_centers_.ravel(), centers, atol=1e-6)
    np.testing.assert_allclose(model.memberships_[:2, 0], (first, second), atol=1e-6)
    assert model.objective_ == pytest.approx(objective, abs=1e-6)


@pytest.mark.parametrize(
    ("fuzzifier", "objective", "ari"),
    [(1.5, 74.3822, 0.7163), (2.0, 60.5057, 0.7294), (2.5, 43.5416, 0.7430)],
)
def test_iris(fuzzifier, objective, ari):
    X, y = load_iris(return_X_y=True)
    model = FuzzyCMeans(3, fuzzifier=fuzzifier, tol=1e-8, random_state=0).fit(X)
    assert model.objective_ == pytest.approx(objective, abs=1e-4)
    assert 2 * normalized_ari(y, model.labels_) - 1 == pytest.approx(ari, abs=1e-4)
    if fuzzifier == 2.0:
        assert partition_coefficient(model.memberships_) == pytest.approx(
            0.7834, abs=1e-4
        )


def test_wine_from_twenty_random_starts():
    X, y = load_wine(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    for seed in range(20):
        model = FuzzyCMeans(3, init="random", n_init=1, tol=1e-7, random_state=seed)
        model.fit(X)
        assert model.objective_ == pytest.approx(721.2172, abs=1e-3)
        assert sorted(np.bincount(model.labels_)) == [51, 62, 65]
        assert 100 * normalized_ari(y, model.labels_) == pytest.approx(94.87, abs=0.005)
        assert 100 * nmi(y, model.labels_) == pytest.approx(87.59, abs=0.005)


@pytest.mark.parametrize("fuzzifier", [1.5, 2.0])
def test_is_fdc_without_threshold_and_judgements(fuzzifier):
    X, _ = make_blobs(120, 3, centers=3, random_state=0)
    same = {"n_clusters": 3, "fuzzifier": fuzzifier, "random_state": 0}
    alone = FuzzyCMeans(**same).fit(X, pairs=[(0, 1, 1.0)])
    full = FDC(**same, alpha=0.0, beta=0.0).fit(X)
    np.testing.assert_array_equal(alone.memberships_, full.memberships_)


def test_a_small_fuzzifier_is_k_means():
    X, _ = make_blobs(90, 2, centers=3, cluster_std=0.5, random_state=3)
    model = FuzzyCMeans(3, fuzzifier=1.05, random_state=0).fit(X)
    means = KMeans(3, n_init=5, random_state=0).fit(X)
    assert normalized_ari(means.labels_, model.labels_) == 1.0


def test_pairs_are_checked_though_they_do_not_act():
    with pytest.raises(ValueError, match="pairs"):
        FuzzyCMeans(2).fit(LINE, pairs=[(0, 9, 1.0)])


def test_more_clusters_than_samples_vanish():
    with pytest.warns(ClustersVanishedWarning, match="too few samples"):
        model = FuzzyCMeans(6, random_state=0).fit(LINE)
    assert model.n_clusters_ == 4


def test_labels_of_a_collapse_follow_the_longest_direction():
    """On many equal directions prototypes fall together; one is a little longer."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 8))
    X[:, 0] *= 1.5
    with pytest.warns(PrototypesCoincideWarning, match="split their samples"):
        model = FuzzyCMeans(2, random_state=0, tol=1e-8, max_iter=2000).fit(X)
    assert np.ptp(model.memberships_) < 1e-3
    side = (X[:, 0] > X[:, 0].mean()).astype(int)
    assert normalized_ari(side, model.labels_) > 0.8


def test_a_large_fuzzifier_makes_all_memberships_alike():
    X, _ = load_iris(return_X_y=True)
    model = FuzzyCMeans(3, fuzzifier=100.0, random_state=0).fit(X)
    np.testing.assert_allclose(model.memberships_.sum(axis=1), 1.0, atol=1e-12)
    assert model.converged_
    # But those of samples on which a prototype sits.
    assert 0.0 < np.median(np.ptp(model.memberships_, axis=1)) < 0.1


@pytest.mark.parametrize("fuzzifier", [1.0, 0.5, 101.0])
def test_fuzzifiers_that_cannot_be(fuzzifier):
    with pytest.raises(ValueError, match="fuzzifier must be"):
        FuzzyCMeans(2, fuzzifier=fuzzifier).fit(LINE)
