"""`fuzzypairs compare` as a user runs it."""

import json
import os

import pandas as pd
import pytest
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale

from commands import DATA, PAIRS, answers, put, read_csv, run
from fuzzypairs import FDC, SSDC
from fuzzypairs.criteria import normalized_ari
from fuzzypairs.selection.comparison import METHODS

FILES = ["comparison.csv", "comparison.json", "comparison.png", "labels.csv"]


@pytest.fixture(scope="module")
def done(wine, tmp_path_factory):
    """One run of all methods, shared: the folder and what was printed."""
    out = tmp_path_factory.mktemp("compare") / "out"
    result = run(
        "compare", wine / "wine.csv", "--pairs", wine / "pairs.csv",
        "--id", "bottle", "--truth", "cultivar", "--drop", "soil", "--out", out,
    )  # fmt: skip
    return out, result


@pytest.fixture
def small(tmp_path):
    """The arguments of a run on the six rows."""
    (tmp_path / "data.csv").write_text(DATA)
    (tmp_path / "pairs.csv").write_text(PAIRS)
    out = tmp_path / "out"
    return [
        "compare", tmp_path / "data.csv", "--pairs", tmp_path / "pairs.csv",
        "--drop", "id", "--methods", "k-means,fdc", "--out", out,
    ]  # fmt: skip


def test_all_methods_are_in_one_table(done):
    out, result = done

    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    lines = result.stdout.splitlines()
    assert lines[0] == "178 rows, 13 features, 18 judgements, 3 clusters asked for"
    assert lines[-1] == str(out)
    for method in METHODS:
        assert any(line.split()[:1] == [method] for line in lines)
    assert max(map(len, lines)) <= max(80, len(str(out)))


def test_it_writes_its_files_and_nothing_else(done):
    out, _ = done

    assert sorted(os.listdir(out)) == FILES
    assert os.listdir(out.parent) == ["out"]
    assert (out / "comparison.png").read_bytes().startswith(b"\x89PNG")


def test_the_files_agree_with_each_other(done):
    out, _ = done
    told = json.loads((out / "comparison.json").read_text())
    rows = read_csv(out / "comparison.csv")

    assert told["clusters"] == 3
    assert told["rows"] == 178
    assert [row["method"] for row in rows] == list(METHODS)
    for row, same in zip(rows, told["methods"], strict=True):
        assert row == {key: "" if v is None else str(v) for key, v in same.items()}


def test_neither_truth_nor_id_is_a_feature(done):
    told = json.loads((done[0] / "comparison.json").read_text())

    names = [column["name"] for column in told["columns"]]
    assert len(names) == told["features"] == 13
    assert not {"bottle", "cultivar"} & set(names)
    ash = told["columns"][names.index("ash")]
    assert ash["treatment"] == "1 missing set to the median, standardised"


def test_labels_give_the_scores(done):
    out, _ = done
    labels = read_csv(out / "labels.csv")
    truth = load_wine().target

    assert list(labels[0]) == ["id", *METHODS]
    assert [row["id"] for row in labels[:2]] == ["W000", "W001"]
    for row in read_csv(out / "comparison.csv"):
        found = [int(line[row["method"]]) for line in labels]
        assert found.count(-1) == int(row["n_unassigned"])
        score = normalized_ari(truth, found)
        assert float(row["normalized_ari"]) == pytest.approx(score, abs=1e-6)


def test_it_runs_the_methods_themselves(wine, done):
    frame = pd.read_csv(wine / "wine.csv").drop(columns=["bottle", "cultivar", "soil"])
    frame["ash"] = frame["ash"].fillna(frame["ash"].median())
    named = pd.read_csv(wine / "pairs.csv")
    pairs = [
        (int(a[1:]), int(b[1:]), grade)
        for a, b, grade in named[["a", "b", "grade"]].itertuples(index=False)
    ]
    fdc = FDC(3, random_state=0).fit(scale(frame), pairs=pairs)

    labels = read_csv(done[0] / "labels.csv")
    assert [int(row["FDC"]) for row in labels] == fdc.labels_.tolist()


def test_json_is_the_file_and_nothing_else(small):
    result = run(*small, "--truth", "kind", "--json")

    assert result.exit_code == 0
    assert result.stderr == ""
    assert json.loads(result.stdout) == json.loads(
        (small[-1] / "comparison.json").read_text()
    )
    assert [row["method"] for row in json.loads(result.stdout)["methods"]] == [
        "k-means",
        "FDC",
    ]


def test_without_truth_clusters_are_asked_for(small):
    result = run(*small, "--clusters", 2, "--drop", "kind")

    assert result.exit_code == 0
    row = read_csv(small[-1] / "comparison.csv")[1]
    assert row["normalized_ari"] == ""
    assert row["pair_agreement"] == "1.0"
    assert list(read_csv(small[-1] / "labels.csv")[0]) == ["row", "k-means", "FDC"]


def test_clusters_overrule_the_classes(small):
    assert run(*small, "--truth", "kind", "--clusters", 3).exit_code == 0
    assert json.loads((small[-1] / "comparison.json").read_text())["clusters"] == 3


def test_numbers_can_be_left_on_their_scales(small):
    run(*small, "--truth", "kind", "--no-scale")

    columns = json.loads((small[-1] / "comparison.json").read_text())["columns"]
    assert {column["treatment"] for column in columns} == {"used as it is"}


