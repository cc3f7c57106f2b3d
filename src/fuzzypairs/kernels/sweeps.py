"""Block coordinate descent over the pair graph; D of eq. (17) is never formed.

The constrained samples are numbered so that each independent group is a range of
rows. For row i of a group, with everything else fixed, eq. (24) is the programme of
`solve_row` with curvature ``a_i = w_i d_i + diagonal_i`` and linear coefficient
``f_i = -sum_q pull_iq u_q``, where ``pull = beta s / 2`` and ``diagonal_i`` is the
sum of the positive pulls of row i: eqs. (18) and (19). Distances and pulls are kept
apart, and alike rows enter by their differences: beta may exceed the distances by many
orders without drowning them.
"""

from typing import NamedTuple

import numpy as np

from fuzzypairs.kernels.jit import kernel
from fuzzypairs.kernels.simplex import solve_row
from fuzzypairs.kernels.tiles import TINY


class Graph(NamedTuple):
    """The judgements as a symmetric sparse matrix over the constrained rows."""

    groups: np.ndarray  # (n_groups + 1,) first row of each group
    indptr: np.ndarray  # (n_rows + 1,) first edge of each row
    neighbor: np.ndarray  # (n_edges,) row at the other end
    pull: np.ndarray  # (n_edges,) beta s / 2
    diagonal: np.ndarray  # (n_rows,) sum of the positive pulls, times own
    own: float  # 1: alike rows differ little, eq. (6); 0: their product is large, (4)


class Blocks(NamedTuple):
    """What a sweep reads and writes for each constrained row."""

    U: np.ndarray  # (n_rows, k) memberships
    dist2: np.ndarray  # (n_rows, k) weighted squared distances w d
    inverse: np.ndarray  # (n_rows, k) 1 / a of eq. (24)
    low: np.ndarray  # (n_rows,) where a is smallest


@kernel
def take_rows(U, start, stop):
    """Return a copy of rows ``start`` to ``stop - 1``.

    Loops, not slices: assigning slices brings code for errors that cannot happen and
    takes seconds to compile.
    """
    k = U.shape[1]
    out = np.empty((stop - start, k))
    for i in range(start, stop):
        for j in range(k):
            out[i - start, j] = U[i, j]
    return out


@kernel
def put_rows(U, start, values):
    """Write `values` to the rows from ``start`` on."""
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            U[start + i, j] = values[i, j]


@kernel
def measure_rows(X, weight, C, graph, blocks, start, stop):
    """Set dist2, inverse and low of the rows for prototypes C: eq. (18)."""
    for i in range(start, stop):
        for j in range(C.shape[0]):
            d = 0.0
            for f in range(C.shape[1]):
                difference = X[i, f] - C[j, f]
                d += difference * difference
            blocks.dist2[i, j] = weight[i] * d
    invert_rows(graph, blocks, start, stop)


@kernel
def invert_rows(graph, blocks, start, stop):
    """Set inverse and low of the rows from their dist2."""
    for i in range(start, stop):
        low = 0
        for j in range(blocks.dist2.shape[1]):
            curvature = blocks.dist2[i, j] + (graph.diagonal[i] + TINY)
            blocks.inverse[i, j] = 1.0 / curvature
            if blocks.dist2[i, j] < blocks.dist2[i, low]:
                low = j
        blocks.low[i] = low


@kernel
def linear_term(graph, U, i, linear):
    """Set ``linear`` to -sum_q pull_iq u_q, the off-diagonal blocks of eq. (19)."""
    k = U.shape[1]
    for j in range(k):
        linear[j] = 0.0
    for e in range(graph.indptr[i], graph.indptr[i + 1]):
        q = graph.neighbor[e]
        pull = graph.pull[e]
        for j in range(k):
            linear[j] -= pull * U[q, j]


@kernel
def sweep_rows(graph, blocks, start, stop, scale, linear, u):
    """Update the rows in sequence, each from the newest others; return the change.

    `linear` and `u` are scratch of shape (k,). The change is the largest absolute
    difference of a membership, multiplied where judgements outweigh the distances'
    `scale`: a row that many strong judgements hold moves little however large the
    gradient is, and it is the gradient that tells the error.
    """
    U = blocks.U
    largest = 0.0
    for i in range(start, stop):
        linear_term(graph, U, i, linear)
        solve_row(blocks.inverse, i, linear, blocks.low[i], u)
        change = 0.0
        for j in range(u.shape[0]):
            change = max(change, abs(u[j] - U[i, j]))
            U[i, j] = u[j]
        largest = max(largest, change * (1.0 + graph.diagonal[i] / scale))
    return largest


@kernel
def gradient(graph, U, dist2, i, first, out, row):
    """Set ``out[row]`` to row i of D U; rows of U count from `first`.

    A judgement of alike adds ``pull (own u_i - u_q)``, one of unlike ``-pull u_q``.
    """
    k = U.shape[1]
    for j in range(k):
        out[row, j] = dist2[i, j] * U[i - first, j]
    for e in range(graph.indptr[i], graph.indptr[i + 1]):
        q = graph.neighbor[e] - first
        pull = graph.pull[e]
        own = graph.own if pull > 0.0 else 0.0
        for j in range(k):
            out[row, j] += pull * (own * U[i - first, j] - U[q, j])


@kernel
def group_objective(graph, blocks, start, stop):
    """Return u'Du of the rows: their distances and their judgements, twice eq. (16)."""
    U = blocks.U
    k = U.shape[1]
    total = 0.0
    for i in range(start, stop):
        for j in range(k):
            total += blocks.dist2[i, j] * U[i, j] * U[i, j]
        for e in range(graph.indptr[i], graph.indptr[i + 1]):
            q = graph.neighbor[e]
            if q < i:
                cost = 0.0
                own = graph.own if graph.pull[e] > 0.0 else 0.0
                for j in range(k):
                    cost += own * (U[i, j] - U[q, j]) ** 2
                    cost -= 2.0 * (1.0 - own) * U[i, j] * U[q, j]
                total += graph.pull[e] * cost
    return total
