"""Algorithm 1 in the core: descent, stationary ends, clusters that vanish."""

import numpy as np
import pytest

import naive
from core_cases import assert_on_simplex, graph, joined, no_groups
from fuzzypairs import _core

OPTIONS = {"tol": 1e-8, "max_iter": 3000, "is_long": False, "improve": None}


class Fit:
    """Samples, judgements of the first of them, and a start."""

    def __init__(
        self, sizes, k, *, beta=2.0, alpha=0.0, n_free=60, seed=0, weighted=True
    ):
        rng = np.random.default_rng([seed, k, len(sizes)])
        self.n_rows = sum(sizes)
        n = self.n_rows + n_free
        labels = rng.integers(3, size=n)
        self.X = (
            rng.normal(size=(n, 2)) + 3.0 * np.array([[1, 0], [0, 1], [-1, -1]])[labels]
        )
        self.X /= self.X.std()
        self.weight = rng.uniform(0.5, 1.0, n) if weighted else np.ones(n)
        self.sizes, self.alpha, self.beta = sizes, alpha, beta
        self.pairs = joined(sizes, rng)
        self.C = self.X[rng.permutation(n)[:k]].copy()
        self.U = rng.dirichlet(np.ones(k), self.n_rows)
        self.mean = np.zeros(2)

    def samples(self, **options):
        rows = np.arange(self.n_rows, len(self.X))
        return _core.Samples(self.X, rows, self.weight, mean=self.mean, **options)

    def groups(self):
        groups = _core.Groups(*graph(self.sizes, self.pairs, self.beta))
        if self.n_rows:
            rows = np.arange(self.n_rows)
            groups.pack(self.X, rows, self.weight, self.mean)
        return groups

    def run(self, by_products=False, groups=None, **options):
        samples = self.samples(by_products=by_products)
        settings = {"alpha": self.alpha, **OPTIONS, **options}
        groups = self.groups() if groups is None else groups
        return _core.descend(samples, groups, self.C, self.U, **settings)

    def memberships(self, C, U):
        """Return the memberships of all samples."""
        free = [naive.free_memberships(d) for d in naive.distances(self.X, C)]
        free = np.array(free)
        free[: self.n_rows] = U
        return free

    def objective(self, C, U):
        U = self.memberships(C, U)
        return naive.objective(
            self.X, U, C, self.pairs, self.alpha, self.beta, self.weight
        )

    def called(self, groups):
        """Return a pass over all samples, written with NumPy."""
        rows = slice(0, self.n_rows)

        def pass_over(C, n_sweeps, tol):
            dist2 = ((self.X[:, None] - C) ** 2).sum(axis=2)
            near = np.maximum(dist2, 1e-60)
            U = (1 / near) / (1 / near).sum(axis=1, keepdims=True)
            in_groups = change = measured = 0.0
            if self.n_rows:
                own = np.ascontiguousarray(self.weight[rows, None] * dist2[rows])
                groups.set_distances(own)
                in_groups, change = groups.descend(n_sweeps, tol, 1.0)
                U[rows] = groups.memberships
                measured = float((own * U[rows] ** 2).sum())
            W = self.weight[:, None] * (U**2 - self.alpha)
            rest = float((W * dist2).sum()) - measured
            return W.T @ self.X, W.sum(axis=0), rest, in_groups, change

        return pass_over

    def in_two(self, groups):
        """Return passes over free samples and groups apart, and the totals of both."""
        samples, X, w = self.samples(), self.X, self.weight

        def pass_over(C, n_sweeps, tol):
            sums, masses, rest = samples.pass_over(C)
            more, mass, value, change = groups.pass_over(C, n_sweeps, tol, 1.0)
            return sums + more, masses + mass, rest, value, change

        return pass_over, np.array([*(w @ X), w @ (X**2).sum(axis=1), w.sum()])

    def run_called(self, groups=None, **options):
        groups = self.groups() if groups is None else groups
        settings = {**OPTIONS, "scale": 1.0, "step_unit": 1.0, **options}
        return _core.descend(self.called(groups), groups, self.C, self.U, **settings)


def assert_descends(history, sizes):
    """The objective does not rise while the number of clusters holds."""
    same = np.diff(sizes) == 0
    rounding = 1e-11 * np.abs(history).max()
    assert np.diff(history)[same].max(initial=0.0) <= rounding


def assert_stationary(fit, C, U, tol=1e-5):
    """Prototypes follow from memberships, and these from prototypes."""
    all_U = fit.memberships(C, U)
    image = naive.update_prototypes(fit.X, all_U, fit.alpha, fit.weight)[0]
    np.testing.assert_allclose(C, image, atol=tol)
    if fit.n_rows:
        rows = slice(0, fit.n_rows)
        dist2 = naive.distances(fit.X[rows], C)
        weight = fit.weight[rows]
        assert naive.residual(dist2, U, fit.pairs, fit.beta, weight) < tol


