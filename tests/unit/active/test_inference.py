"""Judgements that follow from two others."""

import numpy as np
import pytest

from fuzzypairs import PairSet
from fuzzypairs.active import infer_pairs


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (1.0, 1.0, 1.0),
        (0.9, 0.8, 0.72),
        (1.0, -0.7, -0.7),
        (0.8, -0.5, -0.4),
        (0.4, 1.0, None),  # undecided
        (-1.0, -1.0, None),  # two unlike pairs say nothing of the third
    ],
)
def test_two_answers_with_a_sample_in_common(first, second, expected):
    answers = PairSet.from_triples([(0, 1, first), (1, 2, second)])

    inferred = {(i, j): grade for i, j, grade in infer_pairs(answers)}

    if expected is None:
        assert inferred == {}
    else:
        assert inferred == {(0, 2): pytest.approx(expected)}


def test_answers_are_not_inferred_again():
    answers = PairSet.from_triples([(0, 1, 1.0), (1, 2, 1.0), (0, 2, 0.1)])

    assert len(infer_pairs(answers)) == 0


def test_only_one_sample_lies_between():
    chain = PairSet.from_triples([(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0)])

    assert [(i, j) for i, j, _ in infer_pairs(chain)] == [(0, 2), (1, 3)]


def test_contradictions_imply_nothing():
    answers = PairSet.from_triples([(0, 1, 1), (1, 2, 1), (0, 3, 1), (3, 2, -1)])

    assert (0, 2) not in {(i, j) for i, j, _ in infer_pairs(answers)}


def test_the_strongest_of_several_is_taken():
    answers = PairSet.from_triples([(0, 1, 0.6), (1, 2, 1), (0, 3, 0.9), (3, 2, 1)])

    assert {(i, j): s for i, j, s in infer_pairs(answers)}[0, 2] == pytest.approx(0.9)


def test_true_answers_imply_true_judgements():
    y = np.random.default_rng(0).integers(3, size=40)
    answers = PairSet.from_labels(y, n_pairs=60, random_state=0)

    inferred = infer_pairs(answers)

    assert len(inferred) > 20
    assert np.array_equal(inferred.grade > 0, y[inferred.i] == y[inferred.j])


def test_no_answers():
    assert len(infer_pairs(PairSet.empty(4))) == 0
