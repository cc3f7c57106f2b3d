"""Simulated supervisors, who know the truth and judge pairs by it."""

from collections.abc import Callable
from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist
from sklearn.neighbors import NearestNeighbors
from sklearn.utils import (
    column_or_1d,
    gen_batches,
)

from fuzzypairs._typing import Floats, Ints, Mask
from fuzzypairs.criteria.inputs import check_lengths
from fuzzypairs.pairs import PairSet
from fuzzypairs.pairs.reading import is_count
from fuzzypairs.validation import (
    check_choice,
    check_integer,
    check_kind,
    naming,
    read_array,
    read_generator,
    shown,
)

# Pairs for each sample, and the share of them that contradicts the truth.
GROUPS = {"i": (0.05, 1.0), "ii": (0.10, 0.5), "iii": (0.05, 0.0), "iv": (0.10, 0.0)}
# No more pairs for each sample are drawn.
MOST_RATIO = 1e9
# Squares of larger values leave the range of float64.
LARGEST = 1e150
# The groups of the paper's experiment on faces: pairs for each sample, all true.
FACE_GROUPS = {"i": 0.2, "ii": 0.4, "iii": 0.6, "iv": 0.8, "v": 1.0}
# The least rating that each map to memberships can take.
RATING_MAPS = {"shift-min": -np.inf, "shift-one": 1, "plain": 0}
# How many samples a pair is compared with before a search for neighbours.
N_SCREENED = 512


def simulate_pairs(
    X: ArrayLike,
    y: ArrayLike,
    group: Literal["i", "ii", "iii", "iv"] = "iv",
    *,
    random_state: int | np.random.Generator,
    ratio: float | Literal["fifth"] | None = None,
    pair_sampling: Literal["uniform", "balanced", "chain-free"] = "uniform",
    n_neighbors: int = 10,
    opposite: Literal["negate", "relabel"] = "negate",
) -> PairSet:
    """Draw graded judgements as the paper's simulated supervisor gives them.

    The supervisor knows the classes and the data: judgements are strong, with |s| of
    at least one half, where the two agree, and may be weak where they do not.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The data as they will be clustered. The paper's features have mean 0 and
        standard deviation 1; nothing is scaled here.
    y : array-like of shape (n_samples,)
        Classes.
    group : {"i", "ii", "iii", "iv"}, default="iv"
        How many judgements and how many of them contradict the classes: (i) all
        of 0.05 n_samples, (ii) half of 0.10 n_samples, (iii) none of 0.05
        n_samples, (iv) none of 0.10 n_samples.
    random_state : int or Generator
        Seeds the draw. With one seed the groups are nested: (i) and (iii) judge
        the same pairs, and (ii) and (iv) contain them. So are ratios up to 0.10.
    ratio : float or "fifth", default=None
        Judgements for each sample in place of the group's number, or one fifth of
        that number, which the paper takes for the Shuttle data.
    pair_sampling : {"uniform", "balanced", "chain-free"}, default="uniform"
        All pairs are equally likely; or every other pair is of one class, which is
        rare among uniform pairs if classes are many; or no sample is in two pairs.
    n_neighbors : int, default=10
        Two samples are near when either is among this many nearest neighbours of
        the other.
    opposite : {"negate", "relabel"}, default="negate"
        A contradicting judgement is the true one with its sign reversed, or the
        one that the supervisor would give if the classes were reversed, which is
        weaker where the data contradict it.

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
    >>> from fuzzypairs.datasets import load, simulate_pairs
    >>> wine = load("wine", scale=True)
    >>> pairs = simulate_pairs(wine.data, wine.target, "iv", random_state=0)
    >>> len(pairs), pairs.n_samples
    (18, 178)
    """
    check_choice("group", group, tuple(GROUPS))
    check_choice("opposite", opposite, ("negate", "relabel"))
    check_choice("pair_sampling", pair_sampling, tuple(SAMPLERS))
    data = read_array("X", X, dtype=np.float64, ensure_min_samples=2)
    if not np.abs(data).max() <= LARGEST:
        raise ValueError(
            f"X reaches {np.abs(data).max():g}, expected at most {LARGEST:g}; rescale X"
        )
    with naming("y"):
        check_kind("y", y)
        classes = column_or_1d(y)
    check_lengths(X=data, y=classes)
    rng = read_generator(random_state)

    # As many as the largest group has, whatever is asked: this nests the groups.
    n_samples = len(data)
    per_sample, share = GROUPS[group]
    count = _pair_count(_read_ratio(ratio, per_sample), n_samples)
    most = max(count, _pair_count(0.10, n_samples))
    pairs = SAMPLERS[pair_sampling](classes, most, rng)
    chance = 1 - rng.random(most)  # in (0, 1]: no grade is 0

    i, j = pairs[:count].T
    wrong = np.arange(count) < int(share * count)
    same = (classes[i] == classes[j]) ^ (wrong & (opposite == "relabel"))
    n_neighbors = min(check_integer("n_neighbors", n_neighbors, 1), n_samples - 1)
    is_near = _has_neighbor(data, i, j, n_neighbors)
    is_near |= _has_neighbor(data, j, i, n_neighbors)
    sure = same == is_near
    strength = np.where(sure, (1 + chance[:count]) / 2, chance[:count])
    grade = np.where(same, strength, -strength)
    if opposite == "negate":
        grade[wrong] *= -1
    return PairSet(i, j, grade, n_samples)


