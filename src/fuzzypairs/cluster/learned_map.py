"""Maps from features to memberships, learned from judgements."""

import numpy as np
from scipy import sparse
from scipy.optimize import minimize

from fuzzypairs._typing import Floats, Labels, Mask
from fuzzypairs.cluster.views import softmax

__all__ = ["learn_maps"]

# Share of wrong judgements that is assumed while maps are learned.
ASSUMED_ERROR = 0.05
# The constant feature is nearly free: it sets how large clusters are.
FREE = 1e-2
MAX_ITER, TOLERANCE = 80, 1e-6


def learn_maps(
    F: Floats,
    W0: Floats,
    i: Labels,
    j: Labels,
    grade: Floats,
    given: Mask,
    ridge: float,
) -> Floats:
    """Return the maps under which judgements are likely, near a given one.

    Each minimises, over the judgements that it is given,

        - sum |s| log P(judgement)  +  ridge / 2 |W - W0|^2,
        P(alike) = e + (1 - 2 e) v_p.v_q,   v = softmax(f W),   e = 0.05,

    where P(unlike) is the rest: the prior is a Gaussian distribution around W0, of the
    variance 1 / ridge.

    Parameters
    ----------
    F : ndarray of shape (n_rows, n_features)
        The last feature is constant.
    W0 : ndarray of shape (n_features, n_clusters)
    i, j : ndarrays of shape (n_pairs,)
        Rows of the two samples of judgements.
    grade : ndarray of shape (n_pairs,)
    given : ndarray of shape (n_maps, n_pairs), bool
        Which judgements each map is learned from.
    ridge : float > 0

    Returns
    -------
    W : ndarray of shape (n_maps, n_features, n_clusters)
    """
    n_maps, k = len(given), W0.shape[1]
    shape = (n_maps, *W0.shape)
    is_alike, sure = grade > 0, 1.0 - 2.0 * ASSUMED_ERROR
    strength = given * np.abs(grade)
    ends = np.concatenate([i, j])
    # Sums the gradients of the judgements of each sample.
    gather = sparse.csr_array(
        (np.ones(len(ends)), (ends, np.arange(len(ends)))), shape=(len(F), len(ends))
    )
    penalty = np.full((len(W0), 1), ridge)
    penalty[-1] *= FREE

    def value(flat: Floats) -> tuple[float, Floats]:
        W = flat.reshape(shape)
        V, change = softmax(F @ W), W - W0
        left, right = V[:, i], V[:, j]
        overlap = np.einsum("mpk,mpk->mp", left, right)
        alike = ASSUMED_ERROR + sure * overlap
        likelihood = np.where(is_alike, alike, 1.0 - alike)
        slope = np.where(is_alike, -sure, sure) * strength / likelihood
        pulls = np.concatenate([right, left], axis=1) * np.tile(slope, 2)[..., None]
        G = gather @ pulls.transpose(1, 0, 2).reshape(len(ends), -1)
        G = G.reshape(len(F), n_maps, k).transpose(1, 0, 2)
        G = V * (G - np.einsum("mnk,mnk->mn", G, V)[..., None])
        total = -(strength * np.log(likelihood)).sum()
        total += 0.5 * (penalty * change * change).sum()
        return total, (F.T @ G + penalty * change).ravel()

    found = minimize(
        value,
        np.broadcast_to(W0, shape).ravel(),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": MAX_ITER, "ftol": TOLERANCE},
    )
    return np.asarray(found.x.reshape(shape))
