"""Reading files of data and of judgements.

Rows are counted from 0 in all messages, as they are in files of judgements.
"""

import gzip
import importlib.util
import io
import json
import re
import warnings
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fuzzypairs._typing import Floats
from fuzzypairs.exceptions import PairsError
from fuzzypairs.io.columns import Column, as_numbers, as_text, listed
from fuzzypairs.io.features import Preparation
from fuzzypairs.pairs import PairSet
from fuzzypairs.pairs.stored import is_store

__all__ = ["Items", "prepare", "read_items", "read_pairs", "read_table"]

# How pandas begins its messages about CSV.
PARSER = "Error tokenizing data. C error: "
EXPECTED = "names of columns, then a row for each item"
Reader = Callable[[io.BytesIO, Sequence[str]], pd.DataFrame]
Function = TypeVar("Function", bound=Callable[..., Any])


def read_table(path: str | PathLike[str], *, text: Sequence[str] = ()) -> pd.DataFrame:
    r"""Read a table from CSV, TSV, Parquet or JSON lines, packed by gzip or not.

    Parameters
    ----------
    path : str or path-like
        ``*.csv``, ``*.tsv``, ``*.parquet``, ``*.jsonl`` or ``*.ndjson``, with or
        without ``.gz``. Empty fields and ``?`` are missing values.
    text : sequence of str, default=()
        Columns to keep as they are written: 007 is not 7.

    Returns
    -------
    frame : DataFrame of shape (n_rows, n_columns)
        At least one row; the names of the columns are different.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from fuzzypairs.io.tables import read_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "wines.csv"
    ...     _ = path.write_text("name,acid\noak,1.5\nash,?\n")
    ...     read_table(path).shape
    (2, 2)
    """
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder: name a file in it")
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist: check the name")
    read = by_ending(path, READERS)
    try:
        with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as f:
            file = io.BytesIO(f.read())
        frame = read(file, text)
    except pd.errors.EmptyDataError:
        raise ValueError(f"{path} is empty: expected {EXPECTED}") from None
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not text in UTF-8: save it as UTF-8") from None
    # gzip, pandas and pyarrow have no error in common for a damaged file.
    except (ValueError, OSError, EOFError, zlib.error) as error:
        if isinstance(error, PermissionError):
            raise
        reason = " ".join(str(error).split()).removeprefix(PARSER)
        raise ValueError(f"{path} cannot be read: {reason}") from error
    if frame.empty:
        raise ValueError(f"{path} has no rows: expected {EXPECTED}")
    # A named index of Parquet is a column like others.
    frame = frame.reset_index(drop=frame.index.name is None)
    return frame.set_axis([str(name) for name in frame.columns], axis=1)


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
    """

    path: Path
    features: pd.DataFrame
    ids: NDArray[Any] | None = None
    truth: NDArray[Any] | None = None
    id_column: str | None = None
    others: pd.DataFrame = field(default_factory=pd.DataFrame)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.features)


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
        A file that `read_table` can read.
    id_column : str, default=None
        The column that names the rows.
    truth : str, default=None
        The column of true classes.
    drop : sequence of str, default=()
        Columns to leave out.
    text : sequence of str, default=()
        Columns to keep as they are written, if they are there.

    Returns
    -------
    items : Items

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from fuzzypairs.io.tables import read_items
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "wines.csv"
    ...     _ = path.write_text("name,acid\noak,1.5\nash,2.5\n")
    ...     items = read_items(path, id_column="name")
    >>> items.ids.tolist(), list(items.features)
    (['oak', 'ash'], ['acid'])
    """
    path = Path(path)
    apart = [name for name in (id_column, truth) if name is not None]
    frame = read_table(path, text=[*apart, *text])
    for name in (*apart, *drop):
        if name not in frame:
            raise ValueError(
                f"{path} has no column {name!r}; it has {listed(frame.columns)}"
            )
    if id_column is not None and id_column == truth:
        raise ValueError(f"column {truth!r} of {path} cannot be both id and truth")
    features = frame.drop(columns=[*apart, *drop])
    if features.empty:
        raise ValueError(f"{path} has no column left to cluster by")
    return Items(
        path,
        features,
        None if id_column is None else _read_ids(frame[id_column], path),
        None if truth is None else _read_classes(frame[truth], path),
        id_column,
        frame[[name for name in (truth, *drop) if name not in (None, id_column)]],
    )


def read_pairs(
    path: str | PathLike[str], n_samples: int, ids: NDArray[Any] | None = None
) -> PairSet:
    r"""Read a file of judgements.

    Parameters
    ----------
    path : str or path-like
        A file that `read_table` can read. Its columns are ``i, j, grade`` with row
        numbers of the data, or ``a, b, grade`` with their ids; others are ignored.
        Or a file ``*.db`` of the labelling page.
    n_samples : int
        Number of rows of the data.
    ids : ndarray of shape (n_samples,), default=None
        Names of the rows as text, if judgements go by them.

    Returns
    -------
    pairs : PairSet

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from fuzzypairs.io.tables import read_pairs
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "pairs.csv"
    ...     _ = path.write_text("i,j,grade,annotator\n0,2,0.7,Ann\n")
    ...     list(read_pairs(path, n_samples=3))
    [(0, 2, 0.7)]
    """
    if is_store(path):
        return PairSet.from_store(path, ids=ids, n_samples=n_samples)
    ends = ("i", "j") if ids is None else ("a", "b")
    frame = read_table(path, text=() if ids is None else ends)
    for name in (*ends, "grade"):
        if name not in frame:
            wanted = (
                "i, j, grade with row numbers, or an id column of the data (--id)"
                if ids is None
                else "a, b, grade with ids of the data"
            )
            raise PairsError(
                f"{path} has no column {name!r}, it has {listed(frame.columns)}: "
                f"expected {wanted}"
            )
    try:
        i, j = (
            as_numbers(frame[end]) if ids is None else _places(frame[end], ids)
            for end in ends
        )
        return PairSet(i, j, as_numbers(frame["grade"]), n_samples)
    except PairsError as error:
        row = None if error.index is None else f"row {error.index}"
        raise PairsError(f"{path}: {error.worded(row, ids)}") from None
    except ValueError as error:
        raise PairsError(f"{path}: {error}") from None


