"""Kernels and given matrices: stored, by tiles, and where they are no inner product."""

import numpy as np
import pytest
from scipy.sparse.linalg import ArpackNoConvergence
from sklearn.metrics import adjusted_rand_score

from fuzzypairs import FDC
from fuzzypairs.datasets import simulate_pairs
from fuzzypairs.exceptions import FuzzyPairsWarning
from fuzzypairs.spaces import kernel_spaces
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
    rows = np.array([7, 299])
    close(space.columns(rows), stored.columns(rows), 1e-10 * abs(stored.gram).max())
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


@pytest.mark.parametrize("centre", [True, False])
def test_the_smallest_eigenvalue_of_a_large_matrix(monkeypatch, centre):
    rng = np.random.default_rng(0)
    A = rng.random((60, 60))
    X = (A + A.T) * (1 - np.eye(60))
    metric = "precomputed" if centre else "precomputed_kernel"
    whole = resolve_metric(metric, None).fit(X)
    monkeypatch.setattr(kernel_spaces, "MOST_EIGENVALUES", 20)
    some = resolve_metric(metric, None).fit(X)
    assert some.shift == pytest.approx(whole.shift, rel=0.02)
    assert len(some.notes) == len(whole.notes) == 1


def test_an_eigenvalue_that_does_not_converge(monkeypatch):
    def fail(*args, **options):
        raise ArpackNoConvergence("", np.array([-5.0]), np.empty((60, 0)))

    monkeypatch.setattr(kernel_spaces, "MOST_EIGENVALUES", 20)
    monkeypatch.setattr(kernel_spaces, "eigsh", fail)
    space = resolve_metric("precomputed_kernel", None).fit(1 - np.eye(60))
    assert space.shift == pytest.approx(5.05)


def test_notes_are_not_kept_in_models():
    space = resolve_metric("precomputed_kernel", None).fit(1 - np.eye(4))
    kept, _ = space.trimmed(np.eye(4)[:2])
    assert "smallest eigenvalue is -1" in space.notes[0]
    assert not kept.notes
    assert {"X", "diagonal", "notes"}.isdisjoint(vars(kept))


def test_kernels_of_one_value_need_no_column_of_their_own():
    K = np.array([[1.0, 0.5], [0.5, 1.0]])
    space = resolve_metric("precomputed_kernel", None).fit(K)
    close(space.distances(np.array([[1.0, 0.0]])), [[0.0], [1.0]])
    kept, P = space.trimmed(np.eye(2))
    row = np.array([[0.2, 0.9]])
    close(kept.between(row, P), [[1.6, 0.2]])
    close(kept.between(np.column_stack([row, [1.0]]), P), [[1.6, 0.2]])


def test_distances_by_hand():
    space = resolve_metric("precomputed", None).fit(np.array([[0.0, 2.0], [2.0, 0.0]]))
    close(space.distances(np.array([[0.5, 0.5]])), [[1.0], [1.0]])


def test_a_stored_matrix_is_computed_by_tiles(monkeypatch):
    X = many(CASES["rbf"], 100)
    whole = resolve_metric("rbf", None).fit(X).gram
    monkeypatch.setattr(kernel_spaces, "LARGEST_TILE", 32)
    close(resolve_metric("rbf", None).fit(X).gram, whole, 1e-12)
