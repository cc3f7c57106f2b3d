"""The experiment on judgements: trials, lines that survive, tables from lines alone."""

import json
import re

import numpy as np
import pytest

from experiments import design, judgements, methods, pages
from experiments.design import AMOUNTS, GROUPS, LARGE, SETS, SHARES, half_of, plan, run
from experiments.json_lines import Runs, read_lines
from experiments.methods import METHODS, TINY, Method
from experiments.scores import Scores, read_scores
from fuzzypairs import FDC
from fuzzypairs.criteria import normalized_ari
from fuzzypairs.datasets import load, simulate_pairs

FAST = "FCM,PCK-means,FDC"


def line(name, point, draw, method, ari):
    trial = {"set": name, "point": point, "draw": draw, "method": method, "how": ""}
    return {**trial, "ari": ari}


@pytest.fixture
def lines():
    """FCM, PCK-means and FDC on two sets, in all points; FDC gains with amount."""
    made = []
    for name in ("zoo", "wine"):
        for draw in (0, 1):
            made.append(line(name, "none", draw, "FCM", 0.8))
            for number, point in enumerate(judgements.POINTS):
                made.append(line(name, point, draw, "PCK-means", 0.7 + 0.1 * draw))
                made.append(line(name, point, draw, "FDC", 0.85 + 0.01 * number))
    return made


@pytest.fixture
def page(tmp_path):
    path = tmp_path / "judgements.md"
    path.write_text(f"# Title\n\n{pages.BEGIN}\nold\n{pages.END}\n\nEnd.\n")
    return path


def test_a_trial_is_a_plain_fit():
    (trial,) = plan(["wine"], ["ii"], ["FDC"], 1, 1)
    X, y = _wine()
    pairs = simulate_pairs(X, y, "ii", random_state=0)
    labels = FDC(3, random_state=0).fit(X, pairs=pairs).labels_

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
    chosen = ["FCM", "FDC", "FDC by truth", "MPCK-means single"]
    small = plan(["wine"], judgements.POINTS, chosen, 2, 1)
    large = plan(LARGE, judgements.POINTS, chosen, 2, 1)

    def count(planned, method):
        return sum(trial.method == method for trial in planned)

    # Without judgements once a draw; groups only where curves are not asked for.
    assert [count(small, m) for m in chosen] == [2, 20, 8, 8]
    # One draw of each, no curves.
    assert [count(large, m) for m in chosen] == [3, 12, 12, 12]
    assert plan(["zoo", "wine"], ["iv"], ["FDC"], 1, 1)[0].set == "wine"


def test_halves_alternate_by_size():
    assert len(SETS) == 19
    assert [half_of(name) for name in SETS[:3]] == [
        "chosen on",
        "reported on",
        "chosen on",
    ]
    assert SETS[0] == "soybean"
    assert SETS[-1] == "shuttle"


@pytest.mark.filterwarnings("ignore::fuzzypairs.exceptions.FuzzyPairsWarning")
@pytest.mark.parametrize("name", METHODS)
def test_every_method_runs_or_says_what_it_lacks(name):
    reason = METHODS[name].missing()
    if reason:
        assert re.search(r"propagate|robust|metric|PairSearchCV", reason)
        return
    labels, _ = METHODS[name].labels(TINY)
    assert labels.shape == (12,)


def test_ingredients_that_are_off_may_be_absent():
    off = Method("experiments.peers.PCKMeans", {"propagate": False, "robust": False})
    on = Method("experiments.peers.PCKMeans", {"propagate": True})

    assert off.missing() == ""
    assert on.missing() == "experiments.peers.PCKMeans has no parameter 'propagate'"
    assert "no attribute 'Nobody'" in Method("fuzzypairs.Nobody").missing()


def test_choice_by_truth_takes_the_best_candidate():
    def counts(problem):
        return [{"n_clusters": 1}, {"n_clusters": 2}, {"n_clusters": 3}]

    method = Method("fuzzypairs.FDC", grid=counts)
    X = np.array([[0.0], [0.1], [5.0], [5.1], [9.0], [9.1]])
    y = np.array([0, 0, 1, 1, 2, 2])
    problem = methods.Problem(X, y, TINY.pairs.restrict(range(6)), 0)

    labels, chosen = method.labels(problem)
    assert chosen == {"n_clusters": 3}
    assert normalized_ari(y, labels) == 1


def test_a_changed_method_is_another_trial(monkeypatch):
    before = METHODS["FDC by truth"].describe()
    monkeypatch.setattr(methods, "paper_grid", lambda problem: [])

    assert METHODS["FDC by truth"].describe() != before
    assert METHODS["FDC literal"].describe() != METHODS["FDC base"].describe()


