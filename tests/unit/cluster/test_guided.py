"""GuidedFDC, and FDC in a learned space: what is kept, when it falls back, errors."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score

from fuzzypairs import FDC, GuidedFDC, PairSet, load, save
from fuzzypairs.cluster.verdict import assess
from fuzzypairs.exceptions import ClustersVanishedWarning
from fuzzypairs.spaces.learned import Learned

LEARNED = {
    "model_",
    "metric_",
    "held_out_",
    "held_out_agreement_",
    "verdict_",
    "feature_weights_",
}


@pytest.fixture(scope="module", name="X")
def crossed():
    """90 samples that cluster by feature 0, in classes by feature 2."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3))
    X[:, 0] += 6 * (np.arange(90) % 2)
    X[:, 2] += 4 * TRUTH
    return X


TRUTH = np.arange(90) // 2 % 2


@pytest.fixture(scope="module")
def pairs():
    return PairSet.from_labels(TRUTH, n_pairs=30, random_state=1)


@pytest.fixture(scope="module")
def model(X, pairs):
    return fit(X, pairs)


def fit(X, pairs=None, sample_weight=None, **params):
    """Fit FDC if a metric is named, and GuidedFDC if not."""
    estimator = FDC if "metric" in params else GuidedFDC
    model = estimator(**({"n_clusters": 2, "n_init": 2, "random_state": 0} | params))
    return model.fit(X, pairs=pairs, sample_weight=sample_weight)


def fitted(model):
    return {name for name in vars(model) if name.endswith("_")}


def assert_same(model, other):
    assert fitted(model) - LEARNED == fitted(other) - LEARNED
    for name in fitted(other) - LEARNED - {"propagation_"}:
        np.testing.assert_array_equal(getattr(model, name), getattr(other, name), name)


# What a learned space gives.


def test_judgements_move_all_samples(X, pairs, model):
    alone, paper = fit(X), fit(X, pairs, metric="euclidean")
    assert adjusted_rand_score(TRUTH, alone.labels_) < 0.1
    assert adjusted_rand_score(TRUTH, paper.labels_) < 0.3
    assert adjusted_rand_score(TRUTH, model.labels_) > 0.8


def test_attributes(X, model):
    assert model.metric_ == "learned"
    scores = model.held_out_agreement_
    assert set(scores) == {"guided", "unguided"}
    assert 0.0 <= scores["unguided"] < scores["guided"] <= 1.0
    assert model.held_out_.guided.shape == model.held_out_.unguided.shape == (30,)
    assert model.verdict_ == assess(model.held_out_)
    assert model.verdict_.level == "strong"
    assert model.feature_weights_.shape == (3,)
    assert model.feature_weights_.argmax() == 2
    assert model.feature_weights_.sum() == pytest.approx(1.0)
    assert model.alpha_ == 0.0
    np.testing.assert_allclose(model.memberships_.sum(axis=1), 1.0, atol=1e-12)
    assert (model.memberships_ >= 0.0).all()


@pytest.mark.parametrize("weighted", [False, True])
def test_centers_are_means_of_squared_memberships(X, pairs, weighted):
    weight = np.random.default_rng(0).uniform(0.5, 2, 90) if weighted else None
    model = fit(X, pairs, weight, metric="learned")
    for center, u in zip(model.cluster_centers_, model.memberships_.T, strict=True):
        W = u**2 if weight is None else weight * u**2
        np.testing.assert_allclose(center, np.average(X, axis=0, weights=W))


def test_diagonal_centers_are_in_the_units_of_x(X, pairs):
    model = fit(X, pairs, metric="learned", metric_params={"form": "diagonal"})
    W = model.memberships_**2 - model.alpha_
    np.testing.assert_allclose(
        model.cluster_centers_, W.T @ X / W.sum(axis=0)[:, None], atol=0.02
    )
    gap = X[:, None] - model.cluster_centers_
    expected = np.sqrt((model.feature_weights_ * gap**2).sum(axis=2))
    np.testing.assert_allclose(model.transform(X), expected)


@pytest.mark.parametrize("form", ["auto", "diagonal", "linear", "rbf"])
def test_new_rows_are_assigned_as_unjudged_ones(X, pairs, form):
    model = fit(X, pairs, metric="learned", metric_params={"form": form})
    unjudged = np.setdiff1d(np.arange(90), np.r_[pairs.i, pairs.j])
    assert len(unjudged) > 20
    np.testing.assert_allclose(
        model.predict_proba(X)[unjudged], model.memberships_[unjudged], atol=1e-6
    )
    np.testing.assert_array_equal(model.predict(X)[unjudged], model.labels_[unjudged])


def test_coordinates_in_the_space_that_was_chosen(X, pairs, model):
    # Without judgements the samples' own space; a learned one is the simplex.
    np.testing.assert_array_equal(fit(X).embed(X), X)
    assert model.metric_ == "learned"
    V = model.embed(X)
    np.testing.assert_allclose(V.sum(axis=1), 1.0)
    centers = (model.memberships_**2).T @ V
    centers /= (model.memberships_**2).sum(axis=0)[:, None]
    gap = np.linalg.norm(V[:, None] - centers, axis=2)
    np.testing.assert_allclose(model.transform(X), gap, atol=1e-3)
    with pytest.raises(ValueError, match="features"):
        model.embed(X[:, :1])


