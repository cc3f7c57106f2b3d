"""Must-links and cannot-links of hard clusters: neighbourhoods, costs, labels in turn.

Both peers charge a link e by the clusters g and h of its two samples:

    apart[e, g] + apart[e, h]   if g != h,        together[e, g]   if g == h,

where `apart` is 0 for cannot-links and `together` for must-links. What these two
tables hold is all in which the penalties of the methods differ.
"""

from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzypairs import PairSet
from fuzzypairs._typing import Floats, Ints
from fuzzypairs.kernels.jit import kernel

__all__ = [
    "Links",
    "farthest_pair",
    "link_costs",
    "neighborhoods",
    "relabel",
    "unlike_all",
]


# Rounds over the linked samples in one assignment. Each lowers the objective or is
# the last, so that labels settle after a few; this bounds ties of rounding.
MOST_ROUNDS = 100


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

    Examples
    --------
    >>> from fuzzypairs import PairSet
    >>> from experiments.constraints import Links
    >>> links = Links.of(PairSet([0, 1], [2, 2], [0.5, -1.0], n_samples=4))
    >>> links.must, links.samples
    (array([ True, False]), array([0, 1, 2]))
    >>> links.partner[links.start[2] : links.start[3]]
    array([0, 1])
    """

    i: Ints
    j: Ints
    must: NDArray[np.bool_]
    weight: Floats
    samples: Ints
    start: Ints
    link: Ints
    partner: Ints

    @classmethod
    def of(cls, pairs: PairSet) -> "Links":
        """Read judgements: the sign tells must from cannot, |s| is the weight."""
        told = pairs.informative
        ends = np.concatenate([told.i, told.j])
        line = np.argsort(ends, kind="stable")
        counts = np.bincount(ends, minlength=told.n_samples)
        return cls(
            told.i,
            told.j,
            told.similar,
            np.abs(told.grade),
            np.flatnonzero(counts),
            np.concatenate([[0], np.cumsum(counts)]),
            np.tile(np.arange(len(told)), 2)[line],
            np.concatenate([told.j, told.i])[line],
        )


def neighborhoods(pairs: PairSet) -> list[Ints]:
    """Return the samples joined by chains of must-links, the largest group first.

    Parameters
    ----------
    pairs : PairSet
        Judgements; those above 0 are must-links.

    Returns
    -------
    groups : list of ndarray of int
        Groups of two samples or more; of equal sizes, the one with the first row.

    Examples
    --------
    >>> from fuzzypairs import PairSet
    >>> from experiments.constraints import neighborhoods
    >>> pairs = PairSet([0, 2, 3, 0], [1, 3, 5, 2], [1, 1, 0.2, -1], n_samples=6)
    >>> [group.tolist() for group in neighborhoods(pairs)]
    [[2, 3, 5], [0, 1]]
    """
    alike = pairs.similar
    chained = PairSet(
        pairs.i[alike], pairs.j[alike], pairs.grade[alike], pairs.n_samples
    )
    n_groups, group = chained.components()
    line = np.argsort(group, kind="stable")
    ends = np.searchsorted(group[line], np.arange(n_groups + 1))
    groups = [line[a:b] for a, b in pairwise(ends)]
    return sorted(groups, key=len, reverse=True)


def unlike_all(links: Links, groups: list[Ints]) -> list[int]:
    """Return the samples outside of all groups with a cannot-link into each.

    Without groups there is none.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzypairs import PairSet
    >>> from experiments.constraints import Links, unlike_all
    >>> links = Links.of(PairSet([0, 0, 4], [1, 2, 3], [1, -1, -1]))
    >>> unlike_all(links, [np.array([0, 1])])
    [2]
    """
    place = {row: g for g, group in enumerate(groups) for row in group.tolist()}
    met: dict[int, set[int]] = defaultdict(set)
    cannot = ~links.must
    ends = links.i[cannot].tolist(), links.j[cannot].tolist()
    for p, q in zip(*ends, strict=True):
        for row, other in ((p, q), (q, p)):
            if row not in place and other in place:
                met[row].add(place[other])
    return sorted(row for row, seen in met.items() if len(seen) == len(groups))


def link_costs(links: Links, apart: Floats, together: Floats, labels: Ints) -> Floats:
    """Return what each link costs under `labels`, shape (n_links,).

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzypairs import PairSet
    >>> from experiments.constraints import Links, link_costs
    >>> links = Links.of(PairSet([0, 0], [1, 2], [1, -1]))
    >>> apart, together = np.array([[2.0, 3], [0, 0]]), np.array([[0, 0], [5.0, 7]])
    >>> link_costs(links, apart, together, np.array([0, 1, 0]))
    array([5., 5.])
    """
    each = np.arange(len(links.i))
    g, h = labels[links.i], labels[links.j]
    costs: Floats = np.where(g == h, together[each, g], apart[each, g] + apart[each, h])
    return costs


def relabel(
    cost: Floats,
    links: Links,
    apart: Floats,
    together: Floats,
    labels: Ints | None,
    rng: np.random.RandomState,
) -> Ints:
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

    Returns
    -------
    labels : ndarray of shape (n_samples,)

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
    found: Ints = cost.argmin(axis=1)
    if labels is not None:
        found[links.samples] = labels[links.samples]
    order = rng.permutation(links.samples)
    walk = (links.start, links.link, links.partner)
    for _ in range(MOST_ROUNDS):
        if not _relabel_in_turn(cost, *walk, apart, together, order, found):
            break
    return found


def farthest_pair(X: Floats) -> tuple[int, int]:
    """Return two rows of X that are farthest apart, exactly.

    Two samples at radii r and t from the mean are at most r + t apart. Taken by
    falling radius, most pairs are ruled out by this before they are measured.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)

    Examples
    --------
    >>> import numpy as np
    >>> from experiments.constraints import farthest_pair
    >>> farthest_pair(np.array([[0.0], [5.0], [-3.0], [4.0]]))
    (1, 2)
    """
    centred = X - X.mean(axis=0)
    radius = np.sqrt((centred**2).sum(axis=1))
    line = np.argsort(-radius, kind="stable")
    i, j = _farthest_by_radius(centred[line], radius[line])
    first, second = sorted((int(line[i]), int(line[j])))
    return first, second


@kernel
def _relabel_in_turn(
    cost: Any,  # IN (n_samples, n_clusters)
    start: Any,  # IN (n_samples + 1,)
    link: Any,  # IN (2 n_links,)
    partner: Any,  # IN (2 n_links,)
    apart: Any,  # IN (n_links, n_clusters)
    together: Any,  # IN (n_links, n_clusters)
    order: Any,  # IN (n_linked,)
    labels: Any,  # IN, OUT (n_samples,)
) -> Any:
    """Move each sample of `order` once; return how many changed their cluster."""
    n_moved = 0
    n_clusters = cost.shape[1]
    total = np.empty(n_clusters)
    for r in order:
        total[:] = cost[r]
        for at in range(start[r], start[r + 1]):
            e, other = link[at], labels[partner[at]]
            for h in range(n_clusters):
                if h == other:
                    total[h] += together[e, h]
                else:
                    total[h] += apart[e, h] + apart[e, other]
        best = labels[r]  # moves only where that is cheaper
        for h in range(n_clusters):
            if total[h] < total[best]:
                best = h
        if best != labels[r]:
            labels[r] = best
            n_moved += 1
    return n_moved


@kernel
def _farthest_by_radius(
    X: Any,  # IN (n_samples, n_features), by falling radius
    radius: Any,  # IN (n_samples,)
) -> Any:
    best, first, second = -1.0, 0, 0
    for i in range(len(X)):
        if radius[i] + radius[0] <= best:
            break
        for j in range(i):
            if radius[i] + radius[j] <= best:
                break
            gap2 = 0.0
            for f in range(X.shape[1]):
                gap2 += (X[i, f] - X[j, f]) ** 2
            if np.sqrt(gap2) > best:
                best, first, second = np.sqrt(gap2), i, j
    return first, second
