"""Propagation of judgements to pairs of samples nearby."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.spatial import KDTree

from fuzzypairs import _core
from fuzzypairs._typing import Data, Floats, Ints, Mask
from fuzzypairs.exceptions import PairsError
from fuzzypairs.pairs import PairSet
from fuzzypairs.threads import Threads, cut, over_ranges
from fuzzypairs.validation import (
    check_integer,
    check_jobs,
    check_number,
    check_weights,
    read_array,
)

__all__ = ["Propagation", "propagate", "spread_pairs"]

Csr: TypeAlias = "sparse.csr_array[np.float64]"
Triples = tuple[Ints, Ints, Floats]

# Largest number of steps of a random walk; at a strength of 0.8 one in a hundred is
# longer.
N_STEPS = 20
# Number of samples near each judged one, itself included. Scores with 30, 50, 100 and
# all differ by less than 0.2 points over eleven sets.
REACH = 50
# Multiplications for one block of derived grades.
BLOCK = 2_000_000
# Derived grades below this share of the strongest asked one are left out.
NEGLIGIBLE = 1e-6
# Rows whose neighbours are searched at a time, in less than half a second.
PART = 512
# Up to about this many features a tree is faster than all distances.
TREE_FEATURES = 15
# The largest strength of "auto", and the evidence that it needs (standard deviations).
AUTO_STRENGTH = 0.8
ENOUGH_EVIDENCE = 2.0
# Evidence up to this is rounding.
ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Propagation:
    """Judgements, and those derived from them by `propagate`.

    Attributes
    ----------
    asked : PairSet
        The judgements as they were given.
    derived : PairSet
        Grades of pairs that were not asked, none stronger than the strongest asked.
    strength : float
        The strength that was used; what "auto" chose.

    Examples
    --------
    >>> found = propagate([[0.0], [1.0], [5.0], [6.0]], [(0, 2, -0.8)], n_neighbors=1)
    >>> found.pairs
    PairSet(4 pairs on 4 samples: 0 alike, 4 unlike, 0 can't say)
    """

    asked: PairSet
    derived: PairSet
    strength: float
    _spread: PairSet
    _chance: Csr

    def __repr__(self) -> str:
        return (
            f"Propagation({len(self.derived)} pairs derived from {len(self.asked)} "
            f"asked, strength {self.strength:.3g})"
        )

    @cached_property
    def pairs(self) -> PairSet:
        """Asked and derived judgements together.

        Examples
        --------
        >>> X = [[0.0], [1.0], [5.0], [6.0]]
        >>> list(propagate(X, [(0, 2, -0.8)], 0.5, n_neighbors=1).pairs)
        [(0, 2, -0.8), (0, 3, -0.4), (1, 2, -0.4), (1, 3, -0.2)]
        """
        return self.asked + self.derived

    @property
    def was_asked(self) -> Mask:
        """Which of `pairs` were asked.

        Examples
        --------
        >>> propagate([[0.0], [1.0], [5.0]], [(0, 2, -0.8)], n_neighbors=1).was_asked
        array([False,  True, False])
        """
        asked, pairs, n = self.asked, self.pairs, self.asked.n_samples
        return np.isin(pairs.i * n + pairs.j, asked.i * n + asked.j)

    def sources(self, i: int, j: int) -> list[tuple[int, int, float]]:
        """Trace a derived pair: asked pairs, and what each gives to its grade.

        Parameters
        ----------
        i, j : int
            Rows of a derived pair, in any order.

        Returns
        -------
        list of (p, q, share)
            The asked pairs that contribute, the strongest first; the shares add up
            to the derived grade.

        Raises
        ------
        PairsError
            If the pair was not derived.

        Examples
        --------
        >>> X = [[0.0], [1.0], [5.0], [6.0]]
        >>> found = propagate(X, [(0, 2, -0.8), (0, 3, 0.2)], 0.5, n_neighbors=1)
        >>> found.sources(1, 2)
        [(0, 2, -0.4), (0, 3, 0.05)]
        """
        derived, spread = self.derived, self._spread
        place = np.flatnonzero((derived.i == min(i, j)) & (derived.j == max(i, j)))
        if not place.size:
            raise PairsError(
                f"pair ({i}, {j}) was not derived; ask for one of the "
                f"{len(derived)} pairs in `derived`"
            )
        to_i, to_j = self._chance[[i, j]].toarray()
        p, q = spread.i, spread.j
        share = spread.grade * (to_i[p] * to_j[q] + to_i[q] * to_j[p])
        # Shares change only if the grade was clipped to the strongest asked one.
        share *= derived.grade[place] / share.sum()
        order = np.argsort(-np.abs(share), kind="stable")[: np.count_nonzero(share)]
        columns = p[order].tolist(), q[order].tolist(), share[order].tolist()
        return list(zip(*columns, strict=True))


def propagate(
    X: ArrayLike,
    pairs: Any,
    strength: float | Literal["auto"] = AUTO_STRENGTH,
    *,
    n_neighbors: int = 10,
    most: float = 5.0,
    sample_weight: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> Propagation:
    """Derive grades of neighbouring pairs from judgements.

    A judgement of two samples is also evidence about their neighbours. A random walk
    from sample i on the graph of nearest neighbours continues with probability
    `strength`, to a neighbour drawn uniformly; h_ip is the probability that it reaches
    the judged sample p (within 20 steps; 1 for p itself). The derived grade of i and j
    is

        f_ij = sum over asked pairs (p, q, s) of s (h_ip h_jq + h_iq h_jp).

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Finite data; neighbours are Euclidean.
    pairs : PairSet, or what `PairSet.coerce` reads
        Asked judgements. What several judges say of a pair is propagated as its mean.
        Those of 0 have no effect, and their pairs are not derived.
    strength : float in [0, 1) or "auto", default=0.8
        How far judgements are propagated; 0 derives nothing. "auto" is at most 0.8, and
        less if judgements disagree with the data or with each other; see Notes.
    n_neighbors : int, default=10
        Neighbours of each sample in the graph, which joins two samples if either is a
        neighbour of the other.
    most : float, default=5.0
        Average number of derived pairs for each sample; the strongest are taken.
    sample_weight : array-like of shape (n_samples,), default=None
        Samples of weight 0 are left out with their judgements. Other weights have no
        effect.
    n_jobs : int, default=None
        Number of threads; results do not depend on it.

    Returns
    -------
    propagation : Propagation
        Asked and derived pairs, with the sources of each.

    Notes
    -----
    The probabilities h of one judged sample are kept for the 50 samples where they are
    largest, so that time and memory grow with the number of pairs and, for the graph,
    near-linearly with the number of samples. No matrix of all samples is formed.

    Copies of a row are not neighbours of each other: the graph joins distinct rows by
    one copy of each, and the copies of a row to a ring.

    "auto" measures two things in standard deviations under chance: whether samples
    judged alike are nearer to each other than samples judged unlike (rank correlation
    of grades and distances), and whether each judgement has the sign of f derived from
    those that no chain of judgements links to it. The strength grows with their sum,
    and is 0 if the data contradict the judgements. Judgements that are all opposite
    to the truth support each other, so that only the first can tell.

    The idea of propagating judgements from both their samples is that of [1]_.

    References
    ----------
    .. [1] Z. Lu, H. H. S. Ip, "Constrained spectral clustering via exhaustive and
       efficient constraint propagation", ECCV 2010.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from fuzzypairs.datasets import simulate_pairs
    >>> X, y = scale(load_wine().data), load_wine().target
    >>> found = propagate(X, simulate_pairs(X, y, "iv", random_state=0))
    >>> found
    Propagation(890 pairs derived from 18 asked, strength 0.8)
    """
    X = np.asarray(read_array("X", X, dtype=[np.float64, np.float32]))
    if not isinstance(strength, str) or strength != "auto":
        strength = check_number("strength", strength, 0, 1, words=["auto"])
    check_jobs(n_jobs)
    return spread_pairs(
        X,
        PairSet.coerce(pairs, len(X)),
        strength,
        n_neighbors=check_integer("n_neighbors", n_neighbors, 1),
        most=check_number("most", most, 0),
        weight=check_weights(sample_weight, len(X)),
        n_jobs=n_jobs,
    )


def spread_pairs(
    X: Data,
    asked: PairSet,
    strength: float | Literal["auto"],
    *,
    n_neighbors: int = 10,
    most: float = 5.0,
    weight: Floats | None = None,
    n_jobs: int | None = None,
) -> Propagation:
    """Propagate judgements as `propagate` does, without its checks."""
    n_samples, n_most = len(X), round(min(most, len(X)) * len(X))
    is_present = np.ones(n_samples, bool) if weight is None else weight > 0
    spread = asked.merged.informative
    spread = spread.select(is_present[spread.i] & is_present[spread.j])
    nothing = sparse.csr_array((n_samples, n_samples))
    none = Propagation(asked, PairSet.empty(n_samples), 0.0, spread, nothing)
    if not (strength and n_most and len(spread)):
        return none
    data = _in_units(np.asarray(X, dtype=np.float64))
    graph = _neighbor_graph(data, np.flatnonzero(is_present), n_neighbors, n_jobs)
    reach = AUTO_STRENGTH if isinstance(strength, str) else strength
    chance = _chances(graph, spread, reach, n_jobs)
    if isinstance(strength, str):
        strength = _choose_strength(data, spread, chance)
        if strength == 0:
            return none
        if strength != reach:
            chance = _chances(graph, spread, strength, n_jobs)
    i, j, grade = _strongest(_field(spread, chance), asked, n_most)
    limit = np.abs(asked.grade).max(initial=0.0)
    derived = PairSet(i, j, np.clip(grade, -limit, limit), n_samples)
    return Propagation(asked, derived, strength, spread, chance)


def _in_units(X: Floats) -> Floats:
    """Centre and scale X, so that no distance overflows or cancels."""
    X = X / (np.abs(X).max() or 1.0)
    X -= X.mean(axis=0)
    return X


def _neighbor_graph(
    X: Floats, present: Ints, n_neighbors: int, n_jobs: int | None
) -> Csr:
    """Join present samples to their nearest neighbours, in both directions.

    Neighbours are distinct rows. The t-th copy of a row is joined to copy t of each of
    them, modulo their number, and to the next copy of its own row, so that many copies
    neither fill each other's lists nor add edges.
    """
    values, row, n_copies = np.unique(
        X[present], axis=0, return_inverse=True, return_counts=True
    )
    row = row.ravel()  # numpy 2.0 gives it another shape
    near = _nearest(values, min(n_neighbors + 1, len(values)), n_jobs)[row]
    first = np.cumsum(n_copies) - n_copies
    order = np.argsort(row, kind="stable")
    turn = np.empty_like(row)
    turn[order] = np.arange(row.size) - np.repeat(first, n_copies)
    turns = turn[:, None] + (near == row[:, None])
    there = present[order[first[near] + turns % n_copies[near]]].ravel()
    here = np.repeat(present, near.shape[1])
    here, there = here[here != there], there[here != there]
    ends = np.concatenate([here, there]), np.concatenate([there, here])
    edges = sparse.coo_array((np.ones(ends[0].size), ends), shape=(len(X),) * 2)
    return edges.tocsr()


def _nearest(values: Floats, n_nearest: int, n_jobs: int | None) -> Ints:
    """Return the nearest of distinct rows to each, itself included."""
    if values.shape[1] <= TREE_FEATURES:
        wanted = np.arange(1, n_nearest + 1)
        n_workers, tree = Threads(n_jobs).n_threads, KDTree(values)
        return _in_parts(
            lambda part: tree.query(part, wanted, workers=n_workers)[1], values
        )
    # Imported here: it would lengthen every import of the package by 6 %.
    from sklearn.neighbors import NearestNeighbors

    search = NearestNeighbors(n_neighbors=n_nearest, algorithm="brute").fit(values)
    return _in_parts(
        lambda part: search.kneighbors(part, return_distance=False), values
    )


def _in_parts(find: Callable[[Floats], Any], values: Floats) -> Ints:
    """Return what `find` does of all rows; Ctrl-C ends it between two parts."""
    starts = range(0, max(len(values), 1), PART)
    return np.concatenate([find(values[a : a + PART]) for a in starts])


def _chances(graph: Csr, pairs: PairSet, strength: float, n_jobs: int | None) -> Csr:
    """Return the matrix h (n_samples, n_samples), zero but for judged columns."""
    targets = np.unique(np.concatenate([pairs.i, pairs.j]))
    reach = min(REACH, pairs.n_samples)
    edges = graph.indptr.astype(np.int64), graph.indices.astype(np.int64)

    def run(a: int, b: int) -> tuple[Ints, Floats, Ints]:
        found: tuple[Ints, Floats, Ints] = _core.reach(
            *edges, targets[a:b], strength, N_STEPS, reach
        )
        return found

    parts = Threads(n_jobs).map(run, over_ranges(cut(targets.size, 64)))
    rows, chances, counts = (np.concatenate(part) for part in zip(*parts, strict=True))
    used = np.arange(reach) < counts[:, None]
    ends = rows[used], np.repeat(targets, counts)
    return sparse.coo_array((chances[used], ends), shape=graph.shape).tocsr()


def _field(pairs: PairSet, chance: Csr) -> Iterator[Triples]:
    """Yield the entries i < j of f = h Y h', with Y the grades, in blocks of rows."""
    half = (pairs.to_sparse() @ chance.T).tocsr()
    counts = np.diff(half.indptr).astype(np.float64)
    reached = sparse.csr_array(
        (counts[chance.indices], chance.indices, chance.indptr), shape=chance.shape
    )
    work: Floats = np.cumsum(reached.sum(axis=1))
    cuts = np.searchsorted(work, np.arange(BLOCK, work[-1], BLOCK))
    borders = np.unique([0, *cuts, pairs.n_samples])
    for start, stop in over_ranges(borders):
        block = (chance[start:stop] @ half).tocoo()
        i, j = block.row.astype(np.int64) + start, block.col
        above = i < j
        yield i[above], j[above].astype(np.int64), block.data[above]


def _strongest(blocks: Iterable[Triples], asked: PairSet, n_most: int) -> Triples:
    """Return the `n_most` strongest entries that were not asked."""
    ends = asked.i * asked.n_samples + asked.j
    least = NEGLIGIBLE * np.abs(asked.grade).max(initial=0.0)
    code, grade = np.empty(0, dtype=np.int64), np.empty(0)
    for i, j, values in blocks:
        strong = np.abs(values) > least
        code = np.append(code, i[strong] * asked.n_samples + j[strong])
        grade = np.append(grade, values[strong])
        # Those that were asked are left out at the end.
        if code.size > n_most + ends.size:
            kept = _largest(grade, n_most + ends.size)
            code, grade = code[kept], grade[kept]
            least = np.abs(grade).min()
    is_new = ~np.isin(code, ends)
    code, grade = code[is_new], grade[is_new]
    kept = _largest(grade, n_most)
    return (*np.divmod(code[kept], asked.n_samples), grade[kept])


def _largest(values: Floats, n_most: int) -> Ints:
    """Return the places of the `n_most` values furthest from 0."""
    if values.size <= n_most:
        return np.arange(values.size)
    return np.asarray(np.argpartition(-np.abs(values), n_most - 1)[:n_most])


def _choose_strength(X: Floats, pairs: PairSet, chance: Csr) -> float:
    """Return the strength that the evidence supports, 0 to AUTO_STRENGTH."""
    near, together = _evidence(X, pairs, chance)
    if near <= ROUNDING:
        return 0.0
    evidence = (near + together) / np.sqrt(2)
    return float(AUTO_STRENGTH * np.clip(evidence / ENOUGH_EVIDENCE, 0, 1))


def _evidence(X: Floats, pairs: PairSet, chance: Csr) -> tuple[float, float]:
    """Return how well judgements agree with distances and with each other.

    Both are in standard deviations under chance, where their mean is 0.
    """
    gap = np.linalg.norm(X[pairs.i] - X[pairs.j], axis=1)
    near = -_correlation(_ranks(pairs.grade), _ranks(gap)) * np.sqrt(len(pairs) - 1)
    # Judgements of one group are not independent. Groups share no sample, so excluding
    # the group on one side is enough.
    group = pairs.components()[1]
    to_p = chance[pairs.i].tocoo()
    other = group[to_p.col] != group[pairs.i][to_p.row]
    to_p.data *= other
    field: Floats = (
        (to_p.tocsr() @ pairs.to_sparse()).multiply(chance[pairs.j]).sum(axis=1)
    )
    product = pairs.grade * field
    size = np.linalg.norm(product)
    return near, float(product.sum() / size) if size > 0 else 0.0


def _ranks(values: Floats) -> Floats:
    """Return ranks from 0, equal for equal values."""
    return np.unique(values, return_inverse=True)[1].astype(np.float64)


def _correlation(a: Floats, b: Floats) -> float:
    """Return Pearson's correlation; 0 where either is constant."""
    if a.size < 2 or np.ptp(a) == 0 or np.ptp(b) == 0:
        return 0.0
    return float(np.corrcoef(a, b)[0, 1])
