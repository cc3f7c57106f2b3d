"""Labels against a true partition."""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import (
    adjusted_rand_score,
    normalized_mutual_info_score,
    rand_score,
)
from sklearn.metrics.cluster import contingency_matrix

from fuzzypairs._typing import Labels
from fuzzypairs.criteria.inputs import as_labels, check_lengths
from fuzzypairs.validation import check_choice

__all__ = [
    "hungarian_accuracy",
    "nmi",
    "normalized_ari",
    "rand_index",
    "twsvc_accuracy",
]

Noise = Literal["cluster", "singletons", "drop"]


def normalized_ari(
    truth: ArrayLike, result: ArrayLike, *, noise: Noise = "cluster"
) -> float:
    """Score two partitions by the adjusted Rand index, moved to [0, 1].

    Parameters
    ----------
    truth, result : array-like of shape (n_samples,) or (n_samples, n_clusters)
        True and found labels or memberships; -1 in `result` marks unassigned samples.
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
    Memberships are turned into labels by their largest entry, the first on ties:
    eq. (1) of the paper.

    Examples
    --------
    >>> from fuzzypairs.criteria import normalized_ari
    >>> round(normalized_ari([0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 1, 1]), 6)
    0.518349
    """
    classes, labels = _comparable_labels(truth, result, noise)
    return (float(adjusted_rand_score(classes, labels)) + 1) / 2


def nmi(truth: ArrayLike, result: ArrayLike, *, noise: Noise = "cluster") -> float:
    """Score two partitions by mutual information over their mean entropy.

    Parameters
    ----------
    truth, result : array-like of shape (n_samples,) or (n_samples, n_clusters)
        True and found labels or memberships; -1 in `result` marks unassigned samples.
    noise : {"cluster", "singletons", "drop"}, default="cluster"
        What unassigned samples are: one more cluster, a cluster each, or left out.

    Returns
    -------
    score : float
        I(truth; result) / sqrt(H(truth) H(result)), in [0, 1]; 0 where either
        side is a single cluster.

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
    classes, labels = _comparable_labels(truth, result, noise)
    if min(np.ptp(classes), np.ptp(labels)) == 0:
        return 0.0  # scikit-learn scores two single clusters as a perfect match
    return float(
        normalized_mutual_info_score(classes, labels, average_method="geometric")
    )


def rand_index(
    truth: ArrayLike, result: ArrayLike, *, noise: Noise = "cluster"
) -> float:
    """Score two partitions by the share of pairs of samples they treat alike.

    Parameters
    ----------
    truth, result : array-like of shape (n_samples,) or (n_samples, n_clusters)
        True and found labels or memberships; -1 in `result` marks unassigned samples.
    noise : {"cluster", "singletons", "drop"}, default="cluster"
        What unassigned samples are: one more cluster, a cluster each, or left out.

    Returns
    -------
    score : float
        The Rand index in [0, 1]: pairs that are together in both partitions or
        apart in both, among all pairs.

    See Also
    --------
    hungarian_accuracy : The share of samples, not of pairs.
    normalized_ari : The same pairs, corrected for chance.

    Notes
    -----
    This is "Acc." of the paper and of TWSVC, hence its second name,
    `twsvc_accuracy`: with n_11 and n_00 the positions where both m x m matrices of
    "same label" hold 1 and 0, (n_00 + n_11 - m) / (m^2 - m). It is not corrected for
    chance: two random partitions into five even clusters score about 0.68.

    Examples
    --------
    >>> from fuzzypairs.criteria import rand_index
    >>> round(rand_index([0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 1, 1]), 6)
    0.533333
    """
    return float(rand_score(*_comparable_labels(truth, result, noise)))


twsvc_accuracy = rand_index


def hungarian_accuracy(
    truth: ArrayLike, result: ArrayLike, *, noise: Noise = "cluster"
) -> float:
    """Score two partitions by the share of samples in matched clusters.

    Solves the linear assignment problem of matching each class with at most one
    cluster so that they share as many samples as possible.

    Parameters
    ----------
    truth, result : array-like of shape (n_samples,) or (n_samples, n_clusters)
        True and found labels or memberships; -1 in `result` marks unassigned samples.
    noise : {"cluster", "singletons", "drop"}, default="cluster"
        What unassigned samples are: one more cluster, a cluster each, or left out.

    Returns
    -------
    score : float
        In [0, 1]; samples of classes or clusters without a match count as wrong.

    See Also
    --------
    rand_index : What the paper calls accuracy.

    Examples
    --------
    >>> from fuzzypairs.criteria import hungarian_accuracy
    >>> round(hungarian_accuracy([0, 0, 0, 1, 1, 2], [5, 5, 3, 3, 3, 3]), 6)
    0.666667
    """
    classes, labels = _comparable_labels(truth, result, noise)
    shared = contingency_matrix(classes, labels)
    matched = shared[linear_sum_assignment(shared, maximize=True)].sum()
    return float(matched / len(labels))


def _comparable_labels(
    truth: ArrayLike, result: ArrayLike, noise: Noise
) -> tuple[Labels, Labels]:
    """Return both sides as integer labels, unassigned samples treated as asked."""
    check_choice("noise", noise, ["cluster", "singletons", "drop"])
    classes, labels = as_labels("truth", truth), as_labels("result", result)
    check_lengths(truth=classes, result=labels)
    unassigned = labels == -1
    if noise == "drop":
        classes, labels = classes[~unassigned], labels[~unassigned]
    if not labels.size:
        raise ValueError("result assigns no sample: there is nothing to compare")
    codes = np.unique(labels, return_inverse=True)[1]
    if noise == "singletons":
        codes[unassigned] = len(codes) + np.arange(unassigned.sum())
    return np.unique(classes, return_inverse=True)[1], codes
