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

from fuzzypairs._typing import Floats, Ints, Progress
from fuzzypairs.cluster.verdict import HeldOut
from fuzzypairs.criteria import fuzzy_silhouette, pair_agreement
from fuzzypairs.pairs import PairSet
from fuzzypairs.pairs.consistency import (
    balanced_share,
    mean_known,
    satisfied,
)
from fuzzypairs.pairs.folds import Folds, Split
from fuzzypairs.selection.candidates import AUTOMATIC, Candidate, last_step
from fuzzypairs.selection.choice import contributions, standard_error
from fuzzypairs.threads import Threads
from fuzzypairs.validation import check_function

# A subsample keeps this part of the rows: enough for the same clusters, too few for
# the same fit.
SUBSAMPLE = 0.8


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
    tie_break : float
        Orders equal scores: the rank correlation of overlaps and grades, or the fuzzy
        silhouette.
    n_clusters : float
        Clusters found, the median of its fits.
    seconds : ndarray of shape (n_splits,)
        Time of the fits.
    automatic : dict
        What "auto" would be, where that is known.
    held_out : HeldOut or None
        What its fits say of judgements that were held out.
    """

    scores: Floats
    score: float
    added: Floats
    error: float
    tie_break: float
    n_clusters: float
    seconds: Floats
    automatic: dict[str, float] = field(default_factory=dict)
    failure: Exception | None = None
    held_out: HeldOut | None = None


class Runner:
    """Runs the fits of a search on a pool of threads.

    Parameters
    ----------
    progress : callable or None
        Called as ``progress(done, total)`` after each fit.

    Attributes
    ----------
    total : int
        Number of fits, see `expect`.
    """

    def __init__(
        self,
        X: Any,
        weight: Floats | None,
        threads: Threads,
        progress: Progress | None = None,
    ) -> None:
        if progress is not None:
            check_function("progress", progress, "done", "total")
        self.X, self.weight, self.total = X, weight, 0
        self._threads, self._progress = threads, progress
        self._done, self._lock = 0, Lock()

    def expect(self, n_fits: int) -> None:
        """Announce how many more fits there will be."""
        self.total = self._done + n_fits

    def run(self, function: Callable[..., Any], jobs: Sequence[Any]) -> list[Any]:
        """Return what `function` returns for each job, or the error it raised."""

        def guarded(*job: Any) -> Any:
            try:
                return function(*job)
            except Exception as error:  # a setting that fails does not end a search
                return error
            finally:
                with self._lock:
                    self._done += 1
                    if self._progress is not None:
                        self._progress(self._done, self.total)

        return self._threads.map(guarded, jobs)


def hold_out_trials(
    candidates: list[Candidate], folds: Folds, runner: Runner
) -> list[Trial]:
    """Score candidates by the judgements that their fits did not see.

    Notes
    -----
    A candidate of `FDC` starts where the automatic one without
    judgements ended, found once from several starts: nothing held out leaks into it,
    and the fits of many alphas and betas need no starts of their own. A candidate that
    takes no judgements is fitted once for all splits.

    A judgement is satisfied or not by the labels of its samples. The area under the ROC
    curve of overlaps u_p.u_q chose worse settings: it rewards their order within
    clusters, where no judgement asks for any.
    """
    X, weight, pairs = runner.X, runner.weight, folds.pairs
    n_splits = len(folds.splits)
    tests = np.array([split.test for split in folds.splits])
    whole = Split(pairs, np.ones(len(pairs), bool))
    splits_of = [folds.splits if one.uses_pairs else [whole] for one in candidates]
    first_of = {one.start_key: one for one in candidates if one.accepts_start}
    runner.expect(len(first_of) + sum(map(len, splits_of)))

    def fit_start(candidate: Candidate) -> Any:
        none = PairSet.empty(X.shape[0])
        return last_step(candidate.automatic.fit(X, none, weight))

    fitted = runner.run(fit_start, [(one,) for one in first_of.values()])
    starts = dict(zip(first_of, fitted, strict=True))

    def fit_split(
        candidate: Candidate, split: Split
    ) -> tuple[Floats, float, int, float]:
        start = getattr(starts.get(candidate.start_key), "labels_", None)
        model, seconds = timed_fit(candidate, X, split.train, weight, start)
        labels = np.asarray(model.labels_)
        result = getattr(model, "memberships_", noise_to_singletons(labels))
        correlation = pair_agreement(pairs.select(split.test), result, method="rank")
        met = satisfied(together(model, pairs), pairs.grade)
        return met, correlation, count_clusters(labels), seconds

    jobs = [
        (one, split)
        for one, splits in zip(candidates, splits_of, strict=True)
        for split in splits
    ]
    outcomes = iter(runner.run(fit_split, jobs))
    trials = []
    for candidate, splits in zip(candidates, splits_of, strict=True):
        own = [next(outcomes) for _ in splits]
        if error := first_error(own):
            trials.append(failed(n_splits, int(folds.unit.max()) + 1, error))
            continue
        met, correlation, n_clusters, seconds = map(np.array, zip(*own, strict=True))
        met = np.where(tests, met, np.nan)
        scores = balanced_share(met, pairs.grade)
        added, excess = contributions(met, pairs.grade, folds.unit)
        start = starts.get(candidate.start_key)
        alone = (
            together(start, pairs)
            if hasattr(start, "labels_")
            else np.full(len(pairs), np.nan)
        )
        share = mean_known(met)
        sees = np.where(pairs.grade > 0, share, 1.0 - share)
        trials.append(
            Trial(
                scores=scores,
                score=float(mean_known(scores)),
                added=added,
                error=standard_error(excess),
                tie_break=float(mean_known(correlation)),
                n_clusters=float(np.median(n_clusters)),
                seconds=np.broadcast_to(seconds, n_splits),
                automatic={
                    name: getattr(start, f"{name}_")
                    for name in AUTOMATIC
                    if hasattr(start, f"{name}_")
                },
                held_out=HeldOut(pairs, sees, alone),
            )
        )
    return trials


def stability_trials(
    candidates: list[Candidate],
    pairs: PairSet,
    n_splits: int,
    rng: np.random.Generator,
    runner: Runner,
) -> list[Trial]:
    """Score candidates by how alike their fits to subsamples are, and how compact.

    Notes
    -----
    The score is the mean of two numbers that are 1 at best: the adjusted Rand index
    between the fit to all rows and fits to 80 % of them, averaged over subsamples, and
    the fuzzy silhouette of the fit to all rows. Stability alone favours few
    clusters, compactness alone does not see that a partition is arbitrary. Without a
    table of numbers to take distances in, stability alone counts; one cluster for all
    scores 0.
    """
    X, weight = runner.X, runner.weight
    n_samples = X.shape[0]
    size = max(2, int(SUBSAMPLE * n_samples))
    subsamples = [
        np.sort(rng.choice(n_samples, size, replace=False)) for _ in range(n_splits)
    ]
    runner.expect(len(candidates) * (1 + n_splits))

    def fit_all(candidate: Candidate) -> tuple[Ints, float]:
        model = candidate.fit(X, pairs, weight)
        return np.asarray(last_step(model).labels_), silhouette(X, model)

    references = runner.run(fit_all, [(one,) for one in candidates])

    def fit_subsample(
        candidate: Candidate, reference: Any, rows: Ints
    ) -> tuple[float, float]:
        if isinstance(reference, Exception):
            raise reference
        model, seconds = timed_fit(
            candidate,
            take_rows(X, rows, candidate),
            pairs.restrict(rows),
            None if weight is None else weight[rows],
        )
        return adjusted_rand_score(reference[0][rows], model.labels_), seconds

    jobs = [
        (one, reference, rows)
        for one, reference in zip(candidates, references, strict=True)
        for rows in subsamples
    ]
    outcomes = iter(runner.run(fit_subsample, jobs))
    trials = []
    for reference in references:
        own = [next(outcomes) for _ in subsamples]
        if error := first_error(own):
            trials.append(failed(n_splits, n_splits, error))
            continue
        scores, seconds = map(np.array, zip(*own, strict=True))
        labels, compactness = reference
        n_clusters = count_clusters(labels)
        if n_clusters < 2:
            scores = np.zeros(n_splits)
        n_parts = 1 if np.isnan(compactness) else 2
        trials.append(
            Trial(
                scores=scores,
                score=float((scores.mean() + np.nan_to_num(compactness)) / n_parts),
                added=scores / (n_splits * n_parts),
                error=float(scores.std(ddof=1)) / np.sqrt(n_splits) / n_parts,
                tie_break=compactness,
                n_clusters=float(n_clusters),
                seconds=seconds,
            )
        )
    return trials


def failed(n_splits: int, n_units: int, error: Exception) -> Trial:
    """Return the trial of a candidate that could not be fitted."""
    unknown = np.full(n_splits, np.nan)
    nan = float("nan")
    return Trial(unknown, nan, np.zeros(n_units), nan, nan, nan, unknown, failure=error)


def first_error(outcomes: list[Any]) -> Exception | None:
    """Return the first outcome that is an error, if there is one."""
    return next((one for one in outcomes if isinstance(one, Exception)), None)


def timed_fit(candidate: Candidate, *arguments: Any) -> tuple[Any, float]:
    """Fit a candidate; return its clusterer, and the seconds it took."""
    start = time.perf_counter()
    model = candidate.fit(*arguments)
    return last_step(model), time.perf_counter() - start


def together(model: Any, pairs: PairSet) -> Floats:
    """Return 1 where the labels of a fit are the same, and 0 where they are not."""
    labels = noise_to_singletons(np.asarray(model.labels_))
    return np.asarray(labels[pairs.i] == labels[pairs.j], dtype=np.float64)


def count_clusters(labels: Ints) -> int:
    """Count the clusters that have samples; -1 is none."""
    return len(np.unique(labels[labels >= 0]))


def noise_to_singletons(labels: Ints) -> Ints:
    """Give each sample in no cluster (-1) a label of its own: it is alike to none."""
    n_labels = int(labels.max(initial=-1)) + 1
    return np.where(labels < 0, n_labels + np.arange(labels.size), labels)


def silhouette(X: Any, model: Any) -> float:
    """Return the fuzzy silhouette of a fit in what its clusterer sees of X.

    NaN where that is no table of numbers, or where there is one cluster.
    """
    if isinstance(model, Pipeline) and len(model) > 1:
        X = model[:-1].transform(X)
    method = last_step(model)
    is_table = isinstance(X, np.ndarray) and X.dtype.kind in "iuf"
    if not is_table or get_tags(method).input_tags.pairwise:
        return float("nan")
    U = getattr(method, "memberships_", None)
    if U is None:
        labels = noise_to_singletons(method.labels_)
        U = np.eye(len(X))[np.unique(labels, return_inverse=True)[1]]
        U = U[:, U.any(axis=0)]
    return fuzzy_silhouette(X, U) if U.shape[1] > 1 else float("nan")


def take_rows(X: Any, rows: Ints, candidate: Candidate) -> Any:
    """Return some rows of X, and the same columns where it is samples by samples."""
    is_pairwise = get_tags(candidate.method).input_tags.pairwise
    if hasattr(X, "iloc"):
        return X.iloc[rows, rows] if is_pairwise else X.iloc[rows]
    X = X.tocsr() if hasattr(X, "tocsr") else X
    return X[rows][:, rows] if is_pairwise else X[rows]
