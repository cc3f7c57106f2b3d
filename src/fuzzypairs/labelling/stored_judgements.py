"""What a fit begins with, read from the store in the process of the fit."""

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fuzzypairs.labelling.graders import measure_agreement
from fuzzypairs.labelling.store import connect, read_answers
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
    random : list of tuple of int
        Rows of the pairs that were drawn at random: they alone measure agreement
        without bias.
    is_noisy : bool
        Whether single judgements may be wrong.
    """

    pairs: PairSet
    random: list[tuple[int, int]]
    is_noisy: bool = False


@dataclass(frozen=True, eq=False)
class StoredJudgements:
    """Reads the judgements of a store, in any process.

    Attributes
    ----------
    path : Path
    ids : array-like or None
        Ids of the rows; None for row numbers.
    names : list of str
        Ids as the store has them.
    """

    path: Path
    ids: Any
    names: list[str]

    def pairs(self) -> PairSet:
        """Return all judgements as they stand."""
        return PairSet.from_store(self.path, ids=self.ids, n_samples=len(self.names))

    def __call__(self) -> Judged:
        """Return the judgements, which of them are random, and how sure graders are."""
        with (
            closing(connect(self.path)) as connection,
            closing(copy_to_memory(connection)) as copy,
        ):
            answers = read_answers(copy)
        row = {name: number for number, name in enumerate(self.names)}
        random = [
            (row[a.left_id], row[a.right_id])
            for a in answers
            if a.strategy == "random" and a.left_id in row and a.right_id in row
        ]
        return Judged(self.pairs(), random, measure_agreement(answers).is_noisy)
