"""PairSet: reading, merging, restricting and splitting judgements."""

import copy
import dataclasses
import pickle
import re
from itertools import chain, permutations

import numpy as np
import pandas as pd
import polars as pl
import pytest
import skops.io
from scipy import sparse

from fuzzypairs.exceptions import PairsError
from fuzzypairs.pairs import PairSet

TRIPLES = [(5, 0, 0.8), (3, 9, -0.6), (2, 1, 0)]
SORTED = [(0, 5, 0.8), (1, 2, 0.0), (3, 9, -0.6)]


@pytest.fixture
def pairs():
    return PairSet.from_triples(TRIPLES, n_samples=12)


# Reading ----------------------------------------------------------------------


def test_triples_come_out_ordered_and_typed(pairs):
    assert list(pairs) == SORTED
    assert (pairs.i.dtype, pairs.j.dtype, pairs.grade.dtype) == ("i8", "i8", "f8")
    assert pairs.n_samples == 12
    assert len(pairs) == 3
    assert {type(value) for triple in pairs for value in triple} == {int, float}


@pytest.mark.parametrize(
    "triples",
    [
        TRIPLES,
        (triple for triple in TRIPLES),
        np.array(TRIPLES),
        np.array(TRIPLES, dtype=object),
        np.array(TRIPLES, order="F"),
        [np.array(triple) for triple in TRIPLES],
        [(np.int32(i), np.uint8(j), np.float64(grade)) for i, j, grade in TRIPLES],
    ],
    ids=["list", "generator", "array", "objects", "fortran", "rows", "scalars"],
)
def test_triples_in_any_dress(triples):
    assert list(PairSet.from_triples(triples)) == SORTED


def test_float32_arrays_are_widened():
    pairs = PairSet.from_triples(np.array([(0, 1, 0.5)], dtype=np.float32))
    assert pairs == PairSet.from_triples([(0, 1, 0.5)])
    assert pairs.grade.dtype == np.float64


@pytest.mark.parametrize("nothing", [[], (), np.empty(0), np.empty((0, 3))])
def test_no_triples(nothing):
    assert PairSet.from_triples(nothing) == PairSet.empty(0)
    assert PairSet.from_triples(nothing, n_samples=7) == PairSet.empty(7)


def test_n_samples_defaults_to_the_largest_row_plus_one():
    assert PairSet.from_triples([(7, 2, 1)]).n_samples == 8


def test_several_judgements_of_a_pair_are_averaged_over_the_answers():
    pairs = PairSet.from_triples(
        [
            *[(0, 1, 0.5), (1, 0, 1.0), (0, 1, 0)],  # a "can't say" does not dilute
            *[(2, 1, 0), (1, 2, 0)],  # only "can't say" stays so
            *[(0, 2, 0.5), (0, 2, -0.5)],  # a contradiction cancels
        ]
    )
    assert list(pairs) == [(0, 1, 0.75), (0, 2, 0.0), (1, 2, 0.0)]


def test_the_mean_does_not_depend_on_the_order_by_a_single_bit():
    # 0.1 + 0.2 + 0.3 and 0.3 + 0.2 + 0.1 are different floats.
    judged = [(0, 1, 0.1), (0, 1, 0.2), (0, 1, 0.3)]
    assert len({PairSet.from_triples(order) for order in permutations(judged)}) == 1


def test_minus_zero_is_zero():
    for triples in ([(0, 1, -0.0)], [(0, 1, -0.0), (1, 0, -0.0)]):
        pairs = PairSet.from_triples(triples)
        assert not np.signbit(pairs.grade).any()
        assert hash(pairs) == hash(PairSet.from_triples([(0, 1, 0)]))


def test_sparse_triangle_and_symmetric_agree_and_keep_stored_zeros(pairs):
    i, j, grade = np.transpose(SORTED)
    upper = sparse.coo_array((grade, (i.astype(int), j.astype(int))), shape=(12, 12))
    both = sparse.coo_array(pairs.to_sparse())
    assert both.nnz == 2 * upper.nnz
    for form in (upper, upper.T, both, upper.tocsr(), sparse.csc_matrix(both)):
        assert PairSet.from_sparse(form) == pairs


