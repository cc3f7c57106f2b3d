"""Whether to ask more: the expected gain of further answers."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fuzzypairs._typing import Ints
from fuzzypairs.cluster.guided import GuidedFDC
from fuzzypairs.pairs import PairSet
from fuzzypairs.pairs.consistency import balanced_share, satisfied
from fuzzypairs.pairs.folds import hold_out

# Smallest number of answers for an estimate; folds of fewer are too small.
FEWEST = 20
N_SPLITS = 3
N_RESAMPLES = 500
# A gain in agreement that is worth as many questions again.
WORTH = 0.02


@dataclass(frozen=True)
class StopHint:
    """The expected gain of as many answers again.

    Attributes
    ----------
    n_answers : int
    agreement : float
        Share of held-out answers that the model agrees with; NaN if it is unknown.
    gain : float
        What as many answers again are expected to add to it; NaN if it is unknown.
    interval : tuple of float
        An interval of 90 % for the gain.
    worth_asking : bool
        Whether the upper end of the interval is worth the questions.
    message : str
        A summary in words.

    Examples
    --------
    >>> from fuzzypairs.active import StopHint
    >>> StopHint(50, 0.9, 0.01, (-0.01, 0.03), True, "...").worth_asking
    True
    """

    n_answers: int
    agreement: float
    gain: float
    interval: tuple[float, float]
    worth_asking: bool
    message: str


def hint_from(
    fit: Callable[[PairSet], GuidedFDC], pairs: PairSet, rng: np.random.Generator
) -> StopHint:
    """Compare models of half of the answers and of nearly all, on held-out ones.

    If the error decreases like 1/n, as many answers again gain half as much as the last
    half of them did.
    """
    pairs = pairs.informative
    n_answers = len(pairs)
    is_alike = pairs.similar
    if n_answers < FEWEST or is_alike.all() or not is_alike.any():
        message = (
            f"{n_answers} answers are too few to estimate the gain of more; continue "
            f"to {FEWEST}, both alike and unlike"
        )
        return StopHint(n_answers, np.nan, np.nan, (np.nan, np.nan), True, message)
    folds = hold_out(pairs, N_SPLITS, 1, rng)
    shares = np.full((2, n_answers), np.nan)  # by half of the answers, by all
    for train, test in folds.splits:
        half = train.select(rng.permutation(len(train)) < len(train) / 2)
        for row, part in enumerate((half, train)):
            labels = fit(part).labels_
            together = labels[folds.pairs.i[test]] == labels[folds.pairs.j[test]]
            shares[row, test] = satisfied(together, folds.pairs.grade[test])
    agreement = float(balanced_share(shares[1], folds.pairs.grade))
    gains = 0.5 * np.array(
        [
            np.subtract(*balanced_share(shares[::-1, draw], folds.pairs.grade[draw]))
            for draw in resamples(folds.unit, rng)
        ]
    )
    gain = 0.5 * float(np.subtract(*balanced_share(shares[::-1], folds.pairs.grade)))
    low, high = (float(q) for q in np.nanquantile(gains, [0.05, 0.95]))
    worth = high > WORTH
    message = (
        f"the model agrees with {agreement:.0%} of the answers held out; {n_answers} "
        f"more answers may add {100 * gain:+.0f} points ({100 * low:+.0f} to "
        f"{100 * high:+.0f})"
        + ("" if worth else ": further questions are unlikely to change much")
    )
    return StopHint(n_answers, agreement, gain, (low, high), worth, message)


def resamples(unit: Ints, rng: np.random.Generator) -> list[Ints]:
    """Return bootstrap draws of judgements, whole units at a time."""
    units = np.unique(unit)
    places = [np.flatnonzero(unit == u) for u in units]
    return [
        np.concatenate([places[u] for u in rng.integers(len(units), size=len(units))])
        for _ in range(N_RESAMPLES)
    ]
