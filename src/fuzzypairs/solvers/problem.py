"""The optimisation problem of eq. (5), and what a run asks of the samples."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol, Self

from fuzzypairs._typing import Floats, Ints
from fuzzypairs.kernels import steps
from fuzzypairs.kernels.sweeps import Graph
from fuzzypairs.solvers.groups import GroupSolution, make_graph
from fuzzypairs.solvers.multistart import Trials
from fuzzypairs.starts.start import Start

__all__ = ["Passes", "Problem"]


class Passes(Protocol):
    """Passes over samples: what a run needs of a metric.

    Attributes
    ----------
    is_long : bool
        Whether passes are made one by one, to share threads and to be interrupted, and
        not in one compiled loop.
    has_points : bool
        Whether prototypes are points, whose distances from each other mean something.
    scale : float
        The distance that changes of distances are measured by.
    origin : ndarray of shape (n_features,) or (1,)
        What prototypes are measured from inside a run.
    """

    is_long: bool
    has_points: bool
    scale: float
    origin: Floats

    def kernel(self, problem: "Problem") -> steps.Problem:
        """Return the arrays of a problem as the compiled outer loop reads them."""

    def n_parts(self, problem: "Problem") -> int:
        """Return into how many parts sums are split."""

    def first_prototypes(
        self, problem: "Problem", start: Start
    ) -> tuple[Floats, Floats]:
        """Return prototypes of a start, and memberships of the constrained samples."""

    def pass_over(self, problem: "Problem", state: steps.State) -> None:
        """Find memberships at the prototypes, sums for the next, and the objective."""

    def solve_groups(
        self,
        problem: "Problem",
        state: steps.State,
        trials: Trials,
        gain: float,
        tol: float,
    ) -> GroupSolution:
        """Solve all groups at the prototypes of the last pass."""

    def objective(self, problem: "Problem", state: steps.State) -> float:
        """Return eq. (5) at the last pass, with the groups as they are now."""

    def free_memberships(self, centers: Floats) -> Floats:
        """Return eq. (14) for all samples, shape (n_samples, n_clusters)."""

    def in_single_precision(self, problem: "Problem") -> Self | None:
        """Return the same passes in single precision, or None if that gains nothing."""

    def projected(self) -> tuple[Floats, Self] | None:
        """Return few directions and passes in them, or None if many are needed."""


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
    accelerate_below : float
        The relative step from which Anderson mixing is used.
    rounding : float
        Relative changes of the objective up to this are rounding.
    """

    passes: Passes
    constrained: Ints
    graph: Graph
    alpha: float
    beta: float
    weight: Floats | None
    heaviest: float
    tol: float
    max_iter: int
    is_exact: bool
    accelerate_below: float = steps.ACCELERATE_BELOW
    rounding: float = steps.ROUNDING

    @cached_property
    def kernel(self) -> steps.Problem:
        """The arrays that the compiled outer loop reads."""
        return self.passes.kernel(self)

    def with_alpha(self, alpha: float) -> "Problem":
        """Return the same problem with another alpha."""
        return self if alpha == self.alpha else replace(self, alpha=alpha)

    def with_grades(self, p: Ints, q: Ints, grade: Floats) -> "Problem":
        """Return the problem with the same judgements graded anew.

        Parameters
        ----------
        p, q : ndarray of shape (n_pairs,)
            Places in `constrained` of the samples they join.
        grade : ndarray of shape (n_pairs,)
        """
        beta, own = self.beta / self.heaviest, self.graph.own
        graph = make_graph(self.graph.groups, p, q, grade, beta, own)
        return replace(self, graph=graph)

    def in_single_precision(self, tol: float) -> "Problem | None":
        """Return the problem in single precision, or None if that gains nothing."""
        passes = self.passes.in_single_precision(self)
        if passes is None:
            return None
        tol = max(self.tol, tol)
        return replace(self, passes=passes, tol=tol, rounding=steps.SINGLE_ROUNDING)

    def projected(self, tol: float) -> "tuple[Floats, Problem] | None":
        """Return the leading directions and the problem in them; None if many are."""
        found = self.passes.projected()
        if found is None:
            return None
        directions, passes = found
        return directions, replace(self, passes=passes, tol=max(self.tol, tol))
