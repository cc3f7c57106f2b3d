"""Judgements lose weight where the data or other judgements contradict them."""

import numpy as np
import pytest
from scipy.integrate import quad
from sklearn.datasets import load_wine
from sklearn.metrics import roc_auc_score
from sklearn.preprocessing import scale

from fuzzypairs import FDC, PairSet
from fuzzypairs.datasets import flip_pairs, simulate_pairs
from fuzzypairs.solvers.robust import STEEPNESS, TOLERANCE, Doubt

# Two groups on a line, and three samples in the very middle.
SIDES = np.array([[0.0], [0.4], [0.8], [1.2], [9.0], [9.4], [9.8], [10.2]])
MIDDLE = np.vstack([SIDES, [[5.1]], [[5.1]], [[5.1]]])
A, B, C = 8, 9, 10


def paper_fdc(n_clusters, **parameters):
    """FDC in the samples' own space, or another that is asked for."""
    return FDC(n_clusters, **{"metric": "euclidean", "random_state": 0, **parameters})


@pytest.fixture(scope="module")
def wine():
    return scale(load_wine().data), load_wine().target


@pytest.fixture(scope="module")
def slips(wine):
    """True judgements, a quarter of them with the wrong sign, and which."""
    right = simulate_pairs(*wine, "iv", random_state=3, ratio=0.5)
    pairs = flip_pairs(right, 0.25, random_state=3)
    return pairs, pairs.grade != right.grade


def test_a_judgement_against_the_data_gives_up():
    pairs = [(0, 1, 0.9), (0, 4, -0.9), (1, 2, -0.9)]
    plain = FDC(2, beta=100.0, random_state=0).fit(SIDES, pairs=pairs)
    model = FDC(2, beta=100.0, robust=True, random_state=0).fit(SIDES, pairs=pairs)

    assert plain.labels_[1] != plain.labels_[2]
    assert not hasattr(plain, "pair_reliability_")
    assert model.labels_[1] == model.labels_[2]
    assert model.pair_reliability_[:2].min() > 0.95
    assert model.pair_reliability_[2] < 0.2


@pytest.mark.parametrize(
    "grades", [(0.9, 0.8, -0.3), (0.9, 0.2, -0.9), (0.2, 0.9, -0.9)]
)
def test_the_weakest_of_a_contradictory_triangle_loses_most(grades):
    ends = [(A, B), (B, C), (A, C)]
    pairs = [(i, j, s) for (i, j), s in zip(ends, grades, strict=True)]
    model = FDC(2, beta=100.0, robust=True, random_state=0).fit(MIDDLE, pairs=pairs)

    order = [(A, B), (A, C), (B, C)]  # of a PairSet
    weakest = order.index(ends[int(np.argmin(np.abs(grades)))])
    others = np.delete(model.pair_reliability_, weakest)
    assert model.pair_reliability_[weakest] < others.min() - 0.05


