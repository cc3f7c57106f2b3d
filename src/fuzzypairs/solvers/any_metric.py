"""Passes in any space and for any fuzzifier.

The space gives all distances at once, memberships follow from them, and the space
gives the prototypes that are best for these. The outer loop, the groups and the
acceleration are those of `fuzzypairs.solvers.descent`.
"""

from typing import Any, Self

import numpy as np
from threadpoolctl import threadpool_limits

from fuzzypairs._typing import Floats, Ints
from fuzzypairs.kernels import steps
from fuzzypairs.kernels.active_set import step_groups
from fuzzypairs.kernels.powers import power_groups, power_objective, refine_power_groups
from fuzzypairs.kernels.sweeps import group_objective
from fuzzypairs.kernels.tiles import empty_tiles
from fuzzypairs.kernels.vertices import refine_groups
from fuzzypairs.kernels.weights import memberships_of, take_distances, weigh_rows
from fuzzypairs.pairs import PairSet
from fuzzypairs.solvers.groups import (
    NO_BUNDLES,
    GroupSolution,
    build_graph,
    cut_groups,
    usable_pairs,
)
from fuzzypairs.solvers.initial import drop_column, one_hot
from fuzzypairs.solvers.multistart import SMALL_GROUP, Trials
from fuzzypairs.solvers.problem import Problem
from fuzzypairs.spaces.space import Space
from fuzzypairs.starts.start import Start
from fuzzypairs.threads import Threads, cut, over_ranges

__all__ = ["SpacePasses", "space_problem"]

ROWS_A_RANGE = 4096
# Parts of the sums: the samples alone, and the judgements.
SAMPLES, GROUPS = 0, 1
# Vertices from which small groups are descended where the fuzzifier is not 2.
N_VERTICES = 8


def space_problem(
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
    is_exact: bool,
    threads: Threads,
    own: float = 1.0,
) -> Problem:
    """Return eq. (5), or (25), with the distances and prototypes of a space.

    Parameters
    ----------
    space : Space
        Holds the samples.
    weight : ndarray of shape (n_samples,) or None
    pairs : PairSet
    fuzzifier : float
        g, above 1.
    alpha, beta, tol, max_iter, is_exact
        See `Problem`. `tol` bounds the step of prototypes in the units of the space.
    n_clusters, threads, own
        See `fuzzypairs.solvers.fused.fused_problem`.
    """
    heaviest = 1.0 if weight is None else float(weight.max())
    constrained, graph = build_graph(
        usable_pairs(pairs, weight, beta), beta / heaviest, own
    )
    shares = np.ones(space.n_samples) if weight is None else weight / heaviest
    unit = space.step_unit(n_clusters)
    return Problem(
        passes=SpacePasses(space, shares, constrained, fuzzifier, unit, threads),
        constrained=constrained,
        graph=graph,
        alpha=alpha,
        beta=beta,
        weight=None if weight is None else shares,
        heaviest=heaviest,
        tol=tol,
        max_iter=max_iter,
        is_exact=is_exact,
    )


