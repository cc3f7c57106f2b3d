"""Where a fit begins."""

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array, issparse
from scipy.spatial.distance import cdist

from fuzzypairs import FDC
from fuzzypairs.pairs import PairSet
from fuzzypairs.solvers.start import (
    NAMES,
    Start,
    is_deterministic,
    kmeans_plusplus,
    random_labels,
    read_given,
    resolve_start,
    spread_samples,
)
from fuzzypairs.spaces.kernel_spaces import PrecomputedDistances
from fuzzypairs.spaces.vectors import Euclidean, Manhattan
from metric_cases import PAIRS, POINTS, SQUARE, TABLE, assert_descent

LINE = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]])


@pytest.fixture
def random_state():
    return np.random.RandomState(0)


# Start ------------------------------------------------------------------------


def test_a_start_holds_exactly_one_array():
    labels = np.array([0, 1])
    start = Start(labels=labels)
    assert (start.centers, start.labels, start.memberships) == (None, labels, None)
    with pytest.raises(ValueError, match=r"given \[\], expected exactly one of"):
        Start()
    with pytest.raises(ValueError, match=r"given \['centers', 'labels'\]"):
        Start(centers=LINE, labels=labels)


# Reading `init` ---------------------------------------------------------------


def test_names_lead_to_their_starts():
    def resolve(name, **more):
        random_state = np.random.RandomState(3)
        return resolve_start(name, LINE, 2, random_state=random_state, **more)

    def fresh():
        return {"random_state": np.random.RandomState(3)}

    weight = np.array([0.0, 1.0, 0.0, 0.0, 1.0, 0.0])
    seeds = resolve("k-means++", sample_weight=weight).centers
    assert sorted(seeds.ravel().tolist()) == [1.0, 11.0]
    assert_array_equal(
        resolve("k-means++").centers, kmeans_plusplus(LINE, 2, **fresh())
    )
    assert_array_equal(resolve("random").labels, random_labels(6, 2, **fresh()))
    space = Manhattan().fit(LINE)
    assert_array_equal(
        resolve("k-means++", space=space).rows, spread_samples(space, 2, **fresh())
    )
    pairs = PairSet([0], [1], [-0.9], n_samples=6)
    assert resolve("pair-graph", pairs=pairs).labels.tolist() == [0, 1, 1, 1, 1, 1]


def test_arrays_and_callables_lead_to_what_they_hold(random_state):
    labels = resolve_start([0, 0, 0, 1, 1, 1], LINE, 3, random_state=random_state)
    assert labels.labels.tolist() == [0, 0, 0, 1, 1, 1]
    called = resolve_start(
        lambda X, *_: X[:, 0] > 5, LINE, 3, random_state=random_state
    )
    assert called.labels.tolist() == [0, 0, 0, 1, 1, 1]
    halves = resolve_start([[0.5, 0.5]] * 6, LINE, 2, random_state=random_state)
    assert_array_equal(halves.memberships, [[0.5, 0.5]] * 6)


def test_a_callable_of_other_arguments(random_state):
    with pytest.raises(
        TypeError, match=r"init must be a function of \(X, n_clusters, "
    ):
        resolve_start(lambda X, k: X, LINE, 2, random_state=random_state)


def test_a_callable_is_given_what_it_needs(random_state):
    def draw(X, n_clusters, source):
        assert X is LINE
        assert source is random_state
        return source.dirichlet(np.ones(n_clusters), size=len(X))

    start = resolve_start(draw, LINE, 4, random_state=random_state)
    expected = np.random.RandomState(0).dirichlet(np.ones(4), size=6)
    assert_allclose(start.memberships, expected)


@pytest.mark.parametrize(
    ("init", "message"),
    [
        ("kmeans", "init is 'kmeans', expected one of 'k-means++', 'random', 'pair-g"),
        (lambda X, k, rs: None, "init() is a NoneType of shape ()"),
        (lambda X, k, rs: X[:2, 0], "init() has 2 labels but X has 6 rows"),
        (lambda X, k, rs: X[:, 0], "init()[2] is 2.0, expected a whole number"),
        (lambda X, k, rs: X, "init() has shape (6, 1), expected (6, 2)"),
    ],
)
def test_errors_name_init(init, message, random_state):
    with pytest.raises(ValueError, match=re.escape(message)):
        resolve_start(init, LINE, 2, random_state=random_state)


