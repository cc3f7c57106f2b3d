"""Extraction of dominant sets under links, and the samples that are left."""

import numpy as np

from fuzzypairs import DSC, PairSet
from fuzzypairs.solvers.affinities import (
    FORBID,
    edit_affinities,
    exponential_affinities,
)
from fuzzypairs.solvers.dominant_sets import (
    DominantSet,
    add_partners,
    extract_sets,
    label_samples,
)
from fuzzypairs.solvers.replicator_dynamics import PRESETS, Dynamics

ALL = 10_000


def blocks():
    """Affinity .9 within {0, 1, 2}, .8 within {3, 4} and .1 across."""
    A = np.full((5, 5), 0.1)
    A[:3, :3], A[3:, 3:] = 0.9, 0.8
    return A


def test_forbidden_pairs_are_never_in_one_set():
    n_together = 0
    for seed in range(200):
        X = np.random.default_rng(seed).normal(size=(15, 2))
        A = exponential_affinities(X, None)
        x = Dynamics(A, PRESETS["converged"], ALL).run(np.arange(15)).weights
        p, q = np.argsort(x)[-2:]
        pairs = PairSet([p], [q], [-0.5], 15)
        edit_affinities(A, pairs, graded=False, forbid=True)
        dynamics = Dynamics(A, PRESETS["converged"], ALL, FORBID)
        # The affinities alone leave no more than a weight that was still vanishing.
        assert dynamics.run(np.arange(15)).weights[[p, q]].min() < 1e-4
        for found in extract_sets(dynamics, pairs, forbid=True):
            n_together += {p, q} <= set(found.members)
    assert n_together == 0


def test_seeded_sets_come_first():
    A = blocks()
    np.fill_diagonal(A, 0.0)
    dynamics = Dynamics(A, PRESETS["converged"], ALL)
    alike = PairSet([3], [4], [1.0], 5)
    first, *_ = extract_sets(dynamics, alike)
    assert first.members.tolist() == [0, 1, 2]
    first, second = extract_sets(dynamics, alike, seeded=True)
    assert first.members.tolist() == [3, 4]
    assert second.members.tolist() == [0, 1, 2]
    # By cohesiveness the order is the old one.
    model = DSC(2, affinity="precomputed", constraint_mode="seeded")
    labels = model.fit(blocks(), pairs=[(3, 4, 0.01)]).labels_
    assert labels.tolist() == [0, 0, 0, 1, 1]


def test_seeds_of_a_group_that_was_taken_are_left_out():
    A = blocks()
    np.fill_diagonal(A, 0.0)
    dynamics = Dynamics(A, PRESETS["converged"], ALL)
    # The set around 0 and 1 takes 2, so none is searched for around 2 and 3.
    pairs = PairSet.from_triples([(0, 1, 1), (2, 3, 1)], 5)
    sets = extract_sets(dynamics, pairs, seeded=True)
    assert [found.members.tolist() for found in sets] == [[0, 1, 2], [3, 4]]


def test_partners_of_partners_are_added_unless_a_cannot_link_bars():
    found = DominantSet(np.array([1, 3]), np.array([0.4, 0.6]), 0.4, 9, True)
    is_free = np.array([True, True, True, True, True, False])
    must = np.array([[0, 3], [0, 2], [1, 4], [1, 5]])
    wider = add_partners(found, is_free, must, np.array([[3, 4]]))
    assert wider.members.tolist() == [0, 1, 2, 3]
    assert wider.weights.tolist() == [0.0, 0.4, 0.0, 0.6]
    assert (wider.cohesiveness, wider.n_iter, wider.converged) == (0.4, 9, True)


def test_labels_and_weights_of_kept_sets():
    A = blocks()
    np.fill_diagonal(A, 0.0)
    kept = [DominantSet(np.array([3, 4]), np.array([0.5, 0.5]), 0.4, 9, True)]
    labels, weights = label_samples(A, kept, assign_rest=False)
    assert labels.tolist() == [-1, -1, -1, 0, 0]
    assert weights.tolist() == [[0, 0, 0, 0.5, 0.5]]
    labels, _ = label_samples(A, kept, assign_rest=True)
    assert labels.tolist() == [0] * 5
