"""Bar charts of the scores and times of several methods."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from fuzzypairs.plots.style import BROKEN, COLORS, HELD, new_figure
from fuzzypairs.selection.comparison import MethodResult

# Titles of the panels of shares, in their order.
TITLES = {
    "normalized_ari": "normalised ARI",
    "nmi": "NMI",
    "rand_index": "Rand index",
    "hungarian_accuracy": "accuracy",
    "pair_agreement": "judgements satisfied",
}
# Bars other than the best of a panel.
PALE = "#B8C4CE"


def plot_comparison(outcomes: Sequence[MethodResult]) -> Any:
    """Draw the scores and times of methods as bars, a panel for each criterion.

    Parameters
    ----------
    outcomes : sequence of MethodResult
        What `fuzzypairs.selection.comparison.compare` returns.

    Returns
    -------
    figure : matplotlib Figure
        The best of each panel is coloured; methods that failed are marked.

    Examples
    --------
    >>> from fuzzypairs.plots.method_bars import plot_comparison
    >>> from fuzzypairs.selection.comparison import MethodResult
    >>> row = MethodResult("FDC", n_clusters=2, seconds=0.01, pair_agreement=0.9)
    >>> [ax.get_title("left") for ax in plot_comparison([row]).axes]
    ['judgements satisfied', 'seconds']
    """
    shown = [
        key for key in TITLES if any(getattr(row, key) is not None for row in outcomes)
    ]
    panels = [*shown, "seconds"]
    figure = new_figure((1.5 + 1.9 * len(panels), 1.1 + 0.42 * len(outcomes)))
    axes = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    for ax, key in zip(axes, panels, strict=True):
        values = [getattr(row, key) for row in outcomes]
        _draw_bars(ax, values, is_share=key in TITLES)
        ax.set_title(TITLES.get(key, key), loc="left", fontsize="medium")
    names = [
        row.method if row.error else f"{row.method}, k = {row.n_clusters}"
        for row in outcomes
    ]
    axes[0].set_yticks(np.arange(len(names)), names)
    # Set explicitly: a failed method has no bar, which would leave it out of the axes.
    axes[0].set_ylim(len(outcomes) - 0.5, -0.5)
    for place, row in enumerate(outcomes):
        if row.error:
            axes[0].text(0.02, place, "failed", va="center", color=BROKEN,
                         transform=axes[0].get_yaxis_transform())  # fmt: skip
    return figure


def _draw_bars(ax: Any, values: Sequence[float | None], *, is_share: bool) -> None:
    """Draw a bar with its number for each value that is known."""
    known = [value for value in values if value is not None]
    best = (max if is_share else min)(known, default=None)
    reach = 1.0 if is_share else max(known, default=1.0)
    for place, value in enumerate(values):
        if value is None:
            continue
        ax.barh(place, value, height=0.62, color=COLORS[0] if value == best else PALE)
        text = f"{100 * value:.1f} %" if is_share else f"{value:.2g}"
        ax.text(value + 0.03 * reach, place, text, va="center", fontsize="small",
                color=HELD)  # fmt: skip
    ax.set_xlim(0, 1.42 * reach)
    ax.set_xticks([])
    ax.tick_params(length=0)
    ax.spines[["top", "right", "bottom"]].set_visible(False)
