"""From raw columns to numbers: codes for words, values for what is missing."""

import numpy as np

from fuzzypairs._typing import Floats
from fuzzypairs.datasets.info import DatasetInfo
from fuzzypairs.datasets.sources import Column, Table

__all__ = ["name_preparation", "prepare_features", "prepare_truth", "standardise"]


def prepare_features(table: Table, info: DatasetInfo) -> Floats:
    """Features as numbers without gaps, shape (n_samples, n_features).

    Words become their place in the order that the registry gives, or else in the
    alphabet. A missing number becomes the median of its column; a missing name,
    spelt or numbered, the most frequent one, the first of several.
    """
    columns = []
    for name, raw in table.columns.items():
        values = _number(raw, info.orders.get(name), name)
        missing = np.isnan(values)
        if missing.any():
            known = values[~missing]
            typical = _mode(known) if name in info.nominal else np.median(known)
            values = np.where(missing, typical, values)
        columns.append(values)
    return np.column_stack(columns)


def prepare_truth(table: Table, info: DatasetInfo) -> tuple[Column, Column]:
    """Class numbers or memberships, and the names of the classes."""
    if info.kind == "memberships":
        return table.truth.astype(np.float64), np.asarray(table.names)
    raw = table.truth
    if info.merged:
        raw = np.array([info.merged[label] for label in raw])
    # Sorted: numbers by size, words by the alphabet.
    names, target = np.unique(raw, return_inverse=True)
    return target, names.astype(str) if table.names is None else table.names


def standardise(X: Floats) -> Floats:
    """Scale features to mean 0 and standard deviation 1, constant ones to 0."""
    constant = np.ptp(X, axis=0) == 0
    # A constant may differ from its own mean by rounding: it is set, not computed.
    deviation = np.where(constant, 0, X - X.mean(axis=0))
    scaled: Floats = deviation / np.where(constant, 1, X.std(axis=0))
    return scaled


def name_preparation(info: DatasetInfo, scale: bool) -> str:
    """Say in one sentence what was done to the values of the source."""
    steps = ["Values as in the source"]
    if info.merged:
        classes = sorted(set(info.merged.values()))
        steps.append(f"classes are merged to {' against '.join(classes)}")
    if info.orders:
        steps.append("words are numbered from 0 in the order of the UCI description")
    if info.n_missing:
        steps.append(
            f"the {info.n_missing} missing values become the median of their column, "
            "or its most frequent value where it is nominal"
        )
    steps.append(
        "features are scaled to mean 0 and standard deviation 1, constant ones to 0"
        if scale
        else "nothing is scaled"
    )
    return "; ".join(steps) + "."


def _number(raw: Column, order: tuple[str, ...] | None, name: str) -> Floats:
    """One column as float64, NaN where missing."""
    if raw.dtype != object:
        return raw.astype(np.float64)
    known = order or sorted({word for word in raw if word is not None})
    codes = {word: float(code) for code, word in enumerate(known)}
    unknown = {word for word in raw if word is not None} - codes.keys()
    if unknown:
        raise ValueError(
            f"column {name} holds {sorted(unknown)[0]!r}, expected one of "
            f"{', '.join(known)}: this is another version of the data"
        )
    return np.array([codes.get(word, np.nan) for word in raw])


def _mode(values: Floats) -> float:
    found, counts = np.unique(values, return_counts=True)
    return float(found[counts.argmax()])
