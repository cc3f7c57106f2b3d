"""Groups under strong judgements: single linkage with cannot-links (PNNG)."""

import warnings

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import pdist

from fuzzypairs._typing import Data, Floats, Labels
from fuzzypairs.exceptions import FuzzyPairsWarning
from fuzzypairs.pairs import PairSet


def pair_graph(X: Data, n_clusters: int, pairs: PairSet) -> Labels:
    """Return labels (n_samples,) of at most `n_clusters` groups.

    Groups satisfy strong judgements, see `pair_graph_labels`, unless these separate
    more than `n_clusters` groups, which warns. Single linkage chains: with noise, one
    group may contain nearly all samples, and k-means++ is often the better start.
    """
    data = np.asarray(X, dtype=np.float64)
    labels = pair_graph_labels(data, pairs, n_clusters)
    return fold_groups(data, labels, pairs, n_clusters)


def pair_graph_labels(
    X: Floats,
    pairs: PairSet,
    n_clusters: int,
    *,
    threshold: float = 0.5,
    n_neighbors: int = 15,
    max_dense: int = 4000,
) -> Labels:
    """Group samples by single linkage under must-links and cannot-links.

    A grade of at least `threshold` is a must-link, one of at most `-threshold` a
    cannot-link. Must-links are joined first. Then samples are joined along edges of
    increasing length (Kruskal's algorithm), except where that would put two
    cannot-linked samples together. If fewer than `n_clusters` groups result, the
    longest edges are cut; if more, the groups with the closest means that may be
    merged are merged. Groups are numbered in order of appearance.

    Up to `max_dense` samples all pairs are edges, about 50 bytes each at the peak;
    above, those of each sample to its `n_neighbors` nearest.

    Notes
    -----
    All must-links are satisfied, and all cannot-links except those between samples that
    a chain of must-links joins. Without cannot-links, and up to `max_dense` samples,
    this is single-linkage clustering.

    If all pairs are edges, only cannot-links leave too many groups. In the neighbour
    graph, groups may also be too far apart to be neighbours; these are merged, single
    samples first because a group of one rarely survives a fit.

    The method, called PNNG, is published only in the code of the paper's authors, which
    loses some cannot-links.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [0.5], [1.0], [1.5], [20.0], [20.5]])
    >>> pairs = PairSet.from_triples([(0, 1, 0.9), (2, 3, 0.8), (0, 2, -0.7)], 6)
    >>> pair_graph_labels(X, pairs, 3)
    array([0, 0, 1, 1, 2, 2])
    >>> pair_graph_labels(X, pairs, 2)
    array([0, 0, 1, 1, 1, 1])
    """
    ends = np.column_stack([pairs.i, pairs.j])
    must = ends[pairs.grade >= threshold].tolist()
    forest = _grow(len(X), must)
    for edge in ends[pairs.grade <= -threshold].tolist():
        forest.separate(*edge)
    is_dense = len(X) <= max(max_dense, n_neighbors + 1)
    edges = _all_edges(X) if is_dense else _neighbor_edges(X, n_neighbors)
    used = _link(forest, edges)
    if forest.n_trees < n_clusters:
        # The last edges are the longest. Must-links are not among them.
        n_kept = max(0, len(used) - (n_clusters - forest.n_trees))
        forest = _grow(len(X), must + used[:n_kept])
    elif forest.n_trees > n_clusters:
        _Agglomeration(forest, _Centroids(X, forest.labels())).run(n_clusters)
    if forest.n_trees > n_clusters:
        warnings.warn(
            f"pairs separate {forest.n_trees} groups but n_clusters is {n_clusters}: "
            f"between each two of them is a judgement of -{threshold:g} or less. "
            "Raise n_clusters, or look for wrong judgements.",
            FuzzyPairsWarning,
            stacklevel=2,
        )
    return forest.labels()


