"""The constraint graph: groups and edges."""

import numpy as np
import pytest

from fuzzypairs.pairs import PairSet


def test_components_follow_informative_pairs_only():
    pairs = PairSet.from_triples(
        [(6, 4, 0.5), (4, 1, -1), (0, 5, 1), (0, 1, 0), (2, 3, 0)], n_samples=8
    )
    n_groups, labels = pairs.components()
    assert n_groups == 2
    np.testing.assert_array_equal(labels, [0, 1, -1, -1, 1, 0, 1, -1])


@pytest.mark.parametrize("n_samples", [0, 3])
def test_components_of_nothing(n_samples):
    n_groups, labels = PairSet.empty(n_samples).components()
    assert n_groups == 0
    np.testing.assert_array_equal(labels, [-1] * n_samples)


def test_links_are_two_edges_for_each_informative_pair():
    pairs = PairSet.from_triples(
        [(6, 4, 0.5), (4, 1, -1), (0, 5, 1), (0, 1, 0), (2, 3, 0)], n_samples=8
    )
    links = pairs.links()
    np.testing.assert_array_equal(links.rows, [0, 5, 1, 4, 6])
    np.testing.assert_array_equal(links.groups, [0, 2, 5])
    np.testing.assert_array_equal(links.indptr, [0, 1, 2, 3, 5, 6])
    np.testing.assert_array_equal(links.source, [0, 1, 2, 3, 3, 4])
    grade = pairs.informative.grade[links.pair]
    edges = zip(links.source, links.neighbor, grade, strict=True)
    assert sorted(edges) == [
        (0, 1, 1.0),
        (1, 0, 1.0),
        (2, 3, -1.0),
        (3, 2, -1.0),
        (3, 4, 0.5),
        (4, 3, 0.5),
    ]
    assert pairs.links() is links


def test_links_of_nothing():
    links = PairSet.from_triples([(0, 1, 0)]).links()
    assert [len(part) for part in links] == [0, 1, 0, 1, 0, 0]
