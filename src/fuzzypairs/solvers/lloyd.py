"""K-means on small tables, from several starts at little cost."""

import numpy as np

from fuzzypairs._typing import Data, Floats

MAX_ITER = 50


def lloyd(X: Floats, centers: Data, weight: Floats) -> tuple[Floats, float]:
    """Return the centres of a local optimum of k-means, and its sum of squares.

    Parameters
    ----------
    centers : ndarray of shape (n_clusters, n_features)
        Where to start. A centre without rows stays where it is.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [9.0], [10.0]])
    >>> lloyd(X, X[:2], np.ones(4))
    (array([[0.5],
           [9.5]]), 1.0)
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
    return np.asarray(centers), float(weight @ (norms + least))
