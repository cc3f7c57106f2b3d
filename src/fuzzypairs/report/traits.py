"""What clusters are like, in the units and words of the user's own table."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from fuzzypairs._typing import Floats
from fuzzypairs.io.columns import CONVERT
from fuzzypairs.io.features import ColumnRecord

__all__ = ["Profile", "Trait", "describe_columns"]


@dataclass(frozen=True)
class Trait:
    """One thing in which one cluster differs from the rest.

    Attributes
    ----------
    name : str
        A column, or a column and one of its words.
    here, elsewhere : str
        Its mean or share in the cluster and in the rest, as a reader writes it.
    difference : float
        Here minus elsewhere, in standard deviations of all rows.

    Examples
    --------
    >>> from fuzzypairs.report.traits import Trait
    >>> Trait("soil = clay", "83 %", "20 %", 1.4).name
    'soil = clay'
    """

    name: str
    here: str
    elsewhere: str
    difference: float


@dataclass(frozen=True, eq=False)
class Profile:
    """One column as seen by every cluster: means of numbers, shares of words.

    Rows count by their memberships, in the rest by what is left of them. Missing
    values do not count.

    Attributes
    ----------
    column : str
        Its name.
    names : tuple of str
        The column's, or one for each of its words.
    here, elsewhere, difference : ndarray of shape (n_names, n_clusters)
        Mean or share in the cluster, in the rest, and their difference in standard
        deviations; NaN where there are no rows.
    spell : callable
        Writes a mean or a share.
    words : tuple of str
        The words that shares are about; none for numbers and dates.

    Examples
    --------
    >>> import pandas as pd
    >>> from fuzzypairs.io.features import ColumnRecord
    >>> from fuzzypairs.report.traits import describe_columns
    >>> frame = pd.DataFrame({"acid": [1.0, 2.0, 6.0]})
    >>> record = ColumnRecord("acid", "number", 0, 1, "standardised")
    >>> (acid,) = describe_columns(frame, [record], [[1, 0], [1, 0], [0, 1]])
    >>> acid.prototype(0)
    '1.50'
    >>> acid.trait(0)
    Trait(name='acid', here='1.50', elsewhere='6.00', difference=-2.08...)
    """

    column: str
    names: tuple[str, ...]
    here: Floats
    elsewhere: Floats
    difference: Floats
    spell: Callable[[float], str]
    words: tuple[str, ...] = ()

    def prototype(self, cluster: int) -> str:
        """Return the mean, or the most common word with its share."""
        if np.isnan(self.here[:, cluster]).all():
            return "-"
        foremost = int(np.nanargmax(self.here[:, cluster]))
        value = self.spell(self.here[foremost, cluster])
        return f"{self.words[foremost]} ({value})" if self.words else value

    def trait(self, cluster: int) -> Trait:
        """Return what sets a cluster apart most in this column."""
        gap = np.nan_to_num(self.difference[:, cluster])
        # Of two words, one misses what the other has: the latter is told.
        foremost = int(np.lexsort((gap, np.abs(gap).round(9)))[-1])
        return Trait(
            self.names[foremost],
            self.spell(self.here[foremost, cluster]),
            self.spell(self.elsewhere[foremost, cluster]),
            float(gap[foremost]),
        )


def describe_columns(
    table: "pd.DataFrame", columns: Sequence[ColumnRecord], memberships: ArrayLike
) -> list[Profile]:
    """Describe all columns that entered a fit, in the units of the table.

    Parameters
    ----------
    table : DataFrame of shape (n_samples, n_columns)
        The data as the user gave them.
    columns : sequence of ColumnRecord
        What became of each column; those dropped are left out.
    memberships : array-like of shape (n_samples, n_clusters)
        Memberships, rows summing to 1.

    Returns
    -------
    profiles : list of Profile

    Examples
    --------
    >>> import pandas as pd
    >>> from fuzzypairs.io.features import ColumnRecord
    >>> from fuzzypairs.report.traits import describe_columns
    >>> frame = pd.DataFrame({"soil": ["clay", "clay", "sand", None]})
    >>> record = ColumnRecord("soil", "category", 1, 2, "one-hot")
    >>> U = [[1.0, 0.0], [0.5, 0.5], [0.5, 0.5], [0.0, 1.0]]
    >>> describe_columns(frame, [record], U)[0].prototype(0)
    'clay (75 %)'
    """
    U = np.asarray(memberships, dtype=float)
    by_name = {str(name): table[name] for name in table}
    return [
        DESCRIBE[record.kind](
            record.name, CONVERT[record.kind](by_name[record.name]), U
        )
        for record in columns
        if record.n_features
    ]


def _describe_numbers(name: str, column: Any, U: Floats) -> Profile:
    return _numeric(name, column, U, number_speller(float(column.std(ddof=0))))


def _describe_dates(name: str, column: Any, U: Floats) -> Profile:
    # Where dates lie within days, their hours tell.
    form = "%Y-%m-%d" if column.std(ddof=0) > 3 else "%Y-%m-%d %H:%M"
    return _numeric(
        name,
        column,
        U,
        lambda days: (
            "-" if np.isnan(days) else pd.Timestamp(days, unit="D").strftime(form)
        ),
    )


def _numeric(
    name: str, column: Any, U: Floats, spell: Callable[[float], str]
) -> Profile:
    values = column.to_numpy(dtype=float)
    known = ~np.isnan(values)
    centre = values[known].mean()
    deviations, U = values[known] - centre, U[known]
    here, elsewhere, difference = _contrast(
        (deviations @ U)[None],
        deviations.sum(keepdims=True),
        U,
        deviations.std(keepdims=True),
    )
    return Profile(name, (name,), here + centre, elsewhere + centre, difference, spell)


def _describe_words(name: str, column: Any, U: Floats) -> Profile:
    codes, words = pd.factorize(column, sort=True)
    codes, U = codes[codes >= 0], U[codes >= 0]
    own = np.array([np.bincount(codes, u, len(words)) for u in U.T]).T
    every = np.bincount(codes, minlength=len(words)).astype(float)
    share = every / len(codes)
    here, elsewhere, difference = _contrast(own, every, U, np.sqrt(share * (1 - share)))
    names = tuple(f"{name} = {word}" for word in words)
    return Profile(name, names, here, elsewhere, difference, _spell_share, tuple(words))


DESCRIBE = {
    "number": _describe_numbers,
    "date": _describe_dates,
    "category": _describe_words,
}


def _contrast(
    own: Floats, every: Floats, U: Floats, spread: Floats
) -> tuple[Floats, Floats, Floats]:
    """Return means in clusters, in the rests, and their standardised differences.

    `own` are sums weighted by memberships, shape (n_names, n_clusters); `every` and
    `spread` are plain sums and standard deviations, shape (n_names,).
    """
    weight = U.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        here = np.where(weight > 0, own / weight, np.nan)
        left = len(U) - weight
        rest = np.where(left > 0, (every[:, None] - own) / left, np.nan)
        difference = (here - rest) / spread[:, None]
    return here, rest, difference


def number_speller(spread: float) -> Callable[[float], str]:
    """Return what writes numbers with the decimals that their spread deserves.

    Examples
    --------
    >>> number_speller(0.4)(12.3456), number_speller(900.0)(12345.6)
    ('12.346', '12,346')
    """
    if not 1e-4 < spread < 1e9:
        return lambda value: "-" if np.isnan(value) else f"{value:.4g}"
    decimals = max(0, 2 - int(np.floor(np.log10(spread))))
    return lambda value: "-" if np.isnan(value) else f"{value:,.{decimals}f}"


def _spell_share(share: float) -> str:
    return "-" if np.isnan(share) else f"{100 * share:.0f} %"
