"""`fuzzypairs reproduce`: the tables and figures of the paper."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from fuzzypairs import __version__
from fuzzypairs.cli import screen

# What is slow to load is imported where it is used: --help answers at once.
if TYPE_CHECKING:
    from fuzzypairs._typing import Show
    from fuzzypairs.reproduction.index_page import Piece
    from fuzzypairs.reproduction.targets import Plan

__all__ = ["reproduce"]

RUNS, TIMES = "runs.jsonl", "times.jsonl"
# Larger numbers are mistakes.
MOST = 10_000
# Seconds between lines of progress where there is no terminal.
PAUSE = 60


def reproduce(
    target: Annotated[
        str,
        typer.Argument(
            help="table2, fig-alpha, fig-kernel, table-faces, table-mahd, fig-lia, "
            "table-examples, or all."
        ),
    ],
    datasets: Annotated[
        str | None, typer.Option(help="Datasets, separated by commas.")
    ] = None,
    groups: Annotated[
        str | None, typer.Option(help="Groups of judgements, as in i,iv.")
    ] = None,
    methods: Annotated[
        str | None, typer.Option(help="Methods, separated by commas, as in fcm,fdc.")
    ] = None,
    tuning: Annotated[
        str | None,
        typer.Option(help="oracle (as the paper), fair, or both if left out."),
    ] = None,
    runs: Annotated[int, typer.Option(min=2, max=MOST, help="Random starts.")] = 20,
    draws: Annotated[
        int, typer.Option(min=1, max=MOST, help="Draws of judgements.")
    ] = 1,
    jobs: Annotated[int, typer.Option(min=1, max=MOST, help="Processes.")] = 1,
    out: Annotated[
        Path,
        typer.Option(
            help="The folder of runs and results; an interrupted run continues there."
        ),
    ] = Path("reproduction"),
    force: Annotated[
        bool, typer.Option("--force", help="Start over; replace what is in the folder.")
    ] = False,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Print only what was written, as JSON."),
    ] = False,
) -> None:
    """Reproduce the paper's tables and figures, beside the printed numbers."""
    from fuzzypairs.reproduction.index_page import write_pieces
    from fuzzypairs.reproduction.targets import TARGETS, make_plan
    from fuzzypairs.tables.atomic import staging

    if target not in (*TARGETS, "all"):
        known = ", ".join(TARGETS)
        screen.fail(f"there is no target {target!r}: expected {known} or all", code=2)
    if target == "all" and (datasets or groups or methods):
        screen.fail(
            "all takes no --datasets, --groups or --methods: name one target", code=2
        )
    _check_out(out, force)
    with screen.plain_errors(code=2):
        plans = [
            make_plan(
                name, datasets=_words(datasets), groups=_words(groups),
                methods=_words(methods), tunings=_tunings(tuning, name, target),
                n_starts=runs, n_draws=draws,
            )
            for name in (TARGETS if target == "all" else [target])
        ]  # fmt: skip
        _check_data(plans)
    with screen.plain_errors():
        out.mkdir(parents=True, exist_ok=True)
        if force:
            for name in (RUNS, TIMES):
                (out / name).unlink(missing_ok=True)
        pieces = _compute(plans, out, jobs)
        with staging(out) as folder:
            write_pieces(folder, pieces)
    if as_json:
        screen.print_json(_summary(out, pieces))
        return
    terminal = screen.new_terminal()
    for piece in pieces:
        if piece.tables:
            terminal.print(screen.as_table(piece.tables[0]))
    terminal.print("The page, tables, figures and runs are in:")
    typer.echo(out)


def _summary(out: Path, pieces: "list[Piece]") -> dict[str, Any]:
    """Return what --json prints."""
    return {
        "fuzzypairs": __version__,
        "out": str(out),
        "targets": [piece.name for piece in pieces],
        "tables": {
            piece.name: [
                {"caption": table.caption, "columns": table.columns, "rows": table.rows}
                for table in piece.tables
            ]
            for piece in pieces
        },
    }


def _compute(plans: "list[Plan]", out: Path, n_jobs: int) -> "list[Piece]":
    """Complete all runs, then make tables and figures of them."""
    from fuzzypairs.reproduction.index_page import make_piece
    from fuzzypairs.reproduction.runs import Runs
    from fuzzypairs.reproduction.targets import cells
    from fuzzypairs.reproduction.tuning import complete

    wanted = [cell for plan in plans for cell in cells(plan)]
    with Runs(out / RUNS) as kept:
        with _progress() as show:
            times = out / TIMES
            complete(wanted, kept, n_jobs=n_jobs, progress=show, times=times)
        kept.sort()
        return [make_piece(plan, kept.results) for plan in plans]


def _check_out(out: Path, force: bool) -> None:
    """Refuse a folder with files but no runs to go on from."""
    if out.exists() and not out.is_dir():
        screen.fail(f"--out {out} is a file: name a folder", code=2)
    is_ours = (out / RUNS).exists()
    if out.exists() and any(out.iterdir()) and not (is_ours or force):
        screen.fail(
            f"--out {out} holds files but no {RUNS} to go on from: name another "
            "folder, or add --force",
            code=2,
        )


def _check_data(plans: "list[Plan]") -> None:
    """Refuse datasets that cannot be loaded before the first fit."""
    from fuzzypairs.datasets import available

    wanted = dict.fromkeys(name for plan in plans for name in plan.datasets)
    if absent := [name for name in wanted if name not in available()]:
        raise ValueError(
            f"no data for {', '.join(absent)}: set FUZZYPAIRS_DATA to the folder of "
            "the benchmark data, or name other --datasets"
        )


def _tunings(text: str | None, name: str, target: str) -> list[str]:
    """Return the tunings asked for; with all targets, those that this one has."""
    from fuzzypairs.reproduction.targets import TARGETS
    from fuzzypairs.reproduction.tuning import TUNINGS

    lacking = set(TUNINGS).difference(TARGETS[name].tunings) if target == "all" else ()
    return [word for word in _words(text) if word not in lacking]


def _words(text: str | None) -> list[str]:
    return [word for word in (text or "").split(",") if word.strip()]


@contextmanager
def _progress() -> "Iterator[Show]":
    """Yield a function that shows progress; without a terminal, a line a minute."""
    is_terminal, last = Console(stderr=True).is_terminal, time.monotonic()
    with screen.progress(percent=True) as draw:

        def show(doing: str, done: float, total: float) -> None:
            nonlocal last
            draw(doing, done, total)
            if not is_terminal and time.monotonic() - last > PAUSE:
                last = time.monotonic()
                typer.echo(f"{done / total:.0%} of what is known: {doing}", err=True)

        yield show
