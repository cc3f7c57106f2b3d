import numpy as np
import pandas as pd
import pytest

from fuzzypairs.report.profiles import describe_columns, number_format
from fuzzypairs.tables.features import Preparation

U = np.array([[1.0, 0.0], [0.5, 0.5], [0.25, 0.75], [0.0, 1.0]])


def profiles_of(frame, memberships=U):
    records = Preparation().fit(frame).columns_
    found = describe_columns(frame, records, memberships)
    return {profile.column: profile for profile in found}


def test_numbers_are_weighted_by_memberships_and_missing_ones_do_not_count():
    acid = profiles_of(pd.DataFrame({"acid": [2.0, 4.0, None, 12.0]}))["acid"]

    # Cluster 0: (1 * 2 + 0.5 * 4) / 1.5; the rest, which is cluster 1 here:
    # (0.5 * 4 + 1 * 12) / 1.5. All three values: mean 6, variance (16 + 4 + 36) / 3.
    np.testing.assert_allclose(acid.here[0], [8 / 3, 28 / 3])
    np.testing.assert_allclose(acid.elsewhere[0], [28 / 3, 8 / 3])
    size = (20 / 3) / np.sqrt(56 / 3)
    np.testing.assert_allclose(acid.difference[0], [-size, size])
    assert acid.prototype(0) == "2.67"
    assert acid.trait(1).here == "9.33"


def test_words_count_by_their_share():
    soil = profiles_of(pd.DataFrame({"soil": ["clay", "clay", "sand", None]}))["soil"]

    # Cluster 0 has 1 + 0.5 of clay and 0.25 of sand; cluster 1 has 0.5 and 0.75.
    assert soil.prototype(0) == "clay (86 %)"
    assert soil.prototype(1) == "sand (60 %)"
    trait = soil.trait(0)
    assert (trait.name, trait.here, trait.elsewhere) == ("soil = clay", "86 %", "40 %")
    share = 2 / 3
    assert trait.difference == pytest.approx(
        (1.5 / 1.75 - 0.5 / 1.25) / np.sqrt(share * (1 - share))
    )


def test_dates_stay_dates_and_columns_that_were_dropped_are_left_out():
    frame = pd.DataFrame(
        {
            "day": pd.to_datetime(["2020-01-01", "2020-01-03", None, "2020-03-01"]),
            "hour": pd.to_datetime(
                [f"2020-01-01 {hour}:00" for hour in (10, 12, 11, 18)]
            ),
            "same": [1, 1, 1, 1],
            7: [True, False, False, True],
        }
    )
    frame.columns = frame.columns.map(str)
    found = profiles_of(frame)

    assert list(found) == ["day", "hour", "7"]
    # 0 and half of 2 days, over 1.5: two thirds of a day after the first.
    assert found["day"].prototype(0) == "2020-01-01"
    # 2 hours by half and 1 by a quarter, over 1.75: 0.714 hours after 10.
    assert found["hour"].prototype(0) == "2020-01-01 10:42"
    assert found["7"].prototype(0) == "True (57 %)"


def test_a_cluster_without_rows_has_no_prototype():
    frame = pd.DataFrame({"acid": [1.0, 2.0, 4.0], "soil": ["clay", "sand", "sand"]})
    found = profiles_of(frame, np.eye(3)[[0, 0, 2]])

    for profile in found.values():
        assert profile.prototype(1) == "-"
        assert profile.trait(1).here == "-"
        assert profile.trait(1).difference == 0
    assert found["acid"].trait(0).elsewhere == "4.00"


def test_one_cluster_has_no_rest():
    (acid,) = profiles_of(pd.DataFrame({"acid": [1.0, 2.0]}), np.ones((2, 1))).values()

    assert acid.prototype(0) == "1.500"
    assert acid.trait(0).elsewhere == "-"
    assert acid.trait(0).difference == 0


def test_weighted_means_agree_with_plain_loops():
    rng = np.random.default_rng(0)
    memberships = rng.dirichlet(np.ones(3), size=40)
    values = rng.normal(1e6, 2.0, size=40)
    values[rng.random(40) < 0.2] = np.nan
    words = rng.choice(["a", "b", "c"], size=40)
    found = profiles_of(pd.DataFrame({"x": values, "w": words}), memberships)

    for k in range(3):
        u = memberships[:, k]
        known = ~np.isnan(values)
        mean = np.average(values[known], weights=u[known])
        rest = np.average(values[known], weights=1 - u[known])
        assert found["x"].here[0, k] == pytest.approx(mean, rel=1e-12)
        assert found["x"].difference[0, k] == pytest.approx(
            (mean - rest) / np.nanstd(values), rel=1e-6
        )
        shares = [np.average(words == word, weights=u) for word in "abc"]
        np.testing.assert_allclose(found["w"].here[:, k], shares)


@pytest.mark.parametrize(
    ("spread", "value", "text"),
    [
        (0.05, 1.23456, "1.2346"),
        (3.0, 12.3456, "12.35"),
        (2000.0, 12345.6, "12,346"),
        (1e12, 1.23456e13, "1.235e+13"),
        (0.0, 0.5, "0.5"),
    ],
)
def test_numbers_have_the_decimals_that_their_spread_deserves(spread, value, text):
    assert number_format(spread)(value) == text
