"""Judgements that follow from others with samples in common."""

from math import log
from typing import Any

import numpy as np
from scipy.special import expit

from fuzzypairs.cluster.guided import GuidedFDC
from fuzzypairs.pairs import PairSet
from fuzzypairs.pairs.answer_groups import group_samples
from fuzzypairs.validation import check_integer

# Partners of a sample in inferred judgements of either kind: more only take time.
MOST_PARTNERS = 10
# The grade of an inferred judgement.
GRADE = 0.6
# The most strength of all of them together for each unit of strength of the answers:
# if one answer in ten is wrong, and if all are right. One wrong answer makes many
# inferred judgements wrong (docs/active.md).
WEAK, STRONG = 0.1, 2.0
# Prior odds that answers are right, and the share of comparisons of answers that fail
# if they are, and if one in ten is wrong (at least three answers are compared).
RIGHT, FAILED = 0.1, (0.02, 0.25)


def infer_pairs(pairs: PairSet, n_clusters: int | None = None) -> PairSet:
    """Derive the judgements that follow from others.

    Samples of one group (`group_samples`) are alike, and samples of two groups with
    unlike judgements between them are unlike.

    Parameters
    ----------
    pairs : PairSet
        Answers.
    n_clusters : int or None, default=None
        The most clusters there are, if known. Of two clusters, samples that are unlike
        a third one are alike.

    Returns
    -------
    inferred : PairSet
        Pairs that `pairs` does not contain, at most about ten of either kind for each
        sample. Their grades are +-0.6, and smaller if together they would have more
        than 0.1 to 2 times the strength of the answers, the more of these agree with
        others the stronger.

    Examples
    --------
    >>> from fuzzypairs import PairSet
    >>> from fuzzypairs.active import infer_pairs
    >>> answers = PairSet.from_triples([(0, 1, 1.0), (1, 2, 0.8), (2, 3, -1.0)])
    >>> [(i, j, round(grade, 2)) for i, j, grade in infer_pairs(answers)]
    [(0, 2, 0.25), (0, 3, -0.25), (1, 3, -0.25)]
    """
    if not isinstance(pairs, PairSet):
        raise TypeError(f"pairs is a {type(pairs).__name__}, expected a PairSet")
    if n_clusters is not None:
        check_integer("n_clusters", n_clusters, 1)
    groups = group_samples(pairs, n_clusters)
    asked = set(zip(pairs.i.tolist(), pairs.j.tolist(), strict=True))
    rng = np.random.default_rng(0)
    found: dict[tuple[int, int], float] = {}
    for group, members in groups.members.items():
        apart = [
            row
            for other in groups.between[group]
            if groups.are_apart(group, other)
            for row in groups.members[other]
        ]
        for row in members:
            for others, grade in ((members, GRADE), (apart, -GRADE)):
                for other in draw(others, rng):
                    pair = (min(row, other), max(row, other))
                    if row != other and pair not in asked:
                        found[pair] = grade
    ends = np.array(sorted(found), dtype=np.int64).reshape(-1, 2)
    grades = np.array([found[i, j] for i, j in ends.tolist()])
    share = inferred_share(*groups.compare_answers(pairs))
    total, most = np.abs(grades).sum(), share * np.abs(pairs.grade).sum()
    if total > most:
        grades *= most / total
    return PairSet(ends[:, 0], ends[:, 1], grades, pairs.n_samples)


def inferred_share(n_compared: int, n_violated: int) -> float:
    """Return how strong inferred judgements may be, beside the answers.

    Parameters
    ----------
    n_compared : int
        Answers that follow from others.
    n_violated : int
        Those that contradict the others.

    Examples
    --------
    >>> [round(inferred_share(*counts), 2) for counts in ((0, 0), (15, 0), (15, 3))]
    [0.27, 1.71, 0.1]
    """
    by_right, by_wrong = FAILED
    log_odds = log(RIGHT)
    log_odds += n_violated * log(by_right / by_wrong)
    log_odds += (n_compared - n_violated) * log((1.0 - by_right) / (1.0 - by_wrong))
    return WEAK + (STRONG - WEAK) * float(expit(log_odds))


def fit_answers(
    model: GuidedFDC,
    X: Any,
    answers: PairSet,
    n_clusters: int | None,
    sample_weight: Any = None,
) -> GuidedFDC:
    """Fit a model to answers and to what follows from them.

    Parameters
    ----------
    n_clusters : int or None
        The most clusters there are, if known.
    """
    inferred = infer_pairs(answers, n_clusters)
    return model.fit(X, pairs=answers, inferred=inferred, sample_weight=sample_weight)


def draw(rows: list[int], rng: np.random.Generator) -> list[int]:
    """Return some of the rows, in the same way each time."""
    if len(rows) <= MOST_PARTNERS:
        return rows
    return [rows[n] for n in rng.choice(len(rows), MOST_PARTNERS, replace=False)]
