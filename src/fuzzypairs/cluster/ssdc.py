"""Semi-supervised density-peak clustering (SSDC)."""

from typing import Any, Literal

import numpy as np

from fuzzypairs._typing import Floats
from fuzzypairs.cluster.labels import LabelClusterer
from fuzzypairs.cluster.notes import Note
from fuzzypairs.exceptions import FuzzyPairsWarning
from fuzzypairs.pairs import PairSet
from fuzzypairs.solvers.constraints import contradicted_links
from fuzzypairs.solvers.density_peaks import find_density_peaks
from fuzzypairs.validation import check_choice, check_flag, check_number

__all__ = ["SSDC"]

# Contradictions that a warning spells out.
LISTED = 20


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
    kernel : {"cutoff", "gaussian"}, default="cutoff"
        Density of a sample: the number of others closer than the cut-off, or the sum
        of ``exp(-(distance / cutoff)^2)`` over them.
    use_halo : bool, default=False
        Let only samples denser than the border of their first cluster decide whether
        clusters are adjacent. It blocks most of these merges.
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
        Densities.
    delta_ : ndarray of shape (n_samples,)
        Distance to the nearest denser sample; for the densest the largest of them.
    dc_ : float
        The cut-off distance.
    core_mask_ : ndarray of shape (n_samples,)
        Which samples decide whether clusters are adjacent; all without `use_halo`.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        If X has names of type str.

    Notes
    -----
    The method of [1]_, on the density peaks of [2]_, as its public code has it, with
    departures: every must-link is tried, without cannot-links too; a merged cluster
    is adjacent to whatever its parts were, and the closest clusters merge first; the
    halo uses distances. A peak has a positive score (density times distance to a
    denser sample), and without any the first of the densest samples is the only one.

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
        kernel: Literal["cutoff", "gaussian"] = "cutoff",
        use_halo: bool = False,
        merge_adjacent: bool = True,
        memory: str | int = "2GB",
    ) -> None:
        self.percent = percent
        self.divisor = divisor
        self.kernel = kernel
        self.use_halo = use_halo
        self.merge_adjacent = merge_adjacent
        self.memory = memory

    def _check_parameters(self) -> None:
        check_number("percent", self.percent, 0.0, 100.0)
        check_number("divisor", self.divisor, 1.0)
        check_choice("kernel", self.kernel, ["cutoff", "gaussian"])
        check_flag("use_halo", self.use_halo)
        check_flag("merge_adjacent", self.merge_adjacent)

    def _bytes_needed(self, n_samples: int, n_features: int) -> int:
        # Distances, and their sorted copy or, later, the gaps between clusters.
        return (4 + 4) * n_samples**2

    def _cluster(self, X: Floats, pairs: PairSet) -> tuple[dict[str, Any], list[Note]]:
        found = find_density_peaks(
            X,
            pairs,
            percent=float(self.percent),
            divisor=self.divisor,
            gaussian=self.kernel == "gaussian",
            use_halo=self.use_halo,
            merge_adjacent=self.merge_adjacent,
        )
        centers, labels = np.unique(found.centers, return_inverse=True)
        learned = {
            "labels_": labels,
            "n_clusters_": len(centers),
            "centers_": centers,
            "rho_": found.density,
            "delta_": found.delta,
            "dc_": found.cutoff,
            "core_mask_": found.core,
        }
        wrong = contradicted_links(pairs, pairs.similar, pairs.dissimilar)
        if not len(wrong):
            return learned, []
        named = ", ".join(str(tuple(link)) for link in wrong[:LISTED].tolist())
        more = f" and {len(wrong) - LISTED} more" if len(wrong) > LISTED else ""
        message = (
            "pairs contradict each other: judged unlike but alike through a chain of "
            f"others: {named}{more}; these samples are separated, and the chains "
            "violated. Look for wrong judgements"
        )
        return learned, [(message, FuzzyPairsWarning)]
