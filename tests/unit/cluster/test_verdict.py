"""Verdicts: shares and intervals by hand, levels, doubts and advice."""

import numpy as np
import pytest

from fuzzypairs import PairSet
from fuzzypairs.cluster.verdict import HeldOut, agreement_of, assess


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
    # Ten judgements of equal strength, five alike: four and four are kept.
    grade = np.repeat([0.5, -0.5], 5)
    p = np.array([0.9, 0.9, 0.6, 0.8, 0.2, 0.1, 0.1, 0.4, 0.3, 0.7])
    found = agreement_of(p, grade)
    assert found.share == pytest.approx(0.8)
    # Published interval of 8 in 10: 0.490 to 0.943.
    assert (found.low, found.high) == pytest.approx((0.4902, 0.9433), abs=1e-4)


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
    assert found.n_more == 0
    assert found.noise_rate == 0.0
    assert found.sentences[0].startswith("Strong: 100 % (91 to 100 %)")
    assert "changed the result for the better" in found.sentences[1]
    assert len(found.sentences) == 2


def test_flipped_judgements_are_noticed():
    pairs = judged(40, 8)
    found = verdict(pairs, truth(pairs))
    assert found.level == "weak"
    assert found.noise_rate == pytest.approx(0.2)
    said = " ".join(found.sentences)
    assert "About 8 of 40 judgements (20 %) seem wrong, or are about" in said
    assert found.n_more > 0


def test_a_given_noise_rate_is_used():
    pairs = judged(40)
    found = verdict(pairs, truth(pairs), noise_rate=0.25)
    assert found.noise_rate == 0.25
    assert "About 10 of 40 judgements (25 %) seem wrong" in " ".join(found.sentences)


def test_chance_is_unusable():
    pairs = judged(40, 20)
    found = verdict(pairs, truth(pairs))
    assert found.level == "unusable"
    said = " ".join(found.sentences)
    assert "may be chance" in said
    assert "do not rely" in said
    assert "check some of them" in said
    assert "seem wrong" not in said


def test_few_judgements_are_too_few():
    pairs = judged(6)
    found = verdict(pairs, np.where(pairs.grade > 0, 0.9, 0.6))
    assert found.level == "unusable"
    said = " ".join(found.sentences)
    assert "6 judgements are too few to tell." in said
    assert found.n_more == 50


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
    assert found.n_more == 50 - given
    assert found.sentences[0].startswith("No verdict:")


def test_clusters_of_the_data_alone_may_be_right():
    pairs = judged(40)
    found = assess(HeldOut(pairs, np.full(40, 0.5), truth(pairs)))
    assert found.level == "strong"
    assert "do not improve" in found.sentences[1]
    both = assess(HeldOut(pairs, truth(pairs), truth(pairs)))
    assert "about as good" in both.sentences[1]


def test_more_judgements_are_asked_for_the_weaker_the_agreement():
    pairs = judged(100)
    counts = []
    for n_broken in (15, 20, 30):
        p = truth(pairs)
        p[:n_broken] = np.where(pairs.grade[:n_broken] > 0, 0.4, 0.6)
        counts.append(verdict(pairs, p).n_more)
    assert counts == sorted(counts)
    assert all(count % 10 == 0 for count in counts)


def test_no_verdict_depends_on_the_order():
    pairs = judged(40, 5)
    order = np.random.default_rng(0).permutation(40)
    p, grade = truth(pairs), pairs.grade
    assert agreement_of(p[order], grade[order]).share == pytest.approx(
        agreement_of(p, grade).share
    )
