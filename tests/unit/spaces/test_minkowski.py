"""Minkowski prototypes and distances, against dense grids and scipy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from fuzzypairs.spaces import minkowski
from fuzzypairs.spaces.vectors import Minkowski
from fuzzypairs.threads import Threads

# Lengths around which loops may be cut.
BLOCK = 128
POWERS = [1.1, 1.5, 3.0, 6.0]


def centers(X, W, p, C, n_threads=1):
    """Return the prototypes that a step from C finds."""
    threads = Threads(n_threads)
    space = Minkowski(p).fit(np.asarray(X, dtype=float), threads=threads)
    return space.prototypes(np.asarray(W, dtype=float), C)


def objective(x, w, p, c):
    """F at each c, by its definition."""
    return np.abs(np.subtract.outer(c, x)) ** p @ w


def size(x, w, p, c):
    """What rounding of F is measured by."""
    return objective(x, np.abs(w), p, c)


def slope(x, w, p, c):
    """F' at c, and the sum of the absolute values of its terms."""
    terms = p * w * np.sign(c - x) * np.abs(x - c) ** (p - 1)
    return terms.sum(), np.abs(terms).sum()


def naive_minimum(x, w, p):
    """The minimum between the samples: a dense grid, then scipy around its best."""
    grid = np.linspace(x.min(), x.max(), 2001)
    at = np.argmin(objective(x, w, p, grid))
    ends = grid[max(at - 1, 0)], grid[min(at + 1, 2000)]
    found = minimize_scalar(
        lambda c: objective(x, w, p, c),
        bounds=ends,
        method="bounded",
        options={"xatol": 1e-12 * np.ptp(x)},
    )
    return found.x


