"""Rows of files, tables, folders and arrays, with judgements of them."""

import os
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fuzzypairs._typing import Show
from fuzzypairs.analysis.rows import Rows, no_columns, tell_nobody
from fuzzypairs.exceptions import ReadingWarning, warnings_as_notes
from fuzzypairs.items import ItemSet
from fuzzypairs.items.files import Kind
from fuzzypairs.items.item_set import guess_column
from fuzzypairs.pairs import PairSet
from fuzzypairs.pairs.reading import has_ids
from fuzzypairs.pairs.stored import is_store
from fuzzypairs.tables.columns import listed
from fuzzypairs.tables.file_blocks import is_large
from fuzzypairs.tables.grades import check_scale
from fuzzypairs.tables.judged_rows import read_stored
from fuzzypairs.tables.pair_files import PairsFile, find_ids, open_pairs
from fuzzypairs.tables.table_files import Items, open_table, set_apart
from fuzzypairs.validation import suggest

__all__ = ["RowReader", "items_alone", "items_of"]

# Files of embeddings.
ARRAYS = (".npy", ".npz")


@dataclass(frozen=True, eq=False)
class RowReader:
    """Reads rows of any kind, makes features of them, and reads their judgements.

    Parameters
    ----------
    id : str, default=None
        The column that names the rows. None: the index of a DataFrame that has names,
        or the column that has all ids that a file of judgements names.
    text, image, embedding : str, default=None
        The column of texts, of names of pictures, or of lists of numbers. None: a
        column of such where a table has nothing else to cluster by.
    images : path, default=None
        The folder of the pictures; None is that of the table.
    embeddings : path or array of shape (n_rows, n_features), default=None
        Embeddings of the rows of a table, in their order or with ids.
    with_ : sequence of str, default=()
        Columns to cluster by beside texts, pictures or embeddings.
    show : sequence of str, default=()
        Columns that are shown and not clustered by.
    truth : str, default=None
        The column of true classes, which are only compared with.
    drop : sequence of str, default=()
        Columns to leave out.
    scale, category, number, date, date_order
        See `fuzzypairs.tables.features.Preparation`.
    features : str, default="auto"
        What makes features of items; see `fuzzypairs.items.ItemFeatures`.
    feature_options : mapping, default=None
        Its options.
    strict : bool, default=False
        Whether an item that cannot be read is an error.
    cache : path, default=None
        A file that keeps vectors of items.
    grade_scale : str, default=None
        The scale of grades in a file, such as ``"1-5"``; recognised if None.
    progress : callable, default=tell_nobody
        Is given what is being done, how much is done, and how much there is.

    Examples
    --------
    >>> from fuzzypairs.analysis.row_reader import RowReader
    >>> texts = ["a late train", "late trains", "cold soup"]
    >>> rows = RowReader(features="tfidf").read(texts, [(0, 1, 0.9)])
    >>> rows.n_rows, rows.items.kind, len(rows.pairs)
    (3, 'text', 1)
    """

    id: str | None = None
    text: str | None = None
    image: str | None = None
    embedding: str | None = None
    images: str | os.PathLike[str] | None = None
    embeddings: Any = None
    with_: Sequence[str] = ()
    show: Sequence[str] = ()
    truth: str | None = None
    drop: Sequence[str] = ()
    scale: bool = True
    category: Sequence[str] = ()
    number: Sequence[str] = ()
    date: Sequence[str] = ()
    date_order: Any = None
    features: str = "auto"
    feature_options: Mapping[str, Any] | None = None
    strict: bool = False
    cache: str | os.PathLike[str] | None = None
    grade_scale: str | None = None
    progress: Show = tell_nobody

    def read(self, data: Any, pairs: Any = None) -> Rows:
        """Read rows and their judgements.

        Parameters
        ----------
        data : path, DataFrame, array of shape (n_rows, n_features) or list of str
            A file of a table, a folder of pictures or of texts, a file of embeddings
            (``*.npy``, ``*.npz``), a table, embeddings, or texts.
        pairs : path, or what `PairSet.coerce` accepts, default=None
            Judgements: a file of them, also one of the labelling page, a DataFrame
            ``a, b, grade`` by ids, or judgements by row number.
        """
        started = time.perf_counter()
        with warnings_as_notes() as notes:
            if self.grade_scale is not None:
                check_scale(self.grade_scale)
            is_file = isinstance(pairs, str | os.PathLike)
            stored = is_file and is_store(pairs)
            file = open_pairs(pairs) if is_file and not stored else None
            alone = items_alone(data)
            rows = (
                self._read_table(data, file)
                if alone is None
                else self._read_items(*alone)
            )
            named: dict[int, str] = {}
            if stored:
                digests = None if rows.items is None else rows.items.digests
                judged, named = read_stored(pairs, rows.source, digests)
            else:
                judged = self._read_pairs(pairs if file is None else file, rows)
        seconds = time.perf_counter() - started
        return replace(
            rows, pairs=judged, named=named, notes=notes,
            seconds=seconds,
        )  # fmt: skip

    def is_given(self, name: str) -> bool:
        """Tell whether an argument that is nothing by default was given."""
        value = getattr(self, name)
        return value is not None and not (isinstance(value, list | tuple) and not value)

    @property
    def _column(self) -> tuple[Kind, str] | None:
        """The column of items that was named."""
        named: dict[Kind, str | None] = {
            "text": self.text, "picture": self.image, "embedding": self.embedding,
        }  # fmt: skip
        given = [(kind, name) for kind, name in named.items() if name is not None]
        if len(given) + (self.embeddings is not None) > 1:
            raise ValueError(
                "rows are texts, pictures or embeddings: name one of --text, --image, "
                "--embedding and --embeddings; --with adds columns of a table"
            )
        return given[0] if given else None

    @property
    def _told(self) -> dict[str, Any]:
        """The arguments of `Preparation`."""
        names = ("scale", "category", "number", "date", "date_order")
        return {name: getattr(self, name) for name in names}

    def _read_items(self, items: ItemSet, path: Path) -> Rows:
        """Return rows that are items without a table."""
        for name in (
            "id", "truth", "text", "image", "images", "embedding", "embeddings",
            "drop", "with_", "show", "category", "number", "date",
        ):  # fmt: skip
            if self.is_given(name):
                raise ValueError(
                    f"--{name.rstrip('_')} is about a table, but {path} holds "
                    f"{items.kind}s without columns"
                )
        return self._of_items(
            items, Items(path, no_columns(items.n_rows), items.ids), None
        )

    def _of_items(self, items: ItemSet, source: Items, column: str | None) -> Rows:
        return Rows.of_items(
            items, source, column=column, features=self.features,
            options=self.feature_options, strict=self.strict,
            cache=None if self.cache is None else Path(self.cache),
            show=self.progress, **self._told,
        )  # fmt: skip

    def _read_table(self, data: Any, judged: PairsFile | None) -> Rows:
        """Return the rows of a table, by its columns or by items in one of them."""
        found = self._column
        source = self._open(data, judged, None if found is None else found[1])
        table = source.features
        wanted = {
            "text": self.text, "image": self.image, "embedding": self.embedding,
            "with": self.with_, "show": self.show,
        }  # fmt: skip
        for option, names in wanted.items():
            for name in [names] if isinstance(names, str) else names or ():
                if name not in table:
                    raise ValueError(
                        f"{source.path} has no column {name!r}"
                        f"{suggest(name, table.columns)}; it has "
                        f"{listed(table.columns)} (--{option})"
                    )
        if found is None and self.embeddings is None and not self.with_:
            found = self._guess(table)
        if found is not None or self.embeddings is not None:
            return self._with_items(source, found)
        if self.with_:
            raise ValueError(
                "--with adds columns to texts, pictures or embeddings: all columns of "
                "a table are clustered by without it; --show only shows some"
            )
        source = replace(source, features=table.drop(columns=list(self.show)))
        if source.features.empty:
            raise ValueError(f"{source.path} has no column left to cluster by")
        shown = table[list(self.show)]
        return Rows.of_table(source, shown=shown, **self._told)

    def _open(self, data: Any, judged: PairsFile | None, column: str | None) -> Items:
        """Return a table with ids and true classes set apart; `column` has items."""
        id_column, text = self.id, [*self.category, *([column] if column else [])]
        apart: dict[str, Any] = {"truth": self.truth, "drop": self.drop}
        if isinstance(data, str | os.PathLike):
            file = open_table(data)
            if judged is not None and id_column is None and not judged.by_row:
                id_column = find_ids(file, judged, {self.truth, *self.drop})
                warnings.warn(
                    f"rows are named by the column {id_column!r}, which has all ids of "
                    f"{judged.path.name}; --id says otherwise",
                    ReadingWarning,
                    stacklevel=2,
                )
            frame = file.read([id_column, self.truth, *text])
            source = set_apart(frame, file, id_column=id_column, text=text, **apart)
        else:
            frame = data.reset_index(drop=True)
            frame.columns = [str(name) for name in frame.columns]
            source = set_apart(
                frame, Path("table"), id_column=id_column, text=text, **apart
            )
            if id_column is None and not isinstance(data.index, pd.RangeIndex):
                if not data.index.is_unique:
                    raise ValueError("the index of the table names two rows alike")
                ids = np.array([str(name) for name in data.index], dtype=object)
                source = replace(source, ids=ids)
        if id_column != column and id_column in source.features:
            kept = source.features.drop(columns=id_column)
            source = replace(source, features=kept)
        return source

    def _guess(self, table: pd.DataFrame) -> tuple[Kind, str] | None:
        """Return the column of items of a table with nothing else to cluster by."""
        if self.category or self.number or self.date:
            return None
        found = guess_column(table.drop(columns=list(self.show)))
        if found is not None:
            kind, name = found
            option = "image" if kind == "picture" else kind
            warnings.warn(
                f"the {kind}s of column {name!r} are clustered, since there is no "
                f"other column to cluster by; --{option} {name} says so",
                ReadingWarning,
                stacklevel=2,
            )
        return found

    def _with_items(self, source: Items, found: tuple[Kind, str] | None) -> Rows:
        """Return the rows of a table whose items are in a column or in a file."""
        table, column = source.features, None if found is None else found[1]
        try:
            if found is None:
                items = ItemSet.from_embeddings(self.embeddings, source.ids)
                if items.n_rows != source.n_rows:
                    raise ValueError(
                        f"there are {items.n_rows} embeddings but {source.n_rows} rows "
                        "in the table: expected one for each, in the same order"
                    )
            else:
                items = items_of(found[0], table[column], source, self.images)
        except ValueError as error:
            raise ValueError(f"{source.path}: {error}") from error
        apart = (column, source.id_column, *self.with_)
        beside = [str(name) for name in table if name not in apart]
        beside.sort(key=lambda name: name not in self.show)
        columns = table[list(self.with_)]
        items = replace(
            items, columns=columns if self.with_ else None, shown=table[beside]
        )
        source = replace(
            source,
            features=columns if self.with_ else no_columns(source.n_rows),
            others=source.others.join(table[[] if column is None else [column]]),
        )
        return self._of_items(items, source, column)

    def _read_pairs(self, pairs: Any, rows: Rows) -> PairSet:
        """Return the judgements of rows."""
        if pairs is None:
            return PairSet.empty(rows.n_rows)
        if isinstance(pairs, PairsFile):
            return pairs.resolve(rows.n_rows, rows.ids, self.grade_scale)
        if has_ids(pairs) and rows.ids is not None:
            return PairSet.from_frame(pairs, data=pd.DataFrame(index=rows.ids))
        return PairSet.coerce(pairs, rows.n_rows)


def items_of(
    kind: Kind, column: Any, source: Items, images: str | os.PathLike[str] | None = None
) -> ItemSet:
    """Return the items in a column of a table."""
    if kind == "text":
        return ItemSet.from_texts(column, source.ids)
    if kind == "picture":
        folder = source.path.parent if images is None else images
        return ItemSet.from_pictures(column, folder, source.ids)
    return ItemSet.from_embeddings(column, source.ids)


def items_alone(data: Any) -> tuple[ItemSet, Path] | None:
    """Return items that are no table, and what they are called."""
    if isinstance(data, str | os.PathLike):
        path = Path(data)
        if path.is_dir():
            if is_large(path):
                raise ValueError(
                    f"{path} is a folder of tables, which only fuzzypairs fit and "
                    "predict read, block by block: name one of its files"
                )
            return ItemSet.from_folder(path), path
        if path.suffix.lower() in ARRAYS:
            return ItemSet.from_embeddings(path), path
        return None
    if isinstance(data, list | tuple) and data and isinstance(data[0], str):
        return ItemSet.from_texts(data), Path("texts")
    if not hasattr(data, "columns"):
        return ItemSet.from_embeddings(np.asarray(data)), Path("embeddings")
    return None
