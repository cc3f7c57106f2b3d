"""Neighbourhoods: samples of different clusters are found first, then extended.

Explore and consolidate [1]_, min-max [2]_ and NPU [3]_ share their first phase and the
way a sample is compared with the neighbourhoods; they differ in which sample is next.

References
----------
.. [1] Basu, Banerjee, Mooney, "Active semi-supervision for pairwise constrained
   clustering", 2004.
.. [2] Mallapragada, Jin, Jain, "Active query selection for semi-supervised
   clustering", 2008.
.. [3] Xiong, Azimi, Fern, "Active learning of constraints for semi-supervised
   clustering", 2014.
"""

from collections.abc import Callable, Generator

import numpy as np

from fuzzypairs._typing import Floats, Ints
from fuzzypairs.active.pool import Pool, Proposals, Question
from fuzzypairs.pairs.answer_groups import DIFFERENT, SAME

# With an unknown number of clusters, exploring ends when so many samples in a row
# belonged to neighbourhoods found before.
JOINED_IN_A_ROW = 5
# Share of the samples farthest from others that min-max leaves out as outliers.
TRIMMED = 0.01


class Neighbourhoods:
    """Sets of samples that answers put into one cluster each.

    The first sample of a neighbourhood represents it in questions: answers to one
    sample imply most, and a wrong one misplaces one sample only.
    """

    def __init__(self) -> None:
        self.members: list[list[int]] = []
        self.placed: set[int] = set()

    def __len__(self) -> int:
        return len(self.members)

    def add(self, sample: int, hood: int | None) -> None:
        """Put a sample into a neighbourhood, or into a new one if `hood` is None."""
        if hood is None:
            self.members.append([sample])
        else:
            self.members[hood].append(sample)
        self.placed.add(sample)

    def skip(self, sample: int) -> None:
        """Note a sample that answers put between neighbourhoods."""
        self.placed.add(sample)

    def rest(self, pool: Pool) -> Ints:
        """Return the candidates that were not compared yet."""
        is_placed = np.isin(pool.candidates, list(self.placed))
        return pool.candidates[~is_placed]


# From a pool and its neighbourhoods to the next sample, and the likely order of its
# neighbourhoods; None when no sample is left.
Choice = Callable[[Pool, Neighbourhoods], tuple[int, list[int]] | None]


def explore_consolidate(pool: Pool) -> Proposals:
    """Ask farthest samples until all clusters are found, then random ones."""
    return _neighbourhood_strategy(pool, choose_random)


def min_max(pool: Pool) -> Proposals:
    """Ask the sample least similar to all neighbourhoods, after exploring."""
    return _neighbourhood_strategy(pool, choose_least_similar)


def npu(pool: Pool) -> Proposals:
    """Ask the sample whose neighbourhood is least certain for each question it costs.

    Probabilities are co-memberships under the last model.
    """
    return _neighbourhood_strategy(pool, choose_uncertain)


def _neighbourhood_strategy(pool: Pool, choose: Choice) -> Proposals:
    hoods = Neighbourhoods()
    yield from explore(pool, hoods)
    while (chosen := choose(pool, hoods)) is not None:
        sample, order = chosen
        yield from place(pool, hoods, sample, order, "to extend a known cluster")


def explore(pool: Pool, hoods: Neighbourhoods) -> Proposals:
    """Find a sample of each cluster by a farthest-first traversal."""
    rows = pool.candidates
    sample = int(rows[pool.rng.integers(len(rows))])
    hoods.add(sample, None)
    nearest = pool.squared_distances(rows, [sample])[:, 0]
    joined = 0
    while len(hoods.placed) < len(rows):
        if len(hoods) == pool.n_clusters:
            return
        if pool.n_clusters is None and joined == JOINED_IN_A_ROW:
            return
        sample = int(rows[nearest.argmax()])
        before = len(hoods)
        order = by_distance(pool, hoods, sample)
        yield from place(pool, hoods, sample, order, "to find a cluster not seen yet")
        joined = joined + 1 if len(hoods) == before else 0
        nearest = np.minimum(nearest, pool.squared_distances(rows, [sample])[:, 0])
        nearest[rows == sample] = -1.0


def place(
    pool: Pool, hoods: Neighbourhoods, sample: int, order: list[int], reason: str
) -> Generator[Question, None, None]:
    """Compare a sample with neighbourhoods in order until one is its own."""
    answers = []
    for hood in order:
        representative = hoods.members[hood][0]
        grade = yield from pool.ask(sample, representative, reason)
        if grade >= SAME:
            hoods.add(sample, hood)
            return
        answers.append(grade)
    is_apart = all(grade <= DIFFERENT for grade in answers)
    if is_apart and (pool.n_clusters is None or len(hoods) < pool.n_clusters):
        hoods.add(sample, None)
    else:
        hoods.skip(sample)


def by_distance(pool: Pool, hoods: Neighbourhoods, sample: int) -> list[int]:
    """Return neighbourhoods by the distance of their nearest member."""
    rows = np.array([sample])
    near = [pool.squared_distances(rows, m).min() for m in hoods.members]
    return [int(h) for h in np.argsort(near, kind="stable")]


def choose_random(pool: Pool, hoods: Neighbourhoods) -> tuple[int, list[int]] | None:
    """Choose any sample."""
    rest = hoods.rest(pool)
    if not len(rest):
        return None
    sample = int(rest[pool.rng.integers(len(rest))])
    return sample, by_distance(pool, hoods, sample)


def choose_least_similar(
    pool: Pool, hoods: Neighbourhoods
) -> tuple[int, list[int]] | None:
    """Choose the sample whose nearest placed sample is farthest, but for outliers.

    The order of Gaussian similarities, of any width, is that of distances.
    """
    rest = hoods.rest(pool)
    if not len(rest):
        return None
    skeleton = [sample for members in hoods.members for sample in members]
    nearest = pool.squared_distances(rest, skeleton).min(axis=1)
    place_of = len(rest) - 1 - int(TRIMMED * len(rest))
    sample = int(rest[np.argsort(nearest, kind="stable")[place_of]])
    return sample, by_distance(pool, hoods, sample)


def choose_uncertain(pool: Pool, hoods: Neighbourhoods) -> tuple[int, list[int]] | None:
    """Choose the sample of the largest `npu_score`."""
    rest = hoods.rest(pool)
    if not len(rest):
        return None
    U = pool.memberships
    means = np.array([U[members].mean(axis=0) for members in hoods.members])
    affinity = U[rest] @ means.T + np.finfo(float).tiny
    P = affinity / affinity.sum(axis=1, keepdims=True)
    best = int(npu_score(P).argmax())
    order = np.argsort(-P[best], kind="stable")
    return int(rest[best]), [int(h) for h in order]


def npu_score(P: Floats) -> Floats:
    """Return entropy in bits over the expected number of questions, row by row.

    Neighbourhoods are asked in decreasing order of their probability, so that the
    r-th one costs r questions.

    Examples
    --------
    >>> import numpy as np
    >>> npu_score(np.array([[0.5, 0.5], [0.2, 0.8]])).round(4)
    array([0.6667, 0.6016])
    """
    ordered = -np.sort(-P, axis=1)
    logs = np.log2(ordered, out=np.zeros_like(ordered), where=ordered > 0.0)
    entropy = -(ordered * logs).sum(axis=1)
    return np.asarray(entropy / (ordered @ np.arange(1, P.shape[1] + 1)))
