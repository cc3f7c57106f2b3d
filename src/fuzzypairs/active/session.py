"""A session of questions about pairs: what to ask next, and the model so far."""

import warnings
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning

from fuzzypairs.active.pool import Answer, Question
from fuzzypairs.active.questions import STRATEGIES, Questions
from fuzzypairs.cluster.guided import GuidedFDC
from fuzzypairs.exceptions import FuzzyPairsWarning
from fuzzypairs.pairs import PairSet
from fuzzypairs.spaces.moments import total_variance
from fuzzypairs.validation import (
    check_choice,
    check_flag,
    check_integer,
    check_number,
    read_array,
)

# The most clusters of a model if their number is not known.
MOST_CLUSTERS = 8


@dataclass(frozen=True)
class StopHint:
    """Whether to ask more; the same as the verdict of a fit to all answers.

    Attributes
    ----------
    n_answers : int
    agreement : float
        Share of held-out answers that the model agrees with; NaN if it is unknown.
    worth_asking : bool
    message : str
        A summary in words.

    Examples
    --------
    >>> from fuzzypairs.active import StopHint
    >>> StopHint(50, 0.9, True, "...").worth_asking
    True
    """

    n_answers: int
    agreement: float
    worth_asking: bool
    message: str


class Session:
    """Which pair to ask next, and the model of the answers so far.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The samples, scaled as for a fit.
    n_clusters : int or None, default=None
        The number of clusters; None if it is not known.
    strategy : str, default="auto"
        "auto", "random", "explore-consolidate", "min-max", "npu" or "cobras"; see
        Notes.
    random_state : int, default=0
        Seed of all draws.
    pairs : PairSet, triples or other forms, default=None
        Judgements that were made before; see `PairSet.coerce`.
    refit_every : int, default=5
        After so many answers the model is fitted again; 0 leaves that to `fit`.
    repeats : float, default=0.0
        Share of the questions that repeat an earlier one with its sides exchanged, to
        measure how consistent the answers are.
    in_background : bool, default=False
        Whether fits run in a thread of their own, so that `mark` returns at once.
        Questions then follow the last model that is ready, and depend on timing.

    Attributes
    ----------
    pairs : PairSet
        The answers so far. A pair with several answers has their mean.
    model_ : GuidedFDC or None
        The last model.

    Notes
    -----
    Whatever the strategy, every tenth question is a pair drawn at random: these alone
    measure agreement without bias. No pair is asked twice but for `repeats`.

    ======================  ==========================================================
    strategy                next question
    ======================  ==========================================================
    "auto"                  10 random pairs, then samples whose cluster is uncertain
                            against groups of judged ones; some placed ones again
    "random"                any pair
    "explore-consolidate"   samples far from all others until every cluster is found,
                            then random samples, against one sample of each cluster
    "min-max"               the same, then the sample least similar to those asked
    "npu"                   the same, then the sample whose cluster is least certain
                            for each question it takes
    "cobras"                parts of the data to split or to merge; needs no number of
                            clusters
    ======================  ==========================================================

    ``python -m experiments.active`` compares them, see docs/active.md.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from fuzzypairs.active import Session
    >>> X, y = make_blobs(60, centers=3, random_state=0)
    >>> session = Session(X, n_clusters=3)
    >>> for _ in range(20):
    ...     (question,) = session.pop()
    ...     alike = y[question.i] == y[question.j]
    ...     session.mark(question.i, question.j, 0.8 if alike else -0.8)
    >>> len(session.pairs)
    20
    """

    def __init__(
        self,
        X: ArrayLike,
        n_clusters: int | None = None,
        strategy: str = "auto",
        random_state: int = 0,
        *,
        pairs: Any = None,
        refit_every: int = 5,
        repeats: float = 0.0,
        in_background: bool = False,
    ) -> None:
        self.X = read_array(
            "X", X, dtype=[np.float64, np.float32], ensure_min_samples=2
        )
        if n_clusters is not None:
            check_integer("n_clusters", n_clusters, 2)
        check_choice("strategy", strategy, tuple(STRATEGIES))
        self.n_clusters, self.strategy = n_clusters, strategy
        self.random_state = check_integer("random_state", random_state, 0)
        self.refit_every = check_integer("refit_every", refit_every, 0)
        self.repeats = check_number("repeats", repeats, 0.0, 1.0)
        self.in_background = check_flag("in_background", in_background)
        self.model_: GuidedFDC | None = None
        self._fitting: Future[GuidedFDC] | None = None
        self._executor: ThreadPoolExecutor | None = None
        centred = self.X - self.X.mean(axis=0, dtype=np.float64)
        centred /= np.sqrt(total_variance(self.X, None) or 1.0)
        self._questions = Questions(
            centred, n_clusters, strategy, random_state, repeats=repeats
        )
        known = PairSet.coerce(pairs, len(self.X))
        for i, j, grade in known:
            self._questions.mark(i, j, grade)
        self._n_given = len(known)
        self.fit()

    @property
    def pairs(self) -> PairSet:
        """The answers so far, with those of grade 0 and without skipped ones."""
        return self._questions.pairs

    @property
    def n_answers(self) -> int:
        """Number of questions answered or skipped, and of judgements given before."""
        return len(self._questions.pool.answers)

    def pop(self, n: int = 1) -> list[Question]:
        """Return the next questions; fewer than `n`, or none, when all were asked.

        Parameters
        ----------
        n : int, default=1
            Number of questions. With more than one, later questions do not know the
            answers to the earlier ones.

        Returns
        -------
        questions : list of Question

        Examples
        --------
        >>> from fuzzypairs.active import Session
        >>> session = Session([[0.0], [1.0], [5.0]], n_clusters=2)
        >>> len(session.pop(10))  # three rows have three pairs
        3
        """
        self._take_model()
        return self._questions.pop(check_integer("n", n, 1))

    def mark(self, i: int, j: int, grade: float | None) -> None:
        """Store an answer, to a question or to any other pair.

        Parameters
        ----------
        i, j : int
            Rows of the two samples.
        grade : float or None
            From -1 (unlike) to 1 (alike); 0 is "can't say". None skips the question:
            it is not asked again.

        Examples
        --------
        >>> from fuzzypairs.active import Session
        >>> session = Session([[0.0], [1.0], [5.0]], n_clusters=2)
        >>> session.mark(0, 2, -0.9)
        >>> list(session.pairs)
        [(0, 2, -0.9)]
        """
        n_samples = len(self.X)
        # Read as judgements are, so that errors say what is wrong with them.
        read = PairSet([i], [j], [0.0 if grade is None else grade], n_samples)
        kept = None if grade is None else float(read.grade[0])
        self._questions.mark(int(i), int(j), kept)
        if self.refit_every and self.n_answers % self.refit_every == 0:
            self._refit()

    def undo(self) -> Answer | None:
        """Take back the last answer; return it, or None if there is none.

        Examples
        --------
        >>> from fuzzypairs.active import Session
        >>> session = Session([[0.0], [1.0], [5.0]], n_clusters=2)
        >>> session.mark(0, 2, -0.9)
        >>> session.undo()
        Answer(i=0, j=2, grade=-0.9)
        """
        answers = self._questions.pool.answers
        if len(answers) == self._n_given:
            return None
        return self._questions.take_back(answers[-1].i, answers[-1].j)

    def fit(self) -> GuidedFDC:
        """Return a model fitted to all answers so far.

        Examples
        --------
        >>> from fuzzypairs.active import Session
        >>> session = Session([[0.0], [1.0], [5.0], [6.0]], n_clusters=2)
        >>> session.fit().labels_.tolist() in ([0, 0, 1, 1], [1, 1, 0, 0])
        True
        """
        self.use(self._fit(self.pairs))
        assert self.model_ is not None
        return self.model_

    def use(self, model: GuidedFDC) -> None:
        """Let questions follow a model of the samples that was fitted elsewhere.

        Parameters
        ----------
        model : GuidedFDC
            Fitted to X.

        Examples
        --------
        >>> from fuzzypairs import GuidedFDC
        >>> from fuzzypairs.active import Session
        >>> X = [[0.0], [1.0], [5.0], [6.0]]
        >>> session = Session(X, n_clusters=2, refit_every=0)
        >>> session.use(GuidedFDC(2, random_state=1).fit(X, pairs=session.pairs))
        """
        memberships = getattr(model, "memberships_", None)
        if memberships is None:
            raise TypeError(
                f"model is a {type(model).__name__} without memberships_, expected a "
                "GuidedFDC that was fitted to the rows of this session"
            )
        if len(memberships) != len(self.X):
            raise ValueError(
                f"model was fitted to {len(memberships)} rows but X has "
                f"{len(self.X)}; fit it to the rows of this session"
            )
        self.model_ = model
        self._questions.inform(memberships)

    def stop_hint(self) -> StopHint:
        """Return whether more answers are worth it, by the verdict on all so far.

        Returns
        -------
        hint : StopHint

        Examples
        --------
        >>> from fuzzypairs.active import Session
        >>> session = Session([[0.0], [1.0], [5.0], [6.0]], n_clusters=2)
        >>> session.stop_hint().worth_asking
        True
        """
        pairs = self.pairs
        verdict = self._fit(pairs).verdict_
        found = verdict.with_judgements
        agreement = float("nan") if found is None else found.share
        message = " ".join(verdict.sentences)
        n = len(pairs.informative)
        return StopHint(n, agreement, verdict.worth_asking, message)

    def _fit(self, pairs: PairSet) -> GuidedFDC:
        k = self.n_clusters or min(MOST_CLUSTERS, len(self.X))
        model = GuidedFDC(k, random_state=self.random_state)
        with warnings.catch_warnings():
            # What few answers cannot do yet is said by `stop_hint`.
            for category in (FuzzyPairsWarning, ConvergenceWarning):
                warnings.simplefilter("ignore", category)
            return model.fit(self.X, pairs=pairs)

    def _refit(self) -> None:
        if not self.in_background:
            self.fit()
        elif self._fitting is None:
            self._executor = self._executor or ThreadPoolExecutor(1)
            self._fitting = self._executor.submit(self._fit, self.pairs)

    def _take_model(self) -> None:
        """Use the model that was fitted in the background, once it is ready."""
        if self._fitting is not None and self._fitting.done():
            self.use(self._fitting.result())
            self._fitting = None
