"""FDC in a learned space: what is learned, which form is chosen, errors."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score

from fuzzypairs import FDC, PairSet, load, save
from fuzzypairs.cluster.learned_fit import N_SPLITS
from fuzzypairs.exceptions import ClustersVanishedWarning
from fuzzypairs.spaces.learned import SimplexMap

LEARNED = {"held_out_agreement_", "feature_weights_"}
TRUTH = np.arange(90) // 2 % 2


@pytest.fixture(scope="module", name="X")
def crossed():
    """90 samples that cluster by feature 0, in classes by feature 2."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3))
    X[:, 0] += 6 * (np.arange(90) % 2)
    X[:, 2] += 4 * TRUTH
    return X


@pytest.fixture(scope="module")
def pairs():
    return PairSet.from_labels(TRUTH, n_pairs=30, random_state=1)


def fit(X, pairs=None, sample_weight=None, **params):
    usual = {"n_clusters": 2, "metric": "learned", "n_init": 2, "random_state": 0}
    return FDC(**(usual | params)).fit(X, pairs=pairs, sample_weight=sample_weight)


def fitted(model):
    return {name for name in vars(model) if name.endswith("_")}


def assert_same(model, other):
    assert fitted(model) == fitted(other)
    for name in fitted(other) - {"propagation_"}:
        np.testing.assert_array_equal(getattr(model, name), getattr(other, name), name)


def test_judgements_move_all_samples(X, pairs):
    paper, model = fit(X, pairs, metric="euclidean"), fit(X, pairs)
    assert adjusted_rand_score(TRUTH, paper.labels_) < 0.3
    assert adjusted_rand_score(TRUTH, model.labels_) > 0.8
    assert set(model.held_out_agreement_) == {"linear", "rbf"}
    assert model.feature_weights_.argmax() == 2
    assert model.feature_weights_.sum() == pytest.approx(1.0)
    assert model.alpha_ == 0.0


@pytest.mark.parametrize("weighted", [False, True])
def test_centers_are_means_of_squared_memberships(X, pairs, weighted):
    weight = np.random.default_rng(0).uniform(0.5, 2, 90) if weighted else None
    model = fit(X, pairs, weight)
    for center, u in zip(model.cluster_centers_, model.memberships_.T, strict=True):
        W = u**2 if weight is None else weight * u**2
        np.testing.assert_allclose(center, np.average(X, axis=0, weights=W))


def test_diagonal_centers_are_in_the_units_of_x(X, pairs):
    model = fit(X, pairs, metric_params={"form": "diagonal"})
    W = model.memberships_**2 - model.alpha_
    np.testing.assert_allclose(
        model.cluster_centers_, W.T @ X / W.sum(axis=0)[:, None], atol=0.02
    )
    gap = X[:, None] - model.cluster_centers_
    expected = np.sqrt((model.feature_weights_ * gap**2).sum(axis=2))
    np.testing.assert_allclose(model.transform(X), expected)


@pytest.mark.parametrize("form", ["auto", "diagonal", "linear", "rbf"])
def test_new_rows_are_assigned_as_unjudged_ones(X, pairs, form):
    model = fit(X, pairs, metric_params={"form": form})
    unjudged = np.setdiff1d(np.arange(90), np.r_[pairs.i, pairs.j])
    assert len(unjudged) > 20
    np.testing.assert_allclose(
        model.predict_proba(X)[unjudged], model.memberships_[unjudged], atol=1e-6
    )
    np.testing.assert_array_equal(model.predict(X)[unjudged], model.labels_[unjudged])


def test_a_learned_space_is_a_metric_of_its_own(X, pairs):
    space = SimplexMap("linear").learn(X, pairs, np.arange(90) % 2)
    model = fit(X, pairs, metric=space)
    assert adjusted_rand_score(TRUTH, model.labels_) > 0.8
    assert not fitted(model) & LEARNED


# Which form.


def test_trials_start_from_clusters_that_saw_no_judgement(X, pairs, monkeypatch):
    starts = []
    solve = SimplexMap.solve

    def watched(self, features, train, labels, *more):
        starts.append((len(train), labels))
        return solve(self, features, train, labels, *more)

    monkeypatch.setattr(SimplexMap, "solve", watched)
    model = fit(X, pairs)
    alone = FDC(2, n_init=2, random_state=0).fit(X)
    assert len(starts) == 2 * N_SPLITS + 1
    for n_pairs, labels in starts[:-1]:
        assert n_pairs < len(pairs)
        assert abs(adjusted_rand_score(labels, alone.labels_) - 1.0) < 1e-12
    best = max(model.held_out_agreement_, key=model.held_out_agreement_.get)
    assert model._space.form == best


def test_an_asked_form_is_learned_without_trials(X, pairs):
    for form in ("linear", "rbf", "diagonal"):
        model = fit(X, pairs, metric_params={"form": form})
        assert model.held_out_agreement_ == {}


