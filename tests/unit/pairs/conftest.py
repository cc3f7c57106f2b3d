"""Judgements that several modules test with."""

import pytest

from fuzzypairs.pairs import PairSet


@pytest.fixture
def pairs():
    """An alike pair, an unlike pair and a "can't say" on twelve samples."""
    return PairSet.from_triples([(5, 0, 0.8), (3, 9, -0.6), (2, 1, 0)], n_samples=12)
