"""Passes in Euclidean space for squared memberships: all in one reading of the data.

Samples are centred. Free ones are packed into tiles once, or read in chunks where
matrix products are faster; constrained ones are copied and ordered by group.
"""

import copy
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property
from typing import Any, Self, cast

import numpy as np
from threadpoolctl import threadpool_limits

from fuzzypairs._typing import Data, Floats, Ints
from fuzzypairs.kernels import chunks, rows, steps, tiles
from fuzzypairs.kernels.active_set import group_pass
from fuzzypairs.kernels.bundles import FEWEST_GROUPS
from fuzzypairs.kernels.sweeps import measure_rows
from fuzzypairs.kernels.vertices import refine_groups
from fuzzypairs.pairs import PairSet
from fuzzypairs.solvers.groups import (
    GroupSolution,
    build_graph,
    cut_groups,
    pack_groups,
    usable_pairs,
)
from fuzzypairs.solvers.initial import Samples, from_labels, from_memberships
from fuzzypairs.solvers.multistart import SMALL_GROUP, Trials
from fuzzypairs.solvers.packing import in_chunks, in_tiles, weight_of
from fuzzypairs.solvers.problem import Problem
from fuzzypairs.solvers.projection import is_wide, leading_directions, project
from fuzzypairs.spaces.moments import weighted_mean
from fuzzypairs.starts.start import Start
from fuzzypairs.threads import Threads, cut, over_ranges

__all__ = ["FusedPasses", "fused_problem"]

# From this many features times clusters on, matrix products beat packed tiles.
BLAS_FROM = 2500
# Matrix products and small groups of so many samples begin in single precision, whose
# errors average out in the sums.
SINGLE_FROM = 10_000
# Passes of less work than this (samples x features x clusters) run in one compiled
# loop; longer ones return to Python between passes, to share threads and so that
# the keyboard can interrupt them.
COMPILED_UP_TO = 2_000_000


def fused_problem(
    X: Data,
    weight: Floats | None,
    pairs: PairSet,
    *,
    alpha: float,
    beta: float,
    n_clusters: int,
    tol: float,
    max_iter: int,
    is_exact: bool,
    threads: Threads,
    own: float = 1.0,
    mean: Floats | None = None,
) -> Problem:
    """Return eq. (5) with squared Euclidean distances and the fuzzifier 2.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features), float32 or float64, C-contiguous
    weight : ndarray of shape (n_samples,) or None
        Sample weights; None is one each. Weights act on the distances. The judgements
        of a sample of weight zero are left out.
    pairs : PairSet
    alpha, beta, tol, max_iter, is_exact
        See `Problem`.
    n_clusters : int
        The most clusters a start will have; decides between tiles and BLAS.
    threads : Threads
    own : float, default=1.0
        Which cost alike samples have, see `build_graph`.
    mean : ndarray of shape (n_features,), default=None
        Of the samples, where it is known already.
    """
    # The heaviest sample weighs one inside, whatever the unit of the weights.
    heaviest = 1.0 if weight is None else float(weight.max())
    if weight is not None:
        weight = weight / heaviest
    constrained, graph = build_graph(
        usable_pairs(pairs, weight, beta), beta / heaviest, own
    )
    mean = weighted_mean(X, weight) if mean is None else mean
    passes = FusedPasses(X, mean, weight, constrained, n_clusters, threads)
    return Problem(
        passes=passes,
        constrained=constrained,
        graph=graph,
        alpha=alpha,
        beta=beta,
        weight=weight,
        heaviest=heaviest,
        tol=tol,
        max_iter=max_iter,
        is_exact=is_exact,
    )


