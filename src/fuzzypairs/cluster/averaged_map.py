"""Memberships by the average of maps in several views."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from fuzzypairs._typing import Floats, Labels
from fuzzypairs.cluster.evidence import tempered
from fuzzypairs.cluster.views import View, softmax, to_dense

__all__ = ["AveragedMap", "Part", "of_clusters"]

# Rows that are mapped at a time.
ROWS_AT_A_TIME = 4096


@dataclass(frozen=True, eq=False)
class Part:
    """A map in a view, with its weight in an average.

    Attributes
    ----------
    view : View
    W : ndarray of shape (n_view_features, n_clusters)
    weight : float
    """

    view: View
    W: Floats
    weight: float


@dataclass(frozen=True, eq=False)
class AveragedMap:
    """The memberships ``m(x) ~ a(x)^t``, ``a(x) = sum_b w_b softmax(f_b(x) W_b)``.

    Attributes
    ----------
    parts : list of Part
    power : float
        t.
    kept : ndarray of shape (n_clusters,)
        The clusters that some sample is in, of those of the parts.
    """

    parts: list[Part]
    power: float
    kept: Labels

    def average(self, X: Any) -> Floats:
        """Return a of rows, dense or sparse, (n_rows, n_clusters)."""
        out = np.zeros((X.shape[0], len(self.kept)))
        for start in range(0, len(out), ROWS_AT_A_TIME):
            rows = slice(start, start + ROWS_AT_A_TIME)
            block = to_dense(X[rows])
            for part in self.parts:
                V = softmax(part.view.features(block) @ part.W)
                out[rows] += part.weight * of_clusters(V, self.kept)
        return out

    def memberships(self, X: Any) -> Floats:
        """Return m of rows, dense or sparse, (n_rows, n_clusters)."""
        return tempered(self.average(X), self.power)

    def feature_weights(self, X: Floats) -> Floats:
        """Return how much logits depend on each feature around X, of sum 1."""
        out = np.zeros(X.shape[1])
        for part in self.parts:
            slopes = part.view.slopes(part.view.coordinates(X), part.W)
            slopes -= slopes.mean(axis=0)
            size = np.sqrt((slopes**2).mean(axis=(0, 1))) * X.std(axis=0)
            out += part.weight * size / max(size.sum(), np.finfo(float).tiny)
        total = out.sum()
        return out / total if total > 0.0 else np.full(len(out), 1.0 / len(out))


def of_clusters(U: Floats, kept: Labels) -> Floats:
    """Return memberships in some clusters; what the others had is shared out evenly."""
    if len(kept) == U.shape[1]:
        return U
    U = U[:, kept]
    return np.asarray(U + (1.0 - U.sum(axis=1, keepdims=True)) / len(kept))
