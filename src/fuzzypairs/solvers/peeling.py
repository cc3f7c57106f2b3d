"""Peeling: dominant sets taken one after another from the samples that are left."""

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import pdist, squareform

from fuzzypairs._typing import Floats, Ints, Mask
from fuzzypairs.kernels.replicator import payoffs
from fuzzypairs.pairs import PairSet
from fuzzypairs.solvers.dominant import Dynamics

__all__ = [
    "FORBID",
    "DominantSet",
    "affinities",
    "assign",
    "edit",
    "peel",
    "pull_partners",
]


# How far below zero the affinity of a forbidden pair is: any amount forbids, and a
# small one hardly slows the dynamics.
FORBID = 0.05


@dataclass(frozen=True)
class DominantSet:
    """One set: `members` with their `weights`, both (n_members,), and x'Ax."""

    members: Ints
    weights: Floats
    cohesiveness: float
    n_iter: int
    converged: bool


def affinities(X: Floats, scale: float | None) -> Floats:
    """Return exp(-d / scale) of standardised Euclidean distances d, zero diagonal.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Each feature is divided by its deviation; constant ones are left out.
    scale : float or None
        None takes the median of all n_samples^2 distances, zeros of the diagonal
        included. Where that is 0, only coinciding samples have an affinity: the
        limit.

    Returns
    -------
    A : ndarray of shape (n_samples, n_samples)

    Examples
    --------
    >>> A = affinities(np.array([[0.0], [1.0], [3.0]]), scale=None)
    >>> A.round(3)
    array([[0.   , 0.368, 0.05 ],
           [0.368, 0.   , 0.135],
           [0.05 , 0.135, 0.   ]])
    """
    distances = standardised_distances(X)
    if scale is None:
        scale = median_of_square(distances, len(X))
    # In place: the matrices are what limits the number of samples.
    if scale > 0:
        np.exp(np.divide(distances, -scale, out=distances), out=distances)
    else:
        distances = (distances == 0).astype(np.float64)
    return np.asarray(squareform(distances, checks=False)).reshape(len(X), len(X))


