"""Judges that are programs: what they are asked, and their replies, read strictly."""

import asyncio
import json
import os
import re
import shlex
import signal
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol, Self

from fuzzypairs.labelling.catalogue import Catalogue
from fuzzypairs.labelling.desk import QUESTION

__all__ = [
    "CommandJudge",
    "JudgeError",
    "ProgramJudge",
    "Reply",
    "make_question",
    "match_reply",
    "read_grade",
    "read_json",
    "read_line",
    "read_piles",
]

# A number and nothing else. More digits than a float has say that something is wrong.
NUMBER = re.compile(r"[+-]?([0-9]{1,20}(\.[0-9]{0,20})?|\.[0-9]{1,20})")
# The longest line of a program, in bytes, and the most lines in a row without a grade.
LONGEST_LINE, MOST_UNREADABLE = 65_536, 1000
# Of a reply that cannot be read so many characters are kept.
KEPT = 300
# Seconds that a program has to end after its input has.
END_SECONDS = 2.0


class JudgeError(ValueError):
    """No further question makes sense; the message says why."""


@dataclass(frozen=True)
class Reply:
    """What a judge said of one question.

    Attributes
    ----------
    grade : float or None
        From -1 to 1; None if there is none.
    piles : tuple of tuple of int, or None
        Numbers of items that belong together, where items were to be sorted.
    problem : str
        Why there is no grade.
    text : str
        What the judge said instead, shortened.
    was_skipped : bool
        Whether the judge itself gave no grade, which is no failure.
    is_lost : bool
        Whether the question may be asked again, since no reply has come.
    tokens : tuple of int
        Sent and received, as the judge counts them.
    """

    grade: float | None = None
    piles: tuple[tuple[int, ...], ...] | None = None
    problem: str = ""
    text: str = ""
    was_skipped: bool = False
    is_lost: bool = False
    tokens: tuple[int, int] = (0, 0)

    @property
    def is_answer(self) -> bool:
        """Whether it says which items belong together."""
        return self.grade is not None or self.piles is not None


class ProgramJudge(Protocol):
    """A program that grades pairs, or sorts items into piles."""

    async def ask(self, question: dict[str, Any]) -> Reply:
        """Return the reply to a question, see `make_question`; always within a time."""

    async def __aenter__(self) -> Self:
        """Start it."""

    async def __aexit__(self, *_: object) -> None:
        """End it."""


def make_question(
    catalogue: Catalogue, rows: Sequence[int], question: str = QUESTION
) -> dict[str, Any]:
    """Return what a program is told of a pair, or of items to be sorted into piles.

    Items are dicts with "id" and, as far as there are any, "text", "cells" and
    "picture", the path of a file: what a person would see. Those of a pair are "a" and
    "b", others the list "items", in which each has a "number" from 1.
    """
    if len(rows) == 2:
        a, b = _items(catalogue, *rows)
        return {"question": question, "a": a, "b": b}
    items = [_items(catalogue, rows[1], rows[0])[1]]
    items += [_items(catalogue, rows[0], row)[1] for row in rows[1:]]
    numbered = [{"number": n, **item} for n, item in enumerate(items, start=1)]
    return {"question": question, "items": numbered}


def _items(catalogue: Catalogue, left: int, right: int) -> list[dict[str, Any]]:
    """Return both items of a pair."""
    pair = catalogue.pair(left, right)
    items = []
    for side, row in (("left", left), ("right", right)):
        item: dict[str, Any] = {"id": catalogue.ids[row]}
        if pair["texts"] is not None:
            item["text"] = "".join(text for text, _ in pair["texts"][side])
        cells = {cell["column"]: cell[side] for cell in pair["cells"]}
        if path := catalogue.picture_path(row):
            item["picture"] = path
        if cells:
            item["cells"] = cells
        items.append(item)
    return items


