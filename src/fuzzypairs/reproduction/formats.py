"""Tables as CSV, Markdown and LaTeX."""

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

from fuzzypairs.report import Table

# Characters that LaTeX writes in another way.
LATEX: dict[str, str | int | None] = {
    "&": r"\&",
    "%": r"\%",
    "_": r"\_",
    "±": r"$\pm$",
    "●": r"$\bullet$",
    "○": r"$\circ$",
    "▲": r"$\blacktriangle$",
    "▼": r"$\blacktriangledown$",
}


def to_csv(heads: Sequence[str], rows: Iterable[Iterable[Any]]) -> str:
    """Return rows as CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([heads, *rows])
    return text.getvalue()


def to_markdown(table: Table) -> str:
    """Return a table as Markdown.

    Examples
    --------
    >>> from fuzzypairs.report import Table
    >>> from fuzzypairs.reproduction.formats import to_markdown
    >>> print(to_markdown(Table(["data", "ARI"], [["wine", 94.87]])))
    | data | ARI |
    |---|--:|
    | wine | 94.87 |
    """
    places = range(len(table.columns))
    rule = "".join("--:|" if table.has_numbers(place) else "---|" for place in places)
    lines = ["| " + " | ".join(table.columns) + " |", f"|{rule}"]
    lines += ["| " + " | ".join(row) + " |" for row in table.cells()]
    head = [f"**{table.caption}**", ""] if table.caption else []
    return "\n".join([*head, *lines]) + "\n"


def to_latex(table: Table) -> str:
    r"""Return a table as LaTeX, for the packages longtable and amssymb.

    Examples
    --------
    >>> from fuzzypairs.report import Table
    >>> from fuzzypairs.reproduction.formats import to_latex
    >>> print(to_latex(Table(["data", "ARI"], [["R&D", 94.87]])))
    \begin{longtable}{lr}
    \hline
    data & ARI \\ \hline
    R\&D & 94.87 \\
    \hline
    \end{longtable}
    """
    places = range(len(table.columns))
    align = "".join("r" if table.has_numbers(place) else "l" for place in places)
    head, *rows = (
        " & ".join(text.translate(str.maketrans(LATEX)) for text in row) + r" \\"
        for row in (table.columns, *table.cells())
    )
    caption = table.caption.translate(str.maketrans(LATEX))
    lines = [rf"\begin{{longtable}}{{{align}}}"]
    lines += [rf"\caption{{{caption}}}\\"] if caption else []
    lines += [r"\hline", head + r" \hline", *rows, r"\hline", r"\end{longtable}", ""]
    return "\n".join(lines)
