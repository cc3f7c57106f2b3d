"""One-file HTML pages: sections of paragraphs, pictures, tables and cards."""

import base64
import hashlib
import io
import os
import re
import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from typing import Any

from fuzzypairs import __version__
from fuzzypairs.plots.style import BROKEN, COLORS
from fuzzypairs.report.item_cell import Gallery, ItemCell
from fuzzypairs.tables.atomic import replacing
from fuzzypairs.validation import check_integer, naming, shown

# What browsers may do with a page: run the one script, and load nothing.
POLICY = (
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src {}; "
    "base-uri 'none'; form-action 'none'"
)
# Largest numbers of rows in a table and of characters in a name.
MOST_ROWS, LONGEST_NAME = 100, 40

# Without these, matplotlib writes its name and the date into files.
NO_METADATA = dict.fromkeys(["Creator", "Date", "Format", "Type"])
# Tags of an SVG file; in the text between them "<" and ">" are escaped.
TAG = re.compile(r"<[^<>]*>")
BOX = re.compile(r'viewBox="[^"]*"')
# Names of shapes, and references to them.
NAME = re.compile(r' id="([^"]+)"')
REFERENCE = re.compile(r'(?<=href="#)[^"]+|(?<=url\(#)[^)]+')
INDENT = re.compile(r"\n\s+")
FONT = re.compile(r" font-family: [^;]*;")
# Rows that `plot_memberships` linked.
LINK = re.compile(r'<a xlink:href="#row-(\d+)"[^>]*>')
# Colours of pictures that the style of the page makes lighter on dark paper.
NAMED_COLORS = {color.lower(): f"var(--k{n})" for n, color in enumerate(COLORS)}
NAMED_COLORS |= {BROKEN.lower(): "var(--broken)", "#000000": "currentColor"}
COLOR = re.compile("|".join(NAMED_COLORS))


