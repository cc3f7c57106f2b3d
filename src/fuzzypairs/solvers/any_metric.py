"""Algorithm 1 in any space and for any fuzzifier.

The outer loop, the groups and the acceleration are those of `fuzzypairs.solvers.mem`;
only a pass is made differently. The space gives all distances at once, memberships
follow from them, and the space gives the prototypes that are best for these.
"""

import copy
from typing import Literal, Self

import numpy as np
from threadpoolctl import threadpool_limits

from fuzzypairs._typing import Floats
from fuzzypairs.kernels import steps
from fuzzypairs.kernels.active_set import step_groups
from fuzzypairs.kernels.powers import power_groups, power_objective, refine_power_groups
from fuzzypairs.kernels.sweeps import group_objective
from fuzzypairs.kernels.tiles import empty_tiles
from fuzzypairs.kernels.vertices import refine_groups
from fuzzypairs.kernels.weights import memberships_of, take_distances, weigh_rows
from fuzzypairs.pairs import PairSet
from fuzzypairs.solvers.groups import (
    N_STARTS,
    NO_BUNDLES,
    SMALL_GROUP,
    TURNS,
    build_graph,
    cut_groups,
    usable_pairs,
)
from fuzzypairs.solvers.initial import drop_column, one_hot
from fuzzypairs.solvers.mem import Solver
from fuzzypairs.solvers.result import NOWHERE, MemResult, Settled
from fuzzypairs.spaces.space import Space
from fuzzypairs.starts.start import Start
from fuzzypairs.threads import Threads, cut, over_ranges

__all__ = ["SpaceSolver"]


ROWS_A_RANGE = 4096
# Parts of the sums: the samples alone, and the judgements.
SAMPLES, GROUPS = 0, 1
# Vertices from which small groups are descended where the fuzzifier is not 2.
N_VERTICES = 8


