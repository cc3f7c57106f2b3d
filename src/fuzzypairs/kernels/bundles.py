"""Many small groups at once: lanes over groups of equal size.

Most groups are two to four samples. A bundle holds up to LANES of them of one size:
its row t is the t-th row of every group, and lane i belongs to group i. Pulls are
dense over the few rows of a group, so that distances, sweeps, objective and sums run
over lanes without a gather. A bundle is scratch: it is filled from the rows of
`Blocks` and emptied to them, and the groups that need more than a few sweeps are
finished there one by one.

Values of a row are flat, cluster after cluster, ``values[j * LANES + i]``. The
clusters are filled up to a multiple of four by some that nobody can join (``inverse``
is 0), so that loops can take four at a time without a remainder. Offsets are unsigned:
a signed sum could be negative, an index from the end, which no vector load allows.
"""

from typing import NamedTuple

import numpy as np

from fuzzypairs.kernels import tiles
from fuzzypairs.kernels.jit import kernel
from fuzzypairs.kernels.simplex import ON_PROTOTYPE

# Groups of up to this many rows are bundled, if there are enough to fill some lanes.
MOST_ROWS = 4
FEWEST_GROUPS = 32
# So many groups of a bundle that still move are finished one by one.
STRAGGLERS = 8

LANES = np.uint64(tiles.LANES)
TWO, THREE, FOUR = 2 * LANES, 3 * LANES, 4 * LANES


class Bundle(NamedTuple):
    """Scratch for LANES groups of up to MOST_ROWS rows; K is k filled up."""

    X: np.ndarray  # (MOST_ROWS, n_features, LANES)
    weight: np.ndarray  # (MOST_ROWS, LANES)
    pull: np.ndarray  # (MOST_ROWS, MOST_ROWS, LANES) beta s / 2, 0 without judgement
    diagonal: np.ndarray  # (MOST_ROWS, LANES) sum of the positive pulls
    U: np.ndarray  # (MOST_ROWS, K * LANES) memberships
    dist2: np.ndarray  # (MOST_ROWS, K * LANES) weighted squared distances w d
    inverse: np.ndarray  # (MOST_ROWS, K * LANES) 1 / a of eq. (24)
    low: np.ndarray  # (MOST_ROWS, LANES) offset where a is smallest
    linear: np.ndarray  # (K * LANES,) of the row that is being solved
    level: np.ndarray  # (5 * LANES,) level, mass, moment, total and change of that row
    moved: np.ndarray  # (LANES,) change of each group in the last sweep
    own: np.ndarray  # (1,) as in `Graph`


@kernel
def empty_bundle(n_features, k):
    """Allocate a bundle."""
    r = MOST_ROWS
    lanes = tiles.LANES
    size = (k + 3) // 4 * 4 * lanes
    return Bundle(
        np.empty((r, n_features, lanes)),
        np.empty((r, lanes)),
        np.empty((r, r, lanes)),
        np.empty((r, lanes)),
        np.zeros((r, size)),
        np.zeros((r, size)),
        np.zeros((r, size)),
        np.empty((r, lanes), dtype=np.uint64),
        np.zeros(size),
        np.empty(5 * lanes),
        np.empty(lanes),
        np.empty(1),
    )


@kernel
def count_equal(groups, g, stop):
    """Return how many groups from g on make a bundle; 0: g is on its own.

    Groups are sorted by size, so that as many rows as equal groups would have are
    equal groups.
    """
    n_rows = groups[g + 1] - groups[g]
    n = min(tiles.LANES, stop - g)
    if n_rows > MOST_ROWS:
        return 0
    while n >= FEWEST_GROUPS and groups[g + n] - groups[g] > n * n_rows:
        n -= 1
    return n if n >= FEWEST_GROUPS else 0


@kernel
def load_rows(values, first, n_rows, n, empty, out):
    """Set row t of lane i to row t of group i; unused lanes become `empty`."""
    k = values.shape[1]
    for t in range(n_rows):
        lanes = out[t].reshape(-1, tiles.LANES)
        for j in range(k):
            for i in range(n):
                lanes[j, i] = values[first + i * n_rows + t, j]
            for i in range(n, tiles.LANES):
                lanes[j, i] = empty


@kernel
def store_rows(values, first, n_rows, n, source):
    """Undo `load_rows`."""
    for t in range(n_rows):
        lanes = source[t].reshape(-1, tiles.LANES)
        for j in range(values.shape[1]):
            for i in range(n):
                values[first + i * n_rows + t, j] = lanes[j, i]


@kernel
def store_lane(values, first, n_rows, i, source):
    """Store lane i alone."""
    for t in range(n_rows):
        for j in range(values.shape[1]):
            values[first + i * n_rows + t, j] = source[t, j * tiles.LANES + i]


