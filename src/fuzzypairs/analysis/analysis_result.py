"""What comes out of an analysis: a model with what it says of rows and judgements."""

import json
import tempfile
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import asdict, dataclass, field
from functools import cached_property
from html import escape
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fuzzypairs import PairSet, __version__, criteria
from fuzzypairs._typing import Floats, Labels, Show
from fuzzypairs.analysis.fit_rows import (
    Choice,
    number_of,
    settings_of,
    solution_of,
    unguided_of,
    verdict_of,
)
from fuzzypairs.analysis.result_columns import (
    result_columns,
    row_flags,
    write_memberships,
)
from fuzzypairs.analysis.rows import Rows, tell_nobody
from fuzzypairs.cluster.verdict import Verdict
from fuzzypairs.tables.atomic import staging
from fuzzypairs.tables.gaps import labels_by

__all__ = [
    "CRITERIA",
    "Page",
    "Result",
    "judgement_summary",
    "violated_judgements",
    "write_json",
]

# Criteria of a truth, and their names on the screen.
CRITERIA = {
    "normalized_ari": "normalised ARI",
    "nmi": "NMI",
    "rand_index": "Rand index",
    "hungarian_accuracy": "accuracy",
}
# The most violated judgements that a summary lists.
MOST_BROKEN = 1000


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """Rows with the model that was fitted to them.

    Attributes
    ----------
    rows : Rows
        What went in.
    model : GuidedFDC or FDC
        Fitted.
    choice : Choice or None
        How the number of clusters was chosen, if it was.
    seconds : mapping of str to float
        How long it took to "read" and to "fit".
    notes : sequence of str
        Warnings of the reading and of the fit.
    command : str
        The command that gives the same again; "" if there is none.
    cluster_names : sequence of str
        What people call the clusters; empty if they have only numbers.

    See Also
    --------
    fuzzypairs.analyse : Returns it.
    """

    rows: Rows
    model: Any
    choice: Choice | None = None
    seconds: Mapping[str, float] = field(default_factory=dict)
    notes: Sequence[str] = ()
    command: str = ""
    cluster_names: Sequence[str] = ()

    def __post_init__(self) -> None:
        k = self.model.n_clusters_
        if len(self.cluster_names) not in (0, k):
            raise ValueError(
                f"cluster_names are {len(self.cluster_names)}, but there are {k} "
                "clusters: expected a name for each"
            )

    @cached_property
    def membership_matrix(self) -> Floats:
        """Memberships, (n_rows, n_clusters); with gaps as sure as values allow."""
        return self.rows.lower_certainty(self.model, self.model.memberships_)

    @cached_property
    def labels(self) -> Labels:
        """The cluster of each row, (n_rows,)."""
        return labels_by(self.model, self.membership_matrix)

    @property
    def uses_pairs(self) -> bool:
        """Whether the model was fitted with the judgements, if there are any."""
        return self.choice is None or self.choice.uses_pairs

    @cached_property
    def unguided(self) -> Floats | None:
        """Memberships without judgements; None if the model used none."""
        used = self.uses_pairs and len(self.rows.pairs.informative)
        if not used or self.model.n_clusters_ < 2:
            return None
        return unguided_of(self.model, self.rows.X.to_numpy(), self.model.memberships_)

    @property
    def verdict(self) -> Verdict:
        """What held-out judgements say of the result."""
        if self.choice is not None and self.choice.verdict is not None:
            return self.choice.verdict
        return verdict_of(self.model, self.rows.pairs)

    @cached_property
    def flags(self) -> NDArray[Any]:
        """What is worth knowing of each row; see `row_flags`."""
        return row_flags(
            self.membership_matrix, self.rows.pairs, self.unguided, **self.rows.flagged
        )

    @property
    def memberships(self) -> pd.DataFrame:
        """A table of rows by name: label, certainty, runner-up, flags, memberships."""
        columns = result_columns(
            self.rows.ids, self.membership_matrix, self.labels, self.flags,
            names=self.cluster_names,
        )  # fmt: skip
        return pd.DataFrame(columns).set_index(next(iter(columns)))

    @cached_property
    def violated(self) -> pd.DataFrame:
        """Judgements that the clusters violate, the strongest first.

        Columns a, b (names of rows), grade, of several judges the annotator and, if
        the model has estimated it, reliability.
        """
        return violated_judgements(
            self.rows.pairs, self.labels, self.rows.ids,
            getattr(self.model, "pair_reliability_", None),
        )  # fmt: skip

    @cached_property
    def summary(self) -> dict[str, Any]:
        """What summary.json holds."""
        rows, model = self.rows, self.model
        solution = solution_of(model)
        found: dict[str, Any] = {
            "fuzzypairs": __version__,
            "data": str(rows.source.path),
            "rows": rows.n_rows,
            "items": rows.kind,
            "features": rows.X.shape[1],
            "id": rows.source.id_column,
            "verdict": asdict(self.verdict),
            "judgements": judgement_summary(rows.pairs, self.labels, self.violated),
            "clusters": cluster_summary(
                self.membership_matrix, self.labels, number_of(model)
            ),
            "mean_certainty": round(
                float(criteria.certainty(self.membership_matrix).mean()), 6
            ),
            "scores": self._scores(),
            "options": settings_of(model),
            **solution,
            "columns": [asdict(column) for column in rows.columns],
            "notes": list(self.notes),
            "seconds": {step: round(t, 3) for step, t in self.seconds.items()},
        }
        if self.cluster_names:
            found["clusters"]["names"] = list(self.cluster_names)
        if self.choice is not None:
            choice = {"chosen_by": self.choice.by, "reason": self.choice.reason}
            found["tuning"] = choice | dict(self.choice.details)
        return found | ({"command": self.command} if self.command else {})

    def _scores(self) -> dict[str, float] | None:
        """Score the labels of rows whose class is known."""
        truth = self.rows.source.truth
        if truth is None:
            return None
        known = np.array([value is not None for value in truth])
        classes, labels = truth[known].astype(str), self.labels[known]
        return {
            key: round(float(getattr(criteria, key)(classes, labels)), 6)
            for key in CRITERIA
        }

    def save(
        self,
        folder: str | PathLike[str],
        *,
        format: str = "csv",
        with_data: bool = False,
        progress: Show = tell_nobody,
    ) -> None:
        """Write memberships, model, report and summary to a folder, all or nothing.

        Parameters
        ----------
        folder : path
            Files of the same names are replaced, others stay.
        format : {"csv", "xlsx", "parquet"}, default="csv"
            Of the memberships.
        with_data : bool, default=False
            Whether to add the columns of the data to the memberships.
        progress : callable, default=tell_nobody
        """
        with staging(Path(folder)) as new:
            self.write(new, format=format, with_data=with_data, progress=progress)

    def write(
        self,
        folder: Path,
        *,
        format: str = "csv",
        with_data: bool = False,
        progress: Show = tell_nobody,
    ) -> None:
        """Write the files of `save` to a folder as it is."""
        rows, table = self.rows, f"memberships.{format}"
        progress(f"writing {table}", 0, 3)
        write_memberships(
            folder / table, rows.ids, self.membership_matrix, self.labels,
            flags=self.flags,
            data=rows.table.join(rows.source.others) if with_data else None,
            names=self.cluster_names,
        )  # fmt: skip
        progress("writing model.skops", 1, 3)
        self.write_model(folder / "model.skops")
        progress("writing report.html", 2, 3)
        self.write_report(folder / "report.html")
        write_json(folder / "summary.json", self.summary)
        progress("done", 3, 3)

    def write_model(self, path: Path) -> None:
        """Write what `fuzzypairs predict` needs: preparation and model."""
        from sklearn.pipeline import Pipeline

        from fuzzypairs import save

        model = copy(self.model)
        if self.cluster_names:
            model.cluster_names_ = list(self.cluster_names)
        save(Pipeline([("preparation", self.rows.preparation), ("fdc", model)]), path)

    def write_report(self, path: Path, source: str = "") -> None:
        """Write the report as a single HTML file."""
        from fuzzypairs.report import write_fit_report

        rows = self.rows
        write_fit_report(
            path,
            model=self.model,
            X=rows.X.to_numpy(),
            table=rows.table,
            pairs=rows.pairs,
            ids=rows.ids,
            columns=list(rows.columns),
            options=self.summary["options"] | self.summary.get("used", {}),
            seconds=self.seconds.get("fit", 0.0),
            truth=rows.source.truth,
            source=source or rows.name,
            notes=self.notes,
            uses_pairs=self.uses_pairs,
            before=self.unguided,
            memberships=self.membership_matrix,
            verdict=self.verdict if len(rows.pairs) else None,
            flagged=rows.flagged,
            items=rows.items,
            cluster_names=self.cluster_names or None,
        )

    def report(self) -> "Page":
        """Return the report, which shows itself in a notebook."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "report.html"
            self.write_report(path)
            return Page(path.read_text(encoding="utf-8"))

    def __repr__(self) -> str:
        """Return what it is in a line: the rows, the judgements and the clusters."""
        sizes = ", ".join(map(str, self.summary["clusters"]["sizes"]))
        return f"<Result: {self.rows!r}; clusters of {sizes}>"

    def _repr_html_(self) -> str:
        """Return what notebooks show: the verdict, the clusters and the first rows."""
        sizes = ", ".join(map(str, self.summary["clusters"]["sizes"]))
        said = [f"{self.rows.n_rows} rows in clusters of {sizes}."]
        said += [f"Note: {note}" for note in self.notes]
        text = "".join(f"<p>{escape(sentence)}</p>" for sentence in said)
        verdict = self.verdict._repr_html_() if len(self.rows.pairs) else ""
        return verdict + text + self.memberships.head(10).to_html()


class Page(str):
    """The text of an HTML page, which notebooks show in a frame."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        style = "width: 100%; height: 40em; border: 0"
        return f'<iframe srcdoc="{escape(self)}" style="{style}"></iframe>'


