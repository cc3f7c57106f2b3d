"""The methods of the paper: their estimators, grids and settings."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import product
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.kernel_approximation import Nystroem

from fuzzypairs import DSC, FDC, FHSS, PCCA, SSDC, FuzzyCMeans, PairSet
from fuzzypairs._typing import Floats
from fuzzypairs.reproduction.data import Benchmark

# Names and values of parameters, in the order of the grid.
Point = tuple[tuple[str, float], ...]

# The paper's grids. Its text swaps those of alpha and beta: alpha must be below 1.
ALPHAS = tuple(round(0.02 * i, 2) for i in range(16))
BETAS = tuple(2.0**i for i in range(-8, 8))
# The paper's widths of the kernel, and the few other values that go with each: all of
# them would be 4096 points.
WIDTHS = tuple(2.0**i for i in range(-10, 6))
FEW_ALPHAS, FEW_BETAS = (0.0, 0.02, 0.06, 0.1), (2.0**-8, 2.0**-4, 1.0, 2.0**4)
# The kernel is approximated within the span of so many samples: all of a small dataset,
# fewer of those with more than 3000 samples.
COMPONENTS, FEW_COMPONENTS, MANY_SAMPLES = 256, 64, 3000
# Fuzzy c-means and PCCA equal printed cells to the last digit where they converge. With
# its default tol the oracle would choose among unfinished fits of FDC. Held-out
# judgements choose among fits with the defaults, as a user would make them, and the
# approximate kernel on many samples is not worth more.
CONVERGED: dict[str, Any] = {"tol": 1e-8, "max_iter": 3000}
SETTLED: dict[str, Any] = {"tol": 1e-6, "max_iter": 1000}
USUAL: dict[str, Any] = {"tol": 1e-4, "max_iter": 300}


@dataclass(frozen=True)
class Method:
    """How a method of the paper is run."""

    title: str
    make: Callable[..., Any]  # make(n_clusters, **parameters)
    grid: tuple[Point, ...] = ((),)
    limits: dict[str, Any] | None = None  # where fits from random labels end
    repeats: bool = True  # it starts at random, and so runs from several starts
    judged: bool = True  # it uses judgements
    column: str = ""  # of the paper's tables, if not its own


def fit_method(
    name: str,
    benchmark: Benchmark,
    pairs: PairSet,
    point: Point,
    start: int,
    *,
    usual: bool = False,
) -> Any:
    """Fit a method at a point of its grid from one start; return the estimator.

    `start` seeds the random labels, which are the same for all fuzzy methods. `usual`
    fits end as they do by default.

    Examples
    --------
    >>> from fuzzypairs.reproduction.data import load_benchmark
    >>> from fuzzypairs.reproduction.methods import fit_method
    >>> wine = load_benchmark("wine", "iv", 0)
    >>> fit_method("pcca", wine, wine.pairs, (("beta", 0.5),), 0).n_clusters_
    3
    """
    method, settings = METHODS[name], dict(point)
    is_small = len(benchmark.X) <= MANY_SAMPLES
    X = benchmark.X
    if "mu" in settings:
        X = _map_kernel(benchmark, settings.pop("mu"))
        usual = usual or not is_small
    chosen: dict[str, Any] = dict(settings)
    if method.repeats:
        seed = np.random.RandomState(start)
        chosen |= {"init": "random", "n_init": 1, "random_state": seed}
    if method.limits is not None:
        # On many samples the last digits take thousands of passes and change no label.
        chosen |= USUAL if usual else method.limits if is_small else SETTLED
        chosen["n_jobs"] = 1
    model = method.make(benchmark.n_clusters, **chosen)
    if name == "fdc-authors" and len(pairs):
        # Their code has beta s m/|S| off the diagonal of D, and beta s/2 on it.
        factor = 2.0 * len(X) / len(pairs)
        model.set_params(beta=factor * settings["beta"])
        model.diagonal_share = 1.0 / factor
    return model.fit(X, pairs=pairs) if method.judged else model.fit(X)


@lru_cache(maxsize=1)
def _map_kernel(benchmark: Benchmark, mu: float) -> Floats:
    """Return features whose Euclidean distances are those of exp(-mu d^2)."""
    n_samples = len(benchmark.X)
    most = FEW_COMPONENTS if n_samples > MANY_SAMPLES else COMPONENTS
    kernel = Nystroem(gamma=mu, n_components=min(most, n_samples), random_state=0)
    return np.ascontiguousarray(kernel.fit_transform(benchmark.X))


def _grid(**values: tuple[float, ...]) -> tuple[Point, ...]:
    return tuple(
        tuple(zip(values, chosen, strict=True)) for chosen in product(*values.values())
    )


FULL = _grid(alpha=ALPHAS, beta=BETAS)
KERNEL = _grid(mu=WIDTHS, alpha=FEW_ALPHAS, beta=FEW_BETAS)
PAPER_FDC = partial(FDC, metric="euclidean", propagate=False)
METHODS = {
    "k-means": Method("k-means", KMeans, judged=False),
    "fcm": Method("FCM", FuzzyCMeans, limits=CONVERGED, judged=False),
    "ssdc": Method("SSDC", lambda n_clusters: SSDC(), repeats=False),
    "dsc": Method("DSC", partial(DSC, preset="paper"), repeats=False),
    "fhss": Method("FHSS", FHSS, repeats=False),
    "pcca": Method("PCCA", PCCA, _grid(beta=BETAS), CONVERGED),
    "fdc": Method("FDC", PAPER_FDC, FULL, SETTLED),
    "fdc-authors": Method(
        "FDC, authors' pairs", PAPER_FDC, FULL, SETTLED, column="fdc"
    ),
    "fdc-rbf": Method("FDC, Gaussian kernel", PAPER_FDC, KERNEL, SETTLED),
}
