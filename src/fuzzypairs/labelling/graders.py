"""How far graders agree: with each other, and with themselves."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import nnls

from fuzzypairs._typing import Floats
from fuzzypairs.labelling.store import Answer

__all__ = [
    "Agreement",
    "Dispute",
    "GraderQuality",
    "krippendorff_alpha",
    "measure_agreement",
]

# Resamples of the pairs for an interval, and its level.
RESAMPLES, AT_ONCE, LEVEL = 1000, 20, 0.95


@dataclass(frozen=True)
class GraderQuality:
    """One grader among others.

    Attributes
    ----------
    name : str
    n_answers : int
        Number of graded answers, "can't say" among them.
    n_shared : int
        Number of pairs that others graded as well.
    bias : float or None
        Mean difference to the others on shared pairs: positive if this grader finds
        pairs more alike.
    noise : float or None
        Standard deviation of the random error of a grade.
    n_repeats : int
        Number of pairs graded twice.
    repeat_gap : float or None
        Mean absolute difference between two own grades of a pair.
    """

    name: str
    n_answers: int
    n_shared: int
    bias: float | None
    noise: float | None
    n_repeats: int
    repeat_gap: float | None


@dataclass(frozen=True)
class Dispute:
    """A pair on which graders differ.

    Attributes
    ----------
    a, b : str
        The items.
    grades : dict of str to float
        The newest grade of each grader.
    gap : float
        Largest difference between two of them.
    """

    a: str
    b: str
    grades: dict[str, float]
    gap: float


@dataclass(frozen=True)
class Agreement:
    """How far graders agree.

    Attributes
    ----------
    alpha : float or None
        Krippendorff's alpha for interval data; None without shared pairs.
    interval : tuple of float or None
        Its bootstrap interval (95 %).
    n_shared : int
        Number of pairs that at least two graders graded.
    graders : list of GraderQuality
    disputes : list of Dispute
        The largest gap first.
    """

    alpha: float | None
    interval: tuple[float, float] | None
    n_shared: int
    graders: list[GraderQuality]
    disputes: list[Dispute]


def krippendorff_alpha(grades: ArrayLike) -> float:
    """Return Krippendorff's alpha for interval data.

    One minus the ratio of the observed to the expected disagreement, where the
    disagreement of two values is their squared difference [1]_: 1 for perfect
    agreement, 0 for what chance gives.

    Parameters
    ----------
    grades : array-like of shape (n_graders, n_pairs)
        NaN where a grader did not grade.

    Returns
    -------
    alpha : float
        NaN if no pair has two grades; 1 if all grades are the same.

    References
    ----------
    .. [1] K. Krippendorff, "Computing Krippendorff's Alpha-Reliability", 2011.

    Examples
    --------
    >>> from fuzzypairs.labelling.graders import krippendorff_alpha
    >>> round(krippendorff_alpha([[1, 0.5, -1, -0.5], [1, 0.5, -0.5, -0.5]]), 3)
    0.948
    """
    values = np.asarray(grades, dtype=np.float64)
    return float(_alpha(*_moments(values), np.ones(values.shape[1])))


def _moments(values: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the number, the sum and the squares of the grades of each shared pair."""
    known = ~np.isnan(values)
    count = known.sum(axis=0).astype(np.float64)
    known &= count > 1
    filled = np.where(known, values, 0.0)
    count *= count > 1
    return count, filled.sum(axis=0), (filled**2).sum(axis=0)


def _alpha(count: Floats, total: Floats, squares: Floats, times: Floats) -> Floats:
    """Return alpha if each pair counts as often as `times` (..., n_pairs) says.

    The sum of squared differences of all ordered pairs of n values is
    2 (n sum x^2 - (sum x)^2).
    """
    n = times @ count
    within = np.zeros_like(count)
    np.divide(count * squares - total**2, count - 1, out=within, where=count > 1)
    observed = times @ within / np.maximum(n, 1)
    spread = n * (times @ squares) - (times @ total) ** 2
    expected = spread / np.maximum(n * (n - 1), 1)
    # Rounding leaves a little where all grades are the same.
    same = expected <= 1e-12 * np.maximum(times @ squares, 1e-300)
    alpha = 1.0 - observed / np.where(same, 1.0, expected)
    return np.where(n > 0, np.where(same, 1.0, alpha), np.nan)


