"""Spaces whose prototypes are points: Euclidean, manhattan, Minkowski and cosine."""

from typing import Any, ClassVar, Self

import numpy as np
from scipy.sparse import diags

from fuzzypairs import _core
from fuzzypairs._typing import Floats, Ints
from fuzzypairs.spaces.minkowski import minkowski_distances, minkowski_prototypes
from fuzzypairs.spaces.moments import (
    is_sparse,
    leading_eigenvalue,
    leading_share,
    over_positive,
    squared_norms,
    weighted_mean,
)
from fuzzypairs.spaces.space import Space
from fuzzypairs.threads import Threads, cut, over_ranges

ROWS_A_RANGE = 4096
# From this many features times clusters, matrix products are faster than differences.
PRODUCTS_FROM = 2500
# Smallest number of terms for each thread that features are distributed to.
TERMS_A_RANGE = 2**18


def weighted_sums(threads: Threads, X: Any, W: Floats) -> Floats:
    """Return W'X, shape (k, n_features), the same for any number of threads."""
    if is_sparse(X):
        return np.ascontiguousarray((X.T @ W).T)
    spans = over_ranges(cut(len(X), ROWS_A_RANGE))
    parts = threads.map(lambda a, b: W[a:b].T @ X[a:b], spans)
    return np.asarray(np.sum(parts, axis=0), dtype=np.float64)


class Euclidean(Space):
    """Squared Euclidean distances; a prototype is the weighted mean, eq. (13).

        d(x, c) = |x - c|^2,   c = sum_i W_i x_i / sum_i W_i

    A step takes O(n_samples n_features k). Sparse X stays sparse: rows are centred at
    the mean of the prototypes without filling zeros.
    """

    accepts_sparse: bool = True

    def between(self, X: Any, P: Floats) -> Floats:
        """Return squared distances, shape (n_rows, k)."""
        small = X.shape[1] * len(P) < PRODUCTS_FROM
        if small and not is_sparse(X):
            return differences(_core.squared_distances, X, P, self.threads)
        mean = P.mean(axis=0)
        C = P - mean
        spans = over_ranges(cut(X.shape[0], ROWS_A_RANGE))
        return np.concatenate(
            self.threads.map(lambda a, b: _products(X[a:b], C, mean), spans)
        )

    def prototypes(self, W: Floats, previous: Floats | None = None) -> Floats:
        """Return weighted means."""
        sums = weighted_sums(self.threads, self.X, W)
        return np.asarray(sums / W.sum(axis=0)[:, None])

    def step_unit(self, n_clusters: int) -> float:
        """Return the total variance."""
        return self.spread()

    def leading_share(self) -> float:
        """Return lam1 of the moments of directions."""
        return leading_share(self.X, self.given_weight)

    def natural(self, distance: Floats) -> Floats:
        """Return the root."""
        return np.asarray(np.sqrt(distance))


class Cosine(Space):
    """Directions; a prototype is the direction of the weighted sum.

        d(x, c) = 2 - 2 cos(x, c),   c = s / |s|,  s = sum_i W_i x_i / |x_i|

    This is the squared distance on the unit sphere, and c is its exact minimiser
    there for weights of any sign. A row of zeros has no direction: its distance to all
    prototypes is the same. Costs as much as Euclidean space; sparse X stays sparse.
    """

    accepts_sparse: bool = True

    def fit(self, X: Any, weight: Floats | None = None, **more: Any) -> Self:
        """Store the directions of the samples."""
        return super().fit(directions(X), weight, **more)

    def distances(self, P: Floats) -> Floats:
        """Return the distances of the samples, whose lengths are 1 already."""
        return self._of_directions(self.X, P)

    def between(self, X: Any, P: Floats) -> Floats:
        """Return 2 - 2 cos, shape (n_rows, k)."""
        return self._of_directions(directions(X), P)

    def prototypes(self, W: Floats, previous: Floats | None = None) -> Floats:
        """Return the directions of the weighted sums."""
        sums = weighted_sums(self.threads, self.X, W)
        length = np.linalg.norm(sums, axis=1, keepdims=True)
        if not length.all():
            # All directions are equally good: take the previous one, or the first
            # sample.
            if previous is None:
                previous = self.at_samples(np.zeros(len(sums), dtype=np.intp))
            sums = np.where(length > 0.0, sums, previous)
        return np.asarray(directions(sums))

    def step_unit(self, n_clusters: int) -> float:
        """Return the mean distance to the mean direction."""
        return self.spread()

    def leading_share(self) -> float:
        """Return lam1 of the tangents at the mean direction.

        With t the part of x orthogonal to the mean direction, this is the largest
        eigenvalue of sum_i t t' / d over the length of the summed directions.
        """
        center = self.prototypes(self.weight[:, None])
        share = over_positive(self.weight, self.distances(center)[:, 0])
        along = center[0]

        def multiply(v: Floats) -> Floats:
            product = self.X.T @ (share * (self.X @ (v - along * (along @ v))))
            return np.asarray(product - along * (along @ product))

        sums = weighted_sums(self.threads, self.X, self.weight[:, None])
        length = np.linalg.norm(sums)
        largest = leading_eigenvalue(multiply, self.X.shape[1])
        return float(largest / length) if length > 0.0 else 1.0

    def natural(self, distance: Floats) -> Floats:
        """Return 1 - cos."""
        return distance / 2.0

    def _of_directions(self, X: Any, P: Floats) -> Floats:
        # Accelerated prototypes may be slightly off the sphere.
        C = directions(P)
        spans = over_ranges(cut(X.shape[0], ROWS_A_RANGE))
        inner = np.concatenate(
            self.threads.map(lambda a, b: np.asarray(X[a:b] @ C.T), spans)
        )
        return np.maximum(2.0 - 2.0 * inner, 0.0)


