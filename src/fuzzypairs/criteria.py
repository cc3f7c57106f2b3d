"""How well clusters agree with a truth, with judgements, and with each other."""

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from sklearn.utils import check_consistent_length

from fuzzypairs.pairs import PairSet

__all__ = [
    "align_clusters",
    "certainty",
    "nmi",
    "normalized_ari",
    "pair_agreement",
    "pairs_held",
]

Noise = Literal["cluster", "singletons", "drop"]


def normalized_ari(
    truth: ArrayLike, result: ArrayLike, *, noise: Noise = "cluster"
) -> float:
    """Score two partitions by the adjusted Rand index, moved to [0, 1].

    Parameters
    ----------
    truth : array-like of shape (n_samples,) or (n_samples, n_classes)
        True labels, or true memberships.
    result : array-like of shape (n_samples,) or (n_samples, n_clusters)
        Labels or memberships of a clustering. -1 marks unassigned samples.
    noise : {"cluster", "singletons", "drop"}, default="cluster"
        What unassigned samples are: one more cluster, a cluster each, or left out.

    Returns
    -------
    score : float
        (ARI + 1) / 2, as the paper prints it: 1 for the same partition, 0.5 on
        average by chance.

    See Also
    --------
    nmi : The other criterion of the paper's tables.

    Notes
    -----
    Memberships are turned into labels by their largest entry, the first on ties.

    Examples
    --------
    >>> from fuzzypairs.criteria import normalized_ari
    >>> round(normalized_ari([0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 1, 1]), 6)
    0.518349
    """
    truth, result = _comparable_labels(truth, result, noise)
    return (float(adjusted_rand_score(truth, result)) + 1) / 2


def nmi(truth: ArrayLike, result: ArrayLike, *, noise: Noise = "cluster") -> float:
    """Score two partitions by mutual information over their mean entropy.

    Parameters
    ----------
    truth : array-like of shape (n_samples,) or (n_samples, n_classes)
        True labels, or true memberships.
    result : array-like of shape (n_samples,) or (n_samples, n_clusters)
        Labels or memberships of a clustering. -1 marks unassigned samples.
    noise : {"cluster", "singletons", "drop"}, default="cluster"
        What unassigned samples are: one more cluster, a cluster each, or left out.

    Returns
    -------
    score : float
        I(truth; result) / sqrt(H(truth) H(result)), in [0, 1]; 0 where either
        side is a single cluster and so tells nothing.

    See Also
    --------
    normalized_ari : Corrected for chance, which this criterion is not.

    Notes
    -----
    The mean is geometric, as in the paper, where scikit-learn's is arithmetic by
    default. It rewards many small clusters, so read it beside their number.

    Examples
    --------
    >>> from fuzzypairs.criteria import nmi
    >>> round(nmi([0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 1, 1]), 6)
    0.396654
    """
    truth, result = _comparable_labels(truth, result, noise)
    if min(np.ptp(truth), np.ptp(result)) == 0:
        return 0.0  # scikit-learn calls two single clusters a perfect match
    score = normalized_mutual_info_score(truth, result, average_method="geometric")
    return float(score)


def pair_agreement(pairs: Any, result: ArrayLike) -> float:
    """Measure the share of the judgements that a clustering keeps, by strength.

    A judgement of s > 0 is kept when both samples have the same label, one of
    s < 0 when they have different labels, and each counts |s|. s = 0 says nothing.

    Parameters
    ----------
    pairs : PairSet or what `PairSet.coerce` accepts
        Judgements about the samples of `result`.
    result : array-like of shape (n_samples,) or (n_samples, n_clusters)
        Labels or memberships of a clustering.

    Returns
    -------
    agreement : float
        In [0, 1]; NaN where no judgement says anything.

    See Also
    --------
    pairs_held : The same, judgement by judgement.

    Notes
    -----
    Memberships count by their largest entry. A threshold on u_p.u_q would not do:
    the overlap of two alike but fuzzy samples is small (1/k at the flattest).

    Examples
    --------
    >>> from fuzzypairs.criteria import pair_agreement
    >>> labels = [0, 0, 1, 1]
    >>> pair_agreement([(0, 1, 0.9), (1, 2, -0.6), (2, 3, -0.5)], labels)
    0.75
    """
    labels = _as_labels(result, "result")
    pairs = PairSet.coerce(pairs, n_samples=len(labels))
    weight = np.abs(pairs.grade)
    if not weight.any():
        return float("nan")
    return float(weight[pairs_held(pairs, labels)].sum() / weight.sum())


