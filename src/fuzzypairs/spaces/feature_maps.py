"""Spaces that become Euclidean by a map of the samples."""

import copy
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from fuzzypairs._typing import Floats
from fuzzypairs.spaces.kernel_functions import Kernel
from fuzzypairs.spaces.moments import weighted_mean
from fuzzypairs.spaces.vectors import Euclidean
from fuzzypairs.threads import Threads, cut, over_ranges

__all__ = ["KernelFeatures", "Mahalanobis"]


# Directions whose variance is below this share of the largest are taken as constant.
SMALLEST_SHARE = 1e-10


class Mahalanobis(Euclidean):
    """Distances in units of the covariance; a prototype is the weighted mean.

        d(x, c) = (x - c)' S^-1 (x - c)

    by the linear map x -> S^-1/2 x, once. Where S is singular its inverse is taken
    within the directions that vary. Costs one copy of X, then what Euclidean space
    does.

    Parameters
    ----------
    covariance : array-like of shape (n_features, n_features), default=None
        S; None estimates it from the samples.

    Examples
    --------
    >>> import numpy as np
    >>> space = Mahalanobis(covariance=[[4.0]]).fit(np.array([[0.0], [2.0]]))
    >>> space.distances_to_samples(np.array([0])).ravel()
    array([0., 1.])
    """

    accepts_sparse: bool = False

    forward: Floats
    backward: Floats
    center: Floats

    def __init__(self, covariance: ArrayLike | None = None) -> None:
        self.covariance = covariance

    def fit(self, X: Any, weight: Floats | None = None, **more: Any) -> Self:
        """Hold the mapped samples."""
        center = weighted_mean(X, weight)
        values, vectors = np.linalg.eigh(self._covariance(X, weight, center))
        largest = values[-1]
        if values[0] < -SMALLEST_SHARE * max(largest, 0.0) or largest < 0.0:
            raise ValueError(
                f'metric_params["covariance"] has the eigenvalue {values[0]:.3g}, '
                "expected a positive semi-definite matrix"
            )
        # All samples in one place: any unit will do.
        values = values if largest > 0.0 else np.ones_like(values)
        vary = values > SMALLEST_SHARE * values[-1]
        root = np.sqrt(values[vary])
        forward = vectors[:, vary] / root
        space = super().fit((X - center) @ forward, weight, **more)
        space.forward, space.center = forward, center
        space.backward = (vectors[:, vary] * root).T
        return space

    def between(self, X: Any, P: Floats) -> Floats:
        """Return squared distances of rows as they were given, (n_rows, k)."""
        return super().between((X - self.center) @ self.forward, P)

    def distances(self, P: Floats) -> Floats:
        """Return squared distances of the mapped samples."""
        return super().between(self.X, P)

    def points(self, P: Floats) -> Floats:
        """Return prototypes in the samples' own coordinates."""
        return np.asarray(P @ self.backward + self.center)

    def _covariance(self, X: Any, weight: Floats | None, center: Floats) -> Floats:
        n_features = X.shape[1]
        if self.covariance is None:
            w = np.ones(len(X)) if weight is None else weight
            gap = X - center
            return np.asarray((gap * w[:, None]).T @ gap / w.sum())
        S = np.asarray(self.covariance, dtype=np.float64)
        if S.shape != (n_features, n_features) or not np.isfinite(S).all():
            raise ValueError(
                f'metric_params["covariance"] has shape {S.shape}, expected finite '
                f"numbers of shape ({n_features}, {n_features})"
            )
        if not np.allclose(S, S.T):
            raise ValueError('metric_params["covariance"] must be symmetric')
        return S


class KernelFeatures(Euclidean):
    """A kernel by a limited number of explicit features; prototypes are means there.

    "nystroem" maps samples to the span of `n_components` of them, for any kernel;
    "fourier" to random waves, for the rbf kernel. Both by scikit-learn. The map costs
    n_samples x n_components numbers, and the fit is then Euclidean: linear in
    n_samples where the kernel matrix is quadratic.

    Parameters
    ----------
    kernel : Kernel
    n_components : int, default=100
    approximation : {"nystroem", "fourier"}, default="nystroem"

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzypairs.spaces.kernel_functions import Rbf
    >>> X = np.array([[0.0], [0.1], [3.0]])
    >>> space = KernelFeatures(Rbf(gamma=1.0), n_components=3).fit(X)
    >>> np.round(space.distances_to_samples(np.array([0])).ravel(), 3)
    array([0.  , 0.02, 2.  ])
    """

    explicit: ClassVar[bool] = False

    basis: Any  # rows that span the features, or None for random waves
    mapping: Any  # what turns kernel values with the basis, or rows, to features

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
        """Hold the features of the samples."""
        # Brings half of scikit-learn with it, so only where it is wanted.
        from sklearn.kernel_approximation import Nystroem, RBFSampler

        held = copy.copy(self)
        held.kernel = self.kernel.fit(X, weight)
        held.threads = Threads(1) if threads is None else threads
        parameters = held.kernel.parameters()
        n_components = min(self.n_components, X.shape[0])
        if self.approximation == "fourier":
            waves = RBFSampler(
                gamma=parameters["gamma"],
                n_components=self.n_components,
                random_state=random_state,
            )
            held.basis, held.mapping = None, waves.fit(X)
        else:
            span = Nystroem(
                **parameters, n_components=n_components, random_state=random_state
            ).fit(X)
            held.basis, held.mapping = span.components_, span.normalization_.T
        # What follows is Euclidean space over the features.
        return super(KernelFeatures, held).fit(
            held.map(X), weight, threads=threads, **more
        )

    def map(self, X: Any) -> Floats:
        """Return the features of any rows, shape (n_rows, n_components).

        As scikit-learn's transform, with the faster kernels of this package.
        """
        if self.basis is None:
            return np.ascontiguousarray(self.mapping.transform(X), dtype=np.float64)
        out = np.empty((X.shape[0], self.mapping.shape[1]))

        def fill(start: int, stop: int) -> None:
            values = self.kernel.block(X[start:stop], self.basis)
            np.dot(values, self.mapping, out=out[start:stop])

        self.threads.map(fill, over_ranges(cut(len(out), 1024, most=len(out))))
        return out

    def between(self, X: Any, P: Floats) -> Floats:
        """Return squared distances of rows as they were given, (n_rows, k)."""
        return super().between(self.map(X), P)

    def distances(self, P: Floats) -> Floats:
        """Return squared distances of the samples' features."""
        return super().between(self.X, P)
