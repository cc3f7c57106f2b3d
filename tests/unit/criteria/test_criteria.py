import tracemalloc
from dataclasses import FrozenInstanceError
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_1samp
from sklearn import metrics
from sklearn.metrics import silhouette_score

from fuzzypairs import criteria
from fuzzypairs.criteria import (
    align_clusters,
    certainty,
    fuzzy_silhouette,
    hungarian_accuracy,
    lia,
    mahd,
    mahd_chance,
    nmi,
    normalized_ari,
    pair_agreement,
    paired_ttest,
    pairs_held,
    partition_coefficient,
    rand_index,
    twsvc_accuracy,
    xie_beni,
)
from fuzzypairs.criteria.memberships import rank_agreements
from fuzzypairs.exceptions import PairsError

TRUTH = [0, 0, 0, 1, 1, 2]
RESULT = [0, 0, 1, 1, 1, 1]
HARD = [normalized_ari, nmi, rand_index, hungarian_accuracy]

T = np.array([[0.6, 0.3, 0.1], [0.1, 0.7, 0.2], [0.2, 0.3, 0.5], [0.5, 0.4, 0.1]])
# The columns of T in another order, as far as ranks go; then one row out of order.
PERMUTED = np.array(
    [[0.1, 0.6, 0.3], [0.3, 0.1, 0.6], [0.5, 0.2, 0.3], [0.2, 0.5, 0.3]]
)
DISTURBED = np.array([*PERMUTED[:3], [0.5, 0.2, 0.3]])

# Images of faces by their strongest expression, as the paper's data have them.
FACES = np.repeat(range(5), [50, 38, 31, 24, 37])


def draw_memberships(seed, n_samples, n_clusters):
    rng = np.random.default_rng(seed)
    return rng.dirichlet(np.full(n_clusters, 0.5), size=n_samples)


def test_every_public_name_is_there_with_an_example():
    for name in criteria.__all__:
        assert ">>>" in getattr(criteria, name).__doc__, name


# Labels against labels


@given(
    st.integers(2, 40).flatmap(
        lambda n: st.tuples(
            st.lists(st.integers(0, 3), min_size=n, max_size=n),
            st.lists(st.integers(-1, 4), min_size=n, max_size=n),
        )
    )
)
def test_same_as_scikit_learn(both):
    truth, result = both
    ari = metrics.adjusted_rand_score(truth, result)
    assert normalized_ari(truth, result) == pytest.approx((ari + 1) / 2, abs=1e-12)
    rand = metrics.rand_score(truth, result)
    assert rand_index(truth, result) == pytest.approx(rand, abs=1e-12)
    if min(np.ptp(truth), np.ptp(result)) > 0:
        mutual = metrics.normalized_mutual_info_score(
            truth, result, average_method="geometric"
        )
        assert nmi(truth, result) == pytest.approx(mutual, abs=1e-7)


def test_worked_case():
    assert normalized_ari(TRUTH, RESULT) == pytest.approx(0.518349, abs=1e-6)
    assert nmi(TRUTH, RESULT) == pytest.approx(0.396654, abs=1e-6)
    assert rand_index(TRUTH, RESULT) == pytest.approx(0.533333, abs=1e-6)
    assert hungarian_accuracy(TRUTH, RESULT) == pytest.approx(4 / 6)


@pytest.mark.parametrize("criterion", HARD)
def test_identical_partitions_score_one_whatever_their_names(criterion):
    renamed = ["c", "c", "c", "a", "a", "b"]

    assert criterion(TRUTH, renamed) == pytest.approx(1)


@pytest.mark.parametrize("criterion", HARD)
def test_names_of_labels_change_nothing(criterion):
    rng = np.random.default_rng(0)
    truth, result = rng.integers(4, size=(2, 60))

    renamed = criterion(rng.permutation(4)[truth], rng.permutation(4)[result])

    assert renamed == pytest.approx(criterion(truth, result), abs=1e-12)


@pytest.mark.parametrize("criterion", HARD)
def test_memberships_count_by_their_largest_entry(criterion):
    memberships = 0.6 * np.eye(2)[RESULT] + 0.2

    assert criterion(TRUTH, memberships) == criterion(TRUTH, RESULT)


