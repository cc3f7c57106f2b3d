"""Views: coordinates by hand, invariances, and k-means as a map."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from fuzzypairs.cluster.views import (
    CERTAINTY,
    EUCLIDEAN,
    MOST_AXES,
    MOST_WHITENED,
    clusters_in,
    kernel,
    make_views,
    softmax,
    to_dense,
)


@pytest.fixture(scope="module", name="X")
def blobs():
    rng = np.random.default_rng(0)
    return rng.normal(size=(120, 3)) + 5.0 * np.eye(3)[np.arange(120) % 3]


def clusters(view, X, k, weight=None, seed=0):
    weight = np.ones(len(X)) if weight is None else weight
    return clusters_in(view, X, weight, k, 5, np.random.RandomState(seed))[0]


def test_euclidean_distances_are_those_of_the_samples(X):
    view = make_views(X, np.ones(120))[0]
    Z = view.coordinates(X)
    assert view.name == EUCLIDEAN
    assert Z.var(axis=0).sum() == pytest.approx(1.0)
    ratio = np.linalg.norm(Z[1:] - Z[0], axis=1) / np.linalg.norm(X[1:] - X[0], axis=1)
    np.testing.assert_allclose(ratio, ratio[0])


def test_whitened_variances_by_hand(X):
    """l / (l + p v) along each principal direction, up to the scale."""
    lengths = np.linalg.eigvalsh(np.cov(X.T, bias=True))[::-1]
    for view, p in zip(make_views(X, np.ones(120))[1:], (1.0, 0.1, 0.01), strict=True):
        expected = lengths / (lengths + p * lengths.mean())
        found = view.coordinates(X).var(axis=0)
        np.testing.assert_allclose(found, expected / expected.sum())


def test_features_end_with_a_constant_and_are_centred(X):
    for view in make_views(X, np.ones(120)):
        F = view.features(X)
        np.testing.assert_array_equal(F[:, -1], 1.0)
        np.testing.assert_allclose(F[:, :-1].mean(axis=0), 0.0, atol=1e-9)


def test_sparse_rows_have_the_same_coordinates(X):
    view = make_views(X, np.ones(120))[1]
    rows = sparse.csr_array(X)
    np.testing.assert_allclose(view.coordinates(rows), view.coordinates(X), atol=1e-12)
    np.testing.assert_array_equal(to_dense(rows), X)


def test_a_weight_counts_as_so_many_rows(X):
    weight = np.ones(120)
    weight[:10] = 3.0
    one = make_views(X, weight)[1]
    two = make_views(np.concatenate([X, X[:10], X[:10]]), np.ones(140))[1]
    gaps = [np.abs(np.diff(view.coordinates(X[:9]), axis=0)) for view in (one, two)]
    np.testing.assert_allclose(*gaps, rtol=1e-6)


def test_slopes_are_derivatives(X):
    view = make_views(X, np.ones(120))[2]
    W = np.random.default_rng(0).normal(size=(view.features(X).shape[1], 2))
    at, step = X[:5], 1e-6
    slopes = view.slopes(view.coordinates(at), W)
    for feature in range(3):
        ends = [at + s * step * np.eye(3)[feature] for s in (0.5, -0.5)]
        difference = np.subtract(*(view.features(end) @ W for end in ends)) / step
        np.testing.assert_allclose(slopes[:, :, feature].T, difference, atol=1e-6)


def test_wide_data_have_few_directions():
    X = np.random.default_rng(0).normal(size=(260, 300))
    views = make_views(X, np.ones(260))
    sizes = [view.axes.shape[1] for view in views]
    assert sizes == [MOST_AXES, *[MOST_WHITENED] * 3]
    few = make_views(X[:20], np.ones(20))[0]
    assert few.axes.shape[1] == 19
    gram = few.coordinates(X[:20]) @ few.coordinates(X[:20]).T
    centred = X[:20] - X[:20].mean(axis=0)
    np.testing.assert_allclose(
        gram / gram[0, 0], centred @ centred.T / (centred[0] @ centred[0]), atol=1e-8
    )


def test_one_direction_has_one_view():
    x = np.arange(10.0)[:, None]
    assert len(make_views(np.hstack([x, 2 * x]), np.ones(10))) == 1
    constant = make_views(np.ones((5, 2)), np.ones(5))
    assert constant[0].coordinates(np.ones((5, 2))).shape == (5, 0)


def test_clusters_are_those_of_k_means(X):
    view = make_views(X, np.ones(120))[0]
    V = softmax(view.features(X) @ clusters(view, X, 3))
    expected = KMeans(3, n_init=5, random_state=0).fit_predict(X)
    assert adjusted_rand_score(expected, V.argmax(axis=1)) == 1.0
    assert V.max(axis=1).mean() == pytest.approx(CERTAINTY, abs=1e-4)


def test_clusters_that_are_apart_are_certain():
    rng = np.random.default_rng(0)
    centers = np.repeat(np.eye(2), 50, axis=0)
    for gap, least in ((20.0, 0.99), (1.0, 0.0)):
        X = gap * centers + rng.normal(size=(100, 2))
        view = make_views(X, np.ones(100))[0]
        state = np.random.RandomState(0)
        W, power = clusters_in(view, X, np.ones(100), 2, 5, state)
        V = softmax(power * (view.features(X) @ W))
        assert V.max(axis=1).mean() >= max(least, CERTAINTY - 1e-3)
        assert (power > 1.0) == (gap > 2.0)


def test_one_cluster_and_no_directions(X):
    view = make_views(X, np.ones(120))[0]
    assert not clusters(view, X, 1).any()
    constant = make_views(np.ones((5, 2)), np.ones(5))[0]
    V = softmax(
        constant.features(np.ones((5, 2))) @ clusters(constant, np.ones((5, 2)), 2)
    )
    np.testing.assert_allclose(V, 0.5)


def test_kernel_by_hand():
    found = kernel(np.array([[0.0, 0.0], [3.0, 4.0]]), np.zeros((1, 2)))
    np.testing.assert_allclose(found, [[1.0], [np.exp(-12.5)]])
