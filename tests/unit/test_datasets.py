import itertools

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import scale

from fuzzypairs.datasets import _distinct_pairs, simulate_pairs

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


def test_pairs_are_drawn_uniformly():
    rng = np.random.default_rng(0)
    drawn = np.concatenate([_distinct_pairs(6, 3, rng) for _ in range(2000)])

    counts = np.bincount(drawn @ [6, 1])
    # 6000 draws of 15 pairs: 400 each, with a standard deviation below 20.
    assert (counts > 0).sum() == 15
    assert abs(counts[counts > 0] - 400).max() < 80


def test_all_pairs_can_be_drawn():
    drawn = _distinct_pairs(6, 15, np.random.default_rng(0))

    assert sorted(map(tuple, drawn.tolist())) == list(
        itertools.combinations(range(6), 2)
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
        ({"group": "v"}, "group is 'v': expected one of i, ii, iii, iv"),
        ({"opposite": "flip"}, "opposite is 'flip'"),
        ({"y": CLASSES[:-1]}, "inconsistent numbers of samples"),
        ({"X": WINE[:1], "y": CLASSES[:1]}, "minimum of 2 is required"),
    ],
)
def test_wrong_input_is_named(changes, message):
    with pytest.raises(ValueError, match=message):
        simulate_pairs(**{"X": WINE, "y": CLASSES, "random_state": 0} | changes)
