"""From `metric` and `metric_params` of an estimator to a space."""

from collections.abc import Callable
from typing import Any, Literal, cast

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
from fuzzypairs.spaces.learned import Learned, Taught, Weighted
from fuzzypairs.spaces.space import Space
from fuzzypairs.spaces.vectors import Cosine, Euclidean, Manhattan, Minkowski
from fuzzypairs.validation import (
    check_bytes,
    check_choice,
    check_integer,
    check_number,
)

__all__ = ["METRICS", "Metric", "resolve_metric"]

Metric = str | Callable[[Any, Any], Any] | Space

KERNELS: dict[str, tuple[Callable[..., Kernel], tuple[str, ...]]] = {
    "rbf": (Rbf, ("gamma",)),
    "polynomial": (Polynomial, ("degree", "gamma", "coef0")),
    "laplacian": (Laplacian, ("gamma",)),
    "jaccard": (Jaccard, ()),
}
POINTS: dict[str, tuple[Callable[..., Space], tuple[str, ...]]] = {
    "euclidean": (Euclidean, ()),
    "linear": (Euclidean, ()),
    "manhattan": (Manhattan, ()),
    "cosine": (Cosine, ()),
    "minkowski": (Minkowski, ("p",)),
    "mahalanobis": (Mahalanobis, ("covariance",)),
    "precomputed": (PrecomputedDistances, ()),
    "precomputed_kernel": (PrecomputedKernel, ()),
}
METRICS = ("auto", "learned", *POINTS, *KERNELS)
# What "learned" understands beside "form", by form.
OF_MAPS = ("prior", "ridge", "doubt", "sharpness", "n_components")
FORMS = {"auto": OF_MAPS, "diagonal": ("prior",), "linear": OF_MAPS, "rbf": OF_MAPS}
# What any kernel understands besides its own parameters.
OF_ALL_KERNELS = ("memory", "n_components", "approximation")


def resolve_metric(metric: Metric, params: dict[str, Any] | None) -> Space:
    """Read the parameters `metric` and `metric_params` of an estimator.

    Parameters
    ----------
    metric : str, callable or Space
        A name in `METRICS`; a kernel ``(A, B) -> matrix`` over blocks of rows; or a
        space of one's own.
    params : dict or None
        Parameters of the named metric.

    Returns
    -------
    space : Space
        Not yet fitted.

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
        check_keys(given, (), f"a {type(metric).__name__}, which has its own")
        return metric
    if callable(metric):
        check_keys(given, OF_ALL_KERNELS, "a callable")
        return of_kernel(Custom(metric), given, "a callable")
    name = check_choice("metric", metric, METRICS)
    if name == "auto":
        check_keys(given, (), '"auto"')
        return Euclidean()
    if name == "learned":
        return learned(given)
    if name in KERNELS:
        make, own = KERNELS[name]
        check_keys(given, (*own, *OF_ALL_KERNELS), f'"{name}"')
        check_values(given)
        kernel = make(**{key: given[key] for key in own if key in given})
        return of_kernel(kernel, given, name)
    make_space, own = POINTS[name]
    check_keys(given, own, f'"{name}"')
    check_values(given)
    if name == "minkowski" and given.setdefault("p", 2) in (1, 2):
        return Manhattan() if given["p"] == 1 else Euclidean()
    return make_space(**given)


def learned(given: dict[str, Any]) -> Taught:
    """Return the space that judgements are to teach."""
    words = tuple(FORMS)
    form = check_choice('metric_params["form"]', given.pop("form", "auto"), words)
    check_keys(given, ("form", *FORMS[form]), f'"learned" of the form "{form}"')
    for name in ("prior", "ridge", "sharpness"):
        if not check_number(f'metric_params["{name}"]', given.get(name, 1.0), 0.0):
            raise ValueError(f'metric_params["{name}"] must be above 0, got 0')
    if "doubt" in given:
        check_number('metric_params["doubt"]', given["doubt"], 0.0, 0.5)
    if "n_components" in given:
        check_integer('metric_params["n_components"]', given["n_components"], 1)
    if form == "diagonal":
        return Weighted(**given)
    return Learned(cast(Any, form), **given)


def of_kernel(kernel: Kernel, given: dict[str, Any], name: str) -> Space:
    """Return the space of a kernel, whole or by a limited number of features."""
    memory = check_bytes('metric_params["memory"]', given.get("memory", MEMORY))
    if "n_components" not in given and "approximation" not in given:
        return KernelSpace(kernel, memory)
    n_components = check_integer(
        'metric_params["n_components"]', given.get("n_components", 100), 1
    )
    approximation = check_choice(
        'metric_params["approximation"]',
        given.get("approximation", "nystroem"),
        ("nystroem", "fourier"),
    )
    if approximation == "fourier" and not isinstance(kernel, Rbf):
        raise ValueError(
            f'metric_params["approximation"] is "fourier", which is for metric="rbf", '
            f'but metric is {name}; use "nystroem"'
        )
    way = cast(Literal["nystroem", "fourier"], approximation)
    return KernelFeatures(kernel, n_components, way)


def check_keys(given: dict[str, Any], known: tuple[str, ...], metric: str) -> None:
    """Refuse parameters that a metric does not have."""
    unknown = [key for key in given if key not in known]
    if unknown:
        expected = ", ".join(map(repr, known)) if known else "none"
        raise ValueError(
            f"metric_params has {unknown[0]!r}, but metric is {metric} with the "
            f"parameters: {expected}"
        )


def check_values(given: dict[str, Any]) -> None:
    """Check the numbers among the parameters of a metric."""
    gamma = given.get("gamma", "scale")
    if isinstance(gamma, str):
        check_choice('metric_params["gamma"]', gamma, ("scale", "median"))
    else:
        words = ["scale", "median"]
        number = check_number('metric_params["gamma"]', gamma, 0.0, words=words)
        if number == 0.0:
            raise ValueError('metric_params["gamma"] must be above 0, got 0')
    if "p" in given:
        check_number('metric_params["p"]', given["p"], 1.0)
    if "degree" in given:
        check_integer('metric_params["degree"]', given["degree"], 1)
    if "coef0" in given:
        check_number('metric_params["coef0"]', given["coef0"], 0.0)
