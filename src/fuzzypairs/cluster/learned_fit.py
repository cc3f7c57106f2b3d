"""Whether judgements can teach a space, decided by judgements held out."""

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fuzzypairs._typing import Floats, Labels
from fuzzypairs.pairs import PairSet
from fuzzypairs.pairs.consistency import (
    balanced_share,
    chance_error,
    kept_judgements,
)
from fuzzypairs.pairs.folds import Folds, hold_out
from fuzzypairs.spaces.learned import Learned, Taught, representatives
from fuzzypairs.threads import Threads

__all__ = ["Guidance", "agreement", "can_teach", "teach_space"]


# Fewer judgements than this, or none of a kind, teach nothing that could be checked.
FEWEST = 5
N_SPLITS = 5
# From so many judgements on, two thirds of them teach nearly as much as all.
MANY, FEW_SPLITS = 300, 3
FORMS: tuple[Literal["linear", "rbf"], ...] = ("linear", "rbf")
# Held-out judgements must be kept better than by chance at the level of 1 %. A trust
# that is not earned costs far more than one that is withheld.
NORMAL_QUANTILE = 2.33
# By how many standard errors of chance a learned space must keep more of them than
# clusters without judgements do: few judgements teach little, and must be seen to
# help; from `ENOUGH` on they mostly help, and must not be seen to harm.
MARGIN, ENOUGH = 0.5, 100


@dataclass(frozen=True)
class Guidance:
    """What held-out judgements say of spaces they could teach.

    Attributes
    ----------
    space : Taught or None
        The space taught by all judgements, or None: the samples' own is better.
    agreement : mapping of str to float
        The share of held-out judgements that are kept, alike and unlike ones counting
        the same: in the samples' own space ("euclidean") and in each learned one.
    needed : float
        What a learned space had to reach to be trusted.
    """

    space: Taught | None
    agreement: Mapping[str, float]
    needed: float


def agreement(labels: Labels, pairs: PairSet) -> float:
    """Return the share of judgements that labels keep, by strength, balanced.

    Examples
    --------
    >>> judged = PairSet.from_triples([(0, 1, 1.0), (1, 2, 0.5), (0, 2, -1.0)])
    >>> agreement(np.array([0, 0, 1]), judged)  # 1 / 1.5 of alike, all of unlike
    0.8333333333333333
    """
    together = labels[pairs.i] == labels[pairs.j]
    return float(balanced_share(kept_judgements(together, pairs.grade), pairs.grade))


def can_teach(pairs: PairSet) -> bool:
    """Tell whether judgements are enough, and of both kinds, to check a lesson."""
    is_alike = pairs.grade > 0
    return len(pairs) >= FEWEST and bool(is_alike.any()) and not is_alike.all()


def teach_space(
    X: Floats,
    pairs: PairSet,
    lessons: PairSet,
    labels: Labels,
    blind: Callable[[], Labels],
    weight: Floats | None,
    asked: Taught | None = None,
    *,
    random_state: np.random.RandomState,
    threads: Threads,
) -> Guidance:
    """Teach spaces a part of the judgements; keep the one that the others confirm.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    pairs : PairSet
        Judgements that say alike or unlike: what is tried, and what is held out.
    lessons : PairSet
        What the space in the end is taught by: the judgements, with all that was
        derived from them.
    labels : ndarray of shape (n_samples,)
        Clusters under the judgements, which the space in the end starts from.
    blind : callable
        Returns clusters without any judgement, which trials start from: those under
        the judgements have seen what is held out.
    weight : ndarray of shape (n_samples,) or None
    asked : Taught, default=None
        The space to be taught in any case. None: only one that is trusted, see Notes.
    random_state : RandomState
    threads : Threads

    Returns
    -------
    guidance : Guidance

    Notes
    -----
    Of the forms "linear" and "rbf" that one is taken which keeps most held-out
    judgements. It is trusted if these are more than chance would keep, and clearly
    more than clusters without judgements do; from 100 judgements on, if these are not
    clearly fewer.
    """
    labels = in_order(labels)
    options: dict[str, Any] = {"random_state": random_state, "threads": threads}
    if asked is not None and not asked.is_open:
        space = asked.teach(X, lessons, labels, weight, **options)
        return Guidance(space, {}, 0.0)
    rng = np.random.default_rng(random_state.randint(2**31))
    n_splits = N_SPLITS if len(pairs) < MANY else FEW_SPLITS
    folds = hold_out(pairs, n_splits, 1, rng)
    error = chance_error(folds.pairs.grade)
    start = in_order(blind())
    scores = {"euclidean": agreement(start, folds.pairs)}
    margin = MARGIN if len(pairs) < ENOUGH else -MARGIN
    needed = max(0.5 + NORMAL_QUANTILE * error, scores["euclidean"] + margin * error)
    best, chosen = needed if asked is None else -1.0, None
    rows = representatives(len(X), random_state)
    for form in FORMS:
        space = copy.copy(asked) if isinstance(asked, Learned) else Learned()
        space.form, space.is_open = form, False
        space, features = space.prepare(X, weight, **options)
        scores[form] = held_out_agreement(
            space, features, folds, start, rows, weight, threads
        )
        if scores[form] > best:
            best, chosen = scores[form], (space, features)
    if chosen is None:
        return Guidance(None, scores, needed)
    space, features = chosen
    return Guidance(
        space.taught(X, features, lessons, labels, rows, weight), scores, needed
    )


def in_order(labels: Labels) -> Labels:
    """Return labels numbered from 0 without a gap."""
    return np.unique(labels, return_inverse=True)[1]


def held_out_agreement(
    space: Learned,
    features: Floats,
    folds: Folds,
    labels: Labels,
    rows: Labels,
    weight: Floats | None,
    threads: Threads,
) -> float:
    """Return the agreement with judgements that a space was not taught."""

    def ask(train: PairSet, test: NDArray[np.bool_]) -> NDArray[np.bool_]:
        W = space.solve(features, train, labels, rows, weight)
        i, j = folds.pairs.i[test], folds.pairs.j[test]
        left, right = (features[end] @ W[:-1] + W[-1] for end in (i, j))
        return np.asarray(left.argmax(axis=1) == right.argmax(axis=1))

    answers = threads.map(ask, folds.splits)
    together = np.concatenate(answers)
    grade = np.concatenate([folds.pairs.grade[test] for _, test in folds.splits])
    return float(balanced_share(kept_judgements(together, grade), grade))
