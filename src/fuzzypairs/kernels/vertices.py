"""Several starts for small indefinite groups, where one descent may end too high."""

import numpy as np

from fuzzypairs.kernels.active_set import settle_group
from fuzzypairs.kernels.bundles import (
    count_equal,
    empty_bundle,
    fill_row,
    load_graph,
    load_lane,
    load_rows,
    store_lane,
    store_rows,
)
from fuzzypairs.kernels.jit import kernel
from fuzzypairs.kernels.lanes import (
    farthest_lanes,
    invert_lanes,
    linear_lanes,
    objective_lanes,
    place_of,
    residual_lanes,
    solve_lanes,
    sweep_few,
    sweep_lanes,
)
from fuzzypairs.kernels.simplex import solve_row
from fuzzypairs.kernels.sweeps import (
    group_objective,
    invert_rows,
    linear_term,
    put_rows,
    sweep_rows,
    take_rows,
)

# A descent from a vertex is short; one that is not done by then is not promising.
MAX_SWEEPS = 60
# Descents end when memberships change by no more: whichever of them is better than what
# is known is then solved in full.
ROUGH = 1e-3
# A descent this near to the memberships known (the largest difference) falls back to
# them. Nearly all do, after two or three sweeps of the eight they would take to end.
RETURNED = 0.02
# Descents side by side go on until no more than this many are on the way elsewhere.
# With 8, one improvement in forty was missed; with 2, trying takes twice as long.
LEFT_OVER = 4


@kernel
def refine_groups(
    graph, blocks, roundoff, start, stop, tol, scale, turns, n_starts, max_rows, gain
):
    """Settle groups, try other starts, settle what they improved.

    Parameters
    ----------
    roundoff : array of shape (1,), IN
        Its type is the precision in which bundles try starts; see `chunk_pass`.
    start, stop : int
        The groups.
    tol, scale : float
        See `settle_group`.
    turns, n_starts, gain : int, int, float
        See `try_starts`.
    max_rows : int
        Larger groups do not try other starts.

    Returns
    -------
    change : float
        The largest change of a membership by the first settling.
    n_improved : int
        Number of groups that other starts improved.
    objective : float
        Of these groups at the end.
    """
    rows = graph.groups[start], graph.groups[stop]
    invert_rows(graph, blocks, rows[0], rows[1])
    change = 0.0
    n_improved = 0
    bundle = empty_bundle(blocks.U.shape[1], roundoff)
    g = start
    while g < stop:
        first = graph.groups[g]
        last = graph.groups[g + 1]
        n = count_equal(graph.groups, g, stop)
        if n > 0:
            moved, better = _refine_bundle(
                graph, blocks, g, n, bundle, tol, scale, turns, n_starts, gain
            )
            n_improved += better
        else:
            moved = settle_group(graph, blocks, first, last, tol, scale)[0]
            if last - first <= max_rows and try_starts(
                graph,
                blocks,
                first,
                last,
                max(tol, ROUGH),
                scale,
                turns,
                n_starts,
                gain,
            ):
                settle_group(graph, blocks, first, last, tol, scale)
                n_improved += 1
        change = max(change, moved)
        g += max(n, 1)
    return change, n_improved, group_objective(graph, blocks, rows[0], rows[1])


