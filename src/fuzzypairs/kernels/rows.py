"""Plain rows against prototypes: distances, memberships and sums of given starts.

Used where rows come once (prediction, the last pass, the first prototypes), so that
packing them would not pay.
"""

import numpy as np

from fuzzypairs.kernels.jit import kernel
from fuzzypairs.kernels.tiles import LANES, TINY, tile_distances


@kernel
def row_distances(X, C, out, start, stop):
    """Set ``out[i, j]`` to |x_i - c_j|^2 for rows ``start`` to ``stop - 1``."""
    for i in range(start, stop):
        for j in range(C.shape[0]):
            total = 0.0
            for f in range(C.shape[1]):
                difference = X[i, f] - C[j, f]
                total += difference * difference
            out[i, j] = total


@kernel
def row_memberships(X, C, out, start, stop):
    """Set ``out[i]`` to the free memberships of row i, eq. (14).

    A tile of rows at a time, whose samples lie side by side.
    """
    k, n_features = C.shape
    tile = np.zeros((1, n_features, LANES))
    at = len(tile) - 1  # a written 0 would be another type, and compiled once more
    D = np.empty((k, LANES))
    smallest = np.empty(LANES)
    total = np.empty(LANES)
    for first in range(start, stop, LANES):
        used = min(LANES, stop - first)
        for i in range(used):
            for f in range(n_features):
                tile[at, f, i] = X[first + i, f]
        tile_distances(tile, at, C, D)
        # Relative to the smallest, so that neither tiny nor huge ones overflow.
        _smallest_lanes(D, smallest)
        total[:] = 0.0
        for j in range(k):
            _share_lanes(D[j], smallest, total)
        for i in range(LANES):
            total[i] = 1.0 / total[i]
        for j in range(k):
            _scale_lanes(D[j], total)
        for i in range(used):
            for j in range(k):
                out[first + i, j] = D[j, i]


@kernel
def _smallest_lanes(D, smallest):
    smallest[:] = D[0]
    for j in range(1, D.shape[0]):
        for i in range(LANES):
            d, least = D[j, i], smallest[i]
            smallest[i] = d if d < least else least


@kernel
def _share_lanes(d, smallest, total):
    for i in range(LANES):
        share = smallest[i] / d[i]
        d[i] = share
        total[i] += share


@kernel
def _scale_lanes(d, factor):
    for i in range(LANES):
        d[i] *= factor[i]


@kernel
def free_rows(values, start, stop):
    """Turn squared distances to the memberships of free samples, in place."""
    k = values.shape[1]
    for i in range(start, stop):
        # Relative to the smallest, so that neither tiny nor huge ones overflow.
        smallest = values[i, 0]
        for j in range(1, k):
            smallest = min(smallest, values[i, j])
        smallest += TINY
        total = 0.0
        for j in range(k):
            values[i, j] = smallest / (values[i, j] + TINY)
            total += values[i, j]
        for j in range(k):
            values[i, j] /= total


@kernel
def largest_places(values, out):
    """Set ``out[i]`` to the first largest entry of row i.

    NumPy's argmax over a few columns takes as long as the memberships themselves.
    """
    for i in range(values.shape[0]):
        best = 0
        for j in range(1, values.shape[1]):
            if values[i, j] > values[i, best]:
                best = j
        out[i] = best


@kernel
def first_near_rows(values, nearest):
    """Return the first row that is near one before it, and the nearest of those.

    Near is a Euclidean distance up to `nearest`. Returns (earlier, row); (-1, -1) if
    there is none.
    """
    for i in range(1, values.shape[0]):
        closest, least = -1, np.inf
        for j in range(i):
            total = 0.0
            for f in range(values.shape[1]):
                difference = values[i, f] - values[j, f]
                total += difference * difference
            if total < least:
                closest, least = j, total
        if np.sqrt(least) <= nearest:
            return closest, i
    return -1, -1


@kernel
def column_sums(X, sums):
    """Add the rows of X to `sums`, one by one; four times as fast as NumPy."""
    for i in range(X.shape[0]):
        for f in range(X.shape[1]):
            sums[f] += X[i, f]


@kernel
def label_sums(X, labels, weight, mean, sums, masses):
    """Add each row to its cluster: the sums of eq. (13) for one-hot memberships."""
    for i in range(X.shape[0]):
        j = labels[i]
        masses[j] += weight[i]
        for f in range(X.shape[1]):
            sums[j, f] += weight[i] * (X[i, f] - mean[f])


@kernel
def membership_sums(X, U, weight, mean, sums, masses):
    """Add w u^2 x and w u^2 of every row and cluster: the sums of eq. (13)."""
    x = np.empty(X.shape[1])
    for i in range(X.shape[0]):
        for f in range(X.shape[1]):
            x[f] = X[i, f] - mean[f]
        for j in range(U.shape[1]):
            share = weight[i] * U[i, j] * U[i, j]
            masses[j] += share
            for f in range(X.shape[1]):
                sums[j, f] += share * x[f]
