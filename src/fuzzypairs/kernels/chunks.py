"""The fused pass on BLAS, for many features or clusters.

Chunks of rows are centred into a small buffer; one matrix product gives the
distances of a chunk and a second one its sums. The data are read where they lie, so
the extra memory is a few buffers, whatever the number of rows.
"""

import numpy as np

from fuzzypairs.kernels.jit import kernel

CHUNK = 512
# Of squared distances in units of the spread, for samples and prototypes at the mean;
# its inverse squared is finite in single precision.
TINIEST = np.float32(1e-18)


@kernel
def chunk_totals(X, rows, weight, mean, totals, start, stop):
    """Add sum w x to ``totals[:-1]`` and sum w |x|^2 to ``totals[-1]``."""
    n_features = X.shape[1]
    for i in range(start, stop):
        w = weight[i]
        x = X[rows[i]]
        second = 0.0
        for f in range(n_features):
            value = x[f] - mean[f]
            totals[f] += w * value
            second += value * value
        totals[n_features] += w * second


@kernel
def direction_moment(X, moment):
    """Set the lower half of `moment` to the sum of x x' / |x|^2, centred x."""
    n_samples, n_features = X.shape
    mean = np.zeros(n_features)
    for i in range(n_samples):
        for f in range(n_features):
            mean[f] += X[i, f]
    mean /= n_samples
    x = np.empty(n_features)
    moment[:] = 0.0
    for i in range(n_samples):
        square = 0.0
        for f in range(n_features):
            x[f] = X[i, f] - mean[f]
            square += x[f] * x[f]
        if square > 0.0:
            for f in range(n_features):
                part = x[f] / square
                for h in range(f + 1):
                    moment[f, h] += part * x[h]


@kernel
def chunk_pass(X, rows, weight, mean, unit, roundoff, C, start, stop, sums, masses):
    """One step of the free samples ``rows[start:stop]``: see `tile_pass`.

    ``d = |x|^2 - 2 x.c + |c|^2`` of centred data cancels where a sample lies close to
    a prototype: the error is about the roundoff times |x|^2, which the choice of this
    pass for many features makes small beside typical distances.

    Parameters
    ----------
    X : array of shape (n_samples, n_features), IN
    rows : array of shape (n_rows,), IN
    weight : array of shape (n_rows,), IN
    mean : array of shape (n_features,), IN
    unit : float
        A typical distance; products are computed in its units, so that single
        precision can hold them.
    roundoff : array of shape (1,), IN
        The unit roundoff of the precision that its type stands for, and in which
        chunks are computed; they are added up in double precision.
    C : array of shape (k, n_features), IN
    sums : array of shape (k, n_features), OUT
    masses : array of shape (k,), OUT

    Returns
    -------
    float
    """
    k, n_features = C.shape
    kind = roundoff.dtype
    scale = 1.0 / unit
    doubled = np.empty((n_features, k), kind)
    norms = np.empty(k, kind)
    for j in range(k):
        norm = 0.0
        for f in range(n_features):
            value = scale * C[j, f]
            doubled[f, j] = -2.0 * value
            norm += value * value
        norms[j] = norm
    block = np.empty((CHUNK, n_features), kind)
    product = np.empty((CHUNK, k), kind)
    partial = np.empty((k, n_features), kind)
    square = np.empty(CHUNK, kind)
    share = np.empty(CHUNK, kind)
    mass = np.empty(k, kind)
    sums[:] = 0.0
    masses[:] = 0.0
    objective = 0.0
    for first in range(start, stop, CHUNK):
        used = min(CHUNK, stop - first)
        x = block[:used]
        g = product[:used]
        _centre(X, rows, mean, scale, first, x, square)
        np.dot(x, doubled, g)
        for i in range(used):
            share[i] = weight[first + i]
        objective += _weigh(g, square, norms, roundoff[0], share, mass)
        np.dot(g.T, x, partial)
        for j in range(k):
            masses[j] += mass[j]
            for f in range(n_features):
                sums[j, f] += unit * partial[j, f]
    return unit * unit * objective


@kernel
def _centre(X, rows, mean, scale, first, block, square):
    """Copy rows less the mean to `block` and their squared lengths to `square`."""
    for i in range(block.shape[0]):
        row = rows[first + i]
        for f in range(block.shape[1]):
            block[i, f] = scale * (X[row, f] - mean[f])
        # From what was stored: the products know no more of the row.
        total = block[i, 0] * block[i, 0]
        for f in range(1, block.shape[1]):
            total += block[i, f] * block[i, f]
        square[i] = total


@kernel
def _weigh(g, square, norms, roundoff, weight, masses):
    """Turn -2 x.c into the weights w u^2 and add them up; return the objective.

    A distance that is not above its own rounding error counts as that error.
    """
    one = roundoff / roundoff  # in the precision of the arrays
    tiny = one * TINIEST
    objective = 0.0
    masses[:] = 0.0
    for i in range(g.shape[0]):
        for j in range(g.shape[1]):
            scale = square[i] + norms[j]
            g[i, j] = one / max(g[i, j] + scale, roundoff * scale + tiny)
        total = g[i, 0]
        for j in range(1, g.shape[1]):
            total += g[i, j]
        weighted = weight[i] / total
        objective += weighted
        share = weighted / total
        for j in range(g.shape[1]):
            g[i, j] = g[i, j] * g[i, j] * share
        for j in range(g.shape[1]):
            masses[j] += g[i, j]
    return objective
