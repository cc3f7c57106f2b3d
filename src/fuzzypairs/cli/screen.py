"""What commands share: tables, notes, progress and errors as a user sees them."""

import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NoReturn

import typer
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table as ScreenTable

if TYPE_CHECKING:
    from fuzzypairs.report import Table

__all__ = [
    "check_file",
    "check_out",
    "fail",
    "notes_of",
    "on_screen",
    "plain_errors",
    "progress",
    "warnings_as_notes",
]


def check_out(out: Path, force: bool) -> None:
    """Refuse a folder for results that would cost a user their files or their time."""
    if out.exists() and not out.is_dir():
        fail(f"--out {out} is a file: name a folder", code=2)
    if out.exists() and not force:
        fail(f"--out {out} exists: add --force to replace the results in it", code=2)
    _check_writable(out)


def check_file(out: Path, force: bool) -> None:
    """Refuse a file for results that would cost a user their files or their time."""
    if out.is_dir():
        fail(f"--out {out} is a folder: name a file in it", code=2)
    if out.exists() and not force:
        fail(f"--out {out} exists: add --force to replace it", code=2)
    if not out.parent.is_dir():
        fail(f"--out {out}: there is no folder {out.parent}; create it", code=2)
    _check_writable(out.parent)


def _check_writable(folder: Path) -> None:
    """Ask before a long run, not after it."""
    here = folder
    while not here.exists() and here != here.parent:
        here = here.parent
    if not here.is_dir():
        fail(f"--out {folder}: {here} is a file; name another folder", code=2)
    if not os.access(here, os.W_OK | os.X_OK):
        fail(f"--out {folder}: writing to {here} is not allowed", code=1)


def on_screen(table: "Table") -> ScreenTable:
    """Return a table for the terminal; what looks like markup in it is text."""
    caption = escape(table.caption) if table.caption else None
    shown = ScreenTable(title=caption, box=box.SIMPLE_HEAD, title_justify="left")
    for place, column in enumerate(table.columns):
        justify: Literal["left", "right"] = (
            "right" if table.has_numbers(place) else "left"
        )
        shown.add_column(escape(column), justify=justify, overflow="fold")
    for row in table.cells():
        shown.add_row(*map(escape, row))
    return shown


@contextmanager
def progress() -> Iterator[Callable[[str, int, int], None]]:
    """Lend a function that shows how far we are: on a terminal, else nowhere.

    It takes what is being done, how many steps are done, and how many there are.
    """
    screen = Console(stderr=True)
    columns = (
        SpinnerColumn(),
        MofNCompleteColumn(),
        BarColumn(),
        TextColumn("{task.description}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(
        *columns, console=screen, transient=True, disable=not screen.is_terminal
    ) as bar:
        row = bar.add_task("", total=None)

        def show(doing: str, done: int, total: int) -> None:
            bar.update(row, description=escape(doing), completed=done, total=total)

        yield show


@contextmanager
def notes_of() -> Iterator[list[str]]:
    """Lend a list that holds each warning once, as a sentence, when all is done."""
    notes: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield notes
    notes += dict.fromkeys(str(warning.message) for warning in caught)


@contextmanager
def warnings_as_notes(screen: Console) -> Iterator[None]:
    """Show each warning once, as a sentence without the line of code that gave it."""
    with notes_of() as notes:
        yield
    for note in notes:
        screen.print(f"   [yellow]note:[/] {escape(note)}")


@contextmanager
def plain_errors(code: int = 1) -> Iterator[None]:
    """Turn what can fail outside the program into a sentence and an exit code."""
    try:
        yield
    except ImportError as error:
        fail(str(error), code=1)  # what is not installed is no wrong usage
    except MemoryError as error:
        fail(f"not enough memory: {error}; take fewer rows or columns", code=1)
    except (OSError, ValueError) as error:
        fail(" ".join(str(error).split()), code=code)


def fail(sentence: str, *, code: int) -> NoReturn:
    """Say what is wrong on stderr, and end."""
    typer.echo(f"fuzzypairs: {sentence}", err=True)
    raise typer.Exit(code)
