"""Colours, shapes and figures that all pictures share."""

import importlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fuzzypairs._typing import Floats
from fuzzypairs.validation import check_fitted, naming, shown

if TYPE_CHECKING:
    pass

# The palette of Okabe and Ito without yellow, which is hardly visible on white, and
# without vermilion, which marks violated judgements, and three more colours; all are
# visible on black, too.
# Shapes and hatches tell clusters apart where colours do not: in print, and from the
# ninth cluster on. Seven and eight are coprime, so 56 clusters all differ.
COLORS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#8C6BC0",
          "#94B81F", "#8B5A2B")  # fmt: skip
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
HATCHES = ("", "///", "---", "xxx", "\\\\\\", "|||", "+++")
# The markers as characters, for text; the last ones must not be drawn as emoji.
GLYPHS = ("●", "■", "▲", "◆", "▼", "✚\ufe0e", "✖\ufe0e")
BROKEN = "#D94F1E"
HELD = "#7A838C"
# Names beside bars are cut to this many characters.
LONGEST_NAME = 24
# Entries of a legend side by side.
MOST_ABREAST = 3


def memberships_of(model: Any) -> Floats:
    """Return the memberships of a fitted estimator that has them."""
    check_fitted("model", model)
    if not hasattr(model, "memberships_"):
        raise TypeError(
            f"model is a {type(model).__name__}, which has no memberships_; expected "
            "an estimator with fuzzy clusters, such as FDC"
        )
    return np.asarray(model.memberships_)


def new_figure(size: tuple[float, float]) -> Any:
    """Return an empty figure that pyplot does not know.

    Parameters
    ----------
    size : tuple of float
        Width and height in inches.

    Returns
    -------
    figure : matplotlib.figure.Figure

    Examples
    --------
    >>> from fuzzypairs.plots import new_figure
    >>> figure = new_figure((6.0, 4.0))
    >>> left, right = figure.subplots(1, 2)
    """
    try:
        figure = importlib.import_module("matplotlib.figure")
        agg = importlib.import_module("matplotlib.backends.backend_agg")
    except ImportError as error:
        message = "pictures need matplotlib: pip install 'fuzzypairs[plot]'"
        raise ImportError(message) from error
    with naming("size"):
        made = figure.Figure(figsize=size, layout="constrained")
    agg.FigureCanvasAgg(made)
    return made


def given_or_new(ax: Any, size: tuple[float, float]) -> Any:
    """Return the axes to draw on: those given, or the only ones of a new figure."""
    if ax is None:
        return new_figure(size).subplots()
    if not isinstance(ax, importlib.import_module("matplotlib.axes").Axes):
        raise TypeError(f"ax is {shown(ax)}, expected matplotlib Axes")
    return ax


def pick(styles: Sequence[str], cluster: int) -> str:
    """Return the colour, marker, glyph or hatch of a cluster."""
    return styles[cluster % len(styles)]


def verbatim(name: object) -> str:
    """Return a name from data, escaped so that matplotlib reads no formula in it."""
    return str(name).replace("$", r"\$")


def shortened(name: object) -> str:
    """Return a name from data, cut, escaped for matplotlib."""
    text = verbatim(name)
    return text if len(text) <= LONGEST_NAME else text[: LONGEST_NAME - 1] + "…"


def tidy(ax: Any) -> None:
    """Keep the left and lower axes only, and add a faint grid."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(alpha=0.2, zorder=0)
    ax.set_axisbelow(True)


def add_legend(ax: Any, **options: Any) -> None:
    """Put a legend below the picture, where narrow windows show it, too."""
    transforms = importlib.import_module("matplotlib.transforms")
    # Room for the label of the axis, in inches.
    below = transforms.ScaledTranslation(0, -0.5, ax.figure.dpi_scale_trans)
    n_entries = len(ax.get_legend_handles_labels()[1])
    ax.legend(
        loc="upper left", bbox_to_anchor=(0, 0), bbox_transform=ax.transAxes + below,
        frameon=False, ncols=max(1, min(n_entries, MOST_ABREAST)), borderaxespad=0,
        handletextpad=0.4, columnspacing=1.2, **options,
    )  # fmt: skip
