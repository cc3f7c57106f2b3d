"""Files of tables, opened once and read by the ending of their names."""

import gzip
import importlib.util
import io
import json
import re
import warnings
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Protocol, TypeVar

import numpy as np
import pandas as pd
from pandas.api import types

from fuzzypairs.tables.dialects import (
    Dialect,
    clean,
    decode,
    detect,
    record_lines,
    without_blank_ends,
)
from fuzzypairs.tables.numbers import decimal_of, number_in, with_point

__all__ = ["ALL", "TableFile", "TextTable", "by_ending"]

Value = TypeVar("Value")
# Instead of names of columns: keep all of them as they are written.
ALL = ("*",)
# Missing values beside those that pandas knows (empty, NA, NaN, null, None, n/a, ...).
MISSING = ["?", "-", "--", "k.A.", "k. A."]
# Rows in which the decimal sign of words is looked for, where no parser looks for it.
SAMPLE = 1000
# What spreadsheet programs write that is not read, and what to save instead.
FOREIGN = {".xls": ".xlsx", ".ods": ".xlsx", ".json": ".jsonl"}
PACKAGES = {".parquet": ("pyarrow", "files"), ".xlsx": ("openpyxl", "excel")}
EXPECTED = "names of columns, then a row for each item"


class TableFile:
    r"""A file of a table, whose content is decoded once.

    Encoding, delimiter and decimal sign of text are found from the text; comments are
    skipped. Empty fields, ``?``, ``-`` and words such as NA are missing values.

    Parameters
    ----------
    path : str or path-like
        ``*.csv``, ``*.tsv``, ``*.txt``, ``*.xlsx``, ``*.parquet``, ``*.jsonl`` or
        ``*.ndjson``, with or without ``.gz``.

    Attributes
    ----------
    path : Path
    note : str
        What users should know of how the file was read.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from fuzzypairs.tables.readers import TableFile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "wines.csv"
    ...     _ = path.write_text("name,acid\noak,1.5\nash,?\n")
    ...     TableFile(path).read().shape
    (2, 2)
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = path = Path(path)
        if path.is_dir():
            raise IsADirectoryError(f"{path} is a folder: name a file in it")
        if not path.exists():
            raise FileNotFoundError(f"{path} does not exist: check the name")
        if (ending := _ending(path)) in FOREIGN:
            raise ValueError(f"{path} ends in {ending}: save it as {FOREIGN[ending]}")
        kind = by_ending(path, FORMATS)
        with self._errors():
            packed = path.suffix.lower() == ".gz"
            with gzip.open(path) if packed else path.open("rb") as file:
                self._content = kind(file.read(), ending)
        self.note = self._content.note and f"{path.name} {self._content.note}"

    def read(self, text: Sequence[str | None] = ()) -> pd.DataFrame:
        """Return the table; columns of `text` stay as they are written."""
        with self._errors():
            named = [name for name in text if name is not None]
            frame = self._content.read(ALL if text is ALL else named)
        if frame.empty:
            raise ValueError(f"{self.path} has no rows: expected {EXPECTED}")
        # A named index of Parquet is a column like others.
        frame = frame.reset_index(drop=frame.index.name is None)
        return frame.set_axis([str(name) for name in frame.columns], axis=1)

    def place(self, row: int) -> str:
        """Say where a row is: its line in a text editor, or row in a spreadsheet."""
        return self._content.place(row)

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Name the file in errors about its content."""
        try:
            yield
        except pd.errors.EmptyDataError:
            raise ValueError(f"{self.path} is empty: expected {EXPECTED}") from None
        # gzip, pandas and pyarrow have no error in common for a damaged file.
        except (ValueError, OSError, EOFError, zlib.error) as error:
            if isinstance(error, PermissionError):
                raise
            reason = " ".join(str(error).split())
            raise ValueError(f"{self.path} cannot be read: {reason}") from error


def by_ending(path: Path, values: dict[str, Value]) -> Value:
    """Return the value for the format that the ending of a file name stands for."""
    ending = _ending(path)
    if ending not in values:
        raise ValueError(
            f"{path} has an unknown ending: expected {', '.join(values)}, or one of "
            "them with .gz"
        )
    package, extra = PACKAGES.get(ending, ("", ""))
    if package and importlib.util.find_spec(package) is None:
        raise ImportError(
            f"{ending} needs {package}: pip install 'fuzzypairs[{extra}]'"
        )
    return values[ending]


