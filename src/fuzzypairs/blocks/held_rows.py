"""Rows that are gathered once to the client: a sample, and all that judgements name."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fuzzypairs._typing import Floats, Ints
from fuzzypairs.blocks.block_rows import Blocks
from fuzzypairs.blocks.block_work import Survey, gather_rows, survey_block
from fuzzypairs.blocks.maps import BlockMap
from fuzzypairs.blocks.named_pairs import NamedPairs, check_places
from fuzzypairs.blocks.pass_progress import PassClock
from fuzzypairs.pairs import PairSet
from fuzzypairs.spaces.moments import Moments, is_sparse
from fuzzypairs.validation import check_heaviest

__all__ = ["SAMPLE", "HeldRows", "by_block", "draw_rows", "hold_rows", "positions"]

# Starts, alpha="auto" and `GuidedFDC` see so many rows, those that judgements name
# among them. At least half as many are drawn at random.
SAMPLE = 100_000


@dataclass(frozen=True, eq=False)
class HeldRows:
    """Rows held on the client, in the order of the data."""

    survey: Survey  # of all rows
    borders: Ints  # (n_blocks + 1,) the first row of each block
    rows: Ints  # (n_held,) their numbers over all blocks
    X: Any  # (n_held, n_features)
    weight: Floats | None  # (n_held,)
    pairs: PairSet  # judgements of places in `rows`
    judged: Ints  # (n_judged,) places that judgements name
    ids: Any  # (n_judged,) their ids, if they were named by ids

    @property
    def heaviest(self) -> float:
        """The largest weight of a held row, which weights are divided by."""
        return 1.0 if self.weight is None else float(self.weight.max())

    def rows_by_block(self, places: Ints) -> list[Ints]:
        """Return the rows of held places, as numbers within each block."""
        return rows_by_block(np.sort(self.rows[places]), self.borders)


def positions(rows: Ints, borders: Ints) -> tuple[Ints, Ints]:
    """Return the block and the row within it of rows numbered over all blocks."""
    block = np.searchsorted(borders, rows, side="right") - 1
    return block, rows - borders[block]


def by_block(block: Ints, values: Sequence[Any] | NDArray[Any], n: int) -> list[Any]:
    """Return the values of each of `n` blocks; `block` never decreases."""
    cuts = np.searchsorted(block, np.arange(1, n))
    return np.split(np.asarray(values), cuts)


def rows_by_block(rows: Ints, borders: Ints) -> list[Ints]:
    """Return ordered rows as numbers within each block."""
    return by_block(*positions(rows, borders), len(borders) - 1)


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


def survey_blocks(
    blocks: Blocks, map_: BlockMap, ids: Any, clock: PassClock
) -> tuple[Survey, list[Survey]]:
    """Return the survey of all rows, and of each block."""
    clock.begin("survey")
    found = map_(survey_block, blocks.columns, [blocks.reading, ids], clock.tick)
    # Blocks without rows may have another type.
    some = [(n, s) for n, s in enumerate(found) if s.n_rows] or [(0, found[0])]
    first = some[0][1]
    for number, one in some:
        if one.dtype != first.dtype:
            raise TypeError(
                f"block {number} of X is {one.dtype} but block {some[0][0]} is "
                f"{first.dtype}; give all blocks one type, an array by "
                "X.map_blocks(np.float64), a DataFrame by X.astype(np.float64)"
            )
        if one.n_features != first.n_features:
            raise ValueError(
                f"block {number} of X has {one.n_features} features but block "
                f"{some[0][0]} has {first.n_features}"
            )
    lengths = blocks.lengths or [one.n_rows for one in found]
    for number, (one, length) in enumerate(zip(found, lengths, strict=True)):
        if one.n_rows != length:
            raise ValueError(
                f"block {number} of X has {one.n_rows} rows, but X.chunks says "
                f"{length}; correct the chunks, or call X.compute_chunk_sizes()"
            )
    whole = first._replace(
        n_rows=sum(one.n_rows for one in found),
        moments=reduce(Moments.joined, (one.moments for _, one in some)),
        reach=max(one.reach for _, one in some),
        heaviest=max(one.heaviest for _, one in some),
    )
    if not whole.n_rows:
        raise ValueError("X has no rows")
    check_heaviest(whole.heaviest)
    return whole, found


def hold_rows(
    blocks: Blocks,
    map_: BlockMap,
    judgements: NamedPairs | PairSet | None,
    random_state: np.random.RandomState,
    clock: PassClock,
) -> HeldRows:
    """Survey all blocks, then gather a sample and the rows that judgements name."""
    ids: Any = judgements.ids if isinstance(judgements, NamedPairs) else None
    whole, found = survey_blocks(blocks, map_, ids, clock)
    borders = np.cumsum([0, *(one.n_rows for one in found)])
    pairs = judgements or PairSet.empty(0)
    names = None
    if isinstance(pairs, NamedPairs):
        check_places(np.concatenate([one.found for one in found]), ids)
        row = np.empty(len(ids), dtype=np.int64)  # of each id
        for one, first in zip(found, borders[:-1], strict=True):
            row[one.found] = first + one.rows
        pairs, names = pairs.pairs, np.asarray(ids[np.argsort(row)])
        ends = row[pairs.i], row[pairs.j]
    else:
        ends = pairs.i, pairs.j
    judged_rows = distinct_rows(*ends)
    n_drawn = max(SAMPLE - len(judged_rows), SAMPLE // 2)
    if whole.n_rows <= SAMPLE:
        n_drawn = whole.n_rows
    rows = distinct_rows(judged_rows, draw_rows(whole.n_rows, n_drawn, random_state))
    clock.begin("gather")
    columns = [*blocks.columns, rows_by_block(rows, borders)]
    gathered = map_(gather_rows, columns, [blocks.reading], clock.tick)
    gathered = [part for part in gathered if part.X.shape[0]]
    parts = [part.X for part in gathered]
    X = sparse.vstack(parts, "csr") if is_sparse(parts[0]) else np.concatenate(parts)
    weight = None
    if gathered[0].weight is not None:
        weight = np.concatenate([part.weight for part in gathered])
        if not weight.any():
            raise ValueError(
                f"sample_weight is 0 for all {len(rows)} rows of a sample; drop rows "
                "of weight 0 first"
            )
    i, j = (np.searchsorted(rows, some) for some in ends)
    on_held = replace(pairs, i=i, j=j, n_samples=len(rows))
    judged = np.searchsorted(rows, judged_rows)
    return HeldRows(whole, borders, rows, X, weight, on_held, judged, names)
