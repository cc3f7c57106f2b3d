import itertools

import numpy as np
import pytest

from fuzzypairs import PairSet
from fuzzypairs.report.contradictions import find_contradictions


def test_a_triangle_of_alike_alike_unlike_contradicts_itself():
    pairs = PairSet.from_triples(
        [(0, 1, 0.9), (1, 2, 0.8), (0, 2, -0.5), (2, 3, 0.7), (1, 3, 0.6), (3, 4, -1)]
    )

    found = find_contradictions(pairs)

    assert found == ([(0, 1, 2, 0.9, 0.8, -0.5)], 0)


def test_longer_chains_are_counted_apart():
    pairs = PairSet.from_triples(
        [(0, 1, 0.9), (1, 2, 0.8), (2, 3, 0.5), (0, 3, -0.6), (3, 4, -0.6)]
    )

    found = find_contradictions(pairs)

    assert found == ([], 1)


def test_all_triangles_are_found_the_strongest_first():
    rng = np.random.default_rng(1)
    pairs = PairSet.from_triples(
        [(i, j, rng.uniform(-1, 1)) for i, j in itertools.combinations(range(12), 2)]
    )
    grade = {frozenset((i, j)): s for i, j, s in pairs}

    strengths = []
    for a, b, c in itertools.permutations(range(12), 3):
        ab, bc, ac = (grade[frozenset(two)] for two in ((a, b), (b, c), (a, c)))
        if a < c and ab > 0 and bc > 0 and ac < 0:
            strengths.append(min(ab, bc, -ac))

    triangles, _ = find_contradictions(pairs)
    assert [triangle.strength for triangle in triangles] == sorted(
        strengths, reverse=True
    )


def test_a_row_with_many_judgements_takes_linear_time():
    # 20,000 rows alike to one: squaring their number would take hours.
    n_rows = 20_000
    hub = [(0, row, 0.5) for row in range(1, n_rows)]
    pairs = PairSet.from_triples([*hub, (1, 2, -0.4)])

    ((triangle,), _) = find_contradictions(pairs)

    assert triangle[:3] == (1, 0, 2)


@pytest.mark.parametrize("triples", [[], [(0, 1, 0.0)], [(0, 1, -1), (1, 2, -1)]])
def test_without_alike_pairs_nothing_contradicts(triples):
    found = find_contradictions(PairSet.from_triples(triples, n_samples=3))

    assert found == ([], 0)
