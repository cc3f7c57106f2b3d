"""Fuzzy discriminant clustering under graded pairs (FDC)."""

import warnings
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from fuzzypairs.defaults import auto_alpha, auto_beta, critical_alpha
from fuzzypairs.exceptions import ClustersVanishedWarning, PrototypesCoincideWarning
from fuzzypairs.kernels.rows import row_distances, row_memberships
from fuzzypairs.pairs import PairSet
from fuzzypairs.solvers.mem import MemResult, Solver
from fuzzypairs.solvers.threads import Threads, cut, over_ranges
from fuzzypairs.starts import Init, is_deterministic, resolve_start
from fuzzypairs.validation import (
    check_choice,
    check_integer,
    check_jobs,
    check_number,
    check_seed,
    check_weights,
)

__all__ = ["FDC"]

Data = NDArray[np.floating[Any]]
Floats = NDArray[np.float64]

# Data of other magnitudes are brought to about one first, so that no square and no
# product of distances leaves the range of float64.
PLAIN_MAGNITUDES = (1e-15, 1e15)
# Objectives of other magnitudes are out of that range themselves.
MAGNITUDES = (1e-151, 1e151)
# Prototypes closer than this share of the data's spread, over the number of clusters
# (on a line they are that close by right), count as one.
COINCIDENT = 0.02


