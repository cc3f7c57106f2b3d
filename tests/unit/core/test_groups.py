"""Groups of judged samples: problem (16) against plain loops and a general solver."""

import itertools

import numpy as np
import pytest
from scipy.optimize import minimize

import naive
from core_cases import assert_on_simplex, graph, judged
from fuzzypairs import _core

FUZZIFIERS = [1.1, 1.5, 3.0, 8.0]
THREADS = [1, 2, 3, 8]
# More groups than the lanes of any CPU, and some left over.
MANY = 37


def refine(groups, tol=1e-10, n_starts=20, turns=2, max_rows=8, gain=0.0, n_threads=1):
    return groups.refine(tol, 1.0, turns, n_starts, max_rows, gain, n_threads)


def sweep(groups, times=1):
    return groups.descend(times, 0.0, 1.0)


# Values and gradients


@pytest.mark.parametrize("size", [2, 3, 4, 7])
@pytest.mark.parametrize("k", [1, 2, 5, 9])
def test_the_value_is_the_objective(size, k):
    case = judged([size] * MANY, k, more=2)
    expected = naive.group_objective(case.dist2, case.U, case.pairs, case.beta)
    assert case.core().evaluate(1.0)[0] == pytest.approx(expected, rel=1e-12)
    assert case.value(case.U) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("own", [0.0, 0.3])
@pytest.mark.parametrize("fuzzifier", [2.0, *FUZZIFIERS])
def test_the_value_for_other_costs(own, fuzzifier):
    case = judged([2] * MANY + [3, 5], 4, own=own, fuzzifier=fuzzifier)
    case.U[0] = [0.0, 1.0, 0.0, 0.0]
    found = case.core().evaluate(1.0)[0]
    assert found == pytest.approx(case.value(case.U), rel=1e-12)


@pytest.mark.parametrize("fuzzifier", [2.0, *FUZZIFIERS])
def test_the_residual_is_that_of_the_differentiated_objective(fuzzifier):
    case = judged([3, 2, 6], 3, beta=2.0, fuzzifier=fuzzifier)
    U, slope = case.U, np.empty_like(case.U)
    for i, j in np.ndindex(U.shape):
        u, values = U[i, j], []
        for U[i, j] in (u + 1e-6 * u, u - 1e-6 * u):
            values.append(case.value(U))
        U[i, j] = u
        slope[i, j] = (values[0] - values[1]) / (4e-6 * u)
    excess = slope - (U * slope).sum(axis=1, keepdims=True)
    expected = np.maximum(-excess, np.minimum(excess, 3.0 * U)).max() / 3.0
    assert case.core().evaluate(3.0)[1] == pytest.approx(expected, rel=1e-5)


def test_distances_and_memberships_come_back():
    case = judged([2] * MANY + [3, 7], 5)
    groups = case.core()
    np.testing.assert_array_equal(groups.distances, case.dist2)
    np.testing.assert_allclose(groups.memberships, case.U, rtol=1e-14)
    # Any number of clusters may follow.
    U = np.full((len(case.U), 3), 1 / 3)
    groups.memberships = U
    np.testing.assert_allclose(groups.memberships, U, rtol=1e-14)


# Sweeps


@pytest.mark.parametrize("size", [2, 3, 4, 7])
@pytest.mark.parametrize("k", [2, 5, 9])
def test_a_sweep_is_that_of_plain_loops(size, k):
    case = judged([size] * MANY, k)
    groups = case.core()
    change = sweep(groups)[1]
    expected = case.U.copy()
    for i in range(len(expected)):
        row = naive.row_problem(i, case.dist2, expected, case.pairs, case.beta)
        expected[i] = naive.simplex_qp(*row)
    np.testing.assert_allclose(groups.memberships, expected, atol=1e-11)
    assert change > 0.0


