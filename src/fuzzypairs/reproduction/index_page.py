"""What a reproduction writes: one page, and each table and figure as files."""

from collections.abc import Sequence
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
from fuzzypairs.reproduction.targets import Plan

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
CHANCE_NOTE = "By chance the distance is about 0.765. "
KERNEL_NOTE = (
    "The paper prints bars without numbers; its FDC column is the printed one. "
    "With the kernel, four values of alpha and of beta go with each of the 16 "
    "widths, and the kernel is approximated by 256 samples (Nystroem; all samples "
    "of smaller datasets, 64 beyond 3000)."
)


@dataclass(frozen=True, eq=False)
class Piece:
    """A table or figure of the paper, ready to be written; `csv` has its numbers.

    Examples
    --------
    >>> from fuzzypairs.reproduction.index_page import Piece
    >>> Piece("table2", "All methods", ["As printed."], "dataset,ours").tables
    ()
    """

    name: str
    title: str
    text: Sequence[str]
    csv: str
    tables: Sequence[Table] = ()
    figure: Any = None
    alt: str = ""


def make_piece(plan: Plan, results: Results) -> Piece:
    """Return a table or figure from finished runs; nothing is fitted."""
    parts: tuple[Any, ...]
    if plan.target == "fig-alpha":
        rows = alpha_rows(plan, results)
        parts = (
            ["At each alpha, the beta of the largest mean NMI over the first starts."],
            to_csv(["dataset", "group", "alpha", "beta", "nmi", "clusters"], rows),
            [], draw_alpha(plan, rows),
            "NMI rises and falls over alpha while clusters vanish down to one",
        )  # fmt: skip
    elif plan.target == "fig-lia":
        rows = lia_rows(plan, results)
        heads = ["group", "method", "tuning", "rank", "acc", "starts"]
        parts = (
            [FACES_NOTE], to_csv(heads, rows), [], draw_lia(plan, rows),
            "Accuracy of labels by the first to fifth largest membership",
        )  # fmt: skip
    elif plan.target == "table-examples":
        table = example_table(plan, results)
        lead = "Memberships of the first start, clusters matched to the truth."
        parts = [FACES_NOTE, lead], to_csv(table.columns, table.rows), [table]
    else:
        entries = entries_of(plan, results)
        csv = to_csv(
            [field.name for field in fields(Entry)],
            (
                [round(v, 6) if isinstance(v, float) else v for v in values]
                for values in (asdict(entry).values() for entry in entries)
            ),
        )
        if plan.target == "fig-kernel":
            alt = "Bars of the normalised ARI for each dataset, without and with the "
            figure = draw_kernel(plan, entries)
            tables = [kernel_table(plan, entries)]
            parts = [KERNEL_NOTE], csv, tables, figure, alt + "kernel"
        else:
            parts = _notes(plan), csv, _comparison(plan, entries)
    return Piece(plan.target, plan.title, *parts)


def _comparison(plan: Plan, entries: Sequence[Entry]) -> list[Table]:
    tables = [summary_table(plan, entries)]
    if plan.target != "table-mahd" and set(plan.methods) - {"fdc", "fdc-authors"}:
        tables.append(count_table(plan, entries))
    return tables + method_tables(plan, entries)


def _notes(plan: Plan) -> list[str]:
    if plan.target == "table-mahd":
        return [FACES_NOTE, CHANCE_NOTE + LEGEND]
    draws = " and draws" if plan.n_draws > 1 else " alone"
    notes = [
        f"{plan.n_starts} random starts for methods with chance, {plan.n_draws} "
        "draw(s) of judgements. ARI is (ARI + 1)/2, NMI has the geometric mean. "
        + LEGEND,
        f"Runs differ by their starts{draws}, so marks speak of these only.",
    ]
    return [*notes, FACES_NOTE] if plan.target == "table-faces" else notes


def write_pieces(folder: Path, pieces: Sequence[Piece]) -> None:
    """Write the page, as HTML and Markdown, and the files of each piece.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from fuzzypairs.reproduction.index_page import Piece, write_pieces
    >>> piece = Piece("table2", "All methods", ["As printed."], "dataset,ours")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_pieces(Path(folder), [piece])
    ...     sorted(file.name for file in Path(folder).iterdir())
    ['index.html', 'index.md', 'table2.csv']
    """
    sections, pages = [], [f"# {TITLE}\n\n{LEAD}\n"]
    for piece in pieces:
        heading, picture = f"{piece.name}: {piece.title}", None
        parts = [f"## {heading}", *piece.text]
        _write(folder / f"{piece.name}.csv", piece.csv)
        if piece.tables:
            for suffix, form in FORMS.items():
                text = "\n".join(map(form, piece.tables))
                _write(folder / f"{piece.name}.{suffix}", text)
        if piece.figure is not None:
            _draw(piece.figure, folder / piece.name)
            picture = Picture(piece.figure, alt=piece.alt)
            parts.append(f"![{piece.alt}]({piece.name}.svg)")
        parts += [to_markdown(table).rstrip() for table in piece.tables[:SHOWN]]
        if len(piece.tables) > SHOWN:
            links = f"[All tables]({piece.name}.md), [all numbers]({piece.name}.csv)"
            parts.append(links)
        pages.append("\n\n".join(parts) + "\n")
        sections.append(Section(heading, piece.text, picture, piece.tables))
    _write(folder / "index.md", "\n".join(pages))
    write_report(folder / "index.html", title=TITLE, lead=LEAD, sections=sections)


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


def _draw(figure: Any, path: Path) -> None:
    import matplotlib as mpl

    figure.savefig(path.with_suffix(".png"), dpi=144, metadata={"Software": None})
    with mpl.rc_context({"svg.hashsalt": "fuzzypairs"}):
        figure.savefig(path.with_suffix(".svg"), **SVG)
