"""The methods of the experiment on judgements: one table, to be edited here alone."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from zlib import crc32

import numpy as np
from sklearn.base import clone

from experiments.peers import MPCKMeans, PCKMeans
from fuzzypairs import FDC, PCCA, FuzzyCMeans, GuidedFDC, PairSearchCV, PairSet
from fuzzypairs.criteria import normalized_ari

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
        Classes. Only a choice "by truth" uses them.
    pairs : PairSet
    seed : int
        Decides the starts.
    """

    X: np.ndarray
    y: np.ndarray
    pairs: PairSet
    seed: int

    @property
    def n_classes(self) -> int:
        """Number of classes, which all methods are given."""
        return len(np.unique(self.y))

    @property
    def is_large(self) -> bool:
        """Whether grids are thinned."""
        return len(self.X) > MANY_SAMPLES

    @property
    def counts(self) -> list[int]:
        """Numbers of clusters that grids vary, up to the number of classes."""
        shares = (1.0,) if self.is_large else (0.4, 0.6, 0.8, 1.0)
        return sorted({max(2, round(self.n_classes * share)) for share in shares})


@dataclass(frozen=True)
class Method:
    """An estimator, its parameters, and how the open ones are chosen.

    Attributes
    ----------
    estimator : type
        It is given the number of classes and a seed.
    parameters : dict
        What differs from its defaults.
    grid : callable, optional
        From a `Problem` to candidates, each a dict of parameters.
    choice : {"truth", "pairs"}
        How a candidate is chosen: by the best normalised ARI, a bound that needs the
        classes, or by `PairSearchCV`.
    judged : bool
        Whether it takes judgements.
    on_curves : bool
        Whether it is in the curves.
    """

    estimator: type[Any]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    grid: Grid | None = None
    choice: Literal["truth", "pairs"] = "truth"
    judged: bool = True
    on_curves: bool = True

    def describe(self) -> str:
        """Return all that decides its results: a changed method is run again."""
        parts = [f"{name}={value!r}" for name, value in self.parameters.items()]
        if self.grid is not None:
            # A checksum of the candidates, which are too many to list.
            checksum = crc32(repr(self.grid(TINY)).encode())
            parts.append(f"{self.grid.__name__} {checksum:08x} by {self.choice}")
        return f"{self.estimator.__name__}({', '.join(parts)})"

    def labels(self, problem: Problem) -> tuple[np.ndarray, Parameters]:
        """Fit a problem; return the clusters, and the candidate that was chosen."""
        model = self.estimator(
            problem.n_classes, random_state=problem.seed, **self.parameters
        )
        given = {"pairs": problem.pairs} if self.judged else {}
        if self.grid is None:
            return model.fit(problem.X, **given).labels_, {}
        candidates = self.grid(problem)
        if self.choice == "pairs":
            grid = [{name: [value] for name, value in c.items()} for c in candidates]
            search = PairSearchCV(model, grid, random_state=problem.seed)
            search.fit(problem.X, pairs=problem.pairs)
            return search.labels_, dict(search.best_params_)
        found = [
            clone(model).set_params(**candidate).fit(problem.X, **given).labels_
            for candidate in candidates
        ]
        scores = [normalized_ari(problem.y, labels) for labels in found]
        best = int(np.argmax(scores))
        return found[best], candidates[best]


def paper_grid(problem: Problem) -> list[Parameters]:
    """Return the paper's values of alpha and beta, every other for many samples."""
    step = 2 if problem.is_large else 1
    return [
        {"alpha": alpha, "beta": beta}
        for alpha in np.arange(0, 0.31, 0.02).round(2).tolist()[::step]
        for beta in (2.0 ** np.arange(-8, 8)).tolist()[::-step]
    ]


def search_grid(problem: Problem) -> list[Parameters]:
    """Return settings to try without labels: fewer clusters, other spaces.

    Weights are in units of the total variance, which is what ``beta="auto"`` is.
    """
    unit = float(problem.X.var(axis=0).sum())
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
        for n_clusters in problem.counts
        for extra in (*plain, *learned)
    ]


def oracle_grid(problem: Problem) -> list[Parameters]:
    """Return the paper's grid, and all that the options of this package vary."""
    counts = problem.counts
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
    # With more doubt, or learned from propagated judgements as well.
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


# FDC with alpha = 0 and the automatic beta: what each ingredient is added to.
BASE: Parameters = {"alpha": 0.0}

# Grids are compared by their candidates for it.
TINY = Problem(
    np.column_stack([np.arange(12.0), np.arange(12) % 5]),
    np.repeat([0, 1, 2], 4),
    PairSet([0, 4, 8], [1, 5, 0], [1.0, 0.5, -1.0], n_samples=12),
    seed=0,
)

# docs/judgements.md says what each row is.
METHODS: dict[str, Method] = {
    "FCM": Method(FuzzyCMeans, judged=False),
    "PCCA": Method(PCCA, {"beta": "auto"}),
    "PCK-means": Method(PCKMeans),
    "MPCK-means": Method(MPCKMeans, {"n_init": 5}),
    "MPCK-means single": Method(
        MPCKMeans, {"metric": "single", "n_init": 5}, on_curves=False
    ),
    "FDC literal": Method(FDC, {**BASE, "beta": 1.0}),
    "FDC literal by truth": Method(
        FDC, {**BASE, "n_init": 3}, grid=paper_grid, on_curves=False
    ),
    "FDC base": Method(FDC, BASE),
    "+ alpha": Method(FDC),
    "+ propagate": Method(FDC, {**BASE, "propagate": "auto"}),
    "+ metric": Method(FDC, {**BASE, "metric": "learned"}),
    "+ robust": Method(FDC, {**BASE, "robust": True}),
    "GuidedFDC": Method(GuidedFDC),
    "FDC by held-out pairs": Method(
        FDC, {"n_init": 3}, grid=search_grid, choice="pairs", on_curves=False
    ),
    "FDC by truth": Method(FDC, {"n_init": 3}, grid=oracle_grid, on_curves=False),
}
