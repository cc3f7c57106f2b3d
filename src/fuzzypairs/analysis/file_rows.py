"""Rows of files that are read block by block, here or by the workers of a cluster."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd

from fuzzypairs._typing import Ints, Show
from fuzzypairs.analysis.row_reader import RowReader
from fuzzypairs.analysis.rows import Rows, feature_frame, no_columns, tell_nobody
from fuzzypairs.blocks.block_rows import Blocks, Reading
from fuzzypairs.blocks.held_rows import by_block, draw_rows, positions
from fuzzypairs.blocks.maps import BlockMap, choose_map
from fuzzypairs.blocks.named_pairs import NamedPairs, check_places
from fuzzypairs.pairs import PairSet
from fuzzypairs.pairs.stored import is_store, open_store
from fuzzypairs.tables.block_features import BlockFeatures, prepare_blocks
from fuzzypairs.tables.file_blocks import FileBlock, find_files, list_blocks
from fuzzypairs.tables.judged_rows import Hits, Wanted, pairs_of_rows
from fuzzypairs.tables.pair_files import open_pairs
from fuzzypairs.tables.table_files import Items

__all__ = ["FileJob", "FileRows", "open_files"]


@dataclass(frozen=True, eq=False)
class FileJob:
    """Blocks of files, and where functions of them are called.

    Attributes
    ----------
    path : Path
        A file, a folder or a pattern.
    blocks : list of FileBlock
    block_map : BlockMap
        Calls functions of blocks: in this process, or on a cluster.
    show : callable
    """

    path: Path
    blocks: list[FileBlock]
    block_map: BlockMap
    show: Show

    def counting(self, doing: str, n_blocks: int) -> Callable[[], None]:
        """Return a function that shows that one more block is done."""
        done = 0

        def tell() -> None:
            nonlocal done
            done += 1
            self.show(f"{doing}, block {done} of {n_blocks}", done, n_blocks)

        return tell

    def map(self, doing: str, function: Any, calls: Sequence[Any]) -> list[Any]:
        """Return results of all blocks, and show how many are done."""
        tell = self.counting(doing, len(calls))
        return self.block_map(function, list(zip(*calls, strict=True)), (), tell)

    def count_rows(self) -> list[int]:
        """Return the number of rows of each block."""
        known = [block.n_rows or 0 for block in self.blocks]
        if all(known):
            return known
        return self.map("counting rows", _count, [(block,) for block in self.blocks])


def _count(block: FileBlock) -> int:
    return len(block.read())


@contextmanager
def open_files(
    data: Path, scheduler: str | None, n_jobs: int | None, show: Show = tell_nobody
) -> Iterator[FileJob]:
    """Yield the blocks of files, to be read here or by a cluster."""
    if find_spec("dask") is None:
        raise ImportError(
            "files are read in blocks by Dask: pip install 'fuzzypairs[distributed]'"
        )
    blocks = list_blocks(find_files(data))
    if scheduler is None:
        yield FileJob(data, blocks, choose_map(None, n_jobs), show)
        return
    import distributed

    make: Any = distributed.Client  # without types
    try:
        client = make(scheduler, timeout="10s", set_as_default=False)
    except (OSError, ValueError) as error:
        raise ValueError(
            f"--scheduler {scheduler} cannot be reached ({error}); expected the "
            "address of a Dask scheduler, such as tcp://10.0.0.5:8786"
        ) from error
    with client:
        yield FileJob(data, blocks, choose_map(client), show)


@dataclass(frozen=True, eq=False)
class FileRows:
    """Rows to be clustered that are read in blocks; see `Rows`.

    Attributes
    ----------
    job : FileJob
    features : BlockFeatures
        What makes the features of blocks.
    lengths : tuple of int
        The number of rows of each block.
    pairs : PairSet, NamedPairs or None
        Judgements by row number or by ids.
    left_out : tuple of str
        Columns that are neither features nor shown.
    """

    job: FileJob
    features: BlockFeatures
    lengths: tuple[int, ...]
    pairs: PairSet | NamedPairs | None = None
    left_out: tuple[str, ...] = ()

    @classmethod
    def read(cls, job: FileJob, pairs: Path | None, reader: RowReader) -> Self:
        """Prepare the columns in one pass over the blocks, and read judgements."""
        for name in (
            "text", "image", "images", "embedding", "embeddings", "with_", "show",
        ):  # fmt: skip
            if reader.is_given(name):
                raise ValueError(
                    f"--{name.rstrip('_')} is for data in memory, but {job.path} is "
                    "read in blocks: use features as columns of numbers"
                )
        left_out = [*reader.drop, *([] if reader.truth is None else [reader.truth])]
        told = {
            name: getattr(reader, name)
            for name in ("category", "number", "date", "date_order")
            if getattr(reader, name)
        }
        profile = prepare_blocks(
            job.blocks,
            job.block_map,
            id_column=reader.id,
            drop=left_out,
            # Arrays are taken as they are, as in memory.
            scale=reader.scale and not job.blocks[0].path.endswith(".npy"),
            tell=job.counting("reading columns", len(job.blocks)),
            **told,
        )
        rows = cls(job, profile.features, profile.lengths, left_out=tuple(left_out))
        if pairs is None:
            return rows
        judged = rows._read_pairs(pairs, reader.grade_scale)
        return replace(rows, pairs=judged)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return sum(self.lengths)

    @property
    def judgements(self) -> PairSet:
        """Judgements of places in ids, or of rows."""
        if isinstance(self.pairs, NamedPairs):
            return self.pairs.pairs
        return PairSet.empty(0) if self.pairs is None else self.pairs

    def blocks(self) -> Blocks:
        """Return the features of all blocks, read when they are needed."""
        names = tuple(self.features.preparation.get_feature_names_out())
        size = 4 if self.features.is_single else 8
        reading = Reading(self.features.block, names=names)
        n_bytes = float(self.n_rows) * len(names) * size
        return Blocks(self.job.blocks, reading, self.lengths, n_bytes)

    def sample(self, n_rows: int, n_pairs: int) -> tuple[Rows, Ints]:
        """Return random rows with some judgements and their rows, in memory.

        The second value is the number of each row among all.
        """
        rng = np.random.RandomState(0)
        pairs = self.judgements
        some = draw_rows(len(pairs), n_pairs, rng)
        pairs = pairs.select(np.isin(np.arange(len(pairs)), some))
        ends = np.array([pairs.i, pairs.j])
        rows, named = draw_rows(self.n_rows, n_rows, rng), np.unique(ends)
        if isinstance(self.pairs, NamedPairs):
            ids = self.pairs.ids[named]
            frame = self._gather(rows, ids)
            place = ids.get_indexer(self.features.ids(frame[self.features.id_column]))
            here = np.flatnonzero(place >= 0)
            check_places(place[here], ids)
            # The row of the frame that has each of the ids.
            ends = here[np.argsort(place[here])][np.searchsorted(named, ends)]
        else:
            frame = self._gather(np.union1d(rows, named))
            ends = np.searchsorted(frame.index, ends)
        numbers = frame.index.to_numpy()
        on_sample = replace(pairs, i=ends[0], j=ends[1], n_samples=len(frame))
        return self._in_memory(frame.reset_index(drop=True), on_sample), numbers

    def _in_memory(self, frame: pd.DataFrame, pairs: PairSet) -> Rows:
        """Return rows of a table, as they are read in memory."""
        name, preparation = self.features.id_column, self.features.preparation
        ids = None
        if name is not None:
            ids = np.asarray(self.features.ids(frame[name]), dtype=object).astype(str)
        X, known = preparation.read(frame)
        table = frame.drop(columns=[n for n in (name, *self.left_out) if n in frame])
        source = Items(self.job.path, table, ids, None, name)
        made, shown = feature_frame(preparation, X), no_columns(len(frame))
        return Rows(source, preparation, made, pairs, known, shown=shown)

    def _gather(self, rows: Ints, ids: pd.Index | None = None) -> pd.DataFrame:
        """Return rows of all blocks by their numbers, and those of some ids."""
        borders = np.cumsum([0, *self.lengths])
        wanted = by_block(*positions(rows, borders), len(self.job.blocks))
        calls = [
            (source, first, some, ids, self.features)
            for source, first, some in zip(
                self.job.blocks, borders[:-1].tolist(), wanted, strict=True
            )
            if len(some) or ids is not None
        ]
        frames: list[pd.DataFrame] = self.job.map("gathering rows", _some_rows, calls)
        return pd.concat(frames)

    def _read_pairs(self, path: Path, scale: str | None) -> PairSet | NamedPairs:
        """Read judgements by row numbers, or by the ids that they name."""
        file = None if is_store(path) else open_pairs(path)
        if file is None:
            stored = open_store(path)
            if stored.has_content:
                return pairs_of_rows(Wanted.of(path, stored), self._find_rows)
            if not stored.facts.get("id_column"):
                return PairSet.from_store(path, n_samples=self.n_rows)
            names = np.array(stored.names, dtype=object)
        elif file.by_row:
            return file.resolve(self.n_rows, None, scale)
        else:
            names = np.array(file.names(), dtype=object)
        if self.features.id_column is None:
            raise ValueError(
                f"{path} names rows by ids: name the column of ids by --id, or call "
                "the columns i and j if they are row numbers"
            )
        judged = (
            PairSet.from_store(path, ids=names)
            if file is None
            else file.resolve(len(names), names, scale)
        )
        if self.features.ids_as_text:
            return NamedPairs(pd.Index(names), judged)
        numbers = pd.to_numeric(pd.Series(names), errors="coerce")
        is_odd = numbers.isna() | (numbers % 1 != 0)
        if is_odd.any():
            raise ValueError(
                f"{path} names {names[int(is_odd.argmax())]!r}, but column "
                f"{self.features.id_column!r} holds whole numbers"
            )
        return NamedPairs(pd.Index(numbers.astype(np.int64)), judged)

    def _find_rows(self, wanted: Wanted) -> list[Hits]:
        """Look for judged rows in all blocks."""
        calls = [(wanted, block) for block in self.job.blocks]
        return self.job.map("comparing rows", _hits, calls)


def _hits(wanted: Wanted, block: FileBlock) -> Hits:
    return wanted.hits(block.read(text=wanted.text))


def _some_rows(
    source: FileBlock,
    first: int,
    rows: Ints,
    ids: pd.Index | None,
    features: BlockFeatures,
) -> pd.DataFrame:
    """Return some rows of a block; their index has their numbers among all."""
    frame = source.read(text=features.text)
    if ids is not None:
        own = pd.Index(features.ids(frame[features.id_column]))
        rows = np.union1d(rows, np.flatnonzero(ids.get_indexer(own) >= 0))
    return frame.iloc[rows].set_axis(first + np.asarray(rows), axis=0)