@dataclass(frozen=True)
class Table:
    """Rows under named columns; columns that hold numbers are aligned right.

    Parameters
    ----------
    columns : sequence of str
        Names of the columns.
    rows : sequence of sequences
        Cells: text, numbers or items. Floats are shown with two decimals.
    caption : str, default=""
        Text above the table.
    n_more : int, default=0
        Number of rows that were left out, shown below the table.
    numeric : collection of int, default=()
        Columns of formatted numbers, which are aligned right, too.
    filters : collection of int, default=()
        Columns by whose values a reader can filter, in the table of a section's `rows`.

    Examples
    --------
    >>> from fuzzypairs.report import Table
    >>> Table(["cluster", "rows"], [["0", 62], ["1", 51]]).rows[0]
    ['0', 62]
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[str | float | ItemCell]]
    caption: str = ""
    n_more: int = 0
    numeric: Collection[int] = ()
    filters: Collection[int] = ()

    def __post_init__(self) -> None:
        with naming("columns"):
            n_columns = len(self.columns)
        with naming("rows"):
            for number, row in enumerate(self.rows):
                if len(row) != n_columns:
                    raise ValueError(
                        f"rows[{number}] has {len(row)} cells but the table has "
                        f"{n_columns} columns"
                    )
        for name in ("numeric", "filters"):
            with naming(name):
                numbers = getattr(self, name)
                for column in () if isinstance(numbers, range) else numbers:
                    check_integer(name, column, 0)

    def cells(self) -> list[list[str]]:
        """Return the rows as text."""
        return [list(map(_as_text, row)) for row in self.rows]

    def body(self) -> str:
        """Return the rows as HTML; a template takes five times as long for them."""
        numeric = map(self.has_numbers, range(len(self.columns)))
        tags = ['<td class="number">' if is_one else "<td>" for is_one in numeric]
        return "\n".join(
            "<tr>"
            + "".join(f"{tag}{_as_html(cell)}</td>" for tag, cell in zip(tags, row))  # noqa: B905
            + "</tr>"
            for row in self.rows
        )

    def has_numbers(self, column: int) -> bool:
        """Say whether a column is aligned right.

        Parameters
        ----------
        column : int
            Counted from 0.
        """
        return column in self.numeric or any(
            not isinstance(row[column], str | ItemCell) for row in self.rows
        )

    def first(self, most: int = MOST_ROWS) -> "Table":
        """Return the table with its first rows, and the number of the others.

        Parameters
        ----------
        most : int, default=100
            Largest number of rows.
        """
        n_more = max(len(self.rows) - most, 0)
        return replace(self, rows=self.rows[:most], n_more=n_more)


def _as_text(cell: str | float | ItemCell) -> str:
    return f"{cell:.2f}" if isinstance(cell, float) else str(cell)


def _as_html(cell: str | float | ItemCell) -> str:
    return cell.html() if isinstance(cell, ItemCell) else escape(_as_text(cell))


@dataclass(frozen=True)
class Picture:
    """A figure with a description for screen readers.

    Parameters
    ----------
    figure : matplotlib Figure
        Shown as SVG in the font of the page; black becomes the colour of its text,
        which differs between light and dark mode.
    alt : str
        What the picture shows, for screen readers.
    caption : str, default=""
        Text below the picture.
    titles : mapping of int to str, default={}
        Names of rows that the figure links, shown by browsers under the pointer.

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
    titles: Mapping[int, str] = field(default_factory=dict)

    @property
    def width(self) -> int:
        """The width in pixels at which the font has the size of the text."""
        return int(100 * self.figure.get_figwidth())

    def svg(self, prefix: str) -> str:
        """Return the picture as an SVG element.

        Parameters
        ----------
        prefix : str
            Begins all ids in it, which must differ from picture to picture.
        """
        import matplotlib as mpl
        from matplotlib.backends.backend_svg import FigureCanvasSVG

        buffer = io.StringIO()
        with mpl.rc_context({"svg.fonttype": "none"}), warnings.catch_warnings():
            # The page has a font of its own; matplotlib's is for the layout only.
            warnings.filterwarnings("ignore", "Glyph .* missing from")
            # savefig would draw all twice, the first time for the layout alone.
            if (layout := self.figure.get_layout_engine()) is not None:
                layout.execute(self.figure)
                self.figure.set_layout_engine("none")
            for patch in (self.figure.patch, *(ax.patch for ax in self.figure.axes)):
                patch.set_visible(False)
            canvas: Any = FigureCanvasSVG(self.figure)
            canvas.print_svg(buffer, metadata=NO_METADATA)
        _, _, drawn = buffer.getvalue().partition("</defs>")
        box = BOX.search(buffer.getvalue())
        assert box is not None
        if self.titles:
            drawn = LINK.sub(self._titled, drawn).replace("</a>", "</g>")
        # matplotlib's ids are random; numbers make equal pages from equal data.
        names = dict.fromkeys(REFERENCE.findall(drawn))
        numbers = {name: f"{prefix}-{n}" for n, name in enumerate(names)}
        plain = TAG.sub(
            lambda tag: _plain_tag(tag[0], numbers), INDENT.sub("\n", drawn)
        )
        return f"<svg {box[0]}>{plain}"

    def _titled(self, link: re.Match[str]) -> str:
        """Return the start of a group with the name of a row."""
        return f'<g class="row"><title>{escape(self.titles[int(link[1])])}</title>'


def _plain_tag(tag: str, numbers: Mapping[str, str]) -> str:
    """Return a tag with the colours and the font of the page, and numbered ids."""
    tag = COLOR.sub(lambda color: NAMED_COLORS[color[0]], FONT.sub("", tag))
    tag = REFERENCE.sub(lambda name: numbers[name[0]], tag)
    return NAME.sub(
        lambda name: f' id="{numbers[name[1]]}"' if name[1] in numbers else "", tag
    )


