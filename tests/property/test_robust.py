"""Doubt on random problems: the objective falls, weights and memberships are sound."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from problems import FEWER, scattered


@FEWER
@given(scattered(), st.sampled_from([0.1, 0.5, True, 2.0]))
def test_no_round_raises_the_objective(problem, robust):
    model = problem.fit(robust=robust)
    values, sizes = model.objective_history_, model.n_clusters_history_
    assert len(values) == len(sizes)
    rises = np.diff(values)[sizes[1:] == sizes[:-1]]
    size = problem.scatter + problem.beta * len(problem.pairs)
    assert rises.max(initial=0.0) <= 1e-12 * size


@FEWER
@given(scattered(), st.sampled_from([0.1, True]))
def test_weights_and_memberships_are_sound(problem, robust):
    model = problem.fit(robust=robust)
    weight = model.pair_reliability_
    judged = weight[~np.isnan(weight)]
    assert ((judged >= 0.0) & (judged <= 1.0)).all()
    assert (model.memberships_ >= 0.0).all()
    np.testing.assert_allclose(model.memberships_.sum(axis=1), 1.0, atol=1e-12)
    assert np.isfinite(model.objective_)
