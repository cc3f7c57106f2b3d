"""Memberships of large files, written block by block, and results to be resumed."""

import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fuzzypairs._typing import Floats, Ints
from fuzzypairs.criteria import certainty
from fuzzypairs.tables.atomic import replacing
from fuzzypairs.tables.block_features import BlockFeatures
from fuzzypairs.tables.file_blocks import FileBlock
from fuzzypairs.tables.gaps import lower_certainty

__all__ = ["PartWriter", "part_columns", "partial_folder", "publish"]

# Where a file of memberships keeps what it holds, for those who resume.
METADATA = b"fuzzypairs"
STATE = "state.json"


def part_columns(
    names: dict[str, Any], memberships: Floats, top: int | None
) -> dict[str, Any]:
    """Return the columns of a part of the memberships.

    Parameters
    ----------
    names : dict of str to array
        The column of ids or row numbers.
    memberships : ndarray of shape (n_rows, n_clusters)
    top : int or None
        How many of the largest memberships of a row are kept; None keeps all.

    Examples
    --------
    >>> import numpy as np
    >>> U = np.array([[0.7, 0.1, 0.2]])
    >>> list(part_columns({"row": [0]}, U, None))
    ['row', 'label', 'certainty_percent', 'cluster_0', 'cluster_1', 'cluster_2']
    >>> part = part_columns({"row": [0]}, U, 2)
    >>> part["top_2"], part["membership_2"]
    (array([2], dtype=int32), array([0.2], dtype=float32))
    """
    single = memberships.astype(np.float32)
    found = {
        **names,
        "label": memberships.argmax(axis=1).astype(np.int32),
        "certainty_percent": (100 * certainty(memberships)).astype(np.float32),
    }
    if top is None:
        return found | {f"cluster_{k}": u for k, u in enumerate(single.T)}
    order = np.argsort(-memberships, axis=1, kind="stable")[:, :top].astype(np.int32)
    for m, clusters in enumerate(order.T, 1):
        found[f"top_{m}"] = clusters
        found[f"membership_{m}"] = single[np.arange(len(single)), clusters]
    return found


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
        """Write a block; return its number of rows, of rows a cluster, and certainty.

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
        X, ids, gappy = self.features.rows(block)
        memberships = self._memberships(block, X, np.setdiff1d(gappy, judged))
        memberships[judged] = U
        names: dict[str, Any] = {"row": np.arange(first, first + len(X))}
        if ids is not None:
            names = {"id": ids}
        frame = pd.DataFrame(part_columns(names, memberships, self.top))
        k = memberships.shape[1]
        told_of = {
            "rows": len(frame),
            "sizes": np.bincount(frame["label"], minlength=k).tolist(),
            "certainty": float(certainty(memberships).sum()),
        }
        table = pa.Table.from_pandas(frame, preserve_index=False)
        metadata = {**(table.schema.metadata or {}), METADATA: json.dumps(told_of)}
        with replacing(target) as temporary:
            pq.write_table(table.replace_schema_metadata(metadata), temporary)
        return told_of

    def _memberships(self, block: FileBlock, X: Any, gappy: Ints) -> Floats:
        names = getattr(self.model, "feature_names_in_", None)
        rows = X if names is None else pd.DataFrame(X, columns=names)
        U: Floats = self.model.predict_proba(rows)
        if len(gappy):
            frame = block.read(text=self.features.text).iloc[gappy]
            preparation = self.features.preparation
            read = preparation.read(frame)
            U[gappy] = lower_certainty(self.model, preparation, *read, U[gappy])
        return U


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
