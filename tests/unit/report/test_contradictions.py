import itertools

import numpy as np
import pytest
from scipy.optimize import minimize

from fuzzypairs import PairSet
from fuzzypairs.report.contradictions import find_contradictions
from fuzzypairs.report.judgements import pair_influence


def test_influence_worked_by_hand():
    memberships = [[1.0, 0.0], [0.5, 0.5], [0.0, 1.0], [1.0, 0.0]]
    pairs = [(0, 1, 0.8), (0, 2, -0.9), (0, 3, -0.5), (0, 2, -0.9), (1, 3, 0.0)]

    # Alike: beta s |u_p - u_q| for either row, which is 2 * 0.8 * sqrt(0.5) here.
    # Unlike without a common cluster: nothing is left to do. Unlike in the same corner:
    # the gradient (1, 0) of both rows loses its mean, (0.5, -0.5), and halves with s.
    np.testing.assert_allclose(
        pair_influence(pairs, memberships, beta=2.0), [1.6, 0.0, 1.0, 0.0], atol=1e-12
    )


def projected(u, down):
    """The nearest step to `down` that stays on the simplex, by a general solver."""
    bounds = [(0.0, None) if value == 0 else (None, None) for value in u]
    found = minimize(
        lambda v: ((v - down) ** 2).sum(),
        np.zeros(len(u)),
        jac=lambda v: 2 * (v - down),
        bounds=bounds,
        constraints={"type": "eq", "fun": np.sum, "jac": np.ones_like},
        method="SLSQP",
        options={"ftol": 1e-14},
    )
    return found.x


def test_influence_is_the_norm_of_the_projected_gradient():
    rng = np.random.default_rng(0)
    U = rng.dirichlet(np.ones(4), size=8) * (rng.random((8, 4)) < 0.6) + 1e-300
    U[U < 1e-200] = 0.0
    U /= U.sum(axis=1, keepdims=True)
    triples = [
        (i, j, rng.uniform(-1, 1)) for i, j in itertools.combinations(range(8), 2)
    ]

    influence = pair_influence(triples, U, beta=3.0)
    for (i, j, s), found in zip(triples, influence, strict=True):
        down = (s * (U[j] - U[i]), s * (U[i] - U[j])) if s > 0 else (s * U[j], s * U[i])
        steps = [
            projected(U[row], 3 * step) for row, step in zip((i, j), down, strict=True)
        ]
        assert found == pytest.approx(np.linalg.norm(steps), abs=1e-5)


def test_a_triangle_of_alike_alike_unlike_contradicts_itself():
    pairs = PairSet.from_triples(
        [(0, 1, 0.9), (1, 2, 0.8), (0, 2, -0.5), (2, 3, 0.7), (1, 3, 0.6), (3, 4, -1)]
    )

    found = find_contradictions(pairs)

    assert found == ([(0, 1, 2, 0.9, 0.8, -0.5)], 0)


def test_longer_chains_are_counted_apart():
    pairs = PairSet.from_triples(
        [(0, 1, 0.9), (1, 2, 0.8), (2, 3, 0.5), (0, 3, -0.6), (3, 4, -0.6)]
    )

    found = find_contradictions(pairs)

    assert found == ([], 1)


def test_all_triangles_are_found_the_strongest_first():
    rng = np.random.default_rng(1)
    pairs = PairSet.from_triples(
        [(i, j, rng.uniform(-1, 1)) for i, j in itertools.combinations(range(12), 2)]
    )
    grade = {frozenset((i, j)): s for i, j, s in pairs}

    strengths = []
    for a, b, c in itertools.permutations(range(12), 3):
        ab, bc, ac = (grade[frozenset(two)] for two in ((a, b), (b, c), (a, c)))
        if a < c and ab > 0 and bc > 0 and ac < 0:
            strengths.append(min(ab, bc, -ac))

    triangles, _ = find_contradictions(pairs)
    assert [triangle.strength for triangle in triangles] == sorted(
        strengths, reverse=True
    )


def test_a_row_with_many_judgements_takes_linear_time():
    # 20,000 rows alike to one: squaring their number would take hours.
    n_rows = 20_000
    hub = [(0, row, 0.5) for row in range(1, n_rows)]
    pairs = PairSet.from_triples([*hub, (1, 2, -0.4)])

    ((triangle,), _) = find_contradictions(pairs)

    assert triangle[:3] == (1, 0, 2)


@pytest.mark.parametrize("triples", [[], [(0, 1, 0.0)], [(0, 1, -1), (1, 2, -1)]])
def test_without_alike_pairs_nothing_contradicts(triples):
    found = find_contradictions(PairSet.from_triples(triples, n_samples=3))

    assert found == ([], 0)
