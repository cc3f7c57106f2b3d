"""What chance alone would score, and whether a difference is more than chance."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment
from scipy.stats import ttest_rel

from fuzzypairs.validation import check_integer, check_number

__all__ = ["Chance", "PairedTest", "mahd_chance", "paired_ttest"]

# Differences that vary by less than this share of the scores vary by rounding.
ROUNDING = 1e-12


class Chance(NamedTuple):
    """What a criterion gives for random results.

    Attributes
    ----------
    level : float
        The mean.
    deviation : float
        The standard deviation from one random result to the next.

    Examples
    --------
    >>> from fuzzypairs.criteria import Chance
    >>> Chance(0.764, 0.008).level
    0.764
    """

    level: float
    deviation: float


def mahd_chance(
    n_samples: int, n_clusters: int, *, n_draws: int = 200, random_state: int = 0
) -> Chance:
    """Simulate the minimal average Hamming distance of random memberships.

    Parameters
    ----------
    n_samples : int
        Number of rows.
    n_clusters : int
        Number of clusters, and of classes.
    n_draws : int, default=200
        Number of random results, 2 or more.
    random_state : int, default=0
        Seed of the draws.

    Returns
    -------
    chance : Chance
        The mean and the standard deviation over the draws.

    See Also
    --------
    mahd : The distance itself.

    Notes
    -----
    No truth is needed: against any order of a row, a random order is a random
    permutation. So m permutations are drawn, and the ranks matched as well as they
    allow. As a minimum, the level lies below 1 - 1/k, the more so the fewer samples.

    Examples
    --------
    >>> from fuzzypairs.criteria import mahd_chance
    >>> level, deviation = mahd_chance(181, 5)
    >>> print(f"{level:.3f} +- {deviation:.3f}")
    0.764 +- 0.008
    """
    shape = (
        check_integer("n_samples", n_samples, 1),
        check_integer("n_clusters", n_clusters, 1),
    )
    rng = np.random.default_rng(check_integer("random_state", random_state, 0))
    n_draws = check_integer("n_draws", n_draws, 2)
    draws = [_random_distance(rng, *shape) for _ in range(n_draws)]
    return Chance(float(np.mean(draws)), float(np.std(draws, ddof=1)))


@dataclass(frozen=True)
class PairedTest:
    """Whether one method scores differently from another over the same runs.

    Attributes
    ----------
    statistic : float
        Student's t of the differences; inf with its sign where they are constant,
        and NaN where they are all 0.
    pvalue : float
        Two-sided; NaN where all differences are 0.
    mark : {"better", "worse", "none"}
        What the first method is, where the difference is significant.

    Examples
    --------
    >>> from fuzzypairs.criteria import PairedTest
    >>> PairedTest(statistic=-3.2, pvalue=0.005, mark="worse").mark
    'worse'
    """

    statistic: float
    pvalue: float
    mark: Literal["better", "worse", "none"]


def paired_ttest(a: ArrayLike, b: ArrayLike, *, level: float = 0.05) -> PairedTest:
    """Test whether two methods score differently over the same runs.

    Parameters
    ----------
    a, b : array-like of shape (n_runs,), or float
        Scores of the two methods, run by run with the same seeds; higher is better
        (negate both for a criterion where lower is). A number stands for a method
        that scores the same in every run.
    level : float, default=0.05
        A p-value below it is significant.

    Returns
    -------
    test : PairedTest
        The two-sided paired t-test, and what `a` is: "better", "worse" or "none".

    Notes
    -----
    Constant differences other than 0 are significant, as in the paper's tables.

    Runs that differ by their random starts alone tell only about starts: vary the
    judgements, too, if the claim is about methods. Over several data sets
    `scipy.stats.wilcoxon` compares one score of each.

    Examples
    --------
    >>> from fuzzypairs.criteria import paired_ttest
    >>> test = paired_ttest([0.85, 0.82, 0.81, 0.84, 0.83], 0.8)
    >>> round(test.statistic, 3), round(test.pvalue, 3), test.mark
    (4.243, 0.013, 'better')
    """
    level = check_number("level", level, 0, 1)
    one, other = _check_scores(a, b)
    difference = one - other
    rounding = ROUNDING * max(np.abs(one).max(), np.abs(other).max())
    if np.abs(difference).max() <= rounding:
        return PairedTest(float("nan"), float("nan"), "none")
    if np.ptp(difference) <= rounding:
        # The limit of the test; SciPy would reach it with warnings.
        statistic, pvalue = float(np.copysign(np.inf, difference.mean())), 0.0
    else:
        statistic, pvalue = map(float, ttest_rel(one, other))
    if not pvalue < level:
        return PairedTest(statistic, pvalue, "none")
    return PairedTest(statistic, pvalue, "better" if statistic > 0 else "worse")


def _random_distance(
    rng: np.random.Generator, n_samples: int, n_clusters: int
) -> float:
    """Draw m permutations of k ranks and match ranks as well as chance allows."""
    ranks = rng.random((n_samples, n_clusters)).argsort(axis=1)
    agreements = np.array(
        [np.bincount(column, minlength=n_clusters) for column in ranks.T]
    )
    best = agreements[linear_sum_assignment(agreements, maximize=True)].sum()
    return 1 - float(best) / ranks.size


def _check_scores(
    a: ArrayLike, b: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return finite scores of the same runs, a constant repeated for each."""
    one, other = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    for name, scores in (("a", one), ("b", other)):
        if scores.ndim > 1:
            raise ValueError(
                f"{name} has shape {scores.shape}: expected scores (n_runs,) or "
                "a number"
            )
        if not np.isfinite(scores).all():
            raise ValueError(
                f"{name} has scores that are not finite: leave those runs out of both"
            )
    if one.ndim and other.ndim and len(one) != len(other):
        raise ValueError(
            f"a has {len(one)} scores but b has {len(other)}: expected one of each in "
            "every run"
        )
    one, other = np.broadcast_arrays(one, other)
    if one.size < 2:
        raise ValueError(f"a and b have {one.size} run(s): a t-test needs 2 or more")
    return one, other
