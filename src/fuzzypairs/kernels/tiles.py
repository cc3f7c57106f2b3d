"""The fused pass over packed tiles: distances, memberships, sums, objective.

Rows are packed in tiles ``P[tile, feature, lane]``, so that every inner loop runs
over the lanes (samples) of a tile and needs no shuffles. Distances are taken as
differences, which loses nothing when a sample lies close to a prototype. Loops are
unrolled over four features and two prototypes: each value loaded from a tile then
serves two multiplications, and each distance is stored once for four features.
"""

import numpy as np

from fuzzypairs.kernels.jit import kernel

LANES = 128
# Added to every squared distance. The reciprocals stay finite, and so does the
# product of four distances of data within 1e-15 to 1e15: a sample on a prototype gets
# the exact limit of eq. (14).
TINY = 1e-60


@kernel
def pack_tiles(X, rows, mean, tiles, start, stop):
    """Copy ``X[rows] - mean`` to tiles ``start`` to ``stop - 1``.

    Lanes past the last row hold zeros; their weight is zero too.
    """
    n_features = X.shape[1]
    for t in range(start, stop):
        first = t * LANES
        used = min(LANES, rows.shape[0] - first)
        for f in range(n_features):
            lanes = tiles[t, f]
            for i in range(used):
                lanes[i] = X[rows[first + i], f] - mean[f]
            for i in range(used, LANES):
                lanes[i] = 0.0


@kernel
def tile_totals(tiles, weight, totals, start, stop):
    """Add sum w x to ``totals[:-1]`` and sum w |x|^2 to ``totals[-1]``."""
    n_features = tiles.shape[1]
    for t in range(start, stop):
        w = _lane_weights(weight, t, tiles.shape[0])
        for f in range(n_features):
            x = tiles[t, f]
            first = 0.0
            second = 0.0
            for i in range(LANES):
                first += w[i] * x[i]
                second += w[i] * x[i] * x[i]
            totals[f] += first
            totals[n_features] += second


@kernel
def tile_pass(tiles, weight, C, start, stop, sums, masses):
    """One step of the free samples in tiles ``start`` to ``stop - 1``.

    For each sample: squared distances d_j to the prototypes, memberships
    u_j = (1/d_j) / sum_l (1/d_l), eq. (14), and its part of
    ``sums[j]``, w u_j^2 x, and ``masses[j]``, w u_j^2, from which eq. (13) follows.
    No array of memberships is formed.

    Parameters
    ----------
    tiles : array of shape (n_tiles, n_features, LANES), IN
    weight : array of shape (n_tiles, LANES) or (2, LANES), IN
        Sample weights; two rows stand for unit weights in all tiles but the last,
        and in the last.
    C : array of shape (k, n_features), IN
    sums : array of shape (k, n_features), OUT
    masses : array of shape (k,), OUT

    Returns
    -------
    float
        sum_i w_i sum_j u_ij^2 d_ij, which is sum_i w_i / sum_j (1/d_ij).
    """
    k = C.shape[0]
    n_features = C.shape[1]
    even = k - k % 2
    padded = n_features + (-n_features) % 4
    # Zero features fill the last block of four: one loop serves every n_features.
    centers = np.zeros((k, padded))
    for j in range(k):
        for f in range(n_features):
            centers[j, f] = C[j, f]
    blocks = np.zeros((k, padded))
    zero = np.zeros(LANES, dtype=tiles.dtype)
    D = np.empty((k, LANES))
    share = np.empty(LANES)
    masses[:] = 0.0
    objective = 0.0
    for t in range(start, stop):
        X = tiles[t]
        w = _lane_weights(weight, t, tiles.shape[0])
        for j in range(0, even, 2):
            _distances_to_two(X, centers[j], centers[j + 1], zero, D[j], D[j + 1])
        if even < k:
            _distances_to_one(X, centers[even], zero, D[even])
        objective += _invert(D, w, share)
        for j in range(0, even, 2):
            masses[j] += _square(D[j], share)
            masses[j + 1] += _square(D[j + 1], share)
            _sum_two(X, D[j], D[j + 1], zero, blocks[j], blocks[j + 1])
        if even < k:
            masses[even] += _square(D[even], share)
            _sum_one(X, D[even], zero, blocks[even])
    for j in range(k):
        for f in range(n_features):
            sums[j, f] = blocks[j, f]
    return objective


@kernel
def _lane_weights(weight, t, n_tiles):
    if weight.shape[0] == n_tiles:
        return weight[t]
    return weight[1 if t == n_tiles - 1 else 0]


