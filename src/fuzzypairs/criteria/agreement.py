"""Agreement of labels with a true partition, and with judgements of pairs."""

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment
from scipy.stats import spearmanr
from sklearn.metrics import (
    adjusted_rand_score,
    normalized_mutual_info_score,
    rand_score,
)
from sklearn.metrics.cluster import contingency_matrix

from fuzzypairs.pairs import PairSet
from fuzzypairs.pairs.consistency import (
    balanced_share,
    kept_judgements,
    kept_share,
)
from fuzzypairs.validation import check_choice

__all__ = [
    "hungarian_accuracy",
    "nmi",
    "normalized_ari",
    "pair_agreement",
    "pairs_held",
    "rand_index",
    "twsvc_accuracy",
]

Noise = Literal["cluster", "singletons", "drop"]
Method = Literal["sign", "balanced", "rank"]

# Rows of memberships read from a table of four decimals may sum to this much more
# or less than 1.
ROW_SUM_TOLERANCE = 1e-3


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
    classes, labels = _comparable_labels(truth, result, noise)
    if min(np.ptp(classes), np.ptp(labels)) == 0:
        return 0.0  # scikit-learn calls two single clusters a perfect match
    score = normalized_mutual_info_score(classes, labels, average_method="geometric")
    return float(score)


