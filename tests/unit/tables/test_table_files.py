import gzip
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from fuzzypairs.exceptions import ReadingWarning
from fuzzypairs.tables.readers import TableFile
from fuzzypairs.tables.table_files import (
    Items,
    open_table,
    prepare,
    read_items,
    set_apart,
)

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
    "txt": lambda path: FRAME.to_csv(path, index=False, sep="|"),
    "xlsx": lambda path: FRAME.to_excel(path, index=False),
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
    model, X, _ = prepare(items)

    assert items.ids.tolist() == FRAME["name"].tolist()
    assert items.truth.tolist() == ["clay", "sand", None, "clay"]
    assert [(c.name, c.kind) for c in model.columns_] == [
        ("acid", "number"),
        ("old", "category"),
        ("picked", "date"),
    ]
    _, expected, _ = prepare(Items(path, FRAME[["acid", "old", "picked"]]))
    np.testing.assert_allclose(X, expected, rtol=1e-12)


def test_a_named_index_of_parquet_is_a_column(tmp_path):
    path = tmp_path / "d.parquet"
    FRAME.set_index("name").to_parquet(path)

    assert read_items(path, id_column="name").ids.tolist() == FRAME["name"].tolist()


def test_marks_of_spreadsheets_are_read(tmp_path):
    path = tmp_path / "d.csv"
    path.write_bytes("\ufeffx, y\r\n1, ?\r\n2, 3\r\n".encode())

    frame = open_table(path).read()
    assert list(frame.columns) == ["x", "y"]
    assert frame["y"].isna().tolist() == [True, False]


def test_columns_can_be_kept_as_they_are_written(tmp_path):
    path = write(tmp_path / "d.csv", "code,x\n007,1\n7,2\n")

    items = read_items(path, text=["code", "absent"])

    assert items.features["code"].tolist() == ["007", "7"]
    assert items.features["x"].tolist() == [1, 2]


def test_one_column_may_be_id_and_text(tmp_path):
    path = write(tmp_path / "d.csv", "text\n007\n7\n")

    items = read_items(path, id_column="text", text=["text"])

    assert items.ids.tolist() == items.features["text"].tolist() == ["007", "7"]


def test_the_preparation_knows_the_column_of_ids():
    frame = pd.DataFrame({"id": [1.0, 2.0, 4.0], "x": [3.0, 1.0, 2.0]})
    items = Items(Path("d.csv"), frame, id_column="id")

    preparation, X, _ = prepare(items, scale=False)
    assert preparation.id_column == "id"
    np.testing.assert_array_equal(X, [[3.0], [1.0], [2.0]])


def test_errors_of_columns_name_the_line(tmp_path):
    path = write(tmp_path / "d.csv", "# n\nx\n1\ninf\n2\n")

    with pytest.raises(ValueError, match=r"d.csv: column 'x' holds inf in line 4: exp"):
        prepare(read_items(path))


def test_a_file_is_read_once(tmp_path):
    path = write(tmp_path / "d.csv", "id,x\n007,1\n7,inf\n8,2\n")
    file = TableFile(path)
    path.unlink()

    items = set_apart(file.read(["id"]), file, id_column="id")

    assert items.ids.tolist() == ["007", "7", "8"]
    assert file.read()["id"].tolist() == [7, 7, 8]
    with pytest.raises(ValueError, match="holds inf in line 3"):
        prepare(items)


