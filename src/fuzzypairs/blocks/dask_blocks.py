"""Dask arrays and DataFrames as blocks of rows, and judgements of rows in them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fuzzypairs._typing import Ints
from fuzzypairs.blocks.block_work import Reading
from fuzzypairs.exceptions import PairsError
from fuzzypairs.pairs import PairSet
from fuzzypairs.pairs.reading import read_columns
from fuzzypairs.validation import read_weights, shown

__all__ = ["NamedPairs", "Source", "read_collection", "read_judgements"]


@dataclass(frozen=True, eq=False)
class Source:
    """X in blocks of rows that are computed when they are needed.

    Attributes
    ----------
    parts : list of Delayed
        Each computes to an array, a sparse matrix, a DataFrame or a
        `fuzzypairs.blocks.block_work.Block`.
    weights : list of Delayed or of ndarray, or of None
    reading : Reading
    lengths : tuple of int or None
        The number of rows of each block, where known.
    n_bytes : float or None
        The size of all blocks, where known.
    """

    parts: list[Any]
    weights: list[Any]
    reading: Reading
    lengths: tuple[int, ...] | None
    n_bytes: float | None = None

    @property
    def calls(self) -> list[tuple[Any, ...]]:
        """The first arguments of functions of a block."""
        blocks = zip(self.parts, self.weights, strict=True)
        return [(p, w, self.reading, n) for n, (p, w) in enumerate(blocks)]


def read_collection(X: Any, sample_weight: Any, id_column: str | None) -> Source:
    """Return the blocks of a dask array or DataFrame."""
    if isinstance(X, Source):
        return X
    if not hasattr(X, "to_delayed") or not hasattr(X, "dask"):
        raise TypeError(
            f"X is a {type(X).__name__}, expected a dask array or DataFrame; use "
            "fuzzypairs.FDC for data in memory, or dask.array.from_array"
        )
    if hasattr(X, "columns"):
        reading, parts, lengths = _of_frame(X, id_column)
    else:
        reading, parts, lengths = _of_array(X, id_column)
    if not parts:
        raise ValueError("X has no rows")
    weights = _weights(sample_weight, len(parts), lengths)
    n_bytes = None
    if lengths is not None and isinstance(X._meta, np.ndarray):
        n_bytes = float(X.nbytes)
    return Source(parts, weights, reading, lengths, n_bytes)


def _of_frame(X: Any, id_column: str | None) -> tuple[Reading, list[Any], None]:
    columns = list(X.columns)
    if id_column is not None and id_column not in columns:
        raise ValueError(
            f"id_column is {shown(id_column)}, but X has the columns {columns}"
        )
    names = [name for name in columns if name != id_column]
    if not names:
        raise ValueError("X has no column of features beside the ids")
    for name in names:
        dtype = X.dtypes[name]
        if getattr(dtype, "kind", "O") not in "fiub":
            raise TypeError(
                f"column {name!r} of X holds {dtype}, expected numbers; convert or "
                "drop it, or name it by id_column"
            )
    text = tuple(names) if all(isinstance(n, str) for n in names) else None
    reading = Reading(id_column, text or tuple(names), len(names))
    return reading, list(X.to_delayed()), None


def _of_array(
    X: Any, id_column: str | None
) -> tuple[Reading, list[Any], tuple[int, ...] | None]:
    if id_column is not None:
        raise ValueError(
            f"id_column is {shown(id_column)}, but X is an array, which has no columns "
            "of ids; give a dask DataFrame, or judgements of row numbers"
        )
    if X.ndim != 2:
        raise ValueError(f"X has {X.ndim} dimensions, expected rows of features")
    if X.dtype.kind not in "fiub":
        raise TypeError(f"X holds {X.dtype}, expected numbers")
    if len(X.chunks[1]) > 1:
        X = X.rechunk({1: -1})
    known = not np.isnan(np.array(X.chunks[0], dtype=np.float64)).any()
    lengths = tuple(map(int, X.chunks[0])) if known else None
    n_features = None if np.isnan(X.shape[1]) else int(X.shape[1])
    return Reading(n_features=n_features), list(X.to_delayed().ravel()), lengths


def _weights(given: Any, n_blocks: int, lengths: tuple[int, ...] | None) -> list[Any]:
    """Return the weights of each block."""
    if given is None:
        return [None] * n_blocks
    if hasattr(given, "to_delayed"):
        if lengths is not None and hasattr(given, "chunks"):
            known = tuple(map(float, given.chunks[0]))
            if not np.isnan(known).any() and given.shape != (sum(lengths),):
                raise ValueError(
                    f"sample_weight has shape {given.shape} but X has {sum(lengths)} "
                    "rows"
                )
            if known != tuple(map(float, lengths)) and not np.isnan(known).any():
                given = given.rechunk((lengths,))
        parts = list(np.ravel(given.to_delayed()))
        if len(parts) != n_blocks:
            raise ValueError(
                f"sample_weight has {len(parts)} blocks but X has {n_blocks}; give "
                "both the same chunks"
            )
        return parts
    if lengths is None:
        raise ValueError(
            "sample_weight is an array, but X has unknown chunk sizes; give a dask "
            "array or Series with the partitions of X"
        )
    return np.split(read_weights(given, sum(lengths)), np.cumsum(lengths)[:-1])


class NamedPairs(NamedTuple):
    """Judgements of rows by ids: pairs of places in `ids`."""

    ids: Any  # a pandas Index
    pairs: PairSet


def read_judgements(pairs: Any, source: Source) -> NamedPairs | PairSet | None:
    """Return judgements by ids, or by row numbers; None if there are none."""
    if pairs is None:
        return None
    by_id = source.reading.id_column is not None and not isinstance(pairs, PairSet)
    if isinstance(pairs, NamedPairs):
        return pairs
    if by_id:
        return name_pairs(pairs)
    if source.lengths is None:
        raise ValueError(
            "pairs name rows by their numbers, but X has unknown chunk sizes, so that "
            "no row has a number; call X.compute_chunk_sizes() (for a DataFrame "
            "X.to_dask_array(lengths=True)), or set id_column and name rows by ids"
        )
    return PairSet.coerce(pairs, sum(source.lengths))


def name_pairs(pairs: Any) -> NamedPairs:
    """Read judgements (id, id, grade): triples, or a DataFrame a, b, grade.

    Examples
    --------
    >>> named = name_pairs([("oak", "elm", 0.5), ("elm", "fir", -1.0)])
    >>> list(named.ids), list(named.pairs)
    (['oak', 'elm', 'fir'], [(0, 1, 0.5), (1, 2, -1.0)])
    """
    import pandas as pd

    if hasattr(pairs, "columns"):
        fields = next(
            (f for f in (("a", "b"), ("i", "j")) if set(f) <= set(pairs.columns)), None
        )
        if fields is None or "grade" not in pairs.columns:
            raise PairsError(
                f"has the columns {list(pairs.columns)}, expected a, b, grade",
                place="pairs",
            )
        a, b, grade = (pairs[name].to_numpy() for name in (*fields, "grade"))
    else:
        a, b, grade = read_columns(pairs, ("a", "b", "grade"), "pairs")
    n = len(grade)
    both = [*a, *b] if not isinstance(a, np.ndarray) else np.concatenate([a, b])
    codes, ids = pd.factorize(pd.Series(both), use_na_sentinel=True)
    if (codes < 0).any():
        raise PairsError("has no id", place="pairs", index=int(np.argmin(codes)) % n)
    numbers = np.asarray(grade, dtype=np.float64)
    return NamedPairs(ids, PairSet(codes[:n], codes[n:], numbers, len(ids)))


def positions(rows: Ints, borders: Ints) -> tuple[Ints, Ints]:
    """Return the block and the row within it of rows numbered over all blocks."""
    block = np.searchsorted(borders, rows, side="right") - 1
    return block, rows - borders[block]


def by_block(block: Ints, values: Sequence[Any] | NDArray[Any], n: int) -> list[Any]:
    """Return the values of each of `n` blocks; `block` never decreases."""
    cuts = np.searchsorted(block, np.arange(1, n))
    return np.split(np.asarray(values), cuts)


def distinct_rows(*numbers: Ints) -> Ints:
    """Return the different ones of some row numbers, in order.

    `np.unique` would take 50 times as long: it uses a hash table for integers.

    Examples
    --------
    >>> distinct_rows(np.array([7, 2]), np.array([2, 0]))
    array([0, 2, 7])
    """
    ordered = np.sort(np.concatenate(numbers))
    return ordered[np.diff(ordered, prepend=-1) > 0]


def draw_rows(n_rows: int, n_drawn: int, random_state: np.random.RandomState) -> Ints:
    """Return `n_drawn` different rows in order; all of them draw nothing.

    Examples
    --------
    >>> draw_rows(3, 5, np.random.RandomState(0))
    array([0, 1, 2])
    """
    if n_rows <= n_drawn:
        return np.arange(n_rows)
    rng = np.random.default_rng(random_state.randint(2**31))
    # Memory in proportion to what is drawn, not to the rows.
    return np.sort(rng.choice(n_rows, n_drawn, replace=False, shuffle=False))


def check_places(found: Ints, ids: Any) -> None:
    """Refuse ids that no row has, or several."""
    count = np.bincount(found, minlength=len(ids))
    if not count.all():
        missing = [ids[n] for n in np.flatnonzero(count == 0)[:3]]
        some = ", ".join(map(str, missing))
        raise PairsError(
            f"names {np.count_nonzero(count == 0)} ids that no row of X has, such as "
            f"{some}; ids must have the type of the id column",
            place="pairs",
        )
    if (count > 1).any():
        raise PairsError(
            f"names {ids[int(np.argmax(count))]}, which several rows of X have; ids "
            "must be unique",
            place="pairs",
        )
