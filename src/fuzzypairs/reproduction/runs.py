"""Runs: fits of a method from some of its starts, their scores, a line of JSON each."""

import json
import os
import warnings
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from fuzzypairs import PairSet, __version__, criteria
from fuzzypairs.pairs.folds import hold_out
from fuzzypairs.reproduction.data import Benchmark, load_benchmark
from fuzzypairs.reproduction.methods import Point, fit_method
from fuzzypairs.tables.atomic import replacing

# By criterion one value for each start; "refused" says why there are none.
Result = dict[str, Any]

N_FOLDS = 4
# Images that the paper shows memberships of, as it counts them, from 1.
EXAMPLES = (45, 56, 75, 180, 53, 1, 150)


@dataclass(frozen=True, order=True)
class Run:
    """Fits of one method at one point of its grid, from starts `first` to `last`.

    `group` is "" for methods that use no judgements; `draw` seeds the judgements. A run
    that holds out leaves a fold of them out of each fit, and scores the fit by it.

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


def perform(run: Run) -> Result:
    """Fit and score; a method that cannot take the data says so under "refused".

    Examples
    --------
    >>> from fuzzypairs.reproduction.runs import Run, perform
    >>> perform(Run("wine", "", 0, "fcm", last=2))["nari"]
    [0.948747, 0.948747]
    """
    benchmark = load_benchmark(run.dataset, run.group, run.draw)
    score = _score_held_out if run.held_out else _score
    with warnings.catch_warnings():
        # Vanished clusters and the like are expected at the ends of a grid.
        warnings.simplefilter("ignore")
        try:
            starts = range(run.first, run.last)
            scores = [score(benchmark, run, start) for start in starts]
        except MemoryError as error:
            return {"refused": str(error)}
    return {name: [_rounded(one[name]) for one in scores] for name in scores[0]}


def _score_held_out(benchmark: Benchmark, run: Run, start: int) -> dict[str, Any]:
    """Return the mean balanced agreement with held-out judgements over the folds."""
    agreements = []
    for train, test in _folds(benchmark.pairs):
        if len(test):  # the smallest datasets have fewer judgements than folds
            model = fit_method(
                run.method, benchmark, train, run.point, start, usual=True
            )
            agreements.append(
                criteria.pair_agreement(test, model.labels_, method="balanced")
            )
    return {"agreement": float(np.mean(agreements))}


@lru_cache(maxsize=4)
def _folds(pairs: PairSet) -> tuple[tuple[PairSet, PairSet], ...]:
    """Split judgements into folds by groups: what to fit with, what to score by."""
    folds = hold_out(pairs, N_FOLDS, 1, np.random.default_rng(0))
    return tuple((train, folds.pairs.select(test)) for train, test in folds.splits)


def _score(benchmark: Benchmark, run: Run, start: int) -> dict[str, Any]:
    """Compare one fit with the truth."""
    model = fit_method(run.method, benchmark, benchmark.pairs, run.point, start)
    classes, labels, truth = benchmark.classes, model.labels_, benchmark.memberships
    scores: dict[str, Any] = {
        "nari": criteria.normalized_ari(classes, labels),
        "nmi": criteria.nmi(classes, labels),
        "clusters": len(np.unique(labels)),
    }
    if truth is not None:
        scores["acc"] = criteria.rand_index(classes, labels)
        U = getattr(model, "memberships_", None)
        if U is not None:
            rows = np.array(EXAMPLES) - 1
            scores["mahd"] = criteria.mahd(truth, U)
            scores["lia"] = criteria.lia(truth, U)
            scores["examples"] = criteria.align_clusters(truth, U)[rows]
    return scores


def _rounded(value: Any) -> Any:
    """Return numbers as lines store them."""
    return value if isinstance(value, int) else np.round(value, 6).tolist()


class Runs:
    """Finished runs, in memory and in a file that stays readable after a kill.

    A line is appended and flushed as soon as its run is done. A last line that a
    kill left incomplete is dropped at the next start. `sort` sorts the lines, so that
    the file does not depend on the order of the runs or the number of processes.

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
