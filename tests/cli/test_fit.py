"""`fuzzypairs fit` as a user runs it."""

import gzip
import json
import os
import shlex
import signal
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine, make_blobs
from sklearn.preprocessing import scale

from commands import DATA, answers, put, read_csv, run
from fuzzypairs import FDC, GuidedFDC, PairSet, load
from fuzzypairs.cli.model_options import build_model
from fuzzypairs.criteria import normalized_ari
from fuzzypairs.tables.readers import TableFile
from fuzzypairs.tables.writing import unescape_cell

FILES = ["memberships.csv", "model.skops", "report.html", "summary.json"]
# Eight rows in two groups, ids that look like numbers, and every kind of column.
ROWS = """\
id,x,y,soil,picked,same,void,kind
007,0,0,clay,2020-01-01,1,,p
7,0,1,clay,2020-01-02,1,,p
=1+2,1,,clay,2020-01-03,1,,p
'a,1,1,,2020-01-01,1,,p
-5,9,9,sand,2020-06-01,1,,q
e,9,8,sand,2020-06-02,1,,q
f,8,9,sand,,1,,q
Zoë,8,8,clay,2020-06-02,1,,
"""
JUDGED = "a,b,grade,annotator\n007,7,0.8,Ann\n7,e,-0.6,Bob\nf,Zoë,0,Ann\n"


@pytest.fixture(scope="module")
def done(wine, tmp_path_factory):
    """One fit of the wine data, shared: the folder and what was printed."""
    out = tmp_path_factory.mktemp("fit") / "out"
    return out, run(
        "fit", wine / "wine.csv", "--pairs", wine / "pairs.csv", "--id", "bottle",
        "--truth", "cultivar", "--clusters", 3, "--out", out,
    )  # fmt: skip


@pytest.fixture(scope="module")
def summary(done):
    return json.loads((done[0] / "summary.json").read_text())


@pytest.fixture
def small(tmp_path):
    """The arguments of a fit of the eight rows."""
    (tmp_path / "data.csv").write_text(ROWS, encoding="utf-8")
    (tmp_path / "pairs.csv").write_text(JUDGED, encoding="utf-8")
    return [
        "fit", tmp_path / "data.csv", "--pairs", tmp_path / "pairs.csv", "--id", "id",
        "--truth", "kind", "--clusters", 2, "--out", tmp_path / "out",
    ]  # fmt: skip


def test_it_tells_a_person_what_happened(done, summary):
    out, result = done
    ari = 100 * summary["scores"]["normalized_ari"]

    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    text = " ".join(result.stdout.split())
    assert "soil category 59 3 59 missing set to a level of their own" in text
    assert "178 rows, 16 features, 18 judgements (4 alike, 14 unlike, 0 can't" in text
    assert "The clusters satisfy 18 of 18 judgements." in text
    assert f"Against the true classes: normalised ARI {ari:.1f} %" in text
    assert result.stdout.splitlines()[-1] == str(out / "report.html")


def test_the_verdict_comes_first(done, summary):
    told = summary["verdict"]

    assert told["level"] in ("strong", "weak", "unusable")
    assert told["n_judgements"] == 18
    low, high = (told["with_judgements"][end] for end in ("low", "high"))
    assert 0 <= low <= told["with_judgements"]["share"] <= high <= 1
    lines = done[1].stdout.splitlines()
    assert lines[: len(told["sentences"])] == told["sentences"]


def test_flipped_grades_are_told(wine, tmp_path):
    table = pd.read_csv(wine / "wine.csv")
    rng = np.random.default_rng(0)
    rows = rng.permutation(len(table))[:160].reshape(80, 2)
    same = table["cultivar"].to_numpy()[rows]
    grade = np.where(same[:, 0] == same[:, 1], 0.9, -0.9)
    grade[:14] *= -1
    frame = pd.DataFrame({"i": rows[:, 0], "j": rows[:, 1], "grade": grade})
    frame.to_csv(tmp_path / "pairs.csv", index=False)
    result = run(
        "fit", wine / "wine.csv", "--pairs", tmp_path / "pairs.csv", "--clusters", 3,
        "--drop", "bottle", "--drop", "cultivar", "--out", tmp_path / "out",
    )  # fmt: skip

    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("Weak:")
    assert "judgements seem wrong" in result.stdout


