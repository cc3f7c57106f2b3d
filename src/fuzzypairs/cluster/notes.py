"""Warnings about a fit: no convergence, clusters that vanished or coincide."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from fuzzypairs.cluster.defaults import alpha_at, parting_fuzzifier
from fuzzypairs.exceptions import ClustersVanishedWarning, PrototypesCoincideWarning

__all__ = ["Note", "Outcome", "notes_on"]

# A message and the kind of warning it is.
Note = tuple[str, type[Warning]]


class Outcome(NamedTuple):
    """The result of the best run of a fit."""

    converged: bool
    n_iter: int
    n_clusters: int
    alpha: float
    fuzzifier: float
    share: float | None  # lam1, see `fuzzypairs.cluster.defaults`
    collapse_gain: float
    together: tuple[int, int] | None  # clusters whose prototypes coincide
    are_labels_split: bool  # whether labels split their samples, see `labels_apart`


def notes_on(model: Any, outcome: Outcome) -> Iterator[Note]:
    """Yield the warnings about a fit with the parameters of `model`."""
    if not outcome.converged:
        yield (
            f"the best run did not converge in {outcome.n_iter} passes, with "
            f"max_iter={model.max_iter} and tol={model.tol:g}; raise one of them",
            ConvergenceWarning,
        )
    k = outcome.n_clusters
    n_lost = model.n_clusters - k
    if n_lost > 0 and (why := model._why_vanished(k, outcome.alpha)):
        yield (
            f"{n_lost} of n_clusters={model.n_clusters} clusters vanished and "
            f"{k} are left: {why}",
            ClustersVanishedWarning,
        )
    if outcome.together is not None:
        first, second = outcome.together
        split = (
            ", and labels split their samples along the direction of largest variation"
            if outcome.are_labels_split
            else ""
        )
        yield (
            f"the prototypes of clusters {first} and {second} coincide, so their "
            f"memberships mean nothing{split}; {_remedy(model, outcome)}",
            PrototypesCoincideWarning,
        )


def _remedy(model: Any, outcome: Outcome) -> str:
    """Return what would separate prototypes that coincide."""
    k, share = outcome.n_clusters, outcome.share
    harder = parting_fuzzifier(share) if share else np.inf
    can_harden = "fuzzifier" in model.get_params() and harder < outcome.fuzzifier
    if not share or not outcome.collapse_gain < 1.0:
        lower = f", or fuzzifier to {harder:.3g}" if can_harden else ""
        return (
            "X may have fewer distinct groups, or the judgements pull them "
            f"together: lower n_clusters or beta{lower}"
        )
    critical = alpha_at(1.0, share, k, outcome.fuzzifier)
    # Where alpha is "auto", such values made clusters vanish.
    is_auto = isinstance(model.alpha, str)
    remedies = [] if is_auto else [f"an alpha above {critical:.3g}"]
    remedies += [f"a fuzzifier of {harder:.3g}"] if can_harden else []
    return f"with n_clusters={k}, {' or '.join(remedies)} would separate them"
