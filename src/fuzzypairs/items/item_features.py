"""Features of items: vectors, and what is fitted to them."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self, cast

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler
from sklearn.utils.validation import check_is_fitted

from fuzzypairs._typing import Floats, Mask, Progress
from fuzzypairs.exceptions import ReadingWarning, VersionMismatchWarning
from fuzzypairs.items.encoders import (
    LONGEST_TEXT,
    default_of,
    make_encoder,
    package_of,
)
from fuzzypairs.items.encoding import run_encoder, with_cache
from fuzzypairs.items.files import Kind
from fuzzypairs.items.item_set import ItemSet, name_problems
from fuzzypairs.tables.features import ColumnRecord, Preparation
from fuzzypairs.validation import shown

__all__ = ["Encoded", "ItemFeatures"]

# tf-idf: the most parts of words, and the leading directions of their counts. On three
# sets of short texts k-means found .48, .18 and .49 (adjusted Rand index) with groups
# of 3 and 4 letters and 30 directions, and .36, .16 and .45 with words.
MOST_PARTS, TOPICS = 20_000, 30
# The leading directions of other vectors: memberships of very many features are near
# 1/k. On the same texts by wordllama GuidedFDC without judgements found .59, .56 and
# .58 with 80 directions, .50, .19 and .57 with all 256; 50 lose the tone of messages.
DIRECTIONS = 80
SAID_TFIDF = "by parts of words (tf-idf)"


@dataclass(frozen=True, eq=False)
class Encoded:
    """Items with their vectors, before anything is fitted to them.

    Attributes
    ----------
    items : ItemSet
        The items, with their columns; of a folder only those that can be read.
    vectors : ndarray of shape (n_items, n_numbers), or list of str
        NaN where an item cannot be read; texts where counts of words are features.
    features, said, digest : str
        What made them, in a name and in words; the digest of the file of a network.
    notes : tuple of str
        What the user should know: what cannot be read, by name, and why.
    """

    items: ItemSet
    vectors: Any
    features: str
    said: str = ""
    digest: str = ""
    notes: tuple[str, ...] = ()

    @property
    def problems(self) -> dict[int, str]:
        """Why items cannot be read, by row: their features are the mean."""
        return self.items.problems

    @property
    def readable(self) -> Mask:
        """Which items can be read, (n_items,)."""
        found = np.ones(len(self.vectors), dtype=bool)
        found[list(self.problems)] = False
        return found


class ItemFeatures(TransformerMixin, BaseEstimator):
    """Turn pictures, texts or embeddings into features.

    Items become vectors; the leading directions of some are kept, and all are centred.
    They are not standardised by column: their scale has a meaning.

    Parameters
    ----------
    kind : {"picture", "text", "embedding"}
    features : str, default="auto"
        Of texts ``"wordllama"`` (the default, if it is installed), ``"tfidf"`` or
        ``"sentence-transformers:NAME"``; of pictures ``"gradients"`` (the default),
        ``"pixels"`` or ``"onnx:FILE"``; of both ``"python:MODULE.FUNCTION"``, a
        function from a list of items (texts, or paths) to an array. Embeddings are
        used as they are. Of vectors of more than 80 numbers the 80 leading directions
        are features; vectors are centred, and keep their scale.
    options : dict, default=None
        Of ``"onnx:FILE"``: `size` in pixels, `mean` and `std` of colours from 0 to 1,
        and the name of the `output`. What is not given is taken from the file, or from
        ``preprocessor_config.json`` beside it.
    columns : Preparation, default=None
        What makes features of the columns beside the items. Items and columns then
        have the same total variance. None clusters by the items alone.
    column : str, default=None
        The column of a table that holds the items, to be found again in other tables.
    n_jobs : int, default=-1
        Number of threads that read pictures.

    Attributes
    ----------
    features_ : str
        What ``"auto"`` stands for.
    package_ : str
        Name and version of the package that makes the vectors; "" if it is this one.
    digest_ : str
        Of the file of a network.
    said_ : str
        What was done, in words.
    transformer_ : transformer of scikit-learn
        What was fitted to the vectors.
    columns_ : tuple of ColumnRecord
        What was done to the items, then to the columns.
    n_features_out_ : int

    Notes
    -----
    A model file keeps the names of features and no code. What it names is not run
    unasked: a function must be named again (`confirm`), and nothing is downloaded.

    Examples
    --------
    >>> from fuzzypairs.items import ItemFeatures
    >>> texts = ["a late train", "the train was late", "cold soup", "the soup was cold"]
    >>> X = ItemFeatures("text", "tfidf").fit_transform(texts)
    >>> bool(abs(X[0] - X[1]).sum() < abs(X[0] - X[2]).sum())
    True
    """

    def __init__(
        self,
        kind: Kind,
        features: str = "auto",
        options: Mapping[str, Any] | None = None,
        columns: Preparation | None = None,
        column: str | None = None,
        n_jobs: int | None = -1,
    ) -> None:
        self.kind = kind
        self.features = features
        self.options = options
        self.columns = columns
        self.column = column
        self.n_jobs = n_jobs

    def encode(
        self,
        items: Any,
        *,
        tell: Progress = lambda done, total: None,
        cache: Path | None = None,
        strict: bool = False,
    ) -> Encoded:
        """Read items and return their vectors, each of which depends on its item alone.

        Parameters
        ----------
        items : ItemSet, or sequence of n_items
            Paths or uint8 arrays of pictures, texts, or rows of embeddings.
        tell : callable, default=None
            Called with the number of items that are done, and of all.
        cache : Path, default=None
            A file that keeps vectors, by the content of texts, and by path, size and
            time of files.
        strict : bool, default=False
            Whether an item that cannot be read is an error.
        """
        fitted = vars(self).get("features_")
        name, note = fitted or self.features, ""
        if self.kind == "embedding" and name not in ("auto", "given"):
            raise ValueError(
                f"embeddings are used as they are: {name!r} makes features of texts "
                "or pictures"
            )
        items = self._as_items(items)
        if self.kind == "embedding":
            values = np.asarray(items.values)
            kind = np.promote_types(values.dtype, np.float32)  # 16 bits are too few
            return Encoded(items, values.astype(kind, copy=False), "given", "centred")
        if name == "auto":
            name, note = default_of(self.kind)
        if self.kind == "text" and name == "tfidf" and not self.options:
            encoded = Encoded(items, items.values, name, SAID_TFIDF)
        else:
            encoded = self._run_encoder(items, name, tell, cache)
        return _without_unreadable(encoded, note, strict)

    def _as_items(self, items: Any) -> ItemSet:
        """Return items that were given as a plain sequence as an `ItemSet`."""
        if self.kind not in ("picture", "text", "embedding"):
            raise ValueError(
                f"kind is {shown(self.kind)}: expected 'picture', 'text' or 'embedding'"
            )
        if isinstance(items, ItemSet):
            if items.kind != self.kind:
                raise ValueError(f"items are {items.kind}s: expected {self.kind}s")
            return items
        if self.kind == "text":
            return ItemSet.from_texts(items)
        if self.kind == "embedding":
            return ItemSet.from_embeddings(np.asarray(items))
        empty = {
            n: "there is no name of a file"
            for n, item in enumerate(items)
            if not isinstance(item, np.ndarray) and not str(item).strip()
        }
        return ItemSet("picture", list(items), problems=empty)

    def _run_encoder(
        self, items: ItemSet, name: str, tell: Progress, cache: Path | None
    ) -> Encoded:
        is_loaded = "features_" in vars(self) and not vars(self).get("_is_ours", False)
        if is_loaded and name.startswith("python:"):
            raise ValueError(
                f"the model makes features by {name}, which would be run: give "
                f"--features {name} if you know it"
            )
        encoder = make_encoder(self.kind, name, self.options or {}, is_known=is_loaded)
        if "features_" in vars(self) and encoder.digest != self.digest_:
            raise ValueError(f"{name} has changed since the fit: fit again")
        values = items.values
        if items.kind == "text":
            values = [text[:LONGEST_TEXT] for text in values]
        wanted = [n for n in range(items.n_rows) if n not in items.problems]
        vectors, failed = with_cache(
            cache,
            f"{name} {encoder.digest} {encoder.said}",
            values,
            wanted,
            lambda new: run_encoder(encoder, values, new, self.n_jobs, tell),
        )
        problems = dict(sorted((items.problems | failed).items()))
        n_numbers = len(next(iter(vectors.values()), ()))
        rows = np.full((items.n_rows, n_numbers), np.nan, dtype=np.float32)
        rows[list(vectors)] = list(vectors.values())
        return Encoded(
            replace(items, problems=problems), rows, name, encoder.said, encoder.digest
        )

    def fit(self, X: Any, y: object = None) -> Self:
        """Fit to items, or to their vectors.

        Parameters
        ----------
        X : Encoded, ItemSet, or sequence of n_items
        y : ignored

        Returns
        -------
        self : ItemFeatures
        """
        self.fit_transform(X)
        return self

    def fit_transform(self, X: Any, y: object = None, **params: object) -> Floats:
        """Fit to items, or to their vectors, and return their features.

        Parameters
        ----------
        X : Encoded, ItemSet, or sequence of n_items
        y : ignored
        **params : ignored

        Returns
        -------
        features : ndarray of shape (n_items, n_features)
        """
        for name in ("features_", "_is_ours"):
            self.__dict__.pop(name, None)
        encoded = self._read(X)
        rows = _readable_rows(encoded)
        same = (
            len(set(rows)) == 1
            if isinstance(rows, list)
            else np.ptp(rows, axis=0).max() == 0
        )
        if same and len(rows) > 1:
            raise ValueError(
                f"all {len(rows)} {self.kind}s have the same features: there is "
                "nothing to cluster by"
            )
        self.transformer_ = _transformer(encoded, rows)
        try:
            found = self.transformer_.fit_transform(rows)
        except ValueError as error:  # of texts without a letter
            raise ValueError(f"texts have no words: {error}") from error
        self.features_, self.digest_ = encoded.features, encoded.digest
        self.said_, self.package_ = encoded.said, package_of(encoded.features)
        self.n_item_features_ = self.n_features_out_ = found.shape[1]
        n_missing = len(encoded.problems)
        treatment = encoded.said
        if not isinstance(rows, list) and found.shape[1] < rows.shape[1]:
            treatment += f", {DIRECTIONS} leading directions of {rows.shape[1]} numbers"
        treatment += f", {n_missing} set to the mean" * bool(n_missing)
        record = ColumnRecord(
            self.column or self.kind, cast(Any, self.kind), n_missing,
            found.shape[1], treatment, first_feature=0,
        )  # fmt: skip
        self.columns_: tuple[ColumnRecord, ...] = (record,)
        self.weight_ = 1.0
        made = np.zeros((len(encoded.vectors), found.shape[1]))
        made[encoded.readable] = found
        self._is_ours = True
        if self.columns is None:
            return made
        self.preparation_ = clone(self.columns)
        beside = self.preparation_.fit_transform(encoded.items.columns)
        self.columns_ += tuple(
            replace(
                c, first_feature=c.first_feature + made.shape[1] * bool(c.n_features)
            )
            for c in self.preparation_.columns_
        )
        # Items and columns count the same, however many features they have.
        self.weight_ = float(
            np.sqrt(made.var(axis=0).sum() / (beside.var(axis=0).sum() or 1.0))
        )
        self.n_features_out_ += beside.shape[1]
        return np.hstack([made, self.weight_ * beside])

    def transform(self, X: Any) -> Floats:
        """Return features of items, or of their vectors.

        Parameters
        ----------
        X : Encoded, ItemSet, or sequence of n_items

        Returns
        -------
        features : ndarray of shape (n_items, n_features)
            0, which is the mean, where an item cannot be read.
        """
        check_is_fitted(self, "transformer_")
        encoded = self._read(X)
        made = np.zeros((len(encoded.vectors), self.n_item_features_))
        rows = _readable_rows(encoded)
        if not isinstance(rows, list):
            expected = getattr(self.transformer_, "n_features_in_", rows.shape[1])
            if rows.shape[1] != expected:
                raise ValueError(
                    f"{self.kind}s have {rows.shape[1]} numbers each, but {expected} "
                    "in the fit: use what made them then"
                )
        if len(rows):
            made[encoded.readable] = self.transformer_.transform(rows)
        if self.columns is None:
            return made
        beside = self.preparation_.transform(encoded.items.columns)
        return np.hstack([made, self.weight_ * beside])

    def _read(self, X: Any) -> Encoded:
        """Return what is read already, or read it and warn of what cannot be."""
        if isinstance(X, Encoded):
            return X
        encoded = self.encode(X)
        for note in encoded.notes:
            warnings.warn(note, ReadingWarning, stacklevel=3)
        return encoded

    def confirm(self, features: str) -> None:
        """Allow a loaded model to run the function that it names.

        Parameters
        ----------
        features : str
            The name as the user gave it.
        """
        check_is_fitted(self, "transformer_")
        if features not in ("auto", self.features_):
            raise ValueError(
                f"the model makes features by {self.features_!r}, not {features!r}: "
                "leave that out, or fit again"
            )
        self._is_ours = features == self.features_ or vars(self).get("_is_ours", False)

    def get_feature_names_out(self, input_features: object = None) -> Any:
        """Return the names of the features, shape (n_features,)."""
        check_is_fitted(self, "transformer_")
        names = [f"{self.kind} {n + 1}" for n in range(self.n_item_features_)]
        if self.columns is not None:
            names += list(self.preparation_.get_feature_names_out())
        return np.array(names, dtype=object)

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        state.pop("_is_ours", None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        before = vars(self).get("package_", "")
        if before and (now := package_of(self.features_)) != before:
            warnings.warn(
                f"features were made by {before} in the fit, and are made by {now} "
                "now: fit again if results seem wrong",
                VersionMismatchWarning,
                stacklevel=2,
            )


def _without_unreadable(encoded: Encoded, note: str, strict: bool) -> Encoded:
    """Return encoded items, with a folder's unreadable files left out, and notes."""
    items = encoded.items
    problems = items.refused | {items.name(n): why for n, why in items.problems.items()}
    if not encoded.readable.any():
        why = next(iter(problems.values()), "there are none")
        raise ValueError(f"none of {items.n_rows} {items.kind}s can be read: {why}")
    if not problems:
        return replace(encoded, notes=(note,) if note else ())
    said = name_problems(problems)
    if strict:
        raise ValueError(f"{len(problems)} {items.kind}s cannot be read: {said}")
    then = "are left out" if items.is_folder else "count as the mean"
    one = len(problems) == 1
    then = then.replace("are", "is").replace("count", "counts") if one else then
    kinds = items.kind + "s" * (not one)
    found = f"{len(problems)} {kinds} cannot be read and {then}: {said}"
    notes = (note, found) if note else (found,)
    if not items.is_folder or not items.problems:
        return replace(encoded, notes=notes)
    rows = np.flatnonzero(encoded.readable)
    vectors = encoded.vectors
    vectors = [vectors[n] for n in rows] if isinstance(vectors, list) else vectors[rows]
    return replace(encoded, items=items.take(rows), vectors=vectors, notes=notes)


def _readable_rows(encoded: Encoded) -> Any:
    """Return the vectors, or the texts, of items that can be read."""
    if isinstance(encoded.vectors, list):
        return [encoded.vectors[n] for n in np.flatnonzero(encoded.readable)]
    return encoded.vectors[encoded.readable]


def _transformer(encoded: Encoded, rows: Any) -> Any:
    if isinstance(rows, list):
        parts = TfidfVectorizer(
            analyzer="char_wb", ngram_range=(3, 4), sublinear_tf=True,
            max_features=MOST_PARTS,
        )  # fmt: skip
        n_parts = len(parts.fit(rows).vocabulary_)
        reduce = TruncatedSVD(min(TOPICS, n_parts), random_state=0)
        centre = StandardScaler(with_std=False)
        return make_pipeline(parts, reduce, Normalizer(), centre)
    if min(rows.shape) > DIRECTIONS:
        return PCA(DIRECTIONS, random_state=0)
    return StandardScaler(with_std=False)
