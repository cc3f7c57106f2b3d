"""Verdicts: shares and intervals by hand, levels, doubts and advice."""

from itertools import combinations

import numpy as np
import pytest

from fuzzypairs import PairSet
from fuzzypairs.cluster.verdict import (
    Agreement,
    HeldOut,
    agreement_of,
    assess,
    independent_share,
)


def judged(n_pairs, n_wrong=0, *, seed=0):
    """Return judgements of a half-and-half partition, some with the wrong sign."""
    pairs = PairSet.from_labels(np.arange(400) % 2, n_pairs=n_pairs, random_state=seed)
    grade = pairs.grade.copy()
    grade[:n_wrong] *= -1
    return PairSet(pairs.i, pairs.j, grade, 400)


def truth(pairs):
    """Return the probabilities of a model that knows the partition."""
    return np.where((pairs.i - pairs.j) % 2 == 0, 0.97, 0.03)


def verdict(pairs, guided, unguided=0.5, **options):
    return assess(HeldOut(pairs, guided, np.full(len(pairs), unguided)), **options)


def test_wilson_by_hand():
    # Thirty judgements of equal strength, half of them alike: 24 are kept.
    grade = np.tile(np.repeat([0.5, -0.5], 5), 3)
    p = np.tile([0.9, 0.9, 0.6, 0.8, 0.2, 0.1, 0.1, 0.4, 0.3, 0.7], 3)
    found = agreement_of(p, grade)
    assert found.share == pytest.approx(0.8)
    # They are worth 20. Published interval of 16 in 20: 0.584 to 0.919.
    assert (found.low, found.high) == pytest.approx((0.5840, 0.9193), abs=1e-4)


def test_strength_counts_as_judgements_do():
    # One strong judgement among weak ones leaves fewer effective ones.
    even = agreement_of(np.full(10, 0.9), np.repeat([1.0, -1.0], 5))
    uneven = agreement_of(np.full(10, 0.9), np.r_[1.0, [0.1] * 4, [-1.0] * 5])
    assert uneven.high - uneven.low > even.high - even.low


def test_what_was_not_held_out_or_says_nothing_is_left_out():
    p, grade = np.array([0.9, 0.2, np.nan, 0.3]), np.array([1.0, -1.0, -1.0, 0.0])
    assert agreement_of(p, grade) == agreement_of(p[:2], grade[:2])


def test_an_undecided_model_keeps_half():
    assert agreement_of(np.full(6, 0.5), np.repeat([1.0, -1.0], 3)).share == 0.5


def test_right_judgements_are_strong():
    pairs = judged(40)
    found = verdict(pairs, truth(pairs))
    assert found.level == "strong"
    assert found.n_judgements == 40
    assert not found.worth_asking
    assert found.error_rate.share < 0.08
    assert found.sentences[0].startswith("Strong: 100 % (87 to 100 %)")
    assert found.sentences[0].endswith("(chance: 50 %).")
    assert "improved the result" in found.sentences[1]
    assert len(found.sentences) == 2


def test_flipped_judgements_are_noticed():
    pairs = judged(60, 12)
    found = verdict(pairs, truth(pairs))
    assert found.level == "weak"
    assert found.error_rate.low < 0.2 < found.error_rate.high
    said = " ".join(found.sentences)
    assert "About 12 of 60 judgements seem wrong" in said
    assert found.worth_asking


def test_a_given_error_rate_is_used():
    pairs = judged(40)
    found = verdict(pairs, truth(pairs), error_rate=Agreement(0.25, 0.15, 0.35))
    assert found.error_rate.share == 0.25
    assert "About 10 of 40 judgements seem wrong, 25 % (15 to 35 %): check" in " ".join(
        found.sentences
    )


def test_doubtful_judges_are_named():
    pairs = judged(40)
    judges = {"Ann": Agreement(0.1, 0.05, 0.2), "Bot": Agreement(0.4, 0.32, 0.47)}
    said = " ".join(verdict(pairs, truth(pairs), judges=judges).sentences)
    assert "Bot seems wrong in 40 % (32 to 47 %) of judgements" in said
    assert "Ann" not in said


def test_chance_is_unusable():
    pairs = judged(40, 20)
    found = verdict(pairs, truth(pairs))
    assert found.level == "unusable"
    said = " ".join(found.sentences)
    assert "chance: 50 %, which this may be" in said
    assert "do not rely" in said
    assert "check some of them" in said
    assert "seem wrong" not in said


def test_few_judgements_are_too_few():
    pairs = judged(6)
    found = verdict(pairs, np.where(pairs.grade > 0, 0.9, 0.6))
    assert found.level == "unusable"
    said = " ".join(found.sentences)
    assert "6 judgements are too few to tell." in said
    assert found.worth_asking


def test_judgements_whose_interval_reaches_far_are_too_few():
    """Nine of twelve satisfied may be chance, and may be a strong result."""
    pairs = judged(12, 3)
    found = verdict(pairs, truth(pairs))
    assert found.level == "unusable"
    said = " ".join(found.sentences)
    assert "12 judgements are too few to tell." in said
    assert "wrong" not in said


@pytest.mark.parametrize(("held_out", "given"), [(None, 0), (judged(3), 3)])
def test_none_held_out(held_out, given):
    if held_out is not None:
        held_out = HeldOut(held_out, *np.full((2, 3), np.nan))
    found = assess(held_out)
    assert found.level == "none"
    assert found.with_judgements is found.without_judgements is None
    assert found.worth_asking
    assert found.sentences[0].startswith(
        f"No verdict: {'none of' if given else 'there'}"
    )


def test_judgements_that_make_it_worse():
    pairs = judged(40)
    guided = np.where(pairs.similar == (np.arange(40) % 3 > 0), 0.9, 0.1)
    found = assess(HeldOut(pairs, guided, truth(pairs)))
    assert "made the result worse" in found.sentences[1]


def test_a_difference_that_may_be_chance_is_called_so():
    pairs = judged(40)
    guided = truth(pairs)
    guided[:4] = 1.0 - guided[:4]
    found = assess(HeldOut(pairs, guided, truth(pairs)))
    assert "too few to tell which are better" in found.sentences[1]
    both = assess(HeldOut(pairs, truth(pairs), truth(pairs)))
    assert "too few to tell which are better" in both.sentences[1]


def test_no_verdict_depends_on_the_order():
    pairs = judged(40, 5)
    order = np.random.default_rng(0).permutation(40)
    p, grade = truth(pairs), pairs.grade
    assert agreement_of(p[order], grade[order]).share == pytest.approx(
        agreement_of(p, grade).share
    )


def test_judgements_of_one_answer_count_by_its_decisions():
    rng = np.random.default_rng(0)
    sets = [rng.permutation(30)[:8].tolist() for _ in range(4)]
    told = [
        (i, j, 1.0 if i % 2 == j % 2 else -1.0, n)
        for n, rows in enumerate(sets)
        for i, j in combinations(rows, 2)
    ]
    i, j, grade, answers = zip(*told, strict=True)
    piles = PairSet(i, j, grade, 30, answers=answers)
    right = (piles.grade > 0).astype(float)
    alone, together = (
        assess(HeldOut(pairs, right, 1.0 - right))
        for pairs in (PairSet(piles.i, piles.j, piles.grade, 30), piles)
    )

    assert independent_share(piles) == 28 / len(piles)  # seven an answer
    assert together.with_judgements.share == alone.with_judgements.share == 1.0
    assert together.with_judgements.low < alone.with_judgements.low - 0.05
    assert together.without_judgements.high > alone.without_judgements.high + 0.05
