"""Memberships against true ones, against the data, and by themselves."""

from collections.abc import Callable
from typing import Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist, pdist
from scipy.stats import rankdata
from sklearn.metrics import silhouette_samples
from sklearn.utils import check_array

from fuzzypairs.criteria.agreement import as_memberships, check_lengths, rand_index
from fuzzypairs.validation import (
    check_choice,
    check_integer,
    check_number,
    check_seed,
)

__all__ = [
    "align_clusters",
    "certainty",
    "fuzzy_silhouette",
    "lia",
    "mahd",
    "partition_coefficient",
    "xie_beni",
]

Ties = Literal["stable", "average"]


@overload
def mahd(
    truth: ArrayLike,
    result: ArrayLike,
    *,
    ties: Ties = ...,
    return_permutation: Literal[False] = ...,
) -> float: ...
@overload
def mahd(
    truth: ArrayLike,
    result: ArrayLike,
    *,
    ties: Ties = ...,
    return_permutation: Literal[True],
) -> tuple[float, NDArray[np.intp]]: ...
def mahd(
    truth: ArrayLike,
    result: ArrayLike,
    *,
    ties: Ties = "stable",
    return_permutation: bool = False,
) -> float | tuple[float, NDArray[np.intp]]:
    """Compare the orders of memberships: minimal average Hamming distance.

    Solves the linear assignment problem

        min over pi of 1/(m k) sum_i sum_a [rank_T(i, a) != rank_U(i, pi(a))],

    where ranks are taken along each row, the largest membership first.

    Parameters
    ----------
    truth : array-like of shape (n_samples, n_classes)
        True memberships or ratings.
    result : array-like of shape (n_samples, n_clusters)
        Memberships of a clustering.
    ties : {"stable", "average"}, default="stable"
        Equal memberships of a row rank in the order of their columns, or in every
        order, whose disagreements are averaged. Only the average does not depend on
        the order of the columns, but it is above 0 even for a matrix with itself.
    return_permutation : bool, default=False
        Whether to return pi, too.

    Returns
    -------
    distance : float
        In [0, 1]; 0 where all rows are ordered alike. Read it beside `mahd_chance`.
    permutation : ndarray of shape (max(n_classes, n_clusters),)
        Only with ``return_permutation=True``: the column of `result` for each
        column of `truth`. The narrower matrix has columns added at its end.

    See Also
    --------
    mahd_chance : What a random result would reach.
    lia : Rank by rank.

    Notes
    -----
    The paper defines it for as many clusters as classes. For other numbers, columns
    that rank last are added here. It also fears the k! permutations; the linear
    assignment needs O(m k^2 + k^3).

    Examples
    --------
    >>> from fuzzypairs.criteria import mahd
    >>> truth = [[0.6, 0.3, 0.1], [0.1, 0.7, 0.2]]
    >>> result = [[0.1, 0.6, 0.3], [0.3, 0.1, 0.6]]
    >>> mahd(truth, result, return_permutation=True)
    (0.0, array([1, 2, 0]))
    """
    check_choice("ties", ties, ["stable", "average"])
    T, U = as_memberships("truth", truth), as_memberships("result", result)
    check_lengths(truth=T, result=U)
    n_columns = max(T.shape[1], U.shape[1])
    agreements = rank_agreements(_pad(T, n_columns), _pad(U, n_columns), ties)
    rows, permutation = linear_sum_assignment(agreements, maximize=True)
    agreed, total = agreements[rows, permutation].sum(), len(T) * n_columns
    distance = float((total - agreed) / total)
    return (distance, permutation) if return_permutation else distance


