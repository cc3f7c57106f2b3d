"""Whole fits: compared with other packages, per second, and the cost of judgements."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from fuzzypairs import FDC, FuzzyCMeans, PairSet
from fuzzypairs._typing import Floats, Labels
from fuzzypairs.bench.measuring import Row, blobs, fastest
from fuzzypairs.datasets import simulate_pairs

__all__ = ["pairs_against_none", "rows"]

# samples, features, clusters of the blobs
SIZES = [(58_000, 10, 7), (20_000, 16, 26)]
SMALL_SIZES = [(10_000, 10, 7)]


def rows(quick: bool) -> Iterator[Row]:
    """Measure fits on one thread; targets are those of the large sizes."""
    repeats = 3 if quick else 9
    least, most = (None, None) if quick else (25.0, 3.0)
    with threadpool_limits(1):
        yield small_fits(repeats)
        for n_samples, n_features, k in SMALL_SIZES if quick else SIZES:
            X, truth, start = blobs(n_samples, n_features, k)
            yield against_kmeans(X, start, repeats)
            yield from against_scikit_fuzzy(X, start, least, repeats)
            yield pairs_against_none("blobs", X, truth, start, most, repeats)


def size_of(X: Floats, k: int) -> str:
    """Return the size of a problem in words."""
    return f"{X.shape[0]} x {X.shape[1]}, k = {k}"


def small_fits(repeats: int) -> Row:
    """Count fits a second of a small problem."""
    X, y = load_wine(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    pairs = simulate_pairs(X, y, "iv", random_state=0)
    model = FDC(3, alpha=0.02, beta=1.0, n_init=1, random_state=0)

    def hundred() -> None:
        for _ in range(100):
            model.fit(X, pairs=pairs)

    hundred()
    (seconds,) = fastest(hundred, repeats=2 * repeats)
    return Row(
        f"fits a second, wine with {len(pairs)} pairs, one thread",
        100 / seconds,
        "a second",
        3000.0,
        at_most=False,
        detail=f"{model.n_iter_} passes each",
    )


def against_kmeans(X: Floats, start: Labels, repeats: int) -> Row:
    """Compare fuzzy c-means with scikit-learn's k-means, each to its own end.

    Both begin from the same start and have their default tolerances. Fuzzy memberships
    need more passes than hard labels do.
    """
    k = int(start.max()) + 1
    centers = np.array([X[start == j].mean(axis=0) for j in range(k)])
    fuzzy = FuzzyCMeans(k, init=start, max_iter=1000).fit(X)
    hard = KMeans(k, init=centers, n_init=1, max_iter=1000).fit(X)
    ours, theirs = fastest(partial(fuzzy.fit, X), partial(hard.fit, X), repeats=repeats)
    return Row(
        f"FuzzyCMeans / KMeans of scikit-learn, {size_of(X, k)}",
        ours / theirs,
        "times",
        detail=f"{ours:.3f} s in {fuzzy.n_iter_} passes / {theirs:.3f} s in "
        f"{hard.n_iter_}",
    )


def against_scikit_fuzzy(
    X: Floats, start: Labels, limit: float | None, repeats: int
) -> Iterator[Row]:
    """Compare the times until the objective is within 1e-6 of its final value.

    Both begin from the same start. Ours is a fit with the default `tol`; scikit-fuzzy
    makes as many iterations as it needs. There is no row where it is not installed.
    """
    try:
        from skfuzzy import cmeans
    except ImportError:
        return
    k = int(start.max()) + 1
    model = FDC(k, alpha=0.0, beta=0.0, init=start, max_iter=1000).fit(X)
    end = clone(model).set_params(tol=1e-8).fit(X).objective_
    near = end * (1 + 1e-6)
    options: dict[str, Any] = {"m": 2, "error": 0.0, "init": np.eye(k)[start].T}
    peer = cmeans(X.T, k, maxiter=200, **options)
    ours, twenty = fastest(
        partial(model.fit, X), partial(cmeans, X.T, k, maxiter=20, **options),
        repeats=repeats,
    )  # fmt: skip
    step = twenty / 20
    reached = np.flatnonzero(peer[4] <= near)
    n_steps = int(reached[0]) + 1 if len(reached) else len(peer[4])
    note = "" if len(reached) else f", not reached in {n_steps}: at least"
    if model.objective_ > near:
        note += f"; ours ends {model.objective_ / end - 1:.0e} above"
    yield Row(
        f"scikit-fuzzy / our fit, {size_of(X, k)}",
        step * n_steps / ours,
        "times",
        limit,
        at_most=False,
        detail=f"{step * n_steps:.1f} s / {ours:.2f} s{note}",
    )


def pairs_against_none(
    name: str,
    X: Floats,
    truth: Labels,
    start: Labels,
    limit: float | None,
    repeats: int,
) -> Row:
    """Compare FDC with one judgement per ten samples to fuzzy c-means."""
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
        partial(plain.fit, X), partial(guided.fit, X, pairs=pairs), repeats=repeats
    )
    return Row(
        f"FDC with {len(pairs)} pairs / FCM, {name}, {size_of(X, k)}",
        with_pairs / without,
        "times",
        limit,
        detail=f"{with_pairs:.3f} s in {guided.n_iter_} passes / "
        f"{without:.3f} s in {plain.n_iter_}",
    )
