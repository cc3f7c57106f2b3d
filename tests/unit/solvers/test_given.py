"""Labels and memberships that users give as a start."""

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fuzzypairs.solvers.given import read_given

HALVES = [[0.5, 0.5]] * 6


@pytest.mark.parametrize(
    "labels",
    [
        [0, 0, 0, 1, 1, 1],
        (0.0, 0.0, 0.0, 1.0, 1.0, 1.0),
        np.array([0, 0, 0, 1, 1, 1], dtype=np.uint8),
        np.array([False, False, False, True, True, True]),
    ],
)
def test_labels_are_accepted(labels):
    # Three clusters are allowed: using two of them is fine.
    read = read_given(labels, "init", 6, 3)
    assert read.tolist() == [0, 0, 0, 1, 1, 1]
    assert read.dtype == np.intp


def test_memberships_are_normalised_in_a_copy():
    random_state = np.random.RandomState(0)
    given = random_state.dirichlet([1, 1, 1], size=6).astype(np.float32)
    before = given.copy()
    read = read_given(given, "init", 6, 3)
    assert read.dtype == np.float64
    assert_allclose(read.sum(axis=1), 1, rtol=0, atol=1e-15)
    assert_allclose(read, given, rtol=1e-6)
    assert_array_equal(given, before)

    given = given.astype(np.float64)
    given /= given.sum(axis=1, keepdims=True) * (1 + 9e-7)
    before = given.copy()
    read = read_given(given, "init", 6, 3)
    assert_allclose(read.sum(axis=1), 1, rtol=0, atol=1e-15)
    assert_array_equal(given, before)


@pytest.mark.parametrize(
    ("init", "message"),
    [
        (None, "init is a NoneType of shape () and type object, expected numbers"),
        (7, "init is a int of shape () and type int"),
        ([["a", "b"]] * 6, "init is a list of shape (6, 2) and type <U1"),
        ([[1.0], [0.5, 0.5]], "init is a list of shape () and type object"),
        (np.zeros((6, 2, 1)), "init is a ndarray of shape (6, 2, 1)"),
        ([0, 1, 0], "init has 3 labels but X has 6 rows"),
        ([0, 1, 0.5, 1, 0, 1], "init[2] is 0.5, expected a whole number from 0 to 1"),
        ([0, 1, 0, 1, -1, 1], "init[4] is -1, expected a whole number from 0 to 1"),
        ([0, 1, 0, 1, 0, 2], "init[5] is 2, expected a whole number from 0 to 1"),
        ([0, 1, 0, np.nan, 0, 1], "init[3] is nan, expected a whole number"),
        (np.full((6, 3), 1 / 3), "init has shape (6, 3), expected (6, 2)"),
        (HALVES[:4], "init has shape (4, 2), expected (6, 2)"),
        ([*HALVES[:5], [np.nan, 1]], "init[5, 0] is nan, expected a membership"),
        ([*HALVES[:5], [1, np.inf]], "init[5, 1] is inf, expected a membership"),
        ([*HALVES[:5], [-0.5, 1.5]], "init[5, 0] is -0.5, expected a membership"),
        ([[0.5, 0.4], *HALVES[:5]], "init[0] sums to 0.9, expected 1 within 1e-06"),
        ([*HALVES[:5], [0.5, 0.500002]], "init[5] sums to 1, expected 1 within"),
    ],
)
def test_errors_name_the_argument(init, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        read_given(init, "init", 6, 2)