def lia(
    truth: ArrayLike,
    result: ArrayLike,
    *,
    criterion: Callable[[ArrayLike, ArrayLike], float] = rand_index,
) -> NDArray[np.float64]:
    """Compare memberships rank by rank: largest index assignment.

    For t = 1, 2, ... every sample is labelled by the column of its t-th largest
    membership, in truth and in result, and the two partitions are compared.

    Parameters
    ----------
    truth : array-like of shape (n_samples, n_classes)
        True memberships or ratings.
    result : array-like of shape (n_samples, n_clusters)
        Memberships of a clustering.
    criterion : callable, default=rand_index
        From labels of the truth and of the result to a score that does not depend on
        their names, as `rand_index`, `normalized_ari`, `nmi`.

    Returns
    -------
    scores : ndarray of shape (min(n_classes, n_clusters),)
        The first is the usual score of the labels. The closer the others are to it,
        the more the lesser memberships mean.

    See Also
    --------
    mahd : All ranks in one number.

    Notes
    -----
    Equal memberships of a row rank in the order of their columns.

    Examples
    --------
    >>> from fuzzypairs.criteria import lia
    >>> truth = [[0.6, 0.3, 0.1], [0.1, 0.7, 0.2], [0.2, 0.3, 0.5]]
    >>> lia(truth, [[0.1, 0.6, 0.3], [0.3, 0.1, 0.6], [0.2, 0.1, 0.7]]).round(4)
    array([0.6667, 0.3333, 1.    ])
    """
    T, U = as_memberships("truth", truth), as_memberships("result", result)
    check_lengths(truth=T, result=U)
    columns = [np.argsort(-matrix, axis=1, kind="stable").T for matrix in (T, U)]
    # The wider side has ranks that the other lacks, hence not strict.
    return np.array([criterion(*both) for both in zip(*columns, strict=False)])


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
    R = as_memberships("reference", reference)
    U = as_memberships("memberships", memberships)
    check_lengths(reference=R, memberships=U)
    overlap = R.T @ U
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

    See Also
    --------
    partition_coefficient : One number for all rows.

    Examples
    --------
    >>> from fuzzypairs.criteria import certainty
    >>> certainty([[0.5, 0.5], [0.75, 0.25], [0.0, 1.0]])
    array([0. , 0.5, 1. ])
    """
    U = as_memberships("memberships", memberships)
    n_clusters = U.shape[1]
    if n_clusters == 1:
        return np.ones(len(U))
    sure: NDArray[np.float64] = (U.max(axis=1) * n_clusters - 1) / (n_clusters - 1)
    return sure


def partition_coefficient(memberships: ArrayLike) -> float:
    """Measure how crisp a fuzzy partition is, by the mean of u_i.u_i.

    Parameters
    ----------
    memberships : array-like of shape (n_samples, n_clusters)
        Memberships, rows summing to 1.

    Returns
    -------
    coefficient : float
        From 1/k, where all rows are flat, to 1, where all belong to one cluster.

    See Also
    --------
    certainty : Row by row.

    Examples
    --------
    >>> from fuzzypairs.criteria import partition_coefficient
    >>> partition_coefficient([[0.5, 0.5], [0.0, 1.0]])
    0.75
    """
    U = as_memberships("memberships", memberships, shares=True)
    return float((U**2).sum(axis=1).mean())


def xie_beni(
    X: ArrayLike, memberships: ArrayLike, centers: ArrayLike, fuzzifier: float = 2
) -> float:
    """Measure how tight clusters are in relation to how far apart they are.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Data.
    memberships : array-like of shape (n_samples, n_clusters)
        Memberships, rows summing to 1.
    centers : array-like of shape (n_clusters, n_features)
        Prototypes of the clusters.
    fuzzifier : float, default=2
        The power of the memberships, 1 or more.

    Returns
    -------
    index : float
        sum_ij u_ij^fuzzifier ||x_i - c_j||^2 / (m min_jl ||c_j - c_l||^2): the lower
        the better. inf where prototypes coincide or there is but one, so that
        nothing is apart.

    See Also
    --------
    fuzzy_silhouette : Without prototypes.

    Examples
    --------
    >>> from fuzzypairs.criteria import xie_beni
    >>> xie_beni([[0], [2], [8]], [[1, 0], [1, 0], [0, 1]], [[1], [8]])
    0.0136...
    """
    power = check_number("fuzzifier", fuzzifier, 1)
    data, U = _check_data(X, memberships)
    C = check_array(centers, dtype=np.float64, input_name="centers")
    if C.shape != (U.shape[1], data.shape[1]):
        raise ValueError(
            f"centers has shape {C.shape}: expected {(U.shape[1], data.shape[1])}, a "
            "row for each column of memberships and a column for each of X"
        )
    apart = pdist(C, "sqeuclidean").min(initial=np.inf)
    if len(C) == 1 or apart == 0:
        return float("inf")
    within = np.vdot(U**power, cdist(data, C, "sqeuclidean"))
    return float(within / (len(data) * apart))


def fuzzy_silhouette(
    X: ArrayLike,
    memberships: ArrayLike,
    *,
    exponent: float = 1,
    sample_size: int | None = 2000,
    random_state: int | np.random.RandomState | None = 0,
) -> float:
    """Average the silhouettes of samples, those between two clusters counting less.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Data.
    memberships : array-like of shape (n_samples, n_clusters)
        Memberships, rows summing to 1.
    exponent : float, default=1
        The power of the weights: 0 gives the silhouette of the labels.
    sample_size : int or None, default=2000
        Data of more rows are represented by so many drawn ones, since distances
        between all samples are needed. None takes all rows.
    random_state : int, RandomState or None, default=0
        Draws the rows.

    Returns
    -------
    silhouette : float
        sum_i w_i s_i / sum_i w_i in [-1, 1], the higher the better. s_i is the
        Euclidean silhouette of sample i among the labels, and w_i the difference of
        its two largest memberships to the power `exponent`. NaN where fewer than two
        clusters have samples, or all weights are 0.

    See Also
    --------
    xie_beni : With prototypes, and linear in the number of samples.

    Notes
    -----
    After Campello and Hruschka, "A fuzzy extension of the silhouette width criterion
    for cluster analysis", Fuzzy Sets and Systems 157 (2006).

    Examples
    --------
    >>> from fuzzypairs.criteria import fuzzy_silhouette
    >>> U = [[1, 0], [0.9, 0.1], [0.55, 0.45], [0.1, 0.9], [0, 1]]
    >>> round(fuzzy_silhouette([[0], [1], [4], [8], [9]], U), 3)
    0.771
    """
    power = check_number("exponent", exponent, 0)
    rng = check_seed(random_state)
    data, U = _check_data(X, memberships)
    if sample_size is not None and check_integer("sample_size", sample_size, 2) < len(
        U
    ):
        drawn = rng.choice(len(U), sample_size, replace=False)
        data, U = data[drawn], U[drawn]
    labels = U.argmax(axis=1)
    n_labels = len(np.unique(labels))
    if n_labels < 2:
        return float("nan")
    if n_labels == len(labels):
        return 0.0  # the silhouette of a lone sample; scikit-learn refuses the case
    second, first = np.partition(U, -2, axis=1)[:, -2:].T
    weight = (first - second) ** power
    if not weight.any():
        return float("nan")
    return float(np.average(silhouette_samples(data, labels), weights=weight))


def _check_data(
    X: ArrayLike, memberships: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return data and their memberships, whose rows are shares."""
    data = check_array(X, dtype=np.float64, input_name="X")
    U = as_memberships("memberships", memberships, shares=True)
    check_lengths(X=data, memberships=U)
    return data, U


