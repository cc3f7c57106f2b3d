import itertools

import numpy as np
import pytest
from scipy.optimize import minimize

from fit_pages import fitted, random_frame, random_memberships, report, text_of
from fuzzypairs import PairSet
from fuzzypairs.criteria import pairs_held
from fuzzypairs.report.judgements import pair_influence

JUDGED = ("row", "row", "grade", "shared", "influence")


def test_influence_worked_by_hand():
    memberships = np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0], [1.0, 0.0]])
    pairs = PairSet.from_triples(
        [(0, 1, 0.8), (0, 2, -0.9), (0, 3, -0.5), (0, 2, -0.9), (1, 3, 0.0)]
    )

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

    influence = pair_influence(PairSet.from_triples(triples), U, beta=3.0)
    for (i, j, s), found in zip(triples, influence, strict=True):
        down = (s * (U[j] - U[i]), s * (U[i] - U[j])) if s > 0 else (s * U[j], s * U[i])
        steps = [
            projected(U[row], 3 * step) for row, step in zip((i, j), down, strict=True)
        ]
        assert found == pytest.approx(np.linalg.norm(steps), abs=1e-5)


def test_held_and_broken_judgements_are_ordered_by_influence(wine):
    page, model, pairs, _ = wine

    broken, held = (rows[1:] for rows in page.tables if rows[0] == list(JUDGED))
    is_held = pairs_held(pairs, model.labels_)
    influence = pair_influence(pairs, model.memberships_, model.beta_)
    for rows, kept in ((broken, ~is_held), (held, is_held)):
        order = [at for at in np.argsort(-influence) if kept[at]][:15]
        assert [[row[0], row[1], row[2], row[4]] for row in rows] == [
            [
                f"w{pairs.i[at]}",
                f"w{pairs.j[at]}",
                f"{pairs.grade[at]:.2f}",
                f"{influence[at]:.3g}",
            ]
            for at in order
        ]
        shared = [
            np.minimum(*model.memberships_[[pairs.i[at], pairs.j[at]]]).sum()
            for at in order
        ]
        assert [row[3] for row in rows] == [f"{100 * value:.1f} %" for value in shared]


def test_the_least_reliable_judgements_come_first(tmp_path):
    pairs = [(0, 1, 0.9), (0, 3, 0.8), (1, 4, 0.7), (2, 5, 0.6)]
    model = fitted(
        np.eye(2)[[0, 0, 0, 1, 1, 1]], pair_reliability_=np.array([0.9, 0.5, 0.1, 0.3])
    )
    page = report(tmp_path / "page", model, random_frame(6), pairs)

    broken = page.table(*JUDGED, "reliability")
    assert [[row[0], row[1], row[5]] for row in broken] == [
        ["1", "4", "10.0 %"], ["2", "5", "30.0 %"], ["0", "3", "50.0 %"]
    ]  # fmt: skip


def test_contradictions_are_listed(tmp_path):
    pairs = [
        *[(0, 1, 0.9), (1, 2, 0.8), (0, 2, -0.7)],
        *[(3, 4, 0.5), (4, 5, 0.5), (5, 6, 0.5), (3, 6, -0.5), (7, 8, 0)],
    ]
    page = report(
        tmp_path / "page", fitted(random_memberships(9, 3)), random_frame(9), pairs
    )

    assert page.table("a", "b", "c", "a, b", "b, c", "a, c") == [
        ["0", "1", "2", "0.90", "0.80", "-0.70"]
    ]
    words = text_of(page)
    assert "1 triple of judgements cannot all hold." in words
    assert "1 judgement of unlike is between rows that a chain" in words
    assert "1 judgement was 0, can't say" in words


@pytest.mark.parametrize("pairs", [[], [(0, 1, 0.0)]])
def test_without_judgements_it_says_so(tmp_path, pairs):
    page = report(
        tmp_path / "page", fitted(random_memberships(9, 2)), random_frame(9), pairs
    )

    assert "There were no judgements" in text_of(page)
    assert list(JUDGED) not in [rows[0] for rows in page.tables]
    assert len(page.drawn()) == 3
