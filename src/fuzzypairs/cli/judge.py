"""`fuzzypairs judge`: grade pairs in a terminal, or have a program grade them."""

import os
import re
import select
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from fuzzypairs.cli import label, options, program_judge, screen

if TYPE_CHECKING:
    from fuzzypairs.labelling.desk import Asked
    from fuzzypairs.labelling.service import Service

__all__ = ["judge"]

GRADES = {
    "1": -1.0, "2": -0.75, "3": -0.5, "4": -0.25, "5": 0.0, " ": 0.0,
    "6": 0.25, "7": 0.5, "8": 0.75, "9": 1.0,
}  # fmt: skip
UNDO, QUIT = ("u", "\x7f", "\x08", "\x1a"), ("q", "\x03", "\x04")
KEYS = (
    "[bold]1[/]-[bold]4[/] apart  [bold]5[/] can't say  [bold]6[/]-[bold]9[/] "
    "together  "
    "[bold]s[/] skip  [bold]u[/] undo  [bold]w[/] why  [bold]p[/] piles  "
    "[bold]q[/] quit"
)
PILE_KEYS = (
    "[bold]1[/]-[bold]9[/] the pile  [bold]0[/] leave out  [bold]u[/] undo  "
    "[bold]s[/] other items  [bold]p[/] pairs  [bold]q[/] quit"
)
# Keys pressed sooner after a pair is shown were meant for the one before it.
UNSEEN_SECONDS = 0.15
# What one key sends after ESC, alone or with Alt, a click of the mouse, or an answer of
# the terminal to another program. It arrives together, also over a slow line.
ESCAPE, ESCAPE_SECONDS = "\x1b", 0.5
SEQUENCE = re.compile(
    r"\x1b+([^\x1b[O\]PX^_]|O.|\[\[.|\[M...|\[[^[M@-~][^@-~]*[@-~]|\[[@-LN-Z\\-~]"
    r"|[\]PX^_][^\x07\x1b]*(\x07|\x1b\\))",
    re.S,
)
MARKS = ("", "yellow", "bold yellow reverse")


of_program = partial(typer.Option, rich_help_panel="A program as judge")


@options.unfold
def judge(
    data: options.Data,
    *,
    reading: options.ReadingOptions,
    imported: label.Imported = None,
    annotator: label.Annotator = None,
    question: label.Question = None,
    n_clusters: label.Clusters = None,
    database: label.Database = None,
    by: Annotated[
        str | None,
        of_program(
            help="A command that reads questions and writes grades as lines of JSON, "
            "or the address of a server with the chat-completions interface.",
            metavar="COMMAND|URL",
        ),
    ] = None,
    model: Annotated[
        str | None, of_program(help="The language model.", metavar="NAME")
    ] = None,
    prompt: Annotated[
        Path | None,
        of_program(help="What the model is told; {question} is in it.", metavar="FILE"),
    ] = None,
    show_prompt: Annotated[
        bool,
        of_program(
            "--show-prompt", help="Print what would be sent first, and send nothing."
        ),
    ] = False,
    pairs: Annotated[
        Path | None,
        of_program(
            help="Ask about the pairs of this file, such as those that people judged.",
            metavar="FILE",
        ),
    ] = None,
    piles: Annotated[
        bool,
        of_program("--piles", help="Ask to sort items into piles, instead of pairs."),
    ] = False,
    questions: Annotated[
        int, of_program(min=1, help="The most questions of this run.")
    ] = 100,
    parallel: Annotated[
        int, of_program(min=1, max=256, help="The most questions at a time.")
    ] = 1,
    failures: Annotated[
        int,
        of_program(
            min=1, help="Stop after so many questions in a row without a grade."
        ),
    ] = 20,
    timeout: Annotated[
        float, of_program(min=0.1, help="Seconds for one reply.")
    ] = 120.0,
    yes: Annotated[
        bool, of_program("--yes", help="Send items to the server without asking.")
    ] = False,
    compare: Annotated[
        bool,
        of_program(
            "--compare", help="Say how programs agree with people; asks nobody itself."
        ),
    ] = False,
    as_json: options.AsJson = False,
) -> None:
    """Grade pairs of your data in this terminal, or by a program.

    Shows two rows side by side, with cells that differ marked, and takes a grade by
    key: 1 to 4 for apart, 5 for can't say, 6 to 9 for together; p asks to sort items
    into piles instead. Each answer is saved at once; q quits, and the same command
    continues later. fuzzypairs label uses the same file, and fit --pairs reads it.

    With --by, a program or a language model grades instead. The key of a server is
    taken from the environment variable FUZZYPAIRS_API_KEY.

    Example: fuzzypairs judge wine.csv --id bottle
    """
    terminal = screen.new_terminal(stderr=as_json)
    summary: dict[str, Any] = {}
    with ExitStack() as stack, screen.plain_errors(code=2):
        asking = _asking(
            by, model, prompt, pairs, questions, parallel, failures, timeout, piles
        )
        if asking is not None:
            asking.judge()  # refuses what cannot be asked before the data are read
        labelling = label.read_labelling(
            data, reading, n_clusters=n_clusters, database=database
        )
        who = annotator or (
            program_judge.program_name(by, model) if by else label.login()
        )
        asks_nobody = show_prompt or (compare and by is None)
        service = labelling.open(
            stack,
            imported,
            who,
            partial(screen.print_notes, terminal),
            fits=not (asks_nobody or pairs),
        )
        if question is not None:
            service.set_question(question)
        n_answers = 0
        if show_prompt:
            if asking is None:
                raise ValueError("--show-prompt shows what --by sends: name one")
            program_judge.show_prompt(service, who, asking)
            return
        if asking is not None:
            tally = program_judge.ask_program(
                service, who, asking, terminal, is_sure=yes
            )
            n_answers = tally.n_graded + tally.n_unsure
            summary = program_judge.as_json(who, tally)
            for said in program_judge.describe(tally):
                terminal.print(escape(said))
        elif not compare:
            with single_keys():
                n_answers = _ask(service, who, terminal)
        if compare:
            summary["comparison"] = program_judge.compare_programs(service, terminal)
        everyone = len(service.pairs())
    path = str(labelling.database)
    if as_json:
        screen.print_json(
            {"database": path, "answers": n_answers, "pairs": everyone, **summary}
        )
    else:
        terminal.print(
            f"\n{n_answers} answers, {everyone} judged pairs in {escape(path)}"
        )
    if summary.get("stopped"):
        raise typer.Exit(1)


