"""Pairs drawn at random, and folds."""

import numpy as np

from fuzzypairs.pairs import PairSet
from fuzzypairs.pairs.sampling import deal_units


def test_drawn_pairs_are_distinct_known_and_repeatable():
    labels = np.array([0, -1, 1, 1, -1, 0, 2])
    known = np.flatnonzero(labels != -1)
    pairs = PairSet.from_labels(labels, n_pairs=10, random_state=0)
    assert len(pairs) == 10  # all pairs of five samples
    assert np.isin([pairs.i, pairs.j], known).all()
    np.testing.assert_array_equal(pairs.similar, labels[pairs.i] == labels[pairs.j])

    few = [PairSet.from_labels(labels, n_pairs=4, random_state=s) for s in (1, 1, 2)]
    assert few[0] == few[1] != few[2]
    generator = np.random.default_rng(1)
    assert PairSet.from_labels(labels, n_pairs=4, random_state=generator) == few[0]


def test_drawn_pairs_are_uniform():
    labels = np.zeros(5, dtype=int)
    rng = np.random.default_rng(0)
    counts = sum(
        PairSet.from_labels(labels, n_pairs=3, random_state=rng).to_sparse().toarray()
        for _ in range(600)
    )
    drawn = counts[np.triu_indices(5, 1)]
    # Each of the 10 pairs has chance 0.3: 180 expected, standard deviation 11.2.
    assert np.abs(drawn - 180).max() < 50


def test_units_stay_whole_and_go_to_the_lightest_fold():
    unit = np.repeat([0, 1, 2, 3], [5, 3, 3, 1])
    fold = deal_units(unit, np.ones((12, 1)), 2, np.random.default_rng(0))
    assert all(len(set(fold[unit == u])) == 1 for u in range(4))
    # 5, then 3 beside it, then 3 to the lighter, then 1 to the lighter.
    assert np.bincount(fold).tolist() == [6, 6]


def test_kinds_of_load_are_balanced_apart():
    loads = np.repeat([[1.0, 0.0], [0.0, 1.0]], [4, 8], axis=0)
    fold = deal_units(np.arange(12), loads, 4, np.random.default_rng(0))
    for kind in (loads[:, 0] > 0, loads[:, 1] > 0):
        assert len(set(np.bincount(fold[kind]))) == 1


def test_no_units_have_no_folds():
    none = np.empty(0, dtype=np.int64)
    assert deal_units(none, np.empty((0, 2)), 3, np.random.default_rng(0)).size == 0