def test_a_failure_is_a_line(monkeypatch):
    def fail(self, problem):
        raise MemoryError("no room")

    monkeypatch.setattr(Method, "labels", fail)
    (trial,) = plan(["wine"], ["iv"], ["FDC"], 1, 1)

    found = run(trial)
    assert found["error"] == "MemoryError: no room"
    assert "ari" not in found


def test_a_torn_line_is_dropped_and_overwritten(tmp_path):
    path = tmp_path / "new" / "runs.jsonl"
    with Runs(path) as runs:
        runs.add({"a": 1})
        assert read_lines(path) == [{"a": 1}]  # flushed at once
    with path.open("ab") as file:
        file.write(b'{"a": 2, "b')
    assert read_lines(path) == [{"a": 1}]
    with Runs(path) as runs:
        runs.add({"a": FDC})
    assert read_lines(path) == [{"a": 1}, {"a": str(FDC)}]
    assert read_lines(tmp_path / "none") == []

    path.write_text('{"a": 1}\nnonsense\n{"a": 2}\n')
    with pytest.raises(ValueError, match=r"line 2 of .* is not JSON"):
        read_lines(path)


def test_runs_resume_and_do_not_depend_on_jobs(tmp_path, capsys):
    def scores(path):
        return {
            (row["point"], row["draw"], row["method"]): row["ari"]
            for row in read_lines(path)
        }

    def command(path, *more):
        options = ["--sets", "wine", "--points", "i,n=0.2", "--methods", FAST]
        return judgements.main([*options, "--lines", str(path), *more])

    whole, halves = tmp_path / "whole.jsonl", tmp_path / "halves.jsonl"
    assert command(whole, "--draws", "2") == 0
    assert len(scores(whole)) == len(read_lines(whole)) == 2 * (1 + 2 * 2)

    assert command(halves, "--draws", "1", "--jobs", "2") == 0
    with halves.open("ab") as file:
        file.write(b'{"set":"wine","po')
    first = halves.read_bytes().rpartition(b"\n")[0]
    assert command(halves, "--draws", "2") == 0
    assert "10 trials, 5 done before" in capsys.readouterr().err
    assert halves.read_bytes().startswith(first)
    assert scores(halves) == scores(whole)


def test_failed_trials_are_told_once_and_run_again(tmp_path, monkeypatch, capsys):
    path = tmp_path / "runs.jsonl"
    options = ["--sets", "wine", "--points", "i,iv", "--methods", "FDC", "--draws", "1"]

    def fail(self, problem):
        raise RuntimeError("out of order")

    with monkeypatch.context() as broken:
        broken.setattr(Method, "labels", fail)
        broken.setattr(Method, "missing", lambda self: "")
        assert judgements.main([*options, "--lines", str(path)]) == 1
    said = " ".join(capsys.readouterr().err.split())
    assert said.count("out of order") == 1
    assert "2 trials of FDC failed" in said

    assert judgements.main([*options, "--lines", str(path)]) == 0
    assert [("ari" in row) for row in read_lines(path)] == [False, False, True, True]


def test_means_wins_and_losses_by_hand():
    made = [
        line("zoo", "none", 0, "FCM", 0.80),
        line("zoo", "none", 1, "FCM", 0.90),
        line("wine", "none", 0, "FCM", 0.95),
        line("zoo", "iv", 0, "FDC", 0.5),  # run again below: the last counts
        line("zoo", "iv", 0, "FDC", 0.84),
        line("zoo", "iii", 1, "FDC", 0.10),  # another point
        line("wine", "iv", 0, "FDC", 0.93),
        line("seeds", "none", 0, "FCM", 0.9),  # no method with judgements
        {**line("wine", "iv", 0, "PCCA", 0.0), "method": "PCCA"},
    ]
    scores = read_scores(made, "iv", ["FCM", "FDC"])

    # Draw 1 of zoo has no FDC: only draw 0 is compared.
    assert scores.means["FCM"] == pytest.approx({"zoo": 80, "wine": 95})
    assert scores.means["FDC"] == pytest.approx({"zoo": 84, "wine": 93})
    assert scores.draws == {"zoo": 1, "wine": 1}
    assert scores.methods == ["FCM", "FDC"]
    assert scores.wins("FDC") == (1, 1)
    assert scores.worst("FDC") == ("wine", pytest.approx(-2))
    assert scores.halves() == {
        "chosen on": ["wine"],
        "reported on": ["zoo"],
        "all": ["zoo", "wine"],
    }


