"""The fused pass over packed tiles: distances, memberships, sums, objective.

Rows are packed in tiles ``P[tile, feature, lane]``, so that every inner loop runs
over the lanes (samples) of a tile and needs no shuffles. Distances are taken as
differences, which loses nothing when a sample lies close to a prototype. Loops are
unrolled over four features and two prototypes: each value loaded from a tile then
serves two multiplications, and each distance is stored once for four features.
"""

from typing import Any

import numpy as np

from fuzzypairs.kernels.jit import kernel

LANES = 128
CACHE_LINE = 64
# Added to every squared distance. The reciprocals stay finite, and so does the
# product of four distances of data within 1e-15 to 1e15: a sample on a prototype gets
# the exact limit of eq. (14).
TINY = 1e-60


def empty_tiles(n_tiles: int, n_features: int, dtype: Any) -> np.ndarray:
    """Return uninitialised tiles that begin on a cache line.

    NumPy aligns to 16 bytes; a vector that straddles two lines is loaded twice,
    which costs a pass up to half its speed.
    """
    size = n_tiles * n_features * LANES
    n_bytes = size * np.dtype(dtype).itemsize
    room = np.empty(n_bytes + CACHE_LINE, dtype=np.uint8)
    skip = -room.ctypes.data % CACHE_LINE
    flat: np.ndarray = room[skip : skip + n_bytes].view(dtype)
    return flat.reshape(n_tiles, n_features, LANES)


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
        row = _lane_row(weight, t, tiles)
        for f in range(n_features):
            first = 0.0
            second = 0.0
            for i in range(LANES):
                x = tiles[t, f, i]
                first += weight[row, i] * x
                second += weight[row, i] * x * x
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
    D = np.empty((C.shape[0], LANES))
    share = np.empty(LANES)
    sums[:] = 0.0
    masses[:] = 0.0
    objective = 0.0
    for t in range(start, stop):
        tile_distances(tiles, t, C, D)
        objective += _invert(D, weight, _lane_row(weight, t, tiles), share)
        _square(D, share, masses)
        tile_sums(tiles, t, D, sums)
    return objective


@kernel
def tile_distances(tiles, t, C, D):
    """Set ``D[j, i]`` to the squared distance of lane i of tile t to prototype j."""
    k = C.shape[0]
    even = k - k % 2
    for j in range(0, even, 2):
        _distances_to_two(tiles, t, C, j, D)
    if even < k:
        _distances_to_one(tiles, t, C, even, D)


@kernel
def tile_sums(tiles, t, D, sums):
    """Add the samples of tile t, weighted by ``D[j]``, to ``sums[j]``."""
    k = sums.shape[0]
    even = k - k % 2
    for j in range(0, even, 2):
        _sum_two(tiles, t, D, j, sums)
    if even < k:
        _sum_one(tiles, t, D, even, sums)


@kernel
def _lane_row(weight, t, tiles):
    """Return the row of `weight` that holds the weights of tile t."""
    if weight.shape[0] == tiles.shape[0]:
        return t
    return 1 if t == tiles.shape[0] - 1 else 0


# The functions below take whole arrays and an index: slices made in a loop count
# references, which these short loops can do without.


@kernel
def _distances_to_two(tiles, t, C, j, D):
    n_features = C.shape[1]
    rest = n_features % 4
    for i in range(LANES):
        D[j, i] = TINY
        D[j + 1, i] = TINY
    for f in range(rest):
        a0, b0 = C[j, f], C[j + 1, f]
        for i in range(LANES):
            p0, q0 = tiles[t, f, i] - a0, tiles[t, f, i] - b0
            D[j, i] += p0 * p0
            D[j + 1, i] += q0 * q0
    for f in range(rest, n_features, 4):
        a0, a1, a2, a3 = C[j, f], C[j, f + 1], C[j, f + 2], C[j, f + 3]
        b0, b1, b2, b3 = C[j + 1, f], C[j + 1, f + 1], C[j + 1, f + 2], C[j + 1, f + 3]
        for i in range(LANES):
            x0, x1 = tiles[t, f, i], tiles[t, f + 1, i]
            x2, x3 = tiles[t, f + 2, i], tiles[t, f + 3, i]
            p0, p1, p2, p3 = x0 - a0, x1 - a1, x2 - a2, x3 - a3
            q0, q1, q2, q3 = x0 - b0, x1 - b1, x2 - b2, x3 - b3
            D[j, i] += (p0 * p0 + p1 * p1) + (p2 * p2 + p3 * p3)
            D[j + 1, i] += (q0 * q0 + q1 * q1) + (q2 * q2 + q3 * q3)


