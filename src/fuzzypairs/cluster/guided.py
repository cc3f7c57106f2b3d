"""FDC that learns from judgements what the data alone do not show (GuidedFDC)."""

import warnings
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
from fuzzypairs.cluster.fdc import FDC
from fuzzypairs.cluster.learned_fit import fit_learned
from fuzzypairs.cluster.notes import Note
from fuzzypairs.cluster.verdict import HeldOut, Verdict, assess
from fuzzypairs.pairs import PairSet
from fuzzypairs.spaces.feature_maps import MappedSpace
from fuzzypairs.spaces.moments import is_sparse
from fuzzypairs.spaces.vectors import Euclidean
from fuzzypairs.starts.start import Init

__all__ = ["GuidedFDC"]

# Up to so many samples judgements are propagated by default: beyond, the search for
# neighbours takes longer than the fit, and judgements are mostly many enough.
PROPAGATE_UP_TO = 5000
# What is taken over from the model that was kept, where it has it.
SHARED = (
    "n_features_in_",
    "feature_names_in_",
    "memberships_",
    "labels_",
    "cluster_centers_",
    "n_clusters_",
    "objective_",
    "objective_history_",
    "n_clusters_history_",
    "n_iter_",
    "converged_",
    "alpha_",
    "beta_",
    "collapse_gain_",
    "feature_weights_",
    "propagation_",
    "pair_reliability_",
)