@dataclass(frozen=True)
class Card:
    """A box about one cluster.

    Parameters
    ----------
    title : str
        Heading.
    mark : str
        Character in the shape of the cluster's markers.
    color : str
        Colour of the mark and the upper edge, as "#rrggbb".
    text : sequence of str, default=()
        Paragraphs.
    table : Table, optional
        Table below the text.
    galleries : sequence of Gallery, default=()
        Items, below the table.

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
    galleries: Sequence[Gallery] = ()


@dataclass(frozen=True)
class Bar:
    """A share with its interval.

    Parameters
    ----------
    name : str
    share, low, high : float
        Between 0 and 1.

    Examples
    --------
    >>> from fuzzypairs.report import Bar
    >>> Bar("with judgements", 0.86, 0.74, 0.93).text
    '86 % (74 to 93 %)'
    """

    name: str
    share: float
    low: float
    high: float

    @property
    def text(self) -> str:
        """The share and its interval in percent."""
        share, low, high = (100 * x for x in (self.share, self.low, self.high))
        return f"{share:.0f} % ({low:.0f} to {high:.0f} %)"


@dataclass(frozen=True)
class Banner:
    """What a reader must know first: a verdict, and what to be careful about.

    Parameters
    ----------
    level : {"strong", "weak", "unusable", "none"}
        Decides the colour.
    sentences : sequence of str, default=()
        The first one is a heading.
    bars : sequence of Bar, default=()
        Shares against a line at 50 %.
    notes : sequence of str, default=()
        Warnings.

    Examples
    --------
    >>> from fuzzypairs.report import Banner
    >>> Banner("none", notes=["The fit did not converge."]).level
    'none'
    """

    level: str
    sentences: Sequence[str] = ()
    bars: Sequence[Bar] = ()
    notes: Sequence[str] = ()


@dataclass(frozen=True)
class Section:
    """A heading with paragraphs, then pictures, tables, cards, and a long table.

    Parameters
    ----------
    heading : str
    text : sequence of str, default=()
        Paragraphs.
    picture : Picture or sequence of Picture, optional
        Several are side by side where there is room.
    tables : sequence of Table, default=()
    cards : sequence of Card, default=()
        Shown side by side.
    rows : Table, optional
        A table that can be searched, sorted and filtered. Without scripts it is
        complete, and closed until a reader opens it.

    Examples
    --------
    >>> from fuzzypairs.report import Section
    >>> Section("Data", text=["178 rows"]).heading
    'Data'
    """

    heading: str
    text: Sequence[str] = ()
    picture: Picture | Sequence[Picture] | None = None
    tables: Sequence[Table] = ()
    cards: Sequence[Card] = ()
    rows: Table | None = None

    @property
    def has_galleries(self) -> bool:
        """Whether cards show items, and need the whole width."""
        return any(card.galleries for card in self.cards)

    @property
    def pictures(self) -> Sequence[Picture]:
        """All pictures."""
        if isinstance(self.picture, Picture):
            return [self.picture]
        return self.picture or ()


def write_report(
    path: str | os.PathLike[str],
    *,
    title: str,
    lead: str,
    sections: Sequence[Section],
    banner: Banner | None = None,
) -> None:
    """Write a report as a single HTML file.

    The page needs no network, follows the reader's light or dark mode, and prints.
    All text is escaped: names from data are safe in it. The only script is that of
    tables that can be searched; the page forbids all others, and is complete without.

    Parameters
    ----------
    path : str or path-like
        The file to write. It appears complete or not at all.
    title : str
        Title of the page.
    lead : str
        What was found, in a sentence or two.
    sections : sequence of Section
        Body of the page.
    banner : Banner, optional
        Shown above the lead.

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
    try:
        import jinja2
    except ImportError as error:
        message = "reports need Jinja2: pip install 'fuzzypairs[cli]'"
        raise ImportError(message) from error
    templates = jinja2.Environment(
        loader=jinja2.PackageLoader("fuzzypairs.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    with naming("path"):
        path = Path(path)
        os.fsencode(path)  # half of a surrogate pair is no name
    with naming("sections"):
        sections = list(sections)
    banners = [] if banner is None else [banner]
    for name, values, kind in (
        ("title", [title], str), ("lead", [lead], str),
        ("sections", sections, Section), ("banner", banners, Banner),
    ):  # fmt: skip
        for value in values:
            if not isinstance(value, kind):
                raise TypeError(
                    f"{name} has {shown(value)}, expected a {kind.__name__}"
                )
    page = templates.get_template("report.html.j2")
    loaded = {
        name: templates.loader.get_source(templates, name)[0]  # type: ignore[union-attr]
        for name in ("report.css", "report.js")
    }
    script = loaded["report.js"] if any(section.rows for section in sections) else ""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    text = page.render(
        title=title,
        lead=lead,
        sections=sections,
        banner=banner,
        version=__version__,
        style=loaded["report.css"],
        script=script,
        policy=POLICY.format(f"'sha256-{digest}'" if script else "'none'"),
    )
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def cut(name: object) -> str:
    """Return a name as text that is short enough for a table."""
    text = str(name)
    return text if len(text) <= LONGEST_NAME else text[: LONGEST_NAME - 1] + "…"


def percent(share: float) -> str:
    """Return a share as text in percent."""
    return f"{100 * share:.1f} %"


def counted(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun, in the plural where needed."""
    several = many or (one + ("es" if one.endswith("s") else "s"))
    return f"{number:,} {one if number == 1 else several}"
