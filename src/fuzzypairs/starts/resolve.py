"""Where a fit begins: seeds, random labels, the pair graph, or given arrays."""

from collections.abc import Callable
from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fuzzypairs._typing import Data
from fuzzypairs.kernels.seeding import choose_seeds
from fuzzypairs.spaces.moments import is_sparse
from fuzzypairs.spaces.space import Space
from fuzzypairs.starts.pair_graph import fold_groups, pair_graph_labels

__all__ = [
    "NAMES",
    "Start",
    "is_deterministic",
    "kmeans_plusplus",
    "pair_graph",
    "random_labels",
    "resolve_start",
    "spread_samples",
]

Init = str | ArrayLike | Callable[[Data, int, np.random.RandomState], ArrayLike]

# Starts that `init` can name.
NAMES = ("k-means++", "random", "pair-graph")
# How far the memberships of a sample may sum from 1: float32 and printed decimals
# pass, scores that were never normalised do not.
SUM_TOLERANCE = 1e-6


@dataclass(frozen=True, eq=False)
class Start:
    """Where a fit begins: exactly one of prototypes, samples, labels, memberships.

    Parameters
    ----------
    centers : ndarray of shape (n_clusters, n_features), default=None
        Prototypes.
    rows : ndarray of shape (n_clusters,), default=None
        Samples that are the prototypes, where a space has no other points.
    labels : ndarray of shape (n_samples,), default=None
        Clusters, 0 to n_clusters - 1; some may be empty.
    memberships : ndarray of shape (n_samples, n_clusters), default=None
        Rows are >= 0 and sum to 1.

    Examples
    --------
    >>> import numpy as np
    >>> Start(labels=np.array([0, 1, 1])).labels
    array([0, 1, 1])
    """

    centers: Data | None = None
    rows: NDArray[np.intp] | None = None
    labels: NDArray[np.intp] | None = None
    memberships: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        given = [name for name, value in vars(self).items() if value is not None]
        if len(given) != 1:
            raise ValueError(
                f"a Start was given {given}, expected exactly one of {list(vars(self))}"
            )


def kmeans_plusplus(
    X: Data,
    n_clusters: int,
    *,
    sample_weight: Data | None = None,
    random_state: np.random.RandomState,
) -> Start:
    """Start from samples that are far apart: greedy k-means++.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Finite float32 or float64.
    n_clusters : int
        Number of prototypes.
    sample_weight : ndarray of shape (n_samples,), default=None
        Non-negative; a sample of weight 0 is never chosen, unless all are 0.
    random_state : RandomState
        Source of the draws.

    Returns
    -------
    start : Start
        `centers`, rows of X. They repeat only if X has fewer distinct rows.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [0.1], [9.0], [9.1]])
    >>> start = kmeans_plusplus(X, 2, random_state=np.random.RandomState(0))
    >>> np.sort(np.round(start.centers.ravel()))
    array([0., 9.])
    """
    if sample_weight is None:
        sample_weight = np.ones(len(X))
    # As many candidates a step as in scikit-learn.
    n_trials = 2 + int(log(n_clusters))
    draws = random_state.random_sample((n_clusters, n_trials))
    rows = choose_seeds(
        np.ascontiguousarray(X), np.ascontiguousarray(sample_weight, float), draws
    )
    return Start(centers=X[rows])


def spread_samples(
    space: Space, n_clusters: int, *, random_state: np.random.RandomState
) -> Start:
    """Start from samples that are far apart in any space: greedy k-means++.

    Parameters
    ----------
    space : Space
        Holds the samples and their weights.
    n_clusters : int
        Number of prototypes.
    random_state : RandomState
        Source of the draws.

    Returns
    -------
    start : Start
        `rows`.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzypairs.spaces.vectors import Manhattan
    >>> space = Manhattan().fit(np.array([[0.0], [0.1], [9.0], [9.1]]))
    >>> start = spread_samples(space, 2, random_state=np.random.RandomState(0))
    >>> bool(set(start.rows // 2) == {0, 1})
    True
    """
    n_trials = 2 + int(log(n_clusters))
    mass = space.weight if space.weight.any() else np.ones(space.n_samples)
    rows = [_draw_row(mass, random_state.uniform())]
    closest = space.distances_to_samples(np.array(rows))[:, 0]
    while len(rows) < n_clusters:
        chance = mass * closest
        chance = chance if chance.any() else mass
        draws = random_state.uniform(size=n_trials)
        candidates = np.array([_draw_row(chance, draw) for draw in draws])
        distance = space.distances_to_samples(candidates)
        np.minimum(distance, closest[:, None], out=distance)
        best = int(np.argmin(mass @ distance))
        rows.append(int(candidates[best]))
        closest = distance[:, best].copy()
    return Start(rows=np.array(rows, dtype=np.intp))


def _draw_row(chance: NDArray[np.float64], draw: float) -> int:
    cumulative = np.cumsum(chance)
    return int(np.searchsorted(cumulative, draw * cumulative[-1], side="right"))


def random_labels(
    n_samples: int, n_clusters: int, *, random_state: np.random.RandomState
) -> Start:
    """Start from one-hot random memberships, as the paper's experiments do.

    Parameters
    ----------
    n_samples, n_clusters : int
        Numbers of samples and clusters.
    random_state : RandomState
        Source of the draws.

    Returns
    -------
    start : Start
        `labels`, uniform but for one random sample set aside for each cluster:
        none is empty while there are samples enough.

    Examples
    --------
    >>> import numpy as np
    >>> random_labels(6, 3, random_state=np.random.RandomState(0)).labels
    array([0, 0, 1, 2, 1, 2])
    """
    labels = random_state.randint(n_clusters, size=n_samples, dtype=np.intp)
    reserved = random_state.permutation(n_samples)[:n_clusters]
    labels[reserved] = np.arange(len(reserved))
    return Start(labels=labels)


