"""Pictures, texts or embeddings: which there are, and how one of them is shown."""

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fuzzypairs._typing import Ints
from fuzzypairs.items.files import (
    Kind,
    check_embeddings,
    embedding_column,
    find_items,
    read_embeddings,
    read_texts,
)
from fuzzypairs.items.pictures import ENDINGS, inside, picture_file, thumbnail
from fuzzypairs.items.showing import shorten, text_of
from fuzzypairs.tables.columns import listed, recognise
from fuzzypairs.tables.usefulness import why_useless

__all__ = ["ItemSet", "Shown", "guess_column", "name_problems"]

# Of a text so many characters are shown.
LONGEST_SHOWN = 240
# The share of a column's values by which it holds lists, or names of pictures.
MOSTLY = 0.9


@dataclass(frozen=True)
class Shown:
    """One item as people see it.

    Attributes
    ----------
    name : str
    text : str
        The beginning of a text in one line; "" for others.
    picture : bytes or None
        A thumbnail; None if the item is no picture, or cannot be read.
    media_type : str
        Of the thumbnail.
    cells : dict of str to str
        The columns that are shown beside the item.
    """

    name: str
    text: str = ""
    picture: bytes | None = None
    media_type: str = ""
    cells: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class ItemSet:
    """Items of one kind, with their ids and with columns beside them.

    Attributes
    ----------
    kind : {"picture", "text", "embedding"}
    values : list of str, list of ndarray, or ndarray of shape (n_items, n_features)
        Files or pixels of pictures, texts, or embeddings.
    ids : ndarray of shape (n_items,) or None
        Names as text; None stands for row numbers.
    problems : dict of int to str
        Why items cannot be read, by row, as far as it is known.
    refused : dict of str to str
        Files of a folder that are no items, and why.
    is_folder : bool
        Whether a file that cannot be read is no row, as in a folder.
    columns, shown : DataFrame of n_items rows, or None
        Columns to cluster by beside the items, and columns that are only shown.

    Examples
    --------
    >>> from fuzzypairs.items import ItemSet
    >>> items = ItemSet.from_texts(["The train is late.", None], ids=["a", "b"])
    >>> items.n_rows, items.show(0).text, items.problems
    (2, 'The train is late.', {1: 'it is empty'})
    """

    kind: Kind
    values: Any
    ids: NDArray[Any] | None = None
    problems: dict[int, str] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    is_folder: bool = False
    columns: "pd.DataFrame | None" = None
    shown: "pd.DataFrame | None" = None

    @classmethod
    def from_folder(cls, folder: str | os.PathLike[str]) -> Self:
        """Find the pictures of a folder and of those in it, or its texts if more.

        Ids are paths below the folder.
        """
        kind, names, refused = find_items(folder)
        values = [os.path.join(folder, name) for name in names]
        if kind == "text":
            values, problems = read_texts(values)
            refused |= {names[n]: why for n, why in problems.items()}
            readable = [n for n in range(len(names)) if n not in problems]
            if not readable:
                raise ValueError(
                    f"{folder} holds no text that can be read: {name_problems(refused)}"
                )
            values, names = [values[n] for n in readable], [names[n] for n in readable]
        ids = np.array(names, dtype=object)
        return cls(kind, values, ids, {}, refused, is_folder=True)

    @classmethod
    def from_texts(cls, column: Sequence[Any], ids: Any = None) -> Self:
        """Take texts of a column; those that are missing are empty."""
        texts = [text_of(value) for value in column]
        problems = {n: "it is empty" for n, text in enumerate(texts) if not text}
        return cls("text", texts, _as_ids(ids), problems)

    @classmethod
    def from_pictures(
        cls, column: Sequence[Any], folder: str | os.PathLike[str], ids: Any = None
    ) -> Self:
        """Take pictures by names of files in a folder; nothing outside it is read."""
        paths, problems = [], {}
        for n, value in enumerate(column):
            name = text_of(value)
            try:
                paths.append(str(inside(Path(folder), name)))
            except ValueError as error:
                paths.append("")
                problems[n] = f"{name}: {error}" if name else str(error)
        if len(problems) == len(paths):
            raise ValueError(
                f"none of {len(paths)} pictures is in {folder} "
                f"({next(iter(problems.values()), 'there are no names')}): name their "
                "folder by --images"
            )
        return cls("picture", paths, _as_ids(ids), problems)

    @classmethod
    def from_embeddings(cls, source: Any, ids: Any = None) -> Self:
        """Take embeddings of a file (.npy, .npz), of a column of lists, or an array.

        Parameters
        ----------
        source : str, path-like, Series or array of shape (n_items, n_features)
        ids : array-like of shape (n_items,), default=None
            Of the table beside them. A file that has ids, too, is put in this order.
        """
        wanted = _as_ids(ids)
        place = "the embeddings"
        own = None
        if isinstance(source, str | os.PathLike):
            place = os.fspath(source)
            values, own = read_embeddings(source)
        elif isinstance(source, np.ndarray):
            values = source
            check_embeddings(values, place)
        else:
            values = embedding_column(source)
        if wanted is None:
            return cls("embedding", values, _as_ids(own))
        if own is not None:
            row = {name: n for n, name in enumerate(own)}
            if missing := [name for name in wanted.tolist() if name not in row]:
                raise ValueError(
                    f"{place} has no embedding of {listed(missing)}: expected one for "
                    f"each of {len(wanted)} rows of the table"
                )
            values = values[[row[name] for name in wanted.tolist()]]
        if len(values) != len(wanted):
            raise ValueError(
                f"{place} holds {len(values)} embeddings but the table has "
                f"{len(wanted)} rows: expected one for each, in the same order"
            )
        return cls("embedding", values, wanted)

    @property
    def n_rows(self) -> int:
        """The number of items."""
        return len(self.values)

    def name(self, row: int) -> str:
        """Return what an item is called."""
        return f"row {row}" if self.ids is None else str(self.ids[row])

    def digests(self) -> NDArray[np.uint64]:
        """Return a digest of each item, (n_items,); of a file it is of its size."""
        return np.array([_digest(value) for value in self.values], dtype=np.uint64)

    def take(self, rows: Ints | Sequence[int]) -> Self:
        """Return some of the items, in the order of `rows`."""
        numbers = np.asarray(rows, dtype=np.intp)
        values = self.values
        values = (
            values[numbers]
            if isinstance(values, np.ndarray)
            else [values[n] for n in numbers]
        )
        problems = {
            n: self.problems[row]
            for n, row in enumerate(numbers.tolist())
            if row in self.problems
        }
        return replace(
            self, values=values, problems=problems,
            ids=None if self.ids is None else self.ids[numbers],
            columns=None if self.columns is None else self.columns.iloc[numbers],
            shown=None if self.shown is None else self.shown.iloc[numbers],
        )  # fmt: skip

    def show(self, row: int, side: int = 96) -> Shown:
        """Return an item as people see it, a picture with its longest side in pixels.

        A picture that cannot be read is shown by its name alone.
        """
        cells: dict[str, str] = {}
        for frame in (self.columns, self.shown):
            for name in () if frame is None else frame:
                cells[str(name)] = shorten(text_of(frame[name].iloc[row]))  # type: ignore[index]
        item = Shown(self.name(row), cells=cells)
        if self.kind == "text":
            return replace(item, text=shorten(self.values[row], LONGEST_SHOWN))
        if self.kind == "picture" and row not in self.problems:
            try:
                data, media_type = thumbnail(self.values[row], side)
            except ValueError:
                return item
            return replace(item, picture=data, media_type=media_type)
        return item

    def picture(self, row: int) -> tuple[bytes, str]:
        """Return the file of a picture that browsers show, and its type.

        Raises
        ------
        ValueError
            If it cannot be read, with the reason.
        """
        if row in self.problems:
            raise ValueError(self.problems[row])
        return picture_file(self.values[row])


