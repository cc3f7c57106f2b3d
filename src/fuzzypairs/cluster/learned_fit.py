"""Fits of ``FDC(metric="learned")``: learn a space from judgements, then fit there."""

import copy
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from fuzzypairs._typing import Floats, Labels, Mask
from fuzzypairs.cluster.checked import CheckedData, unit_of
from fuzzypairs.cluster.guided_fit import can_learn
from fuzzypairs.cluster.notes import Note
from fuzzypairs.cluster.prototypes import Found
from fuzzypairs.exceptions import ClustersVanishedWarning
from fuzzypairs.pairs import PairSet
from fuzzypairs.pairs.consistency import balanced_share, satisfied
from fuzzypairs.pairs.folds import Folds, hold_out
from fuzzypairs.solvers.groups import usable_pairs
from fuzzypairs.spaces.learned import (
    FeatureWeights,
    LearnedSpace,
    SimplexMap,
    representatives,
)
from fuzzypairs.spaces.moments import total_variance
from fuzzypairs.spaces.vectors import Euclidean
from fuzzypairs.threads import Threads, one_blas_thread
from fuzzypairs.validation import check_seed

if TYPE_CHECKING:
    from fuzzypairs.cluster.fdc import FDC

__all__ = ["LEARNED_BETA_SHARE", "LearnedFit", "fit_learned", "weighted_centers"]

# Starts of the clusters without judgements that trials of forms begin from.
UNGUIDED_STARTS = 3
# beta="auto" in a learned space, in units of its total variance: samples there lie by
# what all judgements say together, so that single ones may pull harder.
LEARNED_BETA_SHARE = 5.0
N_SPLITS = 5
# From so many judgements on, two thirds of them determine a map nearly as well as all.
MANY, FEW_SPLITS = 300, 3
FORMS: tuple[Literal["linear", "rbf"], ...] = ("linear", "rbf")


@dataclass(frozen=True, eq=False)
class LearnedFit:
    """The fit in a learned space.

    Attributes
    ----------
    found : Found
    attributes : dict of str to object
        What estimators store of it, beside what they store of every fit.
    notes : list of (message, kind of warning)
    """

    found: Found
    attributes: dict[str, Any]
    notes: list[Note]


def fit_learned(
    variant: "Callable[..., FDC]", data: CheckedData, asked: LearnedSpace
) -> LearnedFit:
    """Fit in the samples' own space, learn `asked` from judgements, and fit there.

    Parameters
    ----------
    variant : callable
        ``variant(**changes)`` returns an FDC with some parameters changed.
    data : CheckedData
    asked : LearnedSpace
        The space to learn; of an open form, the one that keeps more of the judgements
        held out from it.

    Returns
    -------
    LearnedFit
    """
    # Threads of BLAS share out sums by chance, and results must not depend on them.
    with one_blas_thread():
        own = replace(data, unit=unit_of(data.given))
        plain = variant(metric="euclidean", metric_params=None)
        found = plain._solve(own, Euclidean())
        space, agreement = _learn(plain, found, own, asked)
        inside = _model_in(variant, space, data)
        best = inside._solve(replace(data, unit=1.0), space)
    notes = best.notes
    if inside.n_clusters < found.n_clusters:
        why = (
            f"of {found.n_clusters} clusters, the judgements are best explained "
            f'by {inside.n_clusters}; to keep more use metric="euclidean"'
        )
        notes = [(why, ClustersVanishedWarning), *notes]
    attributes: dict[str, Any] = {
        "held_out_agreement_": agreement,
        "feature_weights_": space.feature_weights,
    }
    if found.propagation is not None:
        attributes["propagation_"] = found.propagation
    if not space.explicit:
        U, weight = best.memberships, data.weight
        attributes["cluster_centers_"] = weighted_centers(data.given, U, weight)
    return LearnedFit(best, attributes, notes)


def _learn(
    plain: "FDC", found: Found, data: CheckedData, asked: LearnedSpace
) -> tuple[LearnedSpace, dict[str, float]]:
    """Return the learned space, and the agreement of each form that was tried."""
    X, weight, beta = data.given, data.weight, found.problem.beta
    judged = usable_pairs(data.pairs, weight, beta)
    if not len(judged):
        raise ValueError(
            'metric="learned" learns from judgements, but `pairs` has none '
            "that can act: grades other than 0, of samples with weight, with "
            "a beta above 0, where X is not constant; give some, or use "
            'metric="euclidean"'
        )
    if asked.is_open and not can_learn(judged):
        asked = FeatureWeights()
    derived = judged if found.propagation is None else found.propagation.pairs
    training_pairs = usable_pairs(derived, weight, beta)
    labels = in_order(found.labels)
    random_state = check_seed(plain.random_state)
    threads = Threads(plain.n_jobs)
    options: dict[str, Any] = {"random_state": random_state, "threads": threads}
    if not asked.is_open or not isinstance(asked, SimplexMap):
        return asked.learn(X, training_pairs, labels, weight, **options), {}
    unguided = plain._variant(
        propagate=False, robust=False, n_init=min(plain.n_init, UNGUIDED_STARTS)
    )
    unjudged = replace(data, pairs=PairSet.empty(data.n_samples))
    start = in_order(unguided._solve(unjudged, Euclidean()).labels)
    rng = np.random.default_rng(random_state.randint(2**31))
    n_splits = N_SPLITS if len(judged) < MANY else FEW_SPLITS
    folds = hold_out(judged, n_splits, 1, rng)
    rows = representatives(len(X), random_state)
    agreement: dict[str, float] = {}
    best, prepared = -1.0, None
    for form in FORMS:
        space = copy.copy(asked)
        space.form, space.is_open = form, False
        space, features = space.prepare(X, weight, **options)
        agreement[form] = held_out_agreement(
            space, features, folds, start, rows, weight, threads
        )
        if agreement[form] > best:
            best, prepared = agreement[form], (space, features)
    assert prepared is not None
    space, features = prepared
    learned = space.learned(X, features, training_pairs, labels, rows, weight)
    return learned, agreement


def _model_in(
    variant: "Callable[..., FDC]", space: LearnedSpace, data: CheckedData
) -> "FDC":
    """Return the model to fit in a learned space, where it can start at once."""
    if not isinstance(space, SimplexMap):
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


def in_order(labels: Labels) -> Labels:
    """Return labels numbered from 0 without a gap."""
    return np.unique(labels, return_inverse=True)[1]


def held_out_agreement(
    space: SimplexMap,
    features: Floats,
    folds: Folds,
    labels: Labels,
    rows: Labels,
    weight: Floats | None,
    threads: Threads,
) -> float:
    """Return the balanced share of judgements kept by maps that were not given them."""

    def ask(train: PairSet, test: Mask) -> Mask:
        W = space.solve(features, train, labels, rows, weight)
        ends = folds.pairs.i[test], folds.pairs.j[test]
        left, right = ((features[end] @ W[:-1] + W[-1]).argmax(axis=1) for end in ends)
        return np.asarray(left == right)

    together = np.concatenate(threads.map(ask, folds.splits))
    grade = np.concatenate([folds.pairs.grade[test] for _, test in folds.splits])
    return float(balanced_share(satisfied(together, grade), grade))