@pytest.mark.parametrize(
    ("dist2", "linear", "expected"),
    [
        ([0.0, 0.0, 1.0], [0.3, 0.1, 0.0], [0.0, 0.9, 0.1]),
        ([0.0, 0.0, 1.0], [0.1, 0.3, 0.0], [0.9, 0.0, 0.1]),
        ([0.0, 0.0, 1.0], [0.2, 0.2, 0.5], [0.5, 0.5, 0.0]),
        ([5e-30, 5e-30, 1.0], [0.3, 0.1, 0.0], [0.0, 0.9, 0.1]),
        ([5e-30, 5e-30, 1.0], [0.1, 0.3, 0.0], [0.9, 0.0, 0.1]),
        ([1.0, 2.0, 4.0], [0.0, 0.0, 0.0], [4 / 7, 2 / 7, 1 / 7]),
        ([0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]),
    ],
)
@pytest.mark.parametrize("copies", [1, MANY])
def test_a_row_on_several_prototypes(dist2, linear, expected, copies):
    """The linear term f of a row comes from unlike neighbours at u = f / sum f."""
    total = sum(linear)
    other = np.array(linear) / total if total else np.full(3, 1 / 3)
    pairs = [(2 * c, 2 * c + 1, -1.0 if total else -1e-300) for c in range(copies)]
    arrays = graph([2] * copies, pairs, 2.0 * (total or 1.0))
    groups = _core.Groups(*arrays)
    groups.memberships = np.tile([np.full(3, 1 / 3), other], (copies, 1))
    groups.set_distances(np.tile([dist2, np.ones(3)], (copies, 1)))
    sweep(groups)
    for row in groups.memberships[::2]:
        np.testing.assert_allclose(row, expected, atol=1e-12)


@pytest.mark.parametrize("beta", [0.5, 20.0])
@pytest.mark.parametrize("fuzzifier", [2.0, *FUZZIFIERS])
def test_no_sweep_raises_the_objective(fuzzifier, beta):
    case = judged([2] * 9 + [3, 6, 15], 4, beta=beta, fuzzifier=fuzzifier)
    groups = case.core()
    values = [case.value(case.U)]
    for _ in range(15):
        values.append(sweep(groups)[0])
        assert_on_simplex(groups.memberships)
        assert values[-1] == pytest.approx(case.value(groups.memberships), rel=1e-11)
    assert values[-1] < values[0]
    assert np.diff(values).max() <= 1e-12 * np.abs(values).max()


# Batches


@pytest.mark.parametrize("size", [2, 3, 4, 7])
@pytest.mark.parametrize("k", [2, 5, 9])
@pytest.mark.parametrize("own", [0.0, 1.0])
def test_groups_side_by_side_are_those_one_by_one(size, k, own):
    case = judged([size] * MANY, k, own=own)
    together = case.core()
    value, change = sweep(together, 3)
    apart = [case.one(g).core() for g in range(MANY)]
    ends = [sweep(groups, 3) for groups in apart]
    assert value == pytest.approx(sum(v for v, _ in ends), rel=1e-10)
    assert change == pytest.approx(max(c for _, c in ends), rel=1e-6, abs=1e-9)
    U = np.vstack([groups.memberships for groups in apart])
    np.testing.assert_allclose(together.memberships, U, atol=1e-9)


@pytest.mark.parametrize("size", [2, 3, 4, 7])
@pytest.mark.parametrize("k", [2, 5, 9])
def test_refined_groups_are_stationary_and_as_low_as_single_ones(size, k):
    case = judged([size] * MANY, k, beta=20.0)
    together = case.core()
    value, change, n_improved = refine(together, 1e-9, n_starts=4)
    assert change > 0.0
    assert n_improved > 0
    U = together.memberships
    assert_on_simplex(U)
    assert value == pytest.approx(case.value(U), rel=1e-10)
    assert together.evaluate(1.0)[1] <= 1e-9
    assert naive.residual(case.dist2, U, case.pairs, case.beta) < 1e-6
    # Starts beyond the led ones are drawn by the number of a group.
    if size * 2 >= 4:
        ends = [refine(case.one(g).core(), 1e-9, n_starts=4)[0] for g in range(MANY)]
        assert value == pytest.approx(sum(ends), rel=1e-7)


