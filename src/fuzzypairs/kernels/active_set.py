"""Solving groups to a projected gradient: sweeps, then conjugate gradients on a face.

Where judgements are much stronger than distances, sweeps crawl along the smooth
modes of the pair graph: each step is tiny while the error is not. The gradient does
see that error, so it decides when to stop, and conjugate gradients over the
memberships that are not zero (the face) remove it. Every step lowers the objective,
whether the group is convex or not.
"""

import numpy as np

from fuzzypairs.kernels.bundles import (
    count_equal,
    empty_bundle,
    load_lane,
    load_rows,
    store_rows,
    view_bundle,
)
from fuzzypairs.kernels.jit import kernel
from fuzzypairs.kernels.lanes import (
    add_sums,
    measure_lanes,
    objective_lanes,
    sweep_few,
)
from fuzzypairs.kernels.sweeps import (
    gradient,
    group_objective,
    invert_rows,
    measure_rows,
    put_rows,
    sweep_rows,
    take_rows,
)

# A sweep that moves more than this share of the one before it crawls.
CRAWL = 0.8
MAX_ROUNDS = 100
SWEEPS_A_ROUND = 12
CG_STEPS_A_ROUND = 1000
# How far conjugate gradients can reduce the squared gradient in float64.
ROUNDING = 1e-24


@kernel
def settle_group(graph, blocks, first, last, tol, scale):
    """Solve the group of rows first to last - 1 to a gradient of ``tol * scale``.

    Returns
    -------
    change : float
        The largest change of any membership since the call.
    residual : float
        The largest projected gradient left, in units of `scale`.
    n_sweeps : int
    """
    k = blocks.U.shape[1]
    linear = np.empty(k)
    u = np.empty(k)
    change = 0.0
    n_sweeps = 0
    before = take_rows(blocks.U, first, last)
    residual = projected_gradient(graph, blocks, first, last, scale)
    rounds = 0
    while residual > tol and rounds < MAX_ROUNDS:
        for _ in range(SWEEPS_A_ROUND):
            n_sweeps += 1
            if sweep_rows(graph, blocks, first, last, scale, linear, u) == 0.0:
                break
        residual = projected_gradient(graph, blocks, first, last, scale)
        if residual > tol:
            descend_face(graph, blocks, first, last, 0.1 * tol * scale)
            residual = projected_gradient(graph, blocks, first, last, scale)
        rounds += 1
    for i in range(first, last):
        for j in range(k):
            change = max(change, abs(blocks.U[i, j] - before[i - first, j]))
    return change, residual, n_sweeps


@kernel
def projected_gradient(graph, blocks, start, stop, scale):
    """Return the largest violation of the optimality conditions, over `scale`.

    On row i the gradient ``a u + f`` must equal a level where u > 0 and not fall
    below it elsewhere. A membership that should shrink counts no more than the
    ``scale * u`` it can still give.
    """
    U = blocks.U
    k = U.shape[1]
    slope = np.empty((1, k))
    worst = 0.0
    for i in range(start, stop):
        gradient(graph, U, blocks.dist2, i, 0, slope, 0)
        level = 0.0
        for j in range(k):
            level += U[i, j] * slope[0, j]
        for j in range(k):
            excess = slope[0, j] - level
            worst = max(worst, -excess, min(excess, scale * U[i, j]))
    return worst / scale


@kernel
def descend_face(graph, blocks, start, stop, tol):
    """Conjugate gradients over the non-zero memberships of rows start to stop - 1.

    The directions keep every row's sum; the preconditioner is the exact solution of
    each row alone. The walk ends at a gradient below `tol`, at the border of the face
    or, where the curvature is negative, on that border by choice.
    """
    U = blocks.U
    n_rows = stop - start
    k = U.shape[1]
    residual = np.empty((n_rows, k))
    direction = np.empty((n_rows, k))
    image = np.empty((n_rows, k))
    free = np.empty((n_rows, k), dtype=np.bool_)
    step = np.empty((n_rows, k))
    for i in range(n_rows):
        gradient(graph, U, blocks.dist2, start + i, 0, residual, i)
        for j in range(k):
            free[i, j] = U[start + i, j] > 0.0
            residual[i, j] = -residual[i, j]
    energy, largest = _precondition(blocks, start, residual, free, step)
    put_rows(direction, 0, step)
    # Beyond this, directions are rounding and would leave the simplex.
    floor = ROUNDING * energy
    for _ in range(CG_STEPS_A_ROUND):
        if largest <= tol or energy <= floor:
            return
        curvature = _apply(graph, blocks, start, direction, free, image)
        border = _distance_to_border(U, start, direction)
        if curvature * border <= energy or curvature <= 0.0:
            _cross_border(
                graph, blocks, start, stop, direction, energy, curvature, border
            )
            return
        length = energy / curvature
        for i in range(n_rows):
            for j in range(k):
                U[start + i, j] += length * direction[i, j]
                residual[i, j] -= length * image[i, j]
        before = energy
        energy, largest = _precondition(blocks, start, residual, free, step)
        ratio = energy / before
        for i in range(n_rows):
            for j in range(k):
                direction[i, j] = step[i, j] + ratio * direction[i, j]


