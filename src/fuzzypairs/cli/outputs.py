"""A user's file as a task, and its fit: in numbers, in files, and on the screen.

This module imports what is slow to load: commands import it where they use it, so that
--help and --version answer at once.
"""

import json
import warnings
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from rich.console import Console
from rich.markup import escape
from sklearn.pipeline import Pipeline

from fuzzypairs import FDC, GuidedFDC, PairSet, __version__, criteria, save
from fuzzypairs._typing import Floats, Labels, Mask
from fuzzypairs.cli import screen
from fuzzypairs.cli.options import READING, TableFormat
from fuzzypairs.cluster.verdict import HeldOut, Verdict, assess
from fuzzypairs.exceptions import ReadingWarning
from fuzzypairs.report import Table, write_fit_report
from fuzzypairs.report.guidance import without_judgements
from fuzzypairs.report.row_table import result_columns, row_flags
from fuzzypairs.tables.features import Preparation
from fuzzypairs.tables.gaps import (
    MOSTLY_MISSING,
    labels_by,
    lower_certainty,
    mostly_missing,
)
from fuzzypairs.tables.pair_files import read_task_files
from fuzzypairs.tables.table_files import Items, prepare
from fuzzypairs.tables.writing import write_table
from fuzzypairs.threads import one_blas_thread

__all__ = [
    "FittedTask",
    "Task",
    "count_rows",
    "read_task",
    "write_json",
    "write_memberships",
]

# Criteria of a truth, and their names on the screen.
CRITERIA = {
    "normalized_ari": "normalised ARI",
    "nmi": "NMI",
    "rand_index": "Rand index",
    "hungarian_accuracy": "accuracy",
}
# The most violated judgements that a summary lists, and that the screen does.
MOST_BROKEN, SHOWN_BROKEN = 1000, 5


@dataclass(frozen=True, eq=False)
class Task:
    """What a user wants clustered: rows, features made of them, judgements."""

    items: Items
    preparation: Preparation
    X: Any  # a frame, so that the model knows its features by name
    pairs: PairSet
    n_clusters: int
    gappy: Mask  # rows that miss most values, see mostly_missing


def read_task(
    data: Path, pairs: Path | None, given: Mapping[str, Any], n_clusters: int | None
) -> Task:
    """Read and check a user's files; the truth gives n_clusters where it is None.

    The options of `READING` are taken from those `given`.
    """
    told = {name: given[name] for name in READING if given.get(name) is not None}
    scale = not told.pop("no_scale", False)
    about = {n: told.pop(n) for n in READING[4:8] if n in told}
    items, judged = read_task_files(data, pairs, text=about.get("category", ()), **told)
    truth = told.get("truth")
    k = n_clusters or _count_classes(items, truth)
    if k > items.n_rows:
        raise ValueError(
            f"--clusters is {k} but the number of rows of {data} is {items.n_rows}: "
            "ask for fewer clusters"
        )
    preparation, X = prepare(items, scale=scale, **about)
    for column in preparation.columns_:
        if not column.n_features or "words taken" in column.treatment:
            warnings.warn(
                f"column {column.name}: {column.treatment}",
                ReadingWarning,
                stacklevel=2,
            )
    units = [f"{c.name} ({c.unit})" for c in preparation.columns_ if c.unit]
    if units:
        warnings.warn(
            f"read as numbers with a unit: {', '.join(units)}; --category says "
            "otherwise",
            ReadingWarning,
            stacklevel=2,
        )
    preparation.set_output(transform="pandas")
    names = preparation.get_feature_names_out()
    gappy = mostly_missing(preparation, items.features)
    if n_flagged := int(gappy.sum()):
        warnings.warn(
            f"{n_flagged} rows miss most of their values: their certainty is lowered",
            ReadingWarning,
            stacklevel=2,
        )
    frame = pd.DataFrame(X, columns=names)
    return Task(items, preparation, frame, judged, k, gappy)


def _count_classes(items: Items, truth: str | None) -> int:
    """Return the number of classes, if the column of the truth can be classes."""
    if items.truth is None:
        raise ValueError("--clusters is missing: say how many, or name a --truth")
    n_classes = len({value for value in items.truth if value is not None})
    if not 1 < n_classes <= items.n_rows / 2:
        raise ValueError(
            f"--truth {truth} has {n_classes} different values in {items.n_rows} rows: "
            "expected classes; name another column, or give --clusters"
        )
    return n_classes


