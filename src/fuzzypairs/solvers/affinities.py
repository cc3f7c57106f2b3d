"""Affinities of samples in [0, 1], and how judgements change them."""

import numpy as np
from scipy.spatial.distance import pdist, squareform

from fuzzypairs._typing import Floats
from fuzzypairs.pairs import PairSet

__all__ = ["FORBID", "edit_affinities", "exponential_affinities", "given_affinities"]

# Affinity of a forbidden pair, with the sign changed: any positive value forbids, and
# a small one hardly slows the dynamics.
FORBID = 0.05
# Difference up to which a_ij and a_ji count as one number.
ASYMMETRY = 1e-8


def exponential_affinities(X: Floats, scale: float | None) -> Floats:
    """Return exp(-d / scale) of standardised Euclidean distances d, zero diagonal.

    None is the median of all n_samples^2 distances. If that is 0, only coinciding
    samples have an affinity, as in the limit.
    """
    distances = standardised_distances(X)
    if scale is None:
        scale = median_of_square(distances, len(X))
    # In place: memory limits the number of samples.
    if scale > 0:
        np.exp(np.divide(distances, -scale, out=distances), out=distances)
    else:
        distances = (distances == 0).astype(np.float64)
    return np.asarray(squareform(distances, checks=False)).reshape(len(X), len(X))


def standardised_distances(X: Floats) -> Floats:
    """Return condensed distances, features divided by their standard deviations."""
    low, high = X.min(axis=0) / 2, X.max(axis=0) / 2  # halves: no range overflows
    varies = high > low
    if not varies.any():
        return np.zeros(len(X) * (len(X) - 1) // 2)
    Z = (X[:, varies] / 2 - low[varies]) / (high - low)[varies]
    return np.asarray(pdist(Z / Z.std(axis=0, ddof=1)))


def median_of_square(distances: Floats, n_samples: int) -> float:
    """Return the median of a whole distance matrix from its condensed form."""
    # In order the matrix is n_samples zeros, then every distance twice.
    n_entries = n_samples**2
    places = np.array([(n_entries - 1) // 2, n_entries // 2])
    inside = places[places >= n_samples]
    if not inside.size:
        return 0.0
    ranks = (inside - n_samples) // 2
    return float(np.partition(distances, ranks)[ranks].sum() / len(places))


def given_affinities(X: Floats) -> Floats:
    """Return a copy with a zero diagonal; refuse all but symmetric X in [0, 1]."""
    A = np.array(X)
    if A.shape[0] != A.shape[1]:
        raise ValueError(
            f'X has shape {A.shape} but affinity="precomputed" expects one row and '
            "one column for each sample"
        )
    # A row at a time: temporaries of the size of A would exceed the memory allowed.
    for i, row in enumerate(A):
        off = np.arange(len(A)) != i
        wrong = off & ~((row >= 0) & (row <= 1))
        if wrong.any():
            j = int(wrong.argmax())
            raise ValueError(
                f"X[{i}, {j}] is {row[j]:g}, expected an affinity in [0, 1]; divide X "
                "by its largest entry: that changes no dominant set"
            )
        uneven = np.abs(row - A[:, i]) > ASYMMETRY
        if uneven.any():
            j = int(uneven.argmax())
            raise ValueError(
                f"X[{i}, {j}] is {row[j]:g} but X[{j}, {i}] is {A[j, i]:g}, expected "
                "symmetric affinities; pass (X + X.T) / 2"
            )
    np.fill_diagonal(A, 0.0)
    return A


def edit_affinities(A: Floats, pairs: PairSet, *, graded: bool, forbid: bool) -> None:
    """Write judgements into affinities, in place.

    Alike pairs rise to A + s (1 - A), unlike ones fall to A (1 - |s|), where s is 1
    unless `graded`. With `forbid`, unlike pairs get a negative affinity instead.
    """
    pairs = pairs.informative
    i, j = pairs.i, pairs.j
    strength = np.abs(pairs.grade) if graded else np.ones(len(pairs))
    a = A[i, j]
    unlike = np.full(len(pairs), -FORBID) if forbid else a * (1 - strength)
    A[i, j] = A[j, i] = np.where(pairs.similar, a + strength * (1 - a), unlike)
