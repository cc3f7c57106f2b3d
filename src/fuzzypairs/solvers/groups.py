"""Groups of samples that judgements join: Algorithm 2.

`build_graph` turns a `PairSet` to the arrays of the kernels; `solve_group` solves
one group alone. Passes work on all groups of a `Graph` with the same kernels.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fuzzypairs._typing import Floats, Ints
from fuzzypairs.kernels.active_set import settle_group
from fuzzypairs.kernels.bundles import (
    FEWEST_GROUPS,
    MOST_ROWS,
    Bundles,
    pack_bundles,
)
from fuzzypairs.kernels.rows import free_rows
from fuzzypairs.kernels.steps import DOUBLE
from fuzzypairs.kernels.sweeps import Blocks, Graph, group_objective, invert_rows
from fuzzypairs.kernels.tiles import LANES
from fuzzypairs.kernels.vertices import try_starts
from fuzzypairs.pairs import PairSet
from fuzzypairs.pairs.links import Links
from fuzzypairs.solvers.exact import solve_exact
from fuzzypairs.solvers.multistart import FULL
from fuzzypairs.threads import cut

__all__ = ["GroupResult", "build_graph", "solve_group"]


# Judgements that outweigh distances by more would drown them in single precision.
STRONGEST = 10.0


NO_BUNDLES = Bundles(
    X=np.empty((0, 0, LANES)),
    weight=np.empty((0, LANES)),
    pull=np.empty((0, MOST_ROWS, LANES)),
    diagonal=np.empty((0, LANES)),
    starts=np.zeros(2, dtype=np.int64),
    roundoff=DOUBLE,
)


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
    n_sweeps : int
    proved : bool
        Whether the optimum is proved to be global.
    """

    memberships: Floats
    objective: float
    residual: float
    n_sweeps: int
    proved: bool


class GroupSolution(NamedTuple):
    """What solving all groups has changed.

    Attributes
    ----------
    change : float
        The largest change of a membership.
    is_improved : bool
        Whether other starts led lower.
    gained : float
        The share by which the sum of distances and costs fell.
    """

    change: float
    is_improved: bool
    gained: float


def build_graph(pairs: PairSet, beta: float, own: float = 1.0) -> tuple[Ints, Graph]:
    """Order the constrained samples by group and write their graph.

    Parameters
    ----------
    pairs : PairSet
        Informative judgements only.
    beta : float
        Weight of the judgements.
    own : float, default=1.0
        1 for the cost of eq. (6), whose alike samples have the same memberships; 0 for
        that of eq. (4), whose alike samples have a large product of them; between
        them, so much of the diagonal of eq. (18).

    Returns
    -------
    rows : ndarray of shape (n_rows,)
        The constrained samples; a group is a range of them.
    graph : Graph
    """
    links = pairs.links()
    return links.rows, weigh_links(links, pairs.grade, beta, own)


def make_graph(
    groups: Ints, p: Ints, q: Ints, s: Floats, beta: float, own: float = 1.0
) -> Graph:
    """Write the graph of rows that are ordered by group already."""
    links = Links.between(np.arange(groups[-1]), groups, p, q)
    return weigh_links(links, s, beta, own)


def weigh_links(links: Links, s: Floats, beta: float, own: float) -> Graph:
    """Write the graph of judgements graded `s`, their weight being `beta`."""
    pull = s[links.pair] * (0.5 * beta)
    alike = np.bincount(links.source, np.maximum(pull, 0.0), minlength=len(links.rows))
    return Graph(
        groups=links.groups,
        indptr=links.indptr,
        neighbor=links.neighbor,
        pull=pull,
        diagonal=own * alike,
        own=own,
    )


def usable_pairs(pairs: PairSet, weight: Floats | None, beta: float) -> PairSet:
    """Leave out what cannot act: grades of 0, samples of weight 0, all if beta is 0."""
    if beta == 0.0:
        return PairSet.empty(pairs.n_samples)
    pairs = pairs.informative
    if weight is None or np.all(weight > 0.0):
        return pairs
    both = (weight[pairs.i] > 0.0) & (weight[pairs.j] > 0.0)
    return PairSet(pairs.i[both], pairs.j[both], pairs.grade[both], pairs.n_samples)


def cut_groups(groups: NDArray[np.int64]) -> NDArray[np.int64]:
    """Cut the groups into ranges of 2048 rows or so, by the groups alone."""
    n_groups = len(groups) - 1
    if n_groups == 0:
        return np.zeros(1, dtype=np.int64)
    cuts = cut(int(groups[-1]), 2048)
    if len(cuts) == 2:
        return np.array([0, n_groups])
    borders = np.searchsorted(groups, cuts)
    borders[-1] = n_groups
    return np.unique(borders)


