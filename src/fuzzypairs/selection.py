"""Which setting to take: scores on held-out judgements, errors, the simpler one."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzypairs.judgements import Floats, Ints, Mask

__all__ = ["choose", "influences", "split_scores", "standard_error"]


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


def influences(held: Floats, grade: Floats, unit: Ints) -> Floats:
    """Return how much each independent unit moves the balanced agreement.

    Parameters
    ----------
    held : ndarray of shape (n_splits, n_pairs)
        See `split_scores`.
    grade : ndarray of shape (n_pairs,)
    unit : ndarray of shape (n_pairs,)
        Judgements that hang together have one number, see `fuzzypairs.folds.Folds`.

    Returns
    -------
    influence : ndarray of shape (n_units,)
        Sums to 0.

    Notes
    -----
    The agreement is half a ratio of sums over alike judgements plus half of one over
    unlike ones. To first order judgement p moves it by ``|s_p| (h_p - R) / (2 W)``: h
    its share of repeats in which it was kept, R the agreement of its kind and W that
    kind's strength. Repeats are averaged first, because they ask about the same
    judgements again and tell nothing independent; judgements of one unit are added,
    because they are right or wrong together.

    Examples
    --------
    >>> import numpy as np
    >>> influences(np.array([[1.0, 0.0, 1.0]]), np.array([0.5, 0.5, -1.0]),
    ...            np.array([0, 1, 1]))
    array([ 0.125, -0.125])
    """
    kept = mean_known(held)
    asked = ~np.isnan(kept)
    influence = np.zeros(grade.size)
    for kind in (asked & (grade > 0), asked & (grade < 0)):
        if kind.any():
            weight = np.abs(grade[kind]) / np.abs(grade[kind]).sum()
            influence[kind] = weight * (kept[kind] - weight @ kept[kind]) / 2
    if not ((grade > 0) & asked).any() or not ((grade < 0) & asked).any():
        influence *= 2  # the one kind there is makes the whole score
    by_unit: Floats = np.bincount(unit, weights=influence).astype(np.float64)
    return by_unit


def standard_error(influence: Floats) -> Floats:
    """Return the standard error of sums of independent influences.

    Parameters
    ----------
    influence : ndarray of shape (..., n_units)
        Of one score, or the difference of two: then it is the error of their gap.

    Examples
    --------
    >>> import numpy as np
    >>> float(standard_error(np.array([0.25, -0.25])))
    0.5
    """
    n_units = influence.shape[-1]
    spread = (influence**2).sum(axis=-1) * n_units / max(n_units - 1, 1)
    return np.asarray(np.sqrt(spread))


def choose(
    score: Floats, influence: Floats, tie_break: Floats, burden: NDArray[Any]
) -> tuple[int, int, Mask]:
    """Take the simplest of all settings that are not clearly worse than the best.

    Parameters
    ----------
    score : ndarray of shape (n_settings,)
        Higher is better; NaN for settings that failed.
    influence : ndarray of shape (n_settings, n_units)
        See `influences`.
    tie_break : ndarray of shape (n_settings,)
        Orders equal scores, higher first; NaN comes last.
    burden : ndarray of shape (n_settings, n_criteria)
        How complicated a setting is, the most important criterion first.

    Returns
    -------
    chosen, best : int
        The setting to take, and the one with the highest score.
    as_good : ndarray of shape (n_settings,)
        Settings within one standard error of the best.

    Notes
    -----
    The error is that of the gap to the best. All settings answer the same held-out
    judgements, so most of the error of one score is in all of them and cancels; the
    error of the best score itself would call nearly everything equal.

    Examples
    --------
    >>> import numpy as np
    >>> influence = np.array([[0.05, -0.05], [0.04, -0.06], [0.0, 0.0]])
    >>> choose(np.array([0.9, 0.89, 0.7]), influence, np.zeros(3),
    ...        np.array([[3.0], [2.0], [1.0]]))
    (1, 0, array([ True,  True, False]))
    """
    ties = np.where(np.isnan(tie_break), -np.inf, tie_break)
    worth = np.where(np.isnan(score), -np.inf, score)
    columns = [*burden.T[::-1], -ties, -worth]
    best = int(np.lexsort(columns)[0])
    as_good = worth >= worth[best] - standard_error(influence - influence[best])
    columns = [-ties, -worth, *burden.T[::-1], ~as_good]
    return int(np.lexsort(columns)[0]), best, as_good
