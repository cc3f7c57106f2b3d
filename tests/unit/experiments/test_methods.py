"""The table of methods: each runs, and choices take the best candidate."""

import numpy as np
import pytest

from experiments import methods
from experiments.methods import METHODS, TINY, Method
from fuzzypairs import FDC
from fuzzypairs.criteria import normalized_ari


@pytest.mark.filterwarnings("ignore::fuzzypairs.exceptions.FuzzyPairsWarning")
@pytest.mark.parametrize("name", METHODS)
def test_every_method_runs(name):
    labels, _ = METHODS[name].labels(TINY)
    assert labels.shape == (12,)


def test_choice_by_truth_takes_the_best_candidate():
    def counts(problem):
        return [{"n_clusters": 1}, {"n_clusters": 2}, {"n_clusters": 3}]

    method = Method(FDC, grid=counts)
    X = np.array([[0.0], [0.1], [5.0], [5.1], [9.0], [9.1]])
    y = np.array([0, 0, 1, 1, 2, 2])
    problem = methods.Problem(X, y, TINY.pairs.restrict(range(6)), 0)

    labels, chosen = method.labels(problem)
    assert chosen == {"n_clusters": 3}
    assert normalized_ari(y, labels) == 1


def test_a_changed_method_is_another_trial(monkeypatch):
    before = METHODS["FDC by truth"].describe()
    monkeypatch.setattr(methods, "paper_grid", lambda problem: [])

    assert METHODS["FDC by truth"].describe() != before
    assert METHODS["FDC literal"].describe() != METHODS["FDC base"].describe()
