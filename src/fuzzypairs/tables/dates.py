"""Dates as people write them, and the order of day and month."""

import re
from typing import Any, Literal

import pandas as pd

__all__ = ["Order", "find_format", "parse_dates"]

Order = Literal["dmy", "mdy", "ymd"]
ISO = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}.*)?")
PARTS = re.compile(
    r"(?P<a>\d{1,4})(?P<sep>[-/.])(?P<b>\d{1,2})(?P=sep)(?P<c>\d{4}|\d{1,2})"
    r"(?P<time>[ T]\d{1,2}:\d{2}(:\d{2})?)?"
)
# Formats with names of months, in English.
WORDED = ("%d %b %Y", "%d %B %Y", "%d-%b-%Y", "%d-%b-%y", "%b %d, %Y", "%B %d, %Y",
          "%b %d %Y", "%B %d %Y")  # fmt: skip
LETTERS = {"dmy": "dmY", "mdy": "mdY", "ymd": "Ymd"}


def find_format(words: Any, order: Order | None = None) -> str | None:
    """Return the format of dates: "iso", one of `strptime`, or None if there is none.

    Parameters
    ----------
    words : Series of str
        Distinct values, none missing.
    order : {"dmy", "mdy", "ymd"} or None, default=None
        The order of day, month and year, where the values do not tell.

    Returns
    -------
    format : str or None
        ``"?"`` followed by the separator if the values are dates whose order is open.

    Examples
    --------
    >>> find_format(pd.Series(["31/12/2024", "01/02/2025"]))
    '%d/%m/%Y'
    >>> find_format(pd.Series(["11/12/2024", "01/02/2025"]))
    '?/'
    """
    sample = words.head(50)  # most columns of text end here
    if all(map(ISO.fullmatch, sample)):
        return "iso" if parse_dates(words, "iso").notna().all() else None
    if all(map(PARTS.fullmatch, sample)):
        return _numeric_format(words, order)
    if any(character.isdigit() for character in str(sample.iloc[0])):
        for form in WORDED:
            if parse_dates(sample, form).notna().all():
                return form if parse_dates(words, form).notna().all() else None
    return None


def parse_dates(column: Any, form: str) -> Any:
    """Return dates with a time zone, NaT where there is none; ISO is always read."""
    iso = pd.to_datetime(column, format="ISO8601", utc=True, errors="coerce")
    if form == "iso":
        return iso
    found = pd.to_datetime(column, format=form, utc=True, errors="coerce")
    return found.fillna(iso)


def _numeric_format(words: Any, order: Order | None) -> str | None:
    parts = words.str.extract(PARTS)
    separators, times = parts["sep"].unique(), parts["time"].dropna()
    if parts["sep"].isna().any() or len(separators) > 1 or 0 < len(times) < len(words):
        return None
    a, b = parts["a"].astype(int), parts["b"].astype(int)
    year = "%Y" if (parts["c"].str.len() == 4).all() else "%y"
    sep = separators[0]
    if (parts["a"].str.len() == 4).all():
        orders = ["ymd"]
    elif (a > 31).any():
        return None
    else:
        orders = [
            name
            for name, month in (("dmy", b), ("mdy", a))
            if (month <= 12).all()
        ]  # fmt: skip
    if len(orders) == 2:
        # Only days come first where dots stand between.
        picked = order if order in orders else "dmy" if sep == "." else None
        if picked is None:
            return f"?{sep}"
        orders = [picked]
    if not orders:
        return None
    letters = [f"%{c}" for c in LETTERS[orders[0]]]
    form = sep.join(letters).replace("%Y", "%Y" if orders == ["ymd"] else year)
    if len(times):
        clock = times.iloc[0]
        form += f"{clock[0]}%H:%M" + ":%S" * (clock.count(":") == 2)
    return form if parse_dates(words, form).notna().all() else None
