"""Scores of held-out judgements, their errors, and the one-standard-error rule."""

import numpy as np
import pytest

from fuzzypairs.criteria import pair_agreement, pairs_held
from fuzzypairs.pairs import PairSet
from fuzzypairs.selection import (
    choose,
    influences,
    mean_known,
    split_scores,
    standard_error,
)

NAN = np.nan


def test_scores_by_hand():
    grade = np.array([1.0, 0.5, -1.0, -0.25])
    held = np.array(
        [[1, 0, NAN, NAN], [NAN, NAN, 0, 1], [1, NAN, 1, 0], [NAN, NAN, NAN, NAN]]
    )
    np.testing.assert_allclose(split_scores(held, grade), [2 / 3, 0.2, 0.9, NAN])


def test_a_split_scores_as_the_balanced_criterion():
    rng = np.random.default_rng(0)
    labels = rng.integers(3, size=60)
    pairs = PairSet.from_labels(rng.integers(3, size=60), n_pairs=50, random_state=0)
    pairs = PairSet(pairs.i, pairs.j, pairs.grade * rng.uniform(0.1, 1, 50), 60)
    test = rng.random(50) < 0.5
    held = np.where(test, pairs_held(pairs, labels), NAN)[None]
    asked = PairSet(pairs.i[test], pairs.j[test], pairs.grade[test], 60)
    assert split_scores(held, pairs.grade)[0] == pytest.approx(
        pair_agreement(asked, labels, method="balanced")
    )


def test_one_big_cluster_scores_a_half_whatever_the_judgements():
    grade = np.array([1.0] * 9 + [-1.0])
    held = (grade > 0).astype(float)[None]
    assert split_scores(held, grade)[0] == 0.5


def test_the_mean_of_what_is_known():
    values = np.array([[1.0, NAN, NAN], [3.0, 2.0, NAN]])
    np.testing.assert_array_equal(mean_known(values), [2.0, 2.0, NAN])
    np.testing.assert_array_equal(mean_known(values, axis=1), [1.0, 2.5])


def test_the_error_is_that_of_independent_draws():
    """Against the spread of the score over many draws of the judgements."""
    rng = np.random.default_rng(0)
    grade = np.repeat([1.0, -1.0, 0.5, -0.5], 30)
    unit = np.arange(grade.size)
    draws = rng.random((3000, 1, grade.size)) < np.where(grade > 0, 0.8, 0.6)
    scores = [split_scores(held.astype(float), grade)[0] for held in draws]
    errors = [
        standard_error(influences(held.astype(float), grade, unit)) for held in draws
    ]
    assert np.mean(errors) == pytest.approx(np.std(scores), rel=0.05)


def test_repeats_do_not_shrink_the_error():
    rng = np.random.default_rng(0)
    grade, unit = np.repeat([1.0, -1.0], 20), np.arange(40)
    once = (rng.random((1, 40)) < 0.7).astype(float)
    one, five = (influences(np.tile(once, (n, 1)), grade, unit) for n in (1, 5))
    np.testing.assert_allclose(one, five)


def test_judgements_that_hang_together_count_once():
    grade = np.repeat([1.0, -1.0], 20)
    held = np.array([([1, 0] * 20)], dtype=float)
    apart = standard_error(influences(held, grade, np.arange(40)))
    # Ten of one mind each: the error is that of ten draws, not of forty.
    together = np.tile([0, 1], 20) + 2 * (np.arange(40) // 10)
    assert standard_error(influences(held, grade, together)) > 2 * apart


def test_the_error_of_one_kind_only():
    held, unit = np.array([[1.0, 0.0]]), np.arange(2)
    influence = influences(held, np.array([1.0, 1.0]), unit)
    np.testing.assert_allclose(influence, [0.25, -0.25])


SCORE = np.array([0.80, 0.90, 0.89, 0.88, NAN])
# One unit moves all but the first setting alike: their gaps have next to no error.
NOISE = np.array([[0.2, -0.2], [0.1, -0.1], [0.11, -0.11], [0.101, -0.101], [0, 0]])
BURDEN = np.array([[2, 0], [4, 0], [3, 0], [2, 1], [1, 0]], dtype=float)


def test_the_simplest_within_one_error_of_the_gap():
    chosen, best, as_good = choose(SCORE, NOISE, np.zeros(5), BURDEN)
    assert (chosen, best) == (0, 1)  # its gap is as uncertain as large
    assert as_good.tolist() == [True, True, True, False, False]

    noise = NOISE.copy()
    noise[0] = noise[1]  # now it is certain
    assert choose(SCORE, noise, np.zeros(5), BURDEN)[0] == 2


def test_without_doubt_the_best_is_taken():
    assert choose(SCORE, np.zeros((5, 2)), np.zeros(5), BURDEN)[:2] == (1, 1)


def test_later_burdens_decide_between_equal_first_ones():
    burden = np.array([[2, 1, 0.3], [2, 0, 0.9], [2, 0, 0.2]])
    assert choose(np.ones(3), np.zeros((3, 2)), np.zeros(3), burden)[0] == 2


def test_ties_go_to_the_higher_rank_correlation_and_then_to_the_first():
    equal = np.zeros((3, 1))
    ties = np.array([NAN, 0.5, 0.5])
    assert choose(np.ones(3), np.zeros((3, 2)), ties, equal)[:2] == (1, 1)


def test_failed_settings_are_never_taken():
    score = np.array([NAN, 0.1])
    burden = np.array([[1.0], [9.0]])
    assert choose(score, np.zeros((2, 2)), np.zeros(2), burden)[:2] == (1, 1)
