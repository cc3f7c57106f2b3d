"""Numbers of a table beside those of the paper."""

import csv

import numpy as np
import pytest

from fuzzypairs.reproduction.entries import Criterion, compare_with_paper, entries_of
from fuzzypairs.reproduction.index_page import make_piece, write_pieces
from fuzzypairs.reproduction.printed import Printed
from fuzzypairs.reproduction.targets import make_plan

ARI = Criterion("ari", "nari")


def test_numbers_beside_each_other(results_of, tmp_path):
    plan = make_plan("table2", datasets=["wine"], groups=["iv"], n_starts=5)
    results = results_of(plan)
    rows = {
        (row.method, row.criterion, row.tuning): row
        for row in entries_of(plan, results)
    }
    fcm = rows["fcm", "ari", "oracle"]
    assert (fcm.paper, fcm.paper_std, fcm.paper_fdc) == (87.05, 11.5, "better")
    assert fcm.difference == pytest.approx(fcm.ours - 87.05)
    assert fcm.against_paper == "worse"
    assert fcm.fdc == "better"
    fdc = rows["fdc", "ari", "fair"]
    assert (fdc.fdc, fdc.paper, fdc.clusters) == ("", 96.54, 3.0)
    assert fdc.point == "alpha 0, beta 0.00390625"
    assert rows["fdc-authors", "ari", "oracle"].paper == 96.54
    refused = rows["dsc", "ari", "oracle"]
    assert (refused.ours, refused.note) == (None, "would take 9 GB")
    write_pieces(tmp_path, [make_piece(plan, results)])
    with (tmp_path / "table2.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == 7 * 2 * 2
    assert "| (e) wine | iv | 50.15 | - |" in (tmp_path / "table2.md").read_text()
    assert r"87.05$\pm$11.50" in (tmp_path / "table2.tex").read_text()


@pytest.mark.parametrize(
    ("target", "dataset", "group", "criterion", "value"),
    [
        ("table-faces", "sjaffe_nofear", "v", "acc", 73.37),
        ("table-mahd", "sjaffe_nofear", "v", "mahd", 0.7117),
        ("fig-kernel", "wine", "iv", "nmi", 90.88),
    ],
)
def test_each_target_has_its_printed_numbers(
    target, dataset, group, criterion, value, results_of
):
    plan = make_plan(
        target, datasets=[dataset], groups=[group], methods=["fdc"], n_starts=2
    )
    rows = entries_of(plan, results_of(plan))
    assert {row.paper for row in rows if row.criterion == criterion} == {value}


def test_draws_are_pooled(results_of):
    plan = make_plan("table2", datasets=["wine"], groups=["iv"], n_starts=4, n_draws=3,
                     methods=["fcm", "ssdc", "fdc"], tunings=["oracle"])  # fmt: skip
    found = entries_of(plan, results_of(plan))
    rows = {(row.method, row.criterion): row for row in found}
    assert rows["fdc", "ari"].point.count("alpha") == 3
    assert rows["ssdc", "ari"].fdc == "better"
    assert rows["fcm", "ari"].fdc == "better"


def test_difference_to_a_printed_number():
    exact = Printed(94.87, 0.0)
    assert compare_with_paper(np.full(20, 94.8741), exact, ARI) == "none"
    assert compare_with_paper(np.full(20, 94.88), exact, ARI) == "better"
    assert compare_with_paper(np.array([94.88]), Printed(94.87), ARI) == "better"
    wide = Printed(80.0, 10.0)
    scores = np.array([70.0, 90.0, 85.0, 78.0])
    assert compare_with_paper(scores, wide, ARI) == "none"
    assert compare_with_paper(scores - 40, wide, ARI) == "worse"
    mahd = Criterion("mahd", "mahd", unit=1.0, higher=False, digits=4)
    printed = Printed(0.7117, 0.0095)
    assert compare_with_paper(np.full(20, 0.7), printed, mahd) == "better"