@pytest.mark.parametrize("fuzzifier", [2.0, 3.0])
def test_sizes_may_be_mixed(fuzzifier):
    sizes = [2] * 20 + [3] * 9 + [4] * 8 + [5, 2, 2, 3, 1, 7, 4]
    case = judged(sizes, 4, fuzzifier=fuzzifier)
    groups = case.core()
    refine(groups, n_starts=0)
    apart = [case.one(g).core() for g in range(len(sizes))]
    for one in apart:
        refine(one, n_starts=0)
    U = np.vstack([one.memberships for one in apart])
    np.testing.assert_allclose(groups.memberships, U, atol=1e-6)
    assert groups.evaluate(1.0)[1] <= 1e-9


@pytest.mark.parametrize("fuzzifier", [2.0, 1.5])
def test_threads_change_no_bit(fuzzifier):
    sizes = [2] * 1500 + [3] * 500 + [4] * 300 + [6] * 60 + [90]
    rng = np.random.default_rng(0)
    X, C = rng.normal(size=(sum(sizes), 3)), rng.normal(size=(4, 3))
    case = judged(sizes, 4, beta=2.0, fuzzifier=fuzzifier)
    found = []
    for n_threads in THREADS:
        groups = case.core()
        groups.pack(X, np.arange(len(X)), None, np.zeros(3))
        passed = groups.pass_over(C, 3, 1e-6, 1.0, n_threads)
        refined = groups.refine(1e-8, 1.0, 2, 4, 8, 1e-9, n_threads)
        last = groups.evaluate(1.0, n_threads)
        found.append([*passed, *refined, *last, groups.memberships, groups.distances])
    for other in found[1:]:
        for ours, theirs in zip(other, found[0], strict=True):
            np.testing.assert_array_equal(ours, theirs)


# Optima


@pytest.mark.parametrize("fuzzifier", [2.0, *FUZZIFIERS])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("copies", [1, 9])
def test_two_samples_and_two_clusters_are_global(fuzzifier, seed, copies):
    one = judged([2], 2, beta=4.0, fuzzifier=fuzzifier, seed=seed)
    case = judged([2] * copies, 2, beta=4.0, fuzzifier=fuzzifier)
    case.dist2, case.U = np.tile(one.dist2, (copies, 1)), np.tile(one.U, (copies, 1))
    case.pairs = [(2 * c, 2 * c + 1, one.pairs[0][2]) for c in range(copies)]
    value = refine(case.core())[0] / copies
    grid = np.linspace(0.0, 1.0, 41)
    for a, b in itertools.product(grid, grid):
        assert value <= one.value(np.array([[a, 1 - a], [b, 1 - b]])) + 1e-12


@pytest.mark.parametrize("seed", range(8))
def test_two_unlike_samples_end_at_the_best_of_all_vertices(seed):
    case = judged([2], 2, beta=30.0, seed=seed, high=0.0)
    starts = naive.vertices(2, 2)
    best = naive.best_of_starts(case.dist2, case.pairs, case.beta, starts)
    expected = naive.group_objective(case.dist2, best, case.pairs, case.beta)
    assert refine(case.core())[0] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("shape", [(2, 3), (3, 2), (4, 3)])
@pytest.mark.parametrize("seed", range(3))
def test_convex_groups_end_where_quadprog_ends(shape, seed):
    size, k = shape
    case = judged([size], k, beta=3.0, low=0.1, seed=seed)
    groups = case.core()
    refine(groups)
    expected = naive.solve_group(case.dist2, case.pairs, case.beta, case.U)
    np.testing.assert_allclose(groups.memberships, expected, atol=1e-7)


def slsqp(case, U0):
    """Return the lowest value that a general solver finds from a start."""
    shape = U0.shape
    rows = np.kron(np.eye(shape[0]), np.ones(shape[1]))
    found = minimize(
        lambda u: case.value(np.maximum(u, 0.0).reshape(shape)),
        U0.ravel(),
        method="SLSQP",
        bounds=[(0.0, 1.0)] * U0.size,
        constraints={"type": "eq", "fun": lambda u: rows @ u - 1.0},
        options={"ftol": 1e-12, "maxiter": 300},
    )
    U = np.maximum(found.x, 0.0).reshape(shape)
    return case.value(U / U.sum(axis=1, keepdims=True))


