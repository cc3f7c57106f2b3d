"""`fuzzypairs tune` as a user runs it."""

import json
import os
import shlex

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_blobs

from commands import answers, read_csv, run
from fuzzypairs import FDC, PairSearchCV, load

FILES = [
    "memberships.csv", "model.skops", "report.html", "summary.json", "tuning.csv",
    "tuning.html",
]  # fmt: skip


@pytest.fixture(scope="module")
def blobs(tmp_path_factory):
    """Three groups with ids and classes, and forty judgements by id."""
    folder = tmp_path_factory.mktemp("blobs")
    X, y = make_blobs([40, 30, 20], random_state=3)
    frame = pd.DataFrame(X, columns=["x", "y"]).assign(kind=y)
    frame.insert(0, "id", [f"R{row}" for row in range(len(X))])
    frame.to_csv(folder / "data.csv", index=False)
    i, j = np.random.default_rng(0).permutation(len(X))[:80].reshape(2, 40)
    grade = np.where(y[i] == y[j], 0.8, -0.8)
    names = frame["id"].to_numpy()
    pairs = pd.DataFrame({"a": names[i], "b": names[j], "grade": grade})
    pairs.to_csv(folder / "pairs.csv", index=False)
    pairs[:10].to_csv(folder / "few.csv", index=False)
    return folder


def arguments(folder, out, *more, pairs="pairs.csv"):
    return [
        "tune", folder / "data.csv", "--pairs", folder / pairs, "--id", "id",
        "--truth", "kind", "--n-init", 3, "--out", out, *more,
    ]  # fmt: skip


@pytest.fixture(scope="module")
def done(blobs):
    """One search, shared: the folder and what was printed."""
    out = blobs / "out"
    more = ["--clusters", "2-4", "--beta", "auto,0.5"]
    return out, run(*arguments(blobs, out, *more))


def test_it_says_what_the_judgements_say(done):
    out, result = done

    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    text = " ".join(result.stdout.split())
    assert "Settings by held-out pairs, in percent, best first" in text
    assert "best first, all with alpha auto, metric euclidean" in text
    assert "3 auto 100.00" in text
    assert "Chosen by 40 held-out judgements: --beta auto, --clusters 3; its" in text
    assert result.stdout.splitlines()[-2:] == [
        str(out / "tuning.html"),
        str(out / "report.html"),
    ]


def test_it_writes_its_files_and_nothing_else(done):
    out, _ = done

    assert sorted(os.listdir(out)) == FILES
    page = (out / "tuning.html").read_text(encoding="utf-8")
    assert "Chosen by 40 held-out judgements" in page
    assert page.count("<figure") == 1
    rows = read_csv(out / "tuning.csv")
    assert len(rows) == 6
    assert [row["taken"] for row in rows].count("True") == 1
    scores = [float(row["score"]) for row in rows]
    assert scores == sorted(scores, reverse=True)


def test_the_model_is_the_setting_taken(done, blobs):
    out, _ = done
    told = json.loads((out / "summary.json").read_text())
    frame = pd.read_csv(blobs / "data.csv")
    named = pd.read_csv(blobs / "pairs.csv")
    judged = [(int(a[1:]), int(b[1:]), g) for a, b, g in named.itertuples(index=False)]
    X = frame[["x", "y"]].to_numpy()
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    search = PairSearchCV(
        FDC(n_init=3, random_state=0),
        {"n_clusters": [2, 3, 4], "beta": ["auto", 0.5]},
        random_state=0,
    ).fit(X, pairs=judged)

    same = {"alpha": "auto", "metric": "euclidean"}
    assert told["tuning"]["best"] == same | search.best_params_
    assert type(load(out / "model.skops")[-1]) is FDC
    assert told["tuning"]["chosen_by"] == search.chosen_by_
    assert told["clusters"]["found"] == 3
    assert len(told["tuning"]["settings"]) == 6
    model = load(out / "model.skops")
    assert model[-1].n_clusters == 3
    np.testing.assert_array_equal(model[-1].labels_, search.labels_)


def test_with_few_judgements_it_says_what_it_did_instead(blobs, tmp_path):
    more = ["--clusters", "2,3", "--json"]
    result = run(*arguments(blobs, tmp_path / "out", *more, pairs="few.csv"))

    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert told["tuning"]["chosen_by"] == "stability"
    assert "fewer than 20" in told["tuning"]["reason"]
    assert any("judge more pairs" in note for note in told["notes"])
    assert told == json.loads((tmp_path / "out" / "summary.json").read_text())


