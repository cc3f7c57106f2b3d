"""`fuzzypairs judge`: grades in a terminal."""

import itertools
import json
import os
import random
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, nullcontext

import pandas as pd
import pytest
from PIL import Image

from chat_server import completion, http, serving
from commands import DATA, answers, put, run, run_python
from fuzzypairs import PairSet
from fuzzypairs.cli.judge import judge as judge_pairs


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


def test_undo_and_going_on_later(data):
    judge(data, "19uq")
    assert [grade for _, grade, _ in stored(data)] == [-1.0]
    result = judge(data, "w5?q")  # why, a grade, an unknown key

    assert [grade for _, grade, _ in stored(data)] == [-1.0, 0.0]
    assert "Asked because" in result.output
    assert "Nothing to undo" in judge(data, "uuuq").output


def test_items_are_sorted_into_piles(data):
    # Six items: two piles of two, one item left out, one taken back and put elsewhere.
    result = judge(data, "9p1122u302?pq")
    pairs = PairSet.from_store(data.with_suffix(".db"), ids=list("abcdef"))

    assert "10 judgements stored by one answer" in result.output
    assert "2 answers" in result.output
    assert set(pairs.grade.tolist()) <= {-0.75, 0.75, 1.0}
    assert "Taken back." in judge(data, "puq").output
    assert len(stored(data)) == 1
    assert "Nothing to undo" in judge(data, "puuuq").output


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


def test_a_sorted_table_without_ids_keeps_its_judgements(data, tmp_path):
    frame = pd.read_csv(data).drop(columns="id")
    frame.assign(z=range(len(frame))).to_csv(data, index=False)
    assert run("judge", data, "--annotator", "Ann", input="919191q").exit_code == 0
    judged = []
    for name in ("before", "after"):
        command = ["fit", data, "--pairs", data.with_suffix(".db"), "--clusters", 2]
        result = run(*command, "--out", tmp_path / name, "--json")
        assert result.exit_code == 0, result.output
        broken = json.loads(result.stdout)["judgements"]["broken"]
        turn = {"before": lambda row: row, "after": lambda row: 5 - row}[name]
        judged.append(
            {(*sorted(map(turn, (p["i"], p["j"]))), p["grade"]) for p in broken}
        )
        pd.read_csv(data)[::-1].to_csv(data, index=False)
    assert judged[0] == judged[1] != set()

    pd.read_csv(data).assign(z=0, x=0, y=0).to_csv(data, index=False)
    command = ["fit", data, "--pairs", data.with_suffix(".db"), "--out", tmp_path / "c"]
    for result in (run(*command), run("judge", data, input="q")):
        assert answers(result, "the table is not the one that was judged: ")
        assert answers(result, "judgements with --id find rows")


def test_mistakes_are_answered_by_a_sentence(data, tmp_path):
    assert answers(run("judge", data, "--id", "nobody"), "no column 'nobody'")
    put(data.with_suffix(".db"), "text\n" * 99)
    assert answers(judge(data, "q"), "no file of judgements")


# What terminals send: xterm, the Linux console, rxvt, with Shift, with Alt.
EDITING_KEYS = {
    "PageUp": "\x1b[5~", "PageDown": "\x1b[6~", "Delete": "\x1b[3~", "Home": "\x1b[1~",
    "End": "\x1b[4~", "Insert": "\x1b[2~", "F1": "\x1bOP", "F5": "\x1b[15~",
    "F12": "\x1b[24~", "Linux F1": "\x1b[[A", "Up": "\x1b[A", "rxvt End": "\x1b[8~",
    "Shift-Right": "\x1b[1;2C", "Ctrl-Delete": "\x1b[3;5~", "Alt-5": "\x1b5",
    "Alt-PageUp": "\x1b\x1b[5~", "Shift-Tab": "\x1b[Z", "paste": "\x1b[200~",
    "mouse": "\x1b[M #9", "colour": "\x1b]11;rgb:1919/1919/1919\x07",
    "name": "\x1bP1+r9\x1b\\", "focus": "\x1b[I",
}  # fmt: skip


