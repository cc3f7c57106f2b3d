"""Reading and checking judgements: columns of rows and grades.

What `PairSet` is made of. Every error names the judgement at fault.
"""

from collections.abc import Iterable, Mapping
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fuzzypairs._typing import Floats, Ints, Mask
from fuzzypairs.exceptions import PairsError
from fuzzypairs.validation import is_whole

# Pairs are sorted by the one key i * n_samples + j, which must fit into int64.
MOST_SAMPLES = 3_037_000_499
# Whole numbers below this are exact in float64.
EXACT = 2.0**53


class Ends(NamedTuple):
    """Checked rows of the two samples of each pair, in the order given."""

    i: Ints
    j: Ints
    n_samples: int


# What a number is, where it was read: the verb and the expectation of an error.
SAMPLE = "joins sample", "a whole number counted from 0, the sample's row in X"
ROW = "is", "a whole number counted from 0, a row of X"
GRADE = "has grade", "a number from -1 (unlike) over 0 (can't say) to 1 (alike)"


def is_count(value: Any, least: int, most: int) -> bool:
    """Tell whether `value` is a whole number from `least` to `most`, and no bool."""
    return is_whole(value) and least <= value <= most


def _first(wrong: Mask) -> int | None:
    """Where the first wrong value is; None if all are right."""
    return int(wrong.argmax()) if wrong.any() else None


def read_columns(rows: Any, fields: tuple[str, ...], name: str) -> Any:
    """Columns of an array (n, len(fields)) or of an iterable of tuples."""
    expected = f"({', '.join(fields)})"
    if isinstance(rows, np.ndarray) and rows.shape != (0,):
        if rows.shape[1:] != (len(fields),):
            raise PairsError(
                f"has shape {rows.shape}, expected (n, {len(fields)}): "
                f"one row {expected} for each judgement",
                place=name,
            )
        return rows.T
    if isinstance(rows, str | Mapping) or not isinstance(rows, Iterable):
        raise PairsError(f"is {rows!r:.60}, expected a list of {expected}", place=name)
    listed = list(rows)
    for at, row in enumerate(listed):
        if not hasattr(row, "__len__") or len(row) != len(fields):
            raise PairsError(f"is {row!r}, expected {expected}", place=name, index=at)
    return list(zip(*listed, strict=True)) or [()] * len(fields)


def _numbers(column: Any, name: str, meaning: tuple[str, str]) -> NDArray[Any]:
    """One column as an array of whole or real numbers."""
    plain = isinstance(column, Iterable) and not hasattr(column, "__array__")
    values = list(column) if plain else np.asarray(column)
    if isinstance(values, np.ndarray):
        if values.ndim != 1:
            raise PairsError(
                f"has a column of shape {values.shape}, expected (n,)", place=name
            )
        if values.dtype.kind in "iuf":
            return values
    # NumPy would read True as 1, and 2 beside "3" as text, without a word.
    kinds = set(map(type, values))
    wrong = {kind for kind in kinds if kind is bool or not issubclass(kind, Real)}
    if wrong:
        at = next(at for at, value in enumerate(values) if type(value) in wrong)
        verb, expected = meaning
        reason = f"{verb} {values[at]!r}; expected {expected}"
        raise PairsError(reason, place=name, index=at)
    return np.array(values, dtype=np.float64)


def _whole_numbers(column: Any, name: str, meaning: tuple[str, str]) -> Ints:
    values = _numbers(column, name, meaning)
    if values.dtype.kind == "f":
        values = values.astype(np.float64)
        whole = (values == np.floor(values)) & (np.abs(values) < EXACT)
        if (at := _first(~whole)) is not None:
            verb, expected = meaning
            reason = f"{verb} {values[at]}; expected {expected}"
            raise PairsError(reason, place=name, index=at)
    return values.astype(np.int64)


def read_ends(i: Any, j: Any, n_samples: int | None, name: str) -> Ends:
    """Rows of both samples, checked against each other and against the data."""
    i, j = _whole_numbers(i, name, SAMPLE), _whole_numbers(j, name, SAMPLE)
    if i.size != j.size:
        raise PairsError(f"i has {i.size} entries but j has {j.size}; match them")
    if n_samples is None:
        n_samples = int(max(i.max(initial=-1), j.max(initial=-1)) + 1)
    if not is_count(n_samples, 0, MOST_SAMPLES):
        raise PairsError(
            f"n_samples is {n_samples!r}, expected a whole number, 0 to {MOST_SAMPLES}"
        )
    for end in (i, j):
        for wrong, reason in (
            (end < 0, "but rows are counted from 0"),
            (end >= n_samples, f"but X has {n_samples} rows (0 to {n_samples - 1})"),
        ):
            if (at := _first(wrong)) is not None:
                raise PairsError(reason, place=name, index=at, rows=[end[at]])
    if (at := _first(i == j)) is not None:
        reason = "to itself; remove it, a judgement is about two samples"
        raise PairsError(reason, place=name, index=at, rows=[i[at]])
    return Ends(i, j, int(n_samples))


def read_links(links: Any, n_samples: int | None, name: str) -> Ends:
    """Read pairs without grades: an array (n_links, 2) or an iterable of (i, j)."""
    i, j = read_columns(links, ("i", "j"), name)
    return read_ends(i, j, n_samples, name)


def read_grades(column: Any, ends: Ends) -> Floats:
    """Read the grades of the pairs `ends`, numbers from -1 to 1."""
    grade = _numbers(column, "pairs", GRADE).astype(np.float64)
    if grade.size != ends.i.size:
        raise PairsError(
            f"grade has {grade.size} entries but i has {ends.i.size}; match them"
        )
    if (at := _first(~(np.abs(grade) <= 1))) is not None:
        raise PairsError(
            f"with grade {grade[at]}; expected {GRADE[1]}",
            place="pairs",
            index=at,
            rows=[ends.i[at], ends.j[at]],
        )
    return grade


