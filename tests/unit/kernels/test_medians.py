"""Weighted medians and manhattan distances, against every breakpoint."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzzypairs.kernels.medians import BLOCK, manhattan_distances, weighted_medians


def medians(X, W, start=0, stop=None):
    X, W = np.asarray(X, dtype=float), np.asarray(W, dtype=float)
    order = np.ascontiguousarray(np.argsort(X, axis=0, kind="stable").T, dtype=np.int32)
    values = np.ascontiguousarray(np.take_along_axis(X.T, order, axis=1))
    out = np.full((W.shape[1], X.shape[1]), np.nan)
    weighted_medians(order, values, W, out, start, X.shape[1] if stop is None else stop)
    return out


def objective(x, w, c):
    """F at each c, by its definition."""
    return np.abs(np.subtract.outer(c, x)) @ w


def naive_medians(X, W):
    """The smallest of the best samples, by trying them all."""
    out = np.empty((W.shape[1], X.shape[1]))
    for f, x in enumerate(np.asarray(X, dtype=float).T):
        places = np.unique(x)
        for j, w in enumerate(np.asarray(W, dtype=float).T):
            out[j, f] = places[np.argmin(objective(x, w, places))]
    return out


def naive_objectives(X, W, C):
    return np.array(
        [
            [objective(x, w, C[j, f]) for f, x in enumerate(X.T)]
            for j, w in enumerate(W.T)
        ]
    )


def discriminant_problem(n_samples, n_features, k, alpha=0.1, seed=0):
    """Data of several lumps, with weights u^2 - alpha of which many are negative."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, n_features))
    X += 4.0 * rng.integers(0, 3, size=X.shape)
    W = rng.dirichlet(np.full(k + 1, 0.5), size=n_samples)[:, :k] ** 2
    return X, W - alpha * W.mean()


def test_by_hand():
    X = [[3.0], [1.0], [2.0], [10.0]]
    W = [[1.0, 1.0], [1.0, 5.0], [1.0, 1.0], [2.0, 1.0]]
    # The weights 1, 1, 1, 2 by value pass the half of their sum, 2.5, at the value 3;
    # the weights 5, 1, 1, 1 do so at once.
    np.testing.assert_array_equal(medians(X, W), [[3.0], [1.0]])


def test_a_negative_weight_pushes_the_prototype_over():
    # F(c) = 2|c| + 2|c - 4| - 3|c - 1| is 8 - 3 = 5 at 0, 2 + 6 = 8 at 1 and 8 - 9 = -1
    # at 4; the positive weights alone would leave it at 0.
    assert medians([[0.0], [4.0], [1.0]], [[2.0], [2.0], [-3.0]]) == 4.0


def test_the_first_of_equal_minima():
    assert medians([[1.0], [2.0], [3.0], [4.0]], np.ones((4, 1))) == 2.0
    # Two minima of the same depth: F is 1 at 0 and at 2, and 2 between them.
    assert medians([[0.0], [1.0], [2.0]], [[1.0], [-1.0], [1.0]]) == 0.0


@given(
    st.integers(1, 8).flatmap(
        lambda k: st.lists(
            st.tuples(
                st.integers(-3, 3), st.lists(st.integers(-4, 6), min_size=k, max_size=k)
            ),
            min_size=1,
            max_size=25,
        )
    )
)
def test_whole_numbers_are_exact(rows):
    # Whole numbers leave no rounding, so that ties are ties.
    X = np.array([[x, -x] for x, _ in rows], dtype=float)
    W = np.array([w for _, w in rows], dtype=float)
    W[0] += np.maximum(0.0, 1.0 - W.sum(axis=0))
    np.testing.assert_array_equal(medians(X, W), naive_medians(X, W))


@pytest.mark.parametrize("n_samples", [BLOCK - 1, BLOCK, BLOCK + 1, 5 * BLOCK + 7])
@pytest.mark.parametrize("k", [1, 3, 4, 7])
@pytest.mark.parametrize("alpha", [0.0, 0.3, 0.9])
def test_no_sample_is_better(n_samples, k, alpha):
    X, W = discriminant_problem(n_samples, 2, k, alpha)
    assert (alpha > 0) == (W < 0).any()
    found = naive_objectives(X, W, medians(X, W))
    best = naive_objectives(X, W, naive_medians(X, W))
    np.testing.assert_allclose(found, best, rtol=0, atol=1e-11 * np.abs(W).sum())


def test_whole_numbers_in_many_blocks_are_exact():
    rng = np.random.default_rng(1)
    X = rng.integers(0, 40, size=(9 * BLOCK, 3)).astype(float)
    W = rng.integers(-3, 5, size=(len(X), 6)).astype(float)
    np.testing.assert_array_equal(medians(X, W), naive_medians(X, W))


def test_two_far_lumps_of_almost_equal_depth():
    # The turns of F lie many blocks apart, and only F itself can tell them apart.
    x = np.concatenate([np.linspace(0, 1, 999), np.linspace(1, 9, 999), [10.0] * 999])
    w = np.concatenate([np.ones(999), -np.full(999, 1.9), np.ones(999)])
    for tip in (-1.0, 1.0):
        w[0], w[-1] = 1.0 - tip, 1.0 + tip
        X, W = x[:, None], w[:, None]
        np.testing.assert_array_equal(medians(X, W), naive_medians(X, W))


def test_one_sample_and_a_constant_feature():
    np.testing.assert_array_equal(medians([[3.0, -2.0]], [[0.5]]), [[3.0, -2.0]])
    W = np.random.default_rng(0).normal(0.1, 1.0, size=(300, 2)) + 0.2
    np.testing.assert_array_equal(medians(np.full((300, 1), 7.0), W), [[7.0], [7.0]])


def test_float32_values_are_weighed_in_float64():
    X, W = discriminant_problem(400, 3, 4)
    X = X.astype(np.float32)
    order = np.ascontiguousarray(np.argsort(X, axis=0).T, dtype=np.int32)
    values = np.ascontiguousarray(np.take_along_axis(X.T, order, axis=1))
    out = np.empty((4, 3))
    weighted_medians(order, values, W, out, 0, 3)
    np.testing.assert_array_equal(out, medians(X, W))


def test_ranges_of_features_change_nothing():
    X, W = discriminant_problem(1000, 5, 7)
    whole = medians(X, W)
    np.testing.assert_array_equal(whole, medians(X, W))
    left, right = medians(X, W, 0, 2), medians(X, W, 2, 5)
    assert np.isnan(left[:, 2:]).all()
    np.testing.assert_array_equal(whole[:, :2], left[:, :2])
    np.testing.assert_array_equal(whole[:, 2:], right[:, 2:])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_distances(dtype):
    rng = np.random.default_rng(0)
    X, C = rng.normal(size=(50, 6)).astype(dtype), rng.normal(size=(4, 6))
    C[0] = X[3]
    out = np.full((50, 4), np.nan)
    manhattan_distances(X, C, out, 2, 50)
    assert np.isnan(out[:2]).all()
    assert out[3, 0] == 0.0
    expected = np.abs(X[:, None].astype(float) - C).sum(axis=2)
    np.testing.assert_allclose(out[2:], expected[2:], rtol=1e-13)
