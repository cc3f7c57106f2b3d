"""Functions of blocks as tasks of a Dask cluster, and where they run."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple
from uuid import uuid4

import numpy as np

from fuzzypairs.blocks.schedulers import (
    ADD_FROM,
    LocalScheduler,
    Scheduler,
    Tell,
    Work,
    is_delayed,
)

__all__ = ["ClusterScheduler", "choose_scheduler"]

# Results of kept blocks are gathered as they are up to so many bytes; the groups of
# larger ones are added by workers.
GATHERED = 64_000_000
# How often blocks are submitted anew after Dask gave one up, because several workers
# died while they had it.
MOST_RENEWALS = 10
# Constants of a call that are larger, over all its tasks, are sent once to each worker.
SENT_WITH_TASKS = 1_000_000


class ClusterScheduler(Scheduler):
    """Workers of a Dask cluster. Dask itself replaces those that die."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self._kept: list[_Kept] = []
        self._last: dict[str, list[Any]] = {}  # futures of each work
        self._n_renewals = 0
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

    def release(self, references: Sequence[Any]) -> None:
        """Free the memory of what is loaded or kept, until it is used again."""
        for kept in _all_kept(references):
            kept.futures = []

    def free(self) -> None:
        """Free all that workers keep. The scheduler forgets tasks that failed, too."""
        lists = [*self._last.values(), *(kept.futures for kept in self._kept)]
        for futures in lists:
            for future in futures:
                future.release()
        if self.client.status == "running":
            with suppress(OSError):  # a scheduler that has gone knows nothing
                # A round trip: releases are sent before what is submitted next.
                self.client.nthreads()

    def keep(self, work: Work) -> list[Any]:
        """Return references to results in the memory of the workers."""
        kept = _Kept(self, partial(self._submit, work))
        _tell_of(kept.futures, work.tell)
        with _connected():
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
        return self.receive(self.begin(work))

    def begin(self, work: Work) -> "_Begun":
        """Submit the tasks of a work."""
        self.check()
        with _connected():
            begun = self._begin(work)
        # This releases the results of the pass before. Earlier, the message about it
        # would delay these tasks: a client sends one message in 10 ms.
        self._last[work.name] = begun.submitted
        return begun

    def receive(self, begun: "_Begun") -> list[Any]:
        """Return results; make anew what Dask gave up, see `MOST_RENEWALS`."""
        from distributed import KilledWorker

        with _connected():
            for n_left in range(MOST_RENEWALS, -1, -1):
                if begun.n_renewals != self._n_renewals:
                    begun = self.begin(begun.work)
                try:
                    return begun.read(self.client.gather(begun.futures))
                except KilledWorker:
                    if not n_left:
                        raise
                    self._renew()
        raise AssertionError  # the last attempt returns or raises

    def _renew(self) -> None:
        """Submit all that is kept once more."""
        self._n_renewals += 1
        self.free()
        released = [kept for kept in self._kept if not kept.futures]
        # In the order in which they were made: packed blocks after those loaded.
        for kept in self._kept:
            kept.renew()
        for kept in released:
            kept.futures = []

    def _wait(self, futures: list[Any]) -> None:
        import distributed

        wait: Any = distributed.wait  # without types
        with self.client.as_current():
            wait(futures)

    def _begin(self, work: Work) -> "_Begun":
        # Results of a pass have the size of the prototypes, which are its constants.
        n_bytes = len(work.calls) * _size_of(work.common)
        if work.by_thread and n_bytes <= GATHERED:
            return self._begin_shares(work, work.calls[0][0].kept)
        submitted = futures = self._submit(work)
        _tell_of(futures, work.tell)
        if work.add is not None and len(futures) >= ADD_FROM:
            columns = [work.in_groups(futures)]
            futures = self._map(f"{work.name}-sum", partial(_apply, work.add), columns)
            submitted = [*submitted, *futures]
        return _Begun(work, self._n_renewals, submitted, futures, list)

    def _begin_shares(self, work: Work, kept: "_Kept") -> "_Begun":
        """Submit one task for each thread of a worker that has kept blocks.

        A task costs scheduler and client as much time as a pass over many rows.
        """
        blocks, shares = kept.now(), self._shares(kept)
        columns = [
            [[blocks[number] for number in share] for share in shares],
            *self._common(work, len(shares)),
        ]
        futures = self._map(work.name, partial(_for_each, work.function), columns)
        # Asked while the workers are busy, for the next pass: it takes a round trip.
        if self.client.nthreads() != kept.n_threads:
            kept.n_threads = {}
        for future, share in zip(futures, shares, strict=True):
            _tell_of([future] * len(share), work.tell)

        def read(gathered: list[list[Any]]) -> list[Any]:
            results = [None] * len(blocks)
            for share, found in zip(shares, gathered, strict=True):
                for number, result in zip(share, found, strict=True):
                    results[number] = result
            return work.added(results)

        return _Begun(work, self._n_renewals, futures, futures, read)

    def _shares(self, kept: "_Kept") -> list[list[int]]:
        """Return the numbers of the blocks that each thread of a worker has."""
        if not kept.n_threads:  # at first, and after a worker was lost
            self._wait(kept.futures)
            kept.n_threads, kept.shares = self.client.nthreads(), []
            for worker, own in self._places(kept.futures).items():
                n_shares = min(len(own), kept.n_threads.get(worker, 1))
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
        if any(is_delayed(value) for call in calls for value in call):

            def wrapped(value: Any) -> Any:
                return value if is_delayed(value) else delayed(value, traverse=False)

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
        import dask

        keys = _keys(name, len(columns[0]))
        # Judged rows go to workers with their tasks on purpose, see `_common`.
        with dask.config.set(
            {"distributed.admin.large-graph-warning-threshold": 2**60}
        ):
            futures = self.client.map(function, *columns, key=keys, pure=False, **where)
        return list(futures)


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
        owner._kept.append(self)

    def renew(self) -> None:
        self.futures, self.n_threads = self._make(), {}

    def now(self) -> list[Any]:
        """Return the present futures; after a release all are computed again."""
        if not self.futures:
            self.renew()
        return self.futures


def _all_kept(references: Sequence[Any]) -> list[_Kept]:
    """Return what references point to; values that are no references are left out."""
    found = [one.kept for one in references if isinstance(one, _Reference)]
    return list(dict.fromkeys(found))


class _Begun(NamedTuple):
    """A work whose tasks are submitted."""

    work: Work
    n_renewals: int  # of what is kept, before it was submitted
    submitted: list[Any]  # all futures of it
    futures: list[Any]  # those to be gathered
    read: Callable[[list[Any]], list[Any]]


@contextmanager
def _connected() -> Iterator[None]:
    """Say what is to be done when client or scheduler have gone."""
    from distributed.comm.core import CommClosedError

    try:
        yield
    except (CommClosedError, TimeoutError, CancelledError) as error:
        raise ConnectionError(
            "the Dask client was closed or lost its scheduler during the fit; look at "
            "the logs of the scheduler, and fit again with a new client"
        ) from error


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