def bootstrap_interval(values: Floats, seed: int = 0) -> tuple[float, float]:
    """Return the interval of alpha under resampling of the shared pairs."""
    count, total, squares = _moments(values)
    shared = count > 1
    n_pairs = int(shared.sum())
    count, total, squares = count[shared], total[shared], squares[shared]
    rng, even = np.random.default_rng(seed), np.full(n_pairs, 1 / n_pairs)
    found: list[float] = []
    # A few at a time: all would take 16 kB for each pair.
    for _ in range(RESAMPLES // AT_ONCE):
        times = rng.multinomial(n_pairs, even, AT_ONCE).astype(np.float64)
        found.extend(_alpha(count, total, squares, times))
    low, high = np.quantile(found, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


def measure_agreement(answers: Iterable[Answer]) -> Agreement:
    """Measure how far graders agree with each other and with themselves.

    Parameters
    ----------
    answers : iterable of Answer
        Of all graders; those without a grade are left out.

    Notes
    -----
    A grade is modelled as the sum of what the pair is worth, the grader's bias and a
    random error. Biases are fitted by least squares to the differences of graders on
    shared pairs. Two graders' differences have the sum of their error variances, and
    two own grades of one pair twice the own one; the variances are the non-negative
    least-squares solution of these equations. Two graders without repeats share
    their variance equally.

    Examples
    --------
    >>> from fuzzypairs.labelling.graders import measure_agreement
    >>> measure_agreement([]).alpha is None
    True
    """
    given: defaultdict[tuple[str, str], defaultdict[str, list[float]]]
    given = defaultdict(lambda: defaultdict(list))
    for answer in answers:
        if answer.grade is not None:
            a, b = sorted((answer.left_id, answer.right_id))
            given[a, b][answer.annotator].append(answer.grade)
    names = sorted({name for grades in given.values() for name in grades})
    values = np.full((len(names), len(given)), np.nan)
    for column, grades in enumerate(given.values()):
        for row, name in enumerate(names):
            if name in grades:
                values[row, column] = grades[name][-1]
    shared = (~np.isnan(values)).sum(axis=0) > 1
    repeats = [
        [g[name] for g in given.values() if len(g.get(name, ())) > 1] for name in names
    ]
    biases, noises = _errors(values[:, shared], repeats)
    graders = [
        GraderQuality(
            name,
            sum(len(grades.get(name, ())) for grades in given.values()),
            int((~np.isnan(values[row]) & shared).sum()),
            biases[row],
            noises[row],
            len(repeats[row]),
            float(np.mean([abs(g[-1] - g[0]) for g in repeats[row]]))
            if repeats[row]
            else None,
        )
        for row, name in enumerate(names)
    ]
    disputes = []
    for (a, b), by_name in given.items():
        last = {name: grades[-1] for name, grades in by_name.items()}
        if len(last) > 1 and (gap := max(last.values()) - min(last.values())) > 0:
            disputes.append(Dispute(a, b, dict(sorted(last.items())), gap))
    disputes.sort(key=lambda dispute: -dispute.gap)
    n_shared = int(shared.sum())
    return Agreement(
        krippendorff_alpha(values) if n_shared else None,
        bootstrap_interval(values) if n_shared else None,
        n_shared,
        graders,
        disputes,
    )


def _errors(
    values: Floats, repeats: list[list[list[float]]]
) -> tuple[list[float | None], list[float | None]]:
    """Return the bias and the noise of each grader; None where nothing tells them."""
    n = len(values)
    # Rows of both systems: a pair of graders each, weighted by their shared pairs.
    sides, gaps, sums, spreads = [], [], [], []
    for g in range(n):
        for h in range(g):
            both = ~np.isnan(values[g] - values[h])
            if not both.any():
                continue
            weight = np.sqrt(both.sum())
            difference = (values[g] - values[h])[both]
            side = np.eye(n)[g] - np.eye(n)[h]
            sides.append(weight * side)
            gaps.append(weight * difference.mean())
            if both.sum() > 1:
                sums.append(weight * abs(side))
                spreads.append(weight * difference.var(ddof=1))
    biases: list[float | None] = [None] * n
    if sides:
        fitted = np.linalg.lstsq(np.array(sides), np.array(gaps), rcond=None)[0]
        met = np.abs(sides).sum(axis=0) > 0
        # Difference to the mean of the others, not to a mean that has oneself in it.
        others = max(int(met.sum()) - 1, 1)
        share = met.sum() / others
        biases = [
            float(share * bias) if known else None
            for bias, known in zip(fitted, met, strict=True)
        ]
    for g, own in enumerate(repeats):
        if own:
            weight = np.sqrt(len(own))
            gaps2 = np.mean([(grades[-1] - grades[0]) ** 2 for grades in own])
            sums.append(weight * 2 * np.eye(n)[g])
            spreads.append(weight * gaps2)
    if not sums:
        return biases, [None] * n
    # The small last rows choose equal variances where the others leave a choice.
    level = 1e-3 * np.mean(spreads)
    ridge = 1e-3 * np.eye(n)
    variances, _ = nnls(np.vstack([*sums, ridge]), np.array([*spreads, *([level] * n)]))
    told = np.array(sums).sum(axis=0) > 0
    noises = [
        float(np.sqrt(variance)) if known else None
        for variance, known in zip(variances, told, strict=True)
    ]
    return biases, noises
