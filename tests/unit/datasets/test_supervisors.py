"""Supervisors who know the truth: the checks of the paper's protocol come first."""

import hashlib
import itertools

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import scale

from fuzzypairs import PairSet
from fuzzypairs.datasets import (
    load,
    pairs_from_memberships,
    ratings_to_memberships,
    simulate_pairs,
)
from fuzzypairs.datasets.supervisors import draw_balanced, draw_uniform

RAW, CLASSES = load_wine(return_X_y=True)
WINE = scale(RAW)
NEIGHBORS = NearestNeighbors(n_neighbors=10).fit(WINE).kneighbors_graph() > 0
NEAR = (NEIGHBORS + NEIGHBORS.T).toarray()
GROUPS = ("i", "ii", "iii", "iv")


def same_class(pairs):
    return CLASSES[pairs.i] == CLASSES[pairs.j]


@pytest.mark.parametrize(
    ("n_samples", "twentieth", "tenth"),
    [(47, 2, 5), (101, 5, 10), (178, 9, 18), (210, 10, 21), (2, 1, 1)],
)
def test_counts(n_samples, twentieth, tenth):
    X = np.arange(n_samples, dtype=float)[:, None]
    y = np.arange(n_samples) % 2
    sizes = [len(simulate_pairs(X, y, group, random_state=0)) for group in GROUPS]

    assert sizes == [twentieth, tenth, twentieth, tenth]


@pytest.mark.parametrize("opposite", ["negate", "relabel"])
@pytest.mark.parametrize(
    ("group", "n_wrong"), [("i", 9), ("ii", 9), ("iii", 0), ("iv", 0)]
)
def test_signs_follow_the_classes_except_where_opposite(group, n_wrong, opposite):
    pairs = simulate_pairs(WINE, CLASSES, group, random_state=1, opposite=opposite)

    assert (pairs.similar != same_class(pairs)).sum() == n_wrong


@pytest.mark.parametrize("seed", range(20))
def test_sure_where_class_and_position_agree(seed):
    pairs = simulate_pairs(WINE, CLASSES, "iv", random_state=seed)

    sure = same_class(pairs) == NEAR[pairs.i, pairs.j]
    assert (abs(pairs.grade[sure]) >= 0.5).all()


def test_wine_numbers():
    i, j = np.triu_indices(len(WINE), 1)
    same = CLASSES[i] == CLASSES[j]
    assert same.mean() == pytest.approx(0.3380, abs=5e-5)
    assert NEAR[i, j][same].mean() == pytest.approx(0.2094, abs=5e-5)
    assert NEAR[i, j][~same].mean() == pytest.approx(0.0111, abs=5e-5)

    draws = [simulate_pairs(WINE, CLASSES, random_state=seed) for seed in range(300)]
    grade = np.concatenate([pairs.grade for pairs in draws])
    alike = np.concatenate([same_class(pairs) for pairs in draws])

    # Three standard errors of 300 draws: .02 for the 1800 alike, .012 for the rest.
    assert alike.mean() == pytest.approx(0.338, abs=0.02)
    assert grade[alike].mean() == pytest.approx(0.552, abs=0.02)
    assert grade[~alike].mean() == pytest.approx(-0.747, abs=0.012)


@pytest.mark.parametrize("group", GROUPS)
def test_a_draw_is_clean_and_repeatable(group):
    pairs = simulate_pairs(WINE, CLASSES, group, random_state=7)
    again = simulate_pairs(WINE, CLASSES, group, random_state=7)
    other = simulate_pairs(WINE, CLASSES, group, random_state=8)

    assert pairs == again
    assert pairs != other
    assert pairs.n_samples == len(WINE)
    assert (pairs.i < pairs.j).all()
    assert len(set(zip(pairs.i, pairs.j, strict=True))) == len(pairs)
    assert (abs(pairs.grade) <= 1).all()
    assert (pairs.grade != 0).all()


def test_groups_of_one_seed_are_nested():
    wrong, mixed, few, many = (
        set(simulate_pairs(WINE, CLASSES, group, random_state=3)) for group in GROUPS
    )

    assert few < many
    assert {(i, j, -grade) for i, j, grade in wrong} == few
    assert wrong < mixed


def test_relabelled_wrong_judgements_are_weaker_where_the_data_object():
    draws = {
        opposite: np.concatenate(
            [
                simulate_pairs(
                    WINE, CLASSES, "i", random_state=seed, opposite=opposite
                ).grade
                for seed in range(40)
            ]
        )
        for opposite in ("negate", "relabel")
    }

    assert abs(draws["relabel"]).mean() < abs(draws["negate"]).mean() - 0.05