def fold_groups(X: Floats, labels: Labels, pairs: PairSet, n_clusters: int) -> Labels:
    """Merge surplus groups into others until `n_clusters` remain, the smallest first.

    A group joins the one with the largest sum of grades between the two; ties are
    decided by the nearest mean.
    """
    labels = np.array(labels, dtype=np.intp)
    while (n_groups := labels.max() + 1) > n_clusters:
        smallest = int(np.bincount(labels).argmin())
        i, j = labels[pairs.i], labels[pairs.j]
        across = (i == smallest) != (j == smallest)
        other = np.where(i == smallest, j, i)[across]
        favour = np.zeros(n_groups)
        np.add.at(favour, other, pairs.grade[across])
        favour[smallest] = -np.inf
        gap = _Centroids(X, labels).gaps(smallest, np.arange(n_groups))
        labels[labels == smallest] = np.lexsort((gap, -favour))[0]
        labels[labels > smallest] -= 1
    return labels


class _Forest:
    """Disjoint sets of samples, and for each root the roots it must not join.

    Lists and sets are faster than arrays for access to single entries.
    """

    def __init__(self, n_samples: int) -> None:
        self.parent = list(range(n_samples))
        self.size = [1] * n_samples
        self.apart: dict[int, set[int]] = {}
        self.n_trees = n_samples

    def find(self, a: int) -> int:
        parent = self.parent
        while parent[a] != a:
            parent[a] = a = parent[parent[a]]
        return a

    def join(self, a: int, b: int) -> bool:
        """Join the trees of `a` and `b` unless they are one already or separated."""
        a, b = self.find(a), self.find(b)
        if a == b or b in self.apart.get(a, ()):
            return False
        if self.size[a] < self.size[b]:
            a, b = b, a
        self.parent[b] = a
        self.size[a] += self.size[b]
        self.n_trees -= 1
        for root in self.apart.pop(b, ()):
            self.apart[root].remove(b)
            self.separate(a, root)
        return True

    def separate(self, a: int, b: int) -> None:
        """Separate the trees of `a` and `b`, unless they are one already."""
        a, b = self.find(a), self.find(b)
        if a != b:
            self.apart.setdefault(a, set()).add(b)
            self.apart.setdefault(b, set()).add(a)

    def roots(self) -> Labels:
        """Find the root of every sample at once."""
        roots = np.array(self.parent, dtype=np.intp)
        while (roots != roots[roots]).any():
            roots = roots[roots]
        return roots

    def labels(self) -> Labels:
        """Label samples by tree, numbered in order of appearance."""
        _, first, tree = np.unique(self.roots(), return_index=True, return_inverse=True)
        return np.argsort(np.argsort(first))[tree]


def _grow(n_samples: int, edges: list[list[int]]) -> _Forest:
    """Join samples along all edges."""
    forest = _Forest(n_samples)
    for edge in edges:
        forest.join(*edge)
    return forest


def _all_edges(X: Floats) -> NDArray[np.int32]:
    """Every pair of rows, shortest first, ties by row numbers."""
    order = np.argsort(pdist(X, "sqeuclidean"), kind="stable")
    ends = np.triu_indices(len(X), 1)
    return np.column_stack([end.astype(np.int32)[order] for end in ends])


def _neighbor_edges(X: Floats, n_neighbors: int) -> NDArray[np.int32]:
    """Each row to its nearest rows, shortest first, ties by row numbers."""
    # Imported here: it would lengthen every import of the package by 6 %.
    from sklearn.neighbors import NearestNeighbors

    length, there = NearestNeighbors(n_neighbors=n_neighbors).fit(X).kneighbors()
    here = np.repeat(np.arange(len(X)), n_neighbors)
    # Most edges occur from both ends; the second time they join nothing.
    edges = np.sort(np.column_stack([here, there.ravel()]).astype(np.int32), axis=1)
    return edges[np.lexsort((edges[:, 1], edges[:, 0], length.ravel()))]


