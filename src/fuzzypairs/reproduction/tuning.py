"""Cells of a table: which runs they need, and which point of the grid they report.

A cell is decided by a race: all points of the grid are fitted from a few starts, then
those that may still be the best from more, and the last ones from all. The next runs
follow from the results so far alone, so an interrupted cell goes on where it was.
"""

import json
import os
import signal
import threading
import time
from collections.abc import Sequence
from concurrent.futures import BrokenExecutor
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from fuzzypairs._typing import Floats, Show
from fuzzypairs.datasets import describe
from fuzzypairs.reproduction.data import load_benchmark
from fuzzypairs.reproduction.methods import METHODS, Point
from fuzzypairs.reproduction.runs import Result, Results, Run, Runs, perform

Tuning = Literal["oracle", "fair"]
TUNINGS: tuple[Tuning, ...] = ("oracle", "fair")

# Starts after each round of a race, and the most points that go on from it; the last
# round of fits has all starts.
FIT_ROUNDS, FOLD_ROUNDS = {4: 64, 8: 16}, {2: 32, 6: 1}
# A point goes on while its mean plus so many standard errors is not below the best
# mean minus as many.
DOUBT = 2.0
# The least work of a fit, in samples x features x clusters.
LEAST = 2e4


@dataclass(frozen=True, order=True)
class Cell:
    """One method on one dataset with one draw of judgements, tuned in one way.

    "oracle" takes the point of the grid with the best mean normalised ARI against the
    truth, as in the paper; "fair" that with the best agreement of judgements left out
    of the fits. `n_starts` is 1 for methods without chance.
    """

    dataset: str
    group: str
    draw: int
    method: str
    tuning: Tuning = "oracle"
    n_starts: int = 20

    def __post_init__(self) -> None:
        if not METHODS[self.method].repeats:
            object.__setattr__(self, "n_starts", 1)


class Reported(NamedTuple):
    """The point of the grid that a complete cell reports, and its scores."""

    point: Point
    result: Result


