"""Find datasets and load them."""

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import numpy as np
from scipy.stats import mode
from sklearn.utils import Bunch

from fuzzypairs._typing import Floats
from fuzzypairs.datasets.registry import REGISTRY, DatasetInfo, describe
from fuzzypairs.datasets.sources import (
    Column,
    RawTable,
    fetch_table,
    from_sklearn,
    read_table,
)
from fuzzypairs.validation import check_flag

# The environment variable that names a folder of data files.
VARIABLE = "FUZZYPAIRS_DATA"
# The root of the checkout, if this is one: src/fuzzypairs/datasets/loading.py.
CHECKOUT = Path(__file__).resolve().parents[3]


class Dataset(Bunch):
    """A Bunch that makes its `frame` on access: all else needs no pandas."""

    def __missing__(self, key: str) -> Any:
        if key != "frame":
            raise KeyError(key)
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError("frame needs pandas: pip install pandas") from error
        self["frame"] = pd.DataFrame(self["raw"])
        return self["frame"]


def load(name: str, *, scale: bool = False, download: bool = True) -> Bunch:
    """Load a dataset by name, as numbers and with its origin.

    Files are looked for in the folder named by the environment variable
    ``FUZZYPAIRS_DATA``, in ``shared/data`` beside a checkout of this project, and in
    ``$XDG_CACHE_HOME/fuzzypairs`` (``~/.cache/fuzzypairs``), in this order; their
    checksums are verified.

    Parameters
    ----------
    name : str
        One of the 19 benchmark datasets of the paper, a dataset with memberships
        such as ``"sjaffe_nofear"``, or one of scikit-learn's own; `available` lists
        those that are here.
    scale : bool, default=False
        Scale features to mean 0 and standard deviation 1, constant ones to 0, as the
        paper's numbers need it.
    download : bool, default=True
        Where no file is found, fetch the dataset from OpenML if it is there;
        scikit-learn keeps what it fetched. Rows may then be in another order.

    Returns
    -------
    dataset : Bunch
        With these entries, and whatever else the file says of each sample (such as
        ``mean_ratings`` of the faces):

        data : ndarray of shape (n_samples, n_features)
            Features as float64: words numbered, missing values filled.
        target : ndarray of shape (n_samples,) or (n_samples, n_classes)
            Classes from 0 on, or memberships.
        target_names, feature_names : ndarray of str, list of str
            Names of the classes and of the features.
        frame : DataFrame
            Features and truth as the source has them; made when asked for.
        raw : dict of str to ndarray
            The columns of `frame`.
        source, licence, preparation, DESCR : str
            Where the data come from, on what terms, what was done to them, and all
            of this in a paragraph.

    Raises
    ------
    ValueError
        If there is no dataset of this name, or a file differs from what it should
        be.
    FileNotFoundError
        If the file is not found; the message names all folders searched.

    See Also
    --------
    available : What can be loaded without a network.
    describe : Facts on a dataset without loading it.

    Examples
    --------
    >>> from fuzzypairs.datasets import load
    >>> wine = load("wine", scale=True)
    >>> wine.data.shape, wine.target_names.tolist()
    ((178, 13), ['class_0', 'class_1', 'class_2'])
    >>> print(load("iris").preparation)
    Values as in the source; nothing is scaled.
    """
    info = describe(name)
    table = _find_table(info, download)
    X = _prepare_features(table, info)
    target, target_names = _prepare_truth(table, info)
    _check_size(info, X, target)
    source = table.source or info.source
    check_flag("scale", scale)
    preparation = _name_preparation(info, scale)
    return Dataset(
        data=_standardise(X) if scale else X,
        target=target,
        target_names=target_names,
        feature_names=list(table.columns),
        raw=_raw_columns(table),
        source=source,
        licence=info.licence,
        preparation=preparation,
        DESCR=_describe_all(info, source, preparation),
        **table.extras,
    )


def available() -> list[str]:
    """List the datasets that can be loaded here without a network.

    Returns
    -------
    names : list of str
        Those that come with scikit-learn and those whose files are found; only `load`
        verifies checksums.

    Examples
    --------
    >>> from fuzzypairs.datasets import available
    >>> {"iris", "wine", "breast_cancer", "digits"} <= set(available())
    True
    """
    return [
        name
        for name, info in REGISTRY.items()
        if info.file is None or find_file(info.file) is not None
    ]


def _folders() -> Iterator[tuple[str, Path]]:
    """Yield the folders to search, each with what messages call it."""
    if os.environ.get(VARIABLE):
        yield VARIABLE, Path(os.environ[VARIABLE]).expanduser()
    if (CHECKOUT / "pyproject.toml").is_file():
        yield "beside the checkout", CHECKOUT.parent / "shared" / "data"
    cache = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    yield "user cache", Path(cache).expanduser() / "fuzzypairs"


