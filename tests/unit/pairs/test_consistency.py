"""Which judgements a partition satisfies, by strength, and what chance gives."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fuzzypairs import PairSet
from fuzzypairs.pairs.consistency import (
    balanced_share,
    chance_error,
    find_contradictions,
    mean_known,
    satisfied,
    satisfied_share,
    wilson_interval,
)

GRADE = np.array([1.0, 0.5, -1.0, -0.2, 0.0])


def naive_balanced(kept, grade):
    """One partition, judgement by judgement."""
    shares = []
    for sign in (1, -1):
        kind = [(abs(s), h) for h, s in zip(kept, grade, strict=True) if s * sign > 0]
        asked = [(s, h) for s, h in kind if not np.isnan(h)]
        if asked:
            shares.append(sum(s * h for s, h in asked) / sum(s for s, _ in asked))
    return sum(shares) / len(shares) if shares else np.nan


def test_alike_are_kept_together_and_unlike_apart():
    together = np.array([True, False, True, False, False])
    assert_array_equal(satisfied(together, GRADE), [1, 0, 0, 1, 1])


def test_shares_of_fits_and_unknown_ones_pass_through():
    together = np.array([[0.25, np.nan, 0.25, 1.0, 0.5]])
    assert_array_equal(satisfied(together, GRADE), [[0.25, np.nan, 0.75, 0, 1]])


def test_shares_by_hand():
    kept = np.array([1.0, 0.0, 1.0, 0.0, 1.0])
    assert satisfied_share(kept, np.abs(GRADE)) == pytest.approx(2 / 2.7)
    # 1 of 1.5 alike and 1 of 1.2 unlike.
    assert balanced_share(kept, GRADE) == pytest.approx((1 / 1.5 + 1 / 1.2) / 2)


@pytest.mark.parametrize("sign", [1, -1])
def test_judgements_of_one_kind_count_alone(sign):
    kept = np.array([1.0, 0.0, 0.0])
    assert balanced_share(kept, sign * np.array([0.25, 0.5, 0.25])) == 0.25


def test_all_kept_is_exactly_one():
    grade = np.random.default_rng(0).uniform(-1, 1, 1001)
    assert satisfied_share(np.ones(1001), np.abs(grade)) == 1
    assert balanced_share(np.ones(1001), grade) == 1


def test_nothing_to_keep_is_not_a_number():
    assert np.isnan(satisfied_share(np.empty(0), np.empty(0)))
    assert np.isnan(balanced_share(np.ones(2), np.zeros(2)))
    assert np.isnan(balanced_share(np.full(5, np.nan), GRADE))


def test_many_partitions_are_counted_one_by_one():
    rng = np.random.default_rng(0)
    grade = rng.uniform(-1, 1, 30)
    kept = rng.choice([0.0, 0.5, 1.0, np.nan], size=(2, 4, 30))
    kept[0, 0] = np.nan
    kept[0, 1, grade > 0] = np.nan
    expected = [[naive_balanced(row, grade) for row in rows] for rows in kept]
    assert_allclose(balanced_share(kept, grade), expected)


@pytest.mark.parametrize("only_alike", [False, True])
def test_chance_error_against_simulation(only_alike):
    rng = np.random.default_rng(0)
    grade = rng.uniform(-1, 1, 24)
    grade = np.abs(grade) if only_alike else grade
    scores = balanced_share(1.0 * (rng.random((4000, 24)) < 0.5), grade)
    assert np.std(scores) == pytest.approx(chance_error(grade), rel=0.05)
    assert np.mean(scores) == pytest.approx(0.5, abs=0.01)


def test_mean_of_what_is_known_along_any_axis():
    values = np.array([[1.0, np.nan, np.nan], [2.0, 4.0, np.nan]])
    assert_array_equal(mean_known(values), [1.5, 4, np.nan])
    assert_array_equal(mean_known(values, axis=1), [1, 3])


def test_wilson_interval_as_statsmodels_has_it():
    low, high = wilson_interval(np.array([1 / 2, 2 / 3, 1.0]), np.array([2, 3, 40]))

    assert_allclose(low, [0.0945, 0.2077, 0.9124], atol=1e-3)
    assert_allclose(high, [0.9055, 0.9385, 1.0], atol=1e-3)


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
