"""The space of the parameters `metric` and `metric_params`."""

from collections.abc import Callable
from functools import partial
from typing import Any

from fuzzypairs.spaces.feature_maps import KernelFeatures, Mahalanobis
from fuzzypairs.spaces.kernel_functions import (
    Custom,
    Jaccard,
    Kernel,
    Laplacian,
    Polynomial,
    Rbf,
)
from fuzzypairs.spaces.kernel_spaces import (
    MEMORY,
    KernelSpace,
    PrecomputedDistances,
    PrecomputedKernel,
)
from fuzzypairs.spaces.space import Space
from fuzzypairs.spaces.vectors import Cosine, Euclidean, Manhattan, Minkowski
from fuzzypairs.validation import (
    check_bytes,
    check_choice,
    check_function,
    check_integer,
    check_number,
)

Metric = str | Callable[[Any, Any], Any] | Space

KERNELS: dict[str, tuple[Callable[..., Kernel], tuple[str, ...]]] = {
    "rbf": (Rbf, ("gamma",)),
    "polynomial": (Polynomial, ("degree", "gamma", "coef0")),
    "laplacian": (Laplacian, ("gamma",)),
    "jaccard": (Jaccard, ()),
}
SPACES: dict[str, tuple[Callable[..., Space], tuple[str, ...]]] = {
    "euclidean": (Euclidean, ()),
    "linear": (Euclidean, ()),
    "manhattan": (Manhattan, ()),
    "cosine": (Cosine, ()),
    "minkowski": (Minkowski, ("p",)),
    "mahalanobis": (Mahalanobis, ("covariance",)),
    "precomputed": (PrecomputedDistances, ()),
    "precomputed_kernel": (PrecomputedKernel, ()),
}
METRICS = (*SPACES, *KERNELS)
# Parameters of any kernel besides its own.
OF_ALL_KERNELS = ("memory", "n_components", "approximation")


# Products of larger parameters overflow.
LARGEST = 1e100
# Distances to a higher power are those of the largest difference alone.
LARGEST_P = 1000.0


def _check_positive(name: str, value: Any, words: tuple[str, ...] = ()) -> float:
    if not (number := check_number(name, value, 0.0, LARGEST, words=words)):
        raise ValueError(f"{name} must be above 0, got 0")
    return number


def _check_gamma(name: str, value: Any) -> float | str:
    words = ("scale", "median")
    if isinstance(value, str):
        return check_choice(name, value, words)
    return _check_positive(name, value, words)


# Checks of values; "form" and "covariance" are checked where they are used.
CHECKS: dict[str, Callable[[str, Any], Any]] = {
    "approximation": partial(check_choice, choices=("nystroem", "fourier")),
    "coef0": partial(check_number, least=0.0, below=LARGEST),
    "degree": partial(check_integer, least=1),
    "gamma": _check_gamma,
    "memory": check_bytes,
    "n_components": partial(check_integer, least=1),
    "p": partial(check_number, least=1.0, below=LARGEST_P),
}


def resolve_metric(metric: Metric, params: dict[str, Any] | None) -> Space:
    """Return the space, not yet fitted, of `metric` and `metric_params`.

    `metric` is a name in `METRICS`, a kernel ``(A, B) -> matrix`` over blocks of rows,
    or a user's own `Space`.

    Examples
    --------
    >>> resolve_metric("minkowski", {"p": 3}).p
    3.0
    >>> resolve_metric("minkowski", {"p": 1}).__class__.__name__
    'Manhattan'
    """
    if params is not None and not isinstance(params, dict):
        raise TypeError(
            f"metric_params must be a dict or None, got a {type(params).__name__}"
        )
    given = dict(params or {})
    if isinstance(metric, Space):
        _check(given, (), f"a {type(metric).__name__}, which has its own")
        return metric
    if isinstance(metric, type):
        raise TypeError(
            f"metric is the class {metric.__name__}, expected a name, a function or a "
            "Space; create an instance"
        )
    if callable(metric):
        check_function("metric", metric, "A", "B")
        _check(given, OF_ALL_KERNELS, "a callable")
        return _kernel_space(Custom(metric), given, "a callable")
    name = check_choice("metric", metric, METRICS)
    if name in KERNELS:
        make, own = KERNELS[name]
        _check(given, (*own, *OF_ALL_KERNELS), f'"{name}"')
        kernel = make(**{key: given[key] for key in own if key in given})
        return _kernel_space(kernel, given, name)
    make_space, own = SPACES[name]
    if given:
        _check(given, own, f'"{name}"')
    if name == "minkowski" and given.setdefault("p", 2) in (1, 2):
        return Manhattan() if given["p"] == 1 else Euclidean()
    return make_space(**given)


def _check(given: dict[str, Any], known: tuple[str, ...], metric: str) -> None:
    """Refuse parameters that a metric does not have; read their values in place."""
    unknown = [key for key in given if key not in known]
    if unknown:
        expected = ", ".join(map(repr, known)) if known else "none"
        raise ValueError(
            f"metric_params has {unknown[0]!r}, but metric is {metric} with the "
            f"parameters: {expected}"
        )
    for key, value in given.items():
        if key in CHECKS:
            given[key] = CHECKS[key](f'metric_params["{key}"]', value)


def _kernel_space(kernel: Kernel, given: dict[str, Any], name: str) -> Space:
    """Return the space of a kernel, or of a limited number of its features."""
    if "n_components" not in given and "approximation" not in given:
        memory = given.get("memory", MEMORY)
        return KernelSpace(kernel, check_bytes('metric_params["memory"]', memory))
    approximation = given.get("approximation", "nystroem")
    if approximation == "fourier" and not isinstance(kernel, Rbf):
        raise ValueError(
            f'metric_params["approximation"] is "fourier", which is for metric="rbf", '
            f'but metric is {name}; use "nystroem"'
        )
    return KernelFeatures(kernel, int(given.get("n_components", 100)), approximation)
