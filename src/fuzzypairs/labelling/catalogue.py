"""The items of a table as people see them: cells, texts and pictures."""

import difflib
import hashlib
import io
import json
import re
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fuzzypairs._typing import Floats
from fuzzypairs.labelling.store import Item, Store, StoreError
from fuzzypairs.tables.columns import as_text, listed
from fuzzypairs.tables.judged_rows import Wanted, digest_rows, find_rows, judged_columns
from fuzzypairs.tables.table_files import Items

if TYPE_CHECKING:
    from PIL import Image

__all__ = ["Catalogue", "as_judged", "data_changes", "open_catalogue"]

# A difference of two numbers is large from this share of their standard deviation on.
LARGE = 0.75
UNJUDGED = "items that were not judged have changed"
# The longest text that is shown, and compared word by word; a longer one is cut.
LONGEST_TEXT, COMPARED_WORDS = 20_000, 1500
PICTURES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".bmp": "image/bmp",
}
# Other formats are not tried, whatever the name says: EPS would start Ghostscript.
FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP")
LARGEST_PICTURE = 20 * 2**20  # bytes
MOST_PIXELS = 40_000_000


@dataclass(frozen=True, eq=False)
class Catalogue:
    """The rows of a table, and how they are shown.

    Attributes
    ----------
    items : Items
        The table; its features are the columns to cluster by.
    shown : DataFrame of shape (n_rows, n_columns)
        The columns to show.
    image, text : str or None
        Columns that hold names of picture files, and texts.
    root : Path or None
        The folder of the pictures; nothing outside of it is read.
    arrays : ndarray of shape (n_rows, height, width) or None
        Grey pictures, uint8, in place of files.
    names : list of str or None
        What a store calls the rows where they have no ids; None for row numbers.
    """

    items: Items
    shown: pd.DataFrame
    image: str | None = None
    text: str | None = None
    root: Path | None = None
    arrays: NDArray[np.uint8] | None = field(default=None, repr=False)
    names: list[str] | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.shown)

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
        """A digest of the cells of each row."""
        if self.arrays is not None:
            return [hashlib.sha256(a.tobytes()).hexdigest()[:16] for a in self.arrays]
        return [f"{value:016x}" for value in digest_rows(self.shown).tolist()]

    @property
    def has_pictures(self) -> bool:
        """Whether items have pictures."""
        return self.arrays is not None or self.image is not None

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
            "id_column": self.items.id_column or "",
            "n_rows": str(len(self)),
            "columns": columns,
            "text": json.dumps([x for x in (self.image, self.text) if x is not None]),
            "digest": hashlib.sha256(every.encode()).hexdigest(),
            "name": self.items.path.name,
        }

    def name(self, row: int) -> str:
        """Return what a row is called."""
        return self.ids[row] if self.items.ids is not None else f"row {row}"

    def card(self, row: int) -> dict[str, Any]:
        """Return one item as the page shows it alone."""
        return {"row": row, "name": self.name(row), "picture": self.has_pictures}

    def pair(self, left: int, right: int) -> dict[str, Any]:
        """Return two items as they are shown side by side, differences marked.

        A cell is marked 0 if it is the same, 1 if it differs, and 2 if numbers differ
        much or words differ. Texts are lists of pieces (text, differs).
        """
        cells = [
            {
                "column": name,
                "left": words[left][:LONGEST_TEXT],
                "right": words[right][:LONGEST_TEXT],
                "differs": self._differs(name, left, right),
            }
            for name, words in self._words.items()
            if name not in (self.image, self.text)
        ]
        shown: dict[str, Any] = {
            "left": self.card(left),
            "right": self.card(right),
            "cells": [] if self.arrays is not None else cells,
            "texts": None,
        }
        if self.text is not None:
            words = self._words[self.text]
            shown["texts"] = compare_texts(words[left], words[right])
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
        """Return the bytes and the type of the picture of a row, or None.

        Files are read only inside `root`, after links are followed; SVG is not served.
        """
        if self.arrays is not None:
            return grey_png(self.arrays[row]), "image/png"
        if self.image is None or self.root is None:
            return None
        name = self._words[self.image][row]
        if not name or "\0" in name:
            return None
        try:
            path = (self.root / name).resolve(strict=True)
            root = self.root.resolve(strict=True)
            kind = PICTURES.get(path.suffix.lower())
            if kind is None or not path.is_relative_to(root) or not path.is_file():
                return None
            if path.stat().st_size > LARGEST_PICTURE:
                return None
            data = path.read_bytes()
        except (OSError, ValueError, RuntimeError):
            return None
        return (data, kind) if count_pixels(data) <= MOST_PIXELS else None


