"""Profiles of clusters: means and shares in the units of the user's table."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from fuzzypairs._typing import Floats
from fuzzypairs.tables.features import ColumnRecord


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
    """Describe the columns of a user's table that were not dropped before the fit."""
    U = np.asarray(memberships, dtype=float)
    return [
        (_describe_categories if record.kind == "category" else _describe_numbers)(
            record, record.values(table), U
        )
        for record in columns
        if record.n_features
    ]


def _describe_numbers(record: ColumnRecord, column: Any, U: Floats) -> Profile:
    """Describe numbers, or dates as days."""
    values = column.to_numpy(dtype=float)
    known = ~np.isnan(values)
    centre = values[known].mean()
    deviations, U = values[known] - centre, U[known]
    spread = deviations.std()
    here, elsewhere, difference = _contrast(
        (deviations @ U)[None], deviations.sum(keepdims=True), U, spread[None]
    )
    return Profile(
        record.name,
        (record.name,),
        here + centre,
        elsewhere + centre,
        difference,
        (date_format if record.kind == "date" else number_format)(spread),
    )


def _describe_categories(record: ColumnRecord, column: Any, U: Floats) -> Profile:
    codes, found = pd.factorize(column, sort=True)
    codes, U = codes[codes >= 0], U[codes >= 0]
    own = np.array([np.bincount(codes, u, len(found)) for u in U.T]).T
    every = np.bincount(codes, minlength=len(found)).astype(float)
    share = every / len(codes)
    contrast = _contrast(own, every, U, np.sqrt(share * (1 - share)))
    names = tuple(f"{record.name} = {category}" for category in found)
    return Profile(record.name, names, *contrast, _share_format, tuple(found))


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


def date_format(spread: float) -> Callable[[float], str]:
    """Return a function that formats days since 1970, with hours if they are close."""
    form = "%Y-%m-%d" if spread > 3 else "%Y-%m-%d %H:%M"
    return lambda days: pd.Timestamp(days, unit="D").strftime(form)


def _share_format(share: float) -> str:
    return f"{100 * share:.0f} %"