def test_dropped_columns_are_told(small):
    small[1].write_text(DATA.replace("kind", "kind,same").replace("\n", ",1\n")
                        .replace("kind,same,1", "kind,same"))  # fmt: skip

    result = run(*small, "--truth", "kind")

    assert "note: column same: left out, all values are the same" in result.stdout


def test_one_failure_is_a_row_and_not_the_end(small, monkeypatch):
    monkeypatch.setitem(METHODS, "SSDC", lambda k, seed: SSDC(memory=100))

    result = run(*small[:-4], "--out", small[-1], "--truth", "kind")

    assert result.exit_code == 0
    assert "SSDC failed: SSDC needs about 2.88e-07 GB for 6 samples" in result.stdout
    rows = {row["method"]: row for row in read_csv(small[-1] / "comparison.csv")}
    assert list(rows) == list(METHODS)
    assert rows["SSDC"]["error"].startswith("SSDC needs about")
    assert rows["SSDC"]["seconds"] == rows["SSDC"]["n_clusters"] == ""
    assert rows["FDC"]["normalized_ari"] == "1.0"
    assert {row["SSDC"] for row in read_csv(small[-1] / "labels.csv")} == {""}


def test_failures_alone_are_a_failure(small, monkeypatch):
    monkeypatch.setitem(METHODS, "SSDC", lambda k, seed: SSDC(memory=100))

    result = run(*small, "--truth", "kind", "--methods", "ssdc")

    assert result.exit_code == 1
    where = small[-1] / "comparison.csv"
    assert result.stderr == f"fuzzypairs: no method succeeded: {where} says why\n"
    assert sorted(os.listdir(small[-1])) == FILES


def test_progress_is_for_terminals(small):
    result = run(*small, "--truth", "kind", "--json", env={"FORCE_COLOR": "1"})

    assert "1/2" in result.stderr
    assert "FDC" in result.stderr
    assert json.loads(result.stdout)["rows"] == 6


def test_force_replaces_results_and_nothing_else(small):
    out = small[-1]
    out.mkdir()
    (out / "labels.csv").write_text("old")
    (out / "thesis.txt").write_text("mine")

    refused = run(*small, "--truth", "kind")
    assert refused.exit_code == 2
    assert (out / "labels.csv").read_text() == "old"

    assert run(*small, "--truth", "kind", "--force").exit_code == 0
    assert sorted(os.listdir(out)) == sorted([*FILES, "thesis.txt"])
    assert (out / "labels.csv").read_text().startswith("row,")
    assert (out / "thesis.txt").read_text() == "mine"


def test_what_fails_while_writing_leaves_nothing(small, monkeypatch):
    def fail(*_):
        raise OSError("no space left")

    monkeypatch.setattr("fuzzypairs.plots.method_bars.plot_comparison", fail)

    result = run(*small, "--truth", "kind")

    assert result.exit_code == 1
    assert result.stderr == "fuzzypairs: no space left\n"
    assert not small[-1].exists()


# What compare alone can be given wrong; files are in test_bad_files.py.
WRONG = {
    "truth of one class": (DATA.replace("q", "p"), PAIRS, [], "1 different values"),
    "truth that differs": (DATA, PAIRS, ["--truth", "id"], "6 different values in 6"),
    "too many clusters": (DATA, PAIRS, ["--clusters", "7"], "data.csv is 6: ask"),
    "unknown method": (DATA, PAIRS, ["--methods", "fdc,x"], "there is no method 'x'"),
    "no pairs file": (DATA, None, [], "pairs.csv does not exist"),
    "long row": (DATA + "g,1,2,q,5\n", PAIRS, [], "line 8 has 5 fields"),
    "unknown id in pairs": (DATA, "a,b,grade\na,z,1\n", ["--id", "id"], "names 'z'"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_mistake_is_answered_by_one_sentence(tmp_path, case):
    data, pairs, options, sentence = WRONG[case]
    put(tmp_path / "data.csv", data)
    put(tmp_path / "pairs.csv", pairs)
    before = sorted(os.listdir(tmp_path))
    truth = [] if "--truth" in options else ["--truth", "kind"]

    result = run(
        "compare", tmp_path / "data.csv", "--pairs", tmp_path / "pairs.csv",
        *truth, *options, "--out", tmp_path / "out",
    )  # fmt: skip

    assert answers(result, sentence)
    assert sorted(os.listdir(tmp_path)) == before


def test_without_truth_and_clusters_it_asks(small):
    result = run(*small)

    assert result.exit_code == 2
    assert result.stderr == (
        "fuzzypairs: --clusters is missing: say how many, or name a --truth\n"
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ["--clusters", "1"],
        ["--clusters", "two"],
        ["--seed", "-1"],
        ["--seed", str(2**32)],
        ["--truht", "kind"],
    ],
)
def test_wrong_usage_is_told(small, arguments):
    result = run(*small, *arguments)

    assert answers(result, "--help lists the options")
    assert not small[-1].exists()


@pytest.mark.parametrize("arguments", [[], ["data.csv"], ["data.csv", "--out", "o"]])
def test_what_is_missing_is_told(arguments):
    result = run("compare", *arguments)

    assert result.exit_code == 2
    assert "Missing" in result.stderr


def test_help_names_every_option():
    result = run("compare", "--help")

    assert result.exit_code == 0
    for option in (
        "--pairs", "--out", "--truth", "--clusters", "--id", "--drop", "--no-scale",
        "--methods", "--seed", "--force", "--json",
    ):  # fmt: skip
        assert option in result.output
