"""What is computed of one block of rows, where the block lies.

A block is read from what a Dask partition computes to. It is then surveyed (rows, mean,
variance, faults), some of its rows are gathered, and the rest is packed for passes. The
functions have no state: a block that was lost with its worker is read and packed again.
"""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fuzzypairs import _core
from fuzzypairs._typing import Floats, Ints, Mask
from fuzzypairs.cluster.checked import in_units, require_finite, unit_of
from fuzzypairs.solvers.free import memberships_of
from fuzzypairs.spaces.feature_maps import MappedSpace
from fuzzypairs.spaces.moments import (
    is_sparse,
    mean_and_variance,
    squared_norms,
    weighted_mean,
)
from fuzzypairs.spaces.vectors import Euclidean, weighted_sums
from fuzzypairs.threads import Threads, one_blas_thread
from fuzzypairs.validation import check_heaviest, check_kind, read_weights

__all__ = [
    "Block",
    "Frame",
    "PackedBlock",
    "Partial",
    "Reading",
    "Survey",
    "add_partials",
    "gather_rows",
    "memberships_of_block",
    "moments_of_block",
    "pack_block",
    "pass_over_block",
    "read_and_pass",
    "survey_block",
]

# Rows whose distances to all prototypes are held at a time, where passes are not fused.
ROWS_AT_A_TIME = 65_536


class Block(NamedTuple):
    """Rows of the data, with their weights and ids if they have any."""

    X: Any  # (n_rows, n_features) float32 or float64 in C order, or a CSR matrix
    weight: Floats | None = None  # (n_rows,)
    ids: NDArray[Any] | None = None  # (n_rows,)


@dataclass(frozen=True)
class Reading:
    """How what a partition computes to is read as a `Block`."""

    id_column: str | None = None
    names: tuple[str, ...] | None = None  # of the features of a DataFrame
    n_features: int | None = None  # where known

    def read(self, part: Any, weight: Any, number: int) -> Block:
        """Return block `number` of the data, in C order and as floats."""
        ids = None
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


class Survey(NamedTuple):
    """What one block, or all of them, hold."""

    n_rows: int
    n_features: int
    dtype: str
    mass: float  # the sum of weights
    mean: Floats  # (n_features,)
    scatter: float  # sum of w |x - mean|^2
    reach: float  # the largest magnitude of a value
    heaviest: float  # the largest weight
    rows: Ints  # rows whose ids were looked for
    found: Ints  # which of the ids each of them has

    def joined(self, other: "Survey") -> "Survey":
        """Return the survey of the rows of both."""
        mass = self.mass + other.mass
        gap = other.mean - self.mean
        share = other.mass / mass if mass > 0.0 else 0.0
        return self._replace(
            n_rows=self.n_rows + other.n_rows,
            mass=mass,
            mean=self.mean + share * gap,
            scatter=self.scatter + other.scatter + self.mass * share * float(gap @ gap),
            reach=max(self.reach, other.reach),
            heaviest=max(self.heaviest, other.heaviest),
        )


def survey_block(
    part: Any, weight: Any, reading: Reading, number: int, ids: Any
) -> Survey:
    """Check a block, and return its size and moments.

    `ids` are the ids to look for, a pandas Index, or None.
    """
    block = reading.read(part, weight, number)
    X, w = block.X, block.weight
    _check_finite(X, reading, number)
    reach = 0.0
    if min(X.shape) > 0:
        reach = max(-float(X.min()), float(X.max()))
    heaviest = 1.0 if w is None else float(w.max(initial=0.0))
    # What is too small here may be of the right size with other blocks.
    unit_of(np.array([max(reach, 1.0)]))
    check_heaviest(max(heaviest, 1.0))
    rows = found = np.empty(0, dtype=np.int64)
    if ids is not None:
        place = ids.get_indexer(block.ids)
        rows = np.flatnonzero(place >= 0)
        found = place[rows].astype(np.int64)
    mass, mean, scatter = moments_of_block(X, w)
    return Survey(
        X.shape[0], X.shape[1], X.dtype.name, mass, mean, scatter, reach, heaviest,
        rows, found,
    )  # fmt: skip


