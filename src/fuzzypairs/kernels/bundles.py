"""Many small groups at once: lanes over groups of equal size.

Most groups are two to four samples. A bundle holds up to LANES of them of one size:
its row t is the t-th row of every group, and lane i belongs to group i. Pulls are
dense over the few rows of a group, so that distances, sweeps, objective and sums run
over lanes without a gather (`fuzzypairs.kernels.lanes`). Samples and judgements of all
bundles are packed once. The rest of a bundle is scratch: it is filled from the rows of
`Blocks` and emptied to them, and the groups that need more than a few sweeps are
finished there one by one.

A bundle is in single or double precision, and lengths in it are in units of the spread
of the data, so that single precision can hold them.

Values of a row are flat, cluster after cluster, ``values[j * LANES + i]``. The
clusters are filled up to a multiple of four by some that nobody can join (``inverse``
is 0), so that loops can take four at a time without a remainder. Offsets are unsigned:
a signed sum could be negative, an index from the end, which no vector load allows.
"""

from typing import NamedTuple

import numpy as np

from fuzzypairs.kernels import tiles
from fuzzypairs.kernels.jit import kernel

# Groups of up to this many rows are bundled, if there are enough to fill some lanes.
MOST_ROWS = 4
FEWEST_GROUPS = 32
LANES = np.uint64(tiles.LANES)


class Bundles(NamedTuple):
    """What passes read of the bundles of a problem; their rows follow each other."""

    X: np.ndarray  # (n_rows, n_features, LANES)
    weight: np.ndarray  # (n_rows, LANES)
    pull: np.ndarray  # (n_rows, MOST_ROWS, LANES) beta s / 2, 0 without judgement
    diagonal: np.ndarray  # (n_rows, LANES) sum of the positive pulls
    starts: np.ndarray  # (n_ranges + 1,) first row of each range of groups
    roundoff: np.ndarray  # (1,) its type is the precision of all


class Bundle(NamedTuple):
    """Up to LANES groups of up to MOST_ROWS rows; K is k filled up."""

    X: np.ndarray  # (MOST_ROWS, n_features, LANES), or none
    weight: np.ndarray  # (MOST_ROWS, LANES), or none
    pull: np.ndarray  # (MOST_ROWS, MOST_ROWS, LANES)
    diagonal: np.ndarray  # (MOST_ROWS, LANES)
    U: np.ndarray  # (MOST_ROWS, K * LANES) memberships
    dist2: np.ndarray  # (MOST_ROWS, K * LANES) weighted squared distances w d
    inverse: np.ndarray  # (MOST_ROWS, K * LANES) 1 / a of eq. (24)
    low: np.ndarray  # (MOST_ROWS, LANES) cluster where a is smallest
    linear: np.ndarray  # (K * LANES,) of the row that is being solved
    level: np.ndarray  # (5 * LANES,) level, mass, moment, total and change of that row
    meeting: np.ndarray  # (3 * K * LANES,) where two rows would meet
    moved: np.ndarray  # (LANES,) change of each group in the last sweep
    own: np.ndarray  # (1,) as in `Graph`
    tiny: np.ndarray  # (1,) added to distances, whose inverse stays finite


@kernel
def empty_bundle(k, roundoff):
    """Allocate a bundle without samples; `roundoff` is of the precision it is in."""
    kind = roundoff.dtype
    r = MOST_ROWS
    lanes = tiles.LANES
    size = (k + 3) // 4 * 4 * lanes
    tiny = np.empty(1, kind)
    tiny[0] = roundoff[0] * roundoff[0]
    return Bundle(
        np.empty((0, 0, lanes), kind),
        np.empty((0, lanes), kind),
        np.empty((r, r, lanes), kind),
        np.empty((r, lanes), kind),
        np.zeros((r, size), kind),
        np.zeros((r, size), kind),
        np.zeros((r, size), kind),
        np.empty((r, lanes), kind),
        np.zeros(size, kind),
        np.empty(5 * lanes, kind),
        np.empty(3 * size, kind),
        np.empty(lanes, kind),
        np.empty(1, kind),
        tiny,
    )


@kernel
def count_equal(groups, g, stop):
    """Return how many groups from g on make a bundle; 0: g is on its own.

    Groups are sorted by size, so that as many rows as equal groups would have are
    equal groups.
    """
    n_rows = groups[g + 1] - groups[g]
    n = min(tiles.LANES, stop - g)
    if n_rows > MOST_ROWS:
        return 0
    while n >= FEWEST_GROUPS and groups[g + n] - groups[g] > n * n_rows:
        n -= 1
    return n if n >= FEWEST_GROUPS else 0


