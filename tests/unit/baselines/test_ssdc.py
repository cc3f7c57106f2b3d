"""SSDC: worked cases, known data, departures from the public code, edges, errors."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from sklearn.datasets import load_wine
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from fuzzypairs.baselines.ssdc import (
    SSDC,
    adjacent_clusters,
    merge_clusters,
    split_clusters,
)
from fuzzypairs.datasets import available, load
from fuzzypairs.exceptions import FuzzyPairsWarning
from fuzzypairs.pairs import PairSet

LINE = np.array([[0.0], [1.0], [2.0], [10.0]])
# Three groups with their peaks at 1, 11 and 21.
GROUPS = np.array([[0.0], [1], [2], [10], [11], [12], [20], [21], [22]])


def fit(X, pairs=None, **params):
    return SSDC(**params).fit(X, pairs=pairs)


def scaled(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


def chainlink(seed):
    """Two interlocked rings of 500 samples each."""
    rng = np.random.default_rng(seed)
    turn = rng.uniform(0, 2 * np.pi, 1000)
    y = np.arange(1000) % 2
    cos, sin, zero = np.cos(turn), np.sin(turn), np.zeros(1000)
    flat, upright = np.array([cos, sin, zero]), np.array([1 + cos, zero, sin])
    X = np.where(y == 0, flat, upright).T + rng.uniform(-0.05, 0.05, (1000, 3))
    return scaled(X), y


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return scaled(X), y


@pytest.fixture(scope="module")
def seeds():
    if "seeds" not in available():
        pytest.skip("seeds is not on this machine: set FUZZYPAIRS_DATA")
    data = load("seeds", scale=True)
    return data.data, data.target


# Cases worked by hand, and numbers known from elsewhere.


def test_four_points_on_a_line():
    model = fit(LINE, percent=50)
    assert model.dc_ == 2.0
    np.testing.assert_array_equal(model.rho_, [1, 2, 1, 0])
    np.testing.assert_array_equal(model.delta_, [1, 8, 1, 8])
    # Scores 1, 16, 1, 0: the second of floor(sqrt(4)) peaks is tied, and all touch
    # but the last, which follows sample 2.
    first = fit(LINE, percent=50, merge_adjacent=False)
    np.testing.assert_array_equal(first.centers_, [0, 1, 2])
    np.testing.assert_array_equal(first.labels_, [0, 1, 2, 2])
    np.testing.assert_array_equal(model.labels_, [0, 0, 0, 0])
    np.testing.assert_array_equal(model.centers_, [1])


def test_rounding_of_the_place_is_half_up():
    # Distances 0, 1, ..., 6; to the even neighbour would give 1 and 3.
    line = np.array([[0.0], [1.0], [4.0], [6.0]])
    assert fit(line, percent=100 * 2.5 / 7).dc_ == 2.0
    assert fit(line, percent=100 * 4.5 / 7).dc_ == 4.0


@pytest.mark.parametrize("seed", range(3))
def test_chainlink_without_judgements(seed):
    X, y = chainlink(seed)
    model = fit(X)
    assert model.n_clusters_ == 2
    assert adjusted_rand_score(y, model.labels_) == 1.0
    assert model.dc_ == pytest.approx(0.327, abs=0.03)
    assert fit(X, merge_adjacent=False).n_clusters_ == 31
    assert fit(X, merge_adjacent=False, divisor=4).n_clusters_ == 7


def mean_scores(X, y, n_pairs, share_wrong, n_draws=40):
    """Mean of ARI moved to [0, 1] and of NMI over draws, in percent."""
    scores = []
    for seed in range(n_draws):
        true = PairSet.from_labels(y, n_pairs=n_pairs, random_state=seed)
        wrong = np.random.default_rng(seed).permutation(n_pairs) < share_wrong * n_pairs
        grade = np.where(wrong, -true.grade, true.grade)
        found = fit(X, PairSet(true.i, true.j, grade, len(X))).labels_
        nmi = normalized_mutual_info_score(y, found, average_method="geometric")
        scores.append((50 * (adjusted_rand_score(y, found) + 1), 100 * nmi))
    return np.mean(scores, axis=0)


@pytest.mark.filterwarnings("ignore:pairs contradict:UserWarning")
@pytest.mark.parametrize(
    ("name", "ratio", "share_wrong", "expected"),
    [
        ("wine", 0.05, 1.0, (54.4, 20.9)),
        ("wine", 0.10, 0.5, (63.7, 35.2)),
        ("wine", 0.05, 0.0, (83.1, 71.4)),
        ("wine", 0.10, 0.0, (85.0, 70.3)),
        ("seeds", 0.05, 1.0, (57.1, 19.7)),
        ("seeds", 0.10, 0.5, (60.4, 24.2)),
        ("seeds", 0.05, 0.0, (77.4, 58.9)),
        ("seeds", 0.10, 0.0, (80.0, 62.4)),
    ],
)
def test_orders_of_magnitude(request, name, ratio, share_wrong, expected):
    X, y = request.getfixturevalue(name)
    found = mean_scores(X, y, round(ratio * len(X)), share_wrong)
    # One draw deviates by 4 to 8 (ARI) and 6 to 13 (NMI) points, and the expected
    # values are means over some draws, too: no sharper than one deviation.
    np.testing.assert_array_less(np.abs(found - expected), [6, 11])


def test_cutoff_of_known_data(wine):
    assert fit(wine[0]).dc_ == pytest.approx(2.27, abs=0.005)


def test_cutoff_of_seeds(seeds):
    assert fit(seeds[0]).dc_ == pytest.approx(0.90, abs=0.005)


def test_cutoff_is_exact_where_float32_is_not():
    X = np.random.default_rng(0).normal(size=(1200, 3))
    X[600:900] = X[:300]  # copies: their distances count once
    dist = np.append(pdist(X), 0.0)
    distinct = np.unique(dist)
    expected = distinct[int(0.05 * distinct.size + 0.5) - 1]
    assert fit(X, percent=5).dc_ == expected
    coarse = np.unique(dist.astype(np.float32))
    assert coarse[int(0.05 * coarse.size + 0.5) - 1] != np.float32(expected)


# Judgements, and where the public code was left.


def test_cannot_links_split_and_hold():
    pairs = [(0, 2, -0.1), (10, 12, -1.0)]
    X = np.concatenate([GROUPS, GROUPS + 30])
    model = fit(X, pairs, percent=20)
    assert model.labels_[0] != model.labels_[2]
    assert model.labels_[10] != model.labels_[12]


def test_without_a_second_peak_a_judged_sample_is_the_new_centre():
    # Five copies and a sample far off: only the first copy scores above 0.
    X = np.array([[0.0], [0], [0], [0], [0], [9]])
    model = fit(X, [(3, 4, -1)], merge_adjacent=False)
    np.testing.assert_array_equal(model.centers_, [0, 3])
    np.testing.assert_array_equal(model.labels_, [0, 0, 0, 1, 0, 0])
    # One of the judged is the centre itself.
    model = fit(X, [(0, 4, -1)], merge_adjacent=False)
    np.testing.assert_array_equal(model.centers_, [0, 4])


def test_must_links_act_without_cannot_links():
    assert fit(GROUPS, percent=20).n_clusters_ == 3
    model = fit(GROUPS, [(0, 5, 0.01)], percent=20)
    np.testing.assert_array_equal(model.labels_, [0] * 6 + [1] * 3)


def test_a_blocked_must_link_leaves_later_ones_alone():
    # (0, 3) is blocked by (1, 4); (5, 6) comes after it.
    model = fit(GROUPS, [(0, 3, 1), (1, 4, -1), (5, 6, 1)], percent=20)
    np.testing.assert_array_equal(model.labels_, [0] * 3 + [1] * 6)


def test_vetoes_pass_to_the_merged_cluster():
    # 0-2 and 3-5 merge; 6-8 may then join neither part.
    pairs = [(0, 3, 1), (1, 7, -1), (5, 8, 1)]
    model = fit(GROUPS, pairs, percent=20)
    np.testing.assert_array_equal(model.labels_, [0] * 6 + [1] * 3)


def test_contradictions_are_named_and_cannot_links_win():
    pairs = [(0, 4, 1), (4, 7, 0.2), (0, 7, -0.1), (1, 2, -1)]
    with pytest.warns(FuzzyPairsWarning, match=r"chain of others: \(0, 7\); these"):
        model = fit(GROUPS, pairs, percent=20)
    assert model.labels_[0] != model.labels_[7]
    assert model.labels_[1] != model.labels_[2]


def test_many_contradictions_are_counted():
    chain = [(i, i + 1, 1.0) for i in range(29)]
    ends = [(i, i + 2, -1.0) for i in range(28)]
    with pytest.warns(FuzzyPairsWarning, match=r"\(19, 21\) and 8 more;"):
        model = fit(np.arange(30.0)[:, None], chain + ends, percent=20)
    assert all(model.labels_[i] != model.labels_[j] for i, j, _ in ends)


def test_zero_grades_and_strengths_do_not_matter():
    pairs = [(0, 2, -0.3), (3, 8, 0.9)]
    plain = fit(GROUPS, pairs, percent=20)
    other = fit(GROUPS, [(8, 3, 0.1), (4, 7, 0), (2, 0, -1)], percent=20)
    np.testing.assert_array_equal(plain.labels_, other.labels_)
    assert plain.labels_[3] == plain.labels_[8] != plain.labels_[0]


# Edges.


@pytest.mark.parametrize(
    "X",
    [
        [[1.0]],
        [[0.0], [1.0]],
        [[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]],
        np.full((20, 3), 0.1),
    ],
    ids=["one", "two", "triangle", "identical"],
)
def test_few_or_identical_samples_are_one_cluster(X):
    model = fit(X, percent=90, merge_adjacent=False)
    np.testing.assert_array_equal(model.labels_, np.zeros(len(X)))
    assert model.centers_ == np.argmax(model.rho_)
    assert np.isfinite(model.rho_).all()
    assert np.isfinite(model.delta_).all()


@pytest.mark.parametrize("X", [LINE[:3], np.zeros((3, 2))], ids=["line", "identical"])
def test_judgements_part_even_few_samples(X):
    model = fit(X, [(1, 2, -1)])
    assert model.labels_[1] != model.labels_[2]


def test_no_score_above_zero_gives_one_cluster():
    # The cut-off is the smallest distance, and nothing is closer than that.
    model = fit(LINE, percent=0)
    assert model.dc_ == 1.0
    assert not model.rho_.any()
    np.testing.assert_array_equal(model.centers_, [0])


def test_a_complete_set_of_cannot_links_ends_in_single_samples():
    X = np.random.default_rng(0).normal(size=(25, 2))
    everyone = [(i, j, -1.0) for i in range(25) for j in range(i)]
    model = fit(X, everyone, percent=20)
    np.testing.assert_array_equal(model.labels_, np.arange(25))
    np.testing.assert_array_equal(model.centers_, np.arange(25))


def test_ties_of_a_grid_are_all_kept():
    # Every inner score is the same, so there are more peaks than floor(sqrt(36)).
    X = np.array([(a, b) for a in range(6) for b in range(6)], dtype=float)
    assert fit(X, percent=20, merge_adjacent=False).n_clusters_ > 6
    assert fit(X, percent=20).n_clusters_ == 1


def test_float32_data_are_computed_with_in_float64(wine):
    X = wine[0].astype(np.float32)
    assert fit(X).dc_ == fit(X.astype(np.float64)).dc_


# Errors.


@pytest.mark.parametrize(
    ("params", "error", "match"),
    [
        ({"percent": 100}, ValueError, "percent must be finite, 0 or more and below"),
        ({"percent": "3"}, TypeError, "percent must be a number"),
        ({"divisor": 0}, ValueError, "divisor must be finite, 1 or more"),
        ({"merge_adjacent": 1}, TypeError, "merge_adjacent must be True or False"),
        ({"memory": "much"}, ValueError, "memory must be a number of bytes"),
    ],
)
def test_bad_parameters_are_named(params, error, match):
    with pytest.raises(error, match=match):
        fit(LINE, **params)


def test_distances_beyond_float64_are_refused():
    with pytest.raises(ValueError, match=r"X reaches 1e\+200.*rescale X"):
        fit(LINE * 1e199)


# Splitting and merging of clusters.


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
    adjacent = list(adjacent_clusters(pdist(X), labels, 11.0))
    assert adjacent == [(1, 2), (0, 1)]
    assert merged(labels, adjacent, [(0, 2)]) == [0, 1, 1]


def test_all_pairs_of_clusters_are_seen():
    X = np.random.default_rng(0).normal(size=(40, 2))
    labels = np.arange(40) // 4 * 4
    adjacent = list(adjacent_clusters(pdist(X), labels, np.inf))
    centers = range(0, 40, 4)
    assert sorted(adjacent) == [(a, b) for a in centers for b in centers if a < b]


def test_vetoes_follow_a_merged_cluster_that_had_some_itself():
    # 2 may not join 0 or 1; after 0 and 1 have merged, 3 may join them, then not 2.
    links = [(0, 1), (1, 3), (2, 3)]
    assert merged([0, 1, 2, 3], links, [(0, 2), (1, 2)]) == [0, 0, 2, 0]


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