def test_means_are_over_the_sets_that_all_have():
    scores = Scores(
        {"FCM": {"zoo": 80.0, "wine": 95.0}, "FDC": {"zoo": 84.0}},
        {"zoo": 1, "wine": 1},
    )

    assert scores.sets == ["zoo"]
    assert scores.mean("FCM", scores.sets) == 80
    assert np.isnan(scores.mean("FCM", []))


def test_pages_come_from_lines_alone(lines, page, monkeypatch):
    monkeypatch.setattr(Method, "labels", None)  # a fit would fail
    written = pages.write_pages(lines, list(METHODS), page)

    text = page.read_text()
    assert text.startswith("# Title\n")
    assert text.endswith(f"{pages.END}\n\nEnd.\n")
    assert "old" not in text
    assert "| FDC | **85.00** | **85.00** | **85.00** | 2 / 0 | none |" in text
    assert "| PCK-means | 75.00 | 75.00 | 75.00 | 0 / 2 | -5.00 (zoo) |" in text
    assert "![Curves](judgements/curves.png)" in text
    assert "Means over 2 sets of 2 draws (zoo, wine)." in text
    assert all(path.stat().st_size for path in written)
    assert {path.name for path in written} == {
        "judgements.md", "sets.md", "scores.csv", "curves.png", "curves.svg",
    }  # fmt: skip
    rows = (page.parent / "judgements" / "scores.csv").read_text().splitlines()
    assert rows[0] == "point,set,draws,method,normalized_ari"
    assert "iv,wine,2,FDC,88.0000" in rows

    # The same lines give the same files.
    before = {path: path.read_bytes() for path in written}
    assert pages.write_pages(lines, list(METHODS), page) == written
    assert {path: path.read_bytes() for path in written} == before


def test_choices_with_fewer_draws_have_a_table_of_their_own(lines, page):
    chosen = [
        {**line, "method": "FDC by truth", "ari": 0.99}
        for line in lines
        if line["method"] == "FDC" and line["point"] == "iv" and line["draw"] == 0
    ]
    pages.write_pages([*lines, *chosen], list(METHODS), page)
    text = page.read_text()
    assert "Means over 2 sets of 2 draws (zoo, wine)." in text
    assert "Settings that were chosen, over 2 sets of 1 draw (zoo, wine):" in text
    assert "| FDC by truth | **99.00** | **99.00** | **99.00** |" in text
    folder = page.with_suffix("")
    assert "iv,wine,1,FDC by truth,99.0000" in (folder / "scores.csv").read_text()
    assert "Settings that were chosen:" in (folder / "sets.md").read_text()


def test_curves_show_means_along_amounts_and_shares(lines):
    scores = {p: read_scores(lines, p, list(METHODS)) for p in judgements.POINTS}
    figure = pages.draw_curves(scores)

    assert len(figure.axes) == 2
    drawn = {curve.get_label(): curve for curve in figure.axes[0].lines}
    assert list(drawn) == ["FCM", "PCK-means", "FDC"]
    np.testing.assert_allclose(drawn["FDC"].get_xdata(), list(AMOUNTS.values()))
    expected = [85 + judgements.POINTS.index(point) for point in AMOUNTS]
    np.testing.assert_allclose(drawn["FDC"].get_ydata(), expected)
    assert pages.draw_curves({"iv": scores["iv"]}) is None


def test_usage_errors_are_one_sentence(tmp_path, page, capsys):
    lines = ["--lines", str(tmp_path / "runs.jsonl")]
    wrong = {
        "--sets names 'whine'": ["--sets", "whine"],
        "--methods names 'GMM'": ["--methods", "FDC,GMM"],
        "--points names 'v'": ["--points", "v"],
        "no set has a score": ["table", "--page", str(page)],
    }
    for message, options in wrong.items():
        assert judgements.main([*options, *lines]) == 2
        said = " ".join(capsys.readouterr().err.split())
        assert message in said
    with pytest.raises(SystemExit) as stop:
        judgements.main(["--draws", "0"])
    assert stop.value.code == 2
    assert page.read_text().count("old") == 1

    page.write_text("no marks")
    (tmp_path / "runs.jsonl").write_text(
        "".join(
            json.dumps(line("zoo", point, 0, method, 0.8)) + "\n"
            for point, method in [("none", "FCM"), ("iv", "FDC")]
        )
    )
    assert judgements.main(["table", "--page", str(page), *lines]) == 2
    assert "lacks the marks" in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "judgements").exists()
