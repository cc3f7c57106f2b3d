"""DSC: worked cases, printed figures, judgements, the dynamics, edges, errors."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from fuzzypairs import DSC, PairSet
from fuzzypairs.baselines.dsc import (
    NEGLIGIBLE,
    PRESETS,
    DominantSet,
    Dynamics,
    edit_affinities,
    exponential_affinities,
    given_affinities,
    label_samples,
    multiply,
    payoffs,
    replicate,
    steps_to_return,
)
from fuzzypairs.criteria import nmi, normalized_ari
from fuzzypairs.datasets import available, load

ALL = 10_000
EPS, CUTOFF = 1e-9, 1e-5


def read(name):
    """Return z-scored features and classes of a benchmark set."""
    if name not in available():
        pytest.skip(f"{name} is not on this machine: set FUZZYPAIRS_DATA")
    data = load(name)
    X, y = data.data, data.target
    X = X[:, np.ptp(X, axis=0) > 0]
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def percent(y, labels):
    return round(100 * normalized_ari(y, labels), 2), round(100 * nmi(y, labels), 2)


def members(model):
    return [np.flatnonzero(x).tolist() for x in model.characteristic_vectors_]


def blocks():
    """Affinity .9 within {0, 1, 2}, .8 within {3, 4} and .1 across."""
    A = np.full((5, 5), 0.1)
    A[:3, :3], A[3:, 3:] = 0.9, 0.8
    return A


def plain_sets(A):
    """Transcribe the converged preset: every step on all samples left."""
    left = np.arange(len(A))
    sets, lowest = [], []
    while left.size:
        B = A[np.ix_(left, left)]
        x = np.full(left.size, 1 / left.size)
        low = x.copy()
        value = start = x @ B @ x
        if value == 0:
            return [*sets, left.tolist()], lowest
        gain = np.inf
        while gain >= EPS:
            x = x * (B @ x) / value
            x /= x.sum()
            low = np.minimum(low, x)
            gain, value = (x @ B @ x - value) / start, x @ B @ x
        is_member = x > CUTOFF / left.size
        sets.append(left[is_member].tolist())
        lowest.append(low[is_member].min() * left.size / CUTOFF)
        left = left[~is_member]
    return sets, lowest


def found_sets(A):
    model = DSC(ALL, affinity="precomputed").fit(A)
    return sorted(members(model))


# Cases worked by hand.


def test_blocks():
    model = DSC(2, affinity="precomputed").fit(blocks())
    expected = [[1 / 3, 1 / 3, 1 / 3, 0, 0], [0, 0, 0, 1 / 2, 1 / 2]]
    np.testing.assert_allclose(model.characteristic_vectors_, expected, atol=1e-5)
    np.testing.assert_allclose(model.cohesiveness_, [0.6, 0.4], atol=1e-5)
    assert model.labels_.tolist() == [0, 0, 0, 1, 1]
    assert (model.n_sets_found_, model.n_clusters_, model.n_features_in_) == (2, 2, 5)
    assert model.prototypes_[0] in {0, 1, 2}
    assert model.prototypes_[1] in {3, 4}


def test_fewer_sets_are_kept_than_found():
    model = DSC(1, affinity="precomputed").fit(blocks())
    assert model.labels_.tolist() == [0, 0, 0, -1, -1]
    assert (model.n_sets_found_, model.n_clusters_) == (2, 1)


# Figures printed elsewhere.


@pytest.mark.parametrize(
    ("name", "k", "sizes", "n_iter", "score"),
    [
        ("wine", 3, [174, 4], 47, (50.05, 2.82)),
        ("seeds", 3, [156, 43, 11], 49, (59.65, 37.95)),
        ("zoo", 7, [99, 2], 34, (50.80, 8.78)),
        ("soybean", 2, [47], 45, (50.00, 0.00)),
    ],
)
def test_paper_preset_gives_the_printed_cells(name, k, sizes, n_iter, score):
    X, y = read(name)
    model = DSC(k, preset="paper").fit(X)
    assert percent(y, model.labels_) == score
    assert sorted(np.bincount(model.labels_), reverse=True) == sizes
    assert model.n_sets_found_ == len(sizes)
    largest = np.bincount(model.labels_).argmax()
    assert model.n_iter_[largest] == n_iter


@pytest.mark.parametrize(
    ("name", "n_sets", "score", "n_unassigned"),
    [("wine", 19, (59.91, 53.78), 127), ("seeds", 23, (57.72, 48.25), 159)],
)
def test_converged_preset(name, n_sets, score, n_unassigned):
    X, y = read(name)
    model = DSC(ALL).fit(X)
    assert model.n_sets_found_ == model.n_clusters_ == n_sets
    assert percent(y, model.labels_) == score
    assert (np.diff(model.cohesiveness_) <= 0).all()
    three = DSC(3).fit(X)
    assert np.count_nonzero(three.labels_ == -1) == n_unassigned
    if name == "wine":
        assert percent(y, three.labels_) == (55.31, 33.75)


# Invariants.


def test_units_and_origins_of_features_change_nothing():
    X = np.random.default_rng(1).normal(size=(60, 3))
    one = DSC(4).fit(X)
    other = DSC(4).fit(X * [1e3, 1e-200, 1e200] + [7, 0, 0])
    assert one.labels_.tolist() == other.labels_.tolist()
    np.testing.assert_allclose(one.cohesiveness_, other.cohesiveness_, rtol=1e-9)


def test_sets_are_stable():
    X = np.random.default_rng(2).normal(size=(80, 2))
    model = DSC(ALL).fit(X)
    A = exponential_affinities(X)
    left = np.ones(80, dtype=bool)
    sets = {tuple(np.flatnonzero(x)): x for x in model.characteristic_vectors_}
    for found in map(tuple, plain_sets(A)[0]):
        x = sets.pop(found)
        assert x.sum() == pytest.approx(1)
        payoff, value = A @ x, x @ A @ x
        if len(found) > 1:
            # Inside all payoffs are equal, outside none is larger.
            np.testing.assert_allclose(payoff[x > 1e-2], value, rtol=1e-2)
            assert payoff[left & (x == 0)].max(initial=0) <= value * (1 + 1e-2)
        left[list(found)] = False
    assert not sets


# Agreement of the fast search with the plain one.


def test_samples_of_tiny_weight_return():
    # Sample 4 has no affinity to 5 and on, and loses weight while these have most; it
    # belongs to the clique of 0 to 3, which has most of it later.
    A = np.full((45, 45), 0.62)
    A[:4, 5:] = A[5:, :4] = 0.63
    A[:5, :5] = 0.9
    A[4, 5:] = A[5:, 4] = 0.0
    np.fill_diagonal(A, 0.0)
    sets, lowest = plain_sets(A)
    assert sets[0] == [0, 1, 2, 3, 4]
    assert lowest[0] < 1e-6 * NEGLIGIBLE
    assert found_sets(A) == sorted(sets)


@pytest.mark.parametrize("name", ["wine", "seeds"])
def test_every_set_of_the_plain_search_is_found(name):
    A = exponential_affinities(read(name)[0])
    assert found_sets(A) == sorted(plain_sets(A)[0])


# Judgements.


def test_edited_affinities():
    model = DSC(1, affinity="precomputed")
    assert model.fit(blocks(), pairs=[(3, 0, 0.5)]).labels_[3] == -1
    A = blocks()
    A[0, 1] = A[1, 0] = 0.0
    A[3, 4] = A[4, 3] = 1.0
    pairs = [(0, 1, -0.2), (3, 4, 0.2), (0, 2, 0.0)]
    by_hand = DSC(5, affinity="precomputed").fit(A)
    judged = DSC(5, affinity="precomputed").fit(blocks(), pairs=pairs)
    np.testing.assert_array_equal(
        judged.characteristic_vectors_, by_hand.characteristic_vectors_
    )


def test_rest_joins_the_set_of_largest_relative_affinity():
    X = np.random.default_rng(5).normal(size=(60, 2))
    kept, full = DSC(3).fit(X), DSC(3, assign_rest=True).fit(X)
    rest = kept.labels_ == -1
    assert rest.any()
    np.testing.assert_array_equal(full.labels_[~rest], kept.labels_[~rest])
    x = kept.characteristic_vectors_
    shares = exponential_affinities(X) @ x.T / kept.cohesiveness_
    np.testing.assert_array_equal(full.labels_[rest], shares.argmax(axis=1)[rest])
    # Between them no kept set would have taken a left-over sample.
    assert shares[rest].max() < 1.01


def test_samples_without_affinity_stay_unassigned():
    A = np.zeros((4, 4))
    A[0, 1] = A[1, 0] = 0.5
    model = DSC(1, affinity="precomputed", assign_rest=True).fit(A)
    assert model.labels_.tolist() == [0, 0, -1, -1]
    assert model.n_sets_found_ == 2


# Edges.


def test_no_affinities_at_all_are_one_set():
    model = DSC(3, affinity="precomputed").fit(np.zeros((4, 4)))
    assert model.labels_.tolist() == [0, 0, 0, 0]
    assert model.cohesiveness_.tolist() == [0.0]


@pytest.mark.parametrize(
    ("X", "labels"),
    [
        ([[3.0, 1.0]], [0]),
        ([[0.1, 2.0]] * 5, [0] * 5),
        # Most distances are 0, and so is the scale: only duplicates have an affinity.
        ([[0.0]] * 5 + [[1.0]] * 2 + [[2.0]], [0] * 5 + [1] * 2 + [2]),
    ],
)
def test_degenerate_data(X, labels):
    assert DSC().fit(X).labels_.tolist() == labels


def test_constant_features_say_nothing():
    X = np.random.default_rng(6).normal(size=(30, 2))
    wider = np.column_stack([X, np.full(30, 0.1)])
    one, other = DSC(3).fit(X), DSC(3).fit(wider)
    np.testing.assert_array_equal(
        one.characteristic_vectors_, other.characteristic_vectors_
    )


def test_precomputed_affinities_are_left_as_they_were():
    A = blocks()
    DSC(2, affinity="precomputed").fit(A, pairs=[(0, 1, -1)])
    np.testing.assert_array_equal(A, blocks())


def test_early_end_is_told():
    X = np.random.default_rng(8).normal(size=(30, 2))
    with pytest.warns(ConvergenceWarning, match="still moving after max_iter=7"):
        model = DSC(3, max_iter=7).fit(X)
    assert model.n_iter_.max() == 7


# Errors.


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_clusters": 0}, "n_clusters must be 1 or more"),
        ({"preset": "fast"}, 'preset must be one of "paper", "converged"'),
        ({"affinity": "rbf"}, "affinity must be one of"),
        ({"max_iter": 0}, "max_iter must be 1 or more"),
        ({"memory": "much"}, "memory must be a number of bytes"),
    ],
)
def test_parameters_are_checked(params, message):
    with pytest.raises(ValueError, match=message):
        DSC(**params).fit([[0.0], [1.0]])


@pytest.mark.parametrize(
    ("A", "message"),
    [
        ([[0, 1, 1], [1, 0, 1]], r"X has shape \(2, 3\)"),
        ([[0, -0.5], [-0.5, 0]], r"X\[0, 1\] is -0.5, expected an affinity in"),
        ([[0, 2], [2, 0]], "divide X by its largest entry"),
        ([[9, 0.5], [0.4, 9]], r"X\[0, 1\] is 0.5 but X\[1, 0\] is 0.4"),
    ],
)
def test_affinities_are_checked(A, message):
    with pytest.raises(ValueError, match=message):
        DSC(affinity="precomputed").fit(A)


# Affinities.


def test_affinities_of_three_points():
    # Distances 1, 2 and 3 over the deviation: all nine have the median 1.
    X = np.array([[0.0], [1.0], [3.0]])
    e = np.exp(-np.array([[np.inf, 1, 3], [1, np.inf, 2], [3, 2, np.inf]]))
    np.testing.assert_allclose(exponential_affinities(X), e, atol=1e-15)


@pytest.mark.parametrize("n_samples", [1, 2, 3, 6, 7, 30])
def test_scale_is_the_median_of_the_whole_matrix(n_samples):
    X = np.random.default_rng(n_samples).normal(size=(n_samples, 2))
    A = exponential_affinities(X)
    if n_samples == 1:
        assert A.tolist() == [[0.0]]
        return
    Z = X / X.std(axis=0, ddof=1)
    D = np.sqrt(((Z[:, None] - Z) ** 2).sum(axis=2))
    expected = np.exp(-D / np.median(D)) - np.eye(n_samples)
    np.testing.assert_allclose(A, expected, atol=1e-12)


def test_constant_samples_are_as_alike_as_can_be():
    A = exponential_affinities(np.full((3, 2), 0.1))
    np.testing.assert_array_equal(A, 1 - np.eye(3))


def test_judgements_change_their_entries_alone():
    A = np.array([[0.0, 0.2, 0.3], [0.2, 0.0, 0.5], [0.3, 0.5, 0.0]])
    edit_affinities(A, PairSet([0, 1, 0], [1, 2, 2], [0.5, -0.5, 0.0]))
    assert A.tolist() == [[0.0, 1.0, 0.3], [1.0, 0.0, 0.0], [0.3, 0.0, 0.0]]


def test_diagonals_and_rounding_are_not_refused():
    A = np.full((3, 3), 0.5)
    A[0, 1] += 1e-12
    A[2, 2] = 9.0
    assert np.diag(given_affinities(A)).tolist() == [0.0, 0.0, 0.0]
    assert A[2, 2] == 9.0
    A[0, 1] += 1e-4
    with pytest.raises(ValueError, match='affinity="precomputed" needs a symmetric'):
        given_affinities(A)


@pytest.mark.parametrize("value", [-0.5, 2.0, np.nan])
def test_entries_outside_0_and_1_are_refused(value):
    A = np.array([[0.0, value], [value, 0.0]])
    with pytest.raises(ValueError, match=rf"X\[0, 1\] is {value:g}, expected an"):
        given_affinities(A)


# Sets and their labels.


def test_labels_and_weights_of_kept_sets():
    A = blocks()
    np.fill_diagonal(A, 0.0)
    kept = [DominantSet(np.array([3, 4]), np.array([0.5, 0.5]), 0.4, 9, True)]
    labels, weights = label_samples(A, kept, assign_rest=False)
    assert labels.tolist() == [-1, -1, -1, 0, 0]
    assert weights.tolist() == [[0, 0, 0, 0.5, 0.5]]
    labels, _ = label_samples(A, kept, assign_rest=True)
    assert labels.tolist() == [0] * 5


# The dynamics.


def test_without_affinities_no_step_is_taken():
    dynamics = Dynamics(np.zeros((4, 4)), PRESETS["converged"], ALL)
    x, n_iter, converged = dynamics.run(np.array([0, 2]))
    assert x.tolist() == [0.5, 0.5]
    assert (n_iter, converged) == (0, True)


def test_max_iter_ends_a_run():
    A = exponential_affinities(np.random.default_rng(0).normal(size=(30, 2)))
    x, n_iter, converged = Dynamics(A, PRESETS["converged"], 7).run(np.arange(30))
    assert (n_iter, converged) == (7, False)
    assert abs(x.sum() - 1) < 1e-12


def test_steps_until_a_sample_returns():
    assert steps_to_return(np.array([30.0, 9.0]), np.array([1.0, -1.0])) == 30
    assert steps_to_return(np.array([3.0]), np.array([1.0])) == 8
    assert steps_to_return(np.array([3.0]), np.array([-1.0])) == 256


def test_steps_raise_the_value_and_stay_on_the_simplex():
    rng = np.random.default_rng(0)
    for n in (2, 3, 5, 30):
        A = rng.random((n, n))
        A = (A + A.T) / 2
        np.fill_diagonal(A, 0)
        x = rng.dirichlet(np.ones(n))
        value = x @ A @ x
        for _ in range(50):
            expected = x * (A @ x) / value
            before = x.copy()
            mean, n_steps, _, ended = replicate(A.dot, x, -1.0, 1)
            np.testing.assert_array_equal(mean, before)
            assert (n_steps, ended) == (1, False)
            np.testing.assert_allclose(x, expected, atol=1e-14)
            assert x.min() >= 0
            assert x.sum() == pytest.approx(1, abs=1e-12)
            before, value = value, x @ A @ x
            assert value >= before - 1e-14


@pytest.mark.parametrize("n", range(1, 10))
def test_product_reads_one_half(n):
    rng = np.random.default_rng(n)
    B, x = np.tril(rng.random((n, n)), -1), rng.random(n)
    garbage = np.triu(np.full((n, n), np.nan), 1)
    np.testing.assert_allclose(multiply(B + garbage, x), (B + B.T) @ x, atol=1e-14)


def test_payoffs_of_more_rows_than_are_copied_at_a_time():
    rng = np.random.default_rng(0)
    A = rng.random((700, 700))
    A += A.T
    rows, live = np.arange(0, 700, 3), rng.permutation(700)[:600]
    x = rng.dirichlet(np.ones(600))
    expected = A[np.ix_(rows, live)] @ x
    np.testing.assert_allclose(payoffs(A, rows, live, x), expected, rtol=1e-13)
    assert payoffs(A, rows[:0], live, x).size == 0


@pytest.mark.parametrize("step", [2, 1])
def test_rows_among_others_are_those_rows_alone(step):
    # Few rows are copied; many have the others beside them at weight 0.
    A = exponential_affinities(np.random.default_rng(0).normal(size=(600, 2)))
    rows = np.arange(1, 600, step)
    among = Dynamics(A, PRESETS["converged"], 50).run(rows)
    alone = Dynamics(A[np.ix_(rows, rows)], PRESETS["converged"], 50)
    expected = alone.run(np.arange(rows.size))
    np.testing.assert_allclose(among[0], expected[0], rtol=1e-12)
    assert among[1:] == expected[1:]
