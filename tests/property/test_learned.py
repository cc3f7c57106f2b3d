"""Learned spaces on random problems: memberships are valid, and the same each time."""

import warnings

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from fuzzypairs import FDC, GuidedFDC, PairSet
from fuzzypairs.exceptions import FuzzyPairsWarning
from fuzzypairs.spaces.learned import FeatureWeights, SimplexMap
from problems import draw_pairs


@st.composite
def problems(draw):
    """Data and random judgements, of both kinds or one."""
    n_samples, n_features = draw(st.integers(6, 25)), draw(st.integers(1, 5))
    n_pairs, low = draw(st.integers(1, 30)), draw(st.sampled_from([-1.0, 0.0]))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    X = rng.normal(size=(n_samples, n_features)) + 3 * rng.integers(2, size=n_features)
    X *= draw(st.sampled_from([1e-3, 1.0, 1e3]))
    return X, PairSet.from_triples(draw_pairs(rng, n_samples, n_pairs, low), n_samples)


@settings(max_examples=25)
@given(
    problems(),
    st.sampled_from([GuidedFDC(), FDC(metric="learned")]),
    st.integers(1, 4),
    st.booleans(),
)
def test_fits_are_valid_and_the_same_each_time(problem, model, n_clusters, robust):
    X, pairs = problem
    model = clone(model).set_params(n_clusters=n_clusters, robust=robust)
    model.set_params(n_init=2, random_state=0)
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FuzzyPairsWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        for n_jobs in (1, 2):
            model.set_params(n_jobs=n_jobs).fit(X, pairs=pairs)
            found.append((model.memberships_, model.predict_proba(X)))
    for U in found[0]:
        assert np.isfinite(U).all()
        assert (U >= 0.0).all()
        np.testing.assert_allclose(U.sum(axis=1), 1.0, atol=1e-12)
    assert np.isfinite(model.cluster_centers_).all()
    assert np.isfinite(model.objective_)
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)


@settings(max_examples=40)
@given(
    problems(),
    st.sampled_from([FeatureWeights(), SimplexMap("linear"), SimplexMap("rbf")]),
    st.integers(1, 4),
)
def test_maps_are_valid(problem, space, n_clusters):
    X, pairs = problem
    labels = np.unique(np.arange(len(X)) % n_clusters, return_inverse=True)[1]
    learned = space.learn(X, pairs, labels)
    assert np.isfinite(learned.feature_weights).all()
    assert (learned.feature_weights >= 0.0).all()
    V = learned.map(X)
    assert np.isfinite(V).all()
    if isinstance(space, SimplexMap):
        assert V.shape == (len(X), n_clusters)
        np.testing.assert_allclose(V.sum(axis=1), 1.0, atol=1e-12)
    np.testing.assert_allclose(learned.map(X[:3]), V[:3], atol=1e-12)
