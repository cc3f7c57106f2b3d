"""`fuzzypairs judge --by` and `--compare`: judges that are programs."""

import asyncio
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console
from rich.markup import escape

from fuzzypairs.cli import screen

if TYPE_CHECKING:
    from fuzzypairs.labelling.asking import Tally
    from fuzzypairs.labelling.programs import ProgramJudge
    from fuzzypairs.labelling.service import Service

__all__ = [
    "Asking",
    "as_json",
    "ask_program",
    "compare_programs",
    "describe",
    "program_name",
    "show_prompt",
]

# Of a picture in a question that is shown, so many characters.
SHOWN_URL = 60


@dataclass(frozen=True)
class Asking:
    """Who is asked, and how; see the options of `fuzzypairs judge`."""

    by: str
    model: str | None
    prompt: Path | None
    pairs: Path | None
    n_questions: int
    parallel: int
    n_failures: int
    timeout: float
    piles: bool = False

    def judge(self) -> "ProgramJudge":
        """Return the judge, not started."""
        from fuzzypairs.labelling.chat import (
            PILES_PROMPT,
            PROMPT,
            ChatJudge,
            is_address,
            read_key,
            read_prompt,
        )
        from fuzzypairs.labelling.programs import CommandJudge

        for option, differs in (
            ("--pairs", self.pairs is not None),
            ("--parallel", self.parallel > 1),
        ):
            if self.piles and differs:
                raise ValueError(f"{option} is for pairs, and --piles asks for others")
        if not is_address(self.by):
            for option, value in (("--model", self.model), ("--prompt", self.prompt)):
                if value is not None:
                    raise ValueError(
                        f"{option} is for a language model, and --by names a command"
                    )
            return CommandJudge(self.by, timeout=self.timeout)
        if self.model is None:
            raise ValueError("--by names a server: name the model by --model")
        prompt = read_prompt(self.prompt, PILES_PROMPT if self.piles else PROMPT)
        return ChatJudge(
            self.by, self.model, prompt=prompt, key=read_key(), timeout=self.timeout
        )


def program_name(by: str, model: str | None) -> str:
    """Return what a judge is called in the store, unless somebody says otherwise."""
    name = model or Path(by.split()[0] if by.split() else "").name
    return name[:60] or "program"


def show_prompt(service: "Service", who: str, asking: Asking) -> None:
    """Print what would be sent for the first question; nothing is sent."""
    from fuzzypairs.labelling.chat import ChatJudge
    from fuzzypairs.labelling.programs import make_question

    judge = asking.judge()
    rows = _source(service, who, asking)(set())
    if rows is None:
        raise ValueError("nothing is left worth asking")
    question = make_question(service.catalogue, rows, service.question)
    if not isinstance(judge, ChatJudge):
        typer.echo(json.dumps({"id": 1, **question}, ensure_ascii=False))
        return
    shown = json.dumps(judge.body(question), indent=2, ensure_ascii=False)
    typer.echo(f"POST {judge.address}")
    url = rf'("data:[^"]{{{SHOWN_URL}}})[^"]*'
    typer.echo(re.sub(url, r"\1...", shown))


def ask_program(
    service: "Service", who: str, asking: Asking, terminal: Console, *, is_sure: bool
) -> "Tally":
    """Ask a program, and return what came of it."""
    from fuzzypairs.labelling.asking import ask_judge
    from fuzzypairs.labelling.chat import ChatJudge

    judge = asking.judge()
    source = _source(service, who, asking)
    if isinstance(judge, ChatJudge) and not is_sure:
        _confirm(judge, service, asking)
    with screen.progress() as show:
        return asyncio.run(
            ask_judge(
                judge, service, who, source,
                n_questions=asking.n_questions, parallel=asking.parallel,
                n_failures=asking.n_failures,
                progress=lambda done, total: show(f"asking {who}", done, total),
            )
        )  # fmt: skip


