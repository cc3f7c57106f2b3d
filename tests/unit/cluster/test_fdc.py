"""FDC: worked cases, edges, warnings, and the paths through the engine."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

import naive
from fuzzypairs import FDC, PairSet
from fuzzypairs.exceptions import ClustersVanishedWarning, PrototypesCoincideWarning
from fuzzypairs.solvers import fused
from fuzzypairs.solvers.groups import solve_group

FCM = {"alpha": 0.0, "beta": 0.0}


@pytest.fixture(scope="module")
def blobs():
    """40 samples of two distant groups, in the plane."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(40, 2)) + 6 * rng.integers(2, size=(40, 1))


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def fit(X, pairs=None, sample_weight=None, **params):
    defaults = {"n_clusters": 2, "metric": "euclidean", "random_state": 0}
    model = FDC(**(defaults | params))
    return model.fit(X, pairs=pairs, sample_weight=sample_weight)


def assert_on_simplex(U):
    assert U.min() >= 0
    assert np.abs(U.sum(axis=1) - 1).max() <= 1e-12


# Cases worked by hand, and numbers known from elsewhere.


def test_four_points_on_a_line():
    X = [[0.0], [1.0], [9.0], [10.0]]
    start = [[0.9, 0.1], [0.8, 0.2], [0.2, 0.8], [0.1, 0.9]]
    model = fit(X, init=start, tol=1e-9, **FCM)
    centers = model.cluster_centers_.ravel()
    np.testing.assert_allclose(centers, [0.499740, 9.500260], atol=1e-6)
    u = [0.997241, 0.996548]
    np.testing.assert_allclose(model.memberships_[:2, 0], u, atol=1e-6)
    np.testing.assert_allclose(model.memberships_[:1:-1, 1], u, atol=1e-6)
    assert model.objective_ == pytest.approx(0.996894, abs=1e-6)


def test_iris():
    X, y = load_iris(return_X_y=True)
    model = fit(X, n_clusters=3, n_init=5, tol=1e-6, **FCM)
    centers = model.cluster_centers_[np.argsort(model.cluster_centers_[:, 0])]
    expected = [
        [5.0040, 3.4141, 1.4828, 0.2535],
        [5.8889, 2.7611, 4.3640, 1.3973],
        [6.7750, 3.0524, 5.6468, 2.0535],
    ]
    np.testing.assert_allclose(centers, expected, atol=1e-4)
    assert model.objective_ == pytest.approx(60.5057, abs=1e-4)
    assert (model.memberships_**2).sum() / len(X) == pytest.approx(0.7834, abs=1e-4)
    assert adjusted_rand_score(y, model.labels_) == pytest.approx(0.7294, abs=1e-4)


def test_wine_from_twenty_starts(wine):
    X, y = wine
    for seed in range(20):
        model = fit(
            X, n_clusters=3, init="random", n_init=1, random_state=seed, tol=1e-6, **FCM
        )
        assert model.objective_ == pytest.approx(721.2172, abs=1e-4)
        assert adjusted_rand_score(y, model.labels_) == pytest.approx(0.8975, abs=1e-4)
        assert sorted(np.bincount(model.labels_)) == [51, 62, 65]


# Two samples at 0 and 1, alike with strength B = beta s. By symmetry their rows are
# (a, b) and (b, a) with a + b = 1. The best prototypes for them leave, in each cluster,
# a^2 b^2 / (a^2 + b^2) of distance, and the pair costs B/2 * 2 (a - b)^2. With p = ab:
#     F(p) = 2 p^2 / (1 - 2p) + B (1 - 4p),     0 <= p <= 1/4,
# whose derivative is zero where p (1 - p) = B (1 - 2p)^2, that is at
# t = 1 - 2p = 1 / sqrt(1 + 4B). B = 9/64 gives t = 4/5, p = 1/10 and
# F = 0.02 / 0.8 + 9/64 * 0.6 = 7/64. From B = 3/4 on t would be below 1/2: p = 1/4,
# both samples belong to both clusters by halves and F = (1/8) / (1/2) = 1/4.
@pytest.mark.parametrize("grade", [1.0, 0.5])
def test_two_samples_judged_alike(grade):
    pairs = [(0, 1, grade)]
    beta = 9 / 64 / grade
    X = [[0.0], [1.0]]
    model = fit(X, pairs=pairs, alpha=0.0, beta=beta, init=[0, 1], tol=1e-10)
    a = (1 + np.sqrt(1 - 4 / 10)) / 2
    np.testing.assert_allclose(model.memberships_, [[a, 1 - a], [1 - a, a]], atol=1e-9)
    left = (1 - a) ** 2 / 0.8
    np.testing.assert_allclose(model.cluster_centers_, [[left], [1 - left]], atol=1e-9)
    assert model.objective_ == pytest.approx(7 / 64, abs=1e-12)