def find_file(file: str) -> Path | None:
    """Return where a data file is, or None."""
    paths = (folder / file for _, folder in _folders())
    return next((path for path in paths if path.is_file()), None)


def _find_table(info: DatasetInfo, download: bool) -> RawTable:
    if info.file is None:
        return from_sklearn(info)
    if path := find_file(info.file):
        found = hashlib.sha256(path.read_bytes()).hexdigest()
        if found != info.sha256:
            raise ValueError(
                f"{path} has sha256 {found}, expected {info.sha256}: it is damaged or "
                "another version; replace or remove it"
            )
        return read_table(path)
    if info.openml is None:
        raise FileNotFoundError(_not_found(info, "OpenML has no copy of it"))
    if not download:
        raise FileNotFoundError(_not_found(info, "download=False forbids fetching it"))
    try:
        return fetch_table(info)
    except OSError as error:
        reason = f"OpenML, dataset {info.openml}, did not answer: {error}"
        raise FileNotFoundError(_not_found(info, reason)) from error


def _not_found(info: DatasetInfo, reason: str) -> str:
    places = [f"{folder} ({place})" for place, folder in _folders()]
    if not os.environ.get(VARIABLE):
        places.insert(0, f"{VARIABLE} (not set)")
    return (
        f"{info.name} needs the file {info.file}, which is not in "
        f"{', '.join(places)}; {reason}. Put the file (sha256 {info.sha256}) into one "
        f"of these folders, or set {VARIABLE} to the folder that holds it"
    )


def _check_size(info: DatasetInfo, X: Any, target: Any) -> None:
    """Refuse another version of the data: copies at OpenML have no checksum here."""
    sizes = sorted(np.bincount(target).tolist()) if info.class_sizes else []
    for what, seen, expected in (
        ("shape", X.shape, (info.n_samples, info.n_features)),
        ("class sizes", sizes, sorted(info.class_sizes)),
    ):
        if seen != expected:
            raise ValueError(
                f"{info.name} came with {what} {seen}, expected {expected}: "
                f"this is another version; use the file {info.file}"
            )


def _prepare_features(table: RawTable, info: DatasetInfo) -> Floats:
    """Return features as numbers, shape (n_samples, n_features).

    Words are numbered in the order of the registry, or else of the alphabet. Missing
    values become the median of their column, or the most frequent value, the smallest
    of several, where it is nominal.
    """
    columns = []
    for name, raw in table.columns.items():
        values = _number(raw, info.orders.get(name), name)
        missing = np.isnan(values)
        if missing.any():
            known = values[~missing]
            nominal = name in info.nominal
            typical = mode(known).mode if nominal else np.median(known)
            values = np.where(missing, typical, values)
        columns.append(values)
    return np.column_stack(columns)


def _prepare_truth(table: RawTable, info: DatasetInfo) -> tuple[Column, Column]:
    """Return class numbers or memberships, and the names of the classes."""
    if info.kind == "memberships":
        return table.truth.astype(np.float64), np.asarray(table.names)
    raw = table.truth
    if info.merged:
        raw = np.array([info.merged[label] for label in raw])
    # Sorted: numbers by size, words by the alphabet.
    names, target = np.unique(raw, return_inverse=True)
    return target, names.astype(str) if table.names is None else table.names


def _standardise(X: Floats) -> Floats:
    """Scale features to mean 0 and standard deviation 1, constant ones to 0."""
    constant = np.ptp(X, axis=0) == 0
    # A constant may differ from its own mean by rounding: it is set, not computed.
    deviation = np.where(constant, 0, X - X.mean(axis=0))
    return np.asarray(deviation / np.where(constant, 1, X.std(axis=0)))


def _number(raw: Column, order: tuple[str, ...] | None, name: str) -> Floats:
    """Return one column as float64, NaN where missing."""
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


def _name_preparation(info: DatasetInfo, scale: bool) -> str:
    """Return a sentence on what was done to the values of the source."""
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


def _raw_columns(table: RawTable) -> dict[str, Any]:
    """Return features, further columns of the source, and the truth last."""
    columns, classes = dict(table.columns), cast(Column, table.names)
    for name, values in (*table.extras.items(), ("class", table.truth)):
        if values.ndim == 1:
            columns[name] = values
        else:
            names = (f"{name}_{key}" for key in classes)
            columns |= zip(names, values.T, strict=True)
    return columns


def _describe_all(info: DatasetInfo, source: str, preparation: str) -> str:
    truth = "classes" if info.kind == "classes" else "columns of memberships"
    lines = [
        f"{info.title}: {info.n_samples} samples, {info.n_features} features, "
        f"{info.n_classes} {truth}.",
        info.note,
        f"Source: {source}.",
        f"Licence: {info.licence}.",
        f"Preparation: {preparation}",
    ]
    return "\n".join(line for line in lines if line)
