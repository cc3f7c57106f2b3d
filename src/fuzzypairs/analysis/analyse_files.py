"""Fits of files that are read block by block, and memberships of such files.

The route is that of data in memory: rows are read and prepared, a model is fitted, and
a `Result` has the summary and the report. Its rows are a sample; memberships of all
rows are written block by block.
"""

import copy
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fuzzypairs import FDC, GuidedFDC, PairSet, __version__
from fuzzypairs._typing import Show
from fuzzypairs.analysis.analysis_result import (
    Result,
    judgement_summary,
    violated_judgements,
    write_json,
)
from fuzzypairs.analysis.file_parts import (
    PartWriter,
    partial_folder,
    publish,
    state_of,
    write_parts,
)
from fuzzypairs.analysis.file_rows import FileJob, FileRows, open_files
from fuzzypairs.analysis.fit_rows import TRIED, Choice, choose_number, number_of
from fuzzypairs.analysis.row_reader import RowReader
from fuzzypairs.analysis.rows import tell_nobody
from fuzzypairs.blocks.dask_estimators import DaskFDC
from fuzzypairs.blocks.guided_blocks import fit_guided_blocks
from fuzzypairs.blocks.named_pairs import NamedPairs
from fuzzypairs.blocks.pass_progress import PassProgress, watch_passes
from fuzzypairs.exceptions import warnings_as_notes
from fuzzypairs.tables.block_features import BlockFeatures
from fuzzypairs.tables.model_files import load

__all__ = ["analyse_files", "predict_files"]

# Random rows of the report, and judgements whose rows it has beside them.
REPORT_ROWS, REPORT_PAIRS = 3000, 1000
# Random rows and judgements that the number of clusters is chosen by.
SEARCHED_ROWS, SEARCHED_PAIRS = 10_000, 2000
# What the features of blocks are made with, beside the preparation.
FLAGS = ("text", "id_column", "ids_as_text", "is_single")


def analyse_files(
    data: Path,
    pairs: Path | None,
    out: Path,
    reader: RowReader,
    model: FDC | GuidedFDC,
    n_clusters: Sequence[int] | None = None,
    *,
    top: int | None = None,
    scheduler: str | None = None,
    wording: Callable[[str], str] = str,
    progress: Show = tell_nobody,
) -> dict[str, Any]:
    """Fit a model to files in blocks, write all results, and return the summary.

    An unfinished run of the same arguments is resumed.

    Parameters
    ----------
    data : Path
        A file, a folder of files or a pattern.
    pairs : Path or None
        Judgements.
    out : Path
        The folder of the results.
    reader : RowReader
        How rows are read.
    model : FDC or GuidedFDC
        With the settings of the fit.
    n_clusters : sequence of int, default=None
        The number of clusters, or numbers to choose from.
    top : int, default=None
        How many of the largest memberships of a row are written; None writes all.
    scheduler : str, default=None
        The address of a Dask scheduler.
    wording : callable, default=str
        Puts the reason of a choice in the words of a command.
    progress : callable, default=tell_nobody
    """
    started = time.perf_counter()
    numbers = list(n_clusters or TRIED)
    settings = {n: v for n, v in model.get_params(deep=False).items() if n != "n_jobs"}
    options = asdict(replace(reader, progress=tell_nobody)) | {"progress": None}
    state = state_of(
        data, pairs, settings | options | {"n_clusters": numbers, "top": top}
    )
    with (
        warnings_as_notes() as notes,
        open_files(data, scheduler, model.n_jobs, progress) as job,
    ):
        folder, resumed = partial_folder(out, state)
        if not (resumed and (folder / "fitted.json").exists()):
            _fit(job, pairs, reader, model, numbers, folder, wording)
        told = json.loads((folder / "fitted.json").read_text("utf-8"))
        pipeline = load(folder / "model.skops")
        with np.load(folder / "judged.npz") as known:
            judged = known["rows"], known["memberships"]
        features = BlockFeatures(pipeline[0], **told.pop("features"))
        parts = (folder / "memberships").absolute()
        writer = PartWriter(features, pipeline[-1], str(parts), top)
        counted = write_parts(job, writer, told["lengths"], judged)
        # First what tells that the others are there: a kill in between refits.
        (folder / "fitted.json").unlink()
        (folder / "judged.npz").unlink()
    summary = told["summary"]
    counted["clusters"]["asked"] = summary["clusters"]["asked"]
    lasted = {"all": round(time.perf_counter() - started, 3)}
    summary |= counted | {"top": top, "resumed": resumed}
    summary |= {"seconds": summary["seconds"] | lasted}
    summary["notes"] = [*dict.fromkeys([*summary["notes"], *notes])]
    write_json(folder / "summary.json", summary)
    publish(folder, out)
    return dict(summary)


