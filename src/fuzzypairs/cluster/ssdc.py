"""Semi-supervised density-peak clustering (SSDC)."""

import warnings
from collections import defaultdict
from collections.abc import Iterable
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import pdist
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import validate_data

from fuzzypairs._typing import Floats, Ints, Mask
from fuzzypairs.exceptions import FuzzyPairsWarning
from fuzzypairs.kernels.peaks import (
    border_densities,
    cluster_gaps,
    count_distinct,
    count_near,
    find_parents,
    follow_parents,
    nth_distinct,
    sum_gaussians,
)
from fuzzypairs.pairs import PairSet
from fuzzypairs.validation import (
    check_bytes,
    check_choice,
    check_number,
    check_room,
)

__all__ = ["SSDC"]

Links = list[tuple[int, int]]

# For each entry of n_samples^2: 4 for the distances, of which one triangle is kept in
# float64, and 4 for their sorted copy or, later, for the gaps between clusters.
BYTES = 8
# Fewer samples than this are one cluster unless judgements part them.
FEW = 4
# Contradictions that a warning spells out.
LISTED = 20


class SSDC(ClusterMixin, BaseEstimator):
    """Semi-supervised density-peak clustering.

    Starts from more density peaks than there are clusters, splits the clusters that
    hold two samples judged unlike, then joins those that hold two samples judged
    alike, and at last those that touch; never against a judgement of unlike. The
    number of clusters is an outcome.

    Only the sign of a judgement counts: above 0 a must-link, below 0 a cannot-link.

    Parameters
    ----------
    percent : float in [0, 100), default=3.0
        Where the cut-off distance lies among the sorted distinct distances; 2 to 10
        is useful. The cut-off is at least the smallest distance above 0.
    divisor : float of 1 or more, default=1
        ``floor(sqrt(n_samples) / divisor)`` peaks begin.
    kernel : {"cutoff", "gaussian"}, default="cutoff"
        Density of a sample: the number of others closer than the cut-off, or the sum
        of ``exp(-(distance / cutoff)^2)`` over them.
    use_halo : bool, default=False
        Let only samples denser than the border of their first cluster tell whether
        clusters touch. It blocks most of these merges.
    merge_adjacent : bool, default=True
        Merge clusters that touch.
    memory : str or int, default="2GB"
        The most that matrices may take, as text or in bytes: 8 n_samples^2 bytes are
        needed, or the fit is refused.

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
        Which samples tell whether clusters touch; all without `use_halo`.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        If X has names of type str.

    Notes
    -----
    The method of [1]_, on the density peaks of [2]_, as its public code has it, with
    departures: every must-link is tried, without cannot-links too; a merged cluster
    touches whatever its parts touched, and the closest clusters merge first; the halo
    uses distances. A peak has a positive score (density times distance to a denser
    sample), and without any the first of the densest samples is the only one.

    Every cannot-link holds in the result. Two judgements of one pair are averaged by
    `PairSet`; a cannot-link within a chain of must-links is warned of, and wins. A
    must-link may stay unmet elsewhere, too, where a cannot-link parts the clusters of
    its samples. Judgements act in the order of their samples.

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
    >>> from fuzzypairs.cluster.ssdc import SSDC
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

    def fit(self, X: ArrayLike, y: object = None, *, pairs: Any = None) -> Self:
        """Find clusters of X under the judgements `pairs`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data, with features of one scale.
        y : ignored
        pairs : PairSet, triples (i, j, grade), array, sparse matrix or DataFrame
            Judgements of rows of X; see `PairSet.coerce`. None: no judgements.

        Returns
        -------
        self : SSDC
        """
        allowed = self._check_parameters()
        # On a blank model: a fit that fails leaves this one as it was.
        blank = type(self)()
        data: Floats = validate_data(blank, X, dtype=np.float64, order="C")
        n_samples = len(data)
        judged = PairSet.coerce(pairs, n_samples)
        check_room("SSDC", n_samples, BYTES * n_samples**2, allowed)
        must, cannot = links(judged, judged.similar), links(judged, judged.dissimilar)

        dist = distances(data)
        cutoff = cutoff_distance(dist, self.percent)
        # All samples in one place have no distance to measure densities by.
        density = sum_gaussians if self.kernel == "gaussian" and cutoff else count_near
        rho: Floats = density(dist, cutoff, n_samples)
        order = np.argsort(-rho, kind="stable")
        rank = np.argsort(order)
        delta, parent = find_parents(dist, rank)
        score = rho * delta

        # A cluster goes by the sample at its centre until the end.
        labels = np.full(n_samples, -1)
        first = peaks(score, order, self.divisor)
        labels[first] = first
        follow_parents(order, parent, labels)
        core = np.ones(n_samples, dtype=np.bool_)
        if self.use_halo:
            core = core_samples(dist, labels, rho, cutoff)
        split_clusters(labels, score, order, parent, cannot)
        merge_clusters(labels, must, cannot, rank)
        if self.merge_adjacent:
            touching = adjacent_clusters(dist, labels, core, cutoff)
            merge_clusters(labels, touching, cannot, rank)

        self.__dict__.pop("feature_names_in_", None)
        learned = {n: v for n, v in blank.__dict__.items() if n.endswith("_in_")}
        self.__dict__.update(learned)
        self.centers_, self.labels_ = np.unique(labels, return_inverse=True)
        self.n_clusters_ = len(self.centers_)
        self.rho_, self.delta_, self.dc_ = rho, delta, cutoff
        self.core_mask_ = core
        warn_contradictions(judged)
        return self

    def _check_parameters(self) -> int:
        check_number("percent", self.percent, 0.0, 100.0)
        check_number("divisor", self.divisor, 1.0)
        check_choice("kernel", self.kernel, ["cutoff", "gaussian"])
        for name in ("use_halo", "merge_adjacent"):
            value = getattr(self, name)
            if not isinstance(value, bool | np.bool_):
                raise TypeError(f"{name} must be True or False, got {value!r}")
        return check_bytes("memory", self.memory)


def links(pairs: PairSet, mask: Mask) -> Links:
    """Return the masked pairs as (i, j), sorted."""
    return list(zip(pairs.i[mask].tolist(), pairs.j[mask].tolist(), strict=True))


def warn_contradictions(pairs: PairSet) -> None:
    """Name the cannot-links whose samples a chain of must-links joins."""
    alike = pairs.similar
    must = PairSet(pairs.i[alike], pairs.j[alike], pairs.grade[alike], pairs.n_samples)
    _, group = must.components()
    left, right = group[pairs.i], group[pairs.j]
    contradicted = links(pairs, pairs.dissimilar & (left == right) & (left >= 0))
    if contradicted:
        named = ", ".join(str(link) for link in contradicted[:LISTED])
        more = len(contradicted) - LISTED
        warnings.warn(
            f"pairs contradict each other: judged unlike but alike through a chain of "
            f"others: {named}{f' and {more} more' if more > 0 else ''}; these samples "
            "are kept apart, and the chains broken. Look for wrong judgements",
            FuzzyPairsWarning,
            stacklevel=3,
        )


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
    n_distinct = count_distinct(ordered)
    nth = int(np.floor(n_distinct * percent / 100 + 0.5))
    return float(nth_distinct(ordered, min(max(nth, 2), n_distinct)))


def peaks(score: Floats, order: Ints, divisor: float) -> Ints:
    """Return the samples with one of the highest scores, and all that tie with them."""
    n_samples = len(score)
    n_peaks = max(1, int(np.sqrt(n_samples) / divisor))
    lowest = np.partition(score, n_samples - n_peaks)[n_samples - n_peaks]
    found = np.flatnonzero((score >= lowest) & (score > 0))
    return found if n_samples >= FEW and len(found) else order[:1]


def core_samples(dist: Floats, labels: Ints, rho: Floats, cutoff: float) -> Mask:
    """Return which samples are at least as dense as the border of their cluster."""
    centers, codes = np.unique(labels, return_inverse=True)
    borders = border_densities(dist, codes, rho, cutoff, len(centers))
    core: Mask = rho >= borders[codes]
    return core


def split_clusters(
    labels: Ints, score: Floats, order: Ints, parent: Ints, cannot: Links
) -> None:
    """Add centres until no cannot-link lies within a cluster, in place.

    Every round makes one more sample a centre, and a centre is alone in the end, so
    there are fewer rounds than samples.
    """
    for p, q in cannot:
        while labels[p] == labels[q]:
            center = labels[p]
            members = np.flatnonzero(labels == center)
            if np.count_nonzero(score[members] > 0) >= 2:
                others = members[members != center]
                new = others[np.argmax(score[others])]
            else:
                new = q if p == center else p
            labels[members] = -1
            labels[center], labels[new] = center, new
            follow_parents(order, parent, labels)


def merge_clusters(
    labels: Ints, linked: Iterable[tuple[int, int]], cannot: Links, rank: Ints
) -> None:
    """Merge the clusters of linked samples where no cannot-link forbids it, in place.

    The denser centre survives.
    """
    foes: dict[int, set[int]] = defaultdict(set)
    for p, q in cannot:
        foes[labels[p]].add(labels[q])
        foes[labels[q]].add(labels[p])
    for p, q in linked:
        kept, lost = sorted((labels[p], labels[q]), key=rank.__getitem__)
        if kept == lost or lost in foes[kept]:
            continue
        labels[labels == lost] = kept
        for foe in foes.pop(lost, ()):
            foes[foe].remove(lost)
            foes[foe].add(kept)
            foes[kept].add(foe)


def adjacent_clusters(
    dist: Floats, labels: Ints, core: Mask, cutoff: float
) -> Iterable[tuple[int, int]]:
    """Return the centres of each two clusters closer than `cutoff`, nearest first.

    Merging along them while that is allowed is single linkage: a merged cluster is as
    close to another as the closer of its parts.
    """
    centers, codes = np.unique(labels, return_inverse=True)
    k = len(centers)
    gaps = cluster_gaps(dist, codes, core, k)
    near = np.flatnonzero(gaps < cutoff)
    near = near[np.argsort(gaps[near], kind="stable")]
    # From the place in the condensed gaps back to row and column.
    starts = np.cumsum(np.arange(k, 0, -1)) - k
    rows = np.searchsorted(starts, near, side="right") - 1
    columns = near - starts[rows] + rows + 1
    return zip(centers[rows].tolist(), centers[columns].tolist(), strict=True)
