"""All rows with their clusters: for the report, and for files of results."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fuzzypairs._typing import Floats, Ints, Labels, Mask
from fuzzypairs.criteria import certainty, pairs_held
from fuzzypairs.pairs import PairSet
from fuzzypairs.plots.mixtures import mixedness
from fuzzypairs.report.facts import MIXED, FitFacts
from fuzzypairs.report.html import Section, Table, cut
from fuzzypairs.report.item_cell import ItemCell
from fuzzypairs.tables.gaps import MOSTLY_MISSING

# Largest numbers of rows in the table, of columns of the data beside them, and of cells
# of the data: the page must stay small enough for a browser.
MOST_ROWS, MOST_BESIDE, MOST_CELLS = 20_000, 6, 40_000
# What flags mean that do not follow from memberships and judgements.
FLAGS = {MOSTLY_MISSING: "fewer than half of its values are known"}


def row_flags(
    memberships: Floats,
    pairs: PairSet | None = None,
    before: Floats | None = None,
    **further: Mask,
) -> NDArray[Any]:
    """Return what is worth knowing of each row in a few words.

    Parameters
    ----------
    pairs : PairSet, default=None
        The judgements of the fit.
    before : ndarray of shape (n_samples, n_clusters), default=None
        Memberships without judgements, with clusters numbered as in `memberships`.
    **further : ndarray of shape (n_samples,)
        Names of further flags, and the rows that have them.

    Returns
    -------
    flags : ndarray of shape (n_samples,)
        "mixed" (the second membership is at least half of the first), "judged",
        "violated" (in a judgement that the clusters violate) and "moved" (in another
        cluster than without judgements), separated by commas; "" for none.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzypairs import PairSet
    >>> from fuzzypairs.report.row_table import row_flags
    >>> U = np.array([[0.9, 0.1], [0.6, 0.4], [0.0, 1.0]])
    >>> row_flags(U, PairSet.from_triples([(0, 2, 0.5)], 3)).tolist()
    ['judged, violated', 'mixed', 'judged, violated']
    """
    n_rows, labels = len(memberships), memberships.argmax(axis=1)
    flags: dict[str, Mask] = {"mixed": mixedness(memberships) >= MIXED}
    if pairs is not None:
        violated = ~pairs_held(pairs, labels)
        for name, kept in (("judged", pairs.grade != 0), ("violated", violated)):
            flags[name] = np.zeros(n_rows, dtype=bool)
            flags[name][np.r_[pairs.i[kept], pairs.j[kept]]] = True
    if before is not None:
        flags["moved"] = before.argmax(axis=1) != labels
    flags |= further
    # The few combinations that occur are spelled once.
    codes = sum(mask.astype(np.int64) << bit for bit, mask in enumerate(flags.values()))
    spelled = [
        ", ".join(name for bit, name in enumerate(flags) if code >> bit & 1)
        for code in range(1 << len(flags))
    ]
    return np.asarray(np.array(spelled, dtype=object)[codes])


def result_columns(
    ids: NDArray[Any] | None,
    memberships: Floats,
    labels: Labels,
    flags: NDArray[Any],
    data: "pd.DataFrame | None" = None,
) -> dict[str, Any]:
    """Return the columns of a file of results.

    Parameters
    ----------
    ids : ndarray of shape (n_samples,) or None
        Names of the rows; None stands for their numbers.
    flags : ndarray of shape (n_samples,)
        Of `row_flags`.
    data : DataFrame of shape (n_samples, n_columns), default=None
        Columns to add as they are; one that is called like a column of the results is
        called "NAME (data)".

    Returns
    -------
    columns : dict of str to array of shape (n_samples,)
        id or row, label, certainty_percent, runner_up (the second cluster, missing if
        there is none), flags, a membership for each cluster, and the data.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzypairs.report.row_table import result_columns, row_flags
    >>> U = np.array([[0.9, 0.1], [0.0, 1.0]])
    >>> columns = result_columns(None, U, U.argmax(axis=1), row_flags(U))
    >>> list(columns)[:5]
    ['row', 'label', 'certainty_percent', 'runner_up', 'flags']
    >>> columns["certainty_percent"].round(1).tolist()
    [80.0, 100.0]
    """
    second = runners_up(memberships)
    found: dict[str, Any] = (
        {"row": np.arange(len(labels))} if ids is None else {"id": ids}
    )
    found |= {
        "label": labels,
        "certainty_percent": 100 * certainty(memberships),
        "runner_up": pd.arrays.IntegerArray(second, second < 0),
        "flags": flags,
    }
    found |= {f"cluster_{k}": column for k, column in enumerate(memberships.T)}
    if data is not None:
        for name in data:
            called = f"{name} (data)" if name in found else str(name)
            found[called] = data[name].to_numpy()
    return found


def runners_up(memberships: Floats) -> Ints:
    """Return the cluster of the second largest membership; -1 if there is none."""
    if memberships.shape[1] == 1:
        return np.full(len(memberships), -1)
    # Of equal memberships the first one is the label, as argmax has it.
    rest = memberships.copy()
    rest[np.arange(len(rest)), rest.argmax(axis=1)] = -1.0
    return np.where(rest.max(axis=1) > 0.0, rest.argmax(axis=1), -1)


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
            f"Of {n_rows:,} rows the table has {len(rows):,}: the first {half:,}, and "
            f"the {half:,} most mixed. All are in the file of memberships."
        )
    beside = [p.column for p in fit.profiles]
    if fit.items is not None:
        beside = list(map(str, fit.table))
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
    return Section("All rows" if len(rows) == n_rows else "Rows", text, rows=table)


def _spelled(value: Any) -> str:
    if isinstance(value, float):
        return "" if np.isnan(value) else f"{value:.5g}"
    return "" if value is None or value is pd.NaT else cut(value)
