"""Runs of replicator dynamics: seeds, the penalty of all others, early ends."""

import numpy as np

from fuzzypairs.solvers.affinities import exponential_affinities
from fuzzypairs.solvers.replicator_dynamics import (
    PRESETS,
    Dynamics,
    eigenvalue_bound,
    steps_to_return,
)

ALL = 10_000


def test_seeds_are_in_the_support():
    n_missed = n_moved = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        A = exponential_affinities(rng.normal(size=(15, 2)), None)
        seeds = rng.choice(15, 2, replace=False)
        dynamics = Dynamics(A, PRESETS["converged"], ALL)
        rows = np.arange(15)
        least = PRESETS["converged"].least_weight(15)
        n_missed += not (dynamics.run(rows, seeds).weights[seeds] > least).any()
        n_moved += not (dynamics.run(rows).weights[seeds] > least).any()
    assert n_missed == 0
    assert n_moved > 20  # without seeds they would often be outside


def test_eigenvalue_bound_is_just_above():
    B = np.random.default_rng(4).random((20, 20))
    B = (B + B.T) / 2
    np.fill_diagonal(B, 0)
    largest = np.linalg.eigvalsh(B)[-1]
    assert largest < eigenvalue_bound(B) < largest * 1.001


def test_seeds_that_are_all_rows_change_nothing():
    A = exponential_affinities(np.random.default_rng(0).normal(size=(9, 2)), None)
    dynamics = Dynamics(A, PRESETS["converged"], ALL)
    plain, seeded = (dynamics.run(np.arange(9), s) for s in (None, np.arange(9)))
    np.testing.assert_array_equal(plain.weights, seeded.weights)


def test_without_affinities_no_step_is_taken():
    run = Dynamics(np.zeros((4, 4)), PRESETS["converged"], ALL).run(np.array([0, 2]))
    assert run.weights.tolist() == [0.5, 0.5]
    assert (run.n_iter, run.converged) == (0, True)


def test_max_iter_ends_a_run():
    A = exponential_affinities(np.random.default_rng(0).normal(size=(30, 2)), None)
    run = Dynamics(A, PRESETS["converged"], 7).run(np.arange(30))
    assert (run.n_iter, run.converged) == (7, False)
    assert abs(run.weights.sum() - 1) < 1e-12


def test_steps_until_a_sample_returns():
    assert steps_to_return(np.array([30.0, 9.0]), np.array([1.0, -1.0])) == 30
    assert steps_to_return(np.array([3.0]), np.array([1.0])) == 8
    assert steps_to_return(np.array([3.0]), np.array([-1.0])) == 256
