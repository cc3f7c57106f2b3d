"""The command `fuzzypairs`.

Exit codes: 0 done, 1 failed, 2 wrong usage. What a user can get wrong is answered
by one sentence, never by a traceback.
"""

from typing import Annotated

import typer

from fuzzypairs import __version__
from fuzzypairs.cli import (
    compare,
    datasets,
    demo,
    fit,
    judge,
    label,
    predict,
    reproduce,
    tune,
)

__all__ = ["app"]

app = typer.Typer(
    no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"fuzzypairs {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_print_version,
            is_eager=True,
            help="Print the version.",
        ),
    ] = False,
) -> None:
    """Fuzzy clustering guided by graded judgements of pairs."""


for command in (demo.demo, fit.fit, predict.predict, tune.tune, compare.compare,
                label.label, judge.judge,
                datasets.datasets, reproduce.reproduce):  # fmt: skip
    app.command()(command)
