"""Runs of replicator dynamics: steps, seeds, the penalty of all others, early ends."""

import numpy as np
import pytest

from fuzzypairs.solvers.affinities import exponential_affinities
from fuzzypairs.solvers.replicator_dynamics import (
    PRESETS,
    Dynamics,
    eigenvalue_bound,
    multiply,
    payoffs,
    replicate,
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
    assert largest < eigenvalue_bound(B.dot, 20) < largest * 1.001


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


def test_steps_raise_the_value_and_stay_on_the_simplex():
    rng = np.random.default_rng(0)
    for n in (2, 3, 5, 30):
        A = rng.random((n, n))
        A = (A + A.T) / 2
        np.fill_diagonal(A, 0)
        x = rng.dirichlet(np.ones(n))
        value = x @ A @ x
        for _ in range(50):
            expected = x * (A @ x) / value
            assert replicate(A.dot, np.zeros(n), 0.0, x, -1.0, 1, np.empty(n))[0] == 1
            np.testing.assert_allclose(x, expected, atol=1e-14)
            assert x.min() >= 0
            assert x.sum() == pytest.approx(1, abs=1e-12)
            before, value = value, x @ A @ x
            assert value >= before - 1e-14


@pytest.mark.parametrize("n", range(1, 10))
def test_product_reads_one_half(n):
    rng = np.random.default_rng(n)
    B, x = np.tril(rng.random((n, n)), -1), rng.random(n)
    garbage = np.triu(np.full((n, n), np.nan), 1)
    np.testing.assert_allclose(multiply(B + garbage, x), (B + B.T) @ x, atol=1e-14)


def test_payoffs_of_more_rows_than_are_copied_at_a_time():
    rng = np.random.default_rng(0)
    A = rng.random((700, 700))
    A += A.T
    rows, live = np.arange(0, 700, 3), rng.permutation(700)[:600]
    x = rng.dirichlet(np.ones(600))
    expected = A[np.ix_(rows, live)] @ x
    np.testing.assert_allclose(payoffs(A, rows, live, x), expected, rtol=1e-13)
    assert payoffs(A, rows[:0], live, x).size == 0


@pytest.mark.parametrize("step", [2, 1])
def test_rows_among_others_are_those_rows_alone(step):
    # Few rows are copied; many have the others beside them at weight 0.
    A = exponential_affinities(np.random.default_rng(0).normal(size=(600, 2)), None)
    rows = np.arange(1, 600, step)
    among = Dynamics(A, PRESETS["converged"], 50).run(rows)
    alone = Dynamics(A[np.ix_(rows, rows)], PRESETS["converged"], 50)
    expected = alone.run(np.arange(rows.size)).weights
    np.testing.assert_allclose(among.weights, expected, rtol=1e-12)
