"""One object behind the page, the terminal and a notebook: no HTTP in it."""

import sys
import threading
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from fuzzypairs.criteria import JudgeComparison, compare_judges
from fuzzypairs.labelling import live
from fuzzypairs.labelling.answer_checks import (
    KINDS,
    LONGEST_NOTE,
    LONGEST_SECONDS,
    PILE_GRADE,
    AnswerKind,
    ServiceError,
    check_name,
    check_number,
    check_piles,
    check_question,
    check_rows,
    check_text,
)
from fuzzypairs.labelling.catalogue import Catalogue, as_judged
from fuzzypairs.labelling.desk import QUESTION, REPEATS, Asked, AskedSet, Desk
from fuzzypairs.labelling.fitting import FitTask, Fitted
from fuzzypairs.labelling.store import Answer, Event, Store, StoreError
from fuzzypairs.labelling.stored_judgements import Judged, StoredJudgements
from fuzzypairs.labelling.updates import Updates
from fuzzypairs.pairs import PairSet
from fuzzypairs.pairs.reading import name_of_judge

__all__ = ["Receipt", "Service", "ServiceError"]

# How answers of programs are entered.
PROGRAM = "program"


@dataclass(frozen=True)
class Receipt:
    """What is known after an answer was stored.

    Attributes
    ----------
    event : int
        Number of the stored event.
    same : bool or None
        Whether the last model has the two items in one cluster; None before it.
    """

    event: int
    same: bool | None


