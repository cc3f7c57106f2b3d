"""Clusters guided by judgements, for most people who have some (GuidedFDC)."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
)
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from fuzzypairs._typing import Floats, Labels, Mask
from fuzzypairs.cluster.averaged_map import of_clusters
from fuzzypairs.cluster.checked import (
    CheckedData,
    in_units,
    read_data,
    read_samples,
    require_finite,
    restoring,
    store,
)
from fuzzypairs.cluster.evidence import rate_interval, reliability
from fuzzypairs.cluster.guided_fit import GuidedFit, Sample, fit_guided
from fuzzypairs.cluster.judged_field import FEWEST, Judged
from fuzzypairs.cluster.random_field import same
from fuzzypairs.cluster.verdict import Agreement, HeldOut, Verdict, assess
from fuzzypairs.cluster.views import to_dense
from fuzzypairs.exceptions import ClustersVanishedWarning
from fuzzypairs.pairs import PairSet
from fuzzypairs.pairs.reading import has_ids, judgements_of
from fuzzypairs.spaces.vectors import Euclidean
from fuzzypairs.threads import Threads, one_blas_thread
from fuzzypairs.validation import check_integer, check_jobs, check_seed

__all__ = ["Evidence", "GuidedFDC"]

# Of numbers of clusters whose evidence is within so many units of the logarithm, the
# smallest is taken.
NEAR = 1.0
# Samples by which the weights of features are measured.
SEEN = 250


@dataclass(frozen=True, eq=False)
class Evidence:
    """What held-out judgements say of a fit, and what they chose.

    Attributes
    ----------
    log_likelihood : float
        Of judgements, each held out from the whole model; NaN without judgements.
    weights : dict of str to float
        Posterior probability of each map: clusters of k-means in a view, by its name,
        and maps that are learned from judgements near these.
    trust : float
        How far features count beside judgements where a sample is judged.
    by_strength : bool
        Whether judgements of small strength |s| act less on their samples.
    by_clusters : dict of int to float
        The log-likelihood with each number of clusters that was tried.
    held_out : HeldOut
    """

    log_likelihood: float
    weights: dict[str, float]
    trust: float
    by_strength: bool
    by_clusters: dict[int, float]
    held_out: HeldOut


class GuidedFDC(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator
):
    """Clusters that follow graded judgements, as far as held-out judgements confirm.

    The estimator for most people with judgements. It has four parts:

    1. Clusters of k-means in several views of the samples: Euclidean coordinates, and
       coordinates in which directions of large variance count less.
    2. Maps ``v(x) = softmax(f(x) W)`` near these clusters, learned from the judgements:
       they maximise ``sum |s| log P(s) - ridge / 2 |W - W0|^2`` over pairs, where
       P(alike) is ``e + (1 - 2 e) v_p.v_q`` and W0 the map of k-means.
    3. The average a(x) of all of these by their posterior probabilities, which the
       likelihood of held-out judgements gives. Memberships are a(x)^t of sum 1, where
       the power t makes them as certain as they are right.
    4. A random field over the judged samples, for the memberships of these: clusters y
       have probabilities in proportion to ``prod_p a_p(y_p)^h`` times the product over
       pairs of ``exp(+-log((1 - e) / e) [y_p = y_q])``. The error rate e of judgements,
       or of each judge, and h, how far features count, are those under which held-out
       judgements are most likely.

    So few judgements choose among clusters that the data have, more of them change
    these, and many decide on their samples themselves. `FDC` is the model of the
    paper.

    Parameters
    ----------
    n_clusters : int or sequence of int, default=8
        The largest number of clusters. Of several numbers (such as ``range(2, 6)``),
        the smallest of those under which held-out judgements are about most likely.
    n_init : int, default=10
        Number of starts of k-means.
    random_state : int, RandomState instance or None, default=None
        Decides the starts, the samples that stand for all if these are more than 4000,
        and which judgements are held out.
    n_jobs : int, default=None
        Number of threads, as in scikit-learn; it changes no result.

    Attributes
    ----------
    memberships_ : ndarray of shape (n_samples, n_clusters_)
        Rows are >= 0 and sum to 1. Those of judged samples contain their judgements;
        those of others are what `predict_proba` returns.
    labels_ : ndarray of shape (n_samples,)
        The cluster of the largest membership.
    unguided_memberships_ : ndarray of shape (n_samples, n_clusters_)
        Of the clusters without judgements, numbered like these.
    cluster_centers_ : ndarray of shape (n_clusters_, n_features)
        Means of X weighted by squared memberships.
    n_clusters_ : int
        Number of clusters that some sample is in.
    evidence_ : Evidence
        The likelihood of held-out judgements, and what it chose.
    verdict_ : Verdict
        What `evidence_` means, in plain words.
    error_rate_ : float
        The estimated share of wrong judgements; NaN without judgements.
    error_rates_ : dict of str to tuple of float
        The same by judge, with the ends of a 95 % interval: (rate, low, high).
    pair_reliability_ : ndarray of shape (n_pairs,)
        The probability that each judgement is right, by models that were not given it,
        in the order of ``PairSet.coerce(pairs, n_samples)``; NaN for those without
        effect.
    feature_weights_ : ndarray of shape (n_features,)
        How much the map depends on each feature; not negative, of sum 1.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        If X has names of type str.

    See Also
    --------
    FDC : The model of the paper.

    Notes
    -----
    Without judgements the model is k-means in the Euclidean view, with memberships
    ``softmax(-t |x - c|^2)``. The mathematics on one page is in the documentation,
    under "The guided model".

    Judgements belong to the data and are passed to `fit`; see `FDC` on searches over
    rows.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from fuzzypairs import GuidedFDC, PairSet
    >>> X, y = load_wine(return_X_y=True)
    >>> is_first = (y == 0).astype(int)  # the question a judge has in mind
    >>> pairs = PairSet.from_labels(is_first, n_pairs=60, random_state=0)
    >>> model = GuidedFDC(2, random_state=0).fit(scale(X), pairs=pairs)
    >>> model.verdict_.level
    'strong'
    """

    memberships_: Floats
    labels_: Labels
    n_clusters_: int
    evidence_: Evidence
    verdict_: Verdict

    def __init__(
        self,
        n_clusters: int | Sequence[int] = 8,
        *,
        n_init: int = 10,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.random_state = random_state
        self.n_jobs = n_jobs

    @restoring
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
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        y : ignored
        pairs : PairSet, triples (i, j, grade), array, sparse matrix or DataFrame
            Judgements of rows of X; see `PairSet.coerce`. None: no judgements. A
            DataFrame with the columns ``a, b, grade`` names rows by the index of X.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples; those of weight 0 get memberships, but neither they
            nor their judgements affect others.

        Returns
        -------
        self : GuidedFDC
        """
        if has_ids(pairs) and hasattr(X, "index"):
            with judgements_of("pairs"):
                pairs = PairSet.from_frame(pairs, data=X)
        numbers = self._numbers()
        check_integer("n_init", self.n_init, 1)
        check_jobs(self.n_jobs)
        data = read_data(
            type(self), X, pairs, sample_weight, Euclidean(), accepts_sparse=True
        )
        with np.errstate(all="ignore"), one_blas_thread():
            given = data.judgements
            acts = given.grade != 0.0
            if data.weight is not None:
                acts &= (data.weight[given.i] > 0.0) & (data.weight[given.j] > 0.0)
            numbers = sorted({min(k, data.n_samples) for k in numbers})
            fit, tried = self._choose(data, given.select(acts), numbers)
            self._store(data, acts, fit, tried)
        asked = fit.n_clusters
        if self.n_clusters_ < asked and len(numbers) == 1:
            warnings.warn(
                f"{asked - self.n_clusters_} of n_clusters={asked} clusters have no "
                f"sample and {self.n_clusters_} are left: X has fewer distinct groups, "
                "or the judgements are best explained by fewer",
                ClustersVanishedWarning,
                stacklevel=2,
            )
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

    def _choose(
        self, data: CheckedData, usable: PairSet, numbers: list[int]
    ) -> tuple[GuidedFit, dict[int, float]]:
        """Fit with each number of clusters; return the fit that is chosen."""
        random_state = check_seed(self.random_state)
        X = data.X
        sample = Sample.draw(X, data.weight, random_state)
        seed = int(random_state.randint(2**31))
        judged = None
        if len(usable):
            rng = np.random.default_rng(seed)
            judged = Judged.read(usable, X, sample.views, rng)
        if len(numbers) > 1 and (judged is None or not judged.can_hold_out):
            raise ValueError(
                f"n_clusters={self.n_clusters} is chosen by held-out judgements, which "
                f"need at least {FEWEST} of both kinds; give one number"
            )
        threads = Threads(self.n_jobs)
        fits = {
            k: fit_guided(sample, judged, k, self.n_init, seed, threads)
            for k in numbers
        }
        values = {
            k: float("nan") if one.field is None else one.field.log_likelihood
            for k, one in fits.items()
        }
        if len(fits) == 1:
            return fits[numbers[0]], values
        best = max(values.values())
        return fits[next(k for k in numbers if values[k] >= best - NEAR)], values

    def _store(
        self, data: CheckedData, acts: Mask, fit: GuidedFit, tried: dict[int, float]
    ) -> None:
        """Store the attributes of a fit; judgements `acts` have an effect."""
        X = data.X
        U = require_finite(fit.map.memberships(X))
        judged, field = fit.judged, fit.field
        if judged is not None:
            U[judged.rows] = fit.memberships
        kept = np.unique(U.argmax(axis=1))
        U = of_clusters(U, kept)
        unguided = replace(fit.unguided, kept=kept)
        squares = U**2 if data.weight is None else U**2 * data.weight[:, None]
        mass = np.maximum(squares.sum(axis=0), np.finfo(float).tiny)[:, None]
        pairs = data.judgements.select(acts)
        held_out = HeldOut(pairs, *np.full((2, len(pairs)), np.nan))
        right = np.full(len(acts), np.nan)
        rates: dict[str, Agreement] = {}
        everyone = None
        if judged is not None and field is not None:
            right[acts] = reliability(field.same, judged.grade, field.rates)
            everyone = Agreement(*rate_interval(field.same, judged.grade))
            rates = {name: Agreement(*rate) for name, rate in field.by_judge(judged)}
            if judged.can_hold_out:
                V = fit.unguided.average(X[judged.rows])
                held_out = replace(
                    held_out,
                    guided=field.same,
                    unguided=same(V, judged.i, judged.j),
                )
        store(
            self,
            _map=replace(fit.map, kept=kept),
            _unguided=unguided,
            _unit=data.unit,
            memberships_=U,
            labels_=U.argmax(axis=1),
            unguided_memberships_=unguided.memberships(X),
            cluster_centers_=np.asarray((data.given.T @ squares).T) / mass,
            n_clusters_=len(kept),
            evidence_=Evidence(
                float("nan") if field is None else field.log_likelihood,
                fit.weights,
                1.0 if field is None else field.trust,
                False if field is None else field.by_strength,
                tried,
                held_out,
            ),
            verdict_=assess(held_out, everyone, rates if len(rates) > 1 else None),
            error_rate_=float("nan") if everyone is None else everyone.share,
            error_rates_={n: (r.share, r.low, r.high) for n, r in rates.items()},
            pair_reliability_=right,
            feature_weights_=fit.map.feature_weights(to_dense(X[:SEEN])),
            **data.names,
        )

    @np.errstate(all="ignore")
    def predict_proba(self, X: ArrayLike) -> Floats:
        """Return the memberships of samples by the map; judgements add nothing here.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        memberships : ndarray of shape (n_samples, n_clusters_)
        """
        given = self._read(X)
        return require_finite(self._map.memberships(in_units(given, self._unit)))

    @np.errstate(all="ignore")
    def unguided_proba(self, X: ArrayLike) -> Floats:
        """Return the memberships of samples in the clusters without judgements.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        memberships : ndarray of shape (n_samples, n_clusters_)
        """
        given = self._read(X)
        return require_finite(self._unguided.memberships(in_units(given, self._unit)))

    def predict(self, X: ArrayLike) -> Labels:
        """Return the cluster of the largest membership of each sample, by the map.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        return np.asarray(self.predict_proba(X).argmax(axis=1))

    @np.errstate(all="ignore")
    def transform(self, X: ArrayLike) -> Floats:
        """Return the distances of samples to the centres of clusters.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        distances : ndarray of shape (n_samples, n_clusters_)
        """
        distances = euclidean_distances(self._read(X), self.cluster_centers_)
        return require_finite(distances)

    def _read(self, X: ArrayLike) -> Any:
        check_is_fitted(self)
        return read_samples(self, X, Euclidean(), accepts_sparse=True, reset=False)

    @property
    def _n_features_out(self) -> int:
        return self.n_clusters_

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
