"""Must-links and cannot-links against hand cases and plain loops."""

import itertools

import numpy as np
import pytest

from experiments.constraints import (
    Links,
    farthest_pair,
    link_costs,
    neighborhoods,
    relabel,
    unlike_all,
)
from fuzzypairs import PairSet


def test_links_by_hand():
    links = Links.of(PairSet([0, 1, 2], [2, 2, 3], [0.5, -1.0, 0.0], n_samples=5))

    assert links.must.tolist() == [True, False]
    assert links.weight.tolist() == [0.5, 1.0]
    assert links.samples.tolist() == [0, 1, 2]
    assert links.partner[links.start[2] : links.start[3]].tolist() == [0, 1]
    assert links.link[links.start[2] : links.start[3]].tolist() == [0, 1]


def test_costs_of_links_by_hand():
    links = Links.of(PairSet([0, 0], [1, 2], [1, -1]))
    apart, together = np.array([[2.0, 3], [0, 0]]), np.array([[0, 0], [5.0, 7]])

    costs = link_costs(links, apart, together, np.array([0, 1, 0]))
    assert costs.tolist() == [5, 5]


def test_relabel_ends_where_no_single_move_helps():
    rng = np.random.default_rng(0)
    true = PairSet.from_labels(rng.integers(3, size=60), n_pairs=30, random_state=0)
    links = Links.of(true)
    cost = rng.uniform(0, 3, (60, 4))
    must = links.must[:, None]
    apart = np.where(must, rng.uniform(0, 2, (30, 4)), 0)
    together = np.where(must, 0, rng.uniform(0, 2, (30, 4)))

    def total(labels):
        value = sum(cost[r, h] for r, h in enumerate(labels))
        for e, (p, q) in enumerate(zip(links.i, links.j, strict=True)):
            g, h = labels[p], labels[q]
            value += together[e, g] if g == h else apart[e, g] + apart[e, h]
        return value

    labels = relabel(cost, links, apart, together, None, np.random.RandomState(0))
    low = total(labels)
    assert low < total(cost.argmin(axis=1))
    for row, h in itertools.product(range(60), range(4)):
        moved = labels.copy()
        moved[row] = h
        assert total(moved) >= low - 1e-12


@pytest.mark.parametrize("n_features", [1, 2, 8])
def test_farthest_pair_is_that_of_all_pairs(n_features):
    for seed in range(5):
        X = np.random.default_rng(seed).normal(size=(80, n_features))
        i, j = farthest_pair(X)
        gaps = [np.linalg.norm(x - z) for x, z in itertools.combinations(X, 2)]
        assert i < j
        assert np.linalg.norm(X[i] - X[j]) == pytest.approx(max(gaps))


def test_neighborhoods_follow_chains_of_must_links_only():
    pairs = PairSet(
        [0, 1, 4, 6, 2, 8], [1, 2, 5, 7, 3, 9], [0.1, 1, 1, 1, -1, 0], n_samples=10
    )

    groups = [group.tolist() for group in neighborhoods(pairs)]
    assert groups == [[0, 1, 2], [4, 5], [6, 7]]
    assert neighborhoods(PairSet.empty(3)) == []


def test_a_sample_unlike_every_neighborhood_is_found():
    groups = [np.array([0, 1]), np.array([2, 3])]
    pairs = PairSet([0, 2, 0, 1], [4, 4, 5, 6], [-1, -1, -1, 1], n_samples=7)

    assert unlike_all(Links.of(pairs), groups) == [4]
    assert unlike_all(Links.of(PairSet([0], [1], [-1.0])), []) == []
