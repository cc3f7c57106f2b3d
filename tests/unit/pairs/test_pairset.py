"""PairSet: ways to build one, the object, judges, subsets, folds and joins."""

import copy
import dataclasses
import pickle
import re
from itertools import chain

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
def test_triples_in_any_form(triples):
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


def test_ids_in_the_index_of_the_data():
    data = pd.DataFrame({"size": [1.0, 2.0, 3.0]}, index=["x", "y", "z"])
    judged = pd.DataFrame({"a": ["z"], "b": ["x"], "grade": [0.5]})

    assert list(PairSet.from_frame(judged, data=data)) == [(0, 2, 0.5)]
    with pytest.raises(PairsError, match="the index of data holds 'x' in rows 0 and 1"):
        PairSet.from_frame(judged, data=data.set_axis(["x", "x", "z"]))
    unknown = judged.assign(a=["w"])
    with pytest.raises(PairsError, match="names 'w', which is not in the index"):
        PairSet.from_frame(unknown, data=data)


def test_nullable_columns_of_pandas_are_read():
    frame = pd.DataFrame({"i": [0], "j": [1], "grade": [0.5]}).convert_dtypes()
    assert list(PairSet.from_frame(frame)) == [(0, 1, 0.5)]


def test_must_and_cannot():
    must, cannot = [(1, 0), (2, 3)], np.array([(1, 2), (3, 2)])
    pairs = PairSet.from_must_cannot(must, cannot, n_samples=6, grade=0.5)
    assert list(pairs) == [(0, 1, 0.5), (1, 2, -0.5), (2, 3, 0.0)]
    assert pairs.n_samples == 6
    assert PairSet.from_must_cannot(must, []).n_samples == 4


@pytest.mark.parametrize("labels", [[0, 0, 1, 1], list("aabb"), [0.0, 0.0, 2.0, 2.0]])
def test_labels_judge_given_pairs(labels):
    pairs = PairSet.from_labels(labels, pairs=[(1, 0), (1, 2), (3, 2)])
    assert list(pairs) == [(0, 1, 1.0), (1, 2, -1.0), (2, 3, 1.0)]


def test_an_unknown_label_cannot_say():
    assert list(PairSet.from_labels([-1, -1, 0], pairs=[(0, 1), (1, 2)])) == [
        (0, 1, 0.0),
        (1, 2, 0.0),
    ]


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