@pytest.mark.parametrize(
    ("X", "space", "what"),
    [
        (csr_array(LINE), None, "sparse"),
        (
            cdist(LINE, LINE),
            PrecomputedDistances(),
            "a matrix of samples against samples",
        ),
    ],
)
def test_the_pair_graph_needs_a_table(X, space, what, random_state):
    with pytest.raises(ValueError, match=f"joins near rows of a table.*X is {what}"):
        resolve_start("pair-graph", X, 2, random_state=random_state, space=space)


def test_every_name_is_known(random_state):
    for name in NAMES:
        start = resolve_start(name, LINE, 2, random_state=random_state)
        assert isinstance(start, Start), name


@pytest.mark.parametrize(
    ("init", "answer"),
    [
        ("k-means++", False),
        ("random", False),
        ("pair-graph", True),
        ([0, 1], True),
        (np.array([[0.5, 0.5]]), True),
        (lambda X, n_clusters, random_state: X, False),
    ],
)
def test_is_deterministic(init, answer):
    assert is_deterministic(init) is answer


@pytest.mark.parametrize("X", [SQUARE, csr_array(TABLE)], ids=["square", "sparse"])
def test_a_fit_by_the_pair_graph_needs_a_table(X):
    metric = "rbf" if issparse(X) else "precomputed"
    with pytest.raises(ValueError, match=r'init="pair-graph".*"k-means\+\+"'):
        FDC(2, metric=metric, init="pair-graph").fit(X, pairs=[(0, 1, 1.0)])


def test_a_fit_by_the_pair_graph_in_other_spaces():
    pairs = PairSet.from_triples(PAIRS, 24)
    model = FDC(3, metric="rbf", init="pair-graph").fit(POINTS, pairs=pairs)
    assert_descent(model)


# Seeds and random labels ---------------------------------------------------------


class Draws:
    """A random state whose numbers are given."""

    def __init__(self, numbers):
        self.numbers = numbers

    def random_sample(self, shape):
        assert self.numbers.shape == shape
        return self.numbers


def seeds(X, weight, draws):
    k = len(draws)
    return kmeans_plusplus(X, k, sample_weight=weight, random_state=Draws(draws))


def naive_seeds(X, weight, draws):
    """Greedy k-means++ step by step; needs more distinct rows than seeds."""
    X = X.astype(np.float64)
    rows = [np.flatnonzero(np.cumsum(weight) > draws[0, 0] * weight.sum())[0]]
    for step in draws[1:]:
        dist2 = np.array([min(((x - X[row]) ** 2).sum() for row in rows) for x in X])
        mass = np.cumsum(weight * dist2)
        candidates = [np.flatnonzero(mass > draw * mass[-1])[0] for draw in step]
        potentials = [
            (weight * np.minimum(dist2, ((X - X[c]) ** 2).sum(axis=1))).sum()
            for c in candidates
        ]
        rows.append(candidates[np.argmin(potentials)])
    return rows


# k-means++ --------------------------------------------------------------------


def test_seeds_worked_by_hand():
    # From row 0 the masses are 0, 1, 4, 100, 121, 144: the draw 0.3 is row 4, for
    # 0.3 * 370 = 111 falls into (105, 226], and 0.9 is row 5. Row 4 leaves
    # 0 + 1 + 4 + 1 + 0 + 1 = 7, row 5 leaves 0 + 1 + 4 + 4 + 1 + 0 = 10.
    draws = np.array([[0.0, 0.0], [0.3, 0.9]])
    assert_array_equal(seeds(LINE, np.ones(6), draws), LINE[[0, 4]])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("seed", range(8))
def test_seeds_agree_with_the_definition(seed, dtype):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(50, 1 + seed)).astype(dtype)
    weight = rng.integers(0, 4, size=50).astype(float)
    draws = rng.random((6, 3))
    expected = X[naive_seeds(X, weight, draws)]
    assert_array_equal(seeds(X, weight, draws), expected)


