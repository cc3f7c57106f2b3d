"""The comparison of a number of clusters that is chosen with one that is told."""

import numpy as np
from sklearn.datasets import make_blobs

from experiments.tune import compare_told

X, CLASSES = make_blobs([40, 30, 20], random_state=3)


def test_a_fit_finds_what_another_is_told():
    found = compare_told(X, CLASSES, 1, [2, 3, 4])
    np.testing.assert_array_equal(found, [[1.0, 1.0]])
