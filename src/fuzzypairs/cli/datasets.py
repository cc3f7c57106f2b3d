"""`fuzzypairs datasets`: data to try things on."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fuzzypairs.cli import options, screen

# What is slow to load is imported where it is used: --help answers at once.
if TYPE_CHECKING:
    from fuzzypairs.datasets import DatasetInfo
    from fuzzypairs.report import Table

__all__ = ["datasets"]


def datasets(
    name: Annotated[
        str | None,
        typer.Argument(help="The dataset to describe, or to write by --out."),
    ] = None,
    out: Annotated[
        Path | None,
        options.of_results(
            help="Write the dataset to this file: .csv, .tsv, .parquet or .jsonl.",
            metavar="FILE",
        ),
    ] = None,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """List the datasets, describe one, or write one to a file.

    Example: fuzzypairs datasets wine --out wine.csv
    """
    if out is not None:
        if name is None:
            screen.fail("--out needs the name of a dataset before it", code=2)
        screen.check_file(out, force)
    with screen.plain_errors(code=2):
        from fuzzypairs.datasets import describe
        from fuzzypairs.datasets.registry import REGISTRY

        infos = [describe(name)] if name else list(REGISTRY.values())
    if out is not None and name is not None:
        _write(name, out)
    if as_json:
        screen.print_json([_facts(info) for info in infos])
    elif out is not None:
        typer.echo(out)
    elif name is not None:
        _describe(infos[0])
    else:
        screen.new_terminal().print(screen.as_table(_table(infos)))


def _write(name: str, out: Path) -> None:
    """Write features and truth as the source has them, with a column of ids."""
    with screen.plain_errors(code=2):
        from fuzzypairs.datasets import load
        from fuzzypairs.io.writing import write_table, writer_of

        writer_of(out)  # refuses an unknown ending before the work
        raw = load(name).raw
    with screen.plain_errors():
        rows = range(len(next(iter(raw.values()))))
        write_table(out, {"id": [f"{name}-{row}" for row in rows], **raw})


def _facts(info: "DatasetInfo") -> dict[str, object]:
    from fuzzypairs.datasets import available

    facts = asdict(info) | {"here": info.name in available()}
    return facts | {"orders": dict(info.orders), "merged": dict(info.merged)}


def _describe(info: "DatasetInfo") -> None:
    here = _facts(info)["here"]
    for line in (
        f"{info.name}: {info.title}",
        f"{info.n_samples} rows, {info.n_features} features, {info.n_classes} "
        + ("classes" if info.kind == "classes" else "columns of memberships"),
        info.note,
        f"Source: {info.source}",
        f"Licence: {info.licence}",
        "It is here." if here else f"It needs the file {info.file}.",
    ):
        if line:
            typer.echo(line)


def _table(infos: "list[DatasetInfo]") -> "Table":
    from fuzzypairs.datasets import available
    from fuzzypairs.report import Table

    here = set(available())
    return Table(
        ["name", "rows", "features", "classes", "truth", "here"],
        [
            [
                info.name,
                info.n_samples,
                info.n_features,
                info.n_classes,
                info.kind,
                "yes" if info.name in here else "no",
            ]
            for info in infos
        ],
        "Datasets; those not here need a file, see fuzzypairs datasets NAME",
    )
