"""Density peaks under must-links and cannot-links: split, then merge."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import pdist

from fuzzypairs._typing import Floats, Ints, Mask
from fuzzypairs.kernels import peaks
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
    estimate = peaks.sum_gaussians if gaussian and cutoff else peaks.count_near
    density: Floats = estimate(dist, cutoff, n_samples)
    order = np.argsort(-density, kind="stable")
    rank = np.argsort(order)
    delta, parent = peaks.find_parents(dist, rank)
    score = density * delta

    centers = np.full(n_samples, -1)
    first = highest_scores(score, order, divisor)
    centers[first] = first
    peaks.follow_parents(order, parent, centers)
    core = np.ones(n_samples, dtype=np.bool_)
    if use_halo:
        core = core_samples(dist, centers, density, cutoff)
    split_clusters(centers, score, order, parent, cannot)
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
    ordered = np.sort(dist)
    n_distinct = peaks.count_distinct(ordered)
    nth = int(np.floor(n_distinct * percent / 100 + 0.5))
    return float(peaks.nth_distinct(ordered, min(max(nth, 2), n_distinct)))


def highest_scores(score: Floats, order: Ints, divisor: float) -> Ints:
    """Return the samples with one of the highest scores, and all that tie with them."""
    n_samples = len(score)
    n_peaks = max(1, int(np.sqrt(n_samples) / divisor))
    lowest = np.partition(score, n_samples - n_peaks)[n_samples - n_peaks]
    found = np.flatnonzero((score >= lowest) & (score > 0))
    return found if n_samples >= FEW and len(found) else order[:1]


def core_samples(dist: Floats, centers: Ints, density: Floats, cutoff: float) -> Mask:
    """Return which samples are at least as dense as the border of their cluster."""
    distinct, codes = np.unique(centers, return_inverse=True)
    borders = peaks.border_densities(dist, codes, density, cutoff, len(distinct))
    core: Mask = density >= borders[codes]
    return core


def split_clusters(
    centers: Ints, score: Floats, order: Ints, parent: Ints, cannot: Links
) -> None:
    """Add centres until no cannot-link lies within a cluster, in place.

    Every round makes one more sample a centre, and a centre is alone in the end, so
    there are fewer rounds than samples.
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
            peaks.follow_parents(order, parent, centers)


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

    Merging along them while that is allowed is single linkage: a merged cluster is as
    close to another as the closer of its parts.
    """
    distinct, codes = np.unique(centers, return_inverse=True)
    k = len(distinct)
    gaps = peaks.cluster_gaps(dist, codes, core, k)
    near = np.flatnonzero(gaps < cutoff)
    near = near[np.argsort(gaps[near], kind="stable")]
    # From the place in the condensed gaps back to row and column.
    starts = np.cumsum(np.arange(k, 0, -1)) - k
    rows = np.searchsorted(starts, near, side="right") - 1
    columns = near - starts[rows] + rows + 1
    return zip(distinct[rows].tolist(), distinct[columns].tolist(), strict=True)
