"""Large files as blocks of rows: Parquet, CSV and memory-mapped arrays."""

import glob
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fuzzypairs.tables.dialects import SAMPLE, Dialect
from fuzzypairs.tables.readers import TextTable
from fuzzypairs.threads import machine_memory

__all__ = ["FileBlock", "find_files", "is_large", "list_blocks"]

# The size of a block, as it is in memory or in a text file.
BLOCK_BYTES = 64_000_000
# Files of a larger share of the memory are read in blocks.
LARGE_SHARE = 0.25
ENDINGS = (".parquet", ".csv", ".tsv", ".npy")


def find_files(data: str | os.PathLike[str]) -> list[Path]:
    """Return the files of a pattern, a folder or a name, sorted.

    Parameters
    ----------
    data : str or path-like
        A file, a folder of files that can be read in blocks, or a pattern such as
        ``data/*.parquet``.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("b.csv", "a.csv", "c.txt"):
    ...         _ = (Path(folder) / name).write_text("x")
    ...     [path.name for path in find_files(f"{folder}/*.csv")]
    ['a.csv', 'b.csv']
    """
    path = Path(data)
    if path.is_dir():
        found = [p for p in path.iterdir() if p.suffix.lower() in ENDINGS]
    elif glob.has_magic(str(data)) and not path.exists():
        found = [Path(name) for name in glob.glob(str(data))]
    else:
        return [path]
    if not found:
        raise FileNotFoundError(
            f"{data} has no file: expected {', '.join(ENDINGS)} in a folder, or a "
            "pattern such as 'data/*.parquet'"
        )
    if len(endings := {p.suffix.lower() for p in found}) > 1:
        raise ValueError(
            f"{data} has files of several kinds ({', '.join(sorted(endings))}): name "
            "one kind by a pattern such as 'data/*.parquet'"
        )
    return sorted(found)


def is_large(data: str | os.PathLike[str]) -> bool:
    """Tell whether data are several files, or larger than a quarter of the memory."""
    path = Path(data)
    if path.is_dir():  # not one of pictures or texts
        return any(p.suffix.lower() in ENDINGS for p in path.iterdir())
    if not path.is_file():
        return glob.has_magic(str(data))
    if path.suffix.lower() not in ENDINGS:
        return False
    return path.stat().st_size > LARGE_SHARE * machine_memory()


@dataclass(frozen=True)
class FileBlock:
    """Rows of a file that are read on their own.

    Attributes
    ----------
    path : str
    first, last : int
        Its range: row groups of Parquet, bytes of CSV, rows of an array.
    n_rows : int or None
        Where the file tells.
    head : bytes, default=b""
        The names of columns of a CSV file, as they stand there.
    dialect : Dialect, default=None
        How a CSV file writes a table, found from its beginning.
    """

    path: str
    first: int
    last: int
    n_rows: int | None = None
    head: bytes = b""
    dialect: Dialect | None = None

    def read(
        self, columns: Sequence[str] | None = None, text: Sequence[str] = ()
    ) -> pd.DataFrame:
        """Return the rows as a table; those of `text` as they are written."""
        ending = Path(self.path).suffix.lower()
        if ending == ".parquet":
            frame: pd.DataFrame = self.arrow(columns).to_pandas()
        elif ending == ".npy":
            frame = pd.DataFrame(self.array())
            frame.columns = pd.Index([f"x{f}" for f in range(frame.shape[1])])
        else:
            with open(self.path, "rb") as file:
                file.seek(self.first)
                data = self.head + file.read(self.last - self.first)
            return TextTable(data, ending, self.dialect).read(text, columns)
        return frame if columns is None else frame[list(columns)]

    def arrow(self, columns: Sequence[str] | None = None) -> Any:
        """Return the rows of a Parquet file as an Arrow table."""
        import pyarrow.parquet as pq

        with pq.ParquetFile(self.path) as file:
            wanted = None if columns is None else list(columns)
            groups = range(self.first, self.last)
            return file.read_row_groups(groups, wanted, use_threads=False)

    def array(self) -> Any:
        """Return the rows of a memory-mapped array."""
        return np.load(self.path, mmap_mode="r")[self.first : self.last]


def list_blocks(files: Sequence[Path]) -> list[FileBlock]:
    """Return the blocks of files, in their order."""
    blocks = []
    for path in files:
        if not path.exists():
            raise FileNotFoundError(f"{path} does not exist: check the name")
        ending = path.suffix.lower()
        if ending not in ENDINGS:
            raise ValueError(
                f"{path} cannot be read in blocks: expected {', '.join(ENDINGS)}"
            )
        cut = {".parquet": _cut_parquet, ".npy": _cut_array}.get(ending, _cut_text)
        blocks += cut(path)
    if not blocks:
        raise ValueError(f"{files[0]} and the other files have no rows")
    return blocks


def _cut_parquet(path: Path) -> list[FileBlock]:
    import pyarrow.parquet as pq
    from pyarrow import ArrowInvalid

    try:
        with pq.ParquetFile(path) as file:
            groups = [file.metadata.row_group(n) for n in range(file.num_row_groups)]
            sizes = [(g.num_rows, g.total_byte_size) for g in groups]
    except ArrowInvalid as error:
        raise ValueError(f"{path} cannot be read: {error}") from None
    blocks, first, n_rows, n_bytes = [], 0, 0, 0
    for number, (rows, size) in enumerate(sizes):
        if n_rows and n_bytes + size > BLOCK_BYTES:
            blocks.append(FileBlock(str(path), first, number, n_rows))
            first, n_rows, n_bytes = number, 0, 0
        n_rows, n_bytes = n_rows + rows, n_bytes + size
    if n_rows:
        blocks.append(FileBlock(str(path), first, len(sizes), n_rows))
    return blocks


def _cut_array(path: Path) -> list[FileBlock]:
    X = np.load(path, mmap_mode="r")
    if X.ndim != 2 or X.dtype.kind not in "fiub":
        raise ValueError(
            f"{path} holds {X.dtype} of shape {X.shape}, expected numbers in rows"
        )
    rows = max(1, BLOCK_BYTES // max(1, X.shape[1] * X.itemsize))
    return [
        FileBlock(
            str(path), first, min(first + rows, len(X)), min(rows, len(X) - first)
        )
        for first in range(0, len(X), rows)
    ]


def _cut_text(path: Path) -> list[FileBlock]:
    """Cut a text file after lines that end outside quotes."""
    blocks = []
    with path.open("rb") as file:
        # Whole lines, of which those above the names of columns are emptied.
        begin = file.read(SAMPLE) + file.readline()
        table = TextTable(begin, path.suffix.lower())
        above = len(table.text) - len(table.text.lstrip("\r\n"))
        n_above = table.text.count("\n", 0, above)
        head = table.text[above:].partition("\n")[0].encode() + b"\n"
        first, end = (
            sum(map(len, begin.splitlines(True)[: n_above + 1])),
            path.stat().st_size,
        )
        while first < end:
            file.seek(first)
            part = file.read(BLOCK_BYTES) + file.readline()
            quotes, last = part.count(b'"'), first + len(part)
            while quotes % 2 and last < end:  # within a quoted field
                line = file.readline()
                quotes, last = quotes + line.count(b'"'), last + len(line)
            blocks.append(FileBlock(str(path), first, last, None, head, table.dialect))
            first = last
    return blocks
