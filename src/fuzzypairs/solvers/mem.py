"""Algorithm 1: prototypes and memberships in turn, clusters that vanish, the end.

A `Solver` packs the data once and then makes any number of runs from different
starts. Inside, all data are centred.
"""

import copy
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, Self, cast

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from fuzzypairs._typing import Data, Floats, Ints
from fuzzypairs.kernels import chunks, rows, steps, tiles
from fuzzypairs.kernels.active_set import group_pass
from fuzzypairs.kernels.bundles import FEWEST_GROUPS
from fuzzypairs.kernels.sweeps import measure_rows
from fuzzypairs.kernels.vertices import refine_groups
from fuzzypairs.pairs import PairSet
from fuzzypairs.solvers.groups import (
    N_STARTS,
    NO_BUNDLES,
    SMALL_GROUP,
    TURNS,
    build_graph,
    bundled,
    cut_groups,
    make_blocks,
    make_graph,
    solve_small_groups_exactly,
    usable_pairs,
)
from fuzzypairs.solvers.initial import (
    Samples,
    drop_column,
    from_labels,
    from_memberships,
)
from fuzzypairs.solvers.packing import in_chunks, in_tiles, weight_of
from fuzzypairs.solvers.projection import is_wide, leading_directions, project
from fuzzypairs.solvers.result import NOWHERE, MemResult, Settled
from fuzzypairs.spaces.moments import weighted_mean
from fuzzypairs.starts.start import Start
from fuzzypairs.threads import Threads, cut, over_ranges

__all__ = ["Solver"]


# From this many features times clusters on, matrix products beat packed tiles.
BLAS_FROM = 2500
# Matrix products and small groups of so many samples begin in single precision, whose
# errors average out in the sums, and tell relative steps down to the second number.
SINGLE_FROM, SINGLE_DOWN_TO = 10_000, 1e-5
# The tolerance in few directions: the end in all of them is not closer anyway.
NARROW_TOL = 1e-3
# Passes of less work than this (samples x features x clusters) run in one compiled
# loop; longer ones return to Python between passes, to share threads and so that
# the keyboard can interrupt them.
COMPILED_UP_TO = 2_000_000
# Groups of long runs try other starts when acceleration begins and at the end, until
# that lowers the objective by no more than this share of `tol`. Going on as long as one
# of thousands improves made a fit of 20 000 samples and 2000 judgements take 35 passes
# instead of 28. The number of these looks is NO_MORE then.
LITTLE, NO_MORE = 0.1, -1
# Prototypes this near, relative to the spread, are no longer apart for
# `labels_apart`, which walks there in at most so many passes; fewer if they are long.
APART = 1e-6
APART_PASSES = (500, 50)


@dataclass
class Trail:
    """What a long run notes on its way: see `MemResult`."""

    last_plain: tuple[Floats, Floats] | None = None


