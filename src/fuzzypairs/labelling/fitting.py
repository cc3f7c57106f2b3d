"""Fits in a process of their own, so that none delays an answer."""

import multiprocessing
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from multiprocessing import resource_tracker
from typing import Any

import numpy as np
import pandas as pd
from scipy.linalg import orthogonal_procrustes
from sklearn.decomposition import PCA

from fuzzypairs._typing import Floats, Ints
from fuzzypairs.analysis.fit_rows import can_choose, fit_rows, number_of, verdict_of
from fuzzypairs.cluster.guided import GuidedFDC
from fuzzypairs.cluster.verdict import Verdict
from fuzzypairs.criteria import certainty
from fuzzypairs.exceptions import FuzzyPairsWarning
from fuzzypairs.items import distinctive_words
from fuzzypairs.labelling.stored_judgements import Judged
from fuzzypairs.plots.style import COLORS, GLYPHS, pick
from fuzzypairs.report.profiles import describe_columns
from fuzzypairs.tables.features import ColumnRecord

__all__ = ["ClusterCard", "FitProcess", "FitTask", "Fitted", "fit_once"]

# Typical rows and traits on a card.
ON_CARD = 4


@dataclass(frozen=True, eq=False)
class FitTask:
    """What stays the same from fit to fit.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
    table : DataFrame of shape (n_samples, n_columns)
    columns : sequence of ColumnRecord
        What was done to the columns of `table`.
    n_clusters : int or sequence of int
        Numbers to choose from, if several.
    seed : int
    texts : list of str or None
        What the rows are, if they are texts.
    """

    X: Floats
    table: pd.DataFrame
    columns: Sequence[ColumnRecord]
    n_clusters: Any
    seed: int = 0
    texts: list[str] | None = None

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of clusters to choose from."""
        given = self.n_clusters
        return (given,) if isinstance(given, int) else tuple(given)


@dataclass(frozen=True)
class ClusterCard:
    """A cluster in a few words.

    Attributes
    ----------
    size : int
        Number of rows.
    certainty : float
        Their mean certainty.
    typical : list of int
        Rows with the largest memberships.
    traits : list of tuple of str
        Columns that set it apart: name, value here, value elsewhere.
    words : list of str
        Words that set its texts apart.
    color, mark : str
    """

    size: int
    certainty: float
    typical: list[int]
    traits: list[tuple[str, str, str]]
    words: list[str]
    color: str
    mark: str


@dataclass(frozen=True, eq=False)
class Fitted:
    """What people see of a finished fit.

    Attributes
    ----------
    n_judgements : int
        Number of judgements other than 0.
    seconds : float
    n_clusters : int
        The number of clusters that was fitted.
    chosen : str
        Why this number was chosen; empty if it was given.
    memberships : ndarray of shape (n_samples, n_clusters), float32
    labels : ndarray of shape (n_samples,)
    places : ndarray of shape (n_samples, 2), float32
        Rows on a map, turned to lie as on the last one.
    cards : list of ClusterCard
    verdict : Verdict
        What held-out judgements mean: the one of model and report.
    notes : list of str
        Warnings of the fit.
    """

    n_judgements: int
    seconds: float
    n_clusters: int
    chosen: str
    memberships: Any
    labels: Ints
    places: Any
    cards: list[ClusterCard]
    verdict: Verdict
    notes: list[str]


def fit_once(task: FitTask, judged: Judged, last: Fitted | None) -> Fitted:
    """Fit a model, and gather what people see of it.

    Parameters
    ----------
    task : FitTask
    judged : Judged
    last : Fitted or None
        The last fit with the same task: its map is turned to, and its number of
        clusters kept while judgements are too few to choose one.
    """
    started = time.perf_counter()
    model: Any = GuidedFDC(random_state=task.seed, n_jobs=1)
    numbers, why = task.numbers, ""
    if last is not None and len(numbers) > 1 and not can_choose(model, judged.pairs):
        numbers, why = (last.n_clusters,), last.chosen
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", FuzzyPairsWarning)
        X = pd.DataFrame(task.X, copy=False)
        model, choice = fit_rows(model, X, judged.pairs, numbers)
    notes = [
        str(w.message) for w in caught if issubclass(w.category, FuzzyPairsWarning)
    ]
    U, labels = model.memberships_, np.asarray(model.labels_)
    # The same as that of a `Result`.
    verdict = choice.verdict if choice is not None and choice.verdict else None
    return Fitted(
        len(judged.pairs.informative),
        time.perf_counter() - started,
        number_of(model),
        why if choice is None else choice.reason,
        U.astype(np.float32),
        labels,
        _places(task.X, None if last is None else last.places),
        _cards(task, U, labels),
        verdict or verdict_of(model, judged.pairs),
        notes,
    )


def _places(coordinates: Any, last: Floats | None) -> Any:
    """Return rows in the plane: main directions, turned towards the last map."""
    rows = np.asarray(coordinates, dtype=np.float64)
    if rows.shape[1] > 2:
        places = PCA(2, random_state=0).fit_transform(rows)
    else:
        places = np.zeros((len(rows), 2))
        places[:, : rows.shape[1]] = rows - rows.mean(axis=0)
    scale = abs(places).max()
    places /= scale if scale > 0 else 1.0
    if last is not None:
        turn, _ = orthogonal_procrustes(places, np.asarray(last, dtype=np.float64))
        places = places @ turn
    return places.astype(np.float32)


def _cards(task: FitTask, U: Floats, labels: Ints) -> list[ClusterCard]:
    profiles = describe_columns(task.table, task.columns, U)
    sure = certainty(U)
    words: list[list[tuple[str, float]]] = [[] for _ in U.T]
    if task.texts is not None:
        words = distinctive_words(task.texts, np.eye(U.shape[1])[labels], ON_CARD)
    cards = []
    for k in range(U.shape[1]):
        mine = np.flatnonzero(labels == k)
        typical = mine[np.argsort(-U[mine, k], kind="stable")[:ON_CARD]]
        traits = sorted(
            (profile.trait(k) for profile in profiles),
            key=lambda trait: -abs(trait.difference),
        )
        cards.append(
            ClusterCard(
                len(mine),
                float(sure[mine].mean()) if len(mine) else 0.0,
                typical.tolist(),
                [(t.name, t.here, t.elsewhere) for t in traits[:ON_CARD]],
                [word for word, _ in words[k]],
                pick(COLORS, k),
                pick(GLYPHS, k),
            )
        )
    return cards


def _work(pipe: Any, task: FitTask, read: Callable[[], Judged]) -> None:
    """Read judgements and fit them at each request, until the pipe is closed."""
    os.nice(10)  # answers come first
    last = None
    while True:
        try:
            n_clusters = pipe.recv()
            if n_clusters != task.n_clusters:
                task, last = replace(task, n_clusters=n_clusters), None
            try:
                fitted = fit_once(task, read(), last)
            except Exception as error:  # told to the people at the page, who can go on
                pipe.send(f"{type(error).__name__}: {error}")
                continue
            last = fitted
            pipe.send(fitted)
        except (EOFError, BrokenPipeError):  # nobody is there any more
            return


class FitProcess:
    """A process that fits the newest judgements, one fit at a time.

    It is spawned: a script that uses it needs ``if __name__ == "__main__":``, as with
    `multiprocessing`.

    Parameters
    ----------
    task : FitTask
    read : callable
        Returns the judgements to fit; it is called in the process.
    done : callable
        Takes what is found, or a sentence about what went wrong.
    """

    def __init__(
        self,
        task: FitTask,
        read: Callable[[], Judged],
        done: Callable[[Fitted | str], None],
    ) -> None:
        self.task, self._read, self._done = task, read, done
        self._wanted = threading.Event()
        self._closed = False
        self.is_busy = False
        self._thread = threading.Thread(
            target=self._run, name="fuzzypairs-fits", daemon=True
        )
        self._thread.start()

    def request(self) -> None:
        """Ask for a fit of judgements and `task` as they are when it begins."""
        self.is_busy = True
        self._wanted.set()

    def close(self) -> None:
        """End the process; a fit that runs is lost."""
        self._closed = True
        self._wanted.set()
        self._thread.join()

    def _run(self) -> None:
        process: Any = None
        pipe: Any = None
        while True:
            self._wanted.wait()
            self._wanted.clear()
            if self._closed:
                break
            try:
                if process is None or not process.is_alive():
                    process, pipe = self._start()
            except (OSError, RuntimeError) as error:
                process = None
                self._finish(f"The process of the fits did not start: {error}")
            else:
                self._finish(self._fit(pipe))
        if process is not None:
            process.terminate()
            process.join()
            pipe.close()

    def _start(self) -> tuple[Any, Any]:
        """Return a new process and the pipe to it."""
        if sys.platform != "win32":
            # The process inherits what is blocked: Ctrl-C is for the program, which
            # ends it. The start of a tracker would unblock it again.
            resource_tracker.ensure_running()
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        context = multiprocessing.get_context("spawn")
        pipe, theirs = context.Pipe()
        process = context.Process(
            target=_work, args=(theirs, self.task, self._read), daemon=True
        )
        process.start()
        theirs.close()
        return process, pipe

    def _fit(self, pipe: Any) -> "Fitted | str | None":
        """Return the fit of the newest judgements; None if the process is to end."""
        try:
            pipe.send(self.task.n_clusters)
            while not pipe.poll(0.2):
                if self._closed:
                    return None
            found: Fitted | str = pipe.recv()
        except (EOFError, OSError):
            return "The process of the fit ended: is there enough memory?"
        return found

    def _finish(self, found: "Fitted | str | None") -> None:
        if found is not None:
            self.is_busy = self._wanted.is_set()
            self._done(found)