@pytest.mark.parametrize("seed", range(3))
def test_right_judgements_are_trusted_where_clusters_lie_elsewhere(seed):
    """Clusters follow the first feature, the judgements the second."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(120, 2))
    X[:, 0] += 8 * (np.arange(120) % 2)
    meant = np.arange(120) // 2 % 2
    X[:, 1] += 3 * meant
    pairs = PairSet.from_labels(meant, n_pairs=40, random_state=seed)
    model = FDC(2, robust=True, random_state=seed).fit(X, pairs=pairs)

    np.testing.assert_array_equal(model.pair_reliability_, 1.0)


def test_slips_are_found(wine, slips):
    X, _ = wine
    pairs, is_slip = slips
    model = paper_fdc(3, robust=True).fit(X, pairs=pairs)

    assert model.pair_reliability_.shape == (len(pairs),)
    assert roc_auc_score(is_slip, 1.0 - model.pair_reliability_) > 0.9


def test_less_tolerance_is_more_distrust(wine, slips):
    X, _ = wine
    pairs, _ = slips
    levels = [0.25, 0.5, 1.0, 2.0, 50.0]
    trust = [
        np.mean(paper_fdc(3, robust=r).fit(X, pairs=pairs).pair_reliability_)
        for r in levels
    ]

    assert np.all(np.diff(trust) > 0)
    assert trust[-1] > 0.999


def test_with_endless_tolerance_it_is_the_plain_model(wine, slips):
    X, _ = wine
    pairs, _ = slips
    plain = paper_fdc(3, tol=1e-7).fit(X, pairs=pairs)
    model = paper_fdc(3, tol=1e-7, robust=1e3).fit(X, pairs=pairs)

    np.testing.assert_allclose(model.memberships_, plain.memberships_, atol=1e-3)
    assert model.objective_ == pytest.approx(plain.objective_, rel=1e-6)


def robust_objective(X, pairs, plain, model, tolerance):
    """The objective from its definition, with rho integrated numerically."""
    free = plain.predict_proba(X)
    k = free.shape[1]
    length = np.mean([u @ u for u in free])
    variance = np.mean(
        [(u - free.mean(axis=0)) @ (u - free.mean(axis=0)) for u in free]
    )
    gap = variance * k / (k - 1)
    U, total = model.memberships_, 0.0
    distance = model.transform(X) ** 2
    total += ((U**2 - model.alpha_) * distance).sum()

    def cost(u, v, s):
        return 0.5 * (u - v) @ (u - v) if s > 0 else u @ v

    for i, j, s in pairs:
        floor = 0.0 if s > 0 else length - gap
        z0 = max(0.0, cost(free[i], free[j], s) - floor) / gap

        def slope(c, floor=floor, z0=z0):
            z = max(0.0, c - floor) / gap
            return 1.0 / (1.0 + np.exp(-STEEPNESS * (2 * tolerance - z0 - z)))

        end = cost(U[i], U[j], s)
        knots = [floor] if 0.0 < floor < end else None
        total += model.beta_ * abs(s) * quad(slope, 0.0, end, points=knots)[0]
    return total


@pytest.mark.parametrize("beta", ["auto", 40.0])
def test_the_objective_is_the_stated_one(wine, slips, beta):
    X, _ = wine
    pairs, _ = slips
    plain = paper_fdc(3, beta=beta).fit(X, pairs=pairs)
    model = paper_fdc(3, beta=beta, robust=True).fit(X, pairs=pairs)

    expected = robust_objective(X, pairs, plain, model, TOLERANCE)
    assert model.objective_ == pytest.approx(expected, rel=1e-9)
    assert model.objective_history_[-1] == model.objective_
    assert len(model.n_clusters_history_) == len(model.objective_history_)


@pytest.mark.parametrize(
    "parameters",
    [
        {"fuzzifier": 1.5},
        {"metric": "manhattan"},
        {"metric": "rbf"},
        {"metric": "cosine", "fuzzifier": 3.0},
        {"alpha": 0.02},
        {"init": "random", "n_init": 2},
    ],
    ids=str,
)
def test_every_space_and_fuzzifier(wine, slips, parameters):
    X, _ = wine
    pairs, is_slip = slips
    model = paper_fdc(3, robust=True, **parameters).fit(X, pairs=pairs)

    same = np.diff(model.n_clusters_history_) == 0
    rises = np.diff(model.objective_history_)[same]
    assert rises.max() <= 1e-12 * np.abs(model.objective_history_).max()
    assert roc_auc_score(is_slip, 1.0 - model.pair_reliability_) > 0.85
    assert model.converged_


def test_neither_unit_nor_threads_matter(wine, slips):
    X, _ = wine
    pairs, _ = slips
    model = paper_fdc(3, robust=True).fit(X, pairs=pairs)
    larger = paper_fdc(3, robust=True).fit(2.0**9 * X, pairs=pairs)
    threads = paper_fdc(3, robust=True, n_jobs=2).fit(X, pairs=pairs)

    np.testing.assert_allclose(
        larger.pair_reliability_, model.pair_reliability_, atol=1e-9
    )
    assert larger.objective_ == pytest.approx(2.0**18 * model.objective_)
    np.testing.assert_array_equal(threads.pair_reliability_, model.pair_reliability_)
    np.testing.assert_array_equal(threads.memberships_, model.memberships_)


def test_a_weight_of_two_is_a_repeated_row():
    pairs = [(0, 1, 0.9), (0, 4, -0.9), (1, 2, -0.9), (3, 5, 0.9)]
    twice = FDC(2, beta=20.0, alpha=0.0, robust=True, init=[0] * 4 + [1] * 4)
    weighted = twice.fit(SIDES, pairs=pairs, sample_weight=[1] * 6 + [2] * 2)
    found = weighted.pair_reliability_, weighted.objective_
    rows = np.vstack([SIDES, SIDES[6:]])
    repeated = twice.set_params(init=[0] * 4 + [1] * 6).fit(rows, pairs=pairs)

    np.testing.assert_allclose(found[0], repeated.pair_reliability_, atol=1e-9)
    assert found[1] == pytest.approx(repeated.objective_)


def test_judgements_without_a_say_have_no_reliability():
    pairs = [(0, 1, 0.9), (1, 2, 0.0), (2, 4, -0.5), (0, 7, -0.4)]
    weight = np.array([1.0] * 7 + [0.0])
    model = FDC(2, robust=True, random_state=0)
    model.fit(SIDES, pairs=pairs, sample_weight=weight)

    # In the order (0, 1), (0, 7), (1, 2), (2, 4).
    np.testing.assert_array_equal(
        np.isnan(model.pair_reliability_), [False, True, True, False]
    )
    assert np.isnan(model.set_params(beta=0.0).fit(SIDES, pairs=pairs)
                    .pair_reliability_).all()  # fmt: skip


def test_no_judgements_and_one_cluster():
    model = FDC(2, robust=True, random_state=0).fit(SIDES)
    assert model.pair_reliability_.shape == (0,)
    plain = FDC(2, random_state=0).fit(SIDES)
    assert model.objective_ == plain.objective_

    alone = FDC(1, robust=True, random_state=0).fit(SIDES, pairs=[(0, 1, -0.5)])
    np.testing.assert_array_equal(alone.pair_reliability_, [1.0])


def test_a_fit_without_doubt_forgets_the_last_one():
    pairs = [(0, 1, 0.9)]
    model = FDC(2, robust=True, random_state=0).fit(SIDES, pairs=pairs)
    assert hasattr(model, "pair_reliability_")
    model.set_params(robust=False).fit(SIDES, pairs=pairs)
    assert not hasattr(model, "pair_reliability_")


def test_order_of_the_canonical_pairs():
    pairs = [(5, 3, 0.9), (2, 1, -0.9), (1, 0, 0.9)]
    model = FDC(2, beta=20.0, robust=True, random_state=0).fit(SIDES, pairs=pairs)
    canonical = PairSet.coerce(pairs, len(SIDES))

    assert canonical.i[np.argmax(model.pair_reliability_)] == 0
    assert model.pair_reliability_[1:].max() < 0.5


def test_the_cost_is_concave_bounded_and_has_the_weight_as_its_slope():
    doubt = Doubt(np.array([0.0, 0.3]), 0.4, np.array([1.0, 0.2]))
    c = np.linspace(0.0, 1.0, 2001)
    rho = np.array([doubt.cost(np.full(2, x)) for x in c])
    weight = np.array([doubt.weight(np.full(2, x)) for x in c])
    middle = np.array([doubt.weight(np.full(2, x)) for x in (c[1:] + c[:-1]) / 2])

    np.testing.assert_allclose(rho[0], 0.0, atol=1e-15)
    np.testing.assert_allclose(np.diff(rho, axis=0) / c[1], middle, atol=1e-5)
    assert (np.diff(weight, axis=0) <= 0.0).all()
    assert ((weight > 0.0) & (weight < 1.0)).all()
    far = doubt.cost(np.full(2, 1e6))
    np.testing.assert_allclose(far, doubt.cost(np.full(2, 1e3)), rtol=1e-12)


@pytest.mark.parametrize(
    ("robust", "error", "message"),
    [
        (
            0.0,
            ValueError,
            "robust must be above 0, got 0.0; use False",
        ),
        (-1.0, ValueError, "robust must be"),
        (np.inf, ValueError, "robust must be"),
        ("yes", TypeError, "robust must be a number"),
        (None, TypeError, "robust must be a number"),
    ],
)
def test_errors(robust, error, message):
    with pytest.raises(error, match=message):
        FDC(2, robust=robust).fit(SIDES)
