"""First prototypes, from labels or memberships that a start has given."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fuzzypairs._typing import Floats, Ints
from fuzzypairs.kernels import rows

__all__ = ["Samples", "drop_column", "from_labels", "from_memberships", "one_hot"]


class Samples(NamedTuple):
    """What first prototypes follow from, beside the start."""

    X: NDArray[np.floating[Any]]  # (n_samples, n_features)
    weight: Floats | None  # (n_samples,)
    mean: Floats  # (n_features,)
    totals: Floats  # (n_features + 2,) sums of w x, w |x|^2 and w, x centred
    alpha: float

    @property
    def threshold(self) -> float:
        """What eq. (12) asks of a cluster: alpha of all samples."""
        return float(self.alpha * self.totals[-1])

    @property
    def weights(self) -> Floats:
        """Weights of all samples, one each if there are none."""
        return np.ones(len(self.X)) if self.weight is None else self.weight

    def prototypes(self, sums: Floats, masses: Floats) -> Floats:
        """Return eq. (13) from the sums of w u^2 x and w u^2."""
        above = masses - self.threshold
        return np.asarray((sums - self.alpha * self.totals[:-2]) / above[:, None])


def from_labels(
    samples: Samples, labels: Ints, constrained: Ints
) -> tuple[Floats, Floats]:
    """Return prototypes of labels without the clusters that are too small: eq. (12).

    The samples of a dropped cluster belong to all that are left alike, so counts and
    sums of the clusters are enough.

    Parameters
    ----------
    samples : Samples
    labels : ndarray of shape (n_samples,)
    constrained : ndarray of shape (n_constrained,)

    Returns
    -------
    C : ndarray of shape (n_clusters, n_features)
        Prototypes, centred.
    U : ndarray of shape (n_constrained, n_clusters)
        Memberships of the constrained samples.

    Examples
    --------
    >>> X, totals = np.array([[-1.0], [1.0]]), np.array([0.0, 2.0, 2.0])
    >>> samples = Samples(X, None, np.zeros(1), totals, alpha=0.0)
    >>> from_labels(samples, np.array([1, 0]), np.array([0]))
    (array([[ 1.],
           [-1.]]), array([[0., 1.]]))
    """
    n_clusters = int(labels.max()) + 1
    sums, masses = np.zeros((n_clusters, samples.X.shape[1])), np.zeros(n_clusters)
    rows.label_sums(samples.X, labels, samples.weights, samples.mean, sums, masses)
    left = np.arange(n_clusters)
    lost_sums, lost_mass = np.zeros(sums.shape[1]), 0.0
    while True:
        share = 1 / len(left) ** 2
        support = masses[left] + share * lost_mass
        smallest = int(np.argmin(support))
        if support[smallest] > samples.threshold or len(left) == 1:
            break
        lost_sums += sums[left[smallest]]
        lost_mass += masses[left[smallest]]
        left = np.delete(left, smallest)
    inside = one_hot(labels[constrained], n_clusters)[:, left]
    inside[~inside.any(axis=1)] = 1 / len(left)
    return samples.prototypes(sums[left] + share * lost_sums, support), inside


def from_memberships(
    samples: Samples, U: Floats, constrained: Ints
) -> tuple[Floats, Floats]:
    """Return prototypes of memberships, (n_samples, n_clusters): as `from_labels`."""
    while True:
        n_clusters = U.shape[1]
        sums, masses = np.zeros((n_clusters, samples.X.shape[1])), np.zeros(n_clusters)
        rows.membership_sums(samples.X, U, samples.weights, samples.mean, sums, masses)
        smallest = int(np.argmin(masses))
        if masses[smallest] > samples.threshold or n_clusters == 1:
            return samples.prototypes(sums, masses), U[constrained]
        U = drop_column(U, smallest)


def one_hot(labels: NDArray[np.int64], n_clusters: int) -> Floats:
    """Write labels as memberships of 0 and 1."""
    U = np.zeros((len(labels), n_clusters))
    U[np.arange(len(labels)), labels] = 1.0
    return U


def drop_column(U: Floats, column: int) -> Floats:
    """Drop a cluster and renormalise rows; a row left without any becomes uniform."""
    U = np.delete(U, column, axis=1)
    total = U.sum(axis=1, keepdims=True)
    return np.where(total > 0.0, U / np.where(total > 0.0, total, 1.0), 1 / U.shape[1])
