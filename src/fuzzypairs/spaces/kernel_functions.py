"""Kernel functions k(x, y) that are inner products of some feature space.

scikit-learn's own are imported where they are used: all of its metrics come with them,
and a Euclidean fit should not wait for these.
"""

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np

from fuzzypairs._typing import Floats
from fuzzypairs.kernels.gram import gaussian_tile
from fuzzypairs.spaces.moments import (
    is_sparse,
    squared_norms,
    total_variance,
    weighted_mean,
)

__all__ = ["Custom", "Jaccard", "Kernel", "Laplacian", "Polynomial", "Rbf"]

Gamma = float | str

# Samples from which the "median" rule takes its distances.
MEDIAN_OF = 1000


class Kernel(ABC):
    """A kernel function over blocks of rows; `fit` settles what the data decide."""

    accepts_sparse: bool = False
    # Whether every matrix of it is positive semi-definite, by proof.
    positive: ClassVar[bool] = True

    def fit(self, X: Any, weight: Floats | None = None) -> Self:
        """Return a copy with the parameters that X and its weights decide."""
        return copy.copy(self)

    @abstractmethod
    def block(self, A: Any, B: Any) -> Floats:
        """Return k(a, b) for the rows of A and B, shape (n_a, n_b)."""

    def diagonal(self, X: Any) -> Floats:
        """Return k(x, x) of each row."""
        return np.ones(X.shape[0])

    def pair(self, a: Any, b: Any) -> float:
        """Return k(a, b) of two rows, dense or sparse."""
        rows = [x if is_sparse(x) else np.atleast_2d(x) for x in (a, b)]
        return float(self.block(*rows)[0, 0])

    @abstractmethod
    def parameters(self) -> dict[str, Any]:
        """Return the kernel as scikit-learn's Nystroem names it."""


class Rbf(Kernel):
    """The Gaussian ``exp(-gamma |x - y|^2)``.

    Parameters
    ----------
    gamma : float > 0, "scale" or "median", default="scale"
        "scale": one over n_features times the variance of all numbers in X, as
        scikit-learn's; "median": one over the median squared distance of samples.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0]])
    >>> np.round(Rbf(gamma=1.0).fit(X).block(X, X), 3)
    array([[1.   , 0.368],
           [0.368, 1.   ]])
    """

    accepts_sparse: bool = True

    gamma_: float
    center_: Floats

    def __init__(self, gamma: Gamma = "scale") -> None:
        self.gamma = gamma

    def fit(self, X: Any, weight: Floats | None = None) -> Self:
        """Settle gamma."""
        kernel = super().fit(X, weight)
        kernel.gamma_ = settle_gamma(self.gamma, X, weight)
        # Rows are measured from the middle: products of far ones would cancel.
        kernel.center_ = weighted_mean(X, weight)
        return kernel

    def block(self, A: Any, B: Any) -> Floats:
        """Return the Gaussians of two blocks of rows."""
        if is_sparse(A) or is_sparse(B):
            from sklearn.metrics.pairwise import rbf_kernel

            return np.asarray(rbf_kernel(A, B, gamma=self.gamma_))
        a, b = A - self.center_, B - self.center_
        tile = a @ b.T
        norms = np.einsum("if,if->i", a, a), np.einsum("if,if->i", b, b)
        gaussian_tile(tile, *norms, self.gamma_)
        return np.asarray(tile)

    def parameters(self) -> dict[str, Any]:
        """Return name and gamma."""
        return {"kernel": "rbf", "gamma": self.gamma_}


class Laplacian(Kernel):
    """``exp(-gamma sum_f |x_f - y_f|)``, less impressed by outliers than `Rbf`.

    Parameters
    ----------
    gamma : float > 0, "scale" or "median", default="scale"
        "scale": one over n_features times the standard deviation of all numbers in
        X; "median": one over the median distance.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0]])
    >>> np.round(Laplacian(gamma=1.0).fit(X).block(X, X), 3)
    array([[1.   , 0.368],
           [0.368, 1.   ]])
    """

    gamma_: float

    def __init__(self, gamma: Gamma = "scale") -> None:
        self.gamma = gamma

    def fit(self, X: Any, weight: Floats | None = None) -> Self:
        """Settle gamma."""
        kernel = super().fit(X, weight)
        kernel.gamma_ = settle_gamma(self.gamma, X, weight, squared=False)
        return kernel

    def block(self, A: Any, B: Any) -> Floats:
        """Return the kernel of two blocks of rows."""
        from sklearn.metrics.pairwise import laplacian_kernel

        return np.asarray(laplacian_kernel(A, B, gamma=self.gamma_))

    def parameters(self) -> dict[str, Any]:
        """Return name and gamma."""
        return {"kernel": "laplacian", "gamma": self.gamma_}


