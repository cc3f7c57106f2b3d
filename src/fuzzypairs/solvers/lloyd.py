"""K-means on small tables, from several starts at little cost."""

from collections.abc import Iterable

import numpy as np

from fuzzypairs._typing import Data, Floats, Labels

MAX_ITER = 50


def lloyd(X: Floats, centers: Data, weight: Floats) -> tuple[Labels, float]:
    """Return labels at a local optimum of k-means, and its sum of squares.

    Parameters
    ----------
    centers : ndarray of shape (n_clusters, n_features)
        Where to start. A centre without rows stays where it is.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [9.0], [10.0]])
    >>> lloyd(X, X[:2], np.ones(4))
    (array([0, 0, 1, 1]), 1.0)
    """
    norms = (X * X).sum(axis=1)
    labels = np.full(len(X), -1)
    for _ in range(MAX_ITER):
        squared = (centers * centers).sum(axis=1) - 2.0 * X @ centers.T
        previous, labels = labels, squared.argmin(axis=1)
        if np.array_equal(previous, labels):
            break
        sums = np.eye(len(centers))[labels] * weight[:, None]
        mass = sums.sum(axis=0)
        means = sums.T @ X / np.maximum(mass, np.finfo(float).tiny)[:, None]
        centers = np.where(mass[:, None] > 0.0, means, centers)
    least = squared[np.arange(len(X)), labels]
    return labels, float(weight @ (norms + least))


def best_partition(X: Floats, starts: Iterable[Data], weight: Floats) -> Labels:
    """Return the labels of the start that ends with the least sum of squares."""
    found = [lloyd(X, centers, weight) for centers in starts]
    return min(found, key=lambda one: one[1])[0]