@pytest.mark.parametrize("draw", [0.0, 0.5, np.nextafter(1, 0)])
def test_seeds_never_lack_weight(draw):
    weight = np.array([0.0, 1.0, 0.0, 0.0, 1.0, 0.0])
    found = seeds(LINE, weight, np.full((2, 2), draw))
    assert_array_equal(np.sort(found, axis=0), LINE[[1, 4]])


def test_seeds_of_weightless_data_are_those_of_equal_weights():
    draws = np.random.default_rng(0).random((3, 3))
    expected = seeds(LINE, np.ones(6), draws)
    assert_array_equal(seeds(LINE, np.zeros(6), draws), expected)


@pytest.mark.parametrize("seed", range(5))
def test_seeds_repeat_only_when_they_must(seed):
    X = np.repeat([[0.0, 1.0], [5.0, 5.0], [7.0, 0.0]], 4, axis=0)
    weight = np.repeat([1.0, 1.0, 0.0], 4)
    random_state = np.random.RandomState(seed)
    centers = kmeans_plusplus(X, 3, random_state=random_state)
    assert len(np.unique(centers, axis=0)) == 3
    centers = kmeans_plusplus(X, 4, sample_weight=weight, random_state=random_state)
    assert_array_equal(np.unique(centers, axis=0), X[[0, 4]])


@pytest.mark.parametrize("n_clusters", [1, 3, 9])
def test_seeds_of_identical_rows(n_clusters, random_state):
    X = np.full((5, 2), 3.0)
    centers = kmeans_plusplus(X, n_clusters, random_state=random_state)
    assert_array_equal(centers, np.full((n_clusters, 2), 3.0))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_kmeans_plusplus_finds_distant_groups(dtype, random_state):
    places = 100 * np.eye(5)
    X = (np.repeat(places, 20, axis=0) + random_state.normal(size=(100, 5))).astype(
        dtype
    )
    centers = kmeans_plusplus(X, 5, random_state=random_state)
    assert centers.dtype == dtype
    assert sorted(centers.argmax(axis=1)) == [0, 1, 2, 3, 4]


def test_kmeans_plusplus_takes_weights_and_data_as_they_come():
    X = np.random.default_rng(0).normal(size=(40, 3))
    weight = np.arange(40) % 3
    expected, *others = (
        kmeans_plusplus(
            data, 4, sample_weight=given, random_state=np.random.RandomState(1)
        )
        for data in (X, np.asfortranarray(X), np.repeat(X, 2, axis=0)[::2])
        for given in (weight.astype(float), weight.astype(np.float32), weight)
    )
    for centers in others:
        assert_array_equal(centers, expected)


# Random labels ----------------------------------------------------------------


@pytest.mark.parametrize(("n_samples", "n_clusters"), [(5, 5), (7, 6), (40, 3)])
def test_random_labels_leave_no_cluster_empty(n_samples, n_clusters):
    for seed in range(20):
        random_state = np.random.RandomState(seed)
        labels = random_labels(n_samples, n_clusters, random_state=random_state)
        assert np.unique(labels).tolist() == list(range(n_clusters))


def test_random_labels_of_too_few_samples(random_state):
    labels = random_labels(2, 5, random_state=random_state)
    assert sorted(labels.tolist()) == [0, 1]


def test_random_labels_are_even(random_state):
    labels = random_labels(30_000, 3, random_state=random_state)
    # Within five standard deviations of 10 000, about 82 each.
    assert np.abs(np.bincount(labels) - 10_000).max() < 410


# Any space --------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_samples_in_any_space_agree_with_the_definition(seed):
    # Many samples: two candidates that shorten only their own distances would tie.
    X = np.random.default_rng(seed).normal(size=(90, 2))
    space = Euclidean().fit(X)
    rows = spread_samples(space, 4, random_state=np.random.RandomState(seed))
    # One draw for the first seed, three for each of the others.
    random_state, draws = np.random.RandomState(seed), np.zeros((4, 3))
    draws[0] = random_state.uniform()
    draws[1:] = random_state.uniform(size=(3, 3))
    assert rows.tolist() == naive_seeds(X, np.ones(90), draws)


