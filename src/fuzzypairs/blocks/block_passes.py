"""Algorithm 1 with passes over blocks: the same run as over samples in memory.

A run of `_core.descend` asks for sums at its prototypes. Several runs wait for each
other, so that one pass over the blocks serves all of them. Judged rows are held here,
and their groups are solved while a pass is made.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial, reduce
from queue import SimpleQueue
from typing import Any, Self

import numpy as np

from fuzzypairs import _core
from fuzzypairs._typing import Floats, Ints
from fuzzypairs.blocks.block_rows import Blocks
from fuzzypairs.blocks.block_work import (
    Frame,
    Partial,
    PlainBlock,
    add_partials,
    pack_block,
    pass_over_block,
    read_and_pass,
)
from fuzzypairs.blocks.held_rows import HeldRows, hold_rows
from fuzzypairs.blocks.maps import BlockMap, choose_map
from fuzzypairs.blocks.named_pairs import read_judgements
from fuzzypairs.blocks.pass_progress import PassClock
from fuzzypairs.solvers.any_metric import SpacePasses
from fuzzypairs.solvers.fused import LONG_FROM, PRODUCTS_FROM, FusedPasses
from fuzzypairs.solvers.groups import solve_small_groups_exactly
from fuzzypairs.solvers.problem import Graph, Problem
from fuzzypairs.solvers.result import RunResult
from fuzzypairs.solvers.start import Start
from fuzzypairs.spaces.feature_maps import MappedSpace
from fuzzypairs.spaces.moments import Moments, is_sparse
from fuzzypairs.spaces.space import Space
from fuzzypairs.threads import Threads, one_blas_thread
from fuzzypairs.validation import check_seed

__all__ = ["BlockPasses", "FitBlocks", "run_together"]

# Blocks stay packed between passes up to this share of the memory.
KEPT_SHARE = 0.4

# Makes a pass at the prototypes of several runs.
PassAt = Callable[[dict[int, Floats]], list[Partial]]
# Asks for a pass at prototypes; returns a function that waits for it.
Ask = Callable[[Floats], Callable[[], Partial]]


@dataclass(frozen=True, eq=False)
class FitBlocks:
    """The blocks of a fit, and what is held of them here."""

    blocks: Blocks
    map: BlockMap
    held: HeldRows
    clock: PassClock

    @classmethod
    def open(cls, blocks: Blocks, pairs: Any, model: Any, client: Any) -> Self:
        """Survey the blocks of a fit, and gather a sample and the judged rows.

        `model` has the parameters of the fit: random_state, tol, max_iter and n_jobs.
        """
        judgements = read_judgements(pairs, blocks)
        map_ = choose_map(client, model.n_jobs)
        # They are in memory twice, as they are read and packed.
        if blocks.n_bytes and 2.0 * blocks.n_bytes <= KEPT_SHARE * map_.memory:
            blocks = blocks.kept(map_)
        clock = PassClock(len(blocks), model.tol, model.max_iter)
        seed = check_seed(model.random_state)
        held = hold_rows(blocks, map_, judgements, seed, clock)
        return cls(blocks, map_, held, clock)

    def moments(self, space: Space, factor: float) -> tuple[Floats, float]:
        """Return mean and total variance of all rows in the space of a fit."""
        frame, found = Frame(as_map(space), factor), self.held.survey.moments
        if frame.space is None:
            return found.mean * factor, found.scatter / found.mass * factor**2
        self.clock.begin("survey of the mapped rows")
        columns, reading = self.blocks.columns, self.blocks.reading
        parts = self.map(frame.moments, columns, [reading], self.clock.tick)
        found = reduce(Moments.joined, parts)
        return found.mean, found.scatter / found.mass

    def pack(self, frame: Frame, out: Sequence[Ints]) -> PassAt:
        """Pack the blocks without the rows `out`; return what makes a pass."""
        survey, clock = self.held.survey, self.clock
        row_bytes = survey.n_features * np.dtype(survey.dtype).itemsize
        if frame.space is not None:
            row_bytes = 8 * len(frame.mean)
        function: Callable[..., Any] = read_and_pass
        columns = [*self.blocks.columns, out]
        common: tuple[Any, ...] = self.blocks.reading, frame
        clock.begin("pack")
        if survey.n_rows * row_bytes <= KEPT_SHARE * self.map.memory:
            kept = self.map.keep(pack_block, columns, common, clock.tick)
            function, columns, common = pass_over_block, [kept], ()
        n_threads = self.map.threads_for(len(self.blocks))

        def pass_at(prototypes: dict[int, Floats]) -> list[Partial]:
            clock.begin("pass")
            given = *common, list(prototypes.values()), n_threads
            found = add_partials(self.map(function, columns, given, clock.tick))
            clock.end(prototypes)
            return found

        return pass_at


def as_map(space: Space) -> MappedSpace | None:
    """Return a fitted space that maps rows, without its samples."""
    if not isinstance(space, MappedSpace):
        return None
    trimmed, _ = space.trimmed(np.empty((0, 0)))
    return trimmed


class BlockPasses:
    """Passes over blocks; see `fuzzypairs.solvers.problem.Passes`.

    Rows that judgements name are among those held here, `constrained` are their places.
    `local` makes passes over the held rows alone: it turns starts into prototypes.
    """

    has_points = True

    def __init__(
        self,
        fit: FitBlocks,
        space: Space,
        factor: float,
        fuzzifier: float,
        mean: Floats,
        variance: float,
        weight: Floats | None,
        constrained: Ints,
        n_clusters: int,
        threads: Threads,
    ) -> None:
        self.mean, self.scale = mean, variance or 1.0
        self.unit = float(np.sqrt(self.scale))
        self.constrained, self.n_threads = constrained, threads.n_threads
        held = fit.held
        size = len(self.mean) * n_clusters
        rest = weight, constrained, n_clusters, threads
        self.local: FusedPasses | SpacePasses
        products, units = size >= PRODUCTS_FROM, (mean, self.unit, held.heaviest)
        frame = Frame(as_map(space), factor, fuzzifier, *units, products)
        self.judged: PlainBlock | None = None  # where passes are not fused
        self.is_long = False
        if fuzzifier == 2.0 and not is_sparse(space.X):
            self.is_long = held.survey.n_rows * size > LONG_FROM
            self.local = FusedPasses(space.X, mean, variance, *rest)
        else:
            self.local = SpacePasses(space, fuzzifier, self.scale, *rest)
            self.judged = PlainBlock(space.X, constrained, weight, frame)
        self.pass_at = fit.pack(frame, held.rows_by_block(constrained))
        # Sums of w x, w |x|^2 and w of all rows, which are centred at their mean.
        mass = held.survey.moments.mass / held.heaviest
        self.totals = np.array(
            [*np.zeros(len(mean)), mass * variance / self.scale, mass]
        )

    def make_groups(self, graph: Graph) -> _core.Groups:
        """Return the groups of judged samples, ready for passes."""
        return self.local.make_groups(graph)

    def first_prototypes(self, problem: Problem, start: Start) -> tuple[Floats, Floats]:
        """Return prototypes of a start on the held rows, and memberships of groups."""
        return self.local.first_prototypes(problem, start)

    def free_memberships(self, centers: Floats) -> Floats:
        """Return eq. (14) for the held rows, shape (n_held, n_clusters)."""
        return self.local.free_memberships(centers)

    def run(self, problem: Problem, starts: list[Start]) -> list[RunResult]:
        """Descend from all starts at once: a pass serves all of them."""
        tasks = []
        for number, start in enumerate(starts):
            own = problem
            if number:  # groups hold the memberships of one run
                own = replace(problem, groups=self.make_groups(problem.graph))
            first = self.first_prototypes(problem, start)
            tasks.append(partial(self._one, own, *first))
        return run_together(tasks, self.pass_at)

    def descend(
        self, problem: Problem, centers: Floats, constrained: Floats
    ) -> RunResult:
        """Run Algorithm 1 from prototypes and memberships of constrained samples."""
        task = partial(self._one, problem, centers, constrained)
        return run_together([task], self.pass_at)[0]

    def _one(self, problem: Problem, centers: Floats, U: Floats, ask: Ask) -> RunResult:
        def pass_over(
            C: Floats, n_sweeps: int, tol: float
        ) -> tuple[Floats, Floats, float, float, float]:
            receive = ask(C)
            # While the workers make their pass.
            groups = self._pass_groups(problem.groups, C, n_sweeps, tol)
            free, (sums, masses, value, change) = receive(), groups
            return free.sums + sums, free.masses + masses, free.value, value, change

        C, U, history, sizes, n_iter, converged = _core.descend(
            pass_over,
            problem.groups,
            np.ascontiguousarray((centers - self.mean) / self.unit),
            np.ascontiguousarray(U),
            alpha=problem.alpha,
            tol=problem.tol,
            max_iter=problem.max_iter,
            is_long=self.is_long,
            improve=solve_small_groups_exactly(problem) if problem.is_exact else None,
            totals=self.totals,
            n_threads=self.n_threads,
        )
        history *= self.scale * problem.heaviest
        objective = float(history[-1]) if len(history) else np.inf
        centers = C * self.unit + self.mean
        return RunResult(centers, U, objective, history, sizes, n_iter, converged)

    def _pass_groups(
        self, groups: _core.Groups, C: Floats, n_sweeps: int, tol: float
    ) -> tuple[Floats, Floats, float, float]:
        """Return sums, masses, u'Du and the largest change of a membership."""
        judged, threads = self.judged, Threads(1)
        if judged is None:
            return groups.pass_over(C, n_sweeps, tol, 1.0, self.n_threads)
        w = judged.weight[:, None]
        with one_blas_thread():
            groups.set_distances(w * judged.distances(C, threads), self.n_threads)
            value, change = groups.descend(n_sweeps, tol, 1.0, self.n_threads)
            W = w * groups.memberships**judged.frame.fuzzifier
            return *judged.add_up(W, threads), value, change


