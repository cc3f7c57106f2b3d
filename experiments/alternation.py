"""Assignment and estimation in turn: what PCK-means and MPCK-means share."""

from abc import ABC, abstractmethod
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import kmeans_plusplus
from sklearn.utils import check_array, check_random_state

from experiments.constraints import (
    Links,
    link_costs,
    neighborhoods,
    relabel,
    unlike_all,
)
from experiments.prototypes import average
from fuzzypairs import PairSet
from fuzzypairs._typing import Floats, Ints
from fuzzypairs.validation import check_integer

__all__ = ["LinkedKMeans"]


# How far from the mean of the data prototypes begin that have no neighbourhood, in
# standard deviations; the papers ask for "random perturbations" and name no size.
PERTURBATION = 0.1


class Run(NamedTuple):
    """What one start led to."""

    objective: float
    labels: Ints
    centers: Floats
    scales: Floats
    history: list[float]


class LinkedKMeans(ClusterMixin, BaseEstimator, ABC):
    """What PCK-means and MPCK-means share: starts, and steps in turn.

    A method says what a sample costs in a cluster, what its links cost, how the first
    prototypes are chosen among many neighbourhoods, and what it learns between steps.
    """

    n_clusters: int
    n_init: int
    max_iter: int
    tol: float
    random_state: Any

    @abstractmethod
    def _check(self) -> None:
        """Check the parameters of this method alone."""

    @abstractmethod
    def _choose(self, means: Floats, sizes: Ints, n_clusters: int) -> Ints:
        """Choose neighbourhoods to begin with; they come by falling size."""

    @abstractmethod
    def _costs(self, X: Floats, C: Floats, A: Floats) -> Floats:
        """Return what samples cost in clusters, links left out."""

    def _reach2(self, X: Floats, A: Floats) -> Floats:
        """Return (x' - x'')^2 by feature for the farthest pair of each metric.

        Nothing but 0 for a method that does not ask for it.
        """
        return np.zeros_like(A)

    @abstractmethod
    def _penalties(
        self, X: Floats, links: Links, A: Floats, reach2: Floats
    ) -> tuple[Floats, Floats]:
        """Return `apart` and `together` of `experiments.constraints`."""

    @abstractmethod
    def _learn(
        self,
        X: Floats,
        links: Links,
        labels: Ints,
        C: Floats,
        A: Floats,
        reach2: Floats,
    ) -> Floats:
        """Return new weights of features, shape (n_clusters, n_features)."""

    def fit(self, X: ArrayLike, y: object = None, *, pairs: Any = None) -> Self:
        """Find clusters of X under the judgements `pairs`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored
        pairs : PairSet or what `PairSet.coerce` accepts, default=None
            The sign tells must-links from cannot-links, |s| is their weight.

        Returns
        -------
        self : object
        """
        data: Floats = check_array(X, dtype=np.float64, input_name="X")
        judged = PairSet.coerce(pairs, n_samples=len(data)).informative
        k = check_integer("n_clusters", self.n_clusters, 1)
        if k > len(data):
            raise ValueError(
                f"n_clusters is {k} but X has {len(data)} rows; ask for fewer clusters"
            )
        self._check()
        n_init = check_integer("n_init", self.n_init, 1)
        rng = check_random_state(self.random_state)
        links = Links.of(judged)
        # The paper's start, and others: its neighbourhoods may all be of one class.
        starts = (
            kmeans_plusplus(data, k, random_state=rng)[0]
            if number
            else self._start(data, judged, links, k, rng)
            for number in range(n_init)
        )
        runs = (self._run(data, links, C, rng) for C in starts)
        best = min(runs, key=lambda run: run.objective)
        self.objective_ = best.objective
        self.labels_ = best.labels
        self.cluster_centers_ = best.centers
        self.metric_weights_ = best.scales
        self.objective_history_ = np.array(best.history)
        self.n_iter_ = len(best.history)
        return self

    def _run(
        self, X: Floats, links: Links, C: Floats, rng: np.random.RandomState
    ) -> Run:
        """Alternate assignment and estimation until the objective settles."""
        A = np.ones_like(C)
        labels: Ints | None = None
        history: list[float] = []
        for _ in range(check_integer("max_iter", self.max_iter, 1)):
            cost = self._costs(X, C, A)
            reach2 = self._reach2(X, A)
            apart, together = self._penalties(X, links, A, reach2)
            labels = relabel(cost, links, apart, together, labels, rng)
            own = np.take_along_axis(cost, labels[:, None], axis=1).sum()
            history.append(
                float(own + link_costs(links, apart, together, labels).sum())
            )
            C = average(X, labels, C)
            A = self._learn(X, links, labels, C, A, reach2)
            if len(history) > 1 and _has_settled(history, self.tol):
                break
        assert labels is not None
        return Run(history[-1], labels, C, A, history)

    def _start(
        self,
        X: Floats,
        pairs: PairSet,
        links: Links,
        n_clusters: int,
        rng: np.random.RandomState,
    ) -> Floats:
        """Begin at the means of neighbourhoods, and elsewhere if these are few."""
        groups = neighborhoods(pairs)
        means = np.array([X[group].mean(axis=0) for group in groups])
        sizes = np.array([len(group) for group in groups])
        if len(groups) >= n_clusters:
            return means[self._choose(means, sizes, n_clusters)]
        C = means.reshape(-1, X.shape[1])
        outside = unlike_all(links, groups)
        if outside:
            C = np.vstack([C, X[rng.choice(outside)]])
        noise = rng.normal(size=(n_clusters - len(C), X.shape[1]))
        return np.vstack([C, X.mean(axis=0) + PERTURBATION * X.std(axis=0) * noise])


def _has_settled(history: list[float], tol: float) -> bool:
    before, now = history[-2:]
    return abs(before - now) <= tol * abs(before)