def standardised_distances(X: Floats) -> Floats:
    """Return the upper triangle of distances, each feature over its deviation."""
    low, high = X.min(axis=0) / 2, X.max(axis=0) / 2  # halves: no range overflows
    varies = high > low
    if not varies.any():
        return np.zeros(len(X) * (len(X) - 1) // 2)
    Z = (X[:, varies] / 2 - low[varies]) / (high - low)[varies]
    return np.asarray(pdist(Z / Z.std(axis=0, ddof=1)))


def median_of_square(distances: Floats, n_samples: int) -> float:
    """Return the median of a whole distance matrix from its upper triangle.

    Examples
    --------
    >>> median_of_square(np.array([1.0, 2.0, 4.0]), 3)
    1.0
    """
    # In order the matrix is n_samples zeros, then every distance twice.
    n_entries = n_samples**2
    places = np.array([(n_entries - 1) // 2, n_entries // 2])
    inside = places[places >= n_samples]
    if not inside.size:
        return 0.0
    ranks = (inside - n_samples) // 2
    return float(np.partition(distances, ranks)[ranks].sum() / len(places))


def edit(A: Floats, pairs: PairSet, *, graded: bool, forbid: bool) -> None:
    """Write judgements into affinities, in place.

    Alike pairs rise to A + s (1 - A), unlike ones fall to A (1 - |s|), where s is 1
    unless `graded`. With `forbid`, unlike pairs get a negative affinity instead.

    Examples
    --------
    >>> A = np.array([[0.0, 0.2, 0.5], [0.2, 0.0, 0.5], [0.5, 0.5, 0.0]])
    >>> edit(A, PairSet([0, 1], [1, 2], [0.5, -0.5]), graded=True, forbid=False)
    >>> A
    array([[0.  , 0.6 , 0.5 ],
           [0.6 , 0.  , 0.25],
           [0.5 , 0.25, 0.  ]])
    """
    pairs = pairs.informative
    i, j = pairs.i, pairs.j
    strength = np.abs(pairs.grade) if graded else np.ones(len(pairs))
    a = A[i, j]
    unlike = np.full(len(pairs), -FORBID) if forbid else a * (1 - strength)
    A[i, j] = A[j, i] = np.where(pairs.similar, a + strength * (1 - a), unlike)


def peel(
    dynamics: Dynamics,
    pairs: PairSet,
    *,
    forbid: bool = False,
    seeded: bool = False,
    close_must_links: bool = False,
) -> list[DominantSet]:
    """Take dominant sets until no sample is left.

    Parameters
    ----------
    dynamics : Dynamics
        Of the edited affinities.
    pairs : PairSet
        Judgements; used by the three options only.
    forbid : bool, default=False
        Leave a sample for later where it met an unlike one in a set, and search
        again. A negative affinity alone lets both in only at a saddle, from a
        symmetric start, or one with a weight that was still vanishing.
    seeded : bool, default=False
        First look for one set around each group of samples linked by alike pairs,
        the largest first, unless a member is in a set already.
    close_must_links : bool, default=False
        See `pull_partners`.

    Returns
    -------
    sets : list of DominantSet
        In the order they were found; they part the samples. Samples without any
        affinity left are one set.

    Examples
    --------
    >>> from fuzzypairs.solvers.dominant import PRESETS
    >>> A = affinities(np.array([[0.0], [0.1], [0.2], [5.0], [5.1]]), scale=0.1)
    >>> dynamics = Dynamics(A, PRESETS["converged"], 1000)
    >>> [found.members.tolist() for found in peel(dynamics, PairSet.empty(5))]
    [[0, 1, 2], [3, 4]]
    """
    is_free = np.ones(pairs.n_samples, dtype=bool)
    alike, unlike = links(pairs, pairs.similar), links(pairs, pairs.dissimilar)
    sets = []
    starts = link_groups(alike, pairs.n_samples) if seeded else []
    while is_free.any():
        seeds = starts.pop(0) if starts else None
        if seeds is not None and not is_free[seeds].all():
            continue
        found = take(dynamics, is_free, seeds, unlike if forbid else unlike[:0])
        if close_must_links:
            found = pull_partners(found, is_free, alike, unlike)
        is_free[found.members] = False
        sets.append(found)
    return sets


def take(
    dynamics: Dynamics, is_free: Mask, seeds: Ints | None, forbidden: Ints
) -> DominantSet:
    """Find one set among the free samples, without both ends of a forbidden pair."""
    may_enter = is_free.copy()
    n_iter = 0
    while True:
        rows = np.flatnonzero(may_enter)
        run = dynamics.run(rows, seeds)
        n_iter += run.n_iter
        weights = np.zeros(is_free.size)
        weights[rows] = run.weights
        least = dynamics.preset.least_weight(rows.size)
        # Without a step there was no affinity left: what remains is one set.
        is_member = weights > least if run.n_iter else may_enter
        clashes = forbidden[is_member[forbidden].all(axis=1)]
        if not clashes.size:
            break
        # The heaviest sample always stays, so this ends.
        i, j = clashes.T
        may_enter[np.where(weights[i] < weights[j], i, j)] = False
    members = np.flatnonzero(is_member)
    x = weights[members] / weights[members].sum()
    cohesiveness = float(x @ payoffs(dynamics.A, members, members, x))
    return DominantSet(members, x, cohesiveness, n_iter, run.converged)


def pull_partners(
    found: DominantSet, is_free: Mask, alike: Ints, unlike: Ints
) -> DominantSet:
    """Add every free sample that an alike pair links to a member, at weight 0.

    A sample judged unlike any member stays out; what came in pulls in turn.

    Parameters
    ----------
    found : DominantSet
    is_free : ndarray of shape (n_samples,)
    alike, unlike : ndarray of shape (n_links, 2)

    Returns
    -------
    found : DominantSet

    Examples
    --------
    >>> found = DominantSet(np.array([0, 1]), np.array([0.5, 0.5]), 0.4, 9, True)
    >>> links = np.array([[0, 2], [2, 3], [1, 4]]), np.array([[0, 4]])
    >>> pull_partners(found, np.ones(5, dtype=bool), *links).members
    array([0, 1, 2, 3])
    """
    members = found.members.tolist()
    inside = set(members)
    # Grows while it is walked: what came in pulls in turn.
    for member in members:
        for partner in partners(alike, member):
            barred = inside.intersection(partners(unlike, partner))
            if is_free[partner] and partner not in inside and not barred:
                inside.add(partner)
                members.append(partner)
    order = np.argsort(members)
    weights = np.zeros(len(members))
    weights[: found.weights.size] = found.weights
    return DominantSet(
        np.array(members)[order],
        weights[order],
        found.cohesiveness,
        found.n_iter,
        found.converged,
    )


def assign(A: Floats, sets: list[DominantSet], rows: Ints) -> Ints:
    """Return the set that each row has the largest share of affinity to, a'x / x'Ax.

    Parameters
    ----------
    A : ndarray of shape (n_samples, n_samples)
    sets : list of DominantSet
    rows : ndarray of shape (n_rows,)

    Returns
    -------
    labels : ndarray of shape (n_rows,)
        Places in `sets`; -1 for a row without affinity to any.

    Examples
    --------
    >>> A = np.array([[0.0, 0.8, 0.3], [0.8, 0.0, 0.1], [0.3, 0.1, 0.0]])
    >>> pair = DominantSet(np.array([0, 1]), np.array([0.5, 0.5]), 0.4, 9, True)
    >>> assign(A, [pair], np.array([2]))
    array([0])
    """
    shares = np.zeros((len(sets), rows.size))
    for share, found in zip(shares, sets, strict=True):
        if found.cohesiveness > 0:
            share[:] = payoffs(A, rows, found.members, found.weights)
            share /= found.cohesiveness
    labels: Ints = np.where(shares.max(axis=0) > 0, shares.argmax(axis=0), -1)
    return labels


def links(pairs: PairSet, chosen: Mask) -> Ints:
    """Return the ends of the chosen pairs, shape (n_links, 2)."""
    return np.column_stack([pairs.i[chosen], pairs.j[chosen]])


def partners(ends: Ints, sample: int) -> list[int]:
    """Return the samples that pairs link to one."""
    left, right = ends.T
    joined: list[int] = np.concatenate(
        [right[left == sample], left[right == sample]]
    ).tolist()
    return joined


def link_groups(ends: Ints, n_samples: int) -> list[Ints]:
    """Return the groups of linked samples, the largest first."""
    pairs = PairSet(ends[:, 0], ends[:, 1], np.ones(len(ends)), n_samples)
    n_groups, labels = pairs.components()
    groups = [np.flatnonzero(labels == group) for group in range(n_groups)]
    return sorted(groups, key=len, reverse=True)
