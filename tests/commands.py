"""The command as a test runs it."""

import csv
import subprocess
import sys

from typer.testing import CliRunner

from fuzzypairs.cli import app

# Six rows in two groups, and judgements of them: enough where no number matters.
DATA = "id,x,y,kind\na,0,0,p\nb,0,1,p\nc,1,0,p\nd,9,9,q\ne,9,8,q\nf,8,9,q\n"
PAIRS = "i,j,grade\n0,1,0.8\n0,3,-0.6\n"


def run(*arguments, **options):
    return CliRunner().invoke(app, [str(a) for a in arguments], **options)


def run_python(code, timeout=60):
    """Run code in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=timeout
    )


def read_csv(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def put(path, content):
    """Write text or bytes; None leaves no file."""
    if isinstance(content, str):
        path.write_text(content, encoding="utf-8")
    elif content is not None:
        path.write_bytes(content)


def answers(result, sentence, code=2):
    """Whether a run ended on one sentence for the user."""
    assert result.exit_code == code, result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert result.stdout == ""
    assert result.stderr.startswith("fuzzypairs: ")
    assert result.stderr.count("\n") == 1
    assert sentence in result.stderr
    return True
