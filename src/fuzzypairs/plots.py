"""Pictures of memberships, judgements and the course of a fit.

Figures are built as objects and never through pyplot, so servers and threads can
draw side by side and nothing stays open.
"""

import importlib
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.decomposition import PCA
from sklearn.utils import check_array, check_consistent_length

from fuzzypairs.criteria import certainty, pairs_held
from fuzzypairs.pairs import PairSet

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_memberships", "plot_objective"]

# The palette of Okabe and Ito without its yellow, which is lost on white, and
# without vermilion, which marks broken judgements. Shapes tell clusters apart where
# colours do not: in print, and beyond the sixth cluster.
COLORS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#6B4C9A")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
BROKEN = "#D52B00"
HELD = "#444444"
# Where a row without any preference ends, and how much colour it keeps at least.
PALE = (0.90, 0.90, 0.90)
LEAST_COLOR = 0.15


def plot_memberships(
    X: ArrayLike,
    memberships: ArrayLike,
    pairs: Any = None,
    ax: "Axes | None" = None,
    *,
    highlight: ArrayLike = (),
    legend: bool = True,
    title: str = "",
) -> "Axes":
    """Show every row in its cluster's colour, paler the less certain it is.

    Rows are placed by the two main directions of `X` (principal components), or as
    they are when `X` has two columns. Judgements are lines: solid for alike, dashed
    for unlike, wider the stronger, and red where the clusters break them.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The data as it was clustered.
    memberships : array-like of shape (n_samples, n_clusters)
        Memberships, rows summing to 1.
    pairs : PairSet or what `PairSet.coerce` accepts, optional
        Judgements to draw; those of 0 are left out.
    ax : matplotlib Axes, optional
        Where to draw. A new figure by default.
    highlight : array-like of int, default=()
        Rows to ring.
    legend : bool, default=True
        Whether to explain colours and lines beside the picture.
    title : str, default=""
        Put above the picture.

    Returns
    -------
    ax : matplotlib Axes
        `ax.figure.savefig("memberships.png")` writes it to a file.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzypairs.plots import plot_memberships
    >>> X = np.array([[0.0, 0.0], [0.1, 0.0], [5.0, 5.0]])
    >>> memberships = np.array([[0.9, 0.1], [0.8, 0.2], [0.0, 1.0]])
    >>> ax = plot_memberships(X, memberships, pairs=[(0, 1, 0.7)], title="Three rows")
    >>> ax.get_title(loc="left")
    'Three rows'
    """
    data, U = check_array(X), check_array(memberships)
    check_consistent_length(data, U)
    ax = _new_axes() if ax is None else ax
    places, names = _project(data)

    _draw_rows(ax, places, U)
    _draw_rings(ax, places[np.asarray(highlight, dtype=int)])
    _draw_pairs(ax, places, PairSet.coerce(pairs, n_samples=len(data)), U)

    ax.set(xlabel=names[0], ylabel=names[1])
    ax.set_title(title, loc="left")
    _tidy(ax)
    if legend:
        ax.legend(
            loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False, fontsize="small"
        )
    return ax


def plot_objective(history: ArrayLike, ax: "Axes | None" = None) -> "Axes":
    """Show how the objective fell, iteration by iteration.

    Parameters
    ----------
    history : array-like of shape (n_iter,)
        The `objective_history_` of a fitted model.
    ax : matplotlib Axes, optional
        Where to draw. A new figure by default.

    Returns
    -------
    ax : matplotlib Axes
        The picture.

    Examples
    --------
    >>> from fuzzypairs.plots import plot_objective
    >>> plot_objective([9.0, 4.0, 3.5]).get_ylabel()
    'objective'
    """
    values = check_array(history, ensure_2d=False).ravel()
    ax = _new_axes((6.4, 3.2)) if ax is None else ax
    steps = np.arange(1, len(values) + 1)
    ax.plot(steps, values, color=COLORS[0], marker="o", markersize=3)
    ax.set(xlabel="iteration", ylabel="objective")
    ax.locator_params(axis="x", integer=True)
    _tidy(ax)
    return ax


