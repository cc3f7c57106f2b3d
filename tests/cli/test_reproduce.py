"""`fuzzypairs reproduce` as a user runs it, and as it is killed."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from commands import answers, run
from fuzzypairs.reproduction import tuning

QUICK = ["table2", "--datasets", "wine", "--groups", "iv", "--methods", "fcm,fdc",
         "--runs", "3"]  # fmt: skip
FILES = {"index.html", "index.md", "runs.jsonl", "table2.csv", "table2.md",
         "table2.tex", "times.jsonl"}  # fmt: skip


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """One whole run, shared: its folder and what it printed."""
    out = tmp_path_factory.mktemp("reproduction") / "out"
    result = run("reproduce", *QUICK, "--out", out)
    assert result.exit_code == 0, result.output
    return out, result.output


def test_quick_call(done):
    out, printed = done
    assert {file.name for file in out.iterdir()} == FILES
    assert "94.87" in printed
    assert str(out) in printed
    page = (out / "index.html").read_text(encoding="utf-8")
    assert "96.54±0.00" in page


def test_tables_never_refit(done, monkeypatch):
    out, _ = done

    def refit(run):
        raise AssertionError(f"{run} was fitted again")

    monkeypatch.setattr(tuning, "perform", refit)
    before = {file.name: file.read_bytes() for file in out.iterdir()}
    result = run("reproduce", *QUICK, "--out", out, "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["targets"] == ["table2"]
    assert {file.name: file.read_bytes() for file in out.iterdir()} == before


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_killed_again_and_again(done, tmp_path, n_jobs):
    """Kills, wherever they hit, and any number of processes end with the same files."""
    whole = done[0]
    out = tmp_path / "out"
    command = [sys.executable, "-m", "fuzzypairs", "reproduce", *QUICK,
               "--out", str(out), "--jobs", str(n_jobs)]  # fmt: skip
    n_lines = len((whole / "runs.jsonl").read_bytes().splitlines())
    for share in (0.2, 0.7):
        kill_at(command, out / "runs.jsonl", share * n_lines)
    left = (out / "runs.jsonl").read_bytes()
    assert n_lines > len(left.splitlines()) >= 0.7 * n_lines - 1
    # As if the last kill had torn a line.
    (out / "runs.jsonl").write_bytes(left + b'{"dataset":"wi')
    subprocess.run(command, check=True, capture_output=True)
    for name in FILES - {"times.jsonl"}:
        assert (out / name).read_bytes() == (whole / name).read_bytes()


def kill_at(command, path, n_lines):
    """Start the command, and kill it when its file has so many lines."""
    with subprocess.Popen(command, stderr=subprocess.PIPE) as process:
        while not path.exists() or path.read_bytes().count(b"\n") < n_lines:
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.01)
        children = children_of(process.pid)
        process.send_signal(signal.SIGKILL if os.name == "posix" else signal.SIGTERM)
    deadline = time.monotonic() + 30
    while any(Path(f"/proc/{child}").exists() for child in children):
        assert time.monotonic() < deadline, f"{children} outlived their parent"
        time.sleep(0.05)


def children_of(pid):
    """Return the processes that a process has started, where the system tells."""
    listed = Path(f"/proc/{pid}/task/{pid}/children")
    return listed.read_text().split() if listed.exists() else []


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["table9"], "there is no target 'table9': expected table2, fig-alpha"),
        (["table2", "--datasets", "iris"], "table2 has no dataset 'iris'"),
        (["table2", "--groups", "v"], "table2 has no group 'v'"),
        (["table2", "--methods", "fdc,x"], "table2 has no method 'x': expected some"),
        (["table2", "--tuning", "best"], "table2 has no tuning 'best'"),
        (["all", "--datasets", "wine"], "all takes no --datasets"),
    ],
)
def test_bad_options(options, sentence, tmp_path):
    result = run("reproduce", *options, "--out", tmp_path / "out")
    assert answers(result, sentence)
    assert not (tmp_path / "out").exists()


def test_missing_data(tmp_path, monkeypatch):
    monkeypatch.setattr("fuzzypairs.datasets.available", lambda: ["wine"])
    result = run("reproduce", "table2", "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert "no data for soybean, zoo" in result.stderr


def test_a_folder_of_other_files_is_left_alone(tmp_path):
    (tmp_path / "thesis.tex").write_text("mine")
    result = run("reproduce", *QUICK, "--out", tmp_path)
    assert result.exit_code == 2
    assert "holds files but no runs.jsonl to go on from" in result.stderr
    assert [file.name for file in tmp_path.iterdir()] == ["thesis.tex"]
    result = run("reproduce", *QUICK, "--out", tmp_path / "thesis.tex")
    assert result.exit_code == 2
    assert "is a file: name a folder" in result.stderr


def test_force_starts_over(done, tmp_path):
    (tmp_path / "runs.jsonl").write_text("damaged\n")
    refused = run("reproduce", *QUICK, "--out", tmp_path)
    assert refused.exit_code == 1
    assert "line 1 of" in refused.stderr
    again = run("reproduce", *QUICK, "--out", tmp_path, "--force")
    assert again.exit_code == 0, again.output
    runs = (tmp_path / "runs.jsonl").read_bytes()
    assert runs == (done[0] / "runs.jsonl").read_bytes()
