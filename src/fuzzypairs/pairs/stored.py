"""Judgements in the SQLite file of the labelling page."""

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from fuzzypairs.exceptions import PairsError, sqlite_sentence
from fuzzypairs.validation import naming

__all__ = ["Stored", "copy_to_memory", "is_store", "open_store", "read_store"]

# Suffixes of such files.
ENDINGS = (".db", ".sqlite", ".sqlite3")


def is_store(path: str | PathLike[str]) -> bool:
    """Tell by its name whether a file holds stored judgements."""
    return Path(path).suffix.lower() in ENDINGS


class Stored(NamedTuple):
    """A file of judgements.

    Attributes
    ----------
    facts : dict of str to str
        About the data that were judged.
    judged : list of tuple of str, str, float, str and int
        Both names, the grade, the annotator, and the number of the answer.
    items : dict of str to tuple of int and str
        Rows and digests of judged items by their names.
    named : dict of str to str
        What people call clusters, by the name of an item of each.
    """

    facts: dict[str, str]
    judged: list[tuple[str, str, float, str, int]]
    items: dict[str, tuple[int, str]]
    named: dict[str, str]

    @property
    def answers(self) -> list[int] | None:
        """The answer of each judgement; None if all are answers of their own."""
        found = [answer for *_, answer in self.judged]
        return None if len(set(found)) == len(found) else found

    @property
    def names(self) -> list[str]:
        """What is judged, each once."""
        return list(dict.fromkeys(name for a, b, *_ in self.judged for name in (a, b)))

    @property
    def has_content(self) -> bool:
        """Whether it goes by row numbers, and knows the content of these rows."""
        by_row = not self.facts.get("id_column") and "columns" in self.facts
        return by_row and self.items.keys() >= set(self.names)


def read_store(
    path: str | PathLike[str], ids: Iterable[Any] | None, n_samples: int | None
) -> tuple[list[int], list[int], list[float], int, list[str], None, list[int] | None]:
    """Return what `PairSet` takes: of judges the annotators, of all judgements."""
    stored = open_store(path)
    column = stored.facts.get("id_column", "")
    if column and ids is None:
        raise PairsError(
            f"{path} goes by the ids of column {column!r}: pass them (--id {column})"
        )
    if ids is None:
        n_rows = int(stored.facts.get("n_rows", 0))
        if n_samples not in (None, n_rows):
            raise PairsError(
                f"{path} goes by row numbers of a table with {n_rows} rows, but the "
                f"data have {n_samples}: take the table that was judged, or label with "
                "--id"
            )
        place = {str(row): row for row in range(n_rows)}
        place |= {name: row for name, (row, _) in stored.items.items()}
        n_given = n_rows
    else:
        with naming("ids"):
            names = list(ids)
        place = {str(name): row for row, name in enumerate(names)}
        n_given = len(names) if n_samples is None else n_samples
    for name in stored.names:
        if name not in place:
            raise PairsError(
                f"{path} judges {name!r}, which is no id of the data (ids)"
            )
    return (
        [place[a] for a, *_ in stored.judged],
        [place[b] for _, b, *_ in stored.judged],
        [grade for *_, grade, _, _ in stored.judged],
        n_given,
        [annotator for *_, annotator, _ in stored.judged],
        None,
        stored.answers,
    )


def copy_to_memory(connection: sqlite3.Connection) -> sqlite3.Connection:
    """Return a copy of a database, which may be read for any time.

    Those who write wait until nobody reads. A copy takes a hundredth of the time of the
    views, in which a process of low priority could keep the others waiting for long.
    """
    connection.execute("BEGIN")
    # Waits as long as the connection may; the copy alone would wait for ever.
    connection.execute("SELECT 1 FROM sqlite_master").fetchone()
    copy = sqlite3.connect(":memory:")
    copy.row_factory = connection.row_factory
    connection.backup(copy)
    connection.execute("COMMIT")
    return copy


def open_store(path: str | PathLike[str]) -> Stored:
    """Return what a file of judgements holds."""
    if not Path(path).is_file():
        raise PairsError(f"path {path} does not exist: check the name")
    # Not opened read-only: what a killed process left must be rolled back first.
    try:
        with (
            closing(sqlite3.connect(path, timeout=10)) as connection,
            closing(copy_to_memory(connection)) as copy,
        ):
            facts = dict(copy.execute("SELECT name, value FROM facts"))
            # Files of versions that knew no answers to several pairs.
            known = [row[1] for row in copy.execute("PRAGMA table_info(judgements)")]
            answer = "answer" if "answer" in known else "row_number() OVER ()"
            judged = copy.execute(
                f"SELECT a, b, grade, annotator, {answer} FROM judgements"
            ).fetchall()
            items = copy.execute("SELECT id, row, digest FROM items").fetchall()
            # Files of versions that knew no names of clusters have no table of them.
            known = copy.execute("PRAGMA table_info(cluster_names)").fetchall()
            called = "SELECT id, name FROM cluster_names" if known else ""
            named = dict(copy.execute(called))
    except sqlite3.Error as error:
        raise PairsError(sqlite_sentence(path, error)) from None
    known_items = {name: (row, digest) for name, row, digest in items}
    return Stored(facts, judged, known_items, named)