def test_two_samples_judged_alike_too_strongly():
    with pytest.warns(PrototypesCoincideWarning):
        model = fit(
            [[0.0], [1.0]],
            pairs=[(0, 1, 1)],
            alpha=0.0,
            beta=2.0,
            init=[0, 1],
            tol=1e-9,
        )
    np.testing.assert_allclose(model.memberships_, 0.5, atol=1e-6)
    assert model.objective_ == pytest.approx(1 / 4, abs=1e-9)


# Unlike with strength B: the pair costs B * 2ab, which p = 0 makes zero, together with
# all distances.
def test_two_samples_judged_unlike():
    start = [[0.6, 0.4], [0.4, 0.6]]
    model = fit([[0.0], [1.0]], pairs=[(0, 1, -1)], alpha=0.0, beta=3.0, init=start)
    np.testing.assert_allclose(model.memberships_, np.eye(2), atol=1e-12)
    assert model.objective_ == pytest.approx(0, abs=1e-12)


# One group with fixed distances. Alike, distances (1, 3) and (3, 1), rows (a, b) and
# (b, a): 2 a^2 + 6 b^2 + B (a - b)^2 is least at a = (3 + B) / (4 + 2B); B = 2 gives
# 5/8 and the objective 7/4.
# Unlike, distances (1, 3) twice, rows (a, 1 - a) and (c, 1 - c): zero derivatives
# 8a - 6 + B (2c - 1) and 8c - 6 + B (2a - 1) give a = c = (6 + B) / (8 + 2B); 2/3 and
# 8/3 for B = 2. The second derivatives (8, 2B; 2B, 8) are indefinite above B = 4: at
# B = 8 that point (objective 35/6) is a saddle, and one sample leaves: 1 + 3 = 4.
@pytest.mark.parametrize(
    ("dist2", "grade", "beta", "U", "objective"),
    [
        ([[1, 3], [3, 1]], 1.0, 2.0, [[5 / 8, 3 / 8], [3 / 8, 5 / 8]], 7 / 4),
        ([[1, 3], [3, 1]], 0.25, 8.0, [[5 / 8, 3 / 8], [3 / 8, 5 / 8]], 7 / 4),
        ([[1, 3], [1, 3]], -1.0, 2.0, [[2 / 3, 1 / 3], [2 / 3, 1 / 3]], 8 / 3),
        ([[1, 3], [1, 3]], -1.0, 8.0, [[0, 1], [1, 0]], 4.0),
    ],
)
def test_groups_of_two(dist2, grade, beta, U, objective):
    result = solve_group(dist2, [0], [1], [grade], beta)
    # Which of two equal samples gives way is open.
    found = sorted(result.memberships.tolist())
    np.testing.assert_allclose(found, sorted(U), atol=1e-8)
    assert result.objective == pytest.approx(objective, abs=1e-10)


@pytest.mark.parametrize("beta", [1e2, 1e5, 1e8])
def test_a_strong_pull_keeps_its_precision(beta):
    result = solve_group([[1, 3], [3, 1]], [0], [1], [1.0], beta)
    a = (3 + beta) / (4 + 2 * beta)
    expected = [[a, 1 - a], [1 - a, a]]
    np.testing.assert_allclose(result.memberships, expected, atol=1e-9)