@pytest.mark.parametrize("sent", EDITING_KEYS.values(), ids=EDITING_KEYS)
def test_editing_keys_store_nothing_and_the_next_key_counts(data, sent):
    result = judge(data, f"{sent}9q")

    assert [grade for _, grade, _ in stored(data)] == [1.0]
    assert result.output.count("quit") == 2  # nor do they print the keys again


@pytest.fixture
def terminal():
    """Both ends of a pseudo-terminal: where keys are pressed, and where read."""
    pty = pytest.importorskip("pty", reason="needs a pseudo-terminal")
    ends = pty.openpty()
    yield ends
    for end in ends:
        os.close(end)


def test_keys_of_a_terminal(data, terminal):
    ours, theirs = terminal
    command = [sys.executable, "-m", "fuzzypairs", "judge", data, "--id", "id"]
    command += ["--annotator", "Ann"]
    with subprocess.Popen(command, stdin=theirs, stdout=subprocess.PIPE) as program:
        # Ctrl-Z takes back, and does not suspend.
        for key in (b"1", b"9", b"\x1a", b"7", b"\x1b[6~2", b"8", b"\x1b", b"2", b"q"):
            shown = b""
            while b"quit" not in shown and key != b"2":  # after ESC alone: nothing
                shown += program.stdout.read1()
            time.sleep(0.6)
            os.write(ours, key)
        program.communicate(timeout=60)

    assert [grade for _, grade, _ in stored(data)] == [-1.0, 0.5, -0.75, 0.75, -0.75]


@pytest.mark.parametrize(("seconds", "expected"), [(1e9, []), (0, [1.0, -1.0, None])])
def test_a_pair_that_nobody_saw_is_not_answered(
    data, terminal, monkeypatch, seconds, expected
):
    import tty

    ours, theirs = terminal
    tty.setraw(theirs)
    os.write(ours, b"91s")
    os.write(ours, b"q")
    monkeypatch.setattr("fuzzypairs.cli.judge.UNSEEN_SECONDS", seconds)
    with open(theirs, closefd=False) as keys, monkeypatch.context() as patched:
        patched.setattr(sys, "stdin", keys)
        patched.setattr("fuzzypairs.cli.judge.single_keys", nullcontext)
        judge_pairs(data=data, id_column="id", annotator="Ann")

    assert [grade for _, grade, _ in stored(data)] == expected


GRADER = """\
import json, os, sys, time
log = open(sys.argv[1], "a")
for line in sys.stdin:
    question = json.loads(line)
    a, b = question["a"], question["b"]
    log.write(" ".join(sorted([a["id"], b["id"]])) + "\\n")
    log.flush()
    gap = abs(float(a["cells"]["x"]) - float(b["cells"]["x"]))
    print(json.dumps({"id": question["id"], "grade": 1 - gap / 4.5}), flush=True)
"""


@pytest.fixture
def grader(tmp_path):
    """A command that grades by the column x, and logs the pairs it was asked."""
    put(tmp_path / "grader.py", GRADER)
    return f"{sys.executable} {tmp_path / 'grader.py'} {tmp_path / 'asked.log'}"


def test_a_command_grades(data, grader, tmp_path):
    options = ["--by", grader, "--questions", 10, "--annotator", "bot", "--json"]
    first = run("judge", data, "--id", "id", *options)
    second = run("judge", data, "--id", "id", *options)

    assert first.exit_code == second.exit_code == 0, first.output
    found = json.loads(second.stdout)
    assert (found["judge"], found["questions"], found["pairs"]) == ("bot", 5, 15)
    asked = (tmp_path / "asked.log").read_text().split("\n")[:-1]
    assert len(asked) == len(set(asked)) == 15
    grades = {grade for _, grade, _ in stored(data)}
    assert grades <= {1 - gap / 4.5 for gap in (0, 1, 7, 8, 9)}


