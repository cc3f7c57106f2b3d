"""Other metrics: kernel tiles, Nystroem features, and a step in manhattan distance."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.measure import in_fresh_process, our_step
from benchmarks.memory import resident
from fuzzypairs import FDC
from fuzzypairs.bench import Row, blobs, fastest
from fuzzypairs.datasets import load
from fuzzypairs.pairs import PairSet
from fuzzypairs.solvers.any_metric import SpacePasses
from fuzzypairs.solvers.problem import Problem
from fuzzypairs.solvers.start import Start
from fuzzypairs.spaces.kernel_functions import Rbf
from fuzzypairs.spaces.kernel_spaces import KernelSpace
from fuzzypairs.spaces.vectors import Manhattan
from fuzzypairs.threads import Threads

BUDGET_MB = 200


def rows(quick: bool) -> Iterator[Row]:
    with threadpool_limits(1):
        yield tiles_against_blas(5_000 if quick else 20_000)
        yield from wide_rows(quick)
        yield manhattan_step()
    if Path("/proc/self/clear_refs").exists():
        n_samples = 5_000 if quick else 20_000
        extra = in_fresh_process("benchmarks.spaces.extra", n_samples, BUDGET_MB)
        yield Row(
            f"extra memory, rbf by tiles, {n_samples} x 16, k = 10",
            extra / 1e6,
            "MB",
            BUDGET_MB,
            detail=f"the whole matrix is {8e-6 * n_samples**2:.0f} MB",
        )


def tiles_against_blas(n_samples: int) -> Row:
    """Time the product of one step, from tiles and from the whole matrix."""
    X, _, _ = blobs(n_samples, 16, 10)
    V = np.random.default_rng(0).random((n_samples, 10))
    tiled = KernelSpace(Rbf(), memory=BUDGET_MB * 10**6).fit(X)
    whole = KernelSpace(Rbf(), memory=10**11).fit(X).gram
    assert tiled.gram is None
    assert whole is not None
    np.testing.assert_allclose(tiled.product(V), whole @ V, rtol=1e-9)
    ours, plain = fastest(lambda: tiled.product(V), lambda: whole @ V, repeats=5)
    return Row(
        f"rbf tiles / whole matrix by BLAS, {n_samples} x 16, k = 10",
        ours / plain,
        "times",
        2.0,
        detail=f"{1e3 * ours:.0f} ms / {1e3 * plain:.0f} ms",
    )


def nystroem_against_linear(name: str, X: np.ndarray) -> Row:
    common: dict[str, Any] = {"n_clusters": 7, "random_state": 0, "max_iter": 1000}
    linear = FDC(metric="linear", **common).fit(X)
    params = {"n_components": 300}
    kernel = FDC(metric="rbf", metric_params=params, **common).fit(X)
    plain, mapped = fastest(lambda: linear.fit(X), lambda: kernel.fit(X), repeats=3)
    return Row(
        f"rbf by Nystroem with 300 / linear fit, {name}, {len(X)} x 9, k = 7",
        mapped / plain,
        "times",
        10.0,
        detail=f"{mapped:.2f} s / {plain:.2f} s, 10 starts",
    )


def wide_rows(quick: bool) -> Iterator[Row]:
    """Compare both on the shuttle data, if available, and on blobs."""
    n_samples = 10_000 if quick else 58_000
    try:
        shuttle = load("shuttle", scale=True, download=False).data[:n_samples]
    except FileNotFoundError:
        print("  no shuttle data, see FUZZYPAIRS_DATA in docs/methods.md")
    else:
        yield nystroem_against_linear("shuttle", np.ascontiguousarray(shuttle))
    yield nystroem_against_linear("blobs", blobs(n_samples, 9, 7)[0])


def manhattan_step() -> Row:
    rng = np.random.default_rng(0)
    X, start = rng.normal(size=(58_000, 10)), rng.integers(7, size=58_000)
    space = Manhattan().fit(X)
    make = partial(SpacePasses, space, 2.0, space.spread(), n_clusters=7)
    problem = Problem.over(
        partial(make, threads=Threads(1)),
        None,
        PairSet.empty(len(X)),
        alpha=0.0,
        beta=0.0,
        tol=0.0,
        max_iter=1,
    )

    def ours(n_steps: int) -> int:
        limited = replace(problem, max_iter=n_steps)
        return problem.passes.run(limited, [Start(labels=start)])[0].n_iter

    euclidean = our_step(X, start)
    n_ours, n_euclidean = ours(22) - ours(2), euclidean(62) - euclidean(2)
    few, many, plain_few, plain_many = fastest(
        lambda: ours(2),
        lambda: ours(22),
        lambda: euclidean(2),
        lambda: euclidean(62),
        repeats=9,
    )
    step, plain = (many - few) / n_ours, (plain_many - plain_few) / n_euclidean
    return Row(
        "manhattan step / euclidean step, 58000 x 10, k = 7",
        step / plain,
        "times",
        10.0,
        detail=f"{1e3 * step:.1f} ms / {1e3 * plain:.2f} ms",
    )


def extra(n_samples: int, budget: int) -> float:
    """Return the peak of resident memory during a fit, minus the size of its result."""
    X, _, start = blobs(n_samples, 16, 10)
    params = {"memory": f"{budget}MB"}
    common: dict[str, Any] = {
        "metric": "rbf",
        "metric_params": params,
        "max_iter": 3,
        "alpha": 0.0,
    }
    FDC(10, init=start[:2000], **common).fit(X[:2000])
    model = FDC(10, init=start, **common)
    before = resident("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # reset the peak
    model.fit(X)
    returned = model.memberships_.nbytes + model.labels_.nbytes
    return resident("VmHWM") - before - returned
