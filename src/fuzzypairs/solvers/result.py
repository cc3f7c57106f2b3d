"""What solvers return."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from fuzzypairs._typing import Floats, Ints

__all__ = ["RunResult"]


@dataclass(frozen=True, eq=False)
class RunResult:
    """What one run of Algorithm 1 found.

    Attributes
    ----------
    centers : ndarray of shape (n_clusters, n_features)
    constrained : ndarray of shape (n_constrained, n_clusters)
        Memberships of the constrained samples.
    objective : float
        Of eq. (5), at `centers` and the memberships that belong to them.
    history : ndarray of shape (n_accepted,)
        Objectives of the accepted passes.
    n_clusters_history : ndarray of shape (n_accepted,)
        Number of clusters at each of them.
    n_iter : int
        Number of passes, those of rejected proposals included.
    converged : bool
    """

    centers: Floats
    constrained: Floats
    objective: float
    history: Floats
    n_clusters_history: Ints
    n_iter: int
    converged: bool

    def after(self, earlier: Self, n_kept: int) -> Self:
        """Return this result with the first `n_kept` accepted passes of another."""
        sizes = earlier.n_clusters_history[:n_kept], self.n_clusters_history
        return replace(
            self,
            history=np.append(earlier.history[:n_kept], self.history),
            n_clusters_history=np.concatenate(sizes),
        )
