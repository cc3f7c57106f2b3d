"""PCCA: the worked cases, descent, and the competition with its known weaknesses."""

from unittest import mock

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import approx_fprime
from sklearn.datasets import load_wine
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler

import naive
from fuzzypairs import PCCA, FuzzyCMeans, PairSet
from fuzzypairs.baselines import pcca
from fuzzypairs.baselines.pcca import stationary, to_simplex
from fuzzypairs.criteria import nmi, normalized_ari
from fuzzypairs.datasets import simulate_pairs
from fuzzypairs.exceptions import ClustersVanishedWarning
from fuzzypairs.solvers.start import Start

LINE = np.array([[0.0], [1.0], [5.0], [9.0], [10.0]])
NONE = np.empty((0, 2), dtype=int)
Y = np.repeat([0, 1, 2], 100)
START = np.array([[0.9, 0.1], [0.9, 0.1], [0.5, 0.5], [0.1, 0.9], [0.1, 0.9]])


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return StandardScaler().fit_transform(X), y


@pytest.mark.parametrize(
    ("pairs", "middle", "centers", "objective"),
    [
        ([], (0.5, 0.5), (1.0118, 8.9882), 9.97501),
        ([(2, 0, 1.0)], (1.0, 0.0), (2.0094, 9.4998), 14.48385),
        ([(2, 0, -0.3)], (0.0, 1.0), (0.5084, 7.9273), 14.30117),
        ([(2, 4, 0.2), (2, 0, -1.0)], (0.0, 1.0), (0.4983, 7.9907), 14.48482),
    ],
)
def test_five_points_by_hand(pairs, middle, centers, objective):
    """Degrees do not count: only signs do."""
    model = PCCA(2, beta=20.0, init=START, tol=1e-10).fit(LINE, pairs=pairs)
    np.testing.assert_allclose(model.memberships_[2], middle, atol=1e-4)
    np.testing.assert_allclose(model.cluster_centers_.ravel(), centers, atol=1e-4)
    assert model.objective_ == pytest.approx(objective, abs=1e-5)


def objective_of(model, X, pairs, beta):
    """Eq. (4) with loops."""
    U, C = model.memberships_, model.cluster_centers_
    total = 0.0
    for x, u in zip(X, U, strict=True):
        for j in range(len(C)):
            total += u[j] ** 2 * ((x - C[j]) ** 2).sum()
    for p, q, s in pairs:
        if s > 0:
            for j in range(len(C)):
                for m in range(len(C)):
                    total += beta * U[p, j] * U[q, m] * (j != m)
        else:
            total += beta * (U[p] * U[q]).sum()
    return total


@pytest.mark.parametrize("beta", [2.0**-8, 1.0, 2.0**7])
def test_the_objective_is_that_of_the_paper_and_never_rises(wine, beta):
    X, y = wine
    pairs = simulate_pairs(X, y, "ii", random_state=1)
    for seed in range(5):
        model = PCCA(3, beta=beta, init="random", n_init=1, random_state=seed)
        model.fit(X, pairs=pairs)
        assert np.diff(model.objective_history_).max() <= 1e-9 * model.objective_
        expected = objective_of(model, X, pairs, beta)
        assert model.objective_ == pytest.approx(expected, rel=1e-10)


def test_a_small_weight_is_fuzzy_c_means(wine):
    X, y = wine
    pairs = simulate_pairs(X, y, "iv", random_state=0)
    model = PCCA(3, beta=2.0**-8, tol=1e-7, random_state=0).fit(X, pairs=pairs)
    assert 100 * normalized_ari(y, model.labels_) == pytest.approx(94.87, abs=0.005)
    assert 100 * nmi(y, model.labels_) == pytest.approx(87.59, abs=0.005)
    none = PCCA(3, random_state=0).fit(X)
    alone = FuzzyCMeans(3, random_state=0).fit(X)
    np.testing.assert_array_equal(none.memberships_, alone.memberships_)


def test_links_make_memberships_hard(wine):
    X, _ = wine
    model = PCCA(3, beta=100.0, random_state=0).fit(X, pairs=[(0, 1, 1.0)])
    np.testing.assert_allclose(np.sort(model.memberships_[:2])[:, -1], 1.0, atol=1e-6)


def test_competition_finds_the_number_of_clusters(blobs):
    model = PCCA(10, competition="on", random_state=0).fit(blobs)
    assert model.n_clusters_ == 3
    assert normalized_ari(Y, model.labels_) > 0.99
    np.testing.assert_allclose(model.memberships_.sum(axis=1), 1.0, atol=1e-12)
    assert model.predict(blobs[:5]).shape == (5,)