def test_chance_scores_one_half():
    rng = np.random.default_rng(0)
    draws = [normalized_ari(*rng.integers(3, size=(2, 100))) for _ in range(200)]

    assert np.mean(draws) == pytest.approx(0.5, abs=0.005)


@pytest.mark.parametrize("seed", range(5))
def test_rand_index_is_the_formula_on_matrices(seed):
    truth, result = np.random.default_rng(seed).integers(4, size=(2, 40))
    same_truth, same_result = truth[:, None] == truth, result[:, None] == result

    both = (same_truth & same_result).sum()
    neither = (~same_truth & ~same_result).sum()

    expected = (neither + both - 40) / (40**2 - 40)
    assert rand_index(truth, result) == pytest.approx(expected, abs=1e-15)
    assert twsvc_accuracy is rand_index


def test_rand_index_of_results_that_know_nothing():
    rng = np.random.default_rng(0)
    draws = [rand_index(FACES, rng.integers(5, size=180)) for _ in range(200)]

    assert rand_index(FACES, np.zeros(180)) == pytest.approx(0.207, abs=5e-4)
    assert rand_index(FACES, np.arange(180)) == pytest.approx(0.793, abs=5e-4)
    assert np.mean(draws) == pytest.approx(0.676, abs=1e-3)


@pytest.mark.parametrize("seed", range(5))
def test_hungarian_accuracy_is_the_best_of_all_matchings(seed):
    truth, result = np.random.default_rng(seed).integers(4, size=(2, 30))

    best = max((np.array(p)[result] == truth).mean() for p in permutations(range(4)))

    assert hungarian_accuracy(truth, result) == pytest.approx(best, abs=1e-15)


def test_hungarian_accuracy_counts_clusters_without_a_match_as_wrong():
    assert hungarian_accuracy([0, 0, 0, 1], [0, 0, 1, 2]) == 0.75
    assert hungarian_accuracy([0, 0, 1, 2], [0, 0, 0, 0]) == 0.5


def test_nmi_of_one_cluster_is_zero():
    assert nmi([0, 0, 0], [1, 1, 1]) == 0
    assert nmi([0, 1, 1], [1, 1, 1]) == 0


def test_nmi_of_singletons_is_the_root_of_the_entropy_ratio():
    truth = np.repeat([0, 1], 50)

    score = nmi(truth, np.full(100, -1), noise="singletons")

    assert score == pytest.approx(np.sqrt(np.log(2) / np.log(100)))


@pytest.mark.parametrize("criterion", HARD)
def test_noise_is_a_cluster_singletons_or_dropped(criterion):
    truth, result = [0, 0, 1, 1, 1], [0, 0, 1, -1, -1]

    assert criterion(truth, result) == criterion(truth, [0, 0, 1, 2, 2])
    singletons = criterion(truth, result, noise="singletons")
    assert singletons == pytest.approx(criterion(truth, [0, 0, 1, 2, 3]), abs=1e-15)
    assert criterion(truth, result, noise="drop") == pytest.approx(1)


@pytest.mark.parametrize(
    ("truth", "result", "noise", "message"),
    [
        ([0, 1], [0, 1, 1], "cluster", "truth has 2 samples but result has 3"),
        ([0, 1], [0, 1], "ignore", "noise must be one of"),
        ([0, 1], [-1, -1], "drop", "result assigns no sample"),
        ([0, 1], 3, "cluster", r"result has shape \(\)"),
        ([0, 1], [0, np.nan], "cluster", r"result\[1\] is nan"),
        ([[0], [1]], [0, 1], "cluster", r"truth has shape \(2, 1\) and different"),
        ([0, 1], [[0.5, 0.5], [np.nan, 1]], "drop", r"result\[1, 0\] is nan"),
        ([0, 1], [["a", "b"], ["b", "a"]], "drop", "result must be a matrix of num"),
        (np.empty((0, 3)), [], "cluster", r"truth has shape \(0, 3\)"),
    ],
)
@pytest.mark.parametrize("criterion", HARD)
def test_wrong_input_is_named(criterion, truth, result, noise, message):
    with pytest.raises(ValueError, match=message):
        criterion(truth, result, noise=noise)


