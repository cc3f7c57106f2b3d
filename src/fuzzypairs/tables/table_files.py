"""Tables of data from files: features, ids and true classes."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

import pandas as pd
from numpy.typing import NDArray

from fuzzypairs._typing import Floats, Mask
from fuzzypairs.exceptions import ReadingWarning
from fuzzypairs.tables.columns import Column, ColumnError, as_text, listed
from fuzzypairs.tables.features import Preparation
from fuzzypairs.tables.readers import TableFile
from fuzzypairs.validation import suggest

__all__ = ["Items", "open_table", "prepare", "read_items", "set_apart"]


def open_table(path: str | PathLike[str]) -> TableFile:
    """Open a file of a table; warn if it is not what its ending stands for."""
    file = TableFile(path)
    if file.note:
        warnings.warn(file.note, ReadingWarning, stacklevel=3)
    return file


@dataclass(frozen=True, eq=False)
class Items:
    """The rows of a data file, with ids and true classes set apart.

    Attributes
    ----------
    path : Path
        The file.
    features : DataFrame of shape (n_rows, n_columns)
        The columns to cluster by.
    ids : ndarray of shape (n_rows,) or None
        Names of the rows as text, without duplicates.
    truth : ndarray of shape (n_rows,) or None
        Classes as text, None where missing.
    id_column : str or None
        Name of the column of ids.
    others : DataFrame of shape (n_rows, n_others)
        The columns that are neither features nor ids.
    file : TableFile or None
        The file as it was opened.
    """

    path: Path
    features: pd.DataFrame
    ids: NDArray[Any] | None = None
    truth: NDArray[Any] | None = None
    id_column: str | None = None
    others: pd.DataFrame = field(default_factory=pd.DataFrame)
    file: TableFile | None = field(default=None, repr=False)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.features)

    def worded(self, error: ValueError) -> str:
        """Return what is wrong with a table, with lines as an editor counts them."""
        if isinstance(error, ColumnError) and self.file is not None:
            return f"{self.path}: {error.worded(self.file.place(error.row))}"
        return f"{self.path}: {error}"


def read_items(
    path: str | PathLike[str],
    *,
    id_column: str | None = None,
    truth: str | None = None,
    drop: Sequence[str] = (),
    text: Sequence[str] = (),
) -> Items:
    r"""Read a data file, and set its ids and true classes apart.

    Parameters
    ----------
    path : str or path-like
        A file that `TableFile` can read.
    id_column : str, default=None
        The column that names the rows.
    truth : str, default=None
        The column of true classes.
    drop : sequence of str, default=()
        Columns to leave out.
    text : sequence of str, default=()
        Columns to keep as they are written, if they are there; the column of ids stays
        among the features if it is one of them.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from fuzzypairs.tables.table_files import read_items
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "wines.csv"
    ...     _ = path.write_text("name,acid\noak,1.5\nash,2.5\n")
    ...     items = read_items(path, id_column="name")
    >>> items.ids.tolist(), list(items.features)
    (['oak', 'ash'], ['acid'])
    """
    file = open_table(path)
    frame = file.read([id_column, truth, *text])
    items = set_apart(
        frame, file, id_column=id_column, truth=truth, drop=drop, text=text
    )
    if items.features.empty:
        raise ValueError(f"{path} has no column left to cluster by")
    return items


def set_apart(
    frame: pd.DataFrame,
    source: TableFile | Path,
    *,
    id_column: str | None = None,
    truth: str | None = None,
    drop: Sequence[str] = (),
    text: Sequence[str] = (),
) -> Items:
    """Set ids and true classes of a table apart, see `read_items`.

    `source` is its file, or what a table that is no file is called.
    """
    file = source if isinstance(source, TableFile) else None
    path = source.path if isinstance(source, TableFile) else source
    apart = [name for name in (id_column, truth) if name is not None]
    wanted = [("id", id_column), ("truth", truth), *(("drop", d) for d in drop)]
    for option, name in wanted:
        if name is not None and name not in frame:
            raise ValueError(
                f"{path} has no column {name!r}{suggest(name, frame.columns)}; it has "
                f"{listed(frame.columns)} (--{option})"
            )
    if id_column is not None and id_column == truth:
        raise ValueError(f"column {truth!r} of {path} cannot be both id and truth")
    left_out = {*apart, *drop} - ({id_column} & set(text))
    return Items(
        path,
        frame.drop(columns=list(left_out)),
        None if id_column is None else _read_ids(frame[id_column], path, file),
        None if truth is None else _read_classes(frame[truth], path),
        id_column,
        frame[[name for name in (truth, *drop) if name not in (None, id_column)]],
        file,
    )


def prepare(items: Items, **told: Any) -> tuple[Preparation, Floats, Mask]:
    """Fit the preparation of a data file; errors name the file.

    Parameters
    ----------
    items : Items
    **told
        Arguments of `Preparation`.

    Returns
    -------
    preparation : Preparation
        Fitted.
    features : ndarray of shape (n_rows, n_features)
    known : ndarray of shape (n_rows, n_used), bool
        Which values are known; see `Preparation.read`.
    """
    preparation = Preparation(id_column=items.id_column, **told)
    try:
        preparation.fit(items.features)
        return preparation, *preparation.read(items.features)
    except ValueError as error:
        raise ValueError(items.worded(error)) from error


def _read_ids(column: Column, path: Path, file: TableFile | None) -> NDArray[Any]:
    """Return ids as text, none missing and none twice."""
    place = file.place if file is not None else "row {} (from 0)".format
    ids = as_text(column)
    if ids.isna().any():
        raise ValueError(
            f"{path}: column {column.name!r} has no id in "
            f"{place(int(ids.isna().argmax()))}; empty fields and words like NA count "
            "as missing"
        )
    if (again := ids.duplicated()).any():
        row = int(again.argmax())
        first = int((ids == ids.iloc[row]).argmax())
        raise ValueError(
            f"{path}: column {column.name!r} holds {ids.iloc[row]!r} in {place(first)} "
            f"and {place(row)}; an id must name one row"
        )
    return ids.to_numpy()


def _read_classes(column: Column, path: Path) -> NDArray[Any]:
    """Return classes as text, None where missing."""
    if column.isna().all():
        raise ValueError(f"{path}: column {column.name!r} holds no class at all")
    classes = as_text(column).to_numpy(copy=True)
    classes[column.isna().to_numpy()] = None
    return classes
