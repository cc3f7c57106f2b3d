"""What alpha is when nobody chooses, and when prototypes collapse."""

import re

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_wine
from sklearn.preprocessing import scale

from fuzzypairs import FDC, FuzzyCMeans
from fuzzypairs.cluster.defaults import (
    GAINS,
    alpha_at,
    auto_fuzzifier,
    gain_at,
    leading_share,
    parting_fuzzifier,
)
from fuzzypairs.exceptions import ClustersVanishedWarning, PrototypesCoincideWarning

WINE = scale(load_wine().data)
NOISE = np.random.default_rng(0).normal(size=(300, 12))


@pytest.mark.parametrize("g", [1.3, 2.0, 3.0])
@pytest.mark.parametrize("k", [2, 5])
def test_gain_and_alpha_undo_each_other(g, k):
    share = 0.05
    for gain in (1.0, 1.25, 2.0):
        alpha = alpha_at(gain, share, k, g)
        assert gain_at(alpha, share, k, g) == pytest.approx(gain)


def test_where_there_is_no_gain():
    assert np.isnan(gain_at(0.1, None, 3))
    assert np.isnan(gain_at(0.1, 0.2, 1))
    assert gain_at(0.25, 0.2, 2) == np.inf


@pytest.mark.parametrize("share", [0.01, 0.2, 0.7])
def test_the_advised_fuzzifier_has_the_gain(share):
    g = parting_fuzzifier(share)
    assert g > 1.0
    assert gain_at(0.0, share, 3, g) == pytest.approx(1.5)
    assert parting_fuzzifier(0.8) == np.inf


@pytest.mark.parametrize("n_samples", [1, 30, 4000])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_share_is_that_of_directions_from_the_mean(n_samples, dtype):
    X = np.random.default_rng(0).normal(3.0, 1.0, (n_samples, 12)).astype(dtype)
    x = X - X.mean(axis=0, dtype=np.float64)
    lengths = np.linalg.norm(x, axis=1, keepdims=True)
    x = np.divide(x, lengths, out=np.zeros_like(x), where=lengths > 0)
    expected = np.linalg.eigvalsh(x.T @ x / n_samples)[-1]

    assert leading_share(X, None) == pytest.approx(expected, abs=1e-12)
    weight = np.ones(n_samples)
    assert leading_share(X, weight) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("alpha", [0.0, 0.02, "auto"])
@pytest.mark.parametrize("model", [FDC, FuzzyCMeans])
def test_fits_tell_their_gain(model, alpha):
    given = {"alpha": alpha} if model is FDC else {}
    fitted = model(3, random_state=0, **given).fit(WINE)
    share = leading_share(WINE, None)

    expected = 4 * share / (1 - 9 * fitted.alpha_)
    assert fitted.collapse_gain_ == pytest.approx(expected)


def test_the_gain_in_other_spaces():
    fitted = FDC(3, alpha=0.01, metric="rbf", fuzzifier=1.5, random_state=0).fit(WINE)
    share = fitted.collapse_gain_ * (1 - 0.01 * 3**1.5) / 6
    assert 0.0 < share < 1.0
    assert fitted.collapse_gain_ > 1.0
    assert np.isnan(FDC(3, metric="manhattan", random_state=0).fit(WINE).collapse_gain_)
    assert np.isnan(FDC(1, random_state=0).fit(WINE).collapse_gain_)


def test_some_of_many_rows_tell_the_gain():
    X = np.random.default_rng(0).normal(size=(20_001, 3)) * [3.0, 1.0, 1.0]
    some = FuzzyCMeans(2, n_init=1, random_state=0).fit(X).collapse_gain_
    every = 4 * leading_share(X, None)
    assert some != every
    assert some == pytest.approx(every, rel=0.1)
    weight = np.ones(len(X))
    weighted = FuzzyCMeans(2, n_init=1, random_state=0).fit(X, sample_weight=weight)
    assert weighted.collapse_gain_ == pytest.approx(every)


def number_after(words, caught):
    return float(re.search(rf"{words} ([\d.]+\d)", str(caught[0].message))[1])


