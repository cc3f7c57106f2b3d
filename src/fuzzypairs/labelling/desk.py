"""The pairs before one person: asked, waiting, answered."""

import threading
from collections import deque
from dataclasses import dataclass

import numpy as np

from fuzzypairs._typing import Floats
from fuzzypairs.active import Question, Questions
from fuzzypairs.active.item_sets import choose_items
from fuzzypairs.active.pool import ordered

__all__ = ["QUESTION", "REPEATS", "Asked", "AskedSet", "Desk"]

# What people and programs are asked, unless somebody says otherwise.
QUESTION = "Do these two belong together?"
# With several graders one question in so many was graded by another one.
SHARED_EVERY = 3
# Questions are chosen so many at a time, and one for each so many answers if that is
# more: a look at all answers takes longer the more they are, and serves them all.
AHEAD, AHEAD_EVERY = 4, 40
# Items that are sorted into piles by one answer.
SET_SIZE = 8
# Share of questions that repeat an own one, to measure the grader.
REPEATS = 0.05
# Who graded a pair, and its rows.
Graded = tuple[str, int, int]


@dataclass(frozen=True)
class Asked:
    """A question as it is shown.

    Attributes
    ----------
    left, right : int
        Rows, in the order on screen.
    reason : str
        Why it is asked.
    strategy : {"auto", "random", "shared", "again"}
        "random" pairs alone measure agreement without bias, "shared" ones were graded
        by another person, "again" ones by the same.
    """

    left: int
    right: int
    reason: str
    strategy: str


@dataclass(frozen=True)
class AskedSet:
    """Items to be sorted into piles, in the order on screen.

    Attributes
    ----------
    rows : tuple of int
    reason : str
        Why they are asked.
    """

    rows: tuple[int, ...]
    reason: str


class Desk:
    """The questions of one person, in the order in which they are asked.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    n_clusters : int
    seed : int
    repeats : float, default=REPEATS
        Share of questions that repeat an own one.
    """

    def __init__(
        self,
        X: Floats,
        n_clusters: int | None,
        seed: int,
        repeats: float = REPEATS,
    ) -> None:
        self.lock = threading.Lock()
        self._questions = Questions(X, n_clusters, seed=seed, repeats=repeats)
        self._rng = np.random.default_rng([seed, 1])
        self._waiting: deque[Asked] = deque()
        self._ahead: deque[Question] = deque()
        self._set: AskedSet | None = None
        self._answered: set[tuple[int, int]] = set()
        self._left_out: set[int] = set()
        self._n_dealt = 0
        self._n_seen = 0  # of the pairs that others graded

    def inform(self, memberships: Floats) -> None:
        """Take the memberships of a new model."""
        self._questions.inform(memberships)

    def next(self, n: int, owner: str, graded: list[Graded]) -> list[Asked]:
        """Return the next n questions, without taking them from the desk.

        `graded` holds pairs and who graded them; some of others are asked here, too.
        """
        while len(self._waiting) < n:
            asked = self._shared(owner, graded) or self._new()
            if asked is None:
                break
            self._n_dealt += 1
            self._waiting.append(asked)
        return list(self._waiting)[:n]

    def _new(self) -> Asked | None:
        if not self._ahead:
            n = max(AHEAD, self._n_dealt // AHEAD_EVERY)
            self._ahead.extend(self._questions.pop(n))
        if not self._ahead:
            return None
        question = self._ahead.popleft()
        strategy = "random" if question.is_random else "auto"
        return Asked(question.i, question.j, question.reason, strategy)

    def _shared(self, owner: str, graded: list[Graded]) -> Asked | None:
        if self._n_dealt % SHARED_EVERY != SHARED_EVERY - 1:
            return None
        waiting = {ordered(asked.left, asked.right) for asked in self._waiting}
        while self._n_seen < len(graded):
            who, i, j = graded[self._n_seen]
            self._n_seen += 1
            pair = ordered(i, j)
            is_new = who != owner and pair not in self._answered and pair not in waiting
            if is_new and self._left_out.isdisjoint(pair):
                left, right = (i, j) if self._rng.random() < 0.5 else (j, i)
                return Asked(left, right, "to compare graders", "shared")
        return None

    def next_set(self) -> AskedSet | None:
        """Return items to be sorted, the same ones until they are; None if too few."""
        if self._set is None:
            rows, reason = choose_items(self._questions.pool, SET_SIZE)
            if len(rows) > 2:
                self._set = AskedSet(tuple(rows), reason)
        return self._set

    def put_set(self, asked: AskedSet | None) -> None:
        """Ask some items next; None for others than those of `next_set`."""
        self._set = asked

    def push(self, asked: Asked) -> None:
        """Put a question before all others."""
        pair = {asked.left, asked.right}
        self._waiting = deque(a for a in self._waiting if {a.left, a.right} != pair)
        self._waiting.appendleft(asked)

    def find(self, left: int, right: int) -> Asked | None:
        """Return the waiting question about a pair."""
        for asked in self._waiting:
            if {asked.left, asked.right} == {left, right}:
                return asked
        return None

    def mark(self, left: int, right: int, grade: float | None) -> None:
        """Take an answer; a grade replaces an earlier one of the pair."""
        pair = {left, right}
        if grade is not None and ordered(left, right) in self._answered:
            while self._questions.take_back(left, right) is not None:
                pass
        self._questions.mark(left, right, grade)
        self._answered.add(ordered(left, right))
        self._waiting = deque(a for a in self._waiting if {a.left, a.right} != pair)
        self._ahead = deque(q for q in self._ahead if {q.i, q.j} != pair)

    def take_back(self, left: int, right: int, earlier: float | None) -> None:
        """Take back the last answer to a pair.

        `earlier` is the grade that counts instead, None if there is none.
        """
        self._questions.take_back(left, right)
        self._answered.discard(ordered(left, right))
        if earlier is not None:
            self.mark(left, right, earlier)

    def leave_out(self, rows: set[int]) -> None:
        """Ask no more about some rows."""
        self._left_out = rows
        self._questions.leave_out(rows)
        self._waiting = deque(a for a in self._waiting if not {a.left, a.right} & rows)
        self._ahead = deque(q for q in self._ahead if not {q.i, q.j} & rows)
        if self._set is not None and rows.intersection(self._set.rows):
            self._set = None
