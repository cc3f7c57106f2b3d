"""What a reproduction leaves behind: one page, tables and figures as files."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fuzzypairs.report import Picture, Section, Table, write_report
from fuzzypairs.reproduction import figures
from fuzzypairs.reproduction import paper_tables as tables
from fuzzypairs.reproduction.entries import Results
from fuzzypairs.reproduction.targets import TARGETS, Plan

__all__ = ["Piece", "make_piece", "write_pieces"]

# Pictures hold neither a date nor a random name, so that equal runs give equal files.
SVG = {"metadata": {"Date": None, "Creator": None}}

FORMS = {"md": tables.to_markdown, "tex": tables.to_latex}
# Tables of a piece in the page that is Markdown; all others are in files of their own.
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
    """A table or figure, ready to be written.

    Attributes
    ----------
    name : str
        Of the target, and of the files.
    title : str
    text : sequence of str
        What to know before reading.
    tables : sequence of Table
    csv : str
        The numbers behind it.
    figure : matplotlib Figure or None
    alt : str
        What the figure shows.

    Examples
    --------
    >>> from fuzzypairs.reproduction.index_page import Piece
    >>> Piece("table2", "All methods", ["As printed."], "dataset,ours").figure is None
    True
    """

    name: str
    title: str
    text: Sequence[str]
    csv: str
    tables: Sequence[Table] = field(default=())
    figure: Any = None
    alt: str = ""


def make_piece(plan: Plan, results: Results) -> Piece:
    """Return a table or figure from finished runs; nothing is fitted.

    Examples
    --------
    >>> from fuzzypairs.reproduction.runs import Run
    >>> from fuzzypairs.reproduction.targets import make_plan
    >>> plan = make_plan("table2", datasets=["wine"], groups=["iv"], methods=["fcm"],
    ...                  tunings=["oracle"], n_starts=2)
    >>> scores = {"nari": [0.9, 0.8], "nmi": [0.8, 0.7], "clusters": [3, 3]}
    >>> results = {Run("wine", "", 0, "fcm", last=2): scores}
    >>> from fuzzypairs.reproduction.index_page import make_piece
    >>> make_piece(plan, results).title
    'All methods on the benchmark datasets'
    """
    return MAKERS[plan.target](plan, results)


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
    parts += map(tables.to_markdown, piece.tables[:SHOWN])
    if len(piece.tables) > SHOWN:
        parts.append(f"[All tables]({piece.name}.md), [all numbers]({piece.name}.csv)")
    return "\n\n".join(part.rstrip() for part in parts) + "\n"


def _benchmark_table(plan: Plan, results: Results) -> Piece:
    rows = tables.entries(plan, results)
    counts = tables.compare_counts(plan, rows)
    shown = [
        tables.summary(plan, rows),
        *([counts] if counts.rows else []),  # FDC alone is compared with nothing
        *tables.method_tables(plan, rows),
    ]
    text = [
        f"{plan.n_starts} random starts for methods with chance, {plan.n_draws} "
        "draw(s) of judgements. ARI is (ARI + 1)/2, NMI has the geometric mean. "
        + tables.LEGEND,
        "Runs differ by their starts"
        + (" and draws" if plan.n_draws > 1 else " alone")
        + ", so marks speak of these only.",
    ]
    if plan.target == "table-faces":
        text.append(FACES_NOTE)
    return _piece(plan, text, tables.to_csv(rows), shown)


def _distance_table(plan: Plan, results: Results) -> Piece:
    rows = tables.entries(plan, results)
    shown = [tables.summary(plan, rows), *tables.method_tables(plan, rows)]
    text = [FACES_NOTE, "By chance the distance is about 0.765. " + tables.LEGEND]
    return _piece(plan, text, tables.to_csv(rows), shown)


def _examples(plan: Plan, results: Results) -> Piece:
    rows = tables.example_rows(plan, results)
    heads = [
        "method",
        "tuning",
        "image",
        "happy",
        "sad",
        "surprise",
        "angry",
        "disgust",
    ]
    text = [
        FACES_NOTE,
        "Memberships of the first start, clusters matched to the truth.",
    ]
    table = Table(heads, rows)
    return _piece(plan, text, tables.write_csv(heads, rows), [table])


def _alpha(plan: Plan, results: Results) -> Piece:
    rows = figures.alpha_rows(plan, results)
    heads = ["dataset", "group", "alpha", "beta", "nmi", "clusters"]
    text = ["At each alpha, the beta of the largest mean NMI over the first starts."]
    return _piece(
        plan, text, tables.write_csv(heads, rows), (), figures.draw_alpha(plan, rows),
        "NMI rises and falls over alpha while clusters vanish down to one",
    )  # fmt: skip


def _kernel(plan: Plan, results: Results) -> Piece:
    rows = tables.entries(plan, results)
    text = [
        "The paper prints bars without numbers; its FDC column is the printed one. "
        "With the kernel, four values of alpha and of beta go with each of the 16 "
        "widths, and the kernel is approximated by 256 samples (Nystroem; all samples "
        "of smaller datasets, 64 beyond 3000).",
    ]
    return _piece(
        plan, text, tables.to_csv(rows), [tables.kernel_table(plan, rows)],
        figures.draw_kernel(plan, rows),
        "Bars of the normalised ARI for each dataset, without and with the kernel",
    )  # fmt: skip


def _ranks(plan: Plan, results: Results) -> Piece:
    rows = figures.lia_rows(plan, results)
    heads = ["group", "method", "tuning", "rank", "acc", "starts"]
    return _piece(
        plan, [FACES_NOTE], tables.write_csv(heads, rows), (),
        figures.draw_lia(plan, rows),
        "Accuracy of labels by the first to fifth largest membership",
    )  # fmt: skip


MAKERS: dict[str, Callable[[Plan, Results], Piece]] = {
    "table2": _benchmark_table,
    "fig-alpha": _alpha,
    "fig-kernel": _kernel,
    "table-faces": _benchmark_table,
    "table-mahd": _distance_table,
    "fig-lia": _ranks,
    "table-examples": _examples,
}


def _piece(
    plan: Plan,
    text: Sequence[str],
    csv: str,
    shown: Sequence[Table] = (),
    figure: Any = None,
    alt: str = "",
) -> Piece:
    title = TARGETS[plan.target].title
    return Piece(plan.target, title, text, csv, shown, figure, alt)


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


def _draw(figure: Any, path: Path) -> None:
    import matplotlib as mpl

    figure.savefig(path.with_suffix(".png"), dpi=144, metadata={"Software": None})
    with mpl.rc_context({"svg.hashsalt": "fuzzypairs"}):
        figure.savefig(path.with_suffix(".svg"), **SVG)
