"""Judgements that the data or other judgements contradict lose weight.

The cost c of a judgement becomes rho(c), which is concave and bounded, so the pull of
a contradicted judgement on its samples is bounded, too. A concave function lies below
its tangents: with grades weighted by rho'(c) at the current memberships, eq. (5) is an
upper bound that touches the robust objective there, and lowering the bound lowers the
objective (majorisation-minimisation).
"""

from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from fuzzypairs._typing import Floats, Ints
from fuzzypairs.pairs import PairSet
from fuzzypairs.pairs.consistency import balanced_share, chance_error, satisfied
from fuzzypairs.solvers.problem import Problem
from fuzzypairs.solvers.result import RunResult

# The tolerance of `robust=True`: the contradiction, from 0 (samples of one cluster) to
# 1 (of two), at which a judgement loses half its weight. With correct judgements this
# costs 0.1 points of ARI on eight sets; 0.5 costs 0.2 (docs/robust.md).
TOLERANCE = 0.75
# How steeply the weight falls there.
STEEPNESS = 4.0
# Memberships that vary less than this are no evidence about any judgement.
SMALLEST_GAP = 1e-6
# Memberships found without judgements may contradict them only if they satisfy more
# than half of them by this many standard errors (5 %). Fewer judgements than
# `TESTABLE` are not tested.
LEAST_ERRORS, TESTABLE = 1.645, 10


@dataclass(frozen=True, eq=False)
class RobustResult(RunResult):
    """The result of one run, with the reliability of each judgement.

    Attributes
    ----------
    reliability : ndarray of shape (n_pairs,)
        Final weight of each judgement, in [0, 1]; NaN if it has no effect.
    """

    reliability: Floats


class JudgedRows(NamedTuple):
    """The judgements with an effect, on the constrained samples of a problem.

    Examples
    --------
    >>> import numpy as np
    >>> first, second = np.array([0, 0]), np.array([1, 2])
    >>> judged = JudgedRows(np.arange(3), first, second, np.array([1.0, -0.5]))
    >>> judged.costs(np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]]))
    array([1. , 0.5])
    """

    rows: Ints  # (n_rows,) the samples
    p: Ints  # (n_pairs,) places in `rows`
    q: Ints  # (n_pairs,)
    grade: Floats  # (n_pairs,)

    def costs(self, U: Floats) -> Floats:
        """Return c of eq. (6) at full strength, in [0, 1], for memberships of `rows`.

        It is 1/2 |u_p - u_q|^2 for alike and u_p.u_q for unlike samples.
        """
        left, right = U[self.p], U[self.q]
        apart = 0.5 * ((left - right) ** 2).sum(axis=1)
        overlap = (left * right).sum(axis=1)
        return np.asarray(np.where(self.grade > 0.0, apart, overlap))


@dataclass(frozen=True, eq=False)
class Doubt:
    """The bounded cost rho of each judgement.

    With c its cost at full strength, 1/2 |u_p - u_q|^2 (alike) or u_p.u_q (unlike),

        z = max(0, c - floor) / gap,
        rho'(c) = 1 / (1 + exp(-STEEPNESS * (credit - z))),   rho(0) = 0.

    The *contradiction* z is 0 if the samples agree with the judgement, and about 1 if
    they agree with its opposite: `floor` is the least cost, and `gap` the mean
    difference in cost between two samples of one cluster and of different clusters.
    The `credit` of a judgement is the contradiction at which it loses half its weight.

    Examples
    --------
    >>> import numpy as np
    >>> doubt = Doubt(np.zeros(2), 1.0, np.array([0.5, 1.0]))
    >>> doubt.weight(np.array([0.5, 0.0])).round(3)
    array([0.5  , 0.982])
    >>> bool((doubt.cost(np.array([0.5, 0.5])) < 0.5).all())
    True
    """

    floor: Floats
    gap: float
    credit: Floats

    @classmethod
    def from_memberships(
        cls, U: Floats, weight: Floats | None, judged: "JudgedRows", tolerance: float
    ) -> Self | None:
        """Set credits by memberships U found without judgements; None if U is constant.

        Let v be the variance of the memberships and q their mean square length. Two
        samples of one cluster then overlap by about q, two of different clusters by
        q - gap, with gap = v k / (k - 1). The credit of a judgement is twice the
        `tolerance` minus its contradiction by U.
        """
        k = U.shape[1]
        mean = np.average(U, axis=0, weights=weight)
        length = float(np.average((U**2).sum(axis=1), weights=weight))
        gap = (length - float(mean @ mean)) * k / max(k - 1, 1)
        if gap < SMALLEST_GAP:
            return None
        floor = np.where(judged.grade > 0.0, 0.0, max(0.0, length - gap))
        blank = cls(floor, gap, np.zeros(len(floor)))
        z = blank.contradiction(judged.costs(U[judged.rows]))
        return cls(floor, gap, 2.0 * tolerance - z)

    def contradiction(self, cost: Floats) -> Floats:
        """Return z of each judgement."""
        return np.asarray(np.maximum(0.0, cost - self.floor) / self.gap)

    def weight(self, cost: Floats) -> Floats:
        """Return rho'(c), in (0, 1), which does not increase: rho is concave."""
        return np.asarray(expit(self._margin(cost)))

    def cost(self, cost: Floats) -> Floats:
        """Return rho(c): linear up to `floor`, then concave and bounded."""
        start = self._margin(self.floor)
        bend = np.logaddexp(0.0, start) - np.logaddexp(0.0, self._margin(cost))
        line = expit(start) * np.minimum(cost, self.floor)
        return np.asarray(line + self.gap / STEEPNESS * bend)

    def _margin(self, cost: Floats) -> Floats:
        return np.asarray(STEEPNESS * (self.credit - self.contradiction(cost)))


