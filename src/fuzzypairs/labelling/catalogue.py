"""The items of a user's data as people see them: cells, texts and pictures."""

import difflib
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import count, groupby
from operator import itemgetter
from typing import Any, Self

import numpy as np
import pandas as pd

from fuzzypairs._typing import Floats
from fuzzypairs.analysis.rows import Rows
from fuzzypairs.items import ItemSet, shorten
from fuzzypairs.labelling.store import Item, Store, StoreError
from fuzzypairs.tables.columns import as_text, listed
from fuzzypairs.tables.features import ColumnRecord
from fuzzypairs.tables.judged_rows import (
    Hits,
    Wanted,
    digest_rows,
    find_rows,
    judged_columns,
)
from fuzzypairs.tables.table_files import Items

__all__ = ["Catalogue", "as_judged", "data_changes", "described_columns"]

# A difference of two numbers is large from this share of their standard deviation on.
LARGE = 0.75
UNJUDGED = "items that were not judged have changed"
# The longest text that is shown, and compared word by word; a longer one is cut.
LONGEST_TEXT, COMPARED_WORDS = 20_000, 1500
# Texts that share this part of their words are alike; words that say something are not
# shorter.
ALIKE, LONG_WORD = 0.6, 4
# The longest text of a card.
ON_CARD = 160
# What stores call the names of rows that are in no column: files, or keys of arrays.
NAMES = "file"


