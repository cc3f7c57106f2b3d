"""What a report says about a fit, as numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fuzzypairs._typing import Data, Floats, Ints, Mask
from fuzzypairs.analysis.result_columns import MIXED
from fuzzypairs.criteria import certainty, pairs_held
from fuzzypairs.items import ItemSet
from fuzzypairs.pairs import PairSet
from fuzzypairs.pairs.consistency import Contradiction, find_contradictions
from fuzzypairs.plots.mixtures import mixedness
from fuzzypairs.report.item_cell import ItemCell
from fuzzypairs.report.profiles import Profile, describe_columns
from fuzzypairs.report.shown_items import ShownItems
from fuzzypairs.tables.features import ColumnRecord
from fuzzypairs.tables.gaps import labels_by

# Largest numbers of rows or judgements in a list, of columns in a table, of rows in a
# picture, and of clusters side by side on paper.
IN_LIST, MOST_COLUMNS, MOST_DRAWN, ABREAST = 15, 40, 2000, 8
# Columns are named in the summary if they matter at least so much as the first one.
CLEAR = 0.25


@dataclass(frozen=True, eq=False)
class FitFacts:
    """A fitted model with its data, and what follows from both.

    The fields are the arguments of `write_fit_report`, checked; `names` are what rows
    are called, `U` the memberships, `before` those without judgements, with clusters
    numbered as those of the model, or None if there are no judgements.
    """

    model: Any
    X: Data
    table: pd.DataFrame
    pairs: PairSet
    names: Sequence[str]
    columns: Sequence[ColumnRecord]
    truth: NDArray[Any] | None
    U: Floats
    before: Floats | None = None
    items: ItemSet | None = None
    cluster_names: Sequence[str] | None = None

    @cached_property
    def shown(self) -> ShownItems | None:
        """What shows pictures, texts or embeddings; None for rows of a table."""
        return None if self.items is None else ShownItems(self.items)

    @property
    def noun(self) -> str:
        """What a row is: "row", "picture" or "text"."""
        is_seen = self.items is not None and self.items.kind != "embedding"
        return self.items.kind if is_seen and self.items else "row"

    def called(self, row: int) -> str | ItemCell:
        """Return a row as a cell of a table: its name, or how the item looks."""
        name: str = self.names[row]
        return name if self.shown is None else self.shown.cell(int(row))

    def tag(self, cluster: int) -> str:
        """Return the name of a cluster, or its number."""
        return (
            str(cluster) if self.cluster_names is None else self.cluster_names[cluster]
        )

    def cluster(self, cluster: int) -> str:
        """Return what a cluster is called in a sentence."""
        return f"cluster {cluster}" if self.cluster_names is None else self.tag(cluster)

    def mixture(self, row: int, cluster: int, *, is_brief: bool = False) -> str:
        """Return the memberships of a row in its own cluster and in the next one."""
        others = np.delete(np.arange(len(self.sizes)), cluster)
        other = int(others[self.U[row, others].argmax()])
        own, next_one = (100 * self.U[row, [cluster, other]]).round().astype(int)
        if not is_brief:
            return f"{own} %, {self.cluster(other)} {next_one} %"
        # Narrow columns break it between the two.
        blank = "\N{NO-BREAK SPACE}"
        return f"{own}{blank}%, {self.tag(other)}:{blank}{next_one}{blank}%"

    @cached_property
    def labels(self) -> Ints:
        """The cluster of each row."""
        return np.asarray(labels_by(self.model, self.U), dtype=np.int64)

    @cached_property
    def sizes(self) -> list[int]:
        """The number of rows of each cluster."""
        counts: list[int] = np.bincount(self.labels, minlength=self.U.shape[1]).tolist()
        return counts

    @cached_property
    def certainty(self) -> Floats:
        """The certainty of each row."""
        return certainty(self.U)

    @cached_property
    def moved(self) -> Mask:
        """Which rows are in another cluster than without judgements."""
        if self.before is None:
            return np.zeros(len(self.U), dtype=bool)
        return np.asarray(self.before.argmax(axis=1) != self.labels)

    @cached_property
    def mixed(self) -> Ints:
        """Mixed rows, the most mixed first."""
        ratio = mixedness(self.U)
        rows = np.argsort(-ratio, kind="stable")
        return rows[ratio[rows] >= MIXED]

    @cached_property
    def held(self) -> Mask:
        """Which judgements the clusters satisfy."""
        return pairs_held(self.pairs, self.labels)

    @property
    def n_judged(self) -> int:
        """The number of judgements other than 0."""
        return len(self.pairs.informative)

    @property
    def n_broken(self) -> int:
        """The number of judgements that the clusters violate."""
        return int((~self.held).sum())

    @cached_property
    def contradictions(self) -> tuple[list[Contradiction], int]:
        """Triangles of judgements that cannot all hold, and the number of chains."""
        return find_contradictions(self.pairs)

    @cached_property
    def column_weights(self) -> dict[str, float] | None:
        """The weight of each column in the space of the fit, as a share.

        None if the model has none, or all features count the same.
        """
        weights = np.asarray(getattr(self.model, "feature_weights_", ()), dtype=float)
        used = [column for column in self.columns if column.n_features]
        n_features = sum(column.n_features for column in used)
        total = weights.sum()
        if not used or n_features != len(weights) or total <= 0.0:
            return None
        if np.allclose(weights, weights[0]):
            return None
        return {
            c.name: float(weights[c.first_feature :][: c.n_features].sum() / total)
            for c in used
        }

    def importance(self, profile: Profile, cluster: int) -> float:
        """How much a column sets a cluster apart, by its weight in the fit."""
        weights = self.column_weights
        weight = 1.0 if weights is None else weights[profile.column]
        return weight * abs(profile.trait(cluster).difference)

    @cached_property
    def profiles(self) -> list[Profile]:
        """The columns, those first that set clusters apart most."""
        known = set(map(str, self.table))
        columns = [c for c in self.columns if self.items is None or c.name in known]
        found = describe_columns(self.table, columns, self.U)
        return sorted(found, key=self._spread, reverse=True)

    @property
    def leading(self) -> list[str]:
        """The few columns that set clusters apart most, and clearly."""
        top = self.profiles[:3]
        least = CLEAR * self._spread(top[0]) if top else 0.0
        return [p.column for p in top if self._spread(p) >= max(least, 1e-12)]

    def _spread(self, profile: Profile) -> float:
        return sum(self.importance(profile, k) for k in range(len(self.sizes)))

    @cached_property
    def classes(self) -> tuple[NDArray[Any], Ints]:
        """True classes as text where they are known, and the clusters of those rows."""
        truth = np.array([]) if self.truth is None else self.truth
        known = ~np.asarray(pd.isna(truth), dtype=bool)
        return truth[known].astype(str), self.labels[: len(known)][known]
