"""Programs as judges: questions, replies, and programs that misbehave."""

import asyncio
import json
import os
import sys
import time

import pandas as pd
import pytest

from catalogues import open_catalogue
from fuzzypairs.labelling.programs import (
    LONGEST_LINE,
    CommandJudge,
    JudgeError,
    make_question,
    match_reply,
    read_grade,
    read_json,
    read_line,
    read_piles,
)
from fuzzypairs.tables.table_files import read_items

QUESTION = {"question": "?", "a": {"id": "x"}, "b": {"id": "y"}}


@pytest.mark.parametrize(
    ("text", "grade"),
    [("0.7", 0.7), ("-1", -1.0), ("+.5", 0.5), (" 1.\n", 1.0), ("0", 0.0), ("-0", 0.0)],
)
def test_a_number_on_the_scale_is_a_grade(text, grade):
    assert read_grade(text).grade == grade


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "empty"), (" \n", "empty"), ("I would say 0.7", "not a number"),
        ("7/10", "not a number"), ("NaN", "not a number"), ("inf", "not a number"),
        ("0,7", "not a number"), ("0.7.", "not a number"), ("**0.7**", "not a number"),
        ("0.7\n0.8", "not a number"), ("1e-1", "not a number"),
        ("\u0660.\u0667", "not a number"),
        ("½", "not a number"), ("0x1", "not a number"), ("1_0", "not a number"),
        ("3", "not from -1 to 1"), ("-1.01", "not from -1 to 1"),
        ("1.0000001", "not from -1 to 1"), ("0." + "7" * 99, "not a number"),
        ("\u22120.5", "not a number"), ("70%", "not a number"),
        ("{0.7}", "not a number"),
    ],
)  # fmt: skip
def test_anything_else_is_none(text, problem):
    reply = read_grade(text)
    assert (reply.grade, reply.problem) == (None, problem)
    assert reply.text == text[:300]


@pytest.mark.parametrize(
    "text",
    ['{"a": NaN}', '{"a": Infinity}', '{"a": 1, "a": 2}', "[" * 100_000, b"\xff", "",
     '{"a": 1} x', "1" * 5000],
)  # fmt: skip
def test_json_is_read_strictly(text):
    with pytest.raises(ValueError, match=r"."):
        read_json(text)


@pytest.mark.parametrize(
    ("line", "number", "grade", "problem"),
    [
        ('{"id": 4, "grade": -0.5}', 4, -0.5, ""),
        ('{"id": 4, "grade": 1}', 4, 1.0, ""),
        ('{"id": 4, "skip": true, "note": "dark"}', 4, None, "skipped"),
        ('{"id": 4, "skip": true, "grade": 1}', 4, None, "not a number"),
        ('{"id": 4, "grade": 1, "skip": 1}', 4, None, "not a number"),
        ('{"id": 4, "grade": true}', 4, None, "not a number"),
        ('{"id": 4, "grade": "0.7"}', 4, None, "not a number"),
        ('{"id": 4, "grade": null}', 4, None, "not a number"),
        ('{"id": 4}', 4, None, "not a number"),
        ('{"id": 4, "grade": 3}', 4, None, "not from -1 to 1"),
        ('{"id": 4, "grade": 1e999}', 4, None, "not from -1 to 1"),
        ('{"id": 4, "grade": NaN}', None, None, "not a line of JSON"),
        ('{"id": 4, "grade": 1, "grade": -1}', None, None, "not a line of JSON"),
        ('{"id": true, "grade": 1}', None, None, "without the id of a question"),
        ('{"id": 4.0, "grade": 1}', None, None, "without the id of a question"),
        ('[4, 1]', None, None, "without the id of a question"),
        ("0.7", None, None, "without the id of a question"),
        ("Loading the model ...", None, None, "not a line of JSON"),
    ],
)  # fmt: skip
def test_lines(line, number, grade, problem):
    found, reply = read_line(line.encode() + b"\n")
    assert (found, reply.grade, reply.problem) == (number, grade, problem)
    assert reply.was_skipped == (problem == "skipped")


def test_half_of_a_line_is_no_reply():
    assert read_line(b'{"id": 4, "grade": 1}')[1].problem == "half of a line"


def program(tmp_path, body):
    """Return the command of a Python program that handles each question `q`."""
    path = tmp_path / "program.py"
    loop = "\n".join(f"    {line}" for line in body.splitlines())
    path.write_text(
        "import json, os, sys, time\n"
        "def say(**reply): print(json.dumps(reply), flush=True)\n"
        f"for q in map(json.loads, sys.stdin):\n{loop}\n"
    )
    return f"{sys.executable} {path}"


def ask(command, n=1, *, timeout=10.0):
    """Return the replies to n questions at once, or what was raised."""

    async def run():
        async with CommandJudge(command, timeout=timeout) as judge:
            asked = (judge.ask(QUESTION) for _ in range(n))
            return await asyncio.gather(*asked, return_exceptions=True)

    return asyncio.run(run())


