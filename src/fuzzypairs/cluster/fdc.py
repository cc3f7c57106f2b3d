"""Fuzzy discriminant clustering under graded pairs (FDC)."""

from functools import partial
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from threadpoolctl import threadpool_limits

from fuzzypairs._typing import Floats
from fuzzypairs.cluster.learned_fit import Guidance, can_teach, teach_space
from fuzzypairs.cluster.prototypes import Note, PrototypeClusterer
from fuzzypairs.exceptions import ClustersVanishedWarning
from fuzzypairs.pairs import PairSet
from fuzzypairs.pairs.propagation import propagate
from fuzzypairs.solvers.groups import usable_pairs
from fuzzypairs.solvers.mem import Solver
from fuzzypairs.solvers.result import MemResult
from fuzzypairs.solvers.robust import TOLERANCE, RobustResult, run_robust
from fuzzypairs.spaces.learned import Learned, Taught, Weighted
from fuzzypairs.spaces.metrics import Metric, resolve_metric
from fuzzypairs.spaces.moments import is_sparse, total_variance
from fuzzypairs.spaces.space import Space
from fuzzypairs.starts.start import Init, is_deterministic
from fuzzypairs.threads import Threads
from fuzzypairs.validation import (
    check_choice,
    check_number,
    check_seed,
    check_weights,
)

__all__ = ["FDC"]