def test_a_seed_gives_what_it_always_gave():
    digest = hashlib.sha256()
    for seed in range(5):
        pairs = simulate_pairs(WINE, CLASSES, random_state=seed)
        digest.update(pairs.to_array().round(9).tobytes())

    assert digest.hexdigest()[:16] == "7adbc8ea303191b7"


@pytest.mark.parametrize(
    ("ratio", "group", "expected"),
    [
        (None, "iv", 18),
        ("fifth", "iii", 2),
        ("fifth", "iv", 4),
        (0.25, "iv", 44),
        (1.5, "i", 267),
    ],
)
def test_a_ratio_replaces_the_number_of_pairs(ratio, group, expected):
    pairs = simulate_pairs(WINE, CLASSES, group, random_state=0, ratio=ratio)

    assert len(pairs) == expected


def test_the_shuttle_data_get_one_fifth_of_the_pairs():
    X, y = np.arange(58000.0)[:, None], np.arange(58000) // 8000
    sizes = [
        len(simulate_pairs(X, y, group, random_state=0, ratio="fifth"))
        for group in GROUPS
    ]

    assert sizes == [580, 1160, 580, 1160]


@pytest.mark.parametrize("sampling", ["uniform", "balanced", "chain-free"])
def test_small_ratios_are_nested_in_the_groups(sampling):
    few, some, many = (
        set(
            simulate_pairs(
                WINE, CLASSES, random_state=3, ratio=ratio, pair_sampling=sampling
            )
        )
        for ratio in (0.01, "fifth", None)
    )

    assert few < some < many


@pytest.mark.parametrize("sampling", ["balanced", "chain-free"])
@pytest.mark.parametrize(("group", "n_wrong"), [("i", 9), ("ii", 9), ("iv", 0)])
def test_other_draws_keep_the_protocol(sampling, group, n_wrong):
    draw = {"random_state": 2, "pair_sampling": sampling}
    pairs = simulate_pairs(WINE, CLASSES, group, **draw)

    assert (pairs.similar != same_class(pairs)).sum() == n_wrong
    assert len(pairs) == (9 if group == "i" else 18)
    assert pairs == simulate_pairs(WINE, CLASSES, group, **draw)
    assert (pairs.grade != 0).all()
    if group == "iv":
        sure = same_class(pairs) == NEAR[pairs.i, pairs.j]
        assert (abs(pairs.grade[sure]) >= 0.5).all()


def test_balanced_pairs_are_half_of_one_class():
    classes = np.repeat(np.arange(26), 20)
    X = np.random.default_rng(0).normal(size=(520, 2))
    pairs = simulate_pairs(X, classes, random_state=0, pair_sampling="balanced")
    wrong_half = simulate_pairs(
        X, classes, "i", random_state=0, pair_sampling="balanced"
    )

    assert (classes[pairs.i] == classes[pairs.j]).sum() == len(pairs) / 2 == 26
    assert (classes[wrong_half.i] == classes[wrong_half.j]).sum() == 13


def test_chain_free_pairs_share_no_sample():
    pairs = simulate_pairs(
        WINE, CLASSES, random_state=0, ratio=0.5, pair_sampling="chain-free"
    )

    assert np.array_equal(np.sort([*pairs.i, *pairs.j]), np.arange(178))


def frequencies(draw, classes, n_pairs):
    rng = np.random.default_rng(0)
    drawn = np.concatenate([draw(classes, n_pairs, rng) for _ in range(2000)])
    pairs, counts = np.unique(np.sort(drawn, axis=1), axis=0, return_counts=True)
    return pairs, counts


def test_pairs_are_drawn_uniformly():
    _, counts = frequencies(draw_uniform, np.zeros(6), 3)

    # 6000 draws of 15 pairs: 400 each, with a standard deviation below 20.
    assert len(counts) == 15
    assert abs(counts - 400).max() < 80


def test_balanced_pairs_are_drawn_uniformly_from_each_half():
    classes = np.array(list("babcbb"))
    pairs, counts = frequencies(draw_balanced, classes, 2)
    same = classes[pairs[:, 0]] == classes[pairs[:, 1]]

    # 2000 draws of the 6 pairs of one class, and of the 9 pairs of two.
    assert (same.sum(), len(same)) == (6, 15)
    assert abs(counts[same] - 2000 / 6).max() < 80
    assert abs(counts[~same] - 2000 / 9).max() < 70


