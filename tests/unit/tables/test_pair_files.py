import numpy as np
import pandas as pd
import pytest

from fuzzypairs.exceptions import PairsError, ReadingWarning
from fuzzypairs.tables.pair_files import open_pairs
from fuzzypairs.tables.table_files import read_items


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def read_pairs(path, n_samples, ids=None, scale=None):
    return open_pairs(path).resolve(n_samples, ids, scale)


def ids_of(names):
    return np.array(list(names), dtype=object)


def test_ids_stay_as_they_are_written(tmp_path):
    data = write(tmp_path / "d.csv", "id,x\n007,1\n7,2\n0x7,3\n")
    pairs = write(tmp_path / "p.csv", "a,b,grade,note\n7,007,0.5,hm\n7,0x7,-1,\n")
    items = read_items(data, id_column="id")

    assert items.ids.tolist() == ["007", "7", "0x7"]
    assert list(read_pairs(pairs, 3, items.ids)) == [(0, 1, 0.5), (1, 2, -1.0)]


def test_numbers_as_ids_agree_between_formats(tmp_path):
    data = tmp_path / "d.parquet"
    pd.DataFrame({"id": [7.0, 8.0], "x": [1, 2]}).to_parquet(data)
    ids = read_items(data, id_column="id").ids

    pairs = write(tmp_path / "p.jsonl", '{"a": 8, "b": "7", "grade": -1}\n')
    assert list(read_pairs(pairs, 2, ids)) == [(0, 1, -1.0)]
    pairs = write(tmp_path / "p.csv", "a,b,grade\n 8.0 ,7.0,-1\n")
    assert list(read_pairs(pairs, 2, ids)) == [(0, 1, -1.0)]


def test_annotators_are_judges(tmp_path, recwarn):
    text = "a,b,grade,Annotator\n7,8,1,Ann\n8,7,-1,Bob\n7,8,0.5,\n"
    pairs = read_pairs(write(tmp_path / "p.csv", text), 2, ids_of("78"))
    assert pairs.judge_names == ("", "Ann", "Bob")
    assert list(pairs) == [(0, 1, 0.5), (0, 1, 1.0), (0, 1, -1.0)]
    assert not recwarn  # nobody judged a pair twice


def test_pairs_by_row_number_keep_other_columns_out(tmp_path):
    path = write(tmp_path / "p.tsv", "annotator\tj\ti\tgrade\nAnn\t0\t2\t0.75\n")

    assert list(read_pairs(path, 3)) == [(0, 2, 0.75)]


@pytest.mark.parametrize(
    "names",
    ["a,b,grade", "Left,Right,Similarity", "id1,id2,score", "id_1,id_2,Rating",
     "item 1,item 2,judgement", "first,second,alike", "i,j,grade"],
)  # fmt: skip
def test_columns_have_other_names(tmp_path, names):
    path = write(tmp_path / "p.csv", f"{names}\nu,v,0.5\nw,u,-1\n")

    found = read_pairs(path, 3, ids_of("uvw"))
    assert list(found) == [(0, 1, 0.5), (0, 2, -1.0)]


@pytest.mark.filterwarnings("ignore::fuzzypairs.exceptions.ReadingWarning")
@pytest.mark.parametrize(
    ("grades", "scale", "expected"),
    [
        (["yes", "No"], None, [1, -1]),
        (["same", "different", "can't say"], None, [1, -1, 0]),
        (["alike", "unlike", "unsure"], None, [1, -1, 0]),
        (["TRUE", "FALSE"], None, [1, -1]),
        (["1", "0", "1"], None, [1, -1, 1]),
        (["0.8", "-0.6", "0"], None, [0.8, -0.6, 0]),
        (["1", "1"], None, [1, 1]),
        (["0.9", "0.5"], None, [0.9, 0.5]),
        (["+", "-", "?"], None, [1, -1, 0]),
        (["1", "3", "5"], None, [-1, 0, 1]),
        (["0", "75", "100"], None, [-1, 0.5, 1]),
        (["75 %", "20%", "maybe"], None, [0.5, -0.6, 0]),
        (["0.2", "0.75"], "0-1", [-0.6, 0.5]),
        (["0.2", "0.75"], "-1-1", [0.2, 0.75]),
        (["2", "3"], "1-5", [-0.5, 0]),
        (["1", "4", "7"], "1-7", [-1, 0, 1]),
        (["1", "0"], "-1-1", [1, 0]),
        (["1", "0"], "yes/no", [1, -1]),
    ],
)
def test_grades_as_people_write_them(tmp_path, grades, scale, expected):
    lines = [f"{n},{n + 1},{grade}\n" for n, grade in enumerate(grades)]
    path = write(tmp_path / "p.csv", "".join(["i,j,grade\n", *lines]))

    pairs = read_pairs(path, 9, scale=scale)
    np.testing.assert_allclose(pairs.grade, expected)


