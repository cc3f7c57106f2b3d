"""`fuzzypairs bench` on small data, and its rows."""

import json
import sys

import pytest

from commands import run
from fuzzypairs import bench
from fuzzypairs.bench import Row, fastest, processor_seconds

PARTS = ["import and first", "fits a second", "KMeans", "scikit-fuzzy", "FDC with 30"]


@pytest.fixture
def small(monkeypatch):
    """Data so small that the times mean nothing, and interpreters that take none."""
    monkeypatch.setattr(bench, "SMALL_SIZES", [(300, 3, 3)])
    seconds = {bench.FIRST_FIT: 1.25, bench.BARE: 1.0}
    monkeypatch.setattr(bench, "processor_seconds", seconds.get)


@pytest.mark.usefixtures("small")
def test_json_has_all_rows():
    found = json.loads(run("bench", "--quick", "--json").stdout)

    assert found["quick"]
    assert [any(part in row["what"] for part in PARTS) for row in found["rows"]] == (
        [True] * len(PARTS)
    )
    assert all(row["value"] > 0 for row in found["rows"])
    assert found["rows"][0]["value"] == 0.25
    assert found["rows"][0]["holds"] is True
    compared = next(row for row in found["rows"] if "KMeans" in row["what"])
    assert compared["holds"] is None  # nothing is promised there


@pytest.mark.usefixtures("small")
def test_without_scikit_fuzzy_it_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "skfuzzy", None)

    text = run("bench", "--quick").stdout
    assert "our fit" not in text
    assert "scikit-fuzzy is not installed" in text
    assert "KMeans" in text


@pytest.mark.parametrize(
    ("limit", "at_most", "holds", "cells"),
    [
        (2.0, True, True, ["2 times", "<= 2", "met"]),
        (1.5, True, False, ["2 times", "<= 1.5", "NOT MET"]),
        (1.5, False, True, ["2 times", ">= 1.5", "met"]),
        (2.5, False, False, ["2 times", ">= 2.5", "NOT MET"]),
        (None, True, None, ["2 times", "", ""]),
    ],
)
def test_a_row_and_its_target(limit, at_most, holds, cells):
    row = Row("speed", 2.0, "times", limit, at_most)

    assert row.holds is holds
    assert row.cells() == ["speed", *cells, ""]


def test_large_values_have_all_digits():
    assert Row("fits", 3010.4, "a second").cells()[1] == "3,010 a second"


def test_runs_alternate_and_the_fastest_counts():
    order = []
    times = fastest(lambda: order.append("a"), lambda: order.append("b"), repeats=2)

    assert order == ["a", "b", "a", "b"]
    assert len(times) == 2
    assert min(times) >= 0


def test_time_of_an_interpreter_is_what_it_prints():
    assert processor_seconds("print(1.5)") == 1.5