def read_grade(text: str) -> Reply:
    r"""Read a text that should be a number from -1 to 1 and nothing else.

    Examples
    --------
    >>> read_grade(" 0.7\n").grade
    0.7
    >>> read_grade("I would say 0.7").problem
    'not a number'
    >>> read_grade("3").problem
    'not from -1 to 1'
    """
    said = text.strip()
    if not NUMBER.fullmatch(said):
        return Reply(problem="not a number" if said else "empty", text=text[:KEPT])
    if not -1.0 <= float(said) <= 1.0:
        return Reply(problem="not from -1 to 1", text=text[:KEPT])
    return Reply(float(said))


def read_piles(piles: Any) -> Reply:
    """Read lists of numbers of items, of which each stands in one list at most.

    Examples
    --------
    >>> read_piles([[1, 3], [2]]).piles
    ((1, 3), (2,))
    >>> read_piles([[1, 3], [3]]).problem
    'an item in two piles'
    """
    is_lists = isinstance(piles, list) and all(isinstance(p, list) for p in piles)
    numbers = [number for pile in piles for number in pile] if is_lists else []
    if len(numbers) < 2 or not all(piles) or {type(n) for n in numbers} != {int}:
        return Reply(problem="not piles", text=json.dumps(piles)[:KEPT])
    if len(set(numbers)) < len(numbers):
        return Reply(problem="an item in two piles", text=json.dumps(piles)[:KEPT])
    return Reply(piles=tuple(map(tuple, piles)))


def match_reply(reply: Reply, question: dict[str, Any]) -> Reply:
    """Return a reply if it answers what was asked, and else one without an answer.

    Examples
    --------
    >>> match_reply(Reply(0.5), {"items": [{"number": 1}, {"number": 2}]}).problem
    'not piles'
    """
    if not reply.is_answer:
        return reply
    n_items, said = len(question.get("items", ())), f"{reply.piles or reply.grade}"
    if not n_items and reply.piles is not None:
        return Reply(problem="not a number", text=said[:KEPT], tokens=reply.tokens)
    if n_items and reply.piles is None:
        return Reply(problem="not piles", text=said[:KEPT], tokens=reply.tokens)
    if any(not 1 <= number <= n_items for pile in reply.piles or () for number in pile):
        problem = f"an item that is not 1 to {n_items}"
        return Reply(problem=problem, text=said[:KEPT], tokens=reply.tokens)
    return reply


def read_json(text: str | bytes) -> Any:
    """Read JSON as its standard has it: no NaN, no name twice, UTF-8 alone."""

    def refuse(constant: str) -> Any:
        raise ValueError(f"{constant} is not JSON")

    def once(members: Iterable[tuple[str, Any]]) -> dict[str, Any]:
        names = [name for name, _ in members]
        if len(set(names)) < len(names):
            raise ValueError("a name stands twice in one object")
        return dict(members)

    decoded = text if isinstance(text, str) else text.decode()
    try:
        return json.loads(decoded, parse_constant=refuse, object_pairs_hook=once)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def read_line(line: bytes) -> tuple[int | None, Reply]:
    r"""Read a line of a program; return the number of the question, if it has one.

    Examples
    --------
    >>> read_line(b'{"id": 4, "grade": -0.5}\n')[1].grade
    -0.5
    """
    text = line.decode("utf-8", "replace").strip()[:KEPT]
    if not line.endswith(b"\n"):
        return None, Reply(problem="half of a line", text=text)
    try:
        said = read_json(line)
    except ValueError:
        return None, Reply(problem="not a line of JSON", text=text)
    number = said.get("id") if isinstance(said, dict) else None
    if type(number) is not int:
        return None, Reply(problem="without the id of a question", text=text)
    grade, skip = said.get("grade"), said.get("skip", False)
    if "piles" in said and not {"grade", "skip"} & said.keys():
        return number, read_piles(said["piles"])
    if skip is True and "grade" not in said:
        note = said.get("note", "")
        text = note[:KEPT] if isinstance(note, str) else ""
        return number, Reply(problem="skipped", text=text, was_skipped=True)
    if type(grade) not in (int, float) or skip is not False:
        return number, Reply(problem="not a number", text=text)
    if not -1 <= grade <= 1:
        return number, Reply(problem="not from -1 to 1", text=text)
    return number, Reply(float(grade))


