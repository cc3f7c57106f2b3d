"""The data and judgements that a run is fitted to."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from fuzzypairs import PairSet
from fuzzypairs._typing import Floats, Ints
from fuzzypairs.datasets import (
    describe,
    load,
    pairs_from_memberships,
    ratings_to_memberships,
    simulate_pairs,
)
from fuzzypairs.datasets.registry import PAPER

# In the order of the paper, (a) to (s).
BENCHMARKS = tuple(info.name for info in PAPER)
GROUPS = ("i", "ii", "iii", "iv")
# Stands in for the faces of the paper.
FACES = "sjaffe_nofear"
FACE_GROUPS = (*GROUPS, "v")


@dataclass(frozen=True, eq=False)
class Benchmark:
    """Standardised data with judgements (none without a group), and the truth."""

    X: Floats
    classes: Ints  # from 0 on
    memberships: Floats | None  # the truth behind the classes, where it is graded
    pairs: PairSet

    @property
    def n_clusters(self) -> int:
        """The number of classes."""
        return int(self.classes.max()) + 1


# A process completes the groups of one dataset before it turns to the next.
@lru_cache(maxsize=4)
def load_benchmark(dataset: str, group: str, draw: int) -> Benchmark:
    """Return the data of a dataset, and the judgements that `draw` seeds.

    Examples
    --------
    >>> from fuzzypairs.reproduction.data import load_benchmark
    >>> wine = load_benchmark("wine", "iv", 0)
    >>> wine.X.shape, wine.n_clusters, len(wine.pairs)
    ((178, 13), 3, 18)
    """
    data, info = _load(dataset), describe(dataset)
    X = np.ascontiguousarray(data.data)
    truth, classes = None, data.target
    if info.kind == "memberships":
        truth = ratings_to_memberships(data.mean_ratings)
        classes = truth.argmax(axis=1)
    name: Any = group
    if not group:
        pairs = PairSet.empty(len(X))
    elif truth is not None:
        pairs = pairs_from_memberships(truth, name, random_state=draw)
    else:
        ratio = info.pair_ratio
        pairs = simulate_pairs(X, classes, name, random_state=draw, ratio=ratio)
    return Benchmark(X, classes.astype(np.int64), truth, pairs)


@lru_cache(maxsize=1)
def _load(dataset: str) -> Any:
    return load(dataset, scale=True, download=False)
