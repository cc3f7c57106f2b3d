"""Features of items: vectors, and what is fitted to them."""

import hashlib
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler
from sklearn.utils.validation import check_is_fitted

from fuzzypairs._typing import Floats, Mask
from fuzzypairs.exceptions import ReadingWarning, VersionMismatchWarning
from fuzzypairs.items import pictures
from fuzzypairs.items.encoders import (
    LONGEST_TEXT,
    Encoder,
    default_of,
    make_encoder,
    package_of,
)
from fuzzypairs.items.files import Kind
from fuzzypairs.tables.atomic import replacing
from fuzzypairs.threads import Threads
from fuzzypairs.validation import shown

__all__ = ["Encoded", "ItemFeatures"]

Tell = Callable[[float, float], None]
# Items that are read and encoded together, by a thread.
BATCH = 32
# tf-idf: the most parts of words, and the leading directions of their counts. On three
# sets of short texts k-means found .48, .18 and .49 (adjusted Rand index) with groups
# of 3 and 4 letters and 30 directions, and .36, .16 and .45 with words.
MOST_PARTS, TOPICS = 20_000, 30
SAID_TFIDF = "by parts of words (tf-idf)"


@dataclass(frozen=True, eq=False)
class Encoded:
    """Vectors of items, before anything is fitted to them.

    Attributes
    ----------
    features : str
        What made them.
    vectors : ndarray of shape (n_items, n_numbers), or list of str
        NaN where an item cannot be read; texts where counts of words are features.
    problems : dict of int to str
        Why items cannot be read, by number.
    said, digest : str
        What was done, in words; the digest of the file of a network.
    n_directions : int or None
        The number of leading directions to keep.
    """

    features: str
    vectors: Any
    problems: dict[int, str] = field(default_factory=dict)
    said: str = ""
    digest: str = ""
    n_directions: int | None = None

    @property
    def readable(self) -> Mask:
        """Which items can be read, (n_items,)."""
        found = np.ones(len(self.vectors), dtype=bool)
        found[list(self.problems)] = False
        return found

    def without_problems(self) -> "Encoded":
        """Return the items that can be read."""
        rows = np.flatnonzero(self.readable)
        vectors = self.vectors
        if isinstance(vectors, list):
            return replace(self, vectors=[vectors[n] for n in rows], problems={})
        return replace(self, vectors=vectors[rows], problems={})


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
        used as they are.
    options : dict, default=None
        Of ``"onnx:FILE"``: `size` in pixels, `mean` and `std` of colours from 0 to 1,
        and the name of the `output`. What is not given is taken from the file, or from
        ``preprocessor_config.json`` beside it.
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
        n_jobs: int | None = -1,
    ) -> None:
        self.kind = kind
        self.features = features
        self.options = options
        self.n_jobs = n_jobs

    def encode(
        self,
        items: Any,
        *,
        tell: Tell = lambda done, total: None,
        cache: Path | None = None,
    ) -> Encoded:
        """Return vectors of items, each of which depends on its item alone.

        Parameters
        ----------
        items : sequence of n_items
            Paths or uint8 arrays of pictures, texts, or rows of embeddings.
        tell : callable, default=None
            Called with the number of items that are done, and of all.
        cache : Path, default=None
            A file that keeps vectors, by the content of texts, and by path, size and
            time of files.
        """
        kind = self.kind
        if kind not in ("picture", "text", "embedding"):
            raise ValueError(
                f"kind is {shown(kind)}: expected 'picture', 'text' or 'embedding'"
            )
        fitted = vars(self).get("features_")
        name = fitted or self.features
        if kind == "embedding":
            if name not in ("auto", "given"):
                raise ValueError(
                    f"embeddings are used as they are: {name!r} makes features of "
                    "texts or pictures"
                )
            return Encoded("given", np.asarray(items), said="used as they are")
        if name == "auto":
            name, note = default_of(kind)
            if note:
                warnings.warn(note, ReadingWarning, stacklevel=2)
        if kind == "text":
            items = [str(text)[:LONGEST_TEXT] for text in items]
        problems = {
            n: "it is empty"
            for n, item in enumerate(items)
            if not isinstance(item, np.ndarray) and not str(item).strip()
        }
        if kind == "text" and name == "tfidf" and not self.options:
            return Encoded(name, items, problems, SAID_TFIDF)
        is_loaded = fitted is not None and not vars(self).get("_is_ours", False)
        if is_loaded and name.startswith("python:"):
            raise ValueError(
                f"the model makes features by {name}, which would be run: give "
                f"--features {name} if you know it"
            )
        encoder = make_encoder(kind, name, self.options or {}, is_known=is_loaded)
        if fitted is not None and encoder.digest != self.digest_:
            raise ValueError(f"{name} has changed since the fit: fit again")
        wanted = [n for n in range(len(items)) if n not in problems]
        vectors: dict[int, Any] = {}
        if cache is not None:
            stamp = f"{name} {encoder.digest} {encoder.said}"
            keys = {n: _key(items[n]) for n in wanted}
            known = _read_cache(cache, stamp)
            vectors = {n: known[key] for n, key in keys.items() if key in known}
        new = [n for n in wanted if n not in vectors]
        found, failed = _encode(encoder, items, new, self.n_jobs, tell)
        vectors |= found
        problems = dict(sorted((problems | failed).items()))
        if not vectors:
            said = next(iter(problems.values()), "there are none")
            raise ValueError(f"none of {len(items)} {kind}s can be read: {said}")
        if cache is not None and found:
            _write_cache(cache, stamp, {keys[n]: v for n, v in vectors.items()})
        rows = np.full((len(items), len(next(iter(vectors.values())))), np.nan, "f4")
        rows[list(vectors)] = list(vectors.values())
        return Encoded(
            name, rows, problems, encoder.said, encoder.digest, encoder.n_directions
        )

    def fit(self, X: Any, y: object = None) -> Self:
        """Fit to items, or to their vectors.

        Parameters
        ----------
        X : sequence of n_items, or Encoded
        y : ignored

        Returns
        -------
        self : ItemFeatures
        """
        for name in ("features_", "_is_ours"):
            self.__dict__.pop(name, None)
        encoded = X if isinstance(X, Encoded) else self.encode(X)
        rows = encoded.without_problems().vectors
        if not len(rows):
            raise ValueError(f"there are no {self.kind}s that can be read")
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
            made = self.transformer_.fit_transform(rows)
        except ValueError as error:  # of texts without a letter
            raise ValueError(f"texts have no words: {error}") from error
        self.features_, self.digest_ = encoded.features, encoded.digest
        self.said_, self.package_ = encoded.said, package_of(encoded.features)
        self.n_features_out_ = made.shape[1]
        self._is_ours = True
        return self

    def transform(self, X: Any) -> Floats:
        """Return features of items, or of their vectors.

        Parameters
        ----------
        X : sequence of n_items, or Encoded

        Returns
        -------
        features : ndarray of shape (n_items, n_features)
            0, which is the mean, where an item cannot be read; a `ReadingWarning` names
            these, unless vectors are given.
        """
        check_is_fitted(self, "transformer_")
        encoded = X
        if not isinstance(X, Encoded):
            encoded = self.encode(X)
            if encoded.problems:
                warnings.warn(
                    f"{len(encoded.problems)} {self.kind}s cannot be read and count "
                    f"as the mean: {told(encoded.problems, X)}",
                    ReadingWarning,
                    stacklevel=2,
                )
        made = np.zeros((len(encoded.vectors), self.n_features_out_))
        rows = encoded.without_problems().vectors
        if not isinstance(rows, list):
            expected = getattr(self.transformer_, "n_features_in_", rows.shape[1])
            if rows.shape[1] != expected:
                raise ValueError(
                    f"{self.kind}s have {rows.shape[1]} numbers each, but {expected} "
                    "in the fit: use what made them then"
                )
        if len(rows):
            made[encoded.readable] = self.transformer_.transform(rows)
        return made

    def fit_transform(self, X: Any, y: object = None, **params: object) -> Floats:
        """Fit to items, or to their vectors, and return their features."""
        encoded = X if isinstance(X, Encoded) else self.encode(X)
        return self.fit(encoded).transform(encoded)

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
        names = [f"{self.kind} {n + 1}" for n in range(self.n_features_out_)]
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


