"""One group of judged samples, solved by sweeps and by the exact solver."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from fuzzypairs import FDC
from fuzzypairs.solvers.groups import solve_group

UNLIKE = [[1.0, 1.2], [1.0, 1.1]], [0], [1], [-1.0]


def test_an_unlike_pair_by_hand():
    # Apart, the pair costs nothing: 1 + 1.1 is less than 1.2 + 1.
    result = solve_group(*UNLIKE, beta=10.0)
    assert_allclose(result.memberships, np.eye(2), atol=1e-12)
    assert result.objective == pytest.approx(2.1)
    assert result.residual < 1e-9
    assert not result.proved


def test_a_strong_alike_pair_has_the_memberships_of_the_summed_distances():
    result = solve_group([[1.0, 3.0], [2.0, 3.0]], [0], [1], [1.0], beta=1e6)
    # u_j ~ 1 / (d_1j + d_2j), with sums 3 and 6.
    assert_allclose(result.memberships, [[2 / 3, 1 / 3]] * 2, atol=1e-5)


def test_without_judgements_memberships_are_those_of_eq_14():
    result = solve_group([[1.0, 3.0]], [], [], [], beta=1.0)
    assert_allclose(result.memberships, [[0.75, 0.25]])


def test_one_start_may_end_in_a_local_optimum():
    # From [[0, 1], [1, 0]] no sweep leads to the better [[1, 0], [0, 1]].
    start = [[0.0, 1.0], [1.0, 0.0]]
    local = solve_group(*UNLIKE, beta=10.0, start=start, n_starts=0)
    assert_allclose(local.memberships, start)
    assert local.objective == pytest.approx(2.2)
    assert solve_group(*UNLIKE, beta=10.0, start=start).objective < 2.2


def test_the_exact_solver_proves_its_optimum():
    start = [[0.0, 1.0], [1.0, 0.0]]
    options = {"beta": 10.0, "start": start, "n_starts": 0}
    result = solve_group(*UNLIKE, **options, method="exact")
    assert result.proved
    assert_allclose(result.memberships, np.eye(2), atol=1e-6)


def test_exact_groups_in_a_fit_are_no_worse_than_sweeps():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    pairs = [(i, j, -1.0) for i in range(4) for j in range(i)]
    sweeps, exact = (
        FDC(3, alpha=0.0, init=np.arange(40) % 3, group_solver=solver).fit(
            X, pairs=pairs
        )
        for solver in ("sweeps", "exact")
    )
    assert exact.objective_ <= sweeps.objective_ * (1 + 1e-9)
