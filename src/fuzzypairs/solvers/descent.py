"""Algorithm 1: prototypes and memberships in turn, clusters that vanish, the end."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from fuzzypairs._typing import Floats
from fuzzypairs.kernels import steps
from fuzzypairs.solvers.groups import make_blocks, solve_small_groups_exactly
from fuzzypairs.solvers.initial import drop_column
from fuzzypairs.solvers.multistart import SMALL_GROUP, MultiStartPolicy
from fuzzypairs.solvers.problem import Problem
from fuzzypairs.solvers.result import RunResult

__all__ = ["Descent", "SettledPoint"]


class SettledPoint(NamedTuple):
    """Where prototypes had settled before groups tried other starts."""

    C: Floats
    U: Floats
    objective: float


class Descent:
    """One run of Algorithm 1; the owner of all that changes in it.

    Parameters
    ----------
    problem : Problem
    C : ndarray of shape (n_clusters, n_features)
        First prototypes, measured from ``problem.passes.origin``.
    U : ndarray of shape (n_constrained, n_clusters)
        First memberships of the constrained samples.
    policy : MultiStartPolicy
        When groups try other starts.
    n_passes : int, default=0
        Passes that were made before; they count towards `max_iter`.

    Attributes
    ----------
    lowest : SettledPoint or None
        The lowest point at which prototypes had settled before groups moved again.
    """

    def __init__(
        self,
        problem: Problem,
        C: Floats,
        U: Floats,
        policy: MultiStartPolicy,
        n_passes: int = 0,
    ) -> None:
        self.problem, self.policy = problem, policy
        self.lowest: SettledPoint | None = None
        self._objectives: list[Floats] = []
        self._sizes: list[int] = []
        self._set_state(C, U, n_passes)

    def run(self) -> RunResult:
        """Descend until nothing moves, or `max_iter`."""
        status, moved = steps.CONTINUE, True
        while status != steps.EXHAUSTED and moved:
            status = self._iterate()
            while status == steps.VANISHING:
                # Clusters that vanish under half-solved groups may have support
                # under solved ones.
                if not self._can_refine() or not self._refine():
                    self._delete_smallest()
                status = self._iterate()
            settled = self._settled_point()
            moved = self._refine()
            if moved:
                self._keep_lowest(settled)
        return self._result(converged=status == steps.SETTLED and not moved)

    def trace(self) -> Iterator[tuple[Floats, Floats]]:
        """Yield prototypes and constrained memberships at each pass of the run."""
        status = steps.CONTINUE
        while status in (steps.CONTINUE, steps.VANISHING):
            self.problem.passes.pass_over(self.problem, self.state)
            yield self.state.C.copy(), self.state.blocks.U.copy()
            status = int(steps.advance(self.problem.kernel, self.state))
            if status == steps.VANISHING:
                self._delete_smallest()

    def _iterate(self) -> int:
        """Pass and advance until something is to be decided; return what."""
        while True:
            status = self._advance()
            if status != steps.CONTINUE:
                return status
            if (
                self.state.levels[0] < self.problem.accelerate_below
                and len(self.problem.constrained)
                and self.policy.is_early_trial_due()
            ):
                # From the image of C: proposals are discarded with the rest.
                self.state.C[:] = self.state.image
                self._refine(float(self.state.levels[1]))

    def _advance(self) -> int:
        """Make one pass and judge it; many in one compiled loop if they are short."""
        problem = self.problem
        if not problem.passes.is_long:
            return int(steps.run_tiles(problem.kernel, self.state))
        problem.passes.pass_over(problem, self.state)
        return int(steps.advance(problem.kernel, self.state))

    def _can_refine(self) -> bool:
        # Rows rest for a pass after a deletion, and with tol = 0 refining them would
        # go on for ever.
        rests = self.state.counters[steps.N_SWEEPS] == 0
        return not rests and self._n_passes < self.problem.max_iter

    def _refine(self, tol: float = 0.0) -> bool:
        """Solve the groups at the prototypes; tell whether that moved them.

        To a tenth of the tolerance of the fit, or to `tol` if that is more.
        """
        problem, passes = self.problem, self.problem.passes
        if not len(problem.constrained):
            return False
        least = max(1e-2 * problem.tol, 1e-12, problem.kernel.roundoff[0])
        gain, tol = least * passes.scale, max(tol, 0.1 * problem.tol)
        moved = self._solve_groups(gain, tol)
        if problem.is_exact and solve_small_groups_exactly(
            problem.graph, self.state.blocks, SMALL_GROUP, gain
        ):
            self._solve_groups(gain, tol)
            moved = True
        # What acceleration remembers belongs to other memberships.
        steps.forget(self.state)
        return moved

    def _solve_groups(self, gain: float, tol: float) -> bool:
        problem, passes = self.problem, self.problem.passes
        shortest = 10.0 * problem.tol * float(np.sqrt(passes.scale))
        trials = self.policy.next_trials(self.state.C, shortest)
        found = passes.solve_groups(problem, self.state, trials, gain, tol)
        if any(trials):
            self.policy.record(found.gained, problem.tol)
        return found.change > 10.0 * problem.tol or found.is_improved

    def _settled_point(self) -> SettledPoint | None:
        """Return where the run is, if its groups are about to try other starts."""
        U = self.state.blocks.U
        if not len(U):
            return None
        return SettledPoint(self.state.C.copy(), U.copy(), self._objective())

    def _keep_lowest(self, settled: SettledPoint | None) -> None:
        if settled is None:
            return
        if self.lowest is None or settled.objective < self.lowest.objective:
            self.lowest = settled

    def _delete_smallest(self) -> None:
        """Drop the cluster of the smallest mass, renormalise rows and go on: eq. (12).

        Free rows need nothing: their memberships for the prototypes that are left
        are the renormalised ones. The constrained ones rest for one pass (no sweep),
        so that the next prototypes follow from renormalised rows alone.
        """
        self._note_history()
        smallest = int(np.argmin(self.state.masses[0]))
        C = np.delete(self.state.C, smallest, axis=0)
        U = drop_column(self.state.blocks.U, smallest)
        self._set_state(C, U, self._n_passes)
        self.state.counters[steps.N_SWEEPS] = 0
        self.policy.restart()

    @property
    def _n_passes(self) -> int:
        return int(self.state.counters[steps.N_PASSES])

    def _objective(self) -> float:
        return self.problem.passes.objective(self.problem, self.state)

    def _note_history(self) -> None:
        accepted = self.state.history[: self.state.counters[steps.N_ACCEPTED]]
        self._objectives.append(accepted)
        self._sizes.extend([len(self.state.C)] * len(accepted))

    def _result(self, converged: bool) -> RunResult:
        self._note_history()
        state, heaviest = self.state, self.problem.heaviest
        objective, U = self._objective(), state.blocks.U
        return RunResult(
            centers=state.C + self.problem.passes.origin,
            constrained=U / U.sum(axis=1, keepdims=True),
            objective=objective * heaviest,
            history=np.concatenate([*self._objectives, [objective]]) * heaviest,
            n_clusters_history=np.array([*self._sizes, len(state.C)]),
            n_iter=self._n_passes,
            converged=converged,
        )

    def _set_state(self, C: Floats, U: Floats, n_passes: int) -> None:
        k, n_features = C.shape
        n_parts = self.problem.passes.n_parts(self.problem)
        blocks = make_blocks(len(U), k)
        blocks.U[:] = U
        counters = np.zeros(steps.N_COUNTERS, dtype=np.int64)
        counters[steps.N_PASSES] = n_passes
        counters[steps.N_SWEEPS] = steps.EFFORT
        self.state = steps.State(
            C=np.ascontiguousarray(C),
            image=np.zeros(C.shape),
            blocks=blocks,
            kept=np.empty(U.shape),
            sums=np.zeros((n_parts, k, n_features)),
            masses=np.zeros((n_parts, k)),
            parts=np.zeros((n_parts, 2)),
            shift=np.zeros(C.shape),
            d_image=np.empty((steps.DEPTH, k, n_features)),
            d_shift=np.empty((steps.DEPTH, k, n_features)),
            gram=np.empty((steps.DEPTH, steps.DEPTH)),
            history=np.empty(self.problem.max_iter + 2),
            counters=counters,
            levels=np.array([np.inf, steps.INNER_SHARE]),
        )
