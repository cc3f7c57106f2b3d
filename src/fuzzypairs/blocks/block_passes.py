"""Algorithm 1 with passes over blocks: the same run as over samples in memory.

A run of `_core.descend` asks for sums at its prototypes. Several runs wait for each
other, so that one pass over the blocks serves all of them.
"""

from collections.abc import Callable
from dataclasses import replace
from queue import SimpleQueue
from threading import Thread
from typing import Any, NamedTuple

import numpy as np

from fuzzypairs import _core
from fuzzypairs._typing import Floats, Ints
from fuzzypairs.blocks.block_work import (
    Frame,
    Partial,
    add_partials,
    pack_block,
    pass_over_block,
    read_and_pass,
)
from fuzzypairs.blocks.dask_blocks import Source
from fuzzypairs.blocks.held_rows import HeldRows
from fuzzypairs.blocks.judged_groups import (
    Command,
    Found,
    GroupsOfRun,
    JudgedRows,
    SharedGroups,
)
from fuzzypairs.blocks.pass_progress import PassClock
from fuzzypairs.blocks.schedulers import Limits, Scheduler, Work
from fuzzypairs.solvers.any_metric import SpacePasses
from fuzzypairs.solvers.fused import LONG_FROM, PRODUCTS_FROM, FusedPasses
from fuzzypairs.solvers.groups import solve_small_groups_exactly
from fuzzypairs.solvers.problem import Graph, Problem
from fuzzypairs.solvers.result import RunResult
from fuzzypairs.solvers.start import Start
from fuzzypairs.spaces.feature_maps import MappedSpace
from fuzzypairs.spaces.moments import is_sparse
from fuzzypairs.spaces.space import Space
from fuzzypairs.threads import Threads

__all__ = ["BlockPasses", "Blocks", "run_together"]


class Request(NamedTuple):
    """What a run asks for: a pass, or a step of its groups that are elsewhere."""

    C: Floats | None  # prototypes of the pass, if it is one
    commands: list[Command]  # for groups that are elsewhere


class Answer(NamedTuple):
    """What the blocks and the groups that are elsewhere found for a run."""

    blocks: Partial | None
    groups: Found | None


Ask = Callable[[Request], Callable[[], Answer]]


class Blocks:
    """All blocks of a fit: where they are, and what is held of them here."""

    def __init__(
        self,
        source: Source,
        scheduler: Scheduler,
        held: HeldRows,
        clock: PassClock,
        limits: Limits,
    ) -> None:
        self.source, self.scheduler = source, scheduler
        self.held, self.clock, self.limits = held, clock, limits

    def moments(self, space: Space, factor: float) -> tuple[Floats, float]:
        """Return mean and total variance of all rows in the space of a fit."""
        frame = Frame(as_map(space), factor)
        if frame.space is None:
            survey = self.held.survey
            return survey.mean * factor, survey.scatter / survey.mass * factor**2
        self.clock.begin("survey of the mapped rows")
        found = self.scheduler.map(
            Work("moments", frame.moments, self.source.calls, tell=self.clock.tick)
        )
        mass, mean, scatter = found[0]
        for more, other, squares in found[1:]:
            gap = other - mean
            share = more / (mass + more) if mass + more > 0.0 else 0.0
            scatter += squares + mass * share * float(gap @ gap)
            mean, mass = mean + share * gap, mass + more
        return mean, scatter / mass

    def pack(self, frame: Frame, out: list[Ints]) -> "PackedBlocks":
        """Return the blocks without the rows `out`, ready for passes."""
        n_bytes = self.held.survey.n_rows * self._row_bytes(frame)
        keep = n_bytes <= self.limits.kept_share * self.scheduler.memory
        calls = [
            (*call, frame, rows)
            for call, rows in zip(self.source.calls, out, strict=True)
        ]
        self.clock.begin("pack")
        if not keep:
            return PackedBlocks(self, calls, is_kept=False)
        kept = self.scheduler.keep(
            Work("pack", pack_block, calls, tell=self.clock.tick)
        )
        # Rows are packed: the blocks as they were read need no more memory.
        self.scheduler.release(self.source.parts)
        return PackedBlocks(self, [(block,) for block in kept], is_kept=True)

    def _row_bytes(self, frame: Frame) -> float:
        survey = self.held.survey
        if frame.space is not None:
            return 8.0 * len(frame.mean)
        return float(survey.n_features * np.dtype(survey.dtype).itemsize)


