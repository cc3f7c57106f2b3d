"""Tables that go out."""

import gzip
import os
import sys
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzzypairs.tables.readers import TableFile
from fuzzypairs.tables.writing import escape_cell, unescape_cell, write_table, writer_of

COLUMNS = {"id": ["oak", "=1+2", "'a"], "u": [0.125, 1.0, 1 / 3], "n": [-1, 2, 3]}


def test_a_table_worked_by_hand(tmp_path):
    write_table(tmp_path / "t.csv", COLUMNS, decimals=2)
    write_table(tmp_path / "t.tsv", {"@x": ["a\tb"], "y": [None]})

    assert (tmp_path / "t.csv").read_text() == (
        "id,u,n\noak,0.12,-1\n'=1+2,1.00,2\n''a,0.33,3\n"
    )
    assert (tmp_path / "t.tsv").read_text() == '\'@x\ty\n"a\tb"\t\n'


@pytest.mark.parametrize("cell", ["=1", "+1", "-1", "@a", "\ta", "\ra", "\na", "'a"])
def test_cells_that_would_run_are_escaped(cell):
    assert escape_cell(cell) == f"'{cell}"


@pytest.mark.parametrize("cell", ["a=1", "", " =1", "1", -1, -0.5, None])
def test_other_cells_are_left_alone(cell):
    assert escape_cell(cell) is cell


@given(st.text())
def test_escaping_is_undone(text):
    escaped = escape_cell(text)

    assert unescape_cell(escaped) == text
    assert not escaped.startswith(("=", "+", "-", "@", "\t", "\r", "\n"))


@pytest.mark.parametrize("ending", ["parquet", "jsonl", "ndjson", "jsonl.gz"])
def test_other_formats_keep_everything(tmp_path, ending):
    path = tmp_path / f"t.{ending}"
    write_table(path, COLUMNS, decimals=2)

    found = TableFile(path).read()
    assert found["id"].tolist() == COLUMNS["id"]
    np.testing.assert_allclose(found["u"], COLUMNS["u"], rtol=1e-14)
    assert os.listdir(tmp_path) == [path.name]


def test_numbers_keep_all_their_digits(tmp_path):
    numbers = [1 / 3, 1e-300, -2.5e17]
    write_table(tmp_path / "t.csv.gz", {"x": numbers})

    text = gzip.decompress((tmp_path / "t.csv.gz").read_bytes()).decode()
    assert [float(line) for line in text.splitlines()[1:]] == numbers


def test_the_same_table_gives_the_same_file(tmp_path):
    for name in ("a.csv.gz", "b.csv.gz"):
        write_table(tmp_path / name, COLUMNS)

    assert (tmp_path / "a.csv.gz").read_bytes() == (tmp_path / "b.csv.gz").read_bytes()


def test_an_unknown_ending_is_told(tmp_path):
    with pytest.raises(ValueError, match=r"t.ods has an unknown ending: expected .csv"):
        write_table(tmp_path / "t.ods", COLUMNS)
    assert os.listdir(tmp_path) == []


def test_excel_holds_text_and_numbers_and_no_formula(tmp_path):
    text = ["=1+2", "#N/A", "a\x00b", "007"]
    columns = {
        "@name": text,
        "share": [0.123456789, float("nan"), float("inf"), 1.0],
        "second": pd.array([1, None, 3, 4], dtype="Int64"),
        "day": pd.to_datetime(["2020-01-02", None, "2020-01-03", "2020-01-04"]),
    }
    write_table(tmp_path / "t.xlsx", columns, decimals=3)

    book = openpyxl.load_workbook(tmp_path / "t.xlsx")
    rows = list(book["memberships"].iter_rows())
    assert [[cell.value for cell in row] for row in rows] == [
        ["@name", "share", "second", "day"],
        ["=1+2", 0.123, 1, "2020-01-02 00:00:00"],
        ["#N/A", None, None, None],
        ["ab", None, 3, "2020-01-03 00:00:00"],
        ["007", 1, 4, "2020-01-04 00:00:00"],
    ]
    assert {row[0].data_type for row in rows} == {"s"}


def test_excel_without_openpyxl_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "openpyxl", None)

    with pytest.raises(ImportError, match=r"pip install 'fuzzypairs\[excel\]'"):
        write_table(tmp_path / "t.xlsx", COLUMNS)


def test_excel_has_room_for_so_many_rows():
    writer_of(Path("t.xlsx"), 1_048_575)
    with pytest.raises(ValueError, match=r"1,048,576 rows but Excel files hold 1,048"):
        writer_of(Path("t.xlsx"), 1_048_576)


def test_parquet_without_pyarrow_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)

    with pytest.raises(ImportError, match=r"pip install 'fuzzypairs\[files\]'"):
        write_table(tmp_path / "t.parquet", COLUMNS)


def test_what_fails_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "t.csv"
    path.write_text("old")

    def fail(*_, **__):
        raise OSError("no space left")

    monkeypatch.setattr(pd.DataFrame, "to_csv", fail)

    with pytest.raises(OSError, match="no space left"):
        write_table(path, COLUMNS)
    assert path.read_text() == "old"
