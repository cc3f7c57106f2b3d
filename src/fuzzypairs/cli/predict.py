"""`fuzzypairs predict`: the clusters of new rows."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fuzzypairs import __version__
from fuzzypairs.cli import large_files, options, screen

# What is slow to load is imported where it is used: --help answers at once.
if TYPE_CHECKING:
    from fuzzypairs._typing import Floats
    from fuzzypairs.tables.features import Preparation
    from fuzzypairs.tables.table_files import Items

__all__ = ["predict"]


def predict(
    context: typer.Context,
    model: Annotated[
        Path,
        typer.Argument(
            help="The model.skops that fuzzypairs fit wrote.",
            metavar="MODEL",
            show_default=False,
        ),
    ],
    data: options.Data,
    out: Annotated[
        Path,
        options.of_results(
            help="The file: .csv, .tsv, .xlsx, .parquet or .jsonl, optionally .gz.",
            metavar="FILE",
        ),
    ],
    id_column: Annotated[
        str | None,
        options.of_data(
            "--id",
            help="The column that names the rows; as in the fit if left out.",
            metavar="COL",
        ),
    ] = None,
    no_id: Annotated[
        bool, options.of_data("--no-id", help="The rows have no ids: number them.")
    ] = False,
    top: large_files.Top = None,
    scheduler: large_files.Scheduler = None,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Assign new rows to the clusters of a model.

    Columns are found by name and treated as in the fit; their order does
    not matter, and extra columns are ignored. Judgements about rows of the fit
    are not applied again.

    Example: fuzzypairs predict result/model.skops new.csv --out new-clusters.csv
    """
    if large_files.takes_blocks(data, context.params):
        screen.check_folder(out, force)
        with screen.plain_errors(code=2):
            pipeline = _load(model)
        large_files.predict_large(model, pipeline, data, out, context.params)
        return
    screen.check_file(out, force)
    with (
        screen.plain_errors(code=2),
        screen.progress() as show,
        screen.warnings_as_notes() as notes,
    ):
        from fuzzypairs.cli.outputs import count_rows, write_memberships
        from fuzzypairs.criteria import certainty
        from fuzzypairs.report.row_table import row_flags
        from fuzzypairs.tables.gaps import MOSTLY_MISSING, mostly_missing
        from fuzzypairs.tables.table_files import read_items
        from fuzzypairs.tables.writing import writer_of

        writer_of(out)  # refuses an unknown ending before the work
        show(f"opening {model.name}", 0, 4)
        pipeline = _load(model)
        preparation: Preparation = pipeline[0]
        show(f"reading {data.name}", 1, 4)
        name = None if no_id else id_column or preparation.id_column
        # Text as it is written: 007 is a word if the column held words in the fit.
        words = [c.name for c in preparation.columns_ if c.kind == "category"]
        items = read_items(data, id_column=name, text=words)
        show(f"assigning {items.n_rows} rows", 2, 4)
        memberships = _memberships(pipeline, items)
        notes += _unseen(preparation, items)
        gappy = mostly_missing(preparation, items.features)
        flags = row_flags(memberships, None, None, **{MOSTLY_MISSING: gappy})
    labels = memberships.argmax(axis=1)
    with screen.plain_errors(), screen.progress() as show:
        show(f"writing {out.name}", 3, 4)
        write_memberships(out, items.ids, memberships, labels, flags=flags)
    summary = {
        "fuzzypairs": __version__,
        "model": str(model),
        "data": str(data),
        "out": str(out),
        "rows": items.n_rows,
        "id": items.id_column,
        "sizes": count_rows(labels, memberships.shape[1]),
        "mean_certainty": round(float(certainty(memberships).mean()), 6),
        "notes": notes,
    }
    if as_json:
        screen.print_json(summary)
    else:
        _show(summary)


def _load(path: Path) -> Any:
    """Return a pipeline that begins with the preparation of columns."""
    from sklearn.pipeline import Pipeline

    from fuzzypairs import load
    from fuzzypairs.tables.features import Preparation

    model = load(path)
    if isinstance(model, Pipeline) and isinstance(model[0], Preparation):
        return model
    raise ValueError(
        f"{path} holds a {type(model).__name__} that does not know how to read a file: "
        "expected a model that fuzzypairs fit wrote; use this one from Python"
    )


def _memberships(pipeline: Any, items: "Items") -> "Floats":
    """Return the memberships of new rows; errors name their file."""
    from fuzzypairs.tables.gaps import lower_certainty

    try:
        found: Floats = pipeline.predict_proba(items.features)
        found = lower_certainty(pipeline[-1], pipeline[0], items.features, found)
    except ValueError as error:
        raise ValueError(items.worded(error)) from error
    return found


def _unseen(preparation: "Preparation", items: "Items") -> list[str]:
    """Return a note for each column with words that were not in the fit."""
    are_numbers = {c.name for c in preparation.columns_ if c.kind == "number"}
    return [
        f"column {name}: {len(words)} words among numbers, such as {words[0]!r}, count "
        "as missing"
        if name in are_numbers
        else f"column {name}: {len(words)} words that the fit never met, such as "
        f"{words[0]!r}, count as rare ones, or as none"
        for name, words in preparation.unseen(items.features).items()
    ]


def _show(summary: dict[str, Any]) -> None:
    """Print what a person wants to know first."""
    from fuzzypairs.report import Table

    terminal = screen.new_terminal()
    rows: list[list[str | float]] = [
        [str(k), n] for k, n in enumerate(summary["sizes"])
    ]
    terminal.print(screen.as_table(Table(["cluster", "rows"], rows)))
    terminal.print(
        f"{summary['rows']} rows, mean certainty "
        f"{100 * summary['mean_certainty']:.1f} %"
    )
    screen.print_notes(terminal, summary["notes"])
    typer.echo(summary["out"])