class SpaceSolver(Solver):
    """Minimise eq. (5), or (25), with the distances and prototypes of a space.

        min over U, C of  sum_i w_i sum_j (u_ij^g - alpha) d(x_i, c_j)
                          + beta * sum_pairs cost(u_p, u_q),   rows of U on the simplex

    Parameters
    ----------
    space : Space
        Holds the samples.
    weight : ndarray of shape (n_samples,) or None
    pairs : PairSet
    fuzzifier : float
        g, above 1.
    alpha, beta, n_clusters, tol, max_iter, group_solver, threads, own
        See `Solver`. `tol` bounds the step of prototypes in the units of the space.
    """

    tries_early = False

    def __init__(
        self,
        space: Space,
        weight: Floats | None,
        pairs: PairSet,
        *,
        fuzzifier: float,
        alpha: float,
        beta: float,
        n_clusters: int,
        tol: float,
        max_iter: int,
        group_solver: Literal["sweeps", "exact"],
        threads: Threads,
        own: float = 1.0,
    ) -> None:
        self.space = space
        self.fuzzifier = fuzzifier
        self.alpha, self.beta = alpha, beta
        self.heaviest = 1.0 if weight is None else float(weight.max())
        self.weight = None if weight is None else weight / self.heaviest
        self.shares = np.ones(space.n_samples) if self.weight is None else self.weight
        self.group_solver = group_solver
        self.threads = threads
        self.compiled = self.on_blas = False
        self.mean = np.zeros(1)
        self.scale = space.spread()
        self.constrained, graph = build_graph(
            usable_pairs(pairs, weight, beta), beta / self.heaviest, own
        )
        n_numbers = space.at_samples(np.zeros(1, dtype=np.intp)).shape[1]
        self.room: dict[str, Floats] = {}
        self.spans = over_ranges(cut(space.n_samples, ROWS_A_RANGE))
        # Masses come net of alpha and the objective whole: here the outer loop
        # has nothing to add to them.
        self.problem = steps.Problem(
            tiles=empty_tiles(0, n_numbers, np.float64),
            weight=np.ones((1, 1)),
            ranges=np.zeros(2, dtype=np.int64),
            X=np.empty((len(self.constrained), 0)),
            row_weight=self.shares[self.constrained],
            graph=graph,
            group_ranges=cut_groups(graph.groups),
            bundles=NO_BUNDLES,
            totals=np.zeros(n_numbers + 2),
            variance=space.step_unit(n_clusters),
            alpha=0.0,
            tol=tol,
            max_iter=max_iter,
            accelerate_below=steps.ACCELERATE_BELOW,
            rounding=steps.ROUNDING,
            roundoff=steps.DOUBLE,
        )

    def run_all(self, starts: list[Start], threads: Threads) -> list[MemResult]:
        """Run from each start; threads work on ranges of rows."""
        # Threads over ranges and threads inside BLAS would fight for the cores.
        with threadpool_limits(1, "blas"):
            return [self.run(start) for start in starts]

    def free_memberships(self, centers: Floats) -> Floats:
        """Write out what all samples had without judgements, shape (n_samples, k)."""
        return self._free_memberships(self.space.distances(centers)).copy()

    def resume(self, centers: Floats, constrained: Floats) -> MemResult:
        """Descend from where another run ended."""
        with threadpool_limits(1, "blas"):
            return super().resume(centers, constrained)

    def with_alpha(self, alpha: float) -> Self:
        """Return a solver of the same problem with another alpha."""
        if alpha == self.alpha:
            return self
        other = copy.copy(self)
        other.alpha = alpha
        return other

    def _may_be_single(self) -> bool:
        return False

    def _settled(self, state: steps.State) -> Settled:
        # Groups try other starts whenever prototypes have settled: no way back.
        return NOWHERE

    def _pass(self, state: steps.State) -> None:
        """Measure, find memberships, weigh and set the prototypes that follow."""
        distance = self.space.distances(state.C)
        U = self._free_memberships(distance)
        if len(self.constrained):
            self._step_groups(state, distance)
            U[self.constrained] = state.blocks.U
        W = self._reused("weights", U.shape)
        calls = [
            (distance, U, self.shares, self.fuzzifier, self.alpha, W, *span)
            for span in self.spans
        ]
        state.parts[SAMPLES, 0] = np.sum(self.threads.map(weigh_rows, calls))
        masses = np.ones(len(W)) @ W
        state.masses[SAMPLES] = masses
        if masses.min() > 0.0:
            image = self.space.prototypes(W, state.C)
            np.multiply(image, masses[:, None], out=state.sums[SAMPLES])

    def _step_groups(self, state: steps.State, distance: Floats) -> None:
        graph, blocks = self.problem.graph, state.blocks
        take_distances(distance, self.constrained, self.shares, blocks.dist2)
        effort = int(state.counters[steps.N_SWEEPS])
        tol = float(state.levels[1])
        more: tuple[float, ...]
        spans = over_ranges(self.problem.group_ranges)
        if self.fuzzifier == 2.0:
            step, more = step_groups, (effort, tol, self.scale)
        else:
            step, more = power_groups, (effort, tol, self.fuzzifier, self.scale)
        calls = [(graph, blocks, *span, *more) for span in spans]
        done = self.threads.map(step, calls)
        values, changes = zip(*done, strict=True)
        # The distances of these samples count among all samples already.
        state.parts[GROUPS] = sum(values) - self._group_distances(state), max(changes)

    def _solve_groups(self, state: steps.State, gain: float, tol: float) -> bool:
        problem = self.problem
        spans = over_ranges(problem.group_ranges)
        groups = problem.graph, state.blocks
        limits: tuple[float, ...]
        before = self._group_value(state)
        if self.fuzzifier == 2.0:
            limits = (tol, self.scale, TURNS, N_STARTS, SMALL_GROUP, gain)
            done = self.threads.map(
                refine_groups,
                [(*groups, problem.roundoff, *span, *limits) for span in spans],
            )
        else:
            limits = (tol, self.scale, N_VERTICES, SMALL_GROUP, gain)
            done = self.threads.map(
                refine_power_groups,
                [(*groups, *span, *limits, self.fuzzifier) for span in spans],
            )
        changes, improved, values = zip(*done, strict=True)
        state.parts[GROUPS, 0] += sum(values) - before
        return max(changes) > 10.0 * problem.tol or any(improved)

    def _group_value(self, state: steps.State) -> float:
        graph, blocks = self.problem.graph, state.blocks
        span = (0, len(self.constrained))
        if self.fuzzifier == 2.0:
            return float(group_objective(graph, blocks, *span))
        return float(power_objective(graph, blocks, *span, self.fuzzifier))

    def _group_distances(self, state: steps.State) -> float:
        blocks = state.blocks
        return float((blocks.U**self.fuzzifier * blocks.dist2).sum())

    def _objective(self, state: steps.State) -> float:
        return float(state.parts[:, 0].sum())

    def _state(self, C: Floats, U: Floats, n_passes: int = 0) -> steps.State:
        state = super()._state(C, U, n_passes)
        return state._replace(
            sums=np.zeros((2, *C.shape)),
            masses=np.zeros((2, len(C))),
            parts=np.zeros((2, 2)),
        )

    def _free_memberships(self, distance: Floats) -> Floats:
        if not np.isfinite(distance).all():
            row = int(np.argmin(np.isfinite(distance).all(axis=1)))
            raise ValueError(
                f"X[{row}] has a distance that float64 cannot hold; rescale X, or "
                "check the metric"
            )
        U = self._reused("memberships", distance.shape)
        calls = [(distance, self.fuzzifier, U, *span) for span in self.spans]
        self.threads.map(memberships_of, calls)
        return U

    def _reused(self, name: str, shape: tuple[int, ...]) -> Floats:
        """Return room that passes share: fresh pages cost more than what fills them."""
        if name not in self.room or self.room[name].shape != shape:
            self.room[name] = np.empty(shape)
        return self.room[name]

    def _first_prototypes(self, start: Start) -> tuple[Floats, Floats]:
        """Prototypes of a start and the memberships of the constrained samples."""
        if start.rows is not None:
            P = self.space.at_samples(start.rows)
            U = self._free_memberships(self.space.distances_to_samples(start.rows))
            return P, U[self.constrained]
        if start.memberships is not None:
            U = start.memberships
        else:
            labels = np.asarray(start.labels, dtype=np.int64)
            U = one_hot(labels, int(labels.max()) + 1)
        while True:
            W = self.shares[:, None] * (U**self.fuzzifier - self.alpha)
            masses = W.sum(axis=0)
            if masses.min() > 0.0 or len(masses) == 1:
                return self.space.prototypes(W), U[self.constrained]
            U = drop_column(U, int(np.argmin(masses)))
