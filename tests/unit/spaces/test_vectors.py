"""Spaces whose prototypes are points: by hand, by other names, dense and sparse."""

import tracemalloc

import numpy as np
import pytest
from scipy import sparse

from fuzzypairs import FDC
from fuzzypairs.spaces.vectors import Cosine, Euclidean, Manhattan, Minkowski
from fuzzypairs.threads import Threads
from metric_cases import (
    CASES,
    LABELS,
    PAIRS,
    POINTS,
    WEIGHT,
    assert_descent,
    close,
    interrupted,
    same_end,
    uncritical,
)


def test_by_hand():
    line = np.array([[0.0], [1.0], [5.0]])
    W = np.array([[1.0], [1.0], [0.0]])
    space = Euclidean().fit(line)
    close(space.distances(space.prototypes(W)), [[0.25], [0.25], [20.25]])
    close(Manhattan().fit(10 * line).prototypes(np.ones((3, 1))), [[10.0]])
    space = Minkowski(p=4).fit(np.array([[0.0], [1.0], [4.0]]))
    # 4 (c^3 + (c - 1)^3 + (c - 4)^3) = 0.
    c = space.prototypes(np.ones((3, 1)))[0, 0]
    assert c**3 + (c - 1) ** 3 == pytest.approx((4 - c) ** 3)
    space = Cosine().fit(np.array([[2.0, 0.0], [0.0, 7.0]]))
    close(space.distances(np.array([[1.0, 0.0]])), [[0.0], [2.0]])


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


# Directions.


def test_length_does_not_matter_to_cosine():
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


@pytest.mark.parametrize("as_given", [np.asarray, sparse.csr_array])
def test_weights_that_cancel_keep_the_previous_direction(as_given):
    X = np.array([[2.0, 0.0], [3.0, 0.0], [0.0, 1.0]])
    space = Cosine().fit(as_given(X))
    W = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]])
    close(space.prototypes(W), [[1, 0], [0, 1]])
    previous = np.array([[0.6, 0.8], [1.0, 0.0]])
    close(space.prototypes(W, previous), [[0.6, 0.8], [0, 1]])


@pytest.mark.parametrize("n_features", [4, 1400])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_differences_and_products_give_the_same_distances(n_features, dtype):
    X = np.random.default_rng(0).normal(size=(50, n_features)).astype(dtype)
    P = X[:2].astype(np.float64)
    expected = ((X[:, None].astype(np.float64) - P) ** 2).sum(axis=2)
    close(Euclidean().fit(X).distances(P), expected, 1e-9 * n_features)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_features", [1, 3, 4, 17])
def test_differences_have_all_digits(n_features, dtype):
    X = (1e6 + np.random.default_rng(0).normal(size=(5000, n_features))).astype(dtype)
    P = X[:3].astype(np.float64) + 1e-3
    P[0] = X[0]
    expected = ((X[:, None].astype(np.float64) - P) ** 2).sum(axis=2)
    found = Euclidean().fit(X).between(np.asfortranarray(X), P)
    assert found[0, 0] == 0.0
    np.testing.assert_allclose(found, expected, rtol=1e-13)


@pytest.mark.parametrize("space", [Euclidean(), Manhattan(), Minkowski(1.7)])
def test_threads_change_no_bit(space):
    rng = np.random.default_rng(0)
    X, W = rng.normal(size=(9000, 3)), rng.random((9000, 40)) - 0.1
    fits = [space.fit(X, threads=Threads(n_jobs)) for n_jobs in (1, 2, 3)]
    results = []
    for fit in fits:
        C = fit.prototypes(W)
        results.append((C, fit.distances(C)))
    for C, distances in results[1:]:
        np.testing.assert_array_equal(C, results[0][0])
        np.testing.assert_array_equal(distances, results[0][1])
