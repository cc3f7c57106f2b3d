"""Projection of wide data on leading directions, for cheap first runs."""

from typing import NamedTuple

import numpy as np

from fuzzypairs._typing import Data, Floats
from fuzzypairs.threads import Threads, cut, over_ranges

# Data of at least this many samples and features are projected on the directions with
# all but `LEFT_OUT` of the variance, if these are at most `MOST_DIRECTIONS` of all.
FROM_SAMPLES, FROM_FEATURES = 10_000, 64
LEFT_OUT = 0.01
MOST_DIRECTIONS = 0.25
# Number of samples that the directions are computed from.
LOOK_AT = 5000
ROWS_A_RANGE = 4096


class Projection(NamedTuple):
    """The leading directions of samples, and their mean."""

    mean: Floats  # (n_features,)
    directions: Floats  # (n_features, n_directions), orthonormal

    def down(self, points: Floats) -> Floats:
        """Return the coordinates of points in the leading directions."""
        return np.asarray((points - self.mean) @ self.directions)

    def up(self, points: Floats) -> Floats:
        """Return points that are given in the leading directions."""
        return np.asarray(points @ self.directions.T + self.mean)


def is_wide(X: Data) -> bool:
    """Tell whether X has enough samples and features to be projected.

    Examples
    --------
    >>> is_wide(np.empty((10_000, 64))), is_wide(np.empty((10_000, 9)))
    (True, False)
    """
    return bool(X.shape[0] >= FROM_SAMPLES and X.shape[1] >= FROM_FEATURES)


def leading_directions(X: Data, mean: Floats) -> Floats | None:
    """Return orthonormal directions (n_features, n_directions) of nearly all variance.

    None if too many are needed.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(10_000, 2)) @ rng.normal(size=(2, 64))
    >>> leading_directions(X, X.mean(axis=0)).shape
    (64, 2)
    >>> leading_directions(rng.normal(size=(1000, 64)), np.zeros(64)) is None
    True
    """
    n_samples, n_features = X.shape
    Y = X[:: -(-n_samples // LOOK_AT)] - mean
    values, vectors = np.linalg.eigh(Y.T @ Y)
    left_out = np.cumsum(np.maximum(values, 0.0))
    if not left_out[-1] > 0.0:
        return None
    n_dropped = int(np.searchsorted(left_out, LEFT_OUT * left_out[-1], side="right"))
    n_kept = n_features - n_dropped
    if n_kept > MOST_DIRECTIONS * n_features:
        return None
    return np.ascontiguousarray(vectors[:, ::-1][:, :n_kept])


def project(X: Data, mean: Floats, directions: Floats, threads: Threads) -> Floats:
    """Return the centred samples in some directions, (n_samples, n_directions).

    Examples
    --------
    >>> X, mean = np.array([[1.0, 2.0], [3.0, 2.0]]), np.array([2.0, 2.0])
    >>> project(X, mean, np.array([[1.0], [0.0]]), Threads(1)).ravel()
    array([-1.,  1.])
    """
    out = np.empty((len(X), directions.shape[1]))

    def fill(start: int, stop: int) -> None:
        np.dot(X[start:stop] - mean, directions, out=out[start:stop])

    threads.map(fill, over_ranges(cut(len(X), ROWS_A_RANGE, most=len(X))))
    return out
