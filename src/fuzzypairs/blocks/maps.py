"""Maps of a function over blocks: on threads of this process, or on a Dask cluster."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from itertools import chain
from typing import Any

from fuzzypairs.threads import Threads, machine_memory

__all__ = ["BlockMap", "ClientMap", "LocalMap", "choose_map", "is_delayed"]

Function = Callable[..., Any]
Columns = Sequence[Sequence[Any]]
Tell = Callable[[], None] | None

# A constant of so many bytes, over all tasks, is sent once to each worker.
SENT_WITH_TASKS = 1_000_000


class BlockMap(ABC):
    """Calls a function for each block.

    Functions, values and results are sent to other processes, if blocks are there.
    """

    memory: float  # bytes of all workers

    @abstractmethod
    def __call__(
        self,
        function: Function,
        columns: Columns,
        common: Sequence[Any] = (),
        tell: Tell = None,
    ) -> list[Any]:
        """Return ``[function(*row, *common) for row in zip(*columns)]``.

        `tell` is called after each block.
        """

    def keep(
        self,
        function: Function,
        columns: Columns,
        common: Sequence[Any] = (),
        tell: Tell = None,
    ) -> list[Any]:
        """Leave results where they are; return what is a column of later calls."""
        return self(function, columns, common, tell)

    def threads_for(self, n_blocks: int) -> int:
        """Return how many threads each of so many blocks can use."""
        return 1


class LocalMap(BlockMap):
    """Threads of this process; one is the same as the built-in `map`.

    Examples
    --------
    >>> LocalMap(n_jobs=1)(pow, [[2, 3]], common=[2])
    [4, 9]
    """

    def __init__(self, n_jobs: int | None = None) -> None:
        self._threads, self.memory = Threads(n_jobs), machine_memory()

    def __call__(
        self,
        function: Function,
        columns: Columns,
        common: Sequence[Any] = (),
        tell: Tell = None,
    ) -> list[Any]:
        """Return results, several blocks at a time."""

        def one(*values: Any) -> Any:
            result = function(*values, *common)
            if tell is not None:
                tell()
            return result

        return self._threads.map(one, zip(*columns, strict=True))

    def threads_for(self, n_blocks: int) -> int:
        """Return how many threads each of few blocks is shared out to."""
        return max(1, self._threads.n_threads // max(1, n_blocks))


class ClientMap(BlockMap):
    """Workers of a Dask cluster, each with the blocks that it has packed.

    Dask chooses where tasks run, and replaces lost workers: their blocks are read and
    packed again.
    """

    def __init__(self, client: Any) -> None:
        self.client = client
        self._last: list[Any] = []
        self._check()
        workers = client.scheduler_info(n_workers=-1)["workers"].values()
        if not workers:
            raise ConnectionError(
                "the Dask cluster has no workers; start some, or scale the cluster up"
            )
        n_bytes = float(sum(w["memory_limit"] or 0 for w in workers))
        self.memory = n_bytes or float("inf")

    def _check(self) -> None:
        """Refuse a client that has no scheduler any more."""
        if self.client.status != "running":
            raise ConnectionError(
                f"the Dask client is {self.client.status}, so there is no cluster to "
                "fit on; connect a new one by distributed.Client(address), or close "
                "it and fit with client=None in this process"
            )

    def __call__(
        self,
        function: Function,
        columns: Columns,
        common: Sequence[Any] = (),
        tell: Tell = None,
    ) -> list[Any]:
        """Return results, gathered from the workers."""
        with _connected():
            futures = self._submit(function, columns, common, tell)
            # This releases results of the last call. Before these tasks were submitted,
            # it would delay them: a client sends one message in 10 ms.
            self._last = futures
            results: list[Any] = self.client.gather(futures)
        return results

    def keep(
        self,
        function: Function,
        columns: Columns,
        common: Sequence[Any] = (),
        tell: Tell = None,
    ) -> list[Any]:
        """Return futures; workers free the results when these are deleted."""
        import distributed

        wait: Any = distributed.wait  # without types
        with _connected(), self.client.as_current():
            futures = self._submit(function, columns, common, tell)
            wait(futures)
        return futures

    def _submit(
        self, function: Function, columns: Columns, common: Sequence[Any], tell: Tell
    ) -> list[Any]:
        """Submit all tasks in one message; those of Delayed objects as one graph."""
        import dask
        from dask.delayed import delayed

        self._check()
        n_tasks = len(columns[0])
        shared = [self._once(value, n_tasks) for value in common]
        # Judged rows and data that Dask was given go to workers on purpose.
        with dask.config.set(
            {"distributed.admin.large-graph-warning-threshold": 2**60}
        ):
            if any(map(is_delayed, chain(*columns))):
                task = delayed(function, pure=False, traverse=False)
                rows = zip(*columns, strict=True)
                wrapped = [_wrapped(value) for value in shared]
                tasks = [task(*map(_wrapped, row), *wrapped) for row in rows]
                futures = self.client.compute(tasks)
            else:
                constant = [[value] * n_tasks for value in shared]
                futures = self.client.map(function, *columns, *constant, pure=False)
        if tell is not None:
            for future in futures:
                future.add_done_callback(lambda _, tell=tell: tell())
        return list(futures)

    def _once(self, value: Any, n_tasks: int) -> Any:
        """Return a large constant as a task: a copy that is lost is made again."""
        from distributed.protocol import pickle

        dumps: Any = pickle.dumps  # without types
        if len(dumps(value)) * n_tasks <= SENT_WITH_TASKS:
            return value
        return self.client.map(_same, [value], pure=False)[0]


def _same(value: Any) -> Any:
    return value


def _wrapped(value: Any) -> Any:
    from dask.delayed import delayed

    return value if is_delayed(value) else delayed(value, traverse=False)


def is_delayed(value: Any) -> bool:
    """Tell whether a value is computed by Dask when it is needed."""
    return type(value).__module__.startswith("dask.") and hasattr(value, "compute")


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


def choose_map(client: Any = None, n_jobs: int | None = None) -> BlockMap:
    """Return the map of a Dask client, of the current one, or of this process.

    A map is returned as it is.
    """
    if isinstance(client, BlockMap):
        return client
    if client is None:
        client = _current_client()
    if client is None:
        return LocalMap(n_jobs)
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
    return ClientMap(client)


def _current_client() -> Any:
    try:
        from distributed import get_client

        client = get_client()
    except (ImportError, ValueError):
        return None
    return client if client.status == "running" else None
