"""Numbers of a table: the paper's, ours, their difference and its significance."""

from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import ttest_ind_from_stats

from fuzzypairs._typing import Floats
from fuzzypairs.criteria import paired_ttest
from fuzzypairs.reproduction.methods import METHODS
from fuzzypairs.reproduction.printed import Printed, printed_faces, printed_table
from fuzzypairs.reproduction.runs import Results
from fuzzypairs.reproduction.targets import Plan, cell_of
from fuzzypairs.reproduction.tuning import Reported, report

# Starts behind each printed mean, and below which p-value a difference is marked.
PAPER_STARTS = 20
LEVEL = 0.05


class Criterion(NamedTuple):
    """A criterion as the paper prints it: its name there, and in results of runs."""

    name: str
    key: str
    unit: float = 100.0  # for percent
    higher: bool = True  # is better
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
    """One number of a table; None or "" is what the paper or we do not have."""

    dataset: str
    group: str
    method: str
    tuning: str
    criterion: str
    paper: float | None = None
    paper_std: float | None = None
    # Mean and deviation over starts and draws; None if the method refused.
    ours: float | None = None
    ours_std: float | None = None
    difference: float | None = None
    # "better", "worse" or "none": ours than the paper's, by Welch's test ...
    against_paper: str = ""
    # ... FDC than this method in our runs, by a paired t-test over starts ...
    fdc: str = ""
    # ... and the same as the paper marks it.
    paper_fdc: str = ""
    clusters: float | None = None
    point: str = ""  # the parameters, draw by draw
    note: str = ""  # why the method refused


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
        reported = {
            method: [
                report(cell_of(plan, dataset, group, method, tuning, draw), results)
                for draw in range(plan.n_draws)
            ]
            for method in plan.methods
        }
        for method, criterion in product(plan.methods, CRITERIA[plan.target]):
            column = METHODS[method].column or method
            if plan.target in ("table-faces", "table-mahd"):
                paper = printed_faces().get((group, column, criterion.name))
            else:
                place = (dataset, group, column, criterion.name)
                paper = printed_table().get(place)
            fdc = None if method.startswith("fdc") else reported.get("fdc")
            numbers = _numbers(reported[method], fdc, criterion, paper)
            entries.append(
                Entry(dataset, group, method, tuning, criterion.name, **numbers)
            )
    return entries


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
        fields |= zip(("paper", "paper_std", "paper_fdc"), paper, strict=True)
    if refused := [one.result["refused"] for one in draws if "refused" in one.result]:
        return fields | {"note": refused[0]}
    if criterion.key not in draws[0].result:
        return fields
    scores = _scores(draws, criterion)
    mean = float(scores.mean())
    fields |= {
        "ours": mean,
        "ours_std": float(scores.std(ddof=1)) if len(scores) > 1 else None,
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

    Where neither has a deviation, any difference beyond rounding is one.
    """
    difference = float(ours.mean()) - paper.value
    spread = float(ours.std(ddof=1)) if len(ours) > 1 else 0.0
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
