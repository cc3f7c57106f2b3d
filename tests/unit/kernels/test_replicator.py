"""Replicator dynamics: one step, and the product it takes."""

import numpy as np
import pytest

from fuzzypairs.kernels.replicator import multiply, replicate


def test_steps_raise_the_value_and_stay_on_the_simplex():
    rng = np.random.default_rng(0)
    for n in (2, 3, 5, 30):
        A = rng.random((n, n))
        A = (A + A.T) / 2
        np.fill_diagonal(A, 0)
        x = rng.dirichlet(np.ones(n))
        value = x @ A @ x
        for _ in range(50):
            expected = x * (A @ x) / value
            assert replicate(A, np.zeros(n), 0.0, x, -1.0, 1, np.empty(n))[0] == 1
            np.testing.assert_allclose(x, expected, atol=1e-14)
            assert x.min() >= 0
            assert x.sum() == pytest.approx(1, abs=1e-12)
            before, value = value, x @ A @ x
            assert value >= before - 1e-14


@pytest.mark.parametrize("n", range(1, 10))
def test_product_reads_below_the_diagonal(n):
    rng = np.random.default_rng(n)
    B, x = np.tril(rng.random((n, n)), -1), rng.random(n)
    garbage = np.triu(np.full((n, n), np.nan))
    np.testing.assert_allclose(multiply(B + garbage, x), (B + B.T) @ x, atol=1e-14)
