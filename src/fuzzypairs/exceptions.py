"""Errors and warnings by name."""

import sqlite3
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
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

# What errors of SQLite mean (https://sqlite.org/rescode.html), and what to do.
SQLITE = {
    sqlite3.SQLITE_ERROR: "is no file of judgements: {}",
    sqlite3.SQLITE_BUSY: "is locked by another program: close it there, or wait",
    sqlite3.SQLITE_LOCKED: "is locked by another program: close it there, or wait",
    sqlite3.SQLITE_READONLY: "may not be written ({}): allow it, or name another file",
    sqlite3.SQLITE_CORRUPT: "is damaged ({}): take a copy of it, or name another file",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened ({}): check that it and its folder may "
    "be read and written",
    sqlite3.SQLITE_NOTADB: "is no file of judgements: {}",
}


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
    """A model file that is damaged, or contains what must not be loaded.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import fuzzypairs
    >>> from fuzzypairs.exceptions import ModelFileError
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "model.skops"
    ...     _ = path.write_text("not a model")
    ...     try:
    ...         fuzzypairs.load(path)
    ...     except ModelFileError:
    ...         print("refused")
    refused
    """


class FuzzyPairsWarning(UserWarning):
    """Base class of the warnings of this package.

    Examples
    --------
    Turn all of them into errors, in a script that must not go on:

    >>> import warnings
    >>> from fuzzypairs.exceptions import FuzzyPairsWarning
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", FuzzyPairsWarning)
    """


class ClustersVanishedWarning(FuzzyPairsWarning):
    """Fewer clusters survived than `n_clusters` allowed.

    Examples
    --------
    >>> import warnings
    >>> from fuzzypairs import FDC
    >>> X = [[0.0], [0.1], [5.0], [5.1]]
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     model = FDC(4, alpha=0.3, random_state=0).fit(X)
    >>> model.n_clusters_ < 4, caught[0].category.__name__
    (True, 'ClustersVanishedWarning')
    """


class FewPairsWarning(FuzzyPairsWarning):
    """Too few judgements to hold some out: a search scored settings by stability.

    Examples
    --------
    >>> import warnings
    >>> from fuzzypairs import FDC, PairSearchCV
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    >>> search = PairSearchCV(FDC(), {"n_clusters": [2, 3]}, random_state=0)
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     _ = search.fit(X, pairs=[(0, 1, 0.9)])
    >>> search.chosen_by_, caught[0].category.__name__
    ('stability', 'FewPairsWarning')
    """


class UnusablePairsWarning(FuzzyPairsWarning):
    """Held-out judgements were satisfied no better than by chance; none were used.

    Examples
    --------
    >>> import warnings
    >>> from fuzzypairs.exceptions import UnusablePairsWarning
    >>> warnings.simplefilter("always", UnusablePairsWarning)  # not only the first
    """


class PrototypesCoincideWarning(FuzzyPairsWarning):
    """Two prototypes coincide, so their clusters are one.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> from fuzzypairs import FuzzyCMeans
    >>> X = np.random.default_rng(0).normal(size=(200, 20))  # no direction leads
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     model = FuzzyCMeans(2, random_state=0).fit(X)
    >>> model.memberships_[0].round(2), caught[0].category.__name__
    (array([0.5, 0.5]), 'PrototypesCoincideWarning')
    """


class ReadingWarning(FuzzyPairsWarning):
    r"""A file was read in a way that its author may not have meant.

    Examples
    --------
    >>> import tempfile, warnings
    >>> from pathlib import Path
    >>> from fuzzypairs.tables.table_files import read_items
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "prices.csv"
    ...     _ = path.write_text("item;price\noak;1,5\nash;2,5\n")
    ...     with warnings.catch_warnings(record=True) as caught:
    ...         warnings.simplefilter("always")
    ...         _ = read_items(path)
    >>> caught[0].category.__name__
    'ReadingWarning'
    """


class VersionMismatchWarning(FuzzyPairsWarning):
    """A model file was written by another version.

    Examples
    --------
    >>> import warnings
    >>> from fuzzypairs.exceptions import VersionMismatchWarning
    >>> warnings.simplefilter("error", VersionMismatchWarning)  # refuse other versions
    """


def is_locked(error: Exception) -> bool:
    """Tell whether SQLite waited in vain for another user of the file."""
    return isinstance(error, sqlite3.Error) and _kind(error) in (
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
    )


def sqlite_sentence(path: object, error: sqlite3.Error) -> str:
    """Return what an error of SQLite means for users of a file of judgements."""
    return f"{path} {SQLITE.get(_kind(error), 'cannot be used: {}').format(error)}"


def _kind(error: sqlite3.Error) -> int:
    # The upper bytes tell the cause.
    return (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF


@contextmanager
def warnings_as_notes() -> Iterator[list[str]]:
    """Yield a list that holds each warning once, as a sentence, at the end."""
    notes: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield notes
    notes += dict.fromkeys(str(warning.message) for warning in caught)
