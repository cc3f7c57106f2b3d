"""PairSet: the object, subsets, folds and joins."""

import copy
import dataclasses
import pickle
import re
from itertools import chain

import numpy as np
import pytest
import skops.io

from fuzzypairs.exceptions import PairsError
from fuzzypairs.pairs import PairSet

TRIPLES = [(5, 0, 0.8), (3, 9, -0.6), (2, 1, 0)]
SORTED = [(0, 5, 0.8), (1, 2, 0.0), (3, 9, -0.6)]


def test_nothing_can_be_changed(pairs):
    with pytest.raises(dataclasses.FrozenInstanceError):
        pairs.n_samples = 3
    for values in (pairs.i, pairs.j, pairs.grade):
        with pytest.raises(ValueError, match="read-only"):
            values[0] = 1


def test_the_arrays_of_the_caller_stay_their_own():
    i, j, grade = np.array([0, 1]), np.array([1, 2]), np.array([0.5, -0.5])
    pairs = PairSet(i, j, grade, 3)
    i[0] = j[0] = 2
    grade[0] = 1
    assert list(pairs) == [(0, 1, 0.5), (1, 2, -0.5)]


def test_direct_construction_is_ordered_and_checked():
    assert list(PairSet([5, 3, 2], [0, 9, 1], [0.8, -0.6, 0])) == SORTED
    with pytest.raises(PairsError, match="i has 2 entries but j has 1"):
        PairSet([0, 1], [2], [0.5, 0.5])
    with pytest.raises(PairsError, match="grade has 1 entries but i has 2"):
        PairSet([0, 1], [2, 3], [0.5])
    with pytest.raises(PairsError, match=re.escape("shape (1, 2)")):
        PairSet(np.array([[0, 1]]), [2, 3], [0.5, 0.5])


def test_equality_and_hash(pairs):
    same = PairSet.from_triples(SORTED, n_samples=12)
    assert pairs == same
    assert hash(pairs) == hash(same)
    others = [
        PairSet.from_triples(TRIPLES, n_samples=13),
        PairSet.from_triples(TRIPLES[:2], n_samples=12),
        PairSet.from_triples([*TRIPLES[:2], (2, 1, 0.1)], n_samples=12),
        PairSet.from_triples([*TRIPLES[:2], (4, 1, 0)], n_samples=12),
    ]
    assert all(other != pairs for other in others)
    assert len({pairs, same, *others}) == 5
    assert pairs != SORTED


def test_repr(pairs):
    assert repr(pairs) == (
        "PairSet(3 pairs on 12 samples: 1 alike, 1 unlike, 1 can't say)"
    )


def _through_skops(pairs):
    return skops.io.loads(
        skops.io.dumps(pairs), trusted=["fuzzypairs.pairs.pairset.PairSet"]
    )


@pytest.mark.parametrize(
    "restore",
    [
        copy.copy,
        copy.deepcopy,
        lambda pairs: pickle.loads(pickle.dumps(pairs)),
        _through_skops,
    ],
    ids=["copy", "deepcopy", "pickle", "skops"],
)
def test_copies_and_files_give_the_same_frozen_set(restore, pairs):
    restored = restore(pairs)
    assert restored == pairs
    assert not restored.i.flags.writeable


def test_masks_and_informative(pairs):
    np.testing.assert_array_equal(pairs.similar, [True, False, False])
    np.testing.assert_array_equal(pairs.dissimilar, [False, False, True])
    known = pairs.informative
    assert list(known) == [(0, 5, 0.8), (3, 9, -0.6)]
    assert known.n_samples == 12
    assert known.informative is known


def test_select_keeps_pairs_and_samples(pairs):
    assert list(pairs.select(pairs.grade != 0)) == [(0, 5, 0.8), (3, 9, -0.6)]
    assert pairs.select(np.zeros(3, dtype=bool)) == PairSet.empty(12)


@pytest.mark.parametrize("mask", [[0, 1], [True], slice(1), None, [[True] * 3]])
def test_select_refuses_what_is_no_mask(pairs, mask):
    with pytest.raises(PairsError, match="mask"):
        pairs.select(mask)


def test_exports(pairs):
    np.testing.assert_array_equal(pairs.to_array(), SORTED)
    matrix = pairs.to_sparse()
    assert (matrix.shape, matrix.nnz) == ((12, 12), 6)
    assert matrix[9, 3] == matrix[3, 9] == -0.6
    assert PairSet.empty(2).to_array().shape == (0, 3)


def test_restrict_renumbers_to_the_rows_given(pairs):
    assert list(pairs.restrict([9, 4, 3])) == [(0, 2, -0.6)]
    assert pairs.restrict([9, 4, 3]).n_samples == 3
    mask = np.isin(np.arange(12), [1, 2, 5])
    assert list(pairs.restrict(mask)) == [(0, 1, 0.0)]
    assert pairs.restrict([]) == PairSet.empty(0)
    assert pairs.restrict(range(12)) == pairs


