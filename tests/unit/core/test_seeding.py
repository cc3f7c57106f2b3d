"""What a run needs before its first pass: moments, sums of labels, seeds."""

import numpy as np
import pytest

from fuzzypairs import _core

THREADS = [1, 2, 3, 8]
MANY = 10_000  # rows of more than two parts


def data(n_samples=MANY, n_features=3, dtype=np.float64):
    rng = np.random.default_rng(0)
    X = (5.0 + rng.normal(size=(n_samples, n_features))).astype(dtype)
    return X, rng.uniform(0.0, 2.0, n_samples)


def test_moments_of_three_points_by_hand():
    X = np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 6.0]])
    mean, variance = _core.mean_and_variance(X, None)
    np.testing.assert_allclose(mean, [1.0, 2.0])
    assert variance == pytest.approx((5 + 8 + 17) / 3)
    mean, variance = _core.mean_and_variance(X, np.array([1.0, 1.0, 0.0]))
    np.testing.assert_allclose(mean, [1.5, 0.0])
    assert variance == pytest.approx(2.25)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_moments_are_those_of_numpy(dtype):
    X, weight = data(dtype=dtype)
    mean, variance = _core.mean_and_variance(X, weight)
    x = X.astype(np.float64)
    expected = np.average(x, axis=0, weights=weight)
    np.testing.assert_allclose(mean, expected, rtol=1e-12)
    squares = ((x - expected) ** 2).sum(axis=1)
    assert variance == pytest.approx(np.average(squares, weights=weight))


def test_variance_keeps_its_digits_far_from_zero():
    X, _ = data()
    assert _core.mean_and_variance(X + 1e8, None)[1] == pytest.approx(
        _core.mean_and_variance(X, None)[1], rel=1e-6
    )


def test_directions_leave_out_rows_at_the_mean():
    X = np.array([[1.0, 1.0], [3.0, 1.0], [1.0, -4.0], [2.0, 2.0]])
    found = _core.directions(X, np.array([9.0, 1.0, 1.0, 2.0]), np.ones(2))
    np.testing.assert_allclose(found, [[1.0 + 1.0, 1.0], [1.0, 1.0 + 1.0]])


def test_label_sums_are_those_of_plain_loops():
    X, weight = data()
    labels = np.random.default_rng(1).integers(4, size=MANY)
    mean = X.mean(axis=0)
    found = _core.label_sums(X, labels, 5, weight, mean)
    for j in range(5):
        inside = labels == j
        np.testing.assert_allclose(
            found[j, :-1], weight[inside] @ (X[inside] - mean), rtol=1e-10, atol=1e-10
        )
        assert found[j, -1] == pytest.approx(weight[inside].sum())


def test_seeds_by_hand():
    X = np.array([[0.0], [1.0], [10.0]])
    # The first is drawn by weight alone: 0.5 is in the second third. Chances are 1,
    # 0 and 81 then: 0.001 draws row 0, 0.5 draws row 2, which leaves less.
    draws = np.array([[0.5, 0.9], [0.001, 0.5]])
    assert _core.kmeans_plusplus(X, None, draws).tolist() == [1, 2]
    lone = np.array([[0.5], [0.001]])
    assert _core.kmeans_plusplus(X, None, lone).tolist() == [1, 0]


def test_seeds_have_weight_and_repeat_only_if_they_must():
    X = np.array([[0.0], [0.0], [5.0], [7.0]])
    draws = np.random.default_rng(0).uniform(size=(3, 3))
    rows = _core.kmeans_plusplus(X, np.array([1.0, 1.0, 1.0, 0.0]), draws)
    assert sorted(X[rows[:2], 0].tolist()) == [0.0, 5.0]
    assert 3 not in rows


def test_threads_change_no_bit():
    X, weight = data()
    labels = np.random.default_rng(1).integers(4, size=MANY)
    draws, mean = np.random.default_rng(2).uniform(size=(8, 4)), X.mean(axis=0)

    def results(n):
        return (
            *_core.mean_and_variance(X, weight, n),
            _core.directions(X, weight, mean, n),
            _core.label_sums(X, labels, 4, weight, mean, n),
            _core.kmeans_plusplus(X, weight, draws, n),
        )

    first = results(1)
    for n in THREADS[1:]:
        for one, other in zip(first, results(n), strict=True):
            assert np.array_equal(one, other)


def test_the_largest_column_is_the_first_of_several():
    U = np.array([[0.2, 0.4, 0.4], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    assert _core.largest_columns(U).tolist() == [1, 0, 2]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda X: _core.mean_and_variance(X[:0], None), "X has no rows"),
        (lambda X: _core.directions(X, None, np.zeros(2)), "mean has length 2"),
        (
            lambda X: _core.label_sums(X, np.array([0, 3, 1]), 3, None, np.zeros(1)),
            "labels has 3",
        ),
        (lambda X: _core.kmeans_plusplus(X, np.ones(2), np.ones((1, 1))), "weight has"),
        (lambda X: _core.kmeans_plusplus(X, None, np.ones((0, 1))), "draws has shape"),
    ],
)
def test_wrong_arrays_raise(call, message):
    with pytest.raises(ValueError, match=message):
        call(np.array([[0.0], [1.0], [10.0]]))
