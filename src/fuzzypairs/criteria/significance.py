"""Whether two methods score differently over the same runs."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import ttest_rel

from fuzzypairs._typing import Floats
from fuzzypairs.validation import check_kind, check_number, naming

# Differences that vary by less than this share of the scores vary by rounding.
ROUNDING = 1e-12
# Sums of squares of larger scores overflow.
LARGEST = 1e150


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

    Runs that differ only in their random starts show the effect of starts: to compare
    methods, vary the judgements, too. Over several data sets, `scipy.stats.wilcoxon`
    compares one score of each.

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
    better: Literal["better", "worse"] = "better" if statistic > 0 else "worse"
    return PairedTest(statistic, pvalue, better if pvalue < level else "none")


def _check_scores(a: ArrayLike, b: ArrayLike) -> tuple[Floats, Floats]:
    """Return finite scores of the same runs, a constant repeated for each."""
    read = {}
    for name, values in (("a", a), ("b", b)):
        check_kind(name, values)
        with naming(name), np.errstate(over="ignore"):  # refused as infinite
            read[name] = np.asarray(values, dtype=np.float64)
    one, other = read["a"], read["b"]
    for name, scores in read.items():
        if scores.ndim > 1:
            raise ValueError(
                f"{name} has shape {scores.shape}: expected scores (n_runs,) or "
                "a number"
            )
        if not (np.abs(scores) < LARGEST).all():
            raise ValueError(
                f"{name} has scores that are not finite, or of {LARGEST:g} or more: "
                "leave those runs out of both"
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