def run_together(
    tasks: Sequence[Callable[[Ask], RunResult]], pass_at: PassAt
) -> list[RunResult]:
    """Run tasks on threads; make one pass when all that still run wait for it.

    What a task or a pass raises is raised here, after all tasks have ended.
    """
    inbox: SimpleQueue[tuple[int, Floats | None, Future[Any]]] = SimpleQueue()
    waiting: dict[int, tuple[Floats, Future[Any]]] = {}

    def work(number: int) -> RunResult:
        def ask(C: Floats) -> Callable[[], Partial]:
            answer: Future[Partial] = Future()
            inbox.put((number, C, answer))
            return answer.result

        return tasks[number](ask)

    with ThreadPoolExecutor(len(tasks)) as pool:
        runs = [pool.submit(work, number) for number in range(len(tasks))]
        for number, run in enumerate(runs):
            run.add_done_callback(partial(_tell_end, inbox, number))
        n_running = len(tasks)
        try:
            while n_running:
                number, C, future = inbox.get()
                if C is None:
                    n_running -= 1
                    future.result()  # raises what the task has raised
                else:
                    waiting[number] = C, future
                if n_running and len(waiting) == n_running:
                    asked = {number: waiting[number][0] for number in sorted(waiting)}
                    for number, part in zip(asked, pass_at(asked), strict=True):
                        waiting.pop(number)[1].set_result(part)
        except BaseException:
            ended = RuntimeError("another run has ended the fit")
            for _, answer in waiting.values():
                answer.set_exception(ended)
            while n_running:
                _, C, future = inbox.get()
                if C is None:
                    n_running -= 1
                else:
                    future.set_exception(ended)
            raise
    return [run.result() for run in runs]


def _tell_end(inbox: SimpleQueue[Any], number: int, run: Future[RunResult]) -> None:
    inbox.put((number, None, run))
