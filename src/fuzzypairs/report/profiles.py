"""Profiles of clusters: means and shares in the units of the user's table."""

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
    """One difference between a cluster and the rest.

    Attributes
    ----------
    name : str
        A column, or a column and one of its categories.
    here, elsewhere : str
        Mean or share in the cluster and in the rest, formatted.
    difference : float
        Here minus elsewhere, in standard deviations of all rows.
    """

    name: str
    here: str
    elsewhere: str
    difference: float


@dataclass(frozen=True, eq=False)
class Profile:
    """One column by clusters: means of numbers and dates, shares of categories.

    Rows are weighted by their memberships u in the cluster, by 1 - u in the rest.
    Missing values do not count.

    Attributes
    ----------
    column : str
        Name of the column.
    names : tuple of str
        Name of the column, or one name for each of its categories.
    here, elsewhere, difference : ndarray of shape (n_names, n_clusters)
        Mean or share in the cluster, in the rest, and their difference in standard
        deviations; NaN where there are no rows.
    spell : callable
        Formats a mean or a share other than NaN.
    categories : tuple of str
        The categories; none for numbers and dates.

    Examples
    --------
    >>> import pandas as pd
    >>> from fuzzypairs.io.features import ColumnRecord
    >>> from fuzzypairs.report.profiles import describe_columns
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
    categories: tuple[str, ...] = ()

    def prototype(self, cluster: int) -> str:
        """Return the mean, or the most common category with its share."""
        if np.isnan(self.here[:, cluster]).all():
            return "-"
        most = int(np.nanargmax(self.here[:, cluster]))
        value = self._text(self.here[most, cluster])
        return f"{self.categories[most]} ({value})" if self.categories else value

    def trait(self, cluster: int) -> Trait:
        """Return the largest difference between a cluster and the rest."""
        gap = np.nan_to_num(self.difference[:, cluster])
        # Of equal differences, as between two categories, the positive one.
        most = int(np.lexsort((gap, np.abs(gap).round(9)))[-1])
        return Trait(
            self.names[most],
            self._text(self.here[most, cluster]),
            self._text(self.elsewhere[most, cluster]),
            float(gap[most]),
        )

    def _text(self, value: float) -> str:
        return "-" if np.isnan(value) else self.spell(value)


def describe_columns(
    table: "pd.DataFrame", columns: Sequence[ColumnRecord], memberships: ArrayLike
) -> list[Profile]:
    """Describe all columns that entered a fit, in the units of the table.

    Parameters
    ----------
    table : DataFrame of shape (n_samples, n_columns)
        The data as the user gave them.
    columns : sequence of ColumnRecord
        What was done to each column; those dropped are left out.
    memberships : array-like of shape (n_samples, n_clusters)
        Memberships, rows summing to 1.

    Returns
    -------
    profiles : list of Profile

    Examples
    --------
    >>> import pandas as pd
    >>> from fuzzypairs.io.features import ColumnRecord
    >>> from fuzzypairs.report.profiles import describe_columns
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
    return _numeric(name, column, U, number_format(float(column.std(ddof=0))))


def _describe_dates(name: str, column: Any, U: Floats) -> Profile:
    # Dates within a few days are given with hours and minutes.
    form = "%Y-%m-%d" if column.std(ddof=0) > 3 else "%Y-%m-%d %H:%M"
    return _numeric(
        name, column, U, lambda days: f"{pd.Timestamp(days, unit='D'):{form}}"
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


def _describe_categories(name: str, column: Any, U: Floats) -> Profile:
    codes, found = pd.factorize(column, sort=True)
    codes, U = codes[codes >= 0], U[codes >= 0]
    own = np.array([np.bincount(codes, u, len(found)) for u in U.T]).T
    every = np.bincount(codes, minlength=len(found)).astype(float)
    share = every / len(codes)
    contrast = _contrast(own, every, U, np.sqrt(share * (1 - share)))
    names = tuple(f"{name} = {category}" for category in found)
    return Profile(name, names, *contrast, _spell_share, tuple(found))


DESCRIBE = {
    "number": _describe_numbers,
    "date": _describe_dates,
    "category": _describe_categories,
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


def number_format(spread: float) -> Callable[[float], str]:
    """Return a function that formats numbers, with decimals according to `spread`."""
    if not 1e-4 < spread < 1e9:
        return "{:.4g}".format
    decimals = max(0, 2 - int(np.floor(np.log10(spread))))
    return f"{{:,.{decimals}f}}".format


def _spell_share(share: float) -> str:
    return f"{100 * share:.0f} %"