@kernel
def fill_row(values, cluster):
    """Put a row of every group whole into a cluster; into none if there is no such."""
    for o in range(np.uint64(0), np.uint64(values.size), LANES):
        value = 1.0 if o == np.uint64(cluster) * LANES else 0.0
        for i in range(LANES):
            values[o + i] = value


@kernel
def load_graph(graph, first, n_rows, n, bundle):
    """Set the pulls and diagonals of the n groups whose rows begin at `first`."""
    pull, diagonal = bundle.pull, bundle.diagonal
    bundle.own[0] = graph.own
    for t in range(n_rows):
        for i in range(LANES):
            diagonal[t, i] = 0.0
            for q in range(n_rows):
                pull[t, q, i] = 0.0
        for i in range(n):
            row = first + i * n_rows + t
            diagonal[t, i] = graph.diagonal[row]
            for e in range(graph.indptr[row], graph.indptr[row + 1]):
                pull[t, graph.neighbor[e] - (row - t), i] = graph.pull[e]


@kernel
def load_data(X, weight, first, n_rows, n, bundle):
    """Load the samples and their weights; unused lanes weigh nothing."""
    load_rows(X, first, n_rows, n, 0.0, bundle.X)
    for t in range(n_rows):
        for i in range(n):
            bundle.weight[t, i] = weight[first + i * n_rows + t]
        for i in range(n, tiles.LANES):
            bundle.weight[t, i] = 0.0


@kernel
def measure_lanes(C, n_rows, bundle):
    """Set dist2, inverse and low of the rows for prototypes C: eq. (18)."""
    for t in range(n_rows):
        dist2 = bundle.dist2[t]
        tiles.tile_distances(bundle.X, t, C, dist2.reshape(-1, tiles.LANES))
        _scale(dist2, bundle.weight[t])
    invert_lanes(C.shape[0], n_rows, bundle)


@kernel
def _scale(values, factor):
    for o in range(np.uint64(0), np.uint64(values.size), LANES):
        for i in range(LANES):
            values[o + i] *= factor[i]


@kernel
def invert_lanes(k, n_rows, bundle):
    """Set inverse and low of the rows from their dist2."""
    for t in range(n_rows):
        _invert(bundle.dist2[t], bundle.diagonal[t], bundle.inverse[t], k)
        _find_low(bundle.dist2[t], bundle.low[t], bundle.level, k)


@kernel
def _invert(dist2, diagonal, inverse, k):
    for o in range(np.uint64(0), np.uint64(k) * LANES, LANES):
        for i in range(LANES):
            inverse[o + i] = 1.0 / (dist2[o + i] + (diagonal[i] + tiles.TINY))


@kernel
def _find_low(dist2, low, least, k):
    for i in range(LANES):
        low[i] = i
        least[i] = dist2[i]
    for o in range(LANES, np.uint64(k) * LANES, LANES):
        for i in range(LANES):
            d, before, place = dist2[o + i], least[i], low[i]
            low[i] = o + i if d < before else place
            least[i] = d if d < before else before


@kernel
def sweep_few(bundle, n_rows, effort, tol, scale):
    """Sweep until few groups change by more than `tol`; return how many do."""
    for i in range(LANES):
        bundle.moved[i] = 0.0
    n_moving = 0
    for _ in range(effort):
        sweep_lanes(bundle, n_rows, 0, scale)
        n_moving = _count_above(bundle.moved, tol)
        if n_moving <= STRAGGLERS:
            break
    return n_moving


@kernel
def _count_above(values, bound):
    n_above = 0
    for i in range(LANES):
        n_above += values[i] > bound
    return n_above


@kernel
def farthest_lanes(U, known, out):
    """Set ``out[i]`` to the largest difference of a row of group i to `known`."""
    for i in range(LANES):
        out[i] = 0.0
    for t in range(known.shape[0]):
        _farthest(U[t], known[t], out)


@kernel
def _farthest(U, known, out):
    for o in range(np.uint64(0), np.uint64(U.size), LANES):
        for i in range(LANES):
            difference, largest = abs(U[o + i] - known[o + i]), out[i]
            out[i] = difference if difference > largest else largest


@kernel
def sweep_lanes(bundle, n_rows, first, scale):
    """Update the rows of every group in sequence from row `first` on.

    The change of each group, as `sweep_rows` counts it, is left in ``moved``.
    """
    for i in range(LANES):
        bundle.moved[i] = 0.0
    for step in range(n_rows):
        t = (first + step) % n_rows
        linear_lanes(bundle, n_rows, t)
        solve_lanes(bundle, t)
        _count_move(bundle.moved, bundle.level, bundle.diagonal[t], scale)


