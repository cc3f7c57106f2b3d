"""The outer loop: prototypes, acceptance, acceleration, and when to stop.

A pass evaluates the objective at prototypes C with the memberships it finds there,
and leaves the sums from which the next prototypes follow: the image of C under one
step of Algorithm 1. `advance` looks at a finished pass and decides where the next one
is made. Anderson mixing of the last images proposes that place once the steps have
become small; a proposal that raises the objective is taken back, so the accepted
objectives never rise while the number of clusters holds (Theorem 1).
"""

from typing import NamedTuple

import numpy as np

from fuzzypairs.kernels.active_set import group_pass
from fuzzypairs.kernels.bundles import Bundles
from fuzzypairs.kernels.jit import kernel
from fuzzypairs.kernels.sweeps import Blocks, Graph, put_rows
from fuzzypairs.kernels.tiles import tile_pass

DEPTH = 5
# Acceleration waits until a step is this small (relative to the spread of the data):
# far from the end it can jump to another, higher valley.
ACCELERATE_BELOW = 0.02
# The most sweeps of a group within one outer step, and how far below the outer step
# its own change must be for fewer to do; mostly two or three are. Fewer at the most
# (3) made a fit of 58 000 samples with 5800 judgements take 35 passes instead of 23.
EFFORT = 12
INNER_SHARE = 0.1

# Relative errors of the objective: of sums in double precision of distances in double,
# and of many in single precision.
ROUNDING, SINGLE_ROUNDING = 1e-14, 1e-8

# Unit roundoffs; the type of the array is the precision that kernels compute in.
DOUBLE = np.array([np.finfo(np.float64).eps])
SINGLE = np.array([np.finfo(np.float32).eps])

CONTINUE, SETTLED, VANISHING, EXHAUSTED = 0, 1, 2, 3


class Problem(NamedTuple):
    """What does not change during a run."""

    tiles: np.ndarray  # (n_tiles, n_features, LANES) the free samples
    weight: np.ndarray  # lane weights, see tile_pass
    ranges: np.ndarray  # (n_free_ranges + 1,) cuts of the tiles (or free rows)
    X: np.ndarray  # (n_rows, n_features) the constrained samples
    row_weight: np.ndarray  # (n_rows,)
    graph: Graph
    group_ranges: np.ndarray  # (n_group_ranges + 1,) cuts of the groups
    bundles: Bundles
    totals: np.ndarray  # (n_features + 2,) sum w x, sum w |x|^2, sum w
    variance: float  # mean squared distance to the mean; 1 if that is 0
    alpha: float
    tol: float
    max_iter: int
    accelerate_below: float  # the relative step from which proposals are made
    rounding: float  # relative changes of the objective up to this are rounding
    roundoff: np.ndarray  # (1,) of the precision of matrix products


class State(NamedTuple):
    """What a run reads and writes; made anew when a cluster vanishes."""

    C: np.ndarray  # (k, n_features) where the next pass is made
    image: np.ndarray  # (k, n_features) image of the last accepted prototypes
    blocks: Blocks
    kept: np.ndarray  # (n_rows, k) constrained memberships of the last accepted pass
    sums: np.ndarray  # (n_parts, k, n_features) partial sums
    masses: np.ndarray  # (n_parts, k)
    parts: np.ndarray  # (n_parts, 2) partial objective and change
    shift: np.ndarray  # (k, n_features) image - C of the last accepted pass
    d_image: np.ndarray  # (DEPTH, k, n_features) differences of images
    d_shift: np.ndarray  # (DEPTH, k, n_features) differences of shifts
    gram: np.ndarray  # (DEPTH, DEPTH) inner products of d_shift
    history: np.ndarray  # (max_iter + 2,) accepted objectives
    counters: np.ndarray  # (N_COUNTERS,) int64, see below
    levels: np.ndarray  # (2,) relative step, inner tolerance


# Indices into `State.counters`.
N_PASSES, N_ACCEPTED, N_MIXED, HAS_LAST, IS_PROPOSAL, N_SWEEPS = 0, 1, 2, 3, 4, 5
N_COUNTERS = 6


@kernel
def run_tiles(problem, state):
    """Pass and advance on one thread until something is to be decided outside."""
    n_free = problem.ranges.shape[0] - 1
    n_grouped = problem.group_ranges.shape[0] - 1
    while True:
        for part in range(n_free):
            state.parts[part, 0] = tile_pass(
                problem.tiles,
                problem.weight,
                state.C,
                problem.ranges[part],
                problem.ranges[part + 1],
                state.sums[part],
                state.masses[part],
            )
        for part in range(n_grouped):
            slot = n_free + part
            state.parts[slot, 0], state.parts[slot, 1] = group_pass(
                problem.X,
                problem.row_weight,
                state.C,
                problem.graph,
                state.blocks,
                problem.bundles,
                part,
                problem.group_ranges[part],
                problem.group_ranges[part + 1],
                state.counters[N_SWEEPS],
                state.levels[1],
                problem.variance,
                state.sums[slot],
                state.masses[slot],
            )
        status = advance(problem, state)
        if status != CONTINUE:
            return status


