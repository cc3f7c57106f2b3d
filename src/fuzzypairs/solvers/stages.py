"""The runs of a fit: from every start, where it pays in a cheaper problem first."""

from fuzzypairs.solvers.problem import Problem
from fuzzypairs.solvers.result import RunResult
from fuzzypairs.starts.start import Start

__all__ = ["run_start", "run_starts"]

# The tolerance in the leading directions: the end in all of them is not closer anyway.
PROJECTED_TOL = 1e-3


def run_starts(problem: Problem, starts: list[Start]) -> list[RunResult]:
    """Run from each start.

    In wide data the starts are run in the leading directions, and the best goes on in
    all of them: its result is the only one.
    """
    if (few := problem.projected(PROJECTED_TOL)) is None:
        return [run_start(problem, start) for start in starts]
    projection, narrow = few
    rough = []
    for start in starts:
        centers, U = problem.passes.first_prototypes(problem, start)
        rough.append(narrow.passes.descend(narrow, projection.down(centers), U))
    best = min(rough, key=lambda run: run.objective)
    centers = projection.up(best.centers)
    return [problem.passes.descend(problem, centers, best.constrained)]


def run_start(problem: Problem, start: Start) -> RunResult:
    """Descend from one start until nothing moves, or `max_iter`."""
    first = problem.passes.first_prototypes(problem, start)
    return problem.passes.descend(problem, *first)
