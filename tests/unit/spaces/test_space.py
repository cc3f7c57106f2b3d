"""Spaces and fuzzifiers: against plain loops, against each other, and their edges."""

import tracemalloc
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.metrics import adjusted_rand_score, pairwise_distances

import naive_spaces as plain
from fuzzypairs import FDC, PairSet, load, save
from fuzzypairs.datasets import simulate_pairs
from fuzzypairs.exceptions import FuzzyPairsWarning
from fuzzypairs.solvers import any_metric as solver
from fuzzypairs.spaces import vectors
from fuzzypairs.spaces.metrics import METRICS, resolve_metric
from fuzzypairs.spaces.space import Space
from fuzzypairs.validation import check_seed

FUZZIFIERS = [1.2, 1.5, 2.0, 3.0, 10.0]
GAMMA = 0.15

# Three groups of eight in space, with judgements of some and weights of all.
rng = np.random.default_rng(0)
LABELS = np.arange(24) % 3
POINTS = rng.normal(size=(24, 3))
POINTS[:, :2] += 3 * np.array([[1, 0], [0, 1], [-1, -1]])[LABELS]
SETS = (
    rng.random((24, 12)) < np.where(np.arange(12) % 3 == LABELS[:, None], 0.8, 0.1)
) * 1.0
PAIRS = [
    (0, 1, -0.8),
    (1, 2, -0.5),
    (3, 6, 0.9),
    (7, 8, 0.6),
    (9, 12, 0.7),
    (12, 10, -0.3),
]
FREE = np.setdiff1d(np.arange(24), [i for p, q, _ in PAIRS for i in (p, q)])
WEIGHT = rng.uniform(0.5, 2.0, 24)
START = 0.7 * np.eye(3)[LABELS] + 0.3 * rng.dirichlet(np.ones(3), 24)
COVARIANCE = np.cov(POINTS.T) + np.eye(3)


def inner_products(A, B):
    """A kernel of one's own."""
    return A @ B.T


@dataclass(frozen=True)
class Case:
    """A metric, what it is given, and its oracle."""

    metric: Any
    params: dict | None
    X: np.ndarray
    oracle: Any = None
    # The training samples as new ones, where these look different.
    new: Any = None
    # Of 1/k^g: an alpha that repels, and leaves all three clusters.
    share: float = 0.15

    def space(self):
        space = resolve_metric(self.metric, self.params)
        return space.fit(self.X, random_state=check_seed(0))

    def truth(self):
        """The oracle; for explicit features, of what these are."""
        if self.oracle is not None:
            return self.oracle
        return plain.Points(self.space().X, plain.euclidean, plain.mean)

    def model(self, **params):
        given = {"n_clusters": 3, "random_state": 0, "max_iter": 3000} | params
        return FDC(metric=self.metric, metric_params=self.params, **given)

    def alpha(self, g):
        return self.share / 3.0**g

    def beta(self, strength):
        return strength * self.space().spread()

    def rows(self):
        return self.X if self.new is None else self.new


def points(metric, distance, prototype=plain.mean, share=0.15, **params):
    oracle = plain.Points(POINTS, distance, prototype)
    return Case(metric, params or None, POINTS, oracle, share=share)


def products(metric, kernel, X=POINTS, **params):
    return Case(metric, params or None, X, plain.Products(plain.gram(kernel, X)))


K = POINTS @ POINTS.T
D = pairwise_distances(POINTS)
CASES = {
    "euclidean": points("euclidean", plain.euclidean),
    "linear": points("linear", plain.euclidean),
    "manhattan": points("manhattan", plain.manhattan, plain.median),
    # Negative weights push far ones further, the more the larger the power.
    "minkowski3": points(
        "minkowski", plain.minkowski(3), plain.power_center(3), 0.02, p=3
    ),
    "minkowski1.5": points(
        "minkowski", plain.minkowski(1.5), plain.power_center(1.5), p=1.5
    ),
    "cosine": points("cosine", plain.cosine, plain.direction),
    "mahalanobis": points(
        "mahalanobis", plain.mahalanobis(COVARIANCE), covariance=COVARIANCE
    ),
    "rbf": products("rbf", plain.rbf(GAMMA), gamma=GAMMA),
    "laplacian": products("laplacian", plain.laplacian(GAMMA), gamma=GAMMA),
    "polynomial": products(
        "polynomial",
        plain.polynomial(2, GAMMA, 1.5),
        degree=2,
        gamma=GAMMA,
        coef0=1.5,
    ),
    "jaccard": products("jaccard", plain.jaccard, SETS),
    "callable": products(inner_products, plain.inner),
    "precomputed": Case("precomputed", None, D, plain.Relations(D**2)),
    "precomputed_kernel": Case(
        "precomputed_kernel",
        None,
        K,
        plain.Products(K),
        np.column_stack([K, K.diagonal()]),
    ),
    "nystroem": Case("rbf", {"gamma": GAMMA, "n_components": 15}, POINTS),
    "fourier": Case(
        "rbf",
        {"gamma": GAMMA, "n_components": 20, "approximation": "fourier"},
        POINTS,
    ),
}
every_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES)
every_fuzzifier = pytest.mark.parametrize("g", FUZZIFIERS)
# Not what these tests are about, where data are few and fuzzifiers large.
uncritical = pytest.mark.filterwarnings(
    "ignore::fuzzypairs.exceptions.PrototypesCoincideWarning"
)
interrupted = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning"
)


