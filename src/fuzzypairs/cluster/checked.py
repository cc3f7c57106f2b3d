"""The data of a fit, read once: samples, judgements and weights as checked objects."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_array
from sklearn.utils.validation import validate_data

from fuzzypairs._typing import Floats
from fuzzypairs.pairs import PairSet
from fuzzypairs.spaces.space import Space
from fuzzypairs.spaces.vectors import Euclidean
from fuzzypairs.validation import check_weights

__all__ = ["CheckedData", "in_units", "read_data", "read_samples", "store", "unit_of"]

# Data of other magnitudes are brought to about one first, so that no square and no
# product of distances leaves the range of float64.
PLAIN_MAGNITUDES = (1e-15, 1e15)
# Objectives of other magnitudes are out of that range themselves.
MAGNITUDES = (1e-151, 1e151)


@dataclass(frozen=True, eq=False)
class CheckedData:
    """What a fit works on.

    Attributes
    ----------
    given : array or sparse matrix of shape (n_samples, n_features)
        Finite float32 or float64.
    pairs : PairSet
    weight : ndarray of shape (n_samples,) or None
    unit : float
        The power of two that samples are multiplied with inside a fit, mostly 1.
    names : mapping of str to object
        What scikit-learn keeps of X: `n_features_in_` and, if X has names of type str,
        `feature_names_in_`.
    """

    given: Any
    pairs: PairSet
    weight: Floats | None
    unit: float
    names: Mapping[str, Any]

    @property
    def X(self) -> Any:  # noqa: N802 - the name of the mathematics
        """The samples in the units of the fit."""
        return self.given if self.unit == 1.0 else in_units(self.given, self.unit)

    @property
    def n_samples(self) -> int:
        """Number of rows of X."""
        return int(self.given.shape[0])


def read_data(
    estimator: type,
    X: Any,
    pairs: Any,
    sample_weight: Any,
    space: Space,
    *,
    accepts_sparse: bool,
) -> CheckedData:
    """Check what `fit` of an estimator was given, for the metric of `space`."""
    if is_plain(X):
        given, names = X, {"n_features_in_": X.shape[1]}
    else:
        # On a blank estimator: a fit that fails leaves the user's as it was.
        blank = estimator()
        given = read_samples(blank, X, space, accepts_sparse=accepts_sparse, reset=True)
        names = {n: v for n, v in vars(blank).items() if n.endswith("_in_")}
    n_samples = given.shape[0]
    weight = None
    if sample_weight is not None:
        weight = check_weights(sample_weight, n_samples)
    unit = unit_of(given) if type(space) is Euclidean else 1.0
    return CheckedData(given, PairSet.coerce(pairs, n_samples), weight, unit, names)


def read_samples(
    model: Any, X: Any, space: Space, *, accepts_sparse: bool, reset: bool
) -> Any:
    """Return X as finite floats in C order; with `reset` its columns are noted."""
    options: dict[str, Any] = {
        "dtype": [np.float64, np.float32],
        "order": "C",
        "accept_sparse": "csr" if accepts_sparse else False,
    }
    if space.pairwise and not reset:
        # The space itself knows what columns new samples must have.
        return check_array(X, **options)
    return validate_data(model, X, **options, reset=reset)


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


def store(model: Any, **attributes: Any) -> None:
    """Replace the fitted attributes of an earlier fit, if any, by new ones."""
    # What ends otherwise is not from a fit: pipelines keep notes on a model.
    state = vars(model)
    for name in list(state):
        if name[-1] == "_":
            del state[name]
    state.update(attributes)
