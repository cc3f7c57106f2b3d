"""Likelihoods of held-out judgements, error rates, calibration, reliability."""

import numpy as np
import pytest

from fuzzypairs.cluster.evidence import (
    RATES,
    RIGHT,
    WRONG,
    balance,
    best_likelihood,
    calibrating_power,
    log_likelihood,
    log_prior,
    rate_interval,
    reliability,
)

GRADE = np.tile([1.0, -1.0], 20)


def certain(grade):
    """Return probabilities that agree with all judgements."""
    return (grade > 0).astype(float)


def test_likelihood_by_hand():
    """One judgement of each kind counts 1, whatever its strength."""
    same, grade = np.array([0.8, 0.3]), np.array([1.0, -0.5])
    alike, unlike = 0.1 + 0.8 * 0.8, 1 - (0.1 + 0.8 * 0.3)
    assert log_likelihood(same, grade, 0.1) == pytest.approx(np.log(alike * unlike))
    rates = np.array([0.1, 0.1])
    assert log_likelihood(same, grade, rates) == log_likelihood(same, grade, 0.1)
    expected = max(log_likelihood(same, grade, e) + log_prior(e) for e in RATES)
    assert best_likelihood(same, grade) == pytest.approx(expected)


def test_the_prior_by_hand():
    mode = WRONG / (WRONG + RIGHT)
    assert log_prior(mode) == 0.0
    expected = WRONG * np.log(0.1 / mode) + RIGHT * np.log(0.9 / (1 - mode))
    assert log_prior(0.1) == pytest.approx(expected)


def test_one_large_cluster_does_not_explain_judgements_that_are_mostly_alike():
    grade = np.array([1.0] * 36 + [-1.0] * 4)
    assert best_likelihood(np.ones(40), grade) < best_likelihood(certain(grade), grade)
    by_chance = balance(grade).sum() * np.log(0.5)
    assert best_likelihood(np.ones(40), grade) == pytest.approx(by_chance, abs=2.0)


@pytest.mark.parametrize("wrong", [0, 20, 60])
def test_the_error_rate_is_recovered(wrong):
    grade = np.tile([1.0, -1.0], 100)
    same = certain(grade)
    grade[:wrong] *= -1.0
    rate, low, high = rate_interval(same, grade)
    # The mean of a beta distribution.
    expected = (wrong + WRONG + 1) / (200 + WRONG + RIGHT + 2)
    assert rate == pytest.approx(expected, abs=0.01)
    assert low < rate < high < rate + 0.08


def test_intervals_of_error_rates_cover_them():
    rng = np.random.default_rng(0)
    hits = []
    for _ in range(200):
        e = rng.uniform(0.05, 0.4)
        grade = np.where(rng.random(60) < 0.5, 1.0, -1.0)
        same = np.where(grade > 0, 0.9, 0.1)
        is_wrong = rng.random(60) < e + (1 - 2 * e) * 0.1
        _, low, high = rate_interval(same, np.where(is_wrong, -grade, grade))
        hits.append(low <= e <= high)
    assert np.mean(hits) > 0.9


def test_silent_features_leave_the_prior():
    rate, low, high = rate_interval(np.full(40, 0.5), GRADE)
    assert low < 0.05 < rate < 0.35 < high


def test_order_of_judgements_does_not_matter():
    rng = np.random.default_rng(0)
    c, grade = rng.uniform(size=40), rng.uniform(-1, 1, size=40)
    order = rng.permutation(40)
    assert best_likelihood(c, grade) == pytest.approx(
        best_likelihood(c[order], grade[order])
    )


def test_reliability_by_hand():
    """Bayes: 0.9 * 0.8 / (0.9 * 0.8 + 0.1 * 0.2) of a judgement that fits by 0.8."""
    found = reliability(np.array([0.8, 0.8, 0.5]), np.array([1.0, -1.0, 0.3]), 0.1)
    np.testing.assert_allclose(found, [0.72 / 0.74, 0.18 / 0.26, 0.9])


def test_reliability_grows_with_the_fit():
    c = np.linspace(0.0, 1.0, 11)
    assert (np.diff(reliability(c, np.ones(11), 0.2)) > 0.0).all()
    assert (np.diff(reliability(c, -np.ones(11), 0.2)) < 0.0).all()


def test_memberships_are_as_certain_as_they_are_right():
    """Judgements drawn from memberships to the power 1/2 or 2 give that power back."""
    rng = np.random.default_rng(0)
    ends = rng.dirichlet([0.4, 0.4, 0.4], size=(4000, 2))
    for power in (0.5, 2.0):
        true = ends**power / (ends**power).sum(axis=2, keepdims=True)
        together = (true[:, 0] * true[:, 1]).sum(axis=1)
        grade = np.where(rng.random(4000) < together, 1.0, -1.0)
        assert calibrating_power(ends, grade) == pytest.approx(power, rel=0.15)
    # Without judgements the prior alone decides.
    assert calibrating_power(ends[:0], np.empty(0)) == pytest.approx(0.5, rel=0.05)