def test_a_command_sorts_items_into_piles(data, tmp_path):
    put(
        tmp_path / "sorter.py",
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    question = json.loads(line)\n"
        "    piles = {}\n"
        "    for item in question['items']:\n"
        "        kind = float(item['cells']['x']) < 5\n"
        "        piles.setdefault(kind, []).append(item['number'])\n"
        "    reply = {'id': question['id'], 'piles': list(piles.values())}\n"
        "    print(json.dumps(reply), flush=True)\n",
    )
    command = ["judge", data, "--id", "id", "--piles", "--questions", 1]
    command += ["--by", f"{sys.executable} {tmp_path / 'sorter.py'}"]
    assert len(json.loads(run(*command, "--show-prompt").stdout)["items"]) == 6
    found = run(*command, "--json", "--annotator", "bot")
    assert json.loads(found.stdout)["pairs"] == 15
    pairs = PairSet.from_store(data.with_suffix(".db"), ids=list("abcdef"))
    assert all((grade > 0) == ((i < 3) == (j < 3)) for i, j, grade in pairs)
    assert len(set(pairs.answers)) == 1


def test_what_would_be_asked_is_shown_and_nothing_is_sent(data, grader, tmp_path):
    result = run("judge", data, "--id", "id", "--by", grader, "--show-prompt")
    question = json.loads(result.stdout)
    assert question["question"] == "Do these two belong together?"
    assert {"id", "cells"} <= question["a"].keys()
    assert not (tmp_path / "asked.log").exists()
    server = ["--by", "http://127.0.0.1:9/v1", "--model", "tiny", "--show-prompt"]
    result = run("judge", data, "--id", "id", *server, "--question", "Same kind?")
    assert result.stdout.startswith("POST http://127.0.0.1:9/v1/chat/completions\n{")
    assert "Same kind?" in result.stdout


def test_programs_are_compared_with_people(data, grader):
    pairs = [f"{a},{b},{2 * ((a in 'abc') == (b in 'abc')) - 1}" for n, a in
             enumerate("abcdef") for b in "abcdef"[n + 1:]]  # fmt: skip
    judge_all = ["judge", data, "--id", "id", "--import", data.with_name("pairs.csv")]
    for name in ("Ann", "Bob"):
        put(data.with_name("pairs.csv"), "\n".join(["a,b,grade", *pairs]))
        run(*judge_all, "--annotator", name, input="q")
    assert answers(
        run("judge", data, "--id", "id", "--compare"),
        "no judgements of both programs and people",
    )
    options = ["--by", grader, "--annotator", "bot", "--pairs", data.with_suffix(".db")]
    assert run("judge", data, "--id", "id", *options).exit_code == 0
    result = run("judge", data, "--id", "id", "--compare", "--json")

    (found,) = json.loads(result.stdout)["comparison"]
    assert found["shared_pairs"] == found["pairs_of_several_people"] == 15
    assert found["agreement"] == found["agreement_of_people"] == 1.0
    assert "not decided" in found["sentence"]
    assert found["more_pairs"] > 0


