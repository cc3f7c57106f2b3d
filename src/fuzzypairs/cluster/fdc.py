"""Fuzzy discriminant clustering under graded pairs (FDC), the model of the paper."""

from dataclasses import replace
from typing import Any, Literal

import numpy as np

from fuzzypairs.cluster.checked import CheckedData
from fuzzypairs.cluster.prototypes import Found, PrototypeClusterer
from fuzzypairs.exceptions import ClustersVanishedWarning
from fuzzypairs.pairs import PairSet
from fuzzypairs.pairs.propagation import Propagation, spread_pairs
from fuzzypairs.solvers.problem import Problem
from fuzzypairs.solvers.result import RunResult
from fuzzypairs.solvers.robust import TOLERANCE, RobustResult, run_robust
from fuzzypairs.solvers.start import Init, is_deterministic
from fuzzypairs.spaces.metrics import Metric
from fuzzypairs.spaces.moments import is_sparse
from fuzzypairs.spaces.space import Space
from fuzzypairs.validation import check_choice, check_number

__all__ = ["FDC"]

# Metrics that are defined by a matrix of samples against samples.
RELATIONAL = ("precomputed", "precomputed_kernel")
# With more samples, only the best run is continued under derived judgements, which
# affect nearly all samples and make a run 20 times as long.
PROPAGATE_ALL_STARTS_UP_TO = 5000
# Larger values of `robust` overflow.
LARGEST_TOLERANCE = 1e100


