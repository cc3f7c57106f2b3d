"""Finished trials as lines of JSON, in a file that survives being killed."""

import json
import os
from pathlib import Path
from types import TracebackType
from typing import Any, Self

__all__ = ["Runs", "read_lines"]

Line = dict[str, Any]


def read_lines(path: Path) -> list[Line]:
    r"""Read all whole lines; a last one torn by a kill is left out.

    Parameters
    ----------
    path : Path
        The file; none is like an empty one.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from experiments.json_lines import read_lines
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "runs.jsonl"
    ...     _ = path.write_text('{"ari": 0.9}\n{"ari": 0.')
    ...     read_lines(path)
    [{'ari': 0.9}]
    """
    data = path.read_bytes() if path.exists() else b""
    lines = []
    for number, line in enumerate(data[: _whole(data)].splitlines(), start=1):
        try:
            lines.append(json.loads(line))
        except ValueError as error:
            raise ValueError(
                f"line {number} of {path} is not JSON ({error}): delete this line"
            ) from error
    return lines


class Runs:
    """Appends lines, each in the file before the next is made.

    Parameters
    ----------
    path : Path
        The file, made with its folder where there is none.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from experiments.json_lines import Runs, read_lines
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with Runs(Path(folder) / "runs.jsonl") as runs:
    ...         runs.add({"set": "wine", "ari": 0.9})
    ...     read_lines(Path(folder) / "runs.jsonl")
    [{'set': 'wine', 'ari': 0.9}]
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("ab")
        # Whatever a kill left of a line would spoil the next one.
        os.truncate(path, _whole(path.read_bytes()))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def add(self, line: Line) -> None:
        """Append a line."""
        # Chosen parameters may be whatever an estimator takes.
        text = json.dumps(line, separators=(",", ":"), default=str)
        self._file.write(text.encode() + b"\n")
        self._file.flush()


def _whole(data: bytes) -> int:
    """Return where the last whole line ends."""
    return data.rfind(b"\n") + 1
