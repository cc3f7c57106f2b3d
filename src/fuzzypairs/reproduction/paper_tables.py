"""The tables of the paper with our numbers beside the printed ones."""

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields
from typing import Any

import numpy as np

from fuzzypairs.report import Table
from fuzzypairs.reproduction.entries import Criterion, Entry, Results, entries_of
from fuzzypairs.reproduction.execution import EXAMPLES, METHODS
from fuzzypairs.reproduction.printed import (
    printed_counts,
    printed_faces,
    printed_mahd,
    printed_table,
)
from fuzzypairs.reproduction.targets import Plan, cell_of, letter_of, title_of
from fuzzypairs.reproduction.tuning import report

__all__ = [
    "compare_counts",
    "entries",
    "example_rows",
    "kernel_table",
    "method_tables",
    "summary",
    "to_csv",
    "to_latex",
    "to_markdown",
]

ARI, NMI = Criterion("ari", "nari"), Criterion("nmi", "nmi")
ACC = Criterion("acc", "acc")
MAHD = Criterion("mahd", "mahd", unit=1.0, higher=False, digits=4)
CRITERIA = {
    "table2": (ARI, NMI),
    "fig-kernel": (ARI, NMI),
    "table-faces": (ARI, NMI, ACC),
    "table-mahd": (MAHD,),
}
SIGNS = {"better": "▲", "worse": "▼", "none": "", "": ""}
MARKS = {"better": "●", "worse": "○", "none": "", "": ""}
LEGEND = (
    "▲ and ▼: ours is significantly better or worse than printed. ● and ○: FDC is "
    "significantly better or worse than the method, in the paper and in our runs."
)


def entries(plan: Plan, results: Results) -> list[Entry]:
    """Return all numbers of a table, from finished runs alone.

    Examples
    --------
    >>> from fuzzypairs.reproduction.runs import Run
    >>> from fuzzypairs.reproduction.targets import make_plan
    >>> plan = make_plan("table2", datasets=["wine"], groups=["iv"], methods=["fcm"],
    ...                  tunings=["oracle"], n_starts=2)
    >>> scores = {"nari": [0.9, 0.8], "nmi": [0.8, 0.7], "clusters": [3, 3]}
    >>> results = {Run("wine", "", 0, "fcm", last=2): scores}
    >>> from fuzzypairs.reproduction.paper_tables import entries
    >>> [(row.criterion, row.paper, row.ours) for row in entries(plan, results)]
    [('ari', 87.05, 85.0), ('nmi', 75.87, 75.0)]
    """
    lookup = {
        "table2": lambda d, g, m, c: printed_table().get((d, g, m, c)),
        "fig-kernel": lambda d, g, m, c: printed_table().get((d, g, m, c)),
        "table-faces": lambda d, g, m, c: printed_faces().get((g, m, c)),
        "table-mahd": lambda d, g, m, c: printed_mahd().get((g, m)),
    }[plan.target]
    return entries_of(plan, results, CRITERIA[plan.target], lookup)


def method_tables(plan: Plan, rows: Sequence[Entry]) -> list[Table]:
    """Return a table for each method and criterion: tunings side by side.

    Examples
    --------
    >>> from fuzzypairs.reproduction.runs import Run
    >>> from fuzzypairs.reproduction.targets import make_plan
    >>> plan = make_plan("table2", datasets=["wine"], groups=["iv"], methods=["fcm"],
    ...                  tunings=["oracle"], n_starts=2)
    >>> scores = {"nari": [0.9, 0.8], "nmi": [0.8, 0.7], "clusters": [3, 3]}
    >>> results = {Run("wine", "", 0, "fcm", last=2): scores}
    >>> from fuzzypairs.reproduction.paper_tables import entries, method_tables
    >>> method_tables(plan, entries(plan, results))[0].rows
    [['(e) wine', 'iv', '87.05±11.50', '85.00±7.07', '-2.05', '', '3.0']]
    """
    return [
        _method_table(plan, method, criterion, rows)
        for method in plan.methods
        for criterion in CRITERIA[plan.target]
    ]


