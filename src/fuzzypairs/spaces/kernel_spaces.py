"""Spaces defined by inner products of samples: kernels and precomputed matrices.

A prototype is the combination ``c_j = sum_i v_ji phi(x_i)`` of samples, eq. (26); its
row of P has the coefficients v_j, which sum to one. All distances follow from the
products K V, eq. (27).
"""

from abc import abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from fuzzypairs._typing import Floats, Labels
from fuzzypairs.spaces.kernel_functions import Kernel
from fuzzypairs.spaces.moments import leading_eigenvalue, over_positive
from fuzzypairs.spaces.space import Space
from fuzzypairs.threads import cut, over_ranges

# Default of metric_params["memory"], in bytes.
MEMORY = 10**9
LARGEST_TILE = 768
SMALLEST_TILE = 32
# Number of parts in which products by tiles are summed, for any number of threads.
N_PARTS = 8
# Eigenvalues are computed for a matrix of at most this many samples.
MOST_EIGENVALUES = 1000
# A negative eigenvalue beyond this share of the largest is more than rounding.
INDEFINITE = 1e-8


class GramSpace(Space):
    """Base of spaces that are defined by the matrix K of inner products."""

    explicit: ClassVar[bool] = False
    temporary: ClassVar[tuple[str, ...]] = (*Space.temporary, "diagonal")

    diagonal: Floats
    # Added to the diagonal of K if K is not positive semi-definite.
    shift: float = 0.0
    # c_j . c_j of the prototypes, once trimmed.
    lengths: Floats

    @abstractmethod
    def product(self, V: Floats) -> Floats:
        """Return K V for V of shape (n_samples, k), without the shift."""

    @abstractmethod
    def columns(self, rows: Labels) -> Floats:
        """Return K[:, rows]."""

    def distances(self, P: Floats) -> Floats:
        """Return K_ii - 2 (K v_j)_i + v_j' K v_j, eq. (27)."""
        KV, lengths = self._products(P)
        own = self.diagonal + self.shift
        return np.asarray(np.maximum(own[:, None] - 2.0 * KV + lengths, 0.0))

    def distances_to_samples(self, rows: Labels) -> Floats:
        """Return the distances of all samples to some."""
        gap = self.diagonal[:, None] - 2.0 * self.columns(rows) + self.diagonal[rows]
        gap += 2.0 * self.shift
        gap[rows, np.arange(len(rows))] = 0.0
        return np.maximum(gap, 0.0)

    def prototypes(self, W: Floats, previous: Floats | None = None) -> Floats:
        """Return coefficients W over their sum, eq. (26)."""
        return np.ascontiguousarray((W / W.sum(axis=0)).T)

    def at_samples(self, rows: Labels) -> Floats:
        """Return coefficients that are one at a sample."""
        P = np.zeros((len(rows), self.n_samples))
        P[np.arange(len(rows)), rows] = 1.0
        return P

    def step_unit(self, n_clusters: int) -> float:
        """Return the squared length of coefficients spread over one cluster's share."""
        return n_clusters / self.n_samples

    def natural(self, distance: Floats) -> Floats:
        """Return the root."""
        return np.sqrt(distance)

    def leading_share(self) -> float:
        """Return lam1 from the centred matrix of a sample of the data."""
        rows, weight = self._subset(), self.weight
        K = self._among(rows) + self.shift * np.eye(len(rows))
        share = weight[rows] / weight[rows].sum()
        K = centred(K, share)
        inverse = np.sqrt(over_positive(share, K.diagonal()))
        K *= inverse[:, None] * inverse
        return min(1.0, leading_eigenvalue(lambda v: K @ v, len(K)))

    def trimmed(self, P: Floats) -> tuple[Self, Floats]:
        """Store the lengths of the prototypes, and drop the matrix."""
        space, P = super().trimmed(P)
        space.lengths = self._products(P)[1]
        return space, P

    def _products(self, P: Floats) -> tuple[Floats, Floats]:
        """Return K v_j, shape (n_samples, k), and v_j' K v_j of prototypes."""
        V = np.ascontiguousarray(P.T)
        KV = self.product(V) + self.shift * V
        return KV, np.einsum("ij,ij->j", V, KV)

    def _from(self, own: Floats, cross: Floats, P: Floats) -> Floats:
        """Return distances of new rows from k(x, x) and k(x, samples)."""
        out = (own + self.shift)[:, None] - 2.0 * (cross @ P.T) + self.lengths
        return np.maximum(out, 0.0)

    def _subset(self) -> Labels:
        """Return rows that eigenvalues are computed for."""
        rows = np.random.default_rng(0).permutation(self.n_samples)
        return np.sort(rows[:MOST_EIGENVALUES])

    def _among(self, rows: Labels) -> Floats:
        return self.columns(rows)[rows]

    def _shift_if_indefinite(self, what: str, *, centre: bool) -> None:
        """Shift the diagonal of K until it is positive semi-definite; add a note.

        The shift adds a constant to all distances between different samples. Without
        it the objective may increase.
        """
        rows = self._subset()
        K = self._among(rows)
        share = np.full(len(K), 1.0 / len(K))
        K = centred(K, share) if centre else K
        values = np.linalg.eigvalsh(K)
        if values[0] >= -INDEFINITE * max(values[-1], 0.0):
            return
        smallest = values[0]
        if len(rows) < self.n_samples:
            smallest = min(smallest, self._smallest_eigenvalue(centre))
        self.shift = -1.01 * float(smallest)
        self.notes = (
            f"{what}: its smallest eigenvalue is {smallest:.3g} and its largest "
            f"{values[-1]:.3g}. {self.shift:.3g} is added to its diagonal, so that "
            "distances exist and the objective decreases; memberships become fuzzier",
        )

    def _smallest_eigenvalue(self, centre: bool) -> float:
        size = self.n_samples

        def multiply(v: Floats) -> Floats:
            v = v.reshape(-1, 1)
            if centre:
                v = v - v.mean()
            out = self.product(v)
            return np.asarray(out - out.mean() if centre else out)

        operator = LinearOperator((size, size), matvec=multiply, dtype=np.float64)
        v0 = np.random.default_rng(0).standard_normal(size)
        options: dict[str, Any] = {"k": 1, "which": "SA", "v0": v0, "tol": 1e-2}
        try:
            found = eigsh(operator, **options, return_eigenvectors=False)
        except ArpackNoConvergence as error:
            found = np.real(error.eigenvalues)
        return float(min(found, default=0.0))


