"""Pictures and texts in a report: thumbnails within a limit, galleries of clusters."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from fuzzypairs._typing import Ints
from fuzzypairs.items import ItemSet, distinctive_words, shorten
from fuzzypairs.report.html import cut
from fuzzypairs.report.item_cell import Gallery, ItemCell
from fuzzypairs.threads import Threads

if TYPE_CHECKING:
    from fuzzypairs.report.facts import FitFacts

__all__ = ["ShownItems", "item_galleries", "numbers_of", "word_line", "words_of"]

# Thumbnails of a report take so many bytes; in the file they take a third more. Some
# are left for judgements by the table of rows, which has pictures of so many rows.
MOST_BYTES, IN_TABLE, MOST_IN_TABLE = 8_500_000, 6_500_000, 5000
# The longest side of thumbnails in galleries, and in tables.
LARGE, SMALL = 120, 56
# Characters of a text in galleries and in tables.
LONG, SHORT = 240, 110
# Items in the galleries of one cluster, and of all clusters together.
TYPICAL = {"picture": 22, "text": 6, "embedding": 6}
MIXED = {"picture": 8, "text": 4, "embedding": 4}
IN_GALLERIES = 400


@dataclass(eq=False)
class ShownItems:
    """Items as cells, with thumbnails as long as the limit of bytes allows.

    Attributes
    ----------
    items : ItemSet
    n_bytes : int
        Of all thumbnails so far.
    """

    items: ItemSet
    n_bytes: int = 0
    _made: dict[tuple[int, int], ItemCell] = field(default_factory=dict)

    def cell(
        self, row: int, *, is_large: bool = False, most: int = MOST_BYTES
    ) -> ItemCell:
        """Return an item; without its picture where more than `most` bytes are used."""
        side = LARGE if is_large else SMALL
        known = self._made.get((row, side))
        if known is None:
            known = self._made[row, side] = self._make(row, side)
        size = len(known.picture or b"")
        if self.n_bytes + size > most:
            return replace(known, picture=None)
        self.n_bytes += size
        return known

    def table_cells(self, rows: Sequence[int]) -> tuple[list[ItemCell], int]:
        """Return items for the table of rows, and how many go without their picture."""
        is_seen = self.items.kind == "picture"
        self.prepare(rows[:MOST_IN_TABLE])
        cells = [self.cell(row, most=IN_TABLE) for row in rows[:MOST_IN_TABLE]]
        if is_seen:
            cells += [
                ItemCell(cut(self.items.name(row))) for row in rows[MOST_IN_TABLE:]
            ]
        else:
            cells += [self._make(row, SMALL) for row in rows[MOST_IN_TABLE:]]
        n_out = sum(cell.picture is None for cell in cells) if is_seen else 0
        return cells, n_out - sum(row in self.items.problems for row in rows) * is_seen

    def prepare(self, rows: Iterable[int], *, is_large: bool = False) -> None:
        """Make the thumbnails of some rows at once, in threads."""
        side = LARGE if is_large else SMALL
        new = [(row, side) for row in rows if (row, side) not in self._made]
        made = Threads(-1).map(self._make, new)
        self._made |= dict(zip(new, made, strict=True))

    def _make(self, row: int, side: int) -> ItemCell:
        found = self.items.show(row, side)
        text = (
            shorten(found.text, LONG if side == LARGE else SHORT) if found.text else ""
        )
        if self.items.kind == "embedding":
            text = "; ".join(
                f"{name}: {cell}" for name, cell in found.cells.items() if cell
            )
            text = shorten(text, LONG) if text else ""
        return ItemCell(cut(found.name), text, found.picture, found.media_type)


def item_galleries(
    fit: "FitFacts",
    cluster: int,
    typical: Sequence[int] | Ints,
    mixed: Sequence[int] | Ints,
) -> list[Gallery]:
    """Return the most typical and the most mixed items of a cluster."""
    assert fit.shown is not None
    every = [int(row) for row in (*typical, *mixed)]
    fit.shown.prepare(every, is_large=True)
    near = [fit.shown.cell(int(row), is_large=True) for row in typical]
    between = [
        replace(
            fit.shown.cell(int(row), is_large=True),
            note=fit.mixture(int(row), cluster, is_brief=True),
        )
        for row in mixed
    ]
    mixed_caption = "Most mixed: memberships here, and in the next cluster"
    found = {"Most typical": near, mixed_caption: between}
    return [Gallery(caption, cells) for caption, cells in found.items() if cells]


def numbers_of(items: ItemSet, n_clusters: int) -> tuple[int, int]:
    """Return how many typical and how many mixed items a cluster shows."""
    most = max(IN_GALLERIES // n_clusters, 3)
    n_mixed = min(MIXED[items.kind], -(-most // 4))
    return min(TYPICAL[items.kind], most - n_mixed), n_mixed


def word_line(words: Sequence[tuple[str, float]]) -> str:
    """Return the words that set a cluster of texts apart, in a sentence."""
    if not words:
        return "No word sets it clearly apart."
    return (
        "Words that set it apart: "
        + ", ".join(f"{word} ({z:.0f})" for word, z in words)
        + "."
    )


def words_of(
    items: ItemSet, labels: Ints, n_clusters: int
) -> list[list[tuple[str, float]]]:
    """Return the words that set each cluster apart; none of other items than texts."""
    if items.kind != "text":
        return [[] for _ in range(n_clusters)]
    return distinctive_words(items.values, np.eye(n_clusters)[labels])