@kernel
def _distances_to_one(tiles, t, C, j, D):
    n_features = C.shape[1]
    rest = n_features % 4
    for i in range(LANES):
        D[j, i] = TINY
    for f in range(rest):
        a0 = C[j, f]
        for i in range(LANES):
            p0 = tiles[t, f, i] - a0
            D[j, i] += p0 * p0
    for f in range(rest, n_features, 4):
        a0, a1, a2, a3 = C[j, f], C[j, f + 1], C[j, f + 2], C[j, f + 3]
        for i in range(LANES):
            p0, p1 = tiles[t, f, i] - a0, tiles[t, f + 1, i] - a1
            p2, p3 = tiles[t, f + 2, i] - a2, tiles[t, f + 3, i] - a3
            D[j, i] += (p0 * p0 + p1 * p1) + (p2 * p2 + p3 * p3)


@kernel
def _invert(D, weight, row, share):
    """Replace D by 1/D; ``share`` becomes w / (sum_j 1/d_j)^2; return the objective.

    Four reciprocals cost one division: 1/(abcd), then products.
    """
    k = D.shape[0]
    for i in range(LANES):
        share[i] = 0.0
    fours = k - k % 4
    for j in range(0, fours, 4):
        _invert_four(D[j], D[j + 1], D[j + 2], D[j + 3], share)
    for j in range(fours, k):
        for i in range(LANES):
            r0 = 1.0 / D[j, i]
            D[j, i] = r0
            share[i] += r0
    objective = 0.0
    for i in range(LANES):
        harmonic = 1.0 / share[i]
        weighted = weight[row, i] * harmonic
        objective += weighted
        share[i] = weighted * harmonic
    return objective


@kernel
def _invert_four(d0, d1, d2, d3, share):
    # A function of rows: within the loop over j the compiler would ask whether the
    # rows of all rounds overlap, find that they do, and not use vectors.
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


@kernel
def _square(D, share, masses):
    """Replace reciprocals by the weights w u^2 of the lanes; add them to `masses`."""
    for j in range(D.shape[0]):
        mass = 0.0
        for i in range(LANES):
            square = D[j, i] * D[j, i] * share[i]
            D[j, i] = square
            mass += square
        masses[j] += mass


@kernel
def _sum_two(tiles, t, D, j, sums):
    zero = D.dtype.type(0.0)
    n_features = sums.shape[1]
    rest = n_features % 4
    for f in range(rest):
        p0 = q0 = zero
        for i in range(LANES):
            p0 += D[j, i] * tiles[t, f, i]
            q0 += D[j + 1, i] * tiles[t, f, i]
        sums[j, f] += p0
        sums[j + 1, f] += q0
    for f in range(rest, n_features, 4):
        p0 = p1 = p2 = p3 = zero
        q0 = q1 = q2 = q3 = zero
        for i in range(LANES):
            u, v = D[j, i], D[j + 1, i]
            x0, x1 = tiles[t, f, i], tiles[t, f + 1, i]
            x2, x3 = tiles[t, f + 2, i], tiles[t, f + 3, i]
            p0 += u * x0
            p1 += u * x1
            p2 += u * x2
            p3 += u * x3
            q0 += v * x0
            q1 += v * x1
            q2 += v * x2
            q3 += v * x3
        sums[j, f] += p0
        sums[j, f + 1] += p1
        sums[j, f + 2] += p2
        sums[j, f + 3] += p3
        sums[j + 1, f] += q0
        sums[j + 1, f + 1] += q1
        sums[j + 1, f + 2] += q2
        sums[j + 1, f + 3] += q3


@kernel
def _sum_one(tiles, t, D, j, sums):
    zero = D.dtype.type(0.0)
    n_features = sums.shape[1]
    rest = n_features % 4
    for f in range(rest):
        p0 = zero
        for i in range(LANES):
            p0 += D[j, i] * tiles[t, f, i]
        sums[j, f] += p0
    for f in range(rest, n_features, 4):
        p0 = p1 = p2 = p3 = zero
        for i in range(LANES):
            u = D[j, i]
            p0 += u * tiles[t, f, i]
            p1 += u * tiles[t, f + 1, i]
            p2 += u * tiles[t, f + 2, i]
            p3 += u * tiles[t, f + 3, i]
        sums[j, f] += p0
        sums[j, f + 1] += p1
        sums[j, f + 2] += p2
        sums[j, f + 3] += p3