def test_a_server_grades_and_the_key_is_nowhere(data, tmp_path, monkeypatch):
    secret = "sk-do-not-tell-4711"
    monkeypatch.setenv("FUZZYPAIRS_API_KEY", secret)
    sent = [completion("0.5"), completion(f"no: {secret}"), secret.encode()]
    usage = {"prompt_tokens": 7, "completion_tokens": 1}
    outputs = []
    with serving(
        lambda n, _: http(completion("1", usage=usage) if n > 2 else sent[n])
    ) as (url, requests):
        command = ["judge", data, "--id", "id", "--by", url, "--model", "tiny"]
        outputs.append(run(*command, input="n\n"))
        assert outputs[0].exit_code == 2
        assert "Up to 100 questions go to" in outputs[0].stderr
        assert "cells of 'x', 'y', 'kind'" in outputs[0].stderr
        assert requests == []
        outputs.append(run(*command, "--questions", 6, "--yes"))
        outputs.append(run(*command, "--show-prompt"))
        outputs.append(run(*command, input="y\n"))
        outputs.append(run(*command[:-2], "--yes"))
        outputs.append(
            run(*command[:5], url.replace("127.0.0.1", "a.example"), "--yes")
        )
    assert len(requests) == 15
    assert "6 questions in" in outputs[1].output
    assert "4 graded, 0 can't say, 2 without a grade (1 not a" in outputs[1].output
    assert "21 tokens read and 3 written" in outputs[1].output
    assert "name the model by --model" in outputs[4].output
    assert all(secret not in one.output + one.stderr for one in outputs)
    assert all(
        headers["Authorization"] == f"Bearer {secret}" for _, headers, _ in requests
    )
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert all(secret.encode() not in path.read_bytes() for path in files)
    notes = run_python(
        "import sqlite3, sys\n"
        f"rows = sqlite3.connect({str(data.with_suffix('.db'))!r}).execute(\n"
        "    'SELECT note FROM events WHERE note > \"\"')\n"
        "print(sorted(note for note, in rows))"
    ).stdout
    assert notes == "['not a chat completion: [key]', 'not a number: no: [key]']\n"


def test_the_key_is_in_no_result_and_in_no_report_of_a_defect(
    data, tmp_path, monkeypatch
):
    secret = "sk-do-not-tell-4711"
    monkeypatch.setenv("FUZZYPAIRS_API_KEY", secret)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    contents = itertools.cycle(["0.5", f"no: {secret}", "-1", secret])
    with serving(lambda *_: http(completion(next(contents)))) as (url, _):
        command = ["judge", data, "--id", "id", "--by", url, "--model", "tiny", "--yes"]
        outputs = [run(*command, "--questions", 8, "--json")]
        options = ["--pairs", data.with_suffix(".db"), "--out", tmp_path / "out"]
        outputs.append(run("fit", data, "--id", "id", "--clusters", 2, *options))
        assert [one.exit_code for one in outputs] == [0, 0], outputs[1].output
        monkeypatch.setattr("fuzzypairs.labelling.chat.ChatJudge._read", failing)
        outputs.append(run(*command))
    assert "stopped by an error in the program" in outputs[2].stderr
    assert all(secret not in one.output + one.stderr for one in outputs)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {".db", ".log", ".html", ".json", ".csv"} <= {path.suffix for path in files}
    assert all(secret.encode() not in path.read_bytes() for path in files)


def failing(*_):
    raise RuntimeError("out of order")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--by", ""], "--by is empty"),
        (["--by", "cat", "--model", "tiny"], "--model is for a language model"),
        (["--by", "http://127.0.0.1:9/v1"], "name the model by --model"),
        (["--model", "tiny"], "--model is for a program: name it by --by"),
        (["--pairs", "x.csv"], "--pairs is for a program"),
        (["--show-prompt"], "--show-prompt shows what --by sends"),
        (["--by", "cat", "--pairs", "x.csv"], "x.csv"),
        (["--piles"], "--piles is for a program: name it by --by"),
        (["--by", "cat", "--piles", "--parallel", 4], "--parallel is for pairs"),
        (["--by", "cat", "--piles", "--pairs", "x.csv"], "--pairs is for pairs"),
    ],
)
def test_mistakes_about_programs_are_answered_by_a_sentence(data, options, sentence):
    result = run("judge", data, "--id", "id", *options)
    assert answers(result, sentence)


def test_a_program_that_fails_ends_with_a_sentence_and_code_1(data):
    result = run("judge", data, "--id", "id", "--by", "no-such-program")
    assert result.exit_code == 1
    assert "Stopped: 'no-such-program' cannot be started" in result.output


# 2 in the tests; `make kills` has 50.
KILLS = min(int(os.environ.get("FUZZYPAIRS_KILLS", "2")), 50)