def test_strongly_coupled_chain_equals_a_linear_system():
    # 300 samples in a row, each alike to the next, ten thousand times the distances.
    n, k = 300, 3
    dist2 = np.random.default_rng(0).uniform(0.5, 1.5, (n, k))
    p, q, s = np.arange(n - 1), np.arange(1, n), np.ones(n - 1)
    beta = 1e4 * dist2.mean()
    coupling = np.zeros((n, n))
    for i, j in zip(p, q, strict=True):
        coupling[[i, j], [i, j]] += beta / 2
        coupling[[i, j], [j, i]] -= beta / 2
    D = np.diag(dist2.ravel()) + np.kron(coupling, np.eye(k))
    # Stationary with rows of sum 1: D u + R' v = 0, R u = 1; inside, so exact.
    R = np.kron(np.eye(n), np.ones((1, k)))
    system = np.block([[D, R.T], [R, np.zeros((n, n))]])
    known = np.concatenate([np.zeros(n * k), np.ones(n)])
    U = np.linalg.solve(system, known)[: n * k].reshape(n, k)
    assert U.min() > 0
    result = solve_group(dist2, p, q, s, beta)
    np.testing.assert_allclose(result.memberships, U, atol=1e-7)


# Edges.


def test_samples_on_prototypes_belong_there_alone():
    X = np.repeat([[0.0, 0.0], [1.0, 1.0], [5.0, 5.0]], 4, axis=0)
    model = fit(X, n_clusters=3, **FCM)
    assert_on_simplex(model.memberships_)
    np.testing.assert_allclose(model.memberships_.max(axis=1), 1, atol=1e-12)
    assert len(set(model.labels_[::4])) == 3
    proba = model.predict_proba(model.cluster_centers_)
    np.testing.assert_allclose(proba, np.eye(3), atol=1e-12)


def test_duplicate_rows_have_one_fate(blobs):
    model = fit(np.concatenate([blobs, blobs]))
    half = model.memberships_[:40]
    np.testing.assert_array_equal(half, model.memberships_[40:])


def test_more_clusters_than_samples():
    X = np.array([[0.0], [1.0], [5.0]])
    with pytest.warns(ClustersVanishedWarning, match="n_clusters=5"):
        model = fit(X, n_clusters=5)
    assert model.n_clusters_ == 3
    np.testing.assert_allclose(np.sort(model.memberships_)[:, -1], 1, atol=1e-12)
    np.testing.assert_allclose(np.sort(model.cluster_centers_, axis=0), X)


@pytest.mark.parametrize("alpha", ["auto", 0.0, 0.3])
def test_one_row(alpha):
    model = fit([[3.0, 4.0]], n_clusters=1, alpha=alpha)
    np.testing.assert_array_equal(model.memberships_, [[1.0]])
    np.testing.assert_array_equal(model.cluster_centers_, [[3.0, 4.0]])
    assert model.objective_ == pytest.approx(0, abs=1e-50)
    assert model.converged_


@pytest.mark.filterwarnings("ignore::fuzzypairs.exceptions.FuzzyPairsWarning")
@pytest.mark.parametrize("alpha", ["auto", 0.0])
@pytest.mark.parametrize("n_clusters", [1, 3])
def test_identical_rows(n_clusters, alpha):
    X = np.full((6, 2), 7.0)
    model = fit(X, pairs=[(0, 1, -1)], n_clusters=n_clusters, alpha=alpha)
    assert_on_simplex(model.memberships_)
    np.testing.assert_allclose(model.cluster_centers_, 7.0, atol=1e-12)
    assert np.isfinite(model.objective_)


def test_constant_columns_change_nothing(blobs):
    wide = np.column_stack([blobs[:, 0], np.full(len(blobs), 1e6), blobs[:, 1]])
    plain, model = fit(blobs, tol=1e-8), fit(wide, tol=1e-8)
    np.testing.assert_allclose(model.memberships_, plain.memberships_, atol=1e-9)
    np.testing.assert_allclose(model.cluster_centers_[:, 1], 1e6)