def test_a_taught_space_is_a_metric_of_its_own(X, pairs):
    space = Learned("linear").teach(X, pairs, np.arange(90) % 2)
    model = fit(X, pairs, metric=space)
    assert adjusted_rand_score(TRUTH, model.labels_) > 0.8
    assert not fitted(model) & LEARNED


@pytest.mark.parametrize(
    "triples", [[(0, 2, 1.0)], [(i, i + 1, -1.0) for i in range(9)]]
)
def test_few_judgements_weigh_features(X, triples):
    model = fit(X, triples, metric="learned")
    diagonal = {"metric": "learned", "metric_params": {"form": "diagonal"}}
    assert_same(model, fit(X, triples, **diagonal))
    assert model.held_out_agreement_ == {}


def test_fewer_clusters_are_said(X, pairs):
    with pytest.warns(ClustersVanishedWarning, match=r"of 6 clusters, .* explained"):
        model = fit(X, pairs, n_clusters=6, metric="learned")
    assert model.n_clusters_ < 6


# When it falls back on the paper's model.


@pytest.mark.parametrize("beta", [0.0, 3.0])
def test_a_number_for_beta_is_the_papers_model(X, pairs, beta):
    model = fit(X, pairs, beta=beta)
    assert_same(model, fit(X, pairs, beta=beta, metric="euclidean"))
    assert model.metric_ == "euclidean"
    assert "feature_weights_" not in fitted(model)
    assert model.verdict_.level == "none"


@pytest.mark.parametrize(
    "triples",
    [
        None,
        [],
        [(0, 1, 0.0)] * 9,
        [(0, 1, 1.0), (2, 3, -1.0), (4, 5, 1.0), (6, 7, 1.0)],
        [(i, i + 1, 1.0) for i in range(0, 20, 2)],
        [(i, i + 1, -0.5) for i in range(0, 20, 2)],
    ],
    ids=["none", "empty", "cannot say", "few", "alike only", "unlike only"],
)
def test_what_cannot_teach_is_only_spread(X, triples):
    model = fit(X, triples)
    assert_same(model, fit(X, triples, metric="euclidean", propagate="auto"))
    assert model.metric_ == "euclidean"


def test_no_judgements_are_the_papers_model(X):
    assert_same(fit(X), fit(X, metric="euclidean"))


def test_judgements_that_are_not_confirmed_teach_nothing(X):
    labels = fit(X).labels_
    right = PairSet.from_labels(labels, n_pairs=30, random_state=0)
    wrong = PairSet(right.i, right.j, -right.grade, 90)
    model = fit(X, wrong)
    assert_same(model, fit(X, wrong, metric="euclidean", propagate="auto"))
    assert model.metric_ == "euclidean"
    assert model.held_out_agreement_["unguided"] < 0.1
    assert model.verdict_.level == "unusable"
    assert "feature_weights_" not in fitted(model)


@pytest.mark.parametrize("scale", [1e-100, 1e-20, 1e20, 1e100])
def test_huge_and_tiny_data_teach_nothing(X, pairs, scale):
    model = fit(scale * X, pairs)
    assert model.metric_ == "euclidean"
    paper = fit(scale * X, pairs, metric="euclidean", propagate="auto")
    assert_same(model, paper)


def test_sparse_data_are_the_papers_model(X, pairs):
    rows = sparse.csr_array(X)
    model = fit(rows, pairs)
    assert model.metric_ == "euclidean"
    assert_same(model, fit(rows, pairs, metric="euclidean"))


# Invariances.


@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_scale_is_of_no_account(X, pairs, model, scale):
    scaled = fit(scale * X, pairs)
    assert scaled.metric_ == "learned"
    np.testing.assert_array_equal(scaled.labels_, model.labels_)
    for name in ("memberships_", "feature_weights_"):
        np.testing.assert_allclose(
            getattr(scaled, name), getattr(model, name), atol=1e-6
        )
    np.testing.assert_allclose(
        scaled.cluster_centers_, scale * model.cluster_centers_, rtol=1e-5
    )


@pytest.mark.parametrize("params", [{}, {"metric": "learned"}], ids=str)
def test_neither_threads_nor_a_second_fit_matter(X, pairs, params):
    one = fit(X, pairs, **params, n_jobs=1)
    for n_jobs in (1, 2):
        again = fit(X, pairs, **params, n_jobs=n_jobs)
        assert_same(again, one)
        np.testing.assert_array_equal(again.feature_weights_, one.feature_weights_)
        assert again.held_out_agreement_ == one.held_out_agreement_


def test_order_and_sides_of_judgements_do_not_matter(X, pairs, model):
    triples = [(j, i, s) for i, j, s in pairs][::-1]
    assert_same(fit(X, triples), model)


def test_weights_of_one_are_no_weights(X, pairs, model):
    same = fit(X, pairs, np.ones(90))
    np.testing.assert_allclose(same.memberships_, model.memberships_, atol=1e-6)