class Polynomial(Kernel):
    """``(gamma x.y + coef0) ** degree``.

    Parameters
    ----------
    degree : int >= 1, default=3
    gamma : float > 0, "scale" or "median", default="scale"
        As in `Rbf`.
    coef0 : float >= 0, default=1

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0], [2.0]])
    >>> Polynomial(degree=2, gamma=1.0).fit(X).block(X, X)
    array([[ 4.,  9.],
           [ 9., 25.]])
    """

    accepts_sparse: bool = True

    gamma_: float

    def __init__(
        self, degree: int = 3, gamma: Gamma = "scale", coef0: float = 1.0
    ) -> None:
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0

    def fit(self, X: Any, weight: Floats | None = None) -> Self:
        """Settle gamma."""
        kernel = super().fit(X, weight)
        kernel.gamma_ = settle_gamma(self.gamma, X, weight)
        return kernel

    def block(self, A: Any, B: Any) -> Floats:
        """Return the kernel of two blocks of rows."""
        from sklearn.metrics.pairwise import polynomial_kernel

        return np.asarray(
            polynomial_kernel(
                A, B, degree=self.degree, gamma=self.gamma_, coef0=self.coef0
            )
        )

    def diagonal(self, X: Any) -> Floats:
        """Return k(x, x) of each row."""
        return np.asarray((self.gamma_ * squared_norms(X) + self.coef0) ** self.degree)

    def parameters(self) -> dict[str, Any]:
        """Return name and numbers."""
        return {
            "kernel": "polynomial",
            "degree": self.degree,
            "gamma": self.gamma_,
            "coef0": self.coef0,
        }


class Jaccard(Kernel):
    """The Tanimoto kernel ``x.y / (|x|^2 + |y|^2 - x.y)``.

    For sets written as rows of 0 and 1 this is the share of common elements, one
    minus Jaccard's distance, and it is positive semi-definite. Counts work too; two
    empty rows are alike.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
    >>> Jaccard().fit(X).block(X, X)
    array([[1. , 0.5],
           [0.5, 1. ]])
    """

    accepts_sparse: bool = True

    def fit(self, X: Any, weight: Floats | None = None) -> Self:
        """Check that nothing is negative."""
        if X.min() < 0:
            raise ValueError(
                f'X has the entry {X.min():g}, but metric="jaccard" compares sets or '
                "counts, which are 0 or more"
            )
        return super().fit(X, weight)

    def block(self, A: Any, B: Any) -> Floats:
        """Return the shares of common elements."""
        common = A @ B.T
        common = np.asarray(common.toarray() if is_sparse(common) else common, float)
        either = squared_norms(A)[:, None] + squared_norms(B) - common
        ones = np.ones_like(common)
        return np.asarray(np.divide(common, either, out=ones, where=either > 0.0))

    def parameters(self) -> dict[str, Any]:
        """Return the kernel of two rows, as Nystroem calls it."""
        return {"kernel": self.pair}


class Custom(Kernel):
    """A kernel of one's own.

    Parameters
    ----------
    function : callable
        ``(A, B) -> matrix of shape (n_a, n_b)`` for blocks of rows.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0], [2.0]])
    >>> Custom(lambda A, B: A @ B.T).fit(X).block(X, X)
    array([[1., 2.],
           [2., 4.]])
    """

    accepts_sparse: bool = True
    positive: ClassVar[bool] = False

    def __init__(self, function: Callable[[Any, Any], Any]) -> None:
        self.function = function

    def block(self, A: Any, B: Any) -> Floats:
        """Return what the function says, checked."""
        values = self.function(A, B)
        if is_sparse(values):
            values = values.toarray()
        values = np.asarray(values, dtype=np.float64)
        expected = (A.shape[0], B.shape[0])
        if values.shape != expected or not np.isfinite(values).all():
            raise ValueError(
                f"metric, a callable kernel, returned an array of shape "
                f"{values.shape} for blocks of {expected[0]} and {expected[1]} rows, "
                f"expected finite numbers of shape {expected}"
            )
        return values

    def diagonal(self, X: Any) -> Floats:
        """Return k(x, x) of each row, a row at a time."""
        return np.array([self.block(X[[i]], X[[i]])[0, 0] for i in range(X.shape[0])])

    def parameters(self) -> dict[str, Any]:
        """Return the kernel of two rows, as Nystroem calls it."""
        return {"kernel": self.pair}


def settle_gamma(
    gamma: Gamma, X: Any, weight: Floats | None = None, *, squared: bool = True
) -> float:
    """Return gamma as a number.

    Parameters
    ----------
    gamma : float, "scale" or "median"
    X : array or sparse matrix of shape (n_samples, n_features)
    weight : ndarray of shape (n_samples,), default=None
        Sample weights. They count in "scale"; "median" leaves out samples of weight 0.
    squared : bool, default=True
        Whether gamma multiplies squared distances, or sums of absolute differences.

    Examples
    --------
    >>> import numpy as np
    >>> settle_gamma("scale", np.array([[0.0], [2.0]]))
    1.0
    """
    if not isinstance(gamma, str):
        return float(gamma)
    if gamma == "median":
        return _over_median(X if weight is None else X[weight > 0.0], squared)
    mean = weighted_mean(X, weight)
    if is_sparse(X):
        w = np.ones(X.shape[0]) if weight is None else weight
        within = float(w @ squared_norms(X) / w.sum() - mean @ mean)
    else:
        within = total_variance(X, weight)
    variance = max(within, 0.0) / X.shape[1] + float(mean.var())
    unit = variance if squared else np.sqrt(variance)
    return 1.0 / (X.shape[1] * float(unit)) if unit > 0.0 else 1.0


def _over_median(X: Any, squared: bool) -> float:
    from sklearn.metrics.pairwise import euclidean_distances

    rows = np.random.default_rng(0).permutation(X.shape[0])[:MEDIAN_OF]
    some = X[np.sort(rows)]
    if squared:
        distance = euclidean_distances(some, squared=True)
    else:
        distance = np.abs(some[:, None, :] - some[None, :100, :]).sum(axis=2)
    apart = distance[distance > 0.0]
    return 1.0 / float(np.median(apart)) if len(apart) else 1.0
