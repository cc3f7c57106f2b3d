"""Evidence of held-out judgements: for chance, for unguided clusters, for a map.

Hypotheses say how likely a held-out judgement (p, q, s) is to have its sign:

- chance: alike or unlike with probability 1/2 each;
- unguided: alike with probability e + (1 - 2 e) c, where c is the probability that the
  two samples are in one cluster, by clusters found without judgements, and e is the
  share of wrong judgements; one hypothesis for each view that clusters were found in;
- guided: the same, where c is by a map learned from other judgements.

A likelihood counts each judgement once, whatever its strength, balanced between both
kinds (`balance`), and is taken at the e that maximises it together with a prior on e.
The posterior probabilities of the hypotheses follow from their likelihoods and prior
odds. Where judgements are few, the likelihoods are close to each other and the prior
odds decide.
"""

from dataclasses import dataclass

import numpy as np

from fuzzypairs._typing import Floats
from fuzzypairs.spaces.likelihood import softmax

__all__ = [
    "Evidence",
    "balance",
    "calibrating_power",
    "log_likelihood",
    "reliability",
    "tempered",
    "together",
    "weigh",
    "weigh_views",
]

# Logarithms of prior odds relative to the map: of chance, of unguided clusters in the
# Euclidean view, and in each other view. Chance is favoured, since a map learned from
# wrong judgements costs more than right ones left unused; unguided clusters are not,
# since the map starts from them and is seldom worse. Chosen on the half "chosen on" of
# the sets of `experiments.judgements`.
CHANCE, EUCLIDEAN, WHITENED = 1.0, -4.0, -2.0
# The prior on e: as if so many judgements were known to be wrong, and right.
WRONG, RIGHT = 1.0, 4.0
RATES = np.linspace(0.01, 0.5, 50)
# How much harder than found unguided memberships may be taken.
SHARPNESS = (1.0, 2.0, 4.0, 8.0, 16.0)
# Powers of memberships, logarithms to base 2, with the mean and the deviation of their
# prior, and the share of judgements that is wrong whatever the memberships are. Chosen
# on the same half, by calibration errors.
LOG_POWERS = np.arange(-4.0, 2.25, 0.25)
USUAL_POWER, POWER_SPREAD = -1.0, 1.0
LEAST_NOISE = 0.02


@dataclass(frozen=True)
class Evidence:
    """What held-out judgements say.

    Attributes
    ----------
    guided : float
        Posterior probability that judgements follow the map.
    unguided : ndarray of shape (n_views,)
        That they follow the unguided clusters of each view; of the first, which is
        Euclidean, that they follow chance as well.
    noise_rate : float
        Estimated share of wrong judgements.
    sharpness : ndarray of shape (n_views,)
        The power of unguided memberships under which judgements are most likely.
    log_likelihood : float
        Of the judgements, over all hypotheses.
    """

    guided: float
    unguided: Floats
    noise_rate: float
    sharpness: Floats
    log_likelihood: float


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


def log_likelihood(together: Floats, grade: Floats) -> tuple[Floats, Floats]:
    """Return log-likelihoods of judgements and the share of wrong ones at them.

    Parameters
    ----------
    together : ndarray of shape (..., n_pairs)
        The probability that two samples belong together, by one or several models.
    grade : ndarray of shape (n_pairs,)

    Returns
    -------
    values, rates : ndarrays of shape (...)

    Examples
    --------
    >>> import numpy as np
    >>> grade = np.tile([1.0, -1.0], 10)
    >>> value, rate = log_likelihood((grade > 0).astype(float), grade)
    >>> round(float(rate), 2)  # none is wrong, but for the prior: 1 of 25
    0.04
    """
    right, count = np.where(grade > 0, together, 1.0 - together), balance(grade)
    # One rate at a time: all of them would take 50 times the memory. Sums of rows, not
    # a product of matrices: the same probabilities must have the same likelihood.
    logs = ((np.log(e + (1.0 - 2.0 * e) * right) * count).sum(axis=-1) for e in RATES)
    values = np.array([*logs])
    mode = WRONG / (WRONG + RIGHT)
    prior = WRONG * np.log(RATES / mode) + RIGHT * np.log((1 - RATES) / (1 - mode))
    values += prior.reshape(-1, *[1] * (together.ndim - 1))
    return values.max(axis=0), RATES[values.argmax(axis=0)]


def log_likelihoods(unguided: Floats, grade: Floats) -> tuple[Floats, Floats, Floats]:
    """Return log-likelihoods of judgements under the unguided clusters of each view.

    Parameters
    ----------
    unguided : ndarray of shape (n_views, len(SHARPNESS), n_pairs)
        The probability that two samples belong together, for each power of memberships.
    grade : ndarray of shape (n_pairs,)

    Returns
    -------
    values, rates, sharpness : ndarrays of shape (n_views,)
        At the best power: the logarithm, the share of wrong judgements, the power.
    """
    values, rates = log_likelihood(unguided, grade)
    best = values.argmax(axis=1)
    each = np.arange(len(values))
    return values[each, best], rates[each, best], np.take(SHARPNESS, best)


