"""Data and judgements of a run."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzypairs.datasets import (
    describe,
    load,
    pairs_from_memberships,
    ratings_to_memberships,
    simulate_pairs,
)
from fuzzypairs.datasets.registry import PAPER
from fuzzypairs.pairs import PairSet

__all__ = ["BENCHMARKS", "FACES", "FACE_GROUPS", "GROUPS", "Problem", "load_problem"]

# In the order of the paper, (a) to (s).
BENCHMARKS = tuple(info.name for info in PAPER)
GROUPS = ("i", "ii", "iii", "iv")
# Stands in for the faces of the paper.
FACES = "sjaffe_nofear"
FACE_GROUPS = (*GROUPS, "v")


@dataclass(frozen=True, eq=False)
class Problem:
    """What a method is given, and what it is measured by.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        Standardised.
    classes : ndarray of shape (n_samples,)
        From 0 on.
    memberships : ndarray of shape (n_samples, n_classes) or None
        The truth behind `classes`, where it is graded.
    pairs : PairSet
        Empty if there is no group.
    n_clusters : int
        The number of classes.

    Examples
    --------
    >>> from fuzzypairs.reproduction.data import load_problem
    >>> load_problem("wine", "", 0).X.shape
    (178, 13)
    """

    X: NDArray[np.float64]
    classes: NDArray[np.int64]
    memberships: NDArray[np.float64] | None
    pairs: PairSet
    n_clusters: int


# A process works through the groups of one dataset before it turns to the next.
@lru_cache(maxsize=4)
def load_problem(dataset: str, group: str, draw: int) -> Problem:
    """Return the standardised data and the judgements that `draw` seeds.

    Examples
    --------
    >>> from fuzzypairs.reproduction.data import load_problem
    >>> problem = load_problem("wine", "iv", 0)
    >>> problem.n_clusters, len(problem.pairs)
    (3, 18)
    """
    data = _load(dataset)
    X = np.ascontiguousarray(data.data)
    if describe(dataset).kind == "memberships":
        truth = ratings_to_memberships(data.mean_ratings)
        classes = truth.argmax(axis=1)
    else:
        truth, classes = None, data.target
    name: Any = group
    if not group:
        pairs = PairSet.empty(len(X))
    elif truth is not None:
        pairs = pairs_from_memberships(truth, name, random_state=draw)
    else:
        ratio = describe(dataset).pair_ratio
        pairs = simulate_pairs(X, classes, name, random_state=draw, ratio=ratio)
    return Problem(X, classes.astype(np.int64), truth, pairs, int(classes.max()) + 1)


@lru_cache(maxsize=1)
def _load(dataset: str) -> Any:
    return load(dataset, scale=True, download=False)
