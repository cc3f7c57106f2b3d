"""Numbers of a table: the paper's, ours, their difference and its significance."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import ttest_ind_from_stats

from fuzzypairs._typing import Floats
from fuzzypairs.criteria import paired_ttest
from fuzzypairs.reproduction.execution import METHODS
from fuzzypairs.reproduction.printed import Printed
from fuzzypairs.reproduction.runs import Result, Run
from fuzzypairs.reproduction.targets import Plan, cell_of
from fuzzypairs.reproduction.tuning import Reported, Tuning, report

__all__ = ["Criterion", "Entry", "against", "entries_of"]

Results = Mapping[Run, Result]
# The paper's number for a dataset, a group, a method and a criterion.
Lookup = Callable[[str, str, str, str], Printed | None]

# Starts behind each printed mean, and below which p-value a difference is marked.
PAPER_STARTS = 20
LEVEL = 0.05


@dataclass(frozen=True)
class Criterion:
    """A criterion as the paper prints it.

    Attributes
    ----------
    name : str
        In the paper's tables, in small letters.
    key : str
        In the results of runs.
    unit : float
        100 for percent, 1 else.
    higher : bool
        Whether more is better.
    digits : int
        After the point.

    Examples
    --------
    >>> from fuzzypairs.reproduction.entries import Criterion
    >>> round(Criterion("ari", "nari").rounding, 6)
    0.005
    """

    name: str
    key: str
    unit: float = 100.0
    higher: bool = True
    digits: int = 2

    @property
    def rounding(self) -> float:
        """How far a printed number may be from what it was rounded from."""
        return 0.5 * 10.0**-self.digits + 1e-9


@dataclass(frozen=True)
class Entry:
    """One number of a table.

    Attributes
    ----------
    dataset, group, method, tuning, criterion : str
    paper, paper_std : float or None
        As printed; None where the paper has none.
    ours, ours_std : float or None
        Mean and deviation over starts and draws; None if the method refused.
    difference : float or None
        Ours minus the paper's.
    against_paper : {"better", "worse", "none", ""}
        What ours is, where the difference is significant (Welch's test on the means
        and deviations; where neither has one, any difference); "" if there is none.
    fdc : {"better", "worse", "none", ""}
        What FDC is against this method in our runs (paired t-test over starts).
    paper_fdc : str
        The same mark as the paper prints it.
    clusters : float or None
        Mean number of clusters.
    point : str
        The parameters, draw by draw.
    note : str
        Why the method refused.

    Examples
    --------
    >>> from fuzzypairs.reproduction.entries import Entry
    >>> Entry("wine", "iv", "fcm", "oracle", "ari", paper=87.05).ours is None
    True
    """

    dataset: str
    group: str
    method: str
    tuning: str
    criterion: str
    paper: float | None = None
    paper_std: float | None = None
    ours: float | None = None
    ours_std: float | None = None
    difference: float | None = None
    against_paper: str = ""
    fdc: str = ""
    paper_fdc: str = ""
    clusters: float | None = None
    point: str = ""
    note: str = ""


def entries_of(
    plan: Plan, results: Results, criteria: tuple[Criterion, ...], printed: Lookup
) -> list[Entry]:
    """Return all numbers of a table from finished runs; nothing is fitted.

    Examples
    --------
    >>> from fuzzypairs.reproduction.runs import Run
    >>> from fuzzypairs.reproduction.targets import make_plan
    >>> plan = make_plan("table2", datasets=["wine"], groups=["iv"], methods=["fcm"],
    ...                  tunings=["oracle"], n_starts=2)
    >>> scores = {"nari": [0.9, 0.8], "nmi": [0.8, 0.7], "clusters": [3, 3]}
    >>> results = {Run("wine", "", 0, "fcm", last=2): scores}
    >>> from fuzzypairs.reproduction.entries import Criterion, entries_of
    >>> criteria = (Criterion("ari", "nari"),)
    >>> [row.ours for row in entries_of(plan, results, criteria, lambda *_: None)]
    [85.0]
    """
    entries = []
    for dataset in plan.datasets:
        for group in plan.groups:
            for tuning in plan.tunings:
                row = {
                    method: [
                        report(
                            cell_of(plan, dataset, group, method, tuning, draw), results
                        )
                        for draw in range(plan.n_draws)
                    ]
                    for method in plan.methods
                }
                for method, found in row.items():
                    where = (dataset, group, method, tuning)
                    entries += [
                        _entry(where, found, row.get("fdc"), criterion, printed)
                        for criterion in criteria
                    ]
    return entries


def against(ours: Floats, paper: Printed, criterion: Criterion) -> str:
    """Say what our scores are against a printed number, where that is significant.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzypairs.reproduction.entries import Criterion, against
    >>> from fuzzypairs.reproduction.printed import Printed
    >>> ari = Criterion("ari", "nari")
    >>> against(np.full(20, 94.874), Printed(94.87, 0.0), ari)
    'none'
    >>> against(np.array([94.0, 95.0, 94.5]), Printed(80.0, 1.0), ari)
    'better'
    """
    difference = float(ours.mean()) - paper.value
    spread = _deviation(ours) or 0.0
    if spread < 1e-9 and not paper.std:
        significant = abs(difference) > criterion.rounding
    else:
        test = ttest_ind_from_stats(
            float(ours.mean()), spread, max(len(ours), 2),
            paper.value, paper.std or 0.0, PAPER_STARTS, equal_var=False,
        )  # fmt: skip
        significant = bool(test.pvalue < LEVEL)
    if not significant:
        return "none"
    return "better" if (difference > 0) == criterion.higher else "worse"


def _entry(
    where: tuple[str, str, str, Tuning],
    found: list[Reported],
    fdc: list[Reported] | None,
    criterion: Criterion,
    printed: Lookup,
) -> Entry:
    dataset, group, method, tuning = where
    paper = printed(dataset, group, METHODS[method].column or method, criterion.name)
    named: dict[str, Any] = dict(
        dataset=dataset, group=group, method=method, tuning=tuning,
        criterion=criterion.name, point="; ".join(_words(one) for one in found),
    )  # fmt: skip
    if paper is not None:
        named |= {"paper": paper.value, "paper_std": paper.std, "paper_fdc": paper.mark}
    if refused := [one.result["refused"] for one in found if "refused" in one.result]:
        return Entry(**named, note=refused[0])
    if criterion.key not in found[0].result:
        return Entry(**named)
    scores = _scores(found, criterion)
    named |= {
        "ours": float(scores.mean()),
        "ours_std": _deviation(scores),
        "clusters": float(np.mean([one.result["clusters"] for one in found])),
        "fdc": _mark(fdc, found, criterion) if not method.startswith("fdc") else "",
    }
    if paper is not None:
        named |= {
            "difference": float(scores.mean()) - paper.value,
            "against_paper": against(scores, paper, criterion),
        }
    return Entry(**named)


def _scores(found: list[Reported], criterion: Criterion) -> Floats:
    values = [value for one in found for value in one.result[criterion.key]]
    return criterion.unit * np.array(values, dtype=np.float64)


def _mark(
    fdc: list[Reported] | None, found: list[Reported], criterion: Criterion
) -> str:
    """Say whether FDC is significantly better or worse, start by start."""
    if fdc is None:
        return ""
    sign = 1.0 if criterion.higher else -1.0
    ours = sign * _scores(fdc, criterion)
    if len(ours) < 2:
        return ""
    # A method that runs once scores the same from every start.
    theirs = [sign * _scores([one], criterion) for one in found]
    n_starts = len(ours) // len(fdc)
    spread = [np.broadcast_to(one, n_starts) for one in theirs]
    return paired_ttest(ours, np.concatenate(spread), level=LEVEL).mark


def _deviation(scores: Floats) -> float | None:
    return float(scores.std(ddof=1)) if len(scores) > 1 else None


def _words(found: Reported) -> str:
    return ", ".join(f"{name} {value:g}" for name, value in found.point)
