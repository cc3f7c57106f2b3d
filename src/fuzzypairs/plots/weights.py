"""How much each feature matters in the space of a fit."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from fuzzypairs.plots import style
from fuzzypairs.validation import check_integer, read_array, read_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_feature_weights(
    weights: ArrayLike,
    names: Sequence[object] | None = None,
    ax: "Axes | None" = None,
    *,
    most: int = 15,
) -> "Axes":
    """Show weights of features as bars, the largest first.

    Parameters
    ----------
    weights : array-like of shape (n_features,)
        Not negative. Bars are shares of their sum.
    names : sequence of length n_features, optional
        Names of the features. Their numbers by default.
    ax : matplotlib Axes, optional
        Where to draw. A new figure by default.
    most : int, default=15
        Largest number of bars. The title on the right says how many are left out.

    Returns
    -------
    ax : matplotlib Axes
        A dotted line marks the weight that all features would have if they mattered
        equally.

    Examples
    --------
    >>> from fuzzypairs.plots import plot_feature_weights
    >>> ax = plot_feature_weights([0.2, 0.8], names=["size", "shape"])
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['shape', 'size']
    """
    w = read_array("weights", weights, dtype=np.float64, ensure_2d=False).ravel()
    most = check_integer("most", most, 1)
    called = read_names(names, len(w))
    if len(called) != len(w):
        raise ValueError(
            f"names has {len(called)} entries but there are {len(w)} weights"
        )
    share = 100 * w / (w.sum() or 1.0)
    rows = np.argsort(-share, kind="stable")[:most]
    ax = style.given_or_new(ax, (4.8, 0.9 + 0.27 * len(rows)))
    places = np.arange(len(rows))
    ax.barh(places, share[rows], height=0.7, color=style.COLORS[0])
    for place, value in zip(places, share[rows], strict=True):
        ax.annotate(f"{value:.0f} %", (value, place), (4, 0), va="center",
                    textcoords="offset points", fontsize="small")  # fmt: skip
    # Behind the numbers, which it may cross.
    ax.axvline(100 / len(w), color=style.HELD, linestyle=":", zorder=0)
    ax.set_yticks(places, [style.shortened(called[row]) for row in rows])
    ax.set(xlabel="weight, %", ylim=(len(rows) - 0.4, -0.6))
    ax.margins(x=0.12)
    if len(rows) < len(w):
        ax.set_title(f"{len(rows)} of {len(w):,}", loc="right", fontsize="small")
    style.tidy(ax)
    ax.grid(visible=False, axis="y")
    ax.tick_params(axis="y", length=0)
    return ax
