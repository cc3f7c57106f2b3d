"""Checks of labels and memberships; messages name the argument."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fuzzypairs._typing import Floats
from fuzzypairs.validation import check_kind, naming

# Rows of memberships read from a table of four decimals may sum to this much more
# or less than 1.
ROW_SUM_TOLERANCE = 1e-3
# Sums of squares of larger values overflow.
LARGEST = 1e100


def as_memberships(
    name: str, memberships: ArrayLike, *, shares: bool = False
) -> Floats:
    """Return a finite, non-empty matrix; its rows must sum to 1 only if `shares`."""
    try:
        check_kind(name, memberships)
        given = np.asarray(memberships)
        if given.dtype.kind in "cmM":  # would be read as their real parts, or counts
            raise TypeError(f"they are of type {given.dtype}")
        with np.errstate(over="ignore"):  # refused as infinite
            U = np.asarray(given, dtype=np.float64)
    except Exception as error:  # also of objects that fail when they are read
        raise ValueError(f"{name} must be a matrix of numbers: {error}") from None
    if U.ndim != 2 or not U.size:
        raise ValueError(
            f"{name} has shape {U.shape}: expected memberships "
            "(n_samples, n_clusters) with a row and a column at least"
        )
    wrong = ~(np.abs(U) <= LARGEST)
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        raise ValueError(
            f"{name}[{row}, {column}] is {U[row, column]}: memberships must be finite "
            f"and at most {LARGEST:g}"
        )
    if shares:
        total = U.sum(axis=1)
        wrong = (np.abs(total - 1) > ROW_SUM_TOLERANCE) | (U < 0).any(axis=1)
        if wrong.any():
            row = int(np.argmax(wrong))
            raise ValueError(
                f"{name}[{row}] sums to {total[row]:.6g} with the least entry "
                f"{U[row].min():.6g}: expected entries of 0 or more that sum to 1; "
                "divide each row by its sum"
            )
    return U


def as_labels(name: str, result: ArrayLike) -> NDArray[Any]:
    """Return labels as they are, and memberships by their largest entry, eq. (1)."""
    with naming(name):
        check_kind(name, result)
        array: NDArray[Any] = np.asarray(result)
    if array.dtype.kind not in "biufOUS":
        raise ValueError(
            f"{name} is of type {array.dtype}: expected labels or memberships"
        )
    if array.ndim == 2:
        U = as_memberships(name, array)
        if U.shape[1] == 1 and np.ptp(U) > ROW_SUM_TOLERANCE:
            # Labels in a column would all count as the one cluster of memberships.
            raise ValueError(
                f"{name} has shape {U.shape} and different values: expected labels "
                "(n_samples,); pass its only column"
            )
        return np.asarray(U.argmax(axis=1))
    if array.ndim != 1:
        raise ValueError(
            f"{name} has shape {array.shape}: expected labels (n_samples,) or "
            "memberships (n_samples, n_clusters)"
        )
    if array.dtype.kind == "f" and np.isnan(array).any():
        row = int(np.argmax(np.isnan(array)))
        raise ValueError(
            f"{name}[{row}] is nan: expected a label of every sample; drop the samples "
            "without one"
        )
    if array.dtype.kind == "O":
        try:
            np.unique(array)
        except Exception as error:  # also of objects that fail when they are compared
            raise ValueError(
                f"{name} holds labels that cannot be compared, expected numbers or "
                f"texts, none of them missing: {error}"
            ) from None
    return array


def check_lengths(**arrays: NDArray[Any]) -> None:
    """Refuse two arrays, given by name, that are not about the same samples."""
    (first, one), (second, other) = arrays.items()
    if len(one) != len(other):
        raise ValueError(
            f"{first} has {len(one)} samples but {second} has {len(other)}: expected "
            "the same samples in the same order"
        )
