"""Which columns say nothing of what a row is like: ids, running numbers, free text."""

import re

import numpy as np

from fuzzypairs.tables.columns import Column, Kind

__all__ = ["MOST_CATEGORIES", "RARE", "why_useless"]

# A categorical column becomes at most this many features; rarer ones share the last.
MOST_CATEGORIES = 20
# A category in a smaller share of the rows is rare.
RARE = 0.01
# A column with a larger share of missing values is left out.
MOSTLY_EMPTY = 0.5
# The least share of steps of one in a running number: it may restart in groups, such
# as the specimens of a species, but hours of a day and days of a month are no such.
STEPS_OF_ONE = 0.98
# Columns of fewer rows are too short to call their values running numbers or ids.
FEWEST_ROWS = 20
# The average number of words from which text is free text.
WORDS_OF_A_TEXT = 3
# How pandas names a column without a name, as a rule a saved index.
UNNAMED = re.compile(r"Unnamed: \d+")
NAMES_OF_IDS = re.compile(
    r"(?i)(.*[\W_])?(id|ids|nr|no|num|number|key|uuid|guid|index|ticket|row|rowid)\W?"
    r"|.*[a-z]I[dD]"
)


def why_useless(column: Column, kind: Kind, n_head: int | None = None) -> str:
    """Say why a column is left out; nothing if it is not.

    Parameters
    ----------
    column : Series of float64 or str, NaN where missing
    kind : {"number", "date", "category"}
    n_head : int, default=None
        How many of the first rows follow each other in the table; None if all do.

    Examples
    --------
    >>> import pandas as pd
    >>> why_useless(pd.Series([3.0, 3.0, 3.0]), "number")
    'left out, all values are the same'
    """
    n_distinct, n_known, n_rows = column.nunique(), column.count(), len(column)
    if UNNAMED.fullmatch(str(column.name)):
        return "left out, it has no name"
    if not n_known:
        return "left out, all values are missing"
    if n_distinct < 2 and (kind != "category" or n_known == n_rows):
        return "left out, all values are the same"
    if n_known < (1 - MOSTLY_EMPTY) * n_rows:
        share = 100 * (1 - n_known / n_rows)
        return f"left out, {share:.0f} % of its values are missing"
    if kind == "category":
        return _why_no_category(column, n_distinct, n_known)
    if kind == "number" and _numbers_rows(column.iloc[:n_head]):
        return "left out, it numbers the rows"
    if kind == "number" and NAMES_OF_IDS.fullmatch(str(column.name)):
        is_whole = not (column.dropna() % 1).any()
        if is_whole and n_known >= FEWEST_ROWS and n_distinct > 0.9 * n_known:
            return "left out, it is called and varies like an id"
    return ""


def always_useless(column: Column, kind: Kind) -> str:
    """Say why even a column that a user names cannot be a feature."""
    n_distinct = column.nunique() + (kind == "category" and column.isna().any())
    return "" if n_distinct > 1 else "left out, all values are the same"


def _why_no_category(column: Column, n_distinct: int, n_known: int) -> str:
    if n_distinct <= MOST_CATEGORIES:
        return ""
    known = column.dropna()
    if n_distinct > n_known / 2:
        words = np.mean([len(text.split()) for text in known])
        if words >= WORDS_OF_A_TEXT:
            return "left out, it is free text"
        if n_distinct == n_known:
            return "left out, all values are different, as in names and ids"
        return "left out, most values are different, as in names and ids"
    if known.value_counts().max() < RARE * len(column):
        return "left out, no value is frequent"
    return ""


def _numbers_rows(column: Column) -> bool:
    """Tell whether whole numbers count the rows, in whatever order or by groups."""
    known = column.dropna().to_numpy()
    if len(known) < FEWEST_ROWS or (known % 1 != 0).any():
        return False
    if (np.abs(np.diff(known)) == 1).mean() >= STEPS_OF_ONE:
        return True
    return np.ptp(known) == len(known) - 1 and len(np.unique(known)) == len(known)