def test_samples_without_weight_do_not_teach(X, pairs):
    """Their judgements are left out, and too few are left."""
    weight = np.ones(90)
    weight[np.unique(np.r_[pairs.i, pairs.j])[2:]] = 0.0
    assert fit(X, pairs, weight).metric_ == "euclidean"
    assert fit(X, pairs, 2 * np.ones(90)).metric_ == "learned"


def test_float32(X, pairs, model):
    small = fit(X.astype(np.float32), pairs)
    np.testing.assert_allclose(small.memberships_, model.memberships_, atol=1e-3)


# As an estimator.


def test_frames_keep_their_names(X, pairs, model):
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    named = fit(frame, pairs)
    assert named.feature_names_in_.tolist() == ["a", "b", "c"]
    np.testing.assert_array_equal(named.memberships_, model.memberships_)
    np.testing.assert_array_equal(named.predict(frame), model.predict(X))


@pytest.mark.parametrize("form", ["auto", "diagonal", "rbf", None])
def test_save_and_load(tmp_path, X, pairs, form):
    learned = {"metric": "learned", "metric_params": {"form": form}}
    model = fit(X, pairs, **(learned if form else {}))
    save(model, tmp_path / "model.skops")
    again = load(tmp_path / "model.skops")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert again.held_out_agreement_ == model.held_out_agreement_
    assert again.get_params() == model.get_params()


def test_clones_have_learned_nothing(X, pairs):
    model = fit(X, pairs, metric="learned", metric_params={"form": "linear"})
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    assert not fitted(copy)
    assert_same(copy.fit(X, pairs=pairs), model)


def test_a_fit_leaves_the_parameters_alone(X, pairs):
    params = {"form": "linear", "prior": 2.0}
    model = fit(X, pairs, metric="learned", metric_params=params)
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
    model = fit(frame, pairs, metric="learned", propagate=True, robust=True)
    few = PairSet(pairs.i[:4], pairs.j[:4], pairs.grade[:4], 90)
    second = {"propagate": False, "robust": False, **second}
    model.set_params(**second).fit(X, pairs=few)
    fresh = fit(X, few, **second)
    assert_same(model, fresh)
    assert fitted(model) == fitted(fresh)


def test_a_fit_that_fails_changes_nothing(X, pairs):
    model = fit(X, pairs)
    before = dict(vars(model))
    with pytest.raises(ValueError, match="NaN"):
        model.fit(np.full((90, 3), np.nan), pairs=pairs)
    with pytest.raises(ValueError, match="n_init"):
        model.set_params(n_init=0).fit(X)
    assert vars(model) == before | {"n_init": 0}


def test_what_was_set_for_the_output_stays(X, pairs):
    model = GuidedFDC(2, n_init=2, random_state=0).set_output(transform="pandas")
    distances = model.fit(X, pairs=pairs).transform(X)
    assert isinstance(distances, pd.DataFrame)


def test_a_random_state_instance(X, pairs):
    one, two = (
        fit(X, pairs, random_state=np.random.RandomState(3)).memberships_
        for _ in range(2)
    )
    assert np.array_equal(one, two)


# With propagation and doubt.


@pytest.mark.parametrize(
    "params", [{}, {"metric": "learned"}, {"metric": "euclidean"}], ids=str
)
def test_only_asked_judgements_have_a_reliability(X, pairs, params):
    model = fit(X, pairs, **params, propagate=0.8, robust=True)
    assert len(model.propagation_.pairs) > len(pairs)
    assert model.pair_reliability_.shape == (len(pairs),)
    judged = model.pair_reliability_[pairs.grade != 0]
    assert ((judged >= 0.0) & (judged <= 1.0)).all()


def test_propagation_needs_vectors(X, pairs):
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        fit(sparse.csr_array(X), pairs, propagate=True)
    for metric in ("precomputed", "precomputed_kernel"):
        with pytest.raises(ValueError, match=r"propagate=True .* neighbours"):
            fit(X @ X.T, pairs, metric=metric, propagate=True)


# Mistakes.


@pytest.mark.parametrize(
    "options",
    [{"pairs": None}, {"pairs": [(0, 1, 0.0)]}, {"beta": 0.0}],
    ids=["none", "cannot say", "beta=0"],
)
def test_learning_needs_judgements(X, pairs, options):
    with pytest.raises(ValueError, match=r"learns from judgements, .* none"):
        fit(X, **({"pairs": pairs, "metric": "learned"} | options))


def test_learning_needs_dense_rows(X, pairs):
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        fit(sparse.csr_array(X), pairs, metric="learned")


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"form": "cubic"}, r'"form"\] must be one of "auto", "diagonal"'),
        ({"prior": 0}, r'"prior"\] must be above 0, got 0'),
        ({"ridge": -1.0}, r'"ridge"\] must be finite, 0 or more, got -1'),
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
        fit(X, pairs, metric="learned", metric_params=params)


def test_an_untaught_space_says_what_to_do(X, pairs):
    with pytest.raises(ValueError, match=r'Learned has not learned .*metric="learned"'):
        fit(X, pairs, metric=Learned())
