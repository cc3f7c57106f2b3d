"""Kernels for other fuzzifiers, against bisection, SLSQP and the quadratic kernels."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from fuzzypairs.kernels import active_set as faces
from fuzzypairs.kernels import rows, steps, sweeps, vertices
from fuzzypairs.kernels.power_rows import solve_power_row
from fuzzypairs.kernels.powers import (
    power_gradient_residual,
    power_groups,
    power_objective,
    power_rows,
    refine_power_groups,
    sweep_power_rows,
)
from fuzzypairs.pairs import PairSet
from fuzzypairs.solvers.groups import build_graph, make_blocks

FUZZIFIERS = [1.0001, 1.1, 1.5, 2.0, 2.7, 4.0, 10.0]


def solve(dist2, fuzzifier, diagonal, linear):
    """Solve one row and check that it is on the simplex."""
    dist2 = np.array([dist2], dtype=float)
    u = np.full(dist2.shape[1], np.nan)
    linear = np.array(linear, dtype=float)
    solve_power_row(dist2, 0, float(fuzzifier), float(diagonal), linear, u)
    assert np.isfinite(u).all()
    assert u.min() >= 0
    assert abs(u.sum() - 1) < 1e-12
    return u


def free(values, fuzzifier):
    values = np.array(values, dtype=float)
    power_rows(values, float(fuzzifier), 0, len(values))
    return values


def half_derivative(u, dist2, fuzzifier, diagonal, linear):
    # A membership below the smallest float may still have a power close to one.
    power = np.maximum(u, 1e-300) ** (fuzzifier - 1)
    return fuzzifier / 2 * dist2 * power + diagonal * u + linear


def bisect(is_below, low, high):
    """Where `is_below` turns false, elementwise."""
    for _ in range(60):
        middle = (low + high) / 2
        below = is_below(middle)
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return (low + high) / 2


def solve_by_bisection(dist2, fuzzifier, diagonal, linear):
    """Bisect the levels of rows and, for each, the memberships."""

    def at(u):
        return half_derivative(u, dist2, fuzzifier, diagonal, linear)

    def memberships(level):
        return bisect(lambda u: at(u) < level, np.zeros_like(dist2), 1.0)

    def is_below(level):
        return memberships(level).sum(axis=1, keepdims=True) < 1

    lowest = linear.min(axis=1, keepdims=True)
    highest = at(np.ones_like(dist2)).min(axis=1, keepdims=True)
    return memberships(bisect(is_below, lowest, highest))


def random_groups(seed, sizes=(2, 3, 6), k=3, beta=2.0, lowest=-1.0):
    """A graph of chains with some closing pairs, distances and random memberships."""
    rng = np.random.default_rng(seed)
    triples = []
    first = 0
    for size in sizes:
        ends = [(first + i, first + i + 1) for i in range(size - 1)]
        if size > 2:
            ends.append((first, first + size - 1))
        triples += [(p, q, rng.uniform(lowest, 1.0)) for p, q in ends]
        first += size
    _, graph = build_graph(PairSet.from_triples(triples, n_samples=first), beta)
    blocks = make_blocks(first, k)
    blocks.dist2[:] = rng.uniform(0.05, 2.0, (first, k))
    blocks.U[:] = rng.dirichlet(np.ones(k), first)
    sweeps.invert_rows(graph, blocks, 0, first)
    return graph, blocks


def copy(blocks):
    return sweeps.Blocks(*(array.copy() for array in blocks))


def sweep(graph, blocks, fuzzifier):
    n_rows, k = blocks.U.shape
    scratch = np.empty(k), np.empty(k)
    return sweep_power_rows(graph, blocks, 0, n_rows, fuzzifier, 1.0, *scratch)


def refine(graph, blocks, fuzzifier, *, tol=1e-10, n_starts=8, max_rows=8, gain=1e-9):
    n_groups = len(graph.groups) - 1
    limits = (tol, 1.0, n_starts, max_rows, gain)
    return refine_power_groups(graph, blocks, 0, n_groups, *limits, fuzzifier)


def residual(graph, blocks, fuzzifier, scale=1.0):
    n_rows = len(blocks.U)
    return power_gradient_residual(graph, blocks, 0, n_rows, fuzzifier, scale)


# Free rows


def test_free_rows_by_hand():
    # g = 3: u ~ 1 / sqrt(d);  g = 1.5: u ~ 1 / d^2.
    np.testing.assert_allclose(free([[1, 4]], 3.0), [[2 / 3, 1 / 3]])
    np.testing.assert_allclose(free([[1, 2]], 1.5), [[4 / 5, 1 / 5]])


@pytest.mark.parametrize("fuzzifier", FUZZIFIERS)
def test_zero_distances_share_the_row(fuzzifier):
    u = free([[0, 3, 0, 1e-300], [0, 1, 2, 3], [0, 0, 0, 0]], fuzzifier)
    expected = [[0.5, 0, 0.5, 0], [1, 0, 0, 0], [0.25, 0.25, 0.25, 0.25]]
    np.testing.assert_array_equal(u, expected)


def test_free_rows_for_two_are_the_quadratic_ones():
    values = np.random.default_rng(0).uniform(0.01, 5.0, (20, 4))
    expected = values.copy()
    rows.free_rows(expected, 0, 20)
    np.testing.assert_allclose(free(values, 2.0), expected, rtol=1e-13)


def test_free_rows_near_one_are_hard():
    values = np.random.default_rng(0).uniform(1.0, 5.0, (20, 4))
    nearest = np.eye(4)[values.argmin(axis=1)]
    np.testing.assert_allclose(free(values, 1.0001), nearest, atol=1e-9)


def test_free_rows_of_a_range_leave_the_others():
    values = np.arange(1.0, 9.0).reshape(4, 2)
    power_rows(values, 3.0, 1, 3)
    np.testing.assert_array_equal(values[[0, 3]], [[1, 2], [7, 8]])
    np.testing.assert_allclose(values[1:3].sum(axis=1), 1.0)


DISTANCE = st.one_of(st.just(0.0), st.floats(-300, 300).map(lambda e: 10.0**e))


@given(st.lists(DISTANCE, min_size=1, max_size=8), st.sampled_from(FUZZIFIERS))
def test_free_rows_of_extremes(dist2, fuzzifier):
    u = free([dist2], fuzzifier)[0]
    assert np.isfinite(u).all()
    assert u.min() >= 0
    assert abs(u.sum() - 1) < 1e-12
    assert u[np.argmin(dist2)] == u.max()


# One row


def test_one_row_by_hand():
    # Without judgements these are the free memberships.
    np.testing.assert_allclose(solve([1, 4], 3, 0, [0, 0]), [2 / 3, 1 / 3])
    # 3/2 u^2 - 2 at u = 1 is still below the 0 of the other.
    np.testing.assert_array_equal(solve([1, 1], 3, 0, [-2, 0]), [1, 0])
    # 2 d u^3 + u + f: 2 * 8/27 + 2/3 = 2 * 1/27 + 1/3 + 23/27.
    np.testing.assert_allclose(solve([1, 1], 4, 1, [0, 23 / 27]), [2 / 3, 1 / 3])
    assert solve([2.0], 3, 5, [-1]) == [1.0]


@pytest.mark.parametrize("fuzzifier", FUZZIFIERS)
def test_a_row_on_prototypes(fuzzifier):
    # Only the cheapest prototype counts, and equal ones share.
    u = solve([0, 1, 0], fuzzifier, 0, [0, 0, 1])
    np.testing.assert_allclose(u, [1, 0, 0], atol=1e-30)
    u = solve([0, 1, 0], fuzzifier, 0, [0, 0, 0])
    np.testing.assert_allclose(u, [0.5, 0, 0.5], atol=1e-15)
    # The second takes what costs less than the first, which costs nothing.
    u = solve([0, 1], fuzzifier, 0, [0, -0.3])
    expected = min(1.0, (0.6 / fuzzifier) ** (1 / (fuzzifier - 1)))
    assert u[1] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("k", [2, 7, 30])
@pytest.mark.parametrize("fuzzifier", FUZZIFIERS)
def test_rows_agree_with_bisection(fuzzifier, k):
    rng = np.random.default_rng(k)
    diagonal = np.repeat([0.01, 1.0, 100.0], 4)[:, None]
    dist2 = rng.uniform(0.05, 2.0, (12, k))
    linear = -np.maximum(diagonal, 1) * rng.dirichlet(np.full(k, 0.3), 12)
    expected = solve_by_bisection(dist2, fuzzifier, diagonal, linear)
    u = [solve(dist2[i], fuzzifier, diagonal[i, 0], linear[i]) for i in range(12)]
    np.testing.assert_allclose(u, expected, atol=1e-10)


@pytest.mark.parametrize("k", [2, 7, 30])
@pytest.mark.parametrize("fuzzifier", FUZZIFIERS[:-1])
def test_rows_without_alike_pairs_agree_with_bisection(fuzzifier, k):
    rng = np.random.default_rng(k)
    dist2 = rng.uniform(0.05, 2.0, (12, k))
    linear = rng.dirichlet(np.full(k, 0.3), 12)
    expected = solve_by_bisection(dist2, fuzzifier, 0.0, linear)
    u = [solve(dist2[i], fuzzifier, 0.0, linear[i]) for i in range(12)]
    np.testing.assert_allclose(u, expected, atol=1e-10)


def test_no_digits_of_the_level_are_needed():
    # u_2 = 0.01 needs a level within 5e-18 of 0.3, where floats are 6e-17 apart.
    u = solve([0.3 / 5 / 0.99**9, 1.0], 10, 0, [0.0, 0.3])
    np.testing.assert_allclose(u, [0.99, 0.01], atol=1e-12)


@pytest.mark.parametrize("fuzzifier", [1.2, 1.7, 3.0, 5.0])
def test_rows_agree_with_a_general_solver(fuzzifier):
    rng = np.random.default_rng(0)
    for diagonal in [0.0, 0.5, 3.0]:
        dist2, linear = rng.uniform(0.1, 2.0, 4), rng.normal(0, 0.5, 4)

        def objective(u, dist2=dist2, linear=linear, diagonal=diagonal):
            u = np.maximum(u, 0)
            return dist2 @ u**fuzzifier + diagonal * u @ u + 2 * linear @ u

        found = minimize(
            objective,
            np.full(4, 0.25),
            method="SLSQP",
            bounds=[(0, 1)] * 4,
            constraints={"type": "eq", "fun": lambda u: u.sum() - 1},
            options={"ftol": 1e-14, "maxiter": 500},
        )
        u = solve(dist2, fuzzifier, diagonal, linear)
        assert objective(u) <= found.fun + 1e-9
        np.testing.assert_allclose(u, found.x, atol=1e-3)


@pytest.mark.parametrize("k", [2, 5, 30])
@pytest.mark.parametrize("diagonal", [0.0, 1e-3, 1.0, 1e8])
def test_rows_for_two_are_the_quadratic_ones(k, diagonal):
    rng = np.random.default_rng(k)
    dist2 = rng.uniform(0.1, 2.0, (10, k))
    dist2[np.arange(5), rng.integers(k, size=5)] = 0.0
    inverse = 1.0 / (dist2 + diagonal + 1e-60)
    expected = np.empty(k)
    for i in range(10):
        linear = (1 + diagonal) * rng.normal(0, 0.5, k)
        u = solve(dist2[i], 2.0, diagonal, linear)
        sweeps.solve_row(inverse, i, linear, int(dist2[i].argmin()), expected)
        np.testing.assert_allclose(u, expected, atol=1e-10)


def extreme(low, high):
    return st.one_of(
        st.just(0.0), st.floats(0.01, 10), st.floats(low, high).map(lambda e: 10.0**e)
    )


@given(st.data())
def test_rows_of_extremes_are_optimal(data):
    k = data.draw(st.integers(1, 6), label="k")
    fuzzifier = data.draw(
        st.one_of(st.sampled_from(FUZZIFIERS), st.floats(1.0001, 10)), label="g"
    )
    diagonal = data.draw(extreme(-12, 12), label="diagonal")

    def draw(strategy, label):
        return np.array(
            data.draw(st.lists(strategy, min_size=k, max_size=k), label=label)
        )

    dist2 = draw(extreme(-300, 12), "dist2")
    linear = draw(extreme(-12, 12), "size") * draw(st.sampled_from([-1, 1]), "sign")
    u = solve(dist2, fuzzifier, diagonal, linear)
    slope = half_derivative(u, dist2, fuzzifier, diagonal, linear)
    # By convexity u is that close to the optimum.
    gap = u @ (slope - slope.min())
    unit = np.abs(linear).max() + diagonal + slope[u > 0].max()
    assert gap <= 1e-12 * unit + 1e-280


# Groups


@pytest.mark.parametrize("fuzzifier", FUZZIFIERS)
def test_objective_is_the_sum_of_its_terms(fuzzifier):
    graph, blocks = random_groups(0)
    U = blocks.U
    U[0] = [0, 1, 0]
    expected = (blocks.dist2 * U**fuzzifier).sum()
    for i in range(len(U)):
        for e in range(graph.indptr[i], graph.indptr[i + 1]):
            q, pull = graph.neighbor[e], graph.pull[e]
            if q < i:
                apart = ((U[i] - U[q]) ** 2).sum()
                expected += pull * (apart if pull > 0 else -2 * U[i] @ U[q])
    found = power_objective(graph, blocks, 0, len(U), fuzzifier)
    assert found == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("fuzzifier", FUZZIFIERS)
def test_residual_is_that_of_the_differentiated_objective(fuzzifier):
    graph, blocks = random_groups(1)
    U = blocks.U
    n_rows, k = U.shape
    slope = np.empty_like(U)
    for i, j in np.ndindex(n_rows, k):
        u = U[i, j]
        values = []
        for U[i, j] in (u + 1e-6 * u, u - 1e-6 * u):
            values.append(power_objective(graph, blocks, 0, n_rows, fuzzifier))
        U[i, j] = u
        slope[i, j] = (values[0] - values[1]) / (4e-6 * u)
    excess = slope - (U * slope).sum(axis=1, keepdims=True)
    expected = np.maximum(-excess, np.minimum(excess, 3.0 * U)).max() / 3.0
    assert residual(graph, blocks, fuzzifier, 3.0) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("beta", [0.5, 20.0])
@pytest.mark.parametrize("fuzzifier", FUZZIFIERS)
def test_no_sweep_raises_the_objective(fuzzifier, beta):
    graph, blocks = random_groups(2, sizes=(2, 3, 6, 15), k=4, beta=beta)
    n_rows = len(blocks.U)
    values = [power_objective(graph, blocks, 0, n_rows, fuzzifier)]
    for _ in range(15):
        sweep(graph, blocks, fuzzifier)
        values.append(power_objective(graph, blocks, 0, n_rows, fuzzifier))
    assert values[-1] < values[0]
    assert np.diff(values).max() <= 1e-13 * np.abs(values).max()
    assert blocks.U.min() >= 0
    assert np.abs(blocks.U.sum(axis=1) - 1).max() < 1e-12


def test_a_sweep_reports_its_weighted_change():
    graph, blocks = random_groups(3)
    before = blocks.U.copy()
    change = sweep(graph, blocks, 3.0)
    weighted = np.abs(blocks.U - before) * (1 + graph.diagonal[:, None])
    assert change == pytest.approx(weighted.max())


@pytest.mark.parametrize("beta", [0.5, 50.0])
def test_groups_for_two_are_the_quadratic_ones(beta):
    graph, blocks = random_groups(4, sizes=(2, 3, 6, 15), k=4, beta=beta)
    plain = copy(blocks)
    n_rows = len(blocks.U)
    for _ in range(3):
        change = sweep(graph, blocks, 2.0)
        scratch = np.empty(4), np.empty(4)
        expected = sweeps.sweep_rows(graph, plain, 0, n_rows, 1.0, *scratch)
        assert change == pytest.approx(expected, rel=1e-8)
        np.testing.assert_allclose(blocks.U, plain.U, atol=1e-10)
    assert power_objective(graph, plain, 0, n_rows, 2.0) == pytest.approx(
        sweeps.group_objective(graph, plain, 0, n_rows), rel=1e-12
    )
    assert residual(graph, plain, 2.0) == pytest.approx(
        faces.projected_gradient(graph, plain, 0, n_rows, 1.0), rel=1e-9, abs=1e-12
    )
    found = refine(graph, blocks, 2.0, n_starts=0)
    expected = vertices.refine_groups(
        graph, plain, steps.DOUBLE, 0, 4, 1e-10, 1.0, 0, 0, 8, 1e-9
    )
    assert found[1] == expected[1]
    assert found[2] == pytest.approx(expected[2], rel=1e-9)
    np.testing.assert_allclose(blocks.U, plain.U, atol=1e-6)


def test_an_inexact_step_sweeps_each_group_as_often_as_allowed():
    graph, blocks = random_groups(5)
    swept = copy(blocks)
    for _ in range(2):
        change = sweep(graph, swept, 3.0)
    found = power_groups(graph, blocks, 0, 3, 2, 0.0, 3.0, 1.0)
    np.testing.assert_array_equal(blocks.U, swept.U)
    objective = power_objective(graph, swept, 0, len(swept.U), 3.0)
    assert found == pytest.approx((objective, change))
    # Any change is small enough for this tolerance: one sweep, whatever the effort.
    once = copy(swept)
    sweep(graph, once, 3.0)
    power_groups(graph, swept, 0, 3, 100, 1e9, 3.0, 1.0)
    np.testing.assert_array_equal(swept.U, once.U)


@pytest.mark.parametrize("beta", [0.5, 20.0])
@pytest.mark.parametrize("fuzzifier", FUZZIFIERS)
def test_refined_groups_are_stationary(fuzzifier, beta):
    graph, blocks = random_groups(6, sizes=(2, 3, 6, 15), k=4, beta=beta)
    before = power_objective(graph, blocks, 0, len(blocks.U), fuzzifier)
    change, _, objective = refine(graph, blocks, fuzzifier, tol=1e-9)
    assert change > 0
    assert objective < before
    assert residual(graph, blocks, fuzzifier) <= 1e-9
    assert sweep(graph, blocks, fuzzifier) <= 1e-6
    # There is nothing left to do.
    change, n_improved, again = refine(graph, blocks, fuzzifier, tol=1e-9)
    assert change <= 1e-6
    assert n_improved == 0
    assert again == pytest.approx(objective, rel=1e-12)


@pytest.mark.parametrize("fuzzifier", [1.1, 1.5, 2.7, 4.0])
@pytest.mark.parametrize("seed", range(3))
def test_two_samples_and_two_clusters_are_global(fuzzifier, seed):
    graph, blocks = random_groups(seed, sizes=(2,), k=2, beta=4.0)
    _, _, objective = refine(graph, blocks, fuzzifier)
    grid = np.linspace(0, 1, 41)
    for a, b in itertools.product(grid, grid):
        blocks.U[:] = [[a, 1 - a], [b, 1 - b]]
        value = power_objective(graph, blocks, 0, 2, fuzzifier)
        assert objective <= value + 1e-12


def unlike_pair(beta=10.0):
    """Two samples that should part the other way than they start."""
    _, graph = build_graph(PairSet.from_triples([(0, 1, -1.0)], n_samples=2), beta)
    blocks = make_blocks(2, 2)
    blocks.dist2[:] = [[1.0, 3.0], [3.0, 1.0]]
    blocks.U[:] = [[0.0, 1.0], [1.0, 0.0]]
    return graph, blocks


def test_vertices_part_a_pair_the_better_way():
    graph, blocks = unlike_pair()
    change, n_improved, objective = refine(graph, blocks, 3.0)
    assert change == 0
    assert n_improved == 1
    assert objective == pytest.approx(2.0)
    np.testing.assert_allclose(blocks.U, np.eye(2), atol=1e-12)


@pytest.mark.parametrize("limit", [{"max_rows": 1}, {"n_starts": 0}, {"gain": 5.0}])
def test_limits_keep_vertices_away(limit):
    graph, blocks = unlike_pair()
    _, n_improved, objective = refine(graph, blocks, 3.0, **limit)
    assert n_improved == 0
    assert objective == pytest.approx(6.0)


def test_many_vertices_are_drawn_alike_whatever_the_range():
    graph, blocks = random_groups(7, sizes=(6, 5, 7, 4), k=3, beta=30.0)
    whole = copy(blocks)
    found = refine(graph, whole, 3.0)
    assert found[1] > 0
    limits = (1e-10, 1.0, 8, 8, 1e-9, 3.0)
    parts = [
        refine_power_groups(graph, blocks, *span, *limits) for span in [(0, 1), (1, 4)]
    ]
    np.testing.assert_array_equal(blocks.U, whole.U)
    assert sum(part[1] for part in parts) == found[1]
    assert sum(part[2] for part in parts) == pytest.approx(found[2], rel=1e-14)


def test_alike_pairs_come_together():
    graph, blocks = random_groups(8, sizes=(4,), beta=1e5, lowest=0.5)
    _, n_improved, _ = refine(graph, blocks, 1.5, tol=1e-6)
    assert n_improved == 0
    assert np.ptp(blocks.U, axis=0).max() < 1e-4
    # As one sample with the sum of their distances.
    expected = free([blocks.dist2.sum(axis=0)], 1.5)[0]
    np.testing.assert_allclose(blocks.U[0], expected, atol=1e-3)
