"""Groups of judged rows: on the client, or shared out to workers by component.

Groups are independent of each other at given prototypes, so solving them apart is the
same as together. A part has whole groups. Its memberships are the result of a task,
which takes those of the task before: when a worker is lost, Dask computes its parts
again from the first memberships, and the result is the same.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import reduce
from itertools import pairwise
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from fuzzypairs import _core
from fuzzypairs._typing import Floats, Ints
from fuzzypairs.distributed.block_work import Frame
from fuzzypairs.distributed.schedulers import Scheduler, Work
from fuzzypairs.solvers.free import memberships_of
from fuzzypairs.solvers.initial import drop_column
from fuzzypairs.solvers.problem import Graph
from fuzzypairs.spaces.moments import is_sparse
from fuzzypairs.spaces.vectors import Euclidean, weighted_sums
from fuzzypairs.threads import Threads, one_blas_thread

__all__ = ["GroupsOfRun", "JudgedRows", "SharedGroups", "cut_groups"]

# Parts begin after a multiple of so many groups of one size, which the core solves
# several at a time: in each part the same ones as if there were no parts.
GROUPS_AT_A_TIME = 64


class Found(NamedTuple):
    """What groups found in a pass, or when they were refined."""

    value: float  # u'Du
    change: float  # the largest of a membership
    sums: Any = 0.0  # (k, n_features) sum of w u^g x
    masses: Any = 0.0  # (k,) sum of w u^g
    n_improved: int = 0  # groups for which another start was better

    def joined(self, other: "Found") -> "Found":
        """Return what the groups of both found."""
        return Found(
            self.value + other.value,
            max(self.change, other.change),
            self.sums + other.sums,
            self.masses + other.masses,
            self.n_improved + other.n_improved,
        )


@dataclass(frozen=True, eq=False)
class JudgedRows:
    """Rows that judgements name, ordered by group, in the space of the fit."""

    X: Any  # the rows are among these
    rows: Ints  # (n_rows,)
    weight: Floats | None  # of all rows of X
    frame: Frame

    @property
    def is_fused(self) -> bool:
        """Whether the core measures distances and adds up sums."""
        return self.frame.fuzzifier == 2.0 and not is_sparse(self.X)

    def part(self, first: int, last: int) -> "JudgedRows":
        """Return some of the rows, without the others."""
        rows = self.rows[first:last]
        weight = None if self.weight is None else self.weight[rows]
        return replace(self, X=self.X[rows], rows=np.arange(len(rows)), weight=weight)

    def make_groups(self, graph: Graph) -> _core.Groups:
        """Return groups with these rows; the graph is in units of the spread."""
        if not self.is_fused:
            return _core.Groups(*graph, self.frame.fuzzifier)
        groups = _core.Groups(*graph)
        groups.pack(self.X, self.rows, self.weight, self.frame.mean, self.frame.unit)
        return groups

    def free_memberships(self, C: Floats) -> Floats:
        """Return eq. (14) of the rows, shape (n_rows, n_clusters)."""
        frame, X = self.frame, self.X[self.rows]
        if self.is_fused:
            return _core.memberships(X, C, mean=frame.mean, unit=frame.unit)
        return memberships_of(self._distances(X, C), frame.fuzzifier)

    def pass_over(
        self, groups: _core.Groups, C: Floats, n_sweeps: int, tol: float, n_threads: int
    ) -> Found:
        """Solve groups at prototypes C, and add up what the next ones follow from."""
        if self.is_fused:
            sums, masses, value, change = groups.pass_over(
                C, n_sweeps, tol, 1.0, n_threads
            )
            return Found(value, change, sums, masses)
        frame, X, w = self.frame, self.X[self.rows], self._weights()
        self.measure(groups, C, n_threads)
        value, change = groups.descend(n_sweeps, tol, 1.0, n_threads)
        with one_blas_thread():
            W = w[:, None] * groups.memberships**frame.fuzzifier
            sums = weighted_sums(Threads(1), X, W)
        masses = W.sum(axis=0)
        sums = (sums - masses[:, None] * frame.mean) / frame.unit
        return Found(value, change, sums, masses)

    def measure(self, groups: _core.Groups, C: Floats, n_threads: int) -> None:
        """Set the distances of groups to prototypes C."""
        if self.is_fused:
            groups.measure(C, n_threads)
            return
        w = self._weights()[:, None] / self.frame.unit**2
        with one_blas_thread():
            distance = self._distances(self.X[self.rows], C)
        groups.set_distances(distance * w, n_threads)

    def _weights(self) -> Floats:
        return (
            np.ones(len(self.rows)) if self.weight is None else self.weight[self.rows]
        )

    def _distances(self, X: Any, C: Floats) -> Floats:
        # Rows are mapped already: distances of a space without a map.
        return Euclidean().between(X, C * self.frame.unit + self.frame.mean)


@dataclass(frozen=True, eq=False)
class RunState:
    """Memberships of the groups of a part in one run; see `_core.RunGroups`."""

    U: Floats
    kept: Floats
    saved: tuple[Floats, Floats]
    C: Floats | None = None  # where the groups were measured last

    @classmethod
    def first(cls, U: Floats) -> "RunState":
        """Return the state at the beginning of a run."""
        return cls(U, U, (U, U))

    def keep(self) -> "RunState":
        """Note the memberships."""
        return replace(self, kept=self.U)

    def go_back(self) -> "RunState":
        """Return to the memberships noted."""
        return replace(self, U=self.kept)

    def save(self, slot: int) -> "RunState":
        """Store the memberships."""
        saved = (self.U, self.saved[1]) if slot == 0 else (self.saved[0], self.U)
        return replace(self, saved=saved)

    def restore(self, slot: int) -> "RunState":
        """Return to memberships that were stored."""
        return replace(self, U=self.saved[slot])

    def drop(self, cluster: int) -> "RunState":
        """Drop a cluster."""
        return replace(self, U=drop_column(self.U, cluster))

    def measure(self, C: Floats) -> "RunState":
        """Note where the groups are measured."""
        return replace(self, C=C)


# A method of `RunState` or `GroupPart`, and its arguments.
Command = tuple[Any, ...]


class GroupPart:
    """Some groups and their rows, where they are solved.

    It can be moved to another process, where it is made again.
    """

    def __init__(self, judged: JudgedRows, graph: Graph) -> None:
        self.judged, self.graph = judged, graph
        self.groups = judged.make_groups(graph)
        self.n_bytes = 2 * int(judged.X.shape[0] * judged.X.shape[1] * 8)
        # The groups have the memberships of one run at a time.
        self.lock = Lock()

    def __reduce__(self) -> Any:
        return GroupPart, (self.judged, self.graph)

    def __sizeof__(self) -> int:
        """Return the size in bytes, which Dask plans by."""
        return self.n_bytes

    def follow(
        self, state: RunState, commands: list[Command]
    ) -> tuple[RunState, Found | None]:
        """Return the state after commands of a run, and what the last one found."""
        found = None
        with self.lock:
            for name, *arguments in commands:
                if hasattr(state, name):
                    state = getattr(state, name)(*arguments)
                else:
                    state, found = getattr(self, name)(state, *arguments)
        return state, found

    def pass_over(
        self, state: RunState, C: Floats, n_sweeps: int, tol: float
    ) -> tuple[RunState, Found]:
        """Make a pass at prototypes C."""
        self.groups.memberships = state.U
        found = self.judged.pass_over(self.groups, C, n_sweeps, tol, 1)
        return replace(state, U=self.groups.memberships, C=C), found

    def refine(self, state: RunState, *how: Any) -> tuple[RunState, Found]:
        """Solve groups where they were measured last, see `_core.Groups.refine`."""
        assert state.C is not None
        self.groups.memberships = state.U
        self.judged.measure(self.groups, state.C, 1)
        value, change, n_improved = self.groups.refine(*how)
        found = Found(value, change, n_improved=n_improved)
        return replace(state, U=self.groups.memberships), found


class PartState(NamedTuple):
    """The states of all runs in a part, and what the last step of some found."""

    runs: dict[int, RunState]
    found: dict[int, Found]


def begin_part(part: GroupPart, starts: list[tuple[bool, Floats]]) -> PartState:
    """Return the first state: memberships, or free ones at given prototypes."""
    first = [part.judged.free_memberships(A) if free else A for free, A in starts]
    return PartState({n: RunState.first(U) for n, U in enumerate(first)}, {})


def advance_part(
    part: GroupPart, state: PartState, commands: dict[int, list[Command]]
) -> PartState:
    """Return the state of a part after the commands of some runs."""
    runs, found = dict(state.runs), {}
    for run, some in commands.items():
        runs[run], last = part.follow(runs[run], some)
        if last is not None:
            found[run] = last
    return PartState(runs, found)


def found_in(state: PartState) -> dict[int, Found]:
    """Return what the last step found."""
    return state.found


def memberships_in(state: PartState, run: int) -> Floats:
    """Return the memberships of a run."""
    return state.runs[run].U


def cut_groups(groups: Ints, rows_a_part: int) -> Ints:
    """Return the first group of each part, and the number of groups.

    `groups` (n_groups + 1,) are the first rows of groups, which are ordered by size.

    Examples
    --------
    >>> cut_groups(np.arange(0, 1001, 2), 300)
    array([  0, 192, 320, 500])
    """
    sizes = np.diff(groups)
    first_of_size = np.searchsorted(sizes, sizes)
    may_begin = (np.arange(len(sizes)) - first_of_size) % GROUPS_AT_A_TIME == 0
    possible = np.append(np.flatnonzero(may_begin), len(sizes))
    wanted = np.arange(0, groups[-1], rows_a_part)
    places = np.searchsorted(groups[possible], wanted)
    return np.unique(np.append(possible[places], len(sizes)))


def _slice(graph: Graph, first: int, last: int) -> Graph:
    """Return the groups from `first` to before `last`."""
    row, end = graph.groups[first], graph.groups[last]
    edge = graph.indptr[row]
    edges = slice(edge, graph.indptr[end])
    return Graph(
        graph.groups[first : last + 1] - row,
        graph.indptr[row : end + 1] - edge,
        graph.neighbor[edges] - row,
        graph.pull[edges],
        graph.diagonal[row:end],
        graph.own,
    )


class SharedGroups:
    """Groups of all runs, in parts that workers have."""

    def __init__(
        self, scheduler: Scheduler, judged: JudgedRows, graph: Graph, rows_a_part: int
    ) -> None:
        self.scheduler = scheduler
        cuts = cut_groups(graph.groups, rows_a_part)
        self.borders = graph.groups[cuts]
        calls = [
            (judged.part(graph.groups[a], graph.groups[b]), _slice(graph, a, b))
            for a, b in pairwise(cuts.tolist())
        ]
        self.parts = scheduler.keep(Work("groups-pack", GroupPart, calls))
        self.states: list[list[Any]] = []

    def start(self, starts: list[tuple[bool, Floats]]) -> None:
        """Begin runs: from memberships, or from free ones at given prototypes."""
        for state in self.states:
            self.scheduler.forget(state)
        calls = []
        for part, (first, last) in zip(self.parts, pairwise(self.borders), strict=True):
            own = [(free, A if free else A[first:last]) for free, A in starts]
            calls.append((part, own))
        self.states = [self.scheduler.defer(Work("groups-start", begin_part, calls))]

    def begin(self, commands: dict[int, list[Command]]) -> Callable[[], dict[int, Any]]:
        """Begin a step of some runs; return a function that waits for what it found."""
        before = self.states[-1]
        calls = list(zip(self.parts, before, strict=True))
        state = self.scheduler.defer(
            Work("groups", advance_part, calls, common=(commands,))
        )
        begun = self.scheduler.begin(
            Work("groups-found", found_in, [(part,) for part in state])
        )
        # It is remembered how to make what is released: for workers that are lost.
        self.scheduler.release(before)
        self.states.append(state)

        def receive() -> dict[int, Any]:
            parts = self.scheduler.receive(begun)
            return {
                run: reduce(Found.joined, [part[run] for part in parts])
                for run in parts[0]
            }

        return receive

    def memberships(self, run: int) -> Floats:
        """Return the memberships of all groups in a run."""
        calls = [(part,) for part in self.states[-1]]
        work = Work("groups-memberships", memberships_in, calls, common=(run,))
        return np.concatenate(self.scheduler.map(work))


class GroupsOfRun:
    """The groups of one run for `_core.descend`, which are elsewhere.

    What costs nothing is done together with the next step.
    """

    def __init__(self, step: Callable[[list[Command]], Found]) -> None:
        self._step, self._commands = step, list[Command]()

    def keep(self) -> None:
        """Note all memberships."""
        self._commands.append(("keep",))

    def go_back(self) -> None:
        """Return to the memberships noted."""
        self._commands.append(("go_back",))

    def save(self, slot: int) -> None:
        """Store all memberships."""
        self._commands.append(("save", slot))

    def restore(self, slot: int) -> None:
        """Return to memberships that were stored."""
        self._commands.append(("restore", slot))

    def drop(self, cluster: int) -> None:
        """Drop a cluster."""
        self._commands.append(("drop", cluster))

    def measure(self, C: Floats) -> None:
        """Measure the groups at prototypes C."""
        self._commands.append(("measure", C))

    def refine(self, *how: Any) -> tuple[float, float, int]:
        """Solve the groups to stationary points."""
        found = self._step([*self.take(), ("refine", *how)])
        return found.value, found.change, found.n_improved

    def take(self) -> list[Command]:
        """Return what is still to be done, and forget it."""
        commands, self._commands = self._commands, []
        return commands
