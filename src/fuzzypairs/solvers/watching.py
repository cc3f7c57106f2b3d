"""Progress of the runs of a fit, for those who wait for it."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from fuzzypairs._typing import Progress
from fuzzypairs.solvers.start import Start

# Read where starts are run: without a watcher no function is called.
WATCHER: ContextVar[Progress | None] = ContextVar("watcher", default=None)


@contextmanager
def watch_runs(watcher: Progress) -> Iterator[None]:
    """Call ``watcher(done, total)`` after the run from each start of the fits within.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzypairs import FDC
    >>> from fuzzypairs.solvers.watching import watch_runs
    >>> with watch_runs(lambda done, total: print(done, "of", total)):
    ...     model = FDC(2, alpha=0, n_init=2, random_state=0).fit(np.eye(4))
    1 of 2
    2 of 2
    """
    token = WATCHER.set(watcher)
    try:
        yield
    finally:
        WATCHER.reset(token)


def told(starts: list[Start]) -> Iterator[Start]:
    """Yield starts; asked for the next, tell the watcher that a run is done."""
    watcher = WATCHER.get()
    for done, start in enumerate(starts, 1):
        yield start
        if watcher is not None:
            watcher(done, len(starts))
