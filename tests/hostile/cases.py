"""Hostile cases over all public names, by name: ``CASES``."""

from collections.abc import Callable, Iterator
from functools import partial
from inspect import signature
from typing import Any

import numpy as np

from fuzzypairs import (
    DSC,
    FDC,
    FHSS,
    PCCA,
    SSDC,
    FuzzyCMeans,
    GuidedFDC,
    PairSearchCV,
)
from hostile import blocks, calls, commands, values
from hostile.outcomes import Case, off_simplex

Make = Callable[..., Any]
QUICK = {"n_clusters": 3, "n_init": 2, "random_state": 0}


def inner_products(A: Any, B: Any) -> Any:
    return A @ B.T


def search(**params: Any) -> PairSearchCV:
    estimator = FDC(n_init=1, random_state=0)
    given = {"param_grid": {"n_clusters": [2, 3]}, "n_splits": 2, "n_repeats": 1}
    return PairSearchCV(
        **{"estimator": estimator, **given, "random_state": 0, **params}
    )


def fdc(**fixed: Any) -> Make:
    return lambda **params: FDC(**{**QUICK, **fixed, **params})


def kernel(name: str, **params: Any) -> Make:
    return fdc(metric=name, metric_params=params)


# Every estimator, in the ways that its fit can go.
MODELS: dict[str, Make] = {
    "FDC": fdc(),
    "GuidedFDC": lambda **params: GuidedFDC(**{**QUICK, **params}),
    "FuzzyCMeans": lambda **params: FuzzyCMeans(**{**QUICK, **params}),
    "PCCA": lambda **params: PCCA(**{**QUICK, **params}),
    "SSDC": SSDC,
    "DSC": lambda **params: DSC(**{"n_clusters": 3, **params}),
    "FHSS": lambda **params: FHSS(**{"n_clusters": 3, **params}),
    "PairSearchCV": search,
}
VARIANTS: dict[str, Make] = {
    "FDC beta 1": fdc(beta=1.0),
    "FDC beta 1e300": fdc(beta=1e300),
    "FDC fuzzifier 1.3": fdc(fuzzifier=1.3),
    "FDC pair-graph": fdc(init="pair-graph"),
    "FDC random": fdc(init="random"),
    "FDC exact": fdc(group_solver="exact"),
    "FDC robust": fdc(robust=True),
    "FDC propagate": fdc(propagate="auto"),
    "FDC manhattan": fdc(metric="manhattan"),
    "FDC cosine": fdc(metric="cosine"),
    "FDC minkowski 3": kernel("minkowski", p=3),
    "FDC mahalanobis": fdc(metric="mahalanobis"),
    "FDC rbf": fdc(metric="rbf"),
    "FDC rbf nystroem": kernel("rbf", n_components=5),
    "FDC rbf fourier": kernel("rbf", n_components=8, approximation="fourier"),
    "FDC polynomial": fdc(metric="polynomial"),
    "FDC polynomial nystroem": kernel("polynomial", n_components=5),
    "FDC laplacian": fdc(metric="laplacian"),
    "FDC jaccard": fdc(metric="jaccard"),
    "FDC callable": fdc(metric=inner_products),
    "FDC precomputed": fdc(metric="precomputed"),
    "FDC precomputed kernel": fdc(metric="precomputed_kernel"),
    "PCCA competition": lambda **params: PCCA(**QUICK, competition="on", **params),
    "DSC paper": partial(DSC, 3, preset="paper", assign_rest=True),
    "DSC precomputed": partial(DSC, 3, affinity="precomputed"),
    "FHSS k": partial(FHSS, 3, cut="k"),
}
ALL = {**MODELS, **VARIANTS}
# Words that stand for an argument in messages about it.
OF_X = ("X", "samples", "distances", "affinities", "kernel")
OF_PAIRS = ("pairs", "judgements", "grade", "i", "j")


def fit(make: Make, X: Any = values.POINTS, **given: Any) -> Any:
    model = make()
    metric = getattr(model, "metric", "")
    if isinstance(metric, str) and metric == "jaccard" and X is values.POINTS:
        X = np.abs(X)
    if isinstance(model, PairSearchCV):
        given.setdefault("pairs", values.TRIPLES)
    model.fit(X, **given)
    if hasattr(model, "predict_proba") and hasattr(model, "memberships_"):
        U = model.predict_proba(X)
        if wrong := off_simplex(U, len(U), model.n_clusters_):
            raise AssertionError(f"predict_proba: memberships {wrong}")
    return model


def of_data() -> Iterator[Case]:
    for name, make in ALL.items():
        for what, X in values.REFUSED_X.items():
            run = lambda make=make, X=X: fit(make, X())  # noqa: E731
            yield Case(f"X {what}: {name}", OF_X, run, refused=True)
        for what, X in values.X.items():
            run = lambda make=make, X=X: fit(make, X())  # noqa: E731
            yield Case(f"X {what}: {name}", (*OF_X, "pairs"), run)
            if "scale" in what or "1e" in what or "float32" in what:
                run = lambda make=make, X=X: fit(  # noqa: E731
                    make, X(), pairs=values.TRIPLES
                )
                yield Case(f"X {what} with pairs: {name}", OF_X, run)


