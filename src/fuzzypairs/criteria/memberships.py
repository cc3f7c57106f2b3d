"""Memberships against true ones."""

from collections.abc import Callable
from typing import Literal, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linear_sum_assignment
from scipy.stats import rankdata

from fuzzypairs._typing import Floats, Labels
from fuzzypairs.criteria.inputs import as_memberships, check_lengths
from fuzzypairs.criteria.partitions import rand_index
from fuzzypairs.validation import (
    check_choice,
    check_flag,
    check_function,
    check_integer,
)

__all__ = ["Chance", "align_clusters", "lia", "mahd", "mahd_chance"]

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
) -> tuple[float, Labels]: ...
def mahd(
    truth: ArrayLike,
    result: ArrayLike,
    *,
    ties: Ties = "stable",
    return_permutation: bool = False,
) -> float | tuple[float, Labels]:
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
    The paper defines it for as many clusters as classes; for other numbers, columns
    that rank last are added here. Linear assignment finds the best of the k!
    permutations in O(m k^2 + k^3).

    Examples
    --------
    >>> from fuzzypairs.criteria import mahd
    >>> truth = [[0.6, 0.3, 0.1], [0.1, 0.7, 0.2]]
    >>> result = [[0.1, 0.6, 0.3], [0.3, 0.1, 0.6]]
    >>> mahd(truth, result, return_permutation=True)
    (0.0, array([1, 2, 0]))
    """
    check_choice("ties", ties, ["stable", "average"])
    check_flag("return_permutation", return_permutation)
    T, U = as_memberships("truth", truth), as_memberships("result", result)
    check_lengths(truth=T, result=U)
    n_columns = max(T.shape[1], U.shape[1])
    agreements = rank_agreements(_pad(T, n_columns), _pad(U, n_columns), ties)
    rows, permutation = linear_sum_assignment(agreements, maximize=True)
    agreed, total = agreements[rows, permutation].sum(), len(T) * n_columns
    distance = float((total - agreed) / total)
    return (distance, permutation) if return_permutation else distance


class Chance(NamedTuple):
    """What a criterion gives for random results.

    Attributes
    ----------
    level : float
        The mean.
    deviation : float
        The standard deviation from one random result to the next.

    Examples
    --------
    >>> from fuzzypairs.criteria import Chance
    >>> Chance(0.764, 0.008).level
    0.764
    """

    level: float
    deviation: float


def mahd_chance(
    n_samples: int, n_clusters: int, *, n_draws: int = 200, random_state: int = 0
) -> Chance:
    """Simulate the minimal average Hamming distance of random memberships.

    Parameters
    ----------
    n_samples : int
        Number of rows.
    n_clusters : int
        Number of clusters, and of classes.
    n_draws : int, default=200
        Number of random results, 2 or more.
    random_state : int, default=0
        Seed of the draws.

    Returns
    -------
    chance : Chance
        The mean and the standard deviation over the draws.

    See Also
    --------
    mahd : The distance itself.

    Notes
    -----
    No truth is needed: relative to any order of a row, a random order is a random
    permutation, so m permutations are drawn and their ranks matched. As a minimum,
    the level lies below 1 - 1/k, the more so the fewer samples.

    Examples
    --------
    >>> from fuzzypairs.criteria import mahd_chance
    >>> level, deviation = mahd_chance(181, 5)
    >>> print(f"{level:.3f} +- {deviation:.3f}")
    0.764 +- 0.008
    """
    shape = (
        check_integer("n_samples", n_samples, 1),
        check_integer("n_clusters", n_clusters, 1),
    )
    rng = np.random.default_rng(check_integer("random_state", random_state, 0))
    n_draws = check_integer("n_draws", n_draws, 2)
    draws = [_random_distance(rng, *shape) for _ in range(n_draws)]
    return Chance(float(np.mean(draws)), float(np.std(draws, ddof=1)))


def lia(
    truth: ArrayLike,
    result: ArrayLike,
    *,
    criterion: Callable[[ArrayLike, ArrayLike], float] = rand_index,
) -> Floats:
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
        The first is the score of the labels. The closer the others are to it, the
        more the smaller memberships mean.

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
    check_function("criterion", criterion, "truth", "result")
    return np.array([criterion(*both) for both in zip(*columns, strict=False)])


def align_clusters(reference: ArrayLike, memberships: ArrayLike) -> Floats:
    """Renumber the clusters of one clustering to match those of another.

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
        without a match come last; a missing match is a column of zeros.

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


def _pad(U: Floats, n_columns: int) -> Floats:
    """Add columns that rank last, whatever the signs of the others."""
    missing = n_columns - U.shape[1]
    return np.pad(U, ((0, 0), (0, missing)), constant_values=-np.inf)


def _rank_spans(U: Floats, ties: Ties) -> tuple[Floats, Floats]:
    """Return the first and the last rank that each entry may have in its row."""
    if ties == "average":
        return rankdata(-U, "min", axis=1), rankdata(-U, "max", axis=1)
    ranks = rankdata(-U, "ordinal", axis=1)
    return ranks, ranks


def rank_agreements(T: Floats, U: Floats, ties: Ties) -> Floats:
    """Count the rows in which column a of T and column b of U have the same rank.

    A tie spans the ranks from `low` to `high`, and each of its columns takes any of
    them with the same probability, so the expected number is counted.
    """
    (low_T, high_T), (low_U, high_U) = _rank_spans(T, ties), _rank_spans(U, ties)
    width_T, width_U = high_T - low_T + 1, high_U - low_U + 1
    agreements = np.empty((T.shape[1], U.shape[1]))
    for a in range(T.shape[1]):  # avoids an array of m x k x k
        low = np.maximum(low_T[:, [a]], low_U)
        high = np.minimum(high_T[:, [a]], high_U)
        shared = np.maximum(high - low + 1, 0)
        agreements[a] = (shared / (width_T[:, [a]] * width_U)).sum(axis=0)
    return agreements


def _random_distance(rng: np.random.Generator, m: int, k: int) -> float:
    """Draw m permutations of k ranks and match their ranks."""
    ranks = rng.random((m, k)).argsort(axis=1)
    agreements = np.array([np.bincount(column, minlength=k) for column in ranks.T])
    best = agreements[linear_sum_assignment(agreements, maximize=True)].sum()
    return 1 - float(best) / ranks.size
