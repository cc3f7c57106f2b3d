"""Errors and warnings by name."""

from collections.abc import Sequence
from typing import Any

__all__ = [
    "ClustersVanishedWarning",
    "FewPairsWarning",
    "FuzzyPairsWarning",
    "ModelFileError",
    "PairsError",
    "PrototypesCoincideWarning",
    "ReadingWarning",
    "UnusablePairsWarning",
    "VersionMismatchWarning",
]


class PairsError(ValueError):
    """Judgements that cannot be used; the message names the one at fault.

    Parameters
    ----------
    reason : str
        What is wrong, and what to do: the end of the message.
    place : str, default=""
        The argument at fault.
    index : int, default=None
        The judgement at fault, counted from 0 in `place`.
    rows : sequence of int, default=()
        The samples that it joins.

    Examples
    --------
    >>> error = PairsError("to itself", place="pairs", index=4, rows=[7])
    >>> str(error)
    'pairs[4] joins sample 7 to itself'
    >>> error.worded("line 6", {7: "oak"})
    "line 6 joins 'oak' to itself"
    """

    def __init__(
        self,
        reason: str,
        *,
        place: str = "",
        index: int | None = None,
        rows: Sequence[int] = (),
    ) -> None:
        self.reason = reason
        self.place = place
        self.index = index
        self.rows = tuple(map(int, rows))
        super().__init__(self.worded())

    def worded(self, subject: str | None = None, names: Any = None) -> str:
        """Return the message, with another `subject` than ``place[index]``.

        Samples are called by their entry of `names`, a sequence or mapping by rows.
        """
        if subject is None:
            subject = self.place + ("" if self.index is None else f"[{self.index}]")
        words = [subject] if subject else []
        if self.rows and names is not None:
            words += ["joins", " and ".join(repr(names[row]) for row in self.rows)]
        elif self.rows:
            noun = "sample" if len(self.rows) == 1 else "samples"
            words += ["joins", noun, " and ".join(map(str, self.rows))]
        return " ".join([*words, self.reason])


class ModelFileError(ValueError):
    """A file that is damaged, foreign or holds what must not be loaded."""


class FuzzyPairsWarning(UserWarning):
    """The base of every warning that this package gives itself."""


class ClustersVanishedWarning(FuzzyPairsWarning):
    """Fewer clusters survived than `n_clusters` allowed."""


class FewPairsWarning(FuzzyPairsWarning):
    """Too few judgements to hold some out, so a search went by something else."""


class UnusablePairsWarning(FuzzyPairsWarning):
    """Held-out judgements were kept no better than by chance, and none were used."""


class PrototypesCoincideWarning(FuzzyPairsWarning):
    """Two prototypes ended at one place, so their clusters are one."""


class ReadingWarning(FuzzyPairsWarning):
    """A file was read in a way that its author may not have meant."""


class VersionMismatchWarning(FuzzyPairsWarning):
    """A model file was written by another version."""
