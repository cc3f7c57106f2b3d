"""The clusters of judged samples: a random field, solved by belief propagation.

A judgement (p, q, s) compares the clusters of two samples, and is wrong with the
probability e: given the clusters, its sign is that of "the same" with the odds
(1 - e) / e. With what features say of each sample, a_p, the clusters y have the
probability

    P(y)  ~  prod_p a_p(y_p)  prod_(p,q,s) exp(J [y_p = y_q]),   J = +-log((1 - e) / e).

Its marginals are those of judged samples under the features, the judgements of the
sample, those of its partners, and so on.
"""

import numpy as np
from scipy import sparse

from fuzzypairs._typing import Floats, Labels
from fuzzypairs.cluster.views import softmax

__all__ = ["coupling", "marginals"]

MAX_ITER, TOLERANCE = 60, 1e-3
# Part of a message that is taken over from the last round: without it, messages of
# loops may alternate.
DAMPING = 0.3


def coupling(grade: Floats, rate: Floats | float, by_strength: bool) -> Floats:
    """Return J of judgements whose signs are wrong with the probability `rate`.

    Parameters
    ----------
    grade : ndarray of shape (n_pairs,)
    rate : float or ndarray of shape (..., 1) or (n_pairs,)
        Below 1/2.
    by_strength : bool
        Whether J is multiplied by |s|.

    Examples
    --------
    >>> import numpy as np
    >>> coupling(np.array([1.0, -0.5]), 0.1, by_strength=True).round(2)
    array([ 2.2, -1.1])
    """
    sign = grade if by_strength else np.sign(grade)
    return np.asarray(sign * np.log((1.0 - rate) / rate))


def marginals(unary: Floats, i: Labels, j: Labels, J: Floats) -> Floats:
    """Return marginal probabilities of clusters by belief propagation.

    Parameters
    ----------
    unary : ndarray of shape (n_fields, n_rows, n_clusters)
        Log-probabilities of clusters without judgements, of several fields.
    i, j : ndarrays of shape (n_pairs,)
        Rows of the two samples of judgements.
    J : ndarray of shape (n_fields, n_pairs)
        0 for judgements that a field is not given.

    Returns
    -------
    q : ndarray of shape (n_fields, n_rows, n_clusters)

    Examples
    --------
    >>> import numpy as np
    >>> unary = np.log([[[0.9, 0.1], [0.5, 0.5]]])
    >>> q = marginals(unary, np.array([0]), np.array([1]), np.array([[-np.log(4.0)]]))
    >>> q[0].round(2)  # the second is unlike the first, four times of five
    array([[0.9 , 0.1 ],
           [0.26, 0.74]])
    """
    n_fields, n_rows, k = unary.shape
    if not len(i):
        return softmax(unary)
    source, target = np.concatenate([i, j]), np.concatenate([j, i])
    n_edges = len(source)
    back = np.roll(np.arange(n_edges), len(i))  # the edge in the other direction
    # Sums messages at their targets.
    gather = sparse.csr_array(
        (np.ones(n_edges), (target, np.arange(n_edges))), shape=(n_rows, n_edges)
    )
    # Above -1: the logarithm of a message is finite.
    gain = np.expm1(np.concatenate([J, J], axis=1)).clip(-1.0 + 1e-12)[..., None]
    unary = unary - unary.max(axis=-1, keepdims=True)
    # Logarithms of messages, edges first: sums over edges are one product.
    log_m = np.zeros((n_edges, n_fields, k))
    gain, unary = gain.transpose(1, 0, 2), unary.transpose(1, 0, 2)
    mean = np.full(k, 1.0 / k)
    for n_iter in range(MAX_ITER):
        total = unary + (gather @ log_m.reshape(n_edges, -1)).reshape(unary.shape)
        cavity = softmax(total[source] - log_m[back])
        new = np.log1p(gain * cavity)
        new -= (new @ mean)[..., None]
        step = np.abs(new - log_m).max()
        log_m = new if n_iter == 0 else DAMPING * log_m + (1.0 - DAMPING) * new
        if step < TOLERANCE:
            break
    total = unary + (gather @ log_m.reshape(n_edges, -1)).reshape(unary.shape)
    return softmax(total).transpose(1, 0, 2)


def same(q: Floats, i: Labels, j: Labels) -> Floats:
    """Return the probability that two samples are in one cluster, (..., n_pairs)."""
    return np.asarray(np.einsum("...h,...h->...", q[..., i, :], q[..., j, :]))