def as_map(space: Space) -> MappedSpace | None:
    """Return a fitted space that maps rows, without its samples."""
    if not isinstance(space, MappedSpace):
        return None
    trimmed, _ = space.trimmed(np.empty((0, 0)))
    return trimmed


class PackedBlocks:
    """Blocks ready for passes: kept where they were packed, or read for each pass."""

    def __init__(
        self, blocks: Blocks, calls: list[tuple[Any, ...]], *, is_kept: bool
    ) -> None:
        self.blocks, self.calls, self.is_kept = blocks, calls, is_kept

    def pass_at(self, prototypes: dict[int, Floats]) -> list[Partial]:
        """Make one pass at the prototypes of several runs."""
        clock, scheduler = self.blocks.clock, self.blocks.scheduler
        clock.begin("pass")
        function = pass_over_block if self.is_kept else read_and_pass
        n_threads = scheduler.threads_for(len(self.calls))
        work = Work(
            "pass",
            function,
            self.calls,
            (list(prototypes.values()), n_threads),
            clock.tick,
            add_partials,
            by_thread=self.is_kept,
        )
        parts = scheduler.map(work)
        clock.end(prototypes)
        return add_partials(*parts)


class BlockPasses:
    """Passes over blocks; see `fuzzypairs.solvers.problem.Passes`.

    Rows that judgements name are among those held here, `constrained` are their places.
    `local` makes passes over the held rows alone: it turns starts into prototypes.
    """

    has_points = True

    def __init__(
        self,
        blocks: Blocks,
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
        self.blocks, self.fuzzifier = blocks, fuzzifier
        self.mean = mean
        self.scale = variance or 1.0
        self.unit = float(np.sqrt(self.scale))
        self.constrained, self.weight, self.X = constrained, weight, space.X
        self.n_threads = threads.n_threads
        self.is_fused = fuzzifier == 2.0 and not is_sparse(space.X)
        size = len(self.mean) * n_clusters
        self.is_long = self.is_fused and blocks.held.survey.n_rows * size > LONG_FROM
        rest = weight, constrained, n_clusters, threads
        self.local: FusedPasses | SpacePasses
        if self.is_fused:
            self.local = FusedPasses(space.X, self.mean, variance, *rest)
        else:
            self.local = SpacePasses(space, fuzzifier, self.scale, *rest)
        frame = Frame(
            as_map(space),
            factor,
            fuzzifier,
            self.mean,
            self.unit,
            blocks.held.heaviest,
            size >= PRODUCTS_FROM,
        )
        self.judged = JudgedRows(space.X, constrained, weight, frame)
        self.shared: SharedGroups | None = None
        self.packed = blocks.pack(frame, blocks.held.rows_by_block(constrained))
        # Sums of w x, w |x|^2 and w of all rows, which are centred at their mean.
        mass = blocks.held.survey.mass / blocks.held.heaviest
        self.totals = np.array(
            [*np.zeros(len(mean)), mass * variance / self.scale, mass]
        )

    def make_groups(self, graph: Graph) -> _core.Groups:
        """Return the groups of judged samples, or none if they will be shared out."""
        if self._is_large(graph):
            none, ends = np.zeros(1, dtype=np.int64), np.empty(0)
            return _core.Groups(none, none, none[:0], ends, ends)
        return self.judged.make_groups(graph.in_units(self.scale))

    def _is_large(self, graph: Graph) -> bool:
        """Tell whether groups are shared out to workers."""
        return len(graph.neighbor) >= 2 * self.blocks.limits.shared_from

    def first_prototypes(self, problem: Problem, start: Start) -> tuple[Floats, Floats]:
        """Return prototypes of a start on the held rows, and memberships of groups."""
        return self.local.first_prototypes(problem, start)

    def free_memberships(self, centers: Floats) -> Floats:
        """Return eq. (14) for the held rows, shape (n_held, n_clusters)."""
        return self.local.free_memberships(centers)

    def run(self, problem: Problem, starts: list[Start]) -> list[RunResult]:
        """Descend from all starts at once: a pass serves all of them."""
        if self._is_large(problem.graph) and not problem.is_exact:
            return self._run_shared(problem, starts)
        first = [self.first_prototypes(problem, start) for start in starts]
        return self._descend(problem, first)

    def descend(
        self, problem: Problem, centers: Floats, constrained: Floats
    ) -> RunResult:
        """Run Algorithm 1 from prototypes and memberships of constrained samples."""
        return self._descend(problem, [(centers, constrained)])[0]

    def _descend(
        self, problem: Problem, first: list[tuple[Floats, Floats]]
    ) -> list[RunResult]:
        """Run with all groups on the client, which solves them during a pass."""
        graph = problem.graph.in_units(self.scale)

        def task(centers: Floats, U: Floats, number: int) -> Callable[[Ask], RunResult]:
            own = problem
            if number or self._is_large(
                graph
            ):  # groups hold the memberships of one run
                own = replace(problem, groups=self.judged.make_groups(graph))
            return lambda ask: self._one(own, centers, U, ask)

        tasks = [task(*start, number) for number, start in enumerate(first)]
        return run_together(tasks, self._serve)

    def _run_shared(self, problem: Problem, starts: list[Start]) -> list[RunResult]:
        """Run with groups shared out to workers, which solve them during a pass."""
        if self.shared is None:
            graph, blocks = problem.graph.in_units(self.scale), self.blocks
            self.shared = SharedGroups(
                blocks.scheduler, self.judged, graph, blocks.limits.rows_a_part
            )
        first, given = [], []
        for start in starts:
            centers, U = self._prototypes(start), None
            if centers is None:
                centers, U = self.first_prototypes(problem, start)
            first.append(centers)
            given.append((True, self._inside(centers)) if U is None else (False, U))
        self.shared.start(given)

        def task(centers: Floats) -> Callable[[Ask], RunResult]:
            return lambda ask: self._one(problem, centers, None, ask)

        runs = run_together([task(centers) for centers in first], self._serve)
        return [
            replace(run, constrained=self.shared.memberships(number))
            for number, run in enumerate(runs)
        ]

    def _prototypes(self, start: Start) -> Floats | None:
        """Return the prototypes of a start, if its memberships are free ones there."""
        if start.centers is not None:
            return np.asarray(start.centers, dtype=np.float64)
        if start.rows is not None and isinstance(self.local, SpacePasses):
            return self.local.space.at_samples(start.rows)
        return None

    def _inside(self, centers: Floats) -> Floats:
        """Return prototypes in the coordinates of passes."""
        return np.ascontiguousarray((centers - self.mean) / self.unit)

    def _serve(self, requests: dict[int, Request]) -> dict[int, Answer]:
        """Make steps of groups that are elsewhere, and a pass if one is asked for."""
        commands = {n: r.commands for n, r in requests.items() if r.commands}
        prototypes = {n: r.C for n, r in requests.items() if r.C is not None}
        receive = None
        if self.shared is not None and commands:
            receive = self.shared.advance(commands)
        parts = self.packed.pass_at(prototypes) if prototypes else []
        by_run = dict(zip(prototypes, parts, strict=True))
        found = {} if receive is None else receive()
        return {n: Answer(by_run.get(n), found.get(n)) for n in requests}

    def _one(
        self, problem: Problem, centers: Floats, U: Floats | None, ask: Ask
    ) -> RunResult:
        """Run Algorithm 1; without U, with groups that are elsewhere."""

        def step(commands: list[Command]) -> Found:
            found = ask(Request(None, commands))().groups
            assert found is not None
            return found

        elsewhere = GroupsOfRun(step)

        def pass_over(
            C: Floats, n_sweeps: int, tol: float
        ) -> tuple[Floats, Floats, float, float, float]:
            commands: list[Command] = []
            if U is None:
                commands = [*elsewhere.take(), ("pass_over", C, n_sweeps, tol)]
            receive = ask(Request(C, commands))
            # While the workers make their pass.
            found = None if U is None else self._pass_groups(problem, C, n_sweeps, tol)
            free, there = receive()
            found = found or there
            assert free is not None
            assert found is not None
            sums, masses = free.sums + found.sums, free.masses + found.masses
            return sums, masses, free.value, found.value, found.change

        C, ends, history, sizes, n_iter, converged = _core.descend(
            pass_over,
            elsewhere if U is None else problem.groups,
            self._inside(centers),
            None if U is None else np.ascontiguousarray(U),
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
        return RunResult(centers, ends, objective, history, sizes, n_iter, converged)

    def _pass_groups(
        self, problem: Problem, C: Floats, n_sweeps: int, tol: float
    ) -> Found:
        """Solve groups that are here."""
        if not len(self.constrained):
            problem.groups.memberships = np.empty((0, len(C)))
            return Found(0.0, 0.0)
        return self.judged.pass_over(problem.groups, C, n_sweeps, tol, self.n_threads)


def run_together(
    tasks: list[Callable[[Ask], RunResult]],
    serve: Callable[[dict[int, Request]], dict[int, Answer]],
) -> list[RunResult]:
    """Run tasks on threads; make one pass when all that still run wait for it.

    A task is called with a function `ask`. ``ask(request)`` returns a function that
    waits for the answer. Requests without a pass are served at once. What `serve` or a
    task raise is raised here, after all tasks have ended.
    """
    inbox: SimpleQueue[tuple[int, Request | None, Any]] = SimpleQueue()
    answers: list[SimpleQueue[Any]] = [SimpleQueue() for _ in tasks]

    def ask_for(number: int) -> Ask:
        def receive() -> Answer:
            answer: Answer | BaseException = answers[number].get()
            if isinstance(answer, BaseException):
                raise answer
            return answer

        def ask(request: Request) -> Callable[[], Answer]:
            inbox.put((number, request, None))
            return receive

        return ask

    def work(number: int) -> None:
        try:
            inbox.put((number, None, tasks[number](ask_for(number))))
        except BaseException as error:
            inbox.put((number, None, error))

    threads = [Thread(target=work, args=(n,), daemon=True) for n in range(len(tasks))]
    results: dict[int, Any] = {}
    waiting: dict[int, Request] = {}

    def give(requests: dict[int, Request]) -> None:
        for number, answer in serve(requests).items():
            answers[number].put(answer)

    def collect() -> None:
        while len(waiting) + len(results) < len(tasks):
            number, request, end = inbox.get()
            if request is None:
                results[number] = end
            elif request.C is None:
                give({number: request})
            else:
                waiting[number] = request
        for end in results.values():
            if isinstance(end, BaseException):
                raise end

    try:
        for thread in threads:
            thread.start()
        while len(results) < len(tasks):
            collect()
            if waiting:
                asked = {number: waiting[number] for number in sorted(waiting)}
                waiting.clear()
                give(asked)
    except BaseException:
        for queue in answers:
            queue.put(RuntimeError("another run has ended the fit"))
        for thread in threads:
            thread.join(timeout=10.0)
        raise
    return [results[number] for number in range(len(tasks))]
