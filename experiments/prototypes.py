"""Prototypes of hard clusters: distances under diagonal metrics, and means."""

import numpy as np

from fuzzypairs._typing import Floats, Ints

__all__ = ["add_by_label", "average", "distances2"]


def distances2(X: Floats, C: Floats, A: Floats) -> Floats:
    """Return sum_f a_hf (x_if - c_hf)^2, shape (n_samples, n_clusters).

    Examples
    --------
    >>> import numpy as np
    >>> from experiments.prototypes import distances2
    >>> distances2(np.array([[1.0, 2.0]]), np.array([[0.0, 0.0]]), np.array([[1.0, 3]]))
    array([[13.]])
    """
    square: Floats = X**2 @ A.T - 2 * X @ (A * C).T + (A * C**2).sum(axis=1)
    # The expansion may round to less than 0.
    square[square < 0] = 0
    return square


def average(X: Floats, labels: Ints, C: Floats) -> Floats:
    """Return the means of the clusters; one without samples stays where it is.

    Examples
    --------
    >>> import numpy as np
    >>> from experiments.prototypes import average
    >>> X, labels = np.array([[1.0], [3.0], [5.0]]), np.array([0, 0, 2])
    >>> average(X, labels, np.array([[0.0], [7.0], [0.0]])).tolist()
    [[2.0], [7.0], [5.0]]
    """
    sizes = np.bincount(labels, minlength=len(C))[:, None]
    means: Floats = add_by_label(X, labels, len(C)) / np.maximum(sizes, 1)
    return np.where(sizes > 0, means, C)


def add_by_label(rows: Floats, labels: Ints, n_clusters: int) -> Floats:
    """Add up the rows of each cluster, shape (n_clusters, n_features).

    Examples
    --------
    >>> import numpy as np
    >>> from experiments.prototypes import add_by_label
    >>> add_by_label(np.array([[1.0], [3.0], [5.0]]), np.array([0, 0, 2]), 3).tolist()
    [[4.0], [0.0], [5.0]]
    """
    columns = [np.bincount(labels, column, minlength=n_clusters) for column in rows.T]
    return np.column_stack(columns)
