"""Labels against a true partition."""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linear_sum_assignment
from sklearn.metrics.cluster import contingency_matrix

from fuzzypairs._typing import Ints, Labels
from fuzzypairs.criteria.inputs import as_labels, check_lengths
from fuzzypairs.validation import check_choice

Noise = Literal["cluster", "singletons", "drop"]


def normalized_ari(
    truth: ArrayLike, result: ArrayLike, *, noise: Noise = "cluster"
) -> float:
    """Score two partitions by the adjusted Rand index, mapped to [0, 1].

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
    both, first, second, none = _count_pairs(truth, result, noise)
    if first == second == 0:
        return 1.0
    scale = (both + first) * (first + none) + (both + second) * (second + none)
    return 0.5 + (both * none - first * second) / scale


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
    sizes = _count_samples(truth, result, noise)
    of_both, of_classes, of_clusters = map(_entropy, sizes)
    if min(of_classes, of_clusters) == 0:
        return 0.0  # scikit-learn scores two single clusters as a perfect match
    mutual = of_classes + of_clusters - of_both
    return float(np.clip(mutual / np.sqrt(of_classes * of_clusters), 0.0, 1.0))


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
    both, first, second, none = _count_pairs(truth, result, noise)
    total = both + first + second + none
    return (both + none) / total if total else 1.0


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


def _count_samples(
    truth: ArrayLike, result: ArrayLike, noise: Noise
) -> tuple[Ints, Ints, Ints]:
    """Count the samples of each class within each cluster, of classes, of clusters.

    Not by scikit-learn, whose checks take longer than a small fit.
    """
    classes, labels = _comparable_labels(truth, result, noise)
    of_clusters = np.bincount(labels)
    both = np.unique(classes * len(of_clusters) + labels, return_counts=True)[1]
    return both, np.bincount(classes), of_clusters


def _count_pairs(
    truth: ArrayLike, result: ArrayLike, noise: Noise
) -> tuple[int, int, int, int]:
    """Count pairs: together in both, only in truth, only in result, in neither."""
    sizes = _count_samples(truth, result, noise)
    both, classes, clusters = (int((n * (n - 1)).sum()) // 2 for n in sizes)
    n_samples = int(sizes[0].sum())
    neither = n_samples * (n_samples - 1) // 2 - classes - clusters + both
    return both, classes - both, clusters - both, neither


def _entropy(counts: Ints) -> float:
    share = counts[counts > 0] / counts.sum()
    return float(-(share * np.log(share)).sum())
