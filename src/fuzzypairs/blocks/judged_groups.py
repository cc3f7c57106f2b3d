"""Groups of judged rows: on the client, or shared out to workers by component.

Groups are independent of each other at given prototypes, so solving them apart is the
same as together. A part has whole groups. Its memberships stay with it: copying them
takes longer than a pass. The client remembers all steps of a fit. When a worker is
lost, Dask makes its parts anew, the client has them make all steps again, and the
result is the same.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import pairwise
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from fuzzypairs import _core
from fuzzypairs._typing import Floats, Ints
from fuzzypairs.blocks.block_work import Frame
from fuzzypairs.blocks.schedulers import Scheduler, Work
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


# A method of `GroupsOfPart`, and its arguments.
Command = tuple[Any, ...]
# Commands of some runs, by their numbers.
Step = dict[int, list[Command]]
# How a run begins: at memberships, or at free ones of given prototypes (True).
Beginning = tuple[bool, Floats]


class GroupsOfPart:
    """The groups of a part in one run; see `_core.RunGroups`."""

    def __init__(self, judged: JudgedRows, graph: Graph, beginning: Beginning) -> None:
        self.judged = judged
        self.groups = judged.make_groups(graph)
        is_free, A = beginning
        self.groups.memberships = judged.free_memberships(A) if is_free else A
        self.saved: dict[int, Floats] = {}

    def keep(self) -> None:
        """Note the memberships."""
        self.groups.keep()

    def go_back(self) -> None:
        """Return to the memberships noted."""
        self.groups.go_back()

    def save(self, slot: int) -> None:
        """Store the memberships."""
        self.saved[slot] = self.groups.memberships

    def restore(self, slot: int) -> None:
        """Return to memberships that were stored."""
        self.groups.memberships = self.saved[slot]

    def drop(self, cluster: int) -> None:
        """Drop a cluster."""
        self.groups.memberships = drop_column(self.groups.memberships, cluster)

    def measure(self, C: Floats) -> None:
        """Measure the groups at prototypes C."""
        self.judged.measure(self.groups, C, 1)

    def pass_over(self, C: Floats, n_sweeps: int, tol: float) -> Found:
        """Make a pass at prototypes C."""
        return self.judged.pass_over(self.groups, C, n_sweeps, tol, 1)

    def refine(self, *how: Any) -> Found:
        """Solve groups where they were measured last, see `_core.Groups.refine`."""
        value, change, n_improved = self.groups.refine(*how)
        return Found(value, change, n_improved=n_improved)

    def memberships(self) -> Floats:
        """Return the memberships."""
        return self.groups.memberships


class GroupPart:
    """Some groups and their rows, where they are solved, with memberships of all runs.

    A copy in another process has no memberships. `stamp` tells which ones there are:
    the number of the fit, and how many of its steps were made.
    """

    def __init__(self, judged: JudgedRows, graph: Graph) -> None:
        self.judged, self.graph = judged, graph
        self.runs: list[GroupsOfPart] = []
        self.stamp: tuple[int, int] | None = None
        self.n_bytes = 2 * int(judged.X.shape[0] * judged.X.shape[1] * 8)
        self.lock = Lock()

    def __reduce__(self) -> Any:
        return GroupPart, (self.judged, self.graph)

    def __sizeof__(self) -> int:
        """Return the size in bytes, which Dask plans by."""
        return self.n_bytes

    def begin(self, beginnings: list[Beginning]) -> None:
        """Begin all runs."""
        self.runs = [GroupsOfPart(self.judged, self.graph, one) for one in beginnings]

    def follow(self, step: Step) -> dict[int, Any]:
        """Follow the commands of some runs; return what the last one of each found."""
        found = {}
        for run, commands in step.items():
            for name, *arguments in commands:
                found[run] = getattr(self.runs[run], name)(*arguments)
        return found


def follow_steps(
    part: GroupPart,
    beginnings: list[Beginning] | None,
    stamp: tuple[int, int],
    steps: list[Step],
) -> dict[int, Any] | None:
    """Make steps of a fit, from its beginning or after those that `stamp` tells of.

    Returns what the last step found; None if the part has other memberships, because it
    was made anew.
    """
    with part.lock:
        if beginnings is None and part.stamp != stamp:
            return None
        part.stamp = None  # if a step fails, its memberships are of no use
        if beginnings is not None:
            part.begin(beginnings)
        found = [part.follow(step) for step in steps]
        part.stamp = (stamp[0], stamp[1] + len(steps))
        return found[-1]


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
        self.n_fits = 0
        self.beginnings: list[list[Beginning]] = []  # of each part
        self.steps: list[Step] = []

    def start(self, starts: list[Beginning]) -> None:
        """Begin runs: from memberships, or from free ones at given prototypes."""
        self.n_fits += 1
        self.steps = []
        self.beginnings = [
            [(is_free, A if is_free else A[first:last]) for is_free, A in starts]
            for first, last in pairwise(self.borders)
        ]

    def begin(self, step: Step) -> Callable[[], dict[int, list[Any]]]:
        """Begin a step; return a function that waits for what each part found."""
        n_before = len(self.steps)
        self.steps.append(step)
        if n_before:
            calls = [(part, None) for part in self.parts]
            stamp = self.n_fits, n_before
            work = Work("groups", follow_steps, calls, common=(stamp, [step]))
        else:
            work = self._from_the_beginning(range(len(self.parts)))
        begun = self.scheduler.begin(work)

        def receive() -> dict[int, list[Any]]:
            found = self.scheduler.receive(begun)
            # Parts of workers that were lost are made anew, without memberships.
            behind = [number for number, one in enumerate(found) if one is None]
            if behind:
                again = self.scheduler.map(self._from_the_beginning(behind))
                for number, one in zip(behind, again, strict=True):
                    found[number] = one
            return {run: [one[run] for one in found] for run in step}

        return receive

    def _from_the_beginning(self, numbers: Sequence[int]) -> Work:
        """Return the work to make all steps of some parts."""
        calls = [(self.parts[n], self.beginnings[n]) for n in numbers]
        return Work(
            "groups", follow_steps, calls, common=((self.n_fits, 0), self.steps[:])
        )

    def advance(self, step: Step) -> Callable[[], dict[int, Found]]:
        """Begin a step; return a function that waits for what all groups found."""
        receive = self.begin(step)
        return lambda: {
            run: reduce(Found.joined, parts) for run, parts in receive().items()
        }

    def memberships(self, run: int) -> Floats:
        """Return the memberships of all groups in a run."""
        return np.concatenate(self.begin({run: [("memberships",)]})()[run])


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
