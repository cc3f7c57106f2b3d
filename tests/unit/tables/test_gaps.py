import numpy as np
import pandas as pd

from fuzzypairs import FDC
from fuzzypairs.tables.features import Preparation
from fuzzypairs.tables.gaps import (
    fill_by_donors,
    labels_by,
    lower_certainty,
    mostly_missing,
)


def two_groups():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(0, 0.3, (20, 3)), rng.normal(5, 0.3, (20, 3))])
    return pd.DataFrame(X, columns=list("xyz"))


def test_fills_are_averaged_by_hand():
    X = np.array([[1.0, 7.0], [2.0, 7.0]])
    known = np.array([[True, False], [False, False]])

    found = fill_by_donors(
        lambda rows: np.column_stack([rows[:, 1] > 3, rows[:, 1] <= 3]) * 1.0,
        X,
        known,
        np.array([[0.0, 0.0], [0.0, 1.0], [0.0, 5.0], [0.0, 2.0]]),
    )

    np.testing.assert_allclose(found, [[0.25, 0.75], [0.5, 0.5]])


def test_a_row_without_values_belongs_everywhere():
    frame = two_groups()
    frame.loc[40] = [None, None, None]
    frame.loc[41] = [5.0, None, None]
    frame.loc[42] = [5.0, 5.0, 5.0]
    preparation = Preparation().fit(frame)
    X = preparation.transform(frame)
    model = FDC(2, alpha=0, random_state=0).fit(X)

    before = model.predict_proba(X)
    read = preparation.read(frame)
    after = lower_certainty(model, preparation, *read, before)

    np.testing.assert_allclose(after[40], 0.5)
    assert after[41].max() < before[42].max()
    assert after[41].argmax() == after[42].argmax()
    whole = frame.notna().all(axis=1).to_numpy()
    np.testing.assert_array_equal(after[whole], before[whole])
    kept = lower_certainty(model, preparation, *read, before, judged=np.array([40]))
    np.testing.assert_array_equal(kept[40], before[40])


def test_rows_are_flagged_by_columns():
    frame = two_groups().assign(soil=["clay", "sand"] * 20)
    frame.loc[0, ["x", "y", "z"]] = None
    frame.loc[1, ["x", "y"]] = None
    preparation = Preparation().fit(frame)

    flags = mostly_missing(preparation.read(frame)[1])
    assert flags[:3].tolist() == [True, False, False]
    assert preparation.donors_.shape == (20, 5)


def test_an_empty_category_is_a_level_and_no_gap():
    frame = two_groups().assign(soil=[None, "sand"] * 20)
    frame.loc[40] = [None, None, None, None]
    frame.loc[41] = [None, None, None, "sand"]
    preparation = Preparation().fit(frame)
    X = preparation.transform(frame)
    model = FDC(2, alpha=0, random_state=0).fit(X)

    read = preparation.read(frame)
    after = lower_certainty(model, preparation, *read, model.memberships_)

    whole = frame[["x", "y", "z"]].notna().all(axis=1).to_numpy()
    np.testing.assert_array_equal(after[whole], model.memberships_[whole])
    np.testing.assert_allclose(after[40], 0.5)
    assert mostly_missing(preparation.read(frame)[1]).nonzero()[0].tolist() == [40, 41]
    # Where the fit saw no empty cell, one in new rows is a gap.
    filled = frame.fillna({"soil": "clay"})
    new = frame.iloc[:1]
    assert known_in(preparation, new) == [[True] * 5]
    assert known_in(Preparation().fit(filled), new) == [[True] * 3 + [False] * 2]


def known_in(preparation, frame):
    return preparation.known_features(preparation.read(frame)[1]).tolist()


def test_labels_are_new_where_memberships_are():
    model = FDC(2, alpha=0, random_state=0).fit(two_groups())
    changed = model.memberships_.copy()
    changed[0] = changed[0, ::-1]

    labels = labels_by(model, changed)

    assert labels[0] == 1 - model.labels_[0]
    np.testing.assert_array_equal(labels[1:], model.labels_[1:])
