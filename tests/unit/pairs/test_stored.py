"""Judgements of an SQLite file: by ids, by row numbers, and refused files."""

import sqlite3
from contextlib import closing

import pytest

from fuzzypairs import PairSet
from fuzzypairs.exceptions import PairsError
from fuzzypairs.pairs.stored import copy_to_memory, is_store


@pytest.fixture
def write(tmp_path):
    """Return a function that writes judgements (a, b, grade), and where to."""

    def make(judged, **facts):
        path = tmp_path / "judged.db"
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("CREATE TABLE facts (name, value)")
            connection.execute("CREATE TABLE judgements (a, b, grade, annotator)")
            connection.execute("CREATE TABLE items (id, row, digest)")
            connection.executemany("INSERT INTO facts VALUES (?, ?)", facts.items())
            connection.executemany(
                "INSERT INTO judgements VALUES (?, ?, ?, 'Ann')", judged
            )
        return path

    return make


def test_ids_become_rows(write):
    path = write([("elm", "oak", 0.7), ("ash", "oak", -1.0)], id_column="name")
    pairs = PairSet.from_store(path, ids=["oak", "ash", "elm"])
    assert list(pairs) == [(0, 1, -1.0), (0, 2, 0.7)]
    assert pairs.n_samples == 3


def test_row_numbers_stay(write):
    path = write([("2", "0", 0.5)], n_rows="4")
    assert list(PairSet.from_store(path)) == [(0, 2, 0.5)]
    assert PairSet.from_store(path, n_samples=4).n_samples == 4


@pytest.mark.parametrize(
    ("facts", "options", "words"),
    [
        ({"id_column": "name"}, {}, "ids of column 'name': pass them"),
        ({"id_column": "name"}, {"ids": ["oak"]}, "judges 'elm', which is no id"),
        ({"n_rows": "4"}, {"n_samples": 3}, "4 rows, but the data have 3"),
    ],
)
def test_other_data_than_those_judged_are_refused(write, facts, options, words):
    with pytest.raises(PairsError, match=words):
        PairSet.from_store(write([("elm", "oak", 0.7)], **facts), **options)


def test_files_that_are_no_stores_are_refused(tmp_path):
    path = tmp_path / "judged.db"
    with pytest.raises(PairsError, match="does not exist: check the name"):
        PairSet.from_store(path)
    path.write_text("no database, though long enough to be read as one")
    with pytest.raises(PairsError, match="is no file of judgements"):
        PairSet.from_store(path)


@pytest.mark.parametrize(
    ("name", "expected"), [("a.db", True), ("a.SQLite", True), ("a.csv", False)]
)
def test_stores_are_told_by_their_names(name, expected):
    assert is_store(name) is expected


@pytest.mark.parametrize("mode", ["DELETE", "WAL"])
def test_nobody_waits_for_those_who_read_a_copy(write, mode):
    path = write([("elm", "oak", 0.7), ("ash", "oak", -1.0)])
    with (
        closing(sqlite3.connect(path, timeout=0)) as reader,
        closing(sqlite3.connect(path, timeout=0)) as writer,
    ):
        writer.execute(f"PRAGMA journal_mode = {mode}")
        with closing(copy_to_memory(reader)) as copy:
            found = copy.execute("SELECT grade FROM judgements ORDER BY grade")
            assert next(found) == (-1.0,)
            with writer:
                writer.execute("DELETE FROM judgements")
            assert next(found) == (0.7,)


def test_a_copy_does_not_wait_for_ever(write):
    path = write([])
    with (
        closing(sqlite3.connect(path, timeout=0)) as reader,
        closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as writer,
    ):
        writer.execute("BEGIN EXCLUSIVE")
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            copy_to_memory(reader)