def test_it_writes_its_files_and_nothing_else(done):
    out, _ = done

    assert sorted(os.listdir(out)) == FILES
    assert os.listdir(out.parent) == ["out"]
    page = (out / "report.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert "59 missing set to a level of their own, one-hot" in page


def test_the_table_is_what_guided_fdc_finds(wine, done):
    frame = pd.read_csv(wine / "wine.csv").drop(columns=["bottle", "cultivar"])
    frame["ash"] = frame["ash"].fillna(frame["ash"].median())
    soil = frame.pop("soil")
    X = np.column_stack([scale(frame), soil.isna(), soil == "clay", soil == "sand"])
    named = pd.read_csv(wine / "pairs.csv")
    pairs = [
        (int(a[1:]), int(b[1:]), grade)
        for a, b, grade in named[["a", "b", "grade"]].itertuples(index=False)
    ]
    model = GuidedFDC(3, random_state=0).fit(X, pairs=pairs)

    rows = read_csv(done[0] / "memberships.csv")
    assert list(rows[0]) == [
        *("id", "label", "certainty_percent", "runner_up", "flags"),
        *("cluster_0", "cluster_1", "cluster_2"),
    ]
    assert [row["id"] for row in rows[:2]] == ["W000", "W001"]
    # Rows with gaps are less sure than medians make them, unless they are judged.
    gappy = (soil.isna() | (np.arange(len(soil)) == 5)).to_numpy(copy=True)
    gappy[np.unique([pair[:2] for pair in pairs])] = False
    labels = np.array([int(row["label"]) for row in rows])
    np.testing.assert_array_equal(labels[~gappy], model.labels_[~gappy])
    found = [[float(row[f"cluster_{k}"]) for k in range(3)] for row in rows]
    np.testing.assert_allclose(
        np.array(found)[~gappy], model.memberships_[~gappy], atol=1e-6
    )


def test_the_summary_agrees_with_the_table(done, summary):
    labels = [int(row["label"]) for row in read_csv(done[0] / "memberships.csv")]

    assert summary["clusters"]["sizes"] == np.bincount(labels).tolist()
    score = normalized_ari(load_wine().target, labels)
    assert summary["scores"]["normalized_ari"] == pytest.approx(score, abs=1e-6)
    assert summary["judgements"]["given"] == 18
    assert summary["judgements"]["broken"] == []
    assert summary["id"] == "bottle"
    assert summary["options"]["metric"] == "auto"
    assert "alpha" not in summary["options"]
    # What only the model of the paper has.
    assert not {"used", "objective", "n_iter", "converged"} & set(summary)
    assert set(summary["seconds"]) == {"read", "fit"}


def test_neither_truth_nor_id_is_a_feature(done, summary):
    names = {column["name"] for column in summary["columns"]}

    assert not {"bottle", "cultivar"} & names
    features = load(done[0] / "model.skops")[-1].feature_names_in_
    assert len(features) == summary["features"] == 16
    assert {"alcohol", "soil_clay"} <= set(features)


def test_the_truth_changes_nothing(small):
    run(*small)
    with_truth = (small[-1] / "memberships.csv").read_bytes()
    small[1].write_text(
        ROWS.replace(",p\n", ",x\n").replace(",q\n", ",y\n"), encoding="utf-8"
    )

    run(*small, "--force")

    assert (small[-1] / "memberships.csv").read_bytes() == with_truth


def test_broken_judgements_are_named_by_ids(small):
    small[3].write_text("a,b,grade\n007,e,0.6\n=1+2,'a,0.9\n", encoding="utf-8")
    result = run(*small, "--beta", "0.0001", "--json")

    told = json.loads(result.stdout)["judgements"]
    assert told["broken"] == [{"a": "007", "b": "e", "grade": 0.6}]
    assert told["held"] == 1


def test_a_robust_fit_tells_what_it_left_of_judgements(small):
    small[3].write_text("a,b,grade\n007,e,0.9\n007,7,0.9\n=1+2,f,-0.9\n")
    result = run(*small, "--robust", "--json")

    told = json.loads(result.stdout)
    (broken,) = told["judgements"]["broken"]
    assert (broken["a"], broken["b"]) == ("007", "e")
    assert 0 <= broken["reliability"] < 0.5
    assert told["options"]["robust"] is True


def test_columns_of_no_use_are_dropped_and_told(small):
    result = run(*small, "--json")

    told = {c["name"]: c for c in json.loads(result.stdout)["columns"]}
    assert told["same"]["treatment"] == "left out, all values are the same"
    assert told["void"]["treatment"] == "left out, all values are missing"
    assert told["picked"]["kind"] == "date"
    assert told["soil"]["n_features"] == 3


def test_json_is_the_file_and_nothing_else(small):
    result = run(*small, "--json")

    assert result.exit_code == 0
    assert result.stderr == ""
    told = json.loads(result.stdout)
    assert told == json.loads((small[-1] / "summary.json").read_text())


def test_no_spreadsheet_runs_an_id(small):
    run(*small)

    found = [row["id"] for row in read_csv(small[-1] / "memberships.csv")]
    assert found == ["007", "7", "'=1+2", "''a", "'-5", "e", "f", "Zoë"]
    ids = [line.split(",")[0] for line in ROWS.splitlines()[1:]]
    assert [unescape_cell(cell) for cell in found] == ids


def test_memberships_can_be_parquet(small):
    result = run(*small, "--format", "parquet")

    assert result.exit_code == 0
    frame = pd.read_parquet(small[-1] / "memberships.parquet")
    assert frame["id"].tolist()[:3] == ["007", "7", "=1+2"]
    np.testing.assert_allclose(frame.filter(like="cluster_").sum(axis=1), 1, 1e-12)
    assert not (small[-1] / "memberships.csv").exists()


FRAME = pd.DataFrame(
    {
        "id": list("abcdefgh"),
        "x": [0.0, 0.0, 1.0, 1.0, 9.0, 9.0, None, 8.0],
        "soil": ["clay", "clay", None, "clay", "sand", "sand", "sand", "sand"],
    }
)
WRITERS = {
    "csv": lambda path: FRAME.to_csv(path, index=False),
    "tsv": lambda path: FRAME.to_csv(path, index=False, sep="\t"),
    "parquet": FRAME.to_parquet,
    "jsonl": lambda path: FRAME.to_json(path, orient="records", lines=True),
    "csv.gz": lambda path: path.write_bytes(
        gzip.compress(FRAME.to_csv(index=False).encode())
    ),
}


@pytest.mark.parametrize("ending", WRITERS)
def test_every_format_gives_the_same_result(tmp_path, ending):
    data, out = tmp_path / f"data.{ending}", tmp_path / "out"
    WRITERS[ending](data)
    result = run("fit", data, "--id", "id", "--clusters", 2, "--out", out)
    assert result.exit_code == 0, result.output

    new = tmp_path / f"new.{ending}"
    result = run("predict", out / "model.skops", data, "--out", new)

    assert result.exit_code == 0, result.output
    rows = read_csv(out / "memberships.csv")
    assert [row["label"] for row in rows[:4]] == [rows[0]["label"]] * 4
    assert [row["label"] for row in rows[4:6]] == [rows[4]["label"]] * 2
    assert rows[0]["label"] != rows[4]["label"]
    again = run("predict", out / "model.skops", data, "--out", tmp_path / "again.csv")
    assert again.exit_code == 0
    assert (tmp_path / "again.csv").read_text() == (
        (out / "memberships.csv").read_text()
    )


def test_results_for_a_spreadsheet_with_the_data_beside_them(small):
    result = run(*small, "--drop", "same", "--format", "xlsx", "--with-data")
    assert result.exit_code == 0, result.output

    assert sorted(os.listdir(small[-1])) == [
        "memberships.xlsx", *FILES[1:]
    ]  # fmt: skip
    frame = pd.read_excel(small[-1] / "memberships.xlsx", dtype={"id": str})
    assert list(frame) == [
        *("id", "label", "certainty_percent", "runner_up", "flags"),
        *("cluster_0", "cluster_1"),
        *("x", "y", "soil", "picked", "void", "kind", "same"),
    ]
    assert frame["id"].tolist()[:3] == ["007", "7", "=1+2"]
    assert frame["x"].tolist() == [0, 0, 1, 1, 9, 9, 8, 8]
    assert frame["flags"][1].startswith("judged")
    np.testing.assert_allclose(frame[["cluster_0", "cluster_1"]].sum(axis=1), 1)


def test_too_many_rows_for_a_format_are_told_before_the_fit(small, monkeypatch):
    monkeypatch.setattr("fuzzypairs.tables.writing.EXCEL_ROWS", 8)

    assert answers(run(*small, "--format", "xlsx"), "write csv or parquet")
    assert not small[-1].exists()


def test_options_reach_the_model(small):
    result = run(
        *small, "--alpha", "0.01", "--beta", "2.5", "--metric", "rbf",
        "--metric-param", "gamma=0.5", "--propagate", "0.5", "--fuzzifier", "1.8",
        "--init", "random", "--n-init", "3", "--max-iter", "50", "--seed", "4",
    )  # fmt: skip

    assert result.exit_code == 0, result.output
    told = json.loads((small[-1] / "summary.json").read_text())["options"]
    wanted = {
        "alpha": 0.01, "beta": 2.5, "metric": "rbf", "metric_params": {"gamma": 0.5},
        "fuzzifier": 1.8, "propagate": 0.5, "init": "random", "n_init": 3,
        "max_iter": 50, "random_state": 4, "n_clusters": 2,
    }  # fmt: skip
    assert {key: told[key] for key in wanted} == wanted
    kept = load(small[-1] / "model.skops")[-1]
    assert kept.get_params()["metric_params"] == {"gamma": 0.5}


@pytest.mark.parametrize(
    "more",
    [
        [],
        ["--seed", 3, "--n-init", 2, "--robust"],
        ["--metric", "euclidean", "--propagate", 0.5],
        ["--metric", "rbf", "--metric-param", "gamma=0.1", "--fuzzifier", 1.8],
        ["--alpha", 0.01, "--beta", 3, "--drop", "ash", "--no-scale"],
        ["--clusters", "2-4"],
    ],
    ids=str,
)
def test_stored_settings_give_the_same_memberships(wine, tmp_path, more):
    first, again = tmp_path / "first", tmp_path / "again"
    result = run(
        "fit", wine / "wine.csv", "--pairs", wine / "pairs.csv", "--id", "bottle",
        "--truth", "cultivar", "--clusters", 3, *more, "--out", first,
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    told = json.loads((first / "summary.json").read_text())
    assert f"The same again: {told['command']}" in result.stdout

    result = run(*shlex.split(told["command"])[1:], "--out", again)

    assert result.exit_code == 0, result.output
    name = "memberships.csv"
    assert (again / name).read_bytes() == (first / name).read_bytes()
    repeated = json.loads((again / "summary.json").read_text())
    assert repeated["options"] == told["options"]
    assert repeated.get("used") == told.get("used")


def test_the_files_alone_are_enough(tmp_path, monkeypatch):
    """The number of clusters is chosen, and the folder is named after the file."""
    monkeypatch.chdir(tmp_path)
    X, y = make_blobs([40, 30, 20], random_state=3)
    pd.DataFrame(X, columns=["x", "y"]).to_csv("table.csv", index=False)
    pairs = PairSet.from_labels(y, n_pairs=40, random_state=0)
    columns = {"i": pairs.i, "j": pairs.j, "grade": pairs.grade}
    pd.DataFrame(columns).to_csv("p.csv", index=False)

    result = run("fit", "table.csv", "--pairs", "p.csv")

    assert result.exit_code == 0, result.output
    assert "Chosen by 40 held-out judgements: --clusters 3" in result.stdout
    told = json.loads((tmp_path / "table-result" / "summary.json").read_text())
    assert told["clusters"]["found"] == 3
    assert told["verdict"]["level"] == "strong"
    assert told["tuning"]["chosen_by"] == "held-out pairs"


def test_many_rows_are_searched_by_some_and_fitted_by_all(wine, tmp_path, monkeypatch):
    monkeypatch.setattr("fuzzypairs.analysis.fit_rows.MOST_SEARCHED", 100)
    out = tmp_path / "out"
    result = run(
        "fit", wine / "wine.csv", "--pairs", wine / "pairs.csv", "--truth", "cultivar",
        "--clusters", "2-4", "--out", out, "--json",
    )  # fmt: skip

    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert "It was chosen on " in told["tuning"]["reason"]
    assert len(read_csv(out / "memberships.csv")) == told["rows"] == 178


def test_rows_with_gaps_are_less_sure_and_the_model_is_as_fitted(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(40, 4)) + np.repeat([[0], [4]], 20, axis=0))
    frame.iloc[3, :3] = np.nan
    frame.iloc[7] = np.nan
    frame.columns = list("pqrs")
    frame.to_csv(tmp_path / "data.csv", index_label="id")
    out = tmp_path / "out"
    result = run("fit", tmp_path / "data.csv", "--clusters", 2, "--out", out)

    assert result.exit_code == 0, result.output
    rows = read_csv(out / "memberships.csv")
    assert [n for n, row in enumerate(rows) if "mostly missing" in row["flags"]] == [
        3,
        7,
    ]
    assert float(rows[7]["certainty_percent"]) == 0
    page = (out / "report.html").read_text(encoding="utf-8")
    assert page.count("<td>mixed, mostly missing</td>") >= 1
    model = load(out / "model.skops")
    fitted = model[-1].memberships_
    np.testing.assert_allclose(fitted, model.predict_proba(frame), atol=1e-12)
    assert fitted[7].max() > 0.5


@pytest.mark.parametrize("more", [[], ["--with-data"], ["--category", "x"]])
def test_each_file_is_read_and_parsed_once(small, monkeypatch, more):
    done = []

    def noted(name):
        function = getattr(TableFile, name)

        def call(self, *arguments):
            result = function(self, *arguments)
            done.append((name, self.path.name))
            return result

        monkeypatch.setattr(TableFile, name, call)

    noted("__init__"), noted("read")
    result = run(*small, *more)

    assert result.exit_code == 0, result.output
    assert sorted(done) == [
        (name, file)
        for name in ("__init__", "read")
        for file in ("data.csv", "pairs.csv")
    ]


def test_quiet_prints_nothing(small):
    result = run(*small, "--quiet", env={"FORCE_COLOR": "1"})

    assert result.exit_code == 0
    assert result.output == ""
    assert (small[-1] / "report.html").exists()


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        ({}, GuidedFDC),
        ({"metric": "auto", "beta": "auto", "robust": False}, GuidedFDC),
        ({"metric": "auto", "beta": 2.0}, FDC),
        ({"robust": True}, FDC),
        ({"metric": "euclidean"}, FDC),
    ],
)
def test_a_metric_asks_for_the_model_of_the_paper(given, kind):
    model = build_model({**given, "n_init": 3, "out": "not a parameter"})

    assert type(model) is kind
    assert model.n_init == 3