SIZES = pytest.mark.parametrize(
    "sizes", [[], [2], [2] * 20, [3] * 9 + [2, 4], [7, 12]], ids=str
)


@SIZES
@pytest.mark.parametrize("alpha", [0.0, 0.01])
@pytest.mark.parametrize("by_products", [False, True])
def test_the_end_is_stationary(sizes, alpha, by_products):
    fit = Fit(sizes, 3, alpha=alpha)
    C, U, history, n_clusters, n_passes, converged = fit.run(by_products)
    assert converged
    assert n_passes < 3000
    assert len(history) == len(n_clusters)
    assert C.shape == (n_clusters[-1], 2)
    assert U.shape == (fit.n_rows, len(C))
    assert_on_simplex(U)
    assert_descends(history, n_clusters)
    assert history[-1] == pytest.approx(fit.objective(C, U), rel=1e-9)
    assert_stationary(fit, C, U)


@pytest.mark.parametrize("beta", [0.0, 0.1, 1e6])
@pytest.mark.parametrize("is_long", [False, True])
def test_weak_and_strong_judgements(beta, is_long):
    fit = Fit([2] * 12 + [3, 5], 3, beta=beta)
    C, U, history, n_clusters, _, converged = fit.run(is_long=is_long)
    assert converged
    assert_on_simplex(U)
    assert_descends(history, n_clusters)
    value = fit.objective(C, U)
    assert history[-1] == pytest.approx(value, rel=1e-7, abs=1e-12 * beta)


def test_it_ends_where_plain_loops_end():
    fit = Fit([2, 3], 3, beta=0.3, alpha=0.02, n_free=25)
    C, U, history, *_ = fit.run()
    start = fit.memberships(C, U)
    U_naive, C_naive, objectives, _ = naive.mem(
        fit.X, fit.pairs, start, fit.alpha, fit.beta, weight=fit.weight
    )
    np.testing.assert_allclose(C, C_naive, atol=1e-6)
    np.testing.assert_allclose(U, U_naive[: fit.n_rows], atol=1e-6)
    assert history[-1] == pytest.approx(objectives[-1], rel=1e-9)


def test_one_pass_by_hand():
    X = np.array([[0.0], [1.0], [9.0], [10.0]])
    samples = _core.Samples(X, None, None, mean=np.zeros(1))
    C = np.array([[0.0], [10.0]])
    none = np.zeros((0, 2))
    options = {**OPTIONS, "max_iter": 1}
    C, U, history, sizes, n_passes, converged = _core.descend(
        samples, no_groups(), C, none, alpha=0.0, **options
    )
    # The free memberships of 1 are 81/82 and 1/82; 1 and 9 have distances 1 and 81.
    assert history[0] == pytest.approx(2 * ((81 / 82) ** 2 + 81 / 82**2), rel=1e-13)
    assert n_passes == 1
    assert not converged
    assert U.shape == (0, 2)
    assert set(sizes) == {2}


@SIZES
@pytest.mark.parametrize("alpha", [0.0, 0.01])
def test_a_called_pass_ends_where_the_fused_one_ends(sizes, alpha):
    fit = Fit(sizes, 3, alpha=alpha)
    fused, called = fit.run(), fit.run_called()
    assert called[5]
    np.testing.assert_allclose(called[0], fused[0], atol=1e-6)
    np.testing.assert_allclose(called[1], fused[1], atol=1e-6)
    assert called[2][-1] == pytest.approx(fused[2][-1], rel=1e-9)
    assert called[3][-1] == fused[3][-1]


@pytest.mark.parametrize("sizes", [[], [2] * 12 + [5]], ids=str)
@pytest.mark.parametrize("called", [False, True])
def test_clusters_vanish(sizes, called):
    fit = Fit(sizes, 6, alpha=0.06, beta=0.5)
    C, U, history, n_clusters, _, converged = fit.run_called() if called else fit.run()
    assert converged
    assert 1 <= len(C) < 6
    assert (np.diff(n_clusters) <= 0).all()
    assert n_clusters[-1] == len(C)
    assert U.shape == (fit.n_rows, len(C))
    assert_on_simplex(U)
    assert_descends(history, n_clusters)
    all_U = fit.memberships(C, U)
    support = (fit.weight[:, None] * (all_U**2 - fit.alpha)).sum(axis=0)
    assert (support > 0).all()
    assert_stationary(fit, C, U)


def test_groups_remember_how_many_clusters_are_left():
    fit = Fit([2] * 12 + [5], 6, alpha=0.06, beta=0.5)
    for run in (fit.run, fit.run_called):
        groups = fit.groups()
        _, U, *_ = run(groups=groups)
        np.testing.assert_allclose(groups.memberships, U, atol=1e-12)
        assert groups.distances.shape == U.shape


