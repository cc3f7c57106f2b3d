"""One row of a group for a fuzzifier g other than 2, by a search for its level.

With everything else fixed, row i minimises ``sum_j d_j u_j^g + diagonal u_j^2 +
2 linear_j u_j`` on the simplex. Half its derivative, ``(g/2) d_j u_j^(g-1) +
diagonal u_j + linear_j``, is a common level where u_j > 0 and no less elsewhere. So
the problem has one unknown, and `solve_power_row` is exact as `solve_row` is.
"""

from typing import NamedTuple

import numpy as np

from fuzzypairs.kernels.jit import kernel

# Searches end by rounding long before these; they only forbid endless loops.
MAX_LEVELS = 200
MAX_NEWTON = 100
# A relative step this short squares to less than rounding.
SHORT = 1e-8
ROUNDING = 2.0**-52
# Added to distances, so that zero needs no case; its ninth root is nothing, too.
TINY = 1e-280
# Memberships below this are zero.
SMALLEST = 1e-300
LOG_SMALLEST = np.log(SMALLEST)


class Row(NamedTuple):
    """One sample while its level is sought; arrays of shape (k,)."""

    curvature: np.ndarray  # (g/2) d
    linear: np.ndarray
    u: np.ndarray  # memberships at the level
    logs: np.ndarray  # their logarithms
    rates: np.ndarray  # the derivatives of these by the level


@kernel
def solve_power_row(dist2, i, fuzzifier, diagonal, linear, u):
    """Minimise sum_j d_ij u_j^g + diagonal u_j^2 + 2 linear_j u_j over the simplex.

    Given the level of the half derivatives each u_j is the root of a monotone
    equation, and their sum grows with the level: Newton's method within a bracket
    finds the level where the sum is one.

    Parameters
    ----------
    dist2 : array of shape (n_rows, k), IN
        Weighted squared distances of all rows; any of them may be zero.
    i : int
        The row.
    fuzzifier : float
        The power g > 1.
    diagonal : float
        Sum of the row's positive pulls.
    linear : array of shape (k,), IN, overwritten
        Half the linear coefficients.
    u : array of shape (k,), OUT
    """
    k = u.shape[0]
    power = fuzzifier - 1.0
    scratch = np.empty((3, k))
    row = Row(scratch[0], linear, u, scratch[1], scratch[2])
    for j in range(k):
        row.curvature[j] = 0.5 * fuzzifier * (dist2[i, j] + TINY)
        row.logs[j] = -np.inf
    bottom, top = _bracket(row, power, diagonal)
    level = top
    move = 0.0
    for _ in range(MAX_LEVELS):
        total, spread, slope, fastest = _at_level(row, power, diagonal, level, move)
        missing = (1.0 - total) / slope
        enough = max(SHORT / fastest, ROUNDING * abs(level))
        if abs(1.0 - total) <= SHORT and abs(missing) <= enough:
            # What is missing goes where the level would bring it.
            for j in range(k):
                u[j] *= max(0.0, 1.0 + row.rates[j] * missing)
            break
        if total > 1.0:
            top = level
        else:
            bottom = level
        before = level
        # Were all linear_j equal and one of the two powers absent, the sum would be a
        # power of the level: this is Newton's step for its logarithm.
        level -= spread / slope * (1.0 - np.exp(-total / spread * np.log(total)))
        if not bottom < level < top:
            level = 0.5 * (bottom + top)
        move = level - before
        if not bottom < level < top:
            _mix_levels(row, power, diagonal, bottom, top)
            break
    total = 0.0
    for j in range(k):
        total += u[j]
    for j in range(k):
        u[j] /= total


