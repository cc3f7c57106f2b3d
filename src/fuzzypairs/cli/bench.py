"""`fuzzypairs bench`: speed on this machine."""

import warnings
from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fuzzypairs import __version__
from fuzzypairs.cli import options, screen

# What is slow to load is imported where it is used: --help answers at once.
if TYPE_CHECKING:
    from fuzzypairs.bench import Row

__all__ = ["bench"]

HEADS = ["what", "measured", "target", "", "detail"]


def bench(
    quick: Annotated[
        bool,
        typer.Option("--quick", help="Smaller data and fewer repeats, in seconds."),
    ] = False,
    as_json: options.AsJson = False,
) -> None:
    """Measure the speed on this machine, compared with other packages.

    Fits alternate with those of scikit-learn's KMeans, and of scikit-fuzzy
    where it is installed, on one thread; the fastest of each counts. Ratios
    depend less on the machine than seconds do. Targets are those of the
    project; a busy machine may miss them.
    """
    with screen.plain_errors(), screen.progress() as show:
        rows = _measure(quick, show)
    if as_json:
        screen.print_json(_summary(rows, quick))
        return
    from fuzzypairs.report import Table

    facts = _machine()
    terminal = screen.new_terminal()
    caption = f"fuzzypairs {__version__}, CPU level {facts['cpu_level']}, one thread"
    terminal.print(
        screen.as_table(Table(HEADS, [row.cells() for row in rows], caption))
    )
    if not facts["scikit_fuzzy"]:
        terminal.print("scikit-fuzzy is not installed: it is not compared with.")


def _measure(quick: bool, show: Callable[[str, float, float], None]) -> "list[Row]":
    """Return all rows; warnings are of runs that are stopped early on purpose."""
    from fuzzypairs.bench import first_fit, whole_fits

    rows: list[Row] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parts = (first_fit, whole_fits)
        for done, part in enumerate(parts):
            show("measuring", done, len(parts))
            for row in part(quick):
                rows.append(row)
                show(f"measured: {row.what}", done, len(parts))
    return rows


def _summary(rows: "list[Row]", quick: bool) -> dict[str, Any]:
    """Return what --json prints."""
    return {
        "fuzzypairs": __version__,
        **_machine(),
        "quick": quick,
        "rows": [asdict(row) | {"holds": row.holds} for row in rows],
    }


def _machine() -> dict[str, Any]:
    import importlib.util
    import platform

    from fuzzypairs._core import cpu_level

    return {
        "machine": platform.machine(),
        "cpu_level": cpu_level(),
        "scikit_fuzzy": importlib.util.find_spec("skfuzzy") is not None,
    }