@pytest.mark.parametrize("exponent", [-150, -75, -16, -14, 14, 16, 75, 150])
@pytest.mark.parametrize("chosen", [{}, {"alpha": 0.02, "beta": 5.0}])
def test_scale_is_of_no_account(wine, chosen, exponent):
    X, y = wine
    pairs = PairSet.from_labels(y, n_pairs=20, random_state=0)
    options = {"n_clusters": 3, "n_init": 2, "tol": 1e-7}
    c = 10.0**exponent
    scaled = chosen | ({"beta": chosen["beta"] * c**2} if chosen else {})
    plain = fit(X, pairs=pairs, **options, **chosen)
    model = fit(c * X, pairs=pairs, **options, **scaled)
    for name in ("memberships_", "labels_", "n_iter_"):
        np.testing.assert_allclose(
            getattr(model, name), getattr(plain, name), atol=1e-9
        )
    for name, power in (("cluster_centers_", c), ("objective_", c**2), ("beta_", c**2)):
        np.testing.assert_allclose(
            getattr(model, name) / power, getattr(plain, name), rtol=1e-9
        )
    np.testing.assert_allclose(
        model.predict_proba(c * X), plain.predict_proba(X), atol=1e-9
    )
    np.testing.assert_allclose(model.transform(c * X) / c, plain.transform(X))
    score = model.score(c * X, pairs=pairs) / c**2
    assert score == pytest.approx(plain.score(X, pairs=pairs), rel=1e-9)


def test_float32_is_computed_in_float64(wine):
    X, y = wine
    single = X.astype(np.float32)
    pairs = PairSet.from_labels(y, n_pairs=20, random_state=0)
    options = {"n_clusters": 3, "init": y, "tol": 1e-8, "pairs": pairs}
    model, double = fit(single, **options), fit(single.astype(np.float64), **options)
    assert model.memberships_.dtype == model.cluster_centers_.dtype == np.float64
    # Packed tiles keep the centred data in float32: a few units of its last place.
    np.testing.assert_allclose(model.memberships_, double.memberships_, atol=1e-6)
    assert model.objective_ == pytest.approx(double.objective_, rel=1e-6)
    np.testing.assert_allclose(
        model.predict_proba(single), double.predict_proba(single), atol=1e-6
    )


def test_weight_zero_is_an_absent_row(blobs):
    weight = np.ones(40)
    weight[:5] = 0
    labels = np.random.default_rng(1).integers(2, size=40)
    pairs = PairSet.from_triples([(10, 11, 0.5), (12, 30, -0.7), (2, 20, 1)], 40)
    model = fit(blobs, pairs=pairs, sample_weight=weight, init=labels, tol=1e-8)
    rest = fit(
        blobs[5:], pairs=pairs.restrict(np.arange(5, 40)), init=labels[5:], tol=1e-8
    )
    np.testing.assert_allclose(model.memberships_[5:], rest.memberships_, atol=1e-9)
    np.testing.assert_allclose(model.cluster_centers_, rest.cluster_centers_)
    assert model.objective_ == pytest.approx(rest.objective_)
    # The absent rows still get memberships, as new ones would.
    expected = rest.predict_proba(blobs[:5])
    np.testing.assert_allclose(model.memberships_[:5], expected, atol=1e-9)


def test_contradictory_judgements_end_between(blobs):
    # 0 ~ 1 and 1 ~ 2 but 0 !~ 2: whichever gives way, the descent ends on the
    # simplex at a point that no row alone can better.
    triples = [(0, 1, 1.0), (1, 2, 1.0), (0, 2, -1.0)]
    model = fit(blobs, pairs=triples, beta=10.0, tol=1e-8)
    assert model.converged_
    assert_on_simplex(model.memberships_)
    dist2 = naive.distances(blobs[:3], model.cluster_centers_)
    assert naive.residual(dist2, model.memberships_[:3], triples, 10.0) < 1e-6
    value = naive.objective(
        blobs, model.memberships_, model.cluster_centers_, triples, model.alpha_, 10.0
    )
    assert model.objective_ == pytest.approx(value)


