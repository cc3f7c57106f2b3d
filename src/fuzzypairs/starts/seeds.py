"""Random starts: samples that are far apart, and random labels."""

from math import log

import numpy as np

from fuzzypairs import _core
from fuzzypairs._typing import Data, Floats, Labels
from fuzzypairs.spaces.space import Space

__all__ = ["kmeans_plusplus", "random_labels", "spread_samples"]


def kmeans_plusplus(
    X: Data,
    n_clusters: int,
    *,
    sample_weight: Data | None = None,
    random_state: np.random.RandomState,
) -> Data:
    """Choose rows of X (n_clusters, n_features) by greedy k-means++.

    They repeat only if X has fewer distinct rows. A sample of weight 0 is never
    chosen, unless all weights are 0.
    """
    draws = random_state.random_sample((n_clusters, _n_trials(n_clusters)))
    weight: Floats | None = None
    if sample_weight is not None:
        weight = np.ascontiguousarray(sample_weight, dtype=np.float64)
    return np.asarray(X[_core.choose_seeds(np.ascontiguousarray(X), weight, draws)])


def spread_samples(
    space: Space, n_clusters: int, *, random_state: np.random.RandomState
) -> Labels:
    """Choose samples (n_clusters,) of any space by greedy k-means++."""
    mass = space.weight if space.weight.any() else np.ones(space.n_samples)
    rows = [_draw_row(mass, random_state.uniform())]
    closest = space.distances_to_samples(np.array(rows))[:, 0]
    while len(rows) < n_clusters:
        chance = mass * closest
        chance = chance if chance.any() else mass
        draws = random_state.uniform(size=_n_trials(n_clusters))
        candidates = np.array([_draw_row(chance, draw) for draw in draws])
        distance = space.distances_to_samples(candidates)
        np.minimum(distance, closest[:, None], out=distance)
        best = int(np.argmin(mass @ distance))
        rows.append(int(candidates[best]))
        closest = distance[:, best].copy()
    return np.array(rows, dtype=np.intp)


def _n_trials(n_clusters: int) -> int:
    """Return the number of candidates a step, as in scikit-learn."""
    return 2 + int(log(n_clusters))


def _draw_row(chance: Floats, draw: float) -> int:
    cumulative = np.cumsum(chance)
    return int(np.searchsorted(cumulative, draw * cumulative[-1], side="right"))


def random_labels(
    n_samples: int, n_clusters: int, *, random_state: np.random.RandomState
) -> Labels:
    """Draw labels (n_samples,) at random, as the paper's experiments do.

    Uniform but for one random sample set aside for each cluster: none is empty while
    there are samples enough.
    """
    labels = random_state.randint(n_clusters, size=n_samples, dtype=np.intp)
    reserved = random_state.permutation(n_samples)[:n_clusters]
    labels[reserved] = np.arange(len(reserved))
    return labels
