"""How the values of a column become features: numbers scaled, categories one-hot."""

from dataclasses import dataclass
from typing import Self

import numpy as np
import pandas as pd

from fuzzypairs._typing import Floats
from fuzzypairs.spaces.moments import Moments
from fuzzypairs.tables.columns import Column
from fuzzypairs.tables.usefulness import MOST_CATEGORIES, RARE

__all__ = ["Levels", "Scaling", "moments_of"]

# The level of a category that is missing, and the one that rare categories share.
EMPTY, SHARED = "(missing)", "(rare)"


def moments_of(column: Column) -> Moments:
    """Return the moments of the known values of a column of numbers."""
    values = column.to_numpy(np.float64, na_value=np.nan)
    values = values[~np.isnan(values)]
    with np.errstate(invalid="ignore", over="ignore"):  # of infinite values
        mean = float(values.mean()) if len(values) else 0.0
        return Moments(len(values), mean, float(((values - mean) ** 2).sum()))


@dataclass(frozen=True)
class Scaling:
    """How numbers become a feature: gaps are filled, then it is shifted and scaled."""

    median: float
    mean: float = 0.0
    deviation: float = 1.0

    names = ("",)

    @classmethod
    def of(cls, values: Column, n_rows: int, moments: Moments, scale: bool) -> Self:
        """Return the scaling of a sample of values with the moments of all rows."""
        median = float(np.nanmedian(values))
        if not scale:
            return cls(median)
        whole = moments.joined(Moments(n_rows - moments.mass, median, 0.0))
        return cls(median, whole.mean, float(np.sqrt(whole.scatter / n_rows)) or 1.0)

    def encode(self, values: Column) -> Floats:
        """Return the feature, shape (n_rows, 1)."""
        feature = values.to_numpy(np.float64, copy=True)
        feature[np.isnan(feature)] = self.median
        feature -= self.mean
        feature /= self.deviation
        return feature[:, None]


@dataclass(frozen=True)
class Levels:
    """How categories become features: one for each frequent word.

    Attributes
    ----------
    frequent, rare : tuple of str
        Rare words share the last feature. A missing one is the word ``(missing)``.
    """

    frequent: tuple[str, ...]
    rare: tuple[str, ...] = ()

    @classmethod
    def of(cls, values: Column) -> Self:
        """Return the levels of a column of text."""
        found = values.fillna(EMPTY).value_counts().sort_index()
        words, counts = found.index, found.to_numpy()
        is_rare = counts < RARE * len(values)
        if (~is_rare).sum() >= MOST_CATEGORIES:
            is_rare[np.argsort(counts, kind="stable")[: 1 - MOST_CATEGORIES]] = True
        return cls(tuple(words[~is_rare]), tuple(words[is_rare]))

    @property
    def names(self) -> tuple[str, ...]:
        """What is put behind the name of the column, for each feature."""
        words = self.frequent + (SHARED,) * bool(self.rare)
        return tuple(f"_{word}" for word in words)

    def encode(self, values: Column) -> Floats:
        """Return the features, shape (n_rows, n_levels)."""
        level = pd.Index(self.frequent).get_indexer(pd.Index(values.fillna(EMPTY)))
        # The last row of zeros is of words that no level is for.
        rows = np.eye(len(self.names) + 1, len(self.names))
        level[level < 0] = len(self.frequent)
        return rows[level]
