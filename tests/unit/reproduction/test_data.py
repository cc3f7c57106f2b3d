"""Benchmark data with their judgements."""

import numpy as np
import pytest

from fuzzypairs.datasets import available
from fuzzypairs.reproduction.data import BENCHMARKS, FACES, load_benchmark


def test_benchmarks_are_those_of_the_paper():
    assert len(BENCHMARKS) == 19
    assert BENCHMARKS[4] == "wine"


def test_data_are_standardised():
    wine = load_benchmark("wine", "", 0)
    np.testing.assert_allclose(wine.X.mean(axis=0), 0, atol=1e-9)
    np.testing.assert_allclose(wine.X.std(axis=0), 1, atol=1e-9)
    assert np.unique(wine.classes).tolist() == [0, 1, 2]
    assert wine.memberships is None
    assert len(wine.pairs) == 0


def test_a_draw_seeds_the_judgements():
    drawn = [load_benchmark("wine", "iv", draw).pairs for draw in (0, 0, 1)]
    assert list(drawn[0]) == list(drawn[1]) != list(drawn[2])
    assert {len(pairs) for pairs in drawn} == {18}


def test_faces_have_graded_truth():
    if FACES not in available():
        pytest.skip(f"{FACES} is not on this machine: set FUZZYPAIRS_DATA")
    faces = load_benchmark(FACES, "v", 0)
    assert faces.memberships.shape == (len(faces.X), 5)
    np.testing.assert_allclose(faces.memberships.sum(axis=1), 1)
    np.testing.assert_array_equal(faces.memberships.argmax(axis=1), faces.classes)