def read_rows(rows: ArrayLike, n_samples: int) -> Ints:
    """Read row numbers, each once, or a mask of shape (n_samples,)."""
    kept = np.asarray(rows)
    if kept.dtype == bool:
        if kept.shape != (n_samples,):
            raise PairsError(
                f"is a mask of shape {kept.shape}, "
                f"expected ({n_samples},): one entry for each sample",
                place="rows",
            )
        kept = np.flatnonzero(kept)
    kept = _whole_numbers(kept, "rows", ROW)
    if (at := _first((kept < 0) | (kept >= n_samples))) is not None:
        reason = f"is {kept[at]} but pairs is about {n_samples} samples"
        raise PairsError(reason, place="rows", index=at)
    last = np.full(n_samples, -1, dtype=np.int64)
    last[kept] = np.arange(kept.size)
    if (at := _first(last[kept] != np.arange(kept.size))) is not None:
        reason = f"is {kept[at]} once more; name each row once"
        raise PairsError(reason, place="rows", index=at)
    return kept


def merge(ends: Ends, grade: Floats) -> tuple[Ints, Ints, Floats]:
    """Sorted pairs i < j, each once, with the mean of its grades other than 0."""
    i, j = np.minimum(ends.i, ends.j), np.maximum(ends.i, ends.j)
    key = i * ends.n_samples + j
    if (key[1:] > key[:-1]).all():
        return i, j, grade + 0.0  # + 0.0 makes -0.0 an ordinary zero
    # Sorted by grade as well, so that sums do not depend on the order given.
    order = np.lexsort((grade, key))
    i, j, key, grade = i[order], j[order], key[order], grade[order]
    new = np.r_[True, key[1:] > key[:-1]]
    pair = np.cumsum(new) - 1
    answers = np.bincount(pair, weights=grade != 0)
    return i[new], j[new], np.bincount(pair, weights=grade) / np.maximum(answers, 1)


def read_frame(frame: Any, data: Any, id_column: str | None) -> list[Any]:
    """Read the columns i, j, grade, or a, b, grade with ids of rows of `data`."""
    if id_column is None:
        return _pick(frame, "pairs", "i", "j", "grade")
    if data is None:
        raise PairsError(
            f"id_column is {id_column!r} but data is missing; "
            "pass the table that holds this column"
        )
    a, b, grade = _pick(frame, "pairs", "a", "b", "grade")
    (ids,) = _pick(data, "data", id_column)
    rows = _rows_by_id(ids, id_column)
    return [_look_up(a, rows, id_column), _look_up(b, rows, id_column), grade]


def _pick(frame: Any, name: str, *columns: str) -> list[Any]:
    if not hasattr(frame, "columns"):
        raise PairsError(f"{name} is a {type(frame).__name__}, expected a DataFrame")
    missing = [column for column in columns if column not in frame.columns]
    if missing:
        raise PairsError(
            f"{name} has the columns {', '.join(map(str, frame.columns))}; expected "
            f"{', '.join(columns)} (pairs: i, j, grade, or a, b, grade with id_column)"
        )
    return [frame[column] for column in columns]


def _rows_by_id(ids: Any, id_column: str) -> dict[Any, int]:
    rows: dict[Any, int] = {}
    for row, value in enumerate(ids):
        if rows.setdefault(value, row) != row:
            raise PairsError(
                f"data[{id_column!r}] holds {value!r} in rows {rows[value]} and {row}; "
                "an id must name one row"
            )
    return rows


def _look_up(column: Any, rows: dict[Any, int], id_column: str) -> list[int]:
    ids = list(column)
    for at, value in enumerate(ids):
        if value not in rows:
            raise PairsError(
                f"names {value!r}, which is not in data[{id_column!r}]; "
                "ids must agree in type too (7 is not '7')",
                place="pairs",
                index=at,
            )
    return [rows[value] for value in ids]


def read_labels(labels: ArrayLike) -> NDArray[Any]:
    """Read the classes of samples, shape (n_samples,), none of them missing."""
    classes = np.asarray(labels)
    if classes.ndim != 1:
        raise PairsError(f"labels has shape {classes.shape}, expected (n_samples,)")
    if classes.dtype.kind in "fO":
        # A missing value equals nothing, not even itself: it would read "unlike".
        missing = np.array([c is None or c != c for c in classes.tolist()])
        if (row := _first(missing)) is not None:
            raise PairsError(f"labels[{row}] is {classes[row]}; use -1 for unknown")
    return classes


def read_memberships(memberships: ArrayLike) -> Floats:
    """Read memberships (n_samples, n_clusters) with rows on the simplex."""
    try:
        U = np.asarray(memberships, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise PairsError(f"memberships must be numbers: {error}") from None
    if U.ndim != 2:
        raise PairsError(
            f"memberships has shape {U.shape}, expected (n_samples, n_clusters)"
        )
    fuzzy = (U >= 0).all(axis=1) & np.isclose(U.sum(axis=1), 1)
    if (row := _first(~fuzzy)) is not None:
        raise PairsError(
            f"memberships[{row}] is {U[row]}, expected numbers >= 0 that sum to 1"
        )
    return U


def check_word(name: str, value: str, choices: tuple[str, str]) -> None:
    """Refuse a `value` that is none of the `choices`."""
    if value not in choices:
        raise PairsError(f"{name} is {value!r}, expected {' or '.join(choices)}")
