"""FHSS: worked cases, the level of the cut, hard links, edges, errors."""

from itertools import combinations

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, is_valid_linkage
from scipy.cluster.hierarchy import linkage as scipy_linkage
from scipy.spatial.distance import squareform
from sklearn.datasets import load_wine
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import scale

from fuzzypairs import PairSet
from fuzzypairs.cluster.fhss import FHSS
from fuzzypairs.criteria import nmi, normalized_ari, pair_agreement
from fuzzypairs.datasets import simulate_pairs
from fuzzypairs.exceptions import PairsError
from fuzzypairs.solvers import dendrogram

LINE = np.array([[0.0], [1.0], [2.0], [10.0], [11.0]])
GRID = np.linspace(0, 1, 21)


@pytest.fixture(scope="module")
def blobs():
    """Three groups of 20 samples in the plane, and their labels."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 20)
    return np.array([[0, 0], [8, 0], [0, 8]])[y] + rng.normal(size=(60, 2)), y


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return scale(X), y


def judge(y, n_pairs, seed, share_wrong=0.0):
    """Random graded judgements of labels, the first of them wrong."""
    rng = np.random.default_rng(seed)
    p, q = rng.integers(len(y), size=(2, 3 * n_pairs))
    p, q = p[p != q][:n_pairs], q[p != q][:n_pairs]
    sign = np.where(y[p] == y[q], 1.0, -1.0)
    sign[: int(share_wrong * n_pairs)] *= -1
    return PairSet(p, q, sign * rng.uniform(0.1, 1.0, n_pairs), len(y))


def same(one, other):
    """Whether two labellings are one partition."""
    return adjusted_rand_score(one, other) == 1.0


# Cases worked by hand.


@pytest.mark.parametrize(
    ("tie", "level", "labels"),
    [("coarse", 0.95, [0, 0, 0, 1, 1]), ("fine", 0.0, [0, 0, 1, 2, 3])],
)
def test_five_points_on_a_line(tie, level, labels):
    model = FHSS(tie=tie).fit(LINE, pairs=[(0, 1, 1), (0, 3, -1)])
    heights = model.linkage_[:, 2]
    np.testing.assert_allclose(heights, [0, 0.1034, 0.1552, 1], atol=5e-5)
    assert model.cut_level_ == level
    assert model.labels_.tolist() == labels
    assert model.n_clusters_ == max(labels) + 1
    assert model.agreement_ == 1.0
    assert model.n_features_in_ == 1


def test_fixed_cut_is_at_one_minus_alpha():
    # Clusters meet at 1, 1, 1.5 and 9.5: heights of .105 twice, .158 and 1.
    coarse = FHSS(cut="fixed").fit(LINE)
    fine = FHSS(cut="fixed", alpha=0.88).fit(LINE)
    assert coarse.cut_level_ == 0.95
    assert coarse.labels_.tolist() == [0, 0, 0, 1, 1]
    assert fine.labels_.tolist() == [0, 0, 1, 2, 2]
    assert FHSS(cut="fixed", alpha=0.0).fit(LINE).n_clusters_ == 1


def test_k_is_scipys_maxclust(blobs):
    X, y = blobs
    pairs = judge(y, 10, seed=1)
    for k in range(1, 61):
        model = FHSS(k, cut="k").fit(X, pairs=pairs)
        assert model.n_clusters_ == k
        assert same(model.labels_, fcluster(model.linkage_, k, "maxclust"))
    assert FHSS(100, cut="k").fit(X).n_clusters_ == 60


def test_largest_jump_without_judgements(blobs):
    X, y = blobs
    model = FHSS().fit(X)
    assert same(model.labels_, y)
    heights = model.linkage_[:, 2]
    assert model.cut_level_ == heights[np.diff(heights).argmax()]
    assert np.isnan(model.agreement_)
    assert FHSS(2).fit(X).n_clusters_ == 2


# What holds of every fit.


@pytest.mark.parametrize("linkage", ["average", "complete", "single"])
@pytest.mark.parametrize("seed", range(5))
def test_level_is_the_best_of_the_grid(blobs, linkage, seed):
    X, y = blobs
    pairs = judge(y, 12, seed, share_wrong=0.3)
    fits = {}
    for tie in ("coarse", "fine"):
        model = FHSS(linkage=linkage, tie=tie).fit(X, pairs=pairs)
        found = [fcluster(model.linkage_, c, "distance") for c in GRID]
        values = np.array([pair_agreement(pairs, labels) for labels in found])
        best = GRID[np.isclose(values, values.max(), atol=1e-12, rtol=0)]
        expected = best[-1] if tie == "coarse" else best[0]
        assert model.cut_level_ == pytest.approx(expected, abs=1e-12)
        assert model.agreement_ == pytest.approx(values.max())
        assert is_valid_linkage(model.linkage_)
        fits[tie] = model.n_clusters_
    assert fits["coarse"] <= fits["fine"]


def test_only_alike_gives_one_cluster(blobs):
    X, _ = blobs
    pairs = judge(np.zeros(60, int), 10, seed=0)
    model = FHSS().fit(X, pairs=pairs)
    assert model.n_clusters_ == 1
    assert model.cut_level_ == model.agreement_ == 1.0


@pytest.mark.parametrize("tie", ["coarse", "fine"])
def test_only_unlike_are_all_apart(blobs, tie):
    X, _ = blobs
    pairs = judge(np.arange(60), 10, seed=0)
    model = FHSS(tie=tie).fit(X, pairs=pairs)
    assert model.agreement_ == 1.0
    assert not np.any(model.labels_[pairs.i] == model.labels_[pairs.j])
    if tie == "fine":
        assert model.cut_level_ == 0.0
        assert model.n_clusters_ == 60


@pytest.mark.parametrize("cut", ["agreement", "fixed", "k"])
def test_order_of_samples_does_not_matter(blobs, cut):
    X, y = blobs
    pairs = judge(y, 15, seed=3, share_wrong=0.2)
    order = np.random.default_rng(4).permutation(60)
    model = FHSS(4, cut=cut).fit(X, pairs=pairs)
    moved = FHSS(4, cut=cut).fit(X[order], pairs=pairs.restrict(order))
    assert same(moved.labels_, model.labels_[order])
    assert moved.cut_level_ == pytest.approx(model.cut_level_)
    assert moved.agreement_ == pytest.approx(model.agreement_)


def test_units_of_features_do_not_matter(blobs):
    X, y = blobs
    pairs = judge(y, 15, seed=3)
    model = FHSS().fit(X, pairs=pairs)
    for scales in ([1e200, 1e-200], [-3.0, 1e-310]):
        other = FHSS().fit(X * scales, pairs=pairs)
        np.testing.assert_allclose(other.linkage_[:, 2], model.linkage_[:, 2])
        np.testing.assert_array_equal(other.labels_, model.labels_)


def test_labels_are_numbered_by_first_samples(blobs):
    X, _ = blobs
    labels = FHSS(7, cut="k").fit(X[::-1]).labels_
    _, first = np.unique(labels, return_index=True)
    assert np.all(np.diff(first) > 0)


def test_cannot_say_is_no_judgement(blobs):
    X, y = blobs
    pairs = judge(y, 15, seed=5)
    more = pairs + PairSet.from_triples([(0, 59, 0), (20, 40, 0)], 60)
    np.testing.assert_array_equal(
        FHSS().fit(X, pairs=more).labels_, FHSS().fit(X, pairs=pairs).labels_
    )
    np.testing.assert_array_equal(
        FHSS().fit(X, pairs=[(0, 59, 0)]).labels_, FHSS().fit(X).labels_
    )


def test_several_values_of_a_pair_count_by_their_mean(blobs):
    X, _ = blobs
    several = FHSS().fit(X, pairs=[(0, 1, 0.9), (1, 0, 0.3), (2, 30, -0.7)])
    one = FHSS().fit(X, pairs=[(0, 1, 0.6), (2, 30, -0.7)])
    np.testing.assert_allclose(several.linkage_, one.linkage_)
    assert several.cut_level_ == one.cut_level_


# Orders of magnitude known from the same rules on the paper's protocol.


def wine_medians(wine, tie, group):
    """Normalised ARI and NMI in percent, medians of 20 draws."""
    X, y = wine
    scores = []
    for seed in range(20):
        pairs = simulate_pairs(X, y, group, random_state=seed)
        labels = FHSS(tie=tie).fit(X, pairs=pairs).labels_
        scores.append([100 * normalized_ari(y, labels), 100 * nmi(y, labels)])
    return np.median(scores, axis=0)


@pytest.mark.parametrize(
    ("group", "known"), [("iii", [89.6, 78.8]), ("iv", [90.3, 79.7])]
)
def test_wine_with_true_judgements(wine, group, known):
    # Of 200 draws, the medians of every ten were within 6 points.
    np.testing.assert_allclose(wine_medians(wine, "coarse", group), known, atol=6)


def test_wine_with_wrong_judgements_is_chance(wine):
    # The paper's 50. Draws end in one cluster or in many, so that the NMI of this
    # row, 0 or about 45, is no number to hold on to; nor are those of mixed groups.
    for tie, most in (("fine", 51), ("coarse", 61)):
        assert 49 < wine_medians(wine, tie, "i")[0] < most


# Hard links.


def greedy(D, must, cannot, linkage):
    """Merge the nearest allowed clusters until none are left; all partitions."""
    clusters = [{i} for i in range(len(D))]
    for p, q in must:
        one = next(c for c in clusters if p in c)
        other = next(c for c in clusters if q in c)
        if one is not other:
            clusters = [c for c in clusters if c not in (one, other)] + [one | other]
    reduce = {"average": np.mean, "complete": np.max}[linkage]
    found = [clusters]
    while True:
        allowed = [
            (reduce(D[np.ix_(sorted(a), sorted(b))]), a, b)
            for a, b in combinations(clusters, 2)
            if not any((p in a and q in b) or (q in a and p in b) for p, q in cannot)
        ]
        if not allowed:
            return found
        _, a, b = min(allowed, key=lambda merge: merge[0])
        clusters = [c for c in clusters if c not in (a, b)] + [a | b]
        found.append(clusters)


@pytest.mark.parametrize("linkage", ["average", "complete"])
@pytest.mark.parametrize("seed", range(4))
def test_hard_links_as_by_greedy_merging(linkage, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(16, 2))
    must, cannot = [(0, 1), (1, 2), (5, 9)], [(2, 3), (9, 4), (7, 8), (0, 5)]
    pairs = PairSet.from_must_cannot(must, cannot, 16)
    pairs = pairs + PairSet.from_triples([(10, 11, 0.5), (12, 13, -0.5)], 16)
    D = dendrogram.scaled_distances(X)
    dendrogram.adjust_distances(D, pairs)
    D = squareform(D)
    for clusters in greedy(D, must, cannot, linkage):
        k = len(clusters)
        model = FHSS(k, cut="k", linkage=linkage, enforce=True).fit(X, pairs=pairs)
        expected = np.empty(16, int)
        for label, members in enumerate(clusters):
            expected[sorted(members)] = label
        assert same(model.labels_, expected)
    # One fewer cannot be had, and no level is above the allowed merges.
    last = FHSS(1, cut="k", linkage=linkage, enforce=True).fit(X, pairs=pairs)
    assert last.n_clusters_ == k > 1
    assert last.cut_level_ == 1.0
    assert np.sum(last.linkage_[:, 2] == 2.0) == k - 1
    assert is_valid_linkage(last.linkage_)


def test_hard_links_hold_at_every_level(blobs):
    X, _ = blobs
    wrong = PairSet.from_must_cannot([(0, 20), (20, 40)], [(1, 2), (2, 3), (1, 0)], 60)
    tree = FHSS(enforce=True).fit(X, pairs=wrong).linkage_
    for c in GRID:
        assert pair_agreement(wrong, dendrogram.partition(tree, c)) == 1.0
    soft = FHSS(cut="fixed").fit(X, pairs=wrong)
    assert soft.agreement_ < 1.0


def test_soft_grades_are_not_enforced(blobs):
    X, y = blobs
    pairs = judge(y, 15, seed=6, share_wrong=0.5)
    one = FHSS(enforce=True).fit(X, pairs=pairs)
    other = FHSS().fit(X, pairs=pairs)
    np.testing.assert_array_equal(one.linkage_, other.linkage_)


def test_contradicting_hard_links_are_named(blobs):
    pairs = [(4, 5, 1), (5, 6, 1), (4, 6, -1)]
    FHSS().fit(blobs[0], pairs=pairs)
    with pytest.raises(PairsError, match="samples 4 and 6 with -1 but chains them"):
        FHSS(enforce=True).fit(blobs[0], pairs=pairs)


# Edges.


@pytest.mark.parametrize("linkage", ["average", "complete", "single"])
def test_equal_rows_are_one_cluster(linkage):
    X = np.full((6, 3), 0.1)
    model = FHSS(linkage=linkage).fit(X)
    assert model.n_clusters_ == 1
    assert np.all(model.linkage_[:, 2] == 0.0)
    parted = FHSS(linkage=linkage).fit(X, pairs=[(0, 1, -0.4)])
    # Nearest members chain past the judgement.
    assert parted.agreement_ == (0.0 if linkage == "single" else 1.0)


def test_merges_of_one_height_stay_together():
    X = np.repeat(LINE, 2, axis=0)
    assert FHSS(7, cut="k").fit(X).n_clusters_ == 5


def test_two_samples():
    assert FHSS().fit([[0.0], [1.0]]).n_clusters_ == 1
    assert FHSS().fit([[0.0], [1.0]], pairs=[(0, 1, -0.1)]).n_clusters_ == 2
    assert FHSS().fit([[0.0], [1.0]], pairs=[(0, 1, 0.1)]).n_clusters_ == 1


def test_a_constant_feature_says_nothing(blobs):
    X, _ = blobs
    plain = FHSS().fit(X).linkage_
    np.testing.assert_array_equal(
        FHSS().fit(np.column_stack([X, np.full(60, 0.3)])).linkage_, plain
    )


def test_agrees_with_scipy_without_judgements(blobs):
    X, _ = blobs
    for linkage in ("average", "complete", "single"):
        expected = scipy_linkage(scale(X), linkage)
        tree = FHSS(linkage=linkage).fit(X).linkage_
        heights = expected[:, 2] / expected[-1, 2]
        np.testing.assert_allclose(tree[:, 2], heights, rtol=1e-12)


# Errors.


@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        ({"linkage": "ward"}, ValueError, 'linkage must be one of "average"'),
        ({"cut": "level"}, ValueError, 'cut must be one of "agreement"'),
        ({"tie": "first"}, ValueError, 'tie must be one of "coarse"'),
        ({"step": 0.0}, ValueError, r"step must be finite, 0\.001 or more"),
        ({"alpha": 1.5}, ValueError, "alpha must be finite, 0 or more and below 1"),
        ({"cut": "k"}, ValueError, 'n_clusters is None but cut="k" needs it'),
        ({"n_clusters": 0}, ValueError, "n_clusters must be 1 or more"),
        ({"n_clusters": 2.0}, TypeError, "n_clusters must be a whole number"),
        ({"enforce": "yes"}, TypeError, "enforce must be True or False, got 'yes'"),
        ({"enforce": True, "linkage": "single"}, ValueError, "enforce=True needs link"),
        ({"memory": "much"}, ValueError, "memory must be a number of bytes"),
    ],
)
def test_wrong_parameters_are_named(params, error, message):
    with pytest.raises(error, match=message):
        FHSS(**params).fit(LINE)
