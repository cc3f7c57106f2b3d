import pandas as pd
import pytest

from fuzzypairs.tables.dates import find_format, parse_dates


def form_of(*words, order=None):
    return find_format(pd.Series(words, dtype=object), order)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["2024-12-31"], "iso"),
        (["2024-12-31 10:30", "2025-01-01T08:00:00Z"], "iso"),
        (["31/12/2024", "01/02/2025"], "%d/%m/%Y"),
        (["12/31/2024", "01/02/2025"], "%m/%d/%Y"),
        (["31.12.24", "1.2.25"], "%d.%m.%y"),
        (["1.2.2025", "3.4.2025"], "%d.%m.%Y"),  # days come first before dots
        (["2024/12/31"], "%Y/%m/%d"),
        (["31/12/2024 10:30"], "%d/%m/%Y %H:%M"),
        (["31/12/2024 10:30:05"], "%d/%m/%Y %H:%M:%S"),
        (["31 Dec 2024", "1 Feb 2025"], "%d %b %Y"),
        (["December 31, 2024"], "%B %d, %Y"),
        (["11/12/2024", "01/02/2025"], "?/"),  # open
        (["11-12-2024"], "?-"),
    ],
)
def test_formats_are_recognised(words, expected):
    assert form_of(*words) == expected


@pytest.mark.parametrize(
    "words",
    [
        ["oak"],
        ["12"],
        ["31/13/2024"],  # neither a day nor a month
        ["31/12/2024", "12/31/2024"],  # two orders
        ["31/12/2024", "31.12.2024"],  # two separators
        ["31/02/2024"],  # no such day
        ["2024-13-01"],
        ["31/12/2024", "31/12/2024 10:30"],  # a time in some
        ["45/12/2024"],
        ["31 Foo 2024"],
        ["1.2.3"] + ["1.2.2024"] * 60 + ["oak"],  # one beyond the sample
    ],
)
def test_other_text_is_no_date(words):
    assert form_of(*words) is None


@pytest.mark.parametrize(
    ("order", "expected"), [("dmy", "%d/%m/%Y"), ("mdy", "%m/%d/%Y")]
)
def test_a_user_decides_where_values_do_not(order, expected):
    assert form_of("11/12/2024", order=order) == expected
    # What the values tell counts more than what a user says.
    assert form_of("31/12/2024", order=order) == "%d/%m/%Y"


def test_dates_are_read_by_their_format_and_iso_always():
    found = parse_dates(pd.Series(["31/12/2024", "2024-12-30", "oak"]), "%d/%m/%Y")

    assert found.dt.day.tolist()[:2] == [31, 30]
    assert found.isna().tolist() == [False, False, True]
