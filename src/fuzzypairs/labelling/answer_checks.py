"""Checks of what a page, a terminal or a notebook says is an answer."""

from collections.abc import Sequence
from typing import Literal

__all__ = [
    "ServiceError",
    "check_name",
    "check_number",
    "check_piles",
    "check_question",
    "check_rows",
    "check_text",
]

LONGEST_NAME, LONGEST_NOTE, LONGEST_SECONDS = 60, 2000, 1e9
LONGEST_QUESTION = 300
# The grade of two items in one pile; that of two in different ones is its opposite.
PILE_GRADE, MOST_SORTED = 0.75, 12
AnswerKind = Literal["graded", "unsure", "skipped", "bad item"]
KINDS = ("graded", "unsure", "skipped", "bad item")


class ServiceError(ValueError):
    """A request that makes no sense; the message says why."""


def check_number(name: str, value: object, least: float, most: float) -> float:
    """Return a number as a float, or raise an error."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not (is_number and least <= value <= most):  # type: ignore[operator]
        raise ServiceError(
            f"{name} is {value!r:.60}, expected a number from {least:g} to {most:g}"
        )
    return float(value)  # type: ignore[arg-type]


def check_text(name: str, value: object) -> str:
    """Return a text, or raise an error."""
    if not isinstance(value, str):
        raise ServiceError(f"{name} is {value!r:.60}, expected text")
    try:
        value.encode()
    except UnicodeEncodeError:  # half of a surrogate pair, which no file can hold
        raise ServiceError(f"{name} is no valid text") from None
    return value


def check_name(annotator: object) -> None:
    """Raise an error unless somebody can be called so."""
    name = check_text("annotator", annotator)
    if not name.strip() or len(name) > LONGEST_NAME:
        raise ServiceError(
            f"annotator is {name[:LONGEST_NAME]!r}, expected a name of up to "
            f"{LONGEST_NAME} characters"
        )


def check_question(text: object) -> str:
    """Return what is asked of each pair, or raise an error."""
    question = " ".join(check_text("question", text).split())
    if not 0 < len(question) <= LONGEST_QUESTION:
        raise ServiceError(
            f"the question has {len(question)} characters, expected 1 to "
            f"{LONGEST_QUESTION} (--question)"
        )
    return question


def check_rows(rows: Sequence[int], n_rows: int) -> None:
    """Raise an error unless all are rows of a table of `n_rows`."""
    for row in rows:
        is_row = isinstance(row, int) and not isinstance(row, bool)
        if not is_row or not 0 <= row < n_rows:
            raise ServiceError(f"row is {row!r:.60}, expected 0 to {n_rows - 1}")


def check_piles(piles: object, n_rows: int) -> dict[int, int]:
    """Return the pile of each row that was sorted, or raise an error."""
    if not isinstance(piles, list | tuple) or any(
        not isinstance(pile, list | tuple) for pile in piles
    ):
        raise ServiceError(f"piles is {piles!r:.60}, expected lists of rows")
    for pile in piles:
        check_rows(pile, n_rows)
    pile_of = {row: n for n, pile in enumerate(piles) for row in pile}
    n_sorted = sum(map(len, piles))
    if len(pile_of) != n_sorted or n_sorted == 1 or n_sorted > MOST_SORTED:
        raise ServiceError(
            f"piles has {n_sorted} rows, {len(pile_of)} of them different, expected "
            f"2 to {MOST_SORTED} rows once each"
        )
    return pile_of
