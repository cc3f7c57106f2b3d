"""Fits over blocks: passes, workers, memory out of core, ids, kills.

``python -m benchmarks scale`` (``make bench-scale``) measures all rows;
``python -m benchmarks.scale NAME ...`` some of: equality, passes, tasks, ids, kills,
large; with ``--quick`` on smaller data.
Data are made on the spot, and removed after.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from benchmarks.block_data import (
    N_FEATURES,
    K,
    array_of_blobs,
    cluster,
    connect,
    draw_block,
    draw_pairs,
    frame_of_blobs,
    write_blobs,
)
from benchmarks.measure import in_fresh_process
from fuzzypairs.bench import Row
from fuzzypairs.threads import Threads

# Rows of a block in most of these measurements.
BLOCK = 1_000_000


def rows(quick: bool) -> Iterator[Row]:
    for part in PARTS.values():
        yield from part(quick)


def equality(quick: bool) -> Iterator[Row]:
    """Compare fits of the same start: in memory, in blocks, on workers."""
    worst, where = in_fresh_process("benchmarks.scale.largest_gap", quick)
    yield Row(
        "prototypes and objective, blocks against memory",
        worst,
        "relative",
        1e-9,
        detail=f"1, 2, 7 blocks x no cluster, 1, 2 workers; largest at {where}",
    )


def largest_gap(quick: bool) -> tuple[float, str]:
    import dask.array

    from fuzzypairs import FDC
    from fuzzypairs.distributed import DaskFDC

    n = 20_000 if quick else 90_000
    X = draw_block(0, n)
    rng = np.random.default_rng(2)
    ends = rng.choice(n, (n // 50, 2), replace=False)
    pairs = [(int(i), int(j), 0.8 - 1.5 * (i % 2)) for i, j in ends]
    settings: dict[str, Any] = {"n_clusters": K, "n_init": 2, "random_state": 0}
    local = FDC(**settings).fit(X, pairs=pairs)
    worst, where = 0.0, ""
    for n_workers in (0, 1, 2):
        there = cluster(n_workers) if n_workers else None
        client: Any = None if there is None else connect(there)
        for n_blocks in (1, 2, 7):
            array: Any = dask.array
            parts = array.from_array(X, chunks=(-(-n // n_blocks), N_FEATURES))
            model = DaskFDC(**settings, client=client).fit(parts, pairs=pairs)
            gaps = [
                relative_gap(model.cluster_centers_, local.cluster_centers_),
                relative_gap(model.objective_, local.objective_),
            ]
            if max(gaps) >= worst:
                worst, where = max(gaps), f"{n_blocks} blocks, {n_workers} workers"
        if there is not None:
            client.close()
            there.close()
    return float(worst), where


def passes(quick: bool) -> Iterator[Row]:
    """Compare the time of a pass: in memory, on one worker, on two."""
    n = 1_000_000 if quick else 10_000_000
    times = np.array(in_fresh_process("benchmarks.scale.passes_in_turn", n))
    local, threads, one, two = times.min(axis=0)
    median = np.median(times[:, 2] / times[:, [0, 3]].T, axis=1)
    what = f"{n} x {N_FEATURES}, k = {K}"
    yield Row(
        f"pass on one worker / in memory, {what}",
        one / local,
        "times",
        1.35,
        detail=f"{one:.3f} s / {local:.3f} s, one thread each; the shortest of "
        f"{len(times)} in turn, the median ratio is {median[0]:.2f}",
    )
    yield Row(
        f"pass on one worker / on two, {what}",
        one / two,
        "times",
        1.5,
        at_most=False,
        detail=f"{one:.3f} s / {two:.3f} s, median ratio {median[1]:.2f}, ten "
        f"blocks; threads of one process in memory {local / threads:.2f}",
    )


def passes_in_turn(n_rows: int, n_rounds: int = 25) -> list[list[float]]:
    """Return times of passes: in memory on one thread and on two, on 1 and 2 workers.

    Each round makes one of each, so that other programs disturb all of them.
    """
    from fuzzypairs import _core

    block = n_rows // 10
    X = np.concatenate([draw_block(number, block) for number in range(10)])
    mean, unit = X.mean(axis=0), float(X.std())
    samples = _core.Samples(X, None, None, mean=mean, unit=unit)
    C = np.ascontiguousarray((X[:K] - mean) / unit)
    del X
    with passes_on(n_rows, 1, block) as one, passes_on(n_rows, 2, block) as two:
        ways: list[Callable[[], Any]] = [
            lambda: samples.pass_over(C, 1),
            lambda: samples.pass_over(C, 2),
            lambda: one(C),
            lambda: two(C),
        ]
        return [[seconds(way) for way in ways] for _ in range(n_rounds)]


def tasks(quick: bool) -> Iterator[Row]:
    """Measure what a block costs beside its rows: scheduler, messages and sums."""
    n_blocks = 128 if quick else 1024
    shortest = in_fresh_process("benchmarks.scale.pass_of_small_blocks", n_blocks)
    yield Row(
        f"a block of a pass beside its rows, {n_blocks} blocks",
        1e3 * shortest / n_blocks,
        "ms",
        3.0,
        detail=f"{shortest:.2f} s a pass of 100 rows a block on two workers",
    )


def pass_of_small_blocks(n_blocks: int) -> float:
    with passes_on(100 * n_blocks, 2, 100) as pass_at:
        C = np.ascontiguousarray(draw_block(0, K))
        return min(seconds(lambda: pass_at(C)) for _ in range(20))


def seconds(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


@contextmanager
def passes_on(n_rows: int, n_workers: int, block: int) -> Iterator[Callable[..., Any]]:
    """Give a function that makes a pass of a fit at prototypes, on so many workers."""
    from fuzzypairs import FDC
    from fuzzypairs.blocks.block_passes import FitBlocks
    from fuzzypairs.blocks.block_rows import read_collection
    from fuzzypairs.blocks.block_work import Frame

    with cluster(n_workers) as there, connect(there) as client:
        source = read_collection(array_of_blobs(n_rows, block), None, None)
        blocks = FitBlocks.open(source, None, FDC(random_state=0), client)
        found = blocks.held.survey.moments
        unit = float(np.sqrt(found.scatter / found.mass))
        none = [np.empty(0, dtype=np.int64)] * len(source)
        pass_at = blocks.pack(Frame(None, 1.0, mean=found.mean, unit=unit), none)
        yield lambda C: pass_at({0: C})


@contextmanager
def noting(ended: list[float]) -> Iterator[None]:
    """Append the times at which passes end."""
    from fuzzypairs.distributed import PassProgress, watch_passes

    def watch(progress: PassProgress) -> None:
        if progress.stage == "pass" and progress.n_done == progress.n_blocks:
            ended.append(time.perf_counter())

    with watch_passes(watch):
        yield


def relative_gap(found: Any, expected: Any) -> float:
    return float(np.abs(np.subtract(found, expected)).max() / np.abs(expected).max())


def ids(quick: bool) -> Iterator[Row]:
    """Fit with judgements by id, which are found without a sort of all rows."""
    n = 1_000_000 if quick else 10_000_000
    n_pairs = n // 100
    seconds, n_judged, peak = in_fresh_process("benchmarks.scale.fit_by_id", n, n_pairs)
    yield Row(
        f"fit of {n} rows with {n_pairs} judgements by id",
        seconds,
        "s",
        600.0,
        detail=f"{n_judged} rows found, peak memory {peak / 1e9:.2f} GB",
    )


def fit_by_id(n_rows: int, n_pairs: int) -> tuple[float, int, float]:
    """Return seconds, judged rows and the peak of memory."""
    import pandas as pd

    from fuzzypairs.distributed import DaskFDC

    step = 7_654_321  # has no divisor in common with the number of rows
    by_row = draw_pairs(n_rows, n_pairs, 3)
    named = [(ends * step) % n_rows for ends in (by_row.i, by_row.j)]
    pairs = pd.DataFrame({"a": named[0], "b": named[1], "grade": by_row.grade})
    start = time.perf_counter()
    model = DaskFDC(
        K, alpha=0.0, n_init=1, random_state=0, id_column="item", n_jobs=-1
    ).fit(frame_of_blobs(n_rows, BLOCK, step), pairs=pairs)
    seconds = time.perf_counter() - start
    assert np.array_equal(model.judged_rows_, np.unique([by_row.i, by_row.j]))
    return seconds, len(model.judged_rows_), peak_of_this_process()


def peak_of_this_process() -> float:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return 1024.0 * int(line.split()[1])
    return float("nan")


def kills(quick: bool) -> Iterator[Row]:
    """Kill workers at random moments of fits, and compare results."""
    n_kills = 3 if quick else 30
    test = Path(__file__).parents[1] / "tests" / "distributed" / "test_worker_kills.py"
    env = {**os.environ, "FUZZYPAIRS_WORKER_KILLS": str(n_kills)}
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(test)],
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    yield Row(
        f"kill -9 of a worker, {n_kills} times: fits that differ",
        0.0 if done.returncode == 0 else 1.0,
        "tests",
        0.0,
        detail=f"{time.perf_counter() - start:.0f} s; " + done.stdout.strip()[-60:],
    )


def large(quick: bool) -> Iterator[Row]:
    """Fit Parquet files out of core; measure the memory of all processes."""
    n = 2_000_000 if quick else 100_000_000
    with tempfile.TemporaryDirectory(prefix="fuzzypairs-scale-") as folder:
        write_blobs(Path(folder), n)
        size = sum(p.stat().st_size for p in Path(folder).glob("*.parquet"))
        told = run_watched(
            [sys.executable, "-m", "benchmarks.scale", "--fit-large", folder]
        )
    yield Row(
        f"peak memory, {n} x {N_FEATURES} float32 in Parquet out of core",
        told["peak"] / 1e9,
        "GB",
        3.0,
        detail=f"files {size / 1e9:.1f} GB; {told['passes']} passes, "
        f"{told['pass']:.1f} s each, {told['seconds']:.0f} s in all, "
        f"{told['threads']} threads",
    )


def fit_large(folder: str) -> dict[str, Any]:
    """Fit the files of a folder by threads of this process."""
    from fuzzypairs.analysis.file_rows import FileRows, open_files
    from fuzzypairs.analysis.row_reader import RowReader
    from fuzzypairs.blocks import block_passes
    from fuzzypairs.distributed import DaskFDC

    # As on a machine whose memory they exceed: blocks are read for each pass.
    block_passes.KEPT_SHARE = 0.0
    start = time.perf_counter()
    ended: list[float] = []
    with open_files(Path(folder), None, -1) as job, noting(ended):
        rows = FileRows.read(job, None, RowReader())
        model = DaskFDC(K, alpha=0.0, n_init=1, random_state=0, n_jobs=-1)
        model.fit(rows.blocks())
    return {
        "seconds": time.perf_counter() - start,
        "passes": len(ended),
        "pass": float(np.median(np.diff(ended))),
        "threads": Threads(-1).n_threads,
    }


def run_watched(command: list[str]) -> dict[str, Any]:
    """Run a command; return what it prints, and the peak memory of its processes."""
    peak = 0.0
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    def watch() -> None:
        nonlocal peak
        root = psutil.Process(process.pid)
        while process.poll() is None:
            try:
                family = [root, *root.children(recursive=True)]
                used = sum(p.memory_info().rss for p in family)
                peak = max(peak, float(used))
            except psutil.NoSuchProcess:
                pass
            time.sleep(0.1)

    thread = threading.Thread(target=watch)
    thread.start()
    text, _ = process.communicate()
    thread.join()
    if process.returncode:
        raise RuntimeError(f"{command} failed")
    return {**json.loads(text.splitlines()[-1]), "peak": peak}


PARTS: dict[str, Callable[[bool], Iterator[Row]]] = {
    "equality": equality,
    "passes": passes,
    "tasks": tasks,
    "ids": ids,
    "kills": kills,
    "large": large,
}


def main() -> None:
    arguments = sys.argv[1:]
    if arguments[:1] == ["--fit-large"]:
        print(json.dumps(fit_large(arguments[1])))
        return
    quick = "--quick" in arguments
    for name in [a for a in arguments if a != "--quick"] or list(PARTS):
        for row in PARTS[name](quick):
            met = "met" if row.holds else "NOT MET"
            print(f"{row.what}: {row.value:.3g} {row.unit} ({met}); {row.detail}")


if __name__ == "__main__":
    main()