def test_competition_that_leaves_one_cluster_says_so(wine):
    X, _ = wine
    with pytest.warns(ClustersVanishedWarning, match="competition was too strong"):
        PCCA(3, competition="on", n_init=1, random_state=0).fit(X)


def test_more_clusters_than_samples_vanish():
    with pytest.warns(ClustersVanishedWarning, match="too few samples"):
        model = PCCA(6, random_state=0).fit(LINE)
    assert model.n_clusters_ == 5


def test_competition_from_any_start_is_the_same_loop():
    labels = np.array([0, 0, 1, 1, 1])
    by_labels = PCCA(2, competition="on", init=labels).fit(LINE)
    by_memberships = PCCA(2, competition="on", init=np.eye(2)[labels]).fit(LINE)
    np.testing.assert_array_equal(by_labels.memberships_, by_memberships.memberships_)


def test_competition_takes_no_sparse_data():
    X = sparse.csr_array(LINE)
    with pytest.raises(TypeError, match="Sparse data"):
        PCCA(2, competition="on").fit(X)
    expected = PCCA(2, random_state=0).fit(LINE).cluster_centers_
    found = PCCA(2, random_state=0).fit(X).cluster_centers_
    np.testing.assert_allclose(np.sort(found, 0), np.sort(expected, 0), atol=1e-3)


def test_the_competition_is_on_or_off():
    with pytest.raises(ValueError, match='competition must be one of "off", "on"'):
        PCCA(2, competition="maybe").fit(LINE)


def test_many_small_groups_are_solved_side_by_side():
    """Enough pairs of one size to fill the lanes of a bundle."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3)) + 3.0 * rng.integers(2, size=(300, 1))
    pairs = [(2 * i, 2 * i + 1, 1.0 if i % 3 else -1.0) for i in range(120)]
    model = PCCA(2, beta=3.0, random_state=0, tol=1e-8).fit(X, pairs=pairs)
    assert model.objective_ == pytest.approx(
        objective_of(model, X, pairs, 3.0), rel=1e-10
    )
    assert np.diff(model.objective_history_).max() <= 1e-9 * model.objective_
    alone = PCCA(2, beta=3.0, init=model.memberships_, tol=1e-8)
    few = [pair for pair in pairs if pair[0] < 20]
    alone.fit(X, pairs=few)
    assert alone.objective_ < model.objective_


@pytest.fixture(scope="module")
def blobs():
    """300 samples of three Gaussian groups in the plane."""
    rng = np.random.default_rng(0)
    return np.array([[0, 0], [6, 0], [0, 6]])[Y] + rng.normal(size=(300, 2))


@pytest.fixture
def small():
    """A step's input: distances, memberships, must-links and cannot-links."""
    rng = np.random.default_rng(1)
    dist2 = rng.uniform(0.5, 3.0, size=(8, 3))
    must, cannot = np.array([[0, 1], [2, 1]]), np.array([[0, 5], [6, 7], [2, 7]])
    return dist2, random_start(8, 3, 2), must, cannot


def random_start(n_samples, n_clusters, seed):
    return np.random.default_rng(seed).dirichlet(np.ones(n_clusters), size=n_samples)


def true_pairs(y, n_pairs, seed):
    """Disjoint pairs, parted by their labels into must-links and cannot-links."""
    rng = np.random.default_rng(seed)
    pairs = rng.choice(len(y), size=(n_pairs, 2), replace=False)
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    return pairs[same], pairs[~same]


def as_pairs(must, cannot, n_samples):
    ends = np.concatenate([must, cannot])
    sign = np.repeat([1.0, -1.0], [len(must), len(cannot)])
    return PairSet(ends[:, 0], ends[:, 1], sign, n_samples)


def links_of(must, cannot, n_samples):
    pairs = as_pairs(must, cannot, n_samples)
    return pcca.join(pairs, np.ones(n_samples))[0]


def run(X, U, must, cannot, weight=None, *, eta0=pcca.ETA0, max_iter=300, tol=1e-4):
    weight = np.ones(len(X)) if weight is None else weight
    pairs = as_pairs(must, cannot, len(X))
    with mock.patch.object(pcca, "ETA0", eta0):
        return pcca.agglomerate(X, U, pairs, weight, max_iter=max_iter, tol=tol)


