"""Problems for the tests of the core, written with plain loops."""

from dataclasses import dataclass

import numpy as np

import naive
from fuzzypairs import _core


def graph(sizes, pairs, beta, own=1.0):
    """Return the arrays of `_core.Groups` for judgements (p, q, s)."""
    n_rows = sum(sizes)
    edges = [[] for _ in range(n_rows)]
    for p, q, s in pairs:
        edges[p].append((q, s))
        edges[q].append((p, s))
    groups = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    indptr = np.concatenate([[0], np.cumsum([len(row) for row in edges])])
    neighbor = np.array([q for row in edges for q, _ in row], dtype=np.int64)
    pull = np.array([beta * s / 2 for row in edges for _, s in row], dtype=float)
    alike = [sum(max(s, 0.0) for _, s in row) for row in edges]
    diagonal = own * beta / 2 * np.array(alike, dtype=float)
    return groups, indptr.astype(np.int64), neighbor, pull, diagonal, own


def joined(sizes, rng, low=-1.0, high=1.0, more=0):
    """Return judgements that make each group a chain, with a few pairs more."""
    pairs, first = [], 0
    for size in sizes:
        ends = [(first + i, first + i + 1) for i in range(size - 1)]
        every = [
            (p, q) for q in range(first, first + size) for p in range(first, q - 1)
        ]
        for _ in range(min(more, len(every))):
            ends.append(every.pop(int(rng.integers(len(every)))))
        pairs += [(p, q, float(rng.uniform(low, high))) for p, q in ends]
        first += size
    return pairs


@dataclass
class Judged:
    """Groups, the judgements between their rows, and distances that may be weighted."""

    sizes: list
    pairs: list
    beta: float
    dist2: np.ndarray
    U: np.ndarray
    own: float = 1.0
    fuzzifier: float = 2.0

    def core(self):
        """Return the groups of the core, ready to descend."""
        arrays = graph(self.sizes, self.pairs, self.beta, self.own)
        groups = _core.Groups(*arrays, self.fuzzifier)
        groups.memberships = self.U
        groups.set_distances(self.dist2)
        return groups

    def value(self, U):
        """Return what the groups minimise, at other memberships."""
        total = float((self.dist2 * U**self.fuzzifier).sum())
        for p, q, s in self.pairs:
            if s > 0:
                squares = self.own / 2 * (U[p] @ U[p] + U[q] @ U[q])
                total += self.beta * s * (squares - U[p] @ U[q])
            else:
                total += self.beta * naive.pair_cost(U[p], U[q], s)
        return total

    def one(self, g):
        """Return one of the groups alone."""
        first = sum(self.sizes[:g])
        last = first + self.sizes[g]
        rows = slice(first, last)
        pairs = [
            (p - first, q - first, s) for p, q, s in self.pairs if first <= p < last
        ]
        settings = self.own, self.fuzzifier
        parts = (
            np.ascontiguousarray(self.dist2[rows]),
            np.ascontiguousarray(self.U[rows]),
        )
        return Judged([self.sizes[g]], pairs, self.beta, *parts, *settings)


def judged(
    sizes, k, *, beta=5.0, own=1.0, fuzzifier=2.0, seed=0, low=-1.0, high=1.0, more=0
):
    """Draw a problem of groups of some sizes."""
    rng = np.random.default_rng([seed, len(sizes), k])
    n_rows = sum(sizes)
    dist2 = rng.uniform(0.05, 2.0, (n_rows, k))
    U = rng.dirichlet(np.ones(k), n_rows)
    pairs = joined(sizes, rng, low, high, more)
    return Judged(list(sizes), pairs, beta, dist2, U, own, fuzzifier)


def no_groups():
    """Return groups without a row."""
    none = np.zeros(0, dtype=np.int64)
    return _core.Groups(
        np.zeros(1, np.int64), np.zeros(1, np.int64), none, np.zeros(0), np.zeros(0)
    )


def assert_on_simplex(U):
    """Assert that rows are memberships."""
    assert np.isfinite(U).all()
    assert U.min(initial=0.0) >= 0.0
    np.testing.assert_allclose(U.sum(axis=1), 1.0, atol=1e-12)
