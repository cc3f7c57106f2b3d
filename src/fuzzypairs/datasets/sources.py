"""Raw columns from files, from scikit-learn and from OpenML."""

import csv
import gzip
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import datasets

from fuzzypairs.datasets.registry import DatasetInfo

Column = NDArray[Any]


@dataclass(frozen=True)
class RawTable:
    """Raw columns, and the truth as the source gives it."""

    # Features: int64, float64 with NaN or words (object) with None where missing.
    columns: Mapping[str, Column]
    # Classes as the source writes them, (n_samples,), or memberships.
    truth: Column
    # Names of the classes, if not as they are written.
    names: Column | None = None
    # Further columns of the source.
    extras: Mapping[str, Column] = field(default_factory=dict)
    # Where this copy comes from, if not from the source in the registry.
    source: str | None = None


def read_table(path: Path) -> RawTable:
    """Read `*.csv.gz` (a header row, the class last) or `*.npz`."""
    return _read_archive(path) if path.suffix == ".npz" else _read_text(path)


def from_sklearn(info: DatasetInfo) -> RawTable:
    """Return a dataset that comes with scikit-learn."""
    bunch = getattr(datasets, f"load_{info.name}")()
    columns = dict(zip(bunch.feature_names, bunch.data.T, strict=True))
    return RawTable(columns, bunch.target, np.asarray(bunch.target_names).astype(str))


def fetch_table(info: DatasetInfo) -> RawTable:
    """Return a dataset from OpenML, or from scikit-learn's cache of it.

    Words that scikit-learn has numbered are restored, to be numbered as in the file.
    """
    fetched = datasets.fetch_openml(
        data_id=info.openml, as_frame=False, parser="liac-arff", n_retries=1
    )
    columns = {}
    for original, values in zip(fetched.feature_names, fetched.data.T, strict=True):
        name = original.lower().replace("-", "_")
        if name in info.openml_extra:
            continue
        if original in fetched.categories:
            words = fetched.categories[original]
            values = ["" if np.isnan(value) else words[int(value)] for value in values]
            columns[name] = _parse(values)
        else:
            columns[name] = values
    truth = fetched.target.astype(str)
    return RawTable(columns, truth, source=f"OpenML, dataset {info.openml}")


def _read_text(path: Path) -> RawTable:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    *features, truth = map(_parse, zip(*rows, strict=True))
    return RawTable(dict(zip(header, features, strict=False)), truth)


def _parse(words: Sequence[str]) -> Column:
    """Return a column of integers, floats or words; empty fields are missing."""
    filled = [word or "nan" for word in words]
    for kind in (np.int64, np.float64):
        try:
            return np.array(filled, dtype=kind)
        except ValueError:
            continue
    return np.array([word or None for word in words], dtype=object)


def _read_archive(path: Path) -> RawTable:
    with np.load(path, allow_pickle=False) as archive:
        arrays = dict(archive)
    features = arrays.pop("features")
    columns = {f"x{at}": column for at, column in enumerate(features.T, 1)}
    if "class" in arrays:
        return RawTable(columns, arrays["class"])
    truth = arrays.pop("label_distributions")
    unnamed = np.arange(truth.shape[1]).astype(str)
    return RawTable(columns, truth, arrays.pop("label_names", unnamed), arrays)
