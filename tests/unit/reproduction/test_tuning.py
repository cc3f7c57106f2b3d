"""The race, what a cell reports, and the completion of cells."""

import os
import signal
from dataclasses import replace

import numpy as np
import pytest

from fuzzypairs.reproduction import tuning
from fuzzypairs.reproduction.methods import FULL, METHODS
from fuzzypairs.reproduction.runs import Run, Runs, perform
from fuzzypairs.reproduction.tuning import (
    Cell,
    complete,
    next_runs,
    report,
    survivors,
)


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


@pytest.fixture
def fitted(monkeypatch):
    """Runs that were asked for, in their order; each scores the same."""
    asked = []

    def perform(run):
        asked.append(run)
        n = run.last - run.first
        return {"agreement": [0.5] * n} if run.held_out else {"nari": [0.5] * n}

    monkeypatch.setattr(tuning, "perform", perform)
    monkeypatch.setattr(tuning, "load_benchmark", lambda *_: None)
    return asked


def test_each_run_once_the_costly_first(fitted, tmp_path):
    cells = [
        Cell(dataset, "iv", 0, "pcca", tuning)
        for dataset in ("wine", "letter")
        for tuning in ("oracle", "fair")
    ]
    told = []
    with Runs(tmp_path / "runs.jsonl") as runs:
        complete(cells, runs, progress=lambda *state: told.append(state))
        known = len(runs.results)
        complete(cells, runs)
    assert len(fitted) == len(set(fitted)) == known
    assert fitted[0].dataset == "letter"
    assert fitted[-1].dataset == "wine"
    doing, done, total = told[-1]
    assert done == total
    assert doing == "PCCA on wine (iv)"


def end_process(run):
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX systems")
def test_a_process_that_is_gone_is_told_in_a_sentence(monkeypatch, tmp_path):
    monkeypatch.setattr(tuning, "_perform_timed", lambda run, parent: end_process(run))
    with (
        Runs(tmp_path / "runs.jsonl") as runs,
        pytest.raises(OSError, match=r"ended from outside.*fewer --jobs"),
    ):
        complete([Cell("wine", "iv", 0, "pcca")], runs, n_jobs=2)
