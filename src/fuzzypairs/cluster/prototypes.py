"""The base of all estimators whose clusters have prototypes."""

import copy
import warnings
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import repeat
from math import isfinite
from operator import attrgetter
from typing import Any, Literal, Self

import numpy as np
from numpy.linalg import LinAlgError
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
)
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from fuzzypairs import _core
from fuzzypairs._typing import Floats, Labels
from fuzzypairs.cluster.checked import (
    CheckedData,
    in_units,
    read_data,
    read_samples,
    require_finite,
    store,
)
from fuzzypairs.cluster.defaults import (
    LARGEST_BETA,
    alphas_to_try,
    auto_fuzzifier,
    gain_at,
    share_for,
)
from fuzzypairs.cluster.notes import Note, Outcome, notes_on
from fuzzypairs.exceptions import FuzzyPairsWarning
from fuzzypairs.pairs import PairSet
from fuzzypairs.pairs.propagation import Propagation
from fuzzypairs.solvers.any_metric import SpacePasses
from fuzzypairs.solvers.collapse import are_one, coincident, labels_apart
from fuzzypairs.solvers.free import memberships_of
from fuzzypairs.solvers.fused import FusedPasses
from fuzzypairs.solvers.problem import Problem
from fuzzypairs.solvers.result import RunResult
from fuzzypairs.solvers.start import Init, Start, is_deterministic, resolve_start
from fuzzypairs.spaces.metrics import Metric, resolve_metric
from fuzzypairs.spaces.moments import mean_and_variance
from fuzzypairs.spaces.space import Space
from fuzzypairs.spaces.vectors import Euclidean
from fuzzypairs.threads import Threads, one_blas_thread
from fuzzypairs.validation import (
    check_choice,
    check_integer,
    check_jobs,
    check_number,
    check_seed,
    check_weights,
)

__all__ = ["PrototypeClusterer"]

# Up to this many new rows are processed by one thread.
SMALL = 4096
# Runs that end at one minimum differ in their objectives by about this share.
ROUNDING = 1e-12
OVERFLOWN = (
    "the fit of X left the range of float64; scale the columns of X to about one, and "
    "check metric_params, beta and sample_weight for extreme values"
)


@dataclass(frozen=True, eq=False)
class Found:
    """The result of a fit, before it is stored."""

    problem: Problem
    space: Space  # fitted
    best: RunResult
    runs: list[RunResult]
    memberships: Floats
    labels: Labels
    fuzzifier: float
    collapse_gain: float
    notes: list[Note]
    propagation: Propagation | None = None
    # Further fitted attributes of an estimator.
    attributes: dict[str, Any] = field(default_factory=dict)

    @property
    def n_clusters(self) -> int:
        """Number of clusters that survived."""
        return len(self.best.centers)


