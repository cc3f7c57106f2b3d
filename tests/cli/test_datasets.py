"""`fuzzypairs datasets` as a user runs it."""

import json
import os

import pytest

from commands import answers, run


def test_datasets_are_listed(tmp_path):
    result = run("datasets")

    assert result.exit_code == 0
    rows = [line.split() for line in result.stdout.splitlines()]
    assert ["wine", "178", "13", "3", "classes", "yes"] in rows
    told = {info["name"]: info for info in json.loads(run("datasets", "--json").stdout)}
    assert told["wine"]["here"] is True
    assert told["shuttle"]["n_samples"] == 58000


def test_a_dataset_is_described():
    result = run("datasets", "wine")

    assert result.exit_code == 0
    assert "178 rows, 13 features, 3 classes" in result.stdout
    assert json.loads(run("datasets", "wine", "--json").stdout)[0]["n_classes"] == 3


def test_a_dataset_is_written_and_can_be_fitted(tmp_path):
    data = tmp_path / "iris.csv"
    assert run("datasets", "iris", "--out", data).stdout == f"{data}\n"

    result = run(
        "fit", data, "--id", "id", "--truth", "class", "--clusters", 3,
        "--out", tmp_path / "out", "--json",
    )  # fmt: skip

    told = json.loads(result.stdout)
    assert (told["rows"], told["features"]) == (150, 4)
    assert told["scores"]["normalized_ari"] > 0.75


def test_judgements_are_written_beside_it_and_can_be_fitted(tmp_path):
    data = tmp_path / "iris.csv"
    result = run("datasets", "iris", "--out", data, "--pairs", 30)
    pairs = tmp_path / "iris-pairs.csv"
    assert result.stdout == f"{data}\n{pairs}\n"
    assert len(pairs.read_text().splitlines()) == 31

    told = json.loads(
        run(
            "fit", data, "--pairs", pairs, "--id", "id", "--truth", "class",
            "--clusters", 3, "--out", tmp_path / "out", "--json",
        ).stdout
    )  # fmt: skip

    assert told["rows"] == 150
    # The same seed draws the same judgements.
    again = tmp_path / "again.csv"
    run("datasets", "iris", "--out", again, "--pairs", 30)
    assert (tmp_path / "again-pairs.csv").read_text() == pairs.read_text()


def test_a_missing_file_is_to_be_had_somewhere(monkeypatch, tmp_path):
    monkeypatch.setattr("fuzzypairs.datasets.loading._folders", lambda: iter(()))

    told = run("datasets", "shuttle").stdout

    assert "It is not here. Put the file shuttle.csv.gz into a folder" in told
    assert "set FUZZYPAIRS_DATA" in told


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["vine"], "did you mean 'wine'?"),
        (["wine", "--pairs", "3"], "--pairs needs --out FILE"),
        (["--out", "x.csv"], "needs the name of a dataset"),
        (["iris", "--out", "iris.doc"], "has an unknown ending"),
        (["iris", "--out", "no/iris.csv"], "there is no folder"),
    ],
)
def test_datasets_that_are_none(tmp_path, monkeypatch, arguments, sentence):
    monkeypatch.chdir(tmp_path)

    assert answers(run("datasets", *arguments), sentence)
    assert os.listdir(tmp_path) == []
