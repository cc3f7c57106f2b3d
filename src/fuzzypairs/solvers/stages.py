"""The runs of a fit: all starts, each in stages from a cheap problem to the asked one.

Wide data are first clustered in their leading directions, and large problems in single
precision, where passes cost less; what was found there is where the next stage begins.
"""

from fuzzypairs._typing import Floats
from fuzzypairs.solvers.descent import Descent
from fuzzypairs.solvers.multistart import MultiStartPolicy
from fuzzypairs.solvers.problem import Problem
from fuzzypairs.solvers.result import RunResult
from fuzzypairs.starts.start import Start
from fuzzypairs.threads import Threads

__all__ = ["resume", "run_start", "run_starts"]

# Single precision can tell relative steps down to this.
SINGLE_TOL = 1e-5
# The tolerance in the leading directions: the end in all of them is not closer anyway.
PROJECTED_TOL = 1e-3


def run_starts(
    problem: Problem, starts: list[Start], threads: Threads
) -> list[RunResult]:
    """Run from each start; short runs share the threads, long ones use them all.

    In wide data the starts are run in the leading directions, and the best goes on in
    all of them: its result is the only one.
    """
    if not problem.passes.is_long:
        return threads.map(run_start, [(problem, start) for start in starts])
    if (few := problem.projected(PROJECTED_TOL)) is None:
        return [run_start(problem, start) for start in starts]
    directions, narrow = few
    firsts = [problem.passes.first_prototypes(problem, start) for start in starts]
    rough = [run_stages(narrow, C @ directions, U) for C, U in firsts]
    best = min(rough, key=lambda result: result.objective)
    return [run_stages(problem, best.centers @ directions.T, best.constrained)]


def run_start(problem: Problem, start: Start) -> RunResult:
    """Descend from one start until nothing moves, or `max_iter`."""
    return run_stages(problem, *problem.passes.first_prototypes(problem, start))


def resume(problem: Problem, centers: Floats, constrained: Floats) -> RunResult:
    """Descend from where another run ended."""
    return run_stages(problem, centers - problem.passes.origin, constrained)


def run_stages(problem: Problem, C: Floats, U: Floats) -> RunResult:
    """Descend in single precision, if that gains anything, and then in double."""
    policy = MultiStartPolicy(problem.passes.is_long)
    first = problem.in_single_precision(SINGLE_TOL)
    if first is None:
        return descend(problem, C, U, policy)
    rough = descend(first, C, U, policy)
    if not rough.converged:
        return rough
    C = rough.centers - problem.passes.origin
    end = Descent(problem, C, rough.constrained, policy.after(C), rough.n_iter).run()
    # The first pass of the end is made where the last one was.
    return end.after(rough, len(rough.history) - 1)


def descend(
    problem: Problem, C: Floats, U: Floats, policy: MultiStartPolicy
) -> RunResult:
    """Descend; return to an earlier settled point if that was lower.

    Other starts of groups lower the objective, but can cost a cluster later, and with
    it more than they gained. They are not tried again, so that this happens once.
    """
    descent = Descent(problem, C, U, policy)
    result = descent.run()
    earlier = descent.lowest
    # Points are noted before weights are put back to their unit.
    end = result.objective / problem.heaviest
    if earlier is None or earlier.objective >= end - 1e-12 * abs(end):
        return result
    policy = MultiStartPolicy(policy.is_long, earlier.C, n_trials=1)
    again = Descent(problem, earlier.C, earlier.U, policy, result.n_iter).run()
    return again.after(result, len(result.history))