def problem(n_samples, n_features, k, alpha, seed=0):
    """Data of several lumps with weights u^2 - alpha, and prototypes to begin from."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, n_features))
    X += 4.0 * rng.integers(0, 3, size=X.shape)
    W = rng.dirichlet(np.full(k + 1, 0.5), size=n_samples)[:, :k] ** 2
    return X, W - alpha * W.mean(), rng.normal(size=(k, n_features))


def test_by_hand():
    # F(c) = |c|^3 + 8 |3 - c|^3: F' = 0 where c^2 = 8 (3 - c)^2.
    expected = 3.0 * np.sqrt(8.0) / (1.0 + np.sqrt(8.0))
    C = centers([[0.0], [3.0]], [[1.0], [8.0]], 3.0, np.zeros((1, 1)))
    assert C[0, 0] == pytest.approx(expected, rel=1e-11)


def test_a_negative_weight_pushes_the_prototype_outside():
    # F(c) = 4 |c|^3 - |1 - c|^3: left of 0, F' = 0 where 4 c^2 = (1 - c)^2: c = -1.
    C = centers([[0.0], [1.0]], [[4.0], [-1.0]], 3.0, np.zeros((1, 1)))
    assert C[0, 0] == pytest.approx(-1.0, rel=1e-10)


@pytest.mark.parametrize("p", [*POWERS, 1.02, 2.5, 20.0])
def test_convex_minimum(p):
    X, W, C = problem(3 * BLOCK + 5, 2, 3, alpha=0.0)
    found = centers(X, W, p, C)
    for j, w in enumerate(W.T):
        for f, x in enumerate(X.T):
            # F' changes sign within 1e-10 of what is found, which scipy, comparing
            # values of F, cannot tell.
            near = 1e-10 * np.ptp(x)
            assert slope(x, w, p, found[j, f] - near)[0] < 0
            assert slope(x, w, p, found[j, f] + near)[0] > 0
            best = naive_minimum(x, w, p)
            assert found[j, f] == pytest.approx(best, abs=1e-6 * np.ptp(x))


def assert_no_worse_and_stationary(X, W, p, C, found):
    assert np.isfinite(found).all()
    for j, w in enumerate(W.T):
        for f, x in enumerate(X.T):
            c = found[j, f]
            rounding = 1e-13 * size(x, w, p, C[j, f])
            assert objective(x, w, p, c) <= objective(x, w, p, C[j, f]) + rounding
            # Stationary: F' vanishes, or changes sign within the width asked for.
            near = 1e-9 * max(np.ptp(x), abs(c))
            left, right = (slope(x, w, p, at)[0] for at in (c - near, c + near))
            here, terms = slope(x, w, p, c)
            assert left <= 0 <= right or abs(here) <= 1e-7 * terms


@pytest.mark.parametrize("p", POWERS)
@pytest.mark.parametrize("alpha", [0.3, 0.9])
def test_negative_weights(p, alpha):
    X, W, C = problem(2 * BLOCK + 9, 3, 4, alpha)
    assert (W < 0).any()
    found = centers(X, W, p, C)
    assert_no_worse_and_stationary(X, W, p, C, found)
    for j, w in enumerate(W.T):
        for f, x in enumerate(X.T):
            best = objective(x, w, p, naive_minimum(x, w, p))
            value = objective(x, w, p, found[j, f])
            assert value <= best + 1e-3 * size(x, w, p, found[j, f])
    np.testing.assert_allclose(centers(X, W, p, found), found, rtol=1e-7)


@given(
    st.lists(
        st.tuples(st.integers(-3, 3), st.integers(-4, 6), st.integers(0, 5)),
        min_size=1,
        max_size=20,
    ),
    st.sampled_from(POWERS),
    st.floats(-5.0, 5.0),
)
def test_ties_and_any_signs(rows, p, c):
    X = np.array([[row[0]] for row in rows], dtype=float)
    W = np.array([row[1:] for row in rows], dtype=float)
    W[0] += np.maximum(0.0, 1.0 - W.sum(axis=0))
    C = np.full((2, 1), c)
    found = centers(X, W, p, C)
    assert_no_worse_and_stationary(X, W, p, C, found)
    # The second weights are not negative: nowhere is F less.
    x, w = X[:, 0], W[:, 1]
    grid = np.linspace(-3.0, 3.0, 601)
    least = objective(x, w, p, grid).min()
    assert objective(x, w, p, found[1, 0]) <= least * (1 + 1e-9) + 1e-9


@pytest.mark.parametrize("alpha", [0.0, 0.5])
def test_two_is_the_weighted_mean(alpha):
    X, W, C = problem(500, 3, 4, alpha)
    expected = (W.T @ X) / W.sum(axis=0)[:, None]
    np.testing.assert_allclose(centers(X, W, 2.0, C), expected, rtol=1e-11)


@pytest.mark.parametrize("p", [*POWERS, 2.0])
def test_one_sample_and_a_constant_feature(p):
    assert centers([[3.0]], [[0.5]], p, np.zeros((1, 1))) == 3.0
    W = np.random.default_rng(0).normal(0.3, 1.0, size=(300, 2))
    found = centers(np.full((300, 1), 7.0), W, p, np.zeros((2, 1)))
    np.testing.assert_array_equal(found, 7.0)


@pytest.mark.parametrize("p", POWERS)
def test_beginning_on_a_sample(p):
    X, W, _ = problem(50, 2, 3, alpha=0.0)
    far = centers(X, W, p, np.full((3, 2), 1e3))
    np.testing.assert_allclose(centers(X, W, p, X[:3]), far, rtol=0, atol=1e-10)


@pytest.mark.parametrize("shift", [0.0, 1e6])
@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_units_do_not_matter(shift, scale):
    X, W, C = problem(200, 2, 3, alpha=0.0)
    moved = centers(scale * (X + shift), W, 1.5, scale * (C + shift))
    expected = scale * (centers(X, W, 1.5, C) + shift)
    np.testing.assert_allclose(moved, expected, rtol=0, atol=1e-9 * scale)


@pytest.mark.parametrize("alpha", [0.0, 0.5])
def test_threads_change_no_bit(alpha):
    X, W, C = problem(400, 5, 3, alpha)
    one = centers(X, W, 1.7, C)
    for n_threads in (2, 3):
        np.testing.assert_array_equal(centers(X, W, 1.7, C, n_threads), one)


@pytest.mark.parametrize("p", [*POWERS, 1.0, 2.0])
@pytest.mark.parametrize("n_samples", [1, BLOCK, BLOCK + 50])
def test_distances(p, n_samples):
    rng = np.random.default_rng(0)
    X, C = rng.normal(size=(n_samples, 6)), rng.normal(size=(4, 6))
    C[0] = X[0]
    found = Minkowski(p).fit(X).distances(C)
    assert found[0, 0] == 0.0
    expected = (np.abs(X[:, None] - C) ** p).sum(axis=2)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("p", [1.02, 1.1, 1.5, 2.0, 3.3, 6.0, 20.0])
def test_distances_of_any_size(p):
    x = 10.0 ** np.random.default_rng(0).uniform(-15.0, 15.0, (BLOCK, 1))
    x[:3, 0] = 0.0, 1.0, np.sqrt(0.5)
    found = Minkowski(p).fit(x).distances(np.zeros((1, 1)))
    np.testing.assert_allclose(found, x**p, rtol=2e-12)
    assert found[0, 0] == 0.0
    assert found[1, 0] == 1.0


@pytest.mark.parametrize("alpha", [0.0, 0.5])
def test_samples_by_parts(monkeypatch, alpha):
    X, W, C = problem(400, 5, 3, alpha)
    whole, distances = centers(X, W, 1.7, C), Minkowski(1.7).fit(X).distances(C)
    monkeypatch.setattr(minkowski, "AT_A_TIME", 1)
    np.testing.assert_allclose(centers(X, W, 1.7, C), whole, rtol=0, atol=1e-10)
    np.testing.assert_array_equal(Minkowski(1.7).fit(X).distances(C), distances)


def test_distances_beyond_the_range_are_infinite():
    space = Minkowski(4.0).fit(np.array([[1e200], [1e-200]]))
    assert space.distances(np.zeros((1, 1))).tolist() == [[np.inf], [0.0]]
