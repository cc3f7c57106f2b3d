"""Judgements of pairs: how strongly two samples are alike or unlike."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from typing import Any, Literal, NamedTuple, NoReturn

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.sparse import csgraph

from fuzzypairs._typing import Floats, Ints, Mask
from fuzzypairs.exceptions import PairsError
from fuzzypairs.pairs.reading import (
    COLUMNS,
    check_word,
    errors_of,
    is_count,
    judgements_of,
    merge,
    read_answers,
    read_columns,
    read_ends,
    read_frame,
    read_grades,
    read_judges,
    read_labels,
    read_links,
    read_memberships,
    read_rows,
    read_sparse,
    unreadable,
)
from fuzzypairs.pairs.sampling import Seed, choose_pairs, deal_units
from fuzzypairs.pairs.stored import read_store
from fuzzypairs.validation import (
    check_flag,
    check_integer,
    check_kind,
    read_generator,
    shown,
)

__all__ = ["Links", "PairSet"]

# Judgements that a notebook shows.
SHOWN = 10
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
class PairSet:
    """Graded judgements of pairs of samples, in canonical order.

    A grade is a strength: positive for alike, negative for unlike, and 0 for
    "can't say", which is stored but has no effect (see `informative`). It is
    s_pq, the fuzzy pairwise constraint of Definition III.1 in [1]_.

    Several judgements of one pair by one judge, as (i, j) or (j, i), are replaced by
    the mean of those other than 0: a "can't say" does not weaken an answer. Those of
    several judges stay several; `merged` has each pair once.

    Parameters
    ----------
    i, j : array-like of shape (n_pairs,)
        Rows of the two samples, in any order.
    grade : array-like of shape (n_pairs,)
        Judgements in [-1, 1].
    n_samples : int, default=None
        Number of rows of the data; None takes the largest row plus one.
    judges : array-like of shape (n_pairs,), default=None
        Name of the judge of each judgement, or its place in `judge_names`. None: they
        are all by one judge without a name.
    judge_names : sequence of str, default=None
        Names of judges, also of those without a judgement. None: those that `judges`
        names, sorted.
    answers : array-like of shape (n_pairs,), default=None
        Number of the answer that each judgement is part of: someone who sorts items
        into piles judges all their pairs by one answer. None: each is an answer.

    Attributes
    ----------
    i, j : ndarray of shape (n_pairs,), int64
        Rows with ``i < j``, sorted by (i, j), each pair once for each judge; read-only.
    grade : ndarray of shape (n_pairs,), float64
        Judgements; read-only.
    n_samples : int
        Number of rows of the data.
    judges : ndarray of shape (n_pairs,), int64
        Judge of each judgement, a place in `judge_names`; read-only.
    judge_names : tuple of str
        Names of the judges; "" is the one without a name.
    answers : ndarray of shape (n_pairs,), int64, or None
        Answer that each judgement is part of; read-only.

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
    >>> pairs = PairSet([0, 5, 3], [5, 0, 9], [1, 0.5, -1], judges=["b", "a", "a"])
    >>> pairs.judge_names, list(zip(pairs.judges.tolist(), pairs))
    (('a', 'b'), [(0, (0, 5, 0.5)), (1, (0, 5, 1.0)), (0, (3, 9, -1.0))])
    """

    i: Ints
    j: Ints
    grade: Floats
    n_samples: int
    judges: Ints
    judge_names: tuple[str, ...]
    answers: Ints | None

    def __init__(
        self,
        i: ArrayLike,
        j: ArrayLike,
        grade: ArrayLike,
        n_samples: int | None = None,
        judges: Any = None,
        judge_names: Any = None,
        answers: Any = None,
    ) -> None:
        # Restored sets are created here as well, so all are in order.
        try:
            ends = read_ends(i, j, n_samples, "pairs")
            grades = read_grades(grade, ends)
            codes, names = read_judges(judges, judge_names, len(grades))
            given = read_answers(answers, len(grades))
            merged = merge(ends, grades, codes, given)
        except Exception as error:
            raise unreadable(COLUMNS, error) from error
        self._set(*merged[:4], ends.n_samples, names, merged[4])

    def _set(
        self,
        i: Ints,
        j: Ints,
        grade: Floats,
        judges: Ints,
        n_samples: int,
        judge_names: tuple[str, ...],
        answers: Ints | None,
    ) -> "PairSet":
        """Take arrays of its own in canonical order, without a check."""
        columns = {"i": i, "j": j, "grade": grade, "judges": judges}
        for values in (*columns.values(), *(() if answers is None else (answers,))):
            values.flags.writeable = False
        # The set is frozen for all others.
        vars(self).update(
            columns, n_samples=n_samples, judge_names=judge_names, answers=answers
        )
        return self

    @classmethod
    def empty(cls, n_samples: int) -> "PairSet":
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
        >>> PairSet.empty(4)
        PairSet(0 pairs on 4 samples: 0 alike, 0 unlike, 0 can't say)
        """
        return cls([], [], [], n_samples)

    @classmethod
    @judgements_of("triples")
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
    @judgements_of("matrix")
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
        return cls(*read_sparse(matrix, n_samples))

    @classmethod
    @judgements_of("frame")
    def from_frame(
        cls,
        frame: Any,
        *,
        data: Any = None,
        id_column: str | None = None,
        n_samples: int | None = None,
    ) -> "PairSet":
        """Read a table of judgements, such as a pandas or polars DataFrame.

        Parameters
        ----------
        frame : DataFrame
            Columns ``i, j, grade`` with row numbers, or ``a, b, grade`` with ids of
            rows of `data`. A column ``annotator`` names the judges; further ones are
            ignored.
        data : DataFrame, default=None
            The judged data; gives `n_samples`.
        id_column : str, default=None
            Column of `data` that holds the ids, each once; None takes its index.
        n_samples : int, default=None
            Number of rows of the data, if `data` is not given.

        Examples
        --------
        >>> import pandas as pd
        >>> wines = pd.DataFrame({"name": ["oak", "ash", "elm"], "acid": [1, 2, 3]})
        >>> judged = pd.DataFrame({"a": ["elm"], "b": ["oak"], "grade": [0.7]})
        >>> list(PairSet.from_frame(judged, data=wines, id_column="name"))
        [(0, 2, 0.7)]
        """
        return cls(*read_frame(frame, data, id_column, n_samples))

    @classmethod
    @errors_of("path")
    def from_store(
        cls, path: Any, *, ids: Any = None, n_samples: int | None = None
    ) -> "PairSet":
        """Read the judgements that the labelling page or `fuzzypairs judge` stored.

        Undone answers are left out, and edited ones are read as edited. Of several
        answers of one judge to a pair the newest counts; those of several judges stay
        several.

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
        >>> from fuzzypairs.labelling.store import Event, Store
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder) / "wine.db"
        ...     with Store(path) as store:
        ...         store.set_facts({"id_column": "name", "n_rows": "3"})
        ...         _ = store.append(Event("graded", "elm", "oak", "Ann", grade=0.7))
        ...     list(PairSet.from_store(path, ids=["oak", "ash", "elm"]))
        [(0, 2, 0.7)]
        """
        return cls(*read_store(path, ids, n_samples))

    @classmethod
    @errors_of("must, cannot or grade")
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
            raise PairsError(f"grade is {shown(grade)}, expected a strength in (0, 1]")
        alike = read_links(must, n_samples, "must")
        unlike = read_links(cannot, n_samples, "cannot")
        i, j = np.concatenate([alike[:2], unlike[:2]], axis=1)
        grades = np.repeat([grade, -grade], [alike.i.size, unlike.i.size])
        return cls(i, j, grades, n_samples)

    @classmethod
    @errors_of("labels")
    def from_labels(
        cls,
        labels: ArrayLike,
        pairs: Any = None,
        n_pairs: int | None = None,
        random_state: Seed = None,
    ) -> "PairSet":
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
        >>> list(PairSet.from_labels([0, 0, 1, -1], pairs=[(0, 1), (0, 2), (0, 3)]))
        [(0, 1, 1.0), (0, 2, -1.0), (0, 3, 0.0)]
        >>> len(PairSet.from_labels([0, 0, 1, -1], n_pairs=3, random_state=0))
        3
        """
        classes = read_labels(labels)
        known = classes != -1
        i, j, n_samples = choose_pairs(
            pairs, n_pairs, np.flatnonzero(known), classes.size, random_state
        )
        answer = np.where(classes[i] == classes[j], 1.0, -1.0)
        return cls(i, j, np.where(known[i] & known[j], answer, 0.0), n_samples)

    @classmethod
    @errors_of("memberships")
    def from_memberships(
        cls,
        memberships: ArrayLike,
        pairs: Any = None,
        n_pairs: int | None = None,
        random_state: Seed = None,
        sign: Literal["argmax", "cost"] = "argmax",
        form: Literal["cost", "norm"] = "cost",
    ) -> "PairSet":
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
        >>> truth = [[0.6, 0.4], [0.4, 0.6], [0.6, 0.4]]
        >>> pairs = PairSet.from_memberships(truth, pairs=[(0, 1), (0, 2)])
        >>> pairs.grade
        array([-0.52,  1.  ])
        """
        check_word("sign", sign, ("argmax", "cost"))
        check_word("form", form, ("cost", "norm"))
        U = read_memberships(memberships)
        i, j, n_samples = choose_pairs(
            pairs, n_pairs, np.arange(len(U)), len(U), random_state
        )
        gap2, overlap = ((U[i] - U[j]) ** 2).sum(axis=1), (U[i] * U[j]).sum(axis=1)
        largest = U.argmax(axis=1)
        alike = largest[i] == largest[j] if sign == "argmax" else gap2 / 2 < overlap
        closeness = 1 - (gap2 / 2 if form == "cost" else np.sqrt(gap2))
        return cls(i, j, np.where(alike, closeness, overlap - 1), n_samples)

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

    def by(self, judge: str) -> "PairSet":
        """Return the same judgements, all of them by one judge.

        Parameters
        ----------
        judge : str
            Name of a person or program.

        Examples
        --------
        >>> pairs = PairSet.from_triples([(0, 1, 0.5)], n_samples=3).by("Ann")
        >>> pairs += PairSet.from_triples([(1, 0, -1), (1, 2, 1)]).by("a program")
        >>> pairs
        PairSet(3 pairs on 3 samples: 2 alike, 1 unlike, 0 can't say; 2 judges)
        """
        columns = self.i, self.j, self.grade, self.n_samples
        by = np.zeros(len(self), np.int64)
        return PairSet(*columns, by, [judge], self._kept_units)

    @property
    def merged(self) -> "PairSet":
        """Each pair once, with the mean of its grades other than 0, by no named judge.

        With one judge it is the set itself.

        Examples
        --------
        >>> pairs = PairSet([0, 0, 1], [1, 1, 2], [0.5, 1, -1], judges=["a", "b", "b"])
        >>> list(pairs.merged), pairs.pair
        ([(0, 1, 0.75), (1, 2, -1.0)], array([0, 0, 1]))
        """
        return self if len(self.judge_names) == 1 else self._merged

    @cached_property
    def _merged(self) -> "PairSet":
        columns = self.i, self.j, self.grade, self.n_samples
        return PairSet(*columns, answers=self._kept_units)

    @property
    def pair(self) -> Ints:
        """Number of the pair of each judgement, its place in `merged`."""
        ends = self.i * self.n_samples + self.j
        return np.cumsum(np.diff(ends, prepend=-1) > 0) - 1

    @property
    def unit(self) -> Ints:
        """Number of the unit of each judgement, to be held out as one.

        A unit is a pair, with its judgements by all judges, or all pairs of answers
        that have a pair in common.

        Examples
        --------
        >>> PairSet([0, 0, 1, 2], [1, 2, 2, 3], [1, -1, -1, 1], answers=[7, 7, 7, 8]
        ...         ).unit
        array([0, 0, 0, 1])
        """
        return self.pair if self.answers is None else self._unit

    @property
    def _kept_units(self) -> Ints | None:
        """Units in place of answers, where judgements of a pair become one."""
        return None if self.answers is None else self._unit

    @cached_property
    def _unit(self) -> Ints:
        assert self.answers is not None
        pair, answer = self.pair, np.unique(self.answers, return_inverse=True)[1]
        n_pairs = int(pair.max(initial=-1)) + 1
        n_nodes = n_pairs + int(answer.max(initial=-1)) + 1
        links = sparse.coo_array(
            (np.ones(len(pair)), (pair, n_pairs + answer)), (n_nodes, n_nodes)
        )
        node = csgraph.connected_components(links, directed=False)[1]
        return np.asarray(np.unique(node[pair], return_inverse=True)[1])

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
        return self if self.grade.all() else self._at(self.grade != 0)

    def _at(self, mask: Mask) -> "PairSet":
        columns = (self.i[mask], self.j[mask], self.grade[mask], self.judges[mask])
        answers = None if self.answers is None else self.answers[mask]
        new: PairSet = object.__new__(PairSet)
        return new._set(*columns, self.n_samples, self.judge_names, answers)

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
        return self._at(given)

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
        within = self._at(inside)
        return replace(within, i=i[inside], j=j[inside], n_samples=kept.size)

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
            follows from the others by a chain. Units (`unit`) are split if there are
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
        unit = pairs.unit
        if not is_count(n_folds, 2, n_units := int(unit.max(initial=-1)) + 1):
            what = "pairs" if pairs.answers is None else "answers"
            raise PairsError(
                f"n_folds is {shown(n_folds)}, expected a number from 2 to the "
                f"{n_units} informative {what}"
            )
        n_groups, labels = pairs.components()
        whole = check_flag("whole_groups", whole_groups) and n_groups >= n_folds
        unit = labels[pairs.i] if whole else unit
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
        A pair judged in several sets by one judge, or by none with a name, gets their
        mean, so ``a.concat(b, c)`` gives the three equal weights, and ``a + b + c``
        gives `c` half the weight. Judgements of several judges stay several.

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
        names = sorted({name for pairs in sets for name in pairs.judge_names})
        place = {name: code for code, name in enumerate(names)}
        judges = [
            np.array([place[name] for name in pairs.judge_names])[pairs.judges]
            for pairs in sets
        ]
        columns = [(p.i, p.j, p.grade, by) for p, by in zip(sets, judges, strict=True)]
        i, j, grade, codes = map(np.concatenate, zip(*columns, strict=True))
        answers = None
        if any(pairs.answers is not None for pairs in sets):
            own = [np.arange(len(p)) if p.answers is None else p.answers for p in sets]
            starts = np.cumsum([0, *(some.max(initial=-1) + 1 for some in own)])
            answers = np.concatenate(
                [some + start for some, start in zip(own, starts[:-1], strict=True)]
            )
        return PairSet(i, j, grade, self.n_samples, codes, names, answers)

    def to_sparse(self) -> "sparse.csr_array[np.float64]":
        """Symmetric matrix of `merged` grades (n_samples, n_samples), with those of 0.

        Examples
        --------
        >>> PairSet.from_triples([(0, 1, 0.5), (1, 2, -1)]).to_sparse().toarray()
        array([[ 0. ,  0.5,  0. ],
               [ 0.5,  0. , -1. ],
               [ 0. , -1. ,  0. ]])
        """
        once = self.merged
        ends = np.concatenate([once.i, once.j]), np.concatenate([once.j, once.i])
        shape = (self.n_samples, self.n_samples)
        return sparse.coo_array((np.tile(once.grade, 2), ends), shape).tocsr()

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
    def _key(self) -> tuple[Any, ...]:
        columns = self.i, self.j, self.grade, self.judges
        answers = None if self.answers is None else self.answers.tobytes()
        known = self.n_samples, self.judge_names, answers
        return (*known, *(values.tobytes() for values in columns))

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
        several = f"; {n} judges" if (n := len(self.judge_names)) > 1 else ""
        return (
            f"PairSet({len(self)} pairs on {self.n_samples} samples: {alike} alike, "
            f"{unlike} unlike, {len(self) - alike - unlike} can't say{several})"
        )

    def _repr_html_(self) -> str:
        """Return what notebooks show: the first judgements, and how many there are."""
        rows = "".join(
            f"<tr><td>{i}</td><td>{j}</td><td>{grade:+.2f}</td>"
            f"<td>{escape(self.judge_names[judge])}</td></tr>"
            for i, j, grade, judge in zip(
                *(column[:SHOWN].tolist() for column in
                  (self.i, self.j, self.grade, self.judges)), strict=True)
        )  # fmt: skip
        heads = "".join(f"<th>{head}</th>" for head in ("i", "j", "grade", "judge"))
        return f"<p>{self!r}</p><table><tr>{heads}</tr>{rows}</table>"

    def __reduce__(self) -> tuple[Any, ...]:
        # Copies and files are restored by the constructor: checked and read-only.
        columns = self.i, self.j, self.grade, self.n_samples
        return PairSet, (*columns, self.judges, self.judge_names, self.answers)