@kernel
def try_starts(graph, blocks, first, last, tol, scale, turns, n_starts, gain):
    """Descend from several starts and keep what lowers a group's objective.

    There are one or two `turns` a row, or `n_starts` if that is more (0: none). All
    vertices are tried if they are no more than these, which makes k = r = 2 global
    (Corollary 1); otherwise rows take turns to choose first (see `_lead`), and further
    starts are vertices drawn by a counter: the result depends neither on threads nor
    on a random state. A group that is surely convex is left alone.

    Returns
    -------
    bool
        Whether the objective fell by more than `gain` (absolute).
    """
    if n_starts == 0 or is_surely_convex(graph, blocks, first, last):
        return False
    k = blocks.U.shape[1]
    n_rows = last - first
    linear = np.empty(k)
    u = np.empty(k)
    known = take_rows(blocks.U, first, last)
    best = known
    before = group_objective(graph, blocks, first, last)
    lowest = before
    n_trials = max(n_starts, turns * n_rows)
    n_vertices = float(k) ** n_rows
    for trial in range(min(n_trials, int(min(n_vertices, 1e9)))):
        if n_vertices > n_trials and trial < turns * n_rows:
            _lead(graph, blocks, first, last, trial, linear, u)
        else:
            code = trial
            for i in range(first, last):
                if n_vertices > n_trials:
                    cluster = _draw(first, trial, i) % k
                else:
                    cluster = code % k
                    code //= k
                for j in range(k):
                    blocks.U[i, j] = 1.0 if j == cluster else 0.0
        for _ in range(MAX_SWEEPS):
            moved = sweep_rows(graph, blocks, first, last, scale, linear, u)
            if moved <= tol or _farthest(blocks.U, first, known) < RETURNED:
                break
        objective = group_objective(graph, blocks, first, last)
        if objective < min(lowest, before - gain):
            lowest = objective
            best = take_rows(blocks.U, first, last)
    put_rows(blocks.U, first, best)
    return lowest < before - gain


@kernel
def _lead(graph, blocks, first, last, trial, linear, u):
    """Let a row choose as if it were alone; the others answer in sequence.

    In the first trials the leading row takes its nearest cluster whole, in as many
    others its free memberships. Which rows yield is what most minima differ in.
    """
    U = blocks.U
    n_rows = last - first
    lead = first + trial % n_rows
    for i in range(first, last):
        for j in range(U.shape[1]):
            U[i, j] = 0.0
    for step in range(n_rows):
        i = first + (trial + step) % n_rows
        linear_term(graph, U, i, linear)
        solve_row(blocks.inverse, i, linear, blocks.low[i], u)
        for j in range(U.shape[1]):
            U[i, j] = u[j]
        if i == lead and trial < n_rows:
            for j in range(U.shape[1]):
                U[i, j] = 1.0 if j == blocks.low[i] else 0.0


@kernel
def _refine_bundle(graph, blocks, g, n, bundle, tol, scale, turns, n_starts, gain):
    """Do for groups g to g + n - 1 what `refine_groups` does for one; see there."""
    first = graph.groups[g]
    n_rows = graph.groups[g + 1] - first
    k = blocks.U.shape[1]
    bundle.own[0] = graph.own
    unit = np.sqrt(scale)
    load_graph(graph, unit, first, n_rows, n, bundle.pull, bundle.diagonal)
    load_rows(blocks.dist2, 1.0 / scale, first, n_rows, n, 0.0, bundle.dist2)
    invert_lanes(k, n_rows, bundle)
    change = _settle_bundle(graph, blocks, first, n_rows, n, bundle, tol, scale)
    n_improved = _try_bundle(
        graph, blocks, first, n_rows, n, bundle, tol, scale, turns, n_starts, gain
    )
    if n_improved > 0:
        _settle_bundle(graph, blocks, first, n_rows, n, bundle, tol, scale)
    return change, n_improved


@kernel
def _try_bundle(
    graph, blocks, first, n_rows, n, bundle, tol, scale, turns, n_starts, gain
):
    """Do for n groups what `try_starts` does for one; return how many improved."""
    k = blocks.U.shape[1]
    some = False
    for begin in range(first, first + n * n_rows, n_rows):
        some = some or not is_surely_convex(graph, blocks, begin, begin + n_rows)
    if n_starts == 0 or not some:
        return 0
    objective = np.empty_like(bundle.moved)
    objective_lanes(bundle, n_rows, objective)
    known = bundle.U[:n_rows].copy()
    bound = objective - gain / scale
    improved = np.zeros(n, dtype=np.bool_)
    n_trials = max(n_starts, turns * n_rows)
    n_vertices = float(k) ** n_rows
    all_vertices = n_vertices <= n_trials
    for trial in range(int(n_vertices) if all_vertices else turns * n_rows):
        if all_vertices:
            code = trial
            for t in range(n_rows):
                fill_row(bundle.U[t], code % k)
                code //= k
        else:
            _lead_lanes(bundle, k, n_rows, trial)
        _descend_lanes(bundle, known, n_rows, max(tol, ROUGH))
        objective_lanes(bundle, n_rows, objective)
        for i in range(n):
            if objective[i] < bound[i]:
                bound[i] = objective[i]
                improved[i] = True
                store_lane(blocks.U, first, n_rows, i, bundle.U)
    return improved.sum()


