"""Must-links and cannot-links between hard clusters: what they cost, and labels.

Both PCK-means and MPCK-means charge a link e by the clusters g and h of its samples:

    apart[e, g] + apart[e, h]   if g != h,        together[e, g]   if g == h,

where `apart` is 0 for cannot-links and `together` for must-links. The methods differ
in these two tables alone.
"""

from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from fuzzypairs import PairSet

__all__ = [
    "Links",
    "farthest_pair",
    "link_costs",
    "neighborhoods",
    "relabel",
    "unlike_all",
]

# Sweeps over the linked samples in one assignment. Each lowers the objective or is
# the last, so that labels settle after a few; this bounds ties of rounding.
MAX_SWEEPS = 100


@dataclass(frozen=True, eq=False)
class Links:
    """Links as columns, and for each sample the links that it is in.

    Attributes
    ----------
    i, j : ndarray of shape (n_links,)
        The two samples.
    must : ndarray of shape (n_links,), bool
        Whether they belong together.
    weight : ndarray of shape (n_links,)
        Strength of the judgement, |s|.
    samples : ndarray of shape (n_linked,)
        Samples in some link.
    start, link, partner : ndarray
        Sample r is in the links ``link[start[r]:start[r + 1]]``, each with the other
        sample in `partner`.
    """

    i: np.ndarray
    j: np.ndarray
    must: np.ndarray
    weight: np.ndarray
    samples: np.ndarray
    start: np.ndarray
    link: np.ndarray
    partner: np.ndarray

    @classmethod
    def of(cls, pairs: PairSet) -> "Links":
        """Read judgements: alike ones are must-links, |s| is the weight."""
        known = pairs.informative
        ends = np.concatenate([known.i, known.j])
        order = np.argsort(ends, kind="stable")
        counts = np.bincount(ends, minlength=known.n_samples)
        return cls(
            known.i,
            known.j,
            known.similar,
            np.abs(known.grade),
            np.flatnonzero(counts),
            np.concatenate([[0], np.cumsum(counts)]),
            np.tile(np.arange(len(known)), 2)[order],
            np.concatenate([known.j, known.i])[order],
        )


def neighborhoods(pairs: PairSet) -> list[np.ndarray]:
    """Return the groups that chains of must-links join, the largest first."""
    n_groups, group = pairs.select(pairs.similar).components()
    order = np.argsort(group, kind="stable")
    ends = np.searchsorted(group[order], np.arange(n_groups + 1))
    return sorted((order[a:b] for a, b in pairwise(ends)), key=len, reverse=True)


def unlike_all(links: Links, groups: list[np.ndarray]) -> list[int]:
    """Return the samples outside of all groups with a cannot-link into each."""
    group_of = {row: g for g, group in enumerate(groups) for row in group.tolist()}
    linked: dict[int, set[int]] = defaultdict(set)
    cannot = ~links.must
    for p, q in np.column_stack([links.i, links.j])[cannot].tolist():
        for row, other in ((p, q), (q, p)):
            if row not in group_of and other in group_of:
                linked[row].add(group_of[other])
    return sorted(row for row, seen in linked.items() if len(seen) == len(groups))


def link_costs(
    links: Links, apart: np.ndarray, together: np.ndarray, labels: np.ndarray
) -> np.ndarray:
    """Return what each link costs under `labels`, shape (n_links,)."""
    each = np.arange(len(links.i))
    g, h = labels[links.i], labels[links.j]
    return np.where(g == h, together[each, g], apart[each, g] + apart[each, h])


def relabel(
    cost: np.ndarray,
    links: Links,
    apart: np.ndarray,
    together: np.ndarray,
    labels: np.ndarray | None,
    rng: np.random.RandomState,
) -> np.ndarray:
    """Assign samples to clusters, the linked ones in turn until none moves.

    This is the greedy assignment of both papers, iterated conditional modes: the
    linked samples go in a random order, each to the cluster that costs least given
    where the others are now. Samples without links do not depend on others.

    Parameters
    ----------
    cost : ndarray of shape (n_samples, n_clusters)
        What each sample costs in each cluster, links left out.
    links : Links
    apart, together : ndarray of shape (n_links, n_clusters)
        What a link costs, see the module.
    labels : ndarray of shape (n_samples,) or None
        Where linked samples are at first; None: where `cost` is least.
    rng : RandomState
        Draws the order.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzypairs import PairSet
    >>> from experiments.constraints import Links, relabel
    >>> cost = np.array([[0.0, 9.0], [1.1, 1.0]])
    >>> links = Links.of(PairSet([0], [1], [1.0]))
    >>> apart, none = np.full((1, 2), 0.5), np.zeros((1, 2))
    >>> relabel(cost, links, apart, none, None, np.random.RandomState(0))
    array([0, 0])
    """
    found: np.ndarray = cost.argmin(axis=1)
    if labels is not None:
        found[links.samples] = labels[links.samples]
    order = rng.permutation(links.samples)
    neighbours = (links.start, links.link, links.partner)
    for _ in range(MAX_SWEEPS):
        if not _sweep(cost, *neighbours, apart, together, order, found):
            break
    return found


def farthest_pair(X: np.ndarray) -> tuple[int, int]:
    """Return two rows of X that are farthest apart, exactly.

    Two samples at radii r and t from the mean are at most r + t apart. Taken by
    falling radius, most pairs are ruled out by this before they are measured.

    Examples
    --------
    >>> import numpy as np
    >>> from experiments.constraints import farthest_pair
    >>> farthest_pair(np.array([[0.0], [5.0], [-3.0], [4.0]]))
    (1, 2)
    """
    centred = X - X.mean(axis=0)
    radius = np.sqrt((centred**2).sum(axis=1))
    order = np.argsort(-radius, kind="stable")
    i, j = _farthest_by_radius(centred[order], radius[order])
    first, second = sorted((int(order[i]), int(order[j])))
    return first, second


def _sweep(
    cost: np.ndarray,  # IN (n_samples, n_clusters)
    start: np.ndarray,  # IN (n_samples + 1,)
    link: np.ndarray,  # IN (2 n_links,)
    partner: np.ndarray,  # IN (2 n_links,)
    apart: np.ndarray,  # IN (n_links, n_clusters)
    together: np.ndarray,  # IN (n_links, n_clusters)
    order: np.ndarray,  # IN (n_linked,)
    labels: np.ndarray,  # IN, OUT (n_samples,)
) -> int:
    """Move each sample of `order` once; return how many changed their cluster."""
    n_moved = 0
    for r in order:
        some = slice(start[r], start[r + 1])
        e, other = link[some], labels[partner[some]]
        broken = apart[e, other]
        total = cost[r] + apart[e].sum(axis=0) + broken.sum()
        np.add.at(total, other, together[e, other] - 2.0 * broken)
        best = int(total.argmin())
        if total[best] < total[labels[r]]:  # moves only where that is cheaper
            labels[r] = best
            n_moved += 1
    return n_moved


def _farthest_by_radius(
    X: np.ndarray,  # IN (n_samples, n_features), by falling radius
    radius: np.ndarray,  # IN (n_samples,)
) -> tuple[int, int]:
    best, first, second = -1.0, 0, 0
    for i in range(1, len(X)):
        if radius[i] + radius[0] <= best:
            break
        # Radii fall: only the first rows can be farther than the best pair.
        n_near = int(np.count_nonzero(radius[:i] > best - radius[i]))
        gaps = np.sqrt(((X[:n_near] - X[i]) ** 2).sum(axis=1))
        if gaps.max() > best:
            best, first, second = float(gaps.max()), i, int(gaps.argmax())
    return first, second
