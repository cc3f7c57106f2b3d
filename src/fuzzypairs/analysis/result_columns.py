"""Columns of a table of results: labels, certainty, flags and memberships of rows."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fuzzypairs._typing import Floats, Ints, Labels, Mask
from fuzzypairs.criteria import certainty, pairs_held
from fuzzypairs.pairs import PairSet
from fuzzypairs.plots.mixtures import mixedness
from fuzzypairs.tables.writing import write_table

__all__ = ["MIXED", "result_columns", "row_flags", "runners_up", "write_memberships"]

# A row is called mixed from this ratio of its second to its first membership on.
MIXED = 0.5
# Decimals of numbers in files of text.
DECIMALS = 6


def row_flags(
    memberships: Floats,
    pairs: PairSet | None = None,
    before: Floats | None = None,
    **further: Mask,
) -> NDArray[Any]:
    """Return what is worth knowing of each row in a few words.

    Parameters
    ----------
    pairs : PairSet, default=None
        The judgements of the fit.
    before : ndarray of shape (n_samples, n_clusters), default=None
        Memberships without judgements, with clusters numbered as in `memberships`.
    **further : ndarray of shape (n_samples,)
        Names of further flags, and the rows that have them.

    Returns
    -------
    flags : ndarray of shape (n_samples,)
        "mixed" (the second membership is at least half of the first), "judged",
        "violated" (in a judgement that the clusters violate) and "moved" (in another
        cluster than without judgements), separated by commas; "" for none.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzypairs import PairSet
    >>> from fuzzypairs.analysis.result_columns import row_flags
    >>> U = np.array([[0.9, 0.1], [0.6, 0.4], [0.0, 1.0]])
    >>> row_flags(U, PairSet.from_triples([(0, 2, 0.5)], 3)).tolist()
    ['judged, violated', 'mixed', 'judged, violated']
    """
    n_rows, labels = len(memberships), memberships.argmax(axis=1)
    flags: dict[str, Mask] = {"mixed": mixedness(memberships) >= MIXED}
    if pairs is not None:
        violated = ~pairs_held(pairs, labels)
        for name, kept in (("judged", pairs.grade != 0), ("violated", violated)):
            flags[name] = np.zeros(n_rows, dtype=bool)
            flags[name][np.r_[pairs.i[kept], pairs.j[kept]]] = True
    if before is not None:
        flags["moved"] = before.argmax(axis=1) != labels
    flags |= further
    # The few combinations that occur are spelled once.
    codes = sum(mask.astype(np.int64) << bit for bit, mask in enumerate(flags.values()))
    spelled = [
        ", ".join(name for bit, name in enumerate(flags) if code >> bit & 1)
        for code in range(1 << len(flags))
    ]
    return np.asarray(np.array(spelled, dtype=object)[codes])


def result_columns(
    ids: NDArray[Any] | None,
    memberships: Floats,
    labels: Labels,
    flags: NDArray[Any] | None = None,
    data: "pd.DataFrame | None" = None,
    *,
    top: int | None = None,
    names: Sequence[str] = (),
) -> dict[str, Any]:
    """Return the columns of a file of results.

    Parameters
    ----------
    ids : ndarray of shape (n_samples,) or None
        Names of the rows; None stands for their numbers.
    flags : ndarray of shape (n_samples,), default=None
        Of `row_flags`; None leaves out these and the runner-up.
    data : DataFrame of shape (n_samples, n_columns), default=None
        Columns to add as they are; one that is called like a column of the results is
        called "NAME (data)".
    top : int, default=None
        How many of the largest memberships of a row are kept, with their clusters; None
        keeps all.
    names : sequence of str, default=()
        What people call the clusters.

    Returns
    -------
    columns : dict of str to array of shape (n_samples,)
        id or row, label, cluster (its name, if it has one), certainty_percent,
        runner_up (the second cluster, missing if there is none), flags, a membership
        for each cluster, and the data.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzypairs.analysis.result_columns import result_columns, row_flags
    >>> U = np.array([[0.9, 0.1], [0.0, 1.0]])
    >>> columns = result_columns(None, U, U.argmax(axis=1), row_flags(U))
    >>> list(columns)[:5]
    ['row', 'label', 'certainty_percent', 'runner_up', 'flags']
    >>> columns["certainty_percent"].round(1).tolist()
    [80.0, 100.0]
    >>> list(result_columns(None, U, U.argmax(axis=1), top=1))[-2:]
    ['top_1', 'membership_1']
    """
    found: dict[str, Any] = (
        {"row": np.arange(len(labels))} if ids is None else {"id": ids}
    )
    sure = (100 * certainty(memberships)).astype(memberships.dtype)
    found["label"] = labels
    if len(names):
        found["cluster"] = np.array(names, dtype=object)[labels]
    found["certainty_percent"] = sure
    if flags is not None:
        second = runners_up(memberships)
        found["runner_up"] = pd.arrays.IntegerArray(second, second < 0)
        found["flags"] = flags
    if top is None:
        found |= {f"cluster_{k}": column for k, column in enumerate(memberships.T)}
    else:
        order = np.argsort(-memberships, axis=1, kind="stable")[:, :top]
        for m, clusters in enumerate(order.T, 1):
            found[f"top_{m}"] = clusters.astype(labels.dtype)
            found[f"membership_{m}"] = memberships[np.arange(len(order)), clusters]
    if data is not None:
        for name in data:
            called = f"{name} (data)" if name in found else str(name)
            found[called] = data[name].to_numpy()
    return found


def runners_up(memberships: Floats) -> Ints:
    """Return the cluster of the second largest membership; -1 if there is none."""
    if memberships.shape[1] == 1:
        return np.full(len(memberships), -1)
    # Of equal memberships the first one is the label, as argmax has it.
    rest = memberships.copy()
    rest[np.arange(len(rest)), rest.argmax(axis=1)] = -1.0
    return np.where(rest.max(axis=1) > 0.0, rest.argmax(axis=1), -1)


def write_memberships(
    path: Path,
    ids: NDArray[Any] | None,
    memberships: Floats,
    labels: Labels,
    *,
    flags: NDArray[Any] | None = None,
    data: pd.DataFrame | None = None,
    names: Sequence[str] = (),
) -> None:
    """Write a table of rows with their clusters; see `result_columns`."""
    told = row_flags(memberships) if flags is None else flags
    columns = result_columns(ids, memberships, labels, told, data, names=names)
    write_table(path, columns, decimals=DECIMALS)
