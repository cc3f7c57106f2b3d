"""`fuzzypairs predict`: the clusters of new rows."""

from pathlib import Path
from typing import Annotated, Any

import typer

from fuzzypairs import __version__
from fuzzypairs.cli import options, screen

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
    images: Annotated[
        Path | None,
        options.of_data(
            help="The folder of the pictures; that of DATA if left out.", metavar="DIR"
        ),
    ] = None,
    embeddings: Annotated[
        Path | None,
        options.of_data(help="Embeddings of the rows of DATA.", metavar="FILE"),
    ] = None,
    features: Annotated[
        str,
        options.of_data(
            help="Allow the model to run the function that makes its features: "
            "python:MODULE.FUNCTION as in the fit.",
            metavar="NAME",
        ),
    ] = "auto",
    strict: Annotated[
        bool, options.of_data("--strict", help="Stop at an item that cannot be read.")
    ] = False,
    top: options.Top = None,
    scheduler: options.Scheduler = None,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Assign new rows to the clusters of a model.

    Columns are found by name and treated as in the fit; their order does
    not matter, and extra columns are ignored. Of a model of pictures, texts or
    embeddings, DATA is a folder, a table or an array as in the fit. Judgements
    about rows of the fit are not applied again.

    Example: fuzzypairs predict result/model.skops new.csv --out new-clusters.csv
    """
    with screen.plain_errors(code=2):
        from fuzzypairs.tables.file_blocks import is_large

        in_blocks = scheduler is not None or is_large(data)
    if in_blocks:
        screen.check_folder(out, force)
        with screen.plain_errors(code=2), screen.progress() as show:
            from fuzzypairs.analysis.analyse_files import predict_files

            if out.suffix:
                raise ValueError(
                    f"--out {out} is the name of a file: {data} is read in blocks, "
                    "whose results are written to a folder; name one"
                )
            pipeline = _load(model)
            name = id_column or pipeline[0].id_column
            summary = predict_files(
                pipeline, data, out, model=model, id=None if no_id else name, top=top,
                scheduler=scheduler, progress=show,
            )  # fmt: skip
        _tell(summary, as_json)
        return
    screen.check_file(out, force)
    with screen.plain_errors(code=2), screen.progress() as show:
        from fuzzypairs.analysis.analysis_result import cluster_summary
        from fuzzypairs.analysis.new_rows import id_column_of, read_new_rows
        from fuzzypairs.analysis.result_columns import row_flags, write_memberships
        from fuzzypairs.criteria import certainty
        from fuzzypairs.tables.writing import writer_of

        writer_of(out)  # refuses an unknown ending before the work
        show(f"opening {model.name}", 0, 1)
        with screen.warnings_as_notes() as notes:
            pipeline = _load(model)
        preparation, clusterer = pipeline[0], pipeline[-1]
        name = id_column or id_column_of(preparation)
        show(f"reading {data.name}", 0, 1)
        rows = read_new_rows(
            preparation, data, id=None if no_id else name, images=images,
            embeddings=embeddings, features=features, strict=strict, progress=show,
        )  # fmt: skip
        show(f"assigning {rows.n_rows:,} {screen.noun_of(rows.kind)}s", 0, 1)
        U = rows.lower_certainty(clusterer, clusterer.predict_proba(rows.X))
        labels, flags = U.argmax(axis=1), row_flags(U, None, None, **rows.flagged)
    with screen.plain_errors(), screen.progress() as show:
        show(f"writing {out.name}", 0, 1)
        names = getattr(clusterer, "cluster_names_", ())
        write_memberships(out, rows.ids, U, labels, flags=flags, names=names)
    summary = {
        "fuzzypairs": __version__,
        "model": str(model),
        "data": str(data),
        "out": str(out),
        "rows": rows.n_rows,
        "items": rows.kind,
        "id": rows.source.id_column,
        "sizes": cluster_summary(U, labels, U.shape[1])["sizes"],
        "names": list(names) or None,
        "mean_certainty": round(float(certainty(U).mean()), 6),
        "notes": [*notes, *rows.notes],
    }
    _tell(summary, as_json)


def _load(path: Path) -> Any:
    """Return a pipeline that begins with what makes features."""
    from sklearn.pipeline import Pipeline

    from fuzzypairs import load
    from fuzzypairs.items import ItemFeatures
    from fuzzypairs.tables.features import Preparation

    model = load(path)
    if isinstance(model, Pipeline) and isinstance(model[0], Preparation | ItemFeatures):
        return model
    raise ValueError(
        f"{path} holds a {type(model).__name__} that does not know how to read a file: "
        "expected a model that fuzzypairs fit wrote; use this one from Python"
    )


def _tell(summary: dict[str, Any], as_json: bool) -> None:
    """Print what a person wants to know first, or all for a program."""
    if as_json:
        screen.print_json(summary)
        return
    from fuzzypairs.report import Table

    terminal = screen.new_terminal()
    noun = screen.noun_of(summary.get("items", "row"))
    sizes = summary["sizes"]
    called = summary.get("names") or map(str, range(len(sizes)))
    rows: list[list[str | float]] = list(map(list, zip(called, sizes, strict=True)))
    terminal.print(screen.as_table(Table(["cluster", f"{noun}s"], rows)))
    terminal.print(
        f"{summary['rows']} {noun}s, mean certainty "
        f"{100 * summary['mean_certainty']:.1f} %"
    )
    screen.print_notes(terminal, summary["notes"])
    typer.echo(summary["out"])
