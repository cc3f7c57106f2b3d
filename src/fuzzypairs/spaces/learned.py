"""Spaces learned from judgements: which features matter, or which samples belong."""

import copy
from abc import abstractmethod
from typing import Any, ClassVar, Literal, Self

import numpy as np

from fuzzypairs._typing import Floats, Labels
from fuzzypairs.pairs import PairSet
from fuzzypairs.spaces.feature_maps import KernelFeatures, MappedSpace
from fuzzypairs.spaces.kernel_functions import Rbf
from fuzzypairs.spaces.likelihood import Objective, softmax
from fuzzypairs.spaces.moments import total_variance, weighted_mean
from fuzzypairs.threads import Threads

__all__ = ["FeatureWeights", "LearnedSpace", "SimplexMap"]

# How many samples represent all of them, in the prior and in feature weights.
MOST_ROWS = 500


class LearnedSpace(MappedSpace):
    """Euclidean distances after a map that is learned from judgements."""

    feature_weights: Floats
    # Whether the form of the map is still to be chosen.
    is_open: bool = False

    @abstractmethod
    def learn(self, X: Floats, pairs: PairSet, *args: Any, **more: Any) -> Self:
        """Return a copy of this space with a map learned from `pairs`."""

    def fit(self, X: Any, weight: Floats | None = None, **more: Any) -> Self:
        """Hold the mapped samples."""
        if not hasattr(self, "feature_weights"):
            raise ValueError(
                f"{type(self).__name__} has not learned from judgements yet; use "
                'metric="learned", or give what its method `learn` returns'
            )
        return super().fit(X, weight, **more)


class FeatureWeights(LearnedSpace):
    """Euclidean distances with a weight for each feature; prototypes are means.

        d(x, c) = sum_f w_f (x_f - c_f)^2,   w_f = sqrt(unlike_f / alike_f)

    unlike_f and alike_f are mean squared differences over the judgements, weighted by
    their strength, each together with `prior` pairs of samples drawn at random, which
    hold weights to 1.
    """

    def __init__(self, prior: float = 20.0) -> None:
        self.prior = prior

    def learn(
        self,
        X: Floats,
        pairs: PairSet,
        labels: Labels,
        weight: Floats | None = None,
        **more: Any,
    ) -> Self:
        """Return a copy with weights of features learned from `pairs`."""
        space = copy.copy(self)
        squared = (X[pairs.i] - X[pairs.j]).astype(np.float64) ** 2
        mean = weighted_mean(X, weight)
        random = 2.0 * np.average((X - mean) ** 2, axis=0, weights=weight)

        def differences(strength: Floats) -> Floats:
            total = strength @ squared + self.prior * random
            return np.asarray(total / (strength.sum() + self.prior))

        alike = differences(np.maximum(pairs.grade, 0.0))
        unlike = differences(np.maximum(-pairs.grade, 0.0))
        varies = random > 0.0
        ratio = np.divide(unlike, alike, out=np.ones_like(alike), where=varies)
        space.feature_weights = np.sqrt(ratio)
        return space

    def map(self, X: Any) -> Floats:
        """Return rows in units in which features weigh the same."""
        return np.asarray(X * np.sqrt(self.feature_weights))

    def points(self, P: Floats) -> Floats:
        """Return prototypes in the samples' own coordinates."""
        return np.asarray(P / np.sqrt(self.feature_weights))


