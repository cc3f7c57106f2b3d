"""Files of tables, read by the ending of their names."""

import gzip
import importlib.util
import io
import json
import re
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pandas as pd
from pandas.api import types

from fuzzypairs.exceptions import ReadingWarning
from fuzzypairs.tables.dialects import (
    Dialect,
    clean,
    decode,
    detect,
    record_lines,
    without_blank_ends,
)
from fuzzypairs.tables.numbers import decimal_of, with_point

__all__ = ["ALL", "by_ending", "open_bytes", "place_of", "read_bytes"]

Function = TypeVar("Function", bound=Callable[..., Any])
# Instead of names of columns: keep all of them as they are written.
ALL = ("*",)
# Missing values beside those that pandas knows (empty, NA, NaN, null, None, n/a, ...).
MISSING = ["?", "-", "--", "k.A.", "k. A."]
# Rows in which the decimal sign of words is looked for, where no parser looks for it.
SAMPLE = 1000
TEXT = (".csv", ".tsv", ".txt")
# What spreadsheet programs write that is not read, and what to save instead.
FOREIGN = {".xls": ".xlsx", ".ods": ".xlsx", ".json": ".jsonl"}
PACKAGES = {".parquet": ("pyarrow", "files"), ".xlsx": ("openpyxl", "excel")}


def open_bytes(path: Path) -> bytes:
    """Return the content of a file, unpacked if its name ends in .gz."""
    with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as file:
        content: bytes = file.read()
    return content


def read_bytes(path: Path, data: bytes, text: Sequence[str]) -> pd.DataFrame:
    """Return the table in the content of a file; columns of `text` stay as written."""
    if (ending := _ending(path)) in FOREIGN:
        raise ValueError(f"{path} ends in {ending}: save it as {FOREIGN[ending]}")
    frame = by_ending(path, READERS)(path, data, text)
    if ending in TEXT or text is ALL:
        return frame
    others = [name for name in frame if name not in text]
    words = (v for name in others for v in frame[name].head(SAMPLE))
    if decimal_of(word for word in words if isinstance(word, str)) == ",":
        for name in others:
            frame[name] = _plain_numbers(frame[name], ",")
    return frame


def place_of(path: Path, row: int) -> str:
    """Say where a row is: its line in a text editor, or its row in a spreadsheet.

    The file is read again: this is for messages.
    """
    ending, data = _ending(path), open_bytes(path)
    if ending in TEXT:
        text, dialect = _text(data, ending)[1:]
        lines = [line for line, _ in record_lines(text, dialect)]
        return f"line {lines[row + 1]}" if row + 1 < len(lines) else f"row {row}"
    if ending in (".jsonl", ".ndjson"):
        lines = [n for n, line in enumerate(data.splitlines(), 1) if line.strip()]
        return f"line {lines[row]}"
    if ending == ".xlsx":
        raw, header, _ = _sheet(data)
        return f"row {_below(raw, header).index[row] + 1}"
    return f"row {row} (from 0)"


def by_ending(path: Path, functions: dict[str, Function]) -> Function:
    """Return the function for the format that the ending of a file name stands for."""
    ending = _ending(path)
    if ending not in functions:
        raise ValueError(
            f"{path} has an unknown ending: expected {', '.join(functions)}, or one of "
            "them with .gz"
        )
    package, extra = PACKAGES.get(ending, ("", ""))
    if package and importlib.util.find_spec(package) is None:
        raise ImportError(
            f"{ending} needs {package}: pip install 'fuzzypairs[{extra}]'"
        )
    return functions[ending]


def _ending(path: Path) -> str:
    return Path(path.name.lower().removesuffix(".gz")).suffix


def _text(data: bytes, ending: str) -> tuple[str, str, Dialect]:
    """Return the encoding of a text file, its text without comments, its dialect."""
    whole, encoding = decode(data)
    text = clean(whole)
    dialect = detect(text, ending)
    return encoding, without_blank_ends(text, dialect.delimiter), dialect


def _missing(text: Sequence[str]) -> Sequence[str]:
    """Return words for missing values: none where all stays as it is written."""
    return [] if text is ALL else MISSING


