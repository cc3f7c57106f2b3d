"""The command `fuzzypairs`.

Exit codes: 0 done, 1 failed, 2 wrong usage. What a user can get wrong is answered
by one sentence, never by a traceback.
"""

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from fuzzypairs import __version__
from fuzzypairs.cli import (
    bench,
    compare,
    datasets,
    demo,
    fit,
    judge,
    label,
    options,
    predict,
    reproduce,
    screen,
    tune,
)

__all__ = ["app"]


# Typer has its own copy of click or not, by its version; this is its base of errors.
UsageError: Any = typer.BadParameter.__base__


class Commands(TyperGroup):
    """Commands that answer wrong usage by one sentence, as they answer wrong files."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that the arguments name."""
        try:
            return super().invoke(ctx)
        except UsageError as error:
            command = error.ctx.command_path if error.ctx else "fuzzypairs"
            reason = error.format_message().rstrip(".")
            screen.fail(f"{reason}; {command} --help lists the options", code=2)
        except (typer.Exit, typer.Abort, BrokenPipeError):
            raise
        except Exception as error:  # whatever nobody thought of
            screen.fail_unexpectedly(error)


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
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
                datasets.datasets, reproduce.reproduce, bench.bench):  # fmt: skip
    app.command()(options.unfold(command))
