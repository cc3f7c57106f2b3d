"""Checks of parameters; messages name the argument, what it was and may be."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from inspect import signature
from math import isfinite
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.utils import check_array, check_random_state
from sklearn.utils.validation import check_is_fitted

from fuzzypairs._typing import Floats

__all__ = [
    "check_bytes",
    "check_choice",
    "check_fitted",
    "check_flag",
    "check_function",
    "check_heaviest",
    "check_integer",
    "check_jobs",
    "check_kind",
    "check_number",
    "check_room",
    "check_seed",
    "check_weights",
    "is_whole",
    "naming",
    "read_array",
    "read_generator",
    "read_names",
    "read_weights",
    "shown",
    "suggest",
]

# Counts above this are mistakes; indices in the core are of 64 bits.
MOST = 2**31 - 1
# Entries of a seed that is a sequence.
MOST_SEEDS = 1000
# Products of other weights with distances leave the range of float64.
LIGHTEST, HEAVIEST = 1e-100, 1e100
UNITS = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}


def shown(value: Any) -> str:
    """Return a value as messages show it, which no value makes fail.

    Examples
    --------
    >>> shown("auto")
    "'auto'"
    >>> shown(10**5000)  # Python refuses to write it
    'an int that cannot be printed'
    """
    try:
        return f"{value!r:.200}"
    except Exception:
        name = type(value).__name__
        return f"a{'n' * (name[0] in 'aeiouAEIOU')} {name} that cannot be printed"


def is_whole(value: Any) -> bool:
    """Tell whether `value` is a whole number, of Python or NumPy, and no bool."""
    # Durations are integers to NumPy.
    return isinstance(value, Integral) and not isinstance(value, bool | np.timedelta64)


def suggest(word: object, choices: Iterable[object]) -> str:
    """Return the words ", did you mean ...?" if one of `choices` is spelt alike.

    Examples
    --------
    >>> suggest("bottel", ["bottle", "acid"])
    ", did you mean 'bottle'?"
    >>> suggest("colour", ["bottle", "acid"])
    ''
    """
    known = {str(choice).casefold(): str(choice) for choice in choices}
    near = get_close_matches(shown(word).strip("'").casefold(), known, n=1)
    return f", did you mean {known[near[0]]!r}?" if near else ""


def check_integer(name: str, value: Any, least: int) -> int:
    """Return `value` as an int from `least` to `MOST`."""
    if type(value) is not int and not is_whole(value):
        raise TypeError(
            f"{name} must be a whole number of {least} or more, got {shown(value)} "
            f"of type {type(value).__name__}"
        )
    if not least <= value <= MOST:
        limit = f"{least} or more" if value < least else f"{MOST} or less"
        raise ValueError(f"{name} must be {limit}, got {shown(int(value))}")
    return int(value)


def check_number(
    name: str,
    value: Any,
    least: float,
    below: float = np.inf,
    *,
    words: Sequence[str] = (),
) -> float:
    """Return `value` as a finite float in [least, below).

    The message also lists the `words` that may stand for a number.
    """
    is_plain = type(value) is float or type(value) is int
    is_none = isinstance(value, bool | np.timedelta64) or not isinstance(value, Real)
    if not is_plain and is_none:
        raise TypeError(
            f"{name} must be a number{_or(words)}, got {shown(value)} "
            f"of type {type(value).__name__}"
        )
    try:
        number = float(value)
    except OverflowError:  # a whole number of more than 308 digits
        number = np.inf
    if not (least <= number < below and isfinite(number)):
        limit = "" if np.isinf(below) else f" and below {below:g}"
        raise ValueError(
            f"{name} must be finite, {least:g} or more{limit}{_or(words)}, got "
            f"{shown(value)}"
        )
    return number


@contextmanager
def naming(argument: str) -> Iterator[None]:
    """Name `argument` in errors about it that other libraries or its objects raise.

    Examples
    --------
    >>> with naming("X"):
    ...     float("a")
    Traceback (most recent call last):
        ...
    ValueError: X cannot be read: could not convert string to float: 'a'
    """
    try:
        yield
    except MemoryError as error:
        raise MemoryError(f"{argument} does not fit into memory: {error}") from error
    except Exception as error:
        is_usual = isinstance(error, ValueError | TypeError)
        if is_usual and re.search(rf"\b{argument}\b", str(error)):
            raise
        kind = ValueError if isinstance(error, ValueError) else TypeError
        said = f"{error}" if is_usual else f"{type(error).__name__}: {error}"
        raise kind(f"{argument} cannot be read: {said}") from error


def check_kind(name: str, values: Any) -> None:
    """Refuse dates, masked values, tables not yet computed and broken sparse matrices.

    NumPy would read the first two as plain numbers, and the last are not checked by
    those who use them.
    """
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        n_masked = int(np.ma.getmaskarray(values).sum())
        raise ValueError(
            f"{name} has {n_masked} masked values, expected none; fill them in by "
            "filled(), or drop their rows"
        )
    if sparse.issparse(values):
        with naming(name):
            _check_sparse(name, values)
        return
    if hasattr(values, "collect_schema") and hasattr(values, "collect"):
        raise TypeError(f"{name} is a lazy table, expected its values; use collect()")
    kinds = getattr(values, "dtypes", None)
    if kinds is None:
        kinds = [values.dtype] if hasattr(values, "dtype") else []
    for kind in kinds if np.iterable(kinds) else [kinds]:
        # Of NumPy and pandas, and of polars.
        is_time = getattr(kind, "kind", "") in ("m", "M")
        if is_time or getattr(kind, "is_temporal", bool)():
            raise TypeError(
                f"{name} holds dates or durations ({kind}), expected numbers; turn "
                "them into numbers of a unit that you choose"
            )


def read_array(name: str, values: Any, **options: Any) -> Any:
    """Return what scikit-learn's ``check_array(values, **options)`` does, by name."""
    with naming(name):
        check_kind(name, values)
        with np.errstate(over="ignore"):  # refused as infinite
            return check_array(values, input_name=name, **options)


