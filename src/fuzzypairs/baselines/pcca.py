"""Pairwise-constrained competitive agglomeration (PCCA)."""

from dataclasses import replace
from typing import Literal, cast

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist

from fuzzypairs import _core
from fuzzypairs._typing import Data, Floats
from fuzzypairs.cluster.checked import CheckedData
from fuzzypairs.cluster.prototypes import Found, PrototypeClusterer
from fuzzypairs.pairs import PairSet
from fuzzypairs.solvers.fused import FusedPasses
from fuzzypairs.solvers.initial import one_hot
from fuzzypairs.solvers.problem import Problem
from fuzzypairs.solvers.result import RunResult
from fuzzypairs.solvers.start import Init, Start
from fuzzypairs.spaces.space import Space
from fuzzypairs.threads import Threads
from fuzzypairs.validation import check_choice

__all__ = ["PCCA"]

# The competition's strength at step t is ETA0 * exp(-t / TAU), after first steps
# without it, which move prototypes from their random start.
ETA0, TAU = 5.0, 10.0
WARM_UP = 3
# Clusters with less than this share of an even part of the samples vanish under
# competition, and so do those with less than one sample.
LEAST_SHARE, LEAST_SAMPLES = 0.15, 1.0
# Clusters of fewer samples than this are empty, and have no prototype.
EMPTY = 1e-12
# Smallest squared distance, relative to the mean: no division by zero for a sample on
# a prototype.
NEAREST = 1e-12


class PCCA(PrototypeClusterer):
    """Fuzzy c-means under must-links and cannot-links.

    Finds memberships U (rows on the simplex) and prototypes C that minimise eq. (4),

        sum_ij w_i u_ij^2 |x_i - c_j|^2
            + beta * [sum_must (1 - u_p.u_q) + sum_cannot u_p.u_q],

    where judgements s > 0 are must-links and s < 0 cannot-links, whatever their
    strength.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters; with competition, the number to begin with.
    beta : float >= 0 or "auto", default=1.0
        Weight of the links. "auto" is the total variance of X.
    competition : {"off", "on"}, default="off"
        "off" is the model the FDC paper compares with, solved exactly row by row.
        "on" is the original: large clusters grow at the expense of small ones, which
        vanish, and links have the same weight as distances (`beta` is not used).
    init, n_init, max_iter, tol, random_state, n_jobs, verbose
        See `FDC`.

    Attributes
    ----------
    memberships_ : ndarray of shape (n_samples, n_clusters_)
        Rows are >= 0 and sum to 1.
    labels_ : ndarray of shape (n_samples,)
    cluster_centers_ : ndarray of shape (n_clusters_, n_features)
    n_clusters_ : int
    objective_ : float
        Eq. (4) at the end; under competition that of its last step.
    objective_history_, n_clusters_history_ : ndarray of shape (n_accepted,)
        The objective does not increase without competition; with it, it may.
    n_iter_ : int
    converged_ : bool
    alpha_, beta_ : float
        The values used; alpha is 0.
    fuzzifier_ : float
        2.
    collapse_gain_ : float
        Below 1 prototypes that are close coincide in the end, see `FDC`.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        If X has names of type str.

    Notes
    -----
    Because rows sum to one, the sum of u_pj u_ql over j != l in eq. (4) is
    ``1 - u_p.u_q``. Without competition this is the solver of `FDC` with another cost
    of alike samples. Must-links make the memberships of both samples hard, even if
    they are mixtures; `FDC` does not. The competition [1]_, [2]_ is a heuristic that
    updates all samples at once: it may oscillate, and from the true number of clusters
    it leaves a single one. Its constants, and some first steps without it, are ours.

    References
    ----------
    .. [1] N. Grira, M. Crucianu, N. Boujemaa, "Semi-supervised fuzzy clustering with
       pairwise-constrained competitive agglomeration", FUZZ-IEEE 2005, 867-872.
    .. [2] H. Frigui, R. Krishnapuram, "Clustering by competitive agglomeration",
       Pattern Recognition, 1997.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzypairs import PCCA
    >>> X = np.array([[0.0], [1.0], [5.0], [9.0], [10.0]])
    >>> model = PCCA(n_clusters=2, beta=20.0, random_state=0)
    >>> model = model.fit(X, pairs=[(2, 0, -1.0)])
    >>> bool(model.labels_[2] == model.labels_[4])
    True
    """

    alpha = 0.0
    fuzzifier = 2.0
    metric = "euclidean"
    metric_params = None
    diagonal_share: float = 0.0

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        beta: float | Literal["auto"] = 1.0,
        competition: Literal["off", "on"] = "off",
        init: Init = "k-means++",
        n_init: int = 10,
        max_iter: int = 300,
        tol: float = 1e-4,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.beta = beta
        self.competition = competition
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _check_parameters(self) -> None:
        check_choice("competition", self.competition, ["off", "on"])
        super()._check_parameters()

    @property
    def _accepts_sparse(self) -> bool:  # type: ignore[override]
        return self.competition == "off"

    @property
    def _is_algorithm_1(self) -> bool:  # type: ignore[override]
        return self.competition == "off"

    def _solve(self, data: CheckedData, space: Space) -> Found:
        links = data.pairs.informative
        pairs = PairSet(links.i, links.j, np.sign(links.grade), links.n_samples)
        return super()._solve(replace(data, pairs=pairs), space)

    def _run(
        self, problem: Problem, starts: list[Start], pairs: PairSet
    ) -> list[RunResult]:
        if self.competition == "on":
            run = [(problem, start, pairs) for start in starts]
            return Threads(self.n_jobs).map(self._compete, run)
        # The solver leaves out a constant: beta for each must-link.
        constant = float(np.maximum(problem.graph.pull, 0.0).sum()) * problem.heaviest
        return [
            replace(
                result,
                objective=result.objective + constant,
                history=result.history + constant,
            )
            for result in problem.passes.run(problem, starts)
        ]

    def _compete(self, problem: Problem, start: Start, pairs: PairSet) -> RunResult:
        X = cast(FusedPasses, problem.passes).X
        return agglomerate(
            np.asarray(X, dtype=np.float64),
            first_memberships(X, start),
            pairs,
            np.ones(len(X)) if problem.weight is None else problem.weight,
            max_iter=self.max_iter,
            tol=self.tol,
        )

    def _memberships(self, problem: Problem, best: RunResult) -> Floats:
        if self.competition == "on":
            return best.constrained
        return super()._memberships(problem, best)

    def _why_vanished(self, n_left: int, alpha: float) -> str | None:
        if self.competition == "off":
            return "there were too few samples; lower n_clusters"
        if n_left > 1:
            return None  # what the competition is for
        return "the competition was too strong; raise n_clusters, where it begins"


