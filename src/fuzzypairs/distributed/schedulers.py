"""Where functions of blocks run: on threads of this process, or on a Dask cluster."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple
from uuid import uuid4

import numpy as np

from fuzzypairs.threads import Threads, machine_memory

__all__ = [
    "ClusterScheduler",
    "LocalScheduler",
    "Scheduler",
    "Work",
    "choose_scheduler",
]

Tell = Callable[[], None]

# The share of the memory of all workers up to which blocks stay there between passes.
KEPT_SHARE = 0.4
# From so many blocks on, results are added in groups of so many consecutive ones.
ADD_FROM, ADD_AT_A_TIME = 64, 32
# Results of kept blocks are gathered as they are up to so many bytes; the groups of
# larger ones are added by workers.
GATHERED = 64_000_000
# How often blocks are submitted anew after Dask gave one up, because several workers
# died while they had it.
MOST_RENEWALS = 10
# Constants of a call that are larger, over all its tasks, are sent once to each worker.
SENT_WITH_TASKS = 1_000_000


@dataclass(frozen=True, eq=False)
class Work:
    """A function that is called once for each block.

    Attributes
    ----------
    name : str
        Of the tasks on the dashboard.
    function : callable
    calls : list of tuple
        The first arguments for each block.
    common : tuple, default=()
        Further arguments, the same for all blocks.
    tell : callable, default=None
        Called after each block.
    add : callable, default=None
        Adds results, ``add(*results)``. They then come added in groups of consecutive
        blocks, the same for any number of workers.
    """

    name: str
    function: Callable[..., Any]
    calls: list[tuple[Any, ...]]
    common: tuple[Any, ...] = ()
    tell: Tell | None = None
    add: Callable[..., Any] | None = None

    def added(self, results: list[Any]) -> list[Any]:
        """Return results of all blocks, added in groups if that is asked for."""
        if self.add is None:
            return results
        return [self.add(*some) for some in self.in_groups(results)]

    def in_groups(self, values: list[Any]) -> list[list[Any]]:
        """Return values of all blocks in groups of consecutive blocks."""
        size = ADD_AT_A_TIME if len(values) >= ADD_FROM else 1
        return [values[at : at + size] for at in range(0, len(values), size)]


class Scheduler(ABC):
    """Runs a function once for each block; results come in the order of the blocks."""

    n_threads = 1  # of one task
    memory: float  # bytes of all workers, when it was made

    def load(self, parts: Sequence[Any]) -> list[Any]:
        """Return parts, given by Delayed objects, in the memory of workers."""
        return list(parts)

    def release(self, parts: Sequence[Any]) -> None:  # noqa: B027 - nothing to free
        """Free the memory of loaded parts, until they are used again."""

    def free(self) -> None:  # noqa: B027 - nothing to free
        """Free the memory of all that is loaded or kept."""

    @abstractmethod
    def keep(self, work: Work) -> list[Any]:
        """Return references to results that stay where they are computed."""

    @abstractmethod
    def map(self, work: Work) -> list[Any]:
        """Return ``[function(*call, *common) for call in calls]``."""


class LocalScheduler(Scheduler):
    """Threads of this process; parts are computed where they are needed."""

    def __init__(self, n_jobs: int | None) -> None:
        self.n_workers = Threads(n_jobs).n_threads
        self.memory = machine_memory()

    def keep(self, work: Work) -> list[Any]:
        """Return results."""
        kept = self.map(work)
        # Fewer blocks than threads: each block is shared out.
        self.n_threads = max(1, self.n_workers // max(1, len(kept)))
        return kept

    def map(self, work: Work) -> list[Any]:
        """Return results, several blocks at a time on threads."""

        def one(call: tuple[Any, ...]) -> Any:
            result = work.function(*map(_computed, call), *work.common)
            if work.tell is not None:
                work.tell()
            return result

        if self.n_workers == 1 or len(work.calls) == 1:
            return work.added([one(call) for call in work.calls])
        pool = ThreadPoolExecutor(min(self.n_workers, len(work.calls)))
        try:
            return work.added(list(pool.map(one, work.calls)))
        finally:
            pool.shutdown(cancel_futures=True)


def _computed(value: Any) -> Any:
    """Return what a Delayed object stands for, and other values as they are."""
    return value.compute(scheduler="synchronous") if _is_delayed(value) else value


def _is_delayed(value: Any) -> bool:
    return type(value).__module__.startswith("dask.") and hasattr(value, "compute")


class ClusterScheduler(Scheduler):
    """Workers of a Dask cluster. Dask itself replaces those that die."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self._kept: list[_Kept] = []
        self._last: list[Any] = []
        self.check()
        workers = client.scheduler_info(n_workers=-1)["workers"].values()
        if not workers:
            raise ConnectionError(
                "the Dask cluster has no workers; start some, or scale the cluster up"
            )
        n_bytes = float(sum(w["memory_limit"] or 0 for w in workers))
        self.memory = n_bytes or float("inf")

    def check(self) -> None:
        """Refuse a client that has no scheduler any more."""
        if self.client.status != "running":
            raise ConnectionError(
                f"the Dask client is {self.client.status}, so there is no cluster to "
                "fit on; connect a new one by distributed.Client(address), or close "
                "it and fit with client=None in this process"
            )

    def load(self, parts: Sequence[Any]) -> list[Any]:
        """Return parts in the memory of the workers."""
        return _Kept(self, lambda: self.client.compute(list(parts))).references

    def release(self, parts: Sequence[Any]) -> None:
        """Free the memory of loaded parts, until they are used again."""
        for part in parts:
            if isinstance(part, _Reference):
                part.kept.futures = []

    def free(self) -> None:
        """Free all that workers keep. The scheduler forgets tasks that failed, too."""
        for future in [*self._last, *(f for kept in self._kept for f in kept.futures)]:
            future.release()
        if self.client.status == "running":
            self.client.nthreads()  # its answer tells that the scheduler knows

    def keep(self, work: Work) -> list[Any]:
        """Return references to results in the memory of the workers."""
        kept = _Kept(self, lambda: self._submit(work))
        _tell_of(kept.futures, work.tell)
        self._wait(kept.futures)
        self._balance(kept, work)
        return kept.references

    def _balance(self, kept: "_Kept", work: Work) -> None:
        """Compute the surplus of a worker again on others: passes wait for the last."""
        n_threads, blocks = self.client.nthreads(), self._places(kept.futures)
        total = sum(n_threads.values())
        room, surplus = {}, []
        for worker, threads in n_threads.items():
            own, fair = blocks.get(worker, []), -(-len(kept.futures) * threads // total)
            room[worker] = fair - len(own)
            surplus += own[fair:]
        for number in surplus:
            worker = max(room, key=room.__getitem__)
            room[worker] -= 1
            alone = replace(work, calls=[work.calls[number]])
            (kept.futures[number],) = self._submit(alone, worker)
        self._wait(kept.futures)

    def map(self, work: Work) -> list[Any]:
        """Return results, as tasks called by the name of the work on the dashboard."""
        from distributed.comm.core import CommClosedError

        from distributed import KilledWorker

        self.check()
        try:
            for _ in range(MOST_RENEWALS):
                with suppress(KilledWorker):
                    return self._gather(work)
                self.free()
                for kept in self._kept:
                    if kept.futures:
                        kept.renew()
            return self._gather(work)
        except (CommClosedError, TimeoutError) as error:
            raise ConnectionError(
                "the Dask client lost its scheduler during the fit; look at the logs "
                "of the scheduler, and fit again with a new client"
            ) from error

    def _wait(self, futures: list[Any]) -> None:
        import distributed

        wait: Any = distributed.wait  # without types
        with self.client.as_current():
            wait(futures)

    def _gather(self, work: Work) -> list[Any]:
        # Results of a pass have the size of the prototypes, which are its constants.
        n_bytes = len(work.calls) * _size_of(work.common)
        first = work.calls[0]
        if len(first) == 1 and isinstance(first[0], _Reference) and n_bytes <= GATHERED:
            return self._gather_shares(work, first[0].kept)
        futures = self._last = self._submit(work)
        _tell_of(futures, work.tell)
        if work.add is not None and len(futures) >= ADD_FROM:
            columns = [work.in_groups(futures)]
            futures = self._map(f"{work.name}-sum", partial(_apply, work.add), columns)
            self._last = [*self._last, *futures]
        return list(self.client.gather(futures))

    def _gather_shares(self, work: Work, kept: "_Kept") -> list[Any]:
        """Return results of kept blocks by one task for each thread of a worker.

        A task costs scheduler and client as much time as a pass over many rows.
        """
        blocks, shares = kept.now(), self._shares(kept)
        columns = [
            [[blocks[number] for number in share] for share in shares],
            *self._common(work, len(shares)),
        ]
        futures = self._map(work.name, partial(_for_each, work.function), columns)
        # This releases the results of the pass before. Earlier, the message about it
        # would delay these tasks: a client sends one message in 10 ms.
        self._last = futures
        for future, share in zip(futures, shares, strict=True):
            _tell_of([future] * len(share), work.tell)
        results = [None] * len(blocks)
        for share, found in zip(shares, self.client.gather(futures), strict=True):
            for number, result in zip(share, found, strict=True):
                results[number] = result
        return work.added(results)

    def _shares(self, kept: "_Kept") -> list[list[int]]:
        """Return the numbers of the blocks that each thread of a worker has."""
        n_threads = self.client.nthreads()
        if n_threads != kept.n_threads:  # at first, and after a worker was lost
            self._wait(kept.futures)
            kept.n_threads, kept.shares = n_threads, []
            for worker, own in self._places(kept.futures).items():
                n_shares = min(len(own), n_threads.get(worker, 1))
                kept.shares += [part.tolist() for part in np.array_split(own, n_shares)]
        return kept.shares

    def _places(self, futures: list[Any]) -> dict[str, list[int]]:
        """Return the numbers of the futures of each worker; of "" what was lost."""
        workers = self.client.who_has(futures)
        blocks: dict[str, list[int]] = {}
        for number, future in enumerate(futures):
            worker = min(workers.get(future.key) or [""])
            blocks.setdefault(worker, []).append(number)
        return blocks

    def _submit(self, work: Work, worker: str | None = None) -> list[Any]:
        """Submit a task for each call; those of Delayed objects as one graph.

        They go to a `worker` if there is one, and as long as it lives.
        """
        from dask.delayed import delayed

        where = {"workers": worker and [worker], "allow_other_workers": bool(worker)}
        calls = [tuple(_now(value) for value in call) for call in work.calls]
        if any(_is_delayed(value) for call in calls for value in call):

            def wrapped(value: Any) -> Any:
                return value if _is_delayed(value) else delayed(value, traverse=False)

            task = delayed(work.function, pure=False, traverse=False)
            shared = [delayed(value, traverse=False) for value in work.common]
            keys = _keys(work.name, len(calls))
            tasks = [
                task(*map(wrapped, call), *shared, dask_key_name=key)
                for key, call in zip(keys, calls, strict=True)
            ]
            return list(self.client.compute(tasks, **where))
        columns = [*zip(*calls, strict=True), *self._common(work, len(calls))]
        return self._map(work.name, work.function, columns, **where)

    def _common(self, work: Work, n_tasks: int) -> list[list[Any]]:
        """Return the constants of a call for each task."""
        common: Sequence[Any] = work.common
        if _size_of(common) * n_tasks > SENT_WITH_TASKS:
            # As a task, not scattered: a copy that is lost is made again.
            common = self._map(f"{work.name}-common", _same, [common])
        return [[value] * n_tasks for value in common]

    def _map(
        self, name: str, function: Callable[..., Any], columns: list[Any], **where: Any
    ) -> list[Any]:
        """Submit tasks in one message to the scheduler, not one for each block."""
        keys = _keys(name, len(columns[0]))
        return list(self.client.map(function, *columns, key=keys, pure=False, **where))


def _keys(name: str, n: int) -> list[str]:
    key = f"fuzzypairs-{name}-{uuid4().hex}"
    return [f"{key}-{number}" for number in range(n)]


def _size_of(values: Sequence[Any]) -> int:
    from dask.sizeof import sizeof

    return sum(map(sizeof, values))


def _for_each(
    function: Callable[..., Any], blocks: list[Any], *common: Any
) -> list[Any]:
    return [function(block, *common) for block in blocks]


def _tell_of(futures: list[Any], tell: Tell | None) -> None:
    if tell is not None:
        for future in futures:
            future.add_done_callback(lambda _: tell())


def _apply(function: Callable[..., Any], values: list[Any]) -> Any:
    return function(*values)


def _same(value: Any) -> Any:
    return value


class _Kept:
    """Futures that are wanted until the fit ends, and how to make them anew."""

    def __init__(self, owner: ClusterScheduler, make: Callable[[], list[Any]]) -> None:
        self._make = make
        self.futures = make()
        self.references = [_Reference(self, n) for n in range(len(self.futures))]
        # Threads of each worker, and the futures that each thread has.
        self.n_threads: dict[str, int] = {}
        self.shares: list[list[int]] = []
        # Made later from those before: to be renewed in this order.
        owner._kept.append(self)

    def renew(self) -> None:
        self.futures = self._make()

    def now(self) -> list[Any]:
        """Return the present futures; after a release all are computed again."""
        if not self.futures:
            self.renew()
        return self.futures


class _Reference(NamedTuple):
    """One of several futures, whichever is its present one."""

    kept: _Kept
    number: int


def _now(value: Any) -> Any:
    """Return the present future of a reference, and other values as they are."""
    if isinstance(value, _Reference):
        return value.kept.now()[value.number]
    return value


def choose_scheduler(client: Any, n_jobs: int | None) -> Scheduler:
    """Return the scheduler of a client, of the current one, or of this process."""
    if client is None:
        client = _current_client()
    if client is None:
        return LocalScheduler(n_jobs)
    if not hasattr(client, "scheduler_info"):
        raise TypeError(
            f"client is a {type(client).__name__}, expected a distributed.Client, or "
            "None for the current one"
        )
    if getattr(client, "asynchronous", False):
        raise TypeError(
            "client is asynchronous, which an estimator cannot wait for; connect one "
            "by distributed.Client(address, asynchronous=False)"
        )
    return ClusterScheduler(client)


def _current_client() -> Any:
    try:
        from distributed import get_client
    except ImportError:
        return None
    try:
        client = get_client()
    except ValueError:
        return None
    return client if client.status == "running" else None
