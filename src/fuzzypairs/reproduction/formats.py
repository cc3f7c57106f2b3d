"""Tables as CSV, Markdown and LaTeX."""

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

from fuzzypairs.report import Table

__all__ = ["to_csv", "to_latex", "to_markdown"]

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
    r"""Return rows as CSV.

    Examples
    --------
    >>> from fuzzypairs.reproduction.formats import to_csv
    >>> to_csv(["a", "b"], [[1, 2]])
    'a,b\n1,2\n'
    """
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(heads)
    lines.writerows(rows)
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
    caption = [rf"\caption{{{_escape(table.caption)}}}\\"] if table.caption else []
    return "\n".join(
        [
            rf"\begin{{longtable}}{{{align}}}",
            *caption,
            r"\hline",
            " & ".join(map(_escape, table.columns)) + r" \\ \hline",
            *(" & ".join(map(_escape, row)) + r" \\" for row in table.cells()),
            r"\hline",
            r"\end{longtable}",
            "",
        ]
    )


def _escape(text: str) -> str:
    return text.translate(str.maketrans(LATEX))
