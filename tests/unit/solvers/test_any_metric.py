"""FDC in any space and for any fuzzifier: steps and ends against plain loops."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.metrics import adjusted_rand_score

import naive_spaces as plain
from fuzzypairs import FDC
from fuzzypairs.spaces import vectors
from metric_cases import (
    CASES,
    LABELS,
    PAIRS,
    POINTS,
    START,
    TABLE,
    WEIGHT,
    assert_descent,
    close,
    every_case,
    inner_products,
    interrupted,
    many,
    uncritical,
)

FUZZIFIERS = [1.2, 1.5, 2.0, 3.0, 10.0]


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


@interrupted
@uncritical
@pytest.mark.filterwarnings("ignore::fuzzypairs.exceptions.ClustersVanishedWarning")
@pytest.mark.parametrize("name", [*CASES, "tiles"])
def test_threads_change_no_bit(monkeypatch, name):
    monkeypatch.setattr(vectors, "ROWS_A_RANGE", 64)
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


# Limits, and numbers known from elsewhere.


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
    with pytest.raises(ValueError, match="the fit of X left the range of float64"):
        model.fit(X)
