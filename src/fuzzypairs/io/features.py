"""Features from a user's columns: numbers, dates, words, with gaps in them.

Rows are counted from 0 in all messages, as they are in files of judgements.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api import types
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils.validation import check_is_fitted

from fuzzypairs._typing import Floats

__all__ = ["ColumnRecord", "Preparation"]

Column = pd.Series  # of whatever a user's file holds
Kind = Literal["number", "date", "category"]

# A column of words becomes at most so many features; rarer words share the last one.
MOST_CATEGORIES = 20
# A word in a smaller share of the rows is rare.
RARE = 0.01
# Words among at least this share of numbers are taken for slips, not for categories.
MOSTLY_NUMBERS = 0.9
# Squared distances of larger numbers leave the range of float64.
LARGEST = 1e150
# What pandas calls a column whose head is empty: a saved index, as a rule.
UNNAMED = re.compile(r"Unnamed: \d+")
DATE = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}.*)?")
# How pandas names what columns of Python objects hold.
NUMBERS = {"integer", "floating", "decimal", "mixed-integer-float"}
DATES = {"datetime", "datetime64", "date"}
# How files spell what Python calls True and False.
BOOLEANS = {"true": "True", "TRUE": "True", "false": "False", "FALSE": "False"}
# What has one plain spelling, and so can be a category.
SCALARS = str | bool | np.bool_ | int | float


@dataclass(frozen=True)
class ColumnRecord:
    """What became of one column.

    Attributes
    ----------
    name : str
        Of the column.
    kind : {"number", "date", "category"}
        What it holds.
    n_missing : int
        Values that were missing.
    n_features : int
        Features that were made of it; 0 if it was dropped.
    treatment : str
        What was done, in words.

    Examples
    --------
    >>> from fuzzypairs.io.features import ColumnRecord
    >>> ColumnRecord("acid", "number", 0, 1, "standardised").treatment
    'standardised'
    """

    name: str
    kind: Kind
    n_missing: int
    n_features: int
    treatment: str


class Preparation(TransformerMixin, BaseEstimator):
    """Numbers from columns of every kind, and a record of what was done.

    Numbers: a missing one becomes the median, and columns are standardised. Dates:
    the same with days since 1970. Words, and true or false: a missing one becomes the
    most frequent, and there is a feature of 0 and 1 for each. Columns that tell
    nothing are dropped: those of a single value, of none, of words that hardly repeat,
    and those without a name.

    Parameters
    ----------
    scale : bool, default=True
        Whether to scale numbers to mean 0 and standard deviation 1.
    id_column : str, default=None
        The column that names the rows, which is never a feature.

    Attributes
    ----------
    columns_ : tuple of ColumnRecord
        What became of each column.
    transformer_ : ColumnTransformer
        What makes the features, from columns of floats and words.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    Notes
    -----
    Words in less than 1 % of the rows, and all beyond the 19 most frequent ones,
    share a feature. Words that can be read as numbers, or as dates in ISO 8601, count
    as these, so that one table gives the same features from every file format.

    Examples
    --------
    >>> import pandas as pd
    >>> from fuzzypairs.io.features import Preparation
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
    year: dropped, all values are the same
    """

    def __init__(self, *, scale: bool = True, id_column: str | None = None) -> None:
        self.scale = scale
        self.id_column = id_column

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
        kinds = {str(name): _kind(X[name]) for name in X if name != self.id_column}
        plain = {name: CONFORM[kind](X[name]) for name, kind in kinds.items()}
        useless = {name: _uselessness(plain[name], kinds[name]) for name in plain}
        kept = [name for name in plain if not useless[name]]
        if not kept:
            name = next(iter(plain))
            raise ValueError(
                f"no column is left to cluster by: {name!r} was {useless[name]}"
            )
        numbers = [name for name in kept if kinds[name] != "category"]
        words = [name for name in kept if kinds[name] == "category"]
        self.transformer_ = ColumnTransformer(
            [
                ("numbers", _number_steps(self.scale), numbers),
                ("words", _word_steps(), words),
            ],
            sparse_threshold=0.0,
        ).fit(pd.DataFrame(plain)[kept])
        self.feature_names_in_ = np.array(list(plain), dtype=object)
        self.n_features_in_ = len(plain)
        widths = dict.fromkeys(numbers, 1)
        if words:
            encoder = self.transformer_.named_transformers_["words"][-1]
            found = zip(
                words, encoder.categories_, encoder.infrequent_categories_, strict=True
            )
            for name, every, rare in found:
                widths[name] = len(every) - (0 if rare is None else len(rare) - 1)
        self.columns_ = tuple(
            ColumnRecord(
                name,
                kinds[name],
                n_missing := int(column.isna().sum()),
                widths.get(name, 0),
                useless[name] or _treatment(kinds[name], n_missing, self.scale),
            )
            for name, column in plain.items()
        )
        return self

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
        check_is_fitted(self)
        plain = {}
        for column in self.columns_:
            if not column.n_features:
                continue
            if column.name not in X:
                raise ValueError(
                    f"column {column.name!r} is missing; there are {listed(X.columns)}"
                )
            plain[column.name] = CONFORM[column.kind](X[column.name])
        made: Floats = self.transformer_.transform(pd.DataFrame(plain))
        return made

    def unseen(self, X: "pd.DataFrame") -> dict[str, list[str]]:
        """Return the words of new rows that the fit never met, by column.

        They count as rare words where there are any, and as no word elsewhere.

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
        >>> from fuzzypairs.io.features import Preparation
        >>> model = Preparation().fit(pd.DataFrame({"soil": ["clay", "sand"]}))
        >>> model.unseen(pd.DataFrame({"soil": ["sand", "peat"]}))
        {'soil': ['peat']}
        """
        check_is_fitted(self)
        _, steps, names = self.transformer_.transformers_[1]
        known = zip(names, steps[-1].categories_ if len(names) else (), strict=True)
        new = {
            name: sorted(set(as_words(X[name]).dropna()) - set(words))
            for name, words in known
        }
        return {name: words for name, words in new.items() if words}

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


def as_text(column: Column) -> Column:
    """Return values as text, whole numbers without a decimal point; NaN if missing.

    Examples
    --------
    >>> as_text(pd.Series([7.0, True, "7", None], dtype=object)).tolist()
    ['7', 'True', '7', nan]
    """
    words = [
        np.nan if missing else _spell(value)
        for value, missing in zip(column.astype(object), column.isna(), strict=True)
    ]
    return pd.Series(words, index=column.index, name=column.name, dtype=object)


def as_numbers(column: Column) -> Column:
    """Return values as float64, NaN where missing.

    Examples
    --------
    >>> as_numbers(pd.Series(["1.5", None, "2"], name="acid")).tolist()
    [1.5, nan, 2.0]
    """
    if types.is_timedelta64_dtype(column):
        days: Column = column.dt.total_seconds() / 86400
        return days
    values = column.astype(object)
    numbers = pd.to_numeric(values, errors="coerce").astype(np.float64)
    _refuse_first(column, numbers.isna() & column.notna(), "expected numbers")
    limit = f"expected numbers up to {LARGEST:g}"
    _refuse_first(column, numbers.abs() > LARGEST, limit)
    return numbers


def as_days(column: Column) -> Column:
    """Return dates as days since 1970, NaN where missing.

    Examples
    --------
    >>> as_days(pd.Series(["1970-01-02", None, "1970-01-01T12:00"])).tolist()
    [1.0, nan, 0.5]
    """
    dates = _dates(column)
    _refuse_first(column, dates.isna() & column.notna(), "expected dates as 2024-12-31")
    return (dates - pd.Timestamp(0, tz="UTC")) / pd.Timedelta(days=1)


def listed(names: Iterable[object]) -> str:
    """Return names in a row for a message, the first ten of many.

    Examples
    --------
    >>> listed(["acid", "soil"])
    "'acid', 'soil'"
    """
    quoted = [repr(str(name)) for name in names]
    return ", ".join(quoted[:10] + ["..."] * (len(quoted) > 10))


def as_words(column: Column) -> Column:
    """Return values as text, and true and false in one spelling.

    Columns of these only are read as such from one file, and as text from another.

    Examples
    --------
    >>> as_words(pd.Series([True, "TRUE", "true", "truth"], dtype=object)).tolist()
    ['True', 'True', 'True', 'truth']
    """
    return as_text(column).replace(BOOLEANS)


CONFORM = {"number": as_numbers, "date": as_days, "category": as_words}


def _spell(value: object) -> str:
    whole = isinstance(value, float) and value.is_integer()
    return f"{value:.0f}" if whole else str(value)


def _refuse_first(column: Column, wrong: Any, expected: str) -> None:
    """Name the first value that is wrong, if there is one."""
    if np.any(wrong):
        row = int(np.argmax(wrong))
        value = column.astype(object).iloc[row]
        raise ValueError(
            f"column {column.name!r} holds {value!r:.60} in row {row}: {expected}"
        )


def _dates(column: Column) -> Column:
    """Return dates with a time zone, NaT where there is none."""
    return pd.to_datetime(column, format="ISO8601", utc=True, errors="coerce")


def _kind(column: Column) -> Kind:
    """Tell what a column holds."""
    known = column.dropna()
    if types.is_datetime64_any_dtype(column):
        return "date"
    if known.empty or types.is_timedelta64_dtype(column):
        return "number"
    if types.is_numeric_dtype(column) and not types.is_bool_dtype(column):
        return "number"
    inferred = types.infer_dtype(known, skipna=True)
    if inferred in NUMBERS:
        return "number"
    if inferred in DATES:
        return "date"
    odd = column.notna() & ~column.map(lambda value: isinstance(value, SCALARS))
    _refuse_first(column, odd, "expected numbers, text or dates; drop the column")
    return "category" if inferred == "boolean" else _kind_of_words(column)


def _kind_of_words(column: Column) -> Kind:
    """Tell whether words are numbers or dates in truth."""
    known = column.notna()
    words = as_text(column)
    numeric = pd.to_numeric(words, errors="coerce").notna()
    share = numeric.sum() / known.sum()
    if share == 1:
        return "number"
    if share >= MOSTLY_NUMBERS:
        _refuse_first(column, known & ~numeric, "other rows hold numbers; correct it")
    shaped = words[known].map(lambda word: DATE.fullmatch(word) is not None)
    return "date" if shaped.all() and _dates(words[known]).notna().all() else "category"


def _uselessness(column: Column, kind: Kind) -> str:
    """Say why a column was dropped; nothing if it is of use."""
    n_distinct = column.nunique()
    if UNNAMED.fullmatch(str(column.name)):
        return "dropped, it has no name"
    if n_distinct < 2:
        what = "the same" if n_distinct else "missing"
        return f"dropped, all values are {what}"
    if kind == "category":
        if n_distinct == column.count() > MOST_CATEGORIES:
            return "dropped, all values are different"
        if column.value_counts().max() < RARE * len(column):
            return "dropped, no value is frequent"
    return ""


def _treatment(kind: Kind, n_missing: int, scale: bool) -> str:
    """Say what was done to a column that was kept."""
    fill = "the most frequent value" if kind == "category" else "the median"
    steps = ["turned into days"] * (kind == "date")
    steps += [f"{n_missing} missing set to {fill}"] * (n_missing > 0)
    if kind == "category":
        steps.append("one-hot")
    elif scale:
        steps.append("standardised")
    return ", ".join(steps) or "used as it is"


def _number_steps(scale: bool) -> Any:
    impute = SimpleImputer(strategy="median")
    return make_pipeline(impute, StandardScaler()) if scale else make_pipeline(impute)


def _word_steps() -> Any:
    return make_pipeline(
        SimpleImputer(strategy="most_frequent"),
        OneHotEncoder(
            handle_unknown="infrequent_if_exist",
            min_frequency=RARE,
            max_categories=MOST_CATEGORIES,
            sparse_output=False,
        ),
    )
