"""Views of the samples: principal and whitened coordinates, and k-means in them.

Distances are often ruled by directions that people do not look at. Samples therefore
have several views, z = (x - mean) A. With principal directions d_r of variances l_r,
whose mean is v, the columns of A are

    d_r                           in the Euclidean view,
    d_r / sqrt(l_r + p v)         in a view whitened with the prior p,

times a number that gives z the total variance 1. Features of a sample in a view are z,
rbf features of z, and 1.
"""

from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from fuzzypairs._typing import Floats
from fuzzypairs.solvers.lloyd import lloyd
from fuzzypairs.solvers.start import kmeans_plusplus
from fuzzypairs.spaces.moments import is_sparse

__all__ = ["EUCLIDEAN", "View", "clusters_in", "make_views", "softmax", "to_dense"]

EUCLIDEAN = "euclidean"
# Priors of whitened views.
PRIORS = (1.0, 0.1, 0.01)
# The most principal directions of the Euclidean view, and of whitened ones: in wide
# data, directions of small variance are noise that whitening would make as large as
# the rest.
MOST_AXES, MOST_WHITENED = 200, 50
# Directions of less variance, as a share of the largest, are rounding.
SMALLEST = 1e-10
# Samples that span rbf features (half of them at most), and the width of the kernel
# exp(-GAMMA |z - z'|^2).
N_LANDMARKS, GAMMA = 30, 0.5
# Kernel directions of smaller eigenvalues, relative to the largest, are left out.
SMALLEST_KERNEL = 1e-8
# The mean of the largest membership in clusters of k-means.
CERTAINTY = 0.75
# The largest power of clusters that are apart.
MOST_CERTAIN = 50.0


@dataclass(frozen=True, eq=False)
class View:
    """Features of samples in one view.

    Attributes
    ----------
    name : str
        `EUCLIDEAN`, or "whitened" with the prior.
    center : ndarray of shape (n_features,)
    axes : ndarray of shape (n_features, n_axes)
        A, from centred samples to coordinates.
    landmarks : ndarray of shape (n_landmarks, n_axes)
        Coordinates of the samples that span the rbf features.
    basis : ndarray of shape (n_landmarks, n_rbf)
        From kernel values to rbf features, by Nystroem's method.
    rbf_center : ndarray of shape (n_rbf,)
        Mean rbf features.
    """

    name: str
    center: Floats
    axes: Floats
    landmarks: Floats
    basis: Floats
    rbf_center: Floats

    def coordinates(self, X: Any) -> Floats:
        """Return coordinates of rows, dense or sparse, (n_rows, n_axes)."""
        if is_sparse(X):
            return np.asarray(X @ self.axes - self.center @ self.axes)
        return np.asarray((X - self.center) @ self.axes)

    def features(self, X: Any) -> Floats:
        """Return [z, rbf(z), 1] of rows, (n_rows, n_axes + n_rbf + 1)."""
        Z = self.coordinates(X)
        rbf = kernel(Z, self.landmarks) @ self.basis - self.rbf_center
        return np.column_stack([Z, rbf, np.ones(len(Z))])

    def slopes(self, Z: Floats, W: Floats) -> Floats:
        """Return derivatives of ``features(X) @ W`` by X, (n_out, n_rows, n_features).

        Parameters
        ----------
        Z : ndarray of shape (n_rows, n_axes)
            Coordinates of X.
        W : ndarray of shape (n_axes + n_rbf + 1, n_out)
        """
        linear, rbf, _ = np.split(W, [Z.shape[1], len(W) - 1])
        K, B = kernel(Z, self.landmarks), self.basis @ rbf
        # The kernel's derivative is -2 GAMMA (z - landmark) times itself.
        by_z = [
            a + 2.0 * GAMMA * ((K * b) @ self.landmarks - (K @ b)[:, None] * Z)
            for a, b in zip(linear.T, B.T, strict=True)
        ]
        return np.asarray(by_z @ self.axes.T)