@kernel
def _precondition(blocks, start, residual, free, step):
    """Solve each row alone within the face; return residual.step and the largest.

    The level of each row is taken off its residual: it does not act along the face,
    and it would drown the rest in rounding.
    """
    energy = 0.0
    largest = 0.0
    for i in range(residual.shape[0]):
        mass = 0.0
        moment = 0.0
        for j in range(residual.shape[1]):
            if free[i, j]:
                mass += blocks.inverse[start + i, j]
                moment += blocks.inverse[start + i, j] * residual[i, j]
        level = moment / mass
        for j in range(residual.shape[1]):
            if free[i, j]:
                residual[i, j] -= level
                step[i, j] = blocks.inverse[start + i, j] * residual[i, j]
                largest = max(largest, abs(residual[i, j]))
            else:
                residual[i, j] = 0.0
                step[i, j] = 0.0
        for j in range(residual.shape[1]):
            energy += residual[i, j] * step[i, j]
    return energy, largest


@kernel
def _apply(graph, blocks, start, direction, free, image):
    """Set ``image`` to D direction within the face; return direction.image."""
    curvature = 0.0
    for i in range(direction.shape[0]):
        gradient(graph, direction, blocks.dist2, start + i, start, image, i)
        for j in range(direction.shape[1]):
            if not free[i, j]:
                image[i, j] = 0.0
        for j in range(direction.shape[1]):
            curvature += direction[i, j] * image[i, j]
    return curvature


@kernel
def _distance_to_border(U, start, direction):
    border = np.inf
    for i in range(direction.shape[0]):
        for j in range(direction.shape[1]):
            if direction[i, j] < 0.0:
                border = min(border, -U[start + i, j] / direction[i, j])
    return border


@kernel
def _cross_border(graph, blocks, start, stop, direction, energy, curvature, border):
    """Step past the border with negative memberships cut off, or else up to it.

    One membership at a time would need a round for each that becomes zero; cutting
    many at once is kept only if it is better than stopping at the border.
    """
    U = blocks.U
    k = U.shape[1]
    if not np.isfinite(border):
        return
    before = take_rows(U, start, stop)
    length = energy / curvature if curvature > 0.0 else 2.0 * border
    for i in range(start, stop):
        total = 0.0
        for j in range(k):
            U[i, j] = max(0.0, U[i, j] + length * direction[i - start, j])
        for j in range(k):
            total += U[i, j]
        for j in range(k):
            U[i, j] /= total
    far = group_objective(graph, blocks, start, stop)
    after = take_rows(U, start, stop)
    for i in range(start, stop):
        for j in range(k):
            value = before[i - start, j] + border * direction[i - start, j]
            # What reaches the border is zero, not zero up to rounding.
            U[i, j] = value if value > 1e-15 else 0.0
    if far < group_objective(graph, blocks, start, stop):
        put_rows(U, start, after)


@kernel
def step_groups(graph, blocks, start, stop, effort, tol, scale):
    """One inexact step of groups whose distances are given in `blocks`.

    As `group_pass`, for spaces that measure distances and sum prototypes themselves.

    Returns
    -------
    objective, change : float
    """
    linear = np.empty(blocks.U.shape[1])
    u = np.empty(blocks.U.shape[1])
    objective = 0.0
    change = 0.0
    for g in range(start, stop):
        first = graph.groups[g]
        last = graph.groups[g + 1]
        invert_rows(graph, blocks, first, last)
        moved = descend_group(graph, blocks, first, last, effort, tol, scale, linear, u)
        change = max(change, moved)
        objective += group_objective(graph, blocks, first, last)
    return objective, change


