"""The Minkowski metric, raised to its power: distances and prototypes for p > 1.

d(x, c) = sum_f |x_f - c_f|^p, so that p = 2 is the squared Euclidean distance.

A prototype minimises F(c) = sum_i w_i |x_i - c|^p in each feature. If no weight is
negative, F is convex, and a bracket around the root of F' is narrowed by Newton steps,
or by bisection when these fail. The weights w (u^g - alpha) of the discriminant model
may be negative, with a positive sum; then F is decreased to a stationary point from the
best of several points, one of them the previous prototype.

The problems of all clusters and features are solved together, as arrays.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from fuzzypairs._typing import Data, Floats, Ints

# Numbers processed at a time, which fit in the cache of a core.
AT_A_TIME = 2**16
# Width of the final bracket, as a share of the range of the feature.
CLOSE = 1e-12
# Rounding of F, as a share of the sum of its terms' absolute values.
ROUNDING = 1e-14
# Bisection alone takes 40 passes; twice that is never needed.
MAX_PASSES = 100
# Number of points at which F is evaluated if it may have several minima.
N_PLACES = 8
# Replaces |x - c| = 0 in a division with the numerator 0.
TINY = 1e-300


@np.errstate(over="ignore", invalid="ignore")
def minkowski_distances(X: Data, C: Floats, p: float) -> Floats:
    """Return sum_f |x_if - c_jf|^p of rows and prototypes, shape (n_rows, k).

    Examples
    --------
    >>> minkowski_distances(np.array([[0.0, 3.0]]), np.array([[2.0, 1.0]]), 3)
    array([[16.]])
    """
    out = np.empty((len(X), len(C)))
    for part in _parts(len(X), C.size):
        gap = np.abs(np.ascontiguousarray(X[part].T) - C[:, :, None])
        np.einsum("jfi,jfi->ij", gap, gap ** (p - 1.0), out=out[part])
    return out


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def minkowski_prototypes(XT: Floats, WT: Floats, p: float, C: Floats) -> Floats:
    """Return minimisers c_jf of sum_i WT_ji |XT_fi - c_jf|^p, shape (k, n_features).

    If no weight of cluster j is negative, the minimum, to 1e-12 of the range of the
    feature; otherwise a stationary point no worse than the previous prototype C_jf,
    possibly outside the data. For p = 2 this is the weighted mean for any signs.
    XT is (n_features, n_samples); WT (k, n_samples) has positive sums over samples.

    Examples
    --------
    >>> XT, WT = np.array([[0.0, 1.0, 5.0]]), np.ones((1, 3))
    >>> minkowski_prototypes(XT, WT, 2, np.zeros((1, 1)))
    array([[2.]])
    """
    low, high = XT.min(axis=1), XT.max(axis=1)
    cluster, feature = (each.ravel() for each in np.indices(C.shape))
    at = Problems(XT, WT, p, cluster, feature, tuple(_parts(XT.shape[1], C.size)))
    found = np.array(C, dtype=np.float64)
    found[:, low == high] = low[low == high]
    varies = (low < high)[feature]
    if p == 2.0:
        found[:, low < high] = _means(at, found.ravel()).reshape(C.shape)[:, low < high]
        return found
    c = found.ravel()
    is_convex = (WT.min(axis=1) >= 0.0)[cluster]
    some = np.flatnonzero(varies & is_convex)
    if some.size:
        ends = low[feature[some]], high[feature[some]]
        start = np.clip(c[some], *ends)
        c[some] = _descend(at.of(some), start, *ends, ends[1] - ends[0], np.inf)[0]
    some = np.flatnonzero(varies & ~is_convex)
    if some.size:
        places = _search(XT, WT, p, low, high)
        c[some] = _improve(at.of(some), c[some], *places, (high - low)[feature[some]])
    return c.reshape(C.shape)


class Problems(NamedTuple):
    """Samples and weights, and the cluster and feature of each of n problems."""

    XT: Floats
    WT: Floats
    p: float
    cluster: Ints
    feature: Ints
    parts: tuple[slice, ...]  # of the samples

    def of(self, some: Ints) -> "Problems":
        """Return some of the problems."""
        return self._replace(cluster=self.cluster[some], feature=self.feature[some])

    def gaps(self, c: Floats) -> Iterator[tuple[Floats, Floats]]:
        """Yield x - c and the weights of parts of the samples, (n, n_some)."""
        for part in self.parts:
            x, w = self.XT[:, part][self.feature], self.WT[:, part][self.cluster]
            yield x - c[:, None], w


def _parts(n_rows: int, n_each: int) -> Iterator[slice]:
    n_some = max(16, AT_A_TIME // n_each)
    return (slice(first, first + n_some) for first in range(0, n_rows, n_some))


def _sums(a: Floats, b: Floats) -> Floats:
    return np.asarray(np.einsum("qi,qi->q", a, b))


def _means(at: Problems, c: Floats) -> Floats:
    """Return sum w x / sum w, from differences to a near c for precision."""
    shift, total = np.zeros(c.shape), np.zeros(c.shape)
    for gap, w in at.gaps(c):
        shift += _sums(w, gap)
        total += w.sum(axis=1)
    return np.asarray(c + shift / total)


def _moments(at: Problems, c: Floats) -> tuple[Floats, Floats, Floats]:
    """Return F(c), -F'(c) / p, and F''(c) / (p (p - 1)).

    A sample at c adds nothing to F'', which is infinite there for p < 2.
    """
    value, pull, bend = np.zeros((3, len(c)))
    for signed, w in at.gaps(c):
        gap = np.abs(signed)
        term = gap ** (at.p - 1.0)
        term *= w
        value += _sums(term, gap)
        pull += _sums(term, np.sign(signed))
        np.maximum(gap, TINY, out=gap)
        bend += np.divide(term, gap, out=gap).sum(axis=1)
    return value, pull, bend


def _size(at: Problems, c: Floats) -> Floats:
    """Return the sum of the absolute values of F's terms."""
    total = np.zeros(c.shape)
    for gap, w in at.gaps(c):
        total += _sums(np.abs(w), np.abs(gap) ** at.p)
    return total


