"""The oracle itself: hand-worked cases, and each function against its definition."""

import itertools

import numpy as np
import pytest

import naive

LINE = np.array([[0.0], [1.0], [9.0], [10.0]])
LINE_START = np.array([[0.9, 0.1], [0.8, 0.2], [0.2, 0.8], [0.1, 0.9]])


def random_group(rng, r, k, positive=False):
    """Squared distances and a connected set of pairs."""
    dist2 = rng.uniform(0.1, 2.0, (r, k))
    low = 0.1 if positive else -1.0
    pairs = [(i, i + 1, rng.uniform(low, 1.0)) for i in range(r - 1)]
    pairs += [(0, r - 1, rng.uniform(low, 1.0))] if r > 2 else []
    return dist2, pairs


def test_objective_of_four_points_and_two_pairs():
    U = np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0], [0.0, 1.0]])
    C = np.array([[0.0], [9.0]])
    pairs = [(0, 1, 0.8), (1, 2, -0.6)]
    # Distances 0 81, 1 64, 81 0, 100 1; squared memberships less 0.1.
    first = 0.9 * 0 - 0.1 * 81
    second = 0.15 * 1 + 0.15 * 64
    third = -0.1 * 81 + 0.9 * 0
    fourth = -0.1 * 100 + 0.9 * 1
    alike = 0.8 / 2 * (0.25 + 0.25)
    unlike = 0.6 * 0.5
    by_hand = first + second + third + fourth + 2.0 * (alike + unlike)
    assert naive.objective(LINE, U, C, pairs, 0.1, 2.0) == pytest.approx(by_hand)
    doubled = by_hand + second
    weight = np.array([1.0, 2.0, 1.0, 1.0])
    assert naive.objective(LINE, U, C, pairs, 0.1, 2.0, weight) == pytest.approx(
        doubled
    )


def test_prototypes_by_hand():
    U = np.array([[1.0, 0.0], [0.5, 0.5]])
    C, same, keep = naive.update_prototypes(np.array([[0.0], [4.0]]), U, alpha=0.1)
    # (0.9 * 0 + 0.15 * 4) / 1.05 and (-0.1 * 0 + 0.15 * 4) / 0.05
    np.testing.assert_allclose(C, [[0.6 / 1.05], [12.0]])
    np.testing.assert_array_equal(same, U)
    assert keep == [0, 1]


def test_clusters_vanish_one_at_a_time():
    # Sums of u^2 - 0.3: -0.82, 0.36, -0.32; without cluster 0 the last one has
    # 58/64 - 0.9 > 0 and stays; with a threshold of 0.31 it has not and is dropped.
    U = np.array([[0.2, 0.1, 0.7], [0.2, 0.5, 0.3], [0.0, 1.0, 0.0]])
    _, left, keep = naive.update_prototypes(np.eye(3), U, alpha=0.3)
    assert keep == [1, 2]
    np.testing.assert_allclose(left, [[1 / 8, 7 / 8], [5 / 8, 3 / 8], [1, 0]])
    _, left, keep = naive.update_prototypes(np.eye(3), U, alpha=0.31)
    assert keep == [1]
    np.testing.assert_array_equal(left, np.ones((3, 1)))


def test_a_row_without_a_cluster_becomes_uniform():
    U = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    weight = np.array([0.1, 1.0, 1.0, 1.0])
    _, left, keep = naive.update_prototypes(np.eye(4), U, 0.2, weight)
    assert keep == [0, 1]
    np.testing.assert_allclose(left[0], [0.5, 0.5])


def test_free_memberships_and_their_limit():
    np.testing.assert_allclose(naive.free_memberships([1.0, 4.0]), [0.8, 0.2])
    np.testing.assert_array_equal(naive.free_memberships([0.0, 4.0]), [1, 0])
    np.testing.assert_array_equal(
        naive.free_memberships([0.0, 4.0, 0.0]), [0.5, 0, 0.5]
    )
    np.testing.assert_array_equal(naive.free_memberships([1e-320, 1.0]), [1, 1e-320])


