"""The rows that GuidedFDC learns from, in several views, with unguided clusters.

Distances may be ruled by directions that people do not look at, such as size, while
clusters differ along directions of small variance. Samples therefore have four views:
the Euclidean one, and three whitened by the covariance of all samples, with
`SHRINKAGES`. In each view there are clusters found without judgements. A few judgements
are enough to tell which of the views they follow.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import linear_sum_assignment

from fuzzypairs._typing import Floats, Labels
from fuzzypairs.cluster.checked import CheckedData
from fuzzypairs.cluster.combined import UnguidedClusters
from fuzzypairs.cluster.evidence import SHARPNESS
from fuzzypairs.cluster.prototypes import Found
from fuzzypairs.pairs import PairSet
from fuzzypairs.solvers.lloyd import best_partition
from fuzzypairs.solvers.start import kmeans_plusplus
from fuzzypairs.spaces.views import make_view, random_directions

__all__ = [
    "Sample",
    "SampleView",
    "clusters_at",
    "draw_sample",
    "landmarks_of",
    "matching",
    "means_of",
    "representatives",
]

# Priors of the views whitened by the covariance, in pairs of random samples.
SHRINKAGES = (1.0, 0.1, 0.01)
# Samples that represent all of them: in clusters of views, and as landmarks of rbf
# features (half the samples at most).
MOST_ROWS, N_LANDMARKS = 1000, 30
# K-means starts in a view besides given clusters.
VIEW_STARTS = 2


@dataclass(frozen=True, eq=False)
class SampleView:
    """Rows of a sample in one view, with the unguided clusters there.

    Attributes
    ----------
    clusters : UnguidedClusters
    Z : ndarray of shape (n_rows, n_features)
        Coordinates.
    F : ndarray of shape (n_rows, n_view_features)
    U : ndarray of shape (len(SHARPNESS), n_rows, n_clusters)
        Memberships, for each power.
    labels : ndarray of shape (n_typical, n_clusters)
        Clusters of the rows that represent all samples, one-hot.
    """

    clusters: UnguidedClusters
    Z: Floats
    F: Floats
    U: Floats
    labels: Floats

    def select(self, rows: Labels) -> "SampleView":
        """Return some rows, with all that represent the samples."""
        return replace(self, Z=self.Z[rows], F=self.F[rows], U=self.U[:, rows])


@dataclass(frozen=True, eq=False)
class Sample:
    """The rows that maps are learned from: judged ones, and some that represent all.

    Attributes
    ----------
    X : ndarray of shape (n_rows, n_features)
    weight : ndarray of shape (n_rows,)
    rows : ndarray of shape (n_rows,)
        Which samples these are.
    typical : ndarray of shape (n_typical,)
        Which rows of X represent all samples.
    seed : int
        Of the starts in views.
    views : tuple of SampleView
        The first is Euclidean. Clusters of the others are in the order of those there.
    """

    X: Floats
    weight: Floats
    rows: Labels
    typical: Labels
    seed: int
    views: tuple[SampleView, ...]

    @property
    def unguided(self) -> Floats:
        """Clusters of typical rows in the Euclidean view, (n_typical, n_clusters)."""
        return self.views[0].labels

    def select(self, rows: Labels) -> "Sample":
        """Return some rows, in order and with all that represent the samples."""
        return replace(
            self,
            X=self.X[rows],
            weight=self.weight[rows],
            rows=self.rows[rows],
            typical=np.searchsorted(rows, self.typical),
            views=tuple(view.select(rows) for view in self.views),
        )


def draw_sample(
    data: CheckedData,
    pairs: PairSet,
    found: Found,
    others: Labels,
    random_state: np.random.RandomState,
) -> Sample:
    """Return the judged samples, samples that represent all, and others.

    Parameters
    ----------
    data : CheckedData
    pairs : PairSet
    found : Found
        Clusters without judgements.
    others : ndarray of shape (n_others,)
    random_state : RandomState
    """
    w = np.ones(data.n_samples) if data.weight is None else data.weight
    typical = representatives(w, random_state)
    rows = np.unique(np.concatenate([pairs.i, pairs.j, typical, others]))
    X = np.asarray(data.X[rows], dtype=np.float64)
    places = np.searchsorted(rows, typical)
    seed = int(random_state.randint(2**31))
    seen, weight = X[places], w[typical]
    labels = np.eye(found.n_clusters)[found.labels[typical]]
    directions = random_directions(seen)
    # Found in the Euclidean view already.
    view = make_view(seen, landmarks_of(seen), directions, np.inf)
    centers = view.coordinates(found.best.centers)
    views = [_in_view(UnguidedClusters(view, centers, found.fuzzifier), X, labels)]
    for p in SHRINKAGES:
        view = make_view(seen, landmarks_of(seen), directions, p)
        Z = view.coordinates(seen)
        there = clusters_at(Z, labels, weight, seed)
        clusters = UnguidedClusters(view, means_of(Z, there, weight), found.fuzzifier)
        views.append(_in_view(clusters, X, there))
    return Sample(X, w[rows], rows, places, seed, tuple(views))


def _in_view(clusters: UnguidedClusters, X: Floats, labels: Floats) -> SampleView:
    Z = clusters.view.coordinates(X)
    U = np.array([clusters.memberships_at(Z, sharpness) for sharpness in SHARPNESS])
    return SampleView(clusters, Z, clusters.view.features_at(Z), U, labels)


def representatives(weight: Floats, random_state: np.random.RandomState) -> Labels:
    """Return samples of positive weight in random order, at most `MOST_ROWS`."""
    drawn = random_state.permutation(len(weight))
    return np.asarray(drawn[weight[drawn] > 0.0][:MOST_ROWS])


def landmarks_of(typical: Floats) -> Floats:
    """Return the rows that span rbf features."""
    return typical[: min(N_LANDMARKS, -(-len(typical) // 2))]


def clusters_at(Z: Floats, target: Floats, weight: Floats, seed: int) -> Floats:
    """Return clusters of k-means, one-hot, in the order that fits the target best.

    Parameters
    ----------
    Z : ndarray of shape (n_rows, n_features)
    target : ndarray of shape (n_rows, n_clusters)
        Memberships; one of the starts.
    weight : ndarray of shape (n_rows,)
    seed : int
        Of the other starts.
    """
    k, random_state = target.shape[1], np.random.RandomState(seed)
    starts = [means_of(Z, target, weight)] + [
        kmeans_plusplus(Z, k, sample_weight=weight, random_state=random_state)
        for _ in range(VIEW_STARTS)
    ]
    found = np.eye(k)[best_partition(Z, starts, weight)]
    return np.asarray(found[:, matching(target, found)])


def means_of(X: Floats, memberships: Floats, weight: Floats) -> Floats:
    """Return weighted means of clusters; the mean of all for one without rows."""
    W = memberships * weight[:, None]
    mass = W.sum(axis=0)[:, None]
    mean = np.average(X, axis=0, weights=weight)
    return np.where(mass > 0.0, W.T @ X / np.maximum(mass, 1e-300), mean)


def matching(T: Floats, U: Floats) -> Labels:
    """Return the order of columns of U in which they agree best with those of T."""
    # Rounded: orders that are equally good must not depend on the last digit.
    return np.asarray(linear_sum_assignment(-(T.T @ U).round(9))[1])
