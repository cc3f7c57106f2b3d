"""The likelihood of judgements: its value, its gradient, its minimum."""

import numpy as np
import pytest
from scipy.optimize import check_grad

import naive_spaces as naive
from fuzzypairs import PairSet
from fuzzypairs.spaces.likelihood import Objective, softmax


def small_problem(seed=0, n_clusters=3):
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(9, 2))
    triples = [(0, 1, 1.0), (1, 2, -0.4), (3, 7, 0.3), (2, 8, -1.0), (0, 8, 0.6)]
    return features, PairSet.from_triples(triples, 9), rng.integers(n_clusters, size=9)


def objective(features, pairs, labels, weight=None, rows=None, **more):
    options = {"prior": 2.0, "ridge": 0.3, "doubt": 0.05} | more
    rows = np.arange(len(features)) if rows is None else rows
    target = np.eye(labels.max() + 1)[labels[rows]]
    return Objective(features, pairs, target, **options, rows=rows, weight=weight)


def test_softmax_by_hand():
    Z = np.log([[1.0, 3.0], [2.0, 2.0]])
    np.testing.assert_allclose(softmax(Z), [[0.25, 0.75], [0.5, 0.5]])


def test_softmax_of_any_size():
    Z = np.array([[1e308, -1e308], [-700.0, -701.0], [0.0, 1e-300]])
    with np.errstate(over="ignore"):  # the difference of the first row
        V = softmax(Z)
    assert V[0].tolist() == [1.0, 0.0]
    np.testing.assert_allclose(V.sum(axis=1), 1.0, atol=1e-15)
    np.testing.assert_allclose(V[1], naive.softmax(Z[1]))


def test_softmax_leaves_its_argument():
    Z = np.array([[1.0, 2.0]])
    softmax(Z)
    assert Z.tolist() == [[1.0, 2.0]]


def test_value_where_all_is_even():
    """With W = 0 two samples of two clusters overlap by a half."""
    pairs = PairSet.from_triples([(0, 1, 1.0), (1, 2, -0.5)])
    value, _ = objective(np.ones((3, 1)), pairs, np.array([0, 1, 1]), prior=4.0)(
        np.zeros(4)
    )
    assert value == pytest.approx((1.0 + 0.5 + 4.0) * np.log(2))


@pytest.mark.parametrize("doubt", [0.0, 0.05, 0.4])
@pytest.mark.parametrize("weighted", [False, True])
def test_value_against_loops(doubt, weighted):
    features, pairs, labels = small_problem()
    rng = np.random.default_rng(1)
    weight = rng.uniform(size=9) if weighted else None
    function = objective(features, pairs, labels, weight, doubt=doubt)
    W = rng.normal(size=function.shape)
    value, _ = function(W.ravel())
    expected = naive.negative_log_likelihood(
        W,
        features,
        list(pairs),
        labels,
        2.0,
        0.3,
        doubt,
        np.ones(9) if weight is None else weight,
    )
    # Logarithms are taken 1e-9 away from zero.
    assert value == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize("doubt", [0.0, 0.05, 0.4])
@pytest.mark.parametrize("n_clusters", [1, 2, 4])
def test_gradient_against_differences(doubt, n_clusters):
    features, pairs, labels = small_problem(2, n_clusters)
    labels[:n_clusters] = np.arange(n_clusters)
    function = objective(features, pairs, labels, doubt=doubt)
    rng = np.random.default_rng(3)
    for _ in range(5):
        # Small: the logarithm of a membership near 0 is not followed to the end.
        W = rng.normal(scale=0.5, size=function.shape).ravel()
        error = check_grad(lambda w: function(w)[0], lambda w: function(w)[1], W)
        assert error < 1e-5


def test_rows_stand_for_all():
    """Only `rows` are held to their labels; judgements reach all samples."""
    features, pairs, labels = small_problem()
    rows = np.flatnonzero(labels == labels.max())[:1]
    others = np.delete(np.arange(9), rows)
    moved = labels.copy()
    moved[others] = 0
    function = objective(features, pairs, labels, rows=rows)
    W = np.random.default_rng(0).normal(size=function.shape).ravel()
    assert function(W)[0] == objective(features, pairs, moved, rows=rows)(W)[0]
    assert function(W)[0] != objective(features, pairs, labels)(W)[0]


def test_the_minimum_is_below_the_start():
    features, pairs, labels = small_problem()
    function = objective(features, pairs, labels)
    W = function.minimise()
    value, gradient = function(W.ravel())
    assert value < function(function.start().ravel())[0]
    assert np.abs(gradient).max() < 0.05
    for one in np.random.default_rng(0).normal(scale=0.3, size=(20, W.size)):
        assert function(W.ravel() + one)[0] > value


def test_the_start_follows_the_labels():
    features = np.array([[-1.0], [-0.8], [0.9], [1.1]])
    labels = np.array([1, 1, 0, 0])
    function = objective(features, PairSet.from_triples([(0, 1, 1.0)], 4), labels)
    W = function.start()
    assert (features @ W[:1] + W[1]).argmax(axis=1).tolist() == labels.tolist()
    # The clusters of judged samples outweigh one target for each cluster.
    W = function.start(np.array([0, 0, -1, -1]))
    assert (features @ W[:1] + W[1])[:2].argmax(axis=1).tolist() == [0, 0]
    np.testing.assert_array_equal(function.start(np.full(4, -1)), function.start())
