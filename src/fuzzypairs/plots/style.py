"""Colours, shapes and figures that all pictures share."""

import importlib
from dataclasses import fields
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The palette of Okabe and Ito without its yellow, which is lost on white, and
# without vermilion, which marks broken judgements; all are seen on black, too. Shapes
# and hatches tell clusters apart where colours do not: in print, and beyond the
# sixth cluster. Six and seven have no common divisor, so 42 clusters all differ.
COLORS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#8C6BC0")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
HATCHES = ("", "///", "---", "xxx", "\\\\\\", "|||", "+++")
# The markers as letters, for text; the last ones must not be drawn as emoji.
GLYPHS = ("●", "■", "▲", "◆", "▼", "✚\ufe0e", "✖\ufe0e")
BROKEN = "#D94F1E"
HELD = "#7A838C"


class Display:
    """What a picture shows, kept so that it can be drawn again.

    Subclasses are dataclasses whose fields are the first arguments of `draw`.
    """

    draw: ClassVar[Any]
    ax_: "Axes"
    figure_: Any

    def plot(self, ax: "Axes | None" = None, **options: Any) -> Self:
        """Draw the picture.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw. A new figure by default.
        **options : dict
            Further options of the function that draws.

        Returns
        -------
        self : Display
            With `ax_` and `figure_`.
        """
        shown = [getattr(self, field.name) for field in fields(self)]  # type: ignore[arg-type]
        self.ax_ = type(self).draw(*shown, ax=ax, **options)
        self.figure_ = self.ax_.figure
        return self


def memberships_of(model: Any) -> NDArray[np.float64]:
    """Return the memberships of a fitted estimator that has them."""
    check_is_fitted(model)
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
    """
    try:
        figure = importlib.import_module("matplotlib.figure")
        agg = importlib.import_module("matplotlib.backends.backend_agg")
    except ImportError as error:
        raise ImportError(
            "pictures need matplotlib: pip install 'fuzzypairs[plot]'"
        ) from error
    made = figure.Figure(figsize=size, layout="constrained")
    agg.FigureCanvasAgg(made)
    return made


def new_axes(size: tuple[float, float] = (7.4, 4.8)) -> Any:
    """Return the axes of a new figure that holds nothing else."""
    return new_figure(size).subplots()


def color_of(cluster: int) -> str:
    """Return the colour of a cluster."""
    return COLORS[cluster % len(COLORS)]


def marker_of(cluster: int) -> str:
    """Return the shape of a cluster's rows."""
    return MARKERS[cluster % len(MARKERS)]


def glyph_of(cluster: int) -> str:
    """Return the shape of a cluster's rows as a letter."""
    return GLYPHS[cluster % len(GLYPHS)]


def hatch_of(cluster: int) -> str:
    """Return the pattern of a cluster's bars."""
    return HATCHES[cluster % len(HATCHES)]


def rgba(color: str, alpha: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return "#rrggbb" under each opacity, shape (n, 4), in [0, 1]."""
    rgb = [int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    return np.column_stack([np.tile(rgb, (len(alpha), 1)), alpha])


def verbatim(name: object) -> str:
    """Return a name from data such that matplotlib reads no formula into it."""
    return str(name).replace("$", r"\$")


def tidy(ax: Any) -> None:
    """Leave the two axes that are read, and a faint grid."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(alpha=0.2, zorder=0)
    ax.set_axisbelow(True)


def explain(ax: Any) -> None:
    """Put a legend beside the picture, in two columns if it is long."""
    n_entries = len(ax.get_legend_handles_labels()[1])
    ax.legend(
        loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False, fontsize="small",
        ncols=1 if n_entries <= 16 else 2,
    )  # fmt: skip
