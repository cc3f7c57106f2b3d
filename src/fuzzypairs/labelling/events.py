"""What is stored: items, what people did, and answers as they stand."""

from dataclasses import dataclass
from typing import Literal

__all__ = ["Answer", "Event", "Item", "StoreError"]

Kind = Literal["graded", "unsure", "skipped", "bad item", "edited", "undone"]


class StoreError(ValueError):
    """A file of judgements that cannot be used."""


@dataclass(frozen=True)
class Item:
    """An item that an event names.

    Attributes
    ----------
    id : str
        Its id in the data.
    row : int
        Its row in the data, counted from 0.
    digest : str
        A digest of its cells, by which a changed item is noticed.
    """

    id: str
    row: int
    digest: str


@dataclass(frozen=True)
class Event:
    """Something a person did, before it is stored.

    Attributes
    ----------
    kind : str
        "graded", "unsure", "skipped", "bad item" (the left one), "edited" or
        "undone".
    left_id, right_id : str
        The two items as they were shown.
    annotator : str
        Who did it.
    grade : float or None
        From -1 (unlike) to 1 (alike), of "graded" and "edited".
    target : int or None
        The event that is edited or undone.
    strategy, reason : str
        How the pair was chosen, and why.
    input : str
        "key", "slider", "terminal", "import" and so on.
    seconds : float or None
        Time from the pair on screen to the answer.
    note : str
        Text of the annotator.
    key : str or None
        A name that the sender gave: an event sent twice is stored once.
    time : str or None
        UTC in ISO 8601; None takes the time of the commit.
    """

    kind: Kind
    left_id: str
    right_id: str
    annotator: str
    grade: float | None = None
    target: int | None = None
    strategy: str = ""
    reason: str = ""
    input: str = ""
    seconds: float | None = None
    note: str = ""
    key: str | None = None
    time: str | None = None


@dataclass(frozen=True)
class Answer:
    """An answered question as it stands now: not undone, with its last edit.

    Attributes
    ----------
    id : int
        Number of the event.
    answer : int
        The first event of the answer: of several, if it was to several pairs.
    kind : str
        "graded", "unsure", "skipped" or "bad item".
    left_id, right_id, annotator, strategy, reason, input, seconds, time, note
        As in `Event`.
    grade : float or None
        None for skipped questions and bad items.
    edited : bool
        Whether the grade was edited.
    """

    id: int
    answer: int
    kind: str
    left_id: str
    right_id: str
    annotator: str
    grade: float | None
    strategy: str
    reason: str
    input: str
    seconds: float | None
    time: str
    note: str
    edited: bool
