"""Writing tables to files, with no cell that a spreadsheet would run."""

import gzip
import importlib
import importlib.util
import io
import math
from collections.abc import Callable, Mapping
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fuzzypairs.tables.atomic import replacing
from fuzzypairs.tables.readers import by_ending

__all__ = ["escape_cell", "unescape_cell", "write_table"]

# Spreadsheets take text that begins like this for a formula. The apostrophe does not
# make one: it marks what was escaped, so it must be escaped itself.
MARKS = ("=", "+", "-", "@", "\t", "\r", "\n", "'")

# Rows of a sheet, the head included, and characters of a cell.
EXCEL_ROWS, EXCEL_TEXT = 1_048_576, 32_767


def escape_cell(cell: Any) -> Any:
    """Put an apostrophe before text that a spreadsheet would run.

    Parameters
    ----------
    cell : object
        Text that begins with ``=``, ``+``, ``-``, ``@``, a tab, an end of line or an
        apostrophe is escaped, everything else is not.

    Examples
    --------
    >>> from fuzzypairs.tables.writing import escape_cell
    >>> escape_cell("=1+2"), escape_cell("oak")
    ("'=1+2", 'oak')
    """
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(MARKS) else cell


def unescape_cell(text: str) -> str:
    """Undo `escape_cell`.

    Parameters
    ----------
    text : str
        A cell of a file that `write_table` wrote.

    Examples
    --------
    >>> from fuzzypairs.tables.writing import unescape_cell
    >>> unescape_cell("'=1+2"), unescape_cell("oak")
    ('=1+2', 'oak')
    """
    return text[1:] if text.startswith("'") and text[1:].startswith(MARKS) else text


def write_table(
    path: str | PathLike[str],
    columns: Mapping[str, Any],
    *,
    decimals: int | None = None,
) -> None:
    r"""Write columns as CSV, TSV, Excel, Parquet or JSON lines, packed by gzip or not.

    Parameters
    ----------
    path : str or path-like
        ``*.csv``, ``*.tsv``, ``*.xlsx``, ``*.parquet``, ``*.jsonl`` or ``*.ndjson``,
        with or without ``.gz``. The file appears whole or not at all.
    columns : mapping of str to array of shape (n_rows,)
        Text and names of columns are escaped in CSV and TSV, see `escape_cell`; the
        other formats keep everything as it is. In Excel files text is text, never a
        formula; characters that they cannot hold are left out.
    decimals : int, default=None
        Decimals of the numbers in CSV, TSV and Excel files; None writes all digits.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from fuzzypairs.tables.writing import write_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "memberships.csv"
    ...     write_table(path, {"id": ["oak", "@ash"], "cluster_0": [0.25, 1.0]},
    ...                 decimals=3)
    ...     path.read_text()
    "id,cluster_0\noak,0.250\n'@ash,1.000\n"
    """
    path = Path(path)
    file = io.BytesIO()
    frame = pd.DataFrame(columns)
    writer_of(path, len(frame))(frame, file, decimals)
    data = file.getvalue()
    if path.suffix.lower() == ".gz":
        # Without a time stamp the same table gives the same file.
        data = gzip.compress(data, mtime=0)
    with replacing(path) as temporary:
        temporary.write_bytes(data)


def writer_of(path: Path, n_rows: int = 0) -> "Writer":
    """Return the function that writes the format of a path, or raise an error.

    Before long work it tells whether `n_rows` rows can be written.
    """
    write = by_ending(path, WRITERS)
    if write is _write_excel:
        if importlib.util.find_spec("openpyxl") is None:
            raise ImportError("Excel needs openpyxl: pip install 'fuzzypairs[excel]'")
        if n_rows >= EXCEL_ROWS:
            raise ValueError(
                f"{path.name} would have {n_rows:,} rows but Excel files hold "
                f"{EXCEL_ROWS - 1:,}: write csv or parquet"
            )
    return write


def _write_text(
    separator: str, frame: pd.DataFrame, file: io.BytesIO, decimals: int | None
) -> None:
    """Write CSV or TSV."""
    texts = frame.select_dtypes(exclude="number").columns
    safe = frame.assign(**{name: frame[name].map(escape_cell) for name in texts})
    safe.rename(columns=escape_cell).to_csv(
        file,
        sep=separator,
        index=False,
        float_format=None if decimals is None else f"%.{decimals}f",
        lineterminator="\n",
    )


def _write_json(frame: pd.DataFrame, file: io.BytesIO, decimals: int | None) -> None:
    frame.to_json(file, orient="records", lines=True, double_precision=15)


def _write_parquet(frame: pd.DataFrame, file: io.BytesIO, decimals: int | None) -> None:
    frame.to_parquet(file, engine="pyarrow", index=False)


def _write_excel(frame: pd.DataFrame, file: io.BytesIO, decimals: int | None) -> None:
    """Write one sheet, row by row: memory does not grow with the table."""
    openpyxl = importlib.import_module("openpyxl")
    cells = importlib.import_module("openpyxl.cell")
    illegal = importlib.import_module("openpyxl.cell.cell").ILLEGAL_CHARACTERS_RE
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("memberships")
    sheet.freeze_panes = "A2"

    def cell(value: Any) -> Any:
        if isinstance(value, np.generic):
            value = value.item()
        if value is None or value is pd.NaT or value is pd.NA:
            return None
        if isinstance(value, float) and not math.isfinite(value):
            return None
        if isinstance(value, bool | int):
            return value
        if isinstance(value, float):
            return value if decimals is None else round(value, decimals)
        made = cells.WriteOnlyCell(sheet, illegal.sub("", str(value))[:EXCEL_TEXT])
        made.data_type = "s"  # openpyxl takes "=1+2" for a formula
        return made

    sheet.append([cell(str(name)) for name in frame])
    for row in frame.itertuples(index=False, name=None):
        sheet.append([cell(value) for value in row])
    book.save(file)


Writer = Callable[[pd.DataFrame, io.BytesIO, int | None], None]
WRITERS: dict[str, Writer] = {
    ".csv": partial(_write_text, ","),
    ".tsv": partial(_write_text, "\t"),
    ".xlsx": _write_excel,
    ".parquet": _write_parquet,
    ".jsonl": _write_json,
    ".ndjson": _write_json,
}
