"""Rows between clusters: a triangle for three clusters, bars for any number."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from fuzzypairs._typing import Floats, Ints
from fuzzypairs.criteria.inputs import as_memberships
from fuzzypairs.plots import style
from fuzzypairs.validation import check_choice, check_integer, read_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Corners of the triangle: clusters 0, 1 and 2.
CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])


def most_mixed(memberships: ArrayLike) -> Ints:
    """Order rows from the most mixed to the clearest.

    Rows are ordered by the ratio of their second largest membership to the largest:
    1 for a row between two clusters, 0 for a row that belongs to one alone.

    Parameters
    ----------
    memberships : array-like of shape (n_samples, n_clusters)
        Memberships, rows summing to 1.

    Returns
    -------
    rows : ndarray of shape (n_samples,)

    Examples
    --------
    >>> from fuzzypairs.plots import most_mixed
    >>> most_mixed([[0.9, 0.1], [0.4, 0.6], [0.5, 0.5]])
    array([2, 1, 0])
    """
    return np.argsort(
        -mixedness(as_memberships("memberships", memberships, shares=True)),
        kind="stable",
    )


def mixedness(U: Floats) -> Floats:
    """Return the second largest over the largest membership of each row."""
    if U.shape[1] == 1:
        return np.zeros(len(U))
    second, first = np.partition(U, -2, axis=1)[:, -2:].T
    ratio: Floats = second / first
    return ratio


def plot_mixtures(
    memberships: ArrayLike,
    names: Sequence[object] | None = None,
    ax: "Axes | None" = None,
    *,
    kind: Literal["auto", "triangle", "bars"] = "auto",
    most: int = 30,
) -> "Axes":
    """Show how rows divide between clusters.

    In the triangle each row is a dot: near a corner it belongs to that cluster, on an
    edge to two, in the middle to all three. Bars show the most mixed rows, with a
    segment for each cluster.

    Parameters
    ----------
    memberships : array-like of shape (n_samples, n_clusters)
        Memberships, rows summing to 1.
    names : sequence of length n_samples, optional
        Names of rows beside bars. Their numbers by default.
    ax : matplotlib Axes, optional
        Where to draw. A new figure by default.
    kind : {"auto", "triangle", "bars"}, default="auto"
        "auto" is the triangle for three clusters, bars for other numbers.
    most : int, default=30
        Largest number of bars.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> from fuzzypairs.plots import plot_mixtures
    >>> ax = plot_mixtures([[0.9, 0.1], [0.4, 0.6]], names=["oak", "elm"])
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['elm', 'oak']
    """
    check_choice("kind", kind, ["auto", "triangle", "bars"])
    U = as_memberships("memberships", memberships, shares=True)
    n_clusters = U.shape[1]
    if kind == "triangle" and n_clusters != 3:
        raise ValueError(
            f'kind="triangle" needs 3 clusters, memberships have {n_clusters}; use '
            '"bars"'
        )
    if kind != "bars" and n_clusters == 3:
        ax = style.given_or_new(ax, (5.6, 4.8))
        _draw_triangle(ax, U)
        return ax
    most = check_integer("most", most, 1)
    called = read_names(names, len(U))
    if len(called) != len(U):
        raise ValueError(
            f"names has {len(called)} entries but memberships have {len(U)} rows"
        )
    rows = most_mixed(U)[:most]
    height = 1.4 + 0.22 * len(rows) + 0.08 * n_clusters
    ax = style.given_or_new(ax, (6.4, height))
    _draw_bars(ax, U[rows], [called[row] for row in rows])
    return ax


def _draw_triangle(ax: Any, U: Floats) -> None:
    labels, places = U.argmax(axis=1), U @ CORNERS
    ax.fill(*CORNERS.T, facecolor="none", edgecolor="black", linewidth=0.8)
    # Lines from the middle to the edges, between the regions of strongest clusters.
    middle = CORNERS.mean(axis=0)
    for corner in CORNERS:
        line = np.transpose([middle, (CORNERS.sum(axis=0) - corner) / 2])
        ax.plot(*line, color=style.HELD, linewidth=0.8, linestyle=":")
    for cluster, (x, y) in enumerate(CORNERS):
        color = style.pick(style.COLORS, cluster)
        ax.scatter(
            *places[labels == cluster].T, s=26, alpha=0.6, linewidths=0.7,
            marker=style.pick(style.MARKERS, cluster), color=color, edgecolors=color,
        )  # fmt: skip
        below = y == 0
        ax.annotate(
            f"cluster {cluster}", (x, y), (0, -6 if below else 6), ha="center",
            va="top" if below else "bottom", textcoords="offset points",
        )  # fmt: skip
    ax.set_aspect("equal")
    ax.set_axis_off()
    ax.margins(0.08)


def _draw_bars(ax: Any, U: Floats, names: Sequence[object]) -> None:
    places = np.arange(len(U))
    starts = np.cumsum(U, axis=1) - U
    for cluster in np.flatnonzero(U.any(axis=0)).tolist():
        ax.barh(
            places, U[:, cluster], left=starts[:, cluster], height=0.78, linewidth=0.6,
            color=style.pick(style.COLORS, cluster), edgecolor="#FFFFFFB0",
            hatch=style.pick(style.HATCHES, cluster), label=f"cluster {cluster}",
        )  # fmt: skip
    ax.set_yticks(places, [style.shortened(name) for name in names], fontsize="small")
    ax.set(xlabel="membership", xlim=(0, 1), ylim=(len(U) - 0.4, -0.6))
    style.tidy(ax)
    ax.grid(visible=False, axis="y")
    ax.tick_params(axis="y", length=0)
    style.add_legend(ax, fontsize="small")
