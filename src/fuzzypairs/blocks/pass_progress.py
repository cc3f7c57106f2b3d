"""Progress of fits over blocks: passes, blocks, and the time that is left."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from threading import Lock
from typing import NamedTuple

import numpy as np

from fuzzypairs._typing import Floats
from fuzzypairs.validation import check_function

__all__ = ["PassClock", "PassProgress", "watch_passes"]

# Steps that the rate of convergence is estimated from.
N_STEPS = 5


class PassProgress(NamedTuple):
    """The progress of a fit over blocks.

    Attributes
    ----------
    stage : str
        What is being done: "survey", "gather", "pack", "pass".
    n_passes : int
        Passes of the fit so far, the present one included.
    n_done, n_blocks : int
        Blocks of the present pass or stage that are done, of how many.
    seconds_left : float
        An estimate, from how fast the steps of prototypes shrink; NaN if unknown.

    Examples
    --------
    >>> from fuzzypairs.distributed import PassProgress
    >>> str(PassProgress("pass", 4, 3, 8, 61.0))
    'pass 4, block 3 of 8, about 1 min 1 s left'
    """

    stage: str
    n_passes: int
    n_done: int
    n_blocks: int
    seconds_left: float

    def __str__(self) -> str:
        """Return it in words."""
        what = f"pass {self.n_passes}" if self.stage == "pass" else self.stage
        left = ""
        if np.isfinite(self.seconds_left):
            minutes, seconds = divmod(round(self.seconds_left), 60)
            left = f", about {f'{minutes} min ' if minutes else ''}{seconds} s left"
        return f"{what}, block {self.n_done} of {self.n_blocks}{left}"


PassWatcher = Callable[[PassProgress], None]
WATCHER: ContextVar[PassWatcher | None] = ContextVar("pass_watcher", default=None)


@contextmanager
def watch_passes(watcher: PassWatcher) -> Iterator[None]:
    """Call ``watcher(progress)`` after each block of the fits within.

    Parameters
    ----------
    watcher : callable
        Is given a `PassProgress`. It may be called from another thread.

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> from fuzzypairs.distributed import DaskFDC, watch_passes
    >>> seen = []
    >>> with watch_passes(seen.append):
    ...     X = da.from_array(np.eye(4), chunks=(2, 4))
    ...     model = DaskFDC(2, alpha=0, n_init=1, random_state=0).fit(X)
    >>> seen[0].stage, seen[-1].n_passes == model.n_iter_, seen[-1].n_blocks
    ('survey', True, 2)
    """
    check_function("watcher", watcher, "progress")
    token = WATCHER.set(watcher)
    try:
        yield
    finally:
        WATCHER.reset(token)


@dataclass
class PassClock:
    """Counts blocks and passes, and tells a watcher."""

    n_blocks: int
    tol: float
    max_iter: int
    n_passes: int = 0
    stage: str = "survey"
    n_done: int = 0
    _began: float = 0.0
    _lasted: list[float] = field(default_factory=list)
    _last: dict[int, Floats] = field(default_factory=dict)
    _steps: dict[int, list[float]] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def __post_init__(self) -> None:
        # Blocks end on threads that do not have the context of this one.
        self._watcher = WATCHER.get()

    def begin(self, stage: str) -> None:
        """Begin a stage or a pass."""
        self.stage, self.n_done, self._began = stage, 0, time.perf_counter()
        self.n_passes += stage == "pass"

    def tick(self) -> None:
        """Note that a block is done."""
        with self._lock:
            self.n_done = min(self.n_done + 1, self.n_blocks)
            progress = PassProgress(
                self.stage, self.n_passes, self.n_done, self.n_blocks, self._left()
            )
        if self._watcher is not None:
            self._watcher(progress)

    def end(self, prototypes: dict[int, Floats]) -> None:
        """End a pass at the prototypes of each run, in units of the spread."""
        self._lasted.append(time.perf_counter() - self._began)
        for run, C in prototypes.items():
            last = self._last.get(run)
            if last is not None and last.shape == C.shape:
                step = float(np.sqrt(((C - last) ** 2).sum() / len(C)))
                self._steps.setdefault(run, []).append(step)
            self._last[run] = C
        for run in set(self._last) - set(prototypes):
            del self._last[run]
            self._steps.pop(run, None)

    def _left(self) -> float:
        """Return the seconds that are left, by the slowest run."""
        if self.stage != "pass" or not self._lasted:
            return float("nan")
        lasts = float(np.median(self._lasted[-N_STEPS:]))
        now = lasts * (1.0 - self.n_done / self.n_blocks)
        known = [s[-N_STEPS:] for s in self._steps.values() if len(s) >= N_STEPS]
        if not known:
            return float("nan")
        passes = max(self._passes_left(steps) for steps in known)
        return now + lasts * min(passes, max(0, self.max_iter - self.n_passes))

    def _passes_left(self, steps: list[float]) -> float:
        """Return in how many passes steps that shrink by a constant rate reach tol."""
        first, last = max(steps[0], 1e-300), max(steps[-1], 1e-300)
        rate = np.log(last / first) / (len(steps) - 1)
        if last <= self.tol:
            return 1.0
        if rate >= -1e-3 or self.tol == 0.0:
            return float(self.max_iter)
        return float(np.ceil(np.log(self.tol / last) / rate))
