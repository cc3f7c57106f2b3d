"""Dominant sets, extracted one after another from the samples that are left."""

from dataclasses import dataclass, replace

import numpy as np

from fuzzypairs._typing import Floats, Ints, Mask
from fuzzypairs.pairs import PairSet
from fuzzypairs.solvers.constraints import link_groups, links
from fuzzypairs.solvers.replicator_dynamics import Dynamics, payoffs

__all__ = ["DominantSet", "extract_sets", "label_samples"]


@dataclass(frozen=True)
class DominantSet:
    """One set: `members` with their `weights`, both (n_members,), and x'Ax."""

    members: Ints
    weights: Floats
    cohesiveness: float
    n_iter: int
    converged: bool


def extract_sets(
    dynamics: Dynamics,
    pairs: PairSet,
    *,
    forbid: bool = False,
    seeded: bool = False,
    close_must_links: bool = False,
) -> list[DominantSet]:
    """Extract dominant sets until no sample is left; return them in this order.

    With `forbid`, the search is repeated without one sample of each cannot-link within
    a set: a negative affinity excludes it except at a saddle point, or while its weight
    has not vanished yet. With `seeded`, sets are first searched for around each group
    of samples joined by must-links, unless a member is in a set already. For
    `close_must_links` see `add_partners`.

    Examples
    --------
    >>> from fuzzypairs.solvers.affinities import exponential_affinities
    >>> from fuzzypairs.solvers.replicator_dynamics import PRESETS
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1]])
    >>> A = exponential_affinities(X, scale=0.1)
    >>> dynamics = Dynamics(A, PRESETS["converged"], 1000)
    >>> [found.members.tolist() for found in extract_sets(dynamics, PairSet.empty(5))]
    [[0, 1, 2], [3, 4]]
    """
    is_free = np.ones(pairs.n_samples, dtype=bool)
    must, cannot = links(pairs, pairs.similar), links(pairs, pairs.dissimilar)
    starts = must_link_groups(pairs) if seeded else []
    sets = []
    while is_free.any():
        seeds = starts.pop(0) if starts else None
        if seeds is not None and not is_free[seeds].all():
            continue
        found = extract_set(dynamics, is_free, seeds, cannot if forbid else cannot[:0])
        if close_must_links:
            found = add_partners(found, is_free, must, cannot)
        is_free[found.members] = False
        sets.append(found)
    return sets


def must_link_groups(pairs: PairSet) -> list[Ints]:
    """Return the groups of samples joined by must-links, the largest first."""
    group = link_groups(pairs, pairs.similar)
    linked = np.unique(group[pairs.i[pairs.similar]])
    return sorted((np.flatnonzero(group == g) for g in linked), key=len, reverse=True)


def extract_set(
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
        # No step was taken: no affinity is left, and the rest is one set.
        is_member = weights > least if run.n_iter else may_enter
        violated = forbidden[is_member[forbidden].all(axis=1)]
        if not violated.size:
            break
        # The sample of the largest weight is never excluded, so this ends.
        i, j = violated.T
        may_enter[np.where(weights[i] < weights[j], i, j)] = False
    members = np.flatnonzero(is_member)
    x = weights[members] / weights[members].sum()
    cohesiveness = float(x @ payoffs(dynamics.A, members, members, x))
    return DominantSet(members, x, cohesiveness, n_iter, run.converged)


def add_partners(
    found: DominantSet, is_free: Mask, must: Ints, cannot: Ints
) -> DominantSet:
    """Add every free sample that a chain of must-links joins to a member, at weight 0.

    A sample with a cannot-link to any member stays out.
    """
    members = found.members.tolist()
    inside = set(members)
    # The list grows in the loop: partners of added samples are added, too.
    for member in members:
        for partner in partners(must, member):
            is_barred = inside.intersection(partners(cannot, partner))
            if is_free[partner] and partner not in inside and not is_barred:
                inside.add(partner)
                members.append(partner)
    order = np.argsort(members)
    weights = np.zeros(len(members))
    weights[: found.weights.size] = found.weights
    return replace(found, members=np.array(members)[order], weights=weights[order])


def partners(ends: Ints, sample: int) -> list[int]:
    """Return the samples that pairs link to one."""
    left, right = ends.T
    linked = np.concatenate([right[left == sample], left[right == sample]])
    return [int(partner) for partner in linked]


def label_samples(
    A: Floats, sets: list[DominantSet], assign_rest: bool
) -> tuple[Ints, Floats]:
    """Return labels (n_samples,), -1 for none, and weights (n_sets, n_samples)."""
    labels, weights = np.full(len(A), -1), np.zeros((len(sets), len(A)))
    for label, found in enumerate(sets):
        labels[found.members] = label
        weights[label, found.members] = found.weights
    if assign_rest:
        rest = np.flatnonzero(labels == -1)
        labels[rest] = assign(A, sets, rest)
    return labels, weights


def assign(A: Floats, sets: list[DominantSet], rows: Ints) -> Ints:
    """Return the set with the largest a'x / x'Ax for each row; -1 if all are zero."""
    shares = np.zeros((len(sets), rows.size))
    for share, found in zip(shares, sets, strict=True):
        if found.cohesiveness > 0:
            share[:] = payoffs(A, rows, found.members, found.weights)
            share /= found.cohesiveness
    labels: Ints = np.where(shares.max(axis=0) > 0, shares.argmax(axis=0), -1)
    return labels