def run_robust(
    problem: Problem, found: RunResult, pairs: PairSet, tolerance: float
) -> RobustResult:
    """Minimise eq. (5) with bounded costs of judgements, from a run with plain costs.

        min over U, C of  sum_i w_i sum_j (u_ij^g - alpha) d(x_i, c_j)
                          + beta * sum_pairs |s| rho(cost(u_p, u_q) / |s|)

    The first memberships are those of `found`'s prototypes without judgements: samples
    that a wrong judgement has moved would confirm it. The rounds end when no weight
    changes by more than ten times the tolerance of the problem.

    Parameters
    ----------
    problem : Problem
        The problem with all judgements at full weight.
    found : RunResult
        Its solution.
    tolerance : float > 0
        See `Doubt`.

    Returns
    -------
    RobustResult
        Its history is the upper bounds of all rounds, then the objective; it does not
        increase unless a cluster vanishes.
    """
    judged, acts = judged_by(problem, pairs)
    reliability = np.where(acts, 1.0, np.nan)
    free = problem.passes.free_memberships(found.centers)
    doubt = Doubt.from_memberships(free, problem.weight, judged, tolerance)
    if doubt is None or not acts.any() or not may_contradict(free, judged):
        return RobustResult(**vars(found), reliability=reliability)

    strength = problem.beta * np.abs(judged.grade)
    centers, U = found.centers, free[judged.rows]
    cost = judged.costs(U)
    weight = doubt.weight(cost)
    history, sizes, n_iter = [], [], found.n_iter
    for _ in range(problem.max_iter):
        weighted = problem.with_grades(judged.p, judged.q, judged.grade * weight)
        bound = weighted.passes.descend(weighted, centers, U)
        # The bound touches the robust objective where the round began.
        history.append(bound.history + strength @ (doubt.cost(cost) - weight * cost))
        sizes.append(bound.n_clusters_history)
        n_iter += bound.n_iter
        centers, U = bound.centers, bound.constrained
        before, cost = weight, judged.costs(U)
        weight = doubt.weight(cost)
        settled = bool(np.abs(weight - before).max() <= 10.0 * problem.tol)
        if settled:
            break
    excess = float(strength @ (before * cost - doubt.cost(cost)))
    objective = bound.objective - excess
    reliability[acts] = weight
    return RobustResult(
        centers=centers,
        constrained=U,
        objective=objective,
        history=np.append(np.concatenate(history), objective),
        n_clusters_history=np.append(np.concatenate(sizes), len(centers)),
        n_iter=n_iter,
        converged=bound.converged and settled,
        reliability=reliability,
    )


def may_contradict(U: Floats, judged: JudgedRows) -> bool:
    """Tell whether memberships found without judgements may contradict them.

    Not if they satisfy no more judgements than chance would: the clusters then show
    another property of the data than the judgements do.

    Examples
    --------
    >>> import numpy as np
    >>> p, q = np.arange(12), (np.arange(12) + np.repeat([2, 1], 6)) % 12
    >>> judged = JudgedRows(np.arange(12), p, q, np.repeat([1.0, -1.0], 6))
    >>> near, far = np.eye(2)[np.arange(12) % 2], np.eye(2)[np.arange(12) // 6]
    >>> may_contradict(near, judged), may_contradict(far, judged)
    (True, False)
    """
    if len(judged.grade) < TESTABLE:
        return True
    label = U[judged.rows].argmax(axis=1)
    together = label[judged.p] == label[judged.q]
    share = balanced_share(satisfied(together, judged.grade), judged.grade)
    return float(share) > 0.5 + LEAST_ERRORS * chance_error(judged.grade)


def judged_by(problem: Problem, pairs: PairSet) -> tuple[JudgedRows, NDArray[np.bool_]]:
    """Return the judgements with an effect in a problem, and a mask of them."""
    place = np.full(pairs.n_samples, -1)
    place[problem.constrained] = np.arange(len(problem.constrained))
    p, q = place[pairs.i], place[pairs.j]
    acts = (pairs.grade != 0.0) & (p >= 0) & (q >= 0)
    return JudgedRows(problem.constrained, p[acts], q[acts], pairs.grade[acts]), acts
