"""Fuzzy hierarchical semi-supervised clustering under graded pairs (FHSS)."""

from typing import Any, Literal

import numpy as np
from scipy.cluster import hierarchy
from scipy.spatial.distance import pdist

from fuzzypairs._typing import Floats, Ints, Labels
from fuzzypairs.baselines.labels import LabelClusterer
from fuzzypairs.cluster.notes import Note
from fuzzypairs.pairs import PairSet
from fuzzypairs.pairs.consistency import satisfied, satisfied_share
from fuzzypairs.validation import check_choice, check_integer, check_number

__all__ = ["FHSS"]

Tie = Literal["coarse", "fine"]

# Finer steps tell no more levels apart, and each costs a pass over the samples.
LEAST_STEP = 1e-3
# Agreements closer than this differ by rounding.
SAME_AGREEMENT = 1e-12


class FHSS(LabelClusterer):
    """Hierarchical clustering with graded must-links and cannot-links.

    Grades change the distances D (Euclidean, of standardised X, over the largest),

        D_pq <- (1 - s) D_pq for s >= 0,  D_pq <- D_pq + |s| (1 - D_pq) for s < 0,

    average linkage builds a dendrogram on them, its heights divided by the highest, and
    it is cut at the level c where most judgements are satisfied, weighted by strength:

        A(c) = sum_pairs |s_pq| [p, q in one cluster == (s_pq > 0)] / sum_pairs |s_pq|.

    Parameters
    ----------
    n_clusters : int, default=None
        The most clusters. Used by ``cut="k"``, and by ``cut="agreement"`` where
        there are no judgements to agree with.
    step : float in [0.001, 1), default=0.05
        The levels tried are 0, step, 2 step, ..., 1.
    cut : {"agreement", "k"}, default="agreement"
        Where to cut: the level of the largest A(c), or the lowest level with at most
        `n_clusters` clusters. With neither judgements nor `n_clusters`, "agreement"
        cuts below the largest jump between successive heights.
    tie : {"coarse", "fine"}, default="coarse"
        The highest or the lowest of the levels with the same agreement. "fine" is
        closer to the published scores.
    memory : str or int, default="2GB"
        The most that matrices may take, as in "500MB" or in bytes; a fit that needs
        more is refused. It needs some 8 n_samples^2 bytes: 2 GB for 15 800 samples.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Clusters, numbered by their first samples.
    n_clusters_ : int
        Number of clusters.
    linkage_ : ndarray of shape (n_samples - 1, 4)
        The dendrogram in SciPy's format, heights in [0, 1]; 1 minus the height at
        which two samples first meet is their similarity, a fuzzy equivalence whose
        alpha-cuts are the partitions.
    cut_level_ : float
        The height of the cut.
    agreement_ : float
        A at the cut; NaN without judgements.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        If X has names of type str.

    Notes
    -----
    This is a reconstruction. [1]_ compares with the method of [2]_ and says that it
    takes soft pairwise constraints, gives labels, and has a cut-off parameter of
    0.05. The change of distances, the linkage and the choice of the level are ours:
    they lead to the pattern of the scores in [1]_ (trivial partitions for wrong
    judgements, good ones for true ones), but score higher where judgements are true.
    Quote results as those of our reconstruction.

    A few changed distances hardly move average linkage: judgements act mainly through
    the level. Few or wrong ones move it to one of its ends, one cluster or all
    samples apart; to compare at a known number of clusters, use ``cut="k"``. A level
    never separates merges of the same height, so that duplicates can make fewer
    clusters. X needs two rows or more.

    References
    ----------
    .. [1] Z. Wang, S.-S. Wang, L. Bai, W.-S. Wang, Y.-H. Shao, "Fuzzy Discriminant
       Clustering with Fuzzy Pairwise Constraints", IEEE Transactions on Fuzzy Systems.
    .. [2] I. Diaz-Valenzuela, M. A. Vila, M. J. Martin-Bautista, "On the Use of Fuzzy
       Constraints in Semisupervised Clustering", IEEE Transactions on Fuzzy Systems,
       2016.

    Examples
    --------
    >>> from fuzzypairs import FHSS
    >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0]]
    >>> model = FHSS().fit(X, pairs=[(0, 1, 0.9), (0, 3, -0.6)])
    >>> model.labels_
    array([0, 0, 0, 1, 1])
    >>> model.agreement_
    1.0
    """

    _least_samples = 2

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        step: float = 0.05,
        cut: Literal["agreement", "k"] = "agreement",
        tie: Tie = "coarse",
        memory: int | str = "2GB",
    ) -> None:
        self.n_clusters = n_clusters
        self.step = step
        self.cut = cut
        self.tie = tie
        self.memory = memory

    def _check_parameters(self) -> None:
        check_choice("cut", self.cut, ["agreement", "k"])
        check_choice("tie", self.tie, ["coarse", "fine"])
        check_number("step", self.step, LEAST_STEP, 1.0)
        if self.n_clusters is not None:
            check_integer("n_clusters", self.n_clusters, 1)
        elif self.cut == "k":
            raise ValueError(
                'n_clusters is None but cut="k" needs it; give the number of clusters'
            )

    def _bytes_needed(self, n_samples: int, n_features: int) -> int:
        # The distances, SciPy's copy of them, and scaled data.
        return 8 * n_samples * (n_samples - 1) + 16 * n_samples * n_features

    def _cluster(self, X: Floats, pairs: PairSet) -> tuple[dict[str, Any], list[Note]]:
        pairs = pairs.informative
        distances = scaled_distances(X)
        adjust_distances(distances, pairs)
        tree = link(distances)
        level = self._level(tree, pairs)
        labels = partition(tree, level)
        learned = {
            "labels_": labels,
            "n_clusters_": int(labels.max()) + 1,
            "linkage_": tree,
            "cut_level_": level,
            "agreement_": agreement(labels, pairs),
        }
        return learned, []

    def _level(self, tree: Floats, pairs: PairSet) -> float:
        if self.cut == "agreement" and len(pairs):
            return best_level(tree, pairs, float(self.step), self.tie)
        if self.n_clusters is not None:
            return level_of_count(tree, self.n_clusters)
        return level_below_jump(tree)


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
    i, j, s = pairs.i, pairs.j, pairs.grade
    places: Ints = i * (2 * pairs.n_samples - i - 1) // 2 + j - i - 1
    here = distances[places]
    distances[places] = np.where(s > 0.0, (1.0 - s) * here, here - s * (1.0 - here))


def link(distances: Floats) -> Floats:
    """Return the dendrogram of distances, its heights divided by the highest."""
    tree: Floats = hierarchy.linkage(distances, "average")
    tree[:, 2] /= tree[:, 2].max() or 1.0
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
    """Return the lowest level with at most `n_clusters` clusters."""
    # The merge that leaves this many clusters; none is needed from n_samples on.
    last = len(tree) - n_clusters
    return float(tree[last, 2]) if last >= 0 else 0.0


def level_below_jump(tree: Floats) -> float:
    """Return the height before the largest jump; the highest if there is none."""
    jumps = np.diff(tree[:, 2])
    if not jumps.any():
        return float(tree[-1, 2])
    return float(tree[jumps.argmax(), 2])
