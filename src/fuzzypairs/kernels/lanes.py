"""Sweeps of many small groups side by side: the arithmetic of a bundle.

Each function does in every lane of a `Bundle` what one of rows or groups does for a
single group in `fuzzypairs.kernels.sweeps`, `.simplex` or `.faces`. Constants take the
type of the arrays: one of double precision would make a whole loop so.
"""

import numpy as np

from fuzzypairs.kernels import tiles
from fuzzypairs.kernels.bundles import LANES
from fuzzypairs.kernels.jit import kernel
from fuzzypairs.kernels.simplex import ON_PROTOTYPE

# So many groups of a bundle that still move are finished one by one.
STRAGGLERS = 8

TWO, THREE, FOUR = 2 * LANES, 3 * LANES, 4 * LANES


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
        _invert(bundle.dist2[t], bundle.diagonal[t], bundle.inverse[t], bundle.tiny, k)
        _find_low(bundle.dist2[t], bundle.low[t], bundle.level, k)


@kernel
def _invert(dist2, diagonal, inverse, tiny, k):
    one, least = inverse.dtype.type(1.0), tiny[0]
    for o in range(np.uint64(0), np.uint64(k) * LANES, LANES):
        for i in range(LANES):
            inverse[o + i] = one / (dist2[o + i] + (diagonal[i] + least))


@kernel
def _find_low(dist2, low, least, k):
    # Clusters as numbers of the same type: vectors hold as many of them.
    cluster, one = low.dtype.type(0.0), low.dtype.type(1.0)
    for i in range(LANES):
        low[i] = cluster
        least[i] = dist2[i]
    for o in range(LANES, np.uint64(k) * LANES, LANES):
        cluster += one
        for i in range(LANES):
            d, before, place = dist2[o + i], least[i], low[i]
            low[i] = cluster if d < before else place
            least[i] = d if d < before else before


@kernel
def place_of(low, i):
    """Return the place in a row of the cluster ``low[i]`` in lane i."""
    return np.uint64(low[i]) * LANES + np.uint64(i)


@kernel
def sweep_few(bundle, n_rows, effort, tol):
    """Sweep until few groups change by more than `tol`; return how many do."""
    for i in range(LANES):
        bundle.moved[i] = 0.0
    n_moving = 0
    for _ in range(effort):
        sweep_lanes(bundle, n_rows)
        n_moving = _count_above(bundle.moved, tol)
        if n_moving <= STRAGGLERS:
            break
        if n_rows == 2:
            meet_lanes(bundle)
    return n_moving


@kernel
def meet_lanes(bundle):
    """Move both rows of every pair to the least point of their face at once.

    Clusters that a row has left stay at zero. The gradient of each row is then the
    same in all others: two equations for each cluster, a u - p v = lambda and
    b v - p u = mu, and two for the sums of the rows. Sweeps come near the solution by
    a factor each. It is taken if it is lower than where the pair stands, which
    lambda + mu tells, if no membership falls below zero, and if rounding does not
    matter; the pair stays where it is otherwise.
    """
    U, inverse, level, meeting = bundle.U, bundle.inverse, bundle.level, bundle.meeting
    pull = bundle.pull[0, 1]
    _join(inverse[0], inverse[1], U[0], U[1], pull, bundle.tiny, meeting)
    _level_pairs(meeting, level)
    _curve(bundle.dist2[0], bundle.diagonal[0], U[0], level)
    _curve(bundle.dist2[1], bundle.diagonal[1], U[1], level)
    _couple(U[0], U[1], pull, level)
    _meet(meeting, level)
    _take(meeting, np.uint64(0), U[0], level)
    _take(meeting, LANES, U[1], level)


# Loops over many arrays are cut in two: the compiler gives up vectors where it would
# have to ask of more than eight pairs of arrays whether they overlap. That is why three
# values of a cluster lie side by side in `meeting`.


