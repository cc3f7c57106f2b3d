"""Scores of held-out judgements, their errors, and the one-standard-error rule."""

import numpy as np
import pytest

from fuzzypairs.criteria import pair_agreement, pairs_held
from fuzzypairs.pairs import PairSet
from fuzzypairs.selection.choice import (
    choose,
    contributions,
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


def error_of(held, grade, unit):
    return standard_error(contributions(held, grade, unit)[1])


def test_contributions_by_hand():
    grade = np.array([1.0, 0.5, 0.5, -0.25])
    held = np.array([[1, 0, NAN, 1], [1, 1, NAN, 0]])
    added, excess = contributions(held, grade, np.array([0, 1, 1, 2]))
    np.testing.assert_allclose(added, [1 / 3, 1 / 12, 1 / 4])
    np.testing.assert_allclose(excess, [1 / 18, -1 / 18, 0], atol=1e-12)


def test_they_add_up_to_the_score_of_one_split():
    rng = np.random.default_rng(0)
    grade = rng.uniform(-1, 1, 40)
    held = (rng.random((1, 40)) < 0.7).astype(float)
    added, excess = contributions(held, grade, rng.integers(10, size=40))
    assert added.sum() == pytest.approx(split_scores(held, grade)[0])
    assert excess.sum() == pytest.approx(0, abs=1e-12)


def test_the_error_is_that_of_independent_draws():
    """Against the spread of the score over many draws of the judgements."""
    rng = np.random.default_rng(0)
    grade = np.repeat([1.0, -1.0, 0.5, -0.5], 30)
    unit = np.arange(grade.size)
    draws = rng.random((3000, 1, grade.size)) < np.where(grade > 0, 0.8, 0.6)
    scores = [split_scores(held.astype(float), grade)[0] for held in draws]
    errors = [error_of(held.astype(float), grade, unit) for held in draws]
    assert np.mean(errors) == pytest.approx(np.std(scores), rel=0.05)


def test_repeats_do_not_shrink_the_error():
    rng = np.random.default_rng(0)
    grade, unit = np.repeat([1.0, -1.0], 20), np.arange(40)
    once = (rng.random((1, 40)) < 0.7).astype(float)
    one, five = (error_of(np.tile(once, (n, 1)), grade, unit) for n in (1, 5))
    assert one == pytest.approx(five)


def test_judgements_that_hang_together_count_once():
    grade = np.repeat([1.0, -1.0], 20)
    held = np.array([([1, 0] * 20)], dtype=float)
    apart = error_of(held, grade, np.arange(40))
    # Ten of one mind each: the error is that of ten draws, not of forty.
    together = np.tile([0, 1], 20) + 2 * (np.arange(40) // 10)
    assert error_of(held, grade, together) > 2 * apart


def test_one_kind_makes_the_whole_score():
    added, excess = contributions(
        np.array([[1.0, 0.0]]), np.array([1.0, 1.0]), np.arange(2)
    )
    np.testing.assert_allclose(added, [0.5, 0.0])
    np.testing.assert_allclose(excess, [0.25, -0.25])


def taken(added, complexity, ties=None):
    added, complexity = np.array(added, dtype=float), np.array(complexity, dtype=float)
    ties = np.zeros(len(added)) if ties is None else np.array(ties)
    return choose(added.sum(axis=1), added, ties, complexity)


BEST = [1, 1, 1, 1, 1, 1, 1, 0]


def test_a_gap_of_one_unit_is_not_clear_and_of_two_it_is():
    one_less = [1, 1, 1, 1, 1, 1, 0, 0]
    two_less = [1, 1, 1, 1, 1, 0, 0, 0]
    choice = taken([BEST, one_less, two_less], [[4, 2], [4, 1], [4, 0]])
    assert choice.as_good.tolist() == [True, True, False]
    assert (choice.taken, choice.best) == (1, 0)
    np.testing.assert_allclose(choice.gap, [0, 1, 2])
    np.testing.assert_allclose(choice.error, [0, 1, np.sqrt(2)])


def test_what_differs_both_ways_is_not_clear():
    """Two units lost and one won: a gap of 1 with an error of the root of 3."""
    mixed = [1, 1, 1, 1, 1, 0, 0, 1]
    choice = taken([BEST, mixed], [[3, 1], [3, 0]])
    assert choice.as_good.all()
    assert (choice.taken, choice.best) == (1, 0)


def test_fewer_clusters_need_a_quarter_of_an_error():
    one_less = [1, 1, 1, 1, 1, 1, 0, 0]  # one error
    assert taken([BEST, one_less], [[3], [2]]).taken == 0
    # Half of the units differ, 25 against 24: a gap of 1 with an error of 7.
    half = np.repeat([1, 0, 1], [25, 24, 49])
    other = np.repeat([0, 1, 1], [25, 24, 49])
    assert taken([half, other], [[3], [2]]).taken == 1


def test_then_options_count_among_the_same_clusters():
    equal, worse = BEST, [1, 1, 1, 1, 1, 1, 0, 0]
    choice = taken([BEST, equal, worse], [[3, 0], [2, 1], [2, 0]])
    assert choice.as_good.tolist() == [False, True, True]
    assert choice.taken == 2


def test_a_clear_gap_is_not_bridged_by_simplicity():
    choice = taken([BEST, [1, 1, 1, 1, 0, 0, 0, 0]], [[9, 9], [1, 0]])
    assert (choice.taken, choice.best) == (0, 0)


def test_later_burdens_decide_between_equal_first_ones():
    assert taken([BEST] * 3, [[2, 1, 0.3], [2, 0, 0.9], [2, 0, 0.2]]).taken == 2


def test_ties_go_to_the_higher_rank_correlation_and_then_to_the_first():
    assert taken([BEST] * 3, [[1]] * 3, [NAN, 0.5, 0.5])[:2] == (1, 1)


def test_failed_settings_are_never_taken():
    score = np.array([NAN, 0.1])
    complexity = np.array([[1.0], [9.0]])
    choice = choose(score, np.zeros((2, 2)), np.zeros(2), complexity)
    assert (choice.taken, choice.best) == (1, 1)
    assert choice.as_good.tolist() == [False, True]
