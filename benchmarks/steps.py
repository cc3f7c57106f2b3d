"""One fused pass against one Lloyd step of scikit-learn, on the same threads."""

from collections.abc import Iterator

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.measure import Row, fastest, lloyd_step, our_step

# samples, features, clusters, steps in the difference, repeats, limit of the ratio
CASES = [
    (58_000, 10, 7, 60, 9, 0.8),
    (20_000, 16, 26, 60, 9, 1.05),
    (1_000_000, 16, 10, 20, 4, 0.9),
    (100_000, 256, 100, 16, 4, 0.95),
]


def rows(quick: bool) -> Iterator[Row]:
    for n_samples, n_features, k, steps, repeats, limit in CASES[: 2 if quick else 4]:
        # No structure: Lloyd then needs more steps than are counted.
        X = np.random.default_rng(0).normal(size=(n_samples, n_features))
        start = np.random.default_rng(1).integers(k, size=n_samples)
        ours, lloyd = our_step(X, start), lloyd_step(X, start)
        # Runs that end by themselves make fewer steps than they may.
        n_ours = ours(2 + steps) - ours(2)
        n_lloyd = lloyd(2 + steps) - lloyd(2)
        with threadpool_limits(1):
            few, many, lloyd_few, lloyd_many = fastest(
                lambda run=ours: run(2),
                lambda run=ours, n=2 + steps: run(n),
                lambda run=lloyd: run(2),
                lambda run=lloyd, n=2 + steps: run(n),
                repeats=repeats,
            )
        step, lloyd_time = (many - few) / n_ours, (lloyd_many - lloyd_few) / n_lloyd
        yield Row(
            f"pass / Lloyd step, {n_samples} x {n_features}, k = {k}",
            step / lloyd_time,
            "times",
            limit,
            detail=f"{1e3 * step:.2f} ms / {1e3 * lloyd_time:.2f} ms",
        )