class CommandJudge:
    """A program that reads questions and writes grades, as lines of JSON.

    It is started once, without a shell. A question is ``{"id": 1, "question": "...",
    "a": {...}, "b": {...}}``, a reply ``{"id": 1, "grade": 0.7}`` or ``{"id": 1,
    "skip": true, "note": "..."}``, in any order. Where items are to be sorted the
    question has ``"items": [{"number": 1, ...}, ...]``, the reply ``"piles": [[1, 3],
    [2]]``.

    Parameters
    ----------
    command : str
        The program and its arguments, quoted as for a shell.
    timeout : float, default=120
        Seconds for one reply.
    """

    def __init__(self, command: str, *, timeout: float = 120.0) -> None:
        try:
            self.words = [command] if os.name == "nt" else shlex.split(command)
        except ValueError as error:
            raise ValueError(f"--by {command!r}: {error}") from None
        if not self.words:
            raise ValueError("--by is empty, expected a command or an address")
        self.timeout = timeout
        self._n_asked = self._n_unreadable = 0
        self._waiting: dict[int, asyncio.Future[Reply]] = {}
        self._problem = ""

    async def __aenter__(self) -> Self:
        try:
            self._process = await asyncio.create_subprocess_exec(
                *self.words,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                limit=LONGEST_LINE,
                start_new_session=True,  # Ctrl-C is for this program, which ends it
            )
        except OSError as error:
            said = f"{self.words[0]!r} cannot be started: {error.strerror or error}"
            raise JudgeError(said) from None
        self._reading = asyncio.create_task(self._read())
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        for signal_ in (None, signal.SIGTERM, getattr(signal, "SIGKILL", None)):
            with suppress(ProcessLookupError, PermissionError):
                self._send(signal_)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._process.wait(), END_SECONDS)
                break
        await asyncio.wait({self._reading}, timeout=END_SECONDS)
        self._reading.cancel()

    def _send(self, number: int | None) -> None:
        """Send a signal to the program and to those it has started."""
        if number is None:
            return
        if sys.platform == "win32":
            self._process.terminate()
        else:
            os.killpg(self._process.pid, number)

    async def ask(self, question: dict[str, Any]) -> Reply:
        """Return the reply to a question."""
        if self._problem:
            raise JudgeError(self._problem)
        self._n_asked += 1
        number = self._n_asked
        line = json.dumps({"id": number, **question}) + "\n"
        self._waiting[number] = asyncio.get_running_loop().create_future()
        assert self._process.stdin is not None
        try:
            async with asyncio.timeout(self.timeout):
                with suppress(OSError):  # it has ended: the reader says so
                    self._process.stdin.write(line.encode())
                    await self._process.stdin.drain()
                return match_reply(await self._waiting[number], question)
        except TimeoutError:
            return Reply(problem=f"no reply in {self.timeout:g} s", is_lost=True)
        finally:
            del self._waiting[number]

    async def _read(self) -> None:
        """Hand lines to those who wait for them, until the program ends."""
        stdout = self._process.stdout
        assert stdout is not None
        try:
            while line := await stdout.readline():
                self._take(*read_line(line))
        except JudgeError as error:
            self._end(str(error))
        except ValueError:
            self._end(f"it wrote a line of more than {LONGEST_LINE} bytes")
        else:
            code = await self._process.wait()
            self._end(f"it ended with exit code {code}")
        while await stdout.read(LONGEST_LINE):  # so that it can end
            pass

    def _take(self, number: int | None, reply: Reply) -> None:
        if number is None and len(self._waiting) == 1:
            number = next(iter(self._waiting))  # nothing else can be meant
        future = None if number is None else self._waiting.get(number)
        if future is not None and not future.done():
            future.set_result(reply)
            self._n_unreadable = 0
            return
        self._n_unreadable += 1
        if self._n_unreadable > MOST_UNREADABLE:
            raise JudgeError(
                f"it wrote {MOST_UNREADABLE} lines that answer no question, the last "
                f"one {reply.problem}: {reply.text!r}"
            )

    def _end(self, problem: str) -> None:
        self._problem = f"{self.words[0]}: {problem}"
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(JudgeError(self._problem))
