"""PCK-means and MPCK-means: hard clusters under must-links and cannot-links."""

from typing import Literal

import numpy as np

from experiments.alternation import LinkedKMeans
from experiments.constraints import Links, farthest_pair
from experiments.prototypes import add_by_label, distances2
from fuzzypairs._typing import Floats, Ints
from fuzzypairs.validation import check_choice, check_number

__all__ = ["MPCKMeans", "PCKMeans"]


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

    def _check(self) -> None:
        if self.weight != "auto":
            check_number("weight", self.weight, 0, words=("auto",))

    def _choose(self, means: Floats, sizes: Ints, n_clusters: int) -> Ints:
        return np.arange(n_clusters)  # the largest come first

    def _costs(self, X: Floats, C: Floats, A: Floats) -> Floats:
        return distances2(X, C, A) / 2

    def _penalties(
        self, X: Floats, links: Links, A: Floats, reach2: Floats
    ) -> tuple[Floats, Floats]:
        unit = X.var(axis=0).sum() if self.weight == "auto" else self.weight
        table = np.tile((unit * links.weight)[:, None], len(A))
        must = links.must[:, None]
        # Two halves: each end of a broken must-link charges its own.
        return np.where(must, table / 2, 0), np.where(must, 0, table)

    def _learn(
        self,
        X: Floats,
        links: Links,
        labels: Ints,
        C: Floats,
        A: Floats,
        reach2: Floats,
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
    floor : float > 0, default=0.1
        The least variance that a feature may have in a cluster, as a share of its
        variance in X. It bounds the weights where a cluster is flat, or where
        cannot-links make a variance negative.
    n_init, max_iter, random_state
        See `PCKMeans`.
    tol : float, default=1e-4
        See `PCKMeans`; less, and a run may end in a circle, as the objective can rise.

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
        floor: float = 0.1,
        n_init: int = 10,
        max_iter: int = 100,
        tol: float = 1e-4,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.weight = weight
        self.metric = metric
        self.floor = floor
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

    def _penalties(
        self, X: Floats, links: Links, A: Floats, reach2: Floats
    ) -> tuple[Floats, Floats]:
        gap2 = (X[links.i] - X[links.j]) ** 2 @ A.T
        farthest2 = (reach2 * A).sum(axis=1)
        must, weight = links.must[:, None], self.weight * links.weight[:, None]
        return (
            np.where(must, weight * gap2 / 2, 0),
            np.where(must, 0, weight * (farthest2 - gap2)),
        )

    def _learn(
        self,
        X: Floats,
        links: Links,
        labels: Ints,
        C: Floats,
        A: Floats,
        reach2: Floats,
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
        scatter += self.weight * strength[:, None] * reach2
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
        metrics = A[:1] if self.metric == "single" else A
        ends = np.array([farthest_pair(X * np.sqrt(weights)) for weights in metrics])
        reach2 = (X[ends[:, 0]] - X[ends[:, 1]]) ** 2
        return np.broadcast_to(reach2, A.shape)
