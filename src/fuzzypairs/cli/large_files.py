"""Files that `fuzzypairs fit` and `predict` read block by block."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer

from fuzzypairs.cli import screen
from fuzzypairs.cli.model_options import build_model

__all__ = ["fit_large", "predict_large", "takes_blocks"]


def takes_blocks(data: Path, scheduler: str | None) -> bool:
    """Tell whether data are read in blocks: large, several files, or on a cluster."""
    from fuzzypairs.tables.file_blocks import is_large

    return scheduler is not None or is_large(data)


def fit_large(
    data: Path,
    pairs: Path | None,
    out: Path,
    given: Mapping[str, Any],
) -> None:
    """Fit files in blocks, and say what was found."""
    quiet = bool(given.get("quiet"))
    with (
        screen.plain_errors(code=2),
        screen.progress(quiet=quiet) as show,
        screen.warnings_as_notes() as notes,
    ):
        _check_installed()
        from fuzzypairs.cli.streaming import fit_files

        tried = given.get("n_clusters") or list(range(2, 9))
        model = build_model({**given, "n_clusters": tried[0]})
        summary = fit_files(data, pairs, out, model, tried, given, show)
    summary["notes"] = [*notes, *_without_effect(given)]
    _show(summary, out, given, str(data))


def _without_effect(given: Mapping[str, Any]) -> list[str]:
    """Return what to say about options that data read in blocks do not have."""
    said = []
    if given.get("with_data"):
        said.append("--with-data has no effect on data that are read in blocks")
    if given.get("truth"):
        said.append(
            f"column {given['truth']} is left out of the fit; clusters of data "
            "that are read in blocks are not compared with it"
        )
    if (asked := str(given.get("fmt") or "csv")) not in ("csv", "parquet"):
        said.append(f"memberships are written as Parquet, not as {asked}")
    return said


def predict_large(
    model: Path, pipeline: Any, data: Path, out: Path, given: Mapping[str, Any]
) -> None:
    """Assign the rows of files in blocks, and say how many are in each cluster."""
    with screen.plain_errors(code=2), screen.progress() as show:
        _check_installed()
        from fuzzypairs.cli.streaming import predict_files

        if out.suffix:
            raise ValueError(
                f"--out {out} is the name of a file: {data} is read in blocks, whose "
                "results are written to a folder; name one"
            )
        name = given.get("id_column") or pipeline[0].id_column
        name = None if given.get("no_id") else name
        summary = predict_files(model, pipeline, data, out, name, given, show)
    _show(summary, out, given, str(data))


def _check_installed() -> None:
    from importlib.util import find_spec

    if find_spec("dask") is None:
        raise ImportError(
            "files are read in blocks by Dask: pip install 'fuzzypairs[distributed]'"
        )


def _show(
    summary: dict[str, Any], out: Path, given: Mapping[str, Any], data: str
) -> None:
    if given.get("as_json"):
        screen.print_json(summary)
    if given.get("as_json") or given.get("quiet"):
        return
    from fuzzypairs.report import Table

    terminal = screen.new_terminal()
    if "verdict" in summary:
        screen.print_verdict(terminal, summary["verdict"]["sentences"])
    sizes = summary["sizes"] if "sizes" in summary else summary["clusters"]["sizes"]
    rows: list[list[str | float]] = [[str(k), n] for k, n in enumerate(sizes)]
    terminal.print(screen.as_table(Table(["cluster", "rows"], rows)))
    terminal.print(
        f"{data} was read in blocks: {summary['rows']:,} rows, mean certainty "
        f"{100 * summary['mean_certainty']:.1f} %"
    )
    if "tuning" in summary:
        terminal.print(summary["tuning"]["reason"])
    if "report" in summary:
        terminal.print(f"The report is {summary['report']}.")
    screen.print_notes(terminal, summary["notes"])
    typer.echo(out)
