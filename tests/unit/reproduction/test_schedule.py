"""Batches, their order, and processes that go away."""

from concurrent.futures.process import BrokenProcessPool

import pytest

from fuzzypairs.reproduction import schedule
from fuzzypairs.reproduction.runs import Run, Runs
from fuzzypairs.reproduction.schedule import complete, cost
from fuzzypairs.reproduction.tuning import Cell


@pytest.fixture
def fitted(monkeypatch):
    """Runs that were asked for, in their order; each scores the same."""
    asked = []

    def perform(run):
        asked.append(run)
        n = run.last - run.first
        return {"agreement": [0.5] * n} if run.held_out else {"nari": [0.5] * n}

    monkeypatch.setattr(schedule, "perform", perform)
    monkeypatch.setattr(schedule, "load_benchmark", lambda *_: None)
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
    done, total, what = told[-1]
    assert done == total
    assert what == "PCCA on wine (iv)"


def test_batches_are_small_where_fits_are_long():
    long = [
        Run("letter", "iv", 0, "fdc", (("alpha", a / 9),), last=4) for a in range(9)
    ]
    short = [Run("wine", "iv", 0, "fdc", (("alpha", a / 9),), last=4) for a in range(9)]
    assert [len(batch) for batch in schedule._cut(long)] == [1] * 9
    assert [len(batch) for batch in schedule._cut(short)] == [9]
    assert cost(long[0]) > 100 * cost(short[0])


def test_a_process_that_is_gone_is_told_in_a_sentence():
    with (
        pytest.raises(OSError, match=r"ended from outside.*fewer --jobs"),
        schedule._executor(2),
    ):
        raise BrokenProcessPool("a child process terminated abruptly")
