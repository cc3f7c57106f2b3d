"""What a user sees on the terminal: tables, progress, notes and errors."""

import json
import os
import re
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import typer
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table as ScreenTable

if TYPE_CHECKING:
    from fuzzypairs.report import Table

__all__ = [
    "as_table",
    "check_file",
    "check_folder",
    "fail",
    "fail_unexpectedly",
    "new_terminal",
    "plain_errors",
    "print_json",
    "print_notes",
    "print_verdict",
    "progress",
    "warnings_as_notes",
]


# Seconds of progress from which the time left is estimated: all of it.
LONG = 1e6
# Parameters of the library, and the options that set them.
OPTIONS = {
    "n_clusters": "--clusters",
    "n_init": "--n-init",
    "max_iter": "--max-iter",
    "random_state": "--seed",
    "n_jobs": "--jobs",
    "metric_params": "--metric-param",
    "date_order": "--date-order",
    "n_splits": "--folds",
    "n_repeats": "--repeats",
}
PARAMETER = re.compile(rf"\b({'|'.join(OPTIONS)})\b")
# Parameters that are called like their options, and like words of other messages.
PLAIN = {"alpha", "beta", "fuzzifier", "init", "metric", "propagate", "robust"}


def check_folder(out: Path, force: bool) -> None:
    """Refuse an --out that is not a folder, or holds results and no --force."""
    _check_name(out)
    if out.exists() and not out.is_dir():
        fail(f"--out {out} is a file: name a folder", code=2)
    if out.exists() and not force:
        fail(f"--out {out} exists: add --force to replace the results in it", code=2)
    _check_writable(out)


def check_file(out: Path, force: bool) -> None:
    """Refuse an --out that is a folder, or a file that exists and no --force."""
    _check_name(out)
    if out.is_dir():
        fail(f"--out {out} is a folder: name a file in it", code=2)
    if out.exists() and not force:
        fail(f"--out {out} exists: add --force to replace it", code=2)
    if not out.parent.is_dir():
        fail(f"--out {out}: there is no folder {out.parent}; create it", code=2)
    _check_writable(out.parent)


def _check_name(out: Path) -> None:
    try:
        out.exists()
    except OSError as error:  # a name that is too long, a folder that nobody may read
        fail(f"--out {out!s:.60}: {error.strerror}", code=2)


def _check_writable(folder: Path) -> None:
    """Check the nearest existing parent before a long run, not after it."""
    here = folder
    while not here.exists() and here != here.parent:
        here = here.parent
    if not here.is_dir():
        fail(f"--out {folder}: {here} is a file; name another folder", code=2)
    if not os.access(here, os.W_OK | os.X_OK):
        fail(f"--out {folder}: writing to {here} is not allowed", code=1)


def new_terminal(*, stderr: bool = False) -> Console:
    """Return a terminal that prints text as it is."""
    return Console(stderr=stderr, highlight=False, soft_wrap=True)


def as_table(table: "Table") -> ScreenTable:
    """Return a table for the terminal; markup in its cells is printed as text."""
    caption = escape(table.caption) if table.caption else None
    shown = ScreenTable(title=caption, box=box.SIMPLE_HEAD, title_justify="left")
    for place, column in enumerate(table.columns):
        shown.add_column(
            escape(column),
            justify="right" if table.has_numbers(place) else "left",
            overflow="fold",
        )
    for row in table.cells():
        shown.add_row(*map(escape, row))
    return shown


def print_json(summary: Any) -> None:
    """Print what --json asks for."""
    typer.echo(json.dumps(summary, indent=2))


def print_notes(terminal: Console, notes: Sequence[str], indent: str = "") -> None:
    """Print warnings as sentences."""
    for note in notes:
        terminal.print(f"{indent}[yellow]note:[/] {escape(note)}")


def print_verdict(terminal: Console, sentences: Sequence[str]) -> None:
    """Print what held-out judgements say of a result, the level in bold."""
    level, colon, first = sentences[0].partition(":")
    terminal.print(f"[bold]{escape(level + colon)}[/]{escape(first)}")
    for sentence in sentences[1:]:
        terminal.print(escape(sentence))


@contextmanager
def progress(
    *, percent: bool = False, quiet: bool = False
) -> Iterator[Callable[[str, float, float], None]]:
    """Yield a function that shows progress on a terminal, and nothing elsewhere.

    It takes what is being done, how much is done, and how much there is: steps, or
    any unit with `percent`.
    """
    terminal = Console(stderr=True)
    columns = (
        SpinnerColumn(),
        TaskProgressColumn() if percent else MofNCompleteColumn(),
        BarColumn(),
        TextColumn("{task.description}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(
        *columns,
        console=terminal,
        transient=True,
        speed_estimate_period=LONG,
        disable=quiet or not terminal.is_terminal,
    ) as bar:
        row = bar.add_task("", total=None)

        def show(doing: str, done: float, total: float) -> None:
            bar.update(row, description=escape(doing), completed=done, total=total)

        yield show


@contextmanager
def warnings_as_notes() -> Iterator[list[str]]:
    """Yield a list that holds each warning once, as a sentence, at the end."""
    notes: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield notes
    notes += dict.fromkeys(str(warning.message) for warning in caught)


@contextmanager
def plain_errors(code: int = 1) -> Iterator[None]:
    """Turn errors a user can cause or repair into a sentence and an exit code."""
    try:
        yield
    except ImportError as error:
        fail(str(error), code=1)  # a missing library is not wrong usage
    except MemoryError as error:
        fail(f"not enough memory: {error}; take fewer rows or columns", code=1)
    except (OSError, ValueError) as error:
        fail(in_options(" ".join(str(error).split())), code=code)


def in_options(sentence: str) -> str:
    """Return a message with options of the command for parameters of the library."""
    named = PARAMETER.sub(lambda found: OPTIONS[found[0]], sentence)
    first, _, rest = named.partition(" ")
    if first in PLAIN and rest.startswith(("must ", "is ")):
        named = f"--{first} {rest}"
    return re.sub(r" of type \w+$", "", named)


def fail(sentence: str, *, code: int) -> NoReturn:
    """Print an error to stderr, and exit."""
    typer.echo(f"fuzzypairs: {sentence}", err=True)
    raise typer.Exit(code)


def fail_unexpectedly(error: Exception) -> NoReturn:
    """Print that the program has a defect, and which file says where; exit."""
    try:
        with tempfile.NamedTemporaryFile(
            "w", prefix="fuzzypairs-", suffix=".log", delete=False, encoding="utf-8"
        ) as log:
            log.write("".join(traceback.format_exception(error)))
        details = f"{log.name} has the details"
    except OSError as other:  # a disk that is full
        details = f"the details could not be written ({other})"
    reason = " ".join(f"{type(error).__name__}: {error}".split())
    fail(
        f"stopped by an error in the program ({reason:.200}); {details}: please report "
        "it",
        code=1,
    )
