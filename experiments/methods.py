"""The methods of the experiment on judgements: one table, to be edited here alone."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from experiments import other_peers
from experiments.peers import MPCKMeans, PCKMeans
from fuzzypairs import FDC, PCCA, FuzzyCMeans, GuidedFDC, PairSet

__all__ = ["METHODS", "Fitted", "Method", "Problem"]


@dataclass(frozen=True, eq=False)
class Problem:
    """Data with judgements, and the truth to score by.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
        Classes, used by the upper bounds, and by COBRAS for the answers it asks.
    pairs : PairSet
    seed : int
        Decides the starts.
    wrong : float
        The share of wrong judgements, for those who ask their own.
    new : ndarray of shape (n_new, n_features)
        Rows to predict.
    """

    X: np.ndarray
    y: np.ndarray
    pairs: PairSet
    seed: int
    wrong: float = 0.0
    new: np.ndarray = field(default_factory=lambda: np.empty((0, 0)))

    @property
    def n_classes(self) -> int:
        """Number of classes, which all methods are given."""
        return len(np.unique(self.y))


@dataclass(frozen=True, eq=False)
class Fitted:
    """Labels, and what else there is to score: memberships, reliability of pairs."""

    labels: np.ndarray
    memberships: np.ndarray | None = None
    reliability: np.ndarray | None = None


@dataclass(frozen=True)
class Method:
    """How to fit, and how often.

    Attributes
    ----------
    fit : callable
        From a `Problem` to what was `Fitted`.
    judged : bool
        Whether it takes judgements.
    everywhere : bool
        Whether it is run in all conditions; slow ones are not.
    new_rows : bool
        Whether rows are scored by fits that they were left out of, a fifth at a time.
    """

    fit: Callable[[Problem], Fitted]
    judged: bool = True
    everywhere: bool = True
    new_rows: bool = False


def _estimator(make: Callable[..., Any], problem: Problem, **more: Any) -> Fitted:
    """Fit one of our estimators."""
    model = make(problem.n_classes, random_state=problem.seed, **more)
    model.fit(problem.X, pairs=problem.pairs)
    reliability = getattr(model, "pair_reliability_", None)
    return Fitted(model.labels_, getattr(model, "memberships_", None), reliability)


def _unjudged(problem: Problem) -> Fitted:
    model = FuzzyCMeans(problem.n_classes, random_state=problem.seed).fit(problem.X)
    return Fitted(model.labels_, model.memberships_)


def _predicted(problem: Problem) -> Fitted:
    model = GuidedFDC(problem.n_classes, random_state=problem.seed)
    U = model.fit(problem.X, pairs=problem.pairs).predict_proba(problem.new)
    return Fitted(U.argmax(axis=1), U)


def _peer(fit: Callable[..., np.ndarray], problem: Problem) -> Fitted:
    return Fitted(fit(problem.X, problem.pairs, problem.n_classes, problem.seed))


def _asked(problem: Problem) -> Fitted:
    n = len(problem.pairs)
    return Fitted(
        other_peers.cobras(problem.X, problem.y, n, problem.wrong, problem.seed)
    )


def _bound(problem: Problem) -> Fitted:
    return Fitted(
        other_peers.classifier_bound(problem.X, problem.y, problem.pairs, problem.seed)
    )


def _own(make: Callable[..., Any], **more: Any) -> Callable[[Problem], Fitted]:
    return partial(_estimator, make, **more)


# docs/judgements.md says what each row is.
METHODS: dict[str, Method] = {
    "k-means": Method(partial(_peer, other_peers.kmeans), judged=False),
    "FCM": Method(_unjudged, judged=False),
    "PCCA": Method(_own(PCCA, beta="auto")),
    "FDC": Method(_own(FDC)),
    "GuidedFDC": Method(_own(GuidedFDC)),
    "GuidedFDC, new rows": Method(_predicted, new_rows=True, everywhere=False),
    "PCK-means": Method(_own(PCKMeans), everywhere=False),
    "MPCK-means": Method(_own(MPCKMeans, n_init=2), everywhere=False),
    "COP-means": Method(partial(_peer, other_peers.cop_kmeans), everywhere=False),
    "ITML + k-means": Method(partial(_peer, other_peers.itml), everywhere=False),
    "MMC + k-means": Method(partial(_peer, other_peers.mmc), everywhere=False),
    "COBRAS": Method(_asked, everywhere=False),
    "spectral": Method(partial(_peer, other_peers.spectral), everywhere=False),
    "self-training": Method(partial(_peer, other_peers.self_training)),
    "Gaussian mixture": Method(partial(_peer, other_peers.gaussian_mixture)),
    "classifier (bound)": Method(_bound, everywhere=False),
}
