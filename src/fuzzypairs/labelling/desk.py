"""The pairs before one person: asked, waiting, answered."""

import threading
from collections import deque
from dataclasses import dataclass

import numpy as np

from fuzzypairs._typing import Ints
from fuzzypairs.labelling.questions import BalancedQuestions, Question

__all__ = ["Asked", "Desk"]

# With several graders one question in so many was graded by another one.
SHARED_EVERY = 3
# Who graded a pair, and its rows.
Graded = tuple[str, int, int]


@dataclass(frozen=True)
class Asked:
    """A question as it is shown.

    Attributes
    ----------
    left, right : int
        Rows, in the order on screen.
    reason, strategy : str
    """

    left: int
    right: int
    reason: str
    strategy: str


class Desk:
    """The questions of one person, in the order in which they are asked.

    Parameters
    ----------
    n_samples : int
    seed : int
    """

    def __init__(self, n_samples: int, seed: int) -> None:
        self.lock = threading.Lock()
        self._questions = BalancedQuestions(n_samples, seed)
        self._rng = np.random.default_rng([seed, 1])
        self._waiting: deque[Asked] = deque()
        self._answered: set[frozenset[int]] = set()
        self._left_out: set[int] = set()
        self._n_dealt = 0
        self._n_seen = 0  # of the pairs that others graded

    def inform(self, labels: Ints) -> None:
        """Take the clusters of a new model."""
        self._questions.inform(labels)

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
        found = self._questions.pop(1)
        return self._turned(found[0], "balanced") if found else None

    def _shared(self, owner: str, graded: list[Graded]) -> Asked | None:
        if self._n_dealt % SHARED_EVERY != SHARED_EVERY - 1:
            return None
        waiting = {frozenset((asked.left, asked.right)) for asked in self._waiting}
        while self._n_seen < len(graded):
            who, i, j = graded[self._n_seen]
            self._n_seen += 1
            pair = frozenset((i, j))
            is_new = who != owner and pair not in self._answered and pair not in waiting
            if is_new and not pair & self._left_out:
                return self._turned(Question(i, j, "to compare graders"), "shared")
        return None

    def _turned(self, question: Question, strategy: str) -> Asked:
        """Show either row on the left, by chance."""
        rows = question.i, question.j
        left, right = rows if self._rng.random() < 0.5 else rows[::-1]
        return Asked(left, right, question.reason, strategy)

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
        """Take an answer."""
        self._questions.mark(left, right, grade)
        self._answered.add(frozenset((left, right)))
        self._waiting = deque(
            a for a in self._waiting if {a.left, a.right} != {left, right}
        )

    def undo(self, left: int, right: int) -> None:
        """Take back the last answer, and ask it again next."""
        self._questions.undo()
        self._answered.discard(frozenset((left, right)))
        self.push(Asked(left, right, "taken back", "again"))

    def leave_out(self, rows: set[int]) -> None:
        """Ask no more about some rows."""
        self._left_out = rows
        self._questions.leave_out(rows)
        self._waiting = deque(a for a in self._waiting if not {a.left, a.right} & rows)
