"""Memberships as a function of features, learned from judgements."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_array
from threadpoolctl import threadpool_limits

from fuzzypairs._typing import Floats
from fuzzypairs.pairs import PairSet

__all__ = ["softmax", "teach"]


# Logits that the first guess gives to the cluster a sample is in, over the others.
FIRST_MARGIN = 4.0
# The likelihood is found to this share, which labels do not feel.
TOLERANCE = 1e-5
MAX_ITER = 150
# Overlaps are kept this far from 0 and 1, where the likelihood has no bound.
NEAREST = 1e-9


def softmax(Z: Floats) -> Floats:
    """Return rows on the simplex, in proportion to exp(Z).

    Examples
    --------
    >>> softmax(np.array([[0.0, 0.0], [800.0, 0.0]]))
    array([[0.5, 0.5],
           [1. , 0. ]])
    """
    out: Floats = Z - Z.max(axis=1, keepdims=True)
    np.exp(out, out=out)
    out /= out.sum(axis=1, keepdims=True)
    return out


def teach(
    features: Floats,
    pairs: PairSet,
    labels: NDArray[np.intp],
    *,
    prior: float,
    ridge: float,
    doubt: float,
    rows: NDArray[np.intp],
    weight: Floats | None = None,
) -> Floats:
    """Return coefficients W of memberships v(x) = softmax([f(x), 1] W).

    They minimise, over judgements (p, q, s) and samples i of `rows`,

        - sum_pairs |s| log P(judgement)  -  prior * mean_i log v(x_i)[label of i]
        + ridge / 2 * |W|^2

    where two samples are found alike with probability v_p.v_q, or, as people err, with
    ``doubt + (1 - 2 doubt) v_p.v_q``. The second term is what holds where judgements
    say nothing: the clusters that the samples form by themselves, as if `prior` more
    judgements of full strength were for them.

    Parameters
    ----------
    features : ndarray of shape (n_samples, n_features)
        Of mean square length about 1.
    pairs : PairSet
    labels : ndarray of shape (n_samples,)
        Clusters from 0 without a gap.
    prior, ridge : float > 0
    doubt : float in [0, 0.5)
    rows : ndarray of int
        The samples that stand for all in the second term.
    weight : ndarray of shape (n_samples,), default=None
        Sample weights in the second term.

    Returns
    -------
    W : ndarray of shape (n_features + 1, n_clusters)

    Examples
    --------
    >>> line = np.arange(6.0)[:, None] / 3
    >>> judged = PairSet.from_triples([(0, 2, -1.0), (3, 5, 1.0), (2, 3, 1.0)])
    >>> W = teach(line, judged, np.array([0, 0, 0, 1, 1, 1]), prior=0.5, ridge=0.01,
    ...           doubt=0.0, rows=np.arange(6))
    >>> (line @ W[:1] + W[1]).argmax(axis=1)
    array([0, 0, 1, 1, 1, 1])
    """
    # Hundreds of products of thin matrices: BLAS threads would wait for each other
    # far longer than they work, most of all where folds are taught side by side.
    with threadpool_limits(1, "blas"):
        objective = Objective(
            features, pairs, labels, prior, ridge, doubt, rows, weight
        )
        found = minimize(
            objective,
            objective.first().ravel(),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": MAX_ITER, "ftol": TOLERANCE},
        )
    return np.asarray(found.x.reshape(objective.shape))


class Objective:
    """The value and the gradient of what `teach` minimises."""

    def __init__(
        self,
        features: Floats,
        pairs: PairSet,
        labels: NDArray[np.intp],
        prior: float,
        ridge: float,
        doubt: float,
        rows: NDArray[np.intp],
        weight: Floats | None,
    ) -> None:
        judged, ends = np.unique(
            np.concatenate([pairs.i, pairs.j]), return_inverse=True
        )
        self.n_judged = len(judged)
        self.left, self.right = np.split(ends, 2)
        # Adds up what the judgements ask of each judged sample.
        self.gather = csr_array(
            (np.ones(len(ends)), (ends, np.arange(len(ends)))),
            shape=(self.n_judged, len(ends)),
        )
        self.strength, self.is_alike = np.abs(pairs.grade), pairs.grade > 0
        self.doubt = doubt
        taken = features[np.concatenate([judged, rows])]
        self.inputs = np.column_stack([taken, np.ones(len(taken))])
        n_clusters = int(labels.max()) + 1
        self.shape = (self.inputs.shape[1], n_clusters)
        self.target = np.eye(n_clusters)[labels[rows]]
        share = np.ones(len(rows)) if weight is None else weight[rows]
        self.share = prior * (share / share.sum())[:, None]
        # The constant is free: it is how large clusters are.
        self.ridge = np.full((self.shape[0], 1), ridge)
        self.ridge[-1] *= 1e-3

    def first(self) -> Floats:
        """Return the coefficients whose memberships follow the labels."""
        B = self.inputs[self.n_judged :]
        normal = B.T @ (self.share * B) + np.diag(self.ridge[:, 0])
        aim = FIRST_MARGIN * (self.target - 1.0 / self.shape[1])
        return np.linalg.solve(normal, B.T @ (self.share * aim))

    def __call__(self, flat: Floats) -> tuple[float, Floats]:
        """Return the value and its gradient at coefficients laid flat."""
        W = flat.reshape(self.shape)
        V = softmax(self.inputs @ W)
        judged, others = V[: self.n_judged], V[self.n_judged :]
        left, right = judged[self.left], judged[self.right]
        overlap = np.einsum("ij,ij->i", left, right).clip(NEAREST, 1.0 - NEAREST)
        sure = 1.0 - 2.0 * self.doubt
        alike = self.doubt + sure * overlap
        held = np.where(self.is_alike, alike, 1.0 - alike)
        value = -(self.strength @ np.log(held))
        value -= (self.share * self.target * np.log(others + NEAREST)).sum()
        value += 0.5 * (self.ridge * W**2).sum()

        pull = -sure * self.strength / held
        pull = np.where(self.is_alike, pull, -pull)[:, None]
        wanted: Any = self.gather @ np.concatenate([pull * right, pull * left])
        slope = np.empty_like(V)
        slope[: self.n_judged] = judged * (
            wanted - np.einsum("ij,ij->i", wanted, judged)[:, None]
        )
        slope[self.n_judged :] = self.share * (others - self.target)
        gradient = self.inputs.T @ slope + self.ridge * W
        return float(value), gradient.ravel()
