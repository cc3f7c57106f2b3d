"""Runs as data: what was fitted, and its scores, one line of JSON each."""

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from fuzzypairs import __version__
from fuzzypairs.tables.atomic import replacing

__all__ = ["Point", "Result", "Results", "Run", "Runs"]

# Names and values of parameters, in the order of the grid.
Point = tuple[tuple[str, float], ...]
# By criterion one value for each start; "refused" says why there are none.
Result = dict[str, Any]


@dataclass(frozen=True, order=True)
class Run:
    """Fits of one method at one point of its grid, from some of its starts.

    Attributes
    ----------
    dataset, group : str
        The data, and the group of judgements; "" for methods that use none.
    draw : int
        Seeds the judgements.
    method : str
        A name in `fuzzypairs.reproduction.methods.METHODS`.
    point : tuple of (name, value)
        The parameters.
    held_out : bool
        Whether each fit leaves out a fold of the judgements and is scored by it.
    first, last : int
        The starts, `last` excluded; each start is its own seed.
    version : str
        Of this package.

    Examples
    --------
    >>> from fuzzypairs.reproduction.runs import Run
    >>> run = Run("wine", "iv", 0, "pcca", (("beta", 0.5),), last=4, version="0")
    >>> Run.from_dict(run.as_dict()) == run
    True
    """

    dataset: str
    group: str
    draw: int
    method: str
    point: Point = ()
    held_out: bool = False
    first: int = 0
    last: int = 1
    version: str = __version__

    def as_dict(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        return asdict(self) | {"point": dict(self.point)}

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> "Run":
        """Return the run with the fields of `as_dict`."""
        return cls(**{**fields, "point": tuple(fields["point"].items())})


Results = Mapping[Run, Result]


class Runs:
    """Finished runs, in memory and in a file that stays readable after a kill.

    A line is appended and flushed as soon as its run is done. A last line that a
    kill left incomplete is dropped at the next start. `sort` sorts the lines, so that
    the file does not depend on the order of the runs or the number of processes.

    Parameters
    ----------
    path : Path
        The file; it need not exist. Its folder must.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from fuzzypairs.reproduction.runs import Run, Runs
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with Runs(Path(folder) / "runs.jsonl") as runs:
    ...         runs.add(Run("wine", "", 0, "fcm"), {"nari": [0.9]})
    ...     with Runs(Path(folder) / "runs.jsonl") as again:
    ...         again.results
    {Run(dataset='wine', ...): {'nari': [0.9]}}
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.results: dict[Run, Result] = {}
        for number, line in enumerate(_whole_lines(path), start=1):
            try:
                fields = json.loads(line)
                result = fields.pop("result")
                self.results[Run.from_dict(fields)] = result
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise ValueError(
                    f"line {number} of {path} is not a run ({error}): delete it, or "
                    "start over with --force"
                ) from error
        self._file = path.open("a", encoding="utf-8", newline="\n")

    def __enter__(self) -> "Runs":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add(self, run: Run, result: Result) -> None:
        """Keep a finished run, also in the file."""
        self.results[run] = result
        self._file.write(_line(run, result))
        self._file.flush()

    def sort(self) -> None:
        """Write the lines in their order, all at once, and close the file."""
        self._file.close()
        lines = (_line(run, self.results[run]) for run in sorted(self.results))
        with (
            replacing(self.path) as temporary,
            temporary.open("w", encoding="utf-8", newline="\n") as file,
        ):
            file.writelines(lines)
            file.flush()
            os.fsync(file.fileno())


def _line(run: Run, result: Result) -> str:
    fields = run.as_dict() | {"result": result}
    return json.dumps(fields, separators=(",", ":")) + "\n"


def _whole_lines(path: Path) -> list[str]:
    """Return the lines of a file, after cutting off an incomplete last one."""
    if not path.exists():
        return []
    data = path.read_bytes()
    end = data.rfind(b"\n") + 1
    if end < len(data):
        os.truncate(path, end)
    return data[:end].decode().splitlines()
