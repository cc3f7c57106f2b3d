"""Where functions of blocks run: on threads of this process, or on a Dask cluster."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Protocol
from uuid import uuid4

from fuzzypairs.threads import Threads, machine_memory

__all__ = ["ClusterScheduler", "LocalScheduler", "Scheduler", "choose_scheduler"]

Tell = Callable[[], None]

# The share of the memory of all workers up to which blocks stay there between passes.
KEPT_SHARE = 0.4
# From so many blocks on, what they give is added by workers, so many at a time.
ADD_FROM, ADD_AT_A_TIME = 64, 32
# How often blocks are submitted anew after Dask gave one up, because several workers
# died while they had it.
MOST_RENEWALS = 10
# Constants of a call that are larger, over all its tasks, are sent once to each worker.
SENT_WITH_TASKS = 1_000_000


class Scheduler(Protocol):
    """Runs a function once for each block; results come in the order of the blocks."""

    n_threads: int  # of one task

    def memory(self) -> float:
        """Return how many bytes all workers have."""

    def load(self, parts: Sequence[Any], keep: bool) -> list[Any]:
        """Return parts, given by Delayed objects, in memory if they are to be kept."""

    def release(self, parts: Sequence[Any]) -> None:
        """Free the memory of loaded parts, until they are used again."""

    def keep(
        self,
        name: str,
        function: Callable[..., Any],
        calls: list[tuple[Any, ...]],
        tell: Tell | None = None,
    ) -> list[Any]:
        """Return references to results that stay where they are computed."""

    def map(
        self,
        name: str,
        function: Callable[..., Any],
        calls: list[tuple[Any, ...]],
        common: tuple[Any, ...] = (),
        tell: Tell | None = None,
        add: Callable[..., Any] | None = None,
    ) -> list[Any]:
        """Return ``[function(*call, *common) for call in calls]``.

        `tell` is called after each. With `add`, results may come added in groups of
        consecutive blocks, the same for any number of workers.
        """


class LocalScheduler:
    """Threads of this process; parts are computed where they are needed."""

    def __init__(self, n_jobs: int | None) -> None:
        self.n_workers = Threads(n_jobs).n_threads
        self.n_threads = 1

    def memory(self) -> float:
        """Return how many bytes this machine has."""
        return machine_memory()

    def load(self, parts: Sequence[Any], keep: bool) -> list[Any]:
        """Return the parts as they are: they are read when they are needed."""
        return list(parts)

    def release(self, parts: Sequence[Any]) -> None:
        """Do nothing: parts are not in memory."""

    def keep(
        self,
        name: str,
        function: Callable[..., Any],
        calls: list[tuple[Any, ...]],
        tell: Tell | None = None,
    ) -> list[Any]:
        """Return results."""
        kept = self.map(name, function, calls, tell=tell)
        # Fewer blocks than threads: each block is shared out.
        self.n_threads = max(1, self.n_workers // max(1, len(kept)))
        return kept

    def map(
        self,
        name: str,
        function: Callable[..., Any],
        calls: list[tuple[Any, ...]],
        common: tuple[Any, ...] = (),
        tell: Tell | None = None,
        add: Callable[..., Any] | None = None,
    ) -> list[Any]:
        """Return results, several blocks at a time on threads."""

        def work(call: tuple[Any, ...]) -> Any:
            result = function(*map(_computed, call), *common)
            if tell is not None:
                tell()
            return result

        if self.n_workers == 1 or len(calls) == 1:
            return _in_groups([work(call) for call in calls], add)
        pool = ThreadPoolExecutor(min(self.n_workers, len(calls)))
        try:
            return _in_groups(list(pool.map(work, calls)), add)
        finally:
            pool.shutdown(cancel_futures=True)


def _computed(value: Any) -> Any:
    """Return what a Delayed object stands for, and other values as they are."""
    return value.compute(scheduler="synchronous") if _is_delayed(value) else value


def _is_delayed(value: Any) -> bool:
    return type(value).__module__.startswith("dask.") and hasattr(value, "compute")


def _groups(n: int) -> list[slice]:
    size = ADD_AT_A_TIME if n >= ADD_FROM else 1
    return [slice(first, first + size) for first in range(0, n, size)]


def _in_groups(results: list[Any], add: Callable[..., Any] | None) -> list[Any]:
    if add is None or len(results) < ADD_FROM:
        return results
    return [add(*results[some]) for some in _groups(len(results))]


class ClusterScheduler:
    """Workers of a Dask cluster. Dask itself replaces those that die."""

    n_threads = 1

    def __init__(self, client: Any) -> None:
        self.client = client
        self._kept: list[_Kept] = []
        self.check()

    def check(self) -> None:
        """Refuse a client that has no scheduler any more."""
        if self.client.status != "running":
            raise ConnectionError(
                f"the Dask client is {self.client.status}, so there is no cluster to "
                "fit on; connect a new one by distributed.Client(address), or close "
                "it and fit with client=None in this process"
            )

    def memory(self) -> float:
        """Return how many bytes all workers may use."""
        workers = self.client.scheduler_info(n_workers=-1)["workers"].values()
        if not workers:
            raise ConnectionError(
                "the Dask cluster has no workers; start some, or scale the cluster up"
            )
        return float(sum(w["memory_limit"] or 0 for w in workers)) or float("inf")

    def load(self, parts: Sequence[Any], keep: bool) -> list[Any]:
        """Return parts in the memory of the workers, or as they are."""
        if not keep:
            return list(parts)
        return _Kept(self, lambda: self.client.compute(list(parts))).references

    def release(self, parts: Sequence[Any]) -> None:
        """Free the memory of loaded parts, until they are used again."""
        for part in parts:
            if isinstance(part, _Reference):
                part.kept.release()

    def keep(
        self,
        name: str,
        function: Callable[..., Any],
        calls: list[tuple[Any, ...]],
        tell: Tell | None = None,
    ) -> list[Any]:
        """Return references to results in the memory of the workers."""
        import distributed

        wait: Any = distributed.wait  # without types
        kept = _Kept(self, lambda: self._submit(name, function, calls, ()))
        _tell_of(kept.futures, tell)
        with self.client.as_current():
            wait(kept.futures)
        return kept.references

    def map(
        self,
        name: str,
        function: Callable[..., Any],
        calls: list[tuple[Any, ...]],
        common: tuple[Any, ...] = (),
        tell: Tell | None = None,
        add: Callable[..., Any] | None = None,
    ) -> list[Any]:
        """Return results, as tasks called `name` on the dashboard."""
        from distributed.comm.core import CommClosedError

        from distributed import KilledWorker

        self.check()
        try:
            for attempt in range(MOST_RENEWALS + 1):
                futures = self._submit(name, function, calls, common)
                _tell_of(futures, tell)
                try:
                    return list(self.client.gather(self._added(name, futures, add)))
                except KilledWorker:
                    if attempt == MOST_RENEWALS:
                        raise
                    for kept in self._kept:
                        if kept.futures:
                            kept.renew()
            raise AssertionError("unreachable")
        except (CommClosedError, TimeoutError) as error:
            raise ConnectionError(
                "the Dask client lost its scheduler during the fit; look at the logs "
                "of the scheduler, and fit again with a new client"
            ) from error

    def _added(
        self, name: str, futures: list[Any], add: Callable[..., Any] | None
    ) -> list[Any]:
        if add is None or len(futures) < ADD_FROM:
            return futures
        key = f"fuzzypairs-{name}-sum-{uuid4().hex}"
        groups = [futures[some] for some in _groups(len(futures))]
        keys = [f"{key}-{number}" for number in range(len(groups))]
        work = partial(_apply, add)
        return list(self.client.map(work, groups, key=keys, pure=False))

    def _submit(
        self,
        name: str,
        function: Callable[..., Any],
        calls: list[tuple[Any, ...]],
        common: tuple[Any, ...],
    ) -> list[Any]:
        """Submit a task for each call; those of Delayed objects as one graph."""
        from dask.delayed import delayed
        from dask.sizeof import sizeof

        key = f"fuzzypairs-{name}-{uuid4().hex}"
        calls = [tuple(_now(value) for value in call) for call in calls]
        if any(_is_delayed(value) for call in calls for value in call):
            work = delayed(function, pure=False, traverse=False)
            shared = [delayed(value, traverse=False) for value in common]
            tasks = [
                work(
                    *(
                        v if _is_delayed(v) else delayed(v, traverse=False)
                        for v in call
                    ),
                    *shared,
                    dask_key_name=f"{key}-{number}",
                )
                for number, call in enumerate(calls)
            ]
            return list(self.client.compute(tasks))
        if sum(map(sizeof, common)) * len(calls) > SENT_WITH_TASKS:
            # As a task, not scattered: a copy that is lost is made again.
            common = tuple(
                self.client.submit(_same, value, key=f"{key}-common-{n}", pure=False)
                for n, value in enumerate(common)
            )
        # One message to the scheduler, not one for each block.
        columns = [
            *zip(*calls, strict=True),
            *([value] * len(calls) for value in common),
        ]
        keys = [f"{key}-{number}" for number in range(len(calls))]
        return list(self.client.map(function, *columns, key=keys, pure=False))


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
        # Made later from those before: to be renewed in this order.
        owner._kept.append(self)

    def renew(self) -> None:
        self.futures = self._make()

    def release(self) -> None:
        """Free the memory; who needs a reference again computes all of them."""
        self.futures = []


class _Reference:
    """One of several futures, whichever is its present one."""

    def __init__(self, kept: _Kept, number: int) -> None:
        self.kept, self.number = kept, number


def _now(value: Any) -> Any:
    """Return the present future of a reference, and other values as they are."""
    if not isinstance(value, _Reference):
        return value
    if not value.kept.futures:
        value.kept.renew()
    return value.kept.futures[value.number]


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