def test_errors_of_columns_name_the_file():
    items = Items(Path("wines.csv"), pd.DataFrame({"x": [1.0, np.inf]}))

    with pytest.raises(ValueError, match=r"^wines.csv: column 'x' holds inf in row 1"):
        prepare(items)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("d.csv", b"", "d.csv is empty"),
        ("d.csv", b"x,y\n", "d.csv has no rows"),
        ("d.csv", b"x,y\n1,2\n1,2,3\n", "line 3 has 3 fields but there are 2 columns"),
        ("d.csv", b"x,y\n1,2,3\n4,5,6\n", "line 2 has 3 fields but there are 2"),
        ("d.csv", b'#n\nx,y\n"a\nb",2\n\n1,2,3\n', "line 6 has 3 fields"),
        ("d.csv", b'x,y\n1,2\n"3,4\n5,6\n', "quote that opens in line 3 is never"),
        ("d.csv", b'x,y\n1,2\n"\n', "quote that opens in line 3 is never"),
        ("d.csv", b',\n"', "quote that opens in line 2 is never"),
        ("d.csv", b"x,x\n1,2\n", "d.csv cannot be read: two columns are called 'x'"),
        (
            "d.csv",
            b"5.1,3.5\n4.9,3.0\n",
            "first line holds numbers .5.1, 3.5.: expected",
        ),
        ("d.csv", b"x\n\xff\xfe\x00\n", "d.csv cannot be read: it is not text"),
        ("d.csv", b"\xff\xfex\x00\n", "d.csv cannot be read: it is not text"),
        ("d.csv.gz", b"x\n1\n", "d.csv.gz cannot be read: Not a gzipped file"),
        (
            "d.csv.gz",
            gzip.compress(b"x\n" * 99, mtime=0)[:-9],
            "d.csv.gz cannot be read: Compr",
        ),
        ("d.parquet", b"PAR1 and no more", "d.parquet cannot be read: "),
        ("d.parquet", b"", "d.parquet cannot be read: "),
        ("d.jsonl", b'{"x": 1}\n\n{"x": \n', "d.jsonl .*: line 3 is not JSON: Expect"),
        ("d.jsonl", b"[1]\n", r"line 1 is \[1\], expected an object"),
        ("d.jsonl", b"", "d.jsonl has no rows"),
        ("d.xlsx", b"PK", "d.xlsx cannot be read: it is no workbook"),
        ("d.xls", b"PK", "d.xls ends in .xls: save it as .xlsx"),
        ("data", b"x\n1\n", "data has an unknown ending: expected .csv, .tsv, .txt"),
    ],
)
def test_bad_tables(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content)

    with pytest.raises(ValueError, match=message) as caught:
        open_table(path).read()
    assert "\n" not in str(caught.value)


def test_paths_that_are_no_files(tmp_path):
    with pytest.raises(IsADirectoryError, match="is a folder: name a file in it"):
        open_table(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"d.csv does not exist"):
        open_table(tmp_path / "d.csv")


def test_parquet_without_pyarrow_says_what_to_install(tmp_path, monkeypatch):
    path = tmp_path / "d.parquet"
    FRAME.to_parquet(path)
    monkeypatch.setitem(sys.modules, "pyarrow", None)

    with pytest.raises(ImportError, match=r"pip install 'fuzzypairs\[files\]'"):
        open_table(path).read()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"id_column": "no"}, "d.csv has no column 'no'; it has 'id', 'x', 'c', 'v'"),
        ({"truth": "idd"}, "d.csv has no column 'idd', did you mean 'id'"),
        ({"truth": "no"}, "d.csv has no column 'no'"),
        ({"drop": ["no"]}, "d.csv has no column 'no'"),
        ({"drop": ["id", "x", "c", "v"]}, "d.csv has no column left to cluster by"),
        (
            {"id_column": "c"},
            "column 'c' holds 'a' in line 2 and line 4; an id must name one",
        ),
        ({"id_column": "x"}, "column 'x' has no id in line 3"),
        ({"id_column": "id", "truth": "id"}, "'id' of .*d.csv cannot be both id and t"),
        ({"truth": "v"}, "column 'v' holds no class at all"),
    ],
)
def test_bad_columns(tmp_path, arguments, message):
    path = write(tmp_path / "d.csv", "id,x,c,v\n1,5,a,\n2,,b,\n3,6,a,\n")

    with pytest.raises(ValueError, match=message):
        read_items(path, **arguments)


