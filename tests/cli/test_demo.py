"""`fuzzypairs demo` as a user runs it."""

import csv
import json
import os

import numpy as np
import pytest
from sklearn.datasets import load_wine

from commands import run
from fuzzypairs import load
from fuzzypairs.cli import demo as command

FILES = [
    "memberships.csv",
    "memberships.png",
    "model.skops",
    "report.html",
    "summary.json",
]


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """One run of the demo, shared: the folder and what was printed."""
    out = tmp_path_factory.mktemp("demo") / "out"
    return out, run("demo", "--out", out)


@pytest.fixture(scope="module")
def summary(done):
    return json.loads((done[0] / "summary.json").read_text())


def test_it_says_what_it_does_and_ends_on_the_report(done):
    out, result = done

    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert [line[0] for line in lines[:6]] == list("123456")
    assert lines[-1] == str(out / "report.html")
    for row in ("normalised ARI", "NMI", "judgements held", "mean certainty"):
        assert any(line.strip().startswith(row) for line in lines)


def test_it_writes_its_files_and_nothing_else(done):
    out, _ = done

    assert sorted(os.listdir(out)) == FILES
    assert os.listdir(out.parent) == [out.name]
    assert (out / "memberships.png").read_bytes().startswith(b"\x89PNG")


def test_without_pairs_it_reproduces_the_published_numbers(summary):
    # The paper's table prints 94.87 and 87.59 for wine under PCCA, which here is plain
    # fuzzy c-means on standardised data.
    assert summary["without_pairs"]["normalized_ari"] == pytest.approx(0.9487, abs=5e-5)
    assert summary["without_pairs"]["nmi"] == pytest.approx(0.8759, abs=5e-5)


def test_the_pairs_are_held_better_than_without_them(summary):
    before, after = summary["without_pairs"], summary["with_pairs"]

    assert len(summary["pairs"]) == 18
    assert after["pair_agreement"] > before["pair_agreement"]
    assert before["pairs_held"] == sum(pair["held"][0] for pair in summary["pairs"])
    assert after["pairs_held"] == sum(pair["held"][1] for pair in summary["pairs"])
    assert np.mean(summary["normalized_ari_of_seeds"]) > before["normalized_ari"]
    assert summary["normalized_ari_of_seeds"][14] == after["normalized_ari"]


def test_the_table_of_memberships_agrees_with_the_model(done, summary):
    out, _ = done
    raw, _ = load_wine(return_X_y=True)
    with (out / "memberships.csv").open(newline="") as file:
        head, *rows = csv.reader(file)
    table = np.array(rows, dtype=float)

    assert head == ["row", "label", "cluster_0", "cluster_1", "cluster_2"]
    np.testing.assert_array_equal(table[:, 0], np.arange(len(raw)))
    np.testing.assert_array_equal(table[:, 1], table[:, 2:].argmax(axis=1))
    np.testing.assert_allclose(table[:, 2:].sum(axis=1), 1, atol=2e-6)
    # Rows under judgement, asked or derived, are held where the pairs want them; the
    # rest follows the prototypes, as new rows do.
    model = load(out / "model.skops")
    judged = {pair[end] for pair in summary["pairs"] for end in "ij"}
    derived = model[-1].propagation_.derived
    judged |= {*derived.i.tolist(), *derived.j.tolist()}
    free = np.setdiff1d(np.arange(len(raw)), list(judged))
    np.testing.assert_allclose(
        model.predict_proba(raw)[free], table[free, 2:], atol=1e-3
    )


def test_json_is_the_summary_and_nothing_else(tmp_path, done, summary):
    result = run("demo", "--out", tmp_path / "out", "--json")

    assert result.exit_code == 0
    assert json.loads(result.stdout) == summary
    assert result.stderr.startswith("1  Wine")


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


def test_force_replaces_results_and_nothing_else(tmp_path):
    (tmp_path / "report.html").write_text("old")
    (tmp_path / "thesis.txt").write_text("mine")

    result = run("demo", "--out", tmp_path, "--force")

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

    monkeypatch.setattr("fuzzypairs.cli.outputs.write_memberships", fail)
    monkeypatch.setattr(command, "DRAWS", 1)

    result = run("demo", "--out", tmp_path / "out")

    assert result.exit_code == 1
    assert result.stderr == "fuzzypairs: no space left\n"
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("arguments", [["--seed", "-1"], ["--sed", "1"], ["there"]])
def test_wrong_usage_is_told(arguments):
    result = run("demo", *arguments)

    assert result.exit_code == 2
    assert "Usage" in result.stderr
    assert not isinstance(result.exception, ValueError)


def test_help_names_every_option():
    result = run("demo", "--help")

    assert result.exit_code == 0
    for option in ("--out", "--seed", "--force", "--json"):
        assert option in result.output
