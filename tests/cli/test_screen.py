"""Places that results cannot go to, and what a terminal shows."""

import os
import sys
import warnings

import pytest
import typer

from commands import DATA, answers, put, run
from fuzzypairs.cli.screen import (
    as_table,
    fail,
    new_terminal,
    plain_errors,
    print_notes,
    warnings_as_notes,
)
from fuzzypairs.report import Table


@pytest.mark.parametrize("out", ["data.csv", "data.csv/out", "data.csv/deep/out"])
def test_a_file_in_the_way_is_never_replaced(tmp_path, out):
    put(tmp_path / "data.csv", DATA)

    result = run(
        "fit", tmp_path / "data.csv", "--clusters", 2, "--out", tmp_path / out,
        "--force",
    )  # fmt: skip

    assert answers(result, "is a file")
    assert (tmp_path / "data.csv").read_text() == DATA


@pytest.mark.skipif(sys.platform == "win32", reason="has other limits of names")
@pytest.mark.parametrize(
    "command", [["fit", "data.csv"], ["predict", "model.skops", "data.csv"]]
)
def test_a_name_that_is_too_long(command):
    result = run(*command, "--out", "o" * 400)
    assert answers(result, "File name too long")


@pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() == 0, reason="root may write everywhere"
)
def test_where_writing_is_not_allowed(tmp_path):
    put(tmp_path / "data.csv", DATA)
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)

    result = run("fit", tmp_path / "data.csv", "--clusters", 2, "--out", closed / "out")

    assert answers(result, "is not allowed", code=1)


def test_cells_are_text_and_not_markup():
    terminal = new_terminal()
    with terminal.capture() as printed:
        terminal.print(as_table(Table(["[red]head"], [["[b]cell"]], "[i]caption")))
        print_notes(terminal, ["[u]note"], indent="  ")
    lines = [line.strip(" ─") for line in printed.get().splitlines()]
    shown = ["[i]caption", "[red]head", "[b]cell", "note: [u]note"]
    assert [line for line in lines if line] == shown


def test_each_warning_is_a_note_once():
    with warnings_as_notes() as notes:
        for text in ("one", "two", "one"):
            warnings.warn(text, stacklevel=1)
        assert notes == []
    assert notes == ["one", "two"]


@pytest.mark.parametrize(
    ("error", "code", "sentence"),
    [
        (ValueError("a\n  b"), 2, "a b"),
        (FileNotFoundError("gone"), 2, "gone"),
        (ImportError("needs x"), 1, "needs x"),
        (MemoryError("9 GB"), 1, "not enough memory: 9 GB; take fewer rows or columns"),
    ],
)
def test_errors_are_one_sentence(capsys, error, code, sentence):
    with pytest.raises(typer.Exit) as stop, plain_errors(code=2):
        raise error
    assert stop.value.exit_code == code
    assert capsys.readouterr().err == f"fuzzypairs: {sentence}\n"


def test_errors_of_the_program_keep_their_traceback():
    with pytest.raises(ZeroDivisionError), plain_errors():
        raise ZeroDivisionError


def test_failing_names_the_program(capsys):
    with pytest.raises(typer.Exit) as stop:
        fail("no", code=1)
    assert stop.value.exit_code == 1
    assert capsys.readouterr().err == "fuzzypairs: no\n"
