"""Memberships and groups for a fuzzifier g other than 2.

The counterparts of `rows`, `sweeps` and `vertices` on the same `Graph` and `Blocks`,
of which `inverse` and `low` are not read. The objective of a group is
``sum_ij d_ij u_ij^g`` and its judgements as in `group_objective`. Gradients are half
the derivatives: g = 2 gives those of `projected_gradient`.
"""

import numpy as np

from fuzzypairs.kernels.jit import kernel
from fuzzypairs.kernels.power_rows import SMALLEST, solve_power_row
from fuzzypairs.kernels.sweeps import linear_term, put_rows, take_rows
from fuzzypairs.kernels.vertices import MAX_SWEEPS, _draw

# Sweeps to settle a group at most, and how many of them before each leap.
MAX_SETTLING = 2000
SWEEPS_A_LEAP = 6


@kernel
def power_rows(values, fuzzifier, start, stop):
    """Turn squared distances to free memberships ``u_j ~ d_j^(-1/(g-1))``, in place."""
    k = values.shape[1]
    inverse = 1.0 / (fuzzifier - 1.0)
    for i in range(start, stop):
        smallest = values[i, 0]
        for j in range(1, k):
            smallest = min(smallest, values[i, j])
        total = 0.0
        for j in range(k):
            # At most one: its power may vanish but not overflow.
            ratio = 1.0
            if values[i, j] > smallest:
                ratio = smallest / values[i, j]
            values[i, j] = np.exp(inverse * np.log(ratio)) if ratio > 0.0 else 0.0
            total += values[i, j]
        for j in range(k):
            values[i, j] /= total


@kernel
def sweep_power_rows(graph, blocks, start, stop, fuzzifier, scale, linear, u):
    """Update the rows in sequence, each from the newest others; return the change.

    `linear` and `u` are scratch of shape (k,); the change is weighted as in
    `sweep_rows`.
    """
    U = blocks.U
    largest = 0.0
    for i in range(start, stop):
        linear_term(graph, U, i, linear)
        diagonal = graph.diagonal[i]
        solve_power_row(blocks.dist2, i, fuzzifier, diagonal, linear, u)
        change = 0.0
        for j in range(u.shape[0]):
            change = max(change, abs(u[j] - U[i, j]))
            U[i, j] = u[j]
        largest = max(largest, change * (1.0 + diagonal / scale))
    return largest


@kernel
def power_objective(graph, blocks, start, stop, fuzzifier):
    """Return the objective of the rows: their distances and their judgements."""
    U = blocks.U
    k = U.shape[1]
    total = 0.0
    for i in range(start, stop):
        for j in range(k):
            if U[i, j] > 0.0:
                total += blocks.dist2[i, j] * np.exp(fuzzifier * np.log(U[i, j]))
        for e in range(graph.indptr[i], graph.indptr[i + 1]):
            q = graph.neighbor[e]
            if q < i:
                cost = 0.0
                if graph.pull[e] > 0.0:
                    for j in range(k):
                        cost += (U[i, j] - U[q, j]) ** 2
                else:
                    for j in range(k):
                        cost -= 2.0 * U[i, j] * U[q, j]
                total += graph.pull[e] * cost
    return total


@kernel
def power_gradient_residual(graph, blocks, start, stop, fuzzifier, scale):
    """Return the largest violation of the optimality conditions, over `scale`.

    The counterpart of `projected_gradient`, for the gradient
    ``(g/2) d u^(g-1)`` plus the judgements'. For g near 1 a membership may be too
    small for a float while its u^(g-1) is not: zeros count as the smallest.
    """
    U = blocks.U
    k = U.shape[1]
    slope = np.empty(k)
    worst = 0.0
    for i in range(start, stop):
        for j in range(k):
            power = np.exp((fuzzifier - 1.0) * np.log(max(U[i, j], SMALLEST)))
            slope[j] = 0.5 * fuzzifier * blocks.dist2[i, j] * power
        for e in range(graph.indptr[i], graph.indptr[i + 1]):
            q = graph.neighbor[e]
            pull = graph.pull[e]
            own = 1.0 if pull > 0.0 else 0.0
            for j in range(k):
                slope[j] += pull * (own * U[i, j] - U[q, j])
        level = 0.0
        for j in range(k):
            level += U[i, j] * slope[j]
        for j in range(k):
            excess = slope[j] - level
            worst = max(worst, -excess, min(excess, scale * U[i, j]))
    return worst / scale


@kernel
def power_groups(graph, blocks, start, stop, effort, tol, fuzzifier, scale):
    """One inexact step of the groups ``start`` to ``stop - 1``.

    Each group is swept until its change is at most `tol`, at most `effort` times.

    Returns
    -------
    objective : float
    change : float
        The largest change in the last sweep of any group.
    """
    k = blocks.U.shape[1]
    linear = np.empty(k)
    u = np.empty(k)
    objective = 0.0
    change = 0.0
    for g in range(start, stop):
        first = graph.groups[g]
        last = graph.groups[g + 1]
        moved = 0.0
        for _ in range(effort):
            moved = sweep_power_rows(
                graph, blocks, first, last, fuzzifier, scale, linear, u
            )
            if moved <= tol:
                break
        change = max(change, moved)
        objective += power_objective(graph, blocks, first, last, fuzzifier)
    return objective, change


