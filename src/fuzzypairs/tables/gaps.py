"""Memberships of rows with missing values: no surer than their known values allow.

The median in a gap is one row among many that the known values allow; a model takes it
for certain. Here each gap is filled by the values of several rows in turn, and
memberships are averaged. `experiments/gaps.py` compares this with partial distances.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from fuzzypairs._typing import Floats, Ints, Labels, Mask
from fuzzypairs.tables.features import Preparation
from fuzzypairs.threads import one_blas_thread

__all__ = [
    "MOSTLY_MISSING",
    "fill_by_donors",
    "labels_by",
    "lower_certainty",
    "mostly_missing",
]

# What results say of a row with fewer known than missing values.
MOSTLY_MISSING = "mostly missing"


def fill_by_donors(
    memberships_of: Callable[[Any], Floats], X: Floats, known: Mask, donors: Floats
) -> Floats:
    """Return mean memberships over fills of gaps by donors; 1/k where all is missing.

    Parameters
    ----------
    memberships_of : callable
        From features (n_samples, n_features) to memberships (n_samples, n_clusters).
    X : ndarray of shape (n_samples, n_features)
        Rows with gaps, filled in any way.
    known : ndarray of shape (n_samples, n_features), bool
        Which features are not filled.
    donors : ndarray of shape (n_donors, n_features)
        Rows without gaps.

    Returns
    -------
    memberships : ndarray of shape (n_samples, n_clusters)

    Examples
    --------
    >>> def nearest(X):
    ...     return np.column_stack([X.mean(axis=1) < 5, X.mean(axis=1) >= 5]) * 1.0
    >>> X = np.array([[9.0, 9.0], [9.0, 5.0], [5.0, 5.0]])
    >>> known = np.array([[True, True], [True, False], [False, False]])
    >>> fill_by_donors(nearest, X, known, donors=np.array([[0.0, 0.0], [9.0, 9.0]]))
    array([[0. , 1. ],
           [0.5, 0.5],
           [0.5, 0.5]])
    """
    found = np.mean(
        [memberships_of(np.where(known, X, donor)) for donor in donors], axis=0
    )
    found[~known.any(axis=1)] = 1 / found.shape[1]
    return np.asarray(found)


def lower_certainty(
    model: Any,
    preparation: Preparation,
    X: Floats,
    by_column: Mask,
    memberships: Floats,
    judged: Ints | None = None,
) -> Floats:
    """Return memberships in which rows with gaps are as sure as known values allow.

    Parameters
    ----------
    model : estimator
        Fitted to the features of `preparation`.
    preparation : Preparation
        Fitted.
    X : ndarray of shape (n_rows, n_features)
    by_column : ndarray of shape (n_rows, n_used), bool
        Which values are known, see `Preparation.read`.
    memberships : ndarray of shape (n_rows, n_clusters)
        With medians in the gaps.
    judged : ndarray of int, default=None
        Rows whose memberships follow from judgements too: they stay as they are.

    Returns
    -------
    memberships : ndarray of shape (n_rows, n_clusters)
    """
    known = preparation.known_features(by_column)
    # A row without any value has none to be judged by, though its empty categories are
    # levels of their own.
    known[~by_column.any(axis=1)] = False
    gappy = np.asarray(~known.all(axis=1))
    if judged is not None:
        gappy[judged] = False
    if not gappy.any() or not len(preparation.donors_):
        return memberships
    names = getattr(model, "feature_names_in_", None)
    lowered = memberships.copy()
    with one_blas_thread():
        lowered[gappy] = fill_by_donors(
            lambda rows: model.predict_proba(
                rows if names is None else pd.DataFrame(rows, columns=names)
            ),
            X[gappy],
            known[gappy],
            preparation.donors_,
        )
    return lowered


def labels_by(model: Any, memberships: Floats) -> Labels:
    """Return the clusters of rows, anew where memberships are not those of the model.

    Examples
    --------
    >>> from fuzzypairs import FDC
    >>> model = FDC(2, alpha=0, random_state=0).fit([[0.0], [0.1], [5.0], [5.1]])
    >>> labels_by(model, model.memberships_) is model.labels_
    True
    """
    if memberships is model.memberships_:
        return np.asarray(model.labels_)
    is_new = (memberships != model.memberships_).any(axis=1)
    return np.asarray(np.where(is_new, memberships.argmax(axis=1), model.labels_))


def mostly_missing(by_column: Mask) -> Mask:
    """Tell which rows have fewer known than missing values, shape (n_rows,).

    Parameters
    ----------
    by_column : ndarray of shape (n_rows, n_used), bool
        Which values are known, see `Preparation.read`.

    Examples
    --------
    >>> frame = pd.DataFrame({"x": [1.0, None, 3.0], "y": [2.0, None, 5.0]})
    >>> frame["z"] = [1.0, 2.0, 4.0]
    >>> mostly_missing(Preparation().fit(frame).read(frame)[1])
    array([False,  True, False])
    """
    return np.asarray(by_column.mean(axis=1) < 0.5)