def open_catalogue(
    items: Items,
    *,
    image: str | None = None,
    text: str | None = None,
    root: Path | None = None,
) -> tuple[Catalogue, Items]:
    """Return a table as it is shown, and as it is clustered.

    Parameters
    ----------
    items : Items
    image, text : str, default=None
        Columns of picture files and of texts; they are shown, not clustered by.
    root : Path, default=None
        The folder of the pictures; None takes that of the table.

    Returns
    -------
    catalogue : Catalogue
    clustered : Items
        Without those columns, unless no others are left.
    """
    apart = [name for name in (image, text) if name is not None]
    for option, name in (("--image", image), ("--text", text)):
        if name is not None and name not in items.features:
            raise ValueError(
                f"{items.path} has no column {name!r}; it has "
                f"{listed(items.features.columns)} ({option})"
            )
    left = items.features.drop(columns=apart)
    clustered = replace(items, features=left)
    folder = items.path.resolve().parent if root is None else root
    catalogue = Catalogue(
        clustered, items.features, image, text, folder if image else None
    )
    return catalogue, clustered


def as_judged(store: Store, catalogue: Catalogue) -> tuple[Catalogue, list[str]]:
    """Return a table with the names that a store has for its rows, and what changed.

    Names are ids. Where judgements go by row numbers, rows keep those under which they
    were first judged, also if they are found elsewhere in the table.

    Parameters
    ----------
    store : Store
    catalogue : Catalogue

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
    table = catalogue.shown.join(catalogue.items.others)
    is_renamed = "" not in (old["id_column"], new["id_column"])
    is_renamed &= old["id_column"] not in table
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
    if columns and old["digest"] != new["digest"]:
        wanted = Wanted(store.path, items, columns, text)
        place = find_rows(wanted, [wanted.hits(table)])
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

    Parameters
    ----------
    store : Store
    catalogue : Catalogue

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


def compare_texts(left: str, right: str) -> dict[str, list[tuple[str, bool]]]:
    """Return two texts in pieces, those that differ marked."""
    words = [
        re.findall(r"\w+|\s+|[^\w\s]+", text[:LONGEST_TEXT])[:COMPARED_WORDS]
        for text in (left, right)
    ]
    matcher = difflib.SequenceMatcher(None, words[0], words[1], autojunk=False)
    pieces: list[list[tuple[str, bool]]] = [[], []]
    for kind, a, b, c, d in matcher.get_opcodes():
        for side, (start, end) in enumerate(((a, b), (c, d))):
            if start < end:
                pieces[side].append(("".join(words[side][start:end]), kind != "equal"))
    return {"left": pieces[0], "right": pieces[1]}


def grey_png(picture: NDArray[np.uint8]) -> bytes:
    """Return a grey picture as a PNG file."""
    height, width = picture.shape

    def chunk(name: bytes, data: bytes) -> bytes:
        check = zlib.crc32(name + data)
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", check)

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    lines = b"".join(b"\0" + line.tobytes() for line in picture)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(lines))
        + chunk(b"IEND", b"")
    )


def count_pixels(data: bytes) -> int:
    """Return the number of pixels that the head of a picture file announces."""
    from PIL import Image

    try:
        with open_picture(data) as picture:
            return int(picture.width * picture.height)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError, Warning):
        return MOST_PIXELS + 1


def open_picture(data: bytes) -> "Image.Image":
    """Return a picture of a format that browsers show, before its pixels are read."""
    from PIL import Image

    return Image.open(io.BytesIO(data), formats=FORMATS)
