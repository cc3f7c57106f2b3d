"""What a run of a solver returns, and notes on its way."""

from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from fuzzypairs._typing import Floats

__all__ = ["NOWHERE", "MemResult", "Settled"]


@dataclass(frozen=True, eq=False)
class MemResult:
    """What one run found.

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
    spread : float
        Root mean square distance of the samples to their mean.
    last_plain : tuple of centers and constrained memberships, or None
        Of the pass at which a long run began to be accelerated; centred.
    tried : ndarray of shape (n_clusters, n_features)
        Where groups last tried other starts, or need not try them again; infinite if
        they did not; centred.
    """

    centers: Floats
    constrained: Floats
    objective: float
    history: Floats
    n_clusters_history: NDArray[np.int64]
    n_iter: int
    converged: bool
    spread: float
    last_plain: tuple[Floats, Floats] | None
    tried: Floats

    def after(self, before: Self, n_kept: int) -> Self:
        """Return this result with the first `n_kept` accepted passes of another."""
        sizes = before.n_clusters_history[:n_kept], self.n_clusters_history
        return replace(
            self,
            history=np.append(before.history[:n_kept], self.history),
            n_clusters_history=np.concatenate(sizes),
        )


class Settled(NamedTuple):
    """Where a run settled before its groups tried other starts."""

    C: Floats
    U: Floats
    objective: float


NOWHERE = Settled(np.empty((0, 0)), np.empty((0, 0)), np.inf)