class Manhattan(Space):
    """Sums of absolute differences; a prototype is the weighted median.

        d(x, c) = sum_f |x_f - c_f|,   c_f = argmin sum_i W_i |x_if - c|

    The minimum is global for weights of any sign, and one of the values of the feature.
    Features are sorted once; a step takes O(n_samples n_features k), and two copies of
    X are stored.
    """

    temporary: ClassVar[tuple[str, ...]] = (*Space.temporary, "order", "values")

    order: Ints
    values: Floats

    def fit(self, X: Any, weight: Floats | None = None, **more: Any) -> Self:
        """Store the samples and sort each feature."""
        space = super().fit(np.ascontiguousarray(X, dtype=np.float64), weight, **more)
        columns = np.ascontiguousarray(space.X.T)
        space.order = np.argsort(columns, axis=1, kind="stable")
        space.values = np.take_along_axis(columns, space.order, axis=1)
        return space

    def between(self, X: Any, P: Floats) -> Floats:
        """Return sums of absolute differences, shape (n_rows, k)."""
        return differences(_core.manhattan_distances, X, P, self.threads)

    def prototypes(self, W: Floats, previous: Floats | None = None) -> Floats:
        """Return the weighted medians of each feature."""
        W = np.ascontiguousarray(W)
        n_threads = self.threads.n_threads
        return _core.weighted_medians(self.order, self.values, W, n_threads)


class Minkowski(Space):
    """Sums of powers of differences.

        d(x, c) = sum_f |x_f - c_f|^p,   c_f = argmin sum_i W_i |x_if - c|^p

    so p = 2 is Euclidean and p near 1 close to manhattan. The minimum is global for
    positive weights; with negative ones it is local, and no worse than the previous
    prototype. A step takes several passes over X.
    """

    temporary: ClassVar[tuple[str, ...]] = (*Space.temporary, "columns")

    columns: Floats

    def __init__(self, p: float) -> None:
        self.p = float(p)

    def fit(self, X: Any, weight: Floats | None = None, **more: Any) -> Self:
        """Store the samples, and their features as rows."""
        space = super().fit(np.ascontiguousarray(X, dtype=np.float64), weight, **more)
        space.columns = np.ascontiguousarray(space.X.T)
        return space

    def between(self, X: Any, P: Floats) -> Floats:
        """Return sums of powers, shape (n_rows, k)."""
        spans = over_ranges(cut(len(X), ROWS_A_RANGE))
        calls = [(X[a:b], P, self.p) for a, b in spans]
        return np.concatenate(self.threads.map(minkowski_distances, calls))

    def prototypes(self, W: Floats, previous: Floats | None = None) -> Floats:
        """Return the minimisers of each feature."""
        if previous is None:
            mean = weighted_mean(self.X, self.weight)
            previous = np.repeat(mean[None, :], W.shape[1], axis=0)
        WT = np.ascontiguousarray(W.T)
        calls = [
            (self.columns[a:b], WT, self.p, previous[:, a:b])
            for a, b in over_ranges(cut(len(self.columns), TERMS_A_RANGE // W.size + 1))
        ]
        found = self.threads.map(minkowski_prototypes, calls)
        return np.concatenate(found, axis=1)

    def natural(self, distance: Floats) -> Floats:
        """Return the p-th root."""
        return np.asarray(distance ** (1.0 / self.p))


def differences(kernel: Any, X: Any, P: Floats, threads: Threads) -> Floats:
    """Return the distances of rows and prototypes by a function of the core."""
    out = np.empty((len(X), len(P)))
    C = np.ascontiguousarray(P, dtype=np.float64)
    kernel(np.ascontiguousarray(X), C, out, threads.n_threads)
    return out


def _products(X: Any, C: Floats, mean: Floats) -> Floats:
    """Return |x|^2 - 2 x.c + |c|^2, x measured from `mean` as C is."""
    if is_sparse(X):
        norm = squared_norms(X) + mean @ mean - 2.0 * (X @ mean)
        inner = X @ C.T - C @ mean
    else:
        x = X - mean
        norm = np.einsum("if,if->i", x, x)
        inner = x @ C.T
    out = norm[:, None] - 2.0 * inner + np.einsum("jf,jf->j", C, C)
    return np.asarray(np.maximum(out, 0.0))


def directions(X: Any) -> Any:
    """Divide each row by its length; rows of zeros stay as they are."""
    if is_sparse(X):
        length = np.sqrt(squared_norms(X))
        return (diags(over_positive(1.0, length)) @ X).tocsr()
    X = np.asarray(X, dtype=np.float64)
    # Divide by the largest entry first, so that squares do not overflow.
    largest = np.abs(X).max(axis=1, keepdims=True)
    X = np.divide(X, largest, out=np.zeros_like(X), where=largest > 0.0)
    length = np.sqrt(np.einsum("if,if->i", X, X))[:, None]
    return np.divide(X, length, out=np.zeros_like(X), where=length > 0.0)
