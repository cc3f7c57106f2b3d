"""`fuzzypairs demo` as a user runs it."""

import json
import os
from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_digits

from commands import read_csv, run
from fuzzypairs.cli import demo as command

FILES = [
    "digits.png",
    "memberships-loop.csv",
    "memberships-parity.csv",
    "report.html",
    "summary.json",
]
FAST = ["--draws", 1]
JUDGES = command.PICTURES.judges


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """One run of the demo, shared: the folder and what was printed."""
    out = tmp_path_factory.mktemp("demo") / "out"
    return out, run("demo", "--out", out, *FAST)


@pytest.fixture(scope="module")
def summary(done):
    return json.loads((done[0] / "summary.json").read_text())


def one_limit(monkeypatch):
    """Try the judges under the first conditions only."""
    for name in ("PICTURES", "MESSAGES"):
        subject = getattr(command, name)
        monkeypatch.setattr(command, name, replace(subject, limits=subject.limits[:1]))


def test_it_shows_both_judges_and_ends_on_the_report(done):
    out, result = done

    assert result.exit_code == 0, result.output
    lines = [line.strip() for line in result.stdout.splitlines()]
    for line in ("Is there a loop?", "Even or odd?"):
        assert line in lines
    verdicts = [line for line in lines if line.startswith(("Strong:", "Weak:"))]
    assert len(verdicts) == 2
    assert sum("improved the result" in line for line in lines) == 2
    assert "chosen because their clusters fit neither judge" in result.stdout
    assert lines[-1] == str(out / "report.html")


def test_it_writes_its_files_and_nothing_else(done):
    out, _ = done

    assert sorted(os.listdir(out)) == FILES
    assert os.listdir(out.parent) == [out.name]
    assert (out / "digits.png").read_bytes().startswith(b"\x89PNG")
    page = (out / "report.html").read_text(encoding="utf-8")
    for heading in ("Is there a loop?", "Even or odd?", "Limits"):
        assert heading in page


@pytest.mark.parametrize("judge", JUDGES, ids=lambda judge: judge.name)
def test_each_judge_gets_what_was_meant(summary, judge):
    told = summary["judges"][judge.name]
    shares = told["accuracy"]

    # The clusters of the pixels fit neither judge.
    assert told["without_judgements"] < 0.75
    assert min(shares["60 judgements"]) > 0.95
    assert set(shares) == {limit.name for limit in command.PICTURES.limits}
    assert len(told["judgements"]) == 60
    weights = np.array(told["feature_weights"])
    assert weights.shape == (64,)
    assert weights.sum() == pytest.approx(1.0, abs=1e-4)


def test_judges_grade_by_their_question(summary):
    digits = load_digits()
    digit = digits.target[np.isin(digits.target, command.DIGITS)]

    assert summary["pictures"] == len(digit) == 710
    for judge in JUDGES:
        for i, j, grade in summary["judges"][judge.name]["judgements"]:
            answers = [judge.answer(str(digit[int(row)])) for row in (i, j)]
            assert (grade > 0) == (answers[0] == answers[1])
            assert abs(grade) in (0.4, 0.6, 0.8, 1.0)


def test_the_table_of_memberships_agrees_with_the_summary(done, summary):
    out, _ = done
    digits = load_digits()
    digit = digits.target[np.isin(digits.target, command.DIGITS)]
    for judge in JUDGES:
        rows = read_csv(out / f"memberships-{judge.name}.csv")
        names = ["row", "label", "cluster_0", "cluster_1"]
        table = np.array([[row[name] for name in names] for row in rows], dtype=float)

        np.testing.assert_array_equal(table[:, 0], np.arange(len(digit)))
        np.testing.assert_array_equal(table[:, 1], table[:, 2:].argmax(axis=1))
        np.testing.assert_allclose(table[:, 2:].sum(axis=1), 1, atol=2e-6)
        meant = np.array([judge.answer(str(value)) for value in digit])
        right = (table[:, 1] == meant).mean()
        first = summary["judges"][judge.name]["accuracy"]["60 judgements"][0]
        assert max(right, 1 - right) == pytest.approx(first, abs=1e-6)


