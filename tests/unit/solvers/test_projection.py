"""Runs that begin in few directions of wide data."""

import warnings

import numpy as np
import pytest

from fuzzypairs import FDC, PairSet
from fuzzypairs.cluster import prototypes
from fuzzypairs.solvers import fused, projection
from fuzzypairs.solvers.fused import FusedPasses


@pytest.fixture
def wide(monkeypatch):
    """Samples of 80 features, nearly all of whose variance is in five directions."""
    monkeypatch.setattr(projection, "FROM_SAMPLES", 1000)
    monkeypatch.setattr(fused, "LONG_FROM", 0)
    rng = np.random.default_rng(0)
    y = rng.integers(4, size=1500)
    places = 3.0 * rng.normal(size=(4, 5))[y] + rng.normal(size=(1500, 5))
    turn = np.linalg.qr(rng.normal(size=(80, 80)))[0]
    X = places @ turn[:5] + 0.02 * rng.normal(size=(1500, 80)) + 7.0
    return X, y


def fit(X, pairs=None, **options):
    model = FDC(4, metric="euclidean", random_state=0, tol=1e-8, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, pairs=pairs)


def spy_on_widths(monkeypatch):
    """Return a list that will hold the number of features of every run's passes."""
    widths, begin = [], FusedPasses.descend

    def descend(self, *given, **options):
        found = begin(self, *given, **options)
        widths.extend([self.X.shape[1]] * found.n_iter)
        return found

    monkeypatch.setattr(FusedPasses, "descend", descend)
    return widths


@pytest.mark.parametrize("alpha", [0.0, 0.02])
@pytest.mark.parametrize("judged", [False, True])
@pytest.mark.parametrize("by_products", [False, True])
def test_runs_end_where_runs_in_all_directions_end(
    wide, monkeypatch, alpha, judged, by_products
):
    X, y = wide
    pairs = PairSet.from_labels(y, n_pairs=60, random_state=0) if judged else None
    if by_products:
        monkeypatch.setattr(fused, "PRODUCTS_FROM", 1)
    widths = spy_on_widths(monkeypatch)
    model = fit(X, pairs, alpha=alpha)
    assert widths.count(5) > widths.count(80) > 0
    assert model.n_iter_ == widths.count(80)
    assert model.converged_
    monkeypatch.setattr(projection, "FROM_SAMPLES", 10_000)
    plain = fit(X, pairs, alpha=alpha)
    assert model.objective_ == pytest.approx(plain.objective_, rel=1e-9)
    order = [
        np.linalg.norm(plain.cluster_centers_ - c, axis=1).argmin()
        for c in model.cluster_centers_
    ]
    np.testing.assert_allclose(
        model.memberships_, plain.memberships_[:, order], atol=1e-5
    )


def test_threads_change_nothing(wide):
    X, y = wide
    pairs = PairSet.from_labels(y, n_pairs=60, random_state=0)
    one, two = (fit(X, pairs, n_jobs=n) for n in (1, 2))
    np.testing.assert_array_equal(one.memberships_, two.memberships_)


def test_weights_and_clusters_that_vanish(wide, monkeypatch):
    X, _ = wide
    widths = spy_on_widths(monkeypatch)
    weight = np.random.default_rng(1).uniform(0.5, 2.0, len(X))
    model = FDC(12, alpha=0.08, metric="euclidean", random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, sample_weight=weight)
    assert 5 in widths
    assert 1 <= model.n_clusters_ < 12
    assert model.memberships_.shape == (1500, model.n_clusters_)
    np.testing.assert_allclose(model.memberships_.sum(axis=1), 1.0)


def test_data_without_few_directions_are_fitted_as_they_are(wide, monkeypatch):
    widths = spy_on_widths(monkeypatch)
    fit(np.random.default_rng(0).normal(size=(1500, 80)), alpha=0.0)
    assert set(widths) == {80}


def test_constant_data(wide):
    model = fit(np.full((1500, 80), 3.0), alpha=0.0)
    np.testing.assert_allclose(model.memberships_.sum(axis=1), 1.0)


def test_directions_are_looked_for_once_for_all_alphas(wide, monkeypatch):
    calls, find = [], fused.leading_directions
    monkeypatch.setattr(
        fused, "leading_directions", lambda *a: calls.append(1) or find(*a)
    )
    # The first makes clusters vanish.
    monkeypatch.setattr(prototypes, "alphas_to_try", lambda *_: [0.5, 0.0])
    model = fit(wide[0])
    assert model.alpha_ == 0.0
    assert model.n_clusters_ == 4
    assert len(calls) == 1
