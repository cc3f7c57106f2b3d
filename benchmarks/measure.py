"""Single passes, memory and fresh processes, beside what `fuzzypairs.bench` has."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.cluster import KMeans

from fuzzypairs.pairs import PairSet
from fuzzypairs.solvers.fused import FusedPasses
from fuzzypairs.solvers.problem import Problem
from fuzzypairs.solvers.start import Start
from fuzzypairs.spaces.moments import mean_and_variance
from fuzzypairs.threads import Threads


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