def of_pairs() -> Iterator[Case]:
    for name, make in ALL.items():
        if "precomputed" in name or name == "FuzzyCMeans":
            continue
        for what, pairs in values.REFUSED_PAIRS.items():
            run = lambda make=make, pairs=pairs: fit(make, pairs=pairs())  # noqa: E731
            yield Case(f"pairs {what}: {name}", OF_PAIRS, run, refused=True)
        for what, pairs in values.PAIRS.items():
            run = lambda make=make, pairs=pairs: fit(make, pairs=pairs())  # noqa: E731
            yield Case(f"pairs {what}: {name}", OF_PAIRS, run)


def of_weights() -> Iterator[Case]:
    for name, make in ALL.items():
        if name.startswith(("SSDC", "DSC", "FHSS")) or "precomputed" in name:
            continue
        for refused, some in ((True, values.REFUSED_WEIGHTS), (False, values.WEIGHTS)):
            for what, weight in some.items():
                run = lambda make=make, weight=weight: fit(  # noqa: E731
                    make, pairs=values.TRIPLES, sample_weight=weight()
                )
                words = ("sample_weight", "weights", "weight")
                yield Case(f"weight {what}: {name}", words, run, refused)


def of_parameters() -> Iterator[Case]:
    for name, make in MODELS.items():
        for parameter in signature(type(make()).__init__).parameters:
            if parameter == "self":
                continue
            for what, value in values.PARAMETERS.items():
                run = lambda make=make, parameter=parameter, value=value: fit(  # noqa: E731
                    partial(make, **{parameter: value()}), pairs=values.TRIPLES
                )
                yield Case(f"{parameter}={what}: {name}", (parameter,), run)


METRIC_PARAMS = {
    "minkowski": ["p"],
    "mahalanobis": ["covariance"],
    "rbf": ["gamma", "memory", "n_components", "approximation"],
    "polynomial": ["degree", "gamma", "coef0"],
    "laplacian": ["gamma"],
}


def of_metric_params() -> Iterator[Case]:
    for metric, parameters in METRIC_PARAMS.items():
        for parameter in parameters:
            for what, value in values.PARAMETERS.items():
                run = lambda metric=metric, parameter=parameter, value=value: fit(  # noqa: E731
                    kernel(metric, **{parameter: value()}), pairs=values.TRIPLES
                )
                yield Case(f"{parameter}={what}: FDC {metric}", (parameter,), run)


def endless(**params: Any) -> Make:
    return fdc(**{"max_iter": 10_000, "tol": 0.0, **params})


def of_numbers() -> Iterator[Case]:
    """Combinations that once overflowed, or did not end."""
    sixty = np.random.default_rng(1).normal(size=(60, 3))
    for metric in ("euclidean", "manhattan", "rbf", "cosine"):
        for tol in (0.0, 1e-320, 1e-16, 1e-8):
            for n in (1, 10_000):
                run = partial(fit, endless(metric=metric, tol=tol, max_iter=n), sixty)
                name = f"tol={tol:g} max_iter={n}: FDC {metric}"
                yield Case(name, ("tol", "max_iter", "pairs"), run)
    judged = partial(fit, pairs=values.TRIPLES)
    for beta in (1e-300, 1e-20, 1e20, 1e100, 1e300):
        for scale in (1e-150, 1e-100, 1e-20, 1.0, 1e20, 1e100, 1e150):
            for alpha in (0.0, 0.3, "auto"):
                run = partial(
                    judged, fdc(beta=beta, alpha=alpha), values.POINTS * scale
                )
                name = f"beta={beta:g} alpha={alpha} scale={scale:g}: FDC"
                yield Case(name, ("beta", "alpha", "X"), run)
    for size in (1e-300, 1e-150, 1e-20, 1e-8, 1e8, 1e150, 1e300):
        covariance = np.eye(2) * size
        run = partial(judged, kernel("mahalanobis", covariance=covariance))
        yield Case(f"covariance {size:g}: FDC mahalanobis", ("covariance", "X"), run)
        for name in ("rbf", "laplacian", "polynomial"):
            run = partial(judged, kernel(name, gamma=size))
            yield Case(f"gamma {size:g}: FDC {name}", ("gamma", "X"), run)
    for n_splits in (2**20, 2**31, 2**62):
        run = partial(judged, partial(search, n_splits=n_splits))
        yield Case(f"n_splits={n_splits}: PairSearchCV", ("n_splits",), run)


def _all() -> Iterator[Case]:
    for some in (
        of_data,
        of_pairs,
        of_weights,
        of_parameters,
        of_metric_params,
        of_numbers,
        calls.of_calls,
        blocks.of_blocks,
        commands.of_commands,
    ):
        yield from some()


CASES: dict[str, Case] = {case.name: case for case in _all()}
