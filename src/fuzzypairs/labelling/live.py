"""What people see while they grade: map, clusters, agreement, contradictions.

Plain dictionaries, ready for JSON. Nobody sees a grade of another person before both
have graded the pair.
"""

from collections import Counter, deque
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from fuzzypairs.labelling.fitting import Fitted
from fuzzypairs.labelling.graders import measure_agreement
from fuzzypairs.labelling.store import Answer
from fuzzypairs.pairs import PairSet
from fuzzypairs.pairs.consistency import find_contradictions
from fuzzypairs.tables.cluster_names import cluster_names

if TYPE_CHECKING:
    from fuzzypairs.labelling.service import Service

__all__ = ["Point", "describe_agreement", "describe_answer", "describe_state"]

# The most rows on the map, lines of judgements on it, and entries of lists.
MOST_POINTS, MOST_LINES, MOST_LISTED = 1200, 400, 20
# The most clusters that the page offers, and the longest note that it shows.
MOST_OFFERED, LONGEST_SHOWN = 20, 300
# Both rows and the grade.
Judgement = tuple[int, int, float]


@dataclass(frozen=True)
class Point:
    """Agreement with held-out judgements at some number of judgements.

    Attributes
    ----------
    n : int
        Number of judgements.
    share, low, high : float or None
        Share of held-out judgements that the clusters satisfy, with its interval.
    without : float or None
        The same of clusters without judgements.
    """

    n: int
    share: float | None
    low: float | None
    high: float | None
    without: float | None

    @classmethod
    def of(cls, fitted: Fitted) -> "Point":
        """Return the point of a fit."""
        guided = fitted.verdict.with_judgements
        unguided = fitted.verdict.without_judgements
        without = None if unguided is None else unguided.share
        if guided is None:
            return cls(fitted.n_judgements, None, None, None, without)
        shares = guided.share, guided.low, guided.high
        return cls(fitted.n_judgements, *shares, without)


def describe_state(service: "Service", annotator: str) -> dict[str, Any]:
    """Return all that changes with a fit, for one person."""
    fitted = service.model.fitted
    kinds = Counter(answer.kind for answer in service.own(annotator))
    own = service.own_judgements(annotator)
    alike = sum(grade > 0 for *_, grade in own)
    everyone = service.store.read("SELECT count(*) AS n FROM judgements")[0]["n"]
    return {
        "version": service.model.version,
        "progress": {
            "graded": kinds["graded"],
            "alike": alike,
            "unlike": kinds["graded"] - alike,
            "unsure": kinds["unsure"],
            "skipped": kinds["skipped"] + kinds["bad item"],
            "everyone": everyone,
        },
        "graders": service.store.annotators(),
        "fitting": service.model.is_fitting,
        "problem": service.model.problem,
        "report": {
            "state": service.model.report_state,
            "folder": None
            if service.model.report is None
            else str(service.model.report),
        },
        "map": _map(service, own),
        "clusters": _cards(service),
        "n_clusters": _n_clusters(service),
        "curve": [asdict(point) for point in service.model.curve],
        "verdict": [] if fitted is None else fitted.verdict.sentences,
        "contradictions": _contradictions(service, own),
    }


def _n_clusters(service: "Service") -> dict[str, Any]:
    """Return the number of clusters in use, the one asked for, and why it is taken."""
    fitted, numbers = service.model.fitted, service.model.numbers
    return {
        "used": None if fitted is None else fitted.n_clusters,
        "asked": numbers[0] if len(numbers) == 1 else None,
        "why": "" if fitted is None else fitted.chosen,
        "most": min(MOST_OFFERED, len(service.catalogue)),
    }


def _map(service: "Service", own: list[Judgement]) -> dict[str, Any] | None:
    fitted = service.model.fitted
    if fitted is None:
        return None
    judged = [judgement for judgement in own if judgement[2]][-MOST_LINES:]
    rows = _some_rows(len(fitted.labels), {row for *ends, _ in judged for row in ends})
    place = {row: n for n, row in enumerate(rows)}
    # From even memberships to the surest row: with many clusters none is near 1.
    sure = fitted.memberships.max(axis=1) - 1 / fitted.memberships.shape[1]
    sure = np.clip(sure / max(sure.max(), 1e-9), 0, 1)
    return {
        "rows": rows,
        "names": [service.catalogue.name(row) for row in rows],
        "x": [round(float(value), 3) for value in fitted.places[rows, 0]],
        "y": [round(float(value), 3) for value in fitted.places[rows, 1]],
        "cluster": fitted.labels[rows].tolist(),
        "sure": [round(float(value), 2) for value in sure[rows]],
        "n_rows": len(fitted.labels),
        "lines": [
            [place[i], place[j], grade, _is_broken(fitted, i, j, grade)]
            for i, j, grade in judged
        ],
    }


