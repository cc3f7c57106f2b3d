"""Memberships by themselves and against the data."""

import tracemalloc

import numpy as np
import pytest
from sklearn.metrics import silhouette_score

from fuzzypairs.criteria import (
    certainty,
    fuzzy_silhouette,
    partition_coefficient,
    xie_beni,
)

LINE = np.array([[0.0], [1], [4], [8], [9]])
ALONG = np.array([[1, 0], [0.9, 0.1], [0.55, 0.45], [0.1, 0.9], [0, 1]])


def draw_memberships(seed, n_samples, n_clusters):
    rng = np.random.default_rng(seed)
    return rng.dirichlet(np.full(n_clusters, 0.5), size=n_samples)


def test_certainty_runs_from_flat_to_one_hot():
    memberships = [[1 / 3, 1 / 3, 1 / 3], [2 / 3, 1 / 6, 1 / 6], [0, 1, 0]]

    np.testing.assert_allclose(certainty(memberships), [0, 0.5, 1], atol=1e-15)
    np.testing.assert_array_equal(certainty([[1.0], [1.0]]), [1, 1])
    np.testing.assert_array_equal(certainty(np.eye(3)), [1, 1, 1])


def test_partition_coefficient_runs_from_flat_to_crisp():
    assert partition_coefficient(np.full((5, 4), 0.25)) == pytest.approx(1 / 4)
    assert partition_coefficient(np.eye(3)) == 1
    assert partition_coefficient([[0.6, 0.4], [1, 0]]) == pytest.approx(0.76)


def test_xie_beni_by_hand():
    X, centers = [[0, 0], [0, 2], [3, 0]], [[0, 1], [4, 1]]
    U = [[1, 0], [0.5, 0.5], [0.25, 0.75]]

    # Squared distances 1 17; 1 17; 10 2, and 16 between the prototypes.
    squares = 1 + (1 + 17) / 4 + 10 / 16 + 2 * 9 / 16
    assert xie_beni(X, U, centers) == pytest.approx(squares / (3 * 16))
    linear = 1 + (1 + 17) / 2 + 10 / 4 + 2 * 3 / 4
    assert xie_beni(X, U, centers, fuzzifier=1) == pytest.approx(linear / (3 * 16))


def test_xie_beni_of_what_is_not_apart_is_infinite():
    assert xie_beni(LINE, ALONG, [[3], [3]]) == np.inf
    assert xie_beni(LINE, np.ones((5, 1)), [[3]]) == np.inf


def test_fuzzy_silhouette_by_hand():
    # Clusters {0, 1, 4} and {8, 9}: (b - a) / max(a, b) of each sample.
    silhouettes = [1 - 2.5 / 8.5, 1 - 2 / 7.5, 1 - 3.5 / 4.5]
    silhouettes += [1 - 1 / (19 / 3), 1 - 1 / (22 / 3)]
    weight = np.array([1, 0.8, 0.1, 0.8, 1])

    expected = np.average(silhouettes, weights=weight)
    assert fuzzy_silhouette(LINE, ALONG) == pytest.approx(expected)


def test_fuzzy_silhouette_of_crisp_clusters_is_that_of_the_labels():
    X = np.random.default_rng(0).normal(size=(60, 2))
    labels = draw_memberships(0, 60, 3).argmax(axis=1)

    silhouette = fuzzy_silhouette(X, np.eye(3)[labels])

    assert silhouette == pytest.approx(silhouette_score(X, labels))


def test_fuzzy_silhouette_of_a_sample_is_near_and_seeded():
    rng = np.random.default_rng(0)
    labels = rng.integers(3, size=1500)
    X = 4 * np.eye(3)[labels] + rng.normal(size=(1500, 3))
    U = 0.4 * np.eye(3)[labels] + 0.6 * draw_memberships(1, 1500, 3)

    whole = fuzzy_silhouette(X, U, sample_size=None)
    drawn = fuzzy_silhouette(X, U, sample_size=500)

    assert whole == fuzzy_silhouette(X, U)
    assert drawn != whole
    assert drawn == pytest.approx(whole, abs=0.02)
    assert drawn == fuzzy_silhouette(X, U, sample_size=500, random_state=0)
    assert drawn != fuzzy_silhouette(X, U, sample_size=500, random_state=1)


def test_fuzzy_silhouette_of_many_samples_takes_little_memory():
    X = np.random.default_rng(0).normal(size=(50_000, 2))
    U = draw_memberships(0, 50_000, 3)

    tracemalloc.start()
    try:
        fuzzy_silhouette(X, U, sample_size=500)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert peak < 30e6  # all distances would take 20 GB


def test_fuzzy_silhouette_where_there_is_nothing_to_compare():
    assert np.isnan(fuzzy_silhouette(LINE, np.ones((5, 1))))
    assert np.isnan(fuzzy_silhouette(LINE, np.tile([0.8, 0.2], (5, 1))))
    ties = [[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0.5, 0.5], [0, 0.5, 0.5], [0, 0.5, 0.5]]
    assert np.isnan(fuzzy_silhouette(LINE, ties))
    assert fuzzy_silhouette(LINE, np.eye(5)) == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: partition_coefficient([[0.5, 0.4]]), r"memberships\[0\] sums to 0.9"),
        (lambda: partition_coefficient([[1.2, -0.2]]), "the least entry -0.2"),
        (lambda: xie_beni(LINE, ALONG, [[1], [2], [3]]), r"centers has shape \(3, 1\)"),
        (lambda: xie_beni(LINE, ALONG, [[1], [8]], 0.5), "fuzzifier must be"),
        (lambda: xie_beni(LINE[:4], ALONG, [[1], [8]]), "X has 4 samples but member"),
        (lambda: fuzzy_silhouette(LINE[:4], ALONG), "X has 4 samples but memberships"),
        (lambda: fuzzy_silhouette(LINE * np.nan, ALONG), "Input X contains NaN"),
        (lambda: fuzzy_silhouette(LINE, ALONG, sample_size=1), "sample_size must be 2"),
        (lambda: fuzzy_silhouette(LINE, ALONG, random_state=-1), "random_state must"),
    ],
)
def test_memberships_and_data_must_fit(call, message):
    with pytest.raises(ValueError, match=message):
        call()