@pytest.mark.parametrize(
    "form",
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
def test_coerce_reads_what_fit_accepts(form, pairs):
    assert PairSet.coerce(form(pairs), n_samples=12) == pairs
    with pytest.raises(PairsError, match="pairs"):
        PairSet.coerce(form(pairs), n_samples=9)


def test_coerce_reads_no_pairs_and_returns_a_fitting_set_itself(pairs):
    assert PairSet.coerce(None, n_samples=3) == PairSet.empty(3)
    assert PairSet.coerce(pairs, n_samples=12) is pairs


@pytest.mark.parametrize("n_samples", [11, 13])
def test_coerce_refuses_a_set_about_other_data(pairs, n_samples):
    message = f"pairs is about 12 samples but X has {n_samples} rows; .*restrict"
    with pytest.raises(PairsError, match=message):
        PairSet.coerce(pairs, n_samples)


JUDGED = pd.DataFrame(
    {"i": [0, 1, 0, 0, 3], "j": [1, 0, 1, 2, 1], "grade": [0.5, 0, -1, 0.2, 1]}
).assign(annotator=["Bob", "Bob", "Ann", None, "Ann"])


def test_judgements_of_several_judges_stay_several():
    pairs = PairSet.from_frame(JUDGED)
    assert pairs.judge_names == ("", "Ann", "Bob")
    said = [pairs.judge_names[code] for code in pairs.judges]
    assert list(zip(said, pairs, strict=True)) == [
        ("Ann", (0, 1, -1.0)),
        ("Bob", (0, 1, 0.5)),  # a "can't say" of the same judge does not weaken it
        ("", (0, 2, 0.2)),
        ("Ann", (1, 3, 1.0)),
    ]
    assert list(pairs.merged) == [(0, 1, -0.25), (0, 2, 0.2), (1, 3, 1.0)]
    assert pairs.merged.judge_names == ("",)
    assert pairs.pair.tolist() == [0, 0, 1, 2]
    assert pairs.to_sparse().toarray()[1, 0] == -0.25
    assert repr(pairs).endswith("; 3 judges)")
    with pytest.raises(ValueError, match="read-only"):
        pairs.judges[0] = 1


def test_one_judge_changes_nothing():
    grades = [0.8, -0.6, 0.4, 0.1]
    plain = PairSet([5, 3, 0, 1], [0, 9, 5, 2], grades, 12)
    named = plain.by("Ann")
    assert plain.judge_names == ("",)
    assert plain.merged is plain
    assert named.merged is named
    assert list(named) == list(plain)
    assert named != plain
    assert plain.judges.tolist() == [0, 0, 0]


def test_subsets_and_joins_keep_the_judges():
    pairs = PairSet.from_frame(JUDGED)
    some = pairs.select(pairs.judges == 1)
    assert some.judge_names == pairs.judge_names  # codes mean the same in all folds
    assert some.judges.tolist() == [1, 1]
    turned = pairs.restrict([3, 1, 0])
    assert [
        (pairs.judge_names[c], p) for c, p in zip(turned.judges, turned, strict=True)
    ] == [
        ("Ann", (0, 1, 1.0)),
        ("Ann", (1, 2, -1.0)),
        ("Bob", (1, 2, 0.5)),
    ]
    joined = PairSet.empty(4).by("Zoe") + some
    assert joined.judge_names == ("", "Ann", "Bob", "Zoe")
    assert list(joined) == list(some)
    assert dataclasses.replace(pairs, grade=-pairs.grade).judge_names[2] == "Bob"


def test_single_pairs_are_held_out_with_all_their_judgements():
    pairs = PairSet([0, 0, 1, 1], [1, 1, 2, 2], [1, 1, -1, 1], judges=list("abab"))
    for train, test in pairs.split(2, random_state=0):
        assert len(train) == len(test) == 2
        assert not set(train.pair) - {0}
        assert not set(train.i) & set(test.i)  # the pairs are 0, 1 and 1, 2
    with pytest.raises(PairsError, match="2 to the 2 informative pairs"):
        pairs.split(3)


@pytest.mark.parametrize(
    ("judges", "names", "words"),
    [
        ("Ann", None, "judges is 'Ann', expected the judge of each judgement"),
        (["Ann"], None, "judges has 1 entries but i has 2"),
        ([0, 2], ["Ann", "Bob"], r"judges\[1\] is 2, but judge_names has 2 names"),
        ([0, 1], ["Ann", "Ann"], "expected each name once"),
        (None, ["Ann"], "judges is None, expected the judge of each"),
    ],
)
def test_bad_judges_are_refused(judges, names, words):
    with pytest.raises(PairsError, match=words):
        PairSet([0, 1], [1, 2], [1, 1], judges=judges, judge_names=names)


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


@pytest.mark.parametrize("judged", [False, True])
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
def test_copies_and_files_give_the_same_frozen_set(restore, judged, pairs):
    if judged:
        pairs = PairSet.from_frame(JUDGED).informative  # names a judge of nothing
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


def test_pairs_of_one_answer_are_one_unit():
    # Two answers about three items each have a pair in common; a third one has none.
    ends = [(0, 1), (0, 2), (1, 2), (2, 1), (2, 3), (1, 3), (4, 5)]
    judges = ["a"] * 3 + ["b"] * 4
    pairs = PairSet(*np.transpose(ends), np.ones(7), judges=judges,
                    answers=[5, 5, 5, 9, 9, 9, 2])  # fmt: skip
    again = pickle.loads(pickle.dumps(pairs))

    assert pairs.answers.tolist() == [5, 5, 5, 9, 9, 9, 2]
    assert pairs.unit.tolist() == [0] * 6 + [1]
    assert again == pairs
    assert again.answers.tolist() == pairs.answers.tolist()
    assert pairs.restrict([3, 2, 1]).answers.tolist() == [9, 9, 5, 9]
    assert pairs.select(pairs.i > 0).answers.tolist() == [5, 9, 9, 9, 2]
    assert pairs.merged.unit.tolist() == [0, 0, 0, 0, 0, 1]
    joined = pairs.by("a") + PairSet.from_triples([(0, 5, 1.0), (1, 5, 1.0)], 6)
    assert len(set(joined.unit.tolist())) == 4
    train, test = next(iter(pairs.split(2, 0, whole_groups=False)))
    assert {len(train), len(test)} == {6, 1}
    for wrong in ([1], [[1] * 7], ["x"] * 7):
        with pytest.raises(PairsError, match="answers"):
            PairSet(*np.transpose(ends), np.ones(7), answers=wrong)


def test_notebooks_show_the_first_judgements():
    names = ["<b>"] * 30
    pairs = PairSet(np.arange(30), np.arange(1, 31), np.linspace(-1, 1, 30), 31, names)
    shown = pairs._repr_html_()

    assert shown.count("<tr>") == 11
    assert "PairSet(30 pairs" in shown
    assert "<td>0</td><td>1</td><td>-1.00</td><td>&lt;b&gt;</td>" in shown
