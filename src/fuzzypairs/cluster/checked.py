"""The data of a fit, read once: samples, judgements and weights as checked objects."""

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import numpy as np
from sklearn.utils import check_array
from sklearn.utils.validation import validate_data

from fuzzypairs._typing import Floats
from fuzzypairs.pairs import PairSet
from fuzzypairs.spaces.space import Space
from fuzzypairs.spaces.vectors import Euclidean
from fuzzypairs.validation import check_kind, check_weights, naming

__all__ = [
    "CheckedData",
    "in_units",
    "read_data",
    "read_samples",
    "require_finite",
    "restoring",
    "store",
    "unit_of",
]

Fit = TypeVar("Fit", bound=Callable[..., Any])

# Data of other magnitudes are scaled to about one first, so that no square or product
# of distances overflows.
PLAIN_MAGNITUDES = (1e-15, 1e15)
# Other magnitudes are refused: their objectives overflow.
MAGNITUDES = (1e-151, 1e151)


@dataclass(frozen=True, eq=False)
class CheckedData:
    """The checked arguments of `fit`."""

    given: Any  # (n_samples, n_features) finite float32 or float64, or sparse
    pairs: PairSet  # each pair once
    weight: Floats | None  # (n_samples,)
    unit: float  # power of two that samples are multiplied by in a fit, usually 1
    names: Mapping[str, Any]  # n_features_in_ and feature_names_in_, as scikit-learn's
    judgements: PairSet  # as given: one judgement a pair and judge

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
    """Check the arguments of `fit`, for the metric of `space`."""
    if is_plain(X):
        given, names = X, {"n_features_in_": X.shape[1]}
    else:
        # On a new estimator: a fit that fails does not change the user's.
        blank = estimator()
        given = read_samples(blank, X, space, accepts_sparse=accepts_sparse, reset=True)
        names = {n: v for n, v in vars(blank).items() if n.endswith("_in_")}
    n_samples = given.shape[0]
    weight = None
    if sample_weight is not None:
        weight = check_weights(sample_weight, n_samples)
    unit = unit_of(given) if type(space) is Euclidean else 1.0
    judged = PairSet.coerce(pairs, n_samples)
    return CheckedData(given, judged.merged, weight, unit, names, judged)


def read_samples(
    model: Any, X: Any, space: Space, *, accepts_sparse: bool, reset: bool
) -> Any:
    """Return X as finite floats in C order; `reset` stores its columns in `model`."""
    options: dict[str, Any] = {
        "dtype": [np.float64, np.float32],
        "order": "C",
        "accept_sparse": "csr" if accepts_sparse else False,
    }
    with naming("X"):
        check_kind("X", X)
        if space.pairwise and not reset:
            # The space checks the columns of new samples itself.
            return check_array(X, input_name="X", **options)
        return validate_data(model, X, **options, reset=reset)


def is_plain(X: Any) -> bool:
    """Tell whether X needs no validation, which takes longer than a small fit."""
    if not (
        type(X) is np.ndarray
        and X.ndim == 2
        and X.dtype in (np.float64, np.float32)
        and X.flags.c_contiguous
        and X.size > 0
    ):
        return False
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(X.sum(dtype=np.float64)))


def unit_of(X: Any) -> float:
    """Return the power of two that X is multiplied by in a fit, usually 1."""
    reach = max(-float(X.min()), float(X.max()))
    if reach == 0.0 or PLAIN_MAGNITUDES[0] < reach < PLAIN_MAGNITUDES[1]:
        return 1.0
    if not MAGNITUDES[0] <= reach <= MAGNITUDES[1]:
        raise ValueError(
            f"X reaches {reach:g}, expected a magnitude from {MAGNITUDES[0]:g} to "
            f"{MAGNITUDES[1]:g}, whose square float64 can hold; rescale X"
        )
    return float(np.ldexp(1.0, -int(np.frexp(reach)[1])))


def require_finite(computed: Floats) -> Floats:
    """Return what was computed of each row of X, or name a row that is too large."""
    is_finite = np.isfinite(computed).all(axis=1)
    if not is_finite.all():
        raise ValueError(
            f"X[{is_finite.argmin()}] is so far from the prototypes that squared "
            "distances leave the range of float64; rescale X, or drop this row"
        )
    return computed


def in_units(X: Any, unit: float) -> Any:
    """Return X times `unit`; X itself where that is 1."""
    return X if unit == 1.0 else X.astype(np.float64) * unit


def restoring(fit: Fit) -> Fit:
    """Let a fit that fails or is interrupted leave its estimator as it was."""

    @functools.wraps(fit)
    def restored(self: Any, *args: Any, **kwargs: Any) -> Any:
        before = dict(vars(self))
        try:
            return fit(self, *args, **kwargs)
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise

    return cast(Fit, restored)


def store(model: Any, **attributes: Any) -> None:
    """Replace the attributes of an earlier fit by new ones."""
    # Other names are not from a fit: pipelines set attributes of a model.
    state = vars(model)
    for name in list(state):
        if name[-1] == "_":
            del state[name]
    state.update(attributes)
