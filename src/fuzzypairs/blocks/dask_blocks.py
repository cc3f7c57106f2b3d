"""Dask arrays and DataFrames as blocks of rows."""

from typing import Any

import numpy as np

from fuzzypairs.blocks.block_rows import Blocks, Reading
from fuzzypairs.validation import read_weights, shown

__all__ = ["read_collection"]


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