def _fit(
    job: FileJob,
    pairs: Path | None,
    reader: RowReader,
    model: FDC | GuidedFDC,
    numbers: list[int],
    folder: Path,
    wording: Callable[[str], str],
) -> None:
    """Prepare columns, fit, and store all but the memberships in a folder."""
    started = time.perf_counter()
    with warnings_as_notes() as notes:
        rows = FileRows.read(job, pairs, reader)
        read = time.perf_counter()
        choice = None
        if len(numbers) > 1:
            rows, choice, numbers = _choose(rows, model, numbers)
            choice = replace(choice, reason=wording(choice.reason))
        model.set_params(n_clusters=numbers[0])
        fitted = _fit_blocks(rows, model)
    local, U = fitted.to_local(), fitted.judged_memberships_
    judged_rows = fitted.judged_rows_
    seconds = {"read": read - started, "fit": time.perf_counter() - read}
    job.show("writing the report", 0, 1)
    sample, at = rows.sample(REPORT_ROWS, REPORT_PAIRS)
    place = np.minimum(np.searchsorted(judged_rows, at), max(0, len(judged_rows) - 1))
    on_sample = copy.copy(local)
    on_sample.memberships_ = local.predict_proba(sample.X)
    if len(judged_rows):
        here = judged_rows[place] == at
        on_sample.memberships_[here] = U[place[here]]
    on_sample.labels_ = on_sample.memberships_.argmax(axis=1)
    drawn = f"a sample of {sample.n_rows:,} of {rows.n_rows:,} rows"
    said = [*notes, f"pictures and tables are drawn from {drawn}"]
    result = Result(sample, on_sample, choice, seconds, said)
    result.write_report(folder / "report.html", f"{job.path.name}, {drawn}")
    replace(result, model=local).write_model(folder / "model.skops")
    np.savez(folder / "judged.npz", rows=judged_rows, memberships=U)
    summary = result.summary | {
        "files": len({block.path for block in job.blocks}),
        "blocks": len(job.blocks),
        "judgements": _judgements(rows, fitted),
        "report": f"drawn from {drawn}",
        "notes": notes,
    }
    told = {
        "summary": summary,
        "lengths": rows.lengths,
        "features": {name: getattr(rows.features, name) for name in FLAGS},
    }
    write_json(folder / "fitted.json", told)


def _choose(
    rows: FileRows, model: FDC | GuidedFDC, numbers: list[int]
) -> tuple[FileRows, Choice, list[int]]:
    """Choose the number of clusters on a sample."""
    sample, _ = rows.sample(SEARCHED_ROWS, SEARCHED_PAIRS)
    found, choice = choose_number(
        copy.copy(model), sample.X, sample.pairs, numbers, rows.job.show
    )
    reason = f"{choice.reason} It was chosen on {sample.n_rows:,} of the rows."
    verdict = None if isinstance(model, GuidedFDC) else choice.verdict
    if not choice.uses_pairs:
        rows = replace(rows, pairs=None)
    return rows, replace(choice, reason=reason, verdict=verdict), [number_of(found)]


def _fit_blocks(rows: FileRows, model: FDC | GuidedFDC) -> Any:
    """Fit by passes over the blocks; return what DaskFDC has after its fit."""
    job = rows.job

    def tell(progress: PassProgress) -> None:
        job.show(str(progress), progress.n_done, progress.n_blocks)

    with watch_passes(tell):
        if isinstance(model, GuidedFDC):
            return fit_guided_blocks(rows.blocks(), rows.pairs, model, job.block_map)
        fitted = DaskFDC(**model.get_params(deep=False), client=job.block_map)
        return fitted.fit(rows.blocks(), pairs=rows.pairs)


def _judgements(rows: FileRows, fitted: Any) -> dict[str, Any]:
    """Count all judgements, by the clusters of their rows."""
    pairs, numbers = rows.judgements, fitted.judged_rows_
    names: Any = None
    if isinstance(rows.pairs, NamedPairs):
        places = pd.Index(fitted.judged_ids_).get_indexer(rows.pairs.ids)
        i, j = places[pairs.i], places[pairs.j]
        names = np.asarray(fitted.judged_ids_, dtype=object).astype(str)
    else:
        i, j = (np.searchsorted(numbers, end) for end in (pairs.i, pairs.j))
    judged: PairSet = replace(pairs, i=i, j=j, n_samples=len(numbers))
    labels = fitted.judged_memberships_.argmax(axis=1)
    violated = violated_judgements(judged, labels, names)
    if names is None:
        violated[["i", "j"]] = numbers[violated[["i", "j"]].to_numpy()]
    return judgement_summary(judged, labels, violated)


def predict_files(
    pipeline: Any,
    data: Path,
    out: Path,
    *,
    model: Path,
    id: str | None = None,
    top: int | None = None,
    scheduler: str | None = None,
    progress: Show = tell_nobody,
) -> dict[str, Any]:
    """Write the memberships of new rows to a folder, block by block.

    Parameters
    ----------
    pipeline : Pipeline
        Of a preparation of columns and a model, as loaded from the file `model`.
    data, out : Path
        Files of rows, and the folder of the results.
    id : str, default=None
        The column that names the rows.
    top, scheduler, progress
        See `analyse_files`.
    """
    preparation = pipeline[0]
    preparation.set_output(transform="pandas")
    words = tuple(c.name for c in preparation.columns_ if c.kind == "category")
    text = words if id is None else (id, *words)
    state = state_of(data, model, {"id": id, "top": top})
    with open_files(data, scheduler, -1, progress) as job:
        folder, resumed = partial_folder(out, state)
        features = BlockFeatures(preparation, text, id)
        parts = (folder / "memberships").absolute()
        writer = PartWriter(features, pipeline[-1], str(parts), top)
        none = np.empty(0, dtype=np.int64), np.empty((0, pipeline[-1].n_clusters_))
        counted = write_parts(job, writer, job.count_rows(), none)
    summary = {
        "fuzzypairs": __version__,
        "model": str(model),
        "data": str(data),
        "out": str(out),
        "id": id,
        "rows": counted["rows"],
        "sizes": counted["clusters"]["sizes"],
        "mean_certainty": counted["mean_certainty"],
        "resumed": resumed,
        "notes": [],
    }
    write_json(folder / "summary.json", summary)
    publish(folder, out)
    return summary