def test_what_judgements_taught_is_in_the_model(wine, tmp_path):
    out, new = tmp_path / "out", tmp_path / "new.csv"
    result = run(
        "fit", wine / "wine.csv", "--pairs", wine / "pairs.csv", "--id", "bottle",
        "--drop", "cultivar", "--clusters", 3, "--out", out,
    )  # fmt: skip
    assert result.exit_code == 0, result.output

    assert (
        run("predict", out / "model.skops", wine / "wine.csv", "--out", new).exit_code
        == 0
    )
    agree = [
        before["label"] == after["label"]
        for before, after in zip(
            read_csv(out / "memberships.csv"), read_csv(new), strict=True
        )
    ]
    assert np.mean(agree) > 0.95


def test_judgements_are_optional(small):
    del small[2:4]
    result = run(*small, "--json")

    told = json.loads(result.stdout)["judgements"]
    assert told == {
        "given": 0, "alike": 0, "unlike": 0, "cant_say": 0, "held": 0,
        "agreement": None, "broken": [],
    }  # fmt: skip


def test_what_the_fit_warns_of_is_a_note(small):
    result = run(*small, "--max-iter", "1")

    assert result.exit_code == 0
    assert "note: the best run did not converge in 1 passes" in result.stdout
    told = json.loads((small[-1] / "summary.json").read_text())
    assert told["notes"][-1].startswith("the best run did not converge")