def test_sparse_triangles_that_disagree_are_averaged():
    matrix = sparse.coo_array(([0.5, 1.0, 0.0, -1.0], ([0, 1, 0, 2], [1, 0, 2, 0])))
    assert list(PairSet.from_sparse(matrix)) == [(0, 1, 0.75), (0, 2, -1.0)]


@pytest.mark.parametrize("library", [pd, pl])
def test_frame_with_row_numbers(library, pairs):
    i, j, grade = zip(*TRIPLES, strict=True)
    frame = library.DataFrame({"note": ["", "?", ""], "j": j, "grade": grade, "i": i})
    assert PairSet.from_frame(frame, n_samples=12) == pairs
    data = library.DataFrame({"x": range(12)})
    assert PairSet.from_frame(frame, data=data) == pairs
    assert PairSet.from_frame(frame[:0], n_samples=12) == PairSet.empty(12)


@pytest.mark.parametrize("library", [pd, pl])
def test_frame_with_ids(library):
    data = library.DataFrame({"code": ["x", "y", "z"], "size": [30, 10, 20]})
    by_code = library.DataFrame({"a": ["z"], "b": ["x"], "grade": [0.5]})
    by_size = library.DataFrame({"a": [20], "b": [30.0], "grade": [0.5]})
    expected = PairSet.from_triples([(0, 2, 0.5)], n_samples=3)
    assert PairSet.from_frame(by_code, data=data, id_column="code") == expected
    assert PairSet.from_frame(by_size, data=data, id_column="size") == expected


def test_nullable_columns_of_pandas_are_read():
    frame = pd.DataFrame({"i": [0], "j": [1], "grade": [0.5]}).convert_dtypes()
    assert list(PairSet.from_frame(frame)) == [(0, 1, 0.5)]


def test_must_and_cannot():
    must, cannot = [(1, 0), (2, 3)], np.array([(1, 2), (3, 2)])
    pairs = PairSet.from_must_cannot(must, cannot, n_samples=6, grade=0.5)
    assert list(pairs) == [(0, 1, 0.5), (1, 2, -0.5), (2, 3, 0.0)]
    assert pairs.n_samples == 6
    assert PairSet.from_must_cannot(must, []).n_samples == 4


# Judging by the truth -----------------------------------------------------------


@pytest.mark.parametrize("labels", [[0, 0, 1, 1], list("aabb"), [0.0, 0.0, 2.0, 2.0]])
def test_labels_judge_given_pairs(labels):
    pairs = PairSet.from_labels(labels, pairs=[(1, 0), (1, 2), (3, 2)])
    assert list(pairs) == [(0, 1, 1.0), (1, 2, -1.0), (2, 3, 1.0)]


def test_an_unknown_label_cannot_say():
    assert list(PairSet.from_labels([-1, -1, 0], pairs=[(0, 1), (1, 2)])) == [
        (0, 1, 0.0),
        (1, 2, 0.0),
    ]


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


def test_memberships_judge_as_the_cost_of_a_pair():
    U = [[1, 0], [1, 0], [0, 1], [0.5, 0.5], [0.5, 0.5], [0.6, 0.4], [0.4, 0.6]]
    asked = [(0, 1), (0, 2), (3, 4), (5, 6)]
    pairs = PairSet.from_memberships(U, pairs=asked)
    np.testing.assert_allclose(pairs.grade, [1, -1, 1, -0.52], atol=1e-15)
    # ||u_5 - u_6||^2 / 2 = .04 is less than u_5.u_6 = .48: the costs say alike.
    by_cost = PairSet.from_memberships(U, pairs=asked, sign="cost")
    np.testing.assert_allclose(by_cost.grade, [1, -1, 1, 0.96], atol=1e-15)
    by_norm = PairSet.from_memberships(U, pairs=asked, sign="cost", form="norm")
    np.testing.assert_allclose(by_norm.grade, [1, -1, 1, 1 - 0.08**0.5], atol=1e-15)


