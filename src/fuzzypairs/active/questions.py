"""The questions of one person: a strategy, random pairs among it, and repeats."""

from collections.abc import Callable

import numpy as np

from fuzzypairs._typing import Floats
from fuzzypairs.active.exploration import explore_consolidate, min_max, npu
from fuzzypairs.active.placement import placement
from fuzzypairs.active.pool import (
    Answer,
    Pool,
    Proposals,
    Question,
    draw_candidates,
    ordered,
)
from fuzzypairs.active.random_pairs import random_pairs
from fuzzypairs.active.super_instances import cobras
from fuzzypairs.pairs import PairSet
from fuzzypairs.validation import (
    check_choice,
    check_integer,
    check_number,
    naming,
    read_array,
    read_generator,
)

STRATEGIES: dict[str, Callable[[Pool], Proposals]] = {
    "auto": placement,
    "random": random_pairs,
    "explore-consolidate": explore_consolidate,
    "min-max": min_max,
    "npu": npu,
    "cobras": cobras,
}
# Strategies whose next question follows from answers and model alone.
WITHOUT_STATE = ("auto", "random")
# One question in so many is a random pair, whatever the strategy.
RANDOM_EVERY = 10
# No question is repeated before so many answers, and none of the last few.
REPEAT_AFTER, NOT_OF_LAST = 15, 10


class Questions:
    """Choose the next pair to ask, from the answers so far and a given model.

    It fits no model, so that asking takes milliseconds (`Session` does both).

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Centred, of total variance one. "auto" and "random" use its length only.
    n_clusters : int or None, default=None
        None if it is not known.
    strategy : str, default="auto"
        See `Session`.
    seed : int, default=0
    repeats : float, default=0.0
        Share of the questions that repeat an earlier one with its sides exchanged.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzypairs.active.questions import Questions
    >>> questions = Questions(np.zeros((3, 0)))
    >>> sorted(question.pair for question in questions.pop(5))
    [(0, 1), (0, 2), (1, 2)]
    """

    def __init__(
        self,
        X: Floats,
        n_clusters: int | None = None,
        strategy: str = "auto",
        seed: int = 0,
        *,
        repeats: float = 0.0,
    ) -> None:
        X = read_array("X", X, ensure_min_features=0, ensure_all_finite=False)
        if n_clusters is not None:
            check_integer("n_clusters", n_clusters, 1)
        rng = read_generator(seed, "seed")
        self._strategy = check_choice("strategy", strategy, tuple(STRATEGIES))
        self._repeats = check_number("repeats", repeats, 0.0, 1.0)
        self._rng, self._seed = np.random.default_rng(rng.integers(2**63)), seed
        self.pool = Pool(
            X=X,
            n_clusters=n_clusters,
            memberships=np.empty((len(X), 0)),
            candidates=draw_candidates(len(X), rng),
            rng=rng,
        )
        self._n_popped = 0
        self._popped: set[tuple[int, int]] = set()
        self._start()

    @property
    def pairs(self) -> PairSet:
        """The answers so far, with those of grade 0 and without skipped ones."""
        return self.pool.pairs()

    def pop(self, n: int = 1) -> list[Question]:
        """Return up to n questions; none if nothing is left to ask.

        Parameters
        ----------
        n : int, default=1
        """
        check_integer("n", n, 0)
        found: list[Question] = []
        while len(found) < n and (question := self._next()) is not None:
            self._n_popped += 1
            self._popped.add(question.pair)
            self.pool.pending.add(question.pair)
            found.append(question)
        return found

    def mark(self, i: int, j: int, grade: float | None) -> None:
        """Take an answer, to a question or to any other pair; None for a skipped one.

        Parameters
        ----------
        i, j : int
        grade : float or None
        """
        pair = self._pair(i, j)
        if grade is not None and not abs(check_number("grade", grade, -1.0)) <= 1:
            raise ValueError(f"grade is {grade}, expected a number from -1 to 1")
        self.pool.add(Answer(i, j, grade))
        # A strategy that went on meanwhile did so without this answer.
        went_on = len(self.pool.pending - {pair}) > 0
        self.pool.pending.discard(pair)
        if went_on or pair not in self._popped:
            self._restart()

    def take_back(self, i: int, j: int) -> Answer | None:
        """Take back the last answer about a pair; return it, or None if there is none.

        Parameters
        ----------
        i, j : int
        """
        pair = self._pair(i, j)
        for place in reversed(range(len(self.pool.answers))):
            answer = self.pool.answers[place]
            if ordered(answer.i, answer.j) == pair:
                self.pool.take_back(place)
                self._restart()
                return answer
        return None

    def inform(self, memberships: Floats) -> None:
        """Take the memberships of a new model.

        Parameters
        ----------
        memberships : ndarray of shape (n_samples, n_clusters)
        """
        U = read_array("memberships", memberships)
        if len(U) != self.pool.n_samples:
            raise ValueError(
                f"memberships has {len(U)} rows but X has {self.pool.n_samples}"
            )
        self.pool.memberships = U

    def leave_out(self, rows: set[int]) -> None:
        """Ask no more about some rows.

        Parameters
        ----------
        rows : set of int
        """
        with naming("rows"):
            self.pool.left_out = {self._row("rows", row) for row in rows}

    def _pair(self, i: int, j: int) -> tuple[int, int]:
        """Return two different rows in increasing order."""
        if self._row("i", i) == self._row("j", j):
            raise ValueError(f"i and j are both {i}, expected two rows")
        return ordered(i, j)

    def _row(self, name: str, row: int) -> int:
        if check_integer(name, row, 0) >= self.pool.n_samples:
            raise ValueError(f"{name}: {row}, but X has {self.pool.n_samples} rows")
        return row

    def _start(self) -> None:
        self._proposals = STRATEGIES[self._strategy](self.pool)

    def _restart(self) -> None:
        """Begin a strategy anew that went on with other answers.

        It has the same draws, so that it comes to the same samples again, and passes
        over what was answered.
        """
        if self._strategy not in WITHOUT_STATE:
            self.pool.rng = np.random.default_rng(self._seed)
            self._start()

    def _next(self) -> Question | None:
        if self._repeats and self._rng.random() < self._repeats:
            again = self._repeat()
            if again is not None:
                return again
        is_control = self._n_popped % RANDOM_EVERY == RANDOM_EVERY - 1
        control = random_pairs(self.pool, self._rng)
        sources = [self._proposals, control]
        for source in reversed(sources) if is_control else sources:
            for question in source:
                if self.pool.is_open(question.i, question.j):
                    return self._in_random_order(question)
        return None

    def _in_random_order(self, question: Question) -> Question:
        """Return the question with its sides drawn at random."""
        i, j = question.pair
        if self._rng.random() < 0.5:
            i, j = j, i
        return Question(i, j, question.reason, question.is_random)

    def _repeat(self) -> Question | None:
        """Return an answered question with its sides exchanged, if there is one."""
        answers = self.pool.answers
        early = answers[:-NOT_OF_LAST] if len(answers) >= REPEAT_AFTER else []
        open_ = [a for a in early if not self.pool.left_out & {a.i, a.j}]
        if not open_:
            return None
        answer = open_[self._rng.integers(len(open_))]
        return Question(answer.j, answer.i, "asked before, to measure consistency")
