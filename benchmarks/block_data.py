"""Blobs in blocks: as Dask collections, as files, and clusters that read them.

What is drawn depends on the number of a block, so each process can draw its own.
"""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from fuzzypairs import PairSet

__all__ = [
    "N_FEATURES",
    "K",
    "array_of_blobs",
    "cluster",
    "connect",
    "draw_block",
    "draw_pairs",
    "frame_of_blobs",
    "write_blobs",
]

K, N_FEATURES = 10, 16
# Rows of a row group of files, which have ten of them.
GROUP = 250_000


def blob_centers() -> np.ndarray:
    """Return centers of blobs that are far enough for clusters not to coincide."""
    return 4.0 * np.random.default_rng(0).normal(size=(K, N_FEATURES))


def draw_block(number: int, n_rows: int, dtype: str = "float64") -> np.ndarray:
    """Return one block of blobs."""
    rng = np.random.default_rng([1, number])
    X = rng.standard_normal((n_rows, N_FEATURES), dtype=np.float32)
    X += blob_centers().astype(np.float32)[rng.integers(K, size=n_rows)]
    return X.astype(dtype)


def array_of_blobs(n_rows: int, block: int, dtype: str = "float64") -> Any:
    """Return blobs as a dask array with chunks of `block` rows."""
    import dask.array as da
    from dask.delayed import delayed

    array: Any = da
    draw = delayed(draw_block, pure=True)
    parts = []
    for number in range(-(-n_rows // block)):
        length = min(block, n_rows - number * block)
        shape = (length, N_FEATURES)
        parts.append(array.from_delayed(draw(number, length, dtype), shape, dtype))
    return array.concatenate(parts)


def draw_pairs(n_rows: int, n_pairs: int, seed: int) -> PairSet:
    """Return judgements of rows that no other judgement names."""
    ends = np.random.default_rng(seed).choice(n_rows, (n_pairs, 2), replace=False)
    grade = np.tile([0.8, -0.7], n_pairs)[:n_pairs]
    return PairSet(ends[:, 0], ends[:, 1], grade, n_rows)


def frame_of_blobs(n_rows: int, block: int, step: int) -> Any:
    """Return blobs as a dask DataFrame with ids: row r has (r * step) mod n_rows."""
    from dask.dataframe import from_map

    make: Any = from_map  # without types
    part = partial(_frame_block, n_rows=n_rows, block=block, step=step)
    return make(part, range(-(-n_rows // block)))


def _frame_block(number: int, n_rows: int, block: int, step: int) -> Any:
    import pandas as pd

    first = number * block
    length = min(block, n_rows - first)
    frame = pd.DataFrame(
        draw_block(number, length, "float32"),
        columns=[f"x{f}" for f in range(N_FEATURES)],
    )
    return frame.assign(item=(np.arange(first, first + length) * step) % n_rows)


def write_blobs(folder: Path, n_rows: int) -> None:
    """Write blobs as Parquet files of ten row groups."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = [f"x{f}" for f in range(N_FEATURES)]
    n_files = -(-n_rows // (10 * GROUP))
    for file in range(n_files):
        with pq.ParquetWriter(
            folder / f"part-{file:04d}.parquet",
            pa.schema([(name, pa.float32()) for name in names]),
            compression="none",
            use_dictionary=False,
        ) as writer:
            for group in range(10):
                first = (10 * file + group) * GROUP
                if first < n_rows:
                    X = draw_block(first, min(GROUP, n_rows - first), "float32")
                    writer.write_table(
                        pa.table([np.ascontiguousarray(x) for x in X.T], names)
                    )


def cluster(n_workers: int, **more: Any) -> Any:
    import distributed

    make: Any = distributed.LocalCluster
    return make(
        n_workers=n_workers, threads_per_worker=1, dashboard_address=":0",
        host="127.0.0.1", silence_logs=50, **more,
    )  # fmt: skip


def connect(there: Any) -> Any:
    import distributed

    make: Any = distributed.Client
    return make(there, set_as_default=False)