def prepare(items: Items, *, scale: bool = True) -> tuple[Preparation, Floats]:
    """Fit the preparation of a data file; errors name the file.

    Parameters
    ----------
    items : Items
    scale : bool, default=True
        Whether to standardise numbers.

    Returns
    -------
    preparation : Preparation
        Fitted.
    features : ndarray of shape (n_rows, n_features)
    """
    preparation = Preparation(scale=scale, id_column=items.id_column)
    try:
        return preparation, preparation.fit(items.features).transform(items.features)
    except ValueError as error:
        raise ValueError(f"{items.path}: {error}") from error


def _read_text(separator: str, file: io.BytesIO, text: Sequence[str]) -> pd.DataFrame:
    """Read CSV or TSV."""
    options: dict[str, Any] = {
        "sep": separator,
        "encoding": "utf-8-sig",
        "skipinitialspace": True,
    }
    # pandas renames repeated columns without a warning.
    first = pd.read_csv(file, header=None, nrows=1, dtype=str, **options)
    names = first.iloc[0].dropna().tolist()
    if repeated := [name for name in names if names.count(name) > 1]:
        raise ValueError(f"two columns are called {repeated[0]!r}")
    if len(names) == 1 and re.search("[;\t,]", names[0]):
        raise ValueError(
            f"it has a single column {names[0]!r}: expected columns separated by "
            + ("commas" if separator == "," else "tabs")
        )
    file.seek(0)
    options |= {"na_values": "?", "dtype": dict.fromkeys(text, str)}
    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)
        try:
            frame: pd.DataFrame = pd.read_csv(
                file, index_col=False, low_memory=False, **options
            )
        except pd.errors.ParserWarning:
            raise ValueError("rows have more fields than there are columns") from None
    return frame


def _read_json(file: io.BytesIO, text: Sequence[str]) -> pd.DataFrame:
    """Read one object per line. Not by pandas, which guesses types."""
    records = []
    for number, line in enumerate(filter(bytes.strip, file)):
        try:
            record = json.loads(line)
        except json.JSONDecodeError as error:
            raise ValueError(f"row {number} is not JSON: {error.msg}") from None
        except RecursionError:
            raise ValueError(f"row {number} is nested too deeply") from None
        if not isinstance(record, dict):
            raise ValueError(f"row {number} is {record!r:.60}, expected an object")
        records.append(record)
    return pd.DataFrame(records)


READERS: dict[str, Reader] = {
    ".csv": partial(_read_text, ","),
    ".tsv": partial(_read_text, "\t"),
    ".parquet": lambda file, text: pd.read_parquet(file, engine="pyarrow"),
    ".jsonl": _read_json,
    ".ndjson": _read_json,
}


def by_ending(path: Path, functions: dict[str, Function]) -> Function:
    """Return the function for the format that the ending of a file name stands for."""
    ending = Path(path.name.lower().removesuffix(".gz")).suffix
    if ending not in functions:
        raise ValueError(
            f"{path} has an unknown ending: expected {', '.join(functions)}, or one of "
            "them with .gz"
        )
    if ending == ".parquet" and importlib.util.find_spec("pyarrow") is None:
        raise ImportError("Parquet needs pyarrow: pip install 'fuzzypairs[files]'")
    return functions[ending]


def _read_ids(column: Column, path: Path) -> NDArray[Any]:
    """Return ids as text, none missing and none twice."""
    ids = as_text(column)
    if ids.isna().any():
        row = int(ids.isna().argmax())
        raise ValueError(
            f"{path}: column {column.name!r} has no id in row {row}; empty fields and "
            "words like NA count as missing"
        )
    if (again := ids.duplicated()).any():
        row = int(again.argmax())
        first = int((ids == ids.iloc[row]).argmax())
        raise ValueError(
            f"{path}: column {column.name!r} holds {ids.iloc[row]!r} in rows {first} "
            f"and {row}; an id must name one row"
        )
    return ids.to_numpy()


def _read_classes(column: Column, path: Path) -> NDArray[Any]:
    """Return classes as text, None where missing."""
    if column.isna().all():
        raise ValueError(f"{path}: column {column.name!r} holds no class at all")
    classes = as_text(column).to_numpy(copy=True)
    classes[column.isna().to_numpy()] = None
    return classes


def _places(column: Column, ids: NDArray[Any]) -> NDArray[np.intp]:
    """Return the rows that ids name."""
    names = as_text(column)
    places: NDArray[np.intp] = pd.Index(ids).get_indexer(pd.Index(names))
    if (places < 0).any():
        row = int((places < 0).argmax())
        raise PairsError(
            f"names {names.iloc[row]!r} in column {column.name!r}, which is no id of "
            "the data",
            index=row,
        )
    return places