GERMAN = "Nr;Größe;Preis\n1;1,5;1.234,50\n2;2,25;99,00\n"


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"]
)
@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_encoding_delimiter_and_decimal_comma_are_found(tmp_path, encoding, delimiter):
    path = tmp_path / "d.csv"
    path.write_bytes(GERMAN.replace(";", delimiter).encode(encoding))

    with pytest.warns(ReadingWarning, match=r"d.csv was read as .* decimal commas"):
        frame = open_table(path).read()

    assert list(frame) == ["Nr", "Größe", "Preis"]
    assert frame["Größe"].tolist() == [1.5, 2.25]
    assert frame["Preis"].tolist() == [1234.5, 99.0]


@pytest.mark.parametrize("ending", ["xlsx", "jsonl", "parquet"])
def test_words_with_decimal_commas_are_read_from_every_format(tmp_path, ending):
    frame = pd.DataFrame({"code": ["007", "7"], "price": ["7.479,54 €", "k.A."]})
    frame["tags"] = ["a", "1,5"]
    path = tmp_path / f"d.{ending}"
    if ending == "jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        getattr(frame, {"xlsx": "to_excel"}.get(ending, "to_parquet"))(
            path, index=False
        )

    found = open_table(path).read(["code", "tags"])
    assert found["price"][0] == "7479.54 €"
    assert found["code"].tolist() == ["007", "7"]
    assert found["tags"].tolist() == ["a", "1,5"]


def test_a_plain_file_is_read_without_a_word(tmp_path):
    frame = open_table(
        write(tmp_path / "d.csv", 'x,n,d\n1.5,"1,234",2020-01-01\n')
    ).read()

    assert frame["n"].tolist() == [1234.0]


def test_lines_are_counted_as_an_editor_does(tmp_path):
    path = write(tmp_path / "d.csv", '# by Ann\nx,y\n1,"a\nb"\n\n# checked\n2,c\n')

    assert open_table(path).read()["x"].tolist() == [1, 2]
    assert [TableFile(path).place(row) for row in (0, 1)] == ["line 3", "line 7"]


@pytest.mark.parametrize(
    ("text", "names", "n_rows"),
    [
        ("#id,x\n1,2\n2,3\n", ["id", "x"], 2),
        ("# trees, by Ann\nid,x\n#1,2\n#2,3\n", ["id", "x"], 2),
        ("x;y\n1;2\n# the end\n", ["x", "y"], 1),
    ],
)
@pytest.mark.filterwarnings("ignore::fuzzypairs.exceptions.ReadingWarning")
def test_comments_are_told_from_names_and_rows(tmp_path, text, names, n_rows):
    frame = open_table(write(tmp_path / "d.csv", text)).read()

    assert (list(frame), len(frame)) == (names, n_rows)


def test_a_workbook_may_have_a_title_and_further_sheets(tmp_path):
    path = tmp_path / "d.xlsx"
    with pd.ExcelWriter(path) as book:
        FRAME.to_excel(book, sheet_name="wines", index=False, startrow=3)
        FRAME.to_excel(book, sheet_name="notes")
        book.sheets["wines"]["A1"] = "Our wines"

    with pytest.warns(ReadingWarning, match="has the sheets notes too"):
        frame = open_table(path).read()

    assert list(frame) == list(FRAME)
    assert frame["acid"].tolist()[2:] == [2.5, 0.1]
    assert TableFile(path).place(0) == "row 5"


def test_rows_of_a_workbook_are_counted_with_empty_ones(tmp_path):
    path = tmp_path / "d.xlsx"
    frame = pd.DataFrame({"x": [1, None, 3], "y": [4, None, 6]})
    frame.to_excel(path, index=False)

    assert open_table(path).read()["x"].tolist() == [1, 3]
    assert [TableFile(path).place(row) for row in (0, 1)] == ["row 2", "row 4"]


def test_columns_of_spaces_are_read_from_text(tmp_path):
    path = write(tmp_path / "d.txt", "x   y\n1   2\n3 4\n")

    assert open_table(path).read().to_dict("list") == {"x": [1, 3], "y": [2, 4]}
