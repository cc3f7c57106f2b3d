"""The start of a fit: the parameter `init` of estimators."""

from collections.abc import Callable
from dataclasses import dataclass
from math import log
from types import NoneType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fuzzypairs import _core
from fuzzypairs._typing import Data, Floats, Labels
from fuzzypairs.pairs import PairSet
from fuzzypairs.solvers.pair_graph import pair_graph
from fuzzypairs.spaces.moments import is_sparse
from fuzzypairs.spaces.space import Space
from fuzzypairs.validation import check_function, shown

Init = str | ArrayLike | Callable[[Data, int, np.random.RandomState], ArrayLike]

# Starts that `init` can name.
NAMES = ("k-means++", "random", "pair-graph")


@dataclass(frozen=True, eq=False)
class Start:
    """The start of a fit: exactly one of prototypes, samples, labels, memberships."""

    centers: Data | None = None  # (n_clusters, n_features)
    rows: Labels | None = None  # (n_clusters,), where samples are the only points
    labels: Labels | None = None  # (n_samples,), some clusters may be empty
    memberships: Floats | None = None  # (n_samples, n_clusters), rows sum to 1

    def __post_init__(self) -> None:
        if list(map(type, vars(self).values())).count(NoneType) != 3:
            given = [name for name, value in vars(self).items() if value is not None]
            raise ValueError(
                f"a Start was given {given}, expected exactly one of {list(vars(self))}"
            )


def resolve_start(
    init: Init,
    X: Data,
    n_clusters: int,
    *,
    pairs: PairSet | None = None,
    sample_weight: Floats | None = None,
    random_state: np.random.RandomState,
    space: Space | None = None,
    n_threads: int = 1,
) -> Start:
    """Return the start that `init` stands for.

    `init` is one of `NAMES`, an array of labels (n_samples,) or memberships (n_samples,
    n_clusters), or a callable (X, n_clusters, random_state) that returns such an array.
    "pair-graph" uses the judgements, "k-means++" the weights. The space None is
    Euclidean space.
    """
    n_samples = X.shape[0]
    if not isinstance(init, str):
        name = "init"
        if isinstance(init, type):
            raise TypeError(
                f"init is the class {init.__name__}, expected a name, an array or a "
                "function"
            )
        if callable(init):
            check_function("init", init, "X", "n_clusters", "random_state")
            init, name = init(X, n_clusters, random_state), "init()"
        given = read_given(init, name, n_samples, n_clusters)
        return Start(labels=given) if given.ndim == 1 else Start(memberships=given)
    if init == "k-means++" and space is not None:
        return Start(rows=spread_samples(space, n_clusters, random_state=random_state))
    if init == "k-means++":
        centers = kmeans_plusplus(
            X,
            n_clusters,
            sample_weight=sample_weight,
            random_state=random_state,
            n_threads=n_threads,
        )
        return Start(centers=centers)
    if init == "random":
        labels = random_labels(n_samples, n_clusters, random_state=random_state)
        return Start(labels=labels)
    if init != "pair-graph":
        raise ValueError(
            f"init is {shown(init)}, expected one of {', '.join(map(repr, NAMES))}, an "
            "array of labels or memberships, or a callable that returns one"
        )
    if is_sparse(X) or (space is not None and space.pairwise):
        raise ValueError(
            'init="pair-graph" joins near rows of a table of numbers, but X is '
            f"{'sparse' if is_sparse(X) else 'a matrix of samples against samples'}; "
            'use init="k-means++" or "random"'
        )
    pairs = PairSet.empty(n_samples) if pairs is None else pairs
    return Start(labels=pair_graph(X, n_clusters, pairs))


def is_deterministic(init: Init) -> bool:
    """Tell whether `init` always gives the same start; a callable may be random."""
    return init == "pair-graph" if isinstance(init, str) else not callable(init)


def kmeans_plusplus(
    X: Data,
    n_clusters: int,
    *,
    sample_weight: Floats | None = None,
    random_state: np.random.RandomState,
    n_threads: int = 1,
) -> Data:
    """Choose rows of X (n_clusters, n_features) by greedy k-means++.

    Rows are repeated only if X has fewer distinct ones. A sample of weight 0 is not
    chosen unless all weights are 0. The number of candidates is that of scikit-learn.
    """
    draws = random_state.random_sample((n_clusters, 2 + int(log(n_clusters))))
    X = np.ascontiguousarray(X)
    weight = None
    if sample_weight is not None and sample_weight.any():
        weight = np.ascontiguousarray(sample_weight, dtype=np.float64)
    return np.asarray(X[_core.kmeans_plusplus(X, weight, draws, n_threads)])


