"""Samples of files in blocks: for the number of clusters, and for the report."""

import copy
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fuzzypairs import FDC, GuidedFDC, PairSearchCV, PairSet
from fuzzypairs._typing import Ints
from fuzzypairs.analysis.fit_rows import unguided_of
from fuzzypairs.blocks.dask_estimators import DaskFDC
from fuzzypairs.blocks.guided_blocks import GuidedBlocks
from fuzzypairs.blocks.held_rows import by_block, draw_rows, positions
from fuzzypairs.blocks.named_pairs import NamedPairs, check_places
from fuzzypairs.cli.block_jobs import Job
from fuzzypairs.report import write_fit_report
from fuzzypairs.tables.block_features import BlockFeatures, Profile
from fuzzypairs.tables.file_blocks import FileBlock

__all__ = ["pairs_of", "search_clusters", "write_report"]

# Random rows of the report, and judgements whose rows it has beside them.
REPORT_ROWS, REPORT_PAIRS = 3000, 1000
# Random rows and judgements that the number of clusters is chosen by.
SEARCHED_ROWS, SEARCHED_PAIRS = 10_000, 2000


def pairs_of(judged: PairSet | NamedPairs | None) -> PairSet:
    """Return judgements of places, whatever these are."""
    if judged is None:
        return PairSet.empty(0)
    return judged.pairs if isinstance(judged, NamedPairs) else judged


def search_clusters(
    job: Job,
    profile: Profile,
    judged: PairSet | NamedPairs | None,
    model: FDC | GuidedFDC,
    tried: list[int],
) -> tuple[PairSearchCV, int]:
    """Choose the number of clusters on a sample; return the search, and its size."""
    features, n_rows = profile.features, sum(profile.lengths)
    rng = np.random.RandomState(0)
    pairs = pairs_of(judged).informative
    some = draw_rows(len(pairs), SEARCHED_PAIRS, rng)
    ends = np.array([pairs.i[some], pairs.j[some]])
    rows, named = draw_rows(n_rows, SEARCHED_ROWS, rng), np.unique(ends)
    if isinstance(judged, NamedPairs):
        ids = judged.ids[named]
        frame = _gather(job, profile, rows, ids)
        place = ids.get_indexer(features.ids(frame[features.id_column]))
        here = np.flatnonzero(place >= 0)
        check_places(place[here], ids)
        # The row of the frame that has each of the ids.
        ends = here[np.argsort(place[here])][np.searchsorted(named, ends)]
    else:
        rows = np.union1d(rows, named)
        frame = _gather(job, profile, rows)
        ends = np.searchsorted(rows, ends)
    judges = pairs.judges[some], pairs.judge_names
    seen = PairSet(ends[0], ends[1], pairs.grade[some], len(frame), *judges)
    search = PairSearchCV(
        model, {"n_clusters": [k for k in tried if k <= len(frame)]},
        random_state=model.random_state, n_jobs=model.n_jobs, refit=False,
    )  # fmt: skip
    show = partial(job.show, f"choosing the number of clusters on {len(frame):,} rows")
    return search.fit(features.features(frame), pairs=seen, progress=show), len(frame)


def _gather(
    job: Job, profile: Profile, rows: Ints, ids: pd.Index | None = None
) -> pd.DataFrame:
    """Return rows of all blocks by numbers, and those of some ids."""
    block, row = positions(rows, np.cumsum([0, *profile.lengths]))
    wanted = by_block(block, row, len(job.blocks))
    calls = [
        (source, some, ids, profile.features)
        for source, some in zip(job.blocks, wanted, strict=True)
        if len(some) or ids is not None
    ]
    frames: list[pd.DataFrame] = job.map("gathering rows", _some_rows, calls)
    return pd.concat(frames, ignore_index=True)


def _some_rows(
    source: FileBlock, rows: Ints, ids: pd.Index | None, features: BlockFeatures
) -> pd.DataFrame:
    frame = source.read(text=features.text)
    if ids is not None:
        own = pd.Index(features.ids(frame[features.id_column]))
        named = ids.get_indexer(own) >= 0
        rows = np.union1d(rows, np.flatnonzero(named))
    return frame.iloc[rows]


def write_report(
    job: Job,
    folder: Path,
    profile: Profile,
    fitted: DaskFDC | GuidedBlocks,
    judged: PairSet | NamedPairs | None,
    given: Mapping[str, Any],
    options: dict[str, Any],
    seconds: float,
    name: str,
) -> int:
    """Write the report of a sample with some judged rows; return its size."""
    features, n_rows = profile.features, sum(profile.lengths)
    pairs = pairs_of(judged)
    rows = draw_rows(n_rows, REPORT_ROWS, np.random.RandomState(0))
    ends = np.empty((2, 0), dtype=np.int64)
    shown = slice(REPORT_PAIRS)
    if len(pairs):
        # Places of both samples among the judged rows, then their row numbers.
        judged_rows, place = fitted.judged_rows_, np.array([pairs.i, pairs.j])
        if isinstance(judged, NamedPairs):
            index = pd.Index(fitted.judged_ids_)
            place = index.get_indexer(judged.ids)[place]
            ends = judged_rows[place][:, shown]
        else:
            ends = place[:, shown]
    rows = np.union1d(rows, ends)
    frame = _gather(job, profile, rows)
    X = features.features(frame)
    model = copy.copy(fitted.to_local())
    model.memberships_ = model.predict_proba(
        pd.DataFrame(X, columns=model.feature_names_in_)
    )
    at = np.searchsorted(fitted.judged_rows_, rows)
    at = np.minimum(at, max(0, len(fitted.judged_rows_) - 1))
    if len(fitted.judged_rows_):
        here = fitted.judged_rows_[at] == rows
        model.memberships_[here] = fitted.judged_memberships_[at[here]]
    model.labels_ = model.memberships_.argmax(axis=1)
    on_sample = PairSet.empty(len(rows))
    before = None
    if ends.size:
        i, j = np.searchsorted(rows, ends)
        judges = pairs.judges[shown], pairs.judge_names
        on_sample = PairSet(i, j, pairs.grade[shown], len(rows), *judges)
        if model.n_clusters_ > 1:
            before = unguided_of(model, X, model.memberships_)
    ids = None
    if features.id_column is not None:
        ids = np.asarray(features.ids(frame[features.id_column]), dtype=object)
        ids = ids.astype(str)
    leave = [given.get("truth"), features.id_column, *(given.get("drop") or ())]
    sample = f"a sample of {len(rows):,} of {n_rows:,} rows"
    write_fit_report(
        folder / "report.html",
        model=model,
        X=X,
        table=frame.drop(columns=[n for n in leave if n in frame]),
        pairs=on_sample,
        ids=ids,
        columns=list(features.preparation.columns_),
        options=options,
        seconds=seconds,
        source=f"{name}, {sample}",
        notes=[f"pictures and tables are drawn from {sample}"],
        before=before,
        verdict=getattr(model, "verdict_", None),
    )
    return len(rows)
