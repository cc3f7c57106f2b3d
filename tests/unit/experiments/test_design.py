"""Sets, conditions, trials and halves of the experiment on judgements."""

import json

import numpy as np
import pytest

from experiments.design import (
    CONDITIONS,
    FURTHER,
    SETS,
    WIDE_CONDITIONS,
    WIDE_METHODS,
    calibration_error,
    half_of,
    judgements,
    plan,
    read_set,
    run,
)
from experiments.methods import METHODS, Method
from fuzzypairs import GuidedFDC
from fuzzypairs.criteria import normalized_ari
from fuzzypairs.datasets import describe


def test_a_trial_is_a_plain_fit():
    (trial,) = plan(["wine"], ["ii"], ["GuidedFDC"], 1)
    X, y = read_set("wine")
    _, pairs = judgements(X, y, "ii", 0)
    labels = GuidedFDC(3, random_state=0).fit(X, pairs=pairs).labels_
    found = run(trial)
    assert found["ari"] == pytest.approx(100 * normalized_ari(y, labels), abs=1e-3)
    assert 0.0 <= found["calibration"] <= 1.0
    assert 0.0 <= found["auc"] <= 1.0
    json.dumps(found)


def test_new_rows_are_not_seen_by_the_fit(monkeypatch):
    seen = []

    def watched(problem):
        seen.append(problem)
        return METHODS["GuidedFDC, new rows"].fit(problem)

    monkeypatch.setitem(METHODS, "watched", Method(watched, new_rows=True))
    (trial,) = plan(["wine"], ["30"], ["watched"], 1)
    assert run(trial)["ari"] > 80.0
    X, _ = read_set("wine")
    assert len(seen) == 5
    for problem in seen:
        assert (len(problem.X) + len(problem.new), len(problem.pairs)) == (178, 30)
        both = np.concatenate([problem.X, problem.new])
        assert len(np.unique(both, axis=0)) == len(both)
    predicted = np.concatenate([problem.new for problem in seen])
    np.testing.assert_array_equal(np.unique(predicted, axis=0), np.unique(X, axis=0))


def test_conditions_are_what_their_names_say():
    X, y = read_set("wine")

    def count(condition):
        _, pairs = judgements(X, y, condition, 3)
        truth = np.where(y[pairs.i] == y[pairs.j], 1, -1)
        return len(pairs), int((np.sign(pairs.grade) != truth).sum())

    assert count("none") == (0, 0)
    assert {name: count(name) for name in CONDITIONS} == {
        "30": (30, 0),
        "0.1 m": (18, 0),
        "100": (100, 0),
        "300": (300, 0),
        "0.1 m, 10 % wrong": (18, 2),
        "0.1 m, 20 % wrong": (18, 4),
        "0.1 m, 30 % wrong": (18, 5),
        "100, 20 % wrong": (100, 20),
        "0.5 m": (89, 0),
        "1 m": (178, 0),
        "1 m, 10 % wrong": (178, 18),
        "2 m": (356, 0),
        "2 m, 20 % wrong": (356, 71),
        "4 m": (712, 0),
        "4 m, 10 % wrong": (712, 71),
        "i": (9, 9),
        "ii": (18, 9),
        "iii": (9, 0),
        "iv": (18, 0),
        "1000": (1000, 0),
        "3000": (3000, 0),
    }


def test_methods_without_judgements_run_once_for_all_conditions():
    planned = plan(["wine"], ["i", "30"], ["FCM", "GuidedFDC", "COBRAS"], 1)
    assert [(trial.condition, trial.method) for trial in planned] == [
        ("none", "FCM"),
        ("i", "GuidedFDC"),
        ("30", "GuidedFDC"),
        ("30", "COBRAS"),  # slow: not in all conditions
    ]
    many = plan(["wine"], ["30"], ["spectral", "GuidedFDC"], 10)
    assert sum(trial.method == "spectral" for trial in many) == 10


def test_halves_alternate_by_size():
    assert (len(SETS), len(FURTHER)) == (19, 12)
    first = ["soybean", "zoo", "echocardiogram", "hepatitis", "wine", "brown"]
    expected = ["chosen on", "reported on"] * 3
    assert [half_of(name) for name in first] == expected
    known = [describe(name) for name in SETS]
    assert all(info.in_paper for info in known)
    assert known == sorted(known, key=lambda info: (info.n_samples, info.name))


def test_a_failure_is_a_line(monkeypatch):
    def fail(problem):
        raise MemoryError("no room")

    monkeypatch.setitem(METHODS, "GuidedFDC", Method(fail))
    (trial,) = plan(["wine"], ["30"], ["GuidedFDC"], 1)
    found = run(trial)
    assert found["error"] == "MemoryError: no room"
    assert "ari" not in found


def test_calibration_by_hand():
    """Three of four rows are right at a certainty of 0.95: a gap of 0.2."""
    U = np.array([[0.95, 0.05], [0.95, 0.05], [0.05, 0.95], [0.05, 0.95]])
    assert calibration_error([U], [np.array([1, 1, 0, 1])]) == pytest.approx(0.2)


def test_calibration_weighs_bins_by_rows():
    """Half of the rows have a gap of 0.1 and half, in another bin, one of 0.3."""
    U = np.array([[0.9, 0.1], [0.1, 0.9], [0.7, 0.3], [0.3, 0.7]])
    y = np.array([0, 1, 0, 1])
    assert calibration_error([U], [y]) == pytest.approx(0.2)
    # In two parts, each with its own order of clusters, it is the same.
    parts = [U[:2], U[2:, ::-1]]
    assert calibration_error(parts, [y[:2], y[2:]]) == pytest.approx(0.2)


def test_wide_sets_have_conditions_and_methods_of_their_own():
    methods = ["k-means", "FCM", "PCCA", "FDC", "GuidedFDC"]
    planned = plan(["agnews"], list(CONDITIONS), methods, 1)
    assert {trial.method for trial in planned} == set(WIDE_METHODS)
    ours = [trial.condition for trial in planned if trial.method == "GuidedFDC"]
    assert sorted(ours, key=int) == list(WIDE_CONDITIONS)


def test_many_judgements_are_for_ours_and_for_what_sees_none():
    methods = ["k-means", "PCCA", "FDC", "GuidedFDC"]
    planned = plan(["wine"], ["2 m", "1000"], methods, 1)
    assert [(trial.condition, trial.method) for trial in planned] == [
        ("none", "k-means"), ("2 m", "FDC"), ("2 m", "GuidedFDC")
    ]  # fmt: skip


def test_whole_sets_are_of_the_paper_and_ours():
    planned = plan(["wine", "crabs"], ["iv"], ["FCM", "PCCA", "GuidedFDC"], 1)
    assert [(trial.set, trial.method) for trial in planned] == [("wine", "GuidedFDC")]