def spread_samples(
    space: Space, n_clusters: int, *, random_state: np.random.RandomState
) -> Labels:
    """Choose samples (n_clusters,) of any space by greedy k-means++."""
    mass = space.weight if space.weight.any() else np.ones(space.n_samples)
    rows = [_draw_row(mass, random_state.uniform())]
    closest = space.distances_to_samples(np.array(rows))[:, 0]
    while len(rows) < n_clusters:
        chance = mass * closest
        chance = chance if chance.any() else mass
        draws = random_state.uniform(size=2 + int(log(n_clusters)))
        candidates = np.array([_draw_row(chance, draw) for draw in draws])
        distance = space.distances_to_samples(candidates)
        np.minimum(distance, closest[:, None], out=distance)
        best = int(np.argmin(mass @ distance))
        rows.append(int(candidates[best]))
        closest = distance[:, best].copy()
    return np.array(rows, dtype=np.intp)


def _draw_row(chance: Floats, draw: float) -> int:
    cumulative = np.cumsum(chance)
    row = np.searchsorted(cumulative, draw * cumulative[-1], side="right")
    # Sums that overflow would point behind the last row.
    return min(int(row), len(chance) - 1)


def random_labels(
    n_samples: int, n_clusters: int, *, random_state: np.random.RandomState
) -> Labels:
    """Draw labels (n_samples,) uniformly, as in the experiments of the paper.

    One random sample is reserved for each cluster, so that none is empty if there are
    enough samples.
    """
    labels = random_state.randint(n_clusters, size=n_samples, dtype=np.intp)
    reserved = random_state.permutation(n_samples)[:n_clusters]
    labels[reserved] = np.arange(len(reserved))
    return labels


# Tolerance of sums of memberships: it accepts float32 and printed decimals, not scores
# that were never normalised.
SUM_TOLERANCE = 1e-6


def read_given(init: Any, name: str, n_samples: int, n_clusters: int) -> NDArray[Any]:
    """Return labels (n_samples,) or memberships (n_samples, n_clusters), checked.

    Memberships are normalised to sum to 1 exactly, in a copy. Messages call the
    argument by `name`.
    """
    try:
        array = np.asarray(init)
    except Exception:  # rows of different lengths, or an object that fails
        array = np.empty((), dtype=object)
    if array.dtype.kind not in "biuf" or array.ndim not in (1, 2):
        raise ValueError(
            f"{name} is a {type(init).__name__} of shape {array.shape} and type "
            f"{array.dtype}, expected numbers: labels of shape ({n_samples},) or "
            f"memberships of shape ({n_samples}, {n_clusters})"
        )
    read = _read_labels if array.ndim == 1 else _read_memberships
    return read(array, name, n_samples, n_clusters)


def _read_labels(
    labels: NDArray[Any], name: str, n_samples: int, n_clusters: int
) -> Labels:
    if len(labels) != n_samples:
        raise ValueError(
            f"{name} has {len(labels)} labels but X has {n_samples} rows; "
            "give one label to each sample"
        )
    # Written so that NaN, which compares false, is refused as well.
    is_label = (labels >= 0) & (labels < n_clusters) & (labels == np.floor(labels))
    if not is_label.all():
        row = is_label.argmin()
        raise ValueError(
            f"{name}[{row}] is {labels[row]}, expected a whole number from 0 to "
            f"{n_clusters - 1}; raise n_clusters or number the labels from 0"
        )
    return labels.astype(np.intp)


def _read_memberships(
    U: NDArray[Any], name: str, n_samples: int, n_clusters: int
) -> Floats:
    if U.shape != (n_samples, n_clusters):
        raise ValueError(
            f"{name} has shape {U.shape}, expected ({n_samples}, {n_clusters}): one "
            "row for each sample of X and one column for each of n_clusters"
        )
    U = U.astype(np.float64)
    is_membership = np.isfinite(U) & (U >= 0)
    if not is_membership.all():
        row, cluster = np.argwhere(~is_membership)[0]
        raise ValueError(
            f"{name}[{row}, {cluster}] is {U[row, cluster]}, expected a membership "
            "between 0 and 1"
        )
    total = U.sum(axis=1)
    excess = np.abs(total - 1)
    if excess.max() > SUM_TOLERANCE:
        row = excess.argmax()
        raise ValueError(
            f"{name}[{row}] sums to {total[row]:g}, expected 1 within "
            f"{SUM_TOLERANCE:g}; divide each row by its sum"
        )
    U /= total[:, None]
    return U
