"""What all estimators share whose clusters have prototypes."""

import copy
import warnings
from collections.abc import Iterator
from typing import Any, Literal, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags, check_array
from sklearn.utils.validation import check_is_fitted, validate_data

from fuzzypairs._typing import Floats
from fuzzypairs.cluster.defaults import (
    BETA_SHARE,
    GAINS,
    alpha_at,
    auto_beta,
    gain_at,
    leading_share,
    parting_fuzzifier,
)
from fuzzypairs.cluster.units import in_units, is_plain, unit_of
from fuzzypairs.exceptions import (
    ClustersVanishedWarning,
    FuzzyPairsWarning,
    PrototypesCoincideWarning,
)
from fuzzypairs.kernels.rows import first_near_rows, largest_places
from fuzzypairs.kernels.weights import memberships_of
from fuzzypairs.pairs import PairSet
from fuzzypairs.solvers.any_metric import SpaceSolver
from fuzzypairs.solvers.mem import APART, Solver
from fuzzypairs.solvers.result import MemResult
from fuzzypairs.spaces.metrics import Metric, resolve_metric
from fuzzypairs.spaces.moments import is_sparse
from fuzzypairs.spaces.space import Space
from fuzzypairs.spaces.vectors import Euclidean
from fuzzypairs.starts.start import Init, Start, is_deterministic, resolve_start
from fuzzypairs.threads import Threads, cut, over_ranges
from fuzzypairs.validation import (
    check_choice,
    check_integer,
    check_jobs,
    check_number,
    check_seed,
    check_weights,
)

__all__ = ["PrototypeClusterer"]

Note = tuple[str, type[Warning]]

