"""Data as they come: whether they need checks, and units that float64 can square."""

from typing import Any

import numpy as np

__all__ = ["in_units", "is_plain", "unit_of"]

# Data of other magnitudes are brought to about one first, so that no square and no
# product of distances leaves the range of float64.
PLAIN_MAGNITUDES = (1e-15, 1e15)
# Objectives of other magnitudes are out of that range themselves.
MAGNITUDES = (1e-151, 1e151)


def is_plain(X: Any) -> bool:
    """Tell whether X is as scikit-learn's validation would return it, without names.

    Its search for frames takes longer than a small fit.
    """
    return (
        type(X) is np.ndarray
        and X.ndim == 2
        and X.dtype in (np.float64, np.float32)
        and X.flags.c_contiguous
        and X.size > 0
        and bool(np.isfinite(X.sum(dtype=np.float64)))
    )


def unit_of(X: Any) -> float:
    """Return the power of two that X is multiplied with inside, mostly 1."""
    reach = max(-float(X.min()), float(X.max()))
    if reach == 0.0 or PLAIN_MAGNITUDES[0] < reach < PLAIN_MAGNITUDES[1]:
        return 1.0
    if not MAGNITUDES[0] <= reach <= MAGNITUDES[1]:
        raise ValueError(
            f"X reaches {reach:g}, expected a magnitude from {MAGNITUDES[0]:g} to "
            f"{MAGNITUDES[1]:g}, whose square float64 can hold; rescale X"
        )
    return float(np.ldexp(1.0, -int(np.frexp(reach)[1])))


def in_units(X: Any, unit: float) -> Any:
    """Return X times `unit`; X itself where that is 1."""
    return X if unit == 1.0 else X.astype(np.float64) * unit
