"""`fuzzypairs judge`: grades in a terminal."""

import json
import os
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

import pytest

from commands import DATA, answers, put, run
from fuzzypairs import PairSet


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "data.csv"
    put(path, DATA)
    return path


def judge(data, keys, *options):
    return run("judge", data, "--id", "id", "--annotator", "Ann", *options, input=keys)


def stored(data):
    with closing(sqlite3.connect(data.with_suffix(".db"))) as connection:
        return connection.execute(
            "SELECT kind, grade, annotator FROM answers"
        ).fetchall()


def test_one_key_is_one_grade(data):
    result = judge(data, "19 s7q")

    assert result.exit_code == 0, result.output
    assert stored(data) == [
        ("graded", -1.0, "Ann"),
        ("graded", 1.0, "Ann"),
        ("unsure", 0.0, "Ann"),
        ("skipped", None, "Ann"),
        ("graded", 0.5, "Ann"),
    ]
    assert "4 answers, 4 judged pairs" in result.output
    assert "Answer 4 stored: +0.5." in result.output
    assert " ≠" in result.output  # cells that differ, where there are no colours


def test_undo_redo_and_going_on_later(data):
    judge(data, "19uurq")
    assert [grade for _, grade, _ in stored(data)] == [-1.0]
    result = judge(data, "w5?q")  # why, a grade, an unknown key

    assert [grade for _, grade, _ in stored(data)] == [-1.0, 0.0]
    assert "Asked because" in result.output
    assert "Nothing to undo" in judge(data, "uuuq").output


def test_it_ends_where_nothing_is_left_or_the_keys_end(data):
    assert "Nothing is left worth asking" in judge(data, "9" * 40).output
    assert len(PairSet.from_store(data.with_suffix(".db"), ids=list("abcdef"))) == 15


def test_json_and_another_file(data, tmp_path):
    result = judge(data, "9q", "--db", tmp_path / "x.db", "--json")

    assert json.loads(result.stdout) == {
        "database": str(tmp_path / "x.db"), "answers": 1, "pairs": 1,
    }  # fmt: skip


def test_judgements_reach_a_fit(data, tmp_path):
    judge(data, "919191q")
    result = run(
        "fit", data, "--id", "id", "--pairs", data.with_suffix(".db"), "--clusters", 2,
        "--out", tmp_path / "out", "--json",
    )  # fmt: skip

    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["judgements"]["given"] == 6


def test_imported_judgements_and_a_changed_table_are_told(data, tmp_path):
    put(tmp_path / "pairs.csv", "a,b,grade\na,b,0.5\n")
    result = judge(data, "q", "--import", tmp_path / "pairs.csv")
    assert "1 judgements of" in result.output
    put(data, DATA.replace("a,0,0,p", "a,7,7,q"))
    result = judge(data, "q")

    assert "1 judged items have other cells: 'a'" in " ".join(result.output.split())


def test_mistakes_are_answered_by_a_sentence(data, tmp_path):
    assert answers(run("judge", data, "--id", "nobody"), "no column 'nobody'")
    put(data.with_suffix(".db"), "text\n" * 99)
    assert answers(judge(data, "q"), "no file of judgements")


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_no_key_of_a_fast_person_is_lost(data):
    import pty

    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "fuzzypairs", "judge", data, "--id", "id"]
    command += ["--annotator", "Ann"]
    with subprocess.Popen(command, stdin=theirs, stdout=subprocess.PIPE) as program:
        shown = b""
        while b"quit" not in shown:  # the first pair
            shown += program.stdout.read1()
        for key in b"19\x1a7282q":  # Ctrl-Z takes back, and does not suspend
            os.write(ours, bytes([key]))
            time.sleep(0.02)
        program.communicate(timeout=60)
    os.close(ours)
    os.close(theirs)

    assert [grade for _, grade, _ in stored(data)] == [-1.0, 0.5, -0.75, 0.75, -0.75]
