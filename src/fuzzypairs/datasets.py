"""Data to try the methods on, and supervisors that judge pairs of it."""

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.neighbors import NearestNeighbors
from sklearn.utils import check_array, check_consistent_length, column_or_1d

from fuzzypairs.pairs import PairSet

__all__ = ["simulate_pairs"]

# Pairs for each sample, and the share of them that contradicts the truth.
GROUPS = {"i": (0.05, 1.0), "ii": (0.10, 0.5), "iii": (0.05, 0.0), "iv": (0.10, 0.0)}


def simulate_pairs(
    X: ArrayLike,
    y: ArrayLike,
    group: Literal["i", "ii", "iii", "iv"] = "iv",
    *,
    random_state: int | np.random.Generator,
    n_neighbors: int = 10,
    opposite: Literal["negate", "relabel"] = "negate",
) -> PairSet:
    """Draw graded judgements as the paper's simulated supervisor gives them.

    The supervisor knows the classes and sees the data: it is sure, with |s| of at
    least one half, where the two agree, and hesitates where they do not.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The data as it will be clustered. The paper's features have mean 0 and
        standard deviation 1; nothing is scaled here.
    y : array-like of shape (n_samples,)
        Classes.
    group : {"i", "ii", "iii", "iv"}, default="iv"
        How many judgements and how many of them contradict the classes: (i) all
        of 0.05 n_samples, (ii) half of 0.10 n_samples, (iii) none of 0.05
        n_samples, (iv) none of 0.10 n_samples.
    random_state : int or Generator
        Seeds the draw. With one seed the groups are nested: (i) and (iii) judge
        the same pairs, and (ii) and (iv) contain them.
    n_neighbors : int, default=10
        Two samples are near when either is among this many nearest neighbours of
        the other.
    opposite : {"negate", "relabel"}, default="negate"
        A contradicting judgement is the true one with its sign reversed, or the
        one that the supervisor would give if the classes were reversed, which is
        weaker where the data speak against it.

    Returns
    -------
    pairs : PairSet
        Distinct pairs, none graded 0.

    Notes
    -----
    With R uniform on (0, 1], a pair of one class gets (1 + R) / 2 if it is near
    and R if not; a pair of two classes gets -(1 + R) / 2 if it is not near and -R
    if it is. This is the protocol of Section IV of the paper.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from fuzzypairs.datasets import simulate_pairs
    >>> X, y = load_wine(return_X_y=True)
    >>> pairs = simulate_pairs(scale(X), y, "iv", random_state=0)
    >>> len(pairs), pairs.n_samples
    (18, 178)
    """
    if group not in GROUPS:
        raise ValueError(f"group is {group!r}: expected one of {', '.join(GROUPS)}")
    if opposite not in ("negate", "relabel"):
        raise ValueError(f"opposite is {opposite!r}: expected 'negate' or 'relabel'")
    data = check_array(X, ensure_min_samples=2)
    classes = column_or_1d(y)
    check_consistent_length(data, classes)
    rng = np.random.default_rng(random_state)

    # As many as the largest group has, whatever is asked: this nests the groups.
    n_samples = len(data)
    pairs = _distinct_pairs(n_samples, _pair_count(0.10, n_samples), rng)
    chance = 1 - rng.random(len(pairs))  # in (0, 1]: a grade of 0 would say nothing

    ratio, share = GROUPS[group]
    count = _pair_count(ratio, n_samples)
    i, j = pairs[:count].T
    wrong = np.arange(count) < int(share * count)
    same = (classes[i] == classes[j]) ^ (wrong & (opposite == "relabel"))
    sure = same == _is_near(data, i, j, n_neighbors)
    strength = np.where(sure, (1 + chance[:count]) / 2, chance[:count])
    grade = np.where(same, strength, -strength)
    if opposite == "negate":
        grade[wrong] *= -1
    return PairSet.from_triples(np.column_stack([i, j, grade]), n_samples=n_samples)


def _pair_count(ratio: float, n_samples: int) -> int:
    """Return how many pairs a group has, at least one."""
    return max(1, round(ratio * n_samples))


def _distinct_pairs(
    n_samples: int, count: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Draw `count` distinct pairs i < j, uniformly, without listing all of them.

    Shape (count, 2), in the order drawn. A draw that repeats a pair or joins a
    sample to itself is rejected.
    """
    kept = np.empty((0, 2), dtype=np.int64)
    while len(kept) < count:
        drawn = np.sort(rng.integers(n_samples, size=(2 * count, 2)), axis=1)
        kept = np.concatenate([kept, drawn[drawn[:, 0] < drawn[:, 1]]])
        _, first = np.unique(kept, axis=0, return_index=True)
        kept = kept[np.sort(first)]
    return kept[:count]


def _is_near(X: Any, i: Any, j: Any, n_neighbors: int) -> NDArray[np.bool_]:
    """Say of each pair whether either sample is a near neighbour of the other."""
    rows, position = np.unique(np.concatenate([i, j]), return_inverse=True)
    n_neighbors = min(n_neighbors, len(X) - 1)
    # One more than asked, because each row finds itself, too; among duplicates it
    # may miss itself, and then the last neighbour is one too many.
    search = NearestNeighbors(n_neighbors=n_neighbors + 1).fit(X)
    found = search.kneighbors(X[rows], return_distance=False)
    others = found != rows[:, None]
    others[others.all(axis=1), -1] = False
    neighbors = found[others].reshape(len(rows), n_neighbors)
    at_i, at_j = neighbors[position[: len(i)]], neighbors[position[len(i) :]]
    near: NDArray[np.bool_] = (at_i == j[:, None]).any(axis=1) | (
        at_j == i[:, None]
    ).any(axis=1)
    return near
