"""The methods of the experiment on judgements: one table, to be edited here alone."""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any, Literal
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from fuzzypairs import PairSet
from fuzzypairs.criteria import normalized_ari
from fuzzypairs.spaces.moments import total_variance

__all__ = ["METHODS", "Method", "Problem"]

Parameters = dict[str, Any]
Grid = Callable[["Problem"], list[Parameters]]

# More samples than this, and grids are thinned.
MANY_SAMPLES = 2000


@dataclass(frozen=True, eq=False)
class Problem:
    """Data with judgements, and the truth to score by.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
        Classes. Only a choice "by truth" looks at them.
    pairs : PairSet
    seed : int
        Decides the starts.
    """

    X: NDArray[np.float64]
    y: NDArray[np.int64]
    pairs: PairSet
    seed: int

    @property
    def n_classes(self) -> int:
        """Number of classes, which all methods are told."""
        return len(np.unique(self.y))

    @property
    def is_large(self) -> bool:
        """Whether grids are thinned."""
        return len(self.X) > MANY_SAMPLES


@dataclass(frozen=True)
class Method:
    """An estimator by its full name, its parameters, and how the open ones are chosen.

    Attributes
    ----------
    estimator : str
        Module and class; it is told the number of classes and a seed.
    parameters : dict
        What differs from its defaults.
    about : str
        A line for the page.
    grid : callable, optional
        From a `Problem` to candidates, each a dict of parameters.
    choice : {"truth", "pairs"}
        How a candidate is chosen: by the best normalised ARI, which nobody could do
        in earnest, or by `PairSearchCV`.
    judged : bool
        Whether it takes judgements.
    on_curves, on_large : bool
        Whether it is in the curves, and runs on the large sets.
    """

    estimator: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    about: str = ""
    grid: Grid | None = None
    choice: Literal["truth", "pairs"] = "truth"
    judged: bool = True
    on_curves: bool = True
    on_large: bool = True

    def describe(self) -> str:
        """Return all that decides its results, to tell old lines from new ones."""
        parts = [f"{name}={value!r}" for name, value in self.parameters.items()]
        if self.grid is not None:
            # A mark of the candidates, which are too many to tell.
            mark = crc32(repr(self.grid(TINY)).encode())
            parts.append(f"{self.grid.__name__} {mark:08x} by {self.choice}")
        return f"{self.estimator}({', '.join(parts)})"

    def missing(self) -> str:
        """Say why this method cannot run with the package as it is, or return ""."""
        try:
            if self.grid is not None and self.choice == "pairs":
                _find("fuzzypairs.PairSearchCV")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                replace(self, grid=None).labels(TINY)
        except (AttributeError, ImportError, TypeError, ValueError) as error:
            return str(error)
        return ""

    def labels(self, problem: Problem) -> tuple[NDArray[np.int64], Parameters]:
        """Fit a problem; return the clusters, and the candidate that was chosen."""
        model = self._build(problem.n_classes, problem.seed)
        given = {"pairs": problem.pairs} if self.judged else {}
        if self.grid is None:
            return model.fit(problem.X, **given).labels_, {}
        candidates = self.grid(problem)
        if self.choice == "pairs":
            search = _find("fuzzypairs.PairSearchCV")(
                model,
                [{name: [value] for name, value in c.items()} for c in candidates],
                random_state=problem.seed,
            ).fit(problem.X, **given)
            return search.labels_, dict(search.best_params_)
        found = [
            clone(model).set_params(**candidate).fit(problem.X, **given).labels_
            for candidate in candidates
        ]
        scores = [normalized_ari(problem.y, labels) for labels in found]
        best = int(np.argmax(scores))
        return found[best], candidates[best]

    def _build(self, n_clusters: int, seed: int) -> Any:
        make = _find(self.estimator)
        model = make(n_clusters, random_state=seed)
        known = model.get_params()
        for name in self.parameters:
            # What is not there yet is off by nature.
            if name not in known and self.parameters[name] != OFF.get(name):
                raise ValueError(f"{self.estimator} has no parameter {name!r}")
        return model.set_params(
            **{name: v for name, v in self.parameters.items() if name in known}
        )


def _find(name: str) -> Any:
    """Import what a full name names."""
    module, _, attribute = name.rpartition(".")
    return getattr(import_module(module), attribute)


def paper_grid(problem: Problem) -> list[Parameters]:
    """Return the paper's values of alpha and beta, every other for many samples."""
    step = 2 if problem.is_large else 1
    return [
        {"alpha": alpha, "beta": beta}
        for alpha in np.arange(0, 0.31, 0.02).round(2).tolist()[::step]
        for beta in (2.0 ** np.arange(-8, 8)).tolist()[::-step]
    ]


def search_grid(problem: Problem) -> list[Parameters]:
    """Return what one would try who knows no label: fewer clusters, other spaces.

    Weights are in units of the total variance, which is what ``beta="auto"`` is.
    """
    k = problem.n_classes
    shares = (1.0,) if problem.is_large else (0.4, 0.6, 0.8, 1.0)
    counts = sorted({max(2, round(k * share)) for share in shares})
    unit = total_variance(problem.X, None)
    plain: list[Parameters] = [
        {"metric": "euclidean", "beta": share * unit} for share in (0.3, 1.0, 3.0)
    ]
    learned: list[Parameters] = [
        {"metric": "learned", "metric_params": {"form": form, "prior": prior}}
        for form in ("linear", "rbf")
        for prior in (3.0, 30.0)
    ]
    return [
        {"n_clusters": n_clusters, **extra}
        for n_clusters in counts
        for extra in (*plain, *learned)
    ]