def test_killed_while_a_program_judges(grader, tmp_path):
    path, rng = tmp_path / "many.csv", random.Random(0)
    rows = [f"r{row},{row % 7},{row}" for row in range(300)]
    put(path, "\n".join(["id,x,y", *rows]))
    log = tmp_path / "asked.log"
    command = [sys.executable, "-m", "fuzzypairs", "judge", path, "--id", "id"]
    command += ["--by", grader, "--annotator", "bot", "--questions", "5000"]
    known = set()
    for _ in range(KILLS):
        before = log.stat().st_size if log.exists() else 0
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as program:
            while not log.exists() or log.stat().st_size == before:
                time.sleep(0.01)
                assert program.poll() is None
            time.sleep(rng.uniform(0, 0.3))
            program.kill()
        time.sleep(0.2)
        asked = log.read_text()[before:].split("\n")[:-1]
        assert len(set(asked)) == len(asked)
        assert known.isdisjoint(asked)
        with closing(sqlite3.connect(path.with_suffix(".db"))) as connection:
            rows = connection.execute(
                "SELECT left_id, right_id FROM answers"
            ).fetchall()
        known |= {" ".join(sorted(pair)) for pair in rows}
        assert len(rows) == len(known)
        assert len(set(asked) - known) <= 1  # the one in flight
    assert len(known) > KILLS


def test_what_is_judged_comes_first(tmp_path):
    table = "id,tone,text\n" + "".join(f"{n},x{n},late train {n}\n" for n in range(9))
    put(tmp_path / "texts.csv", table)
    told = ["--text", "text", "--id", "id", "--features", "tfidf"]
    result = run("judge", tmp_path / "texts.csv", *told, input="q")
    assert 0 < result.output.index("late train") < result.output.index("tone")

    folder = tmp_path / "photos"
    folder.mkdir()
    for n in range(6):
        Image.new("RGB", (20, 20), (40 * n, 0, 0)).save(folder / f"p{n}.png")
    result = run("judge", folder, input="q")
    assert result.exit_code == 0, result.output
    assert "grade them by fuzzypairs label" in result.output


def test_a_folder_of_pictures_is_graded_by_a_program_and_by_a_model(tmp_path):
    folder = tmp_path / "photos"
    folder.mkdir()
    for name, color in (("a", "red"), ("b", "darkred"), ("c", "blue"), ("d", "navy")):
        Image.new("RGB", (40, 30), color).save(folder / f"{name}.png")
    put(
        tmp_path / "grader.py",
        "import json, sys\n"
        "from PIL import Image\n"
        "for line in sys.stdin:\n"
        "    question = json.loads(line)\n"
        "    reds = [Image.open(question[x]['picture']).getpixel((0, 0))[0] > 99\n"
        "            for x in 'ab']\n"
        "    grade = 1 if reds[0] == reds[1] else -1\n"
        "    print(json.dumps({'id': question['id'], 'grade': grade}), flush=True)\n",
    )
    options = ["--by", f"{sys.executable} {tmp_path / 'grader.py'}", "--json"]
    result = run("judge", folder, *options, "--annotator", "bot")
    assert result.exit_code == 0, result.output
    pairs = PairSet.from_store(tmp_path / "photos.db", ids=[f"{n}.png" for n in "abcd"])
    assert {(i, j) for i, j, grade in pairs if grade > 0} == {(0, 1), (2, 3)}
    assert len(pairs) == 6

    with serving(lambda *_: http(completion("0.5"))) as (url, requests):
        options = ["--by", url, "--model", "tiny", "--yes", "--questions", 2]
        result = run("judge", folder, *options)
    assert result.exit_code == 0, result.output
    content = requests[0][2]["messages"][1]["content"]
    assert [part["type"] for part in content] == ["text", "image_url", "image_url"]
    assert str(tmp_path) not in json.dumps(requests[0][2])
