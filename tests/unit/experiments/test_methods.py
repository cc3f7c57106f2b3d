"""The table of methods: each runs on a small problem, or says what it needs."""

import importlib.util

import numpy as np
import pytest

from experiments.methods import METHODS, Problem
from fuzzypairs import PairSet

NEEDS = {
    "ITML + k-means": "metric_learn",
    "MMC + k-means": "metric_learn",
    "COP-means": "active_semi_clustering",
    "COBRAS": "cobras_ts",
}


@pytest.fixture(scope="module")
def problem():
    """Two groups of 20, and 12 judgements of both kinds."""
    y = np.repeat([0, 1], 20)
    X = np.random.default_rng(0).normal(size=(40, 3)) + 6.0 * y[:, None]
    return Problem(X, y, PairSet.from_labels(y, n_pairs=12, random_state=0), 0, 0.0, X)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", METHODS)
def test_every_method_finds_groups_far_apart(name, problem):
    package = NEEDS.get(name)
    if package and importlib.util.find_spec(package) is None:
        pytest.skip(f"{name} needs {package}: pip install 'fuzzypairs[experiments]'")
    found = METHODS[name].fit(problem)
    same = found.labels[:, None] == found.labels
    np.testing.assert_array_equal(same, problem.y[:, None] == problem.y)
    if found.memberships is not None:
        np.testing.assert_allclose(found.memberships.sum(axis=1), 1.0)
