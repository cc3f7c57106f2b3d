"""Maps learned from judgements: the objective by loops, and what the prior does."""

import numpy as np
import pytest
from scipy.optimize import minimize

from fuzzypairs.cluster.learned_map import ASSUMED_ERROR, FREE, learn_maps
from fuzzypairs.cluster.views import softmax


@pytest.fixture(scope="module", name="problem")
def small():
    """Twelve rows of two features and a constant, eight judgements."""
    rng = np.random.default_rng(0)
    F = np.column_stack([rng.normal(size=(12, 2)), np.ones(12)])
    i, j = np.arange(8), np.arange(8) + 4
    grade = np.where((F[i, 1] > 0) == (F[j, 1] > 0), 1.0, -0.7)
    W0 = rng.normal(size=(3, 2))
    return F, W0, i, j, grade


def objective(W, F, W0, i, j, grade, ridge):
    """The formula of the docstring, pair by pair."""
    V = softmax(F @ W)
    total = 0.0
    for p, q, s in zip(i, j, grade, strict=True):
        alike = ASSUMED_ERROR + (1 - 2 * ASSUMED_ERROR) * (V[p] @ V[q])
        total -= abs(s) * np.log(alike if s > 0 else 1.0 - alike)
    penalty = ridge * np.array([1.0, 1.0, FREE])[:, None]
    return total + 0.5 * (penalty * (W - W0) ** 2).sum()


def learn(problem, ridge, given=None):
    F, W0, i, j, grade = problem
    given = np.ones((1, len(i)), dtype=bool) if given is None else given
    return learn_maps(F, W0, i, j, grade, given, ridge)


@pytest.mark.parametrize("ridge", [0.03, 3.0])
def test_the_minimum_is_that_of_plain_loops(problem, ridge):
    F, W0, *rest = problem
    found = learn(problem, ridge)[0]

    def value(flat):
        return objective(flat.reshape(W0.shape), F, W0, *rest, ridge)

    expected = minimize(value, W0.ravel(), method="BFGS", options={"gtol": 1e-8})
    assert value(found.ravel()) <= expected.fun + 1e-3
    assert value(found.ravel()) < value(W0.ravel())


def test_a_strong_prior_keeps_the_map(problem):
    change = [
        np.abs(learn(problem, r)[0][:-1] - problem[1][:-1]).max() for r in (1e6, 0.1)
    ]
    assert change[0] < 1e-3 < change[1]


def test_several_maps_are_each_learned_from_their_own_judgements(problem):
    given = np.ones((3, 8), dtype=bool)
    given[1, :4] = False
    given[2] = False
    several = learn(problem, 0.3, given)
    for one, mask in zip(several, given, strict=True):
        alone = learn(problem, 0.3, mask[None])[0]
        np.testing.assert_allclose(one, alone, atol=0.03)
    np.testing.assert_array_equal(several[2], problem[1])


def test_right_judgements_are_learned():
    rng = np.random.default_rng(1)
    F = np.column_stack([rng.normal(size=(80, 2)), np.ones(80)])
    y = F[:, 1] > 0
    i, j = rng.integers(80, size=(2, 120))
    grade = np.where(y[i] == y[j], 1.0, -1.0)
    start = np.array([[1.0, -1.0], [0.1, -0.1], [0.0, 0.0]])
    W = learn_maps(F, start, i, j, grade, np.ones((1, 120), dtype=bool), 0.03)[0]
    labels = (F @ W).argmax(axis=1)
    assert max((labels == y).mean(), (labels != y).mean()) > 0.9
