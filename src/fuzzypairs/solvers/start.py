"""The start of a fit: the parameter `init` of estimators."""

from collections.abc import Callable
from dataclasses import dataclass
from math import log
from types import NoneType

import numpy as np
from numpy.typing import ArrayLike

from fuzzypairs import _core
from fuzzypairs._typing import Data, Floats, Labels
from fuzzypairs.pairs import PairSet
from fuzzypairs.solvers.given import read_given
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