@dataclass(frozen=True, eq=False)
class Catalogue:
    """The rows of a user's data, and how they are shown.

    Attributes
    ----------
    items : Items
        The table; its features are the columns to cluster by.
    shown : DataFrame of shape (n_rows, n_columns)
        The columns to show, and that of the items if they are in a column.
    media : ItemSet or None
        Pictures, texts or embeddings; None for rows of a table.
    column : str or None
        The column of `shown` that holds texts, or names of pictures.
    names : list of str or None
        What a store calls the rows where they have no ids; None for row numbers.
    """

    items: Items
    shown: pd.DataFrame
    media: ItemSet | None = None
    column: str | None = None
    names: list[str] | None = field(default=None, repr=False)

    @classmethod
    def of_rows(cls, rows: Rows) -> Self:
        """Show all columns that are not set apart, and the items."""
        column = getattr(rows.preparation, "column", None)
        shown = rows.table
        if rows.items is None or rows.items.kind == "embedding":
            return cls(rows.source, shown, rows.items)
        if column is not None:
            shown = shown.assign(**{column: rows.source.others[column]})
        return cls(rows.source, shown, rows.items, column)

    def __len__(self) -> int:
        return self.items.n_rows

    @cached_property
    def ids(self) -> list[str]:
        """Ids of the rows as text; row numbers where the table has none."""
        ids = self.names if self.items.ids is None else self.items.ids
        return [str(name) for name in (range(len(self)) if ids is None else ids)]

    @cached_property
    def _words(self) -> dict[str, list[str]]:
        """The cells as text, by column; empty where missing."""
        return {
            str(name): as_text(self.shown[name]).fillna("").astype(str).tolist()
            for name in self.shown
        }

    @cached_property
    def _spreads(self) -> dict[str, tuple[Floats, float]]:
        """Numbers and their standard deviations, of columns that hold numbers."""
        found = {}
        for name in self.shown.select_dtypes("number"):
            values = self.shown[name].to_numpy(dtype=np.float64, na_value=np.nan)
            spread = float(np.nanstd(values)) if np.isfinite(values).any() else 0.0
            if spread > 0:
                found[str(name)] = (values, spread)
        return found

    @cached_property
    def digests(self) -> list[str]:
        """A digest of each row: of its cells, or of the item itself."""
        if self.media is None or len(self.shown.columns):
            found = digest_rows(self.shown)
        else:
            found = self.media.digests()
        return [f"{value:016x}" for value in found.tolist()]

    @property
    def table(self) -> pd.DataFrame:
        """All columns, also those that are not shown."""
        others = self.items.others
        return self.shown.join(others[[n for n in others if n not in self.shown]])

    def hits(self, wanted: Wanted) -> Hits:
        """Return the rows that may be judged ones, by their content."""
        if wanted.columns or self.media is None:
            return wanted.hits(self.table)
        return wanted.among(self.media.digests())

    @property
    def has_pictures(self) -> bool:
        """Whether items are pictures."""
        return self.media is not None and self.media.kind == "picture"

    @property
    def texts(self) -> list[str] | None:
        """The texts that the items are; None if they are none."""
        is_text = self.media is not None and self.media.kind == "text"
        return self.media.values if is_text and self.media else None

    def item(self, row: int) -> Item:
        """Return what the store keeps of a row."""
        return Item(self.ids[row], row, self.digests[row])

    def facts(self) -> dict[str, str]:
        """Return the fingerprint of the table."""
        columns = json.dumps([str(name) for name in self.shown])
        has_ids = self.items.ids is not None
        ids = self.ids if has_ids else map(str, range(len(self)))
        rows = map(" ".join, zip(ids, self.digests, strict=True))
        every = "\n".join([columns, *rows])
        return {
            "id_column": self.items.id_column or (NAMES if has_ids else ""),
            "n_rows": str(len(self)),
            "columns": columns,
            "text": json.dumps([] if self.column is None else [self.column]),
            "digest": hashlib.sha256(every.encode()).hexdigest(),
            "name": self.items.path.name,
        }

    def name(self, row: int) -> str:
        """Return what a row is called."""
        return self.ids[row] if self.items.ids is not None else f"row {row}"

    def card(self, row: int) -> dict[str, Any]:
        """Return one item as the page shows it alone."""
        texts = self.texts
        return {
            "row": row,
            "name": self.name(row),
            "picture": self.has_pictures,
            "text": "" if texts is None else shorten(texts[row], ON_CARD),
        }

    def whole(self, row: int) -> dict[str, Any]:
        """Return one item with its text and cells, as it is sorted into piles."""
        texts = self.texts
        return self.card(row) | {
            "text": "" if texts is None else texts[row][:LONGEST_TEXT],
            "cells": [
                (name, words[row][:ON_CARD])
                for name, words in self._words.items()
                if name != self.column
            ],
        }

    def pair(self, left: int, right: int) -> dict[str, Any]:
        """Return two items as they are shown side by side, differences marked.

        A cell is marked 0 if it is the same, 1 if it differs, and 2 if numbers differ
        much or words differ. Texts are lists of pieces, see `compare_texts`.
        """
        cells = [
            {
                "column": name,
                "left": words[left][:LONGEST_TEXT],
                "right": words[right][:LONGEST_TEXT],
                "differs": self._differs(name, left, right),
            }
            for name, words in self._words.items()
            if name != self.column
        ]
        shown: dict[str, Any] = {
            "left": self.card(left),
            "right": self.card(right),
            "cells": cells,
            "texts": None,
        }
        if (texts := self.texts) is not None:
            shown["texts"] = compare_texts(texts[left], texts[right])
        return shown

    def _differs(self, name: str, left: int, right: int) -> int:
        words = self._words[name]
        if words[left] == words[right]:
            return 0
        if name in self._spreads:
            values, spread = self._spreads[name]
            gap = abs(values[left] - values[right])
            return 1 if gap < LARGE * spread else 2
        return 2

    def picture(self, row: int) -> tuple[bytes, str] | None:
        """Return the bytes and the type of the picture of a row, or None."""
        if not self.has_pictures or self.media is None:
            return None
        try:
            return self.media.picture(row)
        except (OSError, ValueError):
            return None

    def picture_path(self, row: int) -> str:
        """Return the file of a picture; "" if there is none."""
        if self.picture(row) is None or self.media is None:
            return ""
        value = self.media.values[row]
        return value if isinstance(value, str) else ""


def described_columns(rows: Rows) -> tuple[pd.DataFrame, Sequence[ColumnRecord]]:
    """Return the columns that can set clusters apart, and what was done to them."""
    table = rows.source.features
    known = set(map(str, table))
    return table, [column for column in rows.columns if column.name in known]


