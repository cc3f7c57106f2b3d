"""Features from the columns of a table: numbers, dates and categories, with gaps."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils.validation import check_is_fitted

from fuzzypairs._typing import Floats, Mask
from fuzzypairs.tables.columns import (
    CONVERT,
    Column,
    Kind,
    as_text,
    kind_of,
    listed,
    to_numbers,
    unit_of,
)
from fuzzypairs.tables.dates import Order
from fuzzypairs.tables.usefulness import (
    MOST_CATEGORIES,
    RARE,
    always_useless,
    why_useless,
)
from fuzzypairs.validation import suggest

__all__ = ["ColumnRecord", "Preparation"]

# The level of a category that is missing.
EMPTY = "(missing)"
# Rows without gaps that are kept, to be tried in the gaps of others.
N_DONORS = 20


@dataclass(frozen=True)
class ColumnRecord:
    """What was done to one column.

    Attributes
    ----------
    name : str
        Name of the column.
    kind : {"number", "date", "category"}
        What it holds.
    n_missing : int
        Number of missing values.
    n_features : int
        Number of features made from it; 0 if it was dropped.
    treatment : str
        What was done, in words.
    date_format : str, default=""
        Of a date: "iso", or a format of `datetime.strptime`.
    first_feature : int, default=-1
        The first of its features, which follow each other; -1 if there are none.
    unit : str, default=""
        Of numbers: what is written with them, such as € or kg.
    """

    name: str
    kind: Kind
    n_missing: int
    n_features: int
    treatment: str
    date_format: str = ""
    first_feature: int = -1
    unit: str = ""


def values_of(record: ColumnRecord, column: Column) -> Column:
    """Return the values of a column as the fit read them: floats or text."""
    return CONVERT[record.kind](column, record.unit or record.date_format)


class Preparation(TransformerMixin, BaseEstimator):
    """Turn columns of any kind into features, and record what was done.

    Numbers are standardised, missing ones set to the median first. Dates are treated
    likewise, as days since 1970. Categories, true and false among them, are one-hot
    encoded; a missing one is a level of its own. Columns are left out that have no
    name, a single value, mostly missing values, or values that number or name the rows.

    Parameters
    ----------
    scale : bool, default=True
        Whether to scale numbers to mean 0 and standard deviation 1.
    id_column : str, default=None
        The column that names the rows, which is never a feature.
    category, number, date : sequence of str, default=()
        Columns to take for categories, numbers or dates, and not to leave out.
    date_order : {"dmy", "mdy"} or None, default=None
        The order of day and month in dates whose values do not tell.

    Attributes
    ----------
    columns_ : tuple of ColumnRecord
        What was done to each column.
    transformer_ : ColumnTransformer
        What makes the features, from columns of floats and text.
    donors_ : ndarray of shape (up to 20, n_features)
        Features of rows without gaps, evenly spaced in the table.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    Notes
    -----
    Categories in less than 1 % of the rows, and all but the 19 most frequent ones,
    share a feature. Text that can be read as numbers or as dates is read so: a table
    gives the same features from every file format. A column holds numbers if at least
    90 % of its values in the fit are, with the same unit or none, such as $4,733 or
    18.3 °C; in such a column words count as missing, also in new rows.

    Examples
    --------
    >>> import pandas as pd
    >>> from fuzzypairs.tables.features import Preparation
    >>> frame = pd.DataFrame({"acid": [1.0, None, 3.0],
    ...                       "soil": ["clay", "sand", "clay"],
    ...                       "year": [1999, 1999, 1999]})
    >>> model = Preparation().fit(frame)
    >>> model.transform(frame).round(2)
    array([[-1.22,  1.  ,  0.  ],
           [ 0.  ,  0.  ,  1.  ],
           [ 1.22,  1.  ,  0.  ]])
    >>> for column in model.columns_:
    ...     print(f"{column.name}: {column.treatment}")
    acid: 1 missing set to the median, standardised
    soil: one-hot
    year: left out, all values are the same
    """

    def __init__(
        self,
        *,
        scale: bool = True,
        id_column: str | None = None,
        category: Sequence[str] = (),
        number: Sequence[str] = (),
        date: Sequence[str] = (),
        date_order: Order | None = None,
    ) -> None:
        self.scale = scale
        self.id_column = id_column
        self.category = category
        self.number = number
        self.date = date
        self.date_order = date_order

    def fit(self, X: "pd.DataFrame", y: object = None) -> Self:
        """Decide what to do with each column.

        Parameters
        ----------
        X : DataFrame of shape (n_samples, n_columns)
        y : ignored

        Returns
        -------
        self : Preparation
        """
        frame = X[[name for name in X if name != self.id_column]]
        kinds, forms = self._kinds(frame)
        values = {n: CONVERT[kind](frame[n], forms[n]) for n, kind in kinds.items()}
        for name in self.category:
            counts = values[name].value_counts()
            # All of them would share the one feature of rare categories.
            if len(counts) > MOST_CATEGORIES and counts.max() < max(2, RARE * len(X)):
                raise ValueError(
                    f"column {name!r} is to be categories, but none of its "
                    f"{len(counts)} different values is frequent: expected values that "
                    "repeat; make columns of numbers from texts"
                )
        told = {*self.category, *self.number, *self.date}
        dropped = {
            name: (always_useless if name in told else why_useless)(column, kinds[name])
            for name, column in values.items()
        }
        kept = [name for name in values if not dropped[name]]
        if not kept:
            name = next(iter(values))
            raise ValueError(
                f"no column is left to cluster by: {name!r} was {dropped[name]}"
            )
        numbers = [name for name in kept if kinds[name] != "category"]
        words = [name for name in kept if kinds[name] == "category"]
        scaler = [StandardScaler()] if self.scale else []
        number_steps = make_pipeline(SimpleImputer(strategy="median"), *scaler)
        self.transformer_ = ColumnTransformer(
            [("numbers", number_steps, numbers), ("words", _category_steps(), words)],
            sparse_threshold=0.0,
        ).fit(pd.DataFrame(values)[kept])
        self.feature_names_in_ = np.array(list(values), dtype=object)
        self.n_features_in_ = len(values)
        widths = dict.fromkeys(numbers, 1) | self._widths(words)
        ends = dict(zip(widths, np.cumsum(list(widths.values())).tolist(), strict=True))
        units = {n: forms[n] if kinds[n] == "number" else "" for n in kinds}
        self.columns_ = tuple(
            ColumnRecord(
                name,
                kinds[name],
                n_missing := int(column.isna().sum()),
                widths.get(name, 0),
                dropped[name]
                or treatment_of(
                    kinds[name],
                    n_missing,
                    n_missing - int(frame[name].isna().sum()),
                    self.scale,
                    units[name],
                ),
                "" if units[name] else forms[name],
                ends[name] - widths[name] if name in widths else -1,
                units[name],
            )
            for name, column in values.items()
        )
        table = pd.DataFrame(values)[kept]
        whole = np.flatnonzero(table.notna().all(axis=1))
        at = np.linspace(0, len(whole) - 1, min(N_DONORS, len(whole))).astype(int)
        rows = table.iloc[whole[at]]
        self.donors_ = (
            np.asarray(self.transformer_.transform(rows))
            if len(rows)
            else np.empty((0, sum(widths.values())))
        )
        return self

    def _kinds(self, X: "pd.DataFrame") -> tuple[dict[str, Kind], dict[str, str]]:
        """Return what each column holds, and formats of dates and units of numbers."""
        told: dict[str, Kind] = dict.fromkeys(self.category, "category")
        told.update(dict.fromkeys(self.number, "number"))
        told.update(dict.fromkeys(self.date, "date"))
        for name in told:
            if name not in X:
                raise ValueError(
                    f"there is no column {name!r}{suggest(name, X.columns)}; there are "
                    f"{listed(X.columns)} (--{told[name]})"
                )
        found = {
            str(name): kind_of(X[name], self.date_order)
            for name in X
            if told.get(str(name)) in (None, "date")
        }
        # One order serves all dates of a table that are written alike.
        dates = {n: form for n, (kind, form) in found.items() if kind == "date"}
        known = {form[2]: form for form in dates.values() if form.startswith("%")}
        for name, form in dates.items():
            if form.startswith("?"):
                decided = known.get(form[1], "")
                order: Order = "mdy" if decided.startswith("%m") else "dmy"
                if not decided:
                    raise ValueError(
                        f"column {name!r} holds dates such as "
                        f"{X[name].dropna().iloc[0]!r}, whose day or month may come "
                        "first: set date_order to dmy or mdy"
                    )
                found[name] = kind_of(X[name], order)
        for name in self.number:
            found[name] = "number", unit_of(X[name])
            if not to_numbers(X[name], found[name][1]).notna().any():
                raise ValueError(
                    f"column {name!r} is to be numbers but holds "
                    f"{X[name].dropna().iloc[:1].tolist()}"
                )
        for name in self.date:
            if found[name][0] != "date":
                raise ValueError(
                    f"column {name!r} is to be a date but holds "
                    f"{X[name].dropna().iloc[:1].tolist()}: expected such as 2024-12-31"
                )
        kinds = {str(n): told.get(str(n)) or found[str(n)][0] for n in X}
        return kinds, {n: found.get(n, ("", ""))[1] for n in kinds}

    def _widths(self, words: list[str]) -> dict[str, int]:
        """Return how many features each categorical column became."""
        if not words:
            return {}
        encoder = self.transformer_.named_transformers_["words"][-1]
        found = zip(
            words, encoder.categories_, encoder.infrequent_categories_, strict=True
        )
        return {
            name: len(every) - (0 if rare is None else len(rare) - 1)
            for name, every, rare in found
        }

    def transform(self, X: "pd.DataFrame") -> Floats:
        """Make features of the columns, found by their names.

        Parameters
        ----------
        X : DataFrame of shape (n_samples, n_columns)
            Further columns are ignored.

        Returns
        -------
        features : ndarray of shape (n_samples, n_features)
        """
        made: Floats = self.transformer_.transform(pd.DataFrame(self._values(X)))
        return made

    def known(self, X: "pd.DataFrame", *, by_column: bool = False) -> Mask:
        """Tell which features of rows come from values that are not missing.

        Parameters
        ----------
        X : DataFrame of shape (n_samples, n_columns)
        by_column : bool, default=False
            Whether to tell it of columns that are used, not of features.

        Returns
        -------
        known : ndarray of shape (n_samples, n_features), bool
            A missing category is known where the fit saw missing ones too: it is a
            level like others then. By column it is missing.

        Examples
        --------
        >>> import pandas as pd
        >>> from fuzzypairs.tables.features import Preparation
        >>> frame = pd.DataFrame({"acid": [1.0, None], "soil": ["clay", "sand"]})
        >>> frame.loc[2] = [3.0, None]
        >>> Preparation().fit(frame).known(frame)
        array([[ True,  True,  True,  True],
               [False,  True,  True,  True],
               [ True,  True,  True,  True]])
        """
        values = self._values(X)
        used = [c for c in self.columns_ if c.n_features]
        used.sort(key=lambda c: c.first_feature)
        known = np.column_stack([values[c.name].notna().to_numpy() for c in used])
        if by_column:
            return known
        known[:, [c.kind == "category" and c.n_missing > 0 for c in used]] = True
        return np.repeat(known, [c.n_features for c in used], axis=1)

    def _values(self, X: "pd.DataFrame") -> dict[str, Column]:
        """Return the columns that are used, as floats and text."""
        check_is_fitted(self)
        used = [column for column in self.columns_ if column.n_features]
        if missing := [column.name for column in used if column.name not in X]:
            raise ValueError(
                f"column {missing[0]!r} is missing{suggest(missing[0], X.columns)}; "
                f"there are {listed(X.columns)}"
            )
        return {c.name: values_of(c, X[c.name]) for c in used}

    def unseen(self, X: "pd.DataFrame") -> dict[str, list[str]]:
        """Return the words of new rows that the fit did not see, by column.

        Categories count as rare ones where there are any, and as none elsewhere; words
        among numbers count as missing.

        Parameters
        ----------
        X : DataFrame of shape (n_samples, n_columns)

        Returns
        -------
        words : dict of str to list of str
            Only columns that have some.

        Examples
        --------
        >>> import pandas as pd
        >>> from fuzzypairs.tables.features import Preparation
        >>> frame = pd.DataFrame({"soil": ["clay", "sand"], "acid": [1.5, 2.5]})
        >>> new = pd.DataFrame({"soil": ["sand", "peat"], "acid": ["3.5", "rotary"]})
        >>> Preparation().fit(frame).unseen(new)
        {'soil': ['peat'], 'acid': ['rotary']}
        """
        values = self._values(X)
        _, steps, names = self.transformer_.transformers_[1]
        known = zip(names, steps[-1].categories_ if len(names) else (), strict=True)
        new = {name: set(values[name].dropna()) - set(words) for name, words in known}
        for column in self.columns_:
            if column.n_features and column.kind == "number":
                given = X[column.name]
                new[column.name] = set(
                    as_text(given[values[column.name].isna()]).dropna()
                )
        return {name: sorted(words) for name, words in new.items() if words}

    def get_feature_names_out(self, input_features: object = None) -> NDArray[Any]:
        """Return the names of the features, shape (n_features,).

        Parameters
        ----------
        input_features : ignored
            Columns are known by their names.
        """
        check_is_fitted(self)
        names: NDArray[Any] = self.transformer_.get_feature_names_out()
        return np.array([name.partition("__")[2] for name in names], dtype=object)


def treatment_of(
    kind: Kind, n_missing: int, n_words: int, scale: bool, unit: str = ""
) -> str:
    """Say what is done to a column that is kept."""
    fill = "a level of their own" if kind == "category" else "the median"
    steps = ["turned into days"] * (kind == "date")
    steps += [f"numbers in {unit}"] * bool(unit)
    steps += [f"{n_words} words taken for missing"] * (n_words > 0)
    steps += [f"{n_missing} missing set to {fill}"] * (n_missing > 0)
    if kind == "category":
        steps.append("one-hot")
    elif scale:
        steps.append("standardised")
    return ", ".join(steps) or "used as it is"


def _category_steps() -> Any:
    return make_pipeline(
        SimpleImputer(strategy="constant", fill_value=EMPTY),
        OneHotEncoder(
            handle_unknown="infrequent_if_exist",
            min_frequency=RARE,
            max_categories=MOST_CATEGORIES,
            sparse_output=False,
        ),
    )