def _chain(start, length):
    return [(start + k, start + k + 1, 1.0) for k in range(length)]


def test_folds_keep_groups_whole_and_balanced():
    lengths = [5, 4, 3, 3, 2, 1]
    chains = [_chain(10 * k, length) for k, length in enumerate(lengths)]
    pairs = PairSet.from_triples([*chain.from_iterable(chains), (0, 11, 0)])
    _, labels = pairs.components()
    folds = list(pairs.split(3, random_state=0))
    assert sorted(len(test) for _, test in folds) == [6, 6, 6]
    for train, test in folds:
        assert not np.isin(labels[test.i], labels[train.i]).any()
        assert train + test == pairs.informative


def test_a_group_above_its_share_goes_whole():
    pairs = PairSet.from_triples([*_chain(0, 9), (20, 21, 1), (30, 31, -1)])
    sizes = sorted(len(test) for _, test in pairs.split(3, random_state=0))
    assert sizes == [1, 1, 9]
    single = pairs.split(3, random_state=0, whole_groups=False)
    assert sorted(len(test) for _, test in single) == [3, 4, 4]


def test_fewer_groups_than_folds_deal_single_pairs():
    sizes = [len(test) for _, test in PairSet.from_triples(_chain(0, 6)).split(3, 0)]
    assert sizes == [2, 2, 2]


def test_folds_depend_on_the_seed_alone():
    pairs = PairSet.from_triples([(2 * k, 2 * k + 1, 1) for k in range(20)])
    folds = [list(pairs.split(4, random_state=seed)) for seed in (0, 0, 1)]
    assert folds[0] == folds[1] != folds[2]


@pytest.mark.parametrize("n_folds", [1, 3])
def test_split_refuses_at_once(pairs, n_folds):
    with pytest.raises(PairsError, match=f"n_folds is {n_folds}.* 2 informative pairs"):
        pairs.split(n_folds)


def test_concat_gives_each_set_the_same_weight():
    sets = [PairSet.from_triples([(0, 1, grade)]) for grade in (0, 0.5, 0.25)]
    assert list(sets[0].concat(*sets[1:])) == [(0, 1, 0.375)]
    assert sets[0] + sets[1] == sets[1]
    assert sets[0].concat() == sets[0]
    with pytest.raises(PairsError, match="about 3 samples, but these are about 2"):
        sets[0] + PairSet.empty(3)
    with pytest.raises(TypeError):
        sets[0] + [(0, 1, 1)]


def test_concat_refuses_what_is_no_pair_set(pairs):
    with pytest.raises(PairsError, match="others has a list, expected"):
        pairs.concat([(0, 1, 1)])


def test_pairs_are_not_taken_by_rows(pairs):
    with pytest.raises(PairsError, match="pairs has no items: use i, j and grade"):
        pairs[0]


def test_components_follow_informative_pairs_only():
    pairs = PairSet.from_triples(
        [(6, 4, 0.5), (4, 1, -1), (0, 5, 1), (0, 1, 0), (2, 3, 0)], n_samples=8
    )
    n_groups, labels = pairs.components()
    assert n_groups == 2
    np.testing.assert_array_equal(labels, [0, 1, -1, -1, 1, 0, 1, -1])


@pytest.mark.parametrize("n_samples", [0, 3])
def test_components_of_nothing(n_samples):
    n_groups, labels = PairSet.empty(n_samples).components()
    assert n_groups == 0
    np.testing.assert_array_equal(labels, [-1] * n_samples)


def test_links_are_two_edges_for_each_informative_pair():
    pairs = PairSet.from_triples(
        [(6, 4, 0.5), (4, 1, -1), (0, 5, 1), (0, 1, 0), (2, 3, 0)], n_samples=8
    )
    links = pairs.links
    np.testing.assert_array_equal(links.rows, [0, 5, 1, 4, 6])
    np.testing.assert_array_equal(links.groups, [0, 2, 5])
    np.testing.assert_array_equal(links.indptr, [0, 1, 2, 3, 5, 6])
    np.testing.assert_array_equal(links.source, [0, 1, 2, 3, 3, 4])
    grade = pairs.informative.grade[links.pair]
    edges = zip(links.source, links.neighbor, grade, strict=True)
    assert sorted(edges) == [
        (0, 1, 1.0),
        (1, 0, 1.0),
        (2, 3, -1.0),
        (3, 2, -1.0),
        (3, 4, 0.5),
        (4, 3, 0.5),
    ]
    assert pairs.links is links


def test_links_of_nothing():
    links = PairSet.from_triples([(0, 1, 0)]).links
    assert [len(part) for part in links] == [0, 1, 0, 1, 0, 0]