def objective(U, dist2, must, cannot, b, e, weight=None):
    """J, sample by sample and pair by pair."""
    weight = np.ones(len(U)) if weight is None else weight
    value = sum(weight[i] * (U[i] ** 2 @ dist2[i]) for i in range(len(U)))
    value += b * sum(1 - U[p] @ U[q] for p, q in must)
    value += b * sum(U[p] @ U[q] for p, q in cannot)
    return value - e * ((weight @ U) ** 2).sum()


# One step of the competition.


def test_row_without_pairs_is_that_of_fuzzy_c_means():
    dist2, zeros = np.array([[1.0, 4.0]]), np.zeros((1, 2))
    U = stationary(dist2, zeros, zeros[0], np.ones(1), 0.0, 0.0)
    np.testing.assert_allclose(U, [[0.8, 0.2]], rtol=1e-15)


def test_step_is_the_sum_of_three_terms(small):
    dist2, U, must, cannot = small
    b, e = 0.7, 0.05
    weight = 1 / dist2 / (1 / dist2).sum(axis=1, keepdims=True)
    G = np.zeros_like(U)
    for p, q in must:
        G[p] += 1 - U[q]
        G[q] += 1 - U[p]
    for p, q in cannot:
        G[p] += U[q]
        G[q] += U[p]
    N = U.sum(axis=0)
    mean_G = (weight * G).sum(axis=1, keepdims=True)
    mean_N = (weight * N).sum(axis=1, keepdims=True)
    expected = weight + b / (2 * dist2) * (mean_G - G) + e / dist2 * (N - mean_N)
    raw = stationary(dist2, links_of(must, cannot, 8) @ U, N, np.ones(8), b, e)
    np.testing.assert_allclose(raw, expected, rtol=0, atol=1e-14)
    np.testing.assert_allclose(raw.sum(axis=1), 1, rtol=1e-14)


def test_positive_rows_are_the_exact_solutions(small):
    dist2, U, must, cannot = small
    n_exact = 0
    for b in (0.1, 0.5, 1.0, 2.0, 4.0):
        pull = links_of(must, cannot, 8) @ U
        raw = stationary(dist2, pull, np.zeros(3), np.ones(8), b, 0.0)
        for i in range(8):
            u = naive.simplex_qp(2 * dist2[i], -b * pull[i])
            if raw[i].min() > 0:
                np.testing.assert_allclose(raw[i], u, rtol=0, atol=1e-14)
                n_exact += 1
            else:
                assert np.abs(raw[i] - u).max() > 1e-3
    assert 20 <= n_exact < 40  # both kinds have been seen


@pytest.mark.parametrize("weighted", [False, True])
def test_fixed_points_of_the_damped_step_are_stationary(small, weighted):
    dist2, U, must, cannot = small
    b, e = 0.3, 0.02
    weight = np.linspace(0.5, 2.0, 8) if weighted else np.ones(8)
    links = links_of(must, cannot, 8)
    for _ in range(500):
        raw = stationary(dist2, links @ U, weight @ U, weight, b, e)
        U = 0.7 * U + 0.3 * raw
    assert U.min() > 0

    def value(u):
        return objective(u.reshape(8, 3), dist2, must, cannot, b, e, weight)

    slope = 2 * weight[:, None] * (U * dist2 - e * (weight @ U)) - b * (links @ U)
    assert np.ptp(slope, axis=1).max() < 1e-13
    # The slope is that of J, up to the must-links' constant: every pair counts once.
    measured = approx_fprime(U.ravel(), value, 1e-7).reshape(8, 3)
    assert np.ptp(measured - slope, axis=1).max() < 1e-5


def test_a_sample_on_a_prototype_gets_the_limit():
    # min 16 u_1^2 - 2 e (7 u_0 + 5 u_1) on u_0 = 1 - u_1 is at u_1 = -1/8 for e = 1.
    dist2 = pcca.distances(np.array([[0.0], [3.0]]), np.array([[0.0], [4.0]]))
    raw = stationary(dist2, np.zeros((2, 2)), np.array([7.0, 5.0]), np.ones(2), 0, 1.0)
    np.testing.assert_allclose(raw[0], [1.125, -0.125], rtol=0, atol=1e-11)


def test_rows_are_brought_to_the_simplex():
    raw = np.array([[1.5, -0.5, 0.0], [0.5, 0.25, 0.25], [-1.0, -1.0, -2.0]])
    expected = [[1, 0, 0], [0.5, 0.25, 0.25], [1 / 3, 1 / 3, 1 / 3]]
    np.testing.assert_allclose(to_simplex(raw), expected, rtol=1e-15)


# The loop.


