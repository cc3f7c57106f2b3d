"""Whole fits: compared with scikit-fuzzy, per second, and the cost of judgements."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import skfuzzy
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.metrics import pairwise_distances_argmin
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from benchmarks.measure import Row, blobs, fastest
from fuzzypairs import FDC, GuidedFDC, PairSet
from fuzzypairs.datasets import load, simulate_pairs


def rows(quick: bool) -> Iterator[Row]:
    with threadpool_limits(1):
        yield from against_scikit_fuzzy(quick)
        yield small_fits()
        yield from cost_of_pairs(quick)
        yield from cost_of_options(10_000 if quick else 58_000)


def against_scikit_fuzzy(quick: bool) -> Iterator[Row]:
    """Compare the times until the objective is within 1e-6 of its final value.

    Both begin from the same start. Ours is a fit with the default `tol`; scikit-fuzzy
    makes as many iterations as it needs.
    """
    for n_samples, n_features, k in [(58_000, 10, 7), (20_000, 16, 26)]:
        X, _, labels = blobs(n_samples, n_features, k)
        model = FDC(k, alpha=0.0, beta=0.0, init=labels, max_iter=1000).fit(X)
        end = clone(model).set_params(tol=1e-8).fit(X).objective_
        near = end * (1 + 1e-6)
        options: dict[str, Any] = {"m": 2, "error": 0.0, "init": np.eye(k)[labels].T}
        peer = skfuzzy.cmeans(X.T, k, maxiter=20 if quick else 200, **options)
        ours, twenty = fastest(
            partial(model.fit, X),
            partial(skfuzzy.cmeans, X.T, k, maxiter=20, **options),
            repeats=9,
        )
        step = twenty / 20
        reached = np.flatnonzero(peer[4] <= near)
        n_steps = int(reached[0]) + 1 if len(reached) else len(peer[4])
        note = "" if len(reached) else f", not reached in {n_steps}: at least"
        if model.objective_ > near:
            note += f"; ours ends {model.objective_ / end - 1:.0e} above"
        yield Row(
            f"scikit-fuzzy / our fit, {n_samples} x {n_features}, k = {k}",
            step * n_steps / ours,
            "times",
            25.0,
            at_most=False,
            detail=f"{step * n_steps:.1f} s / {ours:.2f} s{note}",
        )


def small_fits() -> Row:
    X, y = load_wine(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    pairs = simulate_pairs(X, y, "iv", random_state=0)
    model = FDC(3, alpha=0.02, beta=1.0, n_init=1, random_state=0)

    def hundred() -> None:
        for _ in range(100):
            model.fit(X, pairs=pairs)

    hundred()
    (seconds,) = fastest(hundred, repeats=20)
    return Row(
        f"fits a second, wine with {len(pairs)} pairs, one thread",
        100 / seconds,
        "a second",
        3000.0,
        at_most=False,
        detail=f"{model.n_iter_} passes each",
    )


def cost_of_pairs(quick: bool) -> Iterator[Row]:
    """Compare FDC with one judgement per ten samples to fuzzy c-means."""
    for n_samples, n_features, k in [(58_000, 10, 7), (20_000, 16, 26)]:
        yield pairs_against_none("blobs", *blobs(n_samples, n_features, k), 3.0)
    if quick:
        return
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
        yield pairs_against_none(name, X, truth, start, 4.0)


def pairs_against_none(
    name: str, X: np.ndarray, truth: np.ndarray, start: np.ndarray, limit: float
) -> Row:
    k = int(start.max()) + 1
    pairs = PairSet.from_labels(truth, n_pairs=len(X) // 10, random_state=0)
    common: dict[str, Any] = {
        "n_clusters": k,
        "alpha": 0.0,
        "init": start,
        "max_iter": 1000,
    }
    plain, guided = FDC(beta=0.0, **common), FDC(**common)
    plain.fit(X), guided.fit(X, pairs=pairs)
    without, with_pairs = fastest(
        partial(plain.fit, X), partial(guided.fit, X, pairs=pairs), repeats=9
    )
    size = f"{X.shape[0]} x {X.shape[1]}, k = {k}"
    return Row(
        f"FDC with {len(pairs)} pairs / FCM, {name}, {size}",
        with_pairs / without,
        "times",
        limit,
        detail=f"{with_pairs:.2f} s in {guided.n_iter_} passes / "
        f"{without:.2f} s in {plain.n_iter_}",
    )


def cost_of_options(n_samples: int) -> Iterator[Row]:
    """Compare fits with an option to plain fits with the same judgements."""
    X, y, _ = blobs(n_samples, 9, 7)
    pairs = PairSet.from_labels(y, n_pairs=n_samples // 10, random_state=0)
    common: dict[str, Any] = {"n_clusters": 7, "random_state": 0, "n_jobs": 1}
    others: dict[str, FDC | GuidedFDC] = {
        "GuidedFDC": GuidedFDC(**common),
        'FDC with propagate="auto"': FDC(propagate="auto", **common),
        "FDC with robust=True": FDC(robust=True, **common),
        'FDC with metric="learned"': FDC(metric="learned", **common),
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
