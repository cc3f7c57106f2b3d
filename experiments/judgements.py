"""What judgements are worth, by method: trials to a file, and tables from that file.

``python -m experiments.judgements`` fits what is not in the file yet, and
``python -m experiments.judgements table`` writes docs/judgements.md.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import fields
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
)

from experiments.design import (
    CONDITIONS,
    FURTHER,
    SETS,
    WIDE,
    Trial,
    has_data,
    plan,
    run,
)
from experiments.json_lines import append_line, open_lines, read_lines
from experiments.methods import METHODS
from experiments.pages import write_pages

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "judgements.md"
# Kept with the page, so that anyone can go on where others stopped.
LINES = PAGE.with_suffix("") / "trials.jsonl"

EVERY = (*SETS, *FURTHER, *WIDE)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    options = _parser().parse_args(arguments)
    console = Console(stderr=True)
    try:
        if options.action == "table":
            for path in write_pages(read_lines(options.lines), options.page):
                console.print(f"written: {path}")
            return 0
        return 1 if _run_all(options, console) else 0
    except ValueError as error:
        console.print(str(error), markup=False)
        return 2


def done_trials(lines: Iterable[dict[str, Any]]) -> set[Trial]:
    """Return the trials of lines that have a score; failed ones are run again."""
    names = [field.name for field in fields(Trial)]
    return {Trial(**{n: line[n] for n in names}) for line in lines if "ari" in line}


def _run_all(options: argparse.Namespace, console: Console) -> int:
    """Run what is missing; return how many trials failed."""
    methods = _pick_methods(options)
    names = _split(options.sets, EVERY, "--sets")
    absent = [name for name in names if not has_data(name)]
    if absent and options.sets:
        raise ValueError(
            f"--sets names {', '.join(absent)}, whose files are not here; set "
            "FUZZYPAIRS_DATA to the folder that holds them"
        )
    if absent:
        console.print(f"left out, no file: {', '.join(absent)}")
    trials = plan(
        [name for name in names if name not in absent],
        _split(options.conditions, tuple(CONDITIONS), "--conditions", ";"),
        methods,
        options.draws,
    )
    done = done_trials(read_lines(options.lines))
    todo = [trial for trial in trials if trial not in done]
    console.print(f"{len(trials)} trials, {len(trials) - len(todo)} done before")
    failed: Counter[str] = Counter()
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    open_lines(options.lines)
    with Progress(*columns, console=console) as progress:
        task = progress.add_task("", total=len(todo))
        for line in _results(todo, options.jobs):
            append_line(options.lines, line)
            what = " ".join(
                str(line[n]) for n in ("set", "condition", "draw", "method")
            )
            progress.update(task, advance=1, description=what)
            if "error" in line:
                failed[line["method"]] += 1
                if failed[line["method"]] == 1:  # the others are in the file
                    console.print(f"failed: {what}: {line['error']}", markup=False)
    console.print(f"{len(todo)} trials run; lines in {options.lines}")
    for method, count in failed.items():
        console.print(f"{count} trials of {method} failed", markup=False)
    return failed.total()


def _results(trials: Sequence[Trial], jobs: int) -> Iterator[dict[str, Any]]:
    """Give lines as they are finished."""
    if jobs == 1:
        yield from map(run, trials)
        return
    # Spawned, not forked: the threads of libraries do not survive a fork.
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        futures = [pool.submit(run, trial) for trial in trials]
        try:
            for future in as_completed(futures):
                yield future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _pick_methods(options: argparse.Namespace) -> list[str]:
    return _split(options.methods, tuple(METHODS), "--methods", ";")


def _split(text: str, known: Sequence[str], option: str, mark: str = ",") -> list[str]:
    """Read a list of names; none is all."""
    if not text:
        return list(known)
    names = [name.strip() for name in text.split(mark)]
    for name in names:
        if name not in known:
            raise ValueError(
                f"{option} names {name!r}: expected some of {(mark + ' ').join(known)}"
            )
    return [name for name in known if name in names]


def _count(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of 1 or more")
    return int(text)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python -m experiments.judgements", description=__doc__
    )
    parser.add_argument("action", nargs="?", choices=("run", "table"), default="run")
    parser.add_argument("--sets", default="", help=", ".join(EVERY))
    # Names of these have commas.
    conditions = "; ".join(CONDITIONS).replace("%", "%%")
    parser.add_argument("--conditions", default="", help=conditions)
    parser.add_argument("--methods", default="", help="; ".join(METHODS))
    parser.add_argument("--draws", type=_count, default=10, help="for each set (10)")
    parser.add_argument("--jobs", type=_count, default=1, help="processes (1)")
    parser.add_argument("--lines", type=Path, default=LINES, help="file of runs")
    parser.add_argument("--page", type=Path, default=PAGE, help="page of the tables")
    return parser


if __name__ == "__main__":
    sys.exit(main())
