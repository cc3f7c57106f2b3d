"""Kernels over ranges, on a pool of threads or in place."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from functools import cache, cached_property
from itertools import pairwise
from types import TracebackType
from typing import Any, Self

import joblib
import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

FEW_PRODUCTS = 2**16


@cache
def _libraries() -> ThreadpoolController:
    """Find the libraries with threads of their own; that takes a millisecond."""
    return ThreadpoolController()


def one_blas_thread(n_products: int | None = None) -> AbstractContextManager[Any]:
    """Return a context in which matrix products have the same bits on any machine.

    Libraries compute products of few numbers, `n_products` if known, by one thread
    anyway; to set the number takes as long as a small product.
    """
    if n_products is not None and n_products < FEW_PRODUCTS:
        return nullcontext()
    limit: AbstractContextManager[Any] = _libraries().limit(limits=1, user_api="blas")
    return limit


class Threads:
    """Runs one function on many argument tuples; a context manager.

    Kernels release the GIL, so plain threads are enough. Work is cut into ranges by
    the size of the data alone, never by the number of threads, and each range writes
    to its own place: the result is the same for any `n_jobs`. The pool is made when
    there is something to share, which in a small fit is never.
    """

    def __init__(self, n_jobs: int | None) -> None:
        self.n_jobs = n_jobs
        self._is_open = False
        self._pool: ThreadPoolExecutor | None = None

    @cached_property
    def n_threads(self) -> int:
        """What `n_jobs` comes to on this machine, and under joblib's settings."""
        return 1 if self.n_jobs == 1 else int(joblib.effective_n_jobs(self.n_jobs))

    def __enter__(self) -> Self:
        self._is_open = True
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._is_open = False
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None

    def map(
        self, function: Callable[..., Any], arguments: Iterable[tuple[Any, ...]]
    ) -> list[Any]:
        """Return ``[function(*a) for a in arguments]``, in that order."""
        calls = list(arguments)
        if len(calls) < 2 or not self._is_open or self.n_threads == 1:
            return [function(*a) for a in calls]
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.n_threads)
        return list(self._pool.map(lambda a: function(*a), calls))


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
