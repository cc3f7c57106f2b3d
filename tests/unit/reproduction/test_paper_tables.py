"""Tables from runs and entries that are worked out by hand."""

import pytest

from fuzzypairs.reproduction.entries import Entry, entries_of
from fuzzypairs.reproduction.paper_tables import (
    count_table,
    example_table,
    kernel_table,
    method_tables,
    summary_table,
)
from fuzzypairs.reproduction.runs import Run
from fuzzypairs.reproduction.targets import make_plan


@pytest.fixture
def wine():
    """Two starts of fuzzy c-means on one dataset: the plan and its entries."""
    plan = make_plan("table2", datasets=["wine"], groups=["iv"], methods=["fcm"],
                     tunings=["oracle"], n_starts=2)  # fmt: skip
    scores = {"nari": [0.9, 0.8], "nmi": [0.8, 0.7], "clusters": [3, 3]}
    return plan, entries_of(plan, {Run("wine", "", 0, "fcm", last=2): scores})


def test_a_table_for_each_method(wine):
    assert method_tables(*wine)[0].rows == [
        ["(e) wine", "iv", "87.05±11.50", "85.00±7.07", "-2.05", "", "3.0"]
    ]


def test_means_over_cells(wine):
    row = ["FCM", "oracle", "ARI", 1, "87.05", "85.00", "-2.05", 0, 0, 0]
    assert summary_table(*wine).rows[0] == row


def test_counts_of_marks(wine):
    assert count_table(*wine).rows == [["FCM", "oracle", 1, 0, 0, 1, 0, 61, 1]]


def test_the_kernel_beside_none():
    plan = make_plan("fig-kernel", datasets=["wine"], methods=["fdc"])
    entries = [
        Entry("wine", "iv", "fdc", "oracle", name, ours=90.0, ours_std=1.0)
        for name in ("ari", "nmi")
    ]
    table = kernel_table(plan, entries)
    assert table.columns == ["data", "FDC, ARI", "FDC, NMI"]
    assert table.rows == [["(e) wine", "90.00±1.00", "90.00±1.00"]]


def test_memberships_of_the_first_start():
    plan = make_plan("table-examples", methods=["fcm"], n_starts=2)
    first = [[0.3, 0.1, 0.2, 0.2, 0.2]] * 7
    scores = {"nari": [0.5, 0.5], "examples": [first, [[0.2] * 5] * 7]}
    results = {Run(plan.datasets[0], "", 0, "fcm", last=2): scores}
    rows = example_table(plan, results).rows
    assert len(rows) == 7
    assert rows[0] == [
        "FCM", "oracle", 45, "0.3000", "0.1000", "0.2000", "0.2000", "0.2000",
    ]  # fmt: skip