def test_samples_of_weight_zero_are_not_chosen(random_state):
    weight = np.array([0.0, 1.0, 0.0, 0.0, 1.0, 0.0])
    space = Manhattan().fit(LINE, weight)
    rows = spread_samples(space, 2, random_state=random_state)
    assert sorted(rows.tolist()) == [1, 4]


@pytest.mark.parametrize("weight", [np.ones(5), np.zeros(5)])
def test_samples_of_identical_rows_and_of_no_weight(weight, random_state):
    space = Manhattan().fit(np.full((5, 2), 3.0), weight)
    rows = spread_samples(space, 3, random_state=random_state)
    assert len(rows) == 3
    assert set(rows) <= set(range(5))


HALVES = [[0.5, 0.5]] * 6


@pytest.mark.parametrize(
    "labels",
    [
        [0, 0, 0, 1, 1, 1],
        (0.0, 0.0, 0.0, 1.0, 1.0, 1.0),
        np.array([0, 0, 0, 1, 1, 1], dtype=np.uint8),
        np.array([False, False, False, True, True, True]),
    ],
)
def test_labels_are_accepted(labels):
    # Three clusters are allowed: using two of them is fine.
    read = read_given(labels, "init", 6, 3)
    assert read.tolist() == [0, 0, 0, 1, 1, 1]
    assert read.dtype == np.intp


def test_memberships_are_normalised_in_a_copy():
    random_state = np.random.RandomState(0)
    given = random_state.dirichlet([1, 1, 1], size=6).astype(np.float32)
    before = given.copy()
    read = read_given(given, "init", 6, 3)
    assert read.dtype == np.float64
    assert_allclose(read.sum(axis=1), 1, rtol=0, atol=1e-15)
    assert_allclose(read, given, rtol=1e-6)
    assert_array_equal(given, before)

    given = given.astype(np.float64)
    given /= given.sum(axis=1, keepdims=True) * (1 + 9e-7)
    before = given.copy()
    read = read_given(given, "init", 6, 3)
    assert_allclose(read.sum(axis=1), 1, rtol=0, atol=1e-15)
    assert_array_equal(given, before)


@pytest.mark.parametrize(
    ("init", "message"),
    [
        (None, "init is a NoneType of shape () and type object, expected numbers"),
        (7, "init is a int of shape () and type int"),
        ([["a", "b"]] * 6, "init is a list of shape (6, 2) and type <U1"),
        ([[1.0], [0.5, 0.5]], "init is a list of shape () and type object"),
        (np.zeros((6, 2, 1)), "init is a ndarray of shape (6, 2, 1)"),
        ([0, 1, 0], "init has 3 labels but X has 6 rows"),
        ([0, 1, 0.5, 1, 0, 1], "init[2] is 0.5, expected a whole number from 0 to 1"),
        ([0, 1, 0, 1, -1, 1], "init[4] is -1, expected a whole number from 0 to 1"),
        ([0, 1, 0, 1, 0, 2], "init[5] is 2, expected a whole number from 0 to 1"),
        ([0, 1, 0, np.nan, 0, 1], "init[3] is nan, expected a whole number"),
        (np.full((6, 3), 1 / 3), "init has shape (6, 3), expected (6, 2)"),
        (HALVES[:4], "init has shape (4, 2), expected (6, 2)"),
        ([*HALVES[:5], [np.nan, 1]], "init[5, 0] is nan, expected a membership"),
        ([*HALVES[:5], [1, np.inf]], "init[5, 1] is inf, expected a membership"),
        ([*HALVES[:5], [-0.5, 1.5]], "init[5, 0] is -0.5, expected a membership"),
        ([[0.5, 0.4], *HALVES[:5]], "init[0] sums to 0.9, expected 1 within 1e-06"),
        ([*HALVES[:5], [0.5, 0.500002]], "init[5] sums to 1, expected 1 within"),
    ],
)
def test_errors_name_the_argument(init, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        read_given(init, "init", 6, 2)
