"""Groups of judged samples, worked by hand."""

import numpy as np
import pytest

from fuzzypairs import PairSet
from fuzzypairs.pairs.answer_groups import group_samples


def members(triples):
    groups = group_samples(PairSet.from_triples(triples))
    return sorted(sorted(rows) for rows in groups.members.values())


@pytest.mark.parametrize(
    ("triples", "expected"),
    [
        ([(0, 1, 1.0), (1, 2, 0.8), (2, 3, -1.0)], [[0, 1, 2], [3]]),
        ([(0, 1, 0.4)], [[0], [1]]),  # undecided
        # The stronger of two answers that contradict each other joins.
        ([(0, 1, 1.0), (1, 2, 0.6), (0, 2, -0.9)], [[0, 1], [2]]),
        # Two weak answers together are as clear as one.
        ([(0, 1, 1.0), (0, 2, 0.3), (1, 2, 0.3)], [[0, 1, 2]]),
    ],
)
def test_groups_by_hand(triples, expected):
    assert members(triples) == expected


def test_what_is_known_between_groups_adds_up():
    answers = [(0, 1, 1.0), (2, 3, 1.0), (0, 2, -0.3), (1, 3, -0.4)]
    groups = group_samples(PairSet.from_triples(answers))
    a, b = groups.members

    assert groups.between[a][b] == pytest.approx(-0.7)
    assert groups.are_apart(a, b)
    assert groups.are_apart(b, a)


def test_one_wrong_answer_in_ten_misplaces_few_samples():
    rng = np.random.default_rng(0)
    y = np.arange(30) % 3
    ends = [(i, j) for j in range(30) for i in range(j) if rng.random() < 0.4]
    wrong = rng.random(len(ends)) < 0.1
    triples = [
        (i, j, 1.0 if (y[i] == y[j]) != w else -1.0)
        for (i, j), w in zip(ends, wrong, strict=True)
    ]

    largest = sorted(members(triples), key=len)[-3:]
    right = [np.bincount(y[rows]).max() for rows in largest]
    assert sum(map(len, largest)) >= 20
    assert sum(right) >= 0.8 * sum(map(len, largest))


def test_of_two_clusters_unlike_answers_join_opposite_groups():
    answers = PairSet.from_triples([(0, 1, -1.0), (1, 2, -1.0), (3, 4, -1.0)])
    groups = group_samples(answers, n_clusters=2)

    assert sorted(map(sorted, groups.members.values())) == [[0, 2], [1], [3], [4]]
    one = next(g for g, rows in groups.members.items() if 0 in rows)
    assert groups.members[groups.opposite[one]] == [1]
    assert groups.are_apart(one, groups.opposite[one])
    assert groups.n_placed_with(one) == 3


def test_of_two_clusters_answers_between_parts_add_up():
    answers = [(0, 1, -1.0), (2, 3, -1.0), (0, 2, 0.4), (1, 3, 0.4)]
    groups = group_samples(PairSet.from_triples(answers), n_clusters=2)

    assert sorted(map(sorted, groups.members.values())) == [[0, 2], [1, 3]]


@pytest.mark.parametrize(
    ("triples", "n_clusters", "expected"),
    [
        ([(0, 1, 1), (1, 2, 1), (2, 3, -1)], None, (0, 0)),  # a tree
        ([(0, 1, 1), (1, 2, 1), (0, 2, 1)], None, (1, 0)),
        ([(0, 1, 1), (1, 2, 1), (0, 2, -0.6)], None, (1, 1)),
        ([(0, 1, 1), (1, 2, 1), (0, 2, 0.2)], None, (0, 0)),  # undecided
        ([(0, 1, 1), (2, 3, 1), (0, 2, -1), (1, 3, 0.6)], None, (1, 1)),
        ([(0, 1, -1), (1, 2, -1), (0, 2, 1)], 2, (1, 0)),
        ([(0, 1, -1), (1, 2, -1), (0, 2, -0.6)], 2, (1, 1)),
        ([(0, 1, -1), (1, 2, -1), (0, 2, -1)], 3, (0, 0)),
    ],
)
def test_answers_that_follow_from_others_are_compared(triples, n_clusters, expected):
    answers = PairSet.from_triples(triples)
    groups = group_samples(answers, n_clusters)

    assert groups.compare_answers(answers) == expected


def test_no_answers():
    assert group_samples(PairSet.empty(3)).members == {}


def test_the_largest_groups_that_differ_stand_for_clusters():
    answers = [(0, 1, 1), (1, 2, 1), (3, 4, 1), (5, 6, 1), (0, 3, -1), (4, 7, -1)]
    groups = group_samples(PairSet.from_triples(answers))
    found = groups.that_stand_for_clusters(3)

    # 5 and 6 were compared with nobody, 7 with the second group alone.
    assert [sorted(groups.members[c]) for c in found] == [[0, 1, 2], [3, 4]]
    # Two groups that it differs from are enough, of two or of three.
    more = PairSet.from_triples([*answers, (2, 7, -1), (3, 5, -1), (6, 1, -1)])
    groups = group_samples(more)
    found = [sorted(groups.members[c]) for c in groups.that_stand_for_clusters(9)]
    assert found == [[0, 1, 2], [3, 4], [5, 6], [7]]