@kernel
def load_rows(values, factor, first, n_rows, n, empty, out):
    """Set row t of lane i to `factor` times row t of group i; unused lanes to `empty`.

    Parameters
    ----------
    values : array of shape (n_values, k), IN
        Of all rows, those of the n groups from `first` on.
    out : array of shape (MOST_ROWS, K * LANES), OUT
    """
    k = values.shape[1]
    for t in range(n_rows):
        lanes = out[t].reshape(-1, tiles.LANES)
        for j in range(k):
            for i in range(n):
                lanes[j, i] = factor * values[first + i * n_rows + t, j]
            for i in range(n, tiles.LANES):
                lanes[j, i] = empty


@kernel
def store_rows(values, first, n_rows, n, source):
    """Undo `load_rows`, with a factor of one."""
    for t in range(n_rows):
        lanes = source[t].reshape(-1, tiles.LANES)
        for j in range(values.shape[1]):
            for i in range(n):
                values[first + i * n_rows + t, j] = lanes[j, i]


@kernel
def store_lane(values, first, n_rows, i, source):
    """Store lane i alone."""
    for t in range(n_rows):
        for j in range(values.shape[1]):
            values[first + i * n_rows + t, j] = source[t, j * tiles.LANES + i]


@kernel
def load_lane(values, first, n_rows, i, out):
    """Load lane i alone, with a factor of one."""
    for t in range(n_rows):
        for j in range(values.shape[1]):
            out[t, j * tiles.LANES + i] = values[first + i * n_rows + t, j]


@kernel
def fill_row(values, cluster):
    """Put a row of every group whole into a cluster; into none if there is no such."""
    for o in range(np.uint64(0), np.uint64(values.size), LANES):
        value = 1.0 if o == np.uint64(cluster) * LANES else 0.0
        for i in range(LANES):
            values[o + i] = value


@kernel
def pack_bundles(X, weight, graph, ranges, unit, roundoff):
    """Pack samples and judgements of the bundles among groups cut into `ranges`.

    Parameters
    ----------
    X : array of shape (n_constrained, n_features), IN
    weight : array of shape (n_constrained,), IN
    graph : Graph
    ranges : array of shape (n_ranges + 1,), IN
    unit : float
        The spread of the data.
    roundoff : array of shape (1,), IN

    Returns
    -------
    Bundles
    """
    kind = roundoff.dtype
    starts = np.zeros(ranges.size, np.int64)
    for part in range(ranges.size - 1):
        starts[part + 1] = starts[part]
        g = ranges[part]
        while g < ranges[part + 1]:
            n = count_equal(graph.groups, g, ranges[part + 1])
            if n > 0:
                starts[part + 1] += graph.groups[g + 1] - graph.groups[g]
            g += max(n, 1)
    n_rows = starts[-1]
    bundles = Bundles(
        np.empty((n_rows, X.shape[1], tiles.LANES), kind),
        np.zeros((n_rows, tiles.LANES), kind),
        np.empty((n_rows, MOST_ROWS, tiles.LANES), kind),
        np.empty((n_rows, tiles.LANES), kind),
        starts,
        roundoff,
    )
    for part in range(ranges.size - 1):
        row = starts[part]
        g = ranges[part]
        while g < ranges[part + 1]:
            n = count_equal(graph.groups, g, ranges[part + 1])
            if n > 0:
                first = graph.groups[g]
                size = graph.groups[g + 1] - first
                rows = bundles.X[row : row + size]
                load_rows(X, 1.0 / unit, first, size, n, 0.0, rows)
                for t in range(size):
                    for i in range(n):
                        bundles.weight[row + t, i] = weight[first + i * size + t]
                pull, diagonal = bundles.pull[row:], bundles.diagonal[row:]
                load_graph(graph, unit, first, size, n, pull, diagonal)
                row += size
            g += max(n, 1)
    return bundles


@kernel
def load_graph(graph, unit, first, n_rows, n, pull, diagonal):
    """Set the pulls and diagonals of the n groups whose rows begin at `first`."""
    factor = 1.0 / (unit * unit)
    for t in range(n_rows):
        for i in range(LANES):
            diagonal[t, i] = 0.0
            for q in range(n_rows):
                pull[t, q, i] = 0.0
        for i in range(n):
            row = first + i * n_rows + t
            diagonal[t, i] = factor * graph.diagonal[row]
            for e in range(graph.indptr[row], graph.indptr[row + 1]):
                pull[t, graph.neighbor[e] - (row - t), i] = factor * graph.pull[e]


@kernel
def view_bundle(bundles, row, n_rows, own, room):
    """Return a bundle of the `n_rows` rows from `row` on, whose scratch is `room`."""
    room.own[0] = own
    return Bundle(
        bundles.X[row : row + n_rows],
        bundles.weight[row : row + n_rows],
        bundles.pull[row : row + n_rows],
        bundles.diagonal[row : row + n_rows],
        room.U,
        room.dist2,
        room.inverse,
        room.low,
        room.linear,
        room.level,
        room.meeting,
        room.moved,
        room.own,
        room.tiny,
    )
