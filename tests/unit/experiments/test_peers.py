"""PCK-means and MPCK-means against hand cases and plain loops."""

import itertools

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from experiments.constraints import Links, link_costs
from experiments.peers import MPCKMeans, PCKMeans, average, distances2
from fuzzypairs import PairSet
from fuzzypairs.exceptions import PairsError

PEERS = [PCKMeans, MPCKMeans, lambda k, **more: MPCKMeans(k, metric="single", **more)]
NAMES = ["PCKMeans", "MPCKMeans", "MPCKMeans single"]


@pytest.fixture
def problem():
    """Overlapping blobs, and judgements of which some are wrong."""
    X, y = make_blobs(60, n_features=3, centers=3, cluster_std=4.0, random_state=1)
    true = PairSet.from_labels(y, n_pairs=30, random_state=0)
    rng = np.random.default_rng(0)
    grade = true.grade * rng.uniform(0.1, 1, 30) * np.where(rng.random(30) < 0.2, -1, 1)
    return X, y, PairSet(true.i, true.j, grade, 60)


def naive_pck(X, pairs, labels, C, weight):
    """The objective of PCK-means, term by term."""
    total = sum(0.5 * ((x - C[h]) ** 2).sum() for x, h in zip(X, labels, strict=True))
    for p, q, s in pairs:
        broken = (labels[p] != labels[q]) if s > 0 else (labels[p] == labels[q])
        total += weight * abs(s) * broken
    return total


def naive_farthest2(X, a):
    """The squared gaps, by feature, of the farthest pair under a diagonal metric."""
    gaps = [(x - z) ** 2 for x, z in itertools.combinations(X, 2)]
    return max(gaps, key=lambda gap: gap @ a)


def naive_mpck(X, pairs, labels, C, A):
    """The objective of MPCK-means, term by term."""
    total = 0.0
    for x, h in zip(X, labels, strict=True):
        total += ((x - C[h]) ** 2) @ A[h] - np.log(A[h]).sum()
    for p, q, s in pairs:
        g, h, gap = labels[p], labels[q], (X[p] - X[q]) ** 2
        if s > 0 and g != h:
            total += s * (gap @ A[g] + gap @ A[h]) / 2
        if s < 0 and g == h:
            total -= s * (naive_farthest2(X, A[g]) @ A[g] - gap @ A[g])
    return total


def naive_metric(X, pairs, labels, C, A, h):
    """1 / a_hf times the size of h, with loops over samples and links."""
    total = np.zeros(X.shape[1])
    for x in X[labels == h]:
        total += (x - C[h]) ** 2
    for p, q, s in pairs:
        gap = (X[p] - X[q]) ** 2
        if s > 0 and labels[p] != labels[q] and h in (labels[p], labels[q]):
            total += s * gap / 2
        if s < 0 and labels[p] == labels[q] == h:
            total -= s * (naive_farthest2(X, A[h]) - gap)
    return total


def test_pck_on_a_line_by_hand():
    # Alone, 4 is nearer to {0, 1} (gap 3.5) than to {9, 10} (gap 5.5). In {0, 1, 4}
    # and {9, 10} the scatter is 26/3 and 1/2, in {0, 1} and {4, 9, 10} 1/2 and 62/3:
    # half of the difference, 6, is what the must-link has to be worth.
    X = np.array([[0.0], [1.0], [4.0], [9.0], [10.0]])
    weak = PCKMeans(2, weight=5.9, random_state=0).fit(X, pairs=[(2, 4, 1.0)])
    strong = PCKMeans(2, weight=6.1, random_state=0).fit(X, pairs=[(2, 4, 1.0)])
    graded = PCKMeans(2, weight=12.2, random_state=0).fit(X, pairs=[(2, 4, 0.5)])

    assert weak.labels_[2] == weak.labels_[0] != weak.labels_[4]
    assert weak.objective_ == pytest.approx(26 / 6 + 1 / 4 + 5.9)
    assert strong.labels_[2] == strong.labels_[4] != strong.labels_[0]
    assert strong.objective_ == pytest.approx(62 / 6 + 1 / 4)
    assert graded.objective_ == pytest.approx(strong.objective_)


