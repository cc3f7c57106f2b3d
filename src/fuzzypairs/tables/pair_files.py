"""Files of judgements, by row numbers or by ids of the data."""

import re
import warnings
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fuzzypairs.exceptions import PairsError, ReadingWarning
from fuzzypairs.pairs import PairSet
from fuzzypairs.tables.columns import as_text, listed
from fuzzypairs.tables.grades import grades_of
from fuzzypairs.tables.readers import ALL, TableFile
from fuzzypairs.tables.table_files import open_table
from fuzzypairs.tables.writing import unescape_cell
from fuzzypairs.validation import suggest

__all__ = ["PairsFile", "find_ids", "open_pairs"]

# Names of the two columns of samples, and of the column of grades. Only the first
# two hold row numbers.
ENDS = (
    ("i", "j"), ("row1", "row2"), ("a", "b"), ("left", "right"), ("id1", "id2"),
    ("ida", "idb"), ("item1", "item2"), ("itema", "itemb"), ("first", "second"),
    ("one", "other"), ("sample1", "sample2"), ("name1", "name2"), ("source", "target"),
    ("from", "to"), ("u", "v"), ("x", "y"),
)  # fmt: skip
BY_ROW = ENDS[:2]
GRADES = (
    "grade", "similarity", "score", "rating", "judgement", "judgment", "similar",
    "alike", "same", "answer", "label", "value", "s",
)  # fmt: skip
JUDGES = ("annotator", "judge", "grader", "rater")
EXPECTED = "a, b, grade with ids of the data, or i, j, grade with row numbers from 0"
OTHERWISE = "--grade-scale says otherwise"
# Judgements that a note names.
NAMED = 3


@dataclass(frozen=True, eq=False)
class PairsFile:
    """A file of judgements as it is written.

    Attributes
    ----------
    file : TableFile
    ends : tuple of two ndarray of shape (n_pairs,)
        The samples as text, NaN where missing.
    grades : ndarray of shape (n_pairs,)
        As text.
    by_row : bool
        Whether samples are row numbers.
    judges : ndarray of shape (n_pairs,) or None
        Names of judges, NaN where missing.
    """

    file: TableFile
    ends: tuple[NDArray[Any], NDArray[Any]]
    grades: NDArray[Any]
    by_row: bool
    judges: NDArray[Any] | None = None

    @property
    def path(self) -> Path:
        """Where it is."""
        return self.file.path

    def names(self) -> list[str]:
        """Return the samples that are named, each once."""
        both = np.concatenate(self.ends)
        return list(dict.fromkeys(name for name in both if not pd.isna(name)))

    def resolve(
        self, n_samples: int, ids: NDArray[Any] | None = None, scale: str | None = None
    ) -> PairSet:
        """Return the judgements of data with `n_samples` rows and these `ids`.

        A `ReadingWarning` says if pairs are judged more than once, grades are all of
        one sign or not from -1 to 1.
        """
        try:
            i, j = self.rows(n_samples, ids)
            by_row = self.by_row or ids is None
            names: Any = np.arange(n_samples) if by_row else ids
            itself = i == j
            if itself.any():
                at = int(itself.argmax())
                raise PairsError(
                    f"joins {self.ends[0][at]!r} to itself: remove it", index=at
                )
            grades, found = grades_of(self.grades.tolist(), scale)
        except PairsError as error:
            row = error.index
            where = "" if row is None else f"{self.file.place(row)} "
            raise PairsError(f"{self.path}: {where}{error.reason}") from None
        pairs = PairSet(i, j, grades, n_samples, self.judges)
        notes = []
        if n_empty := int(pd.isna(self.grades).sum()):
            notes.append(f"{n_empty} judgements without a grade count as no opinion")
        if scale is None and found == "yes/no":
            notes.append("grades were read as yes (1) and no (-1); " + OTHERWISE)
        elif scale is None and found != "-1-1":
            zeros = ", 0 as no opinion" * (found == "1-4" and "0" in self.grades)
            notes.append(
                f"grades were read on the scale {found}{zeros}, brought to -1 to 1; "
                + OTHERWISE
            )
        notes += [*self._merged(i, j, grades, names), *_one_sided(pairs)]
        for note in notes:
            warnings.warn(f"{self.path.name}: {note}", ReadingWarning, stacklevel=3)
        return pairs

    def rows(self, n_samples: int, ids: NDArray[Any] | None) -> list[NDArray[np.intp]]:
        """Return the rows of both samples of each judgement."""
        if self.by_row or ids is None:
            return [self._rows(end, n_samples) for end in self.ends]
        return [_places(end, ids) for end in self.ends]

    def _rows(self, end: NDArray[Any], n_samples: int) -> NDArray[np.intp]:
        """Return row numbers, each within the data."""
        numbers = pd.to_numeric(pd.Series(end), errors="coerce").to_numpy(np.float64)
        whole = numbers % 1 == 0
        inside = whole & (numbers >= 0) & (numbers < n_samples)
        if not inside.all():
            at = int(inside.argmin())
            seen = "nothing" if pd.isna(end[at]) else repr(end[at])
            every = pd.to_numeric(pd.Series(np.concatenate(self.ends)), errors="coerce")
            from_one = every.min() >= 1 and every.max() == n_samples
            hint = "; they seem to be counted from 1" if from_one else ""
            raise PairsError(
                f"names row {seen}: expected a row number from 0 to {n_samples - 1}"
                + hint,
                index=at,
            )
        return numbers.astype(np.intp)

    def _merged(self, i: Any, j: Any, grades: Any, names: Any) -> list[str]:
        """Return notes on pairs that a judge judged again, with their lines."""
        table = pd.DataFrame(
            {"low": np.minimum(i, j), "high": np.maximum(i, j), "judge": self.judges}
        ).assign(grade=grades)
        again = table[table.duplicated(["low", "high", "judge"], keep=False)]
        same: list[str] = []
        opposite: list[str] = []
        same_judge = again.groupby(["low", "high", "judge"], sort=False, dropna=False)
        for (low, high, _), group in same_judge:
            signs = set(np.sign(group["grade"])) - {0}
            kind = opposite if len(signs) > 1 else same
            if len(kind) < NAMED:
                places = " and ".join(map(self.file.place, group.index[:3]))
                kind.append(f"{names[low]} and {names[high]} ({places})")
            else:
                kind.append("")
        notes = []
        for kind, what in (
            (opposite, "judged both alike and unlike, the mean is taken"),
            (same, "judged more than once, the mean is taken"),
        ):
            if kind:
                more = f", and {len(kind) - NAMED} more" * (len(kind) > NAMED)
                notes.append(f"{what}: {'; '.join(kind[:NAMED])}{more}")
        return notes