def test_first_objective_is_that_of_the_start(blobs):
    must, cannot = true_pairs(Y, 20, seed=0)
    U = random_start(300, 4, 0)
    result = run(blobs, U, must, cannot, max_iter=1)
    C = (U**2).T @ blobs / (U**2).sum(axis=0)[:, None]
    dist2 = ((blobs[:, None] - C) ** 2).sum(axis=2)
    b = 300 / 20 * (U**2 * dist2).sum() / (U**2).sum()
    expected = objective(U, dist2, must, cannot, b, e=0.0)
    assert result.history == pytest.approx([expected])
    assert result.n_clusters_history.tolist() == [4]
    assert (result.n_iter, result.converged) == (1, False)


def test_strength_of_the_competition(blobs):
    U, t = random_start(300, 10, 0), 6
    before = run(blobs, U, NONE, NONE, eta0=2.0, max_iter=t)
    after = run(blobs, U, NONE, NONE, eta0=2.0, max_iter=t + 1)
    U, C = before.constrained, before.centers
    spread = (U**2 * ((blobs[:, None] - C) ** 2).sum(axis=2)).sum()
    # J = spread - eta(t) * spread, without pairs.
    eta = 2.0 * np.exp(-t / pcca.TAU)
    assert after.history[-1] == pytest.approx(spread * (1 - eta))


def test_three_groups_are_found_from_ten_clusters(blobs):
    for seed in range(10):
        U = random_start(300, 10, seed)
        result = run(blobs, U, NONE, NONE)
        assert result.converged
        assert result.centers.shape == (3, 2)
        assert adjusted_rand_score(Y, result.constrained.argmax(axis=1)) > 0.95
        assert result.n_clusters_history[0] == 10
        assert np.all(np.diff(result.n_clusters_history) <= 0)


def test_three_or_four_are_found_with_pairs(blobs):
    for seed in range(10):
        U = random_start(300, 10, seed)
        pairs = true_pairs(Y, 20, seed)
        result = run(blobs, U, *pairs)
        assert len(result.centers) in (3, 4)


def test_without_pairs_and_competition_it_is_fuzzy_c_means(wine):
    X, y = wine
    result = run(X, random_start(178, 3, 0), NONE, NONE, eta0=0.0, tol=1e-7)
    assert result.converged
    assert result.history[-1] == pytest.approx(721.2172, abs=1e-4)
    assert np.all(np.diff(result.history) < 1e-9)
    labels = result.constrained.argmax(axis=1)
    assert adjusted_rand_score(y, labels) == pytest.approx(0.8975, abs=1e-4)


def test_result_is_consistent_and_input_untouched(blobs):
    must, cannot = true_pairs(Y, 20, seed=3)
    U = random_start(300, 10, 3)
    copy = U.copy()
    result = run(blobs, U, must, cannot)
    assert np.array_equal(U, copy)
    V = result.constrained
    assert V.min() >= 0
    assert np.abs(V.sum(axis=1) - 1).max() < 1e-12
    share = V**2 / (V**2).sum(axis=0)
    np.testing.assert_allclose(result.centers, share.T @ blobs)
    assert len(result.history) == result.n_iter
    assert len(result.n_clusters_history) == result.n_iter


def test_constraints_are_followed(blobs):
    U = np.eye(3)[Y] * 0.7 + 0.1
    alone = run(blobs, U, NONE, NONE, eta0=0.0).constrained
    # So many pairs that none outweighs the distances.
    p = np.arange(100)
    for q in (p + 100, (p + 1) % 100):
        ends = np.column_stack([p, q])
        tied = run(blobs, U, ends, NONE, eta0=0.0).constrained
        apart = run(blobs, U, NONE, ends, eta0=0.0).constrained
        overlaps = [(M[p] * M[q]).sum(axis=1).mean() for M in (apart, alone, tied)]
        assert np.all(np.diff(overlaps) > 0.01)


def test_order_of_pairs_and_ends_does_not_matter(blobs):
    must, cannot = true_pairs(Y, 20, seed=4)
    U = random_start(300, 5, 4)
    one = run(blobs, U, must, cannot, max_iter=20)
    other = run(blobs, U, must[::-1, ::-1], cannot[::-1, ::-1], max_iter=20)
    np.testing.assert_allclose(one.constrained, other.constrained, atol=1e-9)