def summary(plan: Plan, rows: Sequence[Entry]) -> Table:
    """Return means over all cells of a table, and how often ours differ.

    Examples
    --------
    >>> from fuzzypairs.reproduction.runs import Run
    >>> from fuzzypairs.reproduction.targets import make_plan
    >>> plan = make_plan("table2", datasets=["wine"], groups=["iv"], methods=["fcm"],
    ...                  tunings=["oracle"], n_starts=2)
    >>> scores = {"nari": [0.9, 0.8], "nmi": [0.8, 0.7], "clusters": [3, 3]}
    >>> results = {Run("wine", "", 0, "fcm", last=2): scores}
    >>> from fuzzypairs.reproduction.paper_tables import entries, summary
    >>> summary(plan, entries(plan, results)).rows[0]
    ['FCM', 'oracle', 'ARI', 1, '87.05', '85.00', '-2.05', 0, 0, 0]
    """
    lines = []
    for method in plan.methods:
        for criterion in CRITERIA[plan.target]:
            for tuning in _tunings(plan, method):
                part = [
                    row for row in rows
                    if (row.method, row.tuning, row.criterion)
                    == (method, tuning, criterion.name) and row.difference is not None
                ]  # fmt: skip
                if part:
                    lines.append(_summary_line(method, tuning, criterion, part))
    heads = ["method", "tuning", "by", "cells", "paper", "ours", "diff.",
             "equal", "▲", "▼"]  # fmt: skip
    caption = "Means over cells; equal: the printed number to the last digit"
    return Table(heads, lines, caption)


def compare_counts(plan: Plan, rows: Sequence[Entry]) -> Table:
    """Return how often FDC is marked, as the paper counts and as our runs do.

    Examples
    --------
    >>> from fuzzypairs.reproduction.runs import Run
    >>> from fuzzypairs.reproduction.targets import make_plan
    >>> plan = make_plan("table2", datasets=["wine"], groups=["iv"], methods=["fcm"],
    ...                  tunings=["oracle"], n_starts=2)
    >>> scores = {"nari": [0.9, 0.8], "nmi": [0.8, 0.7], "clusters": [3, 3]}
    >>> results = {Run("wine", "", 0, "fcm", last=2): scores}
    >>> from fuzzypairs.reproduction.paper_tables import compare_counts, entries
    >>> compare_counts(plan, entries(plan, results)).rows
    [['FCM', 'oracle', 1, 0, 0, 1, 0, 61, 1]]
    """
    lines: list[list[str | float]] = []
    for method in plan.methods:
        if method.startswith("fdc"):
            continue
        for tuning in plan.tunings:
            part = [
                row for row in rows
                if (row.method, row.tuning, row.criterion) == (method, tuning, "ari")
                and row.ours is not None
            ]  # fmt: skip
            counts = [sum(row.fdc == mark for row in part) for mark in MARKS]
            paper = [sum(row.paper_fdc == mark for row in part) for mark in MARKS]
            stated = printed_counts().get(method, {})
            lines.append(
                [METHODS[method].title, tuning, len(part), *counts[:2], *paper[:2],
                 stated.get("better", ""), stated.get("worse", "")]
            )  # fmt: skip
    heads = ["method", "tuning", "cells", "● ours", "○ ours", "● printed", "○ printed",
             "● in its last row", "○ in its last row"]  # fmt: skip
    return Table(heads, lines, "Cells in which FDC is significantly better or worse")


def kernel_table(plan: Plan, rows: Sequence[Entry]) -> Table:
    """Return the normalised ARI and the NMI without and with the kernel.

    Examples
    --------
    >>> from fuzzypairs.reproduction.entries import Entry
    >>> from fuzzypairs.reproduction.paper_tables import kernel_table
    >>> from fuzzypairs.reproduction.targets import make_plan
    >>> plan = make_plan("fig-kernel", datasets=["wine"], methods=["fdc"])
    >>> rows = [Entry("wine", "iv", "fdc", "oracle", name, ours=90.0, ours_std=1.0)
    ...         for name in ("ari", "nmi")]
    >>> kernel_table(plan, rows).rows
    [['(e) wine', '90.00±1.00', '90.00±1.00']]
    """
    found = {(row.dataset, row.method, row.criterion): row for row in rows}
    heads, lines = ["data"], []
    for criterion in CRITERIA[plan.target]:
        heads += [
            f"{METHODS[method].title}, {criterion.name.upper()}"
            for method in plan.methods
        ]
    for dataset in plan.datasets:
        line: list[str | float] = [_short(dataset)]
        for criterion in CRITERIA[plan.target]:
            for method in plan.methods:
                one = found[dataset, method, criterion.name]
                line.append(_number(one.ours, one.ours_std, criterion))
        lines.append(line)
    return Table(heads, lines, "Group (iv), oracle tuning, percent")


