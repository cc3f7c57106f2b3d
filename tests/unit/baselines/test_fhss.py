"""FHSS: worked cases, changed distances, the level of the cut, edges, errors."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, is_valid_linkage
from scipy.cluster.hierarchy import linkage as scipy_linkage
from scipy.spatial.distance import squareform
from sklearn.datasets import load_wine
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import scale

from fuzzypairs import FHSS, PairSet
from fuzzypairs.baselines.fhss import (
    adjust_distances,
    agreement,
    best_level,
    level_below_jump,
    level_of_count,
    link,
    partition,
    scaled_distances,
)
from fuzzypairs.criteria import nmi, normalized_ari, pair_agreement
from fuzzypairs.datasets import simulate_pairs

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


@pytest.mark.parametrize("seed", range(5))
def test_level_is_the_best_of_the_grid(blobs, seed):
    X, y = blobs
    pairs = judge(y, 12, seed, share_wrong=0.3)
    fits = {}
    for tie in ("coarse", "fine"):
        model = FHSS(tie=tie).fit(X, pairs=pairs)
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


@pytest.mark.parametrize("cut", ["agreement", "k"])
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


# Edges.


def test_equal_rows_are_one_cluster():
    X = np.full((6, 3), 0.1)
    model = FHSS().fit(X)
    assert model.n_clusters_ == 1
    assert np.all(model.linkage_[:, 2] == 0.0)
    assert FHSS().fit(X, pairs=[(0, 1, -0.4)]).agreement_ == 1.0


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
    expected = scipy_linkage(scale(X), "average")
    heights = expected[:, 2] / expected[-1, 2]
    np.testing.assert_allclose(FHSS().fit(X).linkage_[:, 2], heights, rtol=1e-12)


# Errors.


@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        ({"cut": "level"}, ValueError, 'cut must be one of "agreement"'),
        ({"tie": "first"}, ValueError, 'tie must be one of "coarse"'),
        ({"step": 0.0}, ValueError, r"step must be finite, 0\.001 or more"),
        ({"cut": "k"}, ValueError, 'n_clusters is None but cut="k" needs it'),
        ({"n_clusters": 0}, ValueError, "n_clusters must be 1 or more"),
        ({"n_clusters": 2.0}, TypeError, "n_clusters must be a whole number"),
        ({"memory": "much"}, ValueError, "memory must be a number of bytes"),
    ],
)
def test_wrong_parameters_are_named(params, error, message):
    with pytest.raises(error, match=message):
        FHSS(**params).fit(LINE)


# Distances, the tree and its levels.


def tree_of(X, pairs):
    distances = scaled_distances(X)
    adjust_distances(distances, pairs)
    return link(distances)


def adjusted(X, pairs):
    """The matrix of scaled distances after the judgements."""
    distances = scaled_distances(X)
    adjust_distances(distances, pairs)
    return squareform(distances)


def test_grades_adjust_distances_by_their_strength():
    pairs = PairSet.from_triples([(2, 3, 0.5), (0, 1, -0.5), (3, 4, 1), (1, 4, -1)])
    plain, D = squareform(scaled_distances(LINE)), adjusted(LINE, pairs)
    assert plain.max() == 1.0
    assert D[2, 3] == pytest.approx(0.5 * 8 / 11)
    assert D[0, 1] == pytest.approx(1 / 11 + 0.5 * 10 / 11)
    assert D[3, 4] == 0.0
    assert D[1, 4] == 1.0
    assert D[0, 2] == plain[0, 2] == pytest.approx(2 / 11)


def test_adjusted_distance_falls_with_the_grade():
    grades = np.linspace(-1, 1, 21)
    found = [adjusted(LINE, PairSet([1], [3], [s], 5))[1, 3] for s in grades]
    assert np.all(np.diff(found) < 0)
    assert found[0] == 1.0
    assert found[10] == scaled_distances(LINE)[5]
    assert found[-1] == 0.0


def test_agreement_at_every_level_of_the_line():
    pairs = PairSet.from_triples([(0, 1, 1), (0, 3, -1)], 5)
    tree = tree_of(LINE, pairs)
    levels = np.linspace(0, 1, 21)
    values = [agreement(partition(tree, c), pairs) for c in levels]
    assert values == [1.0] * 20 + [0.5]
    assert best_level(tree, pairs, 0.05, "coarse") == 0.95
    assert best_level(tree, pairs, 0.05, "fine") == 0.0
    assert np.isnan(agreement(partition(tree, 0.0), PairSet.empty(5)))


def test_level_of_a_count_and_of_the_largest_jump():
    tree = tree_of(LINE, PairSet.empty(5))
    heights = tree[:, 2]
    np.testing.assert_allclose(heights, [1 / 9.5, 1 / 9.5, 1.5 / 9.5, 1])
    assert level_of_count(tree, 2) == heights[2]
    assert level_of_count(tree, 1) == 1.0
    assert level_of_count(tree, 5) == 0.0
    assert level_below_jump(tree) == heights[2]
    assert level_below_jump(np.zeros((3, 4))) == 0.0