class FDC(PrototypeClusterer):
    """Fuzzy discriminant clustering guided by graded judgements of pairs.

    Finds memberships U (rows on the simplex) and prototypes C that minimise

        sum_ij w_i (u_ij^g - alpha) d(x_i, c_j) + beta * sum_pairs cost(u_p, u_q),

        cost = s/2 |u_p - u_q|^2 for s >= 0 (alike), -s u_p.u_q for s < 0 (unlike),

    where s in [-1, 1] is how strongly a person finds two samples alike or unlike, d is
    the squared Euclidean distance or another, and g = 2 is the fuzzifier. With no
    judgements and ``alpha=0`` this is fuzzy c-means.

    Parameters
    ----------
    n_clusters : int, default=8
        Largest number of clusters; those that lose their support vanish.
    alpha : float in [0, 1) or "auto", default="auto"
        Threshold of squared memberships: above it a sample attracts a prototype, below
        it repels. "auto" is the value at which prototypes just separate, reduced if
        clusters vanish, and 0 if they vanish with every value; see
        `fuzzypairs.cluster.defaults`.
    beta : float >= 0 or "auto", default="auto"
        Weight of the judgements relative to squared distances. "auto" is the total
        variance of X.
    fuzzifier : float or "auto", default=2.0
        Exponent g of the memberships, above 1 and at most 10: near 1 clusters are hard,
        and for large values memberships are nearly equal. 2 is fastest. "auto" is 2, or
        less if prototypes would hardly separate, as in data of many features; see
        `fuzzypairs.cluster.defaults.auto_fuzzifier`.
    metric : str, callable or Space, default="euclidean"
        "euclidean" (and "linear", its name as a kernel), "manhattan", "minkowski",
        "cosine", "mahalanobis"; kernels with implicit prototypes "rbf", "polynomial",
        "laplacian", "jaccard", or a callable ``(A, B) -> matrix`` over blocks of rows;
        "precomputed" distances or a "precomputed_kernel" between samples; or a
        `fuzzypairs.spaces.space.Space`. See the page on choosing a metric.
    metric_params : dict, default=None
        Parameters of the metric: "p" of "minkowski"; "covariance" of
        "mahalanobis"; "gamma" (a number, "scale" or "median"), "degree" and "coef0" of
        kernels. All kernels have "memory", the largest size of a stored kernel matrix
        (as in "1GB"; larger ones are computed in tiles), and "n_components" with
        "approximation" ("nystroem" or "fourier") for an explicit map that is linear in
        n_samples.
    init : str, array-like or callable, default="k-means++"
        "k-means++"; "random": random labels, as in the paper; "pair-graph": the
        nearest-neighbour graph cut along the judgements; labels of shape
        (n_samples,); memberships of shape (n_samples, n_clusters); or a callable
        ``(X, n_clusters, random_state) -> labels or memberships``.
    n_init : int, default=10
        Number of starts; the run with the lowest objective is used. A deterministic
        start is run once.
    max_iter : int, default=300
        Largest number of passes over the data in one run.
    tol : float, default=1e-4
        A run ends when prototypes move by less than this, relative to the spread of the
        data, and memberships of judged samples change by less. Below 1e-14, which is
        rounding, it counts as 1e-14.
    group_solver : {"sweeps", "exact"}, default="sweeps"
        How groups of samples joined by judgements are solved. "exact" proves the
        optimum of small groups (up to 8 samples) by SCIP; it needs
        ``fuzzypairs[exact]``.
    propagate : bool, float in [0, 1) or "auto", default=False
        Whether judgements are propagated to samples nearby, and how far; True and
        "auto" decide by how well judgements agree with the data and with each other.
        With more than 5000 rows, only the best run under the given judgements is
        continued under the derived ones. See `fuzzypairs.pairs.propagation.propagate`.
    robust : bool or float > 0, default=False
        Whether judgements that contradict the data or each other lose weight; see
        `pair_reliability_`. A number is the contradiction, from 0 (samples agree with
        the judgement) to 1 (with its opposite), at which a judgement loses half its
        weight; True is 0.75. See the page on doubtful judgements.
    random_state : int, RandomState instance or None, default=None
        Seed of the starts.
    n_jobs : int, default=None
        Number of threads, as in scikit-learn; results do not depend on it.
    verbose : int, default=0
        If above 0, a line is printed for each run.

    Attributes
    ----------
    memberships_ : ndarray of shape (n_samples, n_clusters_)
        Rows are >= 0 and sum to 1.
    labels_ : ndarray of shape (n_samples,)
        The cluster of the largest membership, eq. (1).
    cluster_centers_ : ndarray of shape (n_clusters_, n_features)
        Prototypes, if the metric has explicit ones (kernels have none).
    n_clusters_ : int
        Number of clusters that survived.
    objective_ : float
        Eq. (5) at the end; with `robust`, with its bounded costs of judgements.
    objective_history_ : ndarray of shape (n_accepted,)
        Eq. (5) along the best run. It does not increase, except when clusters vanish
        and for rounding (up to 1e-8 of it, if the first passes over many features and
        clusters, or many judged samples, are in single precision). With `robust`, upper
        bounds of all rounds, then the objective.
    n_clusters_history_ : ndarray of shape (n_accepted,)
        Number of clusters along the best run. It decreases when clusters vanish, and
        increases once, at the end, if the run returned to a lower objective before
        that.
    n_iter_ : int
        Number of passes over the data in the best run.
    converged_ : bool
        Whether the best run ended by `tol`.
    alpha_, beta_, fuzzifier_ : float
        The values used.
    propagation_ : Propagation
        With `propagate`: the derived judgements, traced to those that were asked.
    collapse_gain_ : float
        The factor by which a step multiplies small displacements of prototypes at the
        mean, with `alpha_` and `n_clusters_`: below 1 they coincide in the end. NaN if
        unknown for the metric. Estimated from a part of many rows.
    pair_reliability_ : ndarray of shape (n_pairs,)
        With `robust`: the final weight of each judgement, in [0, 1] and in the order of
        ``PairSet.coerce(pairs, n_samples)``; NaN for those without effect (grade 0, a
        sample of weight 0, ``beta=0``).
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        If X has names of type str.

    Notes
    -----
    Implements Algorithms 1 (MEM) and 2 (DBCD, in sequence) of [1]_. If a group is
    convex (D of eq. (17) or its reduction B'DB is positive semi-definite), or has two
    samples and two clusters, its memberships are globally optimal for the prototypes.
    Small indefinite groups are solved from several vertices.

    A judgement moves its own samples and, through the prototypes, others a little.
    `GuidedFDC` also learns from judgements which directions of the data matter.

    `predict` and `predict_proba` use prototypes, not judgements: on the training data
    they may differ from `labels_` and `memberships_` for judged samples.

    Judgements belong to the data and are passed to `fit`. scikit-learn's search classes
    select rows of X but not judgements; with a `PairSet`, whose number of rows is
    known, this is an error. Use `fuzzypairs.PairSearchCV`, which holds out judgements.

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
        fuzzifier: float | Literal["auto"] = 2.0,
        metric: Metric = "euclidean",
        metric_params: dict[str, Any] | None = None,
        init: Init = "k-means++",
        n_init: int = 10,
        max_iter: int = 300,
        tol: float = 1e-4,
        group_solver: Literal["sweeps", "exact"] = "sweeps",
        propagate: bool | float | Literal["auto"] = False,
        robust: bool | float = False,
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
        self.propagate = propagate
        self.robust = robust
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _solve(self, data: CheckedData, space: Space) -> Found:
        attributes: dict[str, Any] = {}
        derived = None
        if self.propagate and len(data.pairs.informative):
            several = self.n_init != 1 and not is_deterministic(self.init)
            if several and data.n_samples > PROPAGATE_ALL_STARTS_UP_TO:
                return self._solve_in_turn(data, space)
            derived = self._spread(data)
            attributes["propagation_"] = derived
            data = replace(data, pairs=derived.pairs)
        found = super()._solve(data, space)
        if derived is None and not self.robust:
            return found
        if isinstance(found.best, RobustResult):
            reliability = found.best.reliability
            given = reliability if derived is None else reliability[derived.was_asked]
            attributes["pair_reliability_"] = given[data.judgements.pair]
        return replace(found, propagation=derived, attributes=attributes)

    def _spread(self, data: CheckedData) -> Propagation:
        """Return the judgements, and those derived for samples nearby."""
        if is_sparse(data.given):
            raise TypeError(
                f"propagate={self.propagate!r} looks for neighbours in a table of "
                "numbers, but X is sparse; use propagate=False or X.toarray()"
            )
        strength = "auto" if self.propagate is True else self.propagate
        return spread_pairs(
            data.X, data.pairs, strength, weight=data.weight, n_jobs=self.n_jobs
        )

    def _solve_in_turn(self, data: CheckedData, space: Space) -> Found:
        """Solve under the given judgements; continue the best run with derived ones."""
        first = self._variant(propagate=False, robust=False)._solve(data, space)
        last = self._variant(n_clusters=first.n_clusters, init=first.memberships)
        found = last._solve(data, space)
        vanished = [n for n in first.notes if n[1] is ClustersVanishedWarning]
        return replace(found, notes=[*vanished, *found.notes])

    def _variant(self, **changes: Any) -> "FDC":
        return type(self)(**{**self.get_params(deep=False), **changes})

    def _check_parameters(self) -> None:
        if isinstance(self.propagate, str):
            check_choice("propagate", self.propagate, ["auto"])
        elif not isinstance(self.propagate, bool | np.bool_):
            check_number("propagate", self.propagate, 0.0, 1.0, words=["auto"])
        if (
            self.propagate
            and isinstance(self.metric, str)
            and self.metric in RELATIONAL
        ):
            raise ValueError(
                f"propagate={self.propagate!r} looks for neighbours among vectors, but "
                f'metric is "{self.metric}"; use propagate=False'
            )
        if not isinstance(self.robust, bool | np.bool_) and not (
            check_number("robust", self.robust, 0.0, LARGEST_TOLERANCE) > 0.0
        ):
            raise ValueError(
                f"robust must be above 0, got {self.robust}; use False to switch it off"
            )
        super()._check_parameters()

    def _finished(self, problem: Problem, best: RunResult, pairs: PairSet) -> RunResult:
        if not self.robust:
            return best
        named = isinstance(self.robust, bool | np.bool_)
        tolerance = TOLERANCE if named else float(self.robust)
        return run_robust(problem, best, pairs, tolerance)
