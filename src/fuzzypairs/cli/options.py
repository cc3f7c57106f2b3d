"""Arguments and options that several commands share."""

import re
import shlex
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

__all__ = [
    "Alpha",
    "AsJson",
    "Beta",
    "Category",
    "Data",
    "DateColumn",
    "DateOrder",
    "Drop",
    "Force",
    "Format",
    "GradeScale",
    "IdColumn",
    "Jobs",
    "JudgedPairs",
    "NoScale",
    "Number",
    "Out",
    "Pairs",
    "Quiet",
    "Seed",
    "TableFormat",
    "Truth",
    "WithData",
    "as_options",
    "count",
    "counts",
    "fit_command",
    "number_or_auto",
    "number_or_word",
    "of_data",
    "of_model",
    "of_results",
]

# Options in the groups that --help shows.
of_data = partial(typer.Option, rich_help_panel="Your data")
of_model = partial(typer.Option, rich_help_panel="The model")
of_results = partial(typer.Option, rich_help_panel="Results")


# Options that say how files are read, by the names of their parameters.
READING = ("id_column", "truth", "drop", "no_scale", "category", "number", "date",
           "date_order", "grade_scale")  # fmt: skip


class DayOrder(StrEnum):
    """Orders of day and month in dates."""

    dmy = "dmy"
    mdy = "mdy"


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


def number_or_auto(text: str) -> float | str:
    """Return a number, or "auto"."""
    value = number_or_word(text)
    if isinstance(value, str) and value != "auto":
        raise typer.BadParameter(f"{text!r} is neither a number nor auto")
    return value


def count(text: str) -> int:
    """Return the number of clusters to find."""
    if text.isdigit() and int(text) >= 2:
        return int(text)
    if re.fullmatch(r"\d+\s*[-,:.]+\s*\d+.*", text):
        raise typer.BadParameter(
            f"{text!r} is several numbers: fuzzypairs tune --clusters {text} chooses "
            "among them"
        )
    raise typer.BadParameter(f"{text!r} is no whole number of 2 or more")


def counts(text: str) -> list[int]:
    """Read numbers of clusters: 3, 2-8 or 2,3,5."""
    least, dash, most = text.partition("-")
    try:
        found = [int(part) for part in ([least, most] if dash else text.split(","))]
    except ValueError:
        found = []
    if dash and found:
        found = list(range(found[0], found[1] + 1))
    if not found or min(found) < 2:
        raise ValueError(
            f"--clusters is {text!r}: expected such as 2-8 or 2,3,5, from 2 upwards"
        )
    return list(dict.fromkeys(found))


# Options of `fit` by the parameters of its model.
FLAGS = {
    "n_clusters": "--clusters",
    "alpha": "--alpha",
    "beta": "--beta",
    "metric": "--metric",
    "fuzzifier": "--fuzzifier",
    "init": "--init",
    "n_init": "--n-init",
    "max_iter": "--max-iter",
    "propagate": "--propagate",
    "random_state": "--seed",
}
# Options that say nothing about the data or the features made of them.
OF_NO_DATA = {
    *FLAGS, "metric_params", "robust", "clusters", "seed", "jobs", "n_jobs", "folds",
    "repeats", "out", "fmt", "with_data", "force", "as_json", "quiet",
}  # fmt: skip


def as_options(sentence: str) -> str:
    """Return a sentence with options for settings: "--clusters 3" for n_clusters=3."""
    setting = rf"\b({'|'.join(FLAGS)})='?([^\s,;:')]+)'?"
    return re.sub(setting, lambda found: f"{FLAGS[found[1]]} {found[2]}", sentence)


