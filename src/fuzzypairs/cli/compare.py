"""`fuzzypairs compare`: all methods on a user's own file."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from fuzzypairs import __version__
from fuzzypairs.cli import options, screen

# What is slow to load is imported where it is used: --help answers at once.
if TYPE_CHECKING:
    from fuzzypairs.analysis.rows import Rows
    from fuzzypairs.report import Table
    from fuzzypairs.selection.comparison import MethodResult

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
    data: options.Data,
    *,
    pairs: options.JudgedPairs,
    reading: options.ReadingOptions,
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
    with screen.plain_errors(code=2), screen.progress() as show:
        from fuzzypairs.analysis.row_reader import RowReader
        from fuzzypairs.selection import comparison
        from fuzzypairs.tables.atomic import staging

        names = methods.split(",") if methods else list(comparison.METHODS)
        chosen = comparison.pick_methods(names)
        reader = RowReader(**reading.arguments(data), progress=show)
        rows = reader.read(data, pairs)
        n_clusters = clusters or _count_classes(rows, reading.truth)
        if n_clusters > rows.n_rows:
            raise ValueError(
                f"--clusters is {n_clusters} but the number of rows of {data} is "
                f"{rows.n_rows}: ask for fewer clusters"
            )
    with screen.plain_errors():
        with screen.progress() as show:
            outcomes = comparison.compare(
                rows.X, rows.pairs, n_clusters, truth=rows.source.truth,
                methods=chosen, random_state=seed, progress=show,
            )  # fmt: skip
        summary = _summary(rows, outcomes, n_clusters, seed)
        with staging(out) as folder:
            _write(folder, rows, outcomes, summary)
    if as_json:
        screen.print_json(summary)
    else:
        _show(summary, outcomes, out)
    if all(row.error for row in outcomes):
        screen.fail(f"no method succeeded: {out / 'comparison.csv'} says why", code=1)


def _count_classes(rows: "Rows", truth: str | None) -> int:
    """Return the number of classes, if the column of the truth can be classes."""
    if rows.source.truth is None:
        raise ValueError("--clusters is missing: say how many, or name a --truth")
    n_classes = len({value for value in rows.source.truth if value is not None})
    if not 1 < n_classes <= rows.n_rows / 2:
        raise ValueError(
            f"--truth {truth} has {n_classes} different values in {rows.n_rows} rows: "
            "expected classes; name another column, or give --clusters"
        )
    return n_classes


def _summary(
    rows: "Rows", outcomes: "Sequence[MethodResult]", n_clusters: int, seed: int
) -> dict[str, Any]:
    """Return what comparison.json holds."""
    return {
        "fuzzypairs": __version__,
        "data": str(rows.source.path),
        "rows": rows.n_rows,
        "items": rows.kind,
        "features": rows.X.shape[1],
        "pairs": len(rows.pairs),
        "clusters": n_clusters,
        "seed": seed,
        "columns": [asdict(column) for column in rows.columns],
        "methods": [row.as_dict() for row in outcomes],
        "notes": list(rows.notes),
    }


def _write(
    folder: Path,
    rows: "Rows",
    outcomes: "Sequence[MethodResult]",
    summary: dict[str, Any],
) -> None:
    import numpy as np
    import pandas as pd

    from fuzzypairs.analysis.analysis_result import write_json
    from fuzzypairs.plots.method_bars import plot_comparison
    from fuzzypairs.tables.writing import write_table

    table = pd.DataFrame(summary["methods"], dtype=object)
    write_table(folder / "comparison.csv", {str(name): table[name] for name in table})
    none = np.full(rows.n_rows, "")
    labels = {o.method: none if o.labels is None else o.labels for o in outcomes}
    names = {"row": range(rows.n_rows)} if rows.ids is None else {"id": rows.ids}
    write_table(folder / "labels.csv", names | labels)
    write_json(folder / "comparison.json", summary)
    plot_comparison(outcomes).savefig(folder / "comparison.png", dpi=144)


def _show(
    summary: dict[str, Any], outcomes: "Sequence[MethodResult]", out: Path
) -> None:
    """Print the table, and notes on files and methods."""
    terminal = screen.new_terminal()
    terminal.print(
        f"{summary['rows']} {screen.noun_of(summary['items'])}s, "
        f"{summary['features']} features, {summary['pairs']} judgements, "
        f"{summary['clusters']} clusters asked for"
    )
    terminal.print(screen.as_table(_table(outcomes)))
    for row in outcomes:
        if row.error:
            terminal.print(f"[red]{row.method} failed:[/] {escape(row.error)}")
        elif row.note:
            terminal.print(f"[yellow]{row.method}:[/] {escape(row.note)}")
    screen.print_notes(terminal, summary["notes"])
    terminal.print("\nTable, picture and labels are in:")
    typer.echo(out)


def _table(outcomes: "Sequence[MethodResult]") -> "Table":
    from fuzzypairs.report import Table

    shown = {
        key: head
        for key, head in HEADS.items()
        if any(getattr(row, key) is not None for row in outcomes)
    }

    def cells(row: "MethodResult") -> list[str | float]:
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
