"""What the paper proves, on random groups and fits; and FDC against the oracle."""

import itertools

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import naive
from fuzzypairs.solvers.exact import solve_exact
from fuzzypairs.solvers.groups import solve_group
from problems import FEWER, groups, scattered, scattered_problem


def value_of(group, U):
    return naive.group_objective(group.dist2, U, group.pairs, group.beta)


def matrices(group):
    """D, and B'DB of eq. (23)."""
    D = naive.group_matrices(group.dist2, group.pairs, group.beta)
    B, _ = naive.reduction(*group.shape)
    return D, B.T @ D @ B


@FEWER
@given(scattered())
def test_theorem_1_objective_never_rises_while_clusters_stay(problem):
    model = problem.fit()
    values, sizes = model.objective_history_, model.n_clusters_history_
    assert len(values) == len(sizes)
    rises = np.diff(values)[sizes[1:] == sizes[:-1]]
    # The terms that are summed, times some roundings.
    size = problem.scatter + problem.beta * len(problem.pairs)
    assert rises.max(initial=0.0) <= 1e-13 * size
    assert (np.diff(sizes) <= 0).all()


@FEWER
@given(groups(low=-0.3))
def test_theorem_2_reduced_and_original_problem_agree(group):
    D, reduced = matrices(group)
    assume(naive.is_definite(D))
    assert naive.is_definite(reduced)
    original = naive.solve_original(D, *group.shape)
    np.testing.assert_allclose(
        naive.solve_reduced(D, *group.shape), original, atol=1e-7
    )


@FEWER
@given(groups())
def test_lemma_2_indefinite_reduction_means_indefinite_matrix(group):
    D, reduced = matrices(group)
    assume(np.linalg.eigvalsh(reduced)[0] < 0)
    values = np.linalg.eigvalsh(D)
    assert values[0] < 0 < values[-1]


@FEWER
@given(groups(), st.booleans())
def test_theorem_3_groups_end_at_a_stationary_point(group, from_vertex):
    start = next(naive.vertices(*group.shape)) if from_vertex else None
    result = solve_group(*group.arguments, start=start)
    U = result.memberships
    assert U.min() >= 0
    np.testing.assert_allclose(U.sum(axis=1), 1, atol=1e-12)
    assert result.objective == pytest.approx(value_of(group, U), rel=1e-9, abs=1e-12)
    assert naive.residual(group.dist2, U, group.pairs, group.beta) <= 1e-6
    # The conditions of Karush, Kuhn and Tucker, row by row.
    D, _ = matrices(group)
    slopes = (D @ U.ravel()).reshape(U.shape)
    level = slopes.min(axis=1, keepdims=True)
    assert (U * (slopes - level)).max() <= 1e-6 * group.dist2.mean()


@FEWER
@given(groups(low=-0.5))
def test_convex_groups_end_at_the_global_optimum(group):
    D, reduced = matrices(group)
    assume(naive.is_definite(reduced))
    best = value_of(group, naive.solve_reduced(D, *group.shape))
    result = solve_group(*group.arguments, n_starts=0)
    assert result.objective == pytest.approx(best, rel=1e-9)


@FEWER
@given(groups(rows=(2, 2), clusters=(2, 2), high=0.1), st.integers(0, 3))
def test_corollary_1_two_samples_in_two_clusters_are_global(group, vertex):
    start = list(naive.vertices(2, 2))[vertex]
    result = solve_group(*group.arguments, start=start)
    ticks = np.linspace(0, 1, 31)
    on_grid = min(
        value_of(group, np.array([[a, 1 - a], [b, 1 - b]]))
        for a, b in itertools.product(ticks, ticks)
    )
    assert result.objective <= on_grid * (1 + 1e-12)
    swept = naive.solve_group(
        group.dist2, group.pairs, group.beta, np.full((2, 2), 0.5)
    )
    assert result.objective == pytest.approx(value_of(group, swept), rel=1e-9)


@pytest.mark.parametrize("seed", range(12))
def test_corollary_1_is_proved_by_the_exact_solver(seed):
    pytest.importorskip("pyscipopt", reason="the exact mode is an extra")
    rng = np.random.default_rng(seed)
    dist2, p, q, s = rng.uniform(0.02, 2, (2, 2)), [0], [1], [-rng.uniform(0.1, 1)]
    result = solve_group(dist2, p, q, s, 5.0)
    exact = solve_exact(dist2, np.array(p), np.array(q), np.array(s), 5.0)
    assert exact.proved
    assert result.objective <= exact.objective * (1 + 1e-9)
    assert result.objective >= exact.bound


