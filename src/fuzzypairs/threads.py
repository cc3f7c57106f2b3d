"""Functions over ranges of rows, on a pool of threads or in place; the machine."""

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from numpy.typing import NDArray
from threadpoolctl import OpenBLASController, ThreadpoolController


@cache
def _libraries() -> ThreadpoolController:
    """Find the libraries with threads of their own; that takes a millisecond."""
    return ThreadpoolController()


@dataclass
class Inside:
    """How many are in `one_blas_thread`, and what restores the setting after them."""

    count: int = 0
    limit: Any = None


LOCK, INSIDE = threading.Lock(), Inside()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Make sums of matrix products independent of the threads of other libraries.

    The setting, of BLAS and OpenMP, is one of the process: the first of several threads
    changes it, the last one restores it. Within another such context it costs nothing.
    """
    inside = INSIDE  # a fork in between makes another
    with LOCK:
        if not inside.count:
            inside.limit = _libraries().limit(limits=1)
        inside.count += 1
    try:
        yield
    finally:
        with LOCK:
            inside.count -= 1
            if not inside.count:
                _let_any_thread_set()
                inside.limit.restore_original_limits()
                _let_any_thread_set()


def _let_any_thread_set() -> None:
    """Allow this thread to change what another has changed.

    From threadpoolctl 3.8 on the number of threads of OpenBLAS belongs to the first
    thread that changes it, and others change nothing, without a word.
    """
    clear = getattr(OpenBLASController, "clear_controlling_thread", None)
    if clear is not None:
        clear(force=True)


def _forget_parent() -> None:
    """Start anew in a forked child, where threads that were inside do not exist."""
    global LOCK, INSIDE
    LOCK, INSIDE = threading.Lock(), Inside()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_parent)


def machine_memory() -> float:
    """Return the memory of this machine or container in bytes; inf if unknown.

    Examples
    --------
    >>> machine_memory() > 1e6
    True
    """
    try:
        total = float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, OSError, ValueError):  # not on Windows
        return float("inf")
    try:
        limit = Path("/sys/fs/cgroup/memory.max").read_text().strip()
    except OSError:
        return total
    return min(total, float(limit)) if limit.isdigit() else total


@dataclass(frozen=True)
class Threads:
    """Runs one function on many argument tuples.

    NumPy and the core release the GIL, so plain threads are enough. Callers cut work
    into ranges by the size of the data alone, never by the number of threads, and each
    range writes to its own place: the result is the same for any `n_jobs`. Threads are
    started for one call of `map` and end with it, so none is lost in a fork.
    """

    n_jobs: int | None

    @cached_property
    def n_threads(self) -> int:
        """Number of threads on this machine, under the settings of joblib."""
        return 1 if self.n_jobs == 1 else int(joblib.effective_n_jobs(self.n_jobs))

    def map(
        self, function: Callable[..., Any], arguments: Iterable[tuple[Any, ...]]
    ) -> list[Any]:
        """Return ``[function(*a) for a in arguments]``, in that order."""
        calls = list(arguments)
        if len(calls) < 2 or self.n_threads == 1:
            return [function(*a) for a in calls]
        pool = ThreadPoolExecutor(min(self.n_threads, len(calls)))
        try:
            return list(pool.map(lambda a: function(*a), calls))
        finally:
            pool.shutdown(cancel_futures=True)


def cut(n_items: int, smallest: int, most: int = 32) -> NDArray[np.int64]:
    """Cut ``range(n_items)`` into at most `most` ranges of `smallest` items or more.

    Returns
    -------
    ndarray of shape (n_ranges + 1,)
        Borders; one empty range if there is nothing to cut.
    """
    n_ranges = min(most, max(1, n_items // smallest))
    if n_ranges == 1:
        return np.array([0, n_items])
    return np.arange(n_ranges + 1) * n_items // n_ranges


def over_ranges(borders: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Return the ranges between `borders` as (start, stop)."""
    return list(pairwise(borders.tolist()))
