"""Functions of rows: memberships, medians, distances, random walks."""

import numpy as np
import pytest

import naive
from core_cases import assert_on_simplex
from fuzzypairs import _core

THREADS = [1, 2, 3, 8]
BLOCK = 128


# Memberships of samples: eq. (14)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("k", [1, 2, 3, 4, 5, 8, 9, 40])
@pytest.mark.parametrize("n_samples", [1, 127, 130])
def test_memberships_are_those_of_plain_loops(n_samples, k, dtype):
    rng = np.random.default_rng([n_samples, k])
    X, C = rng.normal(size=(n_samples, 3)).astype(dtype), rng.normal(size=(k, 3))
    mean = np.array([0.5, 0.0, -1.0])
    U = _core.memberships(X, C, mean=mean, unit=2.0)
    dist2 = naive.distances((X.astype(float) - mean) / 2.0, C)
    expected = [naive.free_memberships(row) for row in dist2]
    np.testing.assert_allclose(U, expected, atol=1e-12)


def test_memberships_on_prototypes_and_far_away():
    C = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 0.0], [5.0, 5.0]])
    X = np.array([[0.0, 0.0], [1.0, 0.0], [1e12, 0.0], [1e150, 1e150], [1e300, 0.0]])
    U = _core.memberships(X, C, mean=np.zeros(2))
    np.testing.assert_allclose(U[0], [0.5, 0.0, 0.5, 0.0], atol=1e-15)
    np.testing.assert_allclose(U[1], [0.0, 1.0, 0.0, 0.0], atol=1e-15)
    np.testing.assert_allclose(U[2:], 0.25, atol=1e-9)
    assert_on_simplex(U)


def test_memberships_with_threads_have_the_same_bits():
    rng = np.random.default_rng(0)
    X, C = rng.normal(size=(20_000, 3)), rng.normal(size=(5, 3))
    found = [_core.memberships(X, C, mean=np.zeros(3), n_threads=n) for n in THREADS]
    for other in found[1:]:
        np.testing.assert_array_equal(other, found[0])


# Medians


def medians(X, W, n_threads=1):
    X, W = np.asarray(X, dtype=float), np.asarray(W, dtype=float)
    order = np.ascontiguousarray(np.argsort(X, axis=0, kind="stable").T)
    values = np.ascontiguousarray(np.take_along_axis(X.T, order, axis=1))
    return _core.weighted_medians(order, values, W, n_threads)


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


def test_medians_by_hand():
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


@pytest.mark.parametrize("n_samples", [1, 2, 25])
def test_whole_numbers_are_exact(n_samples):
    # Whole numbers leave no rounding, so that ties are ties.
    for seed in range(50):
        rng = np.random.default_rng([n_samples, seed])
        X = rng.integers(-3, 4, size=(n_samples, 2)).astype(float)
        W = rng.integers(-4, 7, size=(n_samples, 5)).astype(float)
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


def test_medians_with_threads_have_the_same_bits():
    X, W = discriminant_problem(1000, 5, 7)
    for n_threads in THREADS[1:]:
        np.testing.assert_array_equal(medians(X, W, n_threads), medians(X, W))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_features", [1, 4, 6, 17])
@pytest.mark.parametrize(
    ("distances", "power"),
    [(_core.manhattan_distances, 1), (_core.squared_distances, 2)],
    ids=["manhattan", "squared"],
)
def test_distances(distances, power, n_features, dtype):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5000, n_features)).astype(dtype)
    C = rng.normal(size=(4, n_features))
    C[0] = X[3]
    found = []
    for n_threads in THREADS:
        out = np.full((5000, 4), np.nan)
        distances(X, C, out, n_threads)
        found.append(out)
        np.testing.assert_array_equal(out, found[0])
    assert found[0][3, 0] == 0.0
    expected = (np.abs(X[:, None].astype(float) - C) ** power).sum(axis=2)
    np.testing.assert_allclose(found[0], expected, rtol=1e-12)


# Random walks


def path(n):
    """Neighbours of samples in a row."""
    pairs = [[j for j in (i - 1, i + 1) if 0 <= j < n] for i in range(n)]
    indptr = np.cumsum([0, *map(len, pairs)])
    return indptr, np.concatenate(pairs).astype(np.int64)


def naive_chances(indptr, neighbor, target, strength, n_steps):
    """The chance of each sample to get to the target, by dense steps."""
    n = len(indptr) - 1
    P = np.zeros((n, n))
    for i in range(n):
        for e in range(indptr[i], indptr[i + 1]):
            P[i, neighbor[e]] += strength / (indptr[i + 1] - indptr[i])
    h = np.eye(n)[target]
    for _ in range(n_steps):
        h = P @ h
        h[target] = 1.0
    return h


def test_walks_by_hand():
    # From the end of a row of three the middle is certain; it gets to the other end
    # with half the chance.
    indptr, neighbor = path(3)
    rows, chances, counts = _core.reach(indptr, neighbor, np.array([0]), 1.0, 2, 3)
    assert counts.tolist() == [3]
    assert rows[0, 0] == 0
    assert dict(zip(rows[0].tolist(), chances[0].tolist(), strict=True)) == {
        0: 1.0,
        1: 0.5,
        2: 0.5,
    }


@pytest.mark.parametrize("n_steps", [0, 1, 3, 8])
def test_walks_are_those_of_dense_steps(n_steps):
    rng = np.random.default_rng(0)
    near = np.triu(rng.random((15, 15)) < 0.3, 1)
    near |= near.T
    indptr = np.concatenate([[0], np.cumsum(near.sum(axis=1))])
    neighbor = np.ascontiguousarray(np.nonzero(near)[1])
    targets = np.arange(15)
    found = _core.reach(indptr, neighbor, targets, 0.8, n_steps, 15)
    for t, rows, chances, count in zip(targets, *found, strict=True):
        dense = np.zeros(15)
        dense[rows[:count]] = chances[:count]
        expected = naive_chances(indptr, neighbor, t, 0.8, n_steps)
        np.testing.assert_allclose(dense, expected, atol=1e-13)
        assert len(set(rows[:count].tolist())) == count


def test_walks_keep_the_largest_chances():
    indptr, neighbor = path(30)
    rows, chances, counts = _core.reach(indptr, neighbor, np.array([10, 0]), 0.9, 6, 4)
    assert counts.tolist() == [4, 4]
    assert rows[:, 0].tolist() == [10, 0]
    np.testing.assert_array_equal(chances[:, 0], 1.0)
    assert {9, 11} < set(rows[0].tolist())
    only, _, counts = _core.reach(indptr, neighbor, np.array([10]), 0.9, 6, 1)
    assert only.tolist() == [[10]]
    assert counts.tolist() == [1]


def test_a_sample_without_neighbours_is_reached_from_itself_alone():
    indptr, neighbor = np.array([0, 0, 1, 2]), np.array([2, 1])
    rows, chances, counts = _core.reach(indptr, neighbor, np.array([0]), 0.9, 5, 3)
    assert counts.tolist() == [1]
    assert (rows[0, 0], chances[0, 0]) == (0, 1.0)