def test_two_judges_of_one_pair_count_as_their_mean(blobs):
    pairs = PairSet([0, 0, 1], [9, 9, 8], [1, 0.2, -1], len(blobs), list("aba"))
    model = FDC(3, robust=True, random_state=0).fit(blobs, pairs=pairs)
    same = FDC(3, robust=True, random_state=0).fit(blobs, pairs=pairs.merged)
    np.testing.assert_array_equal(model.memberships_, same.memberships_)
    assert model.score(blobs, pairs=pairs) == same.score(blobs, pairs=pairs.merged)
    reliability = same.pair_reliability_[[0, 0, 1]]
    np.testing.assert_array_equal(model.pair_reliability_, reliability)


def test_exact_groups_are_never_worse():
    pytest.importorskip("pyscipopt", reason="the exact mode is an extra")
    X, y = load_iris(return_X_y=True)
    rng = np.random.default_rng(5)
    # Six rings of five samples, mostly unlike their neighbours.
    rings = rng.permutation(150)[:30].reshape(6, 5).tolist()
    triples = [
        (i, j, rng.uniform(-1, 0.3))
        for ring in rings
        for i, j in zip(ring, ring[1:] + ring[:1], strict=True)
    ]
    options = {"n_clusters": 3, "init": y, "beta": 3.0, "tol": 1e-6, "pairs": triples}
    swept, exact = fit(X, **options), fit(X, group_solver="exact", **options)
    assert_on_simplex(exact.memberships_)
    assert exact.objective_ <= swept.objective_ + 1e-6


# Clusters that vanish, prototypes that coincide, runs that end early.


@pytest.mark.parametrize(
    ("alpha", "left"), [(0.1, 2), (0.3, 1), (0.9, 1)], ids=["two", "one", "mean"]
)
def test_large_alpha_deletes_clusters(blobs, alpha, left):
    with pytest.warns(ClustersVanishedWarning, match=f"alpha={alpha}"):
        model = fit(blobs, n_clusters=4, alpha=alpha)
    assert model.n_clusters_ == left
    assert model.memberships_.shape == (40, left)
    assert model.cluster_centers_.shape == (left, 2)
    assert (np.diff(model.n_clusters_history_) <= 0).all()
    assert model.n_clusters_history_[-1] == left
    assert_on_simplex(model.memberships_)
    if left == 1:
        np.testing.assert_allclose(model.cluster_centers_[0], blobs.mean(axis=0))


def test_isotropic_data_collapse_and_the_warning_names_the_cure():
    X = np.random.default_rng(0).normal(size=(300, 12))
    with pytest.warns(PrototypesCoincideWarning, match="alpha above") as caught:
        model = fit(X, alpha=0.0)
    np.testing.assert_allclose(model.memberships_, 1 / 2, atol=1e-2)
    spread = ((X - X.mean(axis=0)) ** 2).sum()
    assert model.objective_ == pytest.approx(spread / 2, rel=1e-4)
    words = str(caught[0].message).split()
    cure = float(words[words.index("above") + 1].rstrip(",;."))
    parted = fit(X, alpha=1.1 * cure)
    assert np.ptp(parted.memberships_, axis=1).mean() > 0.1


def test_too_few_passes_are_warned_of(blobs):
    with pytest.warns(ConvergenceWarning, match="in 1 passes, with max_iter=1 and"):
        model = fit(blobs, max_iter=1)
    assert not model.converged_
    assert model.n_iter_ == 1
    assert_on_simplex(model.memberships_)


def test_verbose_prints_a_line_a_run(blobs, capsys):
    model = fit(blobs, verbose=1, n_init=3)
    lines = capsys.readouterr().out.splitlines()
    assert [line[:10] for line in lines] == ["Run 1 of 3", "Run 2 of 3", "Run 3 of 3"]
    assert any(f"{model.objective_:.6g} with 2 clusters" in line for line in lines)
    fit(blobs)
    assert capsys.readouterr().out == ""


# What a fitted model answers.


