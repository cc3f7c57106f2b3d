"""FDC with what judgements say about all samples (GuidedFDC)."""

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
)
from sklearn.utils.validation import check_is_fitted

from fuzzypairs._typing import Floats, Labels
from fuzzypairs.cluster.checked import CheckedData, read_data, read_samples, store
from fuzzypairs.cluster.combined import CombinedMap
from fuzzypairs.cluster.fdc import FDC
from fuzzypairs.cluster.guided_fit import (
    GuidedFit,
    can_learn,
    fit_guided,
    is_among,
    read_inferred,
)
from fuzzypairs.cluster.learned_fit import LEARNED_BETA_SHARE, weighted_centers
from fuzzypairs.cluster.notes import Note
from fuzzypairs.cluster.verdict import HeldOut, Verdict, assess
from fuzzypairs.exceptions import ClustersVanishedWarning
from fuzzypairs.pairs import PairSet
from fuzzypairs.pairs.reading import has_ids, judgements_of
from fuzzypairs.solvers.groups import usable_pairs
from fuzzypairs.solvers.start import Init
from fuzzypairs.spaces.feature_maps import MappedSpace
from fuzzypairs.spaces.moments import is_sparse, total_variance
from fuzzypairs.spaces.vectors import Euclidean
from fuzzypairs.threads import one_blas_thread
from fuzzypairs.validation import check_integer

__all__ = ["GuidedFDC"]

# Up to so many samples judgements are propagated by default: beyond, the search for
# neighbours takes longer than the fit, and judgements are mostly many enough.
PROPAGATE_UP_TO = 5000
# What is taken over from the model in the space of the fit, where it has it.
SHARED = (
    *("n_features_in_", "feature_names_in_", "memberships_", "labels_"),
    *("cluster_centers_", "n_clusters_", "n_clusters_history_", "n_iter_"),
    *("objective_", "objective_history_", "converged_", "alpha_", "beta_"),
    *("fuzzifier_", "collapse_gain_", "propagation_", "pair_reliability_"),
)


