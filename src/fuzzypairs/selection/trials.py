"""Trials of candidates: their fits on a pool of threads, and what these scored."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

import numpy as np
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from fuzzypairs._typing import Floats, Ints
from fuzzypairs.criteria import fuzzy_silhouette, pair_agreement, pairs_held
from fuzzypairs.pairs import PairSet
from fuzzypairs.pairs.folds import Folds, Split, take
from fuzzypairs.selection.candidates import Candidate, last_step
from fuzzypairs.selection.choice import (
    contributions,
    mean_known,
    split_scores,
    standard_error,
)
from fuzzypairs.threads import Threads

__all__ = ["Bench", "Trial", "hold_out_trials", "stability_trials"]

Progress = Callable[[int, int], None]

# A subsample keeps this part of the rows: enough for the same clusters, too few for
# the same fit.
KEPT = 0.8


@dataclass(frozen=True, eq=False)
class Trial:
    """What one candidate scored; a failed one has only `failure`.

    Attributes
    ----------
    scores : ndarray of shape (n_splits,)
        Split by split.
    score : float
        What it is ranked by, higher is better.
    added : ndarray of shape (n_units,)
        What each independent unit adds to the score.
    error : float
        Standard error of the score.
    second : float
        Orders equal scores: the rank correlation of overlaps and grades, or the fuzzy
        silhouette.
    n_clusters : float
        Clusters found, the median of its fits.
    seconds : ndarray of shape (n_splits,)
        Time of the fits.
    automatic : dict
        What "auto" would be, where that is known.
    failure : Exception or None
    """

    scores: Floats
    score: float
    added: Floats
    error: float
    second: float
    n_clusters: float
    seconds: Floats
    automatic: dict[str, float] = field(default_factory=dict)
    failure: Exception | None = None


@dataclass(eq=False)
class Bench:
    """Where candidates are fitted: data, weights, threads, and who is told.

    Parameters
    ----------
    X : array, sparse matrix or frame of shape (n_samples, n_features)
    weight : ndarray of shape (n_samples,) or None
    threads : Threads
    progress : callable or None
        Called as ``progress(done, total)`` after each fit.
    total : int
        Number of fits.
    """

    X: Any
    weight: Floats | None
    threads: Threads
    progress: Progress | None = None
    total: int = 0

    def __post_init__(self) -> None:
        self._done, self._lock = 0, Lock()

    def run(self, function: Callable[..., Any], jobs: Sequence[Any]) -> list[Any]:
        """Return what `function` says of each job, or why it failed, in that order."""

        def guarded(*job: Any) -> Any:
            try:
                return function(*job)
            except Exception as error:  # a setting that fails does not end a search
                return error
            finally:
                with self._lock:
                    self._done += 1
                    if self.progress is not None:
                        self.progress(self._done, self.total)

        return self.threads.map(guarded, jobs)


def hold_out_trials(
    candidates: list[Candidate], folds: Folds, bench: Bench
) -> list[Trial]:
    """Score candidates by the judgements that their fits did not see.

    Notes
    -----
    A candidate of `FDC` begins where the automatic one without judgements ends, found
    once from all its starts: nothing held out leaks into a start, and the fits of many
    alphas and betas are spared their own. A candidate that takes no judgements is
    fitted once for all splits.
    """
    n_splits = len(folds.splits)
    leaders = {one.start: one for one in candidates if one.takes_a_start}
    jobs = [
        (one, folds.splits[split] if one.uses_pairs else None)
        for one in candidates
        for split in range(n_splits if one.uses_pairs else 1)
    ]
    bench.total = len(leaders) + len(jobs)

    def begin(one: Candidate) -> Any:
        none = PairSet.empty(bench.X.shape[0])
        return last_step(one.automatic.fit(bench.X, none, bench.weight))

    begun = bench.run(begin, [(one,) for one in leaders.values()])
    starts = dict(zip(leaders, begun, strict=True))

    def answer(one: Candidate, split: Split | None) -> tuple[Floats, float, int, float]:
        labels = getattr(starts.get(one.start), "labels_", None)
        train = folds.pairs if split is None else split.train
        model, seconds = timed(one, bench.X, train, bench.weight, labels)
        asked = np.ones(len(folds.pairs), bool) if split is None else split.test
        found = labels_of(model)
        held = np.where(asked, pairs_held(folds.pairs, apart(found)), np.nan)
        result = getattr(model, "memberships_", apart(found))
        second = pair_agreement(take(folds.pairs, asked), result, method="rank")
        return held, second, count_clusters(found), seconds

    answers = iter(bench.run(answer, jobs))
    trials = []
    for one in candidates:
        own = [next(answers) for _ in range(n_splits if one.uses_pairs else 1)]
        if error := next((a for a in own if isinstance(a, Exception)), None):
            trials.append(failed(n_splits, int(folds.unit.max()) + 1, error))
            continue
        held, second, n_clusters, seconds = map(np.array, zip(*own, strict=True))
        if not one.uses_pairs:
            tests = np.array([split.test for split in folds.splits])
            held = np.where(tests, held, np.nan)
            seconds = np.repeat(seconds, n_splits)
        scores = split_scores(held, folds.pairs.grade)
        added, excess = contributions(held, folds.pairs.grade, folds.unit)
        start = starts.get(one.start)
        trials.append(
            Trial(
                scores,
                float(mean_known(scores)),
                added,
                standard_error(excess),
                float(mean_known(second)),
                float(np.median(n_clusters)),
                seconds,
                {
                    name: getattr(start, f"{name}_")
                    for name in ("alpha", "beta")
                    if hasattr(start, f"{name}_")
                },
            )
        )
    return trials


def stability_trials(
    candidates: list[Candidate],
    pairs: PairSet,
    n_splits: int,
    rng: np.random.Generator,
    bench: Bench,
) -> list[Trial]:
    """Score candidates by how alike their fits to subsamples are, and how compact.

    Notes
    -----
    The score is the mean of two numbers that are 1 at best: the adjusted Rand index
    between the fit to all rows and fits to 80 % of them, averaged over subsamples, and
    the fuzzy silhouette of the fit to all rows. Stability alone favours few
    clusters, compactness alone does not see that a partition is arbitrary. Without a
    table of numbers to take distances in, stability alone counts; one cluster for all
    is worth 0.
    """
    n_samples = bench.X.shape[0]
    size = max(2, int(KEPT * n_samples))
    subsets = [
        np.sort(rng.choice(n_samples, size, replace=False)) for _ in range(n_splits)
    ]
    bench.total = len(candidates) * (1 + n_splits)

    def refer(one: Candidate) -> tuple[Any, float, int]:
        model = one.fit(bench.X, pairs, bench.weight)
        seen = prepared(bench.X, model)
        found = labels_of(last_step(model))
        return found, silhouette(seen, one, last_step(model)), count_clusters(found)

    references = bench.run(refer, [(one,) for one in candidates])

    def compare(one: Candidate, reference: Any, rows: Ints) -> tuple[float, float]:
        if isinstance(reference, Exception):
            raise reference
        weight = None if bench.weight is None else bench.weight[rows]
        model, seconds = timed(
            one, rows_of(bench.X, rows, one), pairs.restrict(rows), weight
        )
        alike = adjusted_rand_score(reference[0][rows], labels_of(model))
        return alike, seconds

    jobs = [
        (one, reference, rows)
        for one, reference in zip(candidates, references, strict=True)
        for rows in subsets
    ]
    answers = iter(bench.run(compare, jobs))
    trials = []
    for reference in references:
        own = [next(answers) for _ in subsets]
        if error := next((a for a in own if isinstance(a, Exception)), None):
            trials.append(failed(n_splits, n_splits, error))
            continue
        scores, seconds = map(np.array, zip(*own, strict=True))
        _, compact, n_clusters = reference
        if n_clusters < 2:
            scores = np.zeros(n_splits)
        parts = 1 if np.isnan(compact) else 2
        trials.append(
            Trial(
                scores,
                float(scores.mean() if parts == 1 else (scores.mean() + compact) / 2),
                scores / (n_splits * parts),
                float(scores.std(ddof=1)) / np.sqrt(n_splits) / parts,
                compact,
                float(n_clusters),
                seconds,
            )
        )
    return trials


def failed(n_splits: int, n_units: int, error: Exception) -> Trial:
    """Return the trial of a candidate that could not be fitted."""
    blank, nothing = np.full(n_splits, np.nan), float("nan")
    return Trial(
        scores=blank,
        score=nothing,
        added=np.zeros(n_units),
        error=nothing,
        second=nothing,
        n_clusters=nothing,
        seconds=blank,
        failure=error,
    )


def timed(one: Candidate, *given: Any) -> tuple[Any, float]:
    """Fit a candidate; return its clusterer, and the seconds it took."""
    start = time.perf_counter()
    model = one.fit(*given)
    return last_step(model), time.perf_counter() - start


def labels_of(model: Any) -> Ints:
    """Return the labels of a fitted clusterer."""
    return np.asarray(model.labels_)


def count_clusters(labels: Ints) -> int:
    """Count the clusters that have samples; -1 is none."""
    return len(np.unique(labels[labels >= 0]))


def apart(labels: Ints) -> Ints:
    """Give each sample in no cluster, -1, a label of its own: it is alike to none.

    Examples
    --------
    >>> import numpy as np
    >>> apart(np.array([0, -1, 0, -1])).tolist()
    [0, 2, 0, 4]
    """
    n_labels = int(labels.max(initial=-1)) + 1
    return np.where(labels < 0, n_labels + np.arange(labels.size), labels)


def prepared(X: Any, model: Any) -> Any:
    """Return X as the clusterer at the end of a pipeline sees it."""
    has_steps = isinstance(model, Pipeline) and len(model) > 1
    return model[:-1].transform(X) if has_steps else X


def silhouette(X: Any, one: Candidate, model: Any) -> float:
    """Return the fuzzy silhouette of a fit; NaN where X is no table of numbers."""
    is_table = isinstance(X, np.ndarray) and X.dtype.kind in "iuf"
    if not is_table or get_tags(one.method).input_tags.pairwise:
        return float("nan")
    U = getattr(model, "memberships_", None)
    if U is None:
        labels = np.unique(apart(labels_of(model)), return_inverse=True)[1]
        U = np.eye(int(labels.max()) + 1)[labels]
    return fuzzy_silhouette(X, U) if U.shape[1] > 1 else float("nan")


def rows_of(X: Any, rows: Ints, one: Candidate) -> Any:
    """Return some rows of X, and the same columns where it is samples by samples."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    X = X.tocsr() if hasattr(X, "tocsr") else X
    return X[rows][:, rows] if get_tags(one.method).input_tags.pairwise else X[rows]
