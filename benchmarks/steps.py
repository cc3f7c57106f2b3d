"""One fused pass against one Lloyd step of scikit-learn, on the same threads."""

from collections.abc import Iterator
from functools import partial

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.measure import lloyd_step, our_step
from fuzzypairs.bench import Row, fastest

# samples, features, clusters, steps in the difference, repeats, limit of the ratio
CASES = [
    (58_000, 10, 7, 60, 9, 0.7),
    (20_000, 16, 26, 60, 9, 0.9),
    (1_000_000, 16, 10, 20, 4, 0.75),
    (100_000, 256, 100, 16, 4, 1.3),
]


def rows(quick: bool) -> Iterator[Row]:
    for n_samples, n_features, k, steps, repeats, limit in CASES[: 2 if quick else 4]:
        # Data without clusters: Lloyd's algorithm then does not converge early.
        X = np.random.default_rng(0).normal(size=(n_samples, n_features))
        start = np.random.default_rng(1).integers(k, size=n_samples)
        runs = [our_step(X, start), lloyd_step(X, start)]
        # Runs that converge make fewer steps than allowed.
        n_steps = [run(2 + steps) - run(2) for run in runs]
        with threadpool_limits(1):
            times = fastest(
                *(partial(run, n) for run in runs for n in (2, 2 + steps)),
                repeats=repeats,
            )
        few, many = np.array(times).reshape(-1, 2).T
        step, lloyd = (1e3 * (many - few) / n_steps).tolist()
        yield Row(
            f"pass / Lloyd step, {n_samples} x {n_features}, k = {k}",
            step / lloyd,
            "times",
            limit,
            detail=f"{step:.2f} ms / {lloyd:.2f} ms",
        )
