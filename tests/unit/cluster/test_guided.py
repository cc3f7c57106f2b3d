"""GuidedFDC: what judgements change, what it stores, and its invariances."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score, roc_auc_score

from fuzzypairs import FDC, GuidedFDC, PairSet, load, save
from fuzzypairs.cluster.verdict import HeldOut
from fuzzypairs.criteria import normalized_ari
from fuzzypairs.datasets import flip_pairs
from fuzzypairs.exceptions import ClustersVanishedWarning, PairsError

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


def fitted(model):
    return {name for name in vars(model) if name.endswith("_")}


def assert_same(model, other):
    assert fitted(model) == fitted(other)
    for name in ("memberships_", "unguided_memberships_", "cluster_centers_"):
        np.testing.assert_array_equal(getattr(model, name), getattr(other, name), name)
    assert model.error_rates_ == other.error_rates_
    assert model.verdict_ == other.verdict_


# What judgements change.


def test_judgements_move_all_samples(X, pairs, model):
    assert adjusted_rand_score(TRUTH, fit(X).labels_) < 0.1
    plain = FDC(2, fuzzifier="auto", random_state=0).fit(X, pairs=pairs)
    assert adjusted_rand_score(TRUTH, plain.labels_) < 0.3
    assert adjusted_rand_score(TRUTH, model.labels_) > 0.8
    assert adjusted_rand_score(TRUTH, model.predict(X)) > 0.8


def test_attributes(X, pairs, model):
    evidence = model.evidence_
    assert sum(evidence.weights.values()) == pytest.approx(1.0)
    maps = sum(w for name, w in evidence.weights.items() if name.startswith("map"))
    assert maps > 0.5
    assert isinstance(evidence.held_out, HeldOut)
    assert evidence.held_out.pairs == pairs
    assert evidence.by_clusters == {2: evidence.log_likelihood}
    scores = evidence.held_out.agreement
    assert scores["guided"] > 0.85 > scores["unguided"]
    assert model.verdict_.with_judgements.share == scores["guided"]
    assert model.verdict_.level in ("strong", "weak")
    assert model.verdict_.error_rate.share == model.error_rate_
    ((rate, low, high),) = model.error_rates_.values()
    assert 0.0 < low < rate == model.error_rate_ < high < 0.2
    assert model.feature_weights_.argmax() == 2
    assert model.feature_weights_.sum() == pytest.approx(1.0)
    assert (model.feature_weights_ >= 0.0).all()
    for U in (model.memberships_, model.unguided_memberships_):
        np.testing.assert_allclose(U.sum(axis=1), 1.0, atol=1e-12)
        assert (U >= 0.0).all()
    np.testing.assert_array_equal(model.labels_, model.memberships_.argmax(axis=1))


def test_without_judgements_it_is_k_means(X):
    model = fit(X)
    expected = KMeans(2, n_init=10, random_state=0).fit_predict(X)
    assert adjusted_rand_score(expected, model.labels_) == 1.0
    np.testing.assert_array_equal(model.memberships_, model.unguided_memberships_)
    assert model.evidence_.weights == {"euclidean": 1.0}
    assert model.verdict_.level == "none"
    assert np.isnan(model.error_rate_)
    assert model.error_rates_ == {}


def test_only_judged_rows_differ_from_predictions(X, pairs, model):
    judged = np.unique(np.concatenate([pairs.i, pairs.j]))
    others = np.setdiff1d(np.arange(90), judged)
    found = model.predict_proba(X)
    np.testing.assert_allclose(found[others], model.memberships_[others], atol=1e-12)
    assert np.abs(found[judged] - model.memberships_[judged]).max() > 0.01
    np.testing.assert_array_equal(model.unguided_proba(X), model.unguided_memberships_)
    assert model.transform(X).shape == (90, 2)


def test_many_judgements_decide_on_their_rows():
    """Features say nothing, and four right judgements a row say all."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 4)), np.arange(100) % 3
    pairs = PairSet.from_labels(y, n_pairs=400, random_state=0)
    model = fit(X, pairs, n_clusters=3)
    assert adjusted_rand_score(y, model.labels_) > 0.9
    assert model.error_rate_ < 0.2


def test_unlike_judgements_alone_part_their_rows(X):
    pairs = [(0, 2, -1.0), (4, 6, -1.0)]
    model = fit(X, pairs)
    assert model.verdict_.level == "none"
    gaps = [
        np.abs(np.subtract(*one.memberships_[[0, 2], 0])) for one in (fit(X), model)
    ]
    assert gaps[1] > gaps[0]


def test_centers_are_means_of_squared_memberships(X, model):
    for center, u in zip(model.cluster_centers_, model.memberships_.T, strict=True):
        np.testing.assert_allclose(center, np.average(X, axis=0, weights=u**2))


