"""Settings chosen by held-out judgements: no labels needed."""

import time
import warnings
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, ClusterMixin, MetaEstimatorMixin
from sklearn.exceptions import ConvergenceWarning, FitFailedWarning
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from fuzzypairs._typing import Floats, Labels, Progress
from fuzzypairs.cluster.checked import restoring
from fuzzypairs.cluster.verdict import HeldOut, assess
from fuzzypairs.exceptions import (
    FewPairsWarning,
    FuzzyPairsWarning,
    UnusablePairsWarning,
)
from fuzzypairs.pairs import PairSet
from fuzzypairs.pairs.folds import hold_out
from fuzzypairs.selection.candidates import (
    Candidate,
    Grid,
    check_estimator,
    complexity,
    default_grid,
    last_step,
    list_candidates,
    read_rows,
)
from fuzzypairs.selection.choice import (
    SettingChoice,
    choose,
    explain_chance,
    explain_choice,
    explain_too_few,
    format_params,
)
from fuzzypairs.selection.trials import (
    Runner,
    Trial,
    hold_out_trials,
    stability_trials,
)
from fuzzypairs.threads import Threads, one_blas_thread
from fuzzypairs.validation import (
    check_flag,
    check_integer,
    check_jobs,
    check_seed,
    check_weights,
    naming,
)

MOST_SPLITS = 10_000


def _best_has(name: str) -> Callable[["PairSearchCV"], bool]:
    """Return a check whether the best estimator, or the one to fit, has a method."""

    def check(search: "PairSearchCV") -> bool:
        model = getattr(search, "best_estimator_", search.estimator)
        getattr(model, name)
        return True

    return check


