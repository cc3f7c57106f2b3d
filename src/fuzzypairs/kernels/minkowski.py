"""The Minkowski metric, raised to its power: distances and prototypes for p > 1.

d(x, c) = sum_f |x_f - c_f|^p, so that p = 2 is the squared Euclidean distance and
p = 1 the manhattan distance (whose prototypes are in `fuzzypairs.kernels.medians`).

A prototype minimises, feature by feature, F(c) = sum_i w_i |x_i - c|^p. Where no weight
is negative F is convex, and a bracket around the root of F' is closed by Newton steps,
halved where these fail. The weights w (u^g - alpha) of the discriminant model may be
negative, as long as they add up to something positive; then F is lowered to a
stationary point from the best of a few places, the previous prototype among them.
"""

import math

import numpy as np

from fuzzypairs.kernels.jit import kernel

# Rows that are worked on side by side.
BLOCK = 128
# Width of the final bracket, as a share of the range of the feature.
CLOSE = 1e-12
# Rounding of F, as a share of the sum of its terms' absolute values.
ROUNDING = 1e-14
# Halving alone closes a bracket in 40 passes; twice that is never needed.
MAX_PASSES = 100
# Where F may have several minima it is tried at so many places.
N_PLACES = 8
# Stands for |x - c| = 0 in a division, where the numerator is 0 too.
TINY = 1e-300


@kernel
def minkowski_distances(X, C, p, out, start, stop):
    """Set ``out[i, j]`` to sum_f |x_if - c_jf|^p for rows ``start`` to ``stop - 1``."""
    n_features = X.shape[1]
    lanes = np.zeros((n_features, BLOCK))
    gap, power, total = np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK)
    room = np.empty((2, BLOCK))
    bits = room.view(np.int64)
    for first in range(start, stop, BLOCK):
        used = min(BLOCK, stop - first)
        for f in range(n_features):
            for t in range(used):
                lanes[f, t] = X[first + t, f]
        for j in range(C.shape[0]):
            total[:] = 0.0
            for f in range(n_features):
                _gaps(lanes[f], C[j, f], gap)
                _powers(gap, p - 1.0, power, room, bits)
                _add_products(gap, power, total)
            for t in range(used):
                out[first + t, j] = total[t]


@kernel
def _gaps(x, c, gap):
    for t in range(len(x)):
        gap[t] = abs(x[t] - c)


@kernel
def _add_products(a, b, total):
    for t in range(len(a)):
        total[t] += a[t] * b[t]


@kernel
def minkowski_centers(XT, WT, p, C, out, start, stop):
    """Set ``out[j, f]`` to a c with small sum_i WT_ji |XT_fi - c|^p.

    For features ``start`` to ``stop - 1``. The minimum, to 1e-12 of the range of the
    feature, where no weight of cluster j is negative; otherwise a stationary point that
    is no worse than ``C[j, f]`` and may lie outside the data. For p = 2 this is the
    weighted mean, whatever the signs.

    Parameters
    ----------
    XT : array of shape (n_features, n_samples), IN
    WT : array of shape (k, n_samples), IN
        Weights of any sign, with positive sums over the samples.
    p : float, IN
        Greater than 1.
    C : array of shape (k, n_features), IN
        The previous prototypes.
    out : array of shape (k, n_features), OUT
        May be `C` itself.
    """
    k = WT.shape[0]
    convex = np.empty(k, dtype=np.bool_)
    n_convex = 0
    for j in range(k):
        convex[j] = _range(WT[j])[0] >= 0.0
        n_convex += convex[j]
    where, least = np.empty(k), np.empty(k)
    for f in range(start, stop):
        x = XT[f]
        low, high = _range(x)
        if p != 2.0 and n_convex < k:
            _search(x, WT, p, low, high, where, least)
        for j in range(k):
            w, c, width = WT[j], np.float64(C[j, f]), high - low
            if width == 0.0:
                c = low
            elif p == 2.0:
                c = _weighted_mean(x, w, c)
            elif convex[j]:
                c = min(max(c, low), high)
                c = _descend(x, w, p, c, low, high, width, np.inf)[0]
            else:
                c = _improve(x, w, p, c, where[j], least[j], width)
            out[j, f] = c