def open_pairs(path: str | PathLike[str]) -> PairsFile:
    r"""Read a file of judgements and find its columns by their names.

    Parameters
    ----------
    path : str or path-like
        A table with the columns ``i, j, grade`` with row numbers of the data, or
        ``a, b, grade`` with their ids, or of other usual names; a column ``annotator``
        names the judges, further ones are ignored.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from fuzzypairs.tables.pair_files import open_pairs
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "pairs.csv"
    ...     _ = path.write_text("i,j,grade,annotator\n0,2,0.7,Ann\n0,1,-1,Bob\n")
    ...     list(open_pairs(path).resolve(3))
    [(0, 1, -1.0), (0, 2, 0.7)]
    """
    file = open_table(path)
    frame = file.read(ALL)
    plain = {re.sub(r"[\W_]", "", name).casefold(): name for name in frame.columns}
    ends = next((pair for pair in ENDS if set(pair) <= set(plain)), None)
    grade = next((name for name in GRADES if name in plain), None)
    judge = next((name for name in JUDGES if name in plain), None)
    if ends is None or grade is None:
        lacking = "grade" if ends else next((n for n in "ab" if n not in plain), "a")
        near = suggest(lacking, plain) if len(lacking) > 1 else ""
        raise PairsError(
            f"{file.path} has no column {lacking!r}{near}; it has "
            f"{listed(frame.columns)}: "
            f"expected {EXPECTED}"
        )
    first, second = (as_text(frame[plain[end]]).to_numpy() for end in ends)
    both = pd.Series(np.concatenate([first, second]))
    numbers = pd.to_numeric(both, errors="coerce").notna().mean()
    return PairsFile(
        file,
        (first, second),
        as_text(frame[plain[grade]]).to_numpy(),
        ends in BY_ROW and bool(numbers >= 0.5),
        None if judge is None else as_text(frame[plain[judge]]).to_numpy(),
    )


def find_ids(file: TableFile, judged: PairsFile, others: set[str | None]) -> str:
    """Return the column that names every row once and has all ids."""
    frame = file.read(ALL)  # 007 is not 7
    path, names = judged.path, judged.names()
    wanted = {_canonical(name) for name in names}
    shares = {}
    for column in frame.columns.difference(list(others), sort=False):
        held = as_text(frame[column])
        if held.is_unique and held.notna().all():
            # The text of most ids is what is written; others take longer to compare.
            if not wanted <= set(held):
                held = held.map(_canonical)
            shares[str(column)] = len(wanted & set(held)) / len(wanted)
    best = max(shares, key=shares.__getitem__, default="")
    if not best or shares[best] == 0:
        raise PairsError(
            f"{path} names {names[0]!r}, but no column of {file.path} that differs in "
            "all rows holds it: name the column of ids by --id, or call the columns i "
            "and j if they are row numbers"
        )
    return best  # an id that it lacks is refused by name


def _places(names: NDArray[Any], ids: NDArray[Any]) -> NDArray[np.intp]:
    """Return the rows that ids name; 1.0 and 1 are the same, 007 and 7 are not."""
    places: NDArray[np.intp] = pd.Index(ids).get_indexer(pd.Index(names))
    if (places < 0).any():
        plain = pd.Index([_canonical(name) for name in ids])
        if plain.is_unique:
            second = plain.get_indexer(pd.Index([_canonical(name) for name in names]))
            places = np.where(places < 0, second, places)
    if (places < 0).any():
        at = int((places < 0).argmax())
        if pd.isna(names[at]):
            raise PairsError("has no id: expected two ids and a grade", index=at)
        raise PairsError(
            f"names {names[at]!r}, which is no id of the data{suggest(names[at], ids)}",
            index=at,
        )
    return places


def _canonical(name: Any) -> str:
    """Return an id without what table programs, or our exports for them, put there."""
    return re.sub(r"(?<=\d)\.0+$", "", unescape_cell(str(name).strip()))


def _one_sided(pairs: PairSet) -> list[str]:
    """Return a note if all judgements say the same."""
    if len(pairs) > 1 and not pairs.dissimilar.any() and pairs.similar.any():
        return ["no judgement says unlike: clusters are kept together but not apart"]
    if len(pairs) > 1 and not pairs.similar.any() and pairs.dissimilar.any():
        return ["no judgement says alike: clusters are kept apart but not together"]
    return []
