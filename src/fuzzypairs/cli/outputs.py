"""A fit of a user's file: in numbers, in files, and on the screen."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fuzzypairs import __version__
from fuzzypairs.cli.options import TableFormat
from fuzzypairs.cli.screen import on_screen

# Everything heavy is imported where it is used: --help and --version answer at once.
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from rich.console import Console

    from fuzzypairs.cluster.fdc import FDC
    from fuzzypairs.io.features import Preparation
    from fuzzypairs.io.tables import Items
    from fuzzypairs.pairs import PairSet
    from fuzzypairs.report import Table

__all__ = ["DECIMALS", "Result", "Task", "membership_columns", "read_task", "sizes"]

# Criteria of a truth, and how people call them.
CRITERIA = {
    "normalized_ari": "normalised ARI",
    "nmi": "NMI",
    "rand_index": "Rand index",
    "hungarian_accuracy": "accuracy",
}
# Of memberships in CSV.
DECIMALS = 6
# The most broken judgements that a summary lists.
MOST_BROKEN = 1000


@dataclass(frozen=True, eq=False)
class Task:
    """What a user wants clustered: rows, features made of them, judgements."""

    items: "Items"
    preparation: "Preparation"
    X: Any  # a frame, so that the model knows its features by name
    pairs: "PairSet"


def read_task(
    data: Path,
    pairs: Path | None,
    *,
    id_column: str | None,
    truth: str | None,
    drop: list[str] | None,
    scale: bool,
    n_clusters: int,
) -> Task:
    """Read and check everything that a user's files have to say."""
    import pandas as pd

    from fuzzypairs.io.tables import prepare, read_items, read_pairs
    from fuzzypairs.pairs import PairSet

    items = read_items(data, id_column=id_column, truth=truth, drop=drop or [])
    if n_clusters > items.n_rows:
        raise ValueError(
            f"--clusters is {n_clusters} but the number of rows of {data} is "
            f"{items.n_rows}: ask for fewer clusters"
        )
    judged = (
        PairSet.empty(items.n_rows)
        if pairs is None
        else read_pairs(pairs, items.n_rows, items.ids)
    )
    preparation, X = prepare(items, scale=scale)
    preparation.set_output(transform="pandas")
    names = preparation.get_feature_names_out()
    return Task(items, preparation, pd.DataFrame(X, columns=names), judged)


