"""Progress of runs is told to those who watch, and changes nothing."""

import numpy as np
import pytest

from fuzzypairs import FDC
from fuzzypairs.solvers.watching import watch_runs

X = np.random.default_rng(0).normal(size=(40, 2))


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_each_run_is_told_once(metric):
    model = FDC(2, alpha=0, n_init=3, metric=metric, random_state=0)
    unwatched, seen = model.fit(X).memberships_, []
    with watch_runs(lambda *step: seen.append(step)):
        watched = model.fit(X).memberships_
    model.fit(X)

    assert seen == [(1, 3), (2, 3), (3, 3)]
    np.testing.assert_array_equal(watched, unwatched)
