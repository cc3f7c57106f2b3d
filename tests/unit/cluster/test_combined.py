"""Combined memberships: the average, rows unlike the samples, shares of features."""

import numpy as np
import pytest

from fuzzypairs.cluster.combined import (
    CombinedMap,
    UnguidedClusters,
    ViewMap,
    as_shares,
    certainty_radius,
)
from fuzzypairs.spaces.views import make_view, random_directions

CENTERS = np.array([[-1.0, 0.0], [1.0, 0.0]])


@pytest.fixture(scope="module", name="X")
def samples():
    return np.random.default_rng(0).normal(size=(40, 2))


@pytest.fixture(scope="module")
def learned(X):
    view = view_of(X, 0.1)
    whitened = view_of(view.coordinates(X), 1.0, n_landmarks=5)
    W = np.random.default_rng(1).normal(size=(view.n_out + whitened.n_out + 1, 2))
    return ViewMap(view, whitened, W)


@pytest.fixture(scope="module")
def unguided(X):
    views = [view_of(X, p) for p in (np.inf, 0.1)]
    return [UnguidedClusters(v, v.coordinates(CENTERS), 2.0) for v in views]


def view_of(X, p, n_landmarks=10):
    return make_view(X, X[:n_landmarks], random_directions(X), p)


def combined(
    learned, unguided, weights=(0.25, 0.5, 0.25), power=1.0, radius=np.inf, kept=(0, 1)
):
    w, *others = weights
    return CombinedMap(
        learned, w, unguided, np.array(others), power, radius, np.array(kept)
    )


ALONE = (0.0, 1.0, 0.0)


def test_unguided_memberships_by_hand(X):
    """Squared distances 1 and 4: with g = 2 memberships 4/5, 1/5; with 1.5, 16/17."""
    view = view_of(X, np.inf)
    C = view.coordinates(np.array([[1.0, 0.0], [-2.0, 0.0]]))
    clusters, at = UnguidedClusters(view, C, 2.0), np.zeros((1, 2))
    np.testing.assert_allclose(clusters.memberships(at), [[0.8, 0.2]])
    sharper = clusters.memberships_at(view.coordinates(at), 2.0)
    np.testing.assert_allclose(sharper, [[16 / 17, 1 / 17]])


def test_the_average(X, learned, unguided):
    U, other = (clusters.memberships(X) for clusters in unguided)
    V = learned.probabilities(X)
    expected = 0.25 * V + 0.5 * U + 0.25 * other
    np.testing.assert_allclose(combined(learned, unguided).map(X), expected)
    np.testing.assert_allclose(combined(learned, unguided, ALONE).map(X), U)
    nearly = (5e-4, 0.999, 5e-4)  # small weights are left out
    np.testing.assert_allclose(combined(learned, unguided, nearly).map(X), U)


def test_a_power_keeps_labels(X, learned, unguided):
    """Memberships 0.8 and 0.2 to the power 1/2 are in the proportion 2 : 1."""
    plain, softer = (
        combined(learned, unguided, ALONE, power=t).map(X) for t in (1.0, 0.5)
    )
    np.testing.assert_allclose(
        softer[:, 0] / softer[:, 1], np.sqrt(plain[:, 0] / plain[:, 1])
    )
    np.testing.assert_array_equal(plain.argmax(axis=1), softer.argmax(axis=1))


def test_rows_unlike_the_samples_are_uncertain(X, learned, unguided):
    radius = certainty_radius(unguided[0].view, X)
    space, anywhere = (combined(learned, unguided, radius=r) for r in (radius, np.inf))
    inside = np.abs(space.map(X) - anywhere.map(X)).max(axis=1) == 0.0
    assert inside.mean() >= 0.97
    direction = np.array([[1.0, 0.0]])
    certainty = [space.map(t * direction).max() for t in (1.0, 5.0, 20.0, 1e6)]
    assert certainty[1] > certainty[2] > certainty[3]
    assert certainty[3] == pytest.approx(0.5, abs=1e-6)


def test_clusters_without_samples_are_left_out(X, learned, unguided):
    out = combined(learned, unguided, kept=[1]).map(X)
    np.testing.assert_array_equal(out, np.ones((40, 1)))


def test_blocks_of_rows_change_nothing(X, learned, unguided):
    space, many = combined(learned, unguided), np.tile(X, (150, 1))
    np.testing.assert_allclose(space.map(many)[-40:], space.map(X), atol=1e-12)


@pytest.mark.parametrize("place", [0, 12])
def test_sensitivity_of_a_linear_map(X, place):
    """Logits 2 x_0 and -2 x_0, in the first view or the second, depend on it alone."""
    view, Z = view_of(X, np.inf), view_of(X, np.inf).coordinates(X)
    whitened = view_of(Z, np.inf)
    W = np.zeros((view.n_out + whitened.n_out + 1, 2))
    W[place] = [2.0, -2.0]
    shares = ViewMap(view, whitened, W).sensitivity(X)
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
    assert certainty_radius(view_of(X, np.inf), X) == np.inf
