"""The command itself, before any of its commands."""

import sys
import tempfile

import pytest

from commands import answers, run, run_python
from fuzzypairs import __version__
from fuzzypairs.__main__ import main

COMMANDS = ["demo", "fit", "predict", "tune", "compare", "datasets", "reproduce"]
COMMANDS += ["judge", "bench"]


def test_version():
    assert run("--version").output == f"fuzzypairs {__version__}\n"


def test_help_names_every_command():
    text = run("--help").output
    assert all(command in text for command in COMMANDS)


def test_the_module_runs_and_starts_light():
    result = run_python(
        "import runpy, sys\n"
        "sys.argv = ['fuzzypairs', '--version']\n"
        "try:\n"
        "    runpy.run_module('fuzzypairs', run_name='__main__')\n"
        "finally:\n"
        "    print(sorted({'matplotlib', 'skops', 'jinja2'} & set(sys.modules)))\n"
    )

    assert result.returncode == 0, result.stderr
    assert result.stdout == f"fuzzypairs {__version__}\n[]\n"


@pytest.mark.parametrize("command", COMMANDS)
def test_help_loads_nothing_slow(command):
    result = run_python(
        "import sys\n"
        "from fuzzypairs.cli import app\n"
        "try:\n"
        f"    app([{command!r}, '--help'])\n"
        "finally:\n"
        "    assert not {'pandas', 'matplotlib', 'numpy'} & set(sys.modules)\n"
    )

    assert result.returncode == 0, result.stderr
    assert "--json" in result.stdout


def test_an_unexpected_error_is_a_sentence_and_a_log(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(
        "fuzzypairs.datasets.available", lambda: {}["a key\nthat is missing"]
    )

    result = run("datasets")

    assert answers(result, "an error in the program (KeyError: 'a key", code=1)
    [log] = tmp_path.iterdir()
    assert str(log) in result.stderr
    assert "Traceback (most recent call last)" in log.read_text()


def test_without_typer_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "typer", None)
    monkeypatch.delitem(sys.modules, "fuzzypairs.cli")

    with pytest.raises(SystemExit) as stop:
        main()
    assert stop.value.code == (
        "the command fuzzypairs needs typer: pip install 'fuzzypairs[cli]'"
    )
