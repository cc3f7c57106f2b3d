"""Reading and checking of judgements."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from fuzzypairs._typing import Floats, Ints, Mask
from fuzzypairs.exceptions import PairsError
from fuzzypairs.validation import check_kind, shown

# Pairs are sorted by the one key i * n_samples + j, which must fit into int64.
MOST_SAMPLES = 3_037_000_499
# Whole numbers below this are exact in float64.
EXACT = 2.0**53


class Ends(NamedTuple):
    """Checked rows of the two samples of each pair, in the order given."""

    i: Ints
    j: Ints
    n_samples: int


# What holds all judgements: columns, or an argument.
COLUMNS = "pairs (i, j, grade, judges, answers)"
JUDGEMENTS = (COLUMNS, "pairs", "triples", "frame", "matrix")
# Kinds of numbers: how an error refers to one, and what it expects.
SAMPLE = "joins sample", "a whole number counted from 0, i and j being rows of X"
ROW = "is", "a whole number counted from 0, a row of X"
GRADE = "has grade", "a number from -1 (unlike) over 0 (can't say) to 1 (alike)"


def is_count(value: Any, least: int, most: int) -> bool:
    """Tell whether `value` is an integer from `least` to `most`; bool is not."""
    # Durations are integers to NumPy.
    others = (bool, np.timedelta64)
    is_whole = isinstance(value, Integral) and not isinstance(value, others)
    return is_whole and least <= value <= most


def check_count(name: str, value: Any) -> None:
    """Refuse what is no number of rows."""
    if not is_count(value, 0, MOST_SAMPLES):
        raise PairsError(
            f"{name} is {shown(value)}, expected a whole number, 0 to {MOST_SAMPLES}"
        )


@contextmanager
def errors_of(place: str) -> Iterator[None]:
    """Turn whatever reading `place` raises into an error that names it."""
    try:
        yield
    except Exception as error:
        raise unreadable(place, error) from error


@contextmanager
def judgements_of(place: str) -> Iterator[None]:
    """Name the argument that holds all judgements, also in errors about one of them."""
    try:
        yield
    except PairsError as error:
        if error.place not in JUDGEMENTS:
            raise
        raise PairsError(
            error.reason, place=place, index=error.index, rows=error.rows
        ) from error.__cause__
    except Exception as error:
        raise unreadable(place, error) from error


def unreadable(place: str, error: Exception) -> Exception:
    """Return the error about `place` that another one means for users."""
    if isinstance(error, PairsError | OSError):
        return error
    if isinstance(error, MemoryError):
        return MemoryError(f"{place} does not fit into memory: {error}")
    # Also of objects that fail when they are read.
    said = f"cannot be read: {type(error).__name__}: {error}"
    return PairsError(said, place=place)


def _error(
    wrong: Mask, place: str, reason: str | Callable[[int], str], *ends: Ints
) -> PairsError:
    """Return an error about the first wrong value, and the samples it joins."""
    at = int(wrong.argmax())
    words = reason if isinstance(reason, str) else reason(at)
    return PairsError(words, place=place, index=at, rows=[end[at] for end in ends])


def read_columns(rows: Any, fields: tuple[str, ...], name: str) -> Any:
    """Return the columns of an array (n, len(fields)) or of an iterable of tuples."""
    expected = f"({', '.join(fields)})"
    if not isinstance(rows, list):
        check_kind(name, rows)
    if isinstance(rows, np.ndarray) and rows.shape != (0,):
        if rows.shape[1:] != (len(fields),):
            raise PairsError(
                f"has shape {rows.shape}, expected (n, {len(fields)}): "
                f"one row {expected} for each judgement",
                place=name,
            )
        return rows.T
    if isinstance(rows, str | Mapping) or not isinstance(rows, Iterable):
        raise PairsError(
            f"is {shown(rows):.60}, expected a list of {expected}", place=name
        )
    listed = list(rows)
    for at, row in enumerate(listed):
        if not hasattr(row, "__len__") or len(row) != len(fields):
            raise PairsError(
                f"is {shown(row)}, expected {expected}", place=name, index=at
            )
    return list(zip(*listed, strict=True)) or [()] * len(fields)


def _numbers(column: Any, name: str, meaning: tuple[str, str]) -> NDArray[Any]:
    """Read one column as real numbers, or as whole ones if they are rows."""
    plain = isinstance(column, Iterable) and not hasattr(column, "__array__")
    values = list(column) if plain else np.asarray(column)
    if isinstance(values, np.ndarray) and values.ndim != 1:
        columns = "" if meaning is ROW else " for i, j and grade"
        raise PairsError(
            f"has a column of shape {values.shape}, expected (n,){columns}", place=name
        )
    if not (isinstance(values, np.ndarray) and values.dtype.kind in "iuf"):
        # NumPy would silently read True as 1, and 2 beside "3" as text.
        if not set(map(type, values)) <= {int, float}:
            _refuse_others(values, name, meaning)
        values = np.array(values, dtype=np.float64)
    if meaning is GRADE or values.dtype.kind != "f":
        return values
    wrong = (values != np.floor(values)) | ~(np.abs(values) < EXACT)
    if wrong.any():
        values = values.astype(np.float64)
        raise _error(
            wrong, name, lambda at: f"{meaning[0]} {values[at]}; expected {meaning[1]}"
        )
    return values


def _refuse_others(values: Any, name: str, meaning: tuple[str, str]) -> None:
    """Refuse a column with a bool or other values that are not numbers."""
    # Durations are integers to NumPy.
    others = (bool, np.timedelta64)
    wrong = np.array([isinstance(v, others) or not isinstance(v, Real) for v in values])
    if wrong.any():
        raise _error(
            wrong,
            name,
            lambda at: f"{meaning[0]} {shown(values[at])}; expected {meaning[1]}",
        )


def read_ends(i: Any, j: Any, n_samples: int | None, name: str) -> Ends:
    """Read the rows of both samples, checked against each other and the data."""
    i = _numbers(i, name, SAMPLE).astype(np.int64)
    j = _numbers(j, name, SAMPLE).astype(np.int64)
    if i.size != j.size:
        raise PairsError(f"i has {i.size} entries but j has {j.size}; match them")
    if n_samples is None:
        n_samples = int(max(i.max(initial=-1), j.max(initial=-1)) + 1)
    if not is_count(n_samples, 0, MOST_SAMPLES):
        check_count("n_samples", n_samples)
    for end in (i, j):
        if (end < 0).any():
            raise _error(end < 0, name, "but i and j are counted from 0", end)
        if (end >= n_samples).any():
            limit = (
                f"but X has {n_samples} rows (n_samples): i and j are 0 to "
                f"{n_samples - 1}"
            )
            raise _error(end >= n_samples, name, limit, end)
    if (i == j).any():
        itself = "to itself; remove it, i and j are two samples"
        raise _error(i == j, name, itself, i)
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
    wrong = ~(np.abs(grade) <= 1)
    if wrong.any():
        raise _error(
            wrong,
            "pairs",
            lambda at: f"with grade {grade[at]}; expected {GRADE[1]}",
            ends.i,
            ends.j,
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
    kept = _numbers(kept, "rows", ROW).astype(np.int64)
    outside = (kept < 0) | (kept >= n_samples)
    if outside.any():
        limit = f"but pairs is about {n_samples} samples"
        raise _error(outside, "rows", lambda at: f"is {kept[at]} {limit}")
    last = np.full(n_samples, -1, dtype=np.int64)
    last[kept] = np.arange(kept.size)
    again = last[kept] != np.arange(kept.size)
    if again.any():
        once = "once more; name each row once"
        raise _error(again, "rows", lambda at: f"is {kept[at]} {once}")
    return kept


def read_judges(
    judges: Any, judge_names: Any, n_pairs: int
) -> tuple[Ints, tuple[str, ...]]:
    """Read who made each judgement: places in the names of judges, and these."""
    if judges is None and judge_names is None:
        return np.zeros(n_pairs, dtype=np.int64), ("",)
    if judges is None or isinstance(judges, str) or np.ndim(judges) != 1:
        said = f"judges is {shown(judges):.60}"
        if judge_names is not None:
            said = f"judge_names is given, but {said}"
        raise PairsError(
            f"{said}, expected the judge of each judgement; PairSet.by names one of all"
        )
    if len(judges) != n_pairs:
        raise PairsError(
            f"judges has {len(judges)} entries but i has {n_pairs}; match them"
        )
    if judge_names is None:
        said_by = [name_of_judge(judge) for judge in judges]
        names = tuple(sorted(set(said_by))) or ("",)
        place = {name: code for code, name in enumerate(names)}
        return np.array([place[name] for name in said_by], dtype=np.int64), names
    names = tuple(name_of_judge(name) for name in judge_names)
    if not names or len(set(names)) < len(names):
        raise PairsError(f"judge_names is {shown(names):.60}, expected each name once")
    codes = _numbers(judges, "judges", ROW).astype(np.int64)
    outside = (codes < 0) | (codes >= len(names))
    if outside.any():
        limit = f"but judge_names has {len(names)} names, counted from 0"
        raise _error(outside, "judges", lambda at: f"is {codes[at]}, {limit}")
    return codes, names


def name_of_judge(judge: Any) -> str:
    """Return the name of a judge; "" for one that is missing."""
    # NaN, of tables, differs from itself.
    is_missing = judge is None or type(judge).__name__ == "NAType" or judge != judge
    return "" if is_missing else str(judge).strip()


def read_answers(answers: Any, n_pairs: int) -> Ints | None:
    """Read the numbers of the answers that judgements are part of."""
    if answers is None:
        return None
    if np.ndim(answers) != 1 or len(answers) != n_pairs:
        raise PairsError(
            f"answers has shape {np.shape(answers)}, expected the number of the answer "
            f"of each of {n_pairs} judgements"
        )
    return _numbers(answers, "answers", ROW).astype(np.int64)


def merge(
    ends: Ends, grade: Floats, judges: Ints, answers: Ints | None = None
) -> tuple[Ints, Ints, Floats, Ints, Ints | None]:
    """Sort pairs to i < j, each once a judge, with the mean of grades other than 0.

    Of answers to the same pair, the one with the lowest grade is kept.
    """
    i, j = np.minimum(ends.i, ends.j), np.maximum(ends.i, ends.j)
    key = i * ends.n_samples + j
    if (key[1:] > key[:-1]).all():
        # + 0.0 makes -0.0 an ordinary zero
        same = None if answers is None else answers.copy()
        return i, j, grade + 0.0, judges.copy(), same
    # Sorted by grade as well, so that sums do not depend on the order given.
    order = np.lexsort((grade, judges, key))
    i, j, key = i[order], j[order], key[order]
    grade, judges = grade[order], judges[order]
    new = np.r_[True, (key[1:] > key[:-1]) | (judges[1:] > judges[:-1])]
    place = np.cumsum(new) - 1
    n_given = np.bincount(place, weights=grade != 0)
    mean = np.bincount(place, weights=grade) / np.maximum(n_given, 1)
    kept = None if answers is None else answers[order][new]
    return i[new], j[new], mean, judges[new], kept


def read_sparse(matrix: Any, n_samples: int | None) -> tuple[Any, Any, Any, int]:
    """Read the rows, columns and values of a square sparse matrix, and its side."""
    if not hasattr(matrix, "shape"):
        raise PairsError(
            f"is a {type(matrix).__name__}, expected a sparse matrix", place="pairs"
        )
    if n_samples is not None:
        check_count("n_samples", n_samples)
    side = matrix.shape[0] if n_samples is None else n_samples
    if matrix.shape != (side, side):
        raise PairsError(
            f"is a sparse matrix of shape {matrix.shape}, expected one row and one "
            f"column for each sample: ({side}, {side}), n_samples",
            place="pairs",
        )
    check_kind("pairs", matrix)
    entries = sparse.coo_array(matrix)
    return entries.row, entries.col, entries.data, side


def read_frame(
    frame: Any, data: Any, id_column: str | None, n_samples: int | None
) -> tuple[Any, Any, Any, int | None, Any]:
    """Read the columns i, j, grade, or a, b, grade with ids of rows of `data`.

    Ids are those of a column of `data`, or of its index. Judges are those of the column
    `annotator`, or None.
    """
    if n_samples is not None:
        check_count("n_samples", n_samples)
    if data is not None:
        check_kind("data", data)
        if not hasattr(data, "columns") or not hasattr(data, "__len__"):
            raise PairsError(f"data is a {type(data).__name__}, expected a DataFrame")
        if n_samples not in (None, len(data)):
            raise PairsError(
                f"n_samples is {n_samples} but data has {len(data)} rows; "
                "leave n_samples out"
            )
        n_samples = len(data)
    by_index = id_column is None and has_ids(frame) and hasattr(data, "index")
    if id_column is None and not by_index:
        i, j, grade = _pick(frame, "pairs", "i", "j", "grade")
        return i, j, grade, n_samples, annotators_of(frame)
    if data is None:
        raise PairsError(
            f"id_column is {id_column!r} but data is missing; "
            "pass the table that holds this column"
        )
    a, b, grade = _pick(frame, "pairs", "a", "b", "grade")
    if not by_index and not isinstance(id_column, str):
        raise PairsError(
            f"id_column is {shown(id_column):.60}, expected a column's name"
        )
    (ids,) = [data.index] if by_index else _pick(data, "data", str(id_column))
    place = "the index of data" if by_index else f"data[{id_column!r}]"
    rows: dict[Any, int] = {}
    for row, value in enumerate(ids):
        if rows.setdefault(value, row) != row:
            raise PairsError(
                f"{place} holds {value!r} in rows {rows[value]} and {row}; "
                "an id must name one row"
            )
    ends = _look_up(a, rows, place), _look_up(b, rows, place)
    return *ends, grade, n_samples, annotators_of(frame)


def annotators_of(frame: Any) -> Any:
    """Return the column of a table that names judges, or None."""
    return list(frame["annotator"]) if "annotator" in frame.columns else None


def has_ids(frame: Any) -> bool:
    """Tell whether a table of judgements names rows by ids, in columns a and b."""
    if not hasattr(type(frame), "columns"):
        return False
    check_kind("pairs", frame)
    if hasattr(frame, "column_names"):  # its columns are values, not names
        raise PairsError("is an Arrow table; use to_pandas()", place="pairs")
    columns = frame.columns
    return "i" not in columns and {"a", "b"} <= set(columns)


def _pick(frame: Any, name: str, *columns: str) -> list[Any]:
    check_kind(name, frame)
    if not hasattr(frame, "columns"):
        raise PairsError(
            f"is a {type(frame).__name__}, expected a DataFrame", place=name
        )
    missing = [column for column in columns if column not in frame.columns]
    if missing:
        raise PairsError(
            f"has the columns {', '.join(map(str, frame.columns))}; expected "
            f"{', '.join(columns)} (pairs: i, j, grade; ids in a, b, grade are read by "
            "PairSet.from_frame with data and id_column)",
            place=name,
        )
    return [frame[column] for column in columns]


def _look_up(column: Any, rows: dict[Any, int], where: str) -> list[int]:
    ids = list(column)
    for at, value in enumerate(ids):
        if value not in rows:
            raise PairsError(
                f"names {value!r}, which is not in {where}; "
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
        # NaN differs from itself, and would be read as "unlike".
        missing = np.array([c is None or c != c for c in classes.tolist()])
        if missing.any():
            unknown = "use -1 for unknown"
            raise _error(missing, "labels", lambda at: f"is {classes[at]}; {unknown}")
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
    wrong = ~((U >= 0).all(axis=1) & np.isclose(U.sum(axis=1), 1))
    if wrong.any():
        expected = "expected numbers >= 0 that sum to 1"
        raise _error(wrong, "memberships", lambda at: f"is {U[at]}, {expected}")
    return U


def check_word(name: str, value: str, choices: tuple[str, str]) -> None:
    """Refuse a `value` that is not one of `choices`."""
    if not isinstance(value, str) or value not in choices:
        raise PairsError(f"{name} is {shown(value)}, expected {' or '.join(choices)}")
