"""Means, variances and leading eigenvalues of weighted data, dense or sparse."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.linalg.lapack import dsyevd
from scipy.sparse.linalg import LinearOperator, eigsh

from fuzzypairs import _core
from fuzzypairs._typing import Floats
from fuzzypairs.threads import one_blas_thread

# Largest size of a matrix that is formed; larger ones are only multiplied by.
FORMED_UP_TO = 400
# Lanczos needs a matrix larger than this.
SMALLEST_OPERATOR = 32
ROWS_AT_A_TIME = 4096


def is_sparse(X: Any) -> bool:
    """Tell whether X is sparse."""
    # bool: the stubs would narrow X to a bare sparse type, which has no products.
    return bool(sparse.issparse(X))


def squared_norms(X: Any) -> Floats:
    """Return |x|^2 of each row, dense or sparse."""
    if is_sparse(X):
        return np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64).ravel()
    return np.asarray(np.einsum("if,if->i", X, X), dtype=np.float64)


def over_positive(weight: Floats | float, norm: Floats) -> Floats:
    """Return weight / norm, 0 where norm is 0."""
    return np.divide(weight, norm, out=np.zeros_like(norm), where=norm > 0.0)


def weighted_mean(X: Any, weight: Floats | None) -> Floats:
    """Return the mean of the rows in float64, without a copy of X."""
    if is_sparse(X):
        weight = np.ones(X.shape[0]) if weight is None else weight
        return np.asarray(X.T @ weight / weight.sum())
    return mean_and_variance(X, weight)[0]


def total_variance(X: Any, weight: Floats | None) -> float:
    """Return the mean squared distance of dense rows to their mean."""
    return mean_and_variance(X, weight)[1]


def mean_and_variance(X: Any, weight: Floats | None) -> tuple[Floats, float]:
    """Return the mean of dense rows, and their mean squared distance to it."""
    # No matrix product: its sums depend on the number of BLAS threads.
    return _core.mean_and_variance(np.ascontiguousarray(X), weight)


class Moments(NamedTuple):
    """Moments of some rows, or of some values of one column.

    Examples
    --------
    >>> Moments(2, 1.0, 2.0).joined(Moments(1, 4.0, 0.0))
    Moments(mass=3, mean=2.0, scatter=8.0)
    """

    mass: float  # the sum of weights
    mean: Any  # (n_features,), or a number
    scatter: float  # sum of w |x - mean|^2

    @classmethod
    def of(cls, X: Any, weight: Floats | None) -> "Moments":
        """Return the moments of the rows of an array or a sparse matrix."""
        mass = float(X.shape[0] if weight is None else weight.sum())
        if mass == 0.0:
            return cls(0.0, np.zeros(X.shape[1]), 0.0)
        if not is_sparse(X):
            mean, variance = mean_and_variance(X, weight)
            return cls(mass, mean, mass * variance)
        mean, norms = weighted_mean(X, weight), squared_norms(X)
        total = norms.sum() if weight is None else weight @ norms
        return cls(mass, mean, max(0.0, float(total) - mass * float(mean @ mean)))

    def joined(self, other: "Moments") -> "Moments":
        """Return the moments of both."""
        mass, gap = self.mass + other.mass, other.mean - self.mean
        share = other.mass / mass if mass else 0.0
        between = float(np.vdot(gap, gap)) * self.mass * share
        scatter = self.scatter + other.scatter + between
        return Moments(mass, self.mean + share * gap, scatter)


def leading_share(X: Any, weight: Floats | None, mean: Floats | None = None) -> float:
    """Return lam1: the largest eigenvalue of the mean of x x' / |x|^2, centred x.

    It is 1 for data on a line and 1 / n_features for a sphere. `mean` is that of the
    rows, if known.
    """
    n_rows, n_features = X.shape
    mean = weighted_mean(X, weight) if mean is None else mean
    if not sparse.issparse(X) and n_features <= FORMED_UP_TO:
        moment = _core.directions(np.ascontiguousarray(X), weight, mean)
        # NumPy's eigvalsh takes twice as long for a small matrix.
        largest = float(dsyevd(moment, compute_v=0)[0][-1])
    else:
        of = _sparse_moment if sparse.issparse(X) else _dense_moment
        with one_blas_thread():
            largest = leading_eigenvalue(of(X, weight, mean), n_features)
    return min(1.0, largest / float(n_rows if weight is None else weight.sum()))


def leading_direction(X: Any, weight: Floats, center: Floats) -> Floats:
    """Return the leading eigenvector of the sum of w x x' / |x|^2, dense x - center.

    Its entry of the largest magnitude is positive.
    """
    n_features = X.shape[1]
    with one_blas_thread():
        if n_features <= FORMED_UP_TO:
            moment = _core.directions(X, weight, center)
            vector = dsyevd(moment)[1][:, -1]
        else:
            _, vector = _leading_pair(_dense_moment(X, weight, center), n_features)
    return np.asarray(vector * np.sign(vector[np.argmax(np.abs(vector))]))


def leading_eigenvalue(multiply: Callable[[Floats], Floats], size: int) -> float:
    """Return the largest eigenvalue of a symmetric matrix known by its products."""
    if size <= SMALLEST_OPERATOR:
        columns = [multiply(column) for column in np.eye(size)]
        return float(np.linalg.eigvalsh(np.array(columns))[-1])
    return _leading_pair(multiply, size)[0]


def _leading_pair(
    multiply: Callable[[Floats], Floats], size: int
) -> tuple[float, Floats]:
    """Return the largest eigenvalue of a symmetric matrix, and its vector."""
    operator = LinearOperator((size, size), matvec=multiply, dtype=np.float64)
    # A fixed start: the same data give the same value.
    v0 = np.random.default_rng(0).standard_normal(size)
    if not multiply(v0).any():
        return 0.0, v0  # ARPACK refuses the matrix of samples that are all the same
    values, vectors = eigsh(operator, k=1, v0=v0, tol=1e-6)
    return float(values[0]), vectors[:, 0]


def _dense_moment(
    X: Any, weight: Floats | None, mean: Floats
) -> Callable[[Floats], Floats]:
    def multiply(v: Floats) -> Floats:
        product = np.zeros(v.shape)
        for x, w in _chunks(X, weight):
            gap = x - mean
            share = over_positive(1.0 if w is None else w, squared_norms(gap))
            product += gap.T @ (share * (gap @ v))
        return product

    return multiply


def _sparse_moment(
    X: Any, weight: Floats | None, mean: Floats
) -> Callable[[Floats], Floats]:
    # (x - mean) . v and its transpose, without filling the zeros of x.
    norm = squared_norms(X) - 2.0 * (X @ mean) + mean @ mean
    share = over_positive(1.0 if weight is None else weight, np.maximum(norm, 0.0))

    def multiply(v: Floats) -> Floats:
        inner = (X @ v - mean @ v) * share
        return np.asarray(X.T @ inner - mean * inner.sum())

    return multiply


def _chunks(X: Any, weight: Floats | None) -> Iterator[tuple[Any, Floats | None]]:
    """Yield rows and their weights, if any, a chunk at a time."""
    for first in range(0, len(X), ROWS_AT_A_TIME):
        rows = slice(first, first + ROWS_AT_A_TIME)
        yield X[rows], None if weight is None else weight[rows]
