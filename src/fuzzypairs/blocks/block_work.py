"""What is computed of one block of rows, where the block lies.

A block is surveyed (rows, moments, faults), some of its rows are gathered, and the rest
is packed for passes. The functions have no state: a block that was lost with its worker
is read and packed again.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from fuzzypairs import _core
from fuzzypairs._typing import Floats, Ints, Mask
from fuzzypairs.blocks.block_rows import Block, Reading
from fuzzypairs.cluster.checked import in_units, require_finite, unit_of
from fuzzypairs.solvers.free import memberships_of
from fuzzypairs.spaces.feature_maps import MappedSpace
from fuzzypairs.spaces.moments import Moments, is_sparse
from fuzzypairs.spaces.vectors import Euclidean, weighted_sums
from fuzzypairs.threads import Threads, one_blas_thread
from fuzzypairs.validation import check_heaviest

__all__ = [
    "Frame",
    "PackedBlock",
    "Partial",
    "PlainBlock",
    "Survey",
    "add_partials",
    "gather_rows",
    "memberships_of_block",
    "pack_block",
    "pass_over_block",
    "read_and_pass",
    "survey_block",
]

# Rows whose distances to all prototypes are held at a time, where passes are not fused.
ROWS_AT_A_TIME = 65_536


class Survey(NamedTuple):
    """What a block holds."""

    n_rows: int
    n_features: int
    dtype: str
    moments: Moments
    reach: float  # the largest magnitude of a value
    heaviest: float  # the largest weight
    rows: Ints  # rows whose ids were looked for
    found: Ints  # which of the ids each of them has


def survey_block(
    part: Any, weight: Any, number: int, reading: Reading, ids: Any
) -> Survey:
    """Check a block, and return its size and moments.

    `ids` are the ids to look for, a pandas Index, or None.
    """
    X, w, own_ids = reading.read(part, weight, number)
    _check_finite(X, reading, number)
    reach = max(-float(X.min()), float(X.max())) if min(X.shape) > 0 else 0.0
    heaviest = 1.0 if w is None else float(w.max(initial=0.0))
    # What is too small here may be of the right size with other blocks.
    unit_of(np.array([max(reach, 1.0)]))
    check_heaviest(max(heaviest, 1.0))
    rows = found = np.empty(0, dtype=np.int64)
    if ids is not None:
        place = ids.get_indexer(own_ids)
        rows = np.flatnonzero(place >= 0)
        found = place[rows].astype(np.int64)
    kind = X.shape[0], X.shape[1], X.dtype.name
    return Survey(*kind, Moments.of(X, w), reach, heaviest, rows, found)


def _check_finite(X: Any, reading: Reading, number: int) -> None:
    values = X.data if is_sparse(X) else X
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum(dtype=np.float64)):
            return
    wrong: Mask = ~np.isfinite(values)
    if wrong.any():
        at = tuple(np.argwhere(wrong)[0])
        value = values[at]
        if is_sparse(X):
            at = X.tocoo().row[at], X.indices[at]
        kind = "NaN" if np.isnan(value) else "infinity"
        name = repr(reading.names[at[1]]) if reading.names else at[1]
        raise ValueError(
            f"X has {kind} in block {number} row {at[0]} (column {name}); fill or "
            "drop such rows first"
        )


def gather_rows(
    part: Any, weight: Any, number: int, rows: Ints, reading: Reading
) -> Block:
    """Return some rows of a block."""
    X, w, ids = reading.read(part, weight, number)
    return Block(
        X[rows], None if w is None else w[rows], None if ids is None else ids[rows]
    )


@dataclass(frozen=True, eq=False)
class Frame:
    """The coordinates in which passes are made: centred, in units of the spread."""

    space: MappedSpace | None  # maps rows first, if any
    factor: float  # then rows are multiplied by this power of two, usually 1
    fuzzifier: float = 2.0
    # The mean of the mapped rows, once it is known.
    mean: Floats = field(default_factory=lambda: np.empty(0))
    unit: float = 1.0  # the root of their total variance
    heaviest: float = 1.0  # what weights are divided by
    by_products: bool = False

    def place(self, X: Any) -> Any:
        """Return rows in the space of the fit, not yet centred."""
        X = in_units(X, self.factor)
        if self.space is None:
            return X
        with one_blas_thread():
            return np.ascontiguousarray(self.space.map(X))

    def moments(self, part: Any, weight: Any, number: int, reading: Reading) -> Moments:
        """Return the moments of a block in the space of the fit."""
        block = reading.read(part, weight, number)
        return Moments.of(self.place(block.X), block.weight)


class Partial(NamedTuple):
    """What a pass over some rows adds up, in the coordinates of a `Frame`."""

    sums: Floats  # (k, n_features) sum of w u^g x
    masses: Floats  # (k,) sum of w u^g
    value: float  # sum of w u^g d


class PackedBlock:
    """Rows without judgements, packed for passes by the core.

    It can be moved to another process, where the same bits are packed again.
    """

    def __init__(self, X: Any, rows: Ints | None, weight: Any, frame: Frame) -> None:
        self.by_products = frame.by_products
        self.samples = _core.Samples(
            X,
            rows,
            weight,
            mean=frame.mean,
            unit=frame.unit,
            by_products=frame.by_products,
        )
        self.weight = weight if weight is None or rows is None else weight[rows]
        self.n_bytes = self.samples.n_samples * (
            X.shape[1] * X.dtype.itemsize + (0 if weight is None else 16)
        )

    def pass_over(self, prototypes: list[Floats], n_threads: int) -> list[Partial]:
        """Return what a pass at each of several sets of prototypes adds up."""
        return [Partial(*self.samples.pass_over(C, n_threads)) for C in prototypes]

    def __sizeof__(self) -> int:
        """Return the size in bytes, which Dask plans by."""
        return int(self.n_bytes)

    def __reduce__(self) -> Any:
        return _pack_again, (self.samples.rows, self.weight, self.by_products)


def _pack_again(rows: Any, weight: Any, by_products: bool) -> PackedBlock:
    frame = Frame(None, 1.0, mean=np.zeros(rows.shape[1]), by_products=by_products)
    return PackedBlock(rows, None, weight, frame)


class PlainBlock:
    """Rows without judgements, for passes with any fuzzifier and for sparse rows."""

    def __init__(self, X: Any, rows: Ints | None, weight: Any, frame: Frame) -> None:
        chosen = slice(None) if rows is None else rows
        self.X, self.frame = X[chosen], frame
        n_rows = self.X.shape[0]
        self.weight = np.ones(n_rows) if weight is None else weight[chosen]

    def pass_over(self, prototypes: list[Floats], n_threads: int) -> list[Partial]:
        """Return what a pass at each of several sets of prototypes adds up."""
        threads = Threads(n_threads)
        with one_blas_thread():
            return [self._pass_at(C, threads) for C in prototypes]

    def _pass_at(self, C: Floats, threads: Threads) -> Partial:
        found, g = (
            [Partial(np.zeros(C.shape), np.zeros(len(C)), 0.0)],
            self.frame.fuzzifier,
        )
        for first in range(0, self.X.shape[0], ROWS_AT_A_TIME):
            rows = slice(first, first + ROWS_AT_A_TIME)
            distance = self.distances(C, threads, rows)
            W = self.weight[rows, None] * memberships_of(distance, g) ** g
            sums = self.add_up(W, threads, rows)
            found.append(Partial(*sums, float(np.einsum("ij,ij->", W, distance))))
        return _added(found)

    def distances(
        self, C: Floats, threads: Threads, rows: slice = slice(None)
    ) -> Floats:
        """Return squared distances to prototypes, both in the coordinates of a pass."""
        space, frame = Euclidean(), self.frame
        space.threads = threads
        distance = space.between(self.X[rows], C * frame.unit + frame.mean)
        distance /= frame.unit**2
        return distance

    def add_up(
        self, W: Floats, threads: Threads, rows: slice = slice(None)
    ) -> tuple[Floats, Floats]:
        """Return sums of w x and of w for weights W (n_rows, k)."""
        masses, frame = W.sum(axis=0), self.frame
        sums = weighted_sums(threads, self.X[rows], W)
        return (sums - masses[:, None] * frame.mean) / frame.unit, masses


def pack_block(
    part: Any, weight: Any, number: int, out: Ints, reading: Reading, frame: Frame
) -> PackedBlock | PlainBlock:
    """Pack a block without the rows `out`, which judgements name."""
    block = reading.read(part, weight, number)
    X, w = frame.place(block.X), block.weight
    if w is not None:
        w = w / frame.heaviest
    rows = None
    if len(out):
        is_free = np.ones(X.shape[0], dtype=np.bool_)
        is_free[out] = False
        rows = np.flatnonzero(is_free)
    is_fused = frame.fuzzifier == 2.0 and not is_sparse(X)
    return (PackedBlock if is_fused else PlainBlock)(X, rows, w, frame)


def pass_over_block(
    block: PackedBlock | PlainBlock, prototypes: list[Floats], n_threads: int = 1
) -> list[Partial]:
    """Make a pass over a packed block, at several sets of prototypes."""
    return block.pass_over(prototypes, n_threads)


def read_and_pass(*given: Any) -> list[Partial]:
    """Pack a block and make a pass over it; keep nothing."""
    *block, prototypes, n_threads = given
    return pass_over_block(pack_block(*block), prototypes, n_threads)


def add_partials(blocks: list[list[Partial]]) -> list[Partial]:
    """Add what passes over several blocks gave, in the order given."""
    return [_added(parts) for parts in zip(*blocks, strict=True)]


def _added(parts: Iterable[Partial]) -> Partial:
    sums, masses, values = zip(*parts, strict=True)
    add = np.add.reduce
    return Partial(add(sums), add(masses), float(add(values)))


def memberships_of_block(
    part: Any,
    number: int,
    model: Any,
    reading: Reading,
    rows: Ints,
    memberships: Floats,
) -> Floats:
    """Return the memberships of a block under a fitted local model.

    Those of some `rows`, which judgements name, are given.
    """
    X = reading.read(part, None, number).X
    _check_finite(X, reading, number)
    X = in_units(X, model._unit)
    U = np.empty((X.shape[0], model.n_clusters_))
    for first in range(0, len(U), ROWS_AT_A_TIME):
        some = slice(first, first + ROWS_AT_A_TIME)
        distance = model._space.between(X[some], model._prototypes)
        memberships_of(require_finite(distance), model.fuzzifier_, U[some])
    U[rows] = memberships
    return U
