"""Competitive agglomeration under must-links and cannot-links: PCCA's own loop."""

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist

from fuzzypairs import _core
from fuzzypairs._typing import Data, Floats
from fuzzypairs.pairs import PairSet
from fuzzypairs.solvers.initial import one_hot
from fuzzypairs.solvers.result import RunResult
from fuzzypairs.starts.start import Start

__all__ = ["agglomerate", "first_memberships"]

Links = sparse.csr_array

# First steps without competition, which move prototypes from their random start.
WARM_UP = 3
# Smallest squared distance, relative to the mean: no division by zero for a sample on
# a prototype.
NEAREST = 1e-12
# Clusters of fewer samples than this are empty, and have no prototype.
EMPTY = 1e-12
# Smallest cluster that is not dropped, relative to an even share of the samples.
LEAST_SHARE = 0.15


def agglomerate(
    X: Floats,
    U: Floats,
    pairs: PairSet,
    *,
    sample_weight: Floats | None = None,
    constraint_multiplier: float = 1.0,
    eta0: float = 5.0,
    tau: float = 10.0,
    peak: float | None = None,
    min_cardinality: float | None = None,
    max_iter: int = 300,
    tol: float = 1e-4,
) -> RunResult:
    """Let clusters compete for samples, and drop those with too few.

    Looks for a stationary point, over U >= 0 with rows of sum 1 and prototypes C, of

        J = sum_ij u_ij^2 |x_i - c_j|^2
            + b * [sum_must s (1 - u_p.u_q) - sum_cannot s u_p.u_q]
            - e * sum_j (sum_i u_ij)^2,

    where, at step t, with N_j = sum_i u_ij and d_ij = |x_i - c_j|^2,

        b = constraint_multiplier * n_samples / n_pairs * sum u^2 d / sum u^2,
        e = eta(t) * (sum u^2 d + b * [...]) / sum_j N_j^2, and 0 in the first steps,
        eta(t) = eta0 * exp(-t / tau), or eta0 * exp(-abs(t - peak) / tau).

    `U` (n_samples, n_clusters) are the first memberships, of more clusters than are
    expected, and grades s above 0 are must-links. A sample of weight 0 is left out with
    its pairs, and still gets memberships. The loop ends when no membership changes by
    more than `tol` and no cluster is dropped. The result has the memberships of all
    samples, and J at the start of each step. `PCCA` documents the other parameters.

    All rows are updated at once, each to the stationary point for the previous values
    of the others; negative entries are clipped. This is the method of [1]_, after [2]_
    of `PCCA`; the constants and the first steps without competition are ours. J may
    increase, and the loop may not converge: when b outweighs the distances, the two
    samples of a cannot-link change clusters together for ever, and those of a must-link
    swap theirs. Few pairs give a large b; lower `constraint_multiplier` then. From the
    true number of clusters the competition continues to a single one.
    """
    weight = np.ones(len(X)) if sample_weight is None else sample_weight
    total = float(weight.sum())
    if min_cardinality is None:
        min_cardinality = max(1.0, LEAST_SHARE * total / U.shape[1])
    links, n_pairs, must_weight = join(pairs, weight)
    U = drop_small(U, weight, 0.0)
    objectives: list[float] = []
    counts: list[int] = []
    converged = False
    while not converged and len(counts) < max_iter:
        t = len(counts)
        dist2 = distances(X, prototypes(X, U, weight))
        pull = links @ U
        spread = float(weight @ (U**2 * dist2).sum(axis=1))
        violation = must_weight - 0.5 * float((U * pull).sum())
        cardinality = weight @ U
        square = float(cardinality @ cardinality)
        b = e = 0.0
        if n_pairs:
            variance = spread / float(weight @ (U**2).sum(axis=1))
            b = constraint_multiplier * total / n_pairs * variance
        if t >= WARM_UP:
            eta = eta0 * np.exp(-(t if peak is None else abs(t - peak)) / tau)
            e = eta * (spread + b * violation) / square
        objectives.append(spread + b * violation - e * square)
        counts.append(U.shape[1])
        raw = stationary(dist2, pull, cardinality, weight, b, e)
        moved = drop_small(to_simplex(raw), weight, min_cardinality)
        # Not before the competition begins: a start may be stationary without it.
        converged = t >= WARM_UP and moved.shape == U.shape
        converged = converged and float(np.abs(moved - U).max()) < tol
        U = moved
    return RunResult(
        centers=prototypes(X, U, weight),
        constrained=U,
        objective=float(objectives[-1]),
        history=np.array(objectives),
        n_clusters_history=np.array(counts, dtype=np.int64),
        n_iter=len(counts),
        converged=converged,
    )


def first_memberships(X: Data, start: Start) -> Floats:
    """Return the memberships of all samples that a start stands for."""
    if start.memberships is not None:
        return start.memberships
    if start.labels is not None:
        return one_hot(start.labels.astype(np.int64), int(start.labels.max()) + 1)
    centers = np.ascontiguousarray(start.centers, dtype=np.float64)
    return _core.memberships(X, centers, mean=np.zeros(X.shape[1]))


def join(pairs: PairSet, weight: Floats) -> tuple[Links, int, float]:
    """Return the signed links, the number of pairs, and the weight of the must-links.

    The links are a symmetric matrix L of shape (n_samples, n_samples). Every pair is
    in it twice, so that row p of L @ U sums over the partners of p, and
    sum(U * (L @ U)) / 2 counts each pair once.
    """
    pairs = pairs.select((weight[pairs.i] > 0.0) & (weight[pairs.j] > 0.0))
    return pairs.to_sparse(), len(pairs), float(pairs.grade[pairs.similar].sum())


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
    dist2: Floats, pull: Floats, cardinality: Floats, weight: Floats, b: float, e: float
) -> Floats:
    """Return the memberships where J is stationary in each row, others as they were.

    The three terms of the method in one: with the cost g_ij of sample i in cluster j,
    u_ij = (1 + sum_l (g_il - g_ij) / (2 d_il)) / (d_ij sum_l 1 / d_il). Rows sum to 1,
    entries may be negative. `pull` sums the memberships of partners, signed (`join`).
    """
    # A must-link costs 1 - u_q; the 1 is the same in every cluster and cancels.
    present = np.where(weight > 0.0, weight, 1.0)
    cost = -b * pull / present[:, None] - 2.0 * e * cardinality
    # Relative to the nearest cluster: dividing by a tiny distance amplifies rounding.
    cost -= np.take_along_axis(cost, dist2.argmin(axis=1)[:, None], axis=1)
    share = 1.0 / dist2
    share /= share.sum(axis=1, keepdims=True)
    level = (share * cost).sum(axis=1, keepdims=True)
    return np.asarray(share + (level - cost) / (2.0 * dist2))


def to_simplex(U: Floats) -> Floats:
    """Clip negative entries, divide rows by their sums; rows of zeros become even."""
    clipped = np.clip(U, 0.0, 1.0)
    clipped[clipped.sum(axis=1) == 0.0] = 1.0
    return np.asarray(clipped / clipped.sum(axis=1, keepdims=True))


def drop_small(U: Floats, weight: Floats, least: float) -> Floats:
    """Drop the clusters below a cardinality, but never the largest."""
    cardinality = weight @ U
    kept = cardinality >= max(least, EMPTY)
    kept[cardinality.argmax()] = True
    return U if kept.all() else to_simplex(U[:, kept])
