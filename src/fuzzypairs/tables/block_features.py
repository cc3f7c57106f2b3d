"""The preparation of columns in one pass over the blocks of large files.

Kinds of columns, categories and medians are those of a sample of rows; means,
deviations and numbers of missing values are of all rows.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fuzzypairs._typing import Floats, Ints
from fuzzypairs.blocks.block_rows import Block
from fuzzypairs.blocks.maps import BlockMap
from fuzzypairs.tables.columns import as_text
from fuzzypairs.tables.features import ColumnRecord, Preparation, treatment_of
from fuzzypairs.tables.file_blocks import FileBlock
from fuzzypairs.tables.usefulness import why_useless

__all__ = ["BlockFeatures", "Profile", "prepare_blocks"]

# Rows that the kinds of columns are found from.
SAMPLE = 100_000
# Rows from the beginning that running numbers are looked for in.
N_HEAD = 2000
RUNNING = "left out, it numbers the rows"


class Moments(NamedTuple):
    """Count, mean and sum of squared gaps of the known values of a column."""

    n: int
    mean: float
    squares: float

    def joined(self, other: "Moments") -> "Moments":
        """Return the moments of the values of both."""
        n = self.n + other.n
        if not n:
            return self
        gap = other.mean - self.mean
        share = other.n / n
        squares = self.squares + other.squares + gap * gap * self.n * share
        return Moments(n, self.mean + share * gap, squares)


class BlockProfile(NamedTuple):
    """What the preparation needs of one block."""

    n_rows: int
    sample: pd.DataFrame
    moments: dict[str, Moments]
    dtypes: dict[str, str]


def profile_block(
    block: FileBlock, number: int, share: float, text: tuple[str, ...], seed: int
) -> BlockProfile:
    """Read a block; return its rows, a random `share` of them, moments of numbers."""
    frame = block.read(text=text)
    rng = np.random.default_rng([seed, number])
    n_rows = len(frame)
    chosen = np.flatnonzero(rng.random(n_rows) < share)
    if number == 0:
        chosen = np.union1d(np.arange(min(N_HEAD, n_rows)), chosen)
    moments, dtypes = {}, {}
    for name in frame.columns:
        column = frame[name]
        dtypes[str(name)] = str(column.dtype)
        if pd.api.types.is_numeric_dtype(column) and column.dtype != bool:
            values = column.to_numpy(np.float64, na_value=np.nan)
            values = values[~np.isnan(values)]
            mean = float(values.mean()) if len(values) else 0.0
            squares = float(((values - mean) ** 2).sum())
            moments[str(name)] = Moments(len(values), mean, squares)
    return BlockProfile(n_rows, frame.iloc[chosen], moments, dtypes)


@dataclass(frozen=True, eq=False)
class BlockFeatures:
    """Makes features and ids of blocks.

    Attributes
    ----------
    preparation : Preparation
        Fitted.
    text : tuple of str
        Columns that are read as they are written.
    id_column : str or None
    ids_as_text : bool
        Whether ids are compared as text.
    is_plain : bool
        Whether all features are numeric columns, made without a table.
    is_single : bool
        Whether these are of single precision, and features, too.
    """

    preparation: Preparation
    text: tuple[str, ...] = ()
    id_column: str | None = None
    ids_as_text: bool = True
    is_plain: bool = False
    is_single: bool = False

    def block(self, source: FileBlock) -> Block:
        """Return features and ids of a block."""
        X, ids, _ = self.rows(source)
        return Block(X, None, ids)

    def rows(self, source: FileBlock) -> tuple[Any, NDArray[Any] | None, Ints]:
        """Return features, ids, and the rows with missing values."""
        is_binary = source.path.lower().endswith((".parquet", ".npy"))
        if self.is_plain and is_binary and (made := self._plain(source)):
            ids = None
            if self.id_column is not None:
                ids = self.ids(source.read([self.id_column])[self.id_column])
            return made[0], ids, made[1]
        frame = source.read(text=self.text)
        known = self.preparation.known(frame).all(axis=1)
        ids = None if self.id_column is None else self.ids(frame[self.id_column])
        return self.features(frame), ids, np.flatnonzero(~known)

    def ids(self, column: Any) -> NDArray[Any]:
        """Return ids as they are compared."""
        return np.asarray(as_text(column) if self.ids_as_text else column)

    def features(self, frame: pd.DataFrame) -> Floats:
        """Return the features of a table, shape (n_rows, n_features)."""
        return np.ascontiguousarray(np.asarray(self.preparation.transform(frame)))

    def used(self) -> list[str]:
        """Return the columns that features are made of."""
        return [c.name for c in self.preparation.columns_ if c.n_features]

    def _plain(self, source: FileBlock) -> tuple[Any, Ints] | None:
        """Return (x - mean) / deviation with medians in gaps, and rows with gaps.

        None if a column holds text, such as words among numbers.
        """
        names = self.used()
        dtype = np.float32 if self.is_single else np.float64
        if source.path.lower().endswith(".npy"):
            given = source.array()
            X = given[:, [int(name[1:]) for name in names]].astype(dtype)
        else:
            table = source.arrow(names)
            X = np.empty((table.num_rows, len(names)), dtype=dtype)
            for f, name in enumerate(names):
                values = table.column(name).to_numpy()
                if values.dtype.kind not in "iuf":
                    return None
                X[:, f] = values
        steps = self.preparation.transformer_.named_transformers_["numbers"]
        gappy = np.empty(0, dtype=np.int64)
        if np.isnan(X.sum(dtype=np.float64)):
            gaps = np.isnan(X)
            gappy = np.flatnonzero(gaps.any(axis=1))
            X[gaps] = np.broadcast_to(steps[0].statistics_, X.shape)[gaps]
        if len(steps) > 1:
            X -= steps[1].mean_.astype(dtype)
            X /= steps[1].scale_.astype(dtype)
        return X, gappy


class Profile(NamedTuple):
    """The result of the pass over all files."""

    features: BlockFeatures
    lengths: tuple[int, ...]
    sample: pd.DataFrame  # of the columns as they are in the files


def prepare_blocks(
    blocks: Sequence[FileBlock],
    block_map: BlockMap,
    *,
    id_column: str | None = None,
    drop: Sequence[str] = (),
    scale: bool = True,
    seed: int = 0,
    tell: Callable[[], None] | None = None,
    **told: Any,
) -> Profile:
    """Read all blocks once; return the preparation of their columns.

    Parameters
    ----------
    blocks : sequence of FileBlock
    block_map : BlockMap
    id_column : str, default=None
    drop : sequence of str, default=()
        Columns that are no features.
    scale : bool, default=True
    seed : int, default=0
        Draws the sample.
    tell : callable, default=None
        Called after each block.
    **told
        `category`, `number`, `date` and `date_order` of `Preparation`.
    """
    known = [block.n_rows for block in blocks]
    if None in known:
        # CSV: about so many rows, by the length of the first ones.
        first = blocks[0]
        per_row = (first.last - first.first) / len(first.read())
        n_rows = sum(b.last - b.first for b in blocks) / per_row
    else:
        n_rows = float(sum(n for n in known if n is not None))
    share = min(1.0, 1.2 * SAMPLE / max(1.0, n_rows)) if n_rows > SAMPLE else 1.0
    text = tuple(n for n in (id_column, *told.get("category", ())) if n is not None)
    columns = [list(blocks), range(len(blocks))]
    found: list[BlockProfile] = block_map(
        profile_block, columns, (share, text, seed), tell
    )
    _check_columns(blocks, found, (id_column, *drop))
    head = found[0].sample.iloc[:N_HEAD]
    sample = pd.concat([one.sample for one in found], ignore_index=True)
    sample = sample.drop(columns=[n for n in drop if n in sample])
    preparation = Preparation(scale=scale, id_column=id_column, **told)
    preparation.fit(sample)
    running = [
        c.name
        for c in preparation.columns_
        if c.n_features
        and c.kind == "number"
        and c.name not in told.get("number", ())
        and why_useless(pd.to_numeric(head[c.name], errors="coerce"), "number")
        == RUNNING
    ]
    if running:
        preparation.fit(sample.drop(columns=running))
        left_out = (ColumnRecord(name, "number", 0, 0, RUNNING) for name in running)
        preparation.columns_ = (*preparation.columns_, *left_out)
    moments: dict[str, Moments] = {}
    for name in found[0].moments:
        if all(name in one.moments for one in found):
            total = found[0].moments[name]
            for one in found[1:]:
                total = total.joined(one.moments[name])
            moments[name] = total
    lengths = tuple(one.n_rows for one in found)
    _use_all_rows(preparation, moments, sum(lengths))
    preparation.set_output(transform="pandas")
    used = [c for c in preparation.columns_ if c.n_features]
    dtypes = {one.dtypes.get(c.name) for one in found for c in used}
    is_numeric = all(c.kind == "number" and c.name in moments for c in used)
    id_kind = {one.dtypes.get(str(id_column), "") for one in found}
    features = BlockFeatures(
        preparation,
        text,
        id_column,
        ids_as_text=not all(kind.startswith(("int", "uint")) for kind in id_kind),
        is_plain=is_numeric,
        is_single=is_numeric and dtypes == {"float32"},
    )
    return Profile(features, lengths, sample)


def _check_columns(
    blocks: Sequence[FileBlock],
    found: list[BlockProfile],
    wanted: tuple[str | None, ...],
) -> None:
    """Refuse files without a column that others have, or that was asked for."""
    first = set(found[0].dtypes)
    for name in wanted:
        if name is not None and name not in first:
            raise ValueError(
                f"{blocks[0].path} has no column {name!r}; it has "
                f"{', '.join(map(repr, sorted(first)))}"
            )
    for block, one in zip(blocks, found, strict=True):
        if odd := first.symmetric_difference(one.dtypes):
            raise ValueError(
                f"{block.path} and {blocks[0].path} do not have the same columns: only "
                f"one has {sorted(odd)[0]!r}"
            )


def _use_all_rows(
    preparation: Preparation, moments: dict[str, Moments], n_rows: int
) -> None:
    """Set means, deviations and numbers of gaps to those of all rows."""
    _, steps, names = preparation.transformer_.transformers_[0]
    for f, name in enumerate(names):
        if name not in moments or len(steps) < 2:
            continue
        imputer, scaler = steps[0], steps[1]
        median, (n, mean, squares) = float(imputer.statistics_[f]), moments[name]
        filled = Moments(n_rows - n, median, 0.0)
        whole = Moments(n, mean, squares).joined(filled)
        scaler.mean_[f] = whole.mean
        scaler.var_[f] = whole.squares / n_rows
        scaler.scale_[f] = np.sqrt(scaler.var_[f]) or 1.0
    preparation.columns_ = tuple(
        replace(
            c,
            n_missing=(gaps := n_rows - moments[c.name].n),
            treatment=treatment_of(c.kind, gaps, 0, preparation.scale)
            if c.n_features
            else c.treatment,
        )
        if c.kind == "number" and c.name in moments
        else c
        for c in preparation.columns_
    )