class SimplexMap(LearnedSpace):
    """The simplex, with a learned map from samples to memberships v.

        d(x, c) = |v(x) - c|^2,   v(x) = softmax(sharpness * [f(x), 1] W)

    W maximises the likelihood of the judgements, with the clusters that samples form
    without them as a prior (`fuzzypairs.spaces.likelihood`). A prototype is the mean
    of v. Unlike a metric that only weights features, the map can follow classes of any
    size, and, with rbf features, of any shape.

    Parameters
    ----------
    form : {"auto", "linear", "rbf"}, default="rbf"
        Features f: the samples, centred, in units of their total variance (a map of
        rank below n_clusters); or `n_components` Nystroem features of their rbf kernel.
        "auto" lets estimators choose.
    prior : float, default=3.0
        Strength of the prior, in judgements of full strength.
    ridge : float, default=0.05
        Penalty on coefficients.
    doubt : float, default=0.05
        Probability that a judgement is wrong.
    sharpness : float, default=2.0
        The larger, the nearer clear samples are to the corners of the simplex.
    n_components : int, default=100
        Number of rbf features at most; half the number of samples at most.

    Attributes
    ----------
    feature_weights : ndarray of shape (n_features,)
        How strongly v depends on each feature, as a share: root mean square slope of
        the logits times the deviation of the feature.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 3))
    >>> truth = (X[:, 2] > 0).astype(int)
    >>> judged = PairSet.from_labels(truth, n_pairs=30, random_state=0)
    >>> space = SimplexMap("linear").learn(X, judged, (X[:, 0] > 0).astype(int))
    >>> int(space.feature_weights.argmax())
    2
    """

    explicit: ClassVar[bool] = False

    coefficients: Floats
    center: Floats
    scale: float
    kernel: KernelFeatures | None

    def __init__(
        self,
        form: Literal["auto", "linear", "rbf"] = "rbf",
        prior: float = 3.0,
        ridge: float = 0.05,
        doubt: float = 0.05,
        sharpness: float = 2.0,
        n_components: int = 100,
    ) -> None:
        self.form = form
        self.is_open = form == "auto"
        self.prior = prior
        self.ridge = ridge
        self.doubt = doubt
        self.sharpness = sharpness
        self.n_components = n_components

    def prepare(
        self,
        X: Floats,
        weight: Floats | None = None,
        *,
        random_state: np.random.RandomState | None = None,
        threads: Threads | None = None,
    ) -> tuple[Self, Floats]:
        """Return a copy that can compute features, and those of the samples."""
        space = copy.copy(self)
        space.center = weighted_mean(X, weight)
        space.scale = 1.0 / np.sqrt(total_variance(X, weight) or 1.0)
        space.kernel = None
        if self.form == "linear":
            return space, space.features(X)
        basis = KernelFeatures(
            Rbf(gamma=0.5), min(self.n_components, max(1, X.shape[0] // 2))
        ).fit(space.standardised(X), random_state=random_state, threads=threads)
        features = basis.X
        space.kernel, _ = basis.trimmed(np.empty((0, 0)))
        return space, features

    def learn(
        self,
        X: Floats,
        pairs: PairSet,
        labels: Labels,
        weight: Floats | None = None,
        *,
        random_state: np.random.RandomState | None = None,
        threads: Threads | None = None,
    ) -> Self:
        """Return a copy of this space with a map learned from judgements.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
        pairs : PairSet
        labels : ndarray of shape (n_samples,)
            The clusters to start from.
        weight : ndarray of shape (n_samples,), default=None
            Sample weights.
        random_state : RandomState, default=None
            Draws the samples that represent all of them in the prior.
        threads : Threads, default=None
        """
        random_state = random_state or np.random.RandomState(0)
        prepared, features = self.prepare(
            X, weight, random_state=random_state, threads=threads
        )
        rows = representatives(len(features), random_state)
        return prepared.learned(X, features, pairs, labels, rows, weight)

    def learned(
        self,
        X: Floats,
        features: Floats,
        pairs: PairSet,
        labels: Labels,
        rows: Labels,
        weight: Floats | None = None,
    ) -> Self:
        """Return a copy of a prepared space with the coefficients of `solve`."""
        space = copy.copy(self)
        space.coefficients = space.solve(features, pairs, labels, rows, weight)
        space.feature_weights = space.sensitivity(X[rows])
        return space

    def solve(
        self,
        features: Floats,
        pairs: PairSet,
        labels: Labels,
        rows: Labels,
        weight: Floats | None = None,
    ) -> Floats:
        """Return the coefficients that are most likely under `pairs`."""
        return Objective(
            features,
            pairs.informative,
            np.eye(int(labels.max()) + 1)[labels[rows]],
            prior=self.prior,
            ridge=self.ridge,
            doubt=self.doubt,
            rows=rows,
            weight=weight,
        ).minimise()

    def standardised(self, X: Floats) -> Floats:
        """Return rows centred, of mean square length 1."""
        return np.asarray((X - self.center) * self.scale, dtype=np.float64)

    def features(self, X: Floats) -> Floats:
        """Return the features of rows that the logits are linear in."""
        Z = self.standardised(X)
        return Z if self.kernel is None else self.kernel.map(Z)

    def logits(self, features: Floats) -> Floats:
        """Return the logarithms of v, up to a constant for each row."""
        W = self.coefficients
        return np.asarray(features @ W[:-1] + W[-1])

    def map(self, X: Any) -> Floats:
        """Return v of rows, shape (n_rows, n_clusters)."""
        return softmax(self.sharpness * self.logits(self.features(X)))

    def sensitivity(self, X: Floats) -> Floats:
        """Return the share of each feature in how v varies around rows X."""
        deviation = X.std(axis=0)
        out = np.zeros(X.shape[1])
        here = self.logits(self.features(X))
        # Finite differences: they serve any features, and are cheap for few rows.
        for f in np.flatnonzero(deviation > 0.0):
            moved = X.astype(np.float64)
            moved[:, f] += 1e-3 * deviation[f]
            change = self.logits(self.features(moved)) - here
            change -= change.mean(axis=1, keepdims=True)
            out[f] = np.sqrt((change**2).mean())
        total = out.sum()
        return out / total if total > 0.0 else out


def representatives(n_samples: int, random_state: np.random.RandomState) -> Labels:
    """Return the samples that represent all: all of them, or a random subset."""
    if n_samples <= MOST_ROWS:
        return np.arange(n_samples)
    return random_state.permutation(n_samples)[:MOST_ROWS]
