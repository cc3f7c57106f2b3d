"""Links by sign: both ends, chains of must-links, contradictions."""

import numpy as np

from fuzzypairs.pairs import PairSet
from fuzzypairs.solvers.constraints import contradicted_links, link_groups, links

PAIRS = PairSet.from_triples(
    [(1, 5, 0.2), (5, 3, 1), (0, 4, 0.9), (1, 3, -0.5), (0, 2, -1), (2, 6, 0)], 7
)


def test_links_are_the_sorted_ends_of_the_chosen_pairs():
    assert links(PAIRS, PAIRS.similar).tolist() == [[0, 4], [1, 5], [3, 5]]
    assert links(PAIRS, PAIRS.dissimilar).tolist() == [[0, 2], [1, 3]]
    assert links(PAIRS, PAIRS.grade == -0.1).shape == (0, 2)


def test_groups_are_chains_of_must_links_and_single_samples():
    group = link_groups(PAIRS, PAIRS.similar)
    assert group[[0, 4]].tolist() == [0, 0]
    assert group[[1, 3, 5]].tolist() == [1, 1, 1]
    assert len(np.unique(group)) == 4
    assert group[[2, 6]].min() > 1
    assert len(np.unique(link_groups(PAIRS, np.zeros(len(PAIRS), dtype=bool)))) == 7


def test_a_cannot_link_within_a_chain_is_contradicted():
    found = contradicted_links(PAIRS, PAIRS.similar, PAIRS.dissimilar)
    assert found.tolist() == [[1, 3]]
    strong = PAIRS.grade == 1.0
    assert not len(contradicted_links(PAIRS, strong, PAIRS.dissimilar))
