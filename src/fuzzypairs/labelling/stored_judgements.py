"""What a fit begins with, read from the store in the process of the fit."""

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from fuzzypairs.labelling.graders import measure_agreement
from fuzzypairs.labelling.store import connect, read_answers
from fuzzypairs.pairs import PairSet
from fuzzypairs.pairs.stored import copy_to_memory

__all__ = ["Judged", "StoredJudgements"]

RANDOM = """
SELECT left_id, right_id FROM answers WHERE strategy = 'random' ORDER BY id"""


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
    names : list of str
        Names of the rows, as the store has them.
    """

    path: Path
    names: list[str]

    def pairs(self) -> PairSet:
        """Return all judgements as they stand."""
        return PairSet.from_store(self.path, ids=self.names)

    def __call__(self) -> Judged:
        """Return the judgements, which of them are random, and how sure graders are."""
        with (
            closing(connect(self.path)) as connection,
            closing(copy_to_memory(connection)) as copy,
        ):
            is_noisy = measure_agreement(read_answers(copy)).is_noisy
            row = {name: number for number, name in enumerate(self.names)}
            random = [
                (row[a], row[b])
                for a, b in copy.execute(RANDOM)
                if a in row and b in row
            ]
        return Judged(self.pairs(), random, is_noisy)
