"""Where functions of blocks run; here, on threads of this process."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from fuzzypairs.threads import Threads, machine_memory

__all__ = ["LIMITS", "Limits", "LocalScheduler", "Scheduler", "Work", "is_delayed"]

Tell = Callable[[], None]

# From so many blocks on, results are added in groups of so many consecutive ones.
ADD_FROM, ADD_AT_A_TIME = 64, 32


@dataclass(frozen=True)
class Limits:
    """From which sizes on a fit works in another way.

    Attributes
    ----------
    kept_share : float
        Blocks stay with workers between passes up to this share of their memory.
    shared_from : float
        From so many judgements on, groups of judged rows are shared out to workers.
    rows_a_part : int
        Rows of a part of them, about 40 ms of a pass. Parts do not depend on the number
        of workers: their sums are added in order, so it changes no bit of the result.
    """

    kept_share: float = 0.4
    shared_from: float = 1_000_000
    rows_a_part: int = 250_000


LIMITS = Limits()


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
    by_thread : bool, default=False
        Whether each thread of a worker takes the blocks that are kept there as one
        task. A call is then a reference to one of these blocks.
    """

    name: str
    function: Callable[..., Any]
    calls: list[tuple[Any, ...]]
    common: tuple[Any, ...] = ()
    tell: Tell | None = None
    add: Callable[..., Any] | None = None
    by_thread: bool = False

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

    memory: float  # bytes of all workers, when it was made

    def threads_for(self, n_blocks: int) -> int:
        """Return the number of threads of a task, if there are so many of them."""
        return 1

    def load(self, parts: Sequence[Any]) -> list[Any]:
        """Return parts, given by Delayed objects, in the memory of workers."""
        return list(parts)

    def release(self, references: Sequence[Any]) -> None:  # noqa: B027 - nothing here
        """Free the memory of what is loaded or kept, until it is used again."""

    def free(self) -> None:  # noqa: B027 - nothing here
        """Free the memory of all that is loaded or kept."""

    def keep(self, work: Work) -> list[Any]:
        """Return references to results that stay where they are, shared out evenly."""
        return self.map(work)

    def begin(self, work: Work) -> Any:
        """Begin a work, and return what `receive` takes."""
        return self.map(work)

    def receive(self, begun: Any) -> list[Any]:
        """Return the results of a work that has begun."""
        results: list[Any] = begun
        return results

    @abstractmethod
    def map(self, work: Work) -> list[Any]:
        """Return ``[function(*call, *common) for call in calls]``."""


class LocalScheduler(Scheduler):
    """Threads of this process; parts are computed where they are needed."""

    def __init__(self, n_jobs: int | None) -> None:
        self.n_workers = Threads(n_jobs).n_threads
        self.memory = machine_memory()

    def threads_for(self, n_blocks: int) -> int:
        """Return how many threads each of few blocks is shared out to."""
        return max(1, self.n_workers // max(1, n_blocks))

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
    return value.compute(scheduler="synchronous") if is_delayed(value) else value


def is_delayed(value: Any) -> bool:
    """Tell whether a value is computed by Dask when it is needed."""
    return type(value).__module__.startswith("dask.") and hasattr(value, "compute")
