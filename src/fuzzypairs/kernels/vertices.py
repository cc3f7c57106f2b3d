"""Several starts for small indefinite groups, where one descent may end too high."""

import numpy as np

from fuzzypairs.kernels.faces import settle_groups
from fuzzypairs.kernels.jit import kernel
from fuzzypairs.kernels.sweeps import (
    group_objective,
    put_rows,
    sweep_rows,
    take_rows,
)

# A descent from a vertex is short; one that is not done by then is not promising.
MAX_SWEEPS = 60


@kernel
def refine_groups(graph, blocks, start, stop, tol, scale, n_starts, max_rows, gain):
    """Settle groups, try vertices, settle what they improved.

    Parameters
    ----------
    start, stop : int
        The groups.
    tol, scale : float
        See `settle_groups`.
    n_starts, max_rows, gain : int, int, float
        See `try_vertices`.

    Returns
    -------
    change : float
        The largest change of a membership by the first settling.
    n_improved : int
        Number of groups that vertices improved.
    objective : float
        Of these groups at the end.
    """
    change, _, _ = settle_groups(graph, blocks, start, stop, tol, scale)
    n_improved = try_vertices(
        graph, blocks, start, stop, tol, scale, n_starts, max_rows, gain
    )
    if n_improved > 0:
        settle_groups(graph, blocks, start, stop, tol, scale)
    rows = graph.groups[start], graph.groups[stop]
    return change, n_improved, group_objective(graph, blocks, rows[0], rows[1])


@kernel
def try_vertices(graph, blocks, start, stop, tol, scale, n_starts, max_rows, gain):
    """Descend from several vertices and keep what lowers a group's objective.

    All vertices are tried where there are at most `n_starts` of them, which makes
    k = r = 2 global (Corollary 1); otherwise vertices are drawn by a counter, so that
    the result depends neither on threads nor on a random state. Groups of more than
    `max_rows` rows and those that are surely convex are left alone.

    Returns
    -------
    int
        How many groups were improved by more than ``gain`` (absolute).
    """
    k = blocks.U.shape[1]
    linear = np.empty(k)
    u = np.empty(k)
    improved = 0
    for g in range(start, stop):
        first = graph.groups[g]
        last = graph.groups[g + 1]
        n_rows = last - first
        if n_rows > max_rows or is_surely_convex(graph, blocks, first, last):
            continue
        best = take_rows(blocks.U, first, last)
        lowest = group_objective(graph, blocks, first, last)
        threshold = lowest - gain
        n_vertices = float(k) ** n_rows
        for trial in range(min(n_starts, int(min(n_vertices, 1e9)))):
            code = trial
            for i in range(first, last):
                if n_vertices <= n_starts:
                    cluster = code % k
                    code //= k
                else:
                    cluster = _draw(g, trial, i) % k
                for j in range(k):
                    blocks.U[i, j] = 1.0 if j == cluster else 0.0
            for _ in range(MAX_SWEEPS):
                if sweep_rows(graph, blocks, first, last, scale, linear, u) <= tol:
                    break
            objective = group_objective(graph, blocks, first, last)
            if objective < min(lowest, threshold):
                lowest = objective
                best = take_rows(blocks.U, first, last)
        put_rows(blocks.U, first, best)
        if lowest < threshold:
            improved += 1
    return improved


@kernel
def is_surely_convex(graph, blocks, start, stop):
    """Tell whether every row's distances outweigh its judgements of unlike.

    Judgements of alike add a graph Laplacian to D, those of unlike a matrix that
    such distances dominate: D is positive semi-definite then, and the point where
    descent ends is the global optimum already.
    """
    for i in range(start, stop):
        against = 0.0
        for e in range(graph.indptr[i], graph.indptr[i + 1]):
            against -= min(graph.pull[e], 0.0)
            against += (1.0 - graph.own) * max(graph.pull[e], 0.0)
        if blocks.dist2[i, blocks.low[i]] < against:
            return False
    return True


@kernel
def _draw(group, trial, row):
    """Mix three counters to a non-negative integer (the splitmix64 finaliser)."""
    z = np.uint64(group) * np.uint64(0x9E3779B97F4A7C15)
    z += np.uint64(trial) * np.uint64(0xD1B54A32D192ED03)
    z += np.uint64(row) * np.uint64(0x8CB92BA72F3D8DD7)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.int64((z ^ (z >> np.uint64(31))) >> np.uint64(2))