def pairs_from_memberships(
    memberships: ArrayLike,
    group: Literal["i", "ii", "iii", "iv", "v"] = "v",
    *,
    random_state: int | np.random.Generator,
    n_pairs: int | None = None,
    sign: Literal["argmax", "cost"] = "argmax",
    form: Literal["squared", "norm"] = "squared",
) -> PairSet:
    """Draw pairs and judge them by true memberships, as for the paper's faces.

    Parameters
    ----------
    memberships : array-like of shape (n_samples, n_classes)
        True memberships; rows are >= 0 and sum to 1.
    group : {"i", "ii", "iii", "iv", "v"}, default="v"
        How many judgements: 0.2, 0.4, 0.6, 0.8 or 1 for each sample.
    random_state : int or Generator
        Seeds the draw. With one seed fewer pairs are among more pairs.
    n_pairs : int, default=None
        Number of judgements in place of the group's.
    sign : {"argmax", "cost"}, default="argmax"
        Alike if the largest memberships coincide, or if being alike costs less.
    form : {"squared", "norm"}, default="squared"
        Alike pairs get ``1 - ||u_p - u_q||^2 / 2`` or ``1 - ||u_p - u_q||``, which
        spreads the grades of nearly equal rows.

    Returns
    -------
    pairs : PairSet
        Distinct pairs, all true.

    See Also
    --------
    PairSet.from_memberships : The same judgements of pairs that are given.
    ratings_to_memberships : Memberships from ratings.

    Notes
    -----
    A grade is one minus the cost of the pair, eq. (6), at full strength and under the
    true memberships; unlike pairs get ``u_p.u_q - 1``. The paper only says that
    grades follow that equation.

    Examples
    --------
    >>> from fuzzypairs.datasets import pairs_from_memberships
    >>> truth = [[0.6, 0.4], [0.4, 0.6], [0.6, 0.4]]
    >>> list(pairs_from_memberships(truth, random_state=0))
    [(0, 1, -0.52), (0, 2, 1.0), (1, 2, -0.52)]
    """
    check_choice("group", group, tuple(FACE_GROUPS))
    check_choice("form", form, ("squared", "norm"))
    truth = read_array("memberships", memberships, ensure_min_samples=2)
    n_samples = len(truth)
    count = _pair_count(FACE_GROUPS[group], n_samples) if n_pairs is None else n_pairs
    rng = read_generator(random_state)
    return PairSet.from_memberships(
        truth,
        pairs=draw_uniform(np.arange(n_samples), count, rng),
        sign=sign,
        form="norm" if form == "norm" else "cost",
    )