def complete(
    cells: Sequence[Cell],
    runs: Runs,
    *,
    n_jobs: int = 1,
    progress: Show | None = None,
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
        Called as ``progress(doing, done, total)`` with the work that is known so far.
    times : Path, default=None
        A file to append the seconds of each run to. They differ each time, so they
        are not in the file of runs.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from fuzzypairs.reproduction.runs import Runs
    >>> from fuzzypairs.reproduction.tuning import Cell, complete, report
    >>> cell = Cell("wine", "", 0, "fcm", n_starts=2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with Runs(Path(folder) / "runs.jsonl") as runs:
    ...         complete([cell], runs)
    ...     report(cell, runs.results).result["clusters"]
    [3, 3]
    """
    done, parent = 0.0, os.getpid() if n_jobs > 1 else None
    # Runs arrive as they end, so that a kill loses few of them.
    pool = Parallel(n_jobs, return_as="generator_unordered")
    while missing := {run for cell in cells for run in next_runs(cell, runs.results)}:
        # The most costly first, and the runs of a dataset together: it is loaded once.
        ordered = sorted(missing, key=lambda run: (-cost(run), run))
        total = done + sum(map(cost, ordered))
        try:
            # Threads would round sums in another order.
            with threadpool_limits(1):
                for run, result, seconds in pool(
                    delayed(_perform_timed)(run, parent) for run in ordered
                ):
                    if times is not None:
                        _note(times, run, seconds)
                    runs.add(run, result)
                    done += cost(run)
                    if progress is not None:
                        group = f" ({run.group})" if run.group else ""
                        doing = f"{METHODS[run.method].title} on {run.dataset}{group}"
                        progress(doing, done, total)
        except BrokenExecutor as error:
            raise OSError(
                "a process was ended from outside, perhaps for want of memory: call "
                "again with fewer --jobs; finished runs are kept"
            ) from error


def cost(run: Run) -> float:
    """Return about how much work a run is."""
    info = describe(run.dataset)
    fit = info.n_samples * info.n_features * info.n_classes
    n_fits = (run.last - run.first) * (4 if run.held_out else 1)
    return max(fit, LEAST) * n_fits


def _perform_timed(run: Run, parent: int | None) -> tuple[Run, Result, float]:
    if parent is not None:
        _prepare_process(parent)
    # Loading is not timed: it would count for the first run of a dataset only.
    load_benchmark(run.dataset, run.group, run.draw)
    start = time.perf_counter()
    result = perform(run)
    return run, result, time.perf_counter() - start


@cache
def _prepare_process(parent: int) -> None:
    """Use one thread, leave Ctrl-C to the parent, and end when it is killed."""
    threadpool_limits(1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.2)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _note(path: Path, run: Run, seconds: float) -> None:
    line = run.as_dict() | {"seconds": round(seconds, 6)}
    with path.open("a", encoding="utf-8", newline="\n") as file:
        file.write(json.dumps(line) + "\n")


def next_runs(cell: Cell, results: Results) -> list[Run]:
    """Return the runs that a cell needs next; none if it is complete.

    Examples
    --------
    >>> from fuzzypairs.reproduction.tuning import Cell, next_runs
    >>> len(next_runs(Cell("wine", "iv", 0, "fdc"), {}))
    256
    >>> [(run.first, run.last) for run in next_runs(Cell("wine", "", 0, "fcm"), {})]
    [(0, 20)]
    """
    return _decide(cell, results)[0]


def report(cell: Cell, results: Results) -> Reported:
    """Return the best point of a complete cell, with its scores of all starts."""
    missing, point = _decide(cell, results)
    if missing:
        raise ValueError(f"{cell} is not complete: {len(missing)} runs are missing")
    return Reported(point, _joined(cell, point, False, _fit_spans(cell), results))


def all_points(cell: Cell, results: Results) -> dict[Point, Result]:
    """Return the scores of every point of the grid in the first round."""
    first = _fit_spans(cell)[0]
    grid = METHODS[cell.method].grid
    return {point: results[_run(cell, point, False, *first)] for point in grid}


def _decide(cell: Cell, results: Results) -> tuple[list[Run], Point]:
    """Return the runs that are missing, and the best point if none are."""
    points: Sequence[Point] = METHODS[cell.method].grid
    if cell.tuning == "fair" and len(points) > 1:
        missing, points = _race(cell, points, True, results)
        if missing:
            return missing, ()
        points = points[:1]
    missing, points = _race(cell, points, False, results)
    return missing, points[0]


def _race(
    cell: Cell, points: Sequence[Point], held_out: bool, results: Results
) -> tuple[list[Run], Sequence[Point]]:
    """Return the runs that are missing, and the points still in the race.

    Those are in the order of their scores when the race is over.
    """
    name = "agreement" if held_out else "nari"
    spans = _fold_spans(cell) if held_out else _fit_spans(cell)
    room = FOLD_ROUNDS if held_out else FIT_ROUNDS
    for number, (first, last) in enumerate(spans, start=1):
        runs = [_run(cell, point, held_out, first, last) for point in points]
        if missing := [run for run in runs if run not in results]:
            return missing, points
        known = [_joined(cell, p, held_out, spans[:number], results) for p in points]
        if any("refused" in one for one in known):
            return [], points
        scores = np.array([one[name] for one in known])
        best = survivors(scores, spans[-1][1], room.get(last, 1))
        points = [points[place] for place in best]
    return [], points


def survivors(scores: Floats, n_starts: int, most: int) -> list[int]:
    """Return the places of at most `most` points that may be the best, best first.

    `scores` of shape (n_points, n_known) are those of the first of `n_starts` starts.

    Notes
    -----
    The standard error of the mean of n of N starts, as an estimate of the mean of
    all, is sd * sqrt(1/n - 1/N). The deviation of a few starts may be small by chance,
    so the pooled deviation of all points is its lower bound.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzypairs.reproduction.tuning import survivors
    >>> survivors(np.array([[0.5, 0.5], [0.8, 0.9], [0.9, 0.9]]), 20, 2)
    [2, 1]
    """
    n_known = scores.shape[1]
    mean = scores.mean(axis=1).round(9)  # sums in another order are no difference
    order = np.argsort(-mean, kind="stable")
    if n_known >= n_starts:
        return [int(place) for place in order[:most]]
    variance = scores.var(axis=1, ddof=1) if n_known > 1 else np.zeros(len(mean))
    spread = np.sqrt(np.maximum(variance, variance.mean()))
    doubt = DOUBT * spread * np.sqrt(1 / n_known - 1 / n_starts)
    alive = mean + doubt >= (mean - doubt).max()
    return [int(place) for place in order if alive[place]][:most]


def _fit_spans(cell: Cell) -> list[tuple[int, int]]:
    """Return the starts of each round, as (first, last)."""
    alone = len(METHODS[cell.method].grid) == 1
    ends = [] if alone else [end for end in FIT_ROUNDS if end < cell.n_starts]
    return list(pairwise([0, *ends, cell.n_starts]))


def _fold_spans(cell: Cell) -> list[tuple[int, int]]:
    ends = sorted({min(end, cell.n_starts) for end in FOLD_ROUNDS})
    return list(pairwise([0, *ends]))


def _run(cell: Cell, point: Point, held_out: bool, first: int, last: int) -> Run:
    where = (cell.dataset, cell.group, cell.draw, cell.method)
    return Run(*where, point, held_out, first, last)


def _joined(
    cell: Cell,
    point: Point,
    held_out: bool,
    spans: Sequence[tuple[int, int]],
    results: Results,
) -> Result:
    """Return the results of successive spans as one."""
    parts = [results[_run(cell, point, held_out, *span)] for span in spans]
    if refused := [part for part in parts if "refused" in part]:
        return refused[0]
    joined: dict[str, Any] = {}
    for name in parts[-1]:
        joined[name] = [value for part in parts for value in part[name]]
    return joined
