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
    n_pairs: Annotated[
        int | None,
        options.of_results(
            "--pairs",
            min=1,
            help="Also write this many example judgements, drawn by its classes, to "
            "the file NAME-pairs beside it.",
        ),
    ] = None,
    random_state: options.Seed = 0,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """List the datasets, describe one, or write one to a file.

    Example: fuzzypairs datasets wine --out wine.csv --pairs 40
    """
    if n_pairs is not None and out is None:
        screen.fail("--pairs needs --out FILE, beside which it writes", code=2)
    if out is not None:
        if name is None:
            screen.fail("--out needs the name of a dataset before it", code=2)
        screen.check_file(out, force)
        if n_pairs is not None:
            screen.check_file(_pairs_file(out), force)
    with screen.plain_errors(code=2):
        from fuzzypairs.datasets import describe
        from fuzzypairs.datasets.registry import REGISTRY

        infos = [describe(name)] if name else list(REGISTRY.values())
    if out is not None and name is not None:
        _write(name, out, n_pairs, random_state)
    if as_json:
        screen.print_json([_facts(info) for info in infos])
    elif out is not None:
        typer.echo(out)
        if n_pairs is not None:
            typer.echo(_pairs_file(out))
    elif name is not None:
        _describe(infos[0])
    else:
        screen.new_terminal().print(screen.as_table(_table(infos)))


def _pairs_file(out: Path) -> Path:
    return out.with_name(f"{out.stem}-pairs{out.suffix}")


def _write(name: str, out: Path, n_pairs: int | None, seed: int) -> None:
    """Write features and truth as the source has them, with a column of ids."""
    with screen.plain_errors(code=2):
        from fuzzypairs import PairSet
        from fuzzypairs.datasets import load
        from fuzzypairs.tables.writing import write_table, writer_of

        writer_of(out)  # refuses an unknown ending before the work
        data = load(name)
        if n_pairs is not None:
            is_fuzzy = data.target.ndim == 2
            judge = PairSet.from_memberships if is_fuzzy else PairSet.from_labels
            pairs = judge(data.target, n_pairs=n_pairs, random_state=seed)
    ids = [f"{name}-{row}" for row in range(len(data.data))]
    with screen.plain_errors():
        write_table(out, {"id": ids, **data.raw})
        if n_pairs is not None:
            columns = {"a": pairs.i.tolist(), "b": pairs.j.tolist()}
            named = {end: [ids[row] for row in rows] for end, rows in columns.items()}
            write_table(_pairs_file(out), {**named, "grade": pairs.grade})


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
        "It is here." if here else _where_to_get(info),
    ):
        if line:
            typer.echo(line)


def _where_to_get(info: "DatasetInfo") -> str:
    """Say how to get a dataset whose file is not here."""
    needed = (
        f"It is not here. Put the file {info.file} into a folder and set "
        "FUZZYPAIRS_DATA to that folder"
    )
    if info.openml is None:
        return f"{needed}; it can be made from the source above."
    return f"{needed}, or let --out fetch it from OpenML (dataset {info.openml})."


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
