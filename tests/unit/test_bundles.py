"""Groups side by side against the same groups one by one."""

import warnings

import numpy as np
import pytest

from fuzzypairs import FDC, PairSet
from fuzzypairs.kernels.active_set import group_pass, projected_gradient
from fuzzypairs.kernels.bundles import (
    FEWEST_GROUPS,
    LANES,
    MOST_ROWS,
    count_equal,
    empty_bundle,
    load_graph,
    load_rows,
    pack_bundles,
)
from fuzzypairs.kernels.lanes import (
    invert_lanes,
    meet_lanes,
    objective_lanes,
    residual_lanes,
    sweep_lanes,
)
from fuzzypairs.kernels.steps import DOUBLE, SINGLE
from fuzzypairs.kernels.sweeps import measure_rows
from fuzzypairs.kernels.vertices import refine_groups
from fuzzypairs.solvers.groups import build_graph, make_blocks

N_GROUPS = 150


def draw(n_rows, k, beta=20.0, own=1.0):
    """Chains of n_rows samples, their weights, prototypes and first memberships."""
    rng = np.random.default_rng([n_rows, k])
    n = N_GROUPS * n_rows
    chain = np.arange(n).reshape(N_GROUPS, n_rows)
    ends = chain[:, :-1].ravel(), chain[:, 1:].ravel()
    pairs = PairSet(*ends, rng.uniform(-1.0, 0.5, len(ends[0])), n)
    rows, graph = build_graph(pairs, beta, own)
    X = rng.normal(size=(n, 3))[rows]
    C = rng.normal(size=(k, 3))
    X[0] = C[0]
    U = rng.dirichlet(np.ones(k), n)
    return graph, X, rng.uniform(0.5, 2.0, n), C, U


def passes(problem, ranges, effort, tol, roundoff=DOUBLE, scale=1.0):
    graph, X, weight, C, U = problem
    blocks = make_blocks(*U.shape)
    blocks.U[:] = U
    sums, masses = np.zeros_like(C), np.zeros(len(C))
    objective, change = 0.0, 0.0
    for span in ranges:
        part = np.empty_like(sums), np.empty_like(masses)
        samples = X, weight
        cuts = np.array(span)
        packed = pack_bundles(*samples, graph, cuts, np.sqrt(scale), roundoff)
        value, moved = group_pass(
            *samples, C, graph, blocks, packed, 0, *span, effort, tol, scale, *part
        )
        sums += part[0]
        masses += part[1]
        objective += value
        change = max(change, moved)
    return blocks, (objective, change, sums, masses, blocks.U)


TOGETHER = [(0, N_GROUPS)]
ONE_BY_ONE = [(g, g + 1) for g in range(N_GROUPS)]
SIZES = pytest.mark.parametrize(("n_rows", "k"), [(2, 2), (2, 7), (3, 5), (4, 4)])


@SIZES
@pytest.mark.parametrize(("effort", "tol"), [(0, 0.0), (1, np.inf)])
def test_a_pass_is_that_of_single_groups(n_rows, k, effort, tol):
    problem = draw(n_rows, k)
    _, together = passes(problem, TOGETHER, effort, tol, scale=3.0)
    _, apart = passes(problem, ONE_BY_ONE, effort, tol, scale=3.0)
    for ours, theirs in zip(together, apart, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12)


@SIZES
@pytest.mark.parametrize("scale", [1e-24, 1.0, 1e24])
def test_a_pass_in_single_precision_is_near(n_rows, k, scale):
    """Whatever the unit of the data, which single precision could not hold squared."""
    graph, X, weight, C, U = draw(n_rows, k)
    unit = np.sqrt(scale)
    scaled = graph._replace(pull=scale * graph.pull, diagonal=scale * graph.diagonal)
    problem = scaled, unit * X, weight, unit * C, U
    _, double = passes((graph, X, weight, C, U), TOGETHER, 1, np.inf)
    _, single = passes(problem, TOGETHER, 1, np.inf, SINGLE, scale)
    units = scale, 1.0, unit, 1.0, 1.0
    for ours, theirs, size in zip(single, double, units, strict=True):
        np.testing.assert_allclose(ours / size, theirs, rtol=1e-5, atol=1e-5)


def pairs_in_lanes(k, beta, roundoff=DOUBLE, own=1.0):
    """A bundle of pairs that were swept once, its groups and their distances."""
    graph, X, weight, C, U = draw(2, k, beta, own)
    blocks = make_blocks(*U.shape)
    measure_rows(X, weight, C, graph, blocks, 0, len(U))
    bundle = empty_bundle(k, roundoff)
    n = int(LANES)
    bundle.own[0] = graph.own
    load_graph(graph, 1.0, 0, 2, n, bundle.pull, bundle.diagonal)
    load_rows(blocks.dist2, 1.0, 0, 2, n, 0.0, bundle.dist2)
    load_rows(U, 1.0, 0, 2, n, 1.0 / k, bundle.U)
    invert_lanes(k, 2, bundle)
    sweep_lanes(bundle, 2)
    return bundle


