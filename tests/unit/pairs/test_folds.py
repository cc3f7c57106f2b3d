"""Folds of judgements: balance, giant groups, and what cannot be kept apart."""

from itertools import combinations

import numpy as np
import pytest

from fuzzypairs.pairs import PairSet
from fuzzypairs.pairs.folds import (
    FEWEST_PAIRS,
    cut_groups,
    grow_blocks,
    hold_out,
)


def draw(n_samples, n_pairs, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.integers(3, size=n_samples)
    pairs = PairSet.from_labels(labels, n_pairs=n_pairs, random_state=seed)
    grade = pairs.grade * rng.uniform(0.5, 1, len(pairs))
    return PairSet(pairs.i, pairs.j, grade, n_samples)


def test_two_triangles_joined_by_a_weak_pair_are_cut_there():
    triples = [(0, 1, 1), (1, 2, 1), (0, 2, 1), (3, 4, 1), (4, 5, 1), (3, 5, 1)]
    graph = PairSet.from_triples([*triples, (2, 3, 0.1)]).to_sparse()
    for seed in range(5):
        block = grow_blocks(graph, 3.5, np.random.default_rng(seed))
        assert len(set(block[:3])) == len(set(block[3:])) == 1
        assert block[0] != block[5]


def test_a_chain_above_a_share_is_cut_into_blocks():
    chain = PairSet.from_triples([(i, i + 1, 1.0) for i in range(8)], n_samples=12)
    block = cut_groups(chain, 2, np.random.default_rng(0))
    assert np.bincount(block[:9]).tolist() == [4, 4, 1]
    assert block[9:].tolist() == [-1, -1, -1]
    assert (np.diff(np.flatnonzero(block == 0)) == 1).all()


@pytest.mark.parametrize("kind", [1, -1])
def test_folds_hold_about_the_same_strength_of_either_kind(kind):
    pairs = draw(1000, 100)
    folds = hold_out(pairs, 4, 3, np.random.default_rng(0))
    strength = np.maximum(kind * folds.pairs.grade, 0)
    shares = [strength[test].sum() / strength.sum() for _, test in folds.splits]
    assert not folds.shares_samples
    np.testing.assert_allclose(shares, 0.25, atol=0.05)


def test_repeats_are_other_folds():
    folds = hold_out(draw(1000, 100), 4, 2, np.random.default_rng(0))
    first, again = folds.splits[:4], folds.splits[4:]
    together = [
        (one.test & other.test).sum() / one.test.sum()
        for one in first
        for other in again
    ]
    assert max(together) < 0.6


@pytest.mark.parametrize(
    ("n_samples", "n_pairs", "held_out", "trained"),
    [(150, 100, 0.9, 0.7), (60, 300, 0.4, 0.5)],
)
def test_a_giant_group_costs_few_pairs(n_samples, n_pairs, held_out, trained):
    pairs = draw(n_samples, n_pairs)
    strength = np.bincount(pairs.components()[1][pairs.i], np.abs(pairs.grade))
    assert strength.max() > strength.sum() / 4

    folds = hold_out(pairs, 4, 1, np.random.default_rng(0))

    assert not folds.shares_samples
    assert sum(test.sum() for _, test in folds.splits) >= held_out * n_pairs
    assert min(len(train) for train, _ in folds.splits) >= trained * n_pairs


def test_many_judgements_of_one_sample_are_dealt_one_by_one():
    star = PairSet.from_triples([(0, i, (-1) ** i) for i in range(1, 81)])
    folds = hold_out(star, 4, 2, np.random.default_rng(0))
    assert folds.shares_samples
    assert [test.sum() for _, test in folds.splits] == [20] * 8
    assert [len(train) for train, _ in folds.splits] == [60] * 8


def test_the_same_seed_deals_the_same_folds():
    pairs = draw(100, 60)
    one, same, other = (
        hold_out(pairs, 4, 2, np.random.default_rng(s)) for s in (1, 1, 2)
    )
    assert all(
        a.train == b.train and (a.test == b.test).all()
        for a, b in zip(one.splits, same.splits, strict=True)
    )
    assert any(
        (a.test != b.test).any() for a, b in zip(one.splits, other.splits, strict=True)
    )


def test_judgements_of_zero_are_left_out():
    pairs = PairSet.from_triples([(2 * i, 2 * i + 1, i % 3 - 1) for i in range(90)])
    folds = hold_out(pairs, 3, 1, np.random.default_rng(0))
    assert len(folds.pairs) == 60 >= FEWEST_PAIRS
    assert sum(test.sum() for _, test in folds.splits) == 60


def test_judgements_of_several_judges_of_a_pair_are_on_one_side():
    chain = PairSet.from_labels(np.arange(61) % 2, [(n, n + 1) for n in range(60)])
    pairs = chain.by("a").concat(chain.by("b"), chain.by("c"))
    one = hold_out(pairs, 4, 1, np.random.default_rng(0))

    for train, test in one.splits:
        assert set(train.judge_names) == {"a", "b", "c"}
        assert not set(train.i) & set(pairs.i[test])
        assert (np.bincount(pairs.pair[test])[np.unique(pairs.pair[test])] == 3).all()


def test_what_one_answer_judged_is_held_out_as_one():
    rng = np.random.default_rng(0)
    sets = [rng.choice(100, 8, replace=False) for _ in range(12)]
    triples = [
        (i, j, 1.0 if i % 3 == j % 3 else -1.0, n)
        for n, rows in enumerate(sets)
        for i, j in combinations(sorted(rows.tolist()), 2)
    ]
    i, j, grade, answers = zip(*triples, strict=True)
    pairs = PairSet(i, j, grade, 100, answers=answers)
    for train, test in hold_out(pairs, 4, 2, rng).splits:
        held_out = set(pairs.answers[test].tolist())
        assert len(held_out) >= 2
        assert not held_out & set(train.answers.tolist())
