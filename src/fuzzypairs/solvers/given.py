"""Labels and memberships given as a start."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzypairs._typing import Floats, Labels

# Tolerance of sums of memberships: it accepts float32 and printed decimals, not scores
# that were never normalised.
SUM_TOLERANCE = 1e-6


def read_given(init: Any, name: str, n_samples: int, n_clusters: int) -> NDArray[Any]:
    """Return labels (n_samples,) or memberships (n_samples, n_clusters), checked.

    Memberships are normalised to sum to 1 exactly, in a copy. Messages call the
    argument by `name`.
    """
    try:
        array = np.asarray(init)
    except Exception:  # rows of different lengths, or an object that fails
        array = np.empty((), dtype=object)
    if array.dtype.kind not in "biuf" or array.ndim not in (1, 2):
        raise ValueError(
            f"{name} is a {type(init).__name__} of shape {array.shape} and type "
            f"{array.dtype}, expected numbers: labels of shape ({n_samples},) or "
            f"memberships of shape ({n_samples}, {n_clusters})"
        )
    read = _read_labels if array.ndim == 1 else _read_memberships
    return read(array, name, n_samples, n_clusters)


def _read_labels(
    labels: NDArray[Any], name: str, n_samples: int, n_clusters: int
) -> Labels:
    if len(labels) != n_samples:
        raise ValueError(
            f"{name} has {len(labels)} labels but X has {n_samples} rows; "
            "give one label to each sample"
        )
    # Written so that NaN, which compares false, is refused as well.
    is_label = (labels >= 0) & (labels < n_clusters) & (labels == np.floor(labels))
    if not is_label.all():
        row = is_label.argmin()
        raise ValueError(
            f"{name}[{row}] is {labels[row]}, expected a whole number from 0 to "
            f"{n_clusters - 1}; raise n_clusters or number the labels from 0"
        )
    return labels.astype(np.intp)


def _read_memberships(
    U: NDArray[Any], name: str, n_samples: int, n_clusters: int
) -> Floats:
    if U.shape != (n_samples, n_clusters):
        raise ValueError(
            f"{name} has shape {U.shape}, expected ({n_samples}, {n_clusters}): one "
            "row for each sample of X and one column for each of n_clusters"
        )
    U = U.astype(np.float64)
    is_membership = np.isfinite(U) & (U >= 0)
    if not is_membership.all():
        row, cluster = np.argwhere(~is_membership)[0]
        raise ValueError(
            f"{name}[{row}, {cluster}] is {U[row, cluster]}, expected a membership "
            "between 0 and 1"
        )
    total = U.sum(axis=1)
    excess = np.abs(total - 1)
    if excess.max() > SUM_TOLERANCE:
        row = excess.argmax()
        raise ValueError(
            f"{name}[{row}] sums to {total[row]:g}, expected 1 within "
            f"{SUM_TOLERANCE:g}; divide each row by its sum"
        )
    U /= total[:, None]
    return U