class FusedPasses:
    """Passes over packed samples; see `fuzzypairs.solvers.problem.Passes`.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    mean : ndarray of shape (n_features,)
    weight : ndarray of shape (n_samples,) or None
    constrained : ndarray of shape (n_constrained,)
        The samples that groups pass over.
    n_clusters : int
    threads : Threads
    """

    has_points = True
    roundoff = steps.DOUBLE

    def __init__(
        self,
        X: Data,
        mean: Floats,
        weight: Floats | None,
        constrained: Ints,
        n_clusters: int,
        threads: Threads,
    ) -> None:
        n_samples, n_features = X.shape
        self.X, self.origin, self.weight = X, mean, weight
        self.constrained, self.n_clusters = constrained, n_clusters
        is_free = np.ones(n_samples, dtype=np.bool_)
        is_free[constrained] = False
        self.free = np.flatnonzero(is_free)
        work = n_features * n_clusters
        self.on_blas = work >= BLAS_FROM
        self.is_long = self.on_blas or n_samples * work > COMPILED_UP_TO
        # Compiled runs are short: threads then serve several of them at a time.
        self.threads = threads if self.is_long else Threads(1)
        pack = in_chunks if self.on_blas else in_tiles
        self.packed, self.lanes, self.ranges, totals = pack(
            X, self.free, weight, mean, self.threads
        )
        self.inside = X[constrained] - mean
        self.row_weight = weight_of(constrained, weight)
        totals[:n_features] += self.row_weight @ self.inside
        squares = np.einsum("if,if->i", self.inside, self.inside)
        totals[n_features] += self.row_weight @ squares
        totals[-1] = n_samples if weight is None else weight.sum()
        self.totals = totals
        self.scale = float(totals[-2] / totals[-1]) or 1.0

    def kernel(self, problem: Problem) -> steps.Problem:
        """Return the arrays of a problem as the compiled outer loop reads them."""
        group_ranges = cut_groups(problem.graph.groups)
        return steps.Problem(
            tiles=self.packed,
            weight=self.lanes,
            ranges=self.ranges,
            X=self.inside,
            row_weight=self.row_weight,
            graph=problem.graph,
            group_ranges=group_ranges,
            bundles=pack_groups(
                self.inside,
                self.row_weight,
                problem.graph,
                group_ranges,
                self.scale,
                self.roundoff,
            ),
            totals=self.totals,
            variance=self.scale,
            alpha=problem.alpha,
            tol=problem.tol,
            max_iter=problem.max_iter,
            accelerate_below=problem.accelerate_below,
            rounding=problem.rounding,
            roundoff=self.roundoff,
        )

    def n_parts(self, problem: Problem) -> int:
        """Return into how many parts sums are split."""
        return len(self.ranges) + len(problem.kernel.group_ranges) - 2

    def first_prototypes(self, problem: Problem, start: Start) -> tuple[Floats, Floats]:
        """Return prototypes of a start, and memberships of the constrained samples."""
        if start.centers is not None:
            C = start.centers - self.origin
            U = np.empty((len(self.inside), len(C)))
            rows.row_memberships(self.inside, C, U, 0, len(U))
            return C, U
        samples = Samples(self.X, self.weight, self.origin, self.totals, problem.alpha)
        if start.labels is not None:
            labels = np.asarray(start.labels, dtype=np.int64)
            return from_labels(samples, labels, self.constrained)
        return from_memberships(
            samples, cast(Floats, start.memberships), self.constrained
        )

    def pass_over(self, problem: Problem, state: steps.State) -> None:
        """Pass over all samples, a range a call, into the partial sums."""
        kernel = problem.kernel
        free: Any = tiles.tile_pass
        data: tuple[Any, ...] = (self.packed, self.lanes)
        if self.on_blas:
            free = chunks.chunk_pass
            units = float(np.sqrt(self.scale)), self.roundoff
            data = (self.X, self.free, self.lanes[0], self.origin, *units)
        calls: list[tuple[Any, ...]] = [
            (free, *data, state.C, *span) for span in over_ranges(self.ranges)
        ]
        n_free = len(calls)
        groups = (self.inside, self.row_weight, state.C, kernel.graph, state.blocks)
        effort = int(state.counters[steps.N_SWEEPS]), float(state.levels[1])
        for part, span in enumerate(over_ranges(kernel.group_ranges)):
            more = (kernel.bundles, part, *span, *effort, self.scale)
            calls.append((group_pass, *groups, *more))
        calls = [
            (*c, *s) for c, *s in zip(calls, state.sums, state.masses, strict=True)
        ]
        with self._single_threaded_blas():
            results = self.threads.map(lambda kernel, *given: kernel(*given), calls)
        state.parts[:n_free, 0] = results[:n_free]
        for part, result in enumerate(results[n_free:], start=n_free):
            state.parts[part] = result

    def solve_groups(
        self,
        problem: Problem,
        state: steps.State,
        trials: Trials,
        gain: float,
        tol: float,
    ) -> GroupSolution:
        """Solve all groups at the prototypes of the last pass."""
        kernel = problem.kernel
        groups = kernel.graph, state.blocks
        if len(kernel.graph.groups) > FEWEST_GROUPS or self.is_long:
            # Passes over batches leave no distances behind.
            samples = self.inside, self.row_weight, state.C
            borders = kernel.graph.groups[kernel.group_ranges]
            self.threads.map(
                measure_rows,
                [(*samples, *groups, *span) for span in over_ranges(borders)],
            )
        limits = (tol, self.scale, *trials, SMALL_GROUP, gain)
        done = self.threads.map(
            refine_groups,
            [
                (*groups, kernel.bundles.roundoff, *span, *limits)
                for span in over_ranges(kernel.group_ranges)
            ],
        )
        changes, improved, objectives = zip(*done, strict=True)
        before = state.parts[:, 0].sum()
        state.parts[len(self.ranges) - 1 :, 0] = objectives
        gained = float((before - state.parts[:, 0].sum()) / before)
        return GroupSolution(max(changes), any(improved), gained)

    def objective(self, problem: Problem, state: steps.State) -> float:
        """Return eq. (5) at the last pass, with the groups as they are now."""
        spread = steps.sum_of_distances(self.totals, state.C)
        return float(state.parts[:, 0].sum() - problem.alpha * spread)

    def free_memberships(self, centers: Floats) -> Floats:
        """Return eq. (14) for all samples, shape (n_samples, n_clusters)."""
        out = np.empty((len(self.X), len(centers)))
        spans = over_ranges(cut(len(self.X), 4096))
        self.threads.map(
            rows.row_memberships, [(self.X, centers, out, *span) for span in spans]
        )
        return out

    def in_single_precision(self, problem: Problem) -> Self | None:
        """Return the same passes in single precision, or None if that gains nothing.

        Matrix products and batches of groups are twice as fast in it.
        """
        if not self.is_long or len(self.X) < SINGLE_FROM:
            return None
        if not self.on_blas and len(problem.kernel.bundles.X) == 0:
            return None
        other = copy.copy(self)
        other.roundoff = steps.SINGLE
        return other

    def projected(self) -> tuple[Floats, Self] | None:
        """Return few directions and passes in them, or None if many are needed."""
        return self._projected

    @cached_property
    def _projected(self) -> tuple[Floats, Self] | None:
        if not self.is_long or not is_wide(self.X):
            return None
        # Threads of BLAS add up by chance, and results must not depend on them.
        with threadpool_limits(1, "blas"):
            directions = leading_directions(self.X, self.origin)
            if directions is None:
                return None
            V = project(self.X, self.origin, directions, self.threads)
        samples = V, np.zeros(V.shape[1]), self.weight, self.constrained
        return directions, type(self)(*samples, self.n_clusters, self.threads)

    def _single_threaded_blas(self) -> AbstractContextManager[Any]:
        # Threads over ranges and threads inside BLAS would compete for the cores.
        return threadpool_limits(1, "blas") if self.on_blas else nullcontext()
