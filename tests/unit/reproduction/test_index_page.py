"""Tables, figures and the page from made-up runs: no data, no fits."""

import csv
import re

import numpy as np
import pytest

from fuzzypairs.reproduction import schedule
from fuzzypairs.reproduction.entries import Criterion, against
from fuzzypairs.reproduction.execution import EXAMPLES
from fuzzypairs.reproduction.index_page import make_piece, write_pieces
from fuzzypairs.reproduction.paper_tables import entries
from fuzzypairs.reproduction.printed import Printed
from fuzzypairs.reproduction.runs import Runs
from fuzzypairs.reproduction.schedule import complete
from fuzzypairs.reproduction.targets import TARGETS, cells, make_plan

ARI = Criterion("ari", "nari")


def made_up(run):
    """FDC scores 0.9 and a little, others 0.7 and a little."""
    rng = np.random.default_rng([run.first, len(run.method), len(run.group)])
    n = run.last - run.first
    if run.held_out:
        return {"agreement": [0.5] * n}
    if run.method == "dsc":
        return {"refused": "would take 9 GB"}
    height = 0.9 if run.method.startswith("fdc") else 0.7
    ranks = [[0.7, 0.6, 0.5, 0.4, 0.3]] * (n - 1) + [[0.7, 0.6]]  # lost clusters
    return {
        "nari": (height + rng.uniform(0, 0.05, n)).tolist(),
        "nmi": rng.uniform(0.4, 0.5, n).tolist(),
        "clusters": [3] * n,
        "acc": [0.6] * n,
        "mahd": [0.72] * n,
        "lia": ranks,
        "examples": [np.full((len(EXAMPLES), 5), 0.2).tolist()] * n,
    }


@pytest.fixture
def results_of(monkeypatch, tmp_path):
    """Return what a plan's cells need, from made-up runs."""
    monkeypatch.setattr(schedule, "perform", made_up)
    monkeypatch.setattr(schedule, "load_problem", lambda *_: None)

    def compute(plan):
        with Runs(tmp_path / f"{plan.target}.jsonl") as runs:
            complete(cells(plan), runs)
        return runs.results

    return compute


@pytest.mark.parametrize("target", TARGETS)
def test_every_target_is_written(target, results_of, tmp_path):
    sets = TARGETS[target].datasets[:2]
    plan = make_plan(target, datasets=sets, n_starts=5)
    out = tmp_path / "out"
    out.mkdir()
    write_pieces(out, [make_piece(plan, results_of(plan))])
    names = {file.suffix for file in out.glob(f"{target}.*")}
    figure = {".png", ".svg"} if target.startswith("fig") else set()
    table = set() if target in ("fig-alpha", "fig-lia") else {".md", ".tex"}
    assert names == {".csv"} | figure | table
    page = (out / "index.html").read_text(encoding="utf-8")
    assert TARGETS[target].title in page
    assert "http" not in page.replace("http://www.w3.org", "")
    assert (out / f"{target}.csv").read_text().count("\n") > 3
    links = re.findall(r"\]\(([^)]+)\)", (out / "index.md").read_text(encoding="utf-8"))
    assert all((out / link).exists() for link in links)
    assert bool(links) == (target != "table-examples")


def test_equal_runs_give_equal_files(results_of, tmp_path):
    plan = make_plan("fig-alpha", datasets=["zoo"], n_starts=4)
    results = results_of(plan)
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        write_pieces(tmp_path / name, [make_piece(plan, results)])
    for file in (tmp_path / "one").iterdir():
        assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes()


def test_numbers_beside_each_other(results_of, tmp_path):
    plan = make_plan("table2", datasets=["wine"], groups=["iv"], n_starts=5)
    results = results_of(plan)
    rows = {
        (row.method, row.criterion, row.tuning): row for row in entries(plan, results)
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


def test_without_another_method_nothing_is_counted(results_of):
    chosen = {"datasets": ["wine"], "groups": ["iv"], "tunings": ["oracle"]}
    for methods, n_tables in ((["fdc"], 3), (["fcm", "fdc"], 6)):
        plan = make_plan("table2", methods=methods, n_starts=2, **chosen)
        assert len(make_piece(plan, results_of(plan)).tables) == n_tables


def test_draws_are_pooled(results_of):
    plan = make_plan("table2", datasets=["wine"], groups=["iv"], n_starts=4, n_draws=3,
                     methods=["fcm", "ssdc", "fdc"], tunings=["oracle"])  # fmt: skip
    rows = {(row.method, row.criterion): row for row in entries(plan, results_of(plan))}
    assert rows["fdc", "ari"].point.count("alpha") == 3
    assert rows["ssdc", "ari"].fdc == "better"
    assert rows["fcm", "ari"].fdc == "better"


def test_difference_to_a_printed_number():
    exact = Printed(94.87, 0.0)
    assert against(np.full(20, 94.8741), exact, ARI) == "none"
    assert against(np.full(20, 94.88), exact, ARI) == "better"
    assert against(np.array([94.88]), Printed(94.87), ARI) == "better"
    wide = Printed(80.0, 10.0)
    scores = np.array([70.0, 90.0, 85.0, 78.0])
    assert against(scores, wide, ARI) == "none"
    assert against(scores - 40, wide, ARI) == "worse"
    distance = Criterion("mahd", "mahd", unit=1.0, higher=False, digits=4)
    assert against(np.full(20, 0.7), Printed(0.7117, 0.0095), distance) == "better"