def test_mpck_metric_by_hand():
    # Two clusters without links: 1 / a is the variance in each, by feature.
    X = np.array([[0.0, 0], [2, 6], [50, 0], [54, 2]])
    model = MPCKMeans(2, floor=1e-6, random_state=0).fit(X)
    first, second = model.labels_[0], model.labels_[2]

    np.testing.assert_allclose(1 / model.metric_weights_[first], [1, 9])
    np.testing.assert_allclose(1 / model.metric_weights_[second], [4, 1])
    # Each sample adds 2 at the optimum, less its log det.
    expected = 4 * 2 - 2 * np.log(1 / 9) - 2 * np.log(1 / 4)
    assert model.objective_ == pytest.approx(expected)

    single = MPCKMeans(2, metric="single", floor=1e-6, random_state=0).fit(X)
    np.testing.assert_allclose(1 / single.metric_weights_, [[2.5, 5], [2.5, 5]])


def test_without_links_pck_is_kmeans(problem):
    X, _, _ = problem
    model = PCKMeans(3, n_init=20, random_state=0).fit(X)
    peer = KMeans(3, n_init=20, random_state=0).fit(X)

    assert model.objective_ == pytest.approx(peer.inertia_ / 2)
    assert adjusted_rand_score(model.labels_, peer.labels_) == 1


def test_pck_objective_is_that_of_plain_loops_and_never_rises(problem):
    X, _, pairs = problem
    model = PCKMeans(3, weight=20.0, n_init=1, random_state=3).fit(X, pairs=pairs)
    C = [X[model.labels_ == h].mean(axis=0) for h in range(3)]

    np.testing.assert_allclose(model.cluster_centers_, C)
    assert model.objective_ == pytest.approx(
        naive_pck(X, pairs, model.labels_, C, 20.0), rel=1e-6
    )
    assert model.n_iter_ > 2
    assert (np.diff(model.objective_history_) <= 1e-9 * model.objective_).all()


@pytest.mark.parametrize("metric", ["cluster", "single"])
def test_mpck_costs_and_metrics_are_those_of_plain_loops(problem, metric):
    X, y, pairs = problem
    model, links = MPCKMeans(3, metric=metric), Links.of(pairs)
    rng = np.random.default_rng(0)
    labels = np.where(rng.random(60) < 0.3, rng.integers(3, size=60), y)
    C = np.array([X[labels == h].mean(axis=0) for h in range(3)])
    A = np.tile(rng.uniform(0.5, 2, 3), (3, 1))
    if metric == "cluster":
        A = rng.uniform(0.5, 2, (3, 3))

    farthest2 = model._farthest2(X, A)
    apart, together = model._penalties(X, links, A, farthest2)
    own = np.take_along_axis(model._costs(X, C, A), labels[:, None], axis=1).sum()
    total = own + link_costs(links, apart, together, labels).sum()
    assert total == pytest.approx(naive_mpck(X, pairs, labels, C, A))

    learnt = model._learn(X, links, labels, C, A, farthest2)
    sums = np.array([naive_metric(X, pairs, labels, C, A, h) for h in range(3)])
    sizes = np.bincount(labels)[:, None]
    expected = (
        sizes / sums if metric == "cluster" else np.tile(60 / sums.sum(0), (3, 1))
    )
    np.testing.assert_allclose(learnt, expected)


def test_flat_clusters_have_bounded_weights():
    X = np.array([[0.0, 1], [0, 2], [4, 1], [4, 2]])
    model = MPCKMeans(2, random_state=0)
    model.fit(X, pairs=[(0, 1, 1.0), (2, 3, 1.0)])

    # Variances 4 and 1/4 of X; in the clusters 0, which the floor lifts, and 1/4.
    np.testing.assert_allclose(model.metric_weights_, [[1 / 0.4, 4], [1 / 0.4, 4]])


def test_mpck_metric_is_the_best_one(problem):
    # With no cannot-link broken the closed form minimises the objective.
    X, y, pairs = problem
    alike = PairSet(pairs.i, pairs.j, np.abs(pairs.grade), 60)
    links, model = Links.of(alike), MPCKMeans(3)
    C = np.array([X[y == h].mean(axis=0) for h in range(3)])
    none = np.zeros((3, 3))
    best = model._learn(X, links, y, C, none + 1, none)
    low = naive_mpck(X, alike, y, C, best)
    rng = np.random.default_rng(0)
    for _ in range(20):
        other = best * rng.uniform(0.8, 1.25, best.shape)
        assert naive_mpck(X, alike, y, C, other) > low


