"""Clustering by dominant sets under pairwise judgements (DSC)."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.linalg.blas import dsymv
from scipy.spatial.distance import pdist, squareform
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags

from fuzzypairs._typing import Floats, Ints
from fuzzypairs.baselines.labels import LabelClusterer
from fuzzypairs.cluster.notes import Note
from fuzzypairs.pairs import PairSet
from fuzzypairs.spaces.kernel_spaces import check_square
from fuzzypairs.validation import check_choice, check_flag, check_integer

__all__ = ["DSC"]

Product = Callable[[Floats], Floats]

# Samples with a weight below this share of the cutoff are not live: they are left out
# of the product until their weight exceeds it.
NEGLIGIBLE = 1e-6
# Steps between two updates of the live samples: a share of the steps so far, within
# these bounds.
UPDATE_SHARE = 1 / 4
UPDATE_BOUNDS = (8, 256)
# Samples are left out when they are a tenth of the live ones, or would cost more than a
# new copy of the affinities until the next update.
LEAVE_SHARE = 10
# Rows of affinities that are copied at a time.
ROWS_AT_A_TIME = 256


class Preset(NamedTuple):
    """When a run ends, and which samples are members of the set."""

    eps: float  # least gain of x'Ax in a step, over its value at the start
    cutoff: float  # members have more weight
    is_relative: bool  # the cutoff is divided by the number of rows

    def least_weight(self, n_rows: int) -> float:
        return self.cutoff / n_rows if self.is_relative else self.cutoff


PRESETS = {
    "paper": Preset(1e-3, float(np.finfo(np.float64).eps), False),
    "converged": Preset(1e-9, 1e-5, True),
}


class DSC(LabelClusterer):
    """Dominant-set clustering, with judgements added to the affinities.

    A dominant set generalises a maximal clique to weights: it is the support of a
    strict local maximiser of

        x'Ax  over  x >= 0, sum(x) = 1,

    for affinities A = exp(-distance / scale) with a zero diagonal, where the scale is
    the median of all distances. Pairs judged alike have the affinity 1 and those judged
    unlike 0, whatever the strength. Sets are extracted one after another, each from the
    samples that the earlier ones left, and the most cohesive (largest x'Ax) become the
    clusters.

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
    assign_rest : bool, default=False
        Whether samples of no kept set join the one with the largest a'x / x'Ax.
        Above 1, the sample would belong to the set.
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
        Weights x of each kept set; they sum to 1. Samples added by `assign_rest`
        have weight 0.
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
    257 sets, take some 35 s on one core, and 5 s with "paper".

    [1]_ links a code of plain dominant sets, which knows no judgements, and does not
    say how it used them; the affinities of 1 and 0 are our reading.

    A few judgements among n_samples^2 affinities hardly move the dynamics, and
    converged sets are far smaller than classes: expect little from judgements here,
    and many unassigned samples.

    References
    ----------
    .. [1] Z. Wang, S.-S. Wang, L. Bai, W.-S. Wang, Y.-H. Shao, "Fuzzy Discriminant
       Clustering with Fuzzy Pairwise Constraints", IEEE Transactions on Fuzzy Systems.
    .. [2] M. Pavan, M. Pelillo, "Dominant sets and pairwise clustering", IEEE
       Transactions on Pattern Analysis and Machine Intelligence 29 (2007), 167-172.

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
        assign_rest: bool = False,
        max_iter: int = 10_000,
        memory: str | int = "2GB",
    ) -> None:
        self.n_clusters = n_clusters
        self.preset = preset
        self.affinity = affinity
        self.assign_rest = assign_rest
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
        check_integer("max_iter", self.max_iter, 1)
        check_flag("assign_rest", self.assign_rest)

    def _bytes_needed(self, n_samples: int, n_features: int) -> int:
        # The affinities, and a copy of at most half of them.
        return (8 + 4) * n_samples**2

    def _cluster(self, X: Floats, pairs: PairSet) -> tuple[dict[str, Any], list[Note]]:
        is_given = self.affinity == "precomputed"
        A = given_affinities(X) if is_given else exponential_affinities(X)
        edit_affinities(A, pairs)
        sets = extract_sets(Dynamics(A, PRESETS[self.preset], self.max_iter))
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


@dataclass(frozen=True)
class DominantSet:
    """One set: `members` with their `weights`, both (n_members,), and x'Ax."""

    members: Ints
    weights: Floats
    cohesiveness: float
    n_iter: int
    converged: bool


def exponential_affinities(X: Floats) -> Floats:
    """Return exp(-d / scale) of standardised Euclidean distances d, zero diagonal.

    The scale is the median of all n_samples^2 distances. If that is 0, only coinciding
    samples have an affinity, as in the limit.
    """
    distances = standardised_distances(X)
    scale = median_of_square(distances, len(X))
    # In place: memory limits the number of samples.
    if scale > 0:
        np.exp(np.divide(distances, -scale, out=distances), out=distances)
    else:
        distances = (distances == 0).astype(np.float64)
    return np.asarray(squareform(distances, checks=False)).reshape(len(X), len(X))


