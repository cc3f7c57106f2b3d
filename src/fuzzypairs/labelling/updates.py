"""The last model beside the answers, the report, and who is told of both."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from fuzzypairs.analysis.fit_rows import TRIED
from fuzzypairs.labelling.answer_checks import ServiceError
from fuzzypairs.labelling.fitting import FitProcess, FitTask, Fitted
from fuzzypairs.labelling.live import Point
from fuzzypairs.labelling.stored_judgements import Judged, StoredJudgements

__all__ = ["Updates"]

# A fit begins after so many new answers, or so large a share of those it has seen.
FIT_EVERY, FIT_SHARE = 5, 0.05


class Updates:
    """Fits as answers come in, and what follows from the last one.

    Parameters
    ----------
    task : FitTask or None
        What is fitted; None for no fits.
    read : StoredJudgements
    inform : callable
        Takes a new model.
    n_answers : int
        Number of answers so far.
    finish : callable or None
        Writes the report of judgements, and returns its folder.

    Attributes
    ----------
    fitted : Fitted or None
        The last finished fit.
    problem : str
        Why the last fit failed; empty if it did not.
    curve : list of Point
        Held-out agreement of all fits.
    report : Path or None
        The folder of the last report.
    report_state : str
        "", "writing", "written" or "failed: ...".
    given, numbers : tuple of int
        Numbers of clusters to choose from: at the start, and now.
    version : int
        Counts the changes that listeners were told of.
    """

    def __init__(
        self,
        task: FitTask | None,
        read: StoredJudgements,
        inform: Callable[[Fitted], None],
        n_answers: int,
        finish: Callable[[Judged, tuple[int, ...]], Path] | None,
    ) -> None:
        self.fitted: Fitted | None = None
        self.problem = ""
        self.curve: list[Point] = []
        self.report: Path | None = None
        self.report_state = ""
        self.version = 0
        self._inform, self._finish, self._read = inform, finish, read
        self._lock = threading.Lock()
        # One thread: reports go to the same folder one after the other, and Matplotlib
        # keeps the files of fonts open for each thread that ever drew.
        self._writer = ThreadPoolExecutor(1, "report")
        self._listeners: set[Callable[[], None]] = set()
        self._n_answers = self._n_fitted = n_answers
        self._fits = None if task is None else FitProcess(task, read, self._take)
        # Numbers of clusters to choose from; as they were given, and as they are now.
        self.given = self.numbers = () if task is None else task.numbers
        if self._fits is not None:
            self._fits.request()

    @property
    def is_fitting(self) -> bool:
        """Whether a fit is running."""
        return self._fits is not None and self._fits.is_busy

    def count(self) -> None:
        """Note a change of the answers, and ask for a fit if there are enough."""
        with self._lock:
            self._n_answers += 1
            self._request_if_due()

    def set_clusters(self, n_clusters: int | None, most: int) -> None:
        """Fit anew, with another number of clusters.

        Parameters
        ----------
        n_clusters : int or None
            None chooses from the numbers of the start, or from 2 to 8.
        most : int
            The most that there can be.
        """
        if n_clusters is not None:
            numbers: tuple[int, ...] = (n_clusters,)
        elif len(self.given) > 1:
            numbers = self.given
        else:
            numbers = tuple(k for k in TRIED if k <= most)
        if self._fits is None:
            raise ServiceError("nothing is fitted here")
        with self._lock:
            self.numbers = numbers
            self._fits.task = replace(self._fits.task, n_clusters=numbers)
            self._n_fitted = self._n_answers
            self._fits.request()
        self.tell()

    def _request_if_due(self) -> None:
        if self._fits is None or self._fits.is_busy:
            return
        due = max(FIT_EVERY, FIT_SHARE * self._n_fitted)
        if self._n_answers - self._n_fitted >= due:
            self._n_fitted = self._n_answers
            self._fits.request()

    def _take(self, found: Fitted | str) -> None:
        """Keep a finished model; a fit that failed leaves the last one in place."""
        if isinstance(found, str):
            self.problem = found
        else:
            self.fitted, self.problem = found, ""
            self.curve.append(Point.of(found))
            self._inform(found)
        with self._lock:
            self._request_if_due()
        self.tell()

    def in_one_cluster(self, left: int, right: int) -> bool | None:
        """Tell whether the last model has two rows in one cluster; None at first."""
        if self.fitted is None:
            return None
        labels = self.fitted.labels
        return bool(labels[left] == labels[right])

    def listen(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call a function when a fit or a report is done; return what ends that."""
        self._listeners.add(listener)
        return lambda: self._listeners.discard(listener)

    def tell(self) -> None:
        """Tell all listeners of a change."""
        self.version += 1
        for listener in list(self._listeners):
            listener()

    def write_report(self) -> Path:
        """Fit all judgements as the live model, and write a report."""
        if self._finish is None:
            raise ValueError("no report can be written here: use fuzzypairs fit")
        return self._writer.submit(self._write, self._finish).result()

    def _write(self, finish: Callable[[Judged, tuple[int, ...]], Path]) -> Path:
        self.report_state = "writing"
        self.tell()
        try:
            self.report = finish(self._read(), self.numbers)
            self.report_state = "written"
        except Exception as error:
            self.report_state = f"failed: {error}"
            raise
        finally:
            self.tell()
        return self.report

    def close(self) -> None:
        """End the process of the fits, and the thread of reports."""
        self._writer.shutdown()
        if self._fits is not None:
            self._fits.close()
