"""Memberships from distances: eqs. (14), (28)."""

import numpy as np
import pytest

import naive
from core_cases import assert_on_simplex
from fuzzypairs.solvers.free import memberships_of

FUZZIFIERS = [1.0001, 1.1, 1.5, 2.0, 2.7, 4.0, 10.0]


def memberships(dist2, fuzzifier):
    return memberships_of(np.array(dist2, dtype=float), fuzzifier)


def test_memberships_of_distances_by_hand():
    # g = 3: u ~ 1 / sqrt(d);  g = 1.5: u ~ 1 / d^2.
    np.testing.assert_allclose(memberships([[1, 4]], 3.0), [[2 / 3, 1 / 3]])
    np.testing.assert_allclose(memberships([[1, 2]], 1.5), [[4 / 5, 1 / 5]])
    np.testing.assert_allclose(memberships([[1, 3]], 2.0), [[3 / 4, 1 / 4]])


@pytest.mark.parametrize("fuzzifier", FUZZIFIERS)
def test_zero_distances_share_the_row(fuzzifier):
    u = memberships([[0, 3, 0, 1e-300], [0, 1, 2, 3], [0, 0, 0, 0]], fuzzifier)
    expected = [[0.5, 0, 0.5, 0], [1, 0, 0, 0], [0.25, 0.25, 0.25, 0.25]]
    np.testing.assert_array_equal(u, expected)


@pytest.mark.parametrize("fuzzifier", FUZZIFIERS)
def test_distances_of_any_size(fuzzifier):
    sizes = 10.0 ** np.random.default_rng(0).uniform(-300, 300, (200, 6))
    u = memberships(sizes, fuzzifier)
    assert_on_simplex(u)
    np.testing.assert_array_equal(u.argmax(axis=1), sizes.argmin(axis=1))


def test_memberships_for_two_are_those_of_plain_loops():
    dist2 = np.random.default_rng(0).uniform(0.01, 5.0, (20, 4))
    expected = [naive.free_memberships(row) for row in dist2]
    np.testing.assert_allclose(memberships(dist2, 2.0), expected, rtol=1e-13)


def test_memberships_near_one_are_hard():
    dist2 = np.random.default_rng(0).uniform(1.0, 5.0, (20, 4))
    nearest = np.eye(4)[dist2.argmin(axis=1)]
    np.testing.assert_allclose(memberships(dist2, 1.0001), nearest, atol=1e-9)


def test_memberships_are_written_where_they_are_wanted():
    dist2, out = np.array([[1.0, 3.0]]), np.full((1, 2), np.nan)
    assert memberships_of(dist2, 2.0, out) is out
    np.testing.assert_array_equal(out, [[0.75, 0.25]])
