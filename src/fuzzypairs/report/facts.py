"""All that is told about a fit, found once."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fuzzypairs import criteria
from fuzzypairs.io.features import ColumnRecord
from fuzzypairs.pairs import PairSet
from fuzzypairs.plots.mixtures import mixedness
from fuzzypairs.plots.style import memberships_of
from fuzzypairs.report.conflicts import Contradictions, find_contradictions
from fuzzypairs.report.traits import Profile, describe_columns

__all__ = ["ABREAST", "IN_LIST", "MOST_COLUMNS", "MOST_ROWS", "Fit"]

# How many entries lists have, of rows or judgements and of columns; how many rows
# pictures hold before they turn into a blot; clusters side by side that fit on paper.
IN_LIST, MOST_COLUMNS, MOST_ROWS, ABREAST = 15, 40, 2000, 8
# From this ratio of the second to the first membership a row is called mixed.
MIXED = 0.5


@dataclass(frozen=True, eq=False)
class Fit:
    """A fitted model with what went into it, and what follows from both.

    Attributes
    ----------
    model : FDC
        The fitted model.
    X : ndarray of shape (n_samples, n_features)
        The matrix it was fitted to.
    table : DataFrame of shape (n_samples, n_columns)
        The data as the user gave them.
    pairs : PairSet
        The judgements.
    names : list of str, length n_samples
        What rows are called.
    columns : sequence of ColumnRecord
        What became of each column.
    truth : ndarray of shape (n_samples,) or None
        True classes, missing ones among them.

    Examples
    --------
    >>> from fuzzypairs import FDC
    >>> X = np.array([[0.0], [0.1], [5.0], [5.1], [5.2]])
    >>> model = FDC(n_clusters=2, random_state=0).fit(X)
    >>> fit = Fit(model, X, pd.DataFrame(X), PairSet.empty(5), list("abcde"), [], None)
    >>> sorted(fit.sizes)
    [2, 3]
    """

    model: Any
    X: NDArray[Any]
    table: pd.DataFrame
    pairs: PairSet
    names: list[str]
    columns: Sequence[ColumnRecord]
    truth: NDArray[Any] | None

    @cached_property
    def U(self) -> NDArray[np.float64]:  # noqa: N802
        """Memberships, shape (n_samples, n_clusters)."""
        return memberships_of(self.model)

    @cached_property
    def labels(self) -> NDArray[np.int64]:
        """The cluster of each row."""
        return np.asarray(self.model.labels_, dtype=np.int64)

    @cached_property
    def sizes(self) -> list[int]:
        """Rows of each cluster."""
        counts = np.bincount(self.labels, minlength=self.U.shape[1])
        return [int(count) for count in counts]

    @cached_property
    def mixed(self) -> NDArray[np.int64]:
        """Rows whose second membership comes near the first, the nearest first."""
        ratio = mixedness(self.U)
        rows = np.argsort(-ratio, kind="stable")
        return rows[ratio[rows] >= MIXED]

    @cached_property
    def held(self) -> NDArray[np.bool_]:
        """Which judgements the clusters hold."""
        return criteria.pairs_held(self.pairs, self.labels)

    @cached_property
    def contradictions(self) -> Contradictions:
        """Judgements that cannot all hold."""
        return find_contradictions(self.pairs, IN_LIST)

    @cached_property
    def profiles(self) -> list[Profile]:
        """The columns, those first in which the clusters differ most."""

        def spread(profile: Profile) -> float:
            clusters = range(len(self.sizes))
            return sum(abs(profile.trait(k).difference) for k in clusters)

        found = describe_columns(self.table, self.columns, self.U)
        return sorted(found, key=spread, reverse=True)

    @cached_property
    def classes(self) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """True classes as text where they are known, and the clusters of those rows."""
        truth = np.array([]) if self.truth is None else self.truth
        known = ~np.asarray(pd.isna(truth), dtype=bool)
        return truth[known].astype(str), self.labels[: len(known)][known]
