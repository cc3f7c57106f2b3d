"""All methods on one data set: scores, failures and notes."""

import json
import warnings
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from fuzzypairs import SSDC, criteria
from fuzzypairs.selection.comparison import METHODS, compare, pick_methods

CRITERIA = ["normalized_ari", "nmi", "rand_index", "hungarian_accuracy"]
PAIRS = [(0, 1, 0.8), (2, 3, -0.5), (4, 5, 0.3)]


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(60, centers=[[0, 0], [9, 0], [0, 9]], random_state=0)


@pytest.fixture(scope="module")
def outcomes(blobs):
    X, y = blobs
    return compare(X, PAIRS, 3, truth=y)


def broken(message):
    """A method that always fails."""

    class Broken:
        def fit(self, X, **_):
            raise RuntimeError(message)

    return lambda k, seed: Broken()


def test_scores_of_a_case_worked_by_hand():
    # k-means parts {0, 1} from {10, 11}; the truth wants 1 with the second group.
    X, truth = [[0.0], [1.0], [10.0], [11.0]], ["a", "b", "b", "b"]
    (row,) = compare(
        X, [(0, 1, 0.5), (1, 2, 0.25)], 2, truth=truth, methods=["k-means"]
    )

    assert row.n_clusters == 2
    assert row.hungarian_accuracy == 0.75
    assert row.rand_index == 0.5  # 0-2, 0-3 and 2-3 of six pairs
    assert row.pair_agreement == pytest.approx(0.5 / 0.75, abs=1e-6)
    assert row.labels[0] == row.labels[1] != row.labels[2] == row.labels[3]


def test_all_methods_run_in_order_with_their_scores(outcomes, blobs):
    _, y = blobs

    assert [row.method for row in outcomes] == list(METHODS)
    for row in outcomes:
        assert row.error == ""
        assert row.seconds > 0
        assert row.n_clusters == len(set(row.labels[row.labels >= 0]))
        assert row.n_unassigned == (row.labels == -1).sum()
        for key in CRITERIA:
            expected = getattr(criteria, key)(y, row.labels)
            assert getattr(row, key) == pytest.approx(expected, abs=1e-6)
        held = criteria.pair_agreement(PAIRS, row.labels)
        assert row.pair_agreement == pytest.approx(held, abs=1e-6)
    assert outcomes[-1].normalized_ari == 1.0


def test_unassigned_rows_are_noted(outcomes):
    dsc = next(row for row in outcomes if row.method == "DSC")

    assert dsc.n_unassigned > 0
    assert dsc.note.startswith(f"{dsc.n_unassigned} of 60 rows in no cluster")


def test_outcomes_are_frozen_and_ready_for_json(outcomes):
    with pytest.raises(FrozenInstanceError):
        outcomes[0].nmi = 1.0
    for row in outcomes:
        again = json.loads(json.dumps(row.as_dict(), allow_nan=False))
        assert again == row.as_dict()
        assert "labels" not in again


def test_the_same_seed_gives_the_same_labels(outcomes, blobs):
    X, y = blobs
    for row, again in zip(outcomes, compare(X, PAIRS, 3, truth=y), strict=True):
        np.testing.assert_array_equal(row.labels, again.labels)


def test_rows_without_a_class_are_not_scored(blobs):
    X, y = blobs
    truth = np.array(y, dtype=object)
    labels = compare(X, None, 3, methods=["k-means"])[0].labels
    wrong = labels != labels[0]
    truth[wrong] = None

    (row,) = compare(X, None, 3, truth=truth, methods=["k-means"])

    # What is left is a single class in a single cluster.
    assert row.hungarian_accuracy == 1.0


def test_without_truth_and_judgements_there_are_no_scores(blobs):
    (row,) = compare(blobs[0], None, 3, methods=["FDC"])

    assert [getattr(row, key) for key in CRITERIA] == [None] * 4
    assert row.pair_agreement is None
    assert row.n_clusters == 3


def test_a_method_that_fails_is_a_row_that_says_so(blobs, monkeypatch):
    monkeypatch.setitem(METHODS, "PCCA", broken("line one\n  line two"))
    monkeypatch.setitem(METHODS, "SSDC", lambda k, seed: SSDC(memory=1000))

    rows = compare(blobs[0], PAIRS, 3, methods=["k-means", "PCCA", "SSDC", "FDC"])

    assert [bool(row.error) for row in rows] == [False, True, True, False]
    assert rows[1].error == "line one line two"
    assert rows[2].error.startswith("SSDC needs about 2.88e-05 GB for 60 samples")
    for row in rows[1:3]:
        assert row.labels is None
        assert row.seconds is None
        assert row.n_clusters is None


def test_a_silent_failure_still_has_a_name(blobs, monkeypatch):
    monkeypatch.setitem(METHODS, "FDC", broken(""))

    assert compare(blobs[0], None, 3, methods=["FDC"])[0].error == "RuntimeError"


def test_an_interrupt_ends_the_comparison(blobs, monkeypatch):
    def interrupt(k, seed):
        raise KeyboardInterrupt

    monkeypatch.setitem(METHODS, "FDC", interrupt)

    with pytest.raises(KeyboardInterrupt):
        compare(blobs[0], None, 3, methods=["FDC"])


def test_warnings_become_notes(blobs, monkeypatch):
    class Warns(SSDC):
        def fit(self, X, y=None, *, pairs=None):
            for _ in range(2):
                warnings.warn("mind the gap", UserWarning, stacklevel=2)
            return super().fit(X, pairs=pairs)

    monkeypatch.setitem(METHODS, "SSDC", lambda k, seed: Warns())

    assert compare(blobs[0], None, 3, methods=["SSDC"])[0].note == "mind the gap"


def test_progress_is_told_before_each_method(blobs):
    told = []

    compare(
        blobs[0],
        None,
        3,
        methods=["FuzzyCMeans", "k-means"],
        progress=lambda *step: told.append(step),
    )

    assert told == [("k-means", 0, 2), ("FuzzyCMeans", 1, 2)]


def test_methods_are_picked_by_name():
    assert pick_methods(["FDC", "fdc", " K-MEANS"]) == ["k-means", "FDC"]
    with pytest.raises(ValueError, match="there is no method 'dbscan'; expected some"):
        pick_methods(["fdc", "dbscan"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"X": [[np.nan], [1.0]]}, "NaN"),
        ({"pairs": [(0, 9, 1.0)]}, r"pairs\[0\] joins sample 9"),
        ({"n_clusters": 0}, "n_clusters must be 1 or more"),
        ({"truth": [0]}, "truth has shape"),
        ({"methods": ["x"]}, "there is no method"),
    ],
)
def test_what_concerns_all_methods_is_an_error(arguments, message):
    with pytest.raises(ValueError, match=message):
        compare(**{"X": [[0.0], [1.0]], "n_clusters": 2, **arguments})
