"""Arguments and options of commands, each declared once.

A command takes options in groups: a parameter whose type is a dataclass of this module,
such as `ReadingOptions`, stands for an option for each field (see `unfold`).
"""

import inspect
import os
import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated, Any, get_type_hints

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
    "Names",
    "Out",
    "Pairs",
    "Quiet",
    "ReadingOptions",
    "Scheduler",
    "Seed",
    "TableFormat",
    "Text",
    "Top",
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
    "unfold",
    "with_command",
]

# Options in the groups that --help shows.
DATA_PANELS = ("Your data", "Pictures, texts and embeddings")
of_data = partial(typer.Option, rich_help_panel=DATA_PANELS[0])
of_items = partial(typer.Option, rich_help_panel=DATA_PANELS[1])
of_model = partial(typer.Option, rich_help_panel="The model")
of_results = partial(typer.Option, rich_help_panel="Results")


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


def _setting(option: str, text: str) -> tuple[str, str]:
    """Return the name and the value of NAME=VALUE."""
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        raise ValueError(f"{option} is {text!r}: expected such as size=224")
    return name, value


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


# Options by parameters of the library that are called otherwise.
RENAMED = {
    **{name: flag for name, flag in FLAGS.items() if flag != f"--{name}"},
    "n_jobs": "--jobs",
    "metric_params": "--metric-param",
    "date_order": "--date-order",
    "n_splits": "--folds",
    "n_repeats": "--repeats",
}
# Parameters that are called like their options, and like words of other messages.
PLAIN = {*FLAGS, "robust"} - {*RENAMED}
SETTING = re.compile(rf"\b({'|'.join(FLAGS)})='?([^\s,;:')]+)'?")
PARAMETER = re.compile(rf"\b({'|'.join(RENAMED)})\b")


def as_options(sentence: str) -> str:
    """Return a sentence of the library with options of the command for parameters.

    That is "--clusters 3" for n_clusters=3, and "--clusters is" for "n_clusters is".
    """
    named = SETTING.sub(lambda found: f"{FLAGS[found[1]]} {found[2]}", sentence)
    named = PARAMETER.sub(lambda found: RENAMED[found[0]], named)
    first, _, rest = named.partition(" ")
    if first in PLAIN and rest.startswith(("must ", "is ")):
        named = f"--{first} {rest}"
    return re.sub(r" of type \w+$", "", named)


def with_command(context: typer.Context, result: Any) -> Any:
    """Return a result in the words of the command, with the one that gives it again."""
    choice = result.choice
    uses_pairs = choice is None or choice.uses_pairs
    if choice is not None:
        choice = replace(choice, reason=as_options(choice.reason))
    command = fit_command(context, result.model, uses_pairs=uses_pairs)
    return replace(result, choice=choice, command=command)


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
        panel = getattr(param, "rich_help_panel", None)
        is_about_data = param.param_type_name == "argument" or panel in DATA_PANELS
        if not (is_given and is_about_data) or (name == "pairs" and not uses_pairs):
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
    settings = model.get_params(deep=False)
    for name, flag in FLAGS.items():
        value = settings.get(name)
        if value is not None and value is not False:
            several = isinstance(value, list | tuple | range)
            words += [flag, ",".join(map(str, value)) if several else str(value)]
    for name, value in (settings.get("metric_params") or {}).items():
        words += ["--metric-param", f"{name}={value}"]
    if settings.get("robust"):
        words.append("--robust")
    return shlex.join(words)


