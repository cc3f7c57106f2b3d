"""What strategies know: the samples, the answers so far, and the last model."""

from collections import Counter
from collections.abc import Generator
from dataclasses import dataclass, field

import numpy as np

from fuzzypairs._typing import Floats, Ints
from fuzzypairs.pairs import PairSet
from fuzzypairs.pairs.answer_groups import Groups, group_samples

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
        return ordered(self.i, self.j)


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
    answers : list of Answer
        In the order they came; `add` and `take_back` change it.
    pending : set of tuple of int
        Pairs that were asked and wait for an answer.
    left_out : set of int
        Rows that nothing is asked about.
    """

    X: Floats
    n_clusters: int | None
    memberships: Floats
    candidates: Ints
    rng: np.random.Generator
    answers: list[Answer] = field(default_factory=list)
    pending: set[tuple[int, int]] = field(default_factory=set)
    left_out: set[int] = field(default_factory=set)
    # Grades of each pair answered, without those of skipped questions.
    _given: dict[tuple[int, int], list[float]] = field(default_factory=dict)
    _groups: Groups | None = None

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return len(self.X)

    def add(self, answer: Answer) -> None:
        """Take an answer."""
        self.answers.append(answer)
        grades = self._given.setdefault(ordered(answer.i, answer.j), [])
        if answer.grade is not None:
            grades.append(answer.grade)
            self._groups = None

    def take_back(self, place: int) -> Answer:
        """Remove the answer at a place of `answers`, and return it."""
        answer = self.answers.pop(place)
        pair = ordered(answer.i, answer.j)
        rest = [a for a in self.answers if ordered(a.i, a.j) == pair]
        del self._given[pair]
        if rest:
            self._given[pair] = [a.grade for a in rest if a.grade is not None]
        self._groups = None
        return answer

    def grade(self, i: int, j: int) -> float:
        """Return the mean grade of a pair; 0 if it is not known."""
        grades = self._given.get(ordered(i, j))
        return float(np.mean(grades)) if grades else 0.0

    def pairs(self) -> PairSet:
        """Return the answers that were not skipped."""
        told = [(a.i, a.j, a.grade) for a in self.answers if a.grade is not None]
        i, j, grade = zip(*told, strict=True) if told else ((), (), ())
        return PairSet(i, j, grade, self.n_samples)

    def groups(self) -> Groups:
        """Return the samples that answers put together, and those they keep apart."""
        if self._groups is None:
            self._groups = group_samples(self.pairs(), self.n_clusters)
        return self._groups

    def ask(self, i: int, j: int, reason: str) -> Generator[Question, None, float]:
        """Ask about a pair unless it was asked; return its grade, 0 if unknown."""
        if self.is_open(i, j):
            yield Question(i, j, reason)
        return self.grade(i, j)

    def is_open(self, i: int, j: int) -> bool:
        """Tell whether a pair can be asked: two samples, and not asked before."""
        pair = ordered(i, j)
        is_asked = pair in self.pending or pair in self._given
        return i != j and not is_asked and not self.left_out & {i, j}

    @property
    def n_asked(self) -> int:
        """Number of pairs that were asked, answered or not."""
        return len(self._given) + len(self.pending)

    def untouched(self) -> Ints:
        """Return the candidates that were in no question."""
        is_free = np.ones(self.n_samples, dtype=bool)
        is_free[[*self.asked_rows(), *self.left_out]] = False
        return self.candidates[is_free[self.candidates]]

    def asked_rows(self) -> set[int]:
        """Return all rows that were in a question, answered or not."""
        return set(self.questions_of_rows())

    def questions_of_rows(self) -> Counter[int]:
        """Return the number of questions of each row."""
        return Counter(row for pair in (*self._given, *self.pending) for row in pair)

    def squared_distances(self, rows: Ints, to: Ints | list[int]) -> Floats:
        """Return squared distances of shape (n_rows, n_to)."""
        A, B = self.X[rows], self.X[to]
        squares = (A**2).sum(axis=1)[:, None] + (B**2).sum(axis=1)
        return np.asarray(np.maximum(squares - 2.0 * A @ B.T, 0.0))


def ordered(i: int, j: int) -> tuple[int, int]:
    """Return two rows in increasing order."""
    return (i, j) if i < j else (j, i)


def draw_candidates(n_samples: int, rng: np.random.Generator) -> Ints:
    """Return all rows, or a random part of them if there are many."""
    if n_samples <= MOST_CANDIDATES:
        return np.arange(n_samples)
    return np.sort(rng.choice(n_samples, MOST_CANDIDATES, replace=False))
