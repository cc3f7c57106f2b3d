"""Columns of a table: what they hold, and their values as numbers, days or text.

Rows are counted from 0 in all messages, as they are in files of judgements.
"""

import re
from collections.abc import Iterable
from typing import Any, Literal

import numpy as np
import pandas as pd
from pandas.api import types

Column = pd.Series  # of any type
Kind = Literal["number", "date", "category"]

# In a column with at least this share of numbers, text is a mistake, not a category.
MOSTLY_NUMBERS = 0.9
# Squared distances of larger numbers leave the range of float64.
LARGEST = 1e150
DATE = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}.*)?")
# What pandas calls the contents of columns of Python objects.
NUMBERS = {"integer", "floating", "decimal", "mixed-integer-float"}
DATES = {"datetime", "datetime64", "date"}
# How files spell what Python calls True and False.
BOOLEANS = {"true": "True", "TRUE": "True", "false": "False", "FALSE": "False"}
# Values with one plain spelling, which can be categories.
SCALARS = str | bool | np.bool_ | int | float


def kind_of(column: Column) -> Kind:
    """Return what a column holds. Numbers and ISO dates may be given as text."""
    inferred = types.infer_dtype(column, skipna=True)
    if types.is_datetime64_any_dtype(column) or inferred in DATES:
        return "date"
    is_numeric = types.is_numeric_dtype(column) and not types.is_bool_dtype(column)
    is_duration = types.is_timedelta64_dtype(column)
    if is_numeric or is_duration or inferred in NUMBERS or column.isna().all():
        return "number"
    odd = column.notna() & ~column.map(lambda value: isinstance(value, SCALARS))
    _refuse_first(column, odd, "expected numbers, text or dates; drop the column")
    return "category" if inferred == "boolean" else _kind_of_text(column)


def as_text(column: Column) -> Column:
    """Return values as text, whole numbers without a decimal point; NaN if missing."""
    words = [
        np.nan if missing else _spell(value)
        for value, missing in zip(column.astype(object), column.isna(), strict=True)
    ]
    return pd.Series(words, index=column.index, name=column.name, dtype=object)


def as_categories(column: Column) -> Column:
    """Return values as text, with one spelling of true and false for all formats."""
    return as_text(column).replace(BOOLEANS)


def as_numbers(column: Column) -> Column:
    """Return values as float64, NaN where missing."""
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
    """Return dates as days since 1970, NaN where missing."""
    dates = _dates(column)
    _refuse_first(column, dates.isna() & column.notna(), "expected dates as 2024-12-31")
    return (dates - pd.Timestamp(0, tz="UTC")) / pd.Timedelta(days=1)


CONVERT = {"number": as_numbers, "date": as_days, "category": as_categories}


def listed(names: Iterable[object]) -> str:
    """Return the first ten names, quoted, for a message."""
    quoted = [repr(str(name)) for name in names]
    return ", ".join(quoted[:10] + ["..."] * (len(quoted) > 10))


def _kind_of_text(column: Column) -> Kind:
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


def _spell(value: object) -> str:
    whole = isinstance(value, float) and value.is_integer()
    return f"{value:.0f}" if whole else str(value)


def _dates(column: Column) -> Column:
    """Return dates with a time zone, NaT where there is none."""
    return pd.to_datetime(column, format="ISO8601", utc=True, errors="coerce")


def _refuse_first(column: Column, wrong: Any, expected: str) -> None:
    """Raise an error about the first value that is wrong, if there is one."""
    if np.any(wrong):
        row = int(np.argmax(wrong))
        value = column.astype(object).iloc[row]
        raise ValueError(
            f"column {column.name!r} holds {value!r:.60} in row {row}: {expected}"
        )
