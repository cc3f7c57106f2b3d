"""Where a fit begins."""

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array, issparse
from scipy.spatial.distance import cdist

from fuzzypairs import FDC
from fuzzypairs.pairs import PairSet
from fuzzypairs.spaces.kernel_spaces import PrecomputedDistances
from fuzzypairs.spaces.vectors import Manhattan
from fuzzypairs.starts.seeds import kmeans_plusplus, random_labels, spread_samples
from fuzzypairs.starts.start import NAMES, Start, is_deterministic, resolve_start
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
