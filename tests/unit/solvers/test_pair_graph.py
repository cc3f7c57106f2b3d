"""Groups under strong judgements: single linkage with cannot-links."""

import tracemalloc

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import cdist

from fuzzypairs.exceptions import FuzzyPairsWarning
from fuzzypairs.pairs import PairSet
from fuzzypairs.solvers.pair_graph import fold_groups, pair_graph, pair_graph_labels

LINE = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]])
NOTHING = PairSet.empty(6)
NEAR = np.array([[0.0], [0.5], [1.0], [1.5], [20.0], [20.5]])


def groups_of(labels):
    """A partition whatever its numbering."""
    return {frozenset(np.flatnonzero(labels == g).tolist()) for g in set(labels)}


def draw_instance(seed, n_samples=40, n_clusters=4, n_pairs=12):
    """Data in overlapping classes, and judgements that tell the truth."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n_samples) % n_clusters)
    X = rng.normal(size=(n_samples, 3)) + 2 * rng.normal(size=(n_clusters, 3))[y]
    return X, PairSet.from_labels(y, n_pairs=n_pairs, random_state=seed)


def violated(labels, pairs):
    """Cannot-links inside a group."""
    inside = (labels[pairs.i] == labels[pairs.j]) & (pairs.grade < 0)
    return list(zip(pairs.i[inside].tolist(), pairs.j[inside].tolist(), strict=True))


def naive_groups(X, pairs, n_clusters, n_neighbors=None):
    """The definition with sets and loops; `n_neighbors` restricts the edges."""
    samples = range(len(X))
    dist = cdist(X, X)
    must = {frozenset((i, j)) for i, j, grade in pairs if grade >= 0.5}
    cannot = {frozenset((i, j)) for i, j, grade in pairs if grade <= -0.5}
    edges = [(dist[i, j], i, j) for i in samples for j in samples if i < j]
    if n_neighbors is not None:
        near = [set(np.argsort(row)[1 : n_neighbors + 1].tolist()) for row in dist]
        edges = [(d, i, j) for d, i, j in edges if j in near[i] or i in near[j]]

    def join(groups, i, j):
        a, b = (next(g for g in groups if sample in g) for sample in (i, j))
        if a == b or any(frozenset((p, q)) in cannot for p in a for q in b):
            return groups
        return (groups - {a, b}) | {a | b}

    groups = {frozenset([i]) for i in samples}
    for i, j in must:
        groups = join(groups, i, j)
    tied, used = groups, []
    for _, i, j in sorted(edges):
        joined = join(groups, i, j)
        if joined != groups:
            used.append((i, j))
        groups = joined
    if len(groups) < n_clusters:
        groups = tied
        for i, j in used[: len(tied) - n_clusters]:
            groups = join(groups, i, j)
    while len(groups) > n_clusters:
        options = [
            (len(a) > 1 and len(b) > 1, mean_gap(X, a, b), min(a), min(b))
            for a in groups
            for b in groups
            if len(join(groups, min(a), min(b))) < len(groups)
        ]
        if not options:
            break
        groups = join(groups, *min(options)[2:])
    return groups


def mean_gap(X, a, b):
    return np.linalg.norm(X[sorted(a)].mean(axis=0) - X[sorted(b)].mean(axis=0))


# Worked cases -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("cannot", "expected"),
    [([], [0, 0, 0, 1, 1, 1]), ([(0, 1)], [0, 1, 1, 1, 1, 1])],
)
def test_line(cannot, expected):
    pairs = PairSet.from_must_cannot(cannot=cannot, n_samples=6)
    assert pair_graph_labels(LINE, pairs, 2).tolist() == expected


def test_groups_that_must_stay_apart_remain_and_this_is_said():
    pairs = PairSet.from_must_cannot(cannot=[(0, 1), (1, 2), (0, 2)], n_samples=6)
    with pytest.warns(FuzzyPairsWarning, match="separate 3 groups but n_clusters"):
        labels = pair_graph_labels(LINE, pairs, 2)
    assert labels.tolist() == [0, 1, 2, 2, 2, 2]


@pytest.mark.parametrize(
    ("n_clusters", "expected"), [(3, [0, 0, 1, 1, 2, 2]), (2, [0, 0, 1, 1, 1, 1])]
)
def test_neighbouring_groups_that_must_stay_apart(n_clusters, expected):
    pairs = PairSet.from_must_cannot([(0, 1), (2, 3)], [(0, 2)], n_samples=6)
    assert pair_graph_labels(NEAR, pairs, n_clusters).tolist() == expected


def test_contradictions_are_ignored():
    must, cannot = [(0, 1), (1, 2)], [(0, 2), (0, 3)]
    pairs = PairSet.from_must_cannot(must, cannot, n_samples=6)
    assert pair_graph_labels(LINE, pairs, 2).tolist() == [0, 0, 0, 1, 1, 1]


def test_weak_judgements_do_not_bind():
    weak = [(0, 1, -0.49), (2, 3, 0.49), (4, 5, 0.0)]
    weak = PairSet.from_triples(weak, 6)
    assert pair_graph_labels(LINE, weak, 2).tolist() == [0, 0, 0, 1, 1, 1]
    labels = pair_graph_labels(LINE, weak, 2, threshold=0.49)
    assert labels.tolist() == [0, 1, 1, 1, 1, 1]


def test_must_links_are_never_cut():
    pairs = PairSet.from_must_cannot([(0, 5), (1, 4), (2, 3)], n_samples=6)
    assert pair_graph_labels(LINE, pairs, 5).tolist() == [0, 1, 2, 2, 1, 0]


def test_cuts_reach_single_samples():
    assert pair_graph_labels(LINE, NOTHING, 6).tolist() == [0, 1, 2, 3, 4, 5]
    assert pair_graph_labels(LINE, NOTHING, 9).tolist() == [0, 1, 2, 3, 4, 5]


def test_ties_go_to_the_lower_rows():
    X = np.array([[0.0], [1.0], [2.0]])
    assert pair_graph_labels(X, PairSet.empty(3), 2).tolist() == [0, 0, 1]


# Invariants, and agreement with the definition --------------------------------


@pytest.mark.parametrize("seed", range(40))
def test_single_linkage_without_judgements(seed):
    X = np.random.default_rng(seed).normal(size=(30 + seed, 2))
    n_clusters = 1 + seed % 7
    labels = pair_graph_labels(X, PairSet.empty(len(X)), n_clusters)
    expected = fcluster(linkage(X, "single"), n_clusters, "maxclust")
    assert groups_of(labels) == groups_of(expected)


@pytest.mark.filterwarnings("ignore::fuzzypairs.exceptions.FuzzyPairsWarning")
@pytest.mark.parametrize("max_dense", [4000, 0])
def test_consistent_judgements_are_all_kept(max_dense):
    for seed in range(200):
        X, pairs = draw_instance(seed)
        labels = pair_graph_labels(X, pairs, 4, n_neighbors=4, max_dense=max_dense)
        must = pairs.grade > 0
        assert (labels[pairs.i] == labels[pairs.j])[must].all()
        assert violated(labels, pairs) == []
        assert labels.max() + 1 == len(set(labels)) >= 4


@pytest.mark.filterwarnings("ignore::fuzzypairs.exceptions.FuzzyPairsWarning")
@pytest.mark.parametrize("seed", range(15))
def test_definition_with_all_edges(seed):
    X, pairs = draw_instance(seed, n_samples=24, n_pairs=10)
    for n_clusters in (2, 4, 7):
        labels = pair_graph_labels(X, pairs, n_clusters)
        expected = naive_groups(X, pairs, n_clusters)
        assert groups_of(labels) == expected


@pytest.mark.filterwarnings("ignore::fuzzypairs.exceptions.FuzzyPairsWarning")
@pytest.mark.parametrize("seed", range(10))
def test_definition_with_the_neighbour_graph(seed):
    # One neighbour each: a dozen groups or more are left to merge, and single samples
    # where there are many judgements.
    X, pairs = draw_instance(seed, n_samples=50, n_pairs=5 + 8 * seed)
    for n_clusters in (3, 6):
        labels = pair_graph_labels(X, pairs, n_clusters, n_neighbors=1, max_dense=0)
        expected = naive_groups(X, pairs, n_clusters, n_neighbors=1)
        assert groups_of(labels) == expected


@pytest.mark.parametrize("seed", [10, 44, 47])
def test_definition_with_many_single_samples(seed):
    # Twins apart, each the only neighbour of the other: 16 samples stay alone. The
    # seeds are some where a merged group comes nearer to a single sample in time to
    # change the result.
    rng = np.random.default_rng(seed)
    X = np.repeat(rng.normal(size=(10, 2)), 2, axis=0) + 0.01 * rng.normal(size=(20, 2))
    twins = [(i, i + 1) for i in range(0, 16, 2)]
    pairs = PairSet.from_must_cannot(cannot=twins, n_samples=20)
    for n_clusters in (3, 5, 9):
        labels = pair_graph_labels(X, pairs, n_clusters, n_neighbors=1, max_dense=0)
        expected = naive_groups(X, pairs, n_clusters, n_neighbors=1)
        assert groups_of(labels) == expected


@pytest.mark.filterwarnings("ignore::fuzzypairs.exceptions.FuzzyPairsWarning")
@pytest.mark.parametrize("max_dense", [4000, 0])
@pytest.mark.parametrize("seed", range(5))
def test_order_of_samples_does_not_matter(seed, max_dense):
    X, pairs = draw_instance(seed, n_pairs=20)
    order = np.random.default_rng(seed).permutation(len(X))
    place = np.argsort(order)
    moved = PairSet(place[pairs.i], place[pairs.j], pairs.grade, len(X))
    options = {"n_neighbors": 3, "max_dense": max_dense}
    labels = pair_graph_labels(X, pairs, 3, **options)
    moved_labels = pair_graph_labels(X[order], moved, 3, **options)
    assert groups_of(labels) == groups_of(moved_labels[place])


def test_many_wrong_judgements_leave_only_groups_that_stay_apart():
    X = np.random.default_rng(0).normal(size=(60, 2))
    wrong = [(i, j) for i in range(60) for j in range(i) if (i * j + i) % 3 == 0]
    pairs = PairSet.from_must_cannot(cannot=wrong, n_samples=60)
    with pytest.warns(FuzzyPairsWarning, match="pairs separate"):
        labels = pair_graph_labels(X, pairs, 2)
    assert violated(labels, pairs) == []
    between = {frozenset((labels[i], labels[j])) for i, j, _ in pairs}
    n_groups = labels.max() + 1
    assert len(between) == n_groups * (n_groups - 1) / 2


# Large data -------------------------------------------------------------------


def test_large_data_need_no_square_table():
    n_samples = 6000
    X, pairs = draw_instance(0, n_samples=n_samples, n_pairs=600)
    tracemalloc.start()
    try:
        labels = pair_graph_labels(X, pairs, 5)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert labels.max() + 1 == 5
    assert violated(labels, pairs) == []
    # One byte for each pair of samples would be more.
    assert peak < n_samples**2


def test_copies_beyond_the_neighbours_stay_together():
    X = np.repeat(LINE, 20, axis=0)
    nothing = PairSet.empty(len(X))
    labels = pair_graph_labels(X, nothing, 2, n_neighbors=3, max_dense=0)
    assert labels.tolist() == [0] * 60 + [1] * 60


def test_few_samples_are_linked_to_all_others():
    labels = pair_graph_labels(LINE, NOTHING, 2, n_neighbors=5, max_dense=0)
    assert labels.tolist() == [0, 0, 0, 1, 1, 1]
    alone = pair_graph_labels(LINE[:1], PairSet.empty(1), 1, max_dense=0)
    assert alone.tolist() == [0]


# Folding ----------------------------------------------------------------------


def test_fold_follows_the_grades_before_the_distance():
    X = np.array([[0.0], [1.0], [9.0], [9.1], [1.1]])
    triples = [(0, 1, -0.9), (0, 2, -0.9), (0, 3, 0.3), (1, 2, -1.0)]
    pairs, labels = PairSet.from_triples(triples, 5), np.array([0, 1, 2, 2, 1])
    # Sample 0 is nearest to 1 and 4; the judgements prefer 2 and 3.
    assert fold_groups(X, labels, pairs, 2).tolist() == [1, 0, 1, 1, 0]


def test_fold_goes_to_the_nearest_without_judgements():
    labels = fold_groups(LINE, np.array([0, 0, 1, 2, 2, 2]), NOTHING, 2)
    assert labels.tolist() == [0, 0, 0, 1, 1, 1]


def test_fold_leaves_few_groups_alone_and_copies():
    labels = np.array([0, 0, 0, 1, 1, 1])
    folded = fold_groups(LINE, labels, NOTHING, 2)
    assert folded.tolist() == labels.tolist()
    assert not np.shares_memory(folded, labels)


def test_fold_reaches_one_group():
    assert fold_groups(LINE, np.arange(6), NOTHING, 1).tolist() == [0] * 6


# The start ---------------------------------------------------------------------


def test_pair_graph_obeys_strong_judgements():
    pairs = PairSet.from_triples([(0, 1, -0.9), (1, 2, -0.2)], 6)
    assert pair_graph(LINE, 2, pairs).tolist() == [0, 1, 1, 1, 1, 1]


def test_pair_graph_never_exceeds_the_number_of_clusters():
    pairs = PairSet.from_triples([(0, 1, -0.9), (1, 2, -0.6), (0, 2, -0.8)], 6)
    with pytest.warns(FuzzyPairsWarning, match="separate 3 groups"):
        labels = pair_graph(LINE, 2, pairs)
    # Sample 0 goes first and meets -0.8 from 2 and -0.9 from 1.
    assert labels.tolist() == [1, 0, 1, 1, 1, 1]