class GuidedFDC(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator
):
    """FDC in the space that judgements determine, where held-out judgements confirm it.

    What most people should run on judgements. `FDC` fits the model of the paper in the
    samples' own space, where a judgement moves its own samples and few others. This
    estimator composes such fits: it learns from the judgements a map of the samples,
    tests it on judgements held out, and fits `FDC` in the space of the map if it
    passes. So a few good judgements move all samples, and bad ones move few.

    Parameters
    ----------
    n_clusters : int, default=8
        The most clusters; those that lose their support vanish.
    alpha, beta : float or "auto", default="auto"
        See `FDC`. With a number for `beta` the samples' own space is used, since it is
        a weight against the distances there.
    fuzzifier : float, default=2.0
        See `FDC`.
    init : str, array-like or callable, default="k-means++"
        See `FDC`.
    n_init : int, default=10
        Number of starts in the samples' own space.
    max_iter : int, default=300
    tol : float, default=1e-4
    group_solver : {"sweeps", "exact"}, default="sweeps"
        See `FDC`.
    propagate : bool, float in [0, 1), "auto" or None, default=None
        Whether judgements are spread to samples nearby, and how far; see `FDC`. None
        is "auto" where `beta` is and X is dense with up to 5000 rows, and False
        otherwise.
    robust : bool or float > 0, default=False
        See `FDC`.
    random_state : int, RandomState instance or None, default=None
        Decides the starts, and which judgements are held out.
    n_jobs : int, default=None
        Number of threads, as in scikit-learn; it changes no result.
    verbose : int, default=0
        Above 0, a line for each run of the fit that was kept.

    Attributes
    ----------
    model_ : FDC
        The fit that was kept, in the space that was chosen.
    metric_ : {"euclidean", "learned"}
        Where the clusters are: in the samples' own space or in a learned one.
    held_out_ : HeldOut
        With judgements: what models fitted without them say of them, with and without
        the other judgements; NaN where none were held out.
    held_out_agreement_ : dict of str to float
        The balanced share of held-out judgements that are kept, "guided" by the others
        and "unguided".
    verdict_ : Verdict
        What `held_out_` means, in plain words.
    feature_weights_ : ndarray of shape (n_features,)
        In a learned space: how much the judgements say each feature matters.
    cluster_centers_ : ndarray of shape (n_clusters_, n_features)
        In a learned space, the means of X weighted by squared memberships.
    propagation_ : Propagation
        If judgements were propagated: the derived ones, traced to those given.
    memberships_, labels_, n_clusters_, objective_, objective_history_, \
n_clusters_history_, n_iter_, converged_, alpha_, beta_, collapse_gain_, \
pair_reliability_, n_features_in_, feature_names_in_
        Of `model_`; see `FDC`.

    See Also
    --------
    FDC : The model of the paper, and ``metric="learned"`` for a learned space in any
        case.

    Notes
    -----
    With at least five judgements of both kinds the model is fitted three times:
    without judgements; with them, and what they imply for samples nearby, in the
    samples' own space; and in a learned space, a map from samples to the simplex under
    which the judgements are most likely (`fuzzypairs.spaces.learned.Learned`). The last
    is kept if, fitted to a part of the judgements, it keeps the others better than
    chance (at the 1 % level) and clearly better (from 100 judgements on, not clearly
    worse) than clusters without judgements do.

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

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        alpha: float | Literal["auto"] = "auto",
        beta: float | Literal["auto"] = "auto",
        fuzzifier: float = 2.0,
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
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Find clusters of X under the judgements `pairs`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored
        pairs : PairSet, triples (i, j, grade), array, sparse matrix or DataFrame
            Judgements of rows of X; see `PairSet.coerce`. None: no judgements.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples in the distances.

        Returns
        -------
        self : GuidedFDC
        """
        self._variant()._check_parameters()
        data = read_data(
            type(self), X, pairs, sample_weight, Euclidean(), accepts_sparse=True
        )
        model, metric, notes = self._fit_model(data)
        shared = {name: getattr(model, name) for name in SHARED if hasattr(model, name)}
        store(self, model_=model, metric_=metric, **shared)
        if len(data.pairs.informative):
            self._store_verdict(data.pairs.informative)
        for message, category in notes:
            warnings.warn(message, category, stacklevel=2)
        return self

    def _fit_model(self, data: CheckedData) -> tuple[FDC, str, list[Note]]:
        """Return the model that is kept, its space, and what users should know."""
        if isinstance(self.beta, str) and len(data.pairs):
            fitted = fit_learned(
                self._variant, data, None, propagate=self._spread(data)
            )
            model = self._variant(metric=fitted.space or "euclidean")
            model._store_learned(data, fitted)
            metric = "learned" if fitted.space else "euclidean"
            return model, metric, fitted.notes
        model = self._variant(propagate=self.propagate or False)
        return model, "euclidean", model._fit_checked(data, Euclidean())

    def _store_verdict(self, pairs: PairSet) -> None:
        """Store what held-out judgements say of the fit."""
        unknown = np.full(len(pairs), np.nan)
        none = HeldOut(pairs, unknown, unknown)
        self.held_out_ = getattr(self.model_, "held_out_", none)
        self.held_out_agreement_ = self.held_out_.agreement
        self.verdict_ = assess(self.held_out_)

    def _spread(self, data: CheckedData) -> bool | float | Literal["auto"]:
        """Return `propagate` as it is meant for the data."""
        if self.propagate is not None:
            return self.propagate
        is_small = data.n_samples <= PROPAGATE_UP_TO and not is_sparse(data.given)
        return "auto" if is_small else False

    def _variant(self, **changes: Any) -> FDC:
        params = {**self.get_params(deep=False), **changes}
        params["propagate"] = params["propagate"] or False
        return FDC(**params)

    def predict_proba(self, X: ArrayLike) -> Floats:
        """Return the memberships of new samples; no judgement acts on them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        memberships : ndarray of shape (n_samples, n_clusters_)
        """
        check_is_fitted(self)
        return self.model_.predict_proba(X)

    def predict(self, X: ArrayLike) -> Labels:
        """Return the cluster of the largest membership of each new sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        return self.model_.predict(X)

    def transform(self, X: ArrayLike) -> Floats:
        """Return the distances of samples to the prototypes, in the space chosen.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        distances : ndarray of shape (n_samples, n_clusters_)
        """
        check_is_fitted(self)
        return self.model_.transform(X)

    def embed(self, X: ArrayLike) -> Floats:
        """Return the coordinates of samples in the space that was chosen.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        coordinates : ndarray of shape (n_samples, n_dims)
            After the map of a learned space; X itself in the samples' own space.

        Examples
        --------
        >>> from fuzzypairs import GuidedFDC
        >>> model = GuidedFDC(2, random_state=0).fit([[0.0], [0.1], [5.0], [5.1]])
        >>> model.embed([[0.2], [4.9]]).tolist()
        [[0.2], [4.9]]
        """
        check_is_fitted(self)
        space = self.model_._space
        given = read_samples(self, X, space, accepts_sparse=True, reset=False)
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