@pytest.mark.parametrize(("draw", "n_pairs"), [(draw_uniform, 15), (draw_balanced, 12)])
def test_all_pairs_can_be_drawn(draw, n_pairs):
    # Balanced draws end where one kind of pair does: here 6 of one class, 9 of two.
    classes = np.array([0, 0, 0, 1, 1, 1])
    drawn = draw(classes, n_pairs, np.random.default_rng(0))
    kinds = set(map(tuple, np.sort(drawn, axis=1).tolist()))

    assert len(kinds) == n_pairs
    assert kinds <= set(itertools.combinations(range(6), 2))


@pytest.mark.parametrize(("n_samples", "n_features"), [(700, 3), (1500, 2), (1500, 20)])
def test_grades_know_the_neighbours_among_many_samples(n_samples, n_features):
    # On a grid, so that many distances tie; more samples than are asked first.
    rng = np.random.default_rng(n_samples + n_features)
    X = rng.integers(0, 4, (n_samples, n_features)) + rng.normal(
        scale=1e-3, size=(n_samples, n_features)
    )
    found = NearestNeighbors(n_neighbors=10).fit(X).kneighbors_graph() > 0
    near = (found + found.T).toarray()
    y = np.zeros(n_samples)

    pairs = simulate_pairs(X, y, random_state=0, ratio=10)

    weak = pairs.grade < 0.5
    is_near = near[pairs.i, pairs.j]
    assert is_near.any()
    assert not (weak & is_near).any()
    # Half of the pairs that are not near are graded below one half.
    assert weak[~is_near].mean() == pytest.approx(0.5, abs=0.03)


def test_data_of_small_whole_numbers_do_not_wrap():
    X = np.random.default_rng(0).integers(0, 255, (60, 3)).astype(np.uint8)
    y = np.arange(60) % 2

    assert simulate_pairs(X, y, random_state=0, ratio=5) == simulate_pairs(
        X.astype(float), y, random_state=0, ratio=5
    )


def test_duplicates_of_a_sample_are_its_neighbours_but_not_itself():
    X = np.zeros((30, 2))

    pairs = simulate_pairs(X, np.zeros(30), random_state=0, n_neighbors=29)

    assert (pairs.grade >= 0.5).all()


def test_a_generator_seeds_as_its_number_does():
    from_number = simulate_pairs(WINE, CLASSES, random_state=5)
    from_generator = simulate_pairs(
        WINE, CLASSES, random_state=np.random.default_rng(5)
    )

    assert from_number == from_generator


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"group": "v"}, 'group must be one of "i", "ii", "iii", "iv"; got .v'),
        ({"opposite": "flip"}, "opposite must be one of .*; got 'flip'"),
        (
            {"pair_sampling": "all"},
            'pair_sampling must be one of "uniform", .*; got .all',
        ),
        ({"ratio": 0}, "ratio is 0: expected pairs for each sample, above 0"),
        ({"ratio": "half"}, "ratio is 'half'"),
        ({"ratio": np.inf}, "ratio is inf"),
        ({"ratio": 100}, "17800 pairs are asked for: expected 0 to 15753"),
        (
            {"ratio": 0.6, "pair_sampling": "chain-free"},
            "107 pairs without a common sample are asked for: expected 0 to 89",
        ),
        (
            {"y": np.arange(178), "pair_sampling": "balanced"},
            "9 pairs of one class are asked for: expected 0 to 0",
        ),
        (
            {"y": np.zeros(178), "pair_sampling": "balanced"},
            "9 pairs of two classes are asked for: expected 0 to 0",
        ),
        ({"y": CLASSES[:-1]}, "X has 178 samples but y has 177"),
        ({"X": WINE[:1], "y": CLASSES[:1]}, "minimum of 2 is required"),
    ],
)
def test_wrong_input_is_named(changes, message):
    with pytest.raises(ValueError, match=message):
        simulate_pairs(**{"X": WINE, "y": CLASSES, "random_state": 0} | changes)


def fuzzy_truth(n_samples=60, n_classes=4):
    return np.random.default_rng(0).dirichlet(np.full(n_classes, 0.5), n_samples)


@pytest.mark.parametrize(
    ("p", "q", "expected"),
    [
        ([1, 0], [1, 0], 1),
        ([1, 0], [0, 1], -1),
        ([0.5, 0.5], [0.5, 0.5], 1),
        ([0.6, 0.4], [0.4, 0.6], -0.52),
    ],
)
def test_grades_of_vectors(p, q, expected):
    (judged,) = pairs_from_memberships([p, q], random_state=0, n_pairs=1)

    assert judged == (0, 1, pytest.approx(expected))


