"""What a fit begins with, read from the store in the process of the fit."""

from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from fuzzypairs.labelling.store import connect
from fuzzypairs.pairs import PairSet
from fuzzypairs.pairs.stored import copy_to_memory

__all__ = ["Judged", "StoredJudgements"]


@dataclass(frozen=True, eq=False)
class Judged:
    """What a fit begins with.

    Attributes
    ----------
    pairs : PairSet
        The judgements of all graders.
    named : dict of int to str
        Names of clusters, by a row of each.
    """

    pairs: PairSet
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
        """Return the judgements, and names of clusters."""
        with (
            closing(connect(self.path)) as connection,
            closing(copy_to_memory(connection)) as copy,
        ):
            row = {name: number for number, name in enumerate(self.names)}
            names = copy.execute("SELECT id, name FROM cluster_names").fetchall()
        named = {row[name]: called for name, called in names if name in row}
        return Judged(self.pairs(), named)
