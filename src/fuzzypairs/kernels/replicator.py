"""Replicator dynamics: weights of samples grow with their affinity to the others."""

import numpy as np

from fuzzypairs.kernels.jit import kernel

__all__ = ["copy_lower", "multiply", "payoffs", "replicate"]


@kernel
def copy_lower(
    A,  # IN (n_samples, n_samples)
    rows,  # IN (n_rows,)
    out,  # OUT (n_rows, n_rows), below the diagonal
):
    """Copy the affinities within some rows."""
    for i in range(rows.size):
        source, target = A[rows[i]], out[i]
        for j in range(i):
            target[j] = source[rows[j]]


@kernel
def payoffs(
    A,  # IN (n_samples, n_samples), symmetric
    rows,  # IN (n_rows,)
    live,  # IN (n_live,)
    x,  # IN (n_live,) weights
):
    """Return the mean affinity of each row to the live samples, by their weights."""
    out = np.zeros(rows.size)
    for j in range(live.size):
        # By symmetry a column is a row: it is read in order.
        source, weight = A[live[j]], x[j]
        for i in range(rows.size):
            out[i] += weight * source[rows[i]]
    return out


@kernel
def multiply(
    B,  # IN (n_live, n_live), below the diagonal; symmetric, zero diagonal
    x,  # IN (n_live,)
):
    """Return f = Bx.

    The product is bound by memory: each entry is read once for its two places, and
    four rows at a time share one pass over x and f.
    """
    f = np.zeros(x.size)
    n_fours = x.size - x.size % 4
    for i in range(0, n_fours, 4):
        B0, B1, B2, B3 = B[i], B[i + 1], B[i + 2], B[i + 3]
        x0, x1, x2, x3 = x[i], x[i + 1], x[i + 2], x[i + 3]
        f0 = f1 = f2 = f3 = 0.0
        for j in range(i):
            b0, b1, b2, b3, xj = B0[j], B1[j], B2[j], B3[j], x[j]
            f0 += b0 * xj
            f1 += b1 * xj
            f2 += b2 * xj
            f3 += b3 * xj
            f[j] += (b0 * x0 + b1 * x1) + (b2 * x2 + b3 * x3)
        f[i] += f0 + B1[i] * x1 + B2[i] * x2 + B3[i] * x3
        f[i + 1] += f1 + B1[i] * x0 + B2[i + 1] * x2 + B3[i + 1] * x3
        f[i + 2] += f2 + B2[i] * x0 + B2[i + 1] * x1 + B3[i + 2] * x3
        f[i + 3] += f3 + B3[i] * x0 + B3[i + 1] * x1 + B3[i + 2] * x2
    for i in range(n_fours, x.size):
        for j in range(i):
            f[i] += B[i, j] * x[j]
            f[j] += B[i, j] * x[i]
    return f


@kernel
def replicate(
    B,  # IN (n_live, n_live), below the diagonal; symmetric, zero diagonal
    penalty,  # IN (n_live,)
    shift,
    x,  # IN and OUT (n_live,) weights, summing to 1
    least_gain,
    n_steps,
    mean,  # OUT (n_live,) the weights before each step, averaged
):
    """Take up to `n_steps` steps x <- x f / x'f with f = Bx + shift - penalty x.

    Returns the number of steps, the sum of the logarithms of what x was divided by,
    and whether the last gain of x'f was below `least_gain`.
    """
    mean[:] = 0.0
    log_divisors = 0.0
    f = multiply(B, x) + (shift - penalty * x)
    value = np.sum(x * f)
    for step in range(1, n_steps + 1):
        mean += x
        x *= f
        total = x.sum()
        x /= total
        log_divisors += np.log(total)
        f = multiply(B, x) + (shift - penalty * x)
        before, value = value, np.sum(x * f)
        if value - before < least_gain:
            mean /= step
            return step, log_divisors, True
    mean /= n_steps
    return n_steps, log_divisors, False
