"""The one-file page: sections of paragraphs, pictures, tables and cards."""

import io
import os
import re
import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fuzzypairs import __version__
from fuzzypairs.io.atomic import replacing

__all__ = ["Card", "Picture", "Section", "Table", "write_report"]

# The rows that a list in a page shows at most, and the letters of a name.
LONGEST, LONGEST_NAME = 100, 40

# matplotlib signs and dates its files unless told otherwise.
NO_METADATA = dict.fromkeys(["Creator", "Date", "Format", "Type"])
# Tags of a picture; in the text between them "<" and ">" are escaped.
TAG = re.compile(r"<[^<>]*>")
BOX = re.compile(r'viewBox="[^"]*"')
# What names a shape, and what refers to one.
NAME = re.compile(r' id="([^"]+)"')
REFERENCE = re.compile(r'(?<=href="#)[^"]+|(?<=url\(#)[^)]+')
FONT = re.compile(r" font-family: [^;]*;")


@dataclass(frozen=True)
class Table:
    """Rows under named columns; columns with numbers in them are set to the right.

    Parameters
    ----------
    columns : sequence of str
        The heads.
    rows : sequence of sequences
        Cells: text or numbers. Floats are shown with two decimals.
    caption : str, default=""
        What the table says, above it.
    n_more : int, default=0
        Rows that were left out, told below it.
    numeric : collection of int, default=()
        Columns to set to the right although their numbers are written out.

    Examples
    --------
    >>> from fuzzypairs.report import Table
    >>> Table(["cluster", "rows"], [["0", 62], ["1", 51]]).rows[0]
    ['0', 62]
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[str | float]]
    caption: str = ""
    n_more: int = 0
    numeric: Collection[int] = ()

    def __post_init__(self) -> None:
        for number, row in enumerate(self.rows):
            if len(row) != len(self.columns):
                raise ValueError(
                    f"rows[{number}] has {len(row)} cells but the table has "
                    f"{len(self.columns)} columns"
                )

    def cells(self) -> list[list[str]]:
        """Return the rows as text."""
        return [
            [f"{cell:.2f}" if isinstance(cell, float) else str(cell) for cell in row]
            for row in self.rows
        ]

    def has_numbers(self, column: int) -> bool:
        """Tell whether a column holds a number anywhere.

        Parameters
        ----------
        column : int
            Counted from 0.

        Returns
        -------
        has_numbers : bool
        """
        return column in self.numeric or any(
            not isinstance(row[column], str) for row in self.rows
        )


@dataclass(frozen=True)
class Picture:
    """A figure with the words for those who cannot see it.

    Parameters
    ----------
    figure : matplotlib Figure
        What to draw. It goes into the page as vectors, with the page's own letters;
        what is black in it takes the colour of the text, in light and in dark.
    alt : str
        What the picture shows, read aloud in its place.
    caption : str, default=""
        Printed under it.

    Examples
    --------
    >>> from fuzzypairs.plots import plot_objective
    >>> from fuzzypairs.report import Picture
    >>> picture = Picture(plot_objective([3.0, 1.0]).figure, alt="falls from 3 to 1")
    >>> picture.svg("first")[:5]
    '<svg '
    """

    figure: Any
    alt: str
    caption: str = ""

    @property
    def width(self) -> int:
        """The width in pixels at which its letters are as large as the text."""
        return int(100 * self.figure.get_figwidth())

    def svg(self, prefix: str) -> str:
        """Return the picture as text that a page can hold.

        Parameters
        ----------
        prefix : str
            Put before all names within, which must differ from picture to picture.
        """
        import matplotlib as mpl

        buffer = io.StringIO()
        with mpl.rc_context({"svg.fonttype": "none"}), warnings.catch_warnings():
            # Only the layout needs the letters of matplotlib's font, not the page.
            warnings.filterwarnings("ignore", "Glyph .* missing from")
            self.figure.savefig(
                buffer, format="svg", transparent=True, metadata=NO_METADATA
            )
        _, _, drawn = buffer.getvalue().partition("</defs>")
        box = BOX.search(buffer.getvalue())
        assert box is not None
        # Names are random: counted, they leave equal pages equal.
        names = dict.fromkeys(REFERENCE.findall(drawn))
        numbers = {name: f"{prefix}-{n}" for n, name in enumerate(names)}
        plain = TAG.sub(lambda tag: _plain_tag(tag[0], numbers), drawn)
        return f"<svg {box[0]}>{plain}"


def _plain_tag(tag: str, numbers: Mapping[str, str]) -> str:
    """Return a tag with the page's colours and letters, and with names by number."""
    tag = FONT.sub("", tag.replace("#000000", "currentColor"))
    tag = REFERENCE.sub(lambda name: numbers[name[0]], tag)
    return NAME.sub(
        lambda name: f' id="{numbers[name[1]]}"' if name[1] in numbers else "", tag
    )


