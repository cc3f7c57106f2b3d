"""Free samples as passes read them: packed tiles, or chunks where they lie."""

import numpy as np

from fuzzypairs._typing import Data, Floats, Ints
from fuzzypairs.kernels import chunks, tiles
from fuzzypairs.threads import Threads, cut, over_ranges

__all__ = ["in_chunks", "in_tiles", "weight_of"]

# Tiles, weights of their lanes, first tile or row of each range, totals.
Packed = tuple[Floats, Floats, Ints, Floats]

# Ranges of tiles or chunks that are a call each: long enough to outweigh the call.
TILES_A_RANGE = 64
CHUNKS_A_RANGE = 8


def in_tiles(
    X: Data, samples: Ints, weight: Floats | None, mean: Floats, threads: Threads
) -> Packed:
    """Copy centred samples to tiles, for `fuzzypairs.kernels.tiles.tile_pass`.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    samples : ndarray of shape (n_packed,)
    weight : ndarray of shape (n_samples,) or None
    mean : ndarray of shape (n_features,)
    threads : Threads

    Returns
    -------
    packed : ndarray of shape (n_tiles, n_features, LANES)
    lanes : ndarray of shape (n_tiles, LANES) or (2, LANES)
        Weights; without any, those of full tiles and of the last one.
    ranges : ndarray of shape (n_ranges + 1,)
        First tile of each range.
    totals : ndarray of shape (n_features + 2,)
        The sums of w x, then that of w |x|^2, and a place for that of w.

    Examples
    --------
    >>> X = np.array([[0.0], [2.0], [7.0]])
    >>> two, mean = np.array([0, 1]), np.array([1.0])
    >>> packed, lanes, ranges, totals = in_tiles(X, two, None, mean, Threads(1))
    >>> packed[0, 0, :2], totals
    (array([-1.,  1.]), array([0., 2., 0.]))
    """
    n_packed, n_features = len(samples), X.shape[1]
    n_tiles = -(-n_packed // tiles.LANES)
    packed = tiles.empty_tiles(n_tiles, n_features, X.dtype)
    ranges = cut(n_tiles, TILES_A_RANGE)
    spans = over_ranges(ranges)
    threads.map(tiles.pack_tiles, [(X, samples, mean, packed, *span) for span in spans])
    if weight is None:
        lanes = np.ones((2, tiles.LANES))
        lanes[1, n_packed - (n_tiles - 1) * tiles.LANES :] = 0.0
    else:
        lanes = np.zeros((n_tiles, tiles.LANES))
        lanes.reshape(-1)[:n_packed] = weight[samples]
    totals = np.zeros((len(spans), n_features + 2))
    threads.map(
        tiles.tile_totals,
        [(packed, lanes, totals[part], *span) for part, span in enumerate(spans)],
    )
    return packed, lanes, ranges, totals.sum(axis=0)


def in_chunks(
    X: Data, samples: Ints, weight: Floats | None, mean: Floats, threads: Threads
) -> Packed:
    """Leave samples where they are, for `fuzzypairs.kernels.chunks.chunk_pass`.

    Parameters and results are those of `in_tiles`, but there are no tiles, weights
    are in one row, and ranges are of samples.

    Examples
    --------
    >>> X = np.array([[0.0], [2.0], [7.0]])
    >>> two, mean = np.array([0, 1]), np.array([1.0])
    >>> packed, lanes, ranges, totals = in_chunks(X, two, None, mean, Threads(1))
    >>> len(packed), lanes, ranges, totals
    (0, array([[1., 1.]]), array([0, 2]), array([0., 2., 0.]))
    """
    n_features = X.shape[1]
    packed = tiles.empty_tiles(0, n_features, np.float64)
    lanes = weight_of(samples, weight)[None, :]
    ranges = cut(len(samples), CHUNKS_A_RANGE * chunks.CHUNK)
    totals = np.zeros((len(ranges) - 1, n_features + 2))
    threads.map(
        chunks.chunk_totals,
        [
            (X, samples, lanes[0], mean, totals[part], *span)
            for part, span in enumerate(over_ranges(ranges))
        ],
    )
    return packed, lanes, ranges, totals.sum(axis=0)


def weight_of(samples: Ints, weight: Floats | None) -> Floats:
    """Return the weights of some samples, one each if there are none.

    Examples
    --------
    >>> weight_of(np.array([0, 2]), np.array([1.0, 2.0, 3.0]))
    array([1., 3.])
    """
    return np.ones(len(samples)) if weight is None else np.asarray(weight[samples])
