"""The page about one fit: clusters, mixed rows, judgements, and how it was made."""

import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array

from fuzzypairs import criteria
from fuzzypairs._version import __version__
from fuzzypairs.columns import ColumnRecord
from fuzzypairs.pairs import PairSet
from fuzzypairs.plots import (
    most_mixed,
    plot_judgements,
    plot_memberships,
    plot_mixtures,
    plot_objective,
    shared_membership,
)
from fuzzypairs.plots.mixtures import mixedness
from fuzzypairs.plots.style import color_of, glyph_of, memberships_of
from fuzzypairs.report.page import (
    Card,
    Picture,
    Section,
    Table,
    percent,
    short_table,
    write_report,
)
from fuzzypairs.report.tensions import Contradictions, find_contradictions, pulls
from fuzzypairs.report.traits import Profile, describe_columns

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["write_fit_report"]

# How much the pictures hold before they turn into a blot.
MOST_ROWS, MOST_PAIRS = 2000, 100
# How many entries lists have: in cards, of rows and judgements, and of columns.
IN_CARD, IN_LIST, MOST_COLUMNS = 5, 15, 40
# Clusters side by side in a table that still fits on paper.
ABREAST = 8
LONGEST_NAME = 40
# From this ratio of the second to the first membership a row is called mixed, and
# below this mean certainty memberships say next to nothing.
MIXED, FLAT = 0.5, 0.05


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
    >>> from fuzzypairs.columns import Preparation
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
    U = memberships_of(model)
    for name, rows in (("X", X), ("table", table), ("ids", ids), ("truth", truth)):
        if rows is not None and len(rows) != len(U):  # type: ignore[arg-type]
            raise ValueError(
                f"{name} has {len(rows)} rows but the model was fitted to {len(U)}"  # type: ignore[arg-type]
            )
    names = np.arange(len(U)) if ids is None else np.asarray(ids)
    fit = _Fit(
        model,
        check_array(X),
        table,
        PairSet.coerce(pairs, n_samples=len(U)),
        [_cut(str(name)) for name in names.tolist()],
        columns,
        None if truth is None else np.asarray(truth, dtype=object),
    )
    write_report(
        path,
        title=f"{len(U):,} rows in {_count(model.n_clusters_, 'cluster')}",
        lead=" ".join(fit.findings()),
        sections=[*fit.sections(), fit.making(options, seconds)],
    )


