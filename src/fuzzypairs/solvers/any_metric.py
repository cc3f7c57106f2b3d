"""Passes in any space and for any fuzzifier.

The space gives all distances at once, memberships follow from them, and the space
gives the prototypes that are best for these. All else is as in Euclidean space.
"""

import numpy as np
from threadpoolctl import threadpool_limits

from fuzzypairs import _core
from fuzzypairs._typing import Floats, Ints
from fuzzypairs.pairs import PairSet
from fuzzypairs.solvers.free import memberships_of
from fuzzypairs.solvers.groups import Graph, solve_small_groups_exactly, usable_pairs
from fuzzypairs.solvers.initial import drop_column, one_hot
from fuzzypairs.solvers.problem import Problem
from fuzzypairs.solvers.result import RunResult
from fuzzypairs.solvers.watching import WATCHER, told
from fuzzypairs.spaces.space import Space
from fuzzypairs.starts.start import Start
from fuzzypairs.threads import Threads

__all__ = ["SpacePasses", "space_problem"]


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
    scale: float,
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
    scale : float
        ``space.spread()``.
    """
    heaviest = 1.0 if weight is None else float(weight.max())
    pairs = usable_pairs(pairs, weight, beta)
    links = pairs.links
    graph = Graph.of(links, pairs.grade, beta / heaviest, own)
    shares = np.ones(space.n_samples) if weight is None else weight / heaviest
    unit = space.step_unit(n_clusters)
    passes = SpacePasses(
        space, shares, links.rows, fuzzifier, scale, unit, threads.n_threads
    )
    return Problem(
        passes=passes,
        constrained=links.rows,
        graph=graph,
        groups=passes.make_groups(graph),
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
    scale : float
        The distance that changes of distances are measured by.
    step_unit : float
        The squared length that steps of prototypes are measured by.
    n_threads : int
    """

    has_points = False

    def __init__(
        self,
        space: Space,
        weight: Floats,
        constrained: Ints,
        fuzzifier: float,
        scale: float,
        step_unit: float,
        n_threads: int,
    ) -> None:
        self.space, self.weight, self.constrained = space, weight, constrained
        self.fuzzifier, self.step_unit = fuzzifier, step_unit
        self.n_threads = n_threads
        self.scale = scale
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
        """Descend from each start until nothing moves, or `max_iter`."""
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
        with threadpool_limits(1, "blas"):
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
        """Measure, find memberships, weigh them and find the prototypes that follow.

        Returns
        -------
        sums : ndarray of shape (n_clusters, n_numbers)
            Next prototypes times their masses, which come net of alpha.
        masses : ndarray of shape (n_clusters,)
        rest, groups : float
            The objective: of the groups, and the rest of it, in units of `scale`.
        change : float
            Of a membership, in the last sweep of the groups.
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
            # The distances of these samples count among all samples already.
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
        """Return what all samples had without judgements, (n_samples, n_clusters)."""
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
        """Return an array that passes share: new pages cost more than filling them."""
        if name not in self._reused or self._reused[name].shape != shape:
            self._reused[name] = np.empty(shape)
        return self._reused[name]
