"""The random field of judged samples against sums over all labellings."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fuzzypairs.cluster.random_field import coupling, marginals, same
from fuzzypairs.cluster.views import softmax


def exact(unary, i, j, J):
    """Return the marginals of a small field by counting."""
    n, k = unary.shape
    total = np.zeros((n, k))
    for labels in product(range(k), repeat=n):
        value = sum(unary[p, h] for p, h in enumerate(labels))
        value += sum(
            s for p, q, s in zip(i, j, J, strict=True) if labels[p] == labels[q]
        )
        for p, h in enumerate(labels):
            total[p, h] += np.exp(value)
    return total / total.sum(axis=1, keepdims=True)


def found(unary, i, j, J):
    return marginals(unary[None], np.asarray(i), np.asarray(j), np.asarray(J)[None])[0]


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 4))
def test_trees_are_exact(seed, k):
    rng = np.random.default_rng(seed)
    unary = rng.normal(size=(5, k))
    i, j = np.array([0, 1, 1, 3]), np.array([1, 2, 3, 4])
    J = 3.0 * rng.normal(size=4)
    np.testing.assert_allclose(found(unary, i, j, J), exact(unary, i, j, J), atol=5e-3)


def test_loops_are_near():
    rng = np.random.default_rng(0)
    unary = rng.normal(size=(6, 3))
    i, j = np.array([0, 1, 2, 3, 4, 5, 0]), np.array([1, 2, 3, 4, 5, 0, 3])
    J = rng.normal(size=7)
    np.testing.assert_allclose(found(unary, i, j, J), exact(unary, i, j, J), atol=0.05)


def test_several_fields_at_a_time_are_each_their_own():
    rng = np.random.default_rng(1)
    unary, J = rng.normal(size=(3, 4, 2)), rng.normal(size=(3, 3))
    J[1] = 0.0
    i, j = np.array([0, 1, 2]), np.array([1, 2, 3])
    q = marginals(unary, i, j, J)
    for one, u, c in zip(q, unary, J, strict=True):
        np.testing.assert_allclose(one, found(u, i, j, c), atol=3e-3)
    np.testing.assert_allclose(q[1], softmax(unary[1]))


def test_consistent_judgements_decide_where_features_say_little():
    """Two classes, features that are nearly silent, four right judgements a row."""
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=60)
    i, j = rng.integers(60, size=(2, 240))
    i, j = i[i != j], j[i != j]
    J = coupling(np.where(y[i] == y[j], 1.0, -1.0), 0.05, by_strength=False)
    unary = 0.1 * np.eye(2)[y] + 0.2 * rng.normal(size=(60, 2))
    labels = found(unary, i, j, J).argmax(axis=1)
    assert max((labels == y).mean(), (labels != y).mean()) > 0.97


def test_couplings_by_hand():
    grade = np.array([0.5, -1.0])
    np.testing.assert_allclose(coupling(grade, 0.25, False), np.log([3.0, 1 / 3]))
    np.testing.assert_allclose(coupling(grade, 0.25, True), np.log([3.0**0.5, 1 / 3]))
    rates = np.array([0.1, 0.25])
    np.testing.assert_allclose(coupling(grade, rates, False), np.log([9.0, 1 / 3]))


def test_huge_couplings_are_finite():
    unary = np.zeros((1, 3, 2))
    unary[0, 0, 0] = 400.0
    q = marginals(unary, np.array([0, 1]), np.array([1, 2]), np.array([[50.0, -50.0]]))
    assert np.isfinite(q).all()
    np.testing.assert_allclose(q[0].argmax(axis=1), [0, 0, 1])


def test_no_judgements_leave_features():
    unary = np.log(np.array([[[0.7, 0.3]]]))
    none = np.empty(0, dtype=int)
    np.testing.assert_allclose(
        marginals(unary, none, none, np.empty((1, 0))), [[[0.7, 0.3]]]
    )


def test_same_by_hand():
    q = np.array([[0.8, 0.2], [0.5, 0.5], [0.0, 1.0]])
    found = same(q, np.array([0, 0]), np.array([1, 2]))
    assert found == pytest.approx([0.5, 0.2])
