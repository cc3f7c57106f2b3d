"""Memberships against true ones."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linear_sum_assignment

from fuzzypairs._typing import Floats, Ints
from fuzzypairs.criteria.inputs import as_memberships, check_lengths
from fuzzypairs.criteria.partitions import rand_index
from fuzzypairs.validation import check_function, check_integer


def mahd(truth: ArrayLike, result: ArrayLike) -> float:
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

    Returns
    -------
    distance : float
        In [0, 1]; 0 where all rows are ordered alike. Read it beside `mahd_chance`.

    See Also
    --------
    mahd_chance : What a random result would reach.
    lia : Rank by rank.

    Notes
    -----
    The paper defines it for as many clusters as classes; for other numbers, columns
    that rank last are added here. Equal memberships of a row rank in the order of
    their columns. Linear assignment finds the best of the k! permutations in
    O(m k^2 + k^3).

    Examples
    --------
    >>> from fuzzypairs.criteria import mahd
    >>> truth = [[0.6, 0.3, 0.1], [0.1, 0.7, 0.2]]
    >>> result = [[0.1, 0.6, 0.3], [0.3, 0.1, 0.6]]
    >>> mahd(truth, result)
    0.0
    """
    T, U = as_memberships("truth", truth), as_memberships("result", result)
    check_lengths(truth=T, result=U)
    n_columns = max(T.shape[1], U.shape[1])
    agreements = rank_agreements(_ranks(T, n_columns), _ranks(U, n_columns))
    most = agreements[linear_sum_assignment(agreements, maximize=True)].sum()
    return float(1.0 - most / (len(T) * n_columns))


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


def _ranks(U: Floats, n_columns: int) -> Ints:
    """Return the rank of each entry in its row; columns that are added rank last."""
    missing = n_columns - U.shape[1]
    padded = np.pad(U, ((0, 0), (0, missing)), constant_values=-np.inf)
    order = np.argsort(-padded, axis=1, kind="stable")
    return np.argsort(order, axis=1)


def rank_agreements(T: Ints, U: Ints) -> Ints:
    """Count the rows in which column a of T and column b of U have the same rank."""
    # Column by column: an array of m x k x k would be large.
    return np.array([(column[:, None] == U).sum(axis=0) for column in T.T])


def _random_distance(rng: np.random.Generator, m: int, k: int) -> float:
    """Draw m permutations of k ranks and match their ranks."""
    ranks = rng.random((m, k)).argsort(axis=1)
    agreements = np.array([np.bincount(column, minlength=k) for column in ranks.T])
    best = agreements[linear_sum_assignment(agreements, maximize=True)].sum()
    return 1 - float(best) / ranks.size
