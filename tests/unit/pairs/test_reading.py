"""Reading and checking: duplicates, and errors that name the judgement at fault."""

import re
from itertools import permutations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from fuzzypairs.exceptions import PairsError
from fuzzypairs.pairs import PairSet

GOOD = (0, 1, 0.5)


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


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (
            (0, 150, 1),
            r"triples[1] joins sample 150 but X has 150 rows (",
        ),
        ((-1, 3, 1), r"triples[1] joins sample -1 but i and j are counted from 0"),
        ((7, 7, 1), r"triples[1] joins sample 7 to itself"),
        ((2.5, 3, 1), r"triples[1] joins sample 2.5; expected a whole number"),
        ((np.nan, 3, 1), r"triples[1] joins sample nan; expected a whole number"),
        ((3, np.inf, 1), r"triples[1] joins sample inf; expected a whole number"),
        ((3, 1e300, 1), r"triples[1] joins sample 1e+300; expected a whole number"),
        ((3, 4, np.nan), r"triples[1] joins samples 3 and 4 with grade nan; expected"),
        ((3, 4, -np.inf), r"triples[1] joins samples 3 and 4 with grade -inf"),
        ((3, 4, 1.01), r"triples[1] joins samples 3 and 4 with grade 1.01; expected"),
    ],
)
def test_bad_values_are_named_in_lists_and_arrays(bad, message):
    for triples in ([GOOD, bad, GOOD], np.array([GOOD, bad, GOOD])):
        with pytest.raises(PairsError, match=re.escape(message)):
            PairSet.from_triples(triples, n_samples=150)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ((True, 3, 1), "triples[1] joins sample True; expected a whole number"),
        (("2", 3, 1), "triples[1] joins sample '2'; expected a whole number"),
        ((2, None, 1), "triples[1] joins sample None; expected a whole number"),
        ((2, 3, "alike"), "triples[1] has grade 'alike'; expected a number from -1"),
        ((2, 3, True), "triples[1] has grade True; expected a number from -1"),
        ((2, 3, 1j), "triples[1] has grade 1j; expected a number from -1"),
        ((2, 3), "triples[1] is (2, 3), expected (i, j, grade)"),
        (4, "triples[1] is 4, expected (i, j, grade)"),
    ],
)
def test_bad_kinds_are_named(bad, message):
    with pytest.raises(PairsError, match=re.escape(message)):
        PairSet.from_triples([GOOD, bad])


@pytest.mark.parametrize(
    ("triples", "message"),
    [
        (np.zeros((4, 2)), "triples has shape (4, 2), expected (n, 3)"),
        (np.zeros(3), "triples has shape (3,), expected (n, 3)"),
        (np.array([["0", "1", "1"]]), "triples[0] joins sample"),
        (np.array([[False, True, True]]), "triples[0] joins sample"),
        (5, "triples is 5, expected a list of (i, j, grade)"),
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
        (sparse.coo_array(np.eye(3)), "matrix[0] joins sample 0 to itself"),
        (
            sparse.coo_array(([2.0], ([0], [2])), shape=(3, 3)),
            "matrix[0] joins samples 0 and 2 with grade 2.0",
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
        ({"i": [0], "k": [1]}, {}, "frame has the columns i, k; expected i, j, grade"),
        (
            {"a": ["x", "w"], "b": ["y", "x"], "grade": [1, 1]},
            {"ids": ["x", "y"]},
            "frame[1] names 'w', which is not in data['code']",
        ),
        (
            {"a": ["x"], "b": ["y"], "grade": [1]},
            {"ids": ["x", "y", "x"]},
            "data['code'] holds 'x' in rows 0 and 2",
        ),
        (
            {"a": [1], "b": [2], "grade": [1]},
            {"ids": ["1", "2"]},
            "frame[0] names 1, which is not in data['code']",
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
        with pytest.raises(PairsError, match=r"frame\[1\] joins sample (nan|<NA>);"):
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


def test_other_things_than_tables_are_named():
    with pytest.raises(PairsError, match="matrix is a list, expected a sparse matrix"):
        PairSet.from_sparse([[0, 1], [1, 0]])
    with pytest.raises(PairsError, match="frame is a list, expected a DataFrame"):
        PairSet.from_frame([(0, 1, 1)])
    with pytest.raises(PairsError, match="memberships must be numbers"):
        PairSet.from_memberships([["a", "b"]], n_pairs=0)
