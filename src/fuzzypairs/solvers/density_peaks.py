"""Density peaks under must-links and cannot-links: split, then merge.

Distances are condensed as `scipy.spatial.distance.pdist` returns them: the entries with
i < j, row by row, in float64. They need 4 n_samples^2 bytes, as a square matrix in
float32 would, without its rounding, which would move the cut-off.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import pdist

from fuzzypairs._typing import Floats, Ints, Mask
from fuzzypairs.pairs import PairSet
from fuzzypairs.solvers.constraints import links

__all__ = ["DensityPeaks", "find_density_peaks"]

Links = list[list[int]]

# Fewer samples than this are one cluster unless cannot-links separate them.
FEW = 4


@dataclass(frozen=True)
class DensityPeaks:
    """Clusters by the sample at their centre, and what they were found from."""

    centers: Ints  # (n_samples,) the centre of the cluster of each sample
    density: Floats  # (n_samples,)
    delta: Floats  # (n_samples,) distance to the nearest denser sample
    cutoff: float
    core: Mask  # (n_samples,)


def find_density_peaks(
    X: Floats,
    pairs: PairSet,
    *,
    percent: float,
    divisor: float,
    gaussian: bool,
    use_halo: bool,
    merge_adjacent: bool,
) -> DensityPeaks:
    """Find density peaks, split by cannot-links, merge by must-links and adjacency."""
    must = links(pairs, pairs.similar).tolist()
    cannot = links(pairs, pairs.dissimilar).tolist()
    n_samples = len(X)
    dist = distances(X)
    cutoff = cutoff_distance(dist, percent)
    # A cut-off of 0, all samples in one place, gives the Gaussian no width.
    estimate = sum_gaussians if gaussian and cutoff else count_near
    density = estimate(dist, cutoff, n_samples)
    order = np.argsort(-density, kind="stable")
    rank = np.argsort(order)
    delta, parent = find_parents(dist, order)
    score = density * delta

    centers = np.full(n_samples, -1)
    first = highest_scores(score, order, divisor)
    centers[first] = first
    follow_parents(parent, centers)
    core = np.ones(n_samples, dtype=np.bool_)
    if use_halo:
        core = core_samples(dist, centers, density, cutoff)
    split_clusters(centers, score, parent, cannot)
    merge_clusters(centers, must, cannot, rank)
    if merge_adjacent:
        adjacent = adjacent_clusters(dist, centers, core, cutoff)
        merge_clusters(centers, adjacent, cannot, rank)
    return DensityPeaks(centers, density, delta, cutoff, core)


def distances(X: Floats) -> Floats:
    """Return the condensed Euclidean distances of the rows of X."""
    dist: Floats = pdist(X)
    if not np.isfinite(dist.max(initial=0.0)):
        raise ValueError(
            f"X reaches {np.abs(X).max():g}, so squared distances leave the range of "
            "float64; rescale X"
        )
    return dist


def cutoff_distance(dist: Floats, percent: float) -> float:
    """Return the distance at `percent` of the distinct ones, the zero included.

    Element number ``round(L * percent / 100)`` of the L, but not the zero itself
    unless there is no other: nothing is closer than zero.
    """
    if not dist.size:
        return 0.0
    ordered = np.sort(dist)
    is_new = np.empty(ordered.size, dtype=np.bool_)
    is_new[0] = ordered[0] > 0.0
    np.greater(ordered[1:], ordered[:-1], out=is_new[1:])
    n_distinct = 1 + int(np.count_nonzero(is_new))
    if n_distinct == 1:
        return 0.0
    nth = max(int(np.floor(n_distinct * percent / 100 + 0.5)), 2)
    # The place where distinct value number nth begins, without a list of all places.
    place = bisect_left(
        range(ordered.size),
        min(nth, n_distinct) - 1,
        key=lambda last: int(np.count_nonzero(is_new[: last + 1])),
    )
    return float(ordered[place])


def count_near(dist: Floats, cutoff: float, n_samples: int) -> Floats:
    """Return how many others are closer than `cutoff`, for each sample.

    Examples
    --------
    >>> count_near(np.array([1.0, 2.0, 1.0]), 2.0, 3)
    array([1., 2., 1.])
    """
    return sum_rows((row < cutoff for row in rows_of(dist, n_samples)), n_samples)


def sum_gaussians(dist: Floats, width: float, n_samples: int) -> Floats:
    """Return the sum of exp(-(d / width)^2) over all others, for each sample.

    Examples
    --------
    >>> sum_gaussians(np.array([1.0, 2.0, 1.0]), 2.0, 3).round(2)
    array([1.15, 1.56, 1.15])
    """
    rows = rows_of(dist, n_samples)
    return sum_rows((np.exp(-np.square(row / width)) for row in rows), n_samples)


def rows_of(dist: Floats, n_samples: int) -> Iterator[Floats]:
    """Yield the distances of each sample to those after it."""
    last = 0
    for length in range(n_samples - 1, 0, -1):
        first, last = last, last + length
        yield dist[first:last]


def sum_rows(rows: Iterable[Floats | Mask], n_samples: int) -> Floats:
    """Add each entry of condensed rows to both of its samples."""
    sums = np.zeros(n_samples)
    for i, row in enumerate(rows):
        sums[i] += row.sum()
        sums[i + 1 :] += row
    return sums


def find_parents(dist: Floats, order: Ints) -> tuple[Floats, Ints]:
    """Return the nearest denser sample of each, the densest one on ties.

    `order` (n_samples,) sorts samples by decreasing density. Returns the distances to
    the parents, for the first sample the largest of the others, and the parents, for
    the first sample itself; both (n_samples,).

    Examples
    --------
    >>> find_parents(np.array([1.0, 2.0, 1.0]), np.array([1, 0, 2]))
    (array([1., 1., 1.]), array([1, 1, 1]))
    """
    offsets = condensed_offsets(len(order))
    delta = np.zeros(len(order))
    parent = np.arange(len(order))
    for n_denser, i in enumerate(order.tolist()):
        if n_denser:
            denser = order[:n_denser]
            found = dist[offsets[np.minimum(denser, i)] + np.maximum(denser, i)]
            nearest = np.argmin(found)
            delta[i], parent[i] = found[nearest], denser[nearest]
    delta[order[0]] = delta.max()
    return delta, parent


def condensed_offsets(n_items: int) -> Ints:
    """Return offsets: the entry of i < j in a condensed array is ``offset[i] + j``."""
    i = np.arange(n_items)
    return i * (2 * n_items - i - 3) // 2 - 1


def follow_parents(parent: Ints, labels: Ints) -> None:
    """Give samples labelled -1 the label of their first labelled ancestor, in place.

    Examples
    --------
    >>> labels = np.array([-1, 1, -1])
    >>> follow_parents(np.array([1, 1, 0]), labels)
    >>> labels
    array([1, 1, 1])
    """
    ancestor = np.where(labels < 0, parent, np.arange(len(labels)))
    # Twice as far each time.
    while not np.array_equal(further := ancestor[ancestor], ancestor):
        ancestor = further
    labels[:] = labels[ancestor]


def near_across(
    dist: Floats, codes: Ints, cutoff: float
) -> Iterator[tuple[int, Ints, Floats]]:
    """Yield each sample, later ones of other clusters up to `cutoff`, and distances."""
    for i, row in enumerate(rows_of(dist, len(codes))):
        near = np.flatnonzero(row <= cutoff)
        near = near[codes[i + 1 + near] != codes[i]]
        if near.size:
            yield i, i + 1 + near, row[near]


def highest_scores(score: Floats, order: Ints, divisor: float) -> Ints:
    """Return the samples with the highest scores, ties included."""
    n_samples = len(score)
    n_peaks = max(1, int(np.sqrt(n_samples) / divisor))
    lowest = np.partition(score, n_samples - n_peaks)[n_samples - n_peaks]
    found = np.flatnonzero((score >= lowest) & (score > 0))
    return found if n_samples >= FEW and len(found) else order[:1]


def core_samples(dist: Floats, centers: Ints, density: Floats, cutoff: float) -> Mask:
    """Return which samples are at least as dense as the border of their cluster.

    The border density is the largest mean density of two near samples on both sides of
    it, and 0 for a cluster without near samples of others.
    """
    distinct, codes = np.unique(centers, return_inverse=True)
    borders = np.zeros(len(distinct))
    for i, j, _ in near_across(dist, codes, cutoff):
        border = (density[i] + density[j]) / 2.0
        np.maximum.at(borders, codes[j], border)
        borders[codes[i]] = max(borders[codes[i]], border.max())
    core: Mask = density >= borders[codes]
    return core


def split_clusters(centers: Ints, score: Floats, parent: Ints, cannot: Links) -> None:
    """Add centres until no cannot-link lies within a cluster, in place.

    Every round adds a centre, so there are fewer rounds than samples.
    """
    for p, q in cannot:
        while centers[p] == centers[q]:
            center = centers[p]
            members = np.flatnonzero(centers == center)
            if np.count_nonzero(score[members] > 0) >= 2:
                others = members[members != center]
                new = others[np.argmax(score[others])]
            else:
                new = q if p == center else p
            centers[members] = -1
            centers[center], centers[new] = center, new
            follow_parents(parent, centers)


def merge_clusters(
    centers: Ints, linked: Iterable[Iterable[int]], cannot: Links, rank: Ints
) -> None:
    """Merge the clusters of linked samples where no cannot-link forbids it, in place.

    The denser centre becomes the centre of both.
    """
    forbidden: dict[int, set[int]] = defaultdict(set)
    for p, q in cannot:
        forbidden[centers[p]].add(centers[q])
        forbidden[centers[q]].add(centers[p])
    for p, q in linked:
        kept, merged = sorted((centers[p], centers[q]), key=rank.__getitem__)
        if kept == merged or merged in forbidden[kept]:
            continue
        centers[centers == merged] = kept
        for other in forbidden.pop(merged, ()):
            forbidden[other].remove(merged)
            forbidden[other].add(kept)
            forbidden[kept].add(other)


def adjacent_clusters(
    dist: Floats, centers: Ints, core: Mask, cutoff: float
) -> Iterable[tuple[int, int]]:
    """Return the centres of each two clusters closer than `cutoff`, nearest first.

    Merging along them is single linkage: a merged cluster is as close to another as the
    closer of its parts.
    """
    distinct, codes = np.unique(centers, return_inverse=True)
    k = len(distinct)
    # The smallest distance between core samples of each two clusters, if near.
    gaps = np.full(k * (k - 1) // 2, np.inf)
    offsets = condensed_offsets(k)
    for i, j, gap in near_across(dist, codes, cutoff):
        if core[i]:
            a, b = codes[i], codes[j[core[j]]]
            places = offsets[np.minimum(a, b)] + np.maximum(a, b)
            np.minimum.at(gaps, places, gap[core[j]])
    near = np.flatnonzero(gaps < cutoff)
    near = near[np.argsort(gaps[near], kind="stable")]
    # From the place in the condensed gaps back to row and column.
    rows = np.searchsorted(offsets + np.arange(k) + 1, near, side="right") - 1
    columns = near - offsets[rows]
    return zip(distinct[rows].tolist(), distinct[columns].tolist(), strict=True)
