"""Judgements in the SQLite file of the labelling page."""

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from os import PathLike
from pathlib import Path
from typing import Any

from fuzzypairs.exceptions import PairsError, sqlite_sentence
from fuzzypairs.validation import naming

__all__ = ["copy_to_memory", "is_store", "read_store", "stored_ids"]

# Suffixes of such files.
ENDINGS = (".db", ".sqlite", ".sqlite3")


def is_store(path: str | PathLike[str]) -> bool:
    """Tell by its name whether a file holds stored judgements."""
    return Path(path).suffix.lower() in ENDINGS


def stored_ids(path: str | PathLike[str]) -> list[str] | None:
    """Return the ids that stored judgements name; None if they name row numbers."""
    facts, judged = _read(Path(path))
    if not facts.get("id_column"):
        return None
    return list(dict.fromkeys(name for a, b, _ in judged for name in (a, b)))


def read_store(
    path: str | PathLike[str], ids: Iterable[Any] | None, n_samples: int | None
) -> tuple[list[int], list[int], list[float], int]:
    """Return both rows and the grade of each judgement, and the number of samples."""
    facts, judged = _read(Path(path))
    column, n_rows = facts.get("id_column", ""), int(facts.get("n_rows", 0))
    if column and ids is None:
        raise PairsError(
            f"{path} goes by the ids of column {column!r}: pass them (--id {column})"
        )
    with naming("ids"):
        names = range(n_rows) if not column or ids is None else list(ids)
    n_given = n_samples if n_samples is not None else len(names)
    if not column and n_given != n_rows:
        raise PairsError(
            f"{path} goes by row numbers of a table with {n_rows} rows, but the data "
            f"have {n_given}: take the table that was judged, or label with --id"
        )
    place = {str(name): row for row, name in enumerate(names)}
    for name in (name for a, b, _ in judged for name in (a, b)):
        if name not in place:
            raise PairsError(
                f"{path} judges {name!r}, which is no id of the data (ids)"
            )
    return (
        [place[a] for a, _, _ in judged],
        [place[b] for _, b, _ in judged],
        [grade for *_, grade in judged],
        n_given,
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


def _read(path: Path) -> tuple[dict[str, str], list[tuple[str, str, float]]]:
    """Return facts about the data that were judged, and the judgements."""
    if not path.is_file():
        raise PairsError(f"path {path} does not exist: check the name")
    # Not opened read-only: what a killed process left must be rolled back first.
    try:
        with (
            closing(sqlite3.connect(path, timeout=10)) as connection,
            closing(copy_to_memory(connection)) as copy,
        ):
            facts = dict(copy.execute("SELECT name, value FROM facts"))
            judged = copy.execute("SELECT a, b, grade FROM judgements").fetchall()
    except sqlite3.Error as error:
        raise PairsError(sqlite_sentence(path, error)) from None
    return facts, judged