# Metrics that know samples by each other only.
RELATIONAL = ("precomputed", "precomputed_kernel")
# Up to so many samples judgements are spread by default: beyond, the search for
# neighbours takes longer than the fit, and judgements are mostly many enough. Where
# they are spread all the same, only the best start is.
SPREAD_UP_TO = 5000
# Starts of the clusters without judgements, which trials begin from: few will do.
BLIND_STARTS = 3
# beta="auto" in a learned space, in units of its total variance: samples there lie by
# what all judgements say together, so that single ones may pull harder.
LEARNED_BETA_SHARE = 5.0


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
        The most clusters; those that lose their support vanish.
    alpha : float in [0, 1) or "auto", default="auto"
        Threshold from which a squared membership attracts a prototype; below it, it
        repels. "auto" takes the value at which prototypes just part, less of it
        where clusters would vanish, and 0 where no value keeps them all; see
        `fuzzypairs.cluster.defaults`.
    beta : float >= 0 or "auto", default="auto"
        Weight of the judgements against squared distances. "auto" takes the total
        variance of X.
    fuzzifier : float, default=2.0
        Exponent g of the memberships, above 1 and at most 10: near 1 clusters are
        hard, and the larger it is the more all memberships are alike. 2 is fastest.
    metric : str, callable or Space, default="auto"
        "auto" learns a space from the judgements if those held out confirm it, and is
        "euclidean" otherwise (see Notes); "learned" learns one in any case.
        "euclidean" (and "linear", its name as a kernel), "manhattan", "minkowski",
        "cosine", "mahalanobis"; kernels with implicit prototypes "rbf", "polynomial",
        "laplacian", "jaccard", or a callable ``(A, B) -> matrix`` over blocks of rows;
        "precomputed" distances or a "precomputed_kernel" between samples; or a
        `fuzzypairs.spaces.space.Space` of one's own. See the page on choosing a metric.
    metric_params : dict, default=None
        Parameters of the metric: "form" of "learned" ("auto"; "diagonal": a weight for
        each feature; "linear" and "rbf": a map to the simplex), with "prior" and more,
        see `fuzzypairs.spaces.learned.Learned`; "p" of "minkowski"; "covariance" of
        "mahalanobis"; "gamma" (a number, "scale" or "median"), "degree" and "coef0" of
        kernels. All kernels have "memory", how much their matrix may take (as in "1GB";
        beyond it, tiles are computed and dropped), and "n_components" with
        "approximation" ("nystroem" or "fourier") for an explicit map that is linear in
        n_samples.
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
    propagate : bool, float in [0, 1), "auto" or None, default=None
        Whether judgements are spread to samples nearby, and how far; True and "auto"
        decide by how far judgements agree with the data and with each other. None is
        "auto" where `metric` and `beta` are and X has up to 5000 rows, and False
        otherwise. Of more rows only the best start, found under the judgements as
        given, has the spread ones. See `fuzzypairs.pairs.propagation.propagate`.
    robust : bool or float > 0, default=False
        Whether judgements that the data or each other contradict lose weight; how
        much is then in `pair_reliability_`. A number is how far a judgement may be
        contradicted, between 0 (its samples lie as it says) and 1 (as its opposite
        would say), before it is down to half; smaller is more distrust, True is 0.75.
        See the page on doubtful judgements.
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
        Prototypes, where the metric has explicit ones (kernels have none). In a
        learned space, the means of X weighted by squared memberships.
    n_clusters_ : int
        Number of clusters that survived.
    objective_ : float
        Eq. (5) at the end; with `robust`, with its bounded costs of judgements.
    objective_history_ : ndarray of shape (n_accepted,)
        Eq. (5) along the kept run; it does not rise while clusters do not vanish,
        but for rounding (up to 1e-8 of it where many samples with judgements, or with
        many features and clusters, are begun with in single precision).
        With `robust`, upper bounds of the objective along the rounds, and itself last.
    n_clusters_history_ : ndarray of shape (n_accepted,)
        Number of clusters along the kept run. It falls where clusters vanish; it
        rises once, at the end, if the run was lower before that and went back.
    n_iter_ : int
        Passes over the data in the kept run.
    converged_ : bool
        Whether the kept run ended by `tol`.
    alpha_, beta_ : float
        The values used.
    metric_ : {"euclidean", "learned"}
        With ``metric="auto"`` or "learned": where the clusters are.
    held_out_agreement_ : dict of str to float
        The share of held-out judgements that are kept by clusters without judgements
        ("euclidean") and by each form of a learned space, where it was asked for.
    feature_weights_ : ndarray of shape (n_features,)
        In a learned space: how much the judgements say each feature matters.
    propagation_ : Propagation
        With `propagate`: the derived judgements, traced to those that were asked.
    collapse_gain_ : float
        By how much a step multiplies small displacements of prototypes that lie at
        the mean, with `alpha_` and `n_clusters_`: below 1 they fall together. nan
        where the metric does not tell. With a given alpha and more than 1000 rows,
        some of them are looked at.
    pair_reliability_ : ndarray of shape (n_pairs,)
        With `robust`: the weight in [0, 1] each judgement was left with, in the order
        of ``PairSet.coerce(pairs, n_samples)``; nan for those without a say (grade 0,
        a sample of weight 0, ``beta=0``).
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

    With all defaults and at least five judgements of both kinds, the model is fitted
    three times: without judgements; with them, and what they say of samples nearby,
    in the samples' own space; and in a space that they teach, a map from samples to
    the simplex under which they are most likely
    (`fuzzypairs.spaces.learned.Learned`). The last is kept if, taught a part of the
    judgements, it keeps the others better than chance (at the 1 % level) and clearly
    better (from 100 judgements on, not clearly worse) than clusters without
    judgements do. So a few good judgements move
    all samples, and bad ones move few. A number for `beta`, or ``metric="euclidean"``,
    asks for the model of the paper.

    `predict` and `predict_proba` know prototypes, not judgements: on the training
    data they differ from `labels_` and `memberships_` where judgements acted.

    Judgements belong to the data and go to `fit`. scikit-learn's own search classes
    cut the rows of X but not the judgements: `fuzzypairs.PairSearchCV` holds out
    judgements instead. A `PairSet` knows how many rows it was made for, and a cut X
    is then an error.

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
        metric: Metric = "auto",
        metric_params: dict[str, Any] | None = None,
        init: Init = "k-means++",
        n_init: int = 10,
        max_iter: int = 300,
        tol: float = 1e-4,
        group_solver: Literal["sweeps", "exact"] = "sweeps",
        propagate: bool | float | Literal["auto"] | None = None,
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
        return self._fit(X, pairs, sample_weight)

    def _fit_quietly(
        self, X: Any, pairs: Any, sample_weight: ArrayLike | None
    ) -> list[Note]:
        if not self._may_learn(pairs):
            notes = (
                self._fit_in_turn(X, pairs, sample_weight)
                if self._has_long_runs(X, pairs)
                else super()._fit_quietly(X, pairs, sample_weight)
            )
            if self.metric == "auto":
                self.metric_ = "euclidean"
            return notes
        # BLAS threads share out sums by chance, and results must not depend on them.
        with threadpool_limits(1, "blas"):
            return self._fit_learned(X, pairs, sample_weight)

    def _may_learn(self, pairs: Any) -> bool:
        """Tell whether a space may be taught; a given beta is the paper's model."""
        if isinstance(self.metric, str) and self.metric == "auto":
            return pairs is not None and isinstance(self.beta, str)
        return isinstance(self.metric, str) and self.metric == "learned"

    def _has_long_runs(self, X: Any, pairs: Any) -> bool:
        """Tell whether derived judgements are too many for a run from every start."""
        is_spread = pairs is not None and self.propagate not in (None, False)
        several = self.n_init != 1 and not is_deterministic(self.init)
        return is_spread and several and n_rows(X) > SPREAD_UP_TO

    def _fit_in_turn(
        self, X: Any, pairs: Any, sample_weight: ArrayLike | None
    ) -> list[Note]:
        """Fit under the asked judgements from every start; go on from the best.

        With derived ones nearly all samples are judged, and a run takes 20 times as
        long.
        """
        self._check_parameters()  # the first fit has not all of them
        first = self._variant(propagate=False, robust=False)
        vanished = [
            note
            for note in first._fit_quietly(X, pairs, sample_weight)
            if note[1] is ClustersVanishedWarning
        ]
        last = self._variant(n_clusters=first.n_clusters_, init=first.memberships_)
        notes = last._fit_quietly(X, pairs, sample_weight)
        self._take_over(last)
        return [*vanished, *notes]

    def _fit_learned(
        self, X: Any, pairs: Any, sample_weight: ArrayLike | None
    ) -> list[Note]:
        """Fit in the samples' own space, and in one that judgements teach."""
        self._check_parameters()
        asked = resolve_metric(self.metric, self.metric_params)
        given = self._validated(X, asked, type(self)(), reset=True)
        weight = check_weights(sample_weight, given.shape[0])
        strength = self._strength(given)
        plain = self._variant(
            metric="euclidean", metric_params=None, propagate=strength
        )
        notes = plain._fit_quietly(X, pairs, weight)
        guidance = self._guidance(plain, asked, given, pairs, weight)
        if guidance is None or guidance.space is None:
            self._adopt(plain, guidance)
            return notes
        best = self._in_space(guidance.space, given, weight)
        notes = best._fit_quietly(X, pairs, weight)
        if best.n_clusters < plain.n_clusters_:
            why = (
                f"of {plain.n_clusters_} clusters, the judgements are best explained "
                f'by {best.n_clusters}; to keep more use metric="euclidean"'
            )
            notes = [(why, ClustersVanishedWarning), *notes]
        self._adopt(best, guidance)
        if (spread := getattr(plain, "propagation_", None)) is not None:
            self.propagation_ = spread
        if not guidance.space.explicit:
            self.cluster_centers_ = centers(given, self.memberships_, weight)
        return notes

    def _strength(self, X: Any) -> bool | float | Literal["auto"]:
        """Return `propagate` as it is meant for X."""
        if self.propagate is not None:
            return self.propagate
        is_open = self.metric == "auto" and isinstance(self.beta, str)
        is_small = X.shape[0] <= SPREAD_UP_TO and not is_sparse(X)
        return "auto" if is_open and is_small else False

    def _guidance(
        self, plain: "FDC", asked: Space, X: Any, pairs: Any, weight: Floats | None
    ) -> Guidance | None:
        """Return the space that judgements teach, or None if they cannot."""
        judged = usable_pairs(PairSet.coerce(pairs, X.shape[0]), weight, plain.beta_)
        if isinstance(asked, Taught):
            if not len(judged):
                raise ValueError(
                    'metric="learned" learns from judgements, but `pairs` has none '
                    "that can act: grades other than 0, of samples with weight, with "
                    "a beta above 0, where X is not constant; give some, or use "
                    'metric="euclidean"'
                )
            if asked.is_open and not can_teach(judged):
                asked = Weighted()
        elif not (
            isinstance(self.beta, str)
            and can_teach(judged)
            and not is_sparse(X)
            and plain._unit == 1.0
        ):
            return None
        spread = getattr(plain, "propagation_", None)
        lessons = judged if spread is None else spread.pairs
        with Threads(self.n_jobs) as threads:
            return teach_space(
                X,
                judged,
                usable_pairs(lessons, weight, plain.beta_),
                plain.labels_,
                partial(self._blind_labels, X, weight),
                weight,
                asked if isinstance(asked, Taught) else None,
                random_state=check_seed(self.random_state),
                threads=threads,
            )

    def _blind_labels(self, X: Any, weight: Floats | None) -> NDArray[np.intp]:
        """Return clusters that have seen no judgement."""
        model = self._variant(
            metric="euclidean",
            metric_params=None,
            propagate=False,
            robust=False,
            n_init=min(self.n_init, BLIND_STARTS),
        )
        model._fit_quietly(X, None, weight)
        return np.asarray(model.labels_)

    def _in_space(self, space: Taught, X: Any, weight: Floats | None) -> "FDC":
        """Return the model to fit in a learned space, where it can start at once."""
        if not isinstance(space, Learned):
            return self._variant(metric=space, metric_params=None)
        V = space.map(X)
        kept, labels = np.unique(V.argmax(axis=1), return_inverse=True)
        # All that follows from judgements for others is in the map already.
        changes: dict[str, Any] = {
            "n_clusters": len(kept),
            "init": labels,
            "propagate": False,
        }
        if isinstance(self.alpha, str):
            changes["alpha"] = 0.0  # nothing collapses that starts at the corners
        if isinstance(self.beta, str):
            changes["beta"] = LEARNED_BETA_SHARE * total_variance(V, weight)
        return self._variant(metric=space, metric_params=None, **changes)

    def _variant(self, **changes: Any) -> "FDC":
        return type(self)(**{**self.get_params(deep=False), **changes})

    def _take_over(self, other: "FDC") -> None:
        self._forget()
        chosen = self.get_params(deep=False)
        fitted = {name: v for name, v in vars(other).items() if name not in chosen}
        self.__dict__.update(fitted)

    def _adopt(self, other: "FDC", guidance: Guidance | None) -> None:
        """Take over what another model has learned, and what was learned of it."""
        self._take_over(other)
        is_learned = guidance is not None and guidance.space is not None
        self.metric_ = "learned" if is_learned else "euclidean"
        if guidance is not None:
            self.held_out_agreement_ = dict(guidance.agreement)
            if guidance.space is not None:
                self.feature_weights_ = guidance.space.feature_weights

    def _spread(
        self, X: Any, pairs: PairSet, weight: Any
    ) -> tuple[PairSet, dict[str, Any]]:
        if self.propagate in (None, False) or not len(pairs.informative):
            return pairs, {}
        strength = "auto" if self.propagate is True else self.propagate
        spread = propagate(X, pairs, strength, sample_weight=weight, n_jobs=self.n_jobs)
        return spread.pairs, {"propagation_": spread}

    def _check_parameters(self) -> int:
        spreads = self.propagate not in (None, False)
        if isinstance(self.propagate, str):
            check_choice("propagate", self.propagate, ["auto"])
        elif spreads and self.propagate is not True:
            check_number("propagate", self.propagate, 0.0, 1.0, words=["auto"])
        if spreads and isinstance(self.metric, str) and self.metric in RELATIONAL:
            raise ValueError(
                f"propagate={self.propagate!r} looks for neighbours among vectors, but "
                f'metric is "{self.metric}"; use propagate=False'
            )
        if not isinstance(self.robust, bool | np.bool_) and not (
            check_number("robust", self.robust, 0.0) > 0.0
        ):
            raise ValueError(
                f"robust must be above 0, got {self.robust}; for no doubt use False"
            )
        return super()._check_parameters()

    def _finished(self, solver: Solver, best: MemResult, pairs: PairSet) -> MemResult:
        if not self.robust:
            return best
        named = isinstance(self.robust, bool | np.bool_)
        tolerance = TOLERANCE if named else float(self.robust)
        return run_robust(solver, best, pairs, tolerance)

    def _store(self, best: MemResult) -> None:
        super()._store(best)
        if isinstance(best, RobustResult):
            spread = getattr(self, "propagation_", None)
            was_asked = slice(None) if spread is None else spread.was_asked
            self.pair_reliability_ = best.reliability[was_asked]


def n_rows(X: Any) -> int:
    """Return the number of samples of what was not checked yet; 0 if it has none."""
    shape = getattr(X, "shape", None)
    if shape is None:
        return len(X) if hasattr(X, "__len__") else 0
    return int(shape[0]) if shape else 0


def centers(X: Any, memberships: Floats, weight: Floats | None) -> Floats:
    """Return means of X weighted by squared memberships, (n_clusters, n_features)."""
    W = memberships**2 if weight is None else memberships**2 * weight[:, None]
    return np.asarray(W.T @ X / W.sum(axis=0)[:, None])
