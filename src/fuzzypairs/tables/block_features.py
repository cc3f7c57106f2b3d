"""The preparation of columns in one pass over the blocks of large files."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fuzzypairs._typing import Mask
from fuzzypairs.blocks.block_rows import Block
from fuzzypairs.blocks.maps import BlockMap
from fuzzypairs.tables.columns import as_text, listed
from fuzzypairs.tables.features import Preparation, Summary
from fuzzypairs.tables.file_blocks import FileBlock

__all__ = ["BlockFeatures", "PreparedBlocks", "prepare_blocks"]

# Rows that the kinds of columns are found from.
SAMPLE = 100_000
# Rows from the beginning that running numbers are looked for in.
N_HEAD = 2000


def summarise_block(
    block: FileBlock, number: int, share: float, text: tuple[str, ...], seed: int
) -> Summary:
    """Read a block; return its summary with a random `share` of its rows."""
    frame = block.read(text=text)
    n_head = min(N_HEAD, len(frame)) if number == 0 else 0
    rng = np.random.default_rng([seed, number])
    chosen = np.flatnonzero(rng.random(len(frame)) < share)
    return Summary.of(frame, np.union1d(np.arange(n_head), chosen), n_head)


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
    is_single : bool
        Whether features are of single precision, as the columns are.
    """

    preparation: Preparation
    text: tuple[str, ...] = ()
    id_column: str | None = None
    ids_as_text: bool = True
    is_single: bool = False

    def block(self, source: FileBlock) -> Block:
        """Return features and ids of a block."""
        X, ids, _ = self.rows(source)
        return Block(X, None, ids)

    def rows(self, source: FileBlock) -> tuple[Any, NDArray[Any] | None, Mask]:
        """Return features, ids, and by columns which values are known."""
        used = [column.name for column in self.preparation.used]
        wanted = dict.fromkeys([*used, self.id_column or used[0]])
        frame = source.read(list(wanted), self.text)
        dtype = np.float32 if self.is_single else np.float64
        X, by_column = self.preparation.read(frame, dtype)
        ids = None if self.id_column is None else self.ids(frame[self.id_column])
        return X, ids, by_column

    def ids(self, column: Any) -> NDArray[Any]:
        """Return ids as they are compared."""
        return np.asarray(as_text(column) if self.ids_as_text else column)


class PreparedBlocks(NamedTuple):
    """The result of the pass over all files."""

    features: BlockFeatures
    lengths: tuple[int, ...]


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
) -> PreparedBlocks:
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
    first = blocks[0]
    if first.n_rows is None:
        # CSV: about so many rows, by the length of the first ones.
        per_row = (first.last - first.first) / len(first.read())
        n_rows = sum(b.last - b.first for b in blocks) / per_row
    else:
        n_rows = float(sum(b.n_rows or 0 for b in blocks))
    share = min(1.0, 1.2 * SAMPLE / max(1.0, n_rows)) if n_rows > SAMPLE else 1.0
    text = tuple(n for n in (id_column, *told.get("category", ())) if n is not None)
    columns = [list(blocks), range(len(blocks))]
    found: list[Summary] = block_map(
        summarise_block, columns, (share, text, seed), tell
    )
    _check_columns(blocks, found, (id_column, *drop))
    summary = Summary.joined(found).without(drop)
    preparation = Preparation(scale=scale, id_column=id_column, **told)
    preparation.fit_summary(summary)
    preparation.set_output(transform="pandas")
    kinds = [one.sample.dtypes for one in found]
    used = [column.name for column in preparation.used]
    features = BlockFeatures(
        preparation,
        text,
        id_column,
        ids_as_text=id_column is None
        or not all(pd.api.types.is_integer_dtype(kind[id_column]) for kind in kinds),
        is_single=all((kind[used] == np.float32).all() for kind in kinds),
    )
    return PreparedBlocks(features, tuple(one.n_rows for one in found))


def _check_columns(
    blocks: Sequence[FileBlock], found: list[Summary], wanted: tuple[str | None, ...]
) -> None:
    """Refuse files without a column that others have, or that was asked for."""
    first = found[0].sample.columns
    for name in wanted:
        if name is not None and name not in first:
            raise ValueError(
                f"{blocks[0].path} has no column {name!r}; it has {listed(first)}"
            )
    for block, one in zip(blocks, found, strict=True):
        if len(odd := first.symmetric_difference(one.sample.columns)):
            raise ValueError(
                f"{block.path} and {blocks[0].path} do not have the same columns: only "
                f"one has {odd[0]!r}"
            )
