"""The page about one fit: facts, then sections, then the page."""

import os
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from fuzzypairs import __version__
from fuzzypairs._typing import Floats, Mask
from fuzzypairs.analysis.fit_rows import number_of, solution_of, unguided_of
from fuzzypairs.analysis.result_columns import row_flags
from fuzzypairs.cluster.verdict import Verdict
from fuzzypairs.criteria import nmi, normalized_ari
from fuzzypairs.criteria.inputs import as_memberships
from fuzzypairs.items import ItemSet
from fuzzypairs.pairs import PairSet
from fuzzypairs.plots import plot_objective
from fuzzypairs.plots.style import memberships_of
from fuzzypairs.report.clusters import cluster_sections
from fuzzypairs.report.facts import ABREAST, MOST_COLUMNS, FitFacts
from fuzzypairs.report.guidance import (
    banner_of,
    certainty_section,
    guidance_sections,
)
from fuzzypairs.report.html import (
    Picture,
    Section,
    Table,
    counted,
    cut,
    percent,
    write_report,
)
from fuzzypairs.report.judgements import judgement_section
from fuzzypairs.report.row_table import rows_section
from fuzzypairs.tables.features import ColumnRecord
from fuzzypairs.validation import check_number, naming, read_array

if TYPE_CHECKING:
    import pandas as pd

LIBRARIES = ("numpy", "scipy", "scikit-learn", "pandas")
# Below this mean certainty memberships are nearly equal.
FLAT = 0.05


