"""Views of the samples: coordinates whitened by alike pairs, and their rbf features.

In a view whitened with the prior p, directions in which samples judged alike differ
count less:

    z = S^-1/2 (x - mean),   S = p v I + sum over alike pairs of s d d',   d = x_p - x_q

where v is the mean squared difference of two random samples in one feature. The prior
counts like p alike pairs without any direction; with p = inf the view is Euclidean.
"""

import numpy as np

from fuzzypairs._typing import Floats
from fuzzypairs.pairs import PairSet

__all__ = ["View", "make_view"]

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
        Orthonormal; alike pairs differ in these alone.
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
        Z = self.coordinates(X)
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
        out -= ((out @ self.directions) * self.shrinkage) @ self.directions.T
        return np.asarray(out * self.scale)


def kernel(A: Floats, B: Floats) -> Floats:
    """Return exp(-GAMMA |a - b|^2) of rows, (n_a, n_b)."""
    squared = (A * A).sum(axis=1)[:, None] + (B * B).sum(axis=1) - 2.0 * A @ B.T
    return np.asarray(np.exp(-GAMMA * np.maximum(squared, 0.0)))


def make_view(
    X: Floats, landmarks: Floats, pairs: PairSet, ends: tuple[Floats, Floats], p: float
) -> View:
    """Return the view that alike pairs determine.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        Samples that represent all of them.
    landmarks : ndarray of shape (n_landmarks, n_features)
        Samples that span the rbf features.
    pairs : PairSet
    ends : tuple of two ndarrays of shape (n_pairs, n_features)
        The two samples of each judgement.
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
    >>> view = make_view(X, X[:1], alike, (X[:1], X[1:2]), p=1.0)
    >>> Z = view.coordinates(X)
    >>> (Z.var(axis=0) / Z.var(axis=0).sum()).round(2)  # 1 + 2^2 / 2 = 3 times less
    array([0.25, 0.75])
    """
    view = View()
    view.center = X.mean(axis=0, dtype=np.float64)
    view.scale = 1.0
    view.directions = np.empty((X.shape[1], 0))
    view.shrinkage = np.empty(0)
    if np.isfinite(p):
        alike = pairs.grade > 0
        gap = (ends[0][alike] - ends[1][alike]).astype(np.float64)
        gap *= np.sqrt(pairs.grade[alike])[:, None]
        # S = p v I + gap' gap: along its right singular vectors only it is not p v.
        _, sigma, directions = np.linalg.svd(gap, full_matrices=False)
        v = 2.0 * X.var(axis=0, dtype=np.float64).mean() or 1.0
        view.directions = np.ascontiguousarray(directions.T)
        view.shrinkage = 1.0 - 1.0 / np.sqrt(1.0 + sigma**2 / (p * v))
    spread = view.coordinates(X).var(axis=0).sum()
    view.scale = 1.0 / np.sqrt(spread) if spread > 0.0 else 1.0
    view.landmarks = view.coordinates(landmarks)
    values, vectors = np.linalg.eigh(kernel(view.landmarks, view.landmarks))
    kept = values > SMALLEST * values[-1]
    view.basis = vectors[:, kept] / np.sqrt(values[kept])
    return view