def moments_of_block(X: Any, weight: Floats | None) -> tuple[float, Floats, float]:
    """Return the sum of weights, the mean, and the sum of w |x - mean|^2."""
    mass = float(X.shape[0] if weight is None else weight.sum())
    if mass == 0.0:
        return 0.0, np.zeros(X.shape[1]), 0.0
    if not is_sparse(X):
        mean, variance = mean_and_variance(X, weight)
        return mass, mean, mass * variance
    mean = weighted_mean(X, weight)
    norms = squared_norms(X)
    total = norms.sum() if weight is None else weight @ norms
    return mass, mean, max(0.0, float(total) - mass * float(mean @ mean))


def _check_finite(X: Any, reading: Reading, number: int) -> None:
    values = X.data if is_sparse(X) else X
    with np.errstate(over="ignore", invalid="ignore"):
        is_finite = np.isfinite(values.sum(dtype=np.float64))
    if not is_finite:
        wrong: Mask = ~np.isfinite(values)
        if wrong.any():
            at = np.argwhere(wrong)[0]
            if is_sparse(X):
                row = int(np.searchsorted(X.indptr, at[0], side="right")) - 1
                column, value = int(X.indices[at[0]]), values[at[0]]
            else:
                (row, column), value = map(int, at), values[tuple(at)]
            kind = "NaN" if np.isnan(value) else "infinity"
            name = repr(reading.names[column]) if reading.names else column
            raise ValueError(
                f"X has {kind} in block {number} row {row} (column {name}); fill or "
                "drop such rows first"
            )


def gather_rows(
    part: Any, weight: Any, reading: Reading, number: int, rows: Ints
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

    def moments(
        self, part: Any, weight: Any, reading: Reading, number: int
    ) -> tuple[float, Floats, float]:
        """Return the moments of a block in the space of the fit."""
        block = reading.read(part, weight, number)
        return moments_of_block(self.place(block.X), block.weight)


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
        with one_blas_thread():
            return [self._pass_at(C, n_threads) for C in prototypes]

    def _pass_at(self, C: Floats, n_threads: int) -> Partial:
        space, frame = Euclidean(), self.frame
        space.threads = Threads(n_threads)
        P = C * frame.unit + frame.mean
        sums, masses, value = np.zeros(C.shape), np.zeros(len(C)), 0.0
        for first in range(0, self.X.shape[0], ROWS_AT_A_TIME):
            rows = slice(first, first + ROWS_AT_A_TIME)
            X = self.X[rows]
            distance = space.between(X, P)
            W = memberships_of(distance, frame.fuzzifier) ** frame.fuzzifier
            W *= self.weight[rows, None]
            sums += weighted_sums(space.threads, X, W)
            masses += W.sum(axis=0)
            value += float(np.einsum("ij,ij->", W, distance))
        sums = (sums - masses[:, None] * frame.mean) / frame.unit
        return Partial(sums, masses, value / frame.unit**2)


def pack_block(
    part: Any, weight: Any, reading: Reading, number: int, frame: Frame, out: Ints
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
    """Make a pass over a packed block."""
    return block.pass_over(prototypes, n_threads)


def read_and_pass(
    part: Any,
    weight: Any,
    reading: Reading,
    number: int,
    frame: Frame,
    out: Ints,
    prototypes: list[Floats],
    n_threads: int = 1,
) -> list[Partial]:
    """Pack a block and make a pass over it; keep nothing."""
    block = pack_block(part, weight, reading, number, frame, out)
    return block.pass_over(prototypes, n_threads)


def add_partials(*parts: list[Partial]) -> list[Partial]:
    """Add what passes over several blocks gave, in the order given."""
    return [
        Partial(
            np.add.reduce([p.sums for p in column]),
            np.add.reduce([p.masses for p in column]),
            float(np.add.reduce([p.value for p in column])),
        )
        for column in zip(*parts, strict=True)
    ]


def memberships_of_block(
    part: Any,
    reading: Reading,
    number: int,
    model: Any,
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
