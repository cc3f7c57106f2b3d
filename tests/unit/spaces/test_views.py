"""Views: whitening against plain algebra, rbf features, slopes."""

import numpy as np
import pytest

from fuzzypairs import PairSet
from fuzzypairs.spaces.views import (
    GAMMA,
    alike_directions,
    kernel,
    make_view,
    random_directions,
)


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 4)) * [3.0, 1.0, 1.0, 0.5]
    triples = [(i, i + 1, rng.uniform(-1, 1)) for i in range(0, 20, 2)]
    return X, PairSet.from_triples(triples, 30)


def view_of(X, pairs, p, n_landmarks=8):
    return make_view(X, X[:n_landmarks], alike_directions(X, pairs), p)


@pytest.mark.parametrize("p", [0.3, 2.0, 50.0])
def test_whitening_against_the_inverse_matrix(problem, p):
    """|z - z'|^2 is proportional to (x - x')' S^-1 (x - x')."""
    X, pairs = problem
    S = p * 2 * X.var(axis=0).mean() * np.eye(4)
    for i, j, s in pairs:
        if s > 0:
            S += s * np.outer(X[i] - X[j], X[i] - X[j])
    gap = X - X.mean(axis=0)
    expected = np.einsum("if,fg,ig->i", gap, np.linalg.inv(S), gap)
    found = (view_of(X, pairs, p).coordinates(X) ** 2).sum(axis=1)
    np.testing.assert_allclose(found / found.mean(), expected / expected.mean())


@pytest.mark.parametrize("p", [0.01, 1.0])
@pytest.mark.parametrize("n_rows", [30, 3])
def test_whitening_by_the_covariance(problem, p, n_rows):
    """S = p v I + 2 cov, also with fewer samples than features."""
    X = problem[0][:n_rows]
    gap = X - X.mean(axis=0)
    S = p * 2 * X.var(axis=0).mean() * np.eye(4) + 2 * gap.T @ gap / n_rows
    expected = np.einsum("if,fg,ig->i", gap, np.linalg.inv(S), gap)
    view = make_view(X, X[:2], random_directions(X), p)
    found = (view.coordinates(X) ** 2).sum(axis=1)
    np.testing.assert_allclose(found / found.mean(), expected / expected.mean())


def test_the_euclidean_view_has_total_variance_one(problem):
    X, pairs = problem
    Z = view_of(X, pairs, np.inf).coordinates(X)
    assert Z.var(axis=0).sum() == pytest.approx(1.0)
    np.testing.assert_allclose(
        Z / Z.std(),
        (X - X.mean(axis=0)) / Z.std() * 1.0 / (np.sqrt(X.var(axis=0).sum())),
    )


def test_no_alike_pair_is_euclidean(problem):
    X, pairs = problem
    unlike = PairSet(pairs.i, pairs.j, -np.abs(pairs.grade), 30)
    np.testing.assert_allclose(
        view_of(X, unlike, 1.0).coordinates(X),
        view_of(X, unlike, np.inf).coordinates(X),
    )


def test_products_of_features_are_kernels_of_landmarks(problem):
    X, pairs = problem
    view = view_of(X, pairs, 2.0)
    features = view.features(X[:8])
    Z, rbf = features[:, :4], features[:, 4:]
    np.testing.assert_allclose(rbf @ rbf.T, kernel(Z, Z), atol=1e-6)
    assert kernel(Z[:1], Z[1:2])[0, 0] == pytest.approx(
        np.exp(-GAMMA * ((Z[0] - Z[1]) ** 2).sum())
    )


def test_slopes_against_differences(problem):
    X, pairs = problem
    view = view_of(X, pairs, 2.0)
    rng = np.random.default_rng(1)
    W = rng.normal(size=(view.features(X[:1]).shape[1], 3))
    found = view.slopes(X[:5], W)
    for f in range(4):
        step = 1e-6 * np.eye(4)[f]
        change = (view.features(X[:5] + step) - view.features(X[:5] - step)) @ W
        np.testing.assert_allclose(found[:, :, f].T, change / 2e-6, atol=1e-5)


def test_scale_changes_nothing(problem):
    X, pairs = problem
    one, other = view_of(X, pairs, 2.0), view_of(1e3 * X, pairs, 2.0)
    np.testing.assert_allclose(
        one.coordinates(X), other.coordinates(1e3 * X), atol=1e-9
    )


def test_constant_samples(problem):
    _, pairs = problem
    view = view_of(np.ones((30, 2)), pairs, 2.0)
    assert np.isfinite(view.features(np.ones((3, 2)))).all()
