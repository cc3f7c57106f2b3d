"""Which setting a search takes, by held-out judgements, and why."""

from typing import Any, NamedTuple

import numpy as np

from fuzzypairs._typing import Floats, Ints, Mask
from fuzzypairs.pairs import PairSet
from fuzzypairs.pairs.consistency import chance_error, mean_known
from fuzzypairs.pairs.folds import FEWEST_PAIRS

# How many standard errors a setting with fewer clusters may be behind the best.
CLUSTER_ERRORS = 0.25
# Scores must be above chance by so many standard errors of it: a level of 1 %.
CHANCE_ERRORS = 2.33
# Sums of shares of 1 that should be equal differ by this much or less.
ROUNDING = 1e-12


def contributions(met: Floats, grade: Floats, unit: Ints) -> tuple[Floats, Floats]:
    """Return what each independent unit adds to a score of held-out judgements.

    Parameters
    ----------
    met : ndarray of shape (n_splits, n_pairs)
        1 if a fit satisfies a judgement that was held out from it, 0 if it does not;
        NaN if it was trained on it.
    unit : ndarray of shape (n_pairs,)
        The unit of each judgement, see `fuzzypairs.pairs.folds.Folds`.

    Returns
    -------
    added : ndarray of shape (n_units,)
        Sums to the agreement with all judgements that were asked about.
    excess : ndarray of shape (n_units,)
        What of that is more or less than a unit's share by its strength; sums to 0.

    Notes
    -----
    Judgement p adds ``|s_p| h_p / (2 W)``: h is its share of repeats in which it was
    satisfied, W the strength of its kind (alike or unlike). Repeats are averaged first,
    because they ask about the same judgements and are not independent; judgements of
    one unit are added, because they are satisfied or violated together.

    Examples
    --------
    >>> import numpy as np
    >>> met, grade = np.array([[1.0, 0.0, 1.0]]), np.array([0.5, 0.5, -1.0])
    >>> contributions(met, grade, np.array([0, 1, 1]))
    (array([0.25, 0.5 ]), array([ 0.125, -0.125]))
    """
    share = mean_known(met)
    asked = ~np.isnan(share)
    kinds = [asked & (grade > 0), asked & (grade < 0)]
    kinds = [kind for kind in kinds if kind.any()]
    added, expected = np.zeros(grade.size), np.zeros(grade.size)
    for kind in kinds:
        weight = np.abs(grade[kind]) / np.abs(grade[kind]).sum() / len(kinds)
        added[kind] = weight * share[kind]
        expected[kind] = weight * added[kind].sum() * len(kinds)
    by_unit = np.bincount(unit, added), np.bincount(unit, added - expected)
    return by_unit[0].astype(np.float64), by_unit[1].astype(np.float64)


def standard_error(excess: Floats) -> float:
    """Return the standard error of an agreement from the excess of its units."""
    n_units = excess.size
    return float(np.sqrt((excess**2).sum() * n_units / max(n_units - 1, 1)))


class SettingChoice(NamedTuple):
    """Which setting to take, and how all of them compare with the best.

    Attributes
    ----------
    taken, best : int
        The setting to take, and the one with the highest score.
    gap, error : ndarray of shape (n_settings,)
        How much less than the best each scored, and the standard error of that gap
        if the two were in truth equal.
    as_good : ndarray of shape (n_settings,)
        Settings that the simplest was taken from.
    """

    taken: int
    best: int
    gap: Floats
    error: Floats
    as_good: Mask