def test_a_weight_of_two_is_a_repeated_row(blobs):
    U = random_start(300, 6, 6)
    weight = np.ones(300)
    weight[:50] = 2.0
    weight[290:] = 0.0
    rows = np.concatenate([np.arange(290), np.arange(50)])
    one = run(blobs, U, NONE, NONE, weight=weight)
    other = run(blobs[rows], U[rows], NONE, NONE)
    np.testing.assert_allclose(one.constrained[rows], other.constrained, atol=1e-9)
    np.testing.assert_allclose(one.history, other.history)


def test_pairs_of_weightless_samples_are_left_out(blobs):
    weight = np.ones(300)
    weight[0] = 0.0
    U = random_start(300, 3, 7)
    pairs = np.array([[0, 150], [10, 20]])
    one = run(blobs, U, pairs, NONE, weight=weight, max_iter=9)
    other = run(blobs, U, pairs[1:], NONE, weight=weight, max_iter=9)
    np.testing.assert_array_equal(one.constrained, other.constrained)


# Edges.


def test_competition_is_not_missed_by_a_start_at_rest(blobs):
    U = random_start(300, 10, 8)
    rest = run(blobs, U, NONE, NONE, eta0=0.0, tol=1e-8, max_iter=2000)
    assert len(rest.centers) == 10
    assert len(run(blobs, rest.constrained, NONE, NONE).centers) < 10


def test_empty_clusters_of_the_start_are_dropped(blobs):
    U = np.column_stack([random_start(300, 2, 9), np.zeros(300)])
    result = run(blobs, U, NONE, NONE, eta0=0.0)
    assert result.n_clusters_history[0] == 2
    assert np.isfinite(result.constrained).all()


def test_the_last_cluster_stays(blobs):
    U = random_start(300, 4, 10)
    with mock.patch.object(pcca, "LEAST_SAMPLES", 1e6):
        result = run(blobs, U, NONE, NONE)
    np.testing.assert_array_equal(result.constrained, np.ones((300, 1)))
    np.testing.assert_allclose(result.centers[0], blobs.mean(axis=0))
    assert result.converged


def test_equal_rows():
    result = run(np.ones((6, 2)), random_start(6, 2, 0), NONE, NONE)
    np.testing.assert_allclose(result.centers, 1.0)
    assert np.abs(result.constrained.sum(axis=1) - 1).max() < 1e-12


# Known weaknesses, as facts.


def test_duplicates_under_a_cannot_link_change_together():
    cannot = np.array([[0, 1]])
    dist2, links = np.ones((2, 2)), links_of(NONE, cannot, 2)
    U = np.array([[0.6, 0.4], [0.6, 0.4]])
    seen = []
    for _ in range(6):
        U = to_simplex(stationary(dist2, links @ U, U.sum(axis=0), np.ones(2), 4, 0))
        np.testing.assert_array_equal(U[0], U[1])
        seen.append(U[0, 0])
    np.testing.assert_allclose(seen, [0.3, 0.9, 0, 1, 0, 1], atol=1e-14)


def test_tied_samples_of_two_clusters_swap_for_ever(blobs):
    U = np.eye(3)[Y] * 0.7 + 0.1
    tie = np.array([[0, 150]])
    odd = run(blobs, U, tie, NONE, eta0=0.0, max_iter=299).constrained
    even = run(blobs, U, tie, NONE, eta0=0.0, max_iter=300).constrained
    for M in (odd, even):
        assert M[0] @ M[150] == pytest.approx(0)
    np.testing.assert_allclose(odd[0], even[150], atol=1e-9)


def test_competition_from_the_true_number_ends_in_one_cluster(wine):
    X, _ = wine
    for seed in range(3):
        result = run(X, random_start(178, 3, seed), NONE, NONE)
        assert len(result.centers) == 1


def test_objective_may_rise(blobs):
    result = run(blobs, random_start(300, 10, 0), NONE, NONE)
    constant = np.diff(result.n_clusters_history) == 0
    assert np.any(np.diff(result.history)[constant] > 0)


def test_first_memberships_of_each_kind_of_start():
    X = np.array([[0.0], [1.0], [4.0]])
    U = np.array([[1.0, 0.0], [0.75, 0.25], [0.0, 1.0]])
    labels = np.array([0, 0, 1])
    first = pcca.first_memberships
    np.testing.assert_array_equal(first(X, Start(memberships=U)), U)
    np.testing.assert_array_equal(first(X, Start(labels=labels)), np.eye(2)[labels])
    # Squared distances 1 and 9 of the second sample: eq. (14) gives 0.9 and 0.1.
    by_centers = first(X, Start(centers=X[[0, 2]]))
    expected = [[1, 0], [0.9, 0.1], [0, 1]]
    np.testing.assert_allclose(by_centers, expected, atol=1e-12)
