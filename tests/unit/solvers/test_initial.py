"""First prototypes of labels and memberships, by hand."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from fuzzypairs.solvers.initial import (
    drop_column,
    from_labels,
    from_memberships,
    one_hot,
)

LABELS = np.array([0, 0, 1, 1, 2])


def line(weight=None):
    """Return five samples on a line, the first and the last under judgements."""
    X = np.array([[0.0], [2.0], [10.0], [12.0], [5.0]])
    mean = np.average(X, axis=0, weights=weight)
    rows = np.array([0, 4])
    return SimpleNamespace(X=X, weight=weight, mean=mean, constrained=rows, n_threads=1)


def test_without_alpha_prototypes_are_means():
    centers, inside = from_labels(line(), 0.0, LABELS)
    assert_allclose(centers, [[1.0], [11.0], [5.0]])
    assert_allclose(inside, [[1, 0, 0], [0, 0, 1]])


def test_a_cluster_below_the_threshold_is_dropped():
    # The last cluster has the support 1, below 0.21 * 5. Its sample then has the
    # memberships 1/2. Eq. (13): (0.79 * 2 - 0.21 * 22 + 0.04 * 5) / 1.2, and the same
    # with the first two clusters exchanged.
    centers, inside = from_labels(line(), 0.21, LABELS)
    assert_allclose(centers, [[-2.84 / 1.2], [17.16 / 1.2]])
    assert_allclose(inside, [[1, 0], [0.5, 0.5]])


@pytest.mark.parametrize("alpha", [0.0, 0.21, 0.45])
@pytest.mark.parametrize("weight", [None, np.array([1.0, 0.5, 1.0, 0.25, 0.5])])
def test_labels_and_their_memberships_give_the_same(alpha, weight):
    by_labels = from_labels(line(weight), alpha, LABELS)
    by_memberships = from_memberships(line(weight), alpha, one_hot(LABELS, 3))
    for found, expected in zip(by_labels, by_memberships, strict=True):
        assert_allclose(found, expected)


def test_a_row_of_a_dropped_cluster_becomes_uniform():
    U = np.array([[0.5, 0.25, 0.25], [1.0, 0.0, 0.0]])
    assert_allclose(drop_column(U, 0), [[0.5, 0.5], [0.5, 0.5]])
