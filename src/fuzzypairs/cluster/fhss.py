"""Fuzzy hierarchical semi-supervised clustering under graded pairs (FHSS)."""

from typing import Any, Literal

from fuzzypairs._typing import Floats
from fuzzypairs.cluster.labels import LabelClusterer
from fuzzypairs.cluster.notes import Note
from fuzzypairs.pairs import PairSet
from fuzzypairs.solvers.dendrogram import (
    Linkage,
    Tie,
    agreement,
    best_level,
    build_tree,
    level_below_jump,
    level_of_count,
    partition,
)
from fuzzypairs.validation import check_choice, check_flag, check_integer, check_number

__all__ = ["FHSS"]

# Finer steps tell no more levels apart, and each costs a pass over the samples.
LEAST_STEP = 1e-3


class FHSS(LabelClusterer):
    """Hierarchical clustering with graded must-links and cannot-links.

    Grades change the distances D (Euclidean, of standardised X, over the largest),

        D_pq <- (1 - s) D_pq for s >= 0,  D_pq <- D_pq + |s| (1 - D_pq) for s < 0,

    a dendrogram is built on them, its heights divided by the highest, and it is cut
    at the level c where most of the judgements are satisfied, weighted by strength:

        A(c) = sum_pairs |s_pq| [p, q in one cluster == (s_pq > 0)] / sum_pairs |s_pq|.

    Parameters
    ----------
    n_clusters : int, default=None
        The most clusters. Used by ``cut="k"``, and by ``cut="agreement"`` where
        there are no judgements to agree with.
    linkage : {"average", "complete", "single"}, default="average"
        Distance of two clusters. "single" is the max-min transitive closure of the
        similarity 1 - D; it chains.
    step : float in [0.001, 1), default=0.05
        The levels tried are 0, step, 2 step, ..., 1.
    cut : {"agreement", "fixed", "k"}, default="agreement"
        Where to cut: the level of the largest A(c); the similarity `alpha`, a height
        of ``1 - alpha``; or the lowest level with at most `n_clusters` clusters. With
        neither judgements nor `n_clusters`, "agreement" cuts below the largest jump
        between successive heights.
    tie : {"coarse", "fine"}, default="coarse"
        The highest or the lowest of the levels with the same agreement. "fine" is
        closer to the published scores.
    alpha : float in [0, 1), default=0.05
        The similarity of ``cut="fixed"``.
    enforce : bool, default=False
        Whether grades of 1 and -1 must be satisfied: samples chained by must-links are
        joined first, and no merge crosses a cannot-link. Weaker grades may still be
        violated. Not for ``linkage="single"``.
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
        alpha-cuts are the partitions. Merges that `enforce` forbids are at 2.
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
        linkage: Linkage = "average",
        step: float = 0.05,
        cut: Literal["agreement", "fixed", "k"] = "agreement",
        tie: Tie = "coarse",
        alpha: float = 0.05,
        enforce: bool = False,
        memory: int | str = "2GB",
    ) -> None:
        self.n_clusters = n_clusters
        self.linkage = linkage
        self.step = step
        self.cut = cut
        self.tie = tie
        self.alpha = alpha
        self.enforce = enforce
        self.memory = memory

    def _check_parameters(self) -> None:
        check_choice("linkage", self.linkage, ["average", "complete", "single"])
        check_choice("cut", self.cut, ["agreement", "fixed", "k"])
        check_choice("tie", self.tie, ["coarse", "fine"])
        check_number("step", self.step, LEAST_STEP, 1.0)
        check_number("alpha", self.alpha, 0.0, 1.0)
        if self.n_clusters is not None:
            check_integer("n_clusters", self.n_clusters, 1)
        elif self.cut == "k":
            raise ValueError(
                'n_clusters is None but cut="k" needs it; give the number of clusters'
            )
        if check_flag("enforce", self.enforce) and self.linkage == "single":
            raise ValueError(
                'enforce=True needs linkage="average" or "complete", got "single", '
                "whose nearest members would hide a cannot-link between others"
            )

    def _bytes_needed(self, n_samples: int, n_features: int) -> int:
        # The distances, SciPy's copy of them, and scaled data.
        return 8 * n_samples * (n_samples - 1) + 16 * n_samples * n_features

    def _cluster(self, X: Floats, pairs: PairSet) -> tuple[dict[str, Any], list[Note]]:
        pairs = pairs.informative
        tree = build_tree(X, pairs, self.linkage, self.enforce)
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
        if self.cut == "fixed":
            return 1.0 - self.alpha
        if self.cut == "agreement" and len(pairs):
            return best_level(tree, pairs, float(self.step), self.tie)
        if self.n_clusters is not None:
            return level_of_count(tree, self.n_clusters)
        return level_below_jump(tree)
