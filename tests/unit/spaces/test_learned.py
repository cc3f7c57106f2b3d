"""Spaces learned from judgements: weights of features, maps to the simplex."""

import numpy as np
import pytest

import naive_spaces as naive
from fuzzypairs import PairSet
from fuzzypairs.spaces.learned import (
    MOST_ROWS,
    FeatureWeights,
    SimplexMap,
    representatives,
)
from fuzzypairs.threads import Threads

FORMS = ["linear", "rbf"]


@pytest.fixture(scope="module")
def problem():
    """80 samples that cluster by feature 0 and are judged by feature 2."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 4))
    X[:, 0] += 5 * (np.arange(80) % 2)
    truth = np.arange(80) // 2 % 2
    X[:, 2] += 3 * truth
    pairs = PairSet.from_labels(truth, n_pairs=40, random_state=1)
    return X, pairs, np.arange(80) % 2, truth


# Weights of features.


def test_weights_by_hand():
    """Alike: differences (0, 1); unlike: (1, 0); blind ones are 1/2 in each feature.

    With one blind pair each: sqrt((1 + 1/2) / 2 / ((0 + 1/2) / 2)) = sqrt(3).
    """
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    pairs = PairSet.from_triples([(0, 1, 1.0), (0, 2, -1.0)], 4)
    space = FeatureWeights(prior=1.0).learn(X, pairs, np.zeros(4, int))
    np.testing.assert_allclose(space.feature_weights, [3**0.5, 3**-0.5])


@pytest.mark.parametrize("weighted", [False, True])
def test_weights_against_loops(problem, weighted):
    X, pairs, labels, _ = problem
    weight = np.random.default_rng(0).uniform(size=80) if weighted else None
    found = FeatureWeights().learn(X, pairs, labels, weight).feature_weights
    expected = naive.feature_weights(
        X, list(pairs), 20.0, np.ones(80) if weight is None else weight
    )
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert found.argmax() == 2


def test_without_judgements_all_features_weigh_the_same(problem):
    X, _, labels, _ = problem
    space = FeatureWeights().learn(X, PairSet.empty(80), labels)
    np.testing.assert_allclose(space.feature_weights, 1.0)


def test_weighted_distances(problem):
    X, pairs, labels, _ = problem
    space = FeatureWeights().learn(X, pairs, labels).fit(X)
    P = space.prototypes(np.random.default_rng(0).uniform(size=(80, 2)))
    C = space.points(P)
    expected = [[space.feature_weights @ (x - c) ** 2 for c in C] for x in X]
    np.testing.assert_allclose(space.distances(P), expected)
    np.testing.assert_allclose(space.between(X, P), expected)


def test_a_constant_feature_weighs_one(problem):
    X, pairs, labels, _ = problem
    X = np.column_stack([X, np.full(80, 7.0)])
    assert FeatureWeights().learn(X, pairs, labels).feature_weights[-1] == 1.0


# Maps to the simplex.


@pytest.mark.parametrize("form", FORMS)
def test_map_is_on_the_simplex(problem, form):
    X, pairs, labels, _ = problem
    V = SimplexMap(form).learn(X, pairs, labels).map(np.vstack([X, 1e6 * X]))
    assert np.isfinite(V).all()
    assert (V >= 0).all()
    np.testing.assert_allclose(V.sum(axis=1), 1.0, atol=1e-12)


def test_map_follows_judgements_where_clusters_do_not(problem):
    X, pairs, labels, truth = problem
    found = SimplexMap("linear").learn(X, pairs, labels).map(X).argmax(axis=1)
    right = (found == truth).mean()
    assert max(right, 1 - right) > 0.9


def test_map_follows_clusters_where_judgements_are_few(problem):
    X, _, labels, _ = problem
    pairs = PairSet.from_triples([(0, 2, 0.01), (0, 1, -0.01)], 80)
    for form in FORMS:
        V = SimplexMap(form).learn(X, pairs, labels).map(X)
        assert (V.argmax(axis=1) == labels).mean() > 0.95


@pytest.mark.parametrize("form", FORMS)
def test_map_is_free_of_scale_and_place(problem, form):
    X, pairs, labels, _ = problem
    space = SimplexMap(form).learn(X, pairs, labels)
    for scale, shift in [(1e-3, 0.0), (1e3, 0.0), (4.0, 100.0)]:
        other = SimplexMap(form).learn(scale * X + shift, pairs, labels)
        np.testing.assert_allclose(
            other.map(scale * X + shift), space.map(X), atol=1e-6
        )
        np.testing.assert_allclose(
            other.feature_weights, space.feature_weights, atol=1e-6
        )


@pytest.mark.parametrize("form", FORMS)
def test_new_rows_are_mapped_as_old_ones(problem, form):
    X, pairs, labels, _ = problem
    space = SimplexMap(form).learn(X, pairs, labels).fit(X)
    P = np.eye(2)
    np.testing.assert_allclose(space.between(X[::-1], P)[::-1], space.distances(P))
    kept, P = space.trimmed(P)
    np.testing.assert_allclose(kept.between(X[:3], P), space.distances(P)[:3])


@pytest.mark.parametrize("form", FORMS)
def test_float32_is_computed_in_float64(problem, form):
    X, pairs, labels, _ = problem
    small = X.astype(np.float32)
    V = SimplexMap(form).learn(small, pairs, labels).map(small)
    assert V.dtype == np.float64
    wide = small.astype(np.float64)
    np.testing.assert_allclose(
        V, SimplexMap(form).learn(wide, pairs, labels).map(wide), atol=1e-4
    )


@pytest.mark.parametrize("form", FORMS)
def test_constant_features_do_not_matter(problem, form):
    X, pairs, labels, _ = problem
    wider = np.column_stack([np.full(80, -3.0), X])
    space = SimplexMap(form).learn(wider, pairs, labels)
    assert space.feature_weights[0] == 0.0
    np.testing.assert_allclose(
        space.map(wider), SimplexMap(form).learn(X, pairs, labels).map(X), atol=1e-6
    )


@pytest.mark.parametrize("form", FORMS)
def test_constant_data_have_an_even_map(form):
    X = np.ones((6, 2))
    pairs = PairSet.from_triples([(0, 1, 1.0), (2, 3, -1.0)], 6)
    space = SimplexMap(form).learn(X, pairs, np.array([0, 0, 0, 1, 1, 1]))
    V = space.map(X)
    assert np.isfinite(V).all()
    assert np.ptp(V, axis=0).max() == 0.0
    assert space.feature_weights.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("form", FORMS)
def test_feature_weights_find_what_matters(problem, form):
    X, pairs, labels, _ = problem
    weights = SimplexMap(form).learn(X, pairs, labels).feature_weights
    assert weights.sum() == pytest.approx(1.0)
    assert weights.argmax() == 2


@pytest.mark.parametrize("n_components", [1, 7, 1000])
def test_any_number_of_components(problem, n_components):
    X, pairs, labels, _ = problem
    space = SimplexMap("rbf", n_components=n_components).learn(X, pairs, labels)
    # Of 80 samples, at most 40 span the features; the last row is the constant.
    assert space.coefficients.shape == (min(n_components, 40) + 1, 2)
    assert np.isfinite(space.map(X)).all()


def test_weights_act_as_repeated_rows(problem):
    X, pairs, labels, _ = problem
    again = np.r_[np.arange(80), np.arange(20)]
    weight = np.ones(80)
    weight[:20] = 2.0
    heavy = SimplexMap("linear").learn(X, pairs, labels, weight)
    repeated = SimplexMap("linear").learn(
        X[again], PairSet(pairs.i, pairs.j, pairs.grade, 100), labels[again]
    )
    np.testing.assert_allclose(heavy.map(X), repeated.map(X), atol=1e-3)


@pytest.mark.parametrize("form", FORMS)
def test_threads_change_nothing(problem, form):
    X, pairs, labels, _ = problem
    maps = []
    for n_jobs in (1, 2):
        space = SimplexMap(form).learn(X, pairs, labels, threads=Threads(n_jobs))
        maps.append(space.map(X))
    assert np.array_equal(*maps)


def test_learning_leaves_the_space_as_it_was(problem):
    X, pairs, labels, _ = problem
    for space in (FeatureWeights(), SimplexMap("rbf")):
        before = dict(vars(space))
        space.learn(X, pairs, labels)
        assert vars(space) == before


def test_a_space_must_learn_first(problem):
    for space in (FeatureWeights(), SimplexMap()):
        with pytest.raises(ValueError, match=r"has not learned .* `learn`"):
            space.fit(problem[0])


def test_representatives():
    assert representatives(3, np.random.RandomState(0)).tolist() == [0, 1, 2]
    rows = representatives(MOST_ROWS + 9, np.random.RandomState(0))
    assert len(set(rows.tolist())) == MOST_ROWS
    assert rows.max() < MOST_ROWS + 9
