"""Numbers people should not have to choose: alpha and beta from the data.

Prototypes that sit close together are driven apart or together by one step of
Algorithm 1 with a gain of ``4 lam1 / (1 - alpha k^2)``, where lam1 is the largest
eigenvalue of E[x x' / |x|^2] of centred data. Below one they collapse to the mean;
``alpha`` is what lifts the gain. `auto_alpha` asks for a gain just above one.
`auto_beta` measures judgements in units of the total variance. Both are free of
scale: multiplying X by a constant changes no membership.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import LinearOperator, eigsh

from fuzzypairs.solvers.mem import weighted_mean

__all__ = ["auto_alpha", "auto_beta", "critical_alpha", "leading_share"]

Data = NDArray[np.floating[Any]]
Floats = NDArray[np.float64]

# alpha = "auto" aims at a gain of 1 / GAIN_SHARE when prototypes are about to part.
GAIN_SHARE = 0.8
# beta = "auto" in units of the total variance.
BETA_SHARE = 1.0

# Up to this many features the moment matrix is formed; beyond, only multiplied with.
DENSE_FEATURES = 32
ROWS_AT_A_TIME = 4096


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
    share = leading_share(X, weight)
    return max(0.0, 1.0 - GAIN_SHARE * 4.0 * share) / n_clusters**2


def critical_alpha(X: Data, weight: Floats | None, n_clusters: int) -> float:
    """Return the alpha below which all prototypes coincide: gain one.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.vstack([np.eye(10), -np.eye(10)])  # lam1 = 0.1
    >>> round(critical_alpha(X, None, 2), 6)
    0.15
    """
    return max(0.0, 1.0 - 4.0 * leading_share(X, weight)) / n_clusters**2


def auto_beta(X: Data, weight: Floats | None) -> float:
    """Return the total variance of X, the sum of its features' variances.

    Examples
    --------
    >>> import numpy as np
    >>> auto_beta(np.array([[0.0, 1.0], [2.0, 1.0]]), None)
    1.0
    """
    total = 0.0
    for x, w in _centred_chunks(X, weight):
        total += float(w @ np.einsum("if,if->i", x, x))
    return BETA_SHARE * total / _total_weight(X, weight)


def leading_share(X: Data, weight: Floats | None) -> float:
    """Return lam1: the largest eigenvalue of the mean of x x' / |x|^2, centred x.

    It is the greatest share of a sample's squared distance to the mean that one
    direction holds on average: 1 for data on a line, 1 / n_features for a sphere.

    Examples
    --------
    >>> import numpy as np
    >>> round(leading_share(np.vstack([np.eye(4), -np.eye(4)]), None), 6)
    0.25
    """
    n_features = X.shape[1]
    total_weight = _total_weight(X, weight)

    def multiply(v: Floats) -> Floats:
        product = np.zeros(v.shape)
        for x, w in _centred_chunks(X, weight):
            norm = np.einsum("if,if->i", x, x)
            share = np.divide(w, norm, out=np.zeros_like(norm), where=norm > 0.0)
            product += x.T @ (share.reshape(-1, *[1] * (v.ndim - 1)) * (x @ v))
        return product

    if n_features <= DENSE_FEATURES:
        largest = np.linalg.eigvalsh(multiply(np.eye(n_features)))[-1]
    else:
        operator = LinearOperator(
            (n_features, n_features), matvec=multiply, dtype=np.float64
        )
        # A fixed start: the same data give the same alpha.
        v0 = np.random.default_rng(0).standard_normal(n_features)
        # The stubs do not know a LinearOperator of float64.
        largest = eigsh(operator, k=1, v0=v0, tol=1e-6)[0][0]  # type: ignore[call-overload]
    return min(1.0, float(largest) / total_weight)


def _total_weight(X: Data, weight: Floats | None) -> float:
    return float(len(X) if weight is None else weight.sum())


def _centred_chunks(X: Data, weight: Floats | None) -> Iterator[tuple[Floats, Floats]]:
    """Yield (rows - mean, their weights), a chunk at a time in float64."""
    mean = weighted_mean(X, weight)
    for first in range(0, len(X), ROWS_AT_A_TIME):
        part = slice(first, first + ROWS_AT_A_TIME)
        x = X[part] - mean
        yield x, np.ones(len(x)) if weight is None else weight[part]