def fit_command(context: typer.Context, model: Any, *, uses_pairs: bool = True) -> str:
    """Return the command that fits a model again: the same data, all its settings.

    Parameters
    ----------
    context : typer.Context
        Of the command that was run: its options about the data are repeated.
    model : GuidedFDC or FDC
    uses_pairs : bool, default=True
        Whether the model was fitted with the judgements.
    """
    words = ["fuzzypairs", "fit"]
    for param in context.command.params:
        name = str(param.name)
        source = context.get_parameter_source(name)
        is_given = source is not None and source.name == "COMMANDLINE"
        if not is_given or name in OF_NO_DATA or (name == "pairs" and not uses_pairs):
            continue
        value, flag = context.params[name], param.opts[-1]
        if param.param_type_name == "argument":
            words.append(str(value))
        elif isinstance(value, bool):
            words.append(flag)
        else:
            values = value if isinstance(value, list | tuple) else [value]
            for one in values:
                words += [flag, str(getattr(one, "value", one))]
    settings = {"metric": "auto", **model.get_params(deep=False)}
    for name, flag in FLAGS.items():
        if settings[name] is not None and settings[name] is not False:
            words += [flag, str(settings[name])]
    for name, value in (settings.get("metric_params") or {}).items():
        words += ["--metric-param", f"{name}={value}"]
    if settings["robust"]:
        words.append("--robust")
    return shlex.join(words)


Data = Annotated[
    Path,
    typer.Argument(
        help="The data, one row per item: CSV, TSV, text, Excel (.xlsx), Parquet or "
        "JSON lines; .gz is read as well.",
        metavar="DATA",
        show_default=False,
    ),
]
_judgements: Any = of_data(
    "--pairs",
    help="The judgements: columns a, b, grade with ids of the data, or i, j, grade "
    "with row numbers from 0, or a FILE.db of the labelling page. "
    "Grades run from -1 (unlike) to 1 (alike), or are yes and no, 1 to 5, or 0 to 100.",
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
        help="The column of true classes: used to score the result, not to cluster.",
        metavar="COL",
    ),
]
Category = Annotated[
    list[str] | None,
    of_data(help="A column to treat as categories; may be repeated.", metavar="COL"),
]
Number = Annotated[
    list[str] | None,
    of_data(help="A column to treat as numbers; may be repeated.", metavar="COL"),
]
DateColumn = Annotated[
    list[str] | None,
    of_data(
        "--date", help="A column to treat as dates; may be repeated.", metavar="COL"
    ),
]
DateOrder = Annotated[
    DayOrder | None,
    of_data(help="Whether the day or the month comes first in ambiguous dates."),
]
GradeScale = Annotated[
    str | None,
    of_data(
        help="The scale of the grades, unlike first: yes/no, 1-5, 0-100, 0-1 or "
        "another LOW-HIGH; recognised if left out.",
        metavar="SCALE",
    ),
]
NoScale = Annotated[bool, of_data("--no-scale", help="Do not standardise numbers.")]
Alpha = Annotated[
    Any,
    of_model(
        parser=number_or_auto,
        metavar="NUMBER|auto",
        help="How sharply clusters are separated, from 0 to below 1.",
    ),
]
Beta = Annotated[
    Any,
    of_model(
        parser=number_or_auto,
        metavar="NUMBER|auto",
        help="The weight of the judgements relative to the data, 0 or more.",
    ),
]
Seed = Annotated[
    int, of_model("--seed", min=0, max=2**32 - 1, help="Seed of the random starts.")
]
Jobs = Annotated[
    int,
    of_model(
        "--jobs", help="Number of threads; -1 for all. It does not affect results."
    ),
]
Format = Annotated[
    TableFormat,
    of_results("--format", help="How memberships are written."),
]
WithData = Annotated[
    bool,
    of_results("--with-data", help="Add the columns of the data to the memberships."),
]
Force = Annotated[bool, of_results("--force", help="Overwrite existing results.")]
Quiet = Annotated[
    bool, of_results("--quiet", help="Print only errors, and show no progress.")
]
AsJson = Annotated[bool, of_results("--json", help="Print only the summary, as JSON.")]
