"""`fuzzypairs compare`: all methods on a user's own file."""

import csv
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from fuzzypairs import __version__
from fuzzypairs.cli.screen import check_out, fail, on_screen, plain_errors, progress

# Everything heavy is imported where it is used: --help and --version answer at once.
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from fuzzypairs.io.features import ColumnRecord
    from fuzzypairs.io.tables import Items
    from fuzzypairs.pairs import PairSet
    from fuzzypairs.report import Table
    from fuzzypairs.selection.comparison import Outcome

__all__ = ["compare"]

# Short, so that the table fits a terminal of 80 columns.
HEADS = {
    "normalized_ari": "norm. ARI",
    "nmi": "NMI",
    "rand_index": "Rand",
    "hungarian_accuracy": "accuracy",
    "pair_agreement": "held",
}


def compare(
    data: Annotated[
        Path,
        typer.Argument(help="The data: CSV, TSV, Parquet or JSON lines, .gz or not."),
    ],
    pairs: Annotated[
        Path,
        typer.Option(help="Judgements: columns i, j, grade; a, b, grade with --id."),
    ],
    out: Annotated[Path, typer.Option(help="The folder to write the results to.")],
    truth: Annotated[
        str | None,
        typer.Option(help="The column of true classes, to score by.", metavar="COL"),
    ] = None,
    clusters: Annotated[
        int | None,
        typer.Option(
            min=2,
            help="How many clusters to find; the number of classes of --truth if left "
            "out.",
        ),
    ] = None,
    id_column: Annotated[
        str | None,
        typer.Option("--id", help="The column that names the rows.", metavar="COL"),
    ] = None,
    drop: Annotated[
        list[str] | None,
        typer.Option(help="A column to leave out; may be repeated.", metavar="COL"),
    ] = None,
    no_scale: Annotated[
        bool, typer.Option("--no-scale", help="Leave numbers on their own scales.")
    ] = False,
    methods: Annotated[
        str | None,
        typer.Option(help="Methods to run, with commas between; all if left out."),
    ] = None,
    seed: Annotated[
        int, typer.Option(min=0, max=2**32 - 1, help="Seeds the starts.")
    ] = 0,
    force: Annotated[
        bool, typer.Option("--force", help="Replace results that are already there.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the result as JSON, nothing else.")
    ] = False,
) -> None:
    """Run all methods on your data and judgements; put them into one table."""
    from fuzzypairs.selection.comparison import METHODS, pick_methods
    from fuzzypairs.selection.comparison import compare as run

    check_out(out, force)
    with plain_errors(code=2):
        chosen = pick_methods(methods.split(",") if methods else list(METHODS))
        items = _read_items(data, id_column, truth, drop or [])
        n_clusters = clusters or _count_classes(items, truth)
        _check_count(n_clusters, items)
        task = _prepare(items, pairs, n_clusters, scale=not no_scale)
    with plain_errors():
        with progress() as show:
            outcomes = run(
                task.X, task.pairs, n_clusters, truth=items.truth,
                methods=chosen, random_state=seed, progress=show,
            )  # fmt: skip
        _write(out, task, outcomes, seed)
    if as_json:
        typer.echo(_to_json(task, outcomes, seed))
    else:
        _show(task, outcomes, out)
    if all(row.error for row in outcomes):
        fail(f"no method succeeded: {out / 'comparison.csv'} says why", code=1)


@dataclass(frozen=True, eq=False)
class _Task:
    """What is compared on."""

    items: "Items"
    X: "NDArray[np.float64]"
    columns: "tuple[ColumnRecord, ...]"
    pairs: "PairSet"
    n_clusters: int


def _read_items(
    path: Path, id_column: str | None, truth: str | None, drop: Sequence[str]
) -> "Items":
    from fuzzypairs.io.tables import read_items

    return read_items(path, id_column=id_column, truth=truth, drop=drop)