@kernel
def _settle_bundle(graph, blocks, first, n_rows, n, bundle, tol, scale):
    """Solve groups as `settle_group` does; return the largest change.

    Side by side until few move, then one by one; in `bundle` as in `blocks`.
    """
    k = blocks.U.shape[1]
    load_rows(blocks.U, 1.0, first, n_rows, n, 1.0 / k, bundle.U)
    residual = np.empty_like(bundle.moved)
    residual_lanes(bundle, k, n_rows, residual)
    if residual.max() <= tol:
        return 0.0
    before = bundle.U[:n_rows].copy()
    sweep_few(bundle, n_rows, MAX_SWEEPS, tol)
    store_rows(blocks.U, first, n_rows, n, bundle.U)
    residual_lanes(bundle, k, n_rows, residual)
    for i in range(n):
        if residual[i] > tol:
            begin = first + i * n_rows
            settle_group(graph, blocks, begin, begin + n_rows, tol, scale)
            load_lane(blocks.U, first, n_rows, i, bundle.U)
    farthest_lanes(bundle.U, before, residual)
    return residual.max()


@kernel
def _lead_lanes(bundle, k, n_rows, trial):
    """Do in every lane what `_lead` does in a group."""
    for t in range(n_rows):
        fill_row(bundle.U[t], k)
    for step in range(n_rows):
        t = (trial + step) % n_rows
        if step == 0 and trial < n_rows:
            for i in range(bundle.moved.size):
                bundle.U[t, place_of(bundle.low[t], i)] = 1.0
        else:
            linear_lanes(bundle, n_rows, t)
            bundle.U[t].fill(1.0)
            solve_lanes(bundle, t)


@kernel
def _farthest(U, first, known):
    """Return the largest difference of the rows from `first` on to those known."""
    largest = 0.0
    for i in range(known.shape[0]):
        for j in range(known.shape[1]):
            largest = max(largest, abs(U[first + i, j] - known[i, j]))
    return largest


@kernel
def _descend_lanes(bundle, known, n_rows, tol):
    """Sweep until few groups are on the way to memberships other than those known."""
    farthest = np.empty_like(bundle.moved)
    for _ in range(MAX_SWEEPS):
        sweep_lanes(bundle, n_rows)
        farthest_lanes(bundle.U, known, farthest)
        n_moving = 0
        for i in range(farthest.size):
            n_moving += bundle.moved[i] > tol and farthest[i] > RETURNED
        if n_moving <= LEFT_OVER:
            break


@kernel
def is_surely_convex(graph, blocks, start, stop):
    """Tell whether distances outweigh every judgement of unlike.

    Judgements of alike add a graph Laplacian to D. One of unlike adds, for each
    cluster, a 2 x 2 matrix that is positive semi-definite together with its share of
    the distances of both rows. D is positive semi-definite then, and the point where
    descent ends is the global optimum already.
    """
    for i in range(start, stop):
        for e in range(graph.indptr[i], graph.indptr[i + 1]):
            q = graph.neighbor[e]
            if i < q and (graph.pull[e] < 0.0 or graph.own < 1.0):
                against = _against(graph, i) * _against(graph, q)
                for j in range(blocks.dist2.shape[1]):
                    if blocks.dist2[i, j] * blocks.dist2[q, j] < against:
                        return False
    return True


@kernel
def _against(graph, i):
    """Sum the judgements of a row that are products: of unlike, or all of eq. (4)."""
    total = 0.0
    for e in range(graph.indptr[i], graph.indptr[i + 1]):
        if graph.pull[e] < 0.0 or graph.own < 1.0:
            total += abs(graph.pull[e])
    return total


@kernel
def _draw(group, trial, row):
    """Mix three counters to a non-negative integer (the splitmix64 finaliser)."""
    z = np.uint64(group) * np.uint64(0x9E3779B97F4A7C15)
    z += np.uint64(trial) * np.uint64(0xD1B54A32D192ED03)
    z += np.uint64(row) * np.uint64(0x8CB92BA72F3D8DD7)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.int64((z ^ (z >> np.uint64(31))) >> np.uint64(2))