class Solver:
    """Minimise eq. (5) in Euclidean space for checked data.

        min over U, C of  sum_i w_i sum_j (u_ij^2 - alpha) |x_i - c_j|^2
                          + beta * sum_pairs cost(u_p, u_q),   rows of U on the simplex

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features), float32 or float64, C-contiguous
    weight : ndarray of shape (n_samples,) or None
        Sample weights; None is one each. Weights act on the distances. A sample of
        weight zero has no say: its judgements are left out.
    pairs : PairSet
    alpha, beta : float
        Of eq. (5).
    n_clusters : int
        The most clusters a start will have; decides between tiles and BLAS.
    tol : float
        The largest root mean square move of a prototype, relative to the spread of
        the data, and the largest change of a constrained membership, at the end.
    max_iter : int
        The most passes over the data in a run.
    group_solver : {"sweeps", "exact"}
        "exact" proves the optimum of small groups by SCIP.
    threads : Threads
    own : float, default=1.0
        Which cost alike samples have, see `build_graph`.
    mean : ndarray of shape (n_features,), default=None
        Of the samples, where it is known already.
    """

    # Whether groups of long runs try other starts before prototypes have settled.
    tries_early = True

    def __init__(
        self,
        X: Data,
        weight: Floats | None,
        pairs: PairSet,
        *,
        alpha: float,
        beta: float,
        n_clusters: int,
        tol: float,
        max_iter: int,
        group_solver: Literal["sweeps", "exact"],
        threads: Threads,
        own: float = 1.0,
        mean: Floats | None = None,
    ) -> None:
        # The heaviest sample weighs one inside, whatever the unit of the weights.
        self.heaviest = 1.0 if weight is None else float(weight.max())
        if weight is not None:
            weight = weight / self.heaviest
        self.weight = weight
        self.n_clusters = n_clusters
        self.group_solver = group_solver
        self.alpha, self.beta = alpha, beta
        self.constrained, graph = build_graph(
            usable_pairs(pairs, weight, beta), beta / self.heaviest, own
        )
        free = np.ones(len(X), dtype=np.bool_)
        free[self.constrained] = False
        self.free = np.flatnonzero(free)
        self.threads = threads
        problem = steps.Problem(
            **self._hold(X, weighted_mean(X, weight) if mean is None else mean),
            graph=graph,
            group_ranges=cut_groups(graph.groups),
            bundles=NO_BUNDLES,
            alpha=alpha,
            tol=tol,
            max_iter=max_iter,
            accelerate_below=steps.ACCELERATE_BELOW,
            rounding=steps.ROUNDING,
            roundoff=steps.DOUBLE,
        )
        self.problem = bundled(problem)
        # The distance that changes of distances are measured by.
        self.scale = self.problem.variance

    def _hold(self, X: Data, mean: Floats) -> dict[str, Any]:
        """Keep samples, choose how to pass over them; return what problems hold."""
        n_samples, n_features = X.shape
        self.X, self.mean = X, mean
        work = n_features * self.n_clusters
        self.on_blas = work >= BLAS_FROM
        self.compiled = not self.on_blas and n_samples * work <= COMPILED_UP_TO
        # Compiled runs are short: threads then serve several of them at a time.
        self.threads = Threads(1) if self.compiled else self.threads
        pack = in_chunks if self.on_blas else in_tiles
        packed, lanes, ranges, totals = pack(
            X, self.free, self.weight, mean, self.threads
        )
        inside = X[self.constrained] - mean
        row_weight = weight_of(self.constrained, self.weight)
        totals[:n_features] += row_weight @ inside
        totals[n_features] += row_weight @ np.einsum("if,if->i", inside, inside)
        totals[-1] = n_samples if self.weight is None else self.weight.sum()
        return {
            "tiles": packed,
            "weight": lanes,
            "ranges": ranges,
            "X": inside,
            "row_weight": row_weight,
            "totals": totals,
            "variance": float(totals[-2] / totals[-1]) or 1.0,
        }

    def run_all(self, starts: list[Start], threads: Threads) -> list[MemResult]:
        """Run from each start; short runs share the threads, long ones use them all.

        In wide data the runs are made in few directions, and the best goes on in all
        of them: its result is the only one.
        """
        if self.compiled:
            return threads.map(self.run, [(start,) for start in starts])
        if not is_wide(self.X):
            return [self.run(start) for start in starts]
        # Threads of BLAS add up by chance, and results must not depend on them.
        with threadpool_limits(1, "blas"):
            return self._run_wide(starts)

    def _run_wide(self, starts: list[Start]) -> list[MemResult]:
        if self._few is None:
            return [self.run(start) for start in starts]
        directions, V = self._few
        narrow = self._narrowed(V)
        rough = [
            narrow._descend(C @ directions, U)
            for C, U in map(self._first_prototypes, starts)
        ]
        best = min(rough, key=lambda result: result.objective)
        first = best.centers @ directions.T, best.constrained
        end = self._descend(*first)
        return [replace(end, last_plain=end.last_plain or first)]

    @cached_property
    def _few(self) -> tuple[Floats, Floats] | None:
        """Few directions and the samples in them; kept, for any alpha, or None."""
        directions = leading_directions(self.X, self.mean)
        if directions is None:
            return None
        return directions, project(self.X, self.mean, directions, self.threads)

    def _narrowed(self, V: Floats) -> Self:
        """Return a solver of the problem as far as it lies in few directions."""
        other = copy.copy(self)
        held = other._hold(V, np.zeros(V.shape[1]))
        tol = max(self.problem.tol, NARROW_TOL)
        other.problem = bundled(self.problem._replace(**held, tol=tol))
        other.scale = other.problem.variance
        return other

    def run(self, start: Start) -> MemResult:
        """Descend from one start until nothing moves, or `max_iter`."""
        return self._descend(*self._first_prototypes(start))

    def resume(self, centers: Floats, constrained: Floats) -> MemResult:
        """Descend from where another run ended."""
        return self._descend(centers - self.mean, constrained)

    def regraded(self, p: Ints, q: Ints, grade: Floats) -> Self:
        """Return a solver of the same judgements, in the same order, graded anew.

        Parameters
        ----------
        p, q : ndarray of shape (n_pairs,)
            Places in `constrained` of the samples they join.
        grade : ndarray of shape (n_pairs,)
        """
        old, beta = self.problem.graph, self.beta / self.heaviest
        other = copy.copy(self)
        graph = make_graph(old.groups, p, q, grade, beta, old.own)
        other.problem = bundled(self.problem._replace(graph=graph))
        return other

    def with_alpha(self, alpha: float) -> Self:
        """Return a solver of the same problem with another alpha."""
        if alpha == self.alpha:
            return self
        other = copy.copy(self)
        other.alpha = alpha
        other.problem = self.problem._replace(alpha=alpha)
        return other

    def _descend(self, C: Floats, U: Floats) -> MemResult:
        """Descend until nothing moves, in single precision first if that pays.

        Matrix products and bundles are twice as fast in it; passes in double precision
        settle what is left.
        """
        if not self._may_be_single():
            return self._settle(C, U)
        rough = self._in_single_precision()._settle(C, U)
        if not rough.converged:
            return rough
        end = self._settle(
            rough.centers - self.mean, rough.constrained, rough.n_iter, rough.tried
        )
        # The first pass of the end is made where the last one was.
        joined = end.after(rough, len(rough.history) - 1)
        return replace(joined, last_plain=rough.last_plain)

    def _may_be_single(self) -> bool:
        if self.compiled or len(self.X) < SINGLE_FROM:
            return False
        return self.on_blas or len(self.problem.bundles.X) > 0

    def _in_single_precision(self) -> Self:
        other = copy.copy(self)
        tol = max(self.problem.tol, SINGLE_DOWN_TO)
        single = self.problem._replace(
            tol=tol, rounding=steps.SINGLE_ROUNDING, roundoff=steps.SINGLE
        )
        other.problem = bundled(single)
        return other

    def _settle(
        self, C: Floats, U: Floats, n_passes: int = 0, tried: Floats | None = None
    ) -> MemResult:
        state, trail = self._state(C, U, n_passes), Trail()
        if tried is not None:
            state.tried[:] = tried
            state.counters[steps.N_LOOKS] = 1
        status, moved = steps.CONTINUE, True
        history: list[Floats] = []
        sizes: list[int] = []
        lowest = NOWHERE

        def note() -> None:
            accepted = state.history[: state.counters[steps.N_ACCEPTED]]
            history.append(accepted)
            sizes.extend([len(state.C)] * len(accepted))

        with self._single_threaded_blas():
            while status != steps.EXHAUSTED and moved:
                status = self._iterate(state, trail)
                while status == steps.VANISHING:
                    # Half-solved groups may starve a cluster that solved ones feed.
                    resting = state.counters[steps.N_SWEEPS] == 0
                    # With tol = 0 solving them would go on for ever.
                    spent = state.counters[steps.N_PASSES] >= self.problem.max_iter
                    if resting or spent or not self._refine(state):
                        note()
                        state, trail = self._without_smallest(state), Trail()
                    status = self._iterate(state, trail)
                settled = self._settled(state)
                moved = self._refine(state)
                if moved and settled.objective < lowest.objective:
                    lowest = settled
        note()
        objective = self._objective(state)
        U = state.blocks.U
        result = MemResult(
            centers=state.C + self.mean,
            constrained=U / U.sum(axis=1, keepdims=True),
            objective=objective * self.heaviest,
            history=np.concatenate([*history, [objective]]) * self.heaviest,
            n_clusters_history=np.array([*sizes, len(state.C)]),
            n_iter=int(state.counters[steps.N_PASSES]),
            converged=status == steps.SETTLED and not moved,
            spread=float(np.sqrt(self.scale)),
            last_plain=trail.last_plain,
            tried=state.C if self._looked_enough(state) else state.tried,
        )
        if tried is not None or lowest.objective >= objective - 1e-12 * abs(objective):
            return result
        # Other starts of groups lowered the objective, and then cost a cluster. They
        # are not tried again, so that this happens once.
        again = self._settle(lowest.C, lowest.U, result.n_iter, lowest.C)
        return again.after(result, len(result.history))

    def _looked_enough(self, state: steps.State) -> bool:
        return bool(state.counters[steps.N_LOOKS] == NO_MORE)

    def _settled(self, state: steps.State) -> Settled:
        """Note where the run is, if its groups are about to try other starts."""
        U = state.blocks.U
        if len(U) == 0:
            return NOWHERE
        return Settled(state.C.copy(), U.copy(), self._objective(state))

    def labels_apart(
        self, start: Start, result: MemResult | None = None
    ) -> NDArray[np.intp]:
        """Return the labels of the last plain step at which prototypes were apart.

        Where prototypes fall together, memberships become equal and their order is
        rounding. On the way there the order is that of the direction in which they
        fell together last, which is what the data have to say about clusters. Plain
        steps keep to it, accelerated ones do not; those that a `result` from this
        start has noted are not made again.
        """
        noted = None if result is None else result.last_plain
        C, U = self._walk(*(noted or self._first_prototypes(start)))
        memberships = self.free_memberships(C + self.mean)
        memberships[self.constrained] = U
        return np.asarray(np.argmax(memberships, axis=1))

    def _walk(self, C: Floats, U: Floats) -> tuple[Floats, Floats]:
        """Make plain steps as long as prototypes are apart."""
        plain = copy.copy(self)
        plain.problem = self.problem._replace(
            accelerate_below=0.0,
            tol=1e-2 * self.problem.tol,
            max_iter=APART_PASSES[0] if self.compiled else APART_PASSES[1],
        )
        state, status = plain._state(C, U), steps.CONTINUE
        with self._single_threaded_blas():
            while status in (steps.CONTINUE, steps.VANISHING):
                plain._pass(state)
                if not self._are_apart(state.C):
                    break
                C, U = state.C.copy(), state.blocks.U.copy()
                status = int(steps.advance(plain.problem, state))
                if status == steps.VANISHING:
                    state = plain._without_smallest(state)
        return C, U

    def _are_apart(self, C: Floats) -> bool:
        squares = np.einsum("jf,jf->j", C, C)
        gaps = squares[:, None] + squares - 2.0 * (C @ C.T)
        np.fill_diagonal(gaps, np.inf)
        return bool(gaps.min() >= APART**2 * self.scale)

    def memberships(self, result: MemResult) -> Floats:
        """Write out the memberships of all samples, shape (n_samples, n_clusters)."""
        out = self.free_memberships(result.centers)
        out[self.constrained] = result.constrained
        return out

    def free_memberships(self, centers: Floats) -> Floats:
        """Write out what all samples had without judgements, eq. (14)."""
        out = np.empty((len(self.X), len(centers)))
        self.threads.map(
            rows.row_memberships,
            [
                (self.X, centers, out, *span)
                for span in over_ranges(cut(len(self.X), 4096))
            ],
        )
        return out

    def _iterate(self, state: steps.State, trail: Trail) -> int:
        if self.compiled:
            return int(steps.run_tiles(self.problem, state))
        while True:
            self._pass(state)
            C = None if trail.last_plain else state.C.copy()
            status = int(steps.advance(self.problem, state))
            if C is not None and state.counters[steps.IS_PROPOSAL]:
                trail.last_plain = C, state.kept.copy()
            if status != steps.CONTINUE:
                return status
            if self._is_time_to_refine(state):
                # From the image of C: flags of proposals are cleared with the rest.
                state.C[:] = state.image
                self._refine(state, float(state.levels[1]))

    def _is_time_to_refine(self, state: steps.State) -> bool:
        """Tell whether groups should try other starts though prototypes still move.

        What they find moves prototypes in turn: found at the end alone, it costs a
        third of all passes again.
        """
        if len(self.problem.X) == 0 or not self.tries_early:
            return False
        is_near = state.levels[0] < self.problem.accelerate_below
        return bool(is_near and np.isinf(state.tried).all())

    def _pass(self, state: steps.State) -> None:
        """Pass over all samples, a range a call, into the partial sums."""
        problem, C = self.problem, state.C
        n_free = len(problem.ranges) - 1
        data: tuple[Any, ...]
        if self.on_blas:
            free = chunks.chunk_pass
            units = float(np.sqrt(problem.variance)), problem.roundoff
            data = (self.X, self.free, problem.weight[0], self.mean, *units)
        else:
            free = tiles.tile_pass
            data = (problem.tiles, problem.weight)
        inner = (
            int(state.counters[steps.N_SWEEPS]),
            float(state.levels[1]),
            problem.variance,
        )
        samples, groups = self._groups(state)
        grouped = (group_pass, *samples, *groups, problem.bundles)
        spans = over_ranges(problem.ranges)
        calls: list[tuple[Any, ...]] = [(free, *data, C, *span) for span in spans]
        spans = over_ranges(problem.group_ranges)
        calls += [(*grouped, part, *span, *inner) for part, span in enumerate(spans)]
        results = self.threads.map(
            lambda kernel, *arguments: kernel(*arguments),
            [
                (*call, state.sums[part], state.masses[part])
                for part, call in enumerate(calls)
            ],
        )
        state.parts[:n_free, 0] = results[:n_free]
        for part, result in enumerate(results[n_free:], start=n_free):
            state.parts[part] = result

    def _refine(self, state: steps.State, tol: float = 0.0) -> bool:
        """Solve the groups at the prototypes; tell whether that moved them.

        To a tenth of the tolerance of the fit, or to `tol` if that is more.
        """
        problem = self.problem
        if len(problem.X) == 0:
            return False
        gain = max(1e-2 * problem.tol, 1e-12, problem.roundoff[0]) * self.scale
        tol = max(tol, 0.1 * problem.tol)
        moved = self._solve_groups(state, gain, tol)
        if self.group_solver == "exact" and solve_small_groups_exactly(
            problem.graph, state.blocks, SMALL_GROUP, gain
        ):
            self._solve_groups(state, gain, tol)
            moved = True
        # What acceleration remembers belongs to other memberships.
        for memory in (steps.N_MIXED, steps.HAS_LAST, steps.IS_PROPOSAL):
            state.counters[memory] = 0
        return moved

    def _solve_groups(self, state: steps.State, gain: float, tol: float) -> bool:
        problem = self.problem
        # Other starts lead nowhere new while the prototypes stay.
        gap = (state.C - state.tried).ravel()
        shift = np.sqrt(gap @ gap / len(state.C))
        stayed = shift <= 10.0 * problem.tol * np.sqrt(self.scale)
        n_looks = int(state.counters[steps.N_LOOKS])
        is_look = not stayed and not self._looked_enough(state)
        trials = 0, 0
        if is_look:
            # The first look of a long run is a brief one.
            trials = (TURNS, N_STARTS) if self.compiled or n_looks else (1, 1)
            state.tried[:] = state.C
            state.counters[steps.N_LOOKS] += 1
        limits = (tol, self.scale, *trials, SMALL_GROUP, gain)
        spans = over_ranges(problem.group_ranges)
        samples, groups = self._groups(state)
        if len(problem.graph.groups) > FEWEST_GROUPS or not self.compiled:
            # Passes over bundles leave no distances behind.
            borders = problem.graph.groups[problem.group_ranges]
            self.threads.map(
                measure_rows,
                [(*samples, *groups, *span) for span in over_ranges(borders)],
            )
        done = self.threads.map(
            refine_groups,
            [(*groups, problem.bundles.roundoff, *span, *limits) for span in spans],
        )
        changes, improved, objectives = zip(*done, strict=True)
        before = state.parts[:, 0].sum()
        state.parts[len(problem.ranges) - 1 :, 0] = objectives
        gained = before - state.parts[:, 0].sum()
        is_long = n_looks > 0 and not self.compiled
        if is_look and is_long and gained <= LITTLE * problem.tol * before:
            state.counters[steps.N_LOOKS] = NO_MORE
        return max(changes) > 10.0 * problem.tol or any(improved)

    def _groups(self, state: steps.State) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """Return what kernels ask of groups: samples and prototypes; graph and rows."""
        problem = self.problem
        return (
            (problem.X, problem.row_weight, state.C),
            (problem.graph, state.blocks),
        )

    def _objective(self, state: steps.State) -> float:
        """Eq. (5) at the last pass's prototypes, with the groups as they are now."""
        spread = steps.sum_of_distances(self.problem.totals, state.C)
        return float(state.parts[:, 0].sum() - self.problem.alpha * spread)

    def _state(self, C: Floats, U: Floats, n_passes: int = 0) -> steps.State:
        problem = self.problem
        k, n_features = C.shape
        n_parts = len(problem.ranges) + len(problem.group_ranges) - 2
        blocks = make_blocks(len(U), k)
        blocks.U[:] = U
        counters = np.zeros(steps.N_COUNTERS, dtype=np.int64)
        counters[steps.N_PASSES] = n_passes
        counters[steps.N_SWEEPS] = steps.EFFORT
        return steps.State(
            C=np.ascontiguousarray(C),
            image=np.zeros(C.shape),
            blocks=blocks,
            kept=np.empty(U.shape),
            sums=np.empty((n_parts, k, n_features)),
            masses=np.empty((n_parts, k)),
            parts=np.zeros((n_parts, 2)),
            shift=np.zeros(C.shape),
            d_image=np.empty((steps.DEPTH, k, n_features)),
            d_shift=np.empty((steps.DEPTH, k, n_features)),
            gram=np.empty((steps.DEPTH, steps.DEPTH)),
            history=np.empty(self.problem.max_iter + 2),
            counters=counters,
            levels=np.array([np.inf, steps.INNER_SHARE]),
            tried=np.full(C.shape, np.inf),
        )

    def _without_smallest(self, state: steps.State) -> steps.State:
        """Drop the cluster of the smallest mass, renormalise rows and go on: eq. (12).

        Free rows need nothing: their memberships for the prototypes that are left
        are the renormalised ones. The constrained ones rest for one pass (no sweep),
        so that the next prototypes follow from renormalised rows alone.
        """
        smallest = int(np.argmin(state.masses[0]))
        C = np.delete(state.C, smallest, axis=0)
        U = drop_column(state.blocks.U, smallest)
        following = self._state(C, U, int(state.counters[steps.N_PASSES]))
        following.counters[steps.N_SWEEPS] = 0
        return following

    def _first_prototypes(self, start: Start) -> tuple[Floats, Floats]:
        """Prototypes of a start and the memberships of the constrained samples."""
        problem = self.problem
        if start.centers is not None:
            C = start.centers - self.mean
            inside = np.empty((len(problem.X), len(C)))
            rows.row_memberships(problem.X, C, inside, 0, len(inside))
            return C, inside
        samples = Samples(self.X, self.weight, self.mean, problem.totals, problem.alpha)
        if start.labels is not None:
            labels = np.asarray(start.labels, dtype=np.int64)
            return from_labels(samples, labels, self.constrained)
        U = cast(Floats, start.memberships)
        return from_memberships(samples, U, self.constrained)

    def _single_threaded_blas(self) -> AbstractContextManager[Any]:
        # Threads over ranges and threads inside BLAS would fight for the cores.
        return threadpool_limits(1, "blas") if self.on_blas else nullcontext()
