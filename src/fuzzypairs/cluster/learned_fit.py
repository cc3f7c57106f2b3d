"""Fits in a space that judgements determine, where held-out judgements confirm it.

Three fits are made: with the judgements in the samples' own space (plain), without
judgements (blind), and in a learned space. The blind one is what trials start from:
the plain one has seen what they hold out.
"""

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from fuzzypairs._typing import Floats, Labels, Mask
from fuzzypairs.cluster.checked import CheckedData, unit_of
from fuzzypairs.cluster.notes import Note
from fuzzypairs.cluster.prototypes import Found
from fuzzypairs.cluster.verdict import HeldOut
from fuzzypairs.exceptions import ClustersVanishedWarning
from fuzzypairs.pairs import PairSet
from fuzzypairs.pairs.consistency import (
    balanced_share,
    chance_error,
    satisfied,
)
from fuzzypairs.pairs.folds import Folds, hold_out
from fuzzypairs.solvers.groups import usable_pairs
from fuzzypairs.spaces.learned import Learned, Taught, Weighted, representatives
from fuzzypairs.spaces.likelihood import softmax
from fuzzypairs.spaces.moments import is_sparse, total_variance
from fuzzypairs.spaces.vectors import Euclidean
from fuzzypairs.threads import Threads
from fuzzypairs.validation import check_seed

if TYPE_CHECKING:
    from fuzzypairs.cluster.fdc import FDC

__all__ = ["Guidance", "LearnedFit", "can_teach", "fit_learned", "teach_space"]

