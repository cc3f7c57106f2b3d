"""Derived pairs: what they are, where they come from, and when to leave them out."""

from itertools import permutations

import numpy as np
import pytest

from fuzzypairs.datasets import simulate_pairs
from fuzzypairs.exceptions import PairsError
from fuzzypairs.pairs import PairSet, propagation
from fuzzypairs.pairs.propagation import propagate

LINE = [[0.0], [1.0], [5.0], [6.0]]  # two components of two for n_neighbors=1


@pytest.fixture(scope="module")
def blobs():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 30)
    X = rng.normal(size=(90, 3)) + 4 * np.eye(3)[y]
    return X, y


def naive_graph(X, n_neighbors):
    """Distinct rows, all distances, loops."""
    joined = np.zeros((len(X), len(X)), dtype=bool)
    for i in range(len(X)):
        gap = np.linalg.norm(X - X[i], axis=1)
        for j in np.argsort(gap, kind="stable")[1 : n_neighbors + 1]:
            joined[i, j] = joined[j, i] = True
    return joined


def naive_chances(joined, strength, n_steps):
    """h[i, p]: within so many steps; None steps solve for walks without end."""
    n_samples = len(joined)
    walk = joined / np.maximum(joined.sum(axis=1, keepdims=True), 1)
    if n_steps is None:
        visits = np.linalg.inv(np.eye(n_samples) - strength * walk)
        return visits / np.diag(visits)
    h = np.eye(n_samples)
    for _ in range(n_steps):
        h = strength * walk @ h
        np.fill_diagonal(h, 1.0)
    return h


def naive_field(h, pairs):
    field = np.zeros_like(h)
    for p, q, s in pairs:
        for i in range(len(h)):
            for j in range(len(h)):
                field[i, j] += s * (h[i, p] * h[j, q] + h[i, q] * h[j, p])
    return field


def test_two_components_by_hand():
    found = propagate(LINE, [(0, 2, -0.8)], 0.5, n_neighbors=1)

    # From 1 a random walk reaches 0 in its first step, or never: probability 1/2.
    assert list(found.derived) == [(0, 3, -0.4), (1, 2, -0.4), (1, 3, -0.2)]
    assert list(found.pairs) == [(0, 2, -0.8), *found.derived]
    assert found.strength == 0.5
    assert found.sources(3, 1) == [(0, 2, -0.2)]


def test_equals_loops(blobs, monkeypatch):
    monkeypatch.setattr(propagation, "REACH", 90)
    X, y = blobs
    asked = simulate_pairs(X, y, "iv", random_state=1)
    found = propagate(X, asked, 0.7, n_neighbors=6, most=100)
    h = naive_chances(naive_graph(X, 6), 0.7, propagation.N_STEPS)
    field = np.triu(naive_field(h, asked), 1)
    field[asked.i, asked.j] = 0
    expected = np.where(np.abs(field) > 1e-6 * np.abs(asked.grade).max(), field, 0)

    got = np.zeros_like(expected)
    got[found.derived.i, found.derived.j] = found.derived.grade
    np.testing.assert_allclose(got, expected, atol=1e-12)


def test_steps_and_reach_lose_little(blobs):
    X, y = blobs
    asked = simulate_pairs(X, y, "iv", random_state=1)
    derived = propagate(X, asked).derived
    h = naive_chances(naive_graph(X, 10), 0.8, None)
    exact = naive_field(h, asked)[derived.i, derived.j]

    assert np.corrcoef(derived.grade, exact)[0, 1] > 0.99
    assert (np.sign(derived.grade) == np.sign(exact)).all()
    assert np.abs(derived.grade - exact).max() < 0.05 * np.abs(exact).max()


def test_the_strongest_are_kept(blobs):
    X, y = blobs
    asked = simulate_pairs(X, y, "iv", random_state=2)
    everything = propagate(X, asked, most=1000).derived
    few = propagate(X, asked, most=0.5).derived

    assert len(few) == 45 < len(everything)
    least = np.sort(np.abs(everything.grade))[-45]
    assert np.abs(few.grade).min() == least
    assert set(few) <= set(everything)
    assert len(propagate(X, asked, most=0).derived) == 0


def test_blocks_change_nothing(blobs, monkeypatch):
    X, y = blobs
    asked = simulate_pairs(X, y, "iv", random_state=2)
    at_once = propagate(X, asked)
    monkeypatch.setattr(propagation, "BLOCK", 100)

    assert propagate(X, asked).derived == at_once.derived


def test_derived_pairs_are_mostly_true(blobs):
    X, y = blobs
    asked = simulate_pairs(X, y, "iv", random_state=0)
    derived = propagate(X, asked).derived
    truth = np.where(y[derived.i] == y[derived.j], 1, -1)

    assert np.mean(np.sign(derived.grade) == truth) > 0.95


