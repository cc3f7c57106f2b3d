"""Finished trials as lines of JSON, in a file that survives being killed."""

import json
import os
from pathlib import Path
from typing import Any

__all__ = ["append_line", "open_lines", "read_lines"]

Line = dict[str, Any]


def read_lines(path: Path) -> list[Line]:
    """Read all whole lines; one that a kill left unfinished is left out.

    A file that does not exist has none.
    """
    data = path.read_bytes() if path.exists() else b""
    lines = []
    for number, line in enumerate(data[: _end(data)].splitlines(), start=1):
        try:
            lines.append(json.loads(line))
        except ValueError as error:
            raise ValueError(
                f"line {number} of {path} is not JSON ({error}): delete this line"
            ) from error
    return lines


def open_lines(path: Path) -> None:
    """Create the file where there is none; cut off an unfinished last line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    os.truncate(path, _end(path.read_bytes()))


def append_line(path: Path, line: Line) -> None:
    """Append a line to a file that `open_lines` has prepared."""
    # Chosen parameters may be whatever an estimator takes.
    text = json.dumps(line, separators=(",", ":"), default=str)
    with path.open("ab") as file:
        file.write(text.encode() + b"\n")


def _end(data: bytes) -> int:
    """Return where the last whole line ends."""
    return data.rfind(b"\n") + 1