@kernel
def group_pass(
    X,
    weight,
    C,
    graph,
    blocks,
    bundles,
    part,
    start,
    stop,
    effort,
    tol,
    scale,
    sums,
    masses,
):
    """One inexact step of the groups ``start`` to ``stop - 1``.

    Each group is swept until its change is at most `tol`, at most `effort` times:
    Theorem 1 needs only that a step does not raise the objective. Where sweeps crawl,
    conjugate gradients follow, to a gradient of ``tol * scale``. These groups are the
    range number `part` of those that `bundles` were packed for.

    Returns
    -------
    objective : float
    change : float
        The largest change in the last sweep of any group.
    """
    k = C.shape[0]
    n_features = C.shape[1]
    linear = np.empty(k)
    u = np.empty(k)
    sums[:] = 0.0
    masses[:] = 0.0
    objective = 0.0
    change = 0.0
    n_bundled = 0
    g = start
    while g < stop:
        n = count_equal(graph.groups, g, stop)
        if n > 0:
            n_bundled += n
            g += n
            continue
        first = graph.groups[g]
        last = graph.groups[g + 1]
        measure_rows(X, weight, C, graph, blocks, first, last)
        moved = descend_group(graph, blocks, first, last, effort, tol, scale, linear, u)
        change = max(change, moved)
        objective += group_objective(graph, blocks, first, last)
        for i in range(first, last):
            for j in range(k):
                share = weight[i] * blocks.U[i, j] * blocks.U[i, j]
                masses[j] += share
                for f in range(n_features):
                    sums[j, f] += share * X[i, f]
        g += 1
    if n_bundled > 0:
        value, moved = bundle_pass(
            X,
            weight,
            C,
            graph,
            blocks,
            bundles,
            part,
            start,
            stop,
            effort,
            tol,
            scale,
            sums,
            masses,
        )
        objective += value
        change = max(change, moved)
    return objective, change


@kernel
def bundle_pass(
    X,
    weight,
    C,
    graph,
    blocks,
    bundles,
    part,
    start,
    stop,
    effort,
    tol,
    scale,
    sums,
    masses,
):
    """Do for the bundles among the groups what `group_pass` does for the others."""
    k, n_features = C.shape
    unit = np.sqrt(scale)
    room = empty_bundle(k, bundles.roundoff)
    inside = np.empty((k, n_features), bundles.roundoff.dtype)
    partial = np.zeros((k, n_features))
    for j in range(k):
        for f in range(n_features):
            inside[j, f] = C[j, f] / unit
    linear = np.empty(k)
    u = np.empty(k)
    objective = 0.0
    change = 0.0
    row = bundles.starts[part]
    g = start
    while g < stop:
        n = count_equal(graph.groups, g, stop)
        if n > 0:
            first = graph.groups[g]
            size = graph.groups[g + 1] - first
            bundle = view_bundle(bundles, row, size, graph.own, room)
            row += size
            load_rows(blocks.U, 1.0, first, size, n, 1.0 / k, bundle.U)
            measure_lanes(inside, size, bundle)
            n_moving = sweep_few(bundle, size, effort, tol)
            store_rows(blocks.U, first, size, n, bundle.U)
            for i in range(n):
                moved = np.float64(bundle.moved[i])
                if n_moving > 0 and moved > tol:
                    begin = first + i * size
                    end = begin + size
                    measure_rows(X, weight, C, graph, blocks, begin, end)
                    moved = descend_group(
                        graph, blocks, begin, end, effort, tol, scale, linear, u
                    )
                    load_lane(blocks.U, first, size, i, bundle.U)
                change = max(change, moved)
            objective_lanes(bundle, size, bundle.moved)
            for i in range(n):
                objective += bundle.moved[i]
            add_sums(bundle, size, partial, masses)
        g += max(n, 1)
    for j in range(k):
        for f in range(n_features):
            sums[j, f] += unit * partial[j, f]
    return scale * objective, change


@kernel
def descend_group(graph, blocks, first, last, effort, tol, scale, linear, u):
    """Sweep a group, then conjugate gradients if sweeps crawl; return the change."""
    moved = 0.0
    crawling = False
    for _ in range(effort):
        before = moved
        moved = sweep_rows(graph, blocks, first, last, scale, linear, u)
        crawling = moved > CRAWL * before and before > 0.0
        if moved <= tol:
            break
    if crawling and moved > tol:
        descend_face(graph, blocks, first, last, tol * scale)
        moved = sweep_rows(graph, blocks, first, last, scale, linear, u)
    return moved
