"""Any space, any fuzzifier, any judgements: what holds whatever hypothesis draws."""

import warnings

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import pairwise_distances

import naive_spaces as plain
from fuzzypairs import FDC
from fuzzypairs.exceptions import FuzzyPairsWarning
from fuzzypairs.solvers.free import memberships_of
from fuzzypairs.spaces.metrics import METRICS, resolve_metric
from problems import FEWER, draw_pairs

FEW = settings(max_examples=40)
seeds = st.integers(0, 10**6)
fuzzifiers = st.sampled_from([1.05, 1.2, 1.5, 1.9, 2.0, 2.5, 3.0, 10.0])
# Spaces that are not learned from judgements.
GIVEN = [name for name in METRICS if name != "learned"]
PARAMS = {"minkowski": {"p": 2.7}, "mahalanobis": {"covariance": np.diag([1.0, 2, 3])}}


def samples(metric, rng, n_samples):
    """Data that a metric can read."""
    X = rng.normal(size=(n_samples, 3)) + 3 * rng.integers(0, 2, (n_samples, 3))
    if metric == "jaccard":
        return rng.integers(0, 3, (n_samples, 5)).astype(float)
    if metric == "precomputed":
        return pairwise_distances(X)
    return X @ X.T if metric == "precomputed_kernel" else X


def fit(model, X, **given):
    """Fit; vanishing clusters and a missed `tol` are no failures here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FuzzyPairsWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, **given)


@FEWER
@given(st.sampled_from(GIVEN), fuzzifiers, seeds)
def test_objectives_never_rise_and_rows_stay_on_the_simplex(metric, g, seed):
    rng = np.random.default_rng(seed)
    n_samples, k = int(rng.integers(5, 25)), int(rng.integers(1, 5))
    X = samples(metric, rng, n_samples)
    model = FDC(
        k,
        metric=metric,
        metric_params=PARAMS.get(metric),
        fuzzifier=g,
        alpha=rng.choice([0.0, 0.05, 0.3]) / k**g,
        beta=rng.choice([0.0, 0.1, 1.0, 100.0]),
        init=rng.dirichlet(np.ones(k), n_samples),
        tol=1e-7,
    )
    pairs = draw_pairs(rng, n_samples, int(rng.integers(0, n_samples)))
    fit(model, X, pairs=pairs, sample_weight=rng.uniform(0.1, 3, n_samples))
    U, history = model.memberships_, model.objective_history_
    assert np.isfinite(history).all()
    assert U.min() >= 0
    assert np.abs(U.sum(axis=1) - 1).max() <= 1e-12
    rise = np.diff(history)[np.diff(model.n_clusters_history_) == 0]
    assert rise.max(initial=0.0) <= 1e-9 * np.abs(history).max()
    assert history[-1] == model.objective_


@FEWER
@given(st.sampled_from(GIVEN), seeds, st.booleans())
def test_prototypes_are_best(metric, seed, is_signed):
    # No sample, and no prototype nearby, would do better; whatever the signs.
    rng = np.random.default_rng(seed)
    n_samples = int(rng.integers(2, 30))
    space = resolve_metric(metric, PARAMS.get(metric))
    space = space.fit(samples(metric, rng, n_samples))
    W = rng.uniform(0.1, 1, (n_samples, 2)) - is_signed * rng.uniform(0, 0.4)
    rows = rng.integers(n_samples, size=2)
    P = space.prototypes(W, space.at_samples(rows))

    def value(P):
        return (W * space.distances(P)).sum(axis=0)

    slack = 1e-9 * (abs(W) * space.distances(P)).sum()
    assert (value(P) <= value(space.at_samples(rows)) + slack).all()
    for _ in range(5):
        step = rng.normal(size=P.shape)
        if not space.explicit:
            step -= step.mean(axis=1, keepdims=True)  # coefficients sum to one
        for length in (1e-3, 1e-5):
            assert (value(P) <= value(P + length * step) + slack).all()


@FEWER
@given(fuzzifiers, seeds, st.sampled_from([1e-40, 1e-9, 1.0, 1e9, 1e200]))
def test_free_rows(g, seed, scale):
    rng = np.random.default_rng(seed)
    d = rng.uniform(0, 1, (7, int(rng.integers(1, 6))))
    d[rng.random(d.shape) < 0.1] = 0.0
    U = memberships_of(scale * d, g)
    expected = [plain.free_row(row, g) for row in d]
    np.testing.assert_allclose(U, expected, rtol=0, atol=1e-12)


@FEW
@given(st.sampled_from(GIVEN), st.sampled_from([1.2, 1.5, 2.0, 3.0]), seeds)
def test_order_of_rows(metric, g, seed):
    # Clear clusters and weak pairs: one valley, whatever the path.
    rng = np.random.default_rng(seed)
    labels = np.arange(18) % 2
    X = rng.normal(size=(18, 3)) + np.where(labels, 4.0, -4.0)[:, None] * [1, 1, 0]
    pairs = draw_pairs(rng, 18, 4)
    order = rng.permutation(18)
    place = np.argsort(order)
    moved = [(int(place[p]), int(place[q]), s) for p, q, s in pairs]

    def run(X, start, pairs):
        if metric == "jaccard":
            X = (X > 0) * 1.0 + (np.abs(X) > 5)
        if metric == "precomputed":
            X = pairwise_distances(X)
        X = X @ X.T if metric == "precomputed_kernel" else X
        model = FDC(
            2,
            metric=metric,
            metric_params=PARAMS.get(metric),
            fuzzifier=g,
            alpha=0.0,
            beta=0.1,
            init=start,
            tol=1e-9,
            max_iter=3000,
        )
        return fit(model, X, pairs=pairs)

    one = run(X, labels, pairs)
    other = run(X[order], labels[order], moved)
    np.testing.assert_allclose(
        other.memberships_[place], one.memberships_, rtol=0, atol=1e-6
    )
