"""Prototypes that coincide, and the labels of their clusters.

When prototypes coincide, memberships are equal up to rounding and labels are arbitrary.
Just before, plain steps approach the limit along one direction, which depends on the
data alone and gives meaningful labels. Accelerated steps do not, so the run is repeated
without acceleration.
"""

from dataclasses import replace
from typing import cast

import numpy as np

from fuzzypairs import _core
from fuzzypairs._typing import Floats, Labels
from fuzzypairs.solvers.fused import FusedPasses
from fuzzypairs.solvers.problem import Problem
from fuzzypairs.solvers.result import RunResult
from fuzzypairs.starts.start import Start

__all__ = ["are_one", "coincident", "labels_apart"]

# Prototypes closer than this share of the spread, divided by the number of clusters
# (prototypes along a line are that close), coincide.
COINCIDENT = 0.02
# Labels of clusters with prototypes closer than this, relative to the spread, are
# rounding.
APART = 1e-6
# Largest number of repeated passes, short and long.
SHORT_PASSES, LONG_PASSES = 500, 50


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
    dist2 = np.empty((k, k))
    places = np.ascontiguousarray(places)
    _core.squared_distances(places, places, dist2)
    is_near = dist2 < nearest**2
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


def labels_apart(problem: Problem, start: Start) -> Labels:
    """Return the labels of the last plain step at which prototypes were apart."""
    passes = cast(FusedPasses, problem.passes)
    most = LONG_PASSES if passes.is_long else SHORT_PASSES
    plain = replace(problem, tol=1e-2 * problem.tol, max_iter=most)
    first = passes.first_prototypes(problem, start)
    last = passes.descend(plain, *first, while_apart=APART)
    memberships = passes.free_memberships(last.centers)
    memberships[problem.constrained] = last.constrained
    return np.asarray(np.argmax(memberships, axis=1))
