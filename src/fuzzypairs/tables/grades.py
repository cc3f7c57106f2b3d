"""Grades as people write them: words and scales, read as numbers from -1 to 1."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from fuzzypairs._typing import Floats
from fuzzypairs.exceptions import PairsError

__all__ = ["SCALES", "check_scale", "grades_of"]

# Scales that --grade-scale takes by name; LOW-HIGH stands for any other.
SCALES = ("yes/no", "1-5", "0-100", "0-1", "-1-1")
ALIKE = {
    "yes", "y", "true", "t", "alike", "same", "similar", "equal", "match", "together",
    "must", "must-link", "must link", "ja", "j", "gleich", "oui", "si", "sí", "+",
}  # fmt: skip
UNLIKE = {
    "no", "n", "false", "f", "unlike", "different", "dissimilar", "unequal", "differs",
    "no match", "apart", "cannot", "cannot-link", "cannot link", "not alike",
    "not same", "not similar", "nein", "verschieden", "non", "-", "\u2212",
}  # fmt: skip
UNSURE = {
    "?", "cannot decide", "can't decide", "no opinion", "k.a.", "unsure",
    "can't say", "cannot say", "can\u2019t say", "don't know",
    "do not know", "unknown", "maybe", "undecided", "not sure", "weiß nicht", "skip",
}  # fmt: skip
WORDS = dict.fromkeys(ALIKE, 1.0) | dict.fromkeys(UNLIKE, -1.0)
WORDS |= dict.fromkeys(UNSURE, 0.0)
WORDS = {word.casefold(): grade for word, grade in WORDS.items()}
# From so many grades on, 5 is no longer missing from a scale by chance.
ENOUGH = 20
# Zeros in a larger share of the grades are not rows that nobody could decide.
MOST_UNDECIDED = 0.25
RANGE = re.compile(r"(-?\d+(?:\.\d+)?)\s*(?:-|\.\.|:|to)\s*(-?\d+(?:\.\d+)?)")
MIXED = "has the grade {!r} but others are numbers: take one kind"
EXPECTED = f"expected one of {', '.join(SCALES)}, or another such as 1-7"


def grades_of(words: Sequence[Any], scale: str | None = None) -> tuple[Floats, str]:
    """Return grades from -1 (unlike) to 1 (alike), and the scale that was read.

    Parameters
    ----------
    words : sequence of str, shape (n_pairs,)
        Words such as yes and no, or numbers. An empty one and "?" are no opinion, and
        so is 0 on a scale that begins above it.
    scale : str, default=None
        One of `SCALES` or LOW-HIGH; None recognises words, numbers from -1 to 1 with
        both signs, 0 and 1, whole numbers from 1 to 4 or 5, and 0 to 100.

    Returns
    -------
    grades : ndarray of shape (n_pairs,)
    scale : str

    Examples
    --------
    >>> grades_of(["same", "different", "can't say"])
    (array([ 1., -1.,  0.]), 'yes/no')
    >>> grades_of(["1", "4", "5"])
    (array([-1. ,  0.5,  1. ]), '1-5')
    """
    spelt = [str(word).strip().casefold() for word in words]
    empty = np.array([pd.isna(word) or not str(word).strip() for word in words], bool)
    if empty.all():
        _refuse(empty, "has no grade, and neither have others")
    spelt = ["?" if none else word for none, word in zip(empty, spelt, strict=True)]
    # A comma before decimals, and percent signs.
    numbers = pd.to_numeric(
        pd.Series([re.sub(r"(?<=\d),(?=\d)", ".", w).rstrip("% ") for w in spelt]),
        errors="coerce",
    ).to_numpy(dtype=np.float64)
    known = np.array([word in WORDS for word in spelt], dtype=bool)
    odd = ~known & np.isnan(numbers)
    seen = [str(word) for word in words]
    _refuse(
        odd, lambda at: f"has the grade {seen[at]!r}: expected a number, or yes or no"
    )
    unsure = known & np.array([WORDS.get(word) == 0 for word in spelt])
    if scale is None:
        binary = known | np.isin(numbers, [0, 1])
        worded = binary.all() and (known & ~unsure).any()
        if not worded:
            _refuse(known & ~unsure, lambda at: MIXED.format(seen[at]))
        scale = "yes/no" if worded or known.all() else _recognise(numbers[~known])
    if scale == "yes/no":
        binary = np.where(numbers == 1, 1.0, np.where(numbers == 0, -1.0, np.nan))
        grades = np.array([WORDS.get(word, np.nan) for word in spelt])
        grades = np.where(known, grades, binary)
        _refuse(
            np.isnan(grades),
            lambda at: f"has the grade {seen[at]!r}: expected yes or no, or 1 or 0",
        )
        return grades, scale
    low, high = _ends(scale)
    # "Can't say" has a place on every scale; yes beside numbers has none.
    _refuse(known & ~unsure, lambda at: MIXED.format(seen[at]))
    unsure |= (numbers == 0) & (low > 0)
    wrong = ~unsure & ~((numbers >= low) & (numbers <= high))
    _refuse(
        wrong,
        lambda at: (
            f"has grade {numbers[at]:g}; expected {low:g} (unlike) to {high:g} "
            "(alike), or another --grade-scale"
        ),
    )
    # Numbers from -1 to 1 stay as they are written, to the last digit.
    plain = (low, high) == (-1.0, 1.0)
    grades = numbers if plain else 2 * (numbers - low) / (high - low) - 1
    return np.where(unsure, 0.0, grades), scale


def _recognise(numbers: Floats) -> str:
    """Return the scale that numbers are on, where they leave no doubt."""
    least, most = float(numbers.min()), float(numbers.max())
    whole = bool((numbers % 1 == 0).all())
    if least < 0 or (most <= 1 and least >= 0.5):
        return "-1-1"
    if most <= 1 and whole:
        # Zeros alone say "can't say", with ones they say no.
        return "yes/no" if most > least else "-1-1"
    if most <= 1:
        raise PairsError(
            f"all grades lie in 0 to 1 (from {least:g} to {most:g}): add --grade-scale "
            "0-1 if 0 means unlike, or --grade-scale=-1-1 if 0 means can't say"
        )
    opinions = numbers[numbers != 0]
    if whole and most == 5 and least >= 1:
        return "1-5"
    if whole and most == 4 and opinions.min() >= 1:
        few_zeros = len(opinions) >= (1 - MOST_UNDECIDED) * len(numbers)
        if len(numbers) >= ENOUGH and few_zeros:
            return "1-4"
        raise PairsError(
            f"grades run from {least:g} to 4: add --grade-scale 1-4 or 1-5 (0 is no "
            "opinion then), or 0-4 if 0 means unlike"
        )
    if 10 < most <= 100:
        return "0-100"
    raise PairsError(
        f"grades run from {least:g} to {most:g}: say on which scale by --grade-scale, "
        "such as 1-5, 1-7 or 0-100"
    )


def check_scale(scale: str) -> None:
    """Refuse a scale that is none."""
    if scale != "yes/no":
        _ends(scale)


def _ends(scale: str) -> tuple[float, float]:
    found = RANGE.fullmatch(scale.strip())
    if not found or float(found[1]) >= float(found[2]):
        raise PairsError(f"--grade-scale is {scale!r}: {EXPECTED}")
    return float(found[1]), float(found[2])


def _refuse(wrong: Any, reason: Any) -> None:
    if wrong.any():
        at = int(wrong.argmax())
        raise PairsError(reason if isinstance(reason, str) else reason(at), index=at)
