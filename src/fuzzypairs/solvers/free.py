"""Memberships of samples without judgements, from given distances."""

import numpy as np

from fuzzypairs._typing import Floats


def memberships_of(
    dist2: Floats, fuzzifier: float, out: Floats | None = None
) -> Floats:
    """Return u_j ~ d_j^(-1/(g-1)): eq. (28), and for g = 2 eq. (14).

    `dist2` (n_rows, n_clusters) are finite distances >= 0, g > 1 is the fuzzifier.
    Distances are divided by the least of their row, which avoids overflow. Clusters at
    distance zero share the whole membership.

    Examples
    --------
    >>> memberships_of(np.array([[1.0, 3.0], [0.0, 2.0]]), 2.0)
    array([[0.75, 0.25],
           [1.  , 0.  ]])
    """
    out = np.empty_like(dist2) if out is None else out
    least = dist2.min(axis=1, keepdims=True)
    out.fill(1.0)
    np.divide(least, dist2, out=out, where=dist2 > least)
    if fuzzifier != 2.0:
        np.power(out, 1.0 / (fuzzifier - 1.0), out=out)
    out /= out.sum(axis=1, keepdims=True)
    return out
