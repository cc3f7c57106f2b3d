"""Columns of a table: what they hold, and their values as numbers, days or text."""

from collections import Counter
from collections.abc import Iterable
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api import types

from fuzzypairs._typing import Floats, Ints
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


class Content(NamedTuple):
    """What a column holds.

    Attributes
    ----------
    kind : {"number", "date", "category"}
    form : str
        The format of dates or the unit of numbers. ``"?"`` and a separator if day and
        month cannot be told apart.
    values : Series
        Numbers, days since 1970 or text; NaN where missing.
    """

    kind: Kind
    form: str
    values: Column


def recognise(
    column: Column, told: Kind | None = None, order: Order | None = None
) -> Content:
    """Find out what a column holds, and read it.

    Numbers and dates may be given as text. A few words among numbers do not count.

    Parameters
    ----------
    column : Series
    told : {"number", "date", "category"}, default=None
        What it holds by the user's word.
    order : {"dmy", "mdy"}, default=None
        The order of day and month in dates whose values do not tell.

    Returns
    -------
    content : Content
        If the column is to be a date and is none, of another kind.
    """
    if told == "category":
        return Content(told, "", as_categories(column))
    if told != "number":
        inferred = types.infer_dtype(column, skipna=True)
        if types.is_datetime64_any_dtype(column) or inferred in DATES:
            return Content("date", "iso", as_days(column))
        if inferred == "boolean" and column.notna().any():
            return Content("category", "", as_categories(column))
        if inferred in NUMBERS or column.isna().all():
            return Content("number", "", as_numbers(column))
        if inferred != "string" and not _is_numeric(column):
            odd = column.notna() & ~column.map(lambda value: isinstance(value, SCALARS))
            expected = "expected numbers, text or dates; drop the column"
            _refuse_first(column, odd, expected)
    if _is_numeric(column):
        return Content("number", "", as_numbers(column))
    words = _Words(column)
    if told is None or told == "date":
        if words.share(words.plain) >= MOSTLY_NUMBERS:
            return Content("number", "", words.read_numbers(words.unit))
        if form := find_format(words.known, order):
            days = column if form[0] == "?" else as_days(column, form)
            return Content("date", form, days)
    is_number = words.share(words.numbers_in(words.unit)) >= MOSTLY_NUMBERS
    if told == "number" or is_number:
        return Content("number", words.unit, words.read_numbers(words.unit))
    return Content("category", "", as_categories(column))


def values_of(column: Column, kind: Kind, form: str) -> Column:
    """Return the values of a column as a fit read them: floats or text."""
    if kind == "category":
        return as_categories(column)
    return as_days(column, form) if kind == "date" else as_numbers(column, form)


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


def as_categories(column: Column) -> Column:
    """Return values as text, with one spelling of true and false for all formats."""
    words = _Words(column)
    return words.spread([BOOLEANS.get(word, word) for word in words.known], object)


def as_numbers(column: Column, unit: str = "") -> Column:
    """Return values as float64, NaN where missing, a word, or of another unit.

    A number without a unit is one of the unit that others have.
    """
    if types.is_timedelta64_dtype(column):
        days: Column = column.dt.total_seconds() / 86400
        return days
    if not _is_numeric(column):
        return _Words(column).read_numbers(unit)
    values = column.to_numpy(np.float64, na_value=np.nan)
    numbers = pd.Series(values, index=column.index, name=column.name)
    _refuse_large(column, numbers)
    return numbers


def as_days(column: Column, form: str = "iso") -> Column:
    """Return dates as days since 1970, NaN where missing."""
    dates = parse_dates(column, form or "iso")
    example = "2024-12-31" if form in ("", "iso") else f"2024-12-31 or in {form}"
    _refuse_first(column, dates.isna() & column.notna(), f"expected dates as {example}")
    days: Column = (dates - pd.Timestamp(0, tz="UTC")) / pd.Timedelta(days=1)
    return days


def listed(names: Iterable[object]) -> str:
    """Return the first ten names, quoted, for a message."""
    quoted = [repr(str(name)) for name in names]
    return ", ".join(quoted[:10] + ["..."] * (len(quoted) > 10))


class _Words:
    """The different words of a column, each of which is read once."""

    def __init__(self, column: Column) -> None:
        is_text = isinstance(column.dtype, pd.StringDtype)
        self.column = column
        self.codes: Ints
        self.codes, words = pd.factorize(column if is_text else as_text(column))
        self.known = pd.Series(words, dtype=object).str.strip()
        self.counts = np.bincount(self.codes[self.codes >= 0], minlength=len(words))

    @cached_property
    def plain(self) -> Floats:
        """The words as numbers, NaN where they are not as Python writes them."""
        numbers = pd.to_numeric(self.known, errors="coerce")
        return np.asarray(numbers.to_numpy(np.float64))

    @cached_property
    def numbers_and_units(self) -> tuple[Floats, NDArray[np.object_]]:
        """The words as numbers and units, NaN where they are none."""
        numbers, units = self.plain.copy(), np.full(len(self.known), "", dtype=object)
        words = self.known.tolist()
        for n in np.flatnonzero(np.isnan(numbers)):
            if found := number_in(words[n]):
                numbers[n], units[n] = found
        return numbers, units

    @cached_property
    def unit(self) -> str:
        """The unit of the numbers, such as € and kg; empty if few of them have it."""
        found: Counter[str] = Counter()
        for unit, count in zip(self.numbers_and_units[1], self.counts, strict=True):
            found[unit] += count
        del found[""]
        [(unit, count)] = found.most_common(1) or [("", 0)]
        return unit if count > (1 - MOSTLY_NUMBERS) * self.counts.sum() else ""

    def numbers_in(self, unit: str) -> Floats:
        """Return the words as numbers, NaN where they have another unit."""
        numbers, units = self.numbers_and_units
        return np.where((units == "") | (units == unit), numbers, np.nan)

    def share(self, numbers: Floats) -> float:
        """Return the share of the values that are numbers."""
        return float(self.counts[~np.isnan(numbers)].sum() / self.counts.sum())

    def spread(self, read: Any, dtype: Any = np.float64) -> Column:
        """Return the column with each word replaced by what it was read as."""
        values = np.append(np.asarray(read, dtype=dtype), np.nan)[self.codes]
        given = self.column
        spread: Column = pd.Series(values, given.index, dtype, name=given.name)
        return spread

    def read_numbers(self, unit: str) -> Column:
        """Return the column as numbers of a unit."""
        numbers = self.spread(self.numbers_in(unit))
        _refuse_large(self.column, numbers)
        return numbers


def _is_numeric(column: Column) -> bool:
    """Tell whether values are numbers, durations or booleans, not text."""
    return (
        types.is_numeric_dtype(column)
        or types.is_timedelta64_dtype(column)
        or types.infer_dtype(column, skipna=True) in {*NUMBERS, "boolean"}
    )


def _spell(value: object) -> str:
    whole = isinstance(value, float) and value.is_integer()
    return f"{value:.0f}" if whole else str(value).strip()


def _refuse_large(column: Column, numbers: Column) -> None:
    limit = f"expected numbers up to {LARGEST:g}"
    _refuse_first(column, numbers.abs() > LARGEST, limit)


def _refuse_first(column: Column, wrong: Any, expected: str) -> None:
    """Raise an error about the first value that is wrong, if there is one."""
    if np.any(wrong):
        row = int(np.argmax(wrong))
        value = column.astype(object).iloc[row]
        raise ColumnError(
            f"column {column.name!r} holds {value!r:.60}", row, f": {expected}"
        )