def test_memberships_draw_pairs():
    U = np.random.default_rng(0).dirichlet(np.ones(3), size=30)
    pairs = PairSet.from_memberships(U, n_pairs=100, random_state=0)
    assert (len(pairs), pairs.n_samples) == (100, 30)
    top = U.argmax(axis=1)
    np.testing.assert_array_equal(pairs.similar, top[pairs.i] == top[pairs.j])


# The object -----------------------------------------------------------------


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


def test_exports(pairs):
    np.testing.assert_array_equal(pairs.to_array(), SORTED)
    matrix = pairs.to_sparse()
    assert (matrix.shape, matrix.nnz) == ((12, 12), 6)
    assert matrix[9, 3] == matrix[3, 9] == -0.6
    assert PairSet.empty(2).to_array().shape == (0, 3)


# Groups, subsets, folds -----------------------------------------------------------


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
    links = pairs.links()
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
    assert pairs.links() is links


def test_links_of_nothing():
    links = PairSet.from_triples([(0, 1, 0)]).links()
    assert [len(part) for part in links] == [0, 1, 0, 1, 0, 0]


def test_restrict_renumbers_to_the_rows_given(pairs):
    assert list(pairs.restrict([9, 4, 3])) == [(0, 2, -0.6)]
    assert pairs.restrict([9, 4, 3]).n_samples == 3
    mask = np.isin(np.arange(12), [1, 2, 5])
    assert list(pairs.restrict(mask)) == [(0, 1, 0.0)]
    assert pairs.restrict([]) == PairSet.empty(0)
    assert pairs.restrict(range(12)) == pairs


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([0, 12], r"rows\[1\] is 12 but pairs is about 12 samples"),
        ([0, -1], r"rows\[1\] is -1 but pairs"),
        ([4, 3, 4], r"rows\[0\] is 4 once more"),
        ([0.5], r"rows\[0\] is 0.5; expected a whole number"),
        (["a"], r"rows\[0\] is .*'a'.*; expected a whole number"),
        ([True, False], r"mask of shape \(2,\), expected \(12,\)"),
        ([[0, 1]], r"rows .* shape \(1, 2\)"),
    ],
)
def test_restrict_refuses(pairs, rows, message):
    with pytest.raises(PairsError, match=message):
        pairs.restrict(rows)


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


def test_concat_gives_each_set_one_voice():
    sets = [PairSet.from_triples([(0, 1, grade)]) for grade in (0, 0.5, 0.25)]
    assert list(sets[0].concat(*sets[1:])) == [(0, 1, 0.375)]
    assert sets[0] + sets[1] == sets[1]
    assert sets[0].concat() == sets[0]
    with pytest.raises(PairsError, match="about 2 samples with pairs about 3"):
        sets[0] + PairSet.empty(3)
    with pytest.raises(TypeError):
        sets[0] + [(0, 1, 1)]


# What fit accepts --------------------------------------------------------------


@pytest.mark.parametrize(
    "dress",
    [
        lambda pairs: pairs,
        list,
        PairSet.to_array,
        PairSet.to_sparse,
        lambda pairs: pd.DataFrame(list(pairs), columns=["i", "j", "grade"]),
        lambda pairs: pl.DataFrame(
            list(pairs), schema=["i", "j", "grade"], orient="row"
        ),
    ],
    ids=["PairSet", "triples", "array", "sparse", "pandas", "polars"],
)
def test_coerce_reads_what_fit_accepts(dress, pairs):
    assert PairSet.coerce(dress(pairs), n_samples=12) == pairs
    with pytest.raises(PairsError, match="pairs"):
        PairSet.coerce(dress(pairs), n_samples=9)


def test_coerce_reads_no_pairs_and_returns_a_fitting_set_itself(pairs):
    assert PairSet.coerce(None, n_samples=3) == PairSet.empty(3)
    assert PairSet.coerce(pairs, n_samples=12) is pairs


@pytest.mark.parametrize("n_samples", [11, 13])
def test_coerce_refuses_a_set_about_other_data(pairs, n_samples):
    message = f"pairs is about 12 samples but X has {n_samples} rows; .*restrict"
    with pytest.raises(PairsError, match=message):
        PairSet.coerce(pairs, n_samples)


# Errors ----------------------------------------------------------------------