@pytest.fixture(scope="module")
def fitted(blobs):
    pairs = PairSet.from_triples([(0, 1, -0.8), (2, 3, 0.6), (3, 4, 0.4)], 40)
    return fit(blobs, pairs=pairs, alpha=0.02, beta=4.0), pairs


def test_answers_agree_with_their_formulas(fitted, blobs):
    model, _ = fitted
    new = np.concatenate([blobs[:7] + 0.3, model.cluster_centers_[:1]])
    dist2 = naive.distances(new, model.cluster_centers_)
    U = np.array([naive.free_memberships(row) for row in dist2])
    np.testing.assert_allclose(model.transform(new), np.sqrt(dist2), atol=1e-12)
    np.testing.assert_allclose(model.predict_proba(new), U, atol=1e-12)
    np.testing.assert_array_equal(model.predict(new), U.argmax(axis=1))


def test_score_is_minus_the_objective(fitted, blobs):
    model, pairs = fitted
    weight = np.random.default_rng(0).uniform(0.5, 2, 40)
    U = model.predict_proba(blobs)
    for judged in ([], list(pairs), [*pairs, (5, 6, 0.0)]):
        for w in (None, weight):
            value = naive.objective(
                blobs, U, model.cluster_centers_, judged, 0.02, 4.0, weight=w
            )
            score = model.score(blobs, pairs=judged, sample_weight=w)
            assert score == pytest.approx(-value)


def test_score_of_the_training_data_is_bounded_by_the_fit(fitted, blobs):
    # The fit's memberships answer to the judgements, those of score do not.
    model, pairs = fitted
    assert model.score(blobs, pairs=pairs) <= -model.objective_ + 1e-9
    alone = fit(blobs, alpha=0.02)
    assert alone.score(blobs) == pytest.approx(-alone.objective_)


def test_attributes_agree_with_each_other(fitted, blobs):
    model, pairs = fitted
    again = FDC(**model.get_params())
    np.testing.assert_array_equal(again.fit_predict(blobs, pairs=pairs), model.labels_)
    np.testing.assert_array_equal(model.labels_, model.memberships_.argmax(axis=1))
    value = naive.objective(
        blobs, model.memberships_, model.cluster_centers_, list(pairs), 0.02, 4.0
    )
    assert model.objective_ == pytest.approx(value)
    assert model.objective_history_[-1] == model.objective_
    assert len(model.objective_history_) == len(model.n_clusters_history_)
    assert model.alpha_ == 0.02
    assert model.beta_ == 4.0


def test_the_best_of_several_runs_is_kept():
    X, _ = load_iris(return_X_y=True)
    options = {"n_clusters": 5, "init": "random", "alpha": 0.0, "tol": 1e-6}
    source = np.random.RandomState(3)
    runs = [fit(X, n_init=1, random_state=source, **options) for _ in range(6)]
    best = fit(X, n_init=6, random_state=np.random.RandomState(3), **options)
    objectives = [run.objective_ for run in runs]
    assert best.objective_ == min(objectives) < max(objectives) - 1e-3


# Paths through the engine: small fits in one compiled loop, long ones from Python on
# threads, many features times clusters by matrix products.


def same_bits(models):
    first = models[0]
    for model in models[1:]:
        np.testing.assert_array_equal(model.memberships_, first.memberships_)
        np.testing.assert_array_equal(model.cluster_centers_, first.cluster_centers_)
        np.testing.assert_array_equal(
            model.objective_history_, first.objective_history_
        )


def test_threads_change_nothing_in_small_fits(wine):
    X, y = wine
    pairs = PairSet.from_labels(y, n_pairs=40, random_state=0)
    same_bits([fit(X, pairs=pairs, n_clusters=3, n_jobs=n) for n in (1, 2, 3)])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    ("shape", "n_clusters", "by_products"),
    [((60_500, 10), 7, False), ((9_000, 250), 10, True)],
    ids=["differences", "products"],
)
def test_threads_change_nothing_in_large_fits(shape, n_clusters, by_products):
    assert (shape[1] * n_clusters >= fused.PRODUCTS_FROM) is by_products
    assert np.prod(shape) * n_clusters > fused.LONG_FROM
    rng = np.random.default_rng(0)
    y = rng.integers(n_clusters, size=shape[0])
    X = rng.normal(size=shape) + 5 * rng.normal(size=(n_clusters, shape[1]))[y]
    pairs = PairSet.from_labels(y, n_pairs=3000, random_state=0)
    options = {"n_clusters": n_clusters, "n_init": 1, "max_iter": 5, "alpha": 0.0}
    same_bits([fit(X, pairs=pairs, n_jobs=n, **options) for n in (1, 2, 3)])


