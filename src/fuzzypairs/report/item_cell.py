"""An item as a table or a gallery of a report shows it."""

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

__all__ = ["Gallery", "ItemCell"]


@dataclass(frozen=True)
class ItemCell:
    """An item in a cell of a table, or in a gallery.

    Parameters
    ----------
    name : str
    text : str, default=""
        The beginning of a text.
    picture : bytes, default=None
        A thumbnail.
    media_type : str, default=""
        Of the thumbnail.
    note : str, default=""
        What is worth knowing of it.

    Examples
    --------
    >>> from fuzzypairs.report.item_cell import ItemCell
    >>> ItemCell("a <b>").html()
    '<span class="name">a &lt;b&gt;</span>'
    """

    name: str
    text: str = ""
    picture: bytes | None = None
    media_type: str = ""
    note: str = ""

    def __str__(self) -> str:
        return self.name

    def html(self, *, named: bool = True) -> str:
        """Return it as HTML; a thumbnail may go without the name below it."""
        parts = []
        if self.picture is not None:
            data = base64.b64encode(self.picture).decode()
            name = escape(self.name)
            parts.append(
                f'<img src="data:{self.media_type};base64,{data}" alt="{name}" '
                f'title="{name}" loading="lazy">'
            )
        if named or not parts:
            parts.append(f'<span class="name">{escape(self.name)}</span>')
        if self.text:
            parts.append(f'<span class="said" dir="auto">{escape(self.text)}</span>')
        if self.note:
            parts.append(f'<span class="note">{escape(self.note)}</span>')
        return " ".join(parts)


@dataclass(frozen=True)
class Gallery:
    """Items side by side if they are pictures, below each other if texts.

    Parameters
    ----------
    caption : str
    items : sequence of ItemCell

    Examples
    --------
    >>> from fuzzypairs.report.item_cell import Gallery, ItemCell
    >>> Gallery("Most typical", [ItemCell("a.png")]).has_pictures
    False
    """

    caption: str
    items: Sequence[ItemCell]

    @property
    def has_pictures(self) -> bool:
        """Whether an item is shown as a picture."""
        return any(item.picture is not None for item in self.items)
