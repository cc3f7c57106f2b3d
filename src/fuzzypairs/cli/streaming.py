"""`fuzzypairs fit` and `predict` on files that are read block by block.

This module imports what is slow to load: commands import it where they use it.
"""

import copy
import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.pipeline import Pipeline

from fuzzypairs import FDC, PairSet, __version__, load, save
from fuzzypairs._typing import Floats, Ints
from fuzzypairs.cli.options import READING
from fuzzypairs.cli.outputs import write_json
from fuzzypairs.distributed import DaskFDC, PassProgress, watch_passes
from fuzzypairs.distributed.block_work import Reading, memberships_of_block
from fuzzypairs.distributed.dask_blocks import (
    NamedPairs,
    Source,
    by_block,
    draw_rows,
    positions,
)
from fuzzypairs.distributed.schedulers import Scheduler, Work, choose_scheduler
from fuzzypairs.io.block_features import BlockFeatures, Profile, prepare_blocks
from fuzzypairs.io.block_results import PartWriter, partial_folder, publish
from fuzzypairs.io.features import Preparation
from fuzzypairs.io.file_blocks import FileBlock, find_files, list_blocks
from fuzzypairs.io.pair_files import open_pairs
from fuzzypairs.pairs.stored import is_store
from fuzzypairs.report import write_fit_report
from fuzzypairs.report.guidance import without_judgements

__all__ = ["fit_files", "predict_files"]

Show = Callable[[str, float, float], None]
# Random rows of the report, and judgements whose rows it has beside them.
REPORT_ROWS, REPORT_PAIRS = 3000, 1000


@dataclass(frozen=True, eq=False)
class Job:
    """Files to be read in blocks, and where their results go."""

    blocks: list[FileBlock]
    scheduler: Scheduler
    client: Any
    show: Show

    def map(self, doing: str, work: Any, calls: list[Any]) -> list[Any]:
        """Return results of all blocks, and show how many are done."""
        done = 0

        def tell() -> None:
            nonlocal done
            done += 1
            self.show(f"{doing}, block {done} of {len(calls)}", done, len(calls))

        return self.scheduler.map(Work(doing.split()[0], work, calls, tell=tell))


@contextmanager
def open_job(
    data: Path, scheduler: str | None, n_jobs: int, show: Show
) -> Iterator[Job]:
    """Yield the blocks of files, and where they are read: here, or by a cluster."""
    blocks = list_blocks(find_files(data))
    if scheduler is None:
        yield Job(blocks, choose_scheduler(None, n_jobs), None, show)
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
        yield Job(blocks, choose_scheduler(client, n_jobs), client, show)


def fit_files(
    data: Path,
    pairs: Path | None,
    out: Path,
    model: Any,
    given: Mapping[str, Any],
    show: Show,
) -> dict[str, Any]:
    """Fit a model to files in blocks; write all results; return the summary.

    `model` is an FDC with the settings of the fit, `given` are the options of the
    command. An unfinished run of the same command is resumed.
    """
    started = time.perf_counter()
    settings = {n: v for n, v in model.get_params(deep=False).items() if n != "n_jobs"}
    top = given.get("top")
    state = _state(data, pairs, settings, {n: given.get(n) for n in (*READING, "top")})
    with open_job(data, given.get("scheduler"), model.n_jobs, show) as job:
        folder, resumed = partial_folder(out, state)
        if not (resumed and (folder / "fitted.json").exists()):
            _fit(job, data, pairs, model, given, folder, started)
        told: dict[str, Any] = json.loads((folder / "fitted.json").read_text("utf-8"))
        pipeline = load(folder / "model.skops")
        known = np.load(folder / "judged.npz")
        features = BlockFeatures(pipeline[0], **told.pop("features"))
        parts = _write_parts(
            job, features, pipeline[-1], told["lengths"], folder, top,
            (known["rows"], known["memberships"]),
        )  # fmt: skip
        (folder / "judged.npz").unlink()
        (folder / "fitted.json").unlink()
        summary = {
            **told["summary"],
            **_counted(parts),
            "top": top,
            "resumed": resumed,
            "seconds": told["seconds"]
            | {"all": round(time.perf_counter() - started, 3)},
        }
        write_json(folder / "summary.json", summary)
        publish(folder, out)
    return summary


