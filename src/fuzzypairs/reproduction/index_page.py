"""What a reproduction writes: one page, and each table and figure as files."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from fuzzypairs.report import Picture, Section, Table, write_report
from fuzzypairs.reproduction.entries import Entry, entries_of
from fuzzypairs.reproduction.figures import (
    alpha_rows,
    draw_alpha,
    draw_kernel,
    draw_lia,
    lia_rows,
)
from fuzzypairs.reproduction.formats import to_csv, to_latex, to_markdown
from fuzzypairs.reproduction.paper_tables import (
    LEGEND,
    count_table,
    example_table,
    kernel_table,
    method_tables,
    summary_table,
)
from fuzzypairs.reproduction.runs import Results
from fuzzypairs.reproduction.targets import TARGETS, Plan

__all__ = ["Piece", "make_piece", "write_pieces"]

# Pictures hold neither a date nor a random name, so that equal runs give equal files.
SVG = {"metadata": {"Date": None, "Creator": None}}

FORMS = {"md": to_markdown, "tex": to_latex}
# The most tables of a piece in index.md; its own files have all of them.
SHOWN = 2

TITLE = "The paper's experiments again"
LEAD = (
    "Printed numbers beside ours. Oracle tuning takes the best point of the grid by "
    "the truth, as the paper does; fair tuning takes it by judgements that were left "
    "out of the fits."
)
FACES_NOTE = (
    "The faces stand in for the paper's: the same 181 images of five expressions, but "
    "243 features that are not those of the paper, which does not describe its own, "
    "and ratings of another study. Numbers are beside each other, not comparable."
)


@dataclass(frozen=True, eq=False)
class Piece:
    """A table or figure of the paper, ready to be written.

    Attributes
    ----------
    name : str
        Of the target, and of the files.
    text : sequence of str
        What to know before reading.
    csv : str
        The numbers behind it.
    tables : sequence of Table
    figure : matplotlib Figure or None
    alt : str
        What the figure shows.

    Examples
    --------
    >>> from fuzzypairs.reproduction.index_page import Piece
    >>> Piece("table2", ["As printed."], "dataset,ours").title
    'All methods on the benchmark datasets'
    """

    name: str
    text: Sequence[str]
    csv: str
    tables: Sequence[Table] = ()
    figure: Any = None
    alt: str = ""

    @property
    def title(self) -> str:
        """The title of the target."""
        return TARGETS[self.name].title


def make_piece(plan: Plan, results: Results) -> Piece:
    """Return a table or figure from finished runs; nothing is fitted."""
    return MAKERS[plan.target](plan, results)


def write_pieces(folder: Path, pieces: Sequence[Piece]) -> None:
    """Write the page, as HTML and Markdown, and the files of each piece.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from fuzzypairs.reproduction.index_page import Piece, write_pieces
    >>> piece = Piece("table2", ["As printed."], "dataset,ours")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_pieces(Path(folder), [piece])
    ...     sorted(file.name for file in Path(folder).iterdir())
    ['index.html', 'index.md', 'table2.csv']
    """
    for piece in pieces:
        _write(folder / f"{piece.name}.csv", piece.csv)
        if piece.tables:
            for suffix, form in FORMS.items():
                text = "\n".join(map(form, piece.tables))
                _write(folder / f"{piece.name}.{suffix}", text)
        if piece.figure is not None:
            _draw(piece.figure, folder / piece.name)
    pages = "\n".join(_as_markdown(piece) for piece in pieces)
    _write(folder / "index.md", f"# {TITLE}\n\n{LEAD}\n\n{pages}")
    sections = [_as_section(piece) for piece in pieces]
    write_report(folder / "index.html", title=TITLE, lead=LEAD, sections=sections)


def _as_section(piece: Piece) -> Section:
    picture = Picture(piece.figure, alt=piece.alt) if piece.figure is not None else None
    return Section(f"{piece.name}: {piece.title}", piece.text, picture, piece.tables)


def _as_markdown(piece: Piece) -> str:
    """Return a section with the first tables, and links to the rest."""
    parts = [f"## {piece.name}: {piece.title}", *piece.text]
    if piece.figure is not None:
        parts.append(f"![{piece.alt}]({piece.name}.svg)")
    parts += map(to_markdown, piece.tables[:SHOWN])
    if len(piece.tables) > SHOWN:
        parts.append(f"[All tables]({piece.name}.md), [all numbers]({piece.name}.csv)")
    return "\n\n".join(part.rstrip() for part in parts) + "\n"


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


def _draw(figure: Any, path: Path) -> None:
    import matplotlib as mpl

    figure.savefig(path.with_suffix(".png"), dpi=144, metadata={"Software": None})
    with mpl.rc_context({"svg.hashsalt": "fuzzypairs"}):
        figure.savefig(path.with_suffix(".svg"), **SVG)


def _benchmark_table(plan: Plan, results: Results) -> Piece:
    entries = entries_of(plan, results)
    counts = count_table(plan, entries)
    shown = [
        summary_table(plan, entries),
        *([counts] if counts.rows else []),  # FDC alone is compared with nothing
        *method_tables(plan, entries),
    ]
    text = [
        f"{plan.n_starts} random starts for methods with chance, {plan.n_draws} "
        "draw(s) of judgements. ARI is (ARI + 1)/2, NMI has the geometric mean. "
        + LEGEND,
        "Runs differ by their starts"
        + (" and draws" if plan.n_draws > 1 else " alone")
        + ", so marks speak of these only.",
    ]
    if plan.target == "table-faces":
        text.append(FACES_NOTE)
    return Piece(plan.target, text, _entries_csv(entries), shown)


def _distance_table(plan: Plan, results: Results) -> Piece:
    entries = entries_of(plan, results)
    shown = [summary_table(plan, entries), *method_tables(plan, entries)]
    text = [FACES_NOTE, "By chance the distance is about 0.765. " + LEGEND]
    return Piece(plan.target, text, _entries_csv(entries), shown)


def _entries_csv(entries: Sequence[Entry]) -> str:
    rows = (
        [round(v, 6) if isinstance(v, float) else v for v in asdict(entry).values()]
        for entry in entries
    )
    return to_csv([field.name for field in fields(Entry)], rows)


def _examples(plan: Plan, results: Results) -> Piece:
    table = example_table(plan, results)
    lead = "Memberships of the first start, clusters matched to the truth."
    csv = to_csv(table.columns, table.rows)
    return Piece(plan.target, [FACES_NOTE, lead], csv, [table])


def _alpha(plan: Plan, results: Results) -> Piece:
    rows = alpha_rows(plan, results)
    heads = ["dataset", "group", "alpha", "beta", "nmi", "clusters"]
    return Piece(
        plan.target,
        ["At each alpha, the beta of the largest mean NMI over the first starts."],
        to_csv(heads, rows),
        figure=draw_alpha(plan, rows),
        alt="NMI rises and falls over alpha while clusters vanish down to one",
    )


def _kernel(plan: Plan, results: Results) -> Piece:
    entries = entries_of(plan, results)
    text = (
        "The paper prints bars without numbers; its FDC column is the printed one. "
        "With the kernel, four values of alpha and of beta go with each of the 16 "
        "widths, and the kernel is approximated by 256 samples (Nystroem; all samples "
        "of smaller datasets, 64 beyond 3000)."
    )
    return Piece(
        plan.target,
        [text],
        _entries_csv(entries),
        [kernel_table(plan, entries)],
        draw_kernel(plan, entries),
        "Bars of the normalised ARI for each dataset, without and with the kernel",
    )


def _ranks(plan: Plan, results: Results) -> Piece:
    rows = lia_rows(plan, results)
    heads = ["group", "method", "tuning", "rank", "acc", "starts"]
    return Piece(
        plan.target,
        [FACES_NOTE],
        to_csv(heads, rows),
        figure=draw_lia(plan, rows),
        alt="Accuracy of labels by the first to fifth largest membership",
    )


MAKERS: dict[str, Callable[[Plan, Results], Piece]] = {
    "table2": _benchmark_table,
    "fig-alpha": _alpha,
    "fig-kernel": _kernel,
    "table-faces": _benchmark_table,
    "table-mahd": _distance_table,
    "fig-lia": _ranks,
    "table-examples": _examples,
}
