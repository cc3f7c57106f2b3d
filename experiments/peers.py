"""PCK-means and MPCK-means: hard clusters under must-links and cannot-links."""

from abc import ABC, abstractmethod
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import check_array, check_random_state

from experiments.links import (
    Links,
    farthest_pair,
    link_costs,
    neighborhoods,
    relabel,
    unlike_all,
)
from experiments.prototypes import add_by_label, average, distances2, spread
from fuzzypairs import PairSet
from fuzzypairs.validation import check_choice, check_integer, check_number

__all__ = ["MPCKMeans", "PCKMeans"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# How far from the mean of the data prototypes begin under rest="mean", in standard
# deviations; the papers ask for "random perturbations" and name no size.
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
    rest: str
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

    @abstractmethod
    def _penalties(self, X: Floats, links: Links, A: Floats) -> tuple[Floats, Floats]:
        """Return `apart` and `together` of `experiments.links`."""

    @abstractmethod
    def _learn(
        self, X: Floats, links: Links, labels: Ints, C: Floats, A: Floats
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
        check_choice("rest", self.rest, ("spread", "mean"))
        self._check()
        n_init = check_integer("n_init", self.n_init, 1)
        rng = check_random_state(self.random_state)
        links = Links.of(judged)
        runs = (self._run(data, judged, links, k, rng) for _ in range(n_init))
        best = min(runs, key=lambda run: run.objective)
        self.objective_ = best.objective
        self.labels_ = best.labels
        self.cluster_centers_ = best.centers
        self.metric_weights_ = best.scales
        self.objective_history_ = np.array(best.history)
        self.n_iter_ = len(best.history)
        return self

    def _run(
        self,
        X: Floats,
        pairs: PairSet,
        links: Links,
        n_clusters: int,
        rng: np.random.RandomState,
    ) -> Run:
        """Alternate assignment and estimation until the objective settles."""
        C = self._start(X, pairs, links, n_clusters, rng)
        A = np.ones_like(C)
        labels: Ints | None = None
        history: list[float] = []
        for _ in range(check_integer("max_iter", self.max_iter, 1)):
            cost = self._costs(X, C, A)
            apart, together = self._penalties(X, links, A)
            labels = relabel(cost, links, apart, together, labels, rng)
            own = np.take_along_axis(cost, labels[:, None], axis=1).sum()
            history.append(
                float(own + link_costs(links, apart, together, labels).sum())
            )
            C = average(X, labels, C)
            A = self._learn(X, links, labels, C, A)
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
        n_rest = n_clusters - len(C)
        if self.rest == "spread":
            return spread(X, C, n_rest, rng)
        noise = rng.normal(size=(n_rest, X.shape[1]))
        return np.vstack([C, X.mean(axis=0) + PERTURBATION * X.std(axis=0) * noise])


class PCKMeans(LinkedKMeans):
    """Pairwise constrained k-means (PCK-means).

    Finds labels l and prototypes c that minimise

        1/2 sum_i |x_i - c_(l_i)|^2 + weight * sum_links |s| [the link is broken].

    Parameters
    ----------
    n_clusters : int, default=8
    weight : float >= 0 or "auto", default="auto"
        Cost of breaking a full judgement. "auto" is the total variance of X: the mean
        of |x_p - x_q|^2 / 2, MPCK-means' own cost of a must-link, over all pairs.
    rest : {"spread", "mean"}, default="spread"
        Where prototypes begin that have no neighbourhood: at samples drawn far from
        the others as in k-means++, or near the mean of the data as in [1]_.
    n_init : int, default=10
        Number of starts; the lowest objective is kept.
    max_iter : int, default=100
    tol : float, default=1e-6
        A run ends when the objective changes by less than this share of it.
    random_state : int, RandomState instance or None, default=None

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
    metric_weights_ : ndarray of shape (n_clusters, n_features)
        All 1.
    objective_ : float
    objective_history_ : ndarray of shape (n_iter_,)
        The objective after each assignment; it does not rise.
    n_iter_ : int

    Notes
    -----
    Prototypes begin at the means of the largest neighbourhoods, that is of samples
    joined by chains of must-links; then at a sample judged unlike some member of
    every neighbourhood, if there is one; then as `rest` says. Assignment goes over the
    linked samples in a random order until none moves, from the nearest prototypes at
    first. The paper weighs all links alike, here each counts by its |s|.

    References
    ----------
    .. [1] S. Basu, A. Banerjee, R. J. Mooney, "Active semi-supervision for pairwise
       constrained clustering", SIAM International Conference on Data Mining 2004.

    Examples
    --------
    >>> import numpy as np
    >>> from experiments.peers import PCKMeans
    >>> X = np.array([[0.0], [1.0], [4.9], [9.0], [10.0]])
    >>> model = PCKMeans(2, random_state=0).fit(X, pairs=[(2, 4, 1.0), (0, 4, -1.0)])
    >>> (model.labels_ == model.labels_[4]).tolist()
    [False, False, True, True, True]
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        weight: float | Literal["auto"] = "auto",
        rest: Literal["spread", "mean"] = "spread",
        n_init: int = 10,
        max_iter: int = 100,
        tol: float = 1e-6,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.weight = weight
        self.rest = rest
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _check(self) -> None:
        if self.weight != "auto":
            check_number("weight", self.weight, 0, words=("auto",))

    def _choose(self, means: Floats, sizes: Ints, n_clusters: int) -> Ints:
        return np.arange(n_clusters)  # the largest come first

    def _costs(self, X: Floats, C: Floats, A: Floats) -> Floats:
        return distances2(X, C, A) / 2

    def _penalties(self, X: Floats, links: Links, A: Floats) -> tuple[Floats, Floats]:
        unit = X.var(axis=0).sum() if self.weight == "auto" else self.weight
        table = np.tile((unit * links.weight)[:, None], len(A))
        must = links.must[:, None]
        # Two halves: each end of a broken must-link charges its own.
        return np.where(must, table / 2, 0), np.where(must, 0, table)

    def _learn(
        self, X: Floats, links: Links, labels: Ints, C: Floats, A: Floats
    ) -> Floats:
        return A


class MPCKMeans(LinkedKMeans):
    """Metric pairwise constrained k-means (MPCK-means), with diagonal metrics.

    Finds labels l, prototypes c and weights of features A_h > 0 that minimise

        sum_i |x_i - c_(l_i)|^2_(l_i) - log det A_(l_i)
            + weight * sum_must |s| [l_p != l_q] (|x_p - x_q|^2_(l_p)
                                                  + |x_p - x_q|^2_(l_q)) / 2
            + weight * sum_cannot |s| [l_p == l_q] (f_(l_p) - |x_p - x_q|^2_(l_p)),

    where |x|^2_h = x' A_h x and f_h is the largest |x_p - x_q|^2_h of all samples.

    Parameters
    ----------
    n_clusters : int, default=8
    weight : float >= 0, default=1.0
        Weight of the links.
    metric : {"cluster", "single"}, default="cluster"
        Weights of features for each cluster, or one for all.
    floor : float > 0, default=0.01
        The least variance that a feature may have in a cluster, as a share of its
        variance in X. It bounds the weights where a cluster is flat, or where
        cannot-links make a variance negative.
    rest, n_init, max_iter, tol, random_state
        See `PCKMeans`.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
    metric_weights_ : ndarray of shape (n_clusters, n_features)
        The diagonals of A_h.
    objective_ : float
    objective_history_ : ndarray of shape (n_iter_,)
        The objective after each assignment. It may rise: a new metric has another
        farthest pair.
    n_iter_ : int

    Notes
    -----
    For fixed labels and farthest pairs (x', x'') the weights have the closed form

        1 / a_hf = [ sum_(i in h) (x_if - c_hf)^2 + sum_must |s| (x_pf - x_qf)^2 / 2
                     + sum_cannot |s| ((x'_f - x''_f)^2 - (x_pf - x_qf)^2) ] / n_h

    over the broken links with a sample in h. Where neighbourhoods are many, prototypes
    begin at those that a farthest-first walk meets, distances multiplied by sizes.

    References
    ----------
    .. [1] M. Bilenko, S. Basu, R. J. Mooney, "Integrating constraints and metric
       learning in semi-supervised clustering", International Conference on Machine
       Learning 2004.

    Examples
    --------
    >>> import numpy as np
    >>> from experiments.peers import MPCKMeans
    >>> X = np.array([[0.0, 0], [0.2, 8], [0.1, 4], [3.0, 1], [3.1, 9], [2.9, 5]])
    >>> pairs = [(0, 1, 1.0), (3, 4, 1.0), (0, 3, -1.0)]
    >>> model = MPCKMeans(2, random_state=0).fit(X, pairs=pairs)
    >>> (model.labels_ == model.labels_[0]).tolist()
    [True, True, True, False, False, False]
    >>> bool((model.metric_weights_[:, 0] > model.metric_weights_[:, 1]).all())
    True
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        weight: float = 1.0,
        metric: Literal["cluster", "single"] = "cluster",
        floor: float = 0.01,
        rest: Literal["spread", "mean"] = "spread",
        n_init: int = 10,
        max_iter: int = 100,
        tol: float = 1e-6,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.weight = weight
        self.metric = metric
        self.floor = floor
        self.rest = rest
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _check(self) -> None:
        check_number("weight", self.weight, 0)
        check_choice("metric", self.metric, ("cluster", "single"))
        check_number("floor", self.floor, np.finfo(float).tiny)

    def _choose(self, means: Floats, sizes: Ints, n_clusters: int) -> Ints:
        chosen = [0]  # the largest comes first
        gap = np.full(len(means), np.inf)
        while len(chosen) < n_clusters:
            step = np.sqrt(((means - means[chosen[-1]]) ** 2).sum(axis=1))
            gap = np.minimum(gap, step * sizes)
            gap[chosen] = -1.0  # also where neighbourhoods coincide
            chosen.append(int(gap.argmax()))
        return np.array(chosen)

    def _costs(self, X: Floats, C: Floats, A: Floats) -> Floats:
        costs: Floats = distances2(X, C, A) - np.log(A).sum(axis=1)
        return costs

    def _penalties(self, X: Floats, links: Links, A: Floats) -> tuple[Floats, Floats]:
        gap2 = (X[links.i] - X[links.j]) ** 2 @ A.T
        reach2 = (self._reach2(X, A) * A).sum(axis=1)
        must, weight = links.must[:, None], self.weight * links.weight[:, None]
        return (
            np.where(must, weight * gap2 / 2, 0),
            np.where(must, 0, weight * (reach2 - gap2)),
        )

    def _learn(
        self, X: Floats, links: Links, labels: Ints, C: Floats, A: Floats
    ) -> Floats:
        k = len(C)
        sizes = np.bincount(labels, minlength=k).astype(float)
        scatter = add_by_label((X - C[labels]) ** 2, labels, k)
        g, h = labels[links.i], labels[links.j]
        gap2 = self.weight * links.weight[:, None] * (X[links.i] - X[links.j]) ** 2
        torn = links.must & (g != h)
        for end in (g, h):
            scatter += add_by_label(gap2[torn] / 2, end[torn], k)
        tied = ~links.must & (g == h)
        strength = np.bincount(g[tied], links.weight[tied], minlength=k)
        scatter += self.weight * strength[:, None] * self._reach2(X, A)
        scatter -= add_by_label(gap2[tied], g[tied], k)
        if self.metric == "single":
            variance = np.tile(scatter.sum(axis=0) / len(X), (k, 1))
        else:
            # A cluster without samples keeps its metric, as it keeps its prototype.
            size = np.maximum(sizes, 1)[:, None]
            variance = np.where(sizes[:, None] > 0, scatter / size, 1 / A)
        whole = X.var(axis=0)
        # A feature that is constant in all of X tells nothing, whatever its weight.
        least = np.where(whole > 0, self.floor * whole, 1.0)
        weights: Floats = 1 / np.maximum(variance, least)
        return weights

    def _reach2(self, X: Floats, A: Floats) -> Floats:
        """Return (x' - x'')^2 by feature for the farthest pair of each metric."""
        metrics = A[:1] if self.metric == "single" else A
        ends = np.array([farthest_pair(X * np.sqrt(weights)) for weights in metrics])
        reach2 = (X[ends[:, 0]] - X[ends[:, 1]]) ** 2
        return np.broadcast_to(reach2, A.shape)


def _has_settled(history: list[float], tol: float) -> bool:
    before, now = history[-2:]
    return abs(before - now) <= tol * abs(before)