GOOD = (0, 1, 0.5)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ((0, 150, 1), r"pairs[1] joins sample 150 but X has 150 rows (0 to 149)"),
        ((-1, 3, 1), r"pairs[1] joins sample -1 but rows are counted from 0"),
        ((7, 7, 1), r"pairs[1] joins sample 7 to itself"),
        ((2.5, 3, 1), r"pairs[1] joins sample 2.5; expected a whole number"),
        ((np.nan, 3, 1), r"pairs[1] joins sample nan; expected a whole number"),
        ((3, np.inf, 1), r"pairs[1] joins sample inf; expected a whole number"),
        ((3, 1e300, 1), r"pairs[1] joins sample 1e+300; expected a whole number"),
        ((3, 4, np.nan), r"pairs[1] joins samples 3 and 4 with grade nan; expected"),
        ((3, 4, -np.inf), r"pairs[1] joins samples 3 and 4 with grade -inf"),
        ((3, 4, 1.01), r"pairs[1] joins samples 3 and 4 with grade 1.01; expected"),
    ],
)
def test_bad_values_are_named_in_lists_and_arrays(bad, message):
    for triples in ([GOOD, bad, GOOD], np.array([GOOD, bad, GOOD])):
        with pytest.raises(PairsError, match=re.escape(message)):
            PairSet.from_triples(triples, n_samples=150)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ((True, 3, 1), "pairs[1] joins sample True; expected a whole number"),
        (("2", 3, 1), "pairs[1] joins sample '2'; expected a whole number"),
        ((2, None, 1), "pairs[1] joins sample None; expected a whole number"),
        ((2, 3, "alike"), "pairs[1] has grade 'alike'; expected a number from -1"),
        ((2, 3, True), "pairs[1] has grade True; expected a number from -1"),
        ((2, 3, 1j), "pairs[1] has grade 1j; expected a number from -1"),
        ((2, 3), "pairs[1] is (2, 3), expected (i, j, grade)"),
        (4, "pairs[1] is 4, expected (i, j, grade)"),
    ],
)
def test_bad_kinds_are_named(bad, message):
    with pytest.raises(PairsError, match=re.escape(message)):
        PairSet.from_triples([GOOD, bad])


@pytest.mark.parametrize(
    ("triples", "message"),
    [
        (np.zeros((4, 2)), "pairs has shape (4, 2), expected (n, 3)"),
        (np.zeros(3), "pairs has shape (3,), expected (n, 3)"),
        (np.array([["0", "1", "1"]]), "pairs[0] joins sample"),
        (np.array([[False, True, True]]), "pairs[0] joins sample"),
        (5, "pairs is 5, expected a list of (i, j, grade)"),
    ],
)
def test_bad_shapes_and_types_are_named(triples, message):
    with pytest.raises(PairsError, match=re.escape(message)):
        PairSet.from_triples(triples)


@pytest.mark.parametrize("n_samples", [-1, 2.5, "5", 2**40])
def test_bad_n_samples(n_samples):
    with pytest.raises(PairsError, match=r"n_samples is .*expected a whole number"):
        PairSet.empty(n_samples)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (sparse.coo_array((3, 4)), "shape (3, 4), expected one row and one column"),
        (sparse.coo_array(np.eye(3)), "pairs[0] joins sample 0 to itself"),
        (
            sparse.coo_array(([2.0], ([0], [2])), shape=(3, 3)),
            "pairs[0] joins samples 0 and 2 with grade 2.0",
        ),
    ],
)
def test_sparse_refuses(matrix, message):
    with pytest.raises(PairsError, match=re.escape(message)):
        PairSet.from_sparse(matrix)


def test_sparse_must_fit_n_samples(pairs):
    with pytest.raises(PairsError, match=re.escape("(12, 12), expected")):
        PairSet.from_sparse(pairs.to_sparse(), n_samples=13)