def _asking(by: str | None, *given: Any) -> program_judge.Asking | None:
    """Return who is asked; None for a person."""
    if by is not None:
        return program_judge.Asking(by, *given)
    model, prompt, pairs, *_, piles = given
    for option, value in (
        ("--model", model), ("--prompt", prompt), ("--pairs", pairs),
        ("--piles", piles or None),
    ):  # fmt: skip
        if value is not None:
            raise ValueError(f"{option} is for a program: name it by --by")
    return None


def _ask(service: "Service", who: str, terminal: Console) -> int:
    """Ask until the person quits or nothing is left; return the number of answers."""
    n_answers = 0
    if service.catalogue.has_pictures:
        terminal.print(
            "A terminal shows no pictures: click on a name to open one, or grade them "
            "by fuzzypairs label."
        )
    while asked := service.next(who, 1):
        _show(service, asked[0], terminal)
        shown, key = time.monotonic(), read_key()
        while key == "w" or _is_idle(key) or _is_early(key, shown):
            if key == "w":
                terminal.print(f"Asked because: {escape(asked[0].reason)}.")
            key = read_key()
        rows = asked[0].left, asked[0].right
        seconds = time.monotonic() - shown
        if key in GRADES:
            receipt = service.answer(
                who, *rows, grade=GRADES[key], input="terminal", seconds=seconds
            )
            n_answers += 1
            stored = f"Answer {n_answers} stored: {GRADES[key]:+g}."
            if receipt.same is not None:
                where = "one cluster" if receipt.same else "different clusters"
                stored += f" The model has them in {where}."
            terminal.print(stored)
        elif key == "s":
            service.answer(who, *rows, kind="skipped", input="terminal")
        elif key in UNDO:
            undone = service.undo(who)
            n_answers -= undone is not None
            terminal.print("Taken back." if undone else "Nothing to undo.")
        elif key == "p":
            n_sorted, key = _sort(service, who, terminal)
            n_answers += n_sorted
        elif key not in QUIT:
            terminal.print(KEYS)
        if key in QUIT or not key:
            return n_answers
    terminal.print("Nothing is left worth asking.")
    return n_answers


def _sort(service: "Service", who: str, terminal: Console) -> tuple[int, str]:
    """Have items sorted into piles; return how many sets, and the key that ended it."""
    n_sorted = 0
    while asked := service.next_set(who):
        rows, piles, at, shown = asked.rows, dict[int, int](), 0, time.monotonic()
        _show_items(service, rows, terminal)
        while at < len(rows):
            terminal.print(f"Pile of {escape(service.catalogue.name(rows[at]))}?")
            key = read_key()
            if key in "123456789" and key:
                piles[rows[at]] = min(int(key), max(piles.values(), default=0) + 1)
                terminal.print(f"In pile {piles[rows[at]]}.")
                at += 1
            elif key == "0":
                at += 1
            elif key in UNDO and at:
                at -= 1
                piles.pop(rows[at], None)
            elif key in UNDO:
                undone = service.undo(who)
                n_sorted -= undone is not None
                terminal.print("Taken back." if undone else "Nothing to undo.")
                break
            elif key == "s":
                service.sort(who, [])
                break
            elif key == "p" or key in QUIT or not key:
                return n_sorted, key
            else:
                terminal.print(PILE_KEYS)
        else:
            heaps = [[r for r in piles if piles[r] == n] for n in set(piles.values())]
            seconds = time.monotonic() - shown
            receipt = service.sort(
                who, heaps if len(piles) > 1 else [], input="terminal", seconds=seconds
            )
            if receipt is not None:
                receipt.result()
                n_sorted += 1
                n_pairs = len(piles) * (len(piles) - 1) // 2
                terminal.print(f"{n_pairs} judgements stored by one answer.")
    terminal.print("Too few items are left to sort.")
    return n_sorted, "p"


