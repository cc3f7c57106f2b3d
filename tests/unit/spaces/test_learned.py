"""Spaces that judgements teach: the likelihood, weights of features, maps."""

import numpy as np
import pytest
from scipy.optimize import check_grad

import naive_spaces as naive
from fuzzypairs import PairSet
from fuzzypairs.spaces.learned import MOST_ROWS, Learned, Weighted, representatives
from fuzzypairs.spaces.likelihood import Objective, softmax
from fuzzypairs.threads import Threads

FORMS = ["linear", "rbf"]


@pytest.fixture(scope="module")
def lesson():
    """80 samples that cluster by feature 0 and are judged by feature 2."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 4))
    X[:, 0] += 5 * (np.arange(80) % 2)
    truth = np.arange(80) // 2 % 2
    X[:, 2] += 3 * truth
    pairs = PairSet.from_labels(truth, n_pairs=40, random_state=1)
    return X, pairs, np.arange(80) % 2, truth


def small_lesson(seed=0, n_clusters=3):
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(9, 2))
    triples = [(0, 1, 1.0), (1, 2, -0.4), (3, 7, 0.3), (2, 8, -1.0), (0, 8, 0.6)]
    return features, PairSet.from_triples(triples, 9), rng.integers(n_clusters, size=9)


def objective(features, pairs, labels, weight=None, rows=None, **more):
    options = {"prior": 2.0, "ridge": 0.3, "doubt": 0.05} | more
    rows = np.arange(len(features)) if rows is None else rows
    return Objective(features, pairs, labels, **options, rows=rows, weight=weight)


# The likelihood.


def test_softmax_by_hand():
    Z = np.log([[1.0, 3.0], [2.0, 2.0]])
    np.testing.assert_allclose(softmax(Z), [[0.25, 0.75], [0.5, 0.5]])


def test_softmax_of_any_size():
    Z = np.array([[1e308, -1e308], [-700.0, -701.0], [0.0, 1e-300]])
    with np.errstate(over="ignore"):  # the difference of the first row
        V = softmax(Z)
    assert V[0].tolist() == [1.0, 0.0]
    np.testing.assert_allclose(V.sum(axis=1), 1.0, atol=1e-15)
    np.testing.assert_allclose(V[1], naive.softmax(Z[1]))


def test_softmax_leaves_its_argument():
    Z = np.array([[1.0, 2.0]])
    softmax(Z)
    assert Z.tolist() == [[1.0, 2.0]]


def test_value_where_all_is_even():
    """With W = 0 two samples of two clusters overlap by a half."""
    pairs = PairSet.from_triples([(0, 1, 1.0), (1, 2, -0.5)])
    value, _ = objective(np.ones((3, 1)), pairs, np.array([0, 1, 1]), prior=4.0)(
        np.zeros(4)
    )
    assert value == pytest.approx((1.0 + 0.5 + 4.0) * np.log(2))


@pytest.mark.parametrize("doubt", [0.0, 0.05, 0.4])
@pytest.mark.parametrize("weighted", [False, True])
def test_value_against_loops(doubt, weighted):
    features, pairs, labels = small_lesson()
    rng = np.random.default_rng(1)
    weight = rng.uniform(size=9) if weighted else None
    function = objective(features, pairs, labels, weight, doubt=doubt)
    W = rng.normal(size=function.shape)
    value, _ = function(W.ravel())
    expected = naive.unlikelihood(
        W,
        features,
        list(pairs),
        labels,
        2.0,
        0.3,
        doubt,
        np.ones(9) if weight is None else weight,
    )
    # Logarithms are taken 1e-9 away from zero.
    assert value == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize("doubt", [0.0, 0.05, 0.4])
@pytest.mark.parametrize("n_clusters", [1, 2, 4])
def test_gradient_against_differences(doubt, n_clusters):
    features, pairs, labels = small_lesson(2, n_clusters)
    labels[:n_clusters] = np.arange(n_clusters)
    function = objective(features, pairs, labels, doubt=doubt)
    rng = np.random.default_rng(3)
    for _ in range(5):
        # Small: the logarithm of a membership near 0 is not followed to the end.
        W = rng.normal(scale=0.5, size=function.shape).ravel()
        error = check_grad(lambda w: function(w)[0], lambda w: function(w)[1], W)
        assert error < 1e-5


def test_rows_stand_for_all():
    """Only `rows` are held to their labels; judgements reach all samples."""
    features, pairs, labels = small_lesson()
    rows = np.flatnonzero(labels == labels.max())[:1]
    others = np.delete(np.arange(9), rows)
    moved = labels.copy()
    moved[others] = 0
    function = objective(features, pairs, labels, rows=rows)
    W = np.random.default_rng(0).normal(size=function.shape).ravel()
    assert function(W)[0] == objective(features, pairs, moved, rows=rows)(W)[0]
    assert function(W)[0] != objective(features, pairs, labels)(W)[0]


def test_teaching_ends_below_its_start():
    features, pairs, labels = small_lesson()
    function = objective(features, pairs, labels)
    W = function.minimise()
    value, gradient = function(W.ravel())
    assert value < function(function.start().ravel())[0]
    assert np.abs(gradient).max() < 0.05
    for one in np.random.default_rng(0).normal(scale=0.3, size=(20, W.size)):
        assert function(W.ravel() + one)[0] > value


def test_first_guess_follows_the_labels():
    features = np.array([[-1.0], [-0.8], [0.9], [1.1]])
    labels = np.array([1, 1, 0, 0])
    function = objective(features, PairSet.from_triples([(0, 1, 1.0)], 4), labels)
    W = function.start()
    assert (features @ W[:1] + W[1]).argmax(axis=1).tolist() == labels.tolist()


# Weights of features.


def test_weights_by_hand():
    """Alike: differences (0, 1); unlike: (1, 0); blind ones are 1/2 in each feature.

    With one blind pair each: sqrt((1 + 1/2) / 2 / ((0 + 1/2) / 2)) = sqrt(3).
    """
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    pairs = PairSet.from_triples([(0, 1, 1.0), (0, 2, -1.0)], 4)
    space = Weighted(prior=1.0).teach(X, pairs, np.zeros(4, int))
    np.testing.assert_allclose(space.feature_weights, [3**0.5, 3**-0.5])


@pytest.mark.parametrize("weighted", [False, True])
def test_weights_against_loops(lesson, weighted):
    X, pairs, labels, _ = lesson
    weight = np.random.default_rng(0).uniform(size=80) if weighted else None
    found = Weighted().teach(X, pairs, labels, weight).feature_weights
    expected = naive.feature_weights(
        X, list(pairs), 20.0, np.ones(80) if weight is None else weight
    )
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert found.argmax() == 2


def test_without_judgements_all_features_weigh_the_same(lesson):
    X, _, labels, _ = lesson
    space = Weighted().teach(X, PairSet.empty(80), labels)
    np.testing.assert_allclose(space.feature_weights, 1.0)


def test_weighted_distances(lesson):
    X, pairs, labels, _ = lesson
    space = Weighted().teach(X, pairs, labels).fit(X)
    P = space.prototypes(np.random.default_rng(0).uniform(size=(80, 2)))
    C = space.points(P)
    expected = [[space.feature_weights @ (x - c) ** 2 for c in C] for x in X]
    np.testing.assert_allclose(space.distances(P), expected)
    np.testing.assert_allclose(space.between(X, P), expected)


def test_a_constant_feature_weighs_one(lesson):
    X, pairs, labels, _ = lesson
    X = np.column_stack([X, np.full(80, 7.0)])
    assert Weighted().teach(X, pairs, labels).feature_weights[-1] == 1.0


# Maps to the simplex.


@pytest.mark.parametrize("form", FORMS)
def test_map_is_on_the_simplex(lesson, form):
    X, pairs, labels, _ = lesson
    V = Learned(form).teach(X, pairs, labels).map(np.vstack([X, 1e6 * X]))
    assert np.isfinite(V).all()
    assert (V >= 0).all()
    np.testing.assert_allclose(V.sum(axis=1), 1.0, atol=1e-12)


def test_map_follows_judgements_where_clusters_do_not(lesson):
    X, pairs, labels, truth = lesson
    found = Learned("linear").teach(X, pairs, labels).map(X).argmax(axis=1)
    right = (found == truth).mean()
    assert max(right, 1 - right) > 0.9


def test_map_follows_clusters_where_judgements_are_few(lesson):
    X, _, labels, _ = lesson
    pairs = PairSet.from_triples([(0, 2, 0.01), (0, 1, -0.01)], 80)
    for form in FORMS:
        V = Learned(form).teach(X, pairs, labels).map(X)
        assert (V.argmax(axis=1) == labels).mean() > 0.95


@pytest.mark.parametrize("form", FORMS)
def test_map_is_free_of_scale_and_place(lesson, form):
    X, pairs, labels, _ = lesson
    space = Learned(form).teach(X, pairs, labels)
    for scale, shift in [(1e-3, 0.0), (1e3, 0.0), (4.0, 100.0)]:
        other = Learned(form).teach(scale * X + shift, pairs, labels)
        np.testing.assert_allclose(
            other.map(scale * X + shift), space.map(X), atol=1e-6
        )
        np.testing.assert_allclose(
            other.feature_weights, space.feature_weights, atol=1e-6
        )


@pytest.mark.parametrize("form", FORMS)
def test_new_rows_are_mapped_as_old_ones(lesson, form):
    X, pairs, labels, _ = lesson
    space = Learned(form).teach(X, pairs, labels).fit(X)
    P = np.eye(2)
    np.testing.assert_allclose(space.between(X[::-1], P)[::-1], space.distances(P))
    kept, P = space.trimmed(P)
    np.testing.assert_allclose(kept.between(X[:3], P), space.distances(P)[:3])


@pytest.mark.parametrize("form", FORMS)
def test_float32_is_computed_in_float64(lesson, form):
    X, pairs, labels, _ = lesson
    small = X.astype(np.float32)
    V = Learned(form).teach(small, pairs, labels).map(small)
    assert V.dtype == np.float64
    wide = small.astype(np.float64)
    np.testing.assert_allclose(
        V, Learned(form).teach(wide, pairs, labels).map(wide), atol=1e-4
    )


@pytest.mark.parametrize("form", FORMS)
def test_constant_features_do_not_matter(lesson, form):
    X, pairs, labels, _ = lesson
    wider = np.column_stack([np.full(80, -3.0), X])
    space = Learned(form).teach(wider, pairs, labels)
    assert space.feature_weights[0] == 0.0
    np.testing.assert_allclose(
        space.map(wider), Learned(form).teach(X, pairs, labels).map(X), atol=1e-6
    )


@pytest.mark.parametrize("form", FORMS)
def test_constant_data_have_an_even_map(form):
    X = np.ones((6, 2))
    pairs = PairSet.from_triples([(0, 1, 1.0), (2, 3, -1.0)], 6)
    space = Learned(form).teach(X, pairs, np.array([0, 0, 0, 1, 1, 1]))
    V = space.map(X)
    assert np.isfinite(V).all()
    assert np.ptp(V, axis=0).max() == 0.0
    assert space.feature_weights.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("form", FORMS)
def test_feature_weights_find_what_matters(lesson, form):
    X, pairs, labels, _ = lesson
    weights = Learned(form).teach(X, pairs, labels).feature_weights
    assert weights.sum() == pytest.approx(1.0)
    assert weights.argmax() == 2


@pytest.mark.parametrize("n_components", [1, 7, 1000])
def test_any_number_of_components(lesson, n_components):
    X, pairs, labels, _ = lesson
    space = Learned("rbf", n_components=n_components).teach(X, pairs, labels)
    # Of 80 samples, at most 40 span the features; the last row is the constant.
    assert space.coefficients.shape == (min(n_components, 40) + 1, 2)
    assert np.isfinite(space.map(X)).all()


def test_weights_act_as_repeated_rows(lesson):
    X, pairs, labels, _ = lesson
    again = np.r_[np.arange(80), np.arange(20)]
    weight = np.ones(80)
    weight[:20] = 2.0
    heavy = Learned("linear").teach(X, pairs, labels, weight)
    repeated = Learned("linear").teach(
        X[again], PairSet(pairs.i, pairs.j, pairs.grade, 100), labels[again]
    )
    np.testing.assert_allclose(heavy.map(X), repeated.map(X), atol=1e-3)


@pytest.mark.parametrize("form", FORMS)
def test_threads_change_nothing(lesson, form):
    X, pairs, labels, _ = lesson
    maps = []
    for n_jobs in (1, 2):
        with Threads(n_jobs) as threads:
            space = Learned(form).teach(X, pairs, labels, threads=threads)
        maps.append(space.map(X))
    assert np.array_equal(*maps)


def test_teaching_leaves_the_space_as_it_was(lesson):
    X, pairs, labels, _ = lesson
    for space in (Weighted(), Learned("rbf")):
        before = dict(vars(space))
        space.teach(X, pairs, labels)
        assert vars(space) == before


def test_a_space_must_be_taught_first(lesson):
    for space in (Weighted(), Learned()):
        with pytest.raises(ValueError, match=r"has not learned .* `teach`"):
            space.fit(lesson[0])


def test_representatives():
    assert representatives(3, np.random.RandomState(0)).tolist() == [0, 1, 2]
    rows = representatives(MOST_ROWS + 9, np.random.RandomState(0))
    assert len(set(rows.tolist())) == MOST_ROWS
    assert rows.max() < MOST_ROWS + 9
