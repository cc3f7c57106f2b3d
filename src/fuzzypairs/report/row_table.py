"""All rows with their clusters, for the report."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fuzzypairs.analysis.result_columns import runners_up
from fuzzypairs.plots.mixtures import mixedness
from fuzzypairs.report.facts import FitFacts
from fuzzypairs.report.html import Section, Table, cut
from fuzzypairs.report.item_cell import ItemCell
from fuzzypairs.tables.gaps import MOSTLY_MISSING

# Largest numbers of rows in the table, of columns of the data beside them, and of cells
# of the data: the page must stay small enough for a browser.
MOST_ROWS, MOST_BESIDE, MOST_CELLS = 20_000, 6, 40_000
# What flags mean that do not follow from memberships and judgements.
FLAGS = {
    MOSTLY_MISSING: "fewer than half of its values are known",
    "not readable": "its features are the mean of all",
}


def rows_section(
    fit: FitFacts, flags: NDArray[Any], further: Sequence[str] = ()
) -> Section:
    """Return the section with the table of all rows, or of some of very many."""
    n_rows = len(fit.U)
    rows = np.arange(n_rows)
    text = [
        "Flags: mixed, the second cluster has at least half the membership of the "
        "first; judged, a judgement is about it; violated, the clusters violate such a "
        "judgement; moved, it is in another cluster than without judgements"
        + "".join(f"; {name}, {FLAGS.get(name, 'see above')}" for name in further)
        + "."
    ]
    if n_rows > MOST_ROWS:
        half = MOST_ROWS // 2
        mixed = np.argpartition(-mixedness(fit.U), half)[:half]
        rows = np.union1d(rows[:half], mixed)
        text.append(
            f"Of {n_rows:,} {fit.noun}s the table has {len(rows):,}: the first "
            f"{half:,}, and the {half:,} most mixed. All are in the file of "
            "memberships."
        )
    beside = [p.column for p in fit.profiles]
    named = {column.name for column in fit.columns if column.name in fit.table}
    beside = [str(name) for name in fit.table if str(name) not in named] + beside
    beside = beside[: min(MOST_BESIDE, MOST_CELLS // len(rows))]
    by_name = {str(name): name for name in fit.table}
    values = [
        [_spelled(value) for value in fit.table[by_name[name]].iloc[rows]]
        for name in beside
    ]
    called: Sequence[str | ItemCell] = [fit.names[row] for row in rows.tolist()]
    if fit.shown is not None:
        called, n_out = fit.shown.table_cells(rows.tolist())
        if n_out:
            text.append(
                f"The table shows {len(rows) - n_out:,} of {len(rows):,} pictures: the "
                "file would be too large for more."
            )
    second = runners_up(fit.U[rows])
    cells = zip(
        called,
        map(fit.tag, fit.labels[rows].tolist()),
        (f"{100 * sure:.1f} %" for sure in fit.certainty[rows]),
        ("" if k < 0 else fit.tag(k) for k in second.tolist()),
        flags[rows],
        *values,
        strict=True,
    )
    heads = [fit.noun, "cluster", "certainty", "runner-up", "flags", *beside]
    numbers = {c.name for c in fit.columns if c.kind == "number"}
    numeric = [2, *(at for at, name in enumerate(heads) if at > 4 and name in numbers)]
    table = Table(heads, [list(row) for row in cells], "", 0, numeric, filters=(1, 4))
    every = len(rows) == n_rows
    heading = f"All {fit.noun}s" if every else f"{fit.noun.capitalize()}s"
    return Section(heading, text, rows=table)


def _spelled(value: Any) -> str:
    if isinstance(value, float):
        return "" if np.isnan(value) else f"{value:.5g}"
    return "" if value is None or value is pd.NaT else cut(value)