def read_names(names: Any, n_items: int) -> Any:
    """Return a list of names of `n_items` things; their numbers if there is none."""
    if names is None:
        return range(n_items)
    with naming("names"):
        return list(names)


def read_generator(
    random_state: Any, name: str = "random_state"
) -> np.random.Generator:
    """Return NumPy's generator of `random_state`."""
    with naming(name):
        # NumPy reads a sequence to its end, which may be far.
        if isinstance(random_state, Sequence) and len(random_state) > MOST_SEEDS:
            raise ValueError(f"has {len(random_state)} entries")
        return np.random.default_rng(random_state)


def _check_sparse(name: str, values: Any) -> None:
    """Refuse indices outside the shape, which would be read outside the arrays."""
    if values.format in ("csr", "csc", "bsr"):
        # SciPy looks at nothing if the last entry is negative.
        if (np.diff(values.indptr) < 0).any():
            raise ValueError(f"{name} is a sparse matrix whose indptr decreases")
        values.check_format(full_check=True)
    elif values.format == "coo":
        for index, size in zip(values.coords, values.shape, strict=True):
            if len(index) and not (index.min() >= 0 and index.max() < size):
                raise ValueError(
                    f"{name} has an index outside its shape {values.shape}"
                )


def _or(words: Sequence[str]) -> str:
    return "".join(f', or "{word}"' for word in words)


def check_bytes(name: str, value: Any) -> int:
    """Return an amount of memory in bytes, given as a number or as in "1.5GB"."""
    if is_whole(value):
        amount = float(min(max(value, 0), 2**62))
    else:
        text = value.upper() if isinstance(value, str) else ""
        match = re.fullmatch(r"\s*([0-9.]+)\s*([KMGT]?B)\s*", text)
        try:
            amount = float(match[1]) * UNITS[match[2]] if match else 0.0
        except ValueError:  # "1.2.3GB"
            amount = 0.0
    if not amount > 0:
        raise ValueError(
            f"{name} must be a number of bytes above 0, or a text like "
            f'"500MB" or "2GB", got {shown(value)}'
        )
    return int(amount)


def check_room(method: str, n_samples: int, needed: int, allowed: int) -> None:
    """Refuse a method that needs more than the allowed bytes, before it takes them."""
    if needed > allowed:
        raise MemoryError(
            f"{method} needs about {needed / 1e9:.3g} GB for {n_samples} samples but "
            f"memory allows {allowed / 1e9:.3g} GB; raise memory, or fit a sample of "
            "the rows"
        )


def check_choice(name: str, value: Any, choices: Sequence[str]) -> str:
    """Return `value` if it is one of `choices`."""
    if not isinstance(value, str) or value not in choices:
        known = ", ".join(f'"{choice}"' for choice in choices)
        raise ValueError(f"{name} must be one of {known}; got {shown(value)}")
    return value