@pytest.mark.parametrize("fuzzifier", [2.0, *FUZZIFIERS])
@pytest.mark.parametrize("shape", [(2, 2), (2, 3), (3, 2), (3, 3)])
def test_no_general_solver_finds_less(fuzzifier, shape):
    size, k = shape
    rng = np.random.default_rng([size, k])
    case = judged([size], k, beta=1.0, fuzzifier=fuzzifier, seed=5)
    value = refine(case.core(), n_starts=60)[0]
    for _ in range(6):
        U0 = rng.dirichlet(np.ones(k), size)
        assert value <= slsqp(case, U0) + 1e-6 * abs(value)


@pytest.mark.parametrize("copies", [1, MANY])
@pytest.mark.parametrize("own", [0.0, 0.05, 1.0])
def test_a_share_of_the_diagonal(own, copies):
    case = judged([2] * copies, 3, beta=20.0, own=own, high=0.5)
    groups = case.core()
    value = refine(groups, 1e-9, n_starts=4)[0]
    U = groups.memberships
    assert value == pytest.approx(case.value(U), rel=1e-9)
    rng = np.random.default_rng(0)
    lowest = [case.one(g).value(U[2 * g : 2 * g + 2]) for g in range(copies)]
    for _ in range(100):
        tried = rng.dirichlet(np.full(3, 0.3), 2)
        for g in range(copies):
            assert case.one(g).value(tried) >= lowest[g] - 1e-9


@pytest.mark.parametrize("beta", [0.5, 20.0])
@pytest.mark.parametrize("fuzzifier", FUZZIFIERS)
def test_refined_groups_of_other_fuzzifiers_are_stationary(fuzzifier, beta):
    case = judged([2] * 9 + [3, 6, 15], 4, beta=beta, fuzzifier=fuzzifier)
    groups = case.core()
    before = groups.evaluate(1.0)[0]
    value, change, _ = refine(groups, 1e-9, gain=1e-9)
    assert change > 0.0
    assert value < before
    assert groups.evaluate(1.0)[1] <= 1e-9
    assert_on_simplex(groups.memberships)
    # There is nothing left to do.
    again, change, n_improved = refine(groups, 1e-9, gain=1e-9)
    assert n_improved == 0
    assert change <= 1e-6
    assert again == pytest.approx(value, rel=1e-12)


def test_a_fuzzifier_close_to_two_is_nearly_two():
    case = judged([2] * 9 + [3, 5], 4, beta=1.0, low=0.1)
    groups = case.core()
    refine(groups)
    case.fuzzifier = 2.0 + 1e-9
    other = case.core()
    refine(other)
    np.testing.assert_allclose(other.memberships, groups.memberships, atol=1e-6)


# Strong judgements


@pytest.mark.parametrize("copies", [1, MANY])
@pytest.mark.parametrize("size", [2, 4, 7])
def test_strong_alike_judgements_make_one_sample(copies, size):
    case = judged([size] * copies, 3, beta=1e6, low=0.5)
    groups = case.core()
    refine(groups, 1e-9)
    for g in range(copies):
        rows = slice(g * size, (g + 1) * size)
        U = groups.memberships[rows]
        assert np.ptp(U, axis=0).max() < 1e-5
        expected = naive.free_memberships(case.dist2[rows].sum(axis=0))
        np.testing.assert_allclose(U[0], expected, atol=1e-4)


@pytest.mark.parametrize("own", [0.0, 1.0])
@pytest.mark.parametrize("sizes", [[2] * MANY, [3] * MANY, [2, 5, 7]])
def test_strong_judgements_of_both_kinds(sizes, own):
    case = judged(sizes, 4, beta=1e6, own=own)
    groups = case.core()
    before = groups.evaluate(1e6)[0]
    value = refine(groups, 1e-9)[0]
    assert value <= before
    assert_on_simplex(groups.memberships)
    assert groups.evaluate(1e6)[1] <= 1e-9
    assert value == pytest.approx(case.value(groups.memberships), rel=1e-6, abs=1e-3)


