"""Density peaks on condensed distances: cut-off, densities, parents and borders.

Distances come as `scipy.spatial.distance.pdist` gives them: the entries with i < j,
row by row, in float64. They take the 4 n_samples^2 bytes of a square matrix in
float32, are symmetric by construction, and are not rounded further, which would make
distinct distances equal and so move the cut-off.
"""

import numpy as np

from fuzzypairs.kernels.jit import kernel


@kernel
def count_distinct(ordered):
    """Count the distinct values among sorted distances and the zero of a diagonal.

    Examples
    --------
    >>> import numpy as np
    >>> count_distinct(np.array([1.0, 1.0, 2.0]))
    3
    """
    count, last = 1, 0.0
    for value in ordered:
        if value > last:
            count += 1
            last = value
    return count


@kernel
def nth_distinct(ordered, nth):
    """Return distinct value number `nth` from 1, the zero of a diagonal.

    Examples
    --------
    >>> import numpy as np
    >>> nth_distinct(np.array([1.0, 1.0, 2.0]), 3)
    2.0
    """
    count, last = 1, 0.0
    for value in ordered:
        if count == nth:
            break
        if value > last:
            count += 1
            last = value
    return last


@kernel
def count_near(dist, cutoff, n_samples):
    """Return how many others are closer than `cutoff`, for each sample.

    Examples
    --------
    >>> import numpy as np
    >>> count_near(np.array([1.0, 2.0, 1.0]), 2.0, 3)
    array([1., 2., 1.])
    """
    rho = np.zeros(n_samples)
    t = 0
    for i in range(n_samples):
        for j in range(i + 1, n_samples):
            if dist[t] < cutoff:
                rho[i] += 1.0
                rho[j] += 1.0
            t += 1
    return rho


@kernel
def sum_gaussians(dist, width, n_samples):
    """Return the sum of exp(-(d / width)^2) over all others, for each sample.

    Examples
    --------
    >>> import numpy as np
    >>> sum_gaussians(np.array([1.0, 2.0, 1.0]), 2.0, 3).round(2)
    array([1.15, 1.56, 1.15])
    """
    rho = np.zeros(n_samples)
    t = 0
    for i in range(n_samples):
        for j in range(i + 1, n_samples):
            ratio = dist[t] / width
            weight = np.exp(-ratio * ratio)
            rho[i] += weight
            rho[j] += weight
            t += 1
    return rho


@kernel
def find_parents(dist, rank):
    """Find the nearest of the samples of smaller rank, for each sample.

    Parameters
    ----------
    dist : ndarray of shape (n_samples * (n_samples - 1) / 2,)
        Condensed distances, finite.
    rank : ndarray of shape (n_samples,)
        Place of each sample by decreasing density, each place once.

    Returns
    -------
    delta : ndarray of shape (n_samples,)
        Distance to the parent; for the first sample the largest of the others.
    parent : ndarray of shape (n_samples,)
        The nearest denser sample, the densest one on ties; the first is its own.

    Examples
    --------
    >>> import numpy as np
    >>> find_parents(np.array([1.0, 2.0, 1.0]), np.array([1, 0, 2]))
    (array([1., 1., 1.]), array([1, 1, 1]))
    """
    n_samples = rank.shape[0]
    delta = np.full(n_samples, np.inf)
    parent = np.arange(n_samples)
    t = 0
    for i in range(n_samples):
        for j in range(i + 1, n_samples):
            first, second = (i, j) if rank[i] < rank[j] else (j, i)
            tied = dist[t] == delta[second] and rank[first] < rank[parent[second]]
            if dist[t] < delta[second] or tied:
                delta[second] = dist[t]
                parent[second] = first
            t += 1
    farthest = 0.0
    for i in range(n_samples):
        if rank[i] > 0:
            farthest = max(farthest, delta[i])
    for i in range(n_samples):
        if rank[i] == 0:
            delta[i] = farthest
    return delta, parent


@kernel
def follow_parents(order, parent, labels):
    """Give samples labelled -1 the label of their parent, the densest first.

    Examples
    --------
    >>> import numpy as np
    >>> labels = np.array([-1, 1, -1])
    >>> follow_parents(np.array([1, 0, 2]), np.array([1, 1, 0]), labels)
    >>> labels
    array([1, 1, 1])
    """
    for i in order:
        if labels[i] < 0:
            labels[i] = labels[parent[i]]


@kernel
def border_densities(dist, codes, rho, cutoff, n_clusters):
    """Find the largest mean density of two samples near across each border.

    Parameters
    ----------
    dist : ndarray of shape (n_samples * (n_samples - 1) / 2,)
        Condensed distances.
    codes : ndarray of shape (n_samples,)
        Clusters, from 0 to ``n_clusters - 1``.
    rho : ndarray of shape (n_samples,)
        Densities.
    cutoff : float
        Samples up to this distance are near.
    n_clusters : int

    Returns
    -------
    borders : ndarray of shape (n_clusters,)
        0 for a cluster that no other one is near to.

    Examples
    --------
    >>> import numpy as np
    >>> dist, rho = np.array([1.0, 2.0, 1.0]), np.array([1.0, 2.0, 1.0])
    >>> border_densities(dist, np.array([0, 0, 1]), rho, 1.0, 2)
    array([1.5, 1.5])
    """
    borders = np.zeros(n_clusters)
    n_samples = codes.shape[0]
    t = 0
    for i in range(n_samples):
        for j in range(i + 1, n_samples):
            a, b = codes[i], codes[j]
            if a != b and dist[t] <= cutoff:
                border = (rho[i] + rho[j]) / 2.0
                borders[a] = max(borders[a], border)
                borders[b] = max(borders[b], border)
            t += 1
    return borders


@kernel
def cluster_gaps(dist, codes, core, n_clusters):
    """Find the smallest distance between the core samples of each two clusters.

    Parameters
    ----------
    dist : ndarray of shape (n_samples * (n_samples - 1) / 2,)
        Condensed distances.
    codes : ndarray of shape (n_samples,)
        Clusters, from 0 to ``n_clusters - 1``.
    core : ndarray of shape (n_samples,)
        Which samples count.
    n_clusters : int

    Returns
    -------
    gaps : ndarray of shape (n_clusters * (n_clusters - 1) / 2,)
        Condensed as `dist`; infinite where a cluster has no core sample.

    Examples
    --------
    >>> import numpy as np
    >>> dist, core = np.array([1.0, 2.0, 1.0]), np.array([True, False, True])
    >>> cluster_gaps(dist, np.array([0, 0, 1]), core, 2)
    array([2.])
    """
    gaps = np.full(n_clusters * (n_clusters - 1) // 2, np.inf)
    n_samples = codes.shape[0]
    t = 0
    for i in range(n_samples):
        for j in range(i + 1, n_samples):
            if core[i] and core[j] and codes[i] != codes[j]:
                a, b = min(codes[i], codes[j]), max(codes[i], codes[j])
                place = a * (2 * n_clusters - a - 1) // 2 + b - a - 1
                gaps[place] = min(gaps[place], dist[t])
            t += 1
    return gaps
