"""Columns of a table: what they hold, and their values as numbers, days or text."""

from collections import Counter
from collections.abc import Iterable
from typing import Any, Literal

import numpy as np
import pandas as pd
from pandas.api import types

from fuzzypairs.tables.dates import Order, find_format, parse_dates
from fuzzypairs.tables.numbers import number_in

Column = pd.Series  # of any type
Kind = Literal["number", "date", "category"]

# In a column with at least this share of numbers, words are missing values.
MOSTLY_NUMBERS = 0.9
# Squared distances of larger numbers leave the range of float64.
LARGEST = 1e150
# What pandas calls the contents of columns of Python objects.
NUMBERS = {"integer", "floating", "decimal", "mixed-integer-float"}
DATES = {"datetime", "datetime64", "date"}
# How files spell what Python calls True and False.
BOOLEANS = {"true": "True", "TRUE": "True", "false": "False", "FALSE": "False"}
# Values with one plain spelling, which can be categories.
SCALARS = str | bool | np.bool_ | int | float


class ColumnError(ValueError):
    """A value that cannot be used; `worded` says where it is, as its file counts."""

    def __init__(self, before: str, row: int, after: str) -> None:
        self.before, self.row, self.after = before, row, after
        super().__init__(self.worded(f"row {row}"))

    def worded(self, place: str) -> str:
        """Return the message with another place than the row counted from 0."""
        return f"{self.before} in {place}{self.after}"


def kind_of(column: Column, order: Order | None = None) -> tuple[Kind, str]:
    """Return what a column holds, and the format of dates or the unit of numbers.

    Numbers and dates may be given as text. A few words among numbers do not count.
    """
    inferred = types.infer_dtype(column, skipna=True)
    if types.is_datetime64_any_dtype(column) or inferred in DATES:
        return "date", "iso"
    is_numeric = types.is_numeric_dtype(column) and not types.is_bool_dtype(column)
    is_duration = types.is_timedelta64_dtype(column)
    if is_numeric or is_duration or inferred in NUMBERS or column.isna().all():
        return "number", ""
    if inferred not in ("string", "boolean"):
        odd = column.notna() & ~column.map(lambda value: isinstance(value, SCALARS))
        _refuse_first(column, odd, "expected numbers, text or dates; drop the column")
    return ("category", "") if inferred == "boolean" else _kind_of_text(column, order)


def _kind_of_text(column: Column, order: Order | None) -> tuple[Kind, str]:
    known = as_text(column).dropna()
    if pd.to_numeric(known, errors="coerce").notna().mean() >= MOSTLY_NUMBERS:
        return "number", ""
    if form := find_format(pd.Series(known.unique(), dtype=object), order):
        return "date", form
    unit = unit_of(known)
    is_number = to_numbers(known, unit).notna().mean() >= MOSTLY_NUMBERS
    return ("number", unit) if is_number else ("category", "")


def unit_of(column: Column) -> str:
    """Return the unit of numbers, such as € and kg; empty if few values have it."""
    counts = Counter(value for value in column if isinstance(value, str))
    found: Counter[str] = Counter()
    for text, count in counts.items():
        if read := number_in(text):
            found[read[1]] += count
    del found[""]
    unit, count = max(found.items(), key=lambda one: one[1], default=("", 0))
    return unit if count > (1 - MOSTLY_NUMBERS) * column.notna().sum() else ""


def as_text(column: Column) -> Column:
    """Return values as text, whole numbers without a decimal point; NaN if missing."""
    if types.infer_dtype(column, skipna=True) == "string":
        plain: Column = column.astype(object).where(column.notna(), np.nan)
        return plain.map(str.strip, na_action="ignore")
    if types.is_integer_dtype(column) and column.notna().all():
        return column.astype(str).astype(object)
    words = [
        np.nan if missing else _spell(value)
        for value, missing in zip(column.astype(object), column.isna(), strict=True)
    ]
    return pd.Series(words, index=column.index, name=column.name, dtype=object)


def as_categories(column: Column, form: str = "") -> Column:
    """Return values as text, with one spelling of true and false for all formats."""
    return as_text(column).replace(BOOLEANS)


def as_numbers(column: Column, unit: str = "") -> Column:
    """Return values as float64, NaN where missing or a word."""
    if types.is_timedelta64_dtype(column):
        days: Column = column.dt.total_seconds() / 86400
        return days
    numbers = to_numbers(column, unit)
    limit = f"expected numbers up to {LARGEST:g}"
    _refuse_first(column, numbers.abs() > LARGEST, limit)
    return numbers


def as_days(column: Column, form: str = "iso") -> Column:
    """Return dates as days since 1970, NaN where missing."""
    dates = parse_dates(column, form or "iso")
    example = "2024-12-31" if form in ("", "iso") else f"2024-12-31 or in {form}"
    _refuse_first(column, dates.isna() & column.notna(), f"expected dates as {example}")
    days: Column = (dates - pd.Timestamp(0, tz="UTC")) / pd.Timedelta(days=1)
    return days


CONVERT = {"number": as_numbers, "date": as_days, "category": as_categories}


def listed(names: Iterable[object]) -> str:
    """Return the first ten names, quoted, for a message."""
    quoted = [repr(str(name)) for name in names]
    return ", ".join(quoted[:10] + ["..."] * (len(quoted) > 10))


def to_numbers(column: Column, unit: str = "") -> Column:
    """Return values as float64, NaN where missing, a word, or of another unit.

    A number without a unit is one of the unit that others have.
    """
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "iuf":
        return column.astype(np.float64)
    values = column.astype(object)
    numbers = pd.to_numeric(values, errors="coerce").astype(np.float64)
    words = {value for value in values[numbers.isna()] if isinstance(value, str)}
    read = {word: number_in(word) for word in words}
    known = {w: one[0] for w, one in read.items() if one and one[1] in ("", unit)}
    if known:
        found = [known.get(v, np.nan) if isinstance(v, str) else np.nan for v in values]
        numbers = numbers.fillna(pd.Series(found, index=numbers.index))
    return numbers


def _spell(value: object) -> str:
    whole = isinstance(value, float) and value.is_integer()
    return f"{value:.0f}" if whole else str(value).strip()


def _refuse_first(column: Column, wrong: Any, expected: str) -> None:
    """Raise an error about the first value that is wrong, if there is one."""
    if np.any(wrong):
        row = int(np.argmax(wrong))
        value = column.astype(object).iloc[row]
        raise ColumnError(
            f"column {column.name!r} holds {value!r:.60}", row, f": {expected}"
        )
