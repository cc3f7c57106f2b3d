"""The fit of GuidedFDC: the map over views, held-out probabilities."""

from itertools import combinations

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.metrics import adjusted_rand_score

from fuzzypairs import FDC, PairSet
from fuzzypairs.cluster import guided_fit
from fuzzypairs.cluster.checked import read_data
from fuzzypairs.cluster.guided_fit import (
    can_learn,
    fit_guided,
    is_among,
    labels_of_groups,
    learn_map,
    read_inferred,
)
from fuzzypairs.cluster.guided_sample import draw_sample, matching, means_of
from fuzzypairs.spaces.vectors import Euclidean

TRUTH = np.arange(120) // 2 % 2
CLUSTERS = np.arange(120) % 2


@pytest.fixture(scope="module", name="X")
def crossed():
    """120 samples whose clusters (feature 0) cross their classes (feature 2)."""
    X = np.random.default_rng(0).normal(size=(120, 3))
    X[:, 0] += 6 * CLUSTERS
    X[:, 2] += 4 * TRUTH
    return X


@pytest.fixture(scope="module")
def judged():
    return PairSet.from_labels(TRUTH, n_pairs=40, random_state=1)


def sample_of(X):
    none = PairSet.empty(len(X))
    data = read_data(FDC, X, none, None, Euclidean(), accepts_sparse=False)
    found = FDC(2, init=CLUSTERS)._solve(data, Euclidean())
    return draw_sample(data, none, found, none.i, np.random.RandomState(0))


def run(X, pairs, propagate=False, inferred=None, **params):
    params = {"n_clusters": 2, "n_init": 2, "random_state": 0} | params
    data = read_data(FDC, X, pairs, None, Euclidean(), accepts_sparse=False)
    inferred = read_inferred(inferred, pairs, None)
    return fit_guided(
        lambda **more: FDC(**(params | more)), data, pairs, inferred, propagate
    )


@pytest.mark.parametrize(
    ("grades", "expected"),
    [
        ([1.0, 1.0, 1.0, 1.0, -0.1], True),
        ([1.0, 1.0, 1.0, -1.0], False),
        ([1.0] * 9, False),
        ([-1.0] * 9, False),
        ([], False),
    ],
)
def test_what_can_be_learned_from(grades, expected):
    pairs = PairSet.from_triples([(i, i + 1, s) for i, s in enumerate(grades)], 10)
    assert can_learn(pairs) is expected


def test_matching_by_hand():
    T = np.eye(3)[[0, 0, 1, 2]]
    U = np.eye(3)[[2, 2, 0, 1]]
    assert matching(T, U).tolist() == [2, 0, 1]
    np.testing.assert_array_equal(U[:, matching(T, U)], T)
    # Orders that are equally good but for rounding: the first one.
    even = np.full((4, 3), 0.25)
    assert matching(even + 1e-15 * np.arange(12).reshape(4, 3), T).tolist() == [0, 1, 2]


