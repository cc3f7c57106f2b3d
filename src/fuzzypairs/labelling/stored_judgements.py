"""What a fit begins with, read from the store in the process of the fit."""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from fuzzypairs._typing import Ints
from fuzzypairs.labelling.graders import measure_agreement
from fuzzypairs.labelling.store import connect, read_answers
from fuzzypairs.pairs import PairSet
from fuzzypairs.pairs.stored import copy_to_memory

__all__ = ["Judged", "StoredJudgements", "cluster_names"]


@dataclass(frozen=True, eq=False)
class Judged:
    """What a fit begins with.

    Attributes
    ----------
    pairs : PairSet
        The judgements of all graders.
    is_noisy : bool
        Whether single judgements may be wrong.
    named : dict of int to str
        Names of clusters, by a row of each.
    """

    pairs: PairSet
    is_noisy: bool = False
    named: dict[int, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class StoredJudgements:
    """Reads the judgements of a store, in any process.

    Attributes
    ----------
    path : Path
    names : list of str
        Names of the rows, as the store has them.
    """

    path: Path
    names: list[str]

    def pairs(self) -> PairSet:
        """Return all judgements as they stand."""
        return PairSet.from_store(self.path, ids=self.names)

    def __call__(self) -> Judged:
        """Return the judgements, how sure graders are, and names of clusters."""
        with (
            closing(connect(self.path)) as connection,
            closing(copy_to_memory(connection)) as copy,
        ):
            is_noisy = measure_agreement(read_answers(copy)).is_noisy
            row = {name: number for number, name in enumerate(self.names)}
            names = copy.execute("SELECT id, name FROM cluster_names").fetchall()
        named = {row[name]: called for name, called in names if name in row}
        return Judged(self.pairs(), is_noisy, named)


def cluster_names(labels: Ints, named: Mapping[int, str], n_clusters: int) -> list[str]:
    """Return the names of clusters by those of rows; empty where there is none.

    A cluster with several named rows has all of their names.

    Parameters
    ----------
    labels : ndarray of shape (n_rows,)
    named : mapping of int to str
    n_clusters : int

    Examples
    --------
    >>> import numpy as np
    >>> cluster_names(np.array([1, 1, 0]), {0: "red", 1: "pink"}, 3)
    ['', 'pink / red', '']
    """
    found: list[set[str]] = [set() for _ in range(n_clusters)]
    for row, name in named.items():
        found[int(labels[row])].add(name)
    return [" / ".join(sorted(names)) for names in found]