@pytest.mark.parametrize("k", [2, 7])
@pytest.mark.parametrize(
    ("beta", "roundoff"),
    [(0.1, DOUBLE), (2.0, DOUBLE), (1e9, DOUBLE), (0.1, SINGLE), (10.0, SINGLE)],
)
@pytest.mark.parametrize("own", [1.0, 0.3])
def test_pairs_that_meet_are_lower_and_on_the_simplex(k, roundoff, beta, own):
    bundle = pairs_in_lanes(k, beta, roundoff, own)
    before, after = np.empty_like(bundle.moved), np.empty_like(bundle.moved)
    objective_lanes(bundle, 2, before)
    swept = bundle.U.copy()
    meet_lanes(bundle)
    objective_lanes(bundle, 2, after)
    error = 1e4 * roundoff[0] * (np.abs(before) + beta)
    assert (after <= before + error).all()
    np.testing.assert_array_equal(bundle.U[2:], swept[2:])
    rows = bundle.U[:2].reshape(2, -1, int(LANES))
    assert rows.min() >= 0.0
    np.testing.assert_allclose(rows.sum(axis=1), 1.0, atol=1e4 * roundoff[0])
    # Nobody comes back to a cluster that was left.
    assert not bundle.U[:2][swept[:2] == 0.0].any()


def test_pairs_meet_where_sweeps_end():
    bundle, other = pairs_in_lanes(5, 0.5), pairs_in_lanes(5, 0.5)
    residual = np.empty_like(bundle.moved)
    residual_lanes(bundle, 5, 2, residual)
    assert (residual > 1e-4).mean() > 0.9
    for _ in range(3):
        meet_lanes(bundle)
        sweep_lanes(bundle, 2)
    for _ in range(500):
        sweep_lanes(other, 2)
    residual_lanes(bundle, 5, 2, residual)
    assert residual.max() < 1e-12
    np.testing.assert_allclose(bundle.U, other.U, atol=1e-10)


@SIZES
def test_refined_groups_are_stationary_and_as_low_as_single_ones(n_rows, k):
    problem = draw(n_rows, k)
    graph = problem[0]
    ends = []
    for ranges in (TOGETHER, ONE_BY_ONE):
        blocks, _ = passes(problem, TOGETHER, 3, 1e-3)
        _, X, weight, C, _ = problem
        measure_rows(X, weight, C, graph, blocks, 0, len(X))
        done = [
            refine_groups(graph, blocks, DOUBLE, *span, 1e-8, 1.0, 2, 4, 8, 1e-9)
            for span in ranges
        ]
        _, improved, objectives = zip(*done, strict=True)
        assert sum(improved) > 0
        assert projected_gradient(graph, blocks, 0, len(blocks.U), 1.0) <= 1e-8
        np.testing.assert_allclose(blocks.U.sum(axis=1), 1.0, atol=1e-12)
        ends.append((sum(improved), sum(objectives)))
    assert ends[0] == pytest.approx(ends[1], rel=1e-9)


def test_what_makes_a_bundle():
    sizes = [2] * 200 + [3] * (FEWEST_GROUPS - 1) + [MOST_ROWS + 1] * 40
    groups = np.concatenate([[0], np.cumsum(sizes)])
    stop = len(sizes)
    assert [count_equal(groups, g, stop) for g in (0, 128, 169)] == [128, 72, 0]
    assert [count_equal(groups, g, stop) for g in (200, 240)] == [0, 0]


def test_samples_on_two_prototypes_at_once():
    """Forty unlike pairs of equal samples, with two prototypes on them at the start."""
    X = np.vstack([np.zeros((80, 1)), np.full((20, 1), 9.0), np.full((20, 1), 10.0)])
    pairs = [(2 * i, 2 * i + 1, -1.0) for i in range(40)]
    start = np.concatenate([np.tile([0, 1], 40), np.full(40, 2)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = FDC(3, alpha=0.0, beta=1.0, init=start).fit(X, pairs=pairs)
    U = model.memberships_
    assert np.isfinite(U).all()
    np.testing.assert_allclose(U.sum(axis=1), 1.0, atol=1e-12)
    np.testing.assert_allclose((U[0:80:2] * U[1:80:2]).sum(axis=1), 0.0, atol=1e-9)


@pytest.mark.parametrize("n_groups", [1, N_GROUPS])
@pytest.mark.parametrize("own", [0.0, 0.05, 1.0])
def test_a_share_of_the_diagonal(own, n_groups):
    """Alone and side by side, groups end at the least of the cost as written here."""
    graph, X, weight, C, U = draw(2, 3, own=own)
    blocks = make_blocks(*U.shape)
    blocks.U[:] = U
    blocks.dist2[:] = weight[:, None] * ((X[:, None] - C) ** 2).sum(axis=2)
    limits = 1e-9, 1.0, 2, 4, 8, 1e-12
    found = refine_groups(graph, blocks, DOUBLE, 0, n_groups, *limits)[2]
    pull = graph.pull[: 2 * n_groups : 2]
    part = np.where(pull > 0, own, 0.0)

    def cost(U):
        pairs = U[: 2 * n_groups].reshape(-1, 2, 3)
        squares = part * (pairs**2).sum(axis=(1, 2))
        products = 2 * (pairs[:, 0] * pairs[:, 1]).sum(axis=1)
        distances = (blocks.dist2 * U**2)[: 2 * n_groups].reshape(n_groups, -1)
        return distances.sum(axis=1) + pull * (squares - products)

    assert found == pytest.approx(cost(blocks.U).sum(), rel=1e-9)
    rng = np.random.default_rng(0)
    for _ in range(200):
        tried = cost(rng.dirichlet(np.full(3, 0.3), len(U)))
        assert (tried >= cost(blocks.U) - 1e-9).all()
