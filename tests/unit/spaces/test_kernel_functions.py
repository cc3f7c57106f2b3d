"""Kernel functions: values by hand, gamma from the data, and as Nystroem takes them."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.kernel_approximation import Nystroem

import naive_spaces as plain
from fuzzypairs.spaces.kernel_functions import (
    Custom,
    Jaccard,
    Laplacian,
    Polynomial,
    Rbf,
    resolve_gamma,
)
from metric_cases import POINTS, SETS, WEIGHT, close, inner_products

KERNELS = {
    "rbf": (Rbf(0.15), plain.rbf(0.15), POINTS),
    "laplacian": (Laplacian(0.15), plain.laplacian(0.15), POINTS),
    "polynomial": (Polynomial(2, 0.15, 1.5), plain.polynomial(2, 0.15, 1.5), POINTS),
    "jaccard": (Jaccard(), plain.jaccard, SETS),
    "custom": (Custom(inner_products), plain.inner, POINTS),
}
every_kernel = pytest.mark.parametrize(
    ("kernel", "oracle", "X"), KERNELS.values(), ids=KERNELS
)


@pytest.mark.parametrize(
    ("kernel", "X", "expected"),
    [
        (Rbf(gamma=1.0), [[0.0], [1.0]], [[1, np.exp(-1)], [np.exp(-1), 1]]),
        (Laplacian(gamma=1.0), [[0.0], [2.0]], [[1, np.exp(-2)], [np.exp(-2), 1]]),
        (Polynomial(degree=2, gamma=1.0), [[1.0], [2.0]], [[4, 9], [9, 25]]),
        (Jaccard(), [[1.0, 1, 0], [1.0, 0, 0]], [[1, 0.5], [0.5, 1]]),
        (Jaccard(), [[0.0, 0], [0.0, 1]], [[1, 0], [0, 1]]),
        (Custom(inner_products), [[1.0], [2.0]], [[1, 2], [2, 4]]),
    ],
)
def test_by_hand(kernel, X, expected):
    X = np.array(X)
    close(kernel.fit(X).block(X, X), expected, 1e-12)
    close(kernel.fit(X).diagonal(X), np.diag(expected), 1e-12)


@every_kernel
def test_blocks_rows_and_diagonals_agree(kernel, oracle, X):
    K = plain.gram(oracle, X)
    fitted = kernel.fit(X)
    close(fitted.block(X[:5], X), K[:5], 1e-10)
    close(fitted.diagonal(X), K.diagonal(), 1e-10)
    assert fitted.pair(X[0], X[1]) == pytest.approx(K[0, 1])


@pytest.mark.parametrize("name", ["rbf", "polynomial", "jaccard", "custom"])
def test_sparse_rows(name):
    kernel, oracle, X = KERNELS[name]
    S, K = sparse.csr_array(X), plain.gram(oracle, X)
    assert kernel.accepts_sparse
    close(kernel.fit(S).block(S[:5], S), K[:5], 1e-10)
    assert kernel.fit(S).pair(S[[0]], S[[1]]) == pytest.approx(K[0, 1])


@every_kernel
def test_nystroem_takes_the_kernel(kernel, oracle, X):
    parameters = kernel.fit(X).parameters()
    features = Nystroem(**parameters, n_components=24, random_state=0).fit_transform(X)
    close(features @ features.T, plain.gram(oracle, X), 1e-5)


def test_fitting_leaves_a_kernel_as_it_was():
    kernel = Rbf()
    kernel.fit(POINTS)
    assert vars(kernel) == {"gamma": "scale"}


# gamma


def test_gamma_by_hand():
    X = np.array([[0.0], [2.0]])
    assert resolve_gamma(0.3, X) == 0.3
    assert resolve_gamma("scale", X) == 1.0
    assert resolve_gamma("scale", 2 * X) == 0.25
    assert resolve_gamma("scale", 2 * X, squared=False) == 0.5
    # Of the distances 1, 2 and 3, squared or not.
    line = np.array([[0.0], [1.0], [3.0]])
    assert resolve_gamma("median", line) == 1 / 4
    assert resolve_gamma("median", line, squared=False) == 1 / 2


def test_scale_is_the_variance_of_all_numbers():
    expected = 1 / (3 * POINTS.var())
    assert resolve_gamma("scale", POINTS) == pytest.approx(expected)
    assert resolve_gamma("scale", sparse.csr_array(POINTS)) == pytest.approx(expected)


@pytest.mark.parametrize("gamma", ["scale", "median"])
def test_weights_in_gamma(gamma):
    weight = (np.arange(24) < 15) * 1.0
    expected = resolve_gamma(gamma, POINTS[:15])
    assert resolve_gamma(gamma, POINTS, weight) == pytest.approx(expected)
    repeated = np.repeat(POINTS, 2, axis=0)
    twice = resolve_gamma("scale", POINTS, np.full(24, 2.0))
    assert twice == pytest.approx(resolve_gamma("scale", repeated))
    S = sparse.csr_array(POINTS)
    assert resolve_gamma("scale", S, WEIGHT) == pytest.approx(
        resolve_gamma("scale", POINTS, WEIGHT)
    )


@pytest.mark.parametrize("gamma", ["scale", "median"])
@pytest.mark.parametrize("squared", [True, False])
def test_constant_samples_have_a_gamma_of_one(gamma, squared):
    X = np.full((4, 1), 7.0)
    assert resolve_gamma(gamma, X, squared=squared) == 1.0


# A user's kernel


def test_a_function_may_return_a_sparse_matrix():
    kernel = Custom(lambda A, B: sparse.csr_array(A @ B.T))
    close(kernel.block(POINTS, POINTS), POINTS @ POINTS.T, 1e-12)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda A, B: A, r"shape \(24, 3\) for blocks of 24 and 24 rows"),
        (lambda A, B: np.inf * np.ones((24, 24)), "expected finite numbers"),
    ],
)
def test_what_a_function_returns_is_checked(function, words):
    with pytest.raises(ValueError, match=words):
        Custom(function).block(POINTS, POINTS)
