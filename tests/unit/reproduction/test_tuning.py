"""The race, and what a cell reports."""

from dataclasses import replace

import numpy as np
import pytest

from fuzzypairs.reproduction.execution import perform
from fuzzypairs.reproduction.methods import FULL, METHODS
from fuzzypairs.reproduction.runs import Run
from fuzzypairs.reproduction.tuning import Cell, next_runs, report, survivors


def settle(cell, answer):
    """Run a cell to its end; return all results."""
    results = {}
    while runs := next_runs(cell, results):
        results |= {run: answer(run) for run in runs}
    return results


def test_survivors_by_hand():
    # Deviations of 0 and a best mean: only what ties with it goes on.
    flat = np.array([[0.5, 0.5], [0.9, 0.9], [0.9, 0.9], [0.8, 0.8]])
    assert survivors(flat, 20, 64) == [1, 2]
    assert survivors(flat, 20, 1) == [1]
    # With all starts known there is no doubt.
    assert survivors(np.array([[0.1, 0.9], [0.6, 0.6]]), 2, 1) == [1]
    # A point that varies may still be the best.
    assert survivors(np.array([[0.1, 0.9], [0.6, 0.6]]), 20, 64) == [1, 0]


def test_rounds_of_a_race():
    cell = Cell("wine", "iv", 0, "fdc")
    rng = np.random.default_rng(0)

    def answer(run):
        best = dict(run.point) == {"alpha": 0.04, "beta": 2.0}
        n = run.last - run.first
        return {"nari": (0.6 + 0.3 * best + rng.normal(0, 0.02, n)).tolist()}

    results = settle(cell, answer)
    found = report(cell, results)
    assert dict(found.point) == {"alpha": 0.04, "beta": 2.0}
    assert len(found.result["nari"]) == 20
    n_fits = sum(run.last - run.first for run in results)
    assert n_fits < 1300  # of 5120


def test_fair_tuning_never_sees_the_truth():
    cell = Cell("wine", "iv", 0, "pcca", "fair")

    def answer(run):
        beta, n = dict(run.point)["beta"], run.last - run.first
        if run.held_out:
            return {"agreement": [0.9 if beta == 4.0 else 0.5] * n}
        return {"nari": [0.99 if beta == 8.0 else 0.7] * n}

    results = settle(cell, answer)
    assert dict(report(cell, results).point) == {"beta": 4.0}
    assert {dict(run.point)["beta"] for run in results if not run.held_out} == {4.0}


def test_refusals_end_a_cell():
    cell = Cell("letter", "iv", 0, "ssdc")
    results = settle(cell, lambda run: {"refused": "needs 9 GB"})
    assert report(cell, results).result == {"refused": "needs 9 GB"}


def test_an_incomplete_cell_is_not_reported():
    with pytest.raises(ValueError, match="256 runs are missing"):
        report(Cell("wine", "iv", 0, "fdc"), {})


@pytest.mark.parametrize("group", ["i", "iv"])
def test_race_reports_the_best_of_all(group, monkeypatch):
    """Within 0.1 points of all starts at all points (of a quarter of the grid)."""
    points = FULL[2::4]
    monkeypatch.setitem(METHODS, "fdc", replace(METHODS["fdc"], grid=points))
    known = {
        point: perform(Run("wine", group, 0, "fdc", point, last=20)) for point in points
    }

    def answer(run):
        part = slice(run.first, run.last)
        return {name: values[part] for name, values in known[run.point].items()}

    cell = Cell("wine", group, 0, "fdc")
    results = settle(cell, answer)
    best = max(np.mean(result["nari"]) for result in known.values())
    ours = np.mean(report(cell, results).result["nari"])
    assert 100 * ours == pytest.approx(100 * best, abs=0.1)
    assert sum(run.last - run.first for run in results) < 0.6 * 20 * len(points)
