"""Kernel functions k(x, y): inner products of some feature space.

scikit-learn's kernels are imported when they are used: importing its metrics takes
longer than a small Euclidean fit.
"""

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np

from fuzzypairs._typing import Floats
from fuzzypairs.spaces.moments import (
    is_sparse,
    squared_norms,
    total_variance,
    weighted_mean,
)

Gamma = float | str

# Samples from which the "median" rule takes its distances.
MEDIAN_OF = 1000
# Entries of a tile that stay in the cache of a core.
ENTRIES_AT_A_TIME = 2**16


class Kernel(ABC):
    """A kernel function of blocks of rows; `fit` sets parameters by the data."""

    accepts_sparse: bool = False
    # Whether all of its matrices are known to be positive semi-definite.
    positive: ClassVar[bool] = True

    def fit(self, X: Any, weight: Floats | None = None) -> Self:
        """Return a copy with the parameters that depend on X and its weights."""
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

    def parameters(self) -> dict[str, Any]:
        """Return the kernel as scikit-learn's Nystroem takes it."""
        return {"kernel": self.pair}


class GammaKernel(Kernel):
    """Base of kernels with the parameter gamma.

    Parameters
    ----------
    gamma : float > 0, "scale" or "median", default="scale"
        "scale": one over n_features times the variance of all numbers in X, as in
        scikit-learn; "median": one over the median squared distance of samples. If
        gamma multiplies absolute differences, the standard deviation and the median of
        these are used.
    """

    name: ClassVar[str]
    # Whether gamma multiplies squares, or absolute differences.
    squared: ClassVar[bool] = True

    gamma_: float

    def __init__(self, gamma: Gamma = "scale") -> None:
        self.gamma = gamma

    def fit(self, X: Any, weight: Floats | None = None) -> Self:
        """Return a copy with gamma as a number."""
        kernel = super().fit(X, weight)
        kernel.gamma_ = resolve_gamma(self.gamma, X, weight, squared=self.squared)
        return kernel

    def parameters(self) -> dict[str, Any]:
        """Return name and gamma."""
        return {"kernel": self.name, "gamma": self.gamma_}


class Rbf(GammaKernel):
    """The Gaussian ``exp(-gamma |x - y|^2)``."""

    accepts_sparse: bool = True
    name: ClassVar[str] = "rbf"

    center_: Floats

    def fit(self, X: Any, weight: Floats | None = None) -> Self:
        """Return a copy with gamma, and the mean of the samples."""
        kernel = super().fit(X, weight)
        # Rows are measured from the mean: products of distant rows would cancel.
        kernel.center_ = weighted_mean(X, weight)
        return kernel

    def block(self, A: Any, B: Any) -> Floats:
        """Return the Gaussians of two blocks of rows."""
        if is_sparse(A) or is_sparse(B):
            from sklearn.metrics.pairwise import rbf_kernel

            return np.asarray(rbf_kernel(A, B, gamma=self.gamma_))
        a, b = A - self.center_, B - self.center_
        tile = a @ b.T
        left, right = self.gamma_ * squared_norms(a), self.gamma_ * squared_norms(b)
        n_rows = max(1, ENTRIES_AT_A_TIME // max(1, len(b)))
        for first in range(0, len(a), n_rows):
            part = tile[first : first + n_rows]
            part *= 2.0 * self.gamma_
            part -= left[first : first + n_rows, None]
            part -= right
            np.minimum(part, 0.0, out=part)
            np.exp(part, out=part)
        return np.asarray(tile)


class Laplacian(GammaKernel):
    """``exp(-gamma sum_f |x_f - y_f|)``, less sensitive to outliers than `Rbf`."""

    name: ClassVar[str] = "laplacian"
    squared: ClassVar[bool] = False

    def block(self, A: Any, B: Any) -> Floats:
        """Return the kernel of two blocks of rows."""
        from sklearn.metrics.pairwise import laplacian_kernel

        return np.asarray(laplacian_kernel(A, B, gamma=self.gamma_))


class Polynomial(GammaKernel):
    """``(gamma x.y + coef0) ** degree``."""

    accepts_sparse: bool = True
    name: ClassVar[str] = "polynomial"

    def __init__(
        self, degree: int = 3, gamma: Gamma = "scale", coef0: float = 1.0
    ) -> None:
        super().__init__(gamma)
        self.degree = degree
        self.coef0 = coef0

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
        return super().parameters() | {"degree": self.degree, "coef0": self.coef0}


class Jaccard(Kernel):
    """The Tanimoto kernel ``x.y / (|x|^2 + |y|^2 - x.y)``.

    For sets written as rows of 0 and 1 this is the share of common elements, one
    minus Jaccard's distance, and it is positive semi-definite. It also takes counts;
    two empty rows are alike.
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


class Custom(Kernel):
    """A user's kernel: ``function(A, B)`` for blocks of rows, shape (n_a, n_b)."""

    accepts_sparse: bool = True
    positive: ClassVar[bool] = False

    def __init__(self, function: Callable[[Any, Any], Any]) -> None:
        self.function = function

    def block(self, A: Any, B: Any) -> Floats:
        """Return what the function returns, checked."""
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


def resolve_gamma(
    gamma: Gamma, X: Any, weight: Floats | None = None, *, squared: bool = True
) -> float:
    """Return gamma as a number; "median" leaves out samples of weight 0."""
    if not isinstance(gamma, str):
        return float(gamma)
    found = _gamma_by_name(gamma, X, weight, squared)
    if not 0.0 < found < np.inf:
        raise ValueError(
            f'gamma="{gamma}" is {found:g} for the scale of X; scale X to about one, '
            "or give gamma as a number"
        )
    return found


def _gamma_by_name(gamma: str, X: Any, weight: Floats | None, squared: bool) -> float:
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
    """Return one over the median distance of some samples."""
    from sklearn.metrics.pairwise import euclidean_distances

    rows = np.random.default_rng(0).permutation(X.shape[0])[:MEDIAN_OF]
    some = X[np.sort(rows)]
    if squared:
        distance = euclidean_distances(some, squared=True)
    else:
        distance = np.abs(some[:, None, :] - some[None, :100, :]).sum(axis=2)
    apart = distance[distance > 0.0]
    return 1.0 / float(np.median(apart)) if len(apart) else 1.0