def write_fit_report(
    path: str | os.PathLike[str],
    *,
    model: Any,
    X: ArrayLike,
    table: "pd.DataFrame",
    pairs: Any,
    ids: ArrayLike | None,
    columns: Sequence[ColumnRecord],
    options: Mapping[str, object],
    seconds: float,
    truth: ArrayLike | None = None,
    source: str | None = None,
    notes: Sequence[str] = (),
    uses_pairs: bool = True,
    before: Floats | None = None,
    memberships: Floats | None = None,
    verdict: Verdict | None = None,
    flagged: Mapping[str, Mask] | None = None,
    items: ItemSet | None = None,
    cluster_names: Sequence[str] | None = None,
) -> None:
    """Write the report of a fit as a single HTML file.

    Parameters
    ----------
    path : str or path-like
        The file to write. It appears complete or not at all.
    model : FDC
        The fitted model.
    X : array-like of shape (n_samples, n_features)
        The matrix it was fitted to.
    table : DataFrame of shape (n_samples, n_columns)
        The data as the user gave them, without ids and truth.
    pairs : PairSet or what `PairSet.coerce` accepts
        The judgements of the fit.
    ids : array-like of shape (n_samples,) or None
        Names of the rows; None stands for their numbers.
    columns : sequence of ColumnRecord
        What was done to each column of `table`.
    options : mapping of str to object
        Settings to list.
    seconds : float
        Duration of the fit.
    truth : array-like of shape (n_samples,), default=None
        True classes; rows where they are missing are not scored.
    source : str, default=None
        What the data are called, such as the name of their file.
    notes : sequence of str, default=()
        Warnings of the fit.
    uses_pairs : bool, default=True
        Whether the model was fitted with the judgements.
    before : ndarray of shape (n_samples, n_clusters), default=None
        Memberships without judgements, with clusters numbered as in the model. None:
        they are fitted if there are judgements.
    memberships : ndarray of shape (n_samples, n_clusters), default=None
        What to report of rows, as `lower_certainty` returns; None: ``memberships_``.
    verdict : Verdict, default=None
        What held-out judgements say; None: ``verdict_`` of the model, if it has one.
    flagged : mapping of str to ndarray of shape (n_samples,), default=None
        Names of further flags of rows, and which rows have them.
    items : ItemSet, default=None
        Pictures, texts or embeddings that the rows are: they are shown. `table` then
        has the columns beside them.
    cluster_names : sequence of str, default=None
        What people call the clusters.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import pandas as pd
    >>> from fuzzypairs import FDC
    >>> from fuzzypairs.tables.features import Preparation
    >>> from fuzzypairs.report import write_fit_report
    >>> frame = pd.DataFrame({"acid": [1.0, 1.2, 6.0, 6.3], "soil": list("aabb")})
    >>> preparation = Preparation().fit(frame)
    >>> X, pairs = preparation.transform(frame), [(0, 1, 0.9)]
    >>> model = FDC(n_clusters=2, random_state=0).fit(X, pairs=pairs)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "report.html"
    ...     write_fit_report(path, model=model, X=X, table=frame, pairs=pairs,
    ...                      ids=None, columns=preparation.columns_,
    ...                      options={"clusters": 2}, seconds=0.01)
    ...     "4 rows in 2 clusters" in path.read_text(encoding="utf-8")
    True
    """
    n_samples = len(memberships_of(model))
    data = read_array("X", X)
    seconds = check_number("seconds", seconds, 0.0)
    given: dict[str, Any] = {"X": data, "table": table, "ids": ids, "truth": truth}
    shares = {"before": before, "memberships": memberships}
    for name, rows in (given | shares).items():
        if rows is None or (name == "table" and items is not None and rows.empty):
            continue
        with naming(name):
            n_rows = len(as_memberships(name, rows) if name in shares else rows)
        if n_rows != n_samples:
            raise ValueError(
                f"{name} has {n_rows} rows but the model was fitted to {n_samples}"
            )
    with naming("columns"):
        columns = list(columns)
    with naming("notes"):
        notes = list(notes)
    with naming("options"):
        options = dict(options)
    judged = PairSet.coerce(pairs, n_samples)
    is_guided = uses_pairs and len(judged.informative) > 0 and model.n_clusters_ > 1
    if is_guided and before is None:
        before = unguided_of(model, data, memberships_of(model))
    fit = FitFacts(
        model,
        data,
        table,
        judged,
        Names(range(n_samples) if ids is None else np.asarray(ids)),
        columns,
        None if truth is None else np.asarray(truth, dtype=object),
        memberships_of(model) if memberships is None else memberships,
        before if is_guided else None,
        items,
        cluster_names,
    )
    found = f"{counted(n_samples, fit.noun)} in {counted(len(fit.sizes), 'cluster')}"
    trust = certainty_section(fit)
    guidance = guidance_sections(fit) if is_guided else []
    clusters = cluster_sections(fit)
    flags = row_flags(fit.U, judged, fit.before, **(flagged or {}))
    write_report(
        path,
        title=found if source is None else f"{cut(source)}: {found}",
        lead=" ".join(_findings(fit)),
        banner=banner_of(verdict or getattr(model, "verdict_", None), list(notes)),
        sections=[
            *(clusters if items is not None else guidance),
            *(guidance if items is not None else clusters),
            rows_section(fit, flags, list(flagged or ())),
            *([judgement_section(fit)] if len(fit.pairs) else []),
            *([] if trust is None else [trust]),
            _method_section(fit, options, seconds),
        ],
    )


class Names(Sequence[str]):
    """Rows by name, cut when asked for: there may be a million of them."""

    def __init__(self, ids: Any) -> None:
        self.ids = ids

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, row: Any) -> Any:
        return cut(self.ids[row])


def _findings(fit: FitFacts) -> list[str]:
    """Return what was found in sentences, the most important first."""
    said = [_describe_sizes(fit)]
    if len(fit.sizes) > 1:
        said.append(_describe_mixed(fit))
    said.append(_describe_judgements(fit))
    if fit.truth is not None:
        said.append(_describe_scores(fit))
    if len(fit.sizes) > 1 and fit.certainty.mean() < FLAT:
        said.append(
            f"Nearly all {fit.noun}s belong to all clusters equally, so the clusters "
            "mean little: raise alpha, or ask for fewer clusters."
        )
    if not solution_of(fit.model).get("converged", True):
        said.append("The fit had not converged when it stopped: raise max_iter.")
    return said