def check_flag(name: str, value: Any) -> bool:
    """Return `value` if it is True or False."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be True or False, got {shown(value)}")
    return bool(value)


def check_function(name: str, function: Any, *arguments: str) -> None:
    """Refuse a function that cannot be called with these arguments by position.

    Examples
    --------
    >>> check_function("metric", lambda A: A, "A", "B")
    Traceback (most recent call last):
        ...
    TypeError: metric must be a function of (A, B): too many positional arguments
    """
    expected = ", ".join(arguments)
    if not callable(function):
        raise TypeError(
            f"{name} must be a function of ({expected}), got {shown(function)}"
        )
    try:
        found = signature(function)
    except Exception:  # of some compiled functions and odd objects it is not known
        return
    try:
        found.bind(*arguments)
    except TypeError as error:
        raise TypeError(f"{name} must be a function of ({expected}): {error}") from None


def check_fitted(name: str, model: Any, attribute: str | None = None) -> None:
    """Refuse what is no fitted estimator, or has no such attribute."""
    if not hasattr(type(model), "fit"):
        raise TypeError(f"{name} is {shown(model)}, expected a fitted estimator")
    check_is_fitted(model, attribute)


def check_jobs(n_jobs: Any) -> None:
    """Refuse what is no number of threads."""
    if n_jobs is not None and not (is_whole(n_jobs) and 0 < abs(int(n_jobs)) <= MOST):
        raise ValueError(
            f"n_jobs must be None or a whole number other than 0 (-1 for all cores), "
            f"got {shown(n_jobs)}"
        )


def check_seed(random_state: Any) -> np.random.RandomState:
    """Return the source of draws that `random_state` stands for."""
    is_time = type(random_state) is np.timedelta64  # an integer to NumPy
    is_number = isinstance(random_state, Integral) and not is_time
    if is_number and 0 <= int(random_state) < 2**32:
        # Ten times faster to seed than the Mersenne twister, which would take a
        # tenth of a small fit.
        return np.random.RandomState(np.random.PCG64(int(random_state)))
    try:
        if is_time:
            raise TypeError("a duration is no seed")
        source: np.random.RandomState = check_random_state(random_state)
    except (TypeError, ValueError, RuntimeError) as error:
        raise ValueError(
            "random_state must be None, a whole number from 0 to 2**32 - 1 or a "
            f"RandomState, got {shown(random_state)}: {error}"
        ) from None
    return source


def check_weights(sample_weight: ArrayLike | None, n_samples: int) -> Floats | None:
    """Return finite, non-negative weights of shape (n_samples,), or None."""
    if sample_weight is None:
        return None
    weight = read_weights(sample_weight, n_samples)
    check_heaviest(float(weight.max(initial=0.0)))
    return weight


def read_weights(sample_weight: Any, n_samples: int) -> Floats:
    """Return finite, non-negative weights, which may all be 0."""
    with naming("sample_weight"):
        check_kind("sample_weight", sample_weight)
    try:
        if isinstance(sample_weight, Real):
            sample_weight = np.full(n_samples, sample_weight, dtype=np.float64)
        given = np.asarray(sample_weight)
        if given.dtype.kind in "cmM":  # would be read as their real parts, or counts
            raise TypeError(f"they are of type {given.dtype}")
        with np.errstate(over="ignore"):  # of a longdouble: refused below
            weight = np.ascontiguousarray(given, dtype=np.float64)
    except Exception as error:  # also of objects that fail when they are read
        raise ValueError(f"sample_weight must be numbers: {error}") from None
    if weight.ndim != 1:
        raise ValueError(
            f"sample_weight must be one-dimensional, got {weight.ndim} dimensions: "
            "Sample weights must be 1D array or scalar"
        )
    if len(weight) != n_samples:
        raise ValueError(
            f"sample_weight has {len(weight)} entries but X has {n_samples} rows"
        )
    wrong = ~(np.isfinite(weight) & (weight >= 0.0))
    if wrong.any():
        first = int(np.argmax(wrong))
        raise ValueError(
            f"sample_weight[{first}] is {weight[first]}; weights must be finite and "
            "not negative"
        )
    return weight


def check_heaviest(weight: float) -> None:
    """Refuse a largest weight of 0, or whose products leave the range of float64."""
    if weight == 0.0:
        raise ValueError("sample_weight is all zero: every sample is left out; drop it")
    if not LIGHTEST <= weight <= HEAVIEST:
        raise ValueError(
            f"sample_weight reaches {weight:g}, expected a largest weight from "
            f"{LIGHTEST:g} to {HEAVIEST:g}; divide all weights by their mean"
        )
