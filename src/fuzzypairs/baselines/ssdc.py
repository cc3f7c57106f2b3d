"""Semi-supervised density-peak clustering (SSDC).

Distances are condensed as `scipy.spatial.distance.pdist` returns them: the entries with
i < j, row by row, in float64. They need 4 n_samples^2 bytes, as a square matrix in
float32 would, without its rounding, which would move the cut-off.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from scipy.spatial.distance import pdist

from fuzzypairs._typing import Floats, Ints
from fuzzypairs.baselines.labels import LabelClusterer
from fuzzypairs.cluster.notes import Note
from fuzzypairs.exceptions import FuzzyPairsWarning
from fuzzypairs.pairs import PairSet
from fuzzypairs.validation import check_flag, check_number

__all__ = ["SSDC"]

Links = list[tuple[int, int]]

# Contradictions that a warning spells out.
LISTED = 20
# Fewer samples than this are one cluster unless cannot-links separate them.
FEW = 4


class SSDC(LabelClusterer):
    """Semi-supervised density-peak clustering.

    Starts from more density peaks than there are clusters, splits the clusters that
    hold two samples judged unlike, then merges those that hold two samples judged
    alike, and at last those that are adjacent; never against a judgement of unlike.
    The number of clusters is an outcome.

    Only the sign of a judgement counts: above 0 a must-link, below 0 a cannot-link.

    Parameters
    ----------
    percent : float in [0, 100), default=3.0
        Where the cut-off distance lies among the sorted distinct distances; 2 to 10
        is useful. The cut-off is at least the smallest distance above 0.
    divisor : float of 1 or more, default=1
        The number of first peaks is ``floor(sqrt(n_samples) / divisor)``.
    merge_adjacent : bool, default=True
        Merge clusters with two samples closer than the cut-off.
    memory : str or int, default="2GB"
        The most that matrices may take, as in "500MB" or in bytes; a fit that needs
        more is refused. It needs 8 n_samples^2 bytes: 2 GB for 15 800 samples.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Clusters, numbered in the order of `centers_`.
    n_clusters_ : int
        Number of clusters found.
    centers_ : ndarray of shape (n_clusters_,)
        The sample at the peak of each cluster, increasing.
    rho_ : ndarray of shape (n_samples,)
        Densities: the number of other samples closer than the cut-off.
    delta_ : ndarray of shape (n_samples,)
        Distance to the nearest denser sample; for the densest the largest of them.
    dc_ : float
        The cut-off distance.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        If X has names of type str.

    Notes
    -----
    The method of [1]_, on the density peaks of [2]_, as its public code has it, with
    departures: every must-link is tried, without cannot-links too; a merged cluster
    is adjacent to whatever its parts were, and the closest clusters merge first; all
    samples decide whether clusters are adjacent, as they do in effect there. A peak
    has a positive score (density times distance to a denser sample), and without any
    the first of the densest samples is the only one.

    Every cannot-link is satisfied. Two judgements of one pair are averaged by
    `PairSet`; a cannot-link within a chain of must-links wins, with a warning. A
    must-link may be violated elsewhere, too, where a cannot-link separates the
    clusters of its samples. Judgements act in the order of their samples.

    One cut-off serves all of X: scale features alike first, and expect little where
    clusters have different densities. O(n_samples^2 n_features) time.

    References
    ----------
    .. [1] Y. Ren, X. Hu, K. Shi, G. Yu, D. Yao, Z. Xu, "Semi-supervised DenPeak
       Clustering with Pairwise Constraints", PRICAI 2018.
    .. [2] A. Rodriguez, A. Laio, "Clustering by fast search and find of density
       peaks", Science 344 (2014), 1492-1496.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzypairs import SSDC
    >>> X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]])
    >>> SSDC(percent=40).fit(X).labels_
    array([0, 0, 0, 1, 1, 1])
    >>> SSDC(percent=40).fit(X, pairs=[(0, 5, 0.5)]).labels_
    array([0, 0, 0, 0, 0, 0])
    """

    def __init__(
        self,
        *,
        percent: float = 3.0,
        divisor: float = 1,
        merge_adjacent: bool = True,
        memory: str | int = "2GB",
    ) -> None:
        self.percent = percent
        self.divisor = divisor
        self.merge_adjacent = merge_adjacent
        self.memory = memory

    def _check_parameters(self) -> None:
        check_number("percent", self.percent, 0.0, 100.0)
        check_number("divisor", self.divisor, 1.0)
        check_flag("merge_adjacent", self.merge_adjacent)

    def _bytes_needed(self, n_samples: int, n_features: int) -> int:
        # Distances, and their sorted copy or, later, the gaps between clusters.
        return (4 + 4) * n_samples**2

    def _cluster(self, X: Floats, pairs: PairSet) -> tuple[dict[str, Any], list[Note]]:
        must = links(pairs.select(pairs.similar))
        cannot = links(pairs.select(pairs.dissimilar))
        n_samples = len(X)
        dist = distances(X)
        cutoff = cutoff_distance(dist, float(self.percent))
        density = count_near(dist, cutoff, n_samples)
        order = np.argsort(-density, kind="stable")
        rank = np.argsort(order)
        delta, parent = find_parents(dist, order)
        score = density * delta
        centers = np.full(n_samples, -1)
        first = highest_scores(score, order, self.divisor)
        centers[first] = first
        follow_parents(parent, centers)
        split_clusters(centers, score, parent, cannot)
        merge_clusters(centers, must, cannot, rank)
        if self.merge_adjacent:
            adjacent = adjacent_clusters(dist, centers, cutoff)
            merge_clusters(centers, adjacent, cannot, rank)
        found, labels = np.unique(centers, return_inverse=True)
        learned = {
            "labels_": labels,
            "n_clusters_": len(found),
            "centers_": found,
            "rho_": density,
            "delta_": delta,
            "dc_": cutoff,
        }
        return learned, contradictions(pairs)


def links(pairs: PairSet) -> Links:
    """Return both samples of each judgement, sorted."""
    return list(zip(pairs.i.tolist(), pairs.j.tolist(), strict=True))


def contradictions(pairs: PairSet) -> list[Note]:
    """Return a warning that names cannot-links within a chain of must-links."""
    group = pairs.select(pairs.similar).components()[1]
    is_within = (group[pairs.i] == group[pairs.j]) & (group[pairs.i] >= 0)
    wrong = links(pairs.select(pairs.dissimilar & is_within))
    if not wrong:
        return []
    named = ", ".join(map(str, wrong[:LISTED]))
    more = f" and {len(wrong) - LISTED} more" if len(wrong) > LISTED else ""
    message = (
        "pairs contradict each other: judged unlike but alike through a chain of "
        f"others: {named}{more}; these samples are separated, and the chains "
        "violated. Look for wrong judgements"
    )
    return [(message, FuzzyPairsWarning)]


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
    counts = np.zeros(n_samples)
    for i, row in enumerate(rows_of(dist, n_samples)):
        near = row < cutoff
        counts[i] += near.sum()
        counts[i + 1 :] += near
    return counts


def rows_of(dist: Floats, n_samples: int) -> Iterator[Floats]:
    """Yield the distances of each sample to those after it."""
    last = 0
    for length in range(n_samples - 1, 0, -1):
        first, last = last, last + length
        yield dist[first:last]


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


def highest_scores(score: Floats, order: Ints, divisor: float) -> Ints:
    """Return the samples with the highest scores, ties included."""
    n_samples = len(score)
    n_peaks = max(1, int(np.sqrt(n_samples) / divisor))
    lowest = np.partition(score, n_samples - n_peaks)[n_samples - n_peaks]
    found = np.flatnonzero((score >= lowest) & (score > 0))
    return found if n_samples >= FEW and len(found) else order[:1]


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
    centers: Ints, linked: Iterable[tuple[int, int]], cannot: Links, rank: Ints
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
    dist: Floats, centers: Ints, cutoff: float
) -> Iterable[tuple[int, int]]:
    """Return the centres of each two clusters closer than `cutoff`, nearest first.

    Merging along them is single linkage: a merged cluster is as close to another as the
    closer of its parts.
    """
    distinct, codes = np.unique(centers, return_inverse=True)
    k = len(distinct)
    # The smallest distance between samples of each two clusters, if near.
    gaps = np.full(k * (k - 1) // 2, np.inf)
    offsets = condensed_offsets(k)
    for i, row in enumerate(rows_of(dist, len(codes))):
        near = np.flatnonzero(row < cutoff)
        others = codes[i + 1 + near]
        near, others = near[others != codes[i]], others[others != codes[i]]
        places = offsets[np.minimum(codes[i], others)] + np.maximum(codes[i], others)
        np.minimum.at(gaps, places, row[near])
    near = np.flatnonzero(gaps < cutoff)
    near = near[np.argsort(gaps[near], kind="stable")]
    # From the place in the condensed gaps back to row and column.
    rows = np.searchsorted(offsets + np.arange(k) + 1, near, side="right") - 1
    columns = near - offsets[rows]
    return zip(distinct[rows].tolist(), distinct[columns].tolist(), strict=True)