def agglomerate(
    X: Floats, U: Floats, pairs: PairSet, weight: Floats, *, max_iter: int, tol: float
) -> RunResult:
    """Let clusters compete for samples, and drop those with too few.

    Looks for a stationary point, over U >= 0 with rows of sum 1 and prototypes C, of

        J = sum_ij u_ij^2 |x_i - c_j|^2
            + b * [sum_must (1 - u_p.u_q) + sum_cannot u_p.u_q]
            - e * sum_j (sum_i u_ij)^2,

    where, at step t, with N_j = sum_i u_ij and d_ij = |x_i - c_j|^2,

        b = n_samples / n_pairs * sum u^2 d / sum u^2,
        e = eta(t) * (sum u^2 d + b * [...]) / sum_j N_j^2, and 0 in the first steps,
        eta(t) = ETA0 * exp(-t / TAU).

    All rows are updated at once, each to the stationary point for the previous values
    of the others; negative entries are clipped. J may increase, and the loop may not
    converge: when b outweighs the distances, as with few pairs, the two samples of a
    must-link swap clusters for ever.

    `U` (n_samples, n_clusters) are the first memberships, and grades are 1 or -1. A
    sample of weight 0 is left out with its pairs, and still gets memberships. The
    result has the memberships of all samples, and J at the start of each step.
    """
    total = float(weight.sum())
    least = max(LEAST_SAMPLES, LEAST_SHARE * total / U.shape[1])
    links, n_pairs, n_must = join(pairs, weight)
    U = drop_small(U, weight, 0.0)
    objectives: list[float] = []
    counts: list[int] = []
    converged = False
    while not converged and len(counts) < max_iter:
        t = len(counts)
        dist2 = distances(X, prototypes(X, U, weight))
        pull = links @ U
        spread = float(weight @ (U**2 * dist2).sum(axis=1))
        violation = n_must - 0.5 * float((U * pull).sum())
        cardinality = weight @ U
        square = float(cardinality @ cardinality)
        b = e = 0.0
        if n_pairs:
            variance = spread / float(weight @ (U**2).sum(axis=1))
            b = total / n_pairs * variance
        if t >= WARM_UP:
            e = ETA0 * np.exp(-t / TAU) * (spread + b * violation) / square
        objectives.append(spread + b * violation - e * square)
        counts.append(U.shape[1])
        raw = stationary(dist2, pull, cardinality, weight, b, e)
        moved = drop_small(to_simplex(raw), weight, least)
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


def join(pairs: PairSet, weight: Floats) -> tuple[sparse.csr_array, int, float]:
    """Return the signed links, the number of pairs, and that of the must-links.

    The links are a symmetric matrix L of shape (n_samples, n_samples). Every pair is
    in it twice, so that row p of L @ U sums over the partners of p, and
    sum(U * (L @ U)) / 2 counts each pair once.
    """
    pairs = pairs.select((weight[pairs.i] > 0.0) & (weight[pairs.j] > 0.0))
    return pairs.to_sparse(), len(pairs), float(pairs.similar.sum())


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
