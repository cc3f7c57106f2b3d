"""Views of the samples: whitened coordinates, and their rbf features.

In a view whitened with the prior p, directions of large differences d count less:

    z = S^-1/2 (x - mean),   S = p v I + sum d d'

where v is the mean squared difference of two random samples in one feature. The
differences are those of samples judged alike, sqrt(s) (x_p - x_q), or those of random
samples: then S is p v I plus twice the covariance. The prior counts like p differences
without any direction; with p = inf the view is Euclidean.
"""

from typing import NamedTuple

import numpy as np

from fuzzypairs._typing import Floats
from fuzzypairs.pairs import PairSet

__all__ = ["Directions", "View", "alike_directions", "make_view", "random_directions"]

# Of the Gaussian kernel exp(-GAMMA |z - z'|^2), in views of total variance 1.
GAMMA = 0.5
# Kernel directions of smaller eigenvalues, relative to the largest, are left out.
SMALLEST = 1e-8


class View:
    """Features of samples in one view: coordinates, then rbf features.

    Attributes
    ----------
    center : ndarray of shape (n_features,)
    directions : ndarray of shape (n_features, n_directions)
        Orthonormal; what the view is whitened by differs in these alone.
    shrinkage : ndarray of shape (n_directions,)
        The part of a coordinate along each direction that is taken away.
    scale : float
        Gives coordinates the total variance 1.
    landmarks : ndarray of shape (n_landmarks, n_features)
        Coordinates of the samples that span the rbf features.
    basis : ndarray of shape (n_landmarks, n_rbf)
        From kernel values to features, by Nystroem's method.
    """

    center: Floats
    directions: Floats
    shrinkage: Floats
    scale: float
    landmarks: Floats
    basis: Floats

    @property
    def n_out(self) -> int:
        """Number of features of a row."""
        return len(self.center) + int(self.basis.shape[1])

    def coordinates(self, X: Floats) -> Floats:
        """Return whitened coordinates of rows, (n_rows, n_features)."""
        Z = (X - self.center).astype(np.float64)
        Z -= ((Z @ self.directions) * self.shrinkage) @ self.directions.T
        return np.asarray(Z * self.scale)

    def features(self, X: Floats) -> Floats:
        """Return coordinates and rbf features of rows, (n_rows, n_features + n_rbf)."""
        return self.features_at(self.coordinates(X))

    def features_at(self, Z: Floats) -> Floats:
        """Return the features of rows whose coordinates are Z."""
        return np.column_stack([Z, kernel(Z, self.landmarks) @ self.basis])

    def slopes(self, X: Floats, W: Floats) -> Floats:
        """Return derivatives of ``features(X) @ W`` by X, (n_out, n_rows, n_features).

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_features)
        W : ndarray of shape (n_features + n_rbf, n_out)
        """
        Z = self.coordinates(X)
        linear, rbf = np.split(W, [Z.shape[1]])
        K, B = kernel(Z, self.landmarks), self.basis @ rbf
        out = np.empty((W.shape[1], *Z.shape))
        for h, b in enumerate(B.T):
            # The kernel's derivative is -2 GAMMA (z - landmark) times itself.
            pull = (K * b) @ self.landmarks - (K @ b)[:, None] * Z
            out[h] = linear[:, h] + 2.0 * GAMMA * pull
        return self.by_samples(out)

    def by_samples(self, slopes: Floats) -> Floats:
        """Return derivatives by X, given those by coordinates, (..., n_features)."""
        out = slopes - ((slopes @ self.directions) * self.shrinkage) @ self.directions.T
        return np.asarray(out * self.scale)


def kernel(A: Floats, B: Floats) -> Floats:
    """Return exp(-GAMMA |a - b|^2) of rows, (n_a, n_b)."""
    squared = (A * A).sum(axis=1)[:, None] + (B * B).sum(axis=1) - 2.0 * A @ B.T
    return np.asarray(np.exp(-GAMMA * np.maximum(squared, 0.0)))


class Directions(NamedTuple):
    """Orthonormal directions of differences, (n_features, n_directions).

    `squares`, (n_directions,), are the sums of squared differences along them.
    """

    vectors: Floats
    squares: Floats


def directions_of(differences: Floats) -> Directions:
    """Return the principal directions of differences (n_differences, n_features)."""
    if len(differences) > differences.shape[1]:
        squares, vectors = np.linalg.eigh(differences.T @ differences)
        return Directions(vectors, np.maximum(squares, 0.0))
    _, sigma, vectors = np.linalg.svd(differences, full_matrices=False)
    return Directions(np.ascontiguousarray(vectors.T), sigma**2)


def alike_directions(X: Floats, pairs: PairSet) -> Directions:
    """Return the directions in which samples judged alike differ."""
    alike = pairs.select(pairs.grade > 0)
    return directions_of(np.sqrt(alike.grade)[:, None] * (X[alike.i] - X[alike.j]))


def random_directions(X: Floats) -> Directions:
    """Return the directions in which random samples differ: of one pair, on average."""
    return directions_of(np.sqrt(2.0 / len(X)) * (X - X.mean(axis=0)))


def make_view(X: Floats, landmarks: Floats, directions: Directions, p: float) -> View:
    """Return the view whitened by differences along some directions.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        Samples that represent all of them.
    landmarks : ndarray of shape (n_landmarks, n_features)
        Samples that span the rbf features.
    directions : Directions
    p : float > 0
        The prior; inf is the Euclidean view.

    Returns
    -------
    view : View

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzypairs import PairSet
    >>> X = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [2.0, 2.0]])
    >>> alike = PairSet.from_triples([(0, 1, 1.0)], 4)  # they differ in feature 0
    >>> view = make_view(X, X[:1], alike_directions(X, alike), p=1.0)
    >>> Z = view.coordinates(X)
    >>> (Z.var(axis=0) / Z.var(axis=0).sum()).round(2)  # 1 + 2^2 / 2 = 3 times less
    array([0.25, 0.75])
    """
    view = View()
    view.center = X.mean(axis=0, dtype=np.float64)
    view.scale = 1.0
    v = 2.0 * X.var(axis=0, dtype=np.float64).mean() or 1.0
    # Along other directions S is p v.
    view.directions = directions.vectors
    view.shrinkage = 1.0 - 1.0 / np.sqrt(1.0 + directions.squares / (p * v))
    if not np.isfinite(p):
        view.directions, view.shrinkage = np.empty((X.shape[1], 0)), np.empty(0)
    spread = view.coordinates(X).var(axis=0).sum()
    view.scale = 1.0 / np.sqrt(spread) if spread > 0.0 else 1.0
    view.landmarks = view.coordinates(landmarks)
    values, vectors = np.linalg.eigh(kernel(view.landmarks, view.landmarks))
    kept = values > SMALLEST * values[-1]
    view.basis = vectors[:, kept] / np.sqrt(values[kept])
    return view
