"""`fuzzypairs fit`: from a user's file to clusters, a model and a report."""

import time
import warnings
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fuzzypairs.cli import large_files, options, screen
from fuzzypairs.cli.options import TableFormat, number_or_word

if TYPE_CHECKING:
    from fuzzypairs import FDC, GuidedFDC, PairSearchCV
    from fuzzypairs.cli.outputs import Task

__all__ = ["build_model", "fit"]

# A search for the number of clusters is fitted to so many rows and those judged.
MOST_SEARCHED = 10_000
# Parts of the progress: files read, the model fitted, and each file written. On large
# tables these take about the same time.
READ, FITTED, N_PARTS = 1, 2, 6


def _read_counts(text: str) -> list[int]:
    try:
        return options.counts(text)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error


def fit(
    context: typer.Context,
    data: options.Data,
    *,
    pairs: options.Pairs = None,
    id_column: options.IdColumn = None,
    truth: options.Truth = None,
    drop: options.Drop = None,
    no_scale: options.NoScale = False,
    category: options.Category = None,
    number: options.Number = None,
    date: options.DateColumn = None,
    date_order: options.DateOrder = None,
    grade_scale: options.GradeScale = None,
    # Options that are named like parameters of the model are passed to it if given.
    n_clusters: Annotated[
        Any,
        options.of_model(
            "--clusters",
            parser=_read_counts,
            metavar="K|K-K|K,K",
            help="The largest number of clusters, or several numbers to choose from "
            "by held-out judgements: 2-8 if left out.",
        ),
    ] = None,
    alpha: options.Alpha = "auto",
    beta: options.Beta = "auto",
    metric: Annotated[
        str | None,
        options.of_model(
            help="How rows are compared: auto (learned from the judgements where that "
            "helps), euclidean, cosine, rbf and others."
        ),
    ] = None,
    metric_params: Annotated[
        list[str] | None,
        options.of_model(
            "--metric-param",
            help="A parameter of the metric, such as gamma=0.5; may be repeated.",
            metavar="NAME=VALUE",
        ),
    ] = None,
    fuzzifier: Annotated[
        Any,
        options.of_model(
            help="How soft memberships are: auto or a number above 1.",
            parser=options.number_or_auto,
            metavar="NUMBER|auto",
        ),
    ] = None,
    init: Annotated[
        str | None,
        options.of_model(help="Where a fit begins: k-means++, random or pair-graph."),
    ] = None,
    n_init: Annotated[
        int | None, options.of_model(help="How many starts; the best is kept.")
    ] = None,
    max_iter: Annotated[
        int | None,
        options.of_model(help="The largest number of passes over the data in a start."),
    ] = None,
    propagate: Annotated[
        Any,
        options.of_model(
            parser=options.number_or_auto,
            metavar="NUMBER|auto",
            help="Apply judgements to neighbouring rows: a strength up to 1.",
        ),
    ] = None,
    robust: Annotated[
        bool,
        options.of_model(
            "--robust", help="Give less weight to judgements that the data contradict."
        ),
    ] = False,
    random_state: options.Seed = 0,
    n_jobs: options.Jobs = -1,
    out: Annotated[
        Path | None,
        options.of_results(
            help="The folder to write the results to: named after DATA if left out.",
            metavar="DIR",
        ),
    ] = None,
    fmt: options.Format = TableFormat.csv,
    with_data: options.WithData = False,
    top: large_files.Top = None,
    scheduler: large_files.Scheduler = None,
    force: options.Force = False,
    quiet: options.Quiet = False,
    as_json: options.AsJson = False,
) -> None:
    """Cluster your data with graded judgements.

    Writes to a folder: memberships.csv, the clusters of every row;
    report.html, to read; model.skops, for new rows by fuzzypairs predict;
    and summary.json, for programs.

    Numbers are standardised, categories are one-hot encoded, missing values are
    filled, and the output says what was done to each column.

    A folder, a pattern such as 'data/*.parquet', and files larger than a
    quarter of the memory are read block by block; memberships are then
    written to a folder of Parquet files.

    Example: fuzzypairs fit wine.csv --pairs pairs.csv --id bottle
    --clusters 3 --out result
    """
    out = out or Path(f"{data.name.partition('.')[0].strip('*') or 'data'}-result")
    screen.check_folder(out, force)
    if large_files.takes_blocks(data, context.params):
        large_files.fit_large(data, pairs, out, context.params, build_model)
        return
    started = time.perf_counter()
    with (
        screen.plain_errors(code=2),
        screen.progress(percent=True, quiet=quiet) as show,
    ):
        with screen.warnings_as_notes() as notes:
            from fuzzypairs.cli.outputs import FittedTask, read_task
            from fuzzypairs.pairs.stored import is_store
            from fuzzypairs.tables.atomic import staging
            from fuzzypairs.tables.writing import writer_of

            show(f"reading {data.name}", 0, N_PARTS)
            tried = n_clusters or list(range(2, 9))
            blank = build_model({**context.params, "n_clusters": tried[0]})
            task = read_task(data, pairs, context.params, max(n_clusters or [2]))
            writer_of(Path(f"memberships.{fmt}"), task.items.n_rows)  # refuses early
            read = time.perf_counter()
            doing = f"clustering {task.items.n_rows} rows"

            def show_fit(done: float, total: float) -> None:
                show(doing, READ + FITTED * done / total, N_PARTS)

            show_fit(0, 1)
            stored = pairs is not None and is_store(pairs)
            model, search = _fit(blank, tried, task, stored, show_fit)
            fitted = time.perf_counter()
        seconds = {"read": read - started, "fit": fitted - read}
        uses_pairs = search is None or search.uses_pairs_
        further: dict[str, Any] = {
            "command": options.fit_command(context, model, uses_pairs=uses_pairs)
        }
        if search is not None:
            reason = options.as_options(search.reason_)
            chosen = {"chosen_by": search.chosen_by_, "reason": reason}
            further |= {"tuning": chosen, "chosen": search.verdict_}
        found = FittedTask(task, model, seconds, notes, further)
        parts = count(READ + FITTED)
        with screen.plain_errors(), staging(out) as folder:
            found.write(
                folder, fmt, with_data=with_data,
                tell=lambda name: show(f"writing {name}", next(parts), N_PARTS),
            )  # fmt: skip
    if as_json:
        screen.print_json(found.summary)
    if as_json or quiet:
        return
    terminal = screen.new_terminal()
    found.show(terminal)
    terminal.print("\nRead the report:")
    typer.echo(out / "report.html")


