"""Likelihoods of held-out judgements, and what follows from them.

A judgement is wrong with the probability e, so that two samples which are in one
cluster with the probability c are judged alike with the probability e + (1 - 2 e) c. A
likelihood counts each judgement once, whatever its strength, balanced between both
kinds (`balance`).
"""

import numpy as np

from fuzzypairs._typing import Floats
from fuzzypairs.cluster.views import softmax

__all__ = [
    "RATES",
    "balance",
    "best_likelihood",
    "calibrating_power",
    "log_likelihood",
    "log_prior",
    "rate_interval",
    "reliability",
    "tempered",
]

# Error rates that are tried.
RATES = np.array([0.01, 0.03, 0.06, 0.1, 0.15, 0.2, 0.3, 0.4, 0.499])
# The prior on an error rate: so many judgements known to be wrong, and to be right.
WRONG, RIGHT = 1.0, 4.0
# Powers of memberships, logarithms to base 2, with the mean and the deviation of their
# prior, and the share of judgements that is wrong whatever the memberships are.
LOG_POWERS = np.arange(-4.0, 2.25, 0.25)
USUAL_POWER, POWER_SPREAD = -1.0, 1.0
LEAST_ERROR = 0.02
# Error rates for the interval of one, which covers it in 95 of 100 cases.
FINE_RATES = np.linspace(0.0, 0.5, 102)[1:-1]
TAIL = 0.025


def balance(grade: Floats) -> Floats:
    """Return what judgements count: twice the share of the other kind.

    Alike and unlike judgements then count the same. Otherwise a map that puts all
    samples into one cluster would explain judgements that are mostly alike, as wrong
    ones of many classes are. Strengths do not matter here: a judgement says how
    strongly two samples are alike, and a weak one may be as right as a strong one.

    Examples
    --------
    >>> import numpy as np
    >>> balance(np.array([1.0, -1.0, -0.5, -0.5]))
    array([1.5, 0.5, 0.5, 0.5])
    """
    alike = np.mean(grade > 0) if len(grade) else 0.5
    return np.where(grade > 0, 2.0 * (1.0 - alike), 2.0 * alike)


def log_prior(rate: Floats | float) -> Floats:
    """Return the logarithm of the prior on error rates, 0 at its mode.

    Examples
    --------
    >>> float(log_prior(0.2))
    0.0
    """
    mode = WRONG / (WRONG + RIGHT)
    wrong, right = np.log(rate / mode), np.log((1.0 - rate) / (1.0 - mode))
    return np.asarray(WRONG * wrong + RIGHT * right)


def log_likelihood(same: Floats, grade: Floats, rate: Floats | float) -> Floats:
    """Return the log-likelihood of judgements.

    Parameters
    ----------
    same : ndarray of shape (..., n_pairs)
        The probability that two samples are in one cluster.
    grade : ndarray of shape (n_pairs,)
    rate : float or ndarray of shape (n_pairs,)

    Returns
    -------
    ndarray of shape (...)

    Examples
    --------
    >>> import numpy as np
    >>> float(log_likelihood(np.array([1.0, 0.0]), np.array([1.0, -1.0]), 0.1).round(3))
    -0.211
    """
    right = np.where(grade > 0, same, 1.0 - same)
    logs = np.log(rate + (1.0 - 2.0 * rate) * right)
    # A sum, not a product of matrices: its digits do not depend on the other rows.
    return np.asarray((logs * balance(grade)).sum(axis=-1))


def best_likelihood(same: Floats, grade: Floats) -> float:
    """Return the log-likelihood at the error rate that maximises it with its prior.

    Examples
    --------
    >>> import numpy as np
    >>> grade = np.tile([1.0, -1.0], 10)
    >>> best_likelihood((grade > 0) * 1.0, grade) > best_likelihood(grade * 0.0, grade)
    True
    """
    return max(float(log_likelihood(same, grade, e) + log_prior(e)) for e in RATES)


def rate_interval(same: Floats, grade: Floats) -> tuple[float, float, float]:
    """Return the posterior mean of an error rate, and the ends of its 95 % interval.

    Parameters
    ----------
    same : ndarray of shape (n_pairs,)
        The probability that two samples are in one cluster, without the judgement.
    grade : ndarray of shape (n_pairs,)

    Examples
    --------
    >>> import numpy as np
    >>> grade = np.tile([1.0, -1.0], 50)
    >>> rate, low, high = rate_interval((grade > 0) * 1.0, grade)
    >>> low < rate < high < 0.06
    True
    """
    right = np.where(grade > 0, same, 1.0 - same)
    e = FINE_RATES[:, None]
    values = np.log(e + (1.0 - 2.0 * e) * right).sum(axis=1) + log_prior(FINE_RATES)
    chances = softmax(values)
    below = np.cumsum(chances)
    low, high = np.interp([TAIL, 1.0 - TAIL], below, FINE_RATES)
    return float(chances @ FINE_RATES), float(low), float(high)


def tempered(memberships: Floats, power: float) -> Floats:
    """Return memberships (..., n_clusters) to a power, of sum 1 again.

    Examples
    --------
    >>> import numpy as np
    >>> tempered(np.array([0.8, 0.2]), 0.5).round(3)
    array([0.667, 0.333])
    """
    return softmax(power * np.log(np.maximum(memberships, np.finfo(float).tiny)))


def calibrating_power(ends: Floats, grade: Floats) -> float:
    """Return the power of memberships at which they are as certain as they are right.

    Its logarithm is the mean of the posterior given held-out judgements, where two
    samples are judged alike with the probability that they are in one cluster.
    Judgements that memberships contradict reduce the certainty of memberships here,
    unless they are fewer than `LEAST_ERROR`.

    Parameters
    ----------
    ends : ndarray of shape (n_pairs, 2, n_clusters)
        Memberships of the two samples by models not given the judgement.
    grade : ndarray of shape (n_pairs,)

    Examples
    --------
    >>> import numpy as np
    >>> ends = np.tile([0.9, 0.1], (40, 2, 1))
    >>> low = calibrating_power(ends, np.tile([1.0, -1.0], 20))  # half are contradicted
    >>> low < 0.5 < 1.0 < calibrating_power(ends, np.ones(40))
    True
    """
    values = -0.5 * ((LOG_POWERS - USUAL_POWER) / POWER_SPREAD) ** 2
    for place, log_power in enumerate(LOG_POWERS):
        both = tempered(ends, 2.0**log_power)
        c = (both[:, 0] * both[:, 1]).sum(axis=-1)
        right = np.where(grade > 0, c, 1.0 - c)
        chance = LEAST_ERROR + (1.0 - 2.0 * LEAST_ERROR) * right
        values[place] += np.abs(grade) @ np.log(chance)
    return float(2.0 ** (softmax(values) @ LOG_POWERS))


def reliability(same: Floats, grade: Floats, rate: Floats | float) -> Floats:
    """Return the probability that each judgement is right.

    Parameters
    ----------
    same : ndarray of shape (n_pairs,)
        The probability that two samples are in one cluster, without the judgement.
    grade : ndarray of shape (n_pairs,)
    rate : float or ndarray of shape (n_pairs,)

    Examples
    --------
    >>> import numpy as np
    >>> reliability(np.array([0.9, 0.9]), np.array([1.0, -1.0]), 0.1).round(3)
    array([0.988, 0.5  ])
    """
    right = np.where(grade > 0, same, 1.0 - same)
    kept = (1.0 - rate) * right
    return np.asarray(kept / (kept + rate * (1.0 - right)))
