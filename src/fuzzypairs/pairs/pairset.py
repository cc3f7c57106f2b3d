"""Judgements of pairs: how strongly two samples are alike or unlike."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NoReturn

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from fuzzypairs._typing import Floats, Ints, Mask
from fuzzypairs.exceptions import PairsError
from fuzzypairs.pairs.links import Links, find_components, find_links
from fuzzypairs.pairs.reading import (
    check_word,
    is_count,
    merge,
    read_columns,
    read_ends,
    read_frame,
    read_grades,
    read_labels,
    read_links,
    read_memberships,
    read_rows,
)
from fuzzypairs.pairs.sampling import Seed, choose_pairs, deal_units

__all__ = ["PairSet"]

# What to tell users of GridSearchCV, cross_validate and the like.
CUT_ROWS = (
    "scikit-learn's own searches and validation cut rows of X, and judgements do not "
    "follow: choose settings with fuzzypairs.PairSearchCV, which holds out judgements"
)


@dataclass(frozen=True, init=False, repr=False, eq=False)
class PairSet:
    """Graded judgements of pairs of samples, in one canonical order.

    A grade is a strength: positive for alike, negative for unlike, and 0 for
    "can't say", which is kept as asked but has no effect (see `informative`).

    Judgements of one pair, (i, j) and (j, i) alike, become their mean over the
    grades other than 0: a "can't say" does not dilute an answer, and only 0 and
    contradictions that cancel give 0.

    Parameters
    ----------
    i, j : array-like of shape (n_pairs,)
        Rows of the two samples, in any order.
    grade : array-like of shape (n_pairs,)
        Judgements in [-1, 1].
    n_samples : int, default=None
        Number of rows of the data; None takes the largest row plus one.

    Attributes
    ----------
    i, j : ndarray of shape (n_pairs,), int64
        Rows with ``i < j``, sorted by (i, j), each pair once; read-only.
    grade : ndarray of shape (n_pairs,), float64
        Merged judgements; read-only.
    n_samples : int
        Number of rows of the data.

    Notes
    -----
    The grade is s_pq, the fuzzy pairwise constraint of Definition III.1 in [1]_.

    References
    ----------
    .. [1] Wang et al., "Fuzzy Discriminant Clustering with Fuzzy Pairwise
       Constraints".

    Examples
    --------
    >>> pairs = PairSet([5, 3, 0], [0, 9, 5], [0.8, -0.6, 0.4], n_samples=10)
    >>> pairs
    PairSet(2 pairs on 10 samples: 1 alike, 1 unlike, 0 can't say)
    >>> [(i, j, round(grade, 3)) for i, j, grade in pairs]
    [(0, 5, 0.6), (3, 9, -0.6)]
    """

    i: Ints
    j: Ints
    grade: Floats
    n_samples: int

    def __init__(
        self, i: ArrayLike, j: ArrayLike, grade: ArrayLike, n_samples: int | None = None
    ) -> None:
        # Every set passes here, restored ones too, so none is ever out of order.
        ends = read_ends(i, j, n_samples, "pairs")
        grades = read_grades(grade, ends)
        merged = merge(ends, grades)
        for name, values in zip(("i", "j", "grade"), merged, strict=True):
            values.flags.writeable = False
            object.__setattr__(self, name, values)
        object.__setattr__(self, "n_samples", ends.n_samples)

    @classmethod
    def empty(cls, n_samples: int) -> "PairSet":
        """No judgement at all.

        Parameters
        ----------
        n_samples : int
            Number of rows of the data.

        Returns
        -------
        PairSet

        Examples
        --------
        >>> PairSet.empty(4)
        PairSet(0 pairs on 4 samples: 0 alike, 0 unlike, 0 can't say)
        """
        return cls([], [], [], n_samples)

    @classmethod
    def coerce(cls, pairs: Any, n_samples: int) -> "PairSet":
        """Read whatever ``fit(X, pairs=...)`` accepts, for data of `n_samples` rows.

        Parameters
        ----------
        pairs : None, PairSet, triples, array (n_pairs, 3), sparse matrix or DataFrame
            A DataFrame has the columns ``i, j, grade``.
        n_samples : int
            Number of rows of the data.

        Notes
        -----
        scikit-learn's own searches and validation cut rows of X but not judgements,
        which then point at other rows. Pass a PairSet: it knows how many rows it was
        made for, and a cut X is then an error, as it is with a sparse matrix.
        Triples and tables know no number of rows, so that nothing is noticed as
        long as all rows that they name exist in the part.

        Examples
        --------
        >>> PairSet.coerce([(0, 5, 0.8), (3, 9, -0.6)], n_samples=10)
        PairSet(2 pairs on 10 samples: 1 alike, 1 unlike, 0 can't say)
        """
        if pairs is None:
            return cls.empty(n_samples)
        if sparse.issparse(pairs):
            return cls.from_sparse(pairs, n_samples)
        if hasattr(pairs, "columns"):
            return cls.from_frame(pairs, n_samples=n_samples)
        if not isinstance(pairs, PairSet):
            return cls.from_triples(pairs, n_samples)
        if pairs.n_samples != n_samples:
            raise PairsError(
                f"pairs is about {pairs.n_samples} samples but X has {n_samples} rows; "
                f"build it with n_samples={n_samples}, or pass pairs.restrict(rows) "
                f"with the rows that X holds; {CUT_ROWS}"
            )
        return pairs

    @classmethod
    def from_triples(cls, triples: Any, n_samples: int | None = None) -> "PairSet":
        """Read triples (i, j, grade).

        Parameters
        ----------
        triples : iterable of (i, j, grade), or array of shape (n_pairs, 3)
            Judgements, in any order.
        n_samples : int, default=None
            Number of rows of the data; None takes the largest row plus one.

        Examples
        --------
        >>> PairSet.from_triples([(0, 5, 0.8), (9, 3, -0.6), (1, 2, 0)])
        PairSet(3 pairs on 10 samples: 1 alike, 1 unlike, 1 can't say)
        """
        i, j, grade = read_columns(triples, ("i", "j", "grade"), "pairs")
        return cls(i, j, grade, n_samples)

    @classmethod
    def from_sparse(cls, matrix: Any, n_samples: int | None = None) -> "PairSet":
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
        >>> from scipy.sparse import csr_array
        >>> PairSet.from_sparse(csr_array([[0, 0.8, 0], [0.8, 0, -1], [0, -1, 0]]))
        PairSet(2 pairs on 3 samples: 1 alike, 1 unlike, 0 can't say)
        """
        if not hasattr(matrix, "shape"):
            raise PairsError(
                f"pairs is a {type(matrix).__name__}, expected a sparse matrix"
            )
        side = matrix.shape[0] if n_samples is None else n_samples
        if matrix.shape != (side, side):
            raise PairsError(
                f"pairs is a sparse matrix of shape {matrix.shape}, expected one row "
                f"and one column for each sample: ({side}, {side})"
            )
        entries = sparse.coo_array(matrix)
        return cls(entries.row, entries.col, entries.data, side)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        data: Any = None,
        id_column: str | None = None,
        n_samples: int | None = None,
    ) -> "PairSet":
        """Read a table of judgements: pandas, polars or alike.

        Parameters
        ----------
        frame : DataFrame
            Columns ``i, j, grade`` with row numbers, or ``a, b, grade`` with ids
            when `id_column` is given. Further columns are ignored.
        data : DataFrame, default=None
            The judged data; gives `n_samples`.
        id_column : str, default=None
            Column of `data` that holds the ids, each once.
        n_samples : int, default=None
            Number of rows of the data, where `data` is not given.

        Examples
        --------
        >>> import pandas as pd
        >>> wines = pd.DataFrame({"name": ["oak", "ash", "elm"], "acid": [1, 2, 3]})
        >>> judged = pd.DataFrame({"a": ["elm"], "b": ["oak"], "grade": [0.7]})
        >>> list(PairSet.from_frame(judged, data=wines, id_column="name"))
        [(0, 2, 0.7)]
        """
        if data is not None:
            if n_samples not in (None, len(data)):
                raise PairsError(
                    f"n_samples is {n_samples} but data has {len(data)} rows; "
                    "leave n_samples out"
                )
            n_samples = len(data)
        i, j, grade = read_frame(frame, data, id_column)
        return cls(i, j, grade, n_samples)

    @classmethod
    def from_must_cannot(
        cls,
        must: Any = (),
        cannot: Any = (),
        n_samples: int | None = None,
        grade: float = 1.0,
    ) -> "PairSet":
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
        >>> list(PairSet.from_must_cannot([(0, 1)], [(1, 2)], grade=0.5))
        [(0, 1, 0.5), (1, 2, -0.5)]
        """
        if not isinstance(grade, int | float | np.number) or not 0 < grade <= 1:
            raise PairsError(f"grade is {grade!r}, expected a strength in (0, 1]")
        alike = read_links(must, n_samples, "must")
        unlike = read_links(cannot, n_samples, "cannot")
        return cls(
            np.concatenate([alike.i, unlike.i]),
            np.concatenate([alike.j, unlike.j]),
            np.repeat([grade, -grade], [alike.i.size, unlike.i.size]),
            n_samples,
        )

    @classmethod
    def from_labels(
        cls,
        labels: ArrayLike,
        pairs: Any = None,
        n_pairs: int | None = None,
        random_state: Seed = None,
    ) -> "PairSet":
        """Judge pairs by known labels: the same gives 1, different ones -1.

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
        >>> list(PairSet.from_labels([0, 0, 1, -1], pairs=[(0, 1), (0, 2), (0, 3)]))
        [(0, 1, 1.0), (0, 2, -1.0), (0, 3, 0.0)]
        >>> len(PairSet.from_labels([0, 0, 1, -1], n_pairs=3, random_state=0))
        3
        """
        classes = read_labels(labels)
        known = classes != -1
        ends = choose_pairs(
            pairs, n_pairs, np.flatnonzero(known), classes.size, random_state
        )
        same = classes[ends.i] == classes[ends.j]
        answered = known[ends.i] & known[ends.j]
        grade = np.where(answered, np.where(same, 1.0, -1.0), 0.0)
        return cls(ends.i, ends.j, grade, ends.n_samples)

    @classmethod
    def from_memberships(
        cls,
        memberships: ArrayLike,
        pairs: Any = None,
        n_pairs: int | None = None,
        random_state: Seed = None,
        sign: Literal["argmax", "cost"] = "argmax",
        form: Literal["cost", "norm"] = "cost",
    ) -> "PairSet":
        """Judge pairs by true memberships: one minus the cost at full strength.

        Alike pairs get ``1 - ||u_i - u_j||^2 / 2``, unlike ones ``u_i.u_j - 1``:
        what eq. (6), the cost of a pair, would charge the truth at s = 1 or -1.

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
        >>> truth = [[0.6, 0.4], [0.4, 0.6], [0.6, 0.4]]
        >>> pairs = PairSet.from_memberships(truth, pairs=[(0, 1), (0, 2)])
        >>> pairs.grade
        array([-0.52,  1.  ])
        """
        check_word("sign", sign, ("argmax", "cost"))
        check_word("form", form, ("cost", "norm"))
        U = read_memberships(memberships)
        ends = choose_pairs(pairs, n_pairs, np.arange(len(U)), len(U), random_state)
        p, q = U[ends.i], U[ends.j]
        gap2, overlap = ((p - q) ** 2).sum(axis=1), (p * q).sum(axis=1)
        if sign == "argmax":
            alike = p.argmax(axis=1) == q.argmax(axis=1)
        else:
            alike = gap2 / 2 < overlap
        closeness = 1 - (gap2 / 2 if form == "cost" else np.sqrt(gap2))
        grade = np.where(alike, closeness, overlap - 1)
        return cls(ends.i, ends.j, grade, ends.n_samples)

    @property
    def similar(self) -> Mask:
        """Which pairs are judged alike, shape (n_pairs,).

        Examples
        --------
        >>> PairSet.from_triples([(0, 1, 0.8), (0, 2, -0.6), (1, 2, 0)]).similar
        array([ True, False, False])
        """
        return self.grade > 0

    @property
    def dissimilar(self) -> Mask:
        """Which pairs are judged unlike, shape (n_pairs,).

        Examples
        --------
        >>> PairSet.from_triples([(0, 1, 0.8), (0, 2, -0.6), (1, 2, 0)]).dissimilar
        array([False,  True, False])
        """
        return self.grade < 0

    @property
    def informative(self) -> "PairSet":
        """The pairs with a grade other than 0; the set itself if all are such.

        Examples
        --------
        >>> list(PairSet.from_triples([(0, 1, 0.8), (1, 2, 0)]).informative)
        [(0, 1, 0.8)]
        """
        return self if self._is_informative else self.select(self.grade != 0)

    @cached_property
    def _is_informative(self) -> bool:
        return bool(self.grade.all())

    def components(self) -> tuple[int, Ints]:
        """Independent groups: samples linked by chains of informative pairs.

        Returns
        -------
        n_groups : int
            Number of groups.
        labels : ndarray of shape (n_samples,)
            Group of each sample, numbered by their first samples; -1 for samples
            in no informative pair. Read-only: it is found once and kept.

        Examples
        --------
        >>> PairSet.from_triples([(0, 4, 0.5), (4, 2, -1), (1, 3, 1), (1, 2, 0)], 6
        ...                      ).components()
        (2, array([ 0,  1,  0,  1,  0, -1]))
        """
        return self._components

    @cached_property
    def _components(self) -> tuple[int, Ints]:
        pairs = self.informative
        n_groups, labels = find_components(pairs.i, pairs.j, self.n_samples)
        labels.flags.writeable = False
        return n_groups, labels

    def links(self) -> Links:
        """Edges between the judged samples, ordered by group, for solvers.

        Found once and kept: a search over parameters fits the same judgements often.

        Returns
        -------
        links : Links
            Of the informative pairs; `Links.pair` counts these.

        Examples
        --------
        >>> links = PairSet.from_triples([(0, 4, 0.5), (4, 2, -1), (1, 3, 1)]).links()
        >>> links.rows, links.groups
        (array([1, 3, 0, 2, 4]), array([0, 2, 5]))
        """
        return self._links

    @cached_property
    def _links(self) -> Links:
        pairs = self.informative
        return find_links(pairs.i, pairs.j, self.components()[1])

    def select(self, mask: Mask) -> "PairSet":
        """Keep some of the pairs, about the same samples.

        Parameters
        ----------
        mask : ndarray of shape (n_pairs,), bool
            Which pairs are kept.

        Examples
        --------
        >>> pairs = PairSet.from_triples([(0, 5, 0.8), (3, 9, -0.6)])
        >>> pairs.select(pairs.similar)
        PairSet(1 pairs on 10 samples: 1 alike, 0 unlike, 0 can't say)
        """
        return PairSet(self.i[mask], self.j[mask], self.grade[mask], self.n_samples)

    def restrict(self, rows: ArrayLike) -> "PairSet":
        """Keep the pairs within some rows, and renumber them to those rows.

        Parameters
        ----------
        rows : array-like of int, or mask of shape (n_samples,)
            Rows of the data that are kept, as in ``X[rows]``, each once.

        Returns
        -------
        PairSet
            Judgements about ``X[rows]``.

        Examples
        --------
        >>> pairs = PairSet.from_triples([(0, 5, 0.8), (3, 9, -0.6)])
        >>> list(pairs.restrict([9, 3, 0]))
        [(0, 1, -0.6)]
        """
        kept = read_rows(rows, self.n_samples)
        place = np.full(self.n_samples, -1, dtype=np.int64)
        place[kept] = np.arange(kept.size)
        i, j = place[self.i], place[self.j]
        inside = (i >= 0) & (j >= 0)
        return PairSet(i[inside], j[inside], self.grade[inside], kept.size)

    def split(
        self,
        n_folds: int,
        random_state: Seed = None,
        *,
        whole_groups: bool = True,
    ) -> Iterator[tuple["PairSet", "PairSet"]]:
        """Deal the informative pairs into folds for cross-validation.

        Parameters
        ----------
        n_folds : int
            Number of folds, at least 2.
        random_state : int, Generator or None, default=None
            Seed of the deal.
        whole_groups : bool, default=True
            Keep every group of `components` in one fold, so that no held-out pair
            follows from the others by a chain. Single pairs are dealt where there
            are fewer groups than folds.

        Returns
        -------
        iterator of (train, test)
            Two PairSets on the same samples for each fold.

        Notes
        -----
        Groups go by size, the largest first, each to the lightest fold. A group with
        more pairs than a fold's share still goes whole, so one giant group makes one
        giant fold: deal single pairs then.

        Examples
        --------
        >>> pairs = PairSet.from_triples([(0, 1, 1), (1, 2, -1), (3, 4, 1), (5, 6, 1)])
        >>> for train, test in pairs.split(2, random_state=0):
        ...     print(len(train), len(test))
        2 2
        2 2
        """
        pairs = self.informative
        if not is_count(n_folds, 2, len(pairs)):
            raise PairsError(
                f"n_folds is {n_folds!r}, expected a number from 2 to the "
                f"{len(pairs)} informative pairs"
            )
        n_groups, labels = pairs.components()
        whole = whole_groups and n_groups >= n_folds
        unit = labels[pairs.i] if whole else np.arange(len(pairs))
        rng = np.random.default_rng(random_state)
        fold = deal_units(unit, np.ones((len(pairs), 1)), n_folds, rng)
        return (
            (pairs.select(fold != held_out), pairs.select(fold == held_out))
            for held_out in range(n_folds)
        )

    def concat(self, *others: "PairSet") -> "PairSet":
        """Join judgements of the same samples, one voice for each set.

        Parameters
        ----------
        *others : PairSet
            Sets with the same `n_samples`.

        Notes
        -----
        A pair judged in several sets gets their mean, so ``a.concat(b, c)`` weighs
        the three alike where ``a + b + c`` gives `c` half the say.

        Examples
        --------
        >>> ann = PairSet.from_triples([(0, 1, 0.5), (1, 2, 0)], n_samples=3)
        >>> bob = PairSet.from_triples([(1, 0, 1), (1, 2, -1)], n_samples=3)
        >>> list(ann.concat(bob))
        [(0, 1, 0.75), (1, 2, -1.0)]
        """
        sets = (self, *others)
        for other in others:
            if not isinstance(other, PairSet):
                raise PairsError(
                    f"cannot join pairs with a {type(other).__name__}, expected "
                    "PairSets; read it with PairSet.coerce"
                )
            if other.n_samples != self.n_samples:
                raise PairsError(
                    f"cannot join pairs about {self.n_samples} samples with pairs "
                    f"about {other.n_samples}; build both with the same n_samples"
                )
        return PairSet(
            np.concatenate([pairs.i for pairs in sets]),
            np.concatenate([pairs.j for pairs in sets]),
            np.concatenate([pairs.grade for pairs in sets]),
            self.n_samples,
        )

    def to_sparse(self) -> "sparse.csr_array[np.float64]":
        """Symmetric matrix of shape (n_samples, n_samples), zeros asked for stored.

        Examples
        --------
        >>> PairSet.from_triples([(0, 1, 0.5), (1, 2, -1)]).to_sparse().toarray()
        array([[ 0. ,  0.5,  0. ],
               [ 0.5,  0. , -1. ],
               [ 0. , -1. ,  0. ]])
        """
        ends = np.concatenate([self.i, self.j]), np.concatenate([self.j, self.i])
        shape = (self.n_samples, self.n_samples)
        return sparse.coo_array((np.tile(self.grade, 2), ends), shape).tocsr()

    def to_array(self) -> Floats:
        """Rows (i, j, grade) of shape (n_pairs, 3).

        Examples
        --------
        >>> PairSet.from_triples([(0, 1, 0.5), (2, 1, -1)]).to_array()
        array([[ 0. ,  1. ,  0.5],
               [ 1. ,  2. , -1. ]])
        """
        return np.column_stack([self.i, self.j, self.grade])

    def __add__(self, other: "PairSet") -> "PairSet":
        return self.concat(other) if isinstance(other, PairSet) else NotImplemented

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PairSet):
            return NotImplemented
        return (
            self.n_samples == other.n_samples
            and np.array_equal(self.i, other.i)
            and np.array_equal(self.j, other.j)
            and np.array_equal(self.grade, other.grade)
        )

    def __hash__(self) -> int:
        arrays = self.i, self.j, self.grade
        return hash((self.n_samples, *(values.tobytes() for values in arrays)))

    def __len__(self) -> int:
        return self.i.size

    def __getitem__(self, rows: object) -> NoReturn:
        # Whoever takes items by rows of X, as scikit-learn does where there are as
        # many judgements as rows, would get other judgements than they mean.
        raise PairsError(
            "pairs has no items: use i, j and grade, iterate over it, or take "
            f"pairs.restrict(rows); {CUT_ROWS}"
        )

    def __iter__(self) -> Iterator[tuple[int, int, float]]:
        columns = self.i.tolist(), self.j.tolist(), self.grade.tolist()
        return zip(*columns, strict=True)

    def __repr__(self) -> str:
        alike, unlike = self.similar.sum(), self.dissimilar.sum()
        return (
            f"PairSet({len(self)} pairs on {self.n_samples} samples: {alike} alike, "
            f"{unlike} unlike, {len(self) - alike - unlike} can't say)"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        # Copies and files restore through the constructor: checked, read-only again.
        return PairSet, (self.i, self.j, self.grade, self.n_samples)
