"""Labels and memberships against judgements."""

import numpy as np
import pytest

from fuzzypairs.criteria import pair_agreement, pairs_held
from fuzzypairs.exceptions import PairsError


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


def test_balanced_agreement_weights_both_kinds_equally():
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