@FEWER
@given(groups(low=0.0), groups(low=0.0))
def test_convex_groups_solved_apart_equal_groups_solved_together(one, other):
    k = min(one.shape[1], other.shape[1])
    r = one.shape[0]
    dist2 = np.vstack([one.dist2[:, :k], other.dist2[:, :k]])
    shifted = [(p + r, q + r, s) for p, q, s in other.pairs]
    p, q, s = (np.array(column) for column in zip(*one.pairs, *shifted, strict=True))
    together = solve_group(dist2, p, q, s, 2.0)
    first, second = (
        solve_group(group.dist2[:, :k], *group.arguments[1:4], 2.0)
        for group in (one, other)
    )
    apart = np.vstack([first.memberships, second.memberships])
    np.testing.assert_allclose(together.memberships, apart, atol=1e-7)
    assert together.objective == pytest.approx(first.objective + second.objective)


@FEWER
@given(scattered(samples=(8, 16)))
def test_groups_of_a_fit_cannot_be_bettered_alone(problem):
    model = problem.fit()
    dist2 = naive.distances(problem.X, model.cluster_centers_)
    for rows in naive.split_groups(len(problem.X), problem.pairs):
        local = [
            (rows.index(p), rows.index(q), s) for p, q, s in problem.pairs if p in rows
        ]
        U = model.memberships_[rows]
        value = naive.group_objective(dist2[rows], U, local, problem.beta)
        p, q, s = zip(*local, strict=True)
        alone = solve_group(dist2[rows], p, q, s, problem.beta, start=U, n_starts=0)
        assert alone.objective >= value - 1e-9 * problem.scatter


@FEWER
@given(scattered())
def test_the_paper_cannot_improve_a_fit(problem):
    model = problem.fit()
    U, C = model.memberships_, model.cluster_centers_
    X, pairs, alpha, beta = problem.X, problem.pairs, problem.alpha, problem.beta
    assert model.objective_ == pytest.approx(
        naive.objective(X, U, C, pairs, alpha, beta), abs=1e-11 * problem.scatter
    )
    assert naive.residual(naive.distances(X, C), U, pairs, beta) <= 1e-5
    _, _, values, sizes = naive.mem(X, pairs, U, alpha, beta, max_iter=5)
    assert sizes[-1] == model.n_clusters_
    assert values[-1] >= model.objective_ - 1e-7 * problem.scatter


def random_problem(seed):
    rng = np.random.default_rng(seed)
    n_samples = int(rng.integers(5, 41))
    return scattered_problem(
        rng,
        n_samples,
        n_features=rng.integers(1, 6),
        n_clusters=rng.integers(2, 6),
        n_pairs=rng.integers(0, n_samples // 2),
        strength=rng.choice([0.0, 0.1, 1.0, 10.0, 100.0]),
        share=rng.choice([0.0, 0.05, 0.3]),
    )


def above_the_paper(problem, found):
    """How far a fit ends above the transcription from the same start."""
    _, _, values, _ = naive.mem(
        problem.X, problem.pairs, problem.start, problem.alpha, problem.beta
    )
    return (found - values[-1]) / problem.scatter


def test_fits_end_no_higher_than_the_paper_from_the_same_start():
    differences = []
    for seed in range(30):
        problem = random_problem(seed)
        differences.append(above_the_paper(problem, problem.fit().objective_))
    # Both end in valleys of the same landscape and mostly in the same one. Now and
    # then their different first steps lead to different ones: of 600 random problems
    # 7 ended higher and 55 lower, so no single problem can decide.
    above = [difference for difference in differences if difference > 1e-6]
    assert len(above) <= 1
    assert np.mean(differences) <= 1e-6


@pytest.mark.parametrize("seed", [179, 266, 9082, 9204])
def test_better_groups_do_not_cost_a_cluster(seed):
    """Other starts of groups can starve a cluster; the run then goes back."""
    problem = random_problem(seed)
    model = problem.fit()
    assert above_the_paper(problem, model.objective_) <= 1e-6
    sizes, objectives = model.n_clusters_history_, model.objective_history_
    assert len(sizes) == len(objectives)
    assert (sizes.min(), sizes[-1]) == (model.n_clusters_ - 1, model.n_clusters_)
    assert objectives[-1] == model.objective_
    assert model.converged_