# Labels and memberships against judgements


def test_agreement_weighs_judgements_by_strength():
    pairs = [(0, 1, 0.9), (1, 2, -0.6), (2, 3, -0.5)]

    assert pairs_held(pairs, [0, 0, 1, 1]).tolist() == [True, True, False]
    assert pair_agreement(pairs, [0, 0, 1, 1]) == pytest.approx(0.75)
    assert pair_agreement(pairs, np.eye(2)[[0, 0, 1, 1]]) == pytest.approx(0.75)


def test_a_judgement_of_zero_changes_nothing():
    pairs = [(0, 1, 0.9), (2, 3, -0.3)]

    with_zero = pair_agreement([*pairs, (0, 3, 0.0)], [0, 0, 1, 1])

    assert with_zero == pair_agreement(pairs, [0, 0, 1, 1]) == pytest.approx(0.75)


def test_nothing_judged_is_not_a_number():
    assert np.isnan(pair_agreement([(0, 1, 0.0)], [0, 1]))
    assert np.isnan(pair_agreement(None, [0, 1]))


def test_balanced_agreement_gives_both_kinds_the_same_say():
    pairs = [(0, 1, 0.9), (0, 2, 0.1), (1, 2, 1.0), (2, 3, -0.5), (0, 3, -0.25)]
    one_cluster, split = [0, 0, 0, 0], [0, 0, 1, 1]

    assert pair_agreement(pairs, one_cluster) == pytest.approx(2 / 2.75)
    assert pair_agreement(pairs, one_cluster, method="balanced") == 0.5
    # Alike: 0.9 of 2 are kept; unlike: 0.25 of 0.75.
    balanced = pair_agreement(pairs, split, method="balanced")
    assert balanced == pytest.approx((0.45 + 1 / 3) / 2)


def test_balanced_agreement_of_one_kind_is_that_of_the_kind():
    pairs = [(0, 1, 0.9), (0, 2, 0.3), (0, 3, 0.0)]

    for method in ("sign", "balanced"):
        agreement = pair_agreement(pairs, [0, 0, 1, 0], method=method)
        assert agreement == pytest.approx(0.75)


def test_rank_agreement_asks_for_the_order_of_overlaps():
    U = np.array([[1, 0], [0.9, 0.1], [0.6, 0.4], [0.1, 0.9]])
    ordered = [(0, 1, 0.8), (0, 2, 0.3), (0, 3, -0.7)]
    # The ranks 1, 2, 3 against 1, 3, 2: 1 - 6 * 2 / (3 * 8).
    swapped = [(0, 1, 0.3), (0, 2, 0.8), (0, 3, -0.7)]

    assert pair_agreement(ordered, U, method="rank") == pytest.approx(1)
    assert pair_agreement(swapped, U, method="rank") == pytest.approx(0.5)
    against = [(i, j, -grade) for i, j, grade in ordered]
    assert pair_agreement(against, U, method="rank") == pytest.approx(-1)


def test_rank_agreement_takes_labels_for_crisp_memberships():
    pairs = [(0, 1, 0.8), (0, 2, 0.3), (0, 3, -0.7), (1, 2, 0.0)]
    labels = [0, 0, 1, 1]

    of_labels = pair_agreement(pairs, labels, method="rank")

    assert of_labels == pair_agreement(pairs, np.eye(2)[labels], method="rank")
    assert of_labels == pair_agreement(pairs[:3], labels, method="rank")


@pytest.mark.parametrize(
    ("pairs", "labels"),
    [
        (None, [0, 1, 1]),
        ([(0, 1, 0.0)], [0, 1, 1]),
        ([(0, 1, 0.5)], [0, 1, 1]),
        ([(0, 1, 0.5), (1, 2, 0.5)], [0, 1, 1]),
        ([(0, 1, 0.5), (1, 2, -0.5)], [0, 0, 0]),
    ],
)
def test_rank_agreement_without_an_order_is_not_a_number(pairs, labels):
    assert np.isnan(pair_agreement(pairs, labels, method="rank"))