class FDC(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator
):
    """Fuzzy discriminant clustering guided by graded judgements of pairs.

    Finds memberships U (rows on the simplex) and prototypes C that minimise

        sum_ij w_i (u_ij^2 - alpha) |x_i - c_j|^2 + beta * sum_pairs cost(u_p, u_q),

        cost = s/2 |u_p - u_q|^2 for s >= 0 (alike), -s u_p.u_q for s < 0 (unlike),

    where s in [-1, 1] is how strongly a person finds two samples alike or unlike.
    With no judgements and ``alpha=0`` this is fuzzy c-means.

    Parameters
    ----------
    n_clusters : int, default=8
        The most clusters; those that lose their support vanish.
    alpha : float in [0, 1) or "auto", default="auto"
        Threshold from which a squared membership attracts a prototype; below it, it
        repels. "auto" takes the value at which prototypes just part, see
        `fuzzypairs.defaults`.
    beta : float >= 0 or "auto", default="auto"
        Weight of the judgements against squared distances. "auto" takes the total
        variance of X.
    fuzzifier : float, default=2.0
        Exponent of the memberships; only 2 for now.
    metric : str, default="euclidean"
        Only "euclidean" for now.
    metric_params : dict, default=None
        Parameters of the metric; "euclidean" has none.
    init : str, array-like or callable, default="k-means++"
        "k-means++"; "random": random labels, as in the paper; "pair-graph": the
        nearest-neighbour graph cut along the judgements; labels of shape
        (n_samples,); memberships of shape (n_samples, n_clusters); or a callable
        ``(X, n_clusters, random_state) -> labels or memberships``.
    n_init : int, default=10
        Number of starts; the lowest objective is kept. A start without chance is
        made once.
    max_iter : int, default=300
        The most passes over the data in one run.
    tol : float, default=1e-4
        A run ends when prototypes move less than this, relative to the spread of the
        data, and memberships under judgements change less.
    group_solver : {"sweeps", "exact"}, default="sweeps"
        How groups of samples joined by judgements are solved. "exact" proves the
        optimum of small groups (up to 8 samples) by SCIP; it needs
        ``fuzzypairs[exact]``.
    random_state : int, RandomState instance or None, default=None
        Decides the starts.
    n_jobs : int, default=None
        Number of threads, as in scikit-learn; it changes no result.
    verbose : int, default=0
        Above 0, a line for each run.

    Attributes
    ----------
    memberships_ : ndarray of shape (n_samples, n_clusters_)
        Rows are >= 0 and sum to 1.
    labels_ : ndarray of shape (n_samples,)
        The cluster of the largest membership, eq. (1).
    cluster_centers_ : ndarray of shape (n_clusters_, n_features)
        Prototypes.
    n_clusters_ : int
        Number of clusters that survived.
    objective_ : float
        Eq. (5) at the end.
    objective_history_ : ndarray of shape (n_accepted,)
        Eq. (5) along the kept run; it does not rise while clusters do not vanish.
    n_clusters_history_ : ndarray of shape (n_accepted,)
        Number of clusters along the kept run.
    n_iter_ : int
        Passes over the data in the kept run.
    converged_ : bool
        Whether the kept run ended by `tol`.
    alpha_, beta_ : float
        The values used.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        If X has names of type str.

    Notes
    -----
    Implements Algorithms 1 (MEM) and 2 (DBCD, in sequence) of [1]_. Where the group
    of a judgement is convex (D of eq. (17) or its reduction B'DB is positive
    semi-definite) the memberships are globally optimal for the prototypes;
    so they are for two samples and two clusters. Small indefinite groups are descended
    from several vertices.

    `predict` and `predict_proba` know prototypes, not judgements: on the training
    data they differ from `labels_` and `memberships_` where judgements acted.

    Judgements belong to the data and go to `fit`. scikit-learn's own search classes
    cut the rows of X but not the judgements, which is then an error.

    References
    ----------
    .. [1] Z. Wang, S.-S. Wang, L. Bai, W.-S. Wang, Y.-H. Shao, "Fuzzy Discriminant
       Clustering with Fuzzy Pairwise Constraints", IEEE Transactions on Fuzzy Systems.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzypairs import FDC
    >>> X = np.array([[0.0], [1.0], [4.9], [9.0], [10.0]])
    >>> alone = FDC(n_clusters=2, random_state=0).fit(X)
    >>> guided = FDC(n_clusters=2, random_state=0).fit(X, pairs=[(2, 4, 0.9)])
    >>> bool(alone.labels_[2] == alone.labels_[0])
    True
    >>> bool(guided.labels_[2] == guided.labels_[4])
    True
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        alpha: float | Literal["auto"] = "auto",
        beta: float | Literal["auto"] = "auto",
        fuzzifier: float = 2.0,
        metric: str = "euclidean",
        metric_params: dict[str, Any] | None = None,
        init: Init = "k-means++",
        n_init: int = 10,
        max_iter: int = 300,
        tol: float = 1e-4,
        group_solver: Literal["sweeps", "exact"] = "sweeps",
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.alpha = alpha
        self.beta = beta
        self.fuzzifier = fuzzifier
        self.metric = metric
        self.metric_params = metric_params
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.group_solver = group_solver
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

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
            Data; float32 is kept as it is and computed with in float64.
        y : ignored
        pairs : PairSet, triples (i, j, grade), array, sparse matrix or DataFrame
            Judgements of rows of X; see `PairSet.coerce`. None: no judgements.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples in the distances. A weight of 2 acts as a repeated
            row, a weight of 0 as an absent one (its judgements are left out).

        Returns
        -------
        self : FDC
        """
        k = self._check_parameters()
        # On a blank model: a fit that fails leaves this one as it was.
        blank = type(self)()
        given: Data = validate_data(blank, X, dtype=[np.float64, np.float32], order="C")
        weight = check_weights(sample_weight, len(given))
        pairs = PairSet.coerce(pairs, len(given))
        unit = unit_of(given)
        data = in_units(given, unit)
        if isinstance(self.init, str):
            k = min(k, len(data))
        alpha = self._alpha(data, weight, k)
        beta = self._beta(data, weight, unit)
        random_state = check_seed(self.random_state)
        n_init = 1 if is_deterministic(self.init) else self.n_init
        starts = [
            resolve_start(
                self.init,
                data,
                k,
                pairs=pairs,
                sample_weight=weight,
                random_state=random_state,
            )
            for _ in range(n_init)
        ]
        with Threads(self.n_jobs) as threads:
            solver = Solver(
                data,
                weight,
                pairs,
                alpha=alpha,
                beta=beta,
                n_clusters=k,
                tol=self.tol,
                max_iter=self.max_iter,
                group_solver=self.group_solver,
                threads=threads,
            )
            results = solver.run_all(starts, threads)
            best = min(results, key=lambda result: result.objective)
            memberships = solver.memberships(best)
        self._report(results, unit)
        self.__dict__.pop("feature_names_in_", None)
        learned = {n: v for n, v in blank.__dict__.items() if n.endswith("_in_")}
        self.__dict__.update(learned)
        self._unit = unit
        self.alpha_ = alpha
        self.beta_ = beta / unit**2
        self.memberships_ = memberships
        self._store(best)
        self._warn(data, weight, best)
        return self

    def predict_proba(self, X: ArrayLike) -> Floats:
        """Return the memberships of new samples, eq. (14); no judgement acts on them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        memberships : ndarray of shape (n_samples, n_clusters_)
        """
        return self._over_rows(row_memberships, X)

    def predict(self, X: ArrayLike) -> NDArray[np.intp]:
        """Return the cluster of the largest membership of each new sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        return np.asarray(np.argmax(self.predict_proba(X), axis=1))

    def transform(self, X: ArrayLike) -> Floats:
        """Return the distances of samples to the prototypes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        distances : ndarray of shape (n_samples, n_clusters_)
        """
        dist2 = self._over_rows(row_distances, X)
        return np.asarray(np.sqrt(dist2) / self._unit)

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
        dist2 = self.transform(X) ** 2
        weight = check_weights(sample_weight, len(U))
        judged = PairSet.coerce(pairs, len(U)).informative
        values = ((U**2 - self.alpha_) * dist2).sum(axis=1)
        objective = values.sum() if weight is None else weight @ values
        left, right, s = U[judged.i], U[judged.j], judged.grade
        alike = 0.5 * s * ((left - right) ** 2).sum(axis=1)
        unlike = -s * (left * right).sum(axis=1)
        return -float(objective + self.beta_ * np.where(s > 0, alike, unlike).sum())

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
        check_choice("metric", self.metric, ["euclidean"])
        if check_number("fuzzifier", self.fuzzifier, 1.0) != 2.0:
            raise ValueError(f"fuzzifier must be 2 for now, got {self.fuzzifier}")
        if self.metric_params:
            raise ValueError(
                f'metric_params must be None for metric="euclidean", got '
                f"{self.metric_params!r}"
            )
        check_integer("n_init", self.n_init, 1)
        check_integer("max_iter", self.max_iter, 1)
        check_number("tol", self.tol, 0.0)
        check_choice("group_solver", self.group_solver, ["sweeps", "exact"])
        check_jobs(self.n_jobs)
        check_integer("verbose", self.verbose, 0)
        return k

    def _alpha(self, X: Data, weight: Floats | None, k: int) -> float:
        if isinstance(self.alpha, str):
            # One prototype has none to part from.
            return auto_alpha(X, weight, k) if k > 1 else 0.0
        return float(self.alpha)

    def _beta(self, X: Data, weight: Floats | None, unit: float) -> float:
        if isinstance(self.beta, str):
            return auto_beta(X, weight)
        return float(self.beta) * unit**2

    def _over_rows(self, kernel: Any, X: ArrayLike) -> Floats:
        check_is_fitted(self)
        given: Data = validate_data(
            self, X, dtype=[np.float64, np.float32], order="C", reset=False
        )
        data = in_units(given, self._unit)
        C = self.cluster_centers_ * self._unit
        out = np.empty((len(data), len(C)))
        with Threads(self.n_jobs if len(data) > 4096 else 1) as threads:
            spans = over_ranges(cut(len(data), 4096))
            threads.map(kernel, [(data, C, out, *span) for span in spans])
        is_finite = np.isfinite(out).all(axis=1)
        if not is_finite.all():
            raise ValueError(
                f"X[{is_finite.argmin()}] is so far from the prototypes that squared "
                "distances leave the range of float64; rescale X, or drop this row"
            )
        return out

    def _store(self, best: MemResult) -> None:
        unit2 = self._unit**2
        self.cluster_centers_ = best.centers / self._unit
        self.labels_ = np.argmax(self.memberships_, axis=1)
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

    def _warn(self, X: Data, weight: Floats | None, best: MemResult) -> None:
        if not best.converged:
            warnings.warn(
                f"the best run did not converge in {best.n_iter} passes, with "
                f"max_iter={self.max_iter} and tol={self.tol:g}; raise one of them",
                ConvergenceWarning,
                stacklevel=3,
            )
        if self.n_clusters_ < self.n_clusters:
            warnings.warn(
                f"{self.n_clusters - self.n_clusters_} of n_clusters="
                f"{self.n_clusters} clusters vanished and {self.n_clusters_} are "
                f"left: alpha={self.alpha_:.3g} asks more support of a cluster than "
                "they had, or there were too few samples; lower alpha to keep more",
                ClustersVanishedWarning,
                stacklevel=3,
            )
        together = coincident(best.centers, best.spread)
        if together is not None:
            critical = critical_alpha(X, weight, self.n_clusters_)
            cure = (
                f"with n_clusters={self.n_clusters_}, an alpha above {critical:.3g} "
                "would part them"
                if self.alpha_ < critical
                else "X may have fewer distinct groups, or the judgements pull them "
                "together: lower n_clusters or beta"
            )
            warnings.warn(
                f"the prototypes of clusters {together[0]} and {together[1]} "
                f"coincide, so their labels mean nothing; {cure}",
                PrototypesCoincideWarning,
                stacklevel=3,
            )


def unit_of(X: Data) -> float:
    """Return the power of two that X is multiplied with inside, mostly 1."""
    reach = max(-float(X.min()), float(X.max()))
    if reach == 0.0 or PLAIN_MAGNITUDES[0] < reach < PLAIN_MAGNITUDES[1]:
        return 1.0
    if not MAGNITUDES[0] <= reach <= MAGNITUDES[1]:
        raise ValueError(
            f"X reaches {reach:g}, expected a magnitude from {MAGNITUDES[0]:g} to "
            f"{MAGNITUDES[1]:g}, whose square float64 can hold; rescale X"
        )
    return float(np.ldexp(1.0, -int(np.frexp(reach)[1])))


def in_units(X: Data, unit: float) -> Data:
    """Return X times `unit`; X itself where that is 1."""
    return X if unit == 1.0 else X.astype(np.float64) * unit


def coincident(centers: Floats, spread: float) -> tuple[int, int] | None:
    """Return the first two prototypes that are one place, relative to the spread."""
    nearest = COINCIDENT * spread / len(centers)
    for j in range(1, len(centers)):
        gap = np.sqrt(((centers[:j] - centers[j]) ** 2).sum(axis=1))
        if gap.min() <= nearest:
            return int(gap.argmin()), j
    return None