def predict_files(
    model: Path,
    pipeline: Any,
    data: Path,
    out: Path,
    id_column: str | None,
    given: Mapping[str, Any],
    show: Show,
) -> dict[str, Any]:
    """Write the memberships of new rows to a folder, block by block."""
    preparation: Preparation = pipeline[0]
    preparation.set_output(transform="pandas")
    words = tuple(c.name for c in preparation.columns_ if c.kind == "category")
    text = words if id_column is None else (id_column, *words)
    state = _state(data, model, {}, {"id": id_column, "top": given.get("top")})
    with open_job(data, given.get("scheduler"), -1, show) as job:
        folder, resumed = partial_folder(out, state)
        is_plain = all(c.kind == "number" for c in preparation.columns_ if c.n_features)
        features = BlockFeatures(preparation, text, id_column, is_plain=is_plain)
        lengths: list[int] = [block.n_rows or 0 for block in job.blocks]
        if not all(lengths):
            lengths = job.map("counting rows", _count, [(b,) for b in job.blocks])
        none = np.empty(0, dtype=np.int64), np.empty((0, pipeline[-1].n_clusters_))
        parts = _write_parts(
            job, features, pipeline[-1], lengths, folder, given.get("top"), none
        )
        summary = {
            "fuzzypairs": __version__,
            "model": str(model),
            "data": str(data),
            "out": str(out),
            "id": id_column,
            **_counted(parts),
            "resumed": resumed,
            "notes": [],
        }
        summary["sizes"] = summary.pop("clusters")["sizes"]
        write_json(folder / "summary.json", summary)
        publish(folder, out)
    return summary


def _count(block: FileBlock) -> int:
    return len(block.read())


def _state(
    data: Path, other: Path | None, settings: dict[str, Any], options: dict[str, Any]
) -> dict[str, Any]:
    """Return what a run depends on, as JSON has it."""
    files = [*find_files(data), *([] if other is None else [other])]
    stamps = [(str(f), f.stat().st_size, f.stat().st_mtime_ns) for f in files]
    told = {"version": __version__, "files": stamps, **settings, **options}
    state: dict[str, Any] = json.loads(json.dumps(told, default=str))
    return state


def _fit(
    job: Job,
    data: Path,
    pairs: Path | None,
    model: FDC,
    given: Mapping[str, Any],
    folder: Path,
    started: float,
) -> None:
    """Prepare columns, fit, and store all but the memberships in a folder."""
    profile = _prepare(job, given, model)
    read = time.perf_counter()
    features = profile.features
    names = tuple(features.preparation.get_feature_names_out())
    judged = None if pairs is None else _read_pairs(pairs, profile, given)
    fitted = _fit_blocks(job, features, names, profile.lengths, judged, model)
    done = time.perf_counter()
    local = fitted.to_local()
    rows, U = fitted.judged_rows_, fitted.judged_memberships_
    save(Pipeline([("preparation", features.preparation), ("fdc", local)]),
         folder / "model.skops")  # fmt: skip
    np.savez(folder / "judged.npz", rows=rows, memberships=U)
    n_rows = sum(profile.lengths)
    seconds = {"read": round(read - started, 3), "fit": round(done - read, 3)}
    options = {n: v for n, v in model.get_params().items() if v is not None}
    used = {"alpha": float(local.alpha_), "beta": float(local.beta_)}
    job.show("writing the report", 0, 1)
    drawn = _write_report(
        job, folder, profile, fitted, judged, given,
        options | used, seconds["fit"], data.name,
    )  # fmt: skip
    summary = {
        "fuzzypairs": __version__,
        "data": str(data),
        "files": len({block.path for block in job.blocks}),
        "blocks": len(job.blocks),
        "features": len(names),
        "id": features.id_column,
        "judgements": 0 if judged is None else len(_pairs_of(judged)),
        "asked": model.n_clusters,
        "options": options,
        "used": used,
        "objective": float(local.objective_),
        "n_iter": int(local.n_iter_),
        "converged": bool(local.converged_),
        "report": f"drawn from a sample of {drawn:,} of {n_rows:,} rows",
        "columns": [asdict(column) for column in features.preparation.columns_],
    }
    flags = ("text", "id_column", "ids_as_text", "is_plain", "is_single")
    told = {
        "summary": summary,
        "lengths": profile.lengths,
        "features": {name: getattr(features, name) for name in flags},
        "seconds": seconds,
    }
    write_json(folder / "fitted.json", told)


def _prepare(job: Job, given: Mapping[str, Any], model: FDC) -> Profile:
    """Make the one pass that the preparation of columns needs."""
    done = 0

    def tell() -> None:
        nonlocal done
        done += 1
        n = len(job.blocks)
        job.show(f"reading columns, block {done} of {n}", done, n)

    about = ("category", "number", "date", "date_order")
    told = {name: given[name] for name in about if given.get(name)}
    truth = [given["truth"]] if given.get("truth") else []
    return prepare_blocks(
        job.blocks,
        job.scheduler,
        id_column=given.get("id_column"),
        drop=[*(given.get("drop") or ()), *truth],
        scale=not given.get("no_scale"),
        tell=tell,
        **told,
    )