@pytest.mark.parametrize("weighted", [False, True])
def test_all_paths_lead_to_one_end(monkeypatch, weighted):
    rng = np.random.default_rng(1)
    y = rng.integers(4, size=400)
    X = rng.normal(size=(400, 60)) + 2 * rng.normal(size=(4, 60))[y]
    weight = rng.uniform(0.5, 2, 400) if weighted else None
    options = {
        "pairs": PairSet.from_labels(y, n_pairs=30, random_state=0),
        "sample_weight": weight,
        "n_clusters": 4,
        "alpha": 0.01,
        "beta": 20.0,
        "init": rng.permutation(y),
        "tol": 1e-8,
    }
    plain = fit(X, **options)
    monkeypatch.setattr(fused, "SHORT_UP_TO", 0)
    same_bits([plain, fit(X, n_jobs=2, **options)])
    monkeypatch.setattr(fused, "LONG_FROM", 0)
    early = fit(X, **options)
    np.testing.assert_allclose(early.memberships_, plain.memberships_, atol=1e-7)
    monkeypatch.undo()
    monkeypatch.setattr(fused, "PRODUCTS_FROM", 1)
    products = fit(X, **options)
    np.testing.assert_allclose(products.memberships_, plain.memberships_, atol=1e-9)
    np.testing.assert_allclose(
        products.cluster_centers_, plain.cluster_centers_, atol=1e-9
    )
    assert products.objective_ == pytest.approx(plain.objective_, rel=1e-12)
    # It is another path: the last bits tell.
    assert not np.array_equal(products.cluster_centers_, plain.cluster_centers_)


@pytest.mark.parametrize("scale", [1e-25, 1e25])
@pytest.mark.parametrize("offset", [0.0, 1e3])
@pytest.mark.parametrize("by_products", [False, True])
def test_units_and_offsets_change_nothing(monkeypatch, scale, offset, by_products):
    rng = np.random.default_rng(3)
    y = rng.integers(4, size=2000)
    X = rng.normal(size=(2000, 60)) + 2 * rng.normal(size=(4, 60))[y]
    options = {
        "pairs": PairSet.from_labels(y, n_pairs=30, random_state=0),
        "n_clusters": 4,
        "alpha": 0.01,
        "init": rng.permutation(y),
        "tol": 1e-8,
    }
    plain = fit(X, beta=20.0, **options)
    if by_products:
        monkeypatch.setattr(fused, "PRODUCTS_FROM", 1)
    other = fit(scale * (X + offset), beta=20.0 * scale**2, **options)
    np.testing.assert_allclose(other.memberships_, plain.memberships_, atol=1e-7)
    assert other.objective_ == pytest.approx(scale**2 * plain.objective_, rel=1e-9)
    assert len(other.objective_history_) == len(other.n_clusters_history_)
    rises = np.diff(other.objective_history_) / other.objective_
    assert rises.max() < 1e-7