@dataclass(frozen=True, eq=False)
class FittedTask:
    """A task with the model fitted to it.

    Attributes
    ----------
    task : Task
    model : GuidedFDC or FDC
        Fitted.
    seconds : dict of str to float
        How long it took to "read" and to "fit".
    notes : list of str
        Warnings of the fit.
    further : mapping of str to object
        Further entries of the summary.
    """

    task: Task
    model: GuidedFDC | FDC
    seconds: dict[str, float]
    notes: list[str] = field(default_factory=list)
    further: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def memberships(self) -> Floats:
        """Memberships, in which rows with gaps are as sure as their values allow."""
        task, model = self.task, self.model
        judged = np.union1d(task.pairs.informative.i, task.pairs.informative.j)
        return lower_certainty(
            model, task.preparation, task.items.features, model.memberships_, judged
        )

    @cached_property
    def labels(self) -> Labels:
        """The cluster of each row, by `memberships`."""
        return labels_by(self.model, self.memberships)

    @property
    def options(self) -> dict[str, Any]:
        """The settings of the model: given back to `fit`, they give the same result."""
        settings = {"metric": "auto", **self.model.get_params(deep=False)}
        return {
            name: value
            for name, value in settings.items()
            if name not in ("n_jobs", "verbose") and value is not None
        }

    @property
    def used(self) -> dict[str, Any]:
        """The values that "auto" stands for in this fit."""
        metric = getattr(self.model, "metric_", self.options["metric"])
        alpha, beta = float(self.model.alpha_), float(self.model.beta_)
        return {"alpha": alpha, "beta": beta, "metric": metric}

    @property
    def verdict(self) -> Verdict:
        """What held-out judgements say of the fit."""
        if "chosen" in self.further:
            return cast(Verdict, self.further["chosen"])
        unknown = np.full(len(self.task.pairs), np.nan)
        none = HeldOut(self.task.pairs, unknown, unknown)
        return getattr(self.model, "verdict_", None) or assess(none)

    @cached_property
    def summary(self) -> dict[str, Any]:
        """What summary.json holds."""
        task, model = self.task, self.model
        certainty = criteria.certainty(self.memberships).mean()
        return {
            "fuzzypairs": __version__,
            "data": str(task.items.path),
            "rows": task.items.n_rows,
            "features": task.X.shape[1],
            "id": task.items.id_column,
            "verdict": asdict(self.verdict),
            "judgements": self._judgements(),
            "clusters": {
                "asked": model.n_clusters,
                "found": model.n_clusters_,
                "sizes": count_rows(self.labels, model.n_clusters_),
            },
            "mean_certainty": round(float(certainty), 6),
            "scores": self._scores(),
            "options": self.options,
            "used": self.used,
            "objective": float(model.objective_),
            "n_iter": int(model.n_iter_),
            "converged": bool(model.converged_),
            **{n: v for n, v in self.further.items() if n != "chosen"},
            "columns": [asdict(column) for column in task.preparation.columns_],
            "notes": self.notes,
            "seconds": {step: round(t, 3) for step, t in self.seconds.items()},
        }

    def _judgements(self) -> dict[str, Any]:
        """Count the judgements, and name those that the clusters violate by ids."""
        pairs, labels = self.task.pairs, self.labels
        told = pairs.grade != 0
        held = criteria.pairs_held(pairs, labels)
        broken = np.flatnonzero(told & ~held)
        broken = broken[np.argsort(-abs(pairs.grade[broken]), kind="stable")]
        ids = self.task.items.ids
        ends = ("i", "j") if ids is None else ("a", "b")
        names = np.arange(pairs.n_samples) if ids is None else ids
        agreement = criteria.pair_agreement(pairs, labels)
        # The weight that a robust fit leaves to each judgement.
        unknown = np.full(len(pairs), np.nan)
        weights = getattr(self.model, "pair_reliability_", unknown)
        return {
            "given": len(pairs),
            "alike": int(pairs.similar.sum()),
            "unlike": int(pairs.dissimilar.sum()),
            "cant_say": int((~told).sum()),
            "held": int((told & held).sum()),
            "agreement": None if np.isnan(agreement) else round(float(agreement), 6),
            "broken": [
                dict(zip(ends, names[[pairs.i[n], pairs.j[n]]].tolist(), strict=True))
                | {"grade": float(pairs.grade[n])}
                | ({} if np.isnan(weights[n]) else {"reliability": float(weights[n])})
                for n in broken[:MOST_BROKEN]
            ],
        }

    def _scores(self) -> dict[str, float] | None:
        """Score the labels of rows whose class is known."""
        truth = self.task.items.truth
        if truth is None:
            return None
        known = np.array([value is not None for value in truth])
        classes, labels = truth[known].astype(str), self.labels[known]
        return {
            key: round(float(getattr(criteria, key)(classes, labels)), 6)
            for key in CRITERIA
        }

    @cached_property
    def before(self) -> Floats | None:
        """Memberships without judgements; None if there are no judgements."""
        if not len(self.task.pairs.informative) or self.model.n_clusters_ < 2:
            return None
        with one_blas_thread():
            return without_judgements(self.model, self.task.X.to_numpy())

    def write(
        self,
        folder: Path,
        fmt: TableFormat,
        *,
        with_data: bool = False,
        tell: Callable[[str], object] = str,
    ) -> None:
        """Write all files of a fit to a folder; `tell` is given the name of each."""
        task, model = self.task, self.model
        tell(f"memberships.{fmt}")
        flagged = {MOSTLY_MISSING: task.gappy} if task.gappy.any() else {}
        write_memberships(
            folder / f"memberships.{fmt}",
            task.items.ids,
            self.memberships,
            self.labels,
            flags=row_flags(self.memberships, task.pairs, self.before, **flagged),
            data=task.items.features.join(task.items.others) if with_data else None,
        )
        steps = [("preparation", task.preparation), ("fdc", model)]
        tell("model.skops")
        save(Pipeline(steps), folder / "model.skops")
        tell("report.html")
        write_fit_report(
            folder / "report.html",
            model=model,
            X=task.X.to_numpy(),
            table=task.items.features,
            pairs=task.pairs,
            ids=task.items.ids,
            columns=list(task.preparation.columns_),
            options=self.options | self.used,
            seconds=self.seconds["fit"],
            truth=task.items.truth,
            source=task.items.path.name,
            notes=self.notes,
            before=self.before,
            memberships=self.memberships,
            verdict=self.verdict if len(task.pairs) else None,
            flagged=flagged,
        )
        write_json(folder / "summary.json", self.summary)

    def show(self, terminal: Console) -> None:
        """Print what a person wants to know first."""
        told = self.summary
        judged, clusters = told["judgements"], told["clusters"]
        if judged["given"]:
            screen.print_verdict(terminal, self.verdict.sentences)
        screen.print_notes(terminal, self.notes)
        terminal.print(screen.as_table(_column_table(self.task.preparation)))
        terminal.print(
            f"{told['rows']} rows, {told['features']} features, {judged['given']} "
            f"judgements ({judged['alike']} alike, {judged['unlike']} unlike, "
            f"{judged['cant_say']} can't say)"
        )
        terminal.print(screen.as_table(self._cluster_table()))
        terminal.print(
            f"{clusters['found']} of {clusters['asked']} clusters, alpha = "
            f"{self.used['alpha']:.4g}, beta = {self.used['beta']:.4g}, "
            f"metric {self.used['metric']}"
        )
        if told["scores"] is not None:
            shares = (
                f"{name} {100 * told['scores'][key]:.1f} %"
                for key, name in CRITERIA.items()
            )
            terminal.print(f"Against the true classes: {', '.join(shares)}")
        if judged["agreement"] is not None:
            terminal.print(
                f"The clusters satisfy {judged['held']} of "
                f"{judged['given'] - judged['cant_say']} judgements."
            )
        for pair in judged["broken"][:SHOWN_BROKEN]:
            one, other, grade, *_ = pair.values()
            terminal.print(escape(f"  violated: {one} and {other}, graded {grade:g}"))
        if "tuning" in told:
            terminal.print(escape(told["tuning"]["reason"]))
        if "command" in told:
            terminal.print(escape(f"The same again: {told['command']}"))

    def _cluster_table(self) -> Table:
        """Return the size and the certainty of each cluster."""
        labels, sure = self.labels, criteria.certainty(self.memberships)
        rows: list[list[str | float]] = [
            [str(k), int(n), float(100 * sure[labels == k].mean()) if n else ""]
            for k, n in enumerate(self.summary["clusters"]["sizes"])
        ]
        return Table(["cluster", "rows", "certainty, %"], rows, "Clusters")


def _column_table(preparation: Preparation) -> Table:
    """Return what was done to each column."""
    heads = ["column", "holds", "missing", "features", "what was done"]
    rows: list[list[str | float]] = [
        [c.name, c.kind, c.n_missing, c.n_features, c.treatment]
        for c in preparation.columns_
    ]
    return Table(heads, rows, "Columns")


def write_memberships(
    path: Path,
    ids: NDArray[Any] | None,
    memberships: Floats,
    labels: Labels,
    *,
    flags: NDArray[Any] | None = None,
    data: pd.DataFrame | None = None,
) -> None:
    """Write a table of rows with their clusters; see `result_columns`."""
    told = row_flags(memberships) if flags is None else flags
    columns = result_columns(ids, memberships, labels, told, data)
    write_table(path, columns, decimals=6)


def write_json(path: Path, summary: dict[str, Any]) -> None:
    """Write what --json prints to a file."""
    path.write_text(json.dumps(summary, indent=2) + "\n", encoding="utf-8")


def count_rows(labels: Labels, n_clusters: int) -> list[int]:
    """Return the number of rows in each cluster."""
    counts: list[int] = np.bincount(labels, minlength=n_clusters).tolist()
    return counts