@kernel
def _bracket(row, power, diagonal):
    """Return two levels around the sought one, and measure both from a linear_j.

    No u_j exceeds one and the largest is at least 1 / k: the level lies between the
    lowest derivative at 1 / k and the lowest at one. Measured from the linear_j of
    the latter it keeps its digits even if that distance is zero.
    """
    k = row.u.shape[0]
    low = 0
    top = np.inf
    for j in range(k):
        end = row.linear[j] + (row.curvature[j] + diagonal)
        if end < top:
            top = end
            low = j
    shift = row.linear[low]
    share = np.exp(-power * np.log(k))
    bottom = np.inf
    top = np.inf
    for j in range(k):
        row.linear[j] -= shift
        end = row.linear[j] + (share * row.curvature[j] + diagonal / k)
        bottom = min(bottom, end)
        # Again: among equals rounding has hidden the lowest.
        top = min(top, row.linear[j] + (row.curvature[j] + diagonal))
    # Room for rounding: equal memberships, whose level is the bottom, are not rare.
    return bottom - 1e-6 * (top - bottom), top


@kernel
def _at_level(row, power, diagonal, level, move):
    """Set u, its logarithms and their rates for a level that moved by `move`.

    Returns
    -------
    total : float
        Sum of u.
    spread : float
        Sum of u_j / e_j, where e_j = d log(level - linear_j) / d log u_j.
    slope : float
        The derivative of `total` by the level.
    fastest : float
        The largest rate.
    """
    total = 0.0
    spread = 0.0
    slope = 0.0
    fastest = 0.0
    for j in range(row.u.shape[0]):
        rise = level - row.linear[j]
        row.u[j] = 0.0
        if rise > 0.0:
            guess = row.logs[j] + row.rates[j] * move
            row.logs[j], row.u[j], elasticity = _root(
                row.curvature[j], power, diagonal, rise, guess
            )
        if row.u[j] > 0.0:
            row.rates[j] = 1.0 / (elasticity * rise)
            total += row.u[j]
            spread += row.u[j] / elasticity
            slope += row.u[j] * row.rates[j]
        else:
            # What a zero is about to do when the level comes near its linear_j.
            row.logs[j] = -np.inf
            row.rates[j] = 1.0 / (power * (abs(rise) + TINY))
        fastest = max(fastest, row.rates[j])
    return total, spread, slope, fastest


@kernel
def _root(curvature, power, diagonal, rise, guess):
    """Solve ``curvature u^power + diagonal u = rise`` for a u of at most one.

    The logarithm of the left side is convex in log u with slopes between `power` and
    one: Newton's method converges from any guess, at last from above.

    Returns
    -------
    x, u, elasticity : float
        log u, u and the slope there.
    """
    x = guess
    if diagonal == 0.0 or not LOG_SMALLEST < x <= 0.0:
        # Either term alone bounds the root.
        x = min(np.log(rise / curvature) / power, 0.0)
        if diagonal == 0.0:
            return x, np.exp(x), power
        x = min(x, np.log(rise / diagonal))
    for _ in range(MAX_NEWTON):
        if x < LOG_SMALLEST:
            break
        u = np.exp(x)
        first = curvature * np.exp(power * x)
        second = diagonal * u
        value = first + second
        elasticity = (power * first + second) / value
        if 0.5 * rise < value < 2.0 * rise:
            # The logarithm but for a term of third order, in a third of the time.
            step = 2.0 * (value - rise) / ((value + rise) * elasticity)
        else:
            step = np.log(value / rise) / elasticity
        x = min(x - step, 0.0)
        if abs(step) <= SHORT:
            return x, u * (1.0 - step), elasticity
    return -np.inf, 0.0, power


@kernel
def _mix_levels(row, power, diagonal, bottom, top):
    """Set u between those of two neighbouring levels so that its sum is one.

    For a large power u_j leaves zero so steeply that no float may lie between the
    levels where the sum is too small and too large. What differs there is as good as
    flat, so any mixture has the same derivatives.
    """
    k = row.u.shape[0]
    less, _, _, _ = _at_level(row, power, diagonal, bottom, 0.0)
    below = np.empty(k)
    for j in range(k):
        below[j] = row.u[j]
    more, _, _, _ = _at_level(row, power, diagonal, top, 0.0)
    share = (1.0 - less) / (more - less) if more > less else 1.0
    for j in range(k):
        row.u[j] = below[j] + min(max(share, 0.0), 1.0) * (row.u[j] - below[j])
