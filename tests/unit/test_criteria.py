import numpy as np
import pytest

from fuzzypairs.criteria import (
    align_clusters,
    certainty,
    nmi,
    normalized_ari,
    pair_agreement,
    pairs_held,
)
from fuzzypairs.exceptions import PairsError

TRUTH = [0, 0, 0, 1, 1, 2]
RESULT = [0, 0, 1, 1, 1, 1]


def test_worked_case():
    assert normalized_ari(TRUTH, RESULT) == pytest.approx(0.518349, abs=1e-6)
    assert nmi(TRUTH, RESULT) == pytest.approx(0.396654, abs=1e-6)


@pytest.mark.parametrize("criterion", [normalized_ari, nmi])
def test_identical_partitions_score_one_whatever_their_names(criterion):
    renamed = ["c", "c", "c", "a", "a", "b"]

    assert criterion(TRUTH, renamed) == pytest.approx(1)


@pytest.mark.parametrize("criterion", [normalized_ari, nmi])
def test_memberships_count_by_their_largest_entry(criterion):
    memberships = 0.6 * np.eye(2)[RESULT] + 0.2

    assert criterion(TRUTH, memberships) == criterion(TRUTH, RESULT)


def test_chance_scores_one_half():
    rng = np.random.default_rng(0)
    draws = [normalized_ari(*rng.integers(3, size=(2, 100))) for _ in range(200)]

    assert np.mean(draws) == pytest.approx(0.5, abs=0.005)


def test_nmi_of_one_cluster_is_zero():
    assert nmi([0, 0, 0], [1, 1, 1]) == 0
    assert nmi([0, 1, 1], [1, 1, 1]) == 0


def test_nmi_of_singletons_is_the_root_of_the_entropy_ratio():
    truth = np.repeat([0, 1], 50)

    score = nmi(truth, np.full(100, -1), noise="singletons")

    assert score == pytest.approx(np.sqrt(np.log(2) / np.log(100)))


def test_noise_is_a_cluster_singletons_or_dropped():
    truth, result = [0, 0, 1, 1, 1], [0, 0, 1, -1, -1]

    assert normalized_ari(truth, result) == normalized_ari(truth, [0, 0, 1, 2, 2])
    assert normalized_ari(truth, result, noise="singletons") == normalized_ari(
        truth, [0, 0, 1, 2, 3]
    )
    assert normalized_ari(truth, result, noise="drop") == 1


@pytest.mark.parametrize(
    ("truth", "result", "noise", "message"),
    [
        ([0, 1], [0, 1, 1], "cluster", "truth has 2 samples but result has 3"),
        ([0, 1], [0, 1], "ignore", "noise is 'ignore'"),
        ([0, 1], [-1, -1], "drop", "result assigns no sample"),
        ([0, 1], 3, "cluster", r"result has shape \(\)"),
    ],
)
def test_wrong_input_is_named(truth, result, noise, message):
    with pytest.raises(ValueError, match=message):
        normalized_ari(truth, result, noise=noise)


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


def test_pairs_outside_the_result_are_an_error():
    with pytest.raises(PairsError):
        pair_agreement([(0, 5, 0.5)], [0, 1, 1])


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
