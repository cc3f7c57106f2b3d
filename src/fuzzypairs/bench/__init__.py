"""Speed on this machine, as ratios against other packages in the same run.

Other processes disturb measurements. Work on one thread is therefore timed by the
processor time of this process, which varies less than the wall clock. Our runs and
those of the peer alternate, and the fastest of each counts.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import load_wine
from sklearn.metrics import pairwise_distances_argmin
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from fuzzypairs import FDC, FuzzyCMeans, PairSet
from fuzzypairs._typing import Floats, Labels
from fuzzypairs.datasets import simulate_pairs

FIRST_FIT = """
import numpy as np
from fuzzypairs import FDC

X = np.arange(20.0).reshape(10, 2)
FDC(2, alpha=0.0, beta=1.0, random_state=0).fit(X, pairs=[(0, 9, -0.5)])

import time

print(time.process_time())
"""
BARE = "import sklearn.cluster, time; print(time.process_time())"

# samples, features, clusters of the blobs
SIZES = [(58_000, 10, 7), (20_000, 16, 26)]
SMALL_SIZES = [(10_000, 10, 7)]


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


def first_fit(quick: bool) -> Iterator[Row]:
    """Measure the first fit, compared with an import of scikit-learn's clusterers."""
    processor_seconds(FIRST_FIT)  # writes byte code
    codes = (FIRST_FIT, BARE)
    # In turn, so that load from other processes affects all of them.
    repeats = 2 if quick else 5
    times = [[processor_seconds(code) for code in codes] for _ in range(repeats)]
    ours, bare = map(min, zip(*times, strict=True))
    yield Row(
        "import and first small fit beyond `import sklearn.cluster`",
        ours - bare,
        "s",
        0.3,
        detail=f"{ours:.2f} s - {bare:.2f} s",
    )


def whole_fits(quick: bool) -> Iterator[Row]:
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
