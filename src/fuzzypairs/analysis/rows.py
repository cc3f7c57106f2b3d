"""What goes into an analysis: rows with ids and features, and judgements of them."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fuzzypairs._typing import Floats, Ints, Mask, Show
from fuzzypairs.exceptions import ReadingWarning
from fuzzypairs.items import ItemFeatures, ItemSet
from fuzzypairs.pairs import PairSet
from fuzzypairs.tables.features import ColumnRecord, Preparation
from fuzzypairs.tables.gaps import MOSTLY_MISSING, lower_certainty, mostly_missing
from fuzzypairs.tables.table_files import Items, prepare

__all__ = ["Rows", "feature_frame", "no_columns", "tell_nobody"]

# What results say of an item whose features are the mean.
NOT_READABLE = "not readable"
# Columns that a note names.
NAMED = 5


def tell_nobody(doing: str, done: float, total: float) -> None:
    """Show no progress."""


@dataclass(frozen=True, eq=False, repr=False)
class Rows:
    """Rows to be clustered, in memory: what a user gave, and what is made of it.

    Attributes
    ----------
    source : Items
        The table: what it is called, columns to cluster by, ids, and true classes. Of
        items that are no table the columns are empty.
    preparation : Preparation or ItemFeatures
        Fitted: what makes the features of these rows and of new ones.
    X : DataFrame of shape (n_rows, n_features)
    pairs : PairSet
    known : ndarray of shape (n_rows, n_columns) or None
        Which values of columns that are used are known; None for items.
    items : ItemSet or None
        The pictures, texts or embeddings that the rows are.
    shown : DataFrame of shape (n_rows, n_columns)
        Columns that are only shown.
    named : dict of int to str
        Names of clusters that people gave on the labelling page, by a row of each.
    notes : sequence of str
        What users should know of how they were read.
    seconds : float
        How long the reading took.
    """

    source: Items
    preparation: Preparation | ItemFeatures
    X: pd.DataFrame
    pairs: PairSet
    known: Mask | None = None
    items: ItemSet | None = None
    shown: pd.DataFrame = field(default_factory=pd.DataFrame)
    named: Mapping[int, str] = field(default_factory=dict)
    notes: Sequence[str] = ()
    seconds: float = 0.0

    @classmethod
    def of_table(
        cls, source: Items, *, shown: pd.DataFrame | None = None, **told: Any
    ) -> Self:
        """Make features of the columns of a table; errors name its file.

        `told` are arguments of `Preparation`.
        """
        preparation, X, known = prepare(source, **told)
        _warn_of_columns(preparation.columns_)
        frame = feature_frame(preparation, X)
        none = PairSet.empty(source.n_rows)
        beside = pd.DataFrame(index=frame.index) if shown is None else shown
        rows = cls(source, preparation, frame, none, known, shown=beside)
        if n_flagged := int(rows.flagged.get(MOSTLY_MISSING, np.zeros(1)).sum()):
            warnings.warn(
                f"{n_flagged} rows miss most of their values: their certainty is "
                "lowered",
                ReadingWarning,
                stacklevel=2,
            )
        return rows

    @classmethod
    def of_items(
        cls,
        items: ItemSet,
        source: Items,
        *,
        features: str = "auto",
        options: Mapping[str, Any] | None = None,
        column: str | None = None,
        strict: bool = False,
        cache: Path | None = None,
        show: Show = tell_nobody,
        **told: Any,
    ) -> Self:
        """Make features of pictures, texts or embeddings, and of columns beside them.

        `told` are arguments of the `Preparation` of these columns.
        """
        beside = None if items.columns is None else Preparation(**told)
        maker = ItemFeatures(items.kind, features, options, beside, column)
        doing = f"reading {items.n_rows:,} {items.kind}s"
        try:
            encoded = maker.encode(
                items, tell=lambda done, total: show(doing, done, total),
                strict=strict, cache=cache,
            )  # fmt: skip
            X = maker.fit_transform(encoded)
        except ValueError as error:
            raise ValueError(f"{source.path}: {error}") from error
        maker.id_column_ = source.id_column  # new rows are named alike
        for note in encoded.notes:
            warnings.warn(note, ReadingWarning, stacklevel=2)
        _warn_of_columns(maker.columns_[1:])
        items = encoded.items
        if items.n_rows < source.n_rows:  # files that cannot be read are no rows
            source = replace(source, ids=items.ids, features=no_columns(items.n_rows))
        shown = no_columns(items.n_rows) if items.shown is None else items.shown
        none = PairSet.empty(items.n_rows)
        frame = feature_frame(maker, X)
        return cls(source, maker, frame, none, items=items, shown=shown)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.X)

    def __repr__(self) -> str:
        """Return what they are in a line."""
        return (
            f"<Rows: {self.n_rows} {self.kind}s of {self.name}, {self.X.shape[1]} "
            f"features, {len(self.pairs)} judgements>"
        )

    @property
    def kind(self) -> str:
        """What a row is: "row" of a table, "picture", "text" or "embedding"."""
        return "row" if self.items is None else self.items.kind

    @property
    def name(self) -> str:
        """What the data are called."""
        return self.source.path.name

    @property
    def ids(self) -> NDArray[Any] | None:
        """Names of the rows; None for row numbers."""
        return self.source.ids

    @property
    def columns(self) -> tuple[ColumnRecord, ...]:
        """What was done to each column."""
        return self.preparation.columns_

    @property
    def table(self) -> pd.DataFrame:
        """The columns that people see: those clustered by, and those only shown."""
        if self.items is None:
            return self.source.features.join(self.shown)
        beside = self.items.columns
        return self.shown if beside is None else beside.join(self.shown)

    @property
    def judged(self) -> Ints:
        """The rows that judgements are about."""
        told = self.pairs.informative
        return np.union1d(told.i, told.j)

    @property
    def flagged(self) -> dict[str, Mask]:
        """What is worth knowing of rows before any fit, and which rows it is true of.

        Only what is true of some.
        """
        found = {}
        if self.known is not None:
            found[MOSTLY_MISSING] = mostly_missing(self.known)
        if self.items is not None:
            found[NOT_READABLE] = np.zeros(self.n_rows, dtype=bool)
            found[NOT_READABLE][list(self.items.problems)] = True
        return {name: mask for name, mask in found.items() if mask.any()}

    def lower_certainty(self, model: Any, memberships: Floats) -> Floats:
        """Return memberships in which rows with gaps are as sure as values allow.

        Those of judged rows stay as they are.
        """
        if isinstance(self.preparation, Preparation) and self.known is not None:
            X = self.X.to_numpy()
            return lower_certainty(
                model, self.preparation, X, self.known, memberships, self.judged
            )
        unread = np.flatnonzero(self.flagged.get(NOT_READABLE, np.zeros(0)))
        unread = np.setdiff1d(unread, self.judged)
        if not len(unread):
            return memberships
        lowered = memberships.copy()
        lowered[unread] = 1 / memberships.shape[1]
        return lowered


def feature_frame(preparation: Any, X: Floats) -> pd.DataFrame:
    """Return features by name, as the model is to know them."""
    preparation.set_output(transform="pandas")
    return pd.DataFrame(X, columns=preparation.get_feature_names_out())


def no_columns(n_rows: int) -> pd.DataFrame:
    """Return a table of rows without columns."""
    return pd.DataFrame(index=range(n_rows))


def _warn_of_columns(columns: Sequence[ColumnRecord]) -> None:
    """Say what is not obvious of how columns were read, once for those alike."""
    alike: dict[str, list[str]] = {}
    for column in columns:
        if not column.n_features or "words taken" in column.treatment:
            alike.setdefault(column.treatment, []).append(column.name)
    for treatment, names in alike.items():
        more = f" and {len(names) - NAMED} more" * (len(names) > NAMED)
        what = f"column{'s' * (len(names) > 1)} {', '.join(names[:NAMED])}{more}"
        way = f"; --text {names[0]} clusters by it" * treatment.endswith("free text")
        warnings.warn(f"{what}: {treatment}{way}", ReadingWarning, stacklevel=3)
    if units := [f"{c.name} ({c.unit})" for c in columns if c.unit]:
        warnings.warn(
            f"read as numbers with a unit: {', '.join(units)}; --category says "
            "otherwise",
            ReadingWarning,
            stacklevel=3,
        )
