"""Prototypes that coincide, and the labels of their clusters.

When prototypes coincide, memberships are equal up to rounding and labels are arbitrary.
Steps of Algorithm 1 approach such a limit along one direction, which depends on the
data alone and gives meaningful labels.
"""

from typing import cast

import numpy as np
from scipy.sparse.csgraph import connected_components

from fuzzypairs import _core
from fuzzypairs._typing import Floats, Labels
from fuzzypairs.solvers.fused import FusedPasses
from fuzzypairs.solvers.problem import Problem
from fuzzypairs.solvers.result import RunResult
from fuzzypairs.spaces.moments import leading_direction

# Prototypes closer than this share of the spread, divided by the number of clusters
# (prototypes along a line are that close), coincide.
COINCIDENT = 0.02
# Labels of clusters with prototypes closer than this, relative to the spread, are
# rounding.
APART = 1e-6
# Judgements can still tell such clusters apart: memberships that differ by more than
# this count as given.
TIED = 1e-3


def coincident(
    problem: Problem, best: RunResult, memberships: Floats
) -> tuple[int, int] | None:
    """Return the first two prototypes that coincide.

    If prototypes are not points, two coincide if all samples without judgements have
    equal memberships in both.
    """
    k = len(best.centers)
    if problem.passes.has_points:
        spread = np.sqrt(problem.passes.scale)
        places, nearest = best.centers, COINCIDENT * spread / k
    else:
        free = np.delete(memberships, problem.constrained, axis=0)
        places, nearest = free.T / np.sqrt(max(len(free), 1)), 2 * COINCIDENT / k**2
    if k == 1 or not places.size:
        return None
    is_near = _within(places, nearest)
    if np.count_nonzero(is_near) == k:  # each to itself
        return None
    near = np.argwhere(np.tril(is_near, -1))
    return int(near[0, 1]), int(near[0, 0])


def are_one(problem: Problem, best: RunResult, together: tuple[int, int]) -> bool:
    """Tell whether the labels of two clusters are rounding, and can be recovered."""
    if not problem.passes.has_points:
        return False
    gap = np.diff(best.centers[list(together)], axis=0)
    return bool(np.linalg.norm(gap) < APART * np.sqrt(problem.passes.scale))


def labels_apart(problem: Problem, best: RunResult, memberships: Floats) -> Labels:
    """Return labels that split the samples of clusters whose prototypes are one.

    One step of Algorithm 1 multiplies small displacements of prototypes from their
    common place c by 4 sum_i w_i u_i^2 (x_i - c)(x_i - c)' / |x_i - c|^2 over the mass.
    So displacements approach the leading eigenvector, and two of the clusters, those
    displaced most, take the samples on either side of c along it. Samples that
    judgements put into one of the clusters stay there.
    """
    passes = cast(FusedPasses, problem.passes)
    labels = _core.largest_columns(memberships)
    is_one = _within(best.centers, APART * float(np.sqrt(passes.scale)))
    n_places, place = connected_components(is_one, directed=False)
    for members in (np.flatnonzero(place == p) for p in range(n_places)):
        if len(members) == 1:
            continue
        center = best.centers[members].mean(axis=0)
        U = memberships[:, members]
        weight = U.sum(axis=1) ** 2
        if problem.weight is not None:
            weight = weight * problem.weight
        direction = leading_direction(passes.X, weight, center)
        side = np.einsum("if,f->i", passes.X - center, direction)
        first, last = members[0], members[-1]
        lead = U[:, 0] - U[:, -1]
        is_given = np.ptp(U, axis=1) > TIED
        if lead[is_given] @ side[is_given] < 0.0:
            first, last = last, first
        rows = np.isin(labels, members) & ~is_given
        labels[rows] = np.where(side[rows] > 0.0, first, last)
    return labels


def _within(
    places: Floats, nearest: float
) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    """Tell which of the places (n_places, n_features) are near each other."""
    dist2 = np.empty((len(places), len(places)))
    places = np.ascontiguousarray(places)
    _core.squared_distances(places, places, dist2)
    return np.asarray(dist2 < nearest**2)
