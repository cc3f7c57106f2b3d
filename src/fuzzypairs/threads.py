"""Kernels over ranges, on a pool of threads or in place."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Any, Self

import joblib
import numpy as np
from numpy.typing import NDArray


class Threads:
    """Runs one function on many argument tuples; a context manager.

    Kernels release the GIL, so plain threads are enough. Work is cut into ranges by
    the size of the data alone, never by the number of threads, and each range writes
    to its own place: the result is the same for any `n_jobs`.
    """

    def __init__(self, n_jobs: int | None) -> None:
        self.n_threads = 1 if n_jobs == 1 else int(joblib.effective_n_jobs(n_jobs))
        self._pool: ThreadPoolExecutor | None = None

    def __enter__(self) -> Self:
        if self.n_threads > 1:
            self._pool = ThreadPoolExecutor(self.n_threads)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def map(
        self, function: Callable[..., Any], arguments: Iterable[tuple[Any, ...]]
    ) -> list[Any]:
        """Return ``[function(*a) for a in arguments]``, in that order."""
        if self._pool is None:
            return [function(*a) for a in arguments]
        return list(self._pool.map(lambda a: function(*a), arguments))


def cut(n_items: int, smallest: int, most: int = 32) -> NDArray[np.int64]:
    """Cut ``range(n_items)`` into at most `most` ranges of `smallest` items or more.

    Returns
    -------
    ndarray of shape (n_ranges + 1,)
        Borders; one empty range if there is nothing to cut.
    """
    n_ranges = min(most, max(1, n_items // smallest))
    return np.arange(n_ranges + 1) * n_items // n_ranges


def over_ranges(borders: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Return the ranges between `borders` as (start, stop)."""
    return list(zip(borders[:-1].tolist(), borders[1:].tolist(), strict=True))
