"""Judgements that follow from pairs of judgements with a sample in common."""

from itertools import combinations

import numpy as np

from fuzzypairs.pairs import PairSet

__all__ = ["DIFFERENT", "SAME", "infer_pairs"]

# From these grades on an answer reads as "the same cluster" or "different clusters".
SAME, DIFFERENT = 0.5, -0.5


def infer_pairs(pairs: PairSet) -> PairSet:
    """Return the judgements that follow from two others, and were not made.

    If p and q are clearly alike, and q and r are clearly alike or clearly unlike, then
    so are p and r, with the product of the two grades. Only one sample may lie
    between: chains of graded judgements are not transitive, and one wrong answer in a
    chain would join whole clusters.

    Parameters
    ----------
    pairs : PairSet
        Answers. Those between -0.5 and 0.5 imply nothing.

    Returns
    -------
    inferred : PairSet
        Pairs that `pairs` does not contain. A pair for which answers imply both kinds
        is left out; of several grades of one kind the strongest is taken.

    Examples
    --------
    >>> from fuzzypairs import PairSet
    >>> from fuzzypairs.active import infer_pairs
    >>> answers = PairSet.from_triples([(0, 1, 1.0), (1, 2, 0.8), (2, 3, -1.0)])
    >>> [(i, j, round(grade, 2)) for i, j, grade in infer_pairs(answers)]
    [(0, 2, 0.8), (1, 3, -0.8)]
    """
    alike: dict[int, dict[int, float]] = {}
    unlike: dict[int, dict[int, float]] = {}
    asked = set()
    for i, j, grade in pairs:
        asked.add((i, j))
        if grade >= SAME or grade <= DIFFERENT:
            side = alike if grade > 0 else unlike
            side.setdefault(i, {})[j] = grade
            side.setdefault(j, {})[i] = grade
    positive: dict[tuple[int, int], float] = {}
    negative: dict[tuple[int, int], float] = {}
    for between, near in alike.items():
        for (p, s), (r, t) in combinations(near.items(), 2):
            pair = (min(p, r), max(p, r))
            positive[pair] = max(positive.get(pair, 0.0), s * t)
        for r, t in unlike.get(between, {}).items():
            for p, s in near.items():
                pair = (min(p, r), max(p, r))
                negative[pair] = min(negative.get(pair, 0.0), s * t)
    agreed = {
        pair: grade
        for pair, grade in (positive | negative).items()
        if pair not in asked and not (pair in positive and pair in negative)
    }
    ends = np.array(sorted(agreed), dtype=np.int64).reshape(-1, 2)
    grades = [agreed[p, r] for p, r in ends.tolist()]
    return PairSet(ends[:, 0], ends[:, 1], grades, pairs.n_samples)