def test_unlike_samples_part():
    case = judged([2] * MANY, 2, beta=1e6, low=-1.0, high=-0.5)
    groups = case.core()
    refine(groups)
    U = groups.memberships.reshape(MANY, 2, 2)
    np.testing.assert_allclose((U[:, 0] * U[:, 1]).sum(axis=1), 0.0, atol=1e-12)
    dist2 = case.dist2.reshape(MANY, 2, 2)
    best = np.minimum(dist2[:, 0, 0] + dist2[:, 1, 1], dist2[:, 0, 1] + dist2[:, 1, 0])
    found = (U**2 * dist2).sum(axis=(1, 2))
    np.testing.assert_allclose(found, best, rtol=1e-9)


# Other starts


def unlike_pair(fuzzifier):
    """Two samples that should part the other way than they start."""
    case = judged([2], 2, beta=10.0, fuzzifier=fuzzifier)
    case.pairs = [(0, 1, -1.0)]
    case.dist2 = np.array([[1.0, 3.0], [3.0, 1.0]])
    case.U = np.array([[0.0, 1.0], [1.0, 0.0]])
    return case.core()


@pytest.mark.parametrize("fuzzifier", [2.0, 3.0])
def test_vertices_part_a_pair_the_better_way(fuzzifier):
    groups = unlike_pair(fuzzifier)
    value, change, n_improved = refine(groups)
    assert change == 0.0
    assert n_improved == 1
    assert value == pytest.approx(2.0)
    np.testing.assert_allclose(groups.memberships, np.eye(2), atol=1e-12)


@pytest.mark.parametrize("fuzzifier", [2.0, 3.0])
@pytest.mark.parametrize("limit", [{"max_rows": 1}, {"n_starts": 0}, {"gain": 5.0}])
def test_limits_keep_other_starts_away(limit, fuzzifier):
    value, _, n_improved = refine(unlike_pair(fuzzifier), **limit)
    assert n_improved == 0
    assert value == pytest.approx(6.0)


# Packed samples


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("sizes", [[2] * MANY, [3] * 20, [2, 5, 7], [200]])
def test_a_pass_measures_descends_and_adds_up(sizes, dtype):
    rng = np.random.default_rng(0)
    case = judged(sizes, 5, beta=3.0)
    n_rows = len(case.U)
    X = rng.normal(size=(n_rows + 10, 3)).astype(dtype)
    rows, weight = (
        rng.permutation(n_rows + 10)[:n_rows],
        rng.uniform(0.5, 2, n_rows + 10),
    )
    mean, C = X.mean(axis=0, dtype=float), rng.normal(size=(5, 3))
    groups = case.core()
    groups.pack(X, rows, weight, mean, 2.0)
    inside = (X[rows].astype(float) - mean) / 2.0
    sums, masses, value, change = groups.pass_over(C, 2, 0.0, 1.0)
    case.dist2 = weight[rows, None] * naive.distances(inside, C)
    np.testing.assert_allclose(groups.distances, case.dist2, rtol=1e-10)
    other = case.core()
    swept = sweep(other, 2)
    U = other.memberships
    np.testing.assert_allclose(groups.memberships, U, atol=1e-9)
    assert (value, change) == pytest.approx(swept, rel=1e-7)
    W = weight[rows, None] * U**2
    np.testing.assert_allclose(masses, W.sum(axis=0), rtol=1e-9)
    np.testing.assert_allclose(sums, W.T @ inside, rtol=1e-8, atol=1e-10)
    groups.pass_over(C[::-1].copy(), 0, 0.0, 1.0)
    np.testing.assert_allclose(groups.distances, case.dist2[:, ::-1], rtol=1e-10)


def test_samples_of_groups_on_prototypes():
    X = np.repeat(np.eye(3), 8, axis=0)
    case = judged([2] * 12, 3, beta=1.0, low=-1.0)
    groups = case.core()
    groups.pack(X, np.arange(24), None, np.zeros(3))
    groups.pass_over(np.eye(3), 5, 0.0, 1.0)
    refine(groups)
    U = groups.memberships
    assert_on_simplex(U)
    assert naive.residual(naive.distances(X, np.eye(3)), U, case.pairs, 1.0) < 1e-7


def test_no_groups():
    groups = _core.Groups(*graph([], [], 1.0))
    groups.memberships = np.zeros((0, 4))
    assert groups.memberships.shape == (0, 4)
    assert groups.evaluate(1.0) == (0.0, 0.0)
    assert refine(groups) == (0.0, 0.0, 0)