def pair_graph(X: Data, n_clusters: int, *, pairs: Any = None) -> Start:
    """Start from groups that obey the strong judgements.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Finite data.
    n_clusters : int
        Largest number of groups.
    pairs : PairSet, or what `PairSet.coerce` reads, default=None
        Judgements.

    Returns
    -------
    start : Start
        `labels` of at most `n_clusters` groups.

    Warns
    -----
    FuzzyPairsWarning
        If judgements keep more than `n_clusters` groups apart.

    See Also
    --------
    fuzzypairs.starts.pair_graph.pair_graph_labels : The groups.
    fuzzypairs.starts.pair_graph.fold_groups : Where surplus groups go.

    Notes
    -----
    Deterministic. Single linkage chains: with noise one group may hold nearly all
    samples, and k-means++ is often the better start.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [2.0], [9.0]])
    >>> pair_graph(X, 2, pairs=[(1, 2, -0.8)]).labels
    array([0, 0, 1, 1])
    """
    groups = pair_graph_labels(X, pairs, n_clusters)
    return Start(labels=fold_groups(X, groups.labels, pairs, n_clusters))


def resolve_start(
    init: Init,
    X: Data,
    n_clusters: int,
    *,
    pairs: Any = None,
    sample_weight: Data | None = None,
    random_state: np.random.RandomState,
    space: Space | None = None,
) -> Start:
    """Read the parameter `init` of an estimator.

    Parameters
    ----------
    init : {"k-means++", "random", "pair-graph"}, array-like or callable
        An array is labels (n_samples,) or memberships (n_samples, n_clusters). A
        callable is given (X, n_clusters, random_state) and returns such an array.
    X : ndarray of shape (n_samples, n_features)
        Finite float32 or float64.
    n_clusters : int
        Number of clusters; labels may use fewer.
    pairs : PairSet, or what `PairSet.coerce` reads, default=None
        Judgements, for "pair-graph".
    sample_weight : ndarray of shape (n_samples,), default=None
        Weights, for "k-means++".
    random_state : RandomState
        Source of the draws.
    space : Space, default=None
        Where the samples live; None is Euclidean space.

    Returns
    -------
    start : Start
        Checked; memberships are normalised to sum to 1 exactly.

    Examples
    --------
    >>> import numpy as np
    >>> X, random_state = np.zeros((3, 2)), np.random.RandomState(0)
    >>> resolve_start([0, 1, 1], X, 2, random_state=random_state).labels
    array([0, 1, 1])
    """
    if callable(init):
        array = init(X, n_clusters, random_state)
        return _read_array(array, "init()", X.shape[0], n_clusters)
    if not isinstance(init, str):
        return _read_array(init, "init", X.shape[0], n_clusters)
    if init == "k-means++" and space is not None:
        return spread_samples(space, n_clusters, random_state=random_state)
    if init == "k-means++":
        return kmeans_plusplus(
            X, n_clusters, sample_weight=sample_weight, random_state=random_state
        )
    if init == "random":
        return random_labels(X.shape[0], n_clusters, random_state=random_state)
    if init == "pair-graph" and (
        is_sparse(X) or (space is not None and space.pairwise)
    ):
        raise ValueError(
            'init="pair-graph" joins near rows of a table of numbers, but X is '
            f"{'sparse' if is_sparse(X) else 'a matrix of samples against samples'}; "
            'use init="k-means++" or "random"'
        )
    if init == "pair-graph":
        return pair_graph(X, n_clusters, pairs=pairs)
    raise ValueError(
        f"init is {init!r}, expected one of {', '.join(map(repr, NAMES))}, an array "
        "of labels or memberships, or a callable that returns one"
    )


def is_deterministic(init: Init) -> bool:
    """Tell whether `init` always gives the same start, so that one fit is enough.

    Parameters
    ----------
    init : {"k-means++", "random", "pair-graph"}, array-like or callable
        As in `resolve_start`. A callable may draw, and does not count.

    Returns
    -------
    answer : bool
        True for "pair-graph" and arrays.

    Examples
    --------
    >>> is_deterministic("pair-graph"), is_deterministic("random")
    (True, False)
    """
    return init == "pair-graph" if isinstance(init, str) else not callable(init)


def _read_array(init: Any, name: str, n_samples: int, n_clusters: int) -> Start:
    try:
        array = np.asarray(init)
    except ValueError:  # rows of different lengths
        array = np.empty((), dtype=object)
    if array.dtype.kind not in "biuf" or array.ndim not in (1, 2):
        raise ValueError(
            f"{name} is a {type(init).__name__} of shape {array.shape} and type "
            f"{array.dtype}, expected numbers: labels of shape ({n_samples},) or "
            f"memberships of shape ({n_samples}, {n_clusters})"
        )
    if array.ndim == 1:
        return Start(labels=_read_labels(array, name, n_samples, n_clusters))
    return Start(memberships=_read_memberships(array, name, n_samples, n_clusters))


def _read_labels(
    labels: NDArray[Any], name: str, n_samples: int, n_clusters: int
) -> NDArray[np.intp]:
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
) -> NDArray[np.float64]:
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