@pytest.mark.filterwarnings("ignore::fuzzypairs.exceptions.ReadingWarning")
def test_a_decimal_comma_is_read_in_grades(tmp_path):
    path = write(tmp_path / "p.csv", "i;j;grade\n0;1;0,8\n1;2;-0,5\n")

    assert read_pairs(path, 3).grade.tolist() == [0.8, -0.5]


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("0,1,0.5\n2,1,-1\n1,0,0.7\n", r"more than once, .*: 0 and 1 \(line 2 and lin"),
        (
            "0,1,0.5\n1,0,-0.7\n",
            r"both alike and unlike.*: 0 and 1 \(line 2 and line 3",
        ),
        ("0,1,0.5\n1,2,0.7\n", "no judgement says unlike"),
        ("0,1,-0.5\n1,2,-0.7\n", "no judgement says alike"),
        ("0,1,yes\n1,2,no\n", "grades were read as yes"),
        ("0,1,5\n1,2,1\n", "on the scale 1-5, brought to -1 to 1"),
        ("0,1,0.5\n1,2,\n0,2,-1\n", "1 judgements without a grade count as no opinion"),
        (
            "".join(f"{n},{n + 1},{n % 2 * 3 + 1}\n" for n in range(20)) + "0,9,0\n",
            "read on the scale 1-4, 0 as no opinion, brought to -1 to 1",
        ),
    ],
)
def test_what_an_author_may_not_have_meant_is_told(tmp_path, text, note):
    path = write(tmp_path / "p.csv", "i,j,grade\n" + text)

    with pytest.warns(ReadingWarning, match=note):
        read_pairs(path, 21)


@pytest.mark.parametrize(
    ("text", "ids", "message"),
    [
        ("i,j\n0,1\n", None, "p.csv has no column 'grade'; it has 'i', 'j': expected"),
        ("i,j,grad\n0,1,1\n", None, "no column 'grade', did you mean 'grad'"),
        ("p,q,grade\nu,v,1\n", None, "no column 'a'; it has 'p', 'q', 'grade'"),
        (
            "i,j,grade\n0,1,1\n0,3,-1\n",
            None,
            "line 3 names row '3': expected .* 0 to 2",
        ),
        ("i,j,grade\n1,2,1\n1,3,-1\n", None, "they seem to be counted from 1"),
        ("i,j,grade\n0,-1,1\n", None, "p.csv: line 2 names row '-1'"),
        ("i,j,grade\n1,1,1\n", None, "p.csv: line 2 joins '1' to itself"),
        ("i,j,grade\n0,1.5,1\n", None, "p.csv: line 2 names row '1.5'"),
        ("i,j,grade\n0,,1\n", None, "p.csv: line 2 names row nothing"),
        ("i,j,grade\n0,1,-2\n", None, "line 2 has grade -2; expected -1 .unlike. to 1"),
        ("i,j,grade\n0,1,\n", None, "p.csv: line 2 has no grade, and neither"),
        ("i,j,grade\n0,1,1\n0,2,hi\n", None, "line 3 has the grade 'hi': expected a n"),
        (
            "i,j,grade\n0,1,3\n0,2,yes\n",
            None,
            "has the grade .yes. but others are numbers",
        ),
        (
            "i,j,grade\n0,1,0.3\n0,2,0.8\n",
            None,
            "all grades lie in 0 to 1 .* --grade-s",
        ),
        ("i,j,grade\n0,1,2\n0,2,3\n", None, "grades run from 2 to 3: say on which"),
        ("i,j,grade\nx,1,1\n", None, "p.csv: line 2 names row 'x'"),
        ("a,b,grade\nu,v,1\nu,z,1\n", "uvw", "line 3 names 'z', which is no id of the"),
        ("a,b,grade\nu,,1\n", "uvw", "p.csv: line 2 has no id"),
        ("a,b,grade\nu,u,1\n", "uvw", "p.csv: line 2 joins 'u' to itself"),
        ("a,b,grade\noak,ahs,1\n", ["oak", "ash"], "names 'ahs', .*, did you mean 'as"),
    ],
)
def test_bad_pairs(tmp_path, text, ids, message):
    path = write(tmp_path / "p.csv", text)

    with pytest.raises(PairsError, match=message):
        read_pairs(path, 3, None if ids is None else ids_of(ids))


@pytest.mark.parametrize("scale", ["best", "5-1", "1-", "yes"])
def test_scales_that_are_none(tmp_path, scale):
    path = write(tmp_path / "p.csv", "i,j,grade\n0,1,1\n")

    with pytest.raises(PairsError, match=f"--grade-scale is '{scale}': expected one"):
        read_pairs(path, 3, scale=scale)
