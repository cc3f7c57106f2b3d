"""The manhattan metric: distances to prototypes, and prototypes as weighted medians.

A prototype minimises, feature by feature, the piecewise linear
F(c) = sum_i W_i |x_i - c|. The weights w (u^g - alpha) of the discriminant model may
be negative, so F need not be convex and a plain median would not do. It has its
minimum at a sample all the same, as long as the weights of a cluster add up to
something positive: F then rises at both ends and bends up only at samples.
"""

import numpy as np

from fuzzypairs.kernels.jit import kernel

# Samples whose weights are added up before asking whether F can turn among them.
BLOCK = 128
# How much further than its weights the slope of F is taken to reach in a block, so
# that rounding never hides a turn.
REACH = 1.01


@kernel
def manhattan_distances(X, C, out, start, stop):
    """Set ``out[i, j]`` to sum_f |x_if - c_jf| for rows ``start`` to ``stop - 1``."""
    for i in range(start, stop):
        for j in range(C.shape[0]):
            total = 0.0
            for f in range(C.shape[1]):
                total += abs(X[i, f] - C[j, f])
            out[i, j] = total


@kernel
def weighted_medians(order, values, W, out, start, stop):
    """Set ``out[j, f]`` to the c with least sum_i W_ij |x_if - c|.

    For features ``start`` to ``stop - 1``. Where several samples are as good, the
    smallest value is taken.

    The samples of a feature are visited in the order of their values, in blocks. The
    slope of F changes by 2 W_i at sample i, hence by at most twice the sum of |W| in
    a block: where it is steeper than that F cannot turn, and the block is passed over
    with its sums alone. Only the few blocks around the turns are swept one by one.

    Parameters
    ----------
    order : int array of shape (n_features, n_samples), IN
        The samples of each feature by increasing value.
    values : array of shape (n_features, n_samples), IN
        The values of each feature, increasing.
    W : array of shape (n_samples, k), IN
        Weights of any sign, with positive sums over the samples.
    out : array of shape (k, n_features), OUT
    """
    n_samples, k = W.shape
    state = np.empty((4, k))
    sums = np.empty((3, k))
    gap = np.empty(BLOCK)
    totals = np.zeros(k)
    for i in range(n_samples):
        for j in range(k):
            totals[j] += W[i, j]
    for f in range(start, stop):
        for j in range(k):
            # Half the slope of F left of all samples; half of F, its least, and where.
            state[0, j] = -0.5 * totals[j]
            state[1, j] = 0.0
            state[2, j] = 0.0
            state[3, j] = values[f, 0]
        last = np.float64(values[f, 0])
        for first in range(0, n_samples, BLOCK):
            stop_block = min(first + BLOCK, n_samples)
            samples = order[f, first:stop_block]
            x = values[f, first:stop_block]
            _block_sums(samples, x, W, gap, sums)
            _pass_block(samples, x, W, last, sums, state)
            last = np.float64(x[-1])
        for j in range(k):
            # Reached only if rounding hides that the weights add up to more than 0.
            out[j, f] = last if state[1, j] < state[2, j] else state[3, j]


@kernel
def _block_sums(samples, x, W, gap, sums):
    """Set ``sums`` to the sums of W, |W| and W (x_last - x) in a block."""
    k = W.shape[1]
    fours = k - k % 4
    for t in range(len(x)):
        gap[t] = np.float64(x[-1]) - x[t]
    for j in range(0, fours, 4):
        _sum_four(samples, W, j, gap, sums)
    for j in range(fours, k):
        _sum_one(samples, W, j, gap, sums)


# Samples are indexed as unsigned numbers: signed ones are asked, each time, whether
# they count from the end. Four weights of a sample share a line of the cache.


@kernel
def _sum_four(samples, W, j, gap, sums):
    s0 = s1 = s2 = s3 = 0.0
    a0 = a1 = a2 = a3 = 0.0
    r0 = r1 = r2 = r3 = 0.0
    for t in range(len(samples)):
        i = np.uint64(samples[t])
        w0, w1, w2, w3 = W[i, j], W[i, j + 1], W[i, j + 2], W[i, j + 3]
        s0 += w0
        s1 += w1
        s2 += w2
        s3 += w3
        a0 += abs(w0)
        a1 += abs(w1)
        a2 += abs(w2)
        a3 += abs(w3)
        r0 += w0 * gap[t]
        r1 += w1 * gap[t]
        r2 += w2 * gap[t]
        r3 += w3 * gap[t]
    sums[0, j], sums[0, j + 1], sums[0, j + 2], sums[0, j + 3] = s0, s1, s2, s3
    sums[1, j], sums[1, j + 1], sums[1, j + 2], sums[1, j + 3] = a0, a1, a2, a3
    sums[2, j], sums[2, j + 1], sums[2, j + 2], sums[2, j + 3] = r0, r1, r2, r3


@kernel
def _sum_one(samples, W, j, gap, sums):
    s0 = a0 = r0 = 0.0
    for t in range(len(samples)):
        w0 = W[np.uint64(samples[t]), j]
        s0 += w0
        a0 += abs(w0)
        r0 += w0 * gap[t]
    sums[0, j], sums[1, j], sums[2, j] = s0, a0, r0


@kernel
def _pass_block(samples, x, W, last, sums, state):
    """Carry slope and F of each cluster from ``last`` to the end of a block."""
    for j in range(W.shape[1]):
        if abs(state[0, j]) <= REACH * sums[1, j]:
            _sweep(samples, x, W, j, last, state)
        else:
            state[1, j] += state[0, j] * (x[-1] - last) + sums[2, j]
            state[0, j] += sums[0, j]


@kernel
def _sweep(samples, x, W, j, last, state):
    """Visit each sample of a block, where F may have its least value."""
    slope, value, least, where = state[0, j], state[1, j], state[2, j], state[3, j]
    for t in range(len(samples)):
        here = np.float64(x[t])
        value += slope * (here - last)
        last = here
        if value < least:
            least, where = value, here
        slope += W[np.uint64(samples[t]), j]
    state[0, j], state[1, j], state[2, j], state[3, j] = slope, value, least, where