def _pad(U: NDArray[np.float64], n_columns: int) -> NDArray[np.float64]:
    """Add columns that rank last, whatever the signs of the others."""
    missing = n_columns - U.shape[1]
    return np.pad(U, ((0, 0), (0, missing)), constant_values=-np.inf)


def _rank_spans(
    U: NDArray[np.float64], ties: Ties
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the first and the last rank that each entry may have in its row."""
    if ties == "average":
        return rankdata(-U, "min", axis=1), rankdata(-U, "max", axis=1)
    ranks = rankdata(-U, "ordinal", axis=1)
    return ranks, ranks


def rank_agreements(
    T: NDArray[np.float64], U: NDArray[np.float64], ties: Ties
) -> NDArray[np.float64]:
    """Count the rows in which column a of T and column b of U have the same rank.

    A tie spans the ranks from `low` to `high`, and each of its columns takes any of
    them with the same probability, so what is counted is the expected number.

    Examples
    --------
    >>> rank_agreements(np.array([[0.9, 0.1]]), np.array([[0.2, 0.8]]), "stable")
    array([[0., 1.],
           [1., 0.]])
    """
    (low_T, high_T), (low_U, high_U) = _rank_spans(T, ties), _rank_spans(U, ties)
    width_T, width_U = high_T - low_T + 1, high_U - low_U + 1
    agreements = np.empty((T.shape[1], U.shape[1]))
    for a in range(T.shape[1]):  # one column at a time: no m x k x k array
        low = np.maximum(low_T[:, [a]], low_U)
        high = np.minimum(high_T[:, [a]], high_U)
        shared = np.maximum(high - low + 1, 0)
        agreements[a] = (shared / (width_T[:, [a]] * width_U)).sum(axis=0)
    return agreements