# Starts of the clusters without judgements: few will do.
BLIND_STARTS = 3
# beta="auto" in a learned space, in units of its total variance: samples there lie by
# what all judgements say together, so that single ones may pull harder.
LEARNED_BETA_SHARE = 5.0
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
    held_out : HeldOut or None
        What the better form of a learned space says of judgements held out from it.
    """

    space: Taught | None
    agreement: Mapping[str, float]
    needed: float
    held_out: HeldOut | None = None


@dataclass(frozen=True, eq=False)
class LearnedFit:
    """The fit that was kept, and what was found of the spaces tried.

    Attributes
    ----------
    found : Found
    space : Taught or None
        The learned space; None: the samples' own is better.
    attributes : dict of str to object
        What estimators store of it, beside what they store of every fit.
    notes : list of (message, kind of warning)
    """

    found: Found
    space: Taught | None
    attributes: dict[str, Any]
    notes: list[Note]


def fit_learned(
    variant: "Callable[..., FDC]",
    data: CheckedData,
    asked: Taught | None,
    *,
    propagate: bool | float | Literal["auto"] | None = None,
) -> LearnedFit:
    """Fit in the samples' own space, and in one that judgements determine.

    Parameters
    ----------
    variant : callable
        ``variant(**changes)`` returns an FDC with some parameters changed.
    data : CheckedData
    asked : Taught or None
        The space to fit in. None: a space that held-out judgements confirm, or the
        samples' own if there is none.
    propagate : bool, float or "auto", default=None
        Of the plain fit; None leaves it as it is.

    Returns
    -------
    LearnedFit
    """
    # Threads of BLAS share out sums by chance, and results must not depend on them.
    with threadpool_limits(1, "blas"):
        own = replace(data, unit=unit_of(data.given))
        changes = {} if propagate is None else {"propagate": propagate}
        plain = variant(metric="euclidean", metric_params=None, **changes)
        found = plain._solve(own, Euclidean())
        guidance = _learn(plain, found, own, asked)
        if guidance is None or guidance.space is None:
            return LearnedFit(found, None, _attributes(guidance), found.notes)
        space, derived = guidance.space, found.propagation
        inside = _model_in(variant, space, data)
        best = inside._solve(replace(data, unit=1.0), space)
        notes = best.notes
        if inside.n_clusters < found.n_clusters:
            why = (
                f"of {found.n_clusters} clusters, the judgements are best explained "
                f'by {inside.n_clusters}; to keep more use metric="euclidean"'
            )
            notes = [(why, ClustersVanishedWarning), *notes]
        attributes = _attributes(guidance)
        if derived is not None:
            attributes["propagation_"] = derived
        if not space.explicit:
            U, weight = best.memberships, data.weight
            attributes["cluster_centers_"] = weighted_centers(data.given, U, weight)
        return LearnedFit(best, space, attributes, notes)


def _attributes(guidance: "Guidance | None") -> dict[str, Any]:
    if guidance is None:
        return {}
    attributes: dict[str, Any] = {"held_out_agreement_": dict(guidance.agreement)}
    if guidance.held_out is not None:
        attributes["held_out_"] = guidance.held_out
    if guidance.space is not None:
        attributes["feature_weights_"] = guidance.space.feature_weights
    return attributes


def _learn(
    plain: "FDC", found: Found, data: CheckedData, asked: Taught | None
) -> "Guidance | None":
    """Return the space that judgements determine, or None if they cannot."""
    weight = data.weight
    judged = usable_pairs(data.pairs, weight, found.problem.beta)
    if asked is not None:
        if not len(judged):
            raise ValueError(
                'metric="learned" learns from judgements, but `pairs` has none '
                "that can act: grades other than 0, of samples with weight, with "
                "a beta above 0, where X is not constant; give some, or use "
                'metric="euclidean"'
            )
        if asked.is_open and not can_teach(judged):
            asked = Weighted()
    elif not can_teach(judged) or is_sparse(data.given) or data.unit != 1.0:
        return None
    derived = found.propagation
    lessons = judged if derived is None else derived.pairs

    def blind_labels() -> Labels:
        blind = plain._variant(
            propagate=False, robust=False, n_init=min(plain.n_init, BLIND_STARTS)
        )
        unjudged = replace(data, pairs=PairSet.empty(data.n_samples))
        return blind._solve(unjudged, Euclidean()).labels

    return teach_space(
        data.given,
        judged,
        usable_pairs(lessons, weight, found.problem.beta),
        found.labels,
        blind_labels,
        weight,
        asked,
        random_state=check_seed(plain.random_state),
        threads=Threads(plain.n_jobs),
    )


def _model_in(variant: "Callable[..., FDC]", space: Taught, data: CheckedData) -> "FDC":
    """Return the model to fit in a learned space, where it can start at once."""
    if not isinstance(space, Learned):
        return variant(metric=space, metric_params=None)
    V = space.map(data.given)
    kept, labels = np.unique(V.argmax(axis=1), return_inverse=True)
    # All that follows from judgements for other samples is in the map already.
    model = variant(
        metric=space,
        metric_params=None,
        n_clusters=len(kept),
        init=labels,
        propagate=False,
    )
    if isinstance(model.alpha, str):
        model.alpha = 0.0  # nothing collapses that starts at the corners
    if isinstance(model.beta, str):
        model.beta = LEARNED_BETA_SHARE * total_variance(V, data.weight)
    return model


def weighted_centers(X: Any, memberships: Floats, weight: Floats | None) -> Floats:
    """Return means of X weighted by squared memberships, (n_clusters, n_features)."""
    W = memberships**2 if weight is None else memberships**2 * weight[:, None]
    return np.asarray(W.T @ X / W.sum(axis=0)[:, None])


def agreement(labels: Labels, pairs: PairSet) -> float:
    """Return the share of judgements that labels keep, by strength, balanced.

    Examples
    --------
    >>> judged = PairSet.from_triples([(0, 1, 1.0), (1, 2, 0.5), (0, 2, -1.0)])
    >>> agreement(np.array([0, 0, 1]), judged)  # 1 / 1.5 of alike, all of unlike
    0.8333333333333333
    """
    together = labels[pairs.i] == labels[pairs.j]
    return float(balanced_share(satisfied(together, pairs.grade), pairs.grade))


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
    kept_most, guided = -1.0, np.full(len(folds.pairs), np.nan)
    rows = representatives(len(X), random_state)
    for form in FORMS:
        space = copy.copy(asked) if isinstance(asked, Learned) else Learned()
        space.form, space.is_open = form, False
        space, features = space.prepare(X, weight, **options)
        answers = held_out_answers(space, features, folds, start, rows, weight, threads)
        scores[form] = held_out_agreement(answers, folds)
        if scores[form] > kept_most:
            kept_most, guided = scores[form], answers.probability
        if scores[form] > best:
            best, chosen = scores[form], (space, features)
    together = start[folds.pairs.i] == start[folds.pairs.j]
    held_out = HeldOut(folds.pairs, guided, together.astype(np.float64))
    if chosen is None:
        return Guidance(None, scores, needed, held_out)
    space, features = chosen
    taught = space.taught(X, features, lessons, labels, rows, weight)
    return Guidance(taught, scores, needed, held_out)


def in_order(labels: Labels) -> Labels:
    """Return labels numbered from 0 without a gap."""
    return np.unique(labels, return_inverse=True)[1]


class Answers(NamedTuple):
    """What spaces that were not taught judgements say of them, (n_pairs,) each."""

    probability: Floats  # that two samples belong together; NaN where none was asked
    together: Floats  # whether their most likely clusters are the same; NaN likewise


def held_out_answers(
    space: Learned,
    features: Floats,
    folds: Folds,
    labels: Labels,
    rows: Labels,
    weight: Floats | None,
    threads: Threads,
) -> Answers:
    """Return what a space says of judgements that it was not taught."""

    def ask(train: PairSet, test: Mask) -> tuple[Floats, Mask]:
        W = space.solve(features, train, labels, rows, weight)
        ends = folds.pairs.i[test], folds.pairs.j[test]
        left, right = (softmax(features[end] @ W[:-1] + W[-1]) for end in ends)
        same = left.argmax(axis=1) == right.argmax(axis=1)
        return (left * right).sum(axis=1), same

    answers = Answers(*np.full((2, len(folds.pairs)), np.nan))
    for (_, test), found in zip(
        folds.splits, threads.map(ask, folds.splits), strict=True
    ):
        answers.probability[test], answers.together[test] = found
    return answers


def held_out_agreement(answers: Answers, folds: Folds) -> float:
    """Return the agreement with judgements that a space was not taught."""
    grade = folds.pairs.grade
    return float(balanced_share(satisfied(answers.together, grade), grade))