def pack_groups(
    X: Floats,
    weight: Floats,
    graph: Graph,
    ranges: Ints,
    variance: float,
    roundoff: Floats,
) -> Bundles:
    """Pack the groups that passes work on side by side.

    In the precision of `roundoff`; in double if judgements are strong.
    """
    if len(graph.groups) <= FEWEST_GROUPS:
        # Small problems have none, and are spared the call.
        return NO_BUNDLES
    strongest = max(np.abs(graph.pull).max(), graph.diagonal.max())
    if strongest > STRONGEST * variance:
        roundoff = DOUBLE
    unit = float(np.sqrt(variance))
    bundles: Bundles = pack_bundles(X, weight, graph, ranges, unit, roundoff)
    return bundles


def make_blocks(n_rows: int, n_clusters: int) -> Blocks:
    """Allocate what the sweeps need for `n_rows` constrained samples."""
    return Blocks(
        U=np.empty((n_rows, n_clusters)),
        dist2=np.empty((n_rows, n_clusters)),
        inverse=np.empty((n_rows, n_clusters)),
        low=np.empty(n_rows, dtype=np.int64),
    )


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
        the last face and, where the group is small and may be indefinite, several
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
    dist2 = np.asarray(dist2, dtype=np.float64)
    n_rows, k = dist2.shape
    scale = float(dist2.mean()) or 1.0
    s = np.asarray(s, dtype=np.float64)
    p, q = np.asarray(p, dtype=np.int64), np.asarray(q, dtype=np.int64)
    graph = make_graph(np.array([0, n_rows]), p, q, s, beta / scale)
    blocks = make_blocks(n_rows, k)
    blocks.dist2[:] = dist2 / scale
    invert_rows(graph, blocks, 0, n_rows)
    if start is None:
        blocks.U[:] = dist2 / scale
        free_rows(blocks.U, 0, n_rows)
    else:
        blocks.U[:] = start
    _, residual, n_sweeps = settle_group(graph, blocks, 0, n_rows, tol, 1.0)
    turns = min(n_starts, FULL[0])
    if try_starts(graph, blocks, 0, n_rows, 1e-3 * tol, 1.0, turns, n_starts, 0.0):
        _, residual, more = settle_group(graph, blocks, 0, n_rows, tol, 1.0)
        n_sweeps += more
    proved = False
    if method == "exact":
        exact = solve_exact(dist2, p, q, s, beta, start=blocks.U)
        proved = exact.proved
        blocks.U[:] = exact.memberships
        _, residual, more = settle_group(graph, blocks, 0, n_rows, tol, 1.0)
        n_sweeps += more
    memberships = blocks.U / blocks.U.sum(axis=1, keepdims=True)
    return GroupResult(
        memberships=memberships,
        objective=scale * group_objective(graph, blocks, 0, n_rows),
        residual=residual,
        n_sweeps=n_sweeps,
        proved=proved,
    )


def solve_small_groups_exactly(
    graph: Graph, blocks: Blocks, max_rows: int, gain: float
) -> int:
    """Replace each small group's memberships by a proved optimum, if it is better.

    Parameters
    ----------
    graph, blocks : Graph, Blocks
        All groups, measured at the prototypes.
    max_rows : int
        Larger groups are left alone.
    gain : float
        Improvements up to this are ignored.

    Returns
    -------
    int
        Number of groups improved.
    """
    improved = 0
    for first, last in zip(graph.groups[:-1], graph.groups[1:], strict=True):
        if last - first > max_rows:
            continue
        edges = slice(graph.indptr[first], graph.indptr[last])
        degree = np.diff(graph.indptr[first : last + 1])
        source = np.repeat(np.arange(last - first), degree)
        target = graph.neighbor[edges] - first
        once = source < target
        # beta = 2 turns pulls back into grades: pull = beta s / 2.
        exact = solve_exact(
            blocks.dist2[first:last],
            source[once],
            target[once],
            graph.pull[edges][once],
            2.0,
            start=blocks.U[first:last],
        )
        before = blocks.U[first:last].copy()
        lowest = group_objective(graph, blocks, first, last) - gain
        blocks.U[first:last] = exact.memberships
        if group_objective(graph, blocks, first, last) < lowest:
            improved += 1
        else:
            blocks.U[first:last] = before
    return improved