def _search(
    XT: Floats, WT: Floats, p: float, low: Floats, high: Floats
) -> tuple[Floats, Floats]:
    """Return the best of a few points in the range of each feature, and F there.

    The points are the same for all clusters, so that powers are computed once. Both
    results are (k, n_features).
    """
    share = (np.arange(N_PLACES) + 0.5) / N_PLACES
    places = low[:, None] + share * (high - low)[:, None]
    values = np.zeros((len(XT), N_PLACES, len(WT)))
    for part in _parts(XT.shape[1], places.size):
        gap = np.abs(XT[:, None, part] - places[:, :, None])
        values += (gap * gap ** (p - 1.0)) @ WT[:, part].T
    best = values.argmin(axis=1).T
    return places[np.arange(len(XT)), best], values.min(axis=1).T


def _improve(
    at: Problems, c: Floats, places: Floats, values: Floats, width: Floats
) -> Floats:
    """Descend from the best of c, the weighted mean and the points of `_search`."""
    previous = _moments(at, c)[0]
    slack = ROUNDING * _size(at, c)
    best = _means(at, c)
    least = _moments(at, best)[0]
    tried = places[at.cluster, at.feature], values[at.cluster, at.feature]
    for candidate, its_value in ((c, previous), tried):
        best = np.where(its_value <= least, candidate, best)
        least = np.minimum(its_value, least)
    nowhere = np.full(len(c), np.inf)
    end, value = _descend(at, best, -nowhere, nowhere, width, slack)
    return np.where(value <= previous + slack, end, c)


def _descend(
    at: Problems,
    c: Floats,
    low: Floats,
    high: Floats,
    width: Floats,
    slack: Floats | float,
) -> tuple[Floats, Floats]:
    """Return a minimum of each F between `low` and `high`, reached from c, and F there.

    F decreases into the bracket from at least one end, and from the other end too, or F
    is larger there: so a minimum inside is no worse than the better end. Values are
    worse if they differ by more than `slack`; an infinite slack uses the sign of F'
    alone, which is exact for convex F.

    A Newton step that leaves the bracket, or is more than half as long as the previous
    step, is replaced by bisection (or by a stride if an end is infinite). A very short
    step is lengthened to pass the root, which narrows the bracket.
    """
    n = len(c)
    found, least = np.empty((2, n))
    on = np.arange(n)
    unknown = np.full(n, np.inf)
    slack = np.broadcast_to(slack, n)
    state = np.array(
        [c, low, high, unknown, unknown, 2.0 * width, 0.125 * width, width, slack]
    )
    for _ in range(MAX_PASSES):
        c, low, high, low_value, high_value, last, stride, width, slack = state
        value, pull, bend = _moments(at.of(on), c)
        rises = pull > 0.0  # F decreases with c
        fits = np.where(
            rises,
            (value <= low_value + slack) | (high_value < low_value),
            (value <= high_value + slack) | (low_value < high_value),
        )
        newton = (bend > 0.0) & fits
        is_low = rises == fits
        end_value = np.where(fits, value, np.inf)
        low[is_low], low_value[is_low] = c[is_low], end_value[is_low]
        high[~is_low], high_value[~is_low] = c[~is_low], end_value[~is_low]

        close = np.maximum(CLOSE * width, 4.0 * np.spacing(np.abs(c)))
        step = np.where(newton, pull / ((at.p - 1.0) * bend), 0.0)
        short = newton & (np.abs(step) < close) & (close < last)
        step = np.where(short, np.copysign(close, pull), step)
        newton &= short | (np.abs(step) <= 0.5 * last)
        fails = ~newton | (c + step <= low) | (c + step >= high)
        has_ends = high - low < np.inf
        strides = fails & ~has_ends
        step = np.where(fails & has_ends, 0.5 * (low + high) - c, step)
        step = np.where(strides, np.copysign(stride, pull), step)

        is_root = pull == 0.0
        left_is_better = low_value < high_value
        ends = is_root | (high - low <= close)
        found[on] = np.where(left_is_better, low, high)
        least[on] = np.where(left_is_better, low_value, high_value)
        found[on[is_root]], least[on[is_root]] = c[is_root], value[is_root]
        stride[strides] *= 2.0
        last[:] = np.abs(step)
        c += step
        if ends.all():
            break
        on, state = on[~ends], state[:, ~ends]
    return found, least
