"""Memberships from given distances, and what they weigh: for spaces of any kind."""

from fuzzypairs.kernels.jit import kernel
from fuzzypairs.kernels.powers import power_rows
from fuzzypairs.kernels.rows import free_rows


@kernel
def memberships_of(distance, fuzzifier, out, start, stop):
    """Set rows ``start`` to ``stop - 1`` of `out` to free memberships, eq. (28)."""
    for i in range(start, stop):
        for j in range(distance.shape[1]):
            out[i, j] = distance[i, j]
    if fuzzifier == 2.0:
        free_rows(out, start, stop)
    else:
        power_rows(out, fuzzifier, start, stop)


@kernel
def weigh_rows(distance, U, weight, fuzzifier, alpha, out, start, stop):
    """Set ``out`` to the weights ``w (u^g - alpha)`` of samples in prototypes.

    Returns
    -------
    float
        Their share of the objective, ``sum_ij out_ij d_ij``.
    """
    value = 0.0
    for i in range(start, stop):
        for j in range(distance.shape[1]):
            power = U[i, j] * U[i, j] if fuzzifier == 2.0 else U[i, j] ** fuzzifier
            out[i, j] = weight[i] * (power - alpha)
        for j in range(distance.shape[1]):
            value += out[i, j] * distance[i, j]
    return value


@kernel
def take_distances(distance, rows, weight, out):
    """Write the weighted distances of the constrained samples to their blocks."""
    for i in range(rows.shape[0]):
        for j in range(distance.shape[1]):
            out[i, j] = weight[rows[i]] * distance[rows[i], j]
