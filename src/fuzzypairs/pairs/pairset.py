"""Judgements of pairs: how strongly two samples are alike or unlike."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.sparse import csgraph

from fuzzypairs._typing import Floats, Ints, Mask
from fuzzypairs.exceptions import PairsError
from fuzzypairs.pairs.constructors import PairConstructors
from fuzzypairs.pairs.reading import (
    COLUMNS,
    errors_of,
    is_count,
    judgements_of,
    merge,
    read_columns,
    read_ends,
    read_grades,
    read_rows,
    unreadable,
)
from fuzzypairs.pairs.sampling import Seed, deal_units
from fuzzypairs.validation import (
    check_flag,
    check_integer,
    check_kind,
    read_generator,
    shown,
)

__all__ = ["Links", "PairSet"]

# For users of GridSearchCV, cross_validate and similar tools.
CUT_ROWS = (
    "scikit-learn's own searches and validation cut rows of X, and judgements do not "
    "follow: choose settings with fuzzypairs.PairSearchCV, which holds out judgements"
)


class Links(NamedTuple):
    """The constraint graph: judgements as edges between judged samples.

    Samples are ordered by group. Every judgement is two edges, one from each of its
    samples.
    """

    rows: Ints  # (n_rows,) judged samples; a group is a range of them
    groups: Ints  # (n_groups + 1,) first row of each group; sizes never decrease
    source: Ints  # (n_edges,) row that an edge leaves; never decreases
    indptr: Ints  # (n_rows + 1,) first edge of each row
    neighbor: Ints  # (n_edges,) row at the other end
    pair: Ints  # (n_edges,) judgement of an edge, an index into `grade`

    @classmethod
    def between(cls, rows: Ints, groups: Ints, p: Ints, q: Ints) -> "Links":
        """Order the edges of judgements of rows `p` and `q`."""
        source = np.concatenate([p, q])
        order = np.argsort(source, kind="stable")
        degree = np.bincount(source, minlength=len(rows))
        return cls(
            rows=rows,
            groups=groups,
            source=source[order],
            indptr=np.concatenate([[0], np.cumsum(degree)]),
            neighbor=np.concatenate([q, p])[order],
            pair=order % max(len(p), 1),
        )


@dataclass(frozen=True, init=False, repr=False, eq=False)
class PairSet(PairConstructors):
    """Graded judgements of pairs of samples, in canonical order.

    A grade is a strength: positive for alike, negative for unlike, and 0 for
    "can't say", which is stored but has no effect (see `informative`). It is
    s_pq, the fuzzy pairwise constraint of Definition III.1 in [1]_.

    Several judgements of one pair, as (i, j) or (j, i), are replaced by the mean of
    those other than 0: a "can't say" does not weaken an answer.

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
        # Restored sets are created here as well, so all are in order.
        try:
            ends = read_ends(i, j, n_samples, "pairs")
            merged = merge(ends, read_grades(grade, ends))
        except Exception as error:
            raise unreadable(COLUMNS, error) from error
        for name, values in zip(("i", "j", "grade"), merged, strict=True):
            values.flags.writeable = False
            object.__setattr__(self, name, values)
        object.__setattr__(self, "n_samples", ends.n_samples)

    @classmethod
    def coerce(cls, pairs: Any, n_samples: int) -> "PairSet":
        """Read what ``fit(X, pairs=...)`` accepts, for data of `n_samples` rows.

        Parameters
        ----------
        pairs : None, PairSet, triples, array (n_pairs, 3), sparse matrix or DataFrame
            A DataFrame has the columns ``i, j, grade``.
        n_samples : int
            Number of rows of the data.

        Notes
        -----
        scikit-learn's searches and validation select rows of X but not judgements,
        which then refer to other rows. For a PairSet or a sparse matrix, whose number
        of rows is known, this is an error. Triples and tables are accepted if X has all
        rows that they name.

        Examples
        --------
        >>> PairSet.coerce([(0, 5, 0.8), (3, 9, -0.6)], n_samples=10)
        PairSet(2 pairs on 10 samples: 1 alike, 1 unlike, 0 can't say)
        """
        if type(n_samples) is not int:
            n_samples = check_integer("n_samples", n_samples, 0)
        if pairs is None:
            return cls.empty(n_samples)
        if sparse.issparse(pairs):
            with judgements_of("pairs"):
                return cls.from_sparse(pairs, n_samples)
        if not isinstance(pairs, list | PairSet):
            check_kind("pairs", pairs)
        if hasattr(pairs, "columns"):
            with judgements_of("pairs"):
                return cls.from_frame(pairs, n_samples=n_samples)
        if not isinstance(pairs, PairSet):
            try:
                i, j, grade = read_columns(pairs, ("i", "j", "grade"), "pairs")
            except Exception as error:
                raise unreadable("pairs", error) from error
            return cls(i, j, grade, n_samples)
        if pairs.n_samples != n_samples:
            asked = shown(n_samples)
            raise PairsError(
                f"pairs is about {pairs.n_samples} samples but X has {asked} rows; "
                f"build it with n_samples={asked}, or pass pairs.restrict(rows) "
                f"with the rows that X holds; {CUT_ROWS}"
            )
        return pairs

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
        """The pairs with a grade other than 0.

        Examples
        --------
        >>> list(PairSet.from_triples([(0, 1, 0.8), (1, 2, 0)]).informative)
        [(0, 1, 0.8)]
        """
        return self if self.grade.all() else self.select(self.grade != 0)

    def components(self) -> tuple[int, Ints]:
        """Independent groups: samples linked by chains of informative pairs.

        Returns
        -------
        n_groups : int
            Number of groups.
        labels : ndarray of shape (n_samples,)
            Group of each sample, numbered by their first samples; -1 for samples
            in no informative pair. Read-only, and computed once.

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
        labels = np.full(self.n_samples, -1, dtype=np.int64)
        # Only judged samples enter the graph, under numbers of their own.
        labels[pairs.i] = labels[pairs.j] = 0
        judged = np.flatnonzero(labels == 0)
        labels[judged] = np.arange(judged.size)
        ends = labels[pairs.i], labels[pairs.j]
        graph = sparse.coo_array((np.ones(pairs.i.size), ends), (judged.size,) * 2)
        n_groups, labels[judged] = csgraph.connected_components(graph, directed=False)
        labels.flags.writeable = False
        return int(n_groups), labels

    @cached_property
    def links(self) -> Links:
        """Edges of the informative pairs, ordered by group, for solvers.

        Computed once: a search over parameters fits the same judgements often.

        Examples
        --------
        >>> links = PairSet.from_triples([(0, 4, 0.5), (4, 2, -1), (1, 3, 1)]).links
        >>> links.rows, links.groups
        (array([1, 3, 0, 2, 4]), array([0, 2, 5]))
        """
        pairs, labels = self.informative, self._components[1]
        judged = np.flatnonzero(labels >= 0)
        group = labels[judged]
        sizes = np.bincount(group)
        # Groups of one size follow each other: the core solves several at a time.
        rows = judged[np.lexsort((group, sizes[group]))]
        place = np.empty(len(labels), dtype=np.int64)
        place[rows] = np.arange(len(rows))
        groups = np.concatenate([[0], np.cumsum(np.sort(sizes))])
        return Links.between(rows, groups, place[pairs.i], place[pairs.j])

    @errors_of("mask")
    def select(self, mask: Mask) -> "PairSet":
        """Select some of the pairs, about the same samples.

        Parameters
        ----------
        mask : ndarray of shape (n_pairs,), bool
            Which pairs are selected.

        Examples
        --------
        >>> pairs = PairSet.from_triples([(0, 5, 0.8), (3, 9, -0.6)])
        >>> pairs.select(pairs.similar)
        PairSet(1 pairs on 10 samples: 1 alike, 0 unlike, 0 can't say)
        """
        given = np.asarray(mask)
        if given.dtype != bool or given.shape != self.i.shape:
            said = f"has type {given.dtype} and shape {given.shape}, expected bool and"
            raise PairsError(
                f"{said} {self.i.shape}, one value for each pair", place="mask"
            )
        return PairSet(self.i[given], self.j[given], self.grade[given], self.n_samples)

    @errors_of("rows")
    def restrict(self, rows: ArrayLike) -> "PairSet":
        """Select the pairs within some rows, and renumber them to those rows.

        Parameters
        ----------
        rows : array-like of int, or mask of shape (n_samples,)
            Rows of the data, as in ``X[rows]``, each once.

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
        """Split the informative pairs into folds for cross-validation.

        Parameters
        ----------
        n_folds : int
            Number of folds, at least 2.
        random_state : int, Generator or None, default=None
            Seed of the split.
        whole_groups : bool, default=True
            Whether every group of `components` is in one fold, so that no held-out pair
            follows from the others by a chain. Single pairs are split if there are
            fewer groups than folds.

        Returns
        -------
        iterator of (train, test)
            Two PairSets on the same samples for each fold.

        Notes
        -----
        Groups are assigned to the smallest fold, the largest group first. A group
        larger than a fold stays whole; use ``whole_groups=False`` then.

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
                f"n_folds is {shown(n_folds)}, expected a number from 2 to the "
                f"{len(pairs)} informative pairs"
            )
        n_groups, labels = pairs.components()
        whole = check_flag("whole_groups", whole_groups) and n_groups >= n_folds
        unit = labels[pairs.i] if whole else np.arange(len(pairs))
        rng = read_generator(random_state)
        fold = deal_units(unit, np.ones((len(pairs), 1)), n_folds, rng)
        return (
            (pairs.select(fold != held_out), pairs.select(fold == held_out))
            for held_out in range(n_folds)
        )

    def concat(self, *others: "PairSet") -> "PairSet":
        """Join judgements of the same samples, each set with the same weight.

        Parameters
        ----------
        *others : PairSet
            Sets with the same `n_samples`.

        Notes
        -----
        A pair judged in several sets gets their mean, so ``a.concat(b, c)`` gives the
        three equal weights, and ``a + b + c`` gives `c` half the weight.

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
                    f"others has a {type(other).__name__}, expected PairSets; read it "
                    "with PairSet.coerce"
                )
            if other.n_samples != self.n_samples:
                raise PairsError(
                    f"others has pairs about {other.n_samples} samples, but these are "
                    f"about {self.n_samples}; build both with the same n_samples"
                )
        return PairSet(
            np.concatenate([pairs.i for pairs in sets]),
            np.concatenate([pairs.j for pairs in sets]),
            np.concatenate([pairs.grade for pairs in sets]),
            self.n_samples,
        )

    def to_sparse(self) -> "sparse.csr_array[np.float64]":
        """Symmetric matrix of shape (n_samples, n_samples); grades of 0 are stored.

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
        return self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[int, bytes, bytes, bytes]:
        arrays = self.i.tobytes(), self.j.tobytes(), self.grade.tobytes()
        return (self.n_samples, *arrays)

    def __len__(self) -> int:
        return self.i.size

    def __getitem__(self, rows: object) -> NoReturn:
        # scikit-learn indexes by rows of X if there are as many judgements as rows, and
        # would select wrong judgements.
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
        # Copies and files are restored by the constructor: checked and read-only.
        return PairSet, (self.i, self.j, self.grade, self.n_samples)