def test_sources_add_up(blobs):
    X, y = blobs
    asked = simulate_pairs(X, y, "ii", random_state=0, ratio=0.5)
    found = propagate(X, asked)
    judged = {(i, j) for i, j, _ in asked}

    for i, j, grade in list(found.derived)[::10]:
        sources = found.sources(i, j)
        shares = [share for _, _, share in sources]
        assert sum(shares) == pytest.approx(grade, abs=1e-12)
        assert {(p, q) for p, q, _ in sources} <= judged
        assert np.abs(shares).tolist() == sorted(np.abs(shares), reverse=True)


def test_no_derived_grade_is_stronger_than_those_asked():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    half = [(i, j, 0.5) for i in range(10) for j in range(10, 20)]
    found = propagate(X, half, 0.95)

    assert found.derived.grade.max() == 0.5
    cut = int(np.argmax(found.derived.grade))
    shares = found.sources(found.derived.i[cut], found.derived.j[cut])
    assert sum(share for _, _, share in shares) == pytest.approx(0.5)
    doubled = propagate(X, [(i, j, 2 * s) for i, j, s in half], 0.95)
    np.testing.assert_allclose(doubled.derived.grade, 2 * found.derived.grade)


def test_asked_pairs_are_untouched(blobs):
    X, y = blobs
    asked = simulate_pairs(X, y, "iv", random_state=0) + PairSet([0], [1], [0], 90)
    found = propagate(X, asked)

    assert found.asked == asked
    given = {(i, j): s for i, j, s in found.pairs}
    assert all(given[i, j] == s for i, j, s in asked)
    assert len(found.pairs) == len(asked) + len(found.derived)


@pytest.mark.parametrize("strength", [0.0, 0.8, "auto"])
@pytest.mark.parametrize("pairs", [None, [], [(0, 1, 0.0), (2, 3, 0.0)]])
def test_nothing_from_nothing(pairs, strength):
    found = propagate(LINE, pairs, strength)

    assert len(found.derived) == 0
    assert found.pairs == PairSet.coerce(pairs, 4)


def test_strength_zero_derives_nothing():
    assert len(propagate(LINE, [(0, 2, -0.8)], 0).derived) == 0


def test_random_walks_stay_in_their_component():
    X = [[0.0], [1.0], [100.0], [101.0], [200.0], [201.0]]
    derived = propagate(X, [(0, 2, 1.0)], n_neighbors=1).derived

    assert [(i, j) for i, j, _ in derived] == [(0, 3), (1, 2), (1, 3)]


def test_copies_do_not_cut_the_graph():
    # Twenty copies of each value: with ten neighbours among them they would be apart.
    values = np.repeat([0.0, 1.0, 2.0, 10.0, 11.0, 12.0], 20)
    X = np.column_stack([values, values])
    derived = propagate(X, [(0, 119, -1.0)], n_neighbors=2, most=100).derived
    sides = X[derived.i, 0] < 5, X[derived.j, 0] > 5

    assert np.unique(X[derived.i, 0]).tolist() == [0.0, 1.0, 2.0]
    assert sides[0].all()
    assert sides[1].all()


@pytest.mark.parametrize("n_features", [1, 20])
def test_all_rows_equal(n_features):
    found = propagate(np.ones((8, n_features)), [(0, 4, 0.5)], "auto")
    assert len(found.derived) == 0  # nothing is near, nothing far: no evidence
    derived = propagate(np.ones((8, n_features)), [(0, 4, 0.5)]).derived
    assert len(derived) > 0
    assert np.isfinite(derived.grade).all()


def test_many_features_search_all_distances(blobs):
    X, y = blobs
    asked = simulate_pairs(X, y, "iv", random_state=0)
    wide = np.hstack([X, np.zeros((90, 20))])

    assert propagate(wide, asked).derived == propagate(X, asked).derived


@pytest.mark.parametrize("strength", [0.8, "auto"])
def test_samples_of_weight_zero_are_absent(blobs, strength):
    X, y = blobs
    asked = simulate_pairs(X, y, "iv", random_state=0, ratio=0.5)
    weight = np.ones(90)
    weight[::3] = 0
    kept = np.flatnonzero(weight)
    found = propagate(X, asked, strength, sample_weight=weight, most=3)
    alone = propagate(X[kept], asked.restrict(kept), strength, most=4.5)

    assert found.asked == asked
    assert found.derived.restrict(kept) == alone.derived
    assert len(found.derived) == len(alone.derived) > 0


@pytest.mark.parametrize("magnitude", [1e-200, 1e200])
def test_magnitudes_do_not_matter(blobs, magnitude):
    X, y = blobs
    asked = simulate_pairs(X, y, "iv", random_state=0)

    assert propagate(magnitude * X, asked).derived == propagate(X, asked).derived


