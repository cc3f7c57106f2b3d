import datetime
import decimal
from dataclasses import FrozenInstanceError

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

from fuzzypairs import FDC
from fuzzypairs.tables.features import ColumnRecord, Preparation


def fitted(**columns):
    frame = pd.DataFrame(columns)
    model = Preparation().fit(frame)
    return model, model.transform(frame)


def test_a_table_worked_by_hand():
    model, X = fitted(
        acid=[1.0, None, 3.0],
        soil=["clay", None, "sand"],
        picked=["2020-01-01", "2020-01-02", "2020-01-03"],
    )

    step = np.sqrt(1.5)  # the standard score of the ends of three even steps
    np.testing.assert_allclose(
        X, [[-step, -step, 0, 1, 0], [0, 0, 1, 0, 0], [step, step, 0, 0, 1]], atol=1e-12
    )
    assert model.columns_ == (
        ColumnRecord(
            "acid",
            "number",
            1,
            1,
            "1 missing set to the median, standardised",
            first_feature=0,
        ),
        ColumnRecord(
            "soil",
            "category",
            1,
            3,
            "1 missing set to a level of their own, one-hot",
            first_feature=2,
        ),
        ColumnRecord(
            "picked", "date", 0, 1, "turned into days, standardised", "iso", 1
        ),
    )
    names = ["acid", "picked", "soil_(missing)", "soil_clay", "soil_sand"]
    assert model.get_feature_names_out().tolist() == names


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, 2, 3], "number"),
        (["1", "2.5", None], "number"),
        ([decimal.Decimal("1.5"), decimal.Decimal(2), None], "number"),
        (pd.array([1, 2, None], dtype="Int64"), "number"),
        (pd.to_timedelta(["1 day", "2 days", None]), "number"),
        ([datetime.date(2020, 1, 1), datetime.date(2020, 1, 2), None], "date"),
        (pd.to_datetime(["2020-01-01", "2020-01-02", None]), "date"),
        (pd.to_datetime(["2020-01-01", "2020-01-02", None], utc=True), "date"),
        (["2020-01-01T10:00", "2020-01-02 11:30:05", None], "date"),
        (["2020-01-01", "2020-13-41", None], "category"),
        (["1/2/2020", "13/4/2020", None], "date"),
        (["1/2/20", "1/14/20", None], "date"),
        (["1.2.2020", "3.4.2020", None], "date"),
        (["1.2.2020 10:30", "3.4.2020 9:05", None], "date"),
        (["2020/12/31", "2020/01/02", None], "date"),
        (["3 May 2020", "14 Jun 2020", None], "date"),
        (["May 3, 2020", "June 14, 2020", None], "date"),
        (["31/12/2020", "12/31/2020", None], "category"),
        ([True, False, True], "category"),
        ([True, False, None], "category"),
        (pd.array([True, False, None], dtype="boolean"), "category"),
        (pd.Categorical(["a", "b", None]), "category"),
        (["a", 1, 2.5], "category"),
    ],
)
def test_kinds_of_columns(values, kind):
    model, X = fitted(x=values)

    assert model.columns_[0].kind == kind
    assert np.isfinite(X).all()
    assert len(np.unique(X, axis=0)) > 1