def _read_pairs(
    path: Path, profile: Profile, given: Mapping[str, Any]
) -> PairSet | NamedPairs:
    """Read judgements by row numbers, or by the ids that they name."""
    if is_store(path):
        raise ValueError(
            f"{path} is a file of the labelling page, which data read in blocks cannot "
            "use yet: export its judgements as CSV there, and name that file"
        )
    file, scale = open_pairs(path), given.get("grade_scale")
    features = profile.features
    if file.by_row or features.id_column is None:
        if not file.by_row:
            raise ValueError(
                f"{path} names rows by ids: name the column of ids by --id, or call "
                "the columns i and j if they are row numbers"
            )
        return file.resolve(sum(profile.lengths), None, scale)
    names = np.array(file.names(), dtype=object)
    judged = file.resolve(len(names), names, scale)
    if features.ids_as_text:
        return NamedPairs(pd.Index(names), judged)
    numbers = pd.to_numeric(pd.Series(names), errors="coerce")
    if numbers.isna().any() or (numbers % 1 != 0).any():
        odd = names[int((numbers.isna() | (numbers % 1 != 0)).argmax())]
        raise ValueError(
            f"{path} names {odd!r}, but column {features.id_column!r} holds whole "
            "numbers"
        )
    return NamedPairs(pd.Index(numbers.astype(np.int64)), judged)


def _pairs_of(judged: PairSet | NamedPairs) -> PairSet:
    return judged.pairs if isinstance(judged, NamedPairs) else judged


def _fit_blocks(
    job: Job,
    features: BlockFeatures,
    names: tuple[str, ...],
    lengths: tuple[int, ...],
    judged: PairSet | NamedPairs | None,
    model: FDC,
) -> DaskFDC:
    from dask.delayed import delayed

    load_block = delayed(features.block, pure=False, traverse=False)
    parts = [
        load_block(block, dask_key_name=f"fuzzypairs-read-{number}")
        for number, block in enumerate(job.blocks)
    ]
    size = 4 if features.is_single else 8
    reading = Reading(names=names)
    n_bytes = float(sum(lengths)) * len(names) * size
    source = Source(parts, [None] * len(parts), reading, lengths, n_bytes)

    def tell(progress: PassProgress) -> None:
        job.show(str(progress), progress.n_done, progress.n_blocks)

    fitted = DaskFDC(**model.get_params(deep=False), client=job.client)
    with watch_passes(tell):
        return fitted.fit(source, pairs=judged)


def _write_parts(
    job: Job,
    features: BlockFeatures,
    model: Any,
    lengths: list[int],
    folder: Path,
    top: int | None,
    judged: tuple[Ints, Floats],
) -> list[dict[str, Any]]:
    """Write the memberships of all blocks."""
    borders = np.cumsum([0, *lengths])
    n_blocks = len(job.blocks)
    block, row = positions(judged[0], borders)
    rows = by_block(block, row, n_blocks)
    cuts = np.cumsum([len(some) for some in rows])[:-1]
    U = np.split(judged[1], cuts)
    writer = PartWriter(features, model, str((folder / "memberships").absolute()), top)
    calls = [
        (source, number, int(borders[number]), rows[number], U[number])
        for number, source in enumerate(job.blocks)
    ]
    return job.map("writing memberships", writer.write, calls)


def _counted(parts: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the numbers of rows of all parts, and their mean certainty."""
    n_rows = sum(part["rows"] for part in parts)
    sizes = np.sum([part["sizes"] for part in parts], axis=0).tolist()
    mean = sum(part["certainty"] for part in parts) / n_rows
    return {
        "rows": n_rows,
        "clusters": {"found": len(sizes), "sizes": sizes},
        "mean_certainty": round(mean, 6),
    }


def _write_report(
    job: Job,
    folder: Path,
    profile: Profile,
    fitted: DaskFDC,
    judged: PairSet | NamedPairs | None,
    given: Mapping[str, Any],
    options: dict[str, Any],
    seconds: float,
    name: str,
) -> int:
    """Write the report of a sample with some judged rows; return its size."""
    features, n_rows = profile.features, sum(profile.lengths)
    pairs = PairSet.empty(0) if judged is None else _pairs_of(judged)
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
    borders = np.cumsum([0, *profile.lengths])
    block, row = positions(rows, borders)
    wanted = by_block(block, row, len(job.blocks))
    calls = [
        (source, some, features.text)
        for source, some in zip(job.blocks, wanted, strict=True)
        if len(some)
    ]
    frames = job.map("gathering rows of the report", _some_rows, calls)
    frame = pd.concat(frames, ignore_index=True)
    X = features.features(frame)
    model = copy.copy(fitted.to_local())
    none = np.empty(0, dtype=np.int64), np.empty((0, model.n_clusters_))
    model.memberships_ = memberships_of_block(X, Reading(), 0, model, *none)
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
        on_sample = PairSet(i, j, pairs.grade[shown], len(rows))
        if model.n_clusters_ > 1:
            before = without_judgements(model, X)
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
    )
    return len(rows)


def _some_rows(source: FileBlock, rows: Ints, text: tuple[str, ...]) -> pd.DataFrame:
    return source.read(text=text).iloc[rows]