@pytest.mark.parametrize("n_groups", [1, 40])
def test_samples_on_two_prototypes_at_once(n_groups):
    """Unlike pairs of equal samples, with two prototypes on them at the start."""
    n = 2 * n_groups
    X = np.vstack([np.zeros((n, 1)), np.full((20, 1), 9.0), np.full((20, 1), 10.0)])
    pairs = [(2 * i, 2 * i + 1, -1.0) for i in range(n_groups)]
    start = np.concatenate([np.tile([0, 1], n_groups), np.full(40, 2)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = FDC(3, alpha=0.0, beta=1.0, init=start).fit(X, pairs=pairs)
    U = model.memberships_
    assert_on_simplex(U)
    np.testing.assert_allclose((U[0:n:2] * U[1:n:2]).sum(axis=1), 0.0, atol=1e-9)


@pytest.mark.parametrize("max_iter", range(1, 25))
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::fuzzypairs.exceptions.FuzzyPairsWarning")
def test_history_holds_every_pass_wherever_the_run_is_cut(max_iter):
    # Strong judgements: settled prototypes are set going again by refined groups, so
    # a cut falls on each kind of pass. A pass beyond the last may look at the groups.
    rng = np.random.default_rng(1)
    X = rng.normal(size=(30, 2))
    pairs = PairSet.from_triples(
        [(i, i + 1, s) for i, s in enumerate(rng.uniform(-1, 1, 29))], 30
    )
    model = FDC(4, alpha=0.03, beta=300.0, init=np.arange(30) % 4, max_iter=max_iter)
    model.fit(X, pairs=pairs)
    assert model.n_iter_ <= max_iter + 2
    assert len(model.objective_history_) <= model.n_iter_ + 1
    assert np.isfinite(model.objective_history_).all()
    assert len(model.n_clusters_history_) == len(model.objective_history_)


def test_a_callable_start_sees_the_data_as_given():
    X = np.random.default_rng(0).normal(size=(30, 2)) * [1.0, 100.0]
    seen = []

    def halves(data, n_clusters, random_state):
        seen.append(data)
        return np.arange(len(data)) % n_clusters

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about clusters of noise
        FDC(2, metric="mahalanobis", init=halves, n_init=1).fit(X)
    np.testing.assert_array_equal(seen[0], X)


@pytest.mark.parametrize("alpha", [0.0, 0.11, 0.14, 0.3])
def test_labels_start_as_their_memberships(alpha):
    """Clusters too small to begin with are dropped from counts as from memberships."""
    rng = np.random.default_rng(0)
    X, weight = rng.normal(size=(200, 4)), rng.uniform(0.5, 2.0, 200)
    labels = rng.integers(9, size=200)
    model = FDC(9, alpha=alpha, beta=1.0, max_iter=1, tol=0.0)
    pairs = [(0, 1, 0.9), (2, 3, -0.8)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        one, other = (
            clone(model).set_params(init=init).fit(X, pairs=pairs, sample_weight=weight)
            for init in (labels, np.eye(9)[labels])
        )
    assert_allclose(one.memberships_, other.memberships_, atol=1e-12)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("scale", [1e-150, 1e-20, 1.0, 1e20, 1e150])
@pytest.mark.parametrize("beta", [1e-300, 1.0, 1e30, 1e300])
def test_any_scale_and_beta_give_memberships(scale, beta):
    X = scale * np.random.default_rng(0).normal(size=(60, 3))
    pairs = [(0, 1, 0.9), (2, 3, -0.8), (1, 4, -1.0), (5, 6, 0.3)]
    model = FDC(3, beta=beta, n_init=2, random_state=0).fit(X, pairs=pairs)
    assert_on_simplex(model.memberships_)


def test_integers_of_numpy_are_integers():
    X = np.random.default_rng(0).normal(size=(30, 2))
    one = FDC(2, random_state=0).fit(X)
    other = FDC(np.int64(2), random_state=0).fit(X)
    np.testing.assert_array_equal(one.memberships_, other.memberships_)


@pytest.mark.parametrize(("share", "expected"), [(1e-15, 0), (1e-9, 1)])
def test_rounding_does_not_choose_among_equal_runs(monkeypatch, share, expected):
    run = FDC._run

    def with_ties(self, *arguments):
        first, second = run(self, *arguments)
        more = second.objective * (1.0 + share)
        return [replace(first, objective=more, n_iter=11), replace(second, n_iter=12)]

    monkeypatch.setattr(FDC, "_run", with_ties)
    model = FDC(2, n_init=2, random_state=0).fit([[0.0], [1.0], [5.0], [6.0]])
    assert model.n_iter_ == 11 + expected