@kernel
def _range(x):
    low = high = np.float64(x[0])
    for i in range(len(x)):
        low, high = min(low, x[i]), max(high, x[i])
    return low, high


@kernel
def _weighted_mean(x, w, c):
    """Return sum w x / sum w; differences from a c close by keep the digits."""
    total = 0.0
    shift = 0.0
    for i in range(len(x)):
        total += w[i]
        shift += w[i] * (x[i] - c)
    return c + shift / total


@kernel
def _search(x, WT, p, low, high, where, least):
    """Find, for every cluster, the best of a few places spread over the range of x.

    The places are the same for all clusters, so that one power serves them all.
    """
    k = WT.shape[0]
    gap, power, value = np.empty(BLOCK), np.empty(BLOCK), np.empty(k)
    room = np.empty((2, BLOCK))
    bits = room.view(np.int64)
    for q in range(N_PLACES):
        place = low + (q + 0.5) / N_PLACES * (high - low)
        for j in range(k):
            value[j] = 0.0
        for first in range(0, len(x), BLOCK):
            some = x[first : first + BLOCK]
            used = len(some)
            _gaps(some, place, gap)
            _powers(gap[:used], p - 1.0, power[:used], room, bits)
            for t in range(used):
                power[t] *= gap[t]
            for j in range(k):
                value[j] += _dot(WT[j, first : first + BLOCK], power)
        for j in range(k):
            if q == 0 or value[j] < least[j]:
                where[j], least[j] = place, value[j]


@kernel
def _dot(a, b):
    total = 0.0
    for t in range(len(a)):
        total += a[t] * b[t]
    return total


@kernel
def _improve(x, w, p, c, place, value, width):
    """Go down from the best of c, the weighted mean, and a place with its F."""
    previous, _, _, size = _moments(x, w, p, c)
    mean = _weighted_mean(x, w, c)
    best, least = mean, _moments(x, w, p, mean)[0]
    for candidate, its_value in ((c, previous), (place, value)):
        if its_value <= least:
            best, least = candidate, its_value
    slack = ROUNDING * size
    end, value = _descend(x, w, p, best, -np.inf, np.inf, width, slack)
    return end if value <= previous + slack else c


@kernel
def _descend(x, w, p, c, low, high, width, slack):
    """Return a minimum of F between `low` and `high`, reached from c, and F there.

    At least one end of the bracket has F falling into it, and the other end has that
    too, or a greater F: so there is a minimum inside that is no worse than the better
    end. Values count as worse when they differ by more than `slack`; an infinite slack
    trusts the sign of F' alone, which is right, and exact, where F is convex.

    A Newton step that lies outside the bracket, or is more than half as long as the
    step before, gives way to halving (or to a stride while there is no other end). A
    step that hardly moves is stretched, so that it passes the root and closes the
    bracket.
    """
    low_value = high_value = np.inf
    last = 2.0 * width
    stride = 0.125 * width
    for _ in range(MAX_PASSES):
        value, pull, bend, _ = _moments(x, w, p, c)
        if pull == 0.0:
            return c, value
        newton = bend > 0.0
        if pull > 0.0:
            if value <= low_value + slack or high_value < low_value:
                low, low_value = c, value
            else:  # F rose in between: that is where to look
                high, high_value, newton = c, np.inf, False
        elif value <= high_value + slack or low_value < high_value:
            high, high_value = c, value
        else:
            low, low_value, newton = c, np.inf, False
        close = max(CLOSE * width, 4.0 * np.spacing(abs(c)))
        if high - low <= close:
            break
        step = pull / ((p - 1.0) * bend) if newton else 0.0
        if newton and abs(step) < close < last:
            step = math.copysign(close, pull)
        elif abs(step) > 0.5 * last:
            newton = False
        if not newton or not low < c + step < high:
            if high - low < np.inf:
                step = 0.5 * (low + high) - c
            else:
                step = math.copysign(stride, pull)
                stride *= 2.0
        last = abs(step)
        c += step
    return (low, low_value) if low_value < high_value else (high, high_value)


