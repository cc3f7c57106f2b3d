"""The tables of the paper with our numbers beside the printed ones."""

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from fuzzypairs.report import Table
from fuzzypairs.reproduction.entries import CRITERIA, Criterion, Entry
from fuzzypairs.reproduction.methods import METHODS
from fuzzypairs.reproduction.printed import printed_counts
from fuzzypairs.reproduction.runs import EXAMPLES, Results
from fuzzypairs.reproduction.targets import Plan, cell_of, letter_of, title_of
from fuzzypairs.reproduction.tuning import report

Row = list[str | float]

# Our number against the paper's, and FDC against another method.
SIGNS = {"better": "▲", "worse": "▼", "none": "", "": ""}
MARKS = {"better": "●", "worse": "○", "none": "", "": ""}
LEGEND = (
    "▲ and ▼: ours is significantly better or worse than printed. ● and ○: FDC is "
    "significantly better or worse than the method, in the paper and in our runs."
)


def summary_table(plan: Plan, entries: Sequence[Entry]) -> Table:
    """Return means over all cells of a table, and how often ours differ."""
    rows: list[Row] = []
    for method, criterion in product(plan.methods, CRITERIA[plan.target]):
        for tuning in _tunings(plan, method):
            part = _select(entries, method, criterion.name, tuning)
            part = [one for one in part if one.difference is not None]
            if not part:
                continue
            difference = np.array([one.difference for one in part])
            paper = float(np.mean([one.paper for one in part]))
            marks = [one.against_paper for one in part]
            rows.append(
                [
                    METHODS[method].title,
                    tuning,
                    criterion.name.upper(),
                    len(part),
                    _number(paper, None, criterion),
                    _number(paper + difference.mean(), None, criterion),
                    _signed(difference.mean(), criterion),
                    int((np.abs(difference) <= criterion.rounding).sum()),
                    marks.count("better"),
                    marks.count("worse"),
                ]
            )
    heads = ["method", "tuning", "by", "cells", "paper", "ours", "diff.",
             "equal", "▲", "▼"]  # fmt: skip
    caption = "Means over cells; equal: the printed number to the last digit"
    return Table(heads, rows, caption)


def count_table(plan: Plan, entries: Sequence[Entry]) -> Table:
    """Return how often FDC is marked, in the paper and in our runs."""
    rows: list[Row] = []
    others = [method for method in plan.methods if not method.startswith("fdc")]
    for method, tuning in product(others, plan.tunings):
        part = _select(entries, method, "ari", tuning)
        part = [one for one in part if one.ours is not None]
        row: Row = [METHODS[method].title, tuning, len(part)]
        for marks in ([e.fdc for e in part], [e.paper_fdc for e in part]):
            row += [marks.count("better"), marks.count("worse")]
        stated = printed_counts().get(method, {})
        rows.append([*row, stated.get("better", ""), stated.get("worse", "")])
    heads = ["method", "tuning", "cells", "● ours", "○ ours", "● printed", "○ printed",
             "● in its last row", "○ in its last row"]  # fmt: skip
    return Table(heads, rows, "Cells in which FDC is significantly better or worse")


def method_tables(plan: Plan, entries: Sequence[Entry]) -> list[Table]:
    """Return a table for each method and criterion, with tunings side by side."""
    return [
        _method_table(plan, method, criterion, entries)
        for method, criterion in product(plan.methods, CRITERIA[plan.target])
    ]


def _method_table(
    plan: Plan, method: str, criterion: Criterion, entries: Sequence[Entry]
) -> Table:
    tunings = _tunings(plan, method)
    heads = ["data", "group", "paper"]
    for tuning in tunings:
        heads += [tuning if len(tunings) > 1 else "ours", "difference", "", "k*"]
    has_marks = not method.startswith("fdc") and "fdc" in plan.methods
    heads += ["FDC, paper", "FDC, ours"] * has_marks
    parts = [_select(entries, method, criterion.name, tuning) for tuning in tunings]
    rows = []
    for found in zip(*parts, strict=True):
        first = found[0]
        paper = _number(first.paper, first.paper_std, criterion)
        row: Row = [_short(first.dataset), first.group, paper]
        for one in found:
            row += _cells(one, criterion)
        row += [MARKS[first.paper_fdc], MARKS[first.fdc]] * has_marks
        rows.append(row)
    unit = "percent" if criterion.unit == 100.0 else "lower is better"
    caption = f"{METHODS[method].title}: {criterion.name.upper()}, {unit}"
    return Table(heads, rows, caption)


def kernel_table(plan: Plan, entries: Sequence[Entry]) -> Table:
    """Return the normalised ARI and the NMI without and with the kernel."""
    columns = list(product(CRITERIA[plan.target], plan.methods))
    found = {(one.dataset, one.criterion, one.method): one for one in entries}
    heads = [f"{METHODS[method].title}, {c.name.upper()}" for c, method in columns]
    rows: list[Row] = []
    for dataset in plan.datasets:
        cells = [(found[dataset, c.name, method], c) for c, method in columns]
        numbers = [_number(one.ours, one.ours_std, c) for one, c in cells]
        rows.append([_short(dataset), *numbers])
    return Table(["data", *heads], rows, "Group (iv), oracle tuning, percent")


def example_table(plan: Plan, results: Results) -> Table:
    """Return memberships of the images that the paper shows, from the first start."""
    rows: list[Row] = []
    for method in plan.methods:
        for tuning in _tunings(plan, method):
            cell = cell_of(plan, plan.datasets[0], "v", method, tuning, 0)
            first = report(cell, results).result["examples"][0]
            for image, memberships in zip(EXAMPLES, first, strict=True):
                # Four digits: where prototypes nearly coincide, fewer would hide all.
                cells = [f"{u:.4f}" for u in memberships]
                rows.append([METHODS[method].title, tuning, image, *cells])
    heads = ["method", "tuning", "image"]
    return Table([*heads, "happy", "sad", "surprise", "angry", "disgust"], rows)


def _select(
    entries: Sequence[Entry], method: str, criterion: str, tuning: str
) -> list[Entry]:
    wanted = (method, criterion, tuning)
    return [e for e in entries if (e.method, e.criterion, e.tuning) == wanted]


def _cells(one: Entry, criterion: Criterion) -> list[str]:
    """Return our number, the difference, its mark and the number of clusters."""
    if one.ours is None:
        return ["-", "", "", ""]
    difference = "" if one.difference is None else _signed(one.difference, criterion)
    ours = _number(one.ours, one.ours_std, criterion)
    return [ours, difference, SIGNS[one.against_paper], f"{one.clusters:.1f}"]


def _signed(difference: float, criterion: Criterion) -> str:
    # 0.0 is added so that -0.0 becomes 0.0.
    return f"{round(difference, criterion.digits) + 0.0:+.{criterion.digits}f}"


def _number(value: float | None, std: float | None, criterion: Criterion) -> str:
    """Return a number as the paper prints it."""
    if value is None:
        return "-"
    spread = "" if std is None else f"±{std:.{criterion.digits}f}"
    return f"{value:.{criterion.digits}f}{spread}"


def _tunings(plan: Plan, method: str) -> Sequence[Any]:
    """Return the tunings that differ for a method."""
    return plan.tunings if len(METHODS[method].grid) > 1 else plan.tunings[:1]


def _short(dataset: str) -> str:
    if dataset.startswith("sjaffe"):
        return title_of(dataset)
    return f"{letter_of(dataset)} {dataset}"
