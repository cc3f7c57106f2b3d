"""What every space does, whatever its metric."""

import numpy as np
import pytest
from sklearn.base import clone

import naive_spaces as plain
from fuzzypairs import FDC, load, save
from fuzzypairs.spaces.metrics import METRICS
from metric_cases import (
    CASES,
    FREE,
    LABELS,
    PAIRS,
    POINTS,
    START,
    WEIGHT,
    Circle,
    assert_descent,
    close,
    every_case,
    inner_products,
    same_end,
    uncritical,
)


def test_every_metric_has_a_case():
    names = {case.metric for case in CASES.values()} - {inner_products}
    assert names == set(METRICS)


# Against plain loops: distances, and prototypes for weights of any sign.


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


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "mahalanobis", "rbf"])
def test_scale_does_not_matter(metric):
    params = {"metric": metric, "fuzzifier": 1.5, "init": LABELS, "tol": 1e-9}
    one = FDC(3, **params).fit(POINTS, pairs=PAIRS)
    other = FDC(3, **params).fit(1000 * POINTS, pairs=PAIRS)
    close(other.memberships_, one.memberships_, 1e-8)
    assert other.alpha_ == pytest.approx(one.alpha_)
    if hasattr(one, "cluster_centers_"):
        close(other.cluster_centers_ / 1000, one.cluster_centers_, 1e-7)
    close(other.predict_proba(1000 * POINTS), one.predict_proba(POINTS), 1e-8)