def _ending(path: Path) -> str:
    return Path(path.name.lower().removesuffix(".gz")).suffix


class TableContent(Protocol):
    """The content of a file, made of its bytes and the ending of its name."""

    note: str

    def __init__(self, data: bytes, ending: str) -> None: ...

    def read(self, text: Sequence[str]) -> pd.DataFrame:
        """Return the table; columns of `text` stay as they are written."""

    def place(self, row: int) -> str:
        """Say where a row is."""


class TextTable:
    """A text file, whose dialect is found from its content unless it is given."""

    def __init__(
        self, data: bytes, ending: str = ".csv", dialect: Dialect | None = None
    ) -> None:
        whole, encoding = decode(data)
        text = clean(whole)
        self.dialect = detect(text, ending) if dialect is None else dialect
        self.text = without_blank_ends(text, self.dialect.delimiter)
        usual = Dialect("\t" if ending == ".tsv" else ",")
        is_usual = self.dialect == usual or ending == ".txt"
        self.note = f"was read as {encoding}, {self.dialect}"
        if encoding in ("utf-8", "utf-8-sig") and is_usual:
            self.note = ""

    def read(
        self, text: Sequence[str] = (), columns: Sequence[str] | None = None
    ) -> pd.DataFrame:
        """Return the table, or some of its columns."""
        delimiter, decimal = self.dialect.delimiter, self.dialect.decimal
        _check_names(next(self._records(), (0, []))[1])
        wanted = set(columns or ())
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            try:
                frame: pd.DataFrame = pd.read_csv(
                    io.BytesIO(self.text.encode("utf-8", "surrogatepass")),
                    sep=r"\s+" if delimiter == " " else delimiter,
                    decimal=decimal,
                    skipinitialspace=True,
                    encoding="utf-8-sig",
                    na_values=[] if text is ALL else MISSING,
                    dtype=str if text is ALL else dict.fromkeys(text, str),
                    usecols=(lambda name: name.strip() in wanted) if wanted else None,
                    index_col=False,
                    low_memory=False,
                )
            except (pd.errors.ParserError, pd.errors.ParserWarning) as error:
                raise ValueError(self._why_not(str(error))) from None
        frame.columns = frame.columns.str.strip()
        return frame if text is ALL else _with_plain_numbers(frame, text, decimal)

    def place(self, row: int) -> str:
        """Say on which line a row begins."""
        lines = [line for line, _ in self._records()]
        return f"line {lines[row + 1]}" if row + 1 < len(lines) else f"row {row}"

    def _records(self) -> Iterator[tuple[int, list[str]]]:
        return record_lines(self.text, self.dialect)

    def _why_not(self, reason: str) -> str:
        """Say which line pandas cannot read, counted as an editor does."""
        records = [(line, len(fields)) for line, fields in self._records()]
        if "EOF inside string" in reason:
            return f"a quote that opens in line {records[-1][0]} is never closed"
        n_names = records[0][1]
        line, n_fields = next((r for r in records if r[1] > n_names), records[0])
        return f"line {line} has {n_fields} fields but there are {n_names} columns"


class CellTable:
    """A table whose cells have types of their own, or none."""

    note = ""
    frame: pd.DataFrame

    def read(self, text: Sequence[str]) -> pd.DataFrame:
        """Return the table; numbers with decimal commas are read in text."""
        if text is ALL:
            return self.frame
        others = self.frame.columns.difference(list(text), sort=False)
        words = (v for name in others for v in self.frame[name].head(SAMPLE))
        if decimal_of(word for word in words if isinstance(word, str)) == ".":
            return self.frame
        return _with_plain_numbers(self.frame, text, ",")

    def place(self, row: int) -> str:
        """Say which row it is."""
        return f"row {row} (from 0)"


class ParquetTable(CellTable):
    """A Parquet file."""

    def __init__(self, data: bytes, ending: str) -> None:
        self.frame = pd.read_parquet(io.BytesIO(data), engine="pyarrow")


