"""What strategies know: the samples, the answers so far, and the last model."""

from collections.abc import Generator
from dataclasses import dataclass, field

import numpy as np

from fuzzypairs._typing import Floats, Ints
from fuzzypairs.pairs import PairSet

__all__ = ["Answer", "Pool", "Proposals", "Question"]

# Strategies choose among at most so many samples, drawn once: more of them hold no
# better questions, and a question must not wait.
MOST_CANDIDATES = 10_000


@dataclass(frozen=True)
class Question:
    """A pair to be judged: the samples to show left and right, and why.

    Attributes
    ----------
    i, j : int
        Rows of the two samples; `i` is to be shown on the left.
    reason : str
        Why the pair is asked, in a few words.
    is_random : bool
        Whether the pair was drawn at random. Only such pairs measure agreement
        without bias.

    Examples
    --------
    >>> from fuzzypairs.active import Question
    >>> Question(3, 0, "random pair", is_random=True).pair
    (0, 3)
    """

    i: int
    j: int
    reason: str
    is_random: bool = False

    @property
    def pair(self) -> tuple[int, int]:
        """The two rows in increasing order."""
        return min(self.i, self.j), max(self.i, self.j)


# A strategy yields questions. After each it looks up the answer in the pool.
Proposals = Generator[Question, None, None]


@dataclass(frozen=True)
class Answer:
    """An answer in the order they came; a grade of None is a skipped question."""

    i: int
    j: int
    grade: float | None


@dataclass
class Pool:
    """The samples to ask about, with all that strategies base questions on.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        Centred, of total variance one.
    n_clusters : int or None
        None if it is not known.
    memberships : ndarray of shape (n_samples, n_clusters_)
        Of the last model.
    candidates : ndarray of shape (n_candidates,)
        The rows that questions may be about.
    rng : Generator
    answers : list of Answer
    """

    X: Floats
    n_clusters: int | None
    memberships: Floats
    candidates: Ints
    rng: np.random.Generator
    answers: list[Answer] = field(default_factory=list)
    # Pairs that were asked and wait for an answer.
    pending: set[tuple[int, int]] = field(default_factory=set)

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return len(self.X)

    def grades(self) -> dict[tuple[int, int], float | None]:
        """Return the mean grade of each pair asked; None if it was only skipped."""
        given: dict[tuple[int, int], list[float]] = {}
        for answer in self.answers:
            pair = min(answer.i, answer.j), max(answer.i, answer.j)
            grades = given.setdefault(pair, [])
            if answer.grade is not None:
                grades.append(answer.grade)
        return {p: float(np.mean(g)) if g else None for p, g in given.items()}

    def pairs(self) -> PairSet:
        """Return the answers that were not skipped."""
        told = [(a.i, a.j, a.grade) for a in self.answers if a.grade is not None]
        i, j, grade = zip(*told, strict=True) if told else ((), (), ())
        return PairSet(i, j, grade, self.n_samples)

    def ask(self, i: int, j: int, reason: str) -> Generator[Question, None, float]:
        """Ask about a pair unless it was asked; return its grade, 0 if unknown."""
        if self.is_open(i, j):
            yield Question(i, j, reason)
        return self.grades().get((min(i, j), max(i, j))) or 0.0

    def is_open(self, i: int, j: int) -> bool:
        """Tell whether a pair can be asked: two samples, and not asked before."""
        pair = min(i, j), max(i, j)
        return i != j and pair not in self.pending and pair not in self.grades()

    def asked_rows(self) -> set[int]:
        """Return all rows that were in a question."""
        return {row for answer in self.answers for row in (answer.i, answer.j)}

    def squared_distances(self, rows: Ints, to: Ints | list[int]) -> Floats:
        """Return squared distances of shape (n_rows, n_to)."""
        A, B = self.X[rows], self.X[to]
        squares = (A**2).sum(axis=1)[:, None] + (B**2).sum(axis=1)
        return np.asarray(np.maximum(squares - 2.0 * A @ B.T, 0.0))


def draw_candidates(n_samples: int, rng: np.random.Generator) -> Ints:
    """Return all rows, or a random part of them if there are many."""
    if n_samples <= MOST_CANDIDATES:
        return np.arange(n_samples)
    return np.sort(rng.choice(n_samples, MOST_CANDIDATES, replace=False))
