"""The optimisation problem of eq. (5), and what a run asks of the samples."""

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from fuzzypairs._core import Groups
from fuzzypairs._typing import Floats, Ints
from fuzzypairs.pairs.pairset import Links
from fuzzypairs.solvers.groups import Graph
from fuzzypairs.solvers.result import RunResult
from fuzzypairs.starts.start import Start

__all__ = ["Passes", "Problem"]


class Passes(Protocol):
    """Passes over samples: what a run needs of a metric.

    Attributes
    ----------
    has_points : bool
        Whether prototypes are points, whose distances from each other mean something.
    scale : float
        The distance that changes of distances are measured by.
    """

    has_points: bool
    scale: float

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
        """Run from each start; where it pays, in a cheaper problem first."""

    def free_memberships(self, centers: Floats) -> Floats:
        """Return eq. (14) for all samples, shape (n_samples, n_clusters)."""


@dataclass(frozen=True, eq=False)
class Problem:
    """Minimise eq. (5) for checked data: all that a run does not change.

        min over U, C of  sum_i w_i sum_j (u_ij^g - alpha) d(x_i, c_j)
                          + beta * sum_pairs cost(u_p, u_q),   rows of U on the simplex

    Attributes
    ----------
    passes : Passes
        The samples, and how a metric passes over them.
    constrained : ndarray of shape (n_constrained,)
        The samples under judgements, ordered by group.
    graph : Graph
        The judgements between them.
    groups : Groups
        The same for passes; room for the memberships of one run at a time.
    alpha, beta : float
        Of eq. (5).
    weight : ndarray of shape (n_samples,) or None
        Sample weights, the largest of them 1.
    heaviest : float
        What they were divided by.
    tol : float
        The largest root mean square move of a prototype, relative to the spread of
        the data, and the largest change of a constrained membership, at the end.
    max_iter : int
        The most passes over the data in a run.
    is_exact : bool
        Whether the optima of small groups are proved by SCIP.
    """

    passes: Passes
    constrained: Ints
    graph: Graph
    groups: Groups
    alpha: float
    beta: float
    weight: Floats | None
    heaviest: float
    tol: float
    max_iter: int
    is_exact: bool

    def with_grades(self, p: Ints, q: Ints, grade: Floats) -> "Problem":
        """Return the problem with the same judgements graded anew.

        Parameters
        ----------
        p, q : ndarray of shape (n_pairs,)
            Places in `constrained` of the samples they join.
        grade : ndarray of shape (n_pairs,)
        """
        rows = np.arange(len(self.constrained))
        links = Links.between(rows, self.graph.groups, p, q)
        graph = Graph.of(links, grade, self.beta / self.heaviest, self.graph.own)
        return replace(self, graph=graph, groups=self.passes.make_groups(graph))
