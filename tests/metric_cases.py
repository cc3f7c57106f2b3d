"""A case of every metric: what it is given and its oracle, for several test files."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import pairwise_distances

import naive_spaces as plain
from fuzzypairs import FDC
from fuzzypairs.spaces.metrics import resolve_metric
from fuzzypairs.spaces.space import Space
from fuzzypairs.validation import check_seed

GAMMA = 0.15

# Three groups of eight in space, with judgements of some and weights of all.
rng = np.random.default_rng(0)
LABELS = np.arange(24) % 3
POINTS = rng.normal(size=(24, 3))
POINTS[:, :2] += 3 * np.array([[1, 0], [0, 1], [-1, -1]])[LABELS]
SETS = (
    rng.random((24, 12)) < np.where(np.arange(12) % 3 == LABELS[:, None], 0.8, 0.1)
) * 1.0
PAIRS = [
    (0, 1, -0.8),
    (1, 2, -0.5),
    (3, 6, 0.9),
    (7, 8, 0.6),
    (9, 12, 0.7),
    (12, 10, -0.3),
]
FREE = np.setdiff1d(np.arange(24), [i for p, q, _ in PAIRS for i in (p, q)])
WEIGHT = rng.uniform(0.5, 2.0, 24)
START = 0.7 * np.eye(3)[LABELS] + 0.3 * rng.dirichlet(np.ones(3), 24)
COVARIANCE = np.cov(POINTS.T) + np.eye(3)
# Six samples that metrics are refused with.
SQUARE = np.abs(np.subtract.outer(np.arange(6.0), np.arange(6.0)))
TABLE = np.arange(12.0).reshape(6, 2)


def inner_products(A, B):
    """A kernel of one's own."""
    return A @ B.T


@dataclass(frozen=True)
class Case:
    """A metric, what it is given, and its oracle."""

    metric: Any
    params: dict | None
    X: np.ndarray
    oracle: Any = None
    # The training samples as new ones, where these look different.
    new: Any = None
    # Of 1/k^g: an alpha that repels, and leaves all three clusters.
    share: float = 0.15

    def space(self):
        space = resolve_metric(self.metric, self.params)
        return space.fit(self.X, random_state=check_seed(0))

    def truth(self):
        """The oracle; for explicit features, of what these are."""
        if self.oracle is not None:
            return self.oracle
        return plain.Points(self.space().X, plain.euclidean, plain.mean)

    def model(self, **params):
        given = {"n_clusters": 3, "random_state": 0, "max_iter": 3000} | params
        return FDC(metric=self.metric, metric_params=self.params, **given)

    def alpha(self, g):
        return self.share / 3.0**g

    def beta(self, strength):
        return strength * self.space().spread()

    def rows(self):
        return self.X if self.new is None else self.new


def points(metric, distance, prototype=plain.mean, share=0.15, **params):
    oracle = plain.Points(POINTS, distance, prototype)
    return Case(metric, params or None, POINTS, oracle, share=share)


def products(metric, kernel, X=POINTS, **params):
    return Case(metric, params or None, X, plain.Products(plain.gram(kernel, X)))


K = POINTS @ POINTS.T
D = pairwise_distances(POINTS)
CASES = {
    "euclidean": points("euclidean", plain.euclidean),
    "linear": points("linear", plain.euclidean),
    "manhattan": points("manhattan", plain.manhattan, plain.median),
    # Negative weights push far ones further, the more the larger the power.
    "minkowski3": points(
        "minkowski", plain.minkowski(3), plain.power_center(3), 0.02, p=3
    ),
    "minkowski1.5": points(
        "minkowski", plain.minkowski(1.5), plain.power_center(1.5), p=1.5
    ),
    "cosine": points("cosine", plain.cosine, plain.direction),
    "mahalanobis": points(
        "mahalanobis", plain.mahalanobis(COVARIANCE), covariance=COVARIANCE
    ),
    "rbf": products("rbf", plain.rbf(GAMMA), gamma=GAMMA),
    "laplacian": products("laplacian", plain.laplacian(GAMMA), gamma=GAMMA),
    "polynomial": products(
        "polynomial",
        plain.polynomial(2, GAMMA, 1.5),
        degree=2,
        gamma=GAMMA,
        coef0=1.5,
    ),
    "jaccard": products("jaccard", plain.jaccard, SETS),
    "callable": products(inner_products, plain.inner),
    "precomputed": Case("precomputed", None, D, plain.Relations(D**2)),
    "precomputed_kernel": Case(
        "precomputed_kernel",
        None,
        K,
        plain.Products(K),
        np.column_stack([K, K.diagonal()]),
    ),
    "nystroem": Case("rbf", {"gamma": GAMMA, "n_components": 15}, POINTS),
    "fourier": Case(
        "rbf",
        {"gamma": GAMMA, "n_components": 20, "approximation": "fourier"},
        POINTS,
    ),
}
every_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES)
# Not what these tests are about, where data are few and fuzzifiers large.
uncritical = pytest.mark.filterwarnings(
    "ignore::fuzzypairs.exceptions.PrototypesCoincideWarning"
)
interrupted = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning"
)


def close(found, expected, atol=1e-6):
    np.testing.assert_allclose(found, expected, rtol=0, atol=atol)


def same_end(models, atol=1e-6):
    first, *others = models
    assert first.converged_
    for model in others:
        assert model.converged_
        close(model.memberships_, first.memberships_, atol)
        assert model.objective_ == pytest.approx(first.objective_, rel=atol, abs=atol)


def assert_descent(model):
    history = model.objective_history_
    assert np.isfinite(history).all()
    rise = np.diff(history)[np.diff(model.n_clusters_history_) == 0]
    assert rise.max(initial=0.0) <= 1e-9 * np.abs(history).max()
    U = model.memberships_
    assert U.min() >= 0
    assert np.abs(U.sum(axis=1) - 1).max() <= 1e-12


def many(case, n_samples=520):
    """What a case is given, for more samples than fit in one range of rows."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n_samples, 3)) + 3 * rng.integers(0, 2, (n_samples, 3))
    if case.metric == "jaccard":
        return (X > 2) * 1.0
    if case.metric == "precomputed":
        return pairwise_distances(X)
    return X @ X.T if case.metric == "precomputed_kernel" else X


class Circle(Space):
    """Angles in degrees; prototypes are directions."""

    def between(self, X, P):
        return 2.0 - 2.0 * np.cos(np.radians(X - P.T))

    def prototypes(self, W, previous=None):
        angle = np.radians(self.X)
        sums = np.sin(angle).T @ W, np.cos(angle).T @ W
        return np.degrees(np.arctan2(*sums)).T
