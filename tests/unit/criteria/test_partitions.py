"""Labels against a true partition."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from fuzzypairs.criteria import (
    hungarian_accuracy,
    nmi,
    normalized_ari,
    rand_index,
)

TRUTH = [0, 0, 0, 1, 1, 2]
RESULT = [0, 0, 1, 1, 1, 1]
HARD = [normalized_ari, nmi, rand_index, hungarian_accuracy]

# Images of faces by their strongest expression, as the paper's data have them.
FACES = np.repeat(range(5), [50, 38, 31, 24, 37])


def test_worked_case():
    assert normalized_ari(TRUTH, RESULT) == pytest.approx(0.518349, abs=1e-6)
    assert nmi(TRUTH, RESULT) == pytest.approx(0.396654, abs=1e-6)
    assert rand_index(TRUTH, RESULT) == pytest.approx(0.533333, abs=1e-6)
    assert hungarian_accuracy(TRUTH, RESULT) == pytest.approx(4 / 6)


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


def test_rand_index_of_uninformative_results():
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