class KernelSpace(GramSpace):
    """The feature space of a kernel, with implicit prototypes: eqs. (25) to (29).

        d(x, c_j) = k(x, x) - 2 sum_i v_ji k(x_i, x) + sum_il v_ji v_jl k(x_i, x_l)

    A step is one product with the kernel matrix, O(n_samples^2 (n_features + k)). The
    matrix is stored if it fits in `memory` bytes; otherwise its tiles are computed in
    each step and, as the matrix is symmetric, used twice.
    """

    gram: Floats | None

    def __init__(self, kernel: Kernel, memory: int = MEMORY) -> None:
        self.kernel = kernel
        self.memory = memory
        self.accepts_sparse = kernel.accepts_sparse

    def fit(self, X: Any, weight: Floats | None = None, **more: Any) -> Self:
        """Store the samples, and their kernel matrix if it fits."""
        space = super().fit(X, weight, **more)
        space.kernel = self.kernel.fit(X, weight)
        space.diagonal = space.kernel.diagonal(X)
        space.gram = None
        if 8 * space.n_samples**2 <= self.memory:
            space.gram = space._full()
        if not space.kernel.positive:
            space._shift_if_indefinite("metric is not a positive kernel", centre=False)
        return space

    @property
    def tile_size(self) -> int:
        """Rows and columns of a tile; two fit in each part of the memory."""
        fits = int(np.sqrt(self.memory / (8 * 2 * N_PARTS)))
        return max(SMALLEST_TILE, min(LARGEST_TILE, fits))

    def product(self, V: Floats) -> Floats:
        """Return K V, from the stored matrix or tile by tile."""
        if self.gram is not None:
            return rows_product(self.threads, self.gram, V)
        n_blocks = len(self._blocks())
        parts = [(first, V) for first in range(min(N_PARTS, n_blocks))]
        return np.asarray(np.sum(self.threads.map(self._part, parts), axis=0))

    def columns(self, rows: Labels) -> Floats:
        """Return the kernel of all samples and some."""
        if self.gram is not None:
            return self.gram[:, rows]
        some = self.X[rows]
        blocks = [(self.X[a:b], some) for a, b in self._blocks()]
        return np.concatenate(self.threads.map(self.kernel.block, blocks))

    def between(self, X: Any, P: Floats) -> Floats:
        """Return distances of any rows to trimmed prototypes, (n_rows, k)."""
        spans = over_ranges(cut(X.shape[0], self.tile_size, most=X.shape[0]))

        def some(a: int, b: int) -> Floats:
            rows = X[a:b]
            cross = self.kernel.block(rows, self.X)
            return self._from(self.kernel.diagonal(rows), cross, P)

        return np.concatenate(self.threads.map(some, spans))

    def trimmed(self, P: Floats) -> tuple[Self, Floats]:
        """Store only the samples with coefficients other than 0."""
        made_of = np.abs(P).max(axis=0) > 1e-15 * np.abs(P).max()
        support = self.X[made_of].copy()
        space, P = super().trimmed(P)
        space.X, space.gram = support, None
        return space, np.ascontiguousarray(P[:, made_of])

    def _among(self, rows: Labels) -> Floats:
        some = self.X[rows]
        return self.kernel.block(some, some)

    def _blocks(self) -> list[tuple[int, int]]:
        return over_ranges(cut(self.n_samples, self.tile_size, most=self.n_samples))

    def _full(self) -> Floats:
        """Compute the matrix, each tile once for both of its places."""
        gram = np.empty((self.n_samples, self.n_samples))
        blocks = self._blocks()

        def fill(first: int) -> None:
            a, b = blocks[first]
            for c, d in blocks[first:]:
                tile = self.kernel.block(self.X[a:b], self.X[c:d])
                gram[a:b, c:d] = tile
                if a != c:
                    gram[c:d, a:b] = tile.T

        self.threads.map(fill, [(i,) for i in range(len(blocks))])
        np.fill_diagonal(gram, self.diagonal)
        return gram

    def _part(self, first: int, V: Floats) -> Floats:
        """Multiply every N_PARTS-th row of tiles by V, from the diagonal on."""
        out = np.zeros(V.shape)
        blocks = self._blocks()
        for row in range(first, len(blocks), N_PARTS):
            a, b = blocks[row]
            for c, d in blocks[row:]:
                tile = self.kernel.block(self.X[a:b], self.X[c:d])
                if a == c:
                    np.fill_diagonal(tile, self.diagonal[a:b])
                else:
                    out[c:d] += tile.T @ V[a:b]
                out[a:b] += tile @ V[c:d]
        return out