@pytest.mark.parametrize(
    ("a", "f", "u"),
    [
        ([1, 1], [0, 0], [0.5, 0.5]),
        ([1, 4], [0, 0], [0.8, 0.2]),
        ([1, 1], [0, 2], [1, 0]),
        ([1, 1, 1], [0, 0.5, 3], [0.75, 0.25, 0]),
        ([0, 1], [0, 0], [1, 0]),
        ([0, 1], [1, 0], [0, 1]),
        ([0, 2], [1, 0], [0.5, 0.5]),
        ([0, 2, 0], [1, 0, 1], [0.25, 0.5, 0.25]),
        ([1e-30, 2], [1, 0], [0.5, 0.5]),
        ([1e-30, 2], [0.3, 0.3], [1, 0]),
        ([7], [3], [1]),
    ],
)
def test_simplex_programmes_by_hand(a, f, u):
    np.testing.assert_allclose(naive.simplex_qp(a, f), u, atol=1e-15)


def test_simplex_programme_meets_its_conditions():
    rng = np.random.default_rng(0)
    for _ in range(200):
        k = rng.integers(1, 7)
        a, f = rng.uniform(0.01, 3, k), rng.normal(0, 2, k)
        u = naive.simplex_qp(a, f)
        assert abs(u.sum() - 1) < 1e-12
        assert (u >= 0).all()
        slope = a * u + f
        level = slope[u > 0].min()
        np.testing.assert_allclose(slope[u > 0], level, atol=1e-10)
        assert (slope >= level - 1e-10).all()


def test_row_problem_is_half_the_objective():
    rng = np.random.default_rng(1)
    dist2, pairs = random_group(rng, 4, 3)
    U = rng.dirichlet(np.ones(3), 4)
    weight = rng.uniform(0.5, 2, 4)
    a, f = naive.row_problem(1, dist2, U, pairs, 0.7, weight)
    moved = U.copy()
    moved[1] = rng.dirichlet(np.ones(3))
    half = [a @ V[1] ** 2 / 2 + f @ V[1] for V in (U, moved)]
    whole = [
        naive.group_objective(weight[:, None] * dist2, V, pairs, 0.7)
        for V in (U, moved)
    ]
    assert 2 * (half[1] - half[0]) == pytest.approx(whole[1] - whole[0])


def test_matrices_of_the_paper():
    # The example after eq. (23): D indefinite, B'DB positive definite.
    D = naive.group_matrices(np.array([[1.0, 5.0], [1.0, 5.0]]), [(0, 1, -1)], 4.0)
    np.testing.assert_array_equal(
        D, [[1, 0, 2, 0], [0, 5, 0, 2], [2, 0, 1, 0], [0, 2, 0, 5]]
    )
    B, u_hat = naive.reduction(2, 2)
    np.testing.assert_array_equal(B.T @ D @ B, [[6, 4], [4, 6]])
    np.testing.assert_array_equal(u_hat, [1, 0, 1, 0])
    assert not naive.is_definite(D)
    assert naive.is_definite(B.T @ D @ B)


def test_quadratic_form_is_the_objective():
    rng = np.random.default_rng(2)
    for r, k in itertools.product([2, 3, 4], [2, 3]):
        dist2, pairs = random_group(rng, r, k)
        U = rng.dirichlet(np.ones(k), r)
        u = U.ravel()
        D = naive.group_matrices(dist2, pairs, 1.3)
        expected = naive.group_objective(dist2, U, pairs, 1.3)
        assert u @ D @ u == pytest.approx(expected)