class GuidedFDC(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator
):
    """FDC that learns from judgements which features matter.

    The estimator for most people with judgements. `FDC` fits the model of the paper in
    the samples' own space, where a judgement moves its own samples and few others. This
    estimator averages clusters u_b(x), found without judgements in several views b, and
    a map v(x), which is learned from the judgements:

        a(x) = sum_b w_b u_b(x) + w v(x),   memberships(x) ~ a(x)^t.

    The weights are posterior probabilities: that the judgements follow the clusters of
    a view, or the map, by their likelihood when they are held out. So right judgements
    affect all samples, and few or wrong ones have little effect. The power t calibrates
    memberships by the same held-out judgements.

    Parameters
    ----------
    n_clusters : int or sequence of int, default=8
        The largest number of clusters; some may vanish. Of several numbers
        (such as ``range(2, 6)``), the one under which held-out judgements are most
        likely.
    alpha, beta : float or "auto", default="auto"
        See `FDC`. With a number for `beta` the model is `FDC` in the samples' own
        space, since it is a weight against the distances there.
    fuzzifier : float or "auto", default="auto"
        Of the unguided clusters; see `FDC`.
    init : str, array-like or callable, default="k-means++"
        See `FDC`.
    n_init : int, default=10
        Number of starts of the unguided clusters.
    max_iter : int, default=300
    tol : float, default=1e-4
    group_solver : {"sweeps", "exact"}, default="sweeps"
        See `FDC`.
    propagate : bool, float in [0, 1), "auto" or None, default=None
        Whether judgements are spread to samples nearby, and how far; see `FDC`. The
        map is then learned from the derived judgements as well. None is False, but
        "auto" where judgements are too few to learn from, `beta` is "auto" and X is
        dense with up to 5000 rows.
    robust : bool or float > 0, default=False
        See `FDC`. The map takes account of wrong judgements in any case.
    random_state : int, RandomState instance or None, default=None
        Decides the starts, and which judgements are held out.
    n_jobs : int, default=None
        Number of threads, as in scikit-learn; it changes no result.
    verbose : int, default=0
        Above 0, a line for each run of the fit in the space of memberships.

    Attributes
    ----------
    memberships_ : ndarray of shape (n_samples, n_clusters_)
        As above: what `predict_proba` returns for the training samples.
    labels_ : ndarray of shape (n_samples,)
        The cluster of the largest membership.
    guided_weight_ : float
        The weight of the map and of clusters in whitened views; 0 without a map.
    metric_ : {"euclidean", "learned"}
        What has the larger weight: Euclidean unguided clusters or the others.
    noise_rate_ : float
        With judgements to learn from: the estimated share of wrong ones.
    pair_reliability_ : ndarray of shape (n_pairs,)
        With judgements: the probability that each is right, by models that were not
        given it, in the order of ``PairSet.coerce(pairs, n_samples)``; NaN for those
        without effect and where judgements are too few.
    held_out_ : HeldOut
        With judgements: what models fitted without them say of them, with and without
        the other judgements; NaN where none were held out.
    held_out_agreement_ : dict of str to float
        The balanced share of held-out judgements that are kept, "guided" by the others
        and "unguided".
    verdict_ : Verdict
        What `held_out_` means, in plain words.
    feature_weights_ : ndarray of shape (n_features,)
        With judgements: how much each feature matters in the space of the fit; not
        negative, of sum 1.
    cluster_centers_ : ndarray of shape (n_clusters_, n_features)
        With a map, the means of X weighted by squared memberships.
    propagation_ : Propagation
        If judgements were propagated: the derived ones, traced to those given.
    model_ : FDC
        The fit in the space of the memberships, where the judgements act on their own
        samples; without a map, the fit in the samples' own space.
    n_clusters_, objective_, objective_history_, n_clusters_history_, n_iter_, \
converged_, alpha_, beta_, fuzzifier_, collapse_gain_, n_features_in_, feature_names_in_
        Of `model_`; see `FDC`.

    See Also
    --------
    FDC : The model of the paper, and ``metric="learned"`` for one learned space.

    Notes
    -----
    **Views.** Distances are often ruled by directions that people do not look at.
    Unguided clusters are therefore found in the Euclidean view and in three that are
    whitened by the covariance of the samples (`fuzzypairs.cluster.guided_sample`).

    **The map.** It is learned in the view of the largest weight, from its coordinates,
    and from these whitened by the pairs judged alike: directions along which these
    differ count less (`fuzzypairs.spaces.views`). f(x) are both coordinates and 30 rbf
    features of each. ``v(x) = softmax([f(x), 1] W)`` minimises

        - sum_pairs |s| log P(s)  -  mean_i sum_h t_ih log v_h(x_i)  +  0.05/2 |W|^2

    where P(alike) = e + (1 - 2 e) v_p.v_q, e is the share of wrong judgements, and t
    is the mean of unguided clusters, weighted in the same way, and of whitened ones.

    **The evidence.** Judgements are divided into five folds (three from 300 on). Maps
    learned from the other folds, and unguided clusters, say how likely the samples of
    held-out judgements belong together. The likelihoods under the maps, under these
    clusters and under chance give the weights and e (`fuzzypairs.cluster.evidence`).

    **Certainty.** The power of u_b(x) is the one under which the judgements are most
    likely. t is the mean over its posterior, in which judgements that contradict a(x)
    count against its certainty (`fuzzypairs.cluster.evidence.calibrating_power`). Rows
    far from all samples get nearly equal memberships
    (`fuzzypairs.cluster.combined.CombinedMap`).

    With fewer than five judgements or judgements of one kind, for sparse X, or if X has
    values above 1e15 or only values below 1e-15, no map is learned and the model is
    `FDC` in the samples' own space; so it is without judgements.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from fuzzypairs import GuidedFDC, PairSet
    >>> X, y = load_wine(return_X_y=True)
    >>> is_first = (y == 0).astype(int)  # the question a judge has in mind
    >>> pairs = PairSet.from_labels(is_first, n_pairs=60, random_state=0)
    >>> model = GuidedFDC(2, random_state=0).fit(scale(X), pairs=pairs)
    >>> model.metric_
    'learned'
    """

    model_: FDC
    n_clusters_: int
    verdict_: Verdict
    guided_weight_: float

    def __init__(
        self,
        n_clusters: int | Sequence[int] = 8,
        *,
        alpha: float | Literal["auto"] = "auto",
        beta: float | Literal["auto"] = "auto",
        fuzzifier: float | Literal["auto"] = "auto",
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
        inferred: PairSet | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Find clusters of X under the judgements `pairs`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored
        pairs : PairSet, triples (i, j, grade), array, sparse matrix or DataFrame
            Judgements of rows of X; see `PairSet.coerce`. None: no judgements. A
            DataFrame with the columns ``a, b, grade`` names rows by the index of X.
        inferred : PairSet, default=None
            What follows from `pairs` (`fuzzypairs.active.infer_pairs`). The map is
            learned from it, too, from a start by its groups; it is no evidence.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples in the distances.

        Returns
        -------
        self : GuidedFDC
        """
        if has_ids(pairs) and hasattr(X, "index"):
            with judgements_of("pairs"):
                pairs = PairSet.from_frame(pairs, data=X)
        numbers = self._numbers()
        for k in numbers:
            spread = False if self.propagate is None else self.propagate
            changes = {"n_clusters": k, "propagate": spread}
            self._variant(**changes)._check_parameters()
        data = read_data(
            type(self), X, pairs, sample_weight, Euclidean(), accepts_sparse=True
        )
        judged = usable_pairs(data.pairs, data.weight, 1.0)
        inferred = read_inferred(inferred, data.pairs, data.weight)
        with np.errstate(all="ignore"), one_blas_thread():
            fitted = self._fit_guided(data, judged, inferred, numbers)
            if fitted is None:
                model, notes = self._fit_plain(data, numbers)
            else:
                model, notes = self._fit_in_space(data, fitted)
        shared = {name: getattr(model, name) for name in SHARED if hasattr(model, name)}
        w = 0.0 if fitted is None else 1.0 - float(fitted.evidence.unguided[0])
        metric = "learned" if w > 0.5 else "euclidean"
        store(self, model_=model, metric_=metric, guided_weight_=w, **shared)
        if len(data.pairs.informative):
            self._store_evidence(data, judged, fitted)
        for message, category in notes:
            warnings.warn(message, category, stacklevel=2)
        return self

    def _numbers(self) -> list[int]:
        """Return the numbers of clusters to choose from."""
        given = self.n_clusters
        if isinstance(given, list | tuple | range | np.ndarray) and np.iterable(given):
            numbers = [check_integer("n_clusters", k, 1) for k in given]
            if not numbers:
                raise ValueError("n_clusters is empty, expected a number or several")
            return sorted(set(numbers))
        return [check_integer("n_clusters", given, 1)]

    def _fit_guided(
        self,
        data: CheckedData,
        judged: PairSet,
        inferred: PairSet,
        numbers: list[int],
    ) -> GuidedFit | None:
        """Fit with a map, or return None where none can be learned."""
        can = can_learn(judged) and not is_sparse(data.given) and data.unit == 1.0
        varies = can and bool(np.ptp(data.given, axis=0).any())
        if not isinstance(self.beta, str) or not varies:
            return None
        fits = [
            fit_guided(
                lambda k=k, **more: self._variant(n_clusters=k, **more),
                data,
                judged,
                inferred,
                self.propagate or False,
            )
            for k in numbers
        ]
        return max(fits, key=lambda fit: fit.evidence.log_likelihood)

    def _fit_plain(
        self, data: CheckedData, numbers: list[int]
    ) -> tuple[FDC, list[Note]]:
        """Fit the model of the paper in the samples' own space."""
        if len(numbers) > 1:
            raise ValueError(
                f"n_clusters={self.n_clusters} is chosen by held-out judgements, which "
                'need at least five of both kinds, dense X and beta="auto"; give one '
                "number"
            )
        model = self._variant(n_clusters=numbers[0], propagate=self._spread(data))
        return model, model._fit_checked(data, Euclidean())

    def _fit_in_space(
        self, data: CheckedData, fitted: GuidedFit
    ) -> tuple[FDC, list[Note]]:
        """Fit in the space of the memberships that were found."""
        space, notes = fitted.space, list(fitted.unguided.notes)
        U = space.map(data.given)
        kept = np.unique(U.argmax(axis=1))
        if len(kept) < len(space.kept):
            why = (
                f"of {len(space.kept)} clusters, the judgements are best explained by "
                f"{len(kept)}; to keep more give beta a number"
            )
            notes = [(why, ClustersVanishedWarning), *notes]
            space.kept = kept
            U = space.map(data.given)
        labels = np.unique(U.argmax(axis=1), return_inverse=True)[1]
        model = self._variant(
            metric=space,
            n_clusters=len(kept),
            init=labels,
            alpha=0.0 if isinstance(self.alpha, str) else self.alpha,
            beta=LEARNED_BETA_SHARE * total_variance(U, data.weight),
            fuzzifier=2.0,
            propagate=False,
        )
        # The samples are mapped already.
        solved = model._solve(replace(data, given=U), Euclidean())
        model._store(data, replace(solved, space=space))
        model.memberships_, model.labels_ = U, U.argmax(axis=1)
        model.cluster_centers_ = weighted_centers(data.given, U, data.weight)
        if fitted.propagation is not None:
            model.propagation_ = fitted.propagation
        return model, notes

    def _store_evidence(
        self, data: CheckedData, judged: PairSet, fitted: GuidedFit | None
    ) -> None:
        """Store what held-out judgements say of the fit."""
        noise_rate = None
        reliability = np.full(len(data.pairs), np.nan)
        if fitted is None:
            unknown = np.full(len(judged), np.nan)
            self.held_out_ = HeldOut(judged, unknown, unknown)
            n_features = data.given.shape[1]
            self.feature_weights_ = np.full(n_features, 1.0 / n_features)
        else:
            self.held_out_ = fitted.held_out
            self.feature_weights_ = fitted.feature_weights
            self.noise_rate_ = noise_rate = fitted.evidence.noise_rate
            reliability[is_among(data.pairs, judged)] = fitted.reliability
        if fitted is not None or not self.robust:
            self.pair_reliability_ = reliability[data.judgements.pair]
        self.held_out_agreement_ = self.held_out_.agreement
        self.verdict_ = assess(self.held_out_, noise_rate)

    def _spread(self, data: CheckedData) -> bool | float | Literal["auto"]:
        """Return `propagate` as it is meant for the data."""
        if self.propagate is not None or not isinstance(self.beta, str):
            return self.propagate or False
        is_small = data.n_samples <= PROPAGATE_UP_TO and not is_sparse(data.given)
        return "auto" if is_small else False

    def _variant(self, **changes: Any) -> FDC:
        params = {**self.get_params(deep=False), "propagate": False, **changes}
        return FDC(**params)

    @np.errstate(all="ignore")
    def predict_proba(self, X: ArrayLike) -> Floats:
        """Return the memberships of new samples; judgements do not affect them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        memberships : ndarray of shape (n_samples, n_clusters_)
        """
        check_is_fitted(self)
        space = self.model_._space
        if not isinstance(space, CombinedMap):
            return self.model_.predict_proba(X)
        given = read_samples(self, X, space, accepts_sparse=False, reset=False)
        return space.map(given)

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

    def transform(self, X: ArrayLike) -> Floats:
        """Return the distances of samples to the prototypes, in the space of the fit.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        distances : ndarray of shape (n_samples, n_clusters_)
        """
        check_is_fitted(self)
        return self.model_.transform(X)

    @np.errstate(all="ignore")
    def embed(self, X: ArrayLike) -> Floats:
        """Return the coordinates of samples in the space of the fit.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        coordinates : ndarray of shape (n_samples, n_dims)
            Their memberships if a map was learned; X itself if not.

        Examples
        --------
        >>> from fuzzypairs import GuidedFDC
        >>> model = GuidedFDC(2, random_state=0).fit([[0.0], [0.1], [5.0], [5.1]])
        >>> model.embed([[0.2], [4.9]]).tolist()
        [[0.2], [4.9]]
        """
        check_is_fitted(self)
        space = self.model_._space
        sparse = space.accepts_sparse
        given = read_samples(self, X, space, accepts_sparse=sparse, reset=False)
        return space.map(given) if isinstance(space, MappedSpace) else given

    def score(
        self,
        X: ArrayLike,
        y: object = None,
        *,
        pairs: Any = None,
        sample_weight: ArrayLike | None = None,
    ) -> float:
        """Return minus eq. (5) at the prototypes; see `FDC.score`.

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
        check_is_fitted(self)
        return self.model_.score(X, pairs=pairs, sample_weight=sample_weight)

    @property
    def _n_features_out(self) -> int:
        return self.n_clusters_