def test_useless_columns_are_left_out_and_recorded():
    n = 40
    rng = np.random.default_rng(0)
    model, X = fitted(
        x=rng.normal(size=n),
        same=["a"] * n,
        level=[1.0, None] * (n // 2),
        void=[None] * n,
        title=[f"wine {k}" for k in range(n)],
        notes=[f"said of wine {k}" for k in range(n)],
        cellar=["A"] * 10 + [None] * 30,
        number=np.arange(n) + 7,
        shuffled=rng.permutation(n),
        ticket=rng.choice(10**6, n, replace=False),
        **{"Unnamed: 0": np.arange(n)},
    )

    assert X.shape == (n, 1)
    assert {c.name: c.treatment for c in model.columns_ if not c.n_features} == {
        "same": "left out, all values are the same",
        "level": "left out, all values are the same",
        "void": "left out, all values are missing",
        "title": "left out, all values are different, as in names and ids",
        "notes": "left out, it is free text",
        "cellar": "left out, 75 % of its values are missing",
        "number": "left out, it numbers the rows",
        "shuffled": "left out, it numbers the rows",
        "ticket": "left out, it is called and varies like an id",
        "Unnamed: 0": "left out, it has no name",
    }


def test_numbers_within_groups_number_the_rows_and_hours_do_not():
    model, _ = fitted(
        specimen=np.tile(np.arange(1, 51), 4),
        hour=np.tile(np.arange(25), 8),
        x=np.linspace(0, 1, 200),
    )

    assert [c.n_features for c in model.columns_] == [0, 1, 1]


def test_a_column_is_what_a_user_says():
    n = 30
    frame = pd.DataFrame(
        {
            "row": np.arange(n),
            "zone": np.arange(n) % 3,
            "size": ["1", "2", "x"] * 10,
            "day": ["1/2/2020", "3/4/2020", "5/6/2020"] * 10,
        }
    )
    model = Preparation(
        category=["zone"], number=["row", "size"], date=["day"], date_order="mdy"
    ).fit(frame)

    found = {c.name: (c.kind, c.n_features, c.date_format) for c in model.columns_}
    assert found == {
        "row": ("number", 1, ""),
        "zone": ("category", 3, ""),
        "size": ("number", 1, ""),
        "day": ("date", 1, "%m/%d/%Y"),
    }
    assert model.columns_[2].treatment == (
        "10 words taken for missing, 10 missing set to the median, standardised"
    )
    assert np.isfinite(model.transform(frame)).all()


@pytest.mark.parametrize(("n", "times"), [(400, 1), (60, 1), (300, 2)])
def test_texts_that_do_not_repeat_are_no_categories(n, times):
    frame = pd.DataFrame({"text": [f"message {k}" for k in range(n)] * times})

    with pytest.raises(ValueError, match=rf"'text' .* its {n} different .* --text"):
        Preparation(category=["text"]).fit(frame)


def test_one_order_serves_all_dates_of_a_table():
    model, _ = fitted(
        seen=["1/2/2020", "3/4/2020", "5/6/2020"],
        picked=["1/2/2020", "1/22/2020", "3/1/2020"],
    )

    assert [c.date_format for c in model.columns_] == ["%m/%d/%Y"] * 2


def test_dates_that_may_be_read_twice_are_asked_for():
    with pytest.raises(ValueError, match="such as '1/2/2020', whose day or month may"):
        fitted(day=["1/2/2020", "3/4/2020"])


def test_a_word_among_numbers_is_missing():
    model, _ = fitted(x=[*map(str, range(0, 60, 3)), "rotary"])

    assert model.columns_[0].kind == "number"
    assert model.columns_[0].treatment.startswith("1 words taken for missing")


def test_new_rows_are_not_asked_for_their_share_of_numbers():
    model, X = fitted(x=["1", "k.A.", *["3"] * 18], y=[1.0, 2.0] * 10)
    new = pd.DataFrame({"x": ["k.A.", "none"], "y": [1.0, 2.0]})

    np.testing.assert_allclose(model.transform(new)[:, 0], X[2, 0])  # the median
    assert not model.read(new)[1][:, 0].any()


@pytest.mark.parametrize(
    ("values", "unit", "numbers"),
    [
        (["$4,733", "$1,000.50", "-$5"], "$", [4733, 1000.5, -5]),
        (["7479.54 €", "0", None], "€", [7479.54, 0, np.nan]),
        (["18.3 °C", "-4 °C", "2 °C"], "°C", [18.3, -4, 2]),
        (["4.2 %", "5 %", "7%"], "%", [4.2, 5, 7]),
        (["EUR 5", "EUR 1,000", "EUR 7"], "EUR", [5, 1000, 7]),
        (["6 l/100 km", "8.5 l/100 km"], "l/100 km", [6, 8.5]),
        (["1,234", "2,345"], "", [1234, 2345]),
        ([*["5 kg", "7 kg"] * 9, "500 g"], "kg", [5, 7] * 9 + [np.nan]),
        ([*["5", "7"] * 9, "5 kg"], "", [5, 7] * 9 + [np.nan]),
    ],
)
def test_numbers_may_have_a_unit(values, unit, numbers):
    frame = pd.DataFrame({"x": values})
    record = Preparation(number=["x"]).fit(frame).columns_[0]

    assert (record.kind, record.unit) == ("number", unit)
    np.testing.assert_array_equal(record.values(frame), numbers)
    assert Preparation().fit(frame).columns_[0].kind == "number"


@pytest.mark.parametrize(
    "values",
    [["5 kg", "500 g"], ["1st", "2nd"], ["5-7", "8-9"], ["5 to 7", "9 to 10"],
     ["A1", "A2"], ["3 or more", "none"]],
)  # fmt: skip
def test_words_with_digits_are_no_numbers(values):
    model, _ = fitted(x=values * 4)

    assert model.columns_[0].kind == "category"


def test_words_that_hardly_repeat_are_left_out():
    words = [f"w{k // 2}" for k in range(400)]
    model, _ = fitted(x=np.arange(0.0, 800.0, 2), word=words)

    assert model.columns_[1].treatment == "left out, no value is frequent"


def test_rare_words_share_a_feature():
    words = [f"w{k:02}" for k in range(25)] * 4 + ["often"] * 20
    model, X = fitted(word=words)

    assert model.columns_[0].n_features == X.shape[1] == 20
    np.testing.assert_array_equal(X.sum(axis=1), 1)


def test_numbers_can_be_left_on_their_scales():
    frame = pd.DataFrame(
        {"x": [1.0, None, 5.0], "d": ["1970-01-02"] * 2 + ["1970-01-05"]}
    )
    model = Preparation(scale=False).fit(frame)

    np.testing.assert_array_equal(model.transform(frame), [[1, 1], [3, 1], [5, 4]])
    assert [column.treatment for column in model.columns_] == [
        "1 missing set to the median",
        "turned into days",
    ]
    plain = Preparation(scale=False).fit(frame[["d"]].assign(d=[1, 2, 3]))
    assert plain.columns_[0].treatment == "used as it is"


def test_new_rows_are_treated_like_the_old_ones():
    model, _ = fitted(code=["1", "2", "x"] * 5, x=[1.0, 2.0, 3.0] * 5, useless=[0] * 15)
    # The file of new rows holds numbers only, another order, and a further column.
    new = pd.DataFrame({"more": [9], "x": ["2.0"], "code": [1]})

    np.testing.assert_allclose(model.transform(new), [[0, 1, 0, 0]], atol=1e-12)
    unknown = new.assign(code="never seen")
    np.testing.assert_allclose(model.transform(unknown), [[0, 0, 0, 0]], atol=1e-12)


def test_new_rows_that_do_not_fit_are_refused():
    model, _ = fitted(x=[1.0, 2.0], picked=["2020-01-01", "2020-01-02"])

    with pytest.raises(ValueError, match="column 'picked' is missing; there are 'x'"):
        model.transform(pd.DataFrame({"x": [1.0]}))
    with pytest.raises(
        ValueError, match="'picked' holds 'May' in row 1: expected date"
    ):
        model.transform(pd.DataFrame({"x": [1, 2], "picked": ["2020-01-01", "May"]}))


def test_ids_are_no_features():
    frame = pd.DataFrame({"id": [1.0, 2.0, 4.0], "x": [3.0, 1.0, 2.0]})
    model = Preparation(id_column="id").fit(frame)

    assert [column.name for column in model.columns_] == ["x"]
    assert model.transform(frame).shape == (3, 1)


def test_words_that_the_fit_never_met_are_listed():
    model, _ = fitted(soil=["clay", "sand", None], old=[True, False, True], x=[1, 2, 3])
    new = pd.DataFrame({"soil": ["peat", "clay", None, "ash"], "old": ["TRUE"] * 4})
    new["x"] = 1

    assert model.unseen(new) == {"soil": ["ash", "peat"]}
    numbers, _ = fitted(x=[1.0, 2.0])
    assert numbers.unseen(pd.DataFrame({"x": [3.0, None]})) == {}
    assert numbers.unseen(pd.DataFrame({"x": ["3", "k.A."]})) == {"x": ["k.A."]}


def test_true_and_false_have_one_spelling():
    model, X = fitted(old=[True, False, True])
    for words in (["true", "false", "true"], ["TRUE", "FALSE", "TRUE"]):
        np.testing.assert_array_equal(model.transform(pd.DataFrame({"old": words})), X)


def test_it_is_a_step_of_a_pipeline():
    frame = pd.DataFrame({"x": [0.0, 0.1, 5.0, 5.1], "soil": list("aabb")})
    model = make_pipeline(Preparation(), FDC(2, random_state=0))
    model.fit(frame, fdc__pairs=[(0, 1, 0.9)])

    labels = model.predict(frame)
    assert labels[0] == labels[1] != labels[2] == labels[3]
    with pytest.raises(FrozenInstanceError):
        model[0].columns_[0].kind = "date"


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"x": [1.0, np.inf]}, "column 'x' holds inf in row 1: expected numbers up to"),
        (
            {"x": [1.0, 1e200]},
            "column 'x' holds 1e[+]200 in row 1: expected numbers up",
        ),
        (
            {"x": [1, [2]]},
            r"column 'x' holds \[2\] in row 1: expected numbers, text or",
        ),
        ({"x": [{"a": 1}, None]}, "column 'x' holds {'a': 1} in row 0"),
        ({"x": [b"a", b"b"]}, "column 'x' holds b'a' in row 0"),
        (
            {"x": [1, 1]},
            "no column is left to cluster by: 'x' was left out, all values",
        ),
    ],
)
def test_columns_that_cannot_be_used(columns, message):
    with pytest.raises(ValueError, match=message):
        Preparation().fit(pd.DataFrame(columns))
