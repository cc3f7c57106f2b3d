"""The fit of `GuidedFDC`: hypotheses, their average, and the field of judged samples.

1. Clusters of k-means in each view are maps W0 from features to memberships; others
   are learned from judgements, near these.
2. Judgements are divided into folds. The likelihood of those held out weighs the maps:
   memberships are averages over the posterior distribution of maps.
3. A random field adds what judgements say of their own samples. How far features count
   in it, and how often judgements are wrong, is chosen by the same judgements, held
   out from the whole model.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from fuzzypairs._typing import Floats
from fuzzypairs.cluster.averaged_map import AveragedMap, Part
from fuzzypairs.cluster.evidence import balance, best_likelihood, calibrating_power
from fuzzypairs.cluster.judged_field import Field, Judged, choose_field, field_marginals
from fuzzypairs.cluster.learned_map import learn_maps
from fuzzypairs.cluster.views import View, clusters_in, make_views, softmax, to_dense
from fuzzypairs.threads import Threads

__all__ = ["GuidedFit", "Sample", "fit_guided"]

# Samples that stand for all, in random order: k-means and views are of these.
MOST_ROWS = 4000
# Starts of k-means in whitened views.
VIEW_STARTS = 3
# Logarithms of prior odds relative to a learned map: of chance, of clusters of k-means
# in the Euclidean view, and in whitened ones. Chosen, as RIDGES, on the half
# "chosen on" of the sets of `experiments.judgements`.
CHANCE, EUCLIDEAN, WHITENED = 4.0, 2.0, 1.0
# Precisions of the prior of learned maps.
RIDGES = (0.03, 0.3)
# How much more certain than found clusters of k-means may be taken.
POWERS = (0.25, 0.5, 1.0, 2.0)
# Hypotheses of smaller posterior probability are left out of the average.
NEGLIGIBLE = 0.01
# A map is learned from so many judgements at most: more change it little, and act in
# the field.
MOST_LEARNED = 3000
# Rows by which clusters of maps are matched.
MATCHED = 500


@dataclass(frozen=True, eq=False)
class Sample:
    """Samples that stand for all, and their views.

    Attributes
    ----------
    X : ndarray of shape (n_rows, n_features)
    weight : ndarray of shape (n_rows,)
    views : list of View
        The first is Euclidean.
    """

    X: Floats
    weight: Floats
    views: list[View]

    @classmethod
    def draw(
        cls, X: Any, weight: Floats | None, random_state: np.random.RandomState
    ) -> "Sample":
        """Draw rows of positive weight, `MOST_ROWS` at most."""
        drawn = random_state.permutation(X.shape[0])
        if weight is not None:
            drawn = drawn[weight[drawn] > 0.0]
        rows = drawn[:MOST_ROWS]
        w = np.ones(len(rows)) if weight is None else weight[rows]
        dense = to_dense(X[rows])
        return cls(dense, w, make_views(dense, w))


@dataclass(frozen=True, eq=False)
class Hypothesis:
    """A map in a view, as learned without each fold and from all judgements.

    Attributes
    ----------
    name : str
    place : int
        Of its view.
    W : ndarray of shape (n_folds + 1, n_view_features, n_clusters)
    value : float
        Log-likelihood of held-out judgements plus the logarithm of its prior odds.
    """

    name: str
    place: int
    W: Floats
    value: float


@dataclass(frozen=True, eq=False)
class GuidedFit:
    """What was found for one number of clusters.

    Attributes
    ----------
    unguided : AveragedMap
        Clusters of k-means in the Euclidean view.
    map : AveragedMap
    weights : dict of str to float
        Posterior probabilities of hypotheses.
    judged : Judged or None
    field : Field or None
    memberships : ndarray of shape (n_judged, n_clusters)
        Of judged samples.
    """

    unguided: AveragedMap
    map: AveragedMap
    weights: dict[str, float]
    judged: Judged | None = None
    field: Field | None = None
    memberships: Floats | None = None

    @property
    def n_clusters(self) -> int:
        """Number of clusters that were asked for."""
        return int(self.map.parts[0].W.shape[1])


def fit_guided(
    sample: Sample,
    judged: Judged | None,
    n_clusters: int,
    n_init: int,
    seed: int,
    threads: Threads,
) -> GuidedFit:
    """Fit with one number of clusters.

    Parameters
    ----------
    sample : Sample
    judged : Judged or None
        None: no judgements.
    n_clusters, n_init : int
    seed : int
        Of the starts of k-means.
    threads : Threads
    """
    views = sample.views if judged is not None else sample.views[:1]

    def find(place: int) -> tuple[Floats, float]:
        starts = VIEW_STARTS if place else n_init
        state = np.random.RandomState(seed)
        X, weight = sample.X, sample.weight
        return clusters_in(views[place], X, weight, n_clusters, starts, state)

    found = threads.map(find, [(place,) for place in range(len(views))])
    maps = [W for W, _ in found]
    everything = np.arange(n_clusters)
    unguided = AveragedMap([Part(views[0], maps[0], 1.0)], found[0][1], everything)
    if judged is None:
        return GuidedFit(unguided, unguided, {views[0].name: 1.0})
    tried = judged_hypotheses(views, maps, judged, threads)
    values = np.array([one.value for one in tried])
    chances = softmax(np.append(values, by_chance(judged) + CHANCE))
    # By chance, judgements say nothing of clusters: they are those without them.
    chances[0] += chances[-1]
    weights = {one.name: float(w) for one, w in zip(tried, chances, strict=False)}
    average, held = average_maps(sample, views, tried, chances[:-1], judged)
    field = choose_field(held[:-1], judged)
    power = calibrating_power(held_ends(held, judged), judged.grade)
    q = field_marginals(held[-1], judged, field)
    if judged.can_hold_out:
        # As far as judgements are as likely by chance, they act on no sample.
        gain = field.log_likelihood - by_chance(judged)
        chance = 1.0 / (1.0 + np.exp(np.clip(gain, -500.0, 500.0)))
        q += chance * (held[-1] - q)
    average = replace(average, power=power)
    return GuidedFit(unguided, average, weights, judged, field, q)


def by_chance(judged: Judged) -> float:
    """Return the log-likelihood of judgements that are as likely as not."""
    return float(balance(judged.grade).sum() * np.log(0.5))


def judged_hypotheses(
    views: Sequence[View], maps: Sequence[Floats], judged: Judged, threads: Threads
) -> list[Hypothesis]:
    """Return clusters of k-means in each view, and maps learned near these."""
    n_folds, fold = judged.n_folds, judged.fold
    given = np.array([fold != f for f in range(n_folds + 1)])
    if len(fold) > MOST_LEARNED:
        # A part of them, drawn at random.
        few = np.zeros(len(fold), dtype=bool)
        few[np.random.RandomState(0).permutation(len(fold))[:MOST_LEARNED]] = True
        given &= few

    def held_out(F: Floats, W: Floats) -> Floats:
        out = np.empty(len(fold))
        for f in range(n_folds):
            at = fold == f
            i, j = judged.i[at], judged.j[at]
            out[at] = (softmax(F[i] @ W[f]) * softmax(F[j] @ W[f])).sum(axis=1)
        return out

    def learn(place: int, ridge: float | None) -> Hypothesis:
        name, F, W0 = views[place].name, judged.features[place], maps[place]
        if ridge is None:
            prior = WHITENED if place else EUCLIDEAN
            W = np.broadcast_to(W0, (n_folds + 1, *W0.shape))
            value = max(
                best_likelihood(held_out(F, t * W), judged.grade) for t in POWERS
            )
            return Hypothesis(name, place, W, value + prior)
        used = given.any(axis=0)
        rows, ends = np.unique(
            np.concatenate([judged.i[used], judged.j[used]]), return_inverse=True
        )
        i, j = np.split(ends, 2)
        W = learn_maps(F[rows], W0, i, j, judged.grade[used], given[:, used], ridge)
        value = best_likelihood(held_out(F, W), judged.grade)
        return Hypothesis(f"map {ridge:g} in {name}", place, W, value)

    tasks = [(place, r) for r in (None, *RIDGES) for place in range(len(views))]
    return threads.map(learn, tasks)


def average_maps(
    sample: Sample,
    views: Sequence[View],
    tried: Sequence[Hypothesis],
    weights: Floats,
    judged: Judged,
) -> tuple[AveragedMap, Floats]:
    """Average hypotheses by their weights, clusters in the order of the first one.

    Returns
    -------
    average : AveragedMap
    held : ndarray of shape (n_folds + 1, n_judged, n_clusters)
        Memberships of judged samples by maps that were not given a fold, and by all.
    """
    typical = [view.features(sample.X[:MATCHED]) for view in views]
    weight = sample.weight[:MATCHED, None]
    reference = weight * softmax(typical[0] @ tried[0].W[-1])
    kept = np.flatnonzero(weights > NEGLIGIBLE)
    total = weights[kept].sum()
    held = np.zeros((judged.n_folds + 1, len(judged.rows), reference.shape[1]))
    parts = []
    for n in kept.tolist():
        one, share = tried[n], weights[n] / total
        for f, W in enumerate(one.W):
            V = softmax(typical[one.place] @ W)
            # Rounded: orders that are equally good must not depend on the last digit.
            order = linear_sum_assignment(-(reference.T @ V).round(9))[1]
            held[f] += share * softmax(judged.features[one.place] @ W[:, order])
        parts.append(Part(views[one.place], one.W[-1][:, order], share))
    everything = np.arange(reference.shape[1])
    return AveragedMap(parts, 1.0, everything), held


def held_ends(held: Floats, judged: Judged) -> Floats:
    """Return memberships of samples without the judgement, (n_pairs, 2, n_clusters)."""
    at = judged.fold
    return np.stack([held[at, judged.i], held[at, judged.j]], axis=1)