def choose(
    score: Floats, added: Floats, tie_break: Floats, complexity: Floats
) -> SettingChoice:
    """Take the simplest of all settings that are not clearly worse than the best.

    Parameters
    ----------
    score : ndarray of shape (n_settings,)
        Higher is better; NaN for settings that failed.
    added : ndarray of shape (n_settings, n_units)
        What independent units add to the scores, see `contributions`.
    tie_break : ndarray of shape (n_settings,)
        Orders equal scores, higher first; NaN comes last.
    complexity : ndarray of shape (n_settings, n_criteria)
        The number of clusters, then what matters less, the most important criterion
        first; see `fuzzypairs.selection.candidates.complexity`.

    Notes
    -----
    First the number of clusters: the fewest within a quarter of a standard error of
    the best. Then, among settings with that number, the simplest within one standard
    error of the best of them. The two differ because a cluster too few costs more than
    an alpha or beta that is a little off: with one standard error for both, the
    normalised ARI was lower by 1.4 points on average, see the page on choosing.

    All settings are asked about the same held-out judgements, so most of the error of
    one score is in all of them and cancels. The error is therefore that of the gap, if
    in truth there were none: the root of the sum of squares of what units add to it, as
    in McNemar's test. A gap that is due to one unit is one standard error.

    Examples
    --------
    >>> import numpy as np
    >>> added = np.array([[0.3, 0.3, 0.3], [0.3, 0.3, 0.2], [0.3, 0.1, 0.1]])
    >>> complexity = np.array([[3, 1], [3, 0], [3, 0]])
    >>> choice = choose(added.sum(axis=1), added, np.zeros(3), complexity)
    >>> choice.taken, choice.best, choice.as_good
    (1, 0, array([ True,  True, False]))
    """
    ties = np.where(np.isnan(tie_break), -np.inf, tie_break)
    value = np.where(np.isnan(score), -np.inf, score)
    by_value = np.lexsort([*complexity.T[::-1], -ties, -value])
    best = int(by_value[0])
    gap, error = _gaps(added, best)
    is_near = np.isfinite(value) & (gap <= CLUSTER_ERRORS * error + ROUNDING)
    fewest = complexity[is_near, 0].min()
    has_fewest = np.isfinite(value) & (complexity[:, 0] == fewest)
    best_of_fewest = int(by_value[has_fewest[by_value]][0])
    gap_to_it, error_of_it = _gaps(added, best_of_fewest)
    as_good = has_fewest & (gap_to_it <= error_of_it + ROUNDING)
    taken = int(np.lexsort([-ties, -value, *complexity.T[::-1], ~as_good])[0])
    return SettingChoice(taken, best, gap, error, as_good)


def _gaps(added: Floats, best: int) -> tuple[Floats, Floats]:
    """Return how far settings are behind one of them, and the error of that."""
    lost = added[best] - added
    return lost.sum(axis=1), np.sqrt((lost**2).sum(axis=1))


def explain_too_few(pairs: PairSet, n_splits: int) -> str:
    """Return why judgements cannot be held out; an empty text if they can."""
    alike, unlike = int(pairs.similar.sum()), int(pairs.dissimilar.sum())
    if (count := alike + unlike) < FEWEST_PAIRS:
        plural = "" if count == 1 else "s"
        return (
            f"pairs has {count} judgement{plural} other than 0, fewer than "
            f"{FEWEST_PAIRS}"
        )
    if min(alike, unlike) < n_splits:
        return (
            f"pairs has {alike} alike and {unlike} unlike judgements, fewer than "
            f"n_splits={n_splits} of one kind"
        )
    return ""


def explain_chance(score: Floats, grade: Floats) -> str:
    """Return why judgements cannot be used; an empty text if they can.

    Parameters
    ----------
    score : ndarray of shape (n_settings,)
        Balanced shares of held-out judgements that are satisfied; NaN is left out.
    grade : ndarray of shape (n_pairs,)
        The judgements.

    Examples
    --------
    >>> import numpy as np
    >>> explain_chance(np.array([0.4, 0.9]), np.repeat([1.0, -1.0], 20))
    ''
    >>> explain_chance(np.array([0.4, 0.55]), np.repeat([1.0, -1.0], 20))
    'no setting satisfies more than 55.0% of 40 held-out ones, which may be chance'
    """
    best = float(np.nanmax(score))
    if best > 0.5 + CHANCE_ERRORS * chance_error(grade):
        return ""
    return (
        f"no setting satisfies more than {best:.1%} of {grade.size} held-out ones, "
        "which may be chance"
    )


def format_params(params: dict[str, Any]) -> str:
    """Write a setting as it would be typed, as in "n_clusters=3, beta='auto'"."""
    typed = (
        f"{name}={value:.4g}" if isinstance(value, float) else f"{name}={value!r}"
        for name, value in params.items()
    )
    return ", ".join(typed) or "as is"


def explain_choice(
    choice: SettingChoice,
    settings: list[dict[str, Any]],
    score: float,
    n_judgements: int,
    too_few: str,
) -> str:
    """Explain in a sentence or two why a setting was taken.

    Parameters
    ----------
    settings : list of dict
        All that were tried.
    score : float
        Of the one taken: what its fits satisfy, or its score by stability.
    n_judgements : int
        How many were held out in turn.
    too_few : str
        What `explain_too_few` returned.
    """
    if too_few:
        how = f"{too_few[0].upper()}{too_few[1:]}; chosen by stability"
        what = f"stability and silhouette average {score:.3f}"
    else:
        how = f"Chosen by {n_judgements} held-out judgements"
        what = f"its fits satisfy {score:.1%} of those they did not see"
    setting, best = (format_params(settings[n]) for n in (choice.taken, choice.best))
    if choice.taken == choice.best:
        return f"{how}: {setting}; {what}. It is the best of {len(settings)} settings."
    return (
        f"{how}: {setting}; {what}. It is simpler than the best of {len(settings)} "
        f"settings and not clearly worse ({best}: {choice.gap[choice.taken]:.3f} more, "
        f"with a standard error of {choice.error[choice.taken]:.3f})."
    )