@pytest.mark.parametrize("strength", [0.8, "auto"])
def test_threads_change_nothing(blobs, strength):
    X, y = blobs
    asked = simulate_pairs(X, y, "iv", random_state=0, ratio=2.0)
    one, two = (propagate(X, asked, strength, n_jobs=n) for n in (1, 2))

    assert one.derived == two.derived
    assert one.strength == two.strength


@pytest.mark.parametrize("seed", range(5))
def test_auto_trusts_what_agrees_with_the_data(blobs, seed):
    X, y = blobs
    true = simulate_pairs(X, y, "iv", random_state=seed)
    opposite = PairSet(true.i, true.j, -true.grade, 90)

    assert propagate(X, true, "auto").strength > 0.4
    assert propagate(X, opposite, "auto").strength == 0


def test_auto_doubts_judgements_at_random(blobs):
    X, _ = blobs
    rng = np.random.default_rng(0)
    strengths = []
    for _ in range(40):
        i, j = np.array([rng.choice(90, 2, replace=False) for _ in range(20)]).T
        asked = PairSet(i, j, rng.uniform(-1, 1, 20), 90)
        strengths.append(propagate(X, asked, "auto").strength)

    assert strengths.count(0) > 15
    assert np.mean(strengths) < 0.3


def test_a_chain_is_no_evidence_for_itself():
    # All judgements are one group: the field of the others is empty.
    X = np.random.default_rng(0).normal(size=(20, 2))
    chain = PairSet(np.arange(9), np.arange(1, 10), np.linspace(-0.8, 1, 9), 20)
    graph = propagation._neighbor_graph(X, np.arange(20), 5, None)
    chance = propagation._chances(graph, chain, 0.8, None)

    assert propagation._evidence(X, chain, chance)[1] == 0


def test_repr_counts():
    found = propagate(LINE, [(0, 2, -0.8)], n_neighbors=1)
    assert repr(found) == "Propagation(3 pairs derived from 1 asked, strength 0.8)"


def test_judgements_of_several_judges_stay_several_and_their_mean_is_propagated():
    pairs = PairSet([0, 0], [2, 2], [-1.0, -0.6], 4, judges=["Ann", "Bob"])
    found = propagate(LINE, pairs, n_neighbors=1)
    alone = propagate(LINE, [(0, 2, -0.8)], n_neighbors=1)

    assert found.asked == pairs
    assert list(found.derived) == list(alone.derived)
    assert found.sources(1, 3) == alone.sources(1, 3)
    assert found.pairs.judge_names == ("", "Ann", "Bob")
    assert found.was_asked.sum() == 2
    opposite = PairSet([0, 0], [2, 2], [-1.0, 1.0], 4, judges=["Ann", "Bob"])
    assert not len(propagate(LINE, opposite, n_neighbors=1).derived)


@pytest.mark.parametrize("pair", [(0, 2), (1, 1), (0, 99)])
def test_sources_of_other_pairs(pair):
    found = propagate(LINE, [(0, 2, -0.8)], n_neighbors=1)
    with pytest.raises(PairsError, match=r"was not derived; ask for one of the 3"):
        found.sources(*pair)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"strength": 1.0}, "strength must be finite, 0 or more and below 1, or"),
        ({"strength": -0.1}, "strength must be finite"),
        ({"strength": "much"}, "strength must be a number"),
        ({"n_neighbors": 0}, "n_neighbors must be 1 or more"),
        ({"most": -1}, "most must be finite, 0 or more"),
        ({"n_jobs": 0}, "n_jobs must be None or a whole number"),
        ({"sample_weight": [1, 2]}, "sample_weight has 2 entries but X has 4 rows"),
    ],
)
def test_errors_name_the_argument(options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        propagate(LINE, [(0, 2, 1.0)], **options)


def test_pairs_outside_the_data():
    with pytest.raises(PairsError, match=r"joins sample 7 but X has 4 rows"):
        propagate(LINE, [(0, 7, 1.0)])


def test_uncorrelated_distances_are_no_evidence():
    # Ranks 0, 1, 0 of grades and 0, 1, 2 of distances: a correlation of exactly 0, for
    # which floating point gives 0 or 1e-17, by the order of the rows.
    X = np.array([[0.0], [1.0], [10.0], [12.0], [20.0], [23.0]])
    judged = [(0, 1, -0.5), (2, 3, 0.9), (4, 5, -0.5)]
    for order in permutations(range(6)):
        place = np.argsort(order)
        moved = [(place[i], place[j], s) for i, j, s in judged]
        assert propagate(X[list(order)], moved, "auto").strength == 0
