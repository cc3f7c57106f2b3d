"""COBRAS: parts of clusters that are split and merged by answers.

References
----------
.. [1] Van Craenendonck, Dumancic, Van Wolputte, Blockeel, "COBRAS: interactive
   clustering with pairwise queries", 2018.
"""

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np
from sklearn.cluster import KMeans

from fuzzypairs._typing import Ints
from fuzzypairs.active.pool import Pool, Proposals, Question
from fuzzypairs.pairs.answer_groups import DIFFERENT, SAME

# Further pairs of rows asked when the representatives' answer is undecided.
N_MORE = 2
SPLIT_REASON = "to see whether a group holds one cluster or several"
MERGE_REASON = "to see whether two groups are one cluster"


@dataclass(frozen=True, eq=False)
class Part:
    """A super-instance: rows that are taken to be of one cluster."""

    rows: Ints
    by_center: Ints  # the same rows, the most central first

    @property
    def representative(self) -> int:
        """The row nearest to the mean."""
        return int(self.by_center[0])


def cobras(pool: Pool) -> Proposals:
    """Split the largest part and merge clusters of parts, as answers say."""
    clusters = [[make_part(pool, pool.candidates)]]
    while True:
        parts = [part for cluster in clusters for part in cluster]
        largest = max(parts, key=lambda part: len(part.rows))
        if len(largest.rows) < 2:
            return
        level = yield from split_level(pool, largest)
        pieces = split(pool, largest, min(2 ** max(level, 1), len(largest.rows)))
        if len(pieces) < 2:  # equal rows cannot be split
            return
        rest = [[p for p in cluster if p is not largest] for cluster in clusters]
        clusters = [cluster for cluster in rest if cluster]
        clusters += [[piece] for piece in pieces]
        yield from merge(pool, clusters)


def split_level(pool: Pool, part: Part) -> Generator[Question, None, int]:
    """Return how often halves of a part, and of their halves, are different."""
    level = 0
    while len(part.rows) >= 2:
        halves = split(pool, part, 2)
        if len(halves) < 2:
            return level
        grade = yield from compare(pool, halves[0], halves[1], SPLIT_REASON)
        if grade > DIFFERENT:
            return level
        level += 1
        large_enough = [half for half in halves if len(half.rows) >= 2]
        if not large_enough:
            return level
        part = min(large_enough, key=lambda half: len(half.rows))
    return level


def merge(pool: Pool, clusters: list[list[Part]]) -> Proposals:
    """Merge the closest clusters until no answer merges any, in place."""
    apart: set[tuple[int, int]] = set()  # keys of clusters that were not merged
    while True:
        best = None
        for a in range(len(clusters)):
            for b in range(a + 1, len(clusters)):
                if (id(clusters[a]), id(clusters[b])) in apart:
                    continue
                near = closest(pool, clusters[a], clusters[b])
                if best is None or near[0] < best[0]:
                    best = (*near, a, b)
        if best is None:
            return
        _, left, right, a, b = best
        grade = yield from compare(pool, left, right, MERGE_REASON)
        if grade >= SAME:
            clusters[a] = clusters[a] + clusters.pop(b)
        else:
            apart.add((id(clusters[a]), id(clusters[b])))


def compare(
    pool: Pool, left: Part, right: Part, reason: str
) -> Generator[Question, None, float]:
    """Ask representatives; where that is undecided, others, and take the mean."""
    grades = []
    for a, b in zip(left.by_center, right.by_center, strict=False):
        grades.append((yield from pool.ask(int(a), int(b), reason)))
        mean = float(np.mean(grades))
        if not DIFFERENT < mean < SAME or len(grades) > N_MORE:
            break
    return mean


def closest(pool: Pool, a: list[Part], b: list[Part]) -> tuple[float, Part, Part]:
    """Return the nearest parts of two clusters, after their distance."""
    rows = np.array([part.representative for part in a])
    to = np.array([part.representative for part in b])
    apart = pool.squared_distances(rows, to)
    i, j = np.unravel_index(apart.argmin(), apart.shape)
    return float(apart[i, j]), a[int(i)], b[int(j)]


def split(pool: Pool, part: Part, n_parts: int) -> list[Part]:
    """Split a part by k-means; equal rows stay together."""
    X = pool.X[part.rows]
    n_parts = min(n_parts, len(np.unique(X, axis=0)))
    if n_parts < 2:
        return [part]
    seed = int(pool.rng.integers(2**31))
    labels = KMeans(n_parts, n_init=1, random_state=seed).fit_predict(X)
    return [make_part(pool, part.rows[labels == p]) for p in np.unique(labels)]


def make_part(pool: Pool, rows: Ints) -> Part:
    """Order rows by their distance from the mean."""
    X = pool.X[rows]
    distance = ((X - X.mean(axis=0)) ** 2).sum(axis=1)
    return Part(rows, rows[np.argsort(distance, kind="stable")])
