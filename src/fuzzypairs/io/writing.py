"""Writing tables to files, with no cell that a spreadsheet would run."""

import gzip
import io
from collections.abc import Callable, Mapping
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

import pandas as pd

from fuzzypairs.io.atomic import replacing
from fuzzypairs.io.tables import by_ending

__all__ = ["escape_cell", "unescape_cell", "write_table"]

# Spreadsheets take text that begins like this for a formula. The apostrophe does not
# make one: it marks what was escaped, so it must be escaped itself.
MARKS = ("=", "+", "-", "@", "\t", "\r", "\n", "'")


def escape_cell(cell: Any) -> Any:
    """Put an apostrophe before text that a spreadsheet would run.

    Parameters
    ----------
    cell : object
        Text that begins with ``=``, ``+``, ``-``, ``@``, a tab, an end of line or an
        apostrophe is escaped, everything else is not.

    Returns
    -------
    escaped : object

    Examples
    --------
    >>> from fuzzypairs.io.writing import escape_cell
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

    Returns
    -------
    plain : str

    Examples
    --------
    >>> from fuzzypairs.io.writing import unescape_cell
    >>> unescape_cell("'=1+2"), unescape_cell("oak")
    ('=1+2', 'oak')
    """
    return text.removeprefix("'")


def write_table(
    path: str | PathLike[str],
    columns: Mapping[str, Any],
    *,
    decimals: int | None = None,
) -> None:
    r"""Write columns as CSV, TSV, Parquet or JSON lines, packed by gzip or not.

    Parameters
    ----------
    path : str or path-like
        ``*.csv``, ``*.tsv``, ``*.parquet``, ``*.jsonl`` or ``*.ndjson``, with or
        without ``.gz``. The file appears whole or not at all.
    columns : mapping of str to array of shape (n_rows,)
        Text and names of columns are escaped in CSV and TSV, see `escape_cell`; the
        other formats keep everything as it is.
    decimals : int, default=None
        Decimals of the numbers in CSV and TSV; None writes all digits.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from fuzzypairs.io.writing import write_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "memberships.csv"
    ...     write_table(path, {"id": ["oak", "@ash"], "cluster_0": [0.25, 1.0]},
    ...                 decimals=3)
    ...     path.read_text()
    "id,cluster_0\noak,0.250\n'@ash,1.000\n"
    """
    path = Path(path)
    file = io.BytesIO()
    writer_of(path)(pd.DataFrame(columns), file, decimals)
    data = file.getvalue()
    if path.suffix.lower() == ".gz":
        # Without a time stamp the same table gives the same file.
        data = gzip.compress(data, mtime=0)
    with replacing(path) as temporary:
        temporary.write_bytes(data)


def writer_of(path: Path) -> "Writer":
    """Return the function that writes the format of a path, or raise an error."""
    return by_ending(path, WRITERS)


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


Writer = Callable[[pd.DataFrame, io.BytesIO, int | None], None]
WRITERS: dict[str, Writer] = {
    ".csv": partial(_write_text, ","),
    ".tsv": partial(_write_text, "\t"),
    ".parquet": _write_parquet,
    ".jsonl": _write_json,
    ".ndjson": _write_json,
}
