"""Peers of our own: what judgements imply, and what they change."""

import importlib.util

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from experiments import other_peers
from fuzzypairs import PairSet


@pytest.fixture(scope="module")
def crossed():
    """Rows that cluster by feature 0 and are judged by feature 1."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    X[:, 0] += 6.0 * (np.arange(80) % 2)
    y = np.arange(80) // 2 % 2
    X[:, 1] += 5.0 * y
    return X, y, PairSet.from_labels(y, n_pairs=60, random_state=0)


def test_excluded_classes_are_left_free():
    """Three rows that are all unlike each other do not fit into two classes."""
    unlike = [(0, 1, -1.0), (1, 2, -1.0), (0, 2, -1.0)]
    pairs = PairSet.from_triples(unlike, 3)
    assert sorted(other_peers.closures(pairs, np.zeros(3, dtype=int), 2)) == [-1, 0, 1]


@pytest.mark.filterwarnings("ignore")
def test_a_learned_metric_follows_judgements(crossed):
    pytest.importorskip("metric_learn", reason="the extra experiments is not installed")
    X, y, pairs = crossed
    assert adjusted_rand_score(y, other_peers.kmeans(X, pairs, 2, 0)) < 0.2
    assert adjusted_rand_score(y, other_peers.itml(X, pairs, 2, 0)) > 0.8


@pytest.mark.filterwarnings("ignore")
def test_cop_means_breaks_no_link_or_says_so(crossed):
    if importlib.util.find_spec("active_semi_clustering") is None:
        pytest.skip("the extra experiments is not installed")
    X, y, _ = crossed
    pairs = PairSet.from_labels(y, n_pairs=6, random_state=0)
    before = np.geterr()
    labels = other_peers.cop_kmeans(X, pairs, 2, 0)
    together = labels[pairs.i] == labels[pairs.j]
    np.testing.assert_array_equal(together, pairs.grade > 0)
    assert np.geterr() == before
    impossible = PairSet.from_triples([(0, 1, -1.0), (1, 2, -1.0), (0, 2, -1.0)], 80)
    with pytest.raises(ValueError, match="COP-means"):
        other_peers.cop_kmeans(X, impossible, 2, 0)


def test_the_bound_keeps_classes_of_judged_rows(crossed):
    X, y, pairs = crossed
    labels = other_peers.classifier_bound(X, y, pairs, 0)
    rows = np.unique(np.concatenate([pairs.i, pairs.j]))
    np.testing.assert_array_equal(labels[rows], y[rows])
    assert adjusted_rand_score(y, labels) > 0.9