def test_means_by_hand():
    X = np.array([[0.0], [1.0], [5.0]])
    T = np.array([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    found = means_of(X, T, np.array([1.0, 3.0, 1.0]))
    np.testing.assert_allclose(found, [[0.75], [5.0], [8 / 5]])


def test_a_map_follows_judgements_and_clusters_otherwise(X, judged):
    sample = sample_of(X)
    by_judges = learn_map(sample, judged, judged, 0.1)[0].probabilities(X)
    assert adjusted_rand_score(TRUTH, by_judges.argmax(axis=1)) > 0.7
    none = PairSet.empty(120)
    alone = learn_map(sample, none, none, 0.1)[0].probabilities(X)
    assert adjusted_rand_score(CLUSTERS, alone.argmax(axis=1)) > 0.9


def test_labels_of_groups_by_hand():
    answers = [(0, 1, 1), (1, 2, 1), (3, 4, 1), (0, 3, -1), (5, 6, 1)]
    U = np.array([[0.7, 0.2, 0.1]] * 3 + [[0.6, 0.3, 0.1]] * 2 + [[0.0, 0.0, 1.0]] * 3)
    found = labels_of_groups(PairSet.from_triples(answers, 8), U)
    # Both groups are most of the first cluster, and the larger one more so. Of 5 and 6
    # nothing says which group they differ from; 7 is in no judgement.
    assert found.tolist() == [0, 0, 0, 1, 1, -1, -1, -1]
    alone = PairSet.from_triples([(0, 1, 1.0)], 8)
    assert labels_of_groups(alone, U).tolist() == [-1] * 8


def test_groups_separate_classes_that_share_a_cluster():
    """Of ten digits, unguided clusters mix some and split others."""
    X, y = load_digits(return_X_y=True)
    X, y = X[:400] / 16, y[:400]
    rows = np.array([np.flatnonzero(y == digit)[:6] for digit in range(10)])
    alike = [(first, row, 1.0) for first, *others in rows for row in others]
    unlike = [(a, b, -1.0) for a, b in combinations(rows[:, 0], 2)]
    pairs = PairSet.from_triples(alike + unlike, 400)
    none = PairSet.empty(400)
    data = read_data(FDC, X, none, None, Euclidean(), accepts_sparse=False)
    found = FDC(10, n_init=1, random_state=0)._solve(data, Euclidean())
    everything = np.arange(400)
    sample = draw_sample(data, pairs, found, everything, np.random.RandomState(0))

    def score(groups):
        _, V = learn_map(sample, pairs, pairs, 0.1, groups)
        return adjusted_rand_score(y, V.argmax(axis=1))

    assert score(pairs) > score(None) + 0.1


def test_judgements_of_pure_noise_have_no_influence(X, judged):
    """At a rate of 1/2 the likelihood is constant; unlike pairs whiten no view."""
    unlike = judged.select(judged.grade < 0)
    V = learn_map(sample_of(X), unlike, unlike, 0.5)[0].probabilities(X)
    assert adjusted_rand_score(CLUSTERS, V.argmax(axis=1)) > 0.9


def test_held_out_judgements_are_not_seen(X, judged, monkeypatch):
    seen = []

    def watched(sample, pairs, training, noise, groups):
        seen.append(set(zip(pairs.i.tolist(), pairs.j.tolist(), strict=True)))
        assert list(training) == list(pairs)
        assert groups is None
        return learn_map(sample, pairs, training, noise)

    monkeypatch.setattr(guided_fit, "learn_map", watched)
    fitted = run(X, judged)
    *trials, last = seen
    assert len(trials) == guided_fit.N_SPLITS
    assert len(last) == len(judged)
    assert all(len(trial) < len(judged) for trial in trials)
    # Every judgement was left out at least once.
    assert not set.intersection(*trials)
    assert np.isfinite(fitted.held_out.guided).any()


def test_a_map_is_learned_from_inferred_judgements_too(X, judged, monkeypatch):
    seen = []
    few, others = judged.select(np.arange(len(judged)) < 20), judged

    def watched(sample, pairs, training, noise, groups):
        seen.append((len(pairs), len(training)))
        assert list(groups) == list(training)
        return learn_map(sample, pairs, training, noise, groups)

    monkeypatch.setattr(guided_fit, "learn_map", watched)
    fitted = run(X, few, inferred=others)
    *trials, last = seen
    assert last == (20, len(judged))
    assert all(given < 20 and given < trained for given, trained in trials)
    assert list(fitted.held_out.pairs) == list(few)
    assert len(fitted.reliability) == 20


def test_inferred_judgements_are_no_evidence(X, judged):
    """Where judgements contradict all that was inferred, the map is not supported."""
    wrong = PairSet.from_labels(CLUSTERS, n_pairs=300, random_state=1)
    inferred = wrong.select(~is_among(wrong, judged))
    assert run(X, judged).evidence.guided > 0.9
    assert run(X, judged, inferred=inferred).evidence.noise_rate > 0.3
    assert run(X, judged.concat(inferred)).evidence.noise_rate < 0.1


@pytest.mark.parametrize(
    ("inferred", "error", "message"),
    [
        ([(0, 1, 1.0)], TypeError, "inferred is a list, expected a PairSet or None"),
        (PairSet.empty(7), ValueError, "inferred is about 7 samples, but X has 120"),
    ],
)
def test_inferred_judgements_of_another_kind(judged, inferred, error, message):
    with pytest.raises(error, match=message):
        read_inferred(inferred, judged, None)


def test_inferred_judgements_that_were_given_or_cannot_act(judged):
    weight = np.ones(120)
    weight[0] = 0.0
    inferred = PairSet.from_triples([(0, 1, 0.5), (2, 3, 0.5), (4, 5, 0.5)], 120)
    given = PairSet.from_triples([(2, 3, -1.0)], 120)
    assert list(read_inferred(inferred, given, weight)) == [(4, 5, 0.5)]


def test_all_models_use_the_same_order_of_clusters(X, judged):
    fitted = run(X, judged)
    V = fitted.space.learned.probabilities(X)
    assert matching(np.eye(2)[fitted.unguided.labels], V).tolist() == [0, 1]


def test_derived_judgements_are_traced_to_given_ones(X, judged):
    derived = run(X, judged, propagate=0.8).propagation
    assert derived.was_asked.sum() == len(judged)
    assert derived.pairs.n_samples == 120