def test_names_are_text_and_not_markup(small):
    small[1].write_text(ROWS.replace("soil", "[red]soil"), encoding="utf-8")

    assert "[red]soil" in run(*small).stdout


def test_progress_is_for_terminals(small):
    result = run(*small, "--json", env={"FORCE_COLOR": "1"})

    assert "writing report.html" in result.stderr
    assert json.loads(result.stdout)["rows"] == 8


def test_force_replaces_results_and_nothing_else(small):
    out = small[-1]
    out.mkdir()
    (out / "summary.json").write_text("old")
    (out / "thesis.txt").write_text("mine")

    refused = run(*small)
    assert refused.exit_code == 2
    assert refused.stderr == (
        f"fuzzypairs: --out {out} exists: add --force to replace the results in it\n"
    )
    assert (out / "summary.json").read_text() == "old"

    assert run(*small, "--force").exit_code == 0
    assert sorted(os.listdir(out)) == sorted([*FILES, "thesis.txt"])
    assert json.loads((out / "summary.json").read_text())["rows"] == 8
    assert (out / "thesis.txt").read_text() == "mine"


def test_what_fails_while_writing_leaves_nothing(small, monkeypatch):
    def fail(*_):
        raise OSError("no space left")

    monkeypatch.setattr("fuzzypairs.save", fail)
    before = sorted(os.listdir(small[-1].parent))

    result = run(*small)

    assert result.exit_code == 1
    assert result.stderr == "fuzzypairs: no space left\n"
    assert sorted(os.listdir(small[-1].parent)) == before