def test_a_collapse_names_the_alpha_and_the_fuzzifier_that_part():
    with pytest.warns(PrototypesCoincideWarning, match="n_clusters=2") as caught:
        collapsed = FDC(2, alpha=0.0, random_state=0).fit(NOISE)
    assert collapsed.collapse_gain_ < 1.0
    alpha = 1.1 * number_after("an alpha above", caught)
    parted = FDC(2, alpha=alpha, random_state=0).fit(NOISE)
    assert parted.collapse_gain_ > 1.0

    fuzzifier = number_after("a fuzzifier of", caught)
    FDC(2, alpha=0.0, fuzzifier=fuzzifier, random_state=0).fit(NOISE)
    FuzzyCMeans(2, fuzzifier=fuzzifier, random_state=0).fit(NOISE)


@pytest.mark.parametrize("n_clusters", [3, 5, 10])
def test_digits_keep_their_clusters_and_the_advice_parts_them(n_clusters):
    X = scale(load_digits().data)
    with pytest.warns(PrototypesCoincideWarning) as caught:
        model = FDC(n_clusters, n_init=2, random_state=0).fit(X)
    assert model.n_clusters_ == n_clusters
    assert len(caught) == 1
    assert "alpha" not in str(caught[0].message)
    fuzzifier = number_after("fuzzifier (?:of|to)", caught)
    FDC(n_clusters, fuzzifier=fuzzifier, n_init=2, random_state=0).fit(X)


@pytest.mark.parametrize("metric", ["laplacian", "mahalanobis"])
def test_wine_keeps_its_clusters_in_spaces_of_many_directions(metric):
    with pytest.warns(PrototypesCoincideWarning) as caught:
        model = FDC(3, metric=metric, random_state=0).fit(WINE)
    assert model.n_clusters_ == 3
    assert model.collapse_gain_ < GAINS[0] - 0.1  # of what was tried later
    fuzzifier = number_after("fuzzifier (?:of|to)", caught)
    FDC(3, metric=metric, fuzzifier=fuzzifier, random_state=0).fit(WINE)


def test_auto_takes_the_first_gain_where_clusters_stay():
    X = np.random.default_rng(1).normal(size=(200, 6))
    X[:100] += 1.0
    model = FDC(2, random_state=0).fit(X)
    assert model.collapse_gain_ == pytest.approx(GAINS[0])
    larger = FDC(2, random_state=0).fit(1000.0 * X)
    assert larger.alpha_ == pytest.approx(model.alpha_)


def test_a_given_alpha_is_kept_though_clusters_vanish():
    with pytest.warns(ClustersVanishedWarning):
        model = FDC(3, alpha=0.1, random_state=0).fit(WINE)
    assert model.alpha_ == 0.1


@pytest.mark.parametrize("metric", ["euclidean", "rbf", "laplacian", "cosine"])
def test_equal_samples_have_no_gain(metric):
    with pytest.warns(PrototypesCoincideWarning, match="fewer distinct groups"):
        model = FDC(2, metric=metric, random_state=0).fit(np.ones((200, 80)))
    assert not model.collapse_gain_ > 0.0
    np.testing.assert_allclose(model.memberships_.sum(axis=1), 1.0)


# The fuzzifier.


def test_auto_fuzzifier_by_hand():
    """2 g / (g - 1) * share = 2: a share of 1/4 needs g = 4/3, one of 1/2 is enough."""
    assert auto_fuzzifier(0.25) == pytest.approx(4 / 3)
    assert auto_fuzzifier(0.5) == auto_fuzzifier(1.0) == 2.0
    assert auto_fuzzifier(0.001) == 1.1
    assert auto_fuzzifier(None) == auto_fuzzifier(0.0) == 2.0


@pytest.mark.parametrize("estimator", [FDC, FuzzyCMeans])
def test_auto_fuzzifier_keeps_prototypes_apart(estimator):
    X = scale(load_digits().data)
    model = estimator(3, fuzzifier="auto", n_init=1, random_state=0).fit(X)
    assert 1.1 <= model.fuzzifier_ < 1.5
    assert model.collapse_gain_ == pytest.approx(2.0, abs=1e-6)
    same = estimator(3, fuzzifier=model.fuzzifier_, n_init=1, random_state=0).fit(X)
    np.testing.assert_array_equal(model.memberships_, same.memberships_)
    np.testing.assert_array_equal(model.predict_proba(X[:9]), same.predict_proba(X[:9]))


def test_auto_fuzzifier_is_two_on_a_line():
    X = np.random.default_rng(0).normal(size=(50, 1))
    assert FDC(2, fuzzifier="auto", random_state=0).fit(X).fuzzifier_ == 2.0
    with pytest.raises(TypeError, match=r'fuzzifier must be .*"auto"'):
        FDC(2, fuzzifier="hard").fit(X)