class JsonTable(CellTable):
    """A file with one object per line, not read by pandas, which guesses types."""

    def __init__(self, data: bytes, ending: str) -> None:
        records, self.lines = [], []
        for number, line in enumerate(data.splitlines(), 1):
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except json.JSONDecodeError as error:
                raise ValueError(f"line {number} is not JSON: {error.msg}") from None
            except RecursionError:
                raise ValueError(f"line {number} is nested too deeply") from None
            if not isinstance(record, dict):
                raise ValueError(f"line {number} is {record!r:.60}, expected an object")
            records.append(record)
            self.lines.append(number)
        self.frame = pd.DataFrame(records)

    def place(self, row: int) -> str:
        """Say on which line a row is."""
        return f"line {self.lines[row]}"


class Workbook(CellTable):
    """The first sheet of an Excel file; titles above the names are skipped."""

    def __init__(self, data: bytes, ending: str) -> None:
        try:
            with pd.ExcelFile(io.BytesIO(data), engine="openpyxl") as book:
                sheet = pd.read_excel(book, header=None, dtype=object)
                others = [str(name) for name in book.sheet_names[1:]]
        except Exception as error:  # zipfile, XML and openpyxl have none in common
            raise ValueError(f"it is no workbook ({error})") from None
        if others:
            self.note = f"has the sheets {', '.join(others)} too: the first was read"
        filled = sheet.notna().sum(axis=1)
        if not len(sheet) or not filled.max():
            raise pd.errors.EmptyDataError
        # A title fills one cell; names may lack one, above a column of row names.
        wanted = max(int(filled.max()) - 1, min(2, int(filled.max())))
        header = int((filled >= wanted).argmax())
        names = [
            f"Unnamed: {n}" if pd.isna(name) else re.sub(r"\.0$", "", str(name)).strip()
            for n, name in enumerate(sheet.iloc[header])
        ]
        _check_names([name for name in names if not name.startswith("Unnamed: ")])
        below = sheet.iloc[header + 1 :].dropna(how="all")
        self.rows = below.index + 1
        frame = below.set_axis(names, axis=1).reset_index(drop=True)
        self.frame = frame.infer_objects()

    def read(self, text: Sequence[str]) -> pd.DataFrame:
        """Return the table; `MISSING` words are missing values."""
        if text is not ALL:
            self.frame = self.frame.replace(MISSING, np.nan).infer_objects()
        return super().read(text)

    def place(self, row: int) -> str:
        """Say which row of the sheet it is."""
        return f"row {self.rows[row]}"


FORMATS: dict[str, type[TableContent]] = {
    **dict.fromkeys((".csv", ".tsv", ".txt"), TextTable),
    ".xlsx": Workbook,
    ".parquet": ParquetTable,
    ".jsonl": JsonTable,
    ".ndjson": JsonTable,
}


def _check_names(names: list[str]) -> None:
    """Refuse names of columns that are none: pandas would rename repeated ones."""
    names = [name.strip() for name in names if name.strip()]
    numbers = pd.to_numeric(pd.Series(names, dtype=object), errors="coerce")
    counted = numbers.tolist() == list(range(len(names)))
    whole = numbers.notna().all() and (numbers % 1 == 0).all() and numbers.is_unique
    if names and numbers.notna().all() and not (counted or whole):
        raise ValueError(
            f"its first line holds numbers ({', '.join(names[:3])}): expected names of "
            "columns"
        )
    if repeated := [name for name in names if names.count(name) > 1]:
        raise ValueError(f"two columns are called {repeated[0]!r}")


def _with_plain_numbers(
    frame: pd.DataFrame, text: Sequence[str], decimal: str
) -> pd.DataFrame:
    """Read numbers such as 1,234.5 in columns that are not to stay as written.

    Beside words, numbers with decimal commas become text with a point.
    """
    frame = frame.copy()
    for name in frame.columns.difference(list(text)):
        column = frame[name]
        words = [word for word in column.unique() if isinstance(word, str)]
        if types.is_numeric_dtype(column) or not words:
            continue
        if decimal == "." and not number_in(words[0]):
            continue  # and so are not all of them numbers
        plain = {word: with_point(word, decimal) for word in words}
        read = column.map(lambda v, plain=plain: plain[v] if isinstance(v, str) else v)
        try:
            frame[name] = pd.to_numeric(read)
        except (ValueError, TypeError):
            if decimal == ",":
                frame[name] = read
    return frame