def _read_text(path: Path, data: bytes, text: Sequence[str]) -> pd.DataFrame:
    """Read a text file, and say so if it is not what its ending stands for."""
    ending = _ending(path)
    encoding, cleaned, dialect = _text(data, ending)
    usual = Dialect("\t" if ending == ".tsv" else ",")
    if encoding not in ("utf-8", "utf-8-sig") or (
        dialect != usual and ending != ".txt"
    ):
        warnings.warn(
            f"{path.name} was read as {encoding}, {dialect}",
            ReadingWarning,
            stacklevel=2,
        )
    options: dict[str, Any] = {
        "sep": r"\s+" if dialect.delimiter == " " else dialect.delimiter,
        "skipinitialspace": True,
        "encoding": "utf-8-sig",
    }
    file = io.BytesIO(cleaned.encode("utf-8", "surrogatepass"))
    first = pd.read_csv(file, header=None, nrows=1, dtype=str, **options)
    _check_names(first.iloc[0].dropna().str.strip().tolist())
    file.seek(0)
    kept = str if text is ALL else dict.fromkeys(text, str)
    options |= {"na_values": _missing(text), "dtype": kept, "decimal": dialect.decimal}
    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)
        try:
            frame: pd.DataFrame = pd.read_csv(
                file, index_col=False, low_memory=False, **options
            )
        except (pd.errors.ParserError, pd.errors.ParserWarning) as error:
            raise ValueError(_why_not(cleaned, dialect, str(error))) from None
    frame.columns = frame.columns.str.strip()
    if text is not ALL:
        for name in frame.columns.difference(list(text)):
            frame[name] = _plain_numbers(frame[name], dialect.decimal)
    return frame


def _check_names(names: list[str]) -> None:
    """Refuse names of columns that are none: pandas would rename repeated ones."""
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


def _why_not(text: str, dialect: Dialect, reason: str) -> str:
    """Say which line pandas cannot read, counted as an editor does."""
    records = list(record_lines(text, dialect))
    if "EOF inside string" in reason:
        return f"a quote that opens in line {records[-1][0]} is never closed"
    n_names = records[0][1]
    line, n_fields = next((r for r in records if r[1] > n_names), records[0])
    return f"line {line} has {n_fields} fields but there are {n_names} columns"


def _plain_numbers(column: "pd.Series[Any]", decimal: str) -> "pd.Series[Any]":
    """Read numbers such as 1,234.5; beside words they become text with a point."""
    if types.is_numeric_dtype(column):
        return column
    words = {value for value in column if isinstance(value, str)}
    if not words:
        return column
    plain = {word: with_point(word, decimal) for word in words}
    read = column.map(lambda v: plain[v] if isinstance(v, str) else v)
    try:
        return pd.to_numeric(read)
    except (ValueError, TypeError):
        return read if decimal == "," else column


def _read_json(path: Path, data: bytes, text: Sequence[str]) -> pd.DataFrame:
    """Read one object per line. Not by pandas, which guesses types."""
    records = []
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
    return pd.DataFrame(records)


def _read_parquet(path: Path, data: bytes, text: Sequence[str]) -> pd.DataFrame:
    return pd.read_parquet(io.BytesIO(data), engine="pyarrow")


def _read_excel(path: Path, data: bytes, text: Sequence[str]) -> pd.DataFrame:
    """Read the first sheet; titles above the names of columns are skipped."""
    raw, header, sheets = _sheet(data, _missing(text))
    if sheets:
        warnings.warn(
            f"{path.name} has the sheets {', '.join(sheets)} too: the first was read",
            ReadingWarning,
            stacklevel=2,
        )
    names = [
        f"Unnamed: {n}" if pd.isna(name) else re.sub(r"\.0$", "", str(name)).strip()
        for n, name in enumerate(raw.iloc[header])
    ]
    _check_names([name for name in names if not name.startswith("Unnamed: ")])
    frame = _below(raw, header).set_axis(names, axis=1)
    return frame.reset_index(drop=True).infer_objects()


def _sheet(
    data: bytes, missing: Sequence[str] = MISSING
) -> tuple[pd.DataFrame, int, list[str]]:
    """Return the cells of the first sheet, the row of names, and further sheets."""
    try:
        with pd.ExcelFile(io.BytesIO(data), engine="openpyxl") as book:
            raw = pd.read_excel(book, header=None, dtype=object, na_values=missing)
            others = [str(name) for name in book.sheet_names[1:]]
    except Exception as error:  # zipfile, XML and openpyxl have none in common
        raise ValueError(f"it is no workbook ({error})") from None
    filled = raw.notna().sum(axis=1)
    if not len(raw) or not filled.max():
        raise pd.errors.EmptyDataError
    # A title fills one cell; names may lack one, above a column of row names.
    wanted = max(int(filled.max()) - 1, min(2, int(filled.max())))
    return raw, int((filled >= wanted).argmax()), others


def _below(raw: pd.DataFrame, header: int) -> pd.DataFrame:
    """Return the rows below the names of columns that are not empty."""
    return raw.iloc[header + 1 :].dropna(how="all")


READERS: dict[str, Callable[[Path, bytes, Sequence[str]], pd.DataFrame]] = {
    ".csv": _read_text,
    ".tsv": _read_text,
    ".txt": _read_text,
    ".xlsx": _read_excel,
    ".parquet": _read_parquet,
    ".jsonl": _read_json,
    ".ndjson": _read_json,
}