def violated_judgements(
    pairs: PairSet, labels: Labels, ids: Any, reliability: Any = None
) -> pd.DataFrame:
    """Return the judgements that clusters violate; see `Result.violated`."""
    told = pairs.grade != 0
    broken = np.flatnonzero(told & ~criteria.pairs_held(pairs, labels))
    broken = broken[np.argsort(-abs(pairs.grade[broken]), kind="stable")]
    names = np.arange(pairs.n_samples) if ids is None else ids
    table = pd.DataFrame(
        {
            "a": names[pairs.i[broken]],
            "b": names[pairs.j[broken]],
            "grade": pairs.grade[broken],
        }
    )
    if len(pairs.judge_names) > 1:
        table["annotator"] = np.array(pairs.judge_names)[pairs.judges[broken]]
    if reliability is not None and len(reliability) == len(pairs):
        table["reliability"] = np.asarray(reliability)[broken]
    return table.rename(columns={"a": "i", "b": "j"}) if ids is None else table


def judgement_summary(
    pairs: PairSet, labels: Labels, violated: pd.DataFrame
) -> dict[str, Any]:
    """Count judgements, and list those that the clusters violate."""
    told = pairs.grade != 0
    agreement = criteria.pair_agreement(pairs, labels)
    broken = violated.head(MOST_BROKEN).to_dict("records")
    return {
        "given": len(pairs),
        "alike": int(pairs.similar.sum()),
        "unlike": int(pairs.dissimilar.sum()),
        "cant_say": int((~told).sum()),
        "held": int(told.sum()) - len(violated),
        "agreement": None if np.isnan(agreement) else round(float(agreement), 6),
        # JSON has no NaN: the reliability of what was not held out.
        "broken": [{n: v for n, v in one.items() if v == v} for one in broken],
    }


def cluster_summary(U: Floats, labels: Labels, asked: int) -> dict[str, Any]:
    """Return how many clusters there are, their sizes and their mean certainty."""
    k, sure = U.shape[1], criteria.certainty(U)
    sizes = np.bincount(labels, minlength=k)
    sums = np.bincount(labels, sure, minlength=k)
    means = [float(s / n) if n else None for s, n in zip(sums, sizes, strict=True)]
    return {
        "asked": asked,
        "found": k,
        "sizes": sizes.tolist(),
        "certainty": [None if mean is None else round(mean, 6) for mean in means],
    }


def write_json(path: Path, summary: Mapping[str, Any]) -> None:
    """Write what --json prints to a file."""
    path.write_text(json.dumps(summary, indent=2) + "\n", encoding="utf-8")
