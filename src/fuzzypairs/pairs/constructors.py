"""Constructors of `PairSet`: from triples, tables, links, labels or memberships."""

from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from fuzzypairs.exceptions import PairsError
from fuzzypairs.pairs import reading, stored
from fuzzypairs.pairs.sampling import Seed, choose_pairs
from fuzzypairs.validation import shown

__all__ = ["PairConstructors"]


class PairConstructors:
    """The class methods of `PairSet` that create one."""

    if TYPE_CHECKING:

        def __init__(
            self, i: Any, j: Any, grade: Any, n_samples: int | None = None
        ) -> None: ...

    @classmethod
    def empty(cls, n_samples: int) -> Self:
        """Return a set without judgements.

        Parameters
        ----------
        n_samples : int
            Number of rows of the data.

        Returns
        -------
        PairSet

        Examples
        --------
        >>> from fuzzypairs import PairSet
        >>> PairSet.empty(4)
        PairSet(0 pairs on 4 samples: 0 alike, 0 unlike, 0 can't say)
        """
        return cls([], [], [], n_samples)

    @classmethod
    @reading.judgements_of("triples")
    def from_triples(cls, triples: Any, n_samples: int | None = None) -> Self:
        """Read triples (i, j, grade).

        Parameters
        ----------
        triples : iterable of (i, j, grade), or array of shape (n_pairs, 3)
            Judgements, in any order.
        n_samples : int, default=None
            Number of rows of the data; None takes the largest row plus one.

        Examples
        --------
        >>> from fuzzypairs import PairSet
        >>> PairSet.from_triples([(0, 5, 0.8), (9, 3, -0.6), (1, 2, 0)])
        PairSet(3 pairs on 10 samples: 1 alike, 1 unlike, 1 can't say)
        """
        i, j, grade = reading.read_columns(triples, ("i", "j", "grade"), "pairs")
        return cls(i, j, grade, n_samples)

    @classmethod
    @reading.judgements_of("matrix")
    def from_sparse(cls, matrix: Any, n_samples: int | None = None) -> Self:
        """Read a sparse matrix of grades, one triangle or both.

        Every stored entry is one judgement, an explicit zero included ("asked,
        can't say"); what is not stored was not asked.

        Parameters
        ----------
        matrix : sparse matrix of shape (n_samples, n_samples)
            Entries (i, j) and (j, i) judge the same pair.
        n_samples : int, default=None
            Checked against the shape.

        Examples
        --------
        >>> from fuzzypairs import PairSet
        >>> from scipy.sparse import csr_array
        >>> PairSet.from_sparse(csr_array([[0, 0.8, 0], [0.8, 0, -1], [0, -1, 0]]))
        PairSet(2 pairs on 3 samples: 1 alike, 1 unlike, 0 can't say)
        """
        return cls(*reading.read_sparse(matrix, n_samples))

    @classmethod
    @reading.judgements_of("frame")
    def from_frame(
        cls,
        frame: Any,
        *,
        data: Any = None,
        id_column: str | None = None,
        n_samples: int | None = None,
    ) -> Self:
        """Read a table of judgements, such as a pandas or polars DataFrame.

        Parameters
        ----------
        frame : DataFrame
            Columns ``i, j, grade`` with row numbers, or ``a, b, grade`` with ids of
            rows of `data`. Further columns are ignored.
        data : DataFrame, default=None
            The judged data; gives `n_samples`.
        id_column : str, default=None
            Column of `data` that holds the ids, each once; None takes its index.
        n_samples : int, default=None
            Number of rows of the data, if `data` is not given.

        Examples
        --------
        >>> from fuzzypairs import PairSet
        >>> import pandas as pd
        >>> wines = pd.DataFrame({"name": ["oak", "ash", "elm"], "acid": [1, 2, 3]})
        >>> judged = pd.DataFrame({"a": ["elm"], "b": ["oak"], "grade": [0.7]})
        >>> list(PairSet.from_frame(judged, data=wines, id_column="name"))
        [(0, 2, 0.7)]
        """
        return cls(*reading.read_frame(frame, data, id_column, n_samples))

    @classmethod
    @reading.errors_of("path")
    def from_store(
        cls, path: Any, *, ids: Any = None, n_samples: int | None = None
    ) -> Self:
        """Read the judgements that the labelling page or `fuzzypairs judge` stored.

        Undone answers are left out, and edited ones are read as edited. Of several
        answers of one person to a pair the newest counts; those of several persons are
        averaged.

        Parameters
        ----------
        path : str or path-like
            The SQLite file.
        ids : sequence of str of length n_samples, default=None
            Ids of the rows, in their order, if the file goes by ids. If it goes by row
            numbers, rows are those of the table that was judged last.
        n_samples : int, default=None
            Number of rows of the data; checked if given.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> from fuzzypairs import PairSet
        >>> from fuzzypairs.labelling.store import Event, Store
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder) / "wine.db"
        ...     with Store(path) as store:
        ...         store.set_facts({"id_column": "name", "n_rows": "3"})
        ...         _ = store.append(Event("graded", "elm", "oak", "Ann", grade=0.7))
        ...     list(PairSet.from_store(path, ids=["oak", "ash", "elm"]))
        [(0, 2, 0.7)]
        """
        return cls(*stored.read_store(path, ids, n_samples))

    @classmethod
    @reading.errors_of("must, cannot or grade")
    def from_must_cannot(
        cls,
        must: Any = (),
        cannot: Any = (),
        n_samples: int | None = None,
        grade: float = 1.0,
    ) -> Self:
        """Read must-links and cannot-links as judgements of one strength.

        A pair in both lists contradicts itself and ends as "can't say".

        Parameters
        ----------
        must, cannot : iterable of (i, j), or array of shape (n_links, 2)
            Pairs that belong together, and pairs that do not.
        n_samples : int, default=None
            Number of rows of the data; None takes the largest row plus one.
        grade : float, default=1.0
            Strength in (0, 1]: must-links get `grade`, cannot-links minus `grade`.

        Examples
        --------
        >>> from fuzzypairs import PairSet
        >>> list(PairSet.from_must_cannot([(0, 1)], [(1, 2)], grade=0.5))
        [(0, 1, 0.5), (1, 2, -0.5)]
        """
        if not isinstance(grade, int | float | np.number) or not 0 < grade <= 1:
            raise PairsError(f"grade is {shown(grade)}, expected a strength in (0, 1]")
        alike = reading.read_links(must, n_samples, "must")
        unlike = reading.read_links(cannot, n_samples, "cannot")
        i, j = np.concatenate([alike[:2], unlike[:2]], axis=1)
        grades = np.repeat([grade, -grade], [alike.i.size, unlike.i.size])
        return cls(i, j, grades, n_samples)

    @classmethod
    @reading.errors_of("labels")
    def from_labels(
        cls,
        labels: ArrayLike,
        pairs: Any = None,
        n_pairs: int | None = None,
        random_state: Seed = None,
    ) -> Self:
        """Judge pairs by known labels: 1 for equal labels, -1 for different ones.

        Parameters
        ----------
        labels : array-like of shape (n_samples,)
            Class of each sample; -1 for unknown.
        pairs : iterable of (i, j), or array of shape (n_pairs, 2), default=None
            Pairs to judge; those with an unknown label get 0, "can't say".
        n_pairs : int, default=None
            Draw that many distinct pairs of labelled samples instead.
        random_state : int, Generator or None, default=None
            Seed of the draw.

        Examples
        --------
        >>> from fuzzypairs import PairSet
        >>> list(PairSet.from_labels([0, 0, 1, -1], pairs=[(0, 1), (0, 2), (0, 3)]))
        [(0, 1, 1.0), (0, 2, -1.0), (0, 3, 0.0)]
        >>> len(PairSet.from_labels([0, 0, 1, -1], n_pairs=3, random_state=0))
        3
        """
        classes = reading.read_labels(labels)
        known = classes != -1
        i, j, n_samples = choose_pairs(
            pairs, n_pairs, np.flatnonzero(known), classes.size, random_state
        )
        answer = np.where(classes[i] == classes[j], 1.0, -1.0)
        return cls(i, j, np.where(known[i] & known[j], answer, 0.0), n_samples)

    @classmethod
    @reading.errors_of("memberships")
    def from_memberships(
        cls,
        memberships: ArrayLike,
        pairs: Any = None,
        n_pairs: int | None = None,
        random_state: Seed = None,
        sign: Literal["argmax", "cost"] = "argmax",
        form: Literal["cost", "norm"] = "cost",
    ) -> Self:
        """Judge pairs by true memberships.

        Alike pairs get ``1 - ||u_i - u_j||^2 / 2``, unlike ones ``u_i.u_j - 1``: one
        minus the cost of eq. (6) at s = 1 or -1, with the sign of the judgement.

        Parameters
        ----------
        memberships : array-like of shape (n_samples, n_clusters)
            True memberships; rows are >= 0 and sum to 1.
        pairs : iterable of (i, j), or array of shape (n_pairs, 2), default=None
            Pairs to judge.
        n_pairs : int, default=None
            Draw that many distinct pairs instead.
        random_state : int, Generator or None, default=None
            Seed of the draw.
        sign : {"argmax", "cost"}, default="argmax"
            Alike if the largest components coincide, or if being alike costs less.
        form : {"cost", "norm"}, default="cost"
            "norm" grades alike pairs by ``1 - ||u_i - u_j||``, which spreads the
            grades of nearly equal rows.

        Examples
        --------
        >>> from fuzzypairs import PairSet
        >>> truth = [[0.6, 0.4], [0.4, 0.6], [0.6, 0.4]]
        >>> pairs = PairSet.from_memberships(truth, pairs=[(0, 1), (0, 2)])
        >>> pairs.grade
        array([-0.52,  1.  ])
        """
        reading.check_word("sign", sign, ("argmax", "cost"))
        reading.check_word("form", form, ("cost", "norm"))
        U = reading.read_memberships(memberships)
        i, j, n_samples = choose_pairs(
            pairs, n_pairs, np.arange(len(U)), len(U), random_state
        )
        gap2, overlap = ((U[i] - U[j]) ** 2).sum(axis=1), (U[i] * U[j]).sum(axis=1)
        largest = U.argmax(axis=1)
        alike = largest[i] == largest[j] if sign == "argmax" else gap2 / 2 < overlap
        closeness = 1 - (gap2 / 2 if form == "cost" else np.sqrt(gap2))
        return cls(i, j, np.where(alike, closeness, overlap - 1), n_samples)
