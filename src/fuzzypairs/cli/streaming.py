"""`fuzzypairs fit` and `predict` on files that are read block by block.

This module imports what is slow to load: commands import it where they use it.
"""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.pipeline import Pipeline

from fuzzypairs import FDC, GuidedFDC, PairSet, __version__, load, save
from fuzzypairs._typing import Floats, Ints
from fuzzypairs.analysis.analysis_result import write_json
from fuzzypairs.blocks.block_rows import Blocks, Reading
from fuzzypairs.blocks.dask_estimators import DaskFDC
from fuzzypairs.blocks.guided_blocks import GuidedBlocks, fit_guided_blocks
from fuzzypairs.blocks.held_rows import by_block, positions
from fuzzypairs.blocks.named_pairs import NamedPairs
from fuzzypairs.blocks.pass_progress import PassProgress, watch_passes
from fuzzypairs.cli.block_jobs import Job, Show, open_job
from fuzzypairs.cli.block_samples import pairs_of, search_clusters, write_report
from fuzzypairs.cli.options import as_options
from fuzzypairs.pairs.stored import is_store, open_store
from fuzzypairs.tables.block_features import BlockFeatures, Profile, prepare_blocks
from fuzzypairs.tables.block_results import PartWriter, partial_folder, publish
from fuzzypairs.tables.features import Preparation
from fuzzypairs.tables.file_blocks import FileBlock, find_files
from fuzzypairs.tables.judged_rows import Hits, Wanted, pairs_of_rows
from fuzzypairs.tables.pair_files import open_pairs, read_pairs

__all__ = ["fit_files", "predict_files", "source_of"]

# Options of the command that a result depends on.
READING = ("id_column", "truth", "drop", "no_scale", "category", "number", "date",
           "date_order", "grade_scale")  # fmt: skip


def fit_files(
    data: Path,
    pairs: Path | None,
    out: Path,
    model: Any,
    tried: list[int],
    given: Mapping[str, Any],
    show: Show,
) -> dict[str, Any]:
    """Fit a model to files in blocks; write all results; return the summary.

    `model` is an FDC or GuidedFDC with the settings of the fit, `tried` are the numbers
    of clusters to choose from, `given` are the options of the command. An unfinished
    run of the same command is resumed.
    """
    started = time.perf_counter()
    settings = {n: v for n, v in model.get_params(deep=False).items() if n != "n_jobs"}
    top = given.get("top")
    options = {n: given.get(n) for n in (*READING, "top")}
    state = _state(data, pairs, {**settings, "n_clusters": tried}, options)
    with open_job(data, given.get("scheduler"), model.n_jobs, show) as job:
        folder, resumed = partial_folder(out, state)
        if not (resumed and (folder / "fitted.json").exists()):
            _fit(job, data, pairs, model, tried, given, folder, started)
        told: dict[str, Any] = json.loads((folder / "fitted.json").read_text("utf-8"))
        pipeline = load(folder / "model.skops")
        known = np.load(folder / "judged.npz")
        features = BlockFeatures(pipeline[0], **told.pop("features"))
        parts = _write_parts(
            job, features, pipeline[-1], told["lengths"], folder, top,
            (known["rows"], known["memberships"]),
        )  # fmt: skip
        # First what tells that the others are there: a kill in between refits.
        (folder / "fitted.json").unlink()
        (folder / "judged.npz").unlink()
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
        features = BlockFeatures(preparation, text, id_column)
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
    model: FDC | GuidedFDC,
    tried: list[int],
    given: Mapping[str, Any],
    folder: Path,
    started: float,
) -> None:
    """Prepare columns, fit, and store all but the memberships in a folder."""
    profile = _prepare(job, given)
    read = time.perf_counter()
    features = profile.features
    judged = None if pairs is None else _read_pairs(pairs, profile, given, job)
    tuning = {}
    if len(tried) > 1:
        search, n_seen = search_clusters(job, profile, judged, model, tried)
        model.set_params(**search.best_params_)
        judged = judged if search.uses_pairs_ else None
        reason = (
            f"{as_options(search.reason_)} The settings were fitted to {n_seen:,} of "
            "the rows."
        )
        tuning = {"tuning": {"chosen_by": search.chosen_by_, "reason": reason}}
    # Answers to the questions of the page are fitted as there.
    are_answers = pairs is not None and is_store(pairs) and len(tried) == 1
    fitted = _fit_blocks(job, profile, judged, model, are_answers)
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
    drawn = write_report(
        job, folder, profile, fitted, judged, given,
        options | used, seconds["fit"], data.name,
    )  # fmt: skip
    summary = {
        "fuzzypairs": __version__,
        "data": str(data),
        "files": len({block.path for block in job.blocks}),
        "blocks": len(job.blocks),
        "features": len(features.preparation.get_feature_names_out()),
        "id": features.id_column,
        "judgements": 0 if judged is None else len(pairs_of(judged)),
        "asked": model.n_clusters,
        "options": options,
        "used": used,
        "objective": float(local.objective_),
        "n_iter": int(local.n_iter_),
        "converged": bool(local.converged_),
        "report": f"drawn from a sample of {drawn:,} of {n_rows:,} rows",
        **tuning,
        **({"verdict": asdict(local.verdict_)} if hasattr(local, "verdict_") else {}),
        "columns": [asdict(column) for column in features.preparation.columns_],
    }
    flags = ("text", "id_column", "ids_as_text", "is_single")
    told = {
        "summary": summary,
        "lengths": profile.lengths,
        "features": {name: getattr(features, name) for name in flags},
        "seconds": seconds,
    }
    write_json(folder / "fitted.json", told)