def told(problems: Mapping[int, str], names: Sequence[object]) -> str:
    """Return which items cannot be read, and why, for a message."""
    said = [f"{str(names[n]) or f'row {n}'} ({why})" for n, why in problems.items()]
    return ", ".join(said[:5] + ["..."] * (len(said) > 5))


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
    if encoded.n_directions is not None and encoded.n_directions < min(rows.shape):
        return PCA(encoded.n_directions, random_state=0)
    return StandardScaler(with_std=False)


def _encode(
    encoder: Encoder, items: Any, wanted: Sequence[int], n_jobs: int | None, tell: Tell
) -> tuple[dict[int, Any], dict[int, str]]:
    """Return vectors of the wanted items, and why some cannot be read."""
    vectors: dict[int, Any] = {}
    failed: dict[int, str] = {}
    lock = Lock()
    step = max(1, len(wanted)) if encoder.at_once else BATCH

    def run(start: int) -> None:
        numbers, inputs = list(wanted[start : start + step]), []
        if encoder.size is None:
            inputs = [items[n] for n in numbers]
        else:
            for n in list(numbers):
                try:
                    inputs.append(pictures.pixels(items[n], *encoder.size))
                except ValueError as error:
                    failed[n] = str(error)
                    numbers.remove(n)
        if numbers:
            batch = np.stack(inputs) if encoder.size else inputs
            made = np.asarray(encoder.encode(batch))
            _check(made, len(numbers), encoder.said)
            vectors.update(zip(numbers, made.astype(np.float32), strict=True))
        with lock:
            tell(len(vectors) + len(failed), len(wanted))

    Threads(n_jobs).map(run, [(start,) for start in range(0, len(wanted), step)])
    return {n: vectors[n] for n in wanted if n in vectors}, failed


