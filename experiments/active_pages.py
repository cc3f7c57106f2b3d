"""Tables and the figure of docs/active.md, from the lines of dialogues alone."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from experiments.pages import markdown_table, put_results
from experiments.strategies import STRATEGIES
from fuzzypairs.plots.style import new_figure, tidy

__all__ = ["draw_curves", "questions_to", "read_curves", "tables", "write_page"]

# What random pairs reach with so many questions is the bar for the others.
BAR = 100
# Numbers of questions in the table of single sets.
SHOWN = (50, 100, 300)
# Graders side by side in the figure.
ABREAST = 3


def write_page(lines: Sequence[Mapping[str, Any]], page: Path, picture: Path) -> None:
    """Write tables into a page with marks, and the curves to a picture."""
    draw_curves(lines).savefig(picture, dpi=100)
    put_results(page, tables(lines))


def read_curves(
    lines: Sequence[Mapping[str, Any]], grader: str
) -> dict[str, pd.DataFrame]:
    """Return means over seeds by strategy: a row for questions, a column for a set.

    Only of sets that all strategies have.
    """
    frame = pd.DataFrame(
        [
            (line["strategy"], int(asked), line["set"], ari)
            for line in lines
            if line["grader"] == grader
            for asked, ari in line["ari"].items()
        ],
        columns=["strategy", "asked", "set", "ari"],
    )
    found = {
        strategy: part.pivot_table(index="asked", columns="set", values="ari")
        for strategy, part in frame.groupby("strategy")
    }
    common = sorted(set.intersection(*(set(part.columns) for part in found.values())))
    return {name: found[name][common] for name in STRATEGIES if name in found}


def tables(lines: Sequence[Mapping[str, Any]]) -> str:
    """Return, by grader, mean scores by budget and the questions to reach the bar."""
    parts = []
    for grader in graders_of(lines):
        curves = read_curves(lines, grader)
        random = curves["random"]
        means = random.mean(axis="columns")
        rows = []
        for strategy, scores in curves.items():
            gain = scores - random
            error = gain.std(axis="columns") / np.sqrt(gain.shape[1])
            columns = (scores.mean(axis="columns"), gain.mean(axis="columns"), error)
            cells = [
                f"{mean:.1f}"
                + f" ({points:+.1f} ± {spread:.1f})" * (scores is not random)
                for mean, points, spread in zip(*columns, strict=True)
            ]
            reached = questions_to(list(scores.index), columns[0], means[BAR])
            rows.append([strategy, *cells, reached])
        head = ["strategy", *map(str, random.index), "to the bar"]
        title = f"### Grader: {grader}"
        amount = f"{random.shape[1]} sets, {seeds_of(lines, grader)}."
        parts += [title, amount, markdown_table(head, rows)]
    parts += ["### Each set", "Random pairs, default.", set_table(lines)]
    return "\n\n".join(parts)


def set_table(lines: Sequence[Mapping[str, Any]]) -> str:
    """Return what random pairs and the default reach on each set."""
    columns = {}
    for grader in graders_of(lines):
        curves = read_curves(lines, grader)
        random, default = curves["random"], curves["auto"]
        for asked in (n for n in SHOWN if n in random.index):
            columns[f"{grader}, {asked}"] = {
                name: f"{random[name][asked]:.1f}, {default[name][asked]:.1f}"
                for name in random.columns
            }
    names = sorted(set().union(*columns.values()))
    rows = [
        [name, *(cells.get(name, "-") for cells in columns.values())] for name in names
    ]
    return markdown_table(["set", *columns], rows)


def draw_curves(lines: Sequence[Mapping[str, Any]]) -> Any:
    """Return a figure with the mean curves of strategies, by grader."""
    graders = graders_of(lines)
    n_rows = -(-len(graders) // ABREAST)
    figure = new_figure((3.6 * ABREAST, 3.4 * n_rows))
    axes = figure.subplots(n_rows, ABREAST, sharey=True, squeeze=False).ravel()
    for ax in axes[len(graders) :]:
        ax.remove()
    for ax, grader in zip(axes, graders, strict=False):
        for place, (strategy, scores) in enumerate(read_curves(lines, grader).items()):
            curve = scores.mean(axis="columns")
            width = 2.5 if strategy in ("auto", "random") else 1.0
            line = "--" if strategy == "random" else "-"
            color = "black" if strategy == "random" else f"C{place}"
            ax.plot(
                curve.index, curve, line, linewidth=width, color=color, label=strategy
            )
        ax.set_title(f"grader: {grader}")
        ax.set_xlabel("questions")
        tidy(ax)
    for ax in axes[::ABREAST]:
        ax.set_ylabel("normalised ARI in %, mean of sets")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="lower right")
    return figure


def questions_to(budgets: Sequence[int], means: Any, bar: float) -> str:
    """Return the questions at which a curve of means reaches the bar."""
    means = np.asarray(means)
    reached = np.flatnonzero(means >= bar)
    if not len(reached):
        return f"> {budgets[-1]}"
    first = int(reached[0])
    if first == 0:
        return f"<= {budgets[0]}"
    share = (bar - means[first - 1]) / (means[first] - means[first - 1])
    return f"{budgets[first - 1] + share * (budgets[first] - budgets[first - 1]):.0f}"


def graders_of(lines: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the names of graders in the order in which they were run."""
    return list(dict.fromkeys(line["grader"] for line in lines))


def seeds_of(lines: Sequence[Mapping[str, Any]], grader: str) -> str:
    """Return how many seeds there are: of all, or of which strategies how many."""
    seeds: dict[tuple[str, str], set[int]] = {}
    for line in lines:
        if line["grader"] == grader:
            seeds.setdefault((line["strategy"], line["set"]), set()).add(line["seed"])
    fewest: dict[str, int] = {}
    for (strategy, _), found in seeds.items():
        fewest[strategy] = min(len(found), fewest.get(strategy, len(found)))
    if len(set(fewest.values())) == 1:
        return f"{next(iter(fewest.values()))} seeds"
    return ", ".join(f"{n} seeds of {name}" for name, n in fewest.items())