def _fit(
    blank: "FDC | GuidedFDC",
    tried: list[int],
    task: "Task",
    stored: bool,
    tell: Callable[[float, float], None],
) -> tuple[Any, "PairSearchCV | None"]:
    """Fit with the number of clusters, or with the one that a search takes."""
    from fuzzypairs import GuidedFDC, PairSearchCV
    from fuzzypairs.active.inference import fit_answers
    from fuzzypairs.exceptions import ClustersVanishedWarning
    from fuzzypairs.solvers.watching import watch_runs
    from fuzzypairs.threads import one_blas_thread

    tried = [k for k in tried if k <= task.items.n_rows]
    # The fits have threads of their own.
    with one_blas_thread(), warnings.catch_warnings():
        if len(tried) == 1:
            with watch_runs(tell):
                # Answers to the questions of the page are fitted as there.
                if stored and isinstance(blank, GuidedFDC):
                    return fit_answers(blank, task.X, task.pairs, tried[0]), None
                return blank.fit(task.X, pairs=task.pairs), None
        rows = _searched(task)
        search = PairSearchCV(
            blank, {"n_clusters": tried}, random_state=blank.random_state,
            n_jobs=blank.n_jobs, refit=rows is None,
        )  # fmt: skip
        # Nobody asked for the number that a search takes: no note on those not found.
        warnings.simplefilter("ignore", ClustersVanishedWarning)
        if rows is None:
            search.fit(task.X, pairs=task.pairs, progress=tell)
            return search.best_estimator_, search
        some = task.pairs.restrict(rows)
        search.fit(task.X.iloc[rows], pairs=some, progress=tell)
        search.reason_ += f" The settings were fitted to {len(rows):,} of the rows."
        model = blank.set_params(**search.best_params_)
        used = task.pairs if search.uses_pairs_ else None
        with watch_runs(tell):
            model.fit(task.X, pairs=used)
        search.verdict_ = getattr(model, "verdict_", search.verdict_)
        return model, search


def _searched(task: "Task") -> Any:
    """Return the rows that a search is fitted to: all (None), or judged and some."""
    import numpy as np

    n_rows = task.items.n_rows
    if n_rows <= MOST_SEARCHED:
        return None
    judged = task.pairs.informative
    drawn = np.random.default_rng(0).choice(n_rows, MOST_SEARCHED, replace=False)
    return np.unique(np.concatenate([drawn, judged.i, judged.j]))


def build_model(given: dict[str, Any]) -> "FDC | GuidedFDC":
    """Return an unfitted model with the options that are named like its parameters.

    Without a metric it may learn its space; with one it is the model of the paper.
    """
    from fuzzypairs import FDC, GuidedFDC

    metric = str(given.get("metric") or "auto")
    if metric.startswith("precomputed"):
        raise ValueError(
            f"--metric {metric} is for matrices in Python: a file has features; take "
            "euclidean, cosine, rbf or another"
        )
    params = dict(map(_parameter, given.get("metric_params") or ()))
    if metric == "auto" and params:
        raise ValueError(
            f"--metric-param has {next(iter(params))!r}, but --metric auto takes no "
            "parameters: name a metric"
        )
    names = GuidedFDC().get_params()
    chosen = {n: v for n, v in given.items() if n in names and v is not None}
    if metric == "auto":
        return GuidedFDC(**chosen)
    return FDC(**chosen, metric=metric, metric_params=params or None)


def _parameter(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        raise ValueError(f"--metric-param is {text!r}: expected such as gamma=0.5")
    return name, number_or_word(value)
