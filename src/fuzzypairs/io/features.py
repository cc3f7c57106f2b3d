"""Features from the columns of a table: numbers, dates and categories, with gaps."""

import re
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

from fuzzypairs._typing import Floats
from fuzzypairs.io.columns import CONVERT, Column, Kind, as_categories, kind_of, listed

__all__ = ["ColumnRecord", "Preparation"]

# A categorical column becomes at most this many features; rarer ones share the last.
MOST_CATEGORIES = 20
# A category in a smaller share of the rows is rare.
RARE = 0.01
# How pandas names a column without a name, as a rule a saved index.
UNNAMED = re.compile(r"Unnamed: \d+")


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
    """

    name: str
    kind: Kind
    n_missing: int
    n_features: int
    treatment: str


class Preparation(TransformerMixin, BaseEstimator):
    """Turn columns of any kind into features, and record what was done.

    Numbers are standardised, missing ones set to the median first. Dates are treated
    likewise, as days since 1970. Categories, true and false among them, are one-hot
    encoded, missing ones set to the most frequent first. Columns are dropped that have
    no name, no values, a single value, or categories that hardly repeat.

    Parameters
    ----------
    scale : bool, default=True
        Whether to scale numbers to mean 0 and standard deviation 1.
    id_column : str, default=None
        The column that names the rows, which is never a feature.

    Attributes
    ----------
    columns_ : tuple of ColumnRecord
        What was done to each column.
    transformer_ : ColumnTransformer
        What makes the features, from columns of floats and text.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    Notes
    -----
    Categories in less than 1 % of the rows, and all but the 19 most frequent ones,
    share a feature. Text that can be read as numbers, or as dates in ISO 8601, is read
    so: a table gives the same features from every file format.

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
        kinds = {str(name): kind_of(X[name]) for name in X if name != self.id_column}
        values = {name: CONVERT[kind](X[name]) for name, kind in kinds.items()}
        dropped = {name: _why_dropped(values[name], kinds[name]) for name in values}
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
                dropped[name] or _treatment(kinds[name], n_missing, self.scale),
            )
            for name, column in values.items()
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
        used = [column for column in self.columns_ if column.n_features]
        if missing := [column.name for column in used if column.name not in X]:
            raise ValueError(
                f"column {missing[0]!r} is missing; there are {listed(X.columns)}"
            )
        values = {c.name: CONVERT[c.kind](X[c.name]) for c in used}
        made: Floats = self.transformer_.transform(pd.DataFrame(values))
        return made

    def unseen(self, X: "pd.DataFrame") -> dict[str, list[str]]:
        """Return the categories of new rows that the fit did not see, by column.

        They count as rare ones where there are any, and as none elsewhere.

        Parameters
        ----------
        X : DataFrame of shape (n_samples, n_columns)

        Returns
        -------
        categories : dict of str to list of str
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
            name: sorted(set(as_categories(X[name]).dropna()) - set(words))
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


def _why_dropped(column: Column, kind: Kind) -> str:
    """Say why a column is dropped; nothing if it is kept."""
    n_distinct = column.nunique()
    if UNNAMED.fullmatch(str(column.name)):
        return "dropped, it has no name"
    if n_distinct < 2:
        return f"dropped, all values are {'the same' if n_distinct else 'missing'}"
    if kind == "category":
        if n_distinct == column.count() > MOST_CATEGORIES:
            return "dropped, all values are different"
        if column.value_counts().max() < RARE * len(column):
            return "dropped, no value is frequent"
    return ""


def _treatment(kind: Kind, n_missing: int, scale: bool) -> str:
    """Say what is done to a column that is kept."""
    fill = "the most frequent value" if kind == "category" else "the median"
    steps = ["turned into days"] * (kind == "date")
    steps += [f"{n_missing} missing set to {fill}"] * (n_missing > 0)
    if kind == "category":
        steps.append("one-hot")
    elif scale:
        steps.append("standardised")
    return ", ".join(steps) or "used as it is"


def _category_steps() -> Any:
    return make_pipeline(
        SimpleImputer(strategy="most_frequent"),
        OneHotEncoder(
            handle_unknown="infrequent_if_exist",
            min_frequency=RARE,
            max_categories=MOST_CATEGORIES,
            sparse_output=False,
        ),
    )
