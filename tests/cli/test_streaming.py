"""The command on files that are read block by block."""

import json
import signal
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_blobs

from catalogues import open_catalogue
from commands import run
from fuzzypairs.analysis.file_parts import PartWriter
from fuzzypairs.labelling.service import Service
from fuzzypairs.labelling.store import Event, Store
from fuzzypairs.tables import file_blocks
from fuzzypairs.tables.table_files import read_items

pytest.importorskip("dask")

N = 1500
NAMES = ["cluster_0", "cluster_1", "cluster_2"]
SETTINGS = ["--clusters", "3", "--metric", "euclidean", "--n-init", "2", "--seed", "1"]


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Three files of a table with ids, gaps and a category, and judgements of it."""
    X, truth = make_blobs(N, n_features=3, centers=3, cluster_std=2.0, random_state=0)
    rng = np.random.default_rng(0)
    ids = rng.permutation(9000)[:N]
    frame = pd.DataFrame(X, columns=["acid", "sugar", "ash"]).assign(item=ids)
    frame["soil"] = np.where(rng.random(N) < 0.3, "clay, wet", "sand")
    frame.loc[::70, "sugar"] = np.nan
    ends = rng.choice(N, (60, 2), replace=False)
    grade = np.where(truth[ends[:, 0]] == truth[ends[:, 1]], 0.9, -0.7)
    pairs = pd.DataFrame({"a": ids[ends[:, 0]], "b": ids[ends[:, 1]], "grade": grade})
    pairs.to_csv(tmp_path / "pairs.csv", index=False)
    frame.to_parquet(tmp_path / "all.parquet", index=False)
    for kind in ("parquet", "csv"):
        (tmp_path / kind).mkdir()
        for n, rows in enumerate(np.split(np.arange(N), [500, 1100])):
            part, path = frame.iloc[rows], tmp_path / kind / f"part{n}.{kind}"
            if kind == "csv":
                part.to_csv(path, index=False)
            else:
                part.to_parquet(path, index=False, row_group_size=200)
    monkeypatch.setattr(file_blocks, "BLOCK_BYTES", 10_000)
    return tmp_path


def fit(files, data, out, *more):
    pairs = ["--pairs", files / "pairs.csv", "--id", "item"]
    result = run("fit", data, *pairs, *SETTINGS, "--out", files / out, "--json", *more)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def memberships(folder):
    parts = sorted((folder / "memberships").glob("part-*.parquet"))
    return pd.concat([pd.read_parquet(part) for part in parts], ignore_index=True)


def fit_both_ways(files, *more):
    """Fit the table in memory and in blocks; return summaries and memberships."""
    common = [*more, "--id", "item", "--seed", "1", "--json"]
    whole, parts = files / "in-memory", files / "in-blocks"
    said = [
        run(
            "fit", files / "all.parquet", *common, "--out", whole, "--format", "parquet"
        ),
        run("fit", files / "parquet", *common, "--out", parts),
    ]
    assert [result.exit_code for result in said] == [0, 0], said[-1].output
    tables = pd.read_parquet(whole / "memberships.parquet"), memberships(parts)
    return [json.loads(result.stdout) for result in said], tables


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_blocks_give_the_fit_of_the_whole_table(files, kind):
    whole = fit(files, files / "all.parquet", "whole", "--format", "parquet")
    summary = fit(files, files / kind / f"*.{kind}", "blocks")
    assert summary["blocks"] > 3
    assert summary["rows"] == N
    assert summary["objective"] == pytest.approx(whole["objective"], rel=1e-6)
    assert summary["columns"] == whole["columns"]
    expected = pd.read_parquet(files / "whole" / "memberships.parquet")
    found = memberships(files / "blocks")
    assert found["id"].astype(str).tolist() == expected["id"].tolist()
    np.testing.assert_allclose(found[NAMES], expected[NAMES], atol=1e-5)
    assert summary["clusters"]["sizes"] == whole["clusters"]["sizes"]
    report = (files / "blocks" / "report.html").read_text("utf-8")
    assert "a sample of 1,500 of 1,500 rows" in report


def test_the_largest_memberships(files):
    fit(files, files / "parquet", "all")
    fit(files, files / "parquet", "top", "--top", "2")
    every, two = memberships(files / "all"), memberships(files / "top")
    U = np.sort(every[NAMES].to_numpy(), axis=1)
    np.testing.assert_allclose(two["membership_1"], U[:, 2], atol=1e-7)
    np.testing.assert_allclose(two["membership_2"], U[:, 1], atol=1e-7)
    assert (two["top_1"] == every["label"]).all()
    assert "cluster_0" not in two


def test_an_interrupted_run_is_resumed(files, monkeypatch):
    expected = fit(files, files / "parquet", "whole")
    write, written = PartWriter.write, []

    def fails_at_third(self, block, number, *rest):
        if len(written) == 2:
            raise OSError("the disk is full")
        written.append(number)
        return write(self, block, number, *rest)

    out = files / "result"
    arguments = [
        "fit", files / "parquet", "--pairs", files / "pairs.csv", "--id", "item",
        *SETTINGS, "--out", out, "--jobs", "1", "--json",
    ]  # fmt: skip
    monkeypatch.setattr(PartWriter, "write", fails_at_third)
    failed = run(*arguments)
    assert failed.exit_code != 0
    assert "the disk is full" in failed.output
    assert not out.exists()  # whole or not at all
    begun = files / ".result.partial"
    kept = {p: p.stat().st_mtime_ns for p in begun.glob("memberships/*.parquet")}
    assert len(kept) == 2

    monkeypatch.setattr(PartWriter, "write", write)
    monkeypatch.setattr(
        "fuzzypairs.analysis.analyse_files._fit", None
    )  # not fitted again
    again = run(*arguments)
    assert again.exit_code == 0, again.output
    summary = json.loads(again.stdout)
    assert summary["resumed"]
    assert summary["clusters"] == expected["clusters"]
    assert not begun.exists()
    for path, stamp in kept.items():
        assert (out / "memberships" / path.name).stat().st_mtime_ns == stamp
    pd.testing.assert_frame_equal(memberships(out), memberships(files / "whole"))
    names = {path.name for path in out.iterdir()}
    assert names == {"memberships", "model.skops", "report.html", "summary.json"}


def test_another_command_does_not_resume(files, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(PartWriter, "write", lambda *_: 1 / 0)
        arguments = ["fit", files / "parquet", *SETTINGS, "--id", "item"]
        failed = run(*arguments, "--out", files / "result")
        assert failed.exit_code != 0
    settings = [*arguments, "--alpha", "0", "--out", files / "result", "--json"]
    result = run(*settings)
    assert result.exit_code == 0, result.output
    assert not json.loads(result.stdout)["resumed"]


def test_predict(files):
    fit(files, files / "all.parquet", "whole", "--format", "parquet")
    model = files / "whole" / "model.skops"
    alone = run("predict", model, files / "all.parquet", "--out", files / "one.parquet")
    assert alone.exit_code == 0, alone.output
    result = run("predict", model, files / "csv", "--out", files / "many", "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["rows"] == N
    expected = pd.read_parquet(files / "one.parquet")
    np.testing.assert_allclose(
        memberships(files / "many")[NAMES], expected[NAMES], atol=1e-5
    )
    # The model of a fit in blocks reads a table in memory, too.
    fit(files, files / "parquet", "blocks")
    model = files / "blocks" / "model.skops"
    after = run("predict", model, files / "all.parquet", "--out", files / "two.parquet")
    assert after.exit_code == 0, after.output
    other = pd.read_parquet(files / "two.parquet")
    np.testing.assert_allclose(other[NAMES], expected[NAMES], atol=1e-5)


@pytest.mark.parametrize("with_pairs", [True, False])
def test_without_a_metric_blocks_give_the_fit_of_the_whole_table(files, with_pairs):
    more = ["--pairs", files / "pairs.csv"] if with_pairs else []
    (expected, found), (known, table) = fit_both_ways(files, "--clusters", "3", *more)
    whole, blocks = files / "in-memory", files / "in-blocks"
    assert found["blocks"] > 3
    assert found["options"] == expected["options"]
    np.testing.assert_allclose(table[NAMES], known[NAMES], atol=1e-5)
    if with_pairs:
        assert found["verdict"]["sentences"] == expected["verdict"]["sentences"]
        report = (blocks / "report.html").read_text("utf-8")
        assert found["verdict"]["sentences"][0].split(":")[0] in report
    for folder in (whole, blocks):
        out = ["--out", folder / "new.parquet"]
        again = run("predict", folder / "model.skops", files / "all.parquet", *out)
        assert again.exit_code == 0, again.output
    new, known = (pd.read_parquet(d / "new.parquet")[NAMES] for d in (blocks, whole))
    np.testing.assert_allclose(new, known, atol=1e-5)


def test_three_judgements_of_a_large_array(files, monkeypatch):
    monkeypatch.setattr(file_blocks, "LARGE_SHARE", 1e-12)
    X = pd.read_parquet(files / "all.parquet")[["acid", "sugar", "ash"]]
    np.save(files / "x.npy", X.to_numpy(np.float32))
    (files / "rows.csv").write_text("i,j,grade\n0,1,0.5\n3,900,-1\n5,6,0.4\n")
    result = run(
        "fit", files / "x.npy", "--pairs", files / "rows.csv", "--clusters", "3",
        "--out", files / "result", "--json",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    summary = json.loads(result.stdout)
    assert summary["judgements"]["given"] == 3
    assert summary["verdict"]["level"]
    assert memberships(files / "result")["row"].tolist() == list(range(N))


def test_a_large_file_is_read_in_blocks_and_says_so(files, monkeypatch):
    monkeypatch.setattr(file_blocks, "LARGE_SHARE", 1e-12)
    result = run(
        "fit", files / "all.parquet", "--clusters", "3", "--out", files / "result"
    )
    assert result.exit_code == 0, result.output
    assert "was read in" in result.output
    assert "1500 rows" in result.output


def test_on_a_cluster(files):
    distributed = pytest.importorskip("distributed")
    expected = fit(files, files / "parquet", "here")
    options = {"n_workers": 1, "threads_per_worker": 1, "processes": False}
    with distributed.LocalCluster(
        **options, dashboard_address=":0", host="127.0.0.1", protocol="tcp"
    ) as cluster:
        address = ["--scheduler", cluster.scheduler_address]
        summary = fit(files, files / "parquet", "there", *address)
    assert summary["objective"] == expected["objective"]
    pd.testing.assert_frame_equal(
        memberships(files / "there"), memberships(files / "here")
    )


def test_options_without_effect_are_said(files):
    more = ["--with-data", "--truth", "soil", "--format", "xlsx"]
    notes = fit(files, files / "parquet", "result", *more)["notes"]
    for name in ("--with-data", "soil", "xlsx"):
        assert any(name in note for note in notes)


def store_judgements(files, pairs, column):
    """Store judgements as the labelling page does, by ids or by row numbers."""
    if not column:
        ids = pd.Index(pd.read_parquet(files / "all.parquet")["item"])
        pairs[["a", "b"]] = pairs[["a", "b"]].apply(ids.get_indexer)
    with Store(files / "all.db") as store:
        store.set_facts({"id_column": column, "n_rows": str(N)})
        for a, b, grade in pairs.itertuples(index=False):
            store.append(Event("graded", str(int(a)), str(int(b)), "Ann", grade=grade))


@pytest.mark.parametrize("column", ["item", ""])
def test_stored_judgements(files, column):
    store_judgements(files, pd.read_csv(files / "pairs.csv"), column)
    expected = fit(files, files / "parquet", "whole")
    found = fit(files, files / "parquet", "result", "--pairs", files / "all.db")
    for name in ("given", "alike", "held", "agreement"):
        assert found["judgements"][name] == expected["judgements"][name]
    assert found["judgements"]["given"] == 60
    assert found["objective"] == expected["objective"]


def test_rows_without_ids_are_found_by_their_content(files):
    frame = pd.concat(map(pd.read_csv, sorted(files.glob("csv/*.csv"))))
    frame[::-1].to_csv(files / "judged.csv", index=False)
    ids = pd.Index(frame["item"][::-1])
    with Store(files / "all.db") as store:
        service = Service(open_catalogue(read_items(files / "judged.csv")), store)
        for a, b, grade in pd.read_csv(files / "pairs.csv").itertuples(index=False):
            service.answer("Ann", ids.get_loc(a), ids.get_loc(b), grade=grade)
    expected = fit(files, files / "csv", "whole")
    found = fit(files, files / "csv", "result", "--pairs", files / "all.db")
    for name in ("given", "alike", "held", "agreement"):
        assert found["judgements"][name] == expected["judgements"][name]
    assert found["judgements"]["given"] == 60
    assert found["objective"] == expected["objective"]


def test_answers_of_the_page_are_fitted_as_in_memory(files):
    _, truth = make_blobs(N, n_features=3, centers=3, cluster_std=2.0, random_state=0)
    rng = np.random.default_rng(1)
    rows = rng.permutation(N)[:40]
    ends = np.concatenate([np.c_[rows[:-1], rows[1:]], np.c_[rows[:-2], rows[2:]]])
    grade = np.where(truth[ends[:, 0]] == truth[ends[:, 1]], 0.9, -0.7)
    ids = pd.read_parquet(files / "all.parquet")["item"].to_numpy()
    table = pd.DataFrame({"a": ids[ends[:, 0]], "b": ids[ends[:, 1]], "grade": grade})
    store_judgements(files, table, "item")
    by = ["--pairs", files / "all.db", "--clusters", "3"]
    (whole, found), (expected, table) = fit_both_ways(files, *by)
    np.testing.assert_allclose(table[NAMES], expected[NAMES], atol=1e-5)
    assert found["judgements"] == whole["judgements"]
    assert found["judgements"]["given"] == len(ends)
    assert found["verdict"]["sentences"] == whole["verdict"]["sentences"]


def test_a_guided_fit_chooses_the_number_of_clusters_as_in_memory(files):
    by = ["--pairs", files / "pairs.csv", "--clusters", "2,3"]
    (whole, found), (expected, table) = fit_both_ways(files, *by)
    assert found["clusters"]["asked"] == whole["clusters"]["asked"] == 3
    np.testing.assert_allclose(table[NAMES], expected[NAMES], atol=1e-5)
    assert found["verdict"]["sentences"] == whole["verdict"]["sentences"]


def test_stored_judgements_by_id_need_the_column(files):
    with Store(files / "all.db") as store:
        store.set_facts({"id_column": "item", "n_rows": str(N)})
        store.append(Event("graded", "1", "2", "Ann", grade=0.5))
    out = ["--pairs", files / "all.db", *SETTINGS, "--out", files / "result"]
    result = run("fit", files / "parquet", *out)
    assert result.exit_code == 2
    assert "name the column of ids by --id" in " ".join(result.output.split())
    assert not (files / "result").exists()


@pytest.mark.parametrize("by_id", [True, False])
def test_the_number_of_clusters_is_chosen_as_in_memory(files, by_id):
    more = ["--clusters", "2-4"]
    if not by_id:
        pairs = pd.read_csv(files / "pairs.csv")
        ids = pd.Index(pd.read_parquet(files / "all.parquet")["item"])
        rows = {"i": ids.get_indexer(pairs["a"]), "j": ids.get_indexer(pairs["b"])}
        pairs.assign(**rows)[["i", "j", "grade"]].to_csv(
            files / "rows.csv", index=False
        )
        more += ["--pairs", files / "rows.csv"]
    whole = fit(files, files / "all.parquet", "whole", *more)
    found = fit(files, files / "parquet", "result", *more)
    assert found["clusters"]["asked"] == whole["clusters"]["asked"] == 3
    assert found["tuning"]["chosen_by"] == whole["tuning"]["chosen_by"]
    assert found["tuning"]["reason"].startswith(whole["tuning"]["reason"])
    assert "chosen on 1,500 of the rows" in found["tuning"]["reason"]
    assert found["objective"] == pytest.approx(whole["objective"], rel=1e-6)


def test_ids_are_looked_for_before_clusters_are_counted(files):
    with (files / "pairs.csv").open("a") as file:
        file.write("-5,-6,0.5\n")
    arguments = ["--pairs", files / "pairs.csv", "--id", "item", "--clusters", "2-3"]
    result = run("fit", files / "parquet", *arguments, "--out", files / "result")
    assert result.exit_code == 2
    assert "names 2 ids that no row of X has" in " ".join(result.output.split())


# Runs the command with small blocks, and is killed when a function is called again.
KILLED = """
import os, signal, sys
from fuzzypairs.analysis import analyse_files, analysis_result, file_parts
from fuzzypairs.tables import file_blocks
from fuzzypairs.__main__ import main

