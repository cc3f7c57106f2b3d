"""Whether probabilities of "belong together" are what held-out judgements say."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from fuzzypairs._typing import Floats
from fuzzypairs.criteria.inputs import check_lengths
from fuzzypairs.pairs.consistency import wilson_interval
from fuzzypairs.plots import style
from fuzzypairs.validation import check_integer, read_array

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def reliability_bins(
    probability: ArrayLike, grade: ArrayLike, n_bins: int = 5
) -> Floats:
    """Compare probabilities with judgements, in bins of equal width.

    Parameters
    ----------
    probability : array-like of shape (n_pairs,)
        That two samples belong together; NaN is left out.
    grade : array-like of shape (n_pairs,)
        Judgements of the same pairs; those of 0 are left out.
    n_bins : int, default=5
        Number of bins between 0 and 1; those without judgements are left out.

    Returns
    -------
    bins : ndarray of shape (n_used_bins, 5)
        Mean probability, share of judgements that say alike, the ends of Wilson's 95 %
        interval of this share, and the number of judgements.

    Examples
    --------
    >>> from fuzzypairs.plots.reliability import reliability_bins
    >>> reliability_bins([0.1, 0.1, 0.9, 0.9], [-1, -0.5, 0.8, -0.2]).round(2)
    array([[0.1 , 0.  , 0.  , 0.66, 2.  ],
           [0.9 , 0.5 , 0.09, 0.91, 2.  ]])
    """
    p, s = (
        read_array(name, values, ensure_2d=False, ensure_all_finite="allow-nan").ravel()
        for name, values in (("probability", probability), ("grade", grade))
    )
    check_lengths(probability=p, grade=s)
    n_bins = check_integer("n_bins", n_bins, 1)
    if ((p < 0.0) | (p > 1.0)).any():
        raise ValueError("probability has a value outside 0 to 1")
    known = ~np.isnan(p) & (s != 0.0)
    p, alike = p[known], s[known] > 0.0
    place = np.minimum((p * n_bins).astype(int), n_bins - 1)
    count = np.bincount(place, minlength=n_bins)
    used = count > 0
    n = count[used]
    mean = np.bincount(place, p, n_bins)[used] / n
    share = np.bincount(place, alike, n_bins)[used] / n
    return np.column_stack([mean, share, *wilson_interval(share, n), n])


def plot_reliability(
    probability: ArrayLike,
    grade: ArrayLike,
    ax: "Axes | None" = None,
    *,
    n_bins: int = 5,
) -> "Axes":
    """Show how often pairs of a given probability were judged alike.

    On the diagonal probabilities are reliable: of the pairs with 80 %, 80 % were
    judged alike. Below it they are too high, above it too low.

    Parameters
    ----------
    probability, grade : array-like of shape (n_pairs,)
        As for `reliability_bins`.
    ax : matplotlib Axes, optional
        Where to draw. A new figure by default.
    n_bins : int, default=5
        As for `reliability_bins`.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> from fuzzypairs.plots import plot_reliability
    >>> ax = plot_reliability([0.1, 0.2, 0.9], [-1.0, 0.4, 0.8])
    >>> ax.get_xlabel()
    'probability that two rows belong together'
    """
    bins = reliability_bins(probability, grade, n_bins)
    ax = style.given_or_new(ax, (5.2, 4.2))
    ax.plot([0, 1], [0, 1], color=style.HELD, linestyle=":", label="reliable")
    mean, share, low, high, count = bins.T
    ax.errorbar(
        mean, share, yerr=[share - low, high - share], color=style.COLORS[0],
        marker="o", capsize=3, label="held-out judgements, 95 % interval",
    )  # fmt: skip
    for x, y, n in zip(mean, high, count.astype(int), strict=True):
        ax.annotate(f"{n:,}", (x, y), (0, 3), ha="center", fontsize="small",
                    textcoords="offset points", color=style.HELD)  # fmt: skip
    ax.set(
        xlabel="probability that two rows belong together",
        ylabel="share judged alike",
        xlim=(-0.03, 1.03),
        ylim=(-0.03, 1.09),
    )
    style.tidy(ax)
    style.add_legend(ax, fontsize="small")
    return ax
