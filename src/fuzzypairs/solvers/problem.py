"""The optimisation problem of eq. (5), and the interface of passes over samples."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol, Self

import numpy as np

from fuzzypairs._core import Groups
from fuzzypairs._typing import Floats, Ints
from fuzzypairs.pairs import PairSet
from fuzzypairs.pairs.pairset import Links
from fuzzypairs.solvers.result import RunResult
from fuzzypairs.solvers.start import Start

# Largest weight of judgements relative to distances, which would be lost to rounding.
STRONGEST = 1e12


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
        """Return the graph of judgements with grades `s` and weight `beta`.

        `own` is the factor of the diagonal of eq. (18): 1 is the cost of eq. (6), which
        makes memberships of alike samples equal; 0 that of eq. (4), which makes their
        inner product large.
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


class Passes(Protocol):
    """Passes over samples: what a run needs from a metric."""

    has_points: bool  # prototypes are points, with distances between them
    scale: float  # unit of distances
    n_threads: int

    def make_groups(self, graph: Graph) -> Groups:
        """Return the groups of judged samples, ready for passes."""

    def first_prototypes(
        self, problem: "Problem", start: Start
    ) -> tuple[Floats, Floats]:
        """Return prototypes of a start, and memberships of the constrained samples."""

    def descend(
        self, problem: "Problem", centers: Floats, constrained: Floats
    ) -> RunResult:
        """Run Algorithm 1 from prototypes and memberships of constrained samples."""

    def run(self, problem: "Problem", starts: list[Start]) -> list[RunResult]:
        """Run from each start; for wide data, in fewer dimensions first."""

    def free_memberships(self, centers: Floats) -> Floats:
        """Return eq. (14) for all samples, shape (n_samples, n_clusters)."""


# Below this, steps are rounding, and a run would go on to `max_iter`.
LEAST_TOL = 1e-14


@dataclass(frozen=True, eq=False)
class Problem:
    """Minimise eq. (5) for checked data: everything that a run does not change.

        min over U, C of  sum_i w_i sum_j (u_ij^g - alpha) d(x_i, c_j)
                          + beta * sum_pairs cost(u_p, u_q),   rows of U on the simplex

    A run ends when prototypes move by less than `tol` (root mean square, relative to
    the spread of the data) and constrained memberships change by less.
    """

    passes: Passes  # the samples and their metric
    constrained: Ints  # (n_constrained,) samples with judgements, ordered by group
    graph: Graph  # the judgements between them
    groups: Groups  # the same in the core, with the memberships of one run at a time
    weight: Floats | None  # (n_samples,) sample weights, divided by the largest
    heaviest: float  # the largest sample weight
    alpha: float
    beta: float
    tol: float
    max_iter: int  # largest number of passes in a run
    is_exact: bool  # whether SCIP proves the optima of small groups

    @classmethod
    def over(
        cls,
        make_passes: Callable[[Floats | None, Ints], Passes],
        weight: Floats | None,
        pairs: PairSet,
        *,
        alpha: float,
        beta: float,
        tol: float,
        max_iter: int,
        is_exact: bool = False,
        own: float = 1.0,
    ) -> Self:
        """Return the problem for sample weights and judgements.

        `make_passes` is called with the scaled weights and the constrained samples.
        `own` chooses the cost of alike samples, see `Graph.of`. Judgements about
        samples of weight 0 are left out.
        """
        heaviest = 1.0
        if weight is not None:
            heaviest = float(weight.max())
            weight = weight / heaviest
        pairs = usable_pairs(pairs, weight, beta)
        rows = pairs.links.rows
        graph = Graph.of(pairs.links, pairs.grade, beta / heaviest, own)
        passes = make_passes(weight, rows)
        groups = passes.make_groups(graph)
        data = passes, rows, graph, groups, weight, heaviest
        return cls(*data, alpha, beta, max(tol, LEAST_TOL), max_iter, is_exact)

    def with_grades(self, p: Ints, q: Ints, grade: Floats) -> "Problem":
        """Return the problem with other grades (n_pairs,) of the same judgements.

        `p` and `q` (n_pairs,) are the places of their samples in `constrained`.
        """
        rows = np.arange(len(self.constrained))
        links = Links.between(rows, self.graph.groups, p, q)
        graph = Graph.of(links, grade, self.beta / self.heaviest, self.graph.own)
        return replace(self, graph=graph, groups=self.passes.make_groups(graph))


def usable_pairs(pairs: PairSet, weight: Floats | None, beta: float) -> PairSet:
    """Select pairs with an effect: no grade of 0, no sample of weight 0, beta > 0."""
    if beta == 0.0:
        return PairSet.empty(pairs.n_samples)
    pairs = pairs.informative
    if weight is None or np.all(weight > 0.0):
        return pairs
    both = (weight[pairs.i] > 0.0) & (weight[pairs.j] > 0.0)
    return pairs.select(both)