def _some_rows(n_rows: int, wanted: set[int]) -> list[int]:
    """Return the rows to draw: those wanted, and others, the same ones each time."""
    if n_rows <= MOST_POINTS:
        return list(range(n_rows))
    drawn = np.random.default_rng(0).choice(n_rows, MOST_POINTS, replace=False)
    return sorted(wanted | set(drawn.tolist()))


def _is_broken(fitted: Fitted, i: int, j: int, grade: float) -> bool:
    return bool((fitted.labels[i] == fitted.labels[j]) != (grade > 0))


def _cards(service: "Service") -> list[dict[str, Any]]:
    fitted = service.model.fitted
    if fitted is None:
        return []
    rows = {service.row_or_none(i): n for i, n in service.store.cluster_names().items()}
    named = {row: name for row, name in rows.items() if row is not None}
    names = cluster_names(fitted.labels, named, len(fitted.cards))
    return [
        asdict(card)
        | {"number": number, "name": names[number]}
        | {"typical": [service.catalogue.card(row) for row in card.typical]}
        for number, card in enumerate(fitted.cards)
        if card.size
    ]


def _contradictions(service: "Service", own: list[Judgement]) -> list[dict[str, Any]]:
    """Return triples of own judgements that cannot all hold."""
    pairs = PairSet.from_triples(own, len(service.catalogue))
    found, _ = find_contradictions(pairs)
    return [
        {
            "items": [
                service.catalogue.card(row) for row in (triple.a, triple.b, triple.c)
            ],
            "grades": [triple.ab, triple.bc, triple.ac],
        }
        for triple in found[:MOST_LISTED]
    ]


def describe_history(
    service: "Service", annotator: str, most: int
) -> list[dict[str, Any]]:
    """Return the last answers of a person, the newest first; `most` judgements."""
    answers = reversed(deque(service.own(annotator), most))
    return [
        describe_answer(service, list(some))
        for _, some in groupby(answers, lambda answer: answer.answer)
    ]


def describe_answer(service: "Service", answers: list[Answer]) -> dict[str, Any]:
    """Return an answer, to a pair or to several, as the history shows it."""
    answer = answers[0]
    if len(answers) > 1:
        return {
            "event": answer.answer,
            "piles": [
                [service.catalogue.card(service.row_of(name)) for name in pile]
                for pile in _piles(answers)
            ],
            "edited": any(one.edited for one in answers),
            "time": answer.time,
            "reason": answer.reason,
        }
    left, right = service.row_of(answer.left_id), service.row_of(answer.right_id)
    fitted, broken = service.model.fitted, None
    if fitted is not None and answer.grade:
        broken = _is_broken(fitted, left, right, answer.grade)
    return {
        "event": answer.id,
        "left": service.catalogue.card(left),
        "right": service.catalogue.card(right),
        "kind": answer.kind,
        "grade": answer.grade,
        "edited": answer.edited,
        "time": answer.time,
        "reason": answer.reason,
        "broken": broken,
    }


def _piles(answers: list[Answer]) -> list[list[str]]:
    """Return the piles that somebody made, the largest first."""
    pile_of: dict[str, list[str]] = {}
    for answer in answers:
        for name in (answer.left_id, answer.right_id):
            pile_of.setdefault(name, [name])
        a, b = pile_of[answer.left_id], pile_of[answer.right_id]
        if (answer.grade or 0) > 0 and a is not b:
            a += b
            pile_of.update(dict.fromkeys(b, a))
    piles = {id(pile): pile for pile in pile_of.values()}
    return sorted(map(sorted, piles.values()), key=lambda pile: (-len(pile), pile))


def describe_agreement(service: "Service", annotator: str) -> dict[str, Any]:
    """Return agreement of graders, with grades of pairs that `annotator` graded."""
    found = measure_agreement(service.store.each_answer())
    seen = [dispute for dispute in found.disputes if annotator in dispute.grades]
    # Of two graders, the bias of one tells nothing of a single grade of the other.
    return asdict(found) | {
        "programs": [one.sentence for one in service.compare_programs()],
        "notes": _notes(service),
        "disputes": [
            asdict(dispute)
            | {
                "items": [
                    service.catalogue.card(service.row_of(name))
                    for name in (dispute.a, dispute.b)
                ]
            }
            for dispute in seen[:MOST_LISTED]
        ],
    }


def _notes(service: "Service") -> list[dict[str, Any]]:
    """Return the last answers of programs that have no grade, with what they said."""
    query = """SELECT left_id, right_id, annotator, note FROM answers
        WHERE note <> '' ORDER BY id DESC LIMIT ?"""
    return [
        {
            "left": service.catalogue.card(service.row_of(row["left_id"])),
            "right": service.catalogue.card(service.row_of(row["right_id"])),
            "annotator": row["annotator"],
            "note": row["note"][:LONGEST_SHOWN],
        }
        for row in service.store.read(query, MOST_LISTED)
        if None not in map(service.row_or_none, (row["left_id"], row["right_id"]))
    ]
