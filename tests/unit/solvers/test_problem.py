"""Problems: sample weights, judgements with an effect, and their constraint graph."""

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fuzzypairs import PairSet
from fuzzypairs.solvers.any_metric import SpacePasses
from fuzzypairs.solvers.fused import FusedPasses
from fuzzypairs.solvers.problem import STRONGEST, Graph, Problem, usable_pairs
from fuzzypairs.solvers.start import Start
from fuzzypairs.spaces.vectors import Euclidean
from fuzzypairs.threads import Threads

X = np.array([[0.0], [1.0], [5.0], [6.0]])
PAIRS = PairSet.from_triples([(0, 1, 0.5), (1, 3, -1.0), (0, 2, 0.0)], 4)


def pose(weight=None, beta=2.0, kind="fused"):
    """Return the problem of four samples on a line."""
    mean, scale = X.mean(axis=0), float(X.var())
    make = partial(FusedPasses, X, mean, scale)
    if kind == "space":
        make = partial(SpacePasses, Euclidean().fit(X), 2.0, scale)
    make = partial(make, n_clusters=2, threads=Threads(1))
    limits = {"alpha": 0.0, "tol": 1e-6, "max_iter": 300}
    return Problem.over(make, weight, PAIRS, beta=beta, **limits)


def test_the_graph_by_hand():
    problem = pose()
    # The only group is 0, 1, 3. Edges 0-1 (0.5) and 1-3 (-1) pull by beta s / 2.
    assert_array_equal(problem.constrained, [0, 1, 3])
    assert_array_equal(problem.graph.neighbor, [1, 2, 0, 1])
    assert_allclose(problem.graph.pull, [0.5, -1.0, 0.5, -1.0])
    assert_allclose(problem.graph.diagonal, [0.5, 0.5, 0.0])


def test_weights_are_divided_by_the_largest():
    problem = pose(np.array([1.0, 4.0, 2.0, 2.0]))
    assert problem.heaviest == 4.0
    assert_allclose(problem.weight, [0.25, 1.0, 0.5, 0.5])
    assert_allclose(problem.graph.pull, np.array([0.5, -1.0, 0.5, -1.0]) / 4)


def test_judgements_without_effect_are_left_out():
    assert usable_pairs(PAIRS, None, 1.0) == PAIRS.informative
    assert len(usable_pairs(PAIRS, None, 0.0)) == 0
    absent = np.array([1.0, 1.0, 1.0, 0.0])
    assert list(usable_pairs(PAIRS, absent, 1.0)) == [(0, 1, 0.5)]
    assert pose(beta=0.0).constrained.size == 0


def test_other_grades_keep_the_groups():
    problem = pose()
    other = problem.with_grades(np.array([0, 1]), np.array([1, 2]), np.array([1.0, 1]))
    assert_allclose(other.graph.pull, 1.0)
    assert_allclose(other.graph.diagonal, [1.0, 2.0, 1.0])
    assert_array_equal(other.graph.groups, problem.graph.groups)


def test_judgements_are_bounded_in_units_of_distances():
    graph = Graph.of(PAIRS.informative.links, PAIRS.informative.grade, 2.0)
    assert_allclose(graph.in_units(4.0).pull, graph.pull / 4)
    bounded = graph.in_units(1e-300)
    assert np.abs(bounded.pull).max() == pytest.approx(STRONGEST)
    assert_allclose(bounded.pull / bounded.pull[0], graph.pull / graph.pull[0])


@pytest.mark.parametrize("weight", [None, np.array([1.0, 4.0, 2.0, 2.0])])
def test_passes_of_both_kinds_find_the_same(weight):
    start = Start(labels=np.array([0, 0, 1, 1]))
    (fused,), (space,) = (
        problem.passes.run(problem, [start])
        for problem in (pose(weight, kind=kind) for kind in ("fused", "space"))
    )
    assert_allclose(fused.centers, space.centers, rtol=1e-5)
    assert fused.objective == pytest.approx(space.objective)


def test_passes_of_a_space_drop_small_clusters_of_a_start():
    problem = pose(kind="space")
    U = np.array([[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 1, 0.0]])
    centers, inside = problem.passes.first_prototypes(problem, Start(memberships=U))
    assert_allclose(centers, [[0.5], [5.5]])
    assert_allclose(inside, [[1, 0], [1, 0], [0, 1]])