def pairs_held(pairs: Any, result: ArrayLike) -> NDArray[np.bool_]:
    """Say of each judgement whether a clustering keeps it.

    Parameters
    ----------
    pairs : PairSet or what `PairSet.coerce` accepts
        Judgements about the samples of `result`.
    result : array-like of shape (n_samples,) or (n_samples, n_clusters)
        Labels or memberships of a clustering.

    Returns
    -------
    held : ndarray of shape (n_pairs,)
        In the order of the `PairSet`. A judgement of 0 asks nothing and is held.

    See Also
    --------
    pair_agreement : The share that is held, by strength.

    Examples
    --------
    >>> from fuzzypairs.criteria import pairs_held
    >>> pairs_held([(0, 1, 0.9), (1, 2, 0.6), (2, 3, 0.0)], [0, 0, 1, 2]).tolist()
    [True, False, True]
    """
    labels = _as_labels(result, "result")
    pairs = PairSet.coerce(pairs, n_samples=len(labels))
    together = labels[pairs.i] == labels[pairs.j]
    held: NDArray[np.bool_] = (pairs.grade == 0) | (together == (pairs.grade > 0))
    return held


def align_clusters(reference: ArrayLike, memberships: ArrayLike) -> NDArray[np.float64]:
    """Renumber the clusters of one clustering after those of another.

    Solves the linear assignment problem of maximising the total overlap
    sum_ij r_ij u_i,order(j) over all orders of the clusters.

    Parameters
    ----------
    reference : array-like of shape (n_samples, n_reference)
        Memberships whose numbering is to be taken over.
    memberships : array-like of shape (n_samples, n_clusters)
        Memberships to renumber.

    Returns
    -------
    aligned : ndarray of shape (n_samples, max(n_reference, n_clusters))
        The columns of `memberships`, each in the place of its match. Clusters
        without a match come last; matches that are missing are columns of zeros.

    Examples
    --------
    >>> from fuzzypairs.criteria import align_clusters
    >>> align_clusters([[1, 0], [0, 1], [0, 1]], [[0.1, 0.9], [0.8, 0.2], [1, 0]])
    array([[0.9, 0.1],
           [0.2, 0.8],
           [0. , 1. ]])
    """
    check_consistent_length(reference, memberships)
    U = np.asarray(memberships, dtype=float)
    overlap = np.asarray(reference, dtype=float).T @ U
    place, match = linear_sum_assignment(overlap, maximize=True)
    aligned = np.zeros((len(U), max(overlap.shape)))
    aligned[:, place] = U[:, match]
    spare = np.delete(U, match, axis=1)
    aligned[:, aligned.shape[1] - spare.shape[1] :] += spare
    return aligned


def certainty(memberships: ArrayLike) -> NDArray[np.float64]:
    """Say how clearly each row belongs to one cluster.

    Parameters
    ----------
    memberships : array-like of shape (n_samples, n_clusters)
        Memberships, rows summing to 1.

    Returns
    -------
    certainty : ndarray of shape (n_samples,)
        The largest membership, moved from [1/k, 1] to [0, 1]: 0 for a row that
        belongs to all clusters alike, 1 for a row that belongs to one only.

    Examples
    --------
    >>> from fuzzypairs.criteria import certainty
    >>> certainty([[0.5, 0.5], [0.75, 0.25], [0.0, 1.0]])
    array([0. , 0.5, 1. ])
    """
    U = np.asarray(memberships, dtype=float)
    n_clusters = U.shape[1]
    if n_clusters == 1:
        return np.ones(len(U))
    sure: NDArray[np.float64] = (U.max(axis=1) * n_clusters - 1) / (n_clusters - 1)
    return sure


def _as_labels(result: ArrayLike, name: str) -> NDArray[Any]:
    """Return labels as they are, and memberships by their largest entry."""
    array: NDArray[Any] = np.asarray(result)
    if array.ndim == 2:
        return np.asarray(array.argmax(axis=1))
    if array.ndim != 1:
        raise ValueError(
            f"{name} has shape {array.shape}: expected labels (n_samples,) or "
            "memberships (n_samples, n_clusters)"
        )
    return array


def _comparable_labels(
    truth: ArrayLike, result: ArrayLike, noise: Noise
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return both sides as integer labels, unassigned samples treated as asked."""
    classes, labels = _as_labels(truth, "truth"), _as_labels(result, "result")
    if len(classes) != len(labels):
        raise ValueError(
            f"truth has {len(classes)} samples but result has {len(labels)}: expected "
            "the same samples in the same order"
        )
    unassigned = labels == -1
    if noise == "drop":
        classes, labels = classes[~unassigned], labels[~unassigned]
    elif noise not in ("cluster", "singletons"):
        raise ValueError(
            f"noise is {noise!r}: expected 'cluster', 'singletons' or 'drop'"
        )
    if not labels.size:
        raise ValueError("result assigns no sample: there is nothing to compare")
    codes = np.unique(labels, return_inverse=True)[1]
    if noise == "singletons":
        codes[unassigned] = len(codes) + np.arange(unassigned.sum())
    return np.unique(classes, return_inverse=True)[1], codes
