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
from fuzzypairs.validation import check_kind, read_weights

__all__ = ["Block", "Blocks", "Reading"]


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
