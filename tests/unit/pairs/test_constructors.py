"""Ways to build a PairSet."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
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
