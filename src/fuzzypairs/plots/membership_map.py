"""The membership map: rows in the plane, judgements as lines between them."""

import importlib
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.decomposition import PCA

from fuzzypairs._typing import Data, Floats, Ints
from fuzzypairs.criteria import certainty, pairs_held
from fuzzypairs.criteria.inputs import as_memberships, check_lengths
from fuzzypairs.pairs import PairSet
from fuzzypairs.plots import style
from fuzzypairs.validation import check_flag, check_integer, naming, read_array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Opacity of a row with equal memberships: visible, but nearly hollow.
LEAST_OPACITY = 0.12
# A row's area in points, and the number of rows from which it shrinks.
AREA, MANY = 42, 200
# The number of judgements from which lines get thinner.
FEW = 50


def plot_memberships(
    X: ArrayLike,
    memberships: ArrayLike,
    pairs: Any = None,
    ax: "Axes | None" = None,
    *,
    highlight: ArrayLike = (),
    legend: bool = True,
    title: str = "",
    row_links: bool = False,
    most_rows: int | None = None,
    most_pairs: int | None = None,
) -> "Axes":
    """Show each row in the colour of its cluster, paler the less certain it is.

    Rows are placed by the two main directions of `X` (principal components), or as
    they are when `X` has two columns. Judgements are lines: solid for alike, dashed
    for unlike, wider the stronger, and red where the clusters violate them.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The data as it was clustered.
    memberships : array-like of shape (n_samples, n_clusters)
        Memberships, rows summing to 1.
    pairs : PairSet or what `PairSet.coerce` accepts, optional
        Judgements to draw; those of grade 0 are left out.
    ax : matplotlib Axes, optional
        Where to draw. A new figure by default.
    highlight : array-like of int, default=()
        Rows to mark with a ring.
    legend : bool, default=True
        Whether to draw a legend beside the picture.
    title : str, default=""
        Title above the picture.
    row_links : bool, default=False
        Whether each row is a link to ``#row-N`` in SVG files; reports replace the
        links by names of rows.
    most_rows : int, optional
        Largest number of rows to draw: those of the judgements drawn, those
        highlighted, and a fixed random choice of others. All by default.
    most_pairs : int, optional
        Largest number of judgements to draw: violated ones first, then the strongest.
        All by default.

    Returns
    -------
    ax : matplotlib Axes
        `ax.figure.savefig("memberships.png")` writes it to a file. The title on the
        right says how much was left out.

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
    data, U = (
        read_array("X", X, dtype=np.float64),
        as_memberships("memberships", memberships, shares=True),
    )
    check_lengths(X=data, memberships=U)
    judged = PairSet.coerce(pairs, n_samples=len(data)).informative
    with naming("highlight"):
        rings = np.asarray(highlight, dtype=int).ravel()
        if len(rings) and not (rings.min() >= 0 and rings.max() < len(data)):
            raise ValueError(f"rows from {rings.min()} to {rings.max()} are not in X")
    for name, most, least in (
        ("most_rows", most_rows, 1), ("most_pairs", most_pairs, 0)
    ):  # fmt: skip
        if most is not None:
            check_integer(name, most, least)
    if not isinstance(title, str):
        raise TypeError(f"title is a {type(title).__name__}, expected text")
    check_flag("legend", legend)
    check_flag("row_links", row_links)
    ax = style.given_or_new(ax, (5.6, 5.0))
    places, names = _project(data)

    shown = _strongest_pairs(judged, U, most_pairs)
    rows = _some_rows(len(data), np.concatenate([shown.i, shown.j, rings]), most_rows)
    links = [f"#row-{row}" for row in rows] if row_links else None
    _draw_rows(ax, places[rows], U[rows], links)
    if len(rings):
        x, y = places[rings].T
        ax.scatter(
            x, y, s=110, facecolors="none", edgecolors="black", linewidths=1.1,
            label="cluster changed", zorder=5,
        )  # fmt: skip
    _draw_pairs(ax, places, shown, U)

    ax.set(xlabel=names[0], ylabel=names[1])
    ax.set_title(title, loc="left")
    counts = ((rows, data, "rows"), (shown, judged, "judgements"))
    partial = [
        f"{len(drawn):,} of {len(every):,} {what}"
        for drawn, every, what in counts
        if len(drawn) < len(every)
    ]
    ax.set_title(", ".join(partial), loc="right", fontsize="small")
    style.tidy(ax)
    if legend:
        style.add_legend(ax, fontsize="small")
    return ax


def _strongest_pairs(pairs: PairSet, memberships: Floats, most: int | None) -> PairSet:
    """Return the judgements to draw: violated ones first, then the strongest."""
    if most is None or len(pairs) <= most:
        return pairs
    held = pairs_held(pairs, memberships)
    kept = np.lexsort((-np.abs(pairs.grade), held))[:most]
    return PairSet(pairs.i[kept], pairs.j[kept], pairs.grade[kept], pairs.n_samples)


def _some_rows(n_rows: int, wanted: Ints, most: int | None) -> Ints:
    """Return the rows to draw: those wanted, then others at random."""
    if most is None or n_rows <= most:
        return np.arange(n_rows)
    order = np.random.default_rng(0).permutation(n_rows)
    is_other = ~np.isin(order, wanted)
    return np.sort(order[np.argsort(is_other, kind="stable")][:most])


def _project(X: Data) -> tuple[Data, tuple[str, str]]:
    """Return the rows in the plane, and the names of its two axes."""
    if X.shape[1] == 2:
        return X, ("feature 1", "feature 2")
    if min(X.shape) < 2 or not np.ptp(X, axis=0).any():
        return np.column_stack([X[:, 0], np.zeros(len(X))]), ("feature 1", "")
    plane = PCA(n_components=2, random_state=0).fit(X)
    percent = 100 * plane.explained_variance_ratio_
    return plane.transform(X), (
        f"main direction 1 ({percent[0]:.0f} % of variance)",
        f"main direction 2 ({percent[1]:.0f} %)",
    )


def _draw_rows(
    ax: Any, places: Data, memberships: Floats, links: list[str] | None
) -> None:
    colors = importlib.import_module("matplotlib.colors")
    labels = memberships.argmax(axis=1)
    opacity = LEAST_OPACITY + (1 - LEAST_OPACITY) * certainty(memberships)
    area = AREA * min(1.0, np.sqrt(MANY / len(labels)))
    for cluster in range(memberships.shape[1]):
        color = style.pick(style.COLORS, cluster)
        marker = style.pick(style.MARKERS, cluster)
        mine = labels == cluster
        # An array: matplotlib reads names of colours one by one.
        faces = np.tile(colors.to_rgba(color), (mine.sum(), 1))
        faces[:, 3] = opacity[mine]
        dots = ax.scatter(
            *places[mine].T, s=area, marker=marker, linewidths=0.7, edgecolors=color,
            facecolors=faces, zorder=3, clip_on=False,
        )  # fmt: skip
        if links is not None:
            dots.set_urls([links[row] for row in np.flatnonzero(mine)])
        # The legend has entries of its own, which do not depend on the first row.
        ax.scatter([], [], s=AREA, marker=marker, color=color,
                   label=f"cluster {cluster}")  # fmt: skip


def _draw_pairs(ax: Any, places: Data, pairs: PairSet, memberships: Floats) -> None:
    """Draw judgements as lines, with a legend entry for each kind that occurs."""
    collections = importlib.import_module("matplotlib.collections")
    held = pairs_held(pairs, memberships)
    ends = np.stack([places[pairs.i], places[pairs.j]], axis=1)
    width = (0.5 + 2 * np.abs(pairs.grade)) * np.sqrt(FEW / max(len(pairs), FEW))
    for word, sign, dashes in (("alike", 1, "-"), ("unlike", -1, "--")):
        for state, is_state, color, alpha, order in (
            ("satisfied", held, style.HELD, 0.45, 1),
            ("violated", ~held, style.BROKEN, 0.95, 4),
        ):
            mine = is_state & (np.sign(pairs.grade) == sign)
            if not mine.any():
                continue
            lines = collections.LineCollection(
                list(ends[mine]), linewidths=width[mine], colors=color,
                linestyles=dashes, alpha=alpha, zorder=order,
            )  # fmt: skip
            ax.add_collection(lines)
            label = f"judged {word}, {state}"
            ax.plot([], [], color=color, linestyle=dashes, label=label)