def test_replies_may_come_in_any_order(tmp_path):
    body = (
        "waiting = globals().setdefault('waiting', [])\n"
        "waiting.append(q['id'])\n"
        "if len(waiting) == 5:\n"
        "    for number in reversed(waiting): say(id=number, grade=number / 10)"
    )
    replies = ask(program(tmp_path, body), 5)
    assert [reply.grade for reply in replies] == [0.1, 0.2, 0.3, 0.4, 0.5]


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("print('hm', flush=True)", "not a line of JSON"),
        ("say(id=q['id'], grade=7)", "not from -1 to 1"),
        ("say(id=q['id'], skip=True)", "skipped"),
        ("say(id=q['id'] + 5, grade=1)", "no reply in 1 s"),
        ("time.sleep(99)", "no reply in 1 s"),
        ("while True: say(id=99, grade=1); time.sleep(.01)", "no reply in 1 s"),
        ("sys.stdout.write('{'); sys.stdout.flush()", "no reply in 1 s"),
    ],
)
def test_programs_that_misbehave_give_no_grade(tmp_path, body, problem):
    started = time.monotonic()
    (reply,) = ask(program(tmp_path, body), timeout=1.0)
    assert (reply.grade, reply.problem) == (None, problem)
    assert reply.is_lost == problem.startswith("no reply")
    assert time.monotonic() - started < 8


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("os._exit(3)", "it ended with exit code 3"),
        (
            f"sys.stdout.write('x' * {3 * LONGEST_LINE}); sys.stdout.flush()",
            "a line of",
        ),
        ("while True: say(id=99, grade=1)", "1000 lines that answer no question"),
        ('sys.stdout.write(\'{"id": 1, "grade": 1}\'); os._exit(0)', "it ended with"),
    ],
)
def test_programs_that_cannot_go_on_end_the_run(tmp_path, body, said):
    replies = ask(program(tmp_path, body), 2)
    assert any(isinstance(one, JudgeError) and said in str(one) for one in replies)
    assert not any(getattr(one, "grade", None) for one in replies)


def test_no_program_and_no_command():
    with pytest.raises(JudgeError, match="'no-such-program' cannot be started: "):
        ask("no-such-program x")
    with pytest.raises(ValueError, match="No closing quotation"):
        CommandJudge("grade 'it")
    with pytest.raises(ValueError, match="--by is empty"):
        CommandJudge("  ")


def test_a_program_that_does_not_end_is_killed(tmp_path):
    child = tmp_path / "pid"
    body = (
        "import signal\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        f"open({str(child)!r}, 'w').write(str(os.getpid()))\n"
        "say(id=q['id'], grade=1)\n"
        "while True: time.sleep(1)"
    )
    (reply,) = ask(program(tmp_path, body))
    assert reply.grade == 1
    with pytest.raises(ProcessLookupError):
        os.kill(int(child.read_text()), 0)


def test_questions_hold_what_a_person_would_see(tmp_path):
    frame = pd.DataFrame(
        {"id": ["a", "b"], "said": ["The bus\nis late.", "¿Qué?"], "n": [1, 2]}
    )
    frame.to_csv(tmp_path / "said.csv", index=False)
    items = read_items(tmp_path / "said.csv", id_column="id", text=["said"])
    catalogue = open_catalogue(items, text="said")
    question = make_question(catalogue, (1, 0), "Same subject?")
    assert question == {
        "question": "Same subject?",
        "a": {"id": "b", "text": "¿Qué?", "cells": {"n": "2"}},
        "b": {"id": "a", "text": "The bus\nis late.", "cells": {"n": "1"}},
    }
    assert json.loads(json.dumps(question)) == question
    items = make_question(catalogue, (1, 0, 1), "Same subject?")["items"]
    assert [item.pop("number") for item in items] == [1, 2, 3]
    assert items == [question["a"], question["b"], question["a"]]


@pytest.mark.parametrize(
    "said",
    [0.7, None, [], [[]], [1, 2], [[1]], [[1], []], [[1, 2.0]], [[1, True]],
     [["1", "2"]], {"1": [2]}, [[1, [2]]], "[[1, 2]]"],
)  # fmt: skip
def test_what_is_no_piles(said):
    reply = read_piles(said)
    assert (reply.piles, reply.problem) == (None, "not piles")
    assert not reply.is_answer


def test_piles_are_of_the_items_that_were_asked_about():
    question = {"items": [{"number": n} for n in (1, 2, 3)]}
    right = read_piles([[3, 1], [2]])
    assert match_reply(right, question) is right
    assert read_piles([[1, 2], [2]]).problem == "an item in two piles"
    for wrong in ([[0, 1]], [[1, 4]]):
        reply = match_reply(read_piles(wrong), question)
        assert (reply.piles, reply.problem) == (None, "an item that is not 1 to 3")
    assert match_reply(read_grade("0.5"), question).problem == "not piles"
    assert match_reply(right, QUESTION).problem == "not a number"


def test_a_program_sorts_items(tmp_path):
    body = (
        "odd = [i['number'] for i in q['items'] if i['number'] % 2]\n"
        "say(id=q['id'], piles=[odd, [2]])"
    )
    question = {"question": "?", "items": [{"number": n, "id": "x"} for n in (1, 2, 3)]}

    async def sort():
        async with CommandJudge(program(tmp_path, body), timeout=10.0) as judge:
            return await judge.ask(question)

    assert asyncio.run(sort()).piles == ((1, 3), (2,))
    assert read_line(b'{"id": 1, "piles": [[1, 2]], "grade": 1}\n')[1].piles is None
