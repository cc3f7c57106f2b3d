"""Questions to programs: limits, failures, what is stored, and what is asked later."""

import asyncio

import numpy as np
import pandas as pd
import pytest

from catalogues import open_catalogue
from fuzzypairs.labelling.asking import (
    ask_judge,
    from_pairs,
    from_session,
    from_sets,
)
from fuzzypairs.labelling.programs import JudgeError, Reply
from fuzzypairs.labelling.service import Service
from fuzzypairs.labelling.store import Store
from fuzzypairs.tables.table_files import read_items


class Grader:
    """A judge in this process: `replies` takes the number of a question and its ids."""

    def __init__(self, replies):
        self.replies, self.asked, self.most, self.now = replies, [], 0, 0

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        pass

    async def ask(self, question):
        items = question.get("items") or [question["a"], question["b"]]
        ids = tuple(item["id"] for item in items)
        self.asked.append(tuple(sorted(ids)))
        number = len(self.asked)
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(0.001)
        self.now -= 1
        reply = self.replies(number, ids)
        if isinstance(reply, Exception):
            raise reply
        return Reply(reply) if isinstance(reply, float) else reply


@pytest.fixture
def service(tmp_path):
    frame = pd.DataFrame({"id": list("abcdefgh"), "x": np.arange(8.0)})
    frame.to_csv(tmp_path / "data.csv", index=False)
    catalogue = open_catalogue(read_items(tmp_path / "data.csv", id_column="id"))
    with Store(tmp_path / "data.db") as store:
        service = Service(catalogue, store)
        service.repeats = 0.0
        yield service
        service.close()


def ask(service, grader, source=None, **options):
    source = source or from_session(service, "bot")
    options = {"n_questions": 10, **options}
    return asyncio.run(ask_judge(grader, service, "bot", source, **options))


def test_answers_are_stored_as_those_of_a_program(service):
    replies = [0.5, 0.0, Reply(problem="not a number", text="so\x1b")]
    grader, told = Grader(lambda n, _: replies[n % 3]), []
    tally = ask(service, grader, progress=lambda *done: told.append(done))
    assert (tally.n_asked, tally.n_graded, tally.n_unsure) == (10, 3, 4)
    assert tally.problems == {"not a number": 3}
    assert told[-1] == (10, 10)
    answers = list(service.own("bot"))
    assert {answer.input for answer in answers} == {"program"}
    notes = {answer.note for answer in answers if answer.kind == "skipped"}
    assert notes == {"not a number: so "}
    assert all(answer.seconds > 0 for answer in answers)


@pytest.mark.parametrize("parallel", [1, 5])
def test_no_pair_is_asked_twice_in_several_runs(service, parallel):
    skip = Reply(problem="skipped", was_skipped=True)
    grader = Grader(lambda n, _: skip if n % 4 == 0 else 0.25)
    for _ in range(4):
        ask(service, grader, parallel=parallel)
    assert len(grader.asked) == len(set(grader.asked)) == 28  # all pairs of 8 items
    assert grader.most == parallel


def test_a_lost_question_is_not_stored_and_asked_by_the_next_run(service):
    first = Grader(lambda n, _: Reply(problem="gone", is_lost=True))
    tally = ask(service, first, n_questions=5)
    assert tally.problems == {"gone": 5}
    assert len(set(first.asked)) == 5
    assert list(service.own("bot")) == []
    second = Grader(lambda n, _: 1.0)
    ask(service, second, n_questions=5)
    assert set(second.asked) == set(first.asked)


def test_failures_in_a_row_end_the_run_and_skips_do_not(service):
    wrong = Reply(problem="not a number")
    tally = ask(service, Grader(lambda n, _: wrong if n > 2 else 1.0), n_failures=3)
    assert tally.n_asked == 5
    assert tally.stopped.startswith("3 questions in a row were not answered by a grade")
    skip = Reply(problem="skipped", was_skipped=True)
    tally = ask(service, Grader(lambda *_: skip), n_failures=3)
    assert (tally.n_asked, tally.stopped) == (10, "")


def test_what_the_judge_cannot_go_on_from_is_told(service):
    grader = Grader(lambda n, _: JudgeError("no key") if n == 4 else 1.0)
    tally = ask(service, grader, parallel=2)
    assert tally.stopped == "no key"
    assert tally.n_graded == len(list(service.own("bot"))) == 3


def test_given_pairs_are_asked_once(service):
    pairs = [(0, 1), (5, 2), (3, 4)]
    service.answer("bot", 2, 5, grade=1.0)
    service.answer("Ann", 3, 4, grade=1.0)
    grader = Grader(lambda *_: -1.0)
    tally = ask(service, grader, from_pairs(service, "bot", pairs))
    assert grader.asked == [("a", "b"), ("d", "e")]
    assert tally.n_graded == 2
    assert ask(service, grader, from_pairs(service, "bot", pairs)).n_asked == 0


def test_piles_are_one_answer_each(service):
    def sort(number, ids):
        if number == 2:
            return Reply(problem="not piles", text="[[1]]")
        if number == 3:
            return Reply(problem="no reply", is_lost=True)
        early = [n for n, name in enumerate(ids, start=1) if name in "abcd"]
        late = [n for n in range(1, len(ids) + 1) if n not in early]
        return Reply(piles=tuple(tuple(pile) for pile in (early, late) if pile))

    grader = Grader(sort)
    tally = ask(service, grader, from_sets(service, "bot"), n_questions=4)
    assert (tally.n_graded, tally.problems.total(), tally.stopped) == (2, 2, "")
    assert all(len(ids) == len(set(ids)) > 2 for ids in grader.asked)
    pairs = service.pairs()
    assert all((grade > 0) == ((i < 4) == (j < 4)) for i, j, grade in pairs)
    assert len(set(pairs.answers)) < len(pairs)
    answers = list(service.own("bot"))
    assert {answer.input for answer in answers} == {"program"}
    notes = [answer.note for answer in answers if answer.kind == "skipped"]
    assert notes == ["not piles: [[1]]"]


def test_interrupted_runs_say_so_and_keep_answers(service):
    async def run():
        grader = Grader(lambda *_: 1.0)
        source = from_session(service, "bot")
        task = asyncio.create_task(
            ask_judge(grader, service, "bot", source, n_questions=28)
        )
        while len(grader.asked) < 5:
            await asyncio.sleep(0)
        task.cancel()
        return await task

    tally = asyncio.run(run())
    assert tally.stopped == "interrupted"
    assert 4 <= tally.n_graded <= len(list(service.own("bot"))) <= 5


def test_the_page_says_how_programs_agree_with_people(service):
    assert service.agreement("Ann")["programs"] == []
    pairs = [(n, n + 1) for n in range(6)]
    for n, pair in enumerate(pairs):
        for name in ("Ann", "Bob"):
            service.answer(name, *pair, grade=1.0 if n % 2 else -1.0)
    ask(service, Grader(lambda *_: 1.0), from_pairs(service, "bot", pairs))
    (said,) = service.agreement("Ann")["programs"]
    assert said.startswith("'bot' agrees with the others on 50 % of pairs, they with")
