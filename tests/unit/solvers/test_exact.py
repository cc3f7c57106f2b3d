"""Proved optima of small groups, against other ways to find them."""

import itertools
import sys

import numpy as np
import pytest

import naive
from fuzzypairs.solvers.exact import solve_exact

pytest.importorskip("pyscipopt", reason="the exact mode is an extra")

# (rows, clusters, seed) of groups that are mostly indefinite at the betas below.
GROUPS = [*itertools.product([2, 3], [2, 3], [0, 1]), (4, 2, 0), (4, 2, 1)]


def random_group(r, k, seed):
    """Squared distances and a chain of mostly dissimilar pairs with one closing it."""
    rng = np.random.default_rng(seed)
    dist2 = rng.uniform(0.05, 2.0, (r, k))
    s = rng.uniform(-1.0, 0.2, r - 1)
    p, q = np.arange(r - 1), np.arange(1, r)
    if r > 2:
        p, q, s = np.append(p, 0), np.append(q, r - 1), np.append(s, 0.5)
    return dist2, p, q, s


def as_list(p, q, s):
    return list(zip(p.tolist(), q.tolist(), s.tolist(), strict=True))


def test_two_samples_by_hand():
    # One has to leave the first cluster; it costs 1.2 - 1.0 or 1.4 - 0.9.
    dist2 = np.array([[1.0, 1.2], [0.9, 1.4]])
    pair = np.array([0]), np.array([1]), np.array([-1.0])
    result = solve_exact(dist2, *pair, beta=10.0)
    assert result.proved
    assert result.objective == pytest.approx(2.1)
    assert result.bound <= result.objective
    np.testing.assert_allclose(result.memberships, [[0, 1], [1, 0]], atol=1e-6)


@pytest.mark.parametrize("beta", [1.0, 20.0])
@pytest.mark.parametrize(("r", "k", "seed"), GROUPS)
def test_no_vertex_leads_lower(r, k, seed, beta):
    dist2, p, q, s = random_group(r, k, seed)
    pairs = as_list(p, q, s)
    swept = naive.best_of_starts(
        dist2, pairs, beta, naive.vertices(r, k), tol=1e-7, max_sweeps=300
    )
    best = naive.group_objective(dist2, swept, pairs, beta)
    result = solve_exact(dist2, p, q, s, beta)
    assert result.proved
    assert np.abs(result.memberships.sum(axis=1) - 1).max() < 1e-12
    assert result.memberships.min() >= 0
    assert result.objective == pytest.approx(
        naive.group_objective(dist2, result.memberships, pairs, beta)
    )
    # Both ways are global here: they agree to the gap, 1e-6, of the exact one.
    slack = 1e-6 * max(best, dist2.mean())
    assert best - slack <= result.objective <= best + slack
    assert result.bound <= best + slack


def test_no_point_of_a_grid_is_lower():
    dist2, p, q, s = random_group(3, 2, 5)
    result = solve_exact(dist2, p, q, s, 6.0)
    ticks = np.linspace(0, 1, 41)
    values = [
        naive.group_objective(
            dist2, np.array([[a, 1 - a] for a in row]), as_list(p, q, s), 6.0
        )
        for row in itertools.product(ticks[::4], ticks[::4], ticks)
    ]
    assert result.bound <= min(values)
    assert result.objective <= min(values) + 1e-6


@pytest.mark.parametrize("seed", range(4))
def test_convex_groups_equal_a_convex_solver(seed):
    dist2, p, q, s = random_group(5, 3, seed)
    D = naive.group_matrices(dist2, as_list(p, q, abs(s)), 2.0)
    assert naive.is_definite(D)
    expected = naive.solve_original(D, 5, 3)
    result = solve_exact(dist2, p, q, abs(s), 2.0)
    assert result.proved
    value = expected.ravel() @ D @ expected.ravel()
    assert result.objective == pytest.approx(value, rel=1e-6)
    # The objective to 1e-6 leaves the memberships to its root.
    np.testing.assert_allclose(result.memberships, expected, atol=3e-3)


def test_result_is_never_above_the_start():
    dist2, p, q, s = random_group(4, 3, 7)
    start = naive.best_of_starts(
        dist2, as_list(p, q, s), 3.0, itertools.islice(naive.vertices(4, 3), 20)
    )
    value = naive.group_objective(dist2, start, as_list(p, q, s), 3.0)
    result = solve_exact(dist2, p, q, s, 3.0, start=start)
    assert result.objective <= value * (1 + 1e-14)
    unproved = solve_exact(dist2, p, q, s, 3.0, start=start, time_limit=0.0)
    assert not unproved.proved
    assert unproved.bound < unproved.objective
    assert unproved.objective == pytest.approx(value)


def test_scale_changes_nothing():
    dist2, p, q, s = random_group(3, 3, 2)
    one = solve_exact(dist2, p, q, s, 4.0)
    other = solve_exact(2.0**20 * dist2, p, q, s, 2.0**20 * 4.0)
    assert other.objective == pytest.approx(2.0**20 * one.objective, rel=1e-12)
    np.testing.assert_allclose(other.memberships, one.memberships, atol=1e-12)


def test_equal_clusters_are_no_trouble():
    # Three samples unlike each other, three clusters alike: any permutation will do.
    p, q = np.array([0, 0, 1]), np.array([1, 2, 2])
    result = solve_exact(np.ones((3, 3)), p, q, -np.ones(3), 50.0)
    assert result.proved
    assert result.objective == pytest.approx(3.0, rel=1e-6)


@pytest.mark.parametrize("s", [-1.0, 1.0])
@pytest.mark.parametrize("dist2", [[[0, 0], [0, 0]], [[0, 1], [0, 0]], [[3], [4]]])
def test_degenerate_distances(dist2, s):
    dist2 = np.array(dist2, dtype=float)
    result = solve_exact(dist2, np.array([0]), np.array([1]), np.array([s]), 2.0)
    assert result.proved
    one_cluster = 7.0 + 2.0 * (s < 0)
    expected = 0.0 if dist2.shape[1] == 2 else one_cluster
    assert result.objective == pytest.approx(expected, abs=1e-6)


def test_nothing_is_printed(capfd):
    solve_exact(*random_group(3, 3, 1), beta=20.0)
    out, err = capfd.readouterr()
    assert (out, err) == ("", "")


def test_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyscipopt", None)
    with pytest.raises(ImportError, match=r'pip install "fuzzypairs\[exact\]"'):
        solve_exact(*random_group(2, 2, 0), beta=1.0)
