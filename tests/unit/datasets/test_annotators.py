"""Imperfect annotators: errors, noise and bias in judgements."""

import numpy as np
import pytest

from fuzzypairs import PairSet
from fuzzypairs.datasets import biased_pairs, blur_pairs, flip_pairs

GRADES = np.random.default_rng(0).uniform(-1, 1, 200)
GRADES[::10] = 0
PAIRS = PairSet(np.arange(200), np.arange(200, 400), GRADES)
ASKED = PAIRS.grade == 0


def joins_the_same(pairs):
    same_ends = np.array_equal(pairs.i, PAIRS.i) and np.array_equal(pairs.j, PAIRS.j)
    return same_ends and pairs.n_samples == PAIRS.n_samples


@pytest.mark.parametrize(
    ("annotate", "strength"), [(flip_pairs, 0.3), (blur_pairs, 0.3)]
)
def test_noise_is_seeded(annotate, strength):
    noisy = annotate(PAIRS, strength, random_state=1)

    assert joins_the_same(noisy)
    assert noisy == annotate(PAIRS, strength, random_state=1)
    assert noisy == annotate(PAIRS, strength, np.random.default_rng(1))
    assert noisy != annotate(PAIRS, strength, random_state=2)


@pytest.mark.parametrize(
    "annotated",
    [
        flip_pairs(PAIRS, 1, random_state=0),
        blur_pairs(PAIRS, 0.5, random_state=0),
        biased_pairs(PAIRS, 0.5, levels=4),
    ],
    ids=["flip", "blur", "bias"],
)
def test_cannot_say_stays(annotated):
    assert (annotated.grade[ASKED] == 0).all()
    assert (annotated.grade[~ASKED] != 0).all()


@pytest.mark.parametrize(
    "annotated",
    [
        flip_pairs(PAIRS, 0, random_state=0),
        blur_pairs(PAIRS, 0, random_state=0),
        biased_pairs(PAIRS),
    ],
    ids=["flip", "blur", "bias"],
)
def test_no_fault_changes_nothing(annotated):
    assert annotated == PAIRS


@pytest.mark.parametrize(("rate", "expected"), [(0.05, 9), (0.3, 54), (1, 180)])
def test_a_share_of_the_answers_is_reversed(rate, expected):
    flipped = flip_pairs(PAIRS, rate, random_state=3)

    np.testing.assert_array_equal(abs(flipped.grade), abs(PAIRS.grade))
    assert (flipped.grade != PAIRS.grade).sum() == expected


def test_errors_of_a_lower_rate_are_among_those_of_a_higher_one():
    few, many = (flip_pairs(PAIRS, rate, 5).grade != PAIRS.grade for rate in (0.1, 0.2))

    assert (few <= many).all()


def test_noise_has_the_spread_asked_for_where_nothing_is_cut():
    pairs = PairSet(np.arange(4000), np.arange(4000, 8000), np.full(4000, -0.4))

    noise = blur_pairs(pairs, 0.1, random_state=0).grade + 0.4

    # Four standard errors of 4000 draws.
    assert noise.mean() == pytest.approx(0, abs=4 * 0.1 / 63)
    assert noise.std() == pytest.approx(0.1, abs=4 * 0.1 / 89)


def test_strong_noise_is_cut_to_the_scale():
    grade = blur_pairs(PAIRS, 2, random_state=0).grade

    assert abs(grade).max() == 1
    assert (np.sign(grade) != np.sign(PAIRS.grade)).any()


def test_noise_never_turns_an_answer_into_cannot_say():
    class Cancelling(np.random.Generator):
        def normal(self, loc, scale, size):
            return -PAIRS.grade

    blurred = blur_pairs(PAIRS, 0.1, Cancelling(np.random.PCG64(0)))

    assert blurred == PAIRS


def test_a_lenient_annotator_finds_things_more_alike():
    shifted = biased_pairs(PAIRS, 0.3).grade[~ASKED]

    np.testing.assert_allclose(shifted, np.minimum(GRADES[~ASKED] + 0.3, 1), atol=1e-15)
    strict = biased_pairs(PAIRS, -0.3).grade[~ASKED]
    np.testing.assert_allclose(strict, np.maximum(GRADES[~ASKED] - 0.3, -1), atol=1e-15)


@pytest.mark.parametrize(
    ("levels", "expected"),
    [
        (2, [-1, -1, -1, 1, 1, 1]),
        (3, [-1, 0, 0, 0, 1, 1]),
        (5, [-1, -0.5, 0, 0, 0.5, 1]),
    ],
)
def test_a_coarse_scale_takes_the_nearest_level(levels, expected):
    grades = [-1, -0.45, -0.2, 0.2, 0.5, 0.75]
    pairs = PairSet(range(6), range(6, 12), grades)

    np.testing.assert_allclose(biased_pairs(pairs, levels=levels).grade, expected)


@pytest.mark.parametrize("rate", [-0.1, 1.1, np.nan])
def test_a_rate_is_a_share(rate):
    with pytest.raises(ValueError, match=r"rate (is|must be) .*"):
        flip_pairs(PAIRS, rate, random_state=0)


@pytest.mark.parametrize("spread", [-0.1, np.inf, np.nan])
def test_a_spread_is_finite(spread):
    with pytest.raises(ValueError, match=r"spread must be finite, 0 or more"):
        blur_pairs(PAIRS, spread, random_state=0)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"shift": 3}, "shift is 3: expected a number from -2 to 2"),
        ({"shift": np.nan}, "shift must be finite"),
        ({"levels": 1}, "levels must be 2 or more, got 1"),
    ],
)
def test_a_bias_is_within_the_scale(wrong, message):
    with pytest.raises(ValueError, match=message):
        biased_pairs(PAIRS, **wrong)
