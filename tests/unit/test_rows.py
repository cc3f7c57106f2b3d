"""Kernels over plain rows."""

import numpy as np
import pytest

from fuzzypairs.kernels.rows import column_sums, first_near_rows, largest_places


@pytest.mark.parametrize("n_columns", [1, 2, 7])
def test_largest_places_are_those_of_argmax(n_columns):
    # Few distinct values: many ties, of which the first counts.
    values = np.random.default_rng(0).integers(3, size=(200, n_columns)) / 2
    found = np.empty(200, dtype=np.intp)
    largest_places(values, found)
    np.testing.assert_array_equal(found, values.argmax(axis=1))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_column_sums_are_those_of_numpy_to_the_last_bit(dtype):
    X = np.random.default_rng(0).normal(size=(300, 5)).astype(dtype)
    sums = np.zeros(5)
    column_sums(X, sums)
    np.testing.assert_array_equal(sums, X.sum(axis=0, dtype=np.float64))


def test_the_first_row_near_another_comes_with_the_nearest_before_it():
    line = np.array([[0.0], [5.0], [0.5], [0.25], [5.0]])
    assert first_near_rows(line, 0.1) == (1, 4)
    assert first_near_rows(line, 0.5) == (0, 2)
    assert first_near_rows(np.array([[0.0], [1.0], [0.7]]), 0.8) == (1, 2)
    assert first_near_rows(line[:2], 4.9) == (-1, -1)
    assert first_near_rows(line[:1], 1.0) == (-1, -1)