def as_judged(store: Store, catalogue: Catalogue) -> tuple[Catalogue, list[str]]:
    """Return a table with the names that a store has for its rows, and what changed.

    Names are ids. Where judgements go by row numbers, rows keep those under which they
    were first judged, also if they are found elsewhere in the table.

    Returns
    -------
    catalogue : Catalogue
    changes : list of str
        How the table differs from the one that was judged: sentences, none if it is
        the same or if the store is new.
    """
    old, new = store.facts(), catalogue.facts()
    items = {item.id: (item.row, item.digest) for item in store.items()}
    if not items or not old:
        if old != new:
            store.set_facts(new)
        return catalogue, []
    columns, text = judged_columns(store.path, old)
    old = dict.fromkeys(new, "") | old
    is_renamed = "" not in (old["id_column"], new["id_column"])
    is_renamed &= old["id_column"] not in catalogue.table
    if old["id_column"] != new["id_column"] and not is_renamed:
        judged = f"--id {old['id_column']}" if old["id_column"] else "no --id"
        now = f"--id {new['id_column']}" if new["id_column"] else "no --id"
        raise StoreError(
            f"{store.path} was judged with {judged}, but {now} is given: the rows have "
            "other names; start as before, or name another file by --db"
        )
    if old["id_column"]:
        return catalogue, data_changes(store, catalogue)
    place = {name: row for name, (row, _) in items.items()}
    if old["digest"] != new["digest"]:
        wanted = Wanted(store.path, items, columns, text)
        place = find_rows(wanted, [catalogue.hits(wanted)])
    names = row_names(place, len(catalogue))
    if names != catalogue.ids:
        catalogue = replace(catalogue, names=names)
    changes = data_changes(store, catalogue)
    n_moved = sum(place[name] != row for name, (row, _) in items.items())
    if n_moved:
        changes = [said for said in changes if said != UNJUDGED]
        changes.append(f"{n_moved} judged rows were found elsewhere by their cells")
    if changes:
        store.set_facts(new, map(catalogue.item, place.values()))
    return catalogue, changes


def row_names(place: Mapping[str, int], n_rows: int) -> list[str]:
    """Return names of all rows: numbers, each once, those of some rows being given."""
    given = {row: name for name, row in place.items()}
    free = (name for name in map(str, count()) if name not in place)
    return [given.get(row) or next(free) for row in range(n_rows)]


def data_changes(store: Store, catalogue: Catalogue) -> list[str]:
    """Say how a table differs from the one whose items were judged.

    Returns
    -------
    sentences : list of str
        Empty if the table is the same.
    """
    old, new = {"n_rows": "", **store.facts()}, catalogue.facts()
    if old.get("digest") == new["digest"]:
        return []
    said = []
    if old["n_rows"] != new["n_rows"]:
        said.append(f"it had {old['n_rows']} rows and has now {new['n_rows']}")
    before, after = judged_columns(store.path, old)[0], json.loads(new["columns"])
    if gone := [name for name in before if name not in after]:
        said.append(f"columns are gone: {listed(gone)}")
    if come := [name for name in after if name not in before]:
        said.append(f"columns are new: {listed(come)}")
    place = {name: row for row, name in enumerate(catalogue.ids)}
    judged = list(store.items())
    missing = [item.id for item in judged if item.id not in place]
    changed = [
        item.id
        for item in judged
        if item.id in place and catalogue.digests[place[item.id]] != item.digest
    ]
    if missing:
        said.append(f"{len(missing)} judged items are gone: {listed(missing)}")
    if changed and not (gone or come):
        said.append(f"{len(changed)} judged items have other cells: {listed(changed)}")
    return said or [UNJUDGED]


def compare_texts(left: str, right: str) -> dict[str, Any]:
    """Return two texts in pieces (text, is marked), and what is marked.

    Texts that are alike have their differences marked. Of texts that are not, nearly
    all would be marked: there it is the words that stand in both.
    """
    words = [
        re.findall(r"\w+|\s+|[^\w\s]+", text[:LONGEST_TEXT])[:COMPARED_WORDS]
        for text in (left, right)
    ]
    matcher = difflib.SequenceMatcher(None, words[0], words[1], autojunk=False)
    if matcher.ratio() < ALIKE:
        folded = [{word.casefold() for word in some} for some in words]
        both = {word for word in folded[0] & folded[1] if len(word) >= LONG_WORD}
        marked = [[word.casefold() in both for word in some] for some in words]
    else:
        marked = [[True] * len(some) for some in words]
        for a, b, size in matcher.get_matching_blocks():
            for flags, start in zip(marked, (a, b), strict=True):
                flags[start : start + size] = [False] * size
    sides = [
        [
            ("".join(word for word, _ in piece), flag)
            for flag, piece in groupby(zip(some, flags, strict=True), itemgetter(1))
        ]
        for some, flags in zip(words, marked, strict=True)
    ]
    what = "shared" if matcher.ratio() < ALIKE else "different"
    return {"left": sides[0], "right": sides[1], "marked": what}