@dataclass(frozen=True)
class Card:
    """A small box about one cluster: its mark, sentences and a table.

    Parameters
    ----------
    title : str
        The heading.
    mark : str
        A letter in the shape of the cluster's rows.
    color : str
        Of the mark and the edge, as "#rrggbb".
    text : sequence of str, default=()
        Paragraphs.
    table : Table, optional
        Shown after the text.

    Examples
    --------
    >>> from fuzzypairs.report import Card
    >>> Card("Cluster 0", "●", "#0072B2", ["62 rows"]).title
    'Cluster 0'
    """

    title: str
    mark: str
    color: str
    text: Sequence[str] = ()
    table: Table | None = None


@dataclass(frozen=True)
class Section:
    """A heading with paragraphs, then a picture, then tables, then cards.

    Parameters
    ----------
    heading : str
        The heading.
    text : sequence of str, default=()
        Paragraphs.
    picture : Picture, optional
        Shown after the text.
    tables : sequence of Table, default=()
        Shown then.
    cards : sequence of Card, default=()
        Shown last, side by side.

    Examples
    --------
    >>> from fuzzypairs.report import Section
    >>> Section("Data", text=["178 rows"]).heading
    'Data'
    """

    heading: str
    text: Sequence[str] = ()
    picture: Picture | None = None
    tables: Sequence[Table] = ()
    cards: Sequence[Card] = ()


def write_report(
    path: str | os.PathLike[str],
    *,
    title: str,
    lead: str,
    sections: Sequence[Section],
) -> None:
    """Write a report as one HTML file.

    The page needs no network and runs no script, follows the reader's light or
    dark setting, and prints. All text is escaped: names from data are safe in it.

    Parameters
    ----------
    path : str or path-like
        The file to write. It appears complete or not at all.
    title : str
        The head of the page.
    lead : str
        The finding, in a sentence or two.
    sections : sequence of Section
        The body.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from fuzzypairs.report import Section, write_report
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "report.html"
    ...     write_report(path, title="Wine", lead="Three clusters.",
    ...                  sections=[Section("Data", ["a < b"])])
    ...     "a &lt; b" in path.read_text(encoding="utf-8")
    True
    """
    page = _environment().get_template("report.html.j2")
    text = page.render(title=title, lead=lead, sections=sections, version=__version__)
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def short_table(
    heads: Sequence[str],
    rows: Sequence[Sequence[str | float]],
    caption: str,
    most: int = LONGEST,
    numeric: Collection[int] = (),
) -> Table:
    """Return a table that does not drown the page; it says how much it leaves out."""
    return Table(heads, rows[:most], caption, max(len(rows) - most, 0), numeric)


def cut(name: str) -> str:
    """Return a name that is no longer than a table can bear.

    Examples
    --------
    >>> cut("a" * 50)[-3:]
    'aa…'
    """
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"


def percent(share: float) -> str:
    """Return a share as text.

    Examples
    --------
    >>> percent(0.123)
    '12.3 %'
    """
    return f"{100 * share:.1f} %"


def _environment() -> Any:
    """Return Jinja with our templates, escaping everything."""
    try:
        import jinja2
    except ImportError as error:
        raise ImportError("reports need Jinja2: pip install 'fuzzypairs[cli]'") from (
            error
        )
    return jinja2.Environment(
        loader=jinja2.PackageLoader("fuzzypairs.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