def close(found, expected, atol=1e-6):
    np.testing.assert_allclose(found, expected, rtol=0, atol=atol)


def same_end(models, atol=1e-6):
    first, *others = models
    assert first.converged_
    for model in others:
        assert model.converged_
        close(model.memberships_, first.memberships_, atol)
        assert model.objective_ == pytest.approx(first.objective_, rel=atol, abs=atol)


def test_every_metric_has_a_case():
    names = {case.metric for case in CASES.values()} - {inner_products}
    # These two are taught by judgements, see test_learned.
    assert names == set(METRICS) - {"auto", "learned"}


# Against plain loops: distances, prototypes for weights of any sign, one step, the end.


@every_case
@pytest.mark.parametrize("alpha", [0.0, 0.08], ids=["positive", "negative"])
def test_prototypes_and_distances(case, alpha):
    truth, space = case.truth(), case.space()
    W = plain.weights(START, 2.0, alpha, WEIGHT)
    assert (W.min() < 0) == (alpha > 0)
    expected = truth.prototypes(W)
    P = space.prototypes(W)
    close(space.points(P), expected if space.explicit else P)
    distance = truth.distances(expected)
    close(space.distances(P), distance, 1e-6 * distance.max())
    best = (W * distance).sum()
    assert (W * space.distances(P)).sum() == pytest.approx(best, rel=1e-9)
    kept, Q = space.trimmed(P)
    close(kept.between(case.rows(), Q), distance, 1e-6 * distance.max())


@every_case
def test_samples_as_prototypes(case):
    rows = np.array([5, 0])
    space, truth = case.space(), case.truth()
    if isinstance(truth, plain.Points):
        expected = truth.distances(truth.X[rows])
    else:
        expected = truth.distances(np.eye(24)[rows])
    close(space.distances_to_samples(rows), expected, 1e-9 * expected.max())
    close(space.distances(space.at_samples(rows)), expected, 1e-9 * expected.max())


@interrupted
@uncritical
@every_case
@pytest.mark.parametrize("g", [1.2, 2.0, 3.0])
def test_one_step(case, g):
    alpha, beta = case.alpha(g), case.beta(0.2)
    U, P, value = plain.step(case.truth(), START, PAIRS, g, alpha, beta, WEIGHT)
    model = case.model(
        fuzzifier=g, alpha=alpha, beta=beta, init=START, tol=1e-10, max_iter=1
    ).fit(case.X, pairs=PAIRS, sample_weight=WEIGHT)
    close(model.memberships_, U)
    assert model.objective_ == pytest.approx(value, rel=1e-9)
    if hasattr(model, "cluster_centers_"):
        close(model.cluster_centers_, P)


@uncritical
@every_case
def test_the_end(case):
    g, alpha, beta = 1.5, case.alpha(1.5), case.beta(0.2)
    pairs = PAIRS[:3]
    U, _, objectives = plain.mem(
        case.truth(), START, pairs, g, alpha, beta, WEIGHT, tol=1e-8
    )
    assert np.diff(objectives).max(initial=0.0) <= 1e-9
    model = case.model(fuzzifier=g, alpha=alpha, beta=beta, init=START, tol=1e-9)
    model.fit(case.X, pairs=pairs, sample_weight=WEIGHT)
    close(model.memberships_, U)
    assert model.objective_ == pytest.approx(objectives[-1], rel=1e-8)


# What Theorem 1 promises, in every space and for every fuzzifier.