def test_three_ways_to_solve_a_convex_group():
    rng = np.random.default_rng(3)
    for r, k in itertools.product([2, 3, 5], [2, 4]):
        dist2, pairs = random_group(rng, r, k, positive=True)
        D = naive.group_matrices(dist2, pairs, 2.0)
        U = naive.solve_original(D, r, k)
        np.testing.assert_allclose(naive.solve_reduced(D, r, k), U, atol=1e-9)
        swept = naive.dbcd(dist2, pairs, 2.0, np.eye(k)[np.zeros(r, dtype=int)])
        np.testing.assert_allclose(swept, U, atol=1e-8)
        assert naive.residual(dist2, U, pairs, 2.0) < 1e-9


def test_sweeps_in_sequence_do_not_cycle():
    # As printed, from the previous sweep, both samples would change sides for ever.
    dist2, pairs = np.array([[1.0, 1.1], [1.0, 1.1]]), [(0, 1, -1.0)]
    U = naive.dbcd(dist2, pairs, 100.0, [[1.0, 0.0], [1.0, 0.0]], max_sweeps=3)
    np.testing.assert_array_equal(U, [[0, 1], [1, 0]])


def test_two_by_two_tries_every_vertex():
    # From its own start this group would stay at 1.2 + 0.2 (one at each far side).
    dist2, pairs = np.array([[0.1, 1.2], [1.0, 0.2]]), [(0, 1, -1.0)]
    bad = np.array([[0.0, 1.0], [1.0, 0.0]])
    stuck = naive.dbcd(dist2, pairs, 10.0, bad)
    assert naive.group_objective(dist2, stuck, pairs, 10.0) == pytest.approx(2.2)
    U = naive.solve_group(dist2, pairs, 10.0, bad)
    assert naive.group_objective(dist2, U, pairs, 10.0) == pytest.approx(0.3)


def test_groups_are_connected_samples():
    pairs = [(5, 1, 0.3), (2, 3, -1.0), (1, 4, 0.2)]
    assert naive.split_groups(7, pairs) == [[2, 3], [1, 4, 5]]


def test_fcm_of_four_points():
    U, C = naive.fcm(LINE, LINE_START, tol=1e-12)
    np.testing.assert_allclose(C.ravel(), [0.499740, 9.500260], atol=1e-6)
    np.testing.assert_allclose(U[:2, 0], [0.997241, 0.996548], atol=1e-6)
    value = naive.objective(LINE, U, C, [], 0.0, 0.0)
    assert value == pytest.approx(0.996894, abs=1e-6)


def test_mem_without_pairs_and_threshold_is_fcm():
    U, C, _, _ = naive.mem(LINE, [], LINE_START, 0.0, 1.0, tol=1e-12)
    U_fcm, C_fcm = naive.fcm(LINE, LINE_START, tol=1e-12)
    np.testing.assert_allclose(U, U_fcm, atol=1e-10)
    np.testing.assert_allclose(C, C_fcm, atol=1e-10)


def test_mem_descends_and_ends_stationary():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(15, 2))
    pairs = [(0, 1, 0.9), (1, 2, -0.8), (3, 4, -1.0), (5, 6, 0.4)]
    start = np.eye(3)[rng.integers(0, 3, 15)]
    U, C, values, n_clusters = naive.mem(X, pairs, start, 0.02, 2.0, max_iter=500)
    assert len(values) < 500
    assert set(n_clusters) == {3}
    assert (np.diff(values) <= 1e-12 * abs(values[0])).all()
    assert values[-1] == naive.objective(X, U, C, pairs, 0.02, 2.0)
    assert naive.residual(naive.distances(X, C), U, pairs, 2.0) < 1e-6
    np.testing.assert_allclose(naive.update_prototypes(X, U, 0.02)[0], C, atol=1e-6)


def test_mem_drops_clusters():
    start = np.array([[0.9, 0.0, 0.1], [0.8, 0.0, 0.2], [0, 0.9, 0.1], [0, 0.9, 0.1]])
    U, C, _, n_clusters = naive.mem(LINE, [], start, 0.1, 1.0)
    assert n_clusters[0] == 2
    assert U.shape == (4, 2)
    assert C.shape == (2, 1)
