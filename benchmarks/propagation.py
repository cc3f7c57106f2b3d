"""Propagation of judgements over many samples: time and extra memory."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.measure import in_fresh_process
from benchmarks.memory import resident
from fuzzypairs.bench import Row, blobs, fastest
from fuzzypairs.pairs import PairSet
from fuzzypairs.pairs.propagation import propagate


def rows(quick: bool) -> Iterator[Row]:
    n_samples = 10_000 if quick else 58_000
    X, asked = problem(n_samples)
    propagate(X[:1000], asked.restrict(np.arange(1000)))  # imports modules, not timed
    (seconds,) = fastest(lambda: propagate(X, asked, n_jobs=1), repeats=2)
    name = f"propagate, {n_samples} x 9, {len(asked)} pairs"
    yield Row(f"{name}: time, one thread", seconds, "s", 10.0)
    if Path("/proc/self/clear_refs").exists():
        extra = in_fresh_process("benchmarks.propagation.extra", n_samples)
        yield Row(f"{name}: extra memory", extra / 1e6, "MB", 1000.0)


def problem(n_samples: int) -> tuple[np.ndarray, PairSet]:
    """Draw blobs, and one judgement per ten samples."""
    X, truth, _ = blobs(n_samples, 9, 7)
    return X, PairSet.from_labels(truth, n_pairs=n_samples // 10, random_state=0)


def extra(n_samples: int) -> float:
    """Return the peak of resident memory, including the result."""
    X, asked = problem(n_samples)
    propagate(X[:1000], asked.restrict(np.arange(1000)))
    before = resident("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # reset the peak
    propagate(X, asked)
    return resident("VmHWM") - before