class Service:
    """Asks for judgements, stores them, and keeps a model up to date.

    Parameters
    ----------
    catalogue : Catalogue
        The items.
    store : Store
        Where judgements go.
    task : FitTask, default=None
        What is fitted; None for no fits.
    finish : callable, default=None
        Writes the report of judgements, with one of some numbers of clusters, to a
        folder, and returns the folder.
    seed : int, default=0
    changes : list of str, default=None
        How the table differs from the one that was judged, if `as_judged` was called.

    Attributes
    ----------
    changes : list of str
    model : Updates
        The last model and the report.
    question : str
        What is asked of each pair.
    repeats : float
        Share of questions that repeat an own one; 0 where programs are asked.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import pandas as pd
    >>> from fuzzypairs.tables.table_files import Items
    >>> from fuzzypairs.labelling.catalogue import Catalogue
    >>> from fuzzypairs.labelling.service import Service
    >>> from fuzzypairs.labelling.store import Store
    >>> frame = pd.DataFrame({"acid": [1.0, 1.2, 6.0, 6.3]})
    >>> catalogue = Catalogue(Items(Path("wines.csv"), frame), frame)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with Store(Path(folder) / "wines.db") as store:
    ...         service = Service(catalogue, store)
    ...         asked = service.next("Ann")[0]
    ...         receipt = service.answer("Ann", asked.left, asked.right, grade=0.5)
    ...         len(service.history("Ann"))
    1
    """

    def __init__(
        self,
        catalogue: Catalogue,
        store: Store,
        task: FitTask | None = None,
        *,
        finish: Callable[[Judged, tuple[int, ...]], Path] | None = None,
        seed: int = 0,
        changes: list[str] | None = None,
    ) -> None:
        if changes is None:
            catalogue, changes = as_judged(store, catalogue)
        self.catalogue, self.store, self.changes = catalogue, store, changes
        self._seed, self.repeats, self.question = seed, REPEATS, QUESTION
        # Questions need samples only if something is fitted to them.
        self._X = np.empty((len(catalogue), 0)) if task is None else task.X
        self._lock = threading.Lock()
        self._desks: dict[str, Desk] = {}
        self._row = {name: row for row, name in enumerate(catalogue.ids)}
        self.stored = StoredJudgements(store.path, list(catalogue.ids))
        # Pairs that were graded and by whom, in order: others are asked some of them.
        self._graded: list[tuple[str, int, int]] = []
        n_answers = 0
        for answer in store.each_answer():
            n_answers += 1
            if answer.grade and self._is_here(answer):
                rows = self._row[answer.left_id], self._row[answer.right_id]
                self._graded.append((sys.intern(answer.annotator), *rows))
        self.model = Updates(task, self.stored, self.inform, n_answers, finish)

    # Questions and answers

    def set_question(self, text: str) -> None:
        """Ask something else of each pair."""
        self.question = check_question(text)

    def next(self, annotator: str, n: int = 2) -> list[Asked]:
        """Return a person's next questions; the first stays first until answered."""
        desk = self._desk(annotator)
        with desk.lock:
            return desk.next(n, annotator, self._graded)

    def submit(
        self,
        annotator: str,
        left: int,
        right: int,
        *,
        kind: AnswerKind = "graded",
        grade: float | None = None,
        input: str = "",
        seconds: float | None = None,
        note: str = "",
        key: str | None = None,
    ) -> "Future[Receipt]":
        """Answer a question; the future is done after the commit.

        Parameters
        ----------
        annotator : str
        left, right : int
            Rows as they were shown. Of "bad item", the left one is bad.
        kind : {"graded", "unsure", "skipped", "bad item"}, default="graded"
        grade : float, default=None
            From -1 to 1; 0 is "unsure".
        input : str, default=""
            How it was entered.
        seconds : float, default=None
            Time from the pair on screen to the answer.
        note : str, default=""
        key : str, default=None
            An answer sent again under its key is stored once.
        """
        self._check_rows(left, right)
        if kind not in KINDS:
            raise ServiceError(f"kind is {kind!r}, expected one of {', '.join(KINDS)}")
        value = None
        if kind == "graded":
            value = check_number("grade", grade, -1, 1)
            if value == 0:
                kind, value = "unsure", None
        if seconds is not None:
            seconds = check_number("seconds", seconds, 0, LONGEST_SECONDS)
        input, note = check_text("input", input)[:20], check_text("note", note)
        key = None if key is None else check_text("key", key)
        desk = self._desk(annotator)
        with desk.lock:
            asked = desk.find(left, right)
            desk.mark(left, right, 0.0 if kind == "unsure" else value)
            if kind == "bad item":
                desk.leave_out(self._bad_rows() | {left})
        if value is not None:
            # One copy of the name, not that of each request.
            self._graded.append((sys.intern(annotator), left, right))
        event = Event(
            kind,
            self.catalogue.ids[left],
            self.catalogue.ids[right],
            annotator,
            grade=value,
            strategy=asked.strategy if asked else "own",
            reason=asked.reason if asked else "",
            input=input,
            seconds=seconds,
            note=note[:LONGEST_NOTE],
            key=key,
        )
        return self._store([event], (left, right))

    def next_set(self, annotator: str) -> AskedSet | None:
        """Return items to be sorted into piles; None if there are too few.

        Parameters
        ----------
        annotator : str
        """
        desk = self._desk(annotator)
        with desk.lock:
            return desk.next_set()

    def sort(
        self,
        annotator: str,
        piles: Sequence[Sequence[int]],
        *,
        input: str = "",
        seconds: float | None = None,
        key: str | None = None,
    ) -> "Future[Receipt] | None":
        """Answer by piles: items of one belong together, those of two do not.

        All their pairs are one answer. Items that are in no pile are left open.

        Parameters
        ----------
        annotator : str
        piles : sequence of sequence of int
            Rows; none skips the items that were shown.
        input, seconds, key
            As in `submit`.

        Returns
        -------
        receipt : Future of Receipt, or None
            None if nothing was sorted.
        """
        pile_of = check_piles(piles, len(self.catalogue))
        if seconds is not None:
            seconds = check_number("seconds", seconds, 0, LONGEST_SECONDS)
        input, key = check_text("input", input)[:20], check_text("key", key or "")
        desk = self._desk(annotator)
        graded = [
            (i, j, PILE_GRADE if pile_of[i] == pile_of[j] else -PILE_GRADE)
            for i, j in combinations(pile_of, 2)
        ]
        with desk.lock:
            asked = desk.next_set()
            for i, j, grade in graded:
                desk.mark(i, j, grade)
            desk.put_set(None)
        if not graded:
            return None
        who, ids = sys.intern(annotator), self.catalogue.ids
        self._graded += [(who, i, j) for i, j, _ in graded]
        reason = asked.reason if asked else ""
        events = [
            Event("graded", ids[i], ids[j], annotator, grade=grade, strategy="piles",
                  reason=reason, input=input, seconds=seconds,
                  key=f"{key} {n}" if key else None)
            for n, (i, j, grade) in enumerate(graded)
        ]  # fmt: skip
        return self._store(events, pile_of)

    def _store(self, events: list[Event], rows: Iterable[int]) -> "Future[Receipt]":
        """Store the events of one answer; the receipt comes after the commit."""
        stored = self.store.submit(
            events, [self.catalogue.item(row) for row in rows], are_one=True
        )
        first = events[0]
        left, right = self._row[first.left_id], self._row[first.right_id]
        receipt: Future[Receipt] = Future()
        receipt.set_running_or_notify_cancel()  # nobody who leaves can cancel it

        def acknowledge(done: "Future[list[int]]") -> None:
            if error := done.exception():
                receipt.set_exception(error)
                return
            self.model.count()
            same = self.model.in_one_cluster(left, right)
            receipt.set_result(Receipt(done.result()[0], same))

        stored.add_done_callback(acknowledge)
        return receipt

    def answer(self, annotator: str, left: int, right: int, **given: Any) -> Receipt:
        """Answer a question, and wait for the commit; see `submit`."""
        return self.submit(annotator, left, right, **given).result()

    def undo(self, annotator: str) -> Asked | AskedSet | None:
        """Take back the last answer or edit of a person; return what it was to."""
        number = self.store.last_answer(annotator)
        if number is None:
            return None
        events = self.store.events_of(number)
        event = events[0]
        self.store.append(
            Event("undone", event.left_id, event.right_id, annotator, target=number)
        )
        self.model.count()
        rows = dict.fromkeys(name for e in events for name in (e.left_id, e.right_id))
        if not rows.keys() <= self._row.keys():  # of a table that had more rows
            return None
        desk = self._desk(annotator)
        with desk.lock:
            for each in events if event.kind != "edited" else []:
                ends = self._row[each.left_id], self._row[each.right_id]
                desk.take_back(*ends, self._grade(annotator, each))
            if event.kind == "bad item":
                desk.leave_out(self._bad_rows())
            if event.strategy == "piles" and event.kind != "edited":
                items = tuple(self._row[name] for name in rows)
                desk.put_set(AskedSet(items, event.reason))
                return desk.next_set()
            left, right = self._row[event.left_id], self._row[event.right_id]
            asked = Asked(left, right, event.reason, event.strategy)
            if event.kind != "edited":
                desk.push(asked)
        return asked

    def edit(self, annotator: str, number: int, grade: float) -> None:
        """Give an earlier answer of the same person another grade.

        Parameters
        ----------
        annotator : str
        number : int
            The event of the answer.
        grade : float
            From -1 to 1.
        """
        value = check_number("grade", grade, -1, 1)
        try:
            event = self.store.event(number)
        except StoreError as error:  # a mistake of the browser, not of the file
            raise ServiceError(f"event {number} is unknown") from error
        if event.annotator != annotator or event.kind not in KINDS:
            raise ServiceError(f"event {number} is no answer of {annotator!r}")
        self.store.append(
            Event("edited", event.left_id, event.right_id, annotator,
                  grade=value, target=number)
        )  # fmt: skip
        self.model.count()

    def set_clusters(self, annotator: str, n_clusters: int | None) -> None:
        """Fit with a number of clusters from now on, for everyone.

        Parameters
        ----------
        annotator : str
        n_clusters : int or None
            None chooses from the numbers that were given at the start, or from 2 to 8.
        """
        self._desk(annotator)
        most = min(live.MOST_OFFERED, len(self.catalogue))
        if n_clusters is not None:
            n_clusters = int(check_number("n_clusters", n_clusters, 2, most))
        self.model.set_clusters(n_clusters, most)
        with self._lock:
            self._desks.clear()  # questions depend on it

    def ask_again(self, annotator: str, left: int, right: int) -> None:
        """Ask a pair next, although it was answered."""
        self._check_rows(left, right)
        desk = self._desk(annotator)
        with desk.lock:
            desk.push(Asked(left, right, "it contradicts others", "again"))

    def ask_items(self, annotator: str, rows: list[int], reason: str) -> AskedSet:
        """Ask to sort these items next."""
        asked, desk = AskedSet(tuple(rows), reason), self._desk(annotator)
        with desk.lock:
            desk.put_set(asked)
        return asked

    # What people see

    def history(self, annotator: str, most: int = 200) -> list[dict[str, Any]]:
        """Return the last answers of a person, the newest first."""
        return live.describe_history(self, annotator, most)

    def own(self, annotator: str) -> Iterator[Answer]:
        """Yield the answers of a person about rows of this table."""
        return filter(self._is_here, self.store.each_answer(annotator))

    def own_judgements(self, annotator: str) -> list[tuple[int, int, float]]:
        """Return both rows and the grade of each pair that a person judged."""
        query = "SELECT a, b, grade FROM judgements WHERE annotator = ? ORDER BY id"
        return [
            (self._row[a], self._row[b], grade)
            for a, b, grade in self.store.each_row(query, annotator)
            if a in self._row and b in self._row
        ]

    def _is_here(self, answer: Answer) -> bool:
        return answer.left_id in self._row and answer.right_id in self._row

    def state(self, annotator: str) -> dict[str, Any]:
        """Return map, clusters, agreement and contradictions for a person."""
        return live.describe_state(self, annotator)

    def agreement(self, annotator: str) -> dict[str, Any]:
        """Return how far graders agree, with grades of pairs this person graded."""
        return live.describe_agreement(self, annotator)

    def compare_programs(self) -> list[JudgeComparison]:
        """Return for each program how it agrees with people; none without both."""
        pairs = self.pairs()
        query = "SELECT DISTINCT annotator FROM judgements WHERE input = ?"
        stored = self.store.read(query, PROGRAM)
        programs = {name_of_judge(row["annotator"]) for row in stored}
        people = [name for name in pairs.judge_names if name not in programs]
        if not people:
            return []
        return [compare_judges(pairs, name, people) for name in sorted(programs)]

    def row_or_none(self, name: str) -> int | None:
        """Return the row of an id; None if the table has none."""
        return self._row.get(name)

    def row_of(self, name: str) -> int:
        """Return the row of an id."""
        return self._row[name]

    def pairs(self) -> PairSet:
        """Return all judgements as they stand."""
        return self.stored.pairs()

    def close(self) -> None:
        """End the process of the fits. The store stays open."""
        self.model.close()

    # Inside

    def _grade(self, annotator: str, event: Event) -> float | None:
        """Return the grade of a person for the pair of an event, None without one."""
        ends = sorted([event.left_id, event.right_id])
        rows = self.store.read(
            "SELECT grade FROM judgements WHERE annotator = ? AND a = ? AND b = ?",
            annotator, *ends,
        )  # fmt: skip
        return rows[0]["grade"] if rows else None

    def _desk(self, annotator: str) -> Desk:
        """Return the desk of a person, set up from the store at first."""
        check_name(annotator)
        with self._lock:
            if annotator not in self._desks:
                # Each person has other random pairs, the same after a new start.
                seed = zlib.crc32(annotator.encode()) + self._seed
                numbers = self.model.numbers
                known = numbers[0] if len(numbers) == 1 else None
                desk = Desk(self._X, known, seed, self.repeats)
                for answer in self.own(annotator):
                    rows = self._row[answer.left_id], self._row[answer.right_id]
                    desk.mark(*rows, answer.grade)
                desk.leave_out(self._bad_rows())
                if self.model.fitted is not None:
                    desk.inform(self.model.fitted.memberships)
                self._desks[annotator] = desk
            return self._desks[annotator]

    def _bad_rows(self) -> set[int]:
        bad = self.store.bad_items()
        return {self._row[name] for name in bad if name in self._row}

    def _check_rows(self, left: int, right: int) -> None:
        check_rows((left, right), len(self.catalogue))
        if left == right:
            raise ServiceError(f"row {left} is paired with itself")

    def inform(self, fitted: Fitted) -> None:
        """Tell all desks of a new model."""
        for desk in list(self._desks.values()):
            with desk.lock:
                desk.inform(fitted.memberships)