def _check(made: Any, n_items: int, said: str) -> None:
    if made.ndim != 2 or len(made) != n_items or made.dtype.kind not in "fiu":
        raise ValueError(
            f"features {said} are an array of {made.dtype} of shape {made.shape}: "
            f"expected numbers, {n_items} rows"
        )
    if not np.isfinite(made).all():
        raise ValueError(f"features {said} are not all finite")


def _key(item: Any) -> str:
    """Return what tells whether an item is the same as before."""
    if isinstance(item, np.ndarray):
        return hashlib.sha256(item.tobytes()).hexdigest()
    try:
        found = os.stat(item)
    except (OSError, ValueError):  # a text, or a file that is gone
        return hashlib.sha256(str(item).encode()).hexdigest()
    return f"{os.path.abspath(item)} {found.st_size} {found.st_mtime_ns}"


def _read_cache(path: Path, stamp: str) -> dict[str, Any]:
    try:
        with np.load(path, allow_pickle=False) as file:
            if str(file["stamp"]) == stamp:
                return dict(zip(file["keys"].tolist(), file["vectors"], strict=True))
    except FileNotFoundError:
        pass
    except Exception:  # a damaged file is written anew
        warnings.warn(f"{path} is damaged: it is written anew", ReadingWarning, 2)
    return {}


def _write_cache(path: Path, stamp: str, vectors: Mapping[str, Any]) -> None:
    with replacing(path) as temporary, temporary.open("wb") as file:
        keys, rows = list(vectors), np.array(list(vectors.values()))
        np.savez(file, stamp=np.array(stamp), keys=np.array(keys), vectors=rows)
