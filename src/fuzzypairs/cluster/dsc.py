"""Clustering by dominant sets under pairwise judgements (DSC)."""

from typing import Any, Literal

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags

from fuzzypairs._typing import Floats
from fuzzypairs.cluster.labels import LabelClusterer
from fuzzypairs.cluster.notes import Note
from fuzzypairs.pairs import PairSet
from fuzzypairs.solvers.affinities import (
    FORBID,
    edit_affinities,
    exponential_affinities,
    given_affinities,
)
from fuzzypairs.solvers.dominant_sets import extract_sets, label_samples
from fuzzypairs.solvers.replicator_dynamics import PRESETS, Dynamics
from fuzzypairs.validation import (
    check_choice,
    check_flag,
    check_integer,
    check_number,
)

__all__ = ["DSC"]


class DSC(LabelClusterer):
    """Dominant-set clustering, with judgements added to the affinities.

    A dominant set generalises a maximal clique to weights: it is the support of a
    strict local maximiser of

        x'Ax  over  x >= 0, sum(x) = 1,

    for affinities A = exp(-distance / scale) with a zero diagonal. Sets are extracted
    one after another, each from the samples that the earlier ones left, and the most
    cohesive (largest x'Ax) become the clusters.

    Parameters
    ----------
    n_clusters : int, default=8
        The most sets to keep; samples of all others are left unassigned.
    preset : {"converged", "paper"}, default="converged"
        "converged" gives real dominant sets: small, tight and many. "paper" stops
        the search long before it converges, as the figures printed in [1]_ need;
        the first set then holds most samples.
    affinity : {"exponential", "precomputed"}, default="exponential"
        "exponential": of Euclidean distances, each feature divided by its standard
        deviation. "precomputed": X holds affinities in [0, 1]; its diagonal is not
        read.
    scale : float > 0 or "median", default="median"
        Distance at which affinities have fallen to 1/e. "median" takes the median of
        all distances, the zeros of the diagonal included.
    constraint_mode : {"edit", "forbid", "seeded"}, default="edit"
        "edit": alike pairs get affinity 1, unlike ones 0. "forbid" gives unlike
        pairs a negative affinity, so that no set holds both. "seeded" edits, and
        first searches for one set around each group of samples linked by alike pairs.
    graded : bool, default=False
        Whether a judgement s acts by its strength, A + s (1 - A) or A (1 - |s|),
        or by its sign only. "forbid" always forbids.
    assign_rest : bool, default=False
        Whether samples of no kept set join the one with the largest a'x / x'Ax.
        Above 1, the sample would belong to the set.
    close_must_links : bool, default=False
        Whether a set takes in the samples judged alike with its members, except
        those judged unlike one: affinities alone do not guarantee that.
    max_iter : int, default=10000
        The most steps in the search for one set.
    memory : str or int, default="2GB"
        The most that matrices may take, as in "500MB" or in bytes; a fit that needs
        more is refused. It needs 12 n_samples^2 bytes: 2 GB for 12 900 samples.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Sets by decreasing cohesiveness, 0 for the first; -1 for samples in none that
        was kept.
    characteristic_vectors_ : ndarray of shape (n_clusters_, n_samples)
        Weights x of each kept set; they sum to 1. Samples added by
        `close_must_links` or `assign_rest` have weight 0.
    cohesiveness_ : ndarray of shape (n_clusters_,)
        x'Ax of each kept set.
    prototypes_ : ndarray of shape (n_clusters_,)
        The sample of the largest weight in each kept set.
    n_clusters_ : int
        Number of kept sets.
    n_sets_found_ : int
        Number of all sets.
    n_iter_ : ndarray of shape (n_clusters_,)
        Steps taken to find each kept set.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        If X has names of type str.

    See Also
    --------
    FDC : Fuzzy clusters, guided by the strength of judgements.

    Notes
    -----
    Replicator dynamics, x <- x (Ax) / (x'Ax), raise x'Ax in every step [2]_. A search
    begins at equal weights, ends when a step gains less than 1e-9 ("paper": 1e-3) of
    the first x'Ax, and keeps the samples of weight above 1e-5 / n_left ("paper": the
    machine epsilon). It is deterministic. Samples in perfect symmetry keep equal
    weights, even where separating them would gain.

    Time: O(n_samples^2) a step at first, less as weights vanish; tens of steps for a
    set with "paper", thousands with "converged". 6 435 samples of 36 features, with
    257 sets, take some 35 s on one core, and 5 s with "paper". "seeded" suits some two
    hundred samples: its penalty grows with n_samples and its steps shrink, so that
    on more it ends at `max_iter`, with a warning, before a set has separated from the
    rest.

    A few judgements among n_samples^2 affinities hardly move the dynamics, and
    converged sets are far smaller than classes: expect little from judgements here,
    and many unassigned samples.

    References
    ----------
    .. [1] Z. Wang, S.-S. Wang, L. Bai, W.-S. Wang, Y.-H. Shao, "Fuzzy Discriminant
       Clustering with Fuzzy Pairwise Constraints", IEEE Transactions on Fuzzy Systems.
    .. [2] M. Pavan, M. Pelillo, "Dominant sets and pairwise clustering", IEEE
       Transactions on Pattern Analysis and Machine Intelligence 29 (2007), 167-172.
    .. [3] E. Zemene, M. Pelillo, "Interactive image segmentation using constrained
       dominant sets", European Conference on Computer Vision (2016), 278-294;
       the source of "seeded".

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzypairs import DSC
    >>> X = np.array([[0.0], [0.1], [0.2], [3.0], [3.1], [9.0]])
    >>> DSC(n_clusters=2).fit(X).labels_
    array([ 0,  0,  0,  1,  1, -1])
    >>> DSC(n_clusters=2, assign_rest=True).fit(X, pairs=[(0, 3, -1)]).labels_
    array([0, 0, 0, 1, 1, 1])
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        preset: Literal["converged", "paper"] = "converged",
        affinity: Literal["exponential", "precomputed"] = "exponential",
        scale: float | Literal["median"] = "median",
        constraint_mode: Literal["edit", "forbid", "seeded"] = "edit",
        graded: bool = False,
        assign_rest: bool = False,
        close_must_links: bool = False,
        max_iter: int = 10_000,
        memory: str | int = "2GB",
    ) -> None:
        self.n_clusters = n_clusters
        self.preset = preset
        self.affinity = affinity
        self.scale = scale
        self.constraint_mode = constraint_mode
        self.graded = graded
        self.assign_rest = assign_rest
        self.close_must_links = close_must_links
        self.max_iter = max_iter
        self.memory = memory

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.affinity == "precomputed"
        return tags

    def _check_parameters(self) -> None:
        check_integer("n_clusters", self.n_clusters, 1)
        check_choice("preset", self.preset, list(PRESETS))
        check_choice("affinity", self.affinity, ["exponential", "precomputed"])
        if isinstance(self.scale, str):
            check_choice("scale", self.scale, ["median"])
        elif check_number("scale", self.scale, 0.0, words=["median"]) == 0:
            raise ValueError('scale must be above 0, or "median", got 0')
        modes = ["edit", "forbid", "seeded"]
        check_choice("constraint_mode", self.constraint_mode, modes)
        check_integer("max_iter", self.max_iter, 1)
        for name in ("graded", "assign_rest", "close_must_links"):
            check_flag(name, getattr(self, name))

    def _bytes_needed(self, n_samples: int, n_features: int) -> int:
        # The affinities, and a copy of at most half of them.
        return (8 + 4) * n_samples**2

    def _cluster(self, X: Floats, pairs: PairSet) -> tuple[dict[str, Any], list[Note]]:
        scale = None if isinstance(self.scale, str) else float(self.scale)
        is_given = self.affinity == "precomputed"
        A = given_affinities(X) if is_given else exponential_affinities(X, scale)
        forbid = self.constraint_mode == "forbid"
        edit_affinities(A, pairs, graded=self.graded, forbid=forbid)
        shift = FORBID if forbid else 0.0
        sets = extract_sets(
            Dynamics(A, PRESETS[self.preset], self.max_iter, shift),
            pairs,
            forbid=forbid,
            seeded=self.constraint_mode == "seeded",
            close_must_links=self.close_must_links,
        )
        ranked = sorted(sets, key=lambda found: found.cohesiveness, reverse=True)
        kept = ranked[: self.n_clusters]
        labels, vectors = label_samples(A, kept, self.assign_rest)
        learned = {
            "labels_": labels,
            "characteristic_vectors_": vectors,
            "cohesiveness_": np.array([found.cohesiveness for found in kept]),
            "prototypes_": vectors.argmax(axis=1),
            "n_clusters_": len(kept),
            "n_sets_found_": len(sets),
            "n_iter_": np.array([found.n_iter for found in kept]),
        }
        n_unfinished = sum(not found.converged for found in sets)
        if not n_unfinished:
            return learned, []
        message = (
            f"{n_unfinished} of {len(sets)} sets were still moving after max_iter="
            f"{self.max_iter} steps; raise it for their last members"
        )
        return learned, [(message, ConvergenceWarning)]
