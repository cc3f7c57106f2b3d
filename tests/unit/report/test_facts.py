import numpy as np
import pytest

from fit_pages import fitted, random_frame
from fuzzypairs import PairSet
from fuzzypairs.report.facts import FitFacts
from fuzzypairs.tables.features import Preparation

U = np.array([[0.9, 0.1], [0.6, 0.4], [0.5, 0.5], [0.0, 1.0], [0.35, 0.65]])


def facts(pairs=(), truth=None, memberships=U):
    frame = random_frame(len(memberships))
    preparation = Preparation().fit(frame)
    judged = PairSet.from_triples(list(pairs), n_samples=len(frame))
    names = [str(row) for row in range(len(frame))]
    X, columns = preparation.transform(frame), preparation.columns_
    return FitFacts(
        model := fitted(memberships), X, frame, judged, names, columns, truth,
        model.memberships_,
    )  # fmt: skip


def test_sizes_and_mixed_rows():
    fit = facts()

    assert fit.sizes == [3, 2]
    # Ratios of the second to the first membership: 1/9, 2/3, 1, 0 and 7/13.
    assert fit.mixed.tolist() == [2, 1, 4]


def test_judgements_of_zero_are_neither_counted_nor_broken():
    fit = facts([(0, 1, 0.5), (0, 3, 0.5), (1, 2, -0.5), (3, 4, 0.0)])

    assert fit.held.tolist() == [True, False, False, True]
    assert (fit.n_judged, fit.n_broken) == (3, 2)


def test_rows_without_a_true_class_are_left_out():
    truth = np.array(["a", None, np.nan, "b", 7], dtype=object)
    classes, labels = facts(truth=truth).classes

    assert classes.tolist() == ["a", "b", "7"]
    assert labels.tolist() == [0, 1, 1]
    assert [len(found) for found in facts().classes] == [0, 0]


def test_columns_that_differ_most_come_first():
    profiles = facts().profiles

    spread = [sum(abs(p.trait(k).difference) for k in range(2)) for p in profiles]
    assert sorted(spread, reverse=True) == pytest.approx(spread)
    assert {profile.column for profile in profiles} == set("xyz")


def test_weights_follow_the_features_of_a_column():
    frame = random_frame(5)
    frame.insert(0, "soil", ["clay", "sand", "clay", "loam", "sand"])
    columns = Preparation().fit(frame).columns_
    # Numbers are features 0 to 2, the three kinds of soil are 3 to 5.
    model = fitted(U, feature_weights_=np.array([0.1, 0.0, 0.2, 0.3, 0.3, 0.1]))
    expected = {"soil": 0.7, "x": 0.1, "y": 0.0, "z": 0.2}

    for order in (columns, columns[::-1]):
        fit = FitFacts(
            model, frame, frame, PairSet.empty(5), list("abcde"), order, None, U
        )
        assert fit.column_weights == pytest.approx(expected)
