"""Memberships of files, written block by block, and results that can be resumed."""

import json
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fuzzypairs import __version__
from fuzzypairs._typing import Floats, Ints
from fuzzypairs.analysis.file_rows import FileJob
from fuzzypairs.analysis.result_columns import result_columns
from fuzzypairs.blocks.held_rows import by_block, positions
from fuzzypairs.criteria import certainty
from fuzzypairs.tables.atomic import replacing
from fuzzypairs.tables.block_features import BlockFeatures
from fuzzypairs.tables.file_blocks import FileBlock, find_files
from fuzzypairs.tables.gaps import lower_certainty

__all__ = ["PartWriter", "partial_folder", "publish", "state_of", "write_parts"]

# Where a file of memberships keeps what it holds, for those who resume.
METADATA = b"fuzzypairs"
STATE = "state.json"


@dataclass(frozen=True, eq=False)
class PartWriter:
    """Writes the memberships of blocks to files of their own.

    A part that is there already is not written again.
    """

    features: BlockFeatures
    model: Any
    folder: str
    top: int | None

    def write(
        self, block: FileBlock, number: int, first: int, judged: Ints, U: Floats
    ) -> dict[str, Any]:
        """Write a block; return its rows and the sum of certainties, by cluster.

        `first` is the number of its first row, `judged` are rows within the block whose
        memberships U are known.
        """
        import pyarrow as pa
        import pyarrow.parquet as pq

        target = Path(self.folder) / f"part-{number:05d}.parquet"
        if target.exists():
            told = pq.read_schema(target).metadata or {}
            known: dict[str, Any] = json.loads(told[METADATA])
            return known
        X, ids, by_column = self.features.rows(block)
        memberships = self._memberships(X, by_column, judged)
        memberships[judged] = U
        labels, k = memberships.argmax(axis=1).astype(np.int32), memberships.shape[1]
        columns = result_columns(
            ids, memberships.astype(np.float32), labels, top=self.top
        )
        if ids is None:
            columns["row"] += first
        counts = {
            "sizes": np.bincount(labels, minlength=k).tolist(),
            "certainty": np.bincount(labels, certainty(memberships), k).tolist(),
        }
        table = pa.Table.from_pandas(pd.DataFrame(columns), preserve_index=False)
        metadata = {**(table.schema.metadata or {}), METADATA: json.dumps(counts)}
        with replacing(target) as temporary:
            pq.write_table(table.replace_schema_metadata(metadata), temporary)
        return counts

    def _memberships(self, X: Any, by_column: Any, judged: Ints) -> Floats:
        names = getattr(self.model, "feature_names_in_", None)
        rows = X if names is None else pd.DataFrame(X, columns=names)
        U: Floats = self.model.predict_proba(rows)
        preparation = self.features.preparation
        return lower_certainty(self.model, preparation, X, by_column, U, judged)


def write_parts(
    job: FileJob,
    writer: PartWriter,
    lengths: Sequence[int],
    judged: tuple[Ints, Floats],
) -> dict[str, Any]:
    """Write the memberships of all blocks; return what a summary has of them."""
    borders = np.cumsum([0, *lengths])
    rows = by_block(*positions(judged[0], borders), len(job.blocks))
    U = np.split(judged[1], np.cumsum([len(some) for some in rows])[:-1])
    calls = [
        (source, number, int(borders[number]), rows[number], U[number])
        for number, source in enumerate(job.blocks)
    ]
    parts = job.map("writing memberships", writer.write, calls)
    sizes = np.sum([part["sizes"] for part in parts], axis=0)
    sums = np.sum([part["certainty"] for part in parts], axis=0)
    return {
        "rows": int(sizes.sum()),
        "clusters": {
            "found": len(sizes),
            "sizes": sizes.tolist(),
            "certainty": [
                round(float(s / n), 6) if n else None
                for s, n in zip(sums, sizes, strict=True)
            ],
        },
        "mean_certainty": round(float(sums.sum() / sizes.sum()), 6),
    }


def state_of(data: Path, other: Path | None, settings: dict[str, Any]) -> Any:
    """Return what a run depends on, as JSON has it."""
    files = [*find_files(data), *([] if other is None else [other])]
    stamps = [(str(f), f.stat().st_size, f.stat().st_mtime_ns) for f in files]
    told = {"version": __version__, "files": stamps, **settings}
    return json.loads(json.dumps(told, default=str))


def partial_folder(out: Path, state: dict[str, Any]) -> tuple[Path, bool]:
    """Return the folder of an unfinished result, and whether it can be resumed.

    It is resumed if it was begun by the same `state`: files, options and version.
    """
    folder = out.with_name(f".{out.name}.partial")
    told = folder / STATE
    if told.exists() and json.loads(told.read_text("utf-8")) == state:
        return folder, True
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "memberships").mkdir(parents=True)
    with replacing(told) as temporary:
        temporary.write_text(json.dumps(state), encoding="utf-8")
    return folder, False


def publish(folder: Path, out: Path) -> None:
    """Move a finished result into place."""
    (folder / STATE).unlink()
    if out.exists():
        old = out.with_name(f".{out.name}.replaced")
        shutil.rmtree(old, ignore_errors=True)
        os.replace(out, old)
        os.replace(folder, out)
        shutil.rmtree(old, ignore_errors=True)
    else:
        os.replace(folder, out)
