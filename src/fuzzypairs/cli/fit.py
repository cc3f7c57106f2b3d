"""`fuzzypairs fit`: from a user's data to clusters, a model and a report."""

from pathlib import Path
from typing import Annotated

import typer

from fuzzypairs.cli import large_files, options, screen
from fuzzypairs.cli.model_options import ModelOptions
from fuzzypairs.cli.options import TableFormat

__all__ = ["fit"]


def fit(
    context: typer.Context,
    data: options.Data,
    *,
    pairs: options.Pairs = None,
    reading: options.Reading,
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
    if large_files.takes_blocks(data, scheduler):
        large_files.fit_large(data, pairs, out, context.params)
        return
    with screen.progress(percent=True, quiet=quiet) as show:
        with screen.plain_errors(code=2):
            show(f"reading {data.name}", 0, 1)
            from fuzzypairs.analysis.analyse import analyse_rows
            from fuzzypairs.analysis.row_reader import RowReader
            from fuzzypairs.tables.writing import writer_of

            blank = model.build()
            reader = RowReader(**reading.arguments(data), progress=show)
            rows = reader.read(data, pairs)
            writer_of(Path(f"memberships.{fmt}"), rows.n_rows)  # refuses early
            result = analyse_rows(rows, model.n_clusters, blank, progress=show)
        result = options.with_command(context, result)
        with screen.plain_errors():
            result.save(out, format=fmt, with_data=with_data, progress=show)
    if as_json:
        screen.print_json(result.summary)
    if as_json or quiet:
        return
    terminal = screen.new_terminal()
    screen.print_summary(terminal, result.summary)
    terminal.print("\nRead the report:")
    typer.echo(out / "report.html")
