"""Combined memberships: the average, rows unlike the samples, shares of features."""

import numpy as np
import pytest

from fuzzypairs import PairSet
from fuzzypairs.cluster.combined import (
    CombinedMap,
    ViewMap,
    as_shares,
    certainty_radius,
    unguided_memberships,
)
from fuzzypairs.spaces.views import make_view

CENTERS = np.array([[-1.0, 0.0], [1.0, 0.0]])


@pytest.fixture(scope="module", name="X")
def samples():
    return np.random.default_rng(0).normal(size=(40, 2))


@pytest.fixture(scope="module")
def learned(X):
    none = PairSet.empty(40)
    views = [make_view(X, X[:n], none, (X[:0], X[:0]), np.inf) for n in (10, 5)]
    n_features = sum(view.n_out for view in views)
    W = np.random.default_rng(1).normal(size=(n_features + 1, 2))
    return ViewMap(views, W)


def combined(learned, w=0.25, power=1.0, radius=np.inf, kept=(0, 1)):
    return CombinedMap(learned, w, CENTERS, 2.0, power, radius, np.array(kept))


def test_unguided_memberships_by_hand():
    """Squared distances 1 and 4: with g = 2 memberships 4/5, 1/5; with 1.5, 16/17."""
    at = np.array([[0.0, 0.0], [-1.0, 0.0]])
    C = np.array([[1.0, 0.0], [-2.0, 0.0]])
    np.testing.assert_allclose(unguided_memberships(at[:1], C, 2.0), [[0.8, 0.2]])
    np.testing.assert_allclose(
        unguided_memberships(at[:1], C, 1.5), [[16 / 17, 1 / 17]]
    )


def test_the_average(X, learned):
    U, V = unguided_memberships(X, CENTERS, 2.0), learned.probabilities(X)
    np.testing.assert_allclose(combined(learned).map(X), 0.75 * U + 0.25 * V)
    np.testing.assert_allclose(combined(learned, 0.0).map(X), U)
    np.testing.assert_allclose(combined(learned, 5e-4).map(X), U)  # negligible


def test_a_power_keeps_labels(X, learned):
    """Memberships 0.8 and 0.2 to the power 1/2 are in the proportion 2 : 1."""
    plain, softer = (combined(learned, 0.0, power=t).map(X) for t in (1.0, 0.5))
    np.testing.assert_allclose(
        softer[:, 0] / softer[:, 1], np.sqrt(plain[:, 0] / plain[:, 1])
    )
    np.testing.assert_array_equal(plain.argmax(axis=1), softer.argmax(axis=1))


def test_rows_unlike_the_samples_are_uncertain(X, learned):
    view = learned.views[0]
    radius = certainty_radius(view, X)
    space = combined(learned, radius=radius)
    inside = np.abs(space.map(X) - combined(learned).map(X)).max(axis=1) == 0.0
    assert inside.mean() >= 0.97
    direction = np.array([[1.0, 0.0]])
    certainty = [space.map(t * direction).max() for t in (1.0, 5.0, 20.0, 1e6)]
    assert certainty[1] > certainty[2] > certainty[3]
    assert certainty[3] == pytest.approx(0.5, abs=1e-6)


def test_clusters_without_samples_are_left_out(X, learned):
    out = combined(learned, kept=[1]).map(X)
    np.testing.assert_array_equal(out, np.ones((40, 1)))


def test_blocks_of_rows_change_nothing(X, learned):
    many = np.tile(X, (150, 1))
    np.testing.assert_allclose(
        combined(learned).map(many)[-40:], combined(learned).map(X), atol=1e-12
    )


@pytest.mark.parametrize("place", [0, 12])
def test_sensitivity_of_a_linear_map(X, learned, place):
    """Logits 2 x_0 and -2 x_0, in the first view or the second, depend on it alone."""
    W = np.zeros_like(learned.coefficients)
    W[place] = [2.0, -2.0]
    shares = ViewMap(learned.views, W).sensitivity(X)
    np.testing.assert_allclose(shares, [1.0, 0.0], atol=1e-12)


def test_sensitivity_against_differences(X, learned):
    def logits(X):
        V = learned.probabilities(X)
        return np.log(V) - np.log(V).mean(axis=1, keepdims=True)

    steps = 1e-6 * np.eye(2)
    slopes = [(logits(X + step) - logits(X - step)) / 2e-6 for step in steps]
    size = [np.sqrt((slope**2).mean()) for slope in slopes] * X.std(axis=0)
    np.testing.assert_allclose(learned.sensitivity(X), size / size.sum(), rtol=1e-5)


def test_shares():
    assert as_shares(np.array([1.0, 3.0])).tolist() == [0.25, 0.75]
    assert as_shares(np.zeros(4)).tolist() == [0.25] * 4


def test_duplicates_have_no_radius():
    X = np.ones((10, 2))
    none = PairSet.empty(10)
    view = make_view(X, X[:5], none, (X[:0], X[:0]), np.inf)
    assert certainty_radius(view, X) == np.inf
