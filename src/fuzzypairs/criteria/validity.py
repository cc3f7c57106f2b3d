"""Validity indices: memberships by themselves and against the data."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist, pdist
from sklearn.metrics import silhouette_samples

from fuzzypairs._typing import Floats
from fuzzypairs.criteria.inputs import as_memberships, check_lengths
from fuzzypairs.validation import check_integer, check_number, check_seed, read_array

# Squared distances of larger values overflow.
LARGEST = 1e150


def certainty(memberships: ArrayLike) -> Floats:
    """Measure how clearly each row belongs to one cluster.

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
    return np.asarray((U.max(axis=1) * n_clusters - 1) / (n_clusters - 1))


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
        the better. inf where prototypes coincide or there is only one.

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
    C = _within_reach("centers", centers)
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
    sample_size: int | None = 2000,
    random_state: int | np.random.RandomState | None = 0,
) -> float:
    """Average the silhouettes of samples, weighted by how clear their cluster is.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Data.
    memberships : array-like of shape (n_samples, n_clusters)
        Memberships, rows summing to 1.
    sample_size : int or None, default=2000
        Of more rows than this, a random subset of this size is used, since the
        distances between all samples are needed. None takes all rows.
    random_state : int, RandomState or None, default=0
        Draws the rows.

    Returns
    -------
    silhouette : float
        sum_i w_i s_i / sum_i w_i in [-1, 1], the higher the better. s_i is the
        Euclidean silhouette of sample i among the labels, and w_i the difference of
        its two largest memberships. NaN where fewer than two
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
    rng = check_seed(random_state)
    data, U = _check_data(X, memberships)
    if sample_size is not None:
        sample_size = check_integer("sample_size", sample_size, 2)
        if sample_size < len(U):
            drawn = rng.choice(len(U), sample_size, replace=False)
            data, U = data[drawn], U[drawn]
    labels = U.argmax(axis=1)
    n_labels = len(np.unique(labels))
    if n_labels < 2:
        return float("nan")
    if n_labels == len(labels):
        return 0.0  # the silhouette of singletons, which scikit-learn refuses
    second, first = np.partition(U, -2, axis=1)[:, -2:].T
    weight = first - second
    if not weight.any():
        return float("nan")
    return float(np.average(silhouette_samples(data, labels), weights=weight))


def _check_data(X: ArrayLike, memberships: ArrayLike) -> tuple[Floats, Floats]:
    """Return data and their memberships, whose rows are shares."""
    data = _within_reach("X", X)
    U = as_memberships("memberships", memberships, shares=True)
    check_lengths(X=data, memberships=U)
    return data, U


def _within_reach(name: str, rows: ArrayLike) -> Floats:
    """Return rows whose squared distances do not leave the range of float64."""
    data: Floats = read_array(name, rows, dtype=np.float64)
    if not (most := np.abs(data).max()) <= LARGEST:
        raise ValueError(
            f"{name} reaches {most:g}, expected at most {LARGEST:g}; rescale it"
        )
    return data
