"""Means, variances and leading eigenvalues of weighted data, dense or sparse."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, eigsh

from fuzzypairs._typing import Floats
from fuzzypairs.threads import one_blas_thread

__all__ = [
    "is_sparse",
    "leading_eigenvalue",
    "leading_share",
    "over_positive",
    "squared_norms",
    "total_variance",
    "weighted_mean",
]

# Up to this size a matrix is formed; beyond, only multiplied with.
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
    sums = np.zeros(X.shape[1])
    # Products with vectors are given to several threads at an eighth of the size.
    with one_blas_thread(8 * X.size):
        for x, w in _chunks(X, weight):
            sums += w @ x
    return np.asarray(sums / _total_weight(X, weight))


def total_variance(X: Any, weight: Floats | None) -> float:
    """Return the mean squared distance of dense rows to their mean."""
    total = 0.0
    for x, w in _centred_chunks(X, weight):
        total += float(w @ np.einsum("if,if->i", x, x))
    return total / _total_weight(X, weight)


def leading_share(X: Any, weight: Floats | None) -> float:
    """Return lam1: the largest eigenvalue of the mean of x x' / |x|^2, centred x.

    It is 1 for data on a line and 1 / n_features for a sphere.
    """
    with one_blas_thread(X.shape[0] * X.shape[1] ** 2):
        if not is_sparse(X) and X.shape[1] <= FORMED_UP_TO:
            largest = float(np.linalg.eigvalsh(_formed_moment(X, weight))[-1])
        else:
            moment = _sparse_moment if is_sparse(X) else _dense_moment
            largest = leading_eigenvalue(moment(X, weight), X.shape[1])
    return min(1.0, largest / _total_weight(X, weight))


def leading_eigenvalue(multiply: Callable[[Floats], Floats], size: int) -> float:
    """Return the largest eigenvalue of a symmetric matrix known by its products."""
    if size <= SMALLEST_OPERATOR:
        columns = [multiply(column) for column in np.eye(size)]
        return float(np.linalg.eigvalsh(np.array(columns))[-1])
    operator = LinearOperator((size, size), matvec=multiply, dtype=np.float64)
    # A fixed start: the same data give the same value.
    v0 = np.random.default_rng(0).standard_normal(size)
    if not multiply(v0).any():
        return 0.0  # ARPACK refuses the matrix of samples that are all the same
    return float(eigsh(operator, k=1, v0=v0, tol=1e-6)[0][0])


def _formed_moment(X: Any, weight: Floats | None) -> Floats:
    """Return the sum of w x x' / |x|^2, of which only the lower half is read."""
    moment = np.zeros((X.shape[1], X.shape[1]))
    for x, w in _centred_chunks(X, weight):
        y = x * np.sqrt(over_positive(w, squared_norms(x)))[:, None]
        moment += y.T @ y  # the one product that BLAS does in half the time
    return moment


def _dense_moment(X: Any, weight: Floats | None) -> Callable[[Floats], Floats]:
    def multiply(v: Floats) -> Floats:
        product = np.zeros(v.shape)
        for x, w in _centred_chunks(X, weight):
            product += x.T @ (over_positive(w, squared_norms(x)) * (x @ v))
        return product

    return multiply


def _sparse_moment(X: Any, weight: Floats | None) -> Callable[[Floats], Floats]:
    # (x - mean) . v and its transpose, without filling the zeros of x.
    weight = np.ones(X.shape[0]) if weight is None else weight
    mean = weighted_mean(X, weight)
    norm = squared_norms(X) - 2.0 * (X @ mean) + mean @ mean
    share = over_positive(weight, np.maximum(norm, 0.0))

    def multiply(v: Floats) -> Floats:
        inner = (X @ v - mean @ v) * share
        return np.asarray(X.T @ inner - mean * inner.sum())

    return multiply


def _total_weight(X: Any, weight: Floats | None) -> float:
    return float(X.shape[0] if weight is None else weight.sum())


def _centred_chunks(X: Any, weight: Floats | None) -> Iterator[tuple[Floats, Floats]]:
    """Yield (rows - mean, their weights), a chunk at a time in float64."""
    mean = weighted_mean(X, weight)
    for x, w in _chunks(X, weight):
        yield x - mean, w


def _chunks(X: Any, weight: Floats | None) -> Iterator[tuple[Any, Floats]]:
    """Yield rows and their weights, a chunk at a time."""
    for first in range(0, len(X), ROWS_AT_A_TIME):
        x = X[first : first + ROWS_AT_A_TIME]
        w = weight[first : first + ROWS_AT_A_TIME] if weight is not None else None
        yield x, np.ones(len(x)) if w is None else w