class PrecomputedKernel(GramSpace):
    """A precomputed kernel matrix, ``metric="precomputed_kernel"``.

    New samples are rows of kernel values with the training samples. If k(x, x) is not
    constant, one more column has that of the new samples.
    """

    pairwise: ClassVar[bool] = True

    own: float | None

    def fit(self, X: Any, weight: Floats | None = None, **more: Any) -> Self:
        """Check and store the matrix."""
        check_square(X, 'metric="precomputed_kernel"')
        space = super().fit(X, weight, **more)
        space.diagonal = np.array(X.diagonal(), dtype=np.float64)
        constant = np.allclose(space.diagonal, space.diagonal[0])
        space.own = float(space.diagonal[0]) if constant else None
        space._shift_if_indefinite(
            "X is not a positive semi-definite kernel matrix", centre=False
        )
        return space

    def product(self, V: Floats) -> Floats:
        """Return X V."""
        return rows_product(self.threads, self.X, V)

    def columns(self, rows: Labels) -> Floats:
        """Return columns of X."""
        return np.asarray(self.X[:, rows], dtype=np.float64)

    def between(self, X: Any, P: Floats) -> Floats:
        """Return the distances of rows of kernel values, (n_rows, k)."""
        n_samples = P.shape[1]
        if X.shape[1] == n_samples + 1:
            return self._from(X[:, -1], X[:, :-1], P)
        if self.own is None or X.shape[1] != n_samples:
            raise ValueError(
                f"X has {X.shape[1]} columns, expected {n_samples + 1}: kernel values "
                f"with the {n_samples} training samples, then k(x, x) of each new one "
                "(which may be left out if it is the same for all training samples)"
            )
        return self._from(np.full(len(X), self.own), X, P)