def weigh(guided: Floats, unguided: Floats, grade: Floats) -> Evidence:
    """Weigh the hypotheses by held-out judgements.

    Parameters
    ----------
    guided : ndarray of shape (n_pairs,)
        The probability that two samples belong together by a map that was not given
        this judgement.
    unguided : ndarray of shape (n_views, len(SHARPNESS), n_pairs)
        The same by unguided clusters, for each power of their memberships.
    grade : ndarray of shape (n_pairs,)

    Examples
    --------
    >>> import numpy as np
    >>> grade = np.tile([1.0, -1.0], 20)
    >>> even = np.full((2, 5, 40), 0.5)
    >>> found = weigh((grade > 0).astype(float), even, grade)
    >>> round(found.guided, 2), found.noise_rate < 0.05
    (1.0, True)
    """
    by_clusters, rates, sharpness = log_likelihoods(unguided, grade)
    by_map, rate = log_likelihood(guided, grade)
    (chance, *others), total = posterior(grade, by_clusters, float(by_map))
    weights = np.array(others[:-1])
    weights[0] += chance
    return Evidence(
        float(others[-1]),
        weights,
        # Where judgements follow something. By chance there is nothing to be wrong of.
        float(np.average([*rates, rate], weights=others)),
        sharpness,
        total,
    )


def weigh_views(unguided: Floats, grade: Floats) -> Floats:
    """Weigh the unguided clusters of each view alone, as `weigh` does.

    Parameters
    ----------
    unguided : ndarray of shape (n_views, len(SHARPNESS), n_pairs)
    grade : ndarray of shape (n_pairs,)

    Returns
    -------
    weights : ndarray of shape (n_views,)
        Posterior probabilities; of the first, which is Euclidean, with that of chance.
    """
    by_clusters, _, _ = log_likelihoods(unguided, grade)
    (chance, *weights), _ = posterior(grade, by_clusters)
    weights[0] += chance
    return np.array(weights)


def posterior(
    grade: Floats, by_clusters: Floats, *by_map: float
) -> tuple[Floats, float]:
    """Return the probabilities of hypotheses, and the log-likelihood over all.

    Parameters
    ----------
    grade : ndarray of shape (n_pairs,)
    by_clusters : ndarray of shape (n_views,)
        Log-likelihoods under the unguided clusters of each view.
    *by_map : float
        Under a map, if there is one.

    Returns
    -------
    probabilities : ndarray of shape (1 + n_views + len(by_map),)
        Of chance, of each view, and of the map.
    total : float
    """
    others = [WHITENED] * (len(by_clusters) - 1)
    prior = np.array([CHANCE, EUCLIDEAN, *others, *[0.0] * len(by_map)])
    by_chance = balance(grade).sum() * np.log(0.5)
    values = np.array([by_chance, *by_clusters, *by_map]) + prior
    total = np.logaddexp.reduce(values)
    return np.exp(values - total), float(total - np.logaddexp.reduce(prior))


def together(ends: Floats) -> Floats:
    """Return the probability that two samples belong together, (..., n_pairs).

    `ends` are memberships of the two samples of pairs, (..., n_pairs, 2, n_clusters).

    Examples
    --------
    >>> import numpy as np
    >>> together(np.array([[[0.8, 0.2], [0.5, 0.5]]]))
    array([0.5])
    """
    return np.asarray(np.einsum("...h,...h->...", ends[..., 0, :], ends[..., 1, :]))


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
    samples are judged alike with the probability that they belong together. Unlike in
    `weigh`, judgements that memberships contradict are no noise here but reduce the
    certainty of memberships, unless they are fewer than `LEAST_NOISE`.

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
        c = together(tempered(ends, 2.0**log_power))
        right = np.where(grade > 0, c, 1.0 - c)
        chance = LEAST_NOISE + (1.0 - 2.0 * LEAST_NOISE) * right
        values[place] += np.abs(grade) @ np.log(chance)
    chances = np.exp(values - np.logaddexp.reduce(values))
    return float(2.0 ** (chances @ LOG_POWERS))


def reliability(together: Floats, grade: Floats, noise_rate: float) -> Floats:
    """Return the probability that each judgement is right.

    Parameters
    ----------
    together : ndarray of shape (n_pairs,)
        The probability that two samples belong together, found without the judgement.
    grade : ndarray of shape (n_pairs,)
    noise_rate : float

    Examples
    --------
    >>> import numpy as np
    >>> reliability(np.array([0.9, 0.9]), np.array([1.0, -1.0]), 0.1).round(3)
    array([0.988, 0.5  ])
    """
    right = np.where(grade > 0, together, 1.0 - together)
    kept = (1.0 - noise_rate) * right
    return np.asarray(kept / (kept + noise_rate * (1.0 - right)))