def oracle_grid(problem: Problem) -> list[Parameters]:
    """Return the paper's grid, and all that the options of this package vary."""
    k = problem.n_classes
    shares = (1.0,) if problem.is_large else (0.4, 0.6, 0.8, 1.0)
    counts = sorted({max(2, round(k * share)) for share in shares})
    ridges = (0.02, 0.1) if problem.is_large else (0.01, 0.03, 0.1, 0.3)
    priors = (3.0,) if problem.is_large else (0.3, 1.0, 3.0, 10.0)
    literal = [{"metric": "euclidean", **point} for point in paper_grid(problem)]
    spread: list[Parameters] = [
        {"n_clusters": n_clusters, "metric": "euclidean", "propagate": strength}
        for n_clusters in counts
        for strength in (0.5, 0.8)
    ]
    learned: list[Parameters] = [
        {
            "n_clusters": n_clusters,
            "metric": "learned",
            "metric_params": {"form": form, "prior": prior, "ridge": ridge},
        }
        for n_clusters in counts
        for form in ("linear", "rbf")
        for prior in priors
        for ridge in ridges
    ]
    # With more doubt, or taught by what follows from the judgements, too.
    more: list[Parameters] = [
        {"n_clusters": n_clusters, "metric": "learned", **extra}
        for n_clusters in counts
        for form in ("linear", "rbf")
        for extra in (
            {"metric_params": {"form": form, "doubt": 0.2}},
            {"metric_params": {"form": form}, "propagate": "auto"},
        )
    ]
    if problem.is_large:
        return [*literal[::4], *learned]
    return [*literal, *spread, *learned, *more]


# The ingredients when they are off; a parameter that FDC does not have is off, too.
OFF: Parameters = {"propagate": False, "robust": False, "metric": "euclidean"}
# FDC with alpha = 0 and beta by the rule of scale: what each ingredient is added to.
BASE: Parameters = {"alpha": 0.0, "beta": "auto", **OFF}

# Shows whether a method can run, and tells one grid from another.
TINY = Problem(
    np.column_stack([np.arange(12.0), np.arange(12) % 5]),
    np.repeat([0, 1, 2], 4),
    PairSet([0, 4, 8], [1, 5, 0], [1.0, 0.5, -1.0], n_samples=12),
    seed=0,
)

FDC, PEERS = "fuzzypairs.FDC", "experiments.peers"

METHODS: dict[str, Method] = {
    "FCM": Method(
        "fuzzypairs.FuzzyCMeans",
        about="fuzzy c-means, which sees no judgement",
        judged=False,
    ),
    "PCCA": Method(
        "fuzzypairs.PCCA",
        {"beta": "auto"},
        "fuzzy c-means with must-links and cannot-links, eq. (4) of the paper",
    ),
    "PCK-means": Method(
        f"{PEERS}.PCKMeans",
        about="k-means with a fixed cost for each broken link",
    ),
    "MPCK-means": Method(
        f"{PEERS}.MPCKMeans",
        {"n_init": 5},
        "the same with weights of features learnt for each cluster",
    ),
    "MPCK-means single": Method(
        f"{PEERS}.MPCKMeans",
        {"metric": "single", "n_init": 5},
        "the same with weights of features learnt for all clusters together",
        on_curves=False,
    ),
    "FDC literal": Method(
        FDC,
        {**BASE, "beta": 1.0},
        "the paper's model with alpha = 0 and beta = 1",
    ),
    "FDC literal by truth": Method(
        FDC,
        {**BASE, "n_init": 3},
        "the best of the paper's grid of alpha and beta, chosen by the truth",
        grid=paper_grid,
        on_curves=False,
    ),
    "FDC base": Method(FDC, BASE, "alpha = 0, and beta the total variance of the data"),
    "+ alpha": Method(
        FDC, {**BASE, "alpha": "auto"}, "FDC base with the automatic alpha"
    ),
    "+ propagate": Method(
        FDC,
        {**BASE, "propagate": "auto"},
        "FDC base with judgements spread to neighbours",
    ),
    "+ metric": Method(
        FDC,
        {**BASE, "metric": "learned"},
        "FDC base with a metric learnt from judgements",
    ),
    "+ robust": Method(
        FDC,
        {**BASE, "robust": True},
        "FDC base with less weight for judgements that contradict the rest",
    ),
    "FDC": Method(
        FDC,
        about="all defaults: a learned space where held-out judgements confirm it",
    ),
    "FDC by held-out pairs": Method(
        FDC,
        {"n_init": 3},
        "number of clusters, beta and space chosen by held-out judgements, no labels",
        grid=search_grid,
        choice="pairs",
        on_curves=False,
    ),
    "FDC by truth": Method(
        FDC,
        {"n_init": 3},
        "the best of the paper's grid and of all options, chosen by the truth",
        grid=oracle_grid,
        on_curves=False,
    ),
}
