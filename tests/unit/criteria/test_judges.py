"""Agreement of a judge with others against that of others with each other."""

import numpy as np
import pytest

from fuzzypairs import PairSet
from fuzzypairs.criteria import compare_judges


def pairs_of(grades):
    """Return judgements of pairs (0, 1), (2, 3), ... by judge; None where none."""
    rows = [
        (2 * n, 2 * n + 1, grade, name)
        for name, given in grades.items()
        for n, grade in enumerate(given)
        if grade is not None
    ]
    i, j, grade, judges = zip(*rows, strict=True)
    return PairSet(i, j, grade, judges=judges)


def test_shares_by_hand():
    # Of what Ann and Bob call alike the bot meets 1.5 of 2, of unlike 1 of 2.
    found = compare_judges(
        pairs_of(
            {
                "Ann": [1.0, 0.5, -1.0, -0.2, None],
                "Bob": [0.3, 1.0, -1.0, -1.0, None],
                "bot": [0.9, 0.0, 0.4, -0.1, 1.0],
            }
        ),
        "bot",
    )
    assert (found.n_shared, found.n_among_others) == (4, 4)
    assert found.agreement == pytest.approx((1.5 / 2 + 1 / 2) / 2)
    assert found.among_others == 1.0
    assert found.difference == pytest.approx(-0.375)


def test_a_pair_counts_once_however_many_judged_it():
    # Pair 0: one of three says unlike; pairs 1 and 2: all the same.
    found = compare_judges(
        pairs_of(
            {"a": [1, 1, -1], "b": [1, 1, -1], "c": [-1, None, None], "bot": [1, 1, -1]}
        ),
        "bot",
    )
    # alike: 2/3 of pair 0 and pair 1, all met; unlike: 1/3 of pair 0, not met, pair 2.
    assert found.agreement == pytest.approx((1.0 + 1 / (4 / 3)) / 2)
    alike = (2 / 3 * 1 / 2 + 1) / (5 / 3)
    unlike = (0 + 1) / (4 / 3)
    assert found.among_others == pytest.approx((alike + unlike) / 2)


def test_who_always_says_unlike_agrees_by_chance():
    grade = np.where(np.arange(200) < 20, 1.0, -1.0)
    found = compare_judges(
        pairs_of({"Ann": grade, "Bob": grade, "bot": -np.ones(200)}), "bot"
    )
    assert found.agreement == 0.5
    assert found.sentence.endswith("points")
    assert "worse than they are by " in found.sentence


def test_some_of_the_others():
    grades = {"Ann": [1, -1] * 9, "Bob": [1, -1] * 9, "x": [-1, 1] * 9, "bot": [1] * 18}
    found = compare_judges(pairs_of(grades), "bot", ["Ann", "Bob"])
    assert (found.among_others, found.agreement) == (1.0, 0.5)
    assert compare_judges(pairs_of(grades), "x", ["Ann", "Bob"]).agreement == 0.0


def test_what_is_unknown_is_said():
    lonely = compare_judges(pairs_of({"Ann": [1, None], "bot": [None, 1]}), "bot")
    assert "have judged no pair in common" in lonely.sentence
    assert np.isnan(lonely.agreement)
    assert lonely.n_more is None
    one = compare_judges(pairs_of({"Ann": [1, -1], "bot": [1, -1]}), "bot")
    assert one.agreement == 1.0
    assert np.isnan(one.among_others)
    assert one.sentence.endswith("let it and two others judge the same pairs")
    unsure = compare_judges(
        pairs_of({"Ann": [0, 0], "Bob": [0, 0], "bot": [1, 1]}), "bot"
    )
    assert np.isnan(unsure.agreement)


def test_a_plan_is_enough_where_rates_stay():
    few = {"Ann": [1, -1] * 10, "Bob": [1, -1] * 10, "bot": [1, -1] * 9 + [-1, 1]}
    first = compare_judges(pairs_of(few), "bot", margin=0.2)
    assert "not decided, from " in first.sentence
    assert f"about {first.n_more} more pairs" in first.sentence
    times = 1 + int(np.ceil(first.n_more / 20))
    many = {name: grades * times for name, grades in few.items()}
    second = compare_judges(pairs_of(many), "bot", margin=0.2)
    assert "not decided" not in second.sentence


def test_mistakes():
    pairs = pairs_of({"Ann": [1], "bot": [1]})
    with pytest.raises(
        ValueError, match=r'judge must be one of "Ann", "bot"; got .Bob'
    ):
        compare_judges(pairs, "Bob")
    with pytest.raises(ValueError, match=r'others must be one of "Ann"; got .Eve'):
        compare_judges(pairs, "bot", ["Eve"])
    with pytest.raises(TypeError, match=r"others cannot be read: .* not iterable"):
        compare_judges(pairs, "bot", 3)
    with pytest.raises(TypeError, match="pairs is list, expected a PairSet"):
        compare_judges([(0, 1, 1.0)], "bot")
    with pytest.raises(ValueError, match="margin"):
        compare_judges(pairs, "bot", margin=2)
    with pytest.raises(ValueError, match="pairs has the one judge 'bot', expected sev"):
        compare_judges(pairs_of({"bot": [1]}), "bot")


@pytest.mark.parametrize("wrong", [(0.1, 0.1), (0.1, 0.25), (0.3, 0.05)])
@pytest.mark.parametrize("n", [20, 100])
def test_intervals_hold_the_difference(wrong, n):
    people, bot = wrong
    expected = (1 - people) * (1 - bot) + people * bot - (
        (1 - people) ** 2 + people**2
    )  # fmt: skip
    rng, held = np.random.default_rng([n, int(100 * bot)]), 0
    for _ in range(200):
        truth = rng.choice([-1.0, 1.0], n)
        grades = {
            name: truth * np.where(rng.random(n) < rate, -1, 1)
            for name, rate in (("Ann", people), ("Bob", people), ("bot", bot))
        }
        low, high = compare_judges(pairs_of(grades), "bot").interval
        held += low <= expected <= high
    assert held >= 190