def test_unknown_methods_of_agreement_are_named():
    with pytest.raises(ValueError, match='method must be one of "sign", "balanced"'):
        pair_agreement([(0, 1, 1.0)], [0, 1], method="auc")


def test_pairs_outside_the_result_are_an_error():
    with pytest.raises(PairsError):
        pair_agreement([(0, 5, 0.5)], [0, 1, 1])


# Memberships against memberships


def test_mahd_of_permuted_columns_is_zero():
    distance, permutation = mahd(T, PERMUTED, return_permutation=True)

    assert distance == 0
    assert permutation.tolist() == [1, 2, 0]
    np.testing.assert_array_equal(lia(T, PERMUTED), [1, 1, 1])


def test_mahd_of_one_row_out_of_order():
    H = 1 - rank_agreements(T, DISTURBED, "stable") / 4
    distance, permutation = mahd(T, DISTURBED, return_permutation=True)

    np.testing.assert_array_equal(H, [[0.75, 0.25, 1], [1, 1, 0], [0.25, 0.75, 1]])
    assert distance == 1 / 6
    assert permutation.tolist() == [1, 2, 0]
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

    distance, permutation = mahd(truth, truth[:, order], return_permutation=True)

    assert distance == mahd(truth, truth) == 0
    np.testing.assert_array_equal(order[permutation], range(4))
    assert mahd(truth, result[:, order]) == mahd(truth, result)
    assert mahd(result, truth) == mahd(truth, result)


def test_mahd_of_other_numbers_of_clusters_pads_the_narrower():
    wide = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.3, 0.6, 0.1]])
    narrow = wide[:, [1, 0]]

    distance, permutation = mahd(wide, narrow, return_permutation=True)

    assert distance == 0
    assert permutation.tolist() == [1, 0, 2]
    assert mahd(narrow, wide) == 0
    # Added columns rank last even among negative ratings.
    assert mahd(wide, narrow - 1) == 0


def test_mahd_averages_over_the_orders_of_ties():
    truth = np.array([[0.5, 0.5, 0.0], [0.2, 0.2, 0.6], [0.3, 0.5, 0.2]])
    result = np.array([[0.1, 0.6, 0.3], [0.4, 0.4, 0.2], [0.4, 0.3, 0.3]])
    nudges = [1e-6 * np.eye(3)[list(p)] @ [3, 2, 1] for p in permutations(range(3))]

    # Ties are broken in all ways by small additions, row by row and side by side.
    agreements = np.mean(
        [
            sum(
                rank_agreements(t[None] + one, u[None] + other, "stable")
                for t, u in zip(truth, result, strict=True)
            )
            for one in nudges
            for other in nudges
        ],
        axis=0,
    )
    most = max(agreements[range(3), p].sum() for p in permutations(range(3)))

    averaged = mahd(truth, result, ties="average")
    assert averaged == pytest.approx(1 - most / 9, abs=1e-12)
    assert averaged == pytest.approx(mahd(truth, result[:, ::-1], ties="average"))
    assert mahd(T, DISTURBED, ties="average") == mahd(T, DISTURBED)


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


@pytest.mark.parametrize("criterion", [mahd, lia, align_clusters])
def test_matrices_about_other_samples_are_an_error(criterion):
    with pytest.raises(ValueError, match=r"has 4 samples but .* has 3: expected the"):
        criterion(T, T[:3])
    with pytest.raises(ValueError, match=r"has shape \(4,\): expected memberships"):
        criterion(T, [0, 1, 2, 0])


def test_unknown_ways_with_ties_are_named():
    with pytest.raises(ValueError, match='ties must be one of "stable", "average"'):
        mahd(T, T, ties="random")


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


def test_certainty_runs_from_flat_to_one_hot():
    memberships = [[1 / 3, 1 / 3, 1 / 3], [2 / 3, 1 / 6, 1 / 6], [0, 1, 0]]

    np.testing.assert_allclose(certainty(memberships), [0, 0.5, 1], atol=1e-15)
    np.testing.assert_array_equal(certainty([[1.0], [1.0]]), [1, 1])
    np.testing.assert_array_equal(certainty(np.eye(3)), [1, 1, 1])