@kernel
def linear_lanes(bundle, n_rows, t):
    """Set ``linear`` to -sum_q pull_tq u_q: eq. (19)."""
    linear = bundle.linear
    first = 1 if t == 0 else 0
    _pull_first(linear, bundle.pull[t, first], bundle.U[first])
    for q in range(first + 1, n_rows):
        if q != t:
            _pull(linear, bundle.pull[t, q], bundle.U[q])


@kernel
def _pull_first(linear, pull, U):
    for o in range(np.uint64(0), np.uint64(linear.size), LANES):
        for i in range(LANES):
            linear[o + i] = -pull[i] * U[o + i]


@kernel
def _pull(linear, pull, U):
    for o in range(np.uint64(0), np.uint64(linear.size), LANES):
        for i in range(LANES):
            linear[o + i] -= pull[i] * U[o + i]


@kernel
def solve_lanes(bundle, t):
    """Solve row t of every group with `linear`, as `solve_row` does; note the change.

    The level is the root of ``sum_j max(0, (level - linear_j) inverse_j) - 1``, which
    is convex and piecewise linear. The memberships above zero tell the first piece;
    its root, like that of any piece, is not below the level sought, and Newton steps
    go down from there. Lanes that are done stay where they are.
    """
    U, inverse, linear, level = (
        bundle.U[t],
        bundle.inverse[t],
        bundle.linear,
        bundle.level,
    )
    low = bundle.low[t]
    n_on = 0
    for i in range(LANES):
        level[i] = linear[low[i]]
        n_on += inverse[low[i]] > ON_PROTOTYPE
    if n_on > 0:
        inverse = inverse.copy()
        for i in range(LANES):
            if bundle.inverse[t, low[i]] > ON_PROTOTYPE:
                level[i] = _leave_out(linear, inverse, i)
    _begin(linear, inverse, U, level)
    for _ in range(linear.size // tiles.LANES):
        _climb(linear, inverse, level)
        if _step(level) == 0:
            break
    _replace(linear, inverse, U, level)


@kernel
def _leave_out(linear, inverse, i):
    """Do for lane i what `choose_reference` does; return the reference.

    What is out gets an inverse of 0: nobody can join it.
    """
    least = np.inf
    reference = 0.0
    for o in range(np.uint64(0), np.uint64(linear.size), LANES):
        if inverse[o + i] > 0.0 and linear[o + i] + 1.0 / inverse[o + i] < least:
            least = linear[o + i] + 1.0 / inverse[o + i]
            reference = linear[o + i]
    for o in range(np.uint64(0), np.uint64(linear.size), LANES):
        if linear[o + i] >= least and linear[o + i] != reference:
            inverse[o + i] = 0.0
    return reference


@kernel
def _begin(linear, inverse, U, level):
    """Measure `linear` from the level; set that of the positive memberships."""
    for i in range(LANES):
        level[LANES + i] = 0.0
        level[TWO + i] = 1.0
    for o in range(np.uint64(0), np.uint64(linear.size), LANES):
        for i in range(LANES):
            value = linear[o + i] - level[i]
            linear[o + i] = value
            weight = inverse[o + i]
            keep = weight if U[o + i] > 0.0 else 0.0
            level[LANES + i] += keep
            level[TWO + i] += value * keep
    for i in range(LANES):
        level[i] = level[TWO + i] / level[LANES + i]


@kernel
def _climb(linear, inverse, level):
    """Sum mass, moment and memberships over the clusters below the level."""
    for i in range(LANES):
        level[TWO + i] = 1.0
        level[THREE + i] = 0.0
        level[LANES + i] = 0.0
    for o in range(np.uint64(0), np.uint64(linear.size), FOUR):
        _climb_four(linear, inverse, level, o, o + LANES, o + TWO, o + THREE)


@kernel
def _climb_four(linear, inverse, level, a, b, c, d):
    for i in range(LANES):
        la, lb, lc, ld = linear[a + i], linear[b + i], linear[c + i], linear[d + i]
        ka, kb, kc, kd = inverse[a + i], inverse[b + i], inverse[c + i], inverse[d + i]
        top = level[i]
        ka = ka if la < top else 0.0
        kb = kb if lb < top else 0.0
        kc = kc if lc < top else 0.0
        kd = kd if ld < top else 0.0
        level[LANES + i] += (ka + kb) + (kc + kd)
        level[TWO + i] += (la * ka + lb * kb) + (lc * kc + ld * kd)
        level[THREE + i] += ((top - la) * ka + (top - lb) * kb) + (
            (top - lc) * kc + (top - ld) * kd
        )


@kernel
def _step(level):
    """Step to the root of the piece; return how many lanes go down."""
    n_down = 0
    for i in range(LANES):
        root = level[TWO + i] / level[LANES + i]
        n_down += root < level[i]
        level[i] = root
    return n_down


@kernel
def _replace(linear, inverse, U, level):
    """Write the memberships, their sum made one, to U; set the largest change."""
    for i in range(LANES):
        level[THREE + i] = 1.0 / level[THREE + i]
        level[FOUR + i] = 0.0
    for o in range(np.uint64(0), np.uint64(U.size), LANES):
        for i in range(LANES):
            value = (level[i] - linear[o + i]) * inverse[o + i] * level[THREE + i]
            value = value if value > 0.0 else 0.0
            move, largest = abs(value - U[o + i]), level[FOUR + i]
            level[FOUR + i] = move if move > largest else largest
            U[o + i] = value


@kernel
def _count_move(moved, level, diagonal, scale):
    for i in range(LANES):
        move, largest = level[FOUR + i] * (1.0 + diagonal[i] / scale), moved[i]
        moved[i] = move if move > largest else largest


@kernel
def objective_lanes(bundle, n_rows, out):
    """Set ``out[i]`` to u'Du of group i."""
    own = bundle.own[0]
    for i in range(LANES):
        out[i] = 0.0
    for t in range(n_rows):
        _add_distances(bundle.dist2[t], bundle.U[t], out)
        for q in range(t):
            _add_costs(bundle.pull[t, q], bundle.U[t], bundle.U[q], own, out)


@kernel
def _add_distances(dist2, U, out):
    for o in range(np.uint64(0), np.uint64(U.size), LANES):
        for i in range(LANES):
            out[i] += dist2[o + i] * U[o + i] * U[o + i]


@kernel
def _add_costs(pull, U, V, own, out):
    # The squared difference of alike rows, twice the overlap of unlike ones: eq. (6).
    for o in range(np.uint64(0), np.uint64(U.size), LANES):
        for i in range(LANES):
            u, v = U[o + i], V[o + i]
            part = own if pull[i] > 0.0 else 0.0
            cost = part * (u - v) * (u - v) - 2.0 * (1.0 - part) * u * v
            out[i] += pull[i] * cost


@kernel
def residual_lanes(bundle, k, n_rows, scale, out):
    """Set ``out[i]`` to the projected gradient of group i, over `scale`.

    See `fuzzypairs.kernels.faces.projected_gradient`.
    """
    slope, level, own = bundle.linear, bundle.level, bundle.own[0]
    for i in range(LANES):
        out[i] = 0.0
    for t in range(n_rows):
        _multiply(bundle.dist2[t], bundle.U[t], slope)
        for q in range(n_rows):
            if q != t:
                _add_slope(bundle.pull[t, q], bundle.U[t], bundle.U[q], own, slope)
        _dot(slope, bundle.U[t], level)
        _violate(slope, bundle.U[t], level, k, scale, out)


@kernel
def _multiply(a, b, out):
    for i in range(out.size):
        out[i] = a[i] * b[i]


@kernel
def _add_slope(pull, U, V, own, slope):
    for o in range(np.uint64(0), np.uint64(slope.size), LANES):
        for i in range(LANES):
            part = own if pull[i] > 0.0 else 0.0
            slope[o + i] += pull[i] * (part * U[o + i] - V[o + i])


@kernel
def _dot(a, b, out):
    for i in range(LANES):
        out[i] = 0.0
    for o in range(np.uint64(0), np.uint64(a.size), LANES):
        for i in range(LANES):
            out[i] += a[o + i] * b[o + i]


@kernel
def _violate(slope, U, level, k, scale, out):
    for o in range(np.uint64(0), np.uint64(k) * LANES, LANES):
        for i in range(LANES):
            excess, room, worst = slope[o + i] - level[i], scale * U[o + i], out[i]
            excess = -excess if excess < 0.0 else min(excess, room)
            out[i] = max(worst, excess / scale)


@kernel
def add_sums(bundle, n_rows, sums, masses):
    """Add w u^2 x and w u^2 of all rows: the sums of eq. (13)."""
    shares = bundle.linear.reshape(-1, tiles.LANES)
    for t in range(n_rows):
        _square(bundle.U[t].reshape(-1, tiles.LANES), bundle.weight[t], shares, masses)
        tiles.tile_sums(bundle.X, t, shares, sums)


@kernel
def _square(U, weight, shares, masses):
    for j in range(masses.size):
        mass = 0.0
        for i in range(tiles.LANES):
            share = weight[i] * U[j, i] * U[j, i]
            shares[j, i] = share
            mass += share
        masses[j] += mass
