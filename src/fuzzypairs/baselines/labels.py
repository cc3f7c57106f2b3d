"""The base of estimators with hard labels, which need all distances at once."""

import warnings
from abc import abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import validate_data

from fuzzypairs._typing import Floats
from fuzzypairs.cluster.checked import store
from fuzzypairs.cluster.notes import Note
from fuzzypairs.pairs import PairSet
from fuzzypairs.threads import one_blas_thread
from fuzzypairs.validation import check_bytes, check_kind, check_room, naming

__all__ = ["LabelClusterer"]


class LabelClusterer(ClusterMixin, BaseEstimator):
    """Checks X and pairs, clusters them, and stores the result.

    Subclasses declare their parameters in ``__init__``, among them `memory`.
    """

    memory: str | int
    _least_samples: ClassVar[int] = 1

    def fit(self, X: ArrayLike, y: object = None, *, pairs: Any = None) -> Self:
        """Find clusters of X under the judgements `pairs`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data, or (n_samples, n_samples) affinities where the method takes them.
        y : ignored
        pairs : PairSet, triples (i, j, grade), array, sparse matrix or DataFrame
            Judgements of rows of X; see `PairSet.coerce`. None: no judgements.

        Returns
        -------
        self : estimator
        """
        self._check_parameters()
        allowed = check_bytes("memory", self.memory)
        # On a new model: a fit that fails does not change this one.
        blank = type(self)()
        least = self._least_samples
        with naming("X"):
            check_kind("X", X)
            data = validate_data(blank, X, dtype=np.float64, ensure_min_samples=least)
        judged = PairSet.coerce(pairs, len(data)).merged
        needed = self._bytes_needed(*data.shape)
        check_room(type(self).__name__, len(data), needed, allowed)
        # Weights that vanish underflow.
        with np.errstate(all="ignore"), one_blas_thread():
            learned, notes = self._cluster(data, judged)
        learned |= {n: v for n, v in vars(blank).items() if n.endswith("_in_")}
        store(self, **learned)
        for message, category in notes:
            warnings.warn(message, category, stacklevel=2)
        return self

    @abstractmethod
    def _check_parameters(self) -> None: ...

    @abstractmethod
    def _bytes_needed(self, n_samples: int, n_features: int) -> int:
        """Return the largest memory of all matrices together."""

    @abstractmethod
    def _cluster(self, X: Floats, pairs: PairSet) -> tuple[dict[str, Any], list[Note]]:
        """Return the fitted attributes and warnings."""