def guess_column(frame: "pd.DataFrame") -> tuple[Kind, str] | None:
    """Return the column that holds items, if there is no column to cluster by.

    Parameters
    ----------
    frame : DataFrame of shape (n_rows, n_columns)

    Returns
    -------
    found : (kind, column) or None
        Names of pictures rather than lists of numbers, and these rather than texts, of
        which the longest are taken. A single column of words is one of texts.

    Examples
    --------
    >>> import pandas as pd
    >>> from fuzzypairs.items.item_set import guess_column
    >>> frame = pd.DataFrame({"nr": [1, 2, 3], "file": ["a.png", "b.png", "c.jpg"]})
    >>> guess_column(frame.iloc[:, 1:])
    ('picture', 'file')
    """
    found: list[tuple[int, float, Kind, str]] = []
    for name in frame:
        known = frame[name].dropna()
        if (
            known.map(lambda value: isinstance(value, list | np.ndarray)).mean()
            > MOSTLY
        ):
            found.append((1, 0, "embedding", str(name)))
            continue
        kind, _, values = recognise(frame[name])
        why = why_useless(values, kind)
        words = values.dropna() if kind == "category" else pd.Series(dtype=str)
        if words.str.lower().str.endswith(ENDINGS).mean() > MOSTLY:
            found.append((2, 0, "picture", str(name)))
        elif not why:
            return None
        elif len(words) and (len(frame.columns) == 1 or "free text" in why):
            found.append((0, float(words.str.len().mean()), "text", str(name)))
    return max(found)[2:] if found else None


def _digest(item: Any) -> int:
    if isinstance(item, np.ndarray):
        data = np.asarray(item, order="C").tobytes()
    else:
        try:
            data = b"%d" % os.stat(item).st_size
        except (OSError, ValueError):  # a text, or a file that is gone
            data = str(item).encode("utf-8", "replace")
    return int.from_bytes(hashlib.sha256(data).digest()[:8], "big")


def _as_ids(ids: Any) -> NDArray[Any] | None:
    return None if ids is None else np.array([str(name) for name in ids], dtype=object)


def name_problems(problems: dict[Any, str], most: int = 5) -> str:
    """Return which items cannot be read, and why, for a message."""
    said = [f"{name} ({why})" for name, why in problems.items()]
    more = f" and {len(said) - most:,} more" if len(said) > most else ""
    return ", ".join(said[:most]) + more
