"""The page that `fuzzypairs fit` writes, and the curves of `fuzzypairs tune`."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from fuzzypairs.cluster.fdc import FDC
    from fuzzypairs.columns import ColumnRecord
    from fuzzypairs.pairs import PairSet

__all__ = ["plot_search", "write_fit_report"]


def plot_search(results: Mapping[str, Any], parameter: str, ax: "Axes") -> "Axes":
    """Show the best score for each value of a parameter."""
    import numpy as np

    best: dict[str, float] = {}
    for value, score in zip(
        results[f"param_{parameter}"], results["mean_test_score"], strict=True
    ):
        best[str(value)] = max(best.get(str(value), -np.inf), score)
    ax.plot(list(best), list(best.values()), marker="o")
    ax.set(xlabel=parameter, ylabel="score")
    return ax


def write_fit_report(
    path: Path,
    *,
    model: "FDC",
    X: "NDArray[np.float64]",
    table: "pd.DataFrame",
    pairs: "PairSet",
    ids: "NDArray[Any] | None",
    columns: "list[ColumnRecord]",
    options: dict[str, Any],
    seconds: float,
    truth: "NDArray[Any] | None" = None,
) -> None:
    """Write a fit as one page: clusters, judgements, columns, settings."""
    from fuzzypairs.plots import plot_memberships
    from fuzzypairs.report import Picture, Section, Table, write_report

    picture = Picture(
        plot_memberships(X, model.memberships_, pairs).figure,
        alt="All rows in the plane of their two main directions, by cluster.",
    )
    rows: list[list[str | float]] = [
        [c.name, c.kind, c.n_missing, c.n_features, c.treatment] for c in columns
    ]
    heads = ["column", "holds", "missing", "features", "what was done"]
    write_report(
        path,
        title="Clusters",
        lead=f"{len(X)} rows in {model.n_clusters_} clusters, {len(pairs)} judgements.",
        sections=[
            Section("Clusters", picture=picture),
            Section("Columns", tables=[Table(heads, rows)]),
            Section(
                "Settings",
                [f"It took {seconds:.1f} s."],
                tables=[Table(["", ""], [[k, str(v)] for k, v in options.items()])],
            ),
        ],
    )
