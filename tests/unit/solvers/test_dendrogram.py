"""Dendrograms: distances changed by grades, linkage, levels, hard links."""

import numpy as np
import pytest
from scipy.spatial.distance import squareform

from fuzzypairs.exceptions import PairsError
from fuzzypairs.pairs import PairSet
from fuzzypairs.solvers import dendrogram
from fuzzypairs.solvers.dendrogram import build_tree, partition, scaled_distances

LINE = np.array([[0.0], [1.0], [2.0], [10.0], [11.0]])


def adjusted(X, pairs):
    """The matrix of scaled distances after the judgements."""
    distances = scaled_distances(X)
    dendrogram.adjust_distances(distances, pairs)
    return squareform(distances)


def test_grades_adjust_distances_by_their_strength():
    pairs = PairSet.from_triples([(2, 3, 0.5), (0, 1, -0.5), (3, 4, 1), (1, 4, -1)])
    plain, D = squareform(scaled_distances(LINE)), adjusted(LINE, pairs)
    assert plain.max() == 1.0
    assert D[2, 3] == pytest.approx(0.5 * 8 / 11)
    assert D[0, 1] == pytest.approx(1 / 11 + 0.5 * 10 / 11)
    assert D[3, 4] == 0.0
    assert D[1, 4] == 1.0
    assert D[0, 2] == plain[0, 2] == pytest.approx(2 / 11)


def test_adjusted_distance_falls_with_the_grade():
    grades = np.linspace(-1, 1, 21)
    found = [adjusted(LINE, PairSet([1], [3], [s], 5))[1, 3] for s in grades]
    assert np.all(np.diff(found) < 0)
    assert found[0] == 1.0
    assert found[10] == scaled_distances(LINE)[5]
    assert found[-1] == 0.0


def test_agreement_at_every_level_of_the_line():
    pairs = PairSet.from_triples([(0, 1, 1), (0, 3, -1)], 5)
    tree = build_tree(LINE, pairs, "average", enforce=False)
    levels = np.linspace(0, 1, 21)
    values = [dendrogram.agreement(partition(tree, c), pairs) for c in levels]
    assert values == [1.0] * 20 + [0.5]
    assert dendrogram.best_level(tree, pairs, 0.05, "coarse") == 0.95
    assert dendrogram.best_level(tree, pairs, 0.05, "fine") == 0.0
    assert np.isnan(dendrogram.agreement(partition(tree, 0.0), PairSet.empty(5)))


def test_single_linkage_is_the_transitive_closure():
    X = np.random.default_rng(0).normal(size=(12, 2))
    similarity = 1 - squareform(scaled_distances(X))
    for _ in range(12):
        paths = np.minimum(similarity[:, :, None], similarity[None])
        similarity = paths.max(axis=1)
    tree = build_tree(X, PairSet.empty(12), "single", enforce=False)
    top = 1 - similarity.min()
    for c in np.linspace(0, 0.99, 34):
        labels = partition(tree, c)
        closed = (1 - similarity) / top <= c + 1e-12
        np.testing.assert_array_equal(labels[:, None] == labels, closed)


def test_hard_links_set_the_distances_of_whole_groups():
    # 0, 1, 2 are chained, and so are 3, 4; the cannot-link holds for both groups.
    must, cannot = [(0, 1), (1, 2), (3, 4)], [(1, 3)]
    pairs = PairSet.from_must_cannot(must, cannot, 6)
    distances = scaled_distances(np.arange(6.0)[:, None])
    D = squareform(distances)
    dendrogram.enforce_links(distances, pairs)
    D[:3, :3] = D[3:5, 3:5] = 0.0
    D[:3, 3:5] = D[3:5, :3] = dendrogram.FORBIDDEN
    np.testing.assert_array_equal(squareform(distances), D)


def test_the_first_contradiction_of_hard_links_is_named():
    grades = [(2, 3, 1), (3, 4, 1), (2, 4, -1), (0, 1, 0.9), (0, 4, -0.9)]
    pairs = PairSet.from_triples(grades, 5)
    build_tree(LINE, pairs, "average", enforce=False)
    with pytest.raises(PairsError, match="samples 2 and 4 with -1 but chains them"):
        build_tree(LINE, pairs, "average", enforce=True)


def test_level_of_a_count_and_of_the_largest_jump():
    tree = build_tree(LINE, PairSet.empty(5), "average", enforce=False)
    heights = tree[:, 2]
    np.testing.assert_allclose(heights, [1 / 9.5, 1 / 9.5, 1.5 / 9.5, 1])
    assert dendrogram.level_of_count(tree, 2) == heights[2]
    assert dendrogram.level_of_count(tree, 1) == 1.0
    assert dendrogram.level_of_count(tree, 5) == 0.0
    assert dendrogram.level_below_jump(tree) == heights[2]
    assert dendrogram.level_below_jump(np.zeros((3, 4))) == 0.0
