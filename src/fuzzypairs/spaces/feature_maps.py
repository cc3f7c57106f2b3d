"""Spaces that are Euclidean after a map of the samples."""

import copy
from abc import abstractmethod
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from fuzzypairs._typing import Floats
from fuzzypairs.spaces.kernel_functions import Kernel
from fuzzypairs.spaces.moments import weighted_mean
from fuzzypairs.spaces.vectors import Euclidean
from fuzzypairs.threads import Threads, cut, over_ranges
from fuzzypairs.validation import check_kind, naming

# Directions whose variance is below this share of the largest are taken as constant.
SMALLEST_SHARE = 1e-10


class MappedSpace(Euclidean):
    """Euclidean distances after a map; subclasses fit the map, then the samples."""

    accepts_sparse: bool = False

    @abstractmethod
    def map(self, X: Any) -> Floats:
        """Return where rows lie in this space, shape (n_rows, n_dimensions)."""

    def fit(self, X: Any, weight: Floats | None = None, **more: Any) -> Self:
        """Store the mapped samples."""
        return super().fit(self.map(X), weight, **more)

    def between(self, X: Any, P: Floats) -> Floats:
        """Return squared distances of rows as they were given, (n_rows, k)."""
        return super().between(self.map(X), P)

    def distances(self, P: Floats) -> Floats:
        """Return squared distances of the samples, which are mapped already."""
        return super().between(self.X, P)


class Mahalanobis(MappedSpace):
    """Distances in units of the covariance; a prototype is the weighted mean.

        d(x, c) = (x - c)' S^-1 (x - c)

    by the linear map x -> S^-1/2 x. A singular S is inverted within the directions of
    positive variance. The fit needs one copy of X, and then as much time as Euclidean
    space. S is `covariance`, or estimated from the samples.
    """

    forward: Floats
    backward: Floats
    center: Floats

    def __init__(self, covariance: ArrayLike | None = None) -> None:
        self.covariance = covariance

    def fit(self, X: Any, weight: Floats | None = None, **more: Any) -> Self:
        """Compute the map, and store the mapped samples."""
        space = copy.copy(self)
        space.center = weighted_mean(X, weight)
        values, vectors = np.linalg.eigh(space._covariance(X, weight))
        largest = values[-1]
        if values[0] < -SMALLEST_SHARE * max(largest, 0.0) or largest < 0.0:
            raise ValueError(
                f'metric_params["covariance"] has the eigenvalue {values[0]:.3g}, '
                "expected a positive semi-definite matrix"
            )
        # Constant samples: any unit will do.
        values = values if largest > 0.0 else np.ones_like(values)
        vary = values > SMALLEST_SHARE * values[-1]
        root = np.sqrt(values[vary])
        space.forward = vectors[:, vary] / root
        space.backward = (vectors[:, vary] * root).T
        return super(Mahalanobis, space).fit(X, weight, **more)

    def map(self, X: Any) -> Floats:
        """Return S^-1/2 (x - mean) of rows."""
        return np.asarray((X - self.center) @ self.forward)

    def points(self, P: Floats) -> Floats:
        """Return prototypes in the samples' own coordinates."""
        return np.asarray(P @ self.backward + self.center)

    def _covariance(self, X: Any, weight: Floats | None) -> Floats:
        n_features = X.shape[1]
        if self.covariance is None:
            w = np.ones(len(X)) if weight is None else weight
            gap = X - self.center
            return np.asarray((gap * w[:, None]).T @ gap / w.sum())
        with naming("covariance"):
            check_kind("covariance", self.covariance)
            S = np.asarray(self.covariance, dtype=np.float64)
        if S.shape != (n_features, n_features) or not np.isfinite(S).all():
            raise ValueError(
                f'metric_params["covariance"] has shape {S.shape}, expected finite '
                f"numbers of shape ({n_features}, {n_features})"
            )
        if not np.allclose(S, S.T):
            raise ValueError('metric_params["covariance"] must be symmetric')
        return S


class KernelFeatures(MappedSpace):
    """A kernel by a limited number of explicit features; prototypes are means there.

    "nystroem" maps samples to the span of `n_components` of them, for any kernel;
    "fourier" to random Fourier features, for the rbf kernel; both by scikit-learn. The
    map needs n_samples x n_components numbers, and the fit is then Euclidean: linear in
    n_samples, unlike the kernel matrix.
    """

    explicit: ClassVar[bool] = False

    basis: Any  # rows that span the features, or None for Fourier features
    mapping: Any  # from kernel values with the basis, or from rows, to features

    def __init__(
        self,
        kernel: Kernel,
        n_components: int = 100,
        approximation: Literal["nystroem", "fourier"] = "nystroem",
    ) -> None:
        self.kernel = kernel
        self.accepts_sparse = kernel.accepts_sparse
        self.n_components = n_components
        self.approximation = approximation

    def fit(
        self,
        X: Any,
        weight: Floats | None = None,
        *,
        random_state: np.random.RandomState | None = None,
        threads: Threads | None = None,
        **more: Any,
    ) -> Self:
        """Draw the features, and store those of the samples."""
        # Imported here: it loads half of scikit-learn.
        from sklearn.kernel_approximation import Nystroem, RBFSampler

        space = copy.copy(self)
        space.kernel = self.kernel.fit(X, weight)
        space.threads = Threads(1) if threads is None else threads
        parameters = space.kernel.parameters()
        if self.approximation == "fourier":
            sampler = RBFSampler(
                gamma=parameters["gamma"],
                n_components=self.n_components,
                random_state=random_state,
            )
            space.basis, space.mapping = None, sampler.fit(X)
        else:
            n_components = min(self.n_components, X.shape[0])
            span = Nystroem(
                **parameters, n_components=n_components, random_state=random_state
            ).fit(X)
            space.basis, space.mapping = span.components_, span.normalization_.T
        return super(KernelFeatures, space).fit(X, weight, threads=threads, **more)

    def map(self, X: Any) -> Floats:
        """Return the features of rows, as scikit-learn's transform but faster."""
        if self.basis is None:
            return np.ascontiguousarray(self.mapping.transform(X), dtype=np.float64)
        out = np.empty((X.shape[0], self.mapping.shape[1]))

        def fill(start: int, stop: int) -> None:
            values = self.kernel.block(X[start:stop], self.basis)
            # A product into `out` would refuse kernel values in single precision.
            out[start:stop] = values @ self.mapping

        self.threads.map(fill, over_ranges(cut(len(out), 1024, most=len(out))))
        return out
