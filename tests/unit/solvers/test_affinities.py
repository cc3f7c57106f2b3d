"""Affinities: worked cases, the median as a scale, judgements, refused matrices."""

import numpy as np
import pytest

from fuzzypairs.pairs import PairSet
from fuzzypairs.solvers.affinities import (
    FORBID,
    edit_affinities,
    exponential_affinities,
    given_affinities,
)


def test_affinities_of_three_points():
    # Distances 1, 2 and 3 over the deviation: all nine have the median 1.
    X = np.array([[0.0], [1.0], [3.0]])
    e = np.exp(-np.array([[np.inf, 1, 3], [1, np.inf, 2], [3, 2, np.inf]]))
    np.testing.assert_allclose(exponential_affinities(X, None), e, atol=1e-15)
    np.testing.assert_allclose(
        exponential_affinities(X, 2.0), e ** (1 / X.std(ddof=1) / 2), atol=1e-15
    )


@pytest.mark.parametrize("n_samples", [1, 2, 3, 6, 7, 30])
def test_scale_is_the_median_of_the_whole_matrix(n_samples):
    X = np.random.default_rng(n_samples).normal(size=(n_samples, 2))
    A = exponential_affinities(X, None)
    if n_samples == 1:
        assert A.tolist() == [[0.0]]
        return
    Z = X / X.std(axis=0, ddof=1)
    D = np.sqrt(((Z[:, None] - Z) ** 2).sum(axis=2))
    expected = np.exp(-D / np.median(D)) - np.eye(n_samples)
    np.testing.assert_allclose(A, expected, atol=1e-12)


def test_constant_samples_are_as_alike_as_can_be():
    A = exponential_affinities(np.full((3, 2), 0.1), None)
    np.testing.assert_array_equal(A, 1 - np.eye(3))


@pytest.mark.parametrize(
    ("options", "alike", "unlike"),
    [
        ({"graded": False, "forbid": False}, 1.0, 0.0),
        ({"graded": True, "forbid": False}, 0.6, 0.25),
        ({"graded": False, "forbid": True}, 1.0, -FORBID),
        ({"graded": True, "forbid": True}, 0.6, -FORBID),
    ],
)
def test_judgements_change_their_entries_alone(options, alike, unlike):
    A = np.array([[0.0, 0.2, 0.3], [0.2, 0.0, 0.5], [0.3, 0.5, 0.0]])
    edit_affinities(A, PairSet([0, 1, 0], [1, 2, 2], [0.5, -0.5, 0.0]), **options)
    expected = [[0.0, alike, 0.3], [alike, 0.0, unlike], [0.3, unlike, 0.0]]
    np.testing.assert_allclose(A, expected)


def test_diagonals_and_rounding_are_not_refused():
    A = np.full((3, 3), 0.5)
    A[0, 1] += 1e-12
    A[2, 2] = 9.0
    assert np.diag(given_affinities(A)).tolist() == [0.0, 0.0, 0.0]
    assert A[2, 2] == 9.0
    A[0, 1] += 1e-6
    with pytest.raises(ValueError, match="symmetric affinities"):
        given_affinities(A)


def test_a_matrix_that_is_not_square_is_refused():
    with pytest.raises(ValueError, match=r"shape \(2, 3\).*one row and one column"):
        given_affinities(np.zeros((2, 3)))


@pytest.mark.parametrize("value", [-0.5, 2.0, np.nan])
def test_entries_outside_0_and_1_are_refused(value):
    A = np.array([[0.0, value], [value, 0.0]])
    with pytest.raises(ValueError, match=rf"X\[0, 1\] is {value:g}, expected an"):
        given_affinities(A)
