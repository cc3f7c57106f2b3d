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

__all__ = ["Source", "Tally", "ask_judge", "from_pairs", "from_session"]

Pair = tuple[int, int]
# Returns the next pair that is not among those given; None if there is none.
Source = Callable[[set[Pair]], Pair | None]


@dataclass
class Tally:
    """What came of the questions to a judge.

    Attributes
    ----------
    n_graded, n_unsure : int
        Answers other than 0, and of 0.
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
        if reply.grade is None:
            self.problems[reply.problem] += 1
        elif reply.grade == 0:
            self.n_unsure += 1
        else:
            self.n_graded += 1
        sent, received = reply.tokens
        self.tokens = self.tokens[0] + sent, self.tokens[1] + received


def from_session(service: Service, who: str) -> Source:
    """Return a source of the questions that the session asks next."""

    def take(busy: set[Pair]) -> Pair | None:
        for asked in service.next(who, len(busy) + 1):
            if (asked.left, asked.right) not in busy:
                return asked.left, asked.right
        return None

    return take


def from_pairs(service: Service, who: str, pairs: Iterable[Pair]) -> Source:
    """Return a source of given pairs, without those that the judge has answered."""
    done = {
        frozenset((service.row_of(answer.left_id), service.row_of(answer.right_id)))
        for answer in service.own(who)
    }
    left: Iterator[Pair] = (
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
    running: dict[asyncio.Task[Reply], Pair] = {}
    lost: set[Pair] = set()
    n_asked = 0

    async def put(left: int, right: int) -> Reply:
        shown = time.monotonic()
        reply = await judge.ask(
            make_question(service.catalogue, left, right, service.question)
        )
        if reply.is_lost:
            return reply
        note = ": ".join(part for part in (reply.problem, reply.text) if part)
        stored = service.submit(
            who, left, right,
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
                and (pair := source(lost | set(running.values())))
            ):
                n_asked += 1
                running[asyncio.create_task(put(*pair))] = pair
            if not running:
                return
            done, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                pair = running.pop(task)
                try:
                    reply = task.result()
                except JudgeError as error:
                    tally.stopped = str(error)
                    continue
                tally.add(reply)
                if reply.is_lost:
                    lost.add(pair)
                is_failure = reply.grade is None and not reply.was_skipped
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