class SpacePasses:
    """Passes by the distances of a space; see `fuzzypairs.solvers.problem.Passes`.

    Parameters
    ----------
    space : Space
    weight : ndarray of shape (n_samples,)
    constrained : ndarray of shape (n_constrained,)
    fuzzifier : float
    unit : float
        The squared length that steps of prototypes are measured by.
    threads : Threads
    """

    is_long = True
    has_points = False
    origin = np.zeros(1)

    def __init__(
        self,
        space: Space,
        weight: Floats,
        constrained: Ints,
        fuzzifier: float,
        unit: float,
        threads: Threads,
    ) -> None:
        self.space, self.weight, self.constrained = space, weight, constrained
        self.fuzzifier, self.unit, self.threads = fuzzifier, unit, threads
        self.scale = space.spread()
        self.spans = over_ranges(cut(space.n_samples, ROWS_A_RANGE))
        self._reused: dict[str, Floats] = {}

    def kernel(self, problem: Problem) -> steps.Problem:
        """Return the arrays of a problem as the compiled outer loop reads them.

        Masses come net of alpha and the objective whole: the outer loop adds nothing.
        """
        n_numbers = self.space.at_samples(np.zeros(1, dtype=np.intp)).shape[1]
        return steps.Problem(
            tiles=empty_tiles(0, n_numbers, np.float64),
            weight=np.ones((1, 1)),
            ranges=np.zeros(2, dtype=np.int64),
            X=np.empty((len(self.constrained), 0)),
            row_weight=self.weight[self.constrained],
            graph=problem.graph,
            group_ranges=cut_groups(problem.graph.groups),
            bundles=NO_BUNDLES,
            totals=np.zeros(n_numbers + 2),
            variance=self.unit,
            alpha=0.0,
            tol=problem.tol,
            max_iter=problem.max_iter,
            accelerate_below=problem.accelerate_below,
            rounding=problem.rounding,
            roundoff=steps.DOUBLE,
        )

    def n_parts(self, problem: Problem) -> int:
        """Return into how many parts sums are split."""
        return 2

    def first_prototypes(self, problem: Problem, start: Start) -> tuple[Floats, Floats]:
        """Return prototypes of a start, and memberships of the constrained samples."""
        if start.rows is not None:
            P = self.space.at_samples(start.rows)
            U = self._memberships(self.space.distances_to_samples(start.rows))
            return P, U[self.constrained]
        if start.memberships is not None:
            U = start.memberships
        else:
            labels = np.asarray(start.labels, dtype=np.int64)
            U = one_hot(labels, int(labels.max()) + 1)
        while True:
            W = self.weight[:, None] * (U**self.fuzzifier - problem.alpha)
            masses = W.sum(axis=0)
            if masses.min() > 0.0 or len(masses) == 1:
                return self.space.prototypes(W), U[self.constrained]
            U = drop_column(U, int(np.argmin(masses)))

    def pass_over(self, problem: Problem, state: steps.State) -> None:
        """Measure, find memberships, weigh and set the prototypes that follow."""
        # Threads over ranges and threads inside BLAS would compete for the cores, and
        # sums must not depend on the number of threads.
        with threadpool_limits(1, "blas"):
            distance = self.space.distances(state.C)
            U = self._memberships(distance)
            if len(self.constrained):
                self._step_groups(problem, state, distance)
                U[self.constrained] = state.blocks.U
            W = self._room("weights", U.shape)
            rows = (distance, U, self.weight, self.fuzzifier, problem.alpha, W)
            calls = [(*rows, *span) for span in self.spans]
            state.parts[SAMPLES, 0] = np.sum(self.threads.map(weigh_rows, calls))
            masses = np.ones(len(W)) @ W
            state.masses[SAMPLES], state.masses[GROUPS] = masses, 0.0
            if masses.min() > 0.0:
                image = self.space.prototypes(W, state.C)
                np.multiply(image, masses[:, None], out=state.sums[SAMPLES])

    def _step_groups(
        self, problem: Problem, state: steps.State, distance: Floats
    ) -> None:
        graph, blocks = problem.graph, state.blocks
        take_distances(distance, self.constrained, self.weight, blocks.dist2)
        effort = int(state.counters[steps.N_SWEEPS]), float(state.levels[1])
        more: tuple[float, ...] = (*effort, self.scale)
        step = step_groups
        if self.fuzzifier != 2.0:
            step, more = power_groups, (*effort, self.fuzzifier, self.scale)
        spans = over_ranges(problem.kernel.group_ranges)
        done = self.threads.map(step, [(graph, blocks, *span, *more) for span in spans])
        values, changes = zip(*done, strict=True)
        # The distances of these samples count among all samples already.
        measured = float((blocks.U**self.fuzzifier * blocks.dist2).sum())
        state.parts[GROUPS] = sum(values) - measured, max(changes)

    def solve_groups(
        self,
        problem: Problem,
        state: steps.State,
        trials: Trials,
        gain: float,
        tol: float,
    ) -> GroupSolution:
        """Solve all groups at the prototypes of the last pass."""
        spans = over_ranges(problem.kernel.group_ranges)
        groups = problem.graph, state.blocks
        calls: list[tuple[Any, ...]]
        refine = refine_groups
        limits: tuple[float, ...] = (tol, self.scale, *trials, SMALL_GROUP, gain)
        calls = [(*groups, steps.DOUBLE, *span, *limits) for span in spans]
        if self.fuzzifier != 2.0:
            refine = refine_power_groups
            n_vertices = N_VERTICES if any(trials) else 0
            limits = (tol, self.scale, n_vertices, SMALL_GROUP, gain, self.fuzzifier)
            calls = [(*groups, *span, *limits) for span in spans]
        before = self._group_value(problem, state)
        changes, improved, values = zip(*self.threads.map(refine, calls), strict=True)
        total = float(state.parts[:, 0].sum())
        state.parts[GROUPS, 0] += sum(values) - before
        gained = (before - sum(values)) / total if total else 0.0
        return GroupSolution(max(changes), any(improved), gained)

    def _group_value(self, problem: Problem, state: steps.State) -> float:
        span = (problem.graph, state.blocks, 0, len(self.constrained))
        if self.fuzzifier == 2.0:
            return float(group_objective(*span))
        return float(power_objective(*span, self.fuzzifier))

    def objective(self, problem: Problem, state: steps.State) -> float:
        """Return eq. (5) at the last pass, with the groups as they are now."""
        return float(state.parts[:, 0].sum())

    def free_memberships(self, centers: Floats) -> Floats:
        """Return what all samples had without judgements, (n_samples, n_clusters)."""
        return self._memberships(self.space.distances(centers)).copy()

    def in_single_precision(self, problem: Problem) -> Self | None:
        """Return None: spaces compute as they do."""
        return None

    def projected(self) -> tuple[Floats, Self] | None:
        """Return None: not every space has directions."""
        return None

    def _memberships(self, distance: Floats) -> Floats:
        if not np.isfinite(distance).all():
            row = int(np.argmin(np.isfinite(distance).all(axis=1)))
            raise ValueError(
                f"X[{row}] has a distance that float64 cannot hold; rescale X, or "
                "check the metric"
            )
        U = self._room("memberships", distance.shape)
        calls = [(distance, self.fuzzifier, U, *span) for span in self.spans]
        self.threads.map(memberships_of, calls)
        return U

    def _room(self, name: str, shape: tuple[int, ...]) -> Floats:
        """Return an array that passes share: new pages cost more than filling them."""
        if name not in self._reused or self._reused[name].shape != shape:
            self._reused[name] = np.empty(shape)
        return self._reused[name]
