"""Fits in a process of their own, so that none delays an answer."""

import multiprocessing
import os
import threading
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.linalg import orthogonal_procrustes
from sklearn.decomposition import PCA

from fuzzypairs._typing import Floats, Ints
from fuzzypairs.cluster.guided import GuidedFDC
from fuzzypairs.criteria import certainty
from fuzzypairs.exceptions import FuzzyPairsWarning
from fuzzypairs.io.features import ColumnRecord
from fuzzypairs.pairs import PairSet
from fuzzypairs.plots.style import COLORS, GLYPHS, pick
from fuzzypairs.report.profiles import describe_columns

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
    seed : int
    """

    X: Floats
    table: pd.DataFrame
    columns: Sequence[ColumnRecord]
    n_clusters: Any
    seed: int = 0


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
    color, mark : str
    """

    size: int
    certainty: float
    typical: list[int]
    traits: list[tuple[str, str, str]]
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
    memberships : ndarray of shape (n_samples, n_clusters), float32
    labels : ndarray of shape (n_samples,)
    places : ndarray of shape (n_samples, 2), float32
        Rows on a map, turned to lie as on the last one.
    cards : list of ClusterCard
    guided, unguided : float or None
        Share of held-out judgements that clusters satisfy, with and without judgements.
    verdict : list of str
        What held-out judgements mean, in plain words.
    notes : list of str
        Warnings of the fit.
    """

    n_judgements: int
    seconds: float
    memberships: Any
    labels: Ints
    places: Any
    cards: list[ClusterCard]
    guided: float | None
    unguided: float | None
    verdict: list[str]
    notes: list[str]


def fit_once(
    task: FitTask, pairs: PairSet, robust: bool, last: Floats | None
) -> Fitted:
    """Fit a model, and gather what people see of it.

    Parameters
    ----------
    task : FitTask
    pairs : PairSet
    robust : bool
        Whether graders are noisy, so that single judgements may be wrong.
    last : ndarray of shape (n_samples, 2) or None
        The last map.
    """
    started = time.perf_counter()
    model = GuidedFDC(task.n_clusters, robust=robust, random_state=task.seed, n_jobs=1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", FuzzyPairsWarning)
        model.fit(task.X, pairs=pairs)
    notes = [
        str(w.message) for w in caught if issubclass(w.category, FuzzyPairsWarning)
    ]
    U, labels = model.memberships_, np.asarray(model.labels_)
    verdict = getattr(model, "verdict_", None)
    return Fitted(
        len(pairs.informative),
        time.perf_counter() - started,
        U.astype(np.float32),
        labels,
        _places(model.embed(task.X), last),
        _cards(task, U, labels),
        _share(model, "guided"),
        _share(model, "unguided"),
        [] if verdict is None else list(verdict.sentences),
        notes,
    )


def _share(model: GuidedFDC, name: str) -> float | None:
    """Return the agreement on held-out judgements; None where it is not known."""
    share = getattr(model, "held_out_agreement_", {}).get(name, np.nan)
    return None if np.isnan(share) else float(share)


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
                pick(COLORS, k),
                pick(GLYPHS, k),
            )
        )
    return cards


def _work(pipe: Any, task: FitTask) -> None:
    """Fit what comes through a pipe, until it is closed."""
    os.nice(10)  # answers come first
    last = None
    while True:
        try:
            i, j, grade, robust = pipe.recv()
        except EOFError:
            return
        pairs = PairSet(i, j, grade, len(task.X))
        try:
            fitted = fit_once(task, pairs, robust, last)
        except Exception as error:  # told to the people at the page, who can go on
            pipe.send(f"{type(error).__name__}: {error}")
            continue
        last = fitted.places
        pipe.send(fitted)


class FitProcess:
    """A process that fits the newest judgements, one fit at a time.

    It is spawned: a script that uses it needs ``if __name__ == "__main__":``, as with
    `multiprocessing`.

    Parameters
    ----------
    task : FitTask
    read : callable
        Returns the judgements to fit, and whether graders are noisy.
    done : callable
        Takes what is found, or a sentence about what went wrong.
    """

    def __init__(
        self,
        task: FitTask,
        read: Callable[[], tuple[PairSet, bool]],
        done: Callable[[Fitted | str], None],
    ) -> None:
        self._task, self._read, self._done = task, read, done
        self._wanted = threading.Event()
        self._closed = False
        self.is_busy = False
        self._thread = threading.Thread(
            target=self._run, name="fuzzypairs-fits", daemon=True
        )
        self._thread.start()

    def request(self) -> None:
        """Ask for a fit of the judgements as they are when it begins."""
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
            if process is None or not process.is_alive():
                process, pipe = self._start()
            self._finish(self._fit(pipe))
        if process is not None:
            process.terminate()
            process.join()
            pipe.close()

    def _start(self) -> tuple[Any, Any]:
        """Return a new process and the pipe to it."""
        context = multiprocessing.get_context("spawn")
        pipe, theirs = context.Pipe()
        process = context.Process(target=_work, args=(theirs, self._task), daemon=True)
        process.start()
        theirs.close()
        return process, pipe

    def _fit(self, pipe: Any) -> "Fitted | str | None":
        """Return the fit of the newest judgements; None if the process is to end."""
        pairs, robust = self._read()
        try:
            pipe.send((pairs.i, pairs.j, pairs.grade, robust))
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
