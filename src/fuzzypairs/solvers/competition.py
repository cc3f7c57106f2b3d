"""Competitive agglomeration under must-links and cannot-links: PCCA's own loop."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.spatial.distance import cdist

from fuzzypairs._typing import Floats

__all__ = ["CompetitionResult", "agglomerate"]

Ints = NDArray[np.integer]
Links = sparse.csr_array

# Steps without competition, for prototypes to find places worth competing for.
WARM_UP = 3
# Squared distances below this share of their mean count as that: a sample on a
# prototype gets the limit, without a division by zero.
NEAREST = 1e-12
# Clusters of fewer samples than this are empty, and have no prototype.
EMPTY = 1e-12
# The share of an even part of the samples that a cluster needs to survive.
SURVIVAL = 0.15


@dataclass(frozen=True, slots=True)
class CompetitionResult:
    """Where the competition ended, and how.

    Attributes
    ----------
    memberships : ndarray of shape (n_samples, n_clusters)
        Of the clusters that survived; rows are >= 0 and sum to 1.
    centers : ndarray of shape (n_clusters, n_features)
        The prototypes of these memberships.
    objective_history : ndarray of shape (n_iter,)
        J at the beginning of each step, with the weights of that step. The weights
        change and the step is a heuristic: it may rise.
    n_clusters_history : ndarray of shape (n_iter,)
        Number of clusters at the beginning of each step.
    n_iter : int
        Number of steps.
    converged : bool
        Whether it ended by `tol`.
    """

    memberships: Floats
    centers: Floats
    objective_history: Floats
    n_clusters_history: NDArray[np.intp]
    n_iter: int
    converged: bool


def agglomerate(
    X: Floats,
    U: Floats,
    must: Ints,
    cannot: Ints,
    *,
    sample_weight: Floats | None = None,
    constraint_multiplier: float = 1.0,
    eta0: float = 5.0,
    tau: float = 10.0,
    peak: float | None = None,
    min_cardinality: float | None = None,
    max_iter: int = 300,
    tol: float = 1e-4,
    pair_weight: Floats | None = None,
) -> CompetitionResult:
    """Let clusters compete for samples until those with too few have died out.

    Looks for a stationary point, over U >= 0 with rows of sum 1 and prototypes C, of

        J = sum_ij u_ij^2 |x_i - c_j|^2
            + b * [sum_must (1 - u_p.u_q) + sum_cannot u_p.u_q]
            - e * sum_j (sum_i u_ij)^2,

    where b makes the constraints weigh like the distances, and e, which fades, makes
    large clusters grow at the cost of small ones.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Data.
    U : ndarray of shape (n_samples, n_clusters)
        Memberships to begin with, of more clusters than are expected.
    must, cannot : ndarray of shape (n_must, 2) and (n_cannot, 2)
        Pairs of samples to be together, and to be apart; each pair once, in either
        order, and no sample with itself.
    sample_weight : ndarray of shape (n_samples,), default=None
        Weights of the samples in distances and cardinalities. A weight of 0 leaves
        out the sample and its pairs; it still gets the memberships of its place.
    constraint_multiplier : float, default=1.0
        Factor of b.
    eta0, tau : float, default=5.0, 10.0
        At step t the competition has the strength ``eta0 * exp(-t / tau)``.
    peak : float, default=None
        Or ``eta0 * exp(-abs(t - peak) / tau)``; 2.5, 10 and 25 go together well.
    min_cardinality : float, default=None
        Clusters with fewer samples, sum_i u_ij, are dropped. None takes 0.15 of an
        even share of the samples among the clusters of `U`, but at least 1.
    max_iter : int, default=300
        The most steps.
    tol : float, default=1e-4
        It ends when no membership changes by more, and no cluster was dropped.
    pair_weight : ndarray of shape (n_must + n_cannot,), default=None
        Degrees of the pairs, those of `must` first.

    Returns
    -------
    CompetitionResult

    Notes
    -----
    At step t, with N_j = sum_i u_ij and d_ij = |x_i - c_j|^2,

        b = constraint_multiplier * n_samples / n_pairs * sum u^2 d / sum u^2,
        e = eta(t) * (sum u^2 d + b * [...]) / sum_j N_j^2, and 0 in the first steps.

    All rows move at once, each to the stationary point for the others as they were;
    negative entries are clipped. That is the method of [1]_, after [2]_; the
    constants and the first steps without competition are ours. J may rise, and the
    loop may never end by itself: once b outweighs their distances, two samples to be
    apart change clusters together for ever, and two to be together swap theirs. Few
    pairs make a large b: lower `constraint_multiplier` then. Begun at the true number
    of clusters, the competition goes on to one.

    References
    ----------
    .. [1] N. Grira, M. Crucianu, N. Boujemaa, "Semi-Supervised Fuzzy Clustering with
       Pairwise-Constrained Competitive Agglomeration", FUZZ-IEEE 2005, pp. 867-872.
    .. [2] H. Frigui, R. Krishnapuram, "Clustering by Competitive Agglomeration",
       Pattern Recognition, 1997.

    Examples
    --------
    Two groups, and six clusters to begin with:

    >>> import numpy as np
    >>> from fuzzypairs.solvers.competition import agglomerate
    >>> rng = np.random.default_rng(0)
    >>> X = np.repeat([[0.0, 0.0], [9.0, 9.0]], 50, axis=0) + rng.normal(size=(100, 2))
    >>> U = rng.dirichlet(np.ones(6), size=100)
    >>> none = np.empty((0, 2), dtype=int)
    >>> result = agglomerate(X, U, none, none)
    >>> result.centers.shape, result.converged
    ((2, 2), True)
    """
    weight = np.ones(len(X)) if sample_weight is None else sample_weight
    total = float(weight.sum())
    if min_cardinality is None:
        min_cardinality = max(1.0, SURVIVAL * total / U.shape[1])
    links, n_pairs, at_stake = join(must, cannot, pair_weight, weight)
    U = drop_small(U, weight, 0.0)
    objectives: list[float] = []
    counts: list[int] = []
    converged = False
    while not converged and len(counts) < max_iter:
        t = len(counts)
        dist2 = distances(X, prototypes(X, U, weight))
        pull = links @ U
        spread = float(weight @ (U**2 * dist2).sum(axis=1))
        violation = at_stake - 0.5 * float((U * pull).sum())
        cardinality = weight @ U
        crowding = float(cardinality @ cardinality)
        b = e = 0.0
        if n_pairs:
            variance = spread / float(weight @ (U**2).sum(axis=1))
            b = constraint_multiplier * total / n_pairs * variance
        if t >= WARM_UP:
            eta = eta0 * np.exp(-(t if peak is None else abs(t - peak)) / tau)
            e = eta * (spread + b * violation) / crowding
        objectives.append(spread + b * violation - e * crowding)
        counts.append(U.shape[1])
        raw = stationary(dist2, pull, cardinality, weight, b, e)
        moved = drop_small(to_simplex(raw), weight, min_cardinality)
        # Not before the competition began, or a start at rest would never see it.
        converged = t >= WARM_UP and moved.shape == U.shape
        converged = converged and float(np.abs(moved - U).max()) < tol
        U = moved
    return CompetitionResult(
        memberships=U,
        centers=prototypes(X, U, weight),
        objective_history=np.array(objectives),
        n_clusters_history=np.array(counts, dtype=np.intp),
        n_iter=len(counts),
        converged=converged,
    )


def join(
    must: Ints, cannot: Ints, pair_weight: Floats | None, weight: Floats
) -> tuple[Links, int, float]:
    """Return the signed links, the number of pairs, and the weight of the must-links.

    The matrix L of shape (n_samples, n_samples) is symmetric, with positive entries
    for must-links and negative ones for cannot-links. Every pair is in it twice, so
    that row p of L @ U sums over the partners of p, and sum(U * (L @ U)) / 2 counts
    each pair once.
    """
    sign = np.repeat([1.0, -1.0], [len(must), len(cannot)])
    strength = sign if pair_weight is None else sign * pair_weight
    ends = np.concatenate([must.reshape(-1, 2), cannot.reshape(-1, 2)])
    present = (weight[ends] > 0.0).all(axis=1)
    (p, q), strength = ends[present].T, strength[present]
    both = np.concatenate([p, q]), np.concatenate([q, p])
    shape = (len(weight), len(weight))
    links = sparse.coo_array((np.tile(strength, 2), both), shape).tocsr()
    return links, len(p), float(strength[strength > 0.0].sum())


def prototypes(X: Floats, U: Floats, weight: Floats) -> Floats:
    """Return the means of X by squared memberships, shape (n_clusters, n_features)."""
    share = U**2 * weight[:, None]
    share /= share.sum(axis=0)
    return np.asarray(share.T @ X)


def distances(X: Floats, C: Floats) -> Floats:
    """Return squared distances to the prototypes, none of them zero."""
    dist2: Floats = cdist(X, C, "sqeuclidean")
    return np.maximum(dist2, NEAREST * dist2.mean() or 1.0)


def stationary(
    dist2: Floats,
    pull: Floats,
    cardinality: Floats,
    weight: Floats,
    b: float,
    e: float,
) -> Floats:
    """Return the memberships where J is stationary in each row, others as they were.

    The three terms of the method in one: with the cost g_ij of sample i in cluster j,
    u_ij = (1 + sum_l (g_il - g_ij) / (2 d_il)) / (d_ij sum_l 1 / d_il). Rows sum to 1,
    entries may be negative.

    Parameters
    ----------
    dist2, pull : ndarray of shape (n_samples, n_clusters)
        Squared distances; memberships summed over the partners, signed (`join`).
    cardinality : ndarray of shape (n_clusters,)
    weight : ndarray of shape (n_samples,)
    b, e : float
        Weights of the constraints and of the competition.

    Examples
    --------
    >>> dist2, none = np.array([[1.0, 4.0]]), np.zeros((1, 2))
    >>> stationary(dist2, none, np.zeros(2), np.ones(1), b=0.0, e=0.0)
    array([[0.8, 0.2]])
    """
    # A must-link costs 1 - u_q; the 1 is the same in every cluster and cancels.
    present = np.where(weight > 0.0, weight, 1.0)
    cost = -b * pull / present[:, None] - 2.0 * e * cardinality
    # From the nearest cluster, where a tiny distance would blow rounding up.
    cost -= np.take_along_axis(cost, dist2.argmin(axis=1)[:, None], axis=1)
    share = 1.0 / dist2
    share /= share.sum(axis=1, keepdims=True)
    level = (share * cost).sum(axis=1, keepdims=True)
    return np.asarray(share + (level - cost) / (2.0 * dist2))


def to_simplex(U: Floats) -> Floats:
    """Return rows without negative entries and of sum 1; even ones for empty ones.

    Examples
    --------
    >>> to_simplex(np.array([[1.5, -0.5], [0.6, 0.2], [0.0, 0.0]]))
    array([[1.  , 0.  ],
           [0.75, 0.25],
           [0.5 , 0.5 ]])
    """
    clipped = np.clip(U, 0.0, 1.0)
    sums = clipped.sum(axis=1, keepdims=True)
    clipped[sums[:, 0] == 0.0] = 1.0
    return np.asarray(clipped / clipped.sum(axis=1, keepdims=True))


def drop_small(U: Floats, weight: Floats, least: float) -> Floats:
    """Return the memberships without the clusters below a cardinality.

    The largest cluster stays, whatever its size.
    """
    cardinality = weight @ U
    kept = cardinality >= max(least, EMPTY)
    kept[cardinality.argmax()] = True
    return U if kept.all() else to_simplex(U[:, kept])
