"""The interface of spaces: distances to prototypes, and the best prototypes."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import numpy as np

from fuzzypairs._typing import Floats, Labels
from fuzzypairs.spaces.moments import is_sparse
from fuzzypairs.threads import Threads


class Space(ABC):
    """Distances of samples to prototypes, and the prototypes that are best.

    For prototypes P a solver needs the distances ``d(x_i, c_j)`` of eq. (5), and for
    weights W the prototypes

        c_j = argmin over c of  sum_i W_ij d(x_i, c),   sum_i W_ij > 0,

    where single weights may be negative. Starts, spread and prediction follow from
    these. A user's own space defines `between` and `prototypes`, and is passed to an
    estimator as ``metric=MySpace()``.

    Attributes
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        The samples, after `fit`.
    given_weight : ndarray of shape (n_samples,) or None
        Their weights; see also `weight`.
    notes : tuple of str
        Messages of `fit`, which estimators issue as warnings.

    Notes
    -----
    Prototypes are an array with a row for each cluster: points, or other numbers that
    describe them. Acceleration combines them linearly, and uses `prototypes` if that
    does not decrease the objective. "Distance" is the term of the objective, in
    Euclidean space the squared distance; `natural` converts it to the usual one.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzypairs import FDC
    >>> class Circle(Space):
    ...     '''Angles; prototypes are directions.'''
    ...     def between(self, X, P):
    ...         return 2.0 - 2.0 * np.cos(X - P.T)
    ...     def prototypes(self, W, previous=None):
    ...         return np.arctan2(np.sin(self.X).T @ W, np.cos(self.X).T @ W).T
    >>> hours = np.array([[23.0], [0.5], [1.0], [11.0], [12.0], [13.5]])
    >>> model = FDC(2, metric=Circle(), random_state=0).fit(hours * np.pi / 12)
    >>> bool(model.labels_[0] == model.labels_[2] != model.labels_[4])
    True
    """

    accepts_sparse: bool = False
    # Whether X is a square matrix of samples against samples.
    pairwise: ClassVar[bool] = False
    # Whether prototypes are points among the samples, stored as cluster_centers_.
    explicit: ClassVar[bool] = True
    # Attributes that `trimmed` drops.
    temporary: ClassVar[tuple[str, ...]] = ("X", "given_weight", "notes", "threads")

    X: Any
    given_weight: Floats | None
    notes: tuple[str, ...] = ()
    threads: Threads = Threads(1)

    def fit(
        self,
        X: Any,
        weight: Floats | None = None,
        *,
        random_state: np.random.RandomState | None = None,
        threads: Threads | None = None,
    ) -> Self:
        """Return a copy of this space with the samples X.

        Parameters
        ----------
        weight : ndarray of shape (n_samples,), default=None
            Sample weights; None is one each.
        random_state : RandomState, default=None
            For spaces that draw samples or features.
        threads : Threads, default=None
            Run over ranges of rows.
        """
        # Faster than copy.copy, which takes a tenth of a small fit.
        space = object.__new__(type(self))
        vars(space).update(vars(self))
        space.X = X
        space.given_weight = weight
        space.threads = Threads(1) if threads is None else threads
        return space

    @property
    def weight(self) -> Floats:
        """Weights of the samples, one each if none were given."""
        # Not stored: it would take as much memory as a feature.
        if self.given_weight is None:
            return np.ones(self.n_samples)
        return self.given_weight

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return int(self.X.shape[0])

    @abstractmethod
    def between(self, X: Any, P: Floats) -> Floats:
        """Return the distances of any rows X to prototypes P, shape (n_rows, k)."""

    @abstractmethod
    def prototypes(self, W: Floats, previous: Floats | None = None) -> Floats:
        """Return the best prototypes, k rows, for weights W of shape (n_samples, k).

        They must not be worse than the `previous` ones, if given.
        """

    def distances(self, P: Floats) -> Floats:
        """Return the distances of the samples to prototypes P, (n_samples, k)."""
        return self.between(self.X, P)

    def at_samples(self, rows: Labels) -> Floats:
        """Return the samples `rows` as prototypes."""
        chosen = self.X[rows]
        dense = chosen.toarray() if is_sparse(chosen) else chosen
        return np.asarray(dense, dtype=np.float64)

    def distances_to_samples(self, rows: Labels) -> Floats:
        """Return the distances of all samples to the samples `rows`."""
        return self.distances(self.at_samples(rows))

    def spread(self) -> float:
        """Return the mean distance to the best single prototype; 1 if that is 0."""
        center = self.prototypes(self.weight[:, None])
        distance = self.distances(center)[:, 0]
        return float(self.weight @ distance / self.weight.sum()) or 1.0

    def step_unit(self, n_clusters: int) -> float:
        """Return the unit of squared steps of prototypes."""
        center = self.prototypes(self.weight[:, None])
        gap = np.asarray(self.X, dtype=np.float64) - center
        squared = np.einsum("if,if->i", gap, gap)
        return float(self.weight @ squared / self.weight.sum()) or 1.0

    def leading_share(self) -> float | None:
        """Return lam1 of `fuzzypairs.cluster.defaults`; None if unknown."""
        return None

    def natural(self, distance: Floats) -> Floats:
        """Return the usual distance from the one in the objective."""
        return distance

    def points(self, P: Floats) -> Floats:
        """Return explicit prototypes in the coordinates of the samples as given."""
        return P

    def trimmed(self, P: Floats) -> tuple[Self, Floats]:
        """Return a copy with what `between` needs, and the prototypes for it."""
        space = object.__new__(type(self))
        for name, value in vars(self).items():
            if name not in self.temporary:
                setattr(space, name, value)
        return space, P
