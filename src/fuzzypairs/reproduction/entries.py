"""Numbers of a table: the paper's, ours, their difference and its significance."""

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from scipy.stats import ttest_ind_from_stats

from fuzzypairs._typing import Floats
from fuzzypairs.criteria import paired_ttest
from fuzzypairs.reproduction.methods import METHODS
from fuzzypairs.reproduction.printed import (
    Printed,
    printed_faces,
    printed_mahd,
    printed_table,
)
from fuzzypairs.reproduction.runs import Results
from fuzzypairs.reproduction.targets import Plan, cell_of
from fuzzypairs.reproduction.tuning import Reported, report

__all__ = ["CRITERIA", "Criterion", "Entry", "compare_with_paper", "entries_of"]

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
    """

    name: str
    key: str
    unit: float = 100.0
    higher: bool = True
    digits: int = 2

    @property
    def rounding(self) -> float:
        """The most that a printed number differs from the number before rounding."""
        return 0.5 * 10.0**-self.digits + 1e-9


ARI, NMI = Criterion("ari", "nari"), Criterion("nmi", "nmi")
ACC = Criterion("acc", "acc")
MAHD = Criterion("mahd", "mahd", unit=1.0, higher=False, digits=4)
# By target.
CRITERIA = {
    "table2": (ARI, NMI),
    "fig-kernel": (ARI, NMI),
    "table-faces": (ARI, NMI, ACC),
    "table-mahd": (MAHD,),
}


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


def entries_of(plan: Plan, results: Results) -> list[Entry]:
    """Return all numbers of a table from finished runs; nothing is fitted.

    Examples
    --------
    >>> from fuzzypairs.reproduction.entries import entries_of
    >>> from fuzzypairs.reproduction.runs import Run
    >>> from fuzzypairs.reproduction.targets import make_plan
    >>> plan = make_plan("table2", datasets=["wine"], groups=["iv"], methods=["fcm"],
    ...                  tunings=["oracle"], n_starts=2)
    >>> scores = {"nari": [0.9, 0.8], "nmi": [0.8, 0.7], "clusters": [3, 3]}
    >>> results = {Run("wine", "", 0, "fcm", last=2): scores}
    >>> [(row.criterion, row.paper, row.ours) for row in entries_of(plan, results)]
    [('ari', 87.05, 85.0), ('nmi', 75.87, 75.0)]
    """
    entries = []
    for dataset, group, tuning in product(plan.datasets, plan.groups, plan.tunings):
        found = {
            method: [
                report(cell_of(plan, dataset, group, method, tuning, draw), results)
                for draw in range(plan.n_draws)
            ]
            for method in plan.methods
        }
        for method, criterion in product(plan.methods, CRITERIA[plan.target]):
            place = (dataset, group, method, tuning, criterion.name)
            paper = _printed(plan.target, *place)
            fdc = None if method.startswith("fdc") else found.get("fdc")
            numbers = _numbers(found[method], fdc, criterion, paper)
            entries.append(Entry(*place, **numbers))
    return entries


def _printed(
    target: str, dataset: str, group: str, method: str, tuning: str, criterion: str
) -> Printed | None:
    """Return the paper's number, if there is one."""
    column = METHODS[method].column or method
    if target == "table-faces":
        return printed_faces().get((group, column, criterion))
    if target == "table-mahd":
        return printed_mahd().get((group, column))
    return printed_table().get((dataset, group, column, criterion))


def _numbers(
    draws: list[Reported],
    fdc: list[Reported] | None,
    criterion: Criterion,
    paper: Printed | None,
) -> dict[str, Any]:
    """Return the fields of an entry beside its place in the table."""
    points = (", ".join(f"{name} {v:g}" for name, v in one.point) for one in draws)
    fields: dict[str, Any] = {"point": "; ".join(points)}
    if paper is not None:
        fields |= {
            "paper": paper.value,
            "paper_std": paper.std,
            "paper_fdc": paper.mark,
        }
    if refused := [one.result["refused"] for one in draws if "refused" in one.result]:
        return fields | {"note": refused[0]}
    if criterion.key not in draws[0].result:
        return fields
    scores = _scores(draws, criterion)
    mean = float(scores.mean())
    fields |= {
        "ours": mean,
        "ours_std": _deviation(scores),
        "clusters": float(np.mean([one.result["clusters"] for one in draws])),
    }
    if fdc is not None:
        fields["fdc"] = _mark_fdc(fdc, draws, criterion)
    if paper is not None:
        fields["difference"] = mean - paper.value
        fields["against_paper"] = compare_with_paper(scores, paper, criterion)
    return fields


def compare_with_paper(ours: Floats, paper: Printed, criterion: Criterion) -> str:
    """Return "better" or "worse" where our scores differ significantly, else "none".

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzypairs.reproduction.entries import Criterion, compare_with_paper
    >>> from fuzzypairs.reproduction.printed import Printed
    >>> ari = Criterion("ari", "nari")
    >>> compare_with_paper(np.full(20, 94.874), Printed(94.87, 0.0), ari)
    'none'
    >>> compare_with_paper(np.array([94.0, 95.0, 94.5]), Printed(80.0, 1.0), ari)
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


def _mark_fdc(fdc: list[Reported], other: list[Reported], criterion: Criterion) -> str:
    """Return what FDC significantly is against a method, start by start."""
    sign = 1.0 if criterion.higher else -1.0
    ours = sign * _scores(fdc, criterion)
    if len(ours) < 2:
        return ""
    # A method that runs once scores the same from every start.
    n_starts = len(ours) // len(fdc)
    theirs = [np.broadcast_to(_scores([one], criterion), n_starts) for one in other]
    return paired_ttest(ours, sign * np.concatenate(theirs), level=LEVEL).mark


def _scores(draws: list[Reported], criterion: Criterion) -> Floats:
    values = [value for one in draws for value in one.result[criterion.key]]
    return criterion.unit * np.array(values, dtype=np.float64)


def _deviation(scores: Floats) -> float | None:
    return float(scores.std(ddof=1)) if len(scores) > 1 else None