def test_starts_by_hand():
    # Three neighbourhoods at 0 (three samples), 1 and 100; two clusters.
    X = np.array([[0.0], [0], [0], [1], [1], [100], [100], [50]])
    pairs = PairSet([0, 1, 3, 5], [1, 2, 4, 6], np.ones(4), n_samples=8)
    rng, links = np.random.RandomState(0), Links.of(pairs)

    assert PCKMeans()._start(X, pairs, links, 2, rng).tolist() == [[0], [1]]
    assert MPCKMeans()._start(X, pairs, links, 2, rng).tolist() == [[0], [100]]

    unlike = pairs.concat(PairSet([0, 3, 5], [7, 7, 7], -np.ones(3), n_samples=8))
    four = PCKMeans()._start(X, unlike, Links.of(unlike), 4, rng)
    assert four.tolist() == [[0], [1], [100], [50]]

    near = PCKMeans()._start(X, pairs, links, 5, rng)
    assert (np.abs(near[3:] - X.mean()) < 0.5 * X.std()).all()


def test_other_starts_mend_neighborhoods_of_one_class():
    # Two blobs; the two largest neighbourhoods are far apart, but in the first.
    X = np.array([[0.0], [0], [3], [3], [20], [20.1], [20.2], [20.3]])
    pairs = [(0, 1, 1.0), (2, 3, 1.0), (4, 5, 1.0)]
    paper = PCKMeans(2, n_init=1, random_state=0)._start(
        X, PairSet.from_triples(pairs, 8), Links.of(PairSet.empty(8)), 2, None
    )
    model = PCKMeans(2, random_state=0).fit(X, pairs=pairs)

    assert paper.tolist() == [[0], [3]]
    assert model.labels_.tolist() in ([0] * 4 + [1] * 4, [1] * 4 + [0] * 4)


def test_distances_under_metrics():
    rng = np.random.default_rng(0)
    X, C, A = (
        rng.normal(size=(5, 3)),
        rng.normal(size=(2, 3)),
        rng.uniform(1, 2, (2, 3)),
    )
    naive = [[a @ (x - c) ** 2 for c, a in zip(C, A, strict=True)] for x in X]

    np.testing.assert_allclose(distances2(X, C, A), naive)
    assert (distances2(X + 1e8, X + 1e8, np.ones_like(X)) >= 0).all()


def test_means_of_clusters_and_of_none():
    X, labels = np.array([[1.0], [3.0], [5.0]]), np.array([0, 0, 2])

    C = average(X, labels, np.array([[0.0], [7.0], [0.0]]))
    assert C.tolist() == [[2], [7], [5]]


@pytest.mark.parametrize("make", PEERS, ids=NAMES)
class TestEveryPeer:
    def test_true_judgements_help(self, problem, make):
        X, y, _ = problem
        pairs = PairSet.from_labels(y, n_pairs=120, random_state=0)
        alone = make(3, random_state=0).fit(X).labels_
        guided = make(3, random_state=0).fit(X, pairs=pairs).labels_

        assert adjusted_rand_score(y, guided) > adjusted_rand_score(y, alone)

    def test_one_seed_one_result(self, problem, make):
        X, _, pairs = problem
        first, second = (make(3, random_state=5).fit(X, pairs=pairs) for _ in "ab")

        np.testing.assert_array_equal(first.labels_, second.labels_)
        assert first.objective_ == second.objective_

    def test_pairs_of_grade_zero_say_nothing(self, problem, make):
        X, _, pairs = problem
        free = np.setdiff1d(np.arange(60), np.concatenate([pairs.i, pairs.j]))[:2]
        more = pairs.concat(PairSet(free[:1], free[1:], [0.0], n_samples=60))
        first, second = (
            make(3, random_state=5).fit(X, pairs=given) for given in (pairs, more)
        )

        assert len(more) == len(pairs) + 1
        np.testing.assert_array_equal(first.labels_, second.labels_)

    def test_duplicates_flat_features_and_contradictions_stay_finite(self, make):
        X = np.column_stack([np.repeat([0.0, 1.0], 4), np.ones(8)])
        pairs = [(0, 1, 1), (1, 2, 1), (0, 2, -1), (0, 7, 1), (4, 5, -1)]
        model = make(4, random_state=0).fit(X, pairs=pairs)

        assert np.isfinite(model.objective_)
        assert np.isfinite(model.metric_weights_).all()
        assert set(model.labels_) <= set(range(4))

    def test_identical_samples(self, make):
        model = make(2, random_state=0).fit(np.ones((4, 2)), pairs=[(0, 1, -1.0)])

        assert np.isfinite(model.objective_)

    def test_bad_input_is_named(self, make):
        X = np.zeros((4, 1))
        with pytest.raises(ValueError, match="n_clusters is 5 but X has 4 rows"):
            make(5).fit(X)
        with pytest.raises(PairsError, match="joins sample 4 but"):
            make(2).fit(X, pairs=[(0, 4, 1.0)])
        with pytest.raises(ValueError, match="weight"):
            make(2, weight=-1.0).fit(X)
