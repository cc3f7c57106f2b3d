"""Memberships against true ones."""

from itertools import permutations

import numpy as np
import pytest

from fuzzypairs.criteria import (
    align_clusters,
    hungarian_accuracy,
    lia,
    mahd,
    mahd_chance,
    nmi,
    normalized_ari,
    rand_index,
)

HARD = [normalized_ari, nmi, rand_index, hungarian_accuracy]
T = np.array([[0.6, 0.3, 0.1], [0.1, 0.7, 0.2], [0.2, 0.3, 0.5], [0.5, 0.4, 0.1]])
# The columns of T in another order, as far as ranks go; then one row out of order.
PERMUTED = np.array(
    [[0.1, 0.6, 0.3], [0.3, 0.1, 0.6], [0.5, 0.2, 0.3], [0.2, 0.5, 0.3]]
)
DISTURBED = np.array([*PERMUTED[:3], [0.5, 0.2, 0.3]])


def draw_memberships(seed, n_samples, n_clusters):
    rng = np.random.default_rng(seed)
    return rng.dirichlet(np.full(n_clusters, 0.5), size=n_samples)


def test_mahd_of_permuted_columns_is_zero():
    assert mahd(T, PERMUTED) == 0
    np.testing.assert_array_equal(lia(T, PERMUTED), [1, 1, 1])


def test_mahd_of_one_row_out_of_order():
    # Matched with columns 1, 2 and 0, their ranks differ in 1, 0 and 1 of 4 rows.
    assert mahd(T, DISTURBED) == pytest.approx(1 / 6)
    np.testing.assert_allclose(lia(T, DISTURBED), [2 / 3, 1, 1 / 2])


@pytest.mark.parametrize("seed", range(20))
def test_mahd_is_the_least_over_all_permutations(seed):
    truth, result = np.random.default_rng(seed).random((2, 181, 5))
    rank_truth, rank_result = (
        np.argsort(np.argsort(-U, axis=1), axis=1) for U in (truth, result)
    )

    least = min(
        np.mean(rank_truth != rank_result[:, order])
        for order in map(list, permutations(range(5)))
    )

    assert mahd(truth, result) == pytest.approx(least, abs=1e-15)


@pytest.mark.parametrize("seed", range(5))
def test_mahd_does_not_depend_on_the_order_of_columns(seed):
    truth, result = draw_memberships(seed, 30, 4), draw_memberships(seed + 50, 30, 4)
    order = np.random.default_rng(seed).permutation(4)

    assert mahd(truth, truth[:, order]) == mahd(truth, truth) == 0
    assert mahd(truth, result[:, order]) == mahd(truth, result)
    assert mahd(result, truth) == mahd(truth, result)


def test_mahd_of_other_numbers_of_clusters_pads_the_narrower():
    wide = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.3, 0.6, 0.1]])
    narrow = wide[:, [1, 0]]

    assert mahd(wide, narrow) == 0
    assert mahd(narrow, wide) == 0
    # Added columns rank last even among negative ratings.
    assert mahd(wide, narrow - 1) == 0


def test_stable_ties_rank_in_the_order_of_columns():
    flat = np.full((4, 3), 1 / 3)
    falling = np.tile([0.5, 0.3, 0.2], (4, 1))

    assert mahd(falling, flat) == 0
    np.testing.assert_array_equal(lia(falling, flat, criterion=max_of_labels), range(3))


def max_of_labels(truth, result):
    """Both sides give every sample the column of the rank in turn."""
    np.testing.assert_array_equal(truth, result)
    return max(result)


def test_chance_level_of_mahd():
    level, deviation = mahd_chance(181, 5)
    rng = np.random.default_rng(1)
    draws = [mahd(*rng.random((2, 181, 5))) for _ in range(300)]

    # The paper's faces; what it reports of FCM, 0.7614 +- 0.0087, is chance.
    assert level == pytest.approx(0.765, abs=2e-3)
    assert deviation == pytest.approx(0.008, abs=1e-3)
    assert level == pytest.approx(np.mean(draws), abs=4 * deviation / np.sqrt(200))
    assert deviation == pytest.approx(np.std(draws), rel=0.25)


def test_chance_level_is_seeded_and_known_where_it_is_simple():
    assert mahd_chance(20, 3, random_state=4) == mahd_chance(20, 3, random_state=4)
    assert mahd_chance(20, 3, random_state=4) != mahd_chance(20, 3, random_state=5)
    # Any two orders agree after renaming; and one cluster has but one order.
    assert mahd_chance(1, 4) == (0, 0)
    assert mahd_chance(50, 1) == (0, 0)


@pytest.mark.parametrize("name", ["n_samples", "n_clusters", "n_draws"])
def test_chance_needs_something_to_draw(name):
    arguments = {"n_samples": 10, "n_clusters": 3, "n_draws": 5, name: 0}

    with pytest.raises(ValueError, match=f"{name} must be . or more, got 0"):
        mahd_chance(**arguments)


@pytest.mark.parametrize("criterion", HARD)
def test_lia_starts_with_the_score_of_the_labels(criterion):
    truth, result = draw_memberships(0, 40, 3), draw_memberships(1, 40, 4)

    scores = lia(truth, result, criterion=criterion)

    assert scores.shape == (3,)
    assert scores[0] == criterion(truth, result)
    last = np.argsort(truth, axis=1)[:, 0], np.argsort(result, axis=1)[:, 1]
    assert scores[2] == criterion(*last)


def test_alignment_undoes_a_permutation():
    memberships = np.random.default_rng(0).dirichlet(np.full(4, 0.2), size=50)

    aligned = align_clusters(memberships, memberships[:, [2, 0, 3, 1]])

    np.testing.assert_array_equal(aligned, memberships)


def test_alignment_keeps_the_places_of_clusters_that_are_missing_or_new():
    three = np.eye(3)[[0, 0, 1, 2]]
    two = np.eye(2)[[1, 1, 0, 0]]

    np.testing.assert_array_equal(align_clusters(three, two), np.eye(3)[[0, 0, 1, 1]])
    np.testing.assert_array_equal(
        align_clusters(two, three[:, [1, 2, 0]]).argmax(axis=1)[:2], [1, 1]
    )
    assert align_clusters(two, three).sum() == 4