class PrecomputedDistances(GramSpace):
    """Distances between samples, ``metric="precomputed"``: the relational form.

    With R the squared distances and coefficients v that sum to one,

        d(x_i, c_j) = (R v_j)_i - v_j' R v_j / 2,

    which is the squared distance to the mean if R comes from points of a Euclidean
    space. New samples are rows of distances to the training samples.
    """

    pairwise: ClassVar[bool] = True

    def fit(self, X: Any, weight: Floats | None = None, **more: Any) -> Self:
        """Check and store the matrix."""
        check_square(X, 'metric="precomputed"')
        wrong = np.flatnonzero(X.diagonal() != 0)
        if X.min() < 0 or len(wrong):
            seen = f"X has the entry {X.min():g}"
            if len(wrong):
                seen = f"X[{wrong[0]}, {wrong[0]}] is {X[wrong[0], wrong[0]]:g}"
            raise ValueError(
                f'{seen}, but metric="precomputed" needs distances: 0 on the diagonal '
                'and 0 or more elsewhere; for similarities use "precomputed_kernel"'
            )
        space = super().fit(X, weight, **more)
        space.diagonal = np.zeros(len(X))
        space._shift_if_indefinite(
            "X is not a matrix of Euclidean distances", centre=True
        )
        return space

    def product(self, V: Floats) -> Floats:
        """Return -R V / 2, squaring the distances a block of rows at a time."""
        return rows_product(self.threads, self.X, V, lambda x: -0.5 * x * x)

    def columns(self, rows: Labels) -> Floats:
        """Return columns of -R / 2."""
        some = np.asarray(self.X[:, rows], dtype=np.float64)
        return -0.5 * some * some

    def between(self, X: Any, P: Floats) -> Floats:
        """Return the distances of rows of distances, (n_rows, k)."""
        rows = np.asarray(X, dtype=np.float64)
        if rows.shape[1] != P.shape[1]:
            raise ValueError(
                f"X has {rows.shape[1]} columns, expected {P.shape[1]}: the distances "
                "to each of the training samples"
            )
        return self._from(np.zeros(len(rows)), -0.5 * rows * rows, P)


def centred(K: Floats, share: Floats) -> Floats:
    """Return products of samples centred at their mean under `share`."""
    row = K @ share
    return np.asarray(K - row[:, None] - row + share @ row)


def rows_product(threads: Any, K: Floats, V: Floats, change: Any = None) -> Floats:
    """Return K V a range of rows at a time, the same for any number of threads."""
    spans = over_ranges(cut(len(K), 256, most=256))

    def some(a: int, b: int) -> Floats:
        rows = K[a:b]
        return np.asarray((rows if change is None else change(rows)) @ V)

    return np.concatenate(threads.map(some, spans))


def check_square(X: Any, setting: str) -> None:
    """Refuse a matrix that is not square and symmetric, which a setting needs."""
    n_rows, n_columns = X.shape
    if n_rows != n_columns:
        raise ValueError(
            f"X has shape ({n_rows}, {n_columns}), but {setting} needs a square matrix "
            "of samples against samples"
        )
    scale = max(float(np.abs(X).max()), 1e-300)
    for a, b in over_ranges(cut(n_rows, 512, most=n_rows)):
        gap = np.abs(X[a:b] - X[:, a:b].T)
        if gap.max() > 1e-6 * scale:
            i, j = np.unravel_index(int(gap.argmax()), gap.shape)
            raise ValueError(
                f"X[{a + i}, {j}] is {X[a + i, j]:g} but X[{j}, {a + i}] is "
                f"{X[j, a + i]:g}; {setting} needs a symmetric matrix"
            )
