"""A pass over free samples: eqs. (13), (14) against plain loops."""

import numpy as np
import pytest

import naive
from fuzzypairs import _core

THREADS = [1, 2, 3, 8]


def draw(n_samples, n_features, k, dtype=np.float64, seed=0):
    rng = np.random.default_rng([seed, n_samples, n_features, k])
    X = rng.normal(size=(n_samples, n_features)).astype(dtype)
    return X, rng.normal(size=(k, n_features)), rng.uniform(0.5, 2.0, n_samples)


def pack(X, rows=None, weight=None, mean=None, **options):
    mean = np.zeros(X.shape[1]) if mean is None else mean
    return _core.Samples(X, rows, weight, mean=mean, **options)


def naive_pass(X, C, weight=None):
    """Return sums, masses and the value, with the memberships of eq. (14)."""
    weight = np.ones(len(X)) if weight is None else weight
    dist2 = naive.distances(X, C)
    sums, masses, value = np.zeros(C.shape), np.zeros(len(C)), 0.0
    for i in range(len(X)):
        u = naive.free_memberships(dist2[i])
        for j in range(len(C)):
            masses[j] += weight[i] * u[j] ** 2
            sums[j] += weight[i] * u[j] ** 2 * X[i]
            value += weight[i] * u[j] ** 2 * dist2[i, j]
    return sums, masses, value


def agree(found, expected, rtol=1e-11, atol=1e-12):
    for ours, theirs in zip(found, expected, strict=True):
        size = np.abs(theirs).max(initial=0.0)
        np.testing.assert_allclose(ours, theirs, rtol=rtol, atol=atol * size)


def test_by_hand():
    # Distances of 0.5 are 0.25 and 2.25: u = 0.9, 0.1. Those of 2 are 4, 0: u = 0, 1.
    samples = pack(np.array([[0.5], [2.0]]))
    sums, masses, value = samples.pass_over(np.array([[0.0], [2.0]]))
    np.testing.assert_allclose(sums, [[0.405], [2.005]], rtol=1e-14)
    np.testing.assert_allclose(masses, [0.81, 1.01], rtol=1e-14)
    assert value == pytest.approx(0.81 * 0.25 + 0.01 * 2.25, rel=1e-14)


def test_totals_by_hand():
    X, weight = np.array([[1.0, 2.0], [3.0, 6.0]]), np.array([1.0, 3.0])
    samples = pack(X, weight=weight, mean=np.array([1.0, 2.0]), unit=2.0)
    # Inside, the samples are (0, 0) and (1, 2).
    np.testing.assert_array_equal(samples.totals, [3.0, 6.0, 15.0, 4.0])
    assert samples.n_features == 2


