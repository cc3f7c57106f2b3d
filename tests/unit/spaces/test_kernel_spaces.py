"""Kernels and given matrices: stored, by tiles, and where they are no inner product."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from fuzzypairs import FDC
from fuzzypairs.datasets import simulate_pairs
from fuzzypairs.exceptions import FuzzyPairsWarning
from fuzzypairs.spaces.metrics import resolve_metric
from metric_cases import (
    CASES,
    LABELS,
    PAIRS,
    POINTS,
    assert_descent,
    close,
    many,
    same_end,
    uncritical,
)


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


# Matrices that are no inner products.


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


@pytest.mark.parametrize("name", ["precomputed", "precomputed_kernel"])
def test_new_samples_with_the_wrong_columns(name):
    model = CASES[name].model().fit(CASES[name].X)
    with pytest.raises(ValueError, match=r"X has 23 columns, expected 2[45]"):
        model.predict(CASES[name].X[:, :23])
    with pytest.raises(ValueError, match=r"X has 26 columns, expected 2[45]"):
        model.predict(np.ones((2, 26)))


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