def example_rows(plan: Plan, results: Results) -> list[list[str | float]]:
    """Return memberships of the images that the paper shows, from the first start.

    Examples
    --------
    >>> from fuzzypairs.reproduction.runs import Run
    >>> from fuzzypairs.reproduction.paper_tables import example_rows
    >>> from fuzzypairs.reproduction.targets import make_plan
    >>> plan = make_plan("table-examples", methods=["fcm"], n_starts=2)
    >>> scores = {"nari": [0.5, 0.5], "examples": [[[0.3, 0.1, 0.2, 0.2, 0.2]] * 7] * 2}
    >>> example_rows(plan, {Run(plan.datasets[0], "", 0, "fcm", last=2): scores})[0]
    ['FCM', 'oracle', 45, '0.3000', '0.1000', '0.2000', '0.2000', '0.2000']
    """
    rows: list[list[str | float]] = []
    for method in plan.methods:
        for tuning in _tunings(plan, method):
            cell = cell_of(plan, plan.datasets[0], "v", method, tuning, 0)
            first = report(cell, results).result["examples"][0]
            for image, memberships in zip(EXAMPLES, first, strict=True):
                # Four digits: where prototypes nearly coincide, less would hide all.
                shown = [f"{u:.4f}" for u in memberships]
                rows.append([METHODS[method].title, tuning, image, *shown])
    return rows


def to_csv(rows: Sequence[Entry]) -> str:
    """Return entries as CSV.

    Examples
    --------
    >>> from fuzzypairs.reproduction.entries import Entry
    >>> from fuzzypairs.reproduction.paper_tables import to_csv
    >>> print(to_csv([Entry("wine", "iv", "fcm", "oracle", "ari", ours=94.871)]))
    dataset,group,method,tuning,criterion,paper,paper_std,ours,...
    wine,iv,fcm,oracle,ari,,,94.871,...
    """
    heads = [field.name for field in fields(Entry)]
    return write_csv(heads, ([_plain(v) for v in asdict(row).values()] for row in rows))


def write_csv(heads: Sequence[str], rows: Iterable[Iterable[Any]]) -> str:
    r"""Return rows as CSV.

    Examples
    --------
    >>> from fuzzypairs.reproduction.paper_tables import write_csv
    >>> write_csv(["a", "b"], [[1, 2]])
    'a,b\n1,2\n'
    """
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(heads)
    lines.writerows(rows)
    return text.getvalue()


def to_markdown(table: Table) -> str:
    """Return a table as Markdown.

    Examples
    --------
    >>> from fuzzypairs.report import Table
    >>> from fuzzypairs.reproduction.paper_tables import to_markdown
    >>> print(to_markdown(Table(["data", "ARI"], [["wine", 94.87]])))
    | data | ARI |
    |---|--:|
    | wine | 94.87 |
    """
    places = range(len(table.columns))
    rule = "".join("--:|" if table.has_numbers(place) else "---|" for place in places)
    lines = ["| " + " | ".join(table.columns) + " |", f"|{rule}"]
    lines += ["| " + " | ".join(row) + " |" for row in table.cells()]
    head = [f"**{table.caption}**", ""] if table.caption else []
    return "\n".join([*head, *lines]) + "\n"


def to_latex(table: Table) -> str:
    r"""Return a table as LaTeX, for the packages longtable and amssymb.

    Examples
    --------
    >>> from fuzzypairs.report import Table
    >>> from fuzzypairs.reproduction.paper_tables import to_latex
    >>> print(to_latex(Table(["data", "ARI"], [["R&D", 94.87]])))
    \begin{longtable}{lr}
    \hline
    data & ARI \\ \hline
    R\&D & 94.87 \\
    \hline
    \end{longtable}
    """
    places = range(len(table.columns))
    align = "".join("r" if table.has_numbers(place) else "l" for place in places)
    caption = [rf"\caption{{{_escape(table.caption)}}}\\"] if table.caption else []
    return "\n".join(
        [
            rf"\begin{{longtable}}{{{align}}}",
            *caption,
            r"\hline",
            " & ".join(map(_escape, table.columns)) + r" \\ \hline",
            *(" & ".join(map(_escape, row)) + r" \\" for row in table.cells()),
            r"\hline",
            r"\end{longtable}",
            "",
        ]
    )


