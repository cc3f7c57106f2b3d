"""The row programme, where a sample lies on several prototypes at once."""

import numpy as np
import pytest

import naive
from fuzzypairs.kernels.simplex import solve_row
from fuzzypairs.kernels.tiles import TINY


def solve(dist2, linear):
    inverse = 1.0 / (np.asarray(dist2)[None, :] + TINY)
    u = np.empty(len(dist2))
    solve_row(inverse, 0, np.array(linear), int(np.argmin(dist2)), u)
    return u


@pytest.mark.parametrize(
    ("dist2", "linear", "expected"),
    [
        ([0.0, 0.0, 1.0], [0.3, 0.1, 0.0], [0.0, 0.9, 0.1]),
        ([0.0, 0.0, 1.0], [0.1, 0.3, 0.0], [0.9, 0.0, 0.1]),
        ([0.0, 0.0, 1.0], [0.2, 0.2, 0.5], [0.5, 0.5, 0.0]),
        ([5e-30, 5e-30, 1.0], [0.3, 0.1, 0.0], [0.0, 0.9, 0.1]),
        ([5e-30, 5e-30, 1.0], [0.1, 0.3, 0.0], [0.9, 0.0, 0.1]),
        ([1.0, 2.0, 4.0], [0.0, 0.0, 0.0], [4 / 7, 2 / 7, 1 / 7]),
    ],
)
def test_by_hand(dist2, linear, expected):
    np.testing.assert_allclose(solve(dist2, linear), expected, atol=1e-12)


def test_random_rows_agree_with_sorting():
    rng = np.random.default_rng(0)
    for _ in range(300):
        dist2 = rng.exponential(size=5) * (rng.random(5) > 0.3)
        linear = rng.normal(size=5)
        np.testing.assert_allclose(
            solve(dist2, linear), naive.simplex_qp(dist2, linear), atol=1e-9
        )
