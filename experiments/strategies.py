"""Strategies that lose against random pairs: borders of clusters, disputes of models.

Importing this module adds them to those of `fuzzypairs.active.Session`.
"""

import warnings

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.exceptions import ConvergenceWarning

from fuzzypairs._typing import Floats, Ints
from fuzzypairs.active import STRATEGIES
from fuzzypairs.active.pool import Pool, Proposals, Question
from fuzzypairs.cluster.fdc import FDC
from fuzzypairs.exceptions import FuzzyPairsWarning

__all__ = ["STRATEGIES", "disagreement", "frontier", "predicted_grades"]

# Added to covariances, in units in which the total variance is one.
RIDGE = 1e-6
# Covariances of more features than this are compared by their traces.
MOST_FEATURES = 50
# Runs from different starts whose predictions are compared, and the number of samples
# at borders that they are asked about.
N_RUNS, N_BORDER, N_NEIGHBORS = 5, 50, 10
# Passes of a run: predictions need not be exact.
MAX_ITER = 30


def frontier(pool: Pool) -> Proposals:
    """Ask samples between two clusters against the most typical ones of both.

    The first cluster is the one of the largest fuzzy hypervolume, the second the one
    with the nearest prototype. Samples whose two largest memberships are theirs are
    asked in the order of the difference of the two.
    """
    while (found := border_sample(pool)) is not None:
        sample, typical = found
        for other in typical:
            yield from pool.ask(sample, other, "a row between two clusters")


def border_sample(pool: Pool) -> tuple[int, list[int]] | None:
    """Return the next sample at the border and the typical samples to ask it with."""
    U = pool.memberships
    if U.shape[1] < 2:
        return None
    centers, volumes = describe(pool.X, U)
    apart = cdist(centers, centers)
    np.fill_diagonal(apart, np.inf)
    asked = pool.asked_rows()
    free = np.array([row for row in pool.candidates if row not in asked], dtype=int)
    top = np.argsort(-U[free], axis=1, kind="stable")[:, :2]
    # The least compact cluster first; others if nothing is left at its border.
    for j in np.argsort(-volumes, kind="stable"):
        for k in np.argsort(apart[j], kind="stable")[: U.shape[1] - 1]:
            between = free[(np.sort(top, axis=1) == sorted((j, k))).all(axis=1)]
            if len(between):
                margin = np.abs(U[between, j] - U[between, k])
                sample = int(between[margin.argmin()])
                rows = pool.candidates[pool.candidates != sample]
                return sample, [int(rows[U[rows, c].argmax()]) for c in (j, k)]
    return None


def describe(X: Floats, U: Floats) -> tuple[Floats, Floats]:
    """Return prototypes, and logarithms of the fuzzy hypervolumes of clusters."""
    weight = U**2 / np.maximum((U**2).sum(axis=0), np.finfo(float).tiny)
    centers = weight.T @ X
    volumes = np.empty(U.shape[1])
    for cluster, center in enumerate(centers):
        Z = X - center
        if X.shape[1] > MOST_FEATURES:
            volumes[cluster] = np.log(weight[:, cluster] @ (Z**2).sum(axis=1) + RIDGE)
            continue
        covariance = (weight[:, cluster] * Z.T) @ Z + RIDGE * np.eye(X.shape[1])
        volumes[cluster] = 0.5 * np.linalg.slogdet(covariance)[1]
    return centers, volumes


def disagreement(pool: Pool) -> Proposals:
    """Ask the pair whose grade differs most between runs from different starts."""
    n_fits = 0
    while True:
        runs = fit_runs(pool, n_fits)
        n_fits += 1
        I, J = disputable(pool, runs[0])  # noqa: E741 - rows of pairs
        variance = np.var([predicted_grades(U, I, J) for U in runs], axis=0)
        n_asked = 0
        touched: set[int] = set()
        for pair in np.argsort(-variance, kind="stable"):
            i, j = int(I[pair]), int(J[pair])
            if n_asked == N_RUNS or not pool.is_open(i, j) or touched & {i, j}:
                continue
            touched |= {i, j}
            n_asked += 1
            yield Question(i, j, "models from different starts differ on it")
        if not n_asked:
            return


def fit_runs(pool: Pool, n_fits: int) -> list[Floats]:
    """Return memberships of runs from different starts, under all answers."""
    pairs = pool.pairs()
    k = pool.memberships.shape[1]
    seeds = range(N_RUNS * n_fits, N_RUNS * (n_fits + 1))
    with warnings.catch_warnings():
        # Runs are short on purpose.
        for category in (FuzzyPairsWarning, ConvergenceWarning):
            warnings.simplefilter("ignore", category)
        return [
            FDC(k, n_init=1, max_iter=MAX_ITER, random_state=seed)
            .fit(pool.X, pairs=pairs)
            .memberships_
            for seed in seeds
        ]


def disputable(pool: Pool, U: Floats) -> tuple[Ints, Ints]:
    """Return pairs of samples at borders with neighbours and with typical samples."""
    rows = pool.candidates
    ordered = np.sort(U[rows], axis=1)
    margin = ordered[:, -1] - ordered[:, -2] if U.shape[1] > 1 else ordered[:, -1]
    border = rows[np.argsort(margin, kind="stable")[:N_BORDER]]
    typical = np.unique(rows[U[rows].argmax(axis=0)])
    near = pool.squared_distances(border, rows)
    nearest = rows[np.argsort(near, axis=1, kind="stable")[:, 1 : N_NEIGHBORS + 1]]
    left = np.repeat(border, nearest.shape[1] + len(typical))
    right = np.hstack([nearest, np.tile(typical, (len(border), 1))]).ravel()
    keep = left != right
    return left[keep], right[keep]


def predicted_grades(U: Floats, i: Ints, j: Ints) -> Floats:
    """Return the grades that memberships predict, as `PairSet.from_memberships` does.

    Examples
    --------
    >>> import numpy as np
    >>> U = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> predicted_grades(U, np.array([0]), np.array([1]))
    array([-1.])
    """
    gap = ((U[i] - U[j]) ** 2).sum(axis=1)
    overlap = (U[i] * U[j]).sum(axis=1)
    is_alike = U[i].argmax(axis=1) == U[j].argmax(axis=1)
    return np.asarray(np.where(is_alike, 1.0 - gap / 2.0, overlap - 1.0))


STRATEGIES |= {"frontier": frontier, "disagreement": disagreement}
