"""Passes in Euclidean space with the fuzzifier 2, fused: each reads the data once.

Samples are centred and divided by their spread. Free samples are packed into tiles
once; constrained ones are ordered by group.
"""

from dataclasses import replace
from functools import cached_property
from typing import cast

import numpy as np

from fuzzypairs import _core
from fuzzypairs._typing import Data, Floats, Ints
from fuzzypairs.solvers.groups import solve_small_groups_exactly
from fuzzypairs.solvers.initial import from_labels, from_memberships
from fuzzypairs.solvers.problem import Graph, Problem
from fuzzypairs.solvers.projection import (
    Projection,
    is_wide,
    leading_directions,
    project,
)
from fuzzypairs.solvers.result import RunResult
from fuzzypairs.solvers.start import Start
from fuzzypairs.solvers.watching import WATCHER, told
from fuzzypairs.spaces.moments import mean_and_variance
from fuzzypairs.threads import Threads, one_blas_thread

# From this many features times clusters, distances by inner products are faster than by
# differences.
PRODUCTS_FROM = 2500
# Passes of less work (samples x features x clusters) use one thread; groups in longer
# ones try other starts early.
SHORT_UP_TO, LONG_FROM = 200_000, 2_000_000
# Tolerance in the leading directions, which only give a start for the full data.
PROJECTED_TOL = 1e-3


class FusedPasses:
    """Passes over packed samples; see `fuzzypairs.solvers.problem.Passes`.

    X (n_samples, n_features) is C-contiguous float32 or float64 with the mean `mean`
    and the total variance `scale`; 0 counts as 1. The largest number of clusters
    decides how distances are computed.
    """

    has_points = True

    def __init__(
        self,
        X: Data,
        mean: Floats,
        scale: float,
        weight: Floats | None,
        constrained: Ints,
        n_clusters: int,
        threads: Threads,
    ) -> None:
        n_samples, n_features = X.shape
        self.X, self.weight, self.constrained = X, weight, constrained
        self.n_clusters, self.threads = n_clusters, threads
        self.mean, self.scale = mean, scale or 1.0
        self.unit = float(np.sqrt(self.scale))
        work = n_samples * n_features * n_clusters
        self.is_long = work > LONG_FROM
        self.n_threads = threads.n_threads if work > SHORT_UP_TO else 1
        is_free = np.ones(n_samples, dtype=np.bool_)
        is_free[constrained] = False
        self.samples = _core.Samples(
            X,
            np.flatnonzero(is_free),
            weight,
            mean=self.mean,
            unit=self.unit,
            by_products=n_features * n_clusters >= PRODUCTS_FROM,
            n_threads=self.n_threads,
        )

    def make_groups(self, graph: Graph) -> _core.Groups:
        """Return the groups of judged samples, ready for passes."""
        groups = _core.Groups(*graph.in_units(self.scale))
        groups.pack(self.X, self.constrained, self.weight, self.mean, self.unit)
        return groups

    def first_prototypes(self, problem: Problem, start: Start) -> tuple[Floats, Floats]:
        """Return prototypes of a start, and memberships of the constrained samples."""
        if start.centers is not None:
            centers = np.asarray(start.centers, dtype=np.float64)
            return centers, self.free_memberships(centers, self.X[self.constrained])
        if start.labels is not None:
            labels = np.asarray(start.labels, dtype=np.int64)
            return from_labels(self, problem.alpha, labels)
        return from_memberships(self, problem.alpha, cast(Floats, start.memberships))

    def run(self, problem: Problem, starts: list[Start]) -> list[RunResult]:
        """Descend from each start until convergence or `max_iter`.

        Wide data are first run in their leading directions; only the best of these
        runs continues in all directions, and is returned.
        """
        if self.is_long and is_wide(self.X) and self._narrow is not None:
            return [self._run_projected(problem, starts, *self._narrow)]
        runs = []
        for start in told(starts) if WATCHER.get() else starts:
            first = self.first_prototypes(problem, start)
            runs.append(self.descend(problem, *first))
        return runs

    def descend(
        self,
        problem: Problem,
        centers: Floats,
        constrained: Floats,
    ) -> RunResult:
        """Run Algorithm 1 from prototypes and memberships of constrained samples."""
        C, U, history, sizes, n_iter, converged = _core.descend(
            self.samples,
            problem.groups,
            np.ascontiguousarray((centers - self.mean) / self.unit),
            np.ascontiguousarray(constrained),
            alpha=problem.alpha,
            tol=problem.tol,
            max_iter=problem.max_iter,
            is_long=self.is_long,
            improve=solve_small_groups_exactly(problem) if problem.is_exact else None,
            n_threads=self.n_threads,
        )
        history *= self.scale * problem.heaviest
        return RunResult(
            centers=C * self.unit + self.mean,
            constrained=U,
            objective=float(history[-1]) if len(history) else np.inf,
            history=history,
            n_clusters_history=sizes,
            n_iter=n_iter,
            converged=converged,
        )

    def free_memberships(self, centers: Floats, X: Data | None = None) -> Floats:
        """Return eq. (14) for all samples, or for some, shape (n_rows, n_clusters)."""
        return _core.memberships(
            self.X if X is None else X,
            np.ascontiguousarray((centers - self.mean) / self.unit),
            mean=self.mean,
            unit=self.unit,
            n_threads=self.n_threads,
        )

    @cached_property
    def _narrow(self) -> tuple[Projection, "FusedPasses"] | None:
        """The leading directions and passes in them; None if many are needed."""
        # Sums by several BLAS threads are not reproducible.
        with one_blas_thread():
            directions = leading_directions(self.X, self.mean)
            if directions is None:
                return None
            V = project(self.X, self.mean, directions, self.threads)
        scale = mean_and_variance(V, self.weight)[1]
        common = self.weight, self.constrained, self.n_clusters, self.threads
        passes = FusedPasses(V, np.zeros(V.shape[1]), scale, *common)
        return Projection(self.mean, directions), passes

    def _run_projected(
        self,
        problem: Problem,
        starts: list[Start],
        projection: Projection,
        passes: "FusedPasses",
    ) -> RunResult:
        """Run in the leading directions, then from the best of them in all."""
        groups, tol = passes.make_groups(problem.graph), max(problem.tol, PROJECTED_TOL)
        narrow = replace(problem, passes=passes, groups=groups, tol=tol)
        runs = []
        for start in told(starts) if WATCHER.get() else starts:
            centers, U = self.first_prototypes(problem, start)
            runs.append(passes.descend(narrow, projection.down(centers), U))
        best = min(runs, key=lambda run: run.objective)
        return self.descend(problem, projection.up(best.centers), best.constrained)
