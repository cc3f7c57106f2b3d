"""The fit of GuidedFDC: unguided clusters, a map of two views, held-out evidence.

1. Clusters are found without judgements, in several views
   (`fuzzypairs.cluster.guided_sample`).
2. Folds of the judgements are held out in turn. From the others a map is learned
   (`learn_map`), which says how likely the samples of held-out judgements belong
   together.
3. The posterior probabilities that judgements follow the map, or the clusters of a
   view, come from these (`fuzzypairs.cluster.evidence`).
4. The map is learned from all judgements. Memberships are the average of the map and
   the unguided clusters, weighted by these probabilities
   (`fuzzypairs.cluster.combined.CombinedMap`).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from fuzzypairs._typing import Floats, Labels, Mask
from fuzzypairs.cluster.checked import CheckedData
from fuzzypairs.cluster.combined import (
    CombinedMap,
    ViewMap,
    as_shares,
    certainty_radius,
    joined,
)
from fuzzypairs.cluster.evidence import (
    SHARPNESS,
    Evidence,
    calibrating_power,
    reliability,
    tempered,
    together,
    weigh,
    weigh_views,
)
from fuzzypairs.cluster.guided_sample import (
    Sample,
    clusters_at,
    draw_sample,
    landmarks_of,
    matching,
    means_of,
    representatives,
)
from fuzzypairs.cluster.prototypes import Found
from fuzzypairs.cluster.verdict import HeldOut
from fuzzypairs.pairs import PairSet
from fuzzypairs.pairs.answer_groups import group_samples
from fuzzypairs.pairs.folds import Folds, hold_out_samples
from fuzzypairs.pairs.propagation import Propagation, spread_pairs
from fuzzypairs.solvers.groups import usable_pairs
from fuzzypairs.solvers.lloyd import best_partition
from fuzzypairs.solvers.start import kmeans_plusplus
from fuzzypairs.spaces.likelihood import Objective, softmax
from fuzzypairs.spaces.vectors import Euclidean
from fuzzypairs.spaces.views import alike_directions, make_view
from fuzzypairs.threads import Threads, one_blas_thread
from fuzzypairs.validation import check_seed

if TYPE_CHECKING:
    from fuzzypairs.cluster.fdc import FDC

__all__ = [
    "GuidedFit",
    "can_learn",
    "fit_guided",
    "is_among",
    "learn_map",
    "read_inferred",
]

# The constants down to PRIOR_ROWS were chosen on the half "chosen on" of the sets of
# `experiments.judgements`. Prior of the whitened view, in pairs.
WHITENING = 0.3
# Strength of the clusters of the views in the map, in judgements of full strength, and
# penalty on its coefficients.
PRIOR, RIDGE = 1.0, 0.05
# Share of wrong judgements that is assumed where it has not been estimated.
ASSUMED_NOISE = 0.1
# Samples that represent all of them in the prior of the map.
PRIOR_ROWS = 250
# Fewer judgements than this, or none of a kind, cannot be held out.
FEWEST = 5
N_SPLITS = 5
# From so many judgements on, two thirds of them determine a map nearly as well as all.
MANY, FEW_SPLITS = 300, 3
# A map that is only evaluated is learned from so many judgements at most.
MOST_TRAINING = 1000


@dataclass(frozen=True, eq=False)
class GuidedFit:
    """What was found.

    Attributes
    ----------
    space : CombinedMap
    unguided : Found
        The fit without judgements.
    evidence : Evidence
    held_out : HeldOut
    reliability : ndarray of shape (n_pairs,)
        The probability that each judgement of ``held_out.pairs`` is right.
    feature_weights : ndarray of shape (n_features,)
    propagation : Propagation or None
    """

    space: CombinedMap
    unguided: Found
    evidence: Evidence
    held_out: HeldOut
    reliability: Floats
    feature_weights: Floats
    propagation: Propagation | None


def can_learn(pairs: PairSet) -> bool:
    """Tell whether judgements are enough, and of both kinds, to hold some out."""
    is_alike = pairs.grade > 0
    return len(pairs) >= FEWEST and bool(is_alike.any()) and not is_alike.all()


def read_inferred(inferred: Any, pairs: PairSet, weight: Floats | None) -> PairSet:
    """Return inferred judgements that can act and are not among those given."""
    if inferred is None:
        return PairSet.empty(pairs.n_samples)
    if not isinstance(inferred, PairSet):
        seen = type(inferred).__name__
        raise TypeError(f"inferred is a {seen}, expected a PairSet or None")
    if inferred.n_samples != pairs.n_samples:
        raise ValueError(
            f"inferred is about {inferred.n_samples} samples, but X has "
            f"{pairs.n_samples} rows; infer it from pairs of the same rows"
        )
    usable = usable_pairs(inferred, weight, 1.0)
    return usable.select(~is_among(usable, pairs))


def fit_guided(
    variant: "Callable[..., FDC]",
    data: CheckedData,
    pairs: PairSet,
    inferred: PairSet,
    propagate: bool | float | Literal["auto"],
) -> GuidedFit:
    """Fit to dense data and judgements that `can_learn`.

    Parameters
    ----------
    variant : callable
        ``variant(**changes)`` returns an FDC with some parameters changed.
    data : CheckedData
    pairs : PairSet
        The judgements that can act.
    inferred : PairSet
        What follows from them: maps are learned from these as well, but they are no
        evidence, since one wrong judgement makes many of them wrong.
    propagate : bool, float or "auto"
        Whether maps are learned from derived judgements as well.

    Returns
    -------
    GuidedFit
    """
    # Threads of BLAS share out sums by chance, and results must not depend on them.
    with one_blas_thread():
        model = variant(propagate=False, robust=False, group_solver="sweeps")
        random_state = check_seed(model.random_state)
        found = fit_unguided(model, data, random_state)
        # Derived judgements may be of any sample.
        others = np.arange(data.n_samples if propagate else 0)
        everything = pairs.concat(inferred)
        sample = draw_sample(data, everything, found, others, random_state)

        def spread(train: PairSet) -> Propagation | None:
            if not propagate:
                return None
            strength = "auto" if propagate is True else propagate
            weight = None if data.weight is None else sample.weight
            return spread_pairs(sample.X, train, strength, weight=weight)

        rng = np.random.default_rng(random_state.randint(2**31))
        judged = pairs.restrict(sample.rows)
        everything = everything.restrict(sample.rows)
        n_splits = N_SPLITS if len(everything) < MANY else FEW_SPLITS
        folds = hold_out_samples(everything, n_splits, rng)
        threads = Threads(model.n_jobs)
        has_groups = len(inferred) > 0
        guided = held_out_ends(sample, judged, folds, spread, has_groups, rng, threads)
        known = ~np.isnan(guided[:, 0, 0])
        unguided = unguided_ends(sample, judged)
        evidence = weigh(
            together(guided[known]),
            together(unguided[:, :, known]),
            judged.grade[known],
        )

        derived = spread(everything)
        training = everything if derived is None else derived.pairs
        noise = min(max(evidence.noise_rate, 0.05), 0.4)
        groups = everything if has_groups else None
        learned, V = learn_map(sample, judged, training, noise, groups)
        chosen = [SHARPNESS.index(t) for t in evidence.sharpness]
        sharp = unguided[np.arange(len(unguided)), chosen]
        w, rest = evidence.guided, evidence.unguided
        mean = w * guided[known] + np.tensordot(rest, sharp[:, known], 1)
        power = calibrating_power(mean, judged.grade[known])
        calibrated = np.full(len(judged), np.nan)
        calibrated[known] = together(tempered(mean, power))
        space = combine(sample, learned, evidence, power)
        held_out = np.where(known, together(guided), together(ends_of(V, judged)))
        average = w * held_out + rest @ together(sharp)
        return GuidedFit(
            space,
            found,
            evidence,
            HeldOut(
                pairs,
                np.where(known, average, np.nan),
                together(unguided[0, -1]),
                calibrated,
            ),
            reliability(average, judged.grade, evidence.noise_rate),
            feature_weights(space, sample),
            derived,
        )


def fit_unguided(
    model: "FDC", data: CheckedData, random_state: np.random.RandomState
) -> Found:
    """Fit without judgements, from the best of several quick k-means partitions."""
    unjudged = replace(data, pairs=PairSet.empty(data.n_samples))
    k = model.n_clusters
    if isinstance(model.init, str) and model.init == "k-means++" and k < data.n_samples:
        w = np.ones(data.n_samples) if data.weight is None else data.weight
        rows = representatives(w, random_state)
        Z = np.asarray(data.X[rows], dtype=np.float64)
        center = Z.mean(axis=0)
        Z -= center
        starts = [
            kmeans_plusplus(Z, k, sample_weight=w[rows], random_state=random_state)
            for _ in range(model.n_init)
        ]
        labels = best_partition(Z, starts, w[rows])
        means = means_of(Z, np.eye(k)[labels], w[rows])
        nearest = Euclidean().between(data.X, means + center).argmin(axis=1)
        model = model._variant(init=nearest)
    return model._solve(unjudged, Euclidean())


def learn_map(
    sample: Sample,
    pairs: PairSet,
    training: PairSet,
    noise: float,
    groups: PairSet | None = None,
) -> tuple[ViewMap, Floats]:
    """Return the map under which judgements and the clusters of views are likely.

    Parameters
    ----------
    sample : Sample
    pairs : PairSet
        Judgements of rows of the sample, which weigh the views.
    training : PairSet
        These and what follows from them, which the map is learned from.
    noise : float
        The share of judgements that is taken as wrong.
    groups : PairSet, default=None
        Judgements that put samples into groups, which the map then starts from.

    Returns
    -------
    learned : ViewMap
        Its clusters in the order of the unguided ones.
    V : ndarray of shape (n_rows, n_clusters)
        Of the rows of the sample.
    """
    ends = together(unguided_ends(sample, pairs))
    posterior = weigh_views(ends, pairs.grade)
    unguided = np.einsum("v,v...->...", posterior, [v.labels for v in sample.views])
    best = sample.views[int(posterior.argmax())]
    typical = best.Z[sample.typical]
    directions = alike_directions(best.Z, training)
    whitened = make_view(typical, landmarks_of(typical), directions, WHITENING)
    F = joined([best.F, whitened.features(best.Z)])
    weight = sample.weight[sample.typical]
    Z = whitened.coordinates(typical)
    target = 0.5 * (unguided + clusters_at(Z, unguided, weight, sample.seed))
    prior_rows = sample.typical[:PRIOR_ROWS]
    objective = Objective(
        F,
        training,
        target[:PRIOR_ROWS],
        prior=PRIOR,
        ridge=RIDGE,
        doubt=noise,
        rows=prior_rows,
        weight=sample.weight,
    )
    labels = None if groups is None else labels_of_groups(groups, best.U[0])
    W = objective.minimise(labels)
    V = softmax(F @ W[:-1] + W[-1])
    order = matching(sample.unguided[:PRIOR_ROWS], V[prior_rows])
    return ViewMap(best.clusters.view, whitened, W[:, order]), V[:, order]


def labels_of_groups(pairs: PairSet, U: Floats) -> Labels:
    """Return the clusters of samples in groups that differ, (n_rows,), -1 for others.

    Each group has a cluster of its own, which its memberships U, (n_rows, n_clusters),
    are largest in as far as that is possible.
    """
    k = U.shape[1]
    groups = group_samples(pairs, k)
    rows = [groups.members[g] for g in groups.that_stand_for_clusters(k)]
    labels = np.full(len(U), -1)
    if len(rows) > 1:
        means = np.array([U[members].mean(axis=0) for members in rows])
        order = matching(np.eye(len(rows)), means)
        for members, cluster in zip(rows, order, strict=True):
            labels[members] = cluster
    return labels


def is_among(pairs: PairSet, some: PairSet) -> Mask:
    """Tell which of the pairs (n_pairs,) are among `some` of them."""
    key = pairs.i * pairs.n_samples + pairs.j
    return np.isin(key, some.i * some.n_samples + some.j)


def ends_of(V: Floats, pairs: PairSet) -> Floats:
    """Return memberships of the two samples of pairs, (n_pairs, 2, n_clusters)."""
    return np.stack([V[pairs.i], V[pairs.j]], axis=1)


def held_out_ends(
    sample: Sample,
    pairs: PairSet,
    folds: Folds,
    spread: Callable[[PairSet], Propagation | None],
    has_groups: bool,
    rng: np.random.Generator,
    threads: Threads,
) -> Floats:
    """Return memberships of judged samples by maps not given the judgement.

    Shape (n_pairs, 2, n_clusters), for `pairs`, which are some of those of the folds;
    NaN where no map was learned without the judgement.
    """
    k = sample.unguided.shape[1]
    out = np.full((len(folds.pairs), 2, k), np.nan)
    splits = []
    for train, test in folds.splits:
        if not (len(train) and test.any()):
            continue
        if len(train) > MOST_TRAINING:
            few = np.zeros(len(train), dtype=bool)
            few[rng.permutation(len(train))[:MOST_TRAINING]] = True
            train = train.select(few)
        splits.append((train, test))

    def ask(train: PairSet, test: Mask) -> Floats:
        derived = spread(train)
        training = train if derived is None else derived.pairs
        asked = folds.pairs.select(test)
        ends = [training.i, training.j, asked.i, asked.j]
        rows = np.unique(np.concatenate([*ends, sample.typical]))
        part, training = sample.select(rows), training.restrict(rows)
        given = train.select(is_among(train, pairs)).restrict(rows)
        groups = train.restrict(rows) if has_groups else None
        _, V = learn_map(part, given, training, ASSUMED_NOISE, groups)
        return ends_of(V, asked.restrict(rows))

    for (_, test), found in zip(splits, threads.map(ask, splits), strict=True):
        out[test] = found
    return out[is_among(folds.pairs, pairs)]


def unguided_ends(sample: Sample, pairs: PairSet) -> Floats:
    """Return memberships of judged samples without judgements.

    Shape (n_views, len(SHARPNESS), n_pairs, 2, n_clusters).
    """
    return np.array([[ends_of(U, pairs) for U in view.U] for view in sample.views])


def combine(
    sample: Sample, learned: ViewMap, evidence: Evidence, power: float
) -> CombinedMap:
    """Return the average of unguided clusters and the map."""
    unguided = [
        replace(view.clusters, fuzzifier=1.0 + (view.clusters.fuzzifier - 1.0) / t)
        for view, t in zip(sample.views, evidence.sharpness.tolist(), strict=True)
    ]
    typical = sample.X[sample.typical]
    radius = certainty_radius(unguided[0].view, typical)
    everything = np.arange(sample.unguided.shape[1])
    w, others = evidence.guided, evidence.unguided
    return CombinedMap(learned, w, unguided, others, power, radius, everything)


def feature_weights(space: CombinedMap, sample: Sample) -> Floats:
    """Return how much each feature matters: the average over all models."""
    X = sample.X[sample.typical[:PRIOR_ROWS]]
    w = space.guided_weight
    out = w * space.learned.sensitivity(X)
    for w, clusters in zip(space.unguided_weights, space.unguided, strict=True):
        C = clusters.view.by_samples(clusters.prototypes)
        out += w * as_shares((C - C.mean(axis=0)).std(axis=0) * X.std(axis=0))
    return np.asarray(out)
