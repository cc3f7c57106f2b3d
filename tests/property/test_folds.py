"""What holds for all folds of judgements."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fuzzypairs.pairs import PairSet
from fuzzypairs.pairs.folds import cut_groups, hold_out


@st.composite
def judged(draw, n_pairs=(8, 120)):
    """Judgements of few samples (one giant group) or of many (single pairs)."""
    n_samples = draw(st.sampled_from([12, 40, 150, 600]))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    i, j = rng.integers(n_samples, size=(2, draw(st.integers(*n_pairs))))
    grade = rng.choice([-1, 0, 1], i.size) * rng.uniform(0.1, 1, i.size)
    return PairSet(i[i != j], j[i != j], grade[i != j], n_samples)


seeds = st.integers(0, 10**6)
splits = st.integers(2, 5)


def ends(pairs, mask=slice(None)):
    return set(pairs.i[mask].tolist()) | set(pairs.j[mask].tolist())


@given(judged(), splits, seeds)
def test_held_out_judgements_are_not_trained_on(pairs, n_splits, seed):
    folds = hold_out(pairs, n_splits, 2, np.random.default_rng(seed))

    assert len(folds.splits) == 2 * n_splits
    for train, test in folds.splits:
        held_out = set(folds.pairs.select(test))
        assert set(train) <= set(folds.pairs) - held_out
        if not folds.shares_samples:
            assert not ends(train) & ends(folds.pairs, test)


@given(judged(), splits, seeds)
def test_every_repeat_holds_out_a_judgement_at_most_once(pairs, n_splits, seed):
    folds = hold_out(pairs, n_splits, 2, np.random.default_rng(seed))

    for repeat in (folds.splits[:n_splits], folds.splits[n_splits:]):
        times = sum(test.astype(int) for _, test in repeat)
        assert (times <= 1).all()
        if folds.shares_samples:
            assert (times == 1).all()


@given(judged(), splits, seeds)
def test_small_groups_are_held_out_whole(pairs, n_splits, seed):
    folds = hold_out(pairs, n_splits, 1, np.random.default_rng(seed))
    if folds.shares_samples:
        return
    group = folds.pairs.components()[1][folds.pairs.i]
    strength = np.bincount(group, np.abs(folds.pairs.grade))
    for _, test in folds.splits:
        for one in np.unique(group[test]):
            # Up to rounding: a group of exactly one share may be cut.
            if strength[one] < (1 - 1e-9) * strength.sum() / n_splits:
                assert test[group == one].all()


@given(judged(), splits, seeds)
def test_blocks_are_bounded_parts_of_groups(pairs, n_splits, seed):
    pairs = pairs.informative
    block = cut_groups(pairs, n_splits, np.random.default_rng(seed))
    group = pairs.components()[1]
    strength = np.abs(pairs.grade)
    volume = np.bincount(pairs.i, strength, pairs.n_samples) / 2
    volume += np.bincount(pairs.j, strength, pairs.n_samples) / 2

    assert ((block >= 0) == (group >= 0)).all()
    for one in range(block.max(initial=-1) + 1):
        rows = np.flatnonzero(block == one)
        assert len(set(group[rows])) == 1
        is_bounded = volume[rows].sum() <= strength.sum() / n_splits + 1e-9
        assert rows.size == 1 or is_bounded