@dataclass(frozen=True)
class _Fit:
    """A fit and all that is told about it."""

    model: Any
    X: NDArray[Any]
    table: "pd.DataFrame"
    pairs: PairSet
    names: list[str]
    columns: Sequence[ColumnRecord]
    truth: NDArray[Any] | None

    @cached_property
    def U(self) -> NDArray[np.float64]:  # noqa: N802
        return memberships_of(self.model)

    @cached_property
    def sizes(self) -> list[int]:
        """Rows of each cluster."""
        counts = np.bincount(self.model.labels_, minlength=self.U.shape[1])
        return [int(count) for count in counts]

    @cached_property
    def held(self) -> NDArray[np.bool_]:
        return criteria.pairs_held(self.pairs, self.model.labels_)

    @cached_property
    def profiles(self) -> list[Profile]:
        """The columns, those first in which the clusters differ most."""
        found = describe_columns(self.table, self.columns, self.U)
        return sorted(
            found,
            key=lambda profile: (
                -sum(abs(profile.trait(k).difference) for k in range(len(self.sizes)))
            ),
        )

    @cached_property
    def contradictions(self) -> Contradictions:
        return find_contradictions(self.pairs, IN_LIST)

    def findings(self) -> list[str]:
        """Say in sentences what was found, the most important first."""
        return [
            self._say_clusters(),
            *self._say_mixed(),
            self._say_pairs(),
            *self._say_truth(),
            *self._say_doubts(),
        ]

    def _say_clusters(self) -> str:
        k = len(self.sizes)
        asked = self.model.n_clusters
        bound = f" (at most {asked} were asked for)" if k < asked else ""
        if k == 1:
            return f"All {len(self.U):,} rows are in one cluster{bound}."
        least, most = min(self.sizes), max(self.sizes)
        if k <= ABREAST:
            sizes = f"{_listed([f'{size:,}' for size in self.sizes])} rows"
        else:
            sizes = f"{least:,} " + (
                f"to {most:,} rows" if most > least else "rows each"
            )
        apart = [f"“{profile.column}”" for profile in self.profiles[:3]]
        by = f" They differ most in {_listed(apart)}." if apart else ""
        return f"The {k} clusters{bound} have {sizes}.{by}"

    def _say_mixed(self) -> list[str]:
        if len(self.sizes) == 1:
            return []
        n_mixed = int((mixedness(self.U) >= MIXED).sum())
        return [
            f"{_count(n_mixed, 'row is', 'rows are')} mixed: their second cluster has "
            "at least half the membership of their first."
            if n_mixed
            else "No row is mixed: all belong to their first cluster more than twice "
            "as much as to any other."
        ]

    def _say_pairs(self) -> str:
        n_asked = len(self.pairs.informative)
        if not n_asked:
            return "There were no judgements, so the clusters follow the data alone."
        n_broken = int((~self.held).sum())
        broken = (
            "all of them are held"
            if not n_broken
            else f"{n_asked - n_broken:,} are held and {n_broken:,} broken"
        )
        says = f"Of {_count(n_asked, 'judgement')} {broken}."
        n_triangles = self.contradictions.n_triangles
        if n_triangles:
            says += f" {_count(n_triangles, 'triple')} of judgements cannot all hold."
        return says

    def _say_truth(self) -> list[str]:
        if self.truth is None:
            return []
        known, classes = self._known_truth()
        if not len(classes):
            return ["The column of true classes is empty."]
        labels = np.asarray(self.model.labels_)[known]
        return [
            "Against the true classes the normalised ARI is "
            f"{percent(criteria.normalized_ari(classes, labels))} and the NMI "
            f"{percent(criteria.nmi(classes, labels))}."
        ]

    def _say_doubts(self) -> list[str]:
        doubts = []
        if len(self.sizes) > 1 and criteria.certainty(self.U).mean() < FLAT:
            doubts.append(
                "Nearly all rows belong to all clusters alike, so the clusters mean "
                "little: raise alpha, or ask for fewer clusters."
            )
        if not self.model.converged_:
            doubts.append("The fit had not converged when it stopped: raise max_iter.")
        return doubts

    def _known_truth(self) -> tuple[NDArray[np.bool_], NDArray[Any]]:
        """Return which rows have a true class, and those classes as text."""
        import pandas as pd

        assert self.truth is not None
        known = ~np.asarray(pd.isna(self.truth), dtype=bool)
        return known, self.truth[known].astype(str)

    def sections(self) -> list[Section]:
        """Return the page without its last section."""
        made = [self._map(), self._clusters(), self._prototypes()]
        if len(self.sizes) > 1:
            made.append(self._mixed())
        if len(self.pairs):
            made.append(self._judgements())
        if self.truth is not None:
            made.append(self._truth())
        return made

    def _map(self) -> Section:
        ax = plot_memberships(
            self.X, self.U, self.pairs, most_rows=MOST_ROWS, most_pairs=MOST_PAIRS
        )
        lines = (
            " Lines are judgements: solid for alike, dashed for unlike, wider when "
            "stronger, red where the clusters break them."
            if len(self.pairs.informative)
            else ""
        )
        return Section(
            "Map",
            picture=Picture(
                ax.figure,
                alt="Rows in the plane of their two main directions, coloured by "
                "cluster.",
                caption="Colour and shape tell the cluster of a row. The fuller its "
                "colour, the more certain it is; hollow ones are mixed." + lines,
            ),
        )

    def _clusters(self) -> Section:
        return Section(
            "Clusters",
            [
                "Rows count by their memberships. Differences are those between the "
                "cluster and the rest, in standard deviations: above about 0.8 they "
                "are large."
            ],
            cards=[self._card(cluster) for cluster in range(len(self.sizes))],
        )

    def _card(self, cluster: int) -> Card:
        size = self.sizes[cluster]
        mine = np.flatnonzero(np.asarray(self.model.labels_) == cluster)
        share = percent(size / len(self.U))
        text = [f"{_count(size, 'row')}, {share}; no row has it as its strongest."]
        if size:
            sure = criteria.certainty(self.U)[mine].mean()
            u = self.U[:, cluster]
            typical = mine[np.argsort(-u[mine], kind="stable")[:IN_CARD]]
            mixed = mine[most_mixed(self.U[mine])[:IN_CARD]]
            text = [
                f"{_count(size, 'row')}, {share}; mean certainty {sure:.2f}.",
                "Most typical: "
                + ", ".join(f"{self.names[row]} ({u[row]:.2f})" for row in typical)
                + ".",
                "Most mixed: "
                + ", ".join(self._as_mixed(row, cluster) for row in mixed)
                + ".",
            ]
        traits = sorted(
            (profile.trait(cluster) for profile in self.profiles),
            key=lambda trait: -abs(trait.difference),
        )
        apart = Table(
            ["sets it apart", "here", "elsewhere", "difference"],
            [
                [trait.name, trait.here, trait.elsewhere, f"{trait.difference:+.2f}"]
                for trait in traits[:IN_CARD]
            ],
            numeric=(1, 2, 3),
        )
        return Card(
            f"Cluster {cluster}", glyph_of(cluster), color_of(cluster), text, apart
        )

    def _as_mixed(self, row: int, cluster: int) -> str:
        u = self.U[row].copy()
        own, u[cluster] = u[cluster], -1.0
        if len(u) == 1:
            return f"{self.names[row]} ({own:.2f})"
        other = int(u.argmax())
        return f"{self.names[row]} ({own:.2f}, cluster {other} {u[other]:.2f})"

    def _prototypes(self) -> Section:
        k = len(self.sizes)
        return Section(
            "Prototypes",
            [
                "What a typical row of each cluster looks like, in the units of the "
                "table: means of numbers and dates, the most common word with its "
                "share. The columns that differ most come first."
            ],
            tables=[
                short_table(
                    ["column", *(f"cluster {c}" for c in clusters)],
                    [
                        [profile.column, *(profile.prototype(c) for c in clusters)]
                        for profile in self.profiles
                    ],
                    "",
                    MOST_COLUMNS,
                    numeric=range(1, len(clusters) + 1),
                )
                for first in range(0, k, ABREAST)
                if (clusters := range(first, min(first + ABREAST, k)))
            ],
        )

    def _mixed(self) -> Section:
        is_triangle = len(self.sizes) == 3
        rows = most_mixed(self.U)
        rows = rows[mixedness(self.U)[rows] >= MIXED]
        best = np.argsort(-self.U[rows], axis=1, kind="stable")[:, :2]
        listing = short_table(
            ["row", "first cluster", "membership", "second cluster", "membership"],
            [
                [
                    self.names[row],
                    int(first),
                    float(self.U[row, first]),
                    int(second),
                    float(self.U[row, second]),
                ]
                for row, (first, second) in zip(rows, best, strict=True)
            ],
            "The most mixed rows",
            IN_LIST,
        )
        some = np.random.default_rng(0).permutation(len(self.U))[:MOST_ROWS]
        ax = plot_mixtures(self.U[some] if is_triangle else self.U, self.names)
        caption = (
            "Every row by its memberships: a row in a corner belongs to that cluster "
            "alone, a row in the middle to all three alike."
            if is_triangle
            else "The most mixed rows, piece by piece of their membership."
        )
        if is_triangle and len(some) < len(self.U):
            caption += f" {len(some):,} of {len(self.U):,} rows are drawn."
        return Section(
            "Mixed rows",
            picture=Picture(ax.figure, alt=caption, caption=caption),
            tables=[listing] if len(rows) else [],
        )

    def _judgements(self) -> Section:
        pairs = self.pairs
        n_silent = int((pairs.grade == 0).sum())
        text = [
            "A judgement of alike is held when both rows have the same strongest "
            "cluster, one of unlike when they have not. Shared is how much of their "
            "membership two rows have in common, from 0 to 1. The pull of a judgement "
            "is how hard it still draws the memberships its way where the fit ended: 0 "
            "once it is obeyed to the full. Those with the strongest pull deserve a "
            "second look."
        ]
        if n_silent:
            text.append(
                f"{_count(n_silent, 'judgement was', 'judgements were')} 0, "
                "can't say, and had no effect."
            )
        n_chained = self.contradictions.n_chained
        if n_chained:
            text.append(
                f"{_count(n_chained, 'judgement')} of unlike "
                f"{'is' if n_chained == 1 else 'are'} between rows that a chain of "
                "three or more judgements of alike joins."
            )
        if not len(pairs.informative):
            return Section("Judgements", text)
        n_asked, n_broken = len(pairs.informative), int((~self.held).sum())
        return Section(
            "Judgements",
            text,
            Picture(
                plot_judgements(pairs, self.U).figure,
                alt=f"{n_asked - n_broken} of {n_asked} judgements are held.",
                caption="What was judged against what the clusters made of it. Rows "
                "judged alike should share their memberships, to the upper right; rows "
                "judged unlike should not, to the lower left.",
            ),
            [*self._fates(), *self._conflicts()],
        )

    def _fates(self) -> list[Table]:
        pairs, names = self.pairs, self.names
        pull = pulls(pairs, self.U, self.model.beta_)
        total = pull.sum() or 1.0
        shared = shared_membership(pairs, self.U)
        order = np.argsort(-pull, kind="stable")
        tables = []
        for caption, kept in (
            ("Broken judgements, by pull", ~self.held),
            ("Held judgements, by pull", self.held & (pairs.grade != 0)),
        ):
            rows: list[list[str | float]] = [
                [
                    names[pairs.i[at]],
                    names[pairs.j[at]],
                    float(pairs.grade[at]),
                    float(shared[at]),
                    f"{pull[at]:.3g}",
                    percent(pull[at] / total),
                ]
                for at in order[kept[order]]
            ]
            heads = ["row", "row", "grade", "shared", "pull", "of all pull"]
            if rows:
                tables.append(
                    short_table(heads, rows, caption, IN_LIST, numeric=(2, 3, 4, 5))
                )
        return tables

    def _conflicts(self) -> list[Table]:
        found, names = self.contradictions, self.names
        if not found.n_triangles:
            return []
        return [
            Table(
                ["a", "b", "c", "a, b", "b, c", "a, c"],
                [
                    [names[t.a], names[t.b], names[t.c], t.ab, t.bc, t.ac]
                    for t in found.triangles
                ],
                "Judgements that contradict each other, the strongest first: a and b "
                "alike, b and c alike, but a and c unlike",
                found.n_triangles - len(found.triangles),
            )
        ]

    def _truth(self) -> Section:
        known, classes = self._known_truth()
        labels = np.asarray(self.model.labels_)[known]
        k = len(self.sizes)
        words, codes = np.unique(classes, return_inverse=True)
        counts = np.zeros((len(words), k), dtype=int)
        np.add.at(counts, (codes, labels), 1)
        return Section(
            "True classes",
            ["How many rows of each true class are in each cluster."],
            tables=[
                short_table(
                    ["class", *(f"cluster {c}" for c in range(k))],
                    [
                        [_cut(str(word)), *row]
                        for word, row in zip(words, counts.tolist(), strict=True)
                    ],
                    "",
                    MOST_COLUMNS,
                )
            ],
        )

    def making(self, options: Mapping[str, object], seconds: float) -> Section:
        """Return the section that tells how the fit was made."""
        model = self.model
        history = model.objective_history_
        end = "converged" if model.converged_ else "stopped"
        libraries = ("numpy", "scipy", "scikit-learn", "numba", "pandas")
        return Section(
            "How this was made",
            [
                f"The best of the starts {end} after {_count(model.n_iter_, 'pass')} "
                f"over the data, with alpha = {model.alpha_:.4g} and beta = "
                f"{model.beta_:.4g}, at an objective of {model.objective_:.6g}. "
                f"The fit took {seconds:.2g} seconds.",
                f"fuzzypairs {__version__}, Python {platform.python_version()}, "
                + ", ".join(f"{name} {version(name)}" for name in libraries)
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
                    [[name, _cut(str(value))] for name, value in options.items()],
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
                        for column in self.columns
                    ],
                    "Columns",
                    MOST_COLUMNS,
                ),
            ],
        )


def _cut(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"


def _count(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun."""
    several = many or (one + ("es" if one.endswith("s") else "s"))
    return f"{number:,} {one if number == 1 else several}"


def _listed(words: Sequence[str]) -> str:
    """Return words with commas, and an "and" before the last."""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last
