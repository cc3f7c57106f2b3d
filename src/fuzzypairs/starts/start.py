"""Where a fit begins: what the parameter `init` of an estimator stands for."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from fuzzypairs._typing import Data, Floats, Labels
from fuzzypairs.pairs import PairSet
from fuzzypairs.spaces.moments import is_sparse
from fuzzypairs.spaces.space import Space
from fuzzypairs.starts.given import read_given
from fuzzypairs.starts.pair_graph import pair_graph
from fuzzypairs.starts.seeds import kmeans_plusplus, random_labels, spread_samples

__all__ = ["NAMES", "Init", "Start", "is_deterministic", "resolve_start"]

Init = str | ArrayLike | Callable[[Data, int, np.random.RandomState], ArrayLike]

# Starts that `init` can name.
NAMES = ("k-means++", "random", "pair-graph")


@dataclass(frozen=True, eq=False)
class Start:
    """Where a fit begins: exactly one of prototypes, samples, labels, memberships."""

    centers: Data | None = None  # (n_clusters, n_features)
    rows: Labels | None = None  # (n_clusters,), where samples are the only points
    labels: Labels | None = None  # (n_samples,), some clusters may be empty
    memberships: Floats | None = None  # (n_samples, n_clusters), rows sum to 1

    def __post_init__(self) -> None:
        given = [name for name, value in vars(self).items() if value is not None]
        if len(given) != 1:
            raise ValueError(
                f"a Start was given {given}, expected exactly one of {list(vars(self))}"
            )


def resolve_start(
    init: Init,
    X: Data,
    n_clusters: int,
    *,
    pairs: PairSet | None = None,
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
    pairs : PairSet, default=None
        Judgements, for "pair-graph".
    sample_weight : ndarray of shape (n_samples,), default=None
        Weights, for "k-means++".
    random_state : RandomState
    space : Space, default=None
        The space of the samples; None is Euclidean space.
    """
    n_samples = X.shape[0]
    if not isinstance(init, str):
        name = "init"
        if callable(init):
            init, name = init(X, n_clusters, random_state), "init()"
        given = read_given(init, name, n_samples, n_clusters)
        return Start(labels=given) if given.ndim == 1 else Start(memberships=given)
    if init == "k-means++" and space is not None:
        return Start(rows=spread_samples(space, n_clusters, random_state=random_state))
    if init == "k-means++":
        centers = kmeans_plusplus(
            X, n_clusters, sample_weight=sample_weight, random_state=random_state
        )
        return Start(centers=centers)
    if init == "random":
        labels = random_labels(n_samples, n_clusters, random_state=random_state)
        return Start(labels=labels)
    if init != "pair-graph":
        raise ValueError(
            f"init is {init!r}, expected one of {', '.join(map(repr, NAMES))}, an "
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
    """Tell whether `init` always gives the same start, so that one fit is enough.

    A callable may draw, and does not count.
    """
    return init == "pair-graph" if isinstance(init, str) else not callable(init)
