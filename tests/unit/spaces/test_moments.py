"""Means, variances and leading eigenvalues: by hand, and by the plain formulas."""

import math

import numpy as np
import pytest
from scipy import sparse
from threadpoolctl import threadpool_limits

from fuzzypairs.spaces import moments
from fuzzypairs.spaces.moments import (
    is_sparse,
    leading_eigenvalue,
    leading_share,
    over_positive,
    squared_norms,
    total_variance,
    weighted_mean,
)
from metric_cases import POINTS, WEIGHT, close

S = sparse.csr_array(POINTS)
weights = pytest.mark.parametrize("weight", [None, WEIGHT], ids=["", "weighted"])


def plain_share(X, weight):
    """lam1 by its definition."""
    weight = np.ones(len(X)) if weight is None else weight
    x = X - np.average(X, axis=0, weights=weight)
    moment = sum(w * np.outer(r, r) / (r @ r) for w, r in zip(weight, x, strict=True))
    return np.linalg.eigvalsh(moment / weight.sum())[-1]


def test_by_hand():
    assert squared_norms(np.array([[3.0, 4.0]])).tolist() == [25.0]
    X = np.array([[0.0, 1.0], [4.0, 1.0]])
    assert weighted_mean(X, np.array([3.0, 1.0])).tolist() == [1.0, 1.0]
    assert total_variance(X, None) == 4.0
    assert leading_share(X, None) == pytest.approx(1.0)
    sphere = np.vstack([np.eye(4), -np.eye(4)])
    assert leading_share(sphere, None) == pytest.approx(0.25)
    quotient = over_positive(np.array([3.0, 2.0]), np.array([2.0, 0.0]))
    assert quotient.tolist() == [1.5, 0.0]


def test_is_sparse():
    assert is_sparse(S)
    assert is_sparse(sparse.csr_matrix(POINTS))
    assert not is_sparse(POINTS)


@weights
@pytest.mark.parametrize("X", [POINTS, S], ids=["dense", "sparse"])
def test_means_and_norms(X, weight):
    close(weighted_mean(X, weight), np.average(POINTS, axis=0, weights=weight), 1e-12)
    close(squared_norms(X), (POINTS**2).sum(axis=1), 1e-12)


@weights
def test_variance(weight):
    mean = np.average(POINTS, axis=0, weights=weight)
    squared = ((POINTS - mean) ** 2).sum(axis=1)
    expected = np.average(squared, weights=weight)
    assert total_variance(POINTS, weight) == pytest.approx(expected)


@weights
@pytest.mark.parametrize("X", [POINTS, S], ids=["dense", "sparse"])
def test_leading_share(X, weight):
    assert leading_share(X, weight) == pytest.approx(plain_share(POINTS, weight))


@weights
@pytest.mark.parametrize("n_features", [moments.SMALLEST_OPERATOR + 8, 3])
@pytest.mark.parametrize("largest", [0, 400])
def test_leading_share_by_every_way(monkeypatch, weight, n_features, largest):
    monkeypatch.setattr(moments, "FORMED_UP_TO", largest)
    monkeypatch.setattr(moments, "ROWS_AT_A_TIME", 7)
    X = np.random.default_rng(0).normal(size=(24, n_features))
    X[:, 0] *= 3.0
    assert leading_share(X, weight) == pytest.approx(plain_share(X, weight), rel=1e-5)


@pytest.mark.parametrize("size", [3, moments.SMALLEST_OPERATOR + 1])
def test_leading_eigenvalue(size):
    values = np.arange(1.0, size + 1)
    found = leading_eigenvalue(lambda v: values * v, size)
    assert found == pytest.approx(size, rel=1e-5)
    assert leading_eigenvalue(lambda v: 0.0 * v, size) == 0.0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("offset", [0.0, 1e8])
@pytest.mark.parametrize("n_samples", [300, 20_000])
def test_means_of_distant_samples_keep_their_digits(dtype, offset, n_samples):
    rng = np.random.default_rng(0)
    X = (offset + rng.normal(size=(n_samples, 3))).astype(dtype)
    for weight in (None, rng.random(n_samples)):
        w = np.ones(n_samples) if weight is None else weight
        gaps = [math.fsum(w * (x.astype(float) - offset)) for x in X.T]
        expected = offset + np.array(gaps) / math.fsum(w)
        found = weighted_mean(X, weight)
        close(found, expected, 1e-14 * max(offset, 1.0))


def test_threads_of_blas_change_no_bit():
    X = np.random.default_rng(0).normal(size=(20_000, 12))
    weight = np.random.default_rng(1).random(20_000)
    results = []
    for n_threads in (1, 2, 3):
        with threadpool_limits(n_threads, "blas"):
            mean, share = weighted_mean(X, weight), leading_share(X, weight)
            results.append([*mean, share, total_variance(X, weight)])
    assert results[0] == results[1] == results[2]