@kernel
def refine_power_groups(
    graph, blocks, start, stop, tol, scale, n_starts, max_rows, gain, fuzzifier
):
    """Settle groups, try vertices, settle what they improved.

    Parameters
    ----------
    start, stop : int
        The groups.
    tol, scale : float
        Sweep until no gradient exceeds ``tol * scale``.
    n_starts, max_rows, gain : int, int, float
        See `_try_vertices`.
    fuzzifier : float

    Returns
    -------
    change : float
        The largest change of a membership by the first settling.
    n_improved : int
        Number of groups that vertices improved.
    objective : float
        Of these groups at the end.
    """
    change = 0.0
    n_improved = 0
    objective = 0.0
    for g in range(start, stop):
        first = graph.groups[g]
        last = graph.groups[g + 1]
        change = max(change, _settle(graph, blocks, first, last, tol, scale, fuzzifier))
        if last - first <= max_rows and _may_be_indefinite(
            graph, blocks, first, last, fuzzifier
        ):
            improved = _try_vertices(
                graph, blocks, g, tol, scale, n_starts, gain, fuzzifier
            )
            if improved:
                _settle(graph, blocks, first, last, tol, scale, fuzzifier)
                n_improved += 1
        objective += power_objective(graph, blocks, first, last, fuzzifier)
    return change, n_improved, objective


@kernel
def _settle(graph, blocks, start, stop, tol, scale, fuzzifier):
    """Sweep the rows of a group until they are stationary; return their change.

    For large g all gradients are small where memberships are: the step has to be
    small as well.
    """
    k = blocks.U.shape[1]
    linear = np.empty(k)
    u = np.empty(k)
    before = take_rows(blocks.U, start, stop)
    newer = before
    for n in range(1, MAX_SETTLING + 1):
        older = newer
        newer = take_rows(blocks.U, start, stop)
        moved = sweep_power_rows(
            graph, blocks, start, stop, fuzzifier, scale, linear, u
        )
        if moved == 0.0 or (
            moved <= tol
            and power_gradient_residual(graph, blocks, start, stop, fuzzifier, scale)
            <= tol
        ):
            break
        if n % SWEEPS_A_LEAP == 0:
            _leap(graph, blocks, start, stop, older, newer, fuzzifier)
    change = 0.0
    for i in range(start, stop):
        for j in range(k):
            change = max(change, abs(blocks.U[i, j] - before[i - start, j]))
    return change


@kernel
def _leap(graph, blocks, start, stop, older, newer, fuzzifier):
    """Go where a geometric series of sweeps would end, if that is lower.

    Where judgements are much stronger than distances, alike rows crawl together: each
    sweep moves them by a little less than the one before. `older` and `newer` are the
    rows two sweeps and one sweep ago.
    """
    U = blocks.U
    k = U.shape[1]
    size = 0.0
    product = 0.0
    for i in range(start, stop):
        for j in range(k):
            first = newer[i - start, j] - older[i - start, j]
            size += first * first
            product += first * (U[i, j] - newer[i - start, j])
    if not 0.0 < product < size:
        return
    length = product / (size - product)
    lowest = power_objective(graph, blocks, start, stop, fuzzifier)
    swept = take_rows(U, start, stop)
    for i in range(start, stop):
        total = 0.0
        for j in range(k):
            U[i, j] = max(0.0, U[i, j] + length * (U[i, j] - newer[i - start, j]))
        for j in range(k):
            total += U[i, j]
        for j in range(k):
            U[i, j] /= total
    if not power_objective(graph, blocks, start, stop, fuzzifier) <= lowest:
        put_rows(U, start, swept)


@kernel
def _may_be_indefinite(graph, blocks, start, stop, fuzzifier):
    """Tell whether judgements of unlike may outweigh a row's distances.

    As in `is_surely_convex`, with half the second derivative of d u^g: at least
    ``g (g - 1) / 2 d`` for g <= 2 and nothing for more, where u is zero.
    """
    curvature = 0.5 * fuzzifier * (fuzzifier - 1.0) if fuzzifier <= 2.0 else 0.0
    for i in range(start, stop):
        against = 0.0
        for e in range(graph.indptr[i], graph.indptr[i + 1]):
            against -= min(graph.pull[e], 0.0)
        for j in range(blocks.dist2.shape[1]):
            if curvature * blocks.dist2[i, j] < against:
                return True
    return False


@kernel
def _try_vertices(graph, blocks, group, tol, scale, n_starts, gain, fuzzifier):
    """Descend from several vertices; tell whether the group improved by `gain`.

    All vertices if they are no more than `n_starts`, else some drawn by a counter.
    """
    U = blocks.U
    k = U.shape[1]
    linear = np.empty(k)
    u = np.empty(k)
    first = graph.groups[group]
    last = graph.groups[group + 1]
    best = take_rows(U, first, last)
    lowest = power_objective(graph, blocks, first, last, fuzzifier)
    threshold = lowest - gain
    n_vertices = float(k) ** (last - first)
    for trial in range(min(n_starts, int(min(n_vertices, 1e9)))):
        code = trial
        for i in range(first, last):
            if n_vertices <= n_starts:
                cluster = code % k
                code //= k
            else:
                cluster = _draw(group, trial, i) % k
            for j in range(k):
                U[i, j] = 1.0 if j == cluster else 0.0
        for _ in range(MAX_SWEEPS):
            moved = sweep_power_rows(
                graph, blocks, first, last, fuzzifier, scale, linear, u
            )
            if moved <= tol:
                break
        objective = power_objective(graph, blocks, first, last, fuzzifier)
        if objective < min(lowest, threshold):
            lowest = objective
            best = take_rows(U, first, last)
    put_rows(U, first, best)
    return lowest < threshold