file_blocks.BLOCK_BYTES = 10_000
name, n_calls = sys.argv.pop(1), int(sys.argv.pop(1))
module = {
    "write": file_parts.PartWriter,
    "publish": analyse_files,
    "write_model": analysis_result.Result,
}[name]
before, calls = getattr(module, name), []

def dies(*args, **options):
    calls.append(name)
    if len(calls) > n_calls:
        os.kill(os.getpid(), signal.SIGKILL)
    return before(*args, **options)

setattr(module, name, dies)
sys.exit(main())
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs signals of Unix")
def test_killed_commands_leave_all_or_nothing(files):
    fit(files, files / "parquet", "whole")
    out = files / "result"
    arguments = [
        "fit", files / "parquet", "--pairs", files / "pairs.csv", "--id", "item",
        *SETTINGS, "--out", out, "--jobs", "1", "--json",
    ]  # fmt: skip
    # Before the fit is stored, between parts, and when all parts are written.
    for name, n_calls in (("write_model", 0), ("write", 3), ("publish", 0)):
        command = [
            sys.executable,
            "-c",
            KILLED,
            name,
            str(n_calls),
            *map(str, arguments),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == -signal.SIGKILL, done.stderr
        assert not out.exists()
    assert len(list((files / ".result.partial/memberships").iterdir())) > 4
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    assert not list(files.glob(".result*"))
    pd.testing.assert_frame_equal(memberships(out), memberships(files / "whole"))
    names = {path.name for path in out.iterdir()}
    assert names == {"memberships", "model.skops", "report.html", "summary.json"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (["--scheduler", "tcp://127.0.0.1:1"], "tcp://127.0.0.1:1 cannot be reached"),
        (["--id", "name"], "has no column 'name'; it has 'acid'"),
    ],
)
def test_errors(files, change, message, monkeypatch):
    import dask

    import distributed  # noqa: F401 - its defaults come first, or leaving removes them

    with dask.config.set({"distributed.comm.timeouts.connect": "1s"}):
        result = run(
            "fit", files / "parquet", *SETTINGS, "--out", files / "result", *change
        )
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())
    assert not (files / "result").exists()


def test_errors_of_files(files):
    out = ["--clusters", "2", "--out", files / "result"]
    missing = run("fit", files / "*.txt", *out)
    assert missing.exit_code == 2
    assert "has no file: expected" in " ".join(missing.output.split())
    (files / "parquet" / "more.csv").write_text("x\n1\n")
    mixed = run("fit", files / "parquet", *out)
    assert "has files of several kinds (.csv, .parquet)" in mixed.output
    (files / "csv" / "z.csv").write_text("acid\n1\n")
    odd = run("fit", files / "csv", *out)
    assert "do not have the same columns" in " ".join(odd.output.split())
    model = files / "model.skops"
    named = run("predict", model, files / "csv", "--out", files / "x.csv")
    assert named.exit_code == 2
