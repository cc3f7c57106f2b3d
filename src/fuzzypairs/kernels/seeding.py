"""Seeds for the prototypes: greedy k-means++ on given random numbers."""

import numpy as np

from fuzzypairs.kernels.jit import kernel


@kernel
def squared_distance(X, i, C, t):
    """Squared Euclidean distance of row `i` of X and row `t` of C, in float64."""
    total = 0.0
    for f in range(X.shape[1]):
        gap = np.float64(X[i, f]) - C[t, f]
        total += gap * gap
    return total


@kernel
def copy_row(X, i, C, t):
    """Write row `i` of X to row `t` of C; a loop compiles faster than slices."""
    for f in range(X.shape[1]):
        C[t, f] = X[i, f]


@kernel
def accumulate(weight, dist2, cumulative):
    """Write the running sum of `weight * dist2`; return its last entry."""
    total = 0.0
    for i in range(weight.shape[0]):
        total += weight[i] * dist2[i]
        cumulative[i] = total
    return total


@kernel
def draw_row(cumulative, draw):
    """First row whose running sum exceeds the share `draw` of the total.

    The sum rises at that row, so a row without mass is never drawn.
    """
    target = draw * cumulative[-1]
    low, high = 0, cumulative.shape[0] - 1
    while low < high:
        middle = (low + high) // 2
        if cumulative[middle] > target:
            high = middle
        else:
            low = middle + 1
    return low


@kernel
def choose_seeds(X, weight, draws):
    """Choose rows that are far apart: greedy k-means++.

    Each step draws candidates with probability proportional to
    `weight * (squared distance to the closest seed so far)` and keeps the one
    that leaves the smallest weighted sum of squared distances.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Finite float32 or float64, row-major.
    weight : ndarray of shape (n_samples,)
        Non-negative float64. A row without weight is never chosen, unless all
        are without; then all weigh the same.
    draws : ndarray of shape (n_clusters, n_trials)
        Uniform in [0, 1), one row a step. The first step, which has nothing to
        compare, uses its first entry only.

    Returns
    -------
    rows : ndarray of shape (n_clusters,)
        Row numbers. They repeat a place only when fewer distinct rows than
        clusters carry weight.

    Notes
    -----
    O(n_samples * n_features * n_clusters * n_trials) time and n_trials + 3
    vectors of n_samples. All candidates of a step meet a row while it is in
    cache; skipping candidates by the triangle inequality, and packing rows into
    tiles, were both slower.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [0.1], [9.0], [9.1], [9.2]])
    >>> choose_seeds(X, np.ones(5), np.array([[0.1, 0.0], [0.1, 0.5]]))
    array([0, 3])
    """
    n_samples, n_features = X.shape
    n_clusters, n_trials = draws.shape
    rows = np.empty(n_clusters, np.int64)
    # Allocated once: every step reuses them.
    same = np.ones(n_samples)
    cumulative = np.empty(n_samples)
    closest = np.empty(n_samples)
    dist2 = np.empty((n_trials, n_samples))
    candidates = np.empty(n_trials, np.int64)
    C = np.empty((n_trials, n_features))
    potential = np.empty(n_trials)

    if accumulate(weight, same, cumulative) == 0.0:
        weight = same
        accumulate(weight, same, cumulative)
    rows[0] = draw_row(cumulative, draws[0, 0])
    copy_row(X, rows[0], C, 0)
    for i in range(n_samples):
        closest[i] = squared_distance(X, i, C, 0)

    for step in range(1, n_clusters):
        if accumulate(weight, closest, cumulative) == 0.0:
            # The seeds cover every weighted row: any further one must repeat.
            accumulate(weight, same, cumulative)
        for t in range(n_trials):
            candidates[t] = draw_row(cumulative, draws[step, t])
            copy_row(X, candidates[t], C, t)
            potential[t] = 0.0
        for i in range(n_samples):
            for t in range(n_trials):
                d = squared_distance(X, i, C, t)
                dist2[t, i] = d if d < closest[i] else closest[i]
                potential[t] += weight[i] * dist2[t, i]
        best = np.argmin(potential)
        rows[step] = candidates[best]
        for i in range(n_samples):
            closest[i] = dist2[best, i]
    return rows
