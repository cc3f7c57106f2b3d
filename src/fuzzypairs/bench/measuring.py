"""How speed is measured.

Other processes disturb measurements. Work on one thread is therefore timed by the
processor time of this process, which varies less than the wall clock. Our runs and
those of the peer alternate, and the fastest of each counts.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import pairwise_distances_argmin

from fuzzypairs._typing import Floats, Labels

__all__ = ["Row", "blobs", "fastest", "processor_seconds"]


@dataclass(frozen=True)
class Row:
    """One row of the table: a measured value and its target, if it has one."""

    what: str
    value: float
    unit: str
    limit: float | None = None
    at_most: bool = True
    detail: str = ""

    @property
    def holds(self) -> bool | None:
        """Whether the value is within its limit; None where there is none."""
        if self.limit is None:
            return None
        return self.value <= self.limit if self.at_most else self.value >= self.limit

    def cells(self) -> list[str | float]:
        """Return the row as text: what, measured, target, and whether it is met."""
        target = ""
        if self.limit is not None:
            target = f"{'<=' if self.at_most else '>='} {self.limit:g}"
        said = {None: "", True: "met", False: "NOT MET"}[self.holds]
        digits = ",.0f" if abs(self.value) >= 1000 else ".3g"
        value = f"{self.value:{digits}} {self.unit}".strip()
        return [self.what, value, target, said, self.detail]


def fastest(*runs: Callable[[], Any], repeats: int, wall: bool = False) -> list[float]:
    """Return the shortest time of each of several runs, made in turn."""
    clock = time.perf_counter if wall else time.process_time
    times = [np.inf] * len(runs)
    for _ in range(repeats):
        for number, run in enumerate(runs):
            start = clock()
            run()
            times[number] = min(times[number], clock() - start)
    return times


def blobs(
    n_samples: int, n_features: int, n_clusters: int
) -> tuple[Floats, Labels, Labels]:
    """Draw blobs; return the data, their blobs, and the nearest of k random samples.

    The blobs are separated enough for the prototypes of fuzzy c-means not to coincide.
    The last labels are a start for all methods.
    """
    rng = np.random.default_rng(0)
    truth = rng.integers(n_clusters, size=n_samples)
    centers = 4.0 * rng.normal(size=(n_clusters, n_features))
    X = rng.normal(size=(n_samples, n_features)) + centers[truth]
    seeds = X[rng.choice(n_samples, n_clusters, replace=False)]
    return X, truth, pairwise_distances_argmin(X, seeds)


def processor_seconds(code: str) -> float:
    """Return what a new interpreter prints that runs `code`: its processor time."""
    # Installed packages have bytecode. A checkout must be allowed to write its own;
    # otherwise all modules are compiled at every start, which takes 0.1 s.
    env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        capture_output=True,
        text=True,
        env=env,
    )
    return float(done.stdout)