class PairSearchCV(MetaEstimatorMixin, ClusterMixin, BaseEstimator):
    """Choose the number of clusters and other settings by held-out judgements.

    Every setting of the grid is fitted to all rows of X with a part of the judgements
    and scored on the others. The simplest setting that is not clearly worse than the
    best is taken, and refitted with all judgements.

    Parameters
    ----------
    estimator : estimator
        A clusterer, or a pipeline that ends in one. Its own `n_jobs` is not used.
    param_grid : dict or list of dicts, default=None
        Lists of values by parameter, as in scikit-learn's searches. None: the number
        of clusters from 2 to 8, and for `FDC` automatic and zero alpha and beta. The
        key "estimator" lists other clusterers to try, such as `FuzzyCMeans` or
        scikit-learn's KMeans; one that takes no judgements is fitted once.
    n_splits : int, default=4
        Number of folds, 2 or more.
    n_repeats : int, default=2
        How often the judgements are split into folds.
    refit : bool, default=True
        Whether to fit the setting that was taken with all judgements.
    random_state : int, RandomState instance or None, default=None
        Draws the folds, and seeds every estimator that has no seed of its own.
    n_jobs : int, default=None
        Number of threads, as in scikit-learn; it changes no result.
    verbose : int, default=0
        Above 0, prints the reason at the end; above 1, a line for each setting.

    Attributes
    ----------
    cv_results_ : dict of arrays of shape (n_settings,)
        "params" and "param_..." are the settings; "split0_test_score", ... the scores;
        "mean_test_score", "std_test_score" and "rank_test_score" theirs;
        "se_test_score" the standard error, "gap_to_best" and "se_gap_to_best" the gap
        and its error, "as_good" which settings the simplest was taken from.
        "mean_rank_correlation" is Spearman's correlation of overlaps u_p.u_q with
        held-out grades, "n_clusters" the median of the clusters found. "mean_fit_time"
        and "std_fit_time" are in seconds. A search by stability has "fuzzy_silhouette"
        instead of the rank correlation.
    best_index_, best_params_, best_score_
        The setting taken, and its mean score.
    best_estimator_ : estimator
        Fitted with all judgements, if `refit`; without any if they were unusable.
    verdict_ : Verdict
        What held-out judgements say of the setting taken.
    uses_pairs_ : bool
        False if judgements were unusable, see Notes.
    chosen_by_ : {"held-out pairs", "stability"}
    reason_ : str
        Why this setting was taken, in a sentence or two.
    n_splits_ : int
        Number of splits: folds times repeats.
    refit_time_ : float
        Seconds, if `refit`.
    labels_, memberships_, n_clusters_, n_features_in_
        Of `best_estimator_`.

    Warns
    -----
    FewPairsWarning
        If judgements are too few to hold some out.
    UnusablePairsWarning
        If no setting satisfies more held-out judgements than chance would.
    FitFailedWarning
        If some settings could not be fitted.

    See Also
    --------
    fuzzypairs.pairs.folds.hold_out : How judgements are split.
    fuzzypairs.selection.choice.choose : When a setting counts as good as the best.
    fuzzypairs.selection.candidates.complexity : Which of two settings is simpler.

    Notes
    -----
    The score of a split is the share of held-out judgements that labels satisfy,
    weighted by strength, averaged over alike and unlike ones:
    `fuzzypairs.criteria.pair_agreement` with ``method="balanced"``. Equal scores are
    ordered by the rank correlation.

    With fewer than 20 judgements other than 0, or fewer than `n_splits` of either kind,
    none are held out. Settings are scored by the mean of two numbers: how well fits to
    subsamples of 80 % of the rows agree with the fit to all (adjusted Rand index), and
    the fuzzy silhouette.

    If no setting satisfies more held-out judgements than chance (at the 1 % level),
    they are not used: settings are scored by stability without judgements, and the
    model is fitted without them.

    `GuidedFDC` chooses its number of clusters itself, by the likelihood of held-out
    judgements, which is better than a search: give it a range.

    scikit-learn's own searches hold out rows, which would leave judgements pointing at
    other rows than they were made of. They refuse a `PairSet`, which knows how many
    rows it was made for.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from fuzzypairs import FDC, PairSearchCV, PairSet
    >>> X, y = make_blobs([90, 60, 30], random_state=3)
    >>> pairs = PairSet.from_labels(y, n_pairs=40, random_state=0)
    >>> search = PairSearchCV(FDC(n_init=3), {"n_clusters": [2, 3, 4]}, random_state=0)
    >>> search = search.fit(X, pairs=pairs)
    >>> search.best_params_
    {'n_clusters': 3}
    >>> search.chosen_by_
    'held-out pairs'
    """

    def __init__(
        self,
        estimator: Any,
        param_grid: Grid | None = None,
        *,
        n_splits: int = 4,
        n_repeats: int = 2,
        refit: bool = True,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.param_grid = param_grid
        self.n_splits = n_splits
        self.n_repeats = n_repeats
        self.refit = refit
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @restoring
    def fit(
        self,
        X: Any,
        y: object = None,
        *,
        pairs: Any,
        sample_weight: ArrayLike | None = None,
        progress: Progress | None = None,
    ) -> Self:
        """Try all settings, and fit the chosen one.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored
        pairs : PairSet, triples (i, j, grade), array, sparse matrix or DataFrame
            Judgements of rows of X; see `PairSet.coerce`.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples in the fits.
        progress : callable, default=None
            Called as ``progress(done, total)`` after each fit.

        Returns
        -------
        self : PairSearchCV
        """
        check_integer("n_splits", self.n_splits, 2)
        check_integer("n_repeats", self.n_repeats, 1)
        if self.n_splits * self.n_repeats > MOST_SPLITS:
            raise ValueError(
                f"n_splits * n_repeats must be {MOST_SPLITS} or less, got "
                f"{self.n_splits} * {self.n_repeats}: every setting is fitted so often"
            )
        check_integer("verbose", self.verbose, 0)
        check_jobs(self.n_jobs)
        X = read_rows(X)
        judged = PairSet.coerce(pairs, X.shape[0])
        weight = check_weights(sample_weight, X.shape[0])
        seed, fold_seed = check_seed(self.random_state).randint(2**31 - 1, size=2)
        check_flag("refit", self.refit)
        check_estimator(self.estimator)
        grid = self.param_grid
        with naming("estimator"):
            grid = default_grid(self.estimator) if grid is None else grid
        with naming("param_grid"):
            candidates = list_candidates(self.estimator, grid, int(seed))
        if weight is not None:
            _check_weights_are_taken(candidates)
        rng = np.random.default_rng(int(fold_seed))
        too_few = explain_too_few(judged, self.n_splits)
        unusable = ""
        self.n_splits_ = self.n_splits * self.n_repeats
        shares_samples, used, held_out = False, judged, None
        # Around all fits, not each: filters and BLAS are shared by all threads.
        with warnings.catch_warnings(), one_blas_thread():
            warnings.simplefilter("ignore", FuzzyPairsWarning)
            warnings.simplefilter("ignore", ConvergenceWarning)
            runner = Runner(X, weight, Threads(self.n_jobs), progress)
            if too_few:
                trials = stability_trials(
                    candidates, judged, self.n_splits_, rng, runner
                )
            else:
                folds = hold_out(judged, self.n_splits, self.n_repeats, rng)
                shares_samples = folds.shares_samples
                trials = hold_out_trials(candidates, folds, runner)
                share = np.array([trial.score for trial in trials])
                held_out = _best_held_out(trials, share)
                if not np.isnan(share).all():
                    unusable = explain_chance(share, folds.pairs.grade)
            if unusable:
                used = PairSet.empty(X.shape[0])
                trials = stability_trials(candidates, used, self.n_splits_, rng, runner)
        self.chosen_by_ = "stability" if too_few or unusable else "held-out pairs"
        if failures := _describe_failures(candidates, trials):
            warnings.warn(failures, FitFailedWarning, stacklevel=3)
        if too_few:
            warnings.warn(
                f"{too_few}, so settings were scored by stability instead; judge more "
                "pairs to choose by them",
                FewPairsWarning,
                stacklevel=3,
            )
        if unusable:
            warnings.warn(
                f"{unusable}: judgements were not used, and settings were scored by "
                "stability; check whether 1 means alike, or judge more pairs",
                UnusablePairsWarning,
                stacklevel=3,
            )
        choice = _choose(candidates, trials)
        best = candidates[choice.taken]
        self.cv_results_ = _results(candidates, trials, choice, self.chosen_by_)
        self.best_index_ = choice.taken
        self.best_params_ = best.params
        self.best_score_ = trials[choice.taken].score
        if not unusable:
            held_out = trials[choice.taken].held_out
        unknown = np.full(len(judged.informative), np.nan)
        none = HeldOut(judged.informative, unknown, unknown)
        self.verdict_ = assess(held_out or none)
        self.uses_pairs_ = not unusable
        self.reason_ = explain_choice(
            choice,
            [one.params for one in candidates],
            self.best_score_,
            len(judged.informative),
            too_few or unusable,
        )
        if shares_samples and not unusable:
            self.reason_ += (
                " Many judgements are of few samples, so that held-out and training "
                "ones share samples: scores are too high."
            )
        if self.verbose > 1:
            for one, trial in zip(candidates, trials, strict=True):
                print(f"{trial.score:.3f}  {format_params(one.params)}")
        if self.verbose:
            print(self.reason_)
        self.__dict__.pop("best_estimator_", None)
        if self.refit:
            start = time.perf_counter()
            self.best_estimator_ = best.fit(X, used, weight, n_jobs=self.n_jobs)
            self.refit_time_ = time.perf_counter() - start
            # Its own verdict knows more than shares: how many judgements seem wrong.
            own = getattr(last_step(self.best_estimator_), "verdict_", None)
            if own is not None and self.uses_pairs_:
                self.verdict_ = own
        return self

    @available_if(_best_has("predict"))
    def predict(self, X: ArrayLike) -> Labels:
        """Return the clusters of new samples, by `best_estimator_`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        return np.asarray(self._best.predict(X))

    @available_if(_best_has("predict_proba"))
    def predict_proba(self, X: ArrayLike) -> Floats:
        """Return the memberships of new samples, by `best_estimator_`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        memberships : ndarray of shape (n_samples, n_clusters_)
        """
        return np.asarray(self._best.predict_proba(X))

    @available_if(_best_has("transform"))
    def transform(self, X: ArrayLike) -> Any:
        """Return the distances to prototypes, by `best_estimator_`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        distances : ndarray of shape (n_samples, n_clusters_)
        """
        return self._best.transform(X)

    @property
    def _best(self) -> Any:
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_

    @property
    def labels_(self) -> Labels:
        """Clusters of the samples, shape (n_samples,)."""
        return np.asarray(last_step(self.best_estimator_).labels_)

    @property
    def memberships_(self) -> Floats:
        """Memberships of the samples, shape (n_samples, n_clusters_)."""
        return np.asarray(last_step(self.best_estimator_).memberships_)

    @property
    def n_clusters_(self) -> int:
        """Number of clusters found."""
        return int(last_step(self.best_estimator_).n_clusters_)

    @property
    def n_features_in_(self) -> int:
        """Number of features of X."""
        return int(self.best_estimator_.n_features_in_)


def _best_held_out(trials: list[Trial], score: Floats) -> HeldOut | None:
    """Return what the highest score stands for."""
    return trials[int(np.nan_to_num(score, nan=-np.inf).argmax())].held_out


def _check_weights_are_taken(candidates: list[Candidate]) -> None:
    for one in candidates:
        if not has_fit_parameter(one.method, "sample_weight"):
            raise ValueError(
                f"sample_weight was given, but {type(one.method).__name__} takes none; "
                "leave sample_weight or this estimator out"
            )


def _describe_failures(candidates: list[Candidate], trials: list[Trial]) -> str:
    """Return which settings failed, "" if none did; raise if all did."""
    failures = [
        (one, trial.failure)
        for one, trial in zip(candidates, trials, strict=True)
        if trial.failure is not None
    ]
    if not failures:
        return ""
    one, error = failures[0]
    first = f"{format_params(one.params)}: {type(error).__name__}: {error}"
    if len(failures) == len(trials):
        raise ValueError(f"all settings failed; the first, {first}") from error
    return (
        f"{len(failures)} of {len(trials)} settings failed and were left out; the "
        f"first, {first}"
    )


def _choose(candidates: list[Candidate], trials: list[Trial]) -> SettingChoice:
    return choose(
        np.array([trial.score for trial in trials]),
        np.array([trial.added for trial in trials]),
        np.array([trial.tie_break for trial in trials]),
        np.array(
            [
                complexity(one, trial.n_clusters, trial.automatic)
                for one, trial in zip(candidates, trials, strict=True)
            ]
        ),
    )


def _results(
    candidates: list[Candidate],
    trials: list[Trial],
    choice: SettingChoice,
    chosen_by: str,
) -> dict[str, Any]:
    """Return `cv_results_`."""
    score = np.array([trial.score for trial in trials])
    scores = np.array([trial.scores for trial in trials])
    seconds = np.array([trial.seconds for trial in trials])
    failed = np.isnan(score)
    tie_break = (
        "mean_rank_correlation" if chosen_by == "held-out pairs" else "fuzzy_silhouette"
    )
    return {
        "params": [one.params for one in candidates],
        **_param_columns(candidates),
        **{f"split{s}_test_score": column for s, column in enumerate(scores.T)},
        "mean_test_score": score,
        "std_test_score": np.ma.masked_invalid(scores).std(axis=1).filled(np.nan),
        "se_test_score": np.array([trial.error for trial in trials]),
        "gap_to_best": np.where(failed, np.nan, choice.gap),
        "se_gap_to_best": np.where(failed, np.nan, choice.error),
        "as_good": choice.as_good,
        "rank_test_score": rankdata(
            np.where(failed, np.inf, -score), method="min"
        ).astype(np.int32),
        tie_break: np.array([trial.tie_break for trial in trials]),
        "n_clusters": np.array([trial.n_clusters for trial in trials]),
        "mean_fit_time": seconds.mean(axis=1),
        "std_fit_time": seconds.std(axis=1),
    }


def _param_columns(candidates: list[Candidate]) -> dict[str, Any]:
    """Return the values of each parameter, masked where a setting has none."""
    columns = {}
    for name in dict.fromkeys(name for one in candidates for name in one.params):
        blank = np.empty(len(candidates), dtype=object)
        column = np.ma.MaskedArray(blank, mask=True)
        for number, one in enumerate(candidates):
            if name in one.params:
                column[number] = one.params[name]
        columns[f"param_{name}"] = column
    return columns