def _method_table(
    plan: Plan, method: str, criterion: Criterion, rows: Sequence[Entry]
) -> Table:
    tunings = _tunings(plan, method)
    by_place = {
        (row.dataset, row.group, row.tuning): row
        for row in rows
        if (row.method, row.criterion) == (method, criterion.name)
    }
    heads = ["data", "group", "paper"]
    for tuning in tunings:
        ours = tuning if len(tunings) > 1 else "ours"
        heads += [ours, "difference", "", "k*"]
    has_marks = not method.startswith("fdc") and "fdc" in plan.methods
    heads += ["FDC, paper", "FDC, ours"] * has_marks
    lines = []
    for dataset in plan.datasets:
        for group in plan.groups:
            found = [by_place[dataset, group, tuning] for tuning in tunings]
            line: list[str | float] = [
                _short(dataset),
                group,
                _number(found[0].paper, found[0].paper_std, criterion),
            ]
            for one in found:
                line += _cells(one, criterion)
            if has_marks:
                line += [MARKS[found[0].paper_fdc], MARKS[found[0].fdc]]
            lines.append(line)
    unit = "percent" if criterion.unit == 100.0 else "lower is better"
    caption = f"{METHODS[method].title}: {criterion.name.upper()}, {unit}"
    return Table(heads, lines, caption)


def _cells(one: Entry, criterion: Criterion) -> list[str | float]:
    """Return ours, the difference, its mark and the number of clusters."""
    if one.ours is None:
        return ["-", "", "", ""]
    difference = "" if one.difference is None else _signed(one.difference, criterion)
    clusters = "" if one.clusters is None else f"{one.clusters:.1f}"
    ours = _number(one.ours, one.ours_std, criterion)
    return [ours, difference, SIGNS[one.against_paper], clusters]


def _signed(difference: float, criterion: Criterion) -> str:
    # Plus zero for minus zero: rounding has no direction.
    return f"{round(difference, criterion.digits) + 0.0:+.{criterion.digits}f}"


def _number(value: float | None, std: float | None, criterion: Criterion) -> str:
    """Return a number as the paper prints it."""
    if value is None:
        return "-"
    spread = "" if std is None else f"±{std:.{criterion.digits}f}"
    return f"{value:.{criterion.digits}f}{spread}"


def _summary_line(
    method: str, tuning: str, criterion: Criterion, part: Sequence[Entry]
) -> list[str | float]:
    difference = np.array([row.difference for row in part])
    paper = np.mean([row.paper for row in part])
    marks = [row.against_paper for row in part]
    digits = criterion.digits
    return [
        METHODS[method].title, tuning, criterion.name.upper(), len(part),
        f"{paper:.{digits}f}", f"{paper + difference.mean():.{digits}f}",
        _signed(difference.mean(), criterion),
        int((np.abs(difference) <= criterion.rounding).sum()),
        marks.count("better"), marks.count("worse"),
    ]  # fmt: skip


def _tunings(plan: Plan, method: str) -> Sequence[Any]:
    """Return the tunings that make a difference to a method."""
    return plan.tunings if len(METHODS[method].grid) > 1 else plan.tunings[:1]


def _short(dataset: str) -> str:
    return title_of(dataset) if dataset.startswith("sjaffe") else (
        f"{letter_of(dataset)} {dataset}"
    )  # fmt: skip


def _plain(value: Any) -> Any:
    return round(value, 6) if isinstance(value, float) else value


def _escape(text: str) -> str:
    """Return text as LaTeX shows it."""
    for plain, shown in (
        ("&", r"\&"), ("%", r"\%"), ("_", r"\_"), ("±", r"$\pm$"),
        ("●", r"$\bullet$"), ("○", r"$\circ$"),
        ("▲", r"$\blacktriangle$"), ("▼", r"$\blacktriangledown$"),
    ):  # fmt: skip
        text = text.replace(plain, shown)
    return text
