"""What estimators share: input is read once, and a failed fit changes nothing."""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from fuzzypairs._typing import Floats
from fuzzypairs.pairs import PairSet
from fuzzypairs.validation import check_bytes, check_room

__all__ = ["read", "store"]


def read(
    model: BaseEstimator,
    X: Any,
    pairs: Any,
    bytes_needed: Callable[[int, int], int],
    **options: Any,
) -> tuple[Floats, PairSet, dict[str, Any]]:
    """Return checked X and pairs, and the attributes that describe the features.

    Work that needs more bytes, from `bytes_needed` of the shape of X, than
    ``model.memory`` allows is refused.
    """
    allowed = check_bytes("memory", model.memory)
    # A blank model takes the attributes: a fit that fails leaves this one as it was.
    blank = type(model)()
    data: Floats = validate_data(blank, X, dtype=np.float64, **options)
    judged = PairSet.coerce(pairs, len(data))
    check_room(type(model).__name__, len(data), bytes_needed(*data.shape), allowed)
    return data, judged, {n: v for n, v in vars(blank).items() if n.endswith("_in_")}


def store(model: BaseEstimator, **learned: Any) -> None:
    """Replace the fitted attributes of an earlier fit, if any, by new ones."""
    # What ends otherwise is not from a fit: pipelines keep notes on a model.
    for name in [name for name in vars(model) if name.endswith("_")]:
        delattr(model, name)
    vars(model).update(learned)
