"""Questions to a judge that is a program, and its answers into the store."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from fuzzypairs._typing import Progress
from fuzzypairs.labelling.programs import (
    JudgeError,
    ProgramJudge,
    Reply,
    make_question,
)
from fuzzypairs.labelling.service import PROGRAM, Service

__all__ = ["Source", "Tally", "ask_judge", "from_pairs", "from_session", "from_sets"]

# A pair, or more items to be sorted into piles.
Rows = tuple[int, ...]
# Returns the next rows that are not among those given; None if there are none.
Source = Callable[[set[Rows]], Rows | None]


@dataclass
class Tally:
    """What came of the questions to a judge.

    Attributes
    ----------
    n_graded, n_unsure : int
        Answers other than 0, among them piles, and of 0.
    problems : Counter of str
        Questions without a grade, by reason.
    tokens : tuple of int
        Sent and received, as the judge counts them; 0 if it does not.
    seconds : float
    stopped : str
        Why it ended before its time; empty if it did not.
    """

    n_graded: int = 0
    n_unsure: int = 0
    problems: Counter[str] = field(default_factory=Counter)
    tokens: tuple[int, int] = (0, 0)
    seconds: float = 0.0
    stopped: str = ""

    @property
    def n_asked(self) -> int:
        """Number of questions."""
        return self.n_graded + self.n_unsure + self.problems.total()

    def add(self, reply: Reply) -> None:
        """Count a reply."""
        if not reply.is_answer:
            self.problems[reply.problem] += 1
        elif reply.grade == 0:
            self.n_unsure += 1
        else:
            self.n_graded += 1
        sent, received = reply.tokens
        self.tokens = self.tokens[0] + sent, self.tokens[1] + received


def from_session(service: Service, who: str) -> Source:
    """Return a source of the questions that the session asks next."""

    def take(busy: set[Rows]) -> Rows | None:
        for asked in service.next(who, len(busy) + 1):
            if (asked.left, asked.right) not in busy:
                return asked.left, asked.right
        return None

    return take


def from_sets(service: Service, who: str) -> Source:
    """Return a source of items to be sorted into piles, one question at a time."""

    def take(busy: set[Rows]) -> Rows | None:
        asked = service.next_set(who)  # the same ones until they are sorted
        return None if asked is None or asked.rows in busy else asked.rows

    return take


def from_pairs(service: Service, who: str, pairs: Iterable[Rows]) -> Source:
    """Return a source of given pairs, without those that the judge has answered."""
    done = {
        frozenset((service.row_of(answer.left_id), service.row_of(answer.right_id)))
        for answer in service.own(who)
    }
    left: Iterator[Rows] = (
        (int(i), int(j)) for i, j in pairs if frozenset((int(i), int(j))) not in done
    )
    return lambda _: next(left, None)


async def ask_judge(
    judge: ProgramJudge,
    service: Service,
    who: str,
    source: Source,
    *,
    n_questions: int,
    parallel: int = 1,
    n_failures: int = 20,
    progress: Progress | None = None,
) -> Tally:
    """Ask until the questions are used up, nothing is left, or the judge fails.

    An answer counts after its commit. A reply that cannot be read is stored as skipped,
    with its text; a question without a reply is not stored, and asked by a later run.

    Parameters
    ----------
    judge : ProgramJudge
    service : Service
    who : str
        The annotator.
    source : callable
        See `from_session` and `from_pairs`.
    n_questions : int
        The most questions.
    parallel : int, default=1
        The most questions at a time.
    n_failures : int, default=20
        The most questions in a row that the judge fails to answer as it was told.
    progress : callable, default=None
        Called as ``progress(done, n_questions)``.

    Returns
    -------
    tally : Tally
    """
    tally, started, in_a_row = Tally(), time.monotonic(), 0
    running: dict[asyncio.Task[Reply], Rows] = {}
    lost: set[Rows] = set()
    n_asked = 0

    async def put(rows: Rows) -> Reply:
        shown = time.monotonic()
        question = make_question(service.catalogue, rows, service.question)
        reply = await judge.ask(question)
        if len(rows) > 2 and reply.piles is None:
            service.sort(who, [])  # others are asked next
        if reply.is_lost:
            return reply
        if reply.piles is not None:
            piles = [[rows[number - 1] for number in pile] for pile in reply.piles]
            sorted_ = service.sort(
                who, piles, input=PROGRAM, seconds=time.monotonic() - shown
            )
            assert sorted_ is not None
            await asyncio.wrap_future(sorted_)
            return reply
        note = ": ".join(part for part in (reply.problem, reply.text) if part)
        stored = service.submit(
            who, *rows[:2],
            kind="skipped" if reply.grade is None else "graded", grade=reply.grade,
            input=PROGRAM, seconds=time.monotonic() - shown, note=printable(note),
        )  # fmt: skip
        await asyncio.wrap_future(stored)
        return reply

    async def ask_all() -> None:
        nonlocal n_asked, in_a_row
        while True:
            while (
                len(running) < parallel
                and n_asked < n_questions
                and not tally.stopped  # what was asked before is still answered
                and (rows := source(lost | set(running.values())))
            ):
                n_asked += 1
                running[asyncio.create_task(put(rows))] = rows
            if not running:
                return
            done, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                rows = running.pop(task)
                try:
                    reply = task.result()
                except JudgeError as error:
                    tally.stopped = str(error)
                    continue
                tally.add(reply)
                if reply.is_lost:
                    lost.add(rows)
                is_failure = not (reply.is_answer or reply.was_skipped)
                in_a_row = in_a_row + 1 if is_failure else 0
                if in_a_row >= n_failures:
                    tally.stopped = (
                        f"{in_a_row} questions in a row were not answered by a grade, "
                        f"the last one: {reply.problem}"
                    )
            if progress is not None:
                progress(tally.n_asked, n_questions)

    try:
        async with judge:
            try:
                await ask_all()
            finally:
                for task in running:
                    task.cancel()
                await asyncio.gather(*running, return_exceptions=True)
    except JudgeError as error:  # it cannot be started
        tally.stopped = str(error)
    except asyncio.CancelledError:  # by Ctrl-C: what was answered is stored
        tally.stopped = "interrupted"
    tally.seconds = time.monotonic() - started
    return tally


def printable(text: str) -> str:
    """Return a text in which nothing can steer a terminal or break a file."""
    return "".join(
        c if c.isprintable() else " " for c in text.encode(errors="replace").decode()
    )
