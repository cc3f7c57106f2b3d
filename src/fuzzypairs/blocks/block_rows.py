"""Rows in blocks that are read when they are needed: of files, arrays or Dask.

`Blocks` are parts and how they are read. Functions of a block take a part, its weights
and its number first, as `Blocks.columns` has them, and a `BlockMap` calls them:

>>> import numpy as np
>>> from fuzzypairs.blocks.maps import LocalMap
>>> blocks = Blocks([[[0.0], [2.0]], [[4.0]]], Reading(load=np.array))
>>> def size(part, weight, number, reading):
...     return len(reading.read(part, weight, number).X)
>>> LocalMap(n_jobs=1)(size, blocks.columns, [blocks.reading])
[2, 1]
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fuzzypairs._typing import Floats
from fuzzypairs.blocks.maps import BlockMap, is_delayed
from fuzzypairs.spaces.moments import is_sparse
from fuzzypairs.validation import check_kind, read_weights, shown

__all__ = ["Block", "Blocks", "Reading", "read_collection"]


class Block(NamedTuple):
    """Rows of the data, with their weights and ids if they have any."""

    X: Any  # (n_rows, n_features) float32 or float64 in C order, or a CSR matrix
    weight: Floats | None = None  # (n_rows,)
    ids: NDArray[Any] | None = None  # (n_rows,)


@dataclass(frozen=True)
class Reading:
    """How a part is read as a `Block`.

    `load` makes an array, a sparse matrix, a DataFrame or a Block of it; None if it is
    one, or a Delayed object that computes to one.
    """

    load: Callable[[Any], Any] | None = None
    id_column: str | None = None
    names: tuple[str, ...] | None = None  # of the features
    n_features: int | None = None  # where known

    def loaded(self, part: Any) -> Any:
        """Return what `load` makes of a part."""
        part = _computed(part)
        return part if self.load is None else self.load(part)

    def read(self, part: Any, weight: Any, number: int) -> Block:
        """Return block `number` of the data, in C order and as floats."""
        part, weight, ids = self.loaded(part), _computed(weight), None
        if isinstance(part, Block):
            part, given, ids = part
            weight = given if weight is None else weight
        if hasattr(part, "columns"):
            ids = None if self.id_column is None else np.asarray(part[self.id_column])
            part = part[list(self.names or ())].to_numpy()
        if weight is not None:
            try:
                weight = read_weights(weight, part.shape[0])
            except (TypeError, ValueError) as error:
                raise type(error)(f"{error} (in block {number})") from None
        X = _as_floats(part, number)
        if self.n_features not in (None, X.shape[1]):
            raise ValueError(
                f"block {number} of X has {X.shape[1]} features, expected "
                f"{self.n_features}"
            )
        return Block(X, weight, ids)


def _computed(value: Any) -> Any:
    """Return what a Delayed object stands for, and other values as they are."""
    return value.compute(scheduler="synchronous") if is_delayed(value) else value


@dataclass(frozen=True, eq=False)
class Blocks:
    """Rows in blocks that are read when they are needed, wherever a `BlockMap` runs.

    Attributes
    ----------
    parts : sequence
        What each block is read from: arrays, names of files with a range of rows,
        Delayed objects.
    reading : Reading
    lengths : tuple of int or None
        The number of rows of each block, where known.
    n_bytes : float or None
        The size of all features, where known.
    weights : sequence or None
        Sample weights of each block: an array, a Delayed object or None.
    """

    parts: Sequence[Any]
    reading: Reading
    lengths: tuple[int, ...] | None = None
    n_bytes: float | None = None
    weights: Sequence[Any] | None = None

    def __len__(self) -> int:
        """Return the number of blocks."""
        return len(self.parts)

    @property
    def columns(self) -> list[Sequence[Any]]:
        """The first arguments of functions of a block."""
        return [self.parts, self.weights or [None] * len(self), range(len(self))]

    def kept(self, map_: BlockMap) -> "Blocks":
        """Return the same blocks in the memory of those who work on them."""
        parts = map_.keep(self.reading.loaded, [self.parts])
        return replace(self, parts=parts, reading=replace(self.reading, load=None))


def _as_floats(part: Any, number: int) -> Any:
    check_kind(f"block {number} of X", part)
    part = sparse.csr_matrix(part) if is_sparse(part) else np.asarray(part)
    if part.ndim != 2:
        raise ValueError(
            f"block {number} of X has {part.ndim} dimensions, expected rows of features"
        )
    if part.dtype.kind not in "fiub":
        raise TypeError(
            f"block {number} of X holds {part.dtype}, expected numbers; convert or "
            "drop its columns first"
        )
    dtype = np.float32 if part.dtype == np.float32 else np.float64
    with np.errstate(over="ignore"):  # of a longdouble: refused as infinite
        if is_sparse(part):
            return part.astype(dtype)
        return np.ascontiguousarray(part, dtype=dtype)


def read_collection(X: Any, sample_weight: Any, id_column: str | None) -> Blocks:
    """Return the blocks of a dask array or DataFrame."""
    if isinstance(X, Blocks):
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
    return Blocks(parts, reading, lengths, n_bytes, weights)


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
    reading = Reading(None, id_column, tuple(names), len(names))
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