@uncritical
@every_case
@pytest.mark.parametrize("g", FUZZIFIERS)
def test_descent_to_a_stationary_point(case, g):
    alpha, beta = case.alpha(g), case.beta(0.5)
    model = case.model(
        fuzzifier=g, alpha=alpha, beta=beta, init="random", n_init=1, tol=1e-8
    ).fit(case.X, pairs=PAIRS, sample_weight=WEIGHT)
    assert model.converged_
    assert_descent(model)
    U, truth = model.memberships_, case.truth()
    P = truth.prototypes(plain.weights(U, g, alpha, WEIGHT))
    distance = truth.distances(P)
    change, gain = plain.residual(distance, U, PAIRS, g, beta, WEIGHT)
    assert change < 1e-5 or g > 3.0
    assert gain < 1e-12 * distance.sum()
    value = plain.objective(distance, U, PAIRS, g, alpha, beta, WEIGHT)
    assert model.objective_ == pytest.approx(value, rel=1e-8)
    if hasattr(model, "cluster_centers_"):
        close(model.cluster_centers_, P, 1e-5)


def assert_descent(model):
    history = model.objective_history_
    assert np.isfinite(history).all()
    rise = np.diff(history)[np.diff(model.n_clusters_history_) == 0]
    assert rise.max(initial=0.0) <= 1e-9 * np.abs(history).max()
    U = model.memberships_
    assert U.min() >= 0
    assert np.abs(U.sum(axis=1) - 1).max() <= 1e-12


