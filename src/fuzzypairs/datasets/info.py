"""Facts about datasets."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True, kw_only=True)
class DatasetInfo:
    """Facts about a dataset, known before it is loaded.

    Attributes
    ----------
    name, title : str
        The name to load it by, and what its authors call it.
    n_samples, n_features, n_classes : int
        Its size; for memberships `n_classes` is their number of columns.
    kind : {"classes", "memberships"}
        Whether the truth is a class or a row of memberships for each sample.
    class_sizes : tuple of int
        Samples of each class, in the order of `target_names`; empty for memberships.
    file, sha256 : str or None
        The data file and its checksum; None where scikit-learn brings the data.
    source, licence, note : str
        Where the data come from, on what terms, and what to know about them.
    n_missing : int
        Number of missing values.
    nominal : tuple of str
        Columns whose numbers or words are names, not amounts.
    orders : mapping of str to tuple of str
        Words of a column in the order in which they are numbered, from 0.
    merged : mapping of str to str
        Class in the file to class in the target, where they differ.
    in_paper : bool
        Whether it is one of the 19 benchmark datasets of the paper.
    pair_ratio : {"fifth"} or None
        What `simulate_pairs` should get as `ratio` to follow the paper.
    openml : int or None
        Its number at OpenML, where the copy there holds the same data.
    openml_extra : tuple of str
        Columns of that copy which are left out.

    Examples
    --------
    >>> from fuzzypairs.datasets import describe
    >>> describe("soybean").merged["D1"]
    'D1 or D2'
    """

    name: str
    title: str
    n_samples: int
    n_features: int
    n_classes: int
    kind: Literal["classes", "memberships"] = "classes"
    class_sizes: tuple[int, ...] = ()
    file: str | None = None
    sha256: str | None = None
    source: str
    licence: str
    note: str = ""
    n_missing: int = 0
    nominal: tuple[str, ...] = ()
    orders: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    merged: Mapping[str, str] = field(default_factory=dict)
    in_paper: bool = False
    pair_ratio: Literal["fifth"] | None = None
    openml: int | None = None
    openml_extra: tuple[str, ...] = ()


def with_classes(
    name: str,
    title: str,
    n_features: int,
    sizes: tuple[int, ...],
    sha256: str | None = None,
    copy: str = "",
    **facts: Any,
) -> DatasetInfo:
    """Describe UCI data with classes: scikit-learn's, or a file taken from `copy`."""
    given = {
        "file": sha256 and f"{name}.csv.gz",
        "source": "UCI Machine Learning Repository, by way of "
        + (copy or f"scikit-learn: load_{name}"),
        "licence": "CC BY 4.0, as the UCI Machine Learning Repository states it",
    }
    return DatasetInfo(
        name=name,
        title=title,
        n_samples=sum(sizes),
        n_features=n_features,
        n_classes=len(sizes),
        class_sizes=sizes,
        sha256=sha256,
        **given | facts,
    )


def with_memberships(
    name: str,
    title: str,
    shape: tuple[int, int],
    n_classes: int,
    sha256: str,
    note: str,
    licence: str = "research use; none is stated with the features",
) -> DatasetInfo:
    """Describe a file with a row of memberships for each sample."""
    return DatasetInfo(
        name=name,
        title=title,
        n_samples=shape[0],
        n_features=shape[1],
        n_classes=n_classes,
        kind="memberships",
        file=f"{name}.npz",
        sha256=sha256,
        source="the label-distribution sets of PyLDL",
        licence=licence,
        note=note,
    )
