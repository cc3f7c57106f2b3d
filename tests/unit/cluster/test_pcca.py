"""PCCA: the worked cases, descent, and the competition."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_wine, make_blobs
from sklearn.preprocessing import StandardScaler

from fuzzypairs import PCCA, FuzzyCMeans
from fuzzypairs.criteria import nmi, normalized_ari
from fuzzypairs.datasets import simulate_pairs
from fuzzypairs.exceptions import ClustersVanishedWarning

LINE = np.array([[0.0], [1.0], [5.0], [9.0], [10.0]])
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


def objective(model, X, pairs, beta):
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
        expected = objective(model, X, pairs, beta)
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


def test_degrees_may_count(wine):
    X, y = wine
    pairs = simulate_pairs(X, y, "iv", random_state=0)
    plain = PCCA(3, beta=2.0, random_state=0).fit(X, pairs=pairs)
    graded = PCCA(3, beta=2.0, use_degrees=True, random_state=0).fit(X, pairs=pairs)
    assert not np.allclose(plain.memberships_, graded.memberships_)


def test_competition_finds_the_number_of_clusters():
    X, y = make_blobs(300, centers=[[0, 0], [8, 0], [0, 8]], random_state=0)
    model = PCCA(10, competition="on", min_cardinality=5, random_state=0).fit(X)
    assert model.n_clusters_ == 3
    assert normalized_ari(y, model.labels_) > 0.99
    np.testing.assert_allclose(model.memberships_.sum(axis=1), 1.0, atol=1e-12)
    assert model.predict(X[:5]).shape == (5,)


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
    options = {"competition": "on", "eta0": 0.0, "min_cardinality": 0.0}
    by_labels = PCCA(2, init=labels, **options).fit(LINE)
    by_memberships = PCCA(2, init=np.eye(2)[labels], **options).fit(LINE)
    np.testing.assert_array_equal(by_labels.memberships_, by_memberships.memberships_)


def test_competition_takes_no_sparse_data():
    X = sparse.csr_array(LINE)
    with pytest.raises(TypeError, match="Sparse data"):
        PCCA(2, competition="on").fit(X)
    expected = PCCA(2, random_state=0).fit(LINE).cluster_centers_
    found = PCCA(2, random_state=0).fit(X).cluster_centers_
    np.testing.assert_allclose(np.sort(found, 0), np.sort(expected, 0), atol=1e-3)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("competition", "maybe"),
        ("tau", 0.0),
        ("eta0", -1.0),
        ("min_cardinality", -2.0),
        ("constraint_multiplier", -1.0),
    ],
)
def test_bad_parameters_are_named(name, value):
    with pytest.raises(ValueError, match=name):
        PCCA(2, **{name: value}).fit(LINE)


def test_many_small_groups_are_solved_side_by_side():
    """Enough pairs of one size to fill the lanes of a bundle."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3)) + 3.0 * rng.integers(2, size=(300, 1))
    pairs = [(2 * i, 2 * i + 1, 1.0 if i % 3 else -1.0) for i in range(120)]
    model = PCCA(2, beta=3.0, random_state=0, tol=1e-8).fit(X, pairs=pairs)
    assert model.objective_ == pytest.approx(objective(model, X, pairs, 3.0), rel=1e-10)
    assert np.diff(model.objective_history_).max() <= 1e-9 * model.objective_
    alone = PCCA(2, beta=3.0, init=model.memberships_, tol=1e-8)
    few = [pair for pair in pairs if pair[0] < 20]
    alone.fit(X, pairs=few)
    assert alone.objective_ < model.objective_