# Memberships by themselves and against the data

LINE = np.array([[0.0], [1], [4], [8], [9]])
ALONG = np.array([[1, 0], [0.9, 0.1], [0.55, 0.45], [0.1, 0.9], [0, 1]])


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

    for exponent in (0, 1, 2):
        expected = np.average(silhouettes, weights=weight**exponent)
        silhouette = fuzzy_silhouette(LINE, ALONG, exponent=exponent)
        assert silhouette == pytest.approx(expected)


def test_fuzzy_silhouette_without_weights_is_that_of_the_labels():
    X = np.random.default_rng(0).normal(size=(60, 2))
    U = draw_memberships(0, 60, 3)

    silhouette = fuzzy_silhouette(X, U, exponent=0)

    assert silhouette == pytest.approx(silhouette_score(X, U.argmax(axis=1)))


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
        (lambda: fuzzy_silhouette(LINE, ALONG, exponent=-1), "exponent must be"),
        (lambda: fuzzy_silhouette(LINE, ALONG, sample_size=1), "sample_size must be 2"),
        (lambda: fuzzy_silhouette(LINE, ALONG, random_state=-1), "random_state must"),
    ],
)
def test_memberships_and_data_must_fit(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# Differences between methods

SCORES = [0.80, 0.82, 0.81, 0.79, 0.83]


def test_paired_ttest_against_a_constant():
    test = paired_ttest(SCORES, 0.8)
    alone = ttest_1samp(SCORES, 0.8)

    assert test.statistic == pytest.approx(1.414214, abs=1e-6)
    assert test.pvalue == pytest.approx(0.230200, abs=1e-6)
    assert test.mark == "none"
    assert test == paired_ttest(SCORES, [0.8] * 5)
    assert (test.statistic, test.pvalue) == pytest.approx(alone)


def test_paired_ttest_marks_both_directions():
    higher = np.add(SCORES, [0.02, 0.03, 0.02, 0.04, 0.03])

    assert paired_ttest(higher, SCORES).mark == "better"
    assert paired_ttest(SCORES, higher).mark == "worse"
    assert paired_ttest(SCORES, 0.8, level=0.25).mark == "better"
    assert paired_ttest(0.8, SCORES, level=0.25).mark == "worse"
    with pytest.raises(FrozenInstanceError):
        paired_ttest(higher, SCORES).mark = "none"


def test_constant_differences_are_significant():
    test = paired_ttest(np.full(20, 0.9), np.full(20, 0.8))

    assert (test.statistic, test.pvalue, test.mark) == (np.inf, 0, "better")
    test = paired_ttest(np.full(20, 0.8), 0.9)
    assert (test.statistic, test.pvalue, test.mark) == (-np.inf, 0, "worse")
    # Constant but for rounding.
    lower = np.add(SCORES, -0.3)
    assert np.ptp(lower - SCORES) > 0
    assert paired_ttest(lower, SCORES).statistic == -np.inf


def test_no_difference_is_not_significant():
    # Equal, equal but for rounding, and all 0.
    for a, b in [(SCORES, SCORES), (np.cumsum([0.1] * 5), np.arange(1, 6) / 10)]:
        test = paired_ttest(a, b)
        assert np.isnan([test.statistic, test.pvalue]).all()
        assert test.mark == "none"
    assert paired_ttest([0.0, 0.0], 0).mark == "none"


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ([0.1, 0.2], [0.1, 0.2, 0.3], "a has 2 scores but b has 3"),
        ([0.1, 0.2], [0.1], "a has 2 scores but b has 1"),
        ([0.1], [0.2], r"a and b have 1 run\(s\)"),
        ([], 0.5, r"a and b have 0 run\(s\)"),
        (0.1, 0.2, r"a and b have 1 run\(s\)"),
        ([0.1, np.nan], [0.1, 0.2], "a has scores that are not finite"),
        ([0.1, 0.2], [[0.1, 0.2]], r"b has shape \(1, 2\)"),
    ],
)
def test_scores_must_be_of_the_same_runs(a, b, message):
    with pytest.raises(ValueError, match=message):
        paired_ttest(a, b)
