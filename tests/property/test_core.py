"""The core against plain loops, whatever hypothesis draws.

`--hypothesis-profile=long` draws 10 000 examples of each.
"""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

import naive
import naive_spaces as plain
from core_cases import assert_on_simplex, graph, joined, judged
from fuzzypairs import _core

seeds = st.integers(0, 10**6)
counts = st.integers(1, 12)
sizes = st.one_of(
    st.lists(st.integers(1, 7), min_size=1, max_size=6),
    st.tuples(st.integers(2, 4), st.integers(8, 20)).map(lambda t: [t[0]] * t[1]),
)
strengths = st.sampled_from([0.0, 0.01, 0.5, 5.0, 100.0])
shares = st.sampled_from([0.0, 0.3, 1.0])
fuzzifiers = st.sampled_from([1.05, 1.2, 1.5, 1.9, 2.5, 3.0, 8.0])


def draw_samples(seed, n_samples, n_features, k, dtype=np.float64):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, n_features)) * 10.0 ** rng.integers(-3, 4)
    X = X.astype(dtype)
    C = rng.normal(size=(k, n_features)) * np.abs(X).max()
    if rng.random() < 0.3:
        C[0] = X[0]
    return rng, X, C


@given(
    seeds,
    st.integers(1, 40),
    counts,
    st.integers(1, 40),
    st.sampled_from([np.float32, np.float64]),
    st.booleans(),
)
def test_a_pass(seed, n_samples, n_features, k, dtype, weighted):
    rng, X, C = draw_samples(seed, n_samples, n_features, k, dtype)
    weight = rng.uniform(0.0, 2.0, n_samples) if weighted else None
    mean = np.zeros(n_features)
    sums, masses, value = _core.Samples(X, None, weight, mean=mean).pass_over(C)
    w = np.ones(n_samples) if weight is None else weight
    dist2 = naive.distances(X.astype(float), C)
    U = np.array([naive.free_memberships(row) for row in dist2])
    W = w[:, None] * U**2
    unit = max(np.abs(X).max(), 1e-30)
    np.testing.assert_allclose(masses, W.sum(axis=0), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(sums / unit, W.T @ X / unit, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(value, (W * dist2).sum(), rtol=1e-9, atol=1e-9 * unit**2)
    np.testing.assert_allclose(_core.memberships(X, C, mean=mean), U, atol=1e-10)


@given(seeds, sizes, st.integers(1, 9), strengths, shares, st.integers(0, 3))
def test_values_and_sweeps_of_groups(seed, sizes, k, beta, own, more):
    case = judged(sizes, k, beta=beta, own=own, seed=seed, more=more)
    groups = case.core()
    value = groups.evaluate(1.0)[0]
    np.testing.assert_allclose(value, case.value(case.U), rtol=1e-10, atol=1e-10)
    for _ in range(3):
        before, (value, _) = value, groups.descend(1, 0.0, 1.0)
        U = groups.memberships
        assert_on_simplex(U)
        assert value <= before + 1e-9 * (1.0 + abs(before))
        np.testing.assert_allclose(value, case.value(U), rtol=1e-9, atol=1e-9)


@given(seeds, sizes, st.integers(1, 9), strengths, st.integers(0, 3))
def test_a_sweep_of_squared_memberships(seed, sizes, k, beta, more):
    case = judged(sizes, k, beta=beta, seed=seed, more=more)
    groups = case.core()
    groups.descend(1, np.inf, 1.0)
    expected = case.U.copy()
    for i in range(len(expected)):
        row = naive.row_problem(i, case.dist2, expected, case.pairs, case.beta)
        expected[i] = naive.simplex_qp(*row)
    np.testing.assert_allclose(groups.memberships, expected, atol=1e-8)


@given(
    seeds, st.lists(st.integers(1, 4), min_size=1, max_size=2), fuzzifiers, strengths
)
@example(2349, [4, 4], 8.0, 5.0)  # Newton's steps for a level jump from side to side
def test_a_sweep_of_other_powers(seed, sizes, g, beta):
    case = judged(sizes, 1 + seed % 5, beta=beta, seed=seed, fuzzifier=g)
    groups = case.core()
    groups.descend(1, np.inf, 1.0)
    U, found = case.U.copy(), groups.memberships
    for i in range(len(U)):
        diagonal, linear = 0.0, np.zeros(U.shape[1])
        for p, q, s in case.pairs:
            if i in (p, q):
                diagonal += beta / 2 * max(s, 0.0)
                linear -= beta / 2 * s * U[q if i == p else p]
        d = case.dist2[i]

        def cost(u, d=d, diagonal=diagonal, linear=linear):
            return (d * u**g + diagonal * u**2 + 2 * linear * u).sum()

        expected = plain.solve_row(d, g, diagonal, linear)
        assert cost(found[i]) <= cost(expected) + 1e-12 * (1.0 + beta)
        if g <= 3.0:
            np.testing.assert_allclose(found[i], expected, rtol=0, atol=1e-7)
        # The next row sees what the core found, so that errors do not add up.
        U[i] = found[i]


@given(seeds, sizes, st.integers(2, 6), st.sampled_from([0.0, 0.5, 5.0, 100.0]))
def test_refined_groups_are_stationary(seed, sizes, k, beta):
    case = judged(sizes, k, beta=beta, seed=seed)
    groups = case.core()
    before = groups.evaluate(1.0)[0]
    value, _, _ = groups.refine(1e-8, 1.0, 2, 4, 8, 1e-9)
    U = groups.memberships
    assert_on_simplex(U)
    assert value <= before + 1e-9 * abs(before)
    np.testing.assert_allclose(value, case.value(U), rtol=1e-8, atol=1e-9)
    assert groups.evaluate(1.0)[1] <= 1e-8


@given(seeds, st.lists(st.integers(2, 5), max_size=8), st.integers(1, 5), strengths)
def test_runs_descend_and_end(seed, sizes, k, beta):
    rng = np.random.default_rng(seed)
    n_rows = sum(sizes)
    n = n_rows + int(rng.integers(k, 30))
    X = rng.normal(size=(n, 2)) + 3.0 * rng.integers(0, 2, (n, 1))
    alpha, weight = float(rng.choice([0.0, 0.02, 0.3])) / k, rng.uniform(0.2, 1.0, n)
    pairs = joined(sizes, rng)
    groups = _core.Groups(*graph(sizes, pairs, beta))
    groups.pack(X, np.arange(n_rows), weight, np.zeros(2))
    samples = _core.Samples(X, np.arange(n_rows, n), weight, mean=np.zeros(2))
    U = rng.dirichlet(np.ones(k), n_rows)
    options = {
        "tol": 1e-7,
        "max_iter": 2000,
        "is_long": bool(seed % 2),
        "improve": None,
    }
    C, U, history, n_clusters, _, converged = _core.descend(
        samples, groups, X[rng.permutation(n)[:k]], U, alpha=alpha, **options
    )
    same = np.diff(n_clusters) == 0
    rounding = 1e-9 * np.abs(history).max()
    assert np.diff(history)[same].max(initial=0.0) <= rounding
    assert n_clusters[-1] == len(C)
    assert_on_simplex(U)
    free = np.array([naive.free_memberships(d) for d in naive.distances(X, C)])
    free[:n_rows] = U
    value = naive.objective(X, free, C, pairs, alpha, beta, weight)
    np.testing.assert_allclose(history[-1], value, rtol=1e-7, atol=1e-9)
    if converged:
        support = (weight[:, None] * (free**2 - alpha)).sum(axis=0)
        image = (weight[:, None] * (free**2 - alpha)).T @ X / support[:, None]
        np.testing.assert_allclose(C, image, atol=1e-5 * max(1.0, np.abs(C).max()))