def rand_index(
    truth: ArrayLike, result: ArrayLike, *, noise: Noise = "cluster"
) -> float:
    """Score two partitions by the share of pairs of samples they treat alike.

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
        The Rand index in [0, 1]: pairs that are together in both partitions or
        apart in both, among all pairs.

    See Also
    --------
    hungarian_accuracy : The share of samples, not of pairs.
    normalized_ari : The same pairs, corrected for chance.

    Notes
    -----
    This is "Acc." of the paper and of TWSVC, and has a second name for it,
    `twsvc_accuracy`: with n_11 and n_00 the positions where both m x m matrices of
    "same label" hold 1 and 0, (n_00 + n_11 - m) / (m^2 - m). Chance is far from 0
    and depends on the sizes: two random partitions into five even clusters score
    about 0.68.

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
    truth : array-like of shape (n_samples,) or (n_samples, n_classes)
        True labels, or true memberships.
    result : array-like of shape (n_samples,) or (n_samples, n_clusters)
        Labels or memberships of a clustering. -1 marks unassigned samples.
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


def pair_agreement(pairs: Any, result: ArrayLike, *, method: Method = "sign") -> float:
    """Measure how well a clustering keeps judgements of pairs.

    A judgement of s > 0 is kept when both samples have the same label, one of
    s < 0 when they have different labels, and each counts |s|. s = 0 says nothing.

    Parameters
    ----------
    pairs : PairSet or what `PairSet.coerce` accepts
        Judgements about the samples of `result`.
    result : array-like of shape (n_samples,) or (n_samples, n_clusters)
        Labels or memberships of a clustering.
    method : {"sign", "balanced", "rank"}, default="sign"
        "sign" takes the share that is kept, by strength. "balanced" takes that
        share among alike and among unlike judgements, and the mean of the two (or
        the one there is), so that one big cluster does not score well where most
        judgements are alike. "rank" takes Spearman's correlation of the overlaps
        u_p.u_q with the grades, and so asks for their order, not for labels.

    Returns
    -------
    agreement : float
        In [0, 1], or in [-1, 1] for "rank". NaN where no judgement says anything,
        and for "rank" where all grades or all overlaps are the same.

    See Also
    --------
    pairs_held : Judgement by judgement.

    Notes
    -----
    For "sign" and "balanced" memberships count by their largest entry. A threshold
    on u_p.u_q would not do: the overlap of two alike but fuzzy samples is small
    (1/k at the flattest). For "rank" labels count as memberships of 0 and 1.

    Examples
    --------
    >>> from fuzzypairs.criteria import pair_agreement
    >>> pairs, labels = [(0, 1, 0.9), (1, 2, -0.6), (2, 3, -0.5)], [0, 0, 1, 1]
    >>> pair_agreement(pairs, labels)
    0.75
    >>> round(pair_agreement(pairs, labels, method="balanced"), 4)
    0.7727
    >>> round(pair_agreement(pairs, labels, method="rank"), 4)
    0.866
    """
    check_choice("method", method, ["sign", "balanced", "rank"])
    labels = as_labels("result", result)
    judged = PairSet.coerce(pairs, n_samples=len(labels)).informative
    if method == "rank":
        return _rank_agreement(judged, result)
    kept = kept_judgements(labels[judged.i] == labels[judged.j], judged.grade)
    if method == "balanced":
        return float(balanced_share(kept, judged.grade))
    return float(kept_share(kept, np.abs(judged.grade)))


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
    labels = as_labels("result", result)
    pairs = PairSet.coerce(pairs, n_samples=len(labels))
    together = labels[pairs.i] == labels[pairs.j]
    return np.asarray(kept_judgements(together, pairs.grade) == 1)


def as_memberships(
    name: str, memberships: ArrayLike, *, shares: bool = False
) -> NDArray[np.float64]:
    """Return a finite matrix of shape (n_samples, n_clusters), neither of them 0.

    Ratings will do: rows need not sum to 1, unless `shares` asks for it.

    Examples
    --------
    >>> as_memberships("truth", [[3, 1], [2, 5]])
    array([[3., 1.],
           [2., 5.]])
    """
    try:
        U = np.asarray(memberships, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be a matrix of numbers: {error}") from None
    if U.ndim != 2 or not U.size:
        raise ValueError(
            f"{name} has shape {U.shape}: expected memberships "
            "(n_samples, n_clusters) with a row and a column at least"
        )
    wrong = ~np.isfinite(U)
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        raise ValueError(
            f"{name}[{row}, {column}] is {U[row, column]}: memberships must be finite"
        )
    if shares:
        total = U.sum(axis=1)
        amiss = (np.abs(total - 1) > ROW_SUM_TOLERANCE) | (U < 0).any(axis=1)
        if amiss.any():
            row = int(np.argmax(amiss))
            raise ValueError(
                f"{name}[{row}] sums to {total[row]:.6g} with the least entry "
                f"{U[row].min():.6g}: expected entries of 0 or more that sum to 1; "
                "divide each row by its sum"
            )
    return U


def as_labels(name: str, result: ArrayLike) -> NDArray[Any]:
    """Return labels as they are, and memberships by their largest entry, eq. (1).

    Examples
    --------
    >>> as_labels("result", [[0.2, 0.8], [0.5, 0.5]])
    array([1, 0])
    """
    array: NDArray[Any] = np.asarray(result)
    if array.ndim == 2:
        U = as_memberships(name, array)
        if U.shape[1] == 1 and np.ptp(U) > ROW_SUM_TOLERANCE:
            # Labels in a column would all count as the one cluster of memberships.
            raise ValueError(
                f"{name} has shape {U.shape} and different values: expected labels "
                "(n_samples,); pass its only column"
            )
        return np.asarray(U.argmax(axis=1))
    if array.ndim != 1:
        raise ValueError(
            f"{name} has shape {array.shape}: expected labels (n_samples,) or "
            "memberships (n_samples, n_clusters)"
        )
    if array.dtype.kind == "f" and np.isnan(array).any():
        row = int(np.argmax(np.isnan(array)))
        raise ValueError(
            f"{name}[{row}] is nan: expected a label of every sample; drop the samples "
            "without one"
        )
    return array


def check_lengths(**arrays: NDArray[Any]) -> None:
    """Refuse two arrays, given by name, that are not about the same samples.

    Examples
    --------
    >>> check_lengths(truth=np.zeros(3), result=np.ones((3, 2)))
    """
    (first, one), (second, other) = arrays.items()
    if len(one) != len(other):
        raise ValueError(
            f"{first} has {len(one)} samples but {second} has {len(other)}: expected "
            "the same samples in the same order"
        )


def _comparable_labels(
    truth: ArrayLike, result: ArrayLike, noise: Noise
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
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


def _rank_agreement(pairs: PairSet, result: ArrayLike) -> float:
    """Correlate the ranks of overlaps and grades; NaN where either is constant."""
    U = np.asarray(result)
    if U.ndim == 1:
        overlap = (U[pairs.i] == U[pairs.j]).astype(float)
    else:
        overlap = np.einsum("pk,pk->p", U[pairs.i], U[pairs.j])
    if not len(pairs) or min(np.ptp(overlap), np.ptp(pairs.grade)) == 0:
        return float("nan")
    return float(spearmanr(overlap, pairs.grade).statistic)