def many(case, n_samples=520):
    """What a case is given, for more samples than fit in one range of rows."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n_samples, 3)) + 3 * rng.integers(0, 2, (n_samples, 3))
    if case.metric == "jaccard":
        return (X > 2) * 1.0
    if case.metric == "precomputed":
        return pairwise_distances(X)
    return X @ X.T if case.metric == "precomputed_kernel" else X


@interrupted
@uncritical
@pytest.mark.filterwarnings("ignore::fuzzypairs.exceptions.ClustersVanishedWarning")
@pytest.mark.parametrize("name", [*CASES, "tiles"])
def test_threads_change_no_bit(monkeypatch, name):
    monkeypatch.setattr(vectors, "ROWS_A_RANGE", 64)
    monkeypatch.setattr(solver, "ROWS_A_RANGE", 64)
    case = CASES["rbf" if name == "tiles" else name]
    more = {"metric_params": {"memory": "50KB"}} if name == "tiles" else {}
    X = many(case)
    pairs = [(i, i + 1, (-1) ** i * 0.7) for i in range(0, 200, 3)]
    models = []
    for n_jobs in (1, 2, 3):
        model = case.model(fuzzifier=1.5, n_init=1, max_iter=4, n_jobs=n_jobs)
        models.append(model.set_params(**more).fit(X, pairs=pairs))
    for model in models[1:]:
        np.testing.assert_array_equal(model.memberships_, models[0].memberships_)
        np.testing.assert_array_equal(
            model.objective_history_, models[0].objective_history_
        )


# One space by different ways.


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["", "weighted"])
@pytest.mark.parametrize("pairs", [None, PAIRS], ids=["", "judged"])
@pytest.mark.parametrize("g", [1.5, 2.0])
def test_euclidean_space_by_other_names(g, pairs, weight):
    params = {"init": LABELS, "tol": 1e-9, "alpha": 0.02, "beta": 2.0, "fuzzifier": g}
    names = ["euclidean", "linear", "precomputed_kernel", "precomputed", "callable"]
    models = [
        CASES[name]
        .model(**params)
        .fit(CASES[name].X, pairs=pairs, sample_weight=weight)
        for name in names
    ]
    assert np.ptp(models[0].memberships_, axis=1).min() > 0.1
    same_end(models)
    for name, model in zip(names, models, strict=True):
        close(model.transform(CASES[name].rows()), models[0].transform(POINTS))
        score = model.score(CASES[name].rows(), pairs=pairs, sample_weight=weight)
        expected = models[0].score(POINTS, pairs=pairs, sample_weight=weight)
        assert score == pytest.approx(expected, abs=1e-6)


def test_defaults_agree_by_other_names():
    names = ["euclidean", "linear", "precomputed_kernel", "precomputed", "callable"]
    models = [
        CASES[name].model(init=LABELS, tol=1e-9).fit(CASES[name].X, pairs=PAIRS)
        for name in names
    ]
    same_end(models)
    for model in models:
        assert model.alpha_ == pytest.approx(models[0].alpha_, abs=1e-9)
        assert model.beta_ == pytest.approx(models[0].beta_)


@pytest.mark.parametrize("name", ["rbf", "laplacian", "polynomial", "jaccard"])
@pytest.mark.parametrize("g", [1.5, 2.0])
def test_a_kernel_is_its_matrix(name, g):
    case = CASES[name]
    K = case.oracle.K
    params = {"init": LABELS, "tol": 1e-9, "alpha": 0.01, "fuzzifier": g}
    kernel = case.model(**params).fit(case.X, pairs=PAIRS)
    params |= {"metric": "precomputed_kernel", "metric_params": None}
    given = case.model().set_params(**params).fit(K, pairs=PAIRS)
    same_end([kernel, given])
    rows = np.column_stack([K, K.diagonal()])
    close(kernel.predict_proba(case.X), given.predict_proba(rows))


@pytest.mark.parametrize(
    "name", ["rbf", "laplacian", "polynomial", "jaccard", "callable"]
)
def test_tiles_are_the_stored_matrix(name):
    case = CASES[name]
    X = many(case, 300)
    params = dict(case.params or {})
    space = resolve_metric(case.metric, {**params, "memory": "50KB"}).fit(X)
    assert space.gram is None
    assert space.tile_size < 100
    stored = resolve_metric(case.metric, params).fit(X)
    assert stored.gram is not None
    V = np.random.default_rng(0).normal(size=(300, 4))
    close(space.product(V), stored.product(V), 1e-10 * abs(stored.product(V)).max())
    options = {"init": np.arange(300) % 3, "tol": 1e-10, "alpha": 0.0, "fuzzifier": 1.3}
    tiles = case.model(**options).set_params(metric_params=params | {"memory": "50KB"})
    pairs = [(i, i + 7, (-1) ** i * 0.7) for i in range(20)]
    whole = case.model(**options).fit(X, pairs=pairs)
    same_end([whole, tiles.fit(X, pairs=pairs)], 1e-10)
    close(tiles.predict_proba(X), whole.predict_proba(X), 1e-10)


def test_nystroem_of_all_samples_is_the_kernel():
    params = {"init": LABELS, "tol": 1e-9, "alpha": 0.02}
    whole = CASES["rbf"].model(**params).fit(POINTS, pairs=PAIRS)
    features = CASES["nystroem"].model(**params)
    features.set_params(metric_params={"gamma": GAMMA, "n_components": 24})
    same_end([whole, features.fit(POINTS, pairs=PAIRS)])
    close(features.transform(POINTS), whole.transform(POINTS))


def test_fourier_features_come_near_the_kernel():
    truth = CASES["rbf"].space().distances_to_samples(np.arange(24))
    errors = []
    for n_components in (10, 10_000):
        params = {"approximation": "fourier", "n_components": n_components}
        space = resolve_metric("rbf", {"gamma": GAMMA, **params})
        space = space.fit(POINTS, random_state=check_seed(0))
        errors.append(abs(space.distances_to_samples(np.arange(24)) - truth).max())
    assert errors[1] < 0.1 < errors[0]


@pytest.mark.parametrize("given", [True, False], ids=["given", "estimated"])
def test_mahalanobis_is_euclidean_after_whitening(given):
    mean = np.average(POINTS, axis=0, weights=WEIGHT)
    S = np.cov(POINTS.T, aweights=WEIGHT, bias=True)
    L = np.linalg.cholesky(COVARIANCE if given else S)
    white = np.linalg.solve(L, (POINTS - mean).T).T
    params = {"init": LABELS, "tol": 1e-9, "n_clusters": 3}
    model = FDC(
        metric="mahalanobis",
        metric_params={"covariance": COVARIANCE} if given else None,
        **params,
    ).fit(POINTS, pairs=PAIRS, sample_weight=WEIGHT)
    whitened = FDC(metric="euclidean", **params).fit(
        white, pairs=PAIRS, sample_weight=WEIGHT
    )
    same_end([whitened, model])
    close(model.cluster_centers_, whitened.cluster_centers_ @ L.T + mean)
    close(model.transform(POINTS), whitened.transform(white))


def test_a_constant_feature_is_no_matter_to_mahalanobis():
    wide = np.column_stack([POINTS, np.full(24, 5.0)])
    options = {"init": LABELS, "tol": 1e-9, "metric": "mahalanobis"}
    model, plain_model = FDC(3, **options).fit(wide), FDC(3, **options).fit(POINTS)
    same_end([plain_model, model])
    close(model.cluster_centers_[:, 3], 5.0)


# Sparse samples.


@pytest.mark.parametrize("as_sparse", [sparse.csr_matrix, sparse.csr_array])
@pytest.mark.parametrize("metric", ["euclidean", "cosine", "linear", "rbf"])
@pytest.mark.parametrize("g", [1.5, 2.0])
def test_sparse_is_dense(metric, g, as_sparse):
    rng = np.random.default_rng(0)
    X = rng.random((60, 40)) * (rng.random((60, 40)) < 0.15)
    y = np.arange(60) % 3
    X[np.arange(60), y] += 2.0
    S, pairs, weight = as_sparse(X), [(0, 3, 0.8), (1, 2, -0.9)], rng.uniform(1, 2, 60)
    options = {"metric": metric, "init": y, "tol": 1e-9, "alpha": 0.02, "fuzzifier": g}
    dense = FDC(3, **options).fit(X, pairs=pairs, sample_weight=weight)
    model = FDC(3, **options).fit(S, pairs=pairs, sample_weight=weight)
    same_end([dense, model], 1e-8)
    close(model.predict_proba(S), dense.predict_proba(X), 1e-8)
    close(model.predict_proba(X), dense.predict_proba(S), 1e-8)
    close(model.transform(S), dense.transform(X), 1e-7)
    assert model.score(S, pairs=pairs) == pytest.approx(dense.score(X, pairs=pairs))
    assert model.beta_ == pytest.approx(dense.beta_)
    if metric != "rbf":
        close(model.cluster_centers_, dense.cluster_centers_)


@interrupted
@uncritical
@pytest.mark.parametrize("metric", ["euclidean", "cosine", "rbf"])
def test_wide_sparse_samples_are_never_filled(metric):
    # Dense, they would take 1.6 GB.
    X = sparse.random_array((1000, 200_000), density=2e-4, format="csr", rng=0)
    model = FDC(2, metric=metric, init=np.arange(1000) % 2, alpha=0.0, max_iter=2)
    tracemalloc.start()
    try:
        model.fit(X)
        model.predict_proba(X)
        model.transform(X)
        model.score(X)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 4e8
    assert_descent(model)


# Kernels that are none.


@uncritical
@pytest.mark.parametrize("g", [1.5, 2.0])
@pytest.mark.parametrize("metric", ["precomputed_kernel", "precomputed", "callable"])
def test_what_is_no_inner_product_is_warned_of(metric, g):
    rng = np.random.default_rng(0)
    A = rng.random((24, 24))
    X = (A + A.T) * (1 - np.eye(24))
    if metric == "callable":
        X, metric = POINTS, lambda A, B: np.tanh(A @ B.T - 1.0)
    options = {"alpha": 0.0, "tol": 1e-8, "max_iter": 3000, "init": LABELS}
    model = FDC(3, metric=metric, fuzzifier=g, **options)
    with pytest.warns(FuzzyPairsWarning, match="smallest eigenvalue is -") as caught:
        model.fit(X, pairs=PAIRS)
    assert {warning.filename for warning in caught} == {__file__}
    assert_descent(model)
    assert model.converged_


def test_true_kernels_and_distances_are_not_warned_of():
    for name in ("precomputed", "precomputed_kernel", "callable"):
        CASES[name].model().fit(CASES[name].X)  # warnings are errors


# What a fitted model answers.


@uncritical
@every_case
@pytest.mark.parametrize("g", [1.5, 2.0])
def test_training_samples_without_judgements_are_as_new(case, g):
    model = case.model(fuzzifier=g, alpha=case.alpha(g), beta=case.beta(3.0))
    model.fit(case.X, pairs=PAIRS)
    predicted = model.predict_proba(case.rows())
    close(predicted[FREE], model.memberships_[FREE], 1e-9)
    assert abs(predicted - model.memberships_).max() > 1e-3
    np.testing.assert_array_equal(model.predict(case.rows()), predicted.argmax(axis=1))


@every_case
def test_transform_gives_the_known_distances(case):
    model = case.model(alpha=0.0, init=LABELS, tol=1e-9).fit(case.X)
    truth = case.truth()
    P = truth.prototypes(plain.weights(model.memberships_, 2.0, 0.0, np.ones(24)))
    distance = truth.distances(P)
    power = {"cosine": 1.0, "manhattan": 1.0}.get(case.metric, 0.5)
    power = 1 / case.params["p"] if case.metric == "minkowski" else power
    factor = 0.5 if case.metric == "cosine" else 1.0
    close(model.transform(case.rows()), factor * distance**power)


@pytest.mark.parametrize(
    "name", ["rbf", "nystroem", "manhattan", "cosine", "precomputed", "mahalanobis"]
)
def test_saved_and_loaded(name, tmp_path):
    case = CASES[name]
    model = case.model(fuzzifier=1.5).fit(case.X, pairs=PAIRS)
    save(model, tmp_path / "model.skops")
    again = load(tmp_path / "model.skops")
    for method in ("predict_proba", "transform"):
        expected = getattr(model, method)(case.rows())
        np.testing.assert_array_equal(getattr(again, method)(case.rows()), expected)
    # A matrix cannot be asked whether it is another.
    assert again.metric == model.metric
    assert (again.metric_params or {}).keys() == (model.metric_params or {}).keys()


@every_case
def test_cloned(case):
    model = case.model(fuzzifier=1.5, alpha=0.0)
    model.fit(case.X)
    copy = clone(model)
    assert not hasattr(copy, "memberships_")
    assert copy.get_params().keys() == model.get_params().keys()
    assert copy.metric == model.metric
    copy.fit(case.X)
    np.testing.assert_array_equal(copy.memberships_, model.memberships_)


class Circle(Space):
    """Angles in degrees; prototypes are directions."""

    def between(self, X, P):
        return 2.0 - 2.0 * np.cos(np.radians(X - P.T))

    def prototypes(self, W, previous=None):
        angle = np.radians(self.X)
        sums = np.sin(angle).T @ W, np.cos(angle).T @ W
        return np.degrees(np.arctan2(*sums)).T


@pytest.mark.parametrize("g", [1.5, 2.0])
def test_a_space_of_ones_own(g):
    rng = np.random.default_rng(0)
    y = np.arange(30) % 2
    X = (np.where(y, 5.0, 170.0) + rng.normal(0, 20, 30)).reshape(-1, 1) % 360
    space = Circle()
    model = FDC(2, metric=space, fuzzifier=g, tol=1e-9, init=y).fit(X, pairs=PAIRS)
    assert not hasattr(space, "X")
    assert_descent(model)
    # The circle is the unit sphere of the plane.
    plane = np.column_stack([np.cos(np.radians(X)), np.sin(np.radians(X))])
    params = {"alpha": model.alpha_, "beta": model.beta_, "metric": "cosine"}
    cosine = clone(model).set_params(**params).fit(plane, pairs=PAIRS)
    same_end([cosine, model])
    close(model.predict_proba(X + 720.0), model.predict_proba(X), 1e-9)
    copy = clone(model).fit(X, pairs=PAIRS)
    np.testing.assert_array_equal(copy.memberships_, model.memberships_)


# Scale, limits, and numbers known from elsewhere.


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "mahalanobis", "rbf"])
def test_scale_is_of_no_account(metric):
    params = {"metric": metric, "fuzzifier": 1.5, "init": LABELS, "tol": 1e-9}
    one = FDC(3, **params).fit(POINTS, pairs=PAIRS)
    other = FDC(3, **params).fit(1000 * POINTS, pairs=PAIRS)
    close(other.memberships_, one.memberships_, 1e-8)
    assert other.alpha_ == pytest.approx(one.alpha_)
    if hasattr(one, "cluster_centers_"):
        close(other.cluster_centers_ / 1000, one.cluster_centers_, 1e-7)
    close(other.predict_proba(1000 * POINTS), one.predict_proba(POINTS), 1e-8)


def test_length_is_of_no_account_to_cosine():
    lengths = np.random.default_rng(0).uniform(0.1, 10, (24, 1))
    params = {"metric": "cosine", "fuzzifier": 1.5, "init": LABELS, "tol": 1e-9}
    one = FDC(3, **params).fit(POINTS, pairs=PAIRS)
    other = FDC(3, **params).fit(lengths * POINTS, pairs=PAIRS)
    close(other.memberships_, one.memberships_, 1e-8)


def test_a_row_of_zeros_has_no_direction():
    X = np.concatenate([POINTS, np.zeros((1, 3))])
    model = FDC(3, metric="cosine", fuzzifier=1.5, random_state=0).fit(X)
    close(model.memberships_[24], 1 / 3, 1e-12)
    close(model.predict_proba(X)[24], 1 / 3, 1e-12)


def test_a_fuzzifier_near_one_is_k_means():
    rng = np.random.default_rng(0)
    y = np.arange(90) % 3
    X = rng.normal(size=(90, 2)) + 8 * np.array([[0, 0], [1, 0], [0, 1]])[y]
    model = FDC(3, fuzzifier=1.05, alpha=0.0, random_state=0).fit(X)
    labels = KMeans(3, n_init=3, random_state=0).fit_predict(X)
    assert adjusted_rand_score(labels, model.labels_) == 1.0
    assert model.memberships_.max(axis=1).min() > 0.999


def test_memberships_are_the_fuzzier_the_larger_the_fuzzifier():
    models = [FDC(3, fuzzifier=g, alpha=0.0, init=LABELS) for g in FUZZIFIERS]
    clear = [model.fit(POINTS).memberships_.max(axis=1).mean() for model in models]
    assert (np.diff(clear) < 0).all()
    assert clear[0] > 0.95
    assert clear[-1] < 0.5


# By the formulas of fuzzy c-means, worked out apart.
@pytest.mark.parametrize(
    ("g", "center", "u", "value"),
    [
        (1.5, 0.499999, (0.999992, 0.999988), 0.999995),
        (2.0, 0.499740, (0.997241, 0.996548), 0.996894),
        (3.0, 0.496629, (0.950337, 0.944112), 0.897205),
    ],
)
@pytest.mark.parametrize("metric", ["euclidean", "minkowski", inner_products])
def test_four_points_on_a_line(g, center, u, value, metric):
    X = np.array([[0.0], [1.0], [9.0], [10.0]])
    start = [[0.9, 0.1], [0.8, 0.2], [0.2, 0.8], [0.1, 0.9]]
    params = {"fuzzifier": g, "alpha": 0.0, "beta": 0.0, "tol": 1e-9, "init": start}
    model = FDC(2, metric=metric, **params).fit(X)
    close(model.memberships_[:2, 0], u)
    close(model.memberships_[:1:-1, 1], u)
    assert model.objective_ == pytest.approx(value, abs=1e-6)
    if metric is not inner_products:
        close(model.cluster_centers_.ravel(), [center, 10 - center])


@pytest.mark.parametrize(
    ("g", "value", "score"),
    [(1.5, 74.3822, 0.7163), (2.0, 60.5057, 0.7294), (2.5, 43.5416, 0.7430)],
)
def test_iris(g, value, score):
    X, y = load_iris(return_X_y=True)
    params = {"fuzzifier": g, "alpha": 0.0, "beta": 0.0, "tol": 1e-6, "n_init": 5}
    model = FDC(3, random_state=0, **params).fit(X)
    assert model.objective_ == pytest.approx(value, abs=1e-4)
    assert adjusted_rand_score(y, model.labels_) == pytest.approx(score, abs=1e-4)


def test_rings_need_a_kernel():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 100)
    angle = rng.uniform(0, 2 * np.pi, 200)
    X = np.where(y, 3.0, 1.0)[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    X += 0.1 * rng.normal(size=X.shape)
    pairs = simulate_pairs(X, y, random_state=0, ratio=0.1)
    assert len(pairs) == 20
    scores = {
        metric: adjusted_rand_score(
            y, FDC(2, metric=metric, random_state=0).fit(X, pairs=pairs).labels_
        )
        for metric in ("linear", "rbf")
    }
    assert scores["rbf"] == 1.0
    assert scores["linear"] < 0.2


# What cannot be: each message names the argument and what was seen.

SQUARE = np.abs(np.subtract.outer(np.arange(6.0), np.arange(6.0)))
ASYMMETRIC = SQUARE + np.triu(np.ones((6, 6)), 1)
NEGATIVE = -SQUARE
TABLE = np.arange(12.0).reshape(6, 2)


@pytest.mark.parametrize(
    ("metric", "params", "X", "words"),
    [
        ("city", None, TABLE, "metric must be one of .*got 'city'"),
        ("rbf", {"gama": 1.0}, TABLE, "metric_params has 'gama'.*\"rbf\".*'gamma'"),
        ("euclidean", {"gamma": 1.0}, TABLE, "'gamma'.*\"euclidean\".*none"),
        (Circle(), {"p": 1}, TABLE, "'p'.*a Circle"),
        (inner_products, {"gamma": 1.0}, TABLE, "'gamma'.*a callable"),
        ("rbf", {"gamma": -1.0}, TABLE, r'metric_params\["gamma"\].*got -1'),
        ("rbf", {"gamma": 0}, TABLE, r'metric_params\["gamma"\] must be above 0'),
        ("rbf", {"gamma": "auto"}, TABLE, r'\["gamma"\].*"scale", "median".*auto'),
        ("rbf", {"gamma": np.nan}, TABLE, r'\["gamma"\].*got nan'),
        ("minkowski", {"p": 0.5}, TABLE, r'metric_params\["p"\].*1 or more.*0.5'),
        ("polynomial", {"degree": 0}, TABLE, r'metric_params\["degree"\].*got 0'),
        ("polynomial", {"coef0": -1}, TABLE, r'metric_params\["coef0"\].*got -1'),
        ("rbf", {"memory": "lots"}, TABLE, r'metric_params\["memory"\].*lots'),
        ("rbf", {"n_components": 0}, TABLE, r'\["n_components"\].*got 0'),
        ("rbf", {"approximation": "svd"}, TABLE, r'\["approximation"\].*svd'),
        ("laplacian", {"approximation": "fourier"}, TABLE, "laplacian.*nystroem"),
        (inner_products, {"approximation": "fourier"}, TABLE, "a callable.*nystroem"),
        ("precomputed", None, TABLE, r"X has shape \(6, 2\).*square"),
        ("precomputed_kernel", None, TABLE, r"X has shape \(6, 2\).*square"),
        ("precomputed", None, ASYMMETRIC, r"X\[0, 1\] is 2 but X\[1, 0\] is 1"),
        ("precomputed_kernel", None, ASYMMETRIC, r"X\[0, 1\] is 2 but X\[1, 0\] is 1"),
        ("precomputed", None, NEGATIVE, "X has the entry -5.*distances"),
        ("precomputed", None, SQUARE + np.eye(6), r"X\[0, 0\] is 1.*diagonal"),
        ("jaccard", None, -TABLE, "X has the entry -11.*jaccard"),
        ("mahalanobis", {"covariance": np.eye(3)}, TABLE, r"\(3, 3\).*\(2, 2\)"),
        ("mahalanobis", {"covariance": [[1, 2], [0, 1]]}, TABLE, "symmetric"),
        ("mahalanobis", {"covariance": [[1, 2], [2, 1]]}, TABLE, "eigenvalue -1"),
        (lambda A, B: A, None, TABLE, r"callable.*\(1, 2\).*\(1, 1\)"),
        (lambda A, B: np.nan * (A @ B.T), None, TABLE, "finite numbers"),
    ],
)
def test_what_cannot_be(metric, params, X, words):
    model = FDC(2, metric=metric, metric_params=params)
    with pytest.raises(ValueError, match=words):
        model.fit(X)


@pytest.mark.parametrize(
    "metric", ["manhattan", "minkowski", "mahalanobis", "laplacian", "precomputed"]
)
def test_sparse_where_it_is_not_known(metric):
    params = {"p": 3} if metric == "minkowski" else None
    model = FDC(2, metric=metric, metric_params=params)
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        model.fit(sparse.csr_array(TABLE))


@pytest.mark.parametrize("params", [[("gamma", 1.0)], "gamma"])
def test_parameters_that_are_no_dict(params):
    with pytest.raises(TypeError, match="metric_params must be a dict"):
        FDC(2, metric="rbf", metric_params=params).fit(TABLE)


@pytest.mark.parametrize(
    "X", [SQUARE, sparse.csr_array(TABLE)], ids=["square", "sparse"]
)
def test_the_pair_graph_needs_a_table(X):
    metric = "rbf" if sparse.issparse(X) else "precomputed"
    with pytest.raises(ValueError, match=r'init="pair-graph".*"k-means\+\+"'):
        FDC(2, metric=metric, init="pair-graph").fit(X, pairs=[(0, 1, 1.0)])


def test_the_pair_graph_in_other_spaces():
    pairs = PairSet.from_triples(PAIRS, 24)
    model = FDC(3, metric="rbf", init="pair-graph").fit(POINTS, pairs=pairs)
    assert_descent(model)


@pytest.mark.parametrize("name", ["precomputed", "precomputed_kernel"])
def test_new_samples_with_the_wrong_columns(name):
    model = CASES[name].model().fit(CASES[name].X)
    with pytest.raises(ValueError, match=r"X has 23 columns, expected 2[45]"):
        model.predict(CASES[name].X[:, :23])
    with pytest.raises(ValueError, match=r"X has 26 columns, expected 2[45]"):
        model.predict(np.ones((2, 26)))


@pytest.mark.parametrize("fuzzifier", [1.0, 0.5, 11.0, np.nan, "2"])
def test_fuzzifiers_that_cannot_be(fuzzifier):
    with pytest.raises((TypeError, ValueError), match="fuzzifier must be"):
        FDC(2, fuzzifier=fuzzifier).fit(TABLE)


def test_exact_groups_need_a_quadratic_problem():
    with pytest.raises(ValueError, match=r"exact.*need fuzzifier=2, got 1\.5"):
        FDC(2, fuzzifier=1.5, group_solver="exact").fit(TABLE)


def test_distances_beyond_the_range_are_refused():
    X = np.array([[0.0], [1.0], [1e200]])
    model = FDC(
        2, metric="minkowski", metric_params={"p": 3}, alpha=0.0, init=[0, 1, 0]
    )
    with pytest.raises(ValueError, match=r"X\[0\] has a distance that float64 cannot"):
        model.fit(X)
