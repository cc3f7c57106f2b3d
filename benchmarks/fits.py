"""Fits of `fuzzypairs bench`, on further data and with options."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from sklearn.metrics import pairwise_distances_argmin
from threadpoolctl import threadpool_limits

from fuzzypairs import FDC, GuidedFDC, PairSet, bench
from fuzzypairs.bench import Row, blobs, fastest
from fuzzypairs.datasets import load


def rows(quick: bool) -> Iterator[Row]:
    yield from bench.first_fit(quick)
    yield from bench.whole_fits(quick)
    with threadpool_limits(1):
        if not quick:
            yield from cost_of_pairs()
        yield from cost_of_options(10_000 if quick else 58_000)


def cost_of_pairs() -> Iterator[Row]:
    """Compare FDC with one judgement per ten samples to fuzzy c-means."""
    for name in ["letter", "shuttle"]:
        try:
            data = load(name, scale=True, download=False)
        except FileNotFoundError:
            print(f"  no {name} data, see FUZZYPAIRS_DATA in docs/methods.md")
            continue
        X = np.ascontiguousarray(data.data, dtype=np.float64)
        truth = np.unique(data.target, return_inverse=True)[1]
        seeds = np.random.default_rng(0).choice(len(X), truth.max() + 1, replace=False)
        start = pairwise_distances_argmin(X, X[seeds])
        yield bench.pairs_against_none(name, X, truth, start, 4.0, repeats=9)


def cost_of_options(n_samples: int) -> Iterator[Row]:
    """Compare fits with an option to plain fits with the same judgements."""
    X, y, _ = blobs(n_samples, 9, 7)
    pairs = PairSet.from_labels(y, n_pairs=n_samples // 10, random_state=0)
    common: dict[str, Any] = {"n_clusters": 7, "random_state": 0, "n_jobs": 1}
    others: dict[str, FDC | GuidedFDC] = {
        "GuidedFDC": GuidedFDC(**common),
        'FDC with propagate="auto"': FDC(propagate="auto", **common),
        "FDC with robust=True": FDC(robust=True, **common),
    }
    models: list[FDC | GuidedFDC] = [FDC(**common), *others.values()]
    few = pairs.restrict(np.arange(1000))
    for model in models:
        model.fit(X[:1000], pairs=few)  # imports modules, not timed
    without, *times = fastest(
        *(partial(model.fit, X, pairs=pairs) for model in models), repeats=2
    )
    for name, seconds in zip(others, times, strict=True):
        yield Row(
            f"{name} / FDC, {n_samples} x 9, {len(pairs)} pairs",
            seconds / without,
            "times",
            3.0,
            detail=f"{seconds:.1f} s / {without:.1f} s",
        )
