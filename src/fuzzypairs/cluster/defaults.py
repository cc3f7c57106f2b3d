"""Automatic alpha and beta.

One step of Algorithm 1 multiplies small displacements of coinciding prototypes by a
gain of ``2 g / (g - 1) * lam1 / (1 - alpha k^g)``, where g is the fuzzifier (4 lam1 /
(1 - alpha k^2) for g = 2) and lam1 the largest eigenvalue of E[x x' / |x|^2] of centred
data. With a gain below one, prototypes collapse to the mean; ``alpha`` raises the gain.
``alpha="auto"`` gives a gain just above one, and a smaller one if clusters vanish
(`GAINS`). ``beta="auto"`` is the total variance: the mean distance of samples to the
best single prototype. Both are scale-free: multiplying X by a constant changes no
membership.
"""

from typing import Literal

import numpy as np

from fuzzypairs._typing import Data, Floats
from fuzzypairs.spaces.moments import leading_share
from fuzzypairs.spaces.space import Space

__all__ = [
    "alpha_at",
    "alphas_to_try",
    "auto_fuzzifier",
    "critical_alpha",
    "gain_at",
    "leading_share",
    "parting_fuzzifier",
    "share_for",
]


# The gains that alpha="auto" tries until no cluster vanishes: the excess over one is
# halved each time. After the last, alpha is 0.
GAINS = (1.25, 1.125, 1.0625)
# The gain of a recommended fuzzifier: k prototypes need more than one direction.
ADVISED_GAIN = 1.5
# The gain of fuzzifier="auto", and its least value.
AUTO_GAIN, LEAST_FUZZIFIER = 2.0, 1.1
# The largest beta in the units of a fit.
LARGEST_BETA = 1e300
# Number of rows that the gain is estimated from if alpha does not depend on it.
ROWS_FOR_GAIN = 5000
# Number of products of features that it is estimated from if alpha does.
PRODUCTS_FOR_ALPHA = 500_000_000


def alpha_at(
    gain: float, share: float, n_clusters: int, fuzzifier: float = 2.0
) -> float:
    """Return the alpha of a gain; `share` is lam1 of `leading_share` or of the space.

    Examples
    --------
    >>> alpha_at(1.0, 0.1, 2)
    0.15
    """
    lift = 2.0 * fuzzifier / (fuzzifier - 1.0) * share
    return float(max(0.0, 1.0 - lift / gain) / n_clusters**fuzzifier)


def gain_at(
    alpha: float, share: float | None, n_clusters: int, fuzzifier: float = 2.0
) -> float:
    """Return the factor by which a step multiplies small displacements of prototypes.

    Below 1, prototypes that are close coincide in the end. inf if no cluster would have
    the support that alpha requires; NaN for one cluster or an unknown share.

    Examples
    --------
    >>> gain_at(0.0, 0.1, 2), gain_at(0.15, 0.1, 2)
    (0.4, 1.0)
    """
    if share is None or n_clusters == 1:
        return float("nan")
    left = 1.0 - alpha * n_clusters**fuzzifier
    if left <= 0.0:
        return float("inf")
    return float(2.0 * fuzzifier / (fuzzifier - 1.0) * share / left)


def parting_fuzzifier(share: float, gain: float = ADVISED_GAIN) -> float:
    """Return the fuzzifier that separates prototypes without alpha, by a given gain.

    It solves ``2 g / (g - 1) * share = gain``; inf from ``share = gain / 2``, where all
    do.

    Examples
    --------
    >>> round(parting_fuzzifier(0.25), 6)
    1.5
    """
    ratio = 2.0 * share / gain
    return 1.0 / (1.0 - ratio) if ratio < 1.0 else float("inf")


def auto_fuzzifier(share: float | None) -> float:
    """Return the fuzzifier that ``fuzzifier="auto"`` takes.

    It is 2 where prototypes part by a gain of 2 or more, and otherwise the value that
    gives this gain, but at least 1.1: the more features data have that vary
    independently, the harder clusters must be. It is 2 where samples are all the same
    and where the gain is not known.

    Examples
    --------
    >>> auto_fuzzifier(0.5), auto_fuzzifier(0.25)
    (2.0, 1.3333333333333333)
    """
    if not share:
        return 2.0
    return float(np.clip(parting_fuzzifier(share, AUTO_GAIN), LEAST_FUZZIFIER, 2.0))


def critical_alpha(X: Data, weight: Floats | None, n_clusters: int) -> float:
    """Return the alpha below which all prototypes coincide: gain one.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.vstack([np.eye(10), -np.eye(10)])  # lam1 = 0.1
    >>> round(critical_alpha(X, None, 2), 6)
    0.15
    """
    return alpha_at(1.0, leading_share(X, weight), n_clusters)


def share_for(
    space: Space, weight: Floats | None, mean: Floats | None, decides_alpha: bool
) -> float | None:
    """Return lam1 of a fitted space; None if unknown.

    In Euclidean space, where `mean` is that of the samples, a part of many rows is
    enough, and a smaller part if alpha does not depend on it.
    """
    if mean is None:
        return space.leading_share()
    n_rows, n_features = space.X.shape
    enough = ROWS_FOR_GAIN
    if decides_alpha:
        enough = max(enough, PRODUCTS_FOR_ALPHA // n_features**2)
    step = 1 if weight is not None else -(-n_rows // enough)
    if step == 1:
        return leading_share(space.X, weight, mean)
    return leading_share(np.ascontiguousarray(space.X[::step]), None)


def alphas_to_try(
    alpha: float | Literal["auto"],
    share: float | None,
    n_clusters: int,
    fuzzifier: float,
) -> list[float]:
    """Return the values of alpha to try until no cluster vanishes.

    Examples
    --------
    >>> [round(alpha, 3) for alpha in alphas_to_try("auto", 0.2, 2, 2.0)]
    [0.09, 0.072, 0.062, 0.0]
    """
    if not isinstance(alpha, str):
        return [float(alpha)]
    if share is None or n_clusters == 1:
        return [0.0]
    tried = []
    for gain in GAINS:
        if (value := alpha_at(gain, share, n_clusters, fuzzifier)) > 0.0:
            tried.append(value)
    return [*tried, 0.0]
