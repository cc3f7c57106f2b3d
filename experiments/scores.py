"""Scores of finished trials: means over draws and sets, differences with tests."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from experiments.design import NO_PAIRS, OURS
from experiments.methods import METHODS

__all__ = ["Difference", "Scores", "read_scores"]

# Differences on a set count if a paired t-test over draws has a smaller p than this.
LEVEL = 0.05


@dataclass(frozen=True)
class Difference:
    """How far a method is below ours, on the sets and draws that both have.

    Attributes
    ----------
    mean : float
        The mean over sets of ours minus theirs.
    error : float
        Its standard error, with sets as the units.
    p : float
        Of a two-sided paired t-test over sets.
    better, worse : int
        Sets on which ours is better or worse by a paired t-test over draws.
    """

    mean: float
    error: float
    p: float
    better: int
    worse: int


@dataclass(frozen=True)
class Scores:
    """Values of trials in one condition.

    Attributes
    ----------
    values : mapping of method to set to draw to float
    """

    values: Mapping[str, Mapping[str, Mapping[int, float]]]

    @property
    def methods(self) -> list[str]:
        """Methods with a score, in the order of the table of methods."""
        return [name for name in METHODS if self.values.get(name)]

    def sets(self, method: str) -> list[str]:
        """Return the sets that a method has scores on."""
        return list(self.values.get(method, {}))

    def draws(self, method: str) -> tuple[int, int]:
        """Return the least and the largest number of draws of a set."""
        counts = [len(scores) for scores in self.values[method].values()]
        return min(counts), max(counts)

    def mean(self, method: str, sets: Collection[str]) -> tuple[float, float]:
        """Return the mean over some sets and its standard error over draws.

        Sets that the method lacks are left out; NaN if none is left.
        """
        own = [np.array(list(self.values[method][name].values())) for name in sets
               if name in self.values.get(method, {})]  # fmt: skip
        if not own:
            return float("nan"), float("nan")
        spread = [one.var(ddof=1) / len(one) if len(one) > 1 else np.nan for one in own]
        mean = float(np.mean([one.mean() for one in own]))
        return mean, float(np.sqrt(np.sum(spread)) / len(own))

    def difference(self, method: str, sets: Collection[str]) -> Difference:
        """Compare ours with another method on the sets and draws that both have."""
        ours, theirs = self.values.get(OURS, {}), self.values.get(method, {})
        gaps = []
        better = worse = 0
        for name in sets:
            both = sorted(set(ours.get(name, ())) & set(theirs.get(name, ())))
            if not both:
                continue
            gap = np.array([ours[name][d] - theirs[name][d] for d in both])
            gaps.append(gap.mean())
            # Equal differences in all draws have no spread to test against.
            if len(gap) > 1 and np.ptp(gap) > 0.0:
                clear = stats.ttest_1samp(gap, 0.0).pvalue < LEVEL
            else:
                clear = bool(abs(gap.mean()) > 0.0 and len(gap) > 1)
            better += bool(clear and gap.mean() > 0.0)
            worse += bool(clear and gap.mean() < 0.0)
        if len(gaps) < 2:
            mean = float(np.mean(gaps)) if gaps else float("nan")
            return Difference(mean, float("nan"), float("nan"), better, worse)
        p = stats.ttest_1samp(gaps, 0.0).pvalue if np.ptp(gaps) > 0.0 else np.nan
        error = float(np.std(gaps, ddof=1) / np.sqrt(len(gaps)))
        return Difference(float(np.mean(gaps)), error, float(p), better, worse)


def read_scores(
    lines: Iterable[Mapping[str, Any]], condition: str, value: str = "ari"
) -> Scores:
    """Return a value of the trials in a condition, and of those without judgements.

    The last of several lines of one trial counts; failed trials have no score.
    """
    found: dict[str, dict[str, dict[int, float]]] = defaultdict(
        lambda: defaultdict(dict)
    )
    for line in lines:
        here = line["condition"] in (condition, NO_PAIRS)
        if here and line["method"] in METHODS and value in line:
            found[line["method"]][line["set"]][line["draw"]] = line[value]
    return Scores({name: dict(by_set) for name, by_set in found.items()})
