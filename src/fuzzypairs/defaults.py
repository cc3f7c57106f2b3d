"""Numbers people should not have to choose: alpha and beta from the data.

Prototypes that sit close together are driven apart or together by one step of
Algorithm 1 with a gain of ``2 g / (g - 1) * lam1 / (1 - alpha k^g)``, where g is the
fuzzifier (4 lam1 / (1 - alpha k^2) for g = 2) and lam1 the largest eigenvalue of
E[x x' / |x|^2] of centred data. Below one they collapse to the mean; ``alpha`` is
what lifts the gain. `auto_alpha` asks for a gain just above one. `auto_beta`
measures judgements in units of the total variance. Both are free of scale:
multiplying X by a constant changes no membership.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzypairs.spaces.moments import leading_share, total_variance

__all__ = ["alpha_at", "auto_alpha", "auto_beta", "critical_alpha", "leading_share"]

Data = NDArray[np.floating[Any]]
Floats = NDArray[np.float64]

# alpha = "auto" aims at a gain of 1 / GAIN_SHARE when prototypes are about to part.
GAIN_SHARE = 0.8
# beta = "auto" in units of the total variance.
BETA_SHARE = 1.0


def alpha_at(
    gain: float, share: float, n_clusters: int, fuzzifier: float = 2.0
) -> float:
    """Return the alpha that gives small displacements of prototypes this gain.

    Parameters
    ----------
    gain : float > 0
    share : float
        lam1 of `leading_share`, or of a space's own.
    n_clusters : int
    fuzzifier : float, default=2.0

    Examples
    --------
    >>> alpha_at(1.0, 0.1, 2)
    0.15
    """
    lift = 2.0 * fuzzifier / (fuzzifier - 1.0) * share
    return float(max(0.0, 1.0 - lift / gain) / n_clusters**fuzzifier)


def auto_alpha(X: Data, weight: Floats | None, n_clusters: int) -> float:
    """Return the alpha at which the prototypes just part.

    ``max(0, 1 - 0.8 * 4 lam1) / k^2``, with lam1 of `leading_share`.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    weight : ndarray of shape (n_samples,) or None
    n_clusters : int

    Examples
    --------
    >>> import numpy as np
    >>> line = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]])  # lam1 = 1
    >>> auto_alpha(line, None, 2)
    0.0
    """
    return alpha_at(1.0 / GAIN_SHARE, leading_share(X, weight), n_clusters)


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


def auto_beta(X: Data, weight: Floats | None) -> float:
    """Return the total variance of X, the sum of its features' variances.

    Examples
    --------
    >>> import numpy as np
    >>> auto_beta(np.array([[0.0, 1.0], [2.0, 1.0]]), None)
    1.0
    """
    return BETA_SHARE * total_variance(X, weight)
