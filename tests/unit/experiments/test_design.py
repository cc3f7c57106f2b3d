"""Points, trials and halves of the experiment on judgements."""

import json

import numpy as np
import pytest

from experiments import design
from experiments.design import AMOUNTS, GROUPS, LARGE, SETS, SHARES, half_of, plan, run
from experiments.judgements import POINTS
from experiments.methods import Method
from fuzzypairs import GuidedFDC
from fuzzypairs.criteria import normalized_ari
from fuzzypairs.datasets import describe, load, simulate_pairs


def test_a_trial_is_a_plain_fit():
    (trial,) = plan(["wine"], ["ii"], ["GuidedFDC"], 1, 1)
    X, y = _wine()
    pairs = simulate_pairs(X, y, "ii", random_state=0)
    labels = GuidedFDC(3, random_state=0).fit(X, pairs=pairs).labels_

    found = run(trial)
    assert found["ari"] == pytest.approx(normalized_ari(y, labels), abs=1e-6)
    assert found["clusters"] == 3
    assert found["chosen"] == {}
    json.dumps(found)


def _wine():
    wine = load("wine", scale=True)
    return wine.data, wine.target


def test_points_are_what_their_names_say():
    X, y = _wine()

    def wrong(point):
        pairs = design._pairs("wine", point, 3)
        truth = np.where(y[pairs.i] == y[pairs.j], 1, -1)
        return len(pairs), int((np.sign(pairs.grade) != truth).sum())

    assert wrong("none") == (0, 0)
    assert [wrong(point) for point in GROUPS] == [(9, 9), (18, 9), (9, 0), (18, 0)]
    for point, ratio in AMOUNTS.items():
        assert wrong(point) == (round(ratio * len(X)), 0)
    for point, share in SHARES.items():
        assert wrong(point) == (18, round(share * 18))


def test_the_plan_leaves_out_what_methods_do_not_do():
    chosen = ["FCM", "GuidedFDC", "FDC by truth", "MPCK-means single"]
    small = plan(["wine"], POINTS, chosen, 2, 1)
    large = plan(LARGE, POINTS, chosen, 2, 1)

    def count(planned, method):
        return sum(trial.method == method for trial in planned)

    # Without judgements once a draw; groups only where curves are not asked for.
    assert [count(small, m) for m in chosen] == [2, 20, 8, 8]
    # One draw of each, no curves.
    assert [count(large, m) for m in chosen] == [3, 12, 12, 12]
    assert plan(["zoo", "wine"], ["iv"], ["GuidedFDC"], 1, 1)[0].set == "wine"


def test_methods_without_judgements_run_once_for_all_points():
    planned = plan(["wine"], ["i", "iv"], ["FCM", "GuidedFDC"], 1, 1)

    assert [(trial.point, trial.method) for trial in planned] == [
        ("none", "FCM"),
        ("i", "GuidedFDC"),
        ("iv", "GuidedFDC"),
    ]


def test_halves_alternate_by_size():
    assert len(SETS) == 19
    assert [half_of(name) for name in SETS[:3]] == [
        "chosen on",
        "reported on",
        "chosen on",
    ]
    assert SETS[0] == "soybean"
    assert SETS[-1] == "shuttle"


def test_a_failure_is_a_line(monkeypatch):
    def fail(self, problem):
        raise MemoryError("no room")

    monkeypatch.setattr(Method, "labels", fail)
    (trial,) = plan(["wine"], ["iv"], ["GuidedFDC"], 1, 1)

    found = run(trial)
    assert found["error"] == "MemoryError: no room"
    assert "ari" not in found


def test_sets_are_those_of_the_paper_by_size():
    known = [describe(name) for name in SETS]

    assert all(info.in_paper for info in known)
    assert known == sorted(known, key=lambda info: (info.n_samples, info.name))