def standardised_distances(X: Floats) -> Floats:
    """Return condensed distances, features divided by their standard deviations."""
    low, high = X.min(axis=0) / 2, X.max(axis=0) / 2  # halves: no range overflows
    varies = high > low
    if not varies.any():
        return np.zeros(len(X) * (len(X) - 1) // 2)
    Z = (X[:, varies] / 2 - low[varies]) / (high - low)[varies]
    return np.asarray(pdist(Z / Z.std(axis=0, ddof=1)))


def median_of_square(distances: Floats, n_samples: int) -> float:
    """Return the median of a whole distance matrix from its condensed form."""
    # In order the matrix is n_samples zeros, then every distance twice.
    n_entries = n_samples**2
    places = np.array([(n_entries - 1) // 2, n_entries // 2])
    inside = places[places >= n_samples]
    if not inside.size:
        return 0.0
    ranks = (inside - n_samples) // 2
    return float(np.partition(distances, ranks)[ranks].sum() / len(places))


def given_affinities(X: Floats) -> Floats:
    """Return a copy with a zero diagonal; refuse all but symmetric X in [0, 1]."""
    check_square(X, 'affinity="precomputed"')
    A = np.array(X)
    np.fill_diagonal(A, 0.0)
    # A row at a time: temporaries of the size of A would exceed the memory allowed.
    for i, row in enumerate(A):
        wrong = ~((row >= 0) & (row <= 1))
        if wrong.any():
            j = int(wrong.argmax())
            raise ValueError(
                f"X[{i}, {j}] is {row[j]:g}, expected an affinity in [0, 1]; divide X "
                "by its largest entry: that changes no dominant set"
            )
    return A


def edit_affinities(A: Floats, pairs: PairSet) -> None:
    """Write judgements into affinities, in place: 1 for alike pairs, 0 for unlike."""
    pairs = pairs.informative
    A[pairs.i, pairs.j] = A[pairs.j, pairs.i] = pairs.similar


def extract_sets(dynamics: "Dynamics") -> list[DominantSet]:
    """Extract dominant sets until no sample is left; return them in this order.

    Examples
    --------
    >>> A = exponential_affinities(np.array([[0.0], [0.1], [0.2], [5.0], [5.1]]))
    >>> dynamics = Dynamics(A, PRESETS["converged"], 1000)
    >>> [found.members.tolist() for found in extract_sets(dynamics)]
    [[0, 1, 2], [3, 4]]
    """
    left = np.arange(len(dynamics.A))
    sets = []
    while left.size:
        x, n_iter, converged = dynamics.run(left)
        # No step was taken: no affinity is left, and the rest is one set.
        is_member = (x > dynamics.preset.least_weight(left.size)) | (n_iter == 0)
        members, x = left[is_member], x[is_member] / x[is_member].sum()
        cohesiveness = float(x @ payoffs(dynamics.A, members, members, x))
        sets.append(DominantSet(members, x, cohesiveness, n_iter, converged))
        left = left[~is_member]
    return sets


def label_samples(
    A: Floats, sets: list[DominantSet], assign_rest: bool
) -> tuple[Ints, Floats]:
    """Return labels (n_samples,), -1 for none, and weights (n_sets, n_samples).

    With `assign_rest`, other samples get the label of the largest a'x / x'Ax above 0.
    """
    labels, weights = np.full(len(A), -1), np.zeros((len(sets), len(A)))
    for label, found in enumerate(sets):
        labels[found.members] = label
        weights[label, found.members] = found.weights
    if assign_rest:
        rest = np.flatnonzero(labels == -1)
        shares = np.zeros((len(sets), rest.size))
        for share, found in zip(shares, sets, strict=True):
            if found.cohesiveness > 0:
                share[:] = payoffs(A, rest, found.members, found.weights)
                share /= found.cohesiveness
        labels[rest] = np.where(shares.max(axis=0) > 0, shares.argmax(axis=0), -1)
    return labels, weights


class Dynamics:
    """Replicator dynamics, x <- x (Ax) / x'Ax, within any rows of one matrix.

    `A` (n_samples, n_samples) is symmetric and >= 0, with a zero diagonal.

    A step costs O(n_live^2): samples of tiny weight are left out of the product. Their
    weights, which may fall to 1e-50 and rise again, are updated every few steps from
    the average weights of the others (the mean logarithm of a payoff is approximated by
    the logarithm of the mean).

    Examples
    --------
    >>> A = np.array([[0, 0.8, 0.1], [0.8, 0, 0.1], [0.1, 0.1, 0]])
    >>> x, *_ = Dynamics(A, PRESETS["converged"], 1000).run(np.arange(3))
    >>> x.round(6)
    array([0.5, 0.5, 0. ])
    """

    def __init__(self, A: Floats, preset: Preset, max_iter: int) -> None:
        self.A = A
        self.preset = preset
        self.max_iter = max_iter
        # Allocated once: runs copy up to half of the affinities here.
        self._room = np.empty(A.size // 2)

    def run(self, rows: Ints) -> tuple[Floats, int, bool]:
        """Return weights (n_rows,), the number of steps, and whether they converged.

        Runs begin at equal weights. Without affinities, no step is taken.
        """
        least = np.log(NEGLIGIBLE * self.preset.least_weight(rows.size))
        live, rest = np.arange(rows.size), np.arange(0)
        x = np.full(rows.size, 1 / rows.size)
        log_x = np.log(x)
        product = self._product(rows)
        least_gain = self.preset.eps * float(x @ product(x))
        if least_gain <= 0:
            return x, 0, True
        n_iter, ended, until_update = 0, False, UPDATE_BOUNDS[0]
        while not ended and n_iter < self.max_iter:
            n_steps = min(until_update, self.max_iter - n_iter)
            mean, taken, log_divisors, ended = replicate(
                product, x, least_gain, n_steps
            )
            n_iter += taken
            with np.errstate(divide="ignore"):  # a weight may vanish for good
                log_x[live] = np.log(x)
                gains = np.log(payoffs(self.A, rows[rest], rows[live], mean))
            growth = gains - log_divisors / taken
            log_x[rest] += taken * growth
            is_live = log_x > least
            n_leaving = np.count_nonzero(~is_live[live])
            until_update = int(np.clip(n_iter * UPDATE_SHARE, *UPDATE_BOUNDS))
            is_wasteful = n_leaving * max(until_update, LEAVE_SHARE) > live.size
            if is_live[rest].any() or is_wasteful:
                live, rest = np.flatnonzero(is_live), np.flatnonzero(~is_live)
                x = np.exp(log_x[live])
                x /= x.sum()
                product = self._product(rows[live])
            else:
                first = steps_to_return(least - log_x[rest], growth)
                until_update = min(until_update, first)
        x = np.exp(log_x)
        return x / x.sum(), n_iter, ended

    def _product(self, rows: Ints) -> Product:
        """Return the function that multiplies by the affinities within some rows.

        They are copied, unless they are more than half of all affinities: then all are
        multiplied, with weight 0 for the other samples.
        """
        n_rows = rows.size
        if n_rows**2 > self._room.size:
            weights = np.zeros(len(self.A))

            def product(x: Floats) -> Floats:
                weights[rows] = x
                return multiply(self.A, weights)[rows]

            return product
        B = self._room[: n_rows**2].reshape(n_rows, n_rows)
        for first in range(0, n_rows, ROWS_AT_A_TIME):
            part = slice(first, first + ROWS_AT_A_TIME)
            np.take(self.A[rows[part]], rows, axis=1, out=B[part], mode="clip")
        return partial(multiply, B)


def multiply(B: Floats, x: Floats) -> Floats:
    """Return Bx for symmetric B; reading half of B takes half the time."""
    return np.asarray(dsymv(1.0, B.T, x))


def payoffs(A: Floats, rows: Ints, live: Ints, x: Floats) -> Floats:
    """Return the mean affinity of each row to the live samples, by their weights."""
    out = np.zeros(rows.size)
    if rows.size:
        for first in range(0, live.size, ROWS_AT_A_TIME):
            part = slice(first, first + ROWS_AT_A_TIME)
            # By symmetry a column is a row: it is read in order.
            out += x[part] @ np.take(A[live[part]], rows, axis=1)
    return out


def replicate(
    product: Product, x: Floats, least_gain: float, n_steps: int
) -> tuple[Floats, int, float, bool]:
    """Take up to `n_steps` steps x <- x (Bx) / x'Bx, in place; `product` returns Bx.

    Returns the average of the weights before each step, the number of steps, the sum
    of the logarithms of what x was divided by, and whether the last gain of x'Bx was
    below `least_gain`.
    """
    mean = np.zeros_like(x)
    log_divisors = 0.0
    f = product(x)
    value = x @ f
    for step in range(1, n_steps + 1):
        mean += x
        x *= f
        total = x.sum()
        x /= total
        log_divisors += np.log(total)
        f = product(x)
        before, value = value, x @ f
        if value - before < least_gain:
            return mean / step, step, log_divisors, True
    return mean / n_steps, n_steps, log_divisors, False


def steps_to_return(gap: Floats, growth: Floats) -> int:
    """Return the steps until the first sample returns, at the present growth."""
    grows = growth > 0
    steps = gap[grows] / growth[grows]
    return int(np.clip(steps.min(initial=UPDATE_BOUNDS[1]), *UPDATE_BOUNDS))