def _count_classes(items: "Items", truth: str | None) -> int:
    """Return how many classes the truth has, if it looks like classes at all."""
    if items.truth is None:
        raise ValueError("--clusters is missing: say how many, or name a --truth")
    n_classes = len({value for value in items.truth if value is not None})
    if not 1 < n_classes <= items.n_rows / 2:
        raise ValueError(
            f"--truth {truth} has {n_classes} different values in {items.n_rows} rows: "
            "expected classes; name another column, or give --clusters"
        )
    return n_classes


def _check_count(n_clusters: int, items: "Items") -> None:
    if n_clusters > items.n_rows:
        raise ValueError(
            f"--clusters is {n_clusters} but {items.path} has {items.n_rows} rows"
        )


def _prepare(items: "Items", pairs: Path, n_clusters: int, *, scale: bool) -> _Task:
    from fuzzypairs.io.tables import prepare, read_pairs

    preparation, X = prepare(items, scale=scale)
    judged = read_pairs(pairs, items.n_rows, items.ids)
    return _Task(items, X, preparation.columns_, judged, n_clusters)


def _to_json(task: _Task, outcomes: "Sequence[Outcome]", seed: int) -> str:
    """Return what comparison.json holds."""
    return json.dumps(
        {
            "fuzzypairs": __version__,
            "data": str(task.items.path),
            "rows": task.items.n_rows,
            "features": task.X.shape[1],
            "pairs": len(task.pairs),
            "clusters": task.n_clusters,
            "seed": seed,
            "columns": [asdict(column) for column in task.columns],
            "methods": [row.as_dict() for row in outcomes],
        },
        indent=2,
    )


def _write(out: Path, task: _Task, outcomes: "Sequence[Outcome]", seed: int) -> None:
    """Write all files, or none."""
    from fuzzypairs.io.atomic import staging
    from fuzzypairs.plots.method_bars import plot_comparison

    rows = [row.as_dict() for row in outcomes]
    labels = [
        [""] * task.items.n_rows if row.labels is None else row.labels.tolist()
        for row in outcomes
    ]
    ids = range(task.items.n_rows) if task.items.ids is None else task.items.ids
    heads = ["row" if task.items.ids is None else "id"]
    heads += [row.method for row in outcomes]
    with staging(out) as folder:
        _write_csv(folder / "comparison.csv", rows[0], (row.values() for row in rows))
        _write_csv(folder / "labels.csv", heads, zip(ids, *labels, strict=True))
        text = _to_json(task, outcomes, seed) + "\n"
        (folder / "comparison.json").write_text(text, encoding="utf-8")
        plot_comparison(outcomes).savefig(folder / "comparison.png", dpi=144)


def _write_csv(path: Path, heads: Iterable[str], rows: Iterable[Iterable[Any]]) -> None:
    from fuzzypairs.io.writing import escape_cell

    with path.open("w", newline="", encoding="utf-8") as file:
        lines = csv.writer(file)
        lines.writerow(heads)
        lines.writerows(map(escape_cell, row) for row in rows)


def _show(task: _Task, outcomes: "Sequence[Outcome]", out: Path) -> None:
    """Print the table, and what there is to know beside it."""
    screen = Console(highlight=False, soft_wrap=True)
    dropped = [column for column in task.columns if not column.n_features]
    screen.print(
        f"{task.items.n_rows} rows, {task.X.shape[1]} features, {len(task.pairs)} "
        f"judgements, {task.n_clusters} clusters asked for"
    )
    for column in dropped:
        screen.print(escape(f"Column {column.name}: {column.treatment}"))
    screen.print(on_screen(_table(outcomes)))
    for row in outcomes:
        if row.error:
            screen.print(f"[red]{row.method} failed:[/] {escape(row.error)}")
        elif row.note:
            screen.print(f"[yellow]{row.method}:[/] {escape(row.note)}")
    screen.print("\nTable, picture and labels are in:")
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
        "Scores in percent; held: judgements, by strength",
    )
