"""The figures of the paper, drawn from finished runs alone."""

from itertools import product
from typing import Any

import numpy as np

from fuzzypairs.plots import BROKEN, COLORS, new_figure
from fuzzypairs.reproduction.data import FACE_GROUPS
from fuzzypairs.reproduction.entries import Entry
from fuzzypairs.reproduction.methods import ALPHAS, BETAS, METHODS
from fuzzypairs.reproduction.runs import Results
from fuzzypairs.reproduction.targets import Plan, cell_of, letter_of, title_of
from fuzzypairs.reproduction.tuning import all_points, report

# A row of numbers behind a figure.
Row = tuple[Any, ...]


def alpha_rows(plan: Plan, results: Results) -> list[Row]:
    """Return dataset, group, alpha, beta, NMI and clusters, at the best beta.

    The paper does not say which beta its curves have: here it is, for each alpha, the
    one of the largest mean NMI, from the starts that every point of the grid has.
    """
    rows: list[Row] = []
    for dataset, group in product(plan.datasets, plan.groups):
        cell = cell_of(plan, dataset, group, "fdc", "oracle", 0)
        scores = all_points(cell, results)
        for alpha in ALPHAS:
            points = {beta: scores[("alpha", alpha), ("beta", beta)] for beta in BETAS}
            mean = {beta: 100 * np.mean(one["nmi"]) for beta, one in points.items()}
            beta = max(BETAS, key=mean.__getitem__)
            nmi = round(float(mean[beta]), 4)
            clusters = float(np.mean(points[beta]["clusters"]))
            rows.append((dataset, group, alpha, beta, nmi, clusters))
    return rows


def draw_alpha(plan: Plan, rows: list[Row]) -> Any:
    """Draw NMI (left, solid) and clusters (right, dashed) over alpha."""
    n_rows, n_columns = len(plan.datasets), len(plan.groups)
    figure = new_figure((0.6 + 2.6 * n_columns, 0.4 + 1.7 * n_rows))
    grid = figure.subplots(n_rows, n_columns, squeeze=False, sharex=True)
    for axes, dataset in zip(grid, plan.datasets, strict=True):
        for ax, group in zip(axes, plan.groups, strict=True):
            part = [row for row in rows if row[:2] == (dataset, group)]
            alpha, nmi, clusters = ([row[place] for row in part] for place in (2, 4, 5))
            ax.plot(alpha, nmi, color=COLORS[0])
            ax.set_ylim(0, 100)
            ax.set_title(f"{title_of(dataset)}, group ({group})", fontsize="small")
            right = ax.twinx()
            right.plot(alpha, clusters, color=BROKEN, linestyle="--")
            right.set_ylim(0, max(clusters) + 0.5)
            right.tick_params(labelsize="x-small", colors=BROKEN)
            ax.tick_params(labelsize="x-small")
    for ax in grid[-1]:
        ax.set_xlabel("alpha", fontsize="small")
    for axes in grid:
        axes[0].set_ylabel("NMI, %", fontsize="small", color=COLORS[0])
    return figure


def draw_kernel(plan: Plan, rows: list[Entry]) -> Any:
    """Draw bars of the normalised ARI without and with the kernel."""
    figure = new_figure((max(5.0, 1.2 + 0.5 * len(plan.datasets)), 3.2))
    ax = figure.subplots()
    places = np.arange(len(plan.datasets))
    for number, method in enumerate(plan.methods):
        height = [
            row.ours if row.ours is not None else 0.0
            for row in rows
            if (row.method, row.criterion, row.tuning) == (method, "ari", "oracle")
        ]
        shifted = places + 0.4 * (number - 0.5)
        label, color = METHODS[method].title, COLORS[number]
        ax.bar(shifted, height, 0.38, color=color, label=label)
    ax.set_xticks(places, [letter_of(dataset) for dataset in plan.datasets])
    ax.set_ylim(45, 100)
    ax.set_ylabel("normalised ARI, %")
    ax.legend(frameon=False, ncols=2, loc="lower left", bbox_to_anchor=(0, 1))
    ax.spines[["top", "right"]].set_visible(False)
    return figure


def lia_rows(plan: Plan, results: Results) -> list[Row]:
    """Return group, method, tuning, rank and the mean accuracy at that rank.

    A start that lost clusters has fewer ranks; each mean is over those that have it.
    """
    rows: list[Row] = []
    for place in product(plan.groups, plan.methods, plan.tunings):
        lia = report(cell_of(plan, plan.datasets[0], *place, 0), results).result["lia"]
        for rank in range(max(map(len, lia))):
            known = [100 * one[rank] for one in lia if len(one) > rank]
            mean = round(float(np.mean(known)), 4)
            rows.append((*place, rank + 1, mean, len(known)))
    return rows


def draw_lia(plan: Plan, rows: list[Row]) -> Any:
    """Draw the accuracy at each rank as bars, a panel for each group."""
    shown = [group for group in FACE_GROUPS if group in plan.groups]
    figure = new_figure((0.6 + 2.3 * len(shown), 2.6))
    axes = figure.subplots(1, len(shown), squeeze=False, sharey=True)[0]
    width = 0.8 / len(plan.methods)
    for ax, group in zip(axes, shown, strict=True):
        for number, method in enumerate(plan.methods):
            part = [row for row in rows if row[:3] == (group, method, plan.tunings[0])]
            places = [row[3] + (number - (len(plan.methods) - 1) / 2) * width
                      for row in part]  # fmt: skip
            ax.bar(places, [row[4] for row in part], width, color=COLORS[number],
                   label=METHODS[method].title)  # fmt: skip
        ax.set_title(f"group ({group})", fontsize="small")
        ax.set_xlabel("rank", fontsize="small")
        ax.set_xticks(range(1, max(row[3] for row in rows) + 1))
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylim(0, 100)
    axes[0].set_ylabel("accuracy, %", fontsize="small")
    axes[0].legend(frameon=False, fontsize="x-small")
    return figure