def _link(forest: _Forest, edges: NDArray[np.int32]) -> list[list[int]]:
    """Join trees along sorted edges, and return those that joined something.

    Edges inside a tree, or between separated trees, will never join anything. They are
    dropped after each batch, whose size doubles, so that the slow loop sees few.
    """
    used: list[list[int]] = []
    n_samples = batch = len(forest.parent)
    while len(edges) and forest.n_trees > 1:
        used += [edge for edge in edges[:batch].tolist() if forest.join(*edge)]
        i, j = forest.roots()[edges[batch:].T]
        apart = [a * n_samples + b for a, roots in forest.apart.items() for b in roots]
        is_open = (i != j) & ~np.isin(i * n_samples + j, apart)
        edges = edges[batch:][is_open]
        batch *= 2
    return used


class _Centroids:
    """Distances between the means of groups."""

    def __init__(self, X: Floats, labels: Labels) -> None:
        order = np.argsort(labels, kind="stable")
        self.size = np.bincount(labels)
        first = np.cumsum(self.size) - self.size
        self.mean = np.add.reduceat(X[order], first) / self.size[:, None]

    def gaps(self, group: int, others: Labels) -> Floats:
        gaps: Floats = np.linalg.norm(self.mean[others] - self.mean[group], axis=1)
        return gaps

    def merge(self, kept: int, lost: int) -> None:
        self.size[kept] += self.size[lost]
        share = self.size[lost] / self.size[kept]
        self.mean[kept] += share * (self.mean[lost] - self.mean[kept])


class _Agglomeration:
    """Merges the closest trees that are not separated, single samples first.

    Each group stores its nearest allowed group, so no table of all distances is needed.
    When that group merges, the stored gap becomes a lower bound; it is computed again
    when it is the smallest of all.
    """

    def __init__(self, forest: _Forest, linkage: _Centroids) -> None:
        labels = forest.labels()
        self.forest = forest
        self.linkage = linkage
        # Groups are numbered as in the labels the linkage was built from.
        self.root = forest.roots()[np.unique(labels, return_index=True)[1]].tolist()
        self.group = {root: g for g, root in enumerate(self.root)}
        self.is_alive = np.ones(len(self.root), dtype=bool)
        self.is_single = np.bincount(labels) == 1
        self.is_stale = np.ones(len(self.root), dtype=bool)
        self.nearest = np.zeros(len(self.root), dtype=np.intp)
        self.gap = np.zeros(len(self.root))

    def run(self, n_clusters: int) -> None:
        """Merge until `n_clusters` trees remain, or all are separated."""
        while self.forest.n_trees > n_clusters:
            g = self._closest()
            if self.gap[g] == np.inf:
                return
            if self.is_stale[g]:
                self._measure(g)
            else:
                self._merge(g, int(self.nearest[g]))

    def _closest(self) -> int:
        single = np.where(self.is_single, self.gap, np.inf)
        g = single.argmin()
        return int(g if single[g] < np.inf else self.gap.argmin())

    def _measure(self, g: int) -> tuple[Labels, Floats]:
        allowed = self.is_alive.copy()
        apart = self.forest.apart.get(self.root[g], ())
        allowed[[g, *(self.group[root] for root in apart)]] = False
        others = np.flatnonzero(allowed)
        gaps = self.linkage.gaps(g, others)
        self.gap[g] = gaps.min(initial=np.inf)
        if len(others):
            self.nearest[g] = others[gaps.argmin()]
        self.is_stale[g] = False
        return others, gaps

    def _merge(self, a: int, b: int) -> None:
        self.forest.join(self.root[a], self.root[b])
        kept = self.group[self.forest.find(self.root[a])]
        lost = a + b - kept
        self.linkage.merge(kept, lost)
        self.is_alive[lost] = self.is_single[kept] = self.is_single[lost] = False
        self.gap[lost] = np.inf
        self.is_stale |= np.isin(self.nearest, (kept, lost))
        others, gaps = self._measure(kept)
        # If the merged group is nearer, the gaps of the others are lower bounds.
        self.is_stale[others] |= gaps < self.gap[others]
        self.gap[others] = np.minimum(self.gap[others], gaps)