@kernel
def _join(A, B, U, V, pull, tiny, meeting):
    """Set the coefficients of the equations of pairs, 0 where a row has left.

    Where they are so large that rounding would matter, nobody meets: NaN.
    """
    zero, one = meeting.dtype.type(0.0), meeting.dtype.type(1.0)
    nowhere = meeting.dtype.type(np.nan)
    steepest = one / np.sqrt(np.sqrt(np.sqrt(tiny[0])))
    for o in range(np.uint64(0), np.uint64(U.size), LANES):
        at = np.uint64(3) * o
        for i in range(LANES):
            p = pull[i]
            a = A[o + i] if U[o + i] > zero else zero
            b = B[o + i] if V[o + i] > zero else zero
            c = p * a * b
            s = one / (one - p * c)
            s = s if abs(s) < steepest else nowhere
            meeting[at + i] = a * s
            meeting[at + LANES + i] = b * s
            meeting[at + TWO + i] = c * s


@kernel
def _level_pairs(meeting, level):
    """Solve for lambda and mu; what is left to gain is minus their sum so far."""
    one = level.dtype.type(1.0)
    for i in range(LANES):
        level[i] = 0.0
        level[LANES + i] = 0.0
        level[TWO + i] = 0.0
    for at in range(np.uint64(0), np.uint64(meeting.size), THREE):
        for i in range(LANES):
            level[i] += meeting[at + i]
            level[LANES + i] += meeting[at + LANES + i]
            level[TWO + i] += meeting[at + TWO + i]
    for i in range(LANES):
        aa, bb, ab = level[i], level[LANES + i], level[TWO + i]
        scale = one / (aa * bb - ab * ab)
        first, second = (bb - ab) * scale, (aa - ab) * scale
        level[i] = first
        level[LANES + i] = second
        level[THREE + i] = -(first + second)
        level[FOUR + i] = 0.0


@kernel
def _curve(dist2, diagonal, U, level):
    for o in range(np.uint64(0), np.uint64(U.size), LANES):
        for i in range(LANES):
            u = U[o + i]
            level[THREE + i] += (dist2[o + i] + diagonal[i]) * u * u


@kernel
def _couple(U, V, pull, level):
    for o in range(np.uint64(0), np.uint64(U.size), LANES):
        for i in range(LANES):
            level[THREE + i] -= (pull[i] + pull[i]) * U[o + i] * V[o + i]


@kernel
def _meet(meeting, level):
    """Write out where pairs meet, and the least membership there."""
    for at in range(np.uint64(0), np.uint64(meeting.size), THREE):
        for i in range(LANES):
            first, second, least = level[i], level[LANES + i], level[FOUR + i]
            a, b, c = meeting[at + i], meeting[at + LANES + i], meeting[at + TWO + i]
            u, v = a * first + c * second, b * second + c * first
            meeting[at + i] = u
            meeting[at + LANES + i] = v
            lower = u if u < v else v
            # Not the other way round: where nobody meets, it is to be so.
            level[FOUR + i] = lower if not lower >= least else least


@kernel
def _take(meeting, row, U, level):
    zero = U.dtype.type(0.0)
    for o in range(np.uint64(0), np.uint64(U.size), LANES):
        at = np.uint64(3) * o + row
        for i in range(LANES):
            kept, met, least = U[o + i], meeting[at + i], level[FOUR + i]
            met = met if least >= zero else kept
            U[o + i] = met if level[THREE + i] > zero else kept


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
def sweep_lanes(bundle, n_rows):
    """Update the rows of every group in sequence.

    The change of each group, as `sweep_rows` counts it, is left in ``moved``.
    """
    for i in range(LANES):
        bundle.moved[i] = 0.0
    for t in range(n_rows):
        linear_lanes(bundle, n_rows, t)
        solve_lanes(bundle, t)
        _count_move(bundle.moved, bundle.level, bundle.diagonal[t])


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
        place = place_of(low, i)
        level[i] = linear[place]
        n_on += inverse[place] > ON_PROTOTYPE
    if n_on > 0:
        inverse = inverse.copy()
        for i in range(LANES):
            if bundle.inverse[t, place_of(low, i)] > ON_PROTOTYPE:
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
    zero = linear.dtype.type(0.0)
    for i in range(LANES):
        level[LANES + i] = 0.0
        level[TWO + i] = 1.0
    for o in range(np.uint64(0), np.uint64(linear.size), LANES):
        for i in range(LANES):
            value = linear[o + i] - level[i]
            linear[o + i] = value
            weight = inverse[o + i]
            keep = weight if U[o + i] > zero else zero
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
    zero = linear.dtype.type(0.0)
    for i in range(LANES):
        la, lb, lc, ld = linear[a + i], linear[b + i], linear[c + i], linear[d + i]
        ka, kb, kc, kd = inverse[a + i], inverse[b + i], inverse[c + i], inverse[d + i]
        top = level[i]
        ka = ka if la < top else zero
        kb = kb if lb < top else zero
        kc = kc if lc < top else zero
        kd = kd if ld < top else zero
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
    zero, one = U.dtype.type(0.0), U.dtype.type(1.0)
    for i in range(LANES):
        level[THREE + i] = one / level[THREE + i]
        level[FOUR + i] = 0.0
    for o in range(np.uint64(0), np.uint64(U.size), LANES):
        for i in range(LANES):
            value = (level[i] - linear[o + i]) * inverse[o + i] * level[THREE + i]
            value = value if value > zero else zero
            move, largest = abs(value - U[o + i]), level[FOUR + i]
            level[FOUR + i] = move if move > largest else largest
            U[o + i] = value


