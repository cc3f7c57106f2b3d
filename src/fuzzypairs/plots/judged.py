"""Grades of judgements against the memberships that their rows share."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from fuzzypairs._typing import Floats
from fuzzypairs.criteria import pairs_held
from fuzzypairs.criteria.inputs import as_memberships
from fuzzypairs.pairs import PairSet
from fuzzypairs.plots import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def shared_membership(pairs: Any, memberships: ArrayLike) -> Floats:
    """Measure how much of their membership the two rows of a judgement share.

    Parameters
    ----------
    pairs : PairSet or what `PairSet.coerce` accepts
        Judgements about the rows of `memberships`.
    memberships : array-like of shape (n_samples, n_clusters)
        Memberships, rows summing to 1.

    Returns
    -------
    shared : ndarray of shape (n_pairs,)
        sum_j min(u_pj, u_qj): 1 for equal memberships, however fuzzy, and 0 for rows
        without a common cluster.

    Examples
    --------
    >>> from fuzzypairs.plots import shared_membership
    >>> memberships = [[1.0, 0.0], [0.75, 0.25], [0.0, 1.0]]
    >>> shared_membership([(0, 1, 0.5), (0, 2, -0.5)], memberships)
    array([0.75, 0.  ])
    """
    U = as_memberships("memberships", memberships, shares=True)
    judged = PairSet.coerce(pairs, n_samples=len(U))
    shared: Floats = np.minimum(U[judged.i], U[judged.j]).sum(axis=1)
    return shared


def plot_judgements(
    pairs: Any, memberships: ArrayLike, ax: "Axes | None" = None
) -> "Axes":
    """Show grades of judgements against the memberships that their rows share.

    Rows judged alike should share their memberships: upper right. Rows judged unlike
    should not: lower left. Crosses are judgements that the clusters violate.

    Parameters
    ----------
    pairs : PairSet or what `PairSet.coerce` accepts
        Judgements; those of grade 0 are left out.
    memberships : array-like of shape (n_samples, n_clusters)
        Memberships, rows summing to 1.
    ax : matplotlib Axes, optional
        Where to draw. A new figure by default.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> from fuzzypairs.plots import plot_judgements
    >>> ax = plot_judgements([(0, 1, 0.5), (0, 2, 0.9)], [[1, 0], [0.9, 0.1], [0, 1]])
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['1 satisfied', '1 violated']
    """
    U = as_memberships("memberships", memberships, shares=True)
    judged = PairSet.coerce(pairs, n_samples=len(U)).informative
    ax = style.given_or_new(ax, (5.2, 3.4))
    shared, held = shared_membership(judged, U), pairs_held(judged, U)
    for word, mine, marker, color, area in (
        ("satisfied", held, "o", style.HELD, 26),
        ("violated", ~held, "X", style.BROKEN, 50),
    ):
        ax.scatter(
            judged.grade[mine], shared[mine], s=area, marker=marker, color=color,
            linewidths=0, zorder=3, label=f"{mine.sum():,} {word}",
        )  # fmt: skip
    ax.axvline(0, color="black", linewidth=0.8, zorder=1)
    ax.set(
        xlabel="grade: unlike below 0, alike above",
        ylabel="shared membership",
        xlim=(-1.05, 1.05),
        ylim=(-0.05, 1.05),
    )
    style.tidy(ax)
    style.add_legend(ax)
    return ax
