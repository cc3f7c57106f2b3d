"""Judgements that follow from others."""

import numpy as np
import pytest

from fuzzypairs import GuidedFDC, PairSet
from fuzzypairs.active.inference import fit_answers, infer_pairs


def inferred(triples):
    """Return the signs of what follows."""
    found = infer_pairs(PairSet.from_triples(triples))
    return {(i, j): np.sign(grade) for i, j, grade in found}


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (1.0, 1.0, 1),
        (0.9, 0.8, 1),
        (1.0, -0.7, -1),
        (0.4, 1.0, None),  # undecided
        (-1.0, -1.0, None),  # two unlike pairs say nothing of the third
    ],
)
def test_two_answers_with_a_sample_in_common(first, second, expected):
    found = inferred([(0, 1, first), (1, 2, second)])

    assert found == ({} if expected is None else {(0, 2): expected})


def test_groups_that_differ_imply_all_pairs_between_them():
    found = inferred([(0, 1, 1.0), (2, 3, 1.0), (1, 2, -1.0)])

    assert found == {(0, 2): -1, (0, 3): -1, (1, 3): -1}


def test_answers_are_not_inferred_again():
    assert inferred([(0, 1, 1.0), (1, 2, 1.0), (0, 2, 0.1)]) == {}


def test_an_answer_that_others_contradict_implies_nothing():
    # 0, 1, 2 and 3, 4, 5 are groups; two answers say that they differ, one does not.
    groups = [(0, 1, 1), (1, 2, 1), (3, 4, 1), (4, 5, 1)]
    found = inferred([*groups, (0, 3, -1), (1, 4, -1), (2, 5, 0.8)])

    assert found[0, 2] == found[3, 5] > 0
    assert all(found[pair] < 0 for pair in ((0, 4), (0, 5), (1, 3), (2, 4)))


def test_inferred_judgements_are_the_stronger_the_more_answers_agree():
    tree = [(0, n, 0.5) for n in range(1, 40)]
    found = infer_pairs(PairSet.from_triples(tree))
    agreeing = infer_pairs(
        PairSet.from_triples([*tree, *((n, n + 1, 0.5) for n in range(1, 21))])
    )
    differing = infer_pairs(
        PairSet.from_triples([*tree, *((n, n + 1, -0.5) for n in range(1, 21, 4))])
    )

    assert len(found) > 200
    assert np.abs(found.grade).sum() == pytest.approx(0.27 * 39 * 0.5, rel=0.02)
    assert np.abs(agreeing.grade).sum() == pytest.approx(2.0 * 59 * 0.5, rel=0.05)
    assert np.abs(differing.grade).sum() == pytest.approx(0.1 * 44 * 0.5, rel=0.05)


def test_of_two_clusters_two_unlike_answers_imply_an_alike_one():
    answers = PairSet.from_triples([(0, 1, -1.0), (1, 2, -1.0)])

    assert [(i, j, grade > 0) for i, j, grade in infer_pairs(answers, 2)] == [(0, 2, 1)]
    assert len(infer_pairs(answers, 3)) == 0


def test_true_answers_imply_true_judgements():
    y = np.random.default_rng(0).integers(3, size=40)
    answers = PairSet.from_labels(y, n_pairs=60, random_state=0)

    found = infer_pairs(answers)

    assert len(found) > 100
    assert np.array_equal(found.grade > 0, y[found.i] == y[found.j])


def test_thousands_of_answers_that_agree():
    every = ((a, b, 1.0) for a in range(85) for b in range(a) if (a + b) % 10)

    found = infer_pairs(PairSet.from_triples(every))

    assert len(found) > 50
    assert found.grade == pytest.approx(0.6)


def test_no_answers():
    assert len(infer_pairs(PairSet.empty(4))) == 0


def test_a_fit_tells_of_the_answers_alone():
    y = np.arange(60) % 3
    X = np.random.default_rng(0).normal(size=(60, 2)) + 3 * np.eye(3)[y][:, :2]
    answers = PairSet.from_labels(y, n_pairs=50, random_state=0)
    model = fit_answers(GuidedFDC(3, random_state=0), X, answers, 3)

    assert len(infer_pairs(answers, 3)) > 50
    assert len(model.pair_reliability_) == len(model.held_out_.guided) == 50
    assert list(model.held_out_.pairs) == list(answers)
    assert model.verdict_.n_judgements == 50