def ratings_to_memberships(
    ratings: ArrayLike, how: Literal["shift-min", "shift-one", "plain"] = "shift-min"
) -> Floats:
    """Turn ratings, one for each class, into memberships.

    Parameters
    ----------
    ratings : array-like of shape (n_samples, n_classes)
        How strongly each class shows in each sample, by custom from 1 to 5.
    how : {"shift-min", "shift-one", "plain"}, default="shift-min"
        What is subtracted before a row is divided by its sum: its lowest rating, 1
        as the lowest possible one, or nothing. Plain memberships are nearly flat, so
        that all samples look alike.

    Returns
    -------
    memberships : ndarray of shape (n_samples, n_classes)
        Rows sum to 1; where nothing is left to divide, all entries are equal.

    Examples
    --------
    >>> from fuzzypairs.datasets import ratings_to_memberships
    >>> ratings_to_memberships([[5, 2, 1], [3, 3, 3]]).round(3)
    array([[0.8  , 0.2  , 0.   ],
           [0.333, 0.333, 0.333]])
    >>> ratings_to_memberships([[5, 2, 1]], how="plain")
    array([[0.625, 0.25 , 0.125]])
    """
    check_choice("how", how, tuple(RATING_MAPS))
    given = read_array("ratings", ratings, dtype=np.float64)
    least = RATING_MAPS[how]
    if given.min() < least:
        raise ValueError(
            f"ratings holds {given.min()}: how={how!r} expects at least {least}"
        )
    floor = given.min(axis=1, keepdims=True) if how == "shift-min" else least
    height = given - floor
    total = height.sum(axis=1, keepdims=True)
    memberships: Floats = np.full_like(given, 1 / given.shape[1])
    np.divide(height, total, out=memberships, where=total > 0)
    return memberships


