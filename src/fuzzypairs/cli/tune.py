"""`fuzzypairs tune`: what held-out judgements say of k, alpha, beta and the metric."""

import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fuzzypairs.cli import options, screen
from fuzzypairs.cli.model_options import build_model
from fuzzypairs.cli.options import TableFormat, number_or_word

# What is slow to load is imported where it is used: --help answers at once.
if TYPE_CHECKING:
    from fuzzypairs import PairSearchCV
    from fuzzypairs.report import Table

__all__ = ["tune"]

# The most settings that the screen shows, and the names of parameters for a user.
SHOWN = 10
HEADS = {
    "n_clusters": "clusters",
    "alpha": "alpha",
    "beta": "beta",
    "metric": "metric",
}


def tune(
    context: typer.Context,
    data: options.Data,
    *,
    pairs: options.JudgedPairs,
    reading: options.ReadingOptions,
    clusters: Annotated[
        str,
        options.of_model(
            help="How many clusters to try: 2-8, or 2,3,5.", metavar="K-K|K,K,..."
        ),
    ] = "2-8",
    alpha: Annotated[
        str, options.of_model(help="Values to try, such as auto,0,0.02.")
    ] = "auto",
    beta: Annotated[
        str, options.of_model(help="Values to try, such as auto,1,10.")
    ] = "auto",
    metric: Annotated[
        str, options.of_model(help="Metrics to try, such as auto,euclidean,cosine.")
    ] = "auto",
    n_init: Annotated[
        int, options.of_model(help="How many starts; the best is kept.")
    ] = 10,
    folds: Annotated[
        int, options.of_model(min=2, help="Number of folds, each held out once.")
    ] = 4,
    repeats: Annotated[
        int, options.of_model(min=1, help="How often the folds are drawn.")
    ] = 2,
    seed: options.Seed = 0,
    jobs: options.Jobs = -1,
    out: options.Out,
    fmt: options.Format = TableFormat.csv,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Choose the number of clusters and other settings by held-out judgements.

    Every setting is fitted with some of the judgements and scored on the
    others: no classes are needed. The simplest setting that is not clearly
    worse than the best is taken. With too few judgements, settings are scored
    by how stable their clusters are, and the output says so.

    Writes what fuzzypairs fit writes, for the setting taken, and tuning.csv and
    tuning.html: what was tried, with curves.

    Example: fuzzypairs tune wine.csv --pairs pairs.csv --id bottle
    --clusters 2-8 --out result
    """
    screen.check_folder(out, force)
    with (
        screen.plain_errors(code=2),
        screen.progress() as show,
        screen.warnings_as_notes() as notes,
    ):
        from fuzzypairs import PairSearchCV
        from fuzzypairs.analysis.analysis_result import Result
        from fuzzypairs.analysis.fit_rows import Choice
        from fuzzypairs.analysis.row_reader import RowReader
        from fuzzypairs.tables.atomic import staging

        show(f"reading {data.name}", 0, 1)
        tried = {
            "n_clusters": options.counts(clusters),
            "alpha": _values("--alpha", alpha),
            "beta": _values("--beta", beta),
        }
        blank, grid = _candidates(tried, _values("--metric", metric), n_init, seed)
        reader = RowReader(**reading.arguments(data), progress=show)
        rows = reader.read(data, pairs)
        if (most := max(tried["n_clusters"])) > rows.n_rows:
            raise ValueError(
                f"--clusters is {clusters} but the number of rows of {data} is "
                f"{rows.n_rows}: ask for fewer clusters than {most}"
            )
        started = time.perf_counter()
        search = PairSearchCV(
            blank, grid, n_splits=folds, n_repeats=repeats, random_state=seed,
            n_jobs=jobs,
        )  # fmt: skip
        tell = partial(show, "trying settings")
        search.fit(rows.X, pairs=rows.pairs, progress=tell)
        seconds = {"read": rows.seconds, "fit": time.perf_counter() - started}
    model = search.best_estimator_
    choice = Choice(
        search.chosen_by_, search.reason_, search.verdict_, search.uses_pairs_,
        _details(search),
    )  # fmt: skip
    result = Result(rows, model, choice, seconds, [*rows.notes, *notes])
    result = options.with_command(context, result)
    with screen.plain_errors(), screen.progress() as show, staging(out) as folder:
        result.write(folder, format=fmt, progress=show)
        _write(folder, search)
    if as_json:
        screen.print_json(result.summary)
        return
    terminal = screen.new_terminal()
    screen.print_summary(terminal, result.summary)
    terminal.print(screen.as_table(_table(search, SHOWN)))
    terminal.print("\nRead the reports:")
    typer.echo(out / "tuning.html")
    typer.echo(out / "report.html")


def _values(option: str, text: str) -> list[Any]:
    """Read numbers and words separated by commas."""
    parts = [part.strip() for part in text.split(",")]
    if not all(parts):
        raise ValueError(f"{option} is {text!r}: expected such as auto,0.5,1")
    return list(dict.fromkeys(number_or_word(part) for part in parts))


def _candidates(
    tried: dict[str, list[Any]], metrics: list[str], n_init: int, seed: int
) -> tuple[Any, list[dict[str, Any]]]:
    """Return the estimator of a search, and its grids: `GuidedFDC` for "auto".

    Values of alpha and beta are for the model of the paper.
    """
    if metrics == ["auto"] and (tried["alpha"], tried["beta"]) != (["auto"], ["auto"]):
        metrics = ["euclidean"]
    from fuzzypairs import GuidedFDC

    # What is not varied belongs to the model: the search reports the others only.
    varied = {n: v for n, v in tried.items() if len(v) > 1 or n == "n_clusters"}
    fixed = {n: v[0] for n, v in tried.items() if n not in varied}
    fixed |= {"n_init": n_init, "random_state": seed}
    own = {"n_clusters": tried["n_clusters"]}
    guided = GuidedFDC(n_init=n_init, random_state=seed)
    named = [name for name in metrics if name != "auto"]
    # Builds all, and so refuses what a file cannot have.
    models = {name: build_model({**fixed, "metric": name}) for name in named}
    if not models:
        return guided, [own]
    grids = [{**varied, "metric": named}] if len(metrics) > 1 else [varied]
    if len(named) < len(metrics):
        grids.append({**own, "estimator": [guided]})
    return models[named[0]], grids


def _named(search: "PairSearchCV", params: dict[str, Any]) -> dict[str, Any]:
    """Return all options of a setting that may differ, in the words of the command."""
    model = params.get("estimator", search.estimator)
    settings = {"metric": "auto", **model.get_params(), **params}
    # GuidedFDC has neither alpha nor beta.
    settings = {"alpha": "auto", "beta": "auto"} | settings
    return {name: settings[name] for name in HEADS}


def _rows(search: "PairSearchCV") -> list[dict[str, Any]]:
    """Return a row for each setting, the best first."""
    found = search.cv_results_
    order = found["rank_test_score"].argsort(kind="stable")
    return [
        {
            **_named(search, found["params"][n]),
            "score": float(found["mean_test_score"][n]),
            "error": float(found["se_test_score"][n]),
            "clusters_found": float(found["n_clusters"][n]),
            "as_good": bool(found["as_good"][n]),
            "taken": bool(n == search.best_index_),
            "seconds": float(found["mean_fit_time"][n]),
        }
        for n in order.tolist()
    ]


def _details(search: "PairSearchCV") -> dict[str, Any]:
    """Return what a summary has of the search beside its reason."""
    return {
        "best": _named(search, search.best_params_),
        # A setting that failed has no score, and JSON has no NaN.
        "settings": [
            {name: None if value != value else value for name, value in row.items()}
            for row in _rows(search)
        ],
    }


def _table(search: "PairSearchCV", most: int | None = None) -> "Table":
    from fuzzypairs.report import Table

    def text(value: Any) -> str:
        return f"{value:g}" if isinstance(value, float) else str(value)

    rows = _rows(search)
    names = [n for n in HEADS if n == "n_clusters" or len({row[n] for row in rows}) > 1]
    common = ", ".join(
        f"{HEADS[n]} {text(rows[0][n])}" for n in HEADS if n not in names
    )
    cells = [
        [
            *(text(row[name]) for name in names),
            100 * row["score"],
            100 * row["error"],
            f"{row['clusters_found']:g}",
            "taken" if row["taken"] else "as good" * row["as_good"],
        ]
        for row in rows[:most]
    ]
    by_pairs = search.chosen_by_ == "held-out pairs"
    score = "judgements satisfied" if by_pairs else "stability"
    caption = f"Settings by {search.chosen_by_}, in percent, best first"
    caption += f", all with {common}" if common else ""
    if len(cells) < len(rows):
        caption += f": {len(cells)} of {len(rows)}"
    heads = [HEADS[name] for name in names]
    return Table([*heads, score, "+/-", "found", ""], cells, caption)


def _write(folder: Path, search: "PairSearchCV") -> None:
    """Write what was tried: a table, and a page with a curve for each parameter."""
    import pandas as pd

    from fuzzypairs.plots import new_figure, plot_search
    from fuzzypairs.report import Picture, Section, write_report
    from fuzzypairs.tables.writing import write_table

    table = pd.DataFrame(_rows(search))
    write_table(folder / "tuning.csv", {str(c): table[c] for c in table})
    varied = [name for name in HEADS if table[name].nunique() > 1]
    names = varied or ["n_clusters"]
    figure = new_figure((4.2 * max(len(names), 2), 3.6))
    panels = figure.subplots(1, len(names), sharey=True, squeeze=False)[0]
    for ax, name in zip(panels, names, strict=True):
        found = search.cv_results_["params"]
        values = [_named(search, params)[name] for params in found]
        plot_search({**search.cv_results_, f"param_{name}": values}, name, ax)
        ax.set(xlabel=HEADS[name], ylabel="")
    panels[0].set_ylabel(f"score by {search.chosen_by_}")
    curves = Picture(
        figure,
        alt="The best score for each value of what was varied; the table holds the "
        "numbers.",
        caption="For each value, the best that the other settings allow.",
    )
    write_report(
        folder / "tuning.html",
        title="What the judgements say of the settings",
        lead=options.as_options(search.reason_),
        sections=[
            Section("Curves", picture=curves),
            Section("Settings", tables=[_table(search)]),
        ],
    )
