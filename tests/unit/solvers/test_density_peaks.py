"""Density peaks: merging of clusters, their adjacency, and refused distances."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from fuzzypairs.pairs import PairSet
from fuzzypairs.solvers.density_peaks import (
    adjacent_clusters,
    distances,
    find_density_peaks,
    merge_clusters,
    split_clusters,
)


def merged(labels, linked, cannot=()):
    labels = np.array(labels)
    merge_clusters(labels, linked, list(cannot), np.arange(len(labels)))
    return labels.tolist()


def test_the_denser_centre_survives():
    labels = np.array([0, 1, 2])
    merge_clusters(labels, [(0, 2)], [], np.array([1, 2, 0]))
    assert labels.tolist() == [2, 1, 2]


def test_a_merged_cluster_touches_what_its_parts_touched():
    # 1 touches 0 and 2; after 1 joined 0, 2 still touches the sum.
    assert merged([0, 1, 2], [(0, 1), (1, 2)]) == [0, 0, 0]


def test_closest_clusters_merge_first():
    # The middle may join either end but not both: it takes the nearer.
    X = np.array([[0.0], [10.0], [19.0]])
    labels = np.arange(3)
    core = np.ones(3, dtype=bool)
    adjacent = list(adjacent_clusters(pdist(X), labels, core, 11.0))
    assert adjacent == [(1, 2), (0, 1)]
    assert merged(labels, adjacent, [(0, 2)]) == [0, 1, 1]


def test_all_pairs_of_clusters_are_seen():
    X = np.random.default_rng(0).normal(size=(40, 2))
    labels = np.arange(40) // 4 * 4
    core = np.ones(40, dtype=bool)
    adjacent = list(adjacent_clusters(pdist(X), labels, core, np.inf))
    centers = range(0, 40, 4)
    assert sorted(adjacent) == [(a, b) for a in centers for b in centers if a < b]


def test_vetoes_follow_a_merged_cluster_that_had_some_itself():
    # 2 may not join 0 or 1; after 0 and 1 have merged, 3 may join them, then not 2.
    links = [(0, 1), (1, 3), (2, 3)]
    assert merged([0, 1, 2, 3], links, [(0, 2), (1, 2)]) == [0, 0, 2, 0]


def test_every_step_of_four_points():
    X = np.array([[0.0], [1.0], [2.0], [10.0]])
    options = {"divisor": 1, "gaussian": False, "use_halo": False}
    found = find_density_peaks(
        X, PairSet.empty(4), percent=50, merge_adjacent=False, **options
    )
    assert found.cutoff == 2.0
    assert found.density.tolist() == [1, 2, 1, 0]
    assert found.delta.tolist() == [1, 8, 1, 8]
    assert found.centers.tolist() == [0, 1, 2, 2]
    assert found.core.all()
    cannot = PairSet([1], [2], [-0.1], 4)
    found = find_density_peaks(X, cannot, percent=50, merge_adjacent=True, **options)
    assert found.centers.tolist() == [1, 1, 2, 2]


def test_distances_beyond_float64_are_refused():
    with pytest.raises(ValueError, match=r"X reaches 1e\+200.*rescale X"):
        distances(np.array([[0.0], [1e200]]))


@pytest.mark.parametrize(
    ("score", "expected"),
    [
        # The next peak is sample 1, which sample 2 follows.
        ([3.0, 2.0, 1.0], [0, 1, 1]),
        # Without another peak, the linked sample itself becomes a centre.
        ([3.0, 0.0, 0.0], [0, 0, 2]),
    ],
)
def test_a_cannot_link_splits_its_cluster(score, expected):
    centers, parent = np.zeros(3, dtype=int), np.array([0, 0, 1])
    split_clusters(centers, np.array(score), parent, [[0, 2]])
    assert centers.tolist() == expected


@pytest.mark.parametrize(("halo", "gaussian"), [(False, False), (True, True)])
def test_two_groups_on_a_line(halo, gaussian):
    X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]])
    found = find_density_peaks(
        X,
        PairSet.from_triples([(0, 5, -1.0)], 6),
        percent=40.0,
        divisor=1.0,
        gaussian=gaussian,
        use_halo=halo,
        merge_adjacent=True,
    )
    first, second = found.centers[:3], found.centers[3:]
    assert len(set(first)) == len(set(second)) == 1
    assert first[0] != second[0]
    assert found.core.all()
