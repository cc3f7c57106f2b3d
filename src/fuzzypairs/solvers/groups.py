"""Groups of samples that judgements join: Algorithm 2.

A `Graph` holds the judgements of all groups as the core takes them; `solve_group`
solves one group alone with the same code.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from fuzzypairs import _core
from fuzzypairs._typing import Floats, Ints
from fuzzypairs.pairs import PairSet
from fuzzypairs.pairs.pairset import Links
from fuzzypairs.solvers.exact import solve_exact
from fuzzypairs.solvers.free import memberships_of

if TYPE_CHECKING:
    from fuzzypairs.solvers.problem import Problem

__all__ = ["Graph", "GroupResult", "solve_group", "usable_pairs"]

# Judgements that outweigh distances by more would leave no digits of them.
STRONGEST = 1e12
# Groups of up to this many samples are proved where that is asked for.
SMALL_GROUP = 8


class Graph(NamedTuple):
    """Judgements as a symmetric sparse matrix over the judged rows: eqs. (18), (19)."""

    groups: Ints  # (n_groups + 1,) first row of each group
    indptr: Ints  # (n_rows + 1,) first edge of each row
    neighbor: Ints  # (n_edges,) row at the other end
    pull: Floats  # (n_edges,) beta s / 2
    diagonal: Floats  # (n_rows,) sum of positive pulls, times own
    own: float  # 1: the cost of eq. (6); 0: that of eq. (4)

    @classmethod
    def of(cls, links: Links, s: Floats, beta: float, own: float = 1.0) -> "Graph":
        """Return the graph of judgements graded `s`, their weight being `beta`.

        `own` is 1 for the cost of eq. (6), whose alike samples have the same
        memberships; 0 for that of eq. (4), whose alike samples have a large product of
        them; between these, the share of the diagonal of eq. (18) that counts.
        """
        pull = s[links.pair] * (0.5 * beta)
        alike = np.bincount(links.source, np.maximum(pull, 0.0), len(links.rows))
        diagonal = own * np.asarray(alike, dtype=np.float64)
        return cls(links.groups, links.indptr, links.neighbor, pull, diagonal, own)

    def in_units(self, scale: float) -> "Graph":
        """Return the graph for distances that are divided by `scale`."""
        strongest = np.abs(self.pull).max(initial=0.0)
        factor = 1.0 / scale
        if strongest * factor > STRONGEST:
            factor = STRONGEST / strongest
        return self._replace(pull=self.pull * factor, diagonal=self.diagonal * factor)


@dataclass(frozen=True)
class GroupResult:
    """The memberships of one group.

    Attributes
    ----------
    memberships : ndarray of shape (n_rows, k)
    objective : float
        sum_ij d_ij u_ij^2 + beta * sum_pairs cost, i.e. u'Du.
    residual : float
        The largest projected gradient left, relative to the mean distance.
    proved : bool
        Whether the optimum is proved to be global.
    """

    memberships: Floats
    objective: float
    residual: float
    proved: bool


def usable_pairs(pairs: PairSet, weight: Floats | None, beta: float) -> PairSet:
    """Leave out what cannot act: grades of 0, samples of weight 0, all if beta is 0."""
    if beta == 0.0:
        return PairSet.empty(pairs.n_samples)
    pairs = pairs.informative
    if weight is None or np.all(weight > 0.0):
        return pairs
    both = (weight[pairs.i] > 0.0) & (weight[pairs.j] > 0.0)
    return PairSet(pairs.i[both], pairs.j[both], pairs.grade[both], pairs.n_samples)


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

    Returns
    -------
    GroupResult

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


def solve_small_groups_exactly(problem: "Problem") -> Callable[[float], bool]:
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