@kernel
def _moments(x, w, p, c):
    """Return F(c), -F'(c) / p, F''(c) / (p (p - 1)), and the size of F's terms.

    A sample at c adds nothing to F'', which is infinite there for p < 2.
    """
    gap, power = np.empty(BLOCK), np.empty(BLOCK)
    room = np.empty((2, BLOCK))
    bits = room.view(np.int64)
    value = pull = bend = size = 0.0
    for first in range(0, len(x), BLOCK):
        some, share = x[first : first + BLOCK], w[first : first + BLOCK]
        used = len(some)
        _gaps(some, c, gap)
        _powers(gap[:used], p - 1.0, power[:used], room, bits)
        for t in range(used):
            term = share[t] * power[t]
            value += term * gap[t]
            size += abs(term) * gap[t]
            pull += term if some[t] > c else -term
            bend += term / max(gap[t], TINY)
    return value, pull, bend, size


# a^e = 2^(e log2 a) by polynomials on arrays, which compile to vectors as calls of a
# library do not: about four times faster, and within 1e-13 of the truth.

# The exponent of a float64 stands left of 52 bits, with 1023 added to it.
EXPONENT_BITS = 52
ROOT_HALF_BITS = 0x3FE6A09E667F3BCD
# log2((1 + z) / (1 - z)) / z in powers of z^2, for |z| <= 3 - sqrt(8).
L0, L1, L2, L3, L4, L5, L6, L7, L8, L9 = (
    2.0 / math.log(2.0) / (2 * r + 1) for r in range(10)
)
# 2^r in powers of r, for |r| <= 1/2.
E0, E1, E2, E3, E4, E5, E6, E7, E8, E9, E10, E11, E12, E13 = (
    math.log(2.0) ** r / math.factorial(r) for r in range(14)
)


@kernel
def _powers(a, exponent, out, room, bits):
    """Set ``out[t]`` to ``a[t] ** exponent`` for a >= 0.

    `room` has two rows to work in, and `bits` shows them as integers. No loop uses a
    row as both: the compiler would see arrays that overlap, and not use vectors.
    """
    if exponent == 0.5:
        for t in range(len(a)):
            out[t] = math.sqrt(a[t])
        return
    if exponent == 2.0:
        for t in range(len(a)):
            out[t] = a[t] * a[t]
        return
    part, part_bits, scale, scale_bits = room[0], bits[0], room[1], bits[1]
    for t in range(len(a)):
        part[t] = a[t]
    for t in range(len(a)):
        # a = 2^out * part, with part between the roots of 1/2 and of 2.
        whole = (part_bits[t] - ROOT_HALF_BITS) >> EXPONENT_BITS
        part_bits[t] -= whole << EXPONENT_BITS
        out[t] = np.int32(whole)
    for t in range(len(a)):
        z = (part[t] - 1.0) / (part[t] + 1.0)
        s = z * z
        log = L5 + s * (L6 + s * (L7 + s * (L8 + s * L9)))
        log = L0 + s * (L1 + s * (L2 + s * (L3 + s * (L4 + s * log))))
        y = min(max(exponent * (out[t] + z * log), -1022.0), 1024.0)
        out[t] = math.floor(y + 0.5)
        r = y - out[t]
        power = E7 + r * (E8 + r * (E9 + r * (E10 + r * (E11 + r * (E12 + r * E13)))))
        power = E1 + r * (E2 + r * (E3 + r * (E4 + r * (E5 + r * (E6 + r * power)))))
        part[t] = E0 + r * power
    for t in range(len(a)):
        scale_bits[t] = (np.int64(np.int32(out[t])) + 1023) << EXPONENT_BITS
    for t in range(len(a)):
        # Neither 0 nor NaN has a logarithm; both are their own powers.
        out[t] = part[t] * scale[t] if a[t] > 0.0 else a[t]
