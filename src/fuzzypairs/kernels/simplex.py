"""The diagonal quadratic programme of one sample on the simplex: eq. (24)."""

import numpy as np

from fuzzypairs.kernels.jit import kernel

# Reciprocals above this may belong to curvatures that are zero in effect.
ON_PROTOTYPE = 1e20


@kernel
def solve_row(inverse, i, linear, low, u):
    """Minimise 1/2 sum_j u_j^2 / inverse_ij + linear_j u_j over the simplex, exactly.

    The solution is ``u_j = max(0, (level - linear_j) * inverse_ij)``. Michelot's
    active set finds the level: solve with every coordinate, drop those that come
    out negative (they never return), repeat; at most k rounds, mostly one.

    Parameters
    ----------
    inverse : array of shape (n_rows, k), IN
        Reciprocals of the positive curvatures of all rows.
    i : int
        The row.
    linear : array of shape (k,), IN, overwritten
        Linear coefficients.
    low : int
        Where `inverse[i]` is largest. Measuring `linear` from its value there keeps
        every difference ``level - linear_j`` exact even when that curvature is
        zero in effect (a sample that lies on a prototype).
    u : array of shape (k,), OUT
    """
    k = inverse.shape[1]
    dropped = False
    if inverse[i, low] > ON_PROTOTYPE:
        low = choose_reference(inverse, i, linear, u)
        dropped = True
    shift = linear[low]
    for j in range(k):
        linear[j] -= shift
    if not dropped:
        mass = 0.0
        moment = 1.0
        for j in range(k):
            mass += inverse[i, j]
            moment += linear[j] * inverse[i, j]
        level = moment / mass
        for j in range(k):
            value = (level - linear[j]) * inverse[i, j]
            dropped |= value < 0.0
            u[j] = value
    while dropped:
        dropped = False
        mass = 0.0
        moment = 1.0
        for j in range(k):
            if u[j] > 0.0:
                mass += inverse[i, j]
                moment += linear[j] * inverse[i, j]
        level = moment / mass
        for j in range(k):
            if u[j] > 0.0:
                value = (level - linear[j]) * inverse[i, j]
                dropped |= value < 0.0
                u[j] = value
            else:
                u[j] = 0.0
    # The sum is one but for rounding; rows on the simplex are a promise.
    total = 0.0
    for j in range(k):
        total += u[j]
    total = 1.0 / total
    for j in range(k):
        u[j] *= total


@kernel
def choose_reference(inverse, i, linear, u):
    """Return the coordinate to measure from where some curvatures are zero in effect.

    The level is not above the place where one coordinate alone would hold everything,
    ``linear_j + 1 / inverse_ij``. Where that is lowest, differences are exact.
    Coordinates that begin above it are out: ``u`` is set to 0 there and to 1 elsewhere.
    """
    least = np.inf
    low = 0
    for j in range(inverse.shape[1]):
        if linear[j] + 1.0 / inverse[i, j] < least:
            least = linear[j] + 1.0 / inverse[i, j]
            low = j
    for j in range(inverse.shape[1]):
        u[j] = 1.0 if linear[j] < least or linear[j] == linear[low] else 0.0
    return low