@dataclass(frozen=True, eq=False)
class Result:
    """A fit of a task.

    Attributes
    ----------
    task : Task
    model : FDC
        Fitted.
    seconds : dict of str to float
        How long it took to "read" and to "fit".
    notes : list of str
        What the fit had to say.
    further : mapping of str to object
        What else the summary tells.
    """

    task: Task
    model: "FDC"
    seconds: dict[str, float]
    notes: list[str] = field(default_factory=list)
    further: Mapping[str, Any] = field(default_factory=dict)

    @property
    def options(self) -> dict[str, Any]:
        """The settings of the model, and what "auto" came to."""
        used = {
            name: getattr(self.model, f"{name}_")
            for name in ("alpha", "beta", "metric")
            if hasattr(self.model, f"{name}_")
        }
        settings = self.model.get_params(deep=False) | used
        return {
            name: value
            for name, value in settings.items()
            if name not in ("n_jobs", "verbose") and value is not None
        }

    @cached_property
    def summary(self) -> dict[str, Any]:
        """What summary.json holds."""
        task, model = self.task, self.model
        return {
            "fuzzypairs": __version__,
            "data": str(task.items.path),
            "rows": task.items.n_rows,
            "features": task.X.shape[1],
            "id": task.items.id_column,
            "judgements": self._judgements(),
            "clusters": {
                "asked": model.n_clusters,
                "found": model.n_clusters_,
                "sizes": sizes(model.labels_, model.n_clusters_),
            },
            "mean_certainty": self._certainty(),
            "scores": self._scores(),
            "options": self.options,
            "objective": float(model.objective_),
            "n_iter": int(model.n_iter_),
            "converged": bool(model.converged_),
            **self.further,
            "columns": [asdict(column) for column in task.preparation.columns_],
            "notes": self.notes,
            "seconds": {step: round(t, 3) for step, t in self.seconds.items()},
        }

    def _certainty(self) -> float:
        from fuzzypairs.criteria import certainty

        return round(float(certainty(self.model.memberships_).mean()), 6)

    def _judgements(self) -> dict[str, Any]:
        """Count the judgements, and name those that the clusters break by ids."""
        import numpy as np

        from fuzzypairs.criteria import pair_agreement, pairs_held

        pairs, labels = self.task.pairs, self.model.labels_
        told = pairs.grade != 0
        held = pairs_held(pairs, labels)
        broken = np.flatnonzero(told & ~held)
        broken = broken[np.argsort(-abs(pairs.grade[broken]), kind="stable")]
        ids = self.task.items.ids
        ends = ("i", "j") if ids is None else ("a", "b")
        names = np.arange(pairs.n_samples) if ids is None else ids
        agreement = pair_agreement(pairs, labels)
        # What a robust fit left of each judgement.
        weights = getattr(self.model, "pair_reliability_", None)
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
                | ({} if weights is None else {"reliability": float(weights[n])})
                for n in broken[:MOST_BROKEN]
            ],
        }

    def _scores(self) -> dict[str, float] | None:
        """Score the labels of rows whose class is known."""
        import numpy as np

        from fuzzypairs import criteria

        truth = self.task.items.truth
        if truth is None:
            return None
        known = np.array([value is not None for value in truth])
        classes, labels = truth[known].astype(str), self.model.labels_[known]
        return {
            key: round(float(getattr(criteria, key)(classes, labels)), 6)
            for key in CRITERIA
        }

    def write(self, out: Path, fmt: TableFormat) -> None:
        """Write all files, or none."""
        from fuzzypairs.io.atomic import staging

        with staging(out) as folder:
            self.write_files(folder, fmt)

    def write_files(self, folder: Path, fmt: TableFormat) -> None:
        """Write all files of a fit to a folder."""
        from sklearn.pipeline import Pipeline

        from fuzzypairs.io.model_files import save
        from fuzzypairs.io.writing import write_table

        task, model = self.task, self.model
        write_table(
            folder / f"memberships.{fmt}",
            membership_columns(task.items.ids, model.labels_, model.memberships_),
            decimals=DECIMALS,
        )
        steps = [("preparation", task.preparation), ("fdc", model)]
        save(Pipeline(steps), folder / "model.skops")
        self._write_page(folder / "report.html")
        text = json.dumps(self.summary, indent=2) + "\n"
        (folder / "summary.json").write_text(text, encoding="utf-8")

    def _write_page(self, path: Path) -> None:
        from fuzzypairs.report import write_fit_report

        task = self.task
        write_fit_report(
            path,
            model=self.model,
            X=task.X.to_numpy(),
            table=task.items.features,
            pairs=task.pairs,
            ids=task.items.ids,
            columns=list(task.preparation.columns_),
            options=self.options,
            seconds=self.seconds["fit"],
            truth=task.items.truth,
        )

    def show(self, screen: "Console") -> None:
        """Print what a person wants to know first."""
        from rich.markup import escape

        told = self.summary
        judged, clusters = told["judgements"], told["clusters"]
        screen.print(on_screen(column_table(self.task.preparation)))
        screen.print(
            f"{told['rows']} rows, {told['features']} features, {judged['given']} "
            f"judgements ({judged['alike']} alike, {judged['unlike']} unlike, "
            f"{judged['cant_say']} can't say)"
        )
        screen.print(on_screen(self.cluster_table()))
        screen.print(
            f"{clusters['found']} of {clusters['asked']} clusters, alpha = "
            f"{told['options']['alpha']:.4g}, beta = {told['options']['beta']:.4g}, "
            f"metric {told['options']['metric']}"
        )
        if told["scores"] is not None:
            shares = (
                f"{name} {100 * told['scores'][key]:.1f} %"
                for key, name in CRITERIA.items()
            )
            screen.print(f"Against the true classes: {', '.join(shares)}")
        if judged["agreement"] is not None:
            screen.print(
                f"The clusters hold {judged['held']} of "
                f"{judged['given'] - judged['cant_say']} judgements."
            )
        for pair in judged["broken"][:5]:
            one, other, grade, *_ = pair.values()
            screen.print(escape(f"  broken: {one} and {other}, graded {grade:g}"))
        for note in self.notes:
            screen.print(f"[yellow]note:[/] {escape(note)}")

    def cluster_table(self) -> "Table":
        """Return the size and the certainty of each cluster."""
        from fuzzypairs.criteria import certainty
        from fuzzypairs.report import Table

        labels, sure = self.model.labels_, certainty(self.model.memberships_)
        rows: list[list[str | float]] = [
            [str(k), int(n), float(100 * sure[labels == k].mean()) if n else ""]
            for k, n in enumerate(self.summary["clusters"]["sizes"])
        ]
        return Table(["cluster", "rows", "certainty, %"], rows, "Clusters")


def column_table(preparation: "Preparation") -> "Table":
    """Return what became of each column."""
    from fuzzypairs.report import Table

    return Table(
        ["column", "holds", "missing", "features", "what was done"],
        [
            [c.name, c.kind, c.n_missing, c.n_features, c.treatment]
            for c in preparation.columns_
        ],
        "Columns",
    )


def membership_columns(
    ids: "NDArray[Any] | None",
    labels: "NDArray[np.intp]",
    memberships: "NDArray[np.float64]",
) -> dict[str, Any]:
    """Return a table of memberships: id or row, label, one column a cluster."""
    import numpy as np

    name = {"row": np.arange(len(labels))} if ids is None else {"id": ids}
    clusters = {f"cluster_{k}": column for k, column in enumerate(memberships.T)}
    return {**name, "label": labels, **clusters}


def sizes(labels: "NDArray[np.intp]", n_clusters: int) -> list[int]:
    """Return how many rows each cluster has."""
    import numpy as np

    counts: list[int] = np.bincount(labels, minlength=n_clusters).tolist()
    return counts
