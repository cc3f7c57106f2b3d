"""Memberships as a function of features, by maximum likelihood of judgements."""

from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_array

from fuzzypairs._typing import Floats, Labels
from fuzzypairs.pairs import PairSet
from fuzzypairs.threads import one_blas_thread

__all__ = ["Objective", "softmax"]

# Logits that the start gives to the cluster of a sample, over the others.
FIRST_MARGIN = 4.0
# Relative tolerance of the objective; a smaller one does not change labels.
TOLERANCE = 1e-5
MAX_ITER = 150
# Overlaps are kept this far from 0 and 1, where the likelihood is unbounded.
NEAREST = 1e-9


def softmax(Z: Floats) -> Floats:
    """Return rows on the simplex, in proportion to exp(Z)."""
    out: Floats = Z - Z.max(axis=-1, keepdims=True)
    np.exp(out, out=out)
    out /= out.sum(axis=-1, keepdims=True)
    return out


class Objective:
    """What coefficients W of memberships v(x) = softmax([f(x), 1] W) minimise.

    Over judgements (p, q, s) and samples i of `rows` this is

        - sum_pairs |s| log P(judgement)  -  prior * mean_i sum_h t_ih log v_h(x_i)
        + ridge / 2 * |W|^2

    where two samples are judged alike with probability v_p.v_q, or, as judgements may
    be wrong, ``doubt + (1 - 2 doubt) v_p.v_q``. The second term decides where there
    are no judgements: it favours the clusters t that the samples form without them, as
    `prior` more judgements of full strength would. Features, (n_samples, n_features),
    have mean square length about 1; `target`, (len(rows), n_clusters), holds t, rows
    on the simplex; `weight` are sample weights in the second term.
    """

    def __init__(
        self,
        features: Floats,
        pairs: PairSet,
        target: Floats,
        *,
        prior: float,
        ridge: float,
        doubt: float,
        rows: Labels,
        weight: Floats | None = None,
    ) -> None:
        judged, ends = np.unique(
            np.concatenate([pairs.i, pairs.j]), return_inverse=True
        )
        self.judged, self.n_judged = judged, len(judged)
        self.left, self.right = np.split(ends, 2)
        # Sums the gradients of the judgements of each judged sample.
        self.gather = csr_array(
            (np.ones(len(ends)), (ends, np.arange(len(ends)))),
            shape=(self.n_judged, len(ends)),
        )
        self.strength, self.is_alike = np.abs(pairs.grade), pairs.grade > 0
        self.doubt = doubt
        taken = features[np.concatenate([judged, rows])]
        self.inputs = np.column_stack([taken, np.ones(len(taken))])
        self.shape = (self.inputs.shape[1], target.shape[1])
        self.target = target
        share = np.ones(len(rows)) if weight is None else weight[rows]
        self.share = prior * (share / share.sum())[:, None]
        # The constant is nearly free: it sets how large clusters are.
        self.ridge = np.full((self.shape[0], 1), ridge)
        self.ridge[-1] *= 1e-3

    def minimise(self, labels: Labels | None = None) -> Floats:
        """Return the best W found from `start`, shape (n_features + 1, n_clusters)."""
        # Hundreds of products of thin matrices: BLAS threads would mostly wait for
        # each other, most of all where folds are fitted in parallel.
        with one_blas_thread():
            found = minimize(
                self,
                self.start(labels).ravel(),
                jac=True,
                method="L-BFGS-B",
                options={"maxiter": MAX_ITER, "ftol": TOLERANCE},
            )
        return np.asarray(found.x.reshape(self.shape))

    def start(self, labels: Labels | None = None) -> Floats:
        """Return the coefficients whose memberships follow the target.

        They also follow `labels`, the clusters of judged samples, (n_samples,), -1
        where none is known. Otherwise two classes that share a cluster of the target
        would mostly stay in it: the likelihood has local maxima.
        """
        k = self.shape[1]
        B, target, share = self.inputs[self.n_judged :], self.target, self.share
        if labels is not None:
            known = np.flatnonzero(labels[self.judged] >= 0)
            B = np.concatenate([B, self.inputs[known]])
            target = np.concatenate([target, np.eye(k)[labels[self.judged[known]]]])
            share = np.concatenate([share, np.ones((len(known), 1))])
        normal = B.T @ (share * B) + np.diag(self.ridge[:, 0])
        logits = FIRST_MARGIN * (target - 1.0 / k)
        return np.linalg.solve(normal, B.T @ (share * logits))

    def __call__(self, flat: Floats) -> tuple[float, Floats]:
        """Return the value and its gradient at coefficients laid flat."""
        W = flat.reshape(self.shape)
        V = softmax(self.inputs @ W)
        judged, others = V[: self.n_judged], V[self.n_judged :]
        left, right = judged[self.left], judged[self.right]
        overlap = np.einsum("ij,ij->i", left, right).clip(NEAREST, 1.0 - NEAREST)
        sure = 1.0 - 2.0 * self.doubt
        alike = self.doubt + sure * overlap
        likelihood = np.where(self.is_alike, alike, 1.0 - alike)
        value = -(self.strength @ np.log(likelihood))
        value -= (self.share * self.target * np.log(others + NEAREST)).sum()
        value += 0.5 * (self.ridge * W**2).sum()

        # Derivatives by overlaps, then by memberships, logits and coefficients.
        by_overlap = -sure * self.strength / likelihood
        by_overlap = np.where(self.is_alike, by_overlap, -by_overlap)[:, None]
        by_v: Any = self.gather @ np.concatenate(
            [by_overlap * right, by_overlap * left]
        )
        by_logit = np.empty_like(V)
        by_logit[: self.n_judged] = judged * (
            by_v - np.einsum("ij,ij->i", by_v, judged)[:, None]
        )
        by_logit[self.n_judged :] = self.share * (others - self.target)
        gradient = self.inputs.T @ by_logit + self.ridge * W
        return float(value), gradient.ravel()