@kernel
def _count_move(moved, level, diagonal):
    one = moved.dtype.type(1.0)
    for i in range(LANES):
        move, largest = level[FOUR + i] * (one + diagonal[i]), moved[i]
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
    zero, one, two = out.dtype.type(0.0), out.dtype.type(1.0), out.dtype.type(2.0)
    other = one - own
    for o in range(np.uint64(0), np.uint64(U.size), LANES):
        for i in range(LANES):
            u, v = U[o + i], V[o + i]
            part = own if pull[i] > zero else zero
            rest = other if pull[i] > zero else one
            cost = part * (u - v) * (u - v) - two * rest * u * v
            out[i] += pull[i] * cost


@kernel
def residual_lanes(bundle, k, n_rows, out):
    """Set ``out[i]`` to the projected gradient of group i.

    See `fuzzypairs.kernels.active_set.projected_gradient`.
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
        _violate(slope, bundle.U[t], level, k, out)


@kernel
def _multiply(a, b, out):
    for i in range(out.size):
        out[i] = a[i] * b[i]


@kernel
def _add_slope(pull, U, V, own, slope):
    zero = slope.dtype.type(0.0)
    for o in range(np.uint64(0), np.uint64(slope.size), LANES):
        for i in range(LANES):
            part = own if pull[i] > zero else zero
            slope[o + i] += pull[i] * (part * U[o + i] - V[o + i])


@kernel
def _dot(a, b, out):
    for i in range(LANES):
        out[i] = 0.0
    for o in range(np.uint64(0), np.uint64(a.size), LANES):
        for i in range(LANES):
            out[i] += a[o + i] * b[o + i]


@kernel
def _violate(slope, U, level, k, out):
    zero = slope.dtype.type(0.0)
    for o in range(np.uint64(0), np.uint64(k) * LANES, LANES):
        for i in range(LANES):
            excess, room, worst = slope[o + i] - level[i], U[o + i], out[i]
            excess = -excess if excess < zero else min(excess, room)
            out[i] = max(worst, excess)


@kernel
def add_sums(bundle, n_rows, sums, masses):
    """Add w u^2 x and w u^2 of all rows: the sums of eq. (13).

    Those of a lane are added up in the precision of the bundle, the rest in that of
    `sums` and `masses`.
    """
    shares = bundle.linear.reshape(-1, tiles.LANES)
    for t in range(n_rows):
        _square(bundle.U[t].reshape(-1, tiles.LANES), bundle.weight[t], shares, masses)
        tiles.tile_sums(bundle.X, t, shares, sums)


@kernel
def _square(U, weight, shares, masses):
    zero = shares.dtype.type(0.0)
    for j in range(masses.size):
        mass = zero
        for i in range(tiles.LANES):
            share = weight[i] * U[j, i] * U[j, i]
            shares[j, i] = share
            mass += share
        masses[j] += mass
