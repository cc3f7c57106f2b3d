"""What a user sees on the terminal: tables, progress, notes and errors."""

import json
import os
import tempfile
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby
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

from fuzzypairs.cli.options import as_options
from fuzzypairs.exceptions import warnings_as_notes

if TYPE_CHECKING:
    from fuzzypairs._typing import Show
    from fuzzypairs.report import Table

__all__ = [
    "as_table",
    "check_file",
    "check_folder",
    "fail",
    "fail_unexpectedly",
    "new_terminal",
    "noun_of",
    "plain_errors",
    "print_json",
    "print_notes",
    "print_summary",
    "print_verdict",
    "progress",
    "warnings_as_notes",
]


# Violated judgements that are printed, and columns that have a line each.
SHOWN_BROKEN, SHOWN_COLUMNS = 5, 30
# Seconds of progress from which the time left is estimated: all of it.
LONG = 1e6


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


def noun_of(items: str) -> str:
    """Return what a row is called in a sentence."""
    return "row" if items == "embedding" else items


def print_summary(terminal: Console, told: Mapping[str, Any]) -> None:
    """Print what a person wants to know first of the summary of a result."""
    from fuzzypairs.report import Table

    judged, clusters = told["judgements"], told["clusters"]
    if judged["given"]:
        print_verdict(terminal, told["verdict"]["sentences"])
    print_notes(terminal, told["notes"])
    heads = ["column", "holds", "missing", "features", "what was done"]
    terminal.print(as_table(Table(heads, _column_lines(told["columns"]), "Columns")))
    noun = noun_of(told["items"])
    if "blocks" in told:
        terminal.print(escape(f"{told['data']} was read in {told['blocks']} blocks"))
    terminal.print(
        f"{told['rows']} {noun}s, {told['features']} features, {judged['given']} "
        f"judgements ({judged['alike']} alike, {judged['unlike']} unlike, "
        f"{judged['cant_say']} can't say)"
    )
    called = clusters.get("names") or list(map(str, range(clusters["found"])))
    rows: list[list[str | float]] = [
        [called[k], size, "" if sure is None else 100 * sure]
        for k, (size, sure) in enumerate(
            zip(clusters["sizes"], clusters["certainty"], strict=True)
        )
    ]
    heads = ["cluster", f"{noun}s", "certainty, %"]
    terminal.print(as_table(Table(heads, rows, "Clusters")))
    found, used = (
        f"{clusters['found']} of {clusters['asked']} clusters",
        told.get("used"),
    )
    if used:
        found += (
            f", alpha = {used['alpha']:.4g}, beta = {used['beta']:.4g}, metric "
            f"{used['metric']}"
        )
    terminal.print(found)
    if told["scores"] is not None:
        from fuzzypairs.analysis.analysis_result import CRITERIA

        shares = (
            f"{name} {100 * told['scores'][key]:.1f} %"
            for key, name in CRITERIA.items()
        )
        terminal.print(f"Against the true classes: {', '.join(shares)}")
    if judged["agreement"] is not None:
        terminal.print(
            f"The clusters satisfy {judged['held']} of "
            f"{judged['given'] - judged['cant_say']} judgements."
        )
    for pair in judged["broken"][:SHOWN_BROKEN]:
        one, other, grade, *_ = pair.values()
        by = f" by {pair['annotator']}" if pair.get("annotator") else ""
        said = f"  violated: {one} and {other}, graded {grade:g}{by}"
        terminal.print(escape(said))
    if "tuning" in told:
        terminal.print(escape(told["tuning"]["reason"]))
    if "report" in told:
        terminal.print(f"The report is {told['report']}.")
    if "command" in told:
        terminal.print(escape(f"The same again: {told['command']}"))


def _column_lines(columns: Sequence[Mapping[str, Any]]) -> list[list[str | float]]:
    """Return a line for each column, or for neighbours alike if they are many."""
    keys = ("kind", "n_missing", "n_features", "treatment")
    lines = [(column["name"], [column[key] for key in keys]) for column in columns]
    if len(lines) <= SHOWN_COLUMNS:
        return [[name, *told] for name, told in lines]
    found: list[list[str | float]] = []
    for told, group in groupby(lines, key=lambda line: line[1]):
        names = [name for name, _ in group]
        found.append([" to ".join(dict.fromkeys((names[0], names[-1]))), *told])
    return found


def print_verdict(terminal: Console, sentences: Sequence[str]) -> None:
    """Print what held-out judgements say of a result, the level in bold."""
    level, colon, first = sentences[0].partition(":")
    terminal.print(f"[bold]{escape(level + colon)}[/]{escape(first)}")
    for sentence in sentences[1:]:
        terminal.print(escape(sentence))


@contextmanager
def progress(*, percent: bool = False, quiet: bool = False) -> "Iterator[Show]":
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
        row, last = bar.add_task("", total=None), ""

        def show(doing: str, done: float, total: float) -> None:
            nonlocal last
            if doing != last:  # the time that is left is that of what is being done
                bar.reset(row)
                last = doing
            bar.update(row, description=escape(doing), completed=done, total=total)

        yield show


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
        fail(as_options(" ".join(str(error).split())), code=code)


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
