"""`fuzzypairs fit`: from a user's data to clusters, a model and a report."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from fuzzypairs.cli import options, screen
from fuzzypairs.cli.model_options import ModelOptions
from fuzzypairs.cli.options import TableFormat

__all__ = ["fit"]


def fit(
    context: typer.Context,
    data: options.Data,
    *,
    pairs: options.Pairs = None,
    reading: options.ReadingOptions,
    model: ModelOptions,
    out: Annotated[
        Path | None,
        options.of_results(
            help="The folder to write the results to: named after DATA if left out.",
            metavar="DIR",
        ),
    ] = None,
    fmt: options.Format = TableFormat.csv,
    with_data: options.WithData = False,
    names: options.Names = None,
    top: options.Top = None,
    scheduler: options.Scheduler = None,
    force: options.Force = False,
    quiet: options.Quiet = False,
    as_json: options.AsJson = False,
) -> None:
    """Cluster your data with graded judgements.

    DATA is a table, a folder of pictures or of texts, or embeddings. Writes to
    a folder: memberships.csv, the clusters of every row; report.html, to read;
    model.skops, for new rows by fuzzypairs predict; and summary.json, for
    programs.

    Numbers are standardised, categories are one-hot encoded, missing values are
    filled, and the output says what was done to each column. A column of texts
    or pictures is clustered by --text or --image.

    A folder of tables, a pattern such as 'data/*.parquet', and files larger
    than a quarter of the memory are read block by block; memberships are then
    written to a folder of Parquet files.

    Example: fuzzypairs fit wine.csv --pairs pairs.csv --id bottle
    --clusters 3 --out result
    """
    out = out or Path(f"{data.name.partition('.')[0].strip('*') or 'data'}-result")
    screen.check_folder(out, force)
    with screen.progress(percent=True, quiet=quiet) as show:
        with screen.plain_errors(code=2):
            show(f"reading {data.name}", 0, 1)
            from fuzzypairs.analysis.row_reader import RowReader
            from fuzzypairs.tables.cluster_names import read_names
            from fuzzypairs.tables.file_blocks import is_large
            from fuzzypairs.tables.writing import writer_of

            blank, numbers = model.build(), model.n_clusters
            reader = RowReader(**reading.arguments(data), progress=show)
            result = None
            if scheduler is not None or is_large(data):
                from fuzzypairs.analysis.analyse_files import analyse_files

                summary = analyse_files(
                    data, pairs, out, reader, blank, numbers, top=top,
                    scheduler=scheduler, wording=options.as_options, progress=show,
                )  # fmt: skip
            else:
                from fuzzypairs.analysis.analyse import analyse_rows

                rows = reader.read(data, pairs)
                # Refuses early what cannot be written.
                writer_of(Path(f"memberships.{fmt}"), rows.n_rows)
                result = analyse_rows(rows, numbers, blank, progress=show)
                result = options.with_command(context, result)
                if names is not None:
                    called = read_names(names, result.model.n_clusters_)
                    result = replace(result, cluster_names=called)
        if result is not None:
            with screen.plain_errors():
                result.save(out, format=fmt, with_data=with_data, progress=show)
            summary = result.summary
        else:
            summary["notes"] += _without_effect(with_data, reading.truth, fmt)
            if names is not None:
                said = "--names has no effect on data that are read in blocks"
                summary["notes"].append(said)
    if as_json:
        screen.print_json(summary)
    if as_json or quiet:
        return
    terminal = screen.new_terminal()
    screen.print_summary(terminal, summary)
    terminal.print("\nRead the report:")
    typer.echo(out / "report.html")


def _without_effect(with_data: bool, truth: str | None, fmt: TableFormat) -> list[str]:
    """Return what to say about options that data read in blocks do not have."""
    said = []
    if with_data:
        said.append("--with-data has no effect on data that are read in blocks")
    if truth:
        said.append(
            f"column {truth} is left out of the fit; clusters of data that are read in "
            "blocks are not compared with it"
        )
    if fmt == TableFormat.xlsx:
        said.append(f"memberships are written as Parquet, not as {fmt}")
    return said
