"""`fuzzypairs predict`: the clusters of new rows."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from fuzzypairs import __version__
from fuzzypairs.cli import options
from fuzzypairs.cli.outputs import DECIMALS, membership_columns, sizes
from fuzzypairs.cli.screen import (
    check_file,
    notes_of,
    on_screen,
    plain_errors,
    progress,
)

# Everything heavy is imported where it is used: --help and --version answer at once.
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from fuzzypairs.io.features import Preparation
    from fuzzypairs.io.tables import Items

__all__ = ["predict"]


def predict(
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
            help="The file to write: .csv, .tsv, .parquet or .jsonl, .gz or not.",
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
        bool, options.of_data("--no-id", help="Number the rows: they have no ids.")
    ] = False,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Assign new rows to the clusters of a model.

    Columns are found by name and treated as in the fit; their order does
    not matter, and further ones are ignored. Judgements act on the rows of
    the fit only: new rows follow the clusters.

    Example: fuzzypairs predict result/model.skops new.csv --out new-clusters.csv
    """
    check_file(out, force)
    with plain_errors(code=2), progress() as show, notes_of() as notes:
        from fuzzypairs.criteria import certainty
        from fuzzypairs.io.writing import write_table, writer_of

        writer_of(out)  # an unknown ending is told before the work
        show(f"opening {model.name}", 0, 4)
        pipeline = _load(model)
        preparation = pipeline[0]
        show(f"reading {data.name}", 1, 4)
        name = None if no_id else id_column or preparation.id_column
        items = _read(data, preparation, name)
        show(f"assigning {items.n_rows} rows", 2, 4)
        memberships = _memberships(pipeline, items)
        notes += _unseen(preparation, items)
    labels = memberships.argmax(axis=1)
    with plain_errors(), progress() as show:
        show(f"writing {out.name}", 3, 4)
        write_table(
            out, membership_columns(items.ids, labels, memberships), decimals=DECIMALS
        )
    summary = {
        "fuzzypairs": __version__,
        "model": str(model),
        "data": str(data),
        "out": str(out),
        "rows": items.n_rows,
        "id": items.id_column,
        "sizes": sizes(labels, memberships.shape[1]),
        "mean_certainty": round(float(certainty(memberships).mean()), 6),
        "notes": notes,
    }
    if as_json:
        typer.echo(json.dumps(summary, indent=2))
    else:
        _show(summary)


def _load(path: Path) -> Any:
    """Return a pipeline that begins with the preparation of columns."""
    from sklearn.pipeline import Pipeline

    from fuzzypairs.io.features import Preparation
    from fuzzypairs.io.model_files import load

    model = load(path)
    if isinstance(model, Pipeline) and isinstance(model[0], Preparation):
        return model
    raise ValueError(
        f"{path} holds a {type(model).__name__} that does not know how to read a file: "
        "expected a model that fuzzypairs fit wrote; use this one from Python"
    )


def _read(path: Path, preparation: "Preparation", id_column: str | None) -> "Items":
    """Read new rows, words as they are written: 007 is one, even among numbers."""
    from fuzzypairs.io.tables import read_items

    words = [c.name for c in preparation.columns_ if c.kind == "category"]
    return read_items(path, id_column=id_column, text=words)


def _memberships(pipeline: Any, items: "Items") -> "NDArray[np.float64]":
    """Return the memberships of new rows; errors name their file."""
    try:
        found: NDArray[np.float64] = pipeline.predict_proba(items.features)
    except ValueError as error:
        raise ValueError(f"{items.path}: {error}") from error
    return found


def _unseen(preparation: "Preparation", items: "Items") -> list[str]:
    """Say which words the fit never met."""
    return [
        f"column {name}: {len(words)} words that the fit never met, such as "
        f"{words[0]!r}, count as rare ones, or as none"
        for name, words in preparation.unseen(items.features).items()
    ]


def _show(summary: dict[str, Any]) -> None:
    """Print what a person wants to know first."""
    from fuzzypairs.report import Table

    screen = Console(highlight=False, soft_wrap=True)
    rows: list[list[str | float]] = [
        [str(k), n] for k, n in enumerate(summary["sizes"])
    ]
    screen.print(on_screen(Table(["cluster", "rows"], rows)))
    screen.print(
        f"{summary['rows']} rows, mean certainty "
        f"{100 * summary['mean_certainty']:.1f} %"
    )
    for note in summary["notes"]:
        screen.print(f"[yellow]note:[/] {escape(note)}")
    typer.echo(summary["out"])
