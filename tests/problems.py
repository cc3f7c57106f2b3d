"""Random problems for the property tests: groups of samples, and whole fits.

Hypothesis chooses sizes and a seed, NumPy fills in the numbers: so a failing example
shrinks to few samples, and its numbers are ordinary ones.
"""

import warnings
from dataclasses import dataclass, replace

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from fuzzypairs import FDC
from fuzzypairs.exceptions import FuzzyPairsWarning

# An example is a fit or two, often of the oracle as well.
FEWER = settings(max_examples=60)


@dataclass(frozen=True)
class Group:
    """One group: weighted squared distances, pairs and their weight."""

    dist2: np.ndarray
    pairs: list
    beta: float

    @property
    def shape(self):
        return self.dist2.shape

    @property
    def arguments(self):
        """What the package's solvers take: dist2, p, q, s, beta."""
        p, q, s = zip(*self.pairs, strict=True)
        return self.dist2, np.array(p), np.array(q), np.array(s), self.beta


@st.composite
def groups(draw, rows=(2, 5), clusters=(2, 4), low=-1.0, high=1.0):
    """Connected groups with grades from `low` to `high`, weak and strong pairs."""
    r, k = draw(st.integers(*rows)), draw(st.integers(*clusters))
    n_more = draw(st.integers(0, r - 1))
    beta = draw(st.sampled_from([0.1, 1.0, 5.0, 50.0]))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    dist2 = rng.uniform(0.02, 2.0, (r, k))
    ends = {(int(rng.integers(i)), i) for i in range(1, r)}
    ends |= {
        tuple(sorted(rng.choice(r, 2, replace=False).tolist())) for _ in range(n_more)
    }
    pairs = [(p, q, float(rng.uniform(low, 1.0))) for p, q in sorted(ends)]
    return Group(dist2, pairs, beta)


@dataclass(frozen=True)
class Problem:
    """One fit from a given start."""

    X: np.ndarray
    pairs: list
    alpha: float
    beta: float
    start: np.ndarray
    weight: np.ndarray | None = None

    @property
    def scatter(self):
        """Sum of squared distances to the mean: the unit of the objective."""
        return float(((self.X - self.X.mean(axis=0)) ** 2).sum())

    def with_(self, **changes):
        return replace(self, **changes)

    def fit(self, **parameters):
        """Fit FDC; vanishing clusters and a missed `tol` are no failures here."""
        model = FDC(
            n_clusters=self.start.shape[1],
            alpha=self.alpha,
            beta=self.beta,
            init=self.start,
            **{"tol": 1e-8, "max_iter": 3000, **parameters},
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FuzzyPairsWarning)
            warnings.simplefilter("ignore", ConvergenceWarning)
            return model.fit(self.X, pairs=self.pairs, sample_weight=self.weight)


def draw_pairs(rng, n_samples, n_pairs, low=-1.0):
    """Distinct pairs with random grades."""
    every = [(p, q) for q in range(n_samples) for p in range(q)]
    chosen = rng.permutation(len(every))[:n_pairs]
    return [(*every[c], float(rng.uniform(low, 1.0))) for c in chosen]


def scattered_problem(
    seed, n_samples, n_features, n_clusters, n_pairs, strength, share
):
    """Data without much structure, a random start: many local minima."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, n_features))
    X += 3 * rng.integers(0, 2, (n_samples, 1))
    return Problem(
        X,
        draw_pairs(rng, n_samples, n_pairs),
        alpha=share / n_clusters,
        beta=strength * float(X.var(axis=0).sum()),
        start=rng.dirichlet(np.ones(n_clusters), n_samples),
    )


@st.composite
def scattered(draw, samples=(5, 20), clusters=(2, 4)):
    """Scattered problems: no, weak or strong pairs; alpha from 0 to 0.3 / k."""
    n_samples = draw(st.integers(*samples))
    return scattered_problem(
        np.random.default_rng(draw(st.integers(0, 10**6))),
        n_samples,
        draw(st.integers(1, 5)),
        draw(st.integers(*clusters)),
        draw(st.integers(0, n_samples)),
        draw(st.sampled_from([0.0, 0.1, 1.0, 10.0, 100.0])),
        draw(st.sampled_from([0.0, 0.05, 0.3])),
    )


@st.composite
def clear(draw):
    """Clear clusters, a start near them, weak pairs: one local minimum.

    Invariances speak of the same problem written differently. Where rounding or the
    order of a sweep may lead to another local minimum, both ends are right and
    nothing is to be compared.
    """
    n_samples, k = draw(st.integers(9, 30)), draw(st.integers(2, 3))
    n_features, n_pairs = draw(st.integers(2, 4)), draw(st.integers(1, 6))
    alpha = draw(st.sampled_from([0.0, 0.02]))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    labels = rng.permutation(n_samples) % k
    X = rng.normal(size=(n_samples, n_features))
    X[:, :2] += 6.0 * np.eye(3)[labels, :2]
    start = 0.7 * np.eye(k)[labels] + 0.3 * rng.dirichlet(np.ones(k), n_samples)
    return Problem(X, draw_pairs(rng, n_samples, n_pairs), alpha, 1.0, start)
