"""Errors of scores, the one-standard-error rule, and reasons in words."""

import numpy as np
import pytest

from fuzzypairs.pairs import PairSet
from fuzzypairs.pairs.consistency import balanced_share
from fuzzypairs.selection.choice import (
    SettingChoice,
    choose,
    contributions,
    explain_choice,
    explain_too_few,
    format_params,
    standard_error,
)

NAN = np.nan


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
    assert added.sum() == pytest.approx(balanced_share(held, grade)[0])
    assert excess.sum() == pytest.approx(0, abs=1e-12)


def test_the_error_is_that_of_independent_draws():
    """Against the spread of the score over many draws of the judgements."""
    rng = np.random.default_rng(0)
    grade = np.repeat([1.0, -1.0, 0.5, -0.5], 30)
    unit = np.arange(grade.size)
    draws = rng.random((3000, 1, grade.size)) < np.where(grade > 0, 0.8, 0.6)
    scores = [balanced_share(held.astype(float), grade)[0] for held in draws]
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


def judged(n_alike, n_unlike):
    grade = np.repeat([0.5, -0.5, 0.0], [n_alike, n_unlike, 30])
    return PairSet(np.zeros(grade.size), np.arange(1, grade.size + 1), grade)


def test_how_many_judgements_can_be_held_out():
    assert explain_too_few(judged(16, 4), 4) == ""
    assert explain_too_few(judged(15, 4), 4) == (
        "pairs has 19 judgements other than 0, fewer than 20"
    )
    assert explain_too_few(judged(1, 0), 4).startswith("pairs has 1 judgement other")
    assert explain_too_few(judged(3, 40), 4) == (
        "pairs has 3 alike and 40 unlike judgements, fewer than n_splits=4 of one kind"
    )


def test_settings_are_written_as_typed():
    assert format_params({"beta": 1 / 3, "metric": "rbf"}) == (
        "beta=0.3333, metric='rbf'"
    )
    assert format_params({}) == "as is"


def test_reasons_in_words():
    settings = [{"k": 3}, {"k": 2}]
    known = {"best": 0, "gap": np.array([0.0, 0.012]), "error": np.array([0.0, 0.05])}
    best, simpler = (
        SettingChoice(taken=taken, as_good=np.ones(2, bool), **known)
        for taken in (0, 1)
    )

    assert explain_choice(best, settings, 0.875, 40, "") == (
        "Chosen by 40 held-out judgements: k=3; its fits satisfy 87.5% of those they "
        "did not see. It is the best of 2 settings."
    )
    assert explain_choice(simpler, settings, 0.863, 40, "pairs has none") == (
        "Pairs has none; chosen by stability: k=2; stability and silhouette average "
        "0.863. It is simpler than the best of 2 settings and not clearly worse "
        "(k=3: 0.012 more, with a standard error of 0.050)."
    )
