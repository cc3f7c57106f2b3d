"""Imperfect annotators: errors, noise and bias in judgements."""

from dataclasses import replace
from typing import Any

import numpy as np

from fuzzypairs._typing import Floats
from fuzzypairs.pairs import PairSet
from fuzzypairs.validation import check_integer, check_number, read_generator, shown


def flip_pairs(
    pairs: PairSet, rate: float, random_state: int | np.random.Generator
) -> PairSet:
    """Reverse the sign of some judgements, to simulate mistakes.

    Parameters
    ----------
    pairs : PairSet
        Judgements; "can't say" stays as it is and is not counted.
    rate : float
        Share of the judgements that are reversed, from 0 to 1: exactly
        ``round(rate * n)`` of the n informative ones.
    random_state : int or Generator
        Seeds the choice. With one seed the reversed pairs of a lower rate are among
        those of a higher one.

    Returns
    -------
    pairs : PairSet
        The same pairs.

    Examples
    --------
    >>> from fuzzypairs import PairSet
    >>> from fuzzypairs.datasets import flip_pairs
    >>> pairs = PairSet([0, 1, 2, 3], [4, 5, 6, 7], [1, 0.5, 0.5, 0.25])
    >>> flip_pairs(pairs, 0.5, random_state=0).dissimilar.sum()
    np.int64(2)
    """
    _check_pairs(pairs)
    if not check_number("rate", rate, 0.0) <= 1:
        raise ValueError(f"rate is {shown(rate)}: expected a share from 0 to 1")
    rng = read_generator(random_state)
    answered = rng.permutation(np.flatnonzero(pairs.grade))
    grade = pairs.grade.copy()
    grade[answered[: round(rate * answered.size)]] *= -1
    return _regrade(pairs, grade)


def blur_pairs(
    pairs: PairSet, spread: float, random_state: int | np.random.Generator
) -> PairSet:
    """Add normal noise to the grades.

    Parameters
    ----------
    pairs : PairSet
        Judgements; "can't say" stays as it is.
    spread : float
        Standard deviation of the noise, at least 0. Weak judgements may change
        their sign.
    random_state : int or Generator
        Seeds the noise.

    Returns
    -------
    pairs : PairSet
        The same pairs, with grades cut to [-1, 1]; none becomes 0.

    Examples
    --------
    >>> from fuzzypairs import PairSet
    >>> from fuzzypairs.datasets import blur_pairs
    >>> pairs = PairSet([0, 1], [2, 3], [0.5, -0.5])
    >>> blur_pairs(pairs, 0.1, random_state=0).grade.round(2)
    array([ 0.51, -0.51])
    """
    _check_pairs(pairs)
    spread = abs(check_number("spread", spread, 0.0))  # -0.0 is no scale
    rng = read_generator(random_state)
    noisy = np.clip(pairs.grade + rng.normal(0, spread, len(pairs)), -1, 1)
    # Noise that cancels a grade would turn an answer into "can't say".
    keep = (pairs.grade == 0) | (noisy == 0)
    return _regrade(pairs, np.where(keep, pairs.grade, noisy))


def biased_pairs(
    pairs: PairSet, shift: float = 0.0, *, levels: int | None = None
) -> PairSet:
    """Shift grades as a lenient or strict annotator does, or round them to a scale.

    Nothing is random here.

    Parameters
    ----------
    pairs : PairSet
        Judgements; "can't say" stays as it is.
    shift : float, default=0.0
        Added to every grade, and the sum cut to [-1, 1]: a lenient annotator
        (positive) finds things more alike than they are, a strict one less.
    levels : int, default=None
        Number of grades on the annotator's scale, evenly from -1 to 1 and at least
        2; the nearest one is taken, the upper of two that are equally near. None
        leaves the grades as fine as they are.

    Returns
    -------
    pairs : PairSet
        The same pairs. The middle of an odd number of levels is 0: grades rounded to
        it become "can't say".

    Examples
    --------
    >>> from fuzzypairs import PairSet
    >>> from fuzzypairs.datasets import biased_pairs
    >>> pairs = PairSet([0, 1, 2], [3, 4, 5], [0.9, 0.1, -0.4])
    >>> biased_pairs(pairs, 0.25).grade
    array([ 1.  ,  0.35, -0.15])
    >>> biased_pairs(pairs, levels=5).grade
    array([ 1. ,  0. , -0.5])
    """
    _check_pairs(pairs)
    if not check_number("shift", shift, -2.0) <= 2:
        raise ValueError(f"shift is {shown(shift)}: expected a number from -2 to 2")
    if levels is not None:
        levels = check_integer("levels", levels, 2)
    grade = np.clip(pairs.grade + shift, -1, 1)
    if levels is not None:
        steps = levels - 1
        grade = np.floor((grade + 1) / 2 * steps + 0.5) / steps * 2 - 1
    return _regrade(pairs, np.where(pairs.grade == 0, 0, grade))


def _check_pairs(pairs: Any) -> None:
    if not isinstance(pairs, PairSet):
        raise TypeError(f"pairs is a {type(pairs).__name__}, expected a PairSet")


def _regrade(pairs: PairSet, grade: Floats) -> PairSet:
    return replace(pairs, grade=grade)
