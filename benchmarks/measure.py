"""How time and memory are measured.

Other processes disturb measurements. Work on one thread is therefore timed by the
processor time of this process, which varies less than the wall clock. Our runs and
those of the peer alternate, and the fastest of each counts.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics import pairwise_distances_argmin

from fuzzypairs.pairs import PairSet
from fuzzypairs.solvers.fused import FusedPasses
from fuzzypairs.solvers.problem import Problem
from fuzzypairs.spaces.moments import mean_and_variance
from fuzzypairs.starts.start import Start
from fuzzypairs.threads import Threads

__all__ = ["Row", "blobs", "fastest", "in_fresh_process", "lloyd_step", "our_step"]


@dataclass(frozen=True)
class Row:
    """One row of the table: a measured value and its target."""

    what: str
    value: float
    unit: str
    limit: float
    at_most: bool = True
    detail: str = ""

    @property
    def holds(self) -> bool:
        """Whether the value is within its limit."""
        return (self.value <= self.limit) == self.at_most or self.value == self.limit


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
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
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


def our_step(X: np.ndarray, start: np.ndarray) -> Callable[[int], int]:
    """Return a run of at most so many passes of fuzzy c-means; it tells how many.

    The solver alone, without what an estimator does before and after its passes.
    """
    mean, scale = mean_and_variance(X, None)
    make = partial(FusedPasses, X, mean, scale, n_clusters=int(start.max()) + 1)
    judged = PairSet.empty(len(X))
    problem = Problem.over(
        partial(make, threads=Threads(1)),
        None,
        judged,
        alpha=0.0,
        beta=0.0,
        tol=0.0,
        max_iter=1,
    )
    first = problem.passes.first_prototypes(problem, Start(labels=start))

    def run(n_steps: int) -> int:
        limited = replace(problem, max_iter=n_steps)
        return problem.passes.descend(limited, *first).n_iter

    return run


def lloyd_step(X: np.ndarray, start: np.ndarray) -> Callable[[int], int]:
    """Return a run of at most so many Lloyd steps; it tells how many."""
    k = int(start.max()) + 1
    centers = np.array([X[start == j].mean(axis=0) for j in range(k)])

    def run(n_steps: int) -> int:
        model = KMeans(k, init=centers, n_init=1, max_iter=n_steps, tol=0.0)
        return int(model.fit(X).n_iter_)

    return run


def in_fresh_process(
    function: str, *arguments: Any, env: dict[str, str] | None = None
) -> Any:
    """Call ``benchmarks.<module>.<name>`` in a new interpreter; return its result.

    `env` is added to the environment variables.
    """
    module, name = function.rsplit(".", 1)
    code = (
        f"import json, sys; from {module} import {name}; "
        f"print(json.dumps({name}(*json.loads(sys.argv[1]))))"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, json.dumps(arguments)],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, **(env or {})},
    )
    return json.loads(done.stdout.splitlines()[-1])
