"""The result of a solver."""

from dataclasses import dataclass

from fuzzypairs._typing import Floats, Ints


@dataclass(frozen=True, eq=False)
class RunResult:
    """The result of one run of Algorithm 1."""

    centers: Floats  # (n_clusters, n_features)
    constrained: Floats  # (n_constrained, n_clusters) memberships
    objective: float  # eq. (5) at `centers` and the best memberships for them
    history: Floats  # (n_accepted,) objectives of the accepted passes
    n_clusters_history: Ints  # (n_accepted,) number of clusters at each of them
    n_iter: int  # number of passes, those of rejected proposals included
    converged: bool