@kernel
def advance(problem, state):
    """Judge a finished pass and choose the prototypes of the next.

    Returns
    -------
    int
        CONTINUE; SETTLED: the step is within `tol` and C was left where it is;
        VANISHING: eq. (12) holds for some cluster; EXHAUSTED: `max_iter` passes.
    """
    C = state.C
    k, n_features = C.shape
    counters = state.counters
    alpha = problem.alpha
    total_weight = problem.totals[n_features + 1]
    # Partial sums are added in their fixed order, so threads change nothing.
    sums = state.sums[0]
    masses = state.masses[0]
    value = state.parts[0, 0]
    change = state.parts[0, 1]
    for part in range(1, state.parts.shape[0]):
        for j in range(k):
            masses[j] += state.masses[part, j]
            for f in range(n_features):
                sums[j, f] += state.sums[part, j, f]
        value += state.parts[part, 0]
        change = max(change, state.parts[part, 1])
    spread = sum_of_distances(problem.totals, C)
    objective = value - alpha * spread
    counters[N_PASSES] += 1

    vanishing = False
    for j in range(k):
        vanishing |= masses[j] - alpha * total_weight <= 0.0
    rounding = problem.rounding * (value + alpha * spread)
    gained = 0.0
    if counters[N_ACCEPTED] > 0:
        gained = state.history[counters[N_ACCEPTED] - 1] - objective
    bad = vanishing or gained < -rounding or not np.isfinite(objective)
    if counters[IS_PROPOSAL] and bad:
        put_rows(C, 0, state.image)
        put_rows(state.blocks.U, 0, state.kept)
        forget(state)
        return CONTINUE
    if vanishing and k > 1:
        return VANISHING

    state.history[counters[N_ACCEPTED]] = objective
    counters[N_ACCEPTED] += 1
    put_rows(state.kept, 0, state.blocks.U)
    step = _update_image(problem, state, sums, masses)
    if gained <= rounding and step >= state.levels[0]:
        # The objective can no longer tell a good proposal; a plain step contracts.
        forget(state)
    state.levels[0] = step
    state.levels[1] = max(INNER_SHARE * step, 0.1 * problem.tol)
    settled = step <= problem.tol and change <= problem.tol and counters[N_SWEEPS] > 0
    # The last pass that is allowed may settle; one more may only look at the groups
    # that were then refined.
    if settled and counters[N_PASSES] <= problem.max_iter:
        return SETTLED
    if counters[N_PASSES] >= problem.max_iter:
        return EXHAUSTED
    counters[N_SWEEPS] = EFFORT
    counters[IS_PROPOSAL] = counters[N_MIXED] > 0 and step < problem.accelerate_below
    if counters[IS_PROPOSAL]:
        _mix(state)
    else:
        put_rows(C, 0, state.image)
    return CONTINUE


@kernel
def sum_of_distances(totals, C):
    """sum_ij w_i |x_i - c_j|^2 from the sums of w x, w |x|^2 and w."""
    k, n_features = C.shape
    total = k * totals[n_features]
    for j in range(k):
        for f in range(n_features):
            total += C[j, f] * (C[j, f] * totals[n_features + 1] - 2.0 * totals[f])
    return total


@kernel
def _update_image(problem, state, sums, masses):
    """Set the image of C, eq. (13), and note its differences; return the step.

    The step is the root mean square move of a prototype over the spread of the data.
    """
    C = state.C
    k, n_features = C.shape
    alpha = problem.alpha
    total_weight = problem.totals[n_features + 1]
    slot = state.counters[N_MIXED] % DEPTH
    for j in range(k):
        mass = masses[j] - alpha * total_weight
        for f in range(n_features):
            center = (sums[j, f] - alpha * problem.totals[f]) / mass
            shift = center - C[j, f]
            state.d_image[slot, j, f] = center - state.image[j, f]
            state.d_shift[slot, j, f] = shift - state.shift[j, f]
            state.image[j, f] = center
            state.shift[j, f] = shift
    if state.counters[HAS_LAST]:
        for other in range(min(state.counters[N_MIXED] + 1, DEPTH)):
            product = _dot(state.d_shift[slot], state.d_shift[other])
            state.gram[slot, other] = product
            state.gram[other, slot] = product
        state.counters[N_MIXED] += 1
    state.counters[HAS_LAST] = 1
    moved = _dot(state.shift, state.shift)
    return np.sqrt(moved / (k * problem.variance))


@kernel
def _mix(state):
    """Anderson mixing: propose the C whose shift, by a linear model, is smallest."""
    depth = min(state.counters[N_MIXED], DEPTH)
    system = np.empty((depth, depth + 1))
    for i in range(depth):
        for j in range(depth):
            system[i, j] = state.gram[i, j]
        # Nearly parallel differences: a small ridge bounds the solution.
        system[i, i] = system[i, i] * (1.0 + 1e-10) + 1e-300
        system[i, depth] = _dot(state.d_shift[i], state.shift)
    _solve(system)
    put_rows(state.C, 0, state.image)
    for i in range(depth):
        for j in range(state.C.shape[0]):
            for f in range(state.C.shape[1]):
                state.C[j, f] -= system[i, depth] * state.d_image[i, j, f]


@kernel
def _solve(system):
    """Solve positive definite equations in place; the right side is the last column.

    Five by five at the most: elimination without pivots, which compiles in a
    fraction of the time of LAPACK's.
    """
    n = system.shape[0]
    for i in range(n):
        for row in range(n):
            if row != i:
                factor = system[row, i] / system[i, i]
                for j in range(i, n + 1):
                    system[row, j] -= factor * system[i, j]
    for i in range(n):
        system[i, n] /= system[i, i]


@kernel
def _dot(a, b):
    total = 0.0
    for j in range(a.shape[0]):
        for f in range(a.shape[1]):
            total += a[j, f] * b[j, f]
    return total


@kernel
def forget(state):
    """Drop what acceleration remembers, before C or U are changed from outside."""
    state.counters[N_MIXED] = 0
    state.counters[HAS_LAST] = 0
    state.counters[IS_PROPOSAL] = 0