def test_wide_data_are_not_worse_than_k_means():
    rng = np.random.default_rng(0)
    y = np.arange(240) % 4
    X = rng.normal(size=(240, 300)) + 4.0 * rng.normal(size=(4, 300))[y] / 6.0
    plain = KMeans(4, n_init=10, random_state=0).fit_predict(X)
    for n in (0, 40):
        pairs = PairSet.from_labels(y, n_pairs=n, random_state=0) if n else None
        found = adjusted_rand_score(y, fit(X, pairs, n_clusters=4).labels_)
        assert found >= adjusted_rand_score(y, plain) - 0.01


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
            assert model.error_rate_ > 0.15
    assert np.median(changed) < 0.1


def test_flipped_judgements_are_the_least_reliable(X):
    right = PairSet.from_labels(TRUTH, n_pairs=100, random_state=0)
    wrong = flip_pairs(right, 0.2, random_state=0)
    model = fit(X, wrong)
    is_wrong = np.sign(wrong.grade) != np.sign(right.grade)
    assert roc_auc_score(is_wrong, -model.pair_reliability_) > 0.9
    assert 0.1 < model.error_rate_ < 0.3
    assert adjusted_rand_score(TRUTH, model.labels_) > 0.6


def test_each_judge_has_an_error_rate(X):
    right = PairSet.from_labels(TRUTH, n_pairs=200, random_state=0)
    good = flip_pairs(right, 0.05, random_state=0).by("good")
    bad = flip_pairs(right, 0.35, random_state=1).by("bad")
    model = fit(X, good + bad)
    rates = {name: rate for name, (rate, _, _) in model.error_rates_.items()}
    assert rates["good"] < 0.12 < 0.25 < rates["bad"] < 0.45
    assert len(model.pair_reliability_) == 400
    assert "bad seems wrong" in " ".join(model.verdict_.sentences) or (
        model.error_rates_["bad"][1] <= 0.3
    )
    assert adjusted_rand_score(TRUTH, model.labels_) > 0.9


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


@pytest.mark.parametrize("triples", [None, [(0, 1, 1.0)] * 3], ids=["none", "few"])
def test_a_choice_needs_judgements(X, triples):
    with pytest.raises(ValueError, match=r"chosen by held-out judgements"):
        fit(X, triples, n_clusters=[2, 3])


def test_no_number_of_clusters(X):
    with pytest.raises(ValueError, match="n_clusters is empty"):
        fit(X, n_clusters=[])


def test_constant_data(pairs):
    with pytest.warns(ClustersVanishedWarning, match="1 of n_clusters=2"):
        assert fit(np.ones((90, 3))).n_clusters_ == 1
    assert fit(np.ones((90, 3)), n_clusters=1).n_clusters_ == 1


def test_more_clusters_than_rows():
    assert GuidedFDC(8, random_state=0).fit(np.arange(5.0)[:, None]).n_clusters_ == 5


# Data of all kinds.


@pytest.mark.parametrize("scale", [1e-100, 1e-20, 1e-3, 1e3, 1e20, 1e100])
def test_scale_is_of_no_account(X, pairs, model, scale):
    scaled = fit(scale * X, pairs)
    for name in ("memberships_", "feature_weights_", "pair_reliability_"):
        np.testing.assert_allclose(
            getattr(scaled, name), getattr(model, name), atol=1e-3
        )
    np.testing.assert_allclose(
        scaled.predict_proba(scale * X), model.predict_proba(X), atol=1e-3
    )
    np.testing.assert_allclose(
        scaled.cluster_centers_, scale * model.cluster_centers_, rtol=1e-2
    )


def test_sparse_data_are_as_dense_ones(X, pairs, model):
    rows = sparse.csr_array(X)
    found = fit(rows, pairs)
    np.testing.assert_allclose(found.memberships_, model.memberships_, atol=1e-6)
    np.testing.assert_allclose(
        found.predict_proba(rows), model.predict_proba(X), atol=1e-6
    )
    np.testing.assert_allclose(found.transform(rows), model.transform(X), atol=1e-6)


def test_samples_without_weight_are_not_learned_from(X, pairs, model):
    weight = np.ones(90)
    weight[80:] = 0.0
    far = X.copy()
    far[80:] *= 1000.0
    one, two = fit(X, pairs, weight), fit(far, pairs, weight)
    np.testing.assert_allclose(one.memberships_[:80], two.memberships_[:80])
    without = np.isnan(one.pair_reliability_)
    np.testing.assert_array_equal(without, (pairs.i >= 80) | (pairs.j >= 80))


# Invariances.


def test_neither_threads_nor_a_second_fit_matter(X, pairs, model):
    for n_jobs in (1, 2):
        again = fit(X, pairs, n_jobs=n_jobs)
        assert_same(again, model)


def test_order_and_sides_of_judgements_do_not_matter(X, pairs, model):
    triples = [(j, i, s) for i, j, s in pairs][::-1]
    assert_same(fit(X, triples), model)


def test_judgements_of_zero_are_none(X, pairs, model):
    more = PairSet.from_triples([*pairs, (0, 89, 0.0)], 90)
    again = fit(X, more)
    np.testing.assert_array_equal(again.memberships_, model.memberships_)
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
    np.testing.assert_array_equal(again.unguided_proba(X), model.unguided_proba(X))
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
