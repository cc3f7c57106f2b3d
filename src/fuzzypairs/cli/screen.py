"""What commands share: tables, notes and errors as a user sees them."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NoReturn

import typer
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table as ScreenTable

if TYPE_CHECKING:
    from fuzzypairs.report import Table

__all__ = ["check_out", "fail", "on_screen", "plain_errors", "warnings_as_notes"]


def check_out(out: Path, force: bool) -> None:
    """Refuse a place for results that would cost a user their files."""
    if out.exists() and not out.is_dir():
        fail(f"--out {out} is a file: name a folder", code=2)
    if out.exists() and not force:
        fail(f"--out {out} exists: add --force to replace the results in it", code=2)


def on_screen(table: "Table") -> ScreenTable:
    """Return a table for the terminal."""
    shown = ScreenTable(title=table.caption, box=box.SIMPLE_HEAD, title_justify="left")
    for place, column in enumerate(table.columns):
        justify: Literal["left", "right"] = (
            "right" if table.has_numbers(place) else "left"
        )
        shown.add_column(column, justify=justify)
    for row in table.cells():
        shown.add_row(*row)
    return shown


@contextmanager
def warnings_as_notes(screen: Console) -> Iterator[None]:
    """Show each warning once, as a sentence without the line of code that gave it."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for note in dict.fromkeys(str(warning.message) for warning in caught):
        screen.print(f"   [yellow]note:[/] {escape(note)}")


@contextmanager
def plain_errors(code: int = 1) -> Iterator[None]:
    """Turn what can fail outside the program into a sentence and an exit code."""
    try:
        yield
    except ImportError as error:
        fail(str(error), code=1)  # what is not installed is no wrong usage
    except (OSError, ValueError) as error:
        fail(str(error), code=code)


def fail(sentence: str, *, code: int) -> NoReturn:
    """Say what is wrong on stderr, and end."""
    typer.echo(f"fuzzypairs: {sentence}", err=True)
    raise typer.Exit(code)
