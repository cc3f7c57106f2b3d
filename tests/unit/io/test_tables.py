import gzip
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from fuzzypairs.exceptions import PairsError
from fuzzypairs.io.tables import Items, prepare, read_items, read_pairs, read_table

FRAME = pd.DataFrame(
    {
        "name": ["oak", "ash", "elm", "fir"],
        "acid": [1.5, None, 2.5, 0.1],
        "count": [3, 1, 4, 1],
        "soil": ["clay", "sand", None, "clay"],
        "old": [True, False, True, True],
        "picked": ["2020-01-01", "2020-01-03", "2020-01-02", "2020-02-01"],
    }
)


WRITERS = {
    "csv": lambda path: FRAME.to_csv(path, index=False),
    "tsv": lambda path: FRAME.to_csv(path, index=False, sep="\t"),
    "parquet": lambda path: FRAME.to_parquet(path),
    "jsonl": lambda path: FRAME.to_json(path, orient="records", lines=True),
    "ndjson": lambda path: FRAME.to_json(path, orient="records", lines=True),
}


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gz"])
@pytest.mark.parametrize("ending", WRITERS)
def test_every_format_gives_the_same_features(tmp_path, ending, packed):
    path = tmp_path / f"wines.{ending}"
    WRITERS[ending](path)
    if packed:
        data = path.read_bytes()
        path = path.with_name(path.name + ".gz")
        path.write_bytes(gzip.compress(data))

    items = read_items(path, id_column="name", truth="soil", drop=["count"])
    model, X = prepare(items)

    assert items.ids.tolist() == FRAME["name"].tolist()
    assert items.truth.tolist() == ["clay", "sand", None, "clay"]
    assert [(c.name, c.kind) for c in model.columns_] == [
        ("acid", "number"),
        ("old", "category"),
        ("picked", "date"),
    ]
    _, expected = prepare(Items(path, FRAME[["acid", "old", "picked"]]))
    np.testing.assert_allclose(X, expected, rtol=1e-12)


def test_ids_stay_as_they_are_written(tmp_path):
    data = write(tmp_path / "d.csv", "id,x\n007,1\n7,2\n0x7,3\n")
    pairs = write(tmp_path / "p.csv", "a,b,grade,note\n7,007,0.5,hm\n")
    items = read_items(data, id_column="id")

    assert items.ids.tolist() == ["007", "7", "0x7"]
    assert list(read_pairs(pairs, 3, items.ids)) == [(0, 1, 0.5)]


def test_numbers_as_ids_agree_between_formats(tmp_path):
    data = tmp_path / "d.parquet"
    pd.DataFrame({"id": [7.0, 8.0], "x": [1, 2]}).to_parquet(data)
    pairs = write(tmp_path / "p.jsonl", '{"a": 8, "b": "7", "grade": -1}\n')

    ids = read_items(data, id_column="id").ids
    assert list(read_pairs(pairs, 2, ids)) == [(0, 1, -1.0)]


def test_a_named_index_of_parquet_is_a_column(tmp_path):
    path = tmp_path / "d.parquet"
    FRAME.set_index("name").to_parquet(path)

    assert read_items(path, id_column="name").ids.tolist() == FRAME["name"].tolist()


def test_marks_of_spreadsheets_are_read(tmp_path):
    path = tmp_path / "d.csv"
    path.write_bytes("\ufeffx, y\r\n1, ?\r\n2, 3\r\n".encode())

    frame = read_table(path)
    assert list(frame.columns) == ["x", "y"]
    assert frame["y"].isna().tolist() == [True, False]


def test_pairs_by_row_number_keep_other_columns_out(tmp_path):
    path = write(tmp_path / "p.tsv", "annotator\tj\ti\tgrade\nAnn\t0\t2\t0.25\n")

    assert list(read_pairs(path, 3)) == [(0, 2, 0.25)]


def test_columns_can_be_kept_as_they_are_written(tmp_path):
    path = write(tmp_path / "d.csv", "code,x\n007,1\n7,2\n")

    items = read_items(path, text=["code", "absent"])

    assert items.features["code"].tolist() == ["007", "7"]
    assert items.features["x"].tolist() == [1, 2]


def test_the_preparation_knows_the_column_of_ids():
    frame = pd.DataFrame({"id": [1.0, 2.0, 4.0], "x": [3.0, 1.0, 2.0]})
    items = Items(Path("d.csv"), frame, id_column="id")

    preparation, X = prepare(items, scale=False)
    assert preparation.id_column == "id"
    np.testing.assert_array_equal(X, [[3.0], [1.0], [2.0]])