def test_metrics_that_fail_are_told(blobs, tmp_path):
    more = ["--clusters", "3", "--metric", "euclidean,jaccard", "--json"]
    result = run(*arguments(blobs, tmp_path / "out", *more))

    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert any("1 of 2 settings failed" in note for note in told["notes"])
    scores = {row["metric"]: row["score"] for row in told["tuning"]["settings"]}
    assert scores["jaccard"] is None
    assert scores["euclidean"] > 0.9


def test_a_guided_model_is_tried_if_listed(blobs, tmp_path):
    more = ["--clusters", "2,3", "--metric", "auto,euclidean", "--json"]
    result = run(*arguments(blobs, tmp_path / "out", *more))

    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    tried = [(row["n_clusters"], row["metric"]) for row in told["tuning"]["settings"]]
    assert sorted(tried) == [
        (k, name) for k in (2, 3) for name in ("auto", "euclidean")
    ]
    best = told["tuning"]["best"]
    assert (best["n_clusters"], best["metric"]) == (3, "euclidean")
    assert "metric" in (tmp_path / "out" / "tuning.html").read_text(encoding="utf-8")


def test_it_prints_the_fit_that_gives_the_same_model(done, tmp_path):
    out, result = done
    told = json.loads((out / "summary.json").read_text())
    assert f"The same again: {told['command']}" in result.stdout
    again = run(*shlex.split(told["command"])[1:], "--out", tmp_path / "again")

    assert again.exit_code == 0, again.output
    name = "memberships.csv"
    assert (tmp_path / "again" / name).read_bytes() == (out / name).read_bytes()


def test_wrong_judgements_are_not_used(blobs, tmp_path):
    wrong = pd.read_csv(blobs / "pairs.csv")
    wrong["grade"] *= -1
    wrong.to_csv(tmp_path / "wrong.csv", index=False)
    more = ["--clusters", "2,3", "--json"]
    out = tmp_path / "out"
    result = run(*arguments(blobs, out, *more, pairs=tmp_path / "wrong.csv"))

    told = json.loads(result.stdout)
    assert told["verdict"]["level"] == "unusable"
    assert "--pairs" not in told["command"]
    assert any("judgements were not used" in note for note in told["notes"])
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "judgements were not used" in page
    assert "What your judgements show" not in page
    assert "Before and after" not in page


def test_progress_is_for_terminals(blobs, tmp_path):
    more = ["--clusters", "2,3", "--json"]
    result = run(*arguments(blobs, tmp_path / "out", *more), env={"FORCE_COLOR": "1"})

    assert "trying settings" in result.stderr
    assert json.loads(result.stdout)["rows"] == 90


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (["--clusters", "8-2"], "expected such as 2-8 or 2,3,5"),
        (["--clusters", "1-3"], "from 2 upwards"),
        (["--clusters", "few"], "--clusters is 'few'"),
        (["--clusters", "2,"], "--clusters is '2,'"),
        (["--clusters", "2-91"], "ask for fewer clusters"),
        (["--clusters", "2,3", "--alpha", "0,,1"], "--alpha is '0,,1'"),
        (["--clusters", "2,3", "--alpha", "2"], "alpha must be"),
        (["--clusters", "2,3", "--beta", "-1,-2"], "beta must be"),
        (["--clusters", "2,3", "--metric", "taxi"], "metric must be one of"),
        (["--clusters", "2,3", "--metric", "cosine,precomputed"], "in Python"),
        (["--clusters", "2,3", "--drop", "z"], "has no column 'z'"),
    ],
)
def test_a_mistake_is_answered_by_one_sentence(blobs, tmp_path, more, sentence):
    result = run(*arguments(blobs, tmp_path / "out", *more))

    assert answers(result, sentence)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("more", [["--folds", "1"], ["--repeats", "0"], ["--folds"]])
def test_wrong_usage_is_told(blobs, tmp_path, more):
    result = run(*arguments(blobs, tmp_path / "out", "--clusters", "2-3", *more))

    assert result.exit_code == 2
    assert os.listdir(tmp_path) == []


def test_judgements_are_needed(blobs, tmp_path):
    result = run("tune", blobs / "data.csv", "--clusters", "2-3", "--out", tmp_path)

    assert result.exit_code == 2
    assert "Missing option '--pairs'" in result.stderr
