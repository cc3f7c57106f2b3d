"""K-means on small tables against scikit-learn, and by hand."""

import numpy as np
import pytest
from sklearn.cluster import KMeans

from fuzzypairs.solvers.lloyd import lloyd

LINE = np.array([[0.0], [1.0], [9.0], [10.0]])


def test_weights_by_hand():
    """Means 0.75 and 9.5: 1 * 0.75^2 + 3 * 0.25^2 + 2 * 0.5^2."""
    centers, value = lloyd(LINE, LINE[[0, 3]], np.array([1.0, 3.0, 1.0, 1.0]))
    assert centers.ravel().tolist() == [0.75, 9.5]
    assert value == pytest.approx(1.25)


def test_against_scikit_learn():
    X = np.random.default_rng(0).normal(size=(200, 3))
    for seed in range(5):
        start = X[np.random.default_rng(seed).permutation(200)[:4]]
        expected = KMeans(4, init=start, n_init=1, tol=0.0).fit(X)
        centers, value = lloyd(X, start, np.ones(200))
        np.testing.assert_allclose(centers, expected.cluster_centers_)
        assert value == pytest.approx(expected.inertia_)


def test_a_centre_without_rows_stays():
    centers, value = lloyd(LINE, np.array([[0.0], [9.5], [1e6]]), np.ones(4))
    assert centers.ravel().tolist() == [0.5, 9.5, 1e6]
    assert value == pytest.approx(1.0)