@pytest.mark.parametrize("library", [pd, pl])
@pytest.mark.parametrize(
    ("columns", "options", "message"),
    [
        ({"i": [0], "k": [1]}, {}, "pairs has the columns i, k; expected i, j, grade"),
        (
            {"a": ["x", "w"], "b": ["y", "x"], "grade": [1, 1]},
            {"ids": ["x", "y"]},
            "pairs[1] names 'w', which is not in data['code']",
        ),
        (
            {"a": ["x"], "b": ["y"], "grade": [1]},
            {"ids": ["x", "y", "x"]},
            "data['code'] holds 'x' in rows 0 and 2",
        ),
        (
            {"a": [1], "b": [2], "grade": [1]},
            {"ids": ["1", "2"]},
            "pairs[0] names 1, which is not in data['code']",
        ),
    ],
)
def test_frame_refuses(library, columns, options, message):
    if "ids" in options:
        data = library.DataFrame({"code": options["ids"]})
        options = {"data": data, "id_column": "code"}
    with pytest.raises(PairsError, match=re.escape(message)):
        PairSet.from_frame(library.DataFrame(columns), **options)


def test_frame_refuses_a_missing_number():
    frame = pd.DataFrame({"i": [0, None], "j": [1, 2], "grade": [1, 1]})
    for table in (frame, frame.convert_dtypes(), pl.from_pandas(frame)):
        with pytest.raises(PairsError, match=r"pairs\[1\] joins sample (nan|<NA>);"):
            PairSet.from_frame(table)


def test_frame_refuses_ids_without_data_and_two_sizes():
    frame = pd.DataFrame({"a": ["x"], "b": ["y"], "grade": [1]})
    data = pd.DataFrame({"code": ["x", "y"]})
    with pytest.raises(PairsError, match="id_column is 'code' but data is missing"):
        PairSet.from_frame(frame, id_column="code")
    with pytest.raises(PairsError, match="n_samples is 3 but data has 2 rows"):
        PairSet.from_frame(frame, data=data, id_column="code", n_samples=3)
    with pytest.raises(PairsError, match="data has the columns code; expected name"):
        PairSet.from_frame(frame, data=data, id_column="name")


def test_must_cannot_refuses():
    with pytest.raises(PairsError, match=r"cannot\[1\] joins sample 3 to itself"):
        PairSet.from_must_cannot([(0, 1)], [(0, 2), (3, 3)])
    with pytest.raises(
        PairsError, match=r"must\[0\] is \(0, 1, 1\), expected \(i, j\)"
    ):
        PairSet.from_must_cannot([(0, 1, 1)], [])
    for grade in (0, 1.5, np.nan):
        with pytest.raises(PairsError, match=r"grade is .*expected a strength"):
            PairSet.from_must_cannot([(0, 1)], [], grade=grade)


@pytest.mark.parametrize(
    ("labels", "options", "message"),
    [
        ([0, 1], {}, "either pairs"),
        ([0, 1], {"pairs": [(0, 1)], "n_pairs": 1}, "either pairs"),
        ([0, 1, -1], {"n_pairs": 2}, "n_pairs is 2, expected 0 to 1"),
        ([0, 1], {"pairs": [(0, 2)]}, r"pairs\[0\] joins sample 2 but X has 2 rows"),
        ([[0, 1]], {"n_pairs": 1}, r"labels has shape \(1, 2\)"),
        ([0, np.nan], {"n_pairs": 1}, r"labels\[1\] is nan; use -1"),
        (["a", None], {"n_pairs": 1}, r"labels\[1\] is None; use -1"),
    ],
)
def test_labels_refuse(labels, options, message):
    with pytest.raises(PairsError, match=message):
        PairSet.from_labels(labels, **options)


@pytest.mark.parametrize(
    ("memberships", "options", "message"),
    [
        ([0.5, 0.5], {}, r"memberships has shape \(2,\)"),
        ([[1, 0], [0.5, 0.6]], {}, r"memberships\[1\] is .*sum to 1"),
        ([[1, 0], [1.5, -0.5]], {}, r"memberships\[1\]"),
        ([[1, 0], [np.nan, 1]], {}, r"memberships\[1\]"),
        (np.eye(2), {"sign": "max"}, "sign is 'max', expected argmax or cost"),
        (np.eye(2), {"form": "square"}, "form is 'square', expected cost or norm"),
    ],
)
def test_memberships_refuse(memberships, options, message):
    with pytest.raises(PairsError, match=message):
        PairSet.from_memberships(memberships, n_pairs=1, **options)