def _prepare(job: Job, given: Mapping[str, Any]) -> Profile:
    """Make the one pass that the preparation of columns needs."""
    about = ("category", "number", "date", "date_order")
    told = {name: given[name] for name in about if given.get(name)}
    truth = [given["truth"]] if given.get("truth") else []
    return prepare_blocks(
        job.blocks,
        job.block_map,
        id_column=given.get("id_column"),
        drop=[*(given.get("drop") or ()), *truth],
        scale=not given.get("no_scale"),
        tell=job.counting("reading columns", len(job.blocks)),
        **told,
    )


def _read_pairs(
    path: Path, profile: Profile, given: Mapping[str, Any], job: Job
) -> PairSet | NamedPairs:
    """Read judgements by row numbers, or by the ids that they name."""
    resolve: Callable[..., PairSet]
    if is_store(path):
        stored = open_store(path)
        if stored.has_content:
            return pairs_of_rows(Wanted.of(path, stored), partial(_compare_rows, job))
        by_id = bool(stored.facts.get("id_column"))
        found = stored.names if by_id else None
        resolve = partial(read_pairs, path)
    else:
        file = open_pairs(path)
        found = None if file.by_row else file.names()
        resolve = partial(file.resolve, scale=given.get("grade_scale"))
    if found is None:
        return resolve(sum(profile.lengths), None)
    features = profile.features
    if features.id_column is None:
        raise ValueError(
            f"{path} names rows by ids: name the column of ids by --id, or call the "
            "columns i and j if they are row numbers"
        )
    names = np.array(found, dtype=object)
    judged = resolve(len(names), names)
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


def _compare_rows(job: Job, wanted: Wanted) -> list[Hits]:
    """Look for judged rows in all blocks."""
    return job.map("comparing rows", _hits, [(wanted, block) for block in job.blocks])


def _hits(wanted: Wanted, block: FileBlock) -> Hits:
    return wanted.hits(block.read(text=wanted.text))


def source_of(job: Job, profile: Profile) -> Blocks:
    """Return the features of all blocks, read when they are needed."""
    features, lengths = profile.features, profile.lengths
    names = tuple(features.preparation.get_feature_names_out())
    size = 4 if features.is_single else 8
    n_bytes = float(sum(lengths)) * len(names) * size
    reading = Reading(features.block, names=names)
    return Blocks(job.blocks, reading, lengths, n_bytes)


def _fit_blocks(
    job: Job,
    profile: Profile,
    judged: PairSet | NamedPairs | None,
    model: FDC | GuidedFDC,
    are_answers: bool,
) -> DaskFDC | GuidedBlocks:
    source = source_of(job, profile)

    def tell(progress: PassProgress) -> None:
        job.show(str(progress), progress.n_done, progress.n_blocks)

    with watch_passes(tell):
        if isinstance(model, GuidedFDC):
            return fit_guided_blocks(
                source, judged, model, job.block_map, are_answers=are_answers
            )
        fitted = DaskFDC(**model.get_params(deep=False), client=job.block_map)
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