@pytest.mark.parametrize("alpha", [0.0, 0.3, 2.0])
def test_one_cluster(alpha):
    fit = Fit([2, 2], 1, alpha=alpha)
    C, U, history, n_clusters, _, _ = fit.run()
    np.testing.assert_array_equal(U, np.ones((4, 1)))
    assert set(n_clusters) == {1}
    if alpha < 1.0:
        mean = np.average(fit.X, axis=0, weights=fit.weight)
        np.testing.assert_allclose(C, [mean], atol=1e-9)
        assert history[-1] == pytest.approx(fit.objective(C, U))


@pytest.mark.parametrize("is_long", [False, True])
def test_threads_change_no_bit(is_long):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40_000, 3)) + 2.0 * rng.integers(3, size=(40_000, 1))
    sizes = [2] * 1500 + [3] * 600 + [5] * 60
    n_rows = sum(sizes)
    arrays = graph(sizes, joined(sizes, rng), 2.0)
    found = []
    for n_threads in (1, 2, 3, 8):
        groups = _core.Groups(*arrays)
        groups.pack(X, np.arange(n_rows), None, np.zeros(3))
        rows = np.arange(n_rows, len(X))
        samples = _core.Samples(X, rows, None, mean=np.zeros(3), n_threads=n_threads)
        options = {**OPTIONS, "max_iter": 6, "is_long": is_long, "n_threads": n_threads}
        U = np.full((n_rows, 4), 0.25)
        found.append(_core.descend(samples, groups, X[:4], U, alpha=0.001, **options))
    for other in found[1:]:
        for ours, theirs in zip(other, found[0], strict=True):
            np.testing.assert_array_equal(ours, theirs)


def test_improvements_are_asked_for_and_used():
    fit = Fit([2] * 5, 3, beta=20.0)
    groups, gains = fit.groups(), []

    def improve(gain):
        gains.append(gain)
        return False

    *_, converged = fit.run(groups=groups, improve=improve)
    assert converged
    assert gains
    assert min(gains) > 0.0


@pytest.mark.parametrize("fails", ["pass", "improve"])
def test_what_a_callable_raises_is_raised(fails):
    fit = Fit([2] * 5, 3)

    def fail(*_):
        raise KeyError("seen")

    groups = fit.groups()
    pass_over = fail if fails == "pass" else fit.called(groups)
    settings = {**OPTIONS, "scale": 1.0, "step_unit": 1.0}
    settings["improve"] = fail if fails == "improve" else None
    with pytest.raises(KeyError, match="seen"):
        _core.descend(pass_over, groups, fit.C, fit.U, **settings)


@pytest.mark.parametrize("max_iter", range(1, 12))
def test_runs_can_be_cut_anywhere(max_iter):
    fit = Fit([2] * 8 + [5], 4, beta=100.0, alpha=0.02)
    C, U, history, n_clusters, n_passes, _ = fit.run(max_iter=max_iter)
    assert n_passes <= max_iter + 2
    assert np.isfinite(C).all()
    assert_on_simplex(U)
    assert np.isfinite(history).all()
    assert len(history) == len(n_clusters)


@pytest.mark.parametrize("alpha", [0.0, 0.05])
@pytest.mark.parametrize("is_long", [False, True])
def test_passes_over_samples_elsewhere_give_the_same_run(alpha, is_long):
    fit = Fit([2] * 20 + [3] * 5, 4, alpha=alpha, n_free=400, seed=3)
    groups = fit.groups()
    pass_over, totals = fit.in_two(groups)
    options = {**OPTIONS, "is_long": is_long, "alpha": alpha}
    ours = _core.descend(pass_over, groups, fit.C, fit.U, totals=totals, **options)
    fused = fit.run(is_long=is_long)
    assert ours[4] == fused[4]
    for there, here in zip(fused[:4], ours[:4], strict=True):
        np.testing.assert_allclose(here, there, rtol=1e-9, atol=1e-9)
    with pytest.raises(ValueError, match="totals has length 2, expected 4"):
        _core.descend(pass_over, groups, fit.C, fit.U, totals=totals[:2], **options)


def test_memberships_are_those_of_the_groups():
    fit = Fit([2] * 5, 3)
    groups = fit.groups()
    pass_over, _ = fit.in_two(groups)
    with pytest.raises(
        ValueError, match=r"memberships has shape \(9, 3\), expected \(10"
    ):
        _core.descend(pass_over, groups, fit.C, fit.U[1:], **OPTIONS)
    bare = _core.Groups(*graph(fit.sizes, fit.pairs, 1.0))
    with pytest.raises(ValueError, match="samples of groups are not packed"):
        _core.descend(fit.samples(), bare, fit.C, fit.U, **OPTIONS)
