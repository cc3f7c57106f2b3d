"""Features from the columns of a table: numbers, dates and categories, with gaps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from fuzzypairs._typing import Floats, Mask
from fuzzypairs.spaces.moments import Moments
from fuzzypairs.tables.column_features import Levels, Scaling, moments_of
from fuzzypairs.tables.columns import (
    Column,
    Content,
    Kind,
    as_text,
    listed,
    recognise,
    values_of,
)
from fuzzypairs.tables.dates import Order
from fuzzypairs.tables.usefulness import (
    MOST_CATEGORIES,
    RARE,
    always_useless,
    why_useless,
)
from fuzzypairs.validation import suggest

__all__ = ["ColumnRecord", "Preparation", "Summary"]

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

    def values(self, table: "pd.DataFrame") -> Column:
        """Return the values of the column as the fit read them: floats or text."""
        return values_of(table[self.name], self.kind, self.unit or self.date_format)


@dataclass(frozen=True, eq=False)
class Summary:
    """What a preparation needs to know of rows: of a table, or of blocks of one.

    Attributes
    ----------
    n_rows : int
    sample : DataFrame of shape (n_sampled, n_columns)
        Rows by which kinds of columns, categories and medians are found.
    n_head : int
        How many of the first sampled rows follow each other.
    moments : mapping of str to Moments
        Of all rows, for columns of numbers.
    """

    n_rows: int
    sample: "pd.DataFrame"
    n_head: int
    moments: Mapping[str, Moments]

    @classmethod
    def of(cls, frame: "pd.DataFrame", sampled: Any = None, n_head: int = 0) -> Self:
        """Summarise rows, of which those at `sampled` are kept; None keeps all."""
        numbers = frame.select_dtypes("number", exclude="timedelta")
        moments = {str(name): moments_of(numbers[name]) for name in numbers}
        if sampled is None:
            return cls(len(frame), frame, len(frame), moments)
        return cls(len(frame), frame.iloc[sampled], n_head, moments)

    @classmethod
    def joined(cls, parts: Sequence["Summary"]) -> "Summary":
        """Join the summaries of blocks, in their order."""
        first = parts[0]
        moments = {}
        for name in first.moments:
            if all(name in part.moments for part in parts):
                moments[name] = reduce(Moments.joined, (p.moments[name] for p in parts))
        sample = pd.concat([part.sample for part in parts], ignore_index=True)
        n_rows = sum(part.n_rows for part in parts)
        n_head = n_rows if len(sample) == n_rows else first.n_head
        return cls(n_rows, sample, n_head, moments)

    def without(self, names: Sequence[str | None]) -> "Summary":
        """Leave out columns."""
        kept = [name for name in self.sample if name not in names]
        return replace(self, sample=self.sample[kept])


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
    encoders_ : dict of str to Scaling or Levels
        What makes the features of each column that is used, in their order.
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
        """
        return self.fit_summary(Summary.of(X))

    def fit_summary(self, summary: Summary) -> Self:
        """Decide what to do with each column of a table that was read in blocks.

        Kinds of columns, categories and medians are those of the sampled rows; means
        and deviations of columns of numbers are those of all rows.
        """
        frame = summary.without([self.id_column]).sample
        contents = self._contents(frame)
        told = {*self.category, *self.number, *self.date}
        dropped = {
            name: always_useless(values, kind)
            if name in told
            else why_useless(values, kind, summary.n_head)
            for name, (kind, _, values) in contents.items()
        }
        kept = [name for name in contents if not dropped[name]]
        if not kept:
            name = next(iter(contents))
            raise ValueError(
                f"no column is left to cluster by: {name!r} was {dropped[name]}"
            )
        kept.sort(key=lambda name: contents[name].kind == "category")
        moments = {
            name: (summary.n_rows, summary.moments[name])
            if name in summary.moments
            else (len(frame), moments_of(values))
            for name, (kind, _, values) in contents.items()
            if kind != "category"
        }
        self.encoders_: dict[str, Scaling | Levels] = {}
        first, n_features = {}, 0
        for name in kept:
            values = contents[name].values
            self.encoders_[name] = (
                Scaling.of(values, *moments[name], self.scale)
                if name in moments
                else Levels.of(values)
            )
            first[name] = n_features
            n_features += len(self.encoders_[name].names)
        records = []
        for name, (kind, form, values) in contents.items():
            n_missing = int(values.isna().sum())
            n_words = n_missing - int(frame[name].isna().sum())
            if name in moments:
                n_missing = int(moments[name][0] - moments[name][1].mass)
            unit = form if kind == "number" else ""
            records.append(
                ColumnRecord(
                    name,
                    kind,
                    n_missing,
                    len(self.encoders_[name].names) if name in first else 0,
                    dropped[name] or self._treatment(kind, n_missing, n_words, unit),
                    "" if unit else form,
                    first.get(name, -1),
                    unit,
                )
            )
        self.columns_ = tuple(records)
        self.feature_names_in_ = np.array(list(contents), dtype=object)
        self.n_features_in_ = len(contents)
        whole = np.flatnonzero(
            np.all([contents[name].values.notna() for name in kept], axis=0)
        )
        at = np.linspace(0, len(whole) - 1, min(N_DONORS, len(whole))).astype(int)
        self.donors_ = self.read(frame.iloc[whole[at]])[0]
        return self

    def _contents(self, X: "pd.DataFrame") -> dict[str, Content]:
        """Return what each column holds, with its values."""
        told: dict[str, Kind] = dict.fromkeys(self.category, "category")
        told.update(dict.fromkeys(self.number, "number"))
        told.update(dict.fromkeys(self.date, "date"))
        for name in told:
            if name not in X:
                raise ValueError(
                    f"there is no column {name!r}{suggest(name, X.columns)}; there are "
                    f"{listed(X.columns)} (--{told[name]})"
                )
        found = {n: recognise(X[n], told.get(n), self.date_order) for n in map(str, X)}
        # One order serves all dates of a table that are written alike.
        dates = {n: c.form for n, c in found.items() if c.kind == "date"}
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
                found[name] = recognise(X[name], None, order)
        for name in self.category:
            counts = found[name].values.value_counts()
            # All of them would share the one feature of rare categories.
            if len(counts) > MOST_CATEGORIES and counts.max() < max(2, RARE * len(X)):
                raise ValueError(
                    f"column {name!r} is to be categories, but none of its "
                    f"{len(counts)} different values is frequent: expected values that "
                    "repeat; --text is for texts"
                )
        asked = {"number": "numbers", "date": "a date, such as 2024-12-31,"}
        for name in (*self.number, *self.date):
            kind, _, values = found[name]
            if kind != told[name] or values.isna().all():
                raise ValueError(
                    f"column {name!r} is to be {asked[told[name]]} but holds "
                    f"{X[name].dropna().iloc[:1].tolist()}"
                )
        return found

    def _treatment(self, kind: Kind, n_missing: int, n_words: int, unit: str) -> str:
        """Say what is done to a column that is kept."""
        fill = "a level of their own" if kind == "category" else "the median"
        steps = ["turned into days"] * (kind == "date")
        steps += [f"numbers in {unit}"] * bool(unit)
        steps += [f"{n_words} words taken for missing"] * (n_words > 0)
        steps += [f"{n_missing} missing set to {fill}"] * (n_missing > 0)
        if kind == "category":
            steps.append("one-hot")
        elif self.scale:
            steps.append("standardised")
        return ", ".join(steps) or "used as it is"

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
        return self.read(X)[0]

    def read(self, X: "pd.DataFrame", dtype: Any = np.float64) -> tuple[Floats, Mask]:
        """Return the features of rows, and which of their values are known.

        Parameters
        ----------
        X : DataFrame of shape (n_samples, n_columns)
        dtype : dtype, default=float64
            Of the features.

        Returns
        -------
        features : ndarray of shape (n_samples, n_features)
        known : ndarray of shape (n_samples, n_used), bool
            By columns that are used, in the order of their features.
        """
        used = self.used
        if missing := [column.name for column in used if column.name not in X]:
            raise ValueError(
                f"column {missing[0]!r} is missing{suggest(missing[0], X.columns)}; "
                f"there are {listed(X.columns)}"
            )
        features = np.empty((len(X), sum(c.n_features for c in used)), dtype=dtype)
        known = np.empty((len(X), len(used)), dtype=bool)
        for n, column in enumerate(used):
            values = column.values(X)
            known[:, n] = values.notna()
            end = column.first_feature + column.n_features
            made = self.encoders_[column.name].encode(values)
            features[:, column.first_feature : end] = made
        return features, known

    @property
    def used(self) -> list[ColumnRecord]:
        """The columns that features are made of, in the order of these."""
        check_is_fitted(self)
        by_name = {column.name: column for column in self.columns_}
        return [by_name[name] for name in self.encoders_]

    def known_features(self, known: Mask) -> Mask:
        """Return by features what `read` tells by columns.

        A missing category is known where the fit saw missing ones too: it is a level
        like others then.
        """
        used = self.used
        is_level = [c.kind == "category" and c.n_missing > 0 for c in used]
        return np.repeat(known | is_level, [c.n_features for c in used], axis=1)

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
            Only columns that have some, in the order of their features.

        Examples
        --------
        >>> import pandas as pd
        >>> from fuzzypairs.tables.features import Preparation
        >>> frame = pd.DataFrame({"soil": ["clay", "sand"], "acid": [1.5, 2.5]})
        >>> new = pd.DataFrame({"soil": ["sand", "peat"], "acid": ["3.5", "rotary"]})
        >>> Preparation().fit(frame).unseen(new)
        {'acid': ['rotary'], 'soil': ['peat']}
        """
        new = {}
        for column in self.used:
            values = column.values(X)
            encoder = self.encoders_[column.name]
            if isinstance(encoder, Levels):
                words = set(values.dropna()).difference(encoder.frequent, encoder.rare)
            else:
                words = set(as_text(X[column.name][values.isna()]).dropna())
            if words:
                new[column.name] = sorted(words)
        return new

    def get_feature_names_out(self, input_features: object = None) -> NDArray[Any]:
        """Return the names of the features, shape (n_features,).

        Parameters
        ----------
        input_features : ignored
            Columns are known by their names.
        """
        check_is_fitted(self)
        names = (n + end for n, made in self.encoders_.items() for end in made.names)
        return np.array(list(names), dtype=object)

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "transformer_" in state:
            raise ValueError("its preparation of columns is of an earlier format")
        super().__setstate__(state)