def make_views(X: Floats, weight: Floats) -> list[View]:
    """Return the Euclidean view and whitened ones.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        Samples that represent all of them, in random order.
    weight : ndarray of shape (n_rows,)
        Positive.

    Returns
    -------
    views : list of View
        The Euclidean one alone where the samples vary in one direction or none.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 1.0], [4.0, 1.0]])
    >>> [view.coordinates(X).var(axis=0).round(2).tolist()
    ...  for view in make_views(X, np.ones(4))]
    [[0.94, 0.06], [0.86, 0.14], [0.64, 0.36], [0.52, 0.48]]
    """
    center = np.average(X, axis=0, weights=weight)
    variances, directions = principal(X - center, weight)
    scales = {EUCLIDEAN: np.ones(len(variances))}
    few = slice(MOST_WHITENED)
    if len(variances) > 1:
        for p in PRIORS:
            v = p * variances[few].mean()
            scales[f"whitened {p:g}"] = 1.0 / np.sqrt(variances[few] + v)
    views = []
    for name, scale in scales.items():
        total = (variances[: len(scale)] * scale**2).sum()
        scale = scale / np.sqrt(total) if total > 0.0 else scale
        axes = np.ascontiguousarray(directions[:, : len(scale)] * scale)
        Z = (X - center) @ axes
        landmarks = Z[: min(N_LANDMARKS, -(-len(Z) // 2))]
        values, vectors = np.linalg.eigh(kernel(landmarks, landmarks))
        kept = values > SMALLEST_KERNEL * values[-1]
        basis = vectors[:, kept] / np.sqrt(values[kept])
        mean = np.average(kernel(Z, landmarks) @ basis, axis=0, weights=weight)
        views.append(View(name, center, axes, landmarks, basis, mean))
    return views


def principal(X: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Return variances along principal directions, and these as columns.

    The largest first, `MOST_AXES` at most; X, (n_rows, n_features), is centred.
    """
    X = X * np.sqrt(weight / weight.sum())[:, None]
    if len(X) > X.shape[1]:
        variances, directions = np.linalg.eigh(X.T @ X)
    else:
        variances, left = np.linalg.eigh(X @ X.T)
        directions = X.T @ left
    variances, directions = variances[::-1][:MOST_AXES], directions[:, ::-1]
    kept = variances > SMALLEST * variances[0]
    directions = directions[:, : len(variances)][:, kept]
    return variances[kept], directions / np.linalg.norm(directions, axis=0)


def kernel(A: Floats, B: Floats) -> Floats:
    """Return exp(-GAMMA |a - b|^2) of rows, (n_a, n_b)."""
    squared = (A * A).sum(axis=1)[:, None] + (B * B).sum(axis=1) - 2.0 * A @ B.T
    return np.asarray(np.exp(-GAMMA * np.maximum(squared, 0.0)))


def clusters_in(
    view: View,
    X: Floats,
    weight: Floats,
    n_clusters: int,
    n_init: int,
    random_state: np.random.RandomState,
) -> tuple[Floats, float]:
    """Return the map of the clusters of k-means in a view.

    The best of `n_init` starts gives centres c_h, and its memberships are

        softmax_h(t (2 z.c_h - |c_h|^2)),

    where t gives the largest membership of a sample the mean `CERTAINTY`. Where
    clusters are apart, this is less certain than they are: to the power given, t is
    1 / (2 s), where s is the mean squared distance to the centres.

    Parameters
    ----------
    view : View
    X : ndarray of shape (n_rows, n_features)
    weight : ndarray of shape (n_rows,)
    n_clusters : int
    n_init : int
    random_state : RandomState

    Returns
    -------
    W : ndarray of shape (n_view_features, n_clusters)
        Memberships are ``softmax(view.features(X) @ W)``.
    power : float
        1 or more.
    """
    Z = view.coordinates(X)
    W = np.zeros((Z.shape[1] + view.basis.shape[1] + 1, n_clusters))
    if n_clusters == 1 or not Z.size:
        return W, 1.0
    starts = [
        kmeans_plusplus(Z, n_clusters, sample_weight=weight, random_state=random_state)
        for _ in range(n_init)
    ]
    found = [lloyd(Z, np.asarray(centers), weight) for centers in starts]
    centers, squares = min(found, key=lambda one: one[1])
    W[: Z.shape[1]] = 2.0 * centers.T
    W[-1] = -(centers * centers).sum(axis=1)
    logits = Z @ W[: Z.shape[1]] + W[-1]
    low, high = -10.0, 20.0
    for _ in range(25):
        middle = 0.5 * (low + high)
        largest = softmax(np.exp(middle) * logits).max(axis=1)
        if np.average(largest, weights=weight) < CERTAINTY:
            low = middle
        else:
            high = middle
    t = np.exp(low)
    power = weight.sum() / max(2.0 * squares * t, np.finfo(float).tiny)
    return W * t, float(np.clip(power, 1.0, MOST_CERTAIN))


def softmax(Z: Floats) -> Floats:
    """Return rows on the simplex, in proportion to exp(Z).

    Examples
    --------
    >>> import numpy as np
    >>> softmax(np.log([[1.0, 3.0]]))
    array([[0.25, 0.75]])
    """
    # Columns are few: reductions along short rows take up to a hundred times as long.
    largest = reduce(np.maximum, np.moveaxis(Z, -1, 0))
    out: Floats = Z - largest[..., None]
    np.exp(out, out=out)
    out /= (out @ np.ones(Z.shape[-1]))[..., None]
    return out


def to_dense(X: Any) -> Floats:
    """Return rows, dense or sparse, as an array of float64."""
    return np.asarray(X.toarray() if is_sparse(X) else X, dtype=np.float64)
