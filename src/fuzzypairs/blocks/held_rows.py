"""Rows that are gathered once to the client: a sample, and all that judgements name."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from fuzzypairs._typing import Floats, Ints
from fuzzypairs.blocks.block_work import Survey, gather_rows, survey_block
from fuzzypairs.blocks.dask_blocks import (
    NamedPairs,
    Source,
    by_block,
    check_places,
    distinct_rows,
    draw_rows,
    positions,
)
from fuzzypairs.blocks.pass_progress import PassClock
from fuzzypairs.blocks.schedulers import Scheduler, Work
from fuzzypairs.pairs import PairSet
from fuzzypairs.spaces.moments import is_sparse
from fuzzypairs.validation import check_heaviest

__all__ = ["SAMPLE", "HeldRows", "hold_rows", "survey_blocks"]

# Starts, alpha="auto" and learned spaces see so many rows, those that judgements name
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
        block, row = positions(np.sort(self.rows[places]), self.borders)
        return by_block(block, row, len(self.borders) - 1)


def survey_blocks(
    source: Source, scheduler: Scheduler, ids: Any, clock: PassClock
) -> tuple[Survey, list[Survey]]:
    """Return the survey of all rows, and of each block."""
    calls = [(*call, ids) for call in source.calls]
    clock.begin("survey")
    found = scheduler.map(Work("survey", survey_block, calls, tell=clock.tick))
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
    lengths = source.lengths or [one.n_rows for one in found]
    for number, (one, length) in enumerate(zip(found, lengths, strict=True)):
        if one.n_rows != length:
            raise ValueError(
                f"block {number} of X has {one.n_rows} rows, but X.chunks says "
                f"{length}; correct the chunks, or call X.compute_chunk_sizes()"
            )
    whole = first
    for _, one in some[1:]:
        whole = whole.joined(one)
    if not whole.n_rows:
        raise ValueError("X has no rows")
    check_heaviest(whole.heaviest)
    return whole, found


def hold_rows(
    source: Source,
    scheduler: Scheduler,
    judgements: NamedPairs | PairSet | None,
    random_state: np.random.RandomState,
    clock: PassClock,
) -> HeldRows:
    """Survey all blocks, then gather a sample and the rows that judgements name."""
    ids = judgements.ids if isinstance(judgements, NamedPairs) else None
    whole, found = survey_blocks(source, scheduler, ids, clock)
    borders = np.cumsum([0, *(one.n_rows for one in found)])
    pairs, numbers = _numbered(judgements, found, borders)
    judged_rows = distinct_rows(numbers)
    n_drawn = max(SAMPLE - len(judged_rows), SAMPLE // 2)
    if whole.n_rows <= SAMPLE:
        n_drawn = whole.n_rows
    rows = distinct_rows(judged_rows, draw_rows(whole.n_rows, n_drawn, random_state))
    block, row = positions(rows, borders)
    wanted = by_block(block, row, len(found))
    clock.begin("gather")
    calls = [(*call, some) for call, some in zip(source.calls, wanted, strict=True)]
    gathered = scheduler.map(Work("gather", gather_rows, calls, tell=clock.tick))
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
    place = np.searchsorted(rows, numbers)
    half = len(pairs.grade)
    on_held = PairSet(place[:half], place[half:], pairs.grade, len(rows))
    judged = np.searchsorted(rows, judged_rows)
    names = None
    if isinstance(judgements, NamedPairs):
        order = np.argsort(_rows_of(found, borders, len(judgements.ids)))
        names = np.asarray(judgements.ids[order])
    return HeldRows(whole, borders, rows, X, weight, on_held, judged, names)


def _numbered(
    judgements: NamedPairs | PairSet | None, found: list[Survey], borders: Ints
) -> tuple[PairSet, Ints]:
    """Return judgements, and the rows of all their first and then second samples."""
    if judgements is None:
        return PairSet.empty(0), np.empty(0, dtype=np.int64)
    if isinstance(judgements, PairSet):
        return judgements, np.concatenate([judgements.i, judgements.j])
    pairs = judgements.pairs
    check_places(np.concatenate([one.found for one in found]), judgements.ids)
    row = _rows_of(found, borders, len(judgements.ids))
    return pairs, row[np.concatenate([pairs.i, pairs.j])]


def _rows_of(found: list[Survey], borders: Ints, n_ids: int) -> Ints:
    """Return the row of each id."""
    row = np.empty(n_ids, dtype=np.int64)
    for one, first in zip(found, borders[:-1], strict=True):
        row[one.found] = first + one.rows
    return row
