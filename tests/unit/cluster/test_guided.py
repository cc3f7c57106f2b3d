"""GuidedFDC: what judgements change, when it falls back, what it stores."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score, roc_auc_score

from fuzzypairs import FDC, GuidedFDC, PairSet, load, save
from fuzzypairs.cluster.verdict import HeldOut
from fuzzypairs.criteria import normalized_ari
from fuzzypairs.datasets import flip_pairs
from fuzzypairs.exceptions import PairsError

OWN = {
    "model_",
    "metric_",
    "guided_weight_",
    "held_out_",
    "held_out_agreement_",
    "verdict_",
    "feature_weights_",
    "noise_rate_",
    "pair_reliability_",
}
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
    return PairSet.from_labels(TRUTH, n_pairs=40, random_state=1)


@pytest.fixture(scope="module")
def model(X, pairs):
    return fit(X, pairs)


def fit(X, pairs=None, sample_weight=None, **params):
    model = GuidedFDC(**({"n_clusters": 2, "n_init": 2, "random_state": 0} | params))
    return model.fit(X, pairs=pairs, sample_weight=sample_weight)


def paper(X, pairs=None, **params):
    usual = {"n_clusters": 2, "n_init": 2, "fuzzifier": "auto", "random_state": 0}
    return FDC(**(usual | params)).fit(X, pairs=pairs)


def fitted(model):
    return {name for name in vars(model) if name.endswith("_")}


def assert_same(model, other, own=OWN):
    assert fitted(model) - own == fitted(other) - own
    for name in fitted(other) - own - {"propagation_"}:
        np.testing.assert_array_equal(getattr(model, name), getattr(other, name), name)


def opposite(pairs):
    return PairSet(pairs.i, pairs.j, -pairs.grade, pairs.n_samples)


# What judgements change.


def test_judgements_move_all_samples(X, pairs, model):
    assert adjusted_rand_score(TRUTH, fit(X).labels_) < 0.1
    assert adjusted_rand_score(TRUTH, paper(X, pairs).labels_) < 0.3
    assert adjusted_rand_score(TRUTH, model.labels_) > 0.8


def test_attributes(X, pairs, model):
    assert model.metric_ == "learned"
    assert model.guided_weight_ > 0.9
    assert model.noise_rate_ < 0.1
    assert isinstance(model.held_out_, HeldOut)
    assert model.held_out_.pairs == pairs
    scores = model.held_out_agreement_
    assert scores["guided"] > 0.85 > scores["unguided"]
    assert model.verdict_.level in ("strong", "weak")
    assert model.verdict_.noise_rate == model.noise_rate_
    assert model.feature_weights_.argmax() == 2
    assert model.feature_weights_.sum() == pytest.approx(1.0)
    assert (model.feature_weights_ >= 0.0).all()
    np.testing.assert_allclose(model.memberships_.sum(axis=1), 1.0, atol=1e-12)
    assert (model.memberships_ >= 0.0).all()
    np.testing.assert_array_equal(model.labels_, model.memberships_.argmax(axis=1))


def test_memberships_are_an_average_of_all_models(X, model):
    space = model.model_._space
    assert model.guided_weight_ == 1.0 - space.unguided_weights[0]
    assert space.guided_weight + space.unguided_weights.sum() == pytest.approx(1.0)
    average = space.guided_weight * space.learned.probabilities(X)
    for share, clusters in zip(space.unguided_weights, space.unguided, strict=True):
        average += share * clusters.memberships(X)
    expected = average**space.power
    expected /= expected.sum(axis=1, keepdims=True)
    # But for unusual rows, and models of a weight below 1e-3.
    gap = np.abs(model.memberships_ - expected).max(axis=1)
    assert (gap < 2e-3).mean() > 0.97


def test_new_rows_are_assigned_as_training_rows(X, model):
    np.testing.assert_array_equal(model.predict_proba(X), model.memberships_)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    np.testing.assert_array_equal(model.embed(X), model.memberships_)
    with pytest.raises(TypeError, match="Sparse data was passed for X"):
        model.embed(sparse.csr_array(X))
    np.testing.assert_allclose(model.embed(1e200 * X), 0.5)
    assert model.transform(X).shape == (90, 2)
    assert model.score(X) < 0.0


def test_rows_unlike_all_samples_are_uncertain(X, model):
    certain = model.predict_proba(X).max(axis=1)
    far = model.predict_proba(100.0 * X).max(axis=1)
    assert np.median(certain) > 0.9
    assert far.max() < 0.6


def test_centers_are_means_of_squared_memberships(X, model):
    for center, u in zip(model.cluster_centers_, model.memberships_.T, strict=True):
        np.testing.assert_allclose(center, np.average(X, axis=0, weights=u**2))


# Wrong judgements.


def test_opposite_and_random_judgements_change_little(X):
    alone = fit(X)
    changed = []
    for seed in range(4):
        right = PairSet.from_labels(alone.labels_, n_pairs=30, random_state=seed)
        shuffled = np.random.default_rng(seed).permutation(right.grade)
        for grade in (-right.grade, shuffled):
            model = fit(X, PairSet(right.i, right.j, grade, 90), random_state=seed)
            changed.append(1.0 - adjusted_rand_score(alone.labels_, model.labels_))
            assert model.noise_rate_ > 0.2
    assert np.median(changed) < 0.05


def test_flipped_judgements_are_the_least_reliable(X):
    right = PairSet.from_labels(TRUTH, n_pairs=100, random_state=0)
    wrong = flip_pairs(right, 0.2, random_state=0)
    model = fit(X, wrong)
    is_wrong = np.sign(wrong.grade) != np.sign(right.grade)
    assert roc_auc_score(is_wrong, -model.pair_reliability_) > 0.9
    assert 0.1 < model.noise_rate_ < 0.3
    assert adjusted_rand_score(TRUTH, model.labels_) > 0.7


# The number of clusters.


def test_the_number_of_clusters_is_chosen_by_judgements():
    rng = np.random.default_rng(0)
    truth = np.arange(120) % 3
    X = rng.normal(size=(120, 2)) + 6.0 * np.eye(3)[truth][:, :2]
    pairs = PairSet.from_labels(truth, n_pairs=60, random_state=0)
    model = fit(X, pairs, n_clusters=range(2, 6))
    assert model.n_clusters_ == 3
    one = fit(X, pairs, n_clusters=3)
    np.testing.assert_array_equal(model.memberships_, one.memberships_)


@pytest.mark.parametrize("options", [{"pairs": None}, {"beta": 1.0}], ids=str)
def test_a_choice_needs_judgements(X, pairs, options):
    options = {"pairs": pairs, **options}
    with pytest.raises(ValueError, match=r"chosen by held-out judgements"):
        fit(X, **options, n_clusters=[2, 3])


def test_no_number_of_clusters(X):
    with pytest.raises(ValueError, match="n_clusters is empty"):
        fit(X, n_clusters=[])


# When it falls back on the paper's model.


@pytest.mark.parametrize("beta", [0.0, 3.0])
def test_a_number_for_beta_is_the_papers_model(X, pairs, beta):
    model = fit(X, pairs, beta=beta)
    assert_same(model, paper(X, pairs, beta=beta))
    assert model.metric_ == "euclidean"
    assert model.guided_weight_ == 0.0
    assert model.verdict_.level == "none"
    np.testing.assert_allclose(model.feature_weights_, 1 / 3)


@pytest.mark.parametrize(
    "triples",
    [
        [(0, 1, 1.0), (2, 3, -1.0), (4, 5, 1.0), (6, 7, 1.0)],
        [(i, i + 1, 1.0) for i in range(0, 20, 2)],
        [(i, i + 1, -0.5) for i in range(0, 20, 2)],
    ],
    ids=["few", "alike only", "unlike only"],
)
def test_what_cannot_be_learned_from_is_only_propagated(X, triples):
    model = fit(X, triples)
    assert_same(model, paper(X, triples, propagate="auto"))
    assert model.metric_ == "euclidean"
    assert np.isnan(model.pair_reliability_).all()


@pytest.mark.parametrize(
    "triples", [None, [], [(0, 1, 0.0)] * 9], ids=["none", "empty", "cannot say"]
)
def test_no_judgements_are_the_papers_model(X, triples):
    model = fit(X, triples)
    assert_same(model, paper(X))
    assert not fitted(model) & {"held_out_", "feature_weights_", "noise_rate_"}


@pytest.mark.parametrize("scale", [1e-100, 1e-20, 1e20, 1e100])
def test_huge_and_tiny_data_are_the_papers_model(X, pairs, scale):
    model = fit(scale * X, pairs)
    assert model.metric_ == "euclidean"
    assert_same(model, paper(scale * X, pairs, propagate="auto"))


def test_sparse_data_are_the_papers_model(X, pairs):
    rows = sparse.csr_array(X)
    assert_same(fit(rows, pairs), paper(rows, pairs))
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        fit(rows, pairs, propagate=True)


def test_samples_without_weight_are_not_learned_from(X, pairs):
    """Their judgements are left out, and too few are left."""
    weight = np.ones(90)
    weight[np.unique(np.r_[pairs.i, pairs.j])[2:]] = 0.0
    assert fit(X, pairs, weight).metric_ == "euclidean"
    assert fit(X, pairs, 2 * np.ones(90)).metric_ == "learned"


def test_constant_data(pairs):
    model = fit(np.ones((90, 3)), pairs, n_clusters=1)
    assert model.guided_weight_ == 0.0


# Invariances.


@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_scale_is_of_no_account(X, pairs, model, scale):
    scaled = fit(scale * X, pairs)
    for name in ("memberships_", "feature_weights_", "pair_reliability_"):
        np.testing.assert_allclose(
            getattr(scaled, name), getattr(model, name), atol=1e-4
        )
    np.testing.assert_allclose(
        scaled.cluster_centers_, scale * model.cluster_centers_, rtol=1e-3
    )


def test_neither_threads_nor_a_second_fit_matter(X, pairs, model):
    for n_jobs in (1, 2):
        again = fit(X, pairs, n_jobs=n_jobs)
        assert_same(again, model, own={"model_", "held_out_", "verdict_"})


def test_order_and_sides_of_judgements_do_not_matter(X, pairs, model):
    triples = [(j, i, s) for i, j, s in pairs][::-1]
    assert_same(fit(X, triples), model)


def test_judgements_of_zero_are_none(X, pairs, model):
    more = PairSet.from_triples([*pairs, (0, 89, 0.0)], 90)
    again = fit(X, more)
    assert_same(again, model)
    assert np.isnan(again.pair_reliability_).sum() == 1


def test_weights_of_one_are_no_weights(X, pairs, model):
    same = fit(X, pairs, np.ones(90))
    np.testing.assert_allclose(same.memberships_, model.memberships_, atol=1e-4)


def test_float32(X, pairs, model):
    small = fit(X.astype(np.float32), pairs)
    np.testing.assert_allclose(small.memberships_, model.memberships_, atol=1e-2)


def test_more_rows_than_are_learned_from():
    rng = np.random.default_rng(0)
    truth = np.arange(6000) // 2 % 2
    X = rng.normal(size=(6000, 3))
    X[:, 0] += 6 * (np.arange(6000) % 2)
    X[:, 2] += 4 * truth
    pairs = PairSet.from_labels(truth, n_pairs=400, random_state=0)
    model = fit(X, pairs)
    assert adjusted_rand_score(truth, model.labels_) > 0.8


# As an estimator.


def test_frames_keep_their_names(X, pairs, model):
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    named = fit(frame, pairs)
    assert named.feature_names_in_.tolist() == ["a", "b", "c"]
    np.testing.assert_array_equal(named.memberships_, model.memberships_)
    np.testing.assert_array_equal(named.predict(frame), model.predict(X))


def test_save_and_load(tmp_path, X, pairs, model):
    save(model, tmp_path / "model.skops")
    again = load(tmp_path / "model.skops")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(again.transform(X), model.transform(X))
    assert again.held_out_agreement_ == model.held_out_agreement_
    assert again.get_params() == model.get_params()


def test_a_fit_that_fails_changes_nothing(X, pairs):
    model = fit(X, pairs)
    before = dict(vars(model))
    with pytest.raises(ValueError, match="NaN"):
        model.fit(np.full((90, 3), np.nan), pairs=pairs)
    with pytest.raises(ValueError, match="n_init"):
        model.set_params(n_init=0).fit(X)
    assert vars(model) == before | {"n_init": 0}


def test_a_second_fit_leaves_nothing_of_the_first(X, pairs):
    model = fit(X, pairs)
    model.fit(X)
    assert fitted(model) == fitted(fit(X))


def test_what_was_set_for_the_output_stays(X, pairs):
    model = GuidedFDC(2, n_init=2, random_state=0).set_output(transform="pandas")
    assert isinstance(model.fit(X, pairs=pairs).transform(X), pd.DataFrame)


def test_a_random_state_instance(X, pairs):
    one, two = (
        fit(X, pairs, random_state=np.random.RandomState(3)).memberships_
        for _ in range(2)
    )
    assert np.array_equal(one, two)


def test_propagation_adds_judgements_to_learn_from(X, pairs):
    model = fit(X, pairs, propagate=0.8, robust=True)
    assert len(model.propagation_.pairs) > len(pairs)
    assert model.pair_reliability_.shape == (len(pairs),)
    assert ((model.pair_reliability_ >= 0.0) & (model.pair_reliability_ <= 1.0)).all()


def test_judgements_by_the_index_of_a_frame():
    X, y = make_blobs(30, random_state=0)
    frame = pd.DataFrame(X, index=[f"row {n}" for n in range(30)], columns=["x", "y"])
    pairs = PairSet.from_labels(y, n_pairs=12, random_state=0)
    named = pd.DataFrame(
        {"a": frame.index[pairs.i], "b": frame.index[pairs.j], "grade": pairs.grade}
    )

    by_name = GuidedFDC(3, random_state=0).fit(frame, pairs=named)

    by_row = GuidedFDC(3, random_state=0).fit(frame, pairs=pairs)
    assert np.array_equal(by_name.memberships_, by_row.memberships_)
    # The paper's model takes row numbers, and says how to get them.
    with pytest.raises(PairsError, match=r"PairSet\.from_frame"):
        FDC(3).fit(frame, pairs=named)


def test_few_judgements_find_classes_along_directions_of_small_variance():
    """Size rules distances; it varies ten times as much as the rows of a class."""
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    size = rng.normal(size=200)
    X = np.column_stack([size, size, size]) + rng.normal(scale=0.1, size=(200, 3))
    X[:, 1] += 0.6 * y
    pairs = PairSet.from_labels(y, n_pairs=20, random_state=1)
    model = GuidedFDC(2, random_state=0).fit(X, pairs=pairs)
    assert normalized_ari(y, model.labels_) > 0.95
    assert normalized_ari(y, FDC(2, random_state=0).fit(X, pairs=pairs).labels_) < 0.6