@pytest.mark.parametrize("by_products", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("k", [1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 40])
def test_a_pass_is_that_of_plain_loops(dtype, weighted, by_products, k):
    X, C, weight = draw(61, 5, k, dtype)
    samples = pack(X, weight=weight if weighted else None, by_products=by_products)
    expected = naive_pass(X.astype(float), C, weight if weighted else None)
    agree(samples.pass_over(C), expected)


@pytest.mark.parametrize("by_products", [False, True])
@pytest.mark.parametrize("n_samples", [1, 7, 8, 31, 127, 128, 129, 257])
def test_the_last_tile_may_be_ragged(n_samples, by_products):
    X, C, _ = draw(n_samples, 3, 4)
    agree(pack(X, by_products=by_products).pass_over(C), naive_pass(X, C))


@pytest.mark.parametrize("by_products", [False, True])
@pytest.mark.parametrize("n_features", [1, 2, 3, 4, 5, 8, 15, 16, 17, 33])
def test_any_number_of_features(n_features, by_products):
    X, C, _ = draw(40, n_features, 5)
    agree(pack(X, by_products=by_products).pass_over(C), naive_pass(X, C))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_mean_and_unit(dtype):
    X, C, weight = draw(90, 4, 3, dtype)
    rows = np.random.default_rng(1).permutation(90)[:50]
    mean = X.mean(axis=0, dtype=float)
    samples = pack(X, rows, weight, mean, unit=2.5)
    inside = (X[rows].astype(float) - mean) / 2.5
    loose = {"rtol": 1e-5, "atol": 1e-6} if dtype == np.float32 else {}
    agree(samples.pass_over(C), naive_pass(inside, C, weight[rows]), **loose)
    squares = (inside**2).sum(axis=1) @ weight[rows]
    totals = [*(weight[rows] @ inside), squares, weight[rows].sum()]
    np.testing.assert_allclose(samples.totals, totals, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("by_products", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_samples_on_prototypes(dtype, by_products):
    X, C, _ = draw(30, 4, 5)
    X = X.astype(dtype)
    C[1], C[4] = X[3], X[20]
    # Products round, so that a sample is near a prototype at best.
    close = {"rtol": 1e-7, "atol": 1e-7} if by_products else {}
    expected = naive_pass(X.astype(float), C)
    agree(pack(X, by_products=by_products).pass_over(C), expected, **close)


def test_prototypes_in_one_place_share_their_samples():
    X = np.repeat(np.eye(3, 40), 20, axis=0)
    C = np.eye(3, 40)[[0, 0, 1, 2]]
    for by_products in (False, True):
        samples = pack(X, by_products=by_products)
        sums, masses, value = samples.pass_over(C)
        assert value == pytest.approx(0.0, abs=1e-4)
        np.testing.assert_allclose(masses, [5.0, 5.0, 20.0, 20.0], rtol=1e-3)
        np.testing.assert_allclose(sums / masses[:, None], C, atol=1e-6)


@pytest.mark.parametrize("by_products", [False, True])
@pytest.mark.parametrize("k", [1, 3, 9])
def test_a_sample_far_away_leaves_the_others(by_products, k):
    X, C, _ = draw(50, 3, k)
    near = pack(X, by_products=by_products).pass_over(C)
    X[17] = 1e12
    sums, masses, value = pack(X, by_products=by_products).pass_over(C)
    expected = naive_pass(X, C)
    np.testing.assert_allclose(masses, expected[1], rtol=1e-9)
    np.testing.assert_allclose(sums, expected[0], rtol=1e-9)
    assert value == pytest.approx(expected[2], rel=1e-9)
    assert (masses <= near[1] + 1.0).all()


@pytest.mark.parametrize("by_products", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_threads_change_no_bit(dtype, by_products):
    X, C, weight = draw(70_001, 3, 5, dtype)
    found = []
    for n_threads in THREADS:
        options = {"by_products": by_products, "n_threads": n_threads}
        samples = pack(X, weight=weight, **options)
        found.append([*samples.pass_over(C, n_threads), samples.totals])
    for other in found[1:]:
        for ours, theirs in zip(other, found[0], strict=True):
            np.testing.assert_array_equal(ours, theirs)
    dist2 = ((X[:, None].astype(float) - C) ** 2).sum(axis=2)
    U = (1 / dist2) / (1 / dist2).sum(axis=1, keepdims=True)
    masses = weight @ U**2
    np.testing.assert_allclose(found[0][1], masses, rtol=1e-10)


def test_a_prototype_gives_the_sums_of_all_samples():
    X, C, weight = draw(200, 3, 1)
    sums, masses, value = pack(X, weight=weight).pass_over(C)
    np.testing.assert_allclose(sums, weight[None] @ X, rtol=1e-10)
    assert masses == pytest.approx(weight.sum())
    assert value == pytest.approx(weight @ ((X - C) ** 2).sum(axis=1))


def test_no_samples():
    samples = pack(np.zeros((5, 2)), np.zeros(0, dtype=np.int64))
    sums, masses, value = samples.pass_over(np.ones((3, 2)))
    np.testing.assert_array_equal(sums, np.zeros((3, 2)))
    np.testing.assert_array_equal(masses, np.zeros(3))
    assert value == 0.0
    np.testing.assert_array_equal(samples.totals, np.zeros(4))


def test_samples_are_copied():
    X, C, _ = draw(20, 2, 3)
    samples = pack(X)
    before = samples.pass_over(C)
    X[:] = np.nan
    agree(samples.pass_over(C), before, rtol=0, atol=0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_samples", [0, 1, 129, 9000])
def test_rows_pack_again_to_the_same_bits(dtype, n_samples):
    X, C, weight = draw(n_samples + 3, 5, 4, dtype)
    chosen = np.arange(n_samples)
    mean = np.full(5, 0.3)
    first = pack(X, chosen, weight, mean, unit=1.7)
    rows = first.rows
    again = pack(rows, None, weight[chosen].copy())
    assert rows.dtype == dtype
    assert rows.shape == (n_samples, 5)
    assert first.n_samples == n_samples
    np.testing.assert_allclose(rows, (X[chosen] - mean) / 1.7, rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(again.totals, first.totals)
    for ours, theirs in zip(again.pass_over(C), first.pass_over(C), strict=True):
        np.testing.assert_array_equal(ours, theirs)
