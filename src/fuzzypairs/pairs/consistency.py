"""How well a partition satisfies judgements, and whether these contradict each other.

A judgement s > 0 is satisfied when its two samples are in one cluster, a judgement
s < 0 when they are in different clusters, and each counts with its strength |s|.
"""

from collections import defaultdict
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from fuzzypairs._typing import Floats, Mask
from fuzzypairs.pairs import PairSet

__all__ = [
    "Contradiction",
    "balanced_share",
    "chance_error",
    "find_contradictions",
    "mean_known",
    "satisfied",
    "satisfied_share",
    "wilson_interval",
]

# Intervals cover the true share in 95 of 100 cases.
QUANTILE = 1.96


def satisfied(together: Floats | Mask, grade: Floats) -> Floats:
    """Return how well each judgement is satisfied, from 0 to 1.

    `together` (..., n_pairs) is whether the two samples are in one cluster, or the
    share of fits in which they are; NaN if unknown. A judgement of 0 is always
    satisfied.

    Examples
    --------
    >>> import numpy as np
    >>> satisfied(np.array([True, True, False]), np.array([0.9, -0.6, 0.0]))
    array([1., 0., 1.])
    """
    apart = np.where(grade < 0, 1.0 - together, 1.0)
    return np.where(grade > 0, together, apart)


def satisfied_share(shares: Floats, strength: Floats) -> Floats:
    """Return the share of judgements that are satisfied, weighted by their strength.

    NaN in `shares` (..., n_pairs) leaves a judgement out. The result is NaN if none is
    left.
    """
    weight = strength * ~np.isnan(shares)
    total = np.asarray(weight.sum(axis=-1))
    found = (weight * np.nan_to_num(shares)).sum(axis=-1)
    share = np.full(total.shape, np.nan)
    np.divide(found, total, out=share, where=total > 0)
    return share


def balanced_share(shares: Floats, grade: Floats) -> Floats:
    """Return the mean of the shares among alike and among unlike judgements.

    A single cluster satisfies all alike judgements and no other, and so scores 1/2. If
    all judgements are of one kind, the result is the share among these.

    Examples
    --------
    >>> import numpy as np
    >>> shares = np.array([[1.0, 0.0, 1.0], [np.nan, 1.0, np.nan]])
    >>> balanced_share(shares, np.array([0.9, -0.6, -0.2]))
    array([0.625, 1.   ])
    """
    kinds = [satisfied_share(shares, np.maximum(s, 0.0)) for s in (grade, -grade)]
    return mean_known(np.array(kinds))


def chance_error(grade: Floats) -> float:
    """Return the standard error of `balanced_share` of a random partition.

    Each judgement is satisfied with probability 1/2, independently of the others.
    """
    kinds = (np.maximum(grade, 0.0), np.maximum(-grade, 0.0))
    # Of the largest one: squares of tiny grades would be 0.
    shares = [strength / strength.max() for strength in kinds if strength.any()]
    parts = [(share**2).sum() / share.sum() ** 2 for share in shares]
    return float(0.5 * np.sqrt(np.sum(parts)) / len(parts))


def wilson_interval(share: ArrayLike, n: ArrayLike) -> tuple[Floats, Floats]:
    """Return the ends of Wilson's 95 % interval [1]_ of a share of n judgements.

    References
    ----------
    .. [1] E. B. Wilson, "Probable inference, the law of succession, and statistical
       inference", Journal of the American Statistical Association 22, 1927.

    Examples
    --------
    >>> [float(end.round(3)) for end in wilson_interval(0.5, 2)]
    [0.095, 0.905]
    """
    share, n = np.asarray(share, np.float64), np.asarray(n, np.float64)
    shrunk = QUANTILE**2 / n
    center = (share + shrunk / 2) / (1 + shrunk)
    width = QUANTILE * np.sqrt(share * (1 - share) / n + shrunk / (4 * n))
    width = width / (1 + shrunk)
    # The interval has the share in it; rounding must not leave it out.
    low, high = np.clip(center - width, 0, share), np.clip(center + width, share, 1)
    return low, high


def mean_known(values: Floats, axis: int = 0) -> Floats:
    """Return the mean along an axis without NaN; NaN if all values are."""
    known = ~np.isnan(values)
    count = known.sum(axis=axis)
    total = np.where(known, values, 0.0).sum(axis=axis)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


class Contradiction(NamedTuple):
    """Rows a and b, and b and c, were judged alike, a and c unlike."""

    a: int
    b: int
    c: int
    ab: float
    bc: float
    ac: float

    @property
    def strength(self) -> float:
        """The smallest absolute grade of the three."""
        return min(self.ab, self.bc, -self.ac)


def find_contradictions(pairs: PairSet) -> tuple[list[Contradiction], int]:
    """Find judgements that contradict each other, the strongest first.

    The second value is the number of judgements of unlike between rows that a longer
    chain of alike ones joins.

    For each judgement of unlike, the rows judged alike to both of its rows are found
    from the row with fewer of them: O(n_pairs^1.5) steps at most, and O(n_pairs)
    where no row has many judgements.
    """
    pairs = pairs.merged
    alike: defaultdict[int, dict[int, float]] = defaultdict(dict)
    for i, j, grade in pairs:
        if grade > 0:
            alike[i][j] = alike[j][i] = grade
    _, chain = pairs.select(
        pairs.similar
    ).components()  # of each row; -1 where nothing was judged alike
    found: list[Contradiction] = []
    n_chained = 0
    for a, c, grade in pairs:
        if grade >= 0 or chain[a] < 0 or chain[a] != chain[c]:
            continue
        # The intersection takes as many steps as the smaller side has rows.
        between = alike[a].keys() & alike[c].keys()
        found += [
            Contradiction(a, b, c, alike[a][b], alike[c][b], grade) for b in between
        ]
        n_chained += not between
    found.sort(key=lambda triangle: (-triangle.strength, triangle))
    return found, n_chained
