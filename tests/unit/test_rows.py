"""Kernels over plain rows."""

import numpy as np
import pytest

from fuzzypairs.kernels.rows import largest_places


@pytest.mark.parametrize("n_columns", [1, 2, 7])
def test_largest_places_are_those_of_argmax(n_columns):
    # Few distinct values: many ties, of which the first counts.
    values = np.random.default_rng(0).integers(3, size=(200, n_columns)) / 2
    found = np.empty(200, dtype=np.intp)
    largest_places(values, found)
    np.testing.assert_array_equal(found, values.argmax(axis=1))
