"""Evidence of held-out judgements: likelihoods, weights, noise, reliability."""

import numpy as np
import pytest

from fuzzypairs.cluster import evidence
from fuzzypairs.cluster.evidence import (
    CHANCE,
    EUCLIDEAN,
    RIGHT,
    SHARPNESS,
    WHITENED,
    WRONG,
    calibrating_power,
    log_likelihood,
    reliability,
    together,
    weigh,
    weigh_views,
)

EVEN = np.full((2, len(SHARPNESS), 40), 0.5)
GRADE = np.tile([1.0, -1.0], 20)


def certain(grade):
    """Return probabilities that agree with all judgements."""
    return (grade > 0).astype(float)


def test_likelihood_by_hand():
    """One judgement of each kind counts 1, whatever its strength."""
    value, rate = log_likelihood(np.array([0.8, 0.3]), np.array([1.0, -0.5]))

    def at(e):
        mode = WRONG / (WRONG + RIGHT)
        prior = WRONG * np.log(e / mode) + RIGHT * np.log((1 - e) / (1 - mode))
        alike, unlike = e + (1 - 2 * e) * 0.8, 1 - (e + (1 - 2 * e) * 0.3)
        return np.log(alike) + np.log(unlike) + prior

    assert value == pytest.approx(at(rate))
    assert value >= max(at(rate - 0.01), at(rate + 0.01))


@pytest.mark.parametrize("wrong", [0, 20, 60])
def test_the_noise_rate_is_recovered(wrong):
    grade = np.tile([1.0, -1.0], 100)
    together = certain(grade)
    grade[:wrong] *= -1.0
    _, rate = log_likelihood(together, grade)
    assert rate == pytest.approx((wrong + WRONG) / (200 + WRONG + RIGHT), abs=0.011)
    even = np.full((1, len(SHARPNESS), 200), 0.5)
    assert weigh(together, even, grade).noise_rate == pytest.approx(rate, abs=0.01)


def test_posterior_by_hand():
    """All hypotheses are even where all probabilities are 1/2: the priors decide."""
    found = weigh(EVEN[0, 0], EVEN, GRADE)
    odds = np.exp([CHANCE, EUCLIDEAN, WHITENED, 0.0])
    assert found.guided == pytest.approx(odds[3] / odds.sum())
    expected = [odds[0] + odds[1], odds[2]] / odds.sum()
    np.testing.assert_allclose(found.unguided, expected)
    assert found.log_likelihood == pytest.approx(40 * np.log(0.5))
    assert found.sharpness.tolist() == [SHARPNESS[0]] * 2


def test_a_map_that_is_right_gets_the_weight_and_a_wrong_one_does_not():
    right, wrong = certain(GRADE), certain(-GRADE)
    assert weigh(right, EVEN, GRADE).guided > 0.99
    assert weigh(wrong, EVEN, GRADE).guided < 0.3
    followed = EVEN.copy()
    followed[1] = right
    found = weigh(EVEN[0, 0], followed, GRADE)
    assert found.guided < 0.01
    assert found.unguided[1] > 0.99


def test_views_without_a_map():
    """Judgements that no view explains are left to the Euclidean one, with chance."""
    assert weigh_views(EVEN, GRADE)[0] > 0.9
    followed = EVEN.copy()
    followed[1] = certain(GRADE)
    assert weigh_views(followed, GRADE)[1] > 0.99
    assert weigh_views(EVEN, GRADE).sum() == pytest.approx(1.0)


def test_the_weight_grows_with_the_number_of_judgements():
    weights = [
        weigh(np.where(GRADE[:n] > 0, 0.8, 0.2), EVEN[:, :, :n], GRADE[:n]).guided
        for n in (0, 4, 10, 20, 40)
    ]
    assert (np.diff(weights) > 0.0).all()
    assert weights[0] < 0.3 < 0.9 < weights[-1]


def test_sharpness_is_the_likeliest():
    u = np.where(GRADE > 0, 0.6, 0.4)
    powers = np.array([[u**t / (u**t + (1 - u) ** t) for t in SHARPNESS]])
    assert weigh(u, powers, GRADE).sharpness == SHARPNESS[-1]
    half_wrong = np.repeat([1.0, -1.0], 20)
    assert weigh(u, powers, half_wrong).sharpness == SHARPNESS[0]


def test_one_large_cluster_does_not_explain_judgements_that_are_mostly_alike():
    grade = np.array([1.0] * 36 + [-1.0] * 4)
    together = weigh(np.ones(40), EVEN, grade)
    assert together.guided < 0.3
    assert together.noise_rate > 0.3


def test_order_of_judgements_does_not_matter():
    rng = np.random.default_rng(0)
    c, grade = rng.uniform(size=40), rng.uniform(-1, 1, size=40)
    order = rng.permutation(40)
    one, two = weigh(c, EVEN, grade), weigh(c[order], EVEN, grade[order])
    assert one.guided == pytest.approx(two.guided)
    assert one.noise_rate == pytest.approx(two.noise_rate)


def test_reliability_by_hand():
    """Bayes: 0.9 * 0.8 / (0.9 * 0.8 + 0.1 * 0.2) of a judgement that fits by 0.8."""
    found = reliability(np.array([0.8, 0.8, 0.5]), np.array([1.0, -1.0, 0.3]), 0.1)
    np.testing.assert_allclose(found, [0.72 / 0.74, 0.18 / 0.26, 0.9])


def test_reliability_grows_with_the_fit():
    c = np.linspace(0.0, 1.0, 11)
    assert (np.diff(reliability(c, np.ones(11), 0.2)) > 0.0).all()
    assert (np.diff(reliability(c, -np.ones(11), 0.2)) < 0.0).all()
    assert evidence.RATES[-1] == 0.5


def test_memberships_are_as_certain_as_they_are_right():
    """Judgements drawn from memberships to the power 1/2 or 2 give that power back."""
    rng = np.random.default_rng(0)
    ends = rng.dirichlet([0.4, 0.4, 0.4], size=(4000, 2))
    for power in (0.5, 2.0):
        true = ends**power / (ends**power).sum(axis=2, keepdims=True)
        grade = np.where(rng.random(4000) < together(true), 1.0, -1.0)
        assert calibrating_power(ends, grade) == pytest.approx(power, rel=0.15)
    # Without judgements the prior alone decides.
    assert calibrating_power(ends[:0], np.empty(0)) == pytest.approx(0.5, rel=0.05)
