"""The command of the experiment on judgements: it resumes, and names mistakes."""

import json

import pytest

from experiments import judgements
from experiments.json_lines import read_lines
from experiments.methods import METHODS, Method

FAST = "FCM;PCK-means;GuidedFDC"


def test_runs_resume_and_do_not_depend_on_jobs(tmp_path, capsys):
    def scores(path):
        return {
            (row["condition"], row["draw"], row["method"]): row["ari"]
            for row in read_lines(path)
        }

    def command(path, *more):
        options = ["--sets", "wine", "--conditions", "30; 100", "--methods", FAST]
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
    options = [
        "--sets",
        "wine",
        "--conditions",
        "i;iii",
        "--methods",
        "GuidedFDC",
        "--draws",
        "1",
    ]

    def fail(problem):
        raise RuntimeError("out of order")

    with monkeypatch.context() as broken:
        broken.setitem(METHODS, "GuidedFDC", Method(fail))
        assert judgements.main([*options, "--lines", str(path)]) == 1
    said = " ".join(capsys.readouterr().err.split())
    assert said.count("out of order") == 1
    assert "2 trials of GuidedFDC failed" in said

    assert judgements.main([*options, "--lines", str(path)]) == 0
    assert [("ari" in row) for row in read_lines(path)] == [False, False, True, True]


def test_usage_errors_are_one_sentence(tmp_path, page, line, capsys):
    lines = ["--lines", str(tmp_path / "runs.jsonl")]
    wrong = {
        "--sets names 'whine'": ["--sets", "whine"],
        "--methods names 'GMM'": ["--methods", "GuidedFDC;GMM"],
        "--conditions names 'v'": ["--conditions", "v"],
        "no trial of GuidedFDC has a score": ["table", "--page", str(page)],
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
            json.dumps(line("zoo", condition, 0, method, 80.0)) + "\n"
            for condition, method in [("none", "FCM"), ("30", "GuidedFDC")]
        )
    )
    assert judgements.main(["table", "--page", str(page), *lines]) == 2
    assert "lacks the marks" in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "judgements").exists()