Data = Annotated[
    Path,
    typer.Argument(
        help="A table, one row per item (CSV, TSV, text, Excel, Parquet, JSON lines; "
        ".gz is read as well), a folder of pictures or of texts, or embeddings (.npy, "
        ".npz).",
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
Text = Annotated[
    str | None, of_items(help="The column of texts to cluster.", metavar="COL")
]
Drop = Annotated[
    list[str] | None,
    of_data(help="A column to leave out; may be repeated.", metavar="COL"),
]


@dataclass(frozen=True)
class ReadingOptions:
    """How the data and the judgements are read."""

    id_column: IdColumn = None
    text: Text = None
    image: Annotated[
        str | None,
        of_items(help="The column of names of picture files.", metavar="COL"),
    ] = None
    images: Annotated[
        Path | None,
        of_items(help="The folder of the pictures; that of DATA if left out.",
                metavar="DIR"),
    ] = None  # fmt: skip
    embedding: Annotated[
        str | None,
        of_items(help="The column of embeddings: lists of numbers.", metavar="COL"),
    ] = None
    embeddings: Annotated[
        Path | None,
        of_items(
            help="Embeddings of the rows of DATA: .npy, or .npz with ids.",
            metavar="FILE",
        ),
    ] = None
    with_: Annotated[
        list[str] | None,
        of_items(
            "--with",
            help="A column to cluster by beside texts, pictures or embeddings; may be "
            "repeated.",
            metavar="COL",
        ),
    ] = None
    shown: Annotated[
        list[str] | None,
        of_items(
            "--show",
            help="A column to show in the report and not to cluster by; may be "
            "repeated.",
            metavar="COL",
        ),
    ] = None
    features: Annotated[
        str,
        of_items(
            help="What makes features of texts (wordllama, tfidf, "
            "sentence-transformers:NAME), of pictures (gradients, pixels, onnx:FILE) "
            "or of both (python:MODULE.FUNCTION).",
            metavar="NAME",
        ),
    ] = "auto"
    feature_options: Annotated[
        list[str] | None,
        of_items(
            "--feature-option",
            help="Of onnx:FILE: size, mean, std or output; may be repeated.",
            metavar="NAME=VALUE",
        ),
    ] = None
    strict: Annotated[
        bool, of_items("--strict", help="Stop at an item that cannot be read.")
    ] = False
    cache: Annotated[
        bool,
        of_items("--cache", help="Keep features of items in a file beside the data."),
    ] = False
    truth: Annotated[
        str | None,
        of_data(
            help="The column of true classes: used to score the result, not to "
            "cluster.",
            metavar="COL",
        ),
    ] = None
    drop: Drop = None
    no_scale: Annotated[
        bool, of_data("--no-scale", help="Do not standardise numbers.")
    ] = False
    category: Annotated[
        list[str] | None,
        of_data(
            help="A column to treat as categories; may be repeated.", metavar="COL"
        ),
    ] = None
    number: Annotated[
        list[str] | None,
        of_data(help="A column to treat as numbers; may be repeated.", metavar="COL"),
    ] = None
    date: Annotated[
        list[str] | None,
        of_data(help="A column to treat as dates; may be repeated.", metavar="COL"),
    ] = None
    date_order: Annotated[
        DayOrder | None,
        of_data(help="Whether the day or the month comes first in ambiguous dates."),
    ] = None
    grade_scale: Annotated[
        str | None,
        of_data(
            help="The scale of the grades, unlike first: yes/no, 1-5, 0-100, 0-1 or "
            "another LOW-HIGH; recognised if left out.",
            metavar="SCALE",
        ),
    ] = None

    def arguments(self, data: Path) -> dict[str, Any]:
        """Return the arguments of `fuzzypairs.analysis.row_reader.RowReader`."""
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        given["id"] = given.pop("id_column")
        given["show"] = given.pop("shown")
        given["scale"] = not given.pop("no_scale")
        order = given["date_order"]
        given["date_order"] = None if order is None else str(order.value)
        told = [_setting("--feature-option", t) for t in self.feature_options or ()]
        given["feature_options"] = dict(told) or None
        beside = Path(f"{os.path.normpath(data)}.features.npz")
        given["cache"] = beside if self.cache else None
        lists = ("with_", "show", "drop", "category", "number", "date")
        return given | {name: given[name] or () for name in lists}


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
Names = Annotated[
    Path | None,
    of_results(
        "--names",
        help="Names of the clusters, for all results: lines such as 0: shoes.",
        metavar="FILE",
    ),
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
Scheduler = Annotated[
    str | None,
    of_data(
        help="The address of a Dask scheduler whose workers read the files in blocks.",
        metavar="ADDRESS",
    ),
]
Top = Annotated[
    int | None,
    of_results(
        help="For files read in blocks: keep the M largest memberships of each row.",
        metavar="M",
        min=1,
    ),
]


def unfold(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command with an option for each field of its groups of options."""
    hints = get_type_hints(command, include_extras=True)
    groups, parameters = {}, []
    for given in inspect.signature(command).parameters.values():
        kind = hints[given.name]
        if not is_dataclass(kind):
            parameters.append(given.replace(annotation=kind))
            continue
        groups[given.name] = kind
        types = get_type_hints(kind, include_extras=True)
        parameters += [
            inspect.Parameter(
                field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default,
                annotation=types[field.name],
            )
            for field in fields(kind)
        ]  # fmt: skip

    def run(**given: Any) -> None:
        for name, kind in groups.items():
            own: Any = kind  # called with the values of its fields
            values = {
                field.name: given.pop(field.name)
                for field in fields(own)
                if field.name in given
            }
            given[name] = own(**values)
        command(**given)

    run.__name__, run.__doc__ = command.__name__, command.__doc__
    run.__annotations__ = {p.name: p.annotation for p in parameters}
    vars(run)["__signature__"] = inspect.Signature(parameters)
    return run