def _show_items(service: "Service", rows: Sequence[int], terminal: Console) -> None:
    """Print items below each other."""
    items = [service.catalogue.whole(row) for row in rows]
    names = [name for name, _ in items[0]["cells"]]
    table = Table(box=box.SIMPLE_HEAD, expand=False)
    for head in ("", *(["text"] if items[0]["text"] else []), *names):
        table.add_column(escape(head), overflow="fold")
    for item in items:
        cells = [value for _, value in item["cells"]]
        words = [item["name"], *([item["text"]] if item["text"] else []), *cells]
        table.add_row(*map(Text, words))
    terminal.print(table)
    terminal.print("[bold]Sort them into piles that belong together.[/]")
    terminal.print(PILE_KEYS)


def _is_idle(key: str) -> bool:
    """Tell whether a key is one that moves or edits, which does nothing here."""
    return key.startswith(ESCAPE) or len(key) > 1


def _is_early(key: str, shown: float) -> bool:
    """Tell whether a key answers a pair that nobody can have seen; files are read."""
    is_answer = key in GRADES or key == "s"
    early = time.monotonic() - shown < UNSEEN_SECONDS
    return is_answer and early and sys.stdin.isatty()


def _show(service: "Service", asked: "Asked", terminal: Console) -> None:
    """Print two rows side by side."""
    pair = service.catalogue.pair(asked.left, asked.right)
    table = Table(box=box.SIMPLE_HEAD, expand=False)
    table.add_column("")
    for side, row in (("left", asked.left), ("right", asked.right)):
        file = service.catalogue.picture_path(row)
        link = f"link {Path(file).resolve().as_uri()}" if file else ""
        table.add_column(Text(pair[side]["name"], link), overflow="fold")
    if pair["texts"] is not None:
        sides = [
            Text.assemble(
                *((text, MARKS[2 * marked]) for text, marked in pair["texts"][side])
            )
            for side in ("left", "right")
        ]
        table.add_row(Text(service.catalogue.column or ""), *sides)
    for cell in pair["cells"]:
        style = MARKS[cell["differs"]]
        # The sign marks them where there are no colours.
        name = Text(cell["column"] + (" ≠" if cell["differs"] == 2 else ""))
        table.add_row(name, Text(cell["left"], style), Text(cell["right"], style))
    terminal.print(table)
    terminal.print(f"[bold]{escape(service.question)}[/]")
    terminal.print(KEYS)


@contextmanager
def single_keys() -> Iterator[None]:
    """Let the terminal pass on each key at once, without showing it."""
    try:
        import termios
    except ImportError:  # Windows: msvcrt reads keys as they are
        yield
        return
    if not sys.stdin.isatty():
        yield
        return
    number = sys.stdin.fileno()
    before, mode = termios.tcgetattr(number), termios.tcgetattr(number)
    # Ctrl-C and Ctrl-Z are keys here. Lines are still ended as usual on screen.
    mode[3] &= ~(termios.ECHO | termios.ICANON | termios.ISIG | termios.IEXTEN)
    # Keys that were pressed before the first pair was on screen answer nothing.
    termios.tcsetattr(number, termios.TCSAFLUSH, mode)
    try:
        yield
    finally:
        termios.tcsetattr(number, termios.TCSADRAIN, before)


def read_key() -> str:
    """Return one key of the terminal, or of a file; empty at its end.

    Keys such as Delete send several characters, which are returned together: read one
    by one, some of them would be grades.
    """
    key = _read()
    if key in ("\x00", "\xe0") and sys.platform == "win32":
        return key + _read()
    if key == ESCAPE:
        while not SEQUENCE.fullmatch(key) and (part := _read(ESCAPE_SECONDS)):
            key += part
    return key


def _read(seconds: float | None = None) -> str:
    """Return the next character; of a terminal, empty if none comes in time."""
    if not sys.stdin.isatty():
        character = sys.stdin.read(1)
        return _read() if character in ("\n", "\r") else character
    if sys.platform == "win32":
        import msvcrt

        return str(msvcrt.getwch())
    number = sys.stdin.fileno()
    if not select.select([number], [], [], seconds)[0]:
        return ""
    return os.read(number, 1).decode("latin-1")  # keys that mean something are ASCII
