"""The page about one fit."""

import os
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_array

from fuzzypairs import __version__
from fuzzypairs.io.features import ColumnRecord
from fuzzypairs.pairs import PairSet
from fuzzypairs.plots import plot_objective
from fuzzypairs.plots.style import memberships_of
from fuzzypairs.report.clusters import cluster_sections
from fuzzypairs.report.facts import MOST_COLUMNS, Fit
from fuzzypairs.report.html import Picture, Section, cut, short_table, write_report
from fuzzypairs.report.judgements import judgement_section
from fuzzypairs.report.sentences import counted, findings

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["write_fit_report"]

LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba", "pandas")


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
) -> None:
    """Write what a fit found as one HTML file.

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
        What rows are called; None calls them by their numbers.
    columns : sequence of ColumnRecord
        What became of each column of `table`.
    options : mapping of str to object
        Settings to print.
    seconds : float
        How long the fit took.
    truth : array-like of shape (n_samples,), default=None
        True classes; rows where they are missing are not scored.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import pandas as pd
    >>> from fuzzypairs import FDC
    >>> from fuzzypairs.io.features import Preparation
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
    data = check_array(X)
    given: dict[str, Any] = {"X": data, "table": table, "ids": ids, "truth": truth}
    for name, rows in given.items():
        if rows is not None and len(rows) != n_samples:
            raise ValueError(
                f"{name} has {len(rows)} rows but the model was fitted to {n_samples}"
            )
    names = np.arange(n_samples) if ids is None else np.asarray(ids)
    fit = Fit(
        model,
        data,
        table,
        PairSet.coerce(pairs, n_samples),
        [cut(str(name)) for name in names.tolist()],
        columns,
        None if truth is None else np.asarray(truth, dtype=object),
    )
    write_report(
        path,
        title=f"{n_samples:,} rows in {counted(len(fit.sizes), 'cluster')}",
        lead=" ".join(findings(fit)),
        sections=[
            *cluster_sections(fit),
            *([judgement_section(fit)] if len(fit.pairs) else []),
            _making(fit, options, seconds),
        ],
    )


def _making(fit: Fit, options: Mapping[str, object], seconds: float) -> Section:
    """Return the section that tells how the fit was made."""
    model = fit.model
    history = model.objective_history_
    end = "converged" if model.converged_ else "stopped"
    took = f"{seconds:.2g}" if seconds < 10 else f"{seconds:,.0f}"
    return Section(
        "How this was made",
        [
            f"The best of the starts {end} after {counted(model.n_iter_, 'pass')} "
            f"over the data, with alpha = {model.alpha_:.4g} and beta = "
            f"{model.beta_:.4g}, at an objective of {model.objective_:.6g}. "
            f"The fit took {took} seconds.",
            f"fuzzypairs {__version__}, Python {platform.python_version()}, "
            + ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
            + ".",
        ],
        Picture(
            plot_objective(history).figure,
            alt=f"The objective goes from {history[0]:.5g} to {history[-1]:.5g}.",
            caption="The objective, iteration by iteration, in the best start. It "
            "rises only where a cluster vanishes.",
        ),
        [
            short_table(
                ["setting", "value"],
                [[name, cut(str(value))] for name, value in options.items()],
                "Settings",
            ),
            short_table(
                ["column", "kind", "missing", "features", "what was done"],
                [
                    [
                        column.name,
                        column.kind,
                        column.n_missing,
                        column.n_features,
                        column.treatment,
                    ]
                    for column in fit.columns
                ],
                "Columns",
                MOST_COLUMNS,
            ),
        ],
    )