class PrototypeClusterer(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator
):
    """Fits eq. (5) in any space, and assigns new samples by its prototypes.

    Subclasses declare their parameters in ``__init__``; what they do not let users
    choose, they set as class attributes.
    """

    n_clusters: int
    alpha: float | Literal["auto"]
    beta: float | Literal["auto"]
    fuzzifier: float | Literal["auto"]
    metric: Metric
    metric_params: dict[str, Any] | None
    init: Init
    n_init: int
    max_iter: int
    tol: float
    group_solver: Literal["sweeps", "exact"] = "sweeps"
    random_state: int | np.random.RandomState | None
    n_jobs: int | None
    verbose: int
    # With larger ones, powers of small memberships underflow.
    _largest_fuzzifier: float = 10.0
    # The share of the diagonal of eq. (18) that counts: 1 in the paper. No parameter:
    # variants of the model set it, see `fuzzypairs.solvers.problem.Graph.of`.
    diagonal_share: float = 1.0
    # Whether X may be sparse, if the metric accepts it.
    _accepts_sparse: bool = True
    # Whether steps are those of Algorithm 1, see `fuzzypairs.solvers.collapse`.
    _is_algorithm_1: bool = True

    def fit(
        self,
        X: ArrayLike,
        y: object = None,
        *,
        pairs: Any = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Find clusters of X under the judgements `pairs`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data; float32 is not copied, and computations are in float64.
        y : ignored
        pairs : PairSet, triples (i, j, grade), array, sparse matrix or DataFrame
            Judgements of rows of X; see `PairSet.coerce`. None: no judgements.
        sample_weight : array-like of shape (n_samples,), default=None
            Sample weights. A weight of 2 is equivalent to a repeated row, a weight of 0
            to a missing one, without its judgements.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        self._check_parameters()
        space = resolve_metric(self.metric, self.metric_params)
        sparse = self._accepts_sparse and space.accepts_sparse
        data = read_data(
            type(self), X, pairs, sample_weight, space, accepts_sparse=sparse
        )
        # The core has threads of its own; all else must not depend on those of BLAS.
        is_core = type(space) is Euclidean and self._is_algorithm_1
        is_core = is_core and not getattr(self, "propagate", False)
        try:
            # The result is looked at in the end, whatever users want raised before.
            with (
                np.errstate(all="ignore"),
                nullcontext() if is_core else one_blas_thread(),
            ):
                notes = self._fit_checked(data, space)
        except LinAlgError as error:  # of values that are not finite
            raise ValueError(OVERFLOWN) from error
        for message, category in notes:
            warnings.warn(message, category, stacklevel=2)
        return self

    def _fit_checked(self, data: CheckedData, space: Space) -> list[Note]:
        """Fit and store; return warnings."""
        found = self._solve(data, space)
        self._store(data, found)
        return found.notes

    def _solve(self, data: CheckedData, space: Space) -> Found:
        """Run from every start, and return the best."""
        X, weight, pairs = data.X, data.weight, data.pairs
        # Comparisons with integers of NumPy would return booleans of NumPy.
        k = int(self.n_clusters)
        k = min(k, X.shape[0]) if isinstance(self.init, str) else k
        random_state = check_seed(self.random_state)
        threads = Threads(self.n_jobs)
        space = space.fit(X, weight, random_state=random_state, threads=threads)
        if isinstance(space, Euclidean) and not sparse.issparse(space.X):
            mean, spread = mean_and_variance(space.X, weight)
        else:
            mean, spread = None, space.spread()
        if spread is not None and not isfinite(spread):
            raise ValueError(OVERFLOWN)
        fuzzifier = self.fuzzifier
        decides = isinstance(self.alpha, str) or isinstance(fuzzifier, str)
        share = share_for(space, weight, mean, decides)
        if isinstance(fuzzifier, str):
            # The exact solver needs squared memberships.
            fuzzifier = 2.0 if self.group_solver == "exact" else auto_fuzzifier(share)
        fuzzifier = float(fuzzifier)
        # Fused passes need squared memberships and dense samples.
        is_fused = mean is not None and fuzzifier == 2.0
        spread = spread if is_fused else spread or 1.0
        alphas = alphas_to_try(self.alpha, share, k, fuzzifier)
        problem = self._problem(
            space, data, k, alphas[0], threads, mean, spread, fuzzifier
        )
        # Starts are chosen where distances are Euclidean, if possible.
        seen = space.X if isinstance(space, Euclidean) else X
        starts = []
        for _ in range(1 if is_deterministic(self.init) else self.n_init):
            start = resolve_start(
                self.init,
                X if callable(self.init) else seen,
                k,
                pairs=pairs,
                sample_weight=weight,
                random_state=random_state,
                space=None if is_fused else space,
                n_threads=problem.passes.n_threads,
            )
            starts.append(start)
        for alpha in alphas:
            if alpha != problem.alpha:
                problem = replace(problem, alpha=alpha)
            runs = self._run(problem, starts, pairs)
            objectives = np.fromiter(map(attrgetter("objective"), runs), np.float64)
            least = objectives.min()
            # The first of those that rounding alone sets apart.
            chosen = runs[(objectives <= least + ROUNDING * abs(least)).argmax()]
            if len(chosen.centers) == k:
                break
        best = self._finished(problem, chosen, pairs)
        memberships = self._memberships(problem, best)
        if not (
            isfinite(best.objective)
            and np.isfinite(best.centers).all()
            and np.isfinite(memberships).all()
        ):
            raise ValueError(OVERFLOWN)
        labels, are_split = _core.largest_columns(memberships), False
        together = coincident(problem, best, memberships)
        if together and self._is_algorithm_1 and are_one(problem, best, together):
            labels, are_split = labels_apart(problem, best, memberships), True
        k = len(best.centers)
        gain = gain_at(problem.alpha, share, k, fuzzifier)
        notes: list[Note] = list(
            zip(space.notes, repeat(FuzzyPairsWarning), strict=False)
        )
        if not best.converged or together or k < self.n_clusters:
            run = best.converged, best.n_iter, k, problem.alpha, fuzzifier
            notes += notes_on(self, Outcome(*run, share, gain, together, are_split))
        return Found(
            problem, space, best, runs, memberships, labels, fuzzifier, gain, notes
        )

    def _problem(
        self,
        space: Space,
        data: CheckedData,
        k: int,
        alpha: float,
        threads: Threads,
        mean: Floats | None,
        spread: float,
        fuzzifier: float,
        make: partial[Any] | None = None,
    ) -> Problem:
        """Return the problem in a space; with fused passes if it is a dense table.

        `make` makes other passes.
        """
        beta = spread
        if not isinstance(self.beta, str):
            beta = min(float(self.beta) * data.unit**2, LARGEST_BETA)
        if make is None:
            make = partial(SpacePasses, space, fuzzifier, spread)
            if mean is not None and fuzzifier == 2.0:
                make = partial(FusedPasses, space.X, mean, spread)
        return Problem.over(
            partial(make, n_clusters=k, threads=threads),
            data.weight,
            data.pairs,
            alpha=alpha,
            beta=beta,
            tol=float(self.tol),
            max_iter=int(self.max_iter),
            is_exact=self.group_solver == "exact",
            own=self.diagonal_share,
        )

    def _run(
        self, problem: Problem, starts: list[Start], pairs: PairSet
    ) -> list[RunResult]:
        return problem.passes.run(problem, starts)

    def _finished(self, problem: Problem, best: RunResult, pairs: PairSet) -> RunResult:
        """Return the best run after a final step."""
        return best

    def _memberships(self, problem: Problem, best: RunResult) -> Floats:
        """Return the memberships of all samples, shape (n_samples, n_clusters)."""
        memberships = problem.passes.free_memberships(best.centers)
        memberships[problem.constrained] = best.constrained
        return memberships

    def _store(self, data: CheckedData, found: Found) -> None:
        best, unit = found.best, data.unit
        if self.verbose:
            self._print_runs(found.runs, unit)
        store(self, **data.names)
        self._unit = unit
        self._space, self._prototypes = found.space.trimmed(best.centers)
        if self._space.explicit:
            self.cluster_centers_ = self._space.points(best.centers) / unit
        self.memberships_, self.labels_ = found.memberships, found.labels
        self.n_clusters_ = len(best.centers)
        self.alpha_, self.beta_ = found.problem.alpha, found.problem.beta / unit**2
        self.fuzzifier_ = found.fuzzifier
        self.objective_ = best.objective / unit**2
        self.objective_history_ = best.history / unit**2
        self.n_clusters_history_ = best.n_clusters_history
        self.n_iter_ = best.n_iter
        self.converged_ = best.converged
        self.collapse_gain_ = found.collapse_gain
        for name, value in found.attributes.items():
            setattr(self, name, value)

    def _print_runs(self, runs: list[RunResult], unit: float) -> None:
        for number, run in enumerate(runs, start=1):
            end = "converged" if run.converged else "not converged"
            print(
                f"Run {number} of {len(runs)}: objective {run.objective / unit**2:.6g} "
                f"with {len(run.centers)} clusters, {end} after {run.n_iter} passes"
            )

    @np.errstate(all="ignore")
    def predict_proba(self, X: ArrayLike) -> Floats:
        """Return the memberships of new samples, eq. (14), without judgements.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        memberships : ndarray of shape (n_samples, n_clusters_)
        """
        return self._memberships_at(self._distances(X))

    def predict(self, X: ArrayLike) -> Labels:
        """Return the cluster of the largest membership of each new sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        return np.asarray(self.predict_proba(X).argmax(axis=1))

    @np.errstate(all="ignore")
    def transform(self, X: ArrayLike) -> Floats:
        """Return the distances of samples to the prototypes.

        In Euclidean and kernel spaces they are the square roots of the terms of the
        objective, for "cosine" one minus the cosine.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        distances : ndarray of shape (n_samples, n_clusters_)
        """
        distance = self._distances(X)
        return np.asarray(self._space.natural(distance) / self._unit)

    @np.errstate(all="ignore")
    def score(
        self,
        X: ArrayLike,
        y: object = None,
        *,
        pairs: Any = None,
        sample_weight: ArrayLike | None = None,
    ) -> float:
        """Return minus eq. (5) at the prototypes, with the memberships predicted for X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored
        pairs : PairSet and other forms, see `fit`
        sample_weight : array-like of shape (n_samples,), default=None

        Returns
        -------
        score : float
            Higher is better.
        """
        distance = self._distances(X)
        U = self._memberships_at(distance)
        weight = check_weights(sample_weight, len(U))
        judged = PairSet.coerce(pairs, len(U)).merged.informative
        values = ((U**self.fuzzifier_ - self.alpha_) * distance).sum(axis=1)
        objective = values.sum() if weight is None else weight @ values
        left, right, s = U[judged.i], U[judged.j], judged.grade
        alike = 0.5 * s * ((left - right) ** 2).sum(axis=1)
        unlike = -s * (left * right).sum(axis=1)
        costs = np.where(s > 0, alike, unlike).sum()
        return -float(objective / self._unit**2 + self.beta_ * costs)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        space = resolve_metric(self.metric, self.metric_params)
        tags.input_tags.sparse = self._accepts_sparse and space.accepts_sparse
        tags.input_tags.pairwise = space.pairwise
        return tags

    @property
    def _n_features_out(self) -> int:
        return self.n_clusters_

    def _check_parameters(self) -> None:
        check_integer("n_clusters", self.n_clusters, 1)
        for name, below in (("alpha", 1.0), ("beta", np.inf)):
            value = getattr(self, name)
            if isinstance(value, str):
                check_choice(name, value, ["auto"])
            else:
                check_number(name, value, 0.0, below, words=["auto"])
        if isinstance(self.fuzzifier, str) and self.fuzzifier == "auto":
            fuzzifier = 2.0
        else:
            fuzzifier = check_number("fuzzifier", self.fuzzifier, 1.0, words=["auto"])
        largest = self._largest_fuzzifier
        if not 1.0 < fuzzifier <= largest:
            raise ValueError(
                f"fuzzifier must be above 1 and at most {largest:g}, got "
                f"{self.fuzzifier}; for hard clusters use scikit-learn's KMeans"
            )
        check_integer("n_init", self.n_init, 1)
        check_integer("max_iter", self.max_iter, 1)
        check_number("tol", self.tol, 0.0)
        check_choice("group_solver", self.group_solver, ["sweeps", "exact"])
        if self.group_solver == "exact" and fuzzifier != 2.0:
            raise ValueError(
                'group_solver="exact" solves quadratic programmes, which need '
                f"fuzzifier=2, got {self.fuzzifier}"
            )
        check_jobs(self.n_jobs)
        check_integer("verbose", self.verbose, 0)

    def _distances(self, X: ArrayLike) -> Floats:
        """Return the terms of the objective for new samples, in units of the fit."""
        check_is_fitted(self)
        sparse = self._accepts_sparse and self._space.accepts_sparse
        given = read_samples(self, X, self._space, accepts_sparse=sparse, reset=False)
        data = in_units(given, self._unit)
        space = copy.copy(self._space)
        space.threads = Threads(self.n_jobs if data.shape[0] > SMALL else 1)
        is_core = type(space) is Euclidean
        with nullcontext() if is_core else one_blas_thread():
            out = space.between(data, self._prototypes)
        return require_finite(out)

    def _memberships_at(self, distance: Floats) -> Floats:
        return memberships_of(distance, self.fuzzifier_)

    def _why_vanished(self, n_left: int, alpha: float) -> str | None:
        """Return why clusters vanished, or None if that was intended."""
        return (
            f"alpha={alpha:.3g} requires more support than they had, or there were too "
            "few samples; lower alpha to get more clusters"
        )