def test_the_rules_for_sign_and_form():
    truth = [[0.6, 0.4], [0.4, 0.6]]
    grades = {
        (sign, form): pairs_from_memberships(
            truth, random_state=0, n_pairs=1, sign=sign, form=form
        ).grade[0]
        for sign in ("argmax", "cost")
        for form in ("squared", "norm")
    }

    assert grades["argmax", "squared"] == grades["argmax", "norm"]
    assert grades["cost", "squared"] == pytest.approx(1 - 0.08 / 2)
    assert grades["cost", "norm"] == pytest.approx(1 - np.sqrt(0.08))


@pytest.mark.parametrize("sign", ["argmax", "cost"])
@pytest.mark.parametrize("form", ["squared", "norm"])
def test_judgements_of_memberships_are_those_of_the_pair_set(sign, form):
    truth = fuzzy_truth()
    drawn = pairs_from_memberships(truth, random_state=1, sign=sign, form=form)
    ends = np.column_stack([drawn.i, drawn.j])

    judged = PairSet.from_memberships(
        truth, pairs=ends, sign=sign, form="norm" if form == "norm" else "cost"
    )

    assert drawn == judged
    assert (drawn.grade != 0).all()


def test_groups_of_memberships_are_nested():
    groups = [
        set(pairs_from_memberships(fuzzy_truth(), group, random_state=2))
        for group in ("i", "ii", "iii", "iv", "v")
    ]
    beyond = set(pairs_from_memberships(fuzzy_truth(), n_pairs=500, random_state=2))

    assert [len(group) for group in groups] == [12, 24, 36, 48, 60]
    assert all(few < many for few, many in itertools.pairwise([*groups, beyond]))


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ("shift-min", [0.75, 0.25, 0]),
        ("shift-one", [4 / 7, 2 / 7, 1 / 7]),
        ("plain", [0.5, 0.3, 0.2]),
    ],
)
def test_ratings_become_memberships(how, expected):
    memberships = ratings_to_memberships([[5, 3, 2], [1, 1, 1]], how)

    np.testing.assert_allclose(memberships, [expected, [1 / 3] * 3], atol=1e-15)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: pairs_from_memberships([[1, 0]] * 3, "vi", random_state=0),
            'group must be one of "i", .*"v"; got .vi',
        ),
        (
            lambda: pairs_from_memberships([[1, 0]] * 3, random_state=0, form="cube"),
            "form must be one of .*; got 'cube'",
        ),
        (
            lambda: pairs_from_memberships([[1, 0]] * 3, random_state=0, sign="max"),
            "sign is 'max'",
        ),
        (
            lambda: pairs_from_memberships([[1, 0]] * 3, random_state=0, n_pairs=4),
            "4 pairs are asked for: expected 0 to 3",
        ),
        (
            lambda: pairs_from_memberships([[1, 0], [1, 1]], random_state=0, n_pairs=1),
            r"memberships\[1\]",
        ),
        (
            lambda: ratings_to_memberships([[1, 2]], "rank"),
            "how must be one of .*; got 'rank'",
        ),
        (
            lambda: ratings_to_memberships([[0, 2]], "shift-one"),
            "ratings holds 0.0: how='shift-one' expects at least 1",
        ),
        (lambda: ratings_to_memberships([[-1, 2]], "plain"), "ratings holds -1.0"),
    ],
)
def test_wrong_memberships_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    ("how", "similar", "agree", "alike", "unlike"),
    [
        ("plain", 1.0, 0.21, 0.995, -0.81),
        ("shift-one", 0.70, 0.51, 0.983, -0.82),
        ("shift-min", 0.45, 0.76, 0.970, -0.87),
    ],
)
def test_maps_of_the_ratings_of_faces(how, similar, agree, alike, unlike, index):
    # The numbers are of ratings from the study without fear; these are the ratings
    # of the other study without that column, so they are near, not equal.
    truth = ratings_to_memberships(load("sjaffe_nofear").mean_ratings, how)
    every = np.column_stack(np.triu_indices(len(truth), 1))
    by_argmax = PairSet.from_memberships(truth, pairs=every)
    by_cost = PairSet.from_memberships(truth, pairs=every, sign="cost")

    assert by_argmax.similar.mean() == pytest.approx(0.21, abs=0.005)
    assert by_cost.similar.mean() == pytest.approx(similar, abs=0.03)
    same_sign = by_argmax.similar == by_cost.similar
    assert same_sign.mean() == pytest.approx(agree, abs=0.03)
    grade = by_argmax.grade
    assert np.median(grade[by_argmax.similar]) == pytest.approx(alike, abs=0.01)
    assert np.median(grade[by_argmax.dissimilar]) == pytest.approx(unlike, abs=0.02)