@kernel
def _distances_to_two(X, a, b, zero, d, e):
    n_features = X.shape[0]
    for i in range(LANES):
        d[i] = TINY
        e[i] = TINY
    for f in range(0, n_features, 4):
        x0 = X[f]
        x1 = X[f + 1] if f + 1 < n_features else zero
        x2 = X[f + 2] if f + 2 < n_features else zero
        x3 = X[f + 3] if f + 3 < n_features else zero
        a0, a1, a2, a3 = a[f], a[f + 1], a[f + 2], a[f + 3]
        b0, b1, b2, b3 = b[f], b[f + 1], b[f + 2], b[f + 3]
        for i in range(LANES):
            p0, p1, p2, p3 = x0[i] - a0, x1[i] - a1, x2[i] - a2, x3[i] - a3
            q0, q1, q2, q3 = x0[i] - b0, x1[i] - b1, x2[i] - b2, x3[i] - b3
            d[i] += (p0 * p0 + p1 * p1) + (p2 * p2 + p3 * p3)
            e[i] += (q0 * q0 + q1 * q1) + (q2 * q2 + q3 * q3)


@kernel
def _distances_to_one(X, a, zero, d):
    n_features = X.shape[0]
    for i in range(LANES):
        d[i] = TINY
    for f in range(0, n_features, 4):
        x0 = X[f]
        x1 = X[f + 1] if f + 1 < n_features else zero
        x2 = X[f + 2] if f + 2 < n_features else zero
        x3 = X[f + 3] if f + 3 < n_features else zero
        a0, a1, a2, a3 = a[f], a[f + 1], a[f + 2], a[f + 3]
        for i in range(LANES):
            p0, p1, p2, p3 = x0[i] - a0, x1[i] - a1, x2[i] - a2, x3[i] - a3
            d[i] += (p0 * p0 + p1 * p1) + (p2 * p2 + p3 * p3)


@kernel
def _invert(D, w, share):
    """Replace D by 1/D; ``share`` becomes w / (sum_j 1/d_j)^2; return the objective.

    Four reciprocals cost one division: 1/(abcd), then products.
    """
    k = D.shape[0]
    for i in range(LANES):
        share[i] = 0.0
    fours = k - k % 4
    for j in range(0, fours, 4):
        d0, d1, d2, d3 = D[j], D[j + 1], D[j + 2], D[j + 3]
        for i in range(LANES):
            ab = d0[i] * d1[i]
            cd = d2[i] * d3[i]
            both = 1.0 / (ab * cd)
            inv_ab = both * cd
            inv_cd = both * ab
            r0, r1 = inv_ab * d1[i], inv_ab * d0[i]
            r2, r3 = inv_cd * d3[i], inv_cd * d2[i]
            d0[i], d1[i], d2[i], d3[i] = r0, r1, r2, r3
            share[i] += (r0 + r1) + (r2 + r3)
    for j in range(fours, k):
        d = D[j]
        for i in range(LANES):
            d[i] = 1.0 / d[i]
            share[i] += d[i]
    objective = 0.0
    for i in range(LANES):
        harmonic = 1.0 / share[i]
        weighted = w[i] * harmonic
        objective += weighted
        share[i] = weighted * harmonic
    return objective


@kernel
def _square(r, share):
    """Replace reciprocals r by the weights w u^2 of the lanes; return their sum."""
    mass = 0.0
    for i in range(LANES):
        r[i] = r[i] * r[i] * share[i]
        mass += r[i]
    return mass


@kernel
def _sum_two(X, u, v, zero, a, b):
    n_features = X.shape[0]
    for f in range(0, n_features, 4):
        x0 = X[f]
        x1 = X[f + 1] if f + 1 < n_features else zero
        x2 = X[f + 2] if f + 2 < n_features else zero
        x3 = X[f + 3] if f + 3 < n_features else zero
        p0 = p1 = p2 = p3 = 0.0
        q0 = q1 = q2 = q3 = 0.0
        for i in range(LANES):
            p0 += u[i] * x0[i]
            p1 += u[i] * x1[i]
            p2 += u[i] * x2[i]
            p3 += u[i] * x3[i]
            q0 += v[i] * x0[i]
            q1 += v[i] * x1[i]
            q2 += v[i] * x2[i]
            q3 += v[i] * x3[i]
        a[f] += p0
        a[f + 1] += p1
        a[f + 2] += p2
        a[f + 3] += p3
        b[f] += q0
        b[f + 1] += q1
        b[f + 2] += q2
        b[f + 3] += q3


@kernel
def _sum_one(X, u, zero, a):
    n_features = X.shape[0]
    for f in range(0, n_features, 4):
        x0 = X[f]
        x1 = X[f + 1] if f + 1 < n_features else zero
        x2 = X[f + 2] if f + 2 < n_features else zero
        x3 = X[f + 3] if f + 3 < n_features else zero
        p0 = p1 = p2 = p3 = 0.0
        for i in range(LANES):
            p0 += u[i] * x0[i]
            p1 += u[i] * x1[i]
            p2 += u[i] * x2[i]
            p3 += u[i] * x3[i]
        a[f] += p0
        a[f + 1] += p1
        a[f + 2] += p2
        a[f + 3] += p3