def test_json_is_the_summary_and_nothing_else(tmp_path, done, summary):
    result = run("demo", "--out", tmp_path / "out", "--json", *FAST)

    assert result.exit_code == 0
    assert json.loads(result.stdout) == summary
    assert result.stderr == ""


def test_existing_results_are_kept_without_force(tmp_path):
    (tmp_path / "report.html").write_text("old")

    result = run("demo", "--out", tmp_path)

    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr == (
        f"fuzzypairs: --out {tmp_path} exists: add --force to replace the results in "
        "it\n"
    )
    assert (tmp_path / "report.html").read_text() == "old"


def test_force_replaces_results_and_nothing_else(tmp_path, monkeypatch):
    one_limit(monkeypatch)
    (tmp_path / "report.html").write_text("old")
    (tmp_path / "thesis.txt").write_text("mine")

    result = run("demo", "--out", tmp_path, "--force", *FAST)

    assert result.exit_code == 0
    assert sorted(os.listdir(tmp_path)) == sorted([*FILES, "thesis.txt"])
    assert (tmp_path / "report.html").read_text().startswith("<!doctype html>")
    assert (tmp_path / "thesis.txt").read_text() == "mine"


def test_a_file_in_the_way_is_never_replaced(tmp_path):
    file = tmp_path / "out"
    file.write_text("mine")

    assert run("demo", "--out", file, "--force").exit_code == 2
    assert file.read_text() == "mine"


def test_what_fails_outside_is_one_sentence(tmp_path, monkeypatch):
    def fail(*_):
        raise OSError("no space left")

    monkeypatch.setattr("fuzzypairs.analysis.result_columns.write_memberships", fail)
    one_limit(monkeypatch)

    result = run("demo", "--out", tmp_path / "out", *FAST)

    assert result.exit_code == 1
    assert result.stderr == "fuzzypairs: no space left\n"
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    "arguments", [["--seed", "-1"], ["--draws", "0"], ["--sed", "1"], ["there"]]
)
def test_wrong_usage_is_told(arguments):
    result = run("demo", *arguments)

    assert result.exit_code == 2
    assert "--help lists the options" in result.stderr
    assert not isinstance(result.exception, ValueError)


def test_help_names_every_option():
    result = run("demo", "--help")

    assert result.exit_code == 0
    for option in ("--out", "--texts", "--seed", "--draws", "--force", "--json"):
        assert option in result.output


def test_texts_are_clustered_by_subject_and_by_tone(tmp_path, monkeypatch):
    one_limit(monkeypatch)
    out = tmp_path / "out"
    result = run("demo", "--texts", "--out", out, *FAST)

    assert result.exit_code == 0, result.output
    assert sorted(os.listdir(out)) == [
        "memberships-subject.csv",
        "memberships-tone.csv",
        "messages.csv",
        "report.html",
        "summary.json",
    ]
    told = json.loads((out / "summary.json").read_text())
    assert told["messages"] == 300
    for name in ("subject", "tone"):
        judge = told["judges"][name]
        [share] = judge["accuracy"]["100 judgements"]
        # Subjects are found without judgements too, tones are not.
        gain = share - judge["without_judgements"]
        assert share > 0.7
        assert gain > 0.1 if name == "tone" else gain >= 0
        assert len(judge["judgements"]) == 100
    page = (out / "report.html").read_text(encoding="utf-8")
    for words in ("Annoyed or pleased?", "Words that set it apart", "The worst bank"):
        assert words in page
    # What was clustered can be opened again.
    rows = read_csv(out / "messages.csv")
    assert list(rows[0]) == ["message", "subject", "tone"]


def test_messages_are_different_and_of_all_kinds():
    messages = command.read_messages()

    assert messages["message"].nunique() == len(messages) == 300
    assert messages.groupby(["subject", "tone"]).size().tolist() == [25] * 12
    assert messages["message"].str.len().between(20, 160).all()
