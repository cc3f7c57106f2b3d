"""Arguments and options that several commands share."""

from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

__all__ = [
    "Alpha",
    "AsJson",
    "Beta",
    "Data",
    "Drop",
    "Force",
    "Format",
    "IdColumn",
    "Jobs",
    "JudgedPairs",
    "NoScale",
    "Out",
    "Pairs",
    "Seed",
    "TableFormat",
    "Truth",
    "WithData",
    "number_or_word",
    "of_data",
    "of_model",
    "of_results",
]

# Options in the groups that --help shows.
of_data = partial(typer.Option, rich_help_panel="Your data")
of_model = partial(typer.Option, rich_help_panel="The model")
of_results = partial(typer.Option, rich_help_panel="Results")


class TableFormat(StrEnum):
    """Formats of tables that are written."""

    csv = "csv"
    xlsx = "xlsx"
    parquet = "parquet"


def number_or_word(text: str) -> float | str:
    """Return a number if the text is one, else the text."""
    try:
        return float(text)
    except ValueError:
        return text


Data = Annotated[
    Path,
    typer.Argument(
        help="The data, a row an item: CSV, TSV, Parquet or JSON lines, .gz or not.",
        metavar="DATA",
        show_default=False,
    ),
]
_judgements: Any = of_data(
    "--pairs",
    help="The judgements: columns i, j, grade with row numbers from 0, or a, b, grade "
    "with ids if --id is given, or a FILE.db of the labelling page. Grades run from -1 "
    "(unlike) to 1 (alike).",
    metavar="FILE",
)
Pairs = Annotated[Path | None, _judgements]
JudgedPairs = Annotated[Path, _judgements]
Out = Annotated[
    Path,
    of_results(help="The folder to write the results to.", metavar="DIR"),
]
IdColumn = Annotated[
    str | None,
    of_data("--id", help="The column that names the rows.", metavar="COL"),
]
Drop = Annotated[
    list[str] | None,
    of_data(help="A column to leave out; may be repeated.", metavar="COL"),
]
Truth = Annotated[
    str | None,
    of_data(
        help="The column of true classes: never clustered by, only scored.",
        metavar="COL",
    ),
]
NoScale = Annotated[
    bool, of_data("--no-scale", help="Leave numbers on their own scales.")
]
Alpha = Annotated[
    Any,
    of_model(
        parser=number_or_word,
        metavar="NUMBER|auto",
        help="How sharply clusters part, from 0 up to 1.",
    ),
]
Beta = Annotated[
    Any,
    of_model(
        parser=number_or_word,
        metavar="NUMBER|auto",
        help="The weight of the judgements against the data, from 0.",
    ),
]
Seed = Annotated[
    int, of_model("--seed", min=0, max=2**32 - 1, help="Seeds the starts.")
]
Jobs = Annotated[
    int, of_model("--jobs", help="Threads; -1 for all. It changes no result.")
]
Format = Annotated[
    TableFormat,
    of_results("--format", help="How memberships are written."),
]
WithData = Annotated[
    bool,
    of_results("--with-data", help="Add the columns of the data to the memberships."),
]
Force = Annotated[
    bool, of_results("--force", help="Replace results that are already there.")
]
AsJson = Annotated[
    bool, of_results("--json", help="Print the summary as JSON, nothing else.")
]
