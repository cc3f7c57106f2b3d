"""What a report says about a fit, as numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fuzzypairs._typing import Data, Floats, Ints, Mask
from fuzzypairs.criteria import pairs_held
from fuzzypairs.io.features import ColumnRecord
from fuzzypairs.pairs import PairSet
from fuzzypairs.plots.mixtures import mixedness
from fuzzypairs.plots.style import memberships_of
from fuzzypairs.report.contradictions import Contradiction, find_contradictions
from fuzzypairs.report.profiles import Profile, describe_columns

# Largest numbers of rows or judgements in a list, of columns in a table, of rows in a
# picture, and of clusters side by side on paper.
IN_LIST, MOST_COLUMNS, MOST_DRAWN, ABREAST = 15, 40, 2000, 8
# A row is called mixed from this ratio of its second to its first membership on.
MIXED = 0.5


@dataclass(frozen=True, eq=False)
class FitFacts:
    """A fitted model with its data, and what follows from both.

    The fields are the arguments of `write_fit_report`, checked; `names` are what rows
    are called.
    """

    model: Any
    X: Data
    table: pd.DataFrame
    pairs: PairSet
    names: list[str]
    columns: Sequence[ColumnRecord]
    truth: NDArray[Any] | None

    @cached_property
    def U(self) -> Floats:  # noqa: N802
        """Memberships, shape (n_samples, n_clusters)."""
        return memberships_of(self.model)

    @cached_property
    def labels(self) -> Ints:
        """The cluster of each row."""
        return np.asarray(self.model.labels_, dtype=np.int64)

    @cached_property
    def sizes(self) -> list[int]:
        """The number of rows of each cluster."""
        counts: list[int] = np.bincount(self.labels, minlength=self.U.shape[1]).tolist()
        return counts

    @cached_property
    def mixed(self) -> Ints:
        """Mixed rows, the most mixed first."""
        ratio = mixedness(self.U)
        rows = np.argsort(-ratio, kind="stable")
        return rows[ratio[rows] >= MIXED]

    @cached_property
    def held(self) -> Mask:
        """Which judgements the clusters hold."""
        return pairs_held(self.pairs, self.labels)

    @property
    def n_judged(self) -> int:
        """The number of judgements other than 0."""
        return len(self.pairs.informative)

    @property
    def n_broken(self) -> int:
        """The number of judgements that the clusters break."""
        return int((~self.held).sum())

    @cached_property
    def contradictions(self) -> tuple[list[Contradiction], int]:
        """Triangles of judgements that cannot all hold, and the number of chains."""
        return find_contradictions(self.pairs)

    @cached_property
    def profiles(self) -> list[Profile]:
        """The columns, those first in which the clusters differ most."""

        def spread(profile: Profile) -> float:
            clusters = range(len(self.sizes))
            return sum(abs(profile.trait(k).difference) for k in clusters)

        found = describe_columns(self.table, self.columns, self.U)
        return sorted(found, key=spread, reverse=True)

    @cached_property
    def classes(self) -> tuple[NDArray[Any], Ints]:
        """True classes as text where they are known, and the clusters of those rows."""
        truth = np.array([]) if self.truth is None else self.truth
        known = ~np.asarray(pd.isna(truth), dtype=bool)
        return truth[known].astype(str), self.labels[: len(known)][known]
