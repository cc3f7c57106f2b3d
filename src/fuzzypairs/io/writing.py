"""Tables that go out to files, with no cell that a spreadsheet would run."""

import gzip
import importlib.util
import io
from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import pandas as pd

from fuzzypairs.io.atomic import replacing

__all__ = ["escape_cell", "unescape_cell", "write_table"]

# Spreadsheets take text that begins so for a formula. The apostrophe is not one of
# them: it marks what was escaped, so it must be escaped itself.
MARKS = ("=", "+", "-", "@", "\t", "\r", "\n", "'")


def escape_cell(cell: Any) -> Any:
    """Put an apostrophe before text that a spreadsheet would run.

    Parameters
    ----------
    cell : object
        Text, or a number or anything else, which is left alone.

    Returns
    -------
    escaped : object
        With an apostrophe in front if text begins with ``=``, ``+``, ``-``, ``@``, a
        tab, an end of line, or an apostrophe; else as it is.

    See Also
    --------
    unescape_cell : The way back.

    Examples
    --------
    >>> from fuzzypairs.io.writing import escape_cell
    >>> escape_cell("=1+2"), escape_cell("oak")
    ("'=1+2", 'oak')
    """
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(MARKS) else cell


def unescape_cell(text: str) -> str:
    """Undo `escape_cell`, for every text.

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
        Text and heads are escaped in CSV and TSV, see `escape_cell`; the other formats
        keep everything as it is.
    decimals : int, default=None
        Of the numbers in CSV and TSV; as many as it takes if None.

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
    data = io.BytesIO()
    writer_of(path)(pd.DataFrame(columns), data, decimals)
    packed = path.suffix.lower() == ".gz"
    with replacing(path) as temporary:
        # Without a time in its head the same table gives the same file.
        temporary.write_bytes(
            gzip.compress(data.getvalue(), mtime=0) if packed else data.getvalue()
        )


def writer_of(path: Path) -> "Writer":
    """Return what writes the format that the ending of a name asks for."""
    name = path.name.lower().removesuffix(".gz")
    try:
        writer = WRITERS[Path(name).suffix]
    except KeyError:
        raise ValueError(
            f"{path} has an unknown ending: expected {', '.join(WRITERS)}, or one of "
            "them with .gz"
        ) from None
    if writer is _write_parquet and importlib.util.find_spec("pyarrow") is None:
        raise ImportError("Parquet needs pyarrow: pip install 'fuzzypairs[files]'")
    return writer


Writer = Callable[[pd.DataFrame, io.BytesIO, int | None], None]


def _write_text(separator: str) -> Writer:
    """Return what writes CSV or TSV."""

    def write(frame: pd.DataFrame, file: io.BytesIO, decimals: int | None) -> None:
        texts = frame.select_dtypes(exclude="number").columns
        safe = frame.assign(**{name: frame[name].map(escape_cell) for name in texts})
        safe.rename(columns=escape_cell).to_csv(
            file,
            sep=separator,
            index=False,
            float_format=None if decimals is None else f"%.{decimals}f",
            lineterminator="\n",
        )

    return write


def _write_json(frame: pd.DataFrame, file: io.BytesIO, decimals: int | None) -> None:
    frame.to_json(file, orient="records", lines=True, double_precision=15)


def _write_parquet(frame: pd.DataFrame, file: io.BytesIO, decimals: int | None) -> None:
    frame.to_parquet(file, engine="pyarrow", index=False)


WRITERS: dict[str, Writer] = {
    ".csv": _write_text(","),
    ".tsv": _write_text("\t"),
    ".parquet": _write_parquet,
    ".jsonl": _write_json,
    ".ndjson": _write_json,
}
