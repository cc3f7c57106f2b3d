"""Dendrograms of distances that judgements have changed, and where to cut them."""

from typing import Literal

import numpy as np
from scipy.cluster import hierarchy
from scipy.spatial.distance import pdist

from fuzzypairs._typing import Floats, Ints, Labels
from fuzzypairs.exceptions import PairsError
from fuzzypairs.pairs import PairSet
from fuzzypairs.pairs.consistency import satisfied, satisfied_share
from fuzzypairs.solvers.constraints import contradicted_links, link_groups, links

__all__ = [
    "agreement",
    "best_level",
    "build_tree",
    "level_below_jump",
    "level_of_count",
    "partition",
]

Linkage = Literal["average", "complete", "single"]
Tie = Literal["coarse", "fine"]

# Agreements closer than this differ by rounding.
SAME_AGREEMENT = 1e-12
# The distance across a hard cannot-link. Average linkage divides it by the number of
# pairs between two clusters at most, which leaves it far above 1.
FORBIDDEN = 1e12
# The height of the merges that hard cannot-links forbid: no level reaches it, and
# a dendrogram can still be drawn.
OUT_OF_REACH = 2.0


def build_tree(X: Floats, pairs: PairSet, linkage: Linkage, enforce: bool) -> Floats:
    """Return the dendrogram of X under judgements, in SciPy's format."""
    distances = scaled_distances(X)
    adjust_distances(distances, pairs)
    if enforce:
        enforce_links(distances, pairs)
    return link(distances, linkage)


def scaled_distances(X: Floats) -> Floats:
    """Return the condensed distances of standardised X, in [0, 1]."""
    # Through [-1, 1]: no square overflows, and constant features become exactly so.
    reach = np.abs(X).max(axis=0)
    scaled = X / np.where(reach > 0.0, reach, 1.0)
    scaled -= scaled.mean(axis=0)
    spread = scaled.std(axis=0)
    scaled /= np.where(spread > 0.0, spread, 1.0)
    distances: Floats = pdist(scaled)
    distances /= distances.max() or 1.0
    return distances


def adjust_distances(distances: Floats, pairs: PairSet) -> None:
    """Move condensed distances in [0, 1] towards 0 or 1 by the grades, in place."""
    at, s = places(pairs.i, pairs.j, pairs.n_samples), pairs.grade
    here = distances[at]
    distances[at] = np.where(s > 0.0, (1.0 - s) * here, here - s * (1.0 - here))


def enforce_links(distances: Floats, pairs: PairSet) -> None:
    """Enforce grades of 1 and -1 at every level, in place.

    Linkage preserves both: it joins samples at distance 0 first, and averages and
    maxima that include a forbidden distance are forbidden themselves.
    """
    must, cannot = pairs.grade == 1.0, pairs.grade == -1.0
    for p, q in contradicted_links(pairs, must, cannot):
        raise PairsError(
            f"pairs grades samples {p} and {q} with -1 but chains them together by "
            "grades of 1, and enforce=True asks for both; correct one, or set "
            "enforce=False"
        )
    group = link_groups(pairs, must)
    joined = [(g, g, 0.0) for g in np.unique(group[pairs.i[must]])]
    apart = [(*group[link], FORBIDDEN) for link in links(pairs, cannot)]
    for g, h, value in [*joined, *apart]:
        p, q = np.meshgrid(np.flatnonzero(group == g), np.flatnonzero(group == h))
        p, q = np.minimum(p, q)[p != q], np.maximum(p, q)[p != q]
        distances[places(p, q, pairs.n_samples)] = value


def places(i: Ints, j: Ints, n_samples: int) -> Ints:
    """Return where the pairs i < j are in condensed distances."""
    return np.asarray(i * (2 * n_samples - i - 1) // 2 + j - i - 1, dtype=np.int64)


def link(distances: Floats, linkage: Linkage) -> Floats:
    """Return the dendrogram of distances, its heights divided by the highest."""
    tree: Floats = hierarchy.linkage(distances, linkage)
    heights = tree[:, 2]
    forbidden = heights >= OUT_OF_REACH
    heights /= heights[~forbidden].max(initial=0.0) or 1.0
    heights[forbidden] = OUT_OF_REACH
    return tree


def partition(tree: Floats, level: float) -> Labels:
    """Return the clusters at a height, numbered by their first samples."""
    found = hierarchy.fcluster(tree, level, criterion="distance")
    _, first, label = np.unique(found, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[label], dtype=np.intp)


def agreement(labels: Labels, pairs: PairSet) -> float:
    """Return the share of judgements that are satisfied, by strength; NaN if none."""
    together = labels[pairs.i] == labels[pairs.j]
    return float(satisfied_share(satisfied(together, pairs.grade), abs(pairs.grade)))


def best_level(tree: Floats, pairs: PairSet, step: float, tie: Tie) -> float:
    """Return the level of the grid 0, step, ..., 1 with the largest agreement."""
    # Rounded, so that nineteen steps of 0.05 are 0.95.
    levels = np.append(np.arange(0.0, 1.0, step).round(12), 1.0)
    values = np.array([agreement(partition(tree, c), pairs) for c in levels])
    best = levels[values >= values.max() - SAME_AGREEMENT]
    return float(best.max() if tie == "coarse" else best.min())


def level_of_count(tree: Floats, n_clusters: int) -> float:
    """Return the lowest level with at most `n_clusters` clusters, or else 1."""
    # The merge that leaves this many clusters; none is needed from n_samples on.
    last = len(tree) - n_clusters
    return min(float(tree[last, 2]), 1.0) if last >= 0 else 0.0


def level_below_jump(tree: Floats) -> float:
    """Return the height before the largest jump; the highest if there is none."""
    jumps = np.diff(tree[:, 2])
    if not jumps.any():
        return float(tree[-1, 2])
    return float(tree[jumps.argmax(), 2])