def new_figure(size: tuple[float, float]) -> Any:
    """Return an empty figure that pyplot does not know."""
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


def _new_axes(size: tuple[float, float] = (7.4, 4.8)) -> Any:
    """Return the axes of a new figure that holds nothing else."""
    return new_figure(size).subplots()


def _project(X: NDArray[Any]) -> tuple[NDArray[np.float64], tuple[str, str]]:
    """Return a place in the plane for each row, and what the two axes are."""
    if X.shape[1] == 2:
        return X, ("feature 1", "feature 2")
    if min(X.shape) < 2:
        return np.column_stack([X[:, 0], np.zeros(len(X))]), ("feature 1", "")
    plane = PCA(n_components=2, svd_solver="full").fit(X)
    percent = 100 * plane.explained_variance_ratio_
    return plane.transform(X), (
        f"main direction 1 ({percent[0]:.0f} % of variance)",
        f"main direction 2 ({percent[1]:.0f} %)",
    )


def _draw_rows(
    ax: Any, places: NDArray[np.float64], memberships: NDArray[np.float64]
) -> None:
    """Draw the rows cluster by cluster."""
    labels = memberships.argmax(axis=1)
    shade = LEAST_COLOR + (1 - LEAST_COLOR) * certainty(memberships)[:, None]
    for cluster in range(memberships.shape[1]):
        color = _rgb(COLORS[cluster % len(COLORS)])
        marker = MARKERS[cluster % len(MARKERS)]
        mine = labels == cluster
        ax.scatter(
            *places[mine].T, s=42, marker=marker, linewidths=0.7, edgecolors=[color],
            c=shade[mine] * color + (1 - shade[mine]) * PALE, zorder=3,
        )  # fmt: skip
        # Its own legend entry: the drawn ones carry the paleness of their first row.
        ax.scatter(
            [], [], s=42, marker=marker, color=[color],
            label=f"cluster {cluster}",
        )  # fmt: skip


def _draw_rings(ax: Any, places: NDArray[np.float64]) -> None:
    if len(places):
        ax.scatter(
            *places.T, s=110, facecolors="none", edgecolors="black", linewidths=1.1,
            label="cluster changed", zorder=4,
        )  # fmt: skip


def _draw_pairs(
    ax: Any,
    places: NDArray[np.float64],
    pairs: PairSet,
    memberships: NDArray[np.float64],
) -> None:
    """Draw the judgements as lines, and explain the kinds that occur."""
    collections = importlib.import_module("matplotlib.collections")
    held = pairs_held(pairs, memberships)
    ends = np.stack([places[pairs.i], places[pairs.j]], axis=1)
    width = 0.5 + 2 * np.abs(pairs.grade)
    for word, sign, style in (("alike", 1, "-"), ("unlike", -1, "--")):
        for fate, kept, color, alpha in (
            ("held", held, HELD, 0.45),
            ("broken", ~held, BROKEN, 0.95),
        ):
            mine = kept & (np.sign(pairs.grade) == sign)
            if not mine.any():
                continue
            lines = collections.LineCollection(
                list(ends[mine]), linewidths=width[mine], colors=color,
                linestyles=style, alpha=alpha, zorder=1 if fate == "held" else 2,
            )  # fmt: skip
            ax.add_collection(lines)
            # Its own legend entry: the drawn ones carry the width of their first pair.
            label = f"judged {word}, {fate}"
            ax.plot([], [], color=color, linestyle=style, label=label)


def _rgb(color: str) -> NDArray[np.float64]:
    """Return "#rrggbb" as three numbers in [0, 1]."""
    return np.array([int(color[k : k + 2], 16) for k in (1, 3, 5)]) / 255


def _tidy(ax: Any) -> None:
    """Leave the two axes that are read, and a faint grid."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(alpha=0.15, zorder=0)
    ax.set_axisbelow(True)
