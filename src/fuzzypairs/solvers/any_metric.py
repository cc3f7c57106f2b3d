"""Passes in any space and for any fuzzifier.

The space computes all distances at once, and the best prototypes for the memberships
that follow from them. The rest is the same as in Euclidean space.
"""

import numpy as np

from fuzzypairs import _core
from fuzzypairs._typing import Floats, Ints
from fuzzypairs.solvers.free import memberships_of
from fuzzypairs.solvers.groups import solve_small_groups_exactly
from fuzzypairs.solvers.initial import drop_column, one_hot
from fuzzypairs.solvers.problem import Graph, Problem
from fuzzypairs.solvers.result import RunResult
from fuzzypairs.solvers.start import Start
from fuzzypairs.solvers.watching import WATCHER, told
from fuzzypairs.spaces.space import Space
from fuzzypairs.threads import Threads, one_blas_thread


class SpacePasses:
    """Passes by the distances of a space; see `fuzzypairs.solvers.problem.Passes`.

    `scale` is ``space.spread()``, the unit of distances. Steps of prototypes are
    measured in the unit of the space for `n_clusters`.
    """

    has_points = False

    def __init__(
        self,
        space: Space,
        fuzzifier: float,
        scale: float,
        weight: Floats | None,
        constrained: Ints,
        n_clusters: int,
        threads: Threads,
    ) -> None:
        self.space, self.fuzzifier, self.scale = space, fuzzifier, scale
        self.weight = np.ones(space.n_samples) if weight is None else weight
        self.constrained, self.n_threads = constrained, threads.n_threads
        self.step_unit = space.step_unit(n_clusters)
        self._reused: dict[str, Floats] = {}

    def make_groups(self, graph: Graph) -> _core.Groups:
        """Return the groups of judged samples; passes set their distances."""
        return _core.Groups(*graph.in_units(self.scale), self.fuzzifier)

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

    def run(self, problem: Problem, starts: list[Start]) -> list[RunResult]:
        """Descend from each start until convergence or `max_iter`."""
        runs = []
        for start in told(starts) if WATCHER.get() else starts:
            first = self.first_prototypes(problem, start)
            runs.append(self.descend(problem, *first))
        return runs

    def descend(
        self, problem: Problem, centers: Floats, constrained: Floats
    ) -> RunResult:
        """Run Algorithm 1 with passes by the space."""

        def pass_over(
            C: Floats, n_sweeps: int, tol: float
        ) -> tuple[Floats, Floats, float, float, float]:
            return self.pass_over(problem, C, n_sweeps, tol)

        # Threads over ranges and threads inside BLAS would compete for the cores, and
        # sums must not depend on the number of threads.
        with one_blas_thread():
            C, U, history, sizes, n_iter, converged = _core.descend(
                pass_over,
                problem.groups,
                np.ascontiguousarray(centers),
                np.ascontiguousarray(constrained),
                tol=problem.tol,
                max_iter=problem.max_iter,
                scale=1.0,
                step_unit=self.step_unit,
                is_long=False,
                improve=solve_small_groups_exactly(problem)
                if problem.is_exact
                else None,
                n_threads=self.n_threads,
            )
        history *= self.scale * problem.heaviest
        objective = float(history[-1])
        return RunResult(C, U, objective, history, sizes, n_iter, converged)

    def pass_over(
        self, problem: Problem, C: Floats, n_sweeps: int, tol: float
    ) -> tuple[Floats, Floats, float, float, float]:
        """Compute distances, memberships and the next prototypes.

        Returns the next prototypes times their masses (n_clusters, n_numbers); the
        masses (n_clusters,), less alpha; the objective without and of the groups, in
        units of `scale`; and the largest change of a membership in the last sweep.
        """
        distance = self.space.distances(C)
        U = self._memberships(distance)
        in_groups = change = measured = 0.0
        if len(self.constrained):
            rows = self.constrained
            dist2 = distance[rows] * (self.weight[rows, None] / self.scale)
            problem.groups.set_distances(dist2, self.n_threads)
            in_groups, change = problem.groups.descend(
                n_sweeps, tol, 1.0, self.n_threads
            )
            U[rows] = problem.groups.memberships
            # These distances are part of the sum over all samples below.
            measured = float((U[rows] ** self.fuzzifier * dist2).sum())
        W = self._room("weights", U.shape)
        np.power(U, self.fuzzifier, out=W)
        W -= problem.alpha
        W *= self.weight[:, None]
        value = float(np.einsum("ij,ij->", W, distance))
        masses = np.ones(len(W)) @ W
        sums = np.zeros(C.shape)
        if masses.min() > 0.0:
            sums = np.ascontiguousarray(
                self.space.prototypes(W, C) * masses[:, None], dtype=np.float64
            )
        return sums, masses, value / self.scale - measured, in_groups, change

    def free_memberships(self, centers: Floats) -> Floats:
        """Return memberships without judgements, shape (n_samples, n_clusters)."""
        return self._memberships(self.space.distances(centers)).copy()

    def _memberships(self, distance: Floats) -> Floats:
        if not np.isfinite(distance).all():
            row = int(np.argmin(np.isfinite(distance).all(axis=1)))
            raise ValueError(
                f"X[{row}] has a distance that float64 cannot hold; rescale X, or "
                "check the metric"
            )
        U = self._room("memberships", distance.shape)
        return memberships_of(distance, self.fuzzifier, U)

    def _room(self, name: str, shape: tuple[int, ...]) -> Floats:
        """Return an array that passes reuse: new memory pages cost more than values."""
        if name not in self._reused or self._reused[name].shape != shape:
            self._reused[name] = np.empty(shape)
        return self._reused[name]
