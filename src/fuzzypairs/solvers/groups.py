"""Groups of samples that judgements join: Algorithm 2.

`solve_group` solves one group, with the code that a fit uses for all of them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from fuzzypairs import _core
from fuzzypairs._typing import Floats
from fuzzypairs.pairs.pairset import Links
from fuzzypairs.solvers.exact import solve_exact
from fuzzypairs.solvers.free import memberships_of
from fuzzypairs.solvers.problem import Graph, Problem, usable_pairs

__all__ = ["GroupResult", "solve_group", "solve_small_groups_exactly", "usable_pairs"]

# Largest group that the exact solver is used for.
SMALL_GROUP = 8


@dataclass(frozen=True)
class GroupResult:
    """The memberships of one group."""

    memberships: Floats  # (n_rows, k)
    objective: float  # sum_ij d_ij u_ij^2 + beta * sum_pairs cost, i.e. u'Du
    residual: float  # largest projected gradient, relative to the mean distance
    proved: bool  # whether the optimum is proved to be global


def solve_group(
    dist2: ArrayLike,
    p: ArrayLike,
    q: ArrayLike,
    s: ArrayLike,
    beta: float,
    *,
    start: ArrayLike | None = None,
    method: Literal["sweeps", "exact"] = "sweeps",
    n_starts: int = 20,
    tol: float = 1e-9,
) -> GroupResult:
    """Find the memberships of samples that judgements join: problem (16).

    Minimise ``sum_ij dist2_ij u_ij^2 + beta * sum_pairs cost(u_p, u_q)`` over rows on
    the simplex, with the cost of eq. (6).

    Parameters
    ----------
    dist2 : array-like of shape (n_rows, k)
        Squared distances to the prototypes, times sample weights.
    p, q : array-like of shape (n_pairs,)
        Rows joined by judgements.
    s : array-like of shape (n_pairs,)
        Their grades.
    beta : float
        Weight of the judgements.
    start : array-like of shape (n_rows, k), default=None
        First memberships; None takes those without judgements, eq. (14).
    method : {"sweeps", "exact"}, default="sweeps"
        "sweeps": block coordinate descent in sequence (DBCD), conjugate gradients on
        the active set and, where the group is small and may be indefinite, several
        vertices as starts. "exact": the global optimum, proved by SCIP.
    n_starts : int, default=20
        Number of vertices tried; all of them where there are no more.
    tol : float, default=1e-9
        Largest projected gradient, relative to the mean distance.

    Notes
    -----
    Implements Algorithm 2 of the paper with the sweep in sequence. Where D or B'DB is
    positive semi-definite every stationary point is global, so no separate convex
    solver is needed (steps 2 and 3). For k = r = 2 all four vertices are tried
    (Corollary 1).

    Examples
    --------
    >>> result = solve_group([[1.0, 1.2], [1.0, 1.1]], [0], [1], [-1.0], beta=10.0)
    >>> result.memberships
    array([[1., 0.],
           [0., 1.]])
    """
    dist2 = np.ascontiguousarray(dist2, dtype=np.float64)
    n_rows = len(dist2)
    scale = float(dist2.mean()) or 1.0
    s = np.asarray(s, dtype=np.float64)
    p, q = np.asarray(p, dtype=np.int64), np.asarray(q, dtype=np.int64)
    links = Links.between(np.arange(n_rows), np.array([0, n_rows]), p, q)
    groups = _core.Groups(*Graph.of(links, s, beta / scale))
    if start is None:
        start = memberships_of(dist2, 2.0)
    groups.memberships = np.ascontiguousarray(start, dtype=np.float64)
    groups.set_distances(dist2 / scale)
    turns = min(n_starts, 2)
    groups.refine(tol, 1.0, turns, n_starts, n_rows, 0.0)
    proved = False
    if method == "exact":
        exact = solve_exact(dist2, p, q, s, beta, start=groups.memberships)
        proved = exact.proved
        groups.memberships = exact.memberships
        groups.refine(tol, 1.0, 0, 0, n_rows, 0.0)
    value, residual = groups.evaluate(1.0)
    return GroupResult(groups.memberships, scale * value, residual, proved)


def solve_small_groups_exactly(problem: Problem) -> Callable[[float], bool]:
    """Return a function that replaces small groups by proved optima."""
    graph = problem.graph.in_units(problem.passes.scale)

    def improve(gain: float) -> bool:
        core = problem.groups
        U, dist2 = core.memberships, core.distances
        lowest = core.evaluate(1.0)[0]
        for first, last in zip(graph.groups[:-1], graph.groups[1:], strict=True):
            if last - first <= SMALL_GROUP:
                exact = _solve_range(graph, dist2, U, int(first), int(last))
                U[first:last] = exact
        before = core.memberships
        core.memberships = U
        if core.evaluate(1.0)[0] < lowest - gain:
            return True
        core.memberships = before
        return False

    return improve


def _solve_range(
    graph: Graph, dist2: Floats, U: Floats, first: int, last: int
) -> Floats:
    """Return proved memberships of one group, or those it has if they are as low."""
    edges = slice(graph.indptr[first], graph.indptr[last])
    degree = np.diff(graph.indptr[first : last + 1])
    source = np.repeat(np.arange(last - first), degree)
    target = graph.neighbor[edges] - first
    once = source < target
    # beta = 2 turns pulls back into grades: pull = beta s / 2.
    judged = source[once], target[once], graph.pull[edges][once], 2.0
    exact = solve_exact(dist2[first:last], *judged, start=U[first:last])
    return exact.memberships
