"""The same problem written differently has the same fit."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import naive
from problems import FEWER, clear, scattered

# Runs end within 1e-8 of the last step; the distance to the end itself is that times
# the number of steps which plain iterations would still need.
CLOSE = 1e-6

seeds = st.integers(0, 10**6)


def assert_same_fit(one, other):
    """Same memberships; clusters keep their order, since the starts do."""
    np.testing.assert_allclose(other.memberships_, one.memberships_, atol=CLOSE)


def assert_equal_fit(one, other):
    np.testing.assert_array_equal(other.memberships_, one.memberships_)
    np.testing.assert_array_equal(other.cluster_centers_, one.cluster_centers_)
    np.testing.assert_array_equal(other.objective_history_, one.objective_history_)


@FEWER
@given(clear(), seeds)
def test_order_of_rows(problem, seed):
    order = np.random.default_rng(seed).permutation(len(problem.X))
    place = np.argsort(order)
    moved = problem.with_(
        X=problem.X[order],
        start=problem.start[order],
        pairs=[(int(place[p]), int(place[q]), s) for p, q, s in problem.pairs],
    )
    one, other = problem.fit(), moved.fit()
    np.testing.assert_allclose(other.memberships_[place], one.memberships_, atol=CLOSE)


@FEWER
@given(clear(), seeds)
def test_order_of_clusters(problem, seed):
    order = np.random.default_rng(seed).permutation(problem.start.shape[1])
    one, other = problem.fit(), problem.with_(start=problem.start[:, order]).fit()
    np.testing.assert_allclose(
        other.memberships_, one.memberships_[:, order], atol=CLOSE
    )


@FEWER
@given(scattered(), seeds)
def test_order_of_pairs_and_of_their_ends(problem, seed):
    rng = np.random.default_rng(seed)
    pairs = [problem.pairs[at] for at in rng.permutation(len(problem.pairs))]
    swapped = [(q, p, s) if rng.random() < 0.5 else (p, q, s) for p, q, s in pairs]
    assert_equal_fit(problem.fit(), problem.with_(pairs=swapped).fit())


@FEWER
@given(scattered(), st.integers(0, 4))
def test_grade_zero_is_no_pair(problem, row):
    other = (row + 1) % len(problem.X)
    judged = {frozenset(pair[:2]) for pair in problem.pairs}
    silent = [] if {row, other} in judged else [(row, other, 0.0)]
    kept = problem.with_(pairs=problem.pairs + silent)
    assert_equal_fit(problem.fit(), kept.fit())
    unknown = [(p, q, 0.0) for p, q, _ in problem.pairs]
    assert_equal_fit(problem.with_(pairs=[]).fit(), problem.with_(pairs=unknown).fit())


@FEWER
@given(clear(), st.floats(-100, 100))
def test_translation(problem, shift):
    one, other = problem.fit(), problem.with_(X=problem.X + shift).fit()
    assert_same_fit(one, other)
    np.testing.assert_allclose(
        other.cluster_centers_, one.cluster_centers_ + shift, atol=100 * CLOSE
    )


@FEWER
@given(clear(), seeds)
def test_rotation(problem, seed):
    n_features = problem.X.shape[1]
    rng = np.random.default_rng(seed)
    Q, _ = np.linalg.qr(rng.normal(size=(n_features, n_features)))
    assert_same_fit(problem.fit(), problem.with_(X=problem.X @ Q).fit())


@FEWER
@given(clear(), st.floats(0.001, 1000))
def test_scale(problem, factor):
    one = problem.fit()
    other = problem.with_(X=factor * problem.X, beta=factor**2 * problem.beta).fit()
    assert_same_fit(one, other)
    np.testing.assert_allclose(other.objective_, factor**2 * one.objective_, rtol=1e-8)


@FEWER
@given(clear(), seeds)
def test_integer_weights_are_repeated_rows(problem, seed):
    rng = np.random.default_rng(seed)
    weight = rng.integers(1, 4, len(problem.X))
    for p, q, _ in problem.pairs:
        weight[[p, q]] = 1
    first = np.cumsum(weight) - weight
    repeated = problem.with_(
        X=np.repeat(problem.X, weight, axis=0),
        start=np.repeat(problem.start, weight, axis=0),
        pairs=[(int(first[p]), int(first[q]), s) for p, q, s in problem.pairs],
    )
    one, other = problem.with_(weight=weight.astype(float)).fit(), repeated.fit()
    np.testing.assert_allclose(other.memberships_[first], one.memberships_, atol=CLOSE)
    np.testing.assert_allclose(other.objective_, one.objective_, rtol=1e-9)


@FEWER
@given(clear(), seeds)
def test_weights_agree_with_the_paper(problem, seed):
    weight = np.random.default_rng(seed).uniform(0.2, 3.0, len(problem.X))
    model = problem.with_(weight=weight).fit()
    U, C, values, _ = naive.mem(
        problem.X,
        problem.pairs,
        problem.start,
        problem.alpha,
        problem.beta,
        weight=weight,
    )
    np.testing.assert_allclose(model.memberships_, U, atol=CLOSE)
    np.testing.assert_allclose(model.cluster_centers_, C, atol=10 * CLOSE)
    np.testing.assert_allclose(model.objective_, values[-1], rtol=1e-9)


@FEWER
@given(clear())
def test_without_alpha_and_beta_it_is_fuzzy_c_means(problem):
    model = problem.with_(alpha=0.0, beta=0.0).fit()
    U, C = naive.fcm(problem.X, problem.start, tol=1e-10)
    np.testing.assert_allclose(model.memberships_, U, atol=CLOSE)
    np.testing.assert_allclose(model.cluster_centers_, C, atol=10 * CLOSE)


@FEWER
@given(scattered(), st.integers(2, 4))
def test_number_of_threads(problem, n_jobs):
    assert_equal_fit(problem.fit(n_jobs=1), problem.fit(n_jobs=n_jobs))
