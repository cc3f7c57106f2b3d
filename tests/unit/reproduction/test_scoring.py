"""Counting against the checked criteria."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzzypairs import PairSet, criteria
from fuzzypairs.reproduction import scoring

LABELS = st.integers(2, 40).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(0, 3), min_size=n, max_size=n),
        st.lists(st.integers(-1, 4), min_size=n, max_size=n),
    )
)


def test_a_case_by_hand():
    classes, labels = np.array([0, 0, 0, 1, 1, 2]), np.array([0, 0, 1, 1, 1, 1])
    table = scoring.count_together(classes, labels)
    assert table.tolist() == [[2, 1], [0, 2], [0, 1]]
    assert scoring.nari(table) == pytest.approx(0.518349, abs=1e-6)
    assert scoring.nmi(table) == pytest.approx(0.396654, abs=1e-6)


@given(LABELS)
def test_same_as_the_criteria(both):
    classes, labels = map(np.array, both)
    table = scoring.count_together(classes, labels)
    assert scoring.nari(table) == pytest.approx(
        criteria.normalized_ari(classes, labels)
    )
    assert scoring.nmi(table) == pytest.approx(criteria.nmi(classes, labels), abs=1e-7)
    assert table.shape[1] == len(np.unique(labels))


@given(st.integers(0, 1000), st.booleans())
def test_same_agreement_as_the_criteria(seed, alike_only):
    rng = np.random.default_rng(seed)
    grade = rng.uniform(0.1, 1, 6) * (1 if alike_only else rng.choice([-1, 1], 6))
    pairs = PairSet(np.arange(6), np.arange(6, 12), grade, 12)
    labels = rng.integers(-1, 3, 12)
    assert scoring.sign_agreement(pairs, labels) == pytest.approx(
        criteria.pair_agreement(pairs, labels)
    )
    assert scoring.balanced_agreement(pairs, labels) == pytest.approx(
        criteria.pair_agreement(pairs, labels, method="balanced")
    )
