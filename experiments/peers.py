"""PCK-means and MPCK-means: hard clusters under must-links and cannot-links."""

from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import kmeans_plusplus
from sklearn.utils import check_array, check_random_state

from experiments.constraints import (
    Links,
    farthest_pair,
    link_costs,
    neighborhoods,
    relabel,
    unlike_all,
)
from fuzzypairs import PairSet

__all__ = ["MPCKMeans", "PCKMeans"]

# How far from the mean of the data prototypes without a neighbourhood start, in
# standard deviations; the papers ask for "random perturbations" and name no size.
PERTURBATION = 0.1


class Run(NamedTuple):
    """What one start led to."""

    objective: float
    labels: np.ndarray
    centers: np.ndarray
    metrics: np.ndarray
    history: list[float]


class PCKMeans(ClusterMixin, BaseEstimator):
    """Pairwise constrained k-means (PCK-means).

    Finds labels l and prototypes c that minimise

        1/2 sum_i |x_i - c_(l_i)|^2 + weight * sum_links |s| [the link is broken].

    Parameters
    ----------
    n_clusters : int, default=8
    weight : float >= 0 or "auto", default="auto"
        Cost of breaking a full judgement. "auto" is the total variance of X: the mean
        of |x_p - x_q|^2 / 2, MPCK-means' own cost of a must-link, over all pairs.
    n_init : int, default=10
        Number of starts; the lowest objective is kept. The first is the paper's, the
        others are by k-means++.
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
    In the paper's start prototypes are the means of the largest neighbourhoods, that
    is of samples joined by chains of must-links; then a sample judged unlike some
    member of every neighbourhood, if there is one; then places at random near the mean
    of the data. With many judgements of random pairs the largest neighbourhoods are
    often of one class, and the start is then a bad one: hence the others.

    Assignment goes over the linked samples in a random order until none moves, from
    the nearest prototypes at first. The paper weighs all links alike, here each counts
    by its |s|.

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
        n_init: int = 10,
        max_iter: int = 100,
        tol: float = 1e-6,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.weight = weight
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: object = None, *, pairs: Any = None) -> Self:
        """Find clusters of X under the judgements `pairs`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored
        pairs : PairSet or what `PairSet.coerce` accepts, default=None
            Alike ones are must-links, unlike ones cannot-links, |s| is their weight.

        Returns
        -------
        self : object
        """
        data: np.ndarray = check_array(X, dtype=np.float64, input_name="X")
        judged = PairSet.coerce(pairs, n_samples=len(data)).informative
        k = self.n_clusters
        if k > len(data):
            raise ValueError(
                f"n_clusters is {k} but X has {len(data)} rows; ask for fewer clusters"
            )
        if self.weight != "auto" and not self.weight >= 0:
            raise ValueError(f"weight must be 0 or more, got {self.weight}")
        rng = check_random_state(self.random_state)
        links = Links.of(judged)
        # The paper's start, and others: its neighbourhoods may all be of one class.
        starts = (
            kmeans_plusplus(data, k, random_state=rng)[0]
            if number
            else self._start(data, judged, links, k, rng)
            for number in range(self.n_init)
        )
        runs = (self._run(data, links, C, rng) for C in starts)
        best = min(runs, key=lambda run: run.objective)
        self.objective_ = best.objective
        self.labels_ = best.labels
        self.cluster_centers_ = best.centers
        self.metric_weights_ = best.metrics
        self.objective_history_ = np.array(best.history)
        self.n_iter_ = len(best.history)
        return self

    def _run(
        self, X: np.ndarray, links: Links, C: np.ndarray, rng: np.random.RandomState
    ) -> Run:
        """Alternate assignment and estimation until the objective settles."""
        A = np.ones_like(C)
        labels: np.ndarray | None = None
        history: list[float] = []
        for _ in range(self.max_iter):
            cost = self._costs(X, C, A)
            farthest2 = self._farthest2(X, A)
            apart, together = self._penalties(X, links, A, farthest2)
            labels = relabel(cost, links, apart, together, labels, rng)
            own = np.take_along_axis(cost, labels[:, None], axis=1).sum()
            broken = link_costs(links, apart, together, labels).sum()
            history.append(float(own + broken))
            C = average(X, labels, C)
            A = self._learn(X, links, labels, C, A, farthest2)
            if len(history) > 1:
                before, now = history[-2:]
                if abs(before - now) <= self.tol * abs(before):
                    break
        assert labels is not None
        return Run(history[-1], labels, C, A, history)

    def _start(
        self,
        X: np.ndarray,
        pairs: PairSet,
        links: Links,
        n_clusters: int,
        rng: np.random.RandomState,
    ) -> np.ndarray:
        """Start from the means of neighbourhoods, and elsewhere if these are few."""
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

    def _choose(
        self, means: np.ndarray, sizes: np.ndarray, n_clusters: int
    ) -> np.ndarray:
        """Choose neighbourhoods to start from; they come by falling size."""
        return np.arange(n_clusters)

    def _costs(self, X: np.ndarray, C: np.ndarray, A: np.ndarray) -> np.ndarray:
        """Return what samples cost in clusters, links left out."""
        return distances2(X, C, A) / 2

    def _farthest2(self, X: np.ndarray, A: np.ndarray) -> np.ndarray:
        """Return (x' - x'')^2 by feature for the farthest pair of each metric."""
        return np.zeros_like(A)  # has no part in this objective

    def _penalties(
        self, X: np.ndarray, links: Links, A: np.ndarray, farthest2: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return `apart` and `together` of `experiments.constraints`."""
        unit = X.var(axis=0).sum() if self.weight == "auto" else self.weight
        table = np.tile((unit * links.weight)[:, None], len(A))
        must = links.must[:, None]
        # Two halves: each end of a broken must-link charges its own.
        return np.where(must, table / 2, 0), np.where(must, 0, table)

    def _learn(
        self,
        X: np.ndarray,
        links: Links,
        labels: np.ndarray,
        C: np.ndarray,
        A: np.ndarray,
        farthest2: np.ndarray,
    ) -> np.ndarray:
        """Return new weights of features, shape (n_clusters, n_features)."""
        return A


class MPCKMeans(PCKMeans):
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
    floor : float > 0, default=0.1
        The least variance that a feature may have in a cluster, as a share of its
        variance in X. It bounds the weights where a cluster is flat, or where
        cannot-links make a variance negative.
    n_init, max_iter, random_state
        See `PCKMeans`.
    tol : float, default=1e-4
        See `PCKMeans`; with less a run may cycle, as the objective can rise.

    Attributes
    ----------
    metric_weights_ : ndarray of shape (n_clusters, n_features)
        The diagonals of A_h.
    objective_history_ : ndarray of shape (n_iter_,)
        The objective after each assignment. It may rise: a new metric has another
        farthest pair.
    labels_, cluster_centers_, objective_, n_iter_
        See `PCKMeans`.

    Notes
    -----
    For fixed labels and farthest pairs (x', x'') the weights have the closed form

        1 / a_hf = [ sum_(i in h) (x_if - c_hf)^2 + sum_must |s| (x_pf - x_qf)^2 / 2
                     + sum_cannot |s| ((x'_f - x''_f)^2 - (x_pf - x_qf)^2) ] / n_h

    over the broken links with a sample in h. Where neighbourhoods are many, prototypes
    start at those of a farthest-first traversal, distances multiplied by sizes.

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
        floor: float = 0.1,
        n_init: int = 10,
        max_iter: int = 100,
        tol: float = 1e-4,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        super().__init__(
            n_clusters,
            weight=weight,
            n_init=n_init,
            max_iter=max_iter,
            tol=tol,
            random_state=random_state,
        )
        self.metric = metric
        self.floor = floor

    def _choose(
        self, means: np.ndarray, sizes: np.ndarray, n_clusters: int
    ) -> np.ndarray:
        chosen = [0]  # the largest comes first
        gap = np.full(len(means), np.inf)
        while len(chosen) < n_clusters:
            step = np.sqrt(((means - means[chosen[-1]]) ** 2).sum(axis=1))
            gap = np.minimum(gap, step * sizes)
            gap[chosen] = -1.0  # also where neighbourhoods coincide
            chosen.append(int(gap.argmax()))
        return np.array(chosen)

    def _costs(self, X: np.ndarray, C: np.ndarray, A: np.ndarray) -> np.ndarray:
        return distances2(X, C, A) - np.log(A).sum(axis=1)

    def _farthest2(self, X: np.ndarray, A: np.ndarray) -> np.ndarray:
        metrics = A[:1] if self.metric == "single" else A
        ends = np.array([farthest_pair(X * np.sqrt(weights)) for weights in metrics])
        farthest2 = (X[ends[:, 0]] - X[ends[:, 1]]) ** 2
        return np.broadcast_to(farthest2, A.shape)

    def _penalties(
        self, X: np.ndarray, links: Links, A: np.ndarray, farthest2: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        gap2 = (X[links.i] - X[links.j]) ** 2 @ A.T
        most = (farthest2 * A).sum(axis=1)
        must, weight = links.must[:, None], self.weight * links.weight[:, None]
        return (
            np.where(must, weight * gap2 / 2, 0),
            np.where(must, 0, weight * (most - gap2)),
        )

    def _learn(
        self,
        X: np.ndarray,
        links: Links,
        labels: np.ndarray,
        C: np.ndarray,
        A: np.ndarray,
        farthest2: np.ndarray,
    ) -> np.ndarray:
        k = len(C)
        sizes = np.bincount(labels, minlength=k)[:, None]
        scatter = add_by_label((X - C[labels]) ** 2, labels, k)
        g, h = labels[links.i], labels[links.j]
        gap2 = self.weight * links.weight[:, None] * (X[links.i] - X[links.j]) ** 2
        parted = links.must & (g != h)
        for end in (g, h):
            scatter += add_by_label(gap2[parted] / 2, end[parted], k)
        joined = ~links.must & (g == h)
        strength = np.bincount(g[joined], links.weight[joined], minlength=k)
        scatter += self.weight * strength[:, None] * farthest2
        scatter -= add_by_label(gap2[joined], g[joined], k)
        if self.metric == "single":
            variance = np.tile(scatter.sum(axis=0) / len(X), (k, 1))
        else:
            # A cluster without samples keeps its metric, as it keeps its prototype.
            variance = np.where(sizes > 0, scatter / np.maximum(sizes, 1), 1 / A)
        whole = X.var(axis=0)
        # The weight of a feature that is constant in all of X does not matter.
        least = np.where(whole > 0, self.floor * whole, 1.0)
        return 1 / np.maximum(variance, least)


def distances2(X: np.ndarray, C: np.ndarray, A: np.ndarray) -> np.ndarray:
    """Return sum_f a_hf (x_if - c_hf)^2, shape (n_samples, n_clusters)."""
    square = X**2 @ A.T - 2 * X @ (A * C).T + (A * C**2).sum(axis=1)
    return np.maximum(square, 0.0)  # the expansion may round to less


def average(X: np.ndarray, labels: np.ndarray, C: np.ndarray) -> np.ndarray:
    """Return the means of the clusters; one without samples stays where it is."""
    sizes = np.bincount(labels, minlength=len(C))[:, None]
    means = add_by_label(X, labels, len(C)) / np.maximum(sizes, 1)
    return np.where(sizes > 0, means, C)


def add_by_label(rows: np.ndarray, labels: np.ndarray, n_clusters: int) -> np.ndarray:
    """Add up the rows of each cluster, shape (n_clusters, n_features)."""
    columns = [np.bincount(labels, column, minlength=n_clusters) for column in rows.T]
    return np.column_stack(columns)
