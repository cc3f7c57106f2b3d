"""The fused pass on BLAS, for many features or clusters.

Chunks of rows are centred into a small buffer; one matrix product gives the
distances of a chunk and a second one its sums. The data are read where they lie, so
the extra memory is a few buffers, whatever the number of rows.
"""

import numpy as np

from fuzzypairs.kernels.jit import kernel
from fuzzypairs.kernels.tiles import TINY

CHUNK = 512


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
def chunk_pass(X, rows, weight, mean, C, start, stop, sums, masses):
    """One step of the free samples ``rows[start:stop]``: see `tile_pass`.

    ``d = |x|^2 - 2 x.c + |c|^2`` of centred data cancels where a sample lies close to
    a prototype: the error is about 1e-16 |x|^2, which the choice of this pass for
    many features makes small beside typical distances.
    """
    k = C.shape[0]
    n_features = C.shape[1]
    doubled = np.ascontiguousarray(C.T) * -2.0
    norms = np.empty(k)
    for j in range(k):
        norms[j] = np.dot(C[j], C[j])
    block = np.empty((CHUNK, n_features))
    product = np.empty((CHUNK, k))
    partial = np.empty((k, n_features))
    square = np.empty(CHUNK)
    sums[:] = 0.0
    masses[:] = 0.0
    objective = 0.0
    for first in range(start, stop, CHUNK):
        used = min(CHUNK, stop - first)
        x = block[:used]
        g = product[:used]
        _centre(X, rows, mean, first, x, square)
        np.dot(x, doubled, g)
        objective += _weigh(g, square, norms, weight, first, masses)
        np.dot(g.T, x, partial)
        for j in range(k):
            for f in range(n_features):
                sums[j, f] += partial[j, f]
    return objective


@kernel
def _centre(X, rows, mean, first, block, square):
    """Copy rows less the mean to `block` and their squared lengths to `square`."""
    for i in range(block.shape[0]):
        row = rows[first + i]
        total = 0.0
        for f in range(block.shape[1]):
            value = X[row, f] - mean[f]
            block[i, f] = value
            total += value * value
        square[i] = total


@kernel
def _weigh(g, square, norms, weight, first, masses):
    """Turn -2 x.c into the weights w u^2 and add them up; return the objective."""
    k = g.shape[1]
    objective = 0.0
    for i in range(g.shape[0]):
        total = 0.0
        for j in range(k):
            g[i, j] = 1.0 / max(g[i, j] + (square[i] + norms[j]), TINY)
        for j in range(k):
            total += g[i, j]
        harmonic = 1.0 / total
        share = weight[first + i] * harmonic * harmonic
        objective += weight[first + i] * harmonic
        for j in range(k):
            value = g[i, j] * g[i, j] * share
            g[i, j] = value
            masses[j] += value
    return objective