def _source(service: "Service", who: str, asking: Asking) -> Any:
    from fuzzypairs import PairSet
    from fuzzypairs.labelling.asking import from_pairs, from_session, from_sets
    from fuzzypairs.pairs.stored import is_store
    from fuzzypairs.tables.pair_files import open_pairs

    service.repeats = 0.0
    if asking.piles:
        return from_sets(service, who)
    if asking.pairs is None:
        return from_session(service, who)
    catalogue = service.catalogue
    if is_store(asking.pairs):
        given = PairSet.from_store(asking.pairs, ids=catalogue.ids)
        rows = zip(given.i.tolist(), given.j.tolist(), strict=True)
    else:
        judged = open_pairs(asking.pairs)
        judged.resolve(len(catalogue), catalogue.items.ids)  # names the line at fault
        rows = zip(*judged.rows(len(catalogue), catalogue.items.ids), strict=True)
    return from_pairs(service, who, dict.fromkeys((int(i), int(j)) for i, j in rows))


def _confirm(judge: Any, service: "Service", asking: Asking) -> None:
    """Say what is sent where, and ask."""
    catalogue = service.catalogue
    parts = [] if catalogue.texts is None else ["texts"]
    parts += ["pictures"] * catalogue.has_pictures
    columns = [name for name in catalogue.shown if name != catalogue.column]
    parts += [f"cells of {', '.join(map(repr, columns))}"] * bool(columns)
    typer.echo(
        f"Up to {asking.n_questions} questions go to {judge.address} (model "
        f"{judge.model}), each with {'some' if asking.piles else 'two'} items of "
        f"{len(catalogue)}: ids and "
        f"{'; '.join(parts)}.",
        err=True,
    )
    try:
        typer.confirm("Send them?", abort=True, err=True)
    except typer.Abort:
        screen.fail("nothing was sent; --yes sends without a question", code=2)


def describe(tally: "Tally") -> list[str]:
    """Return in sentences what came of the questions."""
    skipped = ", ".join(f"{n} {why}" for why, n in tally.problems.most_common())
    parts = [f"{tally.n_graded} graded", f"{tally.n_unsure} can't say"]
    parts += [f"{tally.problems.total()} without a grade ({skipped})"] * bool(skipped)
    said = [f"{tally.n_asked} questions in {tally.seconds:.1f} s: {', '.join(parts)}"]
    if any(tally.tokens):
        sent, received = tally.tokens
        said.append(f"{sent} tokens read and {received} written, as the server counts")
    if tally.stopped:
        said.append(f"Stopped: {tally.stopped}")
    return said


def as_json(who: str, tally: "Tally") -> dict[str, Any]:
    """Return the same for --json."""
    return {
        "judge": who,
        "questions": tally.n_asked,
        "graded": tally.n_graded,
        "unsure": tally.n_unsure,
        "without_grade": dict(tally.problems),
        "tokens": {"read": tally.tokens[0], "written": tally.tokens[1]},
        "seconds": round(tally.seconds, 3),
        "stopped": tally.stopped,
    }


def compare_programs(service: "Service", terminal: Console) -> list[dict[str, Any]]:
    """Print for each program how it agrees with people, and return the same."""
    found = service.compare_programs()
    if not found:
        raise ValueError(
            f"{service.store.path} has no judgements of both programs and people"
        )
    for one in found:
        terminal.print(escape(f"{one.sentence}."))
        terminal.print(
            f"  ({one.n_shared} pairs judged by it and by people, "
            f"{one.n_among_others} by two people or more)"
        )
    return [
        {
            "judge": one.judge,
            "shared_pairs": one.n_shared,
            "pairs_of_several_people": one.n_among_others,
            "agreement": _known(one.agreement),
            "agreement_of_people": _known(one.among_others),
            "interval": [_known(end) for end in one.interval],
            "more_pairs": one.n_more,
            "sentence": one.sentence,
        }
        for one in found
    ]


def _known(value: float) -> float | None:
    """Return a number for JSON, which has no NaN."""
    return round(value, 4) if value == value else None
