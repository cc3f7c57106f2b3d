"""Memberships that combine unguided clusters and a map learned from judgements."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from fuzzypairs._typing import Floats, Labels
from fuzzypairs.cluster.checked import require_finite
from fuzzypairs.cluster.evidence import tempered
from fuzzypairs.solvers.free import memberships_of
from fuzzypairs.spaces.feature_maps import MappedSpace
from fuzzypairs.spaces.likelihood import softmax
from fuzzypairs.spaces.vectors import Euclidean
from fuzzypairs.spaces.views import View

__all__ = ["CombinedMap", "UnguidedClusters", "ViewMap", "certainty_radius", "joined"]

# Rows further from the landmarks than all but this share of the samples are unlike
# what was seen.
UNUSUAL = 0.01
ROWS_AT_A_TIME = 4096
# Models of smaller weight are left out of the average.
NEGLIGIBLE = 1e-3


@dataclass(frozen=True, eq=False)
class UnguidedClusters:
    """Clusters found without judgements, in one view.

    Attributes
    ----------
    view : View
    prototypes : ndarray of shape (n_clusters, n_features)
        In its coordinates.
    fuzzifier : float
    """

    view: View
    prototypes: Floats
    fuzzifier: float

    def memberships(self, X: Floats) -> Floats:
        """Return memberships of rows, (n_rows, n_clusters)."""
        return self.memberships_at(self.view.coordinates(X), 1.0)

    def memberships_at(self, Z: Floats, sharpness: float) -> Floats:
        """Return memberships of rows with coordinates Z, raised to a power."""
        g = 1.0 + (self.fuzzifier - 1.0) / sharpness
        return memberships_of(Euclidean().between(Z, self.prototypes), g)


class ViewMap:
    """Probabilities v(x) = softmax([f(x), 1] W) from the features f of two views.

    Parameters
    ----------
    view : View
    whitened : View
        Of the coordinates in the first view.
    coefficients : ndarray of shape (n_view_features + 1, n_clusters)
        W, the features of the first view before those of the other.
    """

    def __init__(self, view: View, whitened: View, coefficients: Floats) -> None:
        self.view = view
        self.whitened = whitened
        self.coefficients = coefficients

    def probabilities(self, X: Floats) -> Floats:
        """Return v of rows, (n_rows, n_clusters)."""
        W = self.coefficients
        Z = self.view.coordinates(X)
        F = joined([self.view.features_at(Z), self.whitened.features(Z)])
        return softmax(F @ W[:-1] + W[-1])

    def sensitivity(self, X: Floats) -> Floats:
        """Return how much logits depend on each feature around X, as a share.

        The root mean square slope times the deviation of the feature.
        """
        first, second = np.split(self.coefficients[:-1], [self.view.n_out])
        Z = self.view.coordinates(X)
        slopes = self.view.slopes(X, first)
        slopes += self.view.by_samples(self.whitened.slopes(Z, second))
        slopes -= np.mean(slopes, axis=0)
        return as_shares(np.sqrt((slopes**2).mean(axis=(0, 1))) * X.std(axis=0))


def joined(features: Sequence[Floats]) -> Floats:
    """Return features of rows in several views as one, of the mean length of each."""
    return np.asarray(np.column_stack(features) / np.sqrt(len(features)))


class CombinedMap(MappedSpace):
    """The simplex, with samples at their combined memberships.

        a(x) = sum_b w_b u_b(x) + w v(x)
        m(x) = r(x) a(x)^t / sum_h a_h(x)^t + (1 - r(x)) / k

    u_b are memberships by distances to unguided prototypes in several views, v the
    probabilities of a map learned from judgements, w their weights. The power t makes
    memberships as certain as they are right. r is 1, but for rows unlike the samples:
    if d(x) is the distance to the nearest landmark and D what 99 % of the samples keep,
    r(x) = min(1, D / d(x))^2.

    Parameters
    ----------
    learned : ViewMap
    guided_weight : float
        w.
    unguided : sequence of UnguidedClusters
        The first in the Euclidean view.
    unguided_weights : ndarray of shape (n_views,)
        w_b.
    power : float
        t.
    radius : float
        D, in the coordinates of the Euclidean view.
    kept : ndarray of shape (n_kept,)
        The clusters that some sample is in; others are left out of m.
    """

    explicit: ClassVar[bool] = False

    def __init__(
        self,
        learned: ViewMap,
        guided_weight: float,
        unguided: Sequence[UnguidedClusters],
        unguided_weights: Floats,
        power: float,
        radius: float,
        kept: Labels,
    ) -> None:
        self.learned = learned
        self.guided_weight = guided_weight
        self.unguided = unguided
        self.unguided_weights = unguided_weights
        self.power = power
        self.radius = radius
        self.kept = kept

    def map(self, X: Any) -> Floats:
        """Return m of rows, (n_rows, n_clusters)."""
        starts = range(0, max(len(X), 1), ROWS_AT_A_TIME)
        parts = [self._block(X[a : a + ROWS_AT_A_TIME]) for a in starts]
        return require_finite(np.concatenate(parts))

    def _block(self, X: Floats) -> Floats:
        out = np.zeros((len(X), len(self.unguided[0].prototypes)))
        if self.guided_weight > NEGLIGIBLE:
            out += self.guided_weight * self.learned.probabilities(X)
        for w, clusters in zip(self.unguided_weights, self.unguided, strict=True):
            if w > NEGLIGIBLE:
                out += w * clusters.memberships(X)
        out = (out / out.sum(axis=1, keepdims=True))[:, self.kept]
        # What clusters without samples had is shared out evenly.
        out += (1.0 - out.sum(axis=1, keepdims=True)) / out.shape[1]
        out = tempered(out, self.power)
        distance = nearest(self.unguided[0].view, X)
        r = np.minimum(1.0, self.radius / np.maximum(distance, 1e-300))[:, None] ** 2
        out = r * out + (1.0 - r) / out.shape[1]
        return np.ascontiguousarray(out / out.sum(axis=1, keepdims=True))


def nearest(view: View, X: Floats) -> Floats:
    """Return distances of rows to the nearest landmark of a view."""
    Z, L = view.coordinates(X), view.landmarks
    squared = (L * L).sum(axis=1) - 2.0 * Z @ L.T
    least = squared.min(axis=1) + (Z * Z).sum(axis=1)
    return np.asarray(np.sqrt(np.maximum(least, 0.0)))


def certainty_radius(view: View, X: Floats) -> float:
    """Return the distance to the nearest landmark that 99 % of the samples X keep."""
    radius = float(np.quantile(nearest(view, X), 1.0 - UNUSUAL))
    return radius if radius > 1e-7 else np.inf


def as_shares(values: Floats) -> Floats:
    """Return non-negative values in proportion, of sum 1; even ones if all are 0."""
    total = values.sum()
    if not total > 0.0:
        return np.full(len(values), 1.0 / len(values))
    return np.asarray(values / total)
