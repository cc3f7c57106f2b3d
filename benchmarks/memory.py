"""Extra memory of a fit beyond the data and the memberships it returns."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.measure import in_fresh_process
from fuzzypairs import FDC
from fuzzypairs.bench import Row


def rows(quick: bool) -> Iterator[Row]:
    if not Path("/proc/self/clear_refs").exists():
        return
    n_samples = 100_000 if quick else 1_000_000
    extra, packed = in_fresh_process("benchmarks.memory.extra", n_samples, 16, 10)
    yield Row(
        f"extra memory / X, {n_samples} x 16, k = 10, tiles",
        extra / packed,
        "times",
        1.1,
        detail=f"{extra / 1e6:.0f} MB / {packed / 1e6:.0f} MB",
    )
    extra, _ = in_fresh_process("benchmarks.memory.extra", 100_000, 256, 100)
    yield Row("extra memory, 100000 x 256, k = 100, BLAS", extra / 1e6, "MB", 32.0)


def extra(n_samples: int, n_features: int, k: int) -> tuple[float, float]:
    """Return the peak of resident memory during a fit, minus the size of its result."""
    rng = np.random.default_rng(0)
    model = FDC(k, alpha=0.0, beta=0.0, n_init=1, max_iter=3, random_state=0)
    model.fit(rng.normal(size=(20_000, n_features)))
    X = rng.normal(size=(n_samples, n_features))
    before = resident("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # reset the peak
    model.fit(X)
    returned = model.memberships_.nbytes + model.labels_.nbytes
    return resident("VmHWM") - before - returned, float(X.nbytes)


def resident(field: str) -> float:
    """Read a memory statistic of this process, in bytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return 1024.0 * int(line.split()[1])
    raise RuntimeError(f"{field} is not in /proc/self/status")
