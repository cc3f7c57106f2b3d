"""The rows that judgements by row number are about, found by their content."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fuzzypairs._typing import Ints
from fuzzypairs.exceptions import PairsError
from fuzzypairs.pairs import PairSet
from fuzzypairs.pairs.stored import Stored, open_store
from fuzzypairs.tables.columns import as_text, listed
from fuzzypairs.tables.readers import TableFile
from fuzzypairs.tables.table_files import Items

__all__ = [
    "Hits",
    "Wanted",
    "digest_rows",
    "find_rows",
    "judged_columns",
    "pairs_of_rows",
    "read_stored",
]


class Wanted(NamedTuple):
    """The content of judged rows: what a file of judgements knows of them.

    Attributes
    ----------
    path : str or path-like
        The file of judgements.
    items : dict of str to tuple of int and str
        Rows as they were, and digests of their cells, by the names of the file.
    columns, text : sequence of str
        Columns of the table, and those that were read as they are written.
    """

    path: str | PathLike[str]
    items: Mapping[str, tuple[int, str]]
    columns: Sequence[str]
    text: Sequence[str]

    @classmethod
    def of(cls, path: str | PathLike[str], stored: Stored) -> "Wanted":
        """Return what a file of judgements by row number knows of the rows."""
        items = {name: stored.items[name] for name in stored.names}
        return cls(path, items, *judged_columns(path, stored.facts))

    def hits(self, frame: pd.DataFrame) -> "Hits":
        """Return the rows of a table, or of a part of it, that may be judged ones."""
        if gone := [name for name in self.columns if name not in frame]:
            raise PairsError(self.worded(f"it has no columns {listed(gone)}"))
        return self.among(digest_rows(frame[list(self.columns)]))

    def among(self, digests: NDArray[np.uint64]) -> "Hits":
        """Return the rows of these digests that may be judged ones."""
        known = [int(digest, 16) for _, digest in self.items.values()]
        rows = np.flatnonzero(np.isin(digests, np.array(known, dtype=np.uint64)))
        return Hits(len(digests), rows, digests[rows])

    def worded(self, said: str) -> str:
        """Return an error about a table that is not the one that was judged."""
        return (
            f"{self.path} goes by row numbers, and the table is not the one that was "
            f"judged: {said}. Take the table as it was judged; judgements with --id "
            "find rows by a column that names them"
        )


class Hits(NamedTuple):
    """Rows with a digest of a judged row, in a table or a part of it of `n_rows`."""

    n_rows: int
    rows: Ints
    digests: NDArray[np.uint64]


def judged_columns(
    path: str | PathLike[str], facts: Mapping[str, str]
) -> list[list[str]]:
    """Return the columns that were judged, and those that were read as written."""
    try:
        lists = [json.loads(facts.get(name, "[]")) for name in ("columns", "text")]
    except (ValueError, TypeError):
        lists = []
    if not lists or not all(isinstance(found, list) for found in lists):
        raise PairsError(
            f"{path} does not say which columns were judged: another program changed it"
        )
    return lists


def digest_rows(frame: pd.DataFrame) -> NDArray[np.uint64]:
    """Return a digest of the cells of each row."""
    words = {name: as_text(frame[name]).fillna("").astype(object) for name in frame}
    hashed = pd.util.hash_pandas_object(pd.DataFrame(words), index=False)
    return np.asarray(hashed, dtype=np.uint64)


def find_rows(wanted: Wanted, parts: Iterable[Hits]) -> dict[str, int]:
    """Return where the judged rows are: where they were, or where their content is.

    Rows that are not all where they were must each be the only one of their content.
    """
    places: defaultdict[int, list[int]] = defaultdict(list)
    first = 0
    for part in parts:
        for row, digest in zip(part.rows.tolist(), part.digests.tolist(), strict=True):
            places[digest].append(first + row)
        first += part.n_rows
    held = {name: places[int(digest, 16)] for name, (_, digest) in wanted.items.items()}
    were = {name: row for name, (row, _) in wanted.items.items()}
    if all(were[name] in rows for name, rows in held.items()):
        return were
    lost = sorted(were[name] for name, rows in held.items() if not rows)
    several = sorted(were[name] for name, rows in held.items() if len(rows) > 1)
    if lost or several:
        kinds = ((lost, "are not in it"), (several, "are in it more than once"))
        said = [
            f"{len(rows)} judged rows {what} (row {', '.join(map(str, rows[:3]))}"
            f"{', ...' * (len(rows) > 3)}, counted from 0)"
            for rows, what in kinds
            if rows
        ]
        raise PairsError(wanted.worded("; ".join(said)))
    return {name: rows[0] for name, rows in held.items()}


def pairs_of_rows(wanted: Wanted, parts: Callable[[Wanted], Sequence[Hits]]) -> PairSet:
    """Return judgements by row number about the rows of another table."""
    hits = parts(wanted)
    place = find_rows(wanted, hits)
    found = PairSet.from_store(wanted.path, ids=list(place))
    rows = np.array(list(place.values()), dtype=np.int64)
    n_rows = sum(part.n_rows for part in hits)
    return replace(found, i=rows[found.i], j=rows[found.j], n_samples=n_rows)


def read_stored(
    path: str | PathLike[str],
    items: Items,
    digests: Callable[[], NDArray[np.uint64]] | None = None,
) -> tuple[PairSet, dict[int, str]]:
    """Read judgements about the rows of a data file, and names of clusters by a row.

    Rows that are known by their content are those of a table or, where no columns were
    judged, items with these digests.
    """
    stored = open_store(path)
    column, used = stored.facts.get("id_column", ""), items.id_column
    # A column of another name may be the same one, but not beside it.
    if (
        column != used
        and used is not None
        and column in items.features.join(items.others)
    ):
        raise PairsError(
            f"{path} goes by the ids of column {column!r}, not of {used!r}: take --id "
            f"{column}"
        )
    names = range(items.n_rows) if items.ids is None else items.ids
    place = {str(name): row for row, name in enumerate(names)}
    if not stored.has_content:
        pairs = PairSet.from_store(path, ids=items.ids, n_samples=items.n_rows)
    else:
        wanted = Wanted.of(path, stored)
        if digests is None or wanted.columns:
            table = items.file or TableFile(items.path)
            hits = [wanted.hits(table.read(wanted.text))]
        else:
            hits = [wanted.among(digests())]
        pairs, found = pairs_of_rows(wanted, lambda _: hits), find_rows(wanted, hits)
        # Of a table in another order only the judged rows are known.
        were = {name: row for name, (row, _) in wanted.items.items()}
        place = place if found == were else found
    named = {place[name]: n for name, n in stored.named.items() if name in place}
    return pairs, named
