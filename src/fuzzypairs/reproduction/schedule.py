"""Completion of cells by one or several processes, with the same results."""

import json
import multiprocessing as mp
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    Future,
    ProcessPoolExecutor,
    wait,
)
from contextlib import contextmanager
from multiprocessing.connection import wait as wait_for
from pathlib import Path

from threadpoolctl import threadpool_limits

from fuzzypairs.datasets import describe
from fuzzypairs.reproduction.data import load_benchmark
from fuzzypairs.reproduction.execution import perform
from fuzzypairs.reproduction.methods import METHODS
from fuzzypairs.reproduction.runs import Result, Run, Runs
from fuzzypairs.reproduction.tuning import Cell, next_runs

__all__ = ["complete", "cost"]

Timed = tuple[Result, float]
# Called with the work done, the work known so far, and the name of the last run.
Progress = Callable[[float, float, str], None]

# Work of a batch, in samples x features x clusters x fits: some seconds. A kill loses
# no more than this.
BATCH = 4e7
MOST_RUNS = 64
# The least work of a fit, in the same unit.
LEAST = 2e4


def complete(
    cells: Sequence[Cell],
    runs: Runs,
    *,
    n_jobs: int = 1,
    progress: Progress | None = None,
    times: Path | None = None,
) -> None:
    """Run what is missing until every cell is complete.

    Parameters
    ----------
    cells : sequence of Cell
    runs : Runs
        Finished runs; new ones are added.
    n_jobs : int, default=1
        Number of processes, each on one thread; 1 stays in this one.
    progress : callable, default=None
        Called as ``progress(done, total, what)``.
    times : Path, default=None
        A file to append the seconds of each run to. They differ each time, so they
        are not in the file of runs.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from fuzzypairs.reproduction.runs import Runs
    >>> from fuzzypairs.reproduction.schedule import complete
    >>> from fuzzypairs.reproduction.tuning import Cell, report
    >>> cell = Cell("wine", "", 0, "fcm", n_starts=2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with Runs(Path(folder) / "runs.jsonl") as runs:
    ...         complete([cell], runs)
    ...     report(cell, runs.results).result["clusters"]
    [3, 3]
    """
    queue = _Queue(cells, runs, progress)
    with _timing(times) as note, _executor(n_jobs) as submit:
        pending: dict[Future[list[Timed]], list[Run]] = {}
        while queue.batches or pending:
            # Few ahead: the next runs of a race are known only when its round is over.
            while queue.batches and len(pending) < 2 * n_jobs:
                batch = queue.batches.pop()
                pending[submit(batch)] = batch
            for future in wait(pending, return_when=FIRST_COMPLETED).done:
                batch = pending.pop(future)
                for run, (result, seconds) in zip(batch, future.result(), strict=True):
                    note(run, seconds)
                    queue.finish(run, result)


def cost(run: Run) -> float:
    """Return about how much work a run is."""
    info = describe(run.dataset)
    fit = info.n_samples * info.n_features * info.n_classes
    n_fits = (run.last - run.first) * (4 if run.held_out else 1)
    return max(fit, LEAST) * n_fits


class _Queue:
    """Batches of runs that can be done now, the most costly first."""

    def __init__(
        self, cells: Sequence[Cell], runs: Runs, progress: Progress | None
    ) -> None:
        self.runs, self.progress = runs, progress
        self.batches: list[list[Run]] = []
        self.done, self.total = 0.0, 0.0
        self.begun: set[Run] = set()
        # By run the cells that wait for it; by cell how many runs it waits for.
        self.waiting: dict[Run, list[Cell]] = {}
        self.open: dict[Cell, int] = {}
        for cell in sorted(set(cells)):
            self._add_next_runs(cell)

    def finish(self, run: Run, result: Result) -> None:
        """Keep a result, and queue what the cells that waited for it need next."""
        self.runs.add(run, result)
        self.done += cost(run)
        if self.progress is not None:
            title, group = METHODS[run.method].title, f" ({run.group})"
            what = f"{title} on {run.dataset}{group if run.group else ''}"
            self.progress(self.done, self.total, what)
        for cell in self.waiting.pop(run):
            self.open[cell] -= 1
            if not self.open[cell]:
                self._add_next_runs(cell)

    def _add_next_runs(self, cell: Cell) -> None:
        needed = next_runs(cell, self.runs.results)
        self.open[cell] = len(needed)
        for run in needed:
            self.waiting.setdefault(run, []).append(cell)
        fresh = [run for run in needed if run not in self.begun]
        self.begun.update(fresh)
        self.total += sum(map(cost, fresh))
        self.batches += _cut(fresh)
        # Popped from the end. Runs of one dataset follow each other: it is loaded once.
        self.batches.sort(key=lambda batch: (cost(batch[0]), batch[0].dataset))


def _cut(runs: Sequence[Run]) -> Iterator[list[Run]]:
    """Cut runs into batches of some seconds."""
    size = max(1, min(MOST_RUNS, int(BATCH / cost(runs[0])))) if runs else 1
    for start in range(0, len(runs), size):
        yield list(runs[start : start + size])


def _perform_all(batch: Sequence[Run]) -> list[Timed]:
    timed = []
    # Threads would round sums in another order, and processes use the cores better.
    with threadpool_limits(1):
        for run in batch:
            # Loading is not timed: it would count for the first run of a dataset only.
            load_benchmark(run.dataset, run.group, run.draw)
            start = time.perf_counter()
            result = perform(run)
            timed.append((result, time.perf_counter() - start))
    return timed


@contextmanager
def _executor(
    n_jobs: int,
) -> Iterator[Callable[[Sequence[Run]], Future[list[Timed]]]]:
    """Yield a function that starts a batch in a process, or here for one job."""
    if n_jobs == 1:

        def at_once(batch: Sequence[Run]) -> Future[list[Timed]]:
            future: Future[list[Timed]] = Future()
            future.set_result(_perform_all(batch))
            return future

        yield at_once
        return
    # Forked processes would lack the threads that compiled code has started.
    context = mp.get_context("spawn")
    with ProcessPoolExecutor(n_jobs, context, initializer=_follow_parent) as pool:
        try:
            yield lambda batch: pool.submit(_perform_all, batch)
        except BrokenExecutor as error:
            raise OSError(
                "a process was ended from outside, perhaps for want of memory: call "
                "again with fewer --jobs; finished runs are kept"
            ) from error
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _follow_parent() -> None:
    """End with the parent, also when it was killed; leave Ctrl-C to it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = mp.parent_process()

    def watch() -> None:
        if parent is not None:
            wait_for([parent.sentinel])
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def _timing(path: Path | None) -> Iterator[Callable[[Run, float], None]]:
    """Yield a function that appends the seconds of a run to a file."""
    if path is None:
        yield lambda run, seconds: None
        return
    with path.open("a", encoding="utf-8", newline="\n") as file:

        def note(run: Run, seconds: float) -> None:
            line = run.as_dict() | {"seconds": round(seconds, 6)}
            file.write(json.dumps(line) + "\n")
            file.flush()

        yield note
