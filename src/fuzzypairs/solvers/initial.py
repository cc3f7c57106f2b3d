"""First prototypes from labels or memberships."""

from typing import TYPE_CHECKING

import numpy as np

from fuzzypairs import _core
from fuzzypairs._typing import Floats, Ints

if TYPE_CHECKING:
    from fuzzypairs.solvers.fused import FusedPasses

CHUNK = 4096


def from_labels(
    passes: "FusedPasses", alpha: float, labels: Ints
) -> tuple[Floats, Floats]:
    """Return prototypes of labels (n_samples,), without small clusters: eq. (12).

    Samples of a dropped cluster have equal memberships in the others, so counts and
    sums of the clusters are enough. Also returns the memberships of the constrained
    samples, (n_constrained, n_clusters).
    """
    n_clusters = int(labels.max()) + 1
    sums, masses = _sums(passes, labels, n_clusters)
    threshold = alpha * _total_weight(passes)
    left = np.arange(n_clusters)
    lost_sums, lost_mass = np.zeros(sums.shape[1]), 0.0
    while True:
        share = 1 / len(left) ** 2
        support = masses[left] + share * lost_mass
        smallest = int(np.argmin(support))
        if support[smallest] > threshold or len(left) == 1:
            break
        lost_sums += sums[left[smallest]]
        lost_mass += masses[left[smallest]]
        left = np.delete(left, smallest)
    inside = one_hot(labels[passes.constrained], n_clusters)[:, left]
    inside[~inside.any(axis=1)] = 1 / len(left)
    above = support - threshold
    return _centers(passes, sums[left] + share * lost_sums, above), inside


def from_memberships(
    passes: "FusedPasses", alpha: float, U: Floats
) -> tuple[Floats, Floats]:
    """Return prototypes of memberships (n_samples, n_clusters), as `from_labels`."""
    threshold = alpha * _total_weight(passes)
    while True:
        sums, masses = _sums(passes, U, U.shape[1])
        smallest = int(np.argmin(masses))
        if masses[smallest] > threshold or U.shape[1] == 1:
            inside = np.ascontiguousarray(U[passes.constrained])
            return _centers(passes, sums, masses - threshold), inside
        U = drop_column(U, smallest)


def _total_weight(passes: "FusedPasses") -> float:
    return float(len(passes.X) if passes.weight is None else passes.weight.sum())


def _sums(
    passes: "FusedPasses", given: Ints | Floats, n_clusters: int
) -> tuple[Floats, Floats]:
    """Return sums of w u^2 x, x centred, and of w u^2, for labels or memberships."""
    X, weight, mean = passes.X, passes.weight, passes.mean
    if given.ndim == 1:
        labels = np.ascontiguousarray(given, dtype=np.int64)
        all_sums = _core.label_sums(
            X, labels, n_clusters, weight, mean, passes.n_threads
        )
        return all_sums[:, :-1], all_sums[:, -1]
    sums, masses = np.zeros((n_clusters, X.shape[1])), np.zeros(n_clusters)
    for start in range(0, len(X), CHUNK):
        rows = slice(start, start + CHUNK)
        W = given[rows] ** 2
        if weight is not None:
            W = W * weight[rows, None]
        # No matrix product: its sums depend on the number of BLAS threads.
        sums += np.einsum("ij,if->jf", W, X[rows] - mean)
        masses += W.sum(axis=0)
    return sums, masses


def _centers(passes: "FusedPasses", sums: Floats, above: Floats) -> Floats:
    """Return eq. (13). Centred samples sum to zero, so alpha has no effect on sums."""
    return np.asarray(passes.mean + sums / above[:, None])


def one_hot(labels: Ints, n_clusters: int) -> Floats:
    """Write labels as memberships of 0 and 1."""
    U = np.zeros((len(labels), n_clusters))
    U[np.arange(len(labels)), labels] = 1.0
    return U


def drop_column(U: Floats, column: int) -> Floats:
    """Drop a cluster and renormalise rows; a row left without any becomes uniform."""
    U = np.delete(U, column, axis=1)
    total = U.sum(axis=1, keepdims=True)
    return np.where(total > 0.0, U / np.where(total > 0.0, total, 1.0), 1 / U.shape[1])
