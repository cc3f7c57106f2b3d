"""Which pair to ask next: what the service expects, and a plain way to do it."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from fuzzypairs._typing import Ints

__all__ = ["BalancedQuestions", "Question", "Questions"]

# Draws before all pairs that are left are listed, and the most pairs to list.
DRAWS, LISTED = 60, 200_000
# One question in so many repeats an old one, to measure the grader; none before so
# many answers.
REPEAT_EVERY, REPEAT_AFTER = 20, 15


@dataclass(frozen=True)
class Question:
    """A pair to ask about.

    Attributes
    ----------
    i, j : int
        Rows.
    reason : str
        Why this pair, in words.
    """

    i: int
    j: int
    reason: str


class Questions(Protocol):
    """What chooses pairs for one person."""

    def pop(self, n: int = 1) -> list[Question]:
        """Return up to n questions; none if nothing is left to ask."""

    def mark(self, i: int, j: int, grade: float | None) -> None:
        """Take an answer; None for a skipped pair."""

    def undo(self) -> None:
        """Take back the last answer."""


class BalancedQuestions:
    """Random pairs: half of them from one cluster of the last model, half from all.

    Most random pairs join different clusters, and a person who says "unlike" all the
    time says little. The half that is drawn from all pairs measures honestly.

    Parameters
    ----------
    n_samples : int
        Number of rows.
    seed : int, default=0

    Examples
    --------
    >>> from fuzzypairs.labelling.questions import BalancedQuestions
    >>> questions = BalancedQuestions(3)
    >>> asked = questions.pop(5)
    >>> sorted(sorted((question.i, question.j)) for question in asked)
    [[0, 1], [0, 2], [1, 2]]
    """

    def __init__(self, n_samples: int, seed: int = 0) -> None:
        self._n = n_samples
        self._rng = np.random.default_rng(seed)
        self._seen: set[tuple[int, int]] = set()
        self._answered: list[tuple[int, int]] = []
        self._left_out: set[int] = set()
        self._clusters: list[Ints] = []
        self._n_asked = 0

    def inform(self, labels: Ints) -> None:
        """Take the clusters of a new model."""
        self._clusters = [
            rows
            for rows in (np.flatnonzero(labels == k) for k in np.unique(labels))
            if len(rows) > 1
        ]

    def leave_out(self, rows: set[int]) -> None:
        """Ask no more about some rows."""
        self._left_out = rows

    def pop(self, n: int = 1) -> list[Question]:
        """Return up to n questions; none if nothing is left to ask."""
        found: list[Question] = []
        while len(found) < n and (question := self._next()) is not None:
            self._seen.add(_ordered(question.i, question.j))
            self._n_asked += 1
            found.append(question)
        return found

    def _next(self) -> Question | None:
        n_answers = len(self._answered)
        if (self._n_asked + 1) % REPEAT_EVERY == 0 and n_answers >= REPEAT_AFTER:
            a, b = self._answered[int(self._rng.integers(n_answers - 10))]
            if not {a, b} & self._left_out:
                return Question(b, a, "asked before, to see how sure answers are")
        near = self._n_asked % 2 == 1 and bool(self._clusters)
        for draw in range(DRAWS):
            from_cluster = near and draw < DRAWS // 2
            i, j = self._draw(from_cluster)
            if i != j and self._is_new(i, j):
                why = "in one cluster so far" if from_cluster else "a random pair"
                return Question(i, j, why)
        return self._one_left()

    def _draw(self, from_cluster: bool) -> tuple[int, int]:
        rows = None
        if from_cluster:
            rows = self._clusters[int(self._rng.integers(len(self._clusters)))]
        i, j = self._rng.integers(self._n if rows is None else len(rows), size=2)
        return (int(i), int(j)) if rows is None else (int(rows[i]), int(rows[j]))

    def _is_new(self, i: int, j: int) -> bool:
        is_out = i in self._left_out or j in self._left_out
        return not is_out and _ordered(i, j) not in self._seen

    def _one_left(self) -> Question | None:
        """Look through all pairs, where they are few."""
        if self._n * (self._n - 1) // 2 > LISTED:
            return None
        left = [(i, j) for j in range(self._n) for i in range(j) if self._is_new(i, j)]
        if not left:
            return None
        return Question(*left[int(self._rng.integers(len(left)))], "one of the last")

    def mark(self, i: int, j: int, grade: float | None) -> None:
        """Take an answer; None for a skipped pair."""
        self._seen.add(_ordered(i, j))
        self._answered.append((i, j))

    def undo(self) -> None:
        """Take back the last answer."""
        if self._answered:
            self._answered.pop()


def _ordered(i: int, j: int) -> tuple[int, int]:
    return (i, j) if i < j else (j, i)
