import numpy as np
import pandas as pd
import pytest

from fuzzypairs.tables.columns import (
    as_categories,
    as_days,
    as_numbers,
    as_text,
    listed,
    recognise,
)


def test_words_have_one_spelling():
    spelt = as_text(pd.Series([7.0, 7, "7", True, 0.5, None], dtype=object)).tolist()

    assert spelt[:5] == ["7", "7", "7", "True", "0.5"]
    assert np.isnan(spelt[5])


def test_true_and_false_have_one_spelling():
    values = pd.Series([True, "TRUE", "true", "truth", "false"], dtype=object)

    assert as_categories(values).tolist() == ["True", "True", "True", "truth", "False"]


def test_numbers_are_read_from_text_and_durations():
    found = as_numbers(pd.Series(["1.5", None, "2"]))
    np.testing.assert_array_equal(found, [1.5, np.nan, 2.0])
    found = as_numbers(pd.Series(pd.to_timedelta(["36 h", None])))
    np.testing.assert_array_equal(found, [1.5, np.nan])


def test_dates_are_days_since_1970():
    found = as_days(pd.Series(["1970-01-02", None, "1970-01-01T12:00"]))

    np.testing.assert_array_equal(found, [1.0, np.nan, 0.5])


@pytest.mark.parametrize("dtype", [object, "str", "category", "boolean", "float64"])
def test_a_column_without_values_counts_as_numbers(dtype):
    assert recognise(pd.Series([None, None], dtype=dtype)).kind == "number"


def test_ten_names_are_listed_at_most():
    assert listed(["acid", 7]) == "'acid', '7'"
    assert listed(range(11)).endswith("'9', ...")
