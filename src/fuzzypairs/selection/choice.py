"""Which setting to take: scores on held-out judgements, errors, the simpler one."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fuzzypairs._typing import Floats, Ints, Mask

__all__ = ["Choice", "choose", "contributions", "split_scores", "standard_error"]

# How many standard errors a setting with fewer clusters may be behind the best.
CLUSTER_ERRORS = 0.25
# Sums of shares of 1 that should be equal differ by this much or less.
ROUNDING = 1e-12


def split_scores(held: Floats, grade: Floats) -> Floats:
    """Return the balanced agreement of each split with what it held out.

    Parameters
    ----------
    held : ndarray of shape (n_splits, n_pairs)
        1 where a fit keeps a judgement that was held out from it, 0 where it breaks
        it, NaN where it was not asked.
    grade : ndarray of shape (n_pairs,)
        Judgements, none of them 0.

    Returns
    -------
    scores : ndarray of shape (n_splits,)
        The share of kept strength among alike and among unlike judgements, and the
        mean of the two, or the one there is; NaN where nothing was asked.

    See Also
    --------
    fuzzypairs.criteria.pair_agreement : The same of one fit, ``method="balanced"``.

    Notes
    -----
    Signs are compared, not overlaps: labels of two rows agree or they do not. The area
    under the ROC curve of overlaps u_p.u_q chose worse settings, since it rewards
    their order within clusters, where no judgement asks for any.

    Examples
    --------
    >>> import numpy as np
    >>> held = np.array([[1.0, 0.0, 1.0], [np.nan, 1.0, np.nan]])
    >>> split_scores(held, np.array([0.9, -0.6, -0.2]))
    array([0.625, 1.   ])
    """
    asked = ~np.isnan(held)
    shares = []
    for kind in (grade > 0, grade < 0):
        weight = np.abs(grade) * (asked & kind)
        kept = (weight * np.nan_to_num(held)).sum(axis=1)
        total = weight.sum(axis=1)
        shares.append(np.divide(kept, total, out=np.full_like(kept, np.nan),
                                where=total > 0))  # fmt: skip
    return mean_known(np.array(shares))


def mean_known(values: Floats, axis: int = 0) -> Floats:
    """Return the mean of what is not NaN along an axis; NaN where nothing is known.

    Examples
    --------
    >>> import numpy as np
    >>> mean_known(np.array([[1.0, np.nan], [2.0, np.nan]]))
    array([1.5, nan])
    """
    known = ~np.isnan(values)
    count = known.sum(axis=axis)
    total = np.where(known, values, 0.0).sum(axis=axis)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def contributions(held: Floats, grade: Floats, unit: Ints) -> tuple[Floats, Floats]:
    """Return what each independent unit adds to the balanced agreement.

    Parameters
    ----------
    held : ndarray of shape (n_splits, n_pairs)
        See `split_scores`.
    grade : ndarray of shape (n_pairs,)
    unit : ndarray of shape (n_pairs,)
        Judgements that hang together have one number, see
        `fuzzypairs.pairs.folds.Folds`.

    Returns
    -------
    added : ndarray of shape (n_units,)
        Sums to the agreement with all judgements that were asked about.
    excess : ndarray of shape (n_units,)
        What of that is more or less than a unit's share by its strength; sums to 0.

    Notes
    -----
    Judgement p adds ``|s_p| h_p / (2 W)``: h is its share of repeats in which it was
    kept, W the strength of its kind (alike or unlike). Repeats are averaged first,
    because they ask about the same judgements again and tell nothing independent;
    judgements of one unit are added, because they are right or wrong together.

    Examples
    --------
    >>> import numpy as np
    >>> held, grade = np.array([[1.0, 0.0, 1.0]]), np.array([0.5, 0.5, -1.0])
    >>> added, excess = contributions(held, grade, np.array([0, 1, 1]))
    >>> added, excess
    (array([0.25, 0.5 ]), array([ 0.125, -0.125]))
    """
    kept = mean_known(held)
    asked = ~np.isnan(kept)
    kinds = [kind for kind in (asked & (grade > 0), asked & (grade < 0)) if kind.any()]
    added, expected = np.zeros(grade.size), np.zeros(grade.size)
    for kind in kinds:
        weight = np.abs(grade[kind]) / np.abs(grade[kind]).sum() / len(kinds)
        added[kind] = weight * kept[kind]
        expected[kind] = weight * added[kind].sum() * len(kinds)
    by_unit = np.bincount(unit, added), np.bincount(unit, added - expected)
    return by_unit[0].astype(np.float64), by_unit[1].astype(np.float64)


def standard_error(excess: Floats) -> float:
    """Return the standard error of an agreement from the excess of its units.

    Examples
    --------
    >>> import numpy as np
    >>> standard_error(np.array([0.25, -0.25]))
    0.5
    """
    n_units = excess.size
    return float(np.sqrt((excess**2).sum() * n_units / max(n_units - 1, 1)))


class Choice(NamedTuple):
    """Which setting to take, and how all of them compare with the best.

    Attributes
    ----------
    taken, best : int
        The setting to take, and the one with the highest score.
    gap, error : ndarray of shape (n_settings,)
        How much less than the best each kept, and the standard error of that if in
        truth it were nothing.
    as_good : ndarray of shape (n_settings,)
        Settings that the simplest was taken from.
    """

    taken: int
    best: int
    gap: Floats
    error: Floats
    as_good: Mask


def choose(
    score: Floats, added: Floats, tie_break: Floats, burden: NDArray[Any]
) -> Choice:
    """Take the simplest of all settings that are not clearly worse than the best.

    Parameters
    ----------
    score : ndarray of shape (n_settings,)
        Higher is better; NaN for settings that failed.
    added : ndarray of shape (n_settings, n_units)
        What independent units add to the scores, see `contributions`.
    tie_break : ndarray of shape (n_settings,)
        Orders equal scores, higher first; NaN comes last.
    burden : ndarray of shape (n_settings, n_criteria)
        How complicated a setting is: its number of clusters, then what matters less,
        the most important criterion first.

    Returns
    -------
    choice : Choice

    Notes
    -----
    First the number of clusters: the fewest within a quarter of a standard error of
    the best. Then, among settings with that number, the simplest within one standard
    error of the best of them. The two differ because a cluster too few costs more than
    an alpha or beta that is a little off: with one standard error for both, the
    normalised ARI was lower by 1.4 points on average, see the page on choosing.

    All settings answer the same held-out judgements, so most of the error of one score
    is in all of them and cancels. The error is therefore that of the gap, if in truth
    there were none: the root of the sum of squares of what units add to it, as in
    McNemar's test. A gap that is due to one unit is one standard error.

    Examples
    --------
    >>> import numpy as np
    >>> added = np.array([[0.3, 0.3, 0.3], [0.3, 0.3, 0.2], [0.3, 0.1, 0.1]])
    >>> burden = np.array([[3, 1], [3, 0], [3, 0]])
    >>> choice = choose(added.sum(axis=1), added, np.zeros(3), burden)
    >>> choice.taken, choice.best, choice.as_good
    (1, 0, array([ True,  True, False]))
    """
    ties = np.where(np.isnan(tie_break), -np.inf, tie_break)
    worth = np.where(np.isnan(score), -np.inf, score)
    falling = np.lexsort([*burden.T[::-1], -ties, -worth])
    best = int(falling[0])
    gap, error = compare(added, best)
    is_near = np.isfinite(worth) & (gap <= CLUSTER_ERRORS * error + ROUNDING)
    is_peer = np.isfinite(worth) & (burden[:, 0] == burden[is_near, 0].min())
    first = int(falling[is_peer[falling]][0])
    behind, doubt = compare(added, first)
    as_good = is_peer & (behind <= doubt + ROUNDING)
    taken = int(np.lexsort([-ties, -worth, *burden.T[::-1], ~as_good])[0])
    return Choice(taken, best, gap, error, as_good)


def compare(added: Floats, best: int) -> tuple[Floats, Floats]:
    """Return how far settings are behind one of them, and the error of that.

    Examples
    --------
    >>> import numpy as np
    >>> compare(np.array([[3.0, 4.0], [0.0, 0.0]]), 0)
    (array([0., 7.]), array([0., 5.]))
    """
    lost = added[best] - added
    return lost.sum(axis=1), np.sqrt((lost**2).sum(axis=1))