def draw_uniform(classes: Any, count: int, rng: np.random.Generator) -> Ints:
    """Draw distinct pairs, all equally likely, shape (count, 2)."""
    n_samples = len(classes)
    _check_count(count, n_samples * (n_samples - 1) // 2, "pairs")
    return _distinct(
        lambda size: rng.integers(n_samples, size=(size, 2)), count, n_samples
    )


def draw_balanced(classes: Any, count: int, rng: np.random.Generator) -> Ints:
    """Draw distinct pairs, the first, third, ... of one class, the others of two.

    Samples are sorted by class: a partner of the same class lies in the same block,
    one of another class anywhere else.
    """
    n_samples = len(classes)
    _, label = np.unique(classes, return_inverse=True)
    line = np.argsort(label, kind="stable")
    sizes = np.bincount(label)
    size = sizes[label[line]]
    start = (np.cumsum(sizes) - sizes)[label[line]]

    def draw_same(n_draws: int) -> Ints:
        at = rng.choice(n_samples, n_draws, p=(size - 1) / (size - 1).sum())
        step = rng.integers(1, size[at])
        other = start[at] + (at - start[at] + step) % size[at]
        return np.column_stack([line[at], line[other]])

    def draw_different(n_draws: int) -> Ints:
        rest = n_samples - size
        at = rng.choice(n_samples, n_draws, p=rest / rest.sum())
        other = (start[at] + size[at] + rng.integers(rest[at])) % n_samples
        return np.column_stack([line[at], line[other]])

    n_same, n_different = count - count // 2, count // 2
    most = int((sizes * (sizes - 1)).sum()) // 2
    _check_count(n_same, most, "pairs of one class")
    all_pairs = n_samples * (n_samples - 1) // 2
    _check_count(n_different, all_pairs - most, "pairs of two classes")
    pairs = np.empty((count, 2), dtype=np.int64)
    pairs[::2] = _distinct(draw_same, n_same, n_samples)
    pairs[1::2] = _distinct(draw_different, n_different, n_samples)
    return pairs


def draw_chain_free(classes: Any, count: int, rng: np.random.Generator) -> Ints:
    """Draw pairs of which no two share a sample."""
    n_samples = len(classes)
    _check_count(count, n_samples // 2, "pairs without a common sample")
    line: Ints = rng.permutation(n_samples)
    return line[: 2 * count].reshape(count, 2)


SAMPLERS: dict[str, Callable[[Any, int, np.random.Generator], Ints]] = {
    "uniform": draw_uniform,
    "balanced": draw_balanced,
    "chain-free": draw_chain_free,
}


def _check_count(count: int, most: int, what: str) -> None:
    if not is_count(count, 0, most):
        raise ValueError(
            f"{shown(count)} {what} are asked for: expected 0 to {most}; change "
            "n_pairs or ratio"
        )


def _distinct(draw: Callable[[int], Ints], count: int, n_samples: int) -> Ints:
    """Repeat `draw` until there are `count` distinct pairs, in the order drawn.

    Repeated pairs, and pairs of a sample with itself, are rejected: all pairs need
    not be listed to draw without replacement.
    """
    keys = np.empty(0, dtype=np.int64)
    while keys.size < count:
        i, j = np.sort(draw(2 * count), axis=1).T
        keys = np.concatenate([keys, (i * n_samples + j)[i < j]])
        keys = keys[np.sort(np.unique(keys, return_index=True)[1])]
    return np.column_stack(np.divmod(keys[:count], n_samples))


def _read_ratio(ratio: Any, usual: float) -> float:
    if ratio is None:
        return usual
    if isinstance(ratio, str) and ratio == "fifth":
        return usual / 5
    if isinstance(ratio, np.floating):  # of 16 bits the limit would overflow
        ratio = float(ratio)
    is_number = isinstance(ratio, Real) and not isinstance(ratio, np.timedelta64)
    if not (is_number and 0 < ratio < MOST_RATIO):
        raise ValueError(
            f"ratio is {shown(ratio)}: expected pairs for each sample, above 0, or "
            "'fifth'"
        )
    return float(ratio)


def _pair_count(ratio: float, n_samples: int) -> int:
    """Return the number of pairs of a group, at least one."""
    return max(1, round(ratio * n_samples))


def _has_neighbor(X: Any, i: Any, j: Any, n_neighbors: int) -> Mask:
    """Tell of each pair whether j is among the nearest neighbours of i."""
    has = _may_have_neighbor(X, i, j, n_neighbors)
    if has.any():
        rows, position = np.unique(i[has], return_inverse=True)
        search = NearestNeighbors(n_neighbors=n_neighbors + 1).fit(X)
        found = search.kneighbors(X[rows], return_distance=False)
        # One more than asked, because a row finds itself, too; among duplicates it may
        # miss itself, and then the last neighbour is one too many.
        found[(found != rows[:, None]).all(axis=1), -1] = -1
        has[has] = (found[position] == j[has][:, None]).any(axis=1)
    return has


def _may_have_neighbor(X: Any, i: Any, j: Any, n_neighbors: int) -> Mask:
    """Rule out pairs where too many of a few samples are nearer to i than j.

    This spares most pairs the search for neighbours, which is slow in large data.
    """
    some = X[:: -(-len(X) // N_SCREENED)]
    nearer = np.empty(len(i), dtype=np.int64)
    for batch in gen_batches(len(i), 4096):
        start, end = X[i[batch]], X[j[batch]]
        # A little less than the distance: rounding must not rule out a tie.
        gap = np.linalg.norm(start - end, axis=1) * (1 - 1e-9)
        nearer[batch] = (cdist(start, some) < gap[:, None]).sum(axis=1)
    return np.asarray(nearer <= n_neighbors)  # i itself may be among them
