"""Checks of parameters; messages name the argument, what it was and may be."""

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from math import isfinite
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from fuzzypairs._typing import Floats

__all__ = [
    "check_bytes",
    "check_choice",
    "check_flag",
    "check_integer",
    "check_jobs",
    "check_number",
    "check_room",
    "check_seed",
    "check_weights",
    "is_whole",
    "suggest",
]

UNITS = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}


def is_whole(value: Any) -> bool:
    """Tell whether `value` is a whole number, of Python or NumPy, and no bool."""
    return isinstance(value, Integral) and not isinstance(value, bool)


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
    near = get_close_matches(str(word).casefold(), known, n=1)
    return f", did you mean {known[near[0]]!r}?" if near else ""


def check_integer(name: str, value: Any, least: int) -> int:
    """Return `value` as an int of at least `least`."""
    if type(value) is not int and not is_whole(value):
        raise TypeError(
            f"{name} must be a whole number of {least} or more, got {value!r} "
            f"of type {type(value).__name__}"
        )
    if value < least:
        raise ValueError(f"{name} must be {least} or more, got {value}")
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
    if not is_plain and (isinstance(value, bool) or not isinstance(value, Real)):
        raise TypeError(
            f"{name} must be a number{_or(words)}, got {value!r} "
            f"of type {type(value).__name__}"
        )
    number = float(value)
    if not (least <= number < below and isfinite(number)):
        limit = "" if np.isinf(below) else f" and below {below:g}"
        raise ValueError(
            f"{name} must be finite, {least:g} or more{limit}{_or(words)}, got {value}"
        )
    return number


def _or(words: Sequence[str]) -> str:
    return "".join(f', or "{word}"' for word in words)


def check_bytes(name: str, value: Any) -> int:
    """Return an amount of memory in bytes, given as a number or as in "1.5GB"."""
    if is_whole(value):
        amount = float(value)
    else:
        match = re.fullmatch(r"\s*([0-9.]+)\s*([KMGT]?B)\s*", str(value).upper())
        try:
            amount = float(match[1]) * UNITS[match[2]] if match else 0.0
        except ValueError:  # "1.2.3GB"
            amount = 0.0
    if not amount > 0:
        raise ValueError(
            f"{name} must be a number of bytes above 0, or a text like "
            f'"500MB" or "2GB", got {value!r}'
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
        raise ValueError(f"{name} must be one of {known}; got {value!r}")
    return value


def check_flag(name: str, value: Any) -> bool:
    """Return `value` if it is True or False."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be True or False, got {value!r}")
    return bool(value)


def check_jobs(n_jobs: Any) -> None:
    """Refuse what is no number of threads."""
    if n_jobs is not None and not (is_whole(n_jobs) and n_jobs):
        raise ValueError(
            f"n_jobs must be None or a whole number other than 0 (-1 for all cores), "
            f"got {n_jobs!r}"
        )


def check_seed(random_state: Any) -> np.random.RandomState:
    """Return the source of draws that `random_state` stands for."""
    if isinstance(random_state, Integral) and 0 <= int(random_state) < 2**32:
        # Ten times faster to seed than the Mersenne twister, which would take a
        # tenth of a small fit.
        return np.random.RandomState(np.random.PCG64(int(random_state)))
    try:
        source: np.random.RandomState = check_random_state(random_state)
    except ValueError as error:
        raise ValueError(
            "random_state must be None, a whole number from 0 to 2**32 - 1 or a "
            f"RandomState, got {random_state!r}: {error}"
        ) from None
    return source


def check_weights(sample_weight: ArrayLike | None, n_samples: int) -> Floats | None:
    """Return finite, non-negative weights of shape (n_samples,), or None."""
    if sample_weight is None:
        return None
    if isinstance(sample_weight, Real):
        sample_weight = np.full(n_samples, sample_weight)
    try:
        weight = np.ascontiguousarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
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
    if not weight.any():
        raise ValueError("sample_weight is all zero: every sample is left out; drop it")
    return weight