def test_errors_of_columns_name_the_file():
    items = Items(Path("wines.csv"), pd.DataFrame({"x": [1.0, np.inf]}))

    with pytest.raises(ValueError, match=r"^wines.csv: column 'x' holds inf in row 1"):
        prepare(items)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("d.csv", b"", "d.csv is empty"),
        ("d.csv", b"x,y\n", "d.csv has no rows"),
        ("d.csv", b"x,y\n1,2\n1,2,3\n", "d.csv cannot be read: .*line 3, saw 3"),
        (
            "d.csv",
            b"x,y\n1,2,3\n4,5,6\n",
            "d.csv cannot be read: rows have more fields than",
        ),
        ("d.csv", b"x,x\n1,2\n", "d.csv cannot be read: two columns are called 'x'"),
        (
            "d.csv",
            b"x;y\n1;2\n",
            "single column 'x;y': expected columns separated by c",
        ),
        (
            "d.tsv",
            b"x,y\n1,2\n",
            "single column 'x,y': expected columns separated by t",
        ),
        ("d.csv", b"x\n\xff\xfe\n", "d.csv is not text in UTF-8"),
        ("d.csv.gz", b"x\n1\n", "d.csv.gz cannot be read: Not a gzipped file"),
        (
            "d.csv.gz",
            gzip.compress(b"x\n" * 99, mtime=0)[:-9],
            "d.csv.gz cannot be read: Compr",
        ),
        ("d.parquet", b"PAR1 and no more", "d.parquet cannot be read: "),
        ("d.parquet", b"", "d.parquet cannot be read: "),
        (
            "d.jsonl",
            b'{"x": 1}\n{"x": \n',
            "d.jsonl cannot be read: row 1 is not JSON: Expect",
        ),
        (
            "d.jsonl",
            b"[1]\n",
            r"d.jsonl cannot be read: row 0 is \[1\], expected an object",
        ),
        ("d.jsonl", b"", "d.jsonl has no rows"),
        (
            "d.xlsx",
            b"PK",
            "d.xlsx has an unknown ending: expected .csv, .tsv, .parquet",
        ),
        ("data", b"x\n1\n", "data has an unknown ending"),
    ],
)
def test_bad_tables(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content)

    with pytest.raises(ValueError, match=message) as caught:
        read_table(path)
    assert "\n" not in str(caught.value)


def test_paths_that_are_no_files(tmp_path):
    with pytest.raises(IsADirectoryError, match="is a folder: name a file in it"):
        read_table(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"d.csv does not exist"):
        read_table(tmp_path / "d.csv")


def test_parquet_without_pyarrow_says_what_to_install(tmp_path, monkeypatch):
    path = tmp_path / "d.parquet"
    FRAME.to_parquet(path)
    monkeypatch.setitem(sys.modules, "pyarrow", None)

    with pytest.raises(ImportError, match=r"pip install 'fuzzypairs\[files\]'"):
        read_table(path)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"id_column": "no"}, "d.csv has no column 'no'; it has 'id', 'x', 'c', 'v'"),
        ({"truth": "no"}, "d.csv has no column 'no'"),
        ({"drop": ["no"]}, "d.csv has no column 'no'"),
        ({"drop": ["id", "x", "c", "v"]}, "d.csv has no column left to cluster by"),
        (
            {"id_column": "c"},
            "column 'c' holds 'a' in rows 0 and 2; an id must name one",
        ),
        ({"id_column": "x"}, "column 'x' has no id in row 1"),
        ({"id_column": "id", "truth": "id"}, "'id' of .*d.csv cannot be both id and t"),
        ({"truth": "v"}, "column 'v' holds no class at all"),
    ],
)
def test_bad_columns(tmp_path, arguments, message):
    path = write(tmp_path / "d.csv", "id,x,c,v\n1,5,a,\n2,,b,\n3,6,a,\n")

    with pytest.raises(ValueError, match=message):
        read_items(path, **arguments)


@pytest.mark.parametrize(
    ("text", "ids", "message"),
    [
        (
            "i,j\n0,1\n",
            None,
            "p.csv has no column 'grade', it has 'i', 'j': expected i,",
        ),
        (
            "a,b,grade\nu,v,1\n",
            None,
            "no column 'i', .*: .* or an id column of the data",
        ),
        (
            "i,j,grade\n0,1,1\n",
            "uvw",
            "no column 'a', .*: expected a, b, grade with ids",
        ),
        ("i,j,grade\n0,1,1\n0,3,1\n", None, "p.csv: row 1 joins sample 3 but X has 3 "),
        ("i,j,grade\n0,-1,1\n", None, "p.csv: row 0 joins sample -1"),
        ("i,j,grade\n1,1,1\n", None, "p.csv: row 0 joins sample 1 to itself"),
        ("i,j,grade\n0,1.5,1\n", None, "p.csv: row 0 joins sample 1.5"),
        ("i,j,grade\n0,,1\n", None, "p.csv: row 0 joins sample nan"),
        (
            "i,j,grade\n0,1,2\n",
            None,
            "p.csv: row 0 .* with grade 2.0; expected a number",
        ),
        ("i,j,grade\n0,1,\n", None, "p.csv: row 0 .* with grade nan"),
        (
            "i,j,grade\n0,1,1\n0,2,hi\n",
            None,
            "p.csv: column 'grade' holds 'hi' in row 1",
        ),
        ("i,j,grade\nx,1,1\n", None, "p.csv: column 'i' holds 'x' in row 0"),
        (
            "a,b,grade\nu,v,1\nu,z,1\n",
            "uvw",
            "row 1 names 'z' in column 'b', which is no",
        ),
        ("a,b,grade\nu,,1\n", "uvw", "p.csv: row 0 names nan in column 'b'"),
        ("a,b,grade\nu,u,1\n", "uvw", "p.csv: row 0 joins 'u' to itself"),
        ("a,b,grade\nu,w,2\n", "uvw", "p.csv: row 0 joins 'u' and 'w' with grade 2.0"),
    ],
)
def test_bad_pairs(tmp_path, text, ids, message):
    path = write(tmp_path / "p.csv", text)

    with pytest.raises(PairsError, match=message):
        read_pairs(path, 3, None if ids is None else np.array(list(ids), dtype=object))
