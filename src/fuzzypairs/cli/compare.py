"""`fuzzypairs compare`: all methods on a user's own file."""

import csv
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from fuzzypairs import __version__
from fuzzypairs.cli import options, screen

# What is slow to load is imported where it is used: --help answers at once.
if TYPE_CHECKING:
    from fuzzypairs.cli.outputs import Task
    from fuzzypairs.report import Table
    from fuzzypairs.selection.comparison import Outcome

__all__ = ["compare"]

# Short, so that the table fits a terminal of 80 columns.
HEADS = {
    "normalized_ari": "norm. ARI",
    "nmi": "NMI",
    "rand_index": "Rand",
    "hungarian_accuracy": "accuracy",
    "pair_agreement": "pairs",
}


def compare(
    context: typer.Context,
    data: options.Data,
    *,
    pairs: options.JudgedPairs,
    id_column: options.IdColumn = None,
    truth: options.Truth = None,
    drop: options.Drop = None,
    no_scale: options.NoScale = False,
    category: options.Category = None,
    number: options.Number = None,
    date: options.DateColumn = None,
    date_order: options.DateOrder = None,
    grade_scale: options.GradeScale = None,
    clusters: Annotated[
        int | None,
        options.of_model(
            parser=options.count,
            metavar="INTEGER",
            help="How many clusters to find; the number of classes of --truth if left "
            "out.",
        ),
    ] = None,
    methods: Annotated[
        str | None,
        options.of_model(help="Methods to run, separated by commas; all if left out."),
    ] = None,
    seed: options.Seed = 0,
    out: options.Out,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Compare all methods on your data and judgements in one table."""
    screen.check_folder(out, force)
    with screen.plain_errors(code=2), screen.warnings_as_notes() as notes:
        from fuzzypairs.cli.outputs import read_task
        from fuzzypairs.selection import comparison
        from fuzzypairs.tables.atomic import staging

        names = methods.split(",") if methods else list(comparison.METHODS)
        chosen = comparison.pick_methods(names)
        task = read_task(data, pairs, context.params, clusters)
    with screen.plain_errors():
        with screen.progress() as show:
            outcomes = comparison.compare(
                task.X, task.pairs, task.n_clusters, truth=task.items.truth,
                methods=chosen, random_state=seed, progress=show,
            )  # fmt: skip
        summary = _summary(task, outcomes, seed) | {"notes": notes}
        with staging(out) as folder:
            _write(folder, task, outcomes, summary)
    if as_json:
        screen.print_json(summary)
    else:
        _show(task, outcomes, notes, out)
    if all(row.error for row in outcomes):
        screen.fail(f"no method succeeded: {out / 'comparison.csv'} says why", code=1)


def _summary(task: "Task", outcomes: "Sequence[Outcome]", seed: int) -> dict[str, Any]:
    """Return what comparison.json holds."""
    return {
        "fuzzypairs": __version__,
        "data": str(task.items.path),
        "rows": task.items.n_rows,
        "features": task.X.shape[1],
        "pairs": len(task.pairs),
        "clusters": task.n_clusters,
        "seed": seed,
        "columns": [asdict(column) for column in task.preparation.columns_],
        "methods": [row.as_dict() for row in outcomes],
    }


def _write(
    folder: Path, task: "Task", outcomes: "Sequence[Outcome]", summary: dict[str, Any]
) -> None:
    from fuzzypairs.cli.outputs import write_json
    from fuzzypairs.plots.method_bars import plot_comparison

    rows = summary["methods"]
    _write_csv(folder / "comparison.csv", rows[0], (row.values() for row in rows))
    n_rows, ids = task.items.n_rows, task.items.ids
    labels = [
        [""] * n_rows if row.labels is None else row.labels.tolist() for row in outcomes
    ]
    heads = ["row" if ids is None else "id", *(row.method for row in outcomes)]
    names = range(n_rows) if ids is None else ids
    _write_csv(folder / "labels.csv", heads, zip(names, *labels, strict=True))
    write_json(folder / "comparison.json", summary)
    plot_comparison(outcomes).savefig(folder / "comparison.png", dpi=144)


def _write_csv(path: Path, heads: Iterable[str], rows: Iterable[Iterable[Any]]) -> None:
    from fuzzypairs.tables.writing import escape_cell

    with path.open("w", newline="", encoding="utf-8") as file:
        lines = csv.writer(file)
        lines.writerow(heads)
        lines.writerows(map(escape_cell, row) for row in rows)


def _show(
    task: "Task", outcomes: "Sequence[Outcome]", notes: Sequence[str], out: Path
) -> None:
    """Print the table, and notes on files and methods."""
    terminal = screen.new_terminal()
    terminal.print(
        f"{task.items.n_rows} rows, {task.X.shape[1]} features, {len(task.pairs)} "
        f"judgements, {task.n_clusters} clusters asked for"
    )
    terminal.print(screen.as_table(_table(outcomes)))
    for row in outcomes:
        if row.error:
            terminal.print(f"[red]{row.method} failed:[/] {escape(row.error)}")
        elif row.note:
            terminal.print(f"[yellow]{row.method}:[/] {escape(row.note)}")
    screen.print_notes(terminal, notes)
    terminal.print("\nTable, picture and labels are in:")
    typer.echo(out)


def _table(outcomes: "Sequence[Outcome]") -> "Table":
    from fuzzypairs.report import Table

    shown = {
        key: head
        for key, head in HEADS.items()
        if any(getattr(row, key) is not None for row in outcomes)
    }

    def cells(row: "Outcome") -> list[str | float]:
        if row.seconds is None or row.n_clusters is None:
            return [row.method, "failed", *[""] * (1 + len(shown))]
        shares = (getattr(row, key) for key in shown)
        return [
            row.method,
            row.n_clusters,
            round(1000 * row.seconds),
            *("" if share is None else 100 * share for share in shares),
        ]

    return Table(
        ["method", "k", "ms", *shown.values()],
        [cells(row) for row in outcomes],
        "Scores in percent; pairs: judgements satisfied, by strength",
    )