STALL = """\
import sys, time
import fuzzypairs
from fuzzypairs import __main__

def save(model, path):
    path.write_text("half")
    print("saving", flush=True)
    time.sleep(60)

fuzzypairs.save = save
sys.argv[0] = "fuzzypairs"
__main__.main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_leaves_nothing(small, number):
    before = sorted(os.listdir(small[-1].parent))
    with subprocess.Popen(
        [sys.executable, "-c", STALL, *map(str, small)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout.readline() == "saving\n"
        assert len(os.listdir(small[-1].parent)) == len(before) + 1
        process.send_signal(number)
        _, errors = process.communicate(timeout=60)

    assert process.returncode in (1, 130)
    assert "Traceback" not in errors
    assert sorted(os.listdir(small[-1].parent)) == before


@pytest.mark.parametrize(
    "arguments",
    [
        ["--clusters", "1"],
        ["--clusters", "two"],
        ["--clusters", "2.5"],
        ["--seed", "-1"],
        ["--seed", str(2**32)],
        ["--fuzzifier", "soft"],
        ["--format", "ods"],
        ["--truht", "kind"],
    ],
)
def test_wrong_usage_is_told(tmp_path, arguments):
    put(tmp_path / "data.csv", DATA)

    result = run(
        "fit", tmp_path / "data.csv", "--clusters", 2, *arguments,
        "--out", tmp_path / "out",
    )  # fmt: skip

    assert answers(result, "--help lists the options")
    assert os.listdir(tmp_path) == ["data.csv"]


def test_two_judges_of_a_pair_stay_two_by_all_routes(tmp_path):
    header, *rows = DATA.splitlines(keepends=True)
    (tmp_path / "parts").mkdir()
    put(tmp_path / "parts" / "1.csv", "".join([header, *rows[:3]]))
    put(tmp_path / "parts" / "2.csv", "".join([header, *rows[3:]]))
    put(tmp_path / "data.csv", DATA)
    judged = [f"{a},{b},{g},{who}" for a, b, g in
              [("a", "b", 1), ("d", "e", 1), ("a", "d", -1), ("b", "f", -1)]
              for who in ("Ann", "Bob")]  # fmt: skip
    put(tmp_path / "pairs.csv", "\n".join(["a,b,grade,annotator", *judged]))
    command = ["judge", tmp_path / "data.csv", "--id", "id"]
    run(*command, "--import", tmp_path / "pairs.csv", input="q")
    for number, (data, pairs) in enumerate(
        [("data.csv", "data.db"), ("parts", "pairs.csv")]
    ):
        result = run(
            "fit", tmp_path / data, "--pairs", tmp_path / pairs, "--id", "id",
            "--clusters", 2, "--out", tmp_path / f"out{number}",
        )  # fmt: skip
        assert result.exit_code == 0, result.output
        summary = json.loads((tmp_path / f"out{number}" / "summary.json").read_text())
        assert summary["judgements"]["given"] == 8, (data, pairs)


def test_violated_judgements_say_who_judged(tmp_path):
    put(tmp_path / "data.csv", DATA)
    rows = [f"{a},{b},{2 * ((a in 'abc') == (b in 'abc')) - 1},{who}" for n, a in
            enumerate("abcdef") for b in "abcdef"[n + 1:]
            for who in ("Ann", "Bob")]  # fmt: skip
    rows[1] = "a,b,-1,Bob"
    put(tmp_path / "pairs.csv", "\n".join(["a,b,grade,annotator", *rows]))
    command = ["fit", tmp_path / "data.csv", "--pairs", tmp_path / "pairs.csv"]
    result = run(*command, "--id", "id", "--clusters", 2, "--out", tmp_path / "out")

    assert "violated: a and b, graded -1 by Bob" in result.output
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    (broken,) = summary["judgements"]["broken"]
    assert (broken["a"], broken["b"], broken["annotator"]) == ("a", "b", "Bob")
    assert "<td>Bob</td>" in (tmp_path / "out" / "report.html").read_text()


@pytest.mark.parametrize(
    "arguments",
    [[], ["--clusters", "2"], ["--out", "out"]],
)
def test_what_is_missing_is_told(arguments):
    result = run("fit", *arguments)

    assert result.exit_code == 2
    assert "Missing" in result.stderr
