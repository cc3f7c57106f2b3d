"""The comparison of searches with fits that are told the number of clusters."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from experiments.tune import compare_criteria, compare_told, compare_wrong
from fuzzypairs.exceptions import UnusablePairsWarning

X, CLASSES = make_blobs([40, 30, 20], random_state=3)


def test_a_search_finds_what_a_fit_is_told():
    found = compare_told(X, CLASSES, 1, [2, 3, 4])
    np.testing.assert_array_equal(found, [[1.0, 1.0]])


def test_both_criteria_find_clear_clusters():
    found = compare_criteria(X, CLASSES, 0, [2, 3, 4])
    np.testing.assert_array_equal(found[:, 0], [1.0, 1.0])
    assert (found[:, 1] > 0.95).all()


def test_wrong_judgements_cost_nothing_where_they_are_not_used():
    with pytest.warns(UnusablePairsWarning):
        alone, misled = compare_wrong(X, CLASSES, 0)
    assert misled == pytest.approx(alone)
