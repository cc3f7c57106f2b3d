"""Tables of the experiment on judgements, from its lines alone."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from experiments.design import (
    CONDITIONS,
    FURTHER,
    OURS,
    SETS,
    WIDE,
    WIDE_CONDITIONS,
    WIDE_METHODS,
    half_of,
)
from experiments.scores import Scores, read_scores

__all__ = ["markdown_table", "put_results", "write_pages"]

BEGIN, END = "<!-- results: written by the table command -->", "<!-- end of results -->"
EVERY = (*SETS, *FURTHER)
NEW_ROWS = "GuidedFDC, new rows"


def write_pages(lines: Sequence[Mapping[str, Any]], page: Path) -> list[Path]:
    """Write the results into a page, and each set to a folder of its name.

    Parameters
    ----------
    lines : sequence of dict
        Finished trials; nothing is fitted here.
    page : Path
        A page with the marks between which results go.

    Returns
    -------
    written : list of Path
    """
    tables = [line for line in lines if line["set"] in EVERY]
    scores = {name: read_scores(tables, name) for name in CONDITIONS}
    scores = {name: found for name, found in scores.items() if found.sets(OURS)}
    if not scores:
        raise ValueError(f"no trial of {OURS} has a score: run the experiment")
    parts = ["### Means over all sets", overview(scores)]
    parts += ["### Certainty, and which judgements are wrong", certainty(tables)]
    for name, found in scores.items():
        # Others are not run on whole large sets.
        if not CONDITIONS[name].all_rows:
            parts += [f"### {CONDITIONS[name].title}", comparison(found)]
    if len(tables) < len(lines):
        parts += ["### Wide data", wide(lines)]
    folder = page.with_suffix("")
    parts.append(
        f"Each set on its own: [{folder.name}/sets.md]({folder.name}/sets.md)."
    )
    put_results(page, "\n\n".join(parts))
    folder.mkdir(exist_ok=True)
    _write(folder / "sets.md", _sets_page(scores))
    return [folder / "sets.md", page]


def put_results(page: Path, results: str) -> None:
    """Replace what stands between the marks of a page."""
    text = page.read_text(encoding="utf-8")
    before, mark, rest = text.partition(BEGIN)
    if not mark or END not in rest:
        raise ValueError(f"{page} lacks the marks {BEGIN!r} and {END!r}")
    _write(page, f"{before}{BEGIN}\n\n{results}\n\n{END}{rest.partition(END)[2]}")


def groups_of(names: Collection[str]) -> dict[str, list[str]]:
    """Return sets by origin and by half, and all."""
    return {
        "all": list(names),
        "the paper's": [name for name in names if name in SETS],
        "further": [name for name in names if name in FURTHER],
        "chosen on": [name for name in names if half_of(name) == "chosen on"],
        "reported on": [name for name in names if half_of(name) == "reported on"],
    }


def overview(scores: Mapping[str, Scores]) -> str:
    """Return means of GuidedFDC by condition, and of methods without judgements."""
    groups = groups_of(EVERY)
    first = next(iter(scores.values()))
    shown = [(f"none: {name}", first, name) for name in ("k-means", "FCM")]
    shown += [(name, found, OURS) for name, found in scores.items()]
    rows = [
        [title, *_amount(found, method), *_means(found, method, groups)]
        for title, found, method in shown
        if method in found.methods
    ]
    return markdown_table(["judgements", "sets", "draws", *groups], rows)


def comparison(scores: Scores) -> str:
    """Return a line for each method: means, and differences to ours with tests."""
    groups = groups_of([name for name in EVERY if name in scores.sets(OURS)])
    rows = []
    for method in scores.methods:
        if method == NEW_ROWS:
            continue
        titles = ("all", "further", "reported on")
        row = [method, *_amount(scores, method)]
        row += [_mean(scores, method, groups[title]) for title in titles]
        if method != OURS:
            gap = scores.difference(method, groups["all"])
            row += [
                f"{gap.mean:+.1f} ± {gap.error:.1f}",
                f"{gap.p:.1g}" if gap.p >= 1e-4 else "< 0.0001",
                f"{gap.better} / {gap.worse}",
            ]
        else:
            row += ["", "", ""]
        rows.append(row)
    head = ["method", "sets", "draws", "all", "further", "reported on"]
    return markdown_table([*head, "ours - theirs", "p", "better / worse"], rows)


def wide(lines: Sequence[Mapping[str, Any]]) -> str:
    """Return means on wide sets, by set and method and by number of judgements."""
    scores = [read_scores(lines, name) for name in WIDE_CONDITIONS]
    rows = [
        [one, method, *(_mean(found, method, [one]) for found in scores)]
        for one in WIDE
        for method in WIDE_METHODS
        if one in scores[0].sets(method)
    ]
    return markdown_table(["set", "method", *WIDE_CONDITIONS], rows)


def certainty(lines: Sequence[Mapping[str, Any]]) -> str:
    """Return calibration errors, of new rows too, and areas under ROC curves."""
    rows = []
    for name in CONDITIONS:
        errors = read_scores(lines, name, "calibration")
        areas = read_scores(lines, name, "auc")
        if not errors.sets(OURS):
            continue
        groups = groups_of([one for one in EVERY if one in errors.sets(OURS)])
        cells = [
            _mean(errors, method, groups[title], 3)
            for method in (OURS, NEW_ROWS)
            for title in ("all", "reported on")
        ]
        shown = _mean(areas, OURS, groups["all"], 3)
        rows.append([name, str(len(errors.sets(OURS))), *cells, shown])
    head = ["judgements", "sets", "calibration, all", "reported on"]
    head += ["new rows, all", "new rows, reported on", "area under ROC curve"]
    return markdown_table(head, rows)


def _amount(scores: Scores, method: str) -> list[str]:
    """Return the numbers of sets, and of draws of each."""
    low, high = scores.draws(method)
    draws = f"{low}" if low == high else f"{low} to {high}"
    return [str(len(scores.sets(method))), draws]


def _means(
    scores: Scores, method: str, groups: Mapping[str, Collection[str]]
) -> list[str]:
    return [_mean(scores, method, names) for names in groups.values()]


def _mean(scores: Scores, method: str, names: Collection[str], digits: int = 1) -> str:
    mean, error = scores.mean(method, names)
    if np.isnan(mean):
        return "-"
    return f"{mean:.{digits}f}" + ("" if np.isnan(error) else f" ± {error:.{digits}f}")


def _sets_page(scores: Mapping[str, Scores]) -> str:
    parts = ["# Judgements: each set", "Normalised ARI in percent, means over draws."]
    for name, found in scores.items():
        methods = [m for m in found.methods if m != NEW_ROWS]
        rows = [
            [one, half_of(one), *(_mean(found, m, [one]) for m in methods)]
            for one in EVERY
            if one in found.sets(OURS)
        ]
        parts += [
            f"## {CONDITIONS[name].title}",
            markdown_table(["set", "half", *methods], rows),
        ]
    return "\n\n".join(parts) + "\n"


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    first, *rest = (f"| {' | '.join(line)} |" for line in (head, *rows))
    return "\n".join([first, "|" + "---|" * len(head), *rest])


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")
