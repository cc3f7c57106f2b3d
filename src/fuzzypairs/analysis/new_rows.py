"""New rows for a fitted model, read and prepared as the rows of the fit were."""

import os
import time
from dataclasses import replace
from typing import Any

import numpy as np

from fuzzypairs._typing import Show
from fuzzypairs.analysis.row_reader import items_alone, items_of
from fuzzypairs.analysis.rows import Rows, feature_frame, no_columns, tell_nobody
from fuzzypairs.exceptions import warnings_as_notes
from fuzzypairs.items import ItemFeatures, ItemSet
from fuzzypairs.pairs import PairSet
from fuzzypairs.tables.features import Preparation
from fuzzypairs.tables.table_files import Items, read_items

__all__ = ["id_column_of", "read_new_rows"]


def read_new_rows(
    preparation: Preparation | ItemFeatures,
    data: str | os.PathLike[str],
    *,
    id: str | None = None,
    images: str | os.PathLike[str] | None = None,
    embeddings: str | os.PathLike[str] | None = None,
    features: str = "auto",
    strict: bool = False,
    progress: Show = tell_nobody,
) -> Rows:
    """Read new rows, with no judgements of them.

    Parameters
    ----------
    preparation : Preparation or ItemFeatures
        Of the fit. Columns are found by their names.
    data : path
        As in the fit.
    id : str, default=None
        The column that names the rows.
    images, embeddings : path, default=None
        The folder of pictures, and embeddings beside a table; as in the fit.
    features : str, default="auto"
        What makes features of items, if the model names a function.
    strict : bool, default=False
        Whether an item that cannot be read is an error.
    progress : callable, default=tell_nobody
    """
    started = time.perf_counter()
    with warnings_as_notes() as notes:
        if isinstance(preparation, Preparation):
            rows = _rows_of_table(preparation, data, id)
        else:
            preparation.confirm(features)
            items, source = _items(preparation, data, id, images, embeddings)
            rows = _rows_of_items(preparation, items, source, strict, progress)
    said = [*notes, *_unseen(rows)]
    return replace(rows, notes=said, seconds=time.perf_counter() - started)


def id_column_of(preparation: Any) -> str | None:
    """Return the column that named the rows of the fit."""
    if isinstance(preparation, Preparation):
        return preparation.id_column
    found: str | None = getattr(preparation, "id_column_", None)
    return found


def _rows_of_table(preparation: Preparation, data: Any, id_column: str | None) -> Rows:
    if (alone := items_alone(data)) is not None:
        raise ValueError(
            f"{data} holds {alone[0].kind}s, but the model was fitted to the columns "
            "of a table: name one"
        )
    # Text as it is written: 007 is a word if the column held words in the fit.
    words = [c.name for c in preparation.columns_ if c.kind == "category"]
    source = read_items(data, id_column=id_column, text=words)
    try:
        X, known = preparation.read(source.features)
    except ValueError as error:
        raise ValueError(source.worded(error)) from error
    none = PairSet.empty(source.n_rows)
    return Rows(source, preparation, feature_frame(preparation, X), none, known)


def _items(
    maker: ItemFeatures, data: Any, id_column: str | None, images: Any, embeddings: Any
) -> tuple[ItemSet, Items]:
    """Return new items, and the table that they are in."""
    if (alone := items_alone(data)) is not None:
        items, path = alone
        if items.kind != maker.kind:
            raise ValueError(
                f"{path} holds {items.kind}s, but the model was fitted to {maker.kind}s"
            )
        if maker.columns is not None:
            raise ValueError(
                f"{path} has no columns, but the model was fitted to "
                f"{maker.kind}s with columns beside them: name a table"
            )
        return items, Items(path, no_columns(items.n_rows), items.ids)
    column = maker.column
    if column is None and embeddings is None:
        said = "; give --embeddings" if maker.kind == "embedding" else ""
        raise ValueError(
            f"{data} is a table, but the model was fitted to {maker.kind}s in other "
            f"files: name such{said}"
        )
    beside = () if maker.columns is None else maker.preparation_.columns_
    words = [c.name for c in beside if c.kind == "category"]
    kept = [] if column is None else [column]
    source = read_items(data, id_column=id_column, text=[*kept, *words])
    table = source.features
    if column is not None and column not in table:
        raise ValueError(
            f"{data} has no column {column!r}, which holds the {maker.kind}s"
        )
    try:
        items = (
            ItemSet.from_embeddings(embeddings, source.ids)
            if column is None
            else items_of(maker.kind, table[column], source, images)
        )
    except ValueError as error:
        raise ValueError(f"{data}: {error}") from error
    return replace(items, columns=table if beside else None), source


def _rows_of_items(
    maker: ItemFeatures, items: ItemSet, source: Items, strict: bool, progress: Show
) -> Rows:
    doing = f"reading {items.n_rows:,} {items.kind}s"
    encoded = maker.encode(
        items, tell=lambda done, total: progress(doing, done, total), strict=strict
    )
    X = np.asarray(maker.transform(encoded))
    items = encoded.items
    if items.n_rows < source.n_rows:
        empty = no_columns(items.n_rows)
        source = replace(source, features=empty, ids=items.ids)
    none = PairSet.empty(items.n_rows)
    rows = Rows(source, maker, feature_frame(maker, X), none, items=items)
    return replace(rows, notes=encoded.notes)


def _unseen(rows: Rows) -> list[str]:
    """Return notes: of the reading, and of words that were not in the fit."""
    preparation: Any = rows.preparation
    if isinstance(preparation, ItemFeatures):
        if preparation.columns is None:
            return list(rows.notes)
        preparation = preparation.preparation_
    are_numbers = {c.name for c in preparation.columns_ if c.kind == "number"}
    return list(rows.notes) + [
        f"column {name}: {len(words)} words among numbers, such as {words[0]!r}, count "
        "as missing"
        if name in are_numbers
        else f"column {name}: {len(words)} words that the fit never met, such as "
        f"{words[0]!r}, count as rare ones, or as none"
        for name, words in preparation.unseen(rows.source.features).items()
    ]