def _describe_sizes(fit: FitFacts) -> str:
    k, asked = len(fit.sizes), number_of(fit.model)
    rows = f"{fit.noun}s"
    bound = f" (at most {asked} were asked for)" if k < asked else ""
    if k == 1:
        return f"All {len(fit.U):,} {rows} are in one cluster{bound}."
    least, most = min(fit.sizes), max(fit.sizes)
    if k <= ABREAST:
        sizes = f"{_joined([f'{size:,}' for size in fit.sizes])} {rows}"
    else:
        sizes = f"{least:,} " + (
            f"to {most:,} {rows}" if most > least else f"{rows} each"
        )
    apart = [f"“{column}”" for column in fit.leading]
    by = f" They differ most in {_joined(apart)}." if apart else ""
    return f"The {k} clusters{bound} have {sizes}.{by}"


def _describe_mixed(fit: FitFacts) -> str:
    if not len(fit.mixed):
        return (
            f"No {fit.noun} is mixed: all belong to their first cluster more than "
            "twice as much as to any other."
        )
    return (
        f"{counted(len(fit.mixed), f'{fit.noun} is', f'{fit.noun}s are')} mixed: the "
        "second cluster has at least half the membership of the first."
    )


def _describe_judgements(fit: FitFacts) -> str:
    n_judged, n_broken = fit.n_judged, fit.n_broken
    if not n_judged:
        return "There were no judgements, so the clusters follow the data alone."
    if n_judged == 1:
        said = f"The one judgement is {'violated' if n_broken else 'satisfied'}."
    elif not n_broken:
        said = f"All {n_judged:,} judgements are satisfied."
    else:
        n_held = n_judged - n_broken
        said = (
            f"Of {n_judged:,} judgements {n_held:,} are satisfied and {n_broken:,} "
            "violated."
        )
    if triangles := fit.contradictions[0]:
        said += f" {counted(len(triangles), 'triple')} of judgements cannot all hold."
    return said


def _describe_scores(fit: FitFacts) -> str:
    classes, labels = fit.classes
    if not len(classes):
        return "The column of true classes is empty."
    return (
        "Against the true classes the normalised ARI is "
        f"{percent(normalized_ari(classes, labels))} and the NMI "
        f"{percent(nmi(classes, labels))}."
    )


def _joined(words: Sequence[str]) -> str:
    """Return words with commas, and "and" before the last."""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def _method_section(
    fit: FitFacts, options: Mapping[str, object], seconds: float
) -> Section:
    took = f"{seconds:.2g}" if seconds < 10 else f"{seconds:,.0f}"
    said, solution, pictures = "", solution_of(fit.model), []
    if solution:
        end = "converged" if solution["converged"] else "stopped"
        used, history = solution["used"], fit.model.objective_history_
        said = (
            f"The best of the starts {end} after {counted(solution['n_iter'], 'pass')} "
            f"over the data, with alpha = {used['alpha']:.4g} and beta = "
            f"{used['beta']:.4g}, at an objective of {solution['objective']:.6g}. "
        )
        pictures = [
            Picture(
                plot_objective(history).figure,
                alt=f"The objective goes from {history[0]:.5g} to {history[-1]:.5g}.",
                caption="The objective, iteration by iteration, in the best start. It "
                "rises only where a cluster vanishes.",
            )
        ]
    settings: list[list[str | float]] = [
        [name, cut(value)] for name, value in options.items()
    ]
    columns: list[list[str | float]] = [
        [c.name, c.kind, c.n_missing, c.n_features, c.treatment] for c in fit.columns
    ]
    return Section(
        "How this was made",
        [
            f"{said}The fit took {took} seconds.",
            f"fuzzypairs {__version__}, Python {platform.python_version()}, "
            + ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
            + ".",
        ],
        pictures,
        [
            Table(["setting", "value"], settings, "Settings").first(),
            Table(
                ["column", "kind", "missing", "features", "what was done"],
                columns,
                "Columns",
            ).first(MOST_COLUMNS),
        ],
    )
