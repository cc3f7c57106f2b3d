"""What holds for the groups of every pair graph."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from fuzzypairs.pairs import PairSet
from fuzzypairs.solvers.pair_graph import fold_groups, pair_graph_labels

N_SAMPLES = 12

# The same examples every time, however busy the machine.
steady = settings(deadline=None, derandomize=True, max_examples=60)

pytestmark = pytest.mark.filterwarnings(
    "ignore::fuzzypairs.exceptions.FuzzyPairsWarning"
)
# Whole coordinates: ties and copies abound.
tied_data = arrays(np.float64, (N_SAMPLES, 2), elements=st.integers(-4, 4).map(float))
seeds = st.integers(0, 2**32 - 1)
rows = st.integers(0, N_SAMPLES - 1)
grades = st.sampled_from([-1.0, -0.5, -0.3, 0.0, 0.3, 0.5, 1.0])
triples = st.tuples(rows, rows, grades).filter(lambda triple: triple[0] != triple[1])
judgements = st.lists(triples, max_size=15)
numbers = st.integers(1, N_SAMPLES + 2)
options = st.fixed_dictionaries(
    {
        "n_neighbors": st.integers(1, 4),
        "max_dense": st.sampled_from([0, 4000]),
    }
)


def together(labels):
    """Which samples share a group: a partition whatever its numbering."""
    return labels[:, None] == labels


def tied_groups(pairs):
    """Groups that must-links alone make: their number, and that of each sample."""
    must = pairs.grade >= 0.5
    ends = pairs.i[must], pairs.j[must]
    links = coo_array((np.ones(must.sum()), ends), shape=(N_SAMPLES, N_SAMPLES))
    return connected_components(links, directed=False)


@steady
@given(tied_data, judgements, numbers, options)
def test_judgements_are_kept_unless_they_contradict(X, listed, n_clusters, options):
    pairs = PairSet.from_triples(listed, N_SAMPLES)
    labels = pair_graph_labels(X, pairs, n_clusters, **options)
    inside = labels[pairs.i] == labels[pairs.j]
    assert inside[pairs.grade >= 0.5].all()
    tied = tied_groups(pairs)[1]
    contradict = tied[pairs.i] == tied[pairs.j]
    np.testing.assert_array_equal((inside == contradict)[pairs.grade <= -0.5], True)


@steady
@given(tied_data, judgements, numbers, options)
def test_number_of_groups(X, listed, n_clusters, options):
    pairs = PairSet.from_triples(listed, N_SAMPLES)
    labels = pair_graph_labels(X, pairs, n_clusters, **options)
    n_components = labels.max() + 1
    # Numbered by appearance, so that each new label is one above the largest yet.
    assert np.unique(labels).tolist() == list(range(n_components))
    assert (np.diff(np.maximum.accumulate(labels), prepend=-1) <= 1).all()
    assert n_components >= min(n_clusters, tied_groups(pairs)[0])
    if n_components > n_clusters:
        unlike = pairs.grade <= -0.5
        apart = np.eye(n_components, dtype=bool)
        apart[labels[pairs.i[unlike]], labels[pairs.j[unlike]]] = True
        assert (apart | apart.T).all()


@steady
@given(tied_data, judgements, numbers, options)
def test_without_cannot_links_the_number_is_met(X, listed, n_clusters, options):
    alike = [(i, j, abs(grade)) for i, j, grade in listed]
    pairs = PairSet.from_triples(alike, N_SAMPLES)
    labels = pair_graph_labels(X, pairs, n_clusters, **options)
    assert labels.max() + 1 == min(n_clusters, tied_groups(pairs)[0])


@steady
@given(tied_data, judgements, numbers, st.randoms(use_true_random=False))
def test_order_of_judgements_does_not_matter(X, listed, n_clusters, random):
    shuffled = [(j, i, grade) for i, j, grade in listed]
    random.shuffle(shuffled)
    expected, result = (
        pair_graph_labels(X, PairSet.from_triples(given, N_SAMPLES), n_clusters)
        for given in (listed, shuffled)
    )
    assert result.tolist() == expected.tolist()


@steady
@given(seeds, judgements, numbers, options)
def test_order_of_samples_does_not_matter(seed, listed, n_clusters, options):
    rng = np.random.default_rng(seed)
    X, order = rng.normal(size=(N_SAMPLES, 2)), rng.permutation(N_SAMPLES)
    place = np.argsort(order)
    pairs = PairSet.from_triples(listed, N_SAMPLES)
    moved = PairSet(place[pairs.i], place[pairs.j], pairs.grade, N_SAMPLES)
    labels = pair_graph_labels(X, pairs, n_clusters, **options)
    moved_labels = pair_graph_labels(X[order], moved, n_clusters, **options)
    assert (together(moved_labels[place]) == together(labels)).all()


@steady
@given(tied_data, judgements, numbers)
def test_folding_only_unites_groups(X, listed, n_clusters):
    pairs = PairSet.from_triples(listed, N_SAMPLES)
    groups = pair_graph_labels(X, pairs, n_clusters)
    labels = fold_groups(X, groups, pairs, n_clusters)
    n_left = min(n_clusters, groups.max() + 1)
    assert np.unique(labels).tolist() == list(range(n_left))
    assert together(labels)[together(groups)].all()