# Of more rows, some tell the gain well enough where no alpha depends on it.
LOOK_AT = 5000
# Nor are more than this many products of features needed where one does.
MOMENT_UP_TO = 500_000_000
# Prototypes closer than this share of the data's spread, over the number of clusters
# (on a line they are that close by right), count as one.
COINCIDENT = 0.02


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
    fuzzifier: float
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
    # Beyond it a judgement moves what a power of small memberships no longer sees.
    _largest_fuzzifier: float = 10.0
    # Which cost alike samples have, see `fuzzypairs.solvers.groups.build_graph`.
    _own: float = 1.0

    def _fit(self, X: Any, pairs: Any, sample_weight: ArrayLike | None) -> Self:
        """Fit, and say what users should know; return self."""
        for message, category in self._fit_quietly(X, pairs, sample_weight):
            warnings.warn(message, category, stacklevel=3)
        return self

    def _fit_quietly(
        self, X: Any, pairs: Any, sample_weight: ArrayLike | None
    ) -> list[Note]:
        """Check everything, run from every start, keep the best; return warnings."""
        k = self._check_parameters()
        space = resolve_metric(self.metric, self.metric_params)
        # On a blank model: a fit that fails leaves this one as it was.
        blank = type(self)()
        given = self._validated(X, space, blank, reset=True)
        weight = check_weights(sample_weight, given.shape[0])
        pairs = self._as_used(PairSet.coerce(pairs, given.shape[0]))
        unit = unit_of(given) if type(space) is Euclidean else 1.0
        data = in_units(given, unit)
        pairs, spread = self._spread(data, pairs, weight)
        if isinstance(self.init, str):
            k = min(k, data.shape[0])
        random_state = check_seed(self.random_state)
        with Threads(self.n_jobs) as threads:
            space = space.fit(data, weight, random_state=random_state, threads=threads)
            share = self._share(space, weight)
            alphas = self._alphas(share, k)
            solver = self._solver(space, weight, pairs, k, unit, alphas[0], threads)
            # Seeds are looked for where distances are Euclidean, if that is anywhere.
            seen = space.X if isinstance(space, Euclidean) else data
            starts = [
                resolve_start(
                    self.init,
                    data if callable(self.init) else seen,
                    k,
                    pairs=pairs,
                    sample_weight=weight,
                    random_state=random_state,
                    space=space if isinstance(solver, SpaceSolver) else None,
                )
                for _ in range(1 if is_deterministic(self.init) else self.n_init)
            ]
            for alpha in alphas:
                solver = solver.with_alpha(alpha)
                results = self._run(solver, starts, pairs, threads)
                objectives = [result.objective for result in results]
                chosen = objectives.index(min(objectives))
                if len(results[chosen].centers) == k:
                    break
            best = self._finished(solver, results[chosen], pairs)
            memberships = self._memberships(solver, best)
            kept = space.trimmed(best.centers)
            together = coincident(best, memberships, solver)
            labels = most_likely(memberships)
            is_lost = together is not None and self._are_lost(best, together, space)
            if is_lost:
                labels = solver.labels_apart(starts[chosen], best)
        self._report(results, unit)
        self._forget()
        learned = {n: v for n, v in blank.__dict__.items() if n.endswith("_in_")}
        self.__dict__.update(learned | spread)
        self._unit = unit
        self._space, self._prototypes = kept
        self.alpha_ = solver.alpha
        self.beta_ = solver.beta / unit**2
        self.memberships_, self.labels_ = memberships, labels
        self._store(best)
        sizes = self.n_clusters_, float(self.fuzzifier)
        self.collapse_gain_ = gain_at(self.alpha_, share, *sizes)
        return [
            *((note, FuzzyPairsWarning) for note in space.notes),
            *self._notes(best, together, is_lost, share),
        ]

    def _forget(self) -> None:
        """Drop what an earlier fit has left, since this one may not have all of it.

        What ends otherwise is not from a fit: pipelines keep notes on a model.
        """
        for name in [name for name in vars(self) if name.endswith("_")]:
            delattr(self, name)

    def _as_used(self, pairs: PairSet) -> PairSet:
        """Return the judgements as the method takes them."""
        return pairs

    def _spread(
        self, X: Any, pairs: PairSet, weight: Floats | None
    ) -> tuple[PairSet, dict[str, Any]]:
        """Return judgements with what follows from them, and attributes to keep."""
        return pairs, {}

    def _run(
        self, solver: Solver, starts: list[Start], pairs: PairSet, threads: Threads
    ) -> list[MemResult]:
        return solver.run_all(starts, threads)

    def _finished(self, solver: Solver, best: MemResult, pairs: PairSet) -> MemResult:
        """Do what is done once, to the best run."""
        return best

    def _memberships(self, solver: Solver, best: MemResult) -> Floats:
        return solver.memberships(best)

    def _solver(
        self,
        space: Space,
        weight: Floats | None,
        pairs: PairSet,
        k: int,
        unit: float,
        alpha: float,
        threads: Threads,
    ) -> Solver:
        """Return the engine for a space: fused passes where there are any for it."""
        options: dict[str, Any] = {
            "alpha": alpha,
            "beta": self._beta(space, weight, unit),
            "n_clusters": k,
            "tol": self.tol,
            "max_iter": self.max_iter,
            "group_solver": self.group_solver,
            "threads": threads,
            "own": self._own,
        }
        if self._is_fused(space):
            mean = cast(Euclidean, space).origin
            return Solver(space.X, weight, pairs, mean=mean, **options)
        fuzzifier = float(self.fuzzifier)
        return SpaceSolver(space, weight, pairs, fuzzifier=fuzzifier, **options)

    def _beta(self, space: Space, weight: Floats | None, unit: float) -> float:
        if not isinstance(self.beta, str):
            return float(self.beta) * unit**2
        if self._is_fused(space):
            return auto_beta(space.X, weight)
        return BETA_SHARE * space.spread()

    def _is_fused(self, space: Space) -> bool:
        euclidean = isinstance(space, Euclidean) and not is_sparse(space.X)
        return euclidean and self.fuzzifier == 2.0

    def _has_labels_apart(self, space: Space) -> bool:
        """Tell whether the run can be walked again for labels from before its end."""
        return self._is_fused(space)

    def _are_lost(
        self, best: MemResult, together: tuple[int, int], space: Space
    ) -> bool:
        """Tell whether labels of two prototypes are rounding and could be found."""
        gap = np.diff(best.centers[list(together)], axis=0)
        is_one = bool(np.linalg.norm(gap) < APART * best.spread)
        return is_one and self._has_labels_apart(space)

    def _alphas(self, share: float | None, k: int) -> list[float]:
        """Return the values of alpha to try until no cluster vanishes."""
        if not isinstance(self.alpha, str):
            return [float(self.alpha)]
        # One prototype has none to part from.
        if share is None or k == 1:
            return [0.0]
        tried = [alpha_at(gain, share, k, self.fuzzifier) for gain in GAINS]
        return [*(alpha for alpha in tried if alpha > 0.0), 0.0]

    def _share(self, space: Space, weight: Floats | None) -> float | None:
        """Return what decides when prototypes part; None where it is not known."""
        if not self._is_fused(space):
            return space.leading_share()
        n_rows, n_features = space.X.shape
        enough = LOOK_AT
        if isinstance(self.alpha, str):
            enough = max(LOOK_AT, MOMENT_UP_TO // n_features**2)
        step = 1 if weight is not None else -(-n_rows // enough)
        rows = np.ascontiguousarray(space.X[::step])
        return leading_share(rows, weight)

    def predict_proba(self, X: ArrayLike) -> Floats:
        """Return the memberships of new samples, eq. (14); no judgement acts on them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        memberships : ndarray of shape (n_samples, n_clusters_)
        """
        distance = self._distances(X)
        out = np.empty_like(distance)
        spans = over_ranges(cut(len(out), 4096))
        with Threads(self.n_jobs if len(spans) > 1 else 1) as threads:
            calls = [(distance, float(self.fuzzifier), out, *span) for span in spans]
            threads.map(memberships_of, calls)
        return out

    def predict(self, X: ArrayLike) -> NDArray[np.intp]:
        """Return the cluster of the largest membership of each new sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        return most_likely(self.predict_proba(X))

    def transform(self, X: ArrayLike) -> Floats:
        """Return the distances of samples to the prototypes.

        They are those of the metric as it is known: in Euclidean and kernel spaces
        the roots of what the objective adds up, for "cosine" one minus the cosine.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        distances : ndarray of shape (n_samples, n_clusters_)
        """
        distance = self._distances(X)
        return np.asarray(self._space.natural(distance) / self._unit)

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
        U = self.predict_proba(X)
        distance = self._distances(X) / self._unit**2
        weight = check_weights(sample_weight, len(U))
        judged = PairSet.coerce(pairs, len(U)).informative
        values = ((U**self.fuzzifier - self.alpha_) * distance).sum(axis=1)
        objective = values.sum() if weight is None else weight @ values
        left, right, s = U[judged.i], U[judged.j], judged.grade
        alike = 0.5 * s * ((left - right) ** 2).sum(axis=1)
        unlike = -s * (left * right).sum(axis=1)
        return -float(objective + self.beta_ * np.where(s > 0, alike, unlike).sum())

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        space = resolve_metric(self.metric, self.metric_params)
        tags.input_tags.sparse = self._takes_sparse(space)
        tags.input_tags.pairwise = space.pairwise
        return tags

    @property
    def _n_features_out(self) -> int:
        return self.n_clusters_

    def _check_parameters(self) -> int:
        k = check_integer("n_clusters", self.n_clusters, 1)
        if not isinstance(self.alpha, str):
            check_number("alpha", self.alpha, 0.0, 1.0, words=["auto"])
        else:
            check_choice("alpha", self.alpha, ["auto"])
        if not isinstance(self.beta, str):
            check_number("beta", self.beta, 0.0, words=["auto"])
        else:
            check_choice("beta", self.beta, ["auto"])
        fuzzifier = check_number("fuzzifier", self.fuzzifier, 1.0)
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
        return k

    def _takes_sparse(self, space: Space) -> bool:
        return space.accepts_sparse

    def _validated(self, X: Any, space: Space, model: Any, *, reset: bool) -> Any:
        options: dict[str, Any] = {
            "dtype": [np.float64, np.float32],
            "order": "C",
            "accept_sparse": "csr" if self._takes_sparse(space) else False,
        }
        if space.pairwise and not reset:
            # The space itself knows what columns new samples must have.
            return check_array(X, **options)
        if reset and is_plain(X):
            model.n_features_in_ = X.shape[1]
            return X
        return validate_data(model, X, **options, reset=reset)

    def _distances(self, X: ArrayLike) -> Floats:
        """Return what the objective adds up for new samples, in units inside."""
        check_is_fitted(self)
        given = self._validated(X, self._space, self, reset=False)
        data = in_units(given, self._unit)
        space = copy.copy(self._space)
        with Threads(self.n_jobs if data.shape[0] > 4096 else 1) as threads:
            space.threads = threads
            out = space.between(data, self._prototypes)
        is_finite = np.isfinite(out).all(axis=1)
        if not is_finite.all():
            raise ValueError(
                f"X[{is_finite.argmin()}] is so far from the prototypes that squared "
                "distances leave the range of float64; rescale X, or drop this row"
            )
        return out

    def _store(self, best: MemResult) -> None:
        unit2 = self._unit**2
        if self._space.explicit:
            self.cluster_centers_ = self._space.points(best.centers) / self._unit
        self.n_clusters_ = len(best.centers)
        self.objective_ = best.objective / unit2
        self.objective_history_ = best.history / unit2
        self.n_clusters_history_ = best.n_clusters_history
        self.n_iter_ = best.n_iter
        self.converged_ = best.converged

    def _report(self, results: list[MemResult], unit: float) -> None:
        if self.verbose:
            for number, result in enumerate(results, start=1):
                end = "converged" if result.converged else "not converged"
                print(
                    f"Run {number} of {len(results)}: objective "
                    f"{result.objective / unit**2:.6g} with "
                    f"{len(result.centers)} clusters, {end} after "
                    f"{result.n_iter} passes"
                )

    def _notes(
        self,
        best: MemResult,
        together: tuple[int, int] | None,
        is_lost: bool,
        share: float | None,
    ) -> Iterator[Note]:
        """Yield what users should know of a fit, with the kind of warning it is."""
        if not best.converged:
            yield (
                f"the best run did not converge in {best.n_iter} passes, with "
                f"max_iter={self.max_iter} and tol={self.tol:g}; raise one of them",
                ConvergenceWarning,
            )
        if self.n_clusters_ < self.n_clusters and (why := self._why_vanished()):
            yield (
                f"{self.n_clusters - self.n_clusters_} of n_clusters="
                f"{self.n_clusters} clusters vanished and {self.n_clusters_} are "
                f"left: {why}",
                ClustersVanishedWarning,
            )
        if together is not None:
            before = (
                ", and labels are those of the last step at which they were apart"
                if is_lost
                else ""
            )
            yield (
                f"the prototypes of clusters {together[0]} and {together[1]} "
                f"coincide, so their memberships mean nothing{before}; "
                f"{self._cure(share)}",
                PrototypesCoincideWarning,
            )

    def _cure(self, share: float | None) -> str:
        """Say what would part prototypes that coincide."""
        harder = parting_fuzzifier(share) if share else np.inf
        can_harden = "fuzzifier" in self.get_params() and harder < self.fuzzifier
        if not share or not self.collapse_gain_ < 1.0:
            lower = f", or fuzzifier to {harder:.3g}" if can_harden else ""
            return (
                "X may have fewer distinct groups, or the judgements pull them "
                f"together: lower n_clusters or beta{lower}"
            )
        k = self.n_clusters_
        critical = alpha_at(1.0, share, k, self.fuzzifier)
        # Where alpha is "auto", such values made clusters vanish.
        cures = (
            [] if isinstance(self.alpha, str) else [f"an alpha above {critical:.3g}"]
        )
        cures += [f"a fuzzifier of {harder:.3g}"] if can_harden else []
        return f"with n_clusters={k}, {' or '.join(cures)} would part them"

    def _why_vanished(self) -> str | None:
        return (
            f"alpha={self.alpha_:.3g} asks more support of a cluster than they had, or "
            "there were too few samples; lower alpha to keep more"
        )


def most_likely(memberships: Floats) -> NDArray[np.intp]:
    """Return the cluster of the largest membership of each sample."""
    labels = np.empty(len(memberships), dtype=np.intp)
    largest_places(memberships, labels)
    return labels


def coincident(
    best: MemResult, memberships: Floats, solver: Solver
) -> tuple[int, int] | None:
    """Return the first two prototypes that are one place, relative to the spread.

    Where prototypes are not points, two are one if all samples without judgements
    belong to both alike.
    """
    k = len(best.centers)
    if isinstance(solver, SpaceSolver):
        free = np.delete(memberships, solver.constrained, axis=0)
        places, nearest = free.T / np.sqrt(max(len(free), 1)), 2 * COINCIDENT / k**2
    else:
        places, nearest = best.centers, COINCIDENT * best.spread / k
    if not places.size:
        return None
    earlier, later = first_near_rows(np.ascontiguousarray(places), nearest)
    return (earlier, later) if later > 0 else None