@pytest.mark.parametrize(
    "triples", [[(0, 2, 1.0)], [(i, i + 1, -1.0) for i in range(9)]]
)
def test_few_judgements_weigh_features(X, triples):
    model = fit(X, triples)
    assert_same(model, fit(X, triples, metric_params={"form": "diagonal"}))
    assert model.held_out_agreement_ == {}


def test_fewer_clusters_are_said(X, pairs):
    with pytest.warns(ClustersVanishedWarning, match=r"of 6 clusters, .* explained"):
        model = fit(X, pairs, n_clusters=6)
    assert model.n_clusters_ < 6


# As an estimator.


def test_neither_threads_nor_a_second_fit_matter(X, pairs):
    one = fit(X, pairs, n_jobs=1)
    for n_jobs in (1, 2):
        assert_same(fit(X, pairs, n_jobs=n_jobs), one)


@pytest.mark.parametrize("form", ["auto", "diagonal", "rbf"])
def test_save_and_load(tmp_path, X, pairs, form):
    model = fit(X, pairs, metric_params={"form": form})
    save(model, tmp_path / "model.skops")
    again = load(tmp_path / "model.skops")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert again.held_out_agreement_ == model.held_out_agreement_


def test_clones_have_learned_nothing(X, pairs):
    model = fit(X, pairs, metric_params={"form": "linear"})
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    assert not fitted(copy)
    assert_same(copy.fit(X, pairs=pairs), model)


def test_a_fit_leaves_the_parameters_alone(X, pairs):
    params = {"form": "linear", "prior": 2.0}
    model = fit(X, pairs, metric_params=params)
    assert model.metric_params is params
    assert params == {"form": "linear", "prior": 2.0}
    assert model.n_clusters == 2
    assert model.alpha == model.beta == "auto"


@pytest.mark.parametrize(
    "second",
    [
        {"metric": "euclidean"},
        {"metric": "rbf"},
        {"metric": "euclidean", "robust": True},
    ],
    ids=str,
)
def test_a_second_fit_leaves_nothing_of_the_first(X, pairs, second):
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = fit(frame, pairs, propagate=True, robust=True)
    few = PairSet(pairs.i[:4], pairs.j[:4], pairs.grade[:4], 90)
    second = {"propagate": False, "robust": False, **second}
    model.set_params(**second).fit(X, pairs=few)
    assert_same(model, fit(X, few, **second))


@pytest.mark.parametrize("metric", ["learned", "euclidean"])
def test_only_asked_judgements_have_a_reliability(X, pairs, metric):
    model = fit(X, pairs, metric=metric, propagate=0.8, robust=True)
    assert len(model.propagation_.pairs) > len(pairs)
    assert model.pair_reliability_.shape == (len(pairs),)
    assert ((model.pair_reliability_ >= 0.0) & (model.pair_reliability_ <= 1.0)).all()


# Mistakes.


def test_propagation_needs_vectors(X, pairs):
    for metric in ("precomputed", "precomputed_kernel"):
        with pytest.raises(ValueError, match=r"propagate=True .* neighbours"):
            fit(X @ X.T, pairs, metric=metric, propagate=True)


@pytest.mark.parametrize(
    "options",
    [{"pairs": None}, {"pairs": [(0, 1, 0.0)]}, {"beta": 0.0}],
    ids=["none", "cannot say", "beta=0"],
)
def test_learning_needs_judgements(X, pairs, options):
    with pytest.raises(ValueError, match=r"learns from judgements, .* none"):
        fit(X, **({"pairs": pairs} | options))


def test_learning_needs_dense_rows(X, pairs):
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        fit(sparse.csr_array(X), pairs)


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"form": "cubic"}, r'"form"\] must be one of "auto", "diagonal"'),
        ({"prior": 0}, r'"prior"\] must be above 0, got 0'),
        ({"ridge": -1.0}, r'"ridge"\] must be finite, 0 or more and .*, got -1'),
        ({"sharpness": np.inf}, r'"sharpness"\] must be finite'),
        ({"doubt": 0.5}, r'"doubt"\] must be .* below 0.5, got 0.5'),
        ({"n_components": 0}, r'"n_components"\] must be 1 or more, got 0'),
        ({"gamma": 1.0}, r"metric_params has 'gamma', but metric is \"learned\""),
        ({"form": "diagonal", "ridge": 1.0}, r"'ridge'.* of the form \"diagonal\""),
    ],
    ids=str,
)
def test_bad_parameters(X, pairs, params, words):
    with pytest.raises(ValueError, match=words):
        fit(X, pairs, metric_params=params)


def test_a_space_without_a_map_says_what_to_do(X, pairs):
    with pytest.raises(
        ValueError, match=r'SimplexMap has not learned .*metric="learned"'
    ):
        fit(X, pairs, metric=SimplexMap())
